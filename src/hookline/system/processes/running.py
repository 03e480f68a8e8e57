"""One process under way: when it has ended, and the ways to end it."""

from __future__ import annotations

import _signal  # `signal` loads enum, and this is on the path of every hook
import os
import time

from hookline.model.typing import TYPE_CHECKING, Callable
from hookline.system.loops.loop import cancellations
from hookline.system.processes.capture import Capture, Spill
from hookline.system.processes.descendants import TAG_NAME, Family
from hookline.system.processes.launch import LaunchFault, bad_argument, launch_fault, no_resources
from hookline.system.processes.pipes import Pipes
from hookline.system.processes.process_request import ProcessRequest
from hookline.system.processes.readers import readers_of
from hookline.system.processes.spawn import SpawnError, encode_argv, encode_environment, spawn
from hookline.system.processes.tags import new_brand, process_mark

if TYPE_CHECKING:
    from hookline.system.loops.loop import Loop, Waitable

_PATIENCE_S = 0.003  # most hooks are over by then, and need no waking for output that the pipes can hold
_LONGEST_DRAIN_S = 1.0
_AFTER_EXIT_GRACE_S = 0.2  # from TERM to KILL for what was left behind: we return within exit + 0.5 s
_DEATH_S = 1.0  # how long a KILL may take to show before we speak of a survivor
_KILLED_DRAIN_S = 0.02
_LOOKS_S = (0.001, 0.002, 0.004, 0.008, 0.016)  # between two looks at who is left; the last one repeats
_STREAMS = ("stdout", "stderr")


class Running:
    """State of one `run_process`. All descriptors and the child are given back by `close`."""

    def __init__(self, request: ProcessRequest, loop: Loop) -> None:
        self.request = request
        self.loop = loop
        self.began = self.spawned_at = self.exited_at = loop.time()
        self.deadline = None if request.timeout_s is None else self.began + request.timeout_s
        self.captures = tuple(Capture(request.head_limit, request.tail_limit) for _ in _STREAMS)
        self.spill = _spill(request)
        self.on_output = request.on_output
        self.readers = readers_of(loop)
        self.pipes = Pipes(loop, self.readers, self._take, self._wake)
        self.fault: LaunchFault | None = None
        self.notices: list[str] = []
        self.family = Family()
        self.pid = 0
        self.pidfd = -1
        self.exited = self.timed_out = self.stopped = False
        self.calls_to_end = 0  # cancellations and stop requests so far: one ends it, the next hurries
        self.interruption: BaseException | None = None
        self.waiter: Waitable | None = None
        self.left_behind: list[int] = []
        self.survivors: list[int] = []
        self.stdin_unread = False

    # Starting

    def start(self) -> bool:
        """Spawn; False when nothing runs and `fault` says why."""
        request = self.request
        if request.stop is not None:
            request.stop.listen(self._stop)
            if request.stop.requested:
                self._stop()
                return False
        try:
            self._spawn(encode_argv(request.argv))
        except ValueError as error:
            self.fault = bad_argument(str(error))
        except OSError as error:
            self.fault = no_resources(error)
        self.spawned_at = self.exited_at = self.loop.time()
        return self.fault is None

    def _spawn(self, argv: list[bytes]) -> None:
        request, pipes = self.request, self.pipes
        if "\0" in request.cwd:
            raise ValueError("the working folder holds a NUL character")
        env, outer = request.env, request.env.get(TAG_NAME)
        if outer is not None:
            env = {name: value for name, value in env.items() if name != TAG_NAME}
        tag = _new_tag(outer)
        environment, self.notices = encode_environment(env, tag)
        search_path = request.env.get("PATH") or os.defpath
        brand = new_brand()
        pipes.open(request.stdin, request.merge_output)
        try:
            self.pid = spawn(argv, environment, search_path, request.cwd, pipes.child, request.user, brand)
        except SpawnError as error:
            self.fault = launch_fault(
                error, request.argv, environment, request.cwd, search_path, request.user
            )
            return
        self.family.begin(self.pid, tag, brand)
        pipes.start(live=self.on_output is not None)
        self._watch_exit()

    def _watch_exit(self) -> None:
        try:
            self.pidfd = os.pidfd_open(self.pid)
        except (OSError, AttributeError):
            self._look_for_exit(0)
        else:
            self.readers.add_reader(self.pidfd, self._on_exit)

    def _look_for_exit(self, look: int) -> None:
        """Without pidfd: ask, with growing pauses, without reaping."""
        if self.pid == 0 or self.exited:
            return
        if not self._ended_unseen():
            pause = _LOOKS_S[min(look, len(_LOOKS_S) - 1)]
            self.loop.call_later(pause, self._look_for_exit, look + 1)

    def _ended_unseen(self) -> bool:
        """Whether it has ended, looked up now: whoever was kept from looking in time must not call it late."""
        try:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except OSError:
            ended = not _exists(self.pid)
        if ended:
            self._on_exit()
        return ended

    # What the loop tells us

    def _on_exit(self) -> None:
        self.exited = True
        self.exited_at = self.loop.time()
        if self.pidfd >= 0:
            self.readers.remove_reader(self.pidfd)
        self.pipes.read_available()
        self._wake()

    def _take(self, stream: int, chunk: bytes) -> None:
        self.captures[stream].feed(chunk)
        if self.spill is not None:
            self.spill.feed(chunk)
        if self.on_output is not None:
            try:
                self.on_output(_STREAMS[stream], chunk)
            except Exception as error:
                self.on_output = None
                self.notices.append(f"live output ended: {type(error).__name__}: {error}")

    def _stop(self) -> None:
        self.calls_to_end += 1
        self.stopped = self.stopped or not self.exited
        self._wake()

    def _wake(self) -> None:
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    # Waiting and ending

    async def follow(self) -> None:
        """See the process to its end, by itself or by force, and leave nothing of it behind."""
        in_time = await self._exits_in_time()
        self.pipes.watch()
        if in_time:
            await self._wait(self._is_drained, self.loop.time() + min(self.request.drain_s, _LONGEST_DRAIN_S))
            await self._end_left_behind()
        else:
            self.timed_out = not self.calls_to_end
            await self._put_down()
            await self._wait(self._is_drained, self.loop.time() + _KILLED_DRAIN_S)
        await self._close_ends()
        self.pipes.read_available()
        if not self.pipes.ended:
            self.notices.append("something that could not be found still holds the output open")
        self.stdin_unread = self.pipes.left_unread()
        if self.spill is not None:
            self.spill.close()
            if self.spill.problem is not None:
                self.notices.append(self.spill.problem)

    async def _exits_in_time(self) -> bool:
        if not self.calls_to_end and not self.pipes.watched:
            patience = self.spawned_at + _PATIENCE_S
            until = patience if self.deadline is None else min(patience, self.deadline)
            if await self._wait(self._has_exited, until):
                return True
            self.pipes.watch()
        in_time = not self.calls_to_end and await self._wait(self._has_exited, self.deadline)
        return in_time or (not self.calls_to_end and self._ended_unseen())

    def _has_exited(self) -> bool:
        return self.exited

    def _is_drained(self) -> bool:
        return self.pipes.ended

    async def _wait(self, happened: Callable[[], bool], until: float | None) -> bool:
        """True once `happened`; False when the time is over or somebody calls for the end meanwhile."""
        calls = self.calls_to_end
        while not happened():
            if self.calls_to_end != calls or (until is not None and self.loop.time() >= until):
                return False
            waiter = self.waiter = self.loop.create_future()
            timer = None if until is None else self.loop.call_at(until, self._wake)
            try:
                await waiter
            except cancellations() as interruption:
                self.interruption = self.interruption or interruption
                self.calls_to_end += 1
            finally:
                self.waiter = None
                if timer is not None:
                    timer.cancel()
        return True

    async def _pause(self, look: int) -> None:
        until = self.loop.time() + _LOOKS_S[min(look, len(_LOOKS_S) - 1)]
        await self._wait(_never if self.exited else self._has_exited, until)

    async def _put_down(self) -> None:
        """TERM, and CONT for the stopped; after the grace KILL."""
        self.family.hold(self._left())
        self._terminate()
        until = self.loop.time() + self.request.grace_s
        in_time = await self._wait(self._has_exited, until) and await self._gone(until)
        if not in_time or self.family.blind:
            await self._kill()

    async def _end_left_behind(self) -> None:
        left = self._left()
        if not left:
            if self.family.blind:
                await self._end_blindly()
            return
        self.left_behind = left
        self.family.hold(left)
        self._terminate()
        if not await self._gone(self.loop.time() + min(self.request.grace_s, _AFTER_EXIT_GRACE_S)):
            await self._kill()

    async def _end_blindly(self) -> None:
        """The group may be empty or not: no way to know here, and no harm in signalling it."""
        self._terminate()
        await self._pause(len(_LOOKS_S))
        self.family.signal(_signal.SIGKILL)

    async def _close_ends(self) -> None:
        """Wait for members that are ending already: they count as gone, and still hold the output for a while."""
        until, look = self.loop.time() + _DEATH_S, 0
        while not self.pipes.ended and self.loop.time() < until and self.family.are_exiting():
            await self._pause(look)
            self.pipes.read_available()
            look += 1

    def _terminate(self) -> None:
        self.family.signal(_signal.SIGTERM)
        self.family.signal(_signal.SIGCONT)

    async def _gone(self, until: float) -> bool:
        """Whether the whole family has ended by itself before `until`."""
        calls, look = self.calls_to_end, 0
        while self._left():
            if self.loop.time() >= until or self.calls_to_end != calls:
                return False
            await self._pause(look)
            look += 1
        return True

    async def _kill(self) -> None:
        """KILL until nobody is left; whoever forks meanwhile is caught in the next round."""
        until, look = self.loop.time() + _DEATH_S, 0
        while True:
            left = self._left()
            self.family.hold(left)
            self.family.signal(_signal.SIGKILL)
            if self.exited and not left:
                return
            if self.loop.time() >= until:
                self.survivors = left if self.exited else [self.pid, *left]
                return
            await self._pause(look)
            look += 1

    def _left(self) -> list[int]:
        return self.family.left(self.loop.time() - self.spawned_at)

    # Giving back

    def reap(self) -> int | None:
        """The exit code, or minus the signal; None when nothing ran or nobody can tell."""
        if not self.pid or not self.exited:
            return None
        pid, self.pid = self.pid, 0
        try:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        except ChildProcessError:
            self.notices.append("the exit status was taken by another part of this program")
            return None

    def timings(self) -> tuple[float, float, float]:
        ended = self.loop.time()
        return self.spawned_at - self.began, self.exited_at - self.spawned_at, ended - self.exited_at

    def close(self) -> None:
        """Give everything back; a process that still runs, because the loop was torn down, is killed."""
        if self.request.stop is not None:
            self.request.stop.forget(self._stop)
        if self.pid and not self.survivors:
            self._kill_at_once()
        if self.pidfd >= 0:
            self.readers.remove_reader(self.pidfd)
            os.close(self.pidfd)
        self.pipes.close()
        if self.spill is not None:
            self.spill.close()
        self.family.release()
        del (
            self.pipes,
            self.readers,
        )  # they point back here: payload and output go now, not at some collection

    def _kill_at_once(self) -> None:
        self.family.hold(self._left())
        self.family.signal(_signal.SIGKILL)
        pid, self.pid = self.pid, 0
        for _ in range(100):
            try:
                if os.waitpid(pid, os.WNOHANG)[0]:
                    return
            except ChildProcessError:
                return
            time.sleep(0.001)


def _new_tag(outer: str | None) -> str:
    """A run within a run carries both names, so that ending the outer one finds what the inner one left."""
    own = f"{process_mark()}-{os.urandom(6).hex()}"  # whose it is, so that orphans of a dead one are known
    return f"{TAG_NAME}={outer}.{own}" if outer else f"{TAG_NAME}={own}"


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _never() -> bool:
    return False


def _spill(request: ProcessRequest) -> Spill | None:
    if request.spill_path is None:
        return None
    return Spill(request.spill_path, request.spill_limit, request.spill_from)
