"""The orders of a power chosen one after the other, so that they fit together; selfplay/nets/joint.ts is the same in
the engine.

Units draw in turn, those first that are surest of their best order. What the units before have been ordered rules
orders out: to go where an own unit will be, to help an own unit with what it does not do, and, of a unit that is to be
helped with something, everything else. A unit that is left without an order may do anything but the first two, and else
anything at all.
"""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
import numpy.typing as npt

from .. import ragged
from ..batch import Batch
from ..vocabulary import ORDER_TYPES

Array = npt.NDArray[Any]
NONE = -1
#: The logit of an order that cannot be chosen: finite, so that gradients are.
RULED_OUT = np.float32(-1e9)


class Joint:
    """What orders of a map's vocabulary claim, and the choice of orders that fit together."""

    def __init__(self, batch: Batch) -> None:
        words = batch.vocabulary
        info = batch._info["map"]
        provinces = np.array(info["location_province"])
        kinds = np.array(ORDER_TYPES)[words.type]

        def province(locations: Array) -> Array:
            return np.where(locations >= 0, provinces[np.maximum(locations, 0)], NONE)

        here, target = words.province.astype(np.int64), province(words.target)
        moves = np.isin(kinds, ("move", "rail", "retreat"))
        leaves = np.isin(kinds, ("disband", "waive"))
        helps = np.isin(kinds, ("support move", "convoy"))
        self.provinces = int(provinces.max()) + 1
        #: By vocabulary id: province of the unit, where it will be, the province of the unit that it helps, and where
        #: that is to be. -1 where there is none.
        self.here = here
        self.end = np.where(leaves, NONE, np.where(moves, target, here))
        self.helped = np.where(kinds == "support hold", target, np.where(helps, province(words.helped), NONE))
        self.to = np.where(self.helped >= 0, target, NONE)
        self.attacks = kinds == "support move"

    def choose(
        self,
        logits: Array,
        starts: Array,
        ids: Array,
        group: Array,
        generator: Any = None,
        temperature: float = 1.0,
        picks: Optional[Array] = None,
    ) -> Tuple[Array, Array]:
        """Draws an order for each of M units: picks int64[M] and bool[N], the orders that the units before had left.

        logits: float[N], of the legal orders ids[N], lists from starts[M + 1] on. group: int[M], the same number for
            the
        units of one power in one position. generator: numpy's; None: the best order. picks: given; then only what they
        leave is found, and an order that was picked is always left.
        """
        units = len(starts) - 1
        sizes = np.diff(starts)
        first = starts[:-1]
        given = picks
        drawn = logits / temperature if temperature > 0 else logits
        if generator is not None and given is None:
            drawn = drawn + generator.gumbel(size=len(logits)).astype(logits.dtype)
        best = np.maximum.reduceat(ragged.log_softmax(logits, starts), first)
        _, group = np.unique(group, return_inverse=True)
        turns = np.lexsort((-best, group))
        begins = np.searchsorted(group[turns], np.arange(group.max() + 1))
        turn = np.empty(units, np.int64)
        turn[turns] = np.arange(units) - begins[group[turns]]
        shape = int(group.max()) + 1, self.provinces + 1
        # The last column is nowhere: what is written there is never asked for.
        goes = np.full(shape, NONE, np.int64)
        wanted = np.full(shape, NONE, np.int64)
        taken = np.zeros(shape, np.bool_)
        chosen = np.zeros(units, np.int64) if given is None else given
        allowed = np.ones(len(ids), np.bool_)
        by_turn = np.argsort(turn, kind="stable")
        bounds = np.searchsorted(turn[by_turn], np.arange(turn.max() + 2))
        for k in range(len(bounds) - 1):
            now = by_turn[bounds[k] : bounds[k + 1]]
            lengths = sizes[now]
            begin = np.concatenate([[0], np.cumsum(lengths)[:-1]])
            owner = np.repeat(np.arange(len(now)), lengths)
            at = np.arange(len(owner)) - begin[owner] + first[now][owner]
            order = ids[at]
            who = group[now][owner]
            here, end, helped, to = self.here[order], self.end[order], self.helped[order], self.to[order]
            left = ~(taken[who, end] & (end >= 0))
            does = goes[who, helped]
            left &= (helped < 0) | (does < 0) | (does == to)
            left &= ~(self.attacks[order] & (goes[who, to] == to))
            wish = wanted[who, here]
            fits = left & ((wish < 0) | (wish == end) | (here < 0))
            for some in (left, np.ones_like(left)):
                none = ~np.logical_or.reduceat(fits, begin)
                if not none.any():
                    break
                fits |= some & none[owner]
            if given is None:
                value = np.where(fits, drawn[at], -np.inf)
                top = np.maximum.reduceat(value, begin)
                place = np.where(value == top[owner], np.arange(len(owner)) - begin[owner], len(owner))
                chosen[now] = np.minimum.reduceat(place, begin)
            allowed[at] = fits
            pick = first[now] + chosen[now]
            allowed[pick] = True
            got, who = ids[pick], group[now]
            end = self.end[got]
            taken[who, end] = True
            goes[who, self.here[got]] = end
            wanted[who, self.helped[got]] = self.to[got]
            taken[:, NONE] = False
            goes[:, NONE] = wanted[:, NONE] = NONE
        return chosen, allowed
