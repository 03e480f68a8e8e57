"""What PowerShell does otherwise than its script reads: `-or` makes a truth of texts, some variables stay as they are,
a script that is called is sent nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.model.errors import Problem
from hookline.system import files
from hookline.system.patterns.late import late

_TRUTH = late(
    r"(?im)^[ \t]*(?P<name>\$\w+)[ \t]*=[ \t]*\(?(?P<first>\$[\w.]+)\)?(?:[ \t]+-or[ \t]+\$[\w.]+)*[ \t]+-or[ \t]+"
    r"(?:\"[^\"\n]*\"|'[^'\n]*')\)?[ \t]*;?[ \t]*\r?$",
    needs=("-or", "-OR", "-Or"),
)
_CALLS = late(
    r"(?im)^[ \t]*&[ \t]*(?:\([^()\n]*?)?[\"'](?P<path>[^\"'\n]{1,200}\.ps1)[\"'][^\n]*$",
    needs=(".ps1", ".PS1"),
)
_FOLDER = late(r"^(?:\$\{?[\w:]+\}?|\.(?=[\\/]))?[\\/]*(?:\.\.[\\/])*")
_INPUT = late(r"(?i)\$input\b", needs=("nput",))
_ASKS_CONSOLE = late(r"(?i)\[Console\]::(?:In|OpenStandardInput)\b", needs=("onsole",))
# variables that PowerShell lets nobody write
_KEPT = late(
    r"(?i)(?:(?<![\w`.:])|\[[\w.]{1,20}\])(?P<name>\$(?:PID|Host|Home|PSHome|ShellId|PSVersionTable|PSEdition|PSCulture"
    r"|PSUICulture|ExecutionContext|true|false))[ \t]*(?:[-+]?=(?!=)|\+\+)"
    r"|\bforeach[ \t]*\([ \t]*(?P<each>\$(?:PID|Host|Home|ShellId))[ \t]+in\b"
)
_NO_CODE = late(r"(?m)<#[\s\S]*?#>|^[ \t]*#[^\n]*|'[^'\n]*'")
_LARGEST = 64 * 1024


def powershell_traps(line: HookLine) -> Iterator[Problem]:
    """What of it stands in the scripts of a hook."""
    for shown, where, text in line.texts[1:]:
        if not shown.endswith(".ps1"):
            continue
        if found := _TRUTH.search(text):
            told = "which makes `True` or `False` of texts: what was said is lost"
            words = f"{where} fills `{found['name']}` with `-or`, {told}"
            hint = (
                f"write `if ({found['first']}) {{ {found['first']} }} else {{ … }}`, or `??` in PowerShell 7"
            )
            yield line.entry.at_line("unsent-value", words, hint)
        if kept := _KEPT.search(_NO_CODE.sub("", text)):
            told = "which PowerShell lets nobody write: it fails there"
            name = kept["name"] or kept["each"]
            words = f"{where} puts something into `{name}`, {told}"
            yield line.entry.at_line("bad-syntax", words, f"call it by another name than `{name}`")
        if called := _sent_nothing(line, shown, text):
            words = f"{where} calls `{called}` and sends it nothing, which looks for the call in `$input`"
            yield line.entry.at_line("no-input", words, "write `$input | & …`")


def _sent_nothing(line: HookLine, shown: str, text: str) -> str:
    """A script of the workspace that is called and reads `$input`, which only a pipe fills."""
    for found in _CALLS.finditer(text) if not _INPUT.search(text) else ():
        path = _FOLDER.sub("", found["path"]).replace("\\", "/")
        places = (
            os.path.join(line.workspace, path),
            os.path.join(line.workspace, os.path.dirname(shown), path),
        )
        inner = next((each for each in places if os.path.isfile(each)), "")
        kept = files.read_text(inner, _LARGEST) if inner else None
        if kept is not None and kept.state == "text" and _INPUT.search(kept.text):
            return os.path.basename(path) if not _ASKS_CONSOLE.search(kept.text) else ""
    return ""
