"""Rollouts: play from positions to a horizon, many times, and what the boards there are worth to each power."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, signed, whole, whole_from
from ._games import Games

Floats64 = npt.NDArray[np.float64]

#: Phase-steps of one request, by who plays: a second or two, so that Ctrl-C is not kept waiting.
_MOST_STEPS = {"dumbbot": 100_000, "policy": 2_000_000, "uniform": 2_000_000}
_MOST_AGENT_STEPS = 4_000


class Rollouts(NamedTuple):
    """What rollouts were worth, by root, joint action and power."""

    values: Floats64
    """f8[..., Q]: mean value to each power."""
    errors: Floats64
    """f8[..., Q]: one standard error of each mean; NaN for fewer than two rollouts."""
    played: int
    """Rollouts of each."""

    def reshaped(self, shape: Tuple[int, ...]) -> "Rollouts":
        return Rollouts(self.values.reshape(shape), self.errors.reshape(shape), self.played)


def run_rollouts(
    batch: Games,
    first: int,
    rows: int,
    count: int = 100,
    horizon: int = 3,
    playout: str = "dumbbot",
    value: str = "heuristic",
    seed: Optional[int] = None,
    *,
    after: bool = False,
    place: int = 0,
    group: int = 1,
) -> Rollouts:
    """Rollouts from rows of games or children: f8[rows, Q].

    place: of the first row among all that are asked about; group: rows one behind the other that have the same chance.
    after: the phase-step that has led to a child is the first one.
    """
    count, horizon = whole_from("count", count, 1, 10**9), whole("horizon", horizon)
    agent = 0 if playout in _MOST_STEPS else batch._number_of(playout)
    drawn = batch._draws.next("rollouts") if seed is None else whole_from("seed", seed, *SEEDS)
    q = len(batch.powers)
    sums = np.zeros((rows, 2, q))
    most = _MOST_STEPS.get(playout, _MOST_AGENT_STEPS)
    each = max(1, most // max(1, rows * (horizon + 1)))
    for begin in range(0, count, each):
        some = min(each, count - begin)
        body = batch._server.ask_bytes(
            op="rollouts",
            first=first,
            end=first + rows,
            **{"count": some, "from": begin, "horizon": horizon, "after": after, "place": place, "group": group},
            playout=playout,
            value=value,
            seed=signed(drawn),
            agent=agent,
        )
        sums += np.frombuffer(body, "<f8").reshape(rows, 2, q)
    total, squares = sums[:, 0], sums[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.maximum(0, squares - total**2 / count) / np.float64(count - 1)
    return Rollouts(total / count, np.sqrt(variance / count), count)
