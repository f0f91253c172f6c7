"""Single positions with two APIs: State, similar to OpenSpiel's, and DeepMind's DiplomacyState."""

from __future__ import annotations

import enum
import weakref
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, TypeVar

import numpy as np
import numpy.typing as npt

from ._checks import whole, whole_array
from ._config import Observations
from ._pictures import Drawing
from ._server import IllegalAction, alone
from .arrays import NO_ORDER, PLAYING, SCORES, Score
from .batch import Batch

SIMULTANEOUS = -2
TERMINAL = -4
#: Number of values for the kinds (army, fleet, coast) of a unit and of the unit that it helps in the key of an order's
#: text (server/text-keys.ts).
_UNIT_KINDS = 16


class _OneGame(Batch):
    _text_keys = True


class OrderTexts:
    """Converts legal orders to text that names the kinds of the units. Caches the texts."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        words = batch.vocabulary
        self._keys = batch._all["text_keys"].reshape(-1)
        #: Texts of orders, indexed by their keys (server/text-keys.ts); None until a text is made.
        self._texts = np.empty(_UNIT_KINDS * len(words), object)
        self._is_made = np.zeros(len(self._texts), bool)
        #: Suffixes of the coasts of each province, such as "/EC", indexed by province.
        self._coasts: List[List[str]] = [[] for _ in batch.provinces]
        for tag in batch.locations[len(batch.provinces) :]:
            self._coasts[batch.provinces.index(tag[:3])].append(tag[3:])
        self._with_coasts = {tag for tag, coasts in zip(batch.provinces, self._coasts) if coasts}
        #: Texts made so far that support a fleet's move to a province with coasts.
        self.to_coasts: Set[str] = set()

    def of(self, first: int, end: int) -> List[str]:
        """Returns the texts of some legal orders, such as "A PAR S A MAR - BUR". first, end: their range in the batch's
        `legal_ids`."""
        keys = self._keys[first:end]
        if not self._is_made.take(keys).all():
            for key in np.unique(keys[~self._is_made[keys]]).tolist():
                self._texts[key] = self._make(key)
                self._is_made[key] = True
        found: List[str] = self._texts.take(keys).tolist()
        return found

    def _make(self, key: int) -> str:
        words = self._batch.vocabulary
        kinds, order = divmod(key, len(words))
        text = words.text[order]
        if text.startswith(("A ", "F ", "WAIVE")):
            return text
        text = f"{'AF'[kinds >> 3]} {text}"
        helped = int(words.helped[order])
        if helped < 0:
            return text
        unit, place, verb, other, *rest = text.split(" ")
        kind = kinds & 7
        coast = self._coasts[helped][kind - 2] if kind > 1 else ""
        made = " ".join([unit, place, verb, "F" if kind else "A", other + coast, *rest])
        if kind and made[-3:] in self._with_coasts:
            self.to_coasts.add(made)
        return made


class Engine:
    """One engine process that many states share. A state is loaded into its only slot when it is queried.

    Copies of a state share its engine. States unpickled in another process share one there.
    """

    def __init__(
        self,
        observations: Optional[Observations] = "dipnet",
        map: str = "standard",
        until: int = 0,
        seed: int = 0,
        rules: str = "datc-3.2",
    ) -> None:
        self._made_with = observations, map, until, seed, rules
        self.batch = _OneGame(
            1,
            map,
            rules,
            workers=1,
            seed=seed,
            observations=observations,
            reset_mode="disabled",
            until=until,
            max_children=0,
        )
        self.start = self.batch.save()
        #: Bytes of the state in slot 0, compared by identity. None if unknown.
        self.current: Optional[bytes] = None
        self.texts = OrderTexts(self.batch)
        #: Actions of slot 0, flat: Q * U integers.
        self.action_cells = memoryview(self.batch._rows["actions"][0].reshape(-1))
        #: Parts of a saved game: for each array the bytes before its data, and the array's row for slot 0.
        self._heads = [(head, self.batch._rows[name][:1]) for name, head in self.batch._save_heads(1)]
        _engines[self._made_with] = self

    def __repr__(self) -> str:
        return f"<lepanto.state.Engine: {self.batch!r}>"

    def __copy__(self) -> "Engine":
        return self

    def __deepcopy__(self, memo: Any) -> "Engine":
        return self

    def __reduce__(self) -> Any:
        return engine_like, self._made_with

    def enter(self, state: Any) -> Batch:
        """Loads a position into slot 0 of the engine's batch unless it is there, and returns the batch.

        state: object whose `_bytes` are a saved game.
        """
        # Compares the bytes, not the state, because OpenSpiel fills existing states with other positions.
        if self.current is not state._bytes:
            self.batch.load(state._bytes, [0])
            self.current = state._bytes
        return self.batch

    def play(self, state: Any, joint: npt.NDArray[Any]) -> bytes:
        """Plays one phase of a state and returns the bytes of the next state.

        joint: actions, int[Q, U]. Raises IllegalAction for an illegal action, and if the game is over; the state is
        then unchanged.
        """
        batch = self.enter(state)
        if batch.status[0] != PLAYING:
            raise IllegalAction("got orders for a game that is over, wanted one that is being played")
        # Unknown until the bytes of the new state are saved.
        self.current = None
        batch.step(joint[None])
        played = batch.save([0])
        self.current = played
        return played

    def play_known(self) -> bytes:
        """Plays one phase of the state in slot 0 by the actions in `action_cells`, in one round trip to the engine.
        Returns the bytes of the next state. The game must not be over."""
        self.current = None
        self.batch._server.call("step", first=0, end=1)
        self.current = played = self._save()
        return played

    def _save(self) -> bytes:
        """Returns the game in slot 0 as bytes, the same as batch.save([0]), in less time."""
        return b"".join([part for head, row in self._heads for part in (head, row.tobytes())])

    def state_of(self, position: Mapping[str, Any]) -> bytes:
        """Returns the bytes of a state with a given position and no history.

        position: phase, units, centers and retreats, as returned by Batch.position().

        Raises LepantoError for an impossible position.
        """
        with self.batch._lock:
            self.current = None
            self.batch.set_position(0, position)
            self.current = placed = self.batch.save([0])
        return placed

    def close(self) -> None:
        self.batch.close()


_engines: "weakref.WeakValueDictionary[Any, Engine]" = weakref.WeakValueDictionary()


_Made = TypeVar("_Made")
P = TypeVar("P", bound="_Position")


def per_engine(make: "Callable[[Engine], _Made]") -> "Callable[[Engine], _Made]":
    """Returns a version of `make` that caches its result for each engine. The cache does not keep engines alive."""
    known: "weakref.WeakKeyDictionary[Engine, _Made]" = weakref.WeakKeyDictionary()

    def of(engine: Engine) -> _Made:
        found = known.get(engine)
        if found is None:
            found = known[engine] = make(engine)
        return found

    return of


def engine_like(*made_with: Any) -> Engine:
    """Returns the open engine of this process with the same arguments, or starts a new one. made_with: arguments of
    Engine()."""
    known = _engines.get(made_with)
    if known is not None and known.batch._server.is_ours:
        return known
    return Engine(*made_with)


_shared: Dict[Tuple[str, str], Engine] = {}


def shared_engine(map: str = "standard", rules: str = "datc-3.2") -> Engine:
    """Returns the engine of games that are given none. There is one for each map and rules; it is started at the first
    call."""
    known = _shared.get((map, rules))
    if known is None or not known.batch._server.is_ours:
        known = _shared[map, rules] = Engine(None, map, rules=rules)
    return known


class _InEngine:
    """Base class of positions that are stored as bytes and loaded into an engine when they are queried."""

    _engine: Engine

    @property
    def _lock(self) -> Any:
        return self._engine.batch._lock

    def _enter(self) -> Batch:
        return self._engine.enter(self)


def _shown(name: str, doc: str) -> Any:
    """Returns a property of a position: its row of the batch's array `name`, as Python numbers or lists. doc: docstring
    of the property."""
    return property(alone(lambda self: getattr(self._enter(), name)[0].tolist()), doc=doc)


class _Position(_InEngine):
    """Base class of the positions of all APIs. Players are the powers, 0 .. Q - 1, in alphabetical order."""

    #: Observations of the engine that is started if none is given.
    _observations: Observations = "dipnet"

    def __init__(
        self, engine: Optional[Engine] = None, data: Optional[bytes] = None, score: Score = "sum_of_squares"
    ) -> None:
        self._engine = engine or Engine(self._observations)
        self._bytes = data or self._engine.start
        self._score = self._engine.batch.score_index(score)
        self._score_name = score

    year: int = _shown("year", "The year, as 1901.")
    season: int = _shown("season", "SPRING 0, FALL 1, WINTER 2.")
    phase: int = _shown("phase", "MOVEMENT 0, RETREAT 1, ADJUSTMENT 2.")
    center_counts: List[int] = _shown("center_counts", "Supply centres by player.")

    def clone(self: P) -> P:
        """Returns a copy that shares the engine."""
        return type(self)(self._engine, self._bytes, self._score_name)

    @alone
    def is_terminal(self) -> bool:
        """True if the game is over."""
        return bool(self._enter().status[0] != PLAYING)

    def _scores(self) -> List[float]:
        """Returns the scores by the system of this object, indexed by power. All are 0 until the game is over."""
        batch = self._enter()
        return [0.0] * len(batch.powers) if batch.status[0] == PLAYING else scores_of(batch, 0, self._score)

    def _no_orders(self, given: Sequence[Any], who: str) -> npt.NDArray[np.int64]:
        """Returns actions int[Q, U] that give no orders. given: the caller's actions.

        who: name for a power in the error ("power" or "player"). Raises ValueError unless `given` has one list for each
            power.
        """
        batch = self._engine.batch
        if len(given) != len(batch.powers):
            raise ValueError(f"actions: got {len(given)} lists, wanted {len(batch.powers)}, one for each {who}")
        return np.full((len(given), batch.max_orders), NO_ORDER, np.int64)

    @alone
    def locations(self, player: int) -> List[int]:
        """Returns the location index of each unit that a player orders (Batch.locations has the names), -2 for each
        adjustment due.

        player: index of the power.
        """
        batch = self._enter()
        places: List[int] = batch.orderable[0, player, : batch.order_counts[0, player]].tolist()
        return places

    @alone
    def legal_ids(self, player: int) -> List[List[int]]:
        """Returns the vocabulary ids of the legal orders of each unit (or adjustment) that a player orders. player:
        index of the power."""
        batch = self._enter()
        offsets = batch.legal_offsets[0, player * batch.max_orders :]
        return [batch.legal_ids[offsets[s] : offsets[s + 1]].tolist() for s in range(batch.order_counts[0, player])]

    @alone
    def drawing(self, theme: str = "auto", width: Optional[int] = None, title: Optional[str] = None) -> Drawing:
        """Returns a picture of the board in this position. theme, width, title: as in lepanto.draw()."""
        return Drawing(self._enter()._server.ask(op="draw", game=0, theme=theme, width=width, title=title))

    def _repr_svg_(self) -> str:
        return self.drawing().svg


class State(_Position):
    """A position with methods named as in OpenSpiel: clone, legal_actions, apply_actions, returns, serialize.

    Moves are simultaneous. A player's action is a list with one entry for each of its units (or retreats, or
    adjustments): an index into the unit's list of legal orders.
    """

    def serialize(self) -> bytes:
        return self._bytes

    def num_players(self) -> int:
        return len(self._engine.batch.powers)

    def current_player(self) -> int:
        return TERMINAL if self.is_terminal() else SIMULTANEOUS

    def is_simultaneous_node(self) -> bool:
        return not self.is_terminal()

    @alone
    def legal_actions(self, player: int) -> List[List[int]]:
        """Returns the actions of each unit of a player: 0 .. n - 1 for a unit with n legal orders. player: index of the
        power."""
        batch = self._enter()
        counts = np.diff(batch.legal_offsets[0]).reshape(self.num_players(), -1)[player]
        return [list(range(int(n))) for n in counts[: batch.order_counts[0, player]]]

    @alone
    def action_to_string(self, player: int, unit: int, action: int) -> str:
        batch = self._enter()
        return batch.legal_as_text(0)[batch.powers[player]][unit][action]

    @alone
    def apply_actions(self, actions: Sequence[Sequence[int]]) -> None:
        """Plays a phase.

        actions: one list for each player, with one action for each of its units. -1, or a missing entry at the end of a
        list, is no order.

        Raises IllegalAction for an illegal action, and if the game is over; ValueError unless there is one list for
        each player, none longer than its number of units.
        """
        batch = self._enter()
        joint = self._no_orders(actions, "player")
        for q, given in enumerate(actions):
            due = int(batch.order_counts[0, q])
            if len(given) > due:
                raise ValueError(f"actions of player {q}: got {len(given)}, wanted {due}")
            joint[q, : len(given)] = whole_array(f"actions of player {q}", given)
        self._bytes = self._engine.play(self, joint)

    @alone
    def returns(self) -> List[float]:
        """Returns the scores, indexed by player. All are 0 until the game is over."""
        return self._scores()

    def rewards(self) -> List[float]:
        return self.returns()

    def __repr__(self) -> str:
        return f"<lepanto.state.State of {len(self._bytes)} bytes>"

    @alone
    def observation_tensor(self, player: int = 0) -> npt.NDArray[Any]:
        """Returns DipNet's board, u1[L, 35]. It is the same for all players."""
        board: npt.NDArray[np.uint8] = self._enter().observation[0].copy()
        return board

    @alone
    def __str__(self) -> str:
        return str(self._enter().position(0))


def scores_of(batch: Batch, row: int, score: int) -> List[float]:
    """Returns the scores of a position, indexed by power, as if the game ended there. row: game of the batch. score:
    index into lepanto.SCORES."""
    scores: List[float] = batch._server.ask(op="scores", game=row, score=SCORES[score])
    return scores


class Season(enum.IntEnum):
    """DeepMind's seasons, with the same methods. A member equals DeepMind's member of the same value."""

    SPRING_MOVES = 0
    SPRING_RETREATS = 1
    AUTUMN_MOVES = 2
    AUTUMN_RETREATS = 3
    BUILDS = 4

    def is_moves(self) -> bool:
        return self in (Season.SPRING_MOVES, Season.AUTUMN_MOVES)

    def is_retreats(self) -> bool:
        return self in (Season.SPRING_RETREATS, Season.AUTUMN_RETREATS)

    def is_builds(self) -> bool:
        return self is Season.BUILDS

    def __eq__(self, other: object) -> bool:
        return int(self) == (other.value if isinstance(other, enum.Enum) else other)

    def __hash__(self) -> int:
        return hash(int(self))


class Observation(NamedTuple):
    """Observation of a position as DeepMind's agents read it."""

    season: Season
    board: npt.NDArray[np.uint8]
    build_numbers: npt.NDArray[np.int32]
    last_actions: List[int]


@per_engine
def _deepmind_actions(engine: Engine) -> npt.NDArray[np.int64]:
    """Returns the 64-bit action of DeepMind for each order of the vocabulary, int64[V], indexed by vocabulary id."""
    table = engine.batch._server.ask(op="deepmind")
    index = np.array(table["index"], np.int64)
    actions: npt.NDArray[np.int64] = np.array(table["bits"], np.int64)[index] | (index << 48)
    return actions


class DiplomacyState(_Position):
    """A position with the API of DeepMind's DiplomacyState, for their agents. Actions are their 64-bit integers.

    Many states can share one engine. Each is stored as bytes.

    Raises ValueError unless the engine was made with observations="deepmind".
    """

    _observations = "deepmind"

    def __init__(
        self, engine: Optional[Engine] = None, data: Optional[bytes] = None, score: Score = "sum_of_squares"
    ) -> None:
        super().__init__(engine, data, score)
        shown = self._engine.batch.observations
        if shown != "deepmind":
            raise ValueError(f'engine: got observations={shown!r}, wanted "deepmind"')
        self._actions = _deepmind_actions(self._engine)

    @alone
    def observation(self) -> Observation:
        batch = self._enter()
        count = int(batch.last_action_count[0])
        return Observation(
            season=Season(int(batch.deepmind_season[0])),
            board=batch.observation[0].copy(),
            build_numbers=batch.deepmind_builds[0].astype(np.int32),
            last_actions=batch.last_actions[0, :count].tolist(),
        )

    @alone
    def legal_actions(self) -> List[List[int]]:
        """Returns the legal actions of each power as 64-bit integers, indexed by power (alphabetical). The lists of a
        power's units are concatenated; all adjustments of a power share one list."""
        batch = self._enter()
        offsets = batch.legal_offsets[0]
        out = []
        for q in range(len(batch.powers)):
            first = q * batch.max_orders
            # All adjustments of a power have the same list, which is returned once.
            last = first + (1 if batch.phase[0] == 2 else batch.max_orders)
            out.append(self._actions[batch.legal_ids[offsets[first] : offsets[last]]].tolist())
        return out

    @alone
    def returns(self) -> npt.NDArray[Any]:
        return np.array(self._scores())

    @alone
    def step(self, actions_per_player: Sequence[Optional[Sequence[int]]]) -> None:
        """Plays a phase.

        actions_per_player: one list of actions for each power; None or an empty list for no orders. Raises ValueError
        for an illegal action, for another number of lists, and if the game is over.
        """
        batch = self._enter()
        offsets = batch.legal_offsets[0]
        joint = self._no_orders(actions_per_player, "power")
        for q, actions in enumerate(actions_per_player):
            for action in () if actions is None else actions:
                self._place(batch, joint, offsets, q, whole(f"action of {batch.powers[q]}", action))
        self._bytes = self._engine.play(self, joint)

    def _place(self, batch: Batch, joint: npt.NDArray[Any], offsets: npt.NDArray[Any], q: int, action: int) -> None:
        for s in range(int(batch.order_counts[0, q])):
            if joint[q, s] != NO_ORDER:
                continue
            k = q * batch.max_orders + s
            ids = batch.legal_ids[offsets[k] : offsets[k + 1]]
            found = np.flatnonzero(self._actions[ids] == action)
            if len(found):
                joint[q, s] = found[0]
                return
        raise ValueError(f"{batch.powers[q]}: got action {action:#x}, wanted one of legal_actions()")
