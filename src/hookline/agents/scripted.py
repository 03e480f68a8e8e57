"""A model that plays a script: for trying hooks, tests and the demo, without a key or a network.

The script is YAML or JSON: `turns`, a list with `text`, `tool_calls: [{name, input}]`, `delay` (seconds),
`expect` (must occur in the newest user text or tool result) or `error`; and `after`, the answer to every
later request.
"""

from __future__ import annotations

import json
from asyncio import sleep
from collections.abc import Mapping, Sequence
from typing import Any

from hookline.agents.base import Message, Model, ModelError, ModelReply, ModelRequest, OnDelta, ToolUse, Usage
from hookline.model.errors import ConfigError
from hookline.model.record import Record
from hookline.model.short_json import as_written, whole
from hookline.system import files

_KEYS = ("text", "tool_calls", "delay", "expect", "error")
_CALL_KEYS = ("name", "input", "id")


class Turn(Record):
    """One scripted answer."""

    text: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    delay: float = 0.0
    expect: str = ""
    error: str = ""


class Script(Record):
    """A whole script; `source` names it in messages."""

    turns: tuple[Turn, ...] = ()
    after: str = "Done."
    source: str = "script"


class UnexpectedRequest(ModelError):
    """The conversation is not where the script expects it; the run fails."""


class ScriptedModel:
    """Plays a script, one entry per request, shared by subagents of the same run."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._next = 0

    @property
    def name(self) -> str:
        return f"scripted:{self.script.source}"

    def take(self, newest: str) -> Turn:
        """The next entry, after checking its `expect` against the newest text."""
        if self._next >= len(self.script.turns):
            return Turn(text=self.script.after)
        turn = self.script.turns[self._next]
        self._next += 1
        if turn.expect and turn.expect not in newest:
            raise UnexpectedRequest(
                f"{self.script.source}: turn {self._next} expects {turn.expect!r}, found {newest[-400:]!r}"
            )
        return turn

    async def request(self, request: ModelRequest, on_delta: OnDelta | None = None) -> ModelReply:
        turn = self.take(newest_text(request.messages))
        number = self._next
        if turn.delay:
            await sleep(turn.delay)
        if turn.error:
            kind = turn.error if turn.error in ("overloaded", "rate_limit", "server_error") else "unknown"
            raise ModelError(turn.error, kind)
        if on_delta is not None and turn.text:
            on_delta(turn.text)
        calls = tuple(
            ToolUse(
                str(call.get("id") or f"toolu_{number:02d}_{place}"), call["name"], call.get("input") or {}
            )
            for place, call in enumerate(turn.tool_calls, 1)
        )
        usage = Usage(len(str(request.messages)) // 4, len(turn.text) // 4 + 1)
        return ModelReply(turn.text, calls, "tool_use" if calls else "end_turn", usage)


class RecordingModel:
    """Writes one JSON line per request before the answer starts, then passes it on (`--record`)."""

    def __init__(self, model: Model, path: str) -> None:
        self.model = model
        self._path = path
        self._count = 0

    @property
    def name(self) -> str:
        return self.model.name

    async def request(self, request: ModelRequest, on_delta: OnDelta | None = None) -> ModelReply:
        self._count += 1
        line = {"n": self._count, "system": request.system, "messages": list(request.messages)}
        files.append_line(self._path, json.dumps(line, ensure_ascii=False, default=str))
        return await self.model.request(request, on_delta)


_WANTED = "a script is a YAML or JSON file with `turns`"


def newest_text(messages: Sequence[Message]) -> str:
    """All text of the newest user message: its words and its tool results."""
    for message in reversed(messages):
        if message["role"] == "user":
            return "\n".join(_block_text(block) for block in message["content"])
    return ""


def load_script(path: str) -> Script:
    """Reads a script file. Raises ConfigError with the place and what was wanted."""
    found = files.read_text(path)
    if found.state not in ("text", "empty"):
        why = (
            f"cannot be read: {found.reason}"
            if found.state == "unreadable"
            else found.reason or f"is {found.state}"
        )
        raise ConfigError(f"{path}: the script {why}", _WANTED)
    return script_from(whole(_content(found.text, path)), path)


def _content(text: str, path: str) -> Any:
    """What a script holds: YAML, which most JSON is too, though not all of it."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if path.endswith(".json"):
            place = f":{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else ""
            words = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            raise ConfigError(f"{path}{place}: not a script: {words}", _WANTED) from error
    import yaml

    try:
        return yaml.safe_load(text) or {}
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ConfigError(f"{path}{place}: not a script: {error.problem}", _WANTED) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date there is not
        raise ConfigError(f"{path}: not a script: {error}", _WANTED) from error


def script_from(content: Any, source: str = "script") -> Script:
    """A script from its plain form. Raises ConfigError."""
    if not isinstance(content, dict) or not isinstance(content.get("turns") or [], list):
        raise ConfigError(f"{source}: expected an object with a list `turns`")
    _refuse_others(content, ("turns", "after"), source)
    turns = tuple(_turn(entry, source, place) for place, entry in enumerate(content.get("turns") or []))
    return Script(turns, str(content.get("after", "Done.")), source)


def _refuse_others(given: Mapping[Any, Any], known: Sequence[str], where: str) -> None:
    unknown = [key for key in given if key not in known]
    if unknown:
        raise ConfigError(f"{where}: unknown key `{unknown[0]}`", f"known: {', '.join(sorted(known))}")


def _turn(entry: Any, source: str, place: int) -> Turn:
    where = f"{source}: turns[{place}]"
    if not isinstance(entry, dict):
        raise ConfigError(f"{where}: expected an object, found {as_written(entry)}")
    _refuse_others(entry, _KEYS, where)
    calls = entry.get("tool_calls") or []
    if not isinstance(calls, list):
        raise ConfigError(
            f"{where}.tool_calls: expected a list of `{{name, input}}`, found {as_written(calls)}"
        )
    for call in calls:
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            raise ConfigError(f"{where}.tool_calls: expected `{{name, input}}`, found {as_written(call)}")
        _refuse_others(call, _CALL_KEYS, f"{where}.tool_calls")
        if not isinstance(call.get("input") or {}, dict):
            raise ConfigError(
                f"{where}.tool_calls: `input`: expected an object, found {as_written(call['input'])}"
            )
    delay = entry.get("delay") or 0
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not 0 <= delay < float("inf"):
        raise ConfigError(f"{where}.delay: expected seconds, found {as_written(delay)}")
    return Turn(
        str(entry.get("text") or ""),
        tuple(calls),
        float(delay),
        str(entry.get("expect") or ""),
        str(entry.get("error") or ""),
    )


def _block_text(block: Mapping[str, Any]) -> str:
    if block["type"] == "text":
        return str(block["text"])
    if block["type"] != "tool_result":
        return ""
    content = block.get("content", "")
    return content if isinstance(content, str) else "\n".join(_block_text(item) for item in content)
