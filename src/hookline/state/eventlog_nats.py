"""The event log on a NATS server with JetStream, for runs on several machines."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from hookline.model.errors import HooklineError, StateError, Warn, unheard
from hookline.state.eventlog import LoggedEvent, checked_subject, subject_fits

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.js import JetStreamContext

T = TypeVar("T")

STREAM = "iteratr_events"
ROOT = "iteratr"
KEPT_S = 30 * 24 * 3600
# The server forgets message ids after this; who comes later is told apart by the replay itself.
DUPLICATES_S = 600
CONNECT_S = 5.0
ANSWER_S = 5.0
CLOSE_S = 2.0
PATIENCE_S = 30.0
RETRY_S = 0.25
SINGLY = 16
BATCH = 256
LOOK_AGAIN_S = 1.0


class NatsEventLog:
    """One stream of a server; connects when first used, and again whenever the connection breaks.

    `warn` hears at once of a server that is slow or gone. What cannot be done within `patience_s` seconds
    raises StateError: an agent must not go on as if it were recorded. A stream that is made here keeps events for
    `kept_s` seconds (0: for good), and the newest `per_subject` of each subject (-1: all).
    """

    def __init__(
        self,
        url: str,
        *,
        stream: str = STREAM,
        root: str = ROOT,
        warn: Warn = unheard,
        patience_s: float = PATIENCE_S,
        kept_s: float = KEPT_S,
        per_subject: int = -1,
    ) -> None:
        self._url = url
        self._stream = stream
        self._root = root
        self._warn = warn
        self._patience_s = patience_s
        self._kept_s, self._per_subject = kept_s, per_subject
        self._client: Client | None = None
        self._js: JetStreamContext | None = None
        self._connecting = asyncio.Lock()
        self._closed = False

    async def append(self, subject: str, event: Mapping[str, Any], message_id: str | None = None) -> int:
        checked_subject(subject)
        payload = json.dumps(event).encode()
        # Every message has an id, so that a retry after a lost answer adds nothing.
        headers = {"Nats-Msg-Id": message_id or uuid4().hex}

        async def publish(js: JetStreamContext) -> int:
            answer = await js.publish(
                subject, payload, timeout=ANSWER_S, stream=self._stream, headers=headers
            )
            return int(answer.seq)

        return await self._patiently(publish)

    async def replay(self, pattern: str = ">", after: int = 0) -> AsyncIterator[LoggedEvent]:
        """The few newest events are asked for one by one, a longer past in batches."""
        for _ in range(SINGLY):
            message = await self._patiently(lambda js, number=after: self._next(js, pattern, number))  # type: ignore[misc]  # bound now
            if message is None:
                return
            after = int(message.seq)
            if entry := self._entry(pattern, after, message.subject, message.data, message.time):
                yield entry
        async for entry in self._past(pattern, after):
            yield entry

    async def subscribe(self, pattern: str = ">", after: int | None = None) -> AsyncIterator[LoggedEvent]:
        """Messages only wake the reader; what it reads is the log, so a lost one costs a second, no event."""
        number = await self.last() if after is None else after
        client = (await self._connected())[0]
        news = asyncio.Event()

        async def wake(message: Any) -> None:
            news.set()

        listening = await client.subscribe(self._filter(pattern), cb=wake)
        try:
            while not self._closed:
                async for entry in self.replay(pattern, number):
                    number = entry.seq
                    yield entry
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_AGAIN_S):
                        await news.wait()
                news.clear()
        finally:
            with suppress(Exception):  # the connection may be gone already
                await listening.unsubscribe()

    async def last(self) -> int:
        async def ask(js: JetStreamContext) -> int:
            return int((await js.stream_info(self._stream)).state.last_seq)

        return await self._patiently(ask)

    async def close(self) -> None:
        self._closed = True
        client, self._client, self._js = self._client, None, None
        if client is not None:
            await _hang_up(client)

    async def client(self) -> Client:
        """The connection, for requests beside the log. Raises StateError when there is none in time."""

        async def connected(js: JetStreamContext) -> Client:
            return (await self._connected())[0]

        return await self._patiently(connected)

    async def ask(self, subject: str, request: bytes, timeout_s: float) -> bytes:
        """The answer of whoever serves `subject`, in time. Raises what the client raises when there is none."""
        client = self._client
        if client is None or not client.is_connected:
            async with asyncio.timeout(timeout_s):
                client = await self.client()
        answer = await client.request(subject, request, timeout=timeout_s)
        return bytes(answer.data)

    # -- reading --------------------------------------------------------------------------------------

    def _filter(self, pattern: str) -> str:
        """What the server is asked for; it only takes patterns below the stream's own subjects."""
        return pattern if pattern.startswith(f"{self._root}.") else f"{self._root}.>"

    async def _next(self, js: JetStreamContext, pattern: str, after: int) -> Any:
        from nats.js.errors import NotFoundError

        try:
            return await js.get_msg(self._stream, seq=after + 1, subject=self._filter(pattern), next=True)
        except NotFoundError:
            return None

    async def _past(self, pattern: str, after: int) -> AsyncIterator[LoggedEvent]:
        from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after + 1, ack_policy=AckPolicy.NONE
        )

        async def begin(js: JetStreamContext) -> tuple[Any, int]:
            reader = await js.pull_subscribe(self._filter(pattern), stream=self._stream, config=config)
            return reader, int((await reader.consumer_info()).num_pending or 0)

        reader, left = await self._patiently(begin)
        try:
            while left > 0:
                size = min(left, BATCH)
                messages = await self._patiently(lambda _, size=size: reader.fetch(size, timeout=ANSWER_S))  # type: ignore[misc]  # bound now
                left -= len(messages)
                for message in messages:
                    facts = message.metadata
                    number = facts.sequence.stream
                    if entry := self._entry(pattern, number, message.subject, message.data, facts.timestamp):
                        yield entry
        finally:
            with suppress(Exception):  # the server forgets an idle reader by itself
                await reader.unsubscribe()

    def _entry(self, pattern: str, seq: int, subject: str, data: bytes | None, at: Any) -> LoggedEvent | None:
        if not subject_fits(subject, pattern):
            return None
        try:
            event = json.loads(data or b"")
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            self._warn(f"{self._url}: event {seq} is no JSON object and was skipped")
            return None
        return LoggedEvent(seq, subject, event, at.timestamp() if at is not None else 0.0)

    # -- the connection -------------------------------------------------------------------------------

    async def _patiently(self, work: Callable[[JetStreamContext], Awaitable[T]]) -> T:
        """Does it, again and again while the server does not answer, until patience ends."""
        end, told = time.monotonic() + self._patience_s, False
        while True:
            try:
                return await work((await self._connected())[1])
            except HooklineError:
                raise
            except Exception as error:  # what is no NATS server breaks the client in many ways
                fault: BaseException = error
            if self._closed or time.monotonic() >= end:
                raise StateError(
                    f"the bus `{self._shown}` does not answer: {_words(fault)}",
                    "is a nats-server with JetStream (`-js`) running there?",
                ) from fault
            if not told:
                told = True
                self._warn(f"the bus `{self._shown}` does not answer ({_words(fault)}); trying again")
            await asyncio.sleep(RETRY_S)

    async def _connected(self) -> tuple[Client, JetStreamContext]:
        async with self._connecting:
            if self._client is None or self._js is None or self._client.is_closed:
                self._client, self._js = await self._opened()
            return self._client, self._js

    async def _opened(self) -> tuple[Client, JetStreamContext]:
        """A new connection to a server that has the stream; one that does not come so far is closed."""
        try:
            from nats.aio.client import Client
        except ImportError as error:
            raise HooklineError("`--bus` needs nats-py", "pip install 'hookline[bus]'") from error
        client = Client()
        try:
            await self._connect(client)
            js = client.jetstream(timeout=ANSWER_S)
            await self._ensure_stream(js)
        except BaseException:
            await _hang_up(client)
            raise
        return client, js

    async def _connect(self, client: Client) -> None:
        async def fault(error: Exception) -> None:
            return None  # what matters is told where it is noticed

        async def broken() -> None:
            if client is self._client:
                self._warn(f"the connection to the bus `{self._shown}` broke")

        async def back() -> None:
            self._warn(f"the bus `{self._shown}` is back")

        async with asyncio.timeout(CONNECT_S):
            try:
                await client.connect(
                    self._url,
                    allow_reconnect=True,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=0.2,  # type: ignore[arg-type]  # the client only sleeps for it
                    connect_timeout=2,
                    ping_interval=10,
                    max_outstanding_pings=2,
                    error_cb=fault,
                    disconnected_cb=broken,
                    reconnected_cb=back,
                    name="hookline",
                )
            except OSError as error:
                raise _Unreachable(str(error)) from error

    async def _ensure_stream(self, js: JetStreamContext) -> None:
        from nats.js.api import StorageType
        from nats.js.errors import BadRequestError

        try:
            await js.add_stream(
                name=self._stream,
                subjects=[f"{self._root}.>"],
                storage=StorageType.FILE,
                max_age=self._kept_s,
                max_msgs_per_subject=self._per_subject,
                duplicate_window=DUPLICATES_S,
            )
        except BadRequestError:
            await js.stream_info(self._stream)  # there already, with settings of somebody else's

    @property
    def _shown(self) -> str:
        """The URL without the login in it."""
        scheme, _, rest = self._url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"


class _Unreachable(Exception):
    """No connection could be made."""


async def _hang_up(client: Client) -> None:
    with suppress(Exception):  # nothing is left to be said to the server
        async with asyncio.timeout(CLOSE_S):
            await client.close()


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
