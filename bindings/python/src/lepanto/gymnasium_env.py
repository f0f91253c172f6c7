"""One power against given opponents as a Gymnasium VectorEnv. Needs `pip install lepanto[gymnasium]`."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._checks import SEEDS, whole, whole_from
from ._slots import MAX_CHOICES, Array, Observations, Slots, check_illegal, check_power, fold, legal_joint
from .arrays import Int32s
from .batch import Batch, episode_seeds

Seeds = Union[None, int, Sequence[Optional[int]], Array]

_MODES = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class DiplomacyVectorEnv(VectorEnv):
    """`num_envs` games in which we play one power, and agents of the engine the others.

    An action is int[N, U]: for each slot (U = 17) the place in the legal list of the unit. Observations are a dict (C =
    max_choices, L = 81 locations): `observation` u1[N, L, 35], `previous_orders` u1[N, L, 40], `action_mask` i1[N, U, C],
    never empty: a slot that is not in use has the one padding action 0; `legal_ids` i4[N, U, C] (vocabulary ids of the
    actions, -1 behind them), `locations` i2[N, U] (of the slots' units, -2 an adjustment, -1 not in use), `power`, `season`,
    `phase`, `year` [N, 1], `center_counts` u1[N, 7]. With flat=True they are one f4[N, n] from 0 to 1 without masks and ids;
    `flat_parts` says where each part is, and infos["action_mask"] has the mask. A phase in which our power has nothing to
    order has padding only. Reward: our score at the end by `score`, one of lepanto.SCORES, else 0.

    An episode is `terminated` when the game is over: somebody has won alone, the year `until` is over, or the rules end it as
    a draw. Its score is final: add no value of the last observation. It is `truncated` when `max_steps` movement phases have
    been played and the game would go on: the reward is 0, and the value of the last observation takes its place
    (bootstrapping). seed: as Gymnasium's; in a list, None draws one from the run's seed.

    opponents: one agent for all other powers ("random"), or one for each by name. illegal: "modulo" takes any value of the
    space modulo the number of legal actions; "raise" refuses it. map, rules, until: as in lepanto.Batch.
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
        *,
        rules: str = "datc-3.2",
        flat: bool = False,
        max_steps: int = 0,
    ) -> None:
        self._illegal = check_illegal(illegal)
        mode = AutoresetMode(autoreset_mode)
        if isinstance(opponents, str):
            with Batch(1, map=map, workers=1, observations=None, max_children=0) as probe:
                opponents = {name: opponents for name in probe.powers if name != power}
        self._batch = Batch(
            num_envs,
            map,
            rules,
            workers,
            seed,
            until=until,
            reset_mode=_MODES[mode],
            opponents=opponents,
            score=score,
            max_children=0,
            max_steps=max_steps,
        )
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.power = power
        self._q = check_power(power, self._batch.powers)
        self._powers = np.full(num_envs, self._q)
        self._slots = Slots(self._batch, max_choices, flat)
        self.flat_parts = self._slots.parts
        self._mode = mode
        self._seed = whole("seed", seed)
        self._counts: Optional[Int32s] = None
        self.num_envs = num_envs
        slots = self._batch.max_orders
        self.single_action_space = spaces.MultiDiscrete([max_choices] * slots)
        self.single_observation_space = self._slots.space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def _observe(self) -> Observations:
        self._counts = self._slots.counts(self._powers)
        return self._slots.observe(self._powers)

    def _infos(self) -> Dict[str, Any]:
        infos: Dict[str, Any] = {"episode_seed": self._batch.episode_seed.copy()}
        if self._slots.flat:
            infos["action_mask"] = self._slots.mask(self._counts)
        return infos

    def _seeds(self, seed: Seeds) -> Union[int, Array]:
        if seed is not None and np.ndim(seed) == 0:
            first = whole_from("seed", seed, *SEEDS)
            self._seed = first + 1
            return first
        # Another start each time, and all of them from the first seed.
        drawn, self._seed = self._seed & SEEDS[1], self._seed + 1
        if seed is None:
            return drawn
        each = list(seed)
        if len(each) != self.num_envs:
            raise ValueError(f"seed: got {len(each)}, wanted {self.num_envs}, one for each game")
        own = episode_seeds(drawn, self.num_envs).tolist()
        return np.array([own[i] if one is None else whole_from("seed", one, *SEEDS) for i, one in enumerate(each)])

    def reset(
        self, *, seed: Seeds = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Observations, Dict[str, Any]]:
        mask = None
        if options and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"], bool)
        self._batch.reset(self._seeds(seed), mask)
        return self._observe(), self._infos()

    def step(self, actions: np.ndarray) -> Tuple[Observations, np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        batch = self._batch
        if self._counts is None:
            raise ResetNeeded("step: got a call before the first reset(), wanted reset()")
        joint = np.full((self.num_envs, len(batch.powers), batch.max_orders), -1, np.int64)
        joint[:, self._q] = fold(actions, self._counts, self._illegal)
        batch.step(legal_joint(batch, joint, self._illegal))
        terminated = batch.terminated.copy()
        truncated = batch.truncated.copy()
        rewards = batch.rewards[:, self._q].astype(np.float64)
        observations = self._observe()
        infos = self._infos()
        ended = terminated | truncated
        if self._mode == AutoresetMode.SAME_STEP and ended.any():
            infos["final_obs"] = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(ended):
                infos["final_obs"][i] = self._slots.final(int(i), self._q)
            infos["_final_obs"] = ended
            infos["final_info"] = {"scores": batch.final_scores[:, :, self._q].copy()}
            infos["_final_info"] = ended
        return observations, rewards, terminated, truncated, infos

    def close_extras(self, **_: Any) -> None:
        self._batch.close()
