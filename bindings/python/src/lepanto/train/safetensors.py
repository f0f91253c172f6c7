"""Safetensors files (https://github.com/huggingface/safetensors, "Format"), which the engine reads too."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Mapping, Tuple, Union

import numpy as np
import numpy.typing as npt

from .._files import replacing

Floats = npt.NDArray[np.float32]
PathLike = Union[str, "os.PathLike[str]"]


def write_tensors(path: PathLike, tensors: Mapping[str, Floats], metadata: Mapping[str, str]) -> None:
    """Writes float32 tensors and metadata to a safetensors file, atomically. tensors, metadata: keyed by name."""
    header: Dict[str, Any] = {"__metadata__": dict(metadata)}
    end = 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [end, end + tensor.nbytes]}
        end += tensor.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with replacing(path) as part, open(part, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(np.ascontiguousarray(tensor, "<f4").tobytes())
        file.flush()
        os.fsync(file.fileno())


def read_tensors(path: PathLike) -> Tuple[Dict[str, Floats], Dict[str, str]]:
    """Reads a safetensors file of float32 tensors. Returns its tensors by name, and its metadata. Raises ValueError if
    the file is not valid or has tensors of another type."""
    data = Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    if size > len(data) - 8:
        raise ValueError(f"{path}: got a header of {size} bytes in a file of {len(data)}, wanted a safetensors file")
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            raise ValueError(f"{path}: got a tensor of {entry['dtype']}, wanted F32")
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[8 + size + begin : 8 + size + end], "<f4").reshape(entry["shape"]).copy()
    return tensors, metadata
