"""Imitation learning: trains a net to predict the orders and final scores of recorded games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from .. import ragged
from .joint import RULED_OUT, Joint
from .model import GraphNet
from .samples import Samples


@dataclass
class Losses:
    """Mean losses of one batch."""

    policy: float
    """Cross-entropy of the orders, in nats per unit."""
    value: float
    """Cross-entropy of the powers' shares of the final score, in nats per position."""
    same: float
    """Share of units for which the net's most probable order is the recorded one."""


def imitate(
    net: GraphNet, joint: Joint, optimizer: "torch.optim.Optimizer", samples: Samples, value_weight: float
) -> Losses:
    """Takes one optimiser step on a batch, and returns its losses.

    The probabilities of a unit's orders are taken over the orders that fit with those of the units before it, as in
    play (lepanto.train.joint).
    """
    heads, values = net.think(samples.boards, samples.phases)
    logits = net.logits(heads, samples.sample, samples.ids)
    scores = logits.detach().cpu().numpy()
    _, allowed = joint.choose(scores, samples.starts, samples.ids, samples.group, picks=samples.picks)
    logits = logits.masked_fill(torch.as_tensor(~allowed, device=logits.device), RULED_OUT)
    # The teacher's probabilities, renormalised over the orders that fit with its orders for the units before.
    weighed = np.where(allowed, samples.policy, 0)
    weighed /= np.repeat(np.add.reduceat(weighed, samples.starts[:-1]), np.diff(samples.starts))
    log_probs = ragged.log_softmax(logits, samples.starts)
    policy = -(torch.as_tensor(weighed, device=logits.device) * log_probs).sum() / len(samples.picks)
    shares = torch.as_tensor(samples.shares, device=values.device)
    value = -(shares * torch.log_softmax(values, 1)).sum(1).mean()
    optimizer.zero_grad(set_to_none=True)
    (policy + value_weight * value).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    same = ragged.argmax(logits.detach(), samples.starts).cpu().numpy() == samples.picks
    return Losses(float(policy), float(value), float(same.mean()))
