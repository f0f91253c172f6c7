"""A power of a game."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Optional

#: Values of Power.vote, and of Power.comm_status.
VOTES = ("neutral", "yes", "no")
COMM_STATUSES = ("ready", "busy", "inactive")


def _held(field: str, doc: str) -> Any:
    """A property of a power that its game holds. What is assigned to it, or changed in it, changes the game."""

    def get(self: "Power") -> Any:
        return getattr(self.game._board(), field)[self.name]

    def put(self: "Power", value: Any) -> None:
        getattr(self.game._board(), field)[self.name] = dict(value) if field == "retreats" else list(value)

    return property(get, put, doc=doc)


class Power:
    """A power of a game. Its lists and dicts are those of the game: `power.units.append("A PAR")` and `power.units =
    []` change the position. What cannot be is refused when the game is next asked for its orders or played."""

    role = "server_type"
    goner = 0

    units: List[str] = _held("units", 'Units that stand: "A PAR". Dislodged units are in retreats.')
    centers: List[str] = _held("centers", "Supply centres that the power owns.")
    retreats: Dict[str, List[str]] = _held("retreats", "Locations to which each dislodged unit can retreat.")
    homes: List[str] = _held("homes", "Home centres. They cannot be changed.")
    influence: List[str] = _held("influence", "Provinces in which this power had a unit last.")

    def __init__(self, game: Any, name: str) -> None:
        self.game = game
        self.name = name
        self.abbrev = game.map.abbrev.get(name, name[0])
        #: Orders of a movement phase by unit: {"A PAR": "- BUR"}. Under the rule NO_CHECK by number: {"ORDER 1": "A PAR
        #: - BUR"}.
        self.orders: Dict[str, str] = {}
        #: Orders of retreat and adjustment phases, with WAIVE; refused ones begin with VOID.
        self.adjust: List[str] = []
        #: 1 if the power is in civil disorder; for notes of yours, play does not depend on it.
        self.civil_disorder = 0
        self.vote = VOTES[0]
        self.comm_status = COMM_STATUSES[0]
        #: Points of Welfare Diplomacy.
        self.welfare_points = 0
        self.controller = "dummy"
        self.tokens: set[str] = set()
        self._is_set: Optional[int] = None
        self._wait: Optional[bool] = None

    def is_eliminated(self) -> bool:
        """True without units and centres."""
        board = self.game._seen()
        return not (board.units[self.name] or board.centers[self.name] or board.retreats[self.name])

    def clear_units(self) -> None:
        """Removes the power's units from the board."""
        self.game.clear_units(self.name)

    def clear_centers(self) -> None:
        """Takes the power's centres away."""
        self.game.clear_centers(self.name)

    # ---- orders ----

    @property
    def order_is_set(self) -> int:
        """0: no orders yet; 1: an empty set of orders; 2: orders."""
        return int(self._has_no_orders_due()) if self._is_set is None else self._is_set

    @order_is_set.setter
    def order_is_set(self, value: int) -> None:
        self._is_set = value

    @property
    def wait(self) -> bool:
        """True until the power has said, by set_wait() or set_orders(wait=False), that the phase may be played."""
        return not self._has_no_orders_due() if self._wait is None else self._wait

    @wait.setter
    def wait(self, wait: bool) -> None:
        self._wait = bool(wait)

    def _has_no_orders_due(self) -> bool:
        if self.game.is_game_done:
            return self.is_eliminated()
        return bool(self.game._past) and not self.game.get_orderable_locations(self.name)

    def clear_orders(self) -> None:
        """Forgets the orders of this phase, and whether the power waits."""
        self.orders, self.adjust, self._is_set, self._wait = {}, [], None, None

    def moves_submitted(self) -> Any:
        """True unless orders of a movement phase are missing."""
        return self.game.phase_type != "M" or bool(self.orders) or not self.units

    def does_not_wait(self) -> bool:
        """True if orders are set and the power does not wait."""
        return bool(self.order_is_set) and not self.wait

    # ---- who plays it ----

    def is_dummy(self) -> bool:
        return self.controller == "dummy"

    def is_controlled(self) -> bool:
        return not self.is_dummy()

    def set_controlled(self, username: Any) -> None:
        """Names who plays the power; None for nobody."""
        self.controller = username or "dummy"

    def get_controller(self) -> str:
        return self.controller

    def is_controlled_by(self, username: str) -> bool:
        return self.controller == username

    def is_server_power(self) -> bool:
        return True

    def is_player_power(self) -> bool:
        return False

    def _copy(self, game: Any) -> "Power":
        other = copy.copy(self)
        other.game, other.orders, other.adjust, other.tokens = game, {**self.orders}, [*self.adjust], {*self.tokens}
        return other

    def __repr__(self) -> str:
        return f"<lepanto.diplomacy.Power: {self.name}>"

    def __str__(self) -> str:
        owned = f"OWNS {' '.join(self.centers)}"
        return "\n".join([f"{self.name} ({self.role})", f"PLAYER {self.controller}", owned, *self.units])


__all__ = ["COMM_STATUSES", "Power", "VOTES"]
