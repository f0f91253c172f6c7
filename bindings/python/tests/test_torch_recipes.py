"""Tests that the recipes in torch run and learn."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

import clone_dumbbot  # noqa: E402
import ppo_seat  # noqa: E402


class Recipes(unittest.TestCase):
    def test_clone_of_dumbbot(self):
        with tempfile.TemporaryDirectory() as directory:
            clone_dumbbot.record(32, directory)
            _, early, late = clone_dumbbot.learn(directory, 40)
        self.assertGreater(late, early + 0.15)

    def test_ppo_in_one_seat(self):
        means = ppo_seat.train(8, "random", games=96)
        self.assertGreater(means[-1], means[0] + 0.03)


if __name__ == "__main__":
    unittest.main()
