"""Draws boards as SVG, with the API of the package `diplomacy`."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from ..._files import write_whole


class Renderer:
    """Draws the board of a game in Lepanto's style. svg_path: ignored, because Lepanto draws maps itself."""

    def __init__(self, game: Any, svg_path: Optional[str] = None) -> None:
        self.game = game

    def render(
        self,
        incl_orders: bool = True,
        incl_abbrev: bool = False,
        output_format: str = "svg",
        output_path: Union[None, str, "os.PathLike[str]"] = None,
    ) -> str:
        """Returns the board as SVG.

        incl_orders: draws the orders set for this phase. incl_abbrev: ignored, province names are always drawn.
        output_path: file to write as well. Raises ValueError unless `output_format` is "svg".
        """
        if output_format != "svg":
            raise ValueError(f'output_format: got {output_format!r}, wanted "svg"')
        svg: str = self.game._drawn_board(incl_orders).svg
        if output_path is not None:
            write_whole(output_path, svg)
        return svg
