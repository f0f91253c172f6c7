"""Names of fields and values in the package `diplomacy`. Each name in capitals has its lower-case form as value."""

from __future__ import annotations

ALL_GAME_STATUSES = ("forming", "active", "paused", "completed", "canceled")
ALL_GRADE_UPDATES = {"promote", "demote"}
ALL_GRADES = {"omniscient", "admin", "moderator"}
ALL_COMM_LEVELS = {"channel", "game"}
ALL_VOTE_DECISIONS = {"yes", "no", "neutral"}
ALL_ROLE_TYPES = {"observer_type", "omniscient_type", "server_type"}
ALL_STATE_TYPES = {"state_history", "state", "phase"}


def __getattr__(name: str) -> str:
    if not name.isupper() or name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return name.lower()


def role_is_special(role: str) -> bool:
    """True if a role is one of the two observer roles, not a power."""
    return role in ("observer_type", "omniscient_type")


def switch_special_role(role: str) -> str:
    """Returns the other of the two observer roles. Raises ValueError for a power."""
    if not role_is_special(role):
        raise ValueError(f"role: got {role!r}, wanted observer_type or omniscient_type")
    return "observer_type" if role == "omniscient_type" else "omniscient_type"
