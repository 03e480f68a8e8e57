"""Agents that are programs: started for one turn, given their task on stdin, read by their stream format.

`claude` and `gemini` as AutoAgent calls them; any other program by its own `CliProgram`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from shutil import which
from typing import Any

from hookline.agents.base import OnEvent
from hookline.model.errors import unheard
from hookline.model.record import Record, replace
from hookline.model.short_json import json_or, value_at
from hookline.system.processes.process import ProcessRequest, ProcessResult, run_process
from hookline.system.repository.git import without_location

VERSION_TIMEOUT_S = 30.0
ARGUMENT_LIMIT = 100_000
LINE_LIMIT = 16 << 20
ANSWER_LIMIT = 1 << 20
LIMIT_WORDS = ("rate limit", "rate_limit", "usage limit", "too many requests", "quota exceeded")
INSTRUCTIONS, SESSION = "{{instructions}}", "{{session}}"


class CliProgram(Record):
    """How a program is called. `{{instructions}}` in `command` stands for them; else they go to stdin first.

    `format`: text (all of stdout is the answer) or stream-json (one message per line, as Claude Code
    writes). `version` are the arguments of the availability check (none: only being on PATH counts) and
    `version_word` what it must print. `models` are tried in turn when a limit is reached. `resume` are
    further arguments to go on with `{{session}}`. `directory_flag` precedes each further directory.
    """

    name: str
    command: tuple[str, ...]
    format: str = "text"
    version: tuple[str, ...] = ()
    version_word: str = ""
    models: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    directory_flag: str = ""


PROGRAMS: Mapping[str, CliProgram] = {
    "claude": CliProgram(
        "claude",
        ("claude", "-p", INSTRUCTIONS, "--output-format", "stream-json", "--verbose",
         "--dangerously-skip-permissions", "--max-turns", "30"),
        "stream-json", ("--version",), "claude", resume=("--resume", SESSION), directory_flag="--add-dir",
    ),
    "gemini": CliProgram(
        "gemini", ("gemini", "--all_files", "--yolo"), version=("--version",),
        models=("gemini-2.5-pro", "gemini-2.5-flash"), directory_flag="--include-directories",
    ),
}  # fmt: skip


class CliTask(Record):
    """One turn: what to do, where, for how long (seconds), and what to go on from."""

    instructions: str
    content: str
    cwd: str
    environment: Mapping[str, str]
    directories: tuple[str, ...] = ()
    session: str = ""
    timeout_s: float | None = None


class CliReply(Record):
    """How a turn ended. `fault` is empty when it succeeded: rate_limit, failed, final, not_started, timed_out.

    `failed` is an end without a result, which may go better next time; `final` a result that is a failure.
    `session` names the conversation, where the program told one.
    """

    text: str = ""
    fault: str = ""
    error: str = ""
    session: str = ""


def program_from(name: str, entry: Mapping[str, Any]) -> CliProgram:
    """A program from its plain form in a config; keys as the fields of `CliProgram`."""

    def words(key: str) -> tuple[str, ...]:
        found = entry.get(key)
        return tuple(map(str, found)) if isinstance(found, list) else ()

    known = entry.get("format") if entry.get("format") in ("text", "stream-json") else "text"
    return CliProgram(
        name,
        words("command"),
        str(known),
        words("version"),
        str(entry.get("versionWord") or ""),
        words("models"),
        words("resume"),
        str(entry.get("directoryFlag") or ""),
    )


async def why_unavailable(program: CliProgram, cwd: str, environment: Mapping[str, str]) -> str:
    """Why the program cannot be used here, in words; empty when it can."""

    executable = program.command[0]
    if not program.version:
        found = which(executable, path=environment.get("PATH"))
        return "" if found else f"`{executable}` is not on PATH"
    argv = (executable, *program.version)
    result = await run_process(
        ProcessRequest(argv, cwd, without_location(environment), timeout_s=VERSION_TIMEOUT_S)
    )
    if result.launch_error:
        return result.launch_error
    shown = " ".join(argv)
    if result.timed_out:
        return f"`{shown}` did not answer within {VERSION_TIMEOUT_S:.0f} s"
    if result.exit_code != 0:
        return f"`{shown}` ended with {result.status_code}"
    printed = result.stdout.text + result.stderr.text
    if program.version_word.lower() not in printed.lower():
        return f"`{shown}` did not say `{program.version_word}`"
    return ""


async def run_turn(program: CliProgram, task: CliTask, on_event: OnEvent = unheard) -> CliReply:
    """Runs one turn to its end. Cancelling stops the program and all it started."""
    reply = CliReply(fault="not_started", error="the program has no command")
    for model in program.models or ("",):
        reply = await _run_once(program, task, model, on_event)
        if reply.fault != "rate_limit":
            break
    return reply


def is_limit(text: str) -> bool:
    """True when a program's words say that its account has to wait."""
    folded = text.lower()
    return any(word in folded for word in LIMIT_WORDS)


async def _run_once(program: CliProgram, task: CliTask, model: str, on_event: OnEvent) -> CliReply:
    stream = StreamReader(on_event) if program.format == "stream-json" else None
    argv, stdin = _call(program, task, model)
    request = ProcessRequest(
        argv, task.cwd, without_location(task.environment), stdin.encode("utf-8", "replace"),
        timeout_s=task.timeout_s, grace_s=5.0, head_limit=ANSWER_LIMIT,
        on_output=stream.feed if stream else None,
    )  # fmt: skip
    result = await run_process(request)
    if stream is None:
        return _judged(result, result.stdout.text.strip(), "", "")
    stream.finish()
    reply = _judged(result, stream.answer, stream.error, stream.session, wants_result=not stream.ended)
    return replace(reply, fault="final") if reply.fault == "failed" and stream.ended else reply


def _call(program: CliProgram, task: CliTask, model: str) -> tuple[tuple[str, ...], str]:
    """The command line and what goes to stdin."""
    fits = len(task.instructions.encode("utf-8", "replace")) <= ARGUMENT_LIMIT
    inline = INSTRUCTIONS in program.command and fits
    words = [
        task.instructions.replace("\0", "") if word == INSTRUCTIONS and inline else word
        for word in program.command
    ]
    if not inline:
        words = [word for word in words if word != INSTRUCTIONS]
    words += [
        part
        for folder in task.directories
        if program.directory_flag
        for part in (program.directory_flag, folder)
    ]
    words += ["--model", model] if model else []
    words += [task.session if word == SESSION else word for word in program.resume] if task.session else []
    return tuple(words), task.content if inline else f"{task.instructions}\n\n{task.content}"


def _judged(
    result: ProcessResult, answer: str, error: str, session: str, wants_result: bool = False
) -> CliReply:
    """What the end of the program and its words mean together."""
    said = error or result.stderr.text.strip()[-4000:]
    if result.launch_error:
        return CliReply(fault="not_started", error=result.launch_error)
    if result.timed_out:
        return CliReply(answer, "timed_out", "the provider did not end in time", session)
    if result.exit_code == 0 and not error and not wants_result:
        return CliReply(answer, session=session)
    if is_limit(f"{said}\n{answer if result.exit_code != 0 else ''}"):
        return CliReply(answer, "rate_limit", said or answer[-400:], session)
    if not said:
        ended = "without a result" if result.exit_code == 0 else f"with {result.status_code}"
        said = f"the provider ended {ended}: {answer[-400:]}" if answer else f"the provider ended {ended}"
    return CliReply(answer, "failed", said, session)


class StreamReader:
    """Claude Code's `stream-json`: one JSON message per line, as it comes."""

    def __init__(self, on_event: OnEvent = unheard) -> None:
        self.answer = ""
        self.error = ""
        self.session = ""
        self.ended = False
        self._texts: list[str] = []
        self._on_event = on_event
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""

    def feed(self, stream: str, chunk: bytes) -> None:
        """Takes output as it arrives; lines that are no message are passed over."""
        if stream != "stdout":
            return
        *lines, self._rest = (self._rest + self._decode(chunk)).split("\n")
        for line in lines:
            self._line(line)
        if len(self._rest) > LINE_LIMIT:
            self._rest = ""

    def finish(self) -> None:
        """The program has ended: the last line may lack its end."""
        self._line(self._rest)
        self.answer = self.answer or "\n".join(self._texts)

    def _line(self, line: str) -> None:
        message = json_or(line)
        if not isinstance(message, dict):
            return
        if isinstance(message.get("session_id"), str):
            self.session = message["session_id"]
        step = _STEPS.get(str(message.get("type")))
        if step is not None:
            step(self, message)

    def take_result(self, message: Mapping[str, Any]) -> None:
        self.ended = True
        text = message.get("result")
        self.answer = text if isinstance(text, str) else ""
        if message.get("is_error") or str(message.get("subtype", "success")).startswith("error"):
            self.error = self.answer or str(message.get("subtype"))

    def take_error(self, message: Mapping[str, Any]) -> None:
        found = message.get("error", message.get("message"))
        self.error = str(found.get("message", found)) if isinstance(found, dict) else str(found)

    def take_assistant(self, message: Mapping[str, Any]) -> None:
        for block in _blocks(message):
            if block.get("type") == "text":
                self._texts = [*self._texts[-99:], str(block.get("text", ""))]
                self._tell("message", role="assistant", text=str(block.get("text", "")))
            elif block.get("type") == "tool_use":
                given = block.get("input") if isinstance(block.get("input"), dict) else {}
                self._tell("tool.started", id=block.get("id"), name=str(block.get("name")), input=given)

    def take_user(self, message: Mapping[str, Any]) -> None:
        for block in _blocks(message):
            if block.get("type") == "tool_result":
                failed = bool(block.get("is_error"))
                self._tell("tool.finished", id=block.get("tool_use_id"), is_error=failed)

    def _tell(self, type: str, **fields: Any) -> None:
        self._on_event({"type": type, **fields})


_STEPS: Mapping[str, Callable[[StreamReader, Mapping[str, Any]], None]] = {
    "result": StreamReader.take_result,
    "error": StreamReader.take_error,
    "assistant": StreamReader.take_assistant,
    "user": StreamReader.take_user,
}


def _blocks(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = value_at(message, "message.content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
