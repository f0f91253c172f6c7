"""Diplomacy as a game of OpenSpiel, for its search and its algorithms. Needs `pip install lepanto[openspiel]`.

import lepanto.openspiel_game                                  # registers it
game = pyspiel.load_game("lepanto(until=1903)")

Moves are simultaneous, but OpenSpiel's bots need turns. So the powers order in alphabetical order, each unit by unit,
and the phase is played after the last order. A player does not see the orders that others have given in the current
phase: they are in the state, but not in the player's observation or information state. Actions are vocabulary ids.

Strings of states and observations contain the whole position, so they can be keys of tables. An observation string has
the position and the player's own orders of the phase. An information state string also has the orders of all earlier
phases. resample_from_infostate() draws the hidden orders uniformly, for open_spiel.python.algorithms.ismcts.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np
import numpy.typing as npt
import pyspiel

from .arrays import ADJUSTMENT, NO_ORDER, PLAYING, SCORES, score_index
from .state import Engine, engine_like, scores_of

_DEFAULTS = {"map": "standard", "rules": "datc-3.2", "until": 1910, "score": "sum_of_squares"}
#: _YEARS: upper bound for the years of a game without a last year. _PHASES: number of phases of a year.
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
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_DEFAULTS,
)


class DiplomacyGame(pyspiel.Game):  # type: ignore[misc]
    """Diplomacy as a pyspiel.Game. Parameters: map, rules, until (last year; 0: no last year), score (one of
    lepanto.SCORES)."""

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
        is_perfect = bool(getattr(iig_obs_type, "perfect_recall", False))
        return Observer(self, is_perfect)


class DiplomacyGameState(pyspiel.State):  # type: ignore[misc]
    """A position as pyspiel.State, with the orders given so far in its phase. Players order one unit after the
    other."""

    def __init__(self, game: DiplomacyGame) -> None:
        super().__init__(game)
        self._engine = game.engine
        self._score = game.score
        self._bytes = game.engine.start
        self._ordered: Tuple[int, ...] = ()
        #: Texts of the past phases, each its name and orders.
        self._past: Tuple[str, ...] = ()
        self._read()

    def _read(self) -> None:
        """Reads the position from the engine into this object: the due orders (player, slot and legal ids of each, in
        order of play), scores, board and texts."""
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
            position = batch.position(0)
            self._title = str(position["phase"])
            parts = (position[name] for name in ("units", "retreats", "centers") if name in position)
            #: Text of the whole position, without empty parts.
            self._position = "; ".join([self._title, *(_told(part) for part in parts)])

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
        self._past += (f"{self._title}: {self._orders_of(None)}",)
        with batch._lock:
            self._bytes = self._engine.play(self, joint)
        self._ordered = ()
        self._read()

    def _action_to_string(self, player: int, action: int) -> str:
        return self._engine.batch.vocabulary.text[action]

    def is_terminal(self) -> bool:
        return self._is_over

    def returns(self) -> List[float]:
        """Returns the scores, indexed by player. All are 0 until the game is over."""
        return list(self._returns)

    def _orders_of(self, player: Optional[int]) -> str:
        """Returns the orders that a player has given in the current phase, as text. player: None for all players."""
        text = self._engine.batch.vocabulary.text
        return ", ".join(text[i] for (q, _, _), i in zip(self._due, self._ordered) if player is None or q == player)

    def __str__(self) -> str:
        return f"{self._position}: {self._orders_of(None)}"

    def resample_from_infostate(self, player: int, probability_sampler: Callable[[], float]) -> "DiplomacyGameState":
        """Returns a random state of the player's information state: orders of other players in the current phase are
        replaced by legal ones, each equally likely. probability_sampler: returns a random number from 0 to 1."""
        other: DiplomacyGameState = self.clone()
        own, other._ordered = self._ordered, ()
        for (q, _, _), action in zip(self._due, own):
            if q != player:
                legal = other._legal_actions(q)
                action = legal[min(len(legal) - 1, int(probability_sampler() * len(legal)))]
            other._ordered += (action,)
        return other


def _told(by_power: Mapping[str, Any]) -> str:
    return " ".join(f"{power[:3]} {','.join(names)}" for power, names in by_power.items() if names)


class Observer:
    """Observer of DipNet's board and the location of the next unit to order. Tensors are the same for all players,
    strings contain the player's own orders. is_perfect: whether strings contain all earlier phases."""

    def __init__(self, game: DiplomacyGame, is_perfect: bool = False) -> None:
        self._is_perfect = is_perfect
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
        past = f"{' | '.join(state._past)} | " if self._is_perfect else ""
        return f"{past}{state._position}: {state._orders_of(player)}"


pyspiel.register_game(_TYPE, DiplomacyGame)
