"""One line on stderr that says how a run is getting on."""

from __future__ import annotations

import shutil
import sys
import time


class Progress:
    """Shows at most five lines a second on a terminal, one in 30 seconds elsewhere, and none if it is quiet."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.tty = sys.stderr.isatty()
        self.shown = 0.0

    def show(self, stage: str, seconds: float, limit: float, text: str) -> None:
        now = time.monotonic()
        if self.quiet or now - self.shown < (0.2 if self.tty else 30):
            return
        self.shown = now
        left = max(0, round(limit - seconds))
        line = f"{stage} {min(1, seconds / limit):4.0%}  {left // 60}:{left % 60:02} left  {text}"
        if self.tty:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r" + line[:width].ljust(width))
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        if self.tty and not self.quiet:
            sys.stderr.write("\n")
