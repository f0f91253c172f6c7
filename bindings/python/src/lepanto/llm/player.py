"""Bot (lepanto.bot.Bot) that plays one or more seats with a language model of an endpoint."""

from __future__ import annotations

import json
import os
import re
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ..bot import Bot, Position
from ..diplomacy.engine.game import Game
from ..state import Engine, shared_engine
from .answer import Answer, parse_anything
from .context import ANSWERS, Context, context, read_messages
from .endpoint import Endpoint, EndpointError, Refused, Reply, usage_of
from .grammar import Grammar

#: Functions that return the request fields for constrained decoding from a grammar, by kind of constraint.
CONSTRAINTS = {
    "none": lambda grammar: {},
    # OpenAI, vLLM, llama.cpp and others.
    "json": lambda grammar: {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "orders", "strict": True, "schema": grammar.json_schema()},
        }
    },
    # vLLM.
    "regex": lambda grammar: {"structured_outputs": {"regex": grammar.regex()}},
    # llama.cpp.
    "gbnf": lambda grammar: {"grammar": grammar.gbnf()},
}
_TALK = """Before the orders you may write to other powers. Answer with a JSON list and nothing else, [] for silence:
[{"recipients": ["GERMANY"], "text": "..."}]. "GLOBAL" writes to everybody."""


class Choice(NamedTuple):
    """A request to a model for the orders of one power, with the reply and the parsed answer."""

    power: str
    phase: str
    context: Context
    reply: Optional[Reply]
    """Reply of the model; None if all tries failed."""
    answer: Answer
    error: Optional[str]
    """Reason why there is no reply, or why it is unreadable. None if neither."""
    failed: Tuple[int, float] = (0, 0.0)
    """Number of failed tries and their duration in seconds if there is no reply; else (0, 0.0)."""

    @property
    def usage(self) -> Dict[str, Any]:
        """Facts about the request, for records: tokens, seconds, cost in USD, tries, the counts of the answer's orders,
        and `error` if there is one."""
        tries, seconds = self.failed
        own = usage_of(self.reply) if self.reply else {"seconds": round(seconds, 3), "cost": 0.0, "tries": tries}
        return {**own, **self.answer.counts, **({"error": self.error} if self.error else {})}


class Request(NamedTuple):
    """A request to a model for the orders of one power, sent or waiting to be sent."""

    model: "LanguageModel"
    game: Game
    power: str
    context: Context
    name: str
    """Name of the game in the transcript."""
    reply: "Future[Tuple[Optional[Reply], Optional[EndpointError]]]"


def judge(game: Game, power: str, seen: Context, reply: Optional[Reply], failed: Optional[EndpointError]) -> Choice:
    """Returns a choice: a reply and its parsed orders. An unreadable reply has no orders.

    seen: context that was sent. reply: None if all tries failed. failed: error if there is no reply, else None.
    """
    answer, wrong = parse_anything(reply.text if reply else "", game, power)
    error = wrong or (str(failed) if failed else None)
    return Choice(power, seen.phase, seen, reply, answer, error, (failed.tries, failed.seconds) if failed else (0, 0.0))


def take(requests: Sequence[Request], keep: Callable[[Choice], None] = lambda choice: None) -> List[Choice]:
    """Waits for the replies to requests. Returns the choices in the sequence of the requests.

    Each choice is written to the transcript of its model and passed to `keep`. On an exception such as
    KeyboardInterrupt, requests that were not sent are cancelled. Sent requests cost money, so their replies are waited
    for and kept; a second exception ends that. Raises Refused if a server refuses the key, the model or the request.
    """
    choices: List[Choice] = []

    def finish(one: Request) -> None:
        choice = judge(one.game, one.power, one.context, *one.reply.result())
        choices.append(choice)
        try:
            one.model._note(choice, one.name)
        finally:
            keep(choice)

    try:
        for request in requests:
            finish(request)
    except BaseException:
        left = [request for request in requests[len(choices) :] if not request.reply.cancel()]
        for request in left:
            if request.reply.exception() is None:
                finish(request)
        raise
    return choices


class LanguageModel(Bot):
    """Bot that asks a language model for the orders of each power. Requests of all positions run concurrently.

    endpoint: server and model. phases, answer: as for context(). constrain: "none", or the form in which requests send
    the legal answers to servers with constrained decoding: "json", "regex" or "gbnf". transcript: file to which a JSON
    line is appended for each choice, with prompt, answer, verdicts, tokens, seconds and cost. options: further fields
    of each request. talk: True to write messages to other powers in games with press.

    A unit without a legal order in the answer holds. If all tries fail, the power gives no orders. If the server
    refuses the key or the model, the bot ends with an error.
    """

    wants: Sequence[str] = ("history",)

    def __init__(
        self,
        endpoint: Endpoint,
        phases: Optional[int] = 2,
        answer: str = "orders",
        constrain: str = "none",
        transcript: Union[None, str, "os.PathLike[str]"] = None,
        options: Optional[Mapping[str, Any]] = None,
        talk: bool = False,
    ) -> None:
        if answer not in ANSWERS:
            raise ValueError(f"answer: got {answer!r}, wanted one of {', '.join(ANSWERS)}")
        if constrain not in CONSTRAINTS:
            raise ValueError(f"constrain: got {constrain!r}, wanted one of {', '.join(CONSTRAINTS)}")
        self.endpoint = endpoint
        self.name = endpoint.model
        self.unit = "USD" if any(endpoint.price) else "tokens"
        self.phases = phases
        self.answer = "json" if constrain == "json" else "orders" if constrain != "none" else answer
        self.constrain = constrain
        self.transcript = transcript
        self.options = dict(options or {})
        if talk:
            self.wants = ("history", "messages")
        #: Sums over all choices so far: of the numbers in Choice.usage, of `choices` and of `unanswered` ones.
        self.total: Dict[str, float] = {}
        self._engine: Optional[Engine] = None
        self._pool = ThreadPoolExecutor(max_workers=endpoint.concurrency)

    def start(self, map: str, rules: str) -> None:
        self._engine = Engine(None, map, rules=rules)

    # ---- choices ----

    def choose(
        self, asked: Sequence[Tuple[Game, str, Context]], seed: int = 0, names: Sequence[str] = ()
    ) -> List[Choice]:
        """Returns the choices of powers in games. Sends all requests at once. Does not change the games.

        asked: game, power and context of each choice. seed: seed of the requests. names: names of the games in the
            transcript; empty: their ids. Raises Refused if the server refuses the key, the model or the request.
        """
        return take(self.begin(asked, seed, names))

    def begin(
        self, asked: Sequence[Tuple[Game, str, Context]], seed: int = 0, names: Sequence[str] = ()
    ) -> "List[Request]":
        """Starts the requests of choose() without waiting for replies. take() waits for them. Parameters as for
        choose()."""
        waiting = []
        for i, (game, power, seen) in enumerate(asked):
            try:
                limits = CONSTRAINTS[self.constrain](Grammar.of(game, power))  # type: ignore[no-untyped-call]
            except ValueError:
                # The constraint is too long (many removals), so send the request without it.
                limits = {}
            future = self._pool.submit(self._ask, seen.chat, {"seed": seed & 0x7FFFFFFF, **self.options, **limits})
            waiting.append(Request(self, game, power, seen, names[i] if names else game.game_id, future))
        return waiting

    def _ask(
        self, chat: Sequence[Mapping[str, str]], options: Mapping[str, Any]
    ) -> Tuple[Optional[Reply], Optional[EndpointError]]:
        try:
            return self.endpoint.chat(chat, **options), None
        except Refused:
            raise
        except EndpointError as error:
            return None, error

    def _note(self, choice: Choice, game: str) -> None:
        """Adds a choice to the sums in `total`, to the bot's cost and tokens, and to the transcript. game: its name in
        the transcript."""
        usage = choice.usage
        self._count({"choices": 1, "unanswered": int(choice.reply is None), **usage})
        self._write(
            {
                "game": game,
                "phase": choice.phase,
                "power": choice.power,
                "model": self.endpoint.model,
                "messages": choice.context.chat,
                "answer": choice.reply.text if choice.reply else None,
                "verdicts": [asdict(one) for one in choice.answer.verdicts + choice.answer.mentioned],
                **usage,
            }
        )

    def _count(self, usage: Mapping[str, Any]) -> None:
        for name, value in usage.items():
            if isinstance(value, (int, float)):
                self.total[name] = self.total.get(name, 0) + value
        tokens = usage.get("tokens_in", 0) + usage.get("tokens_out", 0)
        self.cost += usage.get("cost", 0.0) if self.unit == "USD" else tokens
        self.tokens += tokens

    def _write(self, line: Mapping[str, Any]) -> None:
        if self.transcript is None:
            return
        # A single appending write: several processes may share the file, and a killed process leaves complete lines.
        data = (json.dumps(line) + "\n").encode()
        with open(self.transcript, "ab", buffering=0) as file:
            file.write(data)

    # ---- at the table ----

    def orders(self, positions: Sequence[Position]) -> List[Dict[str, List[str]]]:
        asked, places, names = [], [], []
        for place, position in enumerate(positions):
            game = self._game_at(position)
            for power in position.powers:
                asked.append((game, power, self._seen(game, power, position)))
                places.append(place)
                names.append(position.game)
        found: List[Dict[str, List[str]]] = [{} for _ in positions]
        for place, choice in zip(places, self.choose(asked, positions[0].seed, names)):
            found[place][choice.power] = choice.answer.orders
            if choice.error:
                print(f"{self.name}: {choice.power} in {choice.phase}: {choice.error}", file=sys.stderr)
        return found

    def talk(self, positions: Sequence[Position]) -> List[List[Dict[str, Any]]]:
        """Asks the model for the messages of the first power of each position. Returns a list of messages, as dicts of
        recipients and text, for each position.

        Prints the reason to stderr if messages are invalid, and sends none then. Raises Refused if the server refuses
        the key or the model.
        """
        games = [self._game_at(position) for position in positions]
        waiting = []
        for game, position in zip(games, positions):
            chat = self._seen(game, position.powers[0], position).chat
            chat.append({"role": "user", "content": _TALK})
            waiting.append(self._pool.submit(self._ask, chat, {"seed": position.seed & 0x7FFFFFFF, **self.options}))
        said = []
        for game, position, one in zip(games, positions, waiting):
            reply, _ = one.result()
            self._count(usage_of(reply) if reply else {})
            messages, error = _said(reply.text if reply else "", position.powers[0], list(game.powers))
            said.append(messages)
            if error:
                print(
                    f"{self.name}: {position.powers[0]} in {game.phase}: messages are not sent: {error}",
                    file=sys.stderr,
                )
        return said

    def _seen(self, game: Game, power: str, position: Position) -> Context:
        messages = getattr(position, "messages", None) or ()
        return context(game, power, self.phases, messages, self.answer, past=position.history)

    def _game_at(self, position: Position) -> Game:
        """Returns a game without a history, in a position that a bot was asked for."""
        engine = self._engine or shared_engine()
        with engine.batch._lock:
            engine.current = None
            record = {name: getattr(position, name) for name in ("phase", "units", "centers", "retreats", "builds")}
            engine.batch.set_position(0, {name: value for name, value in record.items() if value})
            return Game(position.game, engine=engine, data=engine.batch.save([0]))


#: Matches the thoughts of a model, which may contain examples of messages.
_THOUGHTS = re.compile(r"^.*</think(?:ing)?>|<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)


def _said(text: str, power: str, powers: Sequence[str]) -> Tuple[List[Dict[str, Any]], Optional[str]]:
    """Finds the messages in a model's answer: the last JSON list of messages, or JSON object with "messages". Ignores
    thoughts.

    power: sender of the messages. powers: names of all powers. Returns the messages and None. If a message is invalid,
        returns no messages and the reason.
    """
    text = _THOUGHTS.sub("", text)
    given: List[Any] = []
    at, tries = 0, 0
    while tries < 100 and (found := re.compile(r"[\[{]").search(text, at)):
        tries += 1
        try:
            value, at = json.JSONDecoder().raw_decode(text, found.start())
        except (ValueError, RecursionError):
            at = found.end()
            continue
        value = value.get("messages", [value]) if isinstance(value, dict) else value
        if isinstance(value, list) and all(isinstance(one, dict) and "text" in one for one in value):
            given = value
    try:
        read = read_messages([{**one, "sender": power} for one in given], powers)
    except (ValueError, TypeError) as error:
        return [], str(error)
    return [{"recipients": [to for to in one.recipients if to != power], "text": one.text} for one in read], None
