"""Every number of a training run: what a TOML file may say, its defaults, and the checks of what is read."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Tuple, Union, get_type_hints


@dataclass(frozen=True)
class NetConfig:
    """Sizes of the net (lepanto.train.model)."""

    width: int = 48
    layers: int = 4
    head_width: int = 8
    value_width: int = 64


@dataclass(frozen=True)
class BootstrapConfig:
    """The first net imitates games of the engine's agents."""

    share: float = 0.6
    """Of the time of the run."""
    batches: int = 6000
    """At most so many, however much time there is."""
    teachers: Tuple[str, ...] = ("reply",)
    """Agents whose orders are learned."""
    games: Tuple[int, ...] = (4096,)
    """Of each teacher."""
    seat: float = 0.3
    """Of a game: the chance of each seat to be the teacher's; it has one at least."""
    strangers: Dict[str, float] = field(
        default_factory=lambda: {"dumbbot": 4.0, "greedy": 2.0, "guard": 1.0, "random": 1.0, "policy": 0.5}
    )
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
    seats: Tuple[int, ...] = (1, 1, 2, 3, 7)
    """Seats of the learning net in a game, drawn from this list; the pool has the others."""
    pool: Dict[str, float] = field(
        default_factory=lambda: {
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
    lessons: int = 32
    """Games of each of them after each gate."""
    window: int = 4096
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
    temperature: float = 0.5
    """What scores are divided by in games that are learned from."""
    study: int = 1
    """Batches of the teachers' games, as in the bootstrap, after each iteration: what they teach is not forgotten."""
    average: float = 0.98
    """What the mean of the weights, which gates judge, keeps in each iteration (Polyak and Juditsky 1992). 0: it is the
    latest."""
    staleness: int = 8
    """With actors: what a net played that has learned more often since is dropped."""


@dataclass(frozen=True)
class GateConfig:
    """Games that decide whether the net becomes the best one."""

    every: int = 150
    """Iterations of learning between gates."""
    games: int = 42
    """Of each pairing in one look; multiples of the powers give every seat its turn."""
    looks: int = 3
    """How often, at most, more games are played before it is decided."""
    p: float = 0.05
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
    workers: int = 0
    """Of the engine; 0: one for each processor. The games are the same with any number."""
    checkpoint: float = 30.0
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
    if not isinstance(values, dict):
        raise ConfigError(f"{where or 'config'}: got {values!r}, wanted a table")
    types = get_type_hints(wanted)
    found = {}
    for key, value in values.items():
        if key not in types:
            raise ConfigError(f"{where or 'config'}: got {key!r}, wanted one of {', '.join(types)}")
        found[key] = _convert(f"{where}.{key}" if where else key, types[key], value)
    return wanted(**found)


def _check(config: Config) -> Config:
    def must(name: str, value: Any, ok: bool, wanted: str) -> None:
        if not ok:
            raise ConfigError(f"{name}: got {value!r}, wanted {wanted}")

    net, boot, play, learn, gate = config.net, config.bootstrap, config.play, config.learn, config.gate
    must("net.width", net.width, net.width % 8 == 0 and 8 <= net.width <= 1024, "a multiple of 8 up to 1024")
    must("net.head_width", net.head_width, net.head_width % 4 == 0 and 4 <= net.head_width <= 1024, "a multiple of 4")
    must("net.layers", net.layers, 0 <= net.layers <= 64, "0 to 64")
    must("bootstrap.games", boot.games, len(boot.games) == len(boot.teachers), "one number for each teacher")
    must("bootstrap.seat", boot.seat, 0 <= boot.seat <= 1, "0 to 1")
    must(
        "bootstrap.strangers",
        boot.strangers,
        bool(boot.strangers) and min(boot.strangers.values()) >= 0 < sum(boot.strangers.values()),
        "agents with weights",
    )
    must("bootstrap.share", boot.share, 0 <= boot.share <= 1, "0 to 1")
    must("play.seats", play.seats, bool(play.seats) and min(play.seats) >= 1, "at least one number from 1")
    must(
        "play.pool",
        play.pool,
        bool(play.pool) and min(play.pool.values()) >= 0 < sum(play.pool.values()),
        "agents with weights",
    )
    must("learn.average", learn.average, 0 <= learn.average < 1, "0 or more, below 1")
    must("learn.staleness", learn.staleness, learn.staleness >= 0, "0 or more")
    must("play.lessons", play.lessons, play.lessons >= 0, "0 or more")
    must("play.window", play.window, play.window >= 1, "1 or more")
    must("gate.p", gate.p, 0 < gate.p <= 0.5, "more than 0, 0.5 at the most")
    must("gate.every", gate.every, gate.every >= 1, "1 or more")
    must("gate.games", gate.games, gate.games >= 2, "2 or more")
    must("gate.looks", gate.looks, gate.looks >= 1, "1 or more")
    must("learn.temperature", config.learn.temperature, config.learn.temperature > 0, "more than 0")
    must("learn.study", config.learn.study, config.learn.study >= 0, "0 or more")
    must("workers", config.workers, config.workers >= 0, "0 or more")
    must("checkpoint", config.checkpoint, 0 < config.checkpoint <= 60, "seconds up to 60")
    return config


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
    return _check(_build("", Config, values))


def _toml(value: Any) -> str:
    if isinstance(value, str):
        # TOML's basic strings escape as JSON's do.
        import json

        return json.dumps(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(value)


def write_config(config: Config) -> str:
    """The configuration as TOML, with every number."""
    plain: List[str] = []
    tables: List[str] = []
    for one in dataclasses.fields(config):
        value = getattr(config, one.name)
        if not dataclasses.is_dataclass(value):
            plain.append(f"{one.name} = {_toml(value)}")
            continue
        lines = [f"\n[{one.name}]"]
        nested = []
        for inner in dataclasses.fields(value):
            content = getattr(value, inner.name)
            if isinstance(content, dict):
                nested += [f"\n[{one.name}.{inner.name}]"] + [
                    f"{_toml(key)} = {_toml(item)}" for key, item in content.items()
                ]
            else:
                lines.append(f"{inner.name} = {_toml(content)}")
        tables += lines + nested
    return "\n".join(plain + tables) + "\n"


def load_config(path: Union[str, Path]) -> Config:
    """Reads a file. Raises ConfigError that names it."""
    try:
        return read_config(Path(path).read_text(encoding="utf-8"))
    except (ConfigError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
