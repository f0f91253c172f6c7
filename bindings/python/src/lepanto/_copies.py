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
#: Header of saved games after MAGIC: version, number of arrays, id of the map, id of the rules, number of games.
HEAD = "<HHIIi"


class Copies(Games):
    #: Parameters of Batch, to make a copy of it when it is unpickled.
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
        """Writes games to slots of the batch. If the engine refuses one of them or the call is interrupted, restores
        all slots and raises the error.

        index: slots, int[N]. arrays: keyed by name, with one row per slot. seeds: int32[N], seeds of new random
            streams; None: the streams are among the arrays.
        """
        before = {name: self._rows[name][index] for name in arrays}
        # The engine clears these arrays when it loads a game.
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
        """Copies games to other slots.

        source: one game, or one for each target. target: slots to overwrite.
        seeds: seeds of the copies' random streams. None: a new seed for each copy, so that copies play independently;
            it depends on the seeds of the last reset of all games, on the slot, and on the number of clone() calls
            since that reset. One integer: seeds are derived from it and the slots. An array: one seed for each target.
            "same": the random streams of the source, so that all copies draw the same numbers. Use this to compare
            with common random numbers, never to estimate means and their errors.

        Raises ValueError if the number of sources is neither 1 nor the number of targets.
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
            # An interrupted call consumes no random numbers, so repeating it gives the same result.
            self._draws = draws
            raise

    @staticmethod
    def _is_same(seeds: Any) -> bool:
        if isinstance(seeds, str) and seeds != "same":
            raise ValueError(f'seeds: got {seeds!r}, wanted "same", None or whole numbers')
        return isinstance(seeds, str)

    def _seeds_of(self, kind: str, seeds: Any, index: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns seeds of slots, int32[N]: the given array, or seeds derived from one seed and the slots.

        kind: name of the counter of Draws that is used if `seeds` is None. index: slots, int[N]. Raises ValueError for
            a seed beyond 32 bits or another number of seeds.
        """
        if seeds is None or np.ndim(seeds) == 0:
            start = self._draws.next(kind) if seeds is None else whole_from("seeds", seeds, *SEEDS)
            return seeds_of(start, index.astype(np.uint32))
        return seeds_array("seeds", seeds, (len(index),))

    @alone
    def reseed(
        self, games: Optional[Indices] = None, seeds: Union[None, int, Sequence[int], npt.NDArray[Any]] = None
    ) -> None:
        """Gives games new random seeds, for their random streams and the choices of agents. Positions do not change.

        games: games to reseed; None: all. seeds: as for clone(), except "same". Raises ValueError for a seed beyond 32
            bits or another number of seeds.
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
        """Returns the ids of the map and of the rules that saved games carry: unsigned hashes of 32 bits."""
        info = self._server.info
        return info["map"]["id"] & 0xFFFFFFFF, info["rules"]["id"] & 0xFFFFFFFF

    @alone
    def save(self, games: Optional[Indices] = None) -> bytes:
        """Returns games as bytes for load(): their positions, seeds and random streams.

        games: games to save; None: all.
        """
        self._ready()
        index = np.arange(self.num_games) if games is None else self._index(games)
        return b"".join(
            part for name, head in self._save_heads(len(index)) for part in (head, self._rows[name][index].tobytes())
        )

    def _save_heads(self, count: int) -> List[Tuple[str, bytes]]:
        """Returns the names of the arrays of saved games, in the order in which they are saved, each with the bytes
        that precede its data.

        count: number of games.
        """
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
        """Restores saved games. Checks every position.

        data: bytes of save(). games: slots to overwrite, one for each saved game; None: the first ones.

        The rules of the batch may differ from those of the saved games in how they read orders and end games, but not
        in adjudication. Raises ValueError for damaged data or another map, rules or number of games; LepantoError for
        an impossible position. No slot changes then.
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
            # The games were saved under rules without longGameDraw. 0 starts counting the years now.
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
                raise ValueError(f"saved games at offset {at}: got a truncated or damaged head of an array") from None
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
        """Replaces a game by a position and discards its history. Its random streams are kept.

        game: index of the game. position: phase, units, centers and retreats, as returned by position().

        Raises IndexError for an unknown game, LepantoError for an impossible position.
        """
        self._changes("set_position")
        self._ready()
        row = self._game(game)
        arrays: Dict[str, Any] = {name: 0 for name in self._kept() if name not in ("streams", "episode_seed")}
        arrays["state"] = self._server.ask(op="read_position", position=dict(position))
        self._put(np.array([row]), arrays)
