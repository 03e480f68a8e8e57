"""Names of files that a command prints: those in a folder, those in which a text stands, some of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.programs.finding import found_below, found_words, places_of_fd
from hookline.shell.reading import EMPTY, FITTING, FOUND, NAMED, TOP, Command, Hole, Parts, Word, glued
from hookline.system.patterns.late import late

if TYPE_CHECKING:
    from hookline.shell.values.running import Running

LISTED = "$(ls)"  # the text of a hole that stands for names of which nothing is known
_VALUES = frozenset((
    "-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "-T", "-j", "-d", "--regexp", "--file", "--glob", "--iglob",
    "--type", "--type-not", "--include", "--exclude", "--exclude-dir", "--max-depth", "--max-count", "--sort",
    "--threads",
))  # fmt: skip
_PLAIN = r"-[aA1tSrUd]+"  # of `ls`: it prints names, each in a line
_ONLY_SOME = late(r"-(?:n|n?\+?[0-9]+|[bdfghirsuVz]+)|\+?[0-9]+")  # of `head`, `tail`, `sort` and `uniq`


def _found(reader: Running, command: Command) -> Parts | None:
    words = tuple(word for word in command.words[1:] if word.literal not in ("-print", "-print0"))
    end = "\0" if len(words) < len(command.words) - 1 and command.words[-1].literal == "-print0" else "\n"
    if any(
        (word.literal or "").startswith(("-exec", "-ok", "-print", "-fprint", "-delete", "-quit"))
        for word in words
    ):
        return None
    return _lines(found_words(words), end)


def _lines(places: Sequence[Word], end: str = "\n") -> Parts:
    return glued([part for place in places for part in (*place.parts, end)])


def _listed(reader: Running, command: Command) -> Parts | None:
    """`ls` alone says all names that are here, of patterns with an ending which; any other only that they are names."""
    name = command.words[0].literal or ""
    options = [word.literal or "" for word in command.words[1:] if word.prefix[:1] == "-"]
    patterns = [word for word in command.words[1:] if word.prefix[:1] != "-"]
    letters = set("".join(options))
    plain = name.endswith("ls") and all(re.fullmatch(_PLAIN, option) for option in options)
    if plain and "d" in letters and patterns and all(word.literal or _is_pattern(word) for word in patterns):
        return _lines(list(map(_if_there, patterns)))  # with nothing of what is in them
    if plain and "d" not in letters and not patterns:
        more = (".", Hole("glob", FITTING, "[!.]*"), "\n") if letters & set("aA") else ()
        return glued((Hole("glob", FITTING, "*"), "\n", *more))
    ends = [
        re.search(r"\*(\.\w+)$", word.holes[0].text) if len(word.holes) == 1 else None for word in patterns
    ]
    if name.endswith("ls") and patterns and all(ends):
        starts = [Word((word.prefix.rpartition("/")[0] or ".",)) for word in patterns]
        return _lines(
            [found_below(start, f"*{end[1]}") for start, end in zip(starts, ends, strict=True) if end]
        )
    listed = [word if _is_pattern(word) else _as_pattern(word) for word in patterns]
    if plain and listed and all(listed):
        return _lines([word for word in listed if word])  # not what is in those that are folders
    return _names()


def _is_pattern(word: Word) -> bool:
    return bool(word.holes) and all(hole.kind == "glob" for hole in word.holes)


def _if_there(word: Word) -> Word:
    """A name that is printed if there is such a file, as a pattern is."""
    name = word.literal
    return Word((name[:-1], Hole("glob", FITTING, f"[{name[-1]}]"))) if name and name[-1].isalnum() else word


def _as_pattern(word: Word) -> Word | None:
    """The name of a file, which is printed as it stands; None for what may be a folder, of which others are."""
    *before, last = word.parts or ("",)
    if not isinstance(last, str):
        return None
    folder, slash, name = last.rpartition("/")
    known = Word((*before, folder + slash + name[:1], Hole("glob", FITTING, name[1:])))
    return known if "." in name and name.strip(".") else None


def _of_fd(reader: Running, command: Command) -> Parts | None:
    words = command.words[1:]
    told = [place for place in places_of_fd(words) if len(place.parts) > 2 or place.prefix != "./"]
    plain = not any(
        (word.literal or "-x").startswith(("-x", "-X", "--exec", "-l", "--list")) for word in words
    )
    return _lines(told) if told and plain else _names()


def _names() -> Parts:
    """Those of which nothing is known."""
    return (Hole("words", NAMED, LISTED),)


def _of_git(reader: Running, command: Command) -> Parts | None:
    """`git ls-files`, `git diff --name-only` and `git grep -l`: names of files of the project."""
    words = command.words[1:]
    verb = words[0].literal if words else None
    texts = [word.literal or "" for word in words[1:]]
    end = "\0" if "-z" in texts else "\n"
    if verb == "grep":
        return _of_search("git", words[1:], end)
    if verb == "diff" and "--name-only" in texts:
        return _names()
    if verb == "rev-parse" and texts == ["--show-toplevel"]:
        shown = "$(git rev-parse --show-toplevel)"
        top = Hole("word", TOP, shown, outside=True, choices=(Word((".",)),))
        return (top, "\n")
    if verb != "ls-files":
        return None
    meant = [_meant(word.literal or "") for word in words[1:] if word.prefix[:1] != "-"]
    if not meant and {"-o", "--others"} & set(texts):  # which no commit has
        return _lines([found_below(Word((".",)), "[!.]*" if "--exclude-standard" in texts else "")], end)
    return _lines([word for word in meant if word], end) if meant and all(meant) else _names()


def _meant(pattern: str) -> Word | None:
    """The files of a path that git is told: a folder, a name, or a pattern whose `*` goes through folders.

    None where neither a folder nor an ending is in it.
    """
    folder, _, name = pattern.rpartition("/")
    if not re.search(r"[*?\[]", pattern):
        if "." in name[1:]:
            return Word((pattern,))
        return found_below(Word((pattern.rstrip("/"),)), "") if pattern.strip("./") else None
    plain = folder if not re.search(r"[*?\[]", folder) else ""
    ending = re.search(r"[^*?\[\]]*$", name)
    if not (ending and ending[0]) and not plain.strip("./"):
        return None
    return found_below(Word((plain or ".",)), f"*{ending[0]}" if ending and ending[0] else "")


def _searched(reader: Running, command: Command) -> Parts | None:
    """Those of some names in which a text stands, or the files in which it does."""
    given = reader.stdin.parts if reader.stdin is not None else ()
    if not _are_names(given):
        return _of_search("grep", command.words[1:])
    shown = " ".join(word.literal or "?" for word in command.words[1:])
    return (Hole("words", "what `grep` prints is not told by the line", f"$(ls | grep {shown})"),)


def _are_names(given: Parts) -> bool:
    return any(
        isinstance(part, Hole) and (part.text == LISTED or part.why in (FOUND, EMPTY, FITTING))
        for part in given
    )


def _of_search(who: str, words: Sequence[Word], end: str = "\n") -> Parts | None:
    """What `grep -rl x src` prints: files below its folders. None where it prints more than names."""
    operands: list[Word] = []
    flags: list[str] = []
    patterns: list[str] = []
    at = 0
    while at < len(words):
        text = words[at].literal or ""
        name, equals, value = text.partition("=")
        at += 1
        if text == "--":
            operands += words[at:]
            break
        if text[:1] != "-" or text == "-":
            operands.append(words[at - 1])
            continue
        takes = name in _VALUES or (re.fullmatch(r"-[A-Za-z]+", name) and f"-{name[-1]}" in _VALUES)
        if takes and not equals and at < len(words):
            value = words[at].literal or ""
            at += 1
        flags.append(name)
        patterns += [value] * (name in ("--include", "-g", "--glob"))
    letters = "".join(flag for flag in flags if flag[:2] != "--")
    names_only = {"--files", "--files-with-matches", "--files-without-match", "--name-only"} & set(flags)
    if not names_only and not {"l", "L"} & set(letters):
        return None
    end = "\0" if {"Z", "0"} & set(letters) or {"--null", "--print0"} & set(flags) else end
    given = "--files" in flags or "e" in letters or "f" in letters or "--regexp" in flags
    folders = operands if given else operands[1:]
    ends = [each for each in patterns if re.fullmatch(r"\*\.\w+", each)]
    ends = ends if len(ends) == len(patterns) else []
    starts = [word.literal or "" for word in folders] or ["."]
    if not all(starts) or (not ends and not all(start.strip("./") or start[:1] == "/" for start in starts)):
        return _names()  # of the whole project
    if any("." in start.rstrip("/").rpartition("/")[2][1:] and start.strip("./") for start in starts):
        return _names()  # a file perhaps
    return _lines([found_below(Word((start,)), each) for start in starts for each in (ends or [""])], end)


def _located(reader: Running, command: Command) -> Parts | None:
    """`locate id_rsa`: files anywhere with that in their names."""
    texts = [word.literal or "-" for word in command.words[1:]]
    names = [text.strip("*") for text in texts if text[:1] != "-"]
    plain = names and all(text in ("-i", "-b", "-e", "--") or text[:1] != "-" for text in texts)
    return _lines([Word(("/", Hole("word", FOUND, "**"), f"/{name}")) for name in names]) if plain else None


def _some(reader: Running, command: Command) -> Parts | None:
    """`head`, `sort` and their like: some of the lines that come in, or all of them in another order."""
    given = reader.stdin.parts if reader.stdin is not None else ()
    plain = all(_ONLY_SOME.fullmatch(word.literal or "") for word in command.words[1:])
    return given if plain and _are_names(given) else None


WAYS: Mapping[str, Callable[[Running, Command], Parts | None]] = {
    "locate": _located, "plocate": _located, "mlocate": _located,
    "find": _found, "ls": _listed, "fd": _of_fd, "git": _of_git, "grep": _searched, "egrep": _searched,
    "rg": lambda reader, command: _of_search("rg", command.words[1:]), "head": _some,
    "tail": _some, "sort": _some, "uniq": _some,
}  # fmt: skip
