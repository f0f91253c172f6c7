"""Measures the package against the engine alone: `python -m lepanto.benchmark`.

Everything is random play from spring 1901 to the end of 1910, as the engine's own benchmark has it, by one sampler and
then the other. The engine alone is what the same threads of the same process play without writing arrays. The rows take
turns; each has as many turns as `--repeats` says. A phase-step is a movement phase with its retreats and adjustments.
"""

from __future__ import annotations

import argparse
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
#: Phase-steps of one call where many are played in one.
MANY = 20


def _engine_alone(batch: Batch, seconds: float, sampler: Sampler) -> float:
    """Phase-steps a second of the engine in the threads of a batch, which are as they were after it."""
    started = time.perf_counter()
    played = batch._engine_alone(round(1000 * seconds), sampler)
    return played / (time.perf_counter() - started)


def _rate(play: Callable[[], int], seconds: float) -> float:
    """What `play` counts, a second."""
    started = time.perf_counter()
    count = 0
    while time.perf_counter() - started < seconds:
        count += play()
    return count / (time.perf_counter() - started)


def _step(batch: Batch) -> int:
    batch.step(batch.random_actions())
    return len(batch)


def _steps(batch: Batch, repeats: int, seconds: float) -> Dict[str, float]:
    """Phases a second by legal orders that numpy draws, some time after the games have begun."""
    _rate(lambda: _step(batch), 2 * seconds)
    return _summary([_rate(lambda: _step(batch), seconds) for _ in range(repeats)])


def _rows(plain: Batch, observed: Batch, sampler: Sampler, seconds: float) -> Dict[str, Callable[[], float]]:
    def steps(batch: Batch, count: int) -> Callable[[], float]:
        return lambda: _rate(lambda: batch.random_step(count, sampler), seconds)

    return {
        "engine alone": lambda: _engine_alone(plain, seconds, sampler),
        "random_step(1)": steps(plain, 1),
        f"random_step({MANY})": steps(plain, MANY),
        "random_step(1), dipnet": steps(observed, 1),
        f"random_step({MANY}), dipnet": steps(observed, MANY),
    }


def _contexts(seconds: float, seed: int) -> float:
    """Contexts of language models a second: of all powers in each phase of random games, whose steps are not
    counted."""
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


def _peer(seconds: float) -> Dict[str, Any]:
    """Phase-steps a second of the package `diplomacy`, every unit a random one of its possible orders; {} without
    it."""
    try:
        from diplomacy import Game
    except ImportError:
        return {}

    def play() -> int:
        game, steps = Game(), 0
        while not game.is_game_done and int(game.get_current_phase()[1:5]) <= UNTIL:
            steps += game.phase_type == "M"
            possible = game.get_all_possible_orders()
            for power in game.powers:
                places = [place for place in game.get_orderable_locations(power) if possible[place]]
                game.set_orders(power, [random.choice(possible[place]) for place in places])
            game.process()
        return steps

    return {"phase_steps_per_second": _rate(play, seconds)}


def _round_trips(batch: Batch, count: int = 2000) -> List[float]:
    """Seconds that a command of no games takes, from Python and back, all threads woken."""
    times = []
    for _ in range(count):
        started = time.perf_counter()
        batch._doorbell()
        times.append(time.perf_counter() - started)
    return times


def _start_up(repeats: int) -> List[float]:
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        Batch(1, workers=1, observations=None).close()
        times.append(time.perf_counter() - started)
    return times


def measure(games: int = 4096, workers: int = 2, repeats: int = 5, seconds: float = 0.5) -> Dict[str, Any]:
    """Measures all rows; the numbers of the table as a dictionary."""
    result: Dict[str, Any] = {
        "games": games,
        "workers": workers,
        "repeats": repeats,
        "seconds_of_a_turn": seconds,
        "phase_steps_per_second": {},
    }
    result["start_up_ms"] = _summary([1000 * t for t in _start_up(repeats)])
    with (
        Batch(games, workers=workers, seed=1, observations=None, until=UNTIL) as plain,
        Batch(games, workers=workers, seed=1, until=UNTIL) as observed,
    ):
        result["mapped"] = plain.mapped
        result["round_trip_us"] = _summary([1e6 * t for t in _round_trips(plain)])
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
    result["diplomacy"] = _peer(20 * seconds)
    return result


def _spread(values: Dict[str, float], digits: int = 0) -> str:
    return f"{values['median']:,.{digits}f}  ({values['least']:,.{digits}f} to {values['most']:,.{digits}f})"


def _print(result: Dict[str, Any]) -> None:
    print(
        f"{result['games']:,} games, {result['workers']} workers, "
        f"memory {'mapped' if result['mapped'] else 'written'}; "
        f"medians of {result['repeats']} turns, least and most"
    )
    for sampler, rows in result["phase_steps_per_second"].items():
        print(f"\n{'phase-steps/s, ' + sampler + ' sampler':36}{'':34}of the engine")
        for name, values in rows.items():
            ratio = values["ratio"]
            share = f"{ratio['median']:.0%} ({ratio['least']:.0%} to {ratio['most']:.0%})"
            print(f"  {name:34}{_spread(values):34}{share}")
    bytes_per_game = result["bytes_per_game"]
    print(f"\n{'step(random_actions()), phases/s':36}{_spread(result['phases_per_second_by_list'])}")
    print(f"{'by ids, dipnet, masks, phases/s':36}{_spread(result['phases_per_second_of_a_learner'])}")
    print(f"{'contexts of language models/s':36}{_spread(result['contexts_per_second'])}")
    print(f"{'start of a batch, ms':36}{_spread(result['start_up_ms'])}")
    print(f"{'doorbell round trip, us':36}{_spread(result['round_trip_us'], 1)}")
    print(f"{'bytes per game':36}{bytes_per_game['without observations']:,}, with dipnet {bytes_per_game['dipnet']:,}")
    if result["diplomacy"]:
        peer = result["diplomacy"]["phase_steps_per_second"]
        ours = result["phase_steps_per_second"]["uniform"]["random_step(1)"]["median"]
        print(
            f"{'diplomacy, phase-steps/s':36}{peer:,.0f}; "
            f"random_step(1) by the uniform sampler: {ours / peer:,.0f} times as many"
        )
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")


def main(args: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m lepanto.benchmark", description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5, help="turns of each row")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a turn")
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
