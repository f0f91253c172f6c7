"""One power against given opponents as a Gymnasium VectorEnv. Needs `pip install lepanto[gymnasium]`."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple, Union

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._slots import MAX_CHOICES, check_illegal, choices, fold, masks, play
from .batch import Batch

_MODES = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class DiplomacyVectorEnv(VectorEnv):
    """`num_envs` games in which we play one power, and agents of the engine the others.

    An action is int[num_envs, 17]: for each slot the place in the legal list of the unit. Observations are a dict:
    `observation` u1[N, 81, 35], `previous_orders` u1[N, 81, 40], `legal_mask` i1[N, 17 * max_choices], never empty.
    A phase in which our power has nothing to order has padding only. Reward: our score at the end, else 0.

    opponents: one agent for all other powers ("random"), or one for each by name. illegal: "modulo" or "raise".
    With SAME_STEP the end of an episode is in infos["final_obs"] and infos["final_info"], as Gymnasium has it.
    """

    def __init__(
        self,
        num_envs: int,
        power: str = "FRANCE",
        opponents: Union[str, Mapping[str, str]] = "random",
        map: str = "standard",
        until: int = 1910,
        score: str = "sum_of_squares",
        workers: Optional[int] = None,
        seed: int = 0,
        max_choices: int = MAX_CHOICES,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        illegal: str = "modulo",
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        if isinstance(opponents, str):
            with Batch(1, map=map, workers=1, observations=None, max_children=0) as probe:
                opponents = {name: opponents for name in probe.powers if name != power}
        self._batch = Batch(
            num_envs, map=map, workers=workers, seed=seed, until=until, reset_mode=_MODES[mode], opponents=opponents, max_children=0
        )
        if power not in self._batch.powers:
            raise ValueError(f"power: got {power!r}, wanted one of {', '.join(self._batch.powers)}")
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.power = power
        self._q = self._batch.powers.index(power)
        self._score = self._batch.score_index(score)
        self._max_choices = max_choices
        self._illegal = check_illegal(illegal)
        self._mode = mode
        self._seed = seed
        self._episode_steps = np.zeros(num_envs, np.int64)
        self.num_envs = num_envs
        slots = self._batch.max_orders
        self.single_action_space = spaces.MultiDiscrete([max_choices] * slots)
        self.single_observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, self._batch.observation.shape[1:], np.uint8),
                "previous_orders": spaces.Box(0, 1, self._batch.previous_orders.shape[1:], np.uint8),
                "legal_mask": spaces.Box(0, 1, (slots * max_choices,), np.int8),
            }
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def _observe(self) -> Dict[str, np.ndarray]:
        self._counts = choices(self._batch, self._max_choices, slice(self._q, self._q + 1))[:, 0]
        return {
            "observation": self._batch.observation.copy(),
            "previous_orders": self._batch.previous_orders.copy(),
            "legal_mask": masks(self._counts, self._max_choices).reshape(self.num_envs, -1),
        }

    def reset(
        self, *, seed: Union[None, int, list] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Dict[str, np.ndarray], Dict[str, Any]]:
        mask = None
        if options and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"], bool)
        if seed is None:
            # Another start each time, and all of them from the first seed.
            seed, self._seed = self._seed, self._seed + 1
        elif isinstance(seed, int):
            self._seed = seed + 1
        self._batch.reset(np.asarray(seed) if not isinstance(seed, int) else seed, mask)
        return self._observe(), {"episode_seed": self._batch.episode_seed.copy()}

    def step(self, actions: np.ndarray) -> Tuple[Dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        batch = self._batch
        joint = np.full((self.num_envs, len(batch.powers), batch.max_orders), -1, np.int64)
        joint[:, self._q] = fold(actions, self._counts, self._illegal)
        play(batch, joint, self._illegal)
        terminated = batch.terminated.copy()
        truncated = batch.truncated.copy()
        rewards = batch.rewards[:, self._score, self._q].astype(np.float64)
        observations = self._observe()
        infos: Dict[str, Any] = {"episode_seed": batch.episode_seed.copy()}
        ended = terminated | truncated
        if self._mode == AutoresetMode.SAME_STEP and ended.any():
            infos["final_obs"] = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(ended):
                infos["final_obs"][i] = {
                    "observation": batch.final_observation[i].copy(),
                    "previous_orders": np.zeros_like(batch.previous_orders[i]),
                    "legal_mask": masks(np.zeros(batch.max_orders, np.int64), self._max_choices).reshape(-1),
                }
            infos["_final_obs"] = ended
            infos["final_info"] = {"scores": batch.final_scores[:, :, self._q].copy()}
            infos["_final_info"] = ended
        return observations, rewards, terminated, truncated, infos

    def close_extras(self, **_: Any) -> None:
        self._batch.close()
