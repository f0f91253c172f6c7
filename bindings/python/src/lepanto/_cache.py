"""The cache of datasets: folders of tensors (`lepanto tensors`), written when games are first read or have changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import __version__
from ._server import LepantoError, find_node, script

#: Name and version of the format of folders of tensors: bindings/formats/dataset/tensor-folder.ts.
FORMAT = ("lepanto-tensors", 3)
#: Version of a cache that is up to date: of the format, and of the package.
VERSION = (FORMAT[1], __version__)
#: Name of the folder for caches beside the games.
BESIDE = ".lepanto-cache"

_PROGRESS = re.compile(r"[\d,]+ of [\d,]+ games, ")


class Folder(NamedTuple):
    """A whole folder of tensors."""

    path: Path
    #: Contents of index.json.
    facts: Dict[str, Any]
    #: Directory that the paths of games in the index are relative to.
    base: str


def read_index(folder: Path) -> Optional[Dict[str, Any]]:
    """Returns the index of a folder of tensors of any version; None if the folder is none."""
    try:
        index = json.loads((folder / "index.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return index if isinstance(index, dict) and index.get("format") == FORMAT[0] else None


def _version_of(index: Mapping[str, Any]) -> Tuple[Any, Any]:
    return index["version"], index.get("lepanto")


def open_folder(path: Path) -> Folder:
    """Opens a folder that `lepanto tensors` has written. Raises ValueError unless it is whole and of this format."""
    index = read_index(path)
    if index is None or index["version"] != FORMAT[1]:
        got = "none" if index is None else index["version"]
        raise ValueError(
            f"{path}: got tensors of version {got}, wanted {FORMAT[1]}: write them again (lepanto tensors --replace)"
        )
    if index.get("parts") is None:
        raise ValueError(f"{path}: got tensors that are not whole, wanted the same `lepanto tensors` command to end")
    return Folder(path, index, "")


def open_cached(
    paths: Sequence[Path], options: Mapping[str, Optional[str]], cache: Optional[Path], workers: Optional[int]
) -> Folder:
    """Opens the cache of some games, after writing what it lacks. options: of `lepanto tensors`, but for threads.

    Only one process writes a cache at a time: another one waits. Raises LepantoError that names the game or the file.
    """
    base = os.path.dirname(paths[0])
    names = [_relative(path, base) for path in paths]
    given = [text for name, value in options.items() if value is not None for text in (f"--{name}", value)]
    # Caches beside the games can be moved with them. Others are shared by all directories.
    key = json.dumps([names, given, base if cache else ""])
    folder = (cache or Path(base, BESIDE)) / f"{paths[0].name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    index = _fresh(folder, base)
    if index is None:
        with _held(folder) as lock:
            # Another process may have written it meanwhile.
            threads = [] if workers is None else ["--workers", str(workers)]
            index = _fresh(folder, base) or _write(folder, base, [*given, *threads, "--", *names], lock)
    return Folder(folder, index, base)


def _relative(path: Path, base: str) -> str:
    try:
        return os.path.relpath(path, base)
    except ValueError:
        # Another drive of Windows.
        return str(path)


def _stamp(path: str) -> str:
    """Version of a file or directory, as an index has it in `stamps`."""
    try:
        stat = os.stat(path)
    except FileNotFoundError:
        return ""
    return f"{stat.st_size} {stat.st_mtime_ns}"


def _fresh(folder: Path, base: str) -> Optional[Dict[str, Any]]:
    """Returns the index of a cache; None if the cache is not whole, of another version, or older than its games."""
    index = read_index(folder)
    if index is None or _version_of(index) != VERSION or index.get("parts") is None:
        return None
    is_fresh = all(_stamp(os.path.join(base, name)) == stamp for name, stamp in index["stamps"].items())
    return index if is_fresh else None


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[Tuple[int, ...]]:
    """Waits for the lock of a cache and keeps it. Yields its descriptor: a child process that gets it keeps the lock,
    too.

    Where there is no such lock (Windows, some network file systems), two processes are not kept apart.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        file = open(f"{folder}.lock", "a")
    except OSError as error:
        raise LepantoError(
            f"cache: cannot write in {folder.parent} ({error.strerror}), wanted another folder: cache=DIR"
        ) from None
    with file:
        try:
            import fcntl
        except ImportError:
            yield ()
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"lepanto: waiting for the process that writes {folder}", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            # A file system without locks.
            pass
        yield (file.fileno(),)


def _write(folder: Path, base: str, arguments: Sequence[str], lock: Tuple[int, ...]) -> Dict[str, Any]:
    """Writes what a cache lacks with `lepanto tensors`. Returns its index."""
    former = read_index(folder)
    if former is not None and _version_of(former) != VERSION:
        warnings.warn(f"{folder}: a cache of Lepanto {former.get('lepanto')} is written again", stacklevel=5)
    out = ["tensors", "--out", str(folder), "--replace", "--json"]
    code, said = _run([find_node(), str(script("dist/bindings/cli/lepanto.js")), *out, *arguments], base, lock)
    index = read_index(folder)
    if code == 0 and index is not None and index.get("parts") is not None:
        return index
    hint = "; wanted another folder: cache=DIR" if "cannot write" in said else ""
    raise LepantoError(f"{said or f'lepanto tensors ended with exit code {code}'} (paths are relative to {base}){hint}")


def _run(command: List[str], base: str, lock: Tuple[int, ...]) -> Tuple[int, str]:
    """Runs a command and shows its progress. Returns its exit code, and the last line that is no progress."""
    said = ""
    quiet = subprocess.DEVNULL
    # It keeps the lock: if this process is killed, no other one writes the cache until the command has ended.
    process = subprocess.Popen(command, cwd=base, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, pass_fds=lock)
    wipe = "\r\x1b[2K" if sys.stderr.isatty() else ""
    try:
        assert process.stderr is not None
        for line in process.stderr:
            text = line.decode("utf-8", "replace").rstrip("\n")
            if _PROGRESS.match(text):
                print(f"{wipe}{text}", end="" if wipe else "\n", file=sys.stderr, flush=True)
            elif text:
                said = re.sub(r"^lepanto: ", "", text)
        code = process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
        assert process.stderr is not None
        process.stderr.close()
    if wipe:
        print(wipe, end="", file=sys.stderr, flush=True)
    return code, said
