"""A process of the user's own that keeps hookline loaded, so that a call costs hardly more than its hooks.

It answers what `hookline bridge` would: the config as it is on disk at that moment, the caller's environment,
the same trust. What it will not take (another version, a look at the whole workspace) it refuses, and the
caller does it itself.
"""

from __future__ import annotations

import gc
import json
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hookline import __version__
from hookline.dialects import git_names, places_to_look
from hookline.engine.loading import places_for
from hookline.hosts.bridge import Bridge, Workspace, excuse, open_workspace
from hookline.hosts.bridge.call import Call, event_of
from hookline.hosts.precommit import answered, folder_of, needs_own_process, prepared
from hookline.hosts.resident.caller import Caller, Promises
from hookline.hosts.resident.frames import (
    REFUSED,
    BadFrame,
    Request,
    decode_request,
    encode_reply,
    encode_texts,
    taken,
)
from hookline.model.record import Record
from hookline.system import files
from hookline.system.clock import monotonic
from hookline.system.local_socket import accept, connect, listen, remove
from hookline.system.locks import file_lock
from hookline.system.loops.loop import current_loop, run, sleep
from hookline.system.modules import names_packages
from hookline.system.processes.detached import reap_detached
from hookline.system.workspace.freshness import Freshness, states_of

if TYPE_CHECKING:
    from hookline.system.loops.loop import Waitable


IDLE_S = 1800.0
TURN_S = 10.0
CALLS_A_COLLECTION = 16  # garbage is looked for after an answer, not in the middle of the next call
FULL_COLLECTIONS = 8  # of so many only one looks at everything
COMMIT_S = 7 * 86400.0  # its hooks have limits of their own; who waits sees when we are gone
# By these git finds its settings, and so what is staged; git itself changes others for its hooks.
GIT_CONFIG = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
HERE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
PACKAGE = (HERE, os.path.join(HERE, "__init__.py"), __file__)  # other ones after an upgrade under our feet
MOST_WORKSPACES = 64


class Resident:
    """Serves the socket in `folder` until nobody called for `idle_s` seconds, or until it is out of date.

    Where `mark` names a file, it does not begin without it: whoever started it has stopped it again meanwhile.
    """

    def __init__(self, folder: str, idle_s: float = IDLE_S, mark: str = "") -> None:
        self._folder = folder
        self._mark = mark
        self._idle_s = idle_s
        self._workspaces = Workspaces()
        self._promises = Promises()
        self._began = monotonic()
        self._calls = 0
        self._last = monotonic()
        self._package = states_of(PACKAGE)
        self._callers: dict[Caller, Waitable] = {}

    def serve(self) -> None:
        """Blocks. Raises StateError when it cannot listen."""
        lock = file_lock(os.path.join(self._folder, "socket"))
        if not self._has_its_turn(lock):
            return
        try:
            self._listener = listen(self._folder)
        except BaseException:
            lock.__exit__(None, None, None)
            raise
        self._lock = lock
        if self._mark and not os.path.exists(self._mark):  # from here on a stop would have found us
            self._leave()
            return
        gc.collect()
        gc.freeze()
        gc.disable()
        try:
            run(self._until_idle())
        finally:
            self._leave()

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
            self._leave()  # the next one may begin while the last calls here end
        for caller, task in tuple(self._callers.items()):
            if caller.is_silent:
                caller.give_up()
            try:
                await task
            except Exception:
                pass  # it says so itself, where there is somebody to hear it

    def _leave(self) -> None:
        if self._listener.fileno() >= 0:
            remove(self._folder)
            self._listener.close()
            self._lock.__exit__(None, None, None)

    def _look_at_the_clock(self) -> None:
        is_called = any(not caller.is_silent for caller in self._callers)
        idle = 0.0 if is_called else monotonic() - self._last
        if idle >= self._idle_s:
            self._stop()
        elif not self._end.done():
            current_loop().call_later(max(self._idle_s - idle, 0.05), self._look_at_the_clock)

    def _stop(self) -> None:
        if not self._end.done():
            self._end.set_result(None)

    # -- a connection -----------------------------------------------------------------------------------

    def _accept(self) -> None:
        connection = accept(self._listener)
        if connection is not None:
            caller = Caller(connection)
            caller.task = self._callers[caller] = current_loop().create_task(self._serve_one(caller))

    async def _serve_one(self, caller: Caller) -> None:
        try:
            await self._converse(caller)
        except (OSError, BadFrame, EOFError):
            pass  # whoever talks nonsense or does not listen gets no answer
        finally:
            if not caller.is_silent:
                self._last = monotonic()
            caller.close()
            del self._callers[caller]
            reap_detached()
            self._collect()

    async def _converse(self, caller: Caller) -> None:
        request = decode_request(await caller.request())
        if request.agent.startswith("@"):
            await caller.write(encode_reply(0, self._command(request.agent)))
            return
        if request.version != __version__ or states_of(PACKAGE) != self._package:
            await caller.write(REFUSED)
            self._stop()
            return
        await self._answer(caller, request)

    def _command(self, name: str) -> str:
        if name == "@stop":
            self._stop()
        return json.dumps(
            {
                "pid": os.getpid(), "version": __version__, "calls": self._calls,
                "up_s": round(monotonic() - self._began, 1), "workspaces": len(self._workspaces),
                "idle_s": self._idle_s,
            }
        )  # fmt: skip

    async def _answer(self, caller: Caller, request: Request) -> None:
        if caller.is_gone():
            return  # it waited long enough, and does the call itself
        self._calls += 1
        if request.agent in git_names():
            await _commit(caller, request, self._workspaces.environment(request))
            return
        call = Call(
            request.agent,
            request.event,
            request.payload,
            self._workspaces.environment(request),
            request.cwd,
            request.workspace and os.path.normpath(os.path.join(request.cwd, request.workspace)),
            monotonic(),
        )
        # A package that only the caller knows may bring the agent, or a guard's dialect
        is_ours = not names_packages(call.environment.get("PYTHONPATH", ""))
        bridge = self._bridge(call, request) if is_ours else None
        if bridge is None:
            await caller.write(REFUSED)
            return
        self._promises.give(caller, taken(bridge.patience_s), call.began)
        caller.watch()
        reply = b""
        try:
            if not _needs_own_process(bridge):
                reply = await _reply(bridge, call)
        finally:
            word = self._promises.take_back(caller)
            caller.unwatch()
        if not reply:
            await caller.write(word and REFUSED)  # who was told that it is taken sees us hang up
            return
        try:
            await caller.write(word + reply)
        except OSError:
            bridge.clear()  # who waited long enough has done the call itself, and recorded that
            raise
        caller.close()
        bridge.settle()

    def _bridge(self, call: Call, request: Request) -> Bridge | None:
        """The call ready to be answered; None where that fails: the caller meets it too, and says so."""
        try:
            event = event_of(call)
            return Bridge(call, event, self._workspaces.opened(call, event.workspace, request.variables))
        except Exception:
            return None

    def _collect(self) -> None:
        if self._calls % CALLS_A_COLLECTION == 0:
            gc.collect(2 if self._calls % (CALLS_A_COLLECTION * FULL_COLLECTIONS) == 0 else 1)


def _needs_own_process(bridge: Bridge) -> bool:
    """Whether a process of its own must answer; asks the rules which of them are meant."""
    try:
        return bridge.needs_asyncio or bridge.takes_long
    except Exception:  # whatever it is, the caller meets it too, and says so
        return True


async def _commit(caller: Caller, request: Request, environment: Mapping[str, str]) -> None:
    """The hooks of a commit, read anew; refused what a process of its own must do, or would see another way."""
    own, said = files.environment(), list[str]()
    foreign = any(own.get(name) != environment.get(name) for name in GIT_CONFIG)
    if request.event != "pre-commit" or foreign or "HOOKLINE_PROBE" in environment:
        await caller.write(REFUSED)
        return
    try:
        workspace = folder_of(request.workspace, request.cwd)
        opened, event = await prepared(workspace, environment, said.append)
        refused = needs_own_process(opened, event)
    except Exception:  # whatever it is, the caller meets it too, and says so
        refused = True
    if refused:
        await caller.write(REFUSED)
        return
    caller.say(taken(COMMIT_S))
    caller.watch()
    try:
        code = await answered(opened, event, said.append)
    except Exception:  # without an answer the caller does it itself
        return
    finally:
        caller.unwatch()
    await caller.write(encode_texts(code, "", "".join(f"{text}\n" for text in said)))


async def _reply(bridge: Bridge, call: Call) -> bytes:
    """The bytes of the answer; a defect of ours is no opinion here too."""
    try:
        response = await bridge.answer()
        notes = [*response.stderr.splitlines(), *bridge.notes()]
    except Exception as error:
        notes = []
        response = excuse(call, error, notes.append)
    return encode_reply(response.exit_code, response.stdout, notes)


class Kept(Record):
    """An opened workspace, and what tells whether it still holds."""

    workspace: Workspace
    freshness: Freshness


class Workspaces:
    """Workspaces by agent, folder and the caller's environment, each as it is on disk."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, bytes], Kept] = {}
        self._environments: dict[bytes, Mapping[str, str]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def environment(self, request: Request) -> Mapping[str, str]:
        """The caller's environment, read once for the same bytes."""
        found = self._environments.get(request.variables)
        if found is None:
            if len(self._environments) >= MOST_WORKSPACES:
                self._environments.clear()
            found = self._environments[request.variables] = request.environment
        return found

    def opened(self, call: Call, workspace: str, variables: bytes) -> Workspace:
        """The workspace as it is on disk now. Raises whatever opening it raises."""
        key, now = (call.agent, workspace, variables), time.time_ns()
        kept = self._kept.get(key)
        if kept is not None:
            if kept.freshness.is_fresh(now):
                return kept.workspace
            self._drop(key)
        opened = open_workspace(call, workspace, lambda _: None)
        freshness = _freshness(opened, workspace, now)
        if freshness.is_settled:
            if len(self._kept) >= MOST_WORKSPACES:
                self._drop(next(iter(self._kept)))
            self._kept[key] = Kept(opened, freshness)
        return opened

    def _drop(self, key: tuple[str, str, bytes]) -> None:
        """A call that still uses it opens the history anew."""
        self._kept.pop(key).workspace.history.close()


def _freshness(opened: Workspace, workspace: str, since_ns: int) -> Freshness:
    """Of all that was looked at to open it, and of all that hooks name."""
    hooks, places = opened.opened.hooks, places_for(workspace, dict(opened.opened.engine.environment))
    named = [os.path.join(workspace, name) for spec in hooks.specs for name in spec.files]
    looked_at = (opened.opened.paths.trust_file, *hooks.looked_at, *named)
    return Freshness(looked_at, places_to_look(places), since_ns)
