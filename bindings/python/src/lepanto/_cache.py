"""Cache of datasets: folders of tensors (`lepanto tensors`), written when games are first read or have changed."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import __version__
from ._files import locked
from ._server import LepantoError, find_node, script

#: Name and version of the format of folders of tensors: bindings/formats/dataset/tensor-folder.ts.
FORMAT = ("lepanto-tensors", 3)
#: Version of an up-to-date cache: (format version, package version).
VERSION = (FORMAT[1], __version__)
#: Name of the cache folder, created next to the games.
BESIDE = ".lepanto-cache"

#: Most caches to write together. Each holds a lock, hence an open file.
_AT_ONCE = 256
_PROGRESS = re.compile(r"[\d,]+ of [\d,]+ (games|runs), ")


class Folder(NamedTuple):
    """A complete folder of tensors (recorded games as arrays), written by `lepanto tensors`."""

    path: Path
    #: Contents of the folder's index.json.
    facts: Dict[str, Any]
    #: Directory that the paths of game files in the index are relative to.
    base: str


def read_index(folder: Path) -> Optional[Dict[str, Any]]:
    """Returns the contents of a folder's index.json, for folders of tensors of any version. None if the file is
    missing, is not JSON, or belongs to something else."""
    try:
        index = json.loads((folder / "index.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return index if isinstance(index, dict) and index.get("format") == FORMAT[0] else None


def _version_of(index: Mapping[str, Any]) -> Tuple[Any, Any]:
    return index["version"], index.get("lepanto")


def open_folder(path: Path) -> Folder:
    """Opens a folder written by `lepanto tensors`. Raises ValueError unless it is complete and of this version."""
    index = read_index(path)
    if index is None or index["version"] != FORMAT[1]:
        got = "none" if index is None else index["version"]
        raise ValueError(
            f"{path}: got tensors of version {got}, wanted {FORMAT[1]}: write them again (lepanto tensors --replace)"
        )
    if index.get("parts") is None:
        raise ValueError(f"{path}: got tensors that are not whole, wanted the same `lepanto tensors` command to end")
    return Folder(path, index, "")


class _Wanted(NamedTuple):
    """A cache: its folder, and the paths of its games relative to a base directory."""

    folder: Path
    base: str
    names: List[str]


def open_cached(
    groups: Sequence[Sequence[Path]], options: Mapping[str, Any], cache: Optional[Path], workers: Optional[int]
) -> List[Folder]:
    """Opens a cache for each group of game paths, and first writes the missing or outdated caches.

    groups: paths of games, one non-empty group per cache. options: options of `lepanto tensors`, which are part of the
        cache's name. cache: folder for the caches; None: a folder next to the games. workers: number of threads.

    Only one process writes a cache at a time; other processes wait. Raises LepantoError naming the game or the file.
    """
    wanted: List[_Wanted] = []
    for paths in groups:
        base = os.path.dirname(paths[0])
        names = [_relative(path, base) for path in paths]
        # A cache next to the games can be moved with them, so its name does not depend on their directory. A cache
        # folder that the user names is shared by all directories.
        key = hashlib.sha256(json.dumps([names, options, base if cache else ""]).encode()).hexdigest()
        wanted.append(_Wanted((cache or Path(base, BESIDE)) / f"{paths[0].name}-{key[:12]}", base, names))
    old = sorted({one.folder: one for one in wanted if _fresh(one) is None}.values(), key=lambda one: (one.base, one))
    for base, some in itertools.groupby(old, key=lambda one: one.base):
        rest = list(some)
        while rest:
            with contextlib.ExitStack() as held:
                locks = [_hold(held, one.folder) for one in rest[:_AT_ONCE]]
                # Another process may have written some of these caches while this one waited.
                missing = [one for one in rest[:_AT_ONCE] if _fresh(one) is None]
                _write(base, missing, {**options, "workers": workers}, locks)
            rest = rest[_AT_ONCE:]
    # Reads without _fresh(): a run that is still growing is already newer than its cache.
    return [Folder(one.folder, read_index(one.folder) or {}, one.base) for one in wanted]


def _relative(path: Path, base: str) -> str:
    try:
        return os.path.relpath(path, base)
    except ValueError:
        # Raised on Windows if the path is on another drive.
        return str(path)


def _stamp(path: str) -> str:
    """Returns size in bytes and modification time in nanoseconds of a file or directory, as "SIZE TIME"; "" if it is
    missing."""
    try:
        stat = os.stat(path)
    except FileNotFoundError:
        return ""
    return f"{stat.st_size} {stat.st_mtime_ns}"


def _fresh(wanted: _Wanted) -> Optional[Dict[str, Any]]:
    """Returns the index of an up-to-date cache. None if the cache is incomplete, of another version, or older than its
    games."""
    index = read_index(wanted.folder)
    if index is None or _version_of(index) != VERSION or index.get("parts") is None:
        return None
    is_fresh = all(_stamp(os.path.join(wanted.base, name)) == stamp for name, stamp in index["stamps"].items())
    return index if is_fresh else None


def _hold(held: contextlib.ExitStack, folder: Path) -> int:
    """Takes the lock of a cache and keeps it until `held` is closed. Waits if another process has it, and says so on
    stderr.

    folder: the cache; the lock is a file next to it. Returns the lock's file descriptor. A child process that inherits
        it keeps the lock too. Raises LepantoError if the lock cannot be written.
    """

    def wait(_: object) -> None:
        print(f"lepanto: waiting for the process that writes {folder}", file=sys.stderr)

    try:
        return held.enter_context(locked(Path(f"{folder}.lock"), wait)).fileno()
    except OSError as error:
        wanted = f"cannot write in {folder.parent} ({error.strerror}), wanted another directory: cache=DIR"
        raise LepantoError(f"cache: {wanted}") from None


def _write(base: str, wanted: Sequence[_Wanted], options: Mapping[str, Any], locks: Sequence[int]) -> None:
    """Writes caches of games in a child process and shows its progress on stderr. Does nothing if none is wanted.

    base: working directory, to which the paths of the games are relative. options: options of `lepanto tensors`. locks:
        descriptors of the caches' locks, which the child inherits.

    Warns of a cache of another version that is written again. Raises LepantoError if the child fails.
    """
    if not wanted:
        return
    for folder, _, _ in wanted:
        former = read_index(folder)
        if former is not None and _version_of(former) != VERSION:
            warnings.warn(f"{folder}: a cache of Lepanto {former.get('lepanto')} is written again", stacklevel=5)
    request = {"folders": [{"paths": names, "out": str(folder)} for folder, _, names in wanted], **options}
    said = ""
    pipe = subprocess.PIPE
    # The child inherits the locks: if this process is killed, no other one writes the caches until the child ends.
    command = [find_node(), str(script("dist/bindings/python/write-tensors.js"))]
    kept = () if os.name == "nt" else tuple(locks)
    process = subprocess.Popen(command, cwd=base, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, pass_fds=kept)
    assert process.stdin is not None and process.stderr is not None
    wipe = "\r\x1b[2K" if sys.stderr.isatty() else ""
    try:
        with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(json.dumps(request).encode())
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
        process.stderr.close()
        print(wipe, end="", file=sys.stderr, flush=True)
    if code != 0:
        hint = "; wanted another directory: cache=DIR" if "cannot write" in said else ""
        raise LepantoError(f"{said or f'the engine ended with exit code {code}'} (paths are relative to {base}){hint}")
