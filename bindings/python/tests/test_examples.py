"""Tests the scripts in examples/."""

import importlib.util
import unittest
from pathlib import Path
from typing import Any

import lepanto


def load(name: Any) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent.parent / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Examples(unittest.TestCase):
    def test_random_league(self) -> None:
        league = load("random_league")
        scores = league.play(60, until=1906)
        self.assertEqual(scores.shape, (60, len(lepanto.SCORES), 7))
        self.assertAlmostEqual(float(scores[:, 0].sum(1).mean()), 1.0, 4)
        with lepanto.Batch(1, workers=1, observations=None) as batch:
            self.assertEqual(len(league.table(scores, batch.powers).splitlines()), 8)

    def test_evolution_improves(self) -> None:
        before, after = load("evolve").main(12.0)
        self.assertGreater(after, before + 0.5)


if __name__ == "__main__":
    unittest.main()
