"""The child process that holds the engine, and the memory that is shared with it.

The memory is a file without a name: nothing can be left behind. The child reads a pipe whose other end is ours, so it
ends when we do; a second watch in the child looks at its parent's process id, for when a fork of ours keeps the pipe open.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any, Optional

import numpy as np

NODE_MAJOR = 20


class LepantoError(RuntimeError):
    """Something that the engine refused, or the end of the engine itself."""


class IllegalAction(LepantoError, ValueError):
    """An action that is not legal. Names the game, the power and the unit; no game has been stepped."""


class EngineDied(LepantoError):
    """The child process is gone. Carries its last words."""


def find_node() -> str:
    """Path of the `node` to use: `LEPANTO_NODE`, else the one on the PATH.

    Raises LepantoError if there is none, or if it is older than Node 20.
    """
    node = os.environ.get("LEPANTO_NODE") or shutil.which("node")
    if not node:
        raise LepantoError("got no node on the PATH and no LEPANTO_NODE, wanted Node 20 or newer")
    if node in _checked:
        return node
    try:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        raise LepantoError(f"cannot run {node}: {error}") from error
    found = re.match(r"v(\d+)\.", version)
    if not found or int(found.group(1)) < NODE_MAJOR:
        raise LepantoError(f"{node}: got version {version or 'none'}, wanted {NODE_MAJOR} or newer")
    _checked.add(node)
    return node


_checked: set = set()


def script(name: str) -> Path:
    """A built JavaScript file of the package; `LEPANTO_JS` names another root, that of a built tree."""
    roots = [os.environ.get("LEPANTO_JS"), str(Path(__file__).parent / "js")]
    for root in roots:
        if root and (Path(root) / name).is_file():
            return Path(root) / name
    raise LepantoError(
        f"got no {name} beside the package, wanted the built JavaScript: run `npm run build:python` before pip install"
    )


def _anonymous_file() -> int:
    """An open file without a name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("lepanto", os.MFD_CLOEXEC)
    directory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    fd, path = tempfile.mkstemp(prefix="lepanto-", dir=directory)
    os.unlink(path)
    return fd


class _LastWords:
    """Keeps the end of what the child writes to stderr."""

    def __init__(self, stream: Any) -> None:
        self._tail = b""
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while True:
                data = self._stream.read1(4096)
                if not data:
                    return
                self._tail = (self._tail + data)[-4000:]
        except (OSError, ValueError):
            return

    def text(self) -> str:
        self._thread.join(timeout=1)
        return self._tail.decode("utf-8", "replace").strip()


def _stop(process: subprocess.Popen, memory: Any) -> None:
    """Ends the child: by the end of its pipe, and by force if it does not."""
    for stream in (process.stdin, process.stdout):
        try:
            if stream:
                stream.close()
        except OSError:
            pass
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stderr:
        process.stderr.close()
    try:
        if memory:
            memory[0].close()
    except BufferError:
        # Arrays of the user still look into the memory; it goes with the last of them.
        pass


class Server:
    """One engine process. `arrays` has numpy views of everything it shares, by name."""

    def __init__(self, config: dict) -> None:
        node = find_node()
        path = script("dist/bindings/server/main.js")
        fd = _anonymous_file()
        try:
            self._process = subprocess.Popen(
                [node, str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=(fd,),
            )
            holder: list = []
            # The stderr stream is unbuffered (a raw file); the reader wants read1.
            self._words = _LastWords(os.fdopen(os.dup(self._process.stderr.fileno()), "rb"))
            self._finalizer = weakref.finalize(self, _stop, self._process, holder)
            self._pid = os.getpid()
            self._in = self._process.stdin.fileno()
            self._out = self._process.stdout.fileno()
            self._send(json.dumps({**config, "fd": fd, "parent": os.getpid()}).encode() + b"\n")
            self.info = json.loads(self._line())
            if "error" in self.info:
                self.close()
                raise LepantoError(self.info["error"])
            self._memory = mmap.mmap(fd, self.info["size"])
            holder.append(self._memory)
        finally:
            os.close(fd)
        self.arrays: dict = {}
        for entry in self.info["arrays"]:
            dtype = np.dtype("<" + entry["dtype"])
            count = int(np.prod(entry["shape"]))
            flat = np.frombuffer(self._memory, dtype, count, entry["offset"])
            self.arrays[entry["name"]] = flat.reshape(entry["shape"])

    def _died(self) -> EngineDied:
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            code = None
        words = self._words.text()
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return EngineDied(f"the engine has ended with {how}" + (f"; its last words: {words}" if words else ""))

    def _send(self, data: bytes) -> None:
        if os.getpid() != self._pid:
            raise LepantoError("got a batch of another process, wanted one made after the fork")
        try:
            done = os.write(self._in, data)
            while done < len(data):
                done += os.write(self._in, data[done:])
        except (BrokenPipeError, OSError, ValueError):
            raise self._died() from None

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = os.read(self._out, count - len(data))
            if not more:
                raise self._died()
            data += more
        return data

    def _line(self) -> bytes:
        data = b""
        while not data.endswith(b"\n"):
            more = os.read(self._out, 1 << 20)
            if not more:
                raise self._died()
            data += more
        return data

    def post(self, command: bytes) -> None:
        """Rings: sends one command without waiting for its answer."""
        if not self._finalizer.alive:
            raise LepantoError("got a closed batch, wanted an open one")
        self._send(command)

    def wait(self) -> None:
        """Waits for the answer of the oldest command. Raises what the engine refused."""
        mark = self._read(1)
        if mark == b".":
            return
        raise self._refusal()

    def _refusal(self) -> LepantoError:
        length = int.from_bytes(self._read(4), "little")
        text = self._read(length).decode("utf-8", "replace")
        kind, _, message = text.partition(": ")
        return IllegalAction(message) if kind == "ActionError" else LepantoError(message or text)

    def call(self, command: bytes) -> None:
        self.post(command)
        self.wait()

    def ask(self, **request: Any) -> Any:
        """A request in JSON, and its answer."""
        self.post(b"j" + json.dumps(request).encode() + b"\n")
        mark = self._read(1)
        if mark != b".":
            raise self._refusal()
        length = int.from_bytes(self._read(4), "little")
        return json.loads(self._read(length))

    @property
    def process_id(self) -> int:
        return self._process.pid

    def close(self) -> None:
        """Ends the child. Calling it again does nothing."""
        self._finalizer()
