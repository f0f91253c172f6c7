"""Files that appear whole: written next to their place and renamed."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Iterator, Union


@contextlib.contextmanager
def replacing(path: Union[str, "os.PathLike[str]"]) -> Iterator[Path]:
    """The path to write a file to; it gets the given path once that is done, and is removed if that fails."""
    target = Path(path)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Union[str, "os.PathLike[str]"], data: Union[str, bytes]) -> None:
    with replacing(path) as part:
        part.write_bytes(data.encode() if isinstance(data, str) else data)
