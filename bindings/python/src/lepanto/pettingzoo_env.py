"""Diplomacy as a PettingZoo ParallelEnv, whose agents move simultaneously. Needs `pip install lepanto[pettingzoo]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from ._checks import INT32, SEEDS, shaped, whole_from
from ._environment import EnvOptions as EnvOptions
from ._environment import Table
from ._pictures import render_modes
from ._slots import Array

if TYPE_CHECKING:
    from typing_extensions import Unpack


class DiplomacyEnv(ParallelEnv):  # type: ignore[misc]
    """One game in which each agent plays a power.

    An action is int[17]: for each slot of the power an index into the list of legal orders of its unit.

    The observation of an agent is a dict of arrays (U = 17 slots, C = max_choices, L = 81 locations): `observation`
    u1[L, 35] (DipNet's board, the same for all agents), `previous_orders` u1[L, 40], `action_mask` (a tuple of U arrays
    i1[C], for `action_space.sample(mask)`; an unused slot has the one padding action 0), `legal_ids` i4[U, C]
    (vocabulary ids of the actions, padded with -1), `locations` i2[U] (locations of the slots' units, -2 for an
    adjustment, -1 for an unused slot), `power`, `season`, `phase`, `year` [1], `center_counts` u1[7]. With flat=True it
    is one f4[n] from 0 to 1 without masks and ids; `flat_parts` has the slice of each part. infos[agent]["action_mask"]
    has the mask as well. An eliminated power stays an agent, with all slots unused.

    The reward is the power's score at the end of the game (`score`, one of lepanto.SCORES), else 0. Each step also adds
    `shaping` times the number of centres that the power won, less those that it lost. All agents are terminated when
    the game is over by a solo, after the year `until` or by the rules. They are truncated, without a score, when
    `max_steps` movement phases have been played and the game is not over, or after `max_cycles` steps (phases) of the
    environment; 0: never.

    A reset() without a seed uses the seed after that of the last reset.

    render_mode: "ansi" for text, "rgb_array" for the board as pixels. opponents: as in lepanto.Batch; powers that they
    play are not agents. options: keyword options of EnvOptions; `workers` is 1 by default. -1 is no order, whatever
    `illegal` is, as in Batch.step(); other negative actions are rejected. A build in a centre, or a removal of a unit,
    that an earlier slot has taken is replaced by the next legal one; `replaced` counts these.
    """

    metadata = {"name": "lepanto_v0", "render_modes": render_modes(), "render_fps": 2, "is_parallelizable": True}

    def __init__(
        self,
        *,
        render_mode: Optional[str] = None,
        opponents: Optional[Mapping[str, str]] = None,
        max_cycles: int = 0,
        **options: Unpack[EnvOptions],
    ) -> None:
        self._max_cycles = whole_from("max_cycles", max_cycles, 0, INT32.max)
        self._cycles = 0
        self._table = Table("DiplomacyEnv", 1, {"workers": 1, **options}, "disabled", opponents)
        self._batch, self._slots = self._table.batch, self._table.slots
        self.flat_parts = self._slots.parts
        self.render_mode = render_mode
        self.possible_agents: List[str] = [power for power in self._batch.powers if power not in self._batch.opponents]
        self.agents: List[str] = []
        self._powers = {agent: np.array([self._batch.powers.index(agent)]) for agent in self.possible_agents}
        self._counts: Dict[str, Array] = {}
        self._infos: Dict[str, Dict[str, Any]] = {}
        slots, max_choices = self._batch.max_orders, self._slots.max_choices
        self._space = self._slots.space
        if isinstance(self._space, spaces.Dict):
            masks = spaces.Tuple([spaces.Box(0, 1, (max_choices,), np.int8)] * slots)
            self._space = spaces.Dict({**self._space.spaces, "action_mask": masks})
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._space)
        self.action_spaces = {agent: spaces.MultiDiscrete([max_choices] * slots) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def _observations(self) -> Dict[str, Any]:
        self._infos = {}
        seen: Dict[str, Any] = {}
        for agent in self.agents:
            power = self._powers[agent]
            now, counts = self._slots.observe(power)
            self._counts[agent] = counts[0]
            mask = tuple(self._slots.mask(self._counts[agent]))
            self._infos[agent] = {"action_mask": mask}
            if isinstance(now, dict):
                seen[agent] = {name: array[0] for name, array in now.items()}
                seen[agent]["action_mask"] = mask
            else:
                seen[agent] = now[0]
        return seen

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Any]:
        self.agents = list(self.possible_agents)
        first = self._table.seed if seed is None else whole_from("seed", seed, *SEEDS)
        self._table.seed = first + 1
        self._cycles = 0
        self._batch.reset(first & SEEDS[1])
        return self._observations(), self._infos

    def _check_actions(self, actions: Any) -> None:
        """Raises TypeError unless actions are a dict, ValueError unless its keys are the agents of the game in progress
        (`agents`)."""
        wanted = f"wanted a dict with an action of each of {', '.join(self.agents)}"
        if not isinstance(actions, Mapping):
            raise TypeError(f"actions: got {type(actions).__name__}, {wanted}")
        unknown = [agent for agent in actions if agent not in self.agents]
        missing = [agent for agent in self.agents if agent not in actions]
        if unknown or missing:
            got = ", ".join([*(repr(agent) for agent in unknown), *(f"no {agent}" for agent in missing)])
            raise ValueError(f"actions: got {got}, {wanted}")

    @property
    def replaced(self) -> Dict[str, int]:
        """Number of replaced builds and removals since the environment was made, keyed by agent.

        An order is replaced if an earlier slot has taken its centre or unit. infos[agent]["replaced"] counts those of
        the last step.
        """
        counts = self._batch.replaced[0]
        return {agent: int(counts[self._powers[agent][0]]) for agent in self.possible_agents}

    def action_mask(self, agent: str, actions: Any = None) -> npt.NDArray[np.bool_]:
        """Returns the mask of legal actions of an agent's slots, bool[U, C].

        actions: choices so far, int[U], -1 for an undecided slot. The mask then leaves out builds and removals that
            earlier slots have taken. None: each slot has all its actions, and step() replaces those already taken.
        """
        power, slots = self._powers[agent], self._batch.max_orders
        chosen = np.full((1, slots), -1) if actions is None else shaped("actions", actions, (slots,))[None]
        mask: npt.NDArray[np.bool_] = self._slots.left(power, chosen)[0]
        return mask

    def step(self, actions: Dict[str, Any]) -> Tuple[Any, Any, Any, Any, Any]:
        """Plays a phase. Returns observations, rewards, terminations, truncations and infos, each keyed by agent.

        actions: for each agent in `agents` an int[U], or one number for all its slots.

        Raises ResetNeeded for a game that is over or has not begun, TypeError unless actions are a dict, ValueError
        unless its keys are the agents in `agents`.
        """
        batch = self._batch
        if not self.agents:
            raise ResetNeeded("step: got a game that is over or has not begun, wanted reset()")
        self._check_actions(actions)
        joint = self._table.no_actions()
        for agent in self.agents:
            counts, action = self._counts[agent], actions[agent]
            given = action if np.ndim(action) else np.full(counts.shape, action)
            joint[0, self._powers[agent][0]] = self._table.fold(f"action of {agent}", given, counts)
        earned, replaced = (array[0].tolist() for array in self._table.step(joint))
        self._cycles += 1
        rewards = {agent: earned[self._powers[agent][0]] for agent in self.agents}
        ended = bool(batch.terminated[0])
        late = bool(batch.truncated[0]) or (not ended and 0 < self._max_cycles <= self._cycles)
        observations = self._observations()
        agents = self.agents
        for agent in agents:
            self._infos[agent]["replaced"] = replaced[self._powers[agent][0]]
        if ended or late:
            self.agents = []
        return observations, rewards, dict.fromkeys(agents, ended), dict.fromkeys(agents, late), self._infos

    def render(self) -> Any:
        return self._table.render(self.render_mode)

    def state(self) -> Array:
        """Returns DipNet's board of the position, u1[L, 35], which is the same for all agents."""
        board: Array = self._batch.observation[0].copy()
        return board

    def close(self) -> None:
        self._batch.close()


def parallel_env(**options: Any) -> DiplomacyEnv:
    """Makes the environment, under PettingZoo's usual name. options: parameters of DiplomacyEnv."""
    return DiplomacyEnv(**options)


def env(**options: Any) -> Any:
    """Makes the environment as an AEC environment, in which agents move in turn, by PettingZoo's converter. options:
    parameters of DiplomacyEnv."""
    from pettingzoo.utils import parallel_to_aec

    return parallel_to_aec(DiplomacyEnv(**options))
