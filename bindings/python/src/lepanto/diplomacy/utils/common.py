"""Helpers of the package `diplomacy`."""

from __future__ import annotations

import time


def timestamp_microseconds() -> int:
    """The time in microseconds since 1970."""
    return int(time.time() * 1e6)
