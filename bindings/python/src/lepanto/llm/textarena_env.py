"""Diplomacy for TextArena. Importing this module registers `Lepanto-Diplomacy-v0`, a game of seven players. The players
answer in turn, and their orders are adjudicated together.

    import lepanto.llm.textarena_env, textarena
    env = textarena.make("Lepanto-Diplomacy-v0", until=1903)
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import textarena as ta
from textarena.envs.registration import ENV_REGISTRY, register

from ..diplomacy.engine.game import Game
from .answer import parse_anything
from .context import context, is_over

NAME = "Lepanto-Diplomacy-v0"


class DiplomacyEnv(ta.Env):  # type: ignore[misc, unused-ignore]
    """A game to the end of the year `until` or to a solo. Players are the powers in alphabetical order.

    A player's observation is its context, with `phases` played phases and the answer form `answer`. Players without
    orders due are skipped. A unit without a legal order holds; no answer ends the game early. Rewards are the final
    scores in the scoring system `score`. The info of a step has the counts of the answer's orders.
    """

    def __init__(
        self, until: int = 1908, score: str = "sum_of_squares", phases: int = 2, answer: str = "orders"
    ) -> None:
        self.until, self.score, self.phases, self.answer = until, score, phases, answer

    def reset(self, num_players: int, seed: Optional[int] = None) -> None:
        self.game = Game()
        self.powers = list(self.game.powers)
        if num_players != len(self.powers):
            raise ValueError(f"num_players: got {num_players!r}, wanted {len(self.powers)}")
        self.state = ta.FFAMultiPlayerState(num_players=num_players, seed=seed)
        self.state.reset(
            player_prompt_function=lambda player_id, game_state: self._context(player_id).static,
            role_mapping=dict(enumerate(self.powers)),
        )
        self._open: List[int] = []
        self._next()

    def _context(self, player: int) -> Any:
        return context(self.game, self.powers[player], self.phases, answer=self.answer)

    def _next(self) -> None:
        """Sends the position to the next player with orders due. First plays phases in which no power has orders due,
        and ends the game after its last year."""
        while not self._open and not self.state.done:
            places = self.game.get_orderable_locations()
            self._open = [i for i, power in enumerate(self.powers) if places[power]]
            if is_over(self.game, self.until):
                self.state.done = True
                self.state.rewards = dict(enumerate(self.game.get_scores(self.score)))
                return
            if not self._open:
                self.game.process()
        player = self.state.current_player_id = self._open[0]
        self.state.add_observation(
            to_id=player, message=self._context(player).dynamic, observation_type=ta.ObservationType.GAME_BOARD
        )

    def step(self, action: str) -> Tuple[bool, Dict[str, Any]]:
        player = self._open.pop(0)
        # An answer that is too long or not text counts as empty.
        found, _ = parse_anything(action, self.game, self.powers[player])
        self.game.set_orders(self.powers[player], found.orders)
        self.state.step_info = {"phase": self.game.get_current_phase(), "power": self.powers[player], **found.counts}
        # TextArena records the step for the current player, so the player changes after it.
        done, info = self.state.step(rotate_player=False)
        if not self._open:
            self.game.process()
        self._next()
        return bool(self.state.done), dict(info)


class Prompt(ta.ObservationWrapper):  # type: ignore[misc, unused-ignore]
    """TextArena wrapper whose observation is the player's whole context as one text, without earlier positions."""

    def observation(self, player_id: int, observation: Any) -> str:
        return str(self.env._context(player_id).text)


if NAME not in ENV_REGISTRY:
    register(NAME, DiplomacyEnv, [Prompt])
