"""Config in Claude Code's shape: what loads, what is reported, and that siblings survive."""

from __future__ import annotations

import json
from typing import Any

from hookline.dialects.base import Source, SourceText
from hookline.dialects.keys import ARGS, CLAUDE_KEYS, COMMAND, TIMEOUT, TYPE, Keys, read_keys
from hookline.dialects.reading.documents import read_document
from hookline.dialects.reading.json_hooks import (
    Entry,
    Shape,
    make_spec,
    read_entries,
    read_handler,
)
from hookline.dialects.reading.reader import Reader
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import Action, Command, McpTool, PromptCheck, Unusable, Webhook
from hookline.model.record import replace

KINDS = {"PreToolUse": EventKind.PreToolUse, "Stop": EventKind.Stop}
SHAPE = Shape(KINDS.get, tuple(KINDS), lambda native: native == "PreToolUse")
FLAT = Shape(KINDS.get, tuple(KINDS), lambda native: True, flat=True)


def entries(hooks: object, shape: Shape = SHAPE) -> tuple[list[Entry], list[Problem]]:
    problems: list[Problem] = []
    document = read_document("json", json.dumps({"hooks": hooks}, indent=1), "settings.json", problems)
    assert document is not None
    events = document.object("hooks")
    return (list(read_entries(events, shape)) if events else []), problems


def handler(**fields: Any) -> tuple[Action | None, Reader]:
    (entry,), _ = entries({"Stop": [{"hooks": [fields]}]})
    return read_handler(
        entry.reader, CLAUDE_KEYS, ("command", "http", "mcp_tool", "prompt", "agent")
    ), entry.reader


def test_groups_yield_their_handlers_in_file_order() -> None:
    found, problems = entries(
        {
            "PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "a"}, {"command": "b"}]}],
            "Stop": [{"hooks": [{"command": "c"}]}],
        }
    )
    assert [(e.native, e.matcher, e.reader.string("command")) for e in found] == [
        ("PreToolUse", "Bash", "a"),
        ("PreToolUse", "Bash", "b"),
        ("Stop", None, "c"),
    ]
    assert problems == []


def test_an_unknown_event_is_reported_at_its_name_with_the_nearest_one() -> None:
    found, problems = entries({"PreTooluse": [{"hooks": [{"type": "command", "command": "x"}]}]})
    assert [entry.kind for entry in found] == [EventKind.NoSuchEvent]
    assert [(p.code, p.line, p.hint, p.guard) for p in problems] == [
        ("unknown-event", 3, "did you mean `PreToolUse`?", True)
    ]


def test_one_broken_part_never_silences_its_siblings() -> None:
    found, problems = entries(
        {
            "PreToolUse": [{"matcher": 5, "hooks": []}, {"matcher": "x"}, "y", {"hooks": [{"command": "z"}]}],
            "Stop": {"hooks": []},
        }
    )
    assert [entry.reader.string("command") for entry in found] == ["z"]
    assert [p.path for p in problems] == [
        "hooks.PreToolUse[0].matcher",
        "hooks.PreToolUse[1]",
        "hooks.PreToolUse[2]",
        "hooks.Stop",
    ]
    assert [p.guard for p in problems] == [True, True, True, False]


def test_a_flat_entry_counts_where_the_dialect_has_them() -> None:
    both = {"matcher": "A", "command": "flat", "hooks": [{"command": "nested"}]}
    found, problems = entries({"Stop": [both]}, FLAT)
    assert [(e.reader.string("command"), e.matcher, e.is_flat) for e in found] == [
        ("flat", "A", True),
        ("nested", "A", False),
    ]
    assert problems == []


def test_every_handler_type_is_read() -> None:
    assert handler(type="command", command="ls")[0] == Command("ls")
    assert handler(type="command", command="ls", args=["-l"])[0] == Command(argv=("ls", "-l"))
    assert handler(type="command", command="ls", shell="bash")[0] == Command("ls", shell=("bash", "-c"))
    assert handler(type="http", url="https://x/", headers={"A": "b"})[0] == Webhook(
        "https://x/", "POST", {"A": "b"}, ()
    )
    assert handler(type="mcp_tool", server="s", tool="t", input={"a": 1})[0] == McpTool("s", "t", {"a": 1})
    assert handler(type="prompt", prompt="ok?", continueOnBlock=True)[0] == PromptCheck(
        "ok?", continue_on_block=True
    )
    assert handler(type="agent", prompt="look")[0] == PromptCheck("look", agent=True, continue_on_block=True)


def test_a_key_that_the_agent_does_not_have_changes_nothing() -> None:
    (entry,), _ = entries(
        {"Stop": [{"hooks": [{"type": "command", "command": "ls", "args": ["-l"], "shell": "bash"}]}]}
    )
    assert read_handler(entry.reader, Keys((TYPE, COMMAND)), ("command",)) == Command("ls")
    assert read_handler(entry.reader, Keys((TYPE, COMMAND, ARGS)), ("command",)) == Command(argv=("ls", "-l"))


def test_a_handler_without_its_field_is_no_action() -> None:
    for fields in ({}, {"type": "x"}, {"type": "command"}, {"type": "command", "command": " "}, {"type": 3}):
        action, reader = handler(**fields)
        assert action is None and reader.broken


def test_a_broken_entry_stays_visible_as_an_unusable_hook() -> None:
    (entry,), _ = entries({"Stop": [{"hooks": [{"type": "command"}]}]})
    source = Source("/w/settings.json", "project", "json", "settings.json")
    given = SourceText(source, "text", path=source.path, shown=source.shown)
    action = read_handler(entry.reader, CLAUDE_KEYS, ("command",))
    spec = make_spec(entry, given, "claude", 1, action, read_keys(entry.reader, CLAUDE_KEYS), timeout_s=60.0)
    assert spec.action == Unusable("hooks.Stop[0].hooks[0].command: `command` is missing")
    assert (spec.id, spec.line, spec.source) == ("claude:Stop:1", 6, "settings.json")


def test_the_common_keys_are_read_in_the_dialects_unit() -> None:
    (entry,), _ = entries(
        {"Stop": [{"hooks": [{"timeout": 1500, "if": "Bash(git *)", "asyncRewake": True, "once": True}]}]}
    )
    keys = Keys(replace(key, type="milliseconds") if key is TIMEOUT else key for key in CLAUDE_KEYS)
    assert read_keys(entry.reader, keys) == {
        "timeout_s": 1.5, "condition": "Bash(git *)", "background": True, "once": True, "conduct.rewake": True,
    }  # fmt: skip
