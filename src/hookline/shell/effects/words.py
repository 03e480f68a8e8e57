"""Does a word of a command fit one of a rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from hookline.shell.programs.arguments import Arguments, Option
from hookline.shell.programs.conditions import MAYBE, NO, YES, is_like
from hookline.shell.reading import Hole, Word
from hookline.system.patterns.late import late

_MAGIC = late(r"[*?\[]")


def text_fits(pattern: str, found: Word) -> int:
    if pattern == "*":
        return YES
    text = found.literal
    if text is not None:
        return YES if text == pattern or is_like(plain_path(text), plain_path(pattern)) else NO
    return _with_holes_fits(pattern, found)


def _with_holes_fits(pattern: str, found: Word) -> int:
    from hookline.shell.programs.one_word import is_one_word

    written = "".join(part if isinstance(part, str) else part.text for part in found.parts)
    shown = "".join(part if isinstance(part, str) else "\0" for part in found.parts)
    if written == pattern or (
        "*" in pattern and "[" not in pattern and _is_whole(found) and is_like(shown, pattern)
    ):
        return YES  # whatever stands in the holes
    if (
        "*" not in pattern
        and all(h.kind in ("word", "glob") or is_one_word(h) for h in found.holes)
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
    if glob is not None and len(found.holes) == 1 and not is_like(pattern, written):
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


def is_cluster_of(text: str, asked: set[str | None]) -> bool:
    """Whether letters stand together, of which an option that is asked for is one: `-rf` has `-f`."""
    single = text[:1] == "-" and len(text) > 2 and text[1] != "-"
    return single and any(f"-{letter}" in asked for letter in text[1:])


def _is_whole(word: Word) -> bool:
    """Whether all that stands in it stays in one word, or in each of several."""
    return all(hole.kind != "words" for hole in word.holes)


def are_written(options: Iterable[Option], texts: set[str | None]) -> bool:
    """Whether all these options stand among words."""
    names: list[set[str | None]] = [set(option.names) for option in options]
    written = [(text or "").partition("=")[0] for text in texts]
    return all(any(text in each or is_cluster_of(text, each) for text in written) for each in names)


def matches_path(path: str, form: str) -> bool:
    """Name by name: `**` is any number of folders, and a folder means all in it."""
    asked, found = path.rstrip("/").split("/"), form.split("/")
    places = {0}  # of the pattern, behind the names so far
    for name in found:
        reached: set[int] = set()
        for place in skipped(asked, places):
            if place == len(asked):
                return True
            if asked[place] == "**":
                reached.add(place)
            elif asked[place] == name or (_MAGIC.search(asked[place]) and is_like(name, asked[place])):
                reached.add(place + 1)
        places = reached
    return len(asked) in skipped(asked, places)


def skipped(asked: Sequence[str], places: set[int]) -> set[int]:
    """The places of a pattern, and those behind a `**` that stands for nothing."""
    found = set(places)
    for place in sorted(places):
        while place < len(asked) and asked[place] == "**":
            place += 1
            found.add(place)
    return found


def is_another_folder(begins: str, text: str, ends: str, path: str) -> bool:
    """Whether `packages/$p/src/a` speaks against `packages/*/dist/**`, the hole being one name."""
    own, behind, asked = begins.rstrip("/").split("/"), ends.strip("/").split("/"), path.split("/")
    whole = begins[-1:] == "/" and ".." not in behind and text.rstrip("/").endswith(ends.rstrip("/"))
    before = text[: len(text.rstrip("/")) - len(ends.rstrip("/"))].rpartition("/")[0]
    if not whole or not begins.rstrip("/").endswith(before.lstrip("./")) or "**" in asked[: len(own) + 1]:
        return False
    return not all(map(is_like, behind, asked[len(own) + 1 : asked.index("**") if "**" in asked else None]))


@lru_cache(16)  # many commands of a line are asked for the same one
def stands_in(name: str, line: str) -> bool:
    return re.search(rf"\b{name}\b", line) is not None


def pushed_to(word: Word) -> Word:
    """The branch that `HEAD:main`, `+main` or `refs/heads/main` puts commits on."""
    text = word.literal
    if text is None:
        return word
    return Word((text.removeprefix("+").rpartition(":")[2].removeprefix("refs/heads/"),))


def first_of(words: Sequence[Word]) -> str:
    """The first word's text; empty where there is none, or none for certain."""
    return words[0].literal or "" if words else ""


def mentions(pattern: str, given: Arguments) -> int:
    """`psql *prod*` is met by `psql -h prod-db` too."""
    if any(is_like(name, pattern) for option in given.options for name in option.names):
        return YES
    values = [option.value for option in given.options if option.value is not None]
    words = (*(Word((name,)) for name in given.path[1:]), *given.operands, *values)
    found = max((text_fits(pattern, word) for word in words), default=NO)
    return found or (MAYBE if given.loose else NO)
