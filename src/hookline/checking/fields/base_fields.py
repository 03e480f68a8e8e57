"""Fields that every event has, read by a name that people guess: `transcript` where `transcript_path` is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from hookline.checking.fields.field_rules import (
    about_one_tool,
    payload_of,
    sought,
)
from hookline.checking.fields.never_sent import fields_at
from hookline.checking.inputs.payload_reads import names_read, reads_in
from hookline.checking.inputs.reads import EACH
from hookline.checking.lines import HookLine
from hookline.dialects import dialect, is_agent
from hookline.dialects.matching.matchers import listed_names
from hookline.model.events import EventKind
from hookline.system.patterns.late import late

# What people call a field, by the name that agents have for it.
_GUESSES = {
    "transcript_path": ("transcript", "transcriptPath", "transcript_file", "transcriptFile"),
    "hook_event_name": (
        "event", "eventName", "event_name", "hookEvent", "hook_event", "hookEventName", "hook_name", "hookName",
        "eventType", "event_type", "hook_type",
    ),
    "session_id": ("sessionId", "session", "sessionID"),
    "cwd": (
        "working_directory", "workingDirectory", "working_dir", "workspace", "workspaceRoot", "workspace_root",
        "project_dir", "projectDir", "project_root", "workspaceFolder",
    ),
    "agent_id": ("subagent_id", "subagentId"),
    "agent_type": ("agent_name", "agentName", "subagent_name", "subagentName", "subagent_type", "agentType"),
    "stop_hook_active": ("stopHookActive", "stop_active", "hook_active"),
    "last_assistant_message": (
        "last_message", "lastMessage", "assistant_message", "final_message", "lastAssistantMessage",
        "agent_output", "agentOutput", "subagent_output", "agent_message",
    ),
    "source": ("session_type", "sessionType", "start_type", "start_source", "session_source"),
    "trigger": ("compact_type", "compactType", "compaction_type", "compact_trigger"),
    "tool_use_id": ("toolUseId", "toolUseID"),
}  # fmt: skip
_MEANT = {guess: right for right, guesses in _GUESSES.items() for guess in guesses}
_CODES = frozenset(
    {"exit_code", "exitCode", "exit_status", "exitStatus", "return_code", "returnCode", "returncode"}
)
_ABOUT_A_CALL = (
    EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PermissionRequest, EventKind.UserPromptSubmit,
)  # fmt: skip
_OTHERWISE = {"agent_type": ("subagent_type",)}  # what another agent calls it
_IF_IT_FAILS = late(r"\|\|\s*(?:echo|printf)\b")  # of a shell, when the program that reads it fails

_LOOKED_FOR = late(r"\b\w++\(\s*+\w++\s*+,\s*+[{\[(]((?>(?:\s*[\"']\w++[\"']\s*,?)+))\s*[}\])]", needs=("(",))
# a function that has `jq` read the field it is given: `field tool_name`
_JQ_FUNCTION = late(
    r"(?m)^[ \t]*(?:function[ \t]+)?(\w+)[ \t]*\(\)\s{0,99}\{(?:[^}]{0,200}?\bjq\b[^}\n]*[\"']\.\$\{?1\b"
    r"|\s*local (\w+)=\"?\$1\"?\s[^}]{0,200}?\bjq\b[^}\n]*\"\.?\$\2\b)"
)


def guessed_fields(line: HookLine, shown: str, text: str) -> Iterator[tuple[str, str]]:
    """A field read from the hook's own input that no event of the agent has, for each one that is meant, and that."""
    entry = line.entry
    if not is_agent(entry.speaker.name) or entry.rule is None:
        return
    read = (*names_read(line, shown, text), *_asked_for_one_of(text))
    inside = (way for each in reads_in(line, shown, text) for way in each.ways if len(way) > 1)
    deeper = {way[0] for way in inside if way[1] != EACH}
    wanted = [name for name in dict.fromkeys(read) if name in _MEANT and name not in deeper]
    if not wanted:
        return
    here = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, {})
    optional = {name.rstrip("?") for name in getattr(entry.rule, "fields", ())}
    words = frozenset(re.findall(r"\w+", text))
    told: dict[str, str] = {}
    for name in wanted:
        usual = _MEANT[name]
        right = next((each for each in _OTHERWISE.get(usual, ()) if each in here), usual)
        if right == "hook_event_name" and entry.spec.native_event in line.text:
            continue  # the line says it
        if right in optional.union(here) - words and name not in _ever_sent(entry.speaker.name) | fields_at(
            entry
        ):
            told.setdefault(right, name)
    yield from ((name, right) for right, name in told.items())


def deeper_fields(line: HookLine, shown: str, text: str) -> Iterator[tuple[str, str]]:
    """A field read at the top of what is sent, where it stands in an object, and its place."""
    entry = line.entry
    if not is_agent(entry.speaker.name) or entry.rule is None or entry.spec.kind in _ABOUT_A_CALL:
        return
    given = {"last_assistant_message": "x"}
    sent = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, given)
    places = {
        name: f"{key}.{name}"
        for key, value in sent.items()
        if isinstance(value, dict) and not re.search(rf"\b{key}\b", text)
        for name in value
    }
    read = (*names_read(line, shown, text), *_asked_by_function(text)) if places else ()
    wrong = next((each for each in read if each in places.keys() - _ever_sent(entry.speaker.name)), "")
    if wrong:
        yield wrong, places[wrong]


def code_of_nobody(line: HookLine, shown: str, text: str) -> Iterator[str]:
    """How a command ended, which the agent tells nobody, read at the top of what is sent."""
    entry = line.entry
    if entry.spec.kind is not EventKind.PostToolUse or not is_agent(entry.speaker.name) or entry.rule is None:
        return
    names = listed_names(entry.spec.matcher) if entry.rule.subject == "tool_name" else about_one_tool(line)
    tools = {entry.speaker.tools.canonical(each) for each in names}
    wrong = next((each for each in (*names_read(line, shown, text), *sought(text)) if each in _CODES), "")
    if not wrong or (tools and "Bash" not in tools):
        return
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "x"}}
    sent = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, call)
    instead = rf"\b{wrong}\b[^\n]*(?://|\?\?|\|\||\bor\b|\.get\()|(?://|\?\?|\|\||\bor\b)[^\n]*\b{wrong}\b"
    if (
        "'ls'" in repr(sent)
        and not _CODES & _names_in(sent)
        and not re.search(instead, _IF_IT_FAILS.sub("", text))
    ):
        yield wrong


def _names_in(value: Mapping[str, object]) -> frozenset[str]:
    inner = (_names_in(each) for each in value.values() if isinstance(each, dict))
    return frozenset(value).union(*inner)


@cache
def _ever_sent(speaker: str) -> frozenset[str]:
    """All fields of all events of an agent, so that a script for several of them is not told off."""
    rows = dialect(speaker).rows
    optional = {name.rstrip("?") for row in rows for name in getattr(row, "fields", ())}
    return frozenset(optional.union(*(payload_of(speaker, row.native, row.kind, {}) for row in rows)))


def _asked_for_one_of(text: str) -> Iterator[str]:
    """The names that a helper looks for, at any depth: `find(given, {"event", "hookEventName"})`."""
    for names in _LOOKED_FOR.findall(text):
        yield from re.findall(r"\w+", names)


def _asked_by_function(text: str) -> Iterator[str]:
    """The first step of each path that a function of a shell has `jq` read."""
    for name, _ in _JQ_FUNCTION.findall(text) if "jq" in text else ():
        yield from re.findall(rf"\b{name}\s+[\"']?\.?([A-Za-z_]\w*)", text)
