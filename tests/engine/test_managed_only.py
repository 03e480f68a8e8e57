"""`managed_only` in the machine's file: an administrator's hooks run, and nobody else's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.program import Program

from hookline.dialects.hookline import config
from hookline.engine.opening import open_engine
from hookline.model.events import EventKind, event_from_payload

DENY = '[[hooks]]\nevent = "PreToolUse"\ndeny = "{0}"\n'


def test_only_managed_hooks_run_where_the_administrator_says_so(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    managed = tmp_path / "managed.toml"
    monkeypatch.setattr(config, "MANAGED", str(managed))
    program.write(".hookline/hooks.toml", DENY.format("the project's"))
    group = {"hooks": [{"type": "command", "command": "touch ran; exit 2"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [group]}}))
    managed.write_text('managed_only = true\n[[hooks]]\nevent = "PreToolUse"\ncontext = "watched"\n')
    opened = open_engine(str(program.workspace), environment=program.environment, history=False)
    event = event_from_payload(EventKind.PreToolUse, {"tool_name": "Bash"}, workspace=str(program.workspace))
    decision = opened.engine.fire_now(event)
    assert (decision.verdict.word, decision.contexts) == ("none", ("watched",))
    others = [result for result in decision.results if result.spec.scope != "managed"]
    assert len(others) == 2 and all("`managed_only`" in result.why for result in others)
    assert not (program.workspace / "ran").exists()


def test_nobody_else_can_say_so(program: Program) -> None:
    program.write(".hookline/hooks.toml", "managed_only = true\n" + DENY.format("the project's"))
    (problem,) = json.loads(program("check", "--json").stdout)
    assert (problem["code"], problem["severity"]) == ("not-managed", "error")
    assert program("fire", "PreToolUse", stdin="{}").returncode == 2
