"""Parser of orders in the text of a language model's answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..diplomacy.engine.game import Game
from .context import board_of, checked_text, power_of, unit_of

#: Longest answer, in characters.
MOST_CHARACTERS = 200_000

VERDICTS = ("legal", "unmatched", "illegal")


@dataclass(frozen=True)
class Verdict:
    """An order in an answer, and whether it counts."""

    text: str
    """The order as the model wrote it."""
    order: Optional[str]
    """The order in the engine's notation. None if it does not count."""
    verdict: str
    """ "legal"; "unmatched": legal, but it supports or convoys a unit of the power that has a different order;
    "illegal"; or "mentioned": not given as an order, see parse()."""
    reason: Optional[str]
    """Reason why the order is not "legal". None if it is."""


@dataclass(frozen=True)
class Answer:
    """Result of parse()."""

    verdicts: List[Verdict] = field(default_factory=list)
    """Orders that the answer gives, in their sequence in the answer; at most 200."""
    missing: List[str] = field(default_factory=list)
    """Units without a legal order. In winter, "build" or "removal" for each missing build or removal."""
    mentioned: List[Verdict] = field(default_factory=list)
    """Orders in thoughts, drafts and sentences. They do not count. Without repetitions, at most 200."""

    @property
    def orders(self) -> List[str]:
        """Orders that count, in the engine's notation, for set_orders()."""
        return [one.order for one in self.verdicts if one.order is not None]

    @property
    def counts(self) -> Dict[str, int]:
        """Numbers of orders, keyed by "legal", "unmatched", "illegal" and "missing"."""
        found = dict.fromkeys(VERDICTS, 0)
        for one in self.verdicts:
            found[one.verdict] += 1
        return {**found, "missing": len(self.missing)}

    @property
    def share(self) -> float:
        """Share of legal orders among all given and missing orders, 0 to 1; 1 if there are none. A reward for the form
        of an answer."""
        counts = self.counts
        return counts["legal"] / (sum(counts.values()) or 1) if self.verdicts or self.missing else 1.0


def parse(text: str, game: Game, power: str) -> Answer:
    """Returns the orders of a power in an answer. Accepts lists in any usual notation, tables, JSON or other markup,
    complete or cut off, with prose around them. Does not change the game.

    A listed order counts. An order is listed if it begins a line, sentence, cell, JSON text or list entry, and its
    sentence does not continue directly after it. A label that ends with a colon, or words such as "I order", may
    precede it. A reason may follow: "(why)", "# why", ": why", "to ...", "because ...". A heading such as "ORDERS:"
    starts the answer again, and the last block with a listed order for a unit of the power counts. If a unit has two
    listed legal orders, the first one counts. A line with only a unit (`### A PAR`) is the heading of the order below
    (`Move to BUR`).

    In winter `B A PAR`, `Build 1: A PAR`, `+ A PAR`, `Paris: army`, "an army in Paris and a fleet in Brest" and
    `Waive both` count; units without a verb only if there are no orders with one and no more units than are due.

    All other orders have the verdict "mentioned" and do not count: orders in thoughts (`<think>`), before the last
    heading, after labels such as "Rejected:", and in sentences ("A MUN - BUR would hurt", "not A PAR - PIC").
    Sentences give orders only if no order for a unit of the power is listed. Then an order counts if its sentence has
    no word of doubt ("would", "if", "not", ...), and no other sentence without such a word gives the unit a different
    order.

    Raises ValueError for an unknown power and for more than 200,000 characters, TypeError if `text` is not text.
    """
    if isinstance(text, Game):
        raise TypeError(f"text: got {text!r}, wanted text; parse(text, game, power)")
    if not isinstance(game, Game):
        raise TypeError(f"game: got {game!r}, wanted a lepanto.diplomacy.Game; parse(text, game, power)")
    name = power_of(game, power)
    written = checked_text("answer", text, MOST_CHARACTERS)
    with game._lock:
        ask = game._enter()._server.ask
        found = ask(op="answer", game=0, power=name, text=written)
        texts = iter(ask(op="format", game=0, ids=[one["id"] for one in found if one["reason"] is None]))
    orders = [next(texts) if one["reason"] is None else None for one in found]
    legal = {unit_of(order)[2:5]: order for order in orders if order is not None}
    verdicts, mentioned = [], []
    for one, order in zip(found, orders):
        if one["isMentioned"]:
            mentioned.append(Verdict(one["text"], None, "mentioned", one["reason"]))
            continue
        why = one["reason"] if order is None else _unmatched(order, legal)
        kind = "illegal" if order is None else "legal" if why is None else "unmatched"
        verdicts.append(Verdict(one["text"], order, kind, why))
    return Answer(verdicts, _missing(game, name, [order for order in orders if order is not None]), mentioned)


def parse_anything(text: Any, game: Game, power: str) -> Tuple[Answer, Optional[str]]:
    """Parses an answer as parse() does, but an unreadable answer has no orders instead of raising an error. Returns the
    answer, and the reason if it is unreadable, else None.

    Raises ValueError for an unknown power.
    """
    try:
        return parse(text, game, power), None
    except (TypeError, ValueError) as wrong:
        return parse("", game, power), str(wrong)


def _missing(game: Game, power: str, orders: List[str]) -> List[str]:
    board = board_of(game)
    due = board.due[power]
    if due:
        return ["build" if due > 0 else "removal"] * (abs(due) - len(orders))
    given = {unit_of(order)[2:5] for order in orders}
    return [unit_of(legal[0]) for place, legal in board.legal[power].items() if place not in given]


def _unmatched(order: str, own: Mapping[str, str]) -> Optional[str]:
    """Returns the reason why a support or convoy does not match the order of the helped unit. None for any other order,
    if it matches, or if the helped unit has no order among these.

    own: orders of the power, keyed by province of the unit.
    """
    words = order.split(" ")
    if len(words) < 5 or words[2] not in ("S", "C"):
        return None
    other = own.get(words[4][:3])
    if other is None:
        return None
    moves = other.split(" ")[2:3] == ["-"]
    if len(words) == 5:
        return f"order was {other}" if moves else None
    goes = moves and other.split(" ")[3][:3] == words[6][:3]
    return None if goes else f"order was {other}"
