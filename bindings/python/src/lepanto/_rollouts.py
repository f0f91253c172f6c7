"""Rollouts: random games from positions to a horizon, to estimate the value of the positions to each power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Tuple

import numpy as np
import numpy.typing as npt

from ._checks import whole, whole_from
from ._games import Games

Floats64 = npt.NDArray[np.float64]

#: Maximum number of phase-steps in one request, by playout: one or two seconds, so that Ctrl-C takes effect soon.
_MOST_STEPS = {"dumbbot": 100_000, "policy": 2_000_000, "uniform": 2_000_000}
_MOST_AGENT_STEPS = 4_000


@dataclass(frozen=True)
class Rollouts:
    """Values from rollouts, one for each power of a game, joint action or child. Unpacks: values, errors, played =
    batch.rollouts(...)."""

    values: Floats64
    """f8[..., Q]: mean value of the rollouts to each power."""
    errors: Floats64
    """f8[..., Q]: one standard error of each mean; NaN for fewer than two rollouts."""
    played: int
    """Number of rollouts over which each mean is taken."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.values, self.errors, self.played))

    def reshaped(self, shape: Tuple[int, ...]) -> "Rollouts":
        """Returns a copy whose values and errors have the given shape."""
        return Rollouts(self.values.reshape(shape), self.errors.reshape(shape), self.played)


def run_rollouts(
    batch: Games,
    first: int,
    seeds: npt.NDArray[Any],
    count: int = 100,
    horizon: int = 3,
    playout: str = "dumbbot",
    value: str = "heuristic",
    *,
    after: bool = False,
) -> Rollouts:
    """Plays rollouts from consecutive rows of games or children. Returns values and errors, f8[rows, Q] each, and their
    number.

    first: the first row. seeds: int32[rows], random seed of each row, which is written to the array `seeds`. after:
        True if the phase that led to a child is part of its rollouts: it counts towards the horizon, and opponents
        order again in each rollout. Others: as for Batch.rollouts().
    """
    count, horizon = whole_from("count", count, 1, 10**9), whole("horizon", horizon)
    if not isinstance(value, str):
        raise TypeError(f"value: got {value!r}, wanted a name as text: rollouts are played and valued in the engine")
    agent = 0 if playout in _MOST_STEPS else batch._number_of(playout)
    q, rows = len(batch.powers), len(seeds)
    batch._all["seeds"][first : first + rows] = seeds
    sums = np.zeros((rows, 2, q))
    most = _MOST_STEPS.get(playout, _MOST_AGENT_STEPS)
    each = max(1, most // max(1, rows * (horizon + 1)))
    for begin in range(0, count, each):
        body = batch._server.ask_bytes(
            op="rollouts",
            first=first,
            end=first + rows,
            **{"count": min(each, count - begin), "from": begin, "horizon": horizon, "after": after},
            playout=playout,
            value=value,
            agent=agent,
        )
        sums += np.frombuffer(body, "<f8").reshape(rows, 2, q)
    total, squares = sums[:, 0], sums[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.maximum(0, squares - total**2 / count) / np.float64(count - 1)
    return Rollouts(total / count, np.sqrt(variance / count), count)
