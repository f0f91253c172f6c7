"""Lepanto on a cluster of Ray: runs, batches in actors, arenas, and recorded games as a dataset.

    import ray, lepanto.ray

    ray.init("auto")
    lepanto.ray.selfplay("runs/dumbbot", games=100_000, agents="dumbbot")        # the files of `lepanto selfplay`
    lepanto.ray.arena([MyNet, "dumbbot"], games=7_000).text                      # the table of `lepanto arena`
    lepanto.ray.read("runs/dumbbot").map_batches(...)                            # a ray.data.Dataset

    with lepanto.ray.Batches(8, 256, until=1910, seed=1) as batches:             # eight actors with a batch each
        for result in batches.map(play, range(100), weights):
            learn(result)

Results do not depend on the number of nodes: tasks of a process or node that dies run again elsewhere. An engine ends
with the process that started it, even if that process is killed. Requires the extra `lepanto[ray]`, and Node.js on
every node.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypedDict,
    Union,
    cast,
)

import numpy as np

from . import arena as _arena
from ._checks import SEEDS, whole_from
from ._options import arguments_of, completed
from ._seeds import seeds_of
from ._server import EngineDied, LepantoError, find_node, script
from ._store import Samples
from .batch import Batch
from .bot import Bot
from .dataset import Dataset

if TYPE_CHECKING:
    from typing_extensions import Unpack

try:
    #: Typed as Any, because ray's decorators return untyped objects.
    ray: Any = importlib.import_module("ray")
except ImportError as error:
    raise ImportError('lepanto.ray: got no ray, wanted it: pip install "lepanto[ray]"') from error

PathLike = Union[str, "os.PathLike[str]"]

#: Number of actors that may die under one task before an error is raised. Preempted nodes kill actors now and then.
MOST_DEATHS = 8
#: Number of attempts at one call whose engine process dies while the Python process survives.
MOST_ENGINES = 3


# ---- commands ----


def _lepanto(*arguments: str, folder: str = "") -> str:
    """Runs a command of Lepanto and returns its stdout. The command ends if this process ends.

    folder: directory that is removed if this process dies during the command; "" for none.

    Raises LepantoError with the last line of stderr if the command fails, EngineDied if a signal ended it.
    """
    theirs, ours = os.pipe()
    try:
        command = [find_node(), str(script("dist/bindings/python/end-with-parent.js")), folder, *arguments]
        process = subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(theirs)
        if sys.exc_info()[0] is not None:
            os.close(ours)
    try:
        out, words = process.communicate()
    finally:
        os.close(ours)
        process.wait()
    if process.returncode < 0:
        raise EngineDied(f"the engine has ended with signal {-process.returncode}")
    if process.returncode != 0:
        last = words.strip().splitlines() or [f"exit code {process.returncode}"]
        raise LepantoError(last[-1].replace("lepanto: ", "", 1))
    return out


def _slots(cpus: float) -> int:
    """Returns the number of tasks that the Ray cluster can run at the same time, at least 1. cpus: CPUs of one task."""
    return max(1, int(ray.cluster_resources().get("CPU", 1) / cpus))


def _results(function: Callable[..., Any], calls: Iterable[Tuple[Any, ...]], cpus: float) -> Iterator[Any]:
    """Calls a function on the cluster, once for each tuple of arguments, and yields results in order of completion.

    Repeats calls whose process or node died. Submits at most twice as many calls as can run at the same time, so that
    results do not pile up in the cluster's memory. cpus: CPUs of one call.
    """
    remote = ray.remote(_again).options(num_cpus=cpus, max_retries=-1)
    left, waiting = iter(calls), []
    try:
        while True:
            for call in left:
                waiting.append(remote.remote(function, *call))
                if len(waiting) >= 2 * _slots(cpus):
                    break
            if not waiting:
                return
            done, waiting = ray.wait(waiting)
            yield _get(done[0])
    finally:
        for ref in waiting:
            ray.cancel(ref, force=True)


def _again(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function and returns its result. Repeats the call if its engine process dies, up to MOST_ENGINES calls in
    all.

    Raises EngineDied if the engine has died in each of them.
    """
    for left in range(MOST_ENGINES)[::-1]:
        try:
            return function(*arguments)
        except EngineDied as error:
            if left == 0:
                raise
            print(f"lepanto.ray: {error}; another engine starts", file=sys.stderr, flush=True)


def _get(ref: Any) -> Any:
    """Returns the value of a Ray reference.

    Raises LepantoError, ValueError and TypeError of the task as such, other errors as Ray wraps them.
    """
    try:
        return ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, (LepantoError, ValueError, TypeError)) else error) from None


# ---- runs ----

#: Default number of games in one file of a run, the same as in `lepanto selfplay`.
SHARD_GAMES = 256


class RunOptions(TypedDict, total=False):
    """Keyword options of a run. `lepanto selfplay --help` describes them."""

    until: Optional[int]
    seed: int
    map: str
    rules: str
    stalemate: int
    chance: float
    shard_games: int
    """Number of games in one file of the run, by default 256. Use fewer for slow agents, 1 for `search`."""
    targets: bool
    """True to record the agents' targets: their policies and values."""


def selfplay(
    out: PathLike,
    *,
    games: int = 1024,
    agents: str = "random",
    shards_a_task: int = 16,
    cpus: int = 1,
    shared: bool = False,
    **run: Unpack[RunOptions],
) -> Dict[str, Any]:
    """Plays a run of `lepanto selfplay` on the cluster and writes it to the directory `out` of this machine. Returns
    the run's summary, as `lepanto selfplay --json` prints it.

    The files are the same as those of a run on one machine. The same call resumes a stopped run.

    games, agents: number of games, and agents, as in `lepanto selfplay --help`.
    run: keyword options of lepanto.ray.RunOptions: until, seed, map, rules, stalemate, chance, shard_games, targets.
    shards_a_task: number of shards that one task plays. Each task starts an engine, which takes half a second.
    cpus: CPUs of one task, and threads of its engine.
    shared: True if all nodes share `out` under the same path. Tasks then write to it directly, and no records are sent
        to this machine.

    Raises LepantoError if `lepanto selfplay` rejects an option or an agent fails.
    """
    directory = Path(out).absolute()
    # The command has defaults for omitted options.
    options = completed("selfplay", run, dict.fromkeys(RunOptions.__annotations__))
    shard_games = whole_from("shard_games", run.get("shard_games", SHARD_GAMES), 1, 1 << 20)
    whole_from("games", games, 1, 100_000 * shard_games)
    arguments = arguments_of({**options, "games": games, "agents": agents})
    shards = -(-games // shard_games)
    parts = -(-shards // whole_from("shards_a_task", shards_a_task, 1, 1 << 30))
    there = {path.stem for path in directory.glob("games-*.table")} if directory.is_dir() else set()
    missing = [
        part for part in range(parts) if any(f"games-{shard:05}" not in there for shard in range(part, shards, parts))
    ]
    target = str(directory) if shared else ""
    calls = [([*arguments, f"--shard={part + 1}/{parts}", f"--workers={cpus}"], target) for part in missing]
    for files in _results(_play_part, calls, cpus):
        if files:
            with tempfile.TemporaryDirectory(prefix="lepanto-ray-") as folder:
                for name, data in files.items():
                    Path(folder, name).write_bytes(data)
                # Checks the hash of each shard, and that its run matches the existing one.
                _lepanto("merge", folder, "--out", str(directory), "--partial", "--quiet", folder=folder)
    summary: Dict[str, Any] = json.loads(_lepanto("selfplay", *arguments, "--out", str(directory), "--json", "--quiet"))
    return summary


def _play_part(arguments: Sequence[str], target: str) -> Dict[str, bytes]:
    """Plays a part of a run in a task of the cluster. Returns the part's files as bytes, keyed by name, or an empty
    dict if they were written to a shared directory.

    arguments: of `lepanto selfplay`. target: the shared directory; "" for none.
    """
    with tempfile.TemporaryDirectory(prefix="lepanto-ray-") as folder:
        _lepanto("selfplay", *arguments, "--out", target or folder, "--quiet", "--json", folder=folder)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


# ---- batches ----

#: play(batch, task, *shared): plays one task with a batch that has been reset for it, and returns the task's result.
Play = Callable[..., Any]


class _Player:
    """Ray actor that owns one batch and plays tasks with it. Ends its process if the batch's engine dies."""

    def __init__(self, num_games: int, options: Mapping[str, Any]) -> None:
        self.given = num_games, options

    def start(self) -> int:
        num_games, options = self.given
        self.batch = Batch(num_games, **options)
        return self.batch.process_id

    def play(self, play: Play, number: int, task: Any, *shared: Any) -> Any:
        seed = seeds_of(self.given[1]["seed"], np.array([number], np.uint32))[0]
        try:
            self.batch.reset(int(seed))
            return play(self.batch, task, *shared)
        except EngineDied as error:
            print(f"lepanto.ray: {error}", file=sys.stderr, flush=True)
            # Ends the actor, so that a dead engine is handled in the same way as a killed process.
            os._exit(1)


class Batches:
    """Actors that each own one batch, for learners that play on many machines.

        def play(batch, task, weights):
            net = Net(weights)
            while ...:
                batch.step(...)
            return numpy arrays

        with lepanto.ray.Batches(8, 256, until=1910, seed=1) as batches:
            for epoch in range(100):
                for result in batches.map(play, range(64), ray.put(weights)):
                    ...

    count: number of actors. num_games: number of games of each batch. cpus: CPUs of each actor, and threads of its
        engine. resources: further Ray options of an actor: {"num_gpus": 0.25}, {"resources": {"big": 1}}.
    batch: further arguments of lepanto.Batch.

    A dead actor is replaced on a node with free resources, and a free actor plays its task again.
    """

    def __init__(
        self, count: int, num_games: int, *, cpus: int = 1, resources: Optional[Mapping[str, Any]] = None, **batch: Any
    ) -> None:
        self.count = whole_from("count", count, 1, 1 << 16)
        options = {"workers": cpus, **batch, "seed": whole_from("seed", batch.get("seed", 0), *SEEDS)}
        made = ray.remote(_Player).options(**{"num_cpus": cpus, "max_restarts": 0, **(resources or {})})
        self._make = functools.partial(made.remote, num_games, options)
        #: Number of results yielded so far, over all passes.
        self._taken = 0
        #: _free: idle actors. _starting: starting actors, keyed by the reference that resolves once the actor has
        #: started.
        self._free: List[Any] = []
        self._starting: Dict[Any, Any] = {}
        #: Number of actors that died, keyed by the occasion ("while they started", "under task 3").
        self._deaths: Counter[str] = Counter()
        self._is_playing = False
        for _ in range(self.count):
            self._start()

    def _start(self) -> None:
        actor = self._make()
        self._starting[actor.start.remote()] = actor

    def _take_up(self, ref: Any) -> None:
        """Adds an actor whose start has ended to the free ones, or replaces it if it died.

        ref: reference of its start. Raises LepantoError if too many actors died while they started.
        """
        actor = self._starting.pop(ref)
        try:
            _get(ref)
        except ray.exceptions.RayActorError as error:
            self._replace("while they started", error)
        else:
            self._deaths.pop("while they started", None)
            self._free.append(actor)

    def _replace(self, when: str, error: Exception) -> None:
        """Starts an actor in place of a dead one. Raises LepantoError if MOST_DEATHS actors died on the same occasion.

        when: the occasion, for the error message. error: the last actor's error.
        """
        self._start()
        self._deaths[when] += 1
        if self._deaths[when] == MOST_DEATHS:
            raise LepantoError(f"{MOST_DEATHS} actors have died {when}, the last one with: {error}") from error

    def map(self, play: Play, tasks: Iterable[Any], *shared: Any, ordered: bool = True) -> Iterator[Any]:
        """Calls `play(batch, task, *shared)` in an actor for each task, and yields the results in the order of the
        tasks.

        Resets all games of the batch before each call. The seeds depend on the seed of the batches, the number of
        results taken from earlier passes and the place of the task in this pass. A task's result therefore depends
        neither on the actor that plays it nor on the number of attempts. Opponents that play() sets stay set for later
        tasks of the actor, so set them either in each call or in none.

        tasks: any iterable, read as actors become free. shared: further arguments of each call; pass large objects
        through ray.put(). ordered: False yields results in order of completion, with the same seed for each task. At
        most four tasks per actor are under way or wait for their result to be taken.

        Raises the errors of play(), and LepantoError if eight actors have died under one task.
        """
        if self._is_playing or self._make is None:
            raise LepantoError(
                f"got batches that {'are playing' if self._is_playing else 'were closed'}, wanted free ones"
            )
        self._is_playing = True
        self._deaths.clear()
        pass_ = _Pass(self, ray.put(play), enumerate(tasks), shared)
        try:
            while pass_.hand_out():
                for value in pass_.take(ordered):
                    # The result is counted before the yield, because the caller may leave its loop there.
                    self._taken += 1
                    yield value
        finally:
            # Results of tasks under way are not wanted if the caller left its loop early.
            for actor, _, _ in pass_.playing.values():
                ray.kill(actor)
                self._start()
            self._is_playing = False

    def close(self) -> None:
        """Ends the actors. The object cannot be used afterwards."""
        for actor in [*self._free, *self._starting.values()]:
            ray.kill(actor)
        self._free, self._starting, self._make = [], {}, cast(Any, None)

    def __enter__(self) -> "Batches":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class _Pass:
    """State of one call of Batches.map(): its tasks, the actors that play them, and results not yet yielded."""

    def __init__(self, batches: Batches, play: Any, tasks: Iterator[Tuple[int, Any]], shared: Tuple[Any, ...]) -> None:
        self.batches, self.play, self.tasks, self.shared = batches, play, tasks, shared
        self.first = batches._taken
        #: Tasks to hand out next, as (number, task). Tasks of dead actors return here.
        self.again: List[Tuple[int, Any]] = []
        #: Actor, task number and task, keyed by the reference of the result.
        self.playing: Dict[Any, Tuple[Any, int, Any]] = {}
        #: Results not yet yielded, keyed by task number: with ordered results they wait for earlier ones.
        self.results: Dict[int, Any] = {}

    def hand_out(self) -> bool:
        """Gives tasks to the free actors. Returns False when all tasks have been handed out and none is under way."""
        free, ahead = self.batches._free, 4 * self.batches.count
        while free:
            if not self.again and len(self.results) + len(self.playing) < ahead:
                self.again += itertools.islice(self.tasks, 1)
            if not self.again:
                break
            place, given = self.again.pop(0)
            actor = free.pop()
            ref = actor.play.remote(self.play, self.first + place, given, *self.shared)
            self.playing[ref] = actor, place, given
        # Without a free actor the iterator of tasks was not read, and may have more tasks.
        return len(self.playing) > 0 or len(self.again) > 0 or not free

    def take(self, ordered: bool) -> Iterator[Any]:
        """Waits until one actor has started or finished a task. Yields the results that may be yielded then.

        ordered: True yields a result only after those of all earlier tasks. Raises the error of play().
        """
        batches = self.batches
        done, _ = ray.wait([*self.playing, *batches._starting])
        if done[0] in batches._starting:
            batches._take_up(done[0])
            return
        actor, place, task = self.playing.pop(done[0])
        try:
            value = ray.get(done[0])
        except ray.exceptions.RayActorError as error:
            ray.kill(actor)
            self.again.append((place, task))
            batches._replace(f"under task {place}", error)
            return
        except BaseException:
            batches._free.append(actor)
            raise
        batches._free.append(actor)
        self.results[place] = value
        while self.results and (not ordered or batches._taken - self.first in self.results):
            yield self.results.pop(batches._taken - self.first if ordered else place)


# ---- arenas ----

#: An agent, or a class or function without arguments that makes one in the process where it plays.
Maker = Union[_arena.Agent, Callable[[], _arena.Agent]]


def arena(
    agents: Sequence[Maker],
    *,
    protocol: str = "1v6",
    games: int = 70,
    games_a_task: int = 70,
    cpus: int = 1,
    **conditions: Unpack[_arena.Conditions],
) -> _arena.Result:
    """Plays agents against each other on the cluster. Games, standings and table are the same as those of
    lepanto.arena.play().

    agents: names of engine agents; objects of lepanto.bot.Bot or lepanto.arena.Net, which are pickled; or a function
        or class that makes an agent in the process where it plays (`lambda: MyNet("weights.npz")`). Each task has its
        own agents, so an agent remembers only earlier games of the same task.
    games_a_task: number of games that one task plays, with its own engine and agents.
    cpus: CPUs of one task, and threads of its engine.
    conditions: keyword options of lepanto.arena.Conditions, except `workers`. `on_game` gets games in any order.

    Raises ValueError for fewer than two agents, TypeError for `workers`.
    """
    begin = time.monotonic()
    whole_from("games_a_task", games_a_task, 1, 1 << 30)
    if "workers" in conditions:
        raise TypeError("arena: got workers, wanted cpus")
    given = _arena._conditions({**conditions, "workers": cpus})
    on_game, given["on_game"] = given["on_game"], None
    if isinstance(agents, str) or len(agents) < 2:
        raise ValueError(f"agents: got {agents!r}, wanted at least 2, in a list")
    # Rejects invalid arguments here, before any task starts.
    _arena._Table(["", ""], protocol, games, given)
    spans = [(first, min(first + games_a_task, games)) for first in range(0, games, games_a_task)]
    makers = ray.put(list(agents))
    played: Dict[int, _arena.Game] = {}
    illegal: Counter[str] = Counter()
    names: List[str] = []
    for names, some, count in _results(_play_games, ((makers, protocol, games, given, span) for span in spans), cpus):
        illegal.update(count)
        for game in some:
            played[game.index] = game
            if on_game is not None:
                on_game(game)
    table = _arena._Table([*names], protocol, games, given)
    table.illegal = illegal
    with _arena._probe(given) as batch:
        return _arena._sum_up(table, batch, [played[index] for index in range(games)], begin)


def _play_games(
    makers: Sequence[Maker], protocol: str, games: int, conditions: Mapping[str, Any], span: Tuple[int, int]
) -> Tuple[List[str], List[_arena.Game], Dict[str, int]]:
    agents = [one if isinstance(one, (str, Bot, _arena.Net)) or not callable(one) else one() for one in makers]
    table = _arena._Table(_arena._check_agents(agents), protocol, games, conditions, span)
    with _arena._batch_of(table) as batch:
        return table.names, table.play(batch), dict(table.illegal)


# ---- recorded games ----


def read(dataset: Union[Dataset, PathLike], *, parts: Optional[int] = None, batch_size: int = 256) -> Any:
    """Returns recorded games as a ray.data.Dataset: one row for each sample of lepanto.dataset.Dataset, with its arrays
    as columns.

    dataset: a Dataset whose cache is in a directory that all nodes share, or the path of a run. parts: number of
        reading tasks, each with one CPU; task i of n reads every n-th block. None: two for each CPU of the cluster.
    batch_size: rows of a block.

    The legal lists of a sample are one value: `legal_ids` has its lists concatenated, and its `legal_offsets` begin at
    0. joined() converts a batch of rows to the form of a Dataset's samples:

        for rows in lepanto.ray.read("runs/policy").iter_batches(batch_size=256):
            samples = padded(lepanto.ray.joined(rows))
    """
    data = importlib.import_module("ray.data")
    given = dataset if isinstance(dataset, Dataset) else Dataset(dataset)
    count = 2 * _slots(1) if parts is None else whole_from("parts", parts, 1, 1 << 16)

    def rows(batch: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
        for part in batch["id"]:
            for indices in given.order(batch_size, shuffle=False)[int(part) :: count]:
                yield _by_row(given[indices])

    return data.range(count, override_num_blocks=count).map_batches(rows, batch_size=None)


def _by_row(samples: Samples) -> Dict[str, Any]:
    """Returns samples as columns of rows: each row has its own legal lists, concatenated, with offsets that begin at
    0."""
    if "legal_ids" not in samples:
        return dict(samples)
    offsets, ids = samples["legal_offsets"], samples["legal_ids"]
    lists = np.empty(len(offsets), object)
    lists[:] = [ids[row[0] : row[-1]] for row in offsets]
    return {**samples, "legal_offsets": offsets - offsets[:, :1], "legal_ids": lists}


def joined(rows: Mapping[str, Any]) -> Samples:
    """Converts a batch of rows of read(), as numpy arrays, to the form of the samples of lepanto.dataset.Dataset."""
    if "legal_ids" not in rows:
        return dict(rows)
    offsets = rows["legal_offsets"].astype(np.int32)
    ends = np.cumsum(offsets[:, -1], dtype=np.int32)
    ids = np.concatenate([np.asarray(one, np.int32) for one in rows["legal_ids"]])
    return {**rows, "legal_offsets": offsets + (ends - offsets[:, -1])[:, None], "legal_ids": ids}
