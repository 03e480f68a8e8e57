"""A program that stands in a line: `node -e "…"`, `python3 -c '…'`."""

from __future__ import annotations

from hookline.checking.lines import HookLine
from hookline.system.patterns.late import late

_NAMES = {
    **dict.fromkeys(("node -e", "node --eval", "bun -e"), "e.js"),
    **dict.fromkeys(("python3 -c", "python -c"), "c.py"),
}
_AS_WRITTEN = late(r"\s*+[\w.-]++ --?\w++ \"(?P<code>(?>[^\"\\`]|\\.)*)\"\s*+", needs=('"',))


def code_of(line: HookLine) -> tuple[str, str]:
    """The code of a line that is no more, and a name by its language; what a shell fills in stands there as written."""
    run = [each for each in line.bare.commands if each.words and not each.via] if len(line.texts) == 1 else []
    words = [each.literal for each in run[0].words] if len(run) == 1 and not run[0].redirections else []
    name = _NAMES.get(" ".join(map(str, words[:2])), "") if len(words) > 2 else ""
    code = words[2] if name else ""
    if name and code is None and len(words) == 3 and "$(" not in line.text:
        written = _AS_WRITTEN.fullmatch(line.text)
        code = written["code"].replace('\\"', '"') if written else ""
    return (name, code) if name and code else ("", "")
