"""A training run in a directory: imitation, then rounds of play, learning and gates (`python -m lepanto.train
--help`)."""

from __future__ import annotations

import copy
import importlib.util
import itertools
import math
import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

import numpy as np
import torch

from .._files import write_whole
from .._server import LepantoError
from ..batch import Batch
from ..dataset import Dataset
from . import checkpoint
from .actors import Actors
from .checkpoint import BOOTSTRAP, PLAY, State
from .config import Config, write_config
from .gate import Gate, Pairing, TimeOver, Verdict, command_of, table_of
from .imitate import imitate
from .joint import Joint
from .league import BEST, League
from .metrics import EVENTS, Metrics
from .model import GraphNet, Tables
from .ppo import Learner
from .progress import Progress, Standing
from .samples import ARRAYS, Samples, read_samples

CHECKPOINT = "checkpoint.safetensors"
#: Folder of the gates' games. It has a directory of `lepanto arena` for each net, which `lepanto view` shows.
GATES = "gates"
#: Number of games in one teacher run. They all have the same seats. A run is saved to disk when it is finished.
PART = 16
#: FIRST_GATE: share of the time limit that is reserved for the first gate. MOST_FIRST_GATE: the most that is reserved,
#: in seconds.
FIRST_GATE, MOST_FIRST_GATE = 0.15, 120.0
#: Number of teacher runs at the same time if the machines of a queue play them.
QUEUED = 16


@dataclass(frozen=True)
class Part:
    """One recorded run of a teacher: games of the teacher and other agents with the same seats. `name` is the run's
    directory."""

    name: str
    teacher: str
    games: int
    seed: int


class OutOfTime(Exception):
    """Raised when the time of the run is over."""


class Stopped(Exception):
    """Raised in the run after a call of Trainer.stop()."""


def _parts_of(teacher: str, games: int, name: str, seed: int) -> List[Part]:
    """Splits the games of a teacher into runs of at most PART games.

    name: format string of a run's name, with a placeholder for its number. seed: seed of run 0; run n has seed + n.
    """
    return [
        Part(name.format(first // PART), teacher, min(PART, games - first), seed + first // PART)
        for first in range(0, games, PART)
    ]


def is_agent(given: str, full: str) -> bool:
    """True if an agent's full name has the kind and all options of a given name.

    given: name from the configuration; options with `{best}` match any file. full: name with all options.
    """
    kind, *options = [part for part in given.split(":") if BEST not in part]
    found, *all_options = full.split(":")
    return kind == found and set(options) <= set(all_options)


class Trainer:
    """One start of a training run.

    out: directory of the run. minutes: time limit of all starts together. rounds: number of gates of play after which
    the run ends; None: the time limit ends it. With rounds the clock decides nothing else, so that the same seed gives
    the same weights. device: torch device. queue: options of `lepanto selfplay` and `lepanto arena`, such as
    {"queue": URL}, to play games of teachers and gates on other machines; empty: on this machine. actors: number of
    processes that play the net's games asynchronously (actors.py); 0: none. A run with actors cannot be repeated from
    its seed.
    """

    def __init__(
        self,
        out: Path,
        config: Config,
        minutes: float,
        rounds: Optional[int],
        device: str,
        progress: Progress,
        queue: Mapping[str, Any],
        actors: int,
    ) -> None:
        self.out, self.config, self.progress = out, config, progress
        self.limit, self.rounds = minutes * 60, rounds
        self.queue, self.actors = queue, actors
        # Remove partial files of killed starts. No other process writes to this directory.
        for part in [*out.glob("*.part"), *out.glob("nets/*.part")]:
            part.unlink()
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        with Batch(1, config.map, config.rules, workers=1) as batch:
            self.net = GraphNet(Tables(batch), **vars(config.net)).to(device)
            self.joint = Joint(batch)
            self.powers = len(batch.powers)
        #: Net whose weights are the moving average of those of `net`. Gates judge it.
        self.average = copy.deepcopy(self.net)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=config.learn.learning_rate)
        self.state = State()
        if (out / CHECKPOINT).exists():
            self.state = checkpoint.load(out / CHECKPOINT, self.net, self.average, self.optimizer)
        self.rng = checkpoint.generator_of(self.state, config.seed)
        self.gate = Gate(config, self.state.known, self.queue, self.powers)
        self._resumed = self.state.seconds > 0
        self._counted = self._saved = time.monotonic()
        self._stopping = False
        # The learner during play; a checkpoint saves its unfinished games.
        self._learner: Optional[Learner] = None
        self._actors: Optional[Actors] = None

    # ---- time ----

    def stop(self) -> None:
        """Makes run() save a checkpoint and raise Stopped after the current step."""
        self._stopping = True

    def _count(self) -> None:
        now = time.monotonic()
        self.state.seconds += now - self._counted
        self.state.stage_seconds += now - self._counted
        self._counted = now

    def _tick(self) -> None:
        """Adds the time since the last call to the run's time. At the time limit or after stop(), saves a checkpoint
        and raises OutOfTime or Stopped."""
        self._count()
        if self._stopping or self.state.seconds >= self.limit - self._reserve:
            self._save(now=True)
            raise Stopped if self._stopping else OutOfTime

    @property
    def _reserve(self) -> float:
        """Seconds that are reserved for the first gate, without which a run would have no best net."""
        return 0.0 if self.state.nets or self.rounds is not None else min(FIRST_GATE * self.limit, MOST_FIRST_GATE)

    def _seconds_of(self, share: float) -> float:
        """Returns a share of the time limit in seconds; infinity if the run ends after a number of rounds. share: 0 to
        1."""
        return share * self.limit if self.rounds is None else math.inf

    def _save(self, now: bool = False) -> None:
        if not now and time.monotonic() - self._saved < self.config.checkpoint:
            return
        self._count()
        self.state.rng = dict(self.rng.bit_generator.state)
        if self._learner is not None:
            self.state.play = self._learner.state()
        self.metrics.settle()
        self.state.metrics = self.metrics.size
        checkpoint.save(self.out / CHECKPOINT, self.net, self.average, self.optimizer, self.state)
        self._saved = time.monotonic()

    def _log(self, **values: Any) -> None:
        state = self.state
        begin = {"seconds": round(state.seconds, 2), "stage": state.stage}
        self.metrics.add({**begin, **values, "positions": state.positions, "games": state.games})

    def _show(self, text: str) -> None:
        state, rounds = self.state, self.rounds
        if rounds is None:
            done, left = state.seconds / self.limit, self.limit - state.seconds
        else:
            boot = state.stage == BOOTSTRAP
            part, whole = (
                (state.batches, self.config.bootstrap.batches)
                if boot
                else (state.iterations, rounds * self.config.gate.every)
            )
            done = part / max(whole, 1)
            left = math.inf if boot or part == 0 else state.stage_seconds / part * (whole - part)
        shares = {anchor: float(np.mean(scores)) for anchor, scores in self.gate.known.items()}
        self.progress.show(Standing(state.stage, min(1.0, done), left, state.games, state.positions, text, shares))

    # ---- stages ----

    def run(self) -> None:
        """Trains until the time is over or the rounds are finished, and writes the best net. Resumes from the
        checkpoint if there is one.

        Raises Stopped after stop(), RuntimeError if a process of games fails.
        """
        self.out.mkdir(parents=True, exist_ok=True)
        write_whole(self.out / "config.toml", write_config(self.config))
        events = importlib.util.find_spec("tensorboard") is not None
        if not events:
            self.progress.note(f"no files for TensorBoard in {self.out / EVENTS}: they need pip install tensorboard")
        self.metrics = Metrics(self.out, self.state.metrics, self.state.positions, events)
        self._log(limit=self.limit if self.rounds is None else None, rounds=self.rounds)
        if self._resumed:
            self.progress.note(
                f"resumes after {self.state.seconds / 60:.1f} minutes, {self.state.games} games and "
                f"{self.state.positions:,} positions, counted over all starts"
            )
        try:
            if self.state.stage == BOOTSTRAP:
                self._bootstrap()
            self._play()
        except OutOfTime:
            if not self.state.nets:
                self._judge()
                # A resumed run draws samples with a seed of the number of gates, which has just changed.
                self.state.course = None
        finally:
            self.progress.end()
        self._log(ended=True)
        self._save(now=True)
        self.metrics.close()
        self._report()

    def _record(self) -> None:
        """Records the games of the teachers for the bootstrap. Part of the time limit ends it early."""
        config = self.config.bootstrap
        limit = self._seconds_of(config.share / 2)
        parts = [
            _parts_of(teacher, games, f"teacher-{i}-{{:04}}", self.config.seed + 7919 * i)
            for i, (teacher, games) in enumerate(zip(config.teachers, config.games))
        ]
        # Interleave the parts of the teachers.
        line = [part for turn in itertools.zip_longest(*parts) for part in turn if part is not None]
        self._record_parts(line, limit)

    def _record_lessons(self) -> None:
        """Records the games of the teachers for the current round of play. A teacher's name may contain the best net's
        file."""
        config, state = self.config.play, self.state
        best = str(self.out / "nets" / state.nets[-1])
        seed = self.config.seed + 104_729 * len(state.gates)
        for i, teacher in enumerate(config.teachers):
            name = f"round-{len(state.gates):04}-{i}-{{:02}}"
            self._record_parts(_parts_of(teacher.replace(BEST, best), config.lessons, name, seed + 7919 * i))

    def _games_of(self, part: Part) -> Path:
        return self.out / "games" / part.name

    def _record_parts(self, parts: Sequence[Part], limit: float = math.inf) -> None:
        """Plays the missing parts, several at a time if the machines of a queue play them.

        limit: seconds of the stage after which no new part begins, and only begun parts are finished.

        Raises RuntimeError if the process of a part fails, Stopped after Ctrl-C.
        """
        at_once = QUEUED if self.queue else 1
        for first in range(0, len(parts), at_once):
            some = [part for part in parts[first : first + at_once] if part.name not in self.state.recorded]
            if self.state.recorded and self.state.stage_seconds >= limit:
                some = [part for part in some if self._games_of(part).exists()]
            started = [subprocess.Popen(self._command(part), stdout=subprocess.DEVNULL) for part in some]
            codes = self._wait(started)
            for part, code in zip(some, codes):
                if code != 0 and self._stopping:
                    # The child process received the same Ctrl-C.
                    raise Stopped
                if code != 0:
                    raise RuntimeError(f"teacher {part.teacher}: its games ended with exit code {code}")
                self.state.recorded.append(part.name)
                self.state.games += part.games
            if some:
                self._tick()
                self._save()
            done, total = (sum(part.games for part in every) for every in (parts[: first + at_once], parts))
            self._show(f"games of teachers, {done} of {total}")

    def _wait(self, started: Sequence["subprocess.Popen[bytes]"]) -> List[int]:
        """Waits for processes and returns their exit codes. When the time is over, terminates them and raises
        OutOfTime; the same command resumes their games later."""
        # The first part has no time limit: without any games there would be no net.
        is_timed = self.rounds is None and len(self.state.recorded) > 0
        try:
            for process in started:
                self._count()
                process.wait(max(0.0, self.limit - self._reserve - self.state.seconds) if is_timed else None)
        except subprocess.TimeoutExpired:
            for process in started:
                process.terminate()
        codes = [process.wait() for process in started]
        if any(codes) and is_timed:
            self._tick()
        return codes

    def _command(self, part: Part) -> List[str]:
        agents, until = ",".join(self._table(part.teacher, part.seed)), self.config.bootstrap.until
        options = {"agents": agents, "games": part.games, "seed": part.seed, "until": until, "targets": True}
        return command_of("selfplay", self.config, self.queue, **options, out=self._games_of(part))

    def _table(self, teacher: str, seed: int) -> List[str]:
        """Draws the agents of a game, indexed by power: the teacher and strangers. In half of the games all strangers
        are the same agent."""
        config = self.config.bootstrap
        rng = np.random.default_rng(seed)
        names = list(config.strangers)
        weights = np.array(list(config.strangers.values()))
        drawn = rng.choice(len(names), self.powers, p=weights / weights.sum())
        if rng.random() < 0.5:
            drawn[:] = drawn[0]
        own = rng.random(self.powers) < config.seat
        own[int(rng.integers(self.powers))] |= not own.any()
        return [teacher if mine else names[kind] for mine, kind in zip(own, drawn)]

    def _samples(self) -> Iterator[Samples]:
        """Yields batches of samples of the latest teacher games, without end, from where the state left off. Removes
        cached arrays of older games."""
        runs = [self.out / "games" / name for name in self.state.recorded[-self.config.play.window // PART :]]
        cache = self.out / "cache"
        dataset = Dataset(runs, cache=cache, workers=self.config.workers or None)
        for folder in cache.iterdir():
            if folder.is_dir() and folder not in dataset.folders:
                shutil.rmtree(folder, ignore_errors=True)
        teachers = (*self.config.bootstrap.teachers, *self.config.play.teachers)
        taught = [name for name in dataset.agent_names if any(is_agent(one, name) for one in teachers)]
        dataset = dataset.where(agents=taught).only(*ARRAYS)
        course = self.state.course or {"epoch": 0, "batch": 0}
        seed = self.config.seed + len(self.state.gates)
        for epoch in itertools.count(course["epoch"]):
            order = dataset.order(self.config.bootstrap.batch_size, seed=seed, epoch=epoch)
            for batch in range(course["batch"] if epoch == course["epoch"] else 0, len(order)):
                self.state.course = {"epoch": epoch, "batch": batch + 1}
                yield read_samples(dataset[order[batch]])

    def _bootstrap(self) -> None:
        config = self.config.bootstrap
        self._record()
        end = self._seconds_of(config.share)
        if self.state.imitated_from is None:
            self.state.imitated_from = self.state.stage_seconds
        begun = self.state.imitated_from
        for samples in self._samples() if self.state.judging is None else []:
            by_time = (self.state.stage_seconds - begun) / max(end - begun, 1e-9)
            done = max(self.state.batches / config.batches, by_time)
            if done >= 1:
                break
            for group in self.optimizer.param_groups:
                group["lr"] = config.learning_rate * min(1.0, (self.state.batches + 1) / 50) * max(1 - done, 0.01)
            losses = imitate(self.net, self.joint, self.optimizer, samples, config.value_weight)
            self.state.batches += 1
            self.state.positions += len(samples)
            self._tick()
            self._save()
            if self.state.batches % 20 == 0:
                self._log(batch=self.state.batches, policy=losses.policy, value=losses.value, same=losses.same)
                self._show(f"batch {self.state.batches}, loss {losses.policy:.3f}, same order {losses.same:.0%}")
        self._judge()
        self.state.stage, self.state.stage_seconds, self.state.course = PLAY, 0.0, None
        self.optimizer.state.clear()
        self._save(now=True)

    def _play(self) -> None:
        config = self.config
        for group in self.optimizer.param_groups:
            group["lr"] = config.learn.learning_rate
        seed = int(self.rng.integers(1 << 31))
        kept = self.state.play
        play, workers = config.play, config.workers or None
        with Batch(play.games, config.map, config.rules, workers=workers, seed=seed, until=play.until) as batch:
            league = League(config.play, batch.powers, self.rng)
            learner = Learner(self.net, self.optimizer, batch, league, config.learn)
            self._seat(league)
            if not self._go_on(learner, kept):
                learner.deal(np.arange(len(batch)))
            self._learner = learner
            try:
                if self.actors > 0:
                    self._actors = Actors(config, self.actors, np.random.SeedSequence(int(self.rng.integers(1 << 62))))
                self._learn(learner, league)
            finally:
                self._learner = None
                if self._actors is not None:
                    self._actors.close()

    def _learn(self, learner: Learner, league: League) -> None:
        state = self.state
        lessons: Optional[Iterator[Samples]] = None
        while state.judging is not None or self.rounds is None or len(state.gates) <= self.rounds:
            if state.judging is None:
                if lessons is None:
                    self._record_lessons()
                    lessons = self._samples()
                self._iterate(learner, lessons)
            if state.judging is not None:
                self._judge()
                self._seat(league)
                state.course, lessons = None, None
                self._save(now=True)

    def _iterate(self, learner: Learner, lessons: Iterator[Samples]) -> None:
        actors, state = self._actors, self.state
        aged: Dict[str, Any] = {}
        if actors is None:
            report = learner.iterate()
        else:
            report = actors.iterate(learner, state.iterations)
            known = actors.staleness
            aged = {"staleness": known.mean, "staleness_largest": known.largest, "dropped": known.dropped}
        for samples in itertools.islice(lessons, self.config.learn.study):
            imitate(self.net, self.joint, self.optimizer, samples, self.config.bootstrap.value_weight)
            state.positions += len(samples)
        self._follow(self.config.learn.average)
        state.iterations += 1
        state.positions += report.positions
        state.games += report.games
        self._log(iteration=state.iterations, **vars(report), **aged)
        self._show(
            f"iteration {state.iterations}, value loss {report.value:.4f}, entropy {report.entropy:.2f}, "
            f"score {report.score:.3f}"
        )
        # The next checkpoint records that a gate is due.
        if state.iterations % self.config.gate.every == 0:
            state.judging = {}
        self._tick()
        self._save()

    def _follow(self, kept: float) -> None:
        """Moves the average of the weights towards the learning net. kept: decay, 0 to 1; 0 copies the learning net."""
        with torch.no_grad():
            for mean, latest in zip(self.average.tensors.values(), self.net.tensors.values()):
                mean.lerp_(latest, 1 - kept)

    def _seat(self, league: League) -> None:
        league.nets = [self._agent(name) for name in self.state.nets]
        league.best = str(self.out / "nets" / self.state.nets[-1]) if self.state.nets else ""

    def _go_on(self, learner: Learner, kept: Optional[Dict[str, Any]]) -> bool:
        """Restores the games and the random generator of a checkpoint. Returns False if there are none or they cannot
        be restored.

        learner: receives the games. kept: Learner.state() of the checkpoint; None: no games.
        """
        if kept is None or self.state.rng is None:
            return False
        try:
            learner.restore(kept)
        except (LepantoError, ValueError) as error:
            # The run's directory was moved, so the files of nets that play in these games are missing.
            self.progress.note(f"games of the checkpoint cannot be continued, new games begin: {error}")
            return False
        self.rng.bit_generator.state = self.state.rng
        return True

    # ---- gates ----

    def _agent(self, name: str) -> str:
        return f"net:file={self.out / 'nets' / name}:temperature={self.config.play.temperature}"

    def _judge(self) -> None:
        state = self.state
        name = f"net-{len(state.gates):04}.safetensors"
        (self.out / "nets").mkdir(exist_ok=True)
        if state.stage == BOOTSTRAP:
            self._follow(0.0)
        self.average.save(self.out / "nets" / name, positions=str(state.positions), seconds=f"{state.seconds:.0f}")
        best = self._agent(state.nets[-1]) if state.nets else None
        state.judging = state.judging or {}
        self.gate.played = state.judging
        self.gate.folder = self.out / GATES / Path(name).stem

        def check() -> None:
            self._count()
            if self._stopping:
                self._save(now=True)
                raise Stopped
            if state.seconds >= self._seconds_of(1):
                raise TimeOver

        def progress(what: str, done: int, of: int) -> None:
            check()
            # The same command with more minutes resumes the gate from this checkpoint.
            self._save()
            self._show(f"gate: {what}")

        self.gate.while_playing = check

        try:
            verdict = self.gate.judge(self._agent(name), best, progress)
        except TimeOver:
            self._save(now=True)
            raise OutOfTime from None
        self._count()
        state.judging = None
        if verdict.passed:
            self.gate.accept(verdict)
            state.nets.append(name)
            state.known = self.gate.known
        told = {"passed": verdict.passed, "reason": verdict.reason}
        scores, shares, errors = (
            {anchor: getattr(pairing, what) for anchor, pairing in verdict.anchors.items()}
            for what in ("scores", "mean", "error")
        )
        state.gates.append({"net": name, "seconds": state.seconds, **told, "anchors": scores})
        self._log(gate=name, **told, shares=shares, errors=errors)
        write_whole(self.out / "gates.md", self.table())

    def table(self) -> str:
        """Returns the results of all gates as a Markdown table."""
        rows = []
        for one in self.state.gates:
            anchors = {anchor: Pairing(tuple(scores)) for anchor, scores in one["anchors"].items()}
            verdict = Verdict(one["passed"], one["reason"], None, anchors)
            rows.append((f"{one['net']}, {one['seconds'] / 60:.0f} min", verdict))
        return table_of(rows, self.config.gate.anchors)

    def summary(self) -> str:
        """Returns text for the end of the run: the best net, a command that plays it, and the stages that ran out of
        time."""
        state, best = self.state, self.out / "best.safetensors"
        lines = []
        if state.iterations == 0 and self.rounds is None:
            lines.append(
                f"the {self.limit / 60:g} minutes were too few to reach play (PPO): the net has only imitated; "
                "the same command with more --minutes continues"
            )
        if state.judging is not None:
            lines.append("the time ended during a gate: the same command with more --minutes continues it")
        if state.nets:
            agents = f"net:file={best},dumbbot"
            lines.append(f"the best net is {best} ({state.nets[-1]}); to play it:")
            lines.append(f"  lepanto arena --agents {shlex.quote(agents)} --until {self.config.gate.until}")
        return "".join(f"{line}\n" for line in lines)

    def _report(self) -> None:
        if self.state.nets:
            best = (self.out / "nets" / self.state.nets[-1]).read_bytes()
            write_whole(self.out / "best.safetensors", best)
