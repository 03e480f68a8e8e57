"""What `hookline check` finds in a config by itself: times, matchers, keys, and events in the wrong place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

CLAUDE, GEMINI, CODEX = ".claude/settings.json", ".gemini/settings.json", ".codex/hooks.json"
CURSOR, COPILOT, GENCODE = ".cursor/hooks.json", ".github/hooks/guard.json", ".gen/settings.json"


def hook(**more: Any) -> dict[str, Any]:
    return {"type": "command", "command": "true", **more}


def group(matcher: str | None = None, *hooks: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = {"hooks": list(hooks or (hook(),)), **more}
    return found if matcher is None else {"matcher": matcher, **found}


def told(program: Program, path: str, content: dict[str, Any]) -> list[tuple[str, str]]:
    """Severity and code of everything that is said of a file."""
    if path in (CURSOR, COPILOT):
        content = {"version": 1, **content}
    program.write(path, json.dumps(content, indent=1))
    found = json.loads(program("check", "--json").stdout)
    return [(problem["severity"], problem["code"]) for problem in found]


@pytest.mark.parametrize(
    ("path", "times", "codes"),
    [
        (GEMINI, [10], ["impossible-time"]),
        (GEMINI, [15, 60], ["impossible-time"] * 2),
        (GEMINI, [30, 500], ["impossible-time", "implausible-time"]),
        (GEMINI, [300], ["implausible-time"]),
        (GENCODE, [20], ["impossible-time"]),
        (CLAUDE, [3000], ["implausible-time"]),
        (CLAUDE, [1000], ["implausible-time"]),
        (CLAUDE, [30000, 1200], ["implausible-time"] * 2),
        (CODEX, [5000, 3000], ["implausible-time"] * 2),
        (GEMINI, [500], []),
        (GEMINI, [1000, 5000, 60000, 120000], []),
        (CLAUDE, [5, 60, 600, 900, 1200, 1800, 3600], []),
    ],
)
def test_a_time_in_the_wrong_unit_is_told_by_itself_and_by_its_neighbours(
    program: Program, path: str, times: list[float], codes: list[str]
) -> None:
    event = "BeforeTool" if path == GEMINI else "PostToolUse"
    hooks = {event: [group(None, *(hook(timeout=time) for time in times))]}
    assert [code for _, code in told(program, path, {"hooks": hooks})] == codes


@pytest.mark.parametrize("key", ["timeoutSec", "timeout"])
def test_copilots_times_are_looked_at_under_both_names(program: Program, key: str) -> None:
    hooks = {"sessionStart": [{"type": "command", "bash": "true", key: 30000}]}
    assert told(program, COPILOT, {"hooks": hooks}) == [("warning", "implausible-time")]


@pytest.mark.parametrize(
    ("path", "event", "matcher"),
    [
        (GEMINI, "SessionStart", "startup|resume"),
        (GEMINI, "SessionStart", ".*"),
        (GEMINI, "SessionEnd", "^exit$"),
        (GEMINI, "PreCompress", "Auto"),
        (CLAUDE, "SessionStart", "start"),
        (CLAUDE, "SessionStart", "new"),
        (CLAUDE, "Notification", "idle"),
        (CLAUDE, "PreCompact", "Auto"),
        (CLAUDE, "PreToolUse", "mcp__github"),
        (CLAUDE, "PreToolUse", "mcp__github__"),
        (CLAUDE, "PreToolUse", "mcp__"),
        (CLAUDE, "PostToolUse", "mcp__my-docs__|mcp__db"),
        (CLAUDE, "PreToolUse", "^(mcp__github__|mcp__db)$"),
        (CODEX, "PreToolUse", "mcp__github__"),
        (".openhands/hooks.json", "PreToolUse", "mcp__github__"),
        (".openhands/hooks.json", "PreToolUse", "mcp__github__*"),
        (".openhands/hooks.json", "PreToolUse", "mcp__github__create*"),
        (GENCODE, "PreToolUse", "mcp__my-docs__"),
        (GENCODE, "PreToolUse", "mcp__*"),
        (GEMINI, "BeforeTool", "mcp__github"),
        (CLAUDE, "PreToolUse", "bash"),
        (CLAUDE, "PreToolUse", "Bash(git commit*)"),
        (CLAUDE, "PreToolUse", "run_shell_command"),
        (CLAUDE, "PreToolUse", "(?i)bash"),
        (GEMINI, "BeforeTool", "^Bash$"),
        (CODEX, "PreToolUse", "bash"),
        (CODEX, "SessionStart", "begin"),
    ],
)
def test_a_matcher_that_never_fits_is_an_error(program: Program, path: str, event: str, matcher: str) -> None:
    assert told(program, path, {"hooks": {event: [group(matcher)]}}) == [("error", "dead-matcher")]


@pytest.mark.parametrize(
    ("path", "event", "matcher"),
    [
        (GEMINI, "SessionStart", "startup"),
        (GEMINI, "SessionStart", "*"),
        (GEMINI, "BeforeTool", "write_file|replace"),
        (GEMINI, "BeforeTool", "mcp_.*"),
        (CLAUDE, "SessionStart", "startup|resume"),
        (CLAUDE, "SessionStart", "^(startup|clear)$"),
        (CLAUDE, "Notification", "permission_prompt|idle_prompt"),
        (CLAUDE, "PreCompact", "auto"),
        (CLAUDE, "PreToolUse", "mcp__github__.*"),
        (CLAUDE, "PreToolUse", "mcp__github__create_issue"),
        (CLAUDE, "PreToolUse", "mcp__.*"),
        (CLAUDE, "PreToolUse", "mcp__github__*"),
        (CLAUDE, "PreToolUse", "^(mcp__github__)(create|close)_issue$"),
        (CLAUDE, "PreToolUse", "mcp__github__|mcp__github__.*"),
        (CODEX, "PreToolUse", "mcp__my-docs__"),
        (".openhands/hooks.json", "PreToolUse", "mcp__github__.*"),
        (".qwen/settings.json", "PreToolUse", "mcp__github__"),
        (GEMINI, "BeforeTool", "mcp_github_"),
        (CLAUDE, "PreToolUse", "Edit|Write|MultiEdit|NotebookEdit"),
        (CLAUDE, "PreToolUse", ".*"),
        (CLAUDE, "SubagentStop", "my-own-agent"),
        (CODEX, "PreToolUse", "^Bash$"),
        (CODEX, "PreToolUse", "apply_patch|Edit|Write"),
    ],
)
def test_a_matcher_that_fits_is_left_alone(program: Program, path: str, event: str, matcher: str) -> None:
    assert told(program, path, {"hooks": {event: [group(matcher)]}}) == []


def test_names_of_other_agents_in_a_list_are_no_fault_and_one_that_is_nobodys_is(program: Program) -> None:
    several = "Bash|run_shell_command|shell"
    assert told(program, CLAUDE, {"hooks": {"PreToolUse": [group(several)]}}) == []
    assert told(program, GEMINI, {"hooks": {"BeforeTool": [group(several)]}}) == []
    for other in ("teleporter", "Bsh"):
        hooks = {"PreToolUse": [group(f"{several}|{other}")]}
        assert told(program, CLAUDE, {"hooks": hooks}) == [("warning", "dead-name")]
    assert told(program, CLAUDE, {"hooks": {"PreToolUse": [group("run_shell_command")]}}) == [
        ("error", "dead-matcher")
    ]


@pytest.mark.parametrize(
    ("path", "events", "found"),
    [
        (
            CLAUDE,
            {"PreToolUse": ["Teleporter", "^Teleport.*", "^(Teleporter|Bsh)$"]},
            ["warning dead-name"] * 3,
        ),
        (CLAUDE, {"PreToolUse": ["^Bsh$"]}, ["error dead-matcher"]),
        (CLAUDE, {"QuotaReached": [None]}, ["warning unknown-event"]),
        (CLAUDE, {"BeforeTool": [None]}, ["error foreign-file", "error unknown-event"]),
        (CLAUDE, {"BeforeTool": [None], "Stop": [None]}, ["error unknown-event"]),
        (
            GEMINI,
            {"QuotaReached": [None], "BeforeTol": [None]},
            ["warning unknown-event", "error unknown-event"],
        ),
        (".gen/settings.json", {"QuotaReached": [None]}, ["error unknown-event"]),
        (".cursor/hooks.json", {"quotaReached": [None]}, ["warning unknown-event"]),
        (".cursor/hooks.json", {"beforeShellExecutoin": [None]}, ["error unknown-event"]),
    ],
)
def test_what_a_newer_agent_may_have_is_a_warning_and_what_nobody_has_an_error(
    program: Program, path: str, events: dict[str, list[str | None]], found: list[str]
) -> None:
    if path.startswith(".cursor"):
        hooks: dict[str, Any] = {"version": 1, "hooks": {name: [{"command": "true"}] for name in events}}
    else:
        hooks = {"hooks": {name: [group(matcher) for matcher in given] for name, given in events.items()}}
    assert [f"{severity} {code}" for severity, code in told(program, path, hooks)] == found


@pytest.mark.parametrize(
    ("matcher", "codes"), [("Shell", ["dead-matcher"]), ("rm -rf", []), ("Bash", ["dead-matcher"])]
)
def test_cursors_shell_matchers_are_tested_on_the_command(
    program: Program, matcher: str, codes: list[str]
) -> None:
    hooks = {"beforeShellExecution": [{"command": "true", "matcher": matcher}]}
    assert [code for _, code in told(program, CURSOR, {"hooks": hooks})] == codes


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({"PreToolUse": [group("Bash")]}, CLAUDE),
        ({"PreToolUse": [group("Bash")]}, CODEX),
        ({"preToolUse": [{"command": "true"}]}, CURSOR),
        ({"preToolUse": "./guard.sh"}, CURSOR),
        ({"BeforeTool": [group()]}, GEMINI),
        ({"permissions": {}, "Stop": [group()], "hooks": {"Stop": [group()]}}, CLAUDE),
    ],
)
def test_events_outside_of_hooks_are_an_error(program: Program, content: dict[str, Any], path: str) -> None:
    assert told(program, path, content) == [("error", "events-at-top")]


@pytest.mark.parametrize(
    "content",
    [
        {"Hooks": {"Stop": [group()]}},
        {"hook": {"Stop": [group()]}},
        {"hooks": {"PreToolUse": [{"matchers": "Bash", "hooks": [hook()]}]}},
        {"hooks": {"PreToolUse": [{"Matcher": "Bash", "hooks": [hook()]}]}},
        {"hooks": {"PreToolUse": [group(None, hook(matcher="Bash"))]}},
    ],
    ids=["Hooks", "hook", "matchers", "Matcher", "in the hook"],
)
def test_a_misspelt_key_that_makes_another_hook_is_an_error(
    program: Program, content: dict[str, Any]
) -> None:
    assert told(program, CLAUDE, content) == [("error", "misspelt-key")]


def test_a_note_about_the_matcher_is_no_misspelt_one(program: Program) -> None:
    note = {"_matcher_note": "none is needed", "hooks": [hook()]}
    assert told(program, CLAUDE, {"hooks": {"SubagentStop": [note]}}) == []


def test_cursors_misspelt_matcher_is_told_once(program: Program) -> None:
    hooks = {"preToolUse": [{"command": "true", "matchers": "Shell"}]}
    assert told(program, CURSOR, {"hooks": hooks}) == [("error", "misspelt-key")]


def test_the_key_by_which_a_dialect_says_its_matcher_is_no_misspelt_one(program: Program) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nmatch = "Bash"\nrun = "true"\n')
    assert json.loads(program("check", "--json").stdout) == []


def test_comments_in_a_config_are_no_unknown_keys(program: Program) -> None:
    entry = hook(_comment="a", description="b", **{"$comment": "c", "_xManaged": True, "//": "d"})
    assert told(program, CLAUDE, {"hooks": {"Stop": [group(None, entry, _why="e")]}}) == []


def test_what_vs_code_reads_in_the_same_file_is_no_unknown_key(program: Program) -> None:
    hooks = {"sessionStart": [{"type": "command", "bash": "true", "windows": "x.cmd", "osx": "true"}]}
    assert told(program, COPILOT, {"hooks": hooks}) == []


@pytest.mark.parametrize(
    ("event", "entry", "codes"),
    [
        ("Stop", hook(once=True), ["ineffective-key"]),
        ("PermissionRequest", hook(**{"async": True}), ["ineffective-key"]),
        ("PermissionRequest", {**hook(**{"async": True}), "command": "notify-send waiting"}, []),
        ("PostToolUse", hook(**{"async": True}), []),
        ("Stop", hook(once=False), []),
    ],
)
def test_keys_without_effect_are_told(
    program: Program, event: str, entry: dict[str, Any], codes: list[str]
) -> None:
    assert [code for _, code in told(program, CLAUDE, {"hooks": {event: [group(None, entry)]}})] == codes


@pytest.mark.parametrize(
    ("matcher", "condition", "codes"),
    [
        ("Edit", "Bash(git *)", ["dead-condition"]),
        ("Read|Glob", "Edit(src/**)", ["dead-condition"]),
        ("Bash", "Bash(git *)", []),
        ("Write", "Edit(src/**)", []),
        ("Edit|Bash", "Bash(rm *)", []),
        (None, "Bash(rm *)", []),
        ("", "Bash(rm *)", []),
    ],
)
def test_a_condition_on_a_tool_that_the_matcher_leaves_out_is_dead(
    program: Program, matcher: str | None, condition: str, codes: list[str]
) -> None:
    hooks = {"PreToolUse": [group(matcher, hook(**{"if": condition}))]}
    assert [code for _, code in told(program, CLAUDE, {"hooks": hooks})] == codes


def test_our_own_entries_are_left_alone(program: Program) -> None:
    assert program("install", "claude").returncode == 0
    assert json.loads(program("check", "--json").stdout) == []


def test_an_answer_that_refuses_what_has_happened_already_is_an_error(program: Program) -> None:
    weak = [("PostToolUse", "deny"), ("Notification", "ask"), ("SessionEnd", "halt"), ("StatusLine", "deny")]
    right = [
        ("PreToolUse", "ask"),
        ("Stop", "halt"),
        ("FilesChanged", "deny"),
        ("PreCommit", "ask"),
        ("PostToolUse", "context"),
    ]
    tables = [f'[[hooks]]\nevent = "{event}"\n{answer} = "no"\n' for event, answer in (*weak, *right)]
    program.write(".hookline/hooks.toml", "version = 1\n" + "".join(tables))
    checked = program("check", "--json")
    found = [(each["code"], each["line"]) for each in json.loads(checked.stdout)]
    assert found == [("weak-answer", 4 + 3 * number) for number in range(len(weak))]
    assert checked.returncode == 1


def test_a_matcher_of_gencode_that_is_no_pattern_is_told_once(program: Program) -> None:
    hook = {"matcher": "(Bash", "hooks": [{"type": "command", "command": "exit 2"}]}
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [hook]}}))
    found = json.loads(program("check", "--json").stdout)
    assert [(each["code"], each["hint"]) for each in found] == [("dead-matcher", "write `Bash`")]
