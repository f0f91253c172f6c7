"""Converts the parameters of a batch into the configuration of its engine."""

from __future__ import annotations

import os
from typing import Any, Dict, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy.typing as npt

from ._checks import signed, whole

Observations = Literal["dipnet", "deepmind"]
ResetMode = Literal["same_step", "next_step", "disabled"]
Actions = Literal["index", "vocabulary"]
Sampler = Literal["uniform", "policy"]
#: Indices of games in a batch: one or several.
Indices = Union[int, Sequence[int], npt.NDArray[Any]]
#: Agents, keyed by power: one mapping for all games, or one for each game.
Opponents = Union[Mapping[str, str], Sequence[Mapping[str, str]]]

SAMPLERS: Tuple[Sampler, ...] = ("uniform", "policy")


def agents_of(opponents: Optional[Opponents]) -> Dict[str, str]:
    """Returns the agents of opponents that are the same in every game, keyed by power; empty if `opponents` has a
    mapping for each game."""
    return dict(opponents) if isinstance(opponents, Mapping) else {}


def engine_config(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the engine's configuration for the parameters of Batch. Raises TypeError for a number that is not an
    integer."""
    workers = options["workers"]
    seed: int = options["seed"]
    return {
        "map": options["map"],
        "rules": options["rules"],
        "games": whole("num_games", options["num_games"]),
        "children": whole("max_children", options["max_children"]),
        "workers": len(cores()) if workers is None else whole("workers", workers),
        "observations": options["observations"] or "none",
        "reset_mode": options["reset_mode"],
        "actions": options["actions"],
        **{name: whole(name, options[name]) for name in ("until", "max_steps", "choice_ms")},
        **{name: bool(options[name]) for name in ("lists", "results", "masks")},
        "opponents": agents_of(options["opponents"]),
        "record": _recording(options["record"], options["record_as"], seed),
    }


def own_names(record_as: Union[str, Mapping[str, str]]) -> Tuple[str, Dict[str, str]]:
    """Returns the client's default name in records, and the client's other names, keyed by power."""
    if isinstance(record_as, str):
        return record_as, {}
    return "client", {power.upper(): str(one) for power, one in record_as.items()}


def _recording(
    directory: Union[None, str, "os.PathLike[str]"], name: Union[str, Mapping[str, str]], seed: int
) -> Optional[Dict[str, Any]]:
    """Returns the engine's configuration for recording. None if the batch does not record.

    directory: of the records. name: `record_as` of the batch.
    """
    if directory is None:
        return None
    own, by_power = own_names(name)
    return {
        "directory": os.path.abspath(os.fspath(directory)),
        "name": own,
        "names": by_power,
        "seed": signed(seed),
    }


def cores() -> Sequence[int]:
    """Returns the numbers of the processors that this process may use."""
    return list(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
