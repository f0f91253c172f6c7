"""Recorded games as batches for learning, from arrays that are mapped into memory: what `lepanto tensors` writes.

    lepanto tensors runs/policy --out tensors          # once

    from lepanto.tensors import Tensors

    for batch in Tensors("tensors", batch_size=256):
        batch["observation"], batch["legal_ids"], batch["actions"], batch["returns"]

The batches are those of lepanto.dataset.Dataset: the same names, types and shapes. Nothing is replayed or encoded, and no
engine runs: an epoch goes as fast as memory is copied. `lepanto.dataset.padded` takes them too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, whole_from
from .dataset import _Epochs, Samples

Array = npt.NDArray[Any]

_OFFSETS = "legal_offsets"


def _read_index(folder: Path) -> Dict[str, Any]:
    path = folder / "index.json"
    try:
        index = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"tensors: got {folder}, wanted a folder that `lepanto tensors` has written ({error})") from None
    if not isinstance(index, dict) or index.get("format") != "lepanto-tensors" or index.get("version") != 2:
        raise ValueError(f"tensors: got {path} of another format, wanted lepanto-tensors, version 2")
    if index.get("parts") is None:
        raise ValueError(f"tensors: got {folder}, which is not whole, wanted the same `lepanto tensors` command to end")
    return index


class Tensors(_Epochs):
    """Samples of recorded games, batch by batch, from a folder of `lepanto tensors`; each pass over it is an epoch.

    The arrays of a batch are those of lepanto.dataset.Dataset with the encoder, `per`, score and targets that the folder was
    written with, and are your own.

    Parameters
    ----------
    folder: what `lepanto tensors RUN... --out FOLDER` has written.
    batch_size: samples of a batch.
    shuffle: games whose samples are shuffled together, rounded up to whole parts of the folder (256 games each unless it
        was told otherwise); 0: everything in the order of the files. The parts are put in a random order by `seed` and
        epoch. A larger window mixes better; one that the memory of the machine holds is read from the disk once.
    seed: of the order. 32 bits, signed or not.
    shard: (i, n): every n-th part from the i-th on, for n processes that share the games.
    drop_last: leaves out a last batch of fewer than batch_size.

    Raises ValueError for a folder that is none, or not whole yet.
    """

    _MOST = 2**53

    def __init__(
        self,
        folder: Union[str, "os.PathLike[str]"],
        batch_size: int = 256,
        *,
        shuffle: int = 1024,
        seed: int = 0,
        shard: Tuple[int, int] = (0, 1),
        drop_last: bool = False,
    ) -> None:
        self._folder = Path(folder)
        self._info = _read_index(self._folder)
        self.batch_size: int = whole_from("batch_size", batch_size, 1, 1 << 20)
        self.drop_last = bool(drop_last)
        self._shuffle = whole_from("shuffle", shuffle, 0, 1 << 24)
        self._seed = whole_from("seed", seed, *SEEDS) & 0xFFFF_FFFF
        count = whole_from("shard", shard[1], 1, 1 << 20)
        self._shard = (whole_from("shard", shard[0], 0, count - 1), count)
        self._parts: Dict[int, Dict[str, Array]] = {}
        #: Epoch and sample: where the next pass begins, and how far the current one is.
        self._start = self._position = (0, 0)

    # ---- what there is ----

    @property
    def info(self) -> Mapping[str, Any]:
        """The index of the folder: `map`, `options`, `files`, `agents`, `games`, `parts`."""
        return self._info

    @property
    def num_samples(self) -> int:
        """Samples of an epoch of this shard."""
        return sum(self._count(part) for part in self._own())

    @property
    def files(self) -> List[str]:
        """Paths of the files that the games were read from, by the numbers in `file`."""
        return [path for path, _ in self.info["files"]]

    def _own(self) -> List[int]:
        first, step = self._shard
        return list(range(first, len(self.info["parts"]), step))

    def _count(self, part: int) -> int:
        return int(self.info["parts"][part]["samples"])

    def part_arrays(self, part: int) -> Mapping[str, Array]:
        """The arrays of a part by name, mapped and not to be written: all its samples in the order of the games."""
        if part not in self._parts:
            note = self.info["parts"][part]
            folder = self._folder / note["name"]
            arrays = {path.stem: np.asarray(np.load(path, mmap_mode="r")) for path in sorted(folder.glob("*.npy"))}
            for name, array in arrays.items():
                wanted = note["legal_ids"] if name in self.info["lists"] else note["samples"]
                if len(array) != wanted:
                    raise ValueError(f"{folder / name}.npy: got {len(array)} rows, wanted {wanted}")
            if _OFFSETS not in arrays:
                raise ValueError(f"tensors: got no {folder / _OFFSETS}.npy, wanted the arrays of the part")
            self._parts[part] = arrays
        return self._parts[part]

    # ---- batches ----

    def _windows(self, epoch: int) -> List[List[int]]:
        """Parts that are shuffled together, in the order in which they are read."""
        parts = self._own()
        if not self._shuffle:
            return [[part] for part in parts]
        order = np.random.default_rng([self._seed, epoch]).permutation(len(parts))
        together = max(1, -(-self._shuffle // int(self.info["part_games"])))
        return [[parts[i] for i in order[first : first + together]] for first in range(0, len(parts), together)]

    def _order(self, epoch: int, window: int, count: int) -> Array:
        if not self._shuffle:
            return np.arange(count)
        return np.random.default_rng([self._seed, epoch, window + 1]).permutation(count)

    def _pieces(self, epoch: int, skip: int) -> Iterator[Tuple[Array, Array]]:
        """The samples of an epoch behind the first `skip`, window by window: their parts, and their rows in these."""
        for window, parts in enumerate(self._windows(epoch)):
            counts = [self._count(part) for part in parts]
            total = sum(counts)
            if skip >= total:
                skip -= total
                continue
            places = self._order(epoch, window, total)[skip:]
            skip = 0
            starts = np.concatenate([[0], np.cumsum(counts)])
            which = np.searchsorted(starts, places, side="right") - 1
            yield np.asarray(parts)[which], places - starts[which]

    def _gather(self, parts: Array, rows: Array) -> Samples:
        """A batch of these rows of these parts."""
        order = np.lexsort((rows, parts))
        bounds = np.flatnonzero(np.diff(parts[order], prepend=-1, append=-1))
        batch: Samples = {}
        lists: Dict[str, List[Array]] = {name: [] for name in self.info["lists"]}
        lengths = np.zeros(len(rows), np.int64)
        for begin, end in zip(bounds[:-1], bounds[1:]):
            to = order[begin:end]
            chosen = rows[to]
            arrays = self.part_arrays(int(parts[to[0]]))
            for name, array in arrays.items():
                if name in lists:
                    continue
                if name not in batch:
                    batch[name] = np.empty((len(rows), *array.shape[1:]), array.dtype)
                batch[name][to] = array[chosen]
            offsets = batch[_OFFSETS][to]
            lengths[to] = sizes = offsets[:, -1] - offsets[:, 0]
            index = np.repeat(offsets[:, 0] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
            for name, found in lists.items():
                found.append(arrays[name][index])
        # Lists come sorted by part and row; they go where their samples are.
        ends = np.cumsum(lengths)
        offsets = batch[_OFFSETS]
        offsets += (ends - lengths - offsets[:, 0]).astype(np.int32)[:, None]
        sizes = lengths[order]
        target = np.repeat(ends[order] - sizes, sizes) + np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        for name, found in lists.items():
            batch[name] = np.empty(len(target), found[0].dtype)
            batch[name][target] = np.concatenate(found)
        return batch

    def __iter__(self) -> Iterator[Samples]:
        """One epoch, from its beginning or from where load_state_dict() says. The next pass is the next epoch."""
        epoch, at = self._start
        self._start = (epoch + 1, 0)
        self._position = (epoch, at)
        end_of_epoch = self.num_samples
        waiting: List[Tuple[Array, Array]] = []
        held = 0
        for parts, rows in self._pieces(epoch, at):
            first = 0
            while first < len(rows):
                end = min(len(rows), first + self.batch_size - held)
                waiting.append((parts[first:end], rows[first:end]))
                held += end - first
                first = end
                if held < self.batch_size:
                    break
                at += held
                self._position = (epoch, at) if at < end_of_epoch else self._start
                yield self._gather(*(np.concatenate(one) for one in zip(*waiting)))
                waiting, held = [], 0
        self._position = self._start
        if held and not self.drop_last:
            yield self._gather(*(np.concatenate(one) for one in zip(*waiting)))

    # ---- position ----

    def _course(self) -> Dict[str, Any]:
        samples = [int(part["samples"]) for part in self.info["parts"]]
        return {"seed": self._seed, "shuffle": self._shuffle, "shard": list(self._shard), "samples": samples}

    # ---- other libraries ----

    def part(self, index: int, count: int) -> "Tensors":
        """The index-th of `count` shares of these tensors: of its shard every count-th part."""
        first, step = self._shard
        shard = (first + step * whole_from("index", index, 0, count - 1), step * count)
        return Tensors(
            self._folder, self.batch_size, shuffle=self._shuffle, seed=self._seed, shard=shard, drop_last=self.drop_last
        )

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_parts": {}}

    def __repr__(self) -> str:
        return f"<lepanto.tensors.Tensors: {self._folder}, {self.batch_size} samples a batch>"
