"""What a run has measured: one JSON object a line in metrics.jsonl, and the same for TensorBoard where that is
installed."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Dict, List, Union

METRICS = "metrics.jsonl"
#: Folder of TensorBoard's event files.
EVENTS = "tensorboard"


def _plain(value: Any) -> Any:
    """JSON has no NaN: null."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_metrics(directory: Union[str, "os.PathLike[str]"]) -> List[Dict[str, Any]]:
    """The lines of a run. One that is still being written is left out. Raises ValueError for anything else that is no
    JSON."""
    lines = (Path(directory) / METRICS).read_text(encoding="utf-8").split("\n")
    found = []
    # What follows the last newline is not whole.
    for number, line in enumerate(lines[:-1], 1):
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            value = None
        if not isinstance(value, dict):
            raise ValueError(f"{METRICS}, line {number}: got {line[:80]!r}, wanted a JSON object")
        found.append(value)
    return found


class Metrics:
    """Adds lines to metrics.jsonl. A run that resumes from a checkpoint cuts what was written after it, so that no line
    is there twice or in part."""

    def __init__(self, directory: Path, size: int, positions: int, events: bool) -> None:
        """size: bytes of the file at the checkpoint; positions: how many the run had learned from by then."""
        self.path = directory / METRICS
        kept = self.path.read_bytes()[:size] if self.path.exists() else b""
        # Fewer than there were, if the machine itself went down: whole lines of them.
        kept = kept[: kept.rfind(b"\n") + 1]
        with open(self.path, "ab") as file:
            file.truncate(len(kept))
        self.size = len(kept)
        self._writer: Any = None
        if events:
            from torch.utils.tensorboard import SummaryWriter

            # Events behind the checkpoint are told to be void.
            self._writer = SummaryWriter(str(directory / EVENTS), purge_step=positions + 1 if positions else None)

    def add(self, line: Dict[str, Any]) -> None:
        """One line. Its `positions` are the steps of TensorBoard, its `stage` and names those of the curves."""
        data = (json.dumps(_plain(line)) + "\n").encode()
        with open(self.path, "ab") as file:
            file.write(data)
        self.size += len(data)
        if self._writer is not None:
            self._tell(line)

    def _tell(self, line: Dict[str, Any]) -> None:
        for name, value in line.items():
            values = {f"{name}/{key}": one for key, one in value.items()} if isinstance(value, dict) else {name: value}
            for tag, one in values.items():
                # No bool is a curve, and the positions are the steps of all others.
                if type(one) in (int, float) and math.isfinite(one) and name != "positions":
                    self._writer.add_scalar(f"{line['stage']}/{tag}", one, line["positions"])
        self._writer.flush()

    def settle(self) -> None:
        """Brings what was added to the disk: a checkpoint is about to say that it is there."""
        if self.path.exists():
            with open(self.path, "ab") as file:
                os.fsync(file.fileno())

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
