"""The names of the package `diplomacy` on Lepanto's engine: change `from diplomacy import Game` to
`from lepanto.diplomacy import Game`, or call install() before anything imports `diplomacy`."""

from __future__ import annotations

import importlib
import sys

from .engine.game import Game
from .engine.map import Map
from .engine.message import Message
from .engine.power import Power
from .utils.game_phase_data import GamePhaseData

_MODULES = (
    *("engine", "engine.game", "engine.map", "engine.message", "engine.power", "engine.renderer"),
    *("utils", "utils.export", "utils.game_phase_data", "utils.order_results", "utils.sorted_dict"),
)


def install() -> None:
    """Makes `import diplomacy`, in this process, import lepanto.diplomacy: for code that is not to be changed.

    Raises ImportError if the package `diplomacy` itself has been imported.
    """
    here = sys.modules[__name__]
    known = sys.modules.get("diplomacy")
    if known is not None and known is not here:
        raise ImportError("install: got `diplomacy` imported already, wanted the call before that")
    sys.modules["diplomacy"] = here
    for name in _MODULES:
        sys.modules[f"diplomacy.{name}"] = importlib.import_module(f"{__name__}.{name}")


__all__ = ["Game", "GamePhaseData", "Map", "Message", "Power", "install"]
