"""Expands games of a batch: children of joint actions, and rollouts from them."""

from __future__ import annotations

from typing import Any, Iterator, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, whole_from
from ._config import Indices
from ._rollouts import Rollouts, run_rollouts
from ._seeds import chances_of
from ._server import alone
from ._steps import Steps
from .children import Children, child_seeds


class Expansion(Steps):
    @alone
    def expand(
        self, games: Indices, joint_actions: npt.NDArray[Any], seed: Optional[int] = None, common: bool = False
    ) -> Children:
        """Plays one phase from games for each of their joint actions. Returns the resulting positions.

        Does not change the games. Children have all arrays except the `final_` ones, as views with one row per child,
        and can be stepped, expanded and valued themselves (lepanto.Children). The next expand() of the batch overwrites
        them.

        games: one game, or G games.
        joint_actions: int[K, Q, U] for one game, int[G, K, Q, U] for G games; -1 for a unit without an order. At most
            max_children in all. There is no padding: every joint action is played.
        seed: random seed of the children, which determines the orders of opponents in them. It is combined with the
            `episode_seed` of the game and the number of the child among the game's children, not with the row. Equal
            games in other rows or batches, and copies with seeds="same", therefore have equal children. The result
            differs from the seed of every episode, so `seed` may be the seed of the batch. None: a new seed in each
            call, derived from the seeds of the last reset of all games.
        common: True gives all children of a game the same random numbers. Without a seed these are the game's own: the
            children then foresee the opponents' orders in the next step(), and choosing by them is choosing with
            foresight.

        Raises IllegalAction as step() does. It names a child as game num_games + its row.
        """
        self._ready()
        self._refresh()
        roots = self._index(games)
        seeds = child_seeds(self, self._rows["episode_seed"], roots, joint_actions, seed, common)
        return Children.of(self, roots, joint_actions, self.num_games, np.ndim(games) == 0, seeds)

    @alone
    def rollouts(
        self,
        games: Indices,
        joint_actions: Optional[npt.NDArray[Any]] = None,
        count: int = 100,
        horizon: int = 3,
        playout: str = "dumbbot",
        value: str = "heuristic",
        seed: Optional[int] = None,
        common: bool = False,
    ) -> Rollouts:
        """Estimates the value of joint actions to each power by playing them, then random games to a horizon.

        Returns mean values and their standard errors. Does not change the games, but overwrites the children of
        expand(). Opponents order again in each rollout of a joint action, so the errors include their randomness.

        games: one game, or G games.
        joint_actions: int[K, Q, U] for one game gives values f8[K, Q]; int[G, K, Q, U] for G games gives f8[G, K, Q].
            -1 is no order. There may be more than max_children. None: rollouts from the current positions give f8[Q] or
            f8[G, Q].
        count: number of rollouts of each joint action.
        horizon: number of phase-steps. The phase of the joint action counts if it is a movement phase. Retreats and
            adjustments at the start are played first and do not count. The value of a game that ends earlier, by a solo
            or after the year `until`, is its score.
        playout: who plays the rollouts: "dumbbot", "policy", "uniform", or any agent of the engine, which then plays
            all powers.
        value: value of the position at the horizon: "heuristic" (as in lepanto.search(): shares by the sum of squares
            of expected centres), or "sum_of_squares" or "sum_of_centers" of the current centres.
        seed: the same seed gives the same values for games with the same `episode_seed`, in any row, for any number of
            workers and whatever other games are listed. None: a new seed in each call, derived from the seeds of the
            last reset of all games.
        common: True plays the k-th rollout of all joint actions of a game with the same random numbers. Differences
            between joint actions then vary less than their separate errors suggest, and values are not independent.
            This gives no foresight: the next step() has other random numbers.

        Values of joint actions are independent, except with `common`. Values of games are independent, except for games
        with the same `episode_seed` (copies with seeds="same").
        """
        self._ready()
        self._refresh()
        roots = self._index(games)
        q, u = len(self.powers), self.max_orders
        drawn = self._draws.next("rollouts") if seed is None else whole_from("seed", seed, *SEEDS)
        options = count, horizon, playout, value
        if joint_actions is None:
            joint = np.full((len(roots), 1, q, u), -1, np.int32)
            seeds = chances_of(drawn, self._rows["episode_seed"][roots], roots, 1, False)
            parts = [run_rollouts(self, int(row), seeds[i : i + 1], *options) for i, row in enumerate(roots)]
        else:
            joint = np.asarray(joint_actions)[None] if np.ndim(games) == 0 else np.asarray(joint_actions)
            parts = self._expanded(roots, joint, options, drawn, common)
        values = np.concatenate([part.values for part in parts])
        errors = np.concatenate([part.errors for part in parts])
        shape = (
            (() if np.ndim(games) == 0 else (len(roots),)) + (() if joint_actions is None else joint.shape[1:2]) + (q,)
        )
        return Rollouts(values.reshape(shape), errors.reshape(shape), count)

    def _expanded(
        self, roots: npt.NDArray[Any], joint: npt.NDArray[Any], options: Any, seed: int, common: bool
    ) -> List[Rollouts]:
        """Plays rollouts of joint actions int[G, K, Q, U], at most max_children joint actions at a time. Overwrites the
        children.

        roots: int[G], the games. options: count, horizon, playout and value, as for run_rollouts(). seed, common: as
            for rollouts().

        Returns one Rollouts per group of joint actions. Raises ValueError for another shape, or if the batch has no
        children.
        """
        if joint.ndim != 4 or len(joint) != len(roots):
            raise ValueError(f"joint actions: got shape {joint.shape[-4:]}, wanted ({len(roots)}, K, Q, U)")
        flat, parents = joint.reshape(-1, *joint.shape[2:]), np.repeat(roots, joint.shape[1])
        seeds = chances_of(seed, self._rows["episode_seed"][roots], roots, joint.shape[1], common)
        if self.max_children == 0:
            raise ValueError("max_children: got 0, wanted 1 or more: rollouts after joint actions need children")
        return [
            run_rollouts(self, children._first, seeds[some], *options, after=True)
            for some, children in self._children_of(parents, flat, seeds)
        ]

    def _children_of(
        self, roots: npt.NDArray[Any], joint: npt.NDArray[Any], seeds: npt.NDArray[Any]
    ) -> Iterator[Tuple[slice, Children]]:
        """Yields children of joint actions in groups of at most max_children, each with the slice of its joint actions.

        roots: int[N], the game of each joint action. joint: int[N, Q, U]. seeds: int32[N]. Each group overwrites the
        one before it.
        """
        each = max(1, self.max_children)
        for begin in range(0, len(roots), each):
            some = slice(begin, begin + each)
            with self._lock:
                self._ready()
                self._refresh()
                children = Children.of(self, roots[some], joint[some, None], self.num_games, False, seeds[some])
            yield some, children
