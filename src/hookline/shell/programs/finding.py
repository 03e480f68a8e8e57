"""Where `find` and `fd` look, and the names of what they come to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from hookline.model.record import replace
from hookline.shell.reading import EMPTY, FITTING, FOUND, SOUGHT, Hole, Word
from hookline.system.patterns.late import late

_OPENS, _CLOSES = ("(", "\\("), (")", "\\)")
_FD_VALUES = frozenset((
    "-e", "--extension", "-t", "--type", "-d", "--max-depth", "--min-depth", "-E", "--exclude", "-S", "--size", "-o",
    "--owner", "-c", "--color", "-j", "--threads", "-C", "--base-directory", "--changed-within", "--changed-before",
))  # fmt: skip
_EITHER = frozenset(("-o", "-or", ","))
_WITHOUT_VALUE = frozenset((
    "-empty", "-executable", "-readable", "-writable", "-nouser", "-nogroup", "-true", "-false", "-prune", "-print",
    "-print0", "-ls", "-delete", "-quit", "-depth", "-mount", "-xdev", "-daystart", "-follow",
))  # fmt: skip
_PATHS = frozenset(("-path", "-ipath", "-wholename", "-iwholename"))


def places_of_fd(words: Sequence[Word]) -> Iterator[Word]:
    """What `fd` comes to: a pattern, then folders; extensions, or a pattern that is the end of a name, say which.

    Names that begin with a dot it passes over, unless it is told not to.
    """
    operands: list[Word] = []
    names: list[str] = []
    at = 0
    while at < len(words):
        text = words[at].literal or ""
        name, equals, value = text.partition("=") if text.startswith("--") else (text[:2], text[2:], text[2:])
        if not text.startswith("-"):
            operands.append(words[at])
        elif name in _FD_VALUES:
            at += not equals
            value = value if equals else (words[at].literal or "") if at < len(words) else ""
            names += [f"*.{value}"] * (name in ("-e", "--extension"))
        at += 1
    plain = re.fullmatch(r"\^?((?:\\.|[\w-])+)\$", operands[0].literal or "") if operands else None
    if plain is not None and not names:
        names.append("*" + re.sub(r"\\(.)", r"\1", plain[1]))
    texts = [word.literal or "" for word in words]
    hidden = any(re.match(r"--(?:hid|unr)|-[a-zA-Z]*[Hu]", text) for text in texts)
    for start in operands[1:] or [Word((".",))]:
        yield from (found_below(start, name) for name in names or ["" if hidden else "[!.]*"])


def start_words(words: Sequence[Word]) -> tuple[Word, ...]:
    """Where a `find` starts looking."""
    found: list[Word] = []
    for word in words:
        if not found and (word.prefix[:2] in ("-H", "-L", "-P", "-O", "-D") or word.literal == "--"):
            continue
        if word.prefix[:1] == "-" and word.literal is None:
            continue  # nobody knows what it is
        if (word.prefix[:1] == "-" and word.literal != "-") or word.literal in ("(", "!", "\\(", "\\!"):
            break
        found.append(word)
    return tuple(found) or (Word((".",)),)


def found_words(words: Sequence[Word], at: int | None = None) -> tuple[Word, ...]:
    """The paths that a `find` comes to where its action stands (`-delete`, `-exec`): below its starts, by their names.

    What stands behind the action, or belongs to another alternative, says nothing of them: `find . -delete -name x`.
    """
    tests = _conjunction(words, len(words) if at is None else at)
    names = _names(tests)
    below = [_on_path(start, tests) for start in start_words(words)]
    found = [
        found_below(start, "" if _meets_itself(start, name, tests) else name or own)
        for start, own in below
        for name in names
    ]
    return (
        tuple(replace(word, parts=_emptied(word.parts)) for word in found)
        if _is_empty(tests)
        else tuple(found)
    )


def _meets_itself(start: Word, name: str, tests: Sequence[Word]) -> bool:
    """Whether the folder in which a search begins fits the name that is looked for: `find src -name 's*'`."""
    texts = [word.literal or "" for word in tests]
    kinds = "".join(texts[at + 1] for at, text in enumerate(texts[:-1]) if text == "-type")
    own = (start.literal or "").rstrip("/").rpartition("/")[2]
    return bool(name) and "d" in (kinds or "d") and "-mindepth" not in texts and fnmatchcase(own, name)


def _conjunction(words: Sequence[Word], end: int) -> list[Word]:
    """The tests before an action that must all be met, alternatives in brackets among them; no negated ones."""
    tests: list[Word] = []
    open_at: list[int] = []
    at = 0
    while at < end:
        text = words[at].literal or ""
        if text in ("!", "-not", "\\!"):
            at = _behind_test(words, at + 1)
            continue
        if text in _EITHER and len(open_at) == 0:
            tests.clear()
        else:
            open_at += [at] * (text in _OPENS)
            del open_at[len(open_at) - (text in _CLOSES and bool(open_at)) :]
            tests.append(words[at])
        at += 1
    return tests


def _behind_test(words: Sequence[Word], at: int) -> int:
    """The place behind a test, or behind brackets."""
    if at < len(words) and words[at].literal in _OPENS:
        depth = 0
        for place in range(at, len(words)):
            depth += (words[place].literal in _OPENS) - (words[place].literal in _CLOSES)
            if depth == 0:
                return place + 1
        return len(words)
    while at < len(words) and words[at].literal in ("!", "-not"):
        at += 1
    takes = at < len(words) and words[at].literal not in _WITHOUT_VALUE
    return at + 1 + takes


def _names(tests: Sequence[Word]) -> list[str]:
    """The patterns of which a found name fits one; an empty one where there is none for each alternative."""
    found: list[list[str]] = [[]]
    for at, word in enumerate(tests):
        if word.literal in _EITHER:
            found.append([])
        elif word.literal in ("-regex", "-iregex") and at + 1 < len(tests):
            ends = _ends_of(tests[at + 1].literal or "")
            found[-1:] = [[*found[-1], end] for end in ends] or found[-1:]
        elif word.literal in ("-name", "-iname") and at + 1 < len(tests):
            pattern = tests[at + 1].literal or _pattern(tests[at + 1])
            found[-1].append(_of_any_case(pattern) if word.literal == "-iname" else pattern)
    if not all(found):
        return [max(found[0], key=len)] if len(found) == 1 and found[0] else [""]
    return [max(names, key=len) for names in found]


_LITERAL = r"(?:\\[^\w(){}|<>'`]|[\w/-])"
_END = late(rf"(.*?[^\\])??({_LITERAL}*)(?:\\?\(({_LITERAL}+(?:\\?\|{_LITERAL}+)*)\\?\))?\$?", re.DOTALL)


def _ends_of(expression: str) -> list[str]:
    """Patterns of the names that fit an expression for whole paths: `.*\\.pyc`, `.*/hooks\\.toml`."""
    found = _END.fullmatch(expression)
    ends = [found[2] + each for each in re.split(r"\\?\|", found[3] or "")] if found else []
    plain = [re.sub(r"\\(.)", r"\1", end) for end in ends]
    return [end.rpartition("/")[2] if "/" in end else f"*{end}" for end in plain] if all(plain) else []


def _on_path(start: Word, tests: Sequence[Word]) -> tuple[Word, str]:
    """Where below a start those are whose whole path must fit a pattern (`-path './.claude/*.md'`), and their names."""
    texts = [word.literal or "" for word in tests]
    asked = [texts[at + 1] for at, text in enumerate(texts[:-1]) if text in _PATHS]
    if len(asked) != 1 or not _EITHER.isdisjoint(texts) or not re.search(r"\w\w", asked[0]):
        return start, ""
    *pieces, end = re.split(r"[*?]+|\[[^]]*\]", asked[0])
    folder, slash, name = end.rpartition("/")
    head, *others = (*pieces, folder)
    if head and not (start.literal and head.startswith(start.literal)):
        return start, ""
    parts: list[str | Hole] = [head] if head else list(found_below(start, "").parts[:-1])
    for piece in others:
        parts += [Hole("word", FOUND), piece]
    if len(parts) > 1 and not parts[-1]:
        parts = parts[:-2]  # which is looked for below, whatever it is called
    return Word(tuple(parts), start.start, start.end), name if slash or not name else f"*{name}"


def _is_empty(tests: Sequence[Word]) -> bool:
    """Whether only what holds nothing is found: empty files and folders, links that lead nowhere."""
    texts = [word.literal for word in tests]
    if not _EITHER.isdisjoint(texts):
        return False
    return "-empty" in texts or ("-xtype" in texts and texts[texts.index("-xtype") + 1 :][:1] == ["l"])


def _emptied(parts: tuple[str | Hole, ...]) -> tuple[str | Hole, ...]:
    return tuple(
        replace(part, why=EMPTY) if isinstance(part, Hole) and part.why == FOUND else part for part in parts
    )


def found_below(start: Word, name: str) -> Word:
    """A path below a start whose name fits a pattern; any name fits the empty one."""
    last = start.parts[-1] if start.parts else "."
    own = (last.rstrip("/") + "/",) if isinstance(last, str) else (last, "/")
    before, hole = (*start.parts[:-1], *own), Hole("word", FOUND)
    end = name.lstrip("*")
    magic = re.search(r"[*?\[]", name)
    if magic is None or (end and not re.search(r"[*?\[]", end)):
        slash = "/" if end and magic is None else ""
        return Word((*before, hole, *((slash + end,) if end else ())), start.start, start.end)
    why = FITTING if magic.start() else SOUGHT
    fits = Hole("glob", why, name[magic.start() :])
    return Word((*before, hole, "/" + name[: magic.start()], fits), start.start, start.end)


def _of_any_case(pattern: str) -> str:
    if "[" in pattern:
        return pattern
    return re.sub("[A-Za-z]", lambda found: f"[{found[0].lower()}{found[0].upper()}]", pattern)


def _pattern(word: Word) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in word.parts)
