"""Plays games of random players and prints the mean scores of each power as a table.

python random_league.py [games]
"""

import sys
from typing import Any, List

import numpy as np

import lepanto


def play(games: int, until: int = 1920) -> np.ndarray:
    """Plays games with random orders. Returns their scores, float[games, 6 systems, 7 powers]."""
    size = min(256, games)
    with lepanto.Batch(size, observations=None, until=until, seed=1) as batch:
        scores: List[Any] = []
        while sum(map(len, scores)) < games:
            batch.random_step(1, "policy")
            ended = batch.terminated | batch.truncated
            if ended.any():
                scores.append(batch.final_scores[ended].copy())
        return np.concatenate(scores)[:games]


def table(scores: np.ndarray, powers: Any) -> str:
    columns = ["sum_of_squares", "draw_size", "survivors"]
    lines = ["power     " + "".join(f"{name:>17}" for name in columns)]
    for q, power in enumerate(powers):
        cells = []
        for name in columns:
            values = scores[:, lepanto.SCORES.index(name), q]
            cells.append(f"{values.mean():.3f} +- {values.std() / np.sqrt(len(values)):.3f}".rjust(17))
        lines.append(f"{power:10}" + "".join(cells))
    return "\n".join(lines)


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with lepanto.Batch(1, observations=None) as batch:
        powers = batch.powers
    print(f"{games} games to 1920\n" + table(play(games), powers))


if __name__ == "__main__":
    main()
