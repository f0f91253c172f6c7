"""Tests drawings of boards."""

import importlib
import json
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from typing import Any
from unittest import mock

import lepanto
from lepanto.diplomacy import Game
from lepanto.state import DiplomacyState, State


def module(name: str) -> Any:
    """Returns a module, or None if it or a library that it loads is missing."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError):
        return None


resvg_py, cairosvg = module("resvg_py"), module("cairosvg")

POSITION = {
    "phase": "S1901M",
    "units": {"FRANCE": ["A PAR", "A MAR"], "GERMANY": ["A MUN"]},
    "centers": {"FRANCE": ["PAR", "MAR"]},
    "orders": {"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR"], "GERMANY": ["A MUN - BUR"]},
}


def groups(svg: Any, kind: Any) -> Any:
    """Returns the attributes of the SVG groups of a class."""
    tree = ElementTree.fromstring(svg)
    return [g.attrib for g in tree.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == kind]


def results(svg: Any) -> Any:
    return {g["data-unit"]: g.get("data-result") for g in groups(svg, "order")}


class Drawings(unittest.TestCase):
    def test_position(self) -> None:
        drawing = lepanto.draw(POSITION, theme="light")
        self.assertEqual(results(drawing.svg), {"A PAR": "succeeds", "A MAR": "given", "A MUN": "fails"})
        self.assertEqual(str(drawing), drawing.svg)
        self.assertEqual(drawing._repr_svg_(), drawing.svg)
        self.assertIn("characters of SVG", repr(drawing))
        self.assertEqual(lepanto.draw(json.dumps(POSITION), theme="light").svg, drawing.svg)
        other = lepanto.draw({"phase": "S1M", "map": "ancmed", "units": {"ROME": ["A ROM"]}})
        self.assertIn("on the map ancmed</title>", other.svg)
        self.assertIn('width="800"', lepanto.draw(POSITION, width=800).svg)
        self.assertIn("<title>Mine on the map", lepanto.draw(POSITION, title="Mine").svg)

    def test_refusals(self) -> None:
        for position, theme, message in (
            ({**POSITION, "units": {"SPAIN": ["A PAR"]}}, "auto", 'got power "SPAIN"'),
            ({**POSITION, "units": {"FRANCE": ["A XYZ"]}}, "auto", "A XYZ"),
            (POSITION, "pink", 'theme: got "pink"'),
        ):
            with self.assertRaisesRegex(lepanto.LepantoError, message):
                lepanto.draw(position, theme=theme)
        with self.assertRaisesRegex(lepanto.LepantoError, "width: got 3"):
            lepanto.draw(POSITION, width=3)

    def test_batch(self) -> None:
        with lepanto.Batch(3, until=1902, observations=None, seed=0) as batch:
            batch.reset(1)
            self.assertEqual(len(groups(batch.draw(2).svg, "unit")), 22)
            self.assertEqual(groups(batch.draw(2).svg, "order"), [])
            batch.step(batch.random_actions(5))
            batch.actions[:] = batch.random_actions(6)
            orders = batch.orders_as_text(1)
            drawn = results(batch.draw(1, orders, theme="dark").svg)
            self.assertTrue(set(drawn) <= {" ".join(order.split()[:2]) for texts in orders.values() for order in texts})
            self.assertTrue(drawn)
            self.assertNotIn(None, drawn.values())
            with self.assertRaises(IndexError):
                batch.draw(3)

    def test_game(self) -> None:
        game = Game()
        game.set_orders("FRANCE", ["A PAR - BUR"])
        self.assertEqual(results(game._repr_svg_()), {"A PAR": None})
        game.set_orders("GERMANY", ["A MUN - BUR"])
        game.process()
        self.assertEqual(results(game._repr_svg_()), {})
        before = results(game.drawing(phase="S1901M").svg)
        self.assertEqual((before["A PAR"], before["A MUN"]), ("fails", "fails"))
        self.assertEqual(len(groups(game.drawing(phase="S1901M").svg, "standoff")), 1)
        self.assertEqual(lepanto.draw(game).svg, game._repr_svg_())
        with self.assertRaisesRegex(ValueError, "phase: got 'S1950M'"):
            game.drawing(phase="S1950M")

    def test_replay(self) -> None:
        game = Game()
        game.set_orders("FRANCE", ["A PAR - BUR"])
        game.process()
        page = game.replay()
        self.assertTrue(page.html.lstrip().lower().startswith("<!doctype html>"))
        self.assertRegex(page.html, '<script type="application/json" id="data">')
        self.assertIn("characters of HTML", repr(page))
        frame = page._repr_html_()
        self.assertTrue(frame.startswith("<iframe srcdoc="))
        self.assertNotIn("<script", frame)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "game.html")
            page.save(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), str(page))

    def test_states(self) -> None:
        for state in (State(), DiplomacyState()):
            self.assertEqual(len(groups(state._repr_svg_(), "unit")), 22)
        self.assertEqual(lepanto.draw(State(), theme="dark").svg, State().drawing("dark").svg)

    def test_files(self) -> None:
        drawing = lepanto.draw(POSITION)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "board.svg")
            drawing.save(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), drawing.svg)
            self.assertEqual(os.listdir(directory), ["board.svg"])

    @unittest.skipIf(resvg_py is None and cairosvg is None, "neither resvg_py nor cairosvg is installed")
    def test_png(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "board.png")
            lepanto.draw(POSITION, theme="light").save(path, width=300)
            with open(path, "rb") as file:
                data = file.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(data[16:20], "big"), 300)

    def test_png_without_a_package(self) -> None:
        # A module that is None in sys.modules cannot be imported.
        missing = mock.patch.dict(sys.modules, {"resvg_py": None, "cairosvg": None})
        with missing, self.assertRaisesRegex(lepanto.LepantoError, r"pip install .lepanto\[png\]"):
            lepanto.draw(POSITION).png()


if __name__ == "__main__":
    unittest.main()
