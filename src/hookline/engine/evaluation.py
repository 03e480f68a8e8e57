"""One evaluation of file hooks while it goes on, and what it came to."""

from __future__ import annotations

import os

from hookline.engine.hookset import dialect_of
from hookline.engine.plan import fit_of
from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.model.record import Record, replace
from hookline.model.results import Decision, HookResult, Verdict
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Mapping
from hookline.system.repository.git import committed_since

if TYPE_CHECKING:
    from hookline.state.changers import Whose
    from hookline.state.evaluations import Evaluations
    from hookline.system.workspace.changes import Changes, Snapshot


MOST_NAMED = 5


class HookRun(Record):
    """A hook's turn in an evaluation, and the files it was given."""

    event: Event
    result: HookResult

    @property
    def failed(self) -> bool:
        return has_failed(self.result)


class FileHookVerdict(Record):
    """What an evaluation came to.

    `action`: none (nothing was owed, or nothing could have become different), passed, failed (the agent is
    not to be told), inconclusive (nothing failed, but a hook that should have run could not), reprompt,
    capped (the attempts are used up), paused. `reprompt` is the next instruction
    for the agent, None for none; `attempt` its number from 1. `files` and `deleted` are what changed since
    the last evaluation, `runs` which hooks ran on what, `pending` the hooks still owed a run, `messages`
    lines for the user, `wrote` the files that passing hooks changed themselves, `told` the run of before
    whose failure the agent is told again.
    """

    action: str
    reprompt: str | None = None
    attempt: int = 0
    files: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    runs: tuple[HookRun, ...] = ()
    pending: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    wrote: tuple[str, ...] = ()
    told: HookRun | None = None

    @property
    def failures(self) -> tuple[HookRun, ...]:
        return tuple(run for run in self.runs if run.failed)


class Evaluation:
    """Collects what happens; `verdict` closes it."""

    def __init__(self, session_id: str, phase: str, whose: Whose, pending: tuple[str, ...]) -> None:
        self.session_id = session_id
        self.phase = phase
        self.new = whose.own
        self.pending = pending
        self.runs: list[HookRun] = []
        self.reprompts: list[str] = []
        self.notes: list[str] = []
        self.wrote: dict[str, None] = {}
        self.is_inconclusive = False
        self.told: HookRun | None = None
        self._shared = whose.shared
        if whose.others:
            self.note(f"another session was asked about {_files_by_session(whose.others)}; not this one")

    def took(self, event: Event, decision: Decision, result: HookResult) -> None:
        """A hook had its turn."""
        self.runs.append(HookRun(event, result))
        self.notes.extend(decision.messages)
        if decision.reprompt:
            self.reprompts.append(decision.reprompt)

    def tell_again(self, spec: HookSpec, event: Event, result: HookResult, attempt: int) -> None:
        """The failure of a run of before, with the number of this attempt."""
        assert result.raw is not None
        again = replace(event, extra={**event.extra, "attempt": attempt})
        self.reprompts.append(dialect_of(spec).read_output(again, spec, result.raw).reprompt)
        self.told = HookRun(event, result)
        self.note(f"nothing changed since `{spec.name}` failed, so it is not run again")

    def note(self, words: str) -> None:
        self.notes.append(words)

    @property
    def quiet_action(self) -> str:
        """What it came to where nobody has to be told to go on."""
        if any(run.failed for run in self.runs):
            return "failed"
        if self.is_inconclusive:
            return "inconclusive"
        return "passed" if self.runs else "none"

    def is_due(self, spec: HookSpec, entries: Mapping[str, Any]) -> bool:
        """Whether an owed hook has its turn now: it is not paused, and meant for this phase."""
        if entries.get(spec.id, {}).get("executionPaused"):
            self.note(f"`{spec.name}` is owed, and paused")
            return False
        return spec.conduct.phase in (None, "", self.phase)

    def verdict(self, action: str, attempt: int = 0) -> FileHookVerdict:
        texts = list(self.reprompts)
        if self._shared and texts:
            words = _files_by_session(self._shared)
            texts.append(
                f"Another session works in this folder too and may have changed {words}: leave what is its."
            )
        return FileHookVerdict(
            action,
            "\n\n".join(texts) if action == "reprompt" else None,
            attempt,
            self.new.changed,
            self.new.deleted,
            tuple(self.runs),
            self.pending,
            tuple(self.notes),
            tuple(self.wrote),
            self.told,
        )


def _files_by_session(files: Mapping[str, tuple[str, ...]]) -> str:
    """The first few, each with the sessions it belongs to, and how many more there are."""
    named = [f"`{path}` ({', '.join(files[path])})" for path in sorted(files)[:MOST_NAMED]]
    more = len(files) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def has_failed(result: HookResult) -> bool:
    """True unless the hook ran and found nothing wrong."""
    outcome = result.outcome
    said = outcome.reprompt or outcome.problem or outcome.products.get("failed")
    return result.failed or bool(said) or outcome.verdict >= Verdict.DENY


def concerns(spec: HookSpec, event: Event) -> bool:
    """Whether the files of the event are any of the hook's."""
    return fit_of(spec, event).mismatch is None


async def new_changes(evaluations: Evaluations, current: Snapshot) -> Changes:
    """What changed since the last evaluation; before the first one, since the first turn began."""
    new, base = evaluations.changes(current), evaluations.begun_at()
    if base is None or base == (current.head or ""):
        return new
    since = await committed_since(current.workspace, base)
    changed = {path for path in since.changed if current.state(os.fsencode(path)) is not None}
    deleted = {path for path in since.deleted if current.state(os.fsencode(path)) is None}
    changed.update(new.changed)
    deleted.update(new.deleted)
    return replace(new, changed=tuple(sorted(changed)), deleted=tuple(sorted(deleted)))


async def left_changes(new: Changes, evaluations: Evaluations, current: Snapshot) -> Changes:
    """What of the changes is still there, or committed; not what was put back as HEAD has it."""
    from hookline.system.workspace.changes import dirty_files

    if current.kind != "git":
        return new
    dirty, baseline = dirty_files(current), evaluations.baseline()
    changed, deleted, base = set(dirty.changed), set(dirty.deleted), evaluations.begun_at()
    if base is None and baseline is not None:
        base = baseline.head or ""
    if base is not None and base != (current.head or ""):
        since = await committed_since(current.workspace, base)
        changed.update(since.changed)
        deleted.update(since.deleted)
    return replace(
        new,
        changed=tuple(path for path in new.changed if path in changed),
        deleted=tuple(path for path in new.deleted if path in deleted),
    )


def touching(
    spec: HookSpec,
    event_of: Callable[[Changes], Event],
    own: Changes,
    left: Changes,
    current: Snapshot,
    known: Mapping[str, str],
) -> Changes | None:
    """The new changes that a hook does not know already, when they concern it; None when it is owed nothing.

    What was put back, or came and went, is owed a run as well while other files of the hook's are not committed: they
    may have passed only with it.
    """
    new = unseen(left, current, known)
    if new and concerns(spec, event_of(new)):
        return new
    is_same = (own.changed, own.deleted) == (left.changed, left.deleted)
    if is_same or not concerns(spec, event_of(uncommitted(current, None))):
        return None
    new = unseen(own, current, known)
    return new if new and concerns(spec, event_of(new)) else None


def unseen(new: Changes, current: Snapshot, known: Mapping[str, str]) -> Changes:
    """The changes that a hook does not know already; `known` are the states in which it passed its files."""
    if not known:
        return new
    from hookline.state.evaluations import states_of

    states = states_of(current, (*new.changed, *new.deleted))
    return replace(
        new,
        changed=tuple(path for path in new.changed if known.get(path) != states[path]),
        deleted=tuple(path for path in new.deleted if known.get(path) != states[path]),
    )


def uncommitted(current: Snapshot, touched: Changes | None) -> Changes:
    """All files changed and deleted that are not committed, and what was `touched` and committed since."""
    from hookline.system.workspace.changes import dirty_files

    dirty = dirty_files(current)
    changed, deleted = set(dirty.changed), set(dirty.deleted)
    if touched is not None:
        changed.update(path for path in touched.changed if current.state(os.fsencode(path)) is not None)
        deleted.update(path for path in touched.deleted if current.state(os.fsencode(path)) is None)
    return replace(dirty, changed=tuple(sorted(changed)), deleted=tuple(sorted(deleted)))


def input_key(spec: HookSpec, snapshot: Snapshot, event: Event) -> str:
    """Another text whenever a file the hook looks at, or the hook itself, is another one."""
    from hashlib import sha256

    from hookline.state.evaluations import states_of

    own = [os.path.relpath(spec.path, snapshot.workspace)] if spec.path else []
    states = states_of(
        snapshot, sorted({*event.get("files"), *event.get("deleted_files"), *own, *spec.files})
    )
    text = "\0".join(f"{path}\0{state}" for path, state in states.items())
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
