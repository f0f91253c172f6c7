"""Derives seeds of episodes, children and draws by hashing."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, whole_from
from .arrays import Int32s

#: The engine's constant for the seed of the next episode (nextEpisodeSeed in engine/play/batch.ts).
_NEXT_EPISODE = 0x65706973
#: Makes the random numbers of expand() and rollouts() differ from those of episodes with the same seed.
_EXPANSION = 0x65787064


def _hash32(x: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Returns a hash of each integer, by the finalizer of MurmurHash3."""
    x = x.astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x85EBCA6B)
    x ^= x >> np.uint32(13)
    x *= np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))


def episode_seeds(seed: int, count: int) -> Int32s:
    """Returns the seeds of the first episodes of `count` slots, int32[count]: hashes of the seed and the slot.

    seed: 32 bits, signed or unsigned. Raises ValueError beyond.
    """
    return seeds_of(whole_from("seed", seed, *SEEDS), np.arange(count, dtype=np.uint32))


#: Kinds of calls that may draw without a seed. Each kind has its own counter, so that its calls do not affect others.
DRAWS = ("actions", "clones", "legal", "rollouts", "children")


class Draws:
    """Seeds for calls that are given no seed, so that runs can be repeated. They are derived from the seeds of the last
    reset of all games and the number of calls of the same kind since."""

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


def fresh_seed() -> int:
    """Returns a random 32-bit seed from the operating system."""
    return int.from_bytes(os.urandom(4), "little")


def _mixed(seeds: npt.NDArray[Any], numbers: npt.NDArray[Any]) -> Int32s:
    """Returns hashes of pairs of seeds and numbers, int32 of their broadcast shape. The same as the engine's
    hashSeed()."""
    with np.errstate(over="ignore"):
        start = _hash32(seeds.astype(np.uint32))
        both = _hash32(start + (numbers.astype(np.uint32) + np.uint32(1)) * np.uint32(0x9E3779B9))
        return _hash32(both + np.uint32(0x85EBCA6B)).view(np.int32)


def seeds_of(seed: int, slots: npt.NDArray[Any]) -> Int32s:
    """Returns seeds of slots, int32 of the shape of `slots`: hashes of a seed and the slots' numbers."""
    return _mixed(np.array([seed & 0xFFFFFFFF], np.uint32), slots)


def next_seeds(seeds: Int32s) -> Int32s:
    """Returns the seeds of the next episodes of games, int32[N], as the engine's automatic reset derives them."""
    return _mixed(seeds.view(np.uint32), np.array([_NEXT_EPISODE]))


def numbers_of(roots: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Returns for each entry the number of equal entries before it, int64[N]."""
    order = np.argsort(roots, kind="stable")
    listed = roots[order]
    first = np.flatnonzero(np.r_[True, listed[1:] != listed[:-1]])
    earlier = np.empty(len(roots), np.int64)
    earlier[order] = np.arange(len(roots)) - np.repeat(first, np.diff(np.r_[first, len(roots)]))
    return earlier


def siblings_of(episodes: Int32s, parents: npt.NDArray[Any]) -> Int32s:
    """Returns a seed for each child that is expanded further, int32[N]: a hash of its episode seed and its number among
    the children of its root.

    episodes: int32[N], episode seeds of the children. Children that share their parent's random numbers have equal
        episode seeds; their numbers make the results differ. parents: int[N], root of each child.
    """
    return _mixed(episodes.view(np.uint32), numbers_of(parents))


def chances_of(seed: int, episodes: Int32s, roots: npt.NDArray[Any], each: int, common: bool) -> Int32s:
    """Returns the seeds of the children of roots, `each` children per root: int32[roots * each].

    episodes: int32[roots], episode seed of each root. roots: rows of the roots; a root that is listed twice has
        2 * each joint actions. common: True gives all children of a root the same seed.

    A child's seed depends on `seed`, the root's episode seed and the number of the joint action, but neither on the row
    of the root nor on the other roots. It differs from all episode seeds, also from those of a batch with the same
    seed.
    """
    start = seeds_of(seed, np.array([_EXPANSION], np.uint32))
    starts = _mixed(start.view(np.uint32), np.ascontiguousarray(episodes).view(np.uint32))
    if common:
        return np.repeat(starts, each)
    number = numbers_of(roots)[:, None] * each + np.arange(each)
    return _mixed(starts.view(np.uint32)[:, None], number).reshape(-1)
