"""The hooks of a host that stays follow their files, also where one changes while it is read."""

from __future__ import annotations

import json

import pytest
from tests.program import Program
from tests.waiting import until

from hookline.engine.hookset import HookSet
from hookline.engine.opening import Opened, open_engine, reread_hooks
from hookline.hosts.turns import known_hooks
from hookline.hosts.turns.known_hooks import KnownHooks


def test_a_hook_that_changes_while_it_is_read_is_read_again(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ran as it had been, until something else changed."""
    before, after = (
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": word}]}]}})
        for word in ("true", "exit 2")
    )
    file = program.write(".gen/settings.json", before)
    opened = open_engine(str(program.workspace), environment=program.environment, history=False)
    told: list[str] = []
    known = KnownHooks(opened, told.append)

    def while_written(opened: Opened) -> HookSet:
        found = reread_hooks(opened)
        file.write_text(after)
        return found

    monkeypatch.setattr(known_hooks, "reread_hooks", while_written)
    assert [spec.command for spec in known.reread().specs] == ["true"]
    monkeypatch.undo()
    assert not known.are_fresh()
    until(lambda: known.reread() and known.are_fresh())
    assert [spec.command for spec in opened.engine.hooks.specs] == ["exit 2"]
    assert told == []
