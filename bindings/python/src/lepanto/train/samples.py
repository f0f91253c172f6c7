"""Batches of recorded games for a graph net: positions, legal orders of all units, and the chosen orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict

import numpy as np
import numpy.typing as npt

from .model import phase_number

Array = npt.NDArray[Any]

#: Names of the dataset arrays that samples need.
ARRAYS = ("observation", "phase", "season", "returns", "actions", "legal_ids", "policy")


@dataclass
class Samples:
    """B positions and the legal orders of their M units. The lists of legal orders are concatenated; they have N orders
    in total. Units with a single legal order are left out."""

    boards: Array
    """u1[B, L, 35]: DipNet's boards."""
    phases: Array
    """int64[B]: phases as numbers of phase_number()."""
    shares: Array
    """f4[B, Q]: each power's share of the final score."""
    sample: Array
    """int64[N]: index of the position of each order."""
    ids: Array
    """int64[N]: legal orders as vocabulary ids."""
    starts: Array
    """int64[M + 1]: the legal orders of unit m are ids[starts[m] : starts[m + 1]]."""
    picks: Array
    """int64[M]: index of the recorded order in each unit's list."""
    policy: Array
    """f4[N]: probability that the teacher gave each order. 1 for the recorded order if the teacher did not say."""
    at: Array
    """int64[M]: index of the position of each unit."""
    power: Array
    """int64[M]: index of the power that orders each unit."""

    @property
    def group(self) -> Array:
        """int64[M]: group of each unit. Units of one power in one position have the same number."""
        groups: Array = self.at * self.shares.shape[1] + self.power
        return groups

    def __len__(self) -> int:
        return len(self.boards)


def read_samples(batch: Dict[str, Array]) -> Samples:
    """Converts a batch of lepanto.dataset with the arrays ARRAYS to samples."""
    actions = batch["actions"]
    row, power, slot = np.nonzero(actions >= 0)
    at = power * actions.shape[2] + slot
    first = batch["legal_offsets"][row, at]
    sizes = batch["legal_offsets"][row, at + 1] - first
    # Lists of one order are left out, because their choice is forced.
    kept = sizes > 1
    row, power, slot, first, sizes = row[kept], power[kept], slot[kept], first[kept], sizes[kept]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    index = np.repeat(np.arange(len(row)), sizes)
    place = np.arange(starts[-1]) - starts[index]
    return Samples(
        boards=batch["observation"],
        phases=phase_number(batch["phase"], batch["season"]),
        shares=batch["returns"],
        sample=row[index],
        ids=batch["legal_ids"][first[index] + place],
        starts=starts,
        policy=batch["policy"][first[index] + place],
        picks=actions[row, power, slot].astype(np.int64),
        at=row,
        power=power,
    )
