"""Measures the package against the engine alone: `python -m lepanto.benchmark`.

All games are random play from spring 1901 to the end of 1910, the same as in the engine's benchmark, with each of two
samplers. "Engine alone" is play in the same threads of the same process without writing arrays. The rows of the table
are measured in turn, `--repeats` times each. A phase-step is a movement phase with its retreats and adjustments.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
import random
import statistics
import sys
import time
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ._config import Sampler
from .batch import Batch
from .diplomacy.engine.game import Game
from .llm.context import context

UNTIL = 1910
SAMPLERS: Tuple[Sampler, ...] = ("policy", "uniform")
#: Number of phase-steps in one call, in rows that play many per call.
MANY = 20


def _rate(play: Callable[[], int], seconds: float) -> float:
    """Calls `play` again and again for a number of seconds. Returns the sum of its results per second."""
    started = time.perf_counter()
    count = 0
    while time.perf_counter() - started < seconds:
        count += play()
    return count / (time.perf_counter() - started)


def _seconds_of(act: Callable[[], Any], count: int) -> List[float]:
    """Calls a function `count` times. Returns the duration of each call in seconds."""
    times = []
    for _ in range(count):
        started = time.perf_counter()
        act()
        times.append(time.perf_counter() - started)
    return times


def _steps(batch: Batch, repeats: int, seconds: float) -> Dict[str, float]:
    """Returns a summary of phases per second, of steps with random actions.

    repeats: number of measurements, after a warm-up. seconds: length of each.
    """

    def step() -> int:
        batch.step(batch.random_actions())
        return len(batch)

    _rate(step, 2 * seconds)
    return _summary([_rate(step, seconds) for _ in range(repeats)])


def _rows(plain: Batch, observed: Batch, sampler: Sampler, seconds: float) -> Dict[str, Callable[[], float]]:
    """Returns functions that measure phase-steps per second, keyed by row: the engine alone, and random_step() of one
    and of many phase-steps without and with observations."""
    rows = {"engine alone": lambda: _rate(lambda: plain._engine_alone(round(1000 * seconds), sampler), 0.5 * seconds)}
    for name, batch in (("", plain), (", dipnet", observed)):
        for count in (1, MANY):
            play = functools.partial(batch.random_step, count, sampler)
            rows[f"random_step({count}){name}"] = functools.partial(_rate, play, seconds)
    return rows


def _contexts(seconds: float, seed: int) -> float:
    """Returns contexts for language models per second, of all powers in each phase of random games. Does not count the
    time of the games."""
    draw = random.Random(seed)
    game, made, spent = Game(), 0, 0.0
    while spent < seconds:
        if game.is_game_done or len(game.get_phase_history()) >= 40:
            game = Game()
        begun = time.perf_counter()
        for power in game.powers:
            made += len(context(game, power).text) > 0
        spent += time.perf_counter() - begun
        legal = game.get_all_possible_orders()
        for power, places in game.get_orderable_locations().items():
            game.set_orders(power, [draw.choice(legal[place]) for place in places])
        game.process()
    return made / spent


def _summary(values: Sequence[float]) -> Dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def measure(games: int = 4096, workers: int = 2, repeats: int = 5, seconds: float = 0.5) -> Dict[str, Any]:
    """Measures all rows of the table of benchmarks, and returns their numbers as a dict.

    games: number of games in a batch. workers: number of engine threads. repeats: number of measurements of each row.
        seconds: length of a measurement.
    """
    result: Dict[str, Any] = {
        "games": games,
        "workers": workers,
        "repeats": repeats,
        "seconds_of_a_turn": seconds,
        "phase_steps_per_second": {},
    }
    start_up = _seconds_of(lambda: Batch(1, workers=1, observations=None).close(), repeats)
    result["start_up_ms"] = _summary([1000 * t for t in start_up])
    with (
        Batch(games, workers=workers, seed=1, observations=None, until=UNTIL) as plain,
        Batch(games, workers=workers, seed=1, until=UNTIL) as observed,
    ):
        result["mapped"] = plain.mapped
        result["round_trip_us"] = _summary([1e6 * t for t in _seconds_of(plain._doorbell, 2000)])
        result["bytes_per_game"] = {"without observations": plain.bytes_per_game, "dipnet": observed.bytes_per_game}
        for sampler in SAMPLERS:
            rows = _rows(plain, observed, sampler, seconds)
            for run in rows.values():
                run()
            turns: Dict[str, List[float]] = {name: [] for name in rows}
            for _ in range(repeats):
                for name, run in rows.items():
                    turns[name].append(run())
            alone = turns["engine alone"]
            result["phase_steps_per_second"][sampler] = {
                name: {**_summary(values), "ratio": _summary([v / a for v, a in zip(values, alone)])}
                for name, values in turns.items()
            }
        plain.reset(1)
        result["phases_per_second_by_list"] = _steps(plain, repeats, seconds)
    with Batch(games, workers=workers, seed=1, actions="vocabulary", masks=True, until=UNTIL) as learning:
        result["phases_per_second_of_a_learner"] = _steps(learning, repeats, seconds)
    _contexts(seconds, 0)
    result["contexts_per_second"] = _summary([_contexts(seconds, seed) for seed in range(1, repeats + 1)])
    return result


def _spread(values: Dict[str, float], digits: int = 0) -> str:
    return f"{values['median']:,.{digits}f}  ({values['least']:,.{digits}f} to {values['most']:,.{digits}f})"


def _print(result: Dict[str, Any]) -> None:
    print(
        f"{result['games']:,} games, {result['workers']} workers, "
        f"memory {'mapped' if result['mapped'] else 'written'}; "
        f"medians of {result['repeats']} measurements, least and most"
    )
    for sampler, rows in result["phase_steps_per_second"].items():
        print(f"\n{'phase-steps/s, ' + sampler + ' sampler':36}{'':34}of the engine")
        for name, values in rows.items():
            ratio = values["ratio"]
            share = f"{ratio['median']:.0%} ({ratio['least']:.0%} to {ratio['most']:.0%})"
            print(f"  {name:34}{_spread(values):34}{share}")
    rows = {
        "step(random_actions()), phases/s": _spread(result["phases_per_second_by_list"]),
        "by ids, dipnet, masks, phases/s": _spread(result["phases_per_second_of_a_learner"]),
        "contexts of language models/s": _spread(result["contexts_per_second"]),
        "start of a batch, ms": _spread(result["start_up_ms"]),
        "doorbell round trip, us": _spread(result["round_trip_us"], 1),
        "bytes per game": ", with dipnet ".join(f"{size:,}" for size in result["bytes_per_game"].values()),
    }
    print()
    print(*(f"{name:36}{text}" for name, text in rows.items()), sep="\n")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")


def main(args: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m lepanto.benchmark", description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=4096, help="number of games in a batch (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="worker threads of a batch (default: %(default)s)")
    parser.add_argument(
        "--repeats", type=int, default=5, help="number of measurements of each row (default: %(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="length of a measurement in seconds (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = vars(parser.parse_args(args))
    as_json = options.pop("json")
    result = measure(**options)
    if as_json:
        print(json.dumps(result))
    else:
        _print(result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
