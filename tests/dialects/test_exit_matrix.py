"""Exit status x output x dialect before a tool, each from a real process through the engine.

The expectations are written down from what the agents document and were seen to do, not from the code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import DEADLINE_S

from hookline.engine.fire import Engine
from hookline.engine.loading import load_hooks, places_for
from hookline.engine.services import Services
from hookline.model.events import Event, EventKind, ToolCall
from hookline.model.results import Decision, Verdict

ENDINGS = ("0", "1", "2", "3", "126", "127", "signal", "time-out")
OUTPUTS = ("nothing", "text", "json", "broken", "stderr")
FILES = {
    "claude": ".claude/settings.json",
    "gemini": ".gemini/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "copilot": ".github/hooks/h.json",
    "gencode": ".gen/settings.json",
}
CLAUDE_DENIAL = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }
}
DENIALS: dict[str, Any] = {
    "claude": CLAUDE_DENIAL,
    "codex": CLAUDE_DENIAL,
    "gencode": CLAUDE_DENIAL,
    "gemini": {"decision": "deny", "reason": "no"},
    "cursor": {"permission": "deny", "user_message": "no"},
    "copilot": {"permissionDecision": "deny", "permissionDecisionReason": "no"},
}
ALL = set(ENDINGS) - {"time-out"}
FROM_2 = {"2", "3", "126", "127"}
NOT_0 = ALL - {"0"}
# For each output the endings that deny; every other one lets the tool run.
DENIES: dict[str, dict[str, set[str]]] = {
    "claude": {"nothing": {"2"}, "text": {"2"}, "json": ALL, "broken": {"2"}, "stderr": {"2"}},
    "gencode": {"nothing": {"2"}, "text": {"2"}, "json": ALL, "broken": {"2"}, "stderr": {"2"}},
    "codex": {"nothing": set(), "text": set(), "json": {"0"}, "broken": set(), "stderr": {"2"}},
    "gemini": {"nothing": set(), "text": FROM_2, "json": ALL, "broken": FROM_2, "stderr": ALL},
    "cursor": {"nothing": {"2"}, "text": {"2"}, "json": {"0", "2"}, "broken": {"2"}, "stderr": {"2"}},
    "copilot": {"nothing": NOT_0, "text": NOT_0, "json": ALL, "broken": NOT_0, "stderr": NOT_0},
}


def script(dialect: str, ending: str, output: str) -> str:
    denial = json.dumps(DENIALS[dialect])
    printed = {
        "nothing": ":",
        "text": "echo text",
        "json": f"printf '%s' '{denial}'",
        "broken": f"printf '%s' '{denial[:-2]}'",
        "stderr": f"printf '%s' '{denial}' >&2",
    }[output]
    end = {"signal": "kill -9 $$", "time-out": "exec sleep 60"}.get(ending, f"exit {ending}")
    return f"cat >/dev/null; {printed}; {end}"


def config(dialect: str, command: str, timeout_s: float) -> dict[str, Any]:
    if dialect in ("cursor", "copilot"):
        handler = {"command": command, "timeout": timeout_s}
        return {"version": 1, "hooks": {"preToolUse": [handler]}}
    native = "BeforeTool" if dialect == "gemini" else "PreToolUse"
    scale = 1000 if dialect in ("gemini", "gencode") else 1
    handler = {"type": "command", "command": command, "timeout": timeout_s * scale}
    return {"hooks": {native: [{"hooks": [handler]}]}}


def environment(root: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(root / "home"), "XDG_CONFIG_HOME": str(root / "config")}


def fired(root: Path, dialect: str, command: str, timeout_s: float) -> Decision:
    workspace = root / "w"
    file = workspace / FILES[dialect]
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(config(dialect, command, timeout_s)))
    variables = environment(root)
    hooks = load_hooks(places_for(str(workspace), variables), [dialect])
    assert len(hooks.specs) == 1 and not [p for p in hooks.problems if p.severity == "error"]
    call = ToolCall("Bash", {"command": "ls"}, "t")
    event = Event(EventKind.PreToolUse, "s", str(workspace), call, str(workspace))
    return Engine(hooks, Services(environment=variables)).fire_now(event)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("dialect", FILES)
def test_how_a_hook_ends_and_what_it_prints(dialect: str, ending: str, output: str, tmp_path: Path) -> None:
    timeout_s = 0.1 if ending == "time-out" else 30
    decision = fired(tmp_path, dialect, script(dialect, ending, output), timeout_s)
    denied = ending in DENIES[dialect][output]
    assert decision.verdict is (Verdict.DENY if denied else Verdict.NONE)
    (result,) = decision.results
    assert result.raw is not None and result.raw.timed_out is (ending == "time-out")
    if denied:
        assert decision.reason
    elif ending not in ("0", "1") or output == "broken":
        assert result.why or result.outcome.messages or decision.degraded, "let through without a word"


@pytest.mark.parametrize(
    ("dialect", "verdict"),
    [
        ("claude", Verdict.NONE),
        ("codex", Verdict.NONE),
        ("gencode", Verdict.NONE),
        ("cursor", Verdict.NONE),
        ("gemini", Verdict.DENY),
        ("copilot", Verdict.DENY),
    ],
)
def test_a_missing_program_does_what_the_agent_does(dialect: str, verdict: Verdict, tmp_path: Path) -> None:
    decision = fired(tmp_path, dialect, "/no/such/guard", 30)
    assert decision.verdict is verdict
    assert decision.reason or decision.messages


@pytest.mark.parametrize("dialect", FILES)
def test_the_command_line_denies_with_exit_2(dialect: str, tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    file = workspace / FILES[dialect]
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(config(dialect, script(dialect, "0", "json"), 30)))
    run = subprocess.run(
        [sys.executable, "-m", "hookline", "fire", "PreToolUse", "--json", "--dialect", dialect],
        input='{"tool_name": "Bash", "tool_input": {"command": "ls"}}',
        cwd=workspace,
        env={**environment(tmp_path), "HOOKLINE_TRUST": "workspace", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    found = json.loads(run.stdout)
    assert (run.returncode, found["verdict"], found["reason"]) == (2, "deny", "no")
    assert [hook["dialect"] for hook in found["hooks"]] == [dialect]
