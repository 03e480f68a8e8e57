"""Models behind HTTP: one request with its retries, on a connection that stays open, and the events that come back."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

from hookline.agents.base import ModelError, ModelReply, ModelRequest, OnDelta, ToolUse
from hookline.model.errors import UsageError
from hookline.model.record import Record
from hookline.model.short_json import whole_json
from hookline.system.clock import now

EVENT_LIMIT = 32 << 20


class Answer(Protocol):
    """Collects one streamed answer. `take` raises ModelError for an error event."""

    def take(self, event: str, content: Any) -> str:
        """The text that one event adds."""

    @property
    def complete(self) -> bool: ...

    def reply(self) -> ModelReply: ...


class Wire(Protocol):
    """How one provider is spoken to."""

    provider: str
    path: str

    def headers(self, key: str) -> Mapping[str, str]: ...

    def body(self, name: str, request: ModelRequest) -> Mapping[str, Any]: ...

    def answer(self) -> Answer: ...


class Patience(Record):
    """How long and how often is waited, in seconds. `idle_s` is between two pieces of an answer,
    `kept_s` how long a connection waits for the next request, while tools run.
    """

    attempts: int = 5
    connect_s: float = 15.0
    idle_s: float = 180.0
    first_delay_s: float = 1.0
    longest_delay_s: float = 60.0
    kept_s: float = 30.0


_KINDS: Mapping[int, str] = {
    400: "invalid_request", 401: "authentication_failed", 402: "billing_error", 403: "authentication_failed",
    404: "model_not_found", 413: "invalid_request", 422: "invalid_request", 429: "rate_limit",
    529: "overloaded",
}  # fmt: skip
_RETRIED_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_FIELDS = (b"event:", b"data:", b"id:", b"retry:", b":", b"\xef\xbb\xbf")  # what a stream may begin with
ERROR_TEXT_LIMIT = 2000
REST_S = 0.2  # for what may still come of a body behind the last event
LOST = "\n[the connection was lost; asking again]\n"


class LlmModel:
    """A model of a provider. Raises ModelError when all attempts failed; cancelling ends the request.

    Its connections serve the next requests too, until nothing was asked for `kept_s` seconds.
    """

    def __init__(
        self, wire: Wire, name: str, base_url: str, key: str, patience: Patience | None = None
    ) -> None:
        self._wire = wire
        self._model = name
        base = base_url.rstrip("/")
        self._url = (base.removesuffix("/v1") if wire.path.startswith("/v1/") else base) + wire.path
        self._headers = {**wire.headers(key), "accept": "text/event-stream"}
        self._patience = patience or Patience()
        self._certificates: Any = None  # read once: that takes longer than all else of a request
        self._clients = Clients(self._new_client, self._patience.kept_s)

    @property
    def name(self) -> str:
        return f"{self._wire.provider}:{self._model}"

    def prepare(self) -> None:
        """Does once what takes a second and would stop a loop that serves others: a host calls it first."""
        if self._certificates is None:
            self._certificates = _client_library().create_ssl_context()

    async def request(self, request: ModelRequest, on_delta: OnDelta | None = None) -> ModelReply:
        """One answer. Rate limits, overload and broken connections are tried again, later and later."""
        shown = _Shown(on_delta)
        for attempt in range(1, self._patience.attempts + 1):
            try:
                return await self._once(request, shown)
            except ModelError as error:
                request.on_failure(error.message)
                if not error.retryable or attempt == self._patience.attempts:
                    raise
                delay = self._delay(attempt, error.retry_after)
                if delay is None:
                    raise
                shown.lost()
                await asyncio.sleep(delay)
        raise AssertionError("the last attempt returns or raises")

    def _delay(self, attempt: int, wanted: float | None) -> float | None:
        """Seconds to wait; None when the server asks for more than is bearable."""
        if wanted is not None:
            return wanted if wanted <= self._patience.longest_delay_s else None
        longest = min(self._patience.first_delay_s * 2.0 ** (attempt - 1), self._patience.longest_delay_s)
        return longest * random.uniform(0.5, 1.0)  # many clients must not come back at the same moment

    async def _once(self, request: ModelRequest, shown: _Shown) -> ModelReply:
        httpx2 = _client_library()
        content = json.dumps(self._wire.body(self._model, request), ensure_ascii=True).encode()
        headers = {**self._headers, "content-type": "application/json"}
        try:
            async with (
                self._clients.use() as client,
                client.stream("POST", self._url, content=content, headers=headers) as response,
            ):
                if response.status_code != 200:
                    raise await self._refused(response)
                return await self._read(response.aiter_bytes(), shown)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise ModelError(f"{self._url}: {error}", "invalid_request") from error
        except httpx2.TimeoutException as error:
            raise ModelError(f"{self._url}: no answer in time", "server_error", retryable=True) from error
        except httpx2.HTTPError as error:
            words = f"{self._url}: {str(error) or type(error).__name__}"
            raise ModelError(words, "server_error", retryable=True) from error

    def _new_client(self) -> Any:
        self.prepare()
        httpx2, patience = _client_library(), self._patience
        return httpx2.AsyncClient(
            timeout=httpx2.Timeout(patience.idle_s, connect=patience.connect_s),
            limits=httpx2.Limits(max_connections=None, keepalive_expiry=patience.kept_s),
            verify=self._certificates,
        )

    async def _read(self, pieces: AsyncIterator[bytes], shown: _Shown) -> ModelReply:
        answer, head = self._wire.answer(), bytearray()
        try:
            await _take_all(events(_noted(pieces, head)), answer, shown)
        except StreamTooLong as error:
            raise ModelError(f"{self._url}: {error}", "server_error") from error
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ModelError(f"{self._url}: the answer is no answer: {error!r}", "server_error") from error
        if not answer.complete and head.strip() and not head.lstrip().startswith(_FIELDS):
            words = _message(head.decode("utf-8", "replace"))
            raise ModelError(f"{self._url}: the answer is no event stream: {words}", "server_error")
        if not answer.complete:
            raise ModelError(f"{self._url}: the answer broke off", "server_error", retryable=True)
        return answer.reply()

    async def _refused(self, response: Any) -> ModelError:
        status = int(response.status_code)
        text = ""
        async for piece in response.aiter_text():
            text += piece
            if len(text) > ERROR_TEXT_LIMIT:
                break
        kind = _KINDS.get(status, "server_error" if status >= 500 else "invalid_request")
        return ModelError(
            f"{self._url}: {status} {_message(text)}".strip(),
            kind,
            retryable=status in _RETRIED_STATUSES,
            retry_after=_seconds(response.headers.get("retry-after")),
        )


async def _take_all(found: AsyncIterator[tuple[str, str]], answer: Answer, shown: _Shown) -> None:
    """Gives the events to the answer, and reads the body to its end: only then its connection can be used again."""
    try:
        async with asyncio.timeout(None) as rest:
            async for event, data in found:
                if data == "[DONE]":
                    rest.reschedule(asyncio.get_running_loop().time() + REST_S)
                elif rest.when() is None:
                    shown.add(answer.take(event, _parsed(data)))
    except TimeoutError:
        if rest.when() is None:
            raise
    except _client_library().HTTPError:
        if not answer.complete:  # else it was lost behind all that counts
            raise


async def _noted(pieces: AsyncIterator[bytes], head: bytearray) -> AsyncIterator[bytes]:
    """The pieces, with the beginning of all in `head`."""
    async for piece in pieces:
        head += piece[: max(0, ERROR_TEXT_LIMIT - len(head))]
        yield piece


def _client_library() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise ModelError("a model over HTTP needs `httpx2`: pip install 'hookline[http]'") from error
    return httpx2


class _Shown:
    """What the listener was given of an answer; says so when that answer is given up."""

    def __init__(self, on_delta: OnDelta | None) -> None:
        self._on_delta = on_delta
        self._any = False

    def add(self, text: str) -> None:
        if text and self._on_delta is not None:
            self._any = True
            self._on_delta(text)

    def lost(self) -> None:
        if self._any and self._on_delta is not None:
            self._on_delta(LOST)
        self._any = False


def tool_use(call_id: str, name: str, arguments: str) -> ToolUse:
    """A call from its streamed JSON; text that is no JSON object becomes the call's problem."""
    try:
        given = whole_json(arguments, json.loads(arguments)) if arguments.strip() else {}
    except (ValueError, RecursionError) as error:
        return ToolUse(call_id, name, {}, f"the input of {name} is not JSON ({error}): {arguments[:200]}")
    if not isinstance(given, dict):
        return ToolUse(call_id, name, {}, f"the input of {name} must be an object: {arguments[:200]}")
    return ToolUse(call_id, name, given)


def open_llm(
    wire: Wire, name: str, environment: Mapping[str, str], base_url: str | None, fallback: str
) -> LlmModel:
    """The model of a provider with the key and the address the environment has. Raises UsageError."""
    prefix = wire.provider.upper()
    url = base_url or environment.get(f"{prefix}_BASE_URL")
    key = environment.get(f"{prefix}_API_KEY", "")
    if not key and not url:
        raise UsageError(f"no key for `{wire.provider}:{name}`", f"set {prefix}_API_KEY, or give a base URL")
    address = (url or fallback).rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise UsageError(f"a base URL begins with http:// or https://, and `{address}` does not")
    return LlmModel(wire, name, address, key)


def _parsed(data: str) -> Any:
    try:
        return whole_json(data, json.loads(data))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the answer is not JSON: {data[:200]}", "server_error", retryable=True) from error


def _message(text: str) -> str:
    """The words of an error body, whatever its shape."""
    try:
        found = json.loads(text)
        error = found.get("error", found)
        words = error.get("message") if isinstance(error, dict) else error
    except (ValueError, AttributeError):
        words = None
    return " ".join(str(words or text).split())[:300]


def _seconds(value: str | None) -> float | None:
    """`retry-after` in seconds: a number, or a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass

    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now())
    except ValueError:
        return None


class Clients:
    """One client for each loop, made by `make` when it is first used. Nobody has to close them.

    A client is closed when it was not used for `kept_s` seconds, or when its loop ends.
    """

    def __init__(self, make: Callable[[], Any], kept_s: float) -> None:
        self._make = make
        self._kept_s = kept_s
        self._kept: dict[asyncio.AbstractEventLoop, _Kept] = {}

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Any]:
        """The client of the running loop, for any number of requests at once."""
        loop = asyncio.get_running_loop()
        kept = self._kept.get(loop)
        if kept is None:
            kept = self._kept[loop] = _Kept(self._make())
            kept.closing = loop.create_task(self._close_unused(loop, kept))
        kept.users += 1
        try:
            yield kept.client
        finally:
            kept.users -= 1
            kept.used_at = loop.time()

    async def _close_unused(self, loop: asyncio.AbstractEventLoop, kept: _Kept) -> None:
        """Sleeps in between, so that the loop itself holds the client, and cancels this when it ends."""
        try:
            while kept.users or loop.time() < kept.used_at + self._kept_s:  # noqa: ASYNC110 - no event tells of time
                await asyncio.sleep(self._kept_s)
        finally:
            del self._kept[loop]
            await kept.client.aclose()


class _Kept:
    def __init__(self, client: Any) -> None:
        self.client = client
        self.users = 0
        self.used_at = 0.0
        self.closing: asyncio.Task[None] | None = None


class StreamTooLong(ValueError):
    """One event that never ends."""


async def events(pieces: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, str]]:
    """Each event's name (`message` when it has none) and its data, as the HTML standard reads a stream."""
    name, data, size = "", list[str](), 0
    async for line in _lines(pieces):
        if not line:
            if data:
                yield name or "message", "\n".join(data)
            name, data, size = "", [], 0
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        size += len(value)
        if size > EVENT_LIMIT:
            raise StreamTooLong(f"an event of more than {EVENT_LIMIT} characters")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[str]:
    rest = bytearray()
    async for piece in pieces:
        rest += piece
        if len(rest) > EVENT_LIMIT:
            raise StreamTooLong(f"a line of more than {EVENT_LIMIT} bytes")
        while (end := _line_end(rest)) is not None:
            at, after = end
            yield rest[:at].decode("utf-8", "replace")
            del rest[:after]


def _line_end(rest: bytearray) -> tuple[int, int] | None:
    """Where the first line ends and the next begins; a last CR waits, it may be half of CRLF."""
    found = [at for mark in (b"\n", b"\r") if (at := rest.find(mark)) >= 0]
    if not found:
        return None
    at = min(found)
    if rest[at] == 10:
        return at, at + 1
    if at + 1 == len(rest):
        return None
    return at, at + 2 if rest[at + 1] == 10 else at + 1
