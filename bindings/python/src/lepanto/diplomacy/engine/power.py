"""Powers with the API of the package `diplomacy`."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Optional

#: VOTES: possible values of Power.vote. COMM_STATUSES: possible values of Power.comm_status.
VOTES = ("neutral", "yes", "no")
COMM_STATUSES = ("ready", "busy", "inactive")


def _held(field: str, doc: str) -> Any:
    """Returns a property of a power that reads and assigns its entry in a list of the game's board. Changes to its
    value also change the game.

    field: name of the list in Board. doc: docstring of the property.
    """

    def get(self: "Power") -> Any:
        return getattr(self.game._board(), field)[self.name]

    def put(self: "Power", value: Any) -> None:
        getattr(self.game._board(), field)[self.name] = dict(value) if field == "retreats" else list(value)

    return property(get, put, doc=doc)


class Power:
    """A power of a game. Its lists and dicts belong to the game: `power.units.append("A PAR")` and `power.units =
    []` change the position. The game rejects an impossible position when its orders are next read or processed."""

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
        #: Orders of a movement phase, keyed by unit: {"A PAR": "- BUR"}. Under the rule NO_CHECK they are keyed by
        #: number: {"ORDER 1": "A PAR - BUR"}.
        self.orders: Dict[str, str] = {}
        #: Orders of retreat and adjustment phases, including WAIVE. Refused orders begin with VOID.
        self.adjust: List[str] = []
        #: 1 if the power is in civil disorder. The caller may set it; it does not affect the game.
        self.civil_disorder = 0
        self.vote = VOTES[0]
        self.comm_status = COMM_STATUSES[0]
        #: Points of the power in the variant Welfare Diplomacy.
        self.welfare_points = 0
        self.controller = "dummy"
        self.tokens: set[str] = set()
        self._is_set: Optional[int] = None
        self._wait: Optional[bool] = None

    def is_eliminated(self) -> bool:
        """True if the power has neither units nor centres."""
        board = self.game._seen()
        return not (board.units[self.name] or board.centers[self.name] or board.retreats[self.name])

    def clear_units(self) -> None:
        """Removes the power's units from the board."""
        self.game.clear_units(self.name)

    def clear_centers(self) -> None:
        """Removes all centres from the power."""
        self.game.clear_centers(self.name)

    # ---- orders ----

    @property
    def order_is_set(self) -> int:
        """Tells whether orders are set: 0 for no orders, 1 for an empty set of orders, 2 for orders. 1 also if no
        orders are due."""
        return int(self._has_no_orders_due()) if self._is_set is None else self._is_set

    @order_is_set.setter
    def order_is_set(self, value: int) -> None:
        self._is_set = value

    @property
    def wait(self) -> bool:
        """True until the power allows the phase to be processed, by set_wait() or set_orders(wait=False)."""
        return not self._has_no_orders_due() if self._wait is None else self._wait

    @wait.setter
    def wait(self, wait: bool) -> None:
        self._wait = bool(wait)

    def _has_no_orders_due(self) -> bool:
        if self.game.is_game_done:
            return self.is_eliminated()
        return bool(self.game._past) and not self.game.get_orderable_locations(self.name)

    def clear_orders(self) -> None:
        """Removes the orders of this phase, and resets `order_is_set` and `wait` to their values at the start of a
        phase."""
        self.orders, self.adjust, self._is_set, self._wait = {}, [], None, None

    def moves_submitted(self) -> Any:
        """False if the phase is a movement phase and the power has units but has set no orders."""
        return self.game.phase_type != "M" or bool(self.orders) or not self.units

    def does_not_wait(self) -> bool:
        """True if orders are set (`order_is_set`) and the power does not ask to wait."""
        return bool(self.order_is_set) and not self.wait

    # ---- who plays it ----

    def is_dummy(self) -> bool:
        return self.controller == "dummy"

    def is_controlled(self) -> bool:
        return not self.is_dummy()

    def set_controlled(self, username: Any) -> None:
        """Sets the name of the power's player. username: None for no player."""
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
