"""Tests lepanto.arena: it plays the same games as `lepanto arena`, with any agents and in any process."""

import io
import json
import random
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Dict, List

import numpy as np

from lepanto import LepantoError, arena
from lepanto._server import find_node, script
from lepanto.bot import Bot
from lepanto.dataset import Dataset

FILE = '''
import random
import numpy as np
from lepanto.arena import Net
from lepanto.bot import Bot

class Mine(Bot):
    """What it draws from: its seed, and all that has been moved in the game."""
    wants = ("legal", "history")

    def orders(self, positions):
        return [self.one(p, p.powers[0]) for p in positions]

    def one(self, p, power):
        moves = [past for past in p.history if past.phase.endswith("M")]
        # The order in which a bot has given its orders is known in its own process alone.
        played = [{q: sorted(zip(past.orders[q], past.results[q])) for q in past.orders} for past in moves]
        text = str([(past.phase, past.units, past.centers) for past in moves]) + str(played)
        draw = random.Random(f"{p.seed} {p.game * 0} {text} {p.builds} {p.retreats}")
        due = list(p.legal[power].values())[: abs(p.builds.get(power, 99))]
        return [draw.choice(legal) for legal in due] + ["A MOS - LON"]

class First(Net):
    observations = None

    def __init__(self, place="0"):
        self.place = int(place)
        self.calls = []

    def actions(self, batch, seats):
        self.calls.append(int(seats.sum()))
        counts = np.diff(batch.legal_offsets, axis=1).reshape(len(batch), 7, -1)
        return batch.without_repeats(np.where(counts > 0, np.minimum(self.place, counts - 1), -1))
'''


def lepanto(*arguments: Any) -> Any:
    command = [sys.executable, "-m", "lepanto", "arena", *arguments, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_names(standings: Any) -> Any:
    return [{name: value for name, value in one.items() if name != "agent"} for one in standings]


class Sampler(arena.Net):
    """Net that draws uniformly from the legal orders, seeded by the games."""

    def __init__(self) -> None:
        self.seats: List[Any] = []

    def actions(self, batch: Any, seats: Any) -> Any:
        self.seats.append(seats.copy())
        legal = batch.legal(seats)
        drawn = [
            random.Random(f"{batch.episode_seed[g]} {batch.phases[g]} {q} {s} {i}").random()
            for g, q, s, i in zip(legal.game[legal.index], legal.power[legal.index], legal.slot[legal.index], legal.ids)
        ]
        logits = np.array(drawn) * 1e6
        return legal.actions(legal.sample(logits, np.random.default_rng(0))[0])


class Arena(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = Path(directory.name) / "mine.py"
        self.file.write_text(FILE)

    def test_agents_of_the_engine_play_the_same_games_as_in_the_shell(self) -> None:
        for protocol, games in (("1v6", 5), ("random-seats", 5), ("round-robin", 8)):
            options = [
                "--protocol",
                protocol,
                "--games",
                str(games),
                "--until",
                "1901",
                "--seed=-3",
                "--scoring",
                "sos",
                "--workers",
                "1",
            ]
            wanted = lepanto("--agents", "dumbbot,random,hold", *options)
            same: Dict[str, Any] = {"protocol": protocol, "games": games, "until": 1901, "seed": -3, "scoring": "sos"}
            got = arena.play(["dumbbot", "random", "hold"], at_once=4, workers=2, **same)
            self.assertEqual(without_names(got.standings), without_names(wanted["standings"]))
            self.assertEqual(set(got.record), set(wanted))
            for name in ("map", "rules", "protocol", "scoring", "games", "until", "seed"):
                self.assertEqual(got.record[name], wanted[name], name)

    def test_a_bot_plays_the_same_games_here_and_in_a_process(self) -> None:
        options = ["--games", "7", "--until", "1902", "--seed", "5", "--workers", "2"]
        wanted = lepanto("--agents", f"exec:{sys.executable} -m lepanto.bot {self.file}:Mine,random", *options)
        for at_once in (7, 2):
            got = arena.play(
                [arena._agent(f"{self.file}:Mine"), "random"], games=7, until=1902, seed=5, at_once=at_once, workers=1
            )
            self.assertEqual(without_names(got.standings), without_names(wanted["standings"]))
            self.assertEqual(list(got.illegal), ["Mine"])
            self.assertGreater(got.illegal["Mine"], 20)

    def test_nets_and_bots_meet(self) -> None:
        class Counting(Bot):
            batch = 5

            def __init__(self) -> None:
                self.said: List[Any] = []
                self.ended: List[Any] = []
                self.asked: List[Any] = []

            def start(self, map: Any, rules: Any) -> None:
                self.said.append((map, rules))

            def end(self, game: Any) -> None:
                self.ended.append(game)

            def orders(self, positions: Any) -> Any:
                self.asked.append(len(positions))
                return [{p.powers[0]: []} for p in positions]

        played = []
        for at_once in (6, 4):
            net, bot = Sampler(), Counting()
            result = arena.play(
                [net, bot, "hold"], protocol="random-seats", games=6, until=1902, seed=2, at_once=at_once, workers=1
            )
            played.append(result)
            self.assertEqual(bot.said, [("standard", "datc-3.2")])
            self.assertEqual(sorted(bot.ended), [str(i) for i in range(6)])
            self.assertEqual(max(bot.asked), 5)
            self.assertEqual([game.index for game in result.games], list(range(6)))
            first = net.seats[0].sum(1).tolist()
            self.assertEqual(first, [list(game.seats).count(0) for game in result.games[:at_once]])
        self.assertEqual(played[0].games, played[1].games)
        self.assertEqual(without_names(played[0].standings), without_names(played[1].standings))
        scores = [one["score"] for one in played[0].standings]
        self.assertEqual(len(set(scores)), len(scores))
        self.assertIn("mean score", played[0].text)

    def test_ten_years_by_default(self) -> None:
        for map, last in (("standard", 1910), ("ancmed", 10)):
            result = arena.play(["hold", "hold"], games=1, map=map, workers=1)
            self.assertEqual((result.record["until"], result.games[0].years), (last, 10))

    def test_seats_rotate(self) -> None:
        result = arena.play(["hold", "random"], games=7, until=1901, seed=1, workers=1)
        self.assertEqual([list(game.seats).index(0) for game in result.games], list(range(7)))
        for game in result.games:
            self.assertEqual((sum(game.centers) <= 34, game.years, list(game.seats).count(1)), (True, 1, 6))

    def test_games_are_recorded(self) -> None:
        directory = self.file.parent / "games"
        agents: List[Any] = [Sampler(), "hold", arena._agent(f"{self.file}:First")]
        result = arena.play(agents, games=7, until=1901, seed=2, record=directory, workers=1)
        games = json.loads((directory / "manifest.json").read_text())["games"]
        command = [sys.executable, "-m", "lepanto", "replay", str(directory), "--verify"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertIn("no difference", done.stdout, done.stderr)
        dataset = Dataset(directory, None)
        names = dict(zip(dataset.array("game").tolist(), dataset.array("agents").tolist()))
        named = [[dataset.agent_names[agent] for agent in names[game]] for game in sorted(names)]
        labels = ["Sampler", "hold", "First"]
        wanted = [[labels[place] for place in game.seats] for game in result.games]
        self.assertEqual((games, sorted(named)), (7, sorted(wanted)))

    def test_refusals(self) -> None:
        class Short(Bot):
            def orders(self, positions: Any) -> Any:
                return []

        class Flat(arena.Net):
            def actions(self, batch: Any, seats: Any) -> Any:
                return np.zeros(3, int)

        class Other(arena.Net):
            observations = "deepmind"

        for agents, options, error, text in (
            (["random"], {}, ValueError, "agents: got .*, wanted at least 2"),
            ("random,hold", {}, ValueError, "in a list"),
            (["random", 3], {}, TypeError, "agents: got 3"),
            (["random", "hold"], {"protocol": "2v5"}, ValueError, 'protocol: got "2v5"'),
            (["random", "hold"], {"games": 0}, ValueError, "games: got 0"),
            (["random", "hold"], {"until": 0}, ValueError, "until: got 0"),
            (["random", "hold"], {"until": 1800}, LepantoError, "until: got 1800"),
            (["random", "hold"], {"scoring": "points"}, ValueError, "scoring system: got 'points'"),
            (["random", "nobody"], {}, LepantoError, "nobody"),
            ([Sampler(), Other()], {}, ValueError, "deepmind and dipnet"),
            ([Short(), "hold"], {}, ValueError, "Short: got 0 answers"),
            ([Flat(), "hold"], {}, ValueError, r"Flat: actions: got shape \(3,\)"),
        ):
            with self.subTest(agents=agents, options=options):
                self.assertRaisesRegex(
                    error, text, arena.play, agents, **{"games": 2, "until": 1901, "workers": 1, **options}
                )

    def test_command(self) -> None:
        def run(*arguments: Any) -> Any:
            out, told = io.StringIO(), io.StringIO()
            with redirect_stdout(out), redirect_stderr(told):
                arena.main(arguments)
            return out.getvalue(), told.getvalue()

        options = ("--games", "3", "--until", "1901", "--workers", "1", "--quiet")
        out, told = run("--agents", f"{self.file}:Mine,{self.file}:First:place=2,hold", *options, "--json")
        record = json.loads(out)
        self.assertEqual([one["agent"] for one in record["standings"]], ["Mine", "First", "hold"])
        self.assertRegex(told, r"Mine: \d+ orders were illegal")
        out, _ = run("--agents", "random,hold", *options)
        self.assertRegex(out, r"(?m)^random +3 +3 +0\.\d+")
        with self.assertRaisesRegex(SystemExit, "lepanto.bot.Bot or lepanto.arena.Net"):
            run("--agents", f"{self.file}:None,hold", *options)
        with self.assertRaisesRegex(SystemExit, "lepanto.arena: .*nobody"):
            run("--agents", "nobody,hold", *options)


class Measures(unittest.TestCase):
    """field() and gate() give the same results as the command, with intervals."""

    def ask(self, *arguments: Any) -> Any:
        command = [
            find_node(),
            str(script("dist/bindings/cli/lepanto.js")),
            "arena",
            *arguments,
            "--until",
            "1902",
            "--workers",
            "1",
            "--json",
            "--quiet",
        ]
        return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)

    def test_field(self) -> None:
        found = arena.field("dumbbot", ["random", "hold"], games=7, until=1902, workers=2)
        wanted = self.ask("--gauntlet", "dumbbot", "--families", "random,hold", "--games", "7")
        self.assertEqual([row.against for row in found.rows], [row["family"] for row in wanted["rows"]])
        for row, same in zip(found.rows, wanted["rows"]):
            for name in ("score", "error", "solos", "centers"):
                self.assertEqual(row.standing[name], same["standing"][name])
            low, high = row.standing["interval"]
            # For seven games the interval is 2.447 errors wide on each side: t distribution, six degrees of freedom.
            self.assertAlmostEqual((high - low) / 2 / row.standing["error"], 2.4469, 3)
        self.assertIn("+- is one standard error", found.text)

    def test_gate(self) -> None:
        found = arena.gate("dumbbot", "random", ["hold"], games=7, looks=2, until=1902, workers=1)
        wanted = self.ask(
            "--gate", "dumbbot", "--against", "random", "--anchors", "hold", "--games", "7", "--looks", "2"
        )
        self.assertEqual((found.passed, found.looks), (wanted["passed"], wanted["looks"]))
        self.assertEqual((found.pairs.gain, found.pairs.chance), (wanted["pairs"]["gain"], wanted["chance"]))
        self.assertEqual(found.anchors["hold"].error, wanted["anchors"][0]["error"])
        with self.assertRaises(ValueError):
            arena.gate("dumbbot", "random", p=0.9)


if __name__ == "__main__":
    unittest.main()
