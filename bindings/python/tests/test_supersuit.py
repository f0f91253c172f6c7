"""Tests that supersuit makes vectors of the PettingZoo environment. Needs supersuit."""

import unittest
import warnings

import numpy as np

try:
    import supersuit
except ImportError:
    supersuit = None


@unittest.skipIf(supersuit is None, "supersuit is not installed")
class SuperSuit(unittest.TestCase):
    def test_vectors(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        warnings.simplefilter("ignore")
        envs = supersuit.pettingzoo_env_to_vec_env_v1(parallel_env(until=1901, flat=True, max_choices=64))
        for cpus in (1, 2):
            games = supersuit.concat_vec_envs_v1(envs, 2, num_cpus=cpus, base_class="gymnasium")
            seen, _ = games.reset(seed=1)
            self.assertEqual(seen.shape[0], 14)
            ends = 0
            for _ in range(8):
                actions = np.stack([games.action_space.sample() for _ in range(14)])
                seen, rewards, terminated, truncated, _ = games.step(actions)
                self.assertEqual((seen.shape[0], rewards.shape), (14, (14,)))
                ends += int((terminated | truncated).sum())
            self.assertGreater(ends, 0)
            games.close()
        envs.close()


if __name__ == "__main__":
    unittest.main()
