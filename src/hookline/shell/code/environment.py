"""Variables of the environment that code looks up (`$ENV{X}`, `process.env.X`), where the line itself sets them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = r"(?P<{0}>[A-Za-z_]\w*)"
_QUOTED = r"\s*[\"']" + _NAME + r"[\"']\s*"
# A place in a string, which the value takes as it is.
_WITHIN = re.compile(
    r"\$\{process\.env\." + _NAME.format("script") + r"\}|#\{ENV\[" + _QUOTED.format("ruby") + r"\]\}"
)
# A value of its own, which takes the place of a string.
_ALONE = re.compile(
    r"\$ENV\{\s*[\"']?" + _NAME.format("perl") + r"[\"']?\s*\}"
    r"|\b(?:process|Bun|Deno)\.env\." + _NAME.format("member") + r"\b(?!\s*[(\[.])"
    r"|(?:\b(?:process\.env|ENV|os\.environ|ENVIRON)|\$_(?:ENV|SERVER))\[" + _QUOTED.format("index") + r"\]"
    r"|\b(?:os\.)?getenvb?\(" + _QUOTED.format("call") + r"(?:,[^()]*)?\)"
    r"|\b(?:os\.environ\.get|ENV\.fetch|Deno\.env\.get)\(" + _QUOTED.format("get") + r"(?:,[^()]*)?\)"
)


def with_environment(text: str, variables: Mapping[str, str]) -> str:
    """The code with the values of these variables; one with quotes or backslashes in it is left where it stands."""

    def within(found: re.Match[str]) -> str:
        return _value(found) or found[0]

    def alone(found: re.Match[str]) -> str:
        value = _value(found)
        if value is None:
            return found[0]
        inside = found["perl"] is not None and _in_string(text[: found.start()])
        return value if inside else f'"{value}"'

    def _value(found: re.Match[str]) -> str | None:
        value = variables.get(found[found.lastgroup or 0])
        return None if value is None or re.search(r"[\"'\\\n`$#@]", value) else value

    text = _WITHIN.sub(within, text)
    return _ALONE.sub(alone, text)


def _in_string(before: str) -> bool:
    """Whether a double quote is open there, as in `"rm $ENV{X}"`."""
    return len(re.findall(r'(?<!\\)"', before)) % 2 == 1 or before.count("`") % 2 == 1
