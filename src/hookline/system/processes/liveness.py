"""Whether the process that wrote something down is still the one alive under its number."""

from __future__ import annotations

import os

from hookline.system.files import read_head

_own: list[tuple[int, str]] = []


def process_mark(process: int | None = None) -> str:
    """`<pid>:<start>`: names a process beyond the reuse of its number. Default: this one."""
    if process is not None:
        return f"{process}:{_started(process)}"
    number = os.getpid()  # asked again each time: a fork is another process
    if not _own or _own[0][0] != number:
        _own[:] = [(number, f"{number}:{_started(number)}")]
    return _own[0][1]


def is_alive(mark: object) -> bool:
    """False when that process is gone, or another has its number now; also for what is no mark."""
    number, _, started = str(mark).partition(":")
    if not number.isdigit() or not 0 < int(number) < 2**31:
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it lives, under another user
    fields = _fields(int(number))
    # A zombie holds its number until it is reaped, but does nothing any more.
    return not fields or (fields[0] not in (b"Z", b"X") and started in ("", fields[19].decode()))


def callers() -> tuple[str, ...]:
    """The names of the four programs above us, the nearest first; empty where that cannot be known."""
    found: list[str] = []
    number = os.getppid()
    while number > 1 and len(found) < 4:
        name = read_head(f"/proc/{number}/comm", 64).content.decode("utf-8", "replace").strip()
        fields = _fields(number)
        if not name or not fields:
            break
        found.append(name)
        number = int(fields[1])
    return tuple(found)


def _started(number: int) -> str:
    fields = _fields(number)
    return fields[19].decode() if fields else ""


def _fields(number: int) -> list[bytes]:
    # Counted behind the name, which may itself hold blanks and brackets: the state, …, the start time.
    fields = read_head(f"/proc/{number}/stat", 4096).content.rpartition(b")")[2].split()
    return fields if len(fields) > 19 else []
