"""Copies of games: clones, bytes, pickles, and positions that a client writes."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, seeds_array, whole_from
from ._config import Indices
from ._games import Games
from ._seeds import seeds_of
from ._server import IllegalAction, LepantoError, alone

MAGIC = b"LEPB"
SAVE_VERSION = 1
#: Version, number of arrays, ids of the map and of the rules, number of games.
HEAD = "<HHIIi"


class Copies(Games):
    #: Parameters of Batch: a copy is made with the same ones.
    _options: Dict[str, Any]

    def _kept(self) -> List[str]:
        return [entry["name"] for entry in self._server.info["arrays"] if entry["kept"]]

    def _take_over(self, index: npt.NDArray[Any], seeds: Optional[npt.NDArray[Any]]) -> None:
        mask = np.zeros(self.num_games, bool)
        mask[index] = True
        self._mask(mask)
        if seeds is not None:
            self._rows["seeds"][index] = seeds
        try:
            self._server.call("load", fresh=int(seeds is not None))
        except IllegalAction as error:
            raise LepantoError(str(error)) from None
        self._stale = self._stale and not mask.all()

    def _write_rows(
        self, index: npt.NDArray[Any], arrays: Mapping[str, Any], seeds: Optional[npt.NDArray[Any]] = None
    ) -> None:
        for name, array in arrays.items():
            self._rows[name][index] = array
        self._take_over(index, seeds)

    def _put(
        self, index: npt.NDArray[Any], arrays: Mapping[str, Any], seeds: Optional[npt.NDArray[Any]] = None
    ) -> None:
        """Writes games to slots: all that belongs to them, or, if the engine refuses one or anything interrupts,
        nothing.

        seeds: of their streams from here on; None: the streams are among the arrays.
        """
        before = {name: self._rows[name][index] for name in arrays}
        # The engine clears these of a game that it takes over.
        outcome = {name: self._rows[name][index] for name in ("rewards", "returns", "terminated", "truncated")}
        try:
            self._write_rows(index, arrays, seeds)
        except BaseException as error:
            with self._server.last_chance(error):
                self._write_rows(index, before)
                for name, array in outcome.items():
                    self._rows[name][index] = array
            raise

    @alone
    def clone(
        self, source: Indices, target: Indices, seeds: Union[None, str, int, Sequence[int], npt.NDArray[Any]] = None
    ) -> None:
        """Copies games to other slots. source: one game, or one for each target.

        seeds: of the copies' chance from here on. None: each has a fresh one, which follows from the seeds of the last
            reset of all games, the slot, and how often clone() was called since, so that copies play independently. One
            for each target, or one to derive them from. "same": the random streams of the source, so that all copies
            draw alike: for comparisons with common random numbers, never for means and their errors.
        """
        self._changes("clone")
        self._ready()
        sources, targets = self._index(source), self._index(target)
        if len(sources) not in (1, len(targets)):
            raise ValueError(
                f"clone: got {len(sources)} sources for {len(targets)} targets, wanted 1 or {len(targets)}"
            )
        draws = self._draws.copy()
        try:
            drawn = None if self._is_same(seeds) else self._seeds_of("clones", seeds, targets)
            self._put(targets, {name: self._rows[name][sources] for name in self._kept()}, drawn)
        except BaseException:
            # What has not been done has drawn nothing: the same call then does what it would have done.
            self._draws = draws
            raise

    @staticmethod
    def _is_same(seeds: Any) -> bool:
        if isinstance(seeds, str) and seeds != "same":
            raise ValueError(f'seeds: got {seeds!r}, wanted "same", None or whole numbers')
        return isinstance(seeds, str)

    def _seeds_of(self, kind: str, seeds: Any, index: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Seeds of slots: those that are given, or derived from one by their slots."""
        if seeds is None or np.ndim(seeds) == 0:
            start = self._draws.next(kind) if seeds is None else whole_from("seeds", seeds, *SEEDS)
            return seeds_of(start, index.astype(np.uint32))
        return seeds_array("seeds", seeds, (len(index),))

    @alone
    def reseed(
        self, games: Optional[Indices] = None, seeds: Union[None, int, Sequence[int], npt.NDArray[Any]] = None
    ) -> None:
        """Lets the chance of games follow from other seeds from here on: random streams and choices of agents.
        Positions stay.

        games: None: all. seeds: as for clone(), but for "same".
        """
        self._changes("reseed")
        self._ready()
        index = np.arange(self.num_games) if games is None else self._index(games)
        drawn = self._seeds_of("clones", seeds, index)
        mask = np.zeros(self.num_games, bool)
        mask[index] = True
        self._mask(mask)
        self._rows["seeds"][index] = drawn
        self._server.call("reseed")

    def _ids(self) -> Tuple[int, int]:
        """Of the map and of the rules, as saved games have them: hashes of 32 bits."""
        info = self._server.info
        return info["map"]["id"] & 0xFFFFFFFF, info["rules"]["id"] & 0xFFFFFFFF

    @alone
    def save(self, games: Optional[Indices] = None) -> bytes:
        """Games as bytes: positions, seeds and random streams. None: all of them."""
        self._ready()
        index = np.arange(self.num_games) if games is None else self._index(games)
        return b"".join(
            part for name, head in self._save_heads(len(index)) for part in (head, self._rows[name][index].tobytes())
        )

    def _save_heads(self, count: int) -> List[Tuple[str, bytes]]:
        """Names of the arrays of saved games in their order, and the bytes that come before each."""
        names = self._kept()
        before = MAGIC + struct.pack(HEAD, SAVE_VERSION, len(names), *self._ids(), count)
        heads = []
        for name in names:
            size = count * self._rows[name][0].nbytes
            heads.append((name, before + struct.pack("<B", len(name)) + name.encode() + struct.pack("<I", size)))
            before = b""
        return heads

    @alone
    def load(self, data: bytes, games: Optional[Indices] = None) -> None:
        """Puts saved games into slots; None: the first ones. Every position is checked.

        The rules may read orders and end games otherwise than those by which the games were saved, but must adjudicate
        alike. Raises LepantoError or ValueError.
        """
        self._changes("load")
        self._ready()
        size = struct.calcsize(HEAD)
        if len(data) < 4 + size or data[:4] != MAGIC:
            raise ValueError(f"saved games: got {len(data)} bytes beginning {data[:4]!r}, wanted {MAGIC!r}")
        version, arrays, map_id, rules_id, count = struct.unpack_from(HEAD, data, 4)
        wanted_map, wanted_rules = self._ids()
        for what, got, wanted in (
            ("version", version, SAVE_VERSION),
            (f"id of map {self.map}", map_id, wanted_map),
            (f"id of rules {self.rules}", rules_id, wanted_rules),
        ):
            if got != wanted:
                raise ValueError(f"saved games, {what}: got {got}, wanted {wanted}")
        index = np.arange(count) if games is None else self._index(games)
        if len(index) != count or count > self.num_games:
            raise ValueError(f"saved games: got {count} for {len(index)} of {self.num_games} slots")
        loaded = self._read_saved(data, 4 + size, arrays, count)
        missing = [name for name in ("state", "streams", "episode_seed", "steps", "phases") if name not in loaded]
        if missing:
            raise ValueError(f"saved games: got no {missing[0]}")
        if "long_game" in self._kept() and "long_game" not in loaded:
            # Saved under rules without longGameDraw: with 0 the years are counted from here on.
            loaded["long_game"] = np.zeros_like(self._rows["long_game"][index])
        self._put(index, loaded)

    def _read_saved(self, data: bytes, at: int, arrays: int, count: int) -> Dict[str, npt.NDArray[Any]]:
        loaded: Dict[str, npt.NDArray[Any]] = {}
        kept = self._kept()
        for _ in range(arrays):
            try:
                length = data[at]
                name = data[at + 1 : at + 1 + length].decode()
                (size,) = struct.unpack_from("<I", data, at + 1 + length)
            except (IndexError, struct.error, UnicodeDecodeError):
                raise ValueError(f"saved games at offset {at}: got a cut or broken head of an array") from None
            at += 5 + length
            if at + size > len(data):
                raise ValueError(f"saved games at offset {at}: got {len(data) - at} bytes of {name}, wanted {size}")
            if name in kept:
                array = self._rows[name]
                wanted = count * array[0].nbytes
                if size != wanted:
                    raise ValueError(f"saved games, {name}: got {size} bytes, wanted {wanted}")
                loaded[name] = np.frombuffer(data, array.dtype, count * array[0].size, at).reshape(
                    (count,) + array.shape[1:]
                )
            at += size
        if at != len(data):
            raise ValueError(f"saved games at offset {at}: got {len(data) - at} bytes more than there are games")
        return loaded

    def __getstate__(self) -> Dict[str, Any]:
        self._ready()
        return {
            "options": self._options,
            "agents": list(self._agents),
            "seats": self._rows["seats"].copy(),
            "draws": self._draws.copy(),
            "games": self.save(),
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__init__(**state["options"])  # type: ignore[misc]
        for agent in state["agents"]:
            self._number_of(agent)
        self._rows["seats"][:] = state["seats"]
        self._draws = state["draws"].copy()
        self.load(state["games"])

    @alone
    def set_position(self, game: int, position: Mapping[str, Any]) -> None:
        """Puts a position of JSON (phase, units, centers, retreats) into a slot; its past is forgotten."""
        self._changes("set_position")
        self._ready()
        row = self._game(game)
        arrays: Dict[str, Any] = {name: 0 for name in self._kept() if name not in ("streams", "episode_seed")}
        arrays["state"] = self._server.ask(op="read_position", position=dict(position))
        self._put(np.array([row]), arrays)
