"""Runs the examples of GUIDE.md, one after the other as a reader would, but for those of recipes and of torch."""

import os
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np

import lepanto

GUIDE = Path(__file__).parent.parent / "GUIDE.md"
SECTIONS = ("Arrays", "Copies and chance", "Trees and rollouts", "Search", "Equilibria", "Names of `diplomacy`")


class Examples(unittest.TestCase):
    def test_sections(self):
        names = {"lepanto": lepanto, "np": np}
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(directory.name)
        text = GUIDE.read_text(encoding="utf-8")
        for section in SECTIONS:
            (body,) = re.findall(rf"^## {section}\n(.*?)^## ", text, re.M | re.S)
            (code,) = re.findall(r"```python\n(.*?)```", body, re.S)
            exec(compile(code, f"GUIDE.md, {section}", "exec"), names)
            if section == "Copies and chance":
                self.assertGreater(len({state.tobytes() for state in names["batch"].state[1:]}), 60)
        self.assertEqual(names["fleets"].shape, (64, 81))
        self.assertEqual((names["values"].shape, names["best"].shape, names["actions"].shape), ((4, 8, 7), (4,), (17,)))
        order = names["said"]["orders"][0]
        self.assertEqual((order["result"], order["reason"]), ("fails", "bounced with A MUN"))
        self.assertEqual(len(Path("example.jsonl").read_text(encoding="utf-8").splitlines()), 1)
        names["batch"].close()


if __name__ == "__main__":
    unittest.main()
