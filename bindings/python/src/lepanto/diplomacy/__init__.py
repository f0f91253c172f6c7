"""The API of the package `diplomacy`, implemented on Lepanto's engine. Change `from diplomacy import Game` to
`from lepanto.diplomacy import Game`, or call install() before anything imports `diplomacy`."""

from __future__ import annotations

import importlib
import sys
from typing import Optional

from .engine.game import PACKAGE_RULES, Defaults, Game
from .engine.map import Map
from .engine.message import Message
from .engine.power import Power
from .utils.game_phase_data import GamePhaseData

_MODULES = (
    *(
        "engine",
        "engine.game",
        "engine.map",
        "engine.message",
        "engine.power",
        "engine.renderer",
        "utils",
        "utils.common",
    ),
    *("utils.constants", "utils.exceptions", "utils.export", "utils.game_phase_data", "utils.order_results"),
    *("utils.priority_dict", "utils.sorted_dict", "utils.strings"),
)


def install(rules: Optional[str] = None) -> None:
    """Makes `import diplomacy` import lepanto.diplomacy in this process, for code that cannot be changed.

    rules: adjudication rules of all games created without an engine: any rules of lepanto.Batch, or "package", which
        decides as the package `diplomacy` does where DATC leaves a choice. None: "datc-3.2".

    Raises ImportError if the package `diplomacy` itself has been imported.
    """
    here = sys.modules[__name__]
    known = sys.modules.get("diplomacy")
    if known is not None and known is not here:
        raise ImportError("install: got `diplomacy` imported already, wanted the call before that")
    if rules is not None:
        Defaults.rules = PACKAGE_RULES if rules == "package" else rules
    sys.modules["diplomacy"] = here
    for name in _MODULES:
        sys.modules[f"diplomacy.{name}"] = importlib.import_module(f"{__name__}.{name}")


__all__ = ["Game", "GamePhaseData", "Map", "Message", "Power", "install"]
