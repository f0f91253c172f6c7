"""Orders out of the text that a language model has written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional

from ..game import Game
from .context import board_of, checked_text, power_of, unit_of
from .facts import facts_of

#: The most characters of an answer, and the most orders that are read of it.
MOST_CHARACTERS = 200_000
MOST_ORDERS = 200

VERDICTS = ("legal", "unmatched", "illegal")


@dataclass(frozen=True)
class Verdict:
    """An order of an answer."""

    text: str
    """As the model wrote it."""
    order: Optional[str]
    """As the engine writes it; None if it is illegal."""
    verdict: str
    """ "legal"; "unmatched": legal, but it supports or convoys an own unit that is ordered otherwise; "illegal"."""
    reason: Optional[str]
    """Why it is not "legal"."""


@dataclass(frozen=True)
class Answer:
    """What parse() found."""

    verdicts: List[Verdict] = field(default_factory=list)
    missing: List[str] = field(default_factory=list)
    """Units without a legal order; in winter "build" or "removal" for each that is due and not ordered."""

    @property
    def orders(self) -> List[str]:
        """Those that count, for set_orders()."""
        return [one.order for one in self.verdicts if one.order is not None]

    @property
    def counts(self) -> Dict[str, int]:
        """How many orders are legal, unmatched and illegal, and how many are missing."""
        found = dict.fromkeys(VERDICTS, 0)
        for one in self.verdicts:
            found[one.verdict] += 1
        return {**found, "missing": len(self.missing)}

    @property
    def share(self) -> float:
        """The share of legal orders among all that were written or are missing, 0 to 1: a reward for the form of an answer."""
        counts = self.counts
        return counts["legal"] / (sum(counts.values()) or 1) if self.verdicts or self.missing else 1.0


def parse(text: str, game: Game, power: str) -> Answer:
    """The orders of a power in an answer: lines in any usual notation, or JSON as the schema says it, with prose around them.

    What stands before a line "ORDERS:" is not read, if there is one. Of two legal orders for a unit the first one counts. The
    game is left as it is. Raises ValueError for no such power and for more than 200,000 characters, TypeError for no text.
    """
    name = power_of(game, power)
    lines = list(_candidates(checked_text("answer", text, MOST_CHARACTERS), game))[:MOST_ORDERS]
    with game._lock:
        ask = game._enter()._server.ask
        read = ask(op="parse", game=0, power=name, orders=lines)
        texts = iter(ask(op="format", game=0, ids=[one["id"] for one in read if one["reason"] is None]))
    orders = [next(texts) if one["reason"] is None else None for one in read]
    legal = {unit_of(order)[2:5]: order for order in orders if order is not None}
    verdicts = []
    for line, order, one in zip(lines, orders, read):
        why = one["reason"] if order is None else _unmatched(order, legal)
        verdicts.append(Verdict(line, order, "illegal" if order is None else "legal" if why is None else "unmatched", why))
    return Answer(verdicts, _missing(game, name, [order for order in orders if order is not None]))


def _missing(game: Game, power: str, orders: List[str]) -> List[str]:
    board = board_of(game)
    due = board.due[power]
    if due:
        return ["build" if due > 0 else "removal"] * (abs(due) - len(orders))
    given = {unit_of(order)[2:5] for order in orders}
    return [unit_of(legal[0]) for place, legal in board.legal[power].items() if place not in given]


def _unmatched(order: str, own: Mapping[str, str]) -> Optional[str]:
    """Why a support or convoy of an own unit comes to nothing; None if it does not."""
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


_BULLET = re.compile(r"^(?:[-*•>]\s+|\d+[.)]\s+|[*_`\"'#\[\]\s]+)+")
_HEADING = re.compile(r"^[\W_]*(?:final )?orders?[\W_]*$", re.IGNORECASE)
_ORDER = re.compile(
    r"^(?:(A|F|army|fleet)\s+(?:in\s+)?(\w[\w .]*)|(?:build|remove|disband)\s+(A|F|army|fleet)\b.*|waive\b.*)", re.IGNORECASE
)


def _candidates(text: str, game: Game) -> Iterator[str]:
    """Texts that look like orders."""
    found = _in_json(text)
    if found is not None:
        yield from found
        return
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines) if _HEADING.match(line)]
    facts = facts_of(game._engine)
    starts = {tag.upper() for tag in facts.provinces} | {name.upper().split(" ")[0] for name in facts.names.values()}
    for line in lines[heads[-1] + 1 if heads else 0 :]:
        for one in re.split(r"[;,]", line):
            cleaned = _BULLET.sub("", one.strip())
            power, _, rest = cleaned.partition(":")
            cleaned = (rest if power.strip("* _").upper() in game.powers else cleaned).strip(" \t*_`\"'.[]")
            if len(cleaned) > 200:
                continue
            match = _ORDER.match(cleaned)
            if match and (match[2] is None or re.split(r"[\s/.(]", match[2].upper())[0] in starts):
                yield cleaned


def _in_json(text: str) -> Optional[List[str]]:
    """The orders of the last JSON object with "orders", or of a list of texts; None if there is none."""
    decoder = json.JSONDecoder()
    best: Optional[List[str]] = None
    at = 0
    tries = 0
    while tries < 100:
        begin = min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)
        if begin < 0:
            break
        tries += 1
        try:
            value, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            at = begin + 1
            continue
        found = _texts_in(value)
        best = best if found is None else found
    return best


def _texts_in(value: Any) -> Optional[List[str]]:
    if isinstance(value, dict):
        value = value.get("orders", value.get("ORDERS"))
        if isinstance(value, dict):
            value = list(value.values())
            if len(value) == 1 and isinstance(value[0], list):
                value = value[0]
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [one[:200] for one in value]
    return None
