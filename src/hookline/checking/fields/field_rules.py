"""Fields that a hook reads from its input and that the agent never sends there: such a guard sees nothing, ever."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache

from hookline.checking.commands.alike import names_one, words_of
from hookline.checking.commands.variables import SAMPLE
from hookline.checking.inputs.payload_reads import names_read
from hookline.checking.lines import HookLine
from hookline.dialects import OWN, dialect, is_agent
from hookline.dialects.matching.matchers import listed_names
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind, event_from_payload
from hookline.model.hooks import Command, HookSpec
from hookline.model.typing import Any
from hookline.system.patterns.late import late

# What people take for the place of the call or of the prompt: other agents' names, and those one would guess.
_CONTAINERS = frozenset({
    "tool", "toolName", "toolInput", "toolArgs", "tool_args", "tool_params", "tool_parameters", "tool_input",
    "arguments", "args", "params", "parameters", "input",
})  # fmt: skip
_CALLS_OF_OTHERS = frozenset(
    {"toolInput", "toolArgs", "tool_args", "tool_params", "tool_parameters", "tool_input"}
)
_GUESSED: Mapping[EventKind, frozenset[str]] = {
    EventKind.PreToolUse: _CONTAINERS | {"command", "cmd", "bash_command", "file_path", "filePath"},
    EventKind.UserPromptSubmit: frozenset({
        "user_prompt", "userPrompt", "user_message", "userMessage", "user_input", "message", "text", "input",
    }),
}  # fmt: skip
_ALIKE = {EventKind.PostToolUse: EventKind.PreToolUse, EventKind.PermissionRequest: EventKind.PreToolUse}
_SAMPLES: Mapping[EventKind, tuple[Mapping[str, Any], ...]] = {
    EventKind.PreToolUse: (
        {"tool_name": "Bash", "tool_input": {"command": "ls"}},
        {"tool_name": "Edit", "tool_input": {"file_path": "/w/f", "old_string": "a", "new_string": "b"}},
    ),
    EventKind.UserPromptSubmit: ({"prompt": "hello"},),
}
_payloads: dict[tuple[str, str, EventKind, str], Mapping[str, Any]] = {}  # every rule of every hook asks
_CARRIED = ("ls", {"command": "ls"}, '{"command": "ls"}', "hello", "/w/f")
_TOOL_NAMES = ("tool_name", "toolName")
_ARGUMENTS = frozenset({"command", "file_path", "notebook_path", "content", "new_string"})
_FILE_NAMES = frozenset({"file", "path", "filename", "fileName", "filepath"})
# What some events carry and others do not; a field that is optional everywhere is none of them.
OF_SOME_EVENTS = frozenset({
    "prompt", "tool_name", "tool_input", "tool_response", "tool_use_id", "message", "last_assistant_message", "trigger",
    "notification_type", "stop_hook_active", "tool_output", "tool_result", "custom_instructions", "source", "reason",
    "error",
})  # fmt: skip
# Names of arguments that no agent's tools have, by the one that is meant.
_MISNAMED = {
    "filePath": "file_path", "filepath": "file_path", "fileName": "file_path", "filename": "file_path",
    "file_name": "file_path", "cmd": "command", "bash_command": "command", "shell_command": "command",
}  # fmt: skip
_JQ = late(r"\bjq\b(?:\s+-[\w-]++){0,20}+\s++(?:'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|(\.[\w.]+))", needs=("jq",))
# what a variable feeds to a program that reads
FED = r"(?:echo|printf\s+['\"]?%s(?:\\n)?['\"]?)\s+\"?\$\{?(?P<name>[A-Za-z_]\w*)(?::-)?\}?\"?\s*\|\s*"
_OTHER_READERS = late(
    r"\bimport\b|\brequire\(|JSON\.parse|json\.load|ConvertFrom-Json|hookline get\b",
    needs=("import", "require(", "JSON.parse", "json.load", "ConvertFrom-Json", "hookline get"),
)
_PYTHON = late(
    r"(?m)^[ \t]*(?:import json\b|from json\b|import (?:\w+, )*json\b)"
    r"(?![\s\S]*(?:dataclass|BaseModel|TypedDict|\*\*\w))",
    needs=("json",),
)
_QUOTED_OR_FIELD = late(r"[\"'](\w+)[\"']|\.(\w+)")
_STEP = (
    r"(?:\\?[\"'])?\]?(?:,\s*\{\})?\)?(?:\s*(?:or|\|\||\?\?)\s*\{\}\s*\))?"
    r"(?:\?*\.(?:get\(\s*[\"'])?|\[\s*[\"'])(\w+)"
)
_OWN_NAME = late(r"\$\{?tool_name\b|\btool_name=(?!=)", needs=("tool_name",))  # a variable of a shell
_OR_NOTHING = r"(?:\s*(?:or|\|\||\?\?)\s*\{\})?\)?[ \t]*;?[ \t]*$"
_KEPT_AS = rf"(?m)(?<![\w.])(\w+)[ \t]*=(?!=)[^\n=;]*[\"'.]%s\b[\"'\]]*(?:,\s*\{{\}})?\)?{_OR_NOTHING}"
_FILE_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "Read"})
_INPUTS = ("tool_input", "toolInput", "toolArgs", "tool_args", "arguments")  # what agents call that of a call
_SOUGHT = late(
    r"\b(?:grep|sed)\s+(?:-\w+\s+)*'[^'\n\"]{0,12}\"(\w+)\\?\"(?:\[\[:space:\]\][*+]?|\\s[*+]|\s\*)?:",
    needs=("grep", "sed"),
)


def unsent_fields(line: HookLine, shown: str, text: str) -> tuple[tuple[str, ...], str]:
    """What the text reads in place of the call or the prompt, and where that is; nothing if it knows that place.

    A script that serves several events may read what another one of them sends.
    """
    entry = line.entry
    kind = _ALIKE.get(entry.spec.kind, entry.spec.kind)
    if kind not in _GUESSED or not (is_agent(entry.speaker.name) or entry.speaker.name == OWN):
        return (), ""
    carried, sent = _sent(entry.speaker.name, entry.spec.native_event, kind)
    words = frozenset(re.findall(r"\w+", text))
    if not carried:
        return (), ""
    carriers = {path.partition(".")[0] for path in carried}
    if sought(text) and carriers != {"prompt"}:
        other = next((name for name in sought(text) if name in _TOOL_NAMES), "")
        sample = _SAMPLES[EventKind.PreToolUse][0]
        payload = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, sample)
        names = [name for name in _TOOL_NAMES if f'"{name}":' in json.dumps(payload)]
        if other and names and other not in names:
            return (other,), f".{names[0]}"
        asked = [name for name in sought(text) if name in _INPUTS]
        theirs = next((name for name in _INPUTS if name in payload), "")
        if asked and theirs and theirs not in text:
            return (asked[0],), f".{theirs}"
        if (misnamed := _misnamed(line, text, next(iter(carried)), words))[0]:
            return misnamed
    own = _without_steps(text, _CALLS_OF_OTHERS - carriers)
    if _looks_at(line, shown, own, words if own is text else frozenset(re.findall(r"\w+", own))) & carriers:
        return _misnamed(line, text, next(iter(carried)), words)
    known = sent if not shown else sent.union(*(_sent(*each)[1] for each in _others(line, kind)))
    if "tool_name" in words & sent and "tool_name" in _OWN_NAME.sub("", text):
        known |= {"tool", "toolName"}
    inside = any("." in path or isinstance(value, dict) for path, value in carried.items())
    guessed = _GUESSED[kind] | (
        _FILE_NAMES | {"new_string", "old_string"} if inside or "file_path" in carried else frozenset()
    )
    read = (
        frozenset((*names_read(line, shown, text), *(sought(text) if "file_path" in carried else ())))
        & guessed
    )
    if read & known:  # what another event sends: there is still the file of this one
        read = (read & _FILE_NAMES) - known if "file_path" in carried and not read & sent else frozenset()
    if not read or (inside and _ARGUMENTS.intersection(sought(text))):  # found at any depth, before that
        return (), ""
    wrong = sorted(read)
    named = sorted(read & {"tool", "toolName"}) if "tool_name" in sent else []
    parts = [each for each in wrong if each not in named]
    places = [_place(parts[0], carried, entry.speaker.tools)] if parts else []
    return tuple(wrong), "`, `".join((*places, *([".tool_name"] if named else ())))


def about_one_tool(line: HookLine) -> tuple[str, ...]:
    """The tool an event is about by itself, where what is sent has the parts of the call in an object of its own."""
    kind = _ALIKE.get(line.entry.spec.kind, line.entry.spec.kind)
    if kind not in _GUESSED:
        return ()
    carried, _ = _sent(line.entry.speaker.name, line.entry.spec.native_event, kind)
    found = next((value for path, value in carried.items() if "." in path), None)
    return ("Bash",) if found == "ls" else ("Edit", "Write") if found == "/w/f" else ()


def _without_steps(text: str, containers: frozenset[str]) -> str:
    """The text without what it reads of these objects, also where it keeps one under a name of its own."""
    for name in containers:
        for kept in {name, *kept_as(name, text)} if name in text else ():
            text = re.sub(rf"(?<![\w$])[\"']?{kept}\b{_STEP}", " ", text)
    return text


def _looks_at(line: HookLine, shown: str, text: str, words: frozenset[str]) -> frozenset[str]:
    """What may be read of the input: any word; of Python what is quoted and fields, of `jq` alone paths and that."""
    if _PYTHON.search(text):
        return frozenset(each for pair in _QUOTED_OR_FIELD.findall(text) for each in pair)
    names = names_read(line, shown, text)
    if _OTHER_READERS.search(text) or not names:
        return words
    return frozenset((*names, *re.findall(r"[\"'](\w+)\\?[\"']", text)))


def misspelt_field(line: HookLine, shown: str, text: str) -> tuple[str, str]:
    """A field that `jq` reads in other letters than it is sent, as `issue_number`, and the right one."""
    entry = line.entry
    if is_agent(entry.speaker.name) or _OTHER_READERS.search(text):
        return "", ""
    sent = {
        _squashed(name): name
        for name in payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, SAMPLE)
    }
    found = (
        name
        for name in names_read(line, shown, text)
        if _squashed(name) in sent and name not in sent.values()
    )
    wrong = next(found, "")
    return wrong, sent.get(_squashed(wrong), "")


def _squashed(name: str) -> str:
    return name.replace("_", "").lower()


def payload_of(speaker: str, native: str, kind: EventKind, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a hook is sent on standard input for an event with these values; nothing where that is no object."""
    asked = (speaker, native, kind, repr(given))
    if asked not in _payloads:
        _payloads[asked] = _made_payload(speaker, native, kind, given)
    return _payloads[asked]


def _made_payload(speaker: str, native: str, kind: EventKind, given: Mapping[str, Any]) -> Mapping[str, Any]:
    event = event_from_payload(kind, dict(given), session_id="s", cwd="/", workspace="/", at=0.0)
    speaker, native = _spoken(speaker, native)
    payload = dialect(speaker).hook_input(event, HookSpec("", speaker, kind, native, Command("true"))).payload
    return payload if isinstance(payload, dict) else {}


def _misnamed(line: HookLine, text: str, carrier: str, words: frozenset[str]) -> tuple[tuple[str, ...], str]:
    """Arguments of the call by a name they have in no tool of the agent."""
    matcher = line.entry.spec.matcher
    if carrier == "prompt" or (matcher is not None and "mcp" in matcher.text):
        return (), ""
    tools = line.entry.speaker.tools
    known = {own for fields in tools.fields.values() for own in fields.values()}
    misnamed = {**_MISNAMED, **({"path": "file_path"} if _is_of_files(line) and "path" not in known else {})}
    read = [*steps_into(carrier, text), *sought(text)]
    wrong = [name for name in dict.fromkeys(read) if name in misnamed and name not in known]
    if not wrong:
        return (), ""
    sought_alone = wrong[0] not in steps_into(carrier, text)
    meant = misnamed[wrong[0]]
    own = sorted({fields[meant] for fields in tools.fields.values() if meant in fields} | {meant})
    if (_named(text, words) | {*read}) & set(own):
        return (), ""
    return tuple(
        name if sought_alone else f"{carrier}.{name}" for name in wrong
    ), f".{carrier}.{own[0] if meant not in own else meant}"


def _named(text: str, words: frozenset[str]) -> frozenset[str]:
    """What may be read of the input; of `jq` alone all steps of its paths."""
    if _OTHER_READERS.search(text) or not _JQ.search(text):
        return words
    programs = " ".join(found[1] or found[2] or found[3] or "" for found in _JQ.finditer(text))
    return frozenset(re.findall(r"\w+", programs))


def sought(text: str) -> list[str]:
    """The names that `grep` and `sed` look for in JSON: `grep -o '"path":"[^"]*"'`."""
    return _SOUGHT.findall(text)


def steps_into(carrier: str, text: str) -> list[str]:
    """The names that a text reads of the object under a name, also by one that it keeps it under:
    `.tool_input.path`, `d.get("tool_input", {})["path"]`, `given = d["tool_input"]`, then `given["path"]`."""
    if carrier not in text:
        return []
    found = re.findall(rf"\b{carrier}\b{_STEP}", text)
    for name in sorted(kept_as(carrier, text) - {carrier}) if "=" in text else ():
        found += re.findall(rf"(?<![\w.$\"'])\b{name}\b{_STEP}", text)
    return found


def kept_as(carrier: str, text: str) -> set[str]:
    """The names that a text keeps the object under."""
    return set(re.findall(_KEPT_AS % carrier, text))


def _is_of_files(line: HookLine) -> bool:
    """Whether the matcher leaves nothing but tools that call their file `file_path`."""
    names = listed_names(line.entry.spec.matcher)
    return bool(names) and {*map(line.entry.speaker.tools.canonical, names)} <= _FILE_TOOLS


def _place(wrong: str, carried: Mapping[str, Any], tools: Tools) -> str:
    key, value = next(iter(carried.items()))
    known = wrong if wrong not in ("cmd", "bash_command") else "command"
    known = _MISNAMED.get(known, "file_path" if known in _FILE_NAMES else known)
    inside = isinstance(value, dict) and wrong not in _CONTAINERS
    known = next((fields[known] for fields in tools.fields.values() if known in fields), known)
    return f".{key}.{known}" if inside else f".{key}"


def _others(line: HookLine, kind: EventKind) -> Iterator[tuple[str, str, EventKind]]:
    """The events of the same file at which a script of this line is started too."""
    scripts = [os.path.basename(shown) for shown in line.scripts]
    for entry in line.entry.file.entries:
        if _ALIKE.get(entry.spec.kind, entry.spec.kind) is kind and names_one(words_of(entry), scripts):
            yield entry.speaker.name, entry.spec.native_event, kind


def _spoken(speaker: str, native: str) -> tuple[str, str]:
    """Whose payload comes, and at which event: hooks of our own may be written for an event of another agent."""
    name, colon, theirs = native.partition(":")
    return (name, theirs) if speaker == OWN and colon else (speaker, native)


@cache
def _sent(name: str, native: str, kind: EventKind) -> tuple[Mapping[str, Any], frozenset[str]]:
    """The fields of a payload that carry the call or the prompt, and all fields it has."""
    name, native = _spoken(name, native)
    spec = HookSpec("", name, kind, native, Command("true"))
    sent: frozenset[str] = frozenset()
    for sample in _SAMPLES[kind]:
        event = event_from_payload(kind, sample, session_id="s", cwd="/", workspace="/", at=0.0)
        payload = dialect(name).hook_input(event, spec).payload
        if not isinstance(payload, dict):
            return {}, frozenset()
        sent |= frozenset(payload)
        if carried := dict(_carrying(payload)):
            return carried, sent
    return {}, sent


def place_of(line: HookLine, argument: str) -> str:
    """Where what is sent for a call has an argument of it: `tool_input.command`; empty where it has it nowhere."""
    entry = line.entry
    call = next(each for each in _SAMPLES[EventKind.PreToolUse] if argument in each["tool_input"])
    for path, value in _carrying(
        payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, call)
    ):
        if value == call["tool_input"] or value == call["tool_input"][argument]:
            return f"{path}.{argument}" if isinstance(value, dict) else path
    return ""


def _carrying(payload: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The places of the call or the prompt in a payload: at its top, or one object deeper."""
    for key, value in payload.items():
        if value in _CARRIED:
            yield key, value
        elif isinstance(value, dict):
            yield from ((f"{key}.{inner}", each) for inner, each in _carrying(value))
