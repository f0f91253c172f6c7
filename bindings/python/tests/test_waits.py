"""Tests interruptions between a request and its answer: signals, other threads, pending halves."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
import unittest
from typing import Any, Dict, List

import numpy as np

import lepanto

INTERRUPTS = int(os.environ.get("LEPANTO_INTERRUPTS", "40"))

#: Learner that survives Ctrl-C from a terminal, which signals every process of the group.
INTERRUPTED = """
import lepanto
batch = lepanto.Batch(64, workers=2, observations=None)
try:
    print("ready", flush=True)
    while True:
        batch.step(batch.random_actions())
except KeyboardInterrupt:
    pass
before = batch.phases.sum()
for _ in range(3):
    batch.step(batch.random_actions())
print(batch.phases.sum() - before, flush=True)
"""


def fire(exception: Any) -> Any:
    def handler(*_: Any) -> None:
        raise exception

    return handler


def interrupted(lines: Any, call: Any, exception: Any = KeyboardInterrupt) -> Any:
    """Raises an exception in a call after a number of lines of Python, like a signal handler. False if it has fewer."""

    def trace(frame: Any, event: Any, argument: Any) -> Any:
        nonlocal lines
        if event == "line":
            lines -= 1
            if lines < 0:
                raise exception
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
        return False
    except exception:
        return True
    finally:
        sys.settrace(before)


def seen(batch: Any) -> Any:
    """Returns digests of all arrays of a batch's games."""
    names = (
        "rewards",
        "terminated",
        "truncated",
        "final_scores",
        "final_state",
        "observation",
        "order_counts",
        "orderable",
    )
    shown = {name: getattr(batch, name).tobytes() for name in names}
    shown["saved"] = batch.save()
    shown["lists"] = b"".join(batch.legal_ids[offset[0] : offset[-1]].tobytes() for offset in batch.legal_offsets)
    return {name: hashlib.sha1(data).hexdigest() for name, data in shown.items()}


class Interrupts(unittest.TestCase):
    def alarm(self, handler: Any, seconds: Any, again: float = 0.0) -> None:
        """Calls a handler after `seconds`, and then every `again` seconds until the test is over."""
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, handler))
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_REAL, seconds, again)

    def operations(self, twin: Any) -> Any:
        """Returns one call of each method that changes games, and a call that only reads."""
        actions = twin.random_actions()
        first = twin.halves[0]

        def halves(batch: Any) -> None:
            batch.send(actions[first], 0)
            batch.recv()

        saved = twin.save([1, 2])
        position = {key: twin.position(3)[key] for key in ("phase", "units", "centers")}
        return [
            lambda batch: batch.step(actions),
            lambda batch: batch.step(actions),
            halves,
            lambda batch: batch.random_step(3),
            lambda batch: batch.reset(mask=np.arange(len(batch)) % 9 == 0),
            lambda batch: batch.clone(0, [4, 5, 6]),
            lambda batch: batch.load(saved, [7, 8]),
            lambda batch: batch.set_position(9, position) if "retreats" not in twin.position(3) else None,
            lambda batch: batch.legal_as_text(2),
            lambda batch: batch.expand(2, actions[2:3]),
        ]

    def test_what_was_interrupted_has_been_done_whole_or_not_at_all(self) -> None:
        rng = random.Random(1)
        options: Dict[str, Any] = {"workers": 2, "seed": 3, "until": 1906}
        with lepanto.Batch(130, **options) as batch, lepanto.Batch(130, **options) as twin:
            interrupts = 0
            for i in range(INTERRUPTS):
                kind, operation = rng.choice(list(enumerate(self.operations(twin))))
                interrupts += interrupted(int(10 ** rng.uniform(0, 2.5)), lambda: operation(batch))
                if batch._pending:
                    batch.recv()
                before = seen(twin)
                operation(twin)
                after = seen(twin)
                now = seen(batch)
                self.assertIn(now, (before, after), f"interrupt {i}, operation {kind}")
                if now != after:
                    operation(batch)
                    self.assertEqual(seen(batch), after, f"interrupt {i}, operation {kind}")
            self.assertGreater(interrupts, INTERRUPTS // 4)
            for _ in range(20):
                actions = twin.random_actions()
                batch.step(actions)
                twin.step(actions)
                self.assertEqual(batch.position(5), twin.position(5))
                self.assertEqual(seen(batch), seen(twin))

    def test_any_exception_of_a_handler(self) -> None:
        with lepanto.Batch(64, workers=2, observations=None, seed=0) as batch:
            for lines in (3, 10, 30):
                self.assertTrue(interrupted(lines, lambda: batch.random_step(5), TimeoutError))
            self.assertEqual(batch.random_step(2), 128)

    def test_an_alarm_while_the_engine_plays(self) -> None:
        with lepanto.Batch(64, workers=2, observations=None, seed=0) as batch:
            self.alarm(fire(KeyboardInterrupt), 0.05)
            with self.assertRaises(KeyboardInterrupt):
                while True:
                    batch.random_step(1000)
            self.assertEqual(batch.random_step(2), 128)

    def test_a_second_interrupt_closes_the_batch(self) -> None:
        batch = lepanto.Batch(64, workers=2, observations=None, seed=0)
        engine = batch.process_id
        self.alarm(fire(KeyboardInterrupt), 0.2, 0.3)
        # Uninterrupted, the call would take hours.
        with self.assertRaises(KeyboardInterrupt):
            batch.random_step(2**31 - 1)
        signal.setitimer(signal.ITIMER_REAL, 0)
        with self.assertRaisesRegex(
            lepanto.LepantoError, "closed because KeyboardInterrupt came while a call .* interrupted"
        ):
            batch.step(hold=True)
        self.assertRaises(ProcessLookupError, os.kill, engine, 0)

    def test_a_call_from_a_signal_handler_is_refused(self) -> None:
        refused: List[Any] = []

        def handler(*_: Any) -> None:
            try:
                batch.position(0)
            except lepanto.LepantoError as error:
                refused.append(str(error))
                signal.setitimer(signal.ITIMER_REAL, 0)

        with lepanto.Batch(64, workers=1, observations=None, seed=1) as batch:
            self.alarm(handler, 0.01, 0.01)
            while not refused:
                self.assertEqual(batch.random_step(1000), 64_000)
            self.assertEqual(refused, ["got a call while another one waits, wanted none from a signal handler"])
            self.assertEqual(batch.random_step(2), 128)

    def test_ctrl_c_reaches_the_learner_alone(self) -> None:
        parent = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, start_new_session=True, text=True
        )
        assert parent.stdout is not None
        self.assertEqual(parent.stdout.readline(), "ready\n")
        os.killpg(parent.pid, signal.SIGINT)
        self.assertEqual(parent.communicate(timeout=30)[0], "192\n")


class Threads(unittest.TestCase):
    def test_threads_take_turns(self) -> None:
        options: Dict[str, Any] = {"workers": 2, "seed": 3, "observations": None}
        with lepanto.Batch(64, **options) as batch, lepanto.Batch(64, **options) as twin:
            failed = []

            def use() -> None:
                try:
                    for _ in range(10):
                        batch.random_step(1)
                        text = batch.legal_as_text(3)
                        self.assertEqual(len(text), 7)
                        self.assertIn("units", batch.position(4))
                except Exception as error:
                    failed.append(error)

            threads = [threading.Thread(target=use) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failed, [])
            twin.random_step(40)
            self.assertEqual(batch.save(), twin.save())


class Halves(unittest.TestCase):
    def test_texts_of_the_half_that_rests(self) -> None:
        with (
            lepanto.Batch(130, workers=2, observations=None, seed=2) as batch,
            lepanto.Batch(130, workers=2, observations=None, seed=2) as twin,
        ):
            for _ in range(4):
                first, second = batch.halves
                actions = batch.random_actions()
                game = second.start
                wanted = batch.position(game), batch.legal_as_text(game), batch.orders_as_text(game, actions[game])
                batch.send(actions[first], 0)
                text = batch.orders_as_text(game, actions[game])
                self.assertEqual((batch.position(game), batch.legal_as_text(game), text), wanted)
                self.assertEqual(batch.orders_as_text(game, batch.actions_from_text(game, text)), text)
                self.assertEqual(len(batch.vocabulary.text), len(batch.vocabulary))
                for ask in (
                    lambda: batch.position(0),
                    lambda: batch.legal_as_text(0),
                    lambda: batch.orders_as_text(0, actions[0]),
                    lambda: batch.actions_from_text(0, {}),
                ):
                    with self.assertRaisesRegex(
                        lepanto.LepantoError, "game 0 of half 0, which is under way, wanted recv"
                    ):
                        ask()
                self.assertRaisesRegex(lepanto.LepantoError, "half 0 under way", batch.set_position, game, wanted[0])
                self.assertEqual(batch.recv(), first)
                batch.send(actions[second], 1)
                self.assertEqual(batch.recv(), second)
                twin.step(actions)
                self.assertTrue((batch.state == twin.state).all())

    def test_a_refused_half(self) -> None:
        with lepanto.Batch(130, workers=2, observations=None, seed=0) as batch:
            actions = batch.random_actions()
            wrong = actions.copy()
            wrong[3, 2, 0] = 9999
            batch.send(wrong[batch.halves[0]], 0)
            batch.position(100)
            with self.assertRaisesRegex(lepanto.IllegalAction, "game 3"):
                batch.recv()
            batch.step(actions)
            self.assertTrue((batch.phases == 1).all())


if __name__ == "__main__":
    unittest.main()
