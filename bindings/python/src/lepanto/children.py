"""Children of games: positions after joint actions, as made by expand(), to step, expand or value."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, mask_array, whole_array, whole_from
from ._rollouts import Rollouts, run_rollouts
from ._seeds import chances_of, siblings_of
from ._server import LepantoError
from ._steps import Steps
from .arrays import Arrays


def child_seeds(
    batch: Steps,
    episodes: npt.NDArray[np.int32],
    roots: npt.NDArray[Any],
    joint_actions: Any,
    seed: Optional[int],
    common: bool,
) -> Optional[npt.NDArray[np.int32]]:
    """Returns the seeds of the children of joint actions, int32[children]. None if they share their root's seed.

    episodes: int32, seeds of all games or children that may be expanded. roots: indices into `episodes`. seed, common:
        as for Batch.expand().
    """
    if seed is None and common:
        return None
    drawn = batch._draws.next("children") if seed is None else whole_from("seed", seed, *SEEDS)
    given = np.shape(joint_actions)
    # Invalid joint actions get no seeds here; Children.of() raises the error.
    return chances_of(drawn, episodes[roots], roots, given[-3], common) if len(given) in (3, 4) and len(roots) else None


class Children(Arrays):
    """Positions made by Batch.expand() and Children.expand(), with the arrays of a batch, one row per child.

    The arrays are views. The next expand() or rollouts() of the batch overwrites them, and so does the next expand() of
    the children's own parents. Reading an attribute then raises LepantoError, but an array read earlier silently shows
    the new children: keep a copy. The children of one root are contiguous:
    `children.center_counts.reshape(*children.shape, -1)` is [G, K, Q]. A child whose game is over does not begin again:
    its rows show the end of the game and `rewards` its scores. There are no `final_` arrays.
    """

    #: (K,) for one root, (G, K) for a list of roots.
    shape: Tuple[int, ...]
    #: int32[N]: root of each child: index of a game of the batch, or of one of the children that were expanded.
    parents: npt.NDArray[np.int32]

    def __init__(self, batch: Steps, first: int, shape: Tuple[int, ...], parents: npt.NDArray[np.int32]) -> None:
        self._batch = batch
        self._first = first
        self.shape = shape
        self.parents = parents
        self._view(batch._info, batch._all, slice(first, first + len(parents)), batch._score)

    @classmethod
    def of(
        cls,
        games: Any,
        roots: npt.NDArray[Any],
        joint_actions: Any,
        first: int,
        is_one: bool,
        seeds: Optional[npt.NDArray[Any]],
    ) -> "Children":
        """Plays joint actions from games, or from children, into the rows from `first` on. Returns the new children.

        games: the batch or the children to expand. roots: indices into it. joint_actions: int[G, K, Q, U], or
            int[K, Q, U] if `is_one`. seeds: int32[children], random seeds; None: they share their roots' seeds.

        Raises ValueError for another shape, and for more children than there is room for.
        """
        batch: Steps = games._batch if isinstance(games, Children) else games
        given = np.asarray(joint_actions)[None] if is_one else np.asarray(joint_actions)
        slots = (len(batch.powers), batch.max_orders)
        if given.ndim != 4 or len(given) != len(roots) or given.shape[2:] != slots:
            wanted = (("K",) if is_one else (len(roots), "K")) + slots
            raise ValueError(
                f"joint actions: got shape {np.shape(joint_actions)}, wanted ({', '.join(map(str, wanted))})"
            )
        count = given.shape[0] * given.shape[1]
        free = batch.num_games + batch.max_children - first
        if not 0 < count <= free:
            raise ValueError(
                f"joint actions: got {count}, wanted 1 to {max(0, free)} "
                "(max_children of the batch or the lepanto.arena.Net, less those before them)"
            )
        parents = np.repeat(roots, given.shape[1]).astype(np.int32)
        base = games._first if isinstance(games, Children) else 0
        kept = batch._tree[: batch._tree.index(games) + 1] if isinstance(games, Children) else []
        batch._write_actions("joint actions", given.reshape(count, *slots), first, first + count)
        batch._all["parents"][first : first + count] = base + parents
        if seeds is not None:
            batch._all["seeds"][first : first + count] = seeds
        # The former children are dropped before the call, because even a failed call may have overwritten them.
        batch._tree = kept
        batch._server.call("expand", first=first, end=first + count, fresh=int(seeds is not None))
        shape = given.shape[1:2] if is_one else given.shape[:2]
        children = cls(batch, first, shape, parents)
        batch._tree = [*kept, children]
        return children

    def __len__(self) -> int:
        return len(self.parents)

    def __repr__(self) -> str:
        roots = "a game" if len(self.shape) == 1 else f"{self.shape[0]} games"
        return f"<lepanto.Children: {self.shape[-1]} of {roots}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def _view(self, info: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], rows: slice, score: int) -> None:
        self._info = info
        self._views = {name: array[rows] for name, array in arrays.items() if name != "legal_ids"}
        self._views["legal_ids"] = arrays["legal_ids"].reshape(-1)
        self._score = score

    @property
    def _rows(self) -> Dict[str, npt.NDArray[Any]]:  # type: ignore[override]
        """Arrays of these children, keyed by name. Raises LepantoError if the children were overwritten."""
        if self not in self._batch._tree:
            raise LepantoError(
                "got children that a later expand() or rollouts() has overwritten, wanted those of the last call"
            )
        return self._views

    @property
    def _legal_ids(self) -> npt.NDArray[np.int32]:  # type: ignore[override]
        return self._rows["legal_ids"]

    def _check(self) -> Steps:
        """Returns the batch of these children. Raises LepantoError if the children were overwritten, or between send()
        and recv() of the batch."""
        self._batch._ready()
        _ = self._rows
        return self._batch

    def _chances(self) -> npt.NDArray[np.int32]:
        """Returns a seed for each child as a root, int32[N], to be mixed with the seed of expand() or rollouts()."""
        return siblings_of(self._rows["episode_seed"], self.parents)

    def step(self, actions: npt.NDArray[Any], mask: Any = None) -> "Children":
        """Plays one phase of every child, as Batch.step() does. Returns these children. Does not change the children
        made from them.

        actions: int[N, Q, U]. mask: bool[N], True for children to play; None: all.

        Raises IllegalAction for an illegal action, LepantoError if these children were overwritten.
        """
        with self._batch._lock:
            batch, end = self._check(), self._first + len(self)
            batch._write_actions("actions", actions, self._first, end)
            if mask is not None:
                self._rows["mask"][:] = mask_array("mask", mask, (len(self),))
            batch._server.call("step", first=self._first, end=end, masked=int(mask is not None))
            return self

    def expand(
        self, children: Any, joint_actions: npt.NDArray[Any], seed: Optional[int] = None, common: bool = False
    ) -> "Children":
        """Expands children as Batch.expand() expands games. Overwrites earlier children of these children, but not
        these children.

        children: one index or a list of indices of these children. Others: as for Batch.expand().

        Raises IndexError for an index that is no child, and the errors of Batch.expand().
        """
        with self._batch._lock:
            batch = self._check()
            roots = np.atleast_1d(whole_array("children", children))
            if roots.ndim != 1 or (len(roots) and (roots.min() < 0 or roots.max() >= len(self))):
                raise IndexError(f"children: got {children!r}, wanted places from 0 to {len(self) - 1}")
            behind = self._first + len(self) - batch.num_games
            first = batch.num_games + -(-behind // batch._chunk) * batch._chunk
            seeds = child_seeds(batch, self._chances(), roots, joint_actions, seed, common)
            return Children.of(self, roots, joint_actions, first, np.ndim(children) == 0, seeds)

    def values(self, value: str = "heuristic") -> npt.NDArray[np.float64]:
        """Returns the value of each child to each power, f8[*shape, Q]. value: as for Batch.rollouts().

        Random retreats and adjustments are played first if any are due, with the same seed for all children, so that
        equal positions have equal values. The value of a game that is over is its score.
        """
        with self._batch._lock:
            self._check()
            once: Dict[str, Any] = {"playout": "policy", "count": 1, "horizon": 0}
            found = run_rollouts(self._batch, self._first, np.zeros(len(self), np.int32), value=value, **once)
            return found.values.reshape(*self.shape, -1)

    def rollouts(
        self,
        count: int = 100,
        horizon: int = 3,
        playout: str = "dumbbot",
        value: str = "heuristic",
        seed: Optional[int] = None,
    ) -> Rollouts:
        """Plays rollouts from each child. Returns values and errors, f8[*shape, Q] each. Parameters as for
        Batch.rollouts().

        Raises LepantoError if these children were overwritten.
        """
        with self._batch._lock:
            batch = self._check()
            drawn = batch._draws.next("rollouts") if seed is None else whole_from("seed", seed, *SEEDS)
            seeds = chances_of(drawn, self._chances(), np.arange(len(self)), 1, False)
            found = run_rollouts(batch, self._first, seeds, count, horizon, playout, value)
            return found.reshaped((*self.shape, len(batch.powers)))
