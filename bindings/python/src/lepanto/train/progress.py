"""Progress of a run on stderr: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import io
import math
import shutil
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Deque, Dict, Optional, TextIO, Tuple

#: Seconds over which speeds are measured.
WINDOW = 30.0
BAR = 20


@dataclass
class Standing:
    """Progress of a training run."""

    stage: str
    done: float
    """Finished share of the work, 0 to 1."""
    left: Optional[float]
    """Remaining seconds. None if unknown."""
    games: int
    positions: int
    """Number of positions that the whole run has learned from. (`games` is the number of its games.)"""
    text: str = ""
    """Current step of the run, with its loss."""
    shares: Dict[str, float] = field(default_factory=dict)
    """Mean scores of the best net against the anchors, keyed by anchor."""


def time_left(seconds: Optional[float]) -> str:
    if seconds is None or not math.isfinite(seconds):
        return ""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"


def line_of(standing: Standing, speeds: Tuple[float, float]) -> str:
    """Formats progress as one line: 'play 41 %, 12:30 left, 5.1 games/s, 410 positions/s, ...'.

    speeds: games and positions per second; 0 if unknown.
    """
    games, positions = speeds
    parts = [f"{standing.stage} {math.floor(100 * standing.done)} %", time_left(standing.left)]
    parts += [f"{games:.1f} games/s" if games > 0 else "", f"{positions:,.0f} positions/s" if positions > 0 else ""]
    parts += [standing.text, " ".join(f"{anchor} {share:.3f}" for anchor, share in standing.shares.items())]
    return ", ".join(part for part in parts if part)


class Progress:
    """Shows progress: a bar at most five times per second on a terminal, a line every 30 seconds elsewhere. Shows
    nothing if quiet."""

    def __init__(self, quiet: bool, stream: Optional[TextIO] = None) -> None:
        # sys.stderr is None in a process without standard error.
        shown: Optional[TextIO] = stream or sys.stderr
        self.quiet = quiet or shown is None
        self.stream = shown or io.StringIO()
        self.tty = self.stream.isatty()
        self._shown = 0.0
        self._past: Deque[Tuple[float, int, int]] = deque()

    def _speeds(self, now: float, standing: Standing) -> Tuple[float, float]:
        """Returns games and positions per second over the last WINDOW seconds."""
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
            # The bar is cut to the terminal's width, because a wrapped bar would scroll instead of being overwritten.
            self.stream.write("\r\x1b[2K" + bar[: shutil.get_terminal_size().columns - 1])
        else:
            self.stream.write(line + "\n")
        self.stream.flush()

    def note(self, text: str) -> None:
        """Writes a message on a separate line of stderr."""
        if not self.quiet:
            self.end()
            self.stream.write(text + "\n")

    def end(self) -> None:
        """Clears the bar from the terminal."""
        if self.tty and not self.quiet:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
