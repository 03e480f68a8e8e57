"""Says in plain words why a program did not start, and the exit code a shell would give for it."""

from __future__ import annotations

import errno
import os

from hookline.model.record import Record
from hookline.model.typing import Sequence
from hookline.system.processes.spawn import STRING_LIMIT, SpawnError

NOT_FOUND, NOT_RUNNABLE = 127, 126


_NO_ROOM = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


class LaunchFault(Record):
    """Why nothing ran: `code` is stable, `message` is for people, `exit_code` is 126 or 127."""

    code: str
    message: str
    exit_code: int = NOT_RUNNABLE


def launch_fault(
    error: SpawnError,
    argv: Sequence[str],
    environment: Sequence[bytes],
    cwd: str,
    search_path: str,
    user: object = None,
) -> LaunchFault:
    """What `error` means for this program, folder and environment; looks at the disk only now."""
    if error.before_exec:
        return _before_exec(error, cwd, user)
    if error.errno == errno.E2BIG:
        return _too_big(argv, environment)
    program = _found(argv[0], cwd, search_path)
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return _missing(argv[0], program, search_path)
    shown = program or argv[0]
    if error.errno in (errno.EACCES, errno.EPERM):
        return _forbidden(shown, user)
    if error.errno == errno.ENOEXEC:
        return _no_program(shown)
    if error.errno == errno.ETXTBSY:
        return LaunchFault("busy", f"`{shown}` is still open for writing somewhere")
    if error.errno in _NO_ROOM:
        return no_resources(error)
    return LaunchFault("not-started", f"`{shown}` could not be started: {error}")


def no_resources(error: OSError) -> LaunchFault:
    """The fault of a system that has no descriptors, memory or processes to give."""
    return LaunchFault("no-resources", f"the system could not start another process: {error}")


def bad_argument(message: str) -> LaunchFault:
    """The fault of a command line that no system can take."""
    return LaunchFault("bad-argument", message)


def _before_exec(error: SpawnError, cwd: str, user: object) -> LaunchFault:
    if user is not None and os.path.isdir(cwd):
        return LaunchFault("user-refused", f"could not become user {user!r}: {error}")
    if error.errno == errno.ENOENT:
        return LaunchFault("no-folder", f"the working folder `{cwd}` does not exist")
    return LaunchFault("no-folder", f"could not enter the working folder `{cwd}`: {error}")


def _too_big(argv: Sequence[str], environment: Sequence[bytes]) -> LaunchFault:
    sizes = [len(argument.encode("utf-8", "backslashreplace")) for argument in argv]
    longest = max(range(len(sizes)), key=sizes.__getitem__)
    if sizes[longest] > STRING_LIMIT:
        what = f"argument {longest} has {sizes[longest]:,} bytes, the system takes {STRING_LIMIT:,} in one"
    else:
        total = sum(map(len, environment))
        what = f"arguments ({sum(sizes):,} bytes) and environment ({total:,} bytes) are too big together"
    return LaunchFault("too-big", f"{what}; pass long values on stdin or in a file")


def _found(program: str, cwd: str, search_path: str) -> str | None:
    """Where the program lies, executable or not."""
    folders = [""] if "/" in program else _searched(search_path)
    for folder in folders:
        path = os.path.join(cwd, folder, program)
        if os.path.lexists(path):
            return path
    return None


def _searched(search_path: str) -> list[str]:
    return [folder for folder in search_path.split(":") if folder.startswith("/")]


def _missing(name: str, program: str | None, search_path: str) -> LaunchFault:
    if program is None and "/" in name:
        return LaunchFault("not-found", f"`{name}` does not exist", NOT_FOUND)
    if program is None:
        searched = ":".join(_searched(search_path)) or "nothing"
        return LaunchFault("not-found", f"`{name}` is not in PATH; searched {searched}", NOT_FOUND)
    if not os.path.exists(program):
        return LaunchFault("not-found", f"`{program}` is a link to nothing", NOT_FOUND)
    first = _first_line(program)
    if first.startswith(b"#!") and first.endswith(b"\r"):
        message = f"`{program}` has Windows line ends: its first line ends in a carriage return"
        return LaunchFault("crlf-shebang", f"{message}; save it with LF line ends", NOT_FOUND)
    if first.startswith(b"#!"):
        interpreter = first[2:].split(maxsplit=1)[:1] or [b""]
        shown = interpreter[0].decode("utf-8", "replace")
        return LaunchFault(
            "no-interpreter", f"`{program}` asks for `{shown}`, which does not exist", NOT_FOUND
        )
    return LaunchFault("no-interpreter", f"the loader that `{program}` asks for does not exist", NOT_FOUND)


def _forbidden(program: str, user: object = None) -> LaunchFault:
    if os.path.isdir(program):
        return LaunchFault("not-executable", f"`{program}` is a folder")
    if os.path.exists(program) and not os.access(program, os.X_OK):
        return LaunchFault(
            "not-executable", f"`{program}` is not executable; run `chmod +x` on it or name an interpreter"
        )
    if user is not None:
        who = f"user {user[0]}" if isinstance(user, tuple) else "its user"
        message = f"{who} may not run `{program}`: the rights of it, or of a folder above it, do not let them"
        return LaunchFault("not-executable", message)
    return LaunchFault("not-executable", f"the system does not allow `{program}` to run")


def _no_program(program: str) -> LaunchFault:
    first = _first_line(program)
    if not first and os.path.getsize(program) == 0:
        return LaunchFault("empty", f"`{program}` is empty")
    if first.startswith(b"\xef\xbb\xbf"):
        return LaunchFault("bom", f"`{program}` begins with a byte order mark, which hides its first line")
    if b"\0" in first:
        return LaunchFault("wrong-format", f"`{program}` is not a program for this machine")
    return LaunchFault("no-shebang", f"`{program}` has no `#!` line that names its interpreter")


def _first_line(program: str) -> bytes:
    try:
        with open(program, "rb") as file:
            return file.read(512).split(b"\n", 1)[0]
    except OSError:
        return b""
