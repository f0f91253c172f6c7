"""Diplomacy task for inspect_ai. A sample is a position or a whole game in which the model plays one power.

import inspect_ai
from lepanto.llm.inspect_task import diplomacy
(log,) = inspect_ai.eval(diplomacy(powers=["FRANCE"], until=1903), model="openai/NAME")
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, mean, scorer, stderr
from inspect_ai.solver import solver

from .._checks import whole_from
from ..diplomacy.engine.game import Game
from .answer import Answer, parse_anything
from .context import context, is_over, power_of
from .training import resume, rewards

SCORES = ("legal", "orders", "centres", "game")


class _Seat:
    """The model's seat in one game. The game ends after the year `until`, with a solo, or after `turns` answers of the
    model. Parameters as for diplomacy()."""

    def __init__(
        self,
        saved: Optional[Mapping[str, Any]],
        power: str,
        until: int = 1908,
        turns: int = 1_000_000,
        others: Optional[Callable[[Game, str], Sequence[str]]] = None,
        phases: Optional[int] = 2,
        answer: str = "orders",
        score: str = "sum_of_squares",
    ) -> None:
        self.until, self.turns = whole_from("until", until, 0, 9999), whole_from("turns", turns, 1, 1_000_000)
        self.game = Game() if saved is None else resume(saved)
        self.power, self.others, self.phases = power_of(self.game, power), others, phases
        self.form, self.score = answer, score
        self.start = len(self.game.get_centers(self.power))
        self.answers: List[Answer] = []
        self.worth: List[float] = []
        self._pass()

    @property
    def done(self) -> bool:
        return len(self.answers) >= self.turns or is_over(self.game, self.until)

    def chat(self) -> List[Any]:
        seen = context(self.game, self.power, self.phases, answer=self.form)
        return [ChatMessageSystem(content=seen.static), ChatMessageUser(content=seen.dynamic)]

    def play(self, text: str) -> None:
        """Plays the phase with the orders of the model's answer, then phases in which its power has no orders due. An
        unreadable answer has no orders."""
        found, _ = parse_anything(text, self.game, self.power)
        self.game.set_orders(self.power, found.orders)
        self._process()
        self.answers.append(found)
        self.worth += [value for _, value in rewards(self.game, self.power, score=self.score).orders]
        self._pass()

    def _pass(self) -> None:
        """Plays phases until the model's power has orders due or the game is over."""
        while not self.done and not self.game.get_orderable_locations(self.power):
            self._process()

    def _process(self) -> None:
        if self.others is not None:
            for power, places in self.game.get_orderable_locations().items():
                if places and power != self.power:
                    self.game.set_orders(power, self.others(self.game, power))
        self.game.process()

    def scores(self) -> Dict[str, float]:
        counts = [answer.counts for answer in self.answers]
        return {
            "legal": sum(one["legal"] for one in counts) / (sum(sum(one.values()) for one in counts) or 1),
            "orders": sum(self.worth) / (len(self.worth) or 1),
            "centres": float(len(self.game.get_centers(self.power)) - self.start),
            "game": self.game.get_scores(self.score)[list(self.game.powers).index(self.power)],
        }


@solver  # type: ignore[untyped-decorator, misc, unused-ignore]
def orders(**options: Any) -> Any:
    """Solver that asks the model for the orders of its power in each phase. A request has the current position alone,
    without earlier messages. options: as for diplomacy()."""

    async def solve(state: Any, generate: Any) -> Any:
        seat = _Seat(state.metadata["game"], state.metadata["power"], **options)
        # Save scores after each phase, because a limit of inspect_ai may end the sample before the game.
        state.store.set("scores", seat.scores())
        while not seat.done and not state.completed:
            state.messages = seat.chat()
            state = await generate(state)
            seat.play(state.output.completion)
            state.store.set("scores", seat.scores())
        return state

    return solve


@scorer(metrics={name: [mean(), stderr()] for name in SCORES})  # type: ignore[untyped-decorator, misc, unused-ignore]
def scores() -> Any:
    """Scorer that returns the scores of a sample: "legal" (share of legal orders), "orders" (mean reward of an order),
    "centres" (centres gained) and "game" (score of the power at the end)."""

    async def score(state: Any, target: Any) -> Any:
        return Score(value=state.store.get("scores"), metadata={"power": state.metadata["power"]})

    return score


@task  # type: ignore[untyped-decorator, misc, unused-ignore]
def diplomacy(
    games: Sequence[Optional[Mapping[str, Any]]] = (None,), powers: Optional[Sequence[str]] = None, **options: Any
) -> Any:
    """Task with a sample for each power of each game.

    games: saved games, which continue from their end; None in the list: a new game.
    powers: powers of the model; None: all.
    options: `until`, the last year that is played (default: 1908). `turns`, the largest number of answers in a sample;
        1 asks about a position alone. `others`, a function of a game and a power that returns the orders of another
        power; without it their units hold. `phases` and `answer` are as for context(), `score` as for rewards().

    Raises ValueError or TypeError for invalid arguments.
    """
    samples = []
    for number, saved in enumerate(games):
        for power in powers or (Game() if saved is None else resume(saved)).powers:
            seat = _Seat(saved, power, **options)
            name = f"{number} {seat.power}"
            samples.append(Sample(input=seat.chat(), id=name, metadata={"game": saved, "power": seat.power}))
    return Task(dataset=MemoryDataset(samples), solver=orders(**options), scorer=scores())
