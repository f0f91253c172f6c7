"""Behaviour cloning: records games of DumbBot, reads them back as batches and trains a net to give the same orders.

python clone_dumbbot.py [games] [steps]
"""

import itertools
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np
import torch
from order_policy import OrderPolicy

import lepanto
from lepanto import ragged
from lepanto.dataset import Dataset


def record(games: int, directory: str) -> None:
    """Records games of seven DumbBots with `lepanto selfplay`."""
    arguments = [
        "selfplay",
        "--agents",
        "dumbbot",
        "--games",
        str(games),
        "--until",
        "1904",
        "--out",
        directory,
        "--quiet",
    ]
    subprocess.run([sys.executable, "-m", "lepanto", *arguments], check=True, stdout=subprocess.DEVNULL)


def learn(directory: str, steps: int, seed: int = 1) -> Any:
    """Trains a net on `steps` batches. Returns the net, and the share of orders that it predicts in the first and in
    the last tenth of the batches."""
    torch.manual_seed(seed)
    with lepanto.Batch(1, workers=1) as batch:
        net = OrderPolicy(batch)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    right = []
    dataset = Dataset(directory).where(phases="movement")
    epochs = (dataset.batches(64, seed=seed, epoch=epoch) for epoch in itertools.count())
    for samples in itertools.islice(itertools.chain.from_iterable(epochs), steps):
        row, power, ids, starts, picks = lepanto.lists_of(samples)
        logits = net.logits(net(samples["observation"]), row, power, ids)
        loss = -ragged.log_prob(logits, starts, torch.as_tensor(picks)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right.append(float((ragged.argmax(logits.detach(), starts).numpy() == picks).mean()))
        if len(right) % 20 == 0:
            print(f"batch {len(right):4}  loss {loss.item():.3f}  same order {np.mean(right[-20:]):.1%}")
    tenth = max(1, steps // 10)
    return net, float(np.mean(right[:tenth])), float(np.mean(right[-tenth:]))


def main() -> None:
    games, steps = (int(one) for one in (sys.argv[1:] + ["2000", "400"][len(sys.argv) - 1 :])[:2])
    with tempfile.TemporaryDirectory() as folder:
        directory = f"{folder}/run"
        record(games, directory)
        _, early, late = learn(directory, steps)
    print(f"the net gave DumbBot's order in {early:.1%} of cases at first, and in {late:.1%} at last")


if __name__ == "__main__":
    main()
