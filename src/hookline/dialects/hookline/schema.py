"""The JSON Schema of `hooks.toml`, for editors that know TOML."""

from __future__ import annotations

from hookline.dialects.hookline.actions import ACTIONS, HANDLERS
from hookline.dialects.hookline.config import MATCHER_KEYS, ROWS
from hookline.dialects.hookline.own_rows import PROGRAM_KEYS, TOOL_EFFECTS
from hookline.dialects.hookline.packs import LEVELS, SHIPPED
from hookline.dialects.hookline.predicates import EFFECT_NAMES, EXCEPTED, KINDS_OF_EXAMPLES, UNSURE
from hookline.dialects.hookline.rules import PREDICATES, RULES
from hookline.dialects.keys import Key
from hookline.dialects.schemas import file_schema, key_schema, table_schema
from hookline.model.typing import Any

_TEXT = {"type": "string", "minLength": 1}
_FLAG = {"type": "boolean"}
_TEXTS = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
_MAP = {"type": "object", "additionalProperties": {"type": "string"}}
_TIME = key_schema(Key("", "span"))
_JUDGE = table_schema(
    {
        "model": {
            "type": "string",
            "pattern": "^[^:]+:.+$",
            "description": "`anthropic:NAME`, `openai:NAME`",
        },
        "base_url": {"type": "string", "pattern": "^https?://"},
        "key_env": {"type": "string", "description": "the variable that holds the key"},
        "models": {**_MAP, "description": "what the names in hooks' `model` stand for"},
    },
    "model",
    description="the model for prompt hooks outside a session; only in your own file and the machine's",
)
_PACK = table_schema(
    {
        "git": {**_TEXT, "description": "a repository git can reach, or a folder"},
        "rev": {"type": "string", "description": "a branch, tag or commit"},
        "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]+$"},
        "level": {"enum": list(LEVELS)},
        "off": _TEXTS,
    },
    "git",
)
_WORDS = {
    "shell": "a command by its words, however it is spelled: `git push --force`",
    "shell_exact": "the same, and nothing else stands there",
    "write": "paths that a tool or a command writes: `src/**`",
    "read": "paths that it reads",
    "delete": "paths that it deletes",
    "connect": "hosts that it talks to: `*.example.com`",
    "outside": "only paths outside of `workspace`, `home`, what is there already (`existing`) or a folder",
    "rule": "a permission rule such as `Bash(git *)`",
    "files": "files of the event: `*.py`",
    "agent_type": "only inside these agents",
}


_CALL = table_schema({"tool": _TEXT, "input": {"type": "object"}}, "tool", "input")
_EXAMPLES = table_schema(
    {name: {"type": "array", "items": {"anyOf": [_TEXT, _CALL]}} for name in KINDS_OF_EXAMPLES},
    description="commands and calls that the rule is held to",
)
_PROGRAM = table_schema(dict.fromkeys(PROGRAM_KEYS, _TEXTS), "name")
_TOOL = table_schema(dict.fromkeys(("name", *TOOL_EFFECTS), _TEXTS), "name")


def hookline_schema() -> dict[str, Any]:
    """The whole file, as JSON would hold it."""
    events = [kind.value for kind in RULES]
    event = {"anyOf": [{"enum": events}, {"type": "string", "pattern": "^[a-z]+:[A-Za-z_-]+$"}]}
    hook = table_schema(
        {"event": {"anyOf": [event, {"type": "array", "items": event}]}, **_properties()},
        "event",
        oneOf=[{"required": [name]} for name in HANDLERS],
    )
    return file_schema(
        "hookline hooks.toml",
        {
            "version": {"const": 1},
            "hooks": {"type": "array", "items": hook},
            "programs": {"type": "array", "items": _PROGRAM, "description": "what further programs do"},
            "tools": {"type": "array", "items": _TOOL, "description": "what further tools do"},
            "budget": table_schema(
                dict.fromkeys(events, _TIME), description="how long all hooks of an event together may take"
            ),
            "judge": _JUDGE,
            "use": {
                "type": "array",
                "items": {"enum": list(SHIPPED)},
                "description": "ready rules: `hookline packs`",
            },
            "level": {
                "enum": list(LEVELS),
                "default": "balanced",
                "description": "how strict the rules of packs are",
            },
            "off": {**_TEXTS, "description": "rules of packs that are switched off, by name"},
            "packs": {"type": "array", "items": _PACK},
            "managed_only": {**_FLAG, "description": "only in the machine's file: no other hooks run"},
        },
        additionalProperties=False,
    )


def _properties() -> dict[str, Any]:
    found: dict[str, Any] = {
        **{row.name: key_schema(row) for row in (*ROWS, *ACTIONS)},
        **dict.fromkeys(MATCHER_KEYS, _TEXTS),
        **{name: {**_TEXTS, "description": _WORDS.get(name, "")} for name in PREDICATES},
    }
    found["mcp"]["pattern"] = "^.+/[^/]+$"
    effects = {"enum": list(EFFECT_NAMES)}
    found["does"] = {
        "anyOf": [effects, {"type": "array", "items": effects, "minItems": 1}],
        "description": "effects with a name",
    }
    exception = table_schema({name: found[name] for name in EXCEPTED})
    found["except"] = {
        "anyOf": [exception, {"type": "array", "items": exception}],
        "description": "what is meant to pass",
    }
    found["unsure"] = {"enum": list(UNSURE), "description": "what it means that a rule cannot be told"}
    found["unknown"] = {"enum": list(UNSURE), "description": "the same for words of which nothing is known"}
    found["opaque"] = {"enum": list(UNSURE), "description": "the same for code nobody sees into"}
    found["examples"] = _EXAMPLES
    found["touches"] = {
        "enum": ["guards"],
        "description": "calls that change hooks or trust, or go around them",
    }
    found["where"] = {**_MAP, "description": "payload fields by their path, with `*`: `tool_input.url`"}
    return found
