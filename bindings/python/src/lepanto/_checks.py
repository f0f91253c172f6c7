"""Validates numbers from users: rejects fractions, and integers that a narrower type would truncate."""

from __future__ import annotations

import operator
from typing import Any, Tuple

import numpy as np
import numpy.typing as npt

INT32 = np.iinfo(np.int32)
#: Least and greatest seed: 32 bits, signed or unsigned.
SEEDS = (int(INT32.min), 2**32 - 1)


def whole(name: str, value: Any) -> int:
    """Returns an integer of Python or numpy as int. Raises TypeError for anything but an integer: 0.7, True, "3"."""
    if not isinstance(value, (bool, np.bool_)):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name}: got {value!r}, wanted a whole number")


def whole_from(name: str, value: Any, least: int, most: int) -> int:
    """Returns an integer of Python or numpy as int.

    name: of the argument, for errors. Raises TypeError for anything but an integer, ValueError unless least <= value <=
        most.
    """
    number = whole(name, value)
    if not least <= number <= most:
        raise ValueError(f"{name}: got {number}, wanted {least} to {most}")
    return number


def signed(seed: int) -> int:
    """Returns the 32 bits of an unsigned or signed seed as a signed integer, the form the engine reads."""
    return seed - (1 << 32) if seed >= 1 << 31 else seed


def whole_array(name: str, value: Any) -> npt.NDArray[Any]:
    """Returns an array of integers; an empty list gives int64. Raises TypeError for any other non-empty array: floats,
    booleans, texts, dates, objects."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name}: got an array of {array.dtype}, wanted whole numbers")
    return array if array.dtype.kind in "iu" else array.astype(np.int64)


def beyond(array: npt.NDArray[Any], least: int, most: int) -> npt.NDArray[Any]:
    """Returns a mask, bool of the array's shape: True for each integer below `least` or above `most`.

    Limits may exceed the range of the array's type.
    """
    info = np.iinfo(array.dtype)
    below = array < least if info.min < least else np.zeros(array.shape, bool)
    return below | (array > most) if info.max > most else below


def is_within(array: npt.NDArray[Any], least: int, most: int) -> bool:
    """True if all integers of an array are from `least` to `most`, both included; also for an empty array."""
    info = np.iinfo(array.dtype)
    if array.size == 0 or (info.min >= least and info.max <= most):
        return True
    return bool(array.min() >= least and array.max() <= most)


def shaped(name: str, value: Any, shape: Tuple[int, ...]) -> npt.NDArray[Any]:
    """Returns an array of integers, like whole_array(). name: of the argument, for errors.

    Raises ValueError unless the array has the given shape, TypeError unless its elements are integers.
    """
    given = np.shape(value)
    if given != shape:
        raise ValueError(f"{name}: got shape {given}, wanted {shape}")
    return whole_array(name, value)


def seeds_array(name: str, value: Any, shape: Tuple[int, ...]) -> npt.NDArray[Any]:
    """Returns seeds as int32 of the given shape, from integers of 32 bits, signed or unsigned. name: of the argument,
    for errors.

    Raises ValueError for another shape and for larger integers, TypeError unless the elements are integers.
    """
    array = shaped(name, value, shape)
    if not is_within(array, *SEEDS):
        wrong = array[beyond(array, *SEEDS)][0]
        raise ValueError(f"{name}: got {wrong}, wanted {SEEDS[0]} to {SEEDS[1]}")
    return array.astype(np.int64).astype(np.int32)


def mask_array(name: str, value: Any, shape: Tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Returns a mask as an array of booleans. name: of the argument, for errors.

    Raises TypeError for any type but booleans, ValueError for another shape. Integers are refused because [0, 1] may be
    meant as indices.
    """
    array = np.asarray(value)
    if array.dtype != np.bool_ or array.shape != shape:
        got, wanted = (", ".join(map(str, sizes)) for sizes in (array.shape, shape))
        error = TypeError if array.dtype != np.bool_ else ValueError
        raise error(f"{name}: got {array.dtype}[{got}], wanted bool[{wanted}]")
    return array
