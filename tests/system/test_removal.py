"""Folders are removed with all that is in them, and nothing outside of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.system.removal import remove_tree


@pytest.mark.parametrize("names", [(), ("a", "b"), ("a", "deep/er/c"), ("deep/b",)])
def test_a_folder_goes_with_all_its_files(tmp_path: Path, names: tuple[str, ...]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    remove_tree(folder)
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(kept)
    remove_tree(folder)
    (tmp_path / "link").symlink_to(kept)
    remove_tree(tmp_path / "link")
    remove_tree(tmp_path / "absent")
    assert (kept / "file").read_text() == "x" and not folder.exists()
