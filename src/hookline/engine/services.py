"""What a host gives its engine: one frozen value, so that nothing of an engine changes behind its back."""

from __future__ import annotations

from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.results import Decision
from hookline.model.typing import TYPE_CHECKING, Callable, Mapping

if TYPE_CHECKING:
    from typing import Any, Protocol

    from hookline.engine.admission import Once, Trust
    from hookline.handlers.base import Complete

    class Recorder(Protocol):
        """Keeps decisions, at the latest when flushed; must never raise for a full disk or a broken database."""

        def record(self, event: Event, decision: Decision, workspace: str) -> object: ...
        def flush(self) -> None: ...
        def prepare(self) -> None:
            """Called while hooks run: what the first record needs anyway can be done meanwhile."""


class InFront:
    """A recorder in front of another one, or of none; what derives from it says what becomes of a decision."""

    def __init__(self, inner: Recorder | None) -> None:
        self.inner = inner

    def record(self, event: Event, decision: Decision, workspace: str) -> object:
        return self.inner.record(event, decision, workspace) if self.inner is not None else None

    def flush(self) -> None:
        if self.inner is not None:
            self.inner.flush()

    def prepare(self) -> None:
        if self.inner is not None:
            self.inner.prepare()


class Limits(Record):
    """`parallel`: hooks of one event at once. `plans`: how many plans are kept for reuse."""

    parallel: int = 8
    plans: int = 1024


class Services(Record):
    """All are optional.

    `workspace`: absolute; default: the hooks' own. `environment`: what hooks see (default: this process's).
    `trust` decides which hooks may run (default: all; for hooks given by code). `once` says which once-hooks
    are spent. `history` records every decision. `complete` asks a model for prompt hooks, `call_tool` a
    connected MCP server. `on_output` hears what hooks print, as they do. `detach` starts background hooks
    elsewhere, for hosts that end first. `why_not_started` says of a hook that ended with 126 or 127 what is wrong on
    this machine, in words. `afterwards` takes what can be done once the decision is told (default: it is done before).
    `output_dir` keeps full outputs, `presence_dir` notes for the next start.
    """

    workspace: str = ""
    environment: Mapping[str, str] | None = None
    trust: Trust | None = None
    once: Once | None = None
    history: Recorder | None = None
    complete: Complete | None = None
    call_tool: Callable[[str, str, Mapping[str, Any]], Any] | None = None
    on_output: Callable[[HookSpec, bytes], None] | None = None
    detach: Callable[[HookSpec, Event], None] | None = None
    why_not_started: Callable[[HookSpec], str] | None = None
    afterwards: Callable[[Callable[[], None]], object] | None = None
    output_dir: str = ""
    presence_dir: str = ""
    limits: Limits = Limits()
