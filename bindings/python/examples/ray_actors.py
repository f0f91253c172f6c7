"""Ray: two actors hold a batch each and play random games; the driver puts their scores together.

python ray_actors.py [games]
"""

import sys

import numpy as np
import ray

import lepanto


@ray.remote
class Player:
    """A batch in a process of its own. Its seed is its own too, so that no two actors play the same games."""

    def __init__(self, seed: int, workers: int = 1) -> None:
        self.batch = lepanto.Batch(64, observations=None, until=1905, seed=seed, workers=workers)

    def play(self, games: int) -> np.ndarray:
        scores = []
        while sum(map(len, scores)) < games:
            self.batch.random_step(1, "policy")
            ended = self.batch.terminated | self.batch.truncated
            scores.append(self.batch.final_scores[ended, 0].copy())
        return np.concatenate(scores)[:games]


def play(games: int) -> np.ndarray:
    """Sum-of-squares scores, float[games, 7]."""
    players = [Player.remote(seed) for seed in (1, 2)]
    return np.concatenate(ray.get([player.play.remote(games // 2) for player in players]))


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    scores = play(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
    print(f"{len(scores)} games, mean scores", np.round(scores.mean(0), 3))
    ray.shutdown()


if __name__ == "__main__":
    main()
