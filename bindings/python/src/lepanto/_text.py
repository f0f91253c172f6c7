"""Orders and positions of a batch as text, JSON and pictures."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, cast

import numpy as np
import numpy.typing as npt

from ._checks import shaped, whole
from ._games import Games
from ._pictures import Drawing
from ._server import IllegalAction, alone
from .arrays import ADJUSTMENT, ADJUSTMENT_SLOT, NO_ORDER


class Text(Games):
    @alone
    def orders_as_text(self, game: int, actions: Optional[npt.NDArray[Any]] = None) -> Dict[str, List[str]]:
        """Actions of a game in the notation of `diplomacy`, by power. actions: int[Q, U]; None: those in
        `self.actions`."""
        row = self._game(game)
        chosen = self._rows["actions"][row] if actions is None else actions
        given = shaped("actions", chosen, (len(self.powers), self.max_orders))
        offsets = self.legal_offsets[row]
        counts = self.order_counts[row]
        ids: List[int] = []
        powers: List[str] = []
        for q, power in enumerate(self.powers):
            for s in range(counts[q]):
                action = int(given[q, s])
                if action == NO_ORDER:
                    continue
                ids.append(action if self.by_vocabulary else self._id_of(row, q, s, action, offsets))
                powers.append(power)
        texts = self._server.ask(op="format", game=row, ids=ids)
        orders: Dict[str, List[str]] = {power: [] for power in self.powers}
        for power, text in zip(powers, texts):
            orders[power].append(text)
        return orders

    def _id_of(self, row: int, q: int, s: int, action: int, offsets: npt.NDArray[Any]) -> int:
        k = q * self.max_orders + s
        if not 0 <= action < offsets[k + 1] - offsets[k]:
            last = offsets[k + 1] - offsets[k] - 1
            raise IllegalAction(f"game {row}, {self.powers[q]}, slot {s}: got action {action}, wanted 0 to {last}")
        return int(self._legal_ids[offsets[k] + action])

    @alone
    def legal_as_text(self, game: int) -> Dict[str, List[List[str]]]:
        """Legal orders of a game by power and slot."""
        row = self._game(game)
        offsets = self.legal_offsets[row]
        first, end = int(offsets[0]), int(offsets[-1])
        texts = self._server.ask(op="format", game=row, ids=self._legal_ids[first:end].tolist())
        result: Dict[str, List[List[str]]] = {}
        for q, power in enumerate(self.powers):
            result[power] = []
            for s in range(self.order_counts[row, q]):
                k = q * self.max_orders + s
                result[power].append(texts[offsets[k] - first : offsets[k + 1] - first])
        return result

    @alone
    def actions_from_text(self, game: int, orders: Mapping[str, Sequence[str]]) -> npt.NDArray[Any]:
        """Actions int32[Q, U] from orders by power, in any usual notation; -1 for units without one.

        Raises IllegalAction for an order that cannot be read or obeyed.
        """
        row = self._game(game)
        out = np.full((len(self.powers), self.max_orders), NO_ORDER, np.int32)
        orderable = self.orderable[row]
        offsets = self.legal_offsets[row]
        for power, texts in orders.items():
            if power not in self.powers:
                raise ValueError(f"power: got {power!r}, wanted one of {', '.join(self.powers)}")
            q = self.powers.index(power)
            free = 0
            for text, parsed in zip(texts, self._server.ask(op="parse", game=row, power=power, orders=list(texts))):
                if parsed["reason"] is not None:
                    raise IllegalAction(f"game {row}, {power}, {text}: {parsed['reason']}")
                if parsed["location"] == ADJUSTMENT_SLOT:
                    slot, free = free, free + 1
                else:
                    slot = int(np.flatnonzero(orderable[q] == parsed["location"])[0])
                out[q, slot] = parsed["id"] if self.by_vocabulary else self._place_of(parsed["id"], q, slot, offsets)
        return out

    def _place_of(self, order: int, q: int, s: int, offsets: npt.NDArray[Any]) -> int:
        k = q * self.max_orders + s
        return int(np.flatnonzero(self._legal_ids[offsets[k] : offsets[k + 1]] == order)[0])

    @alone
    def actions_from_ids(self, game: int, power: str, ids: Sequence[int]) -> npt.NDArray[Any]:
        """Actions int32[U] of one power from vocabulary ids of its orders, as RankedOrders.ids has them; -1 for the
        others.

        Raises IllegalAction for an order that is not legal there.
        """
        row, q = self._game(game), self._power(power)
        out = np.full(self.max_orders, NO_ORDER, np.int32)
        offsets = self.legal_offsets[row]
        adjusts = int(self.phase[row]) == ADJUSTMENT
        for place, given in enumerate(ids):
            order = whole("order", given)
            at = self.vocabulary.location[order] if 0 <= order < len(self.vocabulary) else NO_ORDER
            slots = [place] if adjusts else np.flatnonzero(self.orderable[row, q] == at)[:1]
            is_due = len(slots) > 0 and place < self.order_counts[row, q]
            k = q * self.max_orders + int(slots[0]) if is_due else -1
            listed = self._legal_ids[offsets[k] : offsets[k + 1]] if k >= 0 else self._legal_ids[:0]
            places = np.flatnonzero(listed == order)
            if len(places) == 0:
                raise IllegalAction(f"game {row}, {self.powers[q]}: got order {order}, wanted one that is legal")
            out[int(slots[0])] = order if self.by_vocabulary else int(places[0])
        return out

    @alone
    def position(self, game: int) -> Dict[str, Any]:
        """The position of a game as JSON: phase, units, centers, retreats, as `lepanto adjudicate` reads it."""
        return cast(Dict[str, Any], self._server.ask(op="position", game=self._game(game)))

    @alone
    def draw(
        self,
        game: int,
        orders: Optional[Mapping[str, Sequence[str]]] = None,
        theme: str = "auto",
        width: Optional[int] = None,
    ) -> Drawing:
        """The board of a game as a picture; with orders, text by power, and what they would come to.

        `batch.draw(3, batch.orders_as_text(3))` shows what is in `actions`. theme and width are those of
        lepanto.draw().
        """
        row = self._game(game)
        given = None if orders is None else {power: list(texts) for power, texts in orders.items()}
        return Drawing(self._server.ask(op="draw", game=row, orders=given, theme=theme, width=width))
