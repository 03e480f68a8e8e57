"""`hookline bridge`: the command an agent calls as its hook."""

from __future__ import annotations

import os
import sys

from hookline.hosts.bridge import answer_now, excuse, reserve_of
from hookline.hosts.bridge.call import AGENTS, Call, speaker_of
from hookline.model.errors import UsageError
from hookline.model.record import Record, replace
from hookline.system import files
from hookline.system.alarm import clear_alarm, leave_at_once, set_alarm
from hookline.system.clock import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.results import Response

_HELP = """usage: hookline bridge AGENT --event NAME [options]

Called by a coding agent as its hook (`hookline install AGENT` writes that): reads the agent's payload on
stdin, runs the workspace's hooks of all other dialects, answers in the agent's own format.

AGENT is claude, gemini, codex, cursor, copilot, or discobot (git hooks: `--event pre-commit`).
NAME is a canonical event (`PreToolUse`) or the agent's own (`BeforeTool`).

options:
  --workspace DIR    the project root (default: what the agent says, else found from its directory)

example:
  echo '{"session_id": "s", "cwd": "/tmp", "tool_name": "Bash", "tool_input": {"command": "ls"}}' \\
    | hookline bridge claude --event PreToolUse
"""


class Options(Record):
    """The command line, read by hand: argparse costs as much as everything else."""

    agent: str = ""
    event: str = ""
    workspace: str = ""
    background: bool = False
    help: bool = False


def run(arguments: list[str]) -> int:
    """Answers one call; the exit code is 0 but where the agent's format itself asks for another."""
    began = monotonic()
    options = read_options(arguments)
    if options.help:
        sys.stdout.write(_HELP)
        return 0
    if options.agent == "discobot":
        return _git_hook(options)
    speaker_of(options.agent)
    if options.background:
        from hookline.hosts.bridge.background import run_background

        return run_background(sys.stdin.read(), files.environment())
    if not options.event:
        raise UsageError("bridge: `--event` is missing", "see `hookline bridge --help`")
    return _answer(options, began)


def read_options(arguments: list[str]) -> Options:
    """The options of one command line. Raises UsageError."""
    found: dict[str, str] = {}
    positional: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, joined, value = word.partition("=")
        if name in ("-h", "--help", "--background"):
            found["help" if name != "--background" else "background"] = "yes"
        elif name in ("--event", "--workspace"):
            if not joined and not rest:
                raise UsageError(f"bridge: `{name}` needs a value", "see `hookline bridge --help`")
            found[name[2:]] = value if joined else rest.pop(0)
        elif word.startswith("-"):
            raise UsageError(f"bridge: unknown option `{word}`", "see `hookline bridge --help`")
        else:
            positional.append(word)
    if len(positional) != 1 and "help" not in found:
        agents = ", ".join((*AGENTS, "discobot"))
        raise UsageError(f"bridge: expected one agent, found {len(positional)}", f"agents: {agents}")
    return Options(
        agent=positional[0] if positional else "",
        event=found.get("event", ""),
        workspace=os.path.abspath(found["workspace"]) if "workspace" in found else "",
        background="background" in found,
        help="help" in found,
    )


def _answer(options: Options, began: float) -> int:
    call = Call(
        agent=options.agent, native=options.event, environment=files.environment(), cwd=_cwd(),
        workspace=options.workspace, began=began,
    )  # fmt: skip

    def heed(limit: float) -> None:
        left = began + limit - reserve_of(limit) / 2 - monotonic()
        set_alarm(max(left, 0.001), lambda: _too_late(call))

    heed(_usual_limit(call))
    try:
        call = replace(call, payload=_stdin())
        response, settle = answer_now(call, _say, heed)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        response, settle = excuse(call, _as_exception(error), _say), _nothing
    clear_alarm()
    _write(response)
    try:
        settle()
    except Exception as error:
        _say(f"the call was answered, but could not be recorded: {error}")
    _start_resident(call)
    return response.exit_code


def _start_resident(call: Call) -> None:
    """Who asked for a resident process does not want to come here again."""
    folder = resident_folder(call)
    if not os.path.exists(os.path.join(folder, "wanted")):
        return
    from hookline.cli.resident import listens, start_in_background

    try:
        if not listens(folder):  # one that was killed has left its socket behind
            start_in_background(folder)
    except Exception as error:
        _say(f"the resident process could not be started: {error}")


def resident_folder(call: Call) -> str:
    """Where the caller's resident has its socket."""
    from hookline.state.paths import Paths

    return Paths.from_environment(call.environment, call.environment.get("HOME") or files.home()).resident


def _usual_limit(call: Call) -> float:
    """Seconds the agent gives its hooks of that event when their config says nothing."""
    speaker = speaker_of(call.agent)
    kind = speaker.kind_of(call.native)
    limits = [row.timeout_s for row in speaker.rows if row.kind is kind or row.kind.value == call.native]
    return min(limits, default=60.0)


def _too_late(call: Call) -> None:
    """Something of ours hangs: answers from within the alarm, half of the reserve before the limit."""
    _write(excuse(call, TimeoutError("no decision before the agent's time limit"), _say))
    leave_at_once(0)


def _stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read()


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def _write(response: Response) -> None:
    """The answer in UTF-8, whatever the locale says, and nothing behind it."""
    if response.stderr:
        os.write(2, response.stderr.encode("utf-8", "replace"))
    view = memoryview(response.stdout.encode("utf-8", "replace"))
    while view:
        view = view[os.write(1, view) :]


def _say(text: str) -> None:
    """One line for whoever reads the agent's log."""
    os.write(2, f"hookline: {text}\n".encode("utf-8", "replace"))


def _as_exception(error: BaseException) -> Exception:
    return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _nothing() -> None:
    """Nothing is left to do."""


def _git_hook(options: Options) -> int:
    from hookline.hosts.precommit import bridge

    return bridge(options.event, options.workspace or None)
