"""The JSON Schema of `hooks.toml`, for editors that know TOML."""

from __future__ import annotations

from hookline.dialects.hookline.config import ANSWERS, HANDLERS, MATCHER_KEYS
from hookline.dialects.hookline.rules import PREDICATES, RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TEXT = {"type": "string", "minLength": 1}
_FLAG = {"type": "boolean"}
_TEXTS = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
_MAP = {"type": "object", "additionalProperties": {"type": "string"}}
_TIME = {"type": "string", "pattern": "^\\s*[0-9]+(\\.[0-9]+)?\\s*(ms|s|m|min|h)\\s*$"}
_JUDGE = {
    "type": "object",
    "description": "the model for prompt hooks outside a session; only in your own file and the machine's",
    "required": ["model"],
    "properties": {
        "model": {
            "type": "string",
            "pattern": "^[^:]+:.+$",
            "description": "`anthropic:NAME`, `openai:NAME`",
        },
        "base_url": {"type": "string", "pattern": "^https?://"},
        "key_env": {"type": "string", "description": "the variable that holds the key"},
        "models": {**_MAP, "description": "what the names in hooks' `model` stand for"},
    },
    "additionalProperties": False,
}
_WORDS = {
    "shell": "commands of a shell tool, each sub-command by itself: `git push*`",
    "write": "files a tool writes: `src/**`",
    "read": "files a tool reads",
    "rule": "a permission rule such as `Bash(git *)`",
    "files": "files of the event: `*.py`",
    "agent_type": "only inside these agents",
}


def hookline_schema() -> dict[str, Any]:
    """The whole file, as JSON would hold it."""
    events = [kind.value for kind in RULES]
    event = {"anyOf": [{"enum": events}, {"type": "string", "pattern": "^[a-z]+:[A-Za-z_-]+$"}]}
    hook = {
        "type": "object",
        "required": ["event"],
        "properties": {"event": {"anyOf": [event, {"type": "array", "items": event}]}, **_properties()},
        "oneOf": [{"required": [name]} for name in HANDLERS],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hookline hooks.toml",
        "type": "object",
        "properties": {
            "version": {"const": 1},
            "hooks": {"type": "array", "items": hook},
            "budget": {
                "type": "object",
                "description": "how long all hooks of an event together may take",
                "properties": dict.fromkeys(events, _TIME),
                "additionalProperties": False,
            },
            "judge": _JUDGE,
            "managed_only": {**_FLAG, "description": "only in the machine's file: no other hooks run"},
        },
        "additionalProperties": False,
    }


def _properties() -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "enabled": {**_FLAG, "default": True},
        "timeout": {**_TIME, "default": "60s"},
        "grace": {**_TIME, "default": "2s"},
        "on_failure": {"enum": ["block", "allow", "ask"], "description": "what a broken hook means"},
        "background": _FLAG,
        "wake": {**_FLAG, "description": "in the background; its exit 2 wakes the agent"},
        "once": {**_FLAG, "description": "once a session"},
        "env": _MAP,
        "pass_env": _TEXTS,
        "environment": {"enum": ["inherit", "clean"], "default": "inherit"},
        "status": {"type": "string", "description": "shown while the hook runs"},
        "order": {"type": "integer", "default": 0, "description": "lower ones run first"},
        "needs": {**_TEXTS, "description": "names of hooks that must have succeeded before"},
        "group": {"type": "string", "description": "neighbours of one group run side by side"},
        "output": {"enum": ["reply", "context", "message", "ignore"], "description": "where plain text goes"},
        "options": {"type": "object", "description": "settings of the dialect the hook talks"},
        "run": {**_TEXTS, "description": "a shell line, or a program and its arguments"},
        "shell_program": _TEXTS,
        "post": {"type": "string", "pattern": "^https?://"},
        "method": {"enum": ["POST", "PUT", "post", "put"]},
        "headers": _MAP,
        "allowed_env": {"type": "array", "items": _TEXT},
        "prompt": {**_TEXT, "description": "a question to a model"},
        "model": {"type": "string"},
        "agent": _FLAG,
        "continue_on_block": _FLAG,
        "mcp": {"type": "string", "pattern": "^.+/[^/]+$", "description": "`server/tool`"},
        "input": {"type": "object"},
        "commit": {**_TEXT, "description": "commit what changed, with this message"},
        "stage": {"enum": ["all", "staged"]},
        "no_verify": _FLAG,
        "push": {**_TEXT, "description": "push to this remote"},
        "branch": {"type": "string"},
        **{
            verdict: {**_TEXT, "description": f"{verdict}, with this text, and run nothing"}
            for verdict in ANSWERS
        },
        **dict.fromkeys(MATCHER_KEYS, _TEXTS),
        **{name: {**_TEXTS, "description": _WORDS.get(name, "")} for name in PREDICATES},
    }
    found["touches"] = {
        "enum": ["guards"],
        "description": "calls that change hooks or trust, or go around them",
    }
    found["where"] = {**_MAP, "description": "payload fields by their path, with `*`: `tool_input.url`"}
    return found
