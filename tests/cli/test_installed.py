"""What doctor says of our entries: will the agent call us, and when did it last."""

from __future__ import annotations

import json
import re
import time

import pytest
from tests.program import Program

from hookline.engine.loading import load_hooks, places_for
from hookline.installing.findings import Standing, standings
from hookline.model.events import Event, EventKind
from hookline.model.results import Decision
from hookline.state.history import History


def standing_of(program: Program) -> list[Standing]:
    environment = {**program.environment, "HOME": str(program.home)}
    hooks = load_hooks(places_for(str(program.workspace), environment))
    with History(str(program.home / "history.db")) as history:
        return standings(hooks, str(program.home), environment, history)


def faults_of(program: Program) -> str:
    return "\n".join(
        f"{fault.message} / {fault.hint}" for each in standing_of(program) for fault in each.faults
    )


def test_a_sound_installation_has_no_faults_and_has_not_fired_yet(program: Program) -> None:
    program("install", "claude")
    (found,) = standing_of(program)
    assert (found.title, found.place.shown, found.faults) == ("Claude Code", ".claude/settings.json", ())
    assert "PreToolUse" in found.events
    assert found.fired_at is None


def test_the_last_call_of_an_agent_is_known_per_workspace(program: Program) -> None:
    program("install", "gemini")
    now = time.time()
    with History(str(program.home / "history.db")) as history:
        for at, host in ((now - 9, "gemini"), (now - 8, "gemini"), (now, "claude"), (now, "hookline")):
            event = Event(EventKind.PreToolUse, workspace=str(program.workspace), host=host, at=at)
            history.record(event, Decision(EventKind.PreToolUse))
        history.record(
            Event(EventKind.Stop, workspace="/elsewhere", host="gemini", at=now), Decision(EventKind.Stop)
        )
    (found,) = standing_of(program)
    assert found.fired_at == now - 8


@pytest.mark.parametrize(
    ("agent", "path", "text", "words"),
    [
        ("claude", ".claude/settings.json", '{"disableAllHooks": true}', "`disableAllHooks` is set"),
        ("claude", ".claude/settings.json", '{"model": "x", // c\n}', "Claude Code may ignore"),
        ("codex", ".codex/hooks.json", '{"hooks": {} /* c */}', "Codex CLI may ignore"),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "`[features] hooks` is false"),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "`hooksConfig.enabled` is false"),
        ("copilot", ".github/hooks/hookline.json", '{"disableAllHooks": true}', "`disableAllHooks` is set"),
    ],
)  # fmt: skip
def test_what_keeps_the_agent_from_calling_is_named(
    program: Program, agent: str, path: str, text: str, words: str
) -> None:
    program.write(path, text)
    installed = program("install", agent)
    assert words in faults_of(program)
    assert words in next(line for line in installed.stderr.splitlines() if line.startswith("warning: "))


def test_a_launcher_that_is_gone_is_named(program: Program) -> None:
    program("install", "cursor")
    file = program.workspace / ".cursor/hooks.json"
    file.write_text(re.sub(r"/\S*/(?=(hookline-bridge|python[0-9.]*) )", "/gone/", file.read_text()))
    assert "does not start" in faults_of(program)
    assert "run `hookline install cursor --scope project` again" in faults_of(program)


def test_hooks_for_an_event_without_an_entry_wait_in_vain(program: Program) -> None:
    program("install", "claude")
    hook = {"WorktreeCreate": [{"hooks": [{"type": "command", "command": "true"}]}]}
    program.write(".gen/settings.json", json.dumps({"hooks": hook}))
    assert "hooks for WorktreeCreate wait in vain" in faults_of(program)
