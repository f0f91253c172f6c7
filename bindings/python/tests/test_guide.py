"""Runs the examples of GUIDE.md in sequence."""

import os
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict

import numpy as np

import lepanto
from lepanto.dataset import Dataset

GUIDE = Path(__file__).parent.parent / "GUIDE.md"
SECTIONS = (
    *("Arrays", "Trees and rollouts", "Search, adjudication, pictures", "Names of `diplomacy`"),
    "Datasets",
)


class Examples(unittest.TestCase):
    def test_sections(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        dataset = Dataset(GUIDE.parents[2] / "test/data/searched-run", cache=directory.name, workers=1)
        names: Dict[str, Any] = {"lepanto": lepanto, "np": np, "dataset": dataset}
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(directory.name)
        text = GUIDE.read_text(encoding="utf-8")
        for section in SECTIONS:
            (body,) = re.findall(rf"^## {section}\n(.*?)^## ", text, re.M | re.S)
            (code,) = re.findall(r"```python\n(.*?)```", body, re.S)
            exec(compile(code, f"GUIDE.md, {section}", "exec"), names)
        self.assertEqual(names["fleets"].shape, (64, 81))
        self.assertEqual((names["values"].shape, names["best"].shape, names["actions"].shape), ((4, 8, 7), (4,), (17,)))
        order = names["said"]["orders"][0]
        self.assertEqual((order["result"], order["reason"]), ("fails", "bounced with A MUN"))
        self.assertEqual(len(Path("example.jsonl").read_text(encoding="utf-8").splitlines()), 1)
        self.assertTrue(np.shares_memory(names["ids"], names["shard"].orders) and names["boards"].any())
        names["batch"].close()


if __name__ == "__main__":
    unittest.main()
