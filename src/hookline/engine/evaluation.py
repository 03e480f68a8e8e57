"""One evaluation of file hooks while it goes on, and what it came to."""

from __future__ import annotations

from hookline.engine.plan import fit_of
from hookline.model.record import Record
from hookline.model.results import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.events import Event
    from hookline.model.hooks import HookSpec
    from hookline.model.results import Decision, HookResult
    from hookline.system.workspace.changes import Changes


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
    def results(self) -> tuple[HookResult, ...]:
        return tuple(run.result for run in self.runs)

    @property
    def failures(self) -> tuple[HookRun, ...]:
        return tuple(run for run in self.runs if run.failed)


class Evaluation:
    """Collects what happens; `verdict` closes it."""

    def __init__(self, session_id: str, phase: str, new: Changes, pending: tuple[str, ...]) -> None:
        self.session_id = session_id
        self.phase = phase
        self.new = new
        self.pending = pending
        self.runs: list[HookRun] = []
        self.reprompts: list[str] = []
        self.notes: list[str] = []
        self.wrote: dict[str, None] = {}
        self.is_inconclusive = False
        self.told: HookRun | None = None

    def took(self, event: Event, decision: Decision, result: HookResult) -> None:
        """A hook had its turn."""
        self.runs.append(HookRun(event, result))
        self.notes.extend(decision.messages)
        if decision.reprompt:
            self.reprompts.append(decision.reprompt)

    def note(self, words: str) -> None:
        self.notes.append(words)

    def verdict(self, action: str, attempt: int = 0) -> FileHookVerdict:
        return FileHookVerdict(
            action,
            "\n\n".join(self.reprompts) if action == "reprompt" else None,
            attempt,
            self.new.changed,
            self.new.deleted,
            tuple(self.runs),
            self.pending,
            tuple(self.notes),
            tuple(self.wrote),
            self.told,
        )


def has_failed(result: HookResult) -> bool:
    """True unless the hook ran and found nothing wrong."""
    outcome = result.outcome
    said = outcome.reprompt or outcome.problem or outcome.products.get("failed")
    return result.failed or bool(said) or outcome.verdict >= Verdict.DENY


def concerns(spec: HookSpec, event: Event) -> bool:
    """Whether the files of the event are any of the hook's."""
    return fit_of(spec, event).mismatch is None
