"""Recorded games as batches for learning: runs of Lepanto, and games that other programs have saved.

    from lepanto.dataset import Dataset

    for batch in Dataset("runs/policy", batch_size=256):
        batch["observation"], batch["legal_ids"], batch["actions"], batch["returns"]

The engine reads, replays, shuffles and encodes the games in a process of its own; here the arrays are only copied. Each
batch is a dict of numpy arrays of your own: no later batch overwrites them. With PyTorch:

    dataset = Dataset("runs/policy")
    loader = torch.utils.data.DataLoader(dataset.torch(), batch_size=None)
"""

from __future__ import annotations

import copy
import functools
import json
import math
import os
import warnings
from collections import deque
from pathlib import Path
from typing import Any, Deque, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, signed, whole, whole_from
from ._config import cores
from ._server import LepantoError, Server
from .arrays import SCORES, score_index
from .batch import Batch
from .geography import Geography
from .legal import Legal
from .vocabulary import Vocabulary

Samples = Dict[str, npt.NDArray[Any]]
Names = Union[str, Sequence[str]]
PathLike = Union[str, "os.PathLike[str]"]

#: The kinds of phases, in the order of the numbers in `phase`.
PHASES = ("movement", "retreat", "adjustment")

#: Of the way in which an epoch is put in order: another one than that of a saved state would go on with other samples.
_ORDER = 2
#: Options that must be the same when an epoch is resumed.
_COURSE = ("seed", "shuffle", "shard", "per", "powers", "phases", "winners", "winner_only", "agents", "years", "errors")


def _names(name: str, value: Optional[Names]) -> Optional[List[str]]:
    if value is None:
        return None
    found = [value] if isinstance(value, str) else list(value)
    if not found or not all(isinstance(one, str) for one in found):
        raise TypeError(f"{name}: got {value!r}, wanted a name or a list of names")
    return found


class _Epochs:
    """Recorded games that are read batch by batch, epoch after epoch: base of Dataset and lepanto.tensors.Tensors."""

    #: Largest number of a position.
    _MOST = 2**31 - 1
    #: Where the next pass begins, and how far the current one is.
    _start: Tuple[int, ...]
    _position: Tuple[int, ...]

    @property
    def info(self) -> Mapping[str, Any]:
        """Facts of the games: `map`, `files`, `agents`, `games`, and more by the class."""
        raise NotImplementedError

    @property
    def num_games(self) -> int:
        """Number of games, of all shards and before the filters."""
        return int(self.info["games"])

    @property
    def powers(self) -> List[str]:
        """Names of the powers, in the order of the axis Q."""
        return list(self.info["map"]["powers"])

    @property
    def locations(self) -> List[str]:
        """Names of the locations, by the numbers in `orderable`."""
        return list(self.info["map"]["locations"])

    @property
    def agent_names(self) -> List[str]:
        """Agents of all runs in alphabetical order, by the numbers in `agents`."""
        return list(self.info["agents"])

    def _course(self) -> Dict[str, Any]:
        """The options and games that a position depends on."""
        raise NotImplementedError

    def state_dict(self) -> Dict[str, Any]:
        """The position of the next batch, as numbers and texts, for load_state_dict() of the same games and options.

        batch_size may differ, and in a Dataset every option that does not choose or order the samples.
        """
        return {"position": list(self._position), **self._course()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Lets the next pass begin where state_dict() was called. Raises ValueError for a state of other games or options."""
        for name, wanted in self._course().items():
            if state.get(name) != wanted:
                raise ValueError(f"state, {name}: got {state.get(name)!r}, wanted {wanted!r}")
        self._start = self._position = tuple(whole_from("state, position", one, 0, self._MOST) for one in state["position"])

    def torch(self) -> Any:
        """A torch.utils.data.IterableDataset of these batches as tensors: DataLoader(dataset.torch(), batch_size=None).

        With num_workers each worker of the DataLoader has a part of the games: part().
        """
        return _torch_dataset()(self)


class Dataset(_Epochs, Geography):
    """Samples of recorded games, batch by batch; each pass over it is an epoch.

    A sample is a phase with the orders of all powers (per="phase"), or the orders of one power in it (per="power"). Its
    orders are by unit, as the slots of lepanto.Batch; builds and removals of a power ascend by order, waives come last, and a
    build that was not ordered is a waive. Where the record has no order for a unit, or one that no legal list has, the
    entry is -1.

    The games are put in a random order by `seed` and epoch, and read in windows of `shuffle` games, whose samples are
    shuffled together (the first windows of an epoch are smaller, for an early first batch); two windows are in memory, as positions and orders (about 600 bytes a phase on the standard map:
    the windows of the default 1,024 games of ten years take about 70 MB), and of each at most 256 MB of file. What comes
    out depends on the games and these options, not on the number of workers.

    The arrays of a batch. B samples (the last batch of an epoch may have fewer), Q powers (7 on the standard map), U
    orders that one power can have due (17), L locations (81). With per="power" the axis Q is missing from the arrays
    marked *.

    - game i4[B], file i4[B]: the number of the game in its run (or in its file), and place in `files`.
    - phase_index i4[B]: phases of the game before this one, 0 and up. year i2[B]; season u1[B]: SPRING 0, FALL 1, WINTER 2;
      phase u1[B]: MOVEMENT 0, RETREAT 1, ADJUSTMENT 2.
    - power i1[B]: the power of the sample; -1 for all. acting bool[B, Q]: powers with orders due that are samples (true
      for one power at most with per="power").
    - agents i2[B, Q]: place in `agent_names` of who played the power; -1 if the record does not say. winner i1[B]: the power
      that won alone, or -1.
    - build_numbers i1[B, Q]: builds (> 0) or removals (< 0) due. center_counts u1[B, Q].
    - returns f4[B, Q]: score of the power at the end of the game by `score`, 0 to 1 (sum_of_centers and others may be more).
    - order_counts u1[B, Q]*: orders due. orderable i2[B, Q, U]*: location of the unit of each slot; ADJUSTMENT_SLOT (-2)
      for a build or removal, -1 where there is none.
    - legal_offsets i4[B, Q * U + 1], legal_ids i4[n]: the legal orders of slot k = power * U + slot of sample b are
      `legal_ids[legal_offsets[b, k] : legal_offsets[b, k + 1]]` (k = slot with per="power"), as in lepanto.Batch. See padded().
    - actions i4[B, Q, U]*: place of the order that was given in the legal list of its slot; -1 for none.
    - order_ids i4[B, Q, U]*: the same as vocabulary id, see lepanto.Batch.vocabulary; -1 for none.
    - with targets: policy f4[n], for each of legal_ids how likely its unit was to get it: the marginal probability over the
      order sets that the agent weighed (a search, in runs with `--targets`); in a slot of another power 1 for the order that was
      given. A slot without an order, as `actions` says, has zeros. values f4[B, Q]: what the agent held the position to be
      worth to the power, in its own unit (a share of 0 to 1 for `search`); NaN where it did not say. targeted bool[B, Q]: powers
      whose policy is what an agent weighed.
    - results i1[B, Q, U]*: the result of the order, a place in lepanto.RESULTS ("succeeds", "cut"); fates i1[B, Q, U]*: what
      befell its unit, a place in lepanto.FATES: 0 nothing, 1 dislodged, 2 destroyed. -1 for no order.
    - observation (rows in the order of `rows`, `columns` has their names), and with "dipnet" previous_orders, with "deepmind" deepmind_season, deepmind_builds, last_actions,
      last_action_count: as in lepanto.Batch. With "dipcc" observation is f4[B, L, 38].
    - with n_step: next_observation, next_previous_orders and so on: the position `steps` phases later; steps i4[B]: n_step,
      or fewer at the end of the game; rewards f4[B, Q]: discounted score if the game ends by then, else 0; discounts
      f4[B]: discount ** steps, 0 if the game has ended. A target is `rewards + discounts * value(next_observation)`.

    Parameters
    ----------
    paths: directories of runs, games-*.lep files, and files of saved games in any format that `lepanto convert` reads.
        To read text takes ten times as long: `lepanto convert games.jsonl games.lep` once is worth it for many epochs.
        All games must be on one map. A run that is not finished has the games that are there when the dataset is opened.
    batch_size: samples of a batch.
    shuffle: games whose samples are shuffled together; 0: everything in the order of the files.
    seed: of the order. 32 bits, signed or not.
    per: "phase" or "power".
    observations: "dipnet", "deepmind", "dipcc" or None.
    legal: False leaves out the legal lists and `actions` (faster).
    targets: True adds `policy`, `values` and `targeted`, of runs made with `lepanto selfplay --targets`.
    score: scoring system of `returns` and `rewards`, one of lepanto.SCORES.
    n_step, discount: phases to the next position, 0 for none; and the discount of a phase, 0 to 1.
    powers, phases, agents, years: samples of these alone: names of powers, of PHASES, of agents as in `agent_names`; the
        first and the last year.
    winners: games that one of these powers won alone; "DRAW" for those without a winner. winner_only: orders of the power
        alone that won its game.
    shard: (i, n): every n-th game from the i-th on, for n processes that share the games.
    drop_last: leaves out a last batch of fewer than batch_size.
    errors: "raise" stops at a game that cannot be read or played; "skip" leaves it out: see `skipped`.
    map, rules: as for `lepanto convert`; None: those of the run, or "standard" and "datc-3.2".
    workers: threads of the engine; None: as many as there are cores. prefetch: batches that are made ahead.
    """

    def __init__(
        self,
        paths: Union[PathLike, Sequence[PathLike]],
        batch_size: int = 256,
        *,
        shuffle: int = 1024,
        seed: int = 0,
        per: str = "phase",
        observations: Optional[str] = "dipnet",
        legal: bool = True,
        targets: bool = False,
        score: str = "sum_of_squares",
        n_step: int = 0,
        discount: float = 1.0,
        powers: Optional[Names] = None,
        phases: Optional[Names] = None,
        winners: Optional[Names] = None,
        winner_only: bool = False,
        agents: Optional[Names] = None,
        years: Optional[Tuple[int, int]] = None,
        shard: Tuple[int, int] = (0, 1),
        drop_last: bool = False,
        errors: str = "raise",
        map: Optional[str] = None,
        rules: Optional[str] = None,
        workers: Optional[int] = None,
        prefetch: int = 2,
    ) -> None:
        given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        seed = whole_from("seed", seed, *SEEDS)
        if targets and not legal:
            raise ValueError("targets: got True with legal=False, wanted the legal lists too: a policy is one of them")
        index, count = shard
        self._config: Dict[str, Any] = {
            "paths": [os.fspath(Path(path)) for path in given],
            "batch_size": whole("batch_size", batch_size),
            "shuffle": whole("shuffle", shuffle),
            "seed": signed(seed),
            "per": per,
            "observations": observations or "none",
            "legal": bool(legal),
            "targets": bool(targets),
            "score": SCORES[score_index(score)],
            "n_step": whole("n_step", n_step),
            "discount": float(discount),
            "powers": _names("powers", powers),
            "phases": _names("phases", phases),
            "winners": _names("winners", winners),
            "winner_only": bool(winner_only),
            "agents": _names("agents", agents),
            "years": None if years is None else [whole("years", year) for year in years],
            "shard": [whole("shard", index), whole("shard", count)],
            "errors": errors,
            "map": map,
            "rules": rules,
            "workers": len(cores()) if workers is None else whole("workers", workers),
            "prefetch": whole("prefetch", prefetch),
        }
        self.batch_size: int = self._config["batch_size"]
        self.drop_last = bool(drop_last)
        #: Epoch, window and sample: where the next pass begins, and how far the current one is.
        self._start = self._position = (0, 0, 0)
        self._passes = 0
        self._tally: Dict[str, Any] = {"games": 0, "skipped": 0, "trouble": None, "disagreeing": 0}
        self._server: Optional[Server] = None
        #: Engines of the process that this one was forked from: to close them is not for us.
        self._foreign: List[Server] = []
        self._owner = os.getpid()

    # ---- the engine ----

    def _open(self) -> Server:
        if self._owner != os.getpid():
            if self._server is not None:
                self._foreign.append(self._server)
            self._server, self._owner = None, os.getpid()
        if self._server is None:
            config = {**self._config, "parent": os.getpid()}
            self._server = Server(config, "dist/bindings/python/dataset/reader.js")
            for games in self._server.info["missing"]:
                warnings.warn(games, stacklevel=3)
        return self._server

    @property
    def info(self) -> Mapping[str, Any]:
        """What the engine says of the games: `map`, `rules`, `files`, `agents`, `games`."""
        found: Mapping[str, Any] = self._open().info
        return found

    def _map_facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = self.info["map"]
        return facts

    def _observed(self) -> Optional[str]:
        kind: str = self._config["observations"]
        return None if kind == "none" else kind

    @functools.cached_property
    def vocabulary(self) -> Vocabulary:
        """The orders of the map by their ids, as lepanto.Batch.vocabulary; made when it is first wanted."""
        with Batch(1, self.info["map"]["name"], workers=1, observations=None, max_children=0) as batch:
            return copy.deepcopy(batch.vocabulary)

    def legal(self, samples: Mapping[str, npt.NDArray[Any]], seed: int = 0) -> Legal:
        """The legal lists of a batch, for logits and log-probabilities: lepanto.Legal.of_samples(). seed: of its sample()."""
        return Legal.of_samples(samples, self.vocabulary, seed)

    @property
    def files(self) -> List[str]:
        """Paths of the files, by the numbers in `file`."""
        return list(self.info["files"])

    @property
    def mapped(self) -> bool:
        """True if the engine maps the shared memory (it needs koffi)."""
        return bool(self.info["mapped"])

    @property
    def skipped(self) -> int:
        """Games left out so far because they could not be read or played (errors="skip")."""
        return int(self._tally["skipped"])

    @property
    def trouble(self) -> Optional[str]:
        """Why the first of them was."""
        text = self._tally["trouble"]
        return None if text is None else str(text)

    @property
    def disagreeing(self) -> int:
        """Games of other programs so far that our rules play otherwise; they go on from the recorded positions."""
        return int(self._tally["disagreeing"])

    # ---- batches ----

    def _copy(self, slot: int, count: int) -> Samples:
        """The first samples of a slot, as arrays of their own."""
        server = self._open()
        lists = server.info["lists"]
        rows = slice(slot * self.batch_size, slot * self.batch_size + count)
        batch = {name: array[rows].copy() for name, array in server.arrays.items() if name not in lists}
        if lists:
            batch.update(self._lists(slot, batch["legal_offsets"]))
        return batch

    def _lists(self, slot: int, offsets: npt.NDArray[np.int32]) -> Samples:
        """The legal lists of a slot, one list after the other; changes the offsets to match. The engine has them in pieces."""
        server = self._open()
        width = server.arrays["legal_ids"].shape[1]
        step = server.info["rows_a_chunk"]
        pieces_a_slot = -(-self.batch_size // step)
        pieces: List[slice] = []
        total = 0
        for piece, first in enumerate(range(0, len(offsets), step)):
            begin = (slot * pieces_a_slot + piece) * width
            rows = offsets[first : first + step]
            end = int(rows[-1, -1])
            pieces.append(slice(begin, end))
            rows += np.int32(total - begin)
            total += end - begin
        flat = {name: server.arrays[name].reshape(-1) for name in server.info["lists"]}
        return {name: np.concatenate([array[piece] for piece in pieces]) for name, array in flat.items()}

    def __iter__(self) -> Iterator[Samples]:
        """One epoch, from its beginning or from where load_state_dict() says. The next pass is the next epoch.

        One pass at a time: to begin another ends the one under way.
        """
        self._passes += 1
        this = self._passes
        epoch, window, at = self._start
        self._start = (epoch + 1, 0, 0)
        self._position = (epoch, window, at)
        server = self._open()
        server.settle()
        server.call("seek", epoch=epoch, window=window, at=at)
        posted: Deque[Tuple[int, int]] = deque()
        for slot in range(self._config["prefetch"]):
            posted.append((slot, server.post("take", slot=slot)))
        free = self._config["prefetch"]
        while self._passes == this:
            slot, number = posted.popleft()
            value, body = server.wait(number)
            count = int(value)
            told = json.loads(body)
            # At the end too: games that are left out may be behind the last sample.
            self._tally = {name: told[name] for name in self._tally}
            if count == 0:
                break
            # The slot that is free is written while this one is read.
            posted.append((free, server.post("take", slot=free)))
            batch = self._copy(slot, count)
            free = slot
            if count < self.batch_size and self.drop_last:
                continue
            self._position = (told["epoch"], told["window"], told["at"])
            yield batch
        if self._passes == this:
            server.settle()
            self._position = self._start

    # ---- position ----

    def _course(self) -> Dict[str, Any]:
        return {**{name: self._config[name] for name in _COURSE}, "games": self.num_games, "order": _ORDER}

    # ---- other libraries ----

    def jax(self, width: int = 0) -> Iterator[Dict[str, Any]]:
        """One epoch as jax arrays. With `width` the legal lists are padded() to it, so that all shapes are always the same
        (and a last batch that is too short is left out)."""
        import jax  # type: ignore[import-not-found, unused-ignore]

        for batch in self:
            if width and len(batch["game"]) < self.batch_size:
                continue
            yield jax.device_put(padded(batch, width) if width else batch)

    def part(self, index: int, count: int) -> "Dataset":
        """The index-th of `count` parts of this dataset: of its shard every count-th game. An engine of its own."""
        part = Dataset.__new__(Dataset)
        part.__setstate__(self.__getstate__())
        first, step = self._config["shard"]
        shard = [first + step * whole_from("index", index, 0, count - 1), step * whole_from("count", count, 1, 1 << 20)]
        part._config = {**self._config, "shard": shard}
        return part

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_server": None, "_foreign": []}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._owner = os.getpid()

    # ---- end ----

    def close(self) -> None:
        """Ends the engine; another pass starts a new one."""
        if self._server is not None and self._owner == os.getpid():
            self._passes += 1
            self._server.close()
            self._server = None

    def __enter__(self) -> "Dataset":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        paths = ", ".join(self._config["paths"])
        return f"<lepanto.dataset.Dataset: {paths}, {self.batch_size} samples a batch, per {self._config['per']}>"


def padded(batch: Mapping[str, npt.NDArray[Any]], width: int = 0) -> Samples:
    """A batch with its legal lists as one array: legal i4[B, Q, U, W] (no Q with per="power"), -1 behind the end of a list,
    in place of legal_ids and legal_offsets; and legal_mask bool of the same shape. So is policy, 0 behind the end.

    width: W; 0: the length of the longest list. Raises ValueError if a list is longer.
    """
    offsets, ids = batch["legal_offsets"], batch["legal_ids"]
    lengths = np.diff(offsets, axis=1)
    longest = int(lengths.max(initial=0))
    if width and longest > width:
        raise ValueError(f"width: got {width}, wanted {longest} or more, the length of the longest legal list")
    columns = np.arange(width or longest, dtype=np.int32)
    mask = columns < lengths[..., None]
    legal = np.full(mask.shape, -1, np.int32)
    # Lists lie one behind the other in the order of the slots.
    legal[mask] = ids
    shape = batch["order_ids"].shape + (len(columns),)
    out = {name: array for name, array in batch.items() if name not in ("legal_ids", "legal_offsets", "policy")}
    if "policy" in batch:
        policy = np.zeros(mask.shape, np.float32)
        policy[mask] = batch["policy"]
        out["policy"] = policy.reshape(shape)
    return {**out, "legal": legal.reshape(shape), "legal_mask": mask.reshape(shape)}


@functools.lru_cache(maxsize=None)
def _torch_dataset() -> Any:
    """The class of Dataset.torch(), made when torch is first needed."""
    import torch  # type: ignore[import-not-found, unused-ignore]
    from torch.utils.data import IterableDataset, get_worker_info  # type: ignore[import-not-found, unused-ignore]

    class TorchDataset(IterableDataset):  # type: ignore[misc, type-arg, unused-ignore]
        """Batches of a Dataset or of Tensors as torch tensors."""

        def __init__(self, dataset: Any) -> None:
            self.dataset = dataset
            self._parts: Dict[Tuple[int, int], Any] = {}

        def __iter__(self) -> Iterator[Dict[str, Any]]:
            info = get_worker_info()
            dataset = self.dataset
            if info is not None and info.num_workers > 1:
                key = info.id, info.num_workers
                dataset = self._parts.setdefault(key, self.dataset.part(*key))
            for batch in dataset:
                yield {name: torch.from_numpy(array) for name, array in batch.items()}

        def __reduce__(self) -> Any:
            return _wrap_for_torch, (self.dataset,)

    return TorchDataset


def _wrap_for_torch(dataset: _Epochs) -> Any:
    return dataset.torch()
