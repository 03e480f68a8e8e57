"""What came of an event: raw facts, what each hook meant, and the one decision."""

from __future__ import annotations

from hookline.model.choices import IntEnum, StrEnum
from hookline.model.events import EventKind
from hookline.model.hooks import Answer, HookSpec
from hookline.model.record import Record
from hookline.model.typing import Any, Mapping


class Verdict(IntEnum):
    """Ordered by strictness: combining two opinions is `max`."""

    NONE = 0
    ALLOW = 1
    ASK = 2
    DEFER = 3
    DENY = 4
    HALT = 5

    @property
    def word(self) -> str:
        return self.name.lower()


class Status(StrEnum):
    """What happened to a hook; every known hook has exactly one in every decision."""

    ran = "ran"
    timed_out = "timed_out"
    launch_failed = "launch_failed"
    bad_output = "bad_output"
    cancelled = "cancelled"
    not_matched = "not_matched"
    untrusted = "untrusted"
    disabled = "disabled"
    invalid = "invalid"
    not_reached = "not_reached"
    duplicate = "duplicate"
    no_such_event = "no_such_event"
    would_run = "would_run"


class Timings(Record):
    """Seconds a hook spent waiting for its turn, starting, running, and having its output read."""

    queued: float = 0.0
    spawn: float = 0.0
    run: float = 0.0
    drain: float = 0.0

    @property
    def total(self) -> float:
        return self.spawn + self.run + self.drain


INPUT_UNREAD = "the hook did not read all of its input"


class RawResult(Record):
    """What happened when a hook ran, without an opinion.

    `exit_code` is the process's own (None if it never started, was killed by a signal or is no
    process); `status_code` the conventional number (124 time-out, 126/127 launch, 128+n signal).
    `value` is an inline callback's return or a parsed HTTP body. `answer` is the whole of a stdout that looks
    like JSON, where `stdout` shows it cut; `answer_cut`: not even that was all of it. `limit_s` is the limit of one
    that `timed_out`. `output_path` names the file that keeps the full text, if one does. `command` is what really
    ran. `usage` of a model that was asked: `model`, `requests`, `input_tokens`, `output_tokens`.
    """

    exit_code: int | None = None
    signal: int | None = None
    stdout: str = ""
    stderr: str = ""
    value: Any = None
    answer: str = ""
    answer_cut: bool = False
    http_status: int | None = None
    timed_out: bool = False
    limit_s: float = 0.0
    cancelled: bool = False
    launch_error: str = ""
    status_code: int | None = None
    truncated: bool = False
    output_path: str = ""
    command: str = ""
    timings: Timings = Timings()
    started_at: float = 0.0
    survivors: int = 0
    notes: tuple[str, ...] = ()
    usage: Mapping[str, Any] = {}

    @property
    def ending(self) -> str:
        """How it came to its end, in words: `exit 1`, `killed by signal 9`, `its server said 500`."""
        if self.http_status is not None:
            return f"its server said {self.http_status}"
        return f"killed by signal {self.signal}" if self.signal else f"exit {self.exit_code}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes that a person wants to read; not to read one's input is nobody's fault."""
        return tuple(note for note in self.notes if note != INPUT_UNREAD)

    @property
    def limit(self) -> str:
        """The limit in words: `300 ms`, `10 s`; empty where none is known."""
        if not self.limit_s:
            return ""
        return f"{self.limit_s * 1000:.0f} ms" if self.limit_s < 1 else f"{self.limit_s:g} s"

    @property
    def failed(self) -> bool:
        """True unless the hook ran to its end and reported success."""
        if self.launch_error or self.timed_out or self.cancelled or self.signal:
            return True
        if self.http_status is not None:
            return not 200 <= self.http_status < 300
        return self.exit_code not in (0, None)


class Outcome(Record):
    """What one hook meant, by its own dialect's rules.

    `contexts` go to the model, `messages` to the user, `reprompt` is a text that must go back to the
    agent as its next instruction. `problem` is set when the output could not be understood.
    `products` carries what only some events yield (status line, suggestions, permission updates, …).
    """

    verdict: Verdict = Verdict.NONE
    reason: str = ""
    updated_input: Any = None
    contexts: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    reprompt: str = ""
    problem: str = ""
    products: Mapping[str, Any] = {}


SILENT = Outcome()
DENIED = "denied by a hook"


class Fit(Record):
    """Whether a hook is meant by an event: `mismatch` says why not, None if it is.

    `doubt` says why that cannot be told, empty when it can; `instead` is then what is answered in place of
    the hook's own action, None where the hook decides. `derivation` names the commands by which it is meant:
    `{"command": "git push", "via": ["sh -c"], "start": 7, "end": 15, "certain": true}`.
    """

    mismatch: str | None = None
    doubt: str = ""
    instead: Answer | None = None
    derivation: tuple[Mapping[str, Any], ...] = ()


class HookResult(Record):
    """One hook's part in a decision. `why` is empty only when it simply ran; `derivation` as in `Fit`.

    `digest` is that of what ran: definition and files. `foreseen` is what a hook that did not run yet will
    surely answer, None where only a run tells.
    """

    spec: HookSpec
    status: Status
    why: str = ""
    raw: RawResult | None = None
    outcome: Outcome = SILENT
    derivation: tuple[Mapping[str, Any], ...] = ()
    digest: str = ""
    foreseen: Answer | None = None

    @property
    def failed(self) -> bool:
        return self.raw is not None and self.raw.failed


class Decision(Record):
    """The one answer to an event. `results` has every known hook once, in config order.

    `updated_input` replaces the tool's whole input (a rewritten prompt is `{"prompt": …}`), None if
    nobody changed it. `degraded` says what a host could not express, and every failure that let
    something through. `policy` is the digest of all hooks there were.
    """

    kind: EventKind
    verdict: Verdict = Verdict.NONE
    reason: str = ""
    updated_input: Mapping[str, Any] | None = None
    contexts: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    reprompt: str | None = None
    degraded: tuple[str, ...] = ()
    results: tuple[HookResult, ...] = ()
    products: Mapping[str, Any] = {}
    duration_s: float = 0.0
    run_id: str = ""
    generation: int = 0
    policy: str = ""

    @property
    def blocked(self) -> bool:
        return self.verdict >= Verdict.DENY

    @property
    def may_run(self) -> bool:
        """Whether what was asked about may happen without anybody being asked."""
        return self.verdict in (Verdict.NONE, Verdict.ALLOW)

    @property
    def needs_person(self) -> bool:
        """Whether a person has to say yes first; a program that cannot ask must take it as a no."""
        return self.verdict in (Verdict.ASK, Verdict.DEFER)

    def as_dict(self) -> dict[str, Any]:
        """As plain JSON values, named as in `fire --json`; of each hook what it came to."""
        hooks = (
            {
                "id": result.spec.id, "name": result.spec.name, "dialect": result.spec.dialect,
                "source": result.spec.source, "line": result.spec.line, "status": result.status.value,
                "why": result.why, "verdict": result.outcome.verdict.word,
                "reason": result.outcome.reason or None,
            }
            for result in self.results
        )  # fmt: skip
        return {
            "event": self.kind.value, "verdict": self.verdict.word, "reason": self.reason,
            "updated_input": None if self.updated_input is None else dict(self.updated_input),
            "context": list(self.contexts), "messages": list(self.messages), "reprompt": self.reprompt,
            "degraded": list(self.degraded), "duration_ms": round(self.duration_s * 1000, 3), "hooks": list(hooks),
        }  # fmt: skip

    def explain(self) -> str:
        """In words, for a log: the verdict and why, what was let through, each hook that had a part in it."""
        reason = f" ({self.reason})" if self.reason else ""
        lines = [f"{self.kind.value}: {self.verdict.word}{reason}", *(f"  {note}" for note in self.degraded)]
        for result in self.results:
            if result.status is not Status.not_matched:
                said = result.outcome.reason or result.why
                words = f"{result.status.value}, {result.outcome.verdict.word}" + (
                    f": {said}" if said else ""
                )
                lines.append(f"  {result.spec.name or result.spec.id}: {words}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        reason = f", reason={self.reason[:80]!r}" if self.reason else ""
        return f"<Decision {self.kind.value}: {self.verdict.word}{reason}, {len(self.results)} hooks>"

    @property
    def why(self) -> str:
        """The reason, never empty: some agents ignore a denial without one."""
        return self.reason or self.reprompt or DENIED

    @property
    def ran(self) -> tuple[HookResult, ...]:
        """The hooks that were really started."""
        return tuple(result for result in self.results if result.raw is not None)


class Response(Record):
    """What a bridged agent receives from us as its hook.

    `refusal` is why the agent must not go on, for when this answer cannot be written; empty if it may.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    refusal: str = ""


class HookStarted(Record):
    """Told to listeners when a hook starts."""

    spec: HookSpec
    event: Any
    at: float = 0.0


class HookFinished(Record):
    """Told to listeners when a hook has ended."""

    result: HookResult
    event: Any
    at: float = 0.0


# -- what became of a hook, in a word a person would use -------------------------------------------


_BY_STATUS = {
    "timed_out": "timed out", "launch_failed": "did not start", "bad_output": "bad output",
    "cancelled": "cancelled", "would_run": "would run", "not_matched": "not matched",
    "not_reached": "not reached", "no_such_event": "no such event",
}  # fmt: skip
_BY_VERDICT = {"deny": "denied", "halt": "halted", "ask": "asked", "defer": "deferred"}
_TOO_LATE = ("PostToolUse", "PostToolUseFailure", "PostToolBatch")  # nothing is left to deny
_NO_PROGRAM = (126, 127)

FAILURES = ("failed", "killed", "timed out", "did not start", "bad output")
OBJECTIONS = ("denied", "halted", "objected")
MARKS = {
    "ran": "✓", "denied": "⊘", "halted": "⊘", "objected": "⊘", "asked": "?", "deferred": "?", "timed out": "⏱",
    "failed": "✗", "killed": "✗", "did not start": "✗", "bad output": "✗", "cancelled": "✗",
    "untrusted": "!", "invalid": "!", "no such event": "!", "would run": "▶",
}  # fmt: skip


def fate_of(hook: Mapping[str, Any]) -> str:
    """The word for one hook of a decision's JSON object: a rightful denial is `denied`, and no failure."""
    status, verdict = str(hook["status"]), hook["verdict"]
    if status != "ran":
        return _BY_STATUS.get(status, status)
    if hook["signal"]:
        return "killed"
    if verdict in _BY_VERDICT and not _by_failure(hook):
        return "objected" if verdict == "deny" and hook["event"] in _TOO_LATE else _BY_VERDICT[verdict]
    http_status = hook.get("http_status")
    refused = http_status is not None and not 200 <= http_status < 300
    return "failed" if hook["exit_code"] or refused else "ran"


def fate(result: HookResult) -> str:
    """The same for a result."""
    raw = result.raw
    return fate_of({
        "status": result.status.value, "verdict": result.outcome.verdict.word, "event": result.spec.kind.value,
        "reason": result.outcome.reason, "exit_code": raw and raw.exit_code, "signal": raw and raw.signal,
        "http_status": raw and raw.http_status,
    })  # fmt: skip


def _by_failure(hook: Mapping[str, Any]) -> bool:
    """Whether the verdict is what a failure counts as, and not the hook's own."""
    code, reason = hook["exit_code"], hook["reason"] or ""
    made_up = reason.startswith("guard `") or "; on_failure = " in reason
    return code in _NO_PROGRAM or (code not in (0, 2, None) and made_up)
