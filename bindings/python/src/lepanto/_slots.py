"""Observations of one power as padded arrays, their spaces, and conversion of actions, for all environments."""

from __future__ import annotations

import io
from typing import Any, Dict, List, Literal, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ._checks import shaped
from ._server import LepantoError
from .arrays import ADJUSTMENT, NO_ORDER, Int32s
from .batch import Batch

#: Treatment of actions beyond the legal ones: "modulo" takes them modulo the list's length, "raise" raises an error.
Illegal = Literal["modulo", "raise"]
#: Default size of a slot's mask. In random games on the standard map a unit has at most about 180 legal orders.
MAX_CHOICES = 512
#: Number of years after the start of the map at which the year reaches 1 in a flat observation.
YEARS = 50

#: Parts of an observation that are one-hot encoded in a flat observation.
ONE_HOT = ("locations", "power", "season", "phase")

Array = npt.NDArray[Any]
Observations = Union[Array, Dict[str, Array]]


class Slots:
    """Makes the observations of one power of each game. N games, U slots, C = max_choices, Q powers, L locations.

    As a dict: `observation` u1[N, L, 35], `previous_orders` u1[N, L, 40], `action_mask` i1[N, U, C] (1 for each legal
    action; an unused slot has the one padding action 0), `legal_ids` i4[N, U, C] (vocabulary ids of the actions, padded
    with -1), `locations` i2[N, U] (locations of the slots' units, -2 for an adjustment, -1 for an unused slot),
    `power`, `season`, `phase` i1[N, 1], `year` i2[N, 1], `center_counts` u1[N, Q].

    Flat: f4[N, n] from 0 to 1, without masks and ids. `parts` has the slice of each part: observation, previous_orders,
    locations, power, season, phase (each 0 or 1), year ((year - start) / 50, at most 1), center_counts (divided by the
    number of centres of the map).
    """

    def __init__(self, batch: Batch, max_choices: int, flat: bool) -> None:
        self.batch = batch
        self.max_choices = max_choices
        self.flat = flat
        places = np.arange(max_choices + 1)
        #: Mask of a slot, u1[C + 1, C], indexed by its number of legal actions.
        self._masks: Array = (places[:-1] < np.maximum(places, 1)[:, None]).view(np.int8)
        board, orders = batch.observation.shape[1:], batch.previous_orders.shape[1:]
        u, q = batch.max_orders, len(batch.powers)
        #: Least value, greatest value, shape and type of each observed array, without the legal actions.
        self._boxes: Dict[str, Tuple[int, int, Tuple[int, ...], Any]] = {
            "observation": (0, 1, board, np.uint8),
            "previous_orders": (0, 1, orders, np.uint8),
            "locations": (-2, len(batch.locations) - 1, (u,), np.int16),
            "power": (0, q - 1, (1,), np.int8),
            "season": (0, 2, (1,), np.int8),
            "phase": (0, 2, (1,), np.int8),
            "year": (0, 9999, (1,), np.int16),
            "center_counts": (0, len(batch.centers), (q,), np.uint8),
        }
        #: Slice of each part of a flat observation.
        self.parts: Dict[str, slice] = {}
        end = 0
        for name, (_, most, shape, _) in self._boxes.items():
            start, end = end, end + int(np.prod(shape)) * (most + 1 if name in ONE_HOT else 1)
            self.parts[name] = slice(start, end)
        lists = {
            "action_mask": (0, 1, (u, max_choices), np.int8),
            "legal_ids": (-1, len(batch.vocabulary) - 1, (u, max_choices), np.int32),
        }
        self.space: spaces.Space[Any] = (
            spaces.Box(0, 1, (end,), np.float32)
            if flat
            else spaces.Dict({name: spaces.Box(*box) for name, box in {**self._boxes, **lists}.items()})
        )

    # ---- legal actions ----

    def _lists(self, powers: Array) -> Tuple[Array, Int32s]:
        """Returns the start of each slot's legal list in `legal_ids` and the length of the list, int[N, U] each.

        powers: index of the power in each game, int[N]. Raises ValueError for a list of more than C orders, because the
            mask would hide some.
        """
        at = powers[:, None] * self.batch.max_orders + np.arange(self.batch.max_orders + 1)
        ends = np.take_along_axis(self.batch.legal_offsets, at, 1)
        counts = np.diff(ends, axis=1)
        if counts.size and counts.max() > self.max_choices:
            game, slot = (int(i) for i in np.unravel_index(int(counts.argmax()), counts.shape))
            place = self.batch.orderable[game, powers[game], slot]
            where = self.batch.locations[place] if place >= 0 else f"adjustment {slot}"
            raise ValueError(
                f"max_choices: got {self.max_choices}, wanted {counts.max()} or more, the number of legal orders of "
                f"{self.batch.powers[powers[game]]} at {where} in game {game}"
            )
        return ends[:, :-1], counts

    def mask(self, counts: Int32s) -> Array:
        """Returns the mask of legal actions, i1[..., U, C]: 1 for each legal action. An unused slot has one padding
        action, 0.

        counts: number of legal actions of each slot, i4[..., U].
        """
        # Copying a row for each slot takes a twentieth of the time of comparing.
        mask: Array = self._masks.take(counts, 0)
        return mask

    def left(self, powers: Array, chosen: Array) -> npt.NDArray[np.bool_]:
        """Returns the mask of legal actions of each slot given the choices of earlier slots, bool[N, U, C].

        powers: index of the power in each game, int[N]. chosen: choices so far, int[N, U], -1 for an undecided slot.
            Builds and removals in a province that an earlier slot has taken are False. Raises ValueError for a list of
            more than C orders.
        """
        starts, counts = self._lists(powers)
        left: npt.NDArray[np.bool_] = self.mask(counts).view(np.bool_)
        for n in np.flatnonzero((self.batch.phase == ADJUSTMENT) & (counts[:, 0] > 0)):
            size = int(counts[n, 0])
            ids = self.batch.legal_ids[starts[n, 0] : starts[n, 0] + size]
            province = self.batch.vocabulary.province[ids]
            used = int((counts[n] > 0).sum())
            for s in range(used - 1):
                if 0 <= chosen[n, s] < size and province[chosen[n, s]] >= 0:
                    left[n, s + 1 : used, :size] &= province != province[chosen[n, s]]
        return left

    def _ids(self, starts: Array, counts: Int32s) -> Int32s:
        ids = np.full((counts.size, self.max_choices), -1, np.int32)
        sizes = counts.reshape(-1)
        slot = np.repeat(np.arange(counts.size), sizes)
        place = np.arange(len(slot)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        ids[slot, place] = self.batch.legal_ids[starts.reshape(-1)[slot] + place]
        return ids.reshape(len(counts), -1, self.max_choices)

    # ---- observations ----

    def observe(self, powers: Array) -> Tuple[Observations, Int32s]:
        """Returns the observations of one power of each game, as copies, and the number of legal actions of its slots,
        i4[N, U].

        powers: index of the power in each game, int[N]. Raises ValueError for a list of more than C orders.
        """
        batch = self.batch
        starts, counts = self._lists(powers)
        boards = batch.observation, batch.previous_orders
        places = batch.orderable[np.arange(len(batch)), powers]
        now = self._shown(*boards, places, powers, batch.season, batch.phase, batch.year, batch.center_counts)
        if self.flat:
            return self._flatten(now), counts
        return {**now, "action_mask": self.mask(counts), "legal_ids": self._ids(starts, counts)}, counts

    def _shown(self, *values: Any) -> Dict[str, Array]:
        """Returns observed values as new arrays of the shapes and types in `_boxes`, keyed by name.

        values: arrays in the order of `_boxes`.
        """
        boxes = zip(self._boxes.items(), values)
        return {name: np.array(value, dtype).reshape(-1, *shape) for (name, (_, _, shape, dtype)), value in boxes}

    def final(self, game: int, power: int) -> Observations:
        """Returns a power's observation at the end of a game's last episode, without the axis N. All its slots are
        unused.

        game, power: indices of the game and of the power.
        """
        batch = self.batch
        u, q = batch.max_orders, len(batch.powers)
        at = batch._info["state"]["owners"]
        state = batch.final_state[game]
        owners = state[at : at + len(batch.centers)]
        boards = batch.final_observation[game], batch.final_previous_orders[game]
        counts = np.bincount(owners, minlength=q + 1)[1:]
        year = state[:2].copy().view("<u2")
        end = self._shown(*boards, np.full(u, -1), power, state[2], state[3], year, counts)
        if self.flat:
            flat: Array = self._flatten(end)[0]
            return flat
        ids = np.full((u, self.max_choices), -1, np.int32)
        one = {name: array[0] for name, array in end.items()}
        return {**one, "action_mask": self.mask(np.zeros(u, np.int32)), "legal_ids": ids}

    def _flatten(self, now: Dict[str, Array]) -> Array:
        batch, n = self.batch, len(now["power"])
        out = np.zeros((n, self.parts["center_counts"].stop), np.float32)
        for name in ("observation", "previous_orders"):
            out[:, self.parts[name]] = now[name].reshape(n, -1)
        for name in ONE_HOT:
            values, size = now[name].astype(np.intp), self._boxes[name][1] + 1
            row, place = np.nonzero(values >= 0)
            out[row, self.parts[name].start + place * size + values[row, place]] = 1
        start = batch._info["map"]["start_year"]
        out[:, self.parts["year"]] = np.clip((now["year"] - start) / YEARS, 0, 1)
        out[:, self.parts["center_counts"]] = now["center_counts"] / len(batch.centers)
        return out


def picture_of(batch: Batch, width: int = 800) -> Array:
    """Returns the board of the first game as pixels, u1[height, width, 3].

    Raises LepantoError unless pillow and either resvg_py or cairosvg are installed.
    """
    png = batch.draw(0, theme="light").png(width)
    try:
        from PIL import Image  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise LepantoError('render_mode "rgb_array": got no pillow, wanted it: pip install "lepanto[png]"') from None
    with Image.open(io.BytesIO(png)) as image:
        pixels: Array = np.array(image.convert("RGB"))
    return pixels


def render(batch: Batch, mode: Optional[str]) -> Any:
    return picture_of(batch) if mode == "rgb_array" else describe_position(batch)


def check_shaping(shaping: float) -> float:
    if isinstance(shaping, bool) or not isinstance(shaping, (int, float)) or not np.isfinite(shaping):
        raise ValueError(f"shaping: got {shaping!r}, wanted a number")
    return float(shaping)


def fold(name: str, actions: Any, counts: Array, illegal: Illegal) -> Array:
    """Converts actions of a space to actions for Batch.step(): sets unused slots to -1; with illegal="modulo" takes
    the others modulo the length of the slot's list.

    Keeps negative actions of used slots: -1 is no order, and Batch.step() rejects other negative ones.

    counts: number of legal actions of each slot. Raises ValueError unless actions have the shape of `counts`, TypeError
    unless they are integers.
    """
    given = shaped(name, actions, counts.shape)
    if illegal == "modulo":
        given = np.where(given < 0, given, given % np.maximum(counts, 1))
    folded: Array = np.where(counts > 0, given, NO_ORDER)
    return folded


def check_illegal(illegal: Illegal) -> Illegal:
    if illegal not in ("modulo", "raise"):
        raise ValueError(f'illegal: got {illegal!r}, wanted "modulo" or "raise"')
    return illegal


def check_power(power: str, powers: List[str], name: str = "power") -> int:
    """Returns the index of a power. Raises ValueError for an unknown one. name: name of the argument in the error."""
    if power not in powers:
        raise ValueError(f"{name}: got {power!r}, wanted one of {', '.join(powers)}")
    return powers.index(power)


def describe_position(batch: Batch) -> str:
    """Returns the position of the first game as text: the phase, then a line with the units of each power."""
    position = batch.position(0)
    return "\n".join(
        [position["phase"]] + [f"{power}: {', '.join(units)}" for power, units in position["units"].items()]
    )
