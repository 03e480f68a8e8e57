"""Guards hold wherever a session has wandered to, and the person hears of those that are off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S

NATIVE = {"codex": "PreToolUse", "cursor": "preToolUse", "gemini": "BeforeTool", "claude": "PreToolUse"}


def guard(program: Program) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nname = "g"\nevent = "PreToolUse"\ndeny = "not here"\n')


def bridged(
    program: Program, agent: str, place: Path | str, **options: Any
) -> subprocess.CompletedProcess[str]:
    call = {"session_id": "s", "cwd": str(place), "tool_name": "Bash", "tool_input": {"command": "ls"}}
    return program("bridge", agent, "--event", NATIVE[agent], stdin=json.dumps(call), **options)


@pytest.mark.parametrize("agent", NATIVE)
@pytest.mark.parametrize("cwd", ["gone", "gone/deeper", "sub", "sub/inner", "/"])
def test_a_guard_holds_wherever_the_session_stands(program: Program, agent: str, cwd: str) -> None:
    """In a folder that was deleted, in a repository made inside of the project, outside of everything."""
    guard(program)
    (program.workspace / "sub/inner").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(program.workspace / "sub")], check=True)
    done = bridged(program, agent, cwd if cwd == "/" else program.workspace / cwd)
    assert "not here" in done.stdout, (done.stdout, done.stderr)


@pytest.mark.parametrize("command", [["bridge", "codex", "--event", "PreToolUse"], ["fire", "PreToolUse"]])
def test_a_process_whose_folder_was_deleted_finds_its_project(program: Program, command: list[str]) -> None:
    guard(program)
    gone = program.workspace / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && exec "$0" -m hookline "$@"'
    call = json.dumps(
        {"session_id": "s", "cwd": str(gone), "tool_name": "Bash", "tool_input": {"command": "ls"}}
    )
    done = subprocess.run(
        ["sh", "-c", script, sys.executable, *command], input=call, capture_output=True, text=True,
        env={**program.environment, "PWD": str(program.workspace)}, cwd=program.workspace, timeout=DEADLINE_S,
    )  # fmt: skip
    assert "not here" in done.stdout and "Traceback" not in done.stderr, done.stderr


ENTRY = "hookline bridge claude --event PreToolUse"
HOOKLESS = {
    "a repository": {},
    "a work tree or submodule": {".git": "gitdir: ../.git/modules/sub\n"},
    "settings without hooks": {".claude/settings.json": '{"model": "x"}', ".gemini/GEMINI.md": "be brief"},
    "our own entry": {
        ".claude/settings.json": json.dumps(
            {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ENTRY}]}]}}
        )
    },
}  # fmt: skip


def inner_project(program: Program, files: dict[str, str]) -> Path:
    inner = program.workspace / "sub"
    inner.mkdir()
    if ".git" not in files:
        subprocess.run(["git", "init", "-q", str(inner)], check=True)
    for name, text in files.items():
        program.write(f"sub/{name}", text)
    return inner


def test_the_hooks_of_a_project_around_another_one_are_missed_aloud(program: Program) -> None:
    guard(program)
    own = '[[hooks]]\nevent = "Stop"\nrun = "true"\n'
    inner = inner_project(program, {".hookline/hooks.toml": own})
    done = bridged(program, "claude", inner)
    assert f"the hooks of `{program.workspace}`" in json.loads(done.stdout)["systemMessage"]
    assert "are not asked" in done.stderr


@pytest.mark.parametrize("kind", HOOKLESS)
def test_a_project_without_hooks_has_those_of_the_one_around_it_whoever_asks(
    program: Program, kind: str
) -> None:
    guard(program)
    inner = inner_project(program, HOOKLESS[kind])
    started_there = {"CLAUDE_PROJECT_DIR": str(inner)}
    assert "not here" in bridged(program, "claude", inner, environment=started_there).stdout
    for asked in (["fire", "Bash", "ls"], ["explain", "Bash", "ls"]):
        done = program(*asked, cwd=inner)
        assert "not here" in done.stdout, (asked, done)
        assert f"`{inner}` has no hooks of its own; those of `{program.workspace}`" in done.stderr
        assert "but at no commit of its own" in done.stderr  # a commit is about its own repository
    listed = json.loads(program("list", "--json", cwd=inner).stdout)
    assert [hook["source"] for hook in listed if hook["name"] == "g"] == [".hookline/hooks.toml"]
    assert program("fire", "Bash", "ls", "--workspace", str(inner)).returncode == 0  # as told


def test_the_agent_works_where_it_was_started_under_the_guards_around(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PreToolUse"\nwrite = "sub/kept"\ndeny = "not here"\n',
    )
    inner = inner_project(program, {})
    calls = [
        {"text": "", "tool_calls": [{"name": "Write", "input": {"file_path": name, "content": "x"}}]}
        for name in ("free", "kept")
    ]
    turns = program.write(
        "turns.json", json.dumps({"turns": [*calls, {"text": "done", "expect": "not here"}]})
    )
    done = program("run", "go", "--model", f"scripted:{turns}", cwd=inner)
    assert (done.returncode, done.stdout) == (0, "done\n"), done
    assert [path.name for path in inner.iterdir() if path.name != ".git"] == ["free"]
    again = program("run", "--continue", "--model", f"scripted:{turns}", "again", cwd=program.workspace)
    assert "no earlier session" in again.stderr


def test_what_writes_files_stays_in_the_project_one_stands_in(program: Program) -> None:
    guard(program)
    inner = inner_project(program, {})
    assert program("init", cwd=inner).returncode == 0
    own = inner / ".hookline/hooks.toml"
    assert own.exists() and program("fire", "Bash", "ls", cwd=inner).returncode == 2  # it is a beginning
    own.write_text('[[hooks]]\nevent = "Stop"\nrun = "true"\n')
    told = f"the hooks of `{program.workspace}`, which is around this project, are not asked"
    for command in (["fire", "Bash", "ls"], ["explain", "Bash", "ls"], ["list"], ["doctor"]):
        done = program(*command, cwd=inner)
        assert told in done.stderr + done.stdout, (command, done)


def test_without_any_project_that_is_said(program: Program, tmp_path: Path) -> None:
    environment = {"PWD": os.sep}
    done = bridged(program, "claude", os.sep, cwd=Path(os.sep), environment=environment)
    assert "no project was found" in done.stderr and done.returncode == 0


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse"])
@pytest.mark.parametrize(
    "config", ['event = "PreToolUse"\nrun = "exit 2"', 'event = "PreToolUse"\nrunn = "exit 2"']
)
def test_a_guard_that_is_off_is_told_once_a_session(program: Program, event: str, config: str) -> None:
    del program.environment["HOOKLINE_TRUST"]
    program.write(".hookline/hooks.toml", f"[[hooks]]\n{config}\n")
    call = {
        "cwd": str(program.workspace),
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "prompt": "x",
    }
    told = []
    for session in ("one", "one", "two"):
        given = json.dumps({**call, "session_id": session, "source": "startup"})
        done = program("bridge", "claude", "--event", event, stdin=given)
        assert done.returncode == 0
        told.append(json.loads(done.stdout)["systemMessage"] if done.stdout else "")
    assert told[0] == told[2] and told[1] == ""
    assert told[0].startswith("hookline: ") and "hookline trust" in told[0]


SHELL_RULE = '[[hooks]]\nname = "g"\nevent = "PreToolUse"\nshell = "git push"\ndeny = "not here"\n'
UNSAID = {
    "": "which tool it calls",
    '{"session_id": "s"}': "which tool it calls",
    '{"session_id": "s", "tool_name": "execute_bash", "tool_input": {}}': "which command it runs",
    '{"session_id": "s", "tool_name": "shell", "tool_input": {"timeout": 3}}': "which command it runs",
    '{"session_id": "s", "tool_name": "shell", "tool_input": {"command": null}}': "which command it runs",
    '{"session_id": "s", "tool_name": "shell", "tool_input": {"command": {"line": "x"}}}': "which command it runs",
    '{"session_id": "s", "tool_name": ["shell"], "tool_input": {"command": "ls"}}': "which tool it calls",
    '{"session_id": "s", "tool_name": "shell", "tool_input": {"command": [{"line": null}]}}': "which command it runs",
    '{"session_id": "s", "tool_name": "shell", "tool_input": {"command": [[], {}]}}': "which command it runs",
    '{"session_id": "s", "tool_name": "fs_write", "tool_input": {"text": "x"}}': "which file it is about",
    '{"session_id": "s", "tool_name": "fs_write", "tool_input": {"path": "", "text": "x"}}': "which file it is about",
}


@pytest.mark.parametrize("sent", UNSAID)
def test_a_call_of_which_nothing_is_said_is_not_taken_for_harmless_in_silence(
    program: Program, sent: str
) -> None:
    program.write(".hookline/hooks.toml", SHELL_RULE)
    asked = ("bridge", "kiro", "--event", "PreToolUse")
    told = f"the guards could not judge the call (Kiro did not say {UNSAID[sent]})"
    done = program(*asked, stdin=sent)
    assert done.returncode == 0 and f"{told} and let the action through" in done.stderr
    program("trust", "--yes")
    program("trust", "--strict")
    done = program(*asked, stdin=sent)
    assert done.returncode == 2 and f"strict workspace: {told}" in done.stderr


ALONE = {
    "Windsurf did not say which command it runs": (
        "windsurf", "pre_run_command", {"agent_action_name": "pre_run_command", "tool_info": {"cwd": "/"}}
    ),
    "Windsurf did not say which file it is about": (
        "windsurf", "pre_write_code", {"tool_info": {"edits": [{"old_string": "", "new_string": "x"}]}}
    ),
    "Cursor did not say which command it runs": ("cursor", "beforeShellExecution", {"shell_command": "git push"}),
    "Claude Code did not say what it was asked": ("claude", "UserPromptSubmit", {"userPrompt": "x"}),
}  # fmt: skip


@pytest.mark.parametrize("told", ALONE)
def test_an_agent_that_names_no_tool_may_leave_what_matters_out_as_well(program: Program, told: str) -> None:
    agent, event, payload = ALONE[told]
    on_prompts = '[[hooks]]\nevent = "UserPromptSubmit"\nwhere = { prompt = "*x*" }\ndeny = "no"\n'
    program.write(".hookline/hooks.toml", SHELL_RULE + on_prompts)
    sent = json.dumps({"session_id": "s", "cwd": str(program.workspace), **payload})
    done = program("bridge", agent, "--event", event, stdin=sent)
    assert told in done.stderr, done


JUDGED = {
    "a name in another letter case": ("claude", "bash", {"command": "git push"}),
    "both as others have them": ("claude", "bash", json.dumps({"command": "git push"})),
    "arguments as a text": ("claude", "Bash", json.dumps({"command": "git push"})),
    "a list that holds the line": ("claude", "Bash", {"command": ["git push"]}),
    "a tool that nobody knows": ("claude", "newest_tool", {"command": "git push"}),
    "arguments as a text in its own words": ("gemini", "run_shell_command", json.dumps({"command": "git push"})),
    "a name as others spell it": ("gemini", "RunShellCommand", {"command": "git push"}),
    "fields in camelCase": ("grok", "Bash", {"command": "git push"}),
    "fields in camelCase, and tools of its own": ("vscode", "run_in_terminal", {"command": "git push"}),
}  # fmt: skip


@pytest.mark.parametrize("case", JUDGED)
def test_a_call_that_a_newer_version_spells_in_another_way_is_judged(program: Program, case: str) -> None:
    agent, tool, given = JUDGED[case]
    named = SHELL_RULE.replace('shell = "git push"', 'tool = "Bash"')
    program.write(".hookline/hooks.toml", named if "name" in case or "both" in case else SHELL_RULE)
    event = "BeforeTool" if agent == "gemini" else "PreToolUse"
    call = {
        "session_id": "s", "cwd": str(program.workspace), "hook_event_name": event, "tool_name": tool,
        "tool_input": given,
    }  # fmt: skip
    if "camelCase" in case:
        call = {_camel(name): value for name, value in call.items()}
    done = program("bridge", agent, "--event", event, stdin=json.dumps(call))
    assert "not here" in done.stdout + done.stderr, done


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


def test_what_one_rewrites_of_arguments_in_a_text_goes_back_as_a_text(program: Program) -> None:
    program.write("answer", '{"verdict": "allow", "input": {"command": "true"}}')
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nrun = "cat answer"\n')
    call = {"session_id": "s", "tool_name": "Bash", "tool_input": json.dumps({"command": "ls"})}
    done = program("bridge", "claude", "--event", "PreToolUse", stdin=json.dumps(call))
    changed = json.loads(done.stdout)["hookSpecificOutput"]["updatedInput"]
    assert json.loads(changed) == {"command": "true"}


def test_the_person_is_told_once_of_calls_that_say_nothing_and_not_without_guards(program: Program) -> None:
    call = json.dumps({"session_id": "s", "tool_name": "Bash", "tool_input": {"description": "push"}})
    asked = ("bridge", "claude", "--event", "PreToolUse")
    assert program(*asked, stdin=call).stdout == ""
    program.write(".hookline/hooks.toml", SHELL_RULE)
    first, second = (program(*asked, stdin=call).stdout for _ in range(2))
    assert "Claude Code did not say which command it runs" in json.loads(first)["systemMessage"]
    assert second == ""
    shells = ({"command": ""}, {"command": "ls"}, {"command": ["git", "status"]}, {"cmd": "ls"})
    for harmless in (*shells, {"filename": "a"}, {"target": {"path": "a"}}):
        tool = "Bash" if harmless in shells else "Write"
        said = json.dumps({"session_id": "t", "tool_name": tool, "tool_input": harmless})
        assert program(*asked, stdin=said).stdout == "", harmless


THEIRS = {
    ".kiro/hooks/a.json": {"version": "v1", "hooks": [
        {"name": "a", "trigger": "PostFileSave", "action": {"type": "command", "command": "true"}}
    ]},
    ".github/hooks/a.json": {"hooks": {"SubagentStart": [{"type": "command", "command": "true"}]}},
    "home/.kimi-code/config.toml": '[[hooks]]\nevent = "TurnStarted"\ncommand = "true"\n',
    "home/.hermes/config.yaml": "hooks:\n  on_stream_start:\n    - command: tool\n",
}  # fmt: skip


@pytest.mark.parametrize("path", THEIRS)
def test_a_hook_of_an_event_that_another_agent_has_alone_is_no_guard_that_is_off(
    program: Program, path: str
) -> None:
    guard(program)
    text = THEIRS[path] if isinstance(THEIRS[path], str) else json.dumps(THEIRS[path])
    place = program.home / path[5:] if path.startswith("home/") else program.workspace / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(str(text))
    program("trust", "--yes")
    prompt = json.dumps({"session_id": "s", "cwd": str(program.workspace), "prompt": "hello"})
    done = program("bridge", "claude", "--event", "UserPromptSubmit", stdin=prompt)
    assert (done.stdout, done.stderr) == ("", "")
    listed = program("list").stderr
    assert "an event of" in listed and "cannot run" not in listed
    assert "there is no event" not in program("explain", "PreToolUse", "--all", stdin="{}").stdout
