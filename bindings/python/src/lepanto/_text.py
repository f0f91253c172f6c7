"""Converts orders and positions of a batch to and from text, JSON and pictures."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, cast

import numpy as np
import numpy.typing as npt

from ._checks import shaped, whole
from ._games import Games
from ._pictures import Drawing
from ._server import IllegalAction, alone
from .arrays import ADJUSTMENT, ADJUSTMENT_SLOT, NO_ORDER, Int32s


class Text(Games):
    @alone
    def orders_as_text(self, game: int, actions: Optional[npt.NDArray[Any]] = None) -> Dict[str, List[str]]:
        """Returns actions of a game as orders by power, in the notation of the package `diplomacy`.

        actions: int[Q, U]; None: the game's row of `self.actions`. Raises IllegalAction for an illegal action.
        """
        row = self._game(game)
        chosen = self._rows["actions"][row] if actions is None else actions
        given = shaped("actions", chosen, (len(self.powers), self.max_orders))
        orders: Dict[str, List[str]] = {power: [] for power in self.powers}
        ids, owners = [], []
        for q, s in np.argwhere((given != NO_ORDER) & (np.arange(self.max_orders) < self.order_counts[row][:, None])):
            action, listed = int(given[q, s]), self._listed(row, q, s)
            if not self.by_vocabulary and not 0 <= action < len(listed):
                where = f"game {row}, {self.powers[q]}, slot {s}"
                raise IllegalAction(f"{where}: got action {action}, wanted 0 to {len(listed) - 1}")
            ids.append(action if self.by_vocabulary else int(listed[action]))
            owners.append(self.powers[q])
        for power, text in zip(owners, self._server.ask(op="format", game=row, ids=ids)):
            orders[power].append(text)
        return orders

    def _listed(self, row: int, q: int, s: int) -> Int32s:
        """Returns the vocabulary ids of the legal orders of a slot, int32[n]. row, q, s: indices of the game, power and
        slot."""
        first, end = self.legal_offsets[row, q * self.max_orders + s :][:2]
        return self._legal_ids[first:end]

    @alone
    def legal_as_text(self, game: int) -> Dict[str, List[List[str]]]:
        """Returns the legal orders of a game as text: by power, a list for each slot in use."""
        row = self._game(game)
        first, end = int(self.legal_offsets[row, 0]), int(self.legal_offsets[row, -1])
        texts = iter(self._server.ask(op="format", game=row, ids=self._legal_ids[first:end].tolist()))
        return {
            power: [[next(texts) for _ in self._listed(row, q, s)] for s in range(self.order_counts[row, q])]
            for q, power in enumerate(self.powers)
        }

    @alone
    def actions_from_text(self, game: int, orders: Mapping[str, Sequence[str]]) -> npt.NDArray[Any]:
        """Returns the actions of orders, int32[Q, U]; -1 for units without an order.

        orders: texts by power, in any usual notation. The last of several orders for a unit counts.

        Raises IllegalAction for an order that cannot be read or is not legal, ValueError for an unknown power.
        """
        row = self._game(game)
        out = np.full((len(self.powers), self.max_orders), NO_ORDER, np.int32)
        for power, texts in orders.items():
            if power not in self.powers:
                raise ValueError(f"power: got {power!r}, wanted one of {', '.join(self.powers)}")
            read = self._server.ask(op="parse", game=row, power=power, orders=list(texts))
            for text, one in zip(texts, read):
                if one["reason"] is not None:
                    raise IllegalAction(f"game {row}, {power}, {text}: {one['reason']}")
            # The last of several orders for a unit counts; adjustments are kept apart by their place.
            places = [i if one["location"] == ADJUSTMENT_SLOT else 0 for i, one in enumerate(read)]
            ids = {(one["location"], place): one["id"] for one, place in zip(read, places)}
            out[self.powers.index(power)] = self.actions_from_ids(row, power, list(ids.values()))
        return out

    @alone
    def actions_from_ids(self, game: int, power: str, ids: Sequence[int]) -> npt.NDArray[Any]:
        """Returns the actions of one power's orders, int32[U]; -1 for units without an order.

        ids: vocabulary ids, for example RankedOrders.ids. Raises IllegalAction for an order that is not legal.
        """
        row, q = self._game(game), self._power(power)
        out = np.full(self.max_orders, NO_ORDER, np.int32)
        adjusts = int(self.phase[row]) == ADJUSTMENT
        for place, given in enumerate(ids):
            order = whole("order", given)
            at = self.vocabulary.location[order] if 0 <= order < len(self.vocabulary) else NO_ORDER
            # Without a unit at this location argmax() gives slot 0, whose list does not have the order.
            slot = place if adjusts else int(np.argmax(self.orderable[row, q] == at))
            listed = self._listed(row, q, slot) if place < self.order_counts[row, q] else self._legal_ids[:0]
            places = np.flatnonzero(listed == order)
            if len(places) == 0:
                raise IllegalAction(f"game {row}, {self.powers[q]}: got order {order}, wanted one that is legal")
            out[slot] = order if self.by_vocabulary else int(places[0])
        return out

    @alone
    def position(self, game: int) -> Dict[str, Any]:
        """Returns the position of a game as input of `lepanto adjudicate`: phase, units, centers, retreats."""
        return cast(Dict[str, Any], self._server.ask(op="position", game=self._game(game)))

    @alone
    def draw(
        self,
        game: int,
        orders: Optional[Mapping[str, Sequence[str]]] = None,
        theme: str = "auto",
        width: Optional[int] = None,
    ) -> Drawing:
        """Draws the board of a game, with orders and the results that they would have.

        orders: texts by power; None: draws no orders. `batch.draw(3, batch.orders_as_text(3))` draws the orders in
        `actions`. theme, width: as for lepanto.draw().
        """
        row = self._game(game)
        given = None if orders is None else {power: list(texts) for power, texts in orders.items()}
        return Drawing(self._server.ask(op="draw", game=row, orders=given, theme=theme, width=width))
