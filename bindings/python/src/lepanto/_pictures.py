"""Pictures of boards: SVG, and PNG if a package to render it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import tempfile
from html import escape
from pathlib import Path
from typing import Any, Callable, List, Mapping, Sequence, Tuple, Union

from ._files import write_whole
from ._server import LepantoError, find_node, script

#: Packages that render SVG as PNG, each with a function (package, SVG, width in pixels) that calls it.
_RENDERERS: Sequence[Tuple[str, Callable[[Any, str, int], Any]]] = (
    ("resvg_py", lambda library, svg, width: library.svg_to_bytes(svg_string=svg, width=width)),
    ("cairosvg", lambda library, svg, width: library.svg2png(bytestring=svg.encode(), output_width=width)),
)


def render_modes() -> List[str]:
    """Returns the render modes that the installed packages allow: always "ansi"; also "rgb_array" if pillow and
    resvg_py or cairosvg are installed."""
    pillow, *renderers = (importlib.util.find_spec(name) for name in ("PIL", *(name for name, _ in _RENDERERS)))
    return ["ansi", "rgb_array"] if pillow and any(renderers) else ["ansi"]


class Drawing:
    """A drawn board. Notebooks display it; `str(drawing)` is its SVG, `save()` writes it to a file."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<lepanto.Drawing: {len(self.svg):,} characters of SVG>"

    def _repr_svg_(self) -> str:
        return self.svg

    def png(self, width: int = 1200) -> bytes:
        """Returns the picture as PNG, using the package resvg_py or cairosvg. width: in pixels.

        The theme "auto" becomes "light". Raises LepantoError if neither package is installed.
        """
        for name, render in _RENDERERS:
            try:
                library = importlib.import_module(name)
            except (ImportError, OSError):
                continue
            return bytes(render(library, self.svg, width))
        raise LepantoError('png: got neither resvg_py nor cairosvg, wanted one of them: pip install "lepanto[png]"')

    def save(self, path: Union[str, "os.PathLike[str]"], width: int = 1200) -> None:
        """Writes the picture to a file, atomically: as PNG if its name ends in ".png", else as SVG.

        width: of a PNG, in pixels. Raises LepantoError for a PNG if neither resvg_py nor cairosvg is installed.
        """
        write_whole(path, self.png(width) if Path(path).suffix.lower() == ".png" else self.svg)


class Page:
    """An HTML page that replays a game, self-contained in one file. Notebooks display it; `save()` writes it to a
    file."""

    def __init__(self, html: str) -> None:
        self.html = html

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<lepanto.Page: {len(self.html):,} characters of HTML>"

    def _repr_html_(self) -> str:
        # A frame isolates the styles and scripts of the page from the notebook.
        frame = 'width="100%" height="900" style="border:0" sandbox="allow-scripts"'
        return f'<iframe srcdoc="{escape(self.html)}" {frame}></iframe>'

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page to a file as HTML, atomically."""
        write_whole(path, self.html)


def replay_page(saved: Mapping[str, Any]) -> Page:
    """Returns an HTML page that replays a saved game of the package `diplomacy`. Runs `lepanto replay` in a separate
    process.

    Raises LepantoError if the process fails.
    """
    with tempfile.TemporaryDirectory() as directory:
        game, page = Path(directory) / "game.json", Path(directory) / "page.html"
        game.write_text(json.dumps(saved), encoding="utf-8")
        command = [find_node(), str(script("dist/bindings/cli/lepanto.js")), "replay", str(game), "--html", str(page)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not page.is_file():
            raise LepantoError(f"replay: {done.stderr.strip() or 'got no page'}")
        return Page(page.read_text(encoding="utf-8"))
