"""A guard that says yes in words its agent does not know has judged: nothing is missing, also in a strict workspace."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.program import Program

GROUPS = '{"hooks": {"EVENT": [{"hooks": [{"type": "command", "command": COMMAND}]}]}}'
AGENTS = {
    "claude": (".claude/settings.json", "PreToolUse", GROUPS),
    "qwen": (".qwen/settings.json", "PreToolUse", GROUPS),
    "gemini": (".gemini/settings.json", "BeforeTool", GROUPS),
    "openhands": (".openhands/hooks.json", "PreToolUse", GROUPS),
    "copilot": (
        ".github/hooks/a.json", "preToolUse",
        '{"version": 1, "hooks": {"EVENT": [{"type": "command", "bash": COMMAND}]}}',
    ),
    "cursor": (".cursor/hooks.json", "preToolUse", '{"version": 1, "hooks": {"EVENT": [{"command": COMMAND}]}}'),
}  # fmt: skip
YES = (
    {"decision": "allow"},
    {"permission": "allow", "reason": "harmless"},
    {"ok": True},
    {"blocked": False},
    {"hookSpecificOutput": {"permissionDecision": "allow", "permissionDecisionReason": "harmless"}},
    {"continue": True, "status": "ok"},
)
NOT_YES = (
    {"decision": "maybe"},
    {"decision": "allow", "blocked": True},
    {"allowed": False},
    {"verdict": "deny"},
)


@pytest.fixture
def asked(program: Program):
    subprocess.run(["git", "init", "-q", program.workspace], check=True)
    del program.environment["HOOKLINE_TRUST"]

    def ask(agent: str, answer: dict[str, object]) -> dict[str, object]:
        place, event, config = AGENTS[agent]
        command = json.dumps(f"echo '{json.dumps(answer)}'")
        path = Path(program.workspace, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(config.replace("EVENT", event).replace("COMMAND", command))
        assert program("trust", "--yes").returncode == 0
        assert program("trust", "--strict").returncode == 0
        call = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})
        done = program("fire", "PreToolUse", "--dialect", agent, "--json", stdin=call)
        return json.loads(done.stdout)

    return ask


@pytest.mark.parametrize("agent", AGENTS)
def test_a_yes_in_any_words_lets_the_call_go_on(asked, agent: str) -> None:
    for answer in YES:
        decision = asked(agent, answer)
        assert decision["verdict"] in ("none", "allow"), (answer, decision["reason"])
        assert decision["degraded"] == [], answer


@pytest.mark.parametrize("answer", NOT_YES, ids=json.dumps)
def test_what_is_no_yes_blocks_in_a_strict_workspace(asked, answer: dict[str, object]) -> None:
    assert asked("claude", answer)["verdict"] == "deny"
