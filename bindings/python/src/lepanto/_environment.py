"""What the environments of Gymnasium and PettingZoo share: their options, and a step with their rewards."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

import numpy as np

from ._config import Opponents, ResetMode
from ._options import BatchOptions
from ._slots import MAX_CHOICES, Array, Illegal, Slots, check_illegal, check_shaping, fold, render
from .arrays import NO_ORDER, Int64s
from .batch import Batch

#: Options that Batch does not have, and what they are where they are not given.
_OWN: Dict[str, Any] = {"max_choices": MAX_CHOICES, "illegal": "modulo", "flat": False, "shaping": 0.0}
#: Options of Batch that follow from the kind of environment.
_SET_HERE = ("actions", "lists", "max_children", "observations", "reset_mode")


class EnvOptions(BatchOptions, total=False):
    """Options of an environment by keyword, and those of lepanto.BatchOptions: score, workers, max_steps, record, ...

    actions, lists, max_children and reset_mode follow from the environment, and are refused.

    map: A map of the engine, as for lepanto.Batch. Default "standard".
    rules: Rules of the engine, as for lepanto.Batch. Default "datc-3.2".
    until: Last year of the game; 0: only a solo ends it. Default 1910.
    seed: Of the first reset() that is given none; None: fresh entropy. Default None.
    max_choices: The most legal actions of a slot, the size of its mask. Default 512.
    illegal: "modulo" takes any value of the space modulo the number of legal actions; "raise" refuses those that are
        too large. Default "modulo".
    flat: True makes an observation one f4[n] from 0 to 1, without masks and ids. Default False.
    shaping: Reward of a centre that a step has won. Default 0.0.
    """

    map: str
    rules: str
    until: int
    seed: Optional[int]
    max_choices: int
    illegal: Illegal
    flat: bool
    shaping: float


class Table:
    """The games of an environment: a batch, and its slots as spaces and masks."""

    def __init__(
        self,
        owner: str,
        num_games: int,
        options: Mapping[str, Any],
        reset_mode: ResetMode,
        opponents: Optional[Opponents] = None,
    ) -> None:
        """owner: name of the environment, for errors. Raises TypeError or ValueError for a wrong option."""
        for name in _SET_HERE:
            if name in options:
                raise TypeError(f"{owner}: got option {name!r}, wanted none: it follows from the environment")
        own = {**_OWN, **{name: options[name] for name in _OWN if name in options}}
        self.illegal, self.shaping = check_illegal(own["illegal"]), check_shaping(own["shaping"])
        rest = {name: value for name, value in options.items() if name not in own}
        given = {"until": 1910, **rest, "max_children": 0, "reset_mode": reset_mode}
        self.batch = Batch(num_games, opponents=opponents, **given)
        self.slots = Slots(self.batch, own["max_choices"], own["flat"])
        #: Seed of the next reset() that is given none.
        self.seed: int = self.batch.seed

    def no_actions(self) -> Int64s:
        """int64[G, Q, U]: no order in any slot."""
        return np.full((len(self.batch), len(self.batch.powers), self.batch.max_orders), NO_ORDER, np.int64)

    def fold(self, name: str, actions: Any, counts: Array) -> Array:
        """Actions of the space as those of a batch; `counts` has the numbers of legal actions. See _slots.fold()."""
        return fold(name, actions, counts, self.illegal)

    def step(self, joint: Int64s) -> Tuple[Array, Int64s]:
        """Plays a phase. Returns the rewards f8[G, Q], and how many adjustments were replaced, int64[G, Q]."""
        batch, before = self.batch, self.batch.replaced
        batch.step(batch.without_repeats(joint))
        rewards: Array = batch.rewards.astype(np.float64) + self.shaping * batch.center_gains
        return rewards, batch.replaced - before

    def render(self, mode: Optional[str]) -> Any:
        """The first game as text, or as pixels for the mode "rgb_array"."""
        return render(self.batch, mode)
