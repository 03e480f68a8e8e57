"""What texts, tildes and the names of variables in a word become: for the reader, and for plain lines without it."""

from __future__ import annotations

import re

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.pieces import Parameter, Text
from hookline.shell.reading import HERE, Hole, Parts, Word, glued
from hookline.shell.values.fields import Fields, blanks_of, within_quotes
from hookline.shell.values.state import (
    BEGAN,
    FOLDER,
    FORMER_FOLDER,
    POSITIONALS,
    READONLY,
    ZERO,
    State,
    odd_key,
)

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Piece, Raw
    from hookline.shell.values.running import Running

_NUMBERS = frozenset("?$!#-")
_MOVING = frozenset(
    ["RANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM", "_", "BASH_COMMAND",
     "FUNCNAME", "PIPESTATUS", "DIRSTACK", "BASH_SUBSHELL", "BASH_LINENO", "BASH_SOURCE", "HISTCMD", "GROUPS",
     "OPTIND", "OPTARG", "BASH_ARGV", "BASH_ARGC", "BASH_ALIASES", "BASH_CMDS", "COPROC",
     "BASH_REMATCH"]
)  # fmt: skip
_TILDE = r"~([A-Za-z0-9_.+-]*)(?=/|\Z)"
_TILDE_BEFORE = r"~[A-Za-z0-9_.+-]*[:=]"
_TILDE_ASSIGNED = r"(?:^|(?<=[:=]))~([A-Za-z0-9_.+-]*)(?=[/:]|\Z)"
_BETWEEN = Hole("word", "which letter of `IFS` stands between the words of a list")


def held(state: State, name: str) -> object:
    """What a variable holds, also one that the shell itself sets; the parameters by number are no variables."""
    if name in _NUMBERS:
        why = f"`${name}` is known only when the line runs"
        return (Hole("words" if name == "!" else "word", why, f"${name}"),)  # there may be no `$!`
    fixed = (
        name in ("PWD", "OLDPWD") and state.slots.get(odd_key(name)) == READONLY
    )  # `cd` leaves it as it is
    if name in ("PWD", "OLDPWD") and not fixed and not state.is_set_anew(name):
        return _folder(state, name)
    if name in _MOVING or fixed:
        return (Hole("word", f"`${name}` is known only when the line runs", f"${name}"),)
    value = state.slots.get(name)
    if value is None:
        return (" \t\n",) if name == "IFS" else (outside(name),)
    return value


def positional(state: State, name: str) -> Parts | None:
    """What a parameter by its number holds; None where there is none."""
    number = int(name[:6])
    if number == 0:
        zero = state.slots.get(ZERO)
        return zero if isinstance(zero, tuple) else (Hole("word", "the name of the shell", "$0"),)
    known = state.slots.get(POSITIONALS)
    if isinstance(known, tuple):
        return known[number - 1] if number <= len(known) else None
    from hookline.shell.values.arrays import Array, nth

    if isinstance(known, Array):
        return nth(known, number, f"${name}")
    return (Hole("words", f"`${name}` is not told by the line", f"${name}", outside=known is None),)


def _folder(state: State, name: str) -> Parts:
    """Where the line is, or was before its last `cd`."""
    folder = state.slots.get(FOLDER if name == "PWD" else FORMER_FOLDER)
    start = state.slots.get(BEGAN)
    text = folder.literal if isinstance(folder, Word) else "" if name == "PWD" else None
    if text is not None and text.startswith("/"):
        return (text,)
    if text is not None and isinstance(start, tuple) and all(isinstance(part, str) for part in start):
        return (f"{start[0]}/{text}",) if text and start else start
    if name == "PWD":
        return (Hole("word", HERE, "$PWD" if not text else f"$PWD/{text}"),)
    return (outside(name),)


def outside(name: str) -> Hole:
    return Hole("words", f"`${name}` is set outside of the line", f"${name}", outside=True)


def put(reader: Running, fields: Fields, value: Parts | None, quoted: bool) -> None:
    """Adds a variable's value."""
    for part in value or ():
        reader.spend(len(part) >> 3 if isinstance(part, str) else 1)
    if reader.shell == "zsh" and not quoted and any(_told_apart(part) for part in value or ()):
        value = (Hole("words", "bash splits this and looks for files, zsh does not", "$…"),)
    fields.value(value or (), quoted)


def _told_apart(part: str | Hole) -> bool:
    return isinstance(part, str) and any(letter in " \t\n*?[" for letter in part)


def fields_of(reader: Running, pieces: tuple[Piece, ...], raw: Raw, assigned: bool = False) -> list[Word]:
    separators = None if any(map(_keeps_whole, pieces)) else reader.separators()
    fields = Fields(None if separators != " \t\n" and _joins(reader, pieces, separators) else separators)
    fill(reader, fields, pieces, assigned)
    words = fields.words(raw.start, raw.end, not reader.option("f"))
    if reader.option("n"):
        words = [_none_at_all(word) for word in words]
    reader.spend(4 + (len(words) >> 1))
    return words


def words_of(reader: Running, pieces: tuple[Piece, ...], raw: Raw, assigned: bool = False) -> list[Word]:
    """The words that one becomes, several where braces make them of it."""
    if not has_braces(pieces):
        return fields_of(reader, pieces, raw, assigned)
    from hookline.shell.values.braces import several

    found = several(reader, pieces, raw.plain or "")
    if isinstance(found, Hole):
        return [Word((found,), raw.start, raw.end)]
    return [word for each in found for word in fields_of(reader, each, raw, assigned)]


def _joins(reader: Running, pieces: tuple[Piece, ...], separators: str | None) -> bool:
    """`$a$*`: whether bash may take what parts words at the end of a value for the list's own."""
    lists = any(
        isinstance(each, Parameter) and (reader.is_list(each) or each.text.endswith(("@}", "*}")))
        for each in pieces
    )
    return lists and len(pieces) > 1 and separators is not None and all(blanks_of(separators))


def fill(
    reader: Running, fields: Fields, pieces: tuple[Piece, ...], assigned: bool = False, splits: bool = False
) -> None:
    for place, piece in enumerate(pieces):
        if isinstance(piece, Text):
            if reader.stand_ins and not piece.text.isascii():
                _stood_for(reader, fields, piece)
                continue
            text = piece.text
            if not piece.quoted and "~" in text:
                last = place == len(pieces) - 1
                text = _tilde(reader, fields, text, place == 0, last, assigned)
            if splits and not piece.quoted:
                fields.value((text,), False)
            else:
                fields.add(text, piece.quoted)
        elif isinstance(piece, Parameter):
            if splits and not piece.quoted and fields.separators != " \t\n" and reader.is_list(piece):
                fields.hole(Hole("words", "bash may join the list", piece.text))
            else:
                alone = all(each is piece or each == Text("", True) for each in pieces)
                reader.parameter(fields, piece, alone)
        else:
            reader.computed(fields, piece)


def one(reader: Running, pieces: tuple[Piece, ...], assigned: bool = False) -> Parts:
    if (
        len(pieces) == 1
        and isinstance(pieces[0], Text)
        and "~" not in pieces[0].text
        and not reader.stand_ins
    ):
        return (pieces[0].text,) if pieces[0].text else ()
    fields = Fields("", whole=True)
    fill(reader, fields, pieces, assigned)
    fields.end()
    parts: list[str | Hole] = []
    between = _between(reader, pieces) if len(fields.done) > 1 else " "
    for place, field in enumerate(fields.done):
        if place:
            parts.append(between)
        parts += [within_quotes(piece) if isinstance(piece, Hole) else piece[0] for piece in field]
    return glued(parts)


def loose(reader: Running, pieces: tuple[Piece, ...]) -> list[tuple[str, bool]] | None:
    """A pattern's texts, each with whether it is quoted; None where a hole is among them."""
    fields = Fields("", whole=True)
    fill(reader, fields, pieces)
    fields.end()
    found: list[tuple[str, bool]] = []
    for piece in (piece for field in fields.done for piece in field):
        if isinstance(piece, Hole):
            return None
        found.append(piece)
    return found


def _between(reader: Running, pieces: tuple[Piece, ...]) -> str | Hole:
    """What bash puts between the words of `"$@"` that are one word here; of `"${@#x}"` not always a blank."""
    changed = any(isinstance(piece, Parameter) and (piece.operator or piece.prefix) for piece in pieces)
    letters = reader.separators() if changed else " "
    return " " if letters is not None and letters[:1] in ("", " ") else _BETWEEN


def _stood_for(reader: Running, fields: Fields, piece: Text) -> None:
    for part in reader.stood_for(piece.text, piece.quoted):
        if isinstance(part, str):
            fields.add(part, piece.quoted)
        else:
            fields.hole(part)


def _tilde(reader: Running, fields: Fields, text: str, first: bool, last: bool, assigned: bool) -> str:
    """Puts what begins the text, up to its last tilde, into the fields; what is left is returned."""
    at = 0
    if assigned:
        for found in re.compile(_TILDE_ASSIGNED).finditer(text):
            whole = found.end() < len(text) or last
            if (found.start() == 0 and not first and not assigned) or not whole:
                continue
            fields.add(text[at : found.start()], False)
            reader.spend(1)
            if text[found.start() - 1 : found.start()] == "=" and found.start() > text.find("=") + 1:
                fields.hole(Hole("word", "bash may take this `~` for the home folder", found[0]))
            else:
                _home(reader, fields, found[1])
            at = found.end()
    elif first and text[0] == "~":
        start = re.compile(_TILDE).match(text)
        if start and (start.end() < len(text) or last):
            _home(reader, fields, start[1])
            at = start.end()
        elif re.compile(_TILDE_BEFORE).match(text):
            fields.hole(Hole("word", "bash may take this `~` for the home folder", text))
            return ""
    return text[at:]


def _home(reader: Running, fields: Fields, name: str) -> None:
    """`~`, `~+`, `~-`, or a user's home, which only who asks for the reading can know."""
    home = reader.scalar({"": "HOME", "+": "PWD", "-": "OLDPWD"}.get(name, f"~{name}"))
    if home is not None and all(isinstance(part, str) for part in home):
        fields.value(home, True)
    else:
        fields.hole(Hole("word", f"the home folder `~{name}` is not told by the line", f"~{name}"))


def _none_at_all(word: Word) -> Word:
    """With `nullglob`, a pattern that nothing fits is no word; a value without quotes may be one."""
    bracket = any(isinstance(part, str) and "[" in part for part in word.parts)  # the other may be in a hole
    if not any(isinstance(part, Hole) and (bracket or part.kind != "word") for part in word.parts):
        return word
    text = "".join(part if isinstance(part, str) else part.text for part in word.parts)
    return Word(
        (Hole("words", "files that fit the pattern are put here, or nothing", text),), word.start, word.end
    )


def _keeps_whole(piece: Piece) -> bool:
    """Whether it may keep bash from splitting its word: a `$` that begins nothing, and a `$!` that is not set."""
    if isinstance(piece, Text):
        return piece.text == "$" and not piece.quoted
    return isinstance(piece, Parameter) and piece.name == "!" and not piece.quoted


def has_braces(pieces: tuple[Piece, ...]) -> bool:
    """Whether there may be something to expand in braces."""
    opened = False
    for piece in pieces:
        if isinstance(piece, Text) and not piece.quoted:
            opened = opened or "{" in piece.text
            if opened and "}" in piece.text:
                return True
    return False


def whole_array(piece: Parameter) -> bool:
    """`${x[@]}` or `${x[*]}`."""
    only = piece.index[0] if piece.index is not None and len(piece.index) == 1 else None
    return isinstance(only, Text) and only.text in ("@", "*")
