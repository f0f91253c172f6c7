"""Saved games, one JSON object a line, as the package `diplomacy` writes and reads them."""

from __future__ import annotations

import json
import logging
import os
from typing import Any, Dict, List, Mapping, Optional, Union

from ...state import Engine
from ..engine.game import Game
from .game_phase_data import GamePhaseData


def to_saved_game_format(
    game: Game, output_path: Union[None, str, "os.PathLike[str]"] = None, output_mode: str = "a"
) -> Dict[str, Any]:
    """The game with all phases; with a path it is also written there, at the end of the file or, with "w", in place of
    it."""
    if output_mode not in ("a", "w"):
        raise ValueError(f'output_mode: got {output_mode!r}, wanted "a" or "w"')
    saved = game.to_saved_game_format()
    if output_path is not None:
        with open(output_path, output_mode, encoding="utf-8") as file:
            file.write(json.dumps(saved) + "\n")
    return saved


def from_saved_game_format(saved_game: Mapping[str, Any], engine: Optional[Engine] = None) -> Game:
    """The game of a saved one, at its last phase, with its history as it was written: nothing is played again. engine:
    that of the game, as for Game().

    Raises ValueError or LepantoError that says what is wrong with it.
    """
    return Game.from_dict(saved_game, engine)


def load_saved_games_from_disk(
    input_path: Union[str, "os.PathLike[str]"], on_error: str = "raise", engine: Optional[Engine] = None
) -> List[Game]:
    """All games of a file, one a line. engine: as for Game(). on_error: "raise", or "warn" and "ignore", which leave
    out what cannot be read."""
    if on_error not in ("raise", "warn", "ignore"):
        raise ValueError(f'on_error: got {on_error!r}, wanted "raise", "warn" or "ignore"')
    games = []
    with open(input_path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                games.append(from_saved_game_format(json.loads(line), engine))
            except Exception as error:
                if on_error == "raise":
                    raise
                if on_error == "warn":
                    logging.getLogger(__name__).warning("%s, line %d: %s", input_path, number, error)
    return games


def is_valid_saved_game(saved_game: Mapping[str, Any], engine: Optional[Engine] = None) -> bool:
    """True if every phase of a saved game comes about when it is played again from its own state and orders. engine: as
    for Game(): by its rules."""
    try:
        phases = [GamePhaseData.from_dict(phase) for phase in saved_game["phases"]]
        game = Game(saved_game["id"], saved_game["map"], saved_game["rules"], engine)
        for data, after in zip(phases, phases[1:]):
            game.set_state(data.state)
            for power, orders in data.orders.items():
                game.set_orders(power, orders or [])
            given = {power: sorted(orders or []) for power, orders in data.orders.items()}
            if {power: sorted(orders) for power, orders in game.get_orders().items()} != given:
                return False
            game.process()
            if (game.get_current_phase(), game.get_hash()) != (after.name, after.state["zobrist_hash"]):
                return False
        return not ("NO_PRESS" in saved_game["rules"] and any(data.messages for data in phases))
    except (KeyError, TypeError, ValueError):
        return False
