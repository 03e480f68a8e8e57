"""What to run as a process, how far it may go, and a way to stop it from outside."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.model.typing import Callable, Mapping


class Stop:
    """Lets somebody else end a process: its result then says `cancelled`. One `Stop` may serve several."""

    __slots__ = ("_listeners", "requested")

    def __init__(self) -> None:
        self.requested = False
        self._listeners: list[Callable[[], object]] = []

    def request(self) -> None:
        if self.requested:
            return
        self.requested = True
        for listener in tuple(self._listeners):
            listener()

    def listen(self, listener: Callable[[], object]) -> None:
        self._listeners.append(listener)

    def forget(self, listener: Callable[[], object]) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)


class ProcessRequest(Record):
    """What to run and how far it may go.

    `env` is the complete environment; `HOOKLINE_RUN_ID` is added, and what the kernel would refuse is
    mended with a notice. `stdin` None is /dev/null. `timeout_s` None is no limit; `grace_s` lies between
    TERM and KILL; `drain_s` (at most 1) is how long output is still read after the exit. `head_limit` and
    `tail_limit` are bytes kept in memory per stream. `spill_path` gets everything, both streams as they
    come, up to `spill_limit` and behind that what came last, once there are more than `spill_from` bytes.
    `on_output` is called with "stdout" or "stderr" and each chunk.
    `user` is (uid, gid, supplementary groups or None to keep ours).
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    stdin: bytes | None = None
    timeout_s: float | None = None
    grace_s: float = 2.0
    drain_s: float = 0.2
    head_limit: int = 65_536
    tail_limit: int = 65_536
    merge_output: bool = False
    spill_path: str | None = None
    spill_limit: int = 4 << 20  # more takes seconds to look through for secrets, after the time limit
    spill_from: int = 0
    on_output: Callable[[str, bytes], None] | None = None
    user: tuple[int, int, tuple[int, ...] | None] | None = None
    stop: Stop | None = None
