"""A hook that could not start says why, and what to do: in the decision, in front of an agent, and a day later."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
CAUSES = {
    "./crlf.sh": ("Windows line ends", "sed -i"),
    "$CLAUDE_PROJECT_DIR/sound.sh": ("not quoted", '"$CLAUDE_PROJECT_DIR'),
    "nosuch-guard --all": ("`nosuch-guard` is not on PATH", "install it"),
    "./noexec.sh": ("`./noexec.sh` is not executable", "chmod +x"),
    "cat - | ./hooks/gone.sh": ("`./hooks/gone.sh` does not exist", "mend the path"),
    "./odd.sh": ("`/no/such/interpreter`", "install it or mend the first line"),
    "exit 127": ("", ""),
}


@pytest.fixture
def broken(program: Program) -> Program:
    """A workspace, with a blank in its path, of guards none of which can start."""
    program.workspace = program.workspace.rename(program.workspace.parent / "my work")
    program.write("crlf.sh", "#!/bin/bash\r\nexit 2\r\n", 0o755)
    program.write("sound.sh", "#!/bin/sh\nexit 2\n", 0o755)
    program.write("noexec.sh", "#!/bin/sh\nexit 2\n", 0o644)
    program.write("odd.sh", "#!/no/such/interpreter\n", 0o755)
    entries = [{"type": "command", "command": line} for line in CAUSES]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": entries}]}}))
    return program


def test_the_cause_stands_where_the_failure_is_told(broken: Program) -> None:
    found = json.loads(broken("fire", "PreToolUse", "--json", stdin=json.dumps(CALL)).stdout)
    for hook, (cause, remedy) in zip(found["hooks"], CAUSES.values(), strict=True):
        assert cause in hook["why"] and remedy in hook["why"], hook
        assert bool(hook["why"]) == bool(cause)
    told = [cause for cause, _ in CAUSES.values() if cause]
    for texts in (found["messages"], found["degraded"]):
        assert len(texts) == len(CAUSES)
        assert all(cause in text for cause, text in zip(told, texts, strict=False))
    shown = broken("show", "last").stdout
    assert all(cause in shown for cause in told)


def test_an_agents_user_is_told_the_cause(broken: Program) -> None:
    payload = json.dumps({**CALL, "session_id": "s", "cwd": str(broken.workspace)})
    said = json.loads(broken("bridge", "codex", "--event", "PreToolUse", stdin=payload).stdout)
    assert "Windows line ends" in said["systemMessage"]


@pytest.mark.parametrize("agent", ["claude", "codex", "cursor", "qwen"])
def test_a_time_out_names_its_limit(program: Program, agent: str) -> None:
    entry = {"type": "command", "command": "trap '' TERM; sleep 30", "timeout": 1}
    path, config = {
        "cursor": (".cursor/hooks.json", {"version": 1, "hooks": {"preToolUse": [entry]}}),
        "codex": (".codex/hooks.json", {"hooks": {"PreToolUse": [{"hooks": [entry]}]}}),
        "qwen": (".qwen/settings.json", {"hooks": {"PreToolUse": [{"hooks": [{**entry, "timeout": 1000}]}]}}),
    }.get(agent, (".claude/settings.json", {"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    program.write(path, json.dumps(config))
    program.write(".hookline/hooks.toml", 'version = 1\n[budget]\nPreToolUse = "400ms"\n')
    found = json.loads(program("fire", "PreToolUse", "--json", stdin=json.dumps(CALL)).stdout)
    (hook,) = found["hooks"]
    assert "time limit of " in hook["why"] and " ms, after" in hook["why"]
    assert any("timed out after " in text and " ms; " in text for text in found["messages"])


def test_a_folder_that_is_gone_keeps_no_guard_from_starting(program: Program) -> None:
    entry = {"type": "command", "command": "pwd >&2; exit 2"}
    for path, config in {
        ".claude/settings.json": {"hooks": {"PreToolUse": [{"hooks": [entry]}]}},
        ".codex/hooks.json": {"hooks": {"PreToolUse": [{"hooks": [entry]}]}},
        ".cursor/hooks.json": {"version": 1, "hooks": {"preToolUse": [entry]}},
    }.items():
        program.write(path, json.dumps(config))
    gone = str(program.workspace / "gone")
    done = program("fire", "PreToolUse", "--json", stdin=json.dumps({**CALL, "cwd": gone}))
    found = json.loads(done.stdout)
    assert (done.returncode, [hook["verdict"] for hook in found["hooks"]]) == (2, ["deny"] * 3)
    assert all(hook["reason"] == str(program.workspace) for hook in found["hooks"])
