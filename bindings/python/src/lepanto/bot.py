"""Bots in Python for `lepanto arena`: subclass Bot and play it as the agent `exec:python -m lepanto.bot
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
    """An earlier phase of a game, with its orders and results.

    phase: Name of the phase: 'S1901M'.
    units: Units of each power before the orders: 'A PAR', 'F STP/SC'.
    centers: Supply centres of each power before the orders: 'PAR'.
    orders: Orders of each power.
    results: Result of each order, by power: 'succeeds', 'fails', 'given', 'cut', 'available', 'disrupted', ...
    """

    phase: str
    units: Mapping[str, Sequence[str]]
    centers: Mapping[str, Sequence[str]]
    orders: Mapping[str, Sequence[str]]
    results: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Message:
    """A message between powers.

    phase: Name of the phase: 'S1901M'.
    round: Round of press in the phase, from 1.
    sender: Power that wrote the message.
    recipients: Powers that receive it; ["GLOBAL"] for all powers.
    time_sent: Sequence number, ascending in a game. Not a clock time.
    text: Text of the message.
    content: Machine-readable content, if the sender added any; else None.
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
    """A position for which a bot is asked for orders or messages.

    game: Identifier of the game, the same for all its positions.
    phase: Name of the phase: 'S1901M', 'F1901R', 'W1901A'.
    powers: Powers to give orders for, usually one.
    units: Units of each power, without dislodged units: 'A PAR', 'F STP/SC'.
    centers: Supply centres that each power owns: 'PAR'.
    retreats: In a retreat phase: legal destinations by power and dislodged unit.
    builds: In an adjustment phase: number of builds (> 0) or removals (< 0) of each power.
    legal: All legal orders by power of `powers` and unit (home centre for builds). Empty if Bot.wants lacks "legal".
    seed: An int32, the same whenever the same game is repeated. To be reproducible, use no other random seed.
    history: All earlier phases of the game, oldest first. Empty if Bot.wants lacks "history".
    messages: All messages that the power may read, oldest first, its own included. Empty in games without press, and
        for a bot without talk().
    round: In talk(): number of the press round, from 1. 0 in orders().
    rounds: In talk(): number of press rounds in the phase.
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
    """Agent that gives orders in many games at once. Subclass it and write orders().

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
    """Name of the bot in tables and records. Default: the name of the class."""
    batch: int = 64
    """Maximum number of positions in one call of orders(), 1 to 4096."""
    wants: Sequence[str] = ("legal",)
    """Optional fields of positions to fill: "legal", "history". Each takes time to compute."""
    unit: str = ""
    """Unit of `cost`: "USD", "tokens"."""
    cost: float = 0.0
    """Cost of the answers in `unit`. Add to it in orders() and talk(); it is reported with the answers and reset to
    0."""

    tokens: int = 0
    """Number of tokens that language models read and wrote for the answers. Reported and reset like `cost`."""

    def start(self, map: str, rules: str) -> None:
        """Called once before the first game, with the names of the map and the rules. Does nothing unless
        overridden."""

    def orders(self, positions: Sequence[Position]) -> Sequence[Orders]:
        """Returns the orders for each position, in the same sequence: a list of texts if the position asks for one
        power, else a mapping of such lists by power. Units without orders hold."""
        raise NotImplementedError(
            f"{type(self).__name__}.orders(): got none, wanted a method that returns orders by position"
        )

    def talk(self, positions: Sequence[Position]) -> Sequence[Sequence[Said]]:
        """Returns the messages to send in each position, in the same sequence. Called only in games with press
        (`--rounds`), and only if the bot defines it.

        A message is (recipient or list of recipients, text), or {"recipients": [...], "text": ..., "content": ...}. A
        recipient is a power or "GLOBAL". All powers write at the same time, and read the messages in the next round.
        """
        return [[] for _ in positions]

    def end(self, game: str) -> None:
        """Called when a game is over. Does nothing unless overridden. game: its identifier, as in Position.game."""


def made_of(kind: Type[_T], record: Mapping[str, Any], **more: Any) -> _T:
    """Returns a dataclass with values from a record. Ignores keys that it does not have, and None.

    kind: the dataclass. more: further fields, which replace those of the record.
    """
    told = {one.name: record[one.name] for one in fields(cast(Any, kind)) if record.get(one.name) is not None}
    return kind(**{**told, **more})


def position_of(record: Mapping[str, Any], history: Sequence[Past], messages: Sequence[Message] = ()) -> Position:
    """Returns the position of a request. record: the request. history, messages: earlier phases and messages of its
    game."""
    powers = record.get("powers") or ([record["power"]] if "power" in record else list(record["units"]))
    game = str(record.get("game", ""))
    return made_of(Position, record, game=game, powers=powers, history=history, messages=messages)


def answers_of(
    name: str, method: Callable[[Sequence[Position]], Sequence[_T]], positions: Sequence[Position]
) -> Sequence[_T]:
    """Calls a bot's method with positions and returns its answers; does not call it without positions.

    name: of the method, for the error. Raises ValueError unless there is one answer for each position.
    """
    answers = list(method(positions)) if positions else []
    if len(answers) != len(positions):
        raise ValueError(f"{name}: got {len(answers)} answers, wanted one for each of {len(positions)} positions")
    return answers


class _Table:
    """Reads requests of the bot protocol, asks the bot and writes answers to `out`."""

    def __init__(self, bot: Bot, out: TextIO) -> None:
        self.bot = bot
        self.out = out
        #: Phases and messages received, by game: phases under the key "", messages under a key for each reader.
        self.told: Dict[str, Dict[str, List[Any]]] = {}

    def position(self, record: Mapping[str, Any]) -> Position:
        """Returns the position of a request. A request has only new phases and messages, so this keeps them for later
        requests of the game."""
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
        # Divides cost and tokens equally among the answers.
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
    """Answers requests from standard input with a bot until the input ends. Output of the bot itself goes to standard
    error."""
    with streams_taken():
        # Reserves standard output for answers: output of the bot, or of a C library, goes to standard error.
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
    """Imports the class named by 'FILE.py:CLASS' or 'MODULE:CLASS'; without CLASS, the module's only subclass of
    `kinds`. Raises SystemExit if there is not exactly one."""
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
        parser.error(f"options: got {' '.join(given.options)}, wanted KEY=VALUE, each once")
    serve(load(given.bot)(**options))


if __name__ == "__main__":
    # User files subclass Bot of lepanto.bot. The Bot of __main__ is another class, so runs the module instead.
    from lepanto import bot as this

    this.main()
