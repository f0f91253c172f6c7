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
    "timeout": (120.0, "S", "seconds for an answer"),
    "retries": (4, "N", "tries after the first one"),
    "wait": (1.0, "S", "seconds before another try, doubled each time"),
    "concurrency": (7, "N", "most requests at a time"),
    "price-in": (0.0, "USD", "for a million tokens read"),
    "price-out": (0.0, "USD", "for a million tokens written"),
    "phases": (2, "N", "phases of the past in a prompt"),
}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="lepanto llm-bot",
        description="Answers requests for orders with a language model behind an OpenAI-compatible server: JSON lines "
        "in and out. One bot can have all seats; the requests of a phase are under way together.",
        epilog="In an arena: lepanto arena --preset language-model --choice-ms 600000 --agents "
        "'exec:lepanto llm-bot --model NAME --base-url URL,dumbbot'",
    )
    parser.add_argument("--model", required=True, metavar="NAME", help="as the server knows it")
    parser.add_argument("--base-url", required=True, metavar="URL", help="such as http://127.0.0.1:8000/v1")
    for name, (default, metavar, text) in _OPTIONS.items():
        words = f"{text} (default: %(default)s)"
        parser.add_argument(f"--{name}", type=type(default), default=default, metavar=metavar, help=words)
    parser.add_argument("--temperature", type=float, metavar="T", help="as the server has it by default")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="most tokens of an answer")
    parser.add_argument(
        "--answer", default="orders", choices=list(ANSWERS), help="form of an answer (default: %(default)s)"
    )
    constrain = "sends the legal answers along, for servers that keep a model to them (default: %(default)s)"
    parser.add_argument("--constrain", default="none", choices=list(CONSTRAINTS), help=constrain)
    parser.add_argument("--talk", action="store_true", help="writes messages where there is press")
    parser.add_argument("--transcript", metavar="FILE", help="adds a line of JSON for each choice")
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
