"""What the skins share: legal lists as masks, and any number as an action."""

from __future__ import annotations

import numpy as np

from .batch import NO_ORDER, Batch

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


def fold(actions: np.ndarray, counts: np.ndarray, illegal: str) -> np.ndarray:
    """Actions for Batch.step(): -1 where no slot is in use; others modulo the length of the list, if so wanted."""
    given = np.asarray(actions).astype(np.int64)
    if illegal == "modulo":
        given = given % np.maximum(counts, 1)
    return np.where(counts > 0, given, NO_ORDER).astype(np.int32)


def check_illegal(illegal: str) -> str:
    if illegal not in ("modulo", "raise"):
        raise ValueError(f'illegal: got {illegal!r}, wanted "modulo" or "raise"')
    return illegal
