"""Starts one process by `_posixsubprocess.fork_exec`: vfork, own session, no inherited descriptors.

It is what `subprocess.Popen` itself calls; the module round it costs about 3 ms to import, this one is
built in. A start that fails raises `SpawnError` with the system's error; `launch` says what it means.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from errno import ENOENT, ETXTBSY

from hookline.model.typing import Mapping, Sequence
from hookline.system.processes.tags import start_branded

try:
    from _posixsubprocess import fork_exec
except ImportError:  # private to CPython: elsewhere, or one day, `subprocess` does it, slower
    fork_exec = None  # type: ignore[assignment]
_ours = fork_exec is not None


STRING_LIMIT = 131_071  # what Linux takes in one argument or one NAME=value, without the closing NUL
_BUSY_PAUSES_S = (0.001, 0.002, 0.004, 0.008)
_CUT_NOTE = "...[cut]"
_known_places: dict[tuple[bytes, str], list[bytes]] = {}  # where the same few shells are looked for
_MOST_KNOWN = 64
_VFORK: tuple[bool, ...] = (True,) if sys.version_info < (3, 14) else ()


class SpawnError(OSError):
    """The program did not start: `errno`, and whether that was `before_exec` (folder, user)."""

    def __init__(self, errno: int, before_exec: bool = False) -> None:
        super().__init__(errno, os.strerror(errno))
        self.before_exec = before_exec


def spawn(
    argv: Sequence[bytes],
    environment: Sequence[bytes],
    search_path: str,
    cwd: str,
    streams: Sequence[int],
    user: tuple[int, int, Sequence[int] | None] | None = None,
    brand: int = 0,
) -> int:
    """The pid of `argv` started as the leader of its own session, with just these three descriptors.

    It and all that comes of it carry `brand`. A bare program name is looked for along the absolute
    folders of `search_path`. A file
    that was written a moment ago may still be open in a child that is just starting elsewhere, so "busy" is
    tried again. Raises `SpawnError`.
    """
    places = _places(argv[0], search_path)
    if not places:
        raise SpawnError(ENOENT)
    for pause in _BUSY_PAUSES_S:
        try:
            return _start(argv, places, environment, cwd, streams, user, brand)
        except SpawnError as error:
            if error.errno != ETXTBSY:
                raise
            time.sleep(pause)
    return _start(argv, places, environment, cwd, streams, user, brand)


def _start(
    argv: Sequence[bytes],
    places: list[bytes],
    environment: Sequence[bytes],
    cwd: str,
    streams: Sequence[int],
    user: tuple[int, int, Sequence[int] | None] | None,
    brand: int,
) -> int:
    if not _ours:
        return _start_by_library(argv, places, environment, cwd, streams, user, brand)
    stdin, stdout, stderr = streams
    uid, gid, groups = user if user is not None else (None, None, None)
    alive, report = _high_pipe()
    try:
        pid = start_branded(brand, fork_exec, (
            list(argv), places, True, (report,), cwd, list(environment),
            stdin, -1, -1, stdout, -1, stderr, alive, report,
            True, True, -1, gid, None if groups is None else list(groups), uid, -1, None, *_VFORK,
        ))  # fmt: skip
        closing, report = report, -1  # forgotten first: a signal between the two would have it closed twice
        os.close(closing)
        failure = _read_whole(alive)
    finally:
        os.close(alive)
        if report >= 0:
            os.close(report)
    if failure:
        os.waitpid(pid, 0)
        raise _told(failure)
    return pid


def _start_by_library(
    argv: Sequence[bytes],
    places: list[bytes],
    environment: Sequence[bytes],
    cwd: str,
    streams: Sequence[int],
    user: tuple[int, int, Sequence[int] | None] | None,
    brand: int,
) -> int:
    """The same by `subprocess`, which is public."""
    import subprocess

    uid, gid, groups = user if user is not None else (None, None, None)
    pairs = (pair.partition(b"=") for pair in environment)
    settings = {
        "env": {name: value for name, _, value in pairs}, "cwd": cwd, "start_new_session": True,
        "user": uid, "group": gid, "extra_groups": groups,
    }  # fmt: skip
    settings |= dict(zip(("stdin", "stdout", "stderr"), streams, strict=True))
    found = next((place for place in places if os.access(place, os.X_OK)), places[0])

    def start(*_: object) -> int:
        process = subprocess.Popen(list(argv), executable=found, **settings)  # type: ignore[call-overload]
        process.returncode = 0  # whoever asked for the pid waits for it
        pid: int = process.pid
        return pid

    try:
        return start_branded(brand, start, ())
    except OSError as error:
        raise SpawnError(error.errno or 0, error.filename == cwd) from error


def _places(program: bytes, search_path: str) -> list[bytes]:
    if b"/" in program:
        return [program]
    known = _known_places.get((program, search_path))
    if known is None:
        folders = os.fsencode(search_path).split(b":")
        # A folder by its relative name is one of whatever repository we stand in
        known = [folder + b"/" + program for folder in folders if folder.startswith(b"/")]
        if len(_known_places) >= _MOST_KNOWN:
            _known_places.clear()
        _known_places[program, search_path] = known
    return known


def _high_pipe() -> tuple[int, int]:
    """A pipe whose writing end is above stderr: the child puts its own descriptors in 0 to 2."""
    alive, report = os.pipe()
    if report > 2:
        return alive, report
    high = fcntl.fcntl(report, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(report)
    return alive, high


def _read_whole(alive: int) -> bytes:
    """What the child says until it is gone: several writes, and without vfork we read between two of them."""
    said = part = os.read(alive, 4096)
    while part:
        part = os.read(alive, 4096)
        said += part
    return said


def _told(failure: bytes) -> SpawnError:
    """The child's last words: `OSError:<errno in hex>:<noexec when it came before exec>`."""
    kind, number, note = [*failure.split(b":", 2), b"", b""][:3]
    errno = int(number, 16) if kind == b"OSError" and number else 0
    return SpawnError(errno, note.startswith(b"noexec"))


def encode_argv(argv: Sequence[str]) -> list[bytes]:
    """The arguments as the kernel takes them; raises ValueError when one holds a NUL."""
    if not argv:
        raise ValueError("the command is empty")
    for place, argument in enumerate(argv):
        if "\0" in argument:
            raise ValueError(f"argument {place} holds a NUL character")
    return [_encode(argument) for argument in argv]


def encode_environment(env: Mapping[str, str], tag: str) -> tuple[list[bytes], list[str]]:
    """`NAME=value` strings with `tag` first, and what had to be changed to make them fit.

    NULs go, a lone surrogate is written `\\udXXX`, a string beyond the kernel's 131,071 bytes is cut.
    """
    pairs = [tag, *[f"{name}={value}" for name, value in env.items()]]
    try:
        together = "\0".join(pairs).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _repaired(env, tag)
    encoded = together.split(b"\0")
    fits = len(together) <= STRING_LIMIT or max(map(len, encoded)) <= STRING_LIMIT
    named = "" not in env and "=" not in "".join(env)
    if fits and named and len(encoded) == len(pairs):
        return encoded, []
    return _repaired(env, tag)


def _repaired(env: Mapping[str, str], tag: str) -> tuple[list[bytes], list[str]]:
    encoded, notices = [tag.encode()], []
    for name, value in env.items():
        if not name or "=" in name or "\0" in name:
            notices.append(f"the variable {name!r} was left out: that is no name")
            continue
        pair = _encode(f"{name}={value}".replace("\0", ""))
        if "\0" in value:
            notices.append(f"NUL characters were taken out of `{name}`")
        if len(pair) > STRING_LIMIT:
            notices.append(f"`{name}` was cut from {len(pair)} to {STRING_LIMIT} bytes, the system's limit")
            pair = _cut(pair)
        encoded.append(pair)
    return encoded, notices


def _cut(pair: bytes) -> bytes:
    kept = pair[: STRING_LIMIT - len(_CUT_NOTE)]
    return kept.decode("utf-8", "ignore").encode() + _CUT_NOTE.encode()


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")
