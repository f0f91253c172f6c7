"""A language model at the table: lepanto.bot.Bot over an endpoint, for one seat or for all seven."""

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

#: What a request says of the answers that are legal, by kind: fields that servers know.
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
    """What a model was asked and what came of it."""

    power: str
    phase: str
    context: Context
    reply: Optional[Reply]
    """None if no answer came."""
    answer: Answer
    error: Optional[str]
    """Why no answer came, or why it could not be read."""
    failed: Tuple[int, float] = (0, 0.0)
    """Without a reply: number of tries, and seconds they took."""

    @property
    def usage(self) -> Dict[str, Any]:
        """Tokens, seconds, cost and tries, and the counts of the answer."""
        tries, seconds = self.failed
        own = usage_of(self.reply) if self.reply else {"seconds": round(seconds, 3), "cost": 0.0, "tries": tries}
        return {**own, **self.answer.counts, **({"error": self.error} if self.error else {})}


class Request(NamedTuple):
    """A request that is under way."""

    model: "LanguageModel"
    game: Game
    power: str
    context: Context
    name: str
    """Of the game in the transcript."""
    reply: "Future[Tuple[Optional[Reply], Optional[EndpointError]]]"


def judge(game: Game, power: str, seen: Context, reply: Optional[Reply], failed: Optional[EndpointError]) -> Choice:
    """Reads a reply. One that cannot be read has no orders. failed: why there is no reply."""
    answer, wrong = parse_anything(reply.text if reply else "", game, power)
    error = wrong or (str(failed) if failed else None)
    return Choice(power, seen.phase, seen, reply, answer, error, (failed.tries, failed.seconds) if failed else (0, 0.0))


def take(requests: Sequence[Request], keep: Callable[[Choice], None] = lambda choice: None) -> List[Choice]:
    """Waits for the replies to requests. Returns the choices in the sequence of the requests.

    Each choice is written to the transcript of its model, and given to `keep`. If an exception such as
    KeyboardInterrupt cuts this short, requests that were not sent are cancelled, and replies to all others, which cost
    as much, are waited for and kept; a second exception ends that too. Raises Refused if a server does not take the
    key, the model or the request.
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
    """A bot that asks a model for the orders of each power, with the requests of all positions under way together.

    endpoint: where the model is. phases, messages, answer: as for context(). constrain: "none", "json", "regex" or
    "gbnf": whether the request has the legal answers in it, for servers that keep a model to them. transcript: a file
    to which a line of JSON is added for each choice: prompt, answer, verdicts, tokens, seconds and cost. options:
    further fields of each request. talk: writes to other powers where there is press.

    A unit without a legal order in the answer holds. If no answer comes in all tries the power orders nothing; if the
    server refuses the key or the model, an error ends the bot.
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
        #: Sums of all choices so far.
        self.total: Dict[str, float] = {}
        self._engine: Optional[Engine] = None
        self._pool = ThreadPoolExecutor(max_workers=endpoint.concurrency)

    def start(self, map: str, rules: str) -> None:
        self._engine = Engine(None, map, rules=rules)

    # ---- choices ----

    def choose(
        self, asked: Sequence[Tuple[Game, str, Context]], seed: int = 0, names: Sequence[str] = ()
    ) -> List[Choice]:
        """Returns the choices of powers in games, all asked for at once. Games are left as they are.

        names: of the games in the transcript. Raises Refused if the server does not take the key, the model or the
            request.
        """
        return take(self.begin(asked, seed, names))

    def begin(
        self, asked: Sequence[Tuple[Game, str, Context]], seed: int = 0, names: Sequence[str] = ()
    ) -> "List[Request]":
        """Sends the requests of choose(), for take() to wait for."""
        waiting = []
        for i, (game, power, seen) in enumerate(asked):
            try:
                limits = CONSTRAINTS[self.constrain](Grammar.of(game, power))  # type: ignore[no-untyped-call]
            except ValueError:
                # Too many removals to write them all out: the answer is judged as any other.
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
        """Counts a choice, and writes it to the transcript."""
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
        # One write to the end of the file: several processes may share it, and a kill leaves whole lines.
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
        """What each position's power says: lists of recipients and text."""
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
        """A game that stands at a position."""
        engine = self._engine or shared_engine()
        with engine.batch._lock:
            engine.current = None
            record = {name: getattr(position, name) for name in ("phase", "units", "centers", "retreats", "builds")}
            engine.batch.set_position(0, {name: value for name, value in record.items() if value})
            return Game(position.game, engine=engine, data=engine.batch.save([0]))


#: Thoughts of a model, which may have examples of messages in them.
_THOUGHTS = re.compile(r"^.*</think(?:ing)?>|<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)


def _said(text: str, power: str, powers: Sequence[str]) -> Tuple[List[Dict[str, Any]], Optional[str]]:
    """The messages in an answer: the last JSON list of them, or object with "messages", wherever it stands. Returns
    them and why none of them is sent, where there are some that cannot be."""
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
