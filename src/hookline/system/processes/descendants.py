"""Finds what a process left running: its group, its session, and whoever carries its run's brand or tag.

A process that calls `setsid` leaves group and session. The brand of its run (`brands`) it keeps in any case,
the tag in its environment unless it clears that; the tag serves where the system gives no brand. The tag of
a run inside a run begins with the outer one's.

Looking costs nothing in the usual case: when the newest pid of the machine is still the process itself,
it cannot have forked. Otherwise only pids younger than it are looked at. Needs Linux's /proc; elsewhere
nothing is found and only the group is dealt with.
"""

from __future__ import annotations

import _signal  # `signal` loads enum, and this is on the path of every hook
import os
import time

from hookline.model.typing import Callable, ClassVar, Iterable
from hookline.system.processes.tags import are_all, are_related, brands_of, is_branded

TAG_NAME = "HOOKLINE_RUN_ID"
_NEAR = 200  # pids tried one by one; beyond that listing /proc is quicker
_EXEC_LOOKS, _EXEC_PAUSE_S = 400, 0.0005
_MANY = 256  # strangers remembered before the old ones are looked for
_WRAP_S = 2.0  # a run longer than this may have seen the pids wrap round, so age says nothing
_PF_EXITING = 0x4  # pipes are closed before a process is a zombie: it must not look left behind


class Family:
    """The processes that belong to one run, told by its leader's pid, its brand and its tag."""

    __slots__ = ("blind", "brand", "leader", "strays", "tag")
    leaders: ClassVar[set[int]] = set()  # of all runs of this process, not reaped: nobody's strays
    held: ClassVar[set[int]] = set()  # strays that some run has claimed: no other run need look at them
    strangers: ClassVar[dict[int, float]] = {}  # reaped leaders and others' processes, and when they were met

    def __init__(self) -> None:
        self.leader = 0
        self.tag = b""
        self.brand = 0
        self.strays: dict[int, int] = {}
        self.blind = False

    def begin(self, leader: int, tag: str, brand: int) -> None:
        self.leader = leader
        self.tag = tag.encode()
        self.brand = brand
        self.leaders.add(leader)

    def left(self, run_s: float) -> list[int]:
        """Pids of living members other than the leader; a zombie counts as gone.

        Afterwards `blind` says whether this system does not tell, so that only the group can be signalled.
        """
        since, newest = self.leader, _newest_pid()
        self.blind = newest is None
        if run_s >= _WRAP_S:
            return self._members(_all_pids(), _lives)
        while newest is not None and newest != since:
            if found := self._members(_younger(since, newest), _lives):
                return found
            since, newest = newest, _newest_pid()  # a member may have forked and gone while we looked
        return []

    def are_exiting(self) -> bool:
        """Whether a member is on its way out, and so may hold descriptors of which nothing more will come."""
        return bool(self._members(_all_pids(), _is_exiting))

    def _members(self, pids: Iterable[int], are: Callable[[int], bool]) -> list[int]:
        leaders, strangers, oldest = self.leaders, self.strangers, time.monotonic() - _WRAP_S
        return [
            pid
            for pid in pids
            if pid not in leaders and strangers.get(pid, 0.0) < oldest and self._has(pid) and are(pid)
        ]

    def _has(self, pid: int) -> bool:
        try:
            if os.getpgid(pid) == self.leader:
                return True
            session = os.getsid(pid)
        except OSError:
            return False
        if session == self.leader:
            return True
        if session in self.leaders or (session in self.held and session not in self.strays):
            return False
        if session in (
            0,
            os.getsid(0),
        ):  # a kernel thread, or one that never left a session that is not ours
            return self._remember(pid)
        return self._is_marked(pid)

    def _is_marked(self, pid: int) -> bool:
        """Told by the brand, and by the tag where that may not say everything."""
        brands = brands_of(pid) if self.brand else None
        if brands is not None:
            if is_branded(pid, self.brand, brands):
                return True
            if are_related(self.brand, brands):
                return False
            if are_all(brands):
                return self._remember(pid)
        shown = _environment(pid)
        if shown is None:
            return False  # nothing is known of it, and so nothing is to be remembered
        environment = b"\0" + shown + b"\0"
        at = environment.find(b"\0" + self.tag)
        if at >= 0 and environment[at + 1 + len(self.tag)] in b"\0.":
            return True
        return TAG_NAME.encode() not in environment and self._remember(pid)

    def _remember(self, pid: int) -> bool:
        """Never a member of any run of this process: False."""
        self.strangers.pop(pid, None)
        self.strangers[pid] = time.monotonic()
        while len(self.strangers) > _MANY:  # other threads may be at it as well
            oldest = next(iter(self.strangers), 0)
            if self.strangers.get(oldest, 0.0) >= time.monotonic() - _WRAP_S:
                break
            self.strangers.pop(oldest, None)
        return False

    def hold(self, pids: Iterable[int]) -> None:
        """Keep a handle on members that are out of the group's reach, so no recycled pid is ever hit."""
        for pid in pids:
            if pid in self.strays or not hasattr(os, "pidfd_open"):
                continue
            try:
                if os.getpgid(pid) == self.leader:
                    continue
                handle = os.pidfd_open(pid)
            except OSError:
                continue
            if self._has(pid):
                self.strays[pid] = handle
                self.held.add(pid)
            else:
                os.close(handle)

    def signal(self, number: int) -> None:
        """Send to the group and every held stray. The leader must not have been reaped."""
        try:
            os.killpg(self.leader, number)
        except OSError:
            pass  # gone already; macOS says EPERM for a group of zombies
        for handle in self.strays.values():
            try:
                _signal.pidfd_send_signal(handle, number)
            except OSError:
                pass

    def release(self) -> None:
        """Give the handles back; the leader has been reaped."""
        if self.leader in self.leaders:
            self.leaders.discard(self.leader)
            self._remember(self.leader)
        for handle in self.strays.values():
            os.close(handle)
        self.held.difference_update(self.strays)
        self.strays.clear()


def _newest_pid() -> int | None:
    """The pid given out last in our pid namespace: the last word of /proc/loadavg."""
    words = (_read("/proc/loadavg", 128) or b"").split()
    return int(words[-1]) if words else None


def _younger(first: int, newest: int) -> Iterable[int]:
    if 0 < newest - first <= _NEAR:
        return range(first + 1, newest + 1)
    if newest >= first:
        return [pid for pid in _all_pids() if first < pid <= newest]
    return [pid for pid in _all_pids() if pid > first or pid <= newest]


def _all_pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _environment(pid: int) -> bytes | None:
    """What it was started with. In the middle of an exec there is none yet: wait for that moment to pass.

    None when it does not pass, as on a machine that has no time for that process.
    """
    for _ in range(_EXEC_LOOKS):
        environment = _read(f"/proc/{pid}/environ")
        if environment is None:
            return b""  # gone, or another user's
        fields = [] if environment else _stat(pid)
        if environment or len(fields) < 49 or fields[48] != b"0" or not _lives(pid):
            return environment  # its end of environment is known: really empty
        time.sleep(_EXEC_PAUSE_S)
    return None


def _stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the third on, the state."""
    return (_read(f"/proc/{pid}/stat", 1024) or b"").rpartition(b") ")[2].split()


def _lives(pid: int) -> bool:
    """Neither a zombie nor on its way out; a process of which only the first thread has ended still lives."""
    fields = _stat(pid)
    if not fields:
        return False
    state, flags, threads = fields[0], int(fields[6]), int(fields[17])
    return threads > 1 or not (state in (b"Z", b"X") or flags & _PF_EXITING)


def _is_exiting(pid: int) -> bool:
    """Neither alive nor a zombie yet. Giving back a large memory comes first, and takes a while."""
    fields = _stat(pid)
    return bool(fields) and fields[0] not in (b"Z", b"X") and not _lives(pid)


def _read(path: str, size: int = 1 << 20) -> bytes | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(file, size)
    except OSError:
        return None
    finally:
        os.close(file)
