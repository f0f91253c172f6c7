"""lepanto llm-bot, or python -m lepanto.llm: a language model as a bot of `lepanto arena` and `selfplay`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Optional, Sequence

from .._server import LepantoError
from ..bot import serve
from .context import ANSWERS
from .endpoint import Endpoint
from .player import CONSTRAINTS, LanguageModel

#: Options with a default value: the default, which sets the option's type, the metavar, and the help text.
_OPTIONS = {
    "key-env": ("OPENAI_API_KEY", "NAME", "variable of the environment that has the key"),
    "timeout": (120.0, "S", "time limit for an answer, in seconds"),
    "retries": (4, "N", "number of retries"),
    "wait": (1.0, "S", "time before the first retry, in seconds, doubled each time"),
    "concurrency": (7, "N", "maximum number of requests at a time"),
    "price-in": (0.0, "USD", "price of a million tokens read, in USD"),
    "price-out": (0.0, "USD", "price of a million tokens written, in USD"),
    "phases": (2, "N", "number of past phases in a prompt"),
}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="lepanto llm-bot",
        description="Answers requests for orders with a language model on an OpenAI-compatible server: JSON lines in "
        "and out. One bot can have all seats; it sends all requests of a phase together.",
        epilog="In an arena: lepanto arena --preset language-model --choice-ms 600000 --agents "
        "'exec:lepanto llm-bot --model NAME --base-url URL,dumbbot'",
    )
    parser.add_argument("--model", required=True, metavar="NAME", help="name of the model on the server")
    parser.add_argument(
        "--base-url", required=True, metavar="URL", help="address of the server, such as http://127.0.0.1:8000/v1"
    )
    for name, (default, metavar, text) in _OPTIONS.items():
        words = f"{text} (default: %(default)s)"
        parser.add_argument(f"--{name}", type=type(default), default=default, metavar=metavar, help=words)
    parser.add_argument(
        "--temperature", type=float, metavar="T", help="temperature (default: the default of the server)"
    )
    parser.add_argument(
        "--max-tokens",
        type=int,
        metavar="N",
        help="maximum number of tokens of an answer (default: the default of the server)",
    )
    parser.add_argument(
        "--answer", default="orders", choices=list(ANSWERS), help="form of an answer (default: %(default)s)"
    )
    constrain = "grammar of the legal answers, for servers that restrict a model to it (default: %(default)s)"
    parser.add_argument("--constrain", default="none", choices=list(CONSTRAINTS), help=constrain)
    parser.add_argument("--talk", action="store_true", help="write messages in games with press")
    parser.add_argument("--transcript", metavar="FILE", help="file to append a line of JSON to for each choice")
    given = parser.parse_args(arguments)
    extra = {"temperature": given.temperature, "max_tokens": given.max_tokens}
    options = {name: value for name, value in extra.items() if value is not None}
    served = {name: getattr(given, name) for name in ("key_env", "timeout", "retries", "concurrency", "wait")}
    played = {name: getattr(given, name) for name in ("phases", "answer", "constrain", "transcript", "talk")}
    try:
        endpoint = Endpoint(given.model, given.base_url, price=(given.price_in, given.price_out), **served)
        bot = LanguageModel(endpoint, options=options, **played)
        if given.transcript:
            # Fail before the first paid request if the transcript cannot be written.
            os.close(os.open(given.transcript, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
        serve(bot)
    except (LepantoError, OSError, ValueError) as error:
        print(f"lepanto llm-bot: {error}", file=sys.stderr)
        return 1
    if bot.total:
        print(f"{bot.name}: {', '.join(f'{name} {value:.6g}' for name, value in bot.total.items())}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
