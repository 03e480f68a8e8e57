"""One call of an agent answered on stdout, before the agent's time limit."""

from __future__ import annotations

import os
import sys

# `signal` loads enum, and this is on the path of every call
from _signal import SIG_DFL, SIGHUP, SIGINT, SIGTERM, getsignal, signal

from hookline.hosts.bridge import answer_now, excuse
from hookline.hosts.bridge.call import Call, reserve_of, speaker_of
from hookline.model.errors import HooklineError
from hookline.model.record import replace
from hookline.model.results import Response
from hookline.state.paths import Paths
from hookline.system import files
from hookline.system.clock import monotonic
from hookline.system.loops.alarm import clear_alarm, leave_at_once, set_alarm
from hookline.system.workspace.roots import standing

OPENING_S = 1.0  # for the agent's own config, which may give us longer than usual


def answer(agent: str, native: str, workspace: str, began: float, waited_s: float = 0.0) -> int:
    """Answers one call on stdin; whatever goes wrong, there is an answer, and in time.

    `waited_s`: how long the agent has waited already when this process `began`.
    """
    began -= waited_s
    call = Call(agent, native, environment=files.environment(), cwd=_cwd(), workspace=workspace, began=began)

    def heed(limit: float) -> None:
        left = began + limit - reserve_of(limit) / 2 - monotonic()
        set_alarm(max(left, 0.001), lambda: _too_late(call))

    heed(max(_usual_limit(call), waited_s + OPENING_S))
    for number in (SIGTERM, SIGHUP):  # as `loops.ending` has it
        if getsignal(number) == SIG_DFL:
            signal(number, _ended_by)
    try:
        call = replace(call, payload=_stdin())
        response, settle = answer_now(call, _say, heed)
    except (
        BaseException
    ) as error:  # a signal's too: to most agents an exit code that tells of it is no denial
        response, settle = excuse(call, _as_exception(error), _say), _nothing
    clear_alarm()
    exit_code = _given(response)
    try:
        settle()
    except Exception as error:
        _say(f"the call was answered, but could not be recorded: {error}")
    _start_resident(call)
    return exit_code


def refuse_stranger(agent: str, native: str, workspace: str) -> int:
    """Exit 2 with the reason, which denies in nearly every agent, where a guard should have been asked.

    Raises UsageError elsewhere.
    """
    from hookline.hosts.bridge.failure import refusal_of_stranger

    call = Call(agent, native, _stdin(), files.environment(), _cwd(), workspace)
    try:
        why = refusal_of_stranger(call)
    except Exception as error:
        _say(f"whether a guard should have been asked could not be told: {error}")
        why = ""
    if not why:
        speaker_of(agent)
    _say(why)
    return 2


def _given(response: Response) -> int:
    """Writes the answer. Where it cannot be written a refusal is exit 2 with its reason on stderr, as every agent
    understands it; any other answer is exit 1. Else the answer's own exit code.
    """
    try:
        _write(response)
    except OSError as error:
        _say(f"the answer could not be written: {error.strerror}")
        if not response.refusal:
            return 1
        _say(response.refusal)
        return 2
    return response.exit_code


def _start_resident(call: Call) -> None:
    """Who asked for a resident process does not want to come here again."""
    folder = resident_folder(call)
    if not os.path.exists(os.path.join(folder, "wanted")):
        return
    from hookline.cli.agents.resident import listens, start_in_background

    try:
        if not listens(folder):  # one that was killed has left its socket behind
            start_in_background(folder)
    except Exception as error:
        _say(f"the resident process could not be started: {error}")


def resident_folder(call: Call) -> str:
    """Where the caller's resident has its socket."""
    return Paths.from_environment(call.environment).resident


def _usual_limit(call: Call) -> float:
    """Seconds the agent gives its hooks of that event when their config says nothing."""
    speaker = speaker_of(call.agent)
    kind = speaker.kind_of(call.native)
    limits = [row.timeout_s for row in speaker.rows if row.kind is kind or row.kind.value == call.native]
    return min(limits, default=60.0)


def _too_late(call: Call) -> None:
    """Something of ours hangs: answers from within the alarm, half of the reserve before the limit."""
    response = excuse(call, HooklineError("no decision before the agent's time limit"), _say, hurried=True)
    leave_at_once(_given(response))


def _stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read()


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return standing(files.environment().get("PWD", "")) or os.sep


def _write(response: Response) -> None:
    """The answer in UTF-8, whatever the locale says, and nothing behind it."""
    if response.stderr:
        _tell(response.stderr)
    view = memoryview(response.stdout.encode("utf-8", "replace"))
    while view:
        view = view[os.write(1, view) :]


def _say(text: str) -> None:
    """One line for whoever reads the agent's log."""
    _tell(f"hookline: {text}\n")


def _tell(text: str) -> None:
    try:
        os.write(2, text.encode("utf-8", "replace"))
    except OSError:
        pass  # nobody listens; the answer itself counts


def _ended_by(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def _as_exception(error: BaseException) -> Exception:
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        number = SIGINT if isinstance(error, KeyboardInterrupt) else int(error.code or 128) - 128
        return HooklineError(f"signal {number} ended it before the hooks had decided")
    return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _nothing() -> None:
    """Nothing is left to do."""
