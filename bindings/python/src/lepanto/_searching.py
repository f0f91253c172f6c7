"""Searches by the engine of a batch, and what they find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from ._checks import SEEDS, signed, whole_from
from ._games import Games
from ._server import alone

#: Called several times a second with the rollouts played so far, and all that there will be (0 for a budget in time).
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class RankedOrders:
    """A set of orders of one power that a search has weighed."""

    orders: Sequence[str]
    """Of all its units, as text."""
    ids: Sequence[int]
    """The same as vocabulary ids: Batch.actions_from_ids() makes actions of them."""
    probability: float
    """With which the search would play it, 0 to 1."""
    value: float
    """Mean value to the power, a share of 0 to 1; NaN where nothing was played with it."""
    error: float
    """One standard error of the value; NaN for fewer than two rollouts."""
    rollouts: int
    """Rollouts that began with it; or one-turn lookaheads, of which a rollout of the budget pays for twelve."""

    def __repr__(self) -> str:
        worth = f"probability {self.probability:.3f}, value {self.value:.3f} +- {self.error:.3f}"
        return f"<lepanto.RankedOrders: {', '.join(self.orders)}; {worth}, {self.rollouts} rollouts>"


@dataclass(frozen=True)
class SearchResult:
    """What a search has found."""

    phase: str
    """'S1901M'"""
    powers: Mapping[str, Sequence[RankedOrders]]
    """The powers that were searched for, their sets best first: by probability, then by value. No set without an order
    due."""
    replies: Mapping[str, Sequence[RankedOrders]]
    """What was expected of the others."""
    depth: int
    """Phase-steps to the horizon; 0: one-turn lookahead."""
    rollouts: int
    """Rollouts played, or lookaheads."""
    seconds: float
    """Time that it took."""
    reproducible: bool
    """False for a budget in time, or a search that was ended early: the answer depends on the machine."""

    def __repr__(self) -> str:
        best = "; ".join(f"{power}, best of {len(sets)}: {sets[0]!r}" for power, sets in self.powers.items() if sets)
        return f"<lepanto.SearchResult: {self.phase}, {self.rollouts} rollouts; {best or 'no orders'}>"

    def sample(self, power: str, generator: Optional[np.random.Generator] = None) -> RankedOrders:
        """Draws a set of a power by the probabilities. generator: None: a fresh one."""
        sets = self.powers[power]
        p = np.array([one.probability for one in sets])
        rng = generator or np.random.default_rng()
        return sets[int(rng.choice(len(sets), p=p / p.sum()))]


def _ranked(sets: Sequence[Mapping[str, Any]], ids: Sequence[Sequence[int]]) -> List[RankedOrders]:
    def known(one: Mapping[str, Any]) -> Dict[str, Any]:
        # JSON has no NaN: null.
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
    """Searches with the engine of a batch. where: {"game": row} or {"position": record}."""
    seed = signed(whole_from("seed", options.get("seed", 0), *SEEDS))
    names = [power] if isinstance(power, str) else list(power)
    # The powers of the map of the position, which may be another than the batch's; None: all.
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
        # It would go on in its threads.
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
        """Searches for orders in a game: see lepanto.search(). actions_from_ids() makes actions of a set."""
        self._ready()
        return search_in(self, {"game": self._game(game)}, power, rollouts, progress, options)
