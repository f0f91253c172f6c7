"""Lepanto on a cluster of Ray: runs, batches in actors, arenas, and recorded games as a dataset.

    import ray, lepanto.ray

    ray.init("auto")
    lepanto.ray.selfplay("runs/dumbbot", games=100_000, agents="dumbbot")        # the files of `lepanto selfplay`
    lepanto.ray.arena([MyNet, "dumbbot"], games=7_000).text                      # the table of `lepanto arena`
    lepanto.ray.read("runs/dumbbot").map_batches(...)                            # a ray.data.Dataset

    with lepanto.ray.Batches(8, 256, until=1910, seed=1) as batches:             # eight actors with a batch each
        for result in batches.map(play, range(100), weights):
            learn(result)

Nothing that comes out depends on the number of nodes, or on which of them are lost: what a process or a node that died
had under way is done again elsewhere. Engines end with the process that started them, however that ends. Wants the
extra `lepanto[ray]`, and Node on every node.
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
    #: As Any: what ray's decorators return has no type.
    ray: Any = importlib.import_module("ray")
except ImportError as error:
    raise ImportError('lepanto.ray: got no ray, wanted it: pip install "lepanto[ray]"') from error

PathLike = Union[str, "os.PathLike[str]"]

#: Actors that die under one task before it is given up: a node that is taken away now and then is no fault of the task.
MOST_DEATHS = 8
#: Engines that die under one task before it is given up, where nothing else has died.
MOST_ENGINES = 3


# ---- commands ----


def _lepanto(*arguments: str, folder: str = "") -> str:
    """Runs a command of Lepanto, which ends with this process; returns what it prints.

    folder: removed if this process dies before. Raises LepantoError with what the command said, if it fails; EngineDied
        if a signal has ended it.
    """
    leash, ours = os.pipe()
    try:
        command = [find_node(), str(script("dist/bindings/python/leash.js")), folder, *arguments]
        process = subprocess.Popen(command, stdin=leash, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(leash)
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
    """Tasks of so many CPUs that the cluster can do at once, at least 1."""
    return max(1, int(ray.cluster_resources().get("CPU", 1) / cpus))


def _results(function: Callable[..., Any], calls: Iterable[Tuple[Any, ...]], cpus: float) -> Iterator[Any]:
    """Calls a function all over the cluster; results as they come. What a dead process or node had is called again.

    Twice as many calls wait as can be done at once, so that results do not pile up in the memory of the cluster.
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
    """Calls a function, and again if its engine has died."""
    for left in range(MOST_ENGINES)[::-1]:
        try:
            return function(*arguments)
        except EngineDied as error:
            if left == 0:
                raise
            print(f"lepanto.ray: {error}; another one begins anew", file=sys.stderr, flush=True)


def _get(ref: Any) -> Any:
    """The value of a reference. Errors of this module are raised as themselves, not wrapped by Ray."""
    try:
        return ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, (LepantoError, ValueError, TypeError)) else error) from None


# ---- runs ----

#: Games in a file of a run, as `lepanto selfplay` has it by default.
SHARD_GAMES = 256


class RunOptions(TypedDict, total=False):
    """Options of a run by keyword, as `lepanto selfplay --help` has them."""

    until: Optional[int]
    seed: int
    map: str
    rules: str
    stalemate: int
    chance: float
    shard_games: int
    """Games in a file of the run, by default 256: fewer where agents are slow, 1 for `search`."""
    targets: bool
    """Records what agents weighed."""


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
    """Plays a run of `lepanto selfplay` on the cluster, into the directory `out` of this machine; returns its summary,
    as `lepanto selfplay --json` prints it.

    The same call resumes a run that was stopped. The files are those of one machine.

    games, agents: as `lepanto selfplay --help` has them. run: by keyword, those of lepanto.ray.RunOptions: until, seed,
        map, rules, stalemate, chance, shard_games, targets.
    shards_a_task: shards that one task plays. A task starts an engine, which takes half a second.
    cpus: of one task, and threads of its engine.
    shared: True if `out` is a folder that all nodes share, under one path: tasks write there, and no record travels.

    Raises LepantoError for what `lepanto selfplay` refuses, and if an agent fails.
    """
    directory = Path(out).absolute()
    # Options that are not given are left to the command, which has defaults of its own.
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
                # Compares every shard with its check, and the run with the existing one.
                _lepanto("merge", folder, "--out", str(directory), "--partial", "--quiet", folder=folder)
    summary: Dict[str, Any] = json.loads(_lepanto("selfplay", *arguments, "--out", str(directory), "--json", "--quiet"))
    return summary


def _play_part(arguments: Sequence[str], target: str) -> Dict[str, bytes]:
    """Plays a part of a run; its files, if they are not written to a shared folder."""
    with tempfile.TemporaryDirectory(prefix="lepanto-ray-") as folder:
        _lepanto("selfplay", *arguments, "--out", target or folder, "--quiet", "--json", folder=folder)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


# ---- batches ----

#: play(batch, task, *shared): what is done with a batch that has been reset for a task.
Play = Callable[..., Any]


class _Player:
    """Holds a batch."""

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
            # There is one way to begin anew, that of a process that was killed.
            os._exit(1)


class Batches:
    """Actors that hold a batch each, for learners that play on many machines.

        def play(batch, task, weights):
            net = Net(weights)
            while ...:
                batch.step(...)
            return numpy arrays

        with lepanto.ray.Batches(8, 256, until=1910, seed=1) as batches:
            for epoch in range(100):
                for result in batches.map(play, range(64), ray.put(weights)):
                    ...

    count: actors. num_games: games of each batch. cpus: of each actor, and threads of its engine. resources: what else
        an actor takes up, as Ray is told: {"num_gpus": 0.25}, {"resources": {"big": 1}}.
    batch: further arguments of lepanto.Batch.

    An actor that dies, with its node or alone, is replaced where there is room; its task is played again by a free one.
    """

    def __init__(
        self, count: int, num_games: int, *, cpus: int = 1, resources: Optional[Mapping[str, Any]] = None, **batch: Any
    ) -> None:
        self.count = whole_from("count", count, 1, 1 << 16)
        options = {"workers": cpus, **batch, "seed": whole_from("seed", batch.get("seed", 0), *SEEDS)}
        made = ray.remote(_Player).options(**{"num_cpus": cpus, "max_restarts": 0, **(resources or {})})
        self._make = functools.partial(made.remote, num_games, options)
        #: Tasks whose results were taken.
        self._taken = 0
        #: Actors with nothing to do, and those that start by the reference that says that they have.
        self._free: List[Any] = []
        self._starting: Dict[Any, Any] = {}
        #: Actors that have died in a row, by when they have.
        self._deaths: Counter[str] = Counter()
        self._is_playing = False
        for _ in range(self.count):
            self._start()

    def _start(self) -> None:
        actor = self._make()
        self._starting[actor.start.remote()] = actor

    def _take_up(self, ref: Any) -> None:
        """An actor has started, or has not."""
        actor = self._starting.pop(ref)
        try:
            _get(ref)
        except ray.exceptions.RayActorError as error:
            self._replace("while they started", error)
        else:
            self._deaths.pop("while they started", None)
            self._free.append(actor)

    def _replace(self, when: str, error: Exception) -> None:
        """Starts an actor in place of one that has died. Raises LepantoError if too many have, all of them then."""
        self._start()
        self._deaths[when] += 1
        if self._deaths[when] == MOST_DEATHS:
            raise LepantoError(f"{MOST_DEATHS} actors have died {when}, the last one so: {error}") from error

    def map(self, play: Play, tasks: Iterable[Any], *shared: Any, ordered: bool = True) -> Iterator[Any]:
        """Calls `play(batch, task, *shared)` for each task in some actor, and yields what it returns in the order of
        the tasks.

        All games of the batch are reset before each call, with seeds that follow from the seed of the batches and from
        the number of results taken before, in this pass and in earlier ones. So what a task returns depends neither on
        which actor plays it nor on how often it was begun. Opponents stay as play() has set them: set them in each
        call, if in any.

        tasks: any iterable, read as actors become free. shared: the same for all; ray.put() what is large. ordered:
        False yields what comes first; which task has which seed stays the same. At most four results an actor wait to
        be taken.

        Raises what play() raises, and LepantoError if eight actors have died under one task.
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
                    # Before it is yielded: the loop around may be left there.
                    self._taken += 1
                    yield value
        finally:
            # Who leaves the loop early wants none of what is still played.
            for actor, _, _ in pass_.playing.values():
                ray.kill(actor)
                self._start()
            self._is_playing = False

    def close(self) -> None:
        """Ends the actors."""
        for actor in [*self._free, *self._starting.values()]:
            ray.kill(actor)
        self._free, self._starting, self._make = [], {}, cast(Any, None)

    def __enter__(self) -> "Batches":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class _Pass:
    """The tasks of one Batches.map()."""

    def __init__(self, batches: Batches, play: Any, tasks: Iterator[Tuple[int, Any]], shared: Tuple[Any, ...]) -> None:
        self.batches, self.play, self.tasks, self.shared = batches, play, tasks, shared
        self.first = batches._taken
        #: Tasks to be handed out next, with their places: those whose actor has died.
        self.again: List[Tuple[int, Any]] = []
        #: By the reference of the result: the actor, and the task with its place.
        self.playing: Dict[Any, Tuple[Any, int, Any]] = {}
        #: Results that wait for those before them.
        self.results: Dict[int, Any] = {}

    def hand_out(self) -> bool:
        """Gives tasks to actors that are free; False if there is none left, nor under way."""
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
        # Without a free actor the iterator of tasks has not been asked for more.
        return len(self.playing) > 0 or len(self.again) > 0 or not free

    def take(self, ordered: bool) -> Iterator[Any]:
        """Waits for one actor; the results that can be yielded then."""
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

#: An agent, or what makes one in the process where it plays: a class, a function without arguments.
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
    """Plays agents against each other on the cluster, as lepanto.arena.play() does in one process: the same games,
    standings and table.

    agents: names of agents of the engine, objects of lepanto.bot.Bot or lepanto.arena.Net, which travel by pickle, or
        what makes one where it plays (`lambda: MyNet("weights.npz")`). A bot or net that remembers something of earlier
        games is another one in each task.
    games_a_task: games that one task plays, with an engine and agents of its own. cpus: of one task, and threads of its
        engine.
    conditions: by keyword, those of lepanto.arena.Conditions but for `workers`. `on_game` gets games in any order.
    """
    begin = time.monotonic()
    whole_from("games_a_task", games_a_task, 1, 1 << 30)
    if "workers" in conditions:
        raise TypeError("arena: got workers, wanted cpus")
    given = _arena._conditions({**conditions, "workers": cpus})
    on_game, given["on_game"] = given["on_game"], None
    if isinstance(agents, str) or len(agents) < 2:
        raise ValueError(f"agents: got {agents!r}, wanted at least 2, in a list")
    # Refuses here what is not to be played.
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
    """Recorded games as a ray.data.Dataset: a row for each sample of lepanto.dataset.Dataset, with its arrays as
    columns.

    dataset: a Dataset whose cache is in a folder that all nodes share, or the path of a run. parts: tasks that read,
        each every n-th block with a CPU of its own; None: two for each CPU of the cluster. batch_size: rows of a block.

    Legal lists are rows too: `legal_ids` has those of the sample, one behind the other, and `legal_offsets` counts from
    0. joined() makes a batch of rows what a Dataset returns:

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
    """Samples with the legal lists of each as a row."""
    if "legal_ids" not in samples:
        return dict(samples)
    offsets, ids = samples["legal_offsets"], samples["legal_ids"]
    lists = np.empty(len(offsets), object)
    lists[:] = [ids[row[0] : row[-1]] for row in offsets]
    return {**samples, "legal_offsets": offsets - offsets[:, :1], "legal_ids": lists}


def joined(rows: Mapping[str, Any]) -> Samples:
    """A batch of rows of read(), as numpy arrays, in the form of those that lepanto.dataset.Dataset yields."""
    if "legal_ids" not in rows:
        return dict(rows)
    offsets = rows["legal_offsets"].astype(np.int32)
    ends = np.cumsum(offsets[:, -1], dtype=np.int32)
    ids = np.concatenate([np.asarray(one, np.int32) for one in rows["legal_ids"]])
    return {**rows, "legal_offsets": offsets + (ends - offsets[:, -1])[:, None], "legal_ids": ids}
