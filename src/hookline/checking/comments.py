"""A script's text without what only its reader reads: comments, and the texts of Python that document."""

from __future__ import annotations

import re

from hookline.system.modules import attribute
from hookline.system.patterns.late import late

_COMMENT = late(r"(?m)^[ \t]*(?:#|//).*$", needs=("#", "//"))
# a comment of several rows, in a language that has them
_BLOCKS = {
    ".ps1": late(r"(?m)^[ \t]*<#[^#]*+(?:#++[^#>][^#]*+)*+#++>[ \t]*$", needs=("<#",)),
    "js": late(r"(?m)^[ \t]*/\*[^*]*+(?:\*++[^*/][^*]*+)*+\*++/[ \t]*$", needs=("/*",)),
}
_IN_BRACES = (".js", ".mjs", ".cjs", ".ts", ".mts")
_SET = late(r"(?m)^([ \t]*)set (?:-\w+ )*(\w+) (\S.*)$")
_NAMED_CODE = late(
    r"(?m)^(?:const |readonly )?(?P<name>[A-Z][A-Z_]+)\s*(?::\s*\w+\s*)?=\s*(?P<code>[0-2])\b;?[ \t]*(?:#.*|//.*)?$",
    needs=("=",),
)


def without_comments(text: str, shown: str = "") -> str:
    """The text that does something; assignments of fish as other shells write them, codes by their number.

    Only with the name of the script its language is known, and so are comments of several rows.
    """
    text = _with_codes(_without_blocks(text, shown))
    bare = _COMMENT.sub("", text)
    return _SET.sub(_as_assignment, bare) if "fish" in text.partition("\n")[0] else bare


def _without_blocks(text: str, shown: str) -> str:
    kind = "js" if shown.endswith(_IN_BRACES) else ".ps1" if shown.endswith(".ps1") else ""
    if kind:
        return _BLOCKS[kind].sub(lambda found: "\n" * found[0].count("\n"), text)
    if '"""' in text or "'''" in text:
        without: str = attribute("hookline.checking.steps.languages", "without_documenting")(shown, text)
        return without
    return text


def _with_codes(text: str) -> str:
    """`return BLOCK` as `return 2`, where that is its value."""
    for found in _NAMED_CODE.finditer(text):
        used = rf"(\b(?:return|exit|SystemExit)[ (]+){found['name']}\b(?![\w.(\[])"
        text = re.sub(used, lambda use, code=found["code"]: use[1] + code, text)  # type: ignore[misc]
    return text


def _as_assignment(found: re.Match[str]) -> str:
    name, value = found[2], found[3]
    if value.startswith("("):
        return f"{found[1]}{name}=${value}"
    return (
        f"{found[1]}{name}={value}"
        if re.fullmatch(r"\"[^\"]*\"|\S+", value)
        else f"{found[1]}{name}=({value})"
    )
