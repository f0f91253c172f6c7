"""A game under the names of the package `diplomacy`, played by Lepanto."""

from __future__ import annotations

import base64
import copy
import os
import time
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ... import game as lepanto_game
from ..._checks import whole
from ..._pictures import Drawing
from ..._server import IllegalAction
from ...state import Engine, shared_engine_of
from ..utils.checks import entries, shown, text, texts
from ..utils.game_phase_data import GamePhaseData
from ..utils.order_results import DISBAND, DISLODGED, NO_CONVOY, OK, VOID, OrderResult, result_of
from ..utils.sorted_dict import LazyDict, SortedDict
from .map import Map
from .message import GLOBAL, OBSERVER, OMNISCIENT, SYSTEM, Message
from .power import COMM_STATUSES, VOTES, Power
from .renderer import Renderer

#: Rules of a game that is given none.
DEFAULT_GAME_RULES = ("SOLITAIRE", "NO_PRESS", "IGNORE_ERRORS", "POWER_CHOICE")
#: Rules that a game can have, each with those that it brings and those that it ends. Play follows WELFARE alone.
_RULES: Mapping[str, Tuple[Sequence[str], Sequence[str]]] = {
    "SOLITAIRE": (("NO_DEADLINE", "CD_DUMMIES", "ALWAYS_WAIT"), ()),
    "CIVIL_DISORDER": (("CD_DUMMIES",), ()),
    "NO_PRESS": ((), ("PUBLIC_PRESS",)),
    "PUBLIC_PRESS": ((), ("NO_PRESS",)),
    "REAL_TIME": ((), ("ALWAYS_WAIT",)),
    "ALWAYS_WAIT": ((), ("REAL_TIME",)),
    "PROPOSE_DIAS": ((), ("NO_DIAS",)),
    "NO_DIAS": ((), ("PROPOSE_DIAS",)),
    "WELFARE": ((), ()),
    **dict.fromkeys(
        (
            *("CD_DUMMIES", "DIFFERENT_ADJUDICATION", "IGNORE_ERRORS", "MULTIPLE_POWERS_PER_PLAYER", "NO_DEADLINE"),
            *("NO_OBSERVATIONS", "POWER_CHOICE", "START_MASTER"),
        ),
        ((), ()),
    ),
}
#: Rules of the package by which Lepanto does not play.
_UNPLAYED = ("BUILD_ANY", "DONT_SKIP_PHASES", "HOLD_WIN", "NO_CHECK", "SHARED_VICTORY")
#: Years after which the package calls a game a draw.
_LONGEST = 100

COMPLETED = lepanto_game.COMPLETED


def _rule(name: str) -> bool:
    return property(lambda self: name in self.rules)  # type: ignore[return-value]


class Game:
    """A game by order text, as users of the package `diplomacy` write it, adjudicated by DATC 3.2.

        game = Game()
        while not game.is_game_done:
            possible = game.get_all_possible_orders()
            for name, power in game.powers.items():
                game.set_orders(name, [random.choice(possible[at]) for at in game.get_orderable_locations(name)])
            game.process()

    map_name: a map that ships with Lepanto, or "standard_welfare". rules: names of the package's rules, and WELFARE.
    engine: another than the one that all games of the map share, with its own rules of adjudication.
    timestamp_created: microseconds; times of phases and messages count on from it, so that saved games are the same bytes
    each time. None: they are those of the clock. `lepanto` is the lepanto.game.Game that plays: what is for those
    (search, drawings) takes it.
    """

    civil_disorder = _rule("CIVIL_DISORDER")
    multiple_powers_per_player = _rule("MULTIPLE_POWERS_PER_PLAYER")
    no_observations = _rule("NO_OBSERVATIONS")
    no_press = _rule("NO_PRESS")
    power_choice = _rule("POWER_CHOICE")
    public_press = _rule("PUBLIC_PRESS")
    real_time = _rule("REAL_TIME")
    solitaire = _rule("SOLITAIRE")
    start_master = _rule("START_MASTER")
    welfare = _rule("WELFARE")

    role = "server_type"
    #: How many powers somebody is to play, and the seconds of a phase: kept for code that reads them.
    n_controls: Optional[int] = None
    deadline = 0

    def __init__(
        self,
        game_id: Optional[str] = None,
        map_name: str = "standard",
        rules: Optional[Iterable[str]] = None,
        engine: Optional[Engine] = None,
        timestamp_created: Optional[int] = None,
    ) -> None:
        self.map_name = map_name
        self.map = Map(map_name)
        self.game_id = game_id or base64.b64encode(os.urandom(12), b"-_").decode()
        self._clock = timestamp_created
        self.timestamp_created = self._tick()
        self._engine = engine or shared_engine_of("standard" if map_name == "standard_welfare" else map_name)
        #: The game of Lepanto's that plays.
        self.lepanto = lepanto_game.Game(self.game_id, self._engine)
        self.powers: Dict[str, Power] = {name: Power(self, name) for name in self.map.powers}
        self.rules: List[str] = []
        self.meta_rules: List[str] = []
        self.note = ""
        #: The phase of the end and who has won, or drawn: ["W1908A", "FRANCE"].
        self.outcome: List[str] = []
        #: What was wrong with orders of this phase.
        self.error: List[str] = []
        #: Centres that win.
        self.win = self.map._win
        self.victory = [self.win]
        self.messages = SortedDict()
        self.renderer: Optional[Renderer] = None
        self._past: List[GamePhaseData] = []
        self._orders: Dict[str, Dict[str, str]] = {}
        self._set: Dict[str, int] = {}
        self._wait: Dict[str, bool] = {}
        #: Who had a unit where last, before lepanto was made; None if lepanto knows it all.
        self._influence: Optional[Dict[str, List[str]]] = None
        #: How many phases had been played by the end of a fall before an edit, and the centres that were lost in it.
        self._lost: Optional[Tuple[int, Dict[str, str]]] = None
        self._over = False
        self._last_type = "M"
        self._fixed: Optional[Tuple[str, int]] = None
        for rule in DEFAULT_GAME_RULES if rules is None else texts("rules", rules):
            self.add_rule(rule)
        if map_name == "standard_welfare":
            self.add_rule("WELFARE")
        self._changed()

    # ---- what is made when it is asked for ----

    def _changed(self) -> None:
        """Forgets what was made of the position."""
        self._state: Optional[Dict[str, Any]] = None
        self._possible: Optional[Dict[str, List[str]]] = None
        self._places: Optional[Dict[str, List[str]]] = None
        self._histories: Dict[str, Tuple[int, LazyDict]] = {}

    def _tick(self) -> int:
        """Microseconds, later than those before."""
        if self._clock is None:
            return int(time.time() * 1e6)
        self._clock += 1
        return self._clock - 1

    def _now(self) -> Dict[str, Any]:
        """The state, not to be changed."""
        if self._state is None:
            self._state = self._described(self.lepanto.get_state(), self._told())
        return self._state

    def _told(self) -> Dict[str, Any]:
        """What lepanto does not know of the state. influence: who had a unit where last, before lepanto was made."""
        powers = self.powers.items()
        told = {
            **{"note": self.note, "name": self.get_current_phase(), "influence": self._influence},
            "civil_disorder": {name: power.civil_disorder for name, power in powers},
        }
        return {**told, "welfare_points": {name: power.welfare_points for name, power in powers}} if self.welfare else told

    @staticmethod
    def _described(raw: Dict[str, Any], told: Dict[str, Any]) -> Dict[str, Any]:
        """A state as the package has it, of lepanto's and of what _told() was."""
        state = {**raw, **told, "influence": raw["influence"]}
        before = told["influence"]
        if told["name"] == COMPLETED:
            state["units"] = {power: [unit for unit in own if unit[0] != "*"] for power, own in raw["units"].items()}
            state["retreats"] = {power: {} for power in raw["retreats"]}
        if before is not None:
            seen = {place for own in raw["influence"].values() for place in own}
            state["influence"] = {
                power: [*(place for place in before[power] if place not in seen), *own]
                for power, own in raw["influence"].items()
            }
        return state

    def _power(self, power_name: str) -> str:
        if isinstance(power_name, str) and power_name in self.powers:
            return power_name
        name = power_name.upper() if isinstance(power_name, str) else ""
        if name not in self.powers:
            raise ValueError(f"power: got {shown(power_name)}, wanted one of {', '.join(self.powers)}")
        return name

    # ---- the phase ----

    def get_current_phase(self) -> str:
        """S1901M, or COMPLETED."""
        return COMPLETED if self._over else self.lepanto.phase

    @property
    def current_short_phase(self) -> str:
        return self.get_current_phase()

    @property
    def phase(self) -> str:
        """SPRING 1901 MOVEMENT, or COMPLETED."""
        short = self.get_current_phase()
        return short if short == COMPLETED else self.map.phase_long(short)

    @property
    def phase_type(self) -> str:
        """M, R or A; after the end that of the last phase."""
        short = self.get_current_phase()
        return self._last_type if short == COMPLETED else short[-1]

    @property
    def is_game_done(self) -> bool:
        return self._over or self.lepanto.is_game_done

    @property
    def status(self) -> str:
        return "completed" if self.is_game_done else "active"

    is_game_active = property(lambda self: not self.is_game_done)
    is_game_completed = property(lambda self: self.is_game_done)
    is_game_forming = is_game_paused = is_game_canceled = property(lambda self: False)

    def set_current_phase(self, new_phase: str) -> None:
        """Goes to another phase of the same position: "F1903M", or COMPLETED."""
        if text("phase", new_phase) == COMPLETED:
            self._end([])
        else:
            self._put({**self._position(), "phase": new_phase})

    # ---- the position ----

    def get_state(self) -> Dict[str, Any]:
        """The position: units, retreats, centers, homes, influence, builds, zobrist_hash ..."""
        return {**copy.deepcopy(self._now()), "timestamp": self._tick()}

    def get_units(self, power_name: Optional[str] = None) -> Any:
        """Units of a power, or by power; the dislodged last, as "*A PAR"."""
        return self._of("units", power_name)

    def get_centers(self, power_name: Optional[str] = None) -> Any:
        return self._of("centers", power_name)

    def _of(self, field: str, power_name: Optional[str]) -> Any:
        found = self._now()[field]
        if power_name is None:
            return {power: list(own) for power, own in found.items()}
        return list(found[self._power(power_name)])

    def get_power(self, power_name: str) -> Optional[Power]:
        return self.powers.get(power_name)

    def has_power(self, power_name: str) -> bool:
        return power_name in self.powers

    def get_map_power_names(self) -> Any:
        return self.powers.keys()

    def get_hash(self) -> str:
        """The package's hash of the position, a decimal number as text."""
        return self.lepanto.get_hash()

    def _position(self) -> Dict[str, Any]:
        """The position as lepanto reads it."""
        state = self._now()
        phase = self.lepanto.phase
        if phase == COMPLETED:
            phase = self._past[-1].name if self._past else self.map.phase_abbr(self.map.phase)
            phase = f"S{int(phase[1:5]) + 1}M"
        return {
            "phase": phase,
            "units": {power: [unit for unit in own if unit[0] != "*"] for power, own in state["units"].items()},
            "centers": {power: list(own) for power, own in state["centers"].items()},
            "retreats": {power: dict(own) for power, own in state["retreats"].items()},
        }

    def _put(self, position: Dict[str, Any], influence: Optional[Dict[str, List[str]]] = None) -> None:
        """Goes on from another position; what was played before stays in the history."""
        if not position["phase"].endswith("R"):
            position.pop("retreats")
        self._lost = self._fall(), {center: power.name for center, power in self.lost.items()}
        known = influence or {power: list(own) for power, own in self._now()["influence"].items()}
        self.lepanto = lepanto_game.Game(self.game_id, self._engine, self._engine.state_of(position))
        self._influence = known
        self._over = False
        self.clear_orders()
        self._changed()

    def set_units(self, power_name: str, units: Union[str, Sequence[str]], reset: bool = False) -> None:
        """Puts units of a power on the board, "A PAR", or "*A PAR" for a dislodged one, in place of those that are there.
        reset: takes its others away. What cannot be there is left out and named in error."""
        position = self._position()
        influence = {power: list(own) for power, own in self._now()["influence"].items()}
        self._place(position, influence, self._power(power_name), texts("units", units), reset)
        if position["phase"].endswith("R"):
            taken = {unit[2:5] for own in position["units"].values() for unit in own}
            for own in position["retreats"].values():
                for unit in own:
                    own[unit] = own[unit] or self._ways_out(unit, taken)
        self._put(position, influence)

    def _place(
        self,
        position: Dict[str, Any],
        influence: Dict[str, List[str]],
        power: str,
        units: Iterable[str],
        reset: bool,
    ) -> None:
        if reset:
            position["units"][power], position["retreats"][power], influence[power] = [], {}, []
        for given in units:
            unit, dislodged = given.lstrip("*").upper(), given.startswith("*")
            if len(unit.split(" ")) != 2 or not all(unit.split(" ")) or not self.map.is_valid_unit(unit):
                self.error.append(f"units of {power}: got {shown(given)}, wanted one that can be there")
                continue
            place = unit[2:5]
            for other in self.powers:
                if place in influence[other]:
                    influence[other].remove(place)
                if dislodged:
                    own = position["retreats"][other]
                    position["retreats"][other] = {one: ways for one, ways in own.items() if one[2:5] != place}
                else:
                    position["units"][other] = [one for one in position["units"][other] if one[2:5] != place]
            if dislodged:
                position["retreats"][power][unit] = []
            else:
                position["units"][power].append(unit)
            influence[power].append(place)

    def _ways_out(self, unit: str, taken: Iterable[str]) -> List[str]:
        near = [at.upper() for at in self.map.abut_list(unit[2:], incl_no_coast=True)]
        return [at for at in near if at[:3] not in taken and self.map.abuts(unit[0], unit[2:], "-", at)]

    def set_centers(self, power_name: str, centers: Union[str, Sequence[str]], reset: bool = False) -> None:
        """Gives centres to a power; reset: takes its others away."""
        position, power = self._position(), self._power(power_name)
        self._own(position, power, texts("centers", centers), reset)
        self._put(position)

    def _own(self, position: Dict[str, Any], power: str, centers: Iterable[str], reset: bool) -> None:
        if reset:
            position["centers"][power] = []
        for center in centers:
            if center not in self.map.scs:
                self.error.append(f"centers of {power}: got {shown(center)}, wanted a supply centre")
                continue
            for own in position["centers"].values():
                if center in own:
                    own.remove(center)
            position["centers"][power].append(center)

    def clear_units(self, power_name: Optional[str] = None) -> None:
        """Takes the units of a power, or all, from the board."""
        position = self._position()
        influence = {power: list(own) for power, own in self._now()["influence"].items()}
        for power in self.powers if power_name is None else [self._power(power_name)]:
            position["units"][power], position["retreats"][power], influence[power] = [], {}, []
        self._put(position, influence)

    def clear_centers(self, power_name: Optional[str] = None) -> None:
        """Takes the centres from a power, or from all."""
        position = self._position()
        for power in self.powers if power_name is None else [self._power(power_name)]:
            position["centers"][power] = []
        self._put(position)

    def clear_cache(self) -> None:
        """Forgets what is remembered of the position; nothing depends on it."""
        self._changed()

    def set_state(self, state: Mapping[str, Any], clear_history: bool = True) -> None:
        """Goes to a state as get_state() gives it. Raises ValueError or LepantoError that says what is wrong with it."""
        if entries("state", state).get("map", self.map_name) != self.map_name:
            raise ValueError(f"map of a state: got {shown(state['map'])}, wanted {self.map_name!r}")
        rules = texts("rules", state.get("rules", []))
        for rule in rules:
            self._check_rule(rule)
        position = self._position()
        influence = {power: list(own) for power, own in self._now()["influence"].items()}
        name = text("name of a state", state.get("name") or position["phase"])
        if name not in (COMPLETED, "FORMING"):
            position["phase"] = name

        def told(field: str) -> List[Tuple[str, Any]]:
            return [(self._power(power), own) for power, own in entries(f"{field} of a state", state.get(field, {})).items()]

        for power, units in told("units"):
            self._place(position, influence, power, texts("units of a state", units), reset=True)
        taken = {unit[2:5] for units in position["units"].values() for unit in units}
        for power, ways in told("retreats"):
            for unit, places in entries("retreats of a state", ways).items():
                if unit in position["retreats"][power]:
                    free = [at for at in texts("retreats of a state", places) if at[:3] not in taken]
                    position["retreats"][power][unit] = free
        for power, centers in told("centers"):
            self._own(position, power, texts("centers of a state", centers), reset=True)
        influence.update({power: texts("influence of a state", places) for power, places in told("influence")})
        disorder = told("civil_disorder")
        points = [(power, whole("welfare_points", one)) for power, one in told("welfare_points")]
        self._put(position, influence)
        # What is wrong has been refused: from here on nothing is left half done.
        if clear_history:
            self._past, self._lost = [], None
            self.messages = SortedDict()
        if "rules" in state:
            self.rules = []
            for rule in rules:
                self.add_rule(rule)
        self.note = str(state.get("note", self.note))
        for power, value in disorder:
            self.powers[power].civil_disorder = value
        for power, value in points:
            self.powers[power].welfare_points = value
        self._over = name == COMPLETED
        self._changed()

    # ---- orders ----

    def get_orderable_locations(self, power_name: Optional[str] = None) -> Any:
        """Provinces with an order due, of a power or by power."""
        found = self._orderable()
        if power_name is None:
            return {power: list(places) for power, places in found.items()}
        return list(found[self._power(power_name)])

    def _orderable(self) -> Dict[str, List[str]]:
        if self._places is None:
            if self.is_game_done:
                # As the package has it: where units are.
                self._places = {power: sorted(unit[2:5] for unit in units) for power, units in self._now()["units"].items()}
            else:
                self._places = self.lepanto.get_orderable_locations()
            if self.welfare and self.phase_type == "A" and not self.is_game_done:
                for power, units in self._now()["units"].items():
                    self._places[power] = sorted({*self._places[power], *(unit[2:5] for unit in units)})
        return self._places

    def get_all_possible_orders(self) -> Dict[str, List[str]]:
        """Legal orders by location, in the same sequence each time. A fleet on a coast is under its coast and under its
        province."""
        return {place: orders.copy() for place, orders in self._all_possible().items()}

    def _all_possible(self) -> Dict[str, List[str]]:
        if self._possible is None:
            found = {} if self.is_game_done else self.lepanto.get_all_possible_orders()
            for place in self.map.loc_coasts:
                found.setdefault(place, [])
            if self.phase_type == "M":
                self._name_coasts(found)
            elif self.phase_type == "A" and not self.is_game_done:
                self._complete(found)
            self._possible = found
        return self._possible

    def _name_coasts(self, found: Dict[str, List[str]]) -> None:
        """Adds supports of fleets that name the coast that they help to."""
        ends, near = self.map._with_coasts, self.map._near_coasts
        for place, orders in found.items():
            if not orders or place not in near:
                continue
            more = [named for order in orders if order[-3:] in ends and " S F " in order for named in self._with_coasts(order)]
            if more:
                found[place] = orders + more

    def _with_coasts(self, order: str) -> List[str]:
        """The supports of a fleet that one without a coast stands for."""
        helped, _, goal = order.partition(" S F ")[2].partition(" - ")
        if not goal:
            return []
        reach = self.map._fleets[helped]
        return [f"{order}{at[3:]}" for at in self.map.find_coasts(goal) if "/" in at and at in reach]

    def _complete(self, found: Dict[str, List[str]]) -> None:
        """Adds waives of coasts, and what WELFARE allows."""
        for place, orders in found.items():
            if "/" in place and "WAIVE" in found[place[:3]] and "WAIVE" not in orders:
                orders.append("WAIVE")
        if self.welfare:
            for units in self._now()["units"].values():
                for unit in units:
                    for place in {unit[2:], unit[2:5]}:
                        if f"{unit} D" not in found[place]:
                            found[place].append(f"{unit} D")

    def set_orders(
        self,
        power_name: str,
        orders: Union[str, Sequence[str]],
        expand: bool = True,
        replace: bool = True,
        wait: Optional[bool] = None,
    ) -> None:
        """Sets orders of a power, in any usual notation; its units that have none of these keep those that they have. What
        is illegal is left out and named in error. replace=False: the first order of a unit counts. wait: as set_wait()."""
        power = power_name if power_name in self.powers else self._power(power_name)
        if not self.is_fixed_state_unchanged():
            return
        if not isinstance(orders, (str, list, tuple)):
            raise ValueError(f"orders of {power}: got {shown(orders)}, wanted texts")
        given = [orders] if isinstance(orders, str) else [order for order in orders if order]
        kept = self._orders.setdefault(power, {})
        moves = self.phase_type == "M"
        if not moves and not given:
            kept.clear()
        possible, own = self._all_possible(), self._orderable()[power] if given else ()
        for order in given:
            place = order[2:5] if isinstance(order, str) else ""
            if place and order[5:6] == "/":
                place = order[2:8]
            is_listed = place[:3] in own and order in possible.get(place, ())
            legal = order if is_listed and order[-3:-2] != "/" else self._legal(power, order, is_listed)
            if legal is None:
                wanted = f"wanted a legal one in {self.get_current_phase()}"
                self.error.append(f"order of {power}: got {shown(order)}, {wanted}")
                continue
            if moves:
                key = legal[:5] if legal[5:6] != "/" else legal[:8]
            else:
                key = legal.partition(" ")[2].partition(" ")[0] or f"WAIVE {len(kept)}"
            if key in kept and not replace:
                self.error.append(f"orders of {power}: got a second order of {key}, wanted one")
                continue
            if not moves:
                kept.pop(key, None)
            kept[key] = legal
        self._set[power] = 2 if any(order != "WAIVE" for order in kept.values()) else 1
        if wait is not None:
            self._wait[power] = wait

    def _legal(self, power: str, order: Any, is_listed: bool) -> Optional[str]:
        """An order as the package writes it; None for one that is not legal."""
        if self.is_game_done or not isinstance(order, str):
            return None
        if is_listed:
            return self._by_fleet(order) if order[0] == "F" else order
        if order == "WAIVE":
            return order if self._may_waive(power) else None
        self.lepanto.clear_orders(power)
        self.lepanto.set_orders(power, [order])
        taken: List[str] = self.lepanto.get_orders(power)
        self.lepanto.clear_orders(power)
        return taken[0] if taken else None

    def _by_fleet(self, order: str) -> str:
        """A fleet's support of a fleet, as the package keeps it: without a coast where there are two that it may help to."""
        return order[:-3] if len(self._with_coasts(order[:-3])) > 1 else order

    def _may_waive(self, power: str) -> bool:
        """True unless units have to go."""
        if self.phase_type != "A":
            return False
        places = self.get_orderable_locations(power)
        return not places or any("WAIVE" in self._all_possible()[place] for place in places)

    def _given(self, power: str) -> Dict[str, str]:
        return self._orders.get(power, {})

    def _adjusting(self, power: str) -> List[str]:
        """Orders of retreats and adjustments."""
        found = list(self._given(power).values())
        return _waived(found, self._now()["builds"][power]["count"]) if "WAIVE" in found else found

    def get_orders(self, power_name: Optional[str] = None) -> Any:
        """Orders that are set, of a power or by power, without waives."""
        if power_name is None:
            return {power: [order for order in self._given(power).values() if order != "WAIVE"] for power in self.powers}
        return [order for order in self._given(self._power(power_name)).values() if order != "WAIVE"]

    def clear_orders(self, power_name: Optional[str] = None) -> None:
        """Forgets the orders of a power, or all, and whether it waits."""
        for power in list(self.powers) if power_name is None else [self._power(power_name)]:
            for kept in (self._orders, self._set, self._wait):
                kept.pop(power, None)

    def _order_is_set(self, power: str) -> int:
        if power in self._set:
            return self._set[power]
        return int(self._has_no_orders_due(power))

    def _has_no_orders_due(self, power: str) -> bool:
        if self.is_game_done:
            return self.powers[power].is_eliminated()
        return bool(self._past) and not self.get_orderable_locations(power)

    def _waits(self, power: str) -> bool:
        return self._wait[power] if power in self._wait else not self._has_no_orders_due(power)

    def set_wait(self, power_name: str, wait: bool) -> None:
        """Says whether the phase shall wait for a power."""
        self._wait[self._power(power_name)] = bool(wait)

    def does_not_wait(self) -> bool:
        """True if every power has set orders and waits no more."""
        return all(power.is_eliminated() or power.does_not_wait() for power in self.powers.values())

    def set_comm_status(self, power_name: str, comm_status: str) -> None:
        """Says whether a power is "ready" with its messages, still "busy" with them, or "inactive"."""
        if comm_status not in COMM_STATUSES:
            raise ValueError(f"comm_status: got {shown(comm_status)}, wanted one of {', '.join(COMM_STATUSES)}")
        self.powers[self._power(power_name)].comm_status = comm_status

    # ---- votes ----

    def has_draw_vote(self) -> bool:
        """True if every power that is left has voted "yes"."""
        return all(power.vote == "yes" for power in self.powers.values() if not power.is_eliminated())

    def count_voted(self) -> int:
        return sum(power.vote != VOTES[0] for power in self.powers.values() if not power.is_eliminated())

    def clear_vote(self) -> None:
        for power in self.powers.values():
            power.vote = VOTES[0]

    # ---- playing ----

    def process(self) -> GamePhaseData:
        """Plays the phase; units without an order hold, retreats without one disband. Returns what was played.

        Raises IllegalAction for a game that is over.
        """
        game = self.lepanto
        name, kind = self.get_current_phase(), self.phase_type
        given, orders = self._orders, self.get_orders()
        lacks = self._disbanding(given) if self.welfare and kind == "A" else []
        refused: Dict[str, List[str]] = {}
        if self._over:
            raise IllegalAction("process: got a game that is over")
        mistaken = self._mistaken() if kind == "M" else []
        for power, own in orders.items():
            if own:
                kept = [order for order in own if order not in lacks] if lacks else own
                told = [order if order[-3:-2] != "/" else self._plain(order, mistaken) for order in kept]
                refused[power] = game.set_orders(power, told)
        stamp, state, about = self._tick(), self._state, self._told()
        played = game.process()

        def was() -> Dict[str, Any]:
            known = state or self._described(played["state"], about)
            return {**known, "timestamp": stamp}

        moved = self._past[-1] if self._past and kind != "M" and self._past[-1].name[-1] == "M" else None

        def came() -> Dict[str, List[OrderResult]]:
            # Units that had nowhere to go disband in the phase after.
            destroyed = [unit for unit, words in moved.results.items() if DISLODGED in words] if moved else []
            return {**{unit: [DISBAND] for unit in destroyed}, **results()}

        def results() -> Dict[str, List[OrderResult]]:
            if kind == "A":
                due = played["state"]["builds"]
                found = _adjusted(
                    {power: _waived(list(one.values()), due[power]["count"]) for power, one in given.items()}, refused
                )
                # What went without an order.
                return {**found, **{unit: [OK] for unit in played["results"] if unit not in found}}
            found = {unit: [result_of(word) for word in words] for unit, words in played["results"].items()}
            return {**found, **{unit: [VOID, *found[unit]] for unit in map(_unit, mistaken)}} if mistaken else found

        data = GamePhaseData(name, was, orders, came, self.messages)
        self._enter_history(data, kind)
        if lacks:
            self._disband(lacks)
        if self.welfare:
            self._after_welfare(name)
        elif game.is_game_done:
            solo = [power for power, own in self._now()["centers"].items() if len(own) >= self.win]
            self._end(solo or [power for power in self.powers if self.get_units(power)], f"W{name[1:5]}A")
            self._last_type = "A"
        elif int(game.phase[1:5]) - self.map.first_year >= _LONGEST or (
            game.phase == f"W{self.map.first_year + _LONGEST - 1}A"
        ):
            self.draw()
        return data

    def _mistaken(self) -> List[str]:
        """Supports of a fleet that name another coast than that to which it moves (DATC 4.B.4)."""
        found = []
        for given in self._orders.values():
            for order in given.values():
                if order[-3:-2] == "/":
                    helped, _, goal = order.partition(" S ")[2].partition(" - ")
                    move = next((own[helped] for own in self._orders.values() if helped in own), "")
                    if goal and move.startswith(f"{helped} - {goal[:4]}") and not move.endswith(goal):
                        found.append(order)
        return found

    def _plain(self, order: str, mistaken: Sequence[str] = ()) -> str:
        """An order as Lepanto lists it: a support without the coast that it helps to; one of another coast holds."""
        if order[-3:-2] != "/" or " S " not in order or " - " not in order:
            return order
        return f"{_unit(order)} H" if order in mistaken else order[:-3]

    def _enter_history(self, data: GamePhaseData, kind: str) -> None:
        self._past.append(data)
        self.messages = SortedDict()
        self._orders, self._set, self._wait = {}, {}, {}
        self.error = []
        self._last_type = kind
        self.clear_vote()
        self._changed()

    def _end(self, winners: List[str], at: Optional[str] = None) -> None:
        self.outcome = [at or self.get_current_phase(), *winners]
        self.note = f"Victory by: {', '.join(name[:3] for name in winners)}"
        self._last_type = self.phase_type
        self._over = True
        self.clear_orders()
        self._changed()

    def draw(self, winners: Optional[Sequence[str]] = None) -> Tuple[GamePhaseData, GamePhaseData]:
        """Ends the game as a draw of the winners, by default of all that have units. Returns the phase before and after."""
        standing = [name for name, power in self.powers.items() if power.units]
        drawing = standing if winners is None else [self._power(name) for name in texts("winners", winners)]
        name, kind = self.get_current_phase(), self.phase_type
        state = self.get_state()
        before = GamePhaseData(name, state, {power: [] for power in self.powers}, {}, self.messages)
        self._enter_history(before, kind)
        self._end(drawing, name)
        self._last_type = kind
        return before, GamePhaseData(COMPLETED, self.get_state(), {}, {}, {})

    # ---- the rules of Welfare Diplomacy ----

    def _disbanding(self, given: Mapping[str, Mapping[str, str]]) -> List[str]:
        """Removals that a power orders though it must not."""
        builds = self._now()["builds"]
        return [
            order
            for power, orders in given.items()
            for order in orders.values()
            if order.endswith(" D") and builds[power]["count"] >= 0 and not any(o.endswith(" B") for o in orders.values())
        ]

    def _disband(self, orders: Iterable[str]) -> None:
        position = self._position()
        gone = {order[:-2] for order in orders}
        for power, units in position["units"].items():
            position["units"][power] = [unit for unit in units if unit not in gone]
        self._put(position)

    def _after_welfare(self, name: str) -> None:
        """Points after a winter; a winter after every fall, and no end by centres."""
        if name.endswith("A"):
            state = self._now()
            for own, power in self.powers.items():
                power.welfare_points += max(0, len(state["centers"][own]) - len(state["units"][own]))
            self._changed()
        elif name.startswith("F") and not self.lepanto.phase.endswith(("R", "A")):
            self._put({**self._position(), "phase": f"W{name[1:5]}A"})

    # ---- the past ----

    def _history(self, field: str) -> LazyDict:
        """A field of all phases that were played, by name."""
        known = self._histories.get(field)
        if known is None or known[0] != len(self._past):
            phases = {data.name: data for data in self._past}
            made = LazyDict(phases, lambda name: getattr(phases[name], field), self.map._place)
            known = self._histories[field] = len(self._past), made
        return known[1]

    @property
    def state_history(self) -> LazyDict:
        """States by phase."""
        return self._history("state")

    @property
    def order_history(self) -> LazyDict:
        """Orders by phase and power."""
        return self._history("orders")

    @property
    def result_history(self) -> LazyDict:
        """Results by phase and unit."""
        return self._history("results")

    @property
    def message_history(self) -> LazyDict:
        """Messages by phase and time."""
        return self._history("messages")

    def get_phase_history(
        self,
        from_phase: Union[None, int, str] = None,
        to_phase: Union[None, int, str] = None,
        game_role: Any = None,
    ) -> List[GamePhaseData]:
        """Phases that were played, between two names or places, both included. game_role: with the messages alone that a
        power, or several, may read."""
        names = [data.name for data in self._past]
        first, last = (names[one] if isinstance(one, int) else one for one in (from_phase, to_phase))
        place = self.map._place
        found = [
            data
            for data in self._past
            if (first is None or place(first) <= place(data.name)) and (last is None or place(data.name) <= place(last))
        ]
        if not game_role:
            return found
        return [
            GamePhaseData(data.name, data._state, data.orders, data._results, self.filter_messages(data.messages, game_role))
            for data in found
        ]

    def get_phase_from_history(self, short_phase_name: str, game_role: Any = None) -> GamePhaseData:
        """Raises ValueError for a phase that was not played."""
        name = text("phase", short_phase_name)
        found = self.get_phase_history(name, name, game_role)
        if not found:
            raise ValueError(f"phase: got {shown(short_phase_name)}, wanted one of {', '.join(d.name for d in self._past)}")
        return found[0]

    def phase_history_from_timestamp(self, timestamp: int) -> List[GamePhaseData]:
        """Phases that were played at a time or later."""
        return [data for data in self._past if data.state["timestamp"] >= timestamp]

    def extend_phase_history(self, game_phase_data: GamePhaseData) -> None:
        """Adds a phase to the history. Raises ValueError for one that is there."""
        self._extend(self._past, game_phase_data)
        self._changed()

    def _extend(self, played: List[GamePhaseData], data: GamePhaseData) -> None:
        if any(one.name == data.name for one in played):
            raise ValueError(f"phase: got {data.name} a second time")
        played.append(data)
        played.sort(key=lambda one: self.map._place(one.name))

    def get_phase_data(self) -> GamePhaseData:
        """The phase that is to be played: orders None where none are set."""
        orders = {power: self.get_orders(power) if self._order_is_set(power) else None for power in self.powers}
        return GamePhaseData(self.get_current_phase(), self.get_state(), orders, {}, self.messages.copy())

    def set_phase_data(self, phase_data: Union[GamePhaseData, Sequence[GamePhaseData]], clear_history: bool = True) -> None:
        """Goes to the last of these phases, with the others as history."""
        phases = [phase_data] if isinstance(phase_data, GamePhaseData) else list(phase_data)
        if not phases:
            return
        played = [] if clear_history else list(self._past)
        for data in phases[:-1]:
            self._extend(played, data)
        last = phases[-1]
        self.set_state(last.state, clear_history=False)
        self._past, self._lost = played, None
        self._changed()
        for power, orders in last.orders.items():
            if orders is not None and not self.is_game_done:
                self.set_orders(power, orders)
        self.messages = last.messages.copy()

    def get_latest_timestamp(self) -> int:
        """The time of the latest phase or message."""
        times: List[int] = [self.timestamp_created, *self.messages, *(data.state["timestamp"] for data in self._past[-1:])]
        return max(times)

    def get_order_status(
        self, power_name: Optional[str] = None, unit: Optional[str] = None, loc: Optional[str] = None
    ) -> Any:
        """Results of the phase before: of a unit a list, of a place its unit with a list, of a power or of all by unit."""
        last = self._past[-1] if self._past else None
        results = last.results if last else {}
        if unit is not None:
            return list(results.get(unit, []))
        if loc is not None:
            return next(((one, list(words)) for one, words in results.items() if one[2:5] == loc[:3]), (loc, []))
        if power_name is None:
            return {power: self.get_order_status(power) for power in self.powers}
        units = last.state["units"][self._power(power_name)] if last else []
        return {one.lstrip("*"): list(results.get(one.lstrip("*"), [])) for one in units}

    # ---- what came of the last phase ----

    def _last(self, kind: str) -> Optional[GamePhaseData]:
        return next((data for data in reversed(self._past) if data.name[-1] == kind), None)

    @property
    def command(self) -> Dict[str, str]:
        """After moves, what each unit did: {"A PAR": "- BUR"}; "H" without an order."""
        if not self._past or self._past[-1].name[-1] != "M":
            return {}
        return _commands(self._past[-1])

    @property
    def dislodged(self) -> Dict[str, str]:
        """After moves, the units that they dislodged, with the province that each attack came from."""
        last = self._past[-1] if self._past else None
        if last is None or last.name[-1] != "M":
            return {}
        moves = {
            order.split()[1][:3]: unit[2:5]
            for unit, order in _commands(last).items()
            if order[0] == "-" and not last.results.get(unit)
        }
        return {unit: moves.get(unit[2:5], "") for unit, words in last.results.items() if DISLODGED in words}

    def _fall(self) -> int:
        """How many phases had been played by the end of the last fall; 0 before any."""
        falls = [i for i, data in enumerate(self._past) if data.name[0] == "F"]
        if falls and falls[-1] == len(self._past) - 1 and self.get_current_phase()[0] == "F":
            # Its retreats are to come.
            falls.pop()
        return falls[-1] + 1 if falls else 0

    @property
    def lost(self) -> Dict[str, Power]:
        """Centres that changed hands in the last fall, with the power that had each."""
        end = self._fall()
        if end == 0:
            return {}
        if self._lost is not None and self._lost[0] == end:
            return {center: self.powers[name] for center, name in self._lost[1].items()}
        after = self._past[end].state if end < len(self._past) else self._now()
        owners = {center: power for power, own in after["centers"].items() for center in own}
        before = self._past[end - 1].state["centers"]
        return {
            center: self.powers[power] for power, own in before.items() for center in own if owners.get(center) != power
        }

    @property
    def combat(self) -> Dict[str, Dict[int, List[List[Any]]]]:
        """Of the last moves, by province and strength the units that go or stay there, each with the supports that do not
        count against a unit of their own power."""
        last = self._last("M")
        return {} if last is None else _strengths(last)

    # ---- messages ----

    def add_message(self, message: Message) -> int:
        """Adds a message to this phase and returns its time, which it gets here if it has none.

        Raises ValueError for a sender or recipient that is none, another phase, or a time that a message has.
        """
        if not isinstance(message, Message):
            raise ValueError(f"message: got {shown(message)}, wanted a Message")
        for what, name, others in (
            ("sender", message.sender, (SYSTEM,)),
            ("recipient", message.recipient, (GLOBAL, OBSERVER, OMNISCIENT)),
        ):
            if name not in self.powers and name not in others:
                raise ValueError(f"{what} of a message: got {shown(name)}, wanted one of {', '.join([*self.powers, *others])}")
        if message.time_sent is None:
            if message.phase != self.get_current_phase():
                raise ValueError(f"phase of a message: got {shown(message.phase)}, wanted {self.get_current_phase()}")
            latest = self.messages.last_key() if self.messages else 0
            message.time_sent = max(self._tick(), latest + 1)
        if message.time_sent in self.messages:
            raise ValueError(f"time_sent of a message: got {message.time_sent} a second time")
        self.messages[message.time_sent] = message
        return message.time_sent

    def get_messages(self, power_name: Optional[str] = None, phase: Optional[str] = None) -> List[Message]:
        """Messages of this phase, or of one that was played, in the order of their times; of a power, those that it may
        read: what it sent or received, and what went to all."""
        is_current = phase is None or phase == self.get_current_phase()
        messages = self.messages if is_current else self.get_phase_from_history(str(phase)).messages
        return list((messages if power_name is None else self.filter_messages(messages, self._power(power_name))).values())

    @classmethod
    def filter_messages(
        cls, messages: SortedDict, game_role: Any, timestamp_from: Optional[int] = None, timestamp_to: Optional[int] = None
    ) -> SortedDict:
        """The messages that a power, or several, may read; "observer_type": what went to all and to those who watch;
        "omniscient_type": all."""
        roles = [game_role] if isinstance(game_role, str) else list(game_role)

        def reads(message: Message) -> bool:
            if roles == ["omniscient_type"] or message.is_global():
                return True
            if roles == ["observer_type"]:
                return message.for_observer()
            return message.recipient in roles or message.sender in roles

        return SortedDict({one.time_sent: one for one in messages.sub(timestamp_from, timestamp_to) if reads(one)})

    # ---- rules ----

    def add_rule(self, rule: str) -> None:
        """Adds a rule with those that it brings. Raises ValueError for one by which Lepanto does not play; one that the
        package does not know changes nothing."""
        self._check_rule(rule)
        if rule not in _RULES or (rule == "REAL_TIME" and "ALWAYS_WAIT" in self.rules):
            return
        brings, ends = _RULES[rule]
        for other in ends:
            self.remove_rule(other)
        self.rules += [one for one in (*brings, rule) if one not in self.rules]

    def _check_rule(self, rule: str) -> None:
        if text("rule", rule) in _UNPLAYED:
            raise ValueError(f"rule: got {rule}, wanted one of {', '.join(_RULES)}")

    def remove_rule(self, rule: str) -> None:
        if rule in self.rules:
            self.rules.remove(rule)

    # ---- a block that holds for one phase ----

    def current_state(self) -> "Game":
        """`with game.current_state():` leaves orders out that come after the phase has been played."""
        return self

    def __enter__(self) -> "Game":
        self._fixed = self._moment()
        return self

    def __exit__(self, *error: Any) -> None:
        self._fixed = None

    def _moment(self) -> Tuple[str, int]:
        return self.get_current_phase(), len(self._past)

    def is_fixed_state_unchanged(self, log_error: bool = True) -> bool:
        return self._fixed is None or self._fixed == self._moment()

    # ---- pictures, copies ----

    def render(
        self,
        incl_orders: bool = True,
        incl_abbrev: bool = False,
        output_format: str = "svg",
        output_path: Union[None, str, "os.PathLike[str]"] = None,
    ) -> str:
        """The board as SVG, as Renderer.render() draws it."""
        if self.renderer is None:
            self.renderer = Renderer(self)
        return self.renderer.render(incl_orders, incl_abbrev, output_format, output_path)

    def _drawn_board(self, incl_orders: bool) -> Drawing:
        other = self.lepanto.clone()
        for power, orders in self.get_orders().items():
            if orders and incl_orders:
                other.set_orders(power, [self._plain(order) for order in orders])
        return other.drawing(theme="light", title=self.get_current_phase())

    def _repr_svg_(self) -> str:
        return self._drawn_board(True).svg

    def __getstate__(self) -> Dict[str, Any]:
        kept = {**self.__dict__, "renderer": None}
        for name in ("_state", "_possible", "_places", "_histories"):
            del kept[name]
        return kept

    def __setstate__(self, kept: Dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._changed()

    def __deepcopy__(self, memo: Any) -> "Game":
        other: Game = object.__new__(type(self))
        memo[id(self)] = other
        shared = {"lepanto": self.lepanto.clone(), "map": self.map, "messages": self.messages.copy(), "_past": [*self._past]}
        rest = {name: value for name, value in self.__getstate__().items() if name not in shared}
        other.__setstate__({**copy.deepcopy(rest, memo), **shared})
        return other

    def __repr__(self) -> str:
        return f"<lepanto.diplomacy.Game {self.game_id}: {self.get_current_phase()}>"

    def __str__(self) -> str:
        lines = [f"GAME {self.game_id}", f"PHASE {self.phase}", f"MAP {self.map_name}"]
        lines += [f"RESULT {' '.join(self.outcome)}"] if self.outcome else []
        return "\n".join([*lines, *(f"RULE {rule}" for rule in self.rules)])


def _unit(order: str) -> str:
    """The unit of an order."""
    return " ".join(order.split()[:2])


def _commands(data: GamePhaseData) -> Dict[str, str]:
    """What the units of a movement phase did, those without an order too."""
    given = {_unit(order): order for orders in data.orders.values() for order in orders or ()}
    units = [unit for own in data.state["units"].values() for unit in own if unit[0] != "*"]
    found = {unit: given[unit][len(unit) + 1 :] if unit in given else "H" for unit in units}
    for unit, order in found.items():
        if order.endswith(" VIA") and NO_CONVOY in data.results.get(unit, ()):
            found[unit] = order[:-4]
        elif order.startswith("S F ") and " - " in order and "/" not in order[-3:]:
            # A support gets the coast of the move that it helps.
            helped, _, goal = order[2:].partition(" - ")
            coast = given.get(helped, "").partition(f" - {goal}/")[2]
            found[unit] = f"{order}/{coast}" if coast else order
    return found


def _waived(orders: List[str], due: int) -> List[str]:
    """Adjustments without waives that are more than are left."""
    while 0 < due < len(orders) and "WAIVE" in orders:
        orders.remove("WAIVE")
    return orders


def _adjusted(orders: Mapping[str, Sequence[str]], refused: Mapping[str, Sequence[str]]) -> Dict[str, List[OrderResult]]:
    """Results of adjustments: what was too many is void, and so is every waive."""
    found: Dict[str, List[OrderResult]] = {}
    for power, given in orders.items():
        for order in given:
            void = order == "WAIVE" or order in refused.get(power, ())
            found.setdefault(_unit(order), []).append(VOID if void else OK)
    return found


def _strengths(data: GamePhaseData) -> Dict[str, Dict[int, List[List[Any]]]]:
    commands, results = _commands(data), data.results
    owners = {unit: power for power, units in data.state["units"].items() for unit in units}
    at = {unit[2:5]: unit for unit in commands}

    def goal(unit: str) -> str:
        words = commands[unit].split()
        return words[1][:3] if words[0] == "-" else unit[2:5]

    supports: Dict[str, List[str]] = {unit: [] for unit in commands}
    for unit, order in commands.items():
        words = order.split()
        if words[0] == "S" and not results.get(unit) and words[2][:3] in at:
            helped = at[words[2][:3]]
            if goal(helped) == (words[4][:3] if len(words) > 3 and words[3] == "-" else helped[2:5]):
                supports[helped].append(unit)
    found: Dict[str, Dict[int, List[List[Any]]]] = {}
    for unit in commands:
        place = goal(unit)
        stays = place == unit[2:5]
        occupant = at.get(place)
        swapped = occupant is not None and goal(occupant) == unit[2:5] and not results.get(occupant)
        bounced = occupant is not None and goal(occupant) != place and bool(results.get(occupant))
        defended = not stays and not swapped and not bounced and occupant is not None
        own = [helper for helper in supports[unit] if defended and owners[helper] == owners.get(occupant or "")]
        # Without a convoy it is not there, nor if what it attacks dislodges it.
        lost = NO_CONVOY in results.get(unit, ()) or (swapped and DISLODGED in results.get(unit, ()))
        if stays or not lost:
            found.setdefault(place, {}).setdefault(1 + len(supports[unit]), []).append([unit, own])
        if not stays and results.get(unit):
            found.setdefault(unit[2:5], {}).setdefault(1, []).append([unit, []])
    return found


__all__ = ["COMPLETED", "DEFAULT_GAME_RULES", "Game"]
