"""Files that appear whole, written next to their place and renamed; directories that one process has at a time."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import IO, Callable, Iterator, Union


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


@contextlib.contextmanager
def locked(path: Path, when_taken: Callable[[IO[str]], None]) -> Iterator[IO[str]]:
    """Makes a file, keeps its lock and yields it. The system frees the lock when the process ends, however it does.

    when_taken: called with the file if another process has the lock. The lock is waited for then, unless this raises.
    Where there is no such lock (Windows, some network file systems), two processes are not kept apart.
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
    """Takes a directory until the process ends. Raises OSError that says who has it."""

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
    """While this lasts, descriptors 0 to 2 are open, so that nothing opened meanwhile gets the number of a standard
    stream.

    A daemon may have closed them. What has their numbers would be taken for them by other processes, and by this one
    once it opens them again.
    """
    taken = [os.open(os.devnull, os.O_RDWR)]
    try:
        while taken[-1] < 3:
            taken.append(os.open(os.devnull, os.O_RDWR))
        yield
    finally:
        for fd in taken:
            os.close(fd)
