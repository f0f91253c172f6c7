"""Softmax, sampling and argmax over concatenated lists of unequal length, such as legal orders, without padding.

`values` are the logits of all lists, float[N], as a numpy array or a torch tensor. `starts` is int[M + 1]: list m is
values[starts[m] : starts[m + 1]], and no list is empty. -inf marks an entry that cannot be chosen. Functions return
tensors for a tensor, on its device and with gradients, and arrays for an array.
"""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np
import numpy.typing as npt

#: numpy array or torch tensor.
Values = Any


def _is_tensor(values: Values) -> bool:
    return not isinstance(values, np.ndarray) and hasattr(values, "index_add")


def array_of(values: Any) -> npt.NDArray[Any]:
    """Returns an array, or a tensor on any device, with or without gradients, as a numpy array."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


def _lists(values: Values, starts: Any) -> Tuple[Any, Any]:
    """Returns the start of each list, and for each entry the index of its list, as arrays or tensors like the values.

    starts: start of each list and end of the last, int[M + 1]. Raises ValueError if `starts` does not match the values.
    """
    ends = np.asarray(starts)
    if (
        ends.ndim != 1
        or len(ends) == 0
        or ends[0] != 0
        or (np.diff(ends) <= 0).any()
        or tuple(values.shape) != (ends[-1],)
    ):
        raise ValueError(
            f"starts: got {ends[:3]} ... for values of shape {tuple(values.shape)}, wanted 0 up to their number"
        )
    index = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    if not _is_tensor(values):
        return ends[:-1].astype(np.int64), index
    import torch

    return torch.as_tensor(ends[:-1].astype(np.int64), device=values.device), torch.as_tensor(
        index, device=values.device
    )


def _is_like_numpy(values: Values) -> bool:
    """True for a tensor whose memory a numpy array can share. Then numpy replaces torch's scatter_reduce(), which warns
    in torch 1 and is slower."""
    return values.device.type == "cpu" and str(values.dtype) in ("torch.float32", "torch.float64", "torch.int64")


def is_half(values: Values) -> bool:
    """True for a tensor of 16-bit floats. Such tensors are computed in 32 bits, because some versions of torch cannot
    compute in 16 bits on a CPU, and draws in 16 bits are uneven."""
    return _is_tensor(values) and str(values.dtype) in ("torch.float16", "torch.bfloat16")


def _max(values: Values, first: Any, index: Any) -> Values:
    if not _is_tensor(values):
        return np.maximum.reduceat(values, first) if len(first) else values[:0]
    if _is_like_numpy(values):
        import torch

        return torch.from_numpy(_max(values.detach().numpy(), first.numpy(), index))
    return values.new_full((len(first),), -np.inf).scatter_reduce(0, index, values, "amax")


def _sum(values: Values, first: Any, index: Any) -> Values:
    if not _is_tensor(values):
        return np.add.reduceat(values, first) if len(first) else values[:0]
    return values.new_zeros((len(first),)).index_add(0, index, values)


def log_softmax(values: Values, starts: Any) -> Values:
    """Returns the log-probabilities of all entries within their lists, float[N].

    values: logits, float[N]. starts: start of each list and end of the last, int[M + 1].
    """
    if is_half(values):
        return log_softmax(values.float(), starts).to(values.dtype)
    first, index = _lists(values, starts)
    top = _max(values.detach() if _is_tensor(values) else values, first, index)[index]
    shifted = values - top
    exp = shifted.exp() if _is_tensor(values) else np.exp(shifted)
    total = _sum(exp, first, index)
    return shifted - (total.log() if _is_tensor(values) else np.log(total))[index]


def log_prob(values: Values, starts: Any, picks: Any) -> Values:
    """Returns the log-probability of one entry of each list, float[M].

    values: logits, float[N]. starts: start of each list and end of the last, int[M + 1]. picks: index of the entry in
        each list, int[M].
    """
    first, _ = _lists(values, starts)
    return log_softmax(values, starts)[first + picks]


def entropy(values: Values, starts: Any) -> Values:
    """Returns the entropy of each list's distribution in nats, float[M].

    values: logits, float[N]. starts: start of each list and end of the last, int[M + 1].
    """
    if is_half(values):
        return entropy(values.float(), starts).to(values.dtype)
    first, index = _lists(values, starts)
    logs = log_softmax(values, starts)
    if _is_tensor(values):
        import torch  # type: ignore[import-not-found, unused-ignore]

        return _sum(-logs.exp() * logs.clamp(min=torch.finfo(logs.dtype).min), first, index)
    return _sum(-np.exp(logs) * np.maximum(logs, np.finfo(logs.dtype).min), first, index)


def _found(place: Any, count: int) -> Any:
    """Returns `place` unchanged: the index of the greatest entry of each list.

    count: number of all entries. Raises ValueError for an index that is not below it, because the list then has NaN.
    """
    if len(place) and int(place.max()) >= count:
        raise ValueError(f"values: got NaN in list {int(place.argmax())}, wanted numbers")
    return place


def argmax(values: Values, starts: Any) -> Values:
    """Returns the index of the first greatest entry of each list, int64[M].

    values: float[N]. starts: start of each list and end of the last, int[M + 1]. Raises ValueError for NaN.
    """
    if is_half(values):
        return argmax(values.float(), starts)
    first, index = _lists(values, starts)
    top = _max(values, first, index)[index]
    if _is_tensor(values) and _is_like_numpy(values):
        import torch

        return torch.from_numpy(argmax(values.detach().numpy(), starts))
    if _is_tensor(values):
        import torch

        place = torch.arange(len(values), device=values.device) - first[index]
        far = torch.where(values == top, place, len(values))
        place = torch.full((len(first),), len(values), device=values.device).scatter_reduce(0, index, far, "amin")
        return _found(place, len(values))
    place = np.where(values == top, np.arange(len(values)) - first[index], len(values))
    return _found(np.minimum.reduceat(place, first) if len(first) else place[:0], len(values))


def noise(values: Values, generator: Any = None) -> Values:
    """Returns Gumbel noise of the shape of `values`. The argmax of values + noise is a draw from their softmax.

    generator: numpy.random.Generator for arrays, torch.Generator for tensors; None: a new, unseeded one.
    """
    if _is_tensor(values):
        import torch

        uniform = torch.rand(values.shape, generator=generator, device=values.device, dtype=values.dtype)
        return -torch.log(-torch.log(uniform.clamp(min=torch.finfo(values.dtype).tiny, max=1 - 1e-7)))
    rng = generator or np.random.default_rng()
    return rng.gumbel(size=values.shape).astype(values.dtype)


def points_of(values: Values, count: int, generator: Any = None) -> Any:
    """Returns random numbers from 0 to 1 as an array, f8[count]. values: array or tensor, which decides the kind of
    generator.

    generator: numpy.random.Generator for arrays, torch.Generator for tensors; None: for arrays a new one, for tensors
        torch's.
    """
    if not _is_tensor(values):
        return (generator or np.random.default_rng()).random(count)
    import torch

    return torch.rand(count, generator=generator, dtype=torch.float64).numpy()


def pick(values: Any, starts: Any, points: Any) -> Tuple[Any, Any]:
    """Returns the entry of each list at which the cumulative probability reaches a point: indices in the lists,
    int64[M], and their log-probabilities, float[M].

    values: logits without NaN, float[N]. starts: start of each list and end of the last, int[M + 1]. points: f8[M] from
        0 to 1. The log-probability is NaN for a list of -inf only.
    """
    first, last = starts[:-1], starts[1:] - 1
    if len(first) == 0:
        return np.zeros(0, np.int64), np.zeros(0, values.dtype)
    top = np.maximum.reduceat(values, first)
    shifted = values - np.repeat(np.where(np.isneginf(top), 0, top), np.diff(starts))
    weights = np.exp(shifted)
    sums = np.cumsum(weights, dtype=np.float64)
    before = np.concatenate([[0], sums[last[:-1]]])
    total = sums[last] - before
    at = np.clip(np.searchsorted(sums, before + points * total, "right"), first, last)
    for m in np.flatnonzero(weights[at] == 0):
        # Rounding may put the point at the end of a list whose last entries cannot be chosen.
        at[m] = first[m] + weights[first[m] : last[m] + 1].argmax()
    with np.errstate(invalid="ignore", divide="ignore"):
        return at - first, (shifted[at] - np.log(total)).astype(values.dtype)


def is_like_array(values: Values) -> bool:
    """True for a numpy array, and for a tensor whose memory a numpy array can share."""
    return not _is_tensor(values) or _is_like_numpy(values)


def sample(values: Values, starts: Any, generator: Any = None) -> Values:
    """Draws an entry of each list by the softmax of its values. Returns indices in the lists, int64[M].

    values: logits, float[N]. starts: start of each list and end of the last, int[M + 1]. generator: as in noise().
        Raises ValueError for NaN, and for a list of -inf only.
    """
    if is_half(values):
        return sample(values.float(), starts, generator)
    if not is_like_array(values):
        return argmax(values.detach() + noise(values, generator), starts)
    array = values.detach().numpy() if _is_tensor(values) else values
    _, index = _lists(array, starts)
    if not (array < np.inf).all():
        at = int(np.flatnonzero(~(array < np.inf))[0])
        raise ValueError(f"values: got {array[at]} in list {index[at]}, wanted finite numbers or -inf")
    ends = np.asarray(starts)
    places, chances = pick(array, ends, points_of(values, len(ends) - 1, generator))
    if (chances != chances).any():
        raise ValueError(
            f"values: got -inf alone in list {int(np.argmax(chances != chances))}, wanted an entry to choose"
        )
    if not _is_tensor(values):
        return places
    import torch

    return torch.from_numpy(places)
