"""Monte Carlo search for orders in a position: ranked order sets with their values.

    found = lepanto.search(game, "FRANCE", rollouts=20_000)
    found.powers["FRANCE"][0].orders, found.powers["FRANCE"][0].value

The same search as `lepanto search`, run in engine threads: values candidate sets of all powers on common random
numbers, and mixes them by regret matching.
"""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional, Sequence, Union

from ._searching import Progress, RankedOrders, SearchResult, search_in
from .diplomacy.engine.game import Game
from .state import DiplomacyState, State, shared_engine

#: An object with a position, or a position in the JSON of `lepanto adjudicate`, as a dict or as text.
Position = Union[Game, State, DiplomacyState, str, Mapping[str, Any]]


def search(
    position: Position,
    power: Union[str, Sequence[str]] = "all",
    rollouts: Optional[int] = None,
    progress: Optional[Progress] = None,
    **options: Any,
) -> SearchResult:
    """Searches for orders in any phase of a game.

    position: a lepanto.diplomacy.Game, a State or DiplomacyState, or the JSON of `lepanto adjudicate` as a dict or as
        text, with its "map". Batch.search() searches in a game of a batch.
    power: one power, a list of powers, or "all".
    rollouts: budget in rollouts (20,000 without `milliseconds`), exceeded if it does not suffice to try each
        candidate. Results are then reproducible on every machine: they depend only on the position, the options and
        `seed`.
    progress: called several times a second with the number of rollouts played and the total. The search ends if it
        raises.
    options: seed=0; milliseconds (a time budget instead of `rollouts`); depth, value, playout, method, opponents,
        candidates, replies and anchor, as in `lepanto search --help`; and model: an opponent model, a file of
        bench/strength/fit-opponent.

    The first search of an engine starts its threads, which takes a second. Ctrl-C ends a search. Raises LepantoError
    for an invalid position, option or power.
    """
    if isinstance(position, (Game, State, DiplomacyState)):
        with position._lock:
            return search_in(position._enter(), {"game": 0}, power, rollouts, progress, options)
    record = json.loads(position) if isinstance(position, str) else dict(position)
    batch = shared_engine().batch
    with batch._lock:
        return search_in(batch, {"position": record}, power, rollouts, progress, options)


__all__ = ["Position", "Progress", "RankedOrders", "SearchResult", "search"]
