"""Asynchronous play: collectors in processes of their own play on while the learner learns from what has come.

    learner                                    collectors, each with its games
    takes what has come, sends the newest net    <- decisions of one iteration, with the version of the net that played
    them counts how old it is, drops or learns        -> version, weights, names of the nets of the pool

The version of a net is how often it has learned. A collector loads the newest one before each of its iterations, so
what it sends is about as many versions old as there are collectors; what is older than `staleness` versions is dropped,
and counted. A collector that dies is replaced. What comes first is learned from first: no seed repeats such a run.
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
#: Deaths of collectors, one after the other without a result, after which a run is given up.
MOST_DEATHS = 3
#: Raised by a connection when the other end has died, perhaps in the middle of a message.
GONE = (EOFError, OSError)


def weights_of(net: GraphNet) -> Weights:
    """Copies of the weights, by name."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in net.tensors.items()}


@dataclass
class Contribution:
    """What a collector has played."""

    version: int
    """Of the net that played it."""
    decisions: List[Decision]
    last: npt.NDArray[Any]
    """f4[G, Q]: values of the positions after the last decision."""
    ended: List[float]
    """Scores of the learning seats in games that ended."""


class Collector:
    """Games that a net plays somewhere: in a process of its own, or as an actor of Ray."""

    def __init__(self, config: Config, seed: int) -> None:
        """seed: of these games alone."""
        torch.set_num_threads(config.threads)
        play, workers = config.play, config.workers or None
        self.batch = Batch(play.games, config.map, config.rules, workers=workers, seed=seed, until=play.until)
        self.net = GraphNet(Tables(self.batch), **vars(config.net))
        self.league = League(config.play, self.batch.powers, np.random.default_rng(seed))
        # It never learns here.
        self.learner = Learner(
            self.net, torch.optim.SGD(self.net.parameters(), lr=0.0), self.batch, self.league, config.learn
        )
        self.is_dealt = False

    def collect(self, version: int, weights: Weights, nets: Sequence[str] = (), best: str = "") -> Contribution:
        """Plays one iteration with this net. nets, best: as the league of the learner has them."""
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
    """How old contributions were, in versions."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.learned = 0
        self.dropped = 0
        self.total = 0
        self.largest = 0

    def accepts(self, age: int) -> bool:
        """Counts a contribution. False: it is too old to learn from."""
        if age > self.limit:
            self.dropped += 1
            return False
        self.learned += 1
        self.total += age
        self.largest = max(self.largest, age)
        return True

    @property
    def mean(self) -> float:
        """Of what was learned from."""
        return self.total / max(self.learned, 1)


def _act(connection: Connection, config: Config, seed: int) -> None:
    """A process that plays. Ends when the learner is gone."""
    # Ctrl-C is for the learner, who closes the connection.
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
    """Collectors in processes of this machine."""

    def __init__(self, config: Config, count: int, seed: np.random.SeedSequence) -> None:
        self.config = config
        self.seed = seed
        self.staleness = Staleness(config.learn.staleness)
        self.deaths = 0
        self._processes: Dict[Connection, Any] = {}
        #: Those that have a net and play, in the order in which they got it.
        self._playing: List[Connection] = []
        self._context = multiprocessing.get_context("spawn")
        for _ in range(count):
            self._start()

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        (seed,) = self.seed.spawn(1)[0].generate_state(1)
        process = self._context.Process(target=_act, args=(theirs, self.config, int(seed) & 0x7FFF_FFFF), daemon=True)
        process.start()
        # Then an end of the process is an end of the connection.
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
        """Learns from what comes next and is fresh enough. The collectors play on meanwhile, in the league of the
        learner.

        version: how often the net has learned.
        """
        task = (version, weights_of(learner.net), learner.league.nets, learner.league.best)
        while True:
            for connection in [one for one in self._processes if one not in self._playing]:
                self._send(connection, task)
            ready = wait(self._playing)
            # The one whose net is the oldest first.
            for connection in [one for one in self._playing if one in ready][:1]:
                found = self._receive(connection)
                if found is None:
                    continue
                # It plays on while this is learned from.
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
