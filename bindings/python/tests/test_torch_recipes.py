"""Tests that the recipes in torch run and learn."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

import clone_dumbbot  # noqa: E402
import dnvi  # noqa: E402
import numpy as np  # noqa: E402
import ppo_seat  # noqa: E402
import torch  # noqa: E402

import lepanto  # noqa: E402


class Recipes(unittest.TestCase):
    def test_clone_of_dumbbot(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            clone_dumbbot.record(32, directory)
            _, early, late = clone_dumbbot.learn(directory, 40)
        self.assertGreater(late, early + 0.15)

    def test_values_of_equilibria(self) -> None:
        net, errors = dnvi.train(40, games=12, sets=3, rounds=3, until=1902)
        self.assertTrue(all(0 < error < 0.2 for error in errors))
        # Learned only from values of equilibria: a power with more centres has a higher value.
        with lepanto.Batch(200, workers=2, seed=9) as batch, torch.no_grad():
            batch.random_step(2, "policy")
            values = net(dnvi.inputs(batch)).numpy()
            centers = batch.center_counts / 34
        np.testing.assert_allclose(values.sum(1), 1, atol=1e-5)
        self.assertGreater(np.corrcoef(values.ravel(), centers.ravel())[0, 1], 0.2)

    def test_ppo_in_one_seat(self) -> None:
        means = ppo_seat.train(8, "random", games=96)
        self.assertGreater(means[-1], means[0] + 0.03)


if __name__ == "__main__":
    unittest.main()
