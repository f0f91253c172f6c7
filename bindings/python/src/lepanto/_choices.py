"""Chooses actions: at random, by an agent of the engine, or from the legal lists."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Set, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, shaped, whole_from
from ._games import Games
from ._seeds import seeds_of
from ._server import LepantoError, alone
from .arrays import ADJUSTMENT, NO_ORDER, Int32s, Int64s
from .legal import Legal

#: Numbers for uniform random actions, in place of an agent's number. _BY_ROW: seeded by the row of the game.
#: _BY_EPISODE: seeded by the seed of its episode and the phase.
_BY_ROW, _BY_EPISODE = 0, -1


class Choices(Games):
    #: int64[G, Q]: number of adjustments that without_repeats() has replaced.
    _replaced: Int64s

    def _stretch(self, games: slice) -> Tuple[int, int]:
        """Returns the first index of a slice of games, and the index after its last.

        Raises LepantoError between send() and recv() if the slice has games of the half that was sent, or begins within
        a chunk of the engine; ValueError for a slice with a step.
        """
        first, end, step = games.indices(self.num_games)
        if step != 1:
            raise ValueError(f"games: got {games}, wanted a slice without a step")
        if self._pending:
            away = self.halves[self._pending[0]]
            if max(first, away.start) < min(end, away.stop) or first % self._chunk:
                raise LepantoError(f"got games of half {self._pending[0]}, which is under way, wanted the other half")
        return first, end

    def _choose(self, games: slice, agent: int, seed: int) -> Int32s:
        first, end = self._stretch(games)
        begin = first - first % self._chunk
        self._server.call("choose", first=begin, end=end, agent=agent, seed=seed)
        return self._rows["chosen"][first:end].copy()

    @alone
    def random_actions(self, seed: Optional[int] = None, games: slice = slice(None)) -> Int32s:
        """Returns a random legal action for every slot, uniformly drawn: int32[G, Q, U], -1 for unused slots.

        Drawn by the engine; the result is the same for any number of workers. An adjustment is drawn from the orders
        that earlier slots have left, so no two builds name one centre, and no two removals one unit.

        seed: the same seed gives the same actions in the same phase of the same `episode_seed`, in any row. None: other
            actions in each call and row; they depend on the seeds of the last reset() of all games and the number of
            calls since, so that runs can be repeated.
        games: a slice; pass one of `halves` while the other is under way.
        """
        self._refresh()
        if seed is None:
            return self._choose(games, _BY_ROW, self._draws.next("actions"))
        drawn = int(seeds_of(whole_from("seed", seed, *SEEDS), np.zeros(1, np.uint32))[0])
        return self._choose(games, _BY_EPISODE, drawn)

    @alone
    def agent_actions(
        self,
        agent: str,
        powers: Union[None, str, Sequence[str], npt.NDArray[Any]] = None,
        seed: Optional[int] = None,
        games: slice = slice(None),
    ) -> Int32s:
        """Returns the orders an agent of the engine would give in each game: int32[G, Q, U], -1 for other powers.

        Does not change the games.

        agent: as for opponents: "dumbbot", "search:rollouts=200", "./my-agent.mjs". Made at the first call.
        powers: names, or bool[G, Q]; None: all powers with orders due that no opponent plays.
        seed: None: the choice that the agent would make there as an opponent, determined by the seed of the episode,
            the phase and the power; clones with the same streams choose alike. An integer gives another choice,
            determined by these three and the seed; equal games in other rows choose alike.
        games: a slice; pass one of `halves` while the other is under way.

        Raises LepantoError for an unknown agent, or one whose orders are not legal.
        """
        self._refresh()
        wanted = self._wanted(powers)
        first, end = self._stretch(games)
        number = self._number_of(agent)
        self._rows["wanted"][first:end] = wanted[first:end]
        drawn = 0 if seed is None else int(seeds_of(whole_from("seed", seed, *SEEDS), np.zeros(1, np.uint32))[0]) or 1
        return self._choose(games, number, drawn)

    @alone
    def legal(self, powers: Union[None, str, Sequence[str], npt.NDArray[Any]] = None) -> Legal:
        """Returns the concatenated legal lists of all slots in use, for sampling from logits (lepanto.Legal).

        powers: names, or bool[G, Q]; None: all. Raises LepantoError for a batch with lists=False.
        """
        if not self.lists:
            raise LepantoError("legal: got a batch with lists=False, wanted one with legal lists")
        self._refresh()
        return Legal.of(self, self._wanted(powers), self._draws.next("legal"))

    @alone
    def without_repeats(self, actions: Any) -> npt.NDArray[Any]:
        """Returns a copy of actions with repeated adjustments replaced, int64[G, Q, U]. For actions that were chosen
        for each slot independently.

        step() refuses two builds in one centre, and two removals of one unit. Replaces the second by the next order of
        the list whose centre or unit no earlier slot has taken, by a waive only if there is no other. With lists=False
        replaces it by NO_ORDER. `replaced` counts the replacements.
        """
        given = shaped("actions", actions, (self.num_games, len(self.powers), self.max_orders)).astype(np.int64)
        row, q = np.nonzero((self.phase == ADJUSTMENT)[:, None] & (self.order_counts > 1))
        if len(row) == 0:
            return given
        province = self._provinces_chosen(given[row, q], row, q)
        same = (province[:, :, None] == province[:, None, :]) & (province[:, :, None] >= 0)
        for k in np.flatnonzero((same & np.tri(self.max_orders, k=-1, dtype=bool)).any((1, 2))):
            given[row[k], q[k]] = self._with_others(given[row[k], q[k]], int(row[k]), int(q[k]))
        return given

    @property
    def replaced(self) -> Int64s:
        """i8[G, Q]: number of adjustments that without_repeats() has replaced since the batch was made. A copy, not a
        view."""
        return self._replaced.copy()

    def _with_others(self, chosen: npt.NDArray[Any], row: int, q: int) -> npt.NDArray[Any]:
        """Replaces adjustments of one power in one game that repeat a province, and counts them in `replaced`.

        chosen: actions int64[U], changed in place and returned. row: index of the game. q: index of the power.
        """
        at = q * self.max_orders
        first, end = self.legal_offsets[row, at : at + 2] if self.lists else (0, 0)
        ids = self._legal_ids[first:end]
        provinces = self.vocabulary.province[ids].tolist()
        places = {int(action): place for place, action in enumerate(ids)} if self.by_vocabulary else None
        taken: Set[int] = set()
        for s in range(int(self.order_counts[row, q])):
            action = int(chosen[s])
            place = places.get(action, -1) if places is not None else action
            known = (
                self.vocabulary.province[action] if places is not None and 0 <= action < len(self.vocabulary) else -1
            )
            province = provinces[place] if 0 <= place < len(provinces) else int(known)
            if province in taken:
                self._replaced[row, q] += 1
                # Tries the orders of the list in cyclic order from the next one on, waives last.
                later = sorted(
                    range(len(ids)), key=lambda other: (provinces[other] < 0, (other - place - 1) % len(ids))
                )
                place = next((other for other in later if provinces[other] not in taken), NO_ORDER)
                chosen[s] = ids[place] if places is not None and place >= 0 else place
                province = provinces[place] if place >= 0 else -1
            if province >= 0:
                taken.add(province)
        return chosen

    def _provinces_chosen(
        self, chosen: npt.NDArray[Any], row: npt.NDArray[Any], q: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """Returns the province index of each chosen adjustment, int[n, U]; -1 for a waive, for no order and for an
        illegal action.

        chosen: actions int64[n, U]. row, q: index of the game and of the power of each row of `chosen`, int[n].
        """
        if self.by_vocabulary:
            known = (chosen >= 0) & (chosen < len(self.vocabulary))
            ids = np.where(known, chosen, 0)
        else:
            offsets = self.legal_offsets[row]
            at = q[:, None] * self.max_orders + np.arange(self.max_orders)
            start, end = np.take_along_axis(offsets, at, 1), np.take_along_axis(offsets, at + 1, 1)
            known = (chosen >= 0) & (chosen < end - start)
            ids = self._legal_ids[np.where(known, start + chosen, 0)]
        return np.where(known, self.vocabulary.province[ids], -1)
