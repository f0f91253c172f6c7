"""Opponents of a batch: the agents of the engine that play powers."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

import numpy as np
import numpy.typing as npt

from ._config import Indices, Opponents
from ._games import Games
from ._server import alone

#: Values in the array `seats`. _AS_MADE: the player of the power that the batch was made with. _CLIENT: you. Others are
#: numbers of agents.
_AS_MADE, _CLIENT = 0, 255


class Seats(Games):
    #: Opponents that the batch was made with: names of agents, keyed by power.
    _made_with: Dict[str, str]

    def _seat(self, games: npt.NDArray[Any], opponents: Opponents) -> None:
        each = [opponents] * len(games) if isinstance(opponents, Mapping) else list(opponents)
        if len(each) != len(games):
            raise ValueError(f"opponents: got {len(each)} mappings, wanted 1 or {len(games)}, one for each game")
        seats = np.full((len(games), len(self.powers)), _CLIENT, np.uint8)
        for row, mapping in zip(seats, each):
            for power, agent in mapping.items():
                row[self._power(power)] = self._number_of(agent)
        self._rows["seats"][games] = seats

    @alone
    def set_opponents(self, opponents: Opponents, games: Optional[Indices] = None) -> None:
        """Replaces the opponents of games from now on. Does not change the positions.

        opponents: agents by power, or one such mapping for each of the games; {}: you order all powers. games: games to
            change; None: all.

        Raises ValueError for an unknown power, LepantoError for an unknown agent; no opponent changes then.
        """
        self._changes("set_opponents")
        self._ready()
        self._seat(np.arange(self.num_games) if games is None else self._index(games), opponents)
        self._describe()

    def opponents_of(self, game: int) -> Dict[str, str]:
        """Returns the opponents in a game: names of agents, keyed by power. Powers that you order are missing.

        Raises IndexError for an unknown game.
        """
        by_number = {number: agent for agent, number in self._agents.items()}
        found: Dict[str, str] = {}
        for power, seat in zip(self.powers, self._rows["seats"][self._game(game)].tolist()):
            if seat == _AS_MADE and power in self._made_with:
                found[power] = self._made_with[power]
            elif seat in by_number:
                found[power] = by_number[seat]
        return found

    @property
    def opponents(self) -> List[str]:
        """Names of the powers that an opponent plays in every game."""
        seats = self._rows["seats"]
        made = np.array([power in self._made_with for power in self.powers])
        played: npt.NDArray[np.bool_] = np.all(np.where(seats == _AS_MADE, made, seats != _CLIENT), axis=0)
        return [power for power, agent in zip(self.powers, played) if agent]
