"""Ray: actors play with recent nets, and the driver learns from their games asynchronously.

python ray_training.py [iterations] [actors]

The same as `python -m lepanto.train --actors N`, on a cluster: each actor gets the newest net before each of its
iterations, and games of too old a net are dropped. Requires torch.
"""

import sys
from dataclasses import replace
from typing import Any, List, Tuple

import numpy as np
import ray
import torch

import lepanto
from lepanto.train.actors import Collector, Staleness, weights_of
from lepanto.train.config import Config, PlayConfig
from lepanto.train.league import League
from lepanto.train.model import GraphNet, Tables
from lepanto.train.ppo import Learner

CONFIG = Config(play=PlayConfig(games=16, until=1903, pool={"dumbbot": 1.0, "random": 1.0}))


def train(iterations: int, actors: int, config: Config = CONFIG) -> Tuple[Any, ...]:
    """Trains a net. Returns the net, the report of each iteration, and statistics of the age of the games."""
    play = config.play
    with lepanto.Batch(play.games, config.map, config.rules, workers=1, until=play.until) as batch:
        net = GraphNet(Tables(batch), **vars(config.net))
        optimizer = torch.optim.Adam(net.parameters(), lr=config.learn.learning_rate)
        # The learner needs a batch, but only the actors play.
        learner = Learner(
            net, optimizer, batch, League(play, batch.powers, np.random.default_rng(config.seed)), config.learn
        )
        staleness = Staleness(config.learn.staleness)
        players = [ray.remote(num_cpus=1)(Collector).remote(config, config.seed + i) for i in range(actors)]
        waiting = {one.collect.remote(0, weights_of(net)): one for one in players}
        reports: List[Any] = []
        while len(reports) < iterations:
            (done,), _ = ray.wait(list(waiting))
            found, player = ray.get(done), waiting.pop(done)
            waiting[player.collect.remote(len(reports), weights_of(net))] = player
            if staleness.accepts(len(reports) - found.version):
                reports.append(learner.learn(found.decisions, found.last, found.ended))
        for player in players:
            ray.kill(player)
    return net, reports, staleness


def main() -> None:
    iterations, actors = (int(word) for word in (sys.argv[1:] + ["30", "2"][len(sys.argv) - 1 :])[:2])
    ray.init(include_dashboard=False, log_to_driver=False)
    _, reports, staleness = train(iterations, actors, replace(CONFIG, seed=1))
    for number, report in enumerate(reports, 1):
        print(f"{number}: {report.positions} positions, value loss {report.value:.4f}, score {report.score:.3f}")
    print(f"staleness {staleness.mean:.2f} on the mean, {staleness.largest} at the most, {staleness.dropped} dropped")
    ray.shutdown()


if __name__ == "__main__":
    main()
