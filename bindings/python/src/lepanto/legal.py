"""Concatenated legal orders of many slots, with sampling that never chooses two adjustments of one province."""

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
    """Returns the index of each entry within its own list, int64[sum of sizes], for concatenated lists of these
    lengths."""
    ends = np.cumsum(sizes)
    found: Int64s = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
    return found


def _starts(sizes: npt.NDArray[Any]) -> Int64s:
    """Returns the start of each of the concatenated lists of these lengths, then the end of the last, int64[len(sizes)
    + 1]."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _listed(
    offsets: npt.NDArray[Any], listed: npt.NDArray[Any], game: Int64s, slot: Int64s
) -> Tuple[npt.NDArray[Any], Int64s, Int32s]:
    """Returns the legal lists of slots of games, concatenated.

    offsets: int[G, slots + 1], the start of each list in `listed`. listed: vocabulary ids. game, slot: int64[M].

    Returns the length of each list, int[M]; the index of the list of each order, int64[N]; and the vocabulary ids of
    the orders, int32[N].
    """
    first = offsets[game, slot]
    sizes = offsets[game, slot + 1] - first
    index = np.repeat(np.arange(len(game)), sizes)
    return sizes, index, listed[first[index] + _places(sizes)]


def refuse_stale(what: str, positions: Sequence[npt.NDArray[Any]], games: Int64s) -> None:
    """Raises LepantoError if the position of a game has changed since a result was computed.

    what: the result, for the error. positions: current and earlier positions of all games, u1[G, bytes] each; empty for
        no check. games: indices of the games to check.
    """
    if positions:
        now, then = positions
        stale = games[(now != then).any(1)[games]]
        if len(stale):
            raise LepantoError(f"got {what} of an earlier phase of game {stale[0]}, wanted those of the current phase")


def _arrays(samples: Mapping[str, Any], *names: str) -> List[npt.NDArray[Any]]:
    """Returns named arrays of a batch of samples as numpy arrays. Converts the tensors that torch's DataLoader
    makes."""
    return [ragged.array_of(samples[name]) for name in names]


def lists_of(samples: Mapping[str, Any]) -> Tuple[Int64s, Int64s, Int32s, Int64s, Int64s]:
    """Returns the legal lists of all slots with an order in a batch of lepanto.dataset.Dataset, for lepanto.ragged.

    samples: numpy arrays, or torch tensors from a DataLoader. M slots have an order, with N legal orders in all.

    Returns the sample and the power of each legal order, int64[N] each; the vocabulary ids of the orders, int32[N]; the
    start of each list and the end of the last, int64[M + 1]; and the index of the given order in each list, int64[M].
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
    """Legal lists of the slots in use, made by Batch.legal(). M slots in ascending order of game, power and slot, with
    N orders in all.

    legal = batch.legal()
    logits = net(observations)[legal.game[legal.index], legal.ids]     # float[N], numpy or torch
    picks, log_probs = legal.sample(logits)                            # int64[M], float[M]
    batch.step(legal.actions(picks))

    Picks are indices into the lists. All adjustments of a power share one list, and no two of them may name the same
    province: orders for provinces that earlier slots have taken are masked. sample() and log_prob() therefore choose
    the slots in sequence, slot 0 first. All arrays are copies and do not change when the batch is stepped. After a step
    actions() raises LepantoError, because the lists belong to an earlier phase.
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
        #: int64[M] each: game, power and slot of each list.
        self.game, self.power, self.slot = place
        #: int64[M + 1]: start of each list in `ids`, and end of the last.
        self.starts = _starts(sizes)
        #: int64[N]: index of the list of each order.
        self.index: Int64s = np.repeat(np.arange(len(self.game)), sizes)
        #: int32[N]: vocabulary ids of the orders.
        self.ids: Int32s = ids
        #: bool[M]: True for lists of adjustments (builds and removals).
        self.adjusts: Bools = adjusts
        self._province = vocabulary.province[ids] if adjusts.any() else np.full(len(ids), -1, np.int16)
        #: int64[M]: index of each list's power in the second dimension of actions.
        self._row = self.power
        self._rounds = int(self.slot[adjusts].max(initial=0))
        self._seed = seed
        self._generators: Dict[str, Any] = {}
        #: Current positions of the games (a view), and a copy from when the lists were made. Empty for samples.
        self._positions: Sequence[npt.NDArray[Any]] = ()

    @classmethod
    def of(cls, batch: Games, wanted: npt.NDArray[Any], seed: int) -> "Legal":
        """Returns the legal lists of some powers of a batch.

        wanted: bool[G, Q], True for these powers. seed: seed of sample() without a generator.
        """
        q, u = len(batch.powers), batch.max_orders
        place = game, power, slot = np.nonzero((np.arange(u) < batch.order_counts[..., None]) & wanted[..., None])
        sizes, _, ids = _listed(batch.legal_offsets, batch.legal_ids, game, power * u + slot)
        adjusts = batch.phase[game] == ADJUSTMENT
        legal = cls((len(batch), q, u), place, sizes, ids, adjusts, batch.vocabulary, batch.by_vocabulary, seed)
        legal._positions = batch.state, batch.state.copy()
        return legal

    def __getstate__(self) -> Dict[str, Any]:
        # A pickled copy has no batch, so it does not check whether its games have moved on.
        return {**self.__dict__, "_positions": (), "_generators": {}}

    @classmethod
    def of_samples(cls, samples: Mapping[str, Any], vocabulary: Vocabulary, seed: int = 0) -> "Legal":
        """Returns the lists of a batch of lepanto.dataset.Dataset: of all slots with orders due in its samples.

        samples: numpy arrays, or torch tensors from a DataLoader.
        vocabulary: the map's vocabulary, `Dataset.vocabulary` or `Batch.vocabulary`.
        seed: for sample() without a generator.

        `game` of the result is the index of the sample. `picks(samples["actions"])` returns the orders that were given,
        -1 for slots without an order. For batches of by_power(), actions are int[B, U], and `power` is the power of the
        sample.
        """
        counts, orderable, offsets, listed, phase = _arrays(
            samples, "order_counts", "orderable", "legal_offsets", "legal_ids", "phase"
        )
        by_power = counts.ndim == 1
        counts = counts[:, None] if by_power else counts
        b, q = counts.shape
        u = orderable.shape[-1]
        # Slots of powers that are not among the samples have empty lists.
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
        """Returns a mask of the orders that each slot may choose, given the picks of the slots before it: bool[N].

        False for builds and removals in a province that an earlier slot of the power has taken; True for all other
        orders. picks: int[M], -1 for an undecided slot.
        """
        chosen = self._picks(picks)
        allowed = np.ones(len(self.ids), np.bool_)
        if self._rounds > 0:
            entries, _, left = self._left(np.flatnonzero(self.adjusts & (self.slot > 0)), chosen)
            allowed[entries] = left
        return allowed

    def _left(self, rows: Int64s, chosen: Int64s) -> Tuple[Int64s, Int64s, Bools]:
        """Masks lists of adjustments by the picks of earlier slots. rows: indices of the lists. chosen: picks int64[M].

        Returns the indices of the lists' orders in `ids`, int64[n]; the start of each list among them and the end of
        the last; and bool[n], True for orders whose province no earlier slot has taken.
        """
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
        """Returns the logits, with -inf for orders that the picks of earlier slots rule out.

        logits: float[N]. picks: int[M], -1 for an undecided slot.
        """
        if self._rounds == 0:
            return logits
        allowed = self.allowed(picks)
        if isinstance(logits, np.ndarray):
            return np.where(allowed, logits, np.array(-np.inf, logits.dtype))
        import torch  # type: ignore[import-not-found, unused-ignore]

        return logits.masked_fill(torch.as_tensor(~allowed, device=logits.device), -np.inf)

    def _checked(self, logits: Values) -> Values:
        """Returns the logits unchanged. -inf is allowed and rules an order out.

        Raises TypeError unless they are floats, ValueError for another shape, NaN or +inf, and names the order.
        """
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
        """Returns this object's random generator, seeded by `seed`: one for arrays, and one for each device of tensors.

        logits: array or tensor to draw for.
        """
        if isinstance(logits, np.ndarray):
            return self._generators.setdefault("numpy", np.random.default_rng(self._seed & 0xFFFFFFFF))
        import torch  # type: ignore[import-not-found, unused-ignore]

        device = str(logits.device)
        if device not in self._generators:
            self._generators[device] = torch.Generator(device=logits.device).manual_seed(self._seed & 0xFFFFFFFF)
        return self._generators[device]

    def sample(self, logits: Values, generator: Any = None) -> Tuple[Values, Values]:
        """Draws an order for each slot. Returns picks, int64[M], and their log-probabilities, float[M], differentiable
        for tensors that require gradients.

        logits: float[N], numpy or torch; -inf rules an order out.
        generator: a numpy.random.Generator or torch.Generator, of the kind of the logits. None: a generator of these
            lists, seeded from the seeds of the batch's last reset and the number of legal() calls since.

        Raises ValueError for logits that are NaN or +inf, or -inf for all orders of a slot, and names the slot.
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
        """Samples as sample() does, for tensors on another device or of a type that numpy does not have: adds Gumbel
        noise and takes the maximum."""
        import torch  # type: ignore[import-not-found, unused-ignore]

        drawn = logits.detach() + ragged.noise(logits, generator)
        picks = ragged.argmax(self._masked(drawn, np.full(len(self), NO_ORDER)), self.starts)
        for turn in range(1, self._rounds + 1):
            again = ragged.argmax(self._masked(drawn, picks), self.starts)
            due = torch.as_tensor(self.adjusts & (self.slot == turn), device=picks.device)
            picks = torch.where(due, again, picks)
        return picks, self.log_prob(logits, picks)

    def log_prob(self, logits: Values, picks: Any) -> Values:
        """Returns the log-probabilities of picks, float[M]: -inf for a pick that earlier slots rule out, 0 for -1 (no
        order).

        logits: float[N]. picks: int[M]. Raises ValueError for logits that are NaN or +inf, or -inf for all orders of a
        slot, and names the slot.
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
        """Raises ValueError naming the first slot without a possible order. wrong: bool[M], True if all logits of a
        slot are -inf."""
        if wrong.any():
            row = int(np.argmax(wrong))
            where = f"game {self.game[row]}, power {self.power[row]}, slot {self.slot[row]}"
            raise ValueError(f"logits: got -inf for every order of {where} that is left, wanted one that can be chosen")

    def entropy(self, logits: Values, picks: Any) -> Values:
        """Returns the entropy of each slot's distribution in nats, float[M], given the picks of the slots before it.

        logits: float[N]. picks: int[M]. Raises ValueError for logits that are NaN or +inf.
        """
        return ragged.entropy(self._masked(self._checked(logits), self._picks(picks)), self.starts)

    # ---- actions ----

    def actions(self, picks: Any) -> Int32s:
        """Returns the actions of picks for Batch.step(): int32[G, Q, U], -1 for slots without a pick. picks: int[M].

        Raises LepantoError if a game has moved on since the lists were made.
        """
        refuse_stale("legal orders", self._positions, self.game)
        chosen = self._picks(picks)
        out = np.full(self._shape, NO_ORDER, np.int32)
        if self._by_vocabulary:
            chosen = np.where(chosen >= 0, self.ids[self.starts[:-1] + np.maximum(chosen, 0)], NO_ORDER)
        out[self.game, self._row, self.slot] = chosen
        return out

    def picks(self, actions: Any) -> Int64s:
        """Returns the picks of actions, int64[M], for example to imitate an agent; -1 for a slot without an order.

        actions: int[G, Q, U]. The inverse of actions().

        Raises ValueError for another type or shape.
        """
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
