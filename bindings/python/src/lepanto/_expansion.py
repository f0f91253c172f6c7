"""What can come of games: children of joint actions, and rollouts behind them."""

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
        """Plays one phase of games once for each joint action: children of many roots in one call.

        games: one game, with joint_actions int[K, Q, U]; or G games, with int[G, K, Q, U]. Without padding: each of the
        children, max_children at most, is played, with -1 for a unit without an order. The batch itself stays as it
        was. The children have all arrays but the `final_` ones, as views, one row for each; they can be stepped,
        expanded and valued themselves (lepanto.Children). The next expand() of the batch overwrites them.

        seed: of the chance of the children, which decides what agents that are seated order in them. The chance of a
            child follows from `seed`, from the `episode_seed` of its game and from its number among the children of the
            game, not from the row. So equal games in other rows or in other batches have equal children, and copies
            with seeds="same" too. It is never the chance of an episode: seed may be the seed of the batch. None: other
            chance in each call, which follows from the seeds of the last reset of all games.
        common: True gives all children of a game the same chance. Without a seed this is the chance of the game itself:
            the children foresee what agents will order in the next step(). Whoever chooses by them plays with
            foresight.

        Raises IllegalAction as step() does; the game it names is num_games + its row.
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
        """Plays joint actions and then on to a horizon, `count` times each, on all threads: what that is worth to each
        power.

        games: one game, with joint_actions int[K, Q, U]: values f8[K, Q]. G games, with int[G, K, Q, U]: f8[G, K, Q].
            With joint_actions=None from the games as they stand: f8[Q], or f8[G, Q]. As in expand(), -1 is no order,
            and the batch stays as it was; any number of joint actions may be given. Overwrites the children of
            expand(). Agents that are seated order again in each rollout of a joint action: errors count their chance
            too.
        count: rollouts of each. horizon: phase-steps, the one of the joint action counted if it is of a movement phase;
            retreats and adjustments at the start come before them, and belong to it. A game that ends before, by a solo
            or after the year `until`, is worth its score.
        playout: who plays on: "dumbbot", "policy", "uniform", or any agent of the engine, which then plays all powers.
        value: of the board at the horizon: "heuristic" (as lepanto.search() has it: shares of the sum of squares of the
            centres that each power can expect), "sum_of_squares" or "sum_of_centers", of the centres that it has.
        seed: the same gives a game of the same `episode_seed` the same values, in any row, for any number of workers
            and whatever other games are listed. None: other chance in each call, which follows from the seeds of the
            last reset of all games.
        common: True plays the k-th rollout of all joint actions of a game with the same chance. Differences between
            them are then smaller than the errors of each, which say nothing of that, and no longer independent. It is
            no foresight: the next step() has a chance of its own.

        Values of different joint actions are independent but for `common`; those of different games but for games of
        one `episode_seed` (copies with seeds="same"). Errors are one standard error.
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
        """Rollouts behind joint actions, as many at a time as there is room for children."""
        if joint.ndim != 4 or len(joint) != len(roots):
            raise ValueError(f"joint actions: got shape {joint.shape[-4:]}, wanted ({len(roots)}, K, Q, U)")
        flat, parents = joint.reshape(-1, *joint.shape[2:]), np.repeat(roots, joint.shape[1])
        seeds = chances_of(seed, self._rows["episode_seed"][roots], roots, joint.shape[1], common)
        if self.max_children == 0:
            raise ValueError("max_children: got 0, wanted 1 or more: rollouts behind joint actions need children")
        return [
            run_rollouts(self, children._first, seeds[some], *options, after=True)
            for some, children in self._children_of(parents, flat, seeds)
        ]

    def _children_of(
        self, roots: npt.NDArray[Any], joint: npt.NDArray[Any], seeds: npt.NDArray[Any]
    ) -> Iterator[Tuple[slice, Children]]:
        """Children of one joint action int[N, Q, U] each, as many at a time as there is room for, and which they are.

        Each of them overwrite those before.
        """
        each = max(1, self.max_children)
        for begin in range(0, len(roots), each):
            some = slice(begin, begin + each)
            with self._lock:
                self._ready()
                self._refresh()
                children = Children.of(self, roots[some], joint[some, None], self.num_games, False, seeds[some])
            yield some, children
