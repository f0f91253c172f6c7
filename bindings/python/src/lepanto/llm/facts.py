"""Texts about a map: names, moves and distances. Computed once for each engine."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ..state import Engine, per_engine

#: Type of the unit, "A" or "F", and its location, such as "STP/SC".
Unit = Tuple[str, str]

KINDS = ("A", "F")
#: Meanings of orders without a target, keyed by the letter after the unit.
_VERBS = {"H": "hold", "D": "disband", "B": "build"}
#: Capacity of the caches of positions and of played phases.
REMEMBERED = 1024


class Recent(Dict[Any, Any]):
    """Cache of at most REMEMBERED entries. When full, a new entry replaces the oldest one."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= REMEMBERED:
            del self[next(iter(self))]
        super().__setitem__(key, value)


class Made(Dict[Any, Any]):
    """Dict that computes missing values from their keys and keeps them."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Any:
        found = self[key] = self._make(key)
        return found


class Facts:
    """Facts about the map of an engine, and parts of contexts that depend on the map alone."""

    def __init__(self, engine: Engine) -> None:
        facts: Mapping[str, Any] = engine.batch._map_facts()
        self.powers: List[str] = list(facts["powers"])
        self.provinces: List[str] = list(facts["provinces"])
        self.locations: List[str] = list(facts["locations"])
        self.centers = frozenset(facts["centers"])
        self.names: Dict[str, str] = dict(zip(self.provinces, facts["province_names"]))
        self.map: str = engine.batch.map
        self.rules: str = engine.batch.rules
        province_of: List[int] = facts["location_province"]
        self._targets: Dict[Unit, List[str]] = {(kind, place): [] for kind in KINDS for place in self.locations}
        for kind, moves in zip(KINDS, (facts["moves"]["army"], facts["moves"]["fleet"])):
            for begin, end in moves:
                self._targets[kind, self.locations[begin]].append(self.locations[end])
        #: Provinces that a unit can enter without a convoy, keyed by unit.
        self.reach: Dict[Unit, List[str]] = {
            unit: list(dict.fromkeys(self.provinces[province_of[self.locations.index(place)]] for place in places))
            for unit, places in self._targets.items()
        }
        #: For each unit, the other provinces that it can reach on an empty board, as (moves, province), nearest
        #: first.
        self.near = Made(self._nearest)
        #: Text of an order with its meaning, and the province that it enters or None, keyed by order.
        self.lines = Made(lambda order: (f"{order}: {self.meaning(order)}", self._entered(order)))
        #: Parts of contexts that are the same for all powers, keyed by form of the answer and whether the map is
        #: included.
        self.statics: Dict[Tuple[str, bool], str] = {}
        #: boards: facts about positions, keyed by the bytes of the position. told: played phases with their results,
        #: keyed by id() of the phase.
        self.boards = Recent()
        self.told = Recent()
        self.legend = self._legend()

    def name(self, place: str) -> str:
        """Returns the full name of a province or coast, such as "Burgundy". place: its tag, such as "BUR"."""
        name = self.names.get(place[:3], place)
        return f"{name}, {place[4:]}" if "/" in place else name

    def _nearest(self, unit: Unit) -> List[Tuple[int, str]]:
        kind, place = unit
        reached = {place[:3]: 0}
        seen, edge = {place}, [place]
        for moves in range(1, len(self.provinces)):
            edge = sorted({end for begin in edge for end in self._targets.get((kind, begin), [])} - seen)
            seen.update(edge)
            for end in edge:
                reached.setdefault(end[:3], moves)
        return sorted((moves, tag) for tag, moves in reached.items() if moves)

    def meaning(self, order: str) -> str:
        words = order.split(" ")
        if words == ["WAIVE"]:
            return "build nothing"
        verb, rest = words[2] if len(words) > 2 else "H", words[3:]
        if verb in _VERBS and not rest:
            kind = "an army" if words[0] == "A" else "a fleet"
            return f"build {kind} in {self.name(words[1])}" if verb == "B" else _VERBS[verb]
        if verb in ("-", "R") and rest[-1] != "VIA":
            way = "".join(f" by {self.name(place)}" for place in rest[:-1] if place != "-")
            return f"{'move' if verb == '-' else 'retreat'} to {self.name(rest[-1])}{way}"
        if verb == "-":
            return f"move to {self.name(rest[0])} by convoy"
        if verb in ("S", "C") and len(rest) >= 2:
            helped = f"{'support' if verb == 'S' else 'convoy'} {rest[0]} {rest[1]}"
            return f"{helped} to hold" if len(rest) == 2 else f"{helped} to {self.name(rest[3])}"
        return order

    def _entered(self, order: str) -> Optional[str]:
        words = [word for word in order.split(" ") if word != "VIA"]
        return words[-1][:3] if len(words) > 3 and words[2] in ("-", "R") else None

    def _legend(self) -> str:
        """Returns the map as text, with a line for each province."""
        lines = []
        for tag in self.provinces:
            ways = []
            for kind in KINDS:
                for place in (one for one in self.locations if one[:3] == tag):
                    ends = self._targets[kind, place]
                    if ends:
                        at = f" on {place}" if "/" in place else ""
                        ways.append(f"{kind}{at} to {' '.join(ends)}")
            centre = ", centre" if tag in self.centers else ""
            lines.append(f"{tag} {self.names[tag]}{centre}: {'; '.join(ways) or 'no way'}")
        return "\n".join(lines)


facts_of = per_engine(Facts)
