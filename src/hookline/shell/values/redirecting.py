"""Where a command's input comes from and its output goes."""

from __future__ import annotations

from posixpath import normpath

from hookline.model.record import Record, replace
from hookline.model.typing import TYPE_CHECKING, Iterable
from hookline.shell.reading import (
    HERE,
    MADE_UP,
    OF_FILE,
    PIPE,
    Hole,
    Parts,
    Redirection,
    Word,
    descriptor_of,
    glued,
    shown,
)
from hookline.shell.values.state import BEGAN, descriptor_key
from hookline.shell.values.streams import Output, Stream

if TYPE_CHECKING:
    from hookline.shell.grammar.tree import Redirect
    from hookline.shell.values.running import Running

_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_OWN = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"})
_OUTPUTS = {"/dev/stdout": "1", "/dev/stderr": "2"}
_WRITABLE = frozenset({"/dev/null", *_OUTPUTS})
_FREE = 10  # stands for any number that the line does not tell
_ELSEWHERE: Parts = (Hole("words", "what is printed to another descriptor"),)

MOST_TEXTS = 20  # of which a file that the line writes may hold one


class Opened(Record):
    """A file that is open for writing while a command runs; `output` is what that prints there, if it is told.

    `perhaps`: bash may have refused something before it.
    """

    name: str
    appends: bool
    output: Output | None = None
    perhaps: bool = False


def opened(
    reader: Running, redirects: tuple[Redirect, ...]
) -> tuple[tuple[Redirection, ...], list[Opened], bool]:
    """Redirections in order; sets what `reader` reads and prints to.

    Tells the files that are then written, and whether one takes all that is printed.
    """
    found: list[Redirection] = []
    written: list[Opened] = []
    whole, read = False, None
    for redirect in redirects:
        operator, fd = redirect.operator, _FREE if redirect.variable else redirect.fd
        if operator in ("<<", "<<-", "<<<"):
            found.append(_text(reader, redirect))
            continue
        target = _target(reader, redirect)
        found.append(Redirection(fd, operator, target))
        if may_be_refused(found[-1]) or "/" in target.prefix.replace(
            "/dev/", ""
        ):  # of a folder that is not there
            reader.complained()
        plain, perhaps = target.literal, any(map(may_stay_shut, found[:-1]))
        if operator in _WRITES and any(hole.kind == "glob" for hole in target.holes):
            for name in list(reader.files):  # it may be the one that is there
                reader.write(name, (Hole("words", "what is printed there"),), True)
        if operator in ("<", "<>", "<&"):
            reader.redirected = True  # nothing runs where there is no such file
            read = file_name(reader, target) if operator != "<&" else read
            if operator == "<>" and read:
                written.append(Opened(read, False))  # over what it holds, of which the rest stays
            if operator == "<&" or plain not in _OWN or plain == "-":
                _reads(reader, redirect, _source(reader, target, operator))
        elif operator in _WRITES and (number := _descriptor_written(target, operator)) is not None:
            _duplicated(reader, 1 if fd is None else fd, number)
            reader.redirected = reader.redirected or (fd not in (None, 1) and may_stay_shut(found[-1]))
            reader.errors = reader.out if operator[0] == "&" else reader.errors
        elif operator in _WRITES and (fd in (None, 1) or operator[0] == "&"):
            if operator == ">&" and plain is None:
                reader.prints(_ELSEWHERE)  # it may be the number of any descriptor
            reader.out = Output(reader.doubt)
            reader.errors = reader.out if operator[0] == "&" or operator == ">&" else reader.errors
            whole = True
            if goes := file_name(reader, target):
                written.append(Opened(goes, operator.endswith(">>"), reader.out, perhaps))
        elif operator in _WRITES:
            reader.errors = reader.errors if fd != 2 else None
            reader.redirected = reader.redirected or may_stay_shut(found[-1])
            if goes := file_name(reader, target):
                written.append(Opened(goes, operator.endswith(">>"), perhaps=perhaps))
        if read in {each.name for each in written}:
            reader.stdin = Stream((Hole("words", "what is left of a file that is written"),), reader.doubt)
    return tuple(found), written, whole


def _descriptor_written(target: Word, operator: str) -> str | None:
    """The number that `>&1` or a name such as `/dev/stderr` stands for, or `-`; None for other files."""
    plain = target.literal
    if operator == ">&" and plain is not None and (plain.rstrip("-").isdigit() or plain == "-"):
        return plain.rstrip("-") or "-"
    return _OUTPUTS.get(plain or "") or descriptor_of(target) or None


def may_be_refused(redirection: Redirection) -> bool:
    """Whether bash may find no such file or no one name, and then runs nothing; quoted names are taken to be some."""
    target, operator = redirection.target, redirection.operator
    if target is None or operator.startswith("<<"):
        return False
    plain = target.literal
    if plain is None:
        pipe = len(target.parts) == 1 and target.holes[0].why == PIPE  # which is there, as bash has made it
        return (operator == "<" and not pipe) or not target.single
    if operator in ("<&", ">&"):
        return plain.rstrip("-") not in ("", "0", "1", "2") or plain == ""
    return plain == "" or (operator == "<" and (plain not in _OWN or plain == "-") and plain != "/dev/null")


def may_stay_shut(redirection: Redirection) -> bool:
    """Whether a file that is to be written may be a folder, in none, or kept by `set -C`: bash then runs nothing."""
    target, operator = redirection.target, redirection.operator
    if target is None or operator not in _WRITES or target.literal in _WRITABLE:
        return False
    return _descriptor_written(target, operator) not in ("0", "1", "2")


def _text(reader: Running, redirect: Redirect) -> Redirection:
    target = redirect.target
    if redirect.document is not None:
        parts = reader.one(redirect.document.pieces)
        name = Word((redirect.document.delimiter,), target.start, target.end)
    else:
        reader.differs("dash", "`<<<` is known to bash and not to dash")
        value = reader.one(target.pieces, assigned=True) if target.pieces else (target.plain or "",)
        parts = glued([*value, "\n"])
        name = Word(value, target.start, target.end)
    _reads(reader, redirect, Stream(parts, reader.doubt))
    return Redirection(redirect.fd, redirect.operator, name, Word(parts, target.start, target.end))


def _reads(reader: Running, redirect: Redirect, stream: Stream) -> None:
    """Opens a descriptor for reading: standard input, or one that is kept by its number or a variable."""
    if redirect.variable:
        why = f"a free descriptor that `{redirect.variable}` names"
        content = Word(stream.parts)
        reader.assign(redirect.variable, (Hole("word", why, f"${redirect.variable}", content),))
    elif redirect.fd in (None, 0):
        reader.stdin = stream
    else:
        reader.state.put(descriptor_key(redirect.fd or 0), stream)


def _source(reader: Running, target: Word, operator: str) -> Stream:
    if operator == "<&":
        plain = (target.literal or "").rstrip("-")
        only = target.parts[0] if len(target.parts) == 1 else None
        held = reader.stdin if plain == "0" else None
        if plain.isdigit() and plain != "0":
            kept = reader.state.slots.get(descriptor_key(int(plain[:9])))
            held = kept if isinstance(kept, Stream) else None
        if held is not None:
            return held
        if isinstance(only, Hole) and only.content is not None:
            return Stream(only.content.parts, reader.doubt)
        return Stream((Hole("words", "input from another descriptor"),), reader.doubt)
    return Stream(content_of(reader, target), reader.doubt)


def _target(reader: Running, redirect: Redirect) -> Word:
    if redirect.operator[0] == "&":
        reader.differs("dash", "`&>` means something else to dash")
    words = reader.words(redirect.target)
    if len(words) == 1:
        return words[0]
    return Word((Hole("words", "the target is not one word"),), redirect.target.start, redirect.target.end)


def _duplicated(reader: Running, fd: int, number: str) -> None:
    """`fd>&number`; what goes to one of neither output nor errors may go anywhere."""
    goes = {"1": reader.out, "2": reader.errors}.get(number)
    if fd > 2 and goes is not None:
        goes.add(_ELSEWHERE, reader.doubt, False)
    elif fd == 2:
        reader.errors = goes
    elif fd == 1:
        if number not in ("1", "2"):
            reader.prints(_ELSEWHERE)
        reader.out = goes


def file_name(reader: Running, word: Word) -> str | None:
    """By what a file is known again within the line; None where nobody can say."""
    texts = []
    for part in (*_folder_parts(reader, word), *word.parts):
        if isinstance(part, str):
            texts.append(part)
        elif part.why == HERE and not texts and all(isinstance(each, str) for each in reader.folder().parts):
            texts.append(part.text.replace("$PWD", ".", 1))
        elif part.kind != "glob" and part.text.startswith(("$", "~")) and "(" not in part.text:
            texts.append("\0" + part.text)
        elif part.why.startswith(MADE_UP):
            texts.append("\0" + part.why)
        else:
            return None
    text = "".join(texts)
    if not text or text.startswith("/dev/"):
        return None
    began = reader.state.slots.get(BEGAN)
    start = began[0] if isinstance(began, tuple) and began else ""
    text = normpath(text)
    return text.removeprefix(f"{start}/") if isinstance(start, str) and len(start) > 1 else text


def written_as(name: str | None, written: Iterable[str]) -> list[str]:
    """Which of the files that the line has written is meant, or are, where the last part of a name is a pattern."""
    if name is None or "*" not in name:
        return [] if name is None or name not in written else [name]
    from fnmatch import fnmatchcase

    pattern = name.rpartition("/")[2]
    return [each for each in written if fnmatchcase(each.rpartition("/")[2], pattern)]


def _folder_parts(reader: Running, word: Word) -> Parts:
    if word.prefix.startswith("/") or not word.parts or (not word.prefix and word.holes[0].text[:1] in "$~"):
        return ()
    folder = reader.folder()
    return (*folder.parts, "/") if folder.parts else ()


def content_of(reader: Running, word: Word) -> Parts:
    """What reading a file gives."""
    only = word.parts[0] if len(word.parts) == 1 else None
    if isinstance(only, Hole) and only.content is not None:
        return only.content.parts
    number = descriptor_of(word)
    if number and number != "0":
        last = word.parts[-1]
        if isinstance(last, Hole) and last.content is not None:
            return last.content.parts
        kept = reader.state.slots.get(descriptor_key(int(number[:9]))) if number.isdigit() else None
        return kept.parts if isinstance(kept, Stream) else (Hole("words", f"what `{shown(word)}` gives"),)
    if number or word.literal in _OWN:
        return reader.stdin.parts if reader.stdin is not None else unknown_file(word.literal)
    name = file_name(reader, word) or ""
    known = reader.files.get(name, [])
    reader.looked_at = reader.looked_at or bool(known)
    if len(known) == 1 and name not in reader.racing:
        return known[0]
    choices = tuple(found for each in known if (found := Word(each)).literal is not None)
    return tuple(
        replace(part, choices=choices) for part in unknown_file(word.literal) if isinstance(part, Hole)
    )


def unknown_file(name: str | None) -> Parts:
    """What a file holds of which the line does not tell that."""
    if name == "/dev/null":
        return ()
    return (Hole("words", f"{OF_FILE}{name or '…'}` holds", f"< {name}" if name else ""),)
