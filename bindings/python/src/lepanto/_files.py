"""Atomic file replacement (write to a temporary file, then rename), file locks, and exclusive directories."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import IO, Callable, Iterator, Union


@contextlib.contextmanager
def replacing(path: Union[str, "os.PathLike[str]"]) -> Iterator[Path]:
    """Context that yields a temporary path to write to, next to `path`. Renames it to `path` at the end; removes it if
    the block raises."""
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


@contextlib.contextmanager
def locked(path: Path, when_taken: Callable[[IO[str]], None]) -> Iterator[IO[str]]:
    """Context that creates a file if it is missing, holds its lock and yields the file. The system frees the lock when
    the process ends for any reason.

    when_taken: called with the file if another process has the lock. Waits for the lock afterwards, unless this raises.
        Does not lock on systems without such locks (Windows, some network file systems).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            when_taken(file)
            fcntl.flock(file, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass
        yield file


@contextlib.contextmanager
def held(directory: Path) -> Iterator[None]:
    """Reserves a directory for this process within a `with` block, by a file `lock` in it. Raises OSError, naming the
    process that uses the directory."""

    def refuse(file: IO[str]) -> None:
        file.seek(0)
        who = file.read(200).strip() or "another process"
        raise OSError(f"--out: {directory} is in use by {who}, wanted another one")

    with locked(directory / "lock", refuse) as file:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        yield


@contextlib.contextmanager
def streams_taken() -> Iterator[None]:
    """Keeps file descriptors 0 to 2 open within a `with` block, so that files opened in it do not get the numbers of
    standard streams.

    A daemon may have closed its standard streams. Child processes would take a file with such a number for a standard
    stream, and so would this process once it opens its streams again.
    """
    taken = [os.open(os.devnull, os.O_RDWR)]
    try:
        while taken[-1] < 3:
            taken.append(os.open(os.devnull, os.O_RDWR))
        yield
    finally:
        for fd in taken:
            os.close(fd)
