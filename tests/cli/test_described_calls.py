"""Asking about a call in words, and about one hook."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from tests.program import Program

CLAUDE = ".claude/settings.json"


def hooks(program: Program, **events: list[tuple[str, str]]) -> None:
    groups = {
        event: [
            {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}
            for matcher, command in entries
        ]
        for event, entries in events.items()
    }
    program.write(CLAUDE, json.dumps({"hooks": groups}))


def told(program: Program, *words: str) -> Any:
    """What a hook that listens to everything is given."""
    program.write("see.sh", "cat > seen.json\n")
    everything = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "FilesChanged")
    program.write(
        ".hookline/hooks.toml",
        "".join(f'[[hooks]]\nevent = "{event}"\nrun = "sh see.sh"\n' for event in everything),
    )
    done = program("fire", *words)
    assert done.returncode == 0, done.stderr
    return json.loads((program.workspace / "seen.json").read_text())


@pytest.mark.parametrize(
    ("words", "event", "tool", "given"),
    [
        (("Bash", "git push"), "PreToolUse", "Bash", {"command": "git push"}),
        (("Bash", "git", "push"), "PreToolUse", "Bash", {"command": "git push"}),
        (("run_shell_command", "ls"), "PreToolUse", "Bash", {"command": "ls"}),
        (("PostToolUse", "Bash", "ls"), "PostToolUse", "Bash", {"command": "ls"}),
        (("Grep", "a.*b"), "PreToolUse", "Grep", {"pattern": "a.*b"}),
        (
            ("Write", '{"file_path": "a", "content": "b"}'),
            "PreToolUse",
            "Write",
            {"file_path": "a", "content": "b"},
        ),
        (("mcp__git__push", "x"), "PreToolUse", "mcp__git__push", {"input": "x"}),
        (("PreToolUse", "Bash"), "PreToolUse", "Bash", {}),
    ],
)
def test_a_call_in_words_is_the_call_of_its_json(
    program: Program, words: tuple[str, ...], event: str, tool: str, given: object
) -> None:
    seen = told(program, *words)
    assert (seen["event"], seen["tool_name"], seen["tool_input"]) == (event, tool, given)


def test_a_file_is_named_from_where_one_stands(program: Program) -> None:
    folder = program.workspace / "src"
    folder.mkdir()
    hooks(program, PreToolUse=[("Edit", "true")])
    done = program("explain", "Edit", "a.ts", cwd=folder)
    assert f"asked: Edit {folder}/a.ts" in done.stdout.replace("  Edit", " Edit").replace("Edit  ", "Edit ")
    assert "would run" in done.stdout


def test_prompts_and_files_are_said_in_words_too(program: Program) -> None:
    assert told(program, "UserPromptSubmit", "mend", "it")["prompt"] == "mend it"
    assert told(program, "FilesChanged", "a", "b")["files"] == ["a", "b"]


def test_fire_in_words_denies_and_explain_runs_nothing(program: Program) -> None:
    hooks(program, PreToolUse=[("Bash", "touch ran; echo no >&2; exit 2")])
    assert program("explain", "Bash", "git push").returncode == 0
    assert not (program.workspace / "ran").exists()
    done = program("fire", "Bash", "git push")
    assert (done.returncode, done.stdout.startswith("PreToolUse: deny — no")) == (2, True)


def test_what_a_rule_would_deny_is_foretold_with_exit_0(program: Program) -> None:
    (program.workspace / ".hookline").mkdir()
    rules = '[[hooks]]\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no"\n'
    (program.workspace / ".hookline/hooks.toml").write_text(rules)
    foretold = program("explain", "Bash", "git push")
    assert (foretold.returncode, "would be denied" in foretold.stdout.splitlines()[0]) == (0, True), (
        foretold.stdout
    )
    assert program("fire", "Bash", "git push").returncode == 2


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("Bsh", "ls"), "did you mean `Bash`?"),
        (("PreToolUs", "Bash", "ls"), "did you mean `PreToolUse`?"),
        (("Stop", "now"), "JSON on stdin"),
        ((), "Bash 'git push'"),
        (("Bash", "{"), "not JSON"),
    ],
)
def test_words_that_mean_nothing_are_refused(program: Program, words: tuple[str, ...], hint: str) -> None:
    done = program("explain", *words)
    assert (done.returncode, hint in done.stderr, done.stdout) == (64, True, "")


def test_an_agents_own_event_name_is_taken_and_said(program: Program) -> None:
    hooks(program, PreToolUse=[("Bash", "true")])
    done = program("explain", "BeforeTool", stdin='{"tool_name": "run_shell_command"}')
    assert "`BeforeTool` is taken for `gemini:BeforeTool`, that is PreToolUse" in done.stderr
    assert "would run" in done.stdout


def test_what_ran_comes_first_and_other_events_are_counted(program: Program) -> None:
    hooks(program, Stop=[("", "true")] * 3, PreToolUse=[("Write", "echo near"), ("Bash", "echo hit")])
    done = program("explain", "Bash", "ls")
    lines = done.stdout.splitlines()
    assert "would run" in lines[2] and "not matched" in lines[3]
    assert lines[4:] == ["  3 hooks listen to other events (`--all`)"]
    assert program("explain", "--all", "Bash", "ls").stdout.count("listens to Stop") == 3
    assert len(json.loads(program("explain", "--json", "Bash", "ls").stdout)["hooks"]) == 5


def test_hooks_stand_in_the_order_of_their_file_whatever_order_they_run_in(program: Program) -> None:
    text = '[[hooks]]\nname = "b"\nevent = "Stop"\nrun = "echo b >> order"\n'
    text += '[[hooks]]\nname = "a"\nevent = "Stop"\norder = -1\nrun = "echo a >> order"\n'
    program.write(".hookline/hooks.toml", text)
    fired = json.loads(program("fire", "Stop", "--json").stdout)
    assert (program.workspace / "order").read_text() == "a\nb\n"
    kept = json.loads(program("show", "--json").stdout)
    listed = json.loads(program("list", "--json").stdout)
    for found in (fired["hooks"], kept["hooks"], listed):
        assert [hook["name"] for hook in found] == ["b", "a"]


def test_why_tells_what_a_hook_is_and_whether_it_would_run(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nname = "no push"\nevent = "PreToolUse"\nshell = "git push*"\ndeny = "not from here"\n',
    )
    shown = program("why", "no push").stdout
    for words in (
        "no push",
        ".hookline/hooks.toml:1",
        "shell git push*",
        "deny: not from here",
        "never ran here",
    ):
        assert words in shown
    assert "would run" in program("why", "no push", "Bash", "git push").stdout
    assert "not matched" in program("why", "no push", "Bash", "ls").stdout
    program("fire", "Bash", "git push origin")
    assert "git push origin" in program("why", "no push").stdout
    found = json.loads(program("why", "no push", "--json", "Bash", "git push").stdout)
    assert (found["name"], found["asked"]["status"], found["last"]["verdict"]) == (
        "no push",
        "would_run",
        "deny",
    )


def test_a_hook_that_its_agent_runs_itself_is_told_apart(program: Program) -> None:
    hooks(program, Stop=[("", "true")])
    program.write(".hookline/hooks.toml", '[[hooks]]\nname = "ours"\nevent = "Stop"\nrun = "true"\n')
    assert "Claude Code runs 1 of these hooks itself" in program("list").stderr
    assert "Claude Code runs it itself" in program("why", "claude:Stop").stdout
    assert "Claude Code runs it itself" not in program("why", "ours").stdout
    assert "off for hookline, but Claude Code runs it itself" in program("disable", "claude:Stop").stderr
    assert "Claude Code" not in program("disable", "ours").stderr


def test_a_payload_may_come_out_of_a_pipe_of_the_shell(program: Program) -> None:
    hooks(program, PreToolUse=[("Bash", "true")])
    line = f"""{sys.executable} -m hookline explain PreToolUse --input <(echo '{{"tool_name": "Bash"}}')"""
    done = subprocess.run(
        ["bash", "-c", line], cwd=program.workspace, env=program.environment, capture_output=True, text=True
    )
    assert (done.returncode, "would run" in done.stdout) == (0, True), done.stderr


def test_the_workspace_may_stand_before_the_command(program: Program) -> None:
    hooks(program, Stop=[("", "true")])
    place = str(program.workspace)
    expected = program("list", "--json").stdout
    for words in (("--workspace", place, "list", "--json"), (f"--workspace={place}", "list", "--json")):
        assert program(*words, cwd=program.home).stdout == expected


@pytest.mark.parametrize(
    "words",
    [("fire", "PreToolUse"), ("explain", "PreToolUse"), ("bridge", "claude", "--event", "PreToolUse")],
)
def test_an_empty_workspace_is_looked_for_as_if_none_was_named(
    program: Program, words: tuple[str, ...]
) -> None:
    """`--workspace "$DIR"` with nothing in DIR must not mean a folder without guards."""
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\ndeny = "not here"\n')
    below = program.write("below/file", "").parent
    call = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": str(below)}
    done = program(*words, "--workspace", "", cwd=below, stdin=json.dumps(call))
    assert "not here" in done.stdout


@pytest.mark.parametrize("command", ["fire", "explain", "get", "bridge", "list"])
def test_help_has_one_form(program: Program, command: str) -> None:
    short, long = program(command, "-h"), program(command, "--help")
    assert short.stdout == long.stdout and (short.returncode, long.returncode) == (0, 0)
    assert short.stdout.startswith(f"usage: hookline {command} [-h]") and "\nexample:\n" in short.stdout


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_can_be_asked_for_and_refused(
    program: Program, variables: dict[str, str], coloured: bool
) -> None:
    hooks(program, Stop=[("", "true")])
    for command in (("list",), ("explain", "Stop")):
        assert ("\033[" in program(*command, environment=variables).stdout) == coloured


def test_what_a_rule_answers_is_known_beforehand(program: Program) -> None:
    """The strictest answer that needs no run stands at the top; a hook that runs could still say something else."""
    rules = (("ask", "rm"), ("deny", "git push --force"))
    program.write(
        ".hookline/hooks.toml",
        "".join(
            f'[[hooks]]\nname = "no {line}"\nevent = "PreToolUse"\nshell = "{line}"\n{answer} = "not {line}"\n'
            for answer, line in rules
        )
        + '[[hooks]]\nevent = "PreToolUse"\nrun = "true"\n',
    )
    heads = {
        line: program("explain", "Bash", line).stdout.partition("\n")[0]
        for line in ("ls", "rm x", "env git push -f; rm x")
    }
    assert heads == {
        "ls": "PreToolUse: none",
        "rm x": "PreToolUse: would be asked for by `no rm` — not rm",
        "env git push -f; rm x": "PreToolUse: would be denied by `no git push --force` — not git push --force",
    }


def test_what_a_rule_answers_in_doubt_is_not_told_as_a_fact(program: Program) -> None:
    """A rule that denies asks where nobody can know whether it is meant, and says that it is a perhaps."""
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nname = "no push"\nevent = "PreToolUse"\nshell = "git push"\ndeny = "a person pushes"\n',
    )
    shown = {
        line: program("explain", "Bash", line).stdout for line in ("git push", 'git "$(verb)"', 'sh -c "$X"')
    }
    heads = {line: text.partition("\n")[0] for line, text in shown.items()}
    assert heads.pop("git push") == "PreToolUse: would be denied by `no push` — a person pushes"
    for line, head in heads.items():
        assert head.startswith("PreToolUse: would be asked for by `no push` — perhaps: a person pushes ("), (
            line
        )
        assert "so it answers ask" in shown[line]
        given = json.loads(program("explain", "Bash", line, "--json").stdout)
        assert [hook["status"] for hook in given["hooks"]] == ["would_run"]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"cmd": "git push"}, "git push"),
        ({"command": "git", "args": ["push", "-f"]}, "git push -f"),
        ({"command": "git", "arguments": ["push"]}, "git push"),
        ({"cmd": "git", "argv": "push -f"}, "git push -f"),
        ({"program": "git", "args": ["push"], "description": "Look around"}, "git push"),
        ({"commands": ["ls", "git push"]}, "ls⏎git push"),
        ({"script": "git push", "description": "Look around"}, "git push"),
        ({"Command": "git push", "Description": "Look around"}, "git push"),
        ({"shell_command": "git push"}, "git push"),
        ({"command": ["ls", ["git", "push"]]}, 'ls ["git","push"]'),
        ({"command": "ls", "description": "Look around"}, "ls"),
        ({"args": ["git", "push"]}, '{"args":["git","push"]}'),
    ],
)
def test_what_was_asked_is_shown_by_any_spelling_of_the_line(
    program: Program, given: object, line: str
) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\ntool = "Bash"\ncontext = "x"\n')
    call = json.dumps({"tool_name": "Bash", "tool_input": given})
    assert f"  asked: Bash {line}\n" in program("fire", "PreToolUse", stdin=call).stdout
    (found,) = json.loads(program("history", "--json").stdout)
    assert found["asked"] == {"tool": "Bash", "summary": line}
