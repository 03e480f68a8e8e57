"""`hookline run` with a scripted model: guards, tools and the event stream."""

from __future__ import annotations

import json

import pytest
import yaml
from tests.program import Program, stem

GUARD = {
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo not today >&2; exit 2"}]}
        ]
    }
}


def script(program: Program, *turns: dict[str, object]) -> str:
    return str(program.write("turns.yml", yaml.safe_dump({"turns": list(turns)})))


def call(name: str, **given: object) -> dict[str, object]:
    return {"text": "", "tool_calls": [{"name": name, "input": given}]}


def test_a_guard_stops_a_tool_and_the_model_hears_why(program: Program) -> None:
    """The tool does not run, the model gets the reason, the loop goes on."""
    program.write(".gen/settings.json", json.dumps(GUARD))
    turns = script(
        program,
        call("Bash", command="touch ran"),
        {"text": "Then I stop.", "expect": "Blocked by PreToolUse hook: not today"},
    )
    done = program("run", "try", "--model", f"scripted:{turns}")
    assert (done.returncode, done.stdout) == (0, "Then I stop.\n")
    assert not (program.workspace / "ran").exists()


def test_a_hook_behind_a_tool_finds_what_the_tool_wrote(program: Program) -> None:
    look = {"type": "command", "command": "cat a.txt b.txt >> seen"}
    group = {"matcher": "Write|Edit|Bash", "hooks": [look]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [group]}}))
    program.write("b.txt", "")
    turns = script(
        program,
        call("Write", file_path="a.txt", content="one\n"),
        call("Edit", file_path="a.txt", old_string="one", new_string="two"),
        call("Bash", command="echo three > b.txt"),
        {"text": "ok"},
    )
    assert program("run", "go", "--model", f"scripted:{turns}").returncode == 0
    assert (program.workspace / "seen").read_text() == "one\ntwo\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("file", "native"),
    [
        (".gen/settings.json", "PostToolUse"),
        (".claude/settings.json", "PostToolUse"),
        (".gemini/settings.json", "AfterTool"),
    ],
)
def test_an_objection_after_a_tool_reaches_the_model(program: Program, file: str, native: str) -> None:
    """The tool is not undone, its result carries what the hook wrote."""
    group = {"hooks": [{"type": "command", "command": "echo fix the style >&2; exit 2"}]}
    program.write(file, json.dumps({"hooks": {native: [group]}}))
    turns = script(
        program, call("Write", file_path="a.txt", content="x"), {"text": "ok", "expect": "fix the style"}
    )
    done = program("run", "go", "--model", f"scripted:{turns}")
    assert (done.returncode, done.stdout) == (0, "ok\n")
    assert (program.workspace / "a.txt").exists()


def test_tools_work_inside_the_workspace_only(program: Program) -> None:
    turns = script(
        program,
        call("Write", file_path="a/b.txt", content="one\ntwo\n"),
        call("Edit", file_path="a/b.txt", old_string="two", new_string="2"),
        call("Read", file_path="a/b.txt") | {"expect": "edited a/b.txt"},
        call("Write", file_path="../out.txt", content="x") | {"expect": "     2\t2"},
        {"text": "Done.", "expect": "outside the workspace"},
    )
    done = program("run", "go", "--model", f"scripted:{turns}")
    assert (done.returncode, done.stderr.count("error")) == (0, 0)
    assert (program.workspace / "a/b.txt").read_text() == "one\n2\n"
    assert not (program.workspace.parent / "out.txt").exists()


def test_the_stream_has_a_line_per_hook_and_tool(program: Program) -> None:
    program.write(".gen/settings.json", json.dumps(GUARD))
    turns = script(program, call("Bash", command="true"), call("Read", file_path="turns.yml"))
    done = program("run", "go", "--model", f"scripted:{turns}", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert all("type" in line and "at" in line for line in lines)
    kinds = [line["type"] for line in lines]
    assert (kinds[0], kinds[-1]) == ("session.started", "session.ended")
    finished = next(line for line in lines if line["type"] == "hook.finished")
    assert (stem(finished["id"]), finished["verdict"]) == ("gencode:PreToolUse", "deny")
    assert [line["name"] for line in lines if line["type"] == "tool.started"] == ["Read"]


def test_the_model_running_out_of_requests_fails_the_run(program: Program) -> None:
    turns = script(program, *[call("Read", file_path="turns.yml") for _ in range(5)])
    done = program("run", "go", "--model", f"scripted:{turns}", "--max-turns", "3")
    assert done.returncode == 1
    assert "3 requests to the model were not enough" in done.stderr


def test_a_recording_has_one_line_per_request(program: Program) -> None:
    listing = {"tool_calls": [{"name": "Bash", "input": {"command": "echo on"}, "id": "given"}]}
    turns = script(program, call("Bash", command="echo hi"), listing, {"text": "ok"})
    program("run", "look", "--model", f"scripted:{turns}", "--record", "record.jsonl")
    lines = [json.loads(line) for line in (program.workspace / "record.jsonl").read_text().splitlines()]
    assert [line["n"] for line in lines] == [1, 2, 3]
    assert lines[2]["messages"][4]["content"][0]["tool_use_id"] == "given"
    assert lines[0]["messages"] == [{"role": "user", "content": [{"type": "text", "text": "look"}]}]
    assert lines[1]["messages"][2]["content"][0] == {
        "type": "tool_result",
        "tool_use_id": "toolu_01_1",
        "content": "hi",
        "is_error": False,
    }


def test_a_failed_expectation_fails_the_run(program: Program) -> None:
    turns = script(program, {"text": "x", "expect": "never said"})
    done = program("run", "go", "--model", f"scripted:{turns}")
    assert done.returncode == 1
    assert "expects 'never said', found 'go'" in done.stderr


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_a_prompt_may_come_on_standard_input(program: Program, arguments: tuple[str, ...]) -> None:
    model = ("--model", "scripted:" + script(program, {"text": "heard", "expect": "first line\nGrüße"}))
    done = program("run", *arguments, *model, stdin="first line\nGrüße\n")
    assert (done.returncode, done.stdout) == (0, "heard\n")
    empty = program("run", *arguments, *model, stdin="\n")
    assert empty.returncode == 64 and "no prompt" in empty.stderr
