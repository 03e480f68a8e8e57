"""What the page shows of a workspace follows its files, also where one changes while it is read."""

from __future__ import annotations

import pytest
from tests.program import Program
from tests.waiting import until

from hookline.dialects.base import Places
from hookline.engine.hookset import HookSet
from hookline.engine.loading import load_hooks
from hookline.engine.opening import open_engine
from hookline.web.records import hook_rows
from hookline.web.records.records import Place


@pytest.mark.parametrize("after", ["{}", None], ids=["another text", "gone"])
def test_a_file_that_changes_while_it_is_read_is_read_again(
    program: Program, monkeypatch: pytest.MonkeyPatch, after: str | None
) -> None:
    """It was shown as it had been, until something else changed."""
    broken = program.write(".gen/settings.json", "{ broken")
    opened = open_engine(str(program.workspace), environment=program.environment, history=False)

    def slowly(places: Places) -> HookSet:
        found = load_hooks(places)
        if after is None:
            broken.unlink(missing_ok=True)
        else:
            broken.write_text(after)
        return found

    monkeypatch.setattr(hook_rows, "load_hooks", slowly)
    place = Place(opened)
    monkeypatch.undo()
    assert [row["state"] for row in place._standing.rows()] == ["broken"]
    until(lambda: place.standing.is_so())
    assert place.standing.rows() == []
