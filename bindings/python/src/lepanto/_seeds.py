"""Seeds of episodes: hashes of the seed of a run and of the slot of the batch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, whole_from
from .arrays import Int32s


def _hash32(x: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The finaliser of MurmurHash3 over uint32."""
    x = x.astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x85EBCA6B)
    x ^= x >> np.uint32(13)
    x *= np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))


def episode_seeds(seed: int, count: int) -> Int32s:
    """Seeds of the first episodes of `count` slots, int32[count]: a hash of the run's seed and of the slot.

    seed: 32 bits, signed or not. Raises ValueError for a seed of more.
    """
    return seeds_of(whole_from("seed", seed, *SEEDS), np.arange(count, dtype=np.uint32))


#: What is drawn where no seed is given: each kind counts for itself, so that one does not change another.
DRAWS = ("actions", "clones", "legal", "rollouts")


class Draws:
    """Seeds for what is drawn without one: they follow from the seeds of the last reset of all games, and from how often."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.counts = dict.fromkeys(DRAWS, 0)

    def copy(self) -> "Draws":
        other = Draws(self.start)
        other.counts = dict(self.counts)
        return other

    def next(self, kind: str) -> int:
        count = self.counts[kind]
        self.counts[kind] = count + 1
        tag = DRAWS.index(kind) * 0x9E3779B9
        return int(seeds_of((self.start + tag) & 0xFFFFFFFF, np.array([count], np.uint32))[0])


def seeds_of(seed: int, slots: npt.NDArray[np.uint32]) -> Int32s:
    with np.errstate(over="ignore"):
        start = _hash32(np.array([seed & 0xFFFFFFFF], np.uint32))
        mixed = _hash32(start + (slots + np.uint32(1)) * np.uint32(0x9E3779B9))
        return _hash32(mixed + np.uint32(0x85EBCA6B)).view(np.int32)
