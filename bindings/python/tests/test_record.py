"""Tests the record of a batch: a normal run, the same for any number of workers, complete whenever it is read."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Dict
from unittest import mock

import numpy as np

import lepanto
from lepanto._server import find_node, script
from lepanto.dataset import Dataset


def command(*args: Any) -> Any:
    return subprocess.run(
        [find_node(), str(script("dist/bindings/cli/lepanto.js")), *map(str, args)], capture_output=True, text=True
    )


def contents(directory: Any) -> Any:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def players(directory: Any) -> Any:
    """Returns the names of the agents of each game, indexed by power."""
    dataset = Dataset(directory, None)
    found = dict(zip(dataset.array("game").tolist(), dataset.array("agents").tolist()))
    return [[dataset.agent_names[agent] for agent in found[game]] for game in sorted(found)]


class Record(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lepanto-record-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def play(self, name: Any, steps: Any, games: int = 40, **options: Any) -> Any:
        """Plays random games. Returns (game of the batch, final scores) of each finished game, in the order of the
        record."""
        ended = []
        options = {"until": 1903, "seed": 5, "observations": None, "workers": 2, **options}
        with lepanto.Batch(games, record=self.folder / name, record_as="net-7", **options) as batch:
            for _ in range(steps):
                batch.step(batch.random_actions())
                for game in np.flatnonzero(batch.terminated | batch.truncated):
                    ended.append(batch.final_scores[game, 0].copy())
        return ended

    def check(self, directory: Any, games: Any) -> None:
        done = command("replay", directory, "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, f"^{games} games, .*: no difference")
        self.assertRegex(command("stats", directory).stdout, f"games +{games}")

    def test_is_a_run_with_all_games(self) -> None:
        for number, options in enumerate(({}, {"reset_mode": "next_step"}, {"actions": "vocabulary"})):
            directory = self.folder / f"run{number}"
            ended = self.play(directory.name, 130, 70, **options)
            self.assertGreater(len(ended), 256)
            self.check(directory, len(ended))
            manifest = json.loads((directory / "manifest.json").read_text())
            self.assertEqual((manifest["agents"], manifest["until"], manifest["games"]), (["net-7"], 1903, len(ended)))
            self.assertEqual(players(directory), [["net-7"] * 7] * len(ended))
            self.assertEqual(
                sorted(path.name for path in directory.iterdir()),
                sorted(
                    ["manifest.json"]
                    + [f"games-0000{k}.{end}" for k in range(-(-len(ended) // 256)) for end in ("lep", "table")]
                ),
            )
            dataset = Dataset(directory, None)
            scores = dict(zip(dataset.array("game").tolist(), dataset.array("returns")))
            self.assertEqual(len(scores), len(ended))
            for game, wanted in enumerate(ended):
                self.assertTrue((scores[game] == wanted).all())

    def test_names_by_game(self) -> None:
        directory = self.folder / "named"
        options: Dict[str, Any] = {"until": 1901, "observations": None, "workers": 1, "reset_mode": "disabled"}
        with lepanto.Batch(3, record=directory, record_as={"italy": "mine"}, **options) as batch:
            batch.set_record_names([{"FRANCE": "a"}, {"france": "b", "ITALY": "c"}], [0, 2])
            while not batch.terminated.all():
                batch.step(batch.random_actions())
            self.assertRaisesRegex(ValueError, "got 1 mappings, wanted 2", batch.set_record_names, [{}], [0, 1])
            self.assertRaisesRegex(ValueError, "power: got 'X'", batch.set_record_names, [{"X": "a"}], [0])
        with lepanto.Batch(1, **options) as batch:
            self.assertRaisesRegex(
                lepanto.LepantoError, "wanted a batch that records", batch.set_record_names, [{}], [0]
            )
        found = [(agents[2], agents[4]) for agents in players(directory)]
        self.assertEqual(sorted(found), [("a", "mine"), ("b", "c"), ("client", "mine")])

    def test_bytes_do_not_depend_on_workers_or_on_koffi(self) -> None:
        opponents = {"FRANCE": "dumbbot", "TURKEY": "random"}
        for name, workers in (("one", 1), ("three", 3)):
            self.play(name, 40, opponents=opponents, workers=workers)
        with mock.patch.dict(os.environ, {"LEPANTO_KOFFI": "none"}):
            self.play("copied", 40, opponents=opponents)
        wanted = contents(self.folder / "one")
        for name in ("three", "copied"):
            found = contents(self.folder / name)
            self.assertEqual(found.keys(), wanted.keys())
            for file in wanted:
                # The recorded command names the folder, so it and the manifest's check differ.
                pairs = [re.sub(rb',\n  "check": "\w+"', b"", data) for data in (found[file], wanted[file])]
                self.assertEqual(pairs[0].replace(name.encode(), b"one"), pairs[1], file)
        agents = ["net-7", "net-7", "dumbbot", "net-7", "net-7", "net-7", "random"]
        for found in players(self.folder / "one"):
            self.assertEqual(found, agents)

    def test_orders_of_agents_are_there(self) -> None:
        directory = self.folder / "run"
        with lepanto.Batch(
            8,
            record=directory,
            record_as={"france": "net-7"},
            until=1902,
            observations=None,
            opponents=dict.fromkeys(("AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA", "TURKEY"), "policy"),
            seed=0,
        ) as batch:
            for _ in range(40):
                batch.step_until_decision(batch.random_actions())
            games = batch.write_record()
        self.assertGreater(games, 16)
        self.check(directory, games)
        dataset = Dataset(directory).where(agents="policy", phases="movement").by_power()
        used = np.arange(17) < dataset.array("order_counts")[:, None]
        self.assertTrue((dataset.array("order_ids")[used] >= 0).all() and used.any())

    def test_one_run_for_all_seatings(self) -> None:
        directory = self.folder / "run"
        with lepanto.Batch(
            6, record=directory, until=1901, observations=None, opponents=[{"ITALY": "hold"}, {}] * 3, seed=0
        ) as batch:
            for _ in range(12):
                batch.step(batch.random_actions())
            batch.set_opponents({"ITALY": "dumbbot", "RUSSIA": "hold"})
            batch.reset()
            for _ in range(12):
                batch.step(batch.random_actions())
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["run"])
        self.check(directory, json.loads((directory / "manifest.json").read_text())["games"])
        seatings = {(agents[4], agents[5]) for agents in players(directory)}
        self.assertEqual(seatings, {("client", "client"), ("hold", "client"), ("dumbbot", "hold")})

    def test_games_from_elsewhere_are_left_out(self) -> None:
        directory = self.folder / "run"
        with lepanto.Batch(4, record=directory, until=1901, observations=None, reset_mode="disabled", seed=0) as batch:
            batch.step(batch.random_actions())
            batch.clone(0, 1)
            batch.reset(mask=[False, False, True, False])
            saved = batch.save(3)
            batch.load(saved, [3])
            for _ in range(10):
                batch.step(batch.random_actions())
            self.assertEqual(batch.write_record(), 2)
            batch.reset()
            for _ in range(10):
                batch.step(batch.random_actions())
            with self.assertRaisesRegex(lepanto.LepantoError, "random steps: got them in a batch that records"):
                batch.random_step()
        self.check(directory, 6)

    def test_is_whole_when_the_engine_is_killed(self) -> None:
        directory = self.folder / "run"
        batch = lepanto.Batch(50, record=directory, until=1902, observations=None, seed=1)
        ended = 0
        for _ in range(60):
            batch.step(batch.random_actions())
            ended += int((batch.terminated | batch.truncated).sum())
        os.kill(batch.process_id, signal.SIGKILL)
        with self.assertRaises(lepanto.EngineDied):
            batch.step(batch.random_actions())
        games = json.loads((directory / "manifest.json").read_text())["games"]
        self.assertTrue(0 <= ended - games < 32, (ended, games))
        self.check(directory, games)
        self.assertEqual([path.name for path in directory.iterdir() if path.name.endswith(".part")], [])

    def test_is_written_when_the_client_goes(self) -> None:
        directory = self.folder / "run"
        code = (
            "import lepanto, os\n"
            f"batch = lepanto.Batch(5, record={str(directory)!r}, until=1901, observations=None)\n"
            "for _ in range(9): batch.step(batch.random_actions())\n"
            "os._exit(1)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        for _ in range(1200):
            if (directory / "games-00000.table").exists():
                break
            time.sleep(0.1)
        games = json.loads((directory / "manifest.json").read_text())["games"]
        self.assertGreaterEqual(games, 5)
        self.check(directory, games)

    def test_refuses(self) -> None:
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine.txt").write_text("x")
        with self.assertRaisesRegex(
            lepanto.LepantoError, "record: got .*full, which has mine.txt in it, wanted an empty or a new"
        ):
            lepanto.Batch(1, record=self.folder / "full", seed=0)
        with self.assertRaisesRegex(lepanto.LepantoError, "record_as: got .*SPAIN.*, wanted a name, or one by power"):
            lepanto.Batch(1, record=self.folder / "new", record_as={"SPAIN": "net"}, seed=0)
        with lepanto.Batch(1, seed=0) as batch:
            with self.assertRaisesRegex(lepanto.LepantoError, "record: got none, wanted a batch that records"):
                batch.write_record()


if __name__ == "__main__":
    unittest.main()
