"""What became of a hook, in a word a person would use: it denied, it failed, it was killed, time ran out."""

from __future__ import annotations

from hookline.model.results import HookResult
from hookline.model.typing import Any, Mapping

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
