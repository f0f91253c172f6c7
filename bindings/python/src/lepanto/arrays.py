"""The arrays of a batch and of the children of expand(): views of the memory that the engine writes.

G games, Q powers (7 on the standard map), U orders that one power can have due (17), P provinces (75), C centres (34),
L locations (81: the provinces, then the coasts of those that have two), S scoring systems. The next step overwrites the
arrays: copy what you keep.
"""

from __future__ import annotations

from typing import Any, Dict, Literal, Mapping, Tuple

import numpy as np
import numpy.typing as npt

from ._server import LepantoError

SPRING, FALL, WINTER = 0, 1, 2
MOVEMENT, RETREAT, ADJUSTMENT = 0, 1, 2
PLAYING, SOLO, DRAW = 0, 1, 2
NO_ORDER = -1
ADJUSTMENT_SLOT = -2
NO_SLOT = -1

#: Scoring systems; the short names are those of the engine's commands.
Score = Literal[
    "sum_of_squares", "draw_size", "sum_of_centers", "c_diplo_100", "c_diplo_73", "survivors", "sos", "dss", "soc"
]
#: Scoring systems in the order of `final_scores`.
SCORES: Tuple[Score, ...] = ("sum_of_squares", "draw_size", "sum_of_centers", "c_diplo_100", "c_diplo_73", "survivors")
#: Results of orders by their code in `last_results`, and what befell units by the code in `last_fates`.
RESULTS = ("stands", "succeeds", "fails", "given", "cut", "available", "disrupted", "invalid", "illegal", "stops")
FATES = ("", "dislodged", "destroyed")
_ALIASES = {"sos": "sum_of_squares", "dss": "draw_size", "soc": "sum_of_centers"}

Bools = npt.NDArray[np.bool_]
UInt8s = npt.NDArray[np.uint8]
Int8s = npt.NDArray[np.int8]
UInt16s = npt.NDArray[np.uint16]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


class NoSuchArray(LepantoError, AttributeError):
    """An array that a batch with these options does not have."""


def score_index(system: str) -> int:
    """Place of a scoring system in SCORES. Raises ValueError for a name that is none."""
    name = _ALIASES.get(system, system)
    if name not in SCORES:
        raise ValueError(f"scoring system: got {system!r}, wanted one of {', '.join(SCORES)}")
    return SCORES.index(name)


class Arrays:
    """Games side by side, as numpy sees them. Batch has one row for each game, Children one for each child."""

    #: By name: the rows of these games.
    _rows: Dict[str, npt.NDArray[Any]]
    _legal_ids: Int32s
    #: Of the handshake.
    _info: Mapping[str, Any]
    _score: int

    def _view(self, info: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], rows: slice, score: int) -> None:
        self._info = info
        self._rows = {name: array[rows] for name, array in arrays.items() if name != "legal_ids"}
        self._legal_ids = arrays["legal_ids"].reshape(-1)
        self._score = score

    def _refresh(self) -> None:
        """Called before what random_step() leaves behind the times is read."""

    def _fresh(self, name: str) -> Any:
        self._refresh()
        return self._rows[name]

    def _tensor(self, name: str, option: str = "these observations") -> Any:
        if name not in self._rows:
            raise NoSuchArray(f"{name}: got a batch without it, wanted one with {option}")
        return self._rows[name]

    def _field(self, dtype: str, offset: int) -> Any:
        state = self._rows["state"]
        return np.ndarray((len(state),), np.dtype(dtype), state, offset, (state.strides[0],))

    def _part(self, name: str, count: int) -> UInt8s:
        offset: int = self._info["state"][name]
        part: UInt8s = self._rows["state"][:, offset : offset + count]
        return part

    # ---- the position ----

    @property
    def state(self) -> UInt8s:
        """u1[G, bytes]: the whole position, as the engine keeps it."""
        return self._rows["state"]

    @property
    def year(self) -> UInt16s:
        """u2[G]: 1901 and up on the standard map."""
        return self._field("<u2", 0)  # type: ignore[no-any-return]

    @property
    def season(self) -> UInt8s:
        """u1[G]: SPRING 0, FALL 1, WINTER 2."""
        return self._field("u1", 2)  # type: ignore[no-any-return]

    @property
    def phase(self) -> UInt8s:
        """u1[G]: MOVEMENT 0, RETREAT 1, ADJUSTMENT 2."""
        return self._field("u1", 3)  # type: ignore[no-any-return]

    @property
    def status(self) -> UInt8s:
        """u1[G]: PLAYING 0, SOLO 1, DRAW 2 (of what `max_steps` has cut off, too)."""
        return self._field("u1", 4)  # type: ignore[no-any-return]

    @property
    def winner(self) -> Int8s:
        """i1[G]: the power that won alone, or -1. No view but an array of its own."""
        # The state has the power that won + 1, or 0.
        winner: Int8s = self._field("u1", 5).astype(np.int8) - np.int8(1)
        return winner

    @property
    def units(self) -> UInt8s:
        """u1[G, P]: by province 0, or (power + 1) * 2 + (1 for a fleet)."""
        return self._part("units", len(self._info["map"]["provinces"]))

    @property
    def owners(self) -> UInt8s:
        """u1[G, C]: by centre power + 1, or 0. `centers` of the batch has the names."""
        return self._part("owners", len(self._info["map"]["centers"]))

    @property
    def build_numbers(self) -> Int8s:
        """i1[G, Q]: builds (> 0) or removals (< 0) due in an adjustment phase, else 0."""
        return self._fresh("build_numbers")  # type: ignore[no-any-return]

    @property
    def center_counts(self) -> UInt8s:
        """u1[G, Q]: supply centres owned, 0 to C."""
        return self._fresh("center_counts")  # type: ignore[no-any-return]

    # ---- what can be ordered ----

    @property
    def order_counts(self) -> UInt8s:
        """u1[G, Q]: slots in use, 0 to U; 0 for powers that agents play."""
        return self._fresh("order_counts")  # type: ignore[no-any-return]

    @property
    def acting(self) -> Bools:
        """bool[G, Q]: powers that have an order due. No view but an array of its own."""
        acting: Bools = self._fresh("order_counts") > 0
        return acting

    @property
    def orderable(self) -> Int16s:
        """i2[G, Q, U]: location of each slot's unit, 0 to L - 1; -2 for an adjustment, -1 for a slot not in use."""
        return self._fresh("orderable")  # type: ignore[no-any-return]

    @property
    def legal_offsets(self) -> Int32s:
        """i4[G, Q * U + 1]: where the legal list of each slot (power * U + slot) begins in `legal_ids`, and the last
        ends."""
        return self._fresh("legal_offsets")  # type: ignore[no-any-return]

    @property
    def legal_ids(self) -> Int32s:
        """i4[flat]: vocabulary ids of all legal orders, 0 to len(vocabulary) - 1, to be read by `legal_offsets`."""
        self._refresh()
        return self._legal_ids

    @property
    def legal_mask(self) -> UInt8s:
        """u1[G, V], V = len(vocabulary): 1 for each order that some slot of the game may be given, by its id; else 0.

        Ids ascend by location, so that the mask of a unit is one run of it; the waives, of no location, lie in the
        first run. Needs masks=True.
        """
        if "legal_mask" in self._rows:
            self._refresh()
        return self._tensor("legal_mask", "masks=True")  # type: ignore[no-any-return]

    @property
    def actions(self) -> Int32s:
        """i4[G, Q, U]: the actions of the last step; may be filled and given to step()."""
        return self._rows["actions"]

    # ---- what came of a step ----

    @property
    def rewards(self) -> Floats:
        """f4[G, Q]: scores by the batch's `score` where this step has ended the game, else 0. `returns` keeps them."""
        rewards: Floats = self._rows["rewards"][:, self._score]
        return rewards

    def rewards_by(self, score: Score) -> Floats:
        """`rewards` by another scoring system, one of SCORES: f4[G, Q]."""
        rewards: Floats = self._rows["rewards"][:, score_index(score)]
        return rewards

    @property
    def returns(self) -> Floats:
        """f4[G, Q]: scores by the batch's `score` of a game that is over (`terminated`), from the step that ends it
        until the game begins again; else 0. With reset_mode="same_step" a game begins again with its next step. Of an
        episode that was cut short (`truncated`) it is 0."""
        returns: Floats = self._rows["returns"][:, self._score]
        return returns

    def returns_by(self, score: Score) -> Floats:
        """`returns` by another scoring system, one of SCORES: f4[G, Q]."""
        returns: Floats = self._rows["returns"][:, score_index(score)]
        return returns

    @property
    def terminated(self) -> Bools:
        """bool[G]: the game is over with this step, and its score is final: a solo, or a draw after the last year
        (`until`) or by the rules (longGameDraw)."""
        return self._rows["terminated"].view(np.bool_)

    @property
    def truncated(self) -> Bools:
        """bool[G]: cut off with this step by `max_steps`. The game would have gone on: `rewards` are 0, and a learner
        adds the value of the final observation (bootstrapping), which would be wrong for a game that is over."""
        return self._rows["truncated"].view(np.bool_)

    @property
    def center_gains(self) -> Int8s:
        """i1[G, Q]: centres won (> 0) or lost (< 0) since the step before, of an episode that ended with it too. What
        step(), step_until_decision() and random_step() of an agent have played counts in all; after another
        random_step() it is 0."""
        return self._rows["center_gains"]

    @property
    def last_phase(self) -> Int8s:
        """i1[G]: phase of the last step, MOVEMENT, RETREAT or ADJUSTMENT; -1 if no step() has led here. Needs
        results=True."""
        return self._tensor("last_phase", "results=True")  # type: ignore[no-any-return]

    @property
    def last_orders(self) -> Int32s:
        """i4[G, Q, U]: vocabulary ids of what the units of all powers were ordered in the last step, -1 not in use.

        The opponents' orders too. In a movement or retreat phase the slots are those of the step's actions: units
        ascending by province. A unit without an order holds, a dislodged one disbands. In an adjustment phase they are
        what was built and removed, by civil disorder too, ascending by province. Needs results=True.
        """
        return self._tensor("last_orders", "results=True")  # type: ignore[no-any-return]

    @property
    def last_locations(self) -> Int16s:
        """i2[G, Q, U]: location of the unit of each of `last_orders`, -1 not in use. Needs results=True."""
        return self._tensor("last_locations", "results=True")  # type: ignore[no-any-return]

    @property
    def last_results(self) -> Int8s:
        """i1[G, Q, U]: place of each result in RESULTS, -1 not in use. Needs results=True."""
        return self._tensor("last_results", "results=True")  # type: ignore[no-any-return]

    @property
    def last_fates(self) -> Int8s:
        """i1[G, Q, U]: what befell the unit: 0 nothing, 1 dislodged, 2 destroyed (FATES); -1 not in use. Needs
        results=True."""
        return self._tensor("last_fates", "results=True")  # type: ignore[no-any-return]

    # ---- the episode ----

    @property
    def episode_seed(self) -> Int32s:
        """i4[G]: seed of the episode, of 32 bits."""
        return self._rows["episode_seed"]

    @property
    def steps(self) -> Int32s:
        """i4[G]: movement phases of the episode, 0 and up."""
        return self._rows["steps"]

    @property
    def phases(self) -> Int32s:
        """i4[G]: phases of the episode that step() has played, 0 and up."""
        return self._rows["phases"]

    # ---- observations ----

    @property
    def observation(self) -> UInt8s:
        """u1[G, L, 35]: the board for the net (DipNet's or DeepMind's), zeros and ones."""
        return self._tensor("observation", 'observations="dipnet" or "deepmind"')  # type: ignore[no-any-return]

    @property
    def previous_orders(self) -> UInt8s:
        """u1[G, L, 40], DipNet: orders of the last movement phase, zeros and ones; 0 before the first."""
        return self._tensor("previous_orders", 'observations="dipnet"')  # type: ignore[no-any-return]

    @property
    def deepmind_season(self) -> Int8s:
        """i1[G], DeepMind: 0 spring moves, 1 spring retreats, 2 autumn moves, 3 autumn retreats, 4 builds."""
        return self._tensor("deepmind_season", 'observations="deepmind"')  # type: ignore[no-any-return]

    @property
    def deepmind_builds(self) -> Int8s:
        """i1[G, Q], DeepMind: build numbers as their nets know them (removals stay until the next adjustments)."""
        return self._tensor("deepmind_builds", 'observations="deepmind"')  # type: ignore[no-any-return]

    @property
    def last_actions(self) -> Int64s:
        """i8[G, Q * U], DeepMind: 64-bit actions of the last phase, the first `last_action_count` of each row."""
        return self._tensor("last_actions", 'observations="deepmind"')  # type: ignore[no-any-return]

    @property
    def last_action_count(self) -> Int32s:
        """i4[G], DeepMind: entries of `last_actions`, 0 to Q * U."""
        return self._tensor("last_action_count", 'observations="deepmind"')  # type: ignore[no-any-return]
