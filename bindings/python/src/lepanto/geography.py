"""Geography of a map for nets: rows and columns of observations, and adjacency of locations."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional

import numpy as np

from .arrays import Bools, Int64s, NoSuchArray


class Adjacency(NamedTuple):
    """Moves without convoy, for armies and for fleets: True at [a, b] if a unit can move from location a to location b.
    The indices are those of `locations`."""

    armies: Bools
    """bool[L, L]: moves of armies."""
    fleets: Bools
    """bool[L, L]: moves of fleets, to and from coasts for provinces with several coasts."""


class Geography:
    """Geography of the map of a batch or a dataset. The rows of observations are not in the order of the locations."""

    def _map_facts(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def _observed(self) -> Optional[str]:
        """Returns the kind of observations that this object has; None without observations."""
        raise NotImplementedError

    def _kind(self) -> str:
        kind = self._observed()
        if kind is None:
            raise NoSuchArray("rows: got observations=None, wanted a kind of observations")
        return kind

    @property
    def rows(self) -> Int64s:
        """i8[L]: row of each location in `observation` and `previous_orders`.

        `locations`, `orderable` and the vocabulary use the map's order; the rows are in DipNet's order (north to
        south, set by hand) or DeepMind's. `observation[:, rows]` is in the map's order, and
        `observation[:, rows[vocabulary.location]]` has the row of the ordered unit for each order."""
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
        """Locations that armies and fleets can move to without convoy: bool[L, L] each."""
        facts = self._map_facts()
        size = len(facts["locations"])
        found = np.zeros((2, size, size), np.bool_)
        for kind, moves in enumerate((facts["moves"]["army"], facts["moves"]["fleet"])):
            found[(kind, *np.array(moves, np.int64).T)] = True
        return Adjacency(found[0], found[1])
