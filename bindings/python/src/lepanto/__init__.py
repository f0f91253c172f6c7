"""Lepanto: thousands of games of Diplomacy in numpy arrays. README.md begins at the beginning."""

from ._server import EngineDied, IllegalAction, LepantoError
from .arrays import (
    ADJUSTMENT,
    ADJUSTMENT_SLOT,
    DRAW,
    FALL,
    MOVEMENT,
    NO_ORDER,
    PLAYING,
    RETREAT,
    SCORES,
    SOLO,
    SPRING,
    WINTER,
    Arrays,
    Children,
)
from .batch import SAMPLERS, Batch, episode_seeds

__version__ = "0.2.0"
__all__ = [
    "ADJUSTMENT",
    "ADJUSTMENT_SLOT",
    "Arrays",
    "Batch",
    "Children",
    "DRAW",
    "EngineDied",
    "FALL",
    "IllegalAction",
    "LepantoError",
    "MOVEMENT",
    "NO_ORDER",
    "PLAYING",
    "RETREAT",
    "SAMPLERS",
    "SCORES",
    "SOLO",
    "SPRING",
    "WINTER",
    "episode_seeds",
]
