"""Assigns the seats of a game to the learning net and to opponents from the pool."""

from __future__ import annotations

from typing import Dict, List, Sequence

import numpy as np

from .config import PlayConfig

#: Placeholder in an agent's name for the file of the best net.
BEST = "{best}"


class League:
    """The pool of opponents of the learning net. Nets are agent names of the engine, such as `net:file=PATH`."""

    def __init__(self, config: PlayConfig, powers: Sequence[str], rng: np.random.Generator) -> None:
        self.config = config
        self.powers = list(powers)
        self.rng = rng
        #: `nets`: agent names of the nets that passed a gate, the oldest first. `best`: file of the last of them; ""
        #: for none.
        self.nets: List[str] = []
        self.best = ""

    def _agent(self, kind: str) -> str:
        if kind == "best":
            return self.nets[-1]
        if kind == "older":
            return self.nets[int(self.rng.integers(len(self.nets) - 1))]
        return kind.replace(BEST, self.best)

    def _kinds(self) -> Dict[str, float]:
        def needs(kind: str) -> int:
            return 2 if kind == "older" else 1 if kind == "best" or BEST in kind else 0

        return {kind: weight for kind, weight in self.config.pool.items() if len(self.nets) >= needs(kind)}

    def deal(self) -> Dict[str, str]:
        """Draws the opponents of one game. Returns names of agents, keyed by power; powers without an agent are the
        learner's."""
        kinds = self._kinds()
        weights = np.array(list(kinds.values()))
        seats = min(int(self.rng.choice(self.config.seats)), len(self.powers))
        order = self.rng.permutation(len(self.powers))
        if not kinds or weights.sum() == 0:
            return {}
        # Half of the games have one opponent in all seats, half have a mix.
        names = list(kinds)
        count = len(self.powers) - seats
        drawn = self.rng.choice(len(names), count, p=weights / weights.sum())
        if self.rng.random() < 0.5:
            drawn[:] = drawn[:1]
        return {self.powers[q]: self._agent(names[kind]) for q, kind in zip(order[seats:], drawn)}
