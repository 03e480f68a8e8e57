"""Runs a hook that is a call to a tool of a connected MCP server."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any

from hookline.handlers.base import Around
from hookline.handlers.deadline import Ended, within
from hookline.model.hooks import HandlerInput, HookSpec, McpTool
from hookline.model.record import replace
from hookline.model.results import RawResult, Timings
from hookline.model.short_json import json_or

_FIELD = re.compile(r"\$\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)\}")


async def run_mcp_tool(action: McpTool, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """Calls the tool; its text is `stdout`, `value` what it holds as JSON.

    An error the tool reports is a failure (`exit_code` 1, its text in `stderr`); a server that is not
    connected is `launch_error`.
    """
    began = time.monotonic()
    raw = RawResult(command=spec.command, started_at=time.time())
    if around.call_tool is None:
        words = f"the MCP server `{action.server}` is not connected; this host has no MCP servers"
        return replace(raw, launch_error=words, status_code=126)
    arguments = filled(dict(action.input), given.payload)
    call = around.call_tool(action.server, action.tool, arguments)
    ended = await within(call, around.timeout_s, spec.grace_s)
    return _answered(replace(raw, timings=Timings(run=time.monotonic() - began)), ended)


def filled(value: Any, payload: Mapping[str, Any]) -> Any:
    """`value` with every `${field.nested}` of the payload in place, at any depth, in one pass.

    A text that is nothing but a placeholder takes the field's own JSON type; a field the payload does not
    have is the empty text.
    """
    if isinstance(value, dict):
        return {name: filled(item, payload) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [filled(item, payload) for item in value]
    if not isinstance(value, str):
        return value
    whole = _FIELD.fullmatch(value)
    if whole:
        return _field(payload, whole[1])
    return _FIELD.sub(lambda match: _text(_field(payload, match[1])), value)


def _field(payload: Any, path: str) -> Any:
    for name in path.split("."):
        if not hasattr(payload, "get") or payload.get(name) is None:
            return ""
        payload = payload[name]
    return payload


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _answered(raw: RawResult, ended: Ended) -> RawResult:
    if ended.timed_out:
        return replace(raw, timed_out=True, status_code=124, survivors=int(ended.abandoned))
    if ended.error is not None:
        words = str(ended.error) or type(ended.error).__name__
        return replace(raw, launch_error=f"the tool could not be called: {words}", status_code=126)
    text, value, is_error = _content(ended.value)
    if is_error:
        return replace(raw, exit_code=1, status_code=1, stderr=text)
    return replace(raw, exit_code=0, status_code=0, stdout=text, value=value)


def _content(answer: Any) -> tuple[str, Any, bool]:
    """Text, JSON value and failure of an MCP result (an object or its JSON form), or of a plain text."""
    if isinstance(answer, str):
        return answer, json_or(answer), False
    blocks = _part(answer, "content") or ()
    text = "\n".join(str(_part(block, "text")) for block in blocks if _part(block, "text") is not None)
    structured = _part(answer, "structuredContent", "structured_content")
    value = json_or(text) if structured is None else structured
    return text, value, bool(_part(answer, "isError", "is_error"))


def _part(holder: Any, *names: str) -> Any:
    for name in names:
        found = holder.get(name) if hasattr(holder, "get") else getattr(holder, name, None)
        if found is not None:
            return found
    return None
