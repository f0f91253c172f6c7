"""Bots in Python at Lepanto's table: subclass Bot, and play it with the name `exec:python -m lepanto.bot
FILE.py:CLASS`."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import inspect
import json
import math
import os
import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TextIO, Tuple, Type, TypeVar, Union, cast

from ._files import streams_taken

PROTOCOL = "lepanto-agent"
VERSION = 1

Orders = Union[Sequence[str], Mapping[str, Sequence[str]]]
_T = TypeVar("_T")
Said = Union[Mapping[str, Any], Tuple[Union[str, Sequence[str]], str]]


@dataclass(frozen=True)
class Past:
    """A phase that has been played.

    phase: 'S1901M'.
    units: By power before the orders: 'A PAR', 'F STP/SC'.
    centers: Tags by power, before the orders.
    orders: By power.
    results: One for each order: 'succeeds', 'fails', 'given', 'cut', 'available', 'disrupted', 'stands', ...
    """

    phase: str
    units: Mapping[str, Sequence[str]]
    centers: Mapping[str, Sequence[str]]
    orders: Mapping[str, Sequence[str]]
    results: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Message:
    """A message between powers.

    phase: 'S1901M'.
    round: The round of press in the phase, from 1.
    sender: A power.
    recipients: Powers, or "GLOBAL" alone: all powers.
    time_sent: Ascending in a game; no time of a clock.
    text: What was written.
    content: What the sender added for programs; None without it.
    """

    phase: str
    round: int
    sender: str
    recipients: Sequence[str]
    time_sent: int
    text: str
    content: Any = None


@dataclass(frozen=True)
class Position:
    """A position in which orders are wanted, or messages.

    game: Names the game: equal for all positions of it.
    phase: 'S1901M', 'F1901R', 'W1901A'.
    powers: Powers whose orders are wanted; mostly one.
    units: By power, without those dislodged: 'A PAR', 'F STP/SC'.
    centers: Tags of the owned centres by power.
    retreats: In a retreat phase: by power and dislodged unit, the places where it can go.
    builds: In an adjustment phase: builds (above 0) or removals (below 0) by power.
    legal: By wanted power and unit (for builds: home centre), every legal order. Empty if Bot.wants lacks "legal".
    seed: An int32, the same whenever the same game is played again. Draw from nothing else to be reproducible.
    history: All earlier phases of the game, the oldest first. Empty if Bot.wants lacks "history".
    messages: All that the power may read, the oldest first, its own too. Empty in games without press, and for a bot
        that does not talk.
    round: In talk(): the round of press, from 1.
    rounds: In talk(): how many rounds the phase has.
    """

    game: str
    phase: str
    powers: Sequence[str]
    units: Mapping[str, Sequence[str]] = field(default_factory=dict)
    centers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    retreats: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    builds: Mapping[str, int] = field(default_factory=dict)
    legal: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    seed: int = 0
    history: Sequence[Past] = field(default_factory=list)
    messages: Sequence[Message] = field(default_factory=list)
    round: int = 0
    rounds: int = 0


class Bot:
    """Gives orders in many games at once. Subclass it and write orders().

        class Mine(Bot):
            def orders(self, positions):
                return [{power: self.draw(p, power) for power in p.powers} for p in positions]

            def draw(self, p, power):
                draw, legal = random.Random(p.seed), list(p.legal[power].values())
                if power not in p.builds:
                    return [draw.choice(orders) for orders in legal]
                if p.builds[power] < 0:
                    return [orders[0] for orders in draw.sample(legal, -p.builds[power])]
                # Two builds need two places.
                return [draw.choice(orders) for orders in draw.sample(legal, min(len(legal), p.builds[power]))]

    Whatever orders() prints goes to standard error.
    """

    name: str = ""
    """For people; the name of the class by default."""
    batch: int = 64
    """The most positions in one call of orders(), 1 to 4096."""
    wants: Sequence[str] = ("legal",)
    """What positions are to have: "legal", "history". Each costs time."""
    unit: str = ""
    """In what `cost` is counted: "USD", "tokens"."""
    cost: float = 0.0
    """What the answers cost since the last call of orders(), which adds to it. It is told with them, and 0 again."""

    tokens: int = 0
    """Tokens that language models read and wrote for them, told and reset like `cost`."""

    def start(self, map: str, rules: str) -> None:
        """Called once before the first game, with the names of map and rules."""

    def orders(self, positions: Sequence[Position]) -> Sequence[Orders]:
        """The orders for each position, in the same order: a list of text if one power is wanted, else such lists by
        power. Units without orders hold."""
        raise NotImplementedError(f"{type(self).__name__}.orders(): wanted a method that returns orders by position")

    def talk(self, positions: Sequence[Position]) -> Sequence[Sequence[Said]]:
        """What a power says in each position, in the same order, in games with press (`--rounds`): a list of
        (recipient or recipients, text), or {"recipients": [...], "text": ..., "content": ...}. A recipient is a power,
        or "GLOBAL". All powers speak at once, and read it in the next round. A bot without this method is never
        asked."""
        return [[] for _ in positions]

    def end(self, game: str) -> None:
        """Called when a game is over."""


def made_of(kind: Type[_T], record: Mapping[str, Any], **more: Any) -> _T:
    """A dataclass of the fields that a record has, and of more."""
    told = {one.name: record[one.name] for one in fields(cast(Any, kind)) if record.get(one.name) is not None}
    return kind(**{**told, **more})


def position_of(record: Mapping[str, Any], history: Sequence[Past], messages: Sequence[Message] = ()) -> Position:
    """The position of a request, with what was told of its game before."""
    powers = record.get("powers") or ([record["power"]] if "power" in record else list(record["units"]))
    game = str(record.get("game", ""))
    return made_of(Position, record, game=game, powers=powers, history=history, messages=messages)


def answers_of(
    name: str, method: Callable[[Sequence[Position]], Sequence[_T]], positions: Sequence[Position]
) -> Sequence[_T]:
    """What a method of a bot returns for positions. Raises ValueError unless it is one answer for each."""
    answers = list(method(positions)) if positions else []
    if len(answers) != len(positions):
        raise ValueError(f"{name}: got {len(answers)} answers, wanted one for each of {len(positions)} positions")
    return answers


class _Table:
    """Reads requests, asks the bot and writes answers."""

    def __init__(self, bot: Bot, out: TextIO) -> None:
        self.bot = bot
        self.out = out
        #: By game: phases that were played under "", messages by who may read them.
        self.told: Dict[str, Dict[str, List[Any]]] = {}

    def position(self, record: Mapping[str, Any]) -> Position:
        """The position of a request. What it tells of its game is new: it is kept for the requests after."""
        told = self.told.setdefault(str(record["game"]), {}) if record.get("game") is not None else {}
        past = told.setdefault("", [])
        past += [made_of(Past, one) for one in record.get("history", [])]
        mail = told.setdefault(f"to {''.join(record.get('powers', []))}", [])
        mail += [made_of(Message, one) for one in record.get("messages", [])]
        return position_of(record, list(past), list(mail))

    def answer(self, records: Sequence[Mapping[str, Any]]) -> List[Dict[str, Any]]:
        positions = [self.position(record) for record in records]
        said = iter(answers_of("talk()", self.bot.talk, [p for p in positions if p.round > 0]))
        ordered = iter(answers_of("orders()", self.bot.orders, [p for p in positions if p.round == 0]))
        answers: List[Dict[str, Any]] = [
            {"say": [_message(one) for one in next(said)]} if p.round > 0 else {"orders": _by_power(p, next(ordered))}
            for p in positions
        ]
        cost, self.bot.cost = self.bot.cost, 0.0
        if not 0 <= cost < math.inf:
            raise ValueError(f"cost: got {cost}, wanted a finite number from 0")
        tokens, self.bot.tokens = self.bot.tokens, 0
        told = {"cost": cost, "tokens": tokens}
        # Of several answers each has an equal part.
        part = {name: amount / len(answers) for name, amount in told.items() if amount > 0 and answers}
        return [{"id": record.get("id"), **answer, **part} for record, answer in zip(records, answers)]

    def line(self, text: str) -> None:
        record = json.loads(text)
        if isinstance(record, list):
            self.write(self.answer(record))
        elif "hello" in record:
            self.greet(record["hello"])
        elif "end" in record:
            self.told.pop(str(record["end"]), None)
            self.bot.end(str(record["end"]))
        else:
            self.write(self.answer([record])[0])

    def greet(self, hello: Mapping[str, Any]) -> None:
        if hello.get("protocol") != PROTOCOL or hello.get("version") != VERSION:
            raise ValueError(f"hello: got {hello.get('protocol')} {hello.get('version')}, wanted {PROTOCOL} {VERSION}")
        bot = self.bot
        bot.start(hello.get("map", "standard"), hello.get("rules", "datc-3.2"))
        name = bot.name or type(bot).__name__
        wants = [*bot.wants, *(["messages"] if type(bot).talk is not Bot.talk else [])]
        own = {"protocol": PROTOCOL, "version": VERSION, "name": name, "batch": bot.batch, "wants": wants}
        self.write({"hello": {**own, "unit": bot.unit} if bot.unit else own})

    def write(self, value: Any) -> None:
        self.out.write(json.dumps(value) + "\n")
        self.out.flush()


def _by_power(position: Position, orders: Orders) -> Dict[str, List[str]]:
    if isinstance(orders, Mapping):
        return {power: [str(order) for order in given] for power, given in orders.items()}
    if isinstance(orders, str) or len(position.powers) != 1:
        raise TypeError(f"orders(): got {type(orders).__name__}, wanted lists of orders by power")
    return {position.powers[0]: [str(order) for order in orders]}


def _message(said: Said) -> Mapping[str, Any]:
    if isinstance(said, Mapping):
        return said
    recipients, text = said
    return {"recipients": [recipients] if isinstance(recipients, str) else list(recipients), "text": text}


def serve(bot: Bot) -> None:
    """Answers requests from standard input until it ends."""
    with streams_taken():
        # Standard output is for answers: what the bot prints, or a library in C, goes to standard error.
        requests, answers = os.dup(0), os.dup(1)
        os.dup2(2, 1)
    with os.fdopen(answers, "w", encoding="utf-8", newline="\n") as out:
        sys.stdout = sys.stderr
        table = _Table(bot, out)
        with open(requests, encoding="utf-8", newline="\n") as lines:
            for text in lines:
                if text.strip():
                    table.line(text)


def load(text: str, kinds: Tuple[Type[Any], ...] = (Bot,)) -> Type[Any]:
    """The class that 'FILE.py:CLASS' or 'MODULE:CLASS' names; without CLASS, the only one of these kinds there."""
    where, _, name = text.rpartition(":") if ":" in text[2:] else (text, "", "")
    if where.endswith(".py"):
        path = Path(where)
        if not path.is_file():
            raise SystemExit(f"lepanto.bot: got {where}, which is no file")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        sys.path.insert(0, str(path.parent.resolve()))
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, "")
        module = importlib.import_module(where)
    own = [
        one
        for one in vars(module).values()
        if inspect.isclass(one) and issubclass(one, kinds) and one.__module__ == module.__name__
    ]
    found = [one for one in own if not name or one.__name__ == name]
    if len(found) != 1:
        names = ", ".join(one.__name__ for one in own) or "none"
        wanted = " or ".join(f"{kind.__module__}.{kind.__name__}" for kind in kinds)
        raise SystemExit(f"lepanto.bot: got {text}, wanted FILE.py:CLASS with one class of {wanted} (there: {names})")
    return found[0]


def main(args: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lepanto.bot",
        description="Answers requests for orders with a class of lepanto.bot.Bot: JSON lines in and out.",
        epilog="In a tournament: lepanto arena --agents 'exec:python -m lepanto.bot my_bot.py:Mine,dumbbot'",
    )
    parser.add_argument("bot", metavar="FILE.py:CLASS", help="or MODULE:CLASS")
    parser.add_argument("options", nargs="*", metavar="KEY=VALUE", help="arguments of the class, as text")
    given = parser.parse_args(args)
    options = dict(option.split("=", 1) for option in given.options if "=" in option)
    if len(options) != len(given.options):
        parser.error("options: wanted KEY=VALUE, each once")
    serve(load(given.bot)(**options))


if __name__ == "__main__":
    # The class in a user's file is made from the module of this name, not from __main__.
    from lepanto import bot as this

    this.main()
