"""GitHub Copilot: config, two payload spellings, output, and answers: as seen in 1.0.102, else as documented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import answer, captured, ended, outcome, parsed, places

from hookline.dialects.base import Source, SourceText
from hookline.dialects.copilot import DIALECT
from hookline.model.errors import PayloadError
from hookline.model.events import Event, EventKind, ToolCall, ToolFailed
from hookline.model.hooks import Command, HookSpec, Webhook
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, Response, Verdict

K = EventKind
CAMEL: dict[str, Any] = {"sessionId": "s", "timestamp": 1700000000000, "cwd": "/w"}
PASCAL: dict[str, Any] = {"session_id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w"}
PAYLOADS: list[tuple[str, dict[str, Any]]] = [
    ("sessionStart", {**CAMEL, "source": "startup", "initialPrompt": "hi"}),
    ("sessionEnd", {**CAMEL, "reason": "complete"}),
    ("userPromptSubmitted", {**CAMEL, "prompt": "hi"}),
    ("preToolUse", {**CAMEL, "toolName": "bash", "toolArgs": '{"command": "ls"}'}),
    ("preToolUse", {**CAMEL, "toolName": "view", "toolArgs": '{"path": "/w/a"}'}),
    (
        "postToolUse",
        {
            **CAMEL,
            "toolName": "create",
            "toolArgs": '{"path": "/w/a", "file_text": "x"}',
            "toolResult": {"resultType": "success", "textResultForLlm": "ok"},
        },
    ),
    ("agentStop", {**CAMEL, "transcriptPath": "/t", "stopReason": "end", "stopHookActive": True}),
    ("errorOccurred", {**CAMEL, "error": {"message": "m", "name": "E", "stack": ""}, "recoverable": True}),
    ("preCompact", {**CAMEL, "trigger": "auto", "customInstructions": "short"}),
    (
        "PreToolUse",
        {**PASCAL, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}},
    ),
    ("Stop", {**PASCAL, "hook_event_name": "Stop", "stop_hook_active": True}),
]


def called(tool: str = "Bash", **given: Any) -> Event:
    return Event(K.PreToolUse, "s", "/w", ToolCall(tool, given or {"command": "ls"}, "t"), "/w")


def hook(native: str, **handler: Any) -> HookSpec:
    config = {"version": 1, "hooks": {native: [{"type": "command", "bash": "true", **handler}]}}
    return parsed(DIALECT, config).specs[0]


@pytest.mark.parametrize(("native", "payload"), PAYLOADS)
def test_every_documented_payload_comes_back_field_for_field(native: str, payload: dict[str, Any]) -> None:
    event = DIALECT.read_event(native, payload)
    assert event.host == "copilot" and event.session_id == "s"
    assert DIALECT.hook_input(event, hook(native)).payload == payload


@pytest.mark.parametrize(("native", "payload"), captured("copilot"))
def test_every_recorded_payload_comes_back_field_for_field(native: str, payload: dict[str, Any]) -> None:
    event = DIALECT.read_event(native, payload)
    sent = DIALECT.hook_input(event, hook(native)).payload
    assert {field: value for field, value in payload.items() if sent.get(field) != value} == {}


def test_what_a_subagent_does_belongs_to_the_session_that_started_it() -> None:
    events = {native: DIALECT.read_event(native, payload) for native, payload in captured("copilot")}
    assert {event.session_id for event in events.values()} == {"<UUID1>"}


@pytest.mark.parametrize("native", ["agentStop", "Stop", "userPromptSubmitted", "UserPromptSubmit"])
def test_a_subagents_prompt_and_end_are_not_those_of_the_turn(native: str) -> None:
    told = [DIALECT.read_event(name, payload) for name, payload in captured("copilot") if name == native]
    assert sorted((bool(event.agent_id), DIALECT.is_noise(event)) for event in told) == [
        (False, False),
        (True, True),
    ]


def test_a_hook_that_reads_the_arguments_is_given_them_as_it_knows_them() -> None:
    payload = DIALECT.hook_input(called("Write", file_path="a", content="b"), hook("preToolUse")).payload
    assert (payload["toolName"], payload["toolArgs"]) == ("create", {"path": "a", "file_text": "b"})
    asked = Event(K.PermissionRequest, "s", "/w", ToolCall("Bash", {"command": "ls"}), "/w")
    for native in ("permissionRequest", "PermissionRequest"):
        said = DIALECT.hook_input(asked, hook(native)).payload
        assert (said["hookName"], said["toolName"]) == ("permissionRequest", "bash")
        assert (said["toolInput"], said["permissionSuggestions"]) == ({"command": "ls"}, [])


def test_a_hook_has_the_variables_that_copilot_sets() -> None:
    spec = replace(hook("preToolUse"), path="/w/.github/hooks/h.json")
    assert DIALECT.hook_input(called(), spec).env == {
        "CLAUDE_PROJECT_DIR": "/w", "COPILOT_PROJECT_DIR": "/w", "COPILOT_CLI": "1",
        "COPILOT_HOOK_DIR": "/w/.github/hooks",
    }  # fmt: skip


@pytest.mark.parametrize("native", ["preToolUse", "PreToolUse"])
def test_a_denial_in_claudes_shape_denies(native: str) -> None:
    said = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "r"}
    found = outcome(DIALECT, called(), hook(native), ended(0, {"hookSpecificOutput": said}))
    assert found == Outcome(Verdict.DENY, "r")


@pytest.mark.parametrize("said", [{}, [], {"a": 1}, 3])
def test_a_word_that_is_none_is_an_error_of_the_payload(said: Any) -> None:
    for native, field in (("SessionStart", "source"), ("sessionStart", "source"), ("SessionEnd", "reason")):
        with pytest.raises(PayloadError, match=f"`{field}`: expected a string"):
            DIALECT.read_event(native, {"session_id": "s", "cwd": "/", field: said})


def test_a_new_session_is_a_startup_to_hooks_of_others() -> None:
    event = DIALECT.read_event("sessionStart", {**CAMEL, "source": "new"})
    assert event.get("source") == "startup"


@pytest.mark.parametrize(
    ("tool", "given", "canonical", "meant"),
    [
        ("bash", {"command": "ls"}, "Bash", {"command": "ls"}),
        ("view", {"path": "a"}, "Read", {"file_path": "a"}),
        ("edit", {"path": "a", "old_str": "b", "new_str": "c"}, "Edit",
         {"file_path": "a", "old_string": "b", "new_string": "c"}),
        ("task", {"x": 1}, "Agent", {"x": 1}),
        ("github-list_issues", {}, "github-list_issues", {}),
    ],
)  # fmt: skip
def test_tools_and_their_fields_are_translated(
    tool: str, given: dict[str, Any], canonical: str, meant: dict[str, Any]
) -> None:
    event = DIALECT.read_event("preToolUse", {**CAMEL, "toolName": tool, "toolArgs": json.dumps(given)})
    assert (event.get("tool_name"), event.get("tool_input")) == (canonical, meant)


def test_a_hook_of_our_own_loop_gets_the_fields_of_its_spelling() -> None:
    event = called("Edit", file_path="a", old_string="b", new_string="c")
    camel = DIALECT.hook_input(event, hook("preToolUse")).payload
    assert camel["toolName"] == "edit" and "hook_event_name" not in camel
    assert camel["toolArgs"] == {"path": "a", "old_str": "b", "new_str": "c"}
    pascal = DIALECT.hook_input(event, hook("PreToolUse")).payload
    assert (pascal["hook_event_name"], pascal["tool_name"]) == ("PreToolUse", "Edit")
    assert pascal["tool_input"] == camel["toolArgs"]


def test_config_with_shells_programs_and_folders() -> None:
    assert hook("preToolUse").action == Command("true", shell=("bash", "-c"))
    spec = hook("preToolUse", cwd="tools", env={"A": "b"}, timeoutSec=5)
    assert (spec.timeout_s, spec.env, DIALECT.hook_input(called(), spec).cwd) == (5.0, {"A": "b"}, "/w/tools")
    assert hook("preToolUse").timeout_s == 30.0
    config = {
        "version": 1,
        "hooks": {
            "preToolUse": [
                {"exec": "guard", "args": ["-x"]},
                {"powershell": "Guard"},
                {"type": "http", "url": "https://x.test"},
                {"type": "http", "url": "http://x.test"},
                {"type": "command"},
            ]
        },
    }
    found = parsed(DIALECT, config)
    assert [spec.action for spec in found.specs[:3]] == [
        Command(argv=("guard", "-x")),
        Command("Guard", shell=("pwsh", "-NoProfile", "-Command")),
        Webhook("https://x.test", "POST", {}, ()),
    ]
    assert [spec.handler for spec in found.specs[3:]] == ["unusable", "unusable"]
    assert [problem.guard for problem in found.problems] == [True, True]


@pytest.mark.parametrize(
    ("native", "url", "fits"),
    [
        ("sessionStart", "https://x.test", True),
        ("sessionStart", "http://localhost:8080/a", True),
        ("agentStop", "http://127.0.0.1", True),
        ("agentStop", "http://localhost.x.test/", False),
        ("postToolUse", "http://x.test", False),
        ("permissionRequest", "http://localhost:1", False),
    ],
)
def test_a_web_hook_without_encryption_stays_on_this_machine(native: str, url: str, fits: bool) -> None:
    found = parsed(DIALECT, {"version": 1, "hooks": {native: [{"type": "http", "url": url}]}})
    assert [problem.code for problem in found.problems] == ([] if fits else ["bad-value"])


def test_a_misspelled_event_is_an_error() -> None:
    found = parsed(DIALECT, {"version": 1, "hooks": {"pretooluse": [{"bash": "x"}]}})
    assert [spec.kind for spec in found.specs] == [K.NoSuchEvent] and found.problems[0].guard


def test_milliseconds_in_a_file_of_seconds_are_pointed_out() -> None:
    found = parsed(DIALECT, {"version": 1, "hooks": {"agentStop": [{"bash": "x", "timeoutSec": 30000}]}})
    assert [problem.code for problem in found.problems] == ["implausible-time"]


def test_sources_in_the_order_their_hooks_run(tmp_path: Path) -> None:
    for folder in ("home/.copilot/hooks", "w/.github/hooks"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "b.json").write_text("{}")
        (tmp_path / folder / "a.json").write_text("{}")
        (tmp_path / folder / "notes.txt").write_text("")
    shown = [source.shown for source in DIALECT.sources(places(tmp_path)) if source.scope != "managed"]
    assert shown == [
        "~/.copilot/hooks/a.json",
        "~/.copilot/hooks/b.json",
        "~/.copilot/settings.json",
        ".github/hooks/a.json",
        ".github/hooks/b.json",
        ".github/copilot/settings.json",
        ".github/copilot/settings.local.json",
    ]


NAMED = {"file": "/w/.github/hooks/settings.json", "inline": "/home/.copilot/settings.json"}


@pytest.mark.parametrize(("name", "codes"), [("file", ["missing-key"]), ("inline", [])])
def test_a_settings_file_needs_no_version(name: str, codes: list[str]) -> None:
    source = Source(NAMED[name], "user", "json", NAMED[name], "hooks")
    found = DIALECT.parse(
        SourceText(source, "text", '{"hooks": {"agentStop": [{"bash": "x"}]}}', "", source.path)
    )
    assert [problem.code for problem in found.problems] == codes
    assert len(found.specs) == 1


@pytest.mark.parametrize(
    ("levels", "enabled"),
    [
        ([("project", "file", True), ("user", "file", False)], [False, True]),
        (
            [("user", "inline", True), ("project", "file", False), ("managed", "file", False)],
            [False, False, True],
        ),
    ],
)
def test_the_off_switch(levels: list[tuple[str, str, bool]], enabled: list[bool]) -> None:
    stop = {"version": 1, "hooks": {"agentStop": [{"bash": "x"}]}}
    found = []
    for scope, name, off in levels:
        source = Source(NAMED[name], scope, "json", NAMED[name], "hooks")
        text = json.dumps({**stop, "disableAllHooks": off})
        found.append(DIALECT.parse(SourceText(source, "text", text, "", source.path, source.path)))
    assert [spec.enabled for entry in DIALECT.combine(found) for spec in entry.specs] == enabled


@pytest.mark.parametrize(
    ("native", "matcher", "tool", "fits"),
    [
        ("preToolUse", "bash", "Bash", True),
        ("preToolUse", "bas", "Bash", False),
        ("preToolUse", "ba.*", "Bash", True),
        ("preToolUse", "edit|create", "Write", True),
        ("preToolUse", "Bash", "Bash", False),
        ("preToolUse", "[", "Bash", False),
        ("PreToolUse", "Bash", "Bash", True),
        ("PreToolUse", "Edit|Write", "Write", True),
        ("PreToolUse", "bash", "Bash", True),
        ("PreToolUse", "view", "Bash", False),
        ("preToolUse", "srv-echo", "mcp__srv__echo", True),
    ],
)
def test_matchers_are_anchored_or_claudes(native: str, matcher: str, tool: str, fits: bool) -> None:
    spec = hook(native, matcher=matcher)
    assert (DIALECT.skip_reason(spec, called(tool, x=1)) is None) is fits


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (ended(0), Outcome()),
        (ended(0, {"permissionDecision": "allow"}), Outcome(Verdict.ALLOW)),
        (ended(0, {"permissionDecision": "ask", "permissionDecisionReason": "r"}), Outcome(Verdict.ASK, "r")),
        (
            ended(0, {"permissionDecision": "deny", "permissionDecisionReason": "r"}),
            Outcome(Verdict.DENY, "r"),
        ),
        (ended(0, {"permissionDecision": "deny"}), Outcome(Verdict.DENY, "Denied by hook")),
        (ended(0, {"modifiedArgs": {"command": "id"}}), Outcome(updated_input={"command": "id"})),
        (
            ended(0, '{"type": "progress", "message": "…"}\n{"permissionDecision": "deny"}'),
            Outcome(Verdict.DENY, "Denied by hook"),
        ),
        (ended(1, "", "x"), Outcome(Verdict.DENY, "x")),
        (ended(2, "", "x"), Outcome(Verdict.DENY, "x")),
        (ended(127, "", "x"), Outcome(Verdict.DENY, "x")),
        (ended(None, signal=9), Outcome(Verdict.DENY, "hook was killed by signal 9")),
        (ended(None, launch_error="no"), Outcome(Verdict.DENY, "hook could not start: no")),
    ],
)
def test_output_before_a_tool(raw: Any, meant: Outcome) -> None:
    assert outcome(DIALECT, called(), hook("preToolUse"), raw) == meant


@pytest.mark.parametrize("raw", [ended(None, timed_out=True), ended(None, http_status=500)])
def test_a_time_out_and_a_dead_server_let_the_tool_run_and_say_so(raw: Any) -> None:
    found = outcome(DIALECT, called(), hook("preToolUse"), raw)
    assert found.verdict is Verdict.NONE and found.messages


@pytest.mark.parametrize("printed", ["text", "{bad}", {"permissionDecision": "perhaps"}, {"unknown": 1}])
def test_an_answer_that_is_none_is_named(printed: object) -> None:
    found = outcome(DIALECT, called(), hook("preToolUse"), ended(0, printed))
    assert found.verdict is Verdict.NONE and found.problem


@pytest.mark.parametrize(
    ("native", "kind", "raw", "meant"),
    [
        (
            "agentStop",
            K.Stop,
            ended(0, {"decision": "block", "reason": "r"}),
            Outcome(Verdict.DENY, "r", reprompt="r"),
        ),
        ("permissionRequest", K.PermissionRequest, ended(0, {"behavior": "allow"}), Outcome(Verdict.ALLOW)),
        ("permissionRequest", K.PermissionRequest, ended(2, "", "x"), Outcome(Verdict.DENY, "x")),
        ("permissionRequest", K.PermissionRequest, ended(0, {"decision": "approve"}), Outcome()),
        ("sessionStart", K.SessionStart, ended(0, {"additionalContext": "c"}), Outcome(contexts=("c",))),
        ("preToolUse", K.PreToolUse, ended(0, {"additionalContext": "c"}), Outcome(contexts=("c",))),
        (
            "userPromptSubmitted",
            K.UserPromptSubmit,
            ended(0, {"additionalContext": "c"}),
            Outcome(contexts=("c",)),
        ),
        (
            "userPromptSubmitted",
            K.UserPromptSubmit,
            ended(0, {"modifiedPrompt": "p"}),
            Outcome(updated_input={"prompt": "p"}),
        ),
        (
            "postToolUse",
            K.PostToolUse,
            ended(0, {"decision": "block", "reason": "r"}),
            Outcome(Verdict.DENY, "r"),
        ),
        ("postToolUseFailure", K.PostToolUseFailure, ended(2, "try this"), Outcome(contexts=("try this",))),
        (
            "userPromptTransformed",
            K.UserPromptExpansion,
            ended(0, {"modifiedTransformedPrompt": "p"}),
            Outcome(updated_input={"prompt": "p"}),
        ),
    ],
)
def test_output_by_event(native: str, kind: EventKind, raw: Any, meant: Outcome) -> None:
    assert outcome(DIALECT, Event(kind), hook(native), raw) == meant


def deny(reason: str) -> dict[str, str]:
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


@pytest.mark.parametrize(
    ("kind", "decided", "printed"),
    [
        (K.PreToolUse, {}, None),
        (K.PreToolUse, {"verdict": Verdict.ALLOW}, {"permissionDecision": "allow"}),
        (K.PreToolUse, {"verdict": Verdict.DENY}, deny("denied by a hook")),
        (K.PreToolUse, {"verdict": Verdict.HALT, "reason": "r"}, deny("r")),
        (K.PreToolUse, {"verdict": Verdict.DEFER, "reason": "r"}, deny("r")),
        (
            K.PreToolUse,
            {"verdict": Verdict.ASK, "reason": "r"},
            {"permissionDecision": "ask", "permissionDecisionReason": "r"},
        ),
        (K.PreToolUse, {"updated_input": {"command": "id"}}, {"modifiedArgs": {"command": "id"}}),
        (K.PermissionRequest, {"verdict": Verdict.ALLOW}, {"behavior": "allow"}),
        (
            K.PermissionRequest,
            {"verdict": Verdict.HALT, "reason": "r"},
            {"behavior": "deny", "message": "r", "interrupt": True},
        ),
        (K.PostToolUse, {"reprompt": "fix"}, {"additionalContext": "fix"}),
        (K.PostToolUse, {"contexts": ("a", "b")}, {"additionalContext": "a\nb"}),
        (K.UserPromptSubmit, {"verdict": Verdict.DENY, "reason": "r"}, {"decision": "block", "reason": "r"}),
        (K.UserPromptSubmit, {"contexts": ("a",)}, {"additionalContext": "a"}),
        (K.UserPromptSubmit, {"updated_input": {"prompt": "p"}}, {"modifiedPrompt": "p"}),
        (K.PreToolUse, {"contexts": ("a",)}, {"additionalContext": "a"}),
        (K.UserPromptExpansion, {"updated_input": {"prompt": "p"}}, {"modifiedTransformedPrompt": "p"}),
        (K.Stop, {"reprompt": "go"}, {"decision": "block", "reason": "go"}),
        (K.Stop, {"verdict": Verdict.HALT, "reason": "r"}, None),
        (K.SessionEnd, {"verdict": Verdict.DENY, "reason": "r", "messages": ("m",)}, None),
        (
            K.UserPromptSubmit,
            {"verdict": Verdict.DENY, "reason": "r", "reprompt": "go"},
            {"decision": "block", "reason": "r\ngo"},
        ),
    ],
)
def test_answers(kind: EventKind, decided: dict[str, Any], printed: Any) -> None:
    event = called() if kind is K.PreToolUse else Event(kind)
    assert answer(DIALECT, event, **decided) == printed


def test_a_changed_input_goes_back_in_the_fields_the_agent_used() -> None:
    event = DIALECT.read_event("preToolUse", {**CAMEL, "toolName": "view", "toolArgs": '{"path": "a"}'})
    assert answer(DIALECT, event, updated_input={"file_path": "b"}) == {"modifiedArgs": {"path": "b"}}


def test_a_failed_tool_is_read() -> None:
    payload = {**CAMEL, "toolName": "bash", "toolArgs": '{"command": "x"}', "error": "broke"}
    event = DIALECT.read_event("postToolUseFailure", payload)
    assert event.body == ToolFailed("Bash", {"command": "x"}, error="broke")


def test_silence_is_silent_at_every_event() -> None:
    for row in DIALECT.rows:
        assert DIALECT.respond(Event(row.kind), Decision(row.kind)) == Response()


def test_the_schema_is_one() -> None:
    from jsonschema import Draft202012Validator

    check = Draft202012Validator(DIALECT.schema())
    check.check_schema(DIALECT.schema())
    assert check.is_valid({"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "x"}]}})
    assert not check.is_valid({"version": 1, "hooks": {"BeforeTool": []}})
