"""Keyword options of a batch and their defaults."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, TypedDict, Union

from ._config import Actions, ResetMode
from .arrays import Score


class BatchOptions(TypedDict, total=False):
    """Keyword options of a Batch.

    workers: Number of engine threads; None: one per core. Results do not depend on it. Default None.
    reset_mode: Gymnasium's autoreset modes: "same_step" (an ended game begins again at once; its end is in the `final_`
        arrays), "next_step" (it begins again in the next step, which ignores its actions), "disabled" (call reset()
        yourself). Default "same_step".
    max_steps: Number of movement phases after which an episode is cut off before the next one: `truncated`, without a
        reward; 0: no limit. Default 0.
    actions: "index" for indices into the legal lists, or "vocabulary" for vocabulary ids. Default "index".
    lists: False writes no legal lists (faster); needs actions="vocabulary". Default True.
    score: Scoring system of `rewards` and `returns`, one of SCORES. rewards_by() and returns_by() give the others.
        Default "sum_of_squares".
    results: True writes the orders of all units in the last step and their results, opponents included: `last_orders`,
        `last_results`, `last_fates`. Default False.
    masks: True writes `legal_mask`, the legal orders of each game as a mask over the vocabulary: 15,776 bytes a game on
        the standard map. With actions="vocabulary" and lists=False it replaces the lists. Default False.
    choice_ms: Time limit of one choice by an opponent in a module of yours, in milliseconds; 0: no limit. Beyond it the
        step raises LepantoError. Default 60000.
    max_children: Maximum number of children of one expand() call, or of all calls of a tree together. Default 256.
    record: An empty or new directory, in which every finished game is recorded in the format of `lepanto selfplay`: for
        `lepanto stats`, `replay --verify`, `convert`, and lepanto.dataset. Games are numbered in the order in which
        they end. A shard has 256 games; the last shard is rewritten after every 32 games, by write_record() and at the
        end. Each game names the player of each power. Games that load(), clone() or set_position() has put into a slot
        are not recorded, and random_step() is refused. Default None.
    record_as: Your name in the record: one name, or names by power, {"FRANCE": "net-7"}. Default "client".
    """

    workers: Optional[int]
    reset_mode: ResetMode
    max_steps: int
    actions: Actions
    lists: bool
    score: Score
    results: bool
    masks: bool
    choice_ms: int
    max_children: int
    record: Union[None, str, "os.PathLike[str]"]
    record_as: Union[str, Mapping[str, str]]


#: Default of each option of a batch, keyed by name.
DEFAULTS: BatchOptions = {
    "workers": None,
    "reset_mode": "same_step",
    "max_steps": 0,
    "actions": "index",
    "lists": True,
    "score": "sum_of_squares",
    "results": False,
    "masks": False,
    "choice_ms": 60_000,
    "max_children": 256,
    "record": None,
    "record_as": "client",
}


def completed(owner: str, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the given options, and the defaults of all others. Raises TypeError for an option without a default.

    owner: name of the class or function, for errors.
    """
    unknown = [name for name in options if name not in defaults]
    if unknown:
        raise TypeError(f"{owner}: got option {unknown[0]!r}, wanted one of {', '.join(defaults)}")
    return {**defaults, **options}


def arguments_of(options: Mapping[str, Any]) -> List[str]:
    """Returns options as arguments of a command, "--name=value". Omits None and False; True gives "--name"."""
    named = (
        (f"--{name.replace('_', '-')}", value)
        for name, value in options.items()
        if value is not None and value is not False
    )
    return [name if value is True else f"{name}={value}" for name, value in named]


def with_defaults(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the given options of a batch, and the defaults of all others. Raises TypeError for an unknown option."""
    return completed("Batch", options, DEFAULTS)
