"""Is what was read still what stands there: every change is seen, and what might hide one is not relied on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hookline.system.workspace.freshness import TICK_NS, Freshness, landmarks_of, settled, states_of

LATER = 2 * time.time_ns()  # all that happens now is long ago then, however long the tests have been running

Change = Callable[[Path], object]


def write(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def set_back(path: Path) -> None:
    path.write_text("y")
    os.utime(path, (1, 1))


CHANGES: dict[str, Change] = {
    "edited": lambda top: write(top / "there", "longer"),
    "edited, as long and as old as before": lambda top: set_back(top / "there"),
    "another in its place": lambda top: (top / "other").rename(top / "there"),
    "removed": lambda top: (top / "there").unlink(),
    "not executable any more": lambda top: (top / "there").chmod(0o644),
    "appeared": lambda top: write(top / "missing"),
    "appeared deep below": lambda top: write(top / "a/b/c"),
    "appeared in a folder": lambda top: write(top / "folder/new"),
    "behind a link to nothing": lambda top: write(top / "target"),
    "behind a folder that was a link to nothing": lambda top: write(top / "far/file"),
    "its folder replaced": lambda top: ((top / "folder").rename(top / "gone"), (top / "folder").mkdir()),
}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    write(tmp_path / "there")
    (tmp_path / "there").chmod(0o755)
    write(tmp_path / "other")
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "target")
    (tmp_path / "link").symlink_to(tmp_path / "far")
    return tmp_path


def watched(top: Path) -> list[str]:
    names = ("there", "missing", "a/b/c", "folder", "dangling", "link/file")
    return [str(top / name) for name in names]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("looks", [0, 1, 2])
def test_every_change_is_seen(top: Path, change: Change, looks: int) -> None:
    """At the first look, which is a close one, and at later ones, which are not."""
    freshness = Freshness(watched(top), (), LATER)
    assert freshness.is_settled
    for _ in range(looks):
        assert freshness.is_fresh(LATER)
    change(top)
    assert not freshness.is_fresh(LATER)


def test_what_happens_beside_does_not_matter(top: Path) -> None:
    freshness = Freshness(watched(top), (), LATER)
    assert freshness.is_fresh(LATER)
    write(top / "beside")
    assert freshness.is_fresh(LATER) and freshness.is_fresh(LATER)
    write(top / "missing")
    assert not freshness.is_fresh(LATER)


def test_of_a_place_only_its_being_there_matters(top: Path) -> None:
    freshness = Freshness((), (str(top / "folder"), str(top / "missing")), LATER)
    assert freshness.is_fresh(LATER)
    write(top / "folder/new")
    assert freshness.is_fresh(LATER)
    (top / "missing").mkdir()
    assert not freshness.is_fresh(LATER)


def test_a_file_that_has_just_changed_is_not_relied_on(top: Path) -> None:
    """It may change again within one tick of the clock, and look the same."""
    changed = (top / "there").stat().st_ctime_ns
    assert not Freshness(watched(top), (), changed).is_settled
    [state] = states_of([str(top / "there")])
    assert state is not None
    assert not settled([state], changed + TICK_NS - 1)
    assert settled([state], changed + TICK_NS) or changed % 10**9 == 0


def test_a_file_system_of_whole_seconds_is_given_longer() -> None:
    state = (5 * 10**9, 1, 1, 1)
    assert not settled([state], 7 * 10**9)
    assert settled([state, None], 8 * 10**9)


def test_a_look_at_the_folders_is_not_enough_while_they_change(top: Path) -> None:
    freshness = Freshness(watched(top), (), LATER)
    just_now = top.stat().st_ctime_ns
    assert freshness.is_fresh(just_now) and freshness.is_fresh(just_now)
    write(top / "missing")
    assert not freshness.is_fresh(just_now)


def test_many_missing_paths_come_to_few_folders(top: Path) -> None:
    missing = [str(top / f"none-{number}/file") for number in range(100)]
    assert landmarks_of([*missing, str(top / "there"), "/"]) == (str(top), str(top / "there"), "/")


def test_a_path_that_no_system_has_is_missing(top: Path) -> None:
    assert states_of(["\0", "", str(top / ("x" * 300))]) == [None, None, None]
    assert Freshness(["\0"], (), LATER).is_fresh(LATER)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changed_while_it_was_read_is_not_relied_on(top: Path, change: Change) -> None:
    """The state is taken after reading, so that it may be of what nobody has read."""
    began = time.time_ns()
    change(top)
    freshness = Freshness(watched(top), (), began)
    assert not freshness.is_settled and not freshness.is_fresh(LATER)
