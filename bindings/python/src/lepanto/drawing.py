"""Draws positions: SVG, and PNG if a package to render it is installed."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional, Union

from ._pictures import Drawing, Page, replay_page
from .diplomacy.engine.game import Game
from .state import State, shared_engine


def draw(
    position: Union[str, Mapping[str, Any], Game, State],
    theme: str = "auto",
    width: Optional[int] = None,
    title: Optional[str] = None,
) -> Drawing:
    """Draws a position, with its orders and their results if it has orders.

    position: input or answer of `lepanto adjudicate`, as a dict or as JSON text with its "map"; or a Game or a State.
    theme: "light", "dark", or "auto" for the setting of the reader's system.
    width: in pixels; None: the available width.
    title: title of the picture.

    The first drawing starts an engine, which all drawings share. Raises LepantoError naming the mistake in a position.
    """
    if isinstance(position, (Game, State)):
        return position.drawing(theme, width, title)
    record = json.loads(position) if isinstance(position, str) else dict(position)
    batch = shared_engine().batch
    with batch._lock:
        return Drawing(batch._server.ask(op="draw", position=record, theme=theme, width=width, title=title))


__all__ = ["Drawing", "Page", "draw", "replay_page"]
