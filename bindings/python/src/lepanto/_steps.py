"""Steps a batch: resets, steps with actions, asynchronous steps of half the games, random steps."""

from __future__ import annotations

from typing import Any, Optional, Sequence, TypeVar, Union

import numpy as np
import numpy.typing as npt

from ._checks import INT32, beyond, is_within, seeds_array, shaped, whole, whole_from
from ._config import SAMPLERS
from ._games import Games
from ._seeds import Draws, episode_seeds, next_seeds
from ._server import IllegalAction, LepantoError, alone
from .arrays import NO_ORDER

S = TypeVar("S", bound="Steps")


class Steps(Games):
    @alone
    def reset(self: S, seeds: Union[None, int, Sequence[int], npt.NDArray[Any]] = None, mask: Any = None) -> S:
        """Resets games to the initial position of the map. Returns the batch.

        seeds: 32-bit seeds, signed or unsigned: one for each game (int32[G]), or one from which all are derived. None:
            each game gets the seed of its next episode, derived from its last one as in an automatic reset. A game that
            has not been played since its last reset keeps its seed.
        mask: bool[G], True for games to reset; None: all.
        """
        self._changes("reset")
        self._ready()
        if seeds is None:
            played = (self._rows["phases"] > 0) | (self._rows["steps"] > 0)
            known = self._rows["episode_seed"]
            values = np.where(played, next_seeds(known), known)
        elif np.ndim(seeds) == 0:
            values = episode_seeds(whole("seeds", seeds), self.num_games)
        else:
            values = seeds_array("seeds", seeds, (self.num_games,))
        chosen = self._mask(mask)
        self._rows["seeds"][:] = values
        if mask is None:
            self._draws = Draws(int(values[0]))
        self._server.call("reset")
        self._stale = self._stale and not chosen.all()
        return self

    def _write_actions(self, name: str, actions: Any, first: int, end: int) -> None:
        """Writes actions to the array `actions`, in rows first to end - 1. They may be rows of children.

        name: of the argument, for errors. Raises ValueError for another shape, TypeError unless the actions are
            integers, IllegalAction for one beyond 32 bits in a slot in use.
        """
        given = shaped(name, actions, (end - first, len(self.powers), self.max_orders))
        if not is_within(given, INT32.min, INT32.max):
            self._refuse_far(given, first)
        self._all["actions"][first:end] = given

    def _refuse_far(self, given: npt.NDArray[Any], first: int) -> None:
        """Raises IllegalAction for the first action beyond 32 bits in a slot in use, if there is any.

        given: actions int[games, Q, U]. first: row of the first of these games.
        """
        counts = self.order_counts[first : first + len(given)]
        used = np.arange(self.max_orders) < counts[..., None] if len(counts) == len(given) else True
        for k, q, s in np.argwhere(beyond(given, INT32.min, INT32.max) & used)[:1]:
            where = f"game {first + k}, {self.powers[q]}, slot {s}"
            raise IllegalAction(f"{where}: got action {given[k, q, s]}, wanted one that is legal")

    def _take_actions(self, actions: Optional[npt.NDArray[Any]], hold: bool, first: int, end: int) -> None:
        self._refresh()
        if actions is None and not hold:
            raise ValueError("actions: got none, wanted actions of every slot, or hold=True for no orders at all")
        if actions is not None and hold:
            raise ValueError("hold: got True with actions, wanted one of both")
        if actions is None:
            self._all["actions"][first:end] = NO_ORDER
        elif actions is not self._rows["actions"]:
            self._write_actions("actions", actions, first, end)

    @alone
    def step(self: S, actions: Optional[npt.NDArray[Any]] = None, mask: Any = None, *, hold: bool = False) -> S:
        """Plays one phase of every game and updates the arrays. Returns the batch.

        actions: integers [G, Q, U]. Unused slots are ignored. You may write into `self.actions` and pass it.
        hold: True, instead of actions, gives no orders: units hold, dislodged units are disbanded, nothing is built.
        mask: bool[G], True for games to play; None: all. Other games keep all their arrays, including `rewards`,
            `terminated` and `truncated`: read these only where `mask` is True.

        Raises IllegalAction for the first game with an illegal action; no game has been stepped then. Raises TypeError
        unless actions are integers.
        """
        self._changes("step")
        return self._play(actions, mask, hold, False)

    def _play(self: S, actions: Optional[npt.NDArray[Any]], mask: Any, hold: bool, to_decision: bool) -> S:
        self._ready()
        self._take_actions(actions, hold, 0, self.num_games)
        if mask is not None:
            self._mask(mask)
        self._server.call("step", first=0, end=self.num_games, on=int(to_decision), masked=int(mask is not None))
        return self

    @alone
    def step_until_decision(
        self: S, actions: Optional[npt.NDArray[Any]] = None, mask: Any = None, *, hold: bool = False
    ) -> S:
        """Steps like step(), then skips phases in which none of your powers has an order due, separately in each game.

        A game stops at your next decision, or at the end of its episode. If your powers are eliminated, the game is
        played to its end. One call plays at most 500 phases. Rewards, ends and the `last_` arrays describe the last
        phase played. mask, hold: as for step().
        """
        self._changes("step_until_decision")
        return self._play(actions, mask, hold, True)

    @alone
    def send(self, actions: npt.NDArray[Any], half: int) -> None:
        """Starts a step of one half of the games and returns immediately. Call recv() to wait for it.

        actions: int[games of the half, Q, U]. half: 0 or 1, see `halves`.

        Until recv(), you may read the arrays of the other half and choose its actions. Only one half may be sent at a
        time; raises LepantoError otherwise.
        """
        self._changes("send")
        half = whole_from("half", half, 0, 1)
        games = self.halves[half]
        if self._pending:
            raise LepantoError("send: got a second half before recv(), wanted one at a time")
        self._take_actions(actions, False, games.start, games.stop)
        try:
            self._pending = half, self._server.post("step", first=games.start, end=games.stop)
        except BaseException:
            self._pending = None
            self._server.settle()
            raise

    @alone
    def recv(self) -> slice:
        """Waits until the half that was sent has been played. Returns its games as a slice.

        Raises LepantoError if none was sent, IllegalAction for an illegal action; its games are then unchanged.
        """
        if not self._pending:
            raise LepantoError("recv: got no request under way, wanted send() before it")
        half, number = self._pending
        try:
            self._server.wait(number)
        except BaseException:
            self._server.settle()
            raise
        finally:
            self._pending = None
        return self.halves[half]

    @alone
    def random_step(self, count: int = 1, sampler: str = "uniform") -> int:
        """Plays `count` phase-steps of every game with random orders for all powers. Returns the number of phase-steps
        played.

        A phase-step is a movement phase with the retreats and adjustments after it. This is the fastest way to play,
        because the engine draws the orders and writes no legal lists.

        sampler: "uniform" (all legal orders equally likely), "policy" (moves and supports that fit together), or any
            agent of the engine ("dumbbot", "./my-agent.mjs"), which then plays all powers in place of the opponents,
            phase by phase as step() does.

        Games that end begin again, except with reset_mode="disabled". One call of many phase-steps gives the same games
        as many calls of one, and is faster. Only the final arrays are written: observations after the last phase-step,
        and its `previous_orders` and `last_actions` (of its last phase). `phases` does not count random steps. Under
        longGameDraw the winter of a game's last year is still played.
        """
        self._changes("random_step")
        self._ready()
        count = whole_from("count", count, 0, INT32.max)
        if sampler not in SAMPLERS:
            self._refresh()
            return int(self._server.call("play", count=count, agent=self._number_of(sampler)))
        # The flag is set before the call, because an exception may interrupt the call.
        self._stale = True
        return int(self._server.call("play", count=count, sampler=SAMPLERS.index(sampler)))

    def _engine_alone(self, milliseconds: int, sampler: str) -> int:
        """Plays random games for a number of milliseconds without writing arrays, to measure the engine. Returns the
        number of phase-steps played."""
        self._ready()
        return int(self._server.call("engine", ms=milliseconds, sampler=SAMPLERS.index(sampler)))

    def _doorbell(self) -> None:
        """Wakes all threads without any work, to measure the overhead of a call."""
        self._ready()
        self._server.call("describe", first=0, end=0)
