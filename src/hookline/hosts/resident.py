"""A process of the user's own that keeps hookline loaded, so that a call costs hardly more than its hooks.

It answers what `hookline bridge` would: the config as it is on disk at that moment, the caller's environment,
the same trust. What it will not take (another version, a look at the whole workspace) it refuses, and the
caller does it itself.
"""

from __future__ import annotations

import os

from hookline import __version__
from hookline.dialects import MODULES
from hookline.engine.loading import named_paths
from hookline.hosts.bridge import Bridge, open_workspace
from hookline.hosts.bridge_call import Call, event_of
from hookline.hosts.resident_frames import (
    HEAD,
    REFUSED,
    BadFrame,
    Request,
    decode_request,
    encode_reply,
    sizes,
    taken,
)
from hookline.model.record import Record
from hookline.system import files
from hookline.system.clock import monotonic
from hookline.system.detached import reap_detached
from hookline.system.local_socket import connect, listen, peer_user, remove
from hookline.system.loop import current_loop, run, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from socket import socket
    from typing import Any

    from hookline.hosts.bridge import Workspace
    from hookline.system.files import file_lock

    Signature = tuple[tuple[int, int, int] | None, ...]

IDLE_S = 1800.0
PROMISE_S = 0.2  # an answer that is quicker comes together with the word that the call is taken
MOST_WORKSPACES = 64
TURN_S = 10.0


class Kept(Record):
    """An opened workspace, and the state of every file that it was made from."""

    workspace: Workspace
    watched: tuple[str, ...]
    signature: Signature


class Resident:
    """Serves the socket in `folder` until nobody called for `idle_s` seconds, or until it is out of date."""

    def __init__(self, folder: str, idle_s: float = IDLE_S) -> None:
        self._folder = folder
        self._idle_s = idle_s
        self._kept: dict[tuple[object, ...], Kept] = {}
        self._began = monotonic()
        self._calls = 0
        self._busy = 0
        self._last = monotonic()
        self._package = package_signature()
        self._tasks: set[Any] = set()

    def serve(self) -> None:
        """Blocks. Raises StateError when it cannot listen."""
        lock = files.file_lock(os.path.join(self._folder, "socket"))
        if not self._has_its_turn(lock):
            return
        try:
            self._listener = listen(self._folder)
            try:
                run(self._until_idle())
            finally:
                remove(self._folder)
                self._listener.close()
        finally:
            lock.__exit__(None, None, None)

    def _has_its_turn(self, lock: file_lock) -> bool:
        """False when another one serves; one that is about to begin or to end is waited for."""
        end = monotonic() + TURN_S
        while not lock.attempt():
            other = connect(self._folder, TURN_S)
            if other is not None:
                other.close()
            if other is not None or monotonic() >= end:
                return False
            run(sleep(0.02))
        return True

    async def _until_idle(self) -> None:
        loop = current_loop()
        self._end = loop.create_future()
        loop.add_reader(self._listener.fileno(), self._accept)
        self._look_at_the_clock()
        try:
            await self._end
        finally:
            loop.remove_reader(self._listener.fileno())

    def _look_at_the_clock(self) -> None:
        idle = 0.0 if self._busy else monotonic() - self._last
        if idle >= self._idle_s:
            self._stop()
        elif not self._end.done():
            current_loop().call_later(max(self._idle_s - idle, 0.05), self._look_at_the_clock)

    def _stop(self) -> None:
        if not self._end.done():
            self._end.set_result(None)

    # -- a connection -----------------------------------------------------------------------------------

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        task = current_loop().create_task(self._serve_one(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve_one(self, connection: socket) -> None:
        self._busy += 1
        try:
            if peer_user(connection) == os.geteuid():
                await self._converse(connection)
        except (OSError, BadFrame, EOFError):
            pass  # whoever went away or talks nonsense gets no answer
        finally:
            self._busy -= 1
            self._last = monotonic()
            connection.close()
            reap_detached()

    async def _converse(self, connection: socket) -> None:
        strings, payload = sizes(await _read(connection, HEAD.size))
        block = await _read(connection, strings)
        request = decode_request(block, await _read(connection, payload))
        if request.agent.startswith("@"):
            await _write(connection, encode_reply(0, self._command(request.agent)))
            return
        if request.version != __version__ or package_signature() != self._package:
            await _write(connection, REFUSED)
            self._stop()
            return
        await self._answer(connection, request)

    def _command(self, name: str) -> str:
        import json

        if name == "@stop":
            self._stop()
        return json.dumps(
            {
                "pid": os.getpid(), "version": __version__, "calls": self._calls,
                "up_s": round(monotonic() - self._began, 1), "workspaces": len(self._kept),
                "idle_s": self._idle_s,
            }
        )  # fmt: skip

    async def _answer(self, connection: socket, request: Request) -> None:
        self._calls += 1
        bridge = self._bridge(request)
        if bridge is None:
            await _write(connection, REFUSED)
            return
        word = taken(bridge.limit_s)
        promised: list[bool] = []

        def promise() -> None:
            promised.append(True)
            connection.send(word)

        timer = current_loop().call_later(PROMISE_S, promise)
        try:
            reply = await _reply(bridge, request)
        finally:
            timer.cancel()
        await _write(connection, reply if promised else word + reply)
        connection.close()
        bridge.settle()

    def _bridge(self, request: Request) -> Bridge | None:
        """The call ready to be answered; None for one that a process of its own must answer."""
        try:
            call = _call(request)
            event = event_of(call)
            bridge = Bridge(call, event, self._opened(call, event.workspace))
        except Exception:  # whatever it is, the caller meets it too, and says so
            return None
        return None if bridge.needs_asyncio or bridge.takes_long else bridge

    # -- what is kept -------------------------------------------------------------------------------------

    def _opened(self, call: Call, workspace: str) -> Workspace:
        key = (call.agent, workspace, tuple(call.environment.items()))
        kept = self._kept.get(key)
        if kept is not None and signature_of(kept.watched) == kept.signature:
            return kept.workspace
        if len(self._kept) >= MOST_WORKSPACES:
            self._kept.pop(next(iter(self._kept))).workspace.history.close()
        watched_before = watched_paths(call, workspace, None)
        before = signature_of(watched_before)
        opened = open_workspace(call, workspace, lambda _: None)
        watched = watched_paths(call, workspace, opened)
        if signature_of(watched_before) == before:  # else it changed while it was read
            self._kept[key] = Kept(opened, watched, signature_of(watched))
        return opened


async def _reply(bridge: Bridge, request: Request) -> bytes:
    """The bytes of the answer; a defect of ours is no opinion here too."""
    try:
        response = await bridge.answer()
        notes = [*response.stderr.splitlines(), *bridge.notes()]
    except Exception as error:
        from hookline.hosts.bridge import excuse

        notes = []
        response = excuse(_call(request), error, notes.append)
    return encode_reply(response.exit_code, response.stdout, notes)


def watched_paths(call: Call, workspace: str, opened: Workspace | None) -> tuple[str, ...]:
    """Every path whose change could change what a call comes to."""
    home = call.environment.get("HOME") or files.home()
    config = call.environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    places = [
        pattern.format(ws=workspace, home=home, config=config)
        for patterns in MODULES.values()
        for pattern in patterns
        if not pattern.startswith("$")
    ]
    if opened is None:
        return tuple(dict.fromkeys(places))
    hooks, paths = opened.opened.hooks, opened.opened.paths
    places.append(paths.trust_file)
    places.extend(entry.source.path for entry in hooks.loaded)
    for spec in hooks.specs:
        places.append(spec.path)
        places.extend(os.path.join(workspace, name) for name in spec.files)
        places.extend(named_paths(spec, workspace, home))
    return tuple(dict.fromkeys(place for place in places if place))


def signature_of(paths: tuple[str, ...]) -> Signature:
    """Another value whenever one of the paths was changed, replaced, made or removed."""
    return tuple(_state(path) for path in paths)


def package_signature() -> Signature:
    """Changes when hookline itself is upgraded under our feet."""
    folder = os.path.dirname(os.path.dirname(__file__))
    return signature_of((folder, os.path.join(folder, "__init__.py"), __file__))


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _call(request: Request) -> Call:
    environment: Mapping[str, str] = request.environment
    return Call(
        request.agent,
        request.event,
        request.payload,
        environment,
        request.cwd,
        request.workspace,
        monotonic(),
    )


async def _read(connection: socket, size: int) -> bytes:
    """Exactly that many bytes. Raises EOFError when fewer come."""
    found = bytearray()
    while len(found) < size:
        try:
            chunk = connection.recv(min(size - len(found), 1 << 20))
        except BlockingIOError:
            await _ready(connection, "reader")
            continue
        if not chunk:
            raise EOFError
        found += chunk
    return bytes(found)


async def _write(connection: socket, content: bytes) -> None:
    view = memoryview(content)
    while view:
        try:
            view = view[connection.send(view) :]
        except BlockingIOError:
            await _ready(connection, "writer")


async def _ready(connection: socket, side: str) -> None:
    loop = current_loop()
    future = loop.create_future()
    add, take = (
        (loop.add_reader, loop.remove_reader) if side == "reader" else (loop.add_writer, loop.remove_writer)
    )

    def wake() -> None:
        if not future.done():
            future.set_result(None)

    add(connection.fileno(), wake)
    try:
        await future
    finally:
        take(connection.fileno())
