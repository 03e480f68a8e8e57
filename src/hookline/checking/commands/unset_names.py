"""Variables and arguments that a script looks for the call in, and that nobody gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.commands.variables import (
    field_of,
    meant_by,
    never_set,
    never_set_beside_input,
    never_set_in_code,
    reads_input,
)
from hookline.checking.lines import HookLine
from hookline.checking.scripts.stolen_input import takes_arguments
from hookline.checking.steps.languages import is_shell
from hookline.dialects import is_agent
from hookline.system.patterns.late import late

_ARGUMENT = late(
    r"\$\{?[1*](?!\w|:?-[\w/-]*[./]\w)|sys\.argv\[1|process\.argv\[2"
    r"|(?im:^[ \t]*param\s*\(\s*(?:\[[^\]]*\]\s*)*\$(?P<own>\w+)\s*[,)](?=[\s\S]*\$(?P=own)\b))"
)
# by its name what an event tells of
_OF_A_CALL = late(
    r"(?im)^[ \t]*(?:local\s+|export\s+)?\w*"
    r"(?:agent|prompt|session|message|reason|source|trigger|tool|event)\w*=\"?\$\{?1(?!\d)"
    r"|\b(?:const|let|var)[ \t]+\w*(?:prompt|message|reason|trigger|tool|event)\w*[ \t]*=[ \t]*"
    r"process\.argv(?:\.slice\(2\)|\[2\])"
)
_SOURCES = late(r"(?m)^[ \t]*(?:\.|source)\s")
_FUNCTION = late(r"\w\s*\(\)\s*\{|^[ \t]*(?:function|def)\s", re.MULTILINE)
_IN_QUOTES = late(r"'[^'\n]*'")
_STARTED = late(r"(?m)^[ \t]*\"?\$\{?\w+\}?\"?/", needs=("$",))
_ITS_CALL = late(r"[A-Z]+_(?:TOOL_(?:ARGS?|INPUT|PARAMS?)_\w+|FILE_PATHS?)")


def unset_names(line: HookLine, shown: str, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    shell = is_shell(shown, line.scripts.get(shown, ""))
    in_vain = never_set_beside_input(text, line.entry) if shell else ()
    told = {}
    if shown and not reads_input(text):
        yield from _unpassed_argument(line, text, shown)
        names = (*never_set(text, line.entry, in_plugin=bool(line.plugin_root)), *in_vain)
        told = dict.fromkeys(names, "the call is JSON on standard input")
    elif shown:
        told = {name: f"the call on standard input has it: `jq -r .{field_of(name)}`" for name in in_vain}
        told.update((name, "the call is JSON on standard input") for name in _for_the_call(line, text))
    for name, hint in told.items():
        if "_" in name and name.partition("_")[0].isupper():
            words = f"{where} reads `{name}`, which {line.entry.speaker.title} never sets"
            meant = meant_by(name, line.entry)
            yield "unset-variable", words, f"did you mean `{meant}`?" if meant else hint
    for name in never_set_in_code(text, line.entry):
        words = f"{where} reads `{name}`, which {line.entry.speaker.title} never sets"
        yield "unset-variable", words, "the call is JSON on standard input"


def _for_the_call(line: HookLine, text: str) -> Iterator[str]:
    """What a script takes the call from that hands its input on unread to a program that it starts."""
    begins, bare = f"{line.entry.speaker.name.upper()}_", _STARTED.sub("run /", text)
    if not reads_input(bare):
        names = never_set(bare, line.entry, in_plugin=bool(line.plugin_root))
        yield from (each for each in names if each.startswith(begins) and _ITS_CALL.fullmatch(each))


def _unpassed_argument(line: HookLine, text: str, shown: str) -> Iterator[tuple[str, str, str]]:
    """A script that looks for the call among its arguments, on a line that ends with its name."""
    bare = line.text.rstrip().rstrip("\"'")
    elsewhere = _SOURCES.search(text)  # what it takes in may look at the input
    if (
        elsewhere
        or (
            is_agent(line.entry.speaker.name) and takes_arguments(line, shown, text)
        )  # which is told by itself
        or not bare.endswith(shown.rpartition("/")[2])
        or _FUNCTION.search(text)
        or not line.entry.rule
    ):
        return
    code = _IN_QUOTES.sub("", text)
    if is_shell(shown, text):
        code = code.replace(".argv", "")  # of a program in it, whose arguments it gives itself
    if (line.entry.rule.subject == "tool_name" and _ARGUMENT.search(code)) or _OF_A_CALL.search(code):
        words = f"`{shown}` reads its first argument, and {line.entry.speaker.title} passes none"
        yield "unset-variable", words, "the call is JSON on standard input"
