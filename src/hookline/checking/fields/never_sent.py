"""Values that a script takes out of its input and that none of the hooks which start it is ever sent."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache

from hookline.checking.commands.alike import known_as, names_one, words_of
from hookline.checking.entries import Entry
from hookline.checking.fields.behind_a_return import is_behind_a_return
from hookline.checking.fields.field_rules import OF_SOME_EVENTS, payload_of
from hookline.checking.inputs.payload_reads import reads_in
from hookline.checking.inputs.reads import Read, Way
from hookline.checking.lines import HookLine
from hookline.dialects import agent_names, dialect, is_agent
from hookline.model.events import EventKind
from hookline.model.typing import Any
from hookline.system.patterns.late import late

_CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
_AGENT = {"agent_id": "x", "agent_type": "x"}
_ANSWERED = {"tool_response": {"stdout": "x"}}
_GIVEN: Mapping[EventKind, Mapping[str, Any]] = {
    EventKind.PreToolUse: _CALL, EventKind.PermissionRequest: _CALL, EventKind.PermissionDenied: _CALL,
    EventKind.PostToolUse: {**_CALL, **_ANSWERED}, EventKind.PostToolUseFailure: {**_CALL, "error": "x"},
    EventKind.UserPromptSubmit: {"prompt": "x"}, EventKind.UserPromptExpansion: {"prompt": "x"},
    EventKind.Stop: {"last_assistant_message": "x", "stop_hook_active": True},
    EventKind.SubagentStop: {"last_assistant_message": "x", "stop_hook_active": True, **_AGENT},
    EventKind.SubagentStart: _AGENT, EventKind.StopFailure: {"error": "x"},
}  # fmt: skip
_RESULTS = ("tool_response", "tool_output", "tool_result", "toolResult", "output", "result_json", "result")
_ASKS_WHICH = late(r"hook_?event|hook_?name|agent_action_name|event_?name", re.IGNORECASE)
_HOW_IT_ENDED = frozenset(
    {
        "exit_code",
        "exitCode",
        "exit_status",
        "exitStatus",
        "return_code",
        "returnCode",
        "returncode",
        "success",
        "status",
    }
)
_CAME_OF_IT = frozenset(
    {"stdout", "stderr", "output", "result", "response", "tool_response", "tool_output", "tool_result"}
)
_OF_A_RESULT = _HOW_IT_ENDED | _CAME_OF_IT
_ASKS_KIND = late(r"\bisinstance\(|\btypeof\b|\btype\b|\bmcp__")
# how much was done, which people look for at the end of a turn; it stands in the result of a whole session
_COUNTS = frozenset({
    "num_turns", "numTurns", "num_tool_uses", "numToolUses", "turn_count", "turnCount", "tool_use_count",
    "tool_call_count", "tool_calls_count", "total_tokens", "totalTokens", "total_cost_usd", "tokens_used",
})  # fmt: skip
# what any script of any agent wants to know, by all names that agents have for it
_OF_ALL = (
    frozenset(
        {
            "session_id",
            "sessionId",
            "conversation_id",
            "taskId",
            "trajectory_id",
            "thread_id",
            "generation_id",
        }
    ),
    frozenset({"hook_event_name", "hookEventName", "hookName", "agent_action_name", "event"}),
)


def never_sent(line: HookLine, shown: str, text: str) -> Iterator[tuple[str, str]]:
    """The name of each such value, and what to read: the first of those that are tried, where none of them comes."""
    entry = line.entry
    if not is_agent(entry.speaker.name) or entry.rule is None:
        return
    other = entry.also_read_by
    twins = [entry.read_by(other)] if other else []
    starting = [entry, *twins, *(each for each in started_too(line, shown) if not _is_same(each, entry))]
    told: set[str] = set()
    for read in reads_in(line, shown, text):
        first = read.ways[0]
        inside = first[0] in fields_at(entry) and _inside(entry, first[0])
        into_text = _is_into_text(first, entry, text)
        name = ".".join(first[:2] if inside or into_text else first[:1])
        if name in told:
            continue
        also = [each for each in starting if each in (entry, *twins) or _reads_too(line, each, shown, read)]
        if not any(_may_come(way, each, text) for way in read.ways for each in also):
            if is_behind_a_return(first[0], fields_at(entry), text):
                continue
            if not _is_for_others(name, entry, text) and _is_best(entry, also, name, text):
                told.add(name)
                yield name, f"`.{first[0]}` is plain text there" if into_text else _instead(name, entry, text)
        elif any(_may_come(way, each, text) for way in read.ways for each in twins):
            continue
        elif own := _under_another_name({way[0] for way in read.ways}, line, text):
            told.add(name)
            yield name, own


def _reads_too(line: HookLine, other: Entry, shown: str, read: Read) -> bool:
    """Whether the script takes the same out of its input where another hook starts it, by its own words or event."""
    if shown not in line.chosen:
        return True
    started = HookLine(other, line.workspace, line.home)
    text = next((text for name, _, text in started.texts if name == shown), None)
    return text is None or read in reads_in(started, shown, text)


def _under_another_name(names: set[str], line: HookLine, text: str) -> str:
    """Where an agent has what every agent sends, and a script for several looks by all names but this one's."""
    entry = line.entry
    known = next((each for each in _OF_ALL if names <= each), frozenset())
    sent = fields_at(entry)
    if not known or names & sent or _is_told(entry):
        return ""
    own = sorted(known & sent)
    if not own:
        return "pass its name as an argument: this agent does not send it"
    return f"it is `.{own[0]}`" if not re.search(rf"\b{own[0]}\b", text) else ""


def _is_told(entry: Entry) -> bool:
    """Whether the line says which event it is."""
    return entry.spec.native_event.lower() in " ".join((entry.line, *entry.argv)).lower()


def _is_same(one: Entry, other: Entry) -> bool:
    return (one.spec.source, one.spec.line, one.spec.native_event) == (
        other.spec.source, other.spec.line, other.spec.native_event,
    )  # fmt: skip


def _is_best(entry: Entry, starting: list[Entry], name: str, text: str) -> bool:
    """Whether of all hooks with the script this is the one to tell it of: the agent that is named before it, and the
    event that sends something like it."""
    if len(starting) == 1:
        return True
    at = found.start() if (found := re.search(rf"\b{name}\b", text)) else 0
    agents = "|".join(agent_names())
    before = re.findall(rf"(?i)[\"'](?:--tool=)?({agents})[\"']", text[:at])
    named = before[-1].lower() if before else ""

    def rank(each: Entry) -> tuple[bool, bool, str, int, str]:
        spec = each.spec
        return each.speaker.name != named, not _alike(name, each), spec.source, spec.line, spec.native_event

    return rank(entry) <= min(map(rank, starting))


def _alike(name: str, entry: Entry) -> str:
    """The field at an event that has a name as its end."""
    own = name.replace("_", "").lower()
    found = (each for each in sorted(fields_at(entry)) if each.replace("_", "").lower().endswith(own))
    return next(found, "")


def _instead(name: str, entry: Entry, text: str) -> str:
    if name in _HOW_IT_ENDED and entry.spec.kind is EventKind.PostToolUse:
        return "how a command ended is not told there"
    if name in _COUNTS:
        return "count it in the transcript, at `.transcript_path`"
    if name in _CAME_OF_IT and entry.spec.kind is EventKind.PostToolUse and (own := _result_at(entry)):
        return f"it is `.{own}`"
    own = _alike(name, entry)
    return f"it is `.{own}`" if own and not re.search(rf"\b{own}\b", text) else ""


def _result_at(entry: Entry) -> str:
    sent = payload_of(
        entry.speaker.name, entry.spec.native_event, entry.spec.kind, _GIVEN[EventKind.PostToolUse]
    )
    return next((each for each in _RESULTS if each in sent), "")


def started_too(line: HookLine, shown: str) -> Iterator[Entry]:
    """The other hooks that start the script: of the same file by its name, of others by its path."""
    own = line.entry.file
    paths = [*map(os.path.normpath, known_as(line, shown))] if shown else []
    names = [*map(os.path.basename, paths)]
    for file in own.beside if shown else ():
        for each in file.entries:
            words = words_of(each)
            if names_one(words, names if file is own else paths):
                yield each
                if other := each.also_read_by:
                    yield each.read_by(other)


def _may_come(way: Way, entry: Entry, text: str) -> bool:
    speaker = entry.speaker
    if not is_agent(speaker.name) or entry.rule is None:
        return True
    if way[0] in fields_at(entry):
        if _is_into_text(way, entry, text):
            return False
        inside = _inside(entry, way[0])
        return not inside or len(way) < 2 or way[1] in inside
    if not entry.traps.sent and way[0] not in OF_SOME_EVENTS:
        return True
    # a script that looks which event it is may serve this one elsewhere
    return way[0] in _ever(speaker.name) and bool(_ASKS_WHICH.search(text))


def _is_into_text(way: Way, entry: Entry, text: str) -> bool:
    """Whether a part is taken of what a call came to, where that is plain text, without a look at what it is."""
    if way[0] not in _RESULTS or not _OF_A_RESULT.issuperset(way[1:2]) or _ASKS_KIND.search(text):
        return False
    given = _GIVEN[EventKind.PostToolUse]
    sent = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, given).get(way[0])
    return len(way) > 1 and isinstance(sent, str) and not sent.startswith("{")


def _inside(entry: Entry, name: str) -> frozenset[str]:
    """All that the object under a name may have, where that is known."""
    also = entry.traps.sent.get(f"{name}.")
    kind = entry.spec.kind
    if also is None:
        return frozenset()
    sent = payload_of(entry.speaker.name, entry.spec.native_event, kind, _GIVEN.get(kind, {})).get(name)
    return frozenset((*(sent if isinstance(sent, dict) else ()), *also.split()))


def fields_at(entry: Entry) -> frozenset[str]:
    """All that may stand at the top of what is sent at the event of a hook."""
    return _fields(entry.speaker.name, entry.spec.native_event)


@cache
def _fields(speaker: str, native: str) -> frozenset[str]:
    known, sent = dialect(speaker), dialect(speaker).profile.traps.sent
    found = {*sent.get("", "").split(), *sent.get(native, "").split()}
    for row in known.rows:
        if row.native == native:
            found.update(name[:-1] for name in getattr(row, "fields", ()) if name.endswith("?"))
            found.update(payload_of(speaker, native, row.kind, _GIVEN.get(row.kind, {})))
    return frozenset(found)


@cache
def _ever(speaker: str) -> frozenset[str]:
    return frozenset().union(*(_fields(speaker, row.native) for row in dialect(speaker).rows))


def _is_for_others(name: str, entry: Entry, text: str) -> bool:
    """Whether another agent sends it, and the script names one."""
    own = entry.speaker.name
    others = [each for each in agent_names() if each != own and name in _ever(each)]
    return bool(others) and any(
        re.search(rf"(?i)(?<!&)\b{each}(?!/)\b", text) for each in agent_names() if each != own
    )
