"""Grammar of a power's legal answers, as regular expression, GBNF and JSON schema."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..diplomacy.engine.game import Game
from .context import board_of, power_of, unit_of

#: Longest regular expression, GBNF grammar or JSON schema, in characters.
MOST_CHARACTERS = 1_000_000

#: State of an answer: number of places that are passed, and number of orders that are still to be written.
State = Tuple[int, int]
#: Alternative orders that may come next, and the state after each.
Way = Tuple[Sequence[str], State]


class Place(NamedTuple):
    """A unit or, in winter, a province with a possible build or removal, and its legal orders."""

    name: str
    orders: Sequence[str]


class Grammar:
    """Grammar of the legal answers of a power.

    An answer has one order for each unit, in the sequence of the context, with a separator between them. In winter it
    has the builds or removals that are due, in the same sequence, with waives last. The answer of a power without
    orders due is empty.
    """

    def __init__(self, places: Sequence[Place], due: int, separator: str = "\n") -> None:
        """Makes the grammar of the legal orders of some places.

        due: 0 if each place gets an order; else the number of builds, or of removals as a negative number. separator:
            ASCII text between orders. Raises ValueError if the separator is empty or not ASCII.
        """
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
        """State at the beginning of an answer. None if the power has no orders due."""
        return (0, self._left) if self._left else None

    def ways(self, state: State) -> List[Way]:
        """Returns the orders that may come next in an answer, each list with the state after it. An answer ends in a
        state without orders to come (its second number is 0)."""
        at, left = state
        if self.due == 0:
            return [(self.places[at].orders, (at + 1, left - 1))]
        # Removals: enough places must remain for the removals that are still to come.
        last = len(self.places) if self.due > 0 else len(self.places) - left + 1
        found: List[Way] = [(self.places[i].orders, (i + 1, left - 1)) for i in range(at, last)]
        if self.due > 0:
            found.append((["WAIVE"], (len(self.places), left - 1)))
        return found

    def states(self) -> List[State]:
        """Returns all reachable states in which at least one order is to come."""
        found: Dict[State, None] = {}
        open_: List[State] = [self.start] if self.start else []
        while open_:
            state = open_.pop(0)
            if state not in found:
                found[state] = None
                open_.extend(behind for _, behind in self.ways(state) if behind[1])
        return list(found)

    def regex(self) -> str:
        """Returns the grammar as a regular expression without anchors. Raises ValueError if it has more than a million
        characters; gbnf() is shorter, because its rules are shared."""
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
        """Returns the grammar in GBNF, the notation of llama.cpp; `root` is the answer. GBNF escapes strings as JSON
        does. Raises ValueError if it has more than a million characters."""
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
        """Returns a JSON schema of {"orders": {unit: order}}. In winter the keys are provinces with a build or removal,
        and waives are left out.

        Raises ValueError if it would have more than about a million characters.
        """
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
    """Returns the JSON schema of an object with exactly these properties, all required."""
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
