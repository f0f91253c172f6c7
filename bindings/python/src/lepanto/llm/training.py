"""What learning from games needs: copies of a game, from any phase on, and rewards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from .._checks import whole_from
from ..diplomacy.engine.game import Game
from ..state import Engine
from .context import board_of, power_of, record_of, told_of

#: What an order is worth by its result; a unit that is dislodged takes one off.
RESULT_REWARDS: Mapping[str, float] = {"succeeds": 1.0, "given": 1.0, "stops": 0.5, "invalid": -1.0, "illegal": -1.0}


def fork(game: Game, n: int, phase: Optional[str] = None) -> List[Game]:
    """n copies of a game as it stands, or as it stood before a phase. They share an engine, and nothing that is played
    in one is seen in another: the same orders lead to the same bytes. Raises ValueError for a phase that was not
    played."""
    whole_from("n", n, 0, 1_000_000)
    base = game if phase is None or phase == game.get_current_phase() else game.rolled_back_to_phase_start(phase)
    return base.clone_n_times(n)


def resume(saved: Union[str, Mapping[str, Any]], phase: Optional[str] = None, engine: Optional[Engine] = None) -> Game:
    """A saved game, as a dict or JSON, played again from its orders up to a phase; None: to its end.

    The position has the bytes that the game had there. Raises ValueError for a phase that it does not have.
    """
    record: Mapping[str, Any] = json.loads(saved) if isinstance(saved, str) else saved
    phases = record.get("phases") if isinstance(record, Mapping) else None
    if not isinstance(phases, list) or not phases:
        raise ValueError(
            f"saved: got {type(record).__name__} without phases, wanted a game as to_saved_game_format() has it"
        )
    names = [one["name"] for one in phases]
    if phase is not None and phase not in names:
        raise ValueError(f"phase: got {phase!r}, wanted one of {', '.join(names)}")
    if phase is not None:
        at = names.index(phase)
        phases = [*phases[:at], {**phases[at], "orders": {}}]
    return Game.from_orders({**record, "phases": phases}, engine)


@dataclass(frozen=True)
class Rewards:
    """What a phase was worth to a power."""

    orders: List[Tuple[str, float]]
    """Each order, and what its result is worth."""
    phase: int
    """Centres won in the phase, below 0 for those lost."""
    game: float
    """The score, as if the game had ended where it stands."""


def rewards(
    game: Game,
    power: str,
    phase: Optional[str] = None,
    results: Mapping[str, float] = RESULT_REWARDS,
    score: str = "sum_of_squares",
) -> Rewards:
    """Rewards of a power for a phase that was played; None: the last one.

    results: what an order is worth by its result (lepanto.RESULTS), 0 where none is given. score: a name of
        lepanto.SCORES.
    Raises ValueError for a phase that was not played.
    """
    name = power_of(game, power)
    history = game.get_phase_history()
    names = [one["name"] for one in history]
    if not names or (phase is not None and phase not in names):
        raise ValueError(f"phase: got {phase!r}, wanted one that was played: {', '.join(names) or 'none was'}")
    at = len(names) - 1 if phase is None else names.index(phase)
    orders = [
        (one.order, results.get(one.result, 0.0) - (1.0 if one.fate else 0.0))
        for one in told_of(game, history[at]).get(name, [])
    ]
    after: Dict[str, Any] = (
        record_of(game, history[at + 1])["centers"] if at + 1 < len(history) else board_of(game).centers
    )
    gained = len(after.get(name, [])) - len(record_of(game, history[at])["centers"].get(name, []))
    return Rewards(orders, gained, game.get_scores(score)[list(game.powers).index(name)])
