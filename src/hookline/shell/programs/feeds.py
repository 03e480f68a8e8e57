"""Commands that are given their words by another: by xargs, parallel and find."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.code.pieces import joined
from hookline.shell.reading import Argv, Code, Hole, Word
from hookline.shell.values.fields import EMPTY, FOUND, glued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.shell.programs.arguments import Arguments
    from hookline.shell.reading import Command, Inner

_SEARCHERS = (
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ugrep",
    "wc",
    "file",
    "stat",
    "ls",
    "sha256sum",
    "md5sum",
)
_OPENS, _CLOSES = ("(", "\\("), (")", "\\)")
_CHANGED_MARKS = {"{}": "", "{.}": "%.*", "{/}": "##*/", "{//}": "%/*", "{/.}": "##*/"}
_OF_FD = ("-x", "-X", "--exec", "--exec-batch")
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
MOST = 20  # commands that one xargs, parallel or find is taken for


def commands_of_xargs(command: Command, given: Arguments, words: list[Word], how: str) -> Iterator[Inner]:
    """xargs: the words that it reads, where the line says which, stand behind the others or for `-I`'s mark."""
    text = command.stdin.literal if command.stdin is not None and not given.has("-a") else None
    marks = [value.literal or "{}" for name in ("-I", "-i") for value in given.values(name)]
    marks += ["{}"] * given.has("-i")
    if text is None:
        if not marks:
            if not given.has("-a") and (places := _places(command)):
                yield Argv((*words, *_looked_through(places, words)), how)
                return
            begun = _begun(command) if not (given.has("-a") or given.has("-0") or given.has("-d")) else []
            yield Argv((*words, *begun, *_searched(command)), how, adds_words=True)
            return
        found = _searched(command) or ([] if given.has("-a") else _places(command))
        for place in found or [Word((Hole("word", f"{how} reads it"),))]:
            yield Argv(tuple(_replaced(word, marks[0], place.parts) for word in words), how)
        return
    if marks:
        for line in [line.strip() for line in text.splitlines() if line.strip()][:MOST]:
            yield Argv(tuple(_replaced(word, marks[0], (line,)) for word in words), how)
        return
    yield Argv((*words, *(Word((each,)) for each in _read_words(text, given))), how)


def _searched(command: Command) -> list[Word]:
    """The names among which a text was searched for (`ls -a | grep env | xargs cat`)."""
    parts = command.stdin.parts if command.stdin is not None else ()
    return [Word((part,)) for part in parts[:1] if isinstance(part, Hole) and " | grep " in part.text]


def _begun(command: Command) -> list[Word]:
    """The words of the input before the first of which nothing is known."""
    first = command.stdin.prefix if command.stdin is not None else ""
    words = first.replace("\\", "").split()
    if words and not first[-1].isspace():
        words.pop()
    return [Word((each.strip("'\""),)) for each in words]


def _places(command: Command) -> list[Word]:
    """The files of an input that lists some by folders which are known: what `find build` prints."""
    lines: list[list[str | Hole]] = [[]]
    for part in command.stdin.parts if command.stdin is not None else ():
        if isinstance(part, Hole):
            lines[-1].append(part)
            continue
        first, *more = re.split("[\n\0]", part)
        lines[-1] += [first] * bool(first)
        lines += [[each] if each else [] for each in more]
    found = [line for line in lines if line]
    told = all(isinstance(line[0], str) and "/" in line[0] for line in found)
    return [Word(tuple(line)) for line in found[:MOST]] if told else []


def _looked_through(places: list[Word], words: Sequence[Word]) -> list[Word]:
    """Of a program that only searches, the project's folder for all that is found in it: as `grep -r` would."""
    if words and words[0].literal in _SEARCHERS and all(map(_is_any_below, places)):
        return [Word((place.prefix.rstrip("/") or ".",), place.start, place.end) for place in places]
    return places


def _is_any_below(place: Word) -> bool:
    """Whether a place is whatever lies in a folder of the project, by no name."""
    hole = place.parts[1] if len(place.parts) == 2 else ""
    found = isinstance(hole, Hole) and hole.kind == "word" and hole.why == FOUND
    return found and place.prefix.endswith("/") and place.prefix[0] not in "/~"


def _read_words(text: str, given: Arguments) -> list[str]:
    if given.has("-0"):
        return [each for each in text.split("\0") if each]
    if given.has("-d"):
        mark = (given.values("-d")[:1] or (Word(("\n",)),))[0].literal or "\n"
        mark = {"\\n": "\n", "\\0": "\0", "\\t": "\t"}.get(mark, mark)
        return [each for each in text.rstrip("\n").split(mark) if each]
    return [each.strip("'\"") for each in text.replace("\\", "").split()]


def _replaced(word: Word, mark: str, by: tuple[str | Hole, ...]) -> Word:
    """The word with a mark in its texts replaced; texts that touch become one part."""
    if not mark or not any(isinstance(part, str) and mark in part for part in word.parts):
        return word
    parts: list[str | Hole] = []
    for part in word.parts:
        if isinstance(part, Hole):
            parts.append(part)
            continue
        for place, piece in enumerate(part.split(mark)):
            parts += (*by, piece) if place else (piece,)
    return Word(glued(parts) or ("",), word.start, word.end)


def commands_of_find(command: Command, how: str) -> Iterator[Inner]:
    """`find … -exec CMD {} ;` and `fd … -x CMD`: the words up to the end mark, for each place it starts at."""
    words = command.words[1:]
    starts = start_words(words)
    at = 0
    while at < len(words):
        option = words[at].literal or ""
        at += 1
        if option not in ("-exec", "-execdir", "-ok", "-okdir", *_OF_FD):
            continue
        is_fd = option in _OF_FD
        found = list(places_of_fd(words[: at - 1]) if is_fd else found_words(words, at - 1))
        end = at
        while end < len(words) and words[end].literal not in (";", "\\;") and not _ends_batch(words, end):
            end += 1
        taken = words[at:end]
        if taken and is_fd and not _has_mark(taken):
            taken = (*taken, Word(("{}",)))
        if taken and taken[0].literal in _SEARCHERS and all(start.prefix[:1] not in "/~" for start in starts):
            found = list(starts)  # as `grep -r` would
        for place in found[:MOST] if _has_mark(taken) else found[:1]:
            replaced = tuple(_replaced(word, "{}", place.parts) for word in taken)
            if replaced:
                yield Argv(replaced, f"{how} {option}")
        at = end


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


def _ends_batch(words: Sequence[Word], at: int) -> bool:
    return words[at].literal == "+" and words[at - 1].literal == "{}"


def _has_mark(words: Sequence[Word]) -> bool:
    return any(isinstance(part, str) and "{}" in part for word in words for part in word.parts)


def start_words(words: Sequence[Word]) -> tuple[Word, ...]:
    """Where a `find` starts looking."""
    found: list[Word] = []
    for word in words:
        if (
            word.prefix[:1] in ("-", "(", "!", ")")
            and not found
            and word.prefix[:2] in ("-H", "-L", "-P", "-O", "-D")
        ):
            continue
        if word.prefix[:1] in ("-", "(", "!", "\\"):
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
    found = [found_below(start, name or own) for start, own in below for name in names]
    return (
        tuple(replace(word, parts=_emptied(word.parts)) for word in found)
        if _is_empty(tests)
        else tuple(found)
    )


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
        elif word.literal in ("-name", "-iname") and at + 1 < len(tests):
            found[-1].append(tests[at + 1].literal or _pattern(tests[at + 1]))
    if not all(found):
        return [max(found[0], key=len)] if len(found) == 1 and found[0] else [""]
    return [max(names, key=len) for names in found][:MOST]


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
    last = start.parts[-1]
    own = (last.rstrip("/") + "/",) if isinstance(last, str) else (last, "/")
    before, hole = (*start.parts[:-1], *own), Hole("word", FOUND)
    end = name.lstrip("*")
    magic = re.search(r"[*?\[]", name)
    if magic is None or (end and not re.search(r"[*?\[]", end)):
        slash = "/" if end and magic is None else ""
        return Word((*before, hole, *((slash + end,) if end else ())), start.start, start.end)
    fits = Hole("glob", "a name that find looks for", name[magic.start() :])
    return Word((*before, hole, "/" + name[: magic.start()], fits), start.start, start.end)


def _pattern(word: Word) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in word.parts)


def lines_of_parallel(command: Command, words: tuple[Word, ...], how: str) -> Iterator[Inner]:
    """`parallel 'rm {}' ::: a b`: the line once for each word."""
    place = next(
        (at for at, word in enumerate(words) if (word.literal or "")[:3] in (":::", "::::")), len(words)
    )
    line, given = words[:place], words[place + 1 :]
    text = command.stdin.literal if command.stdin is not None else None
    if place == len(words) and text is not None:
        given = tuple(Word((each,)) for each in text.splitlines())
    if not line:
        for word in given[:MOST]:
            yield Code(word, how)
        return
    if not given:
        given = (Word((Hole("words", f"{how} reads it"),)),)
    for word in given[:MOST]:
        yield _line_for(word, joined(line), how)


def _line_for(word: Word, line: Word, how: str) -> Code:
    """The line with a word in it, as one word whatever its letters are, which parallel sees to."""
    plain = re.fullmatch(r"[\w./:@%+=-]+", word.literal or "") is not None
    marked = line
    for mark, change in _CHANGED_MARKS.items():
        by = word.literal or "" if plain and not change else f'"${{1{change}}}"'
        marked = _replaced(marked, mark, (by,))
    if marked is line:
        marked = joined((line, word if plain else Word(('"$1"',))))
    return Code(marked, how, () if plain and "$" not in marked.prefix else (Word((how,)), word))
