"""Tests that no process or file is left over, whichever process dies first, at random times.

LEPANTO_KILLS=50 LEPANTO_KILL_SEED=7 python -m unittest tests/test_death.py         # number of kills of each side
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any

import lepanto

MY_BOT = Path(__file__).parent.parent / "examples" / "my_bot.py"
KILLS = int(os.environ.get("LEPANTO_KILLS", "4"))
SEED = int(os.environ.get("LEPANTO_KILL_SEED", "1"))

PARENT = """
import lepanto
batch = lepanto.Batch(64, workers=2, observations=None)
print(batch.process_id, flush=True)
while True:
    batch.step(batch.random_actions())
"""

# A fork of the parent keeps the pipe open after the parent has ended.
FORKING_PARENT = """
import os, time, lepanto
batch = lepanto.Batch(4, workers=1, observations=None)
child = os.fork()
if child == 0:
    time.sleep(600)
    os._exit(0)
print(batch.process_id, child, flush=True)
time.sleep(600)
"""


# A fork while threads hold locks in calls. The child cannot release those locks.
FORKED_IN_A_CALL = """
import os, signal, threading, time, lepanto
from lepanto.diplomacy import Game

batch, game = lepanto.Batch(64, workers=1, observations=None), Game()
game.get_state()
busy = [threading.Thread(target=batch.random_step, args=(2000,), daemon=True)]
busy += [threading.Thread(target=lepanto.search, args=(game, "FRANCE"), kwargs={"rollouts": 20_000}, daemon=True)]
for thread in busy:
    thread.start()
time.sleep(0.1)
if os.fork() == 0:
    signal.alarm(20)
    for call in (lambda: batch.random_step(1), game.process, batch.close):
        try:
            print(call(), flush=True)
        except lepanto.LepantoError as error:
            print(error, flush=True)
    with lepanto.Batch(2, workers=1, observations=None) as own:
        own.random_step(1)
    print("ended", flush=True)
    os._exit(0)
_, status = os.wait()
print(status, flush=True)
os._exit(0)
"""

WITHOUT_STREAMS = """
import os, sys, lepanto
taken = [fd for fd in (0, 1, 2) if not os.path.exists(f"/proc/self/fd/{fd}")]
with lepanto.Batch(2, workers=1, observations=None) as batch:
    batch.step(batch.random_actions())
    assert not any(os.path.exists(f"/proc/self/fd/{fd}") for fd in taken), taken
    # As daemons do afterwards.
    for fd in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), fd)
    batch.step(batch.random_actions())
os.write(9, b"played")
"""


def is_alive(process: Any) -> Any:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(process: Any, seconds: float = 120.0) -> Any:
    end = time.time() + seconds
    while is_alive(process) and time.time() < end:
        time.sleep(0.02)
    return not is_alive(process)


@unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc")
class Death(unittest.TestCase):
    def setUp(self) -> None:
        self.before = self.files()
        self.draw = random.Random(SEED).random

    def files(self) -> Any:
        places = [place for place in ("/dev/shm", tempfile.gettempdir()) if os.path.isdir(place)]
        # Directories belong to tests that run at the same time.
        paths = [os.path.join(place, name) for place in places for name in os.listdir(place) if "lepanto" in name]
        return {path for path in paths if os.path.isfile(path)}

    def test_parent_killed(self) -> None:
        for _ in range(KILLS):
            parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
            assert parent.stdout is not None
            engine = int(parent.stdout.readline())
            time.sleep(self.draw() * 0.15)
            parent.kill()
            parent.wait()
            parent.stdout.close()
            self.assertTrue(wait_for_end(engine))
        self.assertEqual(self.files(), self.before)

    def test_engine_killed(self) -> None:
        for _ in range(KILLS):
            with lepanto.Batch(64, workers=2, observations=None, seed=0) as batch:
                threading.Timer(self.draw() * 0.15, os.kill, (batch.process_id, signal.SIGKILL)).start()
                with self.assertRaisesRegex(lepanto.EngineDied, "signal 9"):
                    while True:
                        batch.step(batch.random_actions())
                self.assertFalse(is_alive(batch.process_id))
        self.assertEqual(self.files(), self.before)

    def test_fork_that_keeps_the_pipe(self) -> None:
        parent = subprocess.Popen([sys.executable, "-c", FORKING_PARENT], stdout=subprocess.PIPE)
        assert parent.stdout is not None
        engine, fork = map(int, parent.stdout.readline().split())
        parent.kill()
        parent.wait()
        parent.stdout.close()
        ended = wait_for_end(engine)
        os.kill(fork, signal.SIGKILL)
        self.assertTrue(ended)

    def test_fork_in_a_call(self) -> None:
        done = subprocess.run([sys.executable, "-c", FORKED_IN_A_CALL], capture_output=True, text=True, timeout=120)
        refused = "got a batch of another process, wanted one made after the fork"
        self.assertEqual(done.stdout.splitlines(), [refused, refused, "None", "ended", "0"], done.stderr)

    def test_without_standard_streams(self) -> None:
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with tempfile.TemporaryFile() as said:
                command = f'exec "$0" -c "$1" 9>&{said.fileno()} {closed}'
                run = ["bash", "-c", command, sys.executable, WITHOUT_STREAMS]
                done = subprocess.run(run, pass_fds=[said.fileno()], capture_output=True, text=True)
                said.seek(0)
                self.assertEqual(said.read(), b"played", closed + done.stderr)
        bot = ["bash", "-c", 'exec "$0" -m lepanto.bot "$1" <&- 2>&-', sys.executable, str(MY_BOT)]
        self.assertEqual(subprocess.run(bot, capture_output=True).returncode, 0)

    def test_nothing_is_left_to_the_garbage_collector(self) -> None:
        code = "import gc, lepanto\nfor _ in range(3): lepanto.Batch(2, workers=1).close()\ngc.collect()"
        done = subprocess.run(
            [sys.executable, "-W", "always::ResourceWarning", "-c", code], capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_closing_twice(self) -> None:
        batch = lepanto.Batch(2, workers=1, observations=None, seed=0)
        view = batch.year
        batch.close()
        batch.close()
        self.assertTrue(wait_for_end(batch.process_id))
        self.assertEqual(view.tolist(), [1901, 1901])


if __name__ == "__main__":
    unittest.main()
