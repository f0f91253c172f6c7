"""Legal orders of many slots one behind the other, and choices among them that can be ordered together."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import ragged
from ._games import Games
from ._server import LepantoError
from .arrays import ADJUSTMENT, NO_ORDER, Bools, Int32s, Int64s
from .ragged import Values
from .vocabulary import Vocabulary


def _places(sizes: npt.NDArray[Any]) -> Int64s:
    """Place of each entry in its list, for lists of these lengths one behind the other."""
    ends = np.cumsum(sizes)
    found: Int64s = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
    return found


def _starts(sizes: npt.NDArray[Any]) -> Int64s:
    """Where lists of these lengths begin, one behind the other, and where the last ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _listed(
    offsets: npt.NDArray[Any], listed: npt.NDArray[Any], game: Int64s, slot: Int64s
) -> Tuple[npt.NDArray[Any], Int64s, Int32s]:
    """The legal lists of some slots of games. offsets: int[G, slots + 1], where each list begins in `listed`.

    Returns the length of each list, the list of each order, and the orders' vocabulary ids.
    """
    first = offsets[game, slot]
    sizes = offsets[game, slot + 1] - first
    index = np.repeat(np.arange(len(game)), sizes)
    return sizes, index, listed[first[index] + _places(sizes)]


def refuse_stale(what: str, positions: Sequence[npt.NDArray[Any]], games: Int64s) -> None:
    """Raises LepantoError if one of some games has been played on. positions: those of all games now and then, or
    none."""
    if positions:
        now, then = positions
        stale = games[(now != then).any(1)[games]]
        if len(stale):
            raise LepantoError(f"got {what} of an earlier phase of game {stale[0]}, wanted those of this one")


def _arrays(samples: Mapping[str, Any], *names: str) -> List[npt.NDArray[Any]]:
    """Arrays of a batch of samples by their names. Tensors, as torch's DataLoader makes them, become numpy arrays."""
    return [ragged.array_of(samples[name]) for name in names]


def lists_of(samples: Mapping[str, Any]) -> Tuple[Int64s, Int64s, Int32s, Int64s, Int64s]:
    """The legal lists of a batch of lepanto.dataset.Dataset in which an order was given: those of chosen powers alone.
    samples: numpy arrays, or torch tensors as a DataLoader makes them.

    Returns sample and power of each legal order, int64[N]; the orders' vocabulary ids, int32[N]; where each list
    begins, and the last ends, int64[M + 1]; and the place of what was ordered in each, int64[M]: what lepanto.ragged
    takes.
    """
    given, orderable, offsets, listed, powers = _arrays(
        samples, "actions", "orderable", "legal_offsets", "legal_ids", "power"
    )
    actions = given.reshape(len(given), -1)
    row, slot = np.nonzero(actions >= 0)
    sizes, index, ids = _listed(offsets, listed, row, slot)
    power = slot // orderable.shape[-1] if given.ndim == 3 else powers[row].astype(np.int64)
    return row[index], power[index], ids, _starts(sizes), actions[row, slot].astype(np.int64)


class Legal:
    """The legal lists of the slots in use, made by Batch.legal(). M slots (games, powers, slots ascending), N orders in
    all.

    legal = batch.legal()
    logits = net(observations)[legal.game[legal.index], legal.ids]     # float[N], numpy or torch
    picks, log_probs = legal.sample(logits)                            # int64[M], float[M]
    batch.step(legal.actions(picks))

    Picks are places in the lists. Adjustments of a power share one list, of which no two may take the same province:
    what the slots before have taken is masked. So sample() and log_prob() are those of the orders as they are chosen
    one after the other, slot 0 first. All arrays are copies: they stay as they are when the batch is stepped. actions()
    is then refused: the lists are those of an earlier phase.
    """

    def __init__(
        self,
        shape: Tuple[int, int, int],
        place: Tuple[Int64s, ...],
        sizes: npt.NDArray[Any],
        ids: Int32s,
        adjusts: Bools,
        vocabulary: Vocabulary,
        by_vocabulary: bool,
        seed: int,
    ) -> None:
        self._shape = shape
        self._by_vocabulary = by_vocabulary
        #: int64[M]: game, power and slot of each list.
        self.game, self.power, self.slot = place
        #: int64[M + 1]: where each list begins, and the last ends.
        self.starts = _starts(sizes)
        #: int64[N]: list of each order.
        self.index: Int64s = np.repeat(np.arange(len(self.game)), sizes)
        #: int32[N]: vocabulary ids.
        self.ids: Int32s = ids
        #: bool[M]: builds and removals.
        self.adjusts: Bools = adjusts
        self._province = vocabulary.province[ids] if adjusts.any() else np.full(len(ids), -1, np.int16)
        #: Place of the power in actions.
        self._row = self.power
        self._rounds = int(self.slot[adjusts].max(initial=0))
        self._seed = seed
        self._generators: Dict[str, Any] = {}
        #: The positions of the games now, and as they were when the lists were made; empty for samples.
        self._positions: Sequence[npt.NDArray[Any]] = ()

    @classmethod
    def of(cls, batch: Games, wanted: npt.NDArray[Any], seed: int) -> "Legal":
        """The lists of some powers of a batch. wanted: bool[G, Q]. seed: of sample() without a generator."""
        q, u = len(batch.powers), batch.max_orders
        place = game, power, slot = np.nonzero((np.arange(u) < batch.order_counts[..., None]) & wanted[..., None])
        sizes, _, ids = _listed(batch.legal_offsets, batch.legal_ids, game, power * u + slot)
        adjusts = batch.phase[game] == ADJUSTMENT
        legal = cls((len(batch), q, u), place, sizes, ids, adjusts, batch.vocabulary, batch.by_vocabulary, seed)
        legal._positions = batch.state, batch.state.copy()
        return legal

    def __getstate__(self) -> Dict[str, Any]:
        # A copy has no batch that could move on.
        return {**self.__dict__, "_positions": (), "_generators": {}}

    @classmethod
    def of_samples(cls, samples: Mapping[str, Any], vocabulary: Vocabulary, seed: int = 0) -> "Legal":
        """The lists of a batch of lepanto.dataset.Dataset: of all slots with orders due that are samples.

        samples: numpy arrays, or torch tensors as a DataLoader makes them.
        vocabulary: of the map, as `Dataset.vocabulary` and Batch.vocabulary have it. `game` is the place of the sample;
        `picks(samples["actions"])` are what was ordered, -1 where nothing was. After by_power() actions are int[B, U],
        and `power` is that of the sample.
        """
        counts, orderable, offsets, listed, phase = _arrays(
            samples, "order_counts", "orderable", "legal_offsets", "legal_ids", "phase"
        )
        by_power = counts.ndim == 1
        counts = counts[:, None] if by_power else counts
        b, q = counts.shape
        u = orderable.shape[-1]
        # Slots of powers that are no samples have no list.
        has = np.diff(offsets, axis=1).reshape(b, q, u) > 0
        place = game, power, slot = np.nonzero((np.arange(u) < counts[..., None]) & has)
        sizes, _, ids = _listed(offsets, listed, game, power * u + slot)
        legal = cls((b, q, u), place, sizes, ids, phase[game] == ADJUSTMENT, vocabulary, False, seed)
        if by_power:
            (powers,) = _arrays(samples, "power")
            legal.power = powers[game].astype(np.int64)
            legal._row = np.zeros(len(game), np.int64)
        return legal

    def __len__(self) -> int:
        return len(self.game)

    def __repr__(self) -> str:
        return f"<lepanto.Legal: {len(self.ids)} orders of {len(self)} slots>"

    # ---- masks ----

    def allowed(self, picks: Any) -> Bools:
        """Orders that can still be chosen for each slot, given the picks of the slots before it: bool[N].

        All but builds and removals in a province that a slot before has taken. picks: int[M], -1 for a slot that is
        open.
        """
        chosen = self._picks(picks)
        allowed = np.ones(len(self.ids), np.bool_)
        if self._rounds > 0:
            entries, _, left = self._left(np.flatnonzero(self.adjusts & (self.slot > 0)), chosen)
            allowed[entries] = left
        return allowed

    def _left(self, rows: Int64s, chosen: Int64s) -> Tuple[Int64s, Int64s, Bools]:
        """The orders of some lists of adjustments: their places, int64[n], where each list begins in these, and the
        last ends, and bool[n], what the picks of the slots before leave of them."""
        sizes = np.diff(self.starts)[rows]
        entries = np.repeat(self.starts[rows], sizes) + _places(sizes)
        province = self._province[entries]
        left = np.ones(len(entries), np.bool_)
        for back in range(1, int(self.slot[rows].max(initial=0)) + 1):
            before = np.maximum(rows - back, 0)
            is_taken = (self.slot[rows] >= back) & (chosen[before] >= 0)
            taken = np.where(is_taken, self._province[self.starts[before] + np.maximum(chosen[before], 0)], -1)
            taken = np.repeat(taken, sizes)
            left &= (taken < 0) | (taken != province)
        return entries, _starts(sizes), left

    def _picks(self, picks: Any) -> Int64s:
        chosen = ragged.array_of(picks)
        sizes = np.diff(self.starts)
        if chosen.shape != sizes.shape or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"picks: got {chosen.dtype} of shape {chosen.shape}, "
                f"wanted {len(sizes)} places in the lists, or -1 for no order"
            )
        wrong = (chosen < NO_ORDER) | (chosen >= sizes)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(f"picks: got {chosen[row]} at {row}, wanted -1 to {sizes[row] - 1}, a place in its list")
        return chosen.astype(np.int64)

    def _masked(self, logits: Values, picks: Any) -> Values:
        """The logits, -inf where the picks of the slots before leave nothing to choose."""
        if self._rounds == 0:
            return logits
        allowed = self.allowed(picks)
        if isinstance(logits, np.ndarray):
            return np.where(allowed, logits, np.array(-np.inf, logits.dtype))
        import torch  # type: ignore[import-not-found, unused-ignore]

        return logits.masked_fill(torch.as_tensor(~allowed, device=logits.device), -np.inf)

    def _checked(self, logits: Values) -> Values:
        """The logits. Raises ValueError for another shape, and for NaN or +inf, with its place. -inf rules an order
        out."""
        if not isinstance(logits, np.ndarray) and not hasattr(logits, "detach"):
            raise TypeError(f"logits: got {type(logits).__name__}, wanted a numpy array or a torch tensor")
        is_float = logits.dtype.kind == "f" if isinstance(logits, np.ndarray) else logits.is_floating_point()
        if not is_float:
            raise TypeError(f"logits: got {logits.dtype}, wanted floats")
        if tuple(logits.shape) != (len(self.ids),):
            raise ValueError(f"logits: got shape {tuple(logits.shape)}, wanted ({len(self.ids)},)")
        if not bool((logits < np.inf).all()):
            values = logits if isinstance(logits, np.ndarray) else logits.detach().cpu().double().numpy()
            at = int(np.flatnonzero(~(values < np.inf))[0])
            row = self.index[at]
            order = f"order {at - self.starts[row]} of game {self.game[row]}"
            where = f"{order}, power {self.power[row]}, slot {self.slot[row]}"
            raise ValueError(f"logits: got {values[at]} for {where}, wanted finite numbers or -inf")
        return logits

    # ---- choosing ----

    def _generator(self, logits: Values) -> Any:
        """The generator of draws without one: from the seed of these lists on, for arrays and for tensors."""
        if isinstance(logits, np.ndarray):
            return self._generators.setdefault("numpy", np.random.default_rng(self._seed & 0xFFFFFFFF))
        import torch  # type: ignore[import-not-found, unused-ignore]

        device = str(logits.device)
        if device not in self._generators:
            self._generators[device] = torch.Generator(device=logits.device).manual_seed(self._seed & 0xFFFFFFFF)
        return self._generators[device]

    def sample(self, logits: Values, generator: Any = None) -> Tuple[Values, Values]:
        """Draws an order for each slot: picks int64[M], and their log-probabilities float[M], with gradients for a
        tensor.

        logits: float[N], numpy or torch. generator: numpy.random.Generator or torch.Generator; None: one of these
        lists' own, which follows from the seeds of the batch's last reset and from how many lists it has made since.
        Raises ValueError for logits that are NaN or +inf, with their place.
        """
        self._checked(logits)
        generator = self._generator(logits) if generator is None else generator
        wanted, method = ("numpy.random", "random") if isinstance(logits, np.ndarray) else ("torch", "manual_seed")
        if not hasattr(generator, method):
            raise TypeError(f"generator: got {generator!r}, wanted a {wanted}.Generator, of the kind of the logits")
        if ragged.is_half(logits):
            picks, chances = self.sample(logits.float(), generator)
            return picks, chances.to(logits.dtype)
        if not ragged.is_like_array(logits):
            return self._sample_by_noise(logits, generator)
        points = ragged.points_of(logits, len(self), generator)
        array = logits if isinstance(logits, np.ndarray) else logits.detach().numpy()
        picks, chances = ragged.pick(array, self.starts, points)
        for turn in range(1, self._rounds + 1):
            rows = np.flatnonzero(self.adjusts & (self.slot == turn))
            entries, starts, left = self._left(rows, picks)
            values = np.where(left, array[entries], np.array(-np.inf, array.dtype))
            picks[rows], chances[rows] = ragged.pick(values, starts, points[rows])
        self._refuse_nothing(chances != chances)
        if isinstance(logits, np.ndarray):
            return picks, chances
        import torch  # type: ignore[import-not-found, unused-ignore]

        drawn = torch.from_numpy(picks)
        return drawn, self.log_prob(logits, drawn) if logits.requires_grad else torch.from_numpy(chances)

    def _sample_by_noise(self, logits: Values, generator: Any) -> Tuple[Values, Values]:
        """sample() of a tensor on another device, or of a type that arrays do not have."""
        import torch  # type: ignore[import-not-found, unused-ignore]

        drawn = logits.detach() + ragged.noise(logits, generator)
        picks = ragged.argmax(self._masked(drawn, np.full(len(self), NO_ORDER)), self.starts)
        for turn in range(1, self._rounds + 1):
            again = ragged.argmax(self._masked(drawn, picks), self.starts)
            due = torch.as_tensor(self.adjusts & (self.slot == turn), device=picks.device)
            picks = torch.where(due, again, picks)
        return picks, self.log_prob(logits, picks)

    def log_prob(self, logits: Values, picks: Any) -> Values:
        """Log-probabilities float[M] of picks int[M]: -inf for one that the slots before rule out, 0 for -1, no order.

        Raises ValueError for logits that are NaN or +inf, with their place.
        """
        chosen = self._picks(picks)
        masked = self._masked(self._checked(logits), chosen)
        ordered, places = chosen >= 0, np.maximum(chosen, 0)
        if isinstance(logits, np.ndarray):
            found = np.where(ordered, ragged.log_prob(masked, self.starts, places), logits.dtype.type(0))
            self._refuse_nothing(found != found)
            return found
        import torch  # type: ignore[import-not-found, unused-ignore]

        found = ragged.log_prob(masked, self.starts, torch.as_tensor(places, device=logits.device))
        if not ordered.all():
            found = torch.where(torch.as_tensor(ordered, device=logits.device), found, torch.zeros_like(found))
        self._refuse_nothing((found != found).cpu().numpy())
        return found

    def _refuse_nothing(self, wrong: Any) -> None:
        """Raises ValueError for the first of bool[M] lists that has no order left: all logits are -inf."""
        if wrong.any():
            row = int(np.argmax(wrong))
            where = f"game {self.game[row]}, power {self.power[row]}, slot {self.slot[row]}"
            raise ValueError(f"logits: got -inf for every order of {where} that is left, wanted one that can be chosen")

    def entropy(self, logits: Values, picks: Any) -> Values:
        """Entropy of each slot's distribution, in nats, given the picks of the slots before it: float[M]."""
        return ragged.entropy(self._masked(self._checked(logits), self._picks(picks)), self.starts)

    # ---- actions ----

    def actions(self, picks: Any) -> Int32s:
        """Picks as Batch.step() takes them: int32[G, Q, U], -1 where nothing is picked.

        Raises LepantoError if a game has been played on since the lists were made.
        """
        refuse_stale("legal orders", self._positions, self.game)
        chosen = self._picks(picks)
        out = np.full(self._shape, NO_ORDER, np.int32)
        if self._by_vocabulary:
            chosen = np.where(chosen >= 0, self.ids[self.starts[:-1] + np.maximum(chosen, 0)], NO_ORDER)
        out[self.game, self._row, self.slot] = chosen
        return out

    def picks(self, actions: Any) -> Int64s:
        """The picks int64[M] of actions int[G, Q, U]: those of an agent, to be learnt. -1 for a slot without an
        order."""
        given = ragged.array_of(actions)
        if given.ndim == 2 and self._shape[1] == 1:
            given = given[:, None]
        if given.shape != self._shape or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: got {given.dtype} of shape {given.shape}, wanted whole numbers of {self._shape}"
            )
        chosen = given[self.game, self._row, self.slot].astype(np.int64)
        if not self._by_vocabulary:
            return chosen
        same = self.ids == chosen[self.index]
        out = np.full(len(self), NO_ORDER, np.int64)
        out[self.index[same]] = np.flatnonzero(same) - self.starts[self.index[same]]
        return out
