"""What a killed run resumes from: weights, the optimiser and counters in one file that appears whole."""

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
    """How far a run has come."""

    stage: str = BOOTSTRAP
    seconds: float = 0.0
    """Of all starts so far."""
    stage_seconds: float = 0.0
    """Of the stage."""
    batches: int = 0
    """Of imitation."""
    iterations: int = 0
    """Of play."""
    positions: int = 0
    nets: List[str] = field(default_factory=list)
    """Files of the nets that passed a gate, the oldest first."""
    known: Dict[str, List[float]] = field(default_factory=dict)
    """Scores of the best net by anchor."""
    gates: List[Dict[str, Any]] = field(default_factory=list)
    """What each gate came to, for the table at the end."""
    rng: Optional[Dict[str, Any]] = None
    """State of the generator that deals games."""
    games: int = 0
    """Of teachers, and of play."""
    recorded: List[str] = field(default_factory=list)
    """Runs of teachers that are whole."""
    course: Optional[Dict[str, Any]] = None
    """How far imitation is in those runs: `epoch`, and `batch` in it. None between stages."""
    play: Optional[Dict[str, Any]] = None
    """The games under way: Learner.state()."""
    judging: Optional[Dict[str, List[float]]] = None
    """What the gate under way has played: Gate.played. None between gates."""
    imitated_from: Optional[float] = None
    """`stage_seconds` when imitation began, after the games of the teachers."""
    metrics: int = 0
    """Bytes of metrics.jsonl."""


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
    """Puts a checkpoint back. Raises ValueError if it is of another net."""
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
    """The generator of a state, or a new one."""
    rng = np.random.default_rng(seed)
    if state.rng is not None:
        rng.bit_generator.state = state.rng
    return rng
