"""Commands that are given their words by another: by xargs, parallel and find."""

from __future__ import annotations

import re

from hookline.shell.pieces import joined
from hookline.shell.reading import Argv, Code, Hole, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.shell.arguments import Arguments
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
FOUND = "a file that find comes to"
MOST = 20  # commands that one xargs, parallel or find is taken for


def commands_of_xargs(command: Command, given: Arguments, words: list[Word], how: str) -> Iterator[Inner]:
    """xargs: the words that it reads, where the line says which, stand behind the others or for `-I`'s mark."""
    text = command.stdin.literal if command.stdin is not None and not given.has("-a") else None
    marks = [value.literal or "" for value in given.values("-I")] + ["{}"] * given.has("-i")
    if text is None:
        if not marks:
            if not given.has("-a") and (places := _places(command)):
                yield Argv((*words, *places), how)
                return
            begun = _begun(command) if not (given.has("-a") or given.has("-0") or given.has("-d")) else []
            yield Argv((*words, *begun, *_searched(command)), how, adds_words=True)
            return
        found = _searched(command)
        unknown = found[0].holes[0] if found else Hole("word", f"{how} reads it")
        yield Argv(tuple(_replaced(word, marks[0], (unknown,)) for word in words), how)
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
            for each in (*by, piece) if place else (piece,):
                if isinstance(each, str) and parts and isinstance(parts[-1], str):
                    parts[-1] += each
                elif each != "":
                    parts.append(each)
    return Word(tuple(parts) or ("",), word.start, word.end)


def commands_of_find(command: Command, how: str) -> Iterator[Inner]:
    """`find … -exec CMD {} ;` and `fd … -x CMD`: the words up to the end mark, for each place it starts at."""
    words = command.words[1:]
    starts = start_words(words)
    found = [found_word(start, words) for start in starts]
    at = 0
    while at < len(words):
        option = words[at].literal or ""
        at += 1
        if option not in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"):
            continue
        end = at
        while end < len(words) and words[end].literal not in (";", "\\;") and not _ends_batch(words, end):
            end += 1
        taken = words[at:end]
        if taken and not option.startswith("-exec") and not option.startswith("-ok") and not _has_mark(taken):
            taken = (*taken, Word(("{}",)))
        if taken and taken[0].literal in _SEARCHERS and all(start.prefix[:1] not in "/~" for start in starts):
            found = list(starts)  # as `grep -r` would
        for place in found[:MOST] if _has_mark(taken) else found[:1]:
            replaced = tuple(_replaced(word, "{}", place.parts) for word in taken)
            if replaced:
                yield Argv(replaced, f"{how} {option}")
        at = end


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


def found_word(start: Word, words: Sequence[Word]) -> Word:
    """The paths that a `find` comes to: below its start, and by `-name` of a certain end."""
    named = [words[at + 1].literal or _pattern(words[at + 1]) for at in range(len(words) - 1)
             if words[at].literal in ("-name", "-iname")]  # fmt: skip
    end = named[0].lstrip("*") if len(named) == 1 else ""
    if any(letter in end for letter in "*?["):
        end = ""
    slash = "/" if named and not named[0].startswith("*") and end else ""
    last = start.parts[-1]
    own = (last.rstrip("/") + "/",) if isinstance(last, str) else (last, "/")
    hole = Hole("word", FOUND)
    if len(named) == 1 and not end and (magic := re.search(r"[*?\[]", named[0])):
        fits = Hole("glob", "a name that find looks for", named[0][magic.start() :])
        return Word(
            (*start.parts[:-1], *own, hole, "/" + named[0][: magic.start()], fits), start.start, start.end
        )
    return Word((*start.parts[:-1], *own, hole, *((slash + end,) if end else ())), start.start, start.end)


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
        whole = joined(line)
        marked = _replaced(whole, "{}", word.parts)
        yield Code(marked if marked is not whole else joined((*line, word)), how)
