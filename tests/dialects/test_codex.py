"""Codex CLI: config, matchers, patches, closed output, and answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import answer, captured, ended, hook, outcome, parsed, places

from hookline.dialects.base import Source, SourceText
from hookline.dialects.claude import DIALECT as CLAUDE
from hookline.dialects.codex import DIALECT
from hookline.model.events import Event, EventKind, ToolCall
from hookline.model.hooks import Command
from hookline.model.results import Decision, Outcome, Response, Verdict

K = EventKind
PATCH = "*** Begin Patch\n*** Add File: b.txt\n+hi\n*** End Patch\n"
MIXED = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n-x\n+y\n*** End Patch\n"


def called(tool: str = "Bash", **given: Any) -> Event:
    return Event(K.PreToolUse, "s", "/w", ToolCall(tool, given or {"command": "ls"}, "t"), "/w")


def patched(text: str) -> Event:
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "turn_id": "1", "model": "m"}
    call = {"tool_name": "apply_patch", "tool_input": {"command": text}, "tool_use_id": "t"}
    return DIALECT.read_event("PreToolUse", {**payload, **call})


@pytest.mark.parametrize(("native", "payload"), captured("codex"))
def test_every_recorded_payload_comes_back_field_for_field(native: str, payload: dict[str, Any]) -> None:
    event = DIALECT.read_event(native, payload)
    assert event.kind == native and event.host == "codex"
    assert DIALECT.payload(event, DIALECT.host_row(event)) == payload


def test_a_patch_is_a_write_or_an_edit_with_its_file() -> None:
    assert patched(PATCH).body == ToolCall("Write", {"command": PATCH, "file_path": "b.txt"}, "t")
    assert patched(MIXED).get("tool_name") == "Edit"
    assert CLAUDE.skip_reason(hook(CLAUDE, "PreToolUse", matcher="Write"), patched(MIXED)) is None


def test_an_edit_of_our_own_loop_is_a_patch_for_codex_hooks() -> None:
    event = called("Edit", file_path="a.py", old_string="x = 1", new_string="x = 2")
    given = DIALECT.hook_input(event, hook(DIALECT, "PreToolUse", matcher="apply_patch"))
    assert given.payload["tool_name"] == "apply_patch" and given.env == {}
    assert given.payload["tool_input"] == {
        "command": "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    }
    assert given.payload["permission_mode"] == "default" and given.payload["transcript_path"] is None


def test_a_rewritten_patch_comes_back_as_the_call() -> None:
    event = called("Write", file_path="a", content="x\n")
    changed = {"command": "*** Begin Patch\n*** Add File: b\n+y\n*** End Patch\n"}
    printed = specific("PreToolUse", permissionDecision="allow", updatedInput=changed)
    found = outcome(DIALECT, event, hook(DIALECT, "PreToolUse"), ended(0, printed))
    assert found == Outcome(updated_input={"file_path": "b", "content": "y\n"})
    elsewhere = {"command": MIXED}
    printed = specific("PreToolUse", permissionDecision="allow", updatedInput=elsewhere)
    denied = outcome(DIALECT, event, hook(DIALECT, "PreToolUse"), ended(0, printed))
    assert denied.verdict is Verdict.DENY and denied.problem


def test_a_changed_path_goes_back_into_the_patch() -> None:
    event = patched(PATCH)
    assert answer(
        DIALECT, event, updated_input={**event.get("tool_input"), "file_path": "c.txt"}
    ) == specific(
        "PreToolUse", permissionDecision="allow", updatedInput={"command": PATCH.replace("b.txt", "c.txt")}
    )


def test_config_of_a_hooks_json() -> None:
    spec = hook(DIALECT, "PreToolUse", {"timeout": 5, "statusMessage": "m"}, "^Bash$")
    assert (spec.timeout_s, spec.status_message, spec.kind) == (5.0, "m", K.PreToolUse)
    assert spec.action == Command("true", shell=("bash", "-c"))
    assert hook(DIALECT, "Stop").timeout_s == 600.0
    assert hook(DIALECT, "SessionEnd", {"timeout": 30}).timeout_s == 3.0


def test_config_of_a_toml_file_without_its_trust_state() -> None:
    text = (
        '[features]\nhooks = true\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n'
        '[hooks.state]\nabc = "trusted"\n'
    )
    given = SourceText(
        Source("/h/config.toml", "user", "toml", "~/.codex/config.toml", "hooks"), "text", text
    )
    found = DIALECT.parse(given)
    assert [(spec.id, spec.line) for spec in found.specs] == [("codex:Stop:1", 4)] and found.problems == ()


@pytest.mark.parametrize(
    ("levels", "enabled"),
    [
        ([("user", {"features": {"hooks": False}})], [False]),
        ([("user", {"features": {"codex_hooks": False}})], [False]),
        (
            [("user", {"features": {"hooks": False}}), ("project", {"features": {"hooks": True}})],
            [True, True],
        ),
        ([("managed", {"allow_managed_hooks_only": True}), ("user", {})], [True, False]),
    ],
)
def test_switches(levels: list[tuple[str, Any]], enabled: list[bool]) -> None:
    stop = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    found = DIALECT.combine([parsed(DIALECT, {**stop, **config}, scope) for scope, config in levels])
    assert [spec.enabled for entry in found for spec in entry.specs] == enabled


def test_prompt_hooks_are_listed_as_skipped() -> None:
    config = {"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}}
    (spec,) = DIALECT.combine([parsed(DIALECT, config)])[0].specs
    assert not spec.enabled and "skips" in spec.origin.disabled_why


def test_keys_of_claude_that_codex_ignores_are_pointed_out() -> None:
    handler = {"type": "command", "command": "x", "if": "Bash(git *)", "onFailure": "block"}
    found = parsed(DIALECT, {"hooks": {"PreToolUse": [{"hooks": [handler]}]}})
    assert [problem.code for problem in found.problems] == ["ignored-key", "ignored-key"]
    assert found.specs[0].condition is None and found.specs[0].on_failure == ""


def test_sources_and_the_moved_home(tmp_path: Path) -> None:
    shown = [source.shown for source in DIALECT.sources(places(tmp_path))]
    assert shown[1:] == [
        "/etc/codex/hooks.json",
        "/etc/codex/config.toml",
        "~/.codex/hooks.json",
        "~/.codex/config.toml",
        ".codex/hooks.json",
        ".codex/config.toml",
    ]
    moved = DIALECT.sources(places(tmp_path, CODEX_HOME="/elsewhere"))
    assert moved[3].path == "/elsewhere/hooks.json"


@pytest.mark.parametrize(
    ("matcher", "tool", "fits"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        ("Bash", "Bash", True),
        ("Ba", "Bash", False),
        ("Bash|apply_patch", "Edit", True),
        ("Bash, Edit", "Bash", False),
        (" Bash ", "Bash", False),
        ("^Ba", "Bash", True),
        ("(?i)bash", "Bash", True),
        ("[", "Bash", False),
        ("Edit", "Write", True),
        ("Write", "Edit", True),
        ("Agent", "Agent", True),
        ("spawn_agent", "Agent", True),
        ("mcp__srv__.*", "mcp__srv__echo", True),
        ("mcp__my-srv", "mcp__my-srv__echo", True),  # a hyphen makes it a pattern, which fits anywhere
        ("mcp__srv", "mcp__srv__echo", False),
    ],
)
def test_the_matcher_algorithm_as_observed(matcher: str, tool: str, fits: bool) -> None:
    spec = hook(DIALECT, "PreToolUse", matcher=matcher)
    assert (DIALECT.skip_reason(spec, called(tool, x=1)) is None) is fits


def test_a_patch_from_codex_answers_to_its_aliases() -> None:
    for matcher in ("apply_patch", "Edit", "Write"):
        assert DIALECT.skip_reason(hook(DIALECT, "PreToolUse", matcher=matcher), patched(PATCH)) is None


def specific(native: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": native, **fields}}


PRE = "PreToolUse"


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (ended(0), Outcome()),
        (ended(0, "text"), Outcome()),
        (
            ended(0, specific(PRE, permissionDecision="deny", permissionDecisionReason="r")),
            Outcome(Verdict.DENY, "r"),
        ),
        (ended(0, {"decision": "block", "reason": "r"}), Outcome(Verdict.DENY, "r")),
        (ended(0, specific(PRE, additionalContext="c")), Outcome(contexts=("c",))),
        (ended(0, {"systemMessage": "m"}), Outcome(messages=("m",))),
        (
            ended(0, specific(PRE, permissionDecision="allow", updatedInput={"command": "id"})),
            Outcome(updated_input={"command": "id"}),
        ),
        (ended(2, "", "r"), Outcome(Verdict.DENY, "r")),
        (ended(2, {"decision": "block", "reason": "json"}, "err"), Outcome(Verdict.DENY, "err")),
    ],
)
def test_output_before_a_tool(raw: Any, meant: Outcome) -> None:
    assert outcome(DIALECT, called(), hook(DIALECT, PRE), raw) == meant


@pytest.mark.parametrize(
    "raw",
    [
        ended(1, "", "x"),
        ended(3, {"decision": "block", "reason": "r"}),
        ended(127, "", "x"),
        ended(2),
        ended(2, "only stdout"),
        ended(None, signal=9),
        ended(None, timed_out=True),
    ],
)
def test_what_fails_lets_the_tool_run_and_says_so(raw: Any) -> None:
    found = outcome(DIALECT, called(), hook(DIALECT, PRE), raw)
    assert found.verdict is Verdict.NONE and found.messages


@pytest.mark.parametrize(
    "printed",
    [
        {"decision": "block"},
        {"decision": "approve"},
        {"decision": "block", "reason": "r", "extra": 1},
        {"reason": "r"},
        {"continue": False},
        {"suppressOutput": True},
        {"stopReason": "x"},
        specific(PRE, permissionDecision="deny"),
        specific(PRE, permissionDecision="allow"),
        specific(PRE, permissionDecision="ask", permissionDecisionReason="r"),
        specific(PRE, permissionDecision="deny", permissionDecisionReason="r", updatedInput={"x": 1}),
        specific(PRE, updatedInput={"x": 1}),
        specific(PRE, sessionTitle="x"),
        {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}},
        {"systemMessage": 3},
        "{broken}",
        "[1]",
    ],
)
def test_one_wrong_key_spoils_the_answer_and_is_named(printed: object) -> None:
    found = outcome(DIALECT, called(), hook(DIALECT, PRE), ended(0, printed))
    assert found.verdict is Verdict.NONE and found.problem.startswith("Codex refuses this answer as a whole")


@pytest.mark.parametrize(
    ("native", "raw", "meant"),
    [
        ("UserPromptSubmit", ended(0, "text"), Outcome(contexts=("text",))),
        ("UserPromptSubmit", ended(0, {"continue": False, "stopReason": "r"}), Outcome(Verdict.HALT, "r")),
        ("SessionStart", ended(0, "text"), Outcome(contexts=("text",))),
        ("PostToolUse", ended(0, {"continue": False, "stopReason": "r"}), Outcome(Verdict.DENY, "r")),
        ("PostToolUse", ended(2, "", "r"), Outcome(Verdict.DENY, "r")),
        ("Stop", ended(0, {"decision": "block", "reason": "r"}), Outcome(Verdict.DENY, "r", reprompt="r")),
        ("Stop", ended(0, "text"), Outcome(problem="a stop hook must print JSON or nothing")),
        ("PreCompact", ended(0, {"continue": False, "stopReason": "r"}), Outcome(Verdict.HALT, "r")),
        (
            "PermissionRequest",
            ended(0, specific("PermissionRequest", decision={"behavior": "allow"})),
            Outcome(Verdict.ALLOW),
        ),
    ],
)
def test_output_by_event(native: str, raw: Any, meant: Outcome) -> None:
    assert outcome(DIALECT, Event(K(native)), hook(DIALECT, native), raw) == meant


def test_a_reserved_key_denies_the_request() -> None:
    printed = specific("PermissionRequest", decision={"behavior": "allow", "interrupt": True})
    spec = hook(DIALECT, "PermissionRequest")
    assert outcome(DIALECT, Event(K.PermissionRequest), spec, ended(0, printed)).verdict is Verdict.DENY


def test_a_wrong_event_name_keeps_the_top_level_and_the_text() -> None:
    printed = {"decision": "block", "reason": "r", **specific("Stop", additionalContext="c")}
    found = outcome(DIALECT, called(), hook(DIALECT, PRE), ended(0, printed))
    assert (found.verdict, found.contexts) == (Verdict.DENY, ("c",)) and "`Stop`" in found.problem


@pytest.mark.parametrize(
    ("kind", "decided", "printed"),
    [
        (K.PreToolUse, {}, None),
        (K.PreToolUse, {"verdict": Verdict.ALLOW}, None),
        (
            K.PreToolUse,
            {"verdict": Verdict.ASK, "reason": "sure?"},
            specific(PRE, permissionDecision="deny", permissionDecisionReason="sure?"),
        ),
        (
            K.PreToolUse,
            {"verdict": Verdict.DENY},
            specific(PRE, permissionDecision="deny", permissionDecisionReason="denied by a hook"),
        ),
        (
            K.PreToolUse,
            {"verdict": Verdict.HALT, "reason": "r"},
            specific(PRE, permissionDecision="deny", permissionDecisionReason="r"),
        ),
        (
            K.PreToolUse,
            {"updated_input": {"command": "id"}},
            specific(PRE, permissionDecision="allow", updatedInput={"command": "id"}),
        ),
        (
            K.PreToolUse,
            {"updated_input": {"command": "id"}, "verdict": Verdict.ASK, "reason": "r"},
            specific(PRE, permissionDecision="deny", permissionDecisionReason="r"),
        ),
        (K.PreToolUse, {"contexts": ("c",)}, specific(PRE, additionalContext="c")),
        (
            K.PermissionRequest,
            {"verdict": Verdict.ALLOW},
            specific("PermissionRequest", decision={"behavior": "allow"}),
        ),
        (
            K.PermissionRequest,
            {"verdict": Verdict.DENY, "reason": "r"},
            specific("PermissionRequest", decision={"behavior": "deny", "message": "r"}),
        ),
        (K.PermissionRequest, {"verdict": Verdict.ASK}, None),
        (K.PostToolUse, {"reprompt": "r"}, {"decision": "block", "reason": "r"}),
        (K.PostToolUse, {"verdict": Verdict.HALT, "reason": "r"}, {"decision": "block", "reason": "r"}),
        (K.UserPromptSubmit, {"verdict": Verdict.DENY, "reason": "r"}, {"decision": "block", "reason": "r"}),
        (
            K.UserPromptSubmit,
            {"verdict": Verdict.HALT, "reason": "r"},
            {"continue": False, "stopReason": "r"},
        ),
        (K.Stop, {"reprompt": "go on"}, {"decision": "block", "reason": "go on"}),
        (K.PreCompact, {"verdict": Verdict.DENY, "reason": "r"}, {"continue": False, "stopReason": "r"}),
        (K.SessionEnd, {"verdict": Verdict.DENY, "reason": "r"}, None),
        (
            K.SessionStart,
            {"messages": ("m",), "contexts": ("c",)},
            {
                "systemMessage": "m",
                **specific("SessionStart", additionalContext="c"),
            },
        ),
    ],
)
def test_answers(kind: EventKind, decided: dict[str, Any], printed: Any) -> None:
    event = called() if kind is K.PreToolUse else Event(kind)
    assert answer(DIALECT, event, **decided) == printed


@pytest.mark.parametrize("kind", list(DIALECT.rules))
@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_answer_is_one_that_codex_itself_accepts(kind: EventKind, verdict: Verdict) -> None:
    event = called() if kind is K.PreToolUse else Event(kind)
    decision = Decision(kind, verdict, "r", None, ("c",), ("m",), "go on" if kind is K.Stop else None)
    response = DIALECT.respond(event, decision)
    spec = hook(DIALECT, DIALECT.rules[kind].native)
    assert response.exit_code == 0
    assert outcome(DIALECT, event, spec, ended(0, response.stdout)).problem == ""


def test_silence_is_silent_at_every_event() -> None:
    for row in DIALECT.rows:
        assert DIALECT.respond(Event(row.kind), Decision(row.kind)) == Response()


def test_an_approval_codex_cannot_give_is_noted() -> None:
    fitted, notes = DIALECT.fit(called(), Decision(K.PreToolUse, Verdict.ALLOW))
    assert fitted.verdict is Verdict.NONE and "cannot skip its own permission rules" in notes[0]


def test_the_schema_is_one() -> None:
    from jsonschema import Draft202012Validator

    check = Draft202012Validator(DIALECT.schema())
    check.check_schema(DIALECT.schema())
    assert check.is_valid({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}})
    assert not check.is_valid({"hooks": {"Notification": []}})
