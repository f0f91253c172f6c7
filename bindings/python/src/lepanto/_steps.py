"""Stepping a batch: reset, steps with actions, halves on their way, random steps, children."""

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
        """Puts games back to the start of the map.

        seeds: one for each game (int32[G]), or one for all to be derived from, of 32 bits, signed or not. None: each
            game goes on to its next episode, with the seed that follows from its last one, as games do that begin again
            by themselves. One that has not been played since its last reset stays in its episode.
        mask: bool[G], the games to reset; None: all.
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
        """Writes actions to rows first .. end, those of children too. Raises what names the first that is none."""
        given = shaped(name, actions, (end - first, len(self.powers), self.max_orders))
        if not is_within(given, INT32.min, INT32.max):
            self._refuse_far(given, first)
        self._all["actions"][first:end] = given

    def _refuse_far(self, given: npt.NDArray[Any], first: int) -> None:
        """Raises IllegalAction for an action of more than 32 bits, if its slot is in use."""
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
        """Plays one phase of every game; the arrays then show what came of it.

        actions: whole numbers [G, Q, U]. Slots that are not in use are not read. `self.actions` may be filled and
            given.
        hold: True, in place of actions, gives no orders: units hold, dislodged ones are disbanded, nothing is built.
        mask: bool[G], the games to play, so that games may be out of step; None: all. The others keep all their arrays,
            `rewards`, `terminated` and `truncated` too: read those of `mask` alone.
        Raises IllegalAction for the first game with an action that is not legal; no game has been stepped then. Raises
        TypeError for an array of anything but whole numbers.
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
        """step(), and then on, game by game, through the phases in which no power of yours has anything to order.

        A game stops at your next decision, or where its episode ends; one in which your powers are out is played to its
        end, at most 500 phases a call. Rewards and ends are those of the last phase played, and so are the `last_`
        arrays. mask, hold: as for step().
        """
        self._changes("step_until_decision")
        return self._play(actions, mask, hold, True)

    @alone
    def send(self, actions: npt.NDArray[Any], half: int) -> None:
        """Begins a step of one half of the games (0 or 1) and returns at once. actions: int[games of the half, Q, U].

        While one half is on its way, the arrays of the other may be read and its actions chosen. One at a time.
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
        """Waits for the half that was sent; returns its games as a slice."""
        if not self._pending:
            raise LepantoError("recv: got nothing on its way, wanted send() before it")
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
        """Plays `count` phase-steps of every game with random orders for all powers, drawn in the engine.

        A phase-step is a movement phase with the retreats and adjustments after it. No legal list is made, which is
        what makes this the fast way. sampler: "uniform" (every legal order as likely as any other), "policy" (moves and
        supports that fit together), or any agent of the engine ("dumbbot", "./my-agent.mjs"), which then plays all
        powers, phase by phase as step() does it, whoever the opponents are. Returns how many phase-steps were played;
        games that end begin again, but for reset_mode="disabled". One call of many is the same as many calls of one,
        and faster; only what is asked for is written: observations after the last step, `previous_orders` and
        `last_actions` of it (of its last phase). `phases` does not count random steps. Under longGameDraw the winter of
        a game's last year is still played.
        """
        self._changes("random_step")
        self._ready()
        count = whole_from("count", count, 0, INT32.max)
        if sampler not in SAMPLERS:
            self._refresh()
            return int(self._server.call("play", count=count, agent=self._number_of(sampler)))
        # Before the call: an exception may come after it.
        self._stale = True
        return int(self._server.call("play", count=count, sampler=SAMPLERS.index(sampler)))

    def _engine_alone(self, milliseconds: int, sampler: str) -> int:
        """Phase-steps that the threads play in so many milliseconds without writing arrays (benchmark)."""
        self._ready()
        return int(self._server.call("engine", ms=milliseconds, sampler=SAMPLERS.index(sampler)))

    def _doorbell(self) -> None:
        """Wakes all threads for nothing (benchmark)."""
        self._ready()
        self._server.call("describe", first=0, end=0)
