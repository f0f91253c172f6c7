"""A game under the names of pydipcc, for code of diplomacy_searchbot and Cicero."""

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
        """Names of the 81 locations in the order of pydipcc."""
        batch = shared_engine().batch
        rows: List[int] = batch._map_facts()["rows"]["dipnet"]
        return [place for _, place in sorted(zip(rows, batch.locations))]


class Game(DiplomacyGame, metaclass=_Names):
    """lepanto.diplomacy.Game with pydipcc's names. Where both have a name, it works as pydipcc's: set_orders() replaces
    all orders of a power, get_orders() has the powers alone that have orders. Thread pools and CFR statistics are not
    here."""

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
        """Powers that have units or centres."""
        return [name for name, power in self.powers.items() if not power.is_eliminated()]

    def get_alive_power_ids(self) -> List[int]:
        """Their places in the order of the alphabet."""
        return [i for i, power in enumerate(self.powers.values()) if not power.is_eliminated()]

    def _unit_at(self, loc: str) -> Tuple[Optional[str], Optional[str]]:
        """Power and kind of the unit at a location."""
        units = ((power, unit) for power, own in self._seen().units.items() for unit in own)
        return next(((power, unit[0]) for power, unit in units if loc in (unit[2:], unit[2:5])), (None, None))

    def get_unit_power_at(self, loc: str) -> Optional[str]:
        """Whose unit is there: of a province on any coast, of a coast on that one; None for nobody's."""
        return self._unit_at(loc)[0]

    def get_unit_type_at(self, loc: str) -> Optional[str]:
        """A or F, likewise."""
        return self._unit_at(loc)[1]

    def is_supply_center(self, loc: str) -> bool:
        """True for a centre and for its coasts."""
        return loc[:3] in self.map.scs and loc in self.map.find_coasts(loc[:3])

    is_center = is_supply_center

    def get_supply_center_power(self, loc: str) -> Optional[str]:
        """Who owns a centre; None if nobody does or it is none."""
        if not self.is_supply_center(loc):
            return None
        return next((power for power, own in self._seen().centers.items() if loc[:3] in own), None)

    def compute_board_hash(self) -> int:
        """A hash of the position; not pydipcc's number."""
        return int(self.get_hash())

    def compute_order_history_hash(self) -> int:
        """64 bits of a hash of all orders that were played; not pydipcc's number."""
        told = json.dumps([[data.name, data.orders] for data in self._past], sort_keys=True)
        return int.from_bytes(hashlib.blake2b(told.encode(), digest_size=8).digest(), "big")

    # ---- orders and ends ----

    def is_water(self, loc: str) -> bool:
        """True for a location at sea."""
        return bool(self.map.area_type(loc) == "WATER")

    def is_coast(self, loc: str) -> bool:
        """True for a location by the sea."""
        return self.map.area_type(loc) in ("COAST", "PORT")

    def any_sc_occupied_by_new_power(self) -> bool:
        """True if a power has a unit in a centre that it does not own."""
        board = self._seen()
        return any(
            unit[2:5] in self.map.scs and unit[2:5] not in board.centers[power]
            for power, own in board.units.items()
            for unit in own
        )

    def clear_old_all_possible_orders(self) -> None:
        """Does nothing: lists of past phases are not kept."""

    def set_exception_on_convoy_paradox(self) -> None:
        """Does nothing: paradoxes are resolved by the rules of the engine."""

    def set_orders(self, power_name: str, orders: Any, *options: Any, **named: Any) -> List[str]:
        """Sets the orders of a power in place of all that it had. Returns those that are illegal."""
        self.clear_orders(power_name)
        return super().set_orders(power_name, orders, *options, **named)

    def get_orders(self, power_name: Optional[str] = None) -> Any:
        """Orders that are set, by power, of the powers that have some; of one power a list."""
        found = super().get_orders(power_name)
        return {power: orders for power, orders in found.items() if orders} if power_name is None else found

    def set_all_orders(self, orders: Mapping[str, Sequence[str]]) -> None:
        """Sets the orders of all powers; who is not named has none."""
        self.clear_orders()
        for power, given in orders.items():
            self.set_orders(power, list(given))

    def set_scoring_system(self, scoring_system: int) -> None:
        """SCORING_SOS or SCORING_DSS, for get_scores()."""
        if scoring_system not in range(len(_SYSTEMS)):
            raise ValueError(f"scoring system: got {scoring_system!r}, wanted {self.SCORING_SOS} or {self.SCORING_DSS}")
        self._scoring = scoring_system

    def get_scoring_system(self) -> int:
        return self._scoring

    def get_scores(self, scoring_system: Any = None) -> List[float]:
        """Scores by power, in the order of the alphabet."""
        system = self._scoring if scoring_system is None else scoring_system
        return super().get_scores(_SYSTEMS[system])

    # ---- the past ----

    def get_all_phases(self) -> List[PhaseData]:
        """All phases that were played, and the one that is to be."""
        return [*self._past, self.get_staged_phase_data()]

    def get_all_phase_names(self) -> List[str]:
        return [*(data.name for data in self._past), self.get_current_phase()]

    def get_staged_phase_data(self) -> PhaseData:
        """The phase that is to be played, with its orders and messages."""
        return self.get_phase_data()

    def get_next_phase(self, phase: str) -> Optional[str]:
        """The phase that followed one; None if none has."""
        names = self.get_all_phase_names()
        return dict(zip(names, names[1:])).get(phase)

    def get_prev_phase(self, phase: str) -> Optional[str]:
        """The phase that came before one; None for the first."""
        names = self.get_all_phase_names()
        return dict(zip(names[1:], names)).get(phase)

    def rolled_back_to_phase_end(self, phase: str) -> "Game":
        """A copy at the end of a phase that was played: with its orders set and its messages."""
        if phase == self.get_current_phase():
            return self.clone()
        data, other = self.get_phase_from_history(phase), self.rolled_back_to_phase_start(phase)
        other.messages = data.messages.copy()
        for power, orders in data.orders.items():
            other.set_orders(power, orders or [])
        return other

    def rolled_back_to_timestamp_start(self, timestamp: int) -> "Game":
        """A copy as the game was before the message of a time: with the messages before it, in the phase that it is
        of."""
        return self._rolled_back_to(timestamp, False)

    def rolled_back_to_timestamp_end(self, timestamp: int) -> "Game":
        """A copy as the game was after the message of a time."""
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
        """Adds a message of this phase; to "ALL": to everybody. Returns its time."""
        if isinstance(sender, Message):
            return super().add_message(sender)
        stamp = None if time_sent is None else int(time_sent)
        while increment_on_collision and stamp in self.messages:
            stamp = cast(int, stamp) + 1
        goal = GLOBAL if recipient == "ALL" else recipient
        return super().add_message(Message(sender, goal, body, self.get_current_phase(), stamp))

    def delete_message_at_timestamp(self, timestamp: int) -> None:
        """Deletes the message of a time, in this phase. Raises KeyError if there is none."""
        del self.messages[timestamp]

    def get_last_message_timestamp(self) -> int:
        """The time of the latest message; 0 before any."""
        times: List[int] = [*self.messages, *(time for data in self._past for time in data.messages)]
        return max(times, default=0)

    def set_metadata(self, k: str, v: str) -> None:
        self._metadata[k] = v

    def get_metadata(self, k: str) -> str:
        """What was set under a name; "" for nothing."""
        return self._metadata.get(k, "")

    def add_log(self, log: str) -> None:
        """Keeps a note with this phase."""
        self._logs.setdefault(self.get_current_phase(), []).append(log)

    def get_logs(self) -> Dict[str, List[str]]:
        """Notes by phase."""
        return {phase: list(logs) for phase, logs in self._logs.items()}

    # ---- copies and files ----

    def to_json(self) -> str:
        """The saved game of `diplomacy`, with notes."""
        return json.dumps({**self.to_saved_game_format(), "metadata": self._metadata, "logs": self._logs})

    @classmethod
    def from_json(cls, text: str, engine: Any = None) -> "Game":
        """The game of a saved one."""
        game = cls()
        game.from_json_inplace(text)
        return game

    def from_json_inplace(self, text: str) -> None:
        """Becomes a saved game. Raises ValueError that says what is wrong with it, and then is what it was."""
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
