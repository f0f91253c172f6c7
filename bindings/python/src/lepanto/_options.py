"""Options of a batch by keyword, and what they are where they are not given."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, TypedDict, Union

from ._config import Actions, ResetMode
from .arrays import Score


class BatchOptions(TypedDict, total=False):
    """Options of a Batch by keyword.

    workers: Threads of the engine; None: as many as there are cores. The results do not depend on it. Default None.
    reset_mode: Gymnasium's three: "same_step" (an ended game begins again at once; its end is in the `final_` arrays),
        "next_step" (in the step after, whose actions are not read), "disabled" (reset() must be called). Default
        "same_step".
    max_steps: Cuts episodes after so many movement phases, before the next one: `truncated`, without a reward; 0:
        never. Default 0.
    actions: "index" or "vocabulary". Default "index".
    lists: False writes no legal lists (faster); needs actions="vocabulary". Default True.
    score: One of SCORES, the system of `rewards` and `returns`; rewards_by() and returns_by() have the others. Default
        "sum_of_squares".
    results: True writes the result of every unit's order in the last step, those of opponents too: `last_orders`,
        `last_results`, `last_fates`. Default False.
    masks: True writes `legal_mask`, the legal orders of each game as a mask over the vocabulary: 15,776 bytes a game on
        the standard map. With actions="vocabulary" and lists=False it takes the place of the lists. Default False.
    choice_ms: Milliseconds for one choice of an opponent in a module of yours; 0: no limit. Over it the step raises
        LepantoError. Default 60000.
    max_children: The most children that expand() can make in one call, and of a tree those of all calls. Default 256.
    record: A directory, empty or new, where every game that ends is recorded as `lepanto selfplay` records its own: for
        `lepanto stats`, `replay --verify`, `convert`, and lepanto.dataset. Games are numbered as they end. A shard of
        256 games appears whole; the last one is written again after every 32 games, by write_record() and at the end.
        Each game names who ordered each power. Games that load(), clone() or set_position() has put into a slot are
        left out, and random_step() is refused. Default None.
    record_as: How the record names you: a name, or one by power, {"FRANCE": "net-7"}. Default "client".
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


#: What a batch has where an option is not given.
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
    """Options with the defaults of those that are not given. Raises TypeError for an unknown one."""
    unknown = [name for name in options if name not in defaults]
    if unknown:
        raise TypeError(f"{owner}: got option {unknown[0]!r}, wanted one of {', '.join(defaults)}")
    return {**defaults, **options}


def arguments_of(options: Mapping[str, Any]) -> List[str]:
    """Arguments of a command. An option of None or False is left out; one of True has no value."""
    named = (
        (f"--{name.replace('_', '-')}", value)
        for name, value in options.items()
        if value is not None and value is not False
    )
    return [name if value is True else f"{name}={value}" for name, value in named]


def with_defaults(options: Mapping[str, Any]) -> Dict[str, Any]:
    """All options of a batch. Raises TypeError for an unknown one."""
    return completed("Batch", options, DEFAULTS)
