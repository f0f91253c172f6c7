"""Reads and writes saved games in the format of the package `diplomacy`: one JSON object per line."""

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
    """Returns a game with all its phases as a saved game. With a path, also writes it to the file, as one line.

    output_mode: "a" appends to the file, "w" replaces it. Raises ValueError for other modes.
    """
    if output_mode not in ("a", "w"):
        raise ValueError(f'output_mode: got {output_mode!r}, wanted "a" or "w"')
    saved = game.to_saved_game_format()
    if output_path is not None:
        with open(output_path, output_mode, encoding="utf-8") as file:
            file.write(json.dumps(saved) + "\n")
    return saved


def from_saved_game_format(saved_game: Mapping[str, Any], engine: Optional[Engine] = None) -> Game:
    """Returns the game of a saved game, at its last phase. Its history is read from the file, not played again.

    engine: engine of the game, as in Game().

    Raises ValueError or LepantoError if the saved game is invalid.
    """
    return Game.from_dict(saved_game, engine)


def load_saved_games_from_disk(
    input_path: Union[str, "os.PathLike[str]"], on_error: str = "raise", engine: Optional[Engine] = None
) -> List[Game]:
    """Returns all games of a file with one saved game per line. engine: as in Game().

    on_error: "raise", or "warn" or "ignore" to skip invalid games. Raises ValueError for another value.
    """
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
    """True if each phase of a saved game follows from the state and orders of the phase before, by the rules of the
    engine. False also for invalid data, and for messages in a game with the rule NO_PRESS.

    engine: as in Game().
    """
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
