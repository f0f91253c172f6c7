"""Checkpoints of a training run: weights, optimiser state and counters in one file, written atomically."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np
import torch

from .model import GraphNet
from .safetensors import Floats, read_tensors, write_tensors

BOOTSTRAP = "bootstrap"
PLAY = "play"

_MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass
class State:
    """Counters and progress of a training run, saved in its checkpoints."""

    stage: str = BOOTSTRAP
    seconds: float = 0.0
    """Running time of all starts so far, in seconds."""
    stage_seconds: float = 0.0
    """Running time of the current stage, in seconds."""
    batches: int = 0
    """Number of imitation batches that the bootstrap has learned from."""
    iterations: int = 0
    """Number of iterations of play and learning."""
    positions: int = 0
    nets: List[str] = field(default_factory=list)
    """File names of the nets that passed a gate, the oldest first."""
    known: Dict[str, List[float]] = field(default_factory=dict)
    """Scores of the best net in each game against an anchor, keyed by anchor."""
    gates: List[Dict[str, Any]] = field(default_factory=list)
    """Results of all gates, for the table at the end."""
    rng: Optional[Dict[str, Any]] = None
    """State of the random generator of the run. None before the first checkpoint."""
    games: int = 0
    """Number of games so far, of teachers and of play together."""
    recorded: List[str] = field(default_factory=list)
    """Names of the finished teacher runs."""
    course: Optional[Dict[str, Any]] = None
    """Position of imitation in the teacher games: `epoch`, and `batch` in the epoch. None between stages."""
    play: Optional[Dict[str, Any]] = None
    """Unfinished games of play: Learner.state(). None before play."""
    judging: Optional[Dict[str, List[float]]] = None
    """Scores that the unfinished gate has so far: Gate.played. None between gates."""
    imitated_from: Optional[float] = None
    """`stage_seconds` at the start of imitation, after the games of the teachers. None before imitation."""
    metrics: int = 0
    """Size of metrics.jsonl, in bytes."""


def save(path: Path, net: GraphNet, average: GraphNet, optimizer: "torch.optim.Adam", state: State) -> None:
    tensors: Dict[str, Floats] = {}
    steps = 0.0
    for key, parameter in net.tensors.items():
        tensors[f"net.{key}"] = parameter.detach().cpu().numpy()
        tensors[f"average.{key}"] = average.tensors[key].detach().cpu().numpy()
        kept = optimizer.state.get(parameter, {})
        for moment in _MOMENTS:
            if moment in kept:
                tensors[f"{moment}.{key}"] = kept[moment].cpu().numpy()
                steps = float(kept["step"])
    write_tensors(path, tensors, {"state": json.dumps(dataclasses.asdict(state)), "steps": str(steps)})


def load(path: Path, net: GraphNet, average: GraphNet, optimizer: "torch.optim.Adam") -> State:
    """Loads a checkpoint into the nets and the optimiser, and returns its state. Raises ValueError if the net's tensors
    have other shapes."""
    tensors, metadata = read_tensors(path)
    for key, parameter in net.tensors.items():
        found = tensors.get(f"net.{key}")
        if found is None or found.shape != tuple(parameter.shape):
            got = "none" if found is None else found.shape
            raise ValueError(
                f"{path}: got {got} for {key}, wanted {tuple(parameter.shape)}: the sizes of the net have changed"
            )
        parameter.data.copy_(torch.as_tensor(found))
        average.tensors[key].data.copy_(torch.as_tensor(tensors.get(f"average.{key}", found)))
        if f"{_MOMENTS[0]}.{key}" in tensors:
            moments = {m: torch.as_tensor(tensors[f"{m}.{key}"]).to(parameter.device) for m in _MOMENTS}
            optimizer.state[parameter] = {"step": torch.tensor(float(metadata["steps"])), **moments}
    return State(**json.loads(metadata["state"]))


def generator_of(state: State, seed: int) -> np.random.Generator:
    """Returns the random generator of a state, or a new one from the seed if the state has none."""
    rng = np.random.default_rng(seed)
    if state.rng is not None:
        rng.bit_generator.state = state.rng
    return rng
