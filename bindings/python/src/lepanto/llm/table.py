"""Whole games of language models, with a record that has what they took."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from .._checks import whole_from
from .._files import write_whole
from ..game import Game
from .context import Context, board_of, context
from .player import Choice, LanguageModel
from .training import resume

#: Models by power; a power without one orders nothing.
Players = Union[LanguageModel, Mapping[str, LanguageModel]]


class Played:
    """A game that was played, and what its players took."""

    def __init__(self, game: Game, usage: Dict[str, Dict[str, Dict[str, Any]]]) -> None:
        self.game = game
        #: By phase and power: model, tokens, seconds, cost, tries, and counts of orders.
        self.usage = usage

    def record(self) -> Dict[str, Any]:
        """The game as `diplomacy` saves one, with `usage`."""
        return {**self.game.to_saved_game_format(), "usage": self.usage}

    def total(self) -> Dict[str, Dict[str, float]]:
        """By model, the sums of what it took."""
        found: Dict[str, Dict[str, float]] = {}
        for powers in self.usage.values():
            for one in powers.values():
                sums = found.setdefault(one["model"], {})
                for name, value in one.items():
                    if isinstance(value, (int, float)):
                        sums[name] = sums.get(name, 0) + value
        return found


def play(
    players: Players,
    until: int = 1908,
    game: Optional[Game] = None,
    record: Union[None, str, "os.PathLike[str]"] = None,
    seed: int = 0,
    on_phase: Optional[Callable[[Game, List[Choice]], None]] = None,
) -> Played:
    """Plays a game to the end of a year, or to a solo: in each phase all powers with orders due are asked at once.

    players: one model for all powers, or models by power. game: from where to go on; None: from the beginning.
    record: a file of JSON, written whole after each phase; if it exists, the game in it goes on.
    on_phase: called after each phase with the game and the choices that were made in it.

    Raises ValueError for no such power, and Refused where a server does not take the key, the model or the request.
    """
    whole_from("until", until, 0, 9999)
    path = None if record is None else Path(record)
    played = Played(game or Game(), {})
    if path is not None and path.exists():
        known = json.loads(path.read_text("utf-8"))
        if not isinstance(known, dict) or "usage" not in known or "phases" not in known:
            raise ValueError(f"record: got {path}, which is no record of a table, wanted one or a new name")
        played = Played(resume(known, None, game._engine if game else None), known["usage"])
    game = played.game
    by_power = players if isinstance(players, Mapping) else dict.fromkeys(game.powers, players)
    for power in by_power:
        if power not in game.powers:
            raise ValueError(f"players: got {power!r}, wanted powers of {', '.join(game.powers)}")
    while not game.is_game_done and int(game.phase[1:-1]) <= until:
        choices = _choices(game, by_power, seed)
        played.usage[game.phase] = {one.power: {"model": by_power[one.power].endpoint.model, **one.usage} for one in choices}
        for one in choices:
            game.set_orders(one.power, one.answer.orders)
        game.process()
        if path is not None:
            write_whole(path, json.dumps(played.record()))
        if on_phase is not None:
            on_phase(game, choices)
    return played


def _choices(game: Game, players: Mapping[str, LanguageModel], seed: int) -> List[Choice]:
    """The choices of all powers that have something to order, asked for together."""
    asked: Dict[int, List[Any]] = {}
    legal = board_of(game).legal
    for power, player in players.items():
        if legal[power]:
            seen: Context = context(game, power, player.phases, answer=player.answer)
            asked.setdefault(id(player), [player]).append((game, power, seen))
    begun = [(player, each, player.begin(each, seed)) for player, *each in asked.values()]
    return [choice for player, each, waiting in begun for choice in player.finish(each, waiting)]
