"""What commands share: options that all take, the workspace, payloads, and talk on stderr."""

from __future__ import annotations

import os
import sys

from hookline.model.errors import HooklineError, PayloadError, Problem, UsageError
from hookline.model.hooks import Unusable
from hookline.model.short_json import read_json, whole_json, write_json
from hookline.model.typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence
from hookline.system import files

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from hookline.engine.opening import Opened


WORKSPACE = "the project root (default: found from here)"
PAYLOAD_LIMIT = 64 << 20  # of a file; what is larger comes on standard input


def parser(command: str, summary: str, example: str, workspace: str = WORKSPACE) -> ArgumentParser:
    """An argument parser in the house form: `--workspace` with that help, an example, exit 64 on wrong usage."""
    from argparse import ArgumentParser

    class Parser(ArgumentParser):
        def error(self, message: str) -> Any:
            raise UsageError(f"{command}: {message}", f"see `hookline {command} --help`")

    made = Parser(
        prog=f"hookline {command}",
        description=summary,
        epilog=f"example:\n  {example}",
        formatter_class=_formatter(),
        allow_abbrev=False,
    )
    made.add_argument("--workspace", metavar="DIR", help=workspace)
    return made


def _formatter() -> Any:
    """Keeps the lines of a description as they are, but no wider than the terminal; an example stays whole."""
    from argparse import RawDescriptionHelpFormatter
    from re import match

    from hookline.cli.render import width_of

    def narrowed(line: str, width: int) -> list[str]:
        from textwrap import wrap

        found = match(r" *\S+ {2,}", line)
        under = " " * (found.end() if found else 0)
        return (
            [line] if line.startswith("  hookline ") else wrap(line, width, subsequent_indent=under) or [""]
        )

    class Formatter(RawDescriptionHelpFormatter):
        def __init__(self, prog: str) -> None:  # one that is not told the width loads compressors to find it
            super().__init__(prog, width=width_of(sys.stdout, 80) - 2)

        def _fill_text(self, text: str, width: int, indent: str) -> str:
            return "\n".join(indent + part for line in text.splitlines() for part in narrowed(line, width))

    return Formatter


def workspace_of(given: str | None) -> str:
    """The absolute workspace: the folder given, or the project whose hooks hold where one stands, told where it is
    another one than that."""
    from hookline.system.workspace.roots import around

    place = place_of(given)
    if given or around(place) is None:
        return place
    from hookline.engine.opening import project_of

    found = project_of(place).path
    if found != place:
        words = f"those of `{found}`, which is around it, hold here, but at no commit of its own"
        say(f"`{place}` has no hooks of its own; {words}")
    return found


def place_of(given: str | None) -> str:
    """The absolute folder that is worked in: the one given, or the project root above the current one."""
    from hookline.system.workspace.roots import find_root

    if not given:  # also an empty one: a variable that is not set must not mean the folder one stands in
        return find_root(_current_folder()).path
    path = os.path.abspath(given)
    if not os.path.isdir(path):
        raise UsageError(f"--workspace: `{given}` is no directory")
    return path


def _current_folder() -> str:
    """Where we are, or were before that folder was deleted."""
    try:
        return os.getcwd()
    except OSError:
        from hookline.system.workspace.roots import standing

        gone = files.environment().get("PWD", "")
        folder = standing(gone)
        if not folder:
            raise UsageError(
                "the current folder is not there any more", "name the project: `--workspace DIR`"
            ) from None
        warn(f"the current folder `{gone}` is not there any more; going by `{folder}`")
        os.chdir(folder)  # told once
        return folder


def payload_from(path: str | None) -> Mapping[str, Any]:
    """The event's payload: a file, standard input (`-` or a pipe), or `{}` when there is nothing."""
    if path is not None and path != "-":
        from hookline.system import streams

        if streams.is_pipe(path):  # `--input <(…)`
            return parse_payload(streams.read_pipe(path).decode("utf-8", "replace"), path)
        found = files.read_text(path, PAYLOAD_LIMIT)
        if found.state not in ("text", "empty"):
            raise PayloadError(f"--input: `{path}` is {found.state}", found.reason or None)
        return parse_payload(found.text, path)
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    return parse_payload(sys.stdin.buffer.read().decode("utf-8", "replace"), "stdin")


def parse_payload(text: str, source: str) -> Mapping[str, Any]:
    """A JSON object from text; empty text is `{}`. Raises PayloadError for anything else."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return {}
    try:
        value = whole_json(text, read_json(text))
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"{source}: not JSON: {error}", "the payload is one JSON object") from error
    if not isinstance(value, dict):
        found = write_json(value)
        raise PayloadError(f"{source}: expected a JSON object, found {found[:60]}")
    return value


def agent_argv(line: str) -> list[str]:
    """The words of `--agent`, the command line of an agent program. Raises UsageError when there are none."""
    from shlex import split

    try:
        argv = split(line)
    except ValueError as error:
        raise UsageError(f"--agent: {error}: `{line}`") from error
    if not argv:
        raise UsageError("--agent: expected a command")
    return argv


def beside(name: str, file: str) -> str | None:
    """The folder of that name with `file` in it: inside of an installed hookline, or beside its sources."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = (os.path.join(here, f"_{name}"), os.path.join(here, "..", "..", name))
    return next((each for each in folders if os.path.isfile(os.path.join(each, file))), None)


def known_dialect(name: str) -> str:
    """The name itself. Raises UsageError when there is no such dialect."""
    from hookline.dialects import names
    from hookline.dialects.spelling import suggestion

    known = names()
    if name in known:
        return name
    hint = suggestion(name, known, f"dialects: {', '.join(known)}")
    raise UsageError(f"no dialect `{name}`", hint)


def user_name() -> str:
    """Who decides, for the journals: the login name, else the user's number."""
    variables = files.environment()
    return variables.get("USER") or variables.get("LOGNAME") or f"uid {os.getuid()}"


def print_json(value: object) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json_text(value))


def print_rows(as_json: bool, value: object, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """What a list command found: as one JSON document, or as a table."""
    from hookline.cli.render import table

    sys.stdout.write(json_text(value) if as_json else table(head, rows))


def json_text(value: object) -> str:
    """One JSON document, laid out for people."""
    import json

    return json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n"


def print_line(text: str) -> None:
    """One line for people on stdout, in which nothing breaks it or steers the terminal."""
    from hookline.cli.render import visible

    sys.stdout.write(visible(text) + "\n")


def say(text: str, lines: bool = False) -> None:
    """One line of talk; `lines`: several, as its line breaks are meant and none can come from a name in it."""
    if not text.isprintable() or sys.stderr.isatty():
        from hookline.cli.render import laid_out, visible

        text = laid_out(visible(text, keep="\n\t" if lines else ""), sys.stderr)
    sys.stderr.write(text + "\n")


def say_words(text: str) -> None:
    """What a hook said, line by line, each a little further in than our own."""
    say("\n".join(f"  {line}" for line in text.rstrip().splitlines()), lines=True)


def say_problem(problem: Problem) -> None:
    """A problem of a config, with its hint on a line of its own."""
    for line in str(problem).split("\n"):
        say(line)


def warn(text: str) -> None:
    """One warning."""
    say(f"warning: {text}")


def warn_of_store(opened: Opened) -> None:
    """Warns of a trust store that could not be used, and of own hooks that changed."""
    _warn_of_others(opened)
    if opened.store.problem:
        warn(opened.store.problem)
    for hook_id, why in opened.trust.alarms().items():
        warn(f"hook `{hook_id}`: {why}")


def _warn_of_others(opened: Opened) -> None:
    from hookline.engine.opening import unasked

    if words := unasked(opened.workspace):
        warn(words)


def warn_of_dropped_files(opened: Opened) -> None:
    """Warns of the files of which the agent itself runs nothing, though hookline does."""
    for problem in opened.hooks.problems:
        if problem.code == "file-dropped":
            warn(f"{problem.source}: {problem.message}")


def begin_guarded(opened: Opened, untrusted: str | None) -> None:
    """Names what is wrong with the hooks. Raises HooklineError where nobody would see that a guard is off.

    `untrusted`: `skip` starts all the same, `refuse` never does; None asks whether there is a terminal.
    """
    from hookline.engine.guards_off import guards_off
    from hookline.hosts.failed_starts import explain_failed_starts
    from hookline.hosts.tool_loop.permissions import lost_denials

    explain_failed_starts(opened)
    _warn_of_others(opened)
    for problem in opened.hooks.problems:
        if problem.severity == "error":
            say_problem(problem)
    name_untrusted(opened)
    watched = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    off = [*map(str, guards_off(opened.hooks, opened.trust)), *lost_denials(opened)]
    if not off or untrusted == "skip" or (untrusted is None and watched):
        return
    for guard in off:
        say(f"guard off: {guard}")
    raise HooklineError(
        f"not started: {len(off)} guard{'s' if len(off) > 1 else ''} would not judge",
        "review them with `hookline trust`, mend what is broken, or start with `--untrusted skip`",
    )


def name_untrusted(opened: Opened) -> None:
    """Names the hooks that wait for a review; they do not run."""
    waiting = [
        spec.id
        for spec in opened.hooks.specs
        if opened.trust.state(spec) in ("untrusted", "modified") and not isinstance(spec.action, Unusable)
    ]
    if waiting:
        from hookline.cli.render import counted

        shown = ", ".join(waiting[:5]) + (", …" if len(waiting) > 5 else "")
        warn(f"{counted(len(waiting), 'hook')} will not run until you `hookline trust` them: {shown}")
