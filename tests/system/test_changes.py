"""Change detection tells the truth, takes no lock and runs nothing of the repository."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.repositories import Repository, booby_trap, shield

from hookline.model.errors import StateError
from hookline.system.repository.git_index import GitIndex
from hookline.system.repository.listings import tracked_files
from hookline.system.repository.work_tree import Place
from hookline.system.workspace import changes, fingerprints
from hookline.system.workspace import scan as looking
from hookline.system.workspace.changes import Changes, Snapshot
from hookline.system.workspace.snapshots import load_snapshot, save_snapshot

Pair = tuple[tuple[str, ...], tuple[str, ...]]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    shield(monkeypatch, tmp_path / "home")
    repository = Repository(tmp_path / "r")
    for name in ("a.go", "b.go", "sub/c.go"):
        repository.write(name, "package a\n")
    repository.commit()
    return repository


def scan(path: Path, previous: Snapshot | None = None) -> Snapshot:
    return asyncio.run(changes.scan(str(path), previous))


def detect(path: Path, previous: Snapshot | None = None) -> Pair:
    found = changes.changed_since(previous, scan(path, previous))
    return found.changed, found.deleted


def test_the_first_run_tells_what_differs_from_head(repository: Repository) -> None:
    repository.write("a.go", "staged\n")
    repository.git("add", "a.go")
    repository.write("b.go", "not staged\n")
    repository.write("new.go")
    (repository.path / "sub" / "c.go").unlink()
    assert detect(repository.path) == (("a.go", "b.go", "new.go"), ("sub/c.go",))


def test_a_clean_tree_has_no_changes_even_when_touched(repository: Repository) -> None:
    assert detect(repository.path) == ((), ())
    os.utime(repository.path / "a.go", ns=(1, 1))
    assert detect(repository.path) == ((), ())


def test_only_what_changed_since_the_snapshot_counts(repository: Repository) -> None:
    repository.write("a.go", "dirty before\n")
    before = scan(repository.path)
    assert detect(repository.path, before) == ((), ())
    repository.write("b.go", "now\n")
    assert detect(repository.path, before) == (("b.go",), ())


def test_ignored_files_do_not_count(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\n/build/\n")
    before = scan(repository.path)
    repository.write("x.log")
    repository.write("build/y")
    assert detect(repository.path, before) == ((), ())
    assert detect(repository.path) == ((".gitignore",), ())


def test_a_change_that_was_committed_in_between_counts(repository: Repository) -> None:
    repository.write("b.go", "already told\n")
    before = scan(repository.path)
    repository.write("a.go", "one\n")
    repository.commit()
    repository.write("sub/d.go")
    repository.commit()
    assert detect(repository.path, before) == (("a.go", "sub/d.go"), ())
    assert detect(repository.path) == ((), ())


def test_a_deletion_counts_once(repository: Repository) -> None:
    before = scan(repository.path)
    (repository.path / "a.go").unlink()
    assert detect(repository.path, before) == ((), ("a.go",))
    after = scan(repository.path, before)
    assert detect(repository.path, after) == ((), ())
    repository.git("rm", "--quiet", "b.go")
    repository.git("commit", "--quiet", "--message=gone")
    assert detect(repository.path, after) == ((), ("b.go",))


def test_a_rename_is_a_deletion_and_a_change(repository: Repository) -> None:
    before = scan(repository.path)
    repository.git("mv", "a.go", "z.go")
    assert detect(repository.path, before) == (("z.go",), ("a.go",))
    assert detect(repository.path) == (("z.go",), ("a.go",))


@pytest.mark.parametrize("how", ["utime", "replace"])
def test_a_restored_time_hides_nothing(repository: Repository, how: str) -> None:
    path = repository.path / "a.go"
    os.utime(path, ns=(10**18, 10**18))
    before = scan(repository.path)
    if how == "utime":
        path.write_text("package b\n")
    else:
        (repository.path / "t").write_text("package b\n")
        (repository.path / "t").replace(path)
    os.utime(path, ns=(10**18, 10**18))
    assert detect(repository.path, before) == (("a.go",), ())
    assert detect(repository.path) == (("a.go",), ())


def test_a_write_in_the_same_tick_is_seen_by_its_content(repository: Repository) -> None:
    repository.write("new.go", "one\n")
    before = scan(repository.path)
    repository.write("new.go", "two\n")
    after = scan(repository.path)
    # A coarse clock would have given both versions the same stat data.
    seen = before.files[b"new.go"][0]
    frozen = changes.Snapshot(
        after.workspace, after.kind, after.head, after.cutoff_ns, after.newest_ns, after.id_size,
        {**after.files, b"new.go": (seen, after.files[b"new.go"][1])},
    )  # fmt: skip
    assert changes.changed_since(before, frozen).changed == ("new.go",)


def test_the_cutoff_lies_before_the_listing(repository: Repository) -> None:
    before = scan(repository.path)
    again = scan(repository.path, before)
    assert before.cutoff_ns < again.cutoff_ns
    assert changes.changed_since(before, again) == Changes((), (), again.cutoff_ns)


def test_checking_out_and_back_invents_nothing(repository: Repository) -> None:
    before = scan(repository.path)
    repository.git("checkout", "--quiet", "-b", "side")
    repository.write("a.go", "side\n")
    repository.commit()
    side = scan(repository.path, before)
    repository.git("checkout", "--quiet", "main")
    assert detect(repository.path, before) == ((), ())
    assert detect(repository.path, side) == (("a.go",), ())


@pytest.mark.parametrize("name", ["a b.go", " lead and trail ", "é.go", 'q".go', "new\nline", b"\xff\xfe"])
def test_any_file_name_is_one_path(repository: Repository, name: str | bytes) -> None:
    repository.write(name)
    expected = ((os.fsdecode(os.fsencode(name)),), ())
    assert detect(repository.path) == expected
    before = scan(repository.path)
    repository.commit()
    repository.write(name, "other\n")
    assert detect(repository.path, before) == expected
    assert detect(repository.path) == expected


def test_a_repository_without_commits_is_compared_with_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shield(monkeypatch, tmp_path)
    repository = Repository(tmp_path / "r", commit=False)
    assert detect(repository.path) == ((), ())
    repository.write("staged")
    repository.git("add", "staged")
    repository.write("new")
    repository.write("HEAD^{commit}")  # what git is asked for
    assert detect(repository.path) == (("HEAD^{commit}", "new", "staged"), ())


def test_a_workspace_in_a_subdirectory_sees_itself_only(repository: Repository) -> None:
    repository.write("sub/x\ny/d.go")
    repository.commit()
    repository.write("a.go", "outside\n")
    repository.write("sub/c.go", "inside\n")
    repository.write("sub/x\ny/e.go")
    (repository.path / "sub/x\ny/d.go").unlink()
    assert detect(repository.path / "sub") == (("c.go", "x\ny/e.go"), ("x\ny/d.go",))
    assert detect(repository.path / "sub/x\ny") == (("e.go",), ("d.go",))


def test_a_linked_worktree_has_its_own_changes(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "--quiet", str(tmp_path / "w"))
    (tmp_path / "w" / "a.go").write_text("there\n")
    assert detect(tmp_path / "w") == (("a.go",), ())
    assert detect(repository.path) == ((), ())


@pytest.mark.parametrize("with_git", [True, False])
def test_a_folder_without_git_is_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_git: bool
) -> None:
    shield(monkeypatch, tmp_path / "home")
    folder = tmp_path / "f"
    for name in ("a", "sub/b", "node_modules/x/y"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("1\n")
    if not with_git:
        monkeypatch.setenv("PATH", str(tmp_path))
    assert detect(folder) == (("a", "sub/b"), ())
    before = scan(folder)
    (folder / "a").write_text("2\n")
    (folder / "sub" / "b").unlink()
    (folder / "c").write_text("3\n")
    assert detect(folder, before) == (("a", "c"), ("sub/b",))
    assert sorted(path.name for path in folder.iterdir()) == ["a", "c", "node_modules", "sub"]


def test_ignore_rules_hold_without_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shield(monkeypatch, tmp_path / "home")
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "x.log").write_text("")
    assert detect(folder) == ((".gitignore",), ())


def test_submodules_and_nested_repositories_are_no_files(repository: Repository, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner")
    inner.write("i.go")
    inner.commit()
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "mod")
    repository.commit()
    before = scan(repository.path)
    (repository.path / "mod" / "i.go").write_text("changed\n")
    nested = Repository(repository.path / "nested")
    nested.write("n.go")
    assert detect(repository.path, before) == ((), ())
    assert detect(repository.path) == ((), ())


def test_a_changed_executable_bit_and_a_link_in_place_of_a_file_count(repository: Repository) -> None:
    before = scan(repository.path)
    (repository.path / "a.go").chmod(0o755)
    (repository.path / "b.go").unlink()
    (repository.path / "b.go").symlink_to("a.go")
    assert detect(repository.path, before) == (("a.go", "b.go"), ())
    assert detect(repository.path) == (("a.go", "b.go"), ())
    repository.git("config", "core.fileMode", "false")
    assert detect(repository.path) == (("b.go",), ())


def test_a_folder_replaced_by_a_link_is_not_followed(repository: Repository, tmp_path: Path) -> None:
    before = scan(repository.path)
    shutil.move(repository.path / "sub", tmp_path / "elsewhere")
    (repository.path / "sub").symlink_to(tmp_path / "elsewhere")
    assert detect(repository.path, before) == (("sub",), ("sub/c.go",))


def test_staged_states_are_told_as_git_tells_them(repository: Repository) -> None:
    repository.write("a.go", "staged\n")
    repository.git("add", "a.go")
    repository.write("a.go", "package a\n")
    repository.git("rm", "--quiet", "--cached", "b.go")
    repository.write("n1")
    repository.git("add", "n1")
    (repository.path / "n1").unlink()
    repository.write("n2")
    repository.git("add", "--intent-to-add", "n2")
    assert detect(repository.path) == (("b.go", "n2"), ())


def test_files_of_a_merge_under_way_are_dirty(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "side")
    repository.write("a.go", "side\n")
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.write("a.go", "main\n")
    repository.commit()
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "side")
    assert detect(repository.path) == (("a.go",), ())


def test_line_ends_that_git_converts_are_no_change(repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    repository.write(".gitattributes", "* text=auto\n")
    repository.write("crlf.txt", "one\r\ntwo\r\n")
    repository.commit()
    os.utime(repository.path / "crlf.txt", ns=(5, 5))
    assert detect(repository.path) == ((), ())


@pytest.mark.parametrize("version", ["2", "4"])
def test_every_form_of_index_is_read(repository: Repository, version: str) -> None:
    for number in range(30):
        repository.write(f"deep/{number % 3}/file{number}.txt", f"{number}\n")
    repository.commit()
    repository.git("update-index", f"--index-version={version}")
    repository.write("deep/1/file1.txt", "x\n")
    repository.write("deep/2/file2.txt", "y\n")
    assert detect(repository.path) == (("deep/1/file1.txt", "deep/2/file2.txt"), ())


def split(repository: Repository) -> None:
    repository.git("update-index", "--split-index")


def sparse(repository: Repository) -> None:
    repository.write("out/x/y")
    repository.commit()
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "sub")


@pytest.mark.parametrize("form", [split, sparse])
def test_an_index_only_git_can_read_is_asked_of_git(
    repository: Repository, form: Callable[[Repository], None]
) -> None:
    form(repository)
    assert detect(repository.path) == ((), ())
    before = scan(repository.path)
    repository.write("sub/c.go", "x\n")
    assert detect(repository.path) == (("sub/c.go",), ())
    assert detect(repository.path, before) == (("sub/c.go",), ())


def test_repositories_with_long_ids_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shield(monkeypatch, tmp_path)
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256", str(tmp_path / "r")], check=True)
    repository = Repository(tmp_path / "r")
    repository.write("a")
    repository.commit()
    os.utime(repository.path / "a", ns=(5, 5))
    assert detect(repository.path) == ((), ())
    repository.write("a", "y\n")
    assert detect(repository.path) == (("a",), ())


def test_nothing_of_a_hostile_repository_runs_and_no_lock_is_taken(
    repository: Repository, tmp_path: Path
) -> None:
    proof = tmp_path / "proof"
    booby_trap(repository, proof)
    repository.git("status")
    assert proof.exists(), "the traps work"
    proof.unlink()
    index = (repository.path / ".git" / "index").stat().st_mtime_ns
    entries = sorted(path.name for path in (repository.path / ".git").iterdir())
    before = scan(repository.path)
    repository.write("tracked.txt", "same size 3\n")
    assert detect(repository.path, before) == (("tracked.txt",), ())
    assert b"tracked.txt" in before.dirty
    assert not proof.exists(), proof.read_text()
    assert (repository.path / ".git" / "index").stat().st_mtime_ns == index
    assert sorted(path.name for path in (repository.path / ".git").iterdir()) == entries


def test_no_filter_of_the_user_runs_either_and_no_status_in_a_submodule(
    repository: Repository, tmp_path: Path
) -> None:
    proof = tmp_path / "proof"
    inner = Repository(tmp_path / "inner")
    inner.write("i.go")
    inner.commit()
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "mod")
    repository.commit()
    for git in (repository.git, Repository(repository.path / "mod", commit=False).git):
        git("config", "core.fsmonitor", f"touch {proof};")
    (repository.path / "mod" / "i.go").write_text("changed\n")
    (tmp_path / "home").mkdir()
    repository.git("config", "--global", "filter.big.clean", f"tee {proof}")
    repository.write(".gitattributes", "*.go filter=big\n")
    repository.git("status")
    assert proof.exists(), "the traps work"
    proof.unlink()
    before = scan(repository.path)
    repository.write("a.go", "package b\n")
    assert detect(repository.path, before) == (("a.go",), ())
    assert not proof.exists()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_git_was_told_to_overlook_is_looked_at(repository: Repository, flag: str) -> None:
    repository.git("update-index", flag, "a.go")
    before = scan(repository.path)
    repository.write("a.go", "changed\n")
    assert detect(repository.path, before) == (("a.go",), ())
    (repository.path / "a.go").unlink()
    assert detect(repository.path, before) == ((), ("a.go",))


def test_executable_bits_mean_nothing_where_git_ignores_them(repository: Repository) -> None:
    repository.git("config", "core.fileMode", "false")
    before = scan(repository.path)
    (repository.path / "a.go").chmod(0o755)
    os.utime(repository.path / "a.go", ns=(5, 5))
    assert detect(repository.path, before) == ((), ())


def test_too_large_files_are_told_apart_by_their_stat_data(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprints, "HASHED_FILE_BYTES", 20)
    repository.write("big", "x" * 30)
    repository.write("a.go", "y" * 30)
    before = scan(repository.path)
    repository.commit()
    after = scan(repository.path, before)
    assert changes.changed_since(before, after) == Changes((), (), after.cutoff_ns)
    repository.write("a.go", "z" * 30)
    assert detect(repository.path, after) == (("a.go",), ())


def test_nothing_is_left_behind_and_a_missing_temporary_folder_is_an_error(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    scan(repository.path)
    assert list((tmp_path / "t").iterdir()) == []
    monkeypatch.setenv("TMPDIR", str(repository.write("no-folder")))
    with pytest.raises(StateError, match="folder"):
        scan(repository.path)


def test_the_index_lock_never_appears(repository: Repository) -> None:
    done = threading.Event()
    seen: list[str] = []

    def watch() -> None:
        while not done.is_set():
            seen.extend(name for name in os.listdir(repository.path / ".git") if name.endswith(".lock"))  # noqa: PTH208 - speed

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for number in range(5):
            repository.path.joinpath("a.go").write_text(f"{number}\n")
            scan(repository.path)
    finally:
        done.set()
        watcher.join()
    assert seen == []


def test_a_file_staged_between_the_two_listings_is_not_lost(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = tracked_files
    calls: list[GitIndex | None] = []

    async def read_then_stage(place: Place, known: GitIndex | None, timeout_s: float) -> GitIndex | None:
        found = await read(place, known, timeout_s)
        if not calls:
            repository.write("new.go")
            repository.git("add", "new.go")
        calls.append(found)
        return found

    monkeypatch.setattr(looking, "tracked_files", read_then_stage)
    assert detect(repository.path) == (("new.go",), ())
    assert len(calls) == 2


def test_a_held_index_lock_does_not_stop_detection(repository: Repository) -> None:
    (repository.path / ".git" / "index.lock").touch()
    repository.write("a.go", "x\n")
    assert detect(repository.path) == (("a.go",), ())


def test_outer_git_variables_do_not_mislead_detection(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("a.go", "x\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "none"))
    assert detect(repository.path) == (("a.go",), ())


def test_a_damaged_index_is_an_error_not_an_empty_answer(repository: Repository) -> None:
    (repository.path / ".git" / "index").write_bytes(b"DIRC\0\0\0\2\0\0\0\xff" + b"\0" * 40)
    with pytest.raises(StateError, match=r"git cannot (read its index|list the files)"):
        scan(repository.path)


def test_a_scan_that_takes_too_long_ends(repository: Repository) -> None:
    with pytest.raises(StateError, match="took"):
        asyncio.run(changes.scan(str(repository.path), timeout_s=0.0001))


def test_a_snapshot_survives_its_file(repository: Repository, tmp_path: Path) -> None:
    repository.write(b"\xff\n")
    (repository.path / "big").write_bytes(b"")
    os.utime(repository.path / "a.go", ns=(-(10**18), -(10**18)))
    before = scan(repository.path)
    save_snapshot(tmp_path / "s", before)
    loaded = load_snapshot(tmp_path / "s")
    assert loaded is not None
    assert loaded.files == before.files
    assert detect(repository.path, loaded) == ((), ())
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o600


def test_the_index_of_a_snapshot_is_written_once(repository: Repository, tmp_path: Path) -> None:
    def kept() -> list[str]:
        return sorted(path.name for path in tmp_path.glob("s.*"))

    save_snapshot(tmp_path / "s", scan(repository.path))
    (first,) = kept()
    written = (tmp_path / first).stat().st_ino
    repository.write("a.go", "x\n")
    save_snapshot(tmp_path / "s", scan(repository.path))
    assert (kept(), (tmp_path / first).stat().st_ino) == ([first], written)
    repository.commit()
    save_snapshot(tmp_path / "s", scan(repository.path))
    (second,) = kept()
    assert second != first
    (tmp_path / second).write_bytes(b"damaged")
    assert load_snapshot(tmp_path / "s") is None
    save_snapshot(tmp_path / "s", scan(repository.path))
    loaded = load_snapshot(tmp_path / "s")
    assert loaded is not None
    assert list(loaded.paths()) == [b"a.go", b"b.go", b"sub/c.go"]


@pytest.mark.parametrize("damage", [b"", b"x", b'{"schema": 2}\n', b"[1]\n", b"cut"])
def test_a_damaged_snapshot_is_no_snapshot(repository: Repository, tmp_path: Path, damage: bytes) -> None:
    assert load_snapshot(tmp_path / "none") is None
    save_snapshot(tmp_path / "s", scan(repository.path))
    content = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(content[:-5] if damage == b"cut" else damage)
    assert load_snapshot(tmp_path / "s") is None


def test_an_empty_workspace_has_an_empty_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shield(monkeypatch, tmp_path / "home")
    (tmp_path / "f").mkdir()
    save_snapshot(tmp_path / "s", scan(tmp_path / "f"))
    loaded = load_snapshot(tmp_path / "s")
    assert loaded is not None
    assert loaded.files == {}


def test_detection_agrees_with_git_status_after_random_edits(repository: Repository) -> None:
    import random

    chance = random.Random(7)
    names = [f"d{n % 4}/f{n}" for n in range(40)]
    for name in names:
        repository.write(name, f"{name}\n")
    repository.commit()
    for turn in range(6):
        for name in chance.sample(names, 6):
            path = repository.path / name
            action = chance.choice(["write", "delete", "stage", "exec"])
            if action == "delete":
                path.unlink(missing_ok=True)
            else:
                repository.write(name, f"{turn} {name}\n")
            if action == "exec":
                path.chmod(0o755)
            if action == "stage":
                repository.git("add", "--", name)
        found = detect(repository.path)
        status = subprocess.run(
            ["git", "status", "--porcelain", "-z", "-uall", "--no-renames"],
            cwd=repository.path, capture_output=True, text=True, check=True,
        ).stdout.split("\0")[:-1]  # fmt: skip
        listed = {line[3:] for line in status}
        assert set(found[0]) == {name for name in listed if (repository.path / name).exists()}
        assert set(found[1]) == {name for name in listed if not (repository.path / name).exists()}
