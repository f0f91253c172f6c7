"""Lepanto: thousands of games of Diplomacy in numpy arrays, stepped together by the engine.

Begin with `Batch` for play in arrays, `adjudicate` for positions as text, `search` for good orders, `draw` for
pictures, and `lepanto.diplomacy.Game` for one game at a time.
"""

from ._rollouts import Rollouts
from ._server import EngineDied, IllegalAction, LepantoError
from .adjudication import adjudicate
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
)
from .batch import SAMPLERS, Batch, BatchOptions, episode_seeds
from .children import Children
from .drawing import Drawing, Page, draw
from .legal import Legal, lists_of
from .search import RankedOrders, SearchResult, search
from .vocabulary import ORDER_TYPES, MappedVocabulary, Vocabulary

__version__ = "0.2.0"
__all__ = [
    "ADJUSTMENT",
    "ADJUSTMENT_SLOT",
    "Arrays",
    "Batch",
    "BatchOptions",
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
    "MappedVocabulary",
    "NO_ORDER",
    "ORDER_TYPES",
    "PLAYING",
    "Page",
    "RESULTS",
    "RETREAT",
    "RankedOrders",
    "Rollouts",
    "SAMPLERS",
    "SCORES",
    "SOLO",
    "SPRING",
    "SearchResult",
    "Vocabulary",
    "WINTER",
    "adjudicate",
    "draw",
    "episode_seeds",
    "lists_of",
    "search",
]
