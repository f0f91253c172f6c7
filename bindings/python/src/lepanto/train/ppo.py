"""Proximal policy optimisation (Schulman et al. 2017) over many seats of many games at once."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Tuple

import numpy as np
import numpy.typing as npt
import torch

from .. import ragged
from ..batch import Batch
from .config import LearnConfig
from .joint import RULED_OUT, Joint
from .league import League
from .model import GraphNet, phase_number

Array = npt.NDArray[Any]


@dataclass
class Decision:
    """One decision of all learning seats in G games with Q powers. M units have N legal orders in total."""

    boards: Array
    phases: Array
    game: Array
    """int64[M]: index of the game of each unit."""
    power: Array
    """int64[M]: index of the power of each unit."""
    sample: Array
    """int64[N]: index of the game of each legal order."""
    ids: Array
    """int64[N]: legal orders as vocabulary ids."""
    starts: Array
    """int64[M + 1]: the legal orders of unit m are ids[starts[m] : starts[m + 1]]."""
    picks: Array
    """int64[M]: index of the chosen order in each unit's list."""
    allowed: Array
    """bool[N]: True for orders that the orders of earlier units did not rule out (lepanto.train.joint)."""
    log_probs: Array
    """f4[M]: log-probabilities of the picks under the net that chose them."""
    values: Array
    """f4[G, Q]: predicted shares of the final score."""
    rewards: Array
    """f4[G, Q]: final scores of games that ended with this decision."""
    ends: Array
    """bool[G]: True for games that ended with this decision."""


@dataclass
class Report:
    """Results of one iteration of play and learning. `policy` and `value` are the mean losses of the policy and of the
    values."""

    positions: int
    games: int
    score: float
    """Mean score of the learning seats in games that ended. NaN if none ended."""
    entropy: float
    """Mean entropy of the policy, in nats per unit."""
    policy: float
    value: float


class Learner:
    """Plays games with a net and improves the net from them, by proximal policy optimisation (PPO)."""

    def __init__(
        self, net: GraphNet, optimizer: "torch.optim.Optimizer", batch: Batch, league: League, config: LearnConfig
    ) -> None:
        self.net = net
        self.optimizer = optimizer
        self.batch = batch
        self.league = league
        self.config = config
        self.joint = Joint(batch)
        self.learning = np.ones((len(batch), len(batch.powers)), np.bool_)
        #: Scores of the learning seats in games that ended in this iteration.
        self.ended: List[float] = []
        self.generator = np.random.default_rng(int(league.rng.integers(1 << 62)))

    def deal(self, games: Array) -> None:
        """Draws new opponents for games. The learner plays the other powers. games: int[K], indices of the games."""
        if len(games) == 0:
            return
        opponents = [self.league.deal() for _ in games]
        self.batch.set_opponents(opponents, games)
        for game, mapping in zip(games, opponents):
            self.learning[game] = [power not in mapping for power in self.batch.powers]

    def state(self) -> Dict[str, Any]:
        """Returns the unfinished games, their opponents and the random generator's state as JSON values, for
        restore()."""
        opponents = [self.batch.opponents_of(game) for game in range(len(self.batch))]
        games = base64.b64encode(self.batch.save()).decode()
        return {"games": games, "opponents": opponents, "rng": dict(self.generator.bit_generator.state)}

    def restore(self, state: Dict[str, Any]) -> None:
        """Restores games, opponents and random generator from a result of state(). Raises LepantoError or ValueError if
        they cannot be restored."""
        self.batch.set_opponents(state["opponents"])
        self.batch.load(base64.b64decode(state["games"]))
        for game, mapping in enumerate(state["opponents"]):
            self.learning[game] = [power not in mapping for power in self.batch.powers]
        self.generator.bit_generator.state = state["rng"]

    def _see(self) -> Tuple[Array, Array]:
        return self.batch.observation.copy(), phase_number(self.batch.phase, self.batch.season)

    def collect(self) -> Tuple[List[Decision], Array]:
        """Plays the decisions of one iteration, and notes scores of games that end in `ended`. Returns the decisions,
        and the values f4[G, Q] of the positions after the last one."""
        decisions: List[Decision] = []
        batch = self.batch
        for _ in range(self.config.decisions):
            boards, phases = self._see()
            legal = batch.legal()
            sample = legal.game[legal.index]
            with torch.no_grad():
                heads, values = self.net.think(boards, phases)
                logits = self.net.logits(heads, sample, legal.ids).cpu().numpy()
            logits /= self.config.temperature
            group = legal.game * len(batch.powers) + legal.power
            picks, allowed = self.joint.choose(logits, legal.starts, legal.ids, group, self.generator)
            log_probs = ragged.log_prob(np.where(allowed, logits, RULED_OUT), legal.starts, picks)
            batch.step_until_decision(legal.actions(picks))
            ends = batch.terminated | batch.truncated
            units = legal.game, legal.power, sample, legal.ids.astype(np.int64), legal.starts, picks, allowed, log_probs
            worth = values.softmax(1).cpu().numpy(), batch.rewards.copy(), ends
            decisions.append(Decision(boards, phases, *units, *worth))
            for game in np.flatnonzero(ends):
                self.ended += batch.rewards[game][self.learning[game]].tolist()
            self.deal(np.flatnonzero(ends))
        boards, phases = self._see()
        with torch.no_grad():
            last = self.net.think(boards, phases)[1].softmax(1).cpu().numpy()
        return decisions, last

    def _advantages(self, decisions: List[Decision], last: Array) -> Array:
        """Returns generalised advantage estimates, f4[T, G, Q] for T decisions. The final score is the only reward, and
        advantages do not cross the end of a game.

        last: f4[G, Q], values of the positions after the last decision.
        """
        found = np.zeros((len(decisions), *last.shape), np.float32)
        following, later = last, np.zeros_like(last)
        for t in reversed(range(len(decisions))):
            one = decisions[t]
            onward = np.where(one.ends, 0.0, 1.0)[:, None]
            later = (
                one.rewards
                + onward * (following - one.values)
                - (1 - onward) * one.values
                + self.config.decay * onward * later
            )
            found[t] = later
            following = one.values
        return found

    def iterate(self) -> Report:
        """Plays one iteration, learns from it, and returns its results."""
        self.ended = []
        decisions, last = self.collect()
        return self.learn(decisions, last, self.ended)

    def learn(self, decisions: List[Decision], last: Array, ended: List[float]) -> Report:
        """Improves the net from the results of collect(), of this learner or of a collector in another process.

        decisions, last: results of collect(). ended: scores of the learning seats in games that ended.
        """
        advantages = self._advantages(decisions, last)
        returns = advantages + np.stack([one.values for one in decisions])
        policy, value, entropy = self._improve(decisions, advantages, returns)
        score = float(np.mean(ended)) if ended else float("nan")
        games = int(sum(one.ends.sum() for one in decisions))
        return Report(len(decisions) * len(self.batch), games, score, entropy, policy, value)

    def _improve(self, decisions: List[Decision], advantages: Array, returns: Array) -> Tuple[float, float, float]:
        config = self.config
        acting = np.concatenate([advantages[t, one.game, one.power] for t, one in enumerate(decisions)])
        center, scale = float(acting.mean()), float(acting.std()) + 1e-6
        per_step = max(1, round(config.batch_size / len(self.batch)))
        sums: List[Tuple[float, float, float]] = []
        for _ in range(config.epochs):
            order = self.generator.permutation(len(decisions))
            for first in range(0, len(order), per_step):
                chosen = order[first : first + per_step]
                gains = [(advantages[t] - center) / scale for t in chosen]
                sums.append(self._step([decisions[t] for t in chosen], gains, returns[chosen]))
        policy, value, entropy = np.mean(sums, axis=0).tolist()
        return policy, value, entropy

    def _step(self, decisions: List[Decision], gains: List[Array], returns: Array) -> Tuple[float, float, float]:
        config, games = self.config, len(self.batch)

        def joined(arrays: Iterable[Array]) -> "torch.Tensor":
            return torch.as_tensor(np.concatenate(list(arrays)), device=self.net.near.device)

        def of_all(name: str) -> "torch.Tensor":
            return joined(getattr(one, name) for one in decisions)

        boards = of_all("boards")
        heads, values = self.net.think(boards, of_all("phases"))
        sample = joined(one.sample + i * games for i, one in enumerate(decisions))
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(one.starts) for one in decisions]))])
        logits = self.net.logits(heads, sample, of_all("ids")) / config.temperature
        logits = logits.masked_fill(~of_all("allowed"), RULED_OUT)
        gain = joined(g[one.game, one.power] for g, one in zip(gains, decisions))
        ratio = (ragged.log_prob(logits, starts, of_all("picks")) - of_all("log_probs")).exp()
        policy = -torch.minimum(ratio * gain, ratio.clamp(1 - config.clip, 1 + config.clip) * gain).mean()
        entropy = ragged.entropy(logits, starts).mean()
        acting = np.zeros((len(boards), len(self.batch.powers)), np.bool_)
        for i, one in enumerate(decisions):
            acting[one.game + i * games, one.power] = True
        target = joined(returns)
        value = (values.softmax(1) - target)[joined([acting])].square().mean()
        self.optimizer.zero_grad(set_to_none=True)
        (policy + config.value_weight * value - config.entropy * entropy).backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.optimizer.step()
        return float(policy), float(value), float(entropy)
