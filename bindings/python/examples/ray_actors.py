"""Ray: two actors with one batch each play random games, and the driver collects their scores.

python ray_actors.py [games]
"""

import sys
from typing import Any, List

import numpy as np
import ray

import lepanto.ray


def play(batch: Any, games: Any) -> Any:
    """Plays at least `games` games. Returns their sum-of-squares scores, float[played, 7]."""
    scores: List[Any] = []
    while sum(map(len, scores)) < games:
        batch.random_step(1, "policy")
        ended = batch.terminated | batch.truncated
        scores.append(batch.final_scores[ended, 0].copy())
    return np.concatenate(scores)


def league(games: int, a_task: int = 100) -> np.ndarray:
    with lepanto.ray.Batches(2, 64, observations=None, until=1905, seed=1) as batches:
        return np.concatenate(list(batches.map(play, [a_task] * -(-games // a_task))))[:games]


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    scores = league(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
    print(f"{len(scores)} games, mean scores", np.round(scores.mean(0), 3))
    ray.shutdown()


if __name__ == "__main__":
    main()
