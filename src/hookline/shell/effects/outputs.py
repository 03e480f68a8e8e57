"""What a command makes beside what its words name: copies in a folder, files called after others, `--outfile=x`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hookline.model.record import replace
from hookline.shell.effects.acts import Effect, rows_of
from hookline.shell.programs.arguments import Arguments, Taken
from hookline.shell.programs.conditions import targets, without
from hookline.shell.programs.table import Deed
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import OF_COMPOUND, PIPE, Command, Hole, Redirection, Word, below, joined
from hookline.system.patterns.late import late

_NO_FILES = (
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/fd/",
    "/dev/zero",
    "-",
)
_OUTPUT = late(
    r"(?:--?(?:\w+[-_])?out(?:put)?(?:[-_]?(?:file|dir|directory|path|folder))?"
    r"|--(?:target-dir|dest(?:ination)?(?:-dir)?))\Z",
    re.IGNORECASE,
    ("out", "target-dir", "dest"),
)
_OF_FOLDER = late(r"(?:dir|directory|folder|path|dest|destination)$", re.IGNORECASE)


def is_no_file(word: Word) -> bool:
    """Whether a word names a file and is none: `/dev/null`, `<(…)`, whose commands stand by themselves."""
    if len(word.parts) == 1 and isinstance(word.parts[0], Hole) and word.parts[0].why == PIPE:
        return True
    text = word.literal
    return text is not None and (text in _NO_FILES or text.startswith("/dev/fd/") or text == "")


_SYSTEM = late(
    r"/(?:bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|tmp|usr|var/(?!log/|spool/mail/)|private|Library|System)/"
)
_SILENT = ((), (":",), ("true",))


def emptied(command: Command, given: Arguments) -> Iterator[Word]:
    """Files that hold nothing afterwards: `> x`, `: > x`, `cat /dev/null > x`. It is as good as to remove them.

    Of files of the machine their change is told, which is enough, but for what it logs.
    """
    first = given.operands[0].literal if given.operands else ""
    alone = not (command.via and command.via[-1].how == OF_COMPOUND)
    silent = not command.words and alone if not given.path else given.path in _SILENT
    silent |= given.path in (("echo",), ("printf",)) and first == "" and len(given.operands) < 2
    silent |= given.path == ("cat",) and first == "/dev/null" and len(given.operands) == 1
    opened = [each for each in command.redirections if each.operator in (">", ">|")]
    shown = [each for each in opened if each.fd == 0 or (silent and each.fd in (None, 1))]  # `echo 0> x`
    if given.path == ("dd",) and any(word.literal == "if=/dev/zero" for word in given.operands):
        yield from (without(word, 3) for word in given.operands if word.prefix.startswith("of=/var/log/"))
    for word in (each.target for each in shown):
        if word is not None and word.prefix and not is_no_file(word) and not _SYSTEM.match(word.prefix):
            yield word


def outputs_of(words: Sequence[Word], given: Arguments, cwd: Word) -> Iterator[Effect]:
    """The file or folder behind an option that is called after what comes out, of whatever program.

    One that starts another has none of its own.
    """
    if given.row is not None and "command" in given.row.does:
        return
    for at, word in enumerate(words[1:], 2):
        name, equals, _ = word.prefix.partition("=")
        if name[:1] != "-" or given.knows(name) or not _is_output(name, given):
            continue
        value = without(word, len(name) + 1) if equals else words[at] if at < len(words) else None
        if value is None or value.prefix[:1] == "-" or is_no_file(value):
            continue
        if (
            _OF_FOLDER.search(name) or "/" in value.prefix or "." in value.prefix
        ):  # `--output json` is no file
            yield Effect("write", value, False, cwd=cwd)
            yield Effect("write", value, False, True, cwd)


def _is_output(name: str, given: Arguments) -> bool:
    return _OUTPUT.match(name) is not None or (name == "-o" and given.row is None)


def into(given: Arguments) -> Iterator[Word]:
    """Where copies go: the place that is named, and in it each name that is copied, if it is a folder."""
    sources, place = _copied(given)
    if place is None:
        yield from (joined(_last_name(word) or word.parts, word) for word in sources)
        return
    yield place
    for source in sources:
        name = _last_name(source)
        if names_host(source) and name and isinstance(name[0], str):
            name = (name[0].rpartition(":")[2], *name[1:])  # `host:x.sh`
        if len(name) == 1 and isinstance(name[0], str) and name[0] not in ("", ".", ".."):
            yield below(place, joined(name, place))


def _copied(given: Arguments) -> tuple[tuple[Word, ...], Word | None]:
    """What is copied, and the place where it goes; None for one that is called the same here."""
    folders = given.values("-t")
    if folders or len(given.operands) < 2:
        return given.operands, folders[0] if folders else None
    return given.operands[:-1], given.operands[-1]


def _last_name(word: Word) -> tuple[str | Hole, ...]:
    """The name at the end of a path, as far as it is known."""
    found: tuple[str | Hole, ...] = ()
    for part in reversed(word.parts):
        text = part if isinstance(part, str) else part.text if part.kind == "glob" else ""
        text = text.rstrip("/") if not found else text
        rest = text.rpartition("/")[2]
        if isinstance(part, str):
            found = (rest, *found) if rest else found
        else:
            found = (replace(part, text=rest) if "/" in text else part, *found)
        if "/" in text:
            break
    return found


def within(deed: Deed, given: Arguments, words: Sequence[Word]) -> Sequence[Word]:
    """The folders in which files of unknown names come to lie, of the words that the row says."""
    sources, place = _copied(given)
    if "names" in deed.targets:
        hidden = any(not isinstance(part, str) for each in sources for part in _last_name(each))
        return [place] if hidden and place is not None and place.prefix else []
    if "into" in deed.targets and place is not None:
        own = any(_last_name(each) in ((".",), ("..",)) for each in sources)  # `x/.`
        maybe = len(words) == 2 and place.literal not in (".", "./", "..", "../")  # the place may be the copy
        return words if own or maybe else words[1:]
    return words


def backups(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    """`sed -i.bak`: the file as it was."""
    for value in [each for each in given.values("-i") if each.parts][:1]:
        for word in targets(deed, given):
            yield Effect("write", joined((*word.parts, *value.parts), word), sure, cwd=cwd)


def names_host(word: Word) -> bool:
    """`host:path`, `user@host:path`, `rsync://host/path`."""
    text = word.prefix
    host, colon, _ = text.partition(":")
    return bool(colon) and "/" not in host and bool(host)


def may_write(taken: Taken, more: str = "") -> bool:
    """Whether a command may write a file; of others nobody needs to be told what they do to know that."""
    command, given = taken.command, taken.given
    if any(map(_opens_file, command.redirections)) or any(
        not row.does.isdisjoint(_WRITE) for row in rows_of(given, shipped(more))
    ):
        return True
    return any(outputs_of(command.words, given, command.cwd))


def _opens_file(redirection: Redirection) -> bool:
    """Not `2>&1`, nor `> /dev/null`."""
    target = redirection.target
    number = redirection.operator == ">&" and target is not None and (target.literal or "").isdigit()
    return ">" in redirection.operator and (target is None or not (number or is_no_file(target)))


_WRITE = frozenset(("write", "spread", "within", "backup", "write-name", "patch"))
