"""Scripts that are run by another program than the one they are written for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine, Started
from hookline.model.errors import Problem
from hookline.system import files
from hookline.system.patterns.late import late

_SHEBANG = late(r"#!\s*(?:\S*/env\s+(?:-\S+\s+)*)?(?:\S*/)?([\w.-]+)")
_KEPT_TOGETHER = late(r"#!\s*\S*/env\s+([^-\s=]\S*\s+\S.*?)\s*$")  # `env python3 -u` is one argument
_RUN_BY = {
    "sh": ("sh", "bash", "dash", "zsh", "ksh"),
    "python3": ("python", "python3"),
    "node": ("node", "bun", "deno", "tsx", "ts-node"),
    "ruby": ("ruby",),
    "perl": ("perl",),
    "php": ("php",),
}
_ENDINGS = {
    "sh": (".sh", ".bash", ".zsh"),
    "python3": (".py",),
    "node": (".js", ".mjs", ".cjs", ".ts", ".mts"),
    "ruby": (".rb",),
    "perl": (".pl",),
    "php": (".php",),
}
_NAMES = {"sh": "a shell", "python3": "Python", "node": "Node", "ruby": "Ruby", "perl": "Perl", "php": "PHP"}
_NOT_CODE = late(r"(?m)^[ \t]*#.*$|'[^']*'|<<-?\s*['\"]?(\w+)['\"]?[\s\S]*?\n\1\b")
_REQUIRES = late(r"(?m)^(?:const|let|var)\s[^\n]*=\s*require\(")
_MODULE = late(r"\"type\"\s*:\s*\"module\"")
_BASH_ONLY = late(
    r"(?m)(?:^|[;&|({]|\b(?:if|elif|while|until|then|else|do))\s*\[\[\s|<<<"
    r"|^[ \t]*function\s+\w+|=~\s|\$\{\w+(?:,,|\^\^)\}"
)


def interpreter_problems(line: HookLine, each: Started, path: str) -> Iterator[Problem]:
    """A script that another program runs than the one it is written for."""
    first = line.scripts.get(each.shown, "").split("\n", 1)[0]
    meant = _language(first, path)
    found = next((language for language, names in _RUN_BY.items() if each.by in names), "")
    if found and meant and found != meant:
        words = f"`{each.by}` runs `{each.shown}`, which is written for {_NAMES[meant]}"
        hint = "start it by its own name" if first.startswith("#!") else f"start it with `{meant}`"
        yield line.entry.at_line("wrong-interpreter", words, hint)
    if each.directly and (kept := _KEPT_TOGETHER.match(first)):
        words = f"Linux takes what stands behind `env` in `{each.shown}` for one program, `{kept[1]}`"
        yield line.entry.at_line(
            "missing-interpreter", words, f"write `#!/usr/bin/env -S {kept[1]}`", severity="error"
        )
    if meant == "node" and (each.by in ("", "node")):
        yield from _module_problem(line, each, path)
    runs = each.by or (_SHEBANG.match(first) or ("", ""))[1]
    if runs in ("sh", "dash") and meant in ("", "sh"):
        bash = _BASH_ONLY.search(_NOT_CODE.sub("", line.scripts.get(each.shown, "")))
        if bash:
            words = f"`{bash[0].strip()}` in `{each.shown}` is not known to every `sh`, and `{runs}` runs it"
            first_line = "and make it begin with `#!/bin/bash`" if not first.startswith("#!/bin/bash") else ""
            yield line.entry.at_line("bashism", words, f"run it with `bash` {first_line}".strip())


def swapped_shells(line: HookLine) -> Iterator[Problem]:
    """A script of PowerShell under the key of a shell's line, or the other way round."""
    for key, ending, shell in (("bash", ".ps1", "a shell"), ("powershell", ".sh", "PowerShell")):
        node = line.entry.node.get(key) if line.entry.node else None
        text = node.value if node is not None and isinstance(node.value, str) else ""
        if text.partition(" ")[0].endswith(ending):
            words = (
                f"`{text.partition(' ')[0]}` is not written for {shell}, which runs what stands under `{key}`"
            )
            yield line.entry.problem("wrong-interpreter", words, "is it meant for the other key?", key=key)


def _module_problem(line: HookLine, each: Started, path: str) -> Iterator[Problem]:
    """`require` in a script that a `package.json` above it makes a module."""
    text = line.scripts.get(each.shown, "")
    if not path.endswith(".js") or not _REQUIRES.search(text) or "createRequire" in text:
        return
    folder = os.path.dirname(path)
    while folder != os.path.dirname(folder) and not os.path.exists(os.path.join(folder, "package.json")):
        folder = os.path.dirname(folder)
    if _MODULE.search(files.read_text(os.path.join(folder, "package.json")).text):
        words = f'`{each.shown}` uses `require`, which its `package.json` (`"type": "module"`) takes away'
        yield line.entry.at_line("bad-syntax", words, "call it `.cjs`, or write `import`", severity="error")


def _language(first: str, path: str) -> str:
    """What a script is written in, by its first line or else its name; empty where neither says."""
    found = _SHEBANG.match(first)
    name = re.sub(r"[\d.]+$", "", found[1]) if found else ""
    ending = os.path.splitext(path)[1]
    known = next((language for language, names in _RUN_BY.items() if name in names), "")
    return known if found else next((each for each, ends in _ENDINGS.items() if ending in ends), "")
