"""Tests lepanto.ray on a cluster of two nodes: runs, results and arenas equal those of one machine, also when
processes are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List

os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.cluster_utils import Cluster

import lepanto.arena
import lepanto.ray
from lepanto._server import script

NODE = {"num_cpus": 1, "object_store_memory": 100 << 20, "include_dashboard": False}


def processes(*words: Any) -> Any:
    """Returns the ids of the processes whose command contains all of these words."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if all(word in command for word in words):
            found.append(int(path.parent.name))
    return found


def engines() -> Any:
    """Returns the ids of all engine processes of this package."""
    return processes("node", str(script("dist/bindings/cli/lepanto.js").parent))


def files(directory: Any) -> Any:
    return {path.name: path.read_bytes() for path in Path(directory).glob("games-*")}


def play_some(batch: Any, task: Any, shift: Any) -> Any:
    for _ in range(2 + task % 2):
        batch.step(batch.random_actions())
    return task, int(batch.state.astype("int64").sum()) + shift


@unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc")
class OnRay(unittest.TestCase):
    cluster: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster(initialize_head=True, head_node_args=NODE)
        cls.addClassCleanup(cls.cluster.shutdown)
        cls.cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
        ray.init(address=cls.cluster.address, log_to_driver=False, logging_level="ERROR")
        cls.addClassCleanup(ray.shutdown)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_no_engine(self) -> None:
        end = time.monotonic() + 120
        while engines() and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(engines(), [])

    def play(self, out: Any, **options: Any) -> Any:
        return lepanto.ray.selfplay(out, games=1100, agents="policy", until=1904, seed=5, shards_a_task=2, **options)

    def test_runs(self) -> None:
        one = self.folder / "one"
        command = ["selfplay", "--games", "1100", "--agents", "policy", "--until", "1904", "--seed", "5", "--quiet"]
        subprocess.run([sys.executable, "-m", "lepanto", *command, "--out", one], check=True, capture_output=True)
        done = self.play(self.folder / "many")
        self.assertEqual((done["games"], done["kept"]), (1100, 1100))
        self.assertEqual(files(self.folder / "many"), files(one))
        # Plays missing games, this time directly into the directory.
        (self.folder / "many" / "games-00002.lep").unlink()
        (self.folder / "many" / "games-00002.table").unlink()
        self.play(self.folder / "many", shared=True)
        self.assertEqual(files(self.folder / "many"), files(one))
        # Kills Ray's playing processes, and engines.
        stop = threading.Event()
        killed: List[Any] = []

        def kill() -> None:
            while not stop.wait(0.3):
                victims = (
                    processes("ray::_again")
                    if len(killed) % 2
                    else processes(str(script("dist/bindings/python/end-with-parent.js")), "selfplay", "--shard")
                )
                for victim in victims[:1] if len(killed) < 4 else []:
                    os.kill(victim, signal.SIGKILL)
                    killed.append(victim)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            self.play(self.folder / "killed")
        finally:
            stop.set()
            killer.join()
        self.assertGreater(len(killed), 0)
        self.assertEqual(files(self.folder / "killed"), files(one))
        self.assert_no_engine()

    def test_refusals(self) -> None:
        with self.assertRaisesRegex(lepanto.LepantoError, 'got "polcy"'):
            lepanto.ray.selfplay(self.folder / "none", games=300, agents="polcy")
        lepanto.ray.selfplay(self.folder / "run", games=1, agents="policy", until=1901)
        with self.assertRaisesRegex(lepanto.LepantoError, "holds another run: its seed is 1"):
            lepanto.ray.selfplay(self.folder / "run", games=1, agents="policy", until=1901, seed=2)
        with self.assertRaisesRegex(ValueError, "agents: got"):
            lepanto.ray.arena("dumbbot")
        with self.assertRaisesRegex(ValueError, 'protocol: got "chess"'):
            lepanto.ray.arena(["dumbbot", "random"], protocol="chess")
        with self.assertRaisesRegex(lepanto.LepantoError, "polcy"):
            lepanto.ray.arena(["polcy", "random"], games=1)
        with lepanto.ray.Batches(1, 4, map="atlantis") as batches:
            with self.assertRaisesRegex(lepanto.LepantoError, "atlantis"):
                list(batches.map(play_some, [1]))
        with self.assertRaisesRegex(lepanto.LepantoError, "were closed"):
            list(batches.map(play_some, [1]))

    def test_batches(self) -> None:
        def play(batch: Any, task: Any, shift: Any) -> Any:
            return play_some(batch, task, shift)

        def fail(batch: Any, task: Any) -> None:
            raise KeyError(task)

        with lepanto.ray.Batches(1, 8, seed=3, until=1903) as batches:
            wanted = list(batches.map(play, range(8), 7))
            self.assertEqual([task for task, _ in wanted], list(range(8)))
            self.assertEqual(len({value for _, value in wanted}), 8, "every task has games of its own")
            # After an early exit, tasks without a taken result are played again.
            for _ in batches.map(play, range(5), 7):
                break
            following = list(batches.map(play, range(8), 7))
            with self.assertRaises(KeyError):
                list(batches.map(fail, range(3)))
        third = self.cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
        marks = self.folder

        def die(batch: Any, task: Any, shift: Any) -> Any:
            mark = marks / str(task)
            if not mark.exists() and task in (1, 3):
                mark.touch()
                os.kill(os.getpid() if task == 1 else batch.process_id, signal.SIGKILL)
            return play_some(batch, task, shift)

        with lepanto.ray.Batches(3, 8, seed=3, until=1903) as batches:
            # All three actors play, on any node.
            found = list(batches.map(die, range(6), 7))
            self.cluster.remove_node(third, allow_graceful=False)
            found += batches.map(play, range(6, 8), 7)
            self.assertEqual(found, wanted)
            list(batches.map(play, range(1), 7))
            self.assertEqual(sorted(batches.map(play, range(8), 7, ordered=False)), following)
        self.assert_no_engine()

    def test_an_actor_that_always_dies(self) -> None:
        def die(batch: Any, task: Any) -> None:
            os._exit(1)

        with lepanto.ray.Batches(2, 1) as batches:
            with self.assertRaisesRegex(lepanto.LepantoError, "3 actors have died under task 0"):
                most, lepanto.ray.MOST_DEATHS = lepanto.ray.MOST_DEATHS, 3
                try:
                    list(batches.map(die, range(1)))
                finally:
                    lepanto.ray.MOST_DEATHS = most
        self.assert_no_engine()

    def test_arena(self) -> None:
        def make() -> Any:
            import numpy as np

            class First(lepanto.arena.Net):
                observations = None

                def actions(self, batch: Any, seats: Any) -> Any:
                    counts = np.diff(batch.legal_offsets, axis=1).reshape(len(batch), 7, -1)
                    return batch.without_repeats(np.where(counts > 0, 0, -1))

            return First()

        options: Dict[str, Any] = {"games": 21, "until": 1902, "seed": 4}
        one = lepanto.arena.play([make(), "random"], **options)
        ended: List[Any] = []
        many = lepanto.ray.arena([make, "random"], games_a_task=10, on_game=ended.append, **options)
        self.assertEqual(many.games, one.games)
        self.assertEqual(many.standings, one.standings)
        self.assertEqual(sorted(game.index for game in ended), list(range(21)))
        self.assert_no_engine()


if __name__ == "__main__":
    unittest.main()
