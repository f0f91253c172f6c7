"""Policy net of the torch recipes: logits of legal orders, and a value for each power.

The logit of an order is the dot product of a vector of the order and a vector of the power in the position. So the net
works on every map, and lists of legal orders need no padding.
"""

from typing import Any

import torch
from torch import nn


class OrderPolicy(nn.Module):
    def __init__(self, batch: Any, width: int = 256, depth: int = 64) -> None:
        """batch: a lepanto.Batch, for the sizes of its map."""
        super().__init__()
        locations, features = batch.observation.shape[1:]
        self.board = nn.Sequential(
            nn.Linear(locations * features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.powers = nn.Embedding(len(batch.powers), width)
        self.query = nn.Linear(width, depth)
        self.orders = nn.Embedding(len(batch.vocabulary), depth)
        self.value = nn.Linear(width, 1)
        nn.init.normal_(self.orders.weight, std=depth**-0.5)

    def forward(self, observation: Any) -> "torch.Tensor":
        """Returns a vector of each power in each position, float[G, Q, width]. observation: u1[G, L, F]."""
        board = self.board(torch.as_tensor(observation).flatten(1).float())
        return torch.relu(board[:, None] + self.powers.weight)

    def logits(self, known: Any, game: Any, power: Any, ids: Any) -> "torch.Tensor":
        """Returns the logits of orders, float[N].

        known: result of forward(). game, power, ids: game, power and vocabulary id of each order, integer tensors or
        arrays [N].
        """
        query = self.query(known)
        game, power, ids = (torch.as_tensor(one).long() for one in (game, power, ids))
        return (query[game, power] * self.orders(ids)).sum(-1)

    def values(self, known: Any) -> "torch.Tensor":
        """Returns the expected score of each power, float[G, Q]. known: result of forward()."""
        return self.value(known)[..., 0].sigmoid()
