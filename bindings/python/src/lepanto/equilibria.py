"""Equilibria over candidate orders: regret matching, Hedge, piKL and double oracle, for many games at once.

    candidates = sample_candidates(batch, "policy", 40, seed=1)         # up to 40 order sets of each power of each game
    learner = RegretMatching(candidates.mask, "linear")
    found = solve(batch, candidates, learner, 200, seed=1)
    actions = candidates.choose(draw(found.policy, np.random.default_rng(1)))        # int32[G, Q, U], for Batch.step()

Shapes: G games, Q powers, A candidates (of the power with the most), U slots, T types of players. A policy holds
probabilities over candidates, f8[G, Q, A], 0 for padding. A utility is the expected value of a candidate to its power,
in the unit of the values (by default a share from 0 to 1).
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
#: Values positions for each power: a name accepted by Children.values(), or a function of N children that returns
#: finite numbers [N, Q], or [N, 1, Q] as Children.values() does.
Value = Union[str, Callable[[Children], Any]]


# ---- candidates ----


@dataclass(frozen=True)
class Candidates:
    """Candidate order sets of each power in each game, with the probabilities by which they were proposed (the anchor
    policy). G games, Q powers, A candidates, U slots."""

    actions: Int32s
    """int32[G, Q, A, U]: actions of each candidate, for Batch.step()."""
    mask: Bools
    """bool[G, Q, A]: True for candidates, False for padding. Each power has at least one; without orders due it is the
    empty set."""
    log_anchor: Floats64
    """f8[G, Q, A]: log-probabilities of the candidates under the anchor policy that proposed them, -inf for padding."""
    _positions: Sequence[npt.NDArray[Any]] = field(default=(), repr=False, compare=False)
    """Current positions of the games (a view), and a copy from when the candidates were made, to detect games that have
    moved on. Empty for candidates that you build yourself."""

    def __getstate__(self) -> Dict[str, Any]:
        # A pickled copy has no batch, so it does not check whether its games have moved on.
        return {**self.__dict__, "_positions": ()}

    def _refuse_stale(self) -> None:
        refuse_stale("candidates", self._positions, np.arange(len(self.actions)))

    def choose(self, places: npt.NDArray[Any]) -> Int32s:
        """Returns the actions of one candidate per power and game, int32[G, Q, U].

        places: int[G, Q], index of the candidate of each power in each game.

        Raises LepantoError if a game has moved on since the candidates were made.
        """
        self._refuse_stale()
        found: Int32s = np.take_along_axis(self.actions, places[..., None, None], 2)[..., 0, :]
        return found


def _packed(batch: Batch, lists: Sequence[Sequence[Tuple[Any, Any]]]) -> Candidates:
    """Returns candidates, padded to the largest number of any power. The anchor is proportional to the weights.

    lists: for each game and power, actions [n, U] of n candidates and their weights [n].
    """
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
    """Draws `count` order sets for every power from each agent of the engine, in all games of a batch.

    agents: name of an agent, or names. Merges equal sets, most frequent first. The anchor is their relative frequency.
        seed: the same seed gives the same candidates. Raises LepantoError for an unknown agent.
    """
    names = [agents] if isinstance(agents, str) else list(agents)
    rounds = whole_from("count", count, 1, 1 << 20)
    # Powers that opponents play have no order due here: the engine chooses their orders in the step.
    drawn = np.stack([batch.agent_actions(name, seed=seed + k) for name in names for k in range(rounds)], 2)
    g, q = drawn.shape[:2]
    lists: List[List[Tuple[Any, Any]]] = [[] for _ in range(g)]
    for game, power in np.ndindex(g, q):
        sets, counts = np.unique(drawn[game, power], axis=0, return_counts=True)
        # Sorts by frequency, highest first.
        order = np.argsort(-counts, kind="stable")
        lists[game].append((sets[order], counts[order]))
    return _packed(batch, lists)


def all_candidates(batch: Batch, most: int = 20_000) -> Candidates:
    """Returns every set of legal orders of each power, in all games of a batch, with a uniform anchor.

    For positions with few units. Omits adjustments that cannot be ordered together, and permutations of the same
    adjustments. Raises LepantoError if a power has more than `most` sets.
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
        # All slots have the same list, so a set is a combination of its indices. Only a waive may repeat.
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
    """Returns the array unchanged. Raises ValueError naming the first entry that is not finite.

    name: of the array, for the error. axes: names of its dimensions.
    """
    if not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0]
        where = ", ".join(f"{axis} {i}" for axis, i in zip(axes, at))
        raise ValueError(f"{name}: got {array[tuple(at)]} for {where}, wanted finite numbers")
    return array


_CANDIDATE = ("game", "power", "candidate")


def draw(policy: Floats64, generator: np.random.Generator) -> Int64s:
    """Draws a candidate for each power. Returns their indices, int64[G, Q].

    policy: probabilities f8[G, Q, A]; they need not sum to 1.

    Raises ValueError for probabilities that are negative or not finite, and for a power without a positive one;
    TypeError unless the generator is a numpy.random.Generator.
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
    # If rounding puts the point above the sum, draws the last candidate of positive probability.
    last = policy.shape[-1] - 1 - np.argmax(policy[..., ::-1] > 0, -1)
    drawn: Int64s = np.minimum((cumulative <= point).sum(-1), last)
    return drawn


def _normalized(weights: Floats64, mask: Bools) -> Floats64:
    """Returns weights scaled to sum to 1 over the last axis; uniform over the mask where all weights are 0."""
    total = weights.sum(-1, keepdims=True)
    uniform = mask / mask.sum(-1, keepdims=True)
    result: Floats64 = np.where(total > 0, weights / np.where(total > 0, total, 1), uniform)
    return result


def _softmax(logits: Floats64) -> Floats64:
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    result: Floats64 = weights / weights.sum(-1, keepdims=True)
    return result


class Learner(Protocol):
    """Online learner: plays `policy` in each round, then learns from the utilities of all candidates in that round."""

    mask: Bools

    @property
    def policy(self) -> Floats64:
        """f8[G, Q, A]: policy of the next round."""

    @property
    def average(self) -> Floats64:
        """f8[G, Q, A]: weighted mean of the policies of all rounds. The average converges, not the last policy."""

    def update(self, utilities: Floats64) -> None:
        """Learns from one round. utilities: f8[G, Q, A], of each candidate against the choices of the other powers.

        Raises ValueError for another shape, and for a candidate's utility that is not finite.
        """


REGRET_KINDS = ("plain", "linear", "optimistic")


def _booleans(mask: Any) -> Bools:
    """Returns a mask of candidates as an array. Raises TypeError for numbers, because they may be meant as indices."""
    given = np.asarray(mask)
    if given.dtype != np.bool_:
        raise TypeError(f"mask: got an array of {given.dtype}, wanted booleans: bool[G, Q, A]")
    return given


class _Averaging:
    """Base class of learners: keeps the mask of candidates, checks utilities and computes the average policy.

    Raises TypeError for a mask that is not boolean, ValueError unless it has a candidate for each power of each game.
    """

    def __init__(self, mask: Bools) -> None:
        self.mask = _booleans(mask)
        if self.mask.ndim != 3 or not self.mask.any(-1).all():
            raise ValueError(f"mask: got shape {self.mask.shape}, wanted bool[G, Q, A] with a candidate for each power")
        self.rounds = 0
        self._played = np.zeros(self.mask.shape)

    @property
    def policy(self) -> Floats64:
        """f8[G, Q, A]: policy of the next round, probabilities of the candidates. Subclasses define it."""
        raise NotImplementedError

    def _learn(self, policy: Floats64, utilities: Floats64) -> float:
        """Learns from the utilities of one round. Returns the weight of the round in the average policy. Subclasses
        define it.

        policy: f8[G, Q, A], played in the round. utilities: f8[G, Q, A], 0 for padding.
        """
        raise NotImplementedError

    def update(self, utilities: Floats64) -> None:
        """Learns from one round. utilities: f8[G, Q, A], of each candidate against the choices of the other powers.

        Raises ValueError for another shape, and for a candidate's utility that is not finite.
        """
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
    """Regret matching (Hart and Mas-Colell 2000): plays candidates in proportion to their positive regrets.

    mask: bool[G, Q, A], the candidates.
    kind: "plain"; "linear": round t has weight t in regrets and average (Brown and Sandholm 2019); "optimistic": the
        policy counts the last regret twice (Farina, Kroer and Sandholm 2021).
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
    """piKL-Hedge with types of players (DiL-piKL: Jacob et al. 2022, Bakhtin et al. 2023): Hedge regularized towards an
    anchor policy.

    A type with temperature L maximizes its mean utility minus L times the divergence from the anchor: after t rounds it
    plays in proportion to exp((sum of utilities + t L log anchor) / (1 / rate + t L)). Before the first round (t = 0)
    it plays the anchor if L > 0, and uniformly if L = 0. L = 0 gives Hedge; a large L gives the anchor. A power plays
    the mixture of its T types.

    mask: bool[G, Q, A], the candidates. log_anchor: f8[G, Q, A]; -inf excludes a candidate from types with L > 0.
    temperatures: a number of 0 or more, [T], or an array that broadcasts to [G, Q, T]. types: probability of each type,
        of the same shapes, summing to 1; None: uniform. rate: as for Hedge.
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
        # -inf is allowed: an anchor may have a probability of 0.
        _finite("log_anchor", np.where(self.mask & ~np.isneginf(anchor), anchor, 0), _CANDIDATE)
        shares = np.ones(given.shape[-1]) if types is None else np.asarray(types, np.float64)
        self.types = np.broadcast_to(shares, self.temperatures.shape)
        total = self.types.sum(-1)
        if types is None:
            self.types = self.types / total[..., None]
        elif not (self.types >= 0).all() or not np.isclose(total, 1, atol=1e-6).all():
            raise ValueError(f"types: got {types!r}, wanted probabilities of 0 or more that are 1 together")
        #: f8[G, Q, A]: log-probabilities of the anchor, -inf for padding. Types with a temperature above 0 never play a
        #: candidate with -inf.
        self.log_anchor = np.where(self.mask, anchor, -np.inf)
        self.rate = np.broadcast_to(np.asarray(rate, np.float64), (g, q))
        if not (np.isfinite(self.rate) & (self.rate > 0)).all():
            raise ValueError(f"rate: got {self.rate}, wanted finite numbers above 0")
        self.sums = np.zeros((g, q, a))

    @property
    def by_type(self) -> Floats64:
        """f8[G, Q, T, A]: policy of each type in the next round."""
        pull = self.rounds * self.temperatures[..., None]
        # A type of temperature 0 ignores the anchor. It is handled apart because 0 * -inf is NaN.
        free = np.where(self.mask, 0.0, -np.inf)[:, :, None]
        anchor = np.where(self.temperatures[..., None] > 0, self.log_anchor[:, :, None], free)
        toward = np.where(np.isneginf(anchor), -np.inf, pull * np.where(np.isneginf(anchor), 0, anchor))
        logits = (self.sums[:, :, None] + toward) / (1 / self.rate[..., None, None] + pull)
        # Before the first round a type plays the anchor, or uniformly at temperature 0.
        return _softmax(logits if self.rounds else anchor)

    @property
    def policy(self) -> Floats64:
        mixed: Floats64 = (self.types[..., None] * self.by_type).sum(2)
        return mixed

    def _learn(self, policy: Floats64, utilities: Floats64) -> float:
        self.sums += utilities
        return 1


class Hedge(PiKL):
    """Hedge, or multiplicative weights (Freund and Schapire 1997): plays candidates in proportion to exp(rate * sum of
    utilities). The same as piKL without an anchor.

    mask: bool[G, Q, A], the candidates. rate: learning rate, a number or an array that broadcasts to [G, Q].
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
    """Plays joint actions for one phase and returns the value of the positions after it to each power, f8[N, Q].

    games: int[N]. joint: actions int[N, Q, U], one joint action in each of these games.
    value: a name accepted by Children.values(), or a function of children. Called with at most max_children children at
        a time.
    seed: random seed of the opponents, who answer each joint action once. None: a new seed in each call.
    common: True gives all joint actions of a game the same random numbers. They differ from those of the next step()
        for any seed, so this gives no foresight. See Batch.expand().

    Raises ValueError for values of another shape or that are not finite.
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
    """Estimates the utility of each candidate against draws of the other powers from their policies.

    Returns the utilities, f8[G, Q, A], and the values of the drawn joint actions, f8[G, Q]: means over `samples` draws.

    policy: f8[G, Q, A]. mask: bool[G, Q, A], the candidates to estimate; None: all. Other utilities are 0.

    Opponents choose their orders again in each sample, the same orders against all candidates of a game.

    Raises ValueError for a mask of another shape, and for values that are not finite.
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
    """Result of a solver: policies and their values."""

    policy: Floats64
    """f8[G, Q, A]: average policy over all rounds."""
    values: Floats64
    """f8[G, Q]: mean value of the drawn joint actions to each power."""


def solve(
    batch: Batch,
    candidates: Candidates,
    learner: Learner,
    rounds: int,
    value: Value = "heuristic",
    seed: int = 0,
) -> Equilibrium:
    """Plays rounds of a learner against itself in all games of a batch, on sampled utilities.

    Each round plays up to Q A + 1 children per game. Overwrites the children of expand() and leaves the games
    unchanged. Powers that opponents play have one candidate, without orders; their agents choose again in each round.

    learner: a learner of the candidates' shape. rounds: number of rounds, 1 or more. seed: seed of all draws.

    Raises ValueError if the shapes of the learner and the candidates differ.
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

    start: Number of candidates of each power in the first equilibrium. Default 1.
    samples: Number of draws of the other powers' orders to evaluate each candidate of the pool. Default 8.
    tolerance: A candidate joins if it gains more than this, in the unit of the values. Default 0.001.
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
    """Sampled double oracle (McMahan, Gordon and Blum 2003): solves for few candidates and adds best responses.

    After each equilibrium, every candidate of the pool is evaluated against draws of the other powers. The best
    response of each power joins if it gains enough. Ends when no candidate joins.

    candidates: the pool. make: makes the learner of a mask bool[G, Q, A], for example lambda mask:
        RegretMatching(mask). steps: maximum number of equilibria, of `rounds` rounds each.
    options: keyword options of OracleOptions: start, samples, tolerance.

    Returns the last equilibrium, and a mask bool[G, Q, A] of the candidates in it.
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
    """Payoff matrices of a game in which at most two powers have more than one candidate, for exact utilities and best
    responses.

    game: index of the game. value: as for values_of().
    samples: number of draws of the opponents' orders, over which values are averaged; each draw is used for all joint
        actions. Without opponents one is exact. seed: seed of these draws.

    Raises ValueError if more than two powers have a choice.
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
        #: Indices of the two powers that choose; with fewer, the first others fill up.
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
        #: f8[2, A, B]: value to either power of candidate a of the first power against candidate b of the second.
        self.values: Floats64 = np.stack([found[:, q].reshape(first, second) for q in both])

    def _of(self, policy: Floats64) -> Tuple[Floats64, Floats64]:
        first, second = self.values.shape[1:]
        return policy[0, self.powers[0], :first], policy[0, self.powers[1], :second]

    def utilities(self, policy: Floats64) -> Floats64:
        """Returns the exact expected utility of each candidate of both powers against the other power's policy,
        f8[1, Q, A]; 0 for other powers. policy: f8[1, Q, A]."""
        first, second = self._of(policy)
        out = np.zeros(self._shape)
        out[0, self.powers[0], : len(first)] = self.values[0] @ second
        out[0, self.powers[1], : len(second)] = first @ self.values[1]
        return out

    def gains(self, policy: Floats64) -> Floats64:
        """Returns the gain of each power's exact best response over its policy, f8[2]; 0 at an equilibrium. policy:
        f8[1, Q, A]."""
        utilities = self.utilities(policy)
        found = []
        for q, own in zip(self.powers, self._of(policy)):
            mine = utilities[0, q, : len(own)]
            found.append(float(mine.max() - own @ mine))
        return np.array(found)

    def solve(self, learner: Learner, rounds: int) -> Floats64:
        """Trains a learner for `rounds` rounds on exact utilities. Returns the learner's average policy, f8[1, Q,
        A]."""
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
