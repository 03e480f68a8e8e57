"""Commands that are given their words by another: by xargs, parallel and find."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hookline.model.record import replace
from hookline.shell.code.pieces import joined
from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.finding import found_words, places_of_fd, start_words
from hookline.shell.reading import EMPTY, FOUND, NAMED, Argv, Code, Command, Hole, Inner, Parts, Word, glued
from hookline.shell.values.fields import is_listed, listed, within_quotes
from hookline.shell.values.state import is_number

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
_PIECE = r"\\.|'[^'\n]*'|\"[^\"\n]*\""
_FIRST = rf"(?:{_PIECE}|[^ \t\n\r\f\v'\"\\])"
# A line that ends in a blank goes on.
_READ_WORD = rf"({_FIRST}(?:{_PIECE}|[^ \t\n'\"\\])*)|\n|[ \t\r\f\v][ \t\n\r\f\v]*"
_READ_WHOLE = rf"({_FIRST}(?:{_PIECE}|[^\n'\"\\])*)|\n|[ \t\r\f\v]+"
_QUOTED = r"\\(.)|'([^'\n]*)'|\"([^\"\n]*)\""
_CHANGED_MARKS = {"{}": "", "{.}": "%.*", "{/}": "##*/", "{//}": "%/*", "{/.}": "##*/"}
_OF_FD = ("-x", "-X", "--exec", "--exec-batch")


def commands_of_xargs(command: Command, given: Arguments, words: list[Word], how: str) -> Iterator[Inner]:
    """xargs: the words that it reads, where the line says which, stand behind the others or for `-I`'s mark."""
    text = command.stdin.literal if command.stdin is not None and not given.has("-a") else None
    marks = [value.literal or "{}" for name in ("-I", "-i") for value in given.values(name)]
    marks += ["{}"] * given.has("-i")
    if any(value.literal is None for value in given.values("-I")):  # any of the words may be what it reads
        yield Argv((words[0], Word((Hole("words", f"{how} reads it"),))), how)
        return
    parted = given.has("-n") or given.has("-L") or given.has("-l")
    if text is None:
        if not marks:
            if places := _places(command, given, r"\s"):
                all_found = all(any(hole.why == FOUND for hole in place.holes) for place in places)
                if all_found or not parted:
                    yield Argv((*words, *_looked_through(places, words)), how)
                else:  # each but the first may begin a further command
                    alone = [value.literal for value in given.values("-n")] == ["1"]
                    yield from (Argv((*words, place), how, adds_words=not alone) for place in places)
                if not all_found:
                    yield Argv(tuple(words), how)  # where no file fits, `ls` prints none
                return
            only = command.stdin.holes if command.stdin is not None else ()
            if len(only) == 1 and words[0].literal == "kill" and only[0].text.startswith("`lsof "):
                yield Argv((*words, Word((Hole("word", only[0].why, only[0].text),))), how)
                return
            begun = (
                _begun(command, given) if not (given.has("-a") or given.has("-0") or given.has("-d")) else []
            )
            yield Argv((*words, *begun, *_searched(command)), how, adds_words=True)
            if begun and parted:
                yield Argv(tuple(words), how, adds_words=True)
            return
        found = _searched(command) or (
            [] if given.has("-a") else _places(command, given, "\n") or _listed(command)
        )
        for place in found or [Word((Hole("word", f"{how} reads it"),))]:
            yield from (Argv(filled, how) for filled in _filled(words, marks[0], place.parts))
        return
    lines = _lines_read(text, given, whole=bool(marks))
    if marks:
        for line in lines:
            yield from (Argv(filled, how) for filled in _filled(words, marks[0], (line[0],)))
        return
    for batch in _batches(lines, given):
        yield Argv((*words, *(Word((each,)) for each in batch)), how)


def _filled(words: list[Word], mark: str, by: Parts) -> Iterator[tuple[Word, ...]]:
    """The words with what is read in place of a mark; GNU's xargs leaves it alone in the name of the program."""
    for at, word in enumerate(words):
        rest = [_replaced(each, mark, by) for each in words[at + 1 :]]
        for name in dict.fromkeys((word,) if at else (word, _replaced(word, mark, by))):
            yield name, *rest
        if word.single or word.prefix:
            return  # else it may be nothing, and the next one is the program


def _searched(command: Command) -> list[Word]:
    """The names among which a text was searched for (`ls -a | grep env | xargs cat`)."""
    parts = command.stdin.parts if command.stdin is not None else ()
    return [Word((part,)) for part in parts[:1] if isinstance(part, Hole) and " | grep " in part.text]


def _begun(command: Command, given: Arguments) -> list[Word]:
    """The words of the input before the first of which nothing is known."""
    first = command.stdin.prefix if command.stdin is not None else ""
    words = [word for line in _lines_read(first, given, whole=False) for word in line]
    if words and not first[-1].isspace():
        words.pop()
    return [Word((each,)) for each in words]


def _is_quoted(text: str) -> bool:
    """Whether xargs takes some of it for quotes."""
    return re.search(r"['\"\\]", text) is not None


def _places(command: Command, given: Arguments, apart: str) -> list[Word]:
    """The files of an input that lists some by folders which are known, as `find build` prints, or by patterns."""
    parts = command.stdin.parts if command.stdin is not None else ()
    text = "".join(part if isinstance(part, str) else part.text * (part.kind == "glob") for part in parts)
    exact = given.has("-0") or given.has("-d")
    indented = "" if exact else " \t"  # blanks before a line are left out
    if exact:
        apart = "\0" if given.has("-0") else "\n"
        if not given.has("-0") and {value.literal for value in given.values("-d")} - {"\\n", "\n"}:
            return []
    elif _is_quoted(text):
        return []
    if given.has("-a") or ("\0" in text and apart != "\0"):
        return []
    lines: list[list[str | Hole]] = [[]]
    for part in parts:
        if isinstance(part, Hole):
            lines[-1].append(part)
            continue
        first, *more = re.split(apart, part)
        first = first if lines[-1] else first.lstrip(indented)
        lines[-1] += [first] * bool(first)
        lines += [[each] if each else [] for each in (each.lstrip(indented) for each in more)]
    if not lines[-1]:
        lines.pop()
    found = [tuple(line) for line in lines if line]
    told = all(isinstance(line[0], str) and "/" in line[0] for line in found)
    listing = not told and all(
        is_listed(line) or (len(line) == 1 and isinstance(line[0], str)) for line in found
    )
    lines = lines if exact else [line for line in lines if line]
    return [Word(tuple(line)) for line in lines] if told or listing else []


def _listed(command: Command) -> list[Word]:
    """The same of a list by pattern (`ls`), or of names of which nothing is known (`git ls-files`), each one word."""
    parts = command.stdin.parts if command.stdin is not None else ()
    if parts and all(isinstance(part, Hole) and part.why == NAMED for part in parts):
        return [Word((Hole("word", NAMED),))]
    quoted = any(isinstance(part, str) and _is_quoted(part) for part in parts)
    return [] if quoted else [Word(_each_one(line)) for line in listed(parts)]


def _each_one(parts: Sequence[str | Hole]) -> tuple[str | Hole, ...]:
    return tuple(within_quotes(part) if isinstance(part, Hole) else part for part in parts)


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


def _lines_read(text: str, given: Arguments, whole: bool) -> list[list[str]]:
    """The words of each line of xargs's input, by its own quotes; `whole`: each line is one word."""
    if given.has("-0") or given.has("-d"):
        mark = "\0" if given.has("-0") else (given.values("-d")[:1] or (Word(("\n",)),))[0].literal or "\n"
        mark = {"\\n": "\n", "\\0": "\0", "\\t": "\t"}.get(mark, mark)
        rows = text.removesuffix(mark).split(mark) if text else []
        return [[each if whole else _ended(each)] for each in rows]
    ends = [value.literal for name in ("-E", "-e") for value in given.values(name)]  # at such a word
    lines: list[list[str]] = [[]]
    at = 0
    for found in re.compile(_READ_WHOLE if whole else _READ_WORD, re.DOTALL).finditer(text):
        if found.start() > at:
            break
        at = found.end()
        if found[1]:
            word = re.sub(_QUOTED, r"\1\2\3", found[1], flags=re.DOTALL)
            if word in ends[-1:] and at < len(text):  # one that nothing ends is read
                return [line for line in lines if line]
            lines[-1].append(word if whole else _ended(word))
        elif found[0] == "\n":
            lines.append([])
    if at < len(text) and text[at - 1] not in " \t\n" and lines[-1]:
        lines[-1].pop()  # in which a quote stays open: neither it nor what stands behind it is read
    return [line for line in lines if line]


def _ended(text: str) -> str:
    """Up to a NUL, which ends every word of a program."""
    return text.partition("\0")[0]


def _batches(lines: list[list[str]], given: Arguments) -> list[list[str | Hole]]:
    """The words that each command is given."""
    for name, rows in (("-n", [[each] for line in lines for each in line]), ("-L", lines), ("-l", lines)):
        if given.has(name):
            number = next((value.literal or "" for value in given.values(name)), "1")
            size = int(number) if is_number(number) and number != "0" else len(rows) or 1
            groups = [rows[at : at + size] for at in range(0, len(rows), size)] or [[]]
            return [[each for row in group for each in row] for group in groups]
    return [[each for line in lines for each in line]]


def _replaced(word: Word, mark: str, by: Parts) -> Word:
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
    ends = next((at for at, part in enumerate(parts) if isinstance(part, str) and "\0" in part), None)
    if ends is not None:
        parts[ends:] = [_ended(str(parts[ends]))]
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
        for place in found if _has_mark(taken) else found[:1]:
            folder, given = _within_folder(place) if option in ("-execdir", "-okdir") else (None, place.parts)
            replaced = tuple(_replaced(word, "{}", given) for word in taken)
            if replaced:
                yield Argv(replaced, f"{how} {option}", folder)
        at = end


def _within_folder(place: Word) -> tuple[Word | None, Parts]:
    """A found path as it is called in its folder, where `-execdir` runs, and a folder above it that is told."""
    at = next((at for at, part in enumerate(place.parts) if getattr(part, "why", "") in (FOUND, EMPTY)), None)
    if at is None:
        return None, place.parts
    return Word(place.parts[:at]) if at else None, ("./", *place.parts[at:])


def _ends_batch(words: Sequence[Word], at: int) -> bool:
    return words[at].literal == "+" and words[at - 1].literal == "{}"


def _has_mark(words: Sequence[Word]) -> bool:
    return any(isinstance(part, str) and "{}" in part for word in words for part in word.parts)


def lines_of_parallel(command: Command, words: tuple[Word, ...], how: str) -> Iterator[Inner]:
    """`parallel 'rm {}' ::: a b`: the line once for each word."""
    place = next(
        (at for at, word in enumerate(words) if (word.literal or "")[:3] in (":::", "::::")), len(words)
    )
    line, given = words[:place], words[place + 1 :]
    text = command.stdin.literal if command.stdin is not None else None
    if place == len(words) and text is not None:
        given = tuple(Word((each,)) for each in text.splitlines())
    elif place == len(words) and command.stdin is not None:
        given = tuple(map(Word, listed(command.stdin.parts)))
    if not line:
        for word in given:
            yield Code(word, how)
        return
    if not given:
        given = (Word((Hole("word", f"{how} reads it"),)),)
    for word in given:
        yield _line_for(replace(word, parts=_each_one(word.parts)), joined(line), how)


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
