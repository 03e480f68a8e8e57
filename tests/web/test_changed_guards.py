"""`serve` remembers which guard the agent changed, in later turns too, until a person has decided."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.web.serving import Serving

GUARD = "#!/bin/sh\nexit 0\n"
CONFIG = {
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}
}


def bash(command: str) -> dict[str, Any]:
    return {"text": "x", "tool_calls": [{"name": "Bash", "input": {"command": command}}]}


CHANGES = {
    "its script": {"file_path": "guard.sh", "content": "#!/bin/sh\nexit 0 # mine\n"},
    "its definition": {
        "file_path": ".gen/settings.json",
        "content": json.dumps(CONFIG).replace("Bash", "Never"),
    },
    "its file": {"file_path": ".gen/settings.json", "content": "{}"},
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_guard_the_agent_changed_blocks_in_later_turns_too(serving: Serving, what: str) -> None:
    program = serving.program
    del program.environment["HOOKLINE_TRUST"]
    program.write("guard.sh", GUARD, 0o755)
    program.write(".gen/settings.json", json.dumps(CONFIG))
    assert program("trust", "--yes").returncode == 0
    write = {"text": "x", "tool_calls": [{"name": "Write", "input": CHANGES[what]}]}
    serving.start(
        bash("touch one"), write, {"text": "first"},
        bash("touch two"), {"text": "second"}, bash("touch three"), {"text": "third"},
        bash("touch four"), {"text": "fourth"}, bash("touch five"), {"text": "fifth"},
    )  # fmt: skip
    for words in ("a", "b", "c"):
        serving.say(words)
        serving.idle()
    assert [(serving.root / name).exists() for name in ("one", "two", "three")] == [True, False, False]
    assert "hookline trust" in serving.talk
    assert program("trust", "--yes").returncode == 0
    if what != "its file":  # nothing is left there to decide about
        for words in ("d", "e"):
            serving.say(words)
            serving.idle()
        assert (serving.root / "five").exists()


def test_a_deny_rule_that_the_agent_took_away_holds_in_other_sessions_too(serving: Serving) -> None:
    rules = {"permissions": {"deny": ["Bash(touch:*)"]}}
    path = serving.program.write(".claude/settings.json", json.dumps(rules))
    serving.start(bash(f"rm {path}"), {"text": "first"}, bash("touch two"), {"text": "second"})
    for chat in ("/default/chat", "/default/sessions/other/chat"):
        serving.say("go", chat)
        serving.idle(chat)
    assert (path.exists(), (serving.root / "two").exists()) == (False, False)
