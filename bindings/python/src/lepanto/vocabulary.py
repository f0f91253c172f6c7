"""The orders of a map, numbered: what policy heads choose from, decoded into arrays."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Union

import numpy as np

from .arrays import Bools, Int16s, Int32s, UInt8s

#: Names of the types of orders by their code.
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
    """The orders of another project by their ids there: DipNet's or dipcc's, of which the user has the file."""

    entries: Sequence[str]
    """By their id: texts with the letters and coasts of all units, "A PAR S A MAR - BUR"; builds of a turn in one
    entry, "A ANK B;F CON B"."""
    ids: Sequence[Sequence[int]]
    """By their id: vocabulary ids of its orders; () if one of them is no order of the map. Many entries may be one
    order here, where letters follow from the position; a "D" is a disband and a removal."""
    unmapped: Sequence[str]
    """Entries that do not map."""
    missing: Sequence[str]
    """Orders of the map without an entry, as text without letters."""

    def places(self, orders: Sequence[str]) -> Int32s:
        """int32[N]: their ids of orders as text with letters, as Batch.legal_as_text() has them; -1 for one without an
        entry."""
        known = {entry: place for place, entry in enumerate(self.entries)}
        return np.array([known.get(order, -1) for order in orders], np.int32)


class Vocabulary:
    """All orders that can ever be legal on a map (V = 15,776 on the standard one), by their ids 0 .. V - 1.

    The unit's type is left out: a move of an army and of a fleet is one order. Arrays cannot be written to.
    """

    def __init__(self, packed: Sequence[int], ask: Callable[..., Any]) -> None:
        self._packed = np.array(packed, np.int32)
        self._packed.flags.writeable = False
        self._ask = ask
        self._arrays: Dict[str, Any] = {}
        self._text: List[str] = []

    def __getstate__(self) -> Dict[str, Any]:
        # A copy has no engine to ask.
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
        """i4[V]: the orders as the engine packs them, ascending."""
        return self._packed

    @property
    def type(self) -> UInt8s:
        """u1[V]: place in ORDER_TYPES."""
        return self._field("type", np.uint8)  # type: ignore[no-any-return]

    @property
    def location(self) -> Int16s:
        """i2[V]: location of the ordered unit, of the new unit for a build; -1 for a waive."""
        return self._field("location", np.int16)  # type: ignore[no-any-return]

    @property
    def province(self) -> Int16s:
        """i2[V]: province of `location`; -1 for a waive."""
        return self._field("province", np.int16)  # type: ignore[no-any-return]

    @property
    def target(self) -> Int16s:
        """i2[V]: location that a move or retreat enters, province that a supported or convoyed move goes to, province
        of the unit that is supported to hold; else -1."""
        return self._field("target", np.int16)  # type: ignore[no-any-return]

    @property
    def helped(self) -> Int16s:
        """i2[V]: province of the unit that is supported or convoyed; else -1."""
        return self._field("helped", np.int16)  # type: ignore[no-any-return]

    @property
    def via(self) -> Bools:
        """bool[V]: moves that are to go by convoy (VIA)."""
        return self._field("via", np.bool_)  # type: ignore[no-any-return]

    @property
    def text(self) -> List[str]:
        """The orders as text, without the letters of the units: "PAR S MAR - BUR"."""
        if not self._text:
            self._text = self._ask(op="vocabulary")
        return self._text

    def mapped(self, path: Union[str, "os.PathLike[str]"], dipcc: bool = False) -> MappedVocabulary:
        """The orders of another project by their ids there.

        path: of its file: a list of texts as JSON or one to a line (DipNet's order vocabulary), or lists by unit
            (dipcc's order_vocab_by_unit.json). dipcc: True puts lists by unit in the order that dipcc makes of them.
            Raises LepantoError for a file that is none.
        """
        return MappedVocabulary(**self._ask(op="map_vocabulary", text=Path(path).read_text("utf-8"), dipcc=dipcc))
