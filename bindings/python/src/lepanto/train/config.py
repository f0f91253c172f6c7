"""Configuration of a training run: fields of the TOML file, their defaults and their checks."""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple, Union, get_type_hints


def _limited(default: Any, wanted: str, is_right: Callable[[Any], bool]) -> Any:
    """Returns a dataclass field whose value is checked on reading.

    default: default value; a dict is copied for each instance. wanted: description of the valid values, for errors.
    is_right: returns True for a valid value.
    """
    limits = {"wanted": wanted, "is_right": is_right}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=limits)
    return field(default=default, metadata=limits)


def _weighted(default: Dict[str, float]) -> Any:
    """Returns a dataclass field of weights, keyed by agent. No weight may be negative, and at least one must be
    positive."""
    is_right = lambda weights: bool(weights) and min(weights.values()) >= 0 < sum(weights.values())
    return _limited(default, "agents with weights", is_right)


def _from(least: int, default: Any) -> Any:
    """Returns a dataclass field of a number that must be at least `least`."""
    return _limited(default, f"{least} or more", lambda value: value >= least)


def _share(default: float) -> Any:
    """Returns a dataclass field of a number that must be from 0 to 1."""
    return _limited(default, "0 to 1", lambda value: 0 <= value <= 1)


@dataclass(frozen=True)
class NetConfig:
    """Sizes of the net (lepanto.train.model)."""

    width: int = _limited(48, "a multiple of 8 up to 1024", lambda width: width % 8 == 0 and 8 <= width <= 1024)
    layers: int = _limited(4, "0 to 64", lambda layers: 0 <= layers <= 64)
    head_width: int = _limited(8, "a multiple of 4", lambda width: width % 4 == 0 and 4 <= width <= 1024)
    value_width: int = 64


@dataclass(frozen=True)
class BootstrapConfig:
    """Bootstrap, the first stage of training: the first net imitates games of the engine's agents."""

    share: float = _share(0.6)
    """Share of the run's time that the bootstrap takes, 0 to 1."""
    batches: int = 6000
    """Largest number of imitation batches, however much time is left."""
    teachers: Tuple[str, ...] = ("reply",)
    """Agents whose orders the net imitates."""
    games: Tuple[int, ...] = (4096,)
    """Number of games of each teacher, in the order of `teachers`."""
    seat: float = _share(0.3)
    """Probability that a seat of a game belongs to the teacher. At least one seat does."""
    strangers: Dict[str, float] = _weighted({"dumbbot": 4.0, "greedy": 2.0, "guard": 1.0, "random": 1.0, "policy": 0.5})
    """Agents of the other seats, with weights by which they are drawn. The net does not imitate their orders."""
    until: int = 1909
    batch_size: int = 128
    learning_rate: float = 3e-3
    value_weight: float = 0.3


@dataclass(frozen=True)
class PlayConfig:
    """Play, the second stage of training: games of the learning net, and games of teachers that it also imitates
    (lessons)."""

    games: int = 96
    """Number of games that are played at the same time."""
    until: int = 1908
    seats: Tuple[int, ...] = _limited(
        (1, 1, 2, 3, 7), "at least one number from 1", lambda seats: bool(seats) and min(seats) >= 1
    )
    """Numbers of seats of the learning net. Each game draws one of them. Agents of the pool play the other seats."""
    pool: Dict[str, float] = _weighted(
        {
            "dumbbot": 3.0,
            "greedy": 2.0,
            "guard": 1.0,
            "reply": 0.5,
            "policy": 0.5,
            "random": 0.5,
            "best": 2.0,
            "older": 1.0,
            "search:rollouts=60": 0.1,
        }
    )
    """Agents of the other seats, with weights by which they are drawn. `best` is the last net that passed a gate,
    `older` any net before it. In the name of another agent, `{best}` stands for the file of the best net."""
    temperature: float = 0.1
    """Sampling temperature of nets in the pool and at gates."""
    teachers: Tuple[str, ...] = ("search:rollouts=100",)
    """Agents that play teacher games after each gate, against opponents drawn as in the bootstrap."""
    lessons: int = _from(0, 32)
    """Number of games of each teacher after each gate."""
    window: int = _from(1, 4096)
    """Number of the latest teacher games that the net imitates."""


@dataclass(frozen=True)
class LearnConfig:
    """Proximal policy optimisation (Schulman et al. 2017)."""

    decisions: int = 12
    """Number of decisions in each game of one iteration."""
    epochs: int = 2
    batch_size: int = 384
    learning_rate: float = 3e-4
    clip: float = 0.2
    decay: float = 0.95
    """Lambda of generalised advantage estimation. Returns are not discounted."""
    entropy: float = 0.004
    value_weight: float = 1.0
    temperature: float = _limited(0.5, "more than 0", lambda temperature: temperature > 0)
    """Sampling temperature of the learning net: its logits are divided by this."""
    study: int = _from(0, 1)
    """Number of imitation batches after each iteration, so that the net does not forget the teachers' play."""
    average: float = _limited(0.98, "0 or more, below 1", lambda average: 0 <= average < 1)
    """Decay of the moving average of the weights (Polyak and Juditsky 1992), which gates judge. 0: the average is the
    latest net."""
    staleness: int = _from(0, 8)
    """Largest age of a contribution of an actor, in learning iterations. Older contributions are dropped."""


@dataclass(frozen=True)
class GateConfig:
    """Gates: arena games that decide whether the net becomes the best one."""

    every: int = _from(1, 150)
    """Number of learning iterations between gates."""
    games: int = _from(2, 42)
    """Number of games of each pairing in one look. With a multiple of the number of powers, seats are balanced."""
    looks: int = _from(1, 3)
    """Largest number of looks, each with more games, before the gate is decided."""
    p: float = _limited(0.05, "more than 0, 0.5 at the most", lambda p: 0 < p <= 0.5)
    """Probability that a net no better than the best one passes by luck, over all looks."""
    anchors: Tuple[str, ...] = ("dumbbot", "greedy", "guard", "reply", "random")
    """Fixed reference agents. In games of one net against six copies of an anchor, a new net must not score worse than
    the best net by two standard errors."""
    until: int = 1908


@dataclass(frozen=True)
class Config:
    """All settings of a training run."""

    map: str = "standard"
    rules: str = "datc-3.2"
    seed: int = 1
    threads: int = 1
    """Number of torch threads. With more than one, the same seed may give other weights."""
    workers: int = _from(0, 0)
    """Number of engine threads. 0: one for each processor. The games are the same for any number."""
    checkpoint: float = _limited(30.0, "seconds up to 60", lambda seconds: 0 < seconds <= 60)
    """Seconds between checkpoints, which is the largest loss when the run is killed."""
    net: NetConfig = NetConfig()
    bootstrap: BootstrapConfig = BootstrapConfig()
    play: PlayConfig = PlayConfig()
    learn: LearnConfig = LearnConfig()
    gate: GateConfig = GateConfig()


class ConfigError(ValueError):
    """Raised for an invalid configuration or option."""


def _convert(where: str, wanted: Any, value: Any) -> Any:
    """Converts a TOML value to the type of a field, and returns it.

    where: path of the field, for errors. wanted: type of the field. Raises ConfigError for a value of another type.
    """
    if dataclasses.is_dataclass(wanted):
        return _build(where, wanted, value)
    origin = getattr(wanted, "__origin__", None)
    if origin is tuple and isinstance(value, (list, tuple)):
        return tuple(_convert(f"{where}[{i}]", wanted.__args__[0], one) for i, one in enumerate(value))
    if origin is dict and isinstance(value, dict):
        return {str(key): _convert(f"{where}.{key}", wanted.__args__[1], one) for key, one in value.items()}
    if wanted is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if wanted in (int, str) and type(value) is wanted:
        return value
    name = getattr(wanted, "__name__", str(wanted).replace("typing.", ""))
    raise ConfigError(f"{where}: got {value!r}, wanted {name}")


def _build(where: str, wanted: Any, values: Any) -> Any:
    """Builds a dataclass from a TOML table, with defaults for missing fields.

    where: path of the table, for errors. wanted: the dataclass. Raises ConfigError for an unknown field and for the
        first invalid value.
    """
    if not isinstance(values, dict):
        raise ConfigError(f"{where or 'config'}: got {values!r}, wanted a table")
    types, found = get_type_hints(wanted), {}
    limits = {one.name: one.metadata for one in dataclasses.fields(wanted)}
    for key, value in values.items():
        if key not in types:
            raise ConfigError(f"{where or 'config'}: got {key!r}, wanted one of {', '.join(types)}")
        name = f"{where}.{key}" if where else key
        found[key] = _convert(name, types[key], value)
        if limits[key] and not limits[key]["is_right"](found[key]):
            raise ConfigError(f"{name}: got {found[key]!r}, wanted {limits[key]['wanted']}")
    return wanted(**found)


def read_config(text: str) -> Config:
    """Parses a TOML configuration. Missing fields have their defaults. Raises ConfigError if it is invalid."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:  # pragma: no cover
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"config: {error}") from error
    config: Config = _build("", Config, values)
    games = config.bootstrap.games
    if len(games) != len(config.bootstrap.teachers):
        raise ConfigError(f"bootstrap.games: got {games!r}, wanted one number for each teacher")
    return config


def write_config(config: Config) -> str:
    """Returns the configuration as TOML, with every field."""
    return "\n".join(_lines("", vars(config))) + "\n"


def _lines(name: str, values: Dict[str, Any]) -> List[str]:
    """Returns the TOML lines of a table and of the tables in it. name: of the table; "" for the whole file."""
    plain, tables = [f"\n[{name}]"] if name else [], []
    for key, value in values.items():
        if isinstance(value, dict) or dataclasses.is_dataclass(value):
            tables += _lines(f"{name}.{key}" if name else key, value if isinstance(value, dict) else vars(value))
        else:
            # TOML writes strings, numbers and lists as JSON does.
            bare = key if key.isascii() and key.isidentifier() else json.dumps(key)
            plain.append(f"{bare} = {json.dumps(value, ensure_ascii=False)}")
    return plain + tables


def load_config(path: Union[str, Path]) -> Config:
    """Reads a configuration from a TOML file. Raises ConfigError that names the file."""
    try:
        return read_config(Path(path).read_text(encoding="utf-8"))
    except (ConfigError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
