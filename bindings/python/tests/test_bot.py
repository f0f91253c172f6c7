"""Tests lepanto.bot: answers to request lines, and play as the agent exec:COMMAND."""

import json
import random
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any, Dict

import lepanto
import lepanto.arena
from lepanto.bot import Bot, Message, Past, Position
from lepanto.equilibria import OracleOptions

BOTS = """
import random
from lepanto.bot import Bot

class Mine(Bot):
    wants = ("legal", "history")

    def __init__(self, noise="quiet"):
        self.noise = noise
        self.calls = []

    def start(self, map, rules):
        print("noise on", map, rules)

    def orders(self, positions):
        self.calls.append(len(positions))
        if self.noise == "loud":
            print("thinking")
        return [
            {
                power: [random.Random(p.seed + i).choice(legal) for i, legal in enumerate(p.legal[power].values())]
                for power in p.powers
            }
            for p in positions
        ]

class Paid(Bot):
    unit = "USD"

    def __init__(self, price="0.5"):
        self.price = float(price)

    def orders(self, positions):
        self.cost += self.price * len(positions)
        return [["A PAR H"] for _ in positions]

class Short(Bot):
    def orders(self, positions):
        return []

class Past(Bot):
    wants = ("history",)

    def orders(self, positions):
        last = [p.history[-1].results["FRANCE"][0] if p.history else "" for p in positions]
        return [[f"A PAR {len(p.history)} {one}" if one else "A PAR H"] for p, one in zip(positions, last)]
"""

TALKER = """
from lepanto.bot import Bot

class Herald(Bot):
    wants = ()

    def orders(self, positions):
        assert all(p.round == 0 for p in positions)
        return [[f"A PAR {len(p.messages)}"] for p in positions]

    def talk(self, positions):
        assert all(0 < p.round <= p.rounds for p in positions)
        self.cost += len(positions)
        return [
            [(["ITALY", "RUSSIA"], f"{p.round} of {p.rounds}")]
            + [{"recipients": [one.sender], "text": "é", "content": 1} for one in p.messages[-1:]]
            for p in positions
        ]
"""

HELLO = {"hello": {"protocol": "lepanto-agent", "version": 1, "name": "test", "map": "standard", "rules": "datc-3.2"}}
PARIS = {"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}, "centers": {"FRANCE": ["PAR"]}, "powers": ["FRANCE"]}
LEGAL = {"FRANCE": {"A PAR": ["A PAR H", "A PAR - BUR"]}}


def ask(bot: Any, lines: Any, *options: Any) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "lepanto.bot", str(bot), *options],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
    )
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def arena(*arguments: Any) -> Any:
    command = [sys.executable, "-m", "lepanto", "arena", *arguments, "--json", "--quiet"]
    return subprocess.run(command, capture_output=True, text=True)


class Bots(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.bots = Path(directory.name) / "bots.py"
        self.bots.write_text(BOTS)

    def test_answers_one_and_many(self) -> None:
        request = {"id": 1, "game": "g", "seed": 5, "legal": LEGAL, **PARIS}
        lines = [HELLO, request, [request, {**request, "id": 2}]]
        done, answers = ask(f"{self.bots}:Mine", lines, "noise=loud")
        self.assertEqual(done.returncode, 0, done.stderr)
        own = {"protocol": "lepanto-agent", "version": 1, "name": "Mine", "batch": 64, "wants": ["legal", "history"]}
        self.assertEqual(answers[0], {"hello": own})
        self.assertEqual(answers[1]["id"], 1)
        self.assertIn(answers[1]["orders"]["FRANCE"][0], LEGAL["FRANCE"]["A PAR"])
        self.assertEqual([one["id"] for one in answers[2]], [1, 2])
        self.assertEqual(answers[2][0]["orders"], answers[1]["orders"], "the same seed draws the same")
        self.assertIn("thinking", done.stderr)
        self.assertIn("noise on standard datc-3.2", done.stderr)

    def test_history_grows_until_the_game_ends(self) -> None:
        played = {**PARIS, "orders": {"FRANCE": ["A PAR - BUR"]}, "results": {"FRANCE": ["succeeds"]}}
        first = {"id": 1, "game": "g", "history": [played], **PARIS}
        second = {"id": 2, "game": "g", "history": [played], **PARIS}
        third = {"id": 3, "game": "g", "history": [], **PARIS}
        done, answers = ask(f"{self.bots}:Past", [HELLO, first, second, {"end": "g"}, third])
        self.assertEqual(done.returncode, 0, done.stderr)
        orders = [one["orders"]["FRANCE"] for one in answers[1:]]
        self.assertEqual(orders, [["A PAR 1 succeeds"], ["A PAR 2 succeeds"], ["A PAR H"]])

    def test_costs_are_told_with_the_answers(self) -> None:
        request = {"id": 1, **PARIS}
        done, answers = ask(f"{self.bots}:Paid", [HELLO, request, [request, {**request, "id": 2}]])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(answers[0]["hello"]["unit"], "USD")
        self.assertEqual([answers[1]["cost"], *(one["cost"] for one in answers[2])], [0.5, 0.5, 0.5])
        self.assertNotIn("cost", ask(f"{self.bots}:Past", [HELLO, request])[1][1])
        for price in ("-1", "nan", "inf"):
            done, answers = ask(f"{self.bots}:Paid", [HELLO, request], f"price={price}")
            self.assertEqual(len(answers), 1)
            self.assertIn(f"cost: got {float(price)}, wanted a finite number from 0", done.stderr)

    def test_talks(self) -> None:
        bot = self.bots.parent / "talker.py"
        bot.write_text(TALKER, encoding="utf-8")
        request = {"id": 1, "game": "g", **PARIS}
        told = {
            "phase": "S1901M",
            "round": 1,
            "sender": "ITALY",
            "recipients": ["FRANCE"],
            "time_sent": 1,
            "text": "hi",
            "new": 0,
        }
        talk = {**request, "round": 2, "rounds": 3, "messages": [told]}
        done, answers = ask(bot, [HELLO, talk, [{**request, "id": 2}, {**talk, "id": 3}], {"end": "g"}, request])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(answers[0]["hello"]["wants"], ["messages"])
        said = [
            {"recipients": ["ITALY", "RUSSIA"], "text": "2 of 3"},
            {"recipients": ["ITALY"], "text": "é", "content": 1},
        ]
        self.assertEqual(answers[1], {"id": 1, "say": said, "cost": 1})
        self.assertEqual(answers[2][0], {"id": 2, "orders": {"FRANCE": ["A PAR 1"]}, "cost": 0.5})
        self.assertEqual([answers[2][1]["id"], answers[2][1]["say"]], [3, said])
        self.assertEqual(answers[3]["orders"]["FRANCE"], ["A PAR 0"], "the messages of a game end with it")

    def test_talks_in_a_run(self) -> None:
        bot = self.bots.parent / "talker.py"
        bot.write_text(TALKER, encoding="utf-8")
        agent = f"exec:{sys.executable} -m lepanto.bot {bot}"
        out = str(self.bots.parent / "run")
        run = [sys.executable, "-m", "lepanto"]
        options = ["--agents", agent, "--games", "1", "--until", "1901", "--rounds", "2", "--out", out, "--quiet"]
        done = subprocess.run([*run, "selfplay", *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Messages of Italy and Russia to themselves are rejected.
        self.assertIn("talker.py said ", done.stderr)
        game = subprocess.run(
            [*run, "replay", out, "--game", "0", "--power", "TURKEY", "--json"], capture_output=True, text=True
        )
        spring = json.loads(game.stdout)["phases"][0]["messages"]
        self.assertTrue(all("TURKEY" in (one["sender"], *one["recipients"]) for one in spring))
        self.assertEqual([one["text"] for one in spring if one["sender"] == "TURKEY"], ["1 of 2", "2 of 2"])

    def test_says_what_is_wrong(self) -> None:
        done, answers = ask(f"{self.bots}:Short", [HELLO, {"id": 1, **PARIS}])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("got 0 answers, wanted one for each of 1 positions", done.stderr)
        self.assertEqual(len(answers), 1)
        done, _ = ask(f"{self.bots}:None", [])
        self.assertIn("wanted FILE.py:CLASS", done.stderr)
        self.assertIn("Mine, Paid, Short, Past", done.stderr)
        done, _ = ask(str(self.bots.parent / "none.py"), [])
        self.assertIn("which is no file", done.stderr)
        done, _ = ask(f"{self.bots}:Mine", [{"hello": {"protocol": "x", "version": 1}}])
        self.assertIn("hello: got x 1, wanted lepanto-agent 1", done.stderr)

    def test_plays_in_the_arena(self) -> None:
        agents = f"exec:{sys.executable} -m lepanto.bot {self.bots}:Mine,random"
        options = ["--agents", agents, "--games", "4", "--until", "1902", "--seed", "3"]
        runs = [arena(*options, "--workers", workers) for workers in ("1", "2")]
        for run in runs:
            self.assertEqual(run.returncode, 0, run.stderr)
        first, second = (json.loads(run.stdout)["standings"] for run in runs)
        self.assertTrue(first[0]["agent"].startswith("exec:"))
        self.assertEqual(first, second, "the same games for any number of workers")

    def test_the_example_of_the_help_gives_no_illegal_order(self) -> None:
        example = textwrap.dedent(str(Bot.__doc__).split("\n\n", 1)[1].split("Whatever")[0])
        names: Dict[str, Any] = {"Bot": Bot, "random": random}
        exec(example, names)
        result = lepanto.arena.play([names["Mine"](), "policy"], protocol="6v1", games=1, until=1904, workers=1)
        self.assertEqual(sum(result.illegal.values()), 0)

    def test_helps_name_each_field(self) -> None:
        options = lepanto.BatchOptions, lepanto.arena.Conditions, OracleOptions
        for one in (*options, Position, Past, Message):
            for name in one.__annotations__:
                self.assertRegex(str(one.__doc__), rf"(?m)^ +{name}: .", one.__name__)

    def test_example(self) -> None:
        example = Path(__file__).parent.parent / "examples" / "my_bot.py"
        agents = f"exec:{sys.executable} -m lepanto.bot {example}:Taker,random"
        run = arena("--agents", agents, "--games", "7", "--until", "1903")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("illegal", run.stderr)
        taker, other = json.loads(run.stdout)["standings"]
        self.assertGreater(taker["score"], other["score"])


if __name__ == "__main__":
    unittest.main()
