"""Values that a field is compared with and never has: the tool of another agent, a source that no session has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.checking.fields.comparisons import ASSIGNED, compared, looked_up_in, sought_by_pattern
from hookline.checking.fields.field_rules import payload_of
from hookline.checking.files.dead_matchers import names_in
from hookline.checking.inputs.payload_reads import names_read
from hookline.checking.lines import HookLine
from hookline.dialects import is_agent
from hookline.dialects.matching.matchers import is_mcp, tools_of_all
from hookline.dialects.spelling import nearest
from hookline.dialects.tools import CANONICAL, is_patch_tool, meant_by
from hookline.model.typing import Any
from hookline.system.patterns.late import late

# one call of each tool whose arguments are known
CALLS: Mapping[str, Mapping[str, Any]] = {
    "Bash": {"command": "ls"},
    "Read": {"file_path": "/w/f"},
    "Write": {"file_path": "/w/f", "content": "a"},
    "Edit": {"file_path": "/w/f", "old_string": "a", "new_string": "b"},
    "NotebookEdit": {"notebook_path": "/w/f", "new_source": "a"},
}
_TOOL = ("tool_name", "toolName")
_WORD = late(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# by its words a tool that every agent has by a name of its own: what it does, and to what
_VERBS = {
    **dict.fromkeys(("read", "view", "open"), "Read"),
    **dict.fromkeys(("write", "create", "save"), "Write"),
    **dict.fromkeys(("edit", "replace", "modify", "update", "patch"), "Edit"),
}
_FILES = frozenset({"file", "files", "block", "text", "content", "contents", "to", "in", "multiple", "new"})
# a value that a script itself puts into a field, or names in its type: `{ status: "WARN" }`, `r["status"] = "WARN"`
_GIVEN = r"(?<![\w$])(?<!\$\{)%s\b\\?[\"'\]]*\s*(?::|=(?!=))\s*[^\n;,]{0,80}?\\?[\"']%s\\?[\"']"
_SHELLS = frozenset({"terminal", "command", "commands", "shell", "bash", "cmd"})
_RUNS = _SHELLS | {"run", "execute", "exec", "in", "the"}


def unsent_values(line: HookLine, shown: str, text: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Comparisons of a field with nothing but values it never has; beside a right one they are for other agents."""
    entry = line.entry
    assert entry.rule is not None
    subject = entry.rule.subject
    if subject == "tool_name" and (field := _field_of_tool(line, text)):
        yield from _never_said(line, text, field, tuple(dict.fromkeys((*_natives(line), *_also_sent(line)))))
    elif subject != "tool_name":
        yield from _never_said(line, text, subject or "", entry.traps.values.get(entry.spec.kind, ()))
    payload = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, {})
    for name, closed in entry.traps.closed.items():
        if name in payload and (not shown or name in names_read(line, shown, text)):
            yield from _never_said(line, text, name, closed)


def _field_of_tool(line: HookLine, text: str) -> str:
    """The field in which a script looks for the tool; of several the one that is sent.

    Empty where tools of servers come, which may be called anything.
    """
    named = [field for field in _TOOL if field in text]
    sent = [field for field in named if any(field == key for key, _ in _tools_sent(line))]
    return "" if "mcp" in line.entry.spec.native_event.lower() else next(iter(sent or named), "")


def _tools_sent(line: HookLine) -> Iterator[tuple[str, tuple[str, str]]]:
    """The field that names the tool, with each tool and what it is called there."""
    entry = line.entry
    for tool, call in CALLS.items():
        given = {"tool_name": tool, "tool_input": dict(call)}
        payload = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, given)
        parts = (payload, *(each for each in payload.values() if isinstance(each, dict)))
        yield from ((key, (tool, str(part[key]))) for part in parts for key in _TOOL if key in part)


def _told(text: str, field: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """All words that a field is compared with; of a pattern that fits a value, the value."""
    found = compared(text, field)
    looked_up = looked_up_in(text, field, ASSIGNED % field) if not found else ()
    found = found or (*looked_up, *(compared(text, field, lists=True) if looked_up else ()))
    fitted = tuple(sought_by_pattern(text, field, values))
    if fitted and not found:  # beside a pattern, which may be for the tools of servers
        found = compared(text, field, lists=True)
    return (*found, *fitted)


def _never_said(
    line: HookLine, text: str, field: str, values: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    if not values or not field or field not in text:
        return
    told = _told(text, field, values)
    if field not in _TOOL and any(re.search(_GIVEN % (field, re.escape(each)), text) for each in told):
        return  # a field of that name in the script's own objects
    if "ConvertFrom-Json" in text:  # to PowerShell `bash` is `Bash`
        told = tuple(next((each for each in values if each.lower() == word.lower()), word) for word in told)
    sent = {*values, *(line.entry.traps.documented if field in _TOOL else ())}
    if not told or any(value in sent or is_mcp(value) for value in told):
        return
    meant = [_meant(line, value, values, field) for value in told]
    known = any(meant) if _lets_all_others_go(text, told) else all(meant)
    if field in _TOOL and (not known or any(_is_case(value, text) for value in values)):
        return  # a tool that nobody knows here, or beside the agent's own
    right = ", ".join(f"`{each}`" for each in dict.fromkeys(each for each in meant if each in values))
    listed = ", ".join(f"`{each}`" for each in values)
    yield field, told, f"did you mean {right}?" if right else f"there are {listed}"


def _lets_all_others_go(text: str, told: tuple[str, ...]) -> bool:
    """Whether a script looks at nothing but calls of these tools: `[ $tool != a ] && [ $tool != b ]`, then it ends."""
    return all(re.search(rf"(?:!==?|-[ci]?ne)\s*[\"']?{re.escape(each)}\b", text) for each in told)


def shell_of_windows(line: HookLine, text: str) -> tuple[str, str, str]:
    """In a line for PowerShell alone the field, and the name of the agent's shell elsewhere, which it waits for; and
    how that is called where such a line runs."""
    entry, found = line.entry, line.entry.speaker.tools.native("Bash")
    here = next((each for each in found if each.lower() == "powershell"), "")
    field = _field_of_tool(line, text) if entry.rule and entry.rule.subject == "tool_name" else ""
    if entry.key != "powershell" or not here or not field or here in text.lower():
        return "", "", ""
    natives = _natives(line)
    sent = {name.lower() for _, (tool, name) in _tools_sent(line) if tool == "Bash" and name in natives}
    told = [each for each in _told(text, field, natives) if each.lower() in sent]
    return (field, told[0], here) if told else ("", "", "")


def _natives(line: HookLine) -> tuple[str, ...]:
    """What the agent calls its tools; an older name that only matchers still take is none of them."""
    tools = line.entry.speaker.tools
    older = {each for names in tools.aliases.values() for each in names} if not tools.names else ()
    sent = dict(tool for _, tool in _tools_sent(line))
    named = {tool: tools.native(tool) for tool, _ in tools.names}
    other = {
        tool for tool, called in sent.items() if called not in named.get(tool, (called,))
    }  # in another's words
    return tuple(native for tool, native in tools.names if tool not in other) or tuple(
        each for each in CANONICAL if each not in older
    )


def idle_names(line: HookLine, _: str, text: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Names that are compared beside this agent's and are not its own, where its name for the same is nowhere."""
    entry, names = line.entry, names_in(line.entry.spec.matcher)
    field = _field_of_tool(line, text) if entry.rule and entry.rule.subject == "tool_name" else ""
    if not field or not is_agent(entry.speaker.name):
        return
    own = {*_natives(line)}
    older = {each for names in entry.speaker.tools.aliases.values() for each in names} - own
    told = (*compared(text, field), *looked_up_in(text, field, ASSIGNED % field))
    found: dict[str, str] = {}
    for value in told if own.intersection(told) else ():
        # models of one maker have their patches in every agent
        known = value in {*own, *CANONICAL} - older or is_mcp(value) or is_patch_tool(value)
        here = "" if known or value in entry.traps.documented else _here(line, value)
        if (
            here
            and (not names or not {value, here}.isdisjoint(names))
            and not re.search(rf"\b{here}\b", text)
        ):
            found[value] = here
    if found:
        right = ", ".join(f"`{each}`" for each in dict.fromkeys(found.values()))
        yield field, tuple(found), f"did you mean {right}?"


def _is_case(value: str, text: str) -> bool:
    """Whether a word is one that a `case` of a shell script waits for."""
    return bool(re.search(rf"(?m)^[ \t]*(?:[\w*-]+\|)*{re.escape(value)}(?:\|[\w*-]+)*\)", text))


def _also_sent(line: HookLine) -> Iterator[str]:
    """Names of tools that a payload has in place of the agent's own: some send Claude Code's."""
    return (name for _, (_, name) in _tools_sent(line))


def _meant(line: HookLine, value: str, values: tuple[str, ...], field: str) -> str:
    if field in _TOOL:
        same = next((each for each in values if each.lower() == value.lower()), "")
        return same or _here(line, value) or next(iter(meant_by(value, tools_of_all)), "")
    return nearest(value, values) or ""


def _here(line: HookLine, name: str) -> str:
    """What this agent calls a tool that others have by that name, or that only says what it does."""
    own = line.entry.speaker.tools
    sent = dict(tool for _, tool in _tools_sent(line))
    for tool in meant_by(name, tools_of_all) or filter(None, (_by_its_words(name),)):
        has = tool in CANONICAL if not own.names else any(each == tool for each, _ in own.names)
        if called := sent.get(tool) or (own.native(tool)[0] if has else ""):
            return called
    return ""


def _by_its_words(name: str) -> str:
    """The tool that a name of several words says it is: `runTerminalCommand`, `edit_block`; empty if it is none."""
    words = [each.lower() for each in _WORD.findall(name)]
    if name == "execute":
        return "Bash"
    if len(words) < 2 or "__" in name:
        return ""
    if _RUNS.issuperset(words):
        return "Bash" if not _SHELLS.isdisjoint(words) else ""
    deeds = {_VERBS[word] for word in words if word in _VERBS}
    objects = {word for word in words if word not in _VERBS}
    return deeds.pop() if len(deeds) == 1 and objects and objects <= _FILES else ""
