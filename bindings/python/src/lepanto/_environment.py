"""Shared code of the Gymnasium and PettingZoo environments: options, and a step with its rewards."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

import numpy as np

from ._config import Opponents, ResetMode
from ._options import BatchOptions
from ._slots import MAX_CHOICES, Array, Illegal, Slots, check_illegal, check_shaping, fold, render
from .arrays import NO_ORDER, Int64s
from .batch import Batch

#: Options of environments that Batch does not have, with their defaults.
_OWN: Dict[str, Any] = {"max_choices": MAX_CHOICES, "illegal": "modulo", "flat": False, "shaping": 0.0}
#: Options of Batch that the environment sets itself.
_SET_HERE = ("actions", "lists", "max_children", "observations", "reset_mode")


class EnvOptions(BatchOptions, total=False):
    """Keyword options of an environment, in addition to lepanto.BatchOptions: score, workers, max_steps, record, ...

    The environment sets actions, lists, max_children, observations and reset_mode itself and refuses them as options.

    map: A map of the engine, as for lepanto.Batch. Default "standard".
    rules: Rules of the engine, as for lepanto.Batch. Default "datc-3.2".
    until: Last year of the game; 0: only a solo ends it. Default 1910.
    seed: Seed of the first reset() without a seed; None: from the operating system. Default None.
    max_choices: Maximum number of legal actions of a slot, and size of its mask. Default 512.
    illegal: "modulo" takes any value of the space modulo the number of legal actions; "raise" raises an error for
        values that are too large. Default "modulo".
    flat: True makes an observation one f4[n] from 0 to 1, without masks and ids. Default False.
    shaping: Reward per supply centre gained in a step; lost centres count negative. Default 0.0.
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
    """Games of an environment for reinforcement learning: a batch of games, with the action spaces and masks of legal
    actions of its slots (a slot is one order of a power)."""

    def __init__(
        self,
        owner: str,
        num_games: int,
        options: Mapping[str, Any],
        reset_mode: ResetMode,
        opponents: Optional[Opponents] = None,
    ) -> None:
        """Makes the batch and its slots. owner: name of the environment, for errors.

        Raises TypeError or ValueError for a wrong option.
        """
        for name in _SET_HERE:
            if name in options:
                raise TypeError(f"{owner}: got option {name!r}, wanted none: it follows from the environment")
        own = {**_OWN, **{name: options[name] for name in _OWN if name in options}}
        self.illegal, self.shaping = check_illegal(own["illegal"]), check_shaping(own["shaping"])
        rest = {name: value for name, value in options.items() if name not in own}
        given = {"until": 1910, **rest, "max_children": 0, "reset_mode": reset_mode}
        self.batch = Batch(num_games, opponents=opponents, **given)
        self.slots = Slots(self.batch, own["max_choices"], own["flat"])
        #: Seed of the next reset() without a seed.
        self.seed: int = self.batch.seed

    def no_actions(self) -> Int64s:
        """Returns actions that give no order in any slot, int64[G, Q, U], all NO_ORDER."""
        return np.full((len(self.batch), len(self.batch.powers), self.batch.max_orders), NO_ORDER, np.int64)

    def fold(self, name: str, actions: Any, counts: Array) -> Array:
        """Converts actions of the environment's space to actions of the batch, of the shape of `counts`, as
        _slots.fold() does.

        name: of the argument, for errors. counts: number of legal actions of each slot.
        """
        return fold(name, actions, counts, self.illegal)

    def step(self, joint: Int64s) -> Tuple[Array, Int64s]:
        """Plays one phase of every game. joint: actions int64[G, Q, U].

        Replaces adjustments that repeat a province. Returns the rewards with shaping, f8[G, Q], and the number of
        replaced adjustments in this step, int64[G, Q].
        """
        batch, before = self.batch, self.batch.replaced
        batch.step(batch.without_repeats(joint))
        rewards: Array = batch.rewards.astype(np.float64) + self.shaping * batch.center_gains
        return rewards, batch.replaced - before

    def render(self, mode: Optional[str]) -> Any:
        """Returns the first game's board as pixels u1[height, width, 3] for the mode "rgb_array", its position as text
        for any other mode."""
        return render(self.batch, mode)
