"""What commands share: options that all take, the workspace, payloads, and talk on stderr."""

from __future__ import annotations

import os
import sys

from hookline.model.errors import PayloadError, UsageError
from hookline.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping
    from typing import Any, TypeVar

    from hookline.engine.opening import Opened

    _Subcommand = TypeVar("_Subcommand")


def parser(command: str, summary: str, example: str) -> ArgumentParser:
    """An argument parser in the house form: `--workspace`, an example, exit 64 on wrong usage."""
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    class Parser(ArgumentParser):
        def error(self, message: str) -> Any:
            raise UsageError(f"{command}: {message}", f"see `hookline {command} --help`")

    made = Parser(
        prog=f"hookline {command}",
        description=summary,
        epilog=f"example:\n  {example}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--workspace", metavar="DIR", help="the project root (default: found from here)")
    return made


def workspace_of(given: str | None) -> str:
    """The absolute workspace: the folder given, or the project root above the current one."""
    from hookline.system.roots import find_root

    if given is None:
        return find_root(os.getcwd()).path
    path = os.path.abspath(given)
    if not os.path.isdir(path):
        raise UsageError(f"--workspace: `{given}` is no directory")
    return path


def payload_from(path: str | None) -> Mapping[str, Any]:
    """The event's payload: a file, standard input (`-` or a pipe), or `{}` when there is nothing."""
    if path is not None and path != "-":
        found = files.read_text(path)
        if found.state not in ("text", "empty"):
            raise PayloadError(f"--input: `{path}` is {found.state}", found.reason or None)
        return parse_payload(found.text, path)
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    return parse_payload(sys.stdin.buffer.read().decode("utf-8", "replace"), "stdin")


def parse_payload(text: str, source: str) -> Mapping[str, Any]:
    """A JSON object from text; empty text is `{}`. Raises PayloadError for anything else."""
    import json

    text = text.removeprefix("\ufeff")
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"{source}: not JSON: {error}", "the payload is one JSON object") from error
    if not isinstance(value, dict):
        found = json.dumps(value, ensure_ascii=False)
        raise PayloadError(f"{source}: expected a JSON object, found {found[:60]}")
    return value


def subcommand(command: str, known: Mapping[str, _Subcommand], name: str) -> _Subcommand:
    """What runs `hookline COMMAND NAME`. Raises UsageError with the names there are."""
    if name in known:
        return known[name]
    names = ", ".join(f"`{each}`" for each in known)
    raise UsageError(f"{command}: no subcommand `{name}`", f"there are {names}")


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


def known_dialect(name: str) -> str:
    """The name itself. Raises UsageError when there is no such dialect."""
    from hookline.dialects import DIALECT_NAMES
    from hookline.dialects.spelling import nearest

    if name in DIALECT_NAMES:
        return name
    guess = nearest(name, DIALECT_NAMES)
    hint = f"did you mean `{guess}`?" if guess else f"dialects: {', '.join(DIALECT_NAMES)}"
    raise UsageError(f"no dialect `{name}`", hint)


def user_name() -> str:
    """Who decides, for the journals: the login name, else the user's number."""
    variables = files.environment()
    return variables.get("USER") or variables.get("LOGNAME") or f"uid {os.getuid()}"


def print_json(value: object) -> None:
    """One JSON document on stdout."""
    import json

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def say(text: str) -> None:
    """One line of talk."""
    if not text.isprintable():
        from hookline.cli.render import visible

        text = visible(text)
    sys.stderr.write(text + "\n")


def warn(text: str) -> None:
    """One warning."""
    say(f"warning: {text}")


def warn_of_store(opened: Opened) -> None:
    """Warns of a trust store that could not be used, and of own hooks that changed."""
    if opened.store.problem:
        warn(opened.store.problem)
    for hook_id, why in opened.trust.alarms().items():
        warn(f"hook `{hook_id}`: {why}")


def name_untrusted(opened: Opened) -> None:
    """Names the hooks that wait for a review; they do not run."""
    waiting = [
        spec.id for spec in opened.hooks.specs if opened.trust.state(spec) in ("untrusted", "modified")
    ]
    if waiting:
        from hookline.cli.render import counted

        shown = ", ".join(waiting[:5]) + (", …" if len(waiting) > 5 else "")
        warn(f"{counted(len(waiting), 'hook')} will not run until you `hookline trust` them: {shown}")
