"""Tests that the recipes in torch run and learn."""

import importlib.util
import os
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

    @unittest.skipUnless(importlib.util.find_spec("ray"), "got no ray")
    def test_actors_of_ray(self):
        import ray
        import ray_training
        from lepanto.train.config import Config, LearnConfig, NetConfig, PlayConfig

        play = PlayConfig(games=8, until=1902, pool={"random": 1.0})
        config = Config(net=NetConfig(width=16, layers=1, value_width=8), play=play, learn=LearnConfig(decisions=4, staleness=1))
        os.environ.setdefault("RAY_AUTH_MODE", "disabled")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        try:
            net, reports, staleness = ray_training.train(8, 2, config)
        finally:
            ray.shutdown()
        self.assertEqual((len(reports), staleness.learned, {report.positions for report in reports}), (8, 8, {32}))
        self.assertLessEqual(staleness.largest, 1)
        self.assertTrue(all(bool(tensor.isfinite().all()) for tensor in net.tensors.values()))

    def test_ppo_in_one_seat(self):
        means = ppo_seat.train(8, "random", games=96)
        self.assertGreater(means[-1], means[0] + 0.03)


if __name__ == "__main__":
    unittest.main()
