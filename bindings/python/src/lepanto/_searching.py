"""Searches for orders with the engine of a batch, and their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from ._checks import SEEDS, signed, whole_from
from ._games import Games
from ._server import alone

#: Called several times a second with the number of rollouts played and the total (0 for a time budget).
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class RankedOrders:
    """Orders for all units of one power that a search considered together, with the estimates of the search."""

    orders: Sequence[str]
    """Orders of all units of the power, as text, one for each unit."""
    ids: Sequence[int]
    """Vocabulary ids of `orders`, one for each. Batch.actions_from_ids() converts them to actions."""
    probability: float
    """Probability with which the search would play the set, 0 to 1."""
    value: float
    """Mean value to the power, a share from 0 to 1; NaN without rollouts."""
    error: float
    """One standard error of `value`; NaN for fewer than two rollouts."""
    rollouts: int
    """Number of rollouts that began with these orders. Without rollouts: number of one-turn lookaheads, twelve of which
    count as one rollout of the budget."""

    def __repr__(self) -> str:
        worth = f"probability {self.probability:.3f}, value {self.value:.3f} +- {self.error:.3f}"
        return f"<lepanto.RankedOrders: {', '.join(self.orders)}; {worth}, {self.rollouts} rollouts>"


@dataclass(frozen=True)
class SearchResult:
    """Result of a search: order sets of the searched powers and those expected of the others."""

    phase: str
    """Name of the searched phase, such as 'S1901M'."""
    powers: Mapping[str, Sequence[RankedOrders]]
    """Order sets of each searched power, keyed by power, best first: by probability, then by value. Empty without an
    order due."""
    replies: Mapping[str, Sequence[RankedOrders]]
    """Order sets that the search expects of the other powers, keyed by power."""
    depth: int
    """Number of phase-steps to the position that is valued; 0: one-turn lookahead. A phase-step is a movement phase
    with the retreats and adjustments after it."""
    rollouts: int
    """Number of rollouts played in the search, or of one-turn lookaheads."""
    seconds: float
    """Duration of the search in seconds."""
    reproducible: bool
    """True if the same search gives the same result on any machine. False for a time budget or a search that was
    stopped early."""

    def __repr__(self) -> str:
        best = "; ".join(f"{power}, best of {len(sets)}: {sets[0]!r}" for power, sets in self.powers.items() if sets)
        return f"<lepanto.SearchResult: {self.phase}, {self.rollouts} rollouts; {best or 'no orders'}>"

    def sample(self, power: str, generator: Optional[np.random.Generator] = None) -> RankedOrders:
        """Draws one of the order sets of a power by their probabilities.

        power: name as in `powers`. generator: source of random numbers. None: a new, unseeded generator.

        Raises KeyError for a power that is not in `powers`.
        """
        sets = self.powers[power]
        p = np.array([one.probability for one in sets])
        rng = generator or np.random.default_rng()
        return sets[int(rng.choice(len(sets), p=p / p.sum()))]


def _ranked(sets: Sequence[Mapping[str, Any]], ids: Sequence[Sequence[int]]) -> List[RankedOrders]:
    def known(one: Mapping[str, Any]) -> Dict[str, Any]:
        # JSON has no NaN; the engine sends null.
        return {name: np.nan if value is None else value for name, value in one.items()}

    return [RankedOrders(ids=own, **known(one)) for one, own in zip(sets, ids)]


def search_in(
    batch: Games,
    where: Mapping[str, Any],
    power: Union[str, Sequence[str]],
    rollouts: Optional[int],
    progress: Optional[Progress],
    options: Mapping[str, Any],
) -> SearchResult:
    """Searches with the engine of a batch, and waits for the result. Ends the search if the wait is interrupted.

    where: {"game": row} or {"position": record of `lepanto adjudicate`}. Others: as for lepanto.search().
    """
    seed = signed(whole_from("seed", options.get("seed", 0), *SEEDS))
    names = [power] if isinstance(power, str) else list(power)
    # The names are not checked here, because the position's map, and so its powers, may differ from the batch's. None:
    # all powers.
    powers = None if power == "all" else [name.upper() for name in names]
    ask = batch._server.ask
    begun = ask(op="search begin", powers=powers, options={**options, "rollouts": rollouts, "seed": seed}, **where)
    number, total = begun["search"], begun["total"]
    try:
        while True:
            told = ask(op="search poll", search=number)
            if progress is not None:
                progress(told["played"], total)
            if told["result"] is not None:
                break
    except BaseException:
        # Without this the search would continue in its threads.
        if batch._server.is_ours:
            ask(op="search stop", search=number)
        raise
    found = told["result"]
    ids = found["ids"]
    found_powers, replies = (
        {name: _ranked(sets, ids[name]) for name, sets in found[which].items()} for which in ("powers", "replies")
    )
    depth, played, seconds = found["depth"], found["rollouts"], found["seconds"]
    return SearchResult(found["phase"], found_powers, replies, depth, played, seconds, found["reproducible"])


class Searching(Games):
    @alone
    def search(
        self,
        game: int,
        power: Union[str, Sequence[str]] = "all",
        rollouts: Optional[int] = None,
        progress: Optional[Progress] = None,
        **options: Any,
    ) -> SearchResult:
        """Searches for orders in a game of the batch. Parameters as for lepanto.search().

        actions_from_ids() converts an order set of the result to actions.
        """
        self._ready()
        return search_in(self, {"game": self._game(game)}, power, rollouts, progress, options)
