"""Vocabulary: all orders of a map, numbered for policy heads and decoded into arrays."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Union

import numpy as np

from .arrays import Bools, Int16s, Int32s, UInt8s

#: Names of the types of orders, indexed by the codes in Vocabulary.type.
ORDER_TYPES = (
    "none",
    "hold",
    "move",
    "retreat",
    "support hold",
    "support move",
    "disband",
    "rail",
    "convoy",
    "build army",
    "build fleet",
    "remove",
    "waive",
)


@dataclass(frozen=True)
class MappedVocabulary:
    """Order vocabulary of another project (DipNet or dipcc), mapped to the vocabulary of a map. An entry's id is its
    index in `entries`."""

    entries: Sequence[str]
    """Text of each entry, with unit types and coasts, "A PAR S A MAR - BUR"; several builds may form one entry, "A ANK
    B;F CON B"."""
    ids: Sequence[Sequence[int]]
    """Vocabulary ids of each entry's orders; () if the map does not have one of these. Several entries may have the
    same ids, because vocabulary ids leave out unit types. A "D" maps to a disband and a removal."""
    unmapped: Sequence[str]
    """Texts of the entries without ids."""
    missing: Sequence[str]
    """Orders of the map without an entry, as text without unit types."""

    def places(self, orders: Sequence[str]) -> Int32s:
        """Returns the index of the entry of each order, int32[N]; -1 if there is none. orders: texts with unit types,
        as from Batch.legal_as_text()."""
        known = {entry: place for place, entry in enumerate(self.entries)}
        return np.array([known.get(order, -1) for order in orders], np.int32)


class Vocabulary:
    """All orders that can ever be legal on a map, with ids 0 .. V - 1 (V = 15,776 on the standard map).

    Orders have no unit type: the same move of an army and of a fleet is one order. The arrays are read-only.
    """

    def __init__(self, packed: Sequence[int], ask: Callable[..., Any]) -> None:
        self._packed = np.array(packed, np.int32)
        self._packed.flags.writeable = False
        self._ask = ask
        self._arrays: Dict[str, Any] = {}
        self._text: List[str] = []

    def __getstate__(self) -> Dict[str, Any]:
        # A copy has no engine, so it takes all fields along.
        self._field("type", np.uint8)
        return {"_packed": self._packed, "_ask": None, "_arrays": self._arrays, "_text": self.text}

    def __len__(self) -> int:
        return len(self._packed)

    def __repr__(self) -> str:
        return f"<lepanto.Vocabulary: {len(self)} orders>"

    def _field(self, name: str, dtype: Any) -> Any:
        if not self._arrays:
            self._arrays = self._ask(op="fields")
        if not isinstance(self._arrays[name], np.ndarray):
            array = np.array(self._arrays[name], dtype)
            array.flags.writeable = False
            self._arrays[name] = array
        return self._arrays[name]

    @property
    def packed(self) -> Int32s:
        """i4[V]: orders in the engine's packed encoding, ascending."""
        return self._packed

    @property
    def type(self) -> UInt8s:
        """u1[V]: type of each order, an index into ORDER_TYPES."""
        return self._field("type", np.uint8)  # type: ignore[no-any-return]

    @property
    def location(self) -> Int16s:
        """i2[V]: location of the ordered unit, or of the new unit of a build; -1 for a waive."""
        return self._field("location", np.int16)  # type: ignore[no-any-return]

    @property
    def province(self) -> Int16s:
        """i2[V]: province of the ordered unit, or of the new unit of a build; -1 for a waive."""
        return self._field("province", np.int16)  # type: ignore[no-any-return]

    @property
    def target(self) -> Int16s:
        """i2[V]: destination location of a move or retreat; destination province of a supported or convoyed move;
        province of a unit supported to hold; -1 for other orders."""
        return self._field("target", np.int16)  # type: ignore[no-any-return]

    @property
    def helped(self) -> Int16s:
        """i2[V]: province of the supported or convoyed unit; -1 for other orders."""
        return self._field("helped", np.int16)  # type: ignore[no-any-return]

    @property
    def via(self) -> Bools:
        """bool[V]: True for moves by convoy (VIA)."""
        return self._field("via", np.bool_)  # type: ignore[no-any-return]

    @property
    def text(self) -> List[str]:
        """Text of each order, without unit types: "PAR S MAR - BUR"."""
        if not self._text:
            self._text = self._ask(op="vocabulary")
        return self._text

    def mapped(self, path: Union[str, "os.PathLike[str]"], dipcc: bool = False) -> MappedVocabulary:
        """Maps the order vocabulary of another project to this one.

        path: file of the vocabulary: texts as a JSON list or one per line (DipNet), or lists by unit (dipcc's
            order_vocab_by_unit.json).
        dipcc: True numbers lists by unit as dipcc does.

        Raises LepantoError for a file in another format.
        """
        return MappedVocabulary(**self._ask(op="map_vocabulary", text=Path(path).read_text("utf-8"), dipcc=dipcc))
