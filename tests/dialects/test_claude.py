"""Claude Code: config, matchers, `if`, payloads, output, and answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import answer, captured, ended, hook, outcome, parsed, places

from hookline.dialects.claude import DIALECT
from hookline.dialects.claude.rules import ROWS
from hookline.model.errors import PayloadError
from hookline.model.events import Compact, Event, EventKind, Prompt, SessionStarted, ToolCall, TurnEnd
from hookline.model.hooks import Command, McpTool, PromptCheck, Webhook
from hookline.model.results import Decision, Outcome, Response, Verdict

K = EventKind


def bash(command: str = "git push", **more: Any) -> Event:
    return Event(K.PreToolUse, "s", "/w", ToolCall("Bash", {"command": command}, "t1"), "/w", **more)


def called(tool: str, **given: Any) -> Event:
    return Event(K.PreToolUse, "s", "/w", ToolCall(tool, given, "t1"), "/w")


# -- payloads ------------------------------------------------------------------------------------------


def test_there_are_33_events() -> None:
    assert len(ROWS) == 33 and len(DIALECT.rules) == 33


@pytest.mark.parametrize(("native", "payload"), captured("claude"))
def test_every_recorded_payload_comes_back_field_for_field(native: str, payload: dict[str, Any]) -> None:
    event = DIALECT.read_event(native, payload)
    assert event.kind == native and event.host == "claude"
    assert DIALECT.payload(event, DIALECT.row_of(event.kind)) == payload


def test_unknown_fields_survive_the_way_to_a_hook() -> None:
    payload = {"hook_event_name": "Stop", "session_id": "s", "cwd": "/w", "brand_new": {"x": 1}}
    event = DIALECT.read_event("Stop", payload)
    assert DIALECT.hook_input(event, hook(DIALECT, "Stop")).payload["brand_new"] == {"x": 1}


def test_an_unknown_event_is_refused_by_name() -> None:
    with pytest.raises(PayloadError, match="no event `BeforeTool`"):
        DIALECT.read_event("BeforeTool", {})


def test_a_hook_of_our_own_loop_gets_the_payload_claude_sends() -> None:
    given = DIALECT.hook_input(bash(), hook(DIALECT, "PreToolUse"))
    assert given.stdin and given.env == {"CLAUDE_PROJECT_DIR": "/w"} and given.cwd == "/w"
    assert given.payload == {
        "session_id": "s",
        "transcript_path": "",
        "cwd": "/w",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "git push"},
        "tool_use_id": "t1",
    }


def test_exec_form_arguments_take_placeholders_and_shell_lines_do_not() -> None:
    argv = hook(DIALECT, "Stop", {"command": "python3", "args": ["${CLAUDE_PROJECT_DIR}/x.py"]})
    given = DIALECT.hook_input(Event(K.Stop, cwd="/w/sub", workspace="/w"), argv)
    assert argv.action == Command(argv=("python3", "${CLAUDE_PROJECT_DIR}/x.py"))
    assert given.placeholders == "vars" and given.variables == {"CLAUDE_PROJECT_DIR": "/w"}
    assert DIALECT.hook_input(Event(K.Stop), hook(DIALECT, "Stop")).placeholders == ""


# -- config --------------------------------------------------------------------------------------------


def test_all_five_handler_types_are_read() -> None:
    config = {
        "hooks": {
            "PreToolUse": [
                {
                    "matcher": "Bash|Edit",
                    "hooks": [
                        {"type": "command", "command": "guard", "timeout": 5, "statusMessage": "guarding"},
                        {
                            "type": "http",
                            "url": "https://x.test/h",
                            "headers": {"A": "$T"},
                            "allowedEnvVars": ["T"],
                        },
                        {"type": "mcp_tool", "server": "srv", "tool": "check", "input": {"a": "${cwd}"}},
                        {"type": "prompt", "prompt": "ok? $ARGUMENTS"},
                        {"type": "agent", "prompt": "look"},
                    ],
                }
            ]
        }
    }
    loaded = parsed(DIALECT, config)
    assert loaded.problems == ()
    assert [spec.action for spec in loaded.specs] == [
        Command("guard"),
        Webhook("https://x.test/h", "POST", {"A": "$T"}, ("T",)),
        McpTool("srv", "check", {"a": "${cwd}"}),
        PromptCheck("ok? $ARGUMENTS"),
        PromptCheck("look", agent=True, continue_on_block=True),
    ]
    assert [spec.timeout_s for spec in loaded.specs] == [5, 600, 600, 30, 60]
    assert [spec.id for spec in loaded.specs] == [f"claude:PreToolUse:{n}" for n in range(1, 6)]
    assert loaded.specs[0].status_message == "guarding" and loaded.specs[0].line == 1


@pytest.mark.parametrize(
    ("native", "seconds"),
    [("UserPromptSubmit", 30.0), ("SessionEnd", 1.5), ("MessageDisplay", 10.0), ("PreModelSwitch", 30.0)],
)
def test_some_events_have_a_shorter_time_limit(native: str, seconds: float) -> None:
    assert hook(DIALECT, native).timeout_s == seconds


def test_one_wrong_entry_is_reported_and_its_siblings_load() -> None:
    config = {
        "hooks": {"PreToolUse": [{"hooks": [{"type": "command"}, {"type": "command", "command": "ok"}]}]}
    }
    loaded = parsed(DIALECT, config)
    assert [spec.handler for spec in loaded.specs] == ["unusable", "command"]
    assert [(problem.path, problem.guard) for problem in loaded.problems] == [
        ("hooks.PreToolUse[0].hooks[0].command", True)
    ]


@pytest.mark.parametrize(
    ("native", "meant"),
    [("PreTooluse", "PreToolUse"), ("preToolUse", "PreToolUse"), ("SubAgentStop", "SubagentStop")],
)
def test_a_misspelled_event_is_an_error_with_the_nearest_name(native: str, meant: str) -> None:
    loaded = parsed(DIALECT, {"hooks": {native: [{"hooks": [{"type": "command", "command": "x"}]}]}})
    assert [spec.kind for spec in loaded.specs] == [K.NoSuchEvent]
    assert [(problem.code, problem.hint) for problem in loaded.problems] == [
        ("unknown-event", f"did you mean `{meant}`?")
    ]


@pytest.mark.parametrize(
    ("native", "matcher", "words", "severity"),
    [
        ("Stop", "Bash", "nothing to match", "warning"),
        ("PreToolUse", "Bsah", "no known tool is called `Bsah`", "warning"),
        ("PreToolUse", "Bash(", "never fits", "error"),
        ("PreToolUse", "(?i)bash", "JavaScript", "error"),
    ],
)
def test_a_matcher_that_does_nothing_is_pointed_out(
    native: str, matcher: str, words: str, severity: str
) -> None:
    config = {"hooks": {native: [{"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]}]}}
    (problem,) = parsed(DIALECT, config).problems
    assert words in problem.message and problem.severity == severity


@pytest.mark.parametrize("timeout", [5000, 0.001])
def test_a_time_in_the_wrong_unit_is_pointed_out(timeout: float) -> None:
    config = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": timeout}]}]}}
    (problem,) = parsed(DIALECT, config).problems
    assert (problem.code, problem.severity) == ("implausible-time", "warning")


def test_an_if_on_an_event_without_a_tool_never_runs_and_says_so() -> None:
    loaded = parsed(
        DIALECT, {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "if": "Bash"}]}]}}
    )
    assert [problem.code for problem in loaded.problems] == ["dead-condition"]
    assert "never runs" in (DIALECT.skip_reason(loaded.specs[0], Event(K.Stop)) or "")


def test_a_handler_type_the_event_does_not_take_is_refused() -> None:
    config = {"hooks": {"SessionStart": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}}
    loaded = parsed(DIALECT, config)
    assert [problem.code for problem in loaded.problems] == ["wrong-handler"]
    assert loaded.specs[0].handler == "unusable"


def test_background_and_wake() -> None:
    spec = hook(DIALECT, "PostToolUse", {"asyncRewake": True, "onFailure": "block"})
    assert spec.background and spec.conduct.rewake and spec.on_failure == ""
    event = Event(K.PostToolUse)
    assert outcome(DIALECT, event, spec, ended(2, "", "red")) == Outcome(contexts=("red",))
    plain = hook(DIALECT, "PostToolUse", {"async": True})
    assert outcome(DIALECT, event, plain, ended(2, "", "red")) == Outcome()


def test_sources_go_from_the_user_to_the_managed_policy(tmp_path: Path) -> None:
    found = DIALECT.sources(places(tmp_path))
    shown = [source.shown for source in found]
    assert shown[:3] == ["~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"]
    assert [source.scope for source in found][:3] == ["user", "project", "local"]
    assert shown[-1].startswith("/etc/claude-code")
    moved = DIALECT.sources(places(tmp_path, CLAUDE_CONFIG_DIR="/elsewhere"))
    assert moved[0].path == "/elsewhere/settings.json"


def test_an_enabled_plugins_hooks_run_with_its_folder_and_another_ones_do_not(tmp_path: Path) -> None:
    root = tmp_path / "home" / ".claude" / "plugins"
    (root / "p" / "hooks").mkdir(parents=True)
    installed = {"plugins": {"fmt@shop": [{"installPath": str(root / "p")}]}}
    (root / "installed_plugins.json").write_text(json.dumps(installed))
    source = next(s for s in DIALECT.sources(places(tmp_path)) if s.scope == "plugin")
    config = {"description": "d", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    plugin = parsed(DIALECT, config, "plugin", source.label)
    on = parsed(DIALECT, {"enabledPlugins": {"fmt@shop": True}})
    off = parsed(DIALECT, {"enabledPlugins": {"fmt@shop": False}})
    assert source.path == str(root / "p" / "hooks" / "hooks.json")
    assert DIALECT.combine([on, plugin])[1].specs[0].enabled
    assert not DIALECT.combine([off, plugin])[1].specs[0].enabled
    assert "CLAUDE_PLUGIN_ROOT" in DIALECT.hook_input(Event(K.Stop), plugin.specs[0]).env


def test_hooks_of_an_agent_file_run_inside_that_agent_only() -> None:
    text = "---\nname: reviewer\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: x}\n---\n"
    (spec,) = parsed(DIALECT, text, "project", "agent", "yaml").specs
    assert spec.kind is K.SubagentStop and spec.line == 6
    assert DIALECT.skip_reason(spec, Event(K.SubagentStop, agent_type="reviewer")) is None
    assert "reviewer" in (DIALECT.skip_reason(spec, Event(K.SubagentStop, agent_type="Explore")) or "")


def test_hooks_of_a_skill_are_listed_and_not_run() -> None:
    text = "---\nname: s\nhooks:\n  Stop:\n    - hooks: [{type: command, command: x, once: true}]\n---\n"
    (spec,) = parsed(DIALECT, text, "project", "skill", "yaml").specs
    assert not spec.enabled and spec.once and "skill" in spec.origin.disabled_why


STOP = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}


@pytest.mark.parametrize(
    ("levels", "enabled"),
    [
        ([("user", {**STOP, "disableAllHooks": True}), ("project", {})], [False]),
        ([("user", {**STOP, "disableAllHooks": True}), ("project", {"disableAllHooks": False})], [True]),
        ([("project", {"disableAllHooks": True}), ("managed", STOP)], [True]),
        ([("user", STOP), ("managed", {**STOP, "disableAllHooks": True})], [False, False]),
        ([("user", STOP), ("managed", {**STOP, "allowManagedHooksOnly": True})], [False, True]),
        ([("user", {**STOP, "allowManagedHooksOnly": True})], [True]),
        ([("user", STOP), ("managed", {"strictPluginOnlyCustomization": ["hooks"]})], [False]),
    ],
)
def test_switches_follow_the_levels(levels: list[tuple[str, Any]], enabled: list[bool]) -> None:
    loaded = DIALECT.combine([parsed(DIALECT, config, scope) for scope, config in levels])
    assert [spec.enabled for entry in loaded for spec in entry.specs] == enabled


def test_web_hooks_stay_within_the_allowed_addresses_and_variables() -> None:
    web = {"type": "http", "url": "https://a.test/x", "allowedEnvVars": ["A", "B"]}
    config = {
        "hooks": {"Stop": [{"hooks": [web, {**web, "url": "https://b.test/x"}]}]},
        "allowedHttpHookUrls": ["https://a.test/*"],
        "httpHookAllowedEnvVars": ["B"],
    }
    first, second = DIALECT.combine([parsed(DIALECT, config)])[0].specs
    assert first.enabled and first.action.allowed_env == ("B",)  # type: ignore[union-attr]  # a web hook
    assert not second.enabled


# -- matching ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matcher", "tool", "fits"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        (".*", "Bash", True),
        ("Bash", "Bash", True),
        ("Ba", "Bash", False),
        ("bash", "Bash", False),
        ("Edit|Write", "Write", True),
        ("Edit,Write", "Write", True),
        ("Edit, Write", "Write", True),
        (" Edit | Write ", "Edit", True),
        ("Edit|", "Bash", False),
        ("|", "Bash", False),
        ("^Ba", "Bash", True),
        ("Bas.", "Bash", True),
        ("Wri(te)?", "Write", True),
        ("[^B].*", "Bash", True),
        ("[", "Bash", False),
        ("*Bash", "Bash", False),
        ("(?i)bash", "Bash", False),
        ("mcp__srv", "mcp__srv__echo", False),
        ("mcp__srv__.*", "mcp__srv__echo", True),
        ("mcp__*", "mcp__srv__echo", True),
        ("mcp__my-srv__echo", "mcp__my-srv__echo", True),
        ("Task", "Agent", True),
        ("Agent", "Agent", True),
        ("Edit|Write|MultiEdit", "NotebookEdit", False),
    ],
)
def test_the_matcher_algorithm_as_observed(matcher: str, tool: str, fits: bool) -> None:
    spec = hook(DIALECT, "PreToolUse", matcher=matcher)
    assert (DIALECT.skip_reason(spec, called(tool)) is None) is fits


def test_matchers_test_what_the_event_is_about() -> None:
    start = hook(DIALECT, "SessionStart", matcher="startup|clear")
    assert DIALECT.skip_reason(start, Event(K.SessionStart, body=SessionStarted("clear"))) is None
    assert DIALECT.skip_reason(start, Event(K.SessionStart, body=SessionStarted("resume"))) is not None
    ignored = hook(DIALECT, "UserPromptSubmit", matcher="nothing")
    assert DIALECT.skip_reason(ignored, Event(K.UserPromptSubmit, body=Prompt("x"))) is None
    file = hook(DIALECT, "FileChanged", matcher=".envrc|.env")
    assert DIALECT.skip_reason(file, Event(K.FileChanged, extra={"file_path": "/w/.env"})) is None


@pytest.mark.parametrize(
    ("rule", "command", "runs"),
    [
        ("Bash", "anything", True),
        ("Bash(git *)", "git push", True),
        ("Bash(git *)", "git", True),
        ("Bash(git *)", "gitk", False),
        ("Bash(git:*)", "git push", True),
        ("Bash(git push)", "git push -f", False),
        ("Bash(git *)", "ls && git push", True),
        ("Bash(git *)", "A=1 B='x y' git push", True),
        ("Bash(git *)", "echo $(git push)", True),
        ("Bash(git *)", "echo `git push`", True),
        ("Bash(git *)", 'echo "$(git push)"', True),
        ("Bash(git *)", "echo 'git push'", False),
        ("Bash(git *)", "echo ok | git apply", True),
        ("Bash(git *)", "(git push)", True),
        ("Bash(git *)", "if true; then git push; fi", True),
        ("Bash(rm -rf *)", "$X -rf /", True),
        ("Bash(rm *)", "echo $X", False),
        ("Bash(git *)", "echo 'open", True),
        ("Bash(git *)", "ls", False),
        ("Bash(git *)", "echo 2>&1 git", False),
        ("Bash(git commit *)", "git commit -m ${x} -n", True),
        ("Bash(npm run *)", "npm run test", True),
        ("Edit(src/**)", "git push", False),
        ("", "ls", True),
        ("not a rule(", "ls", False),
    ],
)
def test_if_rules_look_into_every_sub_command(rule: str, command: str, runs: bool) -> None:
    spec = hook(DIALECT, "PreToolUse", {"if": rule})
    assert (DIALECT.skip_reason(spec, bash(command)) is None) is runs


@pytest.mark.parametrize(
    ("rule", "tool", "given", "runs"),
    [
        ("Edit(src/**)", "Edit", {"file_path": "/w/src/a/b.py"}, True),
        ("Edit(src/**)", "Write", {"file_path": "/w/src/a.py"}, True),
        ("Edit(src/**)", "Edit", {"file_path": "/w/docs/a.md"}, False),
        ("Edit(src/**)", "Read", {"file_path": "/w/src/a.py"}, False),
        ("Read(*.env)", "Read", {"file_path": "/w/deep/prod.env"}, True),
        ("Read(//etc/**)", "Read", {"file_path": "/etc/passwd"}, True),
        ("Edit(/src/*.py)", "Edit", {"file_path": "/w/src/a.py"}, True),
        ("WebFetch(domain:x.test)", "WebFetch", {"url": "https://x.test/a"}, True),
        ("WebFetch(domain:x.test)", "WebFetch", {"url": "https://y.test/a"}, False),
        ("mcp__srv", "mcp__srv__echo", {}, True),
        ("mcp__srv__*", "mcp__srv__echo", {}, True),
        ("mcp__srv__other", "mcp__srv__echo", {}, False),
        ("Agent(Explore)", "Agent", {"subagent_type": "Explore"}, True),
        ("Agent(Explore)", "Agent", {"subagent_type": "Plan"}, False),
    ],
)
def test_if_rules_know_paths_servers_and_domains(
    rule: str, tool: str, given: dict[str, Any], runs: bool
) -> None:
    spec = hook(DIALECT, "PreToolUse", {"if": rule})
    assert (DIALECT.skip_reason(spec, called(tool, **given)) is None) is runs


@pytest.mark.parametrize(
    "command",
    ['"$(' * 3000, "$(" * 3000 + ")" * 3000, "A=1 " * 20_000, "a" * 50_000, "`" * 9_999, "((" * 20_000],
)
def test_no_command_line_can_hang_or_break_an_if_rule(command: str) -> None:
    """What cannot be taken apart runs the hook; a time-out of the test would be the failure."""
    spec = hook(DIALECT, "PreToolUse", {"if": "Bash(*a*a*a*a*b)"})
    DIALECT.skip_reason(spec, bash(command))
    assert DIALECT.skip_reason(hook(DIALECT, "PreToolUse", {"if": "Bash(x *)"}), bash("x " + command)) is None


def test_no_path_can_hang_an_if_rule() -> None:
    spec = hook(DIALECT, "PreToolUse", {"if": "Edit(**/x/**/y/**/z)"})
    assert DIALECT.skip_reason(spec, called("Edit", file_path="/w/" + "x/y/" * 500 + "q")) is not None


def test_a_patch_of_several_files_answers_to_both_tools() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: src/b\n@@\n-x\n+y\n*** End Patch\n"
    event = called("Edit", command=patch, file_path="a")
    for matcher in ("Edit", "Write"):
        assert DIALECT.skip_reason(hook(DIALECT, "PreToolUse", matcher=matcher), event) is None
    assert DIALECT.skip_reason(hook(DIALECT, "PreToolUse", {"if": "Edit(src/**)"}), event) is None


# -- what a hook meant ---------------------------------------------------------------------------------


def specific(native: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": native, **fields}}


PRE = "PreToolUse"


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (ended(0, "plain"), Outcome()),
        (ended(0, specific(PRE, permissionDecision="allow")), Outcome(Verdict.ALLOW)),
        (ended(0, specific(PRE, permissionDecision="defer")), Outcome(Verdict.DEFER)),
        (
            ended(3, specific(PRE, permissionDecision="ask", permissionDecisionReason="sure?")),
            Outcome(Verdict.ASK, "sure?"),
        ),
        (ended(0, {"decision": "block", "reason": "no"}), Outcome(Verdict.DENY, "no")),
        (ended(0, {"continue": False, "stopReason": "stop"}), Outcome(Verdict.HALT, "stop")),
        (
            ended(0, specific(PRE, updatedInput={"command": "ls"}, additionalContext="c")),
            Outcome(updated_input={"command": "ls"}, contexts=("c",)),
        ),
        (ended(0, {"systemMessage": "hi"}), Outcome(messages=("hi",))),
        (ended(2, "", "why"), Outcome(Verdict.DENY, "why")),
        (ended(2, specific(PRE, permissionDecision="allow"), "why"), Outcome(Verdict.DENY, "why")),
        (
            ended(2, specific(PRE, permissionDecision="deny", permissionDecisionReason="json"), "why"),
            Outcome(Verdict.DENY, "json"),
        ),
    ],
)
def test_pre_tool_output(raw: Any, meant: Outcome) -> None:
    assert outcome(DIALECT, bash(), hook(DIALECT, PRE), raw) == meant


@pytest.mark.parametrize("code", [1, 3, 126, 127])
def test_no_other_exit_code_blocks(code: int) -> None:
    found = outcome(DIALECT, bash(), hook(DIALECT, PRE), ended(code, "", "broken"))
    assert found.verdict is Verdict.NONE and "broken" in found.messages[0]


@pytest.mark.parametrize(
    "raw",
    [
        ended(1, "", "x"),
        ended(127, "", "x"),
        ended(None, timed_out=True),
        ended(None, launch_error="no"),
        ended(0, "{bad}"),
        ended(None, signal=9),
    ],
)
def test_on_failure_block_turns_every_failure_into_a_denial(raw: Any) -> None:
    spec = hook(DIALECT, PRE, {"onFailure": "block"})
    assert outcome(DIALECT, bash(), spec, raw).verdict is Verdict.DENY
    stop = hook(DIALECT, "Stop", {"onFailure": "block"})
    assert outcome(DIALECT, Event(K.Stop), stop, raw).verdict is Verdict.NONE


def test_on_failure_block_takes_no_plain_text_of_an_mcp_tool_for_an_answer() -> None:
    entry = {"type": "mcp_tool", "server": "s", "tool": "t"}
    for given, meant in ((entry, Verdict.NONE), ({**entry, "onFailure": "block"}, Verdict.DENY)):
        assert outcome(DIALECT, bash(), hook(DIALECT, PRE, given), ended(0, "fine")).verdict is meant
    spec = hook(DIALECT, PRE, {**entry, "onFailure": "block"})
    for silent in (ended(0, {"systemMessage": "m"}), ended(0)):
        assert outcome(DIALECT, bash(), spec, silent).verdict is Verdict.NONE


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ('{"decision": "block"', "does not end like one"),
        ('nvm: using v20\n{"decision": "block"}', "`nvm: using v20`"),
        ('{"a": 1}\n{"decision": "block"}', "not valid JSON"),
    ],
)
def test_a_polluted_answer_is_named_with_what_pollutes_it(printed: str, words: str) -> None:
    found = outcome(DIALECT, bash(), hook(DIALECT, PRE), ended(0, printed))
    assert found.verdict is Verdict.NONE and words in found.problem


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        (specific("PostToolUse", permissionDecision="deny"), "PostToolUse"),
        ({"permission": "deny"}, "none of the answer's keys"),
        (specific(PRE, updatedToolOutput={}), "no effect on PreToolUse"),
        (specific(PRE, suppressOriginalPrompt=True), "no effect on PreToolUse"),
        ({"hookSpecificOutput": {"permissionDecision": "deny"}}, "hookEventName"),
        (specific(PRE, permissionDecision="perhaps"), "perhaps"),
        ("{'a': 1}", "not valid JSON"),
    ],
)
def test_an_answer_for_something_else_is_named_and_never_leaks(printed: object, words: str) -> None:
    found = outcome(DIALECT, bash(), hook(DIALECT, PRE), ended(0, printed))
    assert found.verdict is Verdict.NONE and words in found.problem


@pytest.mark.parametrize(
    ("native", "raw", "meant"),
    [
        ("UserPromptSubmit", ended(0, "text"), Outcome(contexts=("text",))),
        ("SessionStart", ended(0, "text"), Outcome(contexts=("text",))),
        ("SessionStart", ended(2, "", "bad"), Outcome(messages=("bad",))),
        ("PostToolUse", ended(2, "", "fix"), Outcome(Verdict.DENY, "fix")),
        ("Stop", ended(2, "", "go on"), Outcome(Verdict.DENY, "go on", reprompt="go on")),
        (
            "Stop",
            ended(0, specific("Stop", additionalContext="more")),
            Outcome(Verdict.DENY, "more", reprompt="more"),
        ),
        (
            "PreModelSwitch",
            ended(0, specific("PreModelSwitch", permissionDecision="ask")),
            Outcome(Verdict.ASK),
        ),
        ("WorktreeCreate", ended(0, "making\n/tmp/wt\n\n"), Outcome(products={"worktree_path": "/tmp/wt"})),
        (
            "Elicitation",
            ended(0, specific("Elicitation", action="accept", content={"a": 1})),
            Outcome(products={"action": "accept", "content": {"a": 1}}),
        ),
        (
            "PermissionRequest",
            ended(0, specific("PermissionRequest", decision={"behavior": "allow", "updatedInput": {"x": 1}})),
            Outcome(Verdict.ALLOW, updated_input={"x": 1}),
        ),
        (
            "PermissionRequest",
            ended(2, specific("PermissionRequest", decision={"behavior": "allow"}), "no"),
            Outcome(Verdict.ALLOW),
        ),
    ],
)
def test_output_by_event(native: str, raw: Any, meant: Outcome) -> None:
    assert outcome(DIALECT, Event(K(native)), hook(DIALECT, native), raw) == meant


def test_exit_2_of_a_permission_request_changes_nothing() -> None:
    found = outcome(
        DIALECT, Event(K.PermissionRequest), hook(DIALECT, "PermissionRequest"), ended(2, "", "no")
    )
    assert found.verdict is Verdict.NONE


def test_a_timed_out_model_switch_guard_blocks_and_every_other_lets_go() -> None:
    late = ended(None, timed_out=True)
    assert (
        outcome(DIALECT, Event(K.PreModelSwitch), hook(DIALECT, "PreModelSwitch"), late).verdict
        is Verdict.DENY
    )
    assert outcome(DIALECT, bash(), hook(DIALECT, PRE), late).verdict is Verdict.NONE


def test_a_worktree_hook_that_fails_in_any_way_stops_it() -> None:
    spec = hook(DIALECT, "WorktreeCreate")
    assert outcome(DIALECT, Event(K.WorktreeCreate), spec, ended(1, "", "no")).verdict is Verdict.DENY


@pytest.mark.parametrize(
    ("native", "handler", "said", "meant"),
    [
        (PRE, {}, {"ok": True}, Outcome()),
        (PRE, {}, {"ok": False, "reason": "r"}, Outcome(Verdict.HALT, "r")),
        (PRE, {"continueOnBlock": True}, {"ok": False, "reason": "r"}, Outcome(Verdict.DENY, "r")),
        (PRE, {"type": "agent"}, {"ok": False, "reason": "r"}, Outcome(Verdict.DENY, "r")),
        ("Stop", {}, {"ok": False, "reason": "r"}, Outcome(Verdict.DENY, "r", reprompt="r")),
        ("Stop", {}, {"ok": False, "reason": "r", "impossible": True}, Outcome()),
        ("PermissionRequest", {}, {"ok": False, "reason": "r"}, Outcome()),
    ],
)
def test_a_models_no_means_what_the_event_makes_of_it(
    native: str, handler: dict[str, Any], said: Any, meant: Outcome
) -> None:
    spec = hook(DIALECT, native, {"type": "prompt", "prompt": "p", **handler})
    assert outcome(DIALECT, Event(K(native)), spec, ended(0, said)) == meant


def test_a_hook_that_sends_itself_to_the_background_decides_nothing() -> None:
    printed = '{"async": true}\n{"decision": "block", "reason": "late"}'
    assert outcome(DIALECT, bash(), hook(DIALECT, PRE), ended(0, printed)).verdict is Verdict.NONE


# -- as a host -----------------------------------------------------------------------------------------


def pre(**fields: Any) -> dict[str, Any]:
    return specific(PRE, **fields)


@pytest.mark.parametrize(
    ("decided", "printed"),
    [
        ({}, None),
        ({"verdict": Verdict.ALLOW}, pre(permissionDecision="allow")),
        (
            {"verdict": Verdict.ASK, "reason": "r"},
            pre(permissionDecision="ask", permissionDecisionReason="r"),
        ),
        (
            {"verdict": Verdict.DEFER},
            pre(permissionDecision="defer", permissionDecisionReason="denied by a hook"),
        ),
        (
            {"verdict": Verdict.DENY, "reason": "r", "contexts": ("c", "d")},
            pre(permissionDecision="deny", permissionDecisionReason="r", additionalContext="c\nd"),
        ),
        (
            {"verdict": Verdict.DENY},
            pre(permissionDecision="deny", permissionDecisionReason="denied by a hook"),
        ),
        (
            {"verdict": Verdict.HALT, "reason": "r"},
            {
                "continue": False,
                "stopReason": "r",
                **pre(permissionDecision="deny", permissionDecisionReason="r"),
            },
        ),
        ({"updated_input": {"command": "ls"}}, pre(updatedInput={"command": "ls"})),
        ({"messages": ("m",)}, {"systemMessage": "m"}),
        ({"contexts": ("c",)}, pre(additionalContext="c")),
    ],
)
def test_answers_before_a_tool(decided: dict[str, Any], printed: Any) -> None:
    assert answer(DIALECT, bash(), **decided) == printed


@pytest.mark.parametrize(
    ("kind", "decided", "printed"),
    [
        (K.UserPromptSubmit, {"verdict": Verdict.DENY, "reason": "r"}, {"decision": "block", "reason": "r"}),
        (K.UserPromptSubmit, {"contexts": ("c",)}, specific("UserPromptSubmit", additionalContext="c")),
        (
            K.UserPromptSubmit,
            {"updated_input": {"prompt": "x"}},
            {
                "decision": "block",
                "reason": "a hook changed the input, and "
                "Claude Code at UserPromptSubmit cannot change the input",
            },
        ),
        (K.PostToolUse, {"verdict": Verdict.DENY, "reason": "r"}, {"decision": "block", "reason": "r"}),
        (K.PostToolUse, {"reprompt": "r"}, {"decision": "block", "reason": "r"}),
        (
            K.PostToolUse,
            {"verdict": Verdict.DENY, "reason": "r", "reprompt": "go"},
            {"decision": "block", "reason": "r\ngo"},
        ),
        (
            K.PostToolUse,
            {"products": {"updated_tool_output": {"stdout": "x"}}},
            specific("PostToolUse", updatedToolOutput={"stdout": "x"}),
        ),
        (K.Stop, {"verdict": Verdict.DENY, "reprompt": "go"}, {"decision": "block", "reason": "go"}),
        (K.Stop, {"reprompt": "go"}, {"decision": "block", "reason": "go"}),
        (K.Stop, {"verdict": Verdict.HALT, "reason": "r"}, {"continue": False, "stopReason": "r"}),
        (
            K.PermissionRequest,
            {"verdict": Verdict.ALLOW, "updated_input": {"a": 1}},
            specific("PermissionRequest", decision={"behavior": "allow", "updatedInput": {"a": 1}}),
        ),
        (
            K.PermissionRequest,
            {"verdict": Verdict.DENY, "reason": "r"},
            specific("PermissionRequest", decision={"behavior": "deny", "message": "r"}),
        ),
        (
            K.PermissionRequest,
            {"verdict": Verdict.HALT, "reason": "r"},
            specific("PermissionRequest", decision={"behavior": "deny", "message": "r", "interrupt": True}),
        ),
        (K.PermissionRequest, {"verdict": Verdict.ASK}, None),
        (K.SessionStart, {"verdict": Verdict.DENY, "reason": "r"}, {"systemMessage": "r"}),
        (K.Notification, {"verdict": Verdict.DENY, "reason": "r", "messages": ("m",)}, None),
        (K.PreCompact, {"verdict": Verdict.DENY, "reason": "r"}, {"decision": "block", "reason": "r"}),
        (K.Elicitation, {"verdict": Verdict.DENY}, specific("Elicitation", action="decline")),
        (
            K.PreModelSwitch,
            {"verdict": Verdict.DENY, "reason": "r"},
            specific("PreModelSwitch", permissionDecision="deny", permissionDecisionReason="r"),
        ),
        (K.CwdChanged, {"products": {"watch_paths": ["/a"]}}, specific("CwdChanged", watchPaths=["/a"])),
    ],
)
def test_answers_by_event(kind: EventKind, decided: dict[str, Any], printed: Any) -> None:
    assert answer(DIALECT, Event(kind), **decided) == printed


@pytest.mark.parametrize("kind", [row.kind for row in ROWS if row.kind is not K.WorktreeCreate])
def test_silence_is_silent_everywhere_it_may_be(kind: EventKind) -> None:
    assert DIALECT.respond(Event(kind), Decision(kind)) == Response()


def test_a_new_worktree_is_a_plain_path_and_its_denial_exit_2() -> None:
    event = Event(K.WorktreeCreate)
    made = Decision(K.WorktreeCreate, products={"worktree_path": "/tmp/wt"})
    assert DIALECT.respond(event, made) == Response("/tmp/wt\n")
    denied = Decision(K.WorktreeCreate, Verdict.DENY, "no")
    assert DIALECT.respond(event, denied) == Response(stderr="no\n", exit_code=2)
    assert DIALECT.respond(event, Decision(K.WorktreeCreate)).exit_code == 1


@pytest.mark.parametrize("kind", [K.TaskCompleted, K.TeammateIdle])
def test_a_denied_task_or_idle_teammate_is_exit_2_and_an_end_is_json(kind: EventKind) -> None:
    denied = Decision(kind, Verdict.DENY, "no", messages=("m",))
    assert DIALECT.respond(Event(kind), denied) == Response('{"systemMessage":"m"}', "no\n", 2)
    ended_turn = DIALECT.respond(Event(kind), Decision(kind, Verdict.HALT, "end"))
    assert ended_turn == Response('{"continue":false,"stopReason":"end"}')


def changed(source: str) -> Event:
    return DIALECT.read_event("ConfigChange", {"session_id": "s", "cwd": "/w", "source": source})


def test_a_change_of_the_managed_policy_is_no_denial_whatever_its_hooks_say() -> None:
    said = ended(0, {"decision": "block", "reason": "no"})
    for raw in (said, ended(2, "", "no")):
        spec = hook(DIALECT, "ConfigChange")
        assert outcome(DIALECT, changed("user_settings"), spec, raw).verdict is Verdict.DENY
        assert outcome(DIALECT, changed("policy_settings"), spec, raw) == Outcome(messages=("no",))
    denied = Decision(K.ConfigChange, Verdict.DENY, "no")
    assert DIALECT.respond(changed("skills"), denied).stdout
    assert DIALECT.respond(changed("policy_settings"), denied) == Response()
    _, notes = DIALECT.fit(changed("policy_settings"), denied)
    assert notes[0] == "Claude Code at ConfigChange cannot block; `deny` was only reported: no"


@pytest.mark.parametrize(("native", "kind"), [("Setup", "mcp_tool"), ("PermissionRequest", "agent")])
def test_a_type_of_hook_that_claude_code_does_not_run_there_is_named(native: str, kind: str) -> None:
    entry = {"type": kind, "server": "s", "tool": "t", "prompt": "p"}
    loaded = parsed(DIALECT, {"hooks": {native: [{"hooks": [entry]}]}})
    assert "wrong-handler" in [problem.code for problem in loaded.problems]
    fine = parsed(DIALECT, {"hooks": {"PreToolUse": [{"hooks": [entry]}]}})
    assert "wrong-handler" not in [problem.code for problem in fine.problems]


def test_fitting_tells_what_it_changed_and_settles_at_once() -> None:
    event = Event(K.UserPromptSubmit, body=Prompt("x"))
    fitted, notes = DIALECT.fit(event, Decision(event.kind, Verdict.ASK, "sure?"))
    assert fitted.verdict is Verdict.DENY and notes == (
        "Claude Code at UserPromptSubmit has no `ask`; sent as `deny`",
    )
    assert DIALECT.fit(event, fitted) == (fitted, ())


def test_every_answer_of_a_hook_comes_out_as_the_same_answer() -> None:
    event = Event(K.Stop, body=TurnEnd())
    printed = {"decision": "block", "reason": "tests fail"}
    meant = outcome(DIALECT, event, hook(DIALECT, "Stop"), ended(0, printed))
    assert (
        answer(DIALECT, event, verdict=meant.verdict, reason=meant.reason, reprompt=meant.reprompt) == printed
    )


def test_the_schema_accepts_a_good_config_and_refuses_an_unknown_event() -> None:
    from jsonschema import Draft202012Validator

    schema = DIALECT.schema()
    Draft202012Validator.check_schema(schema)
    check = Draft202012Validator(schema)
    assert check.is_valid(
        {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}
    )
    assert not check.is_valid({"hooks": {"BeforeTool": []}})
    assert not check.is_valid({"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}})


def test_only_the_permission_decision_grants_a_permission_request() -> None:
    found = outcome(
        DIALECT,
        Event(K.PermissionRequest),
        hook(DIALECT, "PermissionRequest"),
        ended(0, {"decision": "approve"}),
    )
    assert found.verdict is Verdict.NONE and "has no effect" in found.problem
    assert (
        outcome(DIALECT, bash(), hook(DIALECT, "PreToolUse"), ended(0, {"decision": "approve"})).verdict
        is Verdict.ALLOW
    )


def test_what_is_printed_before_a_compaction_becomes_instructions_for_it() -> None:
    event = Event(K.PreCompact, "s", "/w", Compact("manual"), "/w")
    found = outcome(DIALECT, event, hook(DIALECT, "PreCompact"), ended(0, "keep the names\n"))
    assert found == Outcome(contexts=("keep the names",))
    told = DIALECT.respond(event, Decision(event.kind, contexts=("keep the names", "and dates")))
    assert told == Response(stdout="keep the names\nand dates")
