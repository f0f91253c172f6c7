"""Monte Carlo move search in a position: ranked sets of orders, with what each is worth.

    found = lepanto.search(game, "FRANCE", rollouts=20_000)
    found.powers["FRANCE"][0].orders, found.powers["FRANCE"][0].value

It is that of `lepanto search`, in threads of its own: candidate sets of all powers are valued on common random numbers,
and mixed by regret matching.
"""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional, Sequence, Union

from ._searching import Progress, RankedOrders, SearchResult, search_in
from .diplomacy.engine.game import Game
from .state import DiplomacyState, State, shared_engine

#: A position: what holds one, or JSON as `lepanto adjudicate` reads it, as a dict or as text.
Position = Union[Game, State, DiplomacyState, str, Mapping[str, Any]]


def search(
    position: Position,
    power: Union[str, Sequence[str]] = "all",
    rollouts: Optional[int] = None,
    progress: Optional[Progress] = None,
    **options: Any,
) -> SearchResult:
    """Searches for the orders of one power, of several, or of "all", in any phase.

    position: a lepanto.diplomacy.Game, a State or DiplomacyState, or JSON as `lepanto adjudicate` reads it, as a dict
        or as text, with its "map". Batch.search() searches in a game of a batch.
    rollouts: budget (20,000 without `milliseconds`). With one the answer follows from the position, the options and
        `seed`, on every machine.
    progress: called several times a second with the rollouts so far and their number in all. If it raises, the search
        ends.
    options: seed=0, milliseconds (a budget in time instead), and as `lepanto search --help` has them depth, value,
        playout, method, opponents, candidates, replies, anchor, and model: a file of bench/strength/fit-opponent about
        a named opponent.

    The first search of an engine starts its threads, which takes a second; Ctrl-C ends a search. Raises LepantoError
    for a position, an option or a power that is none.
    """
    if isinstance(position, (Game, State, DiplomacyState)):
        with position._lock:
            return search_in(position._enter(), {"game": 0}, power, rollouts, progress, options)
    record = json.loads(position) if isinstance(position, str) else dict(position)
    batch = shared_engine().batch
    with batch._lock:
        return search_in(batch, {"position": record}, power, rollouts, progress, options)


__all__ = ["Position", "Progress", "RankedOrders", "SearchResult", "search"]
