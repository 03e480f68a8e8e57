"""What is true of every agent: no answer is weaker than the decision, and no trust is lost on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import ended
from tests.dialects.workbench import Workbench
from tests.program import Program

from hookline.dialects import agent_names, dialect
from hookline.dialects.bridged.rules import AgentRule
from hookline.hosts.bridge import DELIVERING
from hookline.hosts.bridge.call import speaker_of
from hookline.model.events import BODIES, Event, EventKind, Plain, ToolCall
from hookline.model.hooks import Command, HookSpec
from hookline.model.results import Decision, Outcome, Verdict

AGENTS = agent_names()


def event_of(name: str, row: AgentRule) -> Event:
    body = (
        ToolCall("Bash", {"command": "ls"}, "t") if "tool" in row.subject else BODIES.get(row.kind, Plain)()
    )
    return Event(row.kind, "s", "/w", body, "/w", name, extra={"native": {"event": row.native}})


def told(name: str, row: AgentRule, decision: Decision) -> Outcome:
    """Our answer to the agent, read again as the answer of one of its own hooks."""
    spoken_here, event = speaker_of(name), event_of(name, row)
    response = spoken_here.respond(event, decision)
    spec = HookSpec("h", name, row.kind, row.native, Command("x"))
    return spoken_here.read_output(event, spec, ended(response.exit_code, response.stdout, response.stderr))


ROWS = [(name, row) for name in AGENTS for row in dialect(name).rows if isinstance(row, AgentRule)]
GUARDS = [(name, row) for name, row in ROWS if row.guards and "reprompt" not in row.effects]


@pytest.mark.parametrize("verdict", [Verdict.ASK, Verdict.DEFER, Verdict.DENY, Verdict.HALT])
@pytest.mark.parametrize(("name", "row"), GUARDS, ids=[f"{name}-{row.native}" for name, row in GUARDS])
def test_an_answer_is_never_weaker_than_the_decision(name: str, row: AgentRule, verdict: Verdict) -> None:
    found = told(name, row, Decision(row.kind, verdict, "r"))
    if verdict is Verdict.ASK and row.kind == "PermissionRequest":
        assert found.verdict is Verdict.NONE  # the agent is about to ask
        return
    assert found.verdict >= min(verdict, Verdict.DENY)
    assert not found.problem


@pytest.mark.parametrize(("name", "row"), GUARDS, ids=[f"{name}-{row.native}" for name, row in GUARDS])
def test_a_changed_input_arrives_or_the_call_is_denied(name: str, row: AgentRule) -> None:
    changed = {"prompt" if row.kind is EventKind.UserPromptSubmit else "command": "id"}
    found = told(name, row, Decision(row.kind, updated_input=changed))
    assert found.updated_input == changed or found.verdict >= Verdict.DENY


@pytest.mark.parametrize("verdict", [Verdict.NONE, Verdict.ALLOW])
@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{name}-{row.native}" for name, row in ROWS])
def test_no_opinion_and_approval_never_become_an_objection(
    name: str, row: AgentRule, verdict: Verdict
) -> None:
    if row.native == "WorktreeCreate":
        return
    found = told(name, row, Decision(row.kind, verdict))
    assert found.verdict in (Verdict.NONE, verdict) and not found.problem


STOPS = [(name, row) for name, row in ROWS if row.kind is EventKind.Stop and "reprompt" in row.effects]


@pytest.mark.parametrize(("name", "row"), STOPS, ids=[f"{name}-{row.native}" for name, row in STOPS])
def test_a_blocked_stop_makes_every_agent_go_on(name: str, row: AgentRule) -> None:
    found = told(name, row, Decision(row.kind, Verdict.DENY, "tests fail", reprompt="tests fail"))
    assert found.reprompt == "tests fail"


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{name}-{row.native}" for name, row in ROWS])
def test_only_a_denial_without_words_in_json_ends_with_exit_2(name: str, row: AgentRule) -> None:
    for verdict in Verdict:
        response = speaker_of(name).respond(event_of(name, row), Decision(row.kind, verdict, "r"))
        assert response.exit_code != 2 or verdict >= Verdict.ASK
        assert not (response.stdout and response.stderr)


@pytest.mark.parametrize(
    "line",
    [
        '"$CLAUDE_PROJECT_DIR"/tools/guard.sh',
        "$CLAUDE_PROJECT_DIR/tools/guard.sh --strict",
        '"${CLAUDE_PROJECT_DIR}/tools/guard.sh"',
        "python3 ${CLAUDE_PROJECT_DIR}/tools/guard.sh",
        "./tools/guard.sh",
        "cd $PWD && sh tools/guard.sh",
    ],
)
def test_the_script_a_hook_names_belongs_to_its_trust(line: str, tmp_path: Path) -> None:
    bench = Workbench(tmp_path, "claude")
    bench.write("tools/guard.sh", "#!/bin/sh\n")
    handler: dict[str, Any] = {"type": "command", "command": line}
    bench.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [handler]}]}}))
    assert [spec.files for spec in bench.hooks().specs] == [("tools/guard.sh",)]


def test_the_same_command_runs_once_in_claude_and_twice_in_codex(tmp_path: Path) -> None:
    entry = {"hooks": [{"type": "command", "command": "cat >/dev/null"}]}
    for name, file, runs in (("claude", ".claude/settings.json", 1), ("codex", ".codex/hooks.json", 2)):
        bench = Workbench(tmp_path, name)
        bench.write(file, {"hooks": {"Stop": [entry, {**entry, "matcher": "x"}]}})
        assert len(bench.fire("Stop").ran) == runs


def test_two_plugins_with_the_same_command_both_run(tmp_path: Path) -> None:
    """The command is the same text, but `${CLAUDE_PLUGIN_ROOT}` is another folder."""
    bench = Workbench(tmp_path, "claude")
    installed = {}
    for name in ("a", "b"):
        root = bench.path(f"~/.claude/plugins/{name}")
        bench.write(f"~/.claude/plugins/{name}/guard.sh", f"cat >/dev/null; echo {name} >&2; exit 2\n")
        handler = {"type": "command", "command": "sh ${CLAUDE_PLUGIN_ROOT}/guard.sh"}
        bench.write(f"~/.claude/plugins/{name}/hooks/hooks.json", {"hooks": {"Stop": [{"hooks": [handler]}]}})
        installed[f"{name}@shop"] = [{"installPath": str(root)}]
    bench.write("~/.claude/plugins/installed_plugins.json", {"plugins": installed})
    bench.write("~/.claude/settings.json", {"enabledPlugins": {"a@shop": True, "b@shop": True}})
    decision = bench.fire("Stop")
    assert [result.outcome.reason for result in decision.ran] == ["a", "b"]


def test_hooks_of_one_agent_guard_another(tmp_path: Path) -> None:
    """A Gemini guard stops Codex's edit, in the words of both."""
    bench = Workbench(tmp_path, "gemini")
    guard = 'grep -q \'"tool_name":"write_file"\' && echo \'{"decision":"deny","reason":"no writes"}\''
    group = {"matcher": "write_file", "hooks": [{"type": "command", "command": guard}]}
    bench.write(".gemini/settings.json", {"hooks": {"BeforeTool": [group]}})
    codex = speaker_of("codex")
    patch = "*** Begin Patch\n*** Add File: b.txt\n+hi\n*** End Patch\n"
    call = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "t"}
    event = codex.read_event("PreToolUse", {"session_id": "s", "cwd": str(bench.workspace), **call})
    response = codex.respond(event, bench.engine().fire_now(event))
    assert json.loads(response.stdout)["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no writes",
    }


LISTENS = {name: {row.kind for row in speaker_of(name).rows if "context" in row.effects} for name in AGENTS}
DEAF = [name for name in AGENTS if not LISTENS[name] & DELIVERING and len(speaker_of(name).rules) > 1]


@pytest.mark.parametrize("name", [*DEAF, "droid"])
def test_a_text_waits_only_for_an_agent_that_takes_one_at_some_event(program: Program, name: str) -> None:
    program.write(
        ".hookline/hooks.toml", 'version = 1\n[[hooks]]\nevent = "UserPromptSubmit"\ncontext = "tea"\n'
        '[[hooks]]\nevent = "PostToolUse"\ncontext = "tea"\n',
    )  # fmt: skip
    speaker = speaker_of(name)
    row = next(
        row for row in speaker.rows
        if row.kind in (EventKind.UserPromptSubmit, EventKind.PostToolUse) and "context" not in row.effects
    )  # fmt: skip
    spec = HookSpec("h", name, row.kind, row.native, Command("x"))
    payload = {**speaker.hook_input(event_of(name, row), spec).payload}
    done = program("bridge", name, "--event", row.native, stdin=json.dumps(payload))
    kept = "kept for its next event that does" in done.stderr
    assert (kept, "it was dropped" in done.stderr) == (name not in DEAF, name in DEAF), done.stderr
    assert "tea" not in done.stdout


# A tool of each agent by its own name, with its own arguments, that reads, writes or removes `.env`, or pushes.
DEEDS = [
    ("gemini", "read_many_files", {"include": ["a", ".env"]}), ("gemini", "read_file", {"absolute_path": ".env"}),
    ("tabnine", "read_many_files", {"include": [".env"]}), ("tabnine", "replace", {"file_path": ".env"}),
    ("qwen", "read_many_files", {"paths": [".env"]}), ("qwen", "monitor", {"command": "git push -f"}),
    ("augment", "remove-files", {"file_paths": ["a", ".env"]}), ("augment", "view", {"path": ".env", "type": "file"}),
    ("vscode", "multi_replace_string_in_file", {"replacements": [{"filePath": ".env", "newString": "b"}]}),
    ("vscode", "create_and_run_task", {"task": {"type": "shell", "command": "git push -f"}}),
    ("vibe", "file_system.search_replace", {"path": ".env", "content": "x"}), ("hermes", "read_file", {"path": ".env"}),
    ("vibe", "process.start", {"command": "git push -f"}), ("devin", "edit", {"file_path": ".env", "new_string": "b"}),
    ("goose", "developer__edit", {"path": ".env", "before": "a", "after": "b"}),
    ("openhands", "file_editor", {"command": "str_replace", "path": ".env", "new_str": "b"}),
    ("crush", "download", {"url": "https://x.example/y", "file_path": ".env"}),
    ("droid", "MultiEdit", {"file_path": ".env", "changes": []}), ("grok", "read_file", {"target_file": ".env"}),
    ("antigravity", "view_file", {"AbsolutePath": ".env"}), ("cline", "read_files", {"files": '[{"path": ".env"}]'}),
    ("opencode", "multiedit", {"filePath": ".env", "edits": []}), ("pi", "write", {"path": ".env", "content": "x"}),
    ("omp", "python", {"code": "import os; os.system('git push -f')"}), ("amp", "create_file", {"path": ".env"}),
    ("kimi", "StrReplaceFile", {"path": ".env", "edit": {"old": "a", "new": "b"}}),
]  # fmt: skip


def sent_by(name: str, tool: str, given: dict[str, Any], cwd: str) -> tuple[str, dict[str, Any]]:
    native = speaker_of(name).row_of(EventKind.PreToolUse).native
    plain = {"session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": given}
    match name:
        case "antigravity":
            return native, {"workspacePaths": [cwd], "toolCall": {"name": tool, "args": given}}
        case "cline":
            call = {"toolName": tool, "parameters": given}
            return native, {"hookName": native, "workspaceRoots": [cwd], "preToolUse": call}
    return native, plain


@pytest.mark.parametrize(("name", "tool", "given"), DEEDS, ids=[f"{name}-{tool}" for name, tool, _ in DEEDS])
def test_a_guard_sees_what_a_tool_does_by_the_words_of_its_own_agent(
    program: Program, name: str, tool: str, given: dict[str, Any]
) -> None:
    effects = ("read", "write", "delete")
    rules = [f'[[hooks]]\nevent = "PreToolUse"\n{each} = ".env"\ndeny = "guarded"\n' for each in effects]
    pushed = '[[hooks]]\nevent = "PreToolUse"\nshell = "git push --force"\ndeny = "guarded"\n'
    program.write(".hookline/hooks.toml", "version = 1\n" + "".join((*rules, pushed)))
    program("trust", "--yes")
    native, payload = sent_by(name, tool, given, str(program.workspace))
    done = program("bridge", name, "--event", native, stdin=json.dumps(payload))
    assert "guarded" in done.stdout + done.stderr, (done.stdout, done.stderr)
