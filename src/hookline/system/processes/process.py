"""The one way to run a process: bounded in time, memory and descendants, and never raising for a bad hook.

The process leads its own session. Its deadline is ours, monotonic, and starts before the spawn. It is over
when it has exited, plus a short drain; end-of-file is never waited for. What it leaves running is stopped.
Linux is the full promise. Elsewhere (macOS) there is no pidfd and no /proc: the exit is polled for, and
only the process group is stopped, not what has left it.
"""

from __future__ import annotations

from hookline.model.record import Record
from hookline.system.loops.loop import current_loop
from hookline.system.processes.capture import NOTHING, Captured
from hookline.system.processes.process_request import ProcessRequest, Stop
from hookline.system.processes.running import Running

__all__ = ["Captured", "ProcessRequest", "ProcessResult", "Stop", "Timings", "run_process"]


class Timings(Record):
    """Seconds spent starting, running (until the exit), and draining with the clean-up after it."""

    spawn_s: float = 0.0
    run_s: float = 0.0
    drain_s: float = 0.0


class ProcessResult(Record):
    """What happened, no opinion.

    `exit_code` and `signal` are the process's own end, also after a time-out; both None when nothing was
    launched or the status is unknown. `launch_error` says in words why nothing ran, `launch_fault` is its
    stable code, `launch_code` what a shell would have exited with. `killed_after_exit` are processes left
    behind that had to be ended, `survivors` those that could not be. `stdin_unread`: input was left over.
    """

    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    cancelled: bool = False
    launch_error: str | None = None
    launch_fault: str | None = None
    launch_code: int | None = None
    stdout: Captured = NOTHING
    stderr: Captured = NOTHING
    stdin_unread: bool = False
    killed_after_exit: tuple[int, ...] = ()
    survivors: tuple[int, ...] = ()
    timings: Timings = Timings()
    spill_path: str | None = None
    spill_truncated: bool = False
    notices: tuple[str, ...] = ()

    @property
    def status_code(self) -> int:
        """The conventional code: 124 time-out, 126/127 not launched, 128+n signal, 125 unknown."""
        if self.launch_code is not None:
            return self.launch_code
        if self.timed_out:
            return 124
        if self.signal is not None:
            return 128 + self.signal
        return 125 if self.exit_code is None else self.exit_code


async def run_process(request: ProcessRequest) -> ProcessResult:
    """Run one process to its end on the current loop; raises only when the caller itself is cancelled.

    A cancelled caller gets its cancellation once the process and what it started have been stopped; a
    second cancellation skips the grace.
    """
    running = Running(request, current_loop())
    try:
        if running.start():
            await running.follow()
        return _result(running)
    finally:
        running.close()


def _result(running: Running) -> ProcessResult:
    code = running.reap()
    if running.interruption is not None:
        raise running.interruption
    fault, spill = running.fault, running.spill
    message, fault_code, launch_code = (
        (None, None, None) if fault is None else (fault.message, fault.code, fault.exit_code)
    )
    return ProcessResult(  # by place: naming seventeen fields costs as much as reading the output
        code if code is not None and code >= 0 else None,
        -code if code is not None and code < 0 else None,
        running.timed_out,
        running.stopped,
        message,
        fault_code,
        launch_code,
        running.captures[0].captured(),
        running.captures[1].captured(),
        running.stdin_unread,
        tuple(running.left_behind),
        tuple(running.survivors),
        Timings(*running.timings()),
        spill.path if spill is not None and spill.size else None,
        spill is not None and spill.truncated,
        tuple(running.notices),
    )
