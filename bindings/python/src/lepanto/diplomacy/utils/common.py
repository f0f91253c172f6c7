"""Helpers of the package `diplomacy`."""

from __future__ import annotations

import time


def timestamp_microseconds() -> int:
    """Returns the current time in microseconds since 1970."""
    return int(time.time() * 1e6)
