"""What was decided holds whoever reads it: a full disk, a reader that has gone, a locale without the letters."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest
import yaml
from tests.program import Program
from tests.streams import through_hasty_pipes
from tests.waiting import DEADLINE_S

DENY = '[[hooks]]\nevent = "PreToolUse"\ntool = "Bash"\ndeny = "Grüße — ✓ \\u0000FFFD"\n'.replace(
    "\\u0000FFFD", "no"
)
CALL = json.dumps({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}})
BRIDGED = {
    "claude": "PreToolUse", "codex": "PreToolUse", "gemini": "BeforeTool", "cursor": "preToolUse",
    "copilot": "preToolUse",
}  # fmt: skip


def ended(
    program: Program, *arguments: str, stdout: int | IO[Any], stdin: str = CALL, **variables: str
) -> tuple[int, str]:
    streams = {"stdin": subprocess.PIPE, "stdout": stdout, "stderr": subprocess.PIPE}
    with program.start(*arguments, environment=variables, **streams) as process:
        said = process.communicate(stdin.encode(), timeout=DEADLINE_S)[1]
    return process.returncode, said.decode()


def nobody() -> int:
    """A pipe whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.fixture(params=["reader gone", "disk full"])
def broken(request: pytest.FixtureRequest) -> Any:
    handle = nobody() if request.param == "reader gone" else os.open("/dev/full", os.O_WRONLY)
    yield handle
    os.close(handle)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_the_exit_code_of_fire_is_its_verdict(program: Program, broken: int, options: list[str]) -> None:
    program.write(".hookline/hooks.toml", DENY)
    for event, code in (("PreToolUse", 2), ("gemini:BeforeTool", 2), ("SessionEnd", 0)):
        found, stderr = ended(program, "fire", event, *options, stdout=broken)
        assert found == code and "Traceback" not in stderr


@pytest.mark.parametrize("agent", BRIDGED)
def test_a_denial_that_cannot_be_written_is_exit_2_with_its_reason(
    program: Program, broken: int, agent: str
) -> None:
    program.write(".hookline/hooks.toml", DENY)
    code, stderr = ended(program, "bridge", agent, "--event", BRIDGED[agent], stdout=broken)
    assert (code, "Traceback" in stderr) == (2, False) and "Grüße" in stderr


def test_an_answer_that_refuses_nothing_is_no_exit_2(program: Program, broken: int) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\ncontext = "a word"\n')
    code, stderr = ended(program, "bridge", "claude", "--event", "PreToolUse", stdout=broken)
    assert code == 1 and "Traceback" not in stderr


def test_a_question_nobody_can_be_asked_is_a_refusal(program: Program, broken: int) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nask = "sure?"\n')
    code, stderr = ended(program, "bridge", "claude", "--event", "PreToolUse", stdout=broken)
    assert code == 2 and "sure?" in stderr


TURN = "turns:\n- {tool_calls: [{name: Bash, input: {command: 'echo x >> ran'}}]}\nafter: done\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("fire PreToolUse", 2),
        ("run go --model scripted:m.yml", 0),
        ("disable g", 0),
        ("check", 0),
        ("list --no", 64),
    ],
)
def test_talk_that_nobody_can_hear_changes_nothing(
    program: Program, broken: int, command: str, code: int
) -> None:
    """Work ended where the disk of its log was full, with an exit code of Python's own, or as if it were done."""
    rule = '[[hooks]]\nname = "g"\nevent = "PreToolUse"\nrun = "echo why >&2; exit 2"\n'
    program.write(
        ".hookline/hooks.toml", rule if command.startswith("fire") else rule.replace("exit 2", "exit 0")
    )
    program.write("m.yml", TURN)
    with program.start(
        *command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=broken
    ) as process:
        process.communicate(CALL.encode(), timeout=DEADLINE_S)
    assert process.returncode == code
    if command.startswith("run"):
        assert (program.workspace / "ran").read_text() == "x\n"
    if command.startswith("disable"):
        assert "disabled" in program("why", "g").stdout


@pytest.mark.parametrize(
    "command",
    ["bridge claude --event UserPromptSubmit", "fire UserPromptSubmit --json"],
)
def test_streams_that_do_not_wait_lose_nothing(program: Program, command: str) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "UserPromptSubmit"\nrun = "wc -c; seq 8000"\n')
    call = {"session_id": "s", "cwd": str(program.workspace), "prompt": "x" * 300_000}
    start = functools.partial(program.start, *command.split())
    code, written = through_hasty_pipes(start, json.dumps(call).encode())
    assert code == 0 and b"300" in written and b"8000" in written[-2000:]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "ascii:strict"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_locale_without_the_letters_costs_no_verdict(
    program: Program, encoding: str, options: list[str]
) -> None:
    program.write(".hookline/hooks.toml", DENY)
    done = program("fire", "PreToolUse", *options, stdin=CALL, environment={"PYTHONIOENCODING": encoding})
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert not options or json.loads(done.stdout)["verdict"] == "deny"


@pytest.mark.parametrize(
    "command",
    [["list", "--json"], ["check", "--json"], ["docs"], ["--version"], ["explain", "Bash", "ls", "--json"]],
)
def test_what_cannot_be_printed_is_a_failure_and_no_defect(program: Program, command: list[str]) -> None:
    own_interpreter = {"PYTHONIOENCODING": "utf-8"}  # as this is about how it ends
    with open("/dev/full", "w") as full:
        code, stderr = ended(program, *command, stdout=full, **own_interpreter)
    assert code == 1 and "No space left" in stderr and "Traceback" not in stderr


@pytest.mark.parametrize("command", ["run go --model scripted:m.yml", "task add --name a --content c"])
def test_a_system_that_has_no_more_to_give_is_no_defect_of_ours(program: Program, command: str) -> None:
    program.write("m.yml", "after: done\n")
    words = [sys.executable, "-m", "hookline", *command.split()]
    done = subprocess.run(
        ["sh", "-c", 'ulimit -n 6; exec "$@"', "sh", *words],
        cwd=program.workspace, env=program.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and "a defect in" not in done.stderr, done.stderr
    assert "no more files can be opened here" in done.stderr


@pytest.mark.parametrize("files", [10, 13, 16])
def test_however_few_files_can_be_opened_a_deny_rule_holds_and_nothing_is_a_defect(
    program: Program, files: int
) -> None:
    program.write(".claude/settings.json", json.dumps({"permissions": {"deny": ["Bash(touch:*)"]}}))
    call = {"name": "Bash", "input": {"command": "touch gone"}}
    program.write("m.yml", yaml.safe_dump({"turns": [{"tool_calls": [call]}] * 3, "after": "done"}))
    program("issues", "create", "-t", "One", "-d", "x")
    for command in ("run go", "iterate --iterations 1", "issues run"):
        words = [sys.executable, "-m", "hookline", *command.split(), "--model", "scripted:m.yml"]
        done = subprocess.run(
            ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *words],
            cwd=program.workspace, env=program.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        assert "TaskGroup" not in done.stderr and "move the file away" not in done.stderr, done.stderr
        assert not (program.workspace / "gone").exists()


HALF = json.dumps(
    {
        "turns": [
            {
                "text": "half \ud800 word",
                "tool_calls": [{"name": "Bash", "input": {"command": "echo \udc00"}}],
            }
        ]
    }
)


@pytest.mark.parametrize("name", ["m.json", "m.yml"])
def test_half_a_letter_in_a_models_words_ends_no_turn(program: Program, name: str) -> None:
    program.write(name, HALF)
    record = program.workspace / "record"
    done = program("run", "go", "--model", f"scripted:{name}", "--record", str(record))
    assert done.returncode == 0, done.stderr
    assert "\ufffd" in done.stdout + done.stderr
    done = program("run", "on", "-c", "--model", f"scripted:{name}", "--record", str(record))
    assert done.returncode == 0, done.stderr
    (transcript,) = Path(program.home).rglob("transcripts/*.jsonl")
    for line in (*transcript.read_text().splitlines(), *record.read_text().splitlines()):
        json.dumps(json.loads(line), ensure_ascii=False).encode()


@pytest.mark.parametrize("line", ["[" * 100_000, '{"id": 1, "method": ' + "[" * 100_000, "{broken"])
def test_a_line_nobody_can_read_is_answered_and_the_server_goes_on(program: Program, line: str) -> None:
    program.write("s.yml", "turns: []\n")
    hello = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": 1}})
    for server in (["task", "mcp", "--name", "n"], ["scripted-agent", "s.yml"]):
        done = program(*server, stdin=f"{line}\n{hello}\n")
        answers = [json.loads(each) for each in done.stdout.splitlines()]
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
        assert [each["id"] for each in answers] == [None, 7]
        assert answers[0]["error"]["code"] == -32700 and "result" in answers[1]


def test_a_server_is_asked_by_a_file_and_ends_with_it(program: Program) -> None:
    """No loop can wait for a file or `/dev/null`: that was a traceback, and a wait without end."""
    program.write("s.yml", "turns: []\n")
    hello = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": 1}})
    asking = program.write("asked", f"{hello}\n")
    endless = program.write("endless", "x" * (1 << 24 | 1 << 22) * 4)
    for server in (["task", "mcp", "--name", "n"], ["scripted-agent", "s.yml"]):
        for path, code, answered in ((asking, 0, 1), (Path(os.devnull), 0, 0), (endless, 1, 0)):
            with path.open("rb") as given:
                done = subprocess.run(
                    [sys.executable, "-m", "hookline", *server], stdin=given, capture_output=True, text=True,
                    cwd=program.workspace, env=program.environment, timeout=DEADLINE_S,
                )  # fmt: skip
            assert (done.returncode, len(done.stdout.splitlines())) == (code, answered), done.stderr
            assert "Traceback" not in done.stderr
            assert code == 0 or "a line is longer than" in done.stderr
