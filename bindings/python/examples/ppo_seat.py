"""Proximal policy optimisation (PPO): trains a net to play FRANCE against six agents of the engine.

python ppo_seat.py [iterations] [opponent]
"""

import sys
from typing import Any

import numpy as np
import torch
from order_policy import OrderPolicy

import lepanto
from lepanto import ragged

POWER = "FRANCE"
STEPS, EPOCHS, CLIP, LAMBDA = 8, 3, 0.2, 0.95


def collect(batch: Any, net: Any, q: Any) -> Any:
    """Plays STEPS decisions in each game.

    Returns the steps (observation, legal orders, picks and their log-probabilities), advantages and returns, both
    f4[STEPS, G], and the scores of finished games. q: index of the learning power.
    """
    steps, values, rewards, ends = [], [], [], []
    for _ in range(STEPS):
        observation = batch.observation.copy()
        legal = batch.legal(POWER)
        with torch.no_grad():
            known = net(observation)
            logits = net.logits(known, legal.game[legal.index], legal.power[legal.index], legal.ids)
            picks, log_probs = legal.sample(logits)
        values.append(net.values(known)[:, q].detach().numpy())
        batch.step_until_decision(legal.actions(picks))
        steps.append((observation, legal, picks, log_probs))
        rewards.append(batch.rewards[:, q].copy())
        ends.append(batch.terminated | batch.truncated)
    with torch.no_grad():
        values.append(net.values(net(batch.observation.copy()))[:, q].numpy())
    # The score at the end is the only reward. A finished game is reset in the same step, so its advantages must not
    # include values of the next game.
    advantages, later = np.zeros((STEPS, len(batch)), np.float32), 0.0
    for t in reversed(range(STEPS)):
        onward = np.where(ends[t], 0.0, 1.0)
        change = rewards[t] + onward * values[t + 1] - values[t]
        later = change + LAMBDA * onward * later
        advantages[t] = later
    scores = np.concatenate([r[e] for r, e in zip(rewards, ends)])
    return steps, advantages, advantages + np.stack(values[:-1]), scores


def improve(net: Any, optimizer: Any, steps: Any, advantages: Any, returns: Any, q: Any) -> None:
    scale = advantages.std() + 1e-6
    for _ in range(EPOCHS):
        for (observation, legal, picks, before), advantage, target in zip(steps, advantages, returns):
            known = net(observation)
            logits = net.logits(known, legal.game[legal.index], legal.power[legal.index], legal.ids)
            ratio = (legal.log_prob(logits, picks) - before).exp()
            gain = torch.as_tensor((advantage - advantages.mean()) / scale)[torch.as_tensor(legal.game)]
            policy = -torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            value = (net.values(known)[:, q] - torch.as_tensor(target)).square().mean()
            loss = policy + value - 0.003 * ragged.entropy(logits, legal.starts).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()


def train(iterations: int, opponent: str = "dumbbot", games: int = 128, until: int = 1903, seed: int = 1) -> Any:
    """Trains a net. Returns the mean score of FRANCE in each iteration."""
    torch.manual_seed(seed)
    with lepanto.Batch(1, workers=1, observations=None) as batch:
        opponents = {power: opponent for power in batch.powers if power != POWER}
    with lepanto.Batch(games, until=until, seed=seed, opponents=opponents) as batch:
        q = batch.powers.index(POWER)
        net = OrderPolicy(batch, width=128, depth=32)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        means = []
        for i in range(iterations):
            steps, advantages, returns, scores = collect(batch, net, q)
            improve(net, optimizer, steps, advantages, returns, q)
            means.append(float(scores.mean()) if len(scores) else float("nan"))
            print(f"iteration {i + 1:3}  games {len(scores):4}  score {means[-1]:.3f}")
    return means


def main() -> None:
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    means = train(iterations, sys.argv[2] if len(sys.argv) > 2 else "dumbbot")
    fifth = max(1, iterations // 5)
    print(f"score {np.nanmean(means[:fifth]):.3f} at first, {np.nanmean(means[-fifth:]):.3f} at last")


if __name__ == "__main__":
    main()
