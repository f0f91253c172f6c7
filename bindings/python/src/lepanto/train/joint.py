"""Joint choice of the orders of a power, one unit after another, so that the orders fit together.
selfplay/nets/joint.ts does the same in the engine.

The unit with the most probable best order chooses first. Orders of earlier units rule out later ones:

1. moving to a province where another unit of the power will be;
2. helping another unit of the power with an order that it does not have, or supporting an attack on one that stays;
3. for a unit that an earlier unit helps, every order but the helped one.

If no order is left for a unit, rule 3 is dropped. If still none is left, all its legal orders are allowed.
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
#: Logit of an order that is ruled out. Finite, to keep gradients finite.
RULED_OUT = np.float32(-1e9)


class Joint:
    """Chooses orders for a power's units that fit together, by tables of the orders in a map's vocabulary."""

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
        #: Provinces, indexed by vocabulary id of an order; -1 for none. here: province of the unit. end: its province
        #: after a successful order. helped: province of the supported or convoyed unit. to: province of that unit after
        #: its order. attacks: bool, True for a support to move.
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
        """Chooses an order for each of M units.

        logits: float[N], logits of the legal orders. starts: int[M + 1]; the legal orders of unit m are
            ids[starts[m] : starts[m + 1]].
        ids: int[N], legal orders as vocabulary ids. group: int[M], the same number for all units of one power in one
            position.
        generator: numpy's random generator, to sample orders. None: the best order that is allowed.
        picks: int64[M], orders that were chosen before. Nothing is chosen then, and picked orders are always allowed.

        Returns picks int64[M], the index of the chosen order in each unit's list, and allowed bool[N], True for orders
        that earlier units do not rule out.
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
        # The last column stands for no province (index -1) and is reset after each turn.
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
