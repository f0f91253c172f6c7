"""An arena in your own process: nets and bots in Python against each other and against agents of the engine.

    import lepanto.arena

    result = lepanto.arena.play([MyNet(), "dumbbot"], games=70, until=1910)
    print(result.text)                    # the table of `lepanto arena`
    result.standings[0]["score"]          # mean over games of its seats' mean score; "error", "interval"
    print(lepanto.arena.field(MyNet(), games=70, until=1904).text)            # against players that differ in kind
    print(lepanto.arena.gate(MyNet(), "dumbbot", until=1904).text)            # is it better?

In all tables "+-" is one standard error. Intervals are 95 % confidence intervals of the mean, by the t distribution.

Protocols, seeds and standings match `lepanto arena`: agents of the engine play the same games there and here.
From a shell: python -m lepanto.arena --agents "my_net.py:Mine,dumbbot" --games 70 --until 1910
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypedDict, Union

import numpy as np
import numpy.typing as npt

from ._checks import shaped, whole, whole_from
from ._config import Observations, cores
from ._options import completed
from ._server import LepantoError
from .arrays import ADJUSTMENT, NO_ORDER, PLAYING, SCORES, score_index
from .batch import Batch
from .bot import Bot, Past, Position, _by_power, answers_of, load, made_of, position_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT_YEARS = 10
FIELD_YEARS = 8


class Net:
    """Agent that gives orders in many games at once, from the arrays of the batch. Subclass it and write actions().

    class Mine(Net):
        def actions(self, batch, seats):
            legal = batch.legal(seats)
            logits = self.net(batch.observation)[legal.game[legal.index], legal.ids]
            return legal.actions(legal.sample(logits)[0])
    """

    name: str = ""
    """Name of the net in tables and records. Default: the name of the class."""
    observations: Optional[Observations] = "dipnet"
    """Kind of observations in the batch: "dipnet", "deepmind" or None. All nets of an arena must use the same kind."""
    max_children: int = 0
    """Maximum number of children that actions() makes in one call of `batch.expand()`. Set it for a net that searches
    with expand() or rollouts of joint actions. The batch has room for the largest number among the nets."""

    def actions(self, batch: Batch, seats: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
        """Returns actions int[G, Q, U], indices into the legal lists as for Batch.step().

        batch: the games of the arena. Read its arrays, and use expand(), rollouts(), search() and agent_actions().
            Calls that change the games, such as step() and reset(), raise LepantoError.
        seats: bool[G, Q], the powers that this net orders. Actions of other powers are ignored.

        An array of floats raises TypeError. To be reproducible, seed random numbers only from `batch.episode_seed`,
        which is the same whenever a game is repeated. expand(), rollouts(), search(), agent_actions() and
        random_actions() are reproducible if you pass `seed`; otherwise they depend on earlier calls. Use neither the
        row of a game nor the number of games: both depend on `at_once`.
        """
        raise NotImplementedError(
            f"{type(self).__name__}.actions(): got none, wanted a method that returns int[G, Q, U]"
        )


class Conditions(TypedDict, total=False):
    """Keyword options for the games of an arena.

    Results depend neither on workers nor on at_once, provided that nets follow the rules of Net.actions().

    until: Last year; None: ten years, eight for field() and gate(). Default None.
    scoring: Scoring system, one of lepanto.SCORES. Default "sum_of_squares".
    seed: The same seed gives the same games. Default 1.
    map: A map of the engine, as for lepanto.Batch. Default "standard".
    rules: Rules of the engine, as for lepanto.Batch. Default "datc-3.2".
    workers: Number of engine threads; None: one per core. Default None.
    at_once: Number of games played in parallel. Default 64.
    on_game: Called with a lepanto.arena.Game when each game ends. Default None.
    """

    until: Optional[int]
    scoring: str
    seed: int
    map: str
    rules: str
    workers: Optional[int]
    at_once: int
    on_game: Optional[Callable[[Game], None]]


DEFAULTS: Conditions = {
    "until": None,
    "scoring": "sum_of_squares",
    "seed": 1,
    "map": "standard",
    "rules": "datc-3.2",
    "workers": None,
    "at_once": 64,
    "on_game": None,
}

#: The name of an agent of the engine, or a bot or net in this process.
Agent = Union[str, Bot, Net]


@dataclass(frozen=True)
class Game:
    """Result of one game of an arena."""

    index: int
    """Number of the game in the arena, from 0. Determines the seed of the game."""
    seats: Sequence[int]
    """Index in the arena's list of agents of the agent that played each power, indexed by power."""
    centers: Sequence[int]
    """Number of supply centres at the end, indexed by power."""
    winner: int
    """Index of the power that won a solo; -1 for a draw."""
    years: int
    """Number of years that the game was played, the last one included."""


@dataclass(frozen=True)
class Result:
    """Result of an arena: its games, standings and table."""

    games: Sequence[Game]
    """Results of the games, in ascending order of their numbers."""
    record: Mapping[str, Any]
    """JSON object that `lepanto arena --json` prints: settings and standings."""
    text: str
    """Table as text, as `lepanto arena` prints it."""
    illegal: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Number of illegal orders, which did not count, by name of the bot. Bots without any are missing."""
    scores: Sequence[float] = ()
    """For each game, mean score of the seats of the first agent."""

    @property
    def standings(self) -> List[Dict[str, Any]]:
        """Standing of each agent, in the order in which the agents were given.

        Keys: agent, games, seats, score (mean over its games of the mean of its seats), error (one standard error of
        that mean), interval (its 95 % confidence interval, two numbers; None for one game), solos, most, survived,
        defeated, centers, and powers (the same by power, without the interval).

        All games have equal weight, however many seats the agent has in them. If its number of seats varies
        (round-robin, random-seats), the score is therefore not a mean of the scores by power, and can lie above or
        below all of them."""
        standings: List[Dict[str, Any]] = self.record["standings"]
        return standings


def name_of(agent: Agent) -> str:
    return agent if isinstance(agent, str) else agent.name or type(agent).__name__


def _check_agents(agents: Sequence[Agent]) -> List[Agent]:
    if isinstance(agents, str) or len(agents) < 2:
        raise ValueError(f"agents: got {agents!r}, wanted at least 2, in a list")
    for agent in agents:
        if not isinstance(agent, (str, Bot, Net)):
            raise TypeError(
                f"agents: got {agent!r}, wanted names of agents, or objects of lepanto.bot.Bot or lepanto.arena.Net"
            )
    return list(agents)


def _observations(agents: Sequence[Agent]) -> Optional[Observations]:
    wanted = {agent.observations for agent in agents if isinstance(agent, Net)} - {None}
    if len(wanted) > 1:
        raise ValueError(
            f"agents: got nets that want {' and '.join(sorted(map(str, wanted)))}, wanted one kind of observations"
        )
    return wanted.pop() if wanted else None


def play(
    agents: Sequence[Agent],
    *,
    protocol: str = "1v6",
    games: int = 70,
    record: Union[None, str, "os.PathLike[str]"] = None,
    **conditions: Unpack[Conditions],
) -> Result:
    """Plays agents against each other.

    agents: two or more. Each is the name of an agent of the engine as in `lepanto arena` ("dumbbot",
        "search:rollouts=200", "./my-agent.mjs", "exec:COMMAND"), which plays in the engine's threads; or an object of
        lepanto.bot.Bot or lepanto.arena.Net, which plays in this process and is called for many games at once.
    protocol: how agents are seated. "1v6": the first agent in one seat against six seats of each other agent; "6v1":
        the first in six seats against one; "round-robin": each in one seat against six of each other; "random-seats":
        at random; "mixed": the first in one seat, the others in turn in the remaining seats. Seats rotate from game to
        game.
    games: number of games. A multiple of the number of powers times the number of pairings balances the seats.
    record: an empty or new directory, in which the games are recorded as by Batch(record=...), with the names of the
        agents.
    conditions: keyword options of lepanto.arena.Conditions: until, scoring, seed, map, rules, workers, at_once,
        on_game.

    Raises ValueError or TypeError for invalid arguments, LepantoError for an unknown agent, map or rules.
    """
    return _play(_Table(_check_agents(agents), protocol, games, _conditions(conditions)), record)


def _conditions(given: Conditions, years: int = DEFAULT_YEARS) -> Dict[str, Any]:
    """Returns the given conditions, and the defaults of all others. `workers` and `until` become numbers.

    years: number of years to play if `until` is None. Raises TypeError for an unknown condition.
    """
    found = completed("arena", given, DEFAULTS)
    found["workers"] = len(cores()) if found["workers"] is None else found["workers"]
    if found["until"] is not None:
        found["until"] = whole("until", found["until"])
    elif found["map"] == "standard":
        found["until"] = 1900 + years
    else:
        with _probe(found) as probe:
            found["until"] = int(probe.year[0]) + years - 1
    return found


def _probe(conditions: Mapping[str, Any]) -> Batch:
    """Returns a batch of one game, to ask the engine about the map and rules of the conditions."""
    return Batch(1, conditions["map"], conditions["rules"], workers=1, observations=None, max_children=0)


def _play(table: _Table, record: Union[None, str, "os.PathLike[str]"] = None) -> Result:
    with _batch_of(table, record) as batch:
        table.is_recorded = record is not None
        begin = time.monotonic()
        return _sum_up(table, batch, table.play(batch), begin)


Interval = Optional[Tuple[float, float]]


@dataclass(frozen=True)
class FieldRow:
    """Result of an agent in one seat against six seats of another agent ("family")."""

    against: Optional[str]
    """Name of the other agent; None for the mixed table of all other agents."""
    standing: Mapping[str, Any]
    """Standing of the measured agent, as in Result.standings: score, error, interval, solos, ..."""


@dataclass(frozen=True)
class Field:
    """Result of field(): an agent against several different agents ("families")."""

    agent: str
    rows: Sequence[FieldRow]
    """One row for each family and one for the mixed table, lowest score first."""
    parity: float
    """Mean score of a seat if all agents were equally strong, for scores that sum to 1."""
    text: str
    """Table as text, as `lepanto arena --gauntlet` prints it."""


def field(
    agent: Agent,
    families: Optional[Sequence[Agent]] = None,
    *,
    games: int = 56,
    **conditions: Unpack[Conditions],
) -> Field:
    """Measures one agent against families of different players, as `lepanto arena --gauntlet` does.

    The agent plays in each seat in turn against six seats of each family, and at a mixed table of all families. Agents
    of the engine play the same games as in the command.

    families: agents to play against; None: the families of the command. games: number of games against each family,
        and at the mixed table. conditions: as for play().
    """
    begin, given = time.monotonic(), _conditions(conditions, FIELD_YEARS)
    with _probe(given) as probe:
        known: List[Agent] = probe._server.ask(op="arena families")
        met = known if families is None else list(families)
        seatings = [([agent, one], "1v6") for one in met] + ([([agent, *met], "mixed")] if len(met) > 1 else [])
        tables = [_Table(_check_agents(agents), protocol, games, given) for agents, protocol in seatings]
        found = tables[-1].ask(probe, "field", begin, games=[[*map(vars, _play(table).games)] for table in tables])
    rows = [FieldRow(row["family"], row["standing"]) for row in found["record"]["rows"]]
    return Field(name_of(agent), rows, found["record"]["parity"], found["text"])


@dataclass(frozen=True)
class Pairs:
    """Comparison of two agents over pairs of games with the same seeds and seats."""

    games: int
    """Number of pairs of games compared."""
    agent: float
    """Mean score of the first agent over the games; a game counts with the mean of the agent's seats."""
    against: float
    """Mean score of the second agent over the games; a game counts with the mean of the agent's seats."""
    gain: float
    """Mean difference of the scores: first agent minus second."""
    error: float
    """One standard error of the gain."""
    interval: Interval
    """95 % confidence interval of the gain."""
    chance: float
    """One-sided p-value: probability that equal agents would show a gain this high."""


@dataclass(frozen=True)
class Gate:
    """Result of gate(): whether an agent is better than another."""

    passed: bool
    reason: str
    looks: int
    """Number of times that the results were looked at, each time after more games."""
    pairs: Pairs
    """Comparison of the agents, each in one seat against six seats of the other. After several looks the interval is
    slightly too narrow, because looks stop at extremes."""
    anchors: Mapping[str, Pairs]
    """Comparisons of the agents in one seat against six seats of each anchor, keyed by the anchor's name. Has only
    anchors that were played."""
    text: str
    """Report as text, as `lepanto arena --gate` prints it."""


def gate(
    agent: Agent,
    against: Agent,
    anchors: Sequence[Agent] = (),
    *,
    games: int = 28,
    looks: int = 4,
    p: float = 0.05,
    **conditions: Unpack[Conditions],
) -> Gate:
    """Tests whether an agent is better than another, as `lepanto arena --gate` does. Stops as soon as that is clear.

    At each look, both agents play `games` more games in one seat against six seats of the other, with the same seeds
    and seats. The agent passes at the first look with a p-value below p / looks (t-test), provided that it then loses
    two standard errors or more against none of the anchors. An equal agent therefore passes with probability p at most.

    anchors: agents that it must not do worse against. games: number of games per look each way. looks: maximum number
        of looks. p: significance level. conditions: as for play().
    """
    begin, given = time.monotonic(), _conditions(conditions, FIELD_YEARS)
    sides = _check_agents([agent, against, *anchors])
    whole_table = _Table(sides, "1v6", games, given)

    def play_more(match: Sequence[int], span: Tuple[int, int]) -> Sequence[float]:
        return _play(_Table([sides[place] for place in match], "1v6", games * looks, given, span)).scores

    with _probe(given) as probe:
        found, _ = judge(lambda **asked: whole_table.ask(probe, "gate", begin, looks=looks, p=p, **asked), play_more)
    record = found["record"]
    met = {row.pop("anchor"): _pairs(row) for row in record["anchors"]}
    return Gate(record["passed"], record["reason"], record["looks"], _pairs(record["pairs"]), met, found["text"])


def _pairs(found: Mapping[str, Any]) -> Pairs:
    error = float("nan") if found["error"] is None else found["error"]
    return Pairs(**{**found, "error": error, "interval": found["interval"] and tuple(found["interval"])})


#: Scores of the single seat, game by game, by match: "0,1" is one seat of the first agent against six of the second.
Scores = Dict[str, List[float]]


def judge(
    ask: Callable[..., Mapping[str, Any]], play_more: Callable[[Sequence[int], Tuple[int, int]], Sequence[float]]
) -> Tuple[Mapping[str, Any], Scores]:
    """Plays the games that a gate asks for until it is decided. Returns the engine's last answer, and the scores of all
    games.

    ask: sends the scores so far (`scores`) and the number of games (`played`) to the engine; the answer has the games
        that are `needed`. play_more: returns the scores of a match, a pair of indices of agents, in games first to end
        - 1.
    """
    scores: Scores = {}
    while True:
        found = ask(scores=scores, played=sum(map(len, scores.values())))
        if not found["needed"]:
            return found, scores
        for needed in found["needed"]:
            known = scores.setdefault(",".join(map(str, needed["match"])), [])
            known += play_more(needed["match"], (len(known), needed["games"]))


def _batch_of(table: _Table, record: Union[None, str, "os.PathLike[str]"] = None) -> Batch:
    conditions = table.conditions
    return Batch(
        table.rows,
        conditions["map"],
        conditions["rules"],
        workers=conditions["workers"],
        seed=table.spec["seed"],
        observations=_observations(table.agents),
        reset_mode="disabled",
        until=table.spec["until"],
        results=table.tells_history,
        max_children=max((agent.max_children for agent in table.agents if isinstance(agent, Net)), default=0),
        record=record,
    )


def _sum_up(table: _Table, batch: Batch, games: Sequence[Game], begin: float) -> Result:
    """Returns the result of an arena. games: all games, in ascending order. begin: start of the arena, by
    time.monotonic()."""
    found = table.ask(batch, "standings", begin, games=[*map(vars, games)])
    return Result(games, found["record"], found["text"], dict(table.illegal), found["scores"])


class _Table:
    """Games of an arena that are played in parallel. A row of the batch starts the next game when its own is over.

    span: numbers of the games to play, first and end (not included); None: all.
    """

    def __init__(
        self,
        agents: List[Agent],
        protocol: str,
        games: int,
        conditions: Mapping[str, Any],
        span: Optional[Tuple[int, int]] = None,
    ) -> None:
        self.agents = agents
        self.names = [name_of(agent) for agent in agents]
        count = whole("games", games)
        #: `next`: number of the next game to start. `end`: number after the last game to play.
        self.next, self.end = (0, count) if span is None else span
        self.conditions = conditions
        self.rows = min(self.end - self.next, whole_from("at_once", conditions["at_once"], 1, 1 << 20))
        self.spec: Dict[str, Any] = {
            "agents": self.names,
            "protocol": protocol,
            "scoring": SCORES[score_index(conditions["scoring"])],
            "games": count,
            "seed": whole("seed", conditions["seed"]),
            "until": conditions["until"],
        }
        self.on_game: Optional[Callable[[Game], None]] = conditions["on_game"]
        self.tells_history = any("history" in agent.wants for agent in agents if isinstance(agent, Bot))
        self.is_recorded = False
        self.played: Dict[int, Game] = {}
        self.illegal: Counter[str] = Counter()
        #: int64[rows]: number of the game in each row; -1 after the last game.
        self.index = np.full(self.rows, -1)
        #: Phases that each row's game has played, for bots that want "history".
        self.past: List[List[Past]] = [[] for _ in range(self.rows)]

    # ---- games ----

    def play(self, batch: Batch) -> List[Game]:
        """Plays all games of the span in a batch. Returns them in ascending order of their numbers."""
        self.batch = batch
        #: int64[rows, Q]: index of the agent of each power.
        self.seats = np.zeros((self.rows, len(batch.powers)), np.int64)
        for agent in {id(agent): agent for agent in self.agents if isinstance(agent, Bot)}.values():
            agent.start(batch.map, batch.rules)
        self.take(np.arange(self.rows))
        while (self.index >= 0).any():
            actions = self.orders()
            year = batch.year.copy()
            told = self.before()
            batch.step(actions)
            self.remember(told)
            over = np.flatnonzero((self.index >= 0) & (batch.status != PLAYING))
            for row in over:
                self.finish(int(row), int(year[row]))
            self.take(over)
        return [self.played[index] for index in sorted(self.played)]

    def ask(self, batch: Batch, what: str, begin: Optional[float] = None, **request: Any) -> Any:
        """Sends a request about this arena to an engine and returns its answer. begin: start of the arena by
        time.monotonic(), only for reports."""
        told = {} if begin is None else {"seconds": time.monotonic() - begin, "workers": self.conditions["workers"]}
        return batch._server.ask(op=f"arena {what}", spec=self.spec, **told, **request)

    def take(self, rows: npt.NDArray[np.int64]) -> None:
        """Starts the next games in these rows of the batch. Rows for which no game is left stay empty."""
        self.index[rows] = -1
        free = rows[: self.end - self.next]
        if len(free) == 0:
            return
        batch = self.batch
        plan = self.ask(self.batch, "plan", first=self.next, end=self.next + len(free))
        self.index[free] = np.arange(self.next, self.next + len(free))
        self.next += len(free)
        self.seats[free] = plan["seats"]
        opponents = [
            {power: agent for power, place in zip(batch.powers, seats) if isinstance(agent := self.agents[place], str)}
            for seats in plan["seats"]
        ]
        if self.is_recorded:
            names = [dict(zip(batch.powers, (self.names[place] for place in seats))) for seats in plan["seats"]]
            batch.set_record_names(names, free)
        with batch._lock:
            # Calls _seat(), not set_opponents(), because reset() describes the games anyway.
            batch._seat(free, opponents)
            seeds, mask = batch.episode_seed.copy(), np.zeros(len(batch), bool)
            seeds[free], mask[free] = plan["seeds"], True
            batch.reset(seeds, mask)

    def finish(self, row: int, year: int) -> None:
        batch, index = self.batch, int(self.index[row])
        start: int = batch._info["map"]["start_year"]
        centers = batch.center_counts[row].tolist()
        game = Game(index, self.seats[row].tolist(), centers, int(batch.winner[row]), year - start + 1)
        self.played[index] = game
        self.past[row] = []
        for agent in {id(self.agents[place]): self.agents[place] for place in game.seats}.values():
            if isinstance(agent, Bot):
                agent.end(str(index))
        if self.on_game is not None:
            self.on_game(game)

    # ---- orders ----

    def orders(self) -> npt.NDArray[Any]:
        """Asks all bots and nets for orders. Returns their actions, int64[rows, Q, U]; NO_ORDER for other powers."""
        batch = self.batch
        actions = np.full((self.rows, len(batch.powers), batch.max_orders), NO_ORDER, np.int64)
        due = (batch.order_counts > 0) & (self.index >= 0)[:, None]
        for place, agent in enumerate(self.agents):
            own = due & (self.seats == place)
            if isinstance(agent, str) or not own.any():
                continue
            if isinstance(agent, Bot):
                self.ask_bot(agent, self.names[place], own, actions)
                continue
            batch._reader = self.names[place]
            try:
                chosen = agent.actions(batch, own)
            finally:
                batch._reader = None
            given = shaped(f"{self.names[place]}: actions", chosen, actions.shape)
            actions[own] = given[own]
        return actions

    def ask_bot(self, bot: Bot, name: str, own: npt.NDArray[np.bool_], actions: npt.NDArray[Any]) -> None:
        batch = self.batch
        asked = [(int(row), np.flatnonzero(own[row]).tolist()) for row in np.flatnonzero(own.any(1))]
        answers = self.ask(self.batch, "requests", asked=asked, legal="legal" in bot.wants)
        wanted: List[Tuple[int, Position]] = []
        for (row, _), answer in zip(asked, answers):
            past = list(self.past[row]) if "history" in bot.wants else []
            for one in answer["own"]:
                wanted.append((row, position_of({**answer, **one, "game": self.index[row]}, past)))
        given: List[Dict[str, Any]] = []
        for first in range(0, len(wanted), max(1, bot.batch)):
            some = wanted[first : first + max(1, bot.batch)]
            orders = answers_of(name, bot.orders, [position for _, position in some])
            for (row, position), answer in zip(some, orders):
                power = position.powers[0]
                given.append({"game": row, "power": power, "orders": _by_power(position, answer).get(power, [])})
        for one, read in zip(given, self.ask(self.batch, "orders", given=given)):
            self.place(one["game"], batch.powers.index(one["power"]), read, name, actions)

    def place(self, row: int, q: int, read: Sequence[Mapping[str, Any]], name: str, actions: npt.NDArray[Any]) -> None:
        """Writes the orders of a bot into `actions`, in the slots of their units, and counts illegal orders.

        row, q: index of the game and of the power. read: the orders as the engine has read them, with `id` if they are
            legal. name: of the bot, for the count.
        """
        batch = self.batch
        offsets = batch.legal_offsets[row, q * batch.max_orders :]
        free = 0
        for order in read:
            if "id" not in order:
                self.illegal[name] += 1
                continue
            if batch.phase[row] == ADJUSTMENT:
                slot, free = free, free + 1
            else:
                slot = int(np.flatnonzero(batch.orderable[row, q] == batch.vocabulary.location[order["id"]])[0])
            actions[row, q, slot] = np.flatnonzero(batch.legal_ids[offsets[slot] : offsets[slot + 1]] == order["id"])[0]

    # ---- history ----

    def before(self) -> Optional[npt.NDArray[np.uint8]]:
        return self.batch.state.copy() if self.tells_history else None

    def remember(self, states: Optional[npt.NDArray[np.uint8]]) -> None:
        """Adds the phase just played to the past of each game, for bots that want "history".

        states: positions before the phase, u1[rows, bytes]; None: does nothing.
        """
        if states is None:
            return
        batch = self.batch
        rows = np.flatnonzero(self.index >= 0)
        phases = []
        for row in rows:
            used = batch.last_orders[row] != NO_ORDER
            results = batch.last_results[row][used] | batch.last_fates[row][used] << 4
            orders = batch.last_orders[row][used]
            phases.append({"state": states[row].tolist(), "orders": orders.tolist(), "results": results.tolist()})
        for row, one in zip(rows, self.ask(self.batch, "past", phases=phases)):
            self.past[row].append(made_of(Past, one))


# ---- the command ----


def _agent(text: str) -> Agent:
    """Returns the agent that an argument of the command names: an object of a class for FILE.py:CLASS:KEY=VALUE... and
    python:MODULE:CLASS, the text itself for an agent of the engine.

    Raises SystemExit if the class cannot be found.
    """
    is_python = text.startswith("python:")
    parts = (text[len("python:") :] if is_python else text).split(":")
    if not is_python and not parts[0].endswith(".py"):
        return text
    options = dict(part.split("=", 1) for part in parts if "=" in part)
    made: Any = load(":".join(part for part in parts if "=" not in part), (Bot, Net))
    agent: Agent = made(**options)
    return agent


def main(args: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lepanto.arena",
        description="Plays nets and bots in Python against each other and against agents of the engine.",
        epilog="Protocols, seeds and standings are those of `lepanto arena`; `lepanto agents` lists the agents of "
        "the engine.",
    )
    parser.add_argument(
        "--agents",
        required=True,
        help="two or more, separated by commas: agents of the engine, FILE.py:CLASS:KEY=VALUE of lepanto.bot.Bot or "
        "lepanto.arena.Net, python:MODULE:CLASS",
    )
    parser.add_argument("--protocol", default="1v6", help="seating, see lepanto arena --help (default: 1v6)")
    parser.add_argument("--games", type=int, default=70, help="number of games (default: 70)")
    parser.add_argument("--until", type=int, help="last year (default: ten years)")
    parser.add_argument(
        "--scoring", default="sum_of_squares", help=f"score of a seat: {', '.join(SCORES)} (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed (default: 1)")
    parser.add_argument("--workers", type=int, help="worker threads of the engine (default: one for each processor)")
    parser.add_argument("--at-once", type=int, default=64, help="number of games at once (default: 64)")
    parser.add_argument("--record", metavar="DIR", help="directory of the records, empty or new")
    parser.add_argument("--map", default="standard", help="map (default: standard)")
    parser.add_argument("--rules", default="datc-3.2", help="rules (default: datc-3.2)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    given = vars(parser.parse_args(args))
    agents, as_json, quiet = given.pop("agents"), given.pop("json"), given.pop("quiet")
    try:
        made = [_agent(text.strip()) for text in agents.split(",")]
        result = play(made, on_game=None if quiet else _Progress(given["games"]), **given)
    except (LepantoError, ValueError, TypeError) as error:
        raise SystemExit(f"lepanto.arena: {error}") from None
    for name, count in result.illegal.items():
        print(f"{name}: {count} orders were illegal and did not count", file=sys.stderr)
    print(json.dumps(result.record) if as_json else result.text, end="\n" if as_json else "")


class _Progress:
    def __init__(self, games: int) -> None:
        self.games, self.played, self.said = games, 0, time.monotonic()

    def __call__(self, _: Game) -> None:
        self.played += 1
        if time.monotonic() - self.said >= 2:
            self.said = time.monotonic()
            print(f"{self.played} of {self.games} games", file=sys.stderr)


if __name__ == "__main__":
    # User files subclass the classes of lepanto.arena. The classes of __main__ are others, so runs the module instead.
    from lepanto import arena as this

    this.main()
