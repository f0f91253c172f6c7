"""The project's graph net: computes scores of orders and values of powers from a board. selfplay/nets/graph-net.ts is
the forward pass in the engine and documents each tensor. A test checks that both give the same results."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Dict, Tuple

import numpy as np
import torch
from torch import nn

from .._files import replacing
from ..batch import Batch
from ..vocabulary import ORDER_TYPES
from .safetensors import PathLike, read_tensors, write_tensors

#: Number of vector pairs of each location. An order's score is the dot product of the vector of the unit's location and
#: the vector of the target: move, move VIA, support to hold, support to move, convoy, retreat, and helped unit to its
#: target.
PAIRS = 7
HELPED = 6
#: Number of single scores of each location: hold, disband, build army, build fleet, remove, waive, and two unused.
SINGLES = 8
WAIVES = 5
PHASES = 5
NONE = -1

#: Index of the vector pair, or of the single score, by type of order (lepanto.vocabulary.ORDER_TYPES).
_PAIR_OF = {"move": 0, "rail": 1, "support hold": 2, "support move": 3, "convoy": 4, "retreat": 5}
_VIA_PAIR = 1
_SINGLE_OF = {"hold": 0, "disband": 1, "build army": 2, "build fleet": 3, "remove": 4, "waive": WAIVES}


def phase_number(phase: Any, season: Any) -> Any:
    """Returns the phase as a number: 0 spring moves, 1 fall moves, 2 spring retreats, 3 fall retreats, 4 adjustments.

    phase, season: numbers of Batch.phase and Batch.season.
    """
    return np.where(phase == 2, 4, 2 * phase + season).astype(np.int64)


class Tables:
    """Tables of a map for a net: adjacency of its locations, and components of each order of the vocabulary."""

    def __init__(self, batch: Batch) -> None:
        words = batch.vocabulary
        self.locations = len(batch.locations)
        self.powers = len(batch.powers)
        self.columns = 11 + 3 * (self.powers + 1) + PHASES
        #: Row of each location in DipNet's board.
        self.rows = batch.rows
        provinces = np.array(batch._info["map"]["location_province"])
        coasts = (provinces[:, None] == provinces) & ~np.eye(self.locations, dtype=bool)
        #: f4[L, L]: adjacency of locations, with rows that sum to 1. Coasts of one province are adjacent too.
        self.near = (batch.adjacency.armies | batch.adjacency.fleets | coasts).astype(np.float32)
        self.near /= np.maximum(self.near.sum(1, keepdims=True), 1)
        kinds = np.array(ORDER_TYPES)[words.type]
        pair = np.array([_PAIR_OF.get(kind, NONE) for kind in ORDER_TYPES], np.int64)[words.type]
        pair[words.via] = _VIA_PAIR
        single = np.array([_SINGLE_OF.get(kind, NONE) for kind in ORDER_TYPES])[words.type]
        helped = np.where((kinds == "support move") | (kinds == "convoy"), words.helped, NONE)
        #: int64[V, 5], indexed by vocabulary id: vector pair, single score, and locations of the unit, of the target
        #: and of the helped unit. -1 for none.
        self.orders = np.stack([pair, single, words.location, words.target, helped], axis=1).astype(np.int64)


def _layers_of(arrays: Dict[str, Any]) -> int:
    return sum(name.endswith(".bias") and name.startswith("layers.") for name in arrays)


class GraphNet(nn.Module):  # type: ignore[misc, unused-ignore]
    """Graph net that computes scores of orders, and values of all powers, of a position.

    tables: tables of the map. width: features of each location; a multiple of 8. layers: number of graph layers.
    head_width: length of the vectors whose dot products are scores; a multiple of 4. value_width: size of the value
    head's hidden layer; a multiple of 8.
    """

    #: Name of the file format, in the file's metadata.
    FORMAT = "lepanto graph net 1"

    def __init__(
        self, tables: Tables, width: int = 48, layers: int = 4, head_width: int = 8, value_width: int = 64
    ) -> None:
        super().__init__()
        columns = 2 * PAIRS * head_width + SINGLES
        shapes: Dict[str, Tuple[int, ...]] = {
            "input.weight": (tables.columns, width),
            "place.weight": (tables.locations, width),
            "heads.weight": (width, columns),
            "heads.bias": (columns,),
            "value.0.weight": (width, value_width),
            "value.0.bias": (value_width,),
            "value.1.weight": (value_width, tables.powers),
            "value.1.bias": (tables.powers,),
        }
        for i in range(layers):
            shapes.update({f"layers.{i}.{name}.weight": (width, width) for name in ("self", "near", "all")})
            shapes[f"layers.{i}.bias"] = (width,)
        self.sizes = {"width": width, "layers": layers, "head_width": head_width, "value_width": value_width}
        self.layers = layers
        self.head_width = head_width
        #: Number of columns of a board (35 on the standard map).
        self.columns = tables.columns - PHASES
        # Names of parameters may not contain dots.
        self.tensors = nn.ParameterDict(
            {self._key(name): nn.Parameter(torch.zeros(shape)) for name, shape in shapes.items()}
        )
        for name, shape in shapes.items():
            if len(shape) == 2:
                spread = 0.2 if name in ("input.weight", "place.weight") else 0.7 * float(shape[0]) ** -0.5
                nn.init.normal_(self[name], std=spread)
        self.register_buffer("near", torch.as_tensor(tables.near), persistent=False)
        self.register_buffer("rows", torch.as_tensor(tables.rows), persistent=False)
        self.register_buffer("orders", torch.as_tensor(tables.orders), persistent=False)

    @staticmethod
    def _key(name: str) -> str:
        return name.replace(".", "/")

    def __getitem__(self, name: str) -> "torch.Tensor":
        return self.tensors[self._key(name)]

    def logits(self, heads: "torch.Tensor", samples: Any, ids: Any) -> "torch.Tensor":
        """Returns the scores of orders, float[N].

        heads: heads of forward(). samples: int[N], index of the position of each order. ids: int[N], vocabulary ids of
            the orders.
        """
        at = torch.as_tensor(samples, device=heads.device).long()
        pair, single, unit, target, helped = self.orders[torch.as_tensor(ids, device=heads.device).long()].unbind(1)
        vectors = heads[..., : 2 * PAIRS * self.head_width].unflatten(2, (2, PAIRS, self.head_width))
        singles = heads[..., -SINGLES:]

        def product(pairs: "torch.Tensor", first: "torch.Tensor", second: "torch.Tensor") -> "torch.Tensor":
            return (vectors[at, first, 0, pairs] * vectors[at, second, 1, pairs]).sum(1)

        main = product(pair.clamp(min=0), unit, target)
        help_ = product(torch.full_like(pair, HELPED), helped, target)
        alone = singles[at, unit, single.clamp(min=0)]
        waives = singles[..., WAIVES].mean(1)[at]
        score = torch.where(pair >= 0, main, torch.where(single == WAIVES, waives, alone))
        return torch.where(helped >= 0, score + help_, score)

    def save(self, path: PathLike, **metadata: str) -> None:
        """Writes the weights to a file in safetensors format, atomically, for the engine's agent `net:file=PATH`.

        metadata: further texts for the file's header.
        """
        arrays = {key.replace("/", "."): value.detach().cpu().numpy() for key, value in self.tensors.items()}
        write_tensors(path, arrays, {"format": self.FORMAT, **metadata})

    def export_onnx(self, path: PathLike) -> None:
        """Writes an ONNX model for the engine's agent `net:file=PATH.onnx`, which needs the npm package
        onnxruntime-node.

        torch 1.13 needs no other package; torch 2 needs the package onnx.
        """
        locations = len(self.rows)
        boards = torch.zeros((1, locations, self.columns), dtype=torch.uint8)
        phases = torch.zeros(1, dtype=torch.int64)
        inputs, outputs = ["boards", "phases"], ["heads", "values"]
        axes = {name: {0: "positions"} for name in inputs + outputs}
        options: Dict[str, Any] = {
            "input_names": inputs,
            "output_names": outputs,
            "dynamic_axes": axes,
            "opset_version": 13,
        }
        if "dynamo" in inspect.signature(torch.onnx.export).parameters:
            options["dynamo"] = False
        with warnings.catch_warnings(), replacing(path) as part:
            warnings.simplefilter("ignore")
            torch.onnx.export(self, (boards, phases), str(part), **options)

    def _fill(self, path: PathLike, arrays: Dict[str, Any]) -> None:
        for name in self.tensors:
            name = name.replace("/", ".")
            wanted = tuple(self[name].shape)
            if name not in arrays or arrays[name].shape != wanted:
                got = "none" if name not in arrays else arrays[name].shape
                raise ValueError(f"{path}: got {name} of shape {got}, wanted {wanted} on this map")
            self[name].data.copy_(torch.as_tensor(arrays[name]))

    def think(self, boards: Any, phases: Any) -> Tuple["torch.Tensor", "torch.Tensor"]:
        """Returns the results of forward(), in float32. On a GPU, matrix products are computed in bfloat16."""
        if self.near.device.type != "cuda":
            return self(boards, phases)  # type: ignore[no-any-return]
        with torch.autocast("cuda", torch.bfloat16):
            heads, values = self(boards, phases)
        return heads.float(), values.float()

    def _seen(self, boards: Any, phases: Any) -> Tuple["torch.Tensor", "torch.Tensor"]:
        """Converts the arguments of forward() to tensors of the net's type and device: boards float[B, L, columns] with
        a row for each location, and phases float[B, 5], one-hot."""
        device, kind = self.near.device, self["input.weight"].dtype
        board = torch.as_tensor(boards, device=device)[:, self.rows].to(kind)
        return board, torch.nn.functional.one_hot(torch.as_tensor(phases, device=device), PHASES).to(kind)

    def forward(self, boards: Any, phases: Any) -> Tuple["torch.Tensor", "torch.Tensor"]:
        """Returns heads float[B, L, ...] for logits(), and logits of the powers' values, float[B, Q].

        boards: u1[B, L, 35], DipNet's boards. phases: int[B], numbers of phase_number().
        """
        board, phase = self._seen(boards, phases)
        seen = torch.cat([board, phase[:, None].expand(-1, board.shape[1], -1)], 2)
        h = seen @ self["input.weight"] + self["place.weight"]
        for i in range(self.layers):
            part = f"layers.{i}."
            everywhere = h.mean(1, keepdim=True) @ self[part + "all.weight"] + self[part + "bias"]
            near = self.near @ h
            h = h + torch.relu(h @ self[part + "self.weight"] + near @ self[part + "near.weight"] + everywhere)
        heads = h @ self["heads.weight"] + self["heads.bias"]
        hidden = torch.relu(h.mean(1) @ self["value.0.weight"] + self["value.0.bias"])
        return heads, hidden @ self["value.1.weight"] + self["value.1.bias"]

    @classmethod
    def load(cls, path: PathLike, tables: Tables) -> "GraphNet":
        """Reads a net from a file. Raises ValueError if the file is not a graph net for the map of the tables."""
        arrays, metadata = read_tensors(path)
        found = metadata.get("format", cls.FORMAT)
        if found != cls.FORMAT:
            raise ValueError(f"{path}: got a file of format {found!r}, wanted {cls.FORMAT!r}")
        width, heads = arrays["heads.weight"].shape
        net = cls(
            tables, width, _layers_of(arrays), (heads - SINGLES) // (2 * PAIRS), arrays["value.0.weight"].shape[1]
        )
        net._fill(path, arrays)
        return net
