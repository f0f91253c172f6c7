"""HTTP client for language models on servers with OpenAI's /chat/completions."""

from __future__ import annotations

import contextlib
import functools
import http.client
import io
import json
import os
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from .._checks import whole_from
from .._server import LepantoError

#: Longest response, in bytes.
MOST_BYTES = 4_000_000
#: The longest wait before another try, in seconds.
LONGEST_WAIT = 60.0
#: HTTP statuses below 500 after which a retry may succeed. Statuses from 500 on are retried too.
_PASSING = (408, 409, 425, 429)


class EndpointError(LepantoError):
    """Raised if all tries of a request fail. The message never contains the key."""

    tries: int = 1
    """Number of failed tries."""
    seconds: float = 0.0
    """Seconds from the first try to the end of the last one."""


class Refused(EndpointError):
    """Raised if a server refuses a request, so that a retry is useless: wrong key, model or address."""


@dataclass(frozen=True)
class Reply:
    """Reply of a model, with its tokens, time and cost."""

    text: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    """Number of the tokens in `tokens_in` that the server read from its cache."""
    seconds: float
    """Seconds from the first try to the answer."""
    cost: float
    """Cost in USD by the endpoint's prices; 0 without prices."""
    tries: int


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would send the key to another address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Timed(io.RawIOBase):
    """Stream that reads from a socket until a deadline; then reading raises TimeoutError. end: deadline, in seconds of
    time.perf_counter()."""

    def __init__(self, sock: socket.socket, end: float) -> None:
        self._socket, self._end = sock, end
        self._raw: Any = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._socket.settimeout(_left(self._end))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _left(end: float) -> float:
    """Returns the seconds until a deadline. end: deadline, in seconds of time.perf_counter(). Raises TimeoutError after
    it."""
    left = end - time.perf_counter()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *given: Any, end: float, **options: Any) -> None:
        super().__init__(sock, *given, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Timed(sock, end))


class _Connection(http.client.HTTPConnection):
    """HTTP connection with a single deadline for all sent and received bytes. timeout: seconds until the deadline."""

    def __init__(self, host: str, *, timeout: float = 120.0, **options: Any) -> None:
        super().__init__(host, timeout=timeout, **options)
        self._end = time.perf_counter() + timeout
        self.response_class = functools.partial(_Response, end=self._end)  # type: ignore[assignment]

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        self.sock.settimeout(_left(self._end))
        super().send(data)


class _SecureConnection(_Connection, http.client.HTTPSConnection):
    """HTTPS connection with a single deadline for all sent and received bytes. Checks the server's certificate."""


class _Handler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_Connection, req)

    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_SecureConnection, req)


class Endpoint:
    """A model on an OpenAI-compatible server: OpenAI, vLLM, llama.cpp, Ollama and others.

    model: name of the model on the server. base_url: address such as "http://127.0.0.1:8000/v1".
    key_env: environment variable with the key. If it is not set, no key is sent.
    timeout: time limit of a try in seconds, from its connection to the end of its answer.
    retries: number of tries after the first one. concurrency: limit of simultaneous requests. wait: seconds before the
        second try, doubled for each further one, unless the server sends a Retry-After header.
    price: USD per million tokens read, and per million written.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        key_env: str = "OPENAI_API_KEY",
        timeout: float = 120.0,
        retries: int = 4,
        concurrency: int = 7,
        wait: float = 1.0,
        price: Tuple[float, float] = (0.0, 0.0),
    ) -> None:
        address = urllib.parse.urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"base_url: got {base_url!r}, wanted http://HOST/v1 or https://HOST/v1")
        if address.username or address.password or address.query:
            raise ValueError(f"base_url: got one with a key in it, wanted the key in the environment ({key_env})")
        if not model:
            raise ValueError("model: got no name, wanted one")
        if not isinstance(price, (tuple, list)) or len(price) != 2:
            raise ValueError(f"price: got {price!r}, wanted two numbers: USD for a million tokens read, and written")
        if not timeout > 0 or not wait >= 0 or not all(one >= 0 for one in price):
            raise ValueError(
                f"timeout, wait, price: got {timeout}, {wait}, {price}, wanted numbers from 0, and a timeout above 0"
            )
        self.model = model
        self.url = base_url.rstrip("/") + "/chat/completions"
        self.key_env = key_env
        self.timeout = timeout
        self.retries = whole_from("retries", retries, 0, 100)
        self.concurrency = whole_from("concurrency", concurrency, 1, 1000)
        self.wait = wait
        self.price = price
        #: Function that waits before a retry, in seconds.
        self._sleep: Callable[[float], None] = time.sleep
        self._free = threading.BoundedSemaphore(self.concurrency)
        self._opener = urllib.request.build_opener(_NoRedirect(), _Handler())

    def __repr__(self) -> str:
        return f"<lepanto.llm.Endpoint: {self.model} at {self.url}>"

    def chat(self, messages: Sequence[Mapping[str, str]], **options: Any) -> Reply:
        """Sends a chat and returns the model's reply.

        messages: dicts with role and content. options: further request fields, such as temperature, max_tokens, seed.
        Raises Refused if the server refuses the request, and EndpointError with the last error if all tries fail.
        """
        if isinstance(messages, (str, bytes, Mapping)) or not all(isinstance(one, Mapping) for one in messages):
            raise TypeError(f"messages: got {messages!r}, wanted a list such as [{{'role': 'user', 'content': '...'}}]")
        body = json.dumps({"model": self.model, "messages": list(messages), **options}).encode()
        with self._free:
            begun = time.perf_counter()
            for tries in range(1, self.retries + 2):
                try:
                    return self._read(self._post(body), time.perf_counter() - begun, tries)
                except Refused:
                    raise
                except EndpointError as error:
                    if tries > self.retries:
                        words = f"{tries} {'try' if tries == 1 else 'tries'}"
                        failed = EndpointError(f"{error}, wanted an answer ({words})")
                        failed.tries, failed.seconds = tries, time.perf_counter() - begun
                        raise failed from None
                    asked = getattr(error, "wait", None)
                    pause = self.wait * 2 ** (tries - 1) if asked is None else asked
                    self._sleep(min(pause, LONGEST_WAIT))
        raise AssertionError("unreachable")

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        key = self._key()
        if not key.isascii() or any(not "!" <= letter <= "~" for letter in key):
            raise Refused(
                f"{self.key_env}: got a key with spaces or letters beyond ASCII, wanted one that a header can have"
            )
        if key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            request = urllib.request.Request(self.url, body, headers, method="POST")
            with self._opener.open(request, timeout=self.timeout) as answer:
                data: bytes = answer.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise ValueError(f"more than {MOST_BYTES:,} bytes")
        except urllib.error.HTTPError as error:
            said = ""
            # Some gateways cut the body of an error. The status is enough then.
            with error, contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                said = self._said(error.read(1 << 16))
            text = f"{self.url}: got status {error.code}: {said}".rstrip(": ")
            if error.code not in _PASSING and error.code < 500:
                raise Refused(f"{text}, wanted 200") from None
            failed = EndpointError(text)
            failed.wait = _seconds(error.headers.get("Retry-After"))  # type: ignore[attr-defined]
            raise failed from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise EndpointError(
                f"{self.url}: got {self._said((str(reason) or type(reason).__name__).encode())}"
            ) from None
        return data

    def _read(self, data: bytes, seconds: float, tries: int) -> Reply:
        try:
            answer = json.loads(data.decode("utf-8"))
            content = answer["choices"][0]["message"]["content"]
            usage = answer.get("usage") or {}
            read, written = (_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
            cached = _count((usage.get("prompt_tokens_details") or {}).get("cached_tokens"))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise EndpointError(f"{self.url}: got {self._said(data)!r}") from None
        text = content if isinstance(content, str) else ""
        cost = (read * self.price[0] + written * self.price[1]) / 1e6
        return Reply(self._clean(text), read, written, cached, seconds, cost, tries)

    def _key(self) -> str:
        return os.environ.get(self.key_env, "").strip()

    def _clean(self, text: str) -> str:
        """Replaces the server's key in a text by "[key]", in case a server repeats it."""
        key = self._key()
        return text.replace(key, "[key]") if key else text

    def _said(self, data: bytes) -> str:
        """Returns the first 200 characters of a response for an error message, without the key and control
        characters."""
        text = self._clean(data.decode("utf-8", "replace"))
        return "".join(letter if letter.isprintable() else " " for letter in text[:200]).strip()


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else 0


def _seconds(text: Optional[str]) -> Optional[float]:
    """Parses the seconds of a Retry-After header. Returns None if the header is missing or a date."""
    try:
        return max(0.0, float(text or ""))
    except ValueError:
        return None


def usage_of(reply: Reply) -> Dict[str, Any]:
    """Returns the fields of a reply without its text, for records. Seconds are rounded to milliseconds."""
    took = {name: value for name, value in asdict(reply).items() if name != "text"}
    return {**took, "seconds": round(reply.seconds, 3)}
