"""Parts of a call, or of what came of it, that the tools a script is for do not have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.checking.fields.comparisons import ASSIGNED, branches, compared, looked_up_in
from hookline.checking.fields.field_rules import payload_of
from hookline.checking.fields.unsent_values import CALLS
from hookline.checking.files.dead_matchers import names_in
from hookline.checking.inputs.payload_reads import reads_in
from hookline.checking.inputs.reads import Way
from hookline.checking.lines import HookLine
from hookline.dialects import is_agent
from hookline.model.events import EventKind
from hookline.model.typing import Any

# what is put into a file, by all names that tools have for it or that people guess
_TEXTS = frozenset({
    "content", "contents", "new_content", "newContent", "file_text", "fileText", "text", "new_text", "newText",
    "new_string", "newString", "new_str", "newStr", "replacement", "replace", "diff", "patch", "insert_text",
    "code_edit", "edits", "replacements",
})  # fmt: skip
_KINDS = (EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PermissionRequest)
_WRITES = ("Write", "Edit")


def unseen_texts(line: HookLine, shown: str, text: str) -> Iterator[tuple[str, str, str]]:
    """For a tool that writes files, and that a script looks at: the place where the script looks for what is written,
    the tool, and where that is."""
    entry = line.entry
    if entry.spec.kind not in _KINDS or not is_agent(entry.speaker.name):
        return
    wanted = [native for native in _tools_of(line, text) if entry.speaker.tools.canonical(native) in _WRITES]
    read = [each.ways for each in reads_in(line, shown, text) if all(way[-1] != "[]" for way in each.ways)]
    apart = any(len({*each}.intersection(wanted)) == 1 for each in branches(text))
    for native in wanted if len(wanted) > 1 and not apart else ():
        carrier, parts = _place(line, entry.speaker.tools.canonical(native))
        texts = [ways for ways in read if ways and all(_is_text(way, carrier) for way in ways)]
        right = sorted(parts & _TEXTS)
        seen = any(re.search(rf"[\"'.]{name}\b", text) for name in (*right, "edits"))
        if carrier and texts and right and not seen:
            place = ".".join(carrier)
            yield f"{place}.{texts[0][0][len(carrier)]}", native, f"{place}.{right[0]}"


def _is_text(way: Way, carrier: Way) -> bool:
    return way[: len(carrier)] == carrier and len(way) > len(carrier) and way[len(carrier)] in _TEXTS


def unsent_results(line: HookLine, shown: str, text: str) -> Iterator[tuple[str, str, str]]:
    """What a script looks for in the result of a call and none has, or none of the tool named then, and where it is."""
    if line.entry.spec.kind is not EventKind.PostToolUse:
        return
    elsewhere = line.entry.traps.of_tools
    of_tools = [elsewhere.get(tool, {}) for tool in _tools_of(line, text)] if elsewhere else []
    for read in reads_in(line, shown, text):
        names = [way[1] for way in read.ways if way[0] == "tool_response" and len(way) > 1]
        never = line.entry.traps.failures
        if len(names) != len(read.ways):
            continue
        if never.keys() >= {*names}:
            yield f"tool_response.{names[0]}", never[names[0]], ""
        elif names and of_tools and all(lacks.keys() >= {*names} for lacks in of_tools):
            yield f"tool_response.{names[0]}", of_tools[0][names[0]], _tools_of(line, text)[0]


def _tools_of(line: HookLine, text: str) -> tuple[str, ...]:
    """The tools that the script, or if it asks for none its matcher, names."""
    named = (
        name
        for field in ("tool_name", "toolName")
        for name in (*compared(text, field, lists=True), *looked_up_in(text, field, ASSIGNED % field))
    )
    return tuple(dict.fromkeys(named)) or tuple(names_in(line.entry.spec.matcher))


def _place(line: HookLine, tool: str) -> tuple[Way, frozenset[str]]:
    """The way to the arguments of a call in what is sent, and their names."""
    entry = line.entry
    given = {"tool_name": tool, "tool_input": dict(CALLS[tool])}
    sent = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, given)
    return next(_holding(sent, frozenset(map(str, CALLS[tool].values()))), ((), frozenset()))


def _holding(sent: Mapping[str, Any], values: frozenset[str]) -> Iterator[tuple[Way, frozenset[str]]]:
    for name, value in sent.items():
        if isinstance(value, dict):
            if not values.isdisjoint(map(str, value.values())):
                yield (name,), frozenset(value)
            yield from (((name, *way), names) for way, names in _holding(value, values))
