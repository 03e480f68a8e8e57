"""Which folder is the project, for a process that asks again and again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hookline.dialects import REGISTRY
from hookline.engine.opening import project_of
from hookline.system.workspace import roots
from hookline.system.workspace.freshness import TICK_NS
from hookline.system.workspace.roots import MARKERS, Root, find_root, has_hooks


def settle() -> None:
    """What changes from here on shows in the state of its folder."""
    time.sleep(TICK_NS * 1.1e-9)


def link(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, link], ids=["folder", "file", "link to nothing"])
def test_hook_config_that_comes_or_goes_between_two_looks_is_seen(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    marker = tmp_path / ".gemini"
    settle()
    assert not has_hooks(str(tmp_path))
    assert str(tmp_path) in roots._known
    make(marker)
    assert has_hooks(str(tmp_path))
    settle()
    assert has_hooks(str(tmp_path))
    marker.rename(tmp_path / "other")
    assert not has_hooks(str(tmp_path))


def test_a_folder_that_changed_a_moment_ago_is_looked_at_each_time(tmp_path: Path) -> None:
    place = tmp_path / "new"
    place.mkdir()
    assert not has_hooks(str(place))
    assert str(place) not in roots._known


def test_a_repository_is_seen_whatever_stands_under_its_name(tmp_path: Path) -> None:
    inner = tmp_path / "project/inner"
    inner.mkdir(parents=True)
    (tmp_path / "project/.hookline").mkdir()
    assert find_root(str(inner)) == Root(str(tmp_path / "project"), "marker")
    (inner / ".git").write_text("gitdir: elsewhere\n")
    assert find_root(str(inner)) == Root(str(inner), "worktree")
    assert project_of(str(inner)) == Root(str(inner), "worktree")  # no hooks around it either
    (tmp_path / "project/.hookline/hooks.toml").write_text('[[hooks]]\nevent = "Stop"\nrun = "true"\n')
    assert project_of(str(inner)) == Root(str(tmp_path / "project"), "marker")
    (inner / ".git").unlink()
    (inner / ".git").mkdir()
    assert find_root(str(inner)) == Root(str(inner), "git")
    (inner / ".git").rmdir()
    (inner / ".git").symlink_to("nowhere")
    assert find_root(str(inner)) == Root(str(tmp_path / "project"), "marker")


def test_every_place_of_hooks_in_a_project_marks_one() -> None:
    places = [place for row in REGISTRY.values() for place in row.places if place.startswith("{ws}/")]
    assert {place.split("/")[1] for place in places} <= {*MARKERS}
