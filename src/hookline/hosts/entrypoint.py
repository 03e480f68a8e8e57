"""Container start: the session hooks of a workspace, one after the other, before the agent (Discobot)."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable

from hookline.engine.evaluation import has_failed
from hookline.engine.hookruns import HookRuns
from hookline.engine.opening import Opened
from hookline.hosts.precommit import DIALECT
from hookline.model.events import Event, EventKind, SessionStarted
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.state.session_folder import hooks_folder
from hookline.system.clock import now
from hookline.system.ownership import give_tree

Say = Callable[[str], None]

DEFAULT_USER = "discobot"


class Start(Record):
    """One container start. `user` is who unprivileged hooks run as when we are root."""

    session_id: str
    user: str = DEFAULT_USER


class Summary(Record):
    """What the session hooks came to."""

    ran: int = 0
    failed: int = 0
    refused: int = 0

    @property
    def words(self) -> str:
        refused = f", {self.refused} not run" if self.refused else ""
        return f"session hooks: {self.ran} run, {self.failed} failed{refused}"


def session_hooks(opened: Opened, background: bool) -> tuple[HookSpec, ...]:
    """Discobot's session hooks in file order: those the start waits for, or those that run beside it."""
    return tuple(
        spec
        for spec in opened.engine.hooks.of_kind(EventKind.SessionStart)
        if spec.dialect == DIALECT and spec.enabled and spec.background == background
    )


async def run_session_hooks(opened: Opened, start: Start, background: bool, say: Say) -> Summary:
    """Runs them in order; a failure is said, and the next one runs.

    Output goes line by line to `say` as it comes, and whole to each hook's log.
    """
    specs = session_hooks(opened, background)
    if not specs:
        return Summary()
    lines = _Lines(say)
    opened.engine.provide(on_output=lines.hear)
    hooks = HookRuns(opened.engine, opened.paths, say)
    ran = failed = 0
    for spec in specs:
        result = (await hooks.run(spec, _event(opened, start)))[1]
        lines.end()
        if result.raw is None:
            say(f"session hook `{spec.name}` did not run: {result.why}")
            continue
        ran += 1
        for note in result.raw.notes:
            say(f"[{spec.name}] {note}")
        if has_failed(result):
            failed += 1
            say(result.outcome.reason or f"session hook `{spec.name}` failed: {result.why}")
    _hand_over(opened, start)
    return Summary(ran, failed, len(specs) - ran)


def _event(opened: Opened, start: Start) -> Event:
    extra = {"run_as_user": start.user} if os.geteuid() == 0 else {}
    place = opened.workspace
    return Event(
        EventKind.SessionStart, start.session_id, place, SessionStarted(), place, at=now(), extra=extra
    )


def _hand_over(opened: Opened, start: Start) -> None:
    """What root made belongs to the user whose service goes on with it."""
    if os.geteuid() != 0:
        return

    try:
        account = pwd.getpwnam(start.user)
    except KeyError:
        return
    folder = os.path.dirname(hooks_folder(opened.paths, start.session_id, opened.workspace))
    give_tree(folder, account.pw_uid, account.pw_gid)


class _Lines:
    """Whole lines of a hook's output, each with the hook's name before it."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._name = ""
        self._rest = b""

    def hear(self, spec: HookSpec, chunk: bytes) -> None:
        self._name = spec.name
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._tell(line)

    def end(self) -> None:
        if self._rest:
            self._tell(self._rest)
        self._rest = b""

    def _tell(self, line: bytes) -> None:
        self._say(f"[{self._name}] {line.decode('utf-8', 'replace')}")
