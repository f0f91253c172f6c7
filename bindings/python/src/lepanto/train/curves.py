"""Draws curves.svg of a run from its metrics.jsonl alone:

    python -m lepanto.train.curves DIR

Shares against each anchor with their errors, losses, entropy and scores over the minutes of the run. Light and dark
follow the reader's system.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .._files import write_whole
from .metrics import read_metrics

CURVES = "curves.svg"

_WIDTH = 760
_PANEL = 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 176, 30, 34
#: More points than these are drawn as means of neighbours.
_POINTS = 240
#: Of lines, on light and on dark paper: told apart with normal, protan, deutan and tritan vision
#: (bindings/draw/colours.ts).
_COLOURS = (
    ("#c13a1c", "#d4482a"),
    ("#0f4394", "#5b8cf0"),
    ("#1f8a63", "#35a07a"),
    ("#9657cf", "#bb7df2"),
    ("#b8860b", "#fae048"),
    ("#1b93c0", "#4ccbf5"),
    ("#2b2d32", "#d6d8dc"),
)
_DASHES = ("", "7 3", "2 3")


@dataclass
class Line:
    """Points of one curve."""

    name: str
    x: List[float] = field(default_factory=list)
    y: List[float] = field(default_factory=list)
    error: List[float] = field(default_factory=list)
    """Standard errors, where there are any."""
    passed: List[bool] = field(default_factory=list)
    """Of gates: whether the net became the best. Its points are drawn then."""


@dataclass
class Panel:
    """Curves over one axis."""

    title: str
    lines: List[Line]


#: Title with unit, stage, and curves by their key in a line of the metrics.
_PANELS: Tuple[Tuple[str, str, Tuple[Tuple[str, str], ...]], ...] = (
    ("Imitation: loss, nats", "bootstrap", (("policy", "orders, a unit"), ("value", "shares, a position"))),
    ("Imitation: recorded order is the likeliest, share of units", "bootstrap", (("same", "same order"),)),
    ("Play: losses, policy without unit, value in squared shares", "play", (("policy", "policy"), ("value", "value"))),
    ("Play: entropy, nats a unit", "play", (("entropy", "entropy"),)),
    ("Play: score of a learning seat in games that ended, share", "play", (("score", "score"),)),
)


def _number(value: Any) -> Optional[float]:
    return (
        float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        else None
    )


def _share_panel(rows: Sequence[Dict[str, Any]]) -> Panel:
    lines: Dict[str, Line] = {}
    for row in rows:
        errors = row.get("errors") or {}
        for anchor, share in (row.get("shares") or {}).items():
            minutes, value = _number(row.get("seconds")), _number(share)
            if minutes is None or value is None:
                continue
            line = lines.setdefault(anchor, Line(anchor))
            line.x.append(minutes / 60)
            line.y.append(value)
            line.error.append(_number(errors.get(anchor)) or 0.0)
            line.passed.append(row.get("passed") is True)
    return Panel("Gates: share of one seat, an anchor in all others, with standard errors", list(lines.values()))


def panels_of(rows: Sequence[Dict[str, Any]]) -> List[Panel]:
    """What there is to draw of the lines of metrics.jsonl; panels without a point are left out."""
    panels = [_share_panel(rows)]
    for title, stage, keys in _PANELS:
        lines = [Line(name) for _, name in keys]
        for row in rows:
            seconds = _number(row.get("seconds"))
            if row.get("stage") != stage or seconds is None:
                continue
            for line, (key, _) in zip(lines, keys):
                value = _number(row.get(key))
                if value is not None:
                    line.x.append(seconds / 60)
                    line.y.append(value)
        panels.append(Panel(title, [_thinned(line) for line in lines if line.x]))
    return [panel for panel in panels if panel.lines]


def _thinned(line: Line) -> Line:
    size = -(-len(line.x) // _POINTS)

    def means(values: List[float]) -> List[float]:
        parts = [values[i : i + size] for i in range(0, len(values), size)]
        return [sum(part) / len(part) for part in parts]

    return Line(line.name, means(line.x), means(line.y))


def _step(span: float) -> float:
    """1, 2 or 5 times a power of ten, at most six of which are in a span."""
    power = 10.0 ** math.floor(math.log10(span / 5))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= span / 5 * 0.999)


def _ticks(least: float, most: float) -> List[float]:
    step = _step(most - least)
    first = math.ceil(least / step - 1e-9)
    return [round(n * step, 9) for n in range(first, math.floor(most / step + 1e-9) + 1)]


@dataclass
class _Axis:
    least: float
    most: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        return self.begin + (value - self.least) / (self.most - self.least) * (self.end - self.begin)


def _range_of(panel: Panel) -> Tuple[float, float]:
    low: List[float] = []
    high: List[float] = []
    for line in panel.lines:
        errors = line.error or [0.0] * len(line.y)
        low += [y - error for y, error in zip(line.y, errors)]
        high += [y + error for y, error in zip(line.y, errors)]
    least, most = min(low), max(high)
    # From 0, where that is not far.
    if 0 < least < 0.6 * most:
        least = 0.0
    if most - least < 1e-9:
        least, most = least - max(abs(least), 1e-3) * 0.1, most + max(abs(most), 1e-3) * 0.1
    step = _step(most - least)
    return math.floor(least / step + 1e-9) * step, math.ceil(most / step - 1e-9) * step


def _text(x: float, y: float, content: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(content)}</text>'


def _draw(panel: Panel, top: float, most_minutes: float) -> List[str]:
    x = _Axis(0, most_minutes, _LEFT, _WIDTH - _RIGHT)
    y = _Axis(*_range_of(panel), top + _PANEL - _BOTTOM, top + _TOP)
    parts = [_text(_LEFT, top + 18, panel.title, "head")]
    for value in _ticks(y.least, y.most):
        parts.append(f'<path class="grid" d="M{x.begin:.1f} {y.at(value):.1f}H{x.end:.1f}"/>')
        parts.append(_text(_LEFT - 6, y.at(value) + 4, f"{value:g}", "right"))
    for value in _ticks(0, most_minutes):
        parts.append(_text(x.at(value), y.begin + 16, f"{value:g}", "middle"))
    parts.append(_text(x.end + 10, y.begin + 16, "minutes", ""))
    for i, line in enumerate(panel.lines):
        style = f"c{i % len(_COLOURS)} d{i // len(_COLOURS) % len(_DASHES)}"
        points = [(x.at(a), y.at(b)) for a, b in zip(line.x, line.y)]
        parts.append(f'<path class="line {style}" d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in points)}"/>')
        for (a, _), value, error in zip(points, line.y, line.error):
            if error > 0:
                low, high = y.at(max(value - error, y.least)), y.at(min(value + error, y.most))
                parts.append(f'<path class="bar {style}" d="M{a:.1f} {low:.1f}V{high:.1f}"/>')
        # One point alone is no line.
        for (a, b), passed in zip(points, line.passed or [True] * (len(points) == 1)):
            parts.append(f'<circle class="{"full" if passed else "open"} {style}" cx="{a:.1f}" cy="{b:.1f}" r="3"/>')
        legend = top + _TOP + 8 + 17 * i
        parts.append(f'<path class="line {style}" d="M{x.end + 10:.1f} {legend - 4:.1f}h18"/>')
        parts.append(_text(x.end + 34, legend, f"{line.name} {line.y[-1]:.3g}", ""))
    return parts


def _style() -> str:
    shared = (
        'text{font:12px "Helvetica Neue",Helvetica,Arial,"DejaVu Sans",sans-serif}'
        ".head{font-weight:600}.right{text-anchor:end}"
        ".middle{text-anchor:middle}.line,.bar{fill:none;stroke-width:1.6;stroke-linejoin:round}"
        ".bar{stroke-width:1;stroke-dasharray:none}"
        ".full,.open{stroke-width:1.4;stroke-dasharray:none}"
    ) + "".join(f".d{i}{{stroke-dasharray:{dash}}}" for i, dash in enumerate(_DASHES) if dash)
    sheets = []
    for shade, (page, text, grid) in enumerate((("#ffffff", "#2c2f34", "#dcdcdc"), ("#101418", "#eceef0", "#333c44"))):
        rules = f".page{{fill:{page}}}text{{fill:{text}}}.grid{{stroke:{grid}}}.open{{fill:{page}}}"
        for i, colours in enumerate(_COLOURS):
            rules += f".c{i}{{stroke:{colours[shade]}}}.full.c{i}{{fill:{colours[shade]}}}"
        sheets.append(rules)
    return f"{shared}{sheets[0]}@media(prefers-color-scheme:dark){{{sheets[1]}}}"


def draw_curves(rows: Sequence[Dict[str, Any]], title: str) -> str:
    """An SVG document of the lines of metrics.jsonl."""
    panels = panels_of(rows)
    height = 36 + _PANEL * max(1, len(panels))
    most = max((x for panel in panels for line in panel.lines for x in line.x), default=0.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" role="img">',
        f"<title>{escape(title)}</title><style>{_style()}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
        _text(16, 24, title, "head"),
    ]
    for i, panel in enumerate(panels):
        parts += _draw(panel, 36 + i * _PANEL, most)
    if not panels:
        parts.append(_text(_LEFT, 70, "nothing is measured yet", ""))
    return "\n".join([*parts, "</svg>"]) + "\n"


def write_curves(directory: Union[str, "os.PathLike[str]"]) -> Path:
    """Draws curves.svg of a run in its directory, and returns its path. Raises ValueError or OSError."""
    target = Path(directory) / CURVES
    rows = read_metrics(directory)
    write_whole(target, draw_curves(rows, Path(directory).resolve().name))
    return target


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m lepanto.train.curves", description="Draws curves.svg of a run from its metrics.jsonl."
    )
    parser.add_argument("directory", type=Path, help="what --out of the run was")
    given = parser.parse_args(arguments)
    try:
        print(write_curves(given.directory))
    except (OSError, ValueError) as error:
        print(f"lepanto.train.curves: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
