"""What a hookline that was killed outright left behind: its hooks' processes and their private folders.

A process that starts hooks leaves a note of itself in a folder and takes it back when it ends, so that the
next start need only list that folder. Only a note of a dead process makes it look any further.
"""

from __future__ import annotations

import os
import time

from hookline.model.errors import StateError
from hookline.model.record import Record
from hookline.model.typing import Iterator
from hookline.system.files import ensure_dir, home, list_dir, read_bytes, remove, remove_tree, temporary_dir
from hookline.system.processes.tags import brand_owner, is_alive, owner_of, process_mark

GRACE_S = 1.0
_PASSES = 5
_noted: dict[tuple[str, int], str] = {}
_under_way: dict[str, dict[str, str]] = {}  # by note and run: what is known of a run that has not ended
_sizes: dict[str, int] = {}


class Leftovers(Record):
    """`processes` are pids, `folders` and `notes` absolute paths; `under_way` is what those notes said of runs."""

    processes: tuple[int, ...] = ()
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    under_way: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.processes or self.folders or self.notes)


def note_presence(folder: str, run: str, line: str) -> None:
    """Leaves this process's note, which goes when the process ends in any orderly way, and in it a line about a run."""
    key = (folder, os.getpid())
    known = _noted.get(key)
    path = known or os.path.join(folder, process_mark())
    _noted[key] = path
    if line:
        _under_way.setdefault(path, {})[run] = line
    elif known:
        return
    try:
        try:
            _write(path)
        except FileNotFoundError:
            ensure_dir(folder, 0o700)
            _write(path)
    except (OSError, StateError):
        return  # without the note only `doctor` finds what is left
    if known:
        return
    import atexit

    atexit.register(take_back_notes)


def take_back_line(folder: str, run: str) -> None:
    """The run is over, and nothing is to be told of it."""
    path = _noted.get((folder, os.getpid()), "")
    if _under_way.get(path, {}).pop(run, ""):
        try:
            _write(path)
        except OSError:
            pass


def _write(path: str) -> None:
    lines = "\n".join(_under_way.get(path, {}).values()).encode("utf-8", "replace")
    text = lines.ljust(_sizes.get(path, 0), b"\n")  # over what it said before: to cut a file costs far more
    _sizes[path] = len(text)
    note = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        if text:
            os.write(note, text)
    finally:
        os.close(note)


def take_back_notes() -> None:
    """Removes the notes of this process; its forks have their own. One that stays is found by `doctor`."""
    for (_, process), path in tuple(_noted.items()):
        if process == os.getpid():
            try:
                remove(path)
            except StateError:
                pass


def dead_notes(folder: str) -> tuple[str, ...]:
    """Notes of processes that are gone without having taken them back."""
    try:
        names = os.listdir(folder)
    except OSError:
        return ()
    return tuple(os.path.join(folder, name) for name in names if not is_alive(name))


def find_leftovers(folder: str) -> Leftovers:
    """Everything that is left, whether a note tells of it or not; changes nothing."""
    notes = dead_notes(folder)
    return Leftovers(tuple(_orphans(notes)), tuple(_dead_folders()), notes)


def sweep(folder: str) -> Leftovers:
    """Ends and removes what is left if a note of a dead process says that there may be something."""
    if not dead_notes(folder):
        return Leftovers()
    return sweep_all(folder)


def sweep_all(folder: str) -> Leftovers:
    """Ends orphaned processes (TERM, then KILL), and removes their folders and the notes."""
    found = find_leftovers(folder)
    ended: dict[int, None] = {}
    for _ in range(_PASSES):
        orphans = tuple(_orphans(found.notes))
        if not orphans:
            break
        ended.update(dict.fromkeys(orphans))
        _end(orphans)
    for path in found.folders:
        remove_tree(path)
    told = tuple(line for path in found.notes for line in _taken(path))
    return Leftovers(tuple(ended), found.folders, found.notes, told)


def _taken(path: str) -> list[str]:
    """The lines of a note, which is gone then; none where another sweep was faster."""
    lines = read_bytes(path).content.decode("utf-8", "replace").split("\n")
    try:
        os.unlink(path)
    except OSError:
        return []
    return lines


def run_folder(run_id: str) -> str:
    """The private folder of a run; its name says whose it is."""
    return os.path.join(temporary_dir(), f"hookline-{process_mark()}-{run_id}")


def _orphans(notes: tuple[str, ...]) -> Iterator[int]:
    """Processes of ours that carry the tag or the brand of a run whose hookline is dead.

    Those under another home folder are left to the hookline of that home, unless a note tells of them.
    """
    own = os.getuid()
    noted = {os.path.basename(note) for note in notes}
    branding = {brand_owner(mark) for mark in noted} - {0}
    at_home = f"HOME={home()}".encode()
    for entry in list_dir("/proc").entries:
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if os.stat(entry.path).st_uid != own:
                continue
        except OSError:
            continue
        environment = read_bytes(f"/proc/{entry.name}/environ").content.split(b"\0")
        owner = _owner(environment)
        if owner:
            ours = (owner in noted or at_home in environment) and not is_alive(owner)
        else:
            ours = owner_of(int(entry.name)) in branding
        if ours and is_alive(entry.name):
            yield int(entry.name)


def _owner(environment: list[bytes]) -> str:
    """The mark in a tag, of the innermost run; empty without a tag."""
    from hookline.system.processes.descendants import TAG_NAME

    for line in environment:
        name, _, value = line.partition(b"=")
        if name == TAG_NAME.encode():
            mark, _, run = value.rpartition(b".")[2].decode("ascii", "replace").rpartition("-")
            return mark if mark and run and ":" in mark else ""
    return ""


def _dead_folders() -> Iterator[str]:
    for entry in list_dir(temporary_dir()).entries:
        if not entry.name.startswith("hookline-") or entry.kind != "directory":
            continue
        mark = entry.name.removeprefix("hookline-").rpartition("-")[0]
        if ":" in mark and not is_alive(mark) and _is_own(entry.path):
            yield entry.path


def _is_own(path: str) -> bool:
    """False also for what is gone: another sweep may have been faster."""
    try:
        return os.lstat(path).st_uid == os.getuid()
    except OSError:
        return False


def _end(processes: tuple[int, ...]) -> None:
    import signal

    for number, wait_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, GRACE_S)):
        for process in processes:
            try:
                os.kill(process, number)
            except OSError:
                pass
        end = time.monotonic() + wait_s
        while any(is_alive(str(process)) for process in processes):
            if time.monotonic() > end:
                break
            time.sleep(0.01)
        else:
            return
