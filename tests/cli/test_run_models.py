"""`hookline run` with models: over HTTP, and as the judge in prompt and agent hooks."""

from __future__ import annotations

import json

import pytest
from tests.agents.wire_server import anthropic_answer, openai_answer, serving
from tests.cli.loop_bench import call, gencode, requests, results, run
from tests.program import Program


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_real_turn_over_http(program: Program, provider: str) -> None:
    """Tools run, the guard speaks, and the result goes back in the provider's own format."""
    gencode(program, PreToolUse=[{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}])
    make = anthropic_answer if provider == "anthropic" else openai_answer
    calls = make("I write.", ("Write", '{"file_path": "a", "content": "1"}'), ("Bash", '{"command": "ls"}'))
    busy = {"status": 529, "body": "", "headers": {"retry-after": "0"}}
    with serving(busy, {"pieces": [calls]}, {"pieces": [make("Done.")]}) as server:
        done = program("run", "go", "--model", f"{provider}:m1", "--base-url", server.url)
        last = json.dumps(server.requests[-1]["body"]["messages"])
    assert (done.returncode, done.stdout) == (0, "I write.\nDone.\n"), done.stderr
    assert (program.workspace / "a").read_text() == "1"
    assert "wrote a" in last and "Blocked by PreToolUse hook" in last


def test_without_a_key_nothing_is_asked(program: Program) -> None:
    done = program("run", "go", "--model", "anthropic:claude")
    assert done.returncode == 64
    assert "set ANTHROPIC_API_KEY" in done.stderr


def judged(program: Program, verdict: object, **hook: object) -> str:
    """The result of a Bash call that a model judged."""
    gencode(
        program, PreToolUse=[{"hooks": [{"type": "prompt", "prompt": "Is this safe? $ARGUMENTS", **hook}]}]
    )
    turns = [call("Bash", command="touch ran"), *(verdict if isinstance(verdict, list) else [verdict])]
    done = run(program, turns)
    assert done.returncode == 0, done.stderr
    return str(results(program)[0]["content"])


def test_a_prompt_hook_asks_the_sessions_model(program: Program) -> None:
    """The question holds the call; a no denies it with the model's reason."""
    content = judged(program, {"text": '{"ok": false, "reason": "it makes files"}'})
    assert content == "Blocked by PreToolUse hook: it makes files"
    question = requests(program)[1][0]["content"][0]["text"]
    assert question.startswith("Is this safe? ") and "touch ran" in question
    assert not (program.workspace / "ran").exists()


def test_a_prompt_hook_that_says_yes_lets_the_tool_run(program: Program) -> None:
    judged(program, {"text": '```json\n{"ok": true}\n```'})
    assert (program.workspace / "ran").exists()


def test_an_agent_hook_looks_around_first_and_changes_nothing(program: Program) -> None:
    """It has the tools that read, and no others."""
    program.write("policy.txt", "no files may be made")
    look = {"tool_calls": [
        {"name": "Read", "input": {"file_path": "policy.txt"}},
        {"name": "Write", "input": {"file_path": "evil", "content": ""}},
    ]}  # fmt: skip
    no = {"text": '{"ok": false, "reason": "the policy forbids it"}', "expect": "no files may be made"}
    content = judged(program, [look, no], type="agent")
    assert content == "Blocked by PreToolUse hook: the policy forbids it"
    assert not (program.workspace / "evil").exists()
    assert "no tool 'Write'" in str(requests(program)[2])


def test_a_script_that_is_not_there_is_said_so_with_what_is_wanted(program: Program) -> None:
    (program.workspace / "folder").mkdir()
    for name, why in (("gone.yml", "does not exist"), ("folder", "cannot be read: is a folder")):
        done = program("run", "go", "--model", f"scripted:{name}")
        assert done.returncode == 1
        assert f"{name}: the script {why}" in done.stderr
        assert "hint: a script is a YAML or JSON file with `turns`" in done.stderr


def test_a_script_with_a_fault_says_where_and_a_model_is_looked_at_before_the_work(program: Program) -> None:
    program.write("bad.yml", "turns: [\n  - x: {")
    program.write("bad.json", '{"turns": [\n 1,]}')
    for name, place in (
        ("bad.yml", "bad.yml:2:3: not a script: "),
        ("bad.json", "bad.json:2:4: not a script: "),
    ):
        done = program("run", "go", "--model", f"scripted:{name}")
        assert (
            done.returncode == 1
            and f"error: {place}" in done.stderr
            and "<unicode string>" not in done.stderr
        )
    done = program("issues", "run", "--model", "nope:1")
    assert done.returncode != 0 and "nope" in done.stderr
