"""Diplomacy as a PettingZoo ParallelEnv: seven agents that move at once. Needs `pip install lepanto[pettingzoo]`."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from ._slots import MAX_CHOICES, check_illegal, choices, fold, masks, play
from ._checks import whole_array
from .batch import Batch


class DiplomacyEnv(ParallelEnv):
    """One game. An action is int[17], one entry for each slot of the power: the place in the legal list of the unit.

    Observation, a dict of arrays: `observation` u1[81, 35] (DipNet's board, the same for all), `previous_orders`
    u1[81, 40], `power` (which one the agent is), `legal_mask` i1[17 * max_choices], never empty: a slot that is not in
    use has the one padding action 0. infos[agent]["action_mask"] is the same as a tuple, as `action_space.sample(mask)`
    wants it. A power that is out stays an agent and pads.

    reward: the power's score at the end by `score`, else 0. illegal: "modulo" takes any value of the space modulo the
    number of legal actions; "raise" refuses it.
    """

    metadata = {"name": "lepanto_v0", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(
        self,
        map: str = "standard",
        until: int = 1910,
        score: str = "sum_of_squares",
        max_choices: int = MAX_CHOICES,
        illegal: str = "modulo",
        render_mode: Optional[str] = None,
    ) -> None:
        self._batch = Batch(1, map=map, workers=1, until=until, reset_mode="disabled", max_children=0)
        self._score = self._batch.score_index(score)
        self._max_choices = max_choices
        self._illegal = check_illegal(illegal)
        self.render_mode = render_mode
        self.possible_agents = list(self._batch.powers)
        self.agents = []
        board = self._batch.observation.shape[1:]
        orders = self._batch.previous_orders.shape[1:]
        slots = self._batch.max_orders
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, board, np.uint8),
                    "previous_orders": spaces.Box(0, 1, orders, np.uint8),
                    "power": spaces.Box(0, len(self.possible_agents) - 1, (1,), np.int8),
                    "legal_mask": spaces.Box(0, 1, (slots * max_choices,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.MultiDiscrete([max_choices] * slots) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def _observations(self) -> Dict[str, Dict[str, np.ndarray]]:
        self._counts = choices(self._batch, self._max_choices, slice(None))[0]
        mask = masks(self._counts, self._max_choices)
        board = self._batch.observation[0]
        orders = self._batch.previous_orders[0]
        self._infos = {
            agent: {"action_mask": tuple(mask[q])} for q, agent in enumerate(self.possible_agents) if agent in self.agents
        }
        return {
            agent: {
                "observation": board.copy(),
                "previous_orders": orders.copy(),
                "power": np.array([self.possible_agents.index(agent)], np.int8),
                "legal_mask": mask[self.possible_agents.index(agent)].reshape(-1),
            }
            for agent in self.agents
        }

    def reset(self, seed: Optional[int] = None, options: Optional[dict] = None) -> Tuple[dict, dict]:
        self.agents = list(self.possible_agents)
        self._batch.reset(0 if seed is None else seed)
        return self._observations(), self._infos

    def step(self, actions: Dict[str, Any]) -> Tuple[dict, dict, dict, dict, dict]:
        batch = self._batch
        joint = np.zeros((len(self.possible_agents), batch.max_orders), np.int64)
        for agent, action in actions.items():
            joint[self.possible_agents.index(agent)] = whole_array(f"action of {agent}", action)
        play(batch, fold(joint, self._counts, self._illegal)[None], self._illegal)
        rewards = {agent: float(batch.rewards[0, self._score, q]) for q, agent in enumerate(self.possible_agents)}
        ended = bool(batch.terminated[0])
        late = bool(batch.truncated[0])
        observations = self._observations()
        agents = self.agents
        if ended or late:
            self.agents = []
        return (
            observations,
            {agent: rewards[agent] for agent in agents},
            {agent: ended for agent in agents},
            {agent: late for agent in agents},
            self._infos,
        )

    def render(self) -> Optional[str]:
        position = self._batch.position(0)
        lines = [position["phase"]] + [f"{power}: {', '.join(units)}" for power, units in position["units"].items()]
        return "\n".join(lines)

    def state(self) -> np.ndarray:
        return self._batch.observation[0].copy()

    def close(self) -> None:
        self._batch.close()


def parallel_env(**options: Any) -> DiplomacyEnv:
    """The environment as PettingZoo names it."""
    return DiplomacyEnv(**options)


def env(**options: Any) -> Any:
    """The same turn by turn, through PettingZoo's own converter."""
    from pettingzoo.utils import parallel_to_aec

    return parallel_to_aec(DiplomacyEnv(**options))
