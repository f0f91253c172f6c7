"""python -m lepanto.train: trains a net by imitation and self-play."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import Optional, Sequence

MOST_MINUTES = 1e6


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    try:
        import torch
    except ImportError:
        print(
            'lepanto.train: got no torch, wanted it: pip install "lepanto[train]", or apt install python3-torch',
            file=sys.stderr,
        )
        return 1
    from .._files import held
    from .._server import LepantoError
    from .config import Config, ConfigError, load_config
    from .progress import Progress
    from .trainer import CHECKPOINT, Stopped, Trainer

    parser = argparse.ArgumentParser(
        prog="python -m lepanto.train",
        description="Trains a graph net: imitation of agents of the engine, then games against them and older nets. A "
        "net becomes the best if it passes a gate against the best so far. The same command resumes a run.",
    )
    parser.add_argument("--out", type=Path, required=True, help="directory of the run")
    parser.add_argument("--minutes", type=float, help="time limit over all starts (default: 60; none with --rounds)")
    parser.add_argument(
        "--rounds", type=int, help="number of gates; the same seed then gives the same weights on one thread"
    )
    parser.add_argument("--config", type=Path, help="TOML file with settings, such as config.toml of another run")
    parser.add_argument("--device", default="cpu", help="device of torch: cpu or cuda (default: cpu)")
    parser.add_argument(
        "--queue",
        help="queue of `lepanto worker` processes that play the games of teachers and gates: redis://HOST:PORT, or "
        "env for the address in LEPANTO_QUEUE_URL; the result is the same",
    )
    parser.add_argument("--store", help="where the workers put those games, as for `lepanto selfplay`")
    parser.add_argument(
        "--actors",
        type=int,
        default=0,
        help="processes that play games of the net while it learns (default: 0, playing and learning in turn). "
        "learn.staleness of the configuration is the maximum age of games; no seed repeats such a run",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress")
    given = parser.parse_args(arguments)
    lock = contextlib.ExitStack()
    written = given.out / "config.toml"
    try:
        lock.enter_context(held(given.out))
        minutes = given.minutes if given.minutes is not None else 60.0 if given.rounds is None else MOST_MINUTES
        if not 0 < minutes <= MOST_MINUTES:
            raise ConfigError(f"--minutes: got {minutes}, wanted more than 0")
        if given.rounds is not None and given.rounds < 0:
            raise ConfigError(f"--rounds: got {given.rounds}, wanted 0 or more")
        if not 0 <= given.actors <= 1024:
            raise ConfigError(f"--actors: got {given.actors}, wanted 0 to 1024")
        path = given.config or (written if written.exists() else None)
        config = load_config(path) if path is not None else Config()
        if given.config is not None and (given.out / CHECKPOINT).exists() and load_config(written) != config:
            raise ConfigError(f"--config: got other settings than the run in {given.out}, wanted the same")
        if given.store is not None and given.queue is None:
            raise ConfigError("--store: got it without --queue, wanted both")
        try:
            torch.empty(1, device=given.device)
        except (RuntimeError, AssertionError) as error:
            raise ConfigError(f"--device: got {given.device!r}: {_first_line(error)}") from error
        queue = {"queue": given.queue, "store": given.store} if given.queue is not None else {}
        progress = Progress(given.quiet)
        trainer = Trainer(given.out, config, minutes, given.rounds, given.device, progress, queue, given.actors)
    except (OSError, ValueError, LepantoError) as error:
        lock.close()
        print(f"lepanto.train: {error}", file=sys.stderr)
        return 2

    def interrupt(number: int, _: object) -> None:
        # A second Ctrl-C interrupts immediately.
        signal.signal(number, signal.default_int_handler)
        trainer.stop()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        trainer.run()
    except (Stopped, KeyboardInterrupt):
        print("stopped; run the same command again to resume", file=sys.stderr)
        return 130
    except (OSError, RuntimeError, ValueError) as error:
        if os.environ.get("LEPANTO_DEBUG"):
            raise
        print(f"lepanto.train: {_first_line(error)}; LEPANTO_DEBUG=1 shows where", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGINT, before)
        lock.close()
    print(trainer.table(), trainer.summary(), sep="\n", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
