"""Every number of a training run: what a TOML file may say, its defaults, and the checks of what is read."""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple, Union, get_type_hints


def _limited(default: Any, wanted: str, is_right: Callable[[Any], bool]) -> Any:
    """A field whose value is checked. wanted: the values that are right, in words. A dict is a default to be copied."""
    limits = {"wanted": wanted, "is_right": is_right}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=limits)
    return field(default=default, metadata=limits)


def _weighted(default: Dict[str, float]) -> Any:
    """A field of agents by weight: none below 0, one above."""
    is_right = lambda weights: bool(weights) and min(weights.values()) >= 0 < sum(weights.values())
    return _limited(default, "agents with weights", is_right)


def _from(least: int, default: Any) -> Any:
    """A field of numbers that are not below a limit."""
    return _limited(default, f"{least} or more", lambda value: value >= least)


def _share(default: float) -> Any:
    """A field of numbers from 0 to 1."""
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
    """The first net imitates games of the engine's agents."""

    share: float = _share(0.6)
    """Of the time of the run."""
    batches: int = 6000
    """At most so many, however much time there is."""
    teachers: Tuple[str, ...] = ("reply",)
    """Agents whose orders are learned."""
    games: Tuple[int, ...] = (4096,)
    """Of each teacher."""
    seat: float = _share(0.3)
    """Of a game: the chance of each seat to be the teacher's; it has one at least."""
    strangers: Dict[str, float] = _weighted({"dumbbot": 4.0, "greedy": 2.0, "guard": 1.0, "random": 1.0, "policy": 0.5})
    """Agents of the other seats by weight. Their orders are not learned."""
    until: int = 1909
    batch_size: int = 128
    learning_rate: float = 3e-3
    value_weight: float = 0.3


@dataclass(frozen=True)
class PlayConfig:
    """Games that the net learns from."""

    games: int = 96
    """Side by side."""
    until: int = 1908
    seats: Tuple[int, ...] = _limited(
        (1, 1, 2, 3, 7), "at least one number from 1", lambda seats: bool(seats) and min(seats) >= 1
    )
    """Seats of the learning net in a game, drawn from this list; the pool has the others."""
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
    """Agents of the other seats by weight. `best` is the last net that passed a gate, `older` any net before it; in the
    name of another agent `{best}` is the file of the best net."""
    temperature: float = 0.1
    """Of nets in the pool and at gates."""
    teachers: Tuple[str, ...] = ("search:rollouts=100",)
    """Agents that play games to be learned from after each gate, at tables as those of the bootstrap."""
    lessons: int = _from(0, 32)
    """Games of each of them after each gate."""
    window: int = _from(1, 4096)
    """Games of teachers that are learned from: the latest."""


@dataclass(frozen=True)
class LearnConfig:
    """Proximal policy optimisation (Schulman et al. 2017)."""

    decisions: int = 12
    """Of each game in one iteration."""
    epochs: int = 2
    batch_size: int = 384
    learning_rate: float = 3e-4
    clip: float = 0.2
    decay: float = 0.95
    """Lambda of generalised advantage estimation; returns are not discounted."""
    entropy: float = 0.004
    value_weight: float = 1.0
    temperature: float = _limited(0.5, "more than 0", lambda temperature: temperature > 0)
    """What scores are divided by in games that are learned from."""
    study: int = _from(0, 1)
    """Batches of the teachers' games, as in the bootstrap, after each iteration: what they teach is not forgotten."""
    average: float = _limited(0.98, "0 or more, below 1", lambda average: 0 <= average < 1)
    """What the mean of the weights, which gates judge, keeps in each iteration (Polyak and Juditsky 1992). 0: it is the
    latest."""
    staleness: int = _from(0, 8)
    """With actors: what a net played that has learned more often since is dropped."""


@dataclass(frozen=True)
class GateConfig:
    """Games that decide whether the net becomes the best one."""

    every: int = _from(1, 150)
    """Iterations of learning between gates."""
    games: int = _from(2, 42)
    """Of each pairing in one look; multiples of the powers give every seat its turn."""
    looks: int = _from(1, 3)
    """How often, at most, more games are played before it is decided."""
    p: float = _limited(0.05, "more than 0, 0.5 at the most", lambda p: 0 < p <= 0.5)
    """Of passing by luck alone, over all looks."""
    anchors: Tuple[str, ...] = ("dumbbot", "greedy", "guard", "reply", "random")
    """Agents against six of which no net may do worse than the best by two standard errors."""
    until: int = 1908


@dataclass(frozen=True)
class Config:
    """A training run."""

    map: str = "standard"
    rules: str = "datc-3.2"
    seed: int = 1
    threads: int = 1
    """Of torch. With more the same seed may give other weights."""
    workers: int = _from(0, 0)
    """Of the engine; 0: one for each processor. The games are the same with any number."""
    checkpoint: float = _limited(30.0, "seconds up to 60", lambda seconds: 0 < seconds <= 60)
    """Seconds between checkpoints: what a kill costs at the most."""
    net: NetConfig = NetConfig()
    bootstrap: BootstrapConfig = BootstrapConfig()
    play: PlayConfig = PlayConfig()
    learn: LearnConfig = LearnConfig()
    gate: GateConfig = GateConfig()


class ConfigError(ValueError):
    """Something in a file that is no configuration."""


def _convert(where: str, wanted: Any, value: Any) -> Any:
    """A value of TOML as the type of a field. Raises ConfigError."""
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
    """A dataclass of a table. Raises ConfigError for the first value that is not right."""
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
    """Reads a configuration in TOML; what it does not say has its default. Raises ConfigError."""
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
    """The configuration as TOML, with every number."""
    return "\n".join(_lines("", vars(config))) + "\n"


def _lines(name: str, values: Dict[str, Any]) -> List[str]:
    """Lines of a table, and of the tables in it."""
    plain, tables = [f"\n[{name}]"] if name else [], []
    for key, value in values.items():
        if isinstance(value, dict) or dataclasses.is_dataclass(value):
            tables += _lines(f"{name}.{key}" if name else key, value if isinstance(value, dict) else vars(value))
        else:
            # Texts, numbers and lists of TOML are written as those of JSON.
            bare = key if key.isascii() and key.isidentifier() else json.dumps(key)
            plain.append(f"{bare} = {json.dumps(value, ensure_ascii=False)}")
    return plain + tables


def load_config(path: Union[str, Path]) -> Config:
    """Reads a file. Raises ConfigError that names it."""
    try:
        return read_config(Path(path).read_text(encoding="utf-8"))
    except (ConfigError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
