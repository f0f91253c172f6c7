"""Tools to train language models on games: copies of a game from any phase, and rewards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from .._checks import whole_from
from ..diplomacy.engine.game import Game
from ..state import Engine
from .context import board_of, power_of, record_of, told_of

#: Default reward of an order, keyed by its result. A dislodged or destroyed unit costs 1 more.
RESULT_REWARDS: Mapping[str, float] = {"succeeds": 1.0, "given": 1.0, "stops": 0.5, "invalid": -1.0, "illegal": -1.0}


def fork(game: Game, n: int, phase: Optional[str] = None) -> List[Game]:
    """Returns n independent copies of a game, in its current position or in the position before a phase.

    The copies share an engine; the same orders lead to the same bytes in each. Raises ValueError for a phase that was
    not played.
    """
    whole_from("n", n, 0, 1_000_000)
    base = game if phase is None or phase == game.get_current_phase() else game.rolled_back_to_phase_start(phase)
    return base.clone_n_times(n)


def resume(saved: Union[str, Mapping[str, Any]], phase: Optional[str] = None, engine: Optional[Engine] = None) -> Game:
    """Replays a saved game from its orders, up to the beginning of a phase. phase: None replays all of the game.

    saved: the game as dict or JSON. engine: engine of the game; None: a shared one. The position has the same bytes as
    in the original game. Raises ValueError for a phase that the game does not have.
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
    """Rewards of a power for one phase."""

    orders: List[Tuple[str, float]]
    """Each order of the power in the phase, as text, with its reward."""
    phase: int
    """Change in the power's number of centres during the phase."""
    game: float
    """Score of the power as if the game ended in its current position."""


def rewards(
    game: Game,
    power: str,
    phase: Optional[str] = None,
    results: Mapping[str, float] = RESULT_REWARDS,
    score: str = "sum_of_squares",
) -> Rewards:
    """Returns the rewards of a power for a played phase.

    phase: name of the phase; None: the last one. results: rewards of orders by result (lepanto.RESULTS); missing
        results are worth 0. score: a name of lepanto.SCORES.
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
