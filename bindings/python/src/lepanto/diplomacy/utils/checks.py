"""Checks of what comes from outside."""

from __future__ import annotations

from typing import Any, List, Mapping


def shown(value: Any) -> str:
    """A value as a refusal shows it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def text(what: str, value: Any) -> str:
    """Raises ValueError for anything but text."""
    if not isinstance(value, str):
        raise ValueError(f"{what}: got {shown(value)}, wanted text")
    return value


def texts(what: str, value: Any) -> List[str]:
    """A text, or several, as a list. Raises ValueError for anything else."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise ValueError(f"{what}: got {shown(value)}, wanted texts")
    return [text(what, one) for one in value]


def entries(what: str, value: Any) -> Mapping[str, Any]:
    """Raises ValueError for anything but an object with texts as keys."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{what}: got {shown(value)}, wanted an object")
    return value
