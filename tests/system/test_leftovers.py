"""Sweeping what a killed hookline left, beside others that sweep the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.system.files import Listing, list_dir
from hookline.system.processes import orphans as leftovers


def test_what_another_sweep_was_faster_to_remove_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder for temporary files is shared by every hookline of the machine."""
    temporary, notes = tmp_path / "tmp", tmp_path / "running"
    first, second = (temporary / f"hookline-999999:1-{number}" for number in range(2))
    first.mkdir(parents=True)
    second.mkdir()
    notes.mkdir()
    (notes / "999999:1").touch()

    def listed(folder: str) -> Listing:
        found = list_dir(folder)
        if folder == str(temporary):
            first.rmdir()
        return found

    monkeypatch.setattr(leftovers, "temporary_dir", lambda: str(temporary))
    monkeypatch.setattr(leftovers, "list_dir", listed)
    found = leftovers.sweep(str(notes))
    assert [Path(path).name for path in found.folders] == [second.name]
    assert (list(temporary.iterdir()), list(notes.iterdir())) == ([], [])
