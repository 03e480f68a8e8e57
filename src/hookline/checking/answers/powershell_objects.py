"""Objects of PowerShell, `@{ decision = "block" }`, as text, and whether they are printed as JSON."""

from __future__ import annotations

import re

from hookline.system.patterns.late import late

OPENS = late(r"(?:\[\w.]+\]\s*)?@\{")
ESCAPED = late(r"`(?:(\"(?=[\w$]))|(\")|[nrt])", needs=("`",))
JSON = late(r"[\"']\{\s*`?\"\w+`?\"\s*:")
GIVEN = late(r"\b(?:Write|Send|Out)-\w*Json\b", needs=("Json",))
# a text stays as it is, `=` and what parts two members become the signs of JSON
_TEXT = late(
    r"('[^'\n]*'|\"(?:`.|[^\"\n`])*\")|@(?=\{)|(?<=[\w\"'])[ \t]*=(?!=)|;|(?<=[\w\"')}])[ \t]*\n(?=\s*[\w\"'])"
)
_SIGNS = {"=": ":", ";": ",", "\n": ",", "@": " "}
_HELD = late(r"\$(\w+)\s*=\s*$")
_PRINTS = late(r"\s*\)?\s*\|\s*ConvertTo-Json\b(?![^\n]*\|\s*(?:Out-File|Set-Content|Add-Content))")
_HANDS_ON = r"\$%s\s*\|\s*ConvertTo-Json|ConvertTo-Json[^\n]*\$%s\b"
_SAYS = r"(?im)(?:\bWrite-(?:Output|Host)|\.Write(?:Line)?\()[ \t]*\(?\$%s\b|^[ \t]*\$%s[ \t]*\r?$"
_HANDED = late(r"(?m)(?:^|[{;])[ \t]*([A-Za-z]+-\w+)[ \t]+(?:-\w+[ \t]+)?$")
_NEAR = 80


def with_signs_of_json(text: str) -> str:
    """A text whose objects are written with the signs of JSON, at the same places."""
    return _TEXT.sub(_as_json_sign, text)


def is_printed(text: str, start: int, end: int) -> bool:
    """Whether an object that stands there is printed as JSON: at once, under a name, or by a function."""
    before = text[max(0, start - _NEAR) : start]
    held, made = _HELD.search(before), _PRINTS.match(text, end)
    if held:
        printed = re.search((_SAYS if made else _HANDS_ON) % (held[1], held[1]), text[end:])
        if printed:
            return True
    elif made:
        return True
    given = _HANDED.search(before)
    return given is not None and _is_said_by(text, given[1])


def _is_said_by(text: str, function: str) -> bool:
    """Whether a function prints what it is given as JSON: by what it does, or by its name where it stands elsewhere."""
    made = re.search(rf"(?ims)^[ \t]*function[ \t]+{function}\b(?P<body>.*?)(?:^\}}|\}}[ \t]*\r?$)", text)
    if made is None:
        return GIVEN.match(function) is not None
    return "ConvertTo-Json" in made["body"] and not re.search(r"Out-File|(?:Set|Add)-Content", made["body"])


def _as_json_sign(found: re.Match[str]) -> str:
    sign = found[1] or _SIGNS[found[0].strip() or "\n"]
    return sign.ljust(len(found[0]))
