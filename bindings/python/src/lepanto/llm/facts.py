"""What texts say of a map: names, where units can move, what is near. Made once for each engine."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ..state import Engine, per_engine

#: "A" or "F", and the location: "STP/SC".
Unit = Tuple[str, str]

KINDS = ("A", "F")
#: Words for the orders that a unit can be given, by what follows the unit.
_VERBS = {"H": "hold", "D": "disband", "B": "build"}
#: Positions and played phases that are remembered.
REMEMBERED = 1024


class Recent(Dict[Any, Any]):
    """A dict that forgets what came first."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= REMEMBERED:
            del self[next(iter(self))]
        super().__setitem__(key, value)


class Made(Dict[Any, Any]):
    """A dict that makes what it does not have."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Any:
        found = self[key] = self._make(key)
        return found


class Facts:
    """Facts of the map of an engine, and texts that depend on nothing else."""

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
        #: Provinces that a unit can enter without a convoy.
        self.reach: Dict[Unit, List[str]] = {
            unit: list(dict.fromkeys(self.provinces[province_of[self.locations.index(place)]] for place in places))
            for unit, places in self._targets.items()
        }
        #: By unit: moves that it needs, alone on the board, to each other province, the nearest first.
        self.near = Made(self._nearest)
        #: By order: its text with its meaning, and the province that a move enters.
        self.lines = Made(lambda order: (f"{order}: {self.meaning(order)}", self._entered(order)))
        #: By kind of answer, and with the map or without it: the part of a context that does not change.
        self.statics: Dict[Tuple[str, bool], str] = {}
        #: By bytes of a position what is known of it, and by phase that was played what its orders came to.
        self.boards = Recent()
        self.told = Recent()
        self.legend = self._legend()

    def name(self, place: str) -> str:
        """ "Burgundy", "St Petersburg, south coast"."""
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
        """The map, a line for each province."""
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
