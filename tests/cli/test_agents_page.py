"""AGENTS.md: an agent that follows it leaves a rule that works once a person has trusted it, and not before."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from tests.program import Program

PAGE = (Path(__file__).parents[2] / "AGENTS.md").read_text()
UNTRUSTING = {"HOOKLINE_TRUST": ""}


def test_an_agent_that_follows_the_page_adds_a_guard_that_a_person_switches_on(program: Program) -> None:
    (rule,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    steps = ["hookline list", "hookline check", "hookline explain Bash 'git push -f'"]
    calls = [
        {"name": "Bash", "input": {"command": steps[0]}},
        {
            "name": "Write",
            "input": {"file_path": ".hookline/hooks.toml", "content": rule.replace("\n   ", "\n")},
        },
        *({"name": "Bash", "input": {"command": step}} for step in steps[1:]),
    ]
    turns = [{"text": "", "tool_calls": [call]} for call in calls]
    program.write("turns.json", json.dumps({"turns": turns, "after": "Please review it: hookline trust"}))
    programs = program.write("bin/hookline", '#!/bin/sh\nexec "$PYTHON" -m hookline "$@"\n', 0o755)
    environment = {
        **UNTRUSTING, "PYTHON": sys.executable, "PATH": f"{programs.parent}:{program.environment['PATH']}"
    }  # fmt: skip
    done = program("run", "Forbid force pushes", "--model", "scripted:turns.json", environment=environment)
    assert done.returncode == 0, done.stderr
    call = json.dumps({"tool_name": "Bash", "tool_input": {"command": "git push origin main -f"}})
    assert program("fire", "PreToolUse", stdin=call, environment=UNTRUSTING).returncode != 2
    assert program("trust", "--yes", environment=UNTRUSTING).returncode == 0
    assert program("fire", "PreToolUse", stdin=call, environment=UNTRUSTING).returncode == 2
