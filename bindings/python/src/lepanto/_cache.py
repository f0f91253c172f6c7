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
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ._server import LepantoError, find_node, script

#: Format of folders of tensors: bindings/formats/dataset/tensor-folder.ts.
FORMAT = ("lepanto-tensors", 3)
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


class Source(NamedTuple):
    """Options that a folder of tensors depends on, beside its games."""

    observations: str
    errors: str
    map: Optional[str]
    rules: Optional[str]


def read_index(folder: Path) -> Optional[Dict[str, Any]]:
    """Returns the index of a folder of tensors of any version; None if the folder is none."""
    try:
        index = json.loads((folder / "index.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return index if isinstance(index, dict) and index.get("format") == FORMAT[0] else None


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


def open_cached(paths: Sequence[Path], source: Source, cache: Optional[Path], workers: Optional[int]) -> Folder:
    """Opens the cache of some games, after writing what it lacks.

    Only one process writes a cache at a time: another one waits. Raises LepantoError that names the game or the file.
    """
    base = os.path.dirname(paths[0])
    names = [_relative(path, base) for path in paths]
    # Caches beside the games can be moved with them. Others are shared by all directories.
    key = json.dumps([names, *source, *([base] if cache else [])])
    root = cache or Path(base, BESIDE)
    folder = root / f"{paths[0].name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    index = _fresh(folder, base, names)
    if index is None:
        with _held(folder) as lock:
            # Another process may have written it meanwhile.
            index = _fresh(folder, base, names) or _write(folder, base, names, source, workers, lock)
    return Folder(folder, index, base)


def _relative(path: Path, base: str) -> str:
    try:
        return os.path.relpath(path, base)
    except ValueError:
        # Another drive of Windows.
        return str(path)


def _stamps(base: str, names: Sequence[str]) -> Dict[str, str]:
    """Versions of the files of some games, and of the manifests of runs, as an index has them in `stamps`."""
    found: List[str] = []
    for name in names:
        path = os.path.join(base, name)
        if os.path.isdir(path):
            shards = [one for one in os.listdir(path) if re.fullmatch(r"games-\d{5,15}\.lep", one)]
            found += [os.path.normpath(os.path.join(name, one)) for one in [*shards, "manifest.json"]]
        else:
            found.append(name)
            if name.endswith(".lep"):
                found.append(os.path.normpath(os.path.join(os.path.dirname(name), "manifest.json")))
    stamps = {}
    for name in found:
        with contextlib.suppress(FileNotFoundError):
            stat = os.stat(os.path.join(base, name))
            stamps[name] = f"{stat.st_size} {stat.st_mtime_ns}"
    return stamps


def _fresh(folder: Path, base: str, names: Sequence[str]) -> Optional[Dict[str, Any]]:
    """Returns the index of a cache; None if the cache is not whole, of another version, or older than its games."""
    from . import __version__

    index = read_index(folder)
    if (
        index is None
        or (index["version"], index.get("lepanto")) != (FORMAT[1], __version__)
        or index.get("parts") is None
    ):
        return None
    return index if index["stamps"] == _stamps(base, names) else None


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[Tuple[int, ...]]:
    """Waits for the lock of a cache and keeps it. Yields its descriptor: a child process that gets it keeps the lock, too.

    Where the system has no such lock (Windows), two processes are not kept apart.
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
        fcntl.flock(file, fcntl.LOCK_EX)
        yield (file.fileno(),)


def _write(
    folder: Path, base: str, names: Sequence[str], source: Source, workers: Optional[int], lock: Tuple[int, ...]
) -> Dict[str, Any]:
    """Writes what a cache lacks with `lepanto tensors`. Returns its index."""
    from . import __version__

    former = read_index(folder)
    if former is not None and (former["version"], former.get("lepanto")) != (FORMAT[1], __version__):
        warnings.warn(
            f"{folder}: a cache of Lepanto {former.get('lepanto')} is written again by {__version__}", stacklevel=5
        )
    options = [
        *("--out", str(folder), "--replace", "--json", "--encoder", source.observations, "--errors", source.errors),
        *(() if source.map is None else ("--map", source.map)),
        *(() if source.rules is None else ("--rules", source.rules)),
        *(() if workers is None else ("--workers", str(workers))),
    ]
    command = [find_node(), str(script("dist/bindings/cli/lepanto.js")), "tensors", *options, "--", *names]
    code, said = _run(command, base, lock)
    index = _fresh(folder, base, names) or (read_index(folder) if code == 0 else None)
    if index is not None and index.get("parts") is not None:
        return index
    hint = "; wanted another folder: cache=DIR" if "cannot write" in said else ""
    raise LepantoError(f"{said or f'lepanto tensors ended with exit code {code}'}{hint}")


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
