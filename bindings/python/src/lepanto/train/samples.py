"""Recorded games as batches for a graph net: positions, the legal lists of all units, and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict

import numpy as np
import numpy.typing as npt

from .model import phase_number

Array = npt.NDArray[Any]

#: Arrays of a dataset that samples are made of.
ARRAYS = ("observation", "phase", "season", "returns", "actions", "legal_ids", "policy")


@dataclass
class Samples:
    """B positions, with the legal orders of M units one list behind the other, N orders in all."""

    boards: Array
    """u1[B, L, 35], DipNet's."""
    phases: Array
    """int64[B], phase_number()."""
    shares: Array
    """f4[B, Q]: the share of the score that each power had at the end."""
    sample: Array
    """int64[N]: the position of each order."""
    ids: Array
    """int64[N]: orders as vocabulary ids."""
    starts: Array
    """int64[M + 1]: list m is ids[starts[m] : starts[m + 1]]."""
    picks: Array
    """int64[M]: place of the order that was given in each list."""
    policy: Array
    """f4[N]: how likely the teacher was to give each order; 1 for the one that was given, where it did not say."""
    at: Array
    """int64[M]: the position of each unit."""
    power: Array
    """int64[M]: the power that orders each unit."""

    @property
    def group(self) -> Array:
        """int64[M]: a number for each power of each position."""
        groups: Array = self.at * self.shares.shape[1] + self.power
        return groups

    def __len__(self) -> int:
        return len(self.boards)


def read_samples(batch: Dict[str, Array]) -> Samples:
    """Samples of a batch of lepanto.dataset with ARRAYS."""
    actions = batch["actions"]
    row, power, slot = np.nonzero(actions >= 0)
    at = power * actions.shape[2] + slot
    first = batch["legal_offsets"][row, at]
    sizes = batch["legal_offsets"][row, at + 1] - first
    # A choice between one order and nothing teaches nothing.
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
