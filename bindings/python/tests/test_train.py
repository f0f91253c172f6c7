"""Tests lepanto.train: configurations, gates, and small whole runs, some of which are killed and resumed.

LEPANTO_KILLS=20 python test_train.py Runs.test_killed_runs_end_alike      number of kills (default 2); prints the
losses
"""

import io
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import redirect_stderr
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from lepanto.train.__main__ import main
from lepanto.train.actors import Staleness
from lepanto.train.config import Config, ConfigError, GateConfig, read_config, write_config
from lepanto.train.gate import Gate, TimeOver, _engine, _spec, table_of
from lepanto.train.league import League
from lepanto.train.metrics import METRICS, Metrics, read_metrics
from lepanto.train.progress import Progress, Standing, line_of
from lepanto.train.safetensors import read_tensors

KILLS = int(os.environ.get("LEPANTO_KILLS", "2"))
DATA = Path(__file__).parents[3] / "test" / "data"
RING = DATA / "maps" / "ring.json"

TINY = """
workers = 1
checkpoint = 0.2
[net]
width = 16
layers = 1
value_width = 8
[bootstrap]
batches = 60
teachers = ["policy"]
games = [32]
until = 1902
batch_size = 48
[bootstrap.strangers]
random = 1.0
[play]
games = 8
until = 1902
teachers = ["policy"]
lessons = 8
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

TOY = """
map = {map}
workers = 1
[net]
width = 16
layers = 1
head_width = 4
value_width = 16
[bootstrap]
batches = 20
teachers = ["random"]
games = [64]
until = 1904
[bootstrap.strangers]
random = 1.0
[play]
games = 24
until = 1905
seats = [1]
lessons = 0
[play.pool]
random = 1.0
[learn]
learning_rate = 3e-3
decisions = 12
batch_size = 96
[gate]
every = 60
games = 60
looks = 1
anchors = ["random"]
until = 1905
"""


def command(out: Any, config: Any, *arguments: Any) -> Any:
    return [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "lepanto.train",
        "--out",
        str(out),
        "--config",
        str(config),
        "--quiet",
        *arguments,
    ]


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.config = self.folder / "tiny.toml"
        self.config.write_text(TINY)

    def run_whole(self, out: Any, *arguments: Any) -> Any:
        done = subprocess.run(command(out, self.config, *arguments), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def weights(self, out: Any) -> Any:
        """Returns hashes of all nets of a run, without the headers, which contain times."""
        found = {}
        for path in sorted((out / "nets").iterdir()):
            data = path.read_bytes()
            found[path.name] = sha256(data[8 + int.from_bytes(data[:8], "little") :]).hexdigest()
        return found

    def learned(self, out: Any) -> Any:
        """Returns the metrics of a run without seconds, and without the line of each start."""
        lines = [{key: value for key, value in line.items() if key != "seconds"} for line in read_metrics(out)]
        return [line for line in lines if "limit" not in line]

    def test_killed_runs_end_alike(self) -> None:
        table = self.run_whole(self.folder / "whole", "--rounds", "1")
        lines, weights = self.learned(self.folder / "whole"), self.weights(self.folder / "whole")
        self.assertEqual(table.count("| net-"), 2)
        best = self.folder / "whole" / "best.safetensors"
        self.assertIn(f"lepanto arena --agents net:file={best},dumbbot", table)
        self.assertLess(lines[2]["policy"], lines[0]["policy"])
        tensors, _ = read_tensors(self.folder / "whole" / "checkpoint.safetensors")
        for name, judged in read_tensors(self.folder / "whole" / "nets" / "net-0001.safetensors")[0].items():
            key = name.replace(".", "/")
            np.testing.assert_array_equal(judged, tensors[f"average.{key}"], name)
            self.assertFalse(np.array_equal(judged, tensors[f"net.{key}"]), name)
        self.assertEqual([line["iteration"] for line in lines if "iteration" in line], list(range(1, 5)))
        chance = random.Random(7)
        kills = runs = 0
        while kills < KILLS:
            out = self.folder / f"killed-{runs}"
            before = (out / METRICS).stat().st_mtime if (out / METRICS).exists() else 0
            run = subprocess.Popen(
                command(out, self.config, "--rounds", "1"), stdout=subprocess.DEVNULL, start_new_session=True
            )
            # Waits for the first line of this start, before which no work can be lost.
            while run.poll() is None and not ((out / METRICS).exists() and (out / METRICS).stat().st_mtime > before):
                time.sleep(0.02)
            begun = time.time()
            try:
                self.assertEqual(run.wait(chance.uniform(0, 6)), 0)
                # The run finished before the kill, so another run is killed.
                runs += 1
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
                kills += 1
                checkpoint = out / "checkpoint.safetensors"
                kept = max(checkpoint.stat().st_mtime, begun) if checkpoint.exists() else begun
                if "LEPANTO_KILLS" in os.environ:
                    print(f"kill {kills}: {time.time() - begun:.1f} s after its start, {time.time() - kept:.1f} s lost")
        self.run_whole(out, "--rounds", "1")
        for folder in sorted(self.folder.glob("killed*")):
            self.assertEqual(self.learned(folder), lines, folder.name)
            self.assertEqual(self.weights(folder), weights, folder.name)
            self.assertTrue((folder / "best.safetensors").exists())

    def test_beats_random_on_a_small_map(self) -> None:
        self.config.write_text(TOY.format(map=json.dumps(str(RING))))
        self.run_whole(self.folder / "toy", "--rounds", "1")
        first, last = (line for line in read_metrics(self.folder / "toy") if "gate" in line)
        self.assertTrue(last["passed"])
        # One seat against two, on a map of three powers: parity is 0.333.
        self.assertLess(first["shares"]["random"], 0.4)
        self.assertGreater(last["shares"]["random"] - 4 * last["errors"]["random"], 0.5)

    @unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc")
    def test_actors_play_on_and_what_is_old_is_dropped(self) -> None:
        text = (
            TINY.replace("batches = 60", "batches = 2").replace("every = 4", "every = 1000")
            + "[learn]\nstaleness = 0\n"
        )
        self.config.write_text(text)
        out = self.folder / "actors"
        run = subprocess.Popen(command(out, self.config, "--actors", "2"), start_new_session=True)
        self.addCleanup(run.wait)

        def members(*words: Any) -> Any:
            """Returns the processes in the run's session whose commands contain these words."""
            found = []
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    session = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[3])
                    line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                except OSError:
                    continue
                if session == run.pid and line and all(word in line for word in words):
                    found.append(int(folder.name))
            return found

        def iterations() -> Any:
            return [line for line in (read_metrics(out) if (out / METRICS).exists() else []) if "iteration" in line]

        def wait_for(holds: Any) -> None:
            while not holds():
                self.assertIn(run.poll(), (None, -signal.SIGKILL))
                time.sleep(0.05)

        try:
            wait_for(lambda: len(iterations()) >= 2)
            victim = members("spawn_main")[0]
            os.kill(victim, signal.SIGKILL)
            seen = len(iterations())
            wait_for(lambda: len(iterations()) >= seen + 6 and len(members("spawn_main")) == 2)
            self.assertNotIn(victim, members("spawn_main"))
        finally:
            os.kill(run.pid, signal.SIGKILL)
        lines = iterations()
        self.assertEqual([line["iteration"] for line in lines], list(range(1, len(lines) + 1)))
        # With two collectors and one learner, one contribution is always too old.
        self.assertGreater(lines[-1]["dropped"], 0)
        self.assertEqual({(line["staleness"], line["staleness_largest"]) for line in lines}, {(0, 0)})
        # Collectors end with the learner, and their engines with them.
        wait_for(lambda: members() in ([], [run.pid]))

    def test_staleness_is_counted_of_what_is_learned_from(self) -> None:
        staleness = Staleness(2)
        self.assertEqual([staleness.accepts(age) for age in (0, 2, 3, 1)], [True, True, False, True])
        self.assertEqual((staleness.mean, staleness.largest, staleness.dropped), (1.0, 2, 1))

    def test_a_queue_plays_the_same_games(self) -> None:
        def has(name: Any) -> Any:
            return (
                subprocess.run(["node", "-e", f"require.resolve('{name}')"], cwd=DATA, capture_output=True).returncode
                == 0
            )

        if shutil.which("redis-server") is None or not has("bullmq") or not has("ioredis"):
            self.skipTest("needs redis-server, bullmq and ioredis")
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = str(one.getsockname()[1])
        environment = {
            **os.environ,
            "LEPANTO_QUEUE_PASSWORD": "secret",
            "LEPANTO_QUEUE_URL": f"redis://127.0.0.1:{port}",
        }
        server = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--requirepass", "secret"]
        worker = [sys.executable, "-m", "lepanto", "worker", "--workers", "1", "--quiet"]
        for arguments in (server, worker):
            process = subprocess.Popen(
                arguments, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
            )
            self.addCleanup(process.wait)
            self.addCleanup(os.killpg, process.pid, signal.SIGTERM)
        self.config.write_text(TINY.replace("batches = 60", "batches = 5").replace("every = 4", "every = 1"))
        self.run_whole(self.folder / "here", "--rounds", "1")
        afar = command(self.folder / "afar", self.config, "--rounds", "1", "--queue", "env", "--store", "redis")
        done = subprocess.run(afar, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.weights(self.folder / "afar"), self.weights(self.folder / "here"))
        here, there = self.learned(self.folder / "here"), self.learned(self.folder / "afar")
        self.assertEqual(there, here)
        for name in ("games-00000.lep", "games-00000.table"):
            mine, theirs = (self.folder / run / "games" / "teacher-0-0000" / name for run in ("here", "afar"))
            self.assertEqual(mine.read_bytes(), theirs.read_bytes())
        for arguments, words in (
            (["--store", "redis"], "--store: got it without --queue, wanted both"),
            (["--actors", "-1"], "--actors: got -1"),
        ):
            self.assertIn(words, self.trouble(2, "--out", self.folder / "none", "--config", self.config, *arguments))

    def test_one_process_trains_in_a_folder_and_ctrl_c_saves_and_ends(self) -> None:
        out = self.folder / "held"
        run = subprocess.Popen(command(out, self.config), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not (out / METRICS).exists() or len(read_metrics(out)) < 2:
            self.assertIsNone(run.poll())
            time.sleep(0.05)
        self.assertIn(f"held is in use by process {run.pid} on", self.trouble(2, "--out", out, "--config", self.config))
        run.send_signal(signal.SIGINT)
        self.assertIn("stopped; run the same command again to resume", run.communicate()[1])
        self.assertEqual(run.returncode, 130)
        done = read_metrics(out)
        self.assertTrue((out / "checkpoint.safetensors").exists())
        self.assertEqual([line["stage"] for line in done[1:]], ["bootstrap"] * (len(done) - 1))

    def test_minutes_end_a_run(self) -> None:
        told = self.run_whole(self.folder / "short", "--minutes", "0.05")
        self.assertIn("net-0000", told)
        state = json.loads(self.head(self.folder / "short"))
        self.assertEqual("too few to reach play" in told, state["iterations"] == 0)
        # If a net was judged before the end of the bootstrap, a resumed run begins a new epoch.
        self.assertTrue(state["stage"] != "bootstrap" or state["course"] is None, state["course"])

    def head(self, out: Any) -> Any:
        """Returns the state in a checkpoint, as JSON text."""
        data = (out / "checkpoint.safetensors").read_bytes()
        return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]["state"]

    def test_other_numbers_are_refused(self) -> None:
        run = self.folder / "run"
        self.run_whole(run, "--rounds", "0")
        self.config.write_text(TINY.replace("batches = 60", "batches = 61"))
        other = self.trouble(2, "--out", run, "--config", self.config)
        self.assertIn("got other settings than the run in", other)
        left = run / "checkpoint.safetensors.99.part"
        left.touch()
        net = run / "nets" / "net-0000.safetensors"
        net.unlink()
        self.assertRegex(self.trouble(1, "--out", run, "--rounds", "1"), f"{net}: got no file")
        self.assertFalse(left.exists())

    def trouble(self, code: Any, *arguments: Any) -> Any:
        """Runs an invalid start. Returns its only line of stderr."""
        said = io.StringIO()
        with redirect_stderr(said):
            self.assertEqual(main([*map(str, arguments), "--quiet"]), code)
        (line,) = said.getvalue().splitlines()
        return line

    def test_what_cannot_be_is_one_line(self) -> None:
        def configured(text: Any) -> Any:
            path = self.folder / "wrong.toml"
            path.write_text(text)
            return "--out", self.folder / "wrong", "--config", path

        self.assertIn("--device: got 'nonsense': ", self.trouble(2, *configured(TINY), "--device", "nonsense"))
        self.assertIn('map: got "nowhere", wanted', self.trouble(2, *configured(f'map = "nowhere"\n{TINY}')))
        self.assertIn(
            "teacher nobody: its games ended", self.trouble(1, *configured(TINY.replace('["policy"]', '["nobody"]', 1)))
        )
        self.assertIn(str(self.config), self.trouble(2, "--out", self.config))


class Seen(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_run_that_goes_on_cuts_what_its_checkpoint_does_not_know(self) -> None:
        metrics = Metrics(self.folder, 0, 0, False)
        for n in range(3):
            metrics.add({"stage": "play", "positions": n, "score": float("nan")})
        known = metrics.size
        metrics.add({"stage": "play", "positions": 3})
        with open(metrics.path, "a") as file:
            file.write('{"stage": "pl')
        self.assertEqual(len(read_metrics(self.folder)), 4)
        metrics = Metrics(self.folder, known, 2, False)
        metrics.add({"stage": "play", "positions": 9})
        self.assertEqual([line["positions"] for line in read_metrics(self.folder)], [0, 1, 2, 9])
        self.assertIsNone(read_metrics(self.folder)[0]["score"])
        # After a crash of the machine the file may be shorter than the checkpoint says.
        self.assertEqual(Metrics(self.folder, known + 1000, 2, False).size, metrics.size)
        metrics.path.write_bytes(metrics.path.read_bytes()[: known - 3])
        self.assertEqual(Metrics(self.folder, known, 2, False).size, metrics.path.stat().st_size)
        self.assertEqual([line["positions"] for line in read_metrics(self.folder)], [0, 1])

    def test_lines_that_are_no_json_are_named(self) -> None:
        (self.folder / METRICS).write_text("{}\nno\n")
        with self.assertRaisesRegex(ValueError, "line 2: got 'no', wanted a JSON object"):
            read_metrics(self.folder)

    def test_a_line_has_stage_time_speeds_loss_and_shares(self) -> None:
        standing = Standing("play", 0.415, 750.0, 300, 9000, "value loss 0.012", {"dumbbot": 0.25, "random": 0.9})
        self.assertEqual(
            line_of(standing, (5.12, 1410.0)),
            "play 41 %, 12:30 left, 5.1 games/s, 1,410 positions/s, value loss 0.012, dumbbot 0.250 random 0.900",
        )
        self.assertEqual(line_of(Standing("bootstrap", 0, None, 0, 0, "x"), (0, 0)), "bootstrap 0 %, x")
        self.assertIn("2:00:05 left", line_of(Standing("play", 0, 7205, 0, 0), (0, 0)))

    def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(self) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> Any:
                return True

        shown = []
        for stream, quiet in ((Terminal(), False), (io.StringIO(), False), (Terminal(), True)):
            progress = Progress(quiet, stream)
            progress.show(Standing("play", 0.5, 60, 10, 10, "x" * 500))
            progress.end()
            shown.append(stream.getvalue())
        self.assertRegex(shown[0], r"^\r\x1b\[2K\[#{10}\.{10}\] play 50 %, 1:00 left, x+\r\x1b\[2K$")
        self.assertLess(len(shown[0]), 300)
        self.assertEqual(shown[1], "play 50 %, 1:00 left, " + "x" * 500 + "\n")
        self.assertEqual(shown[2], "")


class Configs(unittest.TestCase):
    def test_defaults_are_written_and_read(self) -> None:
        self.assertEqual(read_config(write_config(Config())), Config())
        self.assertEqual(read_config(""), Config())
        changed = replace(Config(), seed=5, gate=GateConfig(anchors=("hold",)))
        self.assertEqual(read_config(write_config(changed)), changed)

    def test_wrong_ones_are_refused_by_name(self) -> None:
        for text, wrong in (
            ("sed = 1", "config: got 'sed', wanted one of map, rules, seed"),
            ("seed = 1.5", "seed: got 1.5, wanted int"),
            ("[net]\nwidth = 50", "net.width: got 50, wanted a multiple of 8"),
            ("[net]\nwidth = true", "net.width: got True, wanted int"),
            ("net = 3", "net: got 3, wanted a table"),
            ("[play]\nseats = []", "play.seats: got (), wanted at least one"),
            ("[play]\nseats = [1, 'x']", "play.seats[1]: got 'x', wanted int"),
            ("[play]\npool = {random = 0.0}", "play.pool: got {'random': 0.0}, wanted agents with weights"),
            ("[bootstrap]\ngames = [1, 2]", "bootstrap.games: got (1, 2), wanted one number for each teacher"),
            ("[bootstrap]\nseat = 2", "bootstrap.seat: got 2.0, wanted 0 to 1"),
            ("[gate]\np = 0", "gate.p: got 0.0, wanted more than 0"),
            ("seed = ", "config: Invalid value"),
        ):
            with self.assertRaises(ConfigError) as caught:
                read_config(text)
            self.assertIn(wrong, str(caught.exception))


class Gates(unittest.TestCase):
    def test_luck_is_as_probable_as_lepanto_arena_has_it(self) -> None:
        # Tests of `lepanto arena --gate` read the same file.
        config = Config()
        with _engine(config) as engine:
            for case in json.loads((DATA / "gates.json").read_text()):
                spec = _spec(config, ["new", "best"], len(case["ours"]), 1)
                asked = {"spec": spec, "looks": 1, "p": 0.05, "scores": {"0,1": case["ours"], "1,0": case["theirs"]}}
                record = engine._server.ask(op="arena gate", **asked, played=0, seconds=0, workers=1)["record"]
                self.assertAlmostEqual(record["chance"], case["chance"], 9)

    def test_the_engine_judges(self) -> None:
        """A net passes if it is clearly better than the best net, and not worse than the best net against an anchor."""
        high, low = [0.5, 0.6, 0.5, 0.6], [0.1, 0.2, 0.0, 0.1]
        config = replace(Config(), gate=replace(GateConfig(), anchors=("dumbbot",), games=4, looks=2))

        def judge(ours: Any, theirs: Any, against: Any, known: Any) -> Any:
            gate = Gate(config, {"dumbbot": known})
            gate.played = {
                "net best 1": ours,
                "best net 1": theirs,
                "net best 2": ours,
                "best net 2": theirs,
                "net dumbbot 0": against,
            }
            asked = []
            verdict = gate.judge("net", "best", lambda *what: asked.append(what))
            assert verdict.versus_best is not None
            self.assertEqual(verdict.versus_best.mean, np.mean(ours))
            return verdict, asked

        verdict, asked = judge(high, low, high, high)
        self.assertEqual((verdict.passed, asked), (True, [("best", 0, 8), ("dumbbot", 0, 4)]))
        self.assertRegex(verdict.reason, r"^better than the other \(p = .* at look 1 of 2, wanted below 0.025\)$")
        self.assertEqual(verdict.anchors["dumbbot"].scores, tuple(high))
        verdict, asked = judge(high, low, low, high)
        self.assertEqual((verdict.passed, list(verdict.anchors)), (False, ["dumbbot"]))
        self.assertRegex(verdict.reason, r"^worse against dumbbot by 0\.450 \+- ")
        verdict, asked = judge(high, high, high, high)
        self.assertEqual((verdict.passed, asked, verdict.anchors), (False, [("best", 0, 8), ("best", 4, 8)], {}))
        self.assertRegex(verdict.reason, "^not clearly better than the other")

    def judge(self, scores: Any, best: Any = None, over: int = 99) -> Any:
        """Returns the verdict of a gate with these scores of its games. over: number of callbacks before the time is
        over."""
        config = replace(Config(), gate=replace(GateConfig(), anchors=tuple(scores), games=4, looks=1))
        gate = Gate(config)
        gate.played = {f"net {anchor} 0": list(known) for anchor, known in scores.items()}
        calls = iter(range(99))

        def progress(what: Any, done: Any, of: Any) -> None:
            if next(calls) >= over:
                raise TimeOver

        return gate.judge("net", best, progress)

    def test_the_first_net_has_passed_nothing(self) -> None:
        good = self.judge({"dumbbot": [0.1, 0.0, 0.1, 0.1], "random": [0.3, 0.4, 0.3, 0.4]})
        self.assertEqual((good.passed, good.reason), (True, "the first net"))
        bad = self.judge({"dumbbot": [0.1, 0.0, 0.1, 0.1], "random": [0.01, 0.02, 0.01, 0.02]})
        self.assertRegex(bad.reason, "^the first net; worse than random: 0.015 .* wanted 0.143 or more$")
        late = self.judge({"dumbbot": [0.1, 0.0, 0.1, 0.1], "random": [0.01, 0.02, 0.01, 0.02]}, over=1)
        self.assertEqual(
            (late.reason, list(late.anchors)), ("the first net; no time was left for 1 of 2 anchors", ["dumbbot"])
        )
        table = table_of([("net-0", good), ("net-1", bad)], ["random"])
        self.assertNotIn("passed", table)
        with self.assertRaises(TimeOver):
            self.judge({"random": [1.0] * 4}, "best", over=0)


class Leagues(unittest.TestCase):
    def test_deals_what_there_is(self) -> None:
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
