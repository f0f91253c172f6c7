"""The batch core: thousands of games in numpy arrays, stepped together by the engine."""

from __future__ import annotations

import os
import struct
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union, cast

import numpy as np
import numpy.typing as npt

from ._checks import INT32, SEEDS, beyond, is_within, seeds_array, shaped, whole, whole_array, whole_from
from ._server import IllegalAction, LepantoError, Server, alone
from .arrays import ADJUSTMENT, ADJUSTMENT_SLOT, NO_ORDER, SCORES, Arrays, Score, Children, Floats, Int32s, UInt8s, score_index
from .drawing import Drawing
from .legal import Legal
from .vocabulary import Vocabulary

Observations = Literal["dipnet", "deepmind"]
ResetMode = Literal["same_step", "next_step", "disabled"]
Actions = Literal["index", "vocabulary"]
Sampler = Literal["uniform", "policy"]

MAGIC = b"LEPB"
SAVE_VERSION = 1
#: Version, number of arrays, ids of the map and of the rules, number of games.
HEAD = "<HHIIi"

SAMPLERS: Tuple[Sampler, ...] = ("uniform", "policy")

Indices = Union[int, Sequence[int], npt.NDArray[Any]]
#: Agents by power, for all games or game by game.
Opponents = Union[Mapping[str, str], Sequence[Mapping[str, str]]]
#: In `seats`: nobody has said otherwise since the batch was made; the client. Else the number of an agent.
_AS_MADE, _CLIENT = 0, 255


def _hash32(x: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The finaliser of MurmurHash3 over uint32."""
    x = x.astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x85EBCA6B)
    x ^= x >> np.uint32(13)
    x *= np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))


def episode_seeds(seed: int, count: int) -> Int32s:
    """Seeds of the first episodes of `count` slots, int32[count]: a hash of the run's seed and of the slot.

    seed: 32 bits, signed or not. Raises ValueError for a seed of more.
    """
    return _seeds_of(whole_from("seed", seed, *SEEDS), np.arange(count, dtype=np.uint32))


def _seeds_of(seed: int, slots: npt.NDArray[np.uint32]) -> Int32s:
    with np.errstate(over="ignore"):
        start = _hash32(np.array([seed & 0xFFFFFFFF], np.uint32))
        mixed = _hash32(start + (slots + np.uint32(1)) * np.uint32(0x9E3779B9))
        return _hash32(mixed + np.uint32(0x85EBCA6B)).view(np.int32)


class Batch(Arrays):
    """`num_games` games, stepped phase by phase in an engine of their own.

    A *step* plays one phase (movement, retreat or adjustment) of every game, with orders of all powers. Every power that
    has something to order has `order_counts` slots in use: one for each unit in a movement phase, for each dislodged unit
    in a retreat phase, for each build or removal due in an adjustment phase. A slot has a list of legal actions, never
    padded: `legal_ids[legal_offsets[g, k] : legal_offsets[g, k + 1]]` with k = power * max_orders + slot. An action is
    the place in that list (0 .. n - 1), or the vocabulary id itself with actions="vocabulary"; -1 is no order: the unit
    holds, a dislodged one is disbanded, a build is not built, a removal falls to civil disorder. Two builds in one centre,
    or two removals of one unit, are refused: without_repeats() takes them out of what was chosen slot by slot.

    A batch can be pickled and copied by the module copy: the copy has an engine of its own, the same games with their random
    streams, opponents and draws; its `rewards`, ends and `final_` arrays are those of no step.

    Threads may share a batch: each call waits until another thread's is done. An exception out of a signal handler (Ctrl-C)
    lets the engine finish the call that it interrupts, which has then been done whole or not at all; a second one before
    that closes the batch.

    Arrays are views of shared memory: the next step overwrites them; copy what you keep. lepanto.Arrays says of each what it
    is, its shape and its type: year season phase status winner units owners center_counts (the position); order_counts
    orderable legal_offsets legal_ids acting build_numbers, legal_mask with masks=True (what can be ordered); rewards
    terminated truncated and final_scores final_state final_observation final_previous_orders (ends); last_phase
    last_orders last_locations last_results last_fates (with results=True); observation previous_orders deepmind_... last_actions (for nets).

    Parameters
    ----------
    num_games: games side by side.
    map, rules: names; `lepanto.Batch(1, map="?")` says which there are. Options of a map follow its name:
    `map="colonial,tsr,suez"`.
    workers: threads of the engine; None: as many as there are cores. What comes out does not depend on it.
    seed: every game's course follows from it, from its slot and from the actions. 32 bits, signed or not.
    observations: "dipnet", "deepmind" or None.
    reset_mode: Gymnasium's three: "same_step" (an ended game begins again at once; its end is in the `final_` arrays),
        "next_step" (in the step after, whose actions are not read), "disabled" (reset() must be called).
    until: games end as draws after this year, the map's first or later; 0: only by a solo. That is the end of the game:
        `terminated`, and the score is final.
    max_steps: cuts episodes after so many movement phases, before the next one: `truncated`, without a reward; 0: never.
    actions: "index" or "vocabulary".
    lists: False writes no legal lists (faster); needs actions="vocabulary".
    score: one of SCORES, the system of `rewards`; rewards_by() has the others.
    results: True writes what became of every unit's order in the last step, the opponents' too: `last_orders`, `last_results`,
        `last_fates`.
    masks: True writes `legal_mask`, the legal orders of each game as a mask over the vocabulary: 15,776 bytes a game on the
        standard map. With actions="vocabulary" and lists=False it takes the place of the lists.
    opponents: agents by power, {"FRANCE": "random"}, or one such mapping for each game: those powers have no slots.
        set_opponents() changes them. An agent of your own is the path of a module, "./my-agent.mjs:option=1", relative to
        the working directory; it may import 'lepanto'. What it prints goes to stderr. If it gives an order that is not
        legal, throws, or ends its thread three times over, the step raises LepantoError, and the batch then wants reset()
        or load() of all games.
    choice_ms: milliseconds for one choice of such a module, 0 for as many as it takes; over it its thread is replaced.
    max_children: the most children that expand() can make in one call.
    record: a directory, empty or new, where every game that ends is recorded as `lepanto selfplay` records its own: for
        `lepanto stats`, `replay --verify`, `convert`, and lepanto.dataset. Games are numbered as they end. A shard of 256
        games appears whole; the last one is written anew with every 32 games, by write_record() and at the end. A run has
        one agent for each power: games of other opponents than the first go to `DIR-2`, `DIR-3`. Games that load(),
        clone() or set_position() has put into a slot are left out, and random_step() is refused.
    record_as: how the manifest names you: a name, or one by power, {"FRANCE": "net-7"}.
    """

    def __init__(
        self,
        num_games: int,
        map: str = "standard",
        rules: str = "datc-3.2",
        workers: Optional[int] = None,
        seed: int = 0,
        observations: Optional[Observations] = "dipnet",
        *,
        reset_mode: ResetMode = "same_step",
        until: int = 0,
        actions: Actions = "index",
        lists: bool = True,
        score: Score = "sum_of_squares",
        results: bool = False,
        masks: bool = False,
        opponents: Optional[Opponents] = None,
        choice_ms: int = 60_000,
        max_children: int = 256,
        max_steps: int = 0,
        record: Union[None, str, "os.PathLike[str]"] = None,
        record_as: Union[str, Mapping[str, str]] = "client",
    ) -> None:
        #: What the batch was made with: a copy is made with the same.
        self._options: Dict[str, Any] = {
            name: value for name, value in locals().items() if name not in ("self", "__class__", "opponents")
        }
        self._options["opponents"] = dict(opponents) if isinstance(opponents, Mapping) else None
        # Two batches cannot write one run.
        self._options["record"] = None
        if actions not in ("index", "vocabulary"):
            raise ValueError(f'actions: got {actions!r}, wanted "index" or "vocabulary"')
        num_games = whole("num_games", num_games)
        max_children = whole("max_children", max_children)
        seed = whole_from("seed", seed, *SEEDS)
        score_place = score_index(score)
        self._server = Server(
            {
                "map": map,
                "rules": rules,
                "games": num_games,
                "children": max_children,
                "workers": len(_cores()) if workers is None else whole("workers", workers),
                "observations": observations or "none",
                "reset_mode": reset_mode,
                "until": whole("until", until),
                "max_steps": whole("max_steps", max_steps),
                "actions": actions,
                "lists": bool(lists),
                "results": bool(results),
                "masks": bool(masks),
                "opponents": dict(opponents) if isinstance(opponents, Mapping) else {},
                "choice_ms": whole("choice_ms", choice_ms),
                "record": _recording(record, record_as, seed),
            }
        )
        self._record_as = _own_names(record_as)
        self._lock = self._server.lock
        info = self._server.info
        self.num_games: int = num_games
        self.max_children: int = max_children
        self.map: str = info["map"]["name"]
        self.rules: str = info["rules"]["name"]
        self.powers: List[str] = info["map"]["powers"]
        self.provinces: List[str] = info["map"]["provinces"]
        self.locations: List[str] = info["map"]["locations"]
        self.centers: List[str] = info["map"]["centers"]
        self.max_orders: int = info["max_orders"]
        self.reset_mode: ResetMode = reset_mode
        self.observations: Optional[Observations] = observations
        self.by_vocabulary: bool = actions == "vocabulary"
        self.lists: bool = bool(lists)
        self.mapped: bool = info["mapped"]
        #: The orders of the map by their ids.
        self.vocabulary = Vocabulary(info["vocabulary"], self._server.ask)
        self.score: Score = SCORES[score_place]
        self._seed = seed
        #: Seed of random_actions(), and how often it has drawn since.
        self._draws = seed, 0
        self._made_with: Dict[str, str] = {name.upper(): agent for name, agent in opponents.items()} if isinstance(opponents, Mapping) else {}
        self._agents: Dict[str, int] = {}
        self._stale = False
        #: Half on its way, and the number of its request.
        self._pending: Optional[Tuple[int, int]] = None
        chunk = info["chunk"]
        chunks = -(-num_games // chunk)
        self._chunk: int = chunk
        self._half = min(num_games, -(-chunks // 2) * chunk)
        self._all = self._server.arrays
        self._view(info, self._all, slice(0, num_games), score_place)
        if opponents is not None and not isinstance(opponents, Mapping):
            self._seat(np.arange(num_games), opponents)
        self.reset()

    # ---- arrays ----

    def _refresh(self) -> None:
        if self._stale:
            self._describe()

    @property
    def final_scores(self) -> Floats:
        """f4[G, S, Q]: scores, by each system of SCORES, of the last episode of the slot that ended; 0 before one has.

        Of an episode that was cut short (`truncated`): as if the game had ended there.
        """
        return self._rows["final_scores"]

    @property
    def final_state(self) -> UInt8s:
        """u1[G, bytes]: the position at its end."""
        return self._rows["final_state"]

    @property
    def final_observation(self) -> UInt8s:
        """u1[G, L, 35]: the board at its end."""
        return self._tensor("final_observation", 'observations="dipnet" or "deepmind"')  # type: ignore[no-any-return]

    @property
    def final_previous_orders(self) -> UInt8s:
        """u1[G, L, 40], DipNet: `previous_orders` at its end; 0 if random_step() ended it with steps to go."""
        return self._tensor("final_previous_orders", 'observations="dipnet"')  # type: ignore[no-any-return]

    def score_index(self, system: str) -> int:
        """Place of a scoring system in the second dimension of `final_scores`."""
        return score_index(system)

    # ---- playing ----

    def _ready(self) -> None:
        if self._pending:
            raise LepantoError(f"got a call with half {self._pending[0]} on its way, wanted recv() before it")

    @alone
    def _describe(self) -> None:
        self._server.call(b"d", 0, self.num_games)
        self._stale = False

    def _mask(self, mask: Any) -> npt.NDArray[Any]:
        wanted = self._rows["mask"]
        if mask is None:
            wanted[:] = 1
            return wanted
        given = np.asarray(mask)
        if given.shape != (self.num_games,):
            raise ValueError(f"mask: got shape {given.shape}, wanted ({self.num_games},)")
        if given.dtype.kind not in "biu":
            raise TypeError(f"mask: got an array of {given.dtype}, wanted booleans")
        wanted[:] = given != 0
        return wanted

    @alone
    def reset(self, seeds: Union[None, int, Sequence[int], npt.NDArray[Any]] = None, mask: Any = None) -> "Batch":
        """Puts games back to the start of the map.

        seeds: one for each game (int32[G]), or one for all to be derived from; None: the seed of the batch. 32 bits, signed
            or not.
        mask: bool[G], the games to reset; None: all.
        """
        self._ready()
        if seeds is None:
            seeds = self._seed
        if np.ndim(seeds) == 0:
            values = episode_seeds(whole("seeds", seeds), self.num_games)
        else:
            values = seeds_array("seeds", seeds, (self.num_games,))
        chosen = self._mask(mask)
        self._rows["seeds"][:] = values
        if mask is None:
            self._draws = int(values[0]), 0
        self._server.call(b"r")
        self._stale = self._stale and not chosen.all()
        return self

    def _write_actions(self, name: str, actions: Any, first: int, end: int) -> None:
        """Writes actions to rows first .. end, those of children too. Raises what names the first that is none."""
        given = shaped(name, actions, (end - first, len(self.powers), self.max_orders))
        if not is_within(given, INT32.min, INT32.max):
            self._refuse_far(given, first)
        self._all["actions"][first:end] = given

    def _refuse_far(self, given: npt.NDArray[Any], first: int) -> None:
        """Raises IllegalAction for an action of more than 32 bits, if its slot is in use."""
        counts = self.order_counts[first : first + len(given)]
        used = np.arange(self.max_orders) < counts[..., None] if len(counts) == len(given) else True
        for k, q, s in np.argwhere(beyond(given, INT32.min, INT32.max) & used)[:1]:
            where = f"game {first + k}, {self.powers[q]}, slot {s}"
            raise IllegalAction(f"{where}: got action {given[k, q, s]}, wanted one that is legal")

    def _take_actions(self, actions: Optional[npt.NDArray[Any]], first: int, end: int) -> None:
        self._refresh()
        if actions is not None and actions is not self._rows["actions"]:
            self._write_actions("actions", actions, first, end)

    @alone
    def step(self, actions: Optional[npt.NDArray[Any]] = None) -> "Batch":
        """Plays one phase of every game; the arrays then show what came of it.

        actions: whole numbers [G, Q, U], or None for what stands in `self.actions`. Slots that are not in use are not read.
        Raises IllegalAction for the first game with an action that is not legal; no game has been stepped then. Raises
        TypeError for an array of anything but whole numbers.
        """
        self._ready()
        self._take_actions(actions, 0, self.num_games)
        self._server.call(b"s", 0, self.num_games)
        return self

    @alone
    def step_until_decision(self, actions: Optional[npt.NDArray[Any]] = None) -> "Batch":
        """step(), and then on, game by game, through the phases in which no power of yours has anything to order.

        A game stops at your next decision, or where its episode ends; one in which your powers are out is played to its
        end, at most 500 phases a call. Rewards and ends are those of the last phase played, and so are the `last_` arrays.
        """
        self._ready()
        self._take_actions(actions, 0, self.num_games)
        self._server.call(b"s", 0, self.num_games, 1)
        return self

    @property
    def halves(self) -> Tuple[slice, slice]:
        """The two halves of the games, for send() and recv()."""
        return slice(0, self._half), slice(self._half, self.num_games)

    @alone
    def send(self, actions: Optional[npt.NDArray[Any]], half: int) -> None:
        """Begins a step of one half of the games (0 or 1) and returns at once. actions: int[games of the half, Q, U].

        While one half is on its way, the arrays of the other may be read and its actions chosen. One at a time.
        """
        half = whole_from("half", half, 0, 1)
        games = self.halves[half]
        if self._pending:
            raise LepantoError("send: got a second half before recv(), wanted one at a time")
        self._take_actions(actions, games.start, games.stop)
        try:
            self._pending = half, self._server.post(b"s", games.start, games.stop)
        except BaseException:
            self._pending = None
            self._server.settle()
            raise

    @alone
    def recv(self) -> slice:
        """Waits for the half that was sent; returns its games as a slice."""
        if not self._pending:
            raise LepantoError("recv: got nothing on its way, wanted send() before it")
        half, number = self._pending
        try:
            self._server.wait(number)
        except BaseException:
            self._server.settle()
            raise
        finally:
            self._pending = None
        return self.halves[half]

    def _stretch(self, games: slice) -> Tuple[int, int]:
        """First and end of games that are asked about. Raises LepantoError for those of a half that is on its way."""
        first, end, step = games.indices(self.num_games)
        if step != 1:
            raise ValueError(f"games: got {games}, wanted a slice without a step")
        if self._pending:
            away = self.halves[self._pending[0]]
            if max(first, away.start) < min(end, away.stop) or first % self._chunk:
                raise LepantoError(f"got games of half {self._pending[0]}, which is on its way, wanted the other half")
        return first, end

    def _choose(self, games: slice, agent: int, seed: int) -> Int32s:
        first, end = self._stretch(games)
        begin = first - first % self._chunk
        self._server.call(b"a", begin, end, agent, seed)
        return self._rows["chosen"][first:end].copy()

    @alone
    def random_actions(self, seed: Optional[int] = None, games: slice = slice(None)) -> Int32s:
        """A random legal action for every slot, all equally likely: int32[G, Q, U], -1 where no slot is in use.

        Drawn in the engine, the same for any number of workers. Of adjustments it is one of those that the slots before have
        left: never two builds in one centre, nor two removals of one unit.
        seed: the same gives the same actions in the same position of the same slot. None: other ones in each call; calls
            count from the last reset() of all games and its seeds, so that a run can be repeated.
        games: a half, while the other is on its way.
        """
        self._refresh()
        if seed is None:
            start, count = self._draws
            self._draws = start, count + 1
        else:
            start, count = whole_from("seed", seed, *SEEDS), 0
        return self._choose(games, 0, int(_seeds_of(start, np.array([count], np.uint32))[0]))

    @alone
    def agent_actions(
        self,
        agent: str,
        powers: Union[None, str, Sequence[str], npt.NDArray[Any]] = None,
        seed: Optional[int] = None,
        games: slice = slice(None),
    ) -> Int32s:
        """What an agent of the engine would order in each game: int32[G, Q, U], -1 for other powers. Nothing is played.

        agent: as for opponents: "dumbbot", "search:rollouts=200", "./my-agent.mjs". It is made at the first call.
        powers: names, or bool[G, Q]; None: all that have something to order and no opponent to do it.
        seed: None: the choice that the same agent would make there as an opponent, which follows from the episode's seed,
            the phase and the power (so that clones choose alike). Another seed draws anew, by slot too.
        games: a half, while the other is on its way.

        Raises LepantoError for an unknown agent, or one whose orders are not legal.
        """
        self._refresh()
        wanted = self._wanted(powers)
        first, end = self._stretch(games)
        number = self._number_of(agent)
        self._rows["wanted"][first:end] = wanted[first:end]
        drawn = 0 if seed is None else int(_seeds_of(whole_from("seed", seed, *SEEDS), np.zeros(1, np.uint32))[0]) or 1
        return self._choose(games, number, drawn)

    def _wanted(self, powers: Union[None, str, Sequence[str], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        shape = (self.num_games, len(self.powers))
        if powers is None:
            return np.ones(shape, bool)
        if isinstance(powers, np.ndarray) and powers.dtype == bool:
            if powers.shape != shape:
                raise ValueError(f"powers: got shape {powers.shape}, wanted {shape}")
            return powers
        wanted = np.zeros(shape, bool)
        for power in [powers] if isinstance(powers, str) else powers:
            wanted[:, self._power(power)] = True
        return wanted

    def _power(self, name: str) -> int:
        if not isinstance(name, str) or name.upper() not in self.powers:
            raise ValueError(f"power: got {name!r}, wanted one of {', '.join(self.powers)}")
        return self.powers.index(name.upper())

    def _number_of(self, agent: str) -> int:
        text = agent.strip()
        if text not in self._agents:
            self._agents[text] = self._server.ask(op="agent", name=text)
        return self._agents[text]

    # ---- opponents ----

    def _seat(self, games: npt.NDArray[Any], opponents: Opponents) -> None:
        each = [opponents] * len(games) if isinstance(opponents, Mapping) else list(opponents)
        if len(each) != len(games):
            raise ValueError(f"opponents: got {len(each)} mappings, wanted 1 or {len(games)}, one for each game")
        seats = np.full((len(games), len(self.powers)), _CLIENT, np.uint8)
        for row, mapping in zip(seats, each):
            for power, agent in mapping.items():
                row[self._power(power)] = self._number_of(agent)
        self._rows["seats"][games] = seats

    @alone
    def set_opponents(self, opponents: Opponents, games: Optional[Indices] = None) -> None:
        """Says who plays the other powers from now on. Positions stay as they are.

        opponents: agents by power, or one such mapping for each of the games; {}: you order all powers. games: None: all.
        Raises ValueError for an unknown power, LepantoError for an unknown agent; all seats are then as before.
        """
        self._ready()
        self._seat(np.arange(self.num_games) if games is None else self._index(games), opponents)
        self._describe()

    def opponents_of(self, game: int) -> Dict[str, str]:
        """Agents by power in a game."""
        by_number = {number: agent for agent, number in self._agents.items()}
        found: Dict[str, str] = {}
        for power, seat in zip(self.powers, self._rows["seats"][self._game(game)].tolist()):
            if seat == _AS_MADE and power in self._made_with:
                found[power] = self._made_with[power]
            elif seat in by_number:
                found[power] = by_number[seat]
        return found

    @property
    def opponents(self) -> List[str]:
        """Powers that an agent plays in every game."""
        seats = self._rows["seats"]
        made = np.array([power in self._made_with for power in self.powers])
        played: npt.NDArray[np.bool_] = np.all(np.where(seats == _AS_MADE, made, seats != _CLIENT), axis=0)
        return [power for power, agent in zip(self.powers, played) if agent]

    # ---- legal orders ----

    @alone
    def legal(self, powers: Union[None, str, Sequence[str], npt.NDArray[Any]] = None) -> Legal:
        """The legal lists of all slots in use one behind the other, for sampling from logits (lepanto.Legal).

        powers: names, or bool[G, Q]; None: all.
        """
        if not self.lists:
            raise LepantoError("legal: got a batch with lists=False, wanted one with legal lists")
        self._refresh()
        return Legal(self, self._wanted(powers))

    @alone
    def without_repeats(self, actions: Any) -> npt.NDArray[Any]:
        """Actions that can be ordered together, of actions that were chosen for each slot alone: int64[G, Q, U], a copy.

        Of two builds in one centre, or two removals of one unit, which step() refuses, the second becomes NO_ORDER.
        """
        given = shaped("actions", actions, (self.num_games, len(self.powers), self.max_orders)).astype(np.int64)
        row, q = np.nonzero((self.phase == ADJUSTMENT)[:, None] & (self.order_counts > 1))
        if len(row) == 0:
            return given
        province = self._provinces_chosen(given[row, q], row, q)
        same = (province[:, :, None] == province[:, None, :]) & (province[:, :, None] >= 0)
        chosen = given[row, q]
        chosen[(same & np.tri(self.max_orders, k=-1, dtype=bool)).any(2)] = NO_ORDER
        given[row, q] = chosen
        return given

    def _provinces_chosen(self, chosen: npt.NDArray[Any], row: npt.NDArray[Any], q: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Province of each adjustment int64[n, U] of powers q in games row; -1 of a waive, and where none is ordered."""
        if self.by_vocabulary:
            known = (chosen >= 0) & (chosen < len(self.vocabulary))
            ids = np.where(known, chosen, 0)
        else:
            offsets = self.legal_offsets[row]
            at = q[:, None] * self.max_orders + np.arange(self.max_orders)
            start, end = np.take_along_axis(offsets, at, 1), np.take_along_axis(offsets, at + 1, 1)
            known = (chosen >= 0) & (chosen < end - start)
            ids = self._legal_ids[np.where(known, start + chosen, 0)]
        return np.where(known, self.vocabulary.province[ids], -1)

    @alone
    def random_step(self, count: int = 1, sampler: Sampler = "uniform") -> int:
        """Plays `count` phase-steps of every game with random orders for all powers, drawn in the engine.

        A phase-step is a movement phase with the retreats and adjustments after it. No legal list is made, which is what
        makes this the fast way. sampler: "uniform" (every legal order as likely as any other) or "policy" (moves and
        supports that fit together). Returns how many phase-steps were played; games that end begin again, but for
        reset_mode="disabled". One call of many is the same as many calls of one, and faster; only what is asked for is
        written: observations after the last step, `previous_orders` and `last_actions` of it (of its last phase).
        `phases` does not count random steps. Under longGameDraw the winter of a game's last year is still played.
        """
        self._ready()
        if sampler not in SAMPLERS:
            raise ValueError(f"sampler: got {sampler!r}, wanted one of {', '.join(SAMPLERS)}")
        count = whole_from("count", count, 0, INT32.max)
        # Before the call: an exception may come after it.
        self._stale = True
        return int(self._server.call(b"p", count, SAMPLERS.index(sampler)))

    def _engine_alone(self, milliseconds: int, sampler: Sampler) -> int:
        """Phase-steps that the threads play in so long in games of their own, which nobody reads (benchmark)."""
        self._ready()
        return int(self._server.call(b"e", milliseconds, SAMPLERS.index(sampler)))

    def _doorbell(self) -> None:
        """Wakes all threads for nothing (benchmark)."""
        self._ready()
        self._server.call(b"d", 0, 0)

    # ---- copies ----

    def _index(self, games: Indices) -> npt.NDArray[Any]:
        index = np.atleast_1d(whole_array("games", games))
        if index.ndim != 1 or (len(index) and (index.min() < 0 or index.max() >= self.num_games)):
            raise IndexError(f"games: got {games!r}, wanted indices from 0 to {self.num_games - 1}")
        return index

    def _game(self, game: int) -> int:
        """Index of one game, none of a half that is on its way."""
        row = whole("game", game)
        self._index(row)
        if self._pending:
            half = self.halves[self._pending[0]]
            if half.start <= row < half.stop:
                raise LepantoError(f"got game {row} of half {self._pending[0]}, which is on its way, wanted recv() before it")
        return row

    def _kept(self) -> List[str]:
        return [entry["name"] for entry in self._server.info["arrays"] if entry["kept"]]

    def _take_over(self, index: npt.NDArray[Any]) -> None:
        mask = np.zeros(self.num_games, bool)
        mask[index] = True
        self._mask(mask)
        try:
            self._server.call(b"l")
        except IllegalAction as error:
            raise LepantoError(str(error)) from None
        self._stale = self._stale and not mask.all()

    def _write_rows(self, index: npt.NDArray[Any], arrays: Mapping[str, Any]) -> None:
        for name, array in arrays.items():
            self._rows[name][index] = array
        self._take_over(index)

    def _put(self, index: npt.NDArray[Any], arrays: Mapping[str, Any]) -> None:
        """Writes games to slots: all that belongs to them, or, if the engine refuses one or anything interrupts, nothing."""
        before = {name: self._rows[name][index] for name in arrays}
        # The engine clears these of a game that it takes over.
        outcome = {name: self._rows[name][index] for name in ("rewards", "terminated", "truncated")}
        try:
            self._write_rows(index, arrays)
        except BaseException as error:
            with self._server.last_chance(error):
                self._write_rows(index, before)
                for name, array in outcome.items():
                    self._rows[name][index] = array
            raise

    @alone
    def clone(self, source: Indices, target: Indices) -> None:
        """Copies games to other slots, with their random streams. source: one game, or one for each target."""
        self._ready()
        sources, targets = self._index(source), self._index(target)
        if len(sources) not in (1, len(targets)):
            raise ValueError(f"clone: got {len(sources)} sources for {len(targets)} targets, wanted 1 or {len(targets)}")
        self._put(targets, {name: self._rows[name][sources] for name in self._kept()})

    def _ids(self) -> Tuple[int, int]:
        """Of the map and of the rules, as saved games have them: hashes of 32 bits."""
        self._lock = self._server.lock
        info = self._server.info
        return info["map"]["id"] & 0xFFFFFFFF, info["rules"]["id"] & 0xFFFFFFFF

    @alone
    def save(self, games: Optional[Indices] = None) -> bytes:
        """Games as bytes: positions, seeds and random streams. None: all of them."""
        self._ready()
        index = np.arange(self.num_games) if games is None else self._index(games)
        names = self._kept()
        head = MAGIC + struct.pack(HEAD, SAVE_VERSION, len(names), *self._ids(), len(index))
        parts = [head]
        for name in names:
            data = np.ascontiguousarray(self._rows[name][index]).tobytes()
            parts.append(struct.pack("<B", len(name)) + name.encode() + struct.pack("<I", len(data)) + data)
        return b"".join(parts)

    @alone
    def load(self, data: bytes, games: Optional[Indices] = None) -> None:
        """Puts saved games into slots; None: the first ones. Every position is checked.

        The rules may read orders and end games otherwise than those by which the games were saved, but must adjudicate
        alike. Raises LepantoError or ValueError.
        """
        self._ready()
        size = struct.calcsize(HEAD)
        if len(data) < 4 + size or data[:4] != MAGIC:
            raise ValueError(f"saved games: got {len(data)} bytes beginning {data[:4]!r}, wanted {MAGIC!r}")
        version, arrays, map_id, rules_id, count = struct.unpack_from(HEAD, data, 4)
        wanted_map, wanted_rules = self._ids()
        if rules_id != wanted_rules and self._server.ask(op="former_rules", id=rules_id):
            rules_id = wanted_rules
        for what, got, wanted in (
            ("version", version, SAVE_VERSION),
            (f"id of map {self.map}", map_id, wanted_map),
            (f"id of rules {self.rules}", rules_id, wanted_rules),
        ):
            if got != wanted:
                raise ValueError(f"saved games, {what}: got {got}, wanted {wanted}")
        index = np.arange(count) if games is None else self._index(games)
        if len(index) != count or count > self.num_games:
            raise ValueError(f"saved games: got {count} for {len(index)} of {self.num_games} slots")
        loaded = self._read_saved(data, 4 + size, arrays, count)
        missing = [name for name in ("state", "streams", "episode_seed", "steps", "phases") if name not in loaded]
        if missing:
            raise ValueError(f"saved games: got no {missing[0]}")
        if "long_game" in self._kept() and "long_game" not in loaded:
            # Saved under rules without longGameDraw: with 0 the years are counted from here on.
            loaded["long_game"] = np.zeros_like(self._rows["long_game"][index])
        self._put(index, loaded)

    def _read_saved(self, data: bytes, at: int, arrays: int, count: int) -> Dict[str, npt.NDArray[Any]]:
        loaded: Dict[str, npt.NDArray[Any]] = {}
        kept = self._kept()
        for _ in range(arrays):
            try:
                length = data[at]
                name = data[at + 1 : at + 1 + length].decode()
                (size,) = struct.unpack_from("<I", data, at + 1 + length)
            except (IndexError, struct.error, UnicodeDecodeError):
                raise ValueError(f"saved games at offset {at}: got a cut or broken head of an array") from None
            at += 5 + length
            if at + size > len(data):
                raise ValueError(f"saved games at offset {at}: got {len(data) - at} bytes of {name}, wanted {size}")
            if name in kept:
                array = self._rows[name]
                wanted = count * array[0].nbytes
                if size != wanted:
                    raise ValueError(f"saved games, {name}: got {size} bytes, wanted {wanted}")
                loaded[name] = np.frombuffer(data, array.dtype, count * array[0].size, at).reshape((count,) + array.shape[1:])
            at += size
        if at != len(data):
            raise ValueError(f"saved games at offset {at}: got {len(data) - at} bytes more than there are games")
        return loaded

    def __getstate__(self) -> Dict[str, Any]:
        self._ready()
        return {
            "options": self._options,
            "agents": list(self._agents),
            "seats": self._rows["seats"].copy(),
            "draws": self._draws,
            "games": self.save(),
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__init__(**state["options"])  # type: ignore[misc]
        for agent in state["agents"]:
            self._number_of(agent)
        self._rows["seats"][:] = state["seats"]
        self._draws = state["draws"]
        self.load(state["games"])

    # ---- search ----

    @alone
    def expand(self, game: int, joint_actions: npt.NDArray[Any]) -> Children:
        """Plays one phase of a game once for each joint action, beside the batch: K children in one call.

        joint_actions: int[K, Q, U], K up to max_children. The batch itself stays as it was. The children have all arrays but
        the `final_` ones, as views: the next expand() overwrites them. Raises IllegalAction as step() does; the game it names is num_games + k.
        """
        self._ready()
        row = self._game(game)
        count = len(joint_actions)
        if not 0 < count <= self.max_children:
            raise ValueError(f"joint actions: got {count}, wanted 1 to {self.max_children} (max_children)")
        self._refresh()
        self._write_actions("joint actions", joint_actions, self.num_games, self.num_games + count)
        self._server.call(b"x", row, count)
        return Children(self._info, self._all, slice(self.num_games, self.num_games + count), self._score)

    # ---- text ----

    @alone
    def orders_as_text(self, game: int, actions: Optional[npt.NDArray[Any]] = None) -> Dict[str, List[str]]:
        """Actions of a game in the notation of `diplomacy`, by power. actions: int[Q, U]; None: those in `self.actions`."""
        row = self._game(game)
        chosen = self._rows["actions"][row] if actions is None else actions
        given = shaped("actions", chosen, (len(self.powers), self.max_orders))
        offsets = self.legal_offsets[row]
        counts = self.order_counts[row]
        ids: List[int] = []
        powers: List[str] = []
        for q, power in enumerate(self.powers):
            for s in range(counts[q]):
                action = int(given[q, s])
                if action == NO_ORDER:
                    continue
                ids.append(action if self.by_vocabulary else self._id_of(row, q, s, action, offsets))
                powers.append(power)
        texts = self._server.ask(op="format", game=row, ids=ids)
        orders: Dict[str, List[str]] = {power: [] for power in self.powers}
        for power, text in zip(powers, texts):
            orders[power].append(text)
        return orders

    def _id_of(self, row: int, q: int, s: int, action: int, offsets: npt.NDArray[Any]) -> int:
        k = q * self.max_orders + s
        if not 0 <= action < offsets[k + 1] - offsets[k]:
            raise IllegalAction(
                f"game {row}, {self.powers[q]}, slot {s}: got action {action}, wanted 0 to {offsets[k + 1] - offsets[k] - 1}"
            )
        return int(self._legal_ids[offsets[k] + action])

    @alone
    def legal_as_text(self, game: int) -> Dict[str, List[List[str]]]:
        """Legal orders of a game by power and slot."""
        row = self._game(game)
        offsets = self.legal_offsets[row]
        first, end = int(offsets[0]), int(offsets[-1])
        texts = self._server.ask(op="format", game=row, ids=self._legal_ids[first:end].tolist())
        result: Dict[str, List[List[str]]] = {}
        for q, power in enumerate(self.powers):
            result[power] = []
            for s in range(self.order_counts[row, q]):
                k = q * self.max_orders + s
                result[power].append(texts[offsets[k] - first : offsets[k + 1] - first])
        return result

    @alone
    def actions_from_text(self, game: int, orders: Mapping[str, Sequence[str]]) -> npt.NDArray[Any]:
        """Actions int32[Q, U] from orders by power, in any usual notation; -1 for units without one.

        Raises IllegalAction for an order that cannot be read or obeyed.
        """
        row = self._game(game)
        out = np.full((len(self.powers), self.max_orders), NO_ORDER, np.int32)
        orderable = self.orderable[row]
        offsets = self.legal_offsets[row]
        for power, texts in orders.items():
            if power not in self.powers:
                raise ValueError(f"power: got {power!r}, wanted one of {', '.join(self.powers)}")
            q = self.powers.index(power)
            free = 0
            for text, parsed in zip(texts, self._server.ask(op="parse", game=row, power=power, orders=list(texts))):
                if parsed["reason"] is not None:
                    raise IllegalAction(f"game {row}, {power}, {text}: {parsed['reason']}")
                if parsed["location"] == ADJUSTMENT_SLOT:
                    slot, free = free, free + 1
                else:
                    slot = int(np.flatnonzero(orderable[q] == parsed["location"])[0])
                out[q, slot] = parsed["id"] if self.by_vocabulary else self._place_of(parsed["id"], q, slot, offsets)
        return out

    def _place_of(self, order: int, q: int, s: int, offsets: npt.NDArray[Any]) -> int:
        k = q * self.max_orders + s
        return int(np.flatnonzero(self._legal_ids[offsets[k] : offsets[k + 1]] == order)[0])

    @alone
    def position(self, game: int) -> Dict[str, Any]:
        """The position of a game as JSON: phase, units, centers, retreats, as `lepanto adjudicate` reads it."""
        return cast(Dict[str, Any], self._server.ask(op="position", game=self._game(game)))

    @alone
    def draw(
        self,
        game: int,
        orders: Optional[Mapping[str, Sequence[str]]] = None,
        theme: str = "auto",
        width: Optional[int] = None,
    ) -> Drawing:
        """The board of a game as a picture; with orders, text by power, and what they would come to.

        `batch.draw(3, batch.orders_as_text(3))` shows what is in `actions`. theme and width are those of lepanto.draw().
        """
        row = self._game(game)
        given = None if orders is None else {power: list(texts) for power, texts in orders.items()}
        return Drawing(self._server.ask(op="draw", game=row, orders=given, theme=theme, width=width))

    @alone
    def set_position(self, game: int, position: Mapping[str, Any]) -> None:
        """Puts a position of JSON (phase, units, centers, retreats) into a slot; its past is forgotten."""
        self._ready()
        row = self._game(game)
        arrays: Dict[str, Any] = {name: 0 for name in self._kept() if name not in ("streams", "episode_seed")}
        arrays["state"] = self._server.ask(op="read_position", position=dict(position))
        self._put(np.array([row]), arrays)

    # ---- the record ----

    @alone
    def write_record(self) -> int:
        """Writes all games that have ended to the directory of `record`; returns how many that are since the beginning.

        Raises LepantoError if the batch records nothing, or if a file cannot be written.
        """
        self._ready()
        return int(self._server.call(b"w"))

    @alone
    def set_record_names(self, names: Sequence[Mapping[str, str]], games: Indices) -> None:
        """Says who you are in some games of the record, which have not ended yet: for each a name by power.

        Powers that a mapping leaves out have the name of `record_as`. Raises LepantoError if the batch records nothing.
        """
        self._ready()
        index = self._index(games)
        if len(names) != len(index):
            raise ValueError(f"names: got {len(names)} mappings, wanted {len(index)}, one for each game")
        own, by_power = self._record_as
        rows = []
        for mapping in names:
            row = [by_power.get(power, own) for power in self.powers]
            for power, name in mapping.items():
                row[self._power(power)] = str(name)
            rows.append(row)
        self._server.ask(op="record names", games=index.tolist(), names=rows)

    # ---- end ----

    @property
    def process_id(self) -> int:
        """Of the engine."""
        return self._server.process_id

    @property
    def bytes_per_game(self) -> int:
        """Shared memory of one game, the legal list counted at 500 orders."""
        per_game = sum(a[:1].nbytes for name, a in self._rows.items())
        return per_game + 500 * 4

    def close(self) -> None:
        """Ends the engine. Views stay readable."""
        self._server.close()

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        return self.num_games

    def __repr__(self) -> str:
        is_open = self._server._finalizer.alive
        return (
            f"<lepanto.Batch: {self.num_games} games, map {self.map}, rules {self.rules}, "
            f"observations {self.observations}, {'process ' + str(self.process_id) if is_open else 'closed'}>"
        )


def _own_names(record_as: Union[str, Mapping[str, str]]) -> Tuple[str, Dict[str, str]]:
    """Name of the client in a record, and by power where it has another."""
    if isinstance(record_as, str):
        return record_as, {}
    return "client", {power.upper(): str(one) for power, one in record_as.items()}


def _recording(
    directory: Union[None, str, "os.PathLike[str]"], name: Union[str, Mapping[str, str]], seed: int
) -> Optional[Dict[str, Any]]:
    """What the engine is told of `record`."""
    if directory is None:
        return None
    own, by_power = _own_names(name)
    return {
        "directory": os.path.abspath(os.fspath(directory)),
        "name": own,
        "names": by_power,
        "seed": seed - (1 << 32) if seed >= 1 << 31 else seed,
    }


def _cores() -> Sequence[int]:
    return list(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
