"""`hookline resident`: start, stop and look at the process that answers bridged calls fast."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import SUPPRESS
from typing import Any

from hookline import __version__
from hookline.cli import common, flags
from hookline.cli.render import counted
from hookline.hosts.resident.frames import REPLY, Request, encode_request
from hookline.hosts.resident.host import IDLE_S, Resident
from hookline.model.errors import HooklineError
from hookline.state.paths import Paths
from hookline.system import files
from hookline.system.local_socket import connect
from hookline.system.processes.detached import own_command, start_detached

ACTIONS = ("start", "stop", "status", "serve")
START_S = 30.0
AGAIN_S = 2.0  # the one that we start leaves again when it meets another just about to end
ANSWER_S = 15.0
WANTED = "wanted"
_SUMMARY = """Keeps hookline loaded in a process of your own, so that a bridged call costs hardly more than its hooks.

  start     starts it, now and from here on whenever a bridged call finds it gone
  stop      ends it, and starts it no more
  status    whether it runs, since when, how many calls it answered; exit code 1 when it does not run

It ends by itself when nobody called for a while, and after an upgrade. It serves every workspace."""


def run(arguments: list[str]) -> int:
    """One action on the resident process of this user."""
    parser = common.parser("resident", _SUMMARY, "hookline resident status")
    parser.add_argument("action", choices=ACTIONS, metavar="start|stop|status", help="what to do with it")
    parser.add_argument(
        "--idle",
        type=flags.seconds,
        metavar="SECONDS",
        help="`start`: so long without a call, and it ends (1800)",
    )
    parser.add_argument("--json", action="store_true", help="`start`, `status`: an object, or null")
    parser.add_argument("--while", dest="mark", default="", help=SUPPRESS)
    options = parser.parse_args(arguments)
    folder = folder_of()
    match options.action:
        case "serve":
            Resident(folder, IDLE_S if options.idle is None else options.idle, options.mark).serve()
            return 0
        case "start":
            return _shown(_started(folder, options.idle), options.json)
        case "stop":
            return _stop(folder)
    return _shown(ask(folder, "@status"), options.json)


def folder_of() -> str:
    """Where this user's resident has its socket."""
    return Paths.from_environment(files.environment()).resident


def ask(folder: str, command: str) -> dict[str, Any] | None:
    """What the resident says to a command; None when there is none."""
    connection = connect(folder, ANSWER_S)
    if connection is None:
        return None
    try:
        with connection, connection.makefile("rwb") as stream:
            stream.write(encode_request(Request(__version__, command)))
            stream.flush()
            head = stream.read(REPLY.size)
            found: dict[str, Any] | None = json.loads(stream.read()) if head else None
            return found
    except (ConnectionResetError, BrokenPipeError):
        return None  # it was just ending
    except (OSError, ValueError) as error:
        raise HooklineError(f"the resident process does not answer: {error}") from error


def start_in_background(folder: str, idle: float | None = None) -> None:
    """Starts it without waiting for it; when one runs already the new one leaves at once."""
    options = ("--while", os.path.join(folder, WANTED), *(() if idle is None else ("--idle", str(idle))))
    words = own_command("resident", "serve", *options)
    files.ensure_dir(folder, 0o700)
    start_detached(words, b"", files.environment(), folder)


def _started(folder: str, idle: float | None) -> dict[str, Any]:
    files.ensure_dir(folder, 0o700)
    files.write_atomic(os.path.join(folder, WANTED), b"", mode=0o600)
    again = time.monotonic()
    end = again + START_S
    while (status := ask(folder, "@status")) is None:
        now = time.monotonic()
        if now >= end:
            raise HooklineError("the resident process did not start", "`hookline resident serve` says why")
        if now >= again:
            start_in_background(folder, idle)
            again = now + AGAIN_S
        time.sleep(0.02)
    return status


def _stop(folder: str) -> int:
    files.remove(os.path.join(folder, WANTED))
    status = ask(folder, "@stop")
    end = time.monotonic() + ANSWER_S
    while listens(folder) and time.monotonic() < end:
        time.sleep(0.02)
    common.say("no resident process runs" if status is None else f"process {status['pid']} ends")
    return 0


def listens(folder: str) -> bool:
    """Whether somebody takes calls there."""
    connection = connect(folder, ANSWER_S)
    if connection is not None:
        connection.close()
    return connection is not None


def _shown(status: dict[str, Any] | None, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(json.dumps(status) + "\n")
    elif status is None:
        sys.stdout.write("no resident process runs\n")
    else:
        sys.stdout.write(
            f"process {status['pid']} (hookline {status['version']}) runs for {status['up_s']} s, "
            f"{counted(status['calls'], 'call')}, {counted(status['workspaces'], 'workspace')}\n"
        )
    return 0 if status is not None else 1
