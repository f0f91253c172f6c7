"""Recorded games as samples for learning: runs of Lepanto, and games saved by other programs.

    from lepanto.dataset import Dataset

    dataset = Dataset("runs/policy")
    for batch in dataset.batches(256, seed=1):          # one epoch, in a random order
        batch["observation"], batch["legal_ids"], batch["actions"], batch["returns"]

The first use writes the games into a cache next to them. Later uses map the cache into memory and start no engine. With
PyTorch:

    loader = torch.utils.data.DataLoader(dataset, batch_size=256, shuffle=True, num_workers=2)
"""

from __future__ import annotations

import copy
import operator
import os
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._cache import Folder, open_cached, open_folder, read_index
from ._checks import SEEDS, whole, whole_from
from ._server import LepantoError
from ._store import Array, Samples, Shard, Store
from .arrays import SCORES, Bools, Int64s, score_index
from .batch import Batch
from .geography import Geography
from .legal import Legal
from .ragged import array_of
from .vocabulary import Vocabulary

Names = Union[str, Sequence[str]]
PathLike = Union[str, "os.PathLike[str]"]

#: Kinds of phases, indexed by the numbers in `phase`.
PHASES = ("movement", "retreat", "adjustment")
#: Kinds of observations.
OBSERVATIONS = ("dipnet", "deepmind", "dipcc")

#: Arrays with one element per legal order.
_ENTRIES = ("legal_ids", "policy")
_LISTS = ("legal_offsets", *_ENTRIES)
#: Arrays with one element per slot of each power.
_SLOTS = ("orderable", "order_ids", "actions", "results", "fates")
_TARGETS = ("policy", "values", "targeted")
_STEPS = ("steps", "rewards", "discounts")
#: Types of arrays in samples that are stored in fewer bits.
_WIDE = {"order_ids": np.int32, "actions": np.int32}
#: Columns of phases.npy and of games.npy in samples, in the order of the arrays.
_OF_PHASE = ("phase_index", "year", "season", "phase")
_OF_GAME = ("file", "winner", "agents", "returns")
_ARRAYS = (
    *("game", *_OF_GAME, *_OF_PHASE, "power", "acting", "build_numbers", "center_counts", "order_counts"),
    *(*_SLOTS, *_LISTS, "values", "targeted", *_STEPS),
)

#: Removed parameters of Dataset, with their replacements.
_FORMER = {
    "batch_size shuffle seed drop_last": "dataset.batches(256, seed=1), or torch's DataLoader",
    "powers phases winners winner_only agents years": "dataset.where(powers=..., ...)",
    "legal targets": "dataset.only('observation', 'returns', ...)",
    "n_step discount": "dataset.ahead(steps, discount)",
    "per": "dataset.by_power()",
    "shard": "dataset.take(range(i, len(dataset), n))",
    "prefetch": "torch's DataLoader",
}


def _names(name: str, value: Names, known: Sequence[str]) -> List[int]:
    """Returns the indices in `known` of a name or several names. Raises ValueError for an unknown name, and for no
    names.

    name: of the argument, for errors.
    """
    given = [value] if isinstance(value, str) else list(value)
    if not given:
        raise ValueError(f"{name}: got none, wanted some of {', '.join(known)}")
    for one in given:
        if one not in known:
            raise ValueError(f"{name}: got {one!r}, wanted some of {', '.join(known)}")
    return [known.index(one) for one in given]


def _upper(value: Names) -> List[str]:
    return [str(one).upper() for one in ([value] if isinstance(value, str) else value)]


class Sample(Dict[str, Array]):
    """One sample: the arrays of a batch without the axis B. Its legal_offsets begin at 0."""


class Dataset(Geography):
    """Samples of recorded games: a sequence for numpy, a map-style dataset for torch.

    A sample is a phase with the orders of all powers, or after by_power() with the orders of one power. Orders are
    arranged by unit, as in the slots of lepanto.Batch. Builds and removals of a power ascend by order, with waives
    last; a build that was not ordered is a waive. An entry is -1 if the record has no order for a unit, or an order
    that is in no legal list.

    `dataset[i]` is a Sample. `dataset[indices]` (a list, an array of ints or bools, a slice) is a batch: a dict of
    newly made arrays. Samples are in the order of the files, their games and phases. Methods that choose samples or
    arrays (where, take, by_power, only, ahead) return another dataset over the same memory, at the cost of an array of
    indices.

    The games are written once into a directory of tensors: about 3 kB per phase with "dipnet", whose boards are stored
    as bits. The directory is in `.lepanto-cache` next to the first of the games, or in `cache`. If a run has grown, the
    next use adds the new games. Changed games, and caches of another version of Lepanto, are written again. The same
    call resumes interrupted work. If several processes need a cache, one writes it while the others wait. An open
    dataset keeps the games that it was opened with. Delete the directory to free the disk.

    Arrays of a batch. B samples, Q powers (7 on the standard map), U slots per power, the most orders that a power can
    have due (17), L locations (81). After by_power() the axis Q is missing from the arrays marked *.

    - game i4[B], file i4[B]: number of the game in its run (or its file), and index of the file in `files`.
    - phase_index i4[B]: number of earlier phases of the game. year i2[B]; season u1[B]: SPRING 0, FALL 1, WINTER 2;
      phase u1[B]: MOVEMENT 0, RETREAT 1, ADJUSTMENT 2.
    - power i1[B]: power of the sample; -1 for all. acting bool[B, Q]: True for powers with orders due that where() has
      chosen (after by_power() for one of them).
    - agents i2[B, Q]: index of the power's player in `agent_names`; -1 if it is not recorded. winner i1[B]: power that
      won a solo, or -1.
    - build_numbers i1[B, Q]: number of builds (> 0) or removals (< 0) due. center_counts u1[B, Q]: number of supply
      centres owned.
    - returns f4[B, Q]: score of the power at the end of the game by `score`, 0 to 1 (sum_of_centers and others may
      exceed 1).
    - order_counts u1[B, Q]*: number of orders due. orderable i2[B, Q, U]*: location of the unit of each slot;
      ADJUSTMENT_SLOT (-2) for a build or removal, -1 for an unused slot.
    - legal_offsets i4[B, Q * U + 1], legal_ids i4[n]: the legal orders of slot k = power * U + slot of sample b are
      `legal_ids[legal_offsets[b, k] : legal_offsets[b, k + 1]]` (k = slot after by_power()), as in lepanto.Batch. See
      padded().
    - actions i4[B, Q, U]*: index of the given order in the legal list of its slot; -1 for none.
    - order_ids i4[B, Q, U]*: vocabulary id of the given order, see lepanto.Batch.vocabulary; -1 for none.
    - for runs made with `lepanto selfplay --targets`: policy f4[n], one entry per legal_ids: marginal probability of
      the order over the order sets that the agent considered. For a power without a recorded policy it is 1 for the
      given order, else 0; it is 0 for a slot without an order. values f4[B, Q]: the agent's estimate of the position's
      value to the power, in the agent's unit (a share from 0 to 1 for `search`); NaN if not recorded. targeted
      bool[B, Q]: True for powers with a recorded policy.
    - results i1[B, Q, U]*: result of the order, an index into lepanto.RESULTS ("succeeds", "cut"). fates i1[B, Q, U]*:
      fate of its unit, an index into lepanto.FATES: 0 none, 1 dislodged, 2 destroyed. -1 for no order.
    - observation (`rows` has the row of each location, `columns` the names of the columns), with "dipnet"
      previous_orders, with "deepmind" deepmind_season, deepmind_builds, last_actions, last_action_count: as in
      lepanto.Batch. With "dipcc" observation is f4[B, L, 38].
    - after ahead(n): next_observation and others: observations of the position `steps` phases later. steps i4[B]: n, or
      fewer at the end of the game. rewards f4[B, Q]: discounted score if the game ends by then, else 0. discounts
      f4[B]: discount ** steps, 0 if the game has ended. A target is `rewards + discounts * value(next_observation)`.

    For powers that where() has excluded, order_counts are 0, actions -1 and legal lists empty, so that lists_of(),
    legal() and padded() contain only the chosen powers. orderable, order_ids, results and fates contain all powers.

    Parameters
    ----------
    paths: directories of runs, games-*.lep files, files of saved games in any format that `lepanto convert` reads,
        and directories written by `lepanto tensors`. All games must be on one map. Of an unfinished run the dataset has
        the games that exist when it is opened.
    observations: "dipnet", "deepmind", "dipcc" or None.
    score: scoring system of `returns` and `rewards`, one of lepanto.SCORES.
    map, rules: as for `lepanto convert`; None: from the run, else "standard" and "datc-3.2".
    errors: "raise" raises an error for games that cannot be read or played; "skip" omits them: see `skipped`.
    cache: directory for the cache; None: `.lepanto-cache` next to the games.
    workers: number of threads that write the cache; None: one per core.

    For directories of `lepanto tensors`, observations, rules and errors are the ones that they were written with.

    Warns about missing games, and about games of other programs that contradict the rules, and names rules that fit.
    Raises LepantoError for games that cannot be read, ValueError for a changed or truncated file of the cache.
    """

    def __init__(
        self,
        paths: Union[PathLike, Sequence[PathLike]],
        observations: Optional[str] = "dipnet",
        *,
        score: str = "sum_of_squares",
        map: Optional[str] = None,
        rules: Optional[str] = None,
        errors: str = "raise",
        cache: Optional[PathLike] = None,
        workers: Optional[int] = None,
        **former: NoReturn,
    ) -> None:
        for name in former:
            hints = [f": {now}" for names, now in _FORMER.items() if name in names.split()]
            raise TypeError(f"Dataset: got an unexpected parameter {name!r}{''.join(hints)}")
        if observations not in (*OBSERVATIONS, None):
            raise ValueError(f"observations: got {observations!r}, wanted one of {', '.join(OBSERVATIONS)} or None")
        if errors not in ("raise", "skip"):
            raise ValueError(f'errors: got {errors!r}, wanted "raise" or "skip"')
        given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        if not given:
            raise ValueError("paths: got none, wanted runs or files of games")
        folders = _open(
            [Path(os.path.abspath(path)) for path in given],
            {
                "observations": observations or "none",
                "errors": errors,
                "map": os.path.abspath(map) if map and os.path.isfile(map) else map,
                "rules": rules,
            },
            None if cache is None else Path(os.path.abspath(cache)),
            None if workers is None else whole_from("workers", workers, 1, 1 << 16),
        )
        self._store = store = Store(folders, SCORES[score_index(score)])
        #: `folders`: directories of tensors with the samples. `files`: paths of the game files, indexed by the numbers
        #: in `file`.
        self.folders: List[Path] = [folder.path for folder in folders]
        self.files: List[str] = store.files
        #: Agents of all runs in alphabetical order, indexed by the numbers in `agents`.
        self.agent_names: List[str] = store.agents
        #: `powers`: names of the powers, indexed by the axis Q. `locations`: names of the locations, indexed by the
        #: numbers in `orderable`.
        self.powers: List[str] = list(store.map["powers"])
        self.locations: List[str] = list(store.map["locations"])
        self._ahead: Tuple[int, float] = (0, 1.0)
        self._arrays: Optional[Tuple[str, ...]] = None
        #: bool[G, Q]: True for powers of games that where() has chosen.
        self._allowed: Bools = np.ones((len(store.games), len(self.powers)), np.bool_)
        #: _rows: int64[N], number of each sample's position. _power: i1[N], power of each sample; None if samples have
        #: all powers.
        self._rows: Int64s = np.flatnonzero(store.phases["order_counts"].any(1))
        self._power: Optional[npt.NDArray[np.int8]] = None
        facts = [folder.facts for folder in folders]
        self._observations: str = facts[0]["options"]["observations"]
        #: Number of games in the files, whatever where() and take() have chosen.
        self.num_games: int = sum(one["games"] for one in facts)
        #: `skipped`: number of games omitted because they could not be read or played (errors="skip"). `trouble`:
        #: reason for the first omitted game; None if no game was omitted.
        self.skipped: int = sum(one["skipped"] for one in facts)
        self.trouble: Optional[str] = next((one["trouble"] for one in facts if one["skipped"]), None)
        wrong = [one for one in facts if one["disagreeing"]]
        #: `disagreeing`: number of games of other programs that contradict the rules and therefore continue from the
        #: recorded positions. `fitting_rules`: names of rules that all games fit.
        self.disagreeing: int = sum(one["disagreeing"] for one in wrong)
        self.fitting_rules: List[str] = [
            name for name in (wrong or facts)[0]["fits"] if all(name in one["fits"] for one in wrong)
        ]
        for text in (text for one in facts for text in one["missing"]):
            warnings.warn(text, stacklevel=2)
        if wrong:
            hint = f'; rules="{self.fitting_rules[0]}" fits' if self.fitting_rules else ""
            warnings.warn(
                f"{self.disagreeing} of {self.num_games} games contradict the rules {wrong[0]['options']['rules']}: "
                f"their `results` are those of these rules, and they continue from the recorded positions{hint}",
                stacklevel=2,
            )

    # ---- facts ----

    def _map_facts(self) -> Mapping[str, Any]:
        return self._store.map

    def _observed(self) -> Optional[str]:
        return None if self._observations == "none" else self._observations

    @property
    def vocabulary(self) -> Vocabulary:
        """Vocabulary of the map, as lepanto.Batch.vocabulary. Computed at the first use."""
        if self._store.vocabulary is None:
            with Batch(1, self._store.map["name"], workers=1, observations=None, max_children=0) as batch:
                self._store.vocabulary = copy.deepcopy(batch.vocabulary)
        return self._store.vocabulary

    @property
    def arrays(self) -> Tuple[str, ...]:
        """Names of the arrays that a sample has."""
        return self._arrays or tuple(name for name in self._all() if name not in _TARGETS or self._store.has_policies)

    def _all(self) -> Tuple[str, ...]:
        """Returns the names of all arrays that only() can choose."""
        views = self._store.views
        later = [f"next_{name}" for name in views] if self._ahead[0] else []
        return (*(name for name in _ARRAYS if name not in _STEPS or self._ahead[0]), *views, *later)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        kind = "phases" if self._power is None else "orders of one power"
        return f"<lepanto.dataset.Dataset: {len(self)} samples ({kind}) of {self.num_games} games>"

    # ---- choices ----

    def _with(self, **changes: Any) -> "Dataset":
        other = copy.copy(self)
        other.__dict__.update(changes)
        return other

    def where(
        self,
        *,
        powers: Optional[Names] = None,
        phases: Optional[Names] = None,
        winners: Optional[Names] = None,
        winner_only: bool = False,
        agents: Optional[Names] = None,
        years: Union[None, int, Tuple[int, int]] = None,
    ) -> "Dataset":
        """Returns the samples that fulfil all these conditions and the conditions of earlier calls.

        powers, agents: only orders of these powers, or of these agents of `agent_names`. phases: only these kinds of
        phases, names of PHASES. winners: only games in which one of these powers won a solo; "DRAW" for games without a
        winner. winner_only: only orders of the power that won its game. years: one year, or (first, last).

        Raises ValueError for a name that the games do not have.
        """
        store = self._store
        names = self.powers
        allowed = self._allowed.copy()
        if powers is not None:
            allowed &= np.isin(np.arange(len(names)), _names("powers", _upper(powers), names))
        if agents is not None:
            allowed &= np.isin(store.games["agents"], _names("agents", agents, store.agents))
        if winner_only:
            allowed &= store.games["winner"][:, None] == np.arange(len(names))
        if winners is not None:
            places = np.array(_names("winners", _upper(winners), [*names, "DRAW"]))
            allowed &= np.isin(store.games["winner"], np.where(places == len(names), -1, places))[:, None]
        found = store.phases[self._rows]
        kept = np.ones(len(found), np.bool_)
        if phases is not None:
            kept &= np.isin(found["phase"], _names("phases", phases, PHASES))
        if years is not None:
            given = [years, years] if isinstance(years, (int, np.integer)) else list(years)
            if len(given) != 2:
                raise ValueError(f"years: got {years!r}, wanted a year, or the first and the last year")
            first, last = (whole("years", year) for year in given)
            if first > last:
                raise ValueError(f"years: got {first} to {last}, wanted the first and the last year")
            kept &= (found["year"] >= first) & (found["year"] <= last)
        game = found["game"]
        if self._power is None:
            kept &= ((found["order_counts"] > 0) & allowed[game]).any(1)
        else:
            kept &= allowed[game, self._power]
        return self._with(_allowed=allowed).take(kept)

    def take(self, indices: Any) -> "Dataset":
        """Returns the samples at some indices, in this order. indices: ints, bools (one for each sample) or a slice.

        `dataset.take(dataset.array("game") % 10 == 0)` has every tenth game, `dataset.take(range(i, len(dataset), n))`
        is a share for one of n processes.
        """
        at = self._places(indices)
        return self._with(_rows=self._rows[at], _power=None if self._power is None else self._power[at])

    def by_power(self) -> "Dataset":
        """Returns a dataset with one sample for each power with orders due in each sample, ordered by sample, then by
        power. Has no effect on a dataset that has been split already."""
        if self._power is not None:
            return self
        found = self._store.phases[self._rows]
        sample, power = np.nonzero((found["order_counts"] > 0) & self._allowed[found["game"]])
        return self._with(_rows=self._rows[sample], _power=power.astype(np.int8))

    def only(self, *names: str) -> "Dataset":
        """Returns the same samples with only these arrays, which is faster to read. `policy`, `values` and `targeted`
        are available even if no targets are recorded. Raises ValueError for an unknown name."""
        if "legal_ids" in names or "policy" in names:
            names = (*names, "legal_offsets")
        _names("arrays", names, self._all())
        return self._with(_arrays=tuple(dict.fromkeys(names)))

    def ahead(self, steps: int, discount: float = 1.0) -> "Dataset":
        """Returns the same samples with the position `steps` phases later, for n-step targets.

        steps: 1 to 32,768. discount: discount factor per phase, 0 to 1.

        Raises ValueError for numbers outside these ranges.
        """
        if not 0 <= float(discount) <= 1:
            raise ValueError(f"discount: got {discount}, wanted a number from 0 to 1")
        other = self._with(_ahead=(whole_from("steps", steps, 1, 1 << 15), float(discount)))
        if self._arrays is not None:
            other._arrays = (*self._arrays, *(name for name in other._all() if name not in self._all()))
        return other

    # ---- samples ----

    def _places(self, indices: Any) -> Int64s:
        """Returns indices of samples as int64[N], all 0 or more.

        indices: a slice, a list or an array of ints, or a bool for each sample. Negative ints count from the end.

        Raises IndexError for an index of no sample, TypeError for another type or shape.
        """
        if isinstance(indices, slice):
            return np.arange(*indices.indices(len(self)))
        given = np.asarray(indices)
        if given.dtype == np.bool_ and given.shape == (len(self),):
            return np.flatnonzero(given)
        if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
            raise TypeError(
                f"indices: got {given.dtype} of shape {given.shape}, wanted ints, or a bool for each sample"
            )
        at = given.astype(np.int64)
        if ((at < -len(self)) | (at >= len(self))).any():
            raise IndexError(
                f"indices: got {at[(at < -len(self)) | (at >= len(self))][0]}, wanted less than {len(self)}"
            )
        return np.where(at < 0, at + len(self), at)

    def __getitem__(self, index: Any) -> Samples:
        """Returns a Sample for an int, a batch for a list, an array or a slice."""
        try:
            place = operator.index(index)
        except TypeError:
            return self._gather(self._places(index))
        _register()
        found: Sample = _Picked(self._gather(self._places([place])), 1)[0]
        return found

    def __iter__(self) -> Iterator[Sample]:
        """Yields the samples one by one. batches() takes a hundredth of the time."""
        _register()
        for place in range(len(self)):
            yield _Picked(self._gather(np.array([place])), 1)[0]

    def __getitems__(self, indices: Sequence[int]) -> "_Picked":
        """Returns samples that torch's default_collate joins into one batch. Called by torch's DataLoader. indices: of
        the samples."""
        _register()
        return _Picked(self[indices], len(indices))

    def array(self, name: str) -> Array:
        """Returns one array of all samples: dataset.array("returns") is f4[N, Q]. name: one of `arrays`, or an array
        that only() can choose.

        Raises ValueError for an unknown name, and for legal lists and policy, whose lengths vary.
        """
        if name in _LISTS:
            raise ValueError(f"array: got {name!r}, wanted an array with a row for each sample")
        one = self.only(name)
        return np.concatenate([one[first : first + 4096][name] for first in range(0, max(len(self), 1), 4096)])

    @property
    def shards(self) -> List[Shard]:
        """Tables of all positions in the memory-mapped files, 256 games in each. The arrays are read-only and read from
        disk only on access. They do not depend on where() and take(): places() finds the samples in them."""
        return list(self._store.shards)

    def places(self) -> Tuple[Int64s, Int64s]:
        """Returns the shard of each sample, int64[N], and its row in the shard's `phases` and `orders`, int64[N]."""
        shard = self._store.shard_of(self._rows)
        return shard, self._rows - self._store.starts[shard]

    def unpacked(self, stored: Array, name: str = "observation") -> Array:
        """Returns boards of a shard, stored as bits in u1[..., bytes], as in batches: u1[..., L, 35]. A copy.

        name: "observation" or "previous_orders". Raises ValueError for an array that is not stored as bits.
        """
        _names("name", name, list(self._store.packed) or ["(this dataset has no boards)"])
        wanted = self._store.columns[name].shape
        given = array_of(stored)
        if given.dtype != np.uint8 or given.shape[-1:] != wanted:
            raise ValueError(f"stored: got {given.dtype}{list(given.shape)}, wanted uint8[..., {wanted[0]}]")
        return self._store.unpacked(given, name)

    def order(
        self, batch_size: int = 256, *, seed: int = 0, epoch: int = 0, shuffle: bool = True, drop_last: bool = False
    ) -> List[Int64s]:
        """Returns the batches of an epoch as arrays of indices. The same samples, seed and epoch give the same batches.

        Slice the list to resume (`order[done:]`) or to share it (`order[rank::processes]`), or pass it to a DataLoader
        as `batch_sampler`. drop_last: True omits the last batch if it has fewer samples.
        """
        size = whole_from("batch_size", batch_size, 1, 1 << 30)
        seeds = [whole_from("seed", seed, *SEEDS) & 0xFFFFFFFF, whole_from("epoch", epoch, 0, 1 << 62)]
        count = len(self)
        at = np.random.default_rng(seeds).permutation(count) if shuffle else np.arange(count)
        return [at[first : first + size] for first in range(0, count - size + 1 if drop_last else count, size)]

    def batches(
        self, batch_size: int = 256, *, seed: int = 0, epoch: int = 0, shuffle: bool = True, drop_last: bool = False
    ) -> Iterator[Samples]:
        """Yields the batches of an epoch, in the sequence of order(). Parameters as for order()."""
        for indices in self.order(batch_size, seed=seed, epoch=epoch, shuffle=shuffle, drop_last=drop_last):
            yield self[indices]

    def legal(self, samples: Mapping[str, Any], seed: int = 0) -> Legal:
        """Returns the legal lists of a batch, for logits and log-probabilities: lepanto.Legal.of_samples().

        samples: numpy arrays or torch tensors. seed: seed of Legal.sample().
        """
        return Legal.of_samples(samples, self.vocabulary, seed)

    def _gather(self, at: Int64s) -> Samples:
        store, rows = self._store, self._rows[at]
        power = None if self._power is None else self._power[at].astype(np.int64)
        phases = store.phases[rows]
        games = store.games[phases["game"]]
        counts = phases["order_counts"]
        acting = (
            (counts > 0) & self._allowed[phases["game"]]
            if power is None
            else np.arange(counts.shape[1]) == power[:, None]
        )
        found: Samples = {name: phases[name] for name in _OF_PHASE}
        found.update({name: games[name] for name in _OF_GAME}, game=games["number"], acting=acting)
        found["power"] = np.full(len(at), -1, np.int8) if power is None else power.astype(np.int8)
        found["order_counts"] = np.where(acting, counts, np.uint8(0))
        wanted = set(self.arrays)
        if not wanted <= found.keys() | set(_STEPS):
            self._add_orders(found, store.orders(rows), rows, acting, wanted)
        if self._ahead[0]:
            self._add_steps(found, rows, phases["game"], wanted)
        if power is not None:
            self._take_power(found, power)
        return {name: np.ascontiguousarray(found[name]) for name in self.arrays}

    def _add_orders(self, found: Samples, orders: Array, rows: Int64s, acting: Bools, wanted: "set[str]") -> None:
        """Adds arrays of orders.npy to `found`, and the legal lists if they are wanted.

        orders: rows of orders.npy. rows: int64[B], positions. acting: bool[B, Q], powers whose actions and lists are
            kept. wanted: names of arrays.
        """
        needed = wanted | {"actions", "targeted"} if "policy" in wanted else wanted
        for name in (*_SLOTS, "build_numbers", "center_counts", "values", "targeted"):
            if name in needed:
                found[name] = orders[name].astype(_WIDE.get(name, orders[name].dtype))
        if "actions" in needed:
            found["actions"][~acting] = -1
        found.update({name: self._store.view(orders, name) for name in self._store.views if name in wanted})
        if wanted & set(_LISTS):
            self._add_lists(found, orders["list_sizes"].astype(np.int64), rows, acting, "policy" in wanted)

    def _add_lists(self, found: Samples, sizes: Int64s, rows: Int64s, acting: Bools, with_policy: bool) -> None:
        """Adds legal_offsets, legal_ids and, with `with_policy`, policy to `found`: the lists of acting powers.

        sizes: length of each legal list, int64[B, Q, U]. rows: int64[B], positions. acting: bool[B, Q].
        """
        store = self._store
        of_power = sizes.sum(2)
        begins = store.phases["legal"][rows][:, None] + np.cumsum(of_power, 1) - of_power
        sizes = np.where(acting[..., None], sizes, 0)
        if ((of_power > 0) <= acting).all():
            pieces = rows, begins[:, 0], of_power.sum(1)
        else:
            sample, power = np.nonzero(acting & (of_power > 0))
            pieces = rows[sample], begins[sample, power], of_power[sample, power]
        ends = np.cumsum(sizes.reshape(len(rows), sizes.shape[1] * sizes.shape[2]), 1)
        ends += (np.cumsum(ends[:, -1]) - ends[:, -1])[:, None]
        first = np.concatenate([np.zeros(min(1, len(rows)), np.int64), ends[:-1, -1]])
        found["legal_offsets"] = np.concatenate([first[:, None], ends], 1).astype(np.int32)
        found["legal_ids"] = np.concatenate([np.zeros(0, np.int16), *store.lists(*pieces, "legal")]).astype(np.int32)
        if not with_policy:
            return
        found["policy"] = policy = np.concatenate([np.zeros(0, np.float32), *store.lists(*pieces, "policy")])
        sample, power, slot = np.nonzero((found["actions"] >= 0) & ~found["targeted"][..., None])
        at = found["legal_offsets"][sample, power * sizes.shape[2] + slot] + found["actions"][sample, power, slot]
        policy[at] = 1

    def _take_power(self, found: Samples, power: Int64s) -> None:
        """Replaces arrays of all powers in `found` by the entries of one power of each sample. power: int64[B], indices
        of the powers."""
        at = np.arange(len(power))
        for name in (*_SLOTS, "order_counts"):
            if name in found:
                found[name] = found[name][at, power]
        if "legal_offsets" in found:
            u = found["legal_offsets"].shape[1] // len(self.powers)
            found["legal_offsets"] = found["legal_offsets"][at[:, None], power[:, None] * u + np.arange(u + 1)]

    def _add_steps(self, found: Samples, rows: Int64s, game: Array, wanted: "set[str]") -> None:
        """Adds the arrays of ahead() to `found`: later observations, and the rewards, discounts and steps until then.

        rows: int64[B], positions. game: number of the game of each. wanted: names of arrays.
        """
        store, (n, discount) = self._store, self._ahead
        ends = store.ends[game]
        later = np.minimum(rows + n, ends)
        is_end = later == ends
        steps = later - rows
        found["steps"] = steps.astype(np.int32)
        found["discounts"] = np.where(is_end, 0, discount**steps).astype(np.float32)
        found["rewards"] = (np.where(is_end, discount ** (steps - 1), 0)[:, None] * found["returns"]).astype(np.float32)
        views = [name for name in store.views if f"next_{name}" in wanted]
        if views:
            orders = store.orders(later)
            found.update({f"next_{name}": store.view(orders, name) for name in views})


def _open(
    paths: List[Path], options: Dict[str, Optional[str]], cache: Optional[Path], workers: Optional[int]
) -> List[Folder]:
    """Opens the folders of tensors for some paths: one for each directory, and one for all single files together.
    Writes missing or outdated caches.

    options: options of `lepanto tensors`. cache, workers: as for Dataset. Raises LepantoError for a path that does not
        exist.
    """
    folders = {path: open_folder(path) for path in paths if read_index(path) is not None}
    runs = [path for path in paths if path.is_dir() and path not in folders]
    folders.update(zip(runs, open_cached([[path] for path in runs], options, cache, workers)))
    files = [path for path in paths if path not in folders]
    for path in files:
        if not path.exists():
            raise LepantoError(f"paths: got {path}, wanted a file or a directory that exists")
    if files:
        # Assumes that saved games are on the same map as the runs.
        options["map"] = options["map"] or next((folder.facts["map"]["name"] for folder in folders.values()), None)
        (folders[files[0]],) = open_cached([files], options, cache, workers)
    return [folders[path] for path in paths if path in folders]


def padded(batch: Mapping[str, Any], width: int = 0) -> Samples:
    """Returns a batch with padded legal lists: legal i4[B, Q, U, W] (without Q after by_power()), padded with -1,
    replaces legal_ids and legal_offsets. Adds legal_mask, bool of the same shape, and pads policy with 0.

    batch: numpy arrays, or torch tensors from a DataLoader; the result has numpy arrays.
    width: W; 0: the length of the longest list. Raises ValueError if a list is longer.
    """
    batch = {name: array_of(array) for name, array in batch.items()}
    offsets, ids = batch["legal_offsets"], batch["legal_ids"]
    lengths = np.diff(offsets, axis=1)
    longest = int(lengths.max(initial=0))
    if width and longest > width:
        raise ValueError(f"width: got {width}, wanted {longest} or more, the length of the longest legal list")
    columns = np.arange(width or longest, dtype=np.int32)
    mask = columns < lengths[..., None]
    legal = np.full(mask.shape, -1, np.int32)
    # The lists are concatenated in the order of the slots, which is the order in which the mask selects entries.
    legal[mask] = ids
    shape = batch["order_ids"].shape + (len(columns),)
    out = {name: array for name, array in batch.items() if name not in ("legal_ids", "legal_offsets", "policy")}
    if "policy" in batch:
        policy = np.zeros(mask.shape, np.float32)
        policy[mask] = batch["policy"]
        out["policy"] = policy.reshape(shape)
    return {**out, "legal": legal.reshape(shape), "legal_mask": mask.reshape(shape)}


class _Picked(Sequence[Sample]):
    """Sequence of the samples of a batch, made from views of its arrays."""

    def __init__(self, batch: Samples, count: int) -> None:
        self.batch = batch
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        found = Sample({name: array[place] for name, array in self.batch.items() if name not in _ENTRIES})
        if "legal_offsets" in found:
            begin, end = found["legal_offsets"][[0, -1]]
            found["legal_offsets"] = found["legal_offsets"] - begin
            found.update({name: self.batch[name][begin:end] for name in _ENTRIES if name in self.batch})
        return found


def joined(samples: Sequence[Mapping[str, Array]]) -> Samples:
    """Returns samples joined into a batch, equal to `dataset[indices]`. samples: one or more Samples of one dataset, as
    numpy arrays."""
    if isinstance(samples, _Picked):
        return samples.batch
    batch = {name: np.stack([one[name] for one in samples]) for name in samples[0] if name not in _ENTRIES}
    for name in _ENTRIES:
        if name in samples[0]:
            batch[name] = np.concatenate([one[name] for one in samples])
    if "legal_offsets" in batch:
        ends = np.cumsum(batch["legal_offsets"][:, -1], dtype=np.int32)
        batch["legal_offsets"] += (ends - batch["legal_offsets"][:, -1])[:, None]
    return batch


class _TorchBatch(Dict[str, Any]):
    """A batch as torch tensors. Worker processes send it as one block of memory: sending each tensor takes ten times as
    long."""

    def __reduce__(self) -> Any:
        import torch

        arrays = {name: tensor.numpy() for name, tensor in self.items()}
        ends = np.cumsum([-(-array.nbytes // 64) * 64 for array in arrays.values()])
        block = np.zeros(int(ends[-1]), np.uint8)
        layout = []
        for (name, array), begin in zip(arrays.items(), [0, *ends[:-1].tolist()]):
            block[begin : begin + array.nbytes] = array.reshape(-1).view(np.uint8)
            layout.append((name, self[name].dtype, array.shape, begin, array.nbytes))
        return _unpack, (torch.from_numpy(block), layout)


def _unpack(block: Any, layout: Sequence[Tuple[str, Any, Tuple[int, ...], int, int]]) -> Dict[str, Any]:
    """Returns the tensors of a batch, keyed by name, as views of its block of memory.

    layout: for each tensor its name, type, shape, and offset and size in bytes.
    """
    return {name: block[begin : begin + size].view(dtype).reshape(shape) for name, dtype, shape, begin, size in layout}


def _collate(samples: Sequence[Sample], *, collate_fn_map: Any = None) -> Dict[str, Any]:
    """Returns samples joined into a batch of torch tensors, which share the memory of the batch's arrays. For torch's
    default_collate."""
    import torch

    return _TorchBatch({name: torch.from_numpy(array) for name, array in joined(samples).items()})


def _register() -> None:
    """Makes torch's default_collate join samples into a batch, if torch is loaded. Does nothing otherwise."""
    collate = sys.modules.get("torch.utils.data._utils.collate")
    if collate is not None:
        collate.default_collate_fn_map.setdefault(Sample, _collate)
