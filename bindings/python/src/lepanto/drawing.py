"""Positions and games as pictures: SVG, and PNG where a package for it is installed."""

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
    """Draws a position: a record of `lepanto adjudicate` as a dict or as JSON text, with "orders" or without and with
    its "map"; an answer of it; a Game or a State.

    Orders are adjudicated, and drawn with what they came to. theme: "light", "dark", or "auto", as the reader's system
    has it; width in pixels, None: the room that there is. All drawings share an engine, which the first of them starts.
    Raises LepantoError, which names what is wrong with a position.
    """
    if isinstance(position, (Game, State)):
        return position.drawing(theme, width, title)
    record = json.loads(position) if isinstance(position, str) else dict(position)
    batch = shared_engine().batch
    with batch._lock:
        return Drawing(batch._server.ask(op="draw", position=record, theme=theme, width=width, title=title))


__all__ = ["Drawing", "Page", "draw", "replay_page"]
