"""Tests that the recipe of training with Ray actors runs, and learns only from recent games."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

import ray  # noqa: E402
import ray_training  # noqa: E402

from lepanto.train.config import Config, LearnConfig, NetConfig, PlayConfig  # noqa: E402


class Recipe(unittest.TestCase):
    def test_actors_of_ray(self) -> None:
        play = PlayConfig(games=8, until=1902, pool={"random": 1.0})
        config = Config(
            net=NetConfig(width=16, layers=1, value_width=8), play=play, learn=LearnConfig(decisions=4, staleness=1)
        )
        os.environ.setdefault("RAY_AUTH_MODE", "disabled")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        try:
            net, reports, staleness = ray_training.train(8, 2, config)
        finally:
            ray.shutdown()
        self.assertEqual((len(reports), staleness.learned, {report.positions for report in reports}), (8, 8, {32}))
        self.assertLessEqual(staleness.largest, 1)
        self.assertTrue(all(bool(tensor.isfinite().all()) for tensor in net.tensors.values()))


if __name__ == "__main__":
    unittest.main()
