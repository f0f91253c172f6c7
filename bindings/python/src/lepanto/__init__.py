"""Lepanto: thousands of games of Diplomacy in numpy arrays. README.md begins at the beginning."""

from ._server import EngineDied, IllegalAction, LepantoError
from .batch import (
    ADJUSTMENT,
    ADJUSTMENT_SLOT,
    DRAW,
    FALL,
    MOVEMENT,
    NO_ORDER,
    PLAYING,
    RETREAT,
    SAMPLERS,
    SCORES,
    SOLO,
    SPRING,
    WINTER,
    Batch,
    Children,
    episode_seeds,
)

__version__ = "0.2.0"
__all__ = [
    "ADJUSTMENT",
    "ADJUSTMENT_SLOT",
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
