"""A power of a game."""

from __future__ import annotations

from typing import Any, Dict, List

#: Values of Power.vote, and of Power.comm_status.
VOTES = ("neutral", "yes", "no")
COMM_STATUSES = ("ready", "busy", "inactive")


class Power:
    """A power of a game. Lists that it gives are copies: Game.set_units(), set_centers() and set_orders() change the game."""

    role = "server_type"
    goner = 0

    def __init__(self, game: Any, name: str) -> None:
        self.game = game
        self.name = name
        self.abbrev = game.map.abbrev.get(name, name[0])
        self.homes: List[str] = list(game.map.homes[name])
        #: 1 if the power is in civil disorder; for notes of yours, play does not depend on it.
        self.civil_disorder = 0
        self.vote = VOTES[0]
        self.comm_status = COMM_STATUSES[0]
        #: By the rule WELFARE.
        self.welfare_points = 0
        self.controller = "dummy"
        self.tokens: set[str] = set()

    # ---- the position ----

    @property
    def units(self) -> List[str]:
        """Units that stand: "A PAR". The dislodged are in retreats."""
        return [unit for unit in self.game.get_units(self.name) if unit[0] != "*"]

    @property
    def centers(self) -> List[str]:
        own: List[str] = self.game.get_centers(self.name)
        return own

    @property
    def retreats(self) -> Dict[str, List[str]]:
        """Where each dislodged unit can go."""
        if self.game.phase_type != "R":
            return {}
        found: Dict[str, List[str]] = self.game._now()["retreats"][self.name]
        return {unit: list(places) for unit, places in found.items()}

    @property
    def influence(self) -> List[str]:
        """Provinces in which this power had a unit last."""
        return list(self.game._now()["influence"][self.name])

    def is_eliminated(self) -> bool:
        """True without units and centres."""
        return not self.game.get_units(self.name) and not self.game.get_centers(self.name)

    def clear_units(self) -> None:
        self.game.clear_units(self.name)

    def clear_centers(self) -> None:
        self.game.clear_centers(self.name)

    # ---- orders ----

    @property
    def orders(self) -> Dict[str, str]:
        """In movement phases orders by unit: {"A PAR": "- BUR"}; else none, they are in adjust."""
        if self.game.phase_type != "M":
            return {}
        return {unit: order[len(unit) + 1 :] for unit, order in self.game._given(self.name).items()}

    @property
    def adjust(self) -> List[str]:
        """Orders of retreat and adjustment phases, with WAIVE."""
        return [] if self.game.phase_type == "M" else self.game._adjusting(self.name)

    @property
    def order_is_set(self) -> int:
        """0: no orders yet; 1: set, and none; 2: set."""
        return int(self.game._order_is_set(self.name))

    @property
    def wait(self) -> bool:
        """True until the power has said, by set_wait() or set_orders(wait=False), that the phase may be played."""
        return bool(self.game._waits(self.name))

    @wait.setter
    def wait(self, wait: bool) -> None:
        self.game.set_wait(self.name, wait)

    def clear_orders(self) -> None:
        self.game.clear_orders(self.name)

    def moves_submitted(self) -> Any:
        """True unless orders of a movement phase are missing."""
        return self.game.phase_type != "M" or bool(self.orders) or not self.units

    def does_not_wait(self) -> bool:
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

    def __repr__(self) -> str:
        return f"<lepanto.diplomacy.Power: {self.name}>"

    def __str__(self) -> str:
        lines = [f"{self.name} ({self.role})", f"PLAYER {self.controller}", f"OWNS {' '.join(self.centers)}", *self.units]
        return "\n".join(lines)


__all__ = ["COMM_STATUSES", "Power", "VOTES"]
