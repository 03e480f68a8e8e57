"""Files are read, replaced and locked without surprises."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hookline.model.errors import StateError
from hookline.system import files, streams
from hookline.system.locks import file_lock


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_missing_empty_blank_unreadable_undecodable_and_text_are_distinct_states(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "blank").write_bytes(b" \r\n\t")
    (tmp_path / "latin").write_bytes(b"one\ntw\xe4")
    (tmp_path / "wide").write_bytes("x".encode("utf-16"))
    (tmp_path / "bare").write_bytes("{}".encode("utf-16-be"))
    (tmp_path / "good").write_bytes("a\r\né".encode())
    (tmp_path / "big").write_bytes(b"x" * 11)
    found = {
        name: files.read_text(tmp_path / name, 10)
        for name in ("gone", "good/below", "empty", "blank", "latin", "wide", "bare", "good", "big", ".")
    }
    assert {name: (file.state, file.text, file.reason) for name, file in found.items()} == {
        "gone": ("missing", "", "does not exist"),
        "good/below": ("missing", "", "does not exist"),
        "empty": ("empty", "", "is empty"),
        "blank": ("empty", " \r\n\t", "holds only blanks"),
        "latin": ("undecodable", "", "is not UTF-8: byte 0xe4 in line 2"),
        "wide": ("undecodable", "", "is UTF-16, not UTF-8"),
        "bare": ("undecodable", "", "is UTF-16, not UTF-8"),
        "good": ("text", "a\r\né", ""),
        "big": ("unreadable", "", "is larger than 10 bytes"),
        ".": ("unreadable", "", "is a folder, not a file"),
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_read_permission_is_unreadable_not_missing(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("x")
    path.chmod(0)
    assert files.read_text(path).state == "unreadable"


def test_a_named_pipe_never_blocks_who_reads_or_writes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert files.read_text(tmp_path / "s").reason == "is a socket, not a file"
    assert files.read_text(tmp_path / "pipe").reason == "is a named pipe, not a file"
    with pytest.raises(StateError, match="is a named pipe, not a file"):
        files.append_line(tmp_path / "pipe", "x")


def test_a_pipe_is_read_to_its_end_and_not_waited_for_without_a_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "WRITER_S", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StateError, match="nobody wrote into the pipe"):
        streams.read_pipe(tmp_path / "pipe")
    monkeypatch.setattr(streams, "WRITER_S", 60)
    late = 'sleep 0.2; exec 3>"$0"; sleep 0.2; printf %0100000d 7 >&3'
    with subprocess.Popen(["sh", "-c", late, str(tmp_path / "pipe")]):
        assert streams.read_pipe(tmp_path / "pipe") == b"0" * 99_999 + b"7"
    with subprocess.Popen(["sh", "-c", ': >"$0"', str(tmp_path / "pipe")]):
        assert streams.read_pipe(tmp_path / "pipe") == b""


def test_a_dangling_symlink_says_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    found = files.read_text(tmp_path / "link")
    assert (found.state, found.is_symlink, found.real_path) == ("missing", True, str(tmp_path / "gone"))
    assert found.reason == f"is a symbolic link to `{tmp_path / 'gone'}`, which does not exist"


def test_a_symlink_loop_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert files.read_text(tmp_path / "a").state == "unreadable"


def test_a_head_is_cut_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"0123456789")
    head = files.read_head(tmp_path / "f", 4)
    assert (head.content, head.truncated, head.size) == (b"0123", True, 10)
    assert not files.read_head(tmp_path / "f", 10).truncated


def test_a_folder_is_listed_by_name_with_kinds(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("")
    (tmp_path / "B").mkdir()
    (tmp_path / "a").symlink_to("B")
    (tmp_path / "z").symlink_to("gone")
    os.mkfifo(tmp_path / "p")
    found = files.list_dir(tmp_path)
    assert [(entry.name, entry.kind, entry.is_symlink) for entry in found.entries] == [
        ("B", "directory", False),
        ("a", "directory", True),
        ("b", "file", False),
        ("p", "other", False),
        ("z", "dangling", True),
    ]
    assert files.list_dir(tmp_path / "gone").state == "missing"
    assert files.list_dir(tmp_path / "b").state == "unreadable"


def test_a_write_keeps_the_mode_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "hook"
    path.write_text("old")
    path.chmod(0o750)
    files.write_atomic(path, "new\r\n")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new\r\n", 0o750)
    files.write_atomic(path, b"x", mode=0o600)
    assert path.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["hook"]


def test_a_new_file_follows_the_umask_unless_told(tmp_path: Path) -> None:
    code = (
        "import os; os.umask(0o027)\nfrom hookline.system.files import write_atomic\n"
        "write_atomic('a', 'x'); write_atomic('b', 'x', mode=0o666)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "ab"] == [0o640, 0o666]


def test_a_symlinked_file_is_replaced_behind_its_link(tmp_path: Path) -> None:
    (tmp_path / "dot").mkdir()
    (tmp_path / "dot" / "settings").write_text("old")
    (tmp_path / "settings").symlink_to("dot/settings")
    files.write_atomic(tmp_path / "settings", "new")
    assert (tmp_path / "settings").is_symlink()
    assert (tmp_path / "dot" / "settings").read_text() == "new"


def test_a_failed_write_keeps_the_old_file_and_names_it(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with pytest.raises(StateError, match=r"cannot write `.*d`: Is a directory"):
        files.write_atomic(tmp_path / "d", "x")
    with pytest.raises(StateError, match="No such file"):
        files.write_atomic(tmp_path / "gone" / "f", "x")
    assert names(tmp_path) == ["d"]


def test_readers_never_see_a_part_of_a_write(tmp_path: Path) -> None:
    path = tmp_path / "f"
    versions = {letter * 200_000 for letter in "ab"}
    files.write_atomic(path, "a" * 200_000, fsync=False)
    done = threading.Event()

    def write() -> None:
        for turn in range(60):
            files.write_atomic(path, "ab"[turn % 2] * 200_000, fsync=False)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(files.read_text(path).text)
    writer.join()
    assert seen <= versions


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_text("0")

    def add() -> None:
        for _ in range(25):
            with file_lock(path, 60):
                path.write_text(str(int(path.read_text()) + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "100"
    assert names(tmp_path) == ["count"]


def test_a_lock_that_is_held_too_long_names_its_holder(tmp_path: Path) -> None:
    with (
        file_lock(tmp_path / "f"),
        pytest.raises(StateError) as caught,
        file_lock(tmp_path / "f", 0.05),
    ):
        pass
    assert caught.value.message == (
        f"`{tmp_path / 'f.lock'}` is still locked by process {os.getpid()} after 0.05 s"
    )


def test_a_dead_holder_frees_the_lock(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom hookline.system.locks import file_lock\n"
        "with file_lock('f'):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    with pytest.raises(StateError, match=f"locked by process {child.pid} "):
        file_lock(tmp_path / "f", 0.01).__enter__()
    child.kill()
    child.wait()
    child.stdout.close()
    with file_lock(tmp_path / "f", 60):
        assert (tmp_path / "f.lock").exists()


def test_lines_are_appended_whole(tmp_path: Path) -> None:
    files.append_line(tmp_path / "log", "é")
    files.append_line(tmp_path / "log", "b")
    assert (tmp_path / "log").read_bytes() == b"\xc3\xa9\nb\n"


def test_folders_and_removal(tmp_path: Path) -> None:
    assert files.ensure_dir(tmp_path / "a" / "b", 0o700) == str(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    files.ensure_dir(tmp_path / "a" / "b")
    (tmp_path / "f").write_text("")
    with pytest.raises(StateError, match="cannot make the folder"):
        files.ensure_dir(tmp_path / "f")
    assert (files.remove(tmp_path / "f"), files.remove(tmp_path / "f")) == (True, False)


def test_home_and_environment_follow_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert files.home() == "/somewhere"
    assert files.environment()["HOME"] == "/somewhere"


def test_reading_files_imports_nothing_heavy() -> None:
    code = "import sys, hookline.system.files; print(*sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True, text=True, check=True, env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    heavy = {"typing", "contextlib", "pathlib", "tempfile", "subprocess", "fcntl", "dataclasses", "re"}
    assert heavy & set(shown.stdout.split()) == set()
