"""Checks of values from files and callers."""

from __future__ import annotations

from typing import Any, List, Mapping


def shown(value: Any) -> str:
    """Returns the repr() of a value for an error message, cut to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def text(what: str, value: Any) -> str:
    """Returns the value. Raises ValueError unless it is text. what: name of the value in the error."""
    if not isinstance(value, str):
        raise ValueError(f"{what}: got {shown(value)}, wanted text")
    return value


def texts(what: str, value: Any) -> List[str]:
    """Returns a text or a collection of texts as a list. Raises ValueError for other values. what: name of the value in
    the error."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise ValueError(f"{what}: got {shown(value)}, wanted texts")
    return [text(what, one) for one in value]


def entries(what: str, value: Any) -> Mapping[str, Any]:
    """Returns the value. Raises ValueError unless it is a mapping with text keys. what: name of the value in the
    error."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{what}: got {shown(value)}, wanted an object")
    return value
