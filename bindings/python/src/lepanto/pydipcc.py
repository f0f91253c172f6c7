"""A game with pydipcc's API, for code of diplomacy_searchbot and Cicero."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, cast

from .diplomacy.engine.game import COMPLETED
from .diplomacy.engine.game import Game as DiplomacyGame
from .diplomacy.engine.message import GLOBAL, Message
from .diplomacy.utils.checks import entries, texts
from .diplomacy.utils.game_phase_data import GamePhaseData as PhaseData
from .diplomacy.utils.sorted_dict import SortedDict
from .state import shared_engine

_SYSTEMS = ("sum_of_squares", "draw_size")


class _Names(type):
    @property
    def LOC_STRS(cls) -> List[str]:
        """Names of the 81 locations, in pydipcc's order."""
        batch = shared_engine().batch
        rows: List[int] = batch._map_facts()["rows"]["dipnet"]
        return [place for _, place in sorted(zip(rows, batch.locations))]


class Game(DiplomacyGame, metaclass=_Names):
    """lepanto.diplomacy.Game with pydipcc's method names. Methods that both have work as pydipcc's do: set_orders()
    replaces all orders of a power, get_orders() leaves out powers without orders. Thread pools and CFR statistics are
    missing."""

    SCORING_SOS, SCORING_DSS = range(len(_SYSTEMS))

    def __init__(
        self,
        game: Optional["Game"] = None,
        draw_on_stalemate_years: int = -1,
        is_full_press: bool = True,
        game_id: str = "lepanto",
    ) -> None:
        if game is not None:
            self._become(game.clone())
            return
        super().__init__(game_id, rules=["POWER_CHOICE"] if is_full_press else None)
        self._metadata: Dict[str, str] = {}
        self._logs: Dict[str, List[str]] = {}
        self._scoring = self.SCORING_SOS
        self.set_draw_on_stalemate_years(draw_on_stalemate_years)

    def _become(self, other: "Game") -> None:
        self.__setstate__(other.__getstate__())
        for power in self.powers.values():
            power.game = self

    @property
    def is_full_press(self) -> bool:
        return not self.no_press

    @property
    def current_year(self) -> int:
        last = self.get_current_phase()
        return int((self._past[-1].name if last == COMPLETED else last)[1:5])

    # ---- the position ----

    def get_alive_powers(self) -> List[str]:
        """Returns the names of the powers that have units or centres, in alphabetical order."""
        return [name for name, power in self.powers.items() if not power.is_eliminated()]

    def get_alive_power_ids(self) -> List[int]:
        """Returns the alphabetical indices of the powers that have units or centres."""
        return [i for i, power in enumerate(self.powers.values()) if not power.is_eliminated()]

    def _unit_at(self, loc: str) -> Tuple[Optional[str], Optional[str]]:
        """Returns the power and the kind ("A" or "F") of the unit at a location; (None, None) if it is empty. A
        province matches a unit on any of its coasts."""
        units = ((power, unit) for power, own in self._seen().units.items() for unit in own)
        return next(((power, unit[0]) for power, unit in units if loc in (unit[2:], unit[2:5])), (None, None))

    def get_unit_power_at(self, loc: str) -> Optional[str]:
        """Returns the power of the unit at a location; None if the location is empty. A province matches a unit on any
        of its coasts, a coast only a unit on that coast."""
        return self._unit_at(loc)[0]

    def get_unit_type_at(self, loc: str) -> Optional[str]:
        """Returns the kind of the unit at a location, "A" or "F"; None if the location is empty. A province matches a
        unit on any of its coasts."""
        return self._unit_at(loc)[1]

    def is_supply_center(self, loc: str) -> bool:
        """True if a location is a supply centre, or a coast of one."""
        return loc[:3] in self.map.scs and loc in self.map.find_coasts(loc[:3])

    is_center = is_supply_center

    def get_supply_center_power(self, loc: str) -> Optional[str]:
        """Returns the owner of a supply centre; None if it has no owner or the location is no centre."""
        if not self.is_supply_center(loc):
            return None
        return next((power for power, own in self._seen().centers.items() if loc[:3] in own), None)

    def compute_board_hash(self) -> int:
        """Returns a hash of the position as an integer. It differs from pydipcc's hash."""
        return int(self.get_hash())

    def compute_order_history_hash(self) -> int:
        """Returns a 64-bit hash of the orders of all past phases. It differs from pydipcc's hash."""
        told = json.dumps([[data.name, data.orders] for data in self._past], sort_keys=True)
        return int.from_bytes(hashlib.blake2b(told.encode(), digest_size=8).digest(), "big")

    # ---- orders and ends ----

    def is_water(self, loc: str) -> bool:
        """True if a location is a sea province."""
        return bool(self.map.area_type(loc) == "WATER")

    def is_coast(self, loc: str) -> bool:
        """True if a location is a coastal province, or a coast of one."""
        return self.map.area_type(loc) in ("COAST", "PORT")

    def any_sc_occupied_by_new_power(self) -> bool:
        """True if any power has a unit in a centre that it does not own."""
        board = self._seen()
        return any(
            unit[2:5] in self.map.scs and unit[2:5] not in board.centers[power]
            for power, own in board.units.items()
            for unit in own
        )

    def clear_old_all_possible_orders(self) -> None:
        """Has no effect: legal orders of past phases are not kept."""

    def set_exception_on_convoy_paradox(self) -> None:
        """Has no effect: the engine resolves convoy paradoxes by its rules."""

    def set_orders(self, power_name: str, orders: Any, *options: Any, **named: Any) -> List[str]:
        """Replaces all orders of a power. Returns the illegal ones among the given orders.

        options, named: parameters of lepanto.diplomacy.Game.set_orders() after `orders`.
        """
        self.clear_orders(power_name)
        return super().set_orders(power_name, orders, *options, **named)

    def get_orders(self, power_name: Optional[str] = None) -> Any:
        """Returns the orders set for this phase, keyed by power, without powers that have none. power_name: one power,
        whose orders are returned as a list. Raises ValueError for an unknown power."""
        found = super().get_orders(power_name)
        return {power: orders for power, orders in found.items() if orders} if power_name is None else found

    def set_all_orders(self, orders: Mapping[str, Sequence[str]]) -> None:
        """Replaces the orders of all powers. orders: texts, keyed by power. Powers missing from it then have none."""
        self.clear_orders()
        for power, given in orders.items():
            self.set_orders(power, list(given))

    def set_scoring_system(self, scoring_system: int) -> None:
        """Sets the default scoring system of get_scores(), SCORING_SOS or SCORING_DSS. Raises ValueError for
        others."""
        if scoring_system not in range(len(_SYSTEMS)):
            raise ValueError(f"scoring system: got {scoring_system!r}, wanted {self.SCORING_SOS} or {self.SCORING_DSS}")
        self._scoring = scoring_system

    def get_scoring_system(self) -> int:
        return self._scoring

    def get_scores(self, scoring_system: Any = None) -> List[float]:
        """Returns the scores of the powers, in alphabetical order, as if the game ended now.

        scoring_system: SCORING_SOS or SCORING_DSS; None: the one that set_scoring_system() has set.
        """
        system = self._scoring if scoring_system is None else scoring_system
        return super().get_scores(_SYSTEMS[system])

    # ---- the past ----

    def get_all_phases(self) -> List[PhaseData]:
        """Returns the data of all past phases and of the current one."""
        return [*self._past, self.get_staged_phase_data()]

    def get_all_phase_names(self) -> List[str]:
        return [*(data.name for data in self._past), self.get_current_phase()]

    def get_staged_phase_data(self) -> PhaseData:
        """Returns the data of the current phase, with its orders and messages."""
        return self.get_phase_data()

    def get_next_phase(self, phase: str) -> Optional[str]:
        """Returns the name of the phase that follows a phase in this game. None for the current phase and for an
        unknown one."""
        names = self.get_all_phase_names()
        return dict(zip(names, names[1:])).get(phase)

    def get_prev_phase(self, phase: str) -> Optional[str]:
        """Returns the name of the phase before a phase in this game. None for the first phase and for an unknown
        one."""
        names = self.get_all_phase_names()
        return dict(zip(names[1:], names)).get(phase)

    def rolled_back_to_phase_end(self, phase: str) -> "Game":
        """Returns a copy of the game as it was before a phase was processed, with the phase's orders and messages.

        phase: a past or the current phase. Raises NoSuchPhase, an IndexError and a ValueError, for another one.
        """
        if phase == self.get_current_phase():
            return self.clone()
        data, other = self.get_phase_from_history(phase), self.rolled_back_to_phase_start(phase)
        other.messages = data.messages.copy()
        for power, orders in data.orders.items():
            other.set_orders(power, orders or [])
        return other

    def rolled_back_to_timestamp_start(self, timestamp: int) -> "Game":
        """Returns a copy of the game as it was before the message with this timestamp: in its phase, without orders,
        with the earlier messages. Raises ValueError if no message has this timestamp."""
        return self._rolled_back_to(timestamp, False)

    def rolled_back_to_timestamp_end(self, timestamp: int) -> "Game":
        """Returns a copy of the game as it was after the message with this timestamp: in its phase, without orders.
        Raises ValueError if no message has this timestamp."""
        return self._rolled_back_to(timestamp, True)

    def _rolled_back_to(self, timestamp: int, is_kept: bool) -> "Game":
        phase = next((data.name for data in self.get_all_phases() if timestamp in data.messages), None)
        if phase is None:
            raise ValueError(f"timestamp: got {timestamp}, wanted that of a message")
        other = self.rolled_back_to_phase_end(phase)
        other.clear_orders()
        last = timestamp if is_kept else timestamp - 1
        other.messages = SortedDict({time: one for time, one in other.messages.items() if time <= last})
        return other

    # ---- messages, notes ----

    def add_message(
        self,
        sender: Any,
        recipient: str = "ALL",
        body: str = "",
        time_sent: Any = None,
        increment_on_collision: bool = False,
    ) -> int:
        """Adds a message to the current phase and returns its timestamp.

        sender: a power, or a Message, which is added as it is. recipient: a power, or "ALL". time_sent: timestamp;
            None: the current time in microseconds. increment_on_collision: True raises the timestamp until no message
            of the phase has it.

        Raises ValueError for an unknown sender or recipient, and for a timestamp that another message has.
        """
        if isinstance(sender, Message):
            return super().add_message(sender)
        stamp = None if time_sent is None else int(time_sent)
        while increment_on_collision and stamp in self.messages:
            stamp = cast(int, stamp) + 1
        goal = GLOBAL if recipient == "ALL" else recipient
        return super().add_message(Message(sender, goal, body, self.get_current_phase(), stamp))

    def delete_message_at_timestamp(self, timestamp: int) -> None:
        """Deletes the message of the current phase with this timestamp. Raises KeyError if there is none."""
        del self.messages[timestamp]

    def get_last_message_timestamp(self) -> int:
        """Returns the timestamp of the latest message of the game; 0 if there are no messages."""
        times: List[int] = [*self.messages, *(time for data in self._past for time in data.messages)]
        return max(times, default=0)

    def set_metadata(self, k: str, v: str) -> None:
        self._metadata[k] = v

    def get_metadata(self, k: str) -> str:
        """Returns the value that was set under a name; "" if none was."""
        return self._metadata.get(k, "")

    def add_log(self, log: str) -> None:
        """Adds an entry to the log of the current phase."""
        self._logs.setdefault(self.get_current_phase(), []).append(log)

    def get_logs(self) -> Dict[str, List[str]]:
        """Returns the entries of add_log(), keyed by phase name."""
        return {phase: list(logs) for phase, logs in self._logs.items()}

    # ---- copies and files ----

    def to_json(self) -> str:
        """Returns the game as JSON, in the saved-game format of the package `diplomacy`, with metadata and logs."""
        return json.dumps({**self.to_saved_game_format(), "metadata": self._metadata, "logs": self._logs})

    @classmethod
    def from_json(cls, text: str, engine: Any = None) -> "Game":
        """Returns the game saved by to_json(). Raises ValueError if the text is no saved game. engine: not used."""
        game = cls()
        game.from_json_inplace(text)
        return game

    def from_json_inplace(self, text: str) -> None:
        """Replaces this game by a saved one. Raises ValueError if the text is no saved game; this game is then
        unchanged."""
        saved = entries("saved game", json.loads(text))
        if not isinstance(saved.get("phases"), list):
            raise ValueError("saved game: got no phases, wanted an object with them")
        phases = [PhaseData.from_dict(phase) for phase in saved["phases"]]
        is_full_press = "NO_PRESS" not in texts("rules", saved.get("rules", []))
        other = Game(game_id=str(saved.get("id", "lepanto")), is_full_press=is_full_press)
        other.set_phase_data(phases)
        other._metadata = dict(entries("metadata", saved.get("metadata", {})))
        other._logs = {phase: texts("logs", logs) for phase, logs in entries("logs", saved.get("logs", {})).items()}
        self._become(other)


__all__ = ["Game", "PhaseData"]
