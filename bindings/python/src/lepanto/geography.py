"""What a net must know of a map: rows and columns of observations, and where units can move."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional

import numpy as np

from .arrays import Bools, Int64s, NoSuchArray


class Adjacency(NamedTuple):
    """Where units can move without a convoy, by location as `locations` names them: from the first axis to the
    second."""

    armies: Bools
    """bool[L, L]"""
    fleets: Bools
    """bool[L, L]: between coasts where a province has some."""


class Geography:
    """Facts of the map of a batch or a dataset. Locations are in the map's order, rows of observations in another."""

    def _map_facts(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def _observed(self) -> Optional[str]:
        """Kind of observations; None for none."""
        raise NotImplementedError

    def _kind(self) -> str:
        kind = self._observed()
        if kind is None:
            raise NoSuchArray("rows: got observations=None, wanted a kind of observations")
        return kind

    @property
    def rows(self) -> Int64s:
        """i8[L]: the row of `observation`, and of `previous_orders`, of each location. `locations`, `orderable` and the
        vocabulary number locations as the map does; the rows are DipNet's (north to south and by hand) or DeepMind's:
        `observation[:, rows]` has the map's order, `observation[:, rows[vocabulary.location]]` the unit of each
        order."""
        rows = self._map_facts()["rows"]
        return np.array(rows["deepmind" if self._kind() == "deepmind" else "dipnet"], np.int64)

    @property
    def columns(self) -> List[str]:
        """Names of the columns of `observation`: 35 on the standard map, 38 for "dipcc"."""
        facts, kind = self._map_facts(), self._kind()
        names: List[str] = facts["columns"]["deepmind" if kind == "deepmind" else "dipnet"]
        if kind != "dipcc":
            return list(names)
        absent = ("no unit", "unit of nobody", "none dislodged", "dislodged of nobody")
        return [name for name in names if name not in absent] + [f"home of {power}" for power in facts["powers"]]

    @property
    def order_columns(self) -> List[str]:
        """Names of the columns of `previous_orders`: 40 on the standard map."""
        return list(self._map_facts()["order_columns"])

    @property
    def adjacency(self) -> Adjacency:
        """Where armies and fleets can move: bool[L, L] each."""
        facts = self._map_facts()
        size = len(facts["locations"])
        found = np.zeros((2, size, size), np.bool_)
        for kind, moves in enumerate((facts["moves"]["army"], facts["moves"]["fleet"])):
            found[(kind, *np.array(moves, np.int64).T)] = True
        return Adjacency(found[0], found[1])
