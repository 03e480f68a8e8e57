"""A decision as JSON has every key a reader relies on."""

from __future__ import annotations

from hookline.model.events import Event, EventKind
from hookline.model.hooks import Command, HookSpec, Matcher
from hookline.model.rendering import decision_as_json, iso_time
from hookline.model.results import Decision, HookResult, Outcome, RawResult, Status, Timings, Verdict


def test_a_decision_tells_which_hook_ran_from_where_with_what_result_and_how_long() -> None:
    guard = HookSpec(
        "gencode:PreToolUse:1", "gencode", EventKind.PreToolUse, "PreToolUse", Command("sh guard.sh"),
        source=".gen/settings.json", line=7, matcher=Matcher("names", "Write|Edit"), name="guard",
    )  # fmt: skip
    silent = HookSpec("x", "iteratr", EventKind.PreToolUse, "pre", Command("true"))
    raw = RawResult(
        exit_code=2, stderr="no", timings=Timings(0.0005, 0.001, 0.002, 0.0001), output_path="/full.txt",
        truncated=True, stdout="out",
    )  # fmt: skip
    decision = Decision(
        EventKind.PreToolUse, Verdict.DENY, "no", {"a": (1,)}, ("ctx",), ("msg",), "again", ("lost",),
        (
            HookResult(guard, Status.ran, "", raw, Outcome(Verdict.DENY, "no")),
            HookResult(silent, Status.not_matched, "tool `Bash` is not `Write`"),
        ),
        {"suggestions": ("a", guard.matcher)}, 0.0123, "run-1", 3,
    )  # fmt: skip
    event = Event(EventKind.PreToolUse, "s1", at=1763719200.25)
    assert decision_as_json(event, decision) == {
        "schema": 1, "run": "run-1", "at": "2025-11-21T10:00:00.250Z", "event": "PreToolUse",
        "session_id": "s1", "verdict": "deny", "reason": "no", "updated_input": {"a": [1]},
        "context": ["ctx"], "messages": ["msg"], "reprompt": "again", "degraded": ["lost"],
        "duration_ms": 12.3, "generation": 3,
        "hooks": [
            {
                "id": "gencode:PreToolUse:1", "name": "guard", "dialect": "gencode", "event": "PreToolUse",
                "native_event": "PreToolUse", "source": ".gen/settings.json", "line": 7,
                "handler": "command", "matcher": "Write|Edit", "status": "ran", "why": "", "exit_code": 2,
                "signal": None, "duration_ms": 3.1, "stdout": "out", "stderr": "no", "truncated": True,
                "verdict": "deny", "reason": "no", "derivation": [],
                "timings_ms": {"queued": 0.5, "spawn": 1.0, "run": 2.0, "drain": 0.1},
                "output_path": "/full.txt",
            },
            {
                "id": "x", "name": "x", "dialect": "iteratr", "event": "PreToolUse", "native_event": "pre",
                "source": "", "line": 0, "handler": "command", "matcher": None, "status": "not_matched",
                "why": "tool `Bash` is not `Write`", "exit_code": None, "signal": None, "duration_ms": 0.0,
                "stdout": "", "stderr": "", "truncated": False, "verdict": "none", "reason": None,
                "derivation": [],
            },
        ],
        "products": {"suggestions": ["a", {"kind": "names", "text": "Write|Edit"}]},
    }  # fmt: skip


def test_an_empty_decision_has_null_where_there_is_nothing() -> None:
    shown = decision_as_json(Event(EventKind.Stop, at=1.0), Decision(EventKind.Stop), "r")
    assert (shown["updated_input"], shown["reprompt"], shown["hooks"], shown["run"]) == (None, None, [], "r")
    assert "products" not in shown


def test_times_are_utc_with_milliseconds() -> None:
    assert iso_time(0.9999) == "1970-01-01T00:00:00.999Z"
