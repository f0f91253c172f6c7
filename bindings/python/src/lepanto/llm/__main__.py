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
    parser.add_argument(
        "--key-env",
        default="OPENAI_API_KEY",
        metavar="NAME",
        help="variable of the environment that has the key (default: %(default)s)",
    )
    parser.add_argument(
        "--timeout", type=float, default=120.0, metavar="S", help="seconds for an answer (default: %(default)s)"
    )
    parser.add_argument(
        "--retries", type=int, default=4, metavar="N", help="tries after the first one (default: %(default)s)"
    )
    parser.add_argument(
        "--wait",
        type=float,
        default=1.0,
        metavar="S",
        help="seconds before another try, doubled each time (default: %(default)s)",
    )
    parser.add_argument(
        "--concurrency", type=int, default=7, metavar="N", help="most requests at a time (default: %(default)s)"
    )
    parser.add_argument("--temperature", type=float, metavar="T", help="as the server has it by default")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="most tokens of an answer")
    parser.add_argument("--price-in", type=float, default=0.0, metavar="USD", help="for a million tokens read")
    parser.add_argument("--price-out", type=float, default=0.0, metavar="USD", help="for a million tokens written")
    parser.add_argument(
        "--phases", type=int, default=2, metavar="N", help="phases of the past in a prompt (default: %(default)s)"
    )
    parser.add_argument(
        "--answer", default="orders", choices=list(ANSWERS), help="form of an answer (default: %(default)s)"
    )
    parser.add_argument(
        "--constrain",
        default="none",
        choices=list(CONSTRAINTS),
        help="sends the legal answers along, for servers that keep a model to them (default: %(default)s)",
    )
    parser.add_argument("--talk", action="store_true", help="writes messages where there is press")
    parser.add_argument("--transcript", metavar="FILE", help="adds a line of JSON for each choice")
    given = parser.parse_args(arguments)
    options = {
        name: value
        for name, value in (("temperature", given.temperature), ("max_tokens", given.max_tokens))
        if value is not None
    }
    try:
        endpoint = Endpoint(
            given.model,
            given.base_url,
            given.key_env,
            given.timeout,
            given.retries,
            given.concurrency,
            given.wait,
            (given.price_in, given.price_out),
        )
        bot = LanguageModel(
            endpoint, given.phases, given.answer, given.constrain, given.transcript, options, given.talk
        )
        if given.transcript:
            # A folder that cannot be written to should say so before the first choice is paid for.
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
