"""What the skins share: legal lists as masks, and any number as an action."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._checks import whole_array
from .arrays import NO_ORDER
from .batch import Batch

#: Entries of the mask of one slot; of longer legal lists the skins offer the first ones.
MAX_CHOICES = 512


def choices(batch: Batch, choices_max: int, power: slice) -> np.ndarray:
    """Legal actions of each slot, at most `choices_max`: int32[G, powers of the slice, U]."""
    offsets = batch.legal_offsets
    n = np.diff(offsets, axis=1).reshape(len(batch), len(batch.powers), batch.max_orders)[:, power]
    return np.minimum(n, choices_max)


def masks(counts: np.ndarray, choices_max: int) -> np.ndarray:
    """int8[..., U, choices_max]: 1 for each legal action. A slot that is not in use has the one padding action 0."""
    return (np.arange(choices_max) < np.maximum(counts, 1)[..., None]).astype(np.int8)


def fold(actions: Any, counts: np.ndarray, illegal: str) -> np.ndarray:
    """Actions for Batch.step(): -1 where no slot is in use; others modulo the length of the list, if so wanted."""
    given = whole_array("actions", actions)
    if illegal == "modulo":
        given = given % np.maximum(counts, 1)
    return np.where(counts > 0, given, NO_ORDER)


def play(batch: Batch, joint: np.ndarray, illegal: str) -> None:
    """Steps. With illegal="modulo" the second of two builds in one centre, or removals of one unit, is no order."""
    if illegal == "modulo":
        joint = batch.without_repeats(joint)
    batch.step(joint)


def check_illegal(illegal: str) -> str:
    if illegal not in ("modulo", "raise"):
        raise ValueError(f'illegal: got {illegal!r}, wanted "modulo" or "raise"')
    return illegal
