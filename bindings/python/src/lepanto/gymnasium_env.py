"""One power against given opponents as a Gymnasium VectorEnv, or as one Env. Needs `pip install lepanto[gymnasium]`.

Importing this module registers both as "lepanto/Diplomacy-v0", for gymnasium.make_vec() and gymnasium.make(). An id of
"lepanto.gymnasium_env:lepanto/Diplomacy-v0" imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, SupportsFloat, Tuple, Union, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._checks import SEEDS, mask_array, shaped, whole_from
from ._environment import EnvOptions as EnvOptions
from ._environment import Table
from ._pictures import render_modes
from ._slots import Array, Observations, check_power
from .arrays import Int32s, Int64s
from .batch import ResetMode, episode_seeds

if TYPE_CHECKING:
    from typing_extensions import Unpack

Seeds = Union[None, int, Sequence[Optional[int]], Array]


#: Id of the environments, for gymnasium.make() and gymnasium.make_vec().
ENV_ID = "lepanto/Diplomacy-v0"
gymnasium.register(
    ENV_ID,
    entry_point="lepanto.gymnasium_env:DiplomacyEnv",
    vector_entry_point="lepanto.gymnasium_env:DiplomacyVectorEnv",
)

_MODES: Dict[AutoresetMode, ResetMode] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class DiplomacyVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` games in which the learner plays one power and agents of the engine play the others.

    Actions are int[N, U]: for each slot (U = 17) an index into the list of legal orders of its unit.

    Observations are a dict (C = max_choices, L = 81 locations): `observation` u1[N, L, 35], `previous_orders`
    u1[N, L, 40], `action_mask` i1[N, U, C] (an unused slot has the one padding action 0), `legal_ids` i4[N, U, C]
    (vocabulary ids of the actions, padded with -1), `locations` i2[N, U] (locations of the slots' units, -2 for an
    adjustment, -1 for an unused slot), `power`, `season`, `phase`, `year` [N, 1], `center_counts` u1[N, 7]. With
    flat=True they are one f4[N, n] from 0 to 1 without masks and ids; `flat_parts` has the slice of each part, and
    infos["action_mask"] the mask. All slots are unused in a phase in which the learner has no orders to give.

    The reward is the learner's score at the end of a game (`score`, one of lepanto.SCORES), else 0. Each step also adds
    `shaping` times the number of centres that it won, less those that it lost.

    An episode is `terminated` when the game is over: a power has won alone, the year `until` is over, or the rules end
    it as a draw. Its score is final: add no value of the last observation. It is `truncated` when `max_steps` movement
    phases have been played and the game is not over: there is no score, and the value of the last observation stands in
    for it (bootstrapping).

    A reset() without a seed uses the next seeds after those of the last reset. In a list of seeds, None draws one from
    the run's seed.

    power: one for all games, or one for each: ["FRANCE", "TURKEY", ...]; "rotate": power g % 7 in game g. The attribute
        `powers` has the index of the power in each game.
    opponents: one agent for all other powers ("random"), or agents keyed by power.
    options: keyword options of EnvOptions. -1 is no order, whatever `illegal` is, as in Batch.step(); other negative
        actions are rejected. A build in a centre, or a removal of a unit, that an earlier slot has taken is replaced by
        the next legal one; `replaced` counts these. With SAME_STEP the end of an episode is in infos["final_obs"] and
        infos["final_info"], as Gymnasium specifies.
    """

    def __init__(
        self,
        num_envs: int,
        power: Union[str, Sequence[str]] = "FRANCE",
        opponents: Union[str, Mapping[str, str]] = "random",
        *,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        **options: Unpack[EnvOptions],
    ) -> None:
        self._mode = AutoresetMode(autoreset_mode)
        self._table = table = Table("DiplomacyVectorEnv", num_envs, options, _MODES[self._mode])
        self._batch, self._slots = table.batch, table.slots
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self.powers: npt.NDArray[np.int64] = _places(power, self._batch.powers, num_envs)
        self._seat(opponents)
        self.flat_parts = self._slots.parts
        self._counts: Optional[Int32s] = None
        self.num_envs = num_envs
        self.single_action_space = spaces.MultiDiscrete([self._slots.max_choices] * self._batch.max_orders)
        self.single_observation_space = self._slots.space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def _seat(self, opponents: Union[str, Mapping[str, str]]) -> None:
        names = self._batch.powers
        given = dict.fromkeys(names, opponents) if isinstance(opponents, str) else dict(opponents)
        own = [names[q] for q in self.powers]
        self._batch.set_opponents([{name: agent for name, agent in given.items() if name != mine} for mine in own])

    def _observe(self) -> Observations:
        observations, self._counts = self._slots.observe(self.powers)
        return observations

    @property
    def replaced(self) -> Int64s:
        """Number of replaced builds and removals of the learner since the environment was made, int64[N].

        An order is replaced if an earlier slot has taken its centre or unit. infos["replaced"] counts those of the last
        step.
        """
        replaced: Int64s = self._batch.replaced[np.arange(self.num_envs), self.powers]
        return replaced

    def _infos(self, **told: Array) -> Dict[str, Any]:
        infos: Dict[str, Any] = {"episode_seed": self._batch.episode_seed.copy(), **told}
        if self._slots.flat and self._counts is not None:
            infos["action_mask"] = self._slots.mask(self._counts)
        # Gymnasium requires a mask `_name` for each entry, which marks the games that have it.
        return {**infos, **{f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}}

    def _seeds(self, seed: Seeds) -> Union[int, Array]:
        if seed is not None and np.ndim(cast(Any, seed)) == 0:
            first: int = whole_from("seed", seed, *SEEDS)
            self._table.seed = first + 1
            return first
        # Each reset() without a seed takes the seed after the last one.
        drawn, self._table.seed = self._table.seed & SEEDS[1], self._table.seed + 1
        if seed is None:
            return drawn
        each = list(cast(Sequence[Optional[int]], seed))
        if len(each) != self.num_envs:
            raise ValueError(f"seed: got {len(each)}, wanted {self.num_envs}, one for each game")
        own = episode_seeds(drawn, self.num_envs).tolist()
        return np.array([own[i] if one is None else whole_from("seed", one, *SEEDS) for i, one in enumerate(each)])

    def reset(
        self, *, seed: Seeds = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Observations, Dict[str, Any]]:
        mask = None
        if options and "reset_mask" in options:
            mask = mask_array("reset_mask", options["reset_mask"], (self.num_envs,))
        self._batch.reset(self._seeds(seed), mask)
        return self._observe(), self._infos()

    def step(self, actions: Any) -> Tuple[Observations, Any, Any, Any, Dict[str, Any]]:
        batch = self._batch
        if self._counts is None:
            raise ResetNeeded("step: got a call before the first reset(), wanted reset()")
        joint, rows = self._table.no_actions(), np.arange(self.num_envs)
        joint[rows, self.powers] = self._table.fold("actions", actions, self._counts)
        rewards, replaced = (array[rows, self.powers] for array in self._table.step(joint))
        terminated, truncated = batch.terminated.copy(), batch.truncated.copy()
        observations = self._observe()
        infos = self._infos(replaced=replaced)
        ended = terminated | truncated
        if self._mode == AutoresetMode.SAME_STEP and ended.any():
            infos["final_obs"] = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(ended):
                infos["final_obs"][i] = self._slots.final(int(i), int(self.powers[i]))
            infos["_final_obs"] = ended
            infos["final_info"] = {"scores": batch.final_scores[rows, :, self.powers].copy(), "_scores": ended}
            infos["_final_info"] = ended
        return observations, rewards, terminated, truncated, infos

    def action_masks(self, actions: Any = None) -> npt.NDArray[np.bool_]:
        """Returns the masks of legal actions, bool[N, U * C], with the slots of a game concatenated, for sb3_contrib.
        Raises ResetNeeded before the first reset().

        actions: choices so far, int[N, U], -1 for an undecided slot. The masks then leave out builds and removals that
            earlier slots have taken. None: each slot has all its actions, and step() replaces those already taken.
        """
        if self._counts is None:
            raise ResetNeeded("action_masks: got a call before the first reset(), wanted reset()")
        if actions is None:
            masks = self._slots.mask(self._counts).view(np.bool_)
        else:
            masks = self._slots.left(self.powers, shaped("actions", actions, self._counts.shape))
        flat: npt.NDArray[np.bool_] = masks.reshape(self.num_envs, -1)
        return flat

    def close_extras(self, **_: Any) -> None:
        # Gymnasium 1.1 also closes environments whose constructor failed.
        if hasattr(self, "_table"):
            self._batch.close()


def _places(power: Union[str, Sequence[str]], names: List[str], count: int) -> npt.NDArray[np.int64]:
    """Returns the index of the learner's power in each game, int64[count].

    power: as for DiplomacyVectorEnv. names: of the powers. count: number of games. Raises ValueError for an unknown
        power or another number of powers than games.
    """
    if power == "rotate":
        return np.arange(count) % len(names)
    each = [power] * count if isinstance(power, str) else list(power)
    if len(each) != count:
        raise ValueError(f"power: got {len(each)}, wanted 1 or {count}, one for each game")
    return np.array([check_power(one, names) for one in each], np.int64)


class DiplomacyEnv(gymnasium.Env[Any, Any]):
    """One game in which the learner plays one power: DiplomacyVectorEnv(1) without the axis of games.

    Options are those of DiplomacyVectorEnv except `num_envs` and `autoreset_mode`; reset() begins the next episode.
    workers: 1 by default, which is enough for one game.
    infos["action_mask"] is a tuple of U arrays i1[C], for `action_space.sample(mask)`. action_masks() is for
    sb3_contrib's MaskablePPO. render_mode: "ansi" for text, "rgb_array" for the board as u1[height, width, 3].
    """

    #: Contains "rgb_array" only if the packages for it are installed: pip install "lepanto[png]".
    metadata = {"render_modes": render_modes(), "render_fps": 2}

    def __init__(self, render_mode: Optional[str] = None, **options: Any) -> None:
        options = {"workers": 1, **options}
        self._games = DiplomacyVectorEnv(1, autoreset_mode=AutoresetMode.DISABLED, **options)
        self.render_mode = render_mode
        self.flat_parts = self._games.flat_parts
        self.action_space = self._games.single_action_space
        self.observation_space = self._games.single_observation_space

    @staticmethod
    def _only(given: Any) -> Any:
        return {name: array[0] for name, array in given.items()} if isinstance(given, dict) else given[0]

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Any, Dict[str, Any]]:
        super().reset(seed=seed)
        observation, infos = self._games.reset(seed=seed)
        return self._only(observation), self._told(infos)

    def _told(self, infos: Dict[str, Any]) -> Dict[str, Any]:
        masks = self._games.action_masks()[0].reshape(self._games._batch.max_orders, -1)
        own = {name: told for name, told in self._only(infos).items() if not name.startswith("_")}
        return {**own, "action_mask": tuple(masks.view(np.int8))}

    @property
    def replaced(self) -> int:
        """Number of builds and removals replaced since the environment was made, because an earlier slot had taken
        their centre or unit."""
        return int(self._games.replaced[0])

    def action_masks(self, actions: Any = None) -> npt.NDArray[np.bool_]:
        """Returns the mask of legal actions, bool[U * C], with the slots concatenated. actions: int[U], as for
        DiplomacyVectorEnv."""
        given = None if actions is None else np.asarray(actions)[None]
        mask: npt.NDArray[np.bool_] = self._games.action_masks(given)[0]
        return mask

    def step(self, action: Any) -> Tuple[Any, SupportsFloat, bool, bool, Dict[str, Any]]:
        observation, rewards, terminated, truncated, infos = self._games.step(np.asarray(action)[None])
        return self._only(observation), float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._told(infos)

    def render(self) -> Any:
        return self._games._table.render(self.render_mode)

    def close(self) -> None:
        self._games.close()
