"""Tests lepanto.diplomacy and lepanto.pydipcc by themselves; package-diplomacy.slow.test.ts holds them to the package."""

import copy
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from lepanto import diplomacy, pydipcc
from lepanto._server import IllegalAction, LepantoError
from lepanto.diplomacy import Game, GamePhaseData, Map, Message
from lepanto.diplomacy.engine.message import GLOBAL
from lepanto.diplomacy.engine.renderer import Renderer
from lepanto.diplomacy.utils import export

#: A game of which a process prints the saved form.
PLAYED = """
import json, random
import lepanto.diplomacy
lepanto.diplomacy.install()
from diplomacy import Game, Message
from diplomacy.engine.message import GLOBAL
from diplomacy.utils.export import to_saved_game_format
chance = random.Random(5)
game = Game(game_id="x", timestamp_created=0, rules=[])
while not game.is_game_done and int(game.get_current_phase()[1:5]) < 1904:
    possible = game.get_all_possible_orders()
    for name in game.powers:
        game.set_orders(name, [chance.choice(possible[at]) for at in game.get_orderable_locations(name) if possible[at]])
    game.add_message(Message(sender="FRANCE", recipient=GLOBAL, message="hello", phase=game.get_current_phase()))
    game.process()
print(json.dumps(to_saved_game_format(game)))
"""


def play(game, phases, seed=1):
    """The loop in the README of `diplomacy`."""
    chance = random.Random(seed)
    for _ in range(phases):
        if game.is_game_done:
            break
        possible = game.get_all_possible_orders()
        for name in game.powers:
            game.set_orders(name, [chance.choice(possible[at]) for at in game.get_orderable_locations(name) if possible[at]])
        game.process()
    return game


class Names(unittest.TestCase):
    def test_a_map(self):
        one = Map("standard")
        self.assertIs(one, Map())
        self.assertIs(copy.deepcopy(one), one)
        self.assertEqual((len(one.locs), len(one.scs), one.first_year, one.powers[0]), (82, 34, 1901, "AUSTRIA"))
        self.assertEqual(one.loc_abut["LVP"], ["CLY", "edi", "IRI", "NAO", "WAL", "yor"])
        self.assertEqual((one.loc_type["bul"], one.area_type("BUL"), one.loc_name["BREST"]), ("COAST", "COAST", "BRE"))
        self.assertEqual(one.norm("Army Paris, Gulf of Lyon."), "A PARIS GULF \\ LYON")
        self.assertEqual(one.default_coast(["F", "GRE", "-", "BUL"]), ["F", "GRE", "-", "BUL/SC"])
        self.assertEqual((one.abuts("F", "MAO", "S", "SPA"), one.abuts("F", "MAO", "-", "SPA")), (1, 0))
        with self.assertRaisesRegex(LepantoError, "map"):
            Map("nowhere")

    def test_orders(self):
        game = Game()
        game.set_orders("france", ["A PAR - BUR", "Fleet Brest to English Channel"])
        game.set_orders("FRANCE", "A MAR S A PAR - BUR", wait=False)
        self.assertEqual(game.get_orders("FRANCE"), ["A PAR - BUR", "F BRE - ENG", "A MAR S A PAR - BUR"])
        self.assertEqual(game.powers["FRANCE"].orders["A PAR"], "- BUR")
        self.assertEqual((game.powers["FRANCE"].wait, game.powers["ITALY"].wait), (False, True))
        game.set_orders("FRANCE", ["A PAR H", "A PAR - MOS", "nonsense"], replace=False)
        self.assertEqual((game.get_orders("FRANCE")[0], len(game.error)), ("A PAR - BUR", 3))
        game.set_orders("ITALY", ["x" * 1_000_000, 5, "\ud800", "A VEN H"])
        self.assertEqual((game.get_orders("ITALY"), len(game.error)), (["A VEN H"], 6))
        with self.assertRaisesRegex(ValueError, "power: got 'SPAIN', wanted one of AUSTRIA"):
            game.set_orders("SPAIN", [])
        with game.current_state():
            played = game.process()
            game.set_orders("FRANCE", ["A BUR H"])
        self.assertEqual((game.get_orders("FRANCE"), game.error), ([], []))
        self.assertEqual((played.name, played.results["A PAR"], game.command["A PAR"]), ("S1901M", [], "- BUR"))
        self.assertIs(type(played), GamePhaseData)
        game.draw(["FRANCE"])
        self.assertEqual((game.phase, game.outcome), ("COMPLETED", ["F1901M", "FRANCE"]))
        with self.assertRaises(IllegalAction):
            game.process()

    def test_positions(self):
        game = play(Game(), 4)
        game.set_units("FRANCE", ["A LON", "F LON/XX", "A NTH"], reset=True)
        game.set_centers("FRANCE", ["LON", "PAR", "NOWHERE"], reset=True)
        self.assertEqual((game.get_units("FRANCE"), game.get_centers("FRANCE")), (["A LON"], ["LON", "PAR"]))
        self.assertEqual(len(game.error), 3)
        self.assertNotIn("F LON", game.get_units("ENGLAND"))
        other = Game()
        other.set_state(game.get_state())
        self.assertEqual(other.get_hash(), game.get_hash())
        game.set_current_phase("F1905M")
        self.assertEqual((game.phase, len(game.state_history)), ("FALL 1905 MOVEMENT", 4))
        for wrong in (
            *({"name": 5}, {"units": {"FRANCE": 5}}, {"retreats": []}, {"rules": 1}, {"welfare_points": {"FRANCE": "x"}}, []),
            *({"name": "S0M"}, {"units": {"SPAIN": []}}, {"map": "ancmed"}, {"name": "X1901M"}),
        ):
            with self.assertRaises((TypeError, ValueError, LepantoError)):
                game.set_state(wrong)
        with self.assertRaisesRegex(ValueError, "rule: got NO_CHECK"):
            game.add_rule("NO_CHECK")

    def test_copies(self):
        game = play(Game("g"), 7)
        for other in (copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
            self.assertEqual(other.get_hash(), game.get_hash())
            self.assertEqual(other.order_history.keys(), game.order_history.keys())
            self.assertIs(other.powers["FRANCE"].game, other)
            play(other, 2, 9)
            self.assertEqual((len(other.get_phase_history()), len(game.get_phase_history())), (9, 7))

    def test_a_picture(self):
        game = Game()
        game.set_orders("FRANCE", ["A PAR - BUR"])
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "board.svg"
            svg = Renderer(game).render(output_path=path)
            self.assertEqual(svg, path.read_text(encoding="utf-8"))
        self.assertIn("<svg", svg)
        self.assertNotEqual(svg, game.render(incl_orders=False))
        with self.assertRaisesRegex(ValueError, 'got \'png\', wanted "svg"'):
            game.render(output_format="png")


class Messages(unittest.TestCase):
    def said(self, message="hello", sender="FRANCE", recipient="ITALY", phase="S1901M", **more):
        return Message(sender=sender, recipient=recipient, message=message, phase=phase, **more)

    def test_kept(self):
        game = Game(rules=["SOLITAIRE"])
        self.assertFalse(game.no_press)
        times = [game.add_message(self.said(recipient=to)) for to in ("ITALY", GLOBAL, "TURKEY")]
        self.assertEqual(times, sorted(set(times)))
        self.assertEqual([one.recipient for one in game.get_messages("ITALY")], ["ITALY", GLOBAL])
        played = game.process()
        self.assertEqual((len(game.messages), played.messages.keys()), (0, times))
        self.assertEqual(game.message_history["S1901M"].last_value().recipient, "TURKEY")
        self.assertEqual(len(game.get_messages(phase="S1901M")), 3)
        (told,) = game.get_phase_history(game_role="ITALY")
        self.assertEqual(len(told.messages), 2)
        game.add_message(self.said(phase="F1901M"))
        saved = json.loads(json.dumps(export.to_saved_game_format(game)))
        fields = {"sender": "FRANCE", "recipient": "ITALY", "time_sent": times[0], "phase": "S1901M", "message": "hello"}
        self.assertEqual(saved["phases"][0]["messages"][0], fields)
        back = export.from_saved_game_format(saved)
        self.assertEqual((back.message_history.keys(), len(back.messages)), (["S1901M"], 1))

    def test_refused(self):
        game = Game()
        game.add_message(self.said(time_sent=5))
        for wanted, act in (
            ("got 1,000,000 characters, wanted at most 65,536", lambda: self.said("x" * 1_000_000)),
            ("wanted UTF-8", lambda: self.said("\ud800")),
            ("message of a message: got 5, wanted text", lambda: self.said(5)),
            ("recipient of a message: got None, wanted text", lambda: self.said(recipient=None)),
            ("sender of a message: got 'SPAIN', wanted one of", lambda: game.add_message(self.said(sender="SPAIN"))),
            ("recipient of a message: got 'x+\\.\\.\\., wanted", lambda: game.add_message(self.said(recipient="x" * 999))),
            ("phase of a message: got 'F1901M', wanted S1901M", lambda: game.add_message(self.said(phase="F1901M"))),
            ("time_sent of a message: got 5 a second time", lambda: game.add_message(self.said(time_sent=5))),
            ("wanted whole microseconds", lambda: self.said(time_sent=1.5)),
            ("message: got 'hello', wanted a Message", lambda: game.add_message("hello")),
            ("comm_status: got 'x'", lambda: game.set_comm_status("FRANCE", "x")),
        ):
            with self.assertRaisesRegex(ValueError, wanted):
                act()
        self.assertEqual([one.message for one in game.messages.values()], ["hello"])


class Saved(unittest.TestCase):
    def test_round_trip(self):
        game = play(Game("g", timestamp_created=7), 20)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "games.jsonl"
            saved = export.to_saved_game_format(game, path)
            with open(path, "a", encoding="utf-8") as file:
                file.write("{}\n")
            with self.assertRaisesRegex(ValueError, "saved game: got {}, wanted an object with phases"):
                export.load_saved_games_from_disk(path)
            (back,) = export.load_saved_games_from_disk(path, on_error="ignore")
        self.assertTrue(export.is_valid_saved_game(saved))
        again = export.to_saved_game_format(back)
        for phase, other in zip(saved["phases"][:-1], again["phases"]):
            self.assertEqual(phase, other)
        saved["phases"][3]["orders"]["FRANCE"] = []
        self.assertFalse(export.is_valid_saved_game(saved))
        for field, value in (("orders", 5), ("state", None), ("name", 1), ("messages", [{"sender": "FRANCE"}])):
            wrong = copy.deepcopy(saved)
            wrong["phases"][0][field] = value
            with self.assertRaises(ValueError):
                export.from_saved_game_format(wrong)

    def test_the_same_bytes(self):
        paths = [str(Path(diplomacy.__file__).parents[2]), *sys.path]
        told = []
        for seed in ("0", "1", "2"):
            env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
            told.append(subprocess.run([sys.executable, "-c", PLAYED], env=env, capture_output=True, check=True).stdout)
        self.assertGreater(len(told[0]), 10_000)
        self.assertEqual(len(set(told)), 1)

    def test_install_comes_first(self):
        with mock.patch.dict(sys.modules, {"diplomacy": types.ModuleType("diplomacy")}):
            with self.assertRaisesRegex(ImportError, "got `diplomacy` imported already"):
                diplomacy.install()


class Welfare(unittest.TestCase):
    def test_points(self):
        game = Game(map_name="standard_welfare")
        game.process()
        game.process()
        self.assertEqual(game.get_current_phase(), "W1901A")
        self.assertIn("A PAR D", game.get_all_possible_orders()["PAR"])
        game.set_orders("FRANCE", ["A PAR D", "A MAR D"])
        game.process()
        self.assertEqual(game.get_units("FRANCE"), ["F BRE"])
        self.assertEqual((game.powers["FRANCE"].welfare_points, game.powers["ITALY"].welfare_points), (2, 0))
        back = export.from_saved_game_format(export.to_saved_game_format(game))
        self.assertEqual(back.powers["FRANCE"].welfare_points, 2)
        game.set_centers("FRANCE", game.map.scs[:25])
        game.process()
        game.process()
        self.assertEqual((game.get_current_phase(), game.outcome), ("W1902A", []))


class Pydipcc(unittest.TestCase):
    def test_names(self):
        game = pydipcc.Game(draw_on_stalemate_years=3)
        game.add_message("FRANCE", "ALL", "hello", 5)
        self.assertEqual(game.add_message("FRANCE", "ITALY", "hi", 5, increment_on_collision=True), 6)
        game.set_orders("FRANCE", ["A PAR - BUR"])
        game.set_orders("FRANCE", ["A MAR - BUR"])
        self.assertEqual((game.get_orders("FRANCE"), game.messages[5]["sender"]), (["A MAR - BUR"], "FRANCE"))
        game.add_log("a note")
        game.set_metadata("key", "value")
        game.process()
        back = game.rolled_back_to_phase_end("S1901M")
        self.assertEqual((back.get_orders("FRANCE"), len(back.messages)), (["A MAR - BUR"], 2))
        start = game.rolled_back_to_phase_start("S1901M")
        self.assertEqual((start.get_orders("FRANCE"), len(start.messages)), ([], 0))
        back.process()
        self.assertEqual(back.compute_order_history_hash(), game.compute_order_history_hash())
        self.assertEqual(back.compute_board_hash(), game.compute_board_hash())
        start.process()
        self.assertNotEqual(start.compute_order_history_hash(), game.compute_order_history_hash())
        self.assertEqual((game.get_unit_power_at("BUR"), game.get_unit_power_at("SER")), ("FRANCE", None))
        self.assertEqual((game.get_unit_type_at("STP"), game.get_unit_type_at("STP/NC")), ("F", None))
        self.assertEqual((game.get_supply_center_power("STP/NC"), game.get_supply_center_power("BUR")), ("RUSSIA", None))
        self.assertEqual([one.name for one in game.get_all_phases()], ["S1901M", "F1901M"])
        other = pydipcc.Game()
        other.from_json_inplace(game.to_json())
        self.assertEqual((other.get_metadata("key"), other.get_logs()), ("value", {"S1901M": ["a note"]}))
        self.assertEqual((other.get_hash(), other.powers["FRANCE"].units), (game.get_hash(), game.powers["FRANCE"].units))
        with self.assertRaisesRegex(ValueError, "saved game: got"):
            other.from_json_inplace("[]")
        self.assertEqual(other.get_hash(), game.get_hash())
        game.set_scoring_system(game.SCORING_DSS)
        self.assertAlmostEqual(sum(game.get_scores()), 1)
        while not game.is_game_done:
            game.process()
        self.assertEqual((game.current_year, len(game.get_alive_powers())), (1903, 7))


if __name__ == "__main__":
    unittest.main()
