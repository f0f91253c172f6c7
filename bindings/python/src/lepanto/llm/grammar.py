"""The answers that are legal for a power: as rules, regular expression, GBNF and JSON schema."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..diplomacy.engine.game import Game
from .context import board_of, power_of, unit_of

#: The most characters of a regular expression, a grammar or a schema.
MOST_CHARACTERS = 1_000_000

#: A state: how many orders have been written or places passed, and how many are to come.
State = Tuple[int, int]
#: One of these orders, and the state behind it.
Way = Tuple[Sequence[str], State]


class Place(NamedTuple):
    """A unit, or a province with a build or removal."""

    name: str
    orders: Sequence[str]


class Grammar:
    """All answers that are legal for a power: one order for each unit, in the sequence of the context, with a separator
    between them; in winter as many builds or removals as are due, in the same sequence, with the waives last. A power
    that has nothing to order answers with nothing."""

    def __init__(self, places: Sequence[Place], due: int, separator: str = "\n") -> None:
        """due: 0 for an order of each place, else builds (above 0) or removals."""
        if not separator or not separator.isascii():
            raise ValueError(f"separator: got {separator!r}, wanted characters of ASCII")
        self.places = places
        self.due = due
        self.separator = separator
        self._left = abs(due) if due else len(places)

    @classmethod
    def of(cls, game: Game, power: str, separator: str = "\n") -> "Grammar":
        board, name = board_of(game), power_of(game, power)
        due = board.due[name]
        places = [Place(place if due else unit_of(orders[0]), orders) for place, orders in board.legal[name].items()]
        return cls(places, due, separator)

    @property
    def start(self) -> Optional[State]:
        """None if there is nothing to order."""
        return (0, self._left) if self._left else None

    def ways(self, state: State) -> List[Way]:
        """The orders that may follow, and the states behind them; the answer ends where none is left to come."""
        at, left = state
        if self.due == 0:
            return [(self.places[at].orders, (at + 1, left - 1))]
        # Of removals so many places must be left as are to come.
        last = len(self.places) if self.due > 0 else len(self.places) - left + 1
        found: List[Way] = [(self.places[i].orders, (i + 1, left - 1)) for i in range(at, last)]
        if self.due > 0:
            found.append((["WAIVE"], (len(self.places), left - 1)))
        return found

    def states(self) -> List[State]:
        """All states that can be reached before the last order."""
        found: Dict[State, None] = {}
        open_: List[State] = [self.start] if self.start else []
        while open_:
            state = open_.pop(0)
            if state not in found:
                found[state] = None
                open_.extend(behind for _, behind in self.ways(state) if behind[1])
        return list(found)

    def regex(self) -> str:
        """A regular expression without anchors. Raises ValueError if it would be too long: a grammar shares what
        repeats."""
        done: Dict[State, str] = {}
        between = re.escape(self.separator).replace("\\\n", "\\n")
        for state in sorted(self.states(), key=lambda one: (one[1], -one[0])):
            ways = [
                _one_of([re.escape(order).replace("\\ ", " ").replace("\\-", "-") for order in orders])
                + (between + done[behind] if behind[1] else "")
                for orders, behind in self.ways(state)
            ]
            done[state] = checked_size("regex", ways[0] if len(ways) == 1 else f"({'|'.join(ways)})")
        return done[self.start] if self.start else ""

    def gbnf(self) -> str:
        """A grammar in the notation of llama.cpp, with `root` for the answer. Its texts escape as those of JSON."""
        if not self.start:
            return 'root ::= ""\n'
        lines = []
        names = {state: "root" if state == self.start else f"s{state[0]}-{state[1]}" for state in self.states()}
        lists: Dict[Tuple[str, ...], str] = {}
        for state, name in names.items():
            ways = []
            for orders, behind in self.ways(state):
                one = lists.setdefault(tuple(orders), f"o{len(lists)}")
                ways.append(f"{one} {json.dumps(self.separator)} {names[behind]}" if behind[1] else one)
            lines.append(f"{name} ::= {' | '.join(ways)}")
        lines += [f"{name} ::= {' | '.join(map(json.dumps, orders))}" for orders, name in lists.items()]
        return checked_size("gbnf", "\n".join(lines) + "\n")

    def json_schema(self) -> Dict[str, Any]:
        """A schema of {"orders": {unit: order}}; in winter of the provinces with a build or removal, without waives."""
        if self.due == 0:
            orders = _orders_of(self.places)
        else:
            sizes = range(self._left + 1) if self.due > 0 else [self._left]
            chosen = itertools.chain.from_iterable(itertools.combinations(self.places, size) for size in sizes)
            alternatives, size = [], 0
            for places in chosen:
                alternatives.append(_orders_of(places))
                size += 100 + 20 * sum(len(place.orders) for place in places)
                if size > MOST_CHARACTERS:
                    raise ValueError(_too_long("json_schema"))
            orders = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
        return _object({"orders": orders})


def _object(properties: Mapping[str, Any]) -> Dict[str, Any]:
    """The schema of an object that has these properties, and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _orders_of(places: Sequence[Place]) -> Dict[str, Any]:
    return _object({place.name: {"type": "string", "enum": list(place.orders)} for place in places})


def _one_of(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({'|'.join(texts)})"


def _too_long(name: str) -> str:
    return f"{name}: got one of more than {MOST_CHARACTERS:,} characters, wanted a shorter one: gbnf() or legal_trie()"


def checked_size(name: str, text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(_too_long(name))
    return text
