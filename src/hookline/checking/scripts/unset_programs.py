"""Programs that a shell script names by a variable which nobody fills: what stands behind it is run in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.commands.assigned import assigned
from hookline.checking.commands.variables import given_to, is_set
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_shell
from hookline.model.errors import Problem
from hookline.system import files
from hookline.system.patterns.late import late

_RUN = late(
    r"(?m)(?:^|[|;&({`!]|\b(?:then|do|else)\b)[ \t]*\"?\$(?:\{(?P<a>[A-Z][A-Z0-9_]*)\}|(?P<b>[A-Z][A-Z0-9_]*)\b)\"?"
    r"[ \t]+(?![-+]?=)[-\w\"'$./]"
)
_TAKES_IN = late(r"(?m)^[ \t]*(?:\.|source|eval)[ \t]")
_OWN = frozenset(
    {"SHELL", "EDITOR", "VISUAL", "PAGER", "BROWSER", "SUDO", "BASH", "HOME", "PWD", "CC", "MAKE"}
)


def unset_programs(line: HookLine) -> Iterator[Problem]:
    """The first such program of each script."""
    for shown, _, text in line.texts[1:]:
        if not is_shell(shown, line.scripts[shown]) or _TAKES_IN.search(text):
            continue
        given = given_to(line.entry)
        for found in _RUN.finditer(text):
            name = found["a"] or found["b"]
            known = name in _OWN or name in files.environment() or name in line.entry.line
            known = known or re.search(rf"\b{name}=[\"']?\$\{{{name}:?[-=][^}}\s\"']", text) is not None
            if not (known or assigned(name, text) or is_set(name, given, line.entry, bool(line.plugin_root))):
                words = f"`{shown}` runs what `${name}` names, which nobody sets: the words behind it are run then"
                yield line.entry.at_line("unset-variable", words, f"write `{name}=$(command -v …)` before it")
                break
