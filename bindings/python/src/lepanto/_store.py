"""Maps folders of tensors into memory and reads positions from them as arrays."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ._cache import Folder
from ._server import LepantoError
from .arrays import Int64s
from .vocabulary import Vocabulary

Array = npt.NDArray[Any]
Samples = Dict[str, Array]

#: Kind of a position after the end of a game in phases.npy.
_GAME_OVER = 3
#: Size of the header of a table, in bytes.
_HEAD = 2048
#: Columns of orders.npy that are not observations.
_NO_VIEWS = (
    "values targeted build_numbers center_counts orderable order_ids actions list_sizes results fates fill".split()
)


class Shard(NamedTuple):
    """Tables of one part of a folder, as read-only structured arrays over the mapped files. Their columns
    (`shard.orders["order_ids"]`) and slices are views. G games, R positions; Q and U as in Dataset."""

    games: Array
    """[G]: scores f4[lepanto.SCORES, Q]; file and agents: indices into the lists of the folder's index; number i4: the
    game's number in the run; winner i1."""
    phases: Array
    """[R]: game i4 (row in games), phase_index, legal i4 (start of its orders in `legal`), year, season, phase,
    order_counts. The last position of a game, after its end, has phase 3 and no orders."""
    orders: Array
    """[R]: orderable, order_ids, actions, list_sizes (length of the legal list of each slot), results, fates,
    build_numbers, center_counts, values, targeted, and the observations. Boards are packed as bits, see
    Dataset.unpacked()."""
    legal: Array
    """i2 or i4: vocabulary ids of the legal orders of all positions, ordered by position, power and slot."""
    policy: Optional[Array]
    """f4, parallel to legal: the agents' policy targets. None if no agent of these games recorded any."""


def _check_file(path: Path, size: int, changed: str, crc: int) -> None:
    """Checks that a file is the one that was written. Reads its bytes only if its modification time has changed.

    size: in bytes. changed: modification time in nanoseconds. crc: CRC-32 of the bytes after the header, then the
        header.

    Raises ValueError if the file is missing or differs.
    """
    try:
        stat = path.stat()
    except FileNotFoundError:
        raise ValueError(
            f"{path}: got no such file, wanted the tensors that the index of its directory names"
        ) from None
    if stat.st_size != size:
        raise ValueError(
            f"{path}: got {stat.st_size} bytes, wanted {size}: remove {path.parent} to have it written again"
        )
    if str(stat.st_mtime_ns) == changed:
        return
    data = path.read_bytes()
    if zlib.crc32(data[:_HEAD], zlib.crc32(data[_HEAD:])) != crc:
        raise ValueError(f"{path}: got other bytes than were written: remove {path.parent} to have it written again")


class Store:
    """All positions of some folders, in the order of the folders. G games, R positions, Q powers.

    Positions of a game are adjacent; the last one is the position after its end, without orders.
    """

    def __init__(self, folders: Sequence[Folder], score: str) -> None:
        self._folders = list(folders)
        self._score = score
        first = self._folders[0].facts
        for path, index, _ in self._folders:
            if index["map"]["id"] != first["map"]["id"]:
                names = first["map"]["name"], index["map"]["name"]
                raise LepantoError(f"paths: got games on the maps {' and '.join(names)}, wanted one map for all")
            if (
                index["packed"] != first["packed"]
                or index["options"]["observations"] != first["options"]["observations"]
            ):
                raise LepantoError(f"paths: got {path} with other observations, wanted the same for all")
        self.map: Mapping[str, Any] = first["map"]
        #: Shape and type of the observations that are packed as bits, keyed by name.
        self.packed: Mapping[str, Any] = first["packed"]
        self.agents: List[str] = sorted({name for _, index, _ in self._folders for name in index["agents"]})
        self.files: List[str] = list(
            dict.fromkeys(_at(base, name) for _, index, base in self._folders for name in index["files"])
        )
        #: Tables of all parts, in the order of `starts`.
        self.shards: List[Shard] = []
        phases, games = self._map(score)
        #: Names of the observations that the folders have.
        self.views = [name for name in self.columns.names or () if name not in _NO_VIEWS]
        self.has_policies = any(shard.policy is not None for shard in self.shards)
        #: Vocabulary of the map, computed at the first use.
        self.vocabulary: Optional[Vocabulary] = None
        #: int64[shards + 1]: number of the first position of each shard, then the number of all positions.
        self.starts: Int64s = np.cumsum([0, *map(len, phases)])
        #: Structure[R]: game, phase_index, legal, year, season, phase, order_counts.
        self.phases: Array = phases[0] if len(phases) == 1 else np.concatenate(phases)
        #: Structure[G]: file, number, agents, winner, returns.
        self.games: Array = np.concatenate(games)
        #: int64[G]: number of the position after the end of each game.
        self.ends: Int64s = np.flatnonzero(self.phases["phase"] == _GAME_OVER)

    def _map(self, score: str) -> Tuple[List[Array], List[Array]]:
        """Maps the files of all parts into memory. Returns the tables of positions and of games, one of each per part,
        with games, files and agents numbered over all folders.

        score: scoring system of the column `returns`. Raises LepantoError if there are no games, ValueError if a file
            is missing or has changed.
        """
        phases, games = [], []
        count = 0
        file_of = {name: i for i, name in enumerate(self.files)}
        for folder, index, base in self._folders:
            place = index["scores"].index(score)
            for note in index["parts"]:
                path = folder / note["name"]
                for name, (size, changed, crc) in note["files"].items():
                    _check_file(path / name, size, changed, crc)
                tables = {name[:-4]: np.asarray(np.load(path / name, mmap_mode="r")) for name in note["files"]}
                rows, own, orders = tables["games"], tables["phases"], tables["orders"]
                self.shards.append(Shard(rows, own, orders, tables["legal"], tables.get("policy")))
                #: Type of the rows of orders.npy.
                self.columns: np.dtype[Any] = orders.dtype
                if count:
                    own = own.copy()
                    own["game"] += count
                phases.append(own)
                games.append(self._games(rows, note, file_of, base, place))
                count += note["games"]
        if not phases:
            raise LepantoError(f"paths: got no games in {', '.join(self.files)}, wanted some")
        return phases, games

    def _games(self, rows: Array, note: Mapping[str, Any], file_of: Mapping[str, int], base: str, place: int) -> Array:
        """Returns the games of a part as a structured array [G], with files and agents numbered over all folders.

        rows: table games.npy of the part. note: entry of the part in the index. file_of: number of each file, keyed by
            path. base: directory that paths in the index are relative to. place: index of the score of `returns`.
        """
        q = len(self.map["powers"])
        found = np.empty(
            len(rows), [("file", "i4"), ("number", "i4"), ("agents", "i2", q), ("winner", "i1"), ("returns", "f4", q)]
        )
        files = np.array([file_of[_at(base, name)] for name in note["paths"]] + [-1])
        agents = np.array([self.agents.index(name) for name in note["agents"]] + [-1])
        found["file"], found["agents"] = files[rows["file"]], agents[rows["agents"]]
        found["number"], found["winner"], found["returns"] = rows["number"], rows["winner"], rows["scores"][:, place]
        return found

    def __reduce__(self) -> Any:
        return Store, (self._folders, self._score)

    # ---- positions ----

    def orders(self, rows: Int64s) -> Array:
        """Returns copies of the rows of orders.npy for some positions. rows: int64[N], numbers of the positions over
        all folders."""
        size = self.columns.itemsize
        out = np.empty((len(rows), size), np.uint8)
        shard = self.shard_of(rows)
        order = np.argsort(shard, kind="stable")
        bounds = np.flatnonzero(np.diff(shard[order], prepend=-1, append=-1))
        for begin, end in zip(bounds[:-1], bounds[1:]):
            to = order[begin:end]
            number = shard[to[0]]
            # Rows are copied as bytes, because numpy copies structures field by field, which takes longer.
            out[to] = self.shards[number].orders.view(np.uint8).reshape(-1, size)[rows[to] - self.starts[number]]
        return out.view(self.columns)[:, 0]

    def shard_of(self, rows: Int64s) -> Int64s:
        """Returns the number of the shard of each position, int64[N]. rows: numbers of the positions over all
        folders."""
        return np.searchsorted(self.starts, rows, side="right") - 1

    def view(self, orders: Array, name: str) -> Array:
        """Returns an observation, unpacked if it is stored as bits. orders: rows of orders.npy. name: of the
        observation."""
        stored = np.ascontiguousarray(orders[name])
        return self.unpacked(stored, name) if name in self.packed else stored

    def unpacked(self, stored: Array, name: str) -> Array:
        """Unpacks an observation stored as bits along the last axis. Returns it in its original shape and type."""
        shape, dtype = self.packed[name]["shape"], self.packed[name]["dtype"]
        bits = np.unpackbits(stored, axis=-1, count=int(np.prod(shape)))
        return bits.reshape(*stored.shape[:-1], *shape).astype(dtype, copy=False)

    def lists(self, rows: Int64s, begins: Int64s, sizes: Int64s, name: str) -> List[Array]:
        """Returns a part of legal.npy (name "legal") or of policy.npy (name "policy"; zeros if missing) for each
        position.

        rows: numbers of the positions over all folders. begins, sizes: start and length of each part in the table of
            its shard.
        """
        found: List[Array] = []
        for shard, begin, size in zip(self.shard_of(rows).tolist(), begins.tolist(), sizes.tolist()):
            table: Optional[Array] = getattr(self.shards[shard], name)
            found.append(np.zeros(size, np.float32) if table is None else table[begin : begin + size])
        return found


def _at(base: str, name: str) -> str:
    """Returns the path of a game file that an index names. base: directory that `name` is relative to."""
    return os.path.normpath(os.path.join(base, name))
