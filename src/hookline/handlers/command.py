"""Runs a hook that is a process: a shell line, or a program with its arguments."""

from __future__ import annotations

import os.path
import time

from hookline.handlers.base import Around, Expanded
from hookline.handlers.environment import child_environment
from hookline.handlers.payloads import payload_json
from hookline.model.errors import HandlerError
from hookline.model.hooks import Command, HandlerInput, HookSpec
from hookline.model.record import Record, replace
from hookline.model.results import INPUT_UNREAD, RawResult, Timings
from hookline.model.typing import TYPE_CHECKING, Literal, Mapping
from hookline.system.files import read_text
from hookline.system.processes.capture import shortened
from hookline.system.processes.process import ProcessRequest, ProcessResult, run_process

if TYPE_CHECKING:
    import re

    from hookline.handlers.private_copy import PrivateCopy
    from hookline.handlers.run_as import Account

_STYLES: Mapping[str, Literal["braces", "dollar"]] = {
    "braces": "braces",
    "dollar": "dollar",
    "vars": "dollar",
}
_MARKS = {"braces": "{{", "dollar": "$", "vars": "${"}
_IN_ARGUMENTS = {
    "braces": r"\{\{([^{}]+)\}\}",
    "dollar": r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))",
    "vars": r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}",
}
NOT_FOUND = "not-found"
REPLY_LIMIT = 1 << 20
ANSWER_LIMIT = 1 << 20  # of a JSON answer, whatever is kept of it to be shown


class Prepared(Record):
    """A command ready to run. `shown` is what runs, in one line for people."""

    request: ProcessRequest
    shown: str
    notes: tuple[str, ...] = ()
    copied: PrivateCopy | None = None


async def run_command(action: Command, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """Runs the command with its payload on stdin, its values in variables, and its time limited.

    What kept it from starting is `launch_error`; only a cancellation of the caller is raised.
    """
    started_at = time.time()
    try:
        prepared = prepare(action, spec, given, around)
    except HandlerError as error:
        return refusal(error, spec.command, started_at)
    result = await run_process(prepared.request)
    fallback = spec.means.shell_fallback
    if fallback and action.line and result.launch_fault == NOT_FOUND:
        note = f"{result.launch_error}; run by `{fallback[0]}` instead"
        argv = (*fallback, prepared.request.argv[-1])
        prepared = replace(
            prepared, request=replace(prepared.request, argv=argv), notes=(*prepared.notes, note)
        )
        result = await run_process(prepared.request)
    raw = _raw(result, prepared, started_at, given.output_limit)
    return _with_reply(raw, prepared.request.env["HOOK_REPLY"]) if "HOOK_REPLY" in given.texts else raw


def prepare(action: Command, spec: HookSpec, given: HandlerInput, around: Around) -> Prepared:
    """The process to start for `action`; raises HandlerError when there is nothing that could start."""
    line = _expanded(action, given)
    account = _account(given.user)
    notes = (*given.notes, *line.problems)
    if account is not None and account.note:
        notes = (*notes, account.note)
    if given.cwd and spec.means.cwd is None and not os.path.isdir(given.cwd) and around.workspace:
        notes = (*notes, f"`{given.cwd}` is no folder, so it was started in the workspace")
        given = replace(given, cwd=around.workspace)
    request = _request(line, action, spec, given, around, account)
    if account is not None:
        return Prepared(request, line.shown, notes)
    copied = None
    if around.programs:
        from hookline.handlers.private_copy import from_private_copy

        argv, copied = from_private_copy(request.argv, not action.argv, request.cwd, request.env, around)
        request = replace(request, argv=argv)
    if action.line and not spec.means.shell_fallback:
        request = _directly(request)
    return Prepared(request, line.shown, notes, copied)


def _directly(request: ProcessRequest) -> ProcessRequest:
    from hookline.handlers.shell.direct import without_shell

    found = without_shell(request.argv, request.cwd, request.env)
    return request if found is None else replace(request, argv=found[0], env=found[1])


def _account(user: str) -> Account | None:
    if not user:
        return None
    from hookline.handlers.run_as import account_of

    return account_of(user)


def _value_files(spec: HookSpec, given: HandlerInput, run_dir: str) -> dict[str, str]:
    if not given.lists and not given.texts:
        return {}
    from hookline.handlers.shell.value_files import write_value_files

    return write_value_files(spec, given, run_dir)


def refusal(error: HandlerError, command: str, started_at: float) -> RawResult:
    """The result of a hook that could not even be attempted."""
    words = f"{error.message}; {error.hint}" if error.hint else error.message
    return RawResult(launch_error=words, status_code=126, command=command, started_at=started_at)


def _expanded(action: Command, given: HandlerInput) -> Expanded:
    if action.argv:
        if not action.argv[0].strip():
            raise HandlerError("the hook's command is empty", "name the program to run first")
        return Expanded("", {}, " ".join(expand_arguments(action.argv, given)))
    if not action.line.strip():
        raise HandlerError("the hook's command is empty", "write the shell command to run")
    style = _STYLES.get(given.placeholders)
    if style is None or _MARKS[given.placeholders] not in action.line:
        return Expanded(action.line, {}, action.line)
    from hookline.handlers.shell.templates import Template, expand

    known = tuple(sorted(given.known))
    return expand(action.line, Template(style, given.variables, "empty" if known else "keep", known))


def expand_arguments(argv: tuple[str, ...], given: HandlerInput) -> tuple[str, ...]:
    """The arguments with their placeholders replaced, in one pass; no shell ever reads them."""
    mark = _MARKS.get(given.placeholders)
    if mark is None or not any(mark in part for part in argv):
        return argv
    import re

    pattern = re.compile(_IN_ARGUMENTS[given.placeholders])
    return tuple(pattern.sub(lambda match: _argument(match, given), part).replace("\0", "") for part in argv)


def _argument(match: re.Match[str], given: HandlerInput) -> str:
    name = match[match.lastindex or 1]
    value = given.variables.get(name)
    if value is None:
        return "" if name in given.known else match[0]
    return value if isinstance(value, str) else " ".join(value)


def _request(
    line: Expanded,
    action: Command,
    spec: HookSpec,
    given: HandlerInput,
    around: Around,
    account: Account | None,
) -> ProcessRequest:
    files = _value_files(spec, given, around.run_dir)
    env = child_environment(spec, given, around, files)
    if account is not None:
        env.update({name: value for name, value in account.env.items() if name not in spec.env})
    env.update(line.env)
    half = max(given.output_limit // 2, 1)
    return ProcessRequest(
        argv=expand_arguments(action.argv, given) if action.argv else (*action.shell, line.command),
        cwd=given.cwd or around.workspace or ".",
        env=env,
        stdin=payload_json(given.payload) + b"\n" if given.stdin else None,
        timeout_s=around.timeout_s,
        grace_s=spec.grace_s,
        head_limit=max(ANSWER_LIMIT, given.output_limit) - half,
        tail_limit=half,
        merge_output=given.merge_output,
        spill_path=around.output_path or None,
        # a merged output is a log that people open; of other hooks a file is worth it only when some is cut
        spill_from=0 if given.merge_output else given.output_limit,
        on_output=around.on_output,
        user=None if account is None else account.ids,
    )


def _raw(result: ProcessResult, prepared: Prepared, started_at: float, limit: int) -> RawResult:
    timings = result.timings
    half = max(limit // 2, 1)
    stdout, stderr = (shortened(each, limit - half, half) for each in (result.stdout, result.stderr))
    copied = prepared.copied
    if copied is not None:
        stdout, stderr = (replace(each, text=copied.unnamed(each.text)) for each in (stdout, stderr))
    answers = stdout.truncated and _may_answer(result.stdout.text)
    return RawResult(
        exit_code=result.exit_code,
        signal=result.signal,
        stdout=stdout.text,
        stderr=stderr.text,
        answer=result.stdout.text if answers and not result.stdout.truncated else "",
        answer_cut=answers and result.stdout.truncated,
        timed_out=result.timed_out,
        cancelled=result.cancelled,
        launch_error=result.launch_error or "",
        status_code=result.status_code,
        truncated=stdout.truncated or stderr.truncated,
        output_path=result.spill_path or "",
        command=prepared.shown,
        timings=Timings(0.0, timings.spawn_s, timings.run_s, timings.drain_s),
        started_at=started_at,
        survivors=len(result.survivors),
        notes=(*prepared.notes, *_notes(result)),
    )


def _may_answer(text: str) -> bool:
    """Whether an output, or its last line, begins like a JSON object."""
    text = text.strip().removeprefix("\ufeff").lstrip()
    return text.startswith("{") or text.rpartition("\n")[2].lstrip().startswith("{")


def _with_reply(raw: RawResult, path: str) -> RawResult:
    """The result with what the hook wrote into its reply file as `value`, if it wrote anything.

    What cannot be read is no JSON either, and so never counts as silence.
    """
    found = read_text(path, REPLY_LIMIT)
    if found.state == "text":
        return replace(raw, value=found.text)
    if found.state in ("unreadable", "undecodable"):
        return replace(raw, value=f"(it {found.reason})")
    return raw


def _notes(result: ProcessResult) -> tuple[str, ...]:
    """What went unlike a plain run, in words for people."""
    notes = list(result.notices)
    if result.stdin_unread:
        notes.append(INPUT_UNREAD)
    if result.stdout.invalid_utf8 or result.stderr.invalid_utf8:
        notes.append("the output was not all UTF-8; the broken bytes are shown as `\ufffd`")
    if result.killed_after_exit:
        notes.append(f"ended {_processes(len(result.killed_after_exit))} that the hook had left running")
    if result.survivors:
        notes.append(f"{_processes(len(result.survivors))} of the hook could not be ended")
    if result.spill_truncated:
        notes.append("the file with the full output was cut too")
    return tuple(notes)


def _processes(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes"
