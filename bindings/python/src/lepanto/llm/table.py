"""Whole games of language models, with a record that has what they took."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Union

from .._checks import whole_from
from .._files import write_whole
from ..diplomacy.engine.game import Game
from .context import board_of, context, is_over
from .endpoint import Reply, usage_of
from .player import Choice, LanguageModel, Request, judge, take
from .training import resume

#: What a reply has that took nothing.
_NOTHING: Mapping[str, float] = usage_of(Reply("", 0, 0, 0, 0.0, 0.0, 0))
#: Models by power; a power without one orders nothing.
Players = Union[LanguageModel, Mapping[str, LanguageModel]]


class Played:
    """A game that was played, and what its players took."""

    def __init__(self, game: Game, usage: Dict[str, Dict[str, Dict[str, Any]]]) -> None:
        self.game = game
        #: By phase and power: model, tokens, seconds, cost, tries, and counts of orders.
        self.usage = usage
        #: Replies of the phase under way, by power: model, and the fields of a Reply.
        self.replies: Dict[str, Dict[str, Any]] = {}

    def record(self) -> Dict[str, Any]:
        """The game as `diplomacy` saves one, with `usage`, and `replies` of a phase that was interrupted."""
        replies = {"replies": {"phase": self.game.get_current_phase(), "powers": self.replies}} if self.replies else {}
        return {**self.game.to_saved_game_format(), "usage": self.usage, **replies}

    def total(self) -> Dict[str, Dict[str, float]]:
        """By model, the sums of what it took: choices, unanswered (choices without a reply), tokens_in, tokens_out,
        tokens_cached, seconds, cost in USD, tries (also those that failed), and counts of orders. A model that was
        asked nothing is missing."""
        found: Dict[str, Dict[str, float]] = {}
        for powers in self.usage.values():
            for one in powers.values():
                sums = found.setdefault(one["model"], {"choices": 0, "unanswered": 0, **_NOTHING})
                sums["choices"] += 1
                sums["unanswered"] += "tokens_in" not in one
                for name, value in one.items():
                    if isinstance(value, (int, float)):
                        sums[name] = sums.get(name, 0) + value
        return found


def play(
    players: Players,
    until: int = 1908,
    game: Optional[Game] = None,
    record: Union[None, str, "os.PathLike[str]"] = None,
    seed: int = 0,
    on_phase: Optional[Callable[[Game, List[Choice]], None]] = None,
) -> Played:
    """Plays a game to the end of a year, or to a solo: in each phase all powers with orders due are asked at once.

    players: one model for all powers, or models by power. game: from where to go on; None: from the beginning.
    record: a file of JSON, written whole after each reply and phase; if it exists, the game in it goes on, and replies
        that came before an interruption are not asked for again. The first Ctrl-C waits for requests under way; a
        second one does not.
    on_phase: called after each phase with the game and the choices that were made in it.

    If no answer comes in all tries, the units of the power hold. A model that gave no answer at all is warned of once,
    after the first phase; Played.total() counts them as `unanswered`.

    Raises ValueError for no such power, and Refused where a server does not take the key, the model or the request.
    """
    whole_from("until", until, 0, 9999)
    path = None if record is None else Path(record)
    played = Played(game or Game(), {})
    if path is not None and path.exists():
        try:
            known = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise ValueError(
                f"record: got {path}, which is no whole JSON ({error}), wanted a record or a new name"
            ) from None
        if not isinstance(known, dict) or "usage" not in known or "phases" not in known:
            raise ValueError(f"record: got {path}, which is no record of a table, wanted one or a new name")
        played = Played(resume(known, None, game._engine if game else None), known["usage"])
        replies = known.get("replies", {})
        played.replies = replies["powers"] if replies.get("phase") == played.game.get_current_phase() else {}
    game = played.game
    by_power = players if isinstance(players, Mapping) else dict.fromkeys(game.powers, players)
    for power in by_power:
        if power not in game.powers:
            raise ValueError(f"players: got {power!r}, wanted powers of {', '.join(game.powers)}")

    def write() -> None:
        if path is not None:
            write_whole(path, json.dumps(played.record()))

    for power, player in by_power.items():
        if not isinstance(player, LanguageModel):
            raise TypeError(f"players: got {player!r} for {power}, wanted a lepanto.llm.LanguageModel")
    warned: Set[str] = set()
    while not is_over(game, until):
        choices = _choices(played, by_power, seed, write)
        played.usage[game.get_current_phase()] = {
            one.power: {"model": by_power[one.power].endpoint.model, **one.usage} for one in choices
        }
        played.replies = {}
        _warn_of_outages(played, choices, warned)
        for one in choices:
            game.set_orders(one.power, one.answer.orders)
        game.process()
        write()
        if on_phase is not None:
            on_phase(game, choices)
    return played


def _warn_of_outages(played: Played, choices: List[Choice], warned: Set[str]) -> None:
    """Warns of models that gave no answer to any choice so far. Each model is warned of once."""
    phase = played.game.get_current_phase()
    reasons = {played.usage[phase][one.power]["model"]: one.error for one in choices if one.reply is None}
    for model in reasons.keys() - warned:
        sums = played.total()[model]
        if sums["unanswered"] == sums["choices"]:
            warned.add(model)
            text = f"{model}: no answer to any of its {sums['choices']} choices, its units hold: {reasons[model]}"
            warnings.warn(text, stacklevel=3)


def _choices(
    played: Played, players: Mapping[str, LanguageModel], seed: int, write: Callable[[], None]
) -> List[Choice]:
    """The choices of all powers that have something to order, asked for together; those that were kept are not asked
    for."""
    game, legal = played.game, board_of(played.game).legal
    choices: Dict[str, Choice] = {}
    requests: List[Request] = []

    def keep(choice: Choice) -> None:
        choices[choice.power] = choice
        if choice.reply is not None:
            played.replies[choice.power] = {"model": players[choice.power].endpoint.model, **asdict(choice.reply)}
            write()

    for power, player in players.items():
        if not legal[power]:
            continue
        seen = context(game, power, player.phases, answer=player.answer)
        kept = dict(played.replies.get(power, {}))
        if kept.pop("model", None) == player.endpoint.model:
            choices[power] = judge(game, power, seen, Reply(**kept), None)
        else:
            requests += player.begin([(game, power, seen)], seed)
    take(requests, keep)
    return [choices[power] for power in players if power in choices]
