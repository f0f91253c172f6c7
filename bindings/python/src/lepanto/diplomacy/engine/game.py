"""Game with the API of the package `diplomacy`, played by Lepanto's engine."""

from __future__ import annotations

import base64
import copy
import json
import os
import time
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from ..._checks import whole
from ..._pictures import Drawing, Page, replay_page
from ..._server import alone
from ...arrays import NO_ORDER
from ...batch import Batch
from ...state import Engine, _InEngine, scores_of, shared_engine
from ..utils.checks import entries, shown, text, texts
from ..utils.exceptions import DiplomacyException
from ..utils.game_phase_data import GamePhaseData
from ..utils.order_results import BOUNCE, DISBAND, DISLODGED, VOID, OrderResult, result_of
from ..utils.sorted_dict import LazyDict, SortedDict
from .map import Map
from .message import GLOBAL, OBSERVER, OMNISCIENT, SYSTEM, Message
from .moments import COMPLETED, Board, Moment, reader_of
from .power import COMM_STATUSES, VOTES, Power
from .renderer import Renderer
from .results import adjusted, commands_of, place_of, spelled, strengths, unit_of

T = TypeVar("T")
G = TypeVar("G", bound="Game")

#: Rules of a game for which none are given.
DEFAULT_GAME_RULES = ("SOLITAIRE", "NO_PRESS", "IGNORE_ERRORS", "POWER_CHOICE")
#: Rules that a game can have. Only WELFARE and NO_CHECK affect the play.
_RULES = (
    "SOLITAIRE CIVIL_DISORDER NO_PRESS PUBLIC_PRESS REAL_TIME ALWAYS_WAIT PROPOSE_DIAS NO_DIAS CD_DUMMIES "
    "DIFFERENT_ADJUDICATION IGNORE_ERRORS MULTIPLE_POWERS_PER_PLAYER NO_CHECK NO_DEADLINE NO_OBSERVATIONS "
    "POWER_CHOICE START_MASTER WELFARE"
).split()
#: Rules that are added together with a rule, keyed by that rule.
_BRINGS = {"SOLITAIRE": ["NO_DEADLINE", "CD_DUMMIES", "ALWAYS_WAIT"], "CIVIL_DISORDER": ["CD_DUMMIES"]}
#: Pairs of exclusive rules. Adding one removes the other.
_OPPOSITES = (("NO_PRESS", "PUBLIC_PRESS"), ("REAL_TIME", "ALWAYS_WAIT"), ("PROPOSE_DIAS", "NO_DIAS"))
#: Rules of the package `diplomacy` that Lepanto does not support.
_UNPLAYED = ("BUILD_ANY", "DONT_SKIP_PHASES", "HOLD_WIN", "SHARED_VICTORY")
#: Rules that have no effect on the play of a game. Saved games leave them out.
_LEFT_OUT = ("SOLITAIRE", "NO_DEADLINE", "CD_DUMMIES", "ALWAYS_WAIT", "IGNORE_ERRORS")
#: Number of years after which the package `diplomacy` ends a game as a draw.
_LONGEST = 100
#: Adjudication rules that decide as the package `diplomacy` does where DATC leaves a choice.
PACKAGE_RULES = "datc-3.2,convoyFallback=unordered,disorderGoal=home,disorderMeasure=d"
#: Keywords of Game() that set attributes.
_ATTRIBUTES = ("note", "n_controls", "deadline", "registration_password", "daide_port", "status", "error", "victory")


class Defaults:
    """Rules and engine of games that are created without an engine; install() changes them."""

    rules = "datc-3.2"


def _rule(name: str) -> bool:
    return property(lambda self: name in self.rules)  # type: ignore[return-value]


def _history(field: str, doc: str) -> LazyDict:
    """Returns a property of a game: a field of GamePhaseData for each past phase, as a dict keyed by phase name.

    field: name of the field. doc: docstring of the property.
    """

    def made(self: "Game") -> LazyDict:
        phases = {data.name: data for data in self._past}
        return LazyDict(phases, lambda name: getattr(phases[name], field), self.map._place)

    # Cached by the number of phases, because between calls of _forget() a game's past only grows.
    return property(lambda self: self._once((field, len(self._past)), lambda: made(self)), doc=doc)  # type: ignore[return-value]


class Game(_InEngine):
    """A game with orders as text and the API of the package `diplomacy`, adjudicated by DATC 3.2.

        game = Game()
        while not game.is_game_done:
            possible = game.get_all_possible_orders()
            for name, power in game.powers.items():
                game.set_orders(name, [random.choice(possible[at]) for at in game.get_orderable_locations(name)])
            game.process()

    map_name: a map of Lepanto, or "standard_welfare". None: the map of the engine, or "standard".
    rules: names of the package's rules, or WELFARE. None: DEFAULT_GAME_RULES.
    engine: engine of the game, which determines the adjudication rules. None: the engine that all games of the map
        share.
    timestamp_created: first timestamp of the game, in microseconds. Later timestamps count up from it, so that saved
        games are reproducible. None: timestamps are the current time.
    data: saved bytes of a game, made by an engine with the same map and rules. None: a new game.
    others: other keywords of the package, such as `deadline` and `note`. Keywords of servers have no effect.

    Games share an engine process. A game is stored as bytes and loaded into the engine when it is queried.
    """

    civil_disorder = _rule("CIVIL_DISORDER")
    multiple_powers_per_player = _rule("MULTIPLE_POWERS_PER_PLAYER")
    no_check = _rule("NO_CHECK")
    no_observations = _rule("NO_OBSERVATIONS")
    no_press = _rule("NO_PRESS")
    power_choice = _rule("POWER_CHOICE")
    public_press = _rule("PUBLIC_PRESS")
    real_time = _rule("REAL_TIME")
    solitaire = _rule("SOLITAIRE")
    start_master = _rule("START_MASTER")
    welfare = _rule("WELFARE")

    role = "server_type"
    #: Number of powers with a player, and duration of a phase in seconds. They have no effect.
    n_controls: Optional[int] = None
    deadline = 0

    def __init__(
        self,
        game_id: Optional[str] = None,
        map_name: Optional[str] = None,
        rules: Optional[Iterable[str]] = None,
        engine: Optional[Engine] = None,
        timestamp_created: Optional[int] = None,
        data: Optional[bytes] = None,
        **others: Any,
    ) -> None:
        self.map_name = map_name or (engine.batch.map if engine else "standard")
        self._engine = engine or shared_engine(
            "standard" if self.map_name == "standard_welfare" else self.map_name, Defaults.rules
        )
        self.map = Map._of(self._engine) if self.map_name == self._engine.batch.map else Map(self.map_name)
        self.game_id = game_id or base64.b64encode(os.urandom(12), b"-_").decode()
        self._clock = timestamp_created
        self.timestamp_created = self._tick()
        self.powers: Dict[str, Power] = {name: Power(self, name) for name in self.map.powers}
        self.rules: List[str] = []
        self.meta_rules: List[str] = []
        self.note = ""
        #: Last phase and winners, or participants of a draw: ["W1908A", "FRANCE"]. Empty before the end.
        self.outcome: List[str] = []
        #: Messages about invalid orders, units and centres in this phase.
        self.error: List[Any] = []
        #: Number of centres with which a power wins the game at the end of a year.
        self.win = self.map._win
        self.victory = [self.win]
        self.messages = SortedDict()
        self.renderer: Optional[Renderer] = None
        #: Units with refused orders in the last retreat or adjustment phase, keyed by power.
        self._wrong: Dict[str, List[str]] = {}
        self._past: List[GamePhaseData] = []
        self._moment = Moment(self._engine, data) if data else reader_of(self._engine).start
        #: Name of the phase. A program may change it.
        self._name = self._moment.name
        #: _held: lists of the position, which a program may change; None until it reads them. _key: identifies the
        #: position and the phase that the engine has.
        self._held: Optional[Board] = None
        self._key: Any = None
        #: Moments before and after the last phase of the latest fall, for `lost`.
        self._fall: Optional[Tuple[Moment, Moment]] = None
        self._status: Optional[str] = None
        self._last_type = "M"
        self._fixed: Optional[Tuple[str, int]] = None
        self._stalemate_years = self._quiet_years = 0
        self._forget()
        for rule in DEFAULT_GAME_RULES if rules is None else texts("rules", rules):
            self.add_rule(rule)
        if self.map_name == "standard_welfare":
            self.add_rule("WELFARE")
        for name in _ATTRIBUTES:
            if name in others:
                setattr(self, name, others[name])
        if others.get("win"):
            self.win = whole("win", others["win"])

    # ---- caches and the state of the engine ----

    def _forget(self) -> None:
        """Clears the cache of values that were computed from the position."""
        self._made: Optional[Moment] = None
        self._cache: Dict[Any, Any] = {}

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        """Returns the result of `make`, which is called once for each key until the position changes."""
        if key not in self._cache:
            self._cache[key] = make()
        found: T = self._cache[key]
        return found

    def _tick(self) -> int:
        """Returns the next timestamp in microseconds: the clock's; in a game with timestamp_created, one more than the
        last."""
        if self._clock is None:
            return int(time.time() * 1e6)
        self._clock += 1
        return self._clock - 1

    def _board(self) -> Board:
        """Returns the lists of the position, including changes by a program. The caller may change them."""
        if self._held is None:
            board = self._moment.board().copy()
            if self.is_game_done:
                for ways in board.retreats.values():
                    ways.clear()
            self._held, self._key = board, (board.key(), self._name)
        return self._held

    def _seen(self) -> Board:
        """Returns the lists of the position. The caller must not change them."""
        return self._moment.board() if self._held is None and not self.is_game_done else self._board()

    def _sync(self) -> Moment:
        """Returns the moment (position of the engine) of the game, after taking over changes that a program has made to
        its lists.

        Raises ValueError or LepantoError for an impossible position.
        """
        if self._held is not None or self._name != self._moment.name:
            board = self._board()
            key = board.key(), self._name
            if key != self._key or (self._name != self._moment.name and not self.is_game_done):
                self._moment = self._placed(board)
                self._key = key
        if self._made is not self._moment:
            self._forget()
            self._made = self._moment
        return self._moment

    def _placed(self, board: Board, without: Sequence[str] = ()) -> Moment:
        """Returns a new moment (position of the engine) with the lists of a board. without: units to leave out.

        Raises ValueError for changed home centres and for two units in one province, LepantoError for any other
        impossible position.
        """
        if any(sorted(own) != sorted(self.map.homes[power]) for power, own in board.homes.items()):
            raise ValueError("homes: got other home centres than those of the map, which cannot be played")
        name = self._name
        if name == COMPLETED:
            last = self._moment.name if self._moment.name != COMPLETED else f"W{self._moment.year:04}A"
            name = last if not last.endswith("A") else f"S{self._moment.year + 1:04}M"
        places = [unit[2:5] for own in board.units.values() for unit in own]
        taken = set(places)
        if len(taken) != len(places):
            raise ValueError(f"units: got two in {max(places, key=places.count)}, wanted one")
        position: Dict[str, Any] = {
            "phase": f"{name[0]}{int(name[1:-1])}{name[-1]}",
            "units": {power: [unit for unit in own if unit not in without] for power, own in board.units.items()},
            "centers": board.centers,
        }
        if name.endswith("R"):
            position["retreats"] = {
                power: {unit: [at for at in places if at[:3] not in taken] for unit, places in ways.items()}
                for power, ways in board.retreats.items()
            }
        made = board.copy()
        made.units = {power: list(own) for power, own in position["units"].items()}
        return Moment(self._engine, self._engine.state_of(position), board=made)

    def _enter(self) -> Batch:
        return self._engine.enter(self._sync())

    @property
    def _bytes(self) -> bytes:
        return self._sync()._bytes

    def _told(self) -> Dict[str, Any]:
        """Returns the fields of a state that the position does not determine: note, name, civil disorder and welfare
        points."""
        powers = self.powers.items()
        return {
            "note": self.note,
            "name": self._name,
            "civil_disorder": {name: power.civil_disorder for name, power in powers},
            "welfare_points": {name: power.welfare_points for name, power in powers},
        }

    def _state_of(self, moment: Moment, board: Board, told: Mapping[str, Any]) -> Dict[str, Any]:
        """Returns a state as in the package `diplomacy`. moment, board: the position and its lists. told: fields of
        _told(), and the timestamp."""
        builds: Dict[str, Any] = {power: {"count": 0, "homes": []} for power in self.powers}
        if told["name"].endswith("A") and moment.name.endswith("A"):
            legal = moment.legal()
            for power, count in legal.builds.items():
                free = {order[2:5] for order in legal.of(power, "") if order.endswith(" B")}
                builds[power] = {"count": count, "homes": sorted(free, key=[*board.homes[power], *sorted(free)].index)}
        made = board.copy()
        return {
            "timestamp": told["timestamp"],
            "zobrist_hash": str(reader_of(self._engine).hash(board)),
            "note": told["note"],
            "name": told["name"],
            "phase": told["name"],
            "units": {power: board.all_units(power) for power in self.powers},
            "retreats": made.retreats,
            "centers": made.centers,
            "homes": made.homes,
            "influence": made.influence,
            "civil_disorder": told["civil_disorder"],
            "builds": builds,
            "welfare_points": told["welfare_points"],
        }

    def _state_at(self, moment: Moment, told: Mapping[str, Any]) -> Callable[[], Dict[str, Any]]:
        """Returns a function that makes the state of a moment. told: fields of _told(), and the timestamp."""
        return lambda: self._state_of(moment, moment.board(), told)

    def _each(self, power_name: Optional[str], of: Callable[[str], Any]) -> Any:
        """Returns the result of `of` for one power; for None a dict of its results for all powers, keyed by power.

        Raises DiplomacyException, a ValueError, for an unknown power.
        """
        if power_name is None:
            return {power: of(power) for power in self.powers}
        return of(self._power(power_name))

    def _power(self, power_name: str) -> str:
        if isinstance(power_name, str) and power_name in self.powers:
            return power_name
        name = power_name.upper() if isinstance(power_name, str) else ""
        if name not in self.powers:
            raise DiplomacyException(f"power: got {shown(power_name)}, wanted one of {', '.join(self.powers)}")
        return name

    # ---- the phase ----

    def get_current_phase(self) -> str:
        """Returns the short name of the phase, such as S1901M, or COMPLETED."""
        return self._name

    @property
    def current_short_phase(self) -> str:
        return self._name

    @property
    def phase(self) -> str:
        """Long name of the phase, such as SPRING 1901 MOVEMENT, or COMPLETED. Can be set to a long or short name."""
        return self._name if self._name == COMPLETED else self.map.phase_long(self._name)

    @phase.setter
    def phase(self, phase: str) -> None:
        self.set_current_phase(phase)

    @property
    def phase_type(self) -> str:
        """Type of the phase: M, R or A. After the end of the game: type of the phase that was played last."""
        return self._last_type if self._name == COMPLETED else self._name[-1]

    @property
    def is_game_done(self) -> bool:
        return self._name == COMPLETED

    @property
    def status(self) -> str:
        """ "completed" after the end of the game, otherwise the status set by set_status(), "active" by default."""
        return "completed" if self.is_game_done else self._status or "active"

    @status.setter
    def status(self, status: str) -> None:
        self.set_status(status)

    def set_status(self, status: str) -> None:
        """Sets the status: "forming", "active", "paused", "completed" or "canceled". It does not affect the game.
        Raises ValueError for others."""
        if status not in ("forming", "active", "paused", "completed", "canceled"):
            raise ValueError(f"status: got {shown(status)}, wanted forming, active, paused, completed or canceled")
        self._status = status

    is_game_active = property(lambda self: self.status == "active")
    is_game_completed = property(lambda self: self.status == "completed")
    is_game_forming = property(lambda self: self.status == "forming")
    is_game_paused = property(lambda self: self.status == "paused")
    is_game_canceled = property(lambda self: self.status == "canceled")

    def set_current_phase(self, new_phase: str) -> None:
        """Changes the phase without changing the position. new_phase: a name such as "F1903M", a long name or
        COMPLETED.

        Raises ValueError for other texts.
        """
        name = self.map.phase_abbr(new_phase) if " " in text("phase", new_phase) else new_phase.upper()
        if name != COMPLETED and (self.map.phase_long(name) == "?????" or int(name[1:-1]) < 1):
            raise ValueError(f"phase: got {shown(new_phase)}, wanted one as S1901M or COMPLETED")
        self._board()
        self._last_type = self.phase_type
        self._name = name if name == COMPLETED else f"{name[0]}{int(name[1:-1]):04}{name[-1]}"

    # ---- the position ----

    def get_state(self) -> Dict[str, Any]:
        """Returns the position as a dict: units, retreats, centers, homes, influence, builds, zobrist_hash and
        others."""
        moment = self._sync() if self._name.endswith("A") else self._moment
        return self._state_of(moment, self._seen(), {**self._told(), "timestamp": self._tick()})

    def get_units(self, power_name: Optional[str] = None) -> Any:
        """Returns the units of a power as a list, dislodged ones last, as "*A PAR". power_name: None for all powers, as
        a dict keyed by power.

        Raises ValueError for an unknown power.
        """
        return self._each(power_name, self._seen().all_units)

    def get_centers(self, power_name: Optional[str] = None) -> Any:
        """Returns the centres of a power as a list. power_name: None for all powers, as a dict keyed by power.

        Raises ValueError for an unknown power.
        """
        centers = self._seen().centers
        return self._each(power_name, lambda power: list(centers[power]))

    def get_power(self, power_name: str) -> Optional[Power]:
        return self.powers.get(power_name)

    def has_power(self, power_name: str) -> bool:
        return power_name in self.powers

    def get_map_power_names(self) -> Any:
        return self.powers.keys()

    def get_hash(self) -> str:
        """Returns the hash that the package `diplomacy` has for the position, a decimal number as text."""
        return str(reader_of(self._engine).hash(self._seen()))

    rebuild_hash = get_hash

    def set_units(self, power_name: str, units: Union[str, Sequence[str]], reset: bool = False) -> None:
        """Puts units of a power on the board and removes other units in their provinces.

        units: "A PAR", or "*A PAR" for a dislodged unit. Units at impossible locations are skipped and named in
            `error`. reset: True first removes all units of the power. Raises ValueError for an unknown power.
        """
        power, given = self._power(power_name), texts("units", units)
        self._place(self._board(), power, given, reset)
        if self._name.endswith("R"):
            self._open_ways(self._board())

    def _place(self, board: Board, power: str, units: Iterable[str], reset: bool) -> None:
        if reset:
            board.units[power].clear()
            board.retreats[power].clear()
            board.influence[power].clear()
        for given in units:
            unit, is_dislodged = given.lstrip("*").upper(), given.startswith("*")
            if unit.count(" ") != 1 or not all(unit.split(" ")) or not self.map.is_valid_unit(unit):
                self.error.append(f"units of {power}: got {shown(given)}, wanted one that can be there")
                continue
            place = unit[2:5]
            for other in self.powers:
                if place in board.influence[other]:
                    board.influence[other].remove(place)
                there: Any = board.retreats[other] if is_dislodged else board.units[other]
                for one in [one for one in there if one[2:5] == place]:
                    if is_dislodged:
                        del there[one]
                    else:
                        there.remove(one)
            if is_dislodged:
                board.retreats[power][unit] = []
            else:
                board.units[power].append(unit)
            board.influence[power].append(place)

    def _open_ways(self, board: Board) -> None:
        """Lets each dislodged unit of a board retreat to all empty neighbouring locations."""
        taken = {unit[2:5] for own in board.units.values() for unit in own}
        for ways in board.retreats.values():
            for unit, places in ways.items():
                near = [at.upper() for at in self.map.abut_list(unit[2:], incl_no_coast=True)]
                places[:] = [at for at in near if at[:3] not in taken and self.map.abuts(unit[0], unit[2:], "-", at)]

    def set_centers(self, power_name: str, centers: Union[str, Sequence[str]], reset: bool = False) -> None:
        """Gives centres to a power, and takes them from their owners. reset: True first removes all centres of the
        power. Names of other places are skipped and named in `error`.

        Raises ValueError for an unknown power.
        """
        power, given = self._power(power_name), texts("centers", centers)
        self._own(self._board(), power, given, reset)

    def _own(self, board: Board, power: str, centers: Iterable[str], reset: bool) -> None:
        if reset:
            board.centers[power].clear()
        for center in centers:
            if center not in self.map.scs:
                self.error.append(f"centers of {power}: got {shown(center)}, wanted a supply centre")
                continue
            for own in board.centers.values():
                if center in own:
                    own.remove(center)
            board.centers[power].append(center)

    def clear_units(self, power_name: Optional[str] = None) -> None:
        """Removes the units of a power from the board, its dislodged ones too. power_name: None for all powers.

        Raises ValueError for an unknown power.
        """
        board = self._board()
        self._each(power_name, lambda power: self._place(board, power, (), True))

    def clear_centers(self, power_name: Optional[str] = None) -> None:
        """Removes all centres from a power; they then have no owner. power_name: None for all powers.

        Raises ValueError for an unknown power.
        """
        centers = self._board().centers
        self._each(power_name, lambda power: centers[power].clear())

    def clear_cache(self) -> None:
        """Clears the cache of the position. Has no effect on results."""
        self._forget()

    build_caches = clear_cache

    def set_state(self, state: Mapping[str, Any], clear_history: bool = True) -> None:
        """Sets the position to a state of get_state(). clear_history: True also removes all past phases and messages.

        Raises ValueError for an invalid state; the game is then unchanged. A position that cannot be played raises an
        error when the game's orders are next read or processed.
        """
        if entries("state", state).get("map", self.map_name) != self.map_name:
            raise ValueError(f"map of a state: got {shown(state['map'])}, wanted {self.map_name!r}")
        rules = texts("rules", state.get("rules", []))
        for rule in rules:
            self._check_rule(rule)
        name, before = (text("name of a state", state.get("name") or self._name), self._name)
        board = self._board().copy()

        def told(field: str) -> List[Tuple[str, Any]]:
            return [
                (self._power(power), own) for power, own in entries(f"{field} of a state", state.get(field, {})).items()
            ]

        for power, units in told("units"):
            self._place(board, power, texts("units of a state", units), reset=True)
        if name.endswith("R"):
            self._open_ways(board)
        for power, ways in told("retreats"):
            for unit, places in entries("retreats of a state", ways).items():
                if unit in board.retreats[power]:
                    board.retreats[power][unit] = texts("retreats of a state", places)
        for power, centers in told("centers"):
            self._own(board, power, texts("centers of a state", centers), reset=True)
        for power, places in told("influence"):
            board.influence[power] = texts("influence of a state", places)
        disorder = told("civil_disorder")
        points = [(power, whole("welfare_points", one)) for power, one in told("welfare_points")]
        if name != "FORMING":
            self.set_current_phase(name)
        if name == COMPLETED and before != COMPLETED:
            self._last_type = before[-1]
        # The state is valid: the changes below cannot fail halfway.
        self._board().fill(board)
        for one in self.powers.values():
            one.clear_orders()
        if clear_history:
            self._past, self._fall = [], None
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
        self._forget()

    # ---- orders ----

    def get_orderable_locations(self, power_name: Optional[str] = None) -> Any:
        """Returns the provinces where a power has an order due, sorted. power_name: None for all powers, keyed by
        power.

        Raises ValueError for an unknown power.
        """
        found = self._orderable()
        if power_name in found:
            return found[power_name].copy()
        return self._each(power_name, lambda power: found[power].copy())

    def _orderable(self) -> Dict[str, List[str]]:
        moment = self._sync()

        def made() -> Dict[str, List[str]]:
            legal = None if self.is_game_done else moment.legal()
            found = {power: legal.orderable(power) for power in self.powers} if legal else {}
            if self.is_game_done or (self.welfare and self.phase_type == "A"):
                # After the end of a game the package lists the provinces of all units.
                for power, own in self._seen().units.items():
                    found[power] = sorted({*found.get(power, ()), *(unit[2:5] for unit in own)})
            return found

        return self._once("orderable", made)

    def get_all_possible_orders(self) -> Dict[str, List[str]]:
        """Returns the legal orders, keyed by location, always in the same sequence. Orders of a fleet on a coast are
        listed for the coast and for its province."""
        found = self._all_possible()
        return {place: found[place].copy() if place in found else [] for place in self.map._places}

    def _all_possible(self) -> Dict[str, List[str]]:
        """Returns the legal orders, keyed by the locations that have some. The caller must not change the result."""
        moment = self._sync()

        def made() -> Dict[str, List[str]]:
            if self.is_game_done:
                return {}
            legal = moment.legal().orders
            if self.phase_type == "A":
                return self._complete({place: list(legal.get(place, ())) for place in self.map._places})
            to_coasts = self._engine.texts.to_coasts
            # A support of a fleet's move may name the coast of the destination.
            return {
                place: orders
                if to_coasts.isdisjoint(orders)
                else orders + [named for order in orders if order in to_coasts for named in self._with_coasts(order)]
                for place, orders in legal.items()
            }

        return self._once("possible", made)

    def _with_coasts(self, order: str) -> List[str]:
        """Returns versions of a support of a fleet's move that name the coast: one for each coast that the fleet can
        reach. Empty for other orders.

        order: the support without a coast.
        """
        helped, _, goal = order.partition(" S F ")[2].partition(" - ")
        if not goal:
            return []
        reach = self.map._fleets[helped]
        return [f"{order}{at[3:]}" for at in self.map.find_coasts(goal) if "/" in at and at in reach]

    def _complete(self, found: Dict[str, List[str]]) -> Dict[str, List[str]]:
        """Completes the legal orders of a winter: adds waives for coasts, and the disbands that WELFARE allows. Changes
        `found` and returns it.

        found: legal orders, keyed by location.
        """
        for place, orders in found.items():
            if "/" in place and "WAIVE" in found[place[:3]] and "WAIVE" not in orders:
                orders.append("WAIVE")
        if self.welfare:
            for units in self._seen().units.values():
                for unit in units:
                    for place in {unit[2:], unit[2:5]}:
                        if f"{unit} D" not in found[place]:
                            found[place].append(f"{unit} D")
        return found

    def set_orders(
        self,
        power_name: str,
        orders: Union[str, Sequence[str]],
        expand: bool = True,
        replace: bool = True,
        wait: Optional[bool] = None,
    ) -> List[str]:
        """Sets orders of a power. Units without a new order keep their orders. Returns the illegal ones among the given
        orders, which are skipped and named in `error`.

        expand: True allows any usual notation, and removes the coast from a support if the supported fleet can reach
        two coasts. False: orders must be spelled as in get_all_possible_orders(), and a support that names another
        coast than the move fails (DATC 6.B.9). replace: False keeps existing orders of units. wait: if not None, calls
        set_wait().

        In a block `with game.current_state()`, does nothing and returns [] once the phase was processed. Raises
        ValueError for orders that are not texts, DiplomacyException for an unknown power.
        """
        power = self.powers[power_name] if power_name in self.powers else self.powers[self._power(power_name)]
        if self._fixed is not None and not self.is_fixed_state_unchanged():
            return []
        if not isinstance(orders, (str, list, tuple)):
            raise ValueError(f"orders of {power.name}: got {shown(orders)}, wanted texts")
        given = [orders] if isinstance(orders, str) else [order for order in orders if order]
        if self.phase_type == "M":
            refused = self._give_moves(power, given, expand, replace)
            power._is_set = 2 if power.orders else 1
        else:
            refused = self._give_adjustments(power, given, expand, replace)
            power._is_set = 2 if any(order != "WAIVE" for order in power.adjust) else 1
        if wait is not None:
            power.wait = wait
        return refused

    def _give_moves(self, power: Power, given: Sequence[Any], expand: bool, replace: bool) -> List[Any]:
        kept, refused = power.orders, []
        if self.no_check:
            self._keep_unchecked(kept, given, replace)
            given = [order for order in given if not isinstance(order, str)]
        if not given:
            return []
        found = self._finder(power.name)
        for order in given:
            # Most orders are spelled as the list has them. _legal() reads all other spellings.
            legal = found(order) if isinstance(order, str) else None
            if legal is None or legal[-3:-2] == "/":
                legal = self._legal(power.name, order, expand)
            if legal is None:
                self._refuse(power.name, order)
                refused.append(order)
                continue
            unit = legal[:8] if legal[5:6] == "/" else legal[:5]
            if not replace and unit in kept:
                self.error.append(f"orders of {power.name}: got a second order of {unit}, wanted one")
                continue
            kept[unit] = legal[len(unit) + 1 :]
        return refused

    @staticmethod
    def _keep_unchecked(kept: Dict[str, str], given: Sequence[Any], replace: bool) -> None:
        """Adds orders to a power without checks. kept: the power's orders, keyed by number, which is changed.

        given: texts; other values are skipped. replace: True empties earlier orders of the same units.
        """
        for order in given:
            if isinstance(order, str):
                words = order.split()
                place = "".join(words[1:2])[:3]
                for name in [name for name, one in kept.items() if replace and "".join(one.split()[1:2])[:3] == place]:
                    kept[name] = ""
                kept[f"ORDER {len(kept) + 1}"] = " ".join(words)

    def _refuse(self, power: str, order: Any) -> None:
        self.error.append(f"order of {power}: got {shown(order)}, wanted a legal one in {self._name}")

    def _give_adjustments(self, power: Power, given: Sequence[Any], expand: bool, replace: bool) -> List[Any]:
        if not given:
            power.adjust = []
            return []
        fresh: List[str] = []
        refused, places = [], set()
        ordered = {place_of(one) for one in power.adjust}
        for order in given:
            legal = self._legal(power.name, order, expand)
            if legal is None or (legal != "WAIVE" and place_of(legal) in places):
                self._refuse(power.name, order)
                refused.append(order)
                fresh.append(f"VOID {order}")
            elif not replace and place_of(legal) and place_of(legal) in ordered:
                self.error.append(f"orders of {power.name}: got a second order of {legal[:5]}, wanted one")
            else:
                places.add(place_of(legal))
                fresh.append(legal)
        power.adjust = [order for order in power.adjust if not place_of(order) or place_of(order) not in places]
        power.adjust += fresh
        if "WAIVE" in power.adjust:
            due = self._builds(power.name)
            while 0 < due < len(power.adjust) and "WAIVE" in power.adjust:
                power.adjust.remove("WAIVE")
        return refused

    def _builds(self, power: str) -> int:
        """Returns the number of builds that a power can make, negative for removals; 0 outside adjustment phases."""
        return self._sync().legal().builds[power] if self.phase_type == "A" and not self.is_game_done else 0

    def _finder(self, power: str) -> Callable[[str], Optional[str]]:
        """Returns a function that checks an order: it returns the order if the legal orders of its unit have exactly
        this text, otherwise None. VIA may be missing.

        power: power of the unit.
        """
        possible, own = self._all_possible(), self._orderable()[power]

        def found(written: str) -> Optional[str]:
            listed = possible.get(written[2:8] if written[5:6] == "/" else written[2:5])
            if listed is None or written[2:5] not in own:
                return None
            # VIA may be omitted if an army can move only by convoy.
            is_legal = written in listed or (" - " in written and f"{written} VIA" in listed)
            return written if is_legal else None

        return found

    def _legal(self, power: str, order: Any, expand: bool) -> Optional[str]:
        """Returns an order in the spelling of the package `diplomacy`, None for an illegal order. power: who gives it.

        expand: as for set_orders().
        """
        if not isinstance(order, str):
            return None
        found = self._finder(power)
        written = found(order)
        if written is not None or not expand:
            return self._by_fleet(order) if written and expand else written
        if self.is_game_done:
            return None
        if order == "WAIVE":
            return order if self._may_waive(power) else None
        plain = spelled(order, self.map, self.phase_type, self._unit_in) if len(order) < 200 else ""
        written = found(plain)
        if written is None:
            with self._lock:
                ask = self._enter()._server.ask
                (entry,) = ask(op="parse", game=0, power=power, orders=[order])
                written = ask(op="format", game=0, ids=[entry["id"]])[0] if entry["reason"] is None else None
        if written is None:
            return None
        # An order that calls a fleet an army, or the reverse, is for another unit.
        kind = plain[:1] if plain[1:2] == " " and plain[2:5] == written[2:5] else ""
        if kind in ("A", "F") and order.split()[0].upper()[:1] == kind and written[0] != kind:
            return None
        return self._by_fleet(written)

    def _unit_in(self, place: str) -> Optional[str]:
        """Returns the unit in a province, for example "A PAR"; in retreat phases the dislodged one. None if there is
        none.

        place: the province, or a coast of it.
        """
        board = self._seen()
        fields: Iterable[Any] = (board.retreats if self.phase_type == "R" else board.units).values()
        return next((unit for own in fields for unit in own if unit[2:5] == place[:3]), None)

    def _by_fleet(self, order: str) -> str:
        """Removes the coast from a fleet's support of a move to a province of which the moving fleet can reach two
        coasts, as the package `diplomacy` does. Returns other orders unchanged."""
        is_coast = order[-3:-2] == "/" and order[0] == "F"
        return order[:-3] if is_coast and len(self._with_coasts(order[:-3])) > 1 else order

    def _may_waive(self, power: str) -> bool:
        """True if a power may waive a build: in adjustment phases, unless it has removals due. Always in adjustment
        phases under WELFARE."""
        return self.phase_type == "A" and (self._builds(power) >= 0 or self.welfare)

    def get_orders(self, power_name: Optional[str] = None) -> Any:
        """Returns the orders set for this phase of a power as a list, without waives and refused orders. power_name:
        None for all powers, keyed by power.

        Raises ValueError for an unknown power.
        """
        moves, no_check = self.phase_type == "M" and not self.is_game_done, self.no_check

        def of(name: str) -> List[str]:
            power = self.powers[name]
            if not moves:
                return [order for order in power.adjust if order != "WAIVE" and not order.startswith("VOID ")]
            if no_check:
                return [order for order in power.orders.values() if order]
            return [f"{unit} {order}" for unit, order in power.orders.items()]

        return self._each(power_name, of)

    def clear_orders(self, power_name: Optional[str] = None) -> None:
        """Removes the orders of a power for this phase, and resets its `wait`. power_name: None for all powers.

        Raises ValueError for an unknown power.
        """
        self._each(power_name, lambda power: self.powers[power].clear_orders())

    def set_wait(self, power_name: str, wait: bool) -> None:
        """Sets whether a power asks to wait before the phase is processed. Raises ValueError for an unknown power."""
        self.powers[self._power(power_name)].wait = wait

    def does_not_wait(self) -> bool:
        """True if every surviving power has set orders and does not wait."""
        return all(power.is_eliminated() or power.does_not_wait() for power in self.powers.values())

    def set_comm_status(self, power_name: str, comm_status: str) -> None:
        """Sets whether a power is "ready" with its messages, "busy" writing or "inactive". Raises ValueError for
        others."""
        if comm_status not in COMM_STATUSES:
            raise ValueError(f"comm_status: got {shown(comm_status)}, wanted one of {', '.join(COMM_STATUSES)}")
        self.powers[self._power(power_name)].comm_status = comm_status

    # ---- votes ----

    def has_draw_vote(self) -> bool:
        """True if every power that is not eliminated has voted "yes" to a draw."""
        return all(power.vote == "yes" for power in self.powers.values() if not power.is_eliminated())

    def count_voted(self) -> int:
        return sum(power.vote != VOTES[0] for power in self.powers.values() if not power.is_eliminated())

    def clear_vote(self) -> None:
        for power in self.powers.values():
            power.vote = VOTES[0]

    # ---- playing ----

    @alone
    def process(self) -> GamePhaseData:
        """Plays the phase and returns its data. Units without an order hold, dislodged units without an order disband.

        Has no effect on a game that is over; returns its current phase. Raises IllegalAction for an illegal order that
        a program wrote directly into Power.orders or Power.adjust.
        """
        if self.is_game_done:
            return self.get_phase_data()
        name, kind, before = self._name, self.phase_type, self._sync().fork()
        orders, played = self.get_orders(), before
        mistaken: List[str] = []
        voids: List[str] = []
        self._wrong = {}
        if name[0] == "F" and not reader_of(self._engine).owners(before.position):
            # If no power owns a centre, the package gives all powers their home centres in winter.
            homes = copy.deepcopy(before.board())
            homes.centers = {power: list(own) for power, own in homes.homes.items()}
            played = self._placed(homes)
        told = orders
        if kind != "M":
            told, voids, gone = self._adjustments(kind)
            if gone:
                played = self._placed(before.board(), gone)
        about, board = {**self._told(), "timestamp": self._tick()}, self._held
        if board is not None:
            before._board = board.copy()
        batch = self._engine.enter(played)
        if self.no_check or not self._write_actions(batch, played, told):
            if kind == "M":
                told, mistaken, voids = self._moves()
            if not self._write_actions(self._engine.enter(played), played, told):
                # A program may have written any text into Power.orders.
                batch._rows["actions"][0] = batch.actions_from_text(
                    0, {power: list(own) for power, own in told.items()}
                )
        played.orders = told
        data = self._engine.play_known()
        after = Moment(self._engine, data, batch._rows["state"][0].tobytes(), played)
        before.orders, before._legal = told, None
        destroyed = self._last("M") if kind != "M" else None
        dropped: Sequence[str] = (
            [order for power in self.powers.values() for order in power.adjust] if kind == "A" else ()
        )

        def came() -> Dict[str, List[OrderResult]]:
            # Dislodged units without a retreat are reported as disbanded in the next phase.
            lost = [unit for unit, words in destroyed.results.items() if DISLODGED in words] if destroyed else []
            found: Dict[str, List[OrderResult]] = {unit: [DISBAND] for unit in lost}
            if kind == "A":
                return {**found, **adjusted(before.board(), after.board(), dropped, voids)}
            found.update({unit: [result_of(word) for word in words] for unit, words in before.words().items()})
            for unit in [*map(unit_of, mistaken), *voids]:
                found[unit] = [VOID, *found.get(unit, [])]
            return found

        self._moment, self._name = after, after.name
        was = self._state_at(before, about)
        self._enter_history(GamePhaseData(name, was, orders, came, self.messages, before), kind)
        if board is not None:
            # Updates the existing lists, to which a program may hold references.
            board.fill(after.board())
            self._key = (board.key(), self._name)
        if name[0] == "F" and self._name[0] != "F":
            self._fall = before, after
        self._end_of_phase(name, before)
        return self._past[-1]

    def _moves(self) -> Tuple[Dict[str, List[str]], List[str], List[str]]:
        """Returns the orders of a movement phase in the engine's spelling, keyed by power; the supports that name a
        wrong coast (DATC 4.B.4); and the units of illegal orders under NO_CHECK."""
        voids = self._checked() if self.no_check else []
        legal = self._sync().legal()
        mistaken: Optional[List[str]] = None
        told: Dict[str, List[str]] = {}
        for name, power in self.powers.items():
            own = told[name] = []
            slots = legal.slots[name]
            for unit, order in power.orders.items():
                text_, listed = f"{unit} {order}", slots.get(unit[2:5])
                if listed is None or text_ in listed[1]:
                    # The package ignores orders of units that do not exist.
                    own += [text_] if listed else []
                elif " S " in text_ and text_[-3:-2] == "/":
                    mistaken = self._mistaken() if mistaken is None else mistaken
                    own.append(f"{unit} H" if text_ in mistaken else text_[:-3])
                else:
                    own.append(f"{text_} VIA" if f"{text_} VIA" in listed[1] else text_)
        return told, mistaken or [], voids

    def _checked(self) -> List[str]:
        """Replaces the orders that were set under NO_CHECK by the legal ones among them; a unit with two legal orders
        holds. Returns the units of the illegal orders."""
        voids = []
        for name, power in self.powers.items():
            given, power.orders = ([order for order in power.orders.values() if order], {})
            for order in given:
                legal = self._legal(name, order, True)
                words = order.upper().split()
                unit = unit_of(legal) if legal else self._unit_in((words[1:2] or [""])[0]) or " ".join(words[:2])
                if legal is None:
                    voids += [unit] if self._unit_owner(unit) in (power, None) else []
                else:
                    # If a unit has two orders, neither counts.
                    power.orders[unit] = "H" if unit in power.orders else legal[len(unit) + 1 :]
        return list(dict.fromkeys(voids))

    def _adjustments(self, kind: str) -> Tuple[Dict[str, List[str]], List[str], List[str]]:
        """Returns three things for a retreat or adjustment phase: the orders in the engine's spelling, keyed by power;
        the units of refused and surplus orders; and the units that powers disband voluntarily under WELFARE.

        kind: "R" or "A".
        """
        told: Dict[str, List[str]] = {}
        voids: List[str] = []
        gone: List[str] = []
        for name, power in self.powers.items():
            wrong = self._wrong[name] = [unit_of(order[5:]) for order in power.adjust if order.startswith("VOID ")]
            voids += wrong
            own = [order for order in power.adjust if order != "WAIVE" and not order.startswith("VOID ")]
            if kind == "A":
                due = self._builds(name)
                letter = "D" if due < 0 else "B"
                if self.welfare and own:
                    letter = own[0][-1]
                fitting = [order for order in own if order[-1] == letter]
                most = len(fitting) if self.welfare and letter == "D" else abs(due)
                voids += [unit_of(order) for order in own if order not in fitting[:most]]
                own = fitting[:most]
                if self.welfare and letter == "D":
                    gone += [unit_of(order) for order in own]
                    own = []
            told[name] = own
        return told, voids, gone

    def _write_actions(self, batch: Batch, moment: Moment, orders: Mapping[str, Sequence[str]]) -> bool:
        """Writes orders into the array `actions` of the engine's slot. Returns False if one of them is not legal.

        moment: position that the slot has. orders: texts, keyed by power.
        """
        cells, legal = self._engine.action_cells, moment.legal()
        batch._rows["actions"][0].fill(NO_ORDER)
        try:
            for power, own in orders.items():
                slots = legal.slots[power]
                for place, order in enumerate(own):
                    slot, listed = slots["" if legal.adjusts else order[2:5]]
                    cells[slot + place if legal.adjusts else slot] = listed.index(order)
        except (KeyError, TypeError, ValueError):
            return False
        return True

    def _mistaken(self) -> List[str]:
        """Returns supports of a fleet's move that name another coast than the move (DATC 4.B.4)."""
        found = []
        for power in self.powers.values():
            for unit, order in power.orders.items():
                if order[-3:-2] == "/" and order[:4] == "S F ":
                    helped, _, goal = order[2:].partition(" - ")
                    move = next((other.orders[helped] for other in self.powers.values() if helped in other.orders), "")
                    if goal and move.startswith(f"- {goal[:4]}") and not move.endswith(goal):
                        found.append(f"{unit} {order}")
        return found

    def _end_of_phase(self, name: str, before: Moment) -> None:
        """Updates welfare points, the name of the phase and the end of the game after a phase was played.

        name: the played phase. before: position before it.
        """
        year, is_over = int(name[1:-1]), self._moment.name == COMPLETED
        if self.welfare:
            if name.endswith("A"):
                board = self._board()
                for own, power in self.powers.items():
                    power.welfare_points += max(0, len(board.centers[own]) - len(board.units[own]))
            if is_over or (name[0] == "F" and self._name[-1] != "R" and self._name[0] != "W"):
                self._board()
                self._name = f"W{year:04}A" if name[0] == "F" else f"S{year + 1:04}M"
            return
        is_fall_over = name[0] == "F" and self._name[0] != "F"
        if not is_fall_over and not is_over:
            return
        read = reader_of(self._engine).owners
        owners, had = read(self._moment.position), list(read(before.position).values())
        counts = {power: list(owners.values()).count(power) for power in self.powers}
        most = [power for power, count in counts.items() if count == max(counts.values())]
        is_won = len(most) == 1 and counts[most[0]] >= self.win and (is_over or counts[most[0]] > had.count(most[0]))
        if is_won or (is_over and self.win == self.map._win):
            self._name = name
            self._end(most if is_won else self._standing(), f"W{name[1:-1]}A")
            self._last_type = "A"
            return
        if is_over:
            # The engine has ended the game at its map's number of centres, but this game needs more: it continues.
            self._board()
            self._name = f"W{year:04}A"
            if not any(self._sync().legal().builds.values()):
                self._name = f"S{year + 1:04}M"
        self._quiet_years = self._quiet_years + 1 if owners == read(before.position) else 0
        if year - self.map.first_year + 1 >= _LONGEST:
            self._drawn(self._standing(), f"W{year:04}A")
        elif self._stalemate_years and self._quiet_years >= self._stalemate_years:
            self._name = name
            self._end(self._standing())

    def _enter_history(self, data: GamePhaseData, kind: str) -> None:
        self._past.append(data)
        self.messages = SortedDict()
        self.error = []
        self._last_type = kind
        for power in self.powers.values():
            power.clear_orders()
            power.vote = VOTES[0]

    def _end(self, winners: List[str], at: Optional[str] = None) -> None:
        self.outcome = [at or self._name, *winners]
        self.note = f"Victory by: {', '.join(name[:3] for name in winners)}"
        self._last_type = self.phase_type
        self._name = COMPLETED
        if self._held is not None:
            for ways in self._held.retreats.values():
                ways.clear()
            self._key = self._held.key(), COMPLETED
        self.clear_orders()
        self._forget()

    def draw(self, winners: Optional[Sequence[str]] = None) -> Tuple[GamePhaseData, GamePhaseData]:
        """Ends the game as a draw. Returns the data of the phase that is ended, without orders, and of the end.

        winners: powers that share the draw; None: all powers with units. Raises ValueError for an unknown power.
        """
        self._sync()
        return self._drawn(
            self._standing() if winners is None else [self._power(name) for name in texts("winners", winners)],
            self._name,
        )

    def _drawn(self, drawing: List[str], name: str) -> Tuple[GamePhaseData, GamePhaseData]:
        kind, moment, stamp = self.phase_type, self._moment, self._tick()
        was = self._state_at(moment, {**self._told(), "name": name, "timestamp": stamp})
        before = GamePhaseData(name, was, {power: [] for power in self.powers}, {}, self.messages, moment)
        self._enter_history(before, kind)
        self._end(drawing, name)
        self._last_type = kind
        end = self._state_at(moment, {**self._told(), "timestamp": stamp})
        return before, GamePhaseData(COMPLETED, end, {}, {}, {})

    def _standing(self) -> List[str]:
        """Returns the names of the powers that have units on the board."""
        return [power for power, own in reader_of(self._engine).units(self._moment.position).items() if own]

    def _finish(self, victors: Sequence[str]) -> None:
        """Ends the game at once. victors: names of the winners."""
        self._end(list(victors))

    def set_draw_on_stalemate_years(self, years: int) -> None:
        """Sets the number of consecutive years without a change of centres after which the game is a draw. 0 or less:
        never."""
        self._stalemate_years = max(years, 0)

    def get_consecutive_years_without_sc_change(self) -> int:
        """Returns the number of years since centres last changed hands."""
        return self._quiet_years

    @alone
    def get_scores(self, system: str = "sum_of_squares") -> List[float]:
        """Returns the scores of the powers, in alphabetical order, as if the game ended now. system: one of
        lepanto.SCORES.

        Raises ValueError for an unknown system.
        """
        batch = self._enter()
        return scores_of(batch, 0, batch.score_index(system))

    # ---- private names of the package that programs use ----

    def _abuts(self, unit_type: str, unit_loc: str, order_type: str, other_loc: str) -> int:
        return self.map.abuts(unit_type, unit_loc, order_type, other_loc)

    def _unit_owner(self, unit: str, coast_required: Any = 1) -> Optional[Power]:
        """Returns the power that has a unit, such as "F STP/SC"; None if no power has it. Dislodged units do not count.

        coast_required: if false, "F STP" matches a fleet on any coast.
        """
        for name, own in self._seen().units.items():
            if unit in own or (not coast_required and any(one.partition("/")[0] == unit for one in own)):
                return self.powers[name]
        return None

    def _occupant(self, site: str, any_coast: Any = 0) -> Optional[str]:
        """Returns the unit at a location, such as "A PAR"; None if it is empty. A province matches a fleet on any of
        its coasts.

        any_coast: if true, a coast also matches a unit anywhere else in its province.
        """
        place = site[:3] if any_coast else site
        return next((unit for own in self._seen().units.values() for unit in own if unit[2:].startswith(place)), None)

    def _build_sites(self, power: Power) -> List[str]:
        """Returns the home centres where a power can build: the empty ones that it owns."""
        return self._seen().sites(power.name)

    def _build_limit(self, power: Power, sites: Optional[Sequence[str]] = None) -> int:
        """Returns the number of places where a power can build. sites: the places; None: those of _build_sites()."""
        return len(self._build_sites(power) if sites is None else sites)

    def _valid_order(self, power: Power, unit: str, order: str, report: Any = 1) -> Optional[int]:
        """Returns 1 if an order ("- BUR") is legal for a unit of a power, else None. report: if true, adds a message
        about an illegal order to `error`."""
        is_legal = self._legal(power.name, f"{unit} {order}", False) is not None
        if report and not is_legal:
            self._refuse(power.name, f"{unit} {order}")
        return 1 if is_legal else None

    @property
    def convoy_paths_possible(self) -> List[Tuple[str, Any, Any]]:
        """Convoy routes that have a fleet at each of their locations. A route is the army's start, the locations of the
        fleets and the provinces to land in."""
        fleets = frozenset(unit[2:] for own in self._seen().units.values() for unit in own if unit[0] == "F")
        paths = self.map.convoy_paths.values()
        return self._once(("convoys", fleets), lambda: [path for some in paths for path in some if path[1] <= fleets])

    @property
    def convoy_paths_dest(self) -> Dict[str, Dict[str, List[Any]]]:
        """Locations of the fleets of each possible convoy, as a list of sets, keyed by start and by destination."""
        found: Dict[str, Dict[str, List[Any]]] = {}
        for start, fleets, ends in self.convoy_paths_possible:
            for end in ends:
                found.setdefault(start, {}).setdefault(end, []).append(fleets)
        return found

    def _get_convoy_destinations(
        self, unit: str, start: str, unit_is_convoyer: Any = False, exclude_convoy_locs: Optional[Sequence[str]] = None
    ) -> List[str]:
        """Returns the provinces that an army can reach by convoy, or to which a fleet can convoy. Empty if `unit` and
        `unit_is_convoyer` do not match.

        unit, start: kind ("A" or "F") and location of the unit. unit_is_convoyer: true for a fleet.
            exclude_convoy_locs: locations that the convoy must not use.
        """
        if (unit == "A") == bool(unit_is_convoyer):
            return []
        left_out = set(exclude_convoy_locs or ())
        found = [
            sorted(ends)
            for place, fleets, ends in self.convoy_paths_possible
            if not left_out & fleets and (start in fleets if unit_is_convoyer else place == start)
        ]
        return list(dict.fromkeys(end for ends in found for end in ends))

    def _has_convoy_path(self, unit: str, start: str, end: str, convoying_loc: Optional[str] = None) -> bool:
        """True if the fleets on the board can convoy an army from one province to another. unit: "A", else the result
        is False.

        convoying_loc: location that the convoy must use; None for any.
        """
        paths = self.convoy_paths_dest.get(start, {}).get(end, []) if unit == "A" else []
        return any(convoying_loc is None or convoying_loc in path for path in paths)

    @property
    def ordered_units(self) -> Dict[str, List[str]]:
        """Units that were ordered in the last phase, refused orders included, keyed by power. Empty before the first
        phase was played."""
        last = self._last()
        orders = last.orders if last else {}
        return {
            power: list(dict.fromkeys([*self._wrong.get(power, ()), *(unit_of(order) for order in own or ())]))
            for power, own in orders.items()
        }

    @property
    def popped(self) -> List[str]:
        """Units that left the board in the last phase.

        After a movement phase: dislodged units without a retreat. After a retreat phase: units that were disbanded, or
        bounced in their retreat. Otherwise empty.
        """
        last = self._last("MR")
        if last is None:
            return []
        results = last.results.items()
        if last.name[-1] == "R":
            return [unit for unit, words in results if DISBAND in words or BOUNCE in words]
        waiting = {unit for ways in self._moment.board().retreats.values() for unit in ways}
        return [unit for unit, words in results if DISLODGED in words and unit not in waiting]

    # ---- the past ----

    state_history = _history("state", "States by phase.")
    order_history = _history("orders", "Orders by phase and power.")
    result_history = _history("results", "Results by phase and unit.")
    message_history = _history("messages", "Messages by phase and time.")

    def get_phase_history(
        self, from_phase: Union[None, int, str] = None, to_phase: Union[None, int, str] = None, game_role: Any = None
    ) -> List[GamePhaseData]:
        """Returns the data of past phases.

        from_phase, to_phase: first and last phase, by name or index, both included; None: no bound. game_role: a power,
        or several, whose messages to include; None: all messages.
        """
        names = [data.name for data in self._past]
        first, last = (
            (names[one] if -len(names) <= one < len(names) else None) if isinstance(one, int) else one
            for one in (from_phase, to_phase)
        )
        place = self.map._place
        found = [
            data
            for data in self._past
            if (first is None or place(first) <= place(data.name)) and (last is None or place(data.name) <= place(last))
        ]
        if game_role:
            found = [data._with(self.filter_messages(data.messages, game_role)) for data in found]
        return found

    def get_phase_from_history(self, short_phase_name: str, game_role: Any = None) -> GamePhaseData:
        """Returns the data of a past phase. short_phase_name: such as "S1901M". game_role: as for get_phase_history().

        Raises NoSuchPhase, an IndexError and a ValueError, for a phase that is not in the history.
        """
        name = text("phase", short_phase_name)
        found = self.get_phase_history(name, name, game_role)
        if not found:
            raise NoSuchPhase(
                f"phase: got {shown(short_phase_name)}, wanted one of {', '.join(d.name for d in self._past)}"
            )
        return found[0]

    def phase_history_from_timestamp(self, timestamp: int) -> List[GamePhaseData]:
        """Returns the data of the past phases with this timestamp or a later one."""
        return [data for data in self._past if data.state["timestamp"] >= timestamp]

    def extend_phase_history(self, game_phase_data: GamePhaseData) -> None:
        """Adds a phase to the history, in its place by date. Raises ValueError if the history has a phase of this
        name."""
        self._extend(self._past, game_phase_data)

    def _extend(self, played: List[GamePhaseData], data: GamePhaseData) -> None:
        if any(one.name == data.name for one in played):
            raise ValueError(f"phase: got {data.name} a second time")
        played.append(data)
        played.sort(key=lambda one: self.map._place(one.name))

    def get_phase_data(self) -> GamePhaseData:
        """Returns the data of the current phase. Orders of powers that have set none are None."""
        orders = {name: self.get_orders(name) if power.order_is_set else None for name, power in self.powers.items()}
        return GamePhaseData(self.get_current_phase(), self.get_state(), orders, {}, self.messages.copy())

    def set_phase_data(
        self, phase_data: Union[GamePhaseData, Sequence[GamePhaseData]], clear_history: bool = True
    ) -> None:
        """Sets the game to the last of these phases, with the others as its history. Does nothing for an empty list.

        clear_history: False keeps the existing history before them. Raises ValueError for two phases of one name and
            for an invalid state.
        """
        phases = [phase_data] if isinstance(phase_data, GamePhaseData) else list(phase_data)
        if not phases:
            return
        played = [] if clear_history else list(self._past)
        for data in phases[:-1]:
            self._extend(played, data)
        last = phases[-1]
        self.set_state(last.state, clear_history=False)
        self._past, self._fall = played, None
        if self.is_game_done and not self.outcome and self.note.startswith("Victory by: "):
            # Saved games have no outcome, so reads the winners from the note.
            parts = self.note.partition(": ")[2].split(", ")
            winners = [power for power in self.powers if power[:3] in parts]
            ended = played[-1].name if played else COMPLETED
            is_solo = len(winners) == 1 and len(self.get_centers(winners[0])) >= self.win
            self.outcome = [f"W{ended[1:-1]}A" if is_solo else ended, *winners]
        for power, orders in last.orders.items():
            if orders is not None and not self.is_game_done:
                self.set_orders(power, orders)
        self.messages = last.messages.copy()

    def get_latest_timestamp(self) -> int:
        """Returns the latest timestamp of a phase or message, at least that of the game's creation, in microseconds."""
        last = self._last()
        return int(max(self.timestamp_created, *self.messages, last.state["timestamp"] if last else 0))

    def get_order_status(
        self, power_name: Optional[str] = None, unit: Optional[str] = None, loc: Optional[str] = None
    ) -> Any:
        """Returns results of the last phase, empty for success.

        For a unit a list of results; for a location (loc) its unit and a list, or the location itself if it has no
        unit; for a power a dict keyed by unit; for none of these a dict of all powers. Raises ValueError for an unknown
        power.
        """
        last = self._last()
        results = last.results if last else {}
        if unit is not None:
            return list(results.get(unit, []))
        if loc is not None:
            return next(((one, list(words)) for one, words in results.items() if one[2:5] == loc[:3]), (loc, []))

        def of(power: str) -> Dict[str, List[OrderResult]]:
            units = [unit.lstrip("*") for unit in last.state["units"][power]] if last else []
            return {unit: list(results.get(unit, [])) for unit in units}

        return self._each(power_name, of)

    # ---- results of the last phase ----

    def _last(self, kind: str = "MRA") -> Optional[GamePhaseData]:
        """Returns the last played phase; None if there is none, or if its type is not in `kind`."""
        return self._past[-1] if self._past and self._past[-1].name[-1] in kind else None

    @property
    def command(self) -> Dict[str, str]:
        """Orders of all units in the last phase, if it was a movement phase: {"A PAR": "- BUR"}; "H" without an
        order."""
        last = self._last("M")
        return commands_of(last) if last else {}

    @property
    def dislodged(self) -> Dict[str, str]:
        """Units dislodged in the last phase, if it was a movement phase, each with the province from which it was
        attacked."""
        last = self._last("M")
        if last is None:
            return {}
        moves = {
            order.split()[1][:3]: unit[2:5]
            for unit, order in commands_of(last).items()
            if order[0] == "-" and not last.results.get(unit)
        }
        return {unit: moves.get(unit[2:5], "") for unit, words in last.results.items() if DISLODGED in words}

    @property
    def lost(self) -> Dict[str, Power]:
        """Centres that changed hands in the last fall, with their former owners. Centres that had no owner are
        missing."""
        if self._fall is None:
            return {}
        before, after = (moment.board().centers for moment in self._fall)
        return {
            center: self.powers[power] for power, own in before.items() for center in own if center not in after[power]
        }

    @property
    def combat(self) -> Dict[str, Dict[int, List[List[Any]]]]:
        """Units that moved to or stayed in each province in the last movement phase: {province: {strength: [[unit,
        supports], ...]}}. The supports listed are those that do not count because they attack their own power's
        unit."""
        last = next((data for data in reversed(self._past) if data.name[-1] == "M"), None)
        return {} if last is None else strengths(last)

    # ---- messages ----

    def add_message(self, message: Message) -> int:
        """Adds a message to this phase and returns its timestamp. Sets the timestamp if it is None.

        Raises ValueError for an unknown sender or recipient, another phase, or a timestamp that another message has.
        """
        if not isinstance(message, Message):
            raise ValueError(f"message: got {shown(message)}, wanted a Message")
        for what, name, others in (
            ("sender", message.sender, (SYSTEM,)),
            ("recipient", message.recipient, (GLOBAL, OBSERVER, OMNISCIENT)),
        ):
            if name not in self.powers and name not in others:
                raise ValueError(
                    f"{what} of a message: got {shown(name)}, wanted one of {', '.join([*self.powers, *others])}"
                )
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
        """Returns messages in the order of their timestamps.

        power_name: a power, for the messages that it may read: those sent or received by it or sent to all; None: all
        messages. phase: a past phase; None: the current phase. Raises ValueError for an unknown power, NoSuchPhase for
            a phase that is not in the history.
        """
        is_current = phase is None or phase == self.get_current_phase()
        messages = self.messages if is_current else self.get_phase_from_history(str(phase)).messages
        read = messages if power_name is None else self.filter_messages(messages, self._power(power_name))
        return read.values()

    @classmethod
    def filter_messages(
        cls,
        messages: SortedDict,
        game_role: Any,
        timestamp_from: Optional[int] = None,
        timestamp_to: Optional[int] = None,
    ) -> SortedDict:
        """Returns the messages that a role may read, keyed by timestamp.

        game_role: a power or several powers; "observer_type" for messages to all and to observers; "omniscient_type"
        for all messages. timestamp_from, timestamp_to: bounds, both included; None: no bound.
        """
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
        """Adds a rule, and the rules that it implies; removes a rule that excludes it. Ignores rules that the package
        does not know.

        Raises ValueError for a rule of the package that Lepanto does not support.
        """
        self._check_rule(rule)
        if rule not in _RULES or (rule == "REAL_TIME" and "ALWAYS_WAIT" in self.rules):
            return
        for pair in _OPPOSITES:
            if rule in pair:
                self.remove_rule(pair[1 - pair.index(rule)])
        self.rules += [one for one in (*_BRINGS.get(rule, ()), rule) if one not in self.rules]

    def _check_rule(self, rule: str) -> None:
        if text("rule", rule) in _UNPLAYED:
            raise ValueError(f"rule: got {rule}, wanted one of {', '.join(_RULES)}")

    def remove_rule(self, rule: str) -> None:
        if rule in self.rules:
            self.rules.remove(rule)

    # ---- context of one phase ----

    def current_state(self) -> "Game":
        """Returns the game as a context for `with`. Inside, set_orders() ignores orders that arrive after the phase was
        processed."""
        return self

    def __enter__(self) -> "Game":
        self._fixed = self._here()
        return self

    def __exit__(self, *error: Any) -> None:
        self._fixed = None

    def _here(self) -> Tuple[str, int]:
        return self.get_current_phase(), len(self._past)

    def is_fixed_state_unchanged(self, log_error: bool = True) -> bool:
        return self._fixed is None or self._fixed == self._here()

    # ---- pictures, copies ----

    def render(
        self,
        incl_orders: bool = True,
        incl_abbrev: bool = False,
        output_format: str = "svg",
        output_path: Union[None, str, "os.PathLike[str]"] = None,
    ) -> str:
        """Returns the board as SVG, like Renderer.render(), which describes the parameters. Raises ValueError for
        another output format."""
        if self.renderer is None:
            self.renderer = Renderer(self)
        return self.renderer.render(incl_orders, incl_abbrev, output_format, output_path)

    @alone
    def drawing(
        self, theme: str = "auto", width: Optional[int] = None, title: Optional[str] = None, phase: Optional[str] = None
    ) -> Drawing:
        """Returns a picture of the board with the orders set for this phase.

        phase: a past phase, to draw its board, orders and their results instead. theme, width, title: as in
            lepanto.draw(). Raises NoSuchPhase for a phase that is not in the history.
        """
        data = None if phase is None else self.get_phase_from_history(phase)
        if data is None:
            orders = self._moves()[0] if self.phase_type == "M" and not self.is_game_done else self.get_orders()
            ask = self._enter()._server.ask
        else:
            orders = data._moment.orders
            ask = self._engine.enter(data._moment)._server.ask
        return Drawing(
            ask(op="draw", game=0, orders=orders, played=phase is not None, theme=theme, width=width, title=title)
        )

    def _drawn_board(self, incl_orders: bool) -> Drawing:
        game = self
        if not incl_orders:
            game = copy.deepcopy(self)
            game.clear_orders()
        return game.drawing(theme="light", title=self._name)

    def _repr_svg_(self) -> str:
        return self.drawing().svg

    def replay(self) -> Page:
        """Returns an HTML page that replays the game so far. Makes it by `lepanto replay --html` in a separate process.

        Raises LepantoError if the process fails.
        """
        return replay_page(self.to_saved_game_format())

    def to_saved_game_format(self) -> Dict[str, Any]:
        """Returns the game with all phases as a dict, in the saved-game format of the package `diplomacy`."""
        rules = [rule for rule in self.rules if rule not in _LEFT_OUT]
        phases = [data.to_dict() for data in [*self._past, self.get_phase_data()]]
        for phase in phases:
            phase["state"] = {**phase["state"], "game_id": self.game_id, "map": self.map_name, "rules": list(rules)}
        return {"id": self.game_id, "map": self.map_name, "rules": rules, "phases": phases}

    to_dict = to_saved_game_format

    def to_json(self) -> str:
        """Returns the game as JSON text, in the saved-game format of the package `diplomacy`."""
        return json.dumps(self.to_saved_game_format())

    @staticmethod
    def from_dict(saved: Mapping[str, Any], engine: Optional[Engine] = None) -> "Game":
        """Returns the game of a saved game, at its last phase. The history is read from the saved game, not played
        again.

        Raises ValueError or LepantoError for an invalid saved game.
        """
        if not isinstance(saved, Mapping) or not isinstance(saved.get("phases"), list):
            raise ValueError(f"saved game: got {shown(saved)}, wanted an object with phases")
        game = Game(saved.get("id"), saved.get("map", "standard"), saved.get("rules", []), engine)
        game.set_phase_data([GamePhaseData.from_dict(phase) for phase in saved["phases"]])
        return game

    @classmethod
    def from_json(cls, text: str, engine: Optional[Engine] = None) -> "Game":
        """Returns the game of a saved game, given as JSON text, like from_dict(). Raises ValueError for text that is
        not JSON."""
        return cls.from_dict(json.loads(text), engine)

    @staticmethod
    def from_orders(saved: Mapping[str, Any], engine: Optional[Engine] = None) -> "Game":
        """Returns a game made by playing the orders of a saved game. engine: as in Game().

        Raises ValueError if the phases that result differ from those of the saved game.
        """
        game = Game(str(saved.get("id", "lepanto")), saved.get("map"), saved.get("rules"), engine)
        for phase in saved["phases"]:
            if phase["name"] != game._name:
                raise ValueError(f"saved game: got phase {phase['name']}, wanted {game._name}")
            orders = phase.get("orders") or {}
            if game.is_game_done or (not any(orders.values()) and phase is saved["phases"][-1]):
                break
            for power, own in orders.items():
                game.set_orders(power, own or [])
            game.process()
        return game

    def rolled_back_to_phase_start(self: G, phase: str) -> G:
        """Returns a copy of the game at the start of a past or the current phase, without orders and messages of the
        phase. Raises ValueError for other phases."""
        other = copy.deepcopy(self)
        if phase == self._name:
            other.clear_orders()
            other.messages.clear()
            return other
        data = self.get_phase_from_history(phase)
        other._past, other._fall = self._past[: self._past.index(data)], None
        other.outcome, other.messages, other._quiet_years = [], SortedDict(), 0
        if data._moment is None:
            other.set_state(data.state, clear_history=False)
        else:
            other._moment, other._name, other._held = (data._moment.fork(), data.name, None)
            other.note = ""
            other.clear_orders()
            for name, points in data.state["welfare_points"].items():
                other.powers[name].welfare_points = points
        other._forget()
        return other

    def clone(self: G) -> G:
        """Returns an independent copy of the game. It shares the engine process."""
        return copy.deepcopy(self)

    def clone_n_times(self: G, n: int) -> List[G]:
        """Returns a list of n independent copies of the game. They share the engine process."""
        return [copy.deepcopy(self) for _ in range(n)]

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "renderer": None, "_made": None, "_cache": {}}

    def __setstate__(self, kept: Dict[str, Any]) -> None:
        self.__dict__.update(kept)

    def __deepcopy__(self, memo: Any) -> "Game":
        other: Game = object.__new__(type(self))
        memo[id(self)] = other
        kept = self.__getstate__()
        shared = {
            "powers": {name: power._copy(other) for name, power in self.powers.items()},
            "messages": self.messages.copy(),
            "_past": [*self._past],
            "_held": None if self._held is None else self._held.copy(),
            **{name: kept.pop(name) for name in ("map", "_engine", "_moment", "_fall", "_key")},
        }
        rest = {name: value for name, value in kept.items() if name not in shared}
        other.__setstate__({**copy.deepcopy(rest, memo), **shared})
        return other

    def __repr__(self) -> str:
        return f"<lepanto.diplomacy.Game {self.game_id}: {self.get_current_phase()}>"

    def __str__(self) -> str:
        lines = [f"GAME {self.game_id}", f"PHASE {self.phase}", f"MAP {self.map_name}"]
        lines += [f"RESULT {' '.join(self.outcome)}"] if self.outcome else []
        return "\n".join([*lines, *(f"RULE {rule}" for rule in self.rules)])


class NoSuchPhase(IndexError, ValueError):
    """Raised for a phase that is not in the history of a game."""


__all__ = ["COMPLETED", "DEFAULT_GAME_RULES", "Game"]
