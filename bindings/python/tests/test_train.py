"""Tests lepanto.train: configurations, gates, and whole runs that are small, killed and repeated."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np

from lepanto.train.config import Config, ConfigError, GateConfig, read_config, write_config
from lepanto.train.gate import passing_z
from lepanto.train.league import League

TINY = """
checkpoint = 0.2
[net]
width = 16
layers = 1
value_width = 8
[bootstrap]
batches = 60
teachers = ["policy"]
games = [64]
until = 1903
batch_size = 64
[play]
games = 16
until = 1902
[play.pool]
random = 1.0
best = 1.0
older = 1.0
[gate]
every = 4
games = 7
looks = 1
anchors = ["random"]
until = 1902
"""


def command(out, config, *arguments):
    return [sys.executable, "-W", "ignore", "-m", "lepanto.train", "--out", str(out), "--config", str(config), "--quiet", *arguments]


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.config = self.folder / "tiny.toml"
        self.config.write_text(TINY)

    def run_whole(self, out, *arguments):
        done = subprocess.run(command(out, self.config, *arguments), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_same_seed_same_weights(self):
        table = self.run_whole(self.folder / "a", "--rounds", "1")
        self.run_whole(self.folder / "b", "--rounds", "1")
        files = sorted(path.name for path in (self.folder / "a" / "nets").iterdir())
        self.assertEqual(files, [f"net-{i:04}.safetensors" for i in range(2)])
        for name in files:
            one, other = ((self.folder / run / "nets" / name).read_bytes() for run in "ab")
            # What differs is how long it took, in the header.
            size = int.from_bytes(one[:8], "little")
            self.assertEqual(one[8 + size :], other[8 + int.from_bytes(other[:8], "little") :])
        self.assertEqual(table.count("safetensors"), 2)
        lines = [json.loads(line) for line in (self.folder / "a" / "metrics.jsonl").read_text().splitlines()]
        self.assertLess(lines[2]["policy"], lines[0]["policy"])
        self.assertEqual([line["iteration"] for line in lines if "iteration" in line], list(range(1, 5)))

    def test_killed_runs_go_on(self):
        chance = random.Random(7)
        out = self.folder / "killed"
        for _ in range(4):
            run = subprocess.Popen(command(out, self.config, "--rounds", "1"), stdout=subprocess.DEVNULL, start_new_session=True)
            try:
                run.wait(chance.uniform(1, 9))
                break
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
        self.run_whole(out, "--rounds", "1")
        nets = json.loads((out / "metrics.jsonl").read_text().splitlines()[-1])
        self.assertEqual(nets["gate"], "net-0001.safetensors")
        self.assertTrue((out / "best.safetensors").exists())

    def test_minutes_end_a_run(self):
        begun = time.monotonic()
        table = self.run_whole(self.folder / "short", "--minutes", "0.2")
        self.assertLess(time.monotonic() - begun, 120)
        self.assertIn("net-0000", table)

    def test_other_numbers_are_refused(self):
        self.run_whole(self.folder / "run", "--rounds", "0")
        self.config.write_text(TINY.replace("batches = 60", "batches = 61"))
        done = subprocess.run(command(self.folder / "run", self.config), capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("got other numbers than those of the run", done.stderr)


class Configs(unittest.TestCase):
    def test_defaults_are_written_and_read(self):
        self.assertEqual(read_config(write_config(Config())), Config())
        self.assertEqual(read_config(""), Config())
        changed = replace(Config(), seed=5, gate=GateConfig(anchors=("hold",)))
        self.assertEqual(read_config(write_config(changed)), changed)

    def test_wrong_ones_are_refused_by_name(self):
        for text, wrong in (
            ("sed = 1", "config: got 'sed', wanted one of map, rules, seed"),
            ("seed = 1.5", "seed: got 1.5, wanted int"),
            ("[net]\nwidth = 50", "net.width: got 50, wanted a multiple of 8"),
            ("[net]\nwidth = true", "net.width: got True, wanted int"),
            ("net = 3", "net: got 3, wanted a table"),
            ("[play]\nseats = []", "play.seats: got (), wanted at least one"),
            ("[play]\nseats = [1, 'x']", "play.seats[1]: got 'x', wanted int"),
            ("[play]\npool = {random = 0.0}", "play.pool: got {'random': 0.0}, wanted agents with weights"),
            ("[bootstrap]\ngames = [1]", "bootstrap.games: got (1,), wanted one number for each teacher"),
            ("[gate]\np = 0", "gate.p: got 0.0, wanted more than 0"),
            ("seed = ", "config: Invalid value"),
        ):
            with self.assertRaises(ConfigError) as caught:
                read_config(text)
            self.assertIn(wrong, str(caught.exception))


class Gates(unittest.TestCase):
    def test_looks_together_pass_by_luck_as_rarely_as_is_asked(self):
        # A net as good as the best, whose gain a game has mean 0: in 4,000 gates of 4 looks.
        rng = np.random.default_rng(3)
        gains = rng.normal(size=(4000, 4 * 28))
        wanted = passing_z(0.05, 4)
        passed = np.zeros(4000, bool)
        for look in range(1, 5):
            part = gains[:, : look * 28]
            passed |= part.mean(1) / (part.std(1, ddof=1) / np.sqrt(part.shape[1])) >= wanted
        self.assertLess(passed.mean(), 0.05)
        self.assertGreater(passed.mean(), 0.02)


class Leagues(unittest.TestCase):
    def test_deals_what_there_is(self):
        powers = ["A", "B", "C", "D"]
        league = League(replace(Config().play, seats=(1, 3)), powers, np.random.default_rng(1))
        dealt = [league.deal() for _ in range(200)]
        self.assertEqual({len(one) for one in dealt}, {1, 3})
        self.assertNotIn("best", {agent for one in dealt for agent in one.values()})
        league.nets = ["net:file=a", "net:file=b"]
        agents = {agent for one in (league.deal() for _ in range(200)) for agent in one.values()}
        self.assertLessEqual({"net:file=a", "net:file=b", "dumbbot", "random"}, agents)
        self.assertEqual({power for one in dealt for power in one}, set(powers))


if __name__ == "__main__":
    unittest.main()
