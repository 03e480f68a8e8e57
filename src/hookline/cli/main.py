"""The program `hookline`: finds the command, runs it, turns errors into words and exit codes."""

from __future__ import annotations

import errno
import gc
import os
import sys

from hookline import __version__
from hookline.cli.commands import COMMANDS
from hookline.system.modules import QuickFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

SHORT_LIVED = ("fire", "explain", "bridge")
VIEWS = ("explain", "check", "list")  # what they say matters beside their code, and nothing is left to tidy
EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_DENIED = 2
EXIT_USAGE = 64
EXIT_DEFECT = 70
EXIT_INTERRUPTED = 130


def _written_as_json() -> str:
    """The name of the way to write, as `\\u2603`, what the encoding of the output has no letter for."""
    import codecs

    def escaped(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end

    codecs.register_error("hookline", escaped)
    return "hookline"


def entry() -> int:
    """The console script."""
    if os.name != "posix":
        sys.stderr.write(
            "error: hookline needs a POSIX system (process groups, file locks, Unix sockets)\n"
            "  hint: on Windows run it inside WSL\n"
        )
        return EXIT_FAILED
    arguments = sys.argv[1:]
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        from hookline.system.streams import hold_standard_streams

        hold_standard_streams()
    _wait_for_slow_ends()
    if arguments[:1] != ["bridge"]:  # which writes by itself
        from hookline.system.talk import keep_talking

        keep_talking()
    # A letter that the locale has no room for must not cost a verdict; JSON has a way to write what is no UTF-8
    written = "backslashreplace" if sys.stdout.encoding.lower().startswith("utf") else _written_as_json()
    sys.stdout.reconfigure(errors=written)  # type: ignore[union-attr]  # the real one
    gc.disable()  # what is imported stays, and looking through it for garbage takes a tenth of a start
    sys.meta_path.insert(0, QuickFinder)
    lost = EXIT_DENIED if _begins_as_denied(arguments) else EXIT_FAILED
    try:
        code = main(arguments)
    except BaseException:
        if arguments[:1] != ["bridge"]:
            raise
        os._exit(
            lost
        )  # not even what went wrong could be dealt with: an orderly end would find no memory either
    if not arguments or arguments[0] not in (*SHORT_LIVED, *VIEWS):
        return _with_all_said(code)
    # Most run at every tool call: no collecting of garbage that the exit takes anyway, and no tear-down
    return _leave(_with_all_said(code) if arguments[0] in VIEWS else code)


def _wait_for_slow_ends() -> None:
    """Undoes `O_NONBLOCK`, which whoever shares a stream with us may have set: output would be lost, input be none."""
    for number in (0, 1, 2):
        try:
            if not os.get_blocking(number):
                os.set_blocking(number, True)
        except OSError:
            pass  # closed


def _with_all_said(code: int) -> int:
    """The exit code; 1 in place of 0 when what was said did not get out."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed_pipe(code)
    except (OSError, ValueError) as error:
        _say_unwritten(error)
        return _closed_pipe(code or EXIT_FAILED)
    return code


def _say_unwritten(error: Exception) -> None:
    sys.stderr.write(f"error: the output could not be written: {getattr(error, 'strerror', None) or error}\n")


def _leave(code: int) -> NoReturn:
    leftovers = sys.modules.get("hookline.system.processes.orphans")
    if leftovers is not None:
        leftovers.take_back_notes()  # what an orderly end would do
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass  # the exit code says it all the same
    os._exit(code)


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code (see the table in docs/cli.md)."""
    if _names_workspace(arguments):
        arguments = _workspace_behind(arguments)
    if _names_workspace(arguments[1:]) and arguments[0] not in SHORT_LIVED:
        behind = _workspace_behind(arguments[1:])  # where an action follows, as in `sessions list`
        if behind[0] in ("-h", "--help") or not behind[0].startswith("-"):
            arguments = (arguments[0], *behind)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return _help(arguments)
    if arguments[0] in ("-V", "--version", "version"):
        sys.stdout.write(f"hookline {__version__}\n")
        return EXIT_DONE
    command = COMMANDS.get(arguments[0])
    if command is None:
        return _unknown(arguments[0])
    try:
        run = command.load()
        if arguments[0] not in SHORT_LIVED:
            gc.freeze()
            gc.enable()
        return run(list(arguments[1:]))
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # what follows must not stand behind the `^C`
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return _closed_pipe(EXIT_DONE)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else EXIT_FAILED
    except Exception as error:
        return _failed(error, arguments)


def _names_workspace(arguments: Sequence[str]) -> bool:
    return bool(arguments) and arguments[0].partition("=")[0] == "--workspace"


def _workspace_behind(arguments: Sequence[str]) -> Sequence[str]:
    """`--workspace DIR list` as `list --workspace DIR`."""
    length = 1 if "=" in arguments[0] else 2
    return (*arguments[length : length + 1], *arguments[:length], *arguments[length + 1 :])


def _help(arguments: Sequence[str]) -> int:
    if len(arguments) > 1 and arguments[1] in COMMANDS:
        return main([arguments[1], "--help"])
    lines = ["hookline: one hooks engine for coding agents", "", "usage: hookline COMMAND [options]", ""]
    group = ""
    for name, command in COMMANDS.items():
        if command.group != group:
            group = command.group
            lines.append(f"{group}:")
        lines.append(f"  {name:<16} {command.summary}")
    lines += ["", "`hookline COMMAND --help` shows a command's options and an example."]
    sys.stdout.write("\n".join(lines) + "\n")
    return EXIT_DONE


def _unknown(name: str) -> int:
    from hookline.cli.common import say
    from hookline.dialects.spelling import suggestion

    say(f"error: no command `{name}`")
    say(f"  hint: {suggestion(name, COMMANDS, '`hookline help` lists the commands', before='hookline ')}")
    return EXIT_USAGE


def _closed_pipe(code: int) -> int:
    """Whoever read our output stopped reading; that is no failure of ours."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())  # so that the interpreter's last flush raises no second error
    os.close(null)
    return code


def _denied_by_failing(arguments: Sequence[str]) -> bool:
    """Whether a bridged call that nothing could answer is about something that a guard may forbid."""
    if arguments[0] != "bridge":
        return False
    try:
        from hookline.system.bridge_client import about_to_act
    except Exception:
        return _begins_as_denied(arguments)
    return any(map(about_to_act, arguments))


def _begins_as_denied(arguments: Sequence[str]) -> bool:
    """The same by the first letters of the event, where nothing more can be loaded."""
    return any(word.lower().startswith(("pre", "before", "permission")) for word in arguments)


def _failed(error: Exception, arguments: Sequence[str]) -> int:
    try:
        return _told(error, arguments)
    except Exception as lack:  # there is no room for the words either, which Python tells in many ways
        sys.stderr.write(
            f"error: hookline could not be loaded, so no hook was asked: {lack or 'out of memory'}\n"
        )
        return EXIT_DENIED if _denied_by_failing(arguments) else EXIT_FAILED


def _told(error: Exception, arguments: Sequence[str]) -> int:
    from hookline.cli.common import say
    from hookline.model.errors import HooklineError, shortage

    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT) and error.filename is None:
        _say_unwritten(error)
        return _closed_pipe(EXIT_FAILED)
    if isinstance(error, HooklineError):
        say(f"error: {error.message}")
        if error.hint:
            say(f"  hint: {error.hint}")
        return error.exit_code
    if lack := shortage(error):
        say(f"error: {lack}")
        return EXIT_DENIED if _denied_by_failing(arguments) else EXIT_FAILED
    import traceback

    traceback.print_exc()
    sys.stderr.write(
        f"error: a defect in hookline {__version__} (command `{arguments[0]}`)\n"
        "  hint: please report the lines above\n"
    )
    return EXIT_DENIED if _denied_by_failing(arguments) else EXIT_DEFECT
