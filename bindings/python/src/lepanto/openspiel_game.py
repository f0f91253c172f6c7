"""Diplomacy as a game of OpenSpiel, for its search and its algorithms. Needs `pip install lepanto[openspiel]`.

import lepanto.openspiel_game                                  # registers it
game = pyspiel.load_game("lepanto(until=1903)")

Moves are simultaneous, and OpenSpiel's bots want turns: here the powers order one after the other, alphabetically, each unit
by unit, and the phase is played when the last one has ordered. What has been ordered in the phase is in the state and not in
the observations. Actions are vocabulary ids.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
import numpy.typing as npt
import pyspiel  # type: ignore[import-not-found, import-untyped, unused-ignore]

from .arrays import ADJUSTMENT, NO_ORDER, PLAYING, SCORES, score_index
from .state import Engine, engine_like, scores_of

_DEFAULTS = {"map": "standard", "rules": "datc-3.2", "until": 1910, "score": "sum_of_squares"}
#: Orders of one game at most: units, phases of a year, years.
_YEARS, _PHASES = 200, 5

_TYPE = pyspiel.GameType(
    short_name="lepanto",
    long_name="Diplomacy (Lepanto)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=64,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_DEFAULTS,
)


class DiplomacyGame(pyspiel.Game):  # type: ignore[misc]
    """The game. Parameters: map, rules, until (last year; 0: only a solo ends it), score (one of lepanto.SCORES)."""

    def __init__(self, params: Optional[Mapping[str, Any]] = None) -> None:
        given = {**_DEFAULTS, **(params or {})}
        self.score = score_index(given["score"])
        self.engine: Engine = engine_like("dipnet", given["map"], given["until"], 0, given["rules"])
        batch = self.engine.batch
        start: int = batch._info["map"]["start_year"]
        years = given["until"] - start + 1 if given["until"] else _YEARS
        most = {"c_diplo_100": 100.0, "c_diplo_73": 73.0}.get(SCORES[self.score], 1.0)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(batch.vocabulary),
            max_chance_outcomes=0,
            num_players=len(batch.powers),
            min_utility=0.0,
            max_utility=most,
            max_game_length=years * _PHASES * len(batch.centers),
        )
        super().__init__(_TYPE, info, dict(given))

    def new_initial_state(self, state: Any = None) -> "DiplomacyGameState":
        return DiplomacyGameState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Optional[Mapping[str, Any]] = None) -> "Observer":
        return Observer(self)


class DiplomacyGameState(pyspiel.State):  # type: ignore[misc]
    """A position, and what has been ordered in its phase."""

    def __init__(self, game: DiplomacyGame) -> None:
        super().__init__(game)
        self._engine = game.engine
        self._score = game.score
        self._bytes = game.engine.start
        self._ordered: Tuple[int, ...] = ()
        self._read()

    def _read(self) -> None:
        """Takes from the engine what is due now: player, slot and legal ids of each order, one after the other."""
        with self._engine.batch._lock:
            batch = self._engine.enter(self)
            self._is_over = bool(batch.status[0] != PLAYING)
            self._adjusts = bool(batch.phase[0] == ADJUSTMENT)
            legal = batch.legal()
            self._due = [
                (int(q), int(s), tuple(legal.ids[a:b].tolist()))
                for q, s, a, b in zip(legal.power, legal.slot, legal.starts, legal.starts[1:])
            ]
            self._returns = scores_of(batch, 0, self._score) if self._is_over else [0.0] * len(batch.powers)
            self._board = batch.observation[0].copy()
            self._locations = [int(at) for at in batch.orderable[0, legal.power, legal.slot]]
            self._title = str(batch.position(0)["phase"])

    # ---- what OpenSpiel calls ----

    def current_player(self) -> int:
        if self._is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self._due[len(self._ordered)][0]

    def _legal_actions(self, player: int) -> List[int]:
        if self._is_over or player != self.current_player():
            return []
        ids = self._due[len(self._ordered)][2]
        if not self._adjusts:
            return sorted(ids)
        province = self._engine.batch.vocabulary.province
        taken = {province[i] for (q, _, _), i in zip(self._due, self._ordered) if q == player and province[i] >= 0}
        return sorted(i for i in ids if province[i] not in taken)

    def _apply_action(self, action: int) -> None:
        self._ordered += (int(action),)
        if len(self._ordered) == len(self._due):
            self._play()

    def _play(self) -> None:
        batch = self._engine.batch
        joint = np.full((len(batch.powers), batch.max_orders), NO_ORDER, np.int64)
        for (q, s, ids), action in zip(self._due, self._ordered):
            joint[q, s] = ids.index(action)
        with batch._lock:
            self._bytes = self._engine.play(self, joint)
        self._ordered = ()
        self._read()

    def _action_to_string(self, player: int, action: int) -> str:
        return self._engine.batch.vocabulary.text[action]

    def is_terminal(self) -> bool:
        return self._is_over

    def returns(self) -> List[float]:
        """Scores by player; 0 until the game is over."""
        return list(self._returns)

    def __str__(self) -> str:
        text = self._engine.batch.vocabulary.text
        return f"{self._title}: {', '.join(text[i] for i in self._ordered)}"


class Observer:
    """DipNet's board, and the unit that is to be ordered next: the same for all players."""

    def __init__(self, game: DiplomacyGame) -> None:
        board = game.engine.batch.observation.shape[1:]
        size = int(np.prod(board))
        self.tensor: npt.NDArray[np.float32] = np.zeros(size + board[0], np.float32)
        self.dict: Dict[str, npt.NDArray[np.float32]] = {
            "observation": self.tensor[:size].reshape(board),
            "location": self.tensor[size:],
        }

    def set_from(self, state: DiplomacyGameState, player: int) -> None:
        self.tensor.fill(0)
        self.dict["observation"][:] = state._board
        if not state.is_terminal():
            at = state._locations[len(state._ordered)]
            if at >= 0:
                self.dict["location"][at] = 1

    def string_from(self, state: DiplomacyGameState, player: int) -> str:
        return state._title


pyspiel.register_game(_TYPE, DiplomacyGame)
