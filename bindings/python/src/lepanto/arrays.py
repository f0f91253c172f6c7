"""Arrays of a batch and of the children of expand(): views of memory that the engine writes.

G games, Q powers (7 on the standard map), U slots per power, the most orders that a power can have due (17), P
provinces (75), C supply centres (34), L locations (81: the provinces, then the coasts of provinces with two coasts), S
scoring systems. The next step overwrites the arrays: copy arrays that you keep.
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

#: Names of the scoring systems. The short names are those of the `lepanto` command.
Score = Literal[
    "sum_of_squares", "draw_size", "sum_of_centers", "c_diplo_100", "c_diplo_73", "survivors", "sos", "dss", "soc"
]
#: Scoring systems in the order of `final_scores`.
SCORES: Tuple[Score, ...] = ("sum_of_squares", "draw_size", "sum_of_centers", "c_diplo_100", "c_diplo_73", "survivors")
#: RESULTS: names of the results of orders, indexed by the codes in `last_results`. FATES: fates of units, indexed by
#: the codes in `last_fates`; "" if nothing happened to the unit.
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
    """Raised for an array that a batch with these options does not have."""


def score_index(system: str) -> int:
    """Returns the index of a scoring system in SCORES, by its full or short name. Raises ValueError for an unknown
    name."""
    name = _ALIASES.get(system, system)
    if name not in SCORES:
        raise ValueError(f"scoring system: got {system!r}, wanted one of {', '.join(SCORES)}")
    return SCORES.index(name)


class Arrays:
    """Positions, legal orders and results of many games as numpy arrays. The first dimension is the game, or the child
    in lepanto.Children."""

    #: Arrays keyed by name, limited to the rows of these games.
    _rows: Dict[str, npt.NDArray[Any]]
    _legal_ids: Int32s
    #: Facts about the map, the rules and the arrays that the engine sends when it starts.
    _info: Mapping[str, Any]
    _score: int

    def _view(self, info: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], rows: slice, score: int) -> None:
        self._info = info
        self._rows = {name: array[rows] for name, array in arrays.items() if name != "legal_ids"}
        self._legal_ids = arrays["legal_ids"].reshape(-1)
        self._score = score

    def _refresh(self) -> None:
        """Brings the arrays that random_step() does not update up to date. Called before they are read."""

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
        """u1[G, bytes]: the complete position, in the engine's own encoding."""
        return self._rows["state"]

    @property
    def year(self) -> UInt16s:
        """u2[G]: year of the phase, from 1901 on the standard map."""
        return self._field("<u2", 0)  # type: ignore[no-any-return]

    @property
    def season(self) -> UInt8s:
        """u1[G]: season of the phase: SPRING 0, FALL 1, WINTER 2."""
        return self._field("u1", 2)  # type: ignore[no-any-return]

    @property
    def phase(self) -> UInt8s:
        """u1[G]: kind of the phase: MOVEMENT 0, RETREAT 1, ADJUSTMENT 2."""
        return self._field("u1", 3)  # type: ignore[no-any-return]

    @property
    def status(self) -> UInt8s:
        """u1[G]: state of the game: PLAYING 0, SOLO 1, DRAW 2. Games cut off by `max_steps` count as DRAW."""
        return self._field("u1", 4)  # type: ignore[no-any-return]

    @property
    def winner(self) -> Int8s:
        """i1[G]: index of the power that won a solo, or -1. A copy, not a view."""
        # The state stores the index of the winner + 1, or 0.
        winner: Int8s = self._field("u1", 5).astype(np.int8) - np.int8(1)
        return winner

    @property
    def units(self) -> UInt8s:
        """u1[G, P]: unit in each province: 0 if it is empty, else (power + 1) * 2, plus 1 for a fleet."""
        return self._part("units", len(self._info["map"]["provinces"]))

    @property
    def owners(self) -> UInt8s:
        """u1[G, C]: owner of each supply centre: power + 1, or 0 if unowned. `Batch.centers` has the names."""
        return self._part("owners", len(self._info["map"]["centers"]))

    @property
    def build_numbers(self) -> Int8s:
        """i1[G, Q]: number of builds (> 0) or removals (< 0) due in an adjustment phase; 0 in other phases."""
        return self._fresh("build_numbers")  # type: ignore[no-any-return]

    @property
    def center_counts(self) -> UInt8s:
        """u1[G, Q]: number of supply centres that each power owns, 0 to C."""
        return self._fresh("center_counts")  # type: ignore[no-any-return]

    # ---- legal orders ----

    @property
    def order_counts(self) -> UInt8s:
        """u1[G, Q]: number of slots in use, that is, of orders due: 0 to U. 0 for powers that opponents play."""
        return self._fresh("order_counts")  # type: ignore[no-any-return]

    @property
    def acting(self) -> Bools:
        """bool[G, Q]: True for powers with an order due. A copy, not a view."""
        acting: Bools = self._fresh("order_counts") > 0
        return acting

    @property
    def orderable(self) -> Int16s:
        """i2[G, Q, U]: location of each slot's unit, 0 to L - 1; -2 for an adjustment, -1 for a slot not in use."""
        return self._fresh("orderable")  # type: ignore[no-any-return]

    @property
    def legal_offsets(self) -> Int32s:
        """i4[G, Q * U + 1]: start of the legal list of slot k = power * U + slot in `legal_ids`, at index k. The list
        ends at index k + 1."""
        return self._fresh("legal_offsets")  # type: ignore[no-any-return]

    @property
    def legal_ids(self) -> Int32s:
        """i4[flat]: vocabulary ids of all legal orders, 0 to len(vocabulary) - 1. `legal_offsets` delimits the lists of
        the slots."""
        self._refresh()
        return self._legal_ids

    @property
    def legal_mask(self) -> UInt8s:
        """u1[G, V], V = len(vocabulary): mask over vocabulary ids, 1 for orders that are legal for some slot of the
        game, else 0.

        Ids ascend by location, so the mask of a unit is one contiguous range. Waives, which have no location, are in
        the first range. Needs masks=True.
        """
        if "legal_mask" in self._rows:
            self._refresh()
        return self._tensor("legal_mask", "masks=True")  # type: ignore[no-any-return]

    @property
    def actions(self) -> Int32s:
        """i4[G, Q, U]: actions of the last step. You may write the next actions here and pass the array to step()."""
        return self._rows["actions"]

    # ---- results of a step ----

    @property
    def rewards(self) -> Floats:
        """f4[G, Q]: scores of games that ended with this step, by the batch's `score`; 0 for other games. `returns`
        keeps them."""
        rewards: Floats = self._rows["rewards"][:, self._score]
        return rewards

    def rewards_by(self, score: Score) -> Floats:
        """`rewards` by another scoring system, one of SCORES: f4[G, Q]."""
        rewards: Floats = self._rows["rewards"][:, score_index(score)]
        return rewards

    @property
    def returns(self) -> Floats:
        """f4[G, Q]: scores of games that are over (`terminated`), by the batch's `score`; 0 for other games.

        Kept from the last step of a game until the game begins again. With reset_mode="same_step" a game begins again
        with its next step. 0 for an episode that was cut short (`truncated`).
        """
        returns: Floats = self._rows["returns"][:, self._score]
        return returns

    def returns_by(self, score: Score) -> Floats:
        """`returns` by another scoring system, one of SCORES: f4[G, Q]."""
        returns: Floats = self._rows["returns"][:, score_index(score)]
        return returns

    @property
    def terminated(self) -> Bools:
        """bool[G]: True if this step ended the game with a final score: by a solo, or a draw after the last year
        (`until`) or by the rules (longGameDraw)."""
        return self._rows["terminated"].view(np.bool_)

    @property
    def truncated(self) -> Bools:
        """bool[G]: True if `max_steps` cut off the episode with this step. Its `rewards` are 0, because the game was
        not over. A learner bootstraps from the value of the final observation here, but not if `terminated`."""
        return self._rows["truncated"].view(np.bool_)

    @property
    def center_gains(self) -> Int8s:
        """i1[G, Q]: supply centres gained (> 0) or lost (< 0) in the last step, also in a step that ended the episode.

        Sums over all phases that one call of step(), step_until_decision() or random_step() of an agent has played. 0
        after random_step() with the sampler "uniform" or "policy".
        """
        return self._rows["center_gains"]

    @property
    def last_phase(self) -> Int8s:
        """i1[G]: kind of the phase that the last step played: MOVEMENT, RETREAT or ADJUSTMENT; -1 if the position does
        not come from a step(). Needs results=True."""
        return self._tensor("last_phase", "results=True")  # type: ignore[no-any-return]

    @property
    def last_orders(self) -> Int32s:
        """i4[G, Q, U]: vocabulary ids of the orders of all powers in the last step, opponents included; -1 for unused
        entries.

        In a movement or retreat phase, entries follow the slots of the step's actions: units ascending by province. A
        unit without an order has a hold here, a dislodged unit a disband. In an adjustment phase, entries are the
        builds and removals that took place, those by civil disorder included, ascending by province. Needs
        results=True.
        """
        return self._tensor("last_orders", "results=True")  # type: ignore[no-any-return]

    @property
    def last_locations(self) -> Int16s:
        """i2[G, Q, U]: location of the unit of each entry of `last_orders`; -1 for unused entries. Needs
        results=True."""
        return self._tensor("last_locations", "results=True")  # type: ignore[no-any-return]

    @property
    def last_results(self) -> Int8s:
        """i1[G, Q, U]: result of each entry of `last_orders`, as an index into RESULTS; -1 for unused entries. Needs
        results=True."""
        return self._tensor("last_results", "results=True")  # type: ignore[no-any-return]

    @property
    def last_fates(self) -> Int8s:
        """i1[G, Q, U]: fate of the unit of each entry of `last_orders`: 0 none, 1 dislodged, 2 destroyed (FATES); -1
        for unused entries. Needs results=True."""
        return self._tensor("last_fates", "results=True")  # type: ignore[no-any-return]

    # ---- the episode ----

    @property
    def episode_seed(self) -> Int32s:
        """i4[G]: 32-bit seed of the episode."""
        return self._rows["episode_seed"]

    @property
    def steps(self) -> Int32s:
        """i4[G]: number of movement phases played in the episode."""
        return self._rows["steps"]

    @property
    def phases(self) -> Int32s:
        """i4[G]: number of phases of the episode that step() has played."""
        return self._rows["phases"]

    # ---- observations ----

    @property
    def observation(self) -> UInt8s:
        """u1[G, L, 35]: board encoding of zeros and ones, as DipNet's or DeepMind's net reads it."""
        return self._tensor("observation", 'observations="dipnet" or "deepmind"')  # type: ignore[no-any-return]

    @property
    def previous_orders(self) -> UInt8s:
        """u1[G, L, 40]: orders of the last movement phase, DipNet's encoding of zeros and ones; all 0 before the
        first."""
        return self._tensor("previous_orders", 'observations="dipnet"')  # type: ignore[no-any-return]

    @property
    def deepmind_season(self) -> Int8s:
        """i1[G]: DeepMind's code of the phase: 0 spring moves, 1 spring retreats, 2 autumn moves, 3 autumn retreats, 4
        builds."""
        return self._tensor("deepmind_season", 'observations="deepmind"')  # type: ignore[no-any-return]

    @property
    def deepmind_builds(self) -> Int8s:
        """i1[G, Q]: build numbers as DeepMind's nets read them. Removals remain until the next adjustment phase."""
        return self._tensor("deepmind_builds", 'observations="deepmind"')  # type: ignore[no-any-return]

    @property
    def last_actions(self) -> Int64s:
        """i8[G, Q * U]: DeepMind's 64-bit actions of the last phase. Only the first `last_action_count` of each row are
        valid."""
        return self._tensor("last_actions", 'observations="deepmind"')  # type: ignore[no-any-return]

    @property
    def last_action_count(self) -> Int32s:
        """i4[G]: number of valid entries of `last_actions`, 0 to Q * U."""
        return self._tensor("last_action_count", 'observations="deepmind"')  # type: ignore[no-any-return]
