"""Map with the API of the package `diplomacy`, made from Lepanto's map data."""

from __future__ import annotations

import copy
import functools
import json
from collections import OrderedDict
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

from ...state import Engine, shared_engine
from ..utils.checks import text

#: Word lists of the package `diplomacy`. words.json describes its fields.
_TABLES = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
_COASTS = {"EC": "EAST", "NC": "NORTH", "SC": "SOUTH", "WC": "WEST"}
_SEASONS = {"S": "SPRING", "F": "FALL", "W": "WINTER"}
_KINDS = {"M": "MOVEMENT", "R": "RETREATS", "A": "ADJUSTMENTS"}
_PHASES = ("SPRING MOVEMENT", "SPRING RETREATS", "FALL MOVEMENT", "FALL RETREATS", "WINTER ADJUSTMENTS")
_TYPES = {"land": "LAND", "coast": "COAST", "sea": "WATER"}

#: Greatest number of fleets of a convoy in Map.convoy_paths, the same as in the package `diplomacy`.
_LONGEST_CONVOY = 13

_known: Dict[str, "Map"] = {}


#: Kinds of tokens that Map.vet() returns, as numbers.
_UNDETERMINED, _POWER, _UNIT, _LOCATION, _COAST, _ORDER, _MOVE, _OTHER = range(8)


def _kind(token: str) -> int:
    if " " in token:
        return _UNDETERMINED
    if len(token) == 1:
        if token in "AF":
            return _UNIT
        return _ORDER if token.isalnum() else _MOVE if token in "-=_" else _OTHER
    if "/" in token:
        return _COAST if token.find("/") == 3 else _POWER
    if token == "VIA":
        return _ORDER
    return _LOCATION if len(token) == 3 else _POWER


#: _WATERS: types of areas where fleets convoy. _SHORES: types of areas between which armies are convoyed.
_WATERS, _SHORES = ("WATER", "PORT"), ("COAST", "PORT")


class Map:
    """Names, provinces and adjacencies of a map. Map("standard") returns the same object each time. Make changes only
    to a deep copy, which no game uses.

    The spelling of a neighbour says which units can move there: "MUN" armies and fleets, "edi" (next to LVP) armies
    only, "Bul" fleets only. In lists of locations a province with coasts is in lower case: "bul", "BUL/EC", "BUL/SC".
    """

    name: str
    #: Neighbours of each location, keyed by location.
    loc_abut: Dict[str, List[str]]
    #: Type of each location, WATER, COAST, LAND, PORT or SHUT, keyed by location.
    loc_type: Dict[str, str]

    def __new__(cls, name: str = "standard", use_cache: bool = True) -> "Map":
        known = _known.get(text("map", name))
        if known is not None and use_cache:
            return known
        return cls._made(name, shared_engine("standard" if name == "standard_welfare" else name), use_cache)

    @classmethod
    def _made(cls, name: str, engine: Engine, is_kept: bool) -> "Map":
        made = object.__new__(cls)
        made._make(name, engine.batch._server.ask(op="rows"))
        if is_kept:
            _known[name] = made
        return made

    @classmethod
    def _of(cls, engine: Engine) -> "Map":
        """Returns the map of an engine, the same object each time."""
        name = engine.batch.map
        return _known.get(name) or cls._made(name, engine, True)

    def _make(self, name: str, rows: Dict[str, Any]) -> None:
        provinces = {row["tag"]: row for row in rows["provinces"]}
        convoyable = rows.get("convoyable", "").split()
        shut = [row for row in _TABLES["shut"] if all(near in provinces for near in row[2].split())]
        self.name = self.root_map = name
        self.powers: List[str] = sorted(row["name"] for row in rows["powers"])
        self.homes: Dict[str, List[str]] = {row["name"]: row["homes"].split() for row in rows["powers"]}
        self.centers: Dict[str, List[str]] = {
            row["name"]: row.get("owns", row["homes"]).split() for row in rows["powers"]
        }
        self.units: Dict[str, List[str]] = {row["name"]: row["units"].split(", ") for row in rows["powers"]}
        homes = [tag for row in rows["powers"] for tag in self.homes[row["name"]]]
        centers = [tag for tag, row in provinces.items() if row.get("center")]
        #: Supply centres: home centres in the order of the powers, then the others.
        self.scs: List[str] = list(dict.fromkeys(homes + sorted(centers)))
        start = rows["start"]
        self.phase = f"{_SEASONS[start[0]]} {start[1:-1]} {_KINDS[start[-1]]}"
        self.first_year = int(start[1:-1])
        self.victory = None
        #: Number of centres that win the game.
        self._win = int(rows.get("victory") or len(centers) // 2 + 1)
        self.error: List[str] = []
        self.rules: List[str] = []
        self.dummies: List[str] = []
        self.unclear: Dict[str, str] = {}
        self.abbrev: Dict[str, str] = {}
        self.pow_name = {power: power for power in self.powers}
        self.own_word = {**{power: _TABLES["people"].get(power, power) for power in self.powers}, "UNOWNED": "UNOWNED"}
        self.unit_names = {"A": "ARMY", "F": "FLEET"}
        self.flow = ["SPRING:MOVEMENT,RETREATS", "FALL:MOVEMENT,RETREATS", "WINTER:ADJUSTMENTS"]
        self.flow_sign = 1
        self.seq = ["NEWYEAR", *_PHASES]
        self.phase_abbrev = dict(_KINDS)
        self.keywords = {word: sign for sign, words in _TABLES["words"].items() for word in words.split()}

        army = {tag: set(row.get("army", "").split()) for tag, row in provinces.items()}
        #: Locations that fleets can move to, keyed by location. Provinces with coasts are missing; their coasts are
        #: keys.
        fleet: Dict[str, set[str]] = {}
        coasts: Dict[str, List[str]] = {tag: [] for tag in provinces}
        for tag, row in provinces.items():
            reach = row.get("fleet", "")
            if not isinstance(reach, str):
                coasts[tag] = [f"{tag}/{coast}" for coast in sorted(reach)]
                fleet.update({f"{tag}/{coast}": set(places.split()) for coast, places in reach.items()})
            elif reach:
                fleet[tag] = set(reach.split())
        self._armies, self._fleets = army, fleet
        self._kinds = {tag: row["kind"] for tag, row in provinces.items()}
        self._shut = {tag: set(next_to.split()) for tag, _, next_to in shut}
        self._describe(provinces, coasts, convoyable)
        self._name(provinces, coasts, {tag: title for tag, title, _ in shut})

    def _describe(
        self, provinces: Mapping[str, Any], coasts: Mapping[str, List[str]], convoyable: Sequence[str]
    ) -> None:
        self.loc_type, self.loc_abut, self.loc_coasts = {}, {}, {}
        self.locs: List[str] = []
        # The package lists Norway before the North Sea.
        for tag in sorted(provinces, key=lambda tag: "NSZ" if tag == "NWY" else tag):
            kind = "PORT" if tag in convoyable else _TYPES[provinces[tag]["kind"]]
            places = [*coasts[tag], tag.lower() if coasts[tag] else tag]
            for place in places:
                self.locs.append(place)
                self.loc_type[place] = kind
                self.loc_abut[place] = self._next_to(place, provinces[tag]["kind"], coasts)
                self.loc_coasts[place.upper()] = [*coasts[tag], tag]
        for tag, next_to in self._shut.items():
            self.locs.append(tag)
            self.loc_type[tag], self.loc_coasts[tag] = "SHUT", [tag]
            self.loc_abut[tag] = sorted(next_to)
            for place in next_to:
                self.loc_abut[place].append(tag)
        for place, near in _TABLES["near"].items():
            if sorted(near.split()) == sorted(self.loc_abut.get(place, ())):
                self.loc_abut[place] = near.split()
        self._places = [loc.upper() for loc in self.locs]
        self.dest_with_coasts: Dict[str, List[str]] = {
            loc.upper(): list(
                dict.fromkeys(at for near in self.abut_list(loc, incl_no_coast=True) for at in self.find_coasts(near))
            )
            for loc in self.locs
        }

    def _next_to(self, place: str, kind: str, coasts: Mapping[str, List[str]]) -> List[str]:
        """Returns the neighbours of a location, sorted: destinations of fleets for a coast, of armies and fleets for a
        province.

        place: the location, in lower case for a province with coasts. kind: "land", "sea" or "coast". coasts: coasts of
            each province.
        """
        if "/" in place:
            return sorted(self._fleets[place])
        tag = place.upper()
        on_foot = set(self._armies[tag])
        if place != tag:
            by_sea = set().union(*(self._fleets[coast] for coast in coasts[tag]))
            return sorted(on_foot | {at[:3] for at in by_sea})
        by_sea = self._fleets.get(tag, set())
        afloat = {at[:3] for at in by_sea}
        coastal = {near for near in on_foot | afloat if kind == self._kinds[near] == "coast"}
        # Where a fleet moves to a coast, the list has the coast instead of the province.
        found = [at.title() if at[:3] in coastal - on_foot else at for at in by_sea]
        found += [near.lower() if near in coastal else near for near in on_foot - afloat]
        return sorted(found, key=str.upper)

    def _name(self, provinces: Mapping[str, Any], coasts: Mapping[str, List[str]], shut: Mapping[str, str]) -> None:
        #: Tag of each location, keyed by its name, such as "GULF OF LYON".
        self.loc_name: Dict[str, str] = {title: tag for tag, title in shut.items()}
        #: Tag or token, keyed by each known spelling, normalised by norm().
        self.aliases: Dict[str, str] = {self.norm(title): tag for tag, title in shut.items()}
        for tag, row in provinces.items():
            title = row["name"].upper()
            self.loc_name[title] = tag
            ends = {
                coast: (f"/{coast[4:]}", f"({coast[4:]})", f"({_COASTS[coast[4:]]} COAST)") for coast in coasts[tag]
            }
            self.loc_name.update({f"{title} {written[-1]}": coast for coast, written in ends.items()})
            for loc, written in {**ends, tag: ("",)}.items():
                for spelling in (tag, title, *row.get("aliases", ())):
                    for end in written:
                        self.aliases.setdefault(self.norm(spelling + end).strip(), loc)
        if "YOR" in provinces and "STP" in provinces:
            for tag, spelled in _TABLES["spellings"].items():
                self.aliases.update({self.norm(written): tag for written in spelled.split("; ")})
        for sign, phrases in _TABLES["phrases"].items():
            self.aliases.update(dict.fromkeys(phrases.split("; "), sign))
        for power in self.powers:
            self.aliases.setdefault(power, power)
            self.aliases.setdefault(self.own_word[power], power)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<lepanto.diplomacy.Map: {self.name}>"

    def __deepcopy__(self, memo: Any) -> "Map":
        other: Map = object.__new__(type(self))
        other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return other

    def __reduce__(self) -> Any:
        return Map, (self.name,)

    # ---- changes, for copies ----

    def add_homes(self, power: str, homes: Sequence[str], reinit: Any = 0) -> None:
        """Adds home centres to a power; "-PAR" removes one. reinit: if true, first removes all that the power has."""
        own = self.homes.setdefault(power, [])
        if reinit:
            own.clear()
        others = self.homes.setdefault("UNOWNED", [])
        for given in " ".join(homes).upper().split():
            home = given.lstrip("-")
            if home in own:
                own.remove(home)
            if home and power != "UNOWNED":
                others.append(home)
            if home and home == given:
                own.append(home)

    def drop(self, place: str) -> None:
        """Removes a province, its coasts and its units from the map."""
        for own in (self.locs, self.scs, *self.homes.values(), *self.centers.values(), *self.loc_abut.values()):
            own[:] = [loc for loc in own if not loc.upper().startswith(place)]
        for own in self.units.values():
            own[:] = [unit for unit in own if unit[2:5] != place[:3]]
        for names in (self.loc_name, self.aliases):
            for name in [name for name, loc in names.items() if loc.startswith(place)]:
                del names[name]
        for facts in (self.loc_abut, self.loc_type):
            for loc in [loc for loc in facts if loc.startswith(place)]:
                del facts[loc]

    # ---- words ----

    def norm(self, phrase: str) -> str:
        """Returns a phrase in capitals, with the words of orders replaced by their letters and signs, and the words for
        moves left out: "Army Paris moves to Burgundy" becomes "A PARIS BURGUNDY"."""
        said = phrase.upper().replace("/", " /").replace(" / ", "")
        for sign in ".:-+,":
            said = said.replace(sign, " ")
        for sign in "|*?!~()[]=_^":
            said = said.replace(sign, f" {sign} ")
        return " ".join(self.keywords.get(word, word) for word in said.split())

    def norm_power(self, power: str) -> str:
        """Returns a power's name as norm() returns a phrase, but without blanks."""
        return self.norm(power).replace(" ", "")

    def compact(self, phrase: str) -> List[str]:
        """Splits an order into tokens, without a power before a colon: "Army Paris -> Bur." becomes ["A", "PAR",
        "BUR"]."""
        before, colon, after = phrase.partition(":")
        if colon and [kind for _, kind in self.vet(self.compact(before))] == [_POWER]:
            phrase = after
        words, found = self.norm(phrase).split(), []
        while words:
            if words[0] == "(" and ")" in words:
                # Brackets contain a coast, or a remark such as "(*bounce*)".
                end = words.index(")")
                inner = [word for word in words[1:end] if word != "*"]
                found += [self.aliases.get(word, word) for word in inner]
                words = words[end + 1 :]
                continue
            for size in range(len(words), 0, -1):
                alias = self.aliases.get(" ".join(words[:size]))
                if alias is not None or size == 1:
                    found += (alias or words[0]).split()
                    words = words[size:]
                    break
        merged: List[str] = []
        for word in found:
            if word.startswith("/") and merged:
                merged[-1] = self.aliases.get(f"{merged[-1]} {word}", merged[-1] + word)
            else:
                merged.append(word)
        return merged

    def vet(self, word: Sequence[str], strict: Any = 0) -> List[Tuple[str, int]]:
        """Returns each token with its kind: 1 a power, 2 a kind of unit, 3 a location, 4 a location with a coast, 5 an
        order, 6 a sign of a move, 7 another sign, 0 none of these. strict: if true, tokens unknown to the map have the
        negative of their kind."""
        known = {*self.aliases.values(), *self.keywords.values()} if strict else set()
        return [(one, -_kind(one) if strict and one not in known else _kind(one)) for one in word]

    # ---- convoys ----

    @functools.cached_property
    def convoy_paths(self) -> "OrderedDict[int, List[Tuple[str, Set[str], Set[str]]]]":
        """Convoy routes, keyed by number of fleets. A route has the army's start, the locations of the fleets and the
        provinces where the army can land."""
        found: "OrderedDict[int, List[Tuple[str, Set[str], Set[str]]]]" = OrderedDict(
            (size, []) for size in range(1, len(self.locs) + 1)
        )
        waters = {loc.upper() for loc, kind in self.loc_type.items() if kind in _WATERS}
        shores = [loc.upper() for loc in self.locs if self.area_type(loc) in _SHORES and "/" not in loc]
        goals = set(shores)
        near = {loc: [at.upper() for at in self.abut_list(loc, incl_no_coast=True)] for loc in [*shores, *waters]}
        for start in shores:
            landings: Dict[str, List[frozenset[str]]] = {}
            open_ = [(frozenset([at]), at) for at in near[start] if at in waters]
            seen = set(open_)
            for fleets, last in open_:
                for at in near[last]:
                    if at in goals and at != start:
                        paths = landings.setdefault(at, [])
                        if not any(path <= fleets for path in paths):
                            paths.append(fleets)
                    elif at in waters and at not in fleets and len(fleets) < _LONGEST_CONVOY:
                        longer = fleets | {at}, at
                        if longer not in seen:
                            seen.add(longer)
                            open_.append(longer)
            ends: Dict[frozenset[str], Set[str]] = {}
            for at, paths in landings.items():
                for path in paths:
                    ends.setdefault(path, set()).add(at)
            for path, places in ends.items():
                found[len(path)].append((start, set(path), places))
        return found

    # ---- places ----

    def area_type(self, loc: str) -> Any:
        """Returns the type of a location, WATER, COAST, LAND, PORT or SHUT; None if the map does not have it."""
        return self.loc_type.get(loc.upper()) or self.loc_type.get(loc.lower())

    def find_coasts(self, loc: str) -> List[str]:
        """Returns the coasts of a location's province, then the province: ["BUL/EC", "BUL/SC", "BUL"]. Empty for an
        unknown location."""
        return self.loc_coasts.get(loc.upper(), [])

    def abut_list(self, site: str, incl_no_coast: bool = False) -> List[str]:
        """Returns the neighbours of a location; empty for an unknown one. The spelling says which units can move there,
        see Map.

        incl_no_coast: adds the provinces of neighbours that are coasts.
        """
        found = self.loc_abut.get(site) or self.loc_abut.get(site.lower(), [])
        if not incl_no_coast:
            return found
        return list(dict.fromkeys([*found, *(at[:3] for at in found if "/" in at)]))

    def default_coast(self, word: List[str]) -> List[str]:
        """Adds the coast to the words of a fleet's move if the fleet can reach only one: F GRE - BUL becomes F GRE -
        BUL/SC. Changes `word` and returns it."""
        if len(word) == 4 and word[0] == "F" and word[2] == "-" and "/" not in word[3]:
            near = [at.upper() for at in self.abut_list(word[1])]
            coasts = [at for at in near if at[:3] == word[3]]
            if word[3] not in near and len(coasts) == 1:
                word[3] = coasts[0]
        return word

    def is_valid_unit(self, unit: str, no_coast_ok: int = 0, shut_ok: int = 0) -> Any:
        """Returns a true value if a unit, such as "F SPA/SC", can be at its location. The kind "?" stands for either.

        no_coast_ok: if true, a fleet may be in a province with coasts without naming one. shut_ok: if true, a unit may
        be in a location of type SHUT.
        """
        kind, loc = unit.upper().split()
        area = self.area_type(loc)
        if area == "SHUT":
            return 1 if shut_ok else 0
        if kind == "?":
            return 1 if area is not None else 0
        if kind == "A":
            return "/" not in loc and area in ("LAND", "COAST", "PORT")
        return (
            kind == "F" and area in ("WATER", "COAST", "PORT") and bool(no_coast_ok or loc.lower() not in self.loc_abut)
        )

    def abuts(self, unit_type: str, unit_loc: str, order_type: str, other_loc: str) -> int:
        """Returns 1 if a unit can act on a neighbouring location: move there ("-"), support there ("S") or, for an
        army, be convoyed over it ("C"); else 0. unit_type: "A", "F" or "?" for either."""
        if unit_type == "?":
            return max(self.abuts(kind, unit_loc, order_type, other_loc) for kind in "AF")
        place, other = unit_loc.upper(), other_loc.upper()
        is_army = unit_type != "F"
        stands = self._kinds.get(place) in ("land", "coast") if is_army else place in self._fleets
        if order_type not in ("-", "S", "C") or not stands:
            return 0
        reach = self._armies[place] if is_army else self._fleets[place]
        if order_type == "S":
            return int(other[:3] in {at[:3] for at in reach})
        at_sea = is_army and order_type == "C" and self.area_type(other) == "WATER"
        return int(other in reach or (at_sea and place in {at[:3] for at in self._fleets[other]}))

    # ---- phases ----

    @staticmethod
    def phase_abbr(phase: str, default: str = "?????") -> str:
        """Returns the short name of a phase: S1901M for SPRING 1901 MOVEMENT. Returns FORMING and COMPLETED unchanged.

        default: result for an invalid name.
        """
        if phase in ("FORMING", "COMPLETED"):
            return phase
        parts = phase.split()
        return f"{parts[0][0]}{int(parts[1]):04}{parts[2][0]}".upper() if len(parts) == 3 else default

    def phase_long(self, phase_abbr: str, default: str = "?????") -> str:
        """Returns the long name of a phase: SPRING 1901 MOVEMENT for S1901M. default: result for an invalid name."""
        season, kind = (_SEASONS.get(phase_abbr[:1].upper()), _KINDS.get(phase_abbr[-1:].upper()))
        year = phase_abbr[1:-1]
        known = season and kind and year.isdigit() and f"{season} {kind}" in self.seq
        return f"{season} {int(year)} {kind}" if known else default

    def _place(self, phase: str) -> Tuple[int, int, int]:
        """Returns a sort key of a phase by date. phase: long or short name; an invalid one comes first."""
        short = self.phase_abbr(phase) if " " in phase else phase.upper()
        if short in ("FORMING", "COMPLETED"):
            return (1 if short == "FORMING" else 3), 0, 0
        if short.endswith("?"):
            short = short[:-1] + ("A" if short[0] == "W" else "R")
        full = self.phase_long(short).split()
        return (2, int(full[1]), self.seq.index(f"{full[0]} {full[2]}")) if len(full) == 3 else (0, 0, 0)

    def compare_phases(self, phase1: str, phase2: str) -> int:
        """Returns 1 if the first phase is later than the second, -1 if it is earlier, 0 if they are the same."""
        one, other = self._place(phase1), self._place(phase2)
        return (one > other) - (one < other)

    def find_previous_phase(self, phase: str, phase_type: Any = None, skip: int = 0) -> str:
        """Returns the long name of the phase before a phase, itself a long name. Arguments as in find_next_phase()."""
        return self.find_next_phase(phase, phase_type, skip, -1)

    def find_next_phase(self, phase: str, phase_type: Any = None, skip: int = 0, step: int = 1) -> str:
        """Returns the long name of the phase after a phase, itself a long name.

        phase_type: "M", "R" or "A", to find the next phase of this type; None for any. skip: number of matching phases
        to skip. step: -1 searches backwards. Returns "" for an unknown type.
        """
        parts = phase.split()
        if len(parts) < 3:
            return phase
        if phase_type not in (None, "M", "R", "A"):
            return ""
        #: Number of phases since the year 0.
        at = int(parts[1]) * len(_PHASES) + _PHASES.index(f"{parts[0]} {parts[2]}")
        while skip >= 0:
            at += step
            year, place = divmod(at, len(_PHASES))
            season, kind = _PHASES[place].split()
            skip -= phase_type in (None, kind[0])
        return f"{season} {year} {kind}"
