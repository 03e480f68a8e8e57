"""The first process of a container, or one like it: starts a program, passes signals on, buries the dead."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Mapping, Sequence
from functools import partial

from hookline.model.errors import HandlerError

PR_SET_CHILD_SUBREAPER = 36
PASSED_ON = (
    signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2,
    signal.SIGWINCH, signal.SIGCONT,
)  # fmt: skip
HEARD = frozenset((*PASSED_ON, signal.SIGCHLD))
PYTHON_IGNORES = (signal.SIGPIPE, signal.SIGXFSZ)


def run_as_parent(
    argv: Sequence[str], environment: Mapping[str, str], beside: Sequence[Sequence[str]] = ()
) -> int:
    """Runs `argv` until it ends; its exit code, or 128 + n for a signal.

    Signals sent to us reach the program, orphans are reaped. `beside` are programs that run meanwhile and
    are ended with it. HandlerError when the program cannot be started.
    """
    _adopt_orphans()
    signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
    try:
        others = {_spawn(each, environment, False) for each in beside}
        program = _spawn(argv, environment, _has_terminal())
        status = _watch(program, others)
        for process in others:
            _send(process, signal.SIGTERM)
        return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)


def _watch(program: int, others: set[int]) -> int:
    while True:
        for process, status in _dead():
            others.discard(process)
            if process == program:
                return status
        number = signal.sigwait(HEARD)
        if number != signal.SIGCHLD:
            _send(program, number)


def _dead() -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if not process:
            return found
        found.append((process, status))


def _spawn(argv: Sequence[str], environment: Mapping[str, str], takes_terminal: bool) -> int:
    # Only with a terminal does the program get a group of its own: the one in the foreground.
    spawn = partial(os.posix_spawnp, setpgroup=0) if takes_terminal else os.posix_spawnp
    try:
        process = spawn(
            argv[0],
            list(argv),
            dict(environment),
            setsigmask=(),
            setsigdef=PYTHON_IGNORES,
        )
    except (OSError, ValueError) as error:  # an empty name; a NUL cannot come from a command line
        found = "not found" if isinstance(error, FileNotFoundError | ValueError) else error.strerror
        raise HandlerError(f"cannot start `{argv[0]}`: {found}") from error
    if takes_terminal:
        _give_terminal(process)
    return process


def _give_terminal(process: int) -> None:
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.tcsetpgrp(0, process)
    except OSError:
        pass  # it ended already, or the terminal is somebody else's
    finally:
        signal.signal(signal.SIGTTOU, before)


def _has_terminal() -> bool:
    try:
        return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def _adopt_orphans() -> None:
    """Become the parent of orphaned descendants also where we are not process 1."""
    if os.getpid() == 1:
        return

    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # not Linux: orphans then go to the real first process
