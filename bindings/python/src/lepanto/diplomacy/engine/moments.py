"""Positions of a game, as the engine's bytes and as lists of each power in the order of the package `diplomacy`."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from ..._server import alone
from ...arrays import PLAYING
from ...batch import Batch
from ...state import Engine, _InEngine, per_engine
from .map import Map

COMPLETED = "COMPLETED"
#: First fields of a state: year, season, phase, status, winner, number of dislodged units.
_HEAD = struct.Struct("<HBBBBB")
#: Slot and legal orders of a province without a unit.
_NONE: Tuple[int, List[str]] = (0, [])


Lists = Dict[str, List[str]]


@dataclass
class Board:
    """Lists of a position: units, retreats, centres, homes and influence, each keyed by power. A program may edit the
    lists."""

    #: Units that are not dislodged, such as "A PAR".
    units: Lists
    #: Locations to which each dislodged unit can retreat.
    retreats: Dict[str, Lists]
    centers: Lists
    homes: Lists
    #: Provinces in which this power was the last to have a unit.
    influence: Lists

    def copy(self) -> "Board":
        ways = {power: _copied(own) for power, own in self.retreats.items()}
        return Board(_copied(self.units), ways, *map(_copied, (self.centers, self.homes, self.influence)))

    def fill(self, other: "Board") -> None:
        """Copies the units, retreats, centres, homes and influence of another board into the existing lists, so that
        references to the lists stay valid."""
        for name in ("units", "centers", "homes", "influence"):
            own, given = getattr(self, name), getattr(other, name)
            for power, values in given.items():
                own[power][:] = values
        for power, ways in other.retreats.items():
            self.retreats[power].clear()
            self.retreats[power].update(_copied(ways))

    def all_units(self, power: str) -> List[str]:
        """Returns the units of a power, then its dislodged units, as "*A PAR"."""
        return [*self.units[power], *(f"*{unit}" for unit in self.retreats[power])]

    def key(self) -> Tuple[Any, ...]:
        """Returns a key that is equal for equal positions, for any order of units and centres."""
        lists = [sorted(own) for field in (self.units, self.centers, self.homes) for own in field.values()]
        return lists, [sorted((unit, sorted(at)) for unit, at in own.items()) for own in self.retreats.values()]

    def sites(self, power: str) -> List[str]:
        """Returns the home centres of a power that it owns and that are empty, in the order of its homes."""
        taken = {unit[2:5] for own in self.units.values() for unit in own}
        return [home for home in self.homes[power] if home in self.centers[power] and home not in taken]


def _copied(lists: Lists) -> Lists:
    return {key: list(own) for key, own in lists.items()}


class Legal:
    """Legal orders of a phase as text, by slot (place for one order of a power) and by location."""

    def __init__(self, moment: "Moment", batch: Batch) -> None:
        #: Legal orders, keyed by location.
        self.orders: Lists = {}
        #: Index of the slot (over the slots of all powers) and its legal orders, keyed by power and province. The key
        #: "" has all adjustments of a power.
        self.slots: Dict[str, Dict[str, Tuple[int, List[str]]]] = {name: {} for name in batch.powers}
        rows = batch._rows
        counts: List[int] = rows["order_counts"][0].tolist()
        self.adjusts = moment.name[-1] == "A"
        #: Number of orders due, keyed by power.
        self.due = dict(zip(batch.powers, counts))
        #: Number of builds due, negative for removals, keyed by power.
        self.builds: Dict[str, int] = dict(zip(batch.powers, rows["build_numbers"][0].tolist()))
        if moment.name == COMPLETED:
            return
        offsets = rows["legal_offsets"][0].tolist()
        first = offsets[0]
        texts = moment._engine.texts.of(first, offsets[-1])
        locations, orders, k = batch.locations, self.orders, 0
        for slots, count, places in zip(self.slots.values(), counts, rows["orderable"][0].tolist()):
            if self.adjusts and count:
                own = texts[offsets[k] - first : offsets[k + 1] - first]
                slots[""] = k, own
                self._by_place(own)
            elif count:
                begin = offsets[k] - first
                for at, location in enumerate(places[:count], k):
                    end = offsets[at + 1] - first
                    place = locations[location]
                    own = orders[place] = texts[begin:end]
                    begin = end
                    if len(place) > 3:
                        # Orders of a fleet on a coast are stored for the coast and for its province.
                        place = place[:3]
                        orders[place] = own
                    slots[place] = at, own
            k += batch.max_orders

    def _by_place(self, texts: List[str]) -> None:
        """Adds builds or removals of a power to `orders`, keyed by location, and a waive to each province with a build.

        texts: all legal orders of the power.
        """
        found: Lists = {}
        for text in texts:
            if text != "WAIVE":
                place = text.split()[1]
                for key in {place, place[:3]}:
                    found.setdefault(key, []).append(text)
        if "WAIVE" in texts:
            for place, own in found.items():
                if len(place) == 3:
                    own.append("WAIVE")
        self.orders.update(found)

    def orderable(self, power: str) -> List[str]:
        """Returns the provinces where a power has an order due, sorted."""
        slots = self.slots[power]
        if not self.adjusts:
            return sorted(slots)
        return sorted({text.split()[1][:3] for text in slots.get("", _NONE)[1] if text != "WAIVE"})

    def of(self, power: str, place: str) -> List[str]:
        """Returns the legal orders of a power for the unit in a province; in adjustment phases all of its orders."""
        return self.slots[power].get("" if self.adjusts else place, _NONE)[1]


class Reader:
    """Reads positions of an engine from their bytes, without calling the engine."""

    def __init__(self, engine: Engine) -> None:
        batch = engine.batch
        self.map = Map._of(engine)
        self.powers: List[str] = batch.powers
        self._provinces, self._centers, self._at = (batch.provinces, batch.centers, batch._info["state"])
        coasts: Dict[int, List[str]] = {}
        for tag in batch.locations[len(batch.provinces) :]:
            coasts.setdefault(batch.provinces.index(tag[:3]), [tag[:3]]).append(tag)
        #: For each province with coasts, keyed by index of the province: offset in a state's bytes of the coast of its
        #: fleet, and the names of the province and its coasts.
        self._coasts = {p: (self._at["coasts"] + k, coasts[p]) for k, p in enumerate(sorted(coasts))}
        #: Hash keys of the package `diplomacy` for units, dislodged units, centres and homes, each keyed by power and
        #: text.
        self._keys = [
            {power: {text: int(key) for text, key in own.items()} for power, own in keys.items()}
            for keys in batch._server.ask(op="position keys")
        ]
        self.start = Moment(engine, engine.start)

    def hash(self, board: Board) -> int:
        """Returns the hash of a position, equal to that of the package `diplomacy`. board: lists of the position.

        Raises ValueError for a unit or location that the map does not have.
        """
        fields: Sequence[Mapping[str, Iterable[str]]] = (board.units, board.retreats, board.centers, board.homes)
        found = 0
        for keys, field in zip(self._keys, fields):
            for power, own in field.items():
                for text in own:
                    if text not in keys[power]:
                        raise ValueError(f"position of {power}: got {text!r}, wanted a unit or place of the map")
                    found ^= keys[power][text]
        return found

    def units(self, position: bytes) -> Lists:
        """Returns the units on the board, keyed by power, in the order of the provinces. position: bytes of the array
        `state`."""
        begin = self._at["units"]
        there = enumerate(position[begin : begin + len(self._provinces)])
        coasts = {p: position[at] for p, (at, _) in self._coasts.items()}
        return self._by_power((p, unit, coasts.get(p, 0) if unit & 1 else 0) for p, unit in there if unit)

    def dislodged(self, position: bytes) -> Lists:
        """Returns the dislodged units, keyed by power. position: bytes of the array `state`."""
        begin = self._at["dislodged"]
        end = begin + 4 * _HEAD.unpack_from(position)[-1]
        return self._by_power(zip(position[begin:end:4], position[begin + 1 : end : 4], position[begin + 2 : end : 4]))

    def _by_power(self, units: Iterable[Tuple[int, int, int]]) -> Lists:
        """Returns units as text, keyed by power. units: province, power and kind, and coast of each, as in a state."""
        found: Lists = {power: [] for power in self.powers}
        for p, unit, coast in units:
            place = self._coasts[p][1][coast] if coast else self._provinces[p]
            found[self.powers[(unit >> 1) - 1]].append(f"{'AF'[unit & 1]} {place}")
        return found

    def owners(self, position: bytes) -> Dict[str, str]:
        """Returns the owners of the centres, keyed by centre. Leaves out centres without an owner. position: bytes of
        the array `state`."""
        begin = self._at["owners"]
        return {
            tag: self.powers[q - 1] for tag, q in zip(self._centers, position[begin : begin + len(self._centers)]) if q
        }


reader_of = per_engine(Reader)


class Moment(_InEngine):
    """An immutable game before a phase. Its lists are computed when they are first read.

    data: bytes of the saved game. position: bytes of its array `state`; None reads them from the engine. before: moment
        of the phase before, which determines the order of the lists. board: the lists, if they are known.
    """

    def __init__(
        self,
        engine: Engine,
        data: bytes,
        position: Optional[bytes] = None,
        before: Optional["Moment"] = None,
        board: Optional[Board] = None,
    ) -> None:
        self._engine, self._bytes = engine, data
        if position is None:
            with self._lock:
                position = self._enter()._rows["state"][0].tobytes()
        self.position = position
        year, season, phase, status = _HEAD.unpack_from(position)[:4]
        #: Name of the phase: "S1901M", with a year of four digits, or COMPLETED.
        self.name = f"{'SFW'[season]}{year:04}{'MRA'[phase]}" if status == PLAYING else COMPLETED
        self.year = year
        #: Orders played in this phase, keyed by power, in the engine's spelling.
        self.orders: Lists = {}
        self._before, self._board = before, board
        self._legal: Optional[Legal] = None
        self._words: Optional[Lists] = None

    def fork(self) -> "Moment":
        """Returns a moment of the same position, in which no orders have been played."""
        other = Moment.__new__(Moment)
        other.__dict__.update(self.__dict__)
        other.orders, other._words = {}, None
        return other

    def __deepcopy__(self, memo: Any) -> "Moment":
        return self

    def __getstate__(self) -> Dict[str, Any]:
        self.board()
        return {**self.__dict__, "_legal": None}

    def legal(self) -> Legal:
        if self._legal is None:
            with self._lock:
                self._legal = Legal(self, self._enter())
        return self._legal

    @alone
    def words(self) -> Lists:
        """Returns the results of the orders played from this position, keyed by unit, in the words of the package
        `diplomacy`."""
        if self._words is None:
            self._words = self._enter()._server.ask(op="results", game=0, orders=self.orders)
        return self._words or {}

    def board(self) -> Board:
        """Returns the lists of the position. The caller must not change them."""
        open_: List[Moment] = [self]
        while open_[-1]._board is None and open_[-1]._before is not None:
            open_.append(open_[-1]._before)
        for moment in reversed(open_):
            if moment._board is None:
                moment._board = moment._first() if moment._before is None else moment._following(moment._before)
            # Frees earlier moments of a long game.
            moment._before = None
        assert self._board is not None
        return self._board

    def _first(self) -> Board:
        reader, map_ = reader_of(self._engine), Map._of(self._engine)
        units, owners = reader.units(self.position), reader.owners(self.position)
        centers: Lists = {power: [] for power in reader.powers}
        for place in map_.scs:
            if place in owners:
                centers[owners[place]].append(place)
        for power, own in units.items():
            first = map_.units[power]
            own.sort(key=lambda unit: first.index(unit) if unit in first else len(first))
        influence = {power: [unit[2:5] for unit in own] for power, own in units.items()}
        homes = {power: list(map_.homes[power]) for power in reader.powers}
        return Board(units, self._ways(reader.dislodged(self.position)), centers, homes, influence)

    def _ways(self, dislodged: Mapping[str, Sequence[str]]) -> Dict[str, Lists]:
        """Returns the locations to which each dislodged unit can retreat, in the order of the package `diplomacy`.
        Keyed by power, then by unit.

        dislodged: dislodged units, keyed by power.
        """
        if not any(dislodged.values()):
            return {power: {} for power in dislodged}
        legal, map_ = self.legal().orders, Map._of(self._engine)
        found: Dict[str, Lists] = {}
        for power, units in dislodged.items():
            found[power] = {}
            for unit in units:
                free = [order.split()[3] for order in legal.get(unit[2:], ()) if " R " in order]
                near = [at.upper() for at in map_.abut_list(unit[2:], incl_no_coast=True)]
                found[power][unit] = sorted(free, key=lambda at: near.index(at) if at in near else len(near))
        return found

    def _following(self, before: "Moment") -> Board:
        """Returns the lists of this moment, in the order in which the package `diplomacy` moves, captures and builds.

        before: moment of the phase before.
        """
        old, reader = before.board(), reader_of(self._engine)
        now, owners, orders = (reader.units(self.position), reader.owners(self.position), before.orders)
        units: Lists = {}
        came: Lists = {}
        for power in reader.powers:
            goals = {}
            for order in orders.get(power, ()):
                kind, place, verb, goal = [*order.split(), "", "", ""][:4]
                if verb in ("-", "R"):
                    goals[f"{kind} {place}"] = f"{kind} {goal}"
                elif verb == "B":
                    goals[f"{kind} {place}"] = f"{kind} {place}"
            there = set(now[power])
            if before.name[-1] == "M":
                moved = _moved(goals, set(old.units[power]), there)
                if moved is None:
                    moved = {unit for unit in goals if not before.words().get(unit)}
                stayed = [unit for unit in old.units[power] if unit not in moved]
                arrived = [goals[unit] for unit in old.units[power] if unit in moved]
            else:
                stayed, arrived = old.units[power], list(goals.values())
            stayed, arrived = ([unit for unit in some if unit in there] for some in (stayed, arrived))
            arrived += [unit for unit in now[power] if unit not in stayed and unit not in arrived]
            units[power], came[power] = stayed + arrived, arrived
        influence = {power: list(own) for power, own in old.influence.items()}
        for power, arrived in came.items():
            for unit in arrived:
                if before.name[-1] == "A" and unit[2:5] in influence[power]:
                    continue
                for own in influence.values():
                    if unit[2:5] in own:
                        own.remove(unit[2:5])
                influence[power].append(unit[2:5])
        places = {unit: i for own in old.units.values() for i, unit in enumerate(own)}
        dislodged = reader.dislodged(self.position)
        for waiting in dislodged.values():
            waiting.sort(key=lambda unit: places.get(unit, 0))
        centers = _captured(old.centers, owners, reader.map.scs)
        return Board(units, self._ways(dislodged), centers, old.homes, influence)


def _moved(goals: Mapping[str, str], old: Set[str], now: Set[str]) -> Optional[Set[str]]:
    """Returns the units of a power that have moved, derived from its units before and after the phase. Returns None if
    only the results of the phase can tell.

    goals: for each ordered unit, the unit that it is after a successful move. old, now: units before and after the
        phase.
    """
    found: Set[str] = set()
    for unit, goal in goals.items():
        if unit in now:
            if unit in goals.values():
                return None
        elif goal in now:
            if goal in old or list(goals.values()).count(goal) > 1:
                return None
            found.add(unit)
    return found


def _captured(old: Mapping[str, Sequence[str]], owners: Mapping[str, str], centers: Sequence[str]) -> Lists:
    """Returns the centres, keyed by power, after a change of owners. A power keeps its centres in their order and adds
    captured ones: first those of other powers, then those without an owner.

    old: centres before. owners: owner of each centre now. centers: all centres.
    """
    found = {power: [center for center in own if owners.get(center) == power] for power, own in old.items()}
    had = [center for own in old.values() for center in own]
    for center in [*had, *(one for one in centers if one not in had)]:
        owner = owners.get(center)
        if owner is not None and center not in found[owner]:
            found[owner].append(center)
    return found
