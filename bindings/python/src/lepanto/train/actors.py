"""Asynchronous play: collector processes play games while the learner learns from finished contributions.

    learner                               collectors, each with a batch of games
    receives a contribution                 <- decisions of one iteration, version of the net that played them
    sends the newest net                    -> version, weights, names of the nets in the pool
    learns from the contribution, or drops and counts it if it is too old

The version of a net is the number of its learning iterations. A collector loads the newest net before each iteration,
so a contribution is about as many versions old as there are collectors. Contributions older than `staleness` versions
are dropped and counted. A collector that dies is replaced. Contributions are used in order of arrival, so a run with
actors cannot be repeated from its seed.
"""

from __future__ import annotations

import multiprocessing
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt
import torch

from ..batch import Batch
from .config import Config
from .league import League
from .model import GraphNet, Tables
from .ppo import Decision, Learner, Report

Weights = Dict[str, npt.NDArray[np.float32]]
#: Limit of consecutive collector deaths without a result, for each collector. The run fails at the limit.
MOST_DEATHS = 3
#: Exceptions of a connection whose other end has died, possibly in the middle of a message.
GONE = (EOFError, OSError)


def weights_of(net: GraphNet) -> Weights:
    """Returns copies of a net's weights as numpy arrays, keyed by tensor name."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in net.tensors.items()}


@dataclass
class Contribution:
    """Result of one iteration of a collector: decisions played with one version of the net."""

    version: int
    """Version of the net that played the iteration: number of learning iterations of the learner when it was sent."""
    decisions: List[Decision]
    last: npt.NDArray[Any]
    """f4[G, Q]: values of the positions after the last decision, for G games and Q powers."""
    ended: List[float]
    """Scores of the learning seats in games that ended in the iteration."""


class Collector:
    """Plays a batch of games with a copy of the net, in a separate process or as a Ray actor."""

    def __init__(self, config: Config, seed: int) -> None:
        """Starts the engine and the net. seed: seed of this collector's games; differs between collectors."""
        torch.set_num_threads(config.threads)
        play, workers = config.play, config.workers or None
        self.batch = Batch(play.games, config.map, config.rules, workers=workers, seed=seed, until=play.until)
        self.net = GraphNet(Tables(self.batch), **vars(config.net))
        self.league = League(config.play, self.batch.powers, np.random.default_rng(seed))
        # The optimiser is a placeholder: a collector plays and does not learn.
        self.learner = Learner(
            self.net, torch.optim.SGD(self.net.parameters(), lr=0.0), self.batch, self.league, config.learn
        )
        self.is_dealt = False

    def collect(self, version: int, weights: Weights, nets: Sequence[str] = (), best: str = "") -> Contribution:
        """Plays one iteration with a net, and returns its decisions.

        version: version of the net. weights: its weights, keyed by tensor name. nets, best: League.nets and League.best
            of the learner.
        """
        with torch.no_grad():
            for name, tensor in self.net.tensors.items():
                tensor.copy_(torch.as_tensor(weights[name]))
        self.league.nets, self.league.best = list(nets), best
        if not self.is_dealt:
            self.learner.deal(np.arange(len(self.batch)))
        self.is_dealt = True
        self.learner.ended = []
        decisions, last = self.learner.collect()
        return Contribution(version, decisions, last, list(self.learner.ended))

    def close(self) -> None:
        self.batch.close()


class Staleness:
    """Counts contributions that were learned from and that were dropped, and their ages in versions of the net."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.learned = 0
        self.dropped = 0
        self.total = 0
        self.largest = 0

    def accepts(self, age: int) -> bool:
        """Counts a contribution. Returns False if it is too old to learn from. age: in versions of the net."""
        if age > self.limit:
            self.dropped += 1
            return False
        self.learned += 1
        self.total += age
        self.largest = max(self.largest, age)
        return True

    @property
    def mean(self) -> float:
        """Mean age of the learned contributions, in versions; 0 if there are none."""
        return self.total / max(self.learned, 1)


def _act(connection: Connection, config: Config, seed: int) -> None:
    """Runs a collector in a child process until the learner closes the connection or dies. config, seed: as for
    Collector."""
    # The learner handles Ctrl-C and closes the connection.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collector = Collector(config, seed)
    try:
        while True:
            try:
                task = connection.recv()
            except GONE:
                return
            found = collector.collect(*task)
            try:
                connection.send(found)
            except GONE:
                return
    finally:
        collector.close()


class Actors:
    """Collector processes on this machine, and the learning from their contributions."""

    def __init__(self, config: Config, count: int, seed: np.random.SeedSequence) -> None:
        self.config = config
        self.seed = seed
        self.staleness = Staleness(config.learn.staleness)
        self.deaths = 0
        self._processes: Dict[Connection, Any] = {}
        #: Connections of the playing collectors. The collector with the oldest net is first.
        self._playing: List[Connection] = []
        self._context = multiprocessing.get_context("spawn")
        for _ in range(count):
            self._start()

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        (seed,) = self.seed.spawn(1)[0].generate_state(1)
        process = self._context.Process(target=_act, args=(theirs, self.config, int(seed) & 0x7FFF_FFFF), daemon=True)
        process.start()
        # The child process has its own copy of this end. Without ours, the connection ends when the child process ends.
        theirs.close()
        self._processes[ours] = process

    def _send(self, connection: Connection, task: Tuple[int, Weights, List[str], str]) -> None:
        try:
            connection.send(task)
            self._playing.append(connection)
        except GONE:
            self._replace(connection)

    def _replace(self, connection: Connection) -> None:
        process = self._processes.pop(connection)
        connection.close()
        process.join()
        self.deaths += 1
        if self.deaths >= MOST_DEATHS * (1 + len(self._processes)):
            raise RuntimeError(
                f"actors: {self.deaths} have died one after the other, the last one with exit code {process.exitcode}"
            )
        self._start()

    def _receive(self, connection: Connection) -> Optional[Contribution]:
        self._playing.remove(connection)
        try:
            found: Contribution = connection.recv()
        except GONE:
            self._replace(connection)
            return None
        self.deaths = 0
        return found

    def iterate(self, learner: Learner, version: int) -> Report:
        """Waits for the next contribution that is not too old, and learns from it. The collectors continue to play.

        version: number of learning iterations of the net. Raises RuntimeError if collectors die one after the other.
        """
        task = (version, weights_of(learner.net), learner.league.nets, learner.league.best)
        while True:
            for connection in [one for one in self._processes if one not in self._playing]:
                self._send(connection, task)
            ready = wait(self._playing)
            # Of the ready collectors, receive from the one with the oldest net.
            for connection in [one for one in self._playing if one in ready][:1]:
                found = self._receive(connection)
                if found is None:
                    continue
                # The collector starts its next iteration before the learner learns from this one.
                self._send(connection, task)
                if self.staleness.accepts(version - found.version):
                    return learner.learn(found.decisions, found.last, found.ended)

    def close(self) -> None:
        for connection in self._processes:
            connection.close()
        for process in self._processes.values():
            process.join(10)
            if process.is_alive():
                process.terminate()
        self._processes = {}
