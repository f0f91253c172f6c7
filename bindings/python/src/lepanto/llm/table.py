"""Whole games of language models, with records of tokens, seconds and cost."""

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

#: Usage of a reply without tokens, seconds and cost: all numbers 0.
_NOTHING: Mapping[str, float] = usage_of(Reply("", 0, 0, 0, 0.0, 0.0, 0))
#: One model for all powers, or models by power. A power without a model gives no orders.
Players = Union[LanguageModel, Mapping[str, LanguageModel]]


class Played:
    """A game of language models, with the usage (tokens, time and cost) of its players."""

    def __init__(self, game: Game, usage: Dict[str, Dict[str, Dict[str, Any]]]) -> None:
        self.game = game
        #: Model, tokens, seconds, cost in USD, tries and counts of orders, keyed by phase and power.
        self.usage = usage
        #: Replies of the current phase, keyed by power: the model and the fields of a Reply.
        self.replies: Dict[str, Dict[str, Any]] = {}

    def record(self) -> Dict[str, Any]:
        """Returns the game in the saved format of the package `diplomacy`, with `usage`. Has `replies` too if the
        current phase was interrupted."""
        replies = {"replies": {"phase": self.game.get_current_phase(), "powers": self.replies}} if self.replies else {}
        return {**self.game.to_saved_game_format(), "usage": self.usage, **replies}

    def total(self) -> Dict[str, Dict[str, float]]:
        """Returns sums over the game, by model: choices, unanswered (choices without a reply), tokens_in, tokens_out,
        tokens_cached, seconds, cost in USD, tries (failed ones too), and counts of orders. A model without requests is
        left out."""
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
    """Plays a game to the end of the year `until` or to a solo. Sends the requests of all powers of a phase at once.

    players: one model for all powers, or models by power. game: game to continue; None: a new game.
    record: JSON file, written atomically after each reply and phase. If it exists, its game is continued, and replies
        in it are not requested again. The first Ctrl-C waits for open requests; a second one does not.
    seed: seed of the requests.
    on_phase: called after each phase with the game and the choices of that phase.

    If all tries fail, the units of the power hold. Warns once of each model that has answered none of its requests at
    the end of a phase; Played.total() counts failed choices as `unanswered`.

    Raises ValueError for an unknown power, and Refused if a server refuses the key, the model or the request.
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
    """Warns of models that have answered none of their choices so far, once for each model.

    choices: those of the current phase. warned: names of models that were warned of before; new ones are added.
    """
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
    """Returns the choices of all powers with orders due. Sends their requests together, except where the record already
    has a reply.

    played: the game and its record. players: models, keyed by power. seed: of the requests. write: saves the record
        after each reply.
    """
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
