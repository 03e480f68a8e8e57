"""Does a word of a command fit one of a rule, and do several in their order."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hookline.shell.programs.conditions import MAYBE, NO, YES, is_like
from hookline.shell.reading import Hole, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.shell.effects.wanted import Wanted


def in_order(wanted: Wanted, asked: Sequence[Word], found: Sequence[Word], least: int) -> bool:
    at = 0
    for word in found:
        while at < len(asked) and word_fits(wanted, asked[at], word) >= least:
            at += 1
            if word.single:
                break
    return at == len(asked)


def word_fits(wanted: Wanted, asked: Word, found: Word) -> int:
    text = asked.literal or ""
    pattern = wanted.globs.get(text, text)
    met = text_fits(pattern, found)
    if pattern == f"{text}:*":
        met = max(met, text_fits(text, found))
    if pattern[:1] == "~" and wanted.home and met != YES:
        met = max(met, text_fits(wanted.home + pattern[1:], found))
    return met


def text_fits(pattern: str, found: Word) -> int:
    if pattern == "*":
        return YES
    text = found.literal
    if text is not None:
        return YES if text == pattern or is_like(plain_path(text), plain_path(pattern)) else NO
    written = "".join(part if isinstance(part, str) else part.text for part in found.parts)
    if written == pattern:
        return YES
    if (
        "*" not in pattern
        and all(h.kind == "word" or is_oneword_fits(h) for h in found.holes)
        and not all(part in pattern for part in found.parts if isinstance(part, str))
    ):
        return NO
    last = found.parts[-1]
    start = pattern.partition("*")[0]
    if pattern == f"{start}*" and start and found.prefix.startswith(start):
        return YES
    begins = start.startswith(found.prefix) or ("*" in pattern and found.prefix.startswith(start))
    ends = not isinstance(last, str) or "*" in pattern or pattern.endswith(last)
    glob = next((part for part in found.parts if isinstance(part, Hole) and part.kind == "glob"), None)
    if glob is not None and len(found.holes) == 1 and not fnmatchcase(pattern, written):
        return NO
    return MAYBE if begins and ends else NO


def plain_path(text: str) -> str:
    """`//` and `/./` are `/`, and `./x` is `x`."""
    while text[:2] == "./" and len(text) > 2:
        text = text[2:]
    if text[:1] != "/" or ("//" not in text and "/." not in text):
        return text
    parts = [part for part in text.split("/") if part not in ("", ".")]
    return "/" + "/".join(parts)
