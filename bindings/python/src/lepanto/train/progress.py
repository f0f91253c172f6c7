"""One line on stderr that says how a run is getting on."""

from __future__ import annotations

import io
import math
import shutil
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Deque, Dict, Optional, TextIO, Tuple

#: Seconds over which speeds are counted.
WINDOW = 30.0
BAR = 20


@dataclass
class Standing:
    """How far a run is."""

    stage: str
    done: float
    """Share of the work, 0 to 1."""
    left: Optional[float]
    """Seconds; None where that is not known."""
    games: int
    positions: int
    """Both of the whole run."""
    text: str = ""
    """What is being done, with its loss."""
    shares: Dict[str, float] = field(default_factory=dict)
    """Of the best net, by anchor."""


def time_left(seconds: Optional[float]) -> str:
    if seconds is None or not math.isfinite(seconds):
        return ""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"


def line_of(standing: Standing, speeds: Tuple[float, float]) -> str:
    """All of it in one line: 'play 41 %, 12:30 left, 5.1 games/s, 410 positions/s, ...'."""
    games, positions = speeds
    parts = [f"{standing.stage} {math.floor(100 * standing.done)} %", time_left(standing.left)]
    parts += [f"{games:.1f} games/s" if games > 0 else "", f"{positions:,.0f} positions/s" if positions > 0 else ""]
    parts += [standing.text, " ".join(f"{anchor} {share:.3f}" for anchor, share in standing.shares.items())]
    return ", ".join(part for part in parts if part)


class Progress:
    """A bar at most five times a second on a terminal, a line every 30 seconds elsewhere, and nothing if it is
    quiet."""

    def __init__(self, quiet: bool, stream: Optional[TextIO] = None) -> None:
        # A process without standard error has none to write to.
        shown: Optional[TextIO] = stream or sys.stderr
        self.quiet = quiet or shown is None
        self.stream = shown or io.StringIO()
        self.tty = self.stream.isatty()
        self._shown = 0.0
        self._past: Deque[Tuple[float, int, int]] = deque()

    def _speeds(self, now: float, standing: Standing) -> Tuple[float, float]:
        """Games and positions a second, of this start."""
        self._past.append((now, standing.games, standing.positions))
        while len(self._past) > 2 and now - self._past[1][0] >= WINDOW:
            self._past.popleft()
        begun, games, positions = self._past[0]
        seconds = max(now - begun, 1e-9)
        return (standing.games - games) / seconds, (standing.positions - positions) / seconds

    def show(self, standing: Standing) -> None:
        now = time.monotonic()
        speeds = self._speeds(now, standing)
        if self.quiet or now - self._shown < (0.2 if self.tty else 30):
            return
        self._shown = now
        line = line_of(standing, speeds)
        if self.tty:
            full = math.floor(BAR * standing.done)
            bar = f"[{'#' * full}{'.' * (BAR - full)}] {line}"
            # Cut to the terminal: a bar that wraps would scroll instead of being drawn over.
            self.stream.write("\r\x1b[2K" + bar[: shutil.get_terminal_size().columns - 1])
        else:
            self.stream.write(line + "\n")
        self.stream.flush()

    def note(self, text: str) -> None:
        """Says something once, on a line of its own."""
        if not self.quiet:
            self.end()
            self.stream.write(text + "\n")

    def end(self) -> None:
        """Wipes the bar."""
        if self.tty and not self.quiet:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
