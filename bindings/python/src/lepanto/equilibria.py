"""Equilibria over candidate orders: regret matching, Hedge, piKL and double oracle, for many games at once.

    candidates = sample_candidates(batch, "policy", 40, seed=1)         # up to 40 order sets of each power of each game
    learner = RegretMatching(candidates.mask, "linear")
    found = solve(batch, candidates, learner, 200, seed=1)
    actions = candidates.choose(draw(found.policy, np.random.default_rng(1)))        # int32[G, Q, U], for Batch.step()

In the shapes G is the number of games, Q of powers, A of candidates of the power that has most, U of slots, T of types
of players. Policies are probabilities over candidates, f8[G, Q, A], 0 where a power has fewer. Utilities are what a
candidate is worth to its power, in the unit of the values (shares of 0 to 1, by default).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

import numpy as np
import numpy.typing as npt

from ._checks import SEEDS, whole_from
from ._options import completed
from ._seeds import chances_of
from ._server import LepantoError
from .arrays import ADJUSTMENT, NO_ORDER, Bools, Int32s, Int64s
from .batch import Batch
from .children import Children
from .legal import refuse_stale

if TYPE_CHECKING:
    from typing_extensions import Unpack

Floats64 = npt.NDArray[np.float64]
#: What positions are worth to each power: a name as Children.values() takes it, or a function of N children that
#: returns finite numbers [N, Q], or [N, 1, Q] as Children.values() itself does.
Value = Union[str, Callable[[Children], Any]]


# ---- candidates ----


@dataclass(frozen=True)
class Candidates:
    """Order sets that each power may choose from."""

    actions: Int32s
    """int32[G, Q, A, U]: as Batch.step() takes them."""
    mask: Bools
    """bool[G, Q, A]: those that a power has: at least one, which is without orders where none are due."""
    log_anchor: Floats64
    """f8[G, Q, A]: log-probabilities of each by whoever proposed them, -inf behind them."""
    _positions: Sequence[npt.NDArray[Any]] = field(default=(), repr=False, compare=False)
    """The positions of the games now, and as they were when the candidates were made; empty for candidates of your
    own."""

    def __getstate__(self) -> Dict[str, Any]:
        # A copy has no batch that could move on.
        return {**self.__dict__, "_positions": ()}

    def _refuse_stale(self) -> None:
        refuse_stale("candidates", self._positions, np.arange(len(self.actions)))

    def choose(self, places: npt.NDArray[Any]) -> Int32s:
        """The actions int32[..., Q, U] of candidates int[..., Q], of each game where the first axis is that of the
        games.

        Raises LepantoError if a game has been played on since the candidates were made.
        """
        self._refuse_stale()
        found: Int32s = np.take_along_axis(self.actions, places[..., None, None], 2)[..., 0, :]
        return found


def _packed(batch: Batch, lists: Sequence[Sequence[Tuple[Any, Any]]]) -> Candidates:
    """Candidates of lists of actions [n, U] and weights [n] by game and power."""
    games, powers, slots = len(batch), len(batch.powers), batch.max_orders
    most = max(len(weights) for row in lists for _, weights in row)
    actions = np.full((games, powers, most, slots), NO_ORDER, np.int32)
    mask = np.zeros((games, powers, most), np.bool_)
    anchor = np.full((games, powers, most), -np.inf)
    for g, row in enumerate(lists):
        for q, (sets, weights) in enumerate(row):
            n = len(weights)
            actions[g, q, :n], mask[g, q, :n] = sets, True
            anchor[g, q, :n] = np.log(np.asarray(weights, np.float64) / np.sum(weights))
    return Candidates(actions, mask, anchor, (batch.state, batch.state.copy()))


def sample_candidates(batch: Batch, agents: Union[str, Sequence[str]], count: int, seed: int = 0) -> Candidates:
    """Draws `count` order sets of every power from each agent of the engine, in all games of a batch; equal ones are
    one.

    The anchor is how often each was drawn. seed: the same gives the same candidates.
    """
    names = [agents] if isinstance(agents, str) else list(agents)
    rounds = whole_from("count", count, 1, 1 << 20)
    # Powers that are seated agents' are chosen for by the engine: they have no order due here.
    drawn = np.stack([batch.agent_actions(name, seed=seed + k) for name in names for k in range(rounds)], 2)
    g, q = drawn.shape[:2]
    lists: List[List[Tuple[Any, Any]]] = [[] for _ in range(g)]
    for game, power in np.ndindex(g, q):
        sets, counts = np.unique(drawn[game, power], axis=0, return_counts=True)
        # The likeliest first.
        order = np.argsort(-counts, kind="stable")
        lists[game].append((sets[order], counts[order]))
    return _packed(batch, lists)


def all_candidates(batch: Batch, most: int = 20_000) -> Candidates:
    """Every set of legal orders of each power, in all games of a batch, with a uniform anchor. For positions of few
    units.

    Of adjustments those that can be ordered together, in one order of the slots alone. Raises LepantoError for more
    than `most` of a power.
    """
    lists: List[List[Tuple[Any, Any]]] = [[] for _ in range(len(batch))]
    for game, power in np.ndindex(len(batch), len(batch.powers)):
        sets = _all_sets(batch, game, power, most)
        padded = np.full((len(sets), batch.max_orders), NO_ORDER, np.int32)
        padded[:, : sets.shape[1]] = sets
        lists[game].append((padded, np.ones(len(sets))))
    return _packed(batch, lists)


def _all_sets(batch: Batch, game: int, power: int, most: int) -> Int64s:
    due = int(batch.order_counts[game, power])
    offsets = batch.legal_offsets[game, power * batch.max_orders :]
    ids = [batch.legal_ids[offsets[s] : offsets[s + 1]] for s in range(due)]
    if due and int(batch.phase[game]) == ADJUSTMENT:
        # All slots have the same list: sets of places, of which a waive alone may come again.
        province = batch.vocabulary.province[ids[0]].tolist()

        def fits(one: Sequence[int]) -> bool:
            taken = [province[i] for i in one if province[i] >= 0]
            return len(set(taken)) == len(taken)

        sets: Iterator[Sequence[int]] = itertools.combinations_with_replacement(range(len(province)), due)
        sets = filter(fits, sets)
    else:
        sets = itertools.product(*(range(len(own)) for own in ids))
    found = list(itertools.islice(sets, most + 1))
    if len(found) > most:
        raise LepantoError(f"candidates: got more than {most} sets of a power, wanted {most} at most")
    places = np.array(found, np.int64).reshape(len(found), due)
    if not batch.by_vocabulary:
        return places
    return np.stack([own[places[:, s]] for s, own in enumerate(ids)], 1).astype(np.int64) if due else places


# ---- policies ----


def _finite(name: str, array: Floats64, axes: Sequence[str]) -> Floats64:
    """The array. Raises ValueError that names the place of the first entry that is not finite."""
    if not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0]
        where = ", ".join(f"{axis} {i}" for axis, i in zip(axes, at))
        raise ValueError(f"{name}: got {array[tuple(at)]} for {where}, wanted finite numbers")
    return array


_CANDIDATE = ("game", "power", "candidate")


def draw(policy: Floats64, generator: np.random.Generator) -> Int64s:
    """Draws a candidate of each power: int64[G, Q], by probabilities f8[G, Q, A].

    Raises ValueError for a negative probability, one that is not finite, and for a power without a positive one,
    TypeError for another generator than one of numpy.
    """
    if not isinstance(generator, np.random.Generator):
        raise TypeError(f"generator: got {generator!r}, wanted a numpy.random.Generator")
    policy = _finite("policy", np.asarray(policy, np.float64), _CANDIDATE)
    if policy.size and (policy.min() < 0 or not (policy > 0).any(-1).all()):
        g, q = np.argwhere((policy < 0).any(-1) | ~(policy > 0).any(-1))[0]
        wanted = "probabilities of 0 or more, one of them positive"
        raise ValueError(f"policy: got {policy[g, q]} for game {g}, power {q}, wanted {wanted}")
    cumulative = np.cumsum(policy, -1)
    point = generator.random(policy.shape[:-1])[..., None] * cumulative[..., -1:]
    # A point of rounding above the sum is the last candidate that can be played.
    last = policy.shape[-1] - 1 - np.argmax(policy[..., ::-1] > 0, -1)
    drawn: Int64s = np.minimum((cumulative <= point).sum(-1), last)
    return drawn


def _normalized(weights: Floats64, mask: Bools) -> Floats64:
    """Probabilities by weights; uniform where all are 0."""
    total = weights.sum(-1, keepdims=True)
    uniform = mask / mask.sum(-1, keepdims=True)
    result: Floats64 = np.where(total > 0, weights / np.where(total > 0, total, 1), uniform)
    return result


def _softmax(logits: Floats64) -> Floats64:
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    result: Floats64 = weights / weights.sum(-1, keepdims=True)
    return result


class Learner(Protocol):
    """Plays `policy` in a round and learns from the utilities that its candidates had in it."""

    mask: Bools

    @property
    def policy(self) -> Floats64:
        """f8[G, Q, A]: what is played in the next round."""

    @property
    def average(self) -> Floats64:
        """f8[G, Q, A]: what was played in the mean of all rounds; this is what converges."""

    def update(self, utilities: Floats64) -> None:
        """Learns from the utilities f8[G, Q, A] of each candidate against what the others played.

        Raises ValueError for another shape, and for a utility of a candidate that is not finite.
        """


REGRET_KINDS = ("plain", "linear", "optimistic")


def _booleans(mask: Any) -> Bools:
    """A mask of candidates. Raises TypeError for numbers, which may be their places."""
    given = np.asarray(mask)
    if given.dtype != np.bool_:
        raise TypeError(f"mask: got an array of {given.dtype}, wanted booleans: bool[G, Q, A]")
    return given


class _Averaging:
    """The mean of what was played."""

    def __init__(self, mask: Bools) -> None:
        self.mask = _booleans(mask)
        if self.mask.ndim != 3 or not self.mask.any(-1).all():
            raise ValueError(f"mask: got shape {self.mask.shape}, wanted bool[G, Q, A] with a candidate for each power")
        self.rounds = 0
        self._played = np.zeros(self.mask.shape)

    @property
    def policy(self) -> Floats64:
        """See Learner."""
        raise NotImplementedError

    def _learn(self, policy: Floats64, utilities: Floats64) -> float:
        """Learns from the utilities of the candidates, 0 where a power has none. Returns the weight of the round."""
        raise NotImplementedError

    def update(self, utilities: Floats64) -> None:
        """See Learner."""
        given = np.asarray(utilities, np.float64)
        if given.shape != self.mask.shape:
            raise ValueError(f"utilities: got shape {given.shape}, wanted {self.mask.shape}")
        given, policy = _finite("utilities", np.where(self.mask, given, 0), _CANDIDATE), self.policy
        self.rounds += 1
        self._played += self._learn(policy, given) * policy

    @property
    def average(self) -> Floats64:
        return _normalized(self._played, self.mask)


class RegretMatching(_Averaging):
    """Regret matching (Hart and Mas-Colell 2000): candidates are played as their positive regrets are.

    kind: "plain"; "linear": round t counts t times in regrets and mean (Brown and Sandholm 2019); "optimistic": the
    last regret counts once more in what is played (Farina, Kroer and Sandholm 2021).
    """

    def __init__(self, mask: Bools, kind: str = "plain") -> None:
        super().__init__(mask)
        if kind not in REGRET_KINDS:
            raise ValueError(f"kind: got {kind!r}, wanted one of {', '.join(REGRET_KINDS)}")
        self.kind = kind
        self.regrets = np.zeros(self.mask.shape)
        self._last = np.zeros(self.mask.shape)

    @property
    def policy(self) -> Floats64:
        expected = self.regrets + self._last if self.kind == "optimistic" else self.regrets
        return _normalized(np.where(self.mask, np.maximum(expected, 0), 0), self.mask)

    def _learn(self, policy: Floats64, utilities: Floats64) -> float:
        weight = self.rounds if self.kind == "linear" else 1
        self._last = np.where(self.mask, utilities - (policy * utilities).sum(-1, keepdims=True), 0)
        self.regrets += weight * self._last
        return weight


class PiKL(_Averaging):
    """piKL-Hedge, with types of players (DiL-piKL: Jacob et al. 2022, Bakhtin et al. 2023): Hedge drawn to an anchor
    policy.

    A type with temperature L seeks the mean utility less L times the divergence from the anchor: after t rounds it
    plays by exp((sum of utilities + t L log anchor) / (1 / rate + t L)). Before the first round (t = 0) it plays the
    anchor if L > 0, and every candidate alike if L = 0. L = 0 is Hedge, a large L the anchor. A power is of one of T
    types, and plays their mixture.

    log_anchor: f8[G, Q, A]. temperatures: number, [T], or what broadcasts to [G, Q, T]. types: probability of each type
    likewise, 1 together; None: all alike. rate: as for Hedge.
    """

    def __init__(self, mask: Bools, log_anchor: Any, temperatures: Any, types: Any = None, rate: Any = 1.0) -> None:
        super().__init__(mask)
        g, q, a = self.mask.shape
        given = np.atleast_1d(np.asarray(temperatures, np.float64))
        self.temperatures = np.broadcast_to(given, (g, q, given.shape[-1]))
        if not (np.isfinite(self.temperatures) & (self.temperatures >= 0)).all():
            raise ValueError(f"temperatures: got {temperatures!r}, wanted finite numbers of 0 or more")
        anchor = np.asarray(log_anchor, np.float64)
        if anchor.shape != (g, q, a):
            raise ValueError(f"log_anchor: got shape {anchor.shape}, wanted {(g, q, a)}")
        # -inf is the logarithm of 0, which an anchor may have.
        _finite("log_anchor", np.where(self.mask & ~np.isneginf(anchor), anchor, 0), _CANDIDATE)
        shares = np.ones(given.shape[-1]) if types is None else np.asarray(types, np.float64)
        self.types = np.broadcast_to(shares, self.temperatures.shape)
        total = self.types.sum(-1)
        if types is None:
            self.types = self.types / total[..., None]
        elif not (self.types >= 0).all() or not np.isclose(total, 1, atol=1e-6).all():
            raise ValueError(f"types: got {types!r}, wanted probabilities of 0 or more that are 1 together")
        #: An entry that the anchor never plays is never played by a type that it draws.
        self.log_anchor = np.where(self.mask, anchor, -np.inf)
        self.rate = np.broadcast_to(np.asarray(rate, np.float64), (g, q))
        if not (np.isfinite(self.rate) & (self.rate > 0)).all():
            raise ValueError(f"rate: got {self.rate}, wanted finite numbers above 0")
        self.sums = np.zeros((g, q, a))

    @property
    def by_type(self) -> Floats64:
        """f8[G, Q, T, A]: what each type plays in the next round."""
        pull = self.rounds * self.temperatures[..., None]
        # A type without a temperature plays whatever the anchor says, and 0 * -inf is no number.
        free = np.where(self.mask, 0.0, -np.inf)[:, :, None]
        anchor = np.where(self.temperatures[..., None] > 0, self.log_anchor[:, :, None], free)
        toward = np.where(np.isneginf(anchor), -np.inf, pull * np.where(np.isneginf(anchor), 0, anchor))
        logits = (self.sums[:, :, None] + toward) / (1 / self.rate[..., None, None] + pull)
        # Before the first round a type plays the anchor.
        return _softmax(logits if self.rounds else anchor)

    @property
    def policy(self) -> Floats64:
        mixed: Floats64 = (self.types[..., None] * self.by_type).sum(2)
        return mixed

    def _learn(self, policy: Floats64, utilities: Floats64) -> float:
        self.sums += utilities
        return 1


class Hedge(PiKL):
    """Hedge, or multiplicative weights (Freund and Schapire 1997): candidates are played by exp(rate * sum of
    utilities), that is piKL without an anchor.

    rate: of all, or an array that broadcasts to [G, Q].
    """

    def __init__(self, mask: Bools, rate: Any = 1.0) -> None:
        super().__init__(mask, np.zeros(np.shape(mask)), 0.0, rate=rate)


# ---- utilities ----


def values_of(
    batch: Batch,
    games: npt.NDArray[Any],
    joint: npt.NDArray[Any],
    value: Value = "heuristic",
    seed: Optional[int] = None,
    common: bool = False,
) -> Floats64:
    """What joint actions int[N, Q, U] in games int[N] lead to is worth to each power, f8[N, Q]: one phase on.

    value: as Children.values() takes it, or a function of children. As many are played at a time as there is room for
        children. Raises ValueError for values that are not finite.
    seed: of the chance of agents that are seated, who answer each joint action once. None: other chance in each call.
    common: True gives all joint actions of a game the same chance. It is no foresight of the next step(), whatever the
        seed: the chance of children differs from that of all episodes. See Batch.expand().
    """
    drawn = batch._draws.next("children") if seed is None else whole_from("seed", seed, *SEEDS)
    rows = batch._index(games)
    seeds = chances_of(drawn, batch.episode_seed[rows], rows, 1, common)
    out = np.empty((len(games), len(batch.powers)))
    for some, children in batch._children_of(rows, joint, seeds):
        found = np.asarray(children.values(value) if isinstance(value, str) else value(children), np.float64)
        wanted = out[some].shape
        if found.shape not in (wanted, (wanted[0], 1, wanted[1])):
            raise ValueError(f"value: got shape {found.shape}, wanted {wanted}")
        found = found.reshape(wanted)
        if not np.isfinite(found).all():
            row, q = np.argwhere(~np.isfinite(found))[0]
            child = some.start + row
            where = f"{batch.powers[q]} in child {child} (game {games[child]})"
            raise ValueError(f"value: got {found[row, q]} for {where}, wanted finite numbers")
        out[some] = found
    return out


def sampled_utilities(
    batch: Batch,
    candidates: Candidates,
    policy: Floats64,
    generator: np.random.Generator,
    value: Value = "heuristic",
    mask: Optional[Bools] = None,
    samples: int = 1,
) -> Tuple[Floats64, Floats64]:
    """Utilities f8[G, Q, A] of all candidates against others who draw by their policies, and what the drawn joint
    actions are worth, f8[G, Q]: means over `samples` draws. mask: bool[G, Q, A], the candidates that are wanted; None:
    all.

    Agents that are seated draw their orders anew in each sample, the same ones against all candidates of a game.
    """
    wanted = candidates.mask if mask is None else _booleans(mask)
    if wanted.shape != candidates.mask.shape:
        raise ValueError(f"mask: got shape {wanted.shape}, wanted {candidates.mask.shape}")
    g, q, a = np.nonzero(wanted)
    utilities, worth = np.zeros(wanted.shape), np.zeros(wanted.shape[:2])
    games = np.arange(len(wanted))
    for _ in range(samples):
        profile = draw(policy, generator)
        drawn = candidates.choose(profile)
        # The drawn profiles themselves, and each with one power's candidate in its place.
        joint = np.concatenate([drawn, drawn[g]])
        joint[len(games) + np.arange(len(g)), q] = candidates.actions[g, q, a]
        seed = int(generator.integers(1 << 32))
        found = values_of(batch, np.concatenate([games, g]), joint, value, seed, common=True)
        worth += found[: len(games)] / samples
        utilities[g, q, a] += found[len(games) + np.arange(len(g)), q] / samples
    return utilities, worth


@dataclass(frozen=True)
class Equilibrium:
    """What a solver came to."""

    policy: Floats64
    """f8[G, Q, A]: the mean of what was played."""
    values: Floats64
    """f8[G, Q]: mean worth of the joint actions that were drawn."""


def solve(
    batch: Batch,
    candidates: Candidates,
    learner: Learner,
    rounds: int,
    value: Value = "heuristic",
    seed: int = 0,
) -> Equilibrium:
    """Plays rounds of a learner against itself in all games of a batch, on sampled utilities: (Q A + 1) children a
    round and game.

    The batch stays as it was, but for the children of expand(). seed: of what is drawn. Powers that agents play choose
    one set, without orders, and their agents order anew in each round. Raises ValueError for a learner of other
    candidates.
    """
    if np.shape(learner.mask) != candidates.mask.shape:
        raise ValueError(f"learner: got a mask of shape {np.shape(learner.mask)}, wanted {candidates.mask.shape}")
    generator = np.random.default_rng(seed)
    worth = np.zeros(candidates.mask.shape[:2])
    for _ in range(whole_from("rounds", rounds, 1, 10**9)):
        utilities, drawn = sampled_utilities(batch, candidates, learner.policy, generator, value, learner.mask)
        learner.update(utilities)
        worth += drawn / rounds
    return Equilibrium(learner.average, worth)


class OracleOptions(TypedDict, total=False):
    """Options of double_oracle() by keyword.

    start: Candidates of each power that are played first. Default 1.
    samples: Draws of the others that each candidate of the pool is tried against. Default 8.
    tolerance: What a candidate must gain more than to join, in the unit of the values. Default 0.001.
    """

    start: int
    samples: int
    tolerance: float


_ORACLE: OracleOptions = {"start": 1, "samples": 8, "tolerance": 1e-3}


def double_oracle(
    batch: Batch,
    candidates: Candidates,
    make: Callable[[Bools], Learner],
    steps: int,
    rounds: int,
    *,
    value: Value = "heuristic",
    seed: int = 0,
    **options: Unpack[OracleOptions],
) -> Tuple[Equilibrium, Bools]:
    """Sampled double oracle (McMahan, Gordon and Blum 2003): equilibria of few candidates, to which best replies are
    added.

    candidates: the pool. make: the learner of a mask, lambda mask: RegretMatching(mask). steps: equilibria at most, of
        `rounds` each. After each one every candidate of the pool is tried against draws of the others, and the best of
        each power joins if it gains enough.
    options: by keyword, those of OracleOptions: start, samples, tolerance.
    Returns the last equilibrium, and the candidates that it is of: bool[G, Q, A].
    """
    given = completed("double_oracle", options, _ORACLE)
    generator = np.random.default_rng(seed)
    playing = candidates.mask & (np.arange(candidates.mask.shape[2]) < given["start"])
    for step in range(whole_from("steps", steps, 1, 10**6)):
        found = solve(batch, candidates, make(playing), rounds, value, int(generator.integers(1 << 31)))
        if step == steps - 1:
            break
        utilities, _ = sampled_utilities(batch, candidates, found.policy, generator, value, samples=given["samples"])
        gains = np.where(candidates.mask, utilities, -np.inf) - (found.policy * utilities).sum(-1, keepdims=True)
        best = gains.argmax(-1)
        is_new = np.take_along_axis((gains > given["tolerance"]) & ~playing, best[..., None], -1)
        if not is_new.any():
            break
        joined = np.zeros_like(playing)
        np.put_along_axis(joined, best[..., None], is_new, -1)
        playing = playing | joined
    return found, playing


# ---- two powers, exactly ----


class MatrixGame:
    """All values of one game in which two powers at most have more than one candidate: for exact utilities and best
    replies.

    samples: draws of the orders of agents that are seated, of which values are means; without such agents one is exact.
        Each
    draw meets all joint actions. seed: of these draws.
    """

    def __init__(
        self,
        batch: Batch,
        candidates: Candidates,
        game: int = 0,
        value: Value = "heuristic",
        samples: int = 1,
        seed: int = 0,
    ) -> None:
        candidates._refuse_stale()
        sizes = candidates.mask[game].sum(-1)
        players = np.flatnonzero(sizes > 1)
        if len(players) > 2:
            raise ValueError(f"game: got {len(players)} powers with a choice, wanted 2 at most")
        both = [int(q) for q in [*players, *np.flatnonzero(sizes == 1)][:2]]
        #: The two powers.
        self.powers: Tuple[int, int] = (both[0], both[1])
        self._shape = candidates.mask[game : game + 1].shape
        first, second = (int(sizes[q]) for q in both)
        profile = np.zeros((first * second, len(sizes)), np.int64)
        profile[:, both[0]], profile[:, both[1]] = np.divmod(np.arange(first * second), second)
        joint = np.take_along_axis(candidates.actions[game][None], profile[..., None, None], 2)[:, :, 0]
        generator = np.random.default_rng(seed)
        found = np.zeros((first * second, len(sizes)))
        for _ in range(whole_from("samples", samples, 1, 10**6)):
            drawn = int(generator.integers(1 << 32))
            found += values_of(batch, np.full(first * second, game), joint, value, drawn, common=True) / samples
        #: f8[2, A, B]: by power, what a candidate of the first against one of the second is worth to it.
        self.values: Floats64 = np.stack([found[:, q].reshape(first, second) for q in both])

    def _of(self, policy: Floats64) -> Tuple[Floats64, Floats64]:
        first, second = self.values.shape[1:]
        return policy[0, self.powers[0], :first], policy[0, self.powers[1], :second]

    def utilities(self, policy: Floats64) -> Floats64:
        """Expected utilities f8[1, Q, A] of each candidate of both against what the other plays by f8[1, Q, A]."""
        first, second = self._of(policy)
        out = np.zeros(self._shape)
        out[0, self.powers[0], : len(first)] = self.values[0] @ second
        out[0, self.powers[1], : len(second)] = first @ self.values[1]
        return out

    def gains(self, policy: Floats64) -> Floats64:
        """What the exact best reply of each of the two gains over its policy: f8[2], 0 at an equilibrium."""
        utilities = self.utilities(policy)
        found = []
        for q, own in zip(self.powers, self._of(policy)):
            mine = utilities[0, q, : len(own)]
            found.append(float(mine.max() - own @ mine))
        return np.array(found)

    def solve(self, learner: Learner, rounds: int) -> Floats64:
        """The mean of what a learner plays in rounds on exact utilities: f8[1, Q, A]."""
        for _ in range(whole_from("rounds", rounds, 1, 10**9)):
            learner.update(self.utilities(learner.policy))
        return learner.average


__all__ = [
    "Candidates",
    "Equilibrium",
    "Hedge",
    "Learner",
    "MatrixGame",
    "OracleOptions",
    "PiKL",
    "RegretMatching",
    "all_candidates",
    "double_oracle",
    "draw",
    "sample_candidates",
    "sampled_utilities",
    "solve",
    "values_of",
]
