"""Names that PowerShell knows: what each group of its commands does, calls of .NET's, and places of a machine."""

from __future__ import annotations

import re

KEYWORDS = frozenset(
    ["if", "elseif", "else", "foreach", "for", "while", "do", "until", "switch", "try", "catch", "finally", "function",
     "param", "return", "throw", "begin", "process", "end", "trap", "filter", "class", "in"]
)  # fmt: skip
RUNS_TEXT = frozenset({"iex", "invoke-expression", "invoke-command", "icm", "start-process", "start", "saps"})
STARTS = frozenset({"start-process", "start", "saps", "wsl"})
NAMES = frozenset(
    {"-filepath", "-argumentlist", "-args", "-wait", "-nonewwindow", "-passthru", "-e", "--", "--exec"}
)
OTHER_SHELLS = frozenset({"bash", "sh", "zsh"})
CLOSER = {"(": ")", "{": "}"}
LISTS = frozenset(("get-childitem", "gci", "ls", "dir", "get-item", "gi", "resolve-path"))
PASSES_ON = frozenset(
    ("where-object", "where", "?", "sort-object", "sort", "select-object", "select", "%", "foreach-object")
)
TAKES_FILES = frozenset(
    (
        "remove-item",
        "ri",
        "rd",
        "del",
        "erase",
        "rmdir",
        "rm",
        "clear-content",
        "clc",
        "set-content",
        "get-content",
    )
)
FILTERS = ("-filter", "-include", "-exclude", "-depth", "-erroraction")
# Calls of .NET's, by how their names begin, and the commands that do the same.
METHOD = re.compile(r"\]::\w+$|^\.(?:Down|Up)load\w+$", re.IGNORECASE)
CALLED = {
    ("delete",): ("rm", "-rf"), ("write", "append", "create"): ("python:write",), ("move",): ("mv",),
    ("copy",): ("python:copy",), ("read", "open"): ("python:read",),
    ("downloadfile",): ("python:retrieve",), ("downloadstring",): ("curl",), ("uploadfile",): ("curl", "-T"),
}  # fmt: skip
# Places that variables name on every machine.
PLACES = {
    "home": "~", "userprofile": "~", "homepath": "~", "systemroot": "C:\\Windows", "windir": "C:\\Windows",
    "systemdrive": "C:",
    "programfiles": "C:\\Program Files", "programdata": "C:\\ProgramData", "appdata": "~\\AppData\\Roaming",
    "localappdata": "~\\AppData\\Local",
    "profile": "~\\Documents\\PowerShell\\profile.ps1", "temp": "/tmp", "tmp": "/tmp", "pwd": ".",
}  # fmt: skip
