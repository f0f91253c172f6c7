"""Gymnasium: plays one seat against six agents in many games at a time, with random choices from the action mask.

python gym_seat.py [steps]
"""

import sys
from typing import Any

import numpy as np

from lepanto.gymnasium_env import DiplomacyVectorEnv


def choose(mask: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Returns a uniformly random legal choice for each slot, int[games, slots]. mask: bool[games, slots, choices]."""
    chosen: np.ndarray[Any, Any] = (draw.random(mask.shape) * mask).argmax(-1)
    return chosen


def play(steps: int, games: int = 64, seed: int = 1) -> np.ndarray:
    """Returns the scores of the games that ended within a number of steps."""
    draw = np.random.default_rng(seed)
    env = DiplomacyVectorEnv(games, power="TURKEY", opponents="random", until=1903)
    observations, _ = env.reset(seed=seed)
    scores = []
    for _ in range(steps):
        actions = choose(observations["action_mask"], draw)
        observations, rewards, terminated, truncated, _ = env.step(actions)
        scores.extend(rewards[terminated | truncated])
    env.close()
    return np.array(scores)


def main() -> None:
    scores = play(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    print(f"{len(scores)} games, mean score of TURKEY {scores.mean():.3f} +- {scores.std() / np.sqrt(len(scores)):.3f}")


if __name__ == "__main__":
    main()
