"""A number that the kernel passes on from a run to all its descendants, whatever they do to get away.

A process can clear its environment, leave its session, lose its parent and close what it has inherited.
What stays are its resource limits, and one of them, RLIMIT_LOCKS, Linux has inherited, shown and otherwise
ignored since 2.4.25. Its soft limit is the brand. Within a run of another hookline the hard limit keeps
the brand of that one. Needs no privilege; only who sets that limit on purpose is rid of the brand.
"""

from __future__ import annotations

import _thread
import os
from itertools import count

from hookline.model.typing import Callable, Sequence
from hookline.system.files import read_head

try:
    from resource import prlimit
except ImportError:  # not Linux
    _possible = False
else:
    _possible = True

_LIMIT = 10  # RLIMIT_LOCKS, which `resource` has no name for
_OUTER, _INNER = 1 << 61, 1 << 60  # a soft limit may not exceed the hard one: inner brands are the smaller
_START_BITS, _RUN_BITS = 18, 20
_CERTAIN = 1  # the bit that a brand has unless somebody else may have inherited it as well
_kinds: list[int] = []
_runs = count(1)
_late: list[int] = []  # brands that were given after the start: without one, nothing follows from having none
_windows = [_thread.RLock()]  # a signal handler may start a process in the middle of starting one


def new_brand() -> int:
    """For one run of this process; 0 where the system gives none."""
    if not _kinds:
        _kinds.append(_kind() if _possible else 0)
    owner = brand_owner(process_mark()) if _kinds[0] else 0
    if not owner:
        return 0
    return _kinds[0] | owner << _RUN_BITS | next(_runs) * 2 % (1 << _RUN_BITS) | _CERTAIN


def start_branded(brand: int, start: Callable[..., int], arguments: Sequence[object]) -> int:
    """The pid that `start(*arguments)` returns, of a process born with `brand`.

    Branded later it might have children already. To be inherited the brand must be ours at the moment of
    the fork, and then other threads' processes inherit it too: see `_start_among_threads`.
    """
    if not brand:
        return start(*arguments)
    if _thread._count():
        return _start_among_threads(brand, start, arguments)
    usual = prlimit(0, _LIMIT)
    prlimit(0, _LIMIT, (brand, usual[1]))
    try:
        return start(*arguments)
    finally:
        prlimit(0, _LIMIT, usual)


def _start_among_threads(brand: int, start: Callable[..., int], arguments: Sequence[object]) -> int:
    """A limit belongs to the process, a scheduling policy to the thread: the two together are only ours.

    Until the new process is known, it and what it starts are told by an uncertain brand and SCHED_BATCH,
    which makes no difference to speak of; then it gets the certain brand and the usual policy.
    """
    with _windows[0]:
        usual = prlimit(0, _LIMIT)
        telling = False
        try:
            telling = _set_policy(0, os.SCHED_OTHER, os.SCHED_BATCH)
            if telling:
                prlimit(0, _LIMIT, (brand ^ _CERTAIN, usual[1]))
            pid = start(*arguments)
        finally:
            if telling:
                prlimit(0, _LIMIT, usual)
                _set_policy(0, os.SCHED_BATCH, os.SCHED_OTHER)
    try:
        prlimit(pid, _LIMIT, (brand, usual[1]))
    except OSError:
        return pid  # another user by now
    if telling:
        _set_policy(pid, os.SCHED_BATCH, os.SCHED_OTHER)
    elif not _late:
        _late.append(brand)
    return pid


def is_branded(pid: int, brand: int, brands: tuple[int, int]) -> bool:
    """Whether a process that shows `brands` was born in the run with `brand`."""
    return brand in brands or (brands[0] == brand ^ _CERTAIN and _policy(pid) == os.SCHED_BATCH)


def brands_of(pid: int) -> tuple[int, int] | None:
    """The limits in which a process shows the innermost and the outermost run it was born in; None: not told."""
    try:
        return prlimit(pid, _LIMIT) if _possible else None
    except OSError:
        return None  # gone, or of another user


def are_related(brand: int, brands: tuple[int, int]) -> bool:
    """Whether one of `brands` was given by the process that gave `brand`."""
    return brand >> _RUN_BITS in (brands[0] >> _RUN_BITS, brands[1] >> _RUN_BITS)


def are_all(brands: tuple[int, int]) -> bool:
    """Whether there can be no further brand: of three runs one is not shown, and root sheds them by `su`."""
    hidden = brands[0] != brands[1] and _is_brand(brands[0]) and _is_brand(brands[1])
    return not hidden and not _late and os.geteuid() != 0


def brand_owner(mark: str) -> int:
    """What the brands of the process with that mark have in common; 0 when it is no mark."""
    pid, _, started = mark.partition(":")
    if not (pid.isdigit() and started.isdigit()):
        return 0
    return int(pid) << _START_BITS | int(started) % (1 << _START_BITS)


def owner_of(pid: int) -> int:
    """The `brand_owner` of the innermost run that a process was born in; 0 for none."""
    brands = brands_of(pid)
    if brands is None or not _is_brand(brands[0]) or not is_branded(pid, brands[0] | _CERTAIN, brands):
        return 0
    return brands[0] % _INNER >> _RUN_BITS


def _kind() -> int:
    """What our brands begin with: outer ones, inner ones within another run; 0 where we may not set any."""
    try:
        soft, hard = prlimit(0, _LIMIT)
        if _is_brand(soft) and not _is_brand(hard):
            soft = hard = _settled(soft, hard)
        kind = _INNER if _is_brand(hard) else _OUTER
        prlimit(0, _LIMIT, (2 * kind - 1, hard))
        prlimit(0, _LIMIT, (soft, hard))
    except (OSError, ValueError):
        return 0
    return kind


def _settled(soft: int, hard: int) -> int:
    """The limit to go on with: the brand of the run that we belong to, and so does all that we start."""
    if is_branded(0, soft | _CERTAIN, (soft, hard)):
        _set_policy(0, os.SCHED_BATCH, os.SCHED_OTHER)
        return soft | _CERTAIN
    return hard  # no more than a neighbour of that run


def _is_brand(limit: int) -> bool:
    return _INNER <= limit < 2 * _OUTER


def _policy(pid: int) -> int:
    try:
        return os.sched_getscheduler(pid)
    except OSError:
        return -1


def _set_policy(pid: int, old: int, new: int) -> bool:
    """False where that is not the policy, or the system does not let it be changed."""
    if _policy(pid) != old:
        return False
    try:
        os.sched_setscheduler(pid, new, os.sched_param(0))
    except OSError:
        return False
    return True


def _renew_lock() -> None:
    _windows[0] = _thread.RLock()


if _possible:
    os.register_at_fork(after_in_child=_renew_lock)  # the other thread that held it is not there any more


# -- whether a process is still the one that wrote something down ----------------------------------


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
