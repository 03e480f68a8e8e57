"""Arguments and values that no call of the agent has: a hook that waits for them looks away at each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from hookline.checking.commands.alike import is_for_this_alone
from hookline.checking.fields.base_fields import (
    code_of_nobody,
    deeper_fields,
    guessed_fields,
)
from hookline.checking.fields.call_parts import unseen_texts, unsent_results
from hookline.checking.fields.comparisons import ASSIGNED
from hookline.checking.fields.field_rules import (
    about_one_tool,
    payload_of,
    steps_into,
    unsent_fields,
)
from hookline.checking.fields.never_sent import never_sent
from hookline.checking.fields.patched_files import of_patches
from hookline.checking.fields.unsent_values import CALLS, idle_names, shell_of_windows, unsent_values
from hookline.checking.files.dead_matchers import names_in
from hookline.checking.guards.matcher_rules import matcher_problems
from hookline.checking.inputs.payload_reads import names_read, reads_in
from hookline.checking.lines import HookLine
from hookline.dialects import OWN, is_agent
from hookline.dialects.spelling import edits
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.typing import Any
from hookline.system.patterns.late import late

# how agents call the file and the command of a call; other arguments may be left out, or are another tool's
_NAMES = frozenset({
    "path", "file_path", "notebook_path", "filePath", "file", "filename", "command", "command_line", "cmd",
    "absolute_path", "target_file", "file_name", "filepath",
})  # fmt: skip
_COMMANDS = frozenset({"command", "command_line", "cmd"})
_FILES = _NAMES - _COMMANDS - {"notebook_path"}
_OF_OTHERS = frozenset({"file_path", "filePath", "filename", "command_line", "cmd"})
_RESULTS = frozenset({
    "tool_response", "tool_output", "tool_result", "toolResult", "toolOutput", "toolResponse", "output", "result",
})  # fmt: skip
_OF_ANYTHING = frozenset({"output", "result"})  # names that other JSON has as well
_PARTS = (
    frozenset({"tool", "toolName", "tool_name", "name"}),
    frozenset({"parameters", "params", "input", "toolInput", "tool_input", "args", "arguments"}),
)
_TOOL_EVENTS = (EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PermissionRequest)
_READ = late(r"`\.((\w+)[\w.]*)")
_WHOLE = (
    r"\b(\w+)\s*=\s*\w+(?:\??\.get\(\s*[\"']FIELD[\"'](?:,\s*(?:\{\}|\"\"|''))?\s*\)|\[[\"']FIELD[\"']\]|\??\.FIELD)"
    r"(?:\s*(?:or|\|\||\?\?)\s*\S+)?\s*;?[ \t]*(?=\n|$)"
)
_PIPED_AS_TEXT = (
    r"\.FIELD\s*\|\s*(?:test|match|split|startswith|endswith|ascii_downcase|ltrimstr|contains\(\s*\\?\")"
)
_AS_TEXT = (
    r"\bNAME\.(?:startswith|endswith|split|lower|strip|replace|find|includes|match|startsWith|toLowerCase)\("
    r"|\bre\.\w+\([^()\n]*,\s*NAME\s*[,)]|[\"'][^\"'\n]*\W[^\"'\n]*[\"']\s+in\s+NAME\b"
)
_AS_OBJECT = (
    r"\bNAME\s*(?:\??\.get\(|\??\.?\[|\?\.|\.(?:command|file_path|content|path)\b)"
    r"|isinstance\([^()]*\bNAME\b|typeof NAME"
    r"|(?:str|json\.dumps|JSON\.stringify|String)\(\s*NAME\b|\bNAME\s*=\s*(?:str|json|JSON)"
)


def argument_problems(line: HookLine) -> Iterator[Problem]:
    """What the line and its scripts read of a call, or compare a value with, that never comes."""
    entry = line.entry
    if not line.text or entry.rule is None or not (is_agent(entry.speaker.name) or entry.speaker.name == OWN):
        return
    for shown, where, text in line.texts:
        told = list(_of_text(line, shown, where, text))
        yield from told
        already, _ = unsent_fields(line, shown, text)
        said = {*already, *(name for each in told for both in _READ.findall(each.message) for name in both)}
        title, at = entry.speaker.title, entry.spec.native_event
        for name, hint in never_sent(line, shown, text):
            if name not in said:
                words = f"{where} reads `.{name}` of its input, which {title} does not send at `{at}`"
                yield entry.at_line("unsent-field", words, hint)


def _of_text(line: HookLine, shown: str, where: str, text: str) -> Iterator[Problem]:
    entry = line.entry
    title, at = entry.speaker.title, entry.spec.native_event
    already, _ = unsent_fields(line, shown, text)
    unsent = () if already else (*_unsent_arguments(line, text, shown), *_unsent_parts(line, text))
    for name, hint in unsent or of_patches(line, text, shown):
        words = f"{where} reads `{name}` of the call, which {title} does not send at `{at}`"
        yield entry.at_line("unsent-field", words, hint)
    if result := _unsent_result(line, text, shown):
        words = f"{where} reads `.{result[0]}` of its input, which {title} does not send at `{at}`"
        yield entry.at_line("unsent-field", words, f"it is `.{result[1]}`")
    elif not already and (near := _misspelt(line, shown, text)):
        words = f"{where} reads `.{near[0]}` of its input, which {title} does not send at `{at}`"
        yield entry.at_line("unsent-field", words, f"it is `.{near[1]}`")
    for wrong, right in (*guessed_fields(line, shown, text), *deeper_fields(line, shown, text)):
        words = f"{where} reads `.{wrong}` of its input, which {title} does not send"
        yield entry.at_line("unsent-field", words, f"it is `.{right}`")
    for wrong in code_of_nobody(line, shown, text):
        words = f"{where} reads `.{wrong}` of its input, which {title} does not send at `{at}`"
        yield entry.at_line("unsent-field", words, "how a command ended is not told there")
    if (inner := entry.traps.transcript) and _reads_role_outside(text, inner):
        words = f"{where} reads `.role` of the transcript's lines, where {title} has it inside of `.{inner}`"
        yield entry.at_line("unsent-field", words, f"it is `.{inner}.role`, and `.{inner}.content`")
    if entry.guards and (name := _parsed_twice(line, text)):
        words = (
            f"{where} reads JSON out of `{name}`, which is an object in newer versions of {title}: that fails"
        )
        hint = f'take both: `.{name} | if type == "string" then fromjson else . end`'
        yield entry.at_line("unsent-value", words, hint)
    for field in _taken_for_text(line, text):
        words = f"{where} takes `{field}` for a text, and {title} sends an object: that fails"
        part = "command" if field == "tool_input" else "stdout"
        yield entry.at_line("unsent-value", words, f'take a part of it: `{field}["{part}"]`')
    yield from matcher_problems(line, text, shown, where)
    for code, looks in (("unsent-value", unsent_values), ("idle-name", idle_names)):
        for field, values, hint in looks(line, shown, text):
            told = ", ".join(f"`{value}`" for value in values)
            words = f"{where} compares `{field}` with {told}, which {title} never sends at `{at}`"
            yield entry.at_line(code, words, hint)
    field, usual, here = shell_of_windows(line, text)
    if field:
        words = f"{where} compares `{field}` with `{usual}`, and where this line runs {title} calls its shell `{here}`"
        yield entry.at_line("unsent-value", words, f"compare with `{here}` as well")
    for wrong, tool, right in unseen_texts(line, shown, text):
        words = f"{where} looks for what is written at `.{wrong}`, which `{tool}` of {title} does not have"
        yield entry.at_line("unsent-field", words, f"there it is `.{right}`")
    for wrong, right, tool in unsent_results(line, shown, text):
        lacks = f"`{tool}` of {title} does not have" if tool else f"{title} does not send at `{at}`"
        words = f"{where} reads `.{wrong}`, which {lacks}"
        yield entry.at_line("unsent-field", words, right)


def _reads_role_outside(text: str, inner: str) -> bool:
    """Whether the part with the role and the words is never stepped into, by its name or at any depth."""
    if "transcript_path" not in text or not re.search(r"\.role\b|[(\[]\s*[\"']role[\"']\s*[\]),]", text):
        return False
    return not re.search(rf"\b{inner}s?\b|\brecurse\b|\.values\(|(?<![\w./])\.\.(?![\w./])", text)


# -- arguments ----------------------------------------------------------------------------------------


def _unsent_arguments(line: HookLine, text: str, shown: str) -> Iterator[tuple[str, str]]:
    entry = line.entry
    if entry.spec.kind not in _TOOL_EVENTS:
        return
    for never, meant in entry.traps.arguments.items():
        if never in steps_into("tool_input", text):
            yield f".tool_input.{never}", f"it is `.tool_input.{meant}`"
    tools = _tools_of(line)
    if not tools and entry.spec.matcher is not None:
        return
    sent: dict[str, frozenset[str]] = {}
    for tool in tools or CALLS:
        for carrier, names in _arguments(entry.speaker.name, entry.spec.native_event, entry.spec.kind, tool):
            sent[carrier] = sent.get(carrier, frozenset()) | names
    for carrier, names in sent.items():
        if any(part not in text for part in carrier.split(".")):
            continue
        way = tuple(carrier.split("."))
        ways = (each for found in reads_in(line, shown, text) for each in found.ways)
        read = steps_into(carrier.rpartition(".")[2], text)
        read += [each[len(way)] for each in ways if each[: len(way)] == way and len(each) > len(way)]
        wrong = [name for name in dict.fromkeys(read) if name in _NAMES and name not in names]
        right = sorted(names & _NAMES) or (sorted(names) if len(names) == 1 else [])
        if not tools:  # whatever is called: names that only other agents have
            wrong = [name for name in wrong if name in _OF_OTHERS]
            right = sorted(names & (_COMMANDS if wrong[:1] and wrong[0] in _COMMANDS else _FILES))
        of_others = shown and _of_other_tools(line, text, tools)
        known = names if tools else {*right}
        if wrong and (right or tools) and not known.intersection(read) and wrong[0] not in (of_others or ()):
            yield f".{carrier}.{wrong[0]}", f"it is `.{carrier}.{right[0]}`" if right else ""
    if not tools or "tool_response" not in text:
        return
    kept = (found[1] for found in re.finditer(_WHOLE.replace("FIELD", "tool_response"), text))
    held = "|".join(("tool_response", *kept))
    usual = "stdout|stderr" if "Bash" in tools else "stdout|stderr|content|filePath"
    several = re.search(rf"\b(?:{held})\b\W{{0,4}}(?:get\(\W{{1,2}})?(?:{usual})\b", text)
    for name, meant in () if several else entry.traps.results.items():
        if re.search(rf"\b(?:{held})\b[\"'\])]*(?:\?*\.(?:get\(\s*[\"'])?|\[\s*[\"']){name}\b", text):
            yield f".tool_response.{name}", meant


def _of_other_tools(line: HookLine, text: str, tools: tuple[str, ...]) -> frozenset[str]:
    """The arguments of further tools that a script knows, which asks for the tool and may serve several hooks."""
    if not re.search(r"\btool_?name\b", text, re.IGNORECASE):
        return frozenset()
    entry = line.entry
    named = dict.fromkeys(re.findall(r"\b(?:Bash|Read|Write|Edit)\b", text))
    return frozenset(
        name
        for tool in named
        if tool not in tools
        for _, names in _arguments(entry.speaker.name, entry.spec.native_event, entry.spec.kind, tool)
        for name in names
    )


def _unsent_parts(line: HookLine, text: str) -> Iterator[tuple[str, str]]:
    """The tool and its arguments by another name than the object of the call has for them, as `.preToolUse.tool`."""
    entry = line.entry
    if entry.spec.kind not in _TOOL_EVENTS or not is_agent(entry.speaker.name):
        return
    given = {"tool_name": "Bash", "tool_input": dict(CALLS["Bash"])}
    payload = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, given)
    for carrier, value in payload.items():
        if carrier not in text:
            continue
        sent = value.keys() if isinstance(value, dict) else frozenset()
        read = frozenset(steps_into(carrier, text))
        for alike in _PARTS:
            wrong, right = sorted(read & alike - sent), sorted(alike & sent)
            if wrong and right and not read.intersection(right):
                yield f".{carrier}.{wrong[0]}", f"it is `.{carrier}.{right[0]}`"


def _misspelt(line: HookLine, shown: str, text: str) -> tuple[str, str] | None:
    """A field one letter away from one that is sent and that the text does not have, as `tools_input`."""
    entry = line.entry
    if not is_agent(entry.speaker.name):
        return None
    given = {
        "tool_name": "Bash",
        "tool_input": dict(CALLS["Bash"]),
        "prompt": "x",
        "tool_response": {"stdout": "x"},
    }
    sent = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, given).keys()
    words = frozenset(re.findall(r"\w+", text))
    for name in names_read(line, shown, text):
        right = next(
            (each for each in sorted(sent - words) if len(each) > 5 and edits(name, each, 1) == 1), ""
        )
        if right and name not in sent:
            return name, right
    return None


def _unsent_result(line: HookLine, text: str, shown: str) -> tuple[str, str] | None:
    """What came of a call by a name that another agent has for it, and the right one."""
    entry, failed = line.entry, line.entry.spec.kind is EventKind.PostToolUseFailure
    if not (failed or entry.spec.kind is EventKind.PostToolUse) or not is_agent(entry.speaker.name):
        return None
    if failed and shown and not is_for_this_alone(line, shown):
        return None
    came = {"error": "x"} if failed else {"tool_response": {"stdout": "x"}}
    given = {"tool_name": "Bash", "tool_input": dict(CALLS["Bash"]), **came}
    sent = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, given)
    steps = names_read(line, shown, text)
    right = next((name for name in (*_RESULTS, *(("error",) * failed)) if name in sent), "")
    words = frozenset(steps if failed else re.findall(r"\w+", text))
    if not right or words & ((_RESULTS | {right}) & sent.keys()):
        return None
    reads = [{way[0] for way in each.ways} for each in reads_in(line, shown, text)]
    tried = {name for each in reads if each & sent.keys() for name in each}  # where something else may be had
    tried -= {name for each in reads if not each & sent.keys() for name in each}
    named = (each for each in steps if each in _RESULTS and each not in sent and each not in tried)
    wrong = next((each for each in named if each not in _OF_ANYTHING or not _of_its_own(text, each)), "")
    return (wrong, right) if wrong else None


def _of_its_own(text: str, field: str) -> bool:
    """Whether `jq` is asked for a field with a plain name only about what a script keeps under names of its own."""
    given = set(re.findall(r"\b(\w+)=\"?\$\((?:cat\s*\)|<\s*/dev/stdin)", text))
    for name in re.findall(rf"\$\{{?(\w+)\}}?\"?\s*\|\s*jq\b[^\n]*\.{field}\b", text):
        if name in given or not re.search(rf"\b{name}=", text):
            return False
    return bool(re.search(rf"\|\s*jq\b[^\n]*\.{field}\b", text))


def _tools_of(line: HookLine) -> tuple[str, ...]:
    """The tools a hook is about, where its matcher, or else its event, leaves nothing but some that are known here."""
    entry = line.entry
    matcher = entry.spec.matcher
    if entry.rule is not None and entry.rule.subject == "tool_name":
        names = names_in(matcher)
        tools = tuple(entry.speaker.tools.canonical(name) for name in names)
    else:
        tools = about_one_tool(line)
    tools = tuple("Edit" if tool == "MultiEdit" else tool for tool in tools)
    return tools if set(tools) <= CALLS.keys() else ()


@cache
def _arguments(
    speaker: str, native: str, kind: EventKind, tool: str
) -> tuple[tuple[str, frozenset[str]], ...]:
    """The objects in what is sent for a call of the tool, each with the names in it."""
    payload = payload_of(speaker, native, kind, {"tool_name": tool, "tool_input": dict(CALLS[tool])})
    return tuple(_holding(payload, frozenset(map(str, CALLS[tool].values()))))


def _holding(payload: Mapping[str, Any], values: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The innermost objects that have one of these values, by their place."""
    for name, value in payload.items():
        if isinstance(value, dict) and any(part in str(value) for part in values):
            inner = list(_holding(value, values))
            yield from ((f"{name}.{place}", names) for place, names in inner)
            if not inner:
                yield name, frozenset(value)


def _parsed_twice(line: HookLine, text: str) -> str:
    """The object that is parsed as if it were a text of JSON, by code that does not look first."""
    name = line.entry.traps.no_text
    if not name or re.search(r"isinstance|typeof|\btype\)?\s*==|\btry\b|fromjson\?|objects|strings", text):
        return ""
    kept = [found[1] for found in re.finditer(ASSIGNED % name, text)]
    names = "|".join(map(re.escape, (name, *kept)))
    parses = (
        rf"\b{name}\b\s*\|\s*fromjson"
        rf"|(?:json\.loads|JSON\.parse)\([^()\n]*(?:\([^()\n]*\))?[^()\n]*\b(?:{names})\b"
    )
    return name if re.search(rf"\b{name}\b", text) and re.search(parses, text) else ""


def _taken_for_text(line: HookLine, text: str) -> Iterator[str]:
    """The object of a call, or of what came of it, that a script works on as on one text."""
    entry = line.entry
    if entry.spec.kind not in _TOOL_EVENTS:
        return
    given = {"tool_name": "Bash", "tool_input": dict(CALLS["Bash"]), "tool_response": {"stdout": "x"}}
    sent = payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, given)
    for field in ("tool_input", "tool_response"):
        of_known = field == "tool_input" or _tools_of(line)
        if field not in text or not isinstance(sent.get(field), dict) or not of_known:
            continue
        if re.search(_PIPED_AS_TEXT.replace("FIELD", field), text) or any(
            re.search(_AS_TEXT.replace("NAME", found[1]), text)
            and not re.search(_AS_OBJECT.replace("NAME", found[1]), text)
            for found in re.finditer(_WHOLE.replace("FIELD", field), text)
        ):
            yield field
