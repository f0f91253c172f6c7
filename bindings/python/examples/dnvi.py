"""Deep Nash value iteration (DNVI): a net learns values of positions from equilibria of sampled orders.

In each position each power has a few candidate order sets. The net gives the values of the positions after the phase;
positions of finished games have their score. The powers play an equilibrium of this game, and its value is the target
for the net's value of the position.

python dnvi.py [iterations]
"""

import sys
from typing import Any

import numpy as np
import torch
from torch import nn

import lepanto
from lepanto import equilibria


class Value(nn.Module):
    """Net that predicts each power's share of the final score from DipNet's board, season and phase."""

    def __init__(self, batch: lepanto.Batch, width: int = 128) -> None:
        super().__init__()
        size = int(np.prod(batch.observation.shape[1:])) + 6
        self.layers = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, len(batch.powers)))

    def forward(self, positions: Any) -> "torch.Tensor":
        """Returns shares that add up to 1, float[N, Q]. positions: float[N, n] from inputs()."""
        return self.layers(positions).softmax(-1)


def inputs(arrays: Any) -> "torch.Tensor":
    """Returns the net's input for the positions of a batch or of children, float[N, n]."""
    times = np.concatenate([np.eye(3)[arrays.season], np.eye(3)[arrays.phase]], 1)
    board = arrays.observation.reshape(len(arrays.observation), -1)
    return torch.as_tensor(np.concatenate([board, times], 1, dtype=np.float32))


def train(iterations: int, games: int = 32, sets: int = 6, rounds: int = 12, until: int = 1904, seed: int = 1) -> Any:
    """Trains a net. Returns the net, and the mean squared error of its values before each step."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    errors = []
    with lepanto.Batch(games, seed=seed, until=until, max_children=4096) as batch:
        net = Value(batch)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        seen, wanted = [], []

        def worth(children: Any) -> Any:
            with torch.no_grad():
                values = net(inputs(children)).numpy()
            # The value of a finished game is its score.
            return np.where(children.terminated[:, None], children.returns, values)

        for iteration in range(iterations):
            candidates = equilibria.sample_candidates(batch, "policy", sets, seed=seed + 1000 * iteration)
            learner = equilibria.RegretMatching(candidates.mask, "linear")
            found = equilibria.solve(batch, candidates, learner, rounds, worth, seed=iteration)
            seen.append(inputs(batch))
            wanted.append(torch.as_tensor(found.values, dtype=torch.float32))
            with torch.no_grad():
                errors.append(float(((net(seen[-1]) - wanted[-1]) ** 2).mean()))
            for _ in range(8):
                # Learns from the latest positions only, because targets of older ones came from an older net.
                some = rng.choice(np.arange(len(seen))[-40:], 4)
                loss = (
                    ((net(torch.cat([seen[i] for i in some])) - torch.cat([wanted[i] for i in some])) ** 2)
                    .sum(-1)
                    .mean()
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            batch.step(candidates.choose(equilibria.draw(found.policy, rng)))
            if (iteration + 1) % 20 == 0:
                print(f"iteration {iteration + 1:4}  error of values {np.mean(errors[-20:]) ** 0.5:.4f}")
    return net, errors


if __name__ == "__main__":
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
