"""Tests that RLlib learns on the environment: PPO, three iterations. Needs `pip install "ray[rllib]" torch`."""

import os
import unittest
import warnings

try:
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "ray[rllib] or torch is not installed")
class RLlib(unittest.TestCase):
    def test_ppo(self) -> None:
        import ray
        from ray.tune.registry import register_env

        from lepanto.gymnasium_env import DiplomacyEnv

        warnings.simplefilter("ignore")
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        register_env("lepanto", lambda config: DiplomacyEnv(until=1902, flat=True, max_choices=64))
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        self.addCleanup(ray.shutdown)
        config = (
            PPOConfig()
            .environment("lepanto")
            .env_runners(num_env_runners=0, rollout_fragment_length=64)
            .training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
        )
        learner = config.build_algo()
        self.addCleanup(learner.stop)
        told = [learner.train()["env_runners"] for _ in range(3)]
        self.assertEqual([one["num_env_steps_sampled_lifetime"] for one in told], [128, 256, 384])
        for one in told:
            self.assertGreater(one["num_episodes"], 0)
            self.assertTrue(0 < one["episode_return_mean"] < 1)


if __name__ == "__main__":
    unittest.main()
