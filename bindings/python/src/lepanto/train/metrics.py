"""Metrics of a run: one JSON object per line in metrics.jsonl, and event files if TensorBoard is installed."""

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
    """Returns a value for JSON: NaN and infinities, also in dicts, become None."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_metrics(directory: Union[str, "os.PathLike[str]"]) -> List[Dict[str, Any]]:
    """Returns the lines of a run's metrics.jsonl as dicts, in order. directory: directory of the run.

    Skips a last line that is still being written. Raises ValueError for any other line that is not a JSON object.
    """
    lines = (Path(directory) / METRICS).read_text(encoding="utf-8").split("\n")
    found = []
    # Text after the last newline is an unfinished line.
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
    """Appends lines to metrics.jsonl. A resumed run first cuts the lines after its checkpoint, so that no line is
    repeated or incomplete."""

    def __init__(self, directory: Path, size: int, positions: int, events: bool) -> None:
        """Opens metrics.jsonl, and cuts its lines after the checkpoint.

        directory: directory of the run. size: bytes of metrics.jsonl at the checkpoint. positions: number of positions
            that the run had learned from at the checkpoint. events: True to write TensorBoard files too.
        """
        self.path = directory / METRICS
        kept = self.path.read_bytes()[:size] if self.path.exists() else b""
        # After a crash of the machine the file may be shorter than `size`; keep its complete lines.
        kept = kept[: kept.rfind(b"\n") + 1]
        with open(self.path, "ab") as file:
            file.truncate(len(kept))
        self.size = len(kept)
        self._writer: Any = None
        if events:
            from torch.utils.tensorboard import SummaryWriter

            # TensorBoard discards events from purge_step on, which were written after the checkpoint.
            self._writer = SummaryWriter(str(directory / EVENTS), purge_step=positions + 1 if positions else None)

    def add(self, line: Dict[str, Any]) -> None:
        """Appends a line to metrics.jsonl and, if they are written, to TensorBoard's files. There `positions` is the
        step; curves are named by `stage` and the keys."""
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
                # Booleans have no curve, and the positions are the steps of the others.
                if type(one) in (int, float) and math.isfinite(one) and name != "positions":
                    self._writer.add_scalar(f"{line['stage']}/{tag}", one, line["positions"])
        self._writer.flush()

    def settle(self) -> None:
        """Flushes metrics.jsonl to disk. Called before a checkpoint records its size."""
        if self.path.exists():
            with open(self.path, "ab") as file:
                os.fsync(file.fileno())

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
