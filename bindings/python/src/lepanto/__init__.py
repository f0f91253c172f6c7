"""Lepanto: thousands of games of Diplomacy in numpy arrays. README.md begins at the beginning."""

from ._server import EngineDied, IllegalAction, LepantoError
from .arrays import (
    ADJUSTMENT,
    ADJUSTMENT_SLOT,
    DRAW,
    FALL,
    FATES,
    MOVEMENT,
    NO_ORDER,
    PLAYING,
    RESULTS,
    RETREAT,
    SCORES,
    SOLO,
    SPRING,
    WINTER,
    Arrays,
    Children,
)
from .batch import SAMPLERS, Batch, episode_seeds
from .drawing import Drawing, Page, draw
from .legal import Legal
from .vocabulary import ORDER_TYPES, Vocabulary

__version__ = "0.2.0"
__all__ = [
    "ADJUSTMENT",
    "ADJUSTMENT_SLOT",
    "Arrays",
    "Batch",
    "Children",
    "DRAW",
    "Drawing",
    "EngineDied",
    "FALL",
    "FATES",
    "IllegalAction",
    "Legal",
    "LepantoError",
    "MOVEMENT",
    "NO_ORDER",
    "ORDER_TYPES",
    "PLAYING",
    "Page",
    "RESULTS",
    "RETREAT",
    "SAMPLERS",
    "SCORES",
    "SOLO",
    "SPRING",
    "Vocabulary",
    "WINTER",
    "draw",
    "episode_seeds",
]
