"""Hooks at the wrong time: guards after the call or their own end, and formatters before it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.commands.alike import alike, is_for_this_alone
from hookline.checking.files.time_rules import time_node
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_python, is_shell
from hookline.checking.steps.shell_nodes import all_nodes, program_of
from hookline.checking.texts.only_printing import LOOKS
from hookline.checking.texts.spoken import spoken_in, without_taken
from hookline.dialects.matching import mismatch
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Function
from hookline.shell.grammar.tree import Simple
from hookline.system.patterns.late import late

_BLOCKS = late(r"\b(?:exit|return)[ (]+2\b|sys\.exit\(2\)|process\.exit\(2\)")
_SAYS_SO = late(
    r"(?i:\bblock(?:ed|ing)\b|\bforbidden\b|\bdenied\b|\bnot (?:allowed|permitted)\b|\brefus(?:ed|ing)\b|\bbloqueado)"
)
_OF_THE_CALL = late(r"\btool_input\b|\bfile_path\b")
# what came of the call, or what stands in the file by now: that is looked at afterwards
_OF_THE_RESULT = late(
    r"tool_(?:response|output|result)|\b(?:cat|head|tail|wc|sed|awk|e?grep|source|stat)\b[^|\n]*\s\"?\$|<\s*\"?\$|"
    r"\[\[?\s+(?:!\s+)?-[efsrx]\s|\bgit\b|\bopen\(|read_text|readFile|subprocess|execSync|spawn|os\.path\.(?:exists|isfile|getsize)"
)
_OF_SHELL = late(r"(?m)(?:^|[|;&(=])[ \t\"]*timeout[ \t]+(?:-\S+[ \t]+)*(\d+)s?[ \t]", needs=("timeout",))
_OF_PYTHON = late(
    r"\bsubprocess\.(?:run|check_output|check_call|call)\((?:[^()]|\([^()]*\))*?\btimeout=(\d+)",
    needs=("timeout",),
)
_OF_NODE = late(
    r"\b(?:exec|spawn)(?:File)?Sync\((?:[^()]|\([^()]*\))*?\btimeout:\s*(\d[\d_]*)(?!\s*[*+\w])",
    needs=("timeout",),
)
# a program that writes a file anew, and the file of the call that it is given
_FORMATS = late(
    r"(?:\bprettier\b[^\n|;&#]{0,80}(?:--write|-w\b)|\bblack\b|\bruff\s+format\b|\b(?:gofmt|goimports|shfmt)\s+-\w*w|\brustfmt\b"
    r"|\bclang-format\s+-i|\bisort\b|\b(?:dart|terraform|mix|deno|zig)\s+(?:format|fmt)\b|\bswiftformat\b"
    r"|\bbiome\b[^\n|;&#]{0,40}--write|\b(?:eslint|ruff)\b[^\n|;&#]{0,80}--fix)"
    r"(?P<given>[^\n;&|#]{0,120})"
)
_FILE_OF_THE_CALL = late(
    r"(?i:\$\{?\w*(?:file|path)\w*|\$f\b|\b\w*(?:file_?path|file_?name)\w*)|\$\(\s*jq\b[^)]*(?:file_path|path)"
)
_NAMED_SO = late(r"\b(\w+)\s*(?::\s*str\s*)?=[^\n]{0,200}?\b(?:file_?path|path)\b", re.IGNORECASE)
_NAMES = late(r"\w+")
_DECIDES = late(
    r"[\"'](?:deny|block|ask)\b|(?<![$-])\bexit[ (]+2\b|\bcontinue\b[\"']?\s*:\s*[fF]alse|exitCode\s*=\s*2"
)
_EDITS, _SHELLS = ("Write", "Edit", "MultiEdit"), ("Bash", "PowerShell")


def early_formatters(line: HookLine) -> Iterator[Problem]:
    """A line or script that does no more than format the file of a call, which is yet to be written."""
    entry = line.entry
    if entry.spec.kind is not EventKind.PreToolUse or entry.rule is None or not _is_of_edits(line):
        return
    if any(_DECIDES.search(text) for _, _, text in line.texts):
        return
    for _, where, text in line.texts:
        given = next((each["given"] for each in _FORMATS.finditer(text)), "")
        names = set(_NAMED_SO.findall(text))
        if _FILE_OF_THE_CALL.search(given) or not names.isdisjoint(_NAMES.findall(given)):
            after = entry.speaker.rules.get(EventKind.PostToolUse)
            words = f"{where} formats the file before the tool has written it, at `{entry.spec.native_event}`"
            yield entry.at_line("wrong-event", words, f"move it to `{after.native}`" if after else "")
            return


def _is_of_edits(line: HookLine) -> bool:
    """Whether the hook is for tools that write files, and for no shell."""
    matcher, tools = line.entry.spec.matcher, line.entry.speaker.tools
    fits = [
        matcher is None
        or mismatch(matcher, (*names, *(each for name in names for each in tools.native(name))), "tool_name")
        is None
        for names in (_EDITS, _SHELLS)
    ]
    reads = any("command" in text for _, _, text in line.texts)
    return fits[0] and (not fits[1] or (matcher is None and not reads))


def late_guards(line: HookLine) -> Iterator[Problem]:
    """The first script that judges nothing but the call itself, and says no to it when it is over."""
    entry = line.entry
    if entry.spec.kind is not EventKind.PostToolUse or entry.guards:
        return
    for shown, where, text in line.texts[1:]:
        if (
            _BLOCKS.search(text)
            and _OF_THE_CALL.search(text)
            and not _OF_THE_RESULT.search(text)
            and any(_SAYS_SO.search(each.words) for each in spoken_in(shown, line.scripts[shown]))
            and _only_judges(shown, text)
            and is_for_this_alone(line, shown)
        ):
            words = f"{where} says that it blocks, and at `{entry.spec.native_event}` the call has been made"
            yield entry.at_line("weak-answer", words, "guard an event before it happens")
            return


def _only_judges(shown: str, text: str) -> bool:
    """Whether it runs no program that could tell more than the call does."""
    if is_python(shown, text):
        return True
    if not is_shell(shown, text):
        return bool(re.search(r"\.[mc]?js$", shown))
    tree, unclear = parse(without_taken(text))
    nodes = [*all_nodes(tree)]
    own = {node.name for node in nodes if isinstance(node, Function)}
    run = {program_of(node)[0] for node in nodes if isinstance(node, Simple) and node.words}
    return unclear is None and run <= LOOKS | own


def inner_times(line: HookLine) -> Iterator[Problem]:
    """A hook that lets one program run for longer than it has itself."""
    entry = line.entry
    node, given = time_node(entry), entry.spec.timeout_s
    if node is None or entry.spec.background:
        return
    for shown, where, text in line.texts[1:]:
        pattern = (
            _OF_SHELL
            if is_shell(shown, line.scripts[shown])
            else _OF_PYTHON
            if is_python(shown, text)
            else _OF_NODE
        )
        unit = 1000 if pattern is _OF_NODE else 1
        longest = max((float(found[1]) / unit for found in pattern.finditer(text)), default=0.0)
        same = (each.line == entry.line and each.spec.kind is entry.spec.kind for each in alike(line, shown))
        if longest > given and all(same):  # of one script for several hooks it may be another's
            words = (
                f"{where} lets a program run for {longest:g} seconds, and the hook is ended after {given:g}"
            )
            yield entry.file.problem(
                node, "implausible-time", words, f"give the hook more than {longest:g} seconds"
            )
            return
