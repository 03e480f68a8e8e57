"""`$x` and `${x…}`: the values of a shell's variables, and what the operators make of them."""

from __future__ import annotations

import re

from hookline.shell.fields import Fields, glued
from hookline.shell.reading import Hole, Word
from hookline.shell.running import Running
from hookline.shell.state import FOLDER, FORMER_FOLDER, POSITIONALS, ZERO, Array, Unset
from hookline.shell.syntax import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.shell.state import Parts
    from hookline.shell.syntax import Parameter, Piece

_NUMBERS = frozenset("?$!#")
_MOVING = frozenset(
    ["RANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM", "_", "BASH_COMMAND",
     "FUNCNAME", "PIPESTATUS", "DIRSTACK", "BASH_SUBSHELL", "BASH_LINENO", "BASH_SOURCE", "HISTCMD", "GROUPS",
     "OPTIND", "OPTARG", "BASH_ARGV", "BASH_ARGC", "BASH_ALIASES", "BASH_CMDS", "COPROC"]
)  # fmt: skip
_CHANGES = r"\+\+|--|(?<![=!<>])=(?!=)|<<=|>>="
_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"
_SUM = r"[ \t\n]*([+-]?[ \t]*(?:0|[1-9][0-9]{0,14}))[ \t\n]*(?:([-+*])[ \t\n]*(0|[1-9][0-9]{0,8})[ \t\n]*)?"


class Parameters(Running):
    """Reads variables of `state`; what is not in it comes from outside of the line."""

    # Values

    def scalar(self, name: str) -> Parts | None:
        """A variable's value, the first of an array; None where it has none for certain."""
        if name.isdigit():
            return self._positional(name)
        if name in _NUMBERS or name == "-":
            known = self.positionals() if name == "#" else None
            if known is not None:
                return (str(len(known)),)
            return (Hole("word", f"`${name}` is known only when the line runs", f"${name}"),)
        if name in ("PWD", "OLDPWD"):
            return self._folder(name)
        value = self.state.slots.get(name)
        if name in _MOVING:
            return (Hole("word", f"`${name}` is known only when the line runs", f"${name}"),)
        if value is None:
            return (" \t\n",) if name == "IFS" else (_outside(name),)
        if isinstance(value, Array):
            return value.items.get("0") if not value.keyed else None
        if isinstance(value, Unset):
            return None
        assert isinstance(value, tuple)
        return value

    def elements(self, name: str) -> list[Parts] | None:
        """All elements of an array or of the positional parameters; None where they are not known."""
        if name in "@*":
            return self.positionals()
        value = self.state.slots.get(name)
        if isinstance(value, Array):
            # bash keeps the elements of an associative array in an order of its own
            return None if value.keyed and len(value.items) > 1 else value.values()
        if isinstance(value, Unset):
            return []
        if isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
            return [value]
        return [()] if value == () else None

    def positionals(self) -> list[Parts] | None:
        known = self.state.slots.get(POSITIONALS)
        return list(known) if isinstance(known, tuple) else None

    def _positional(self, name: str) -> Parts | None:
        number = int(name[:6])
        if number == 0:
            zero = self.state.slots.get(ZERO)
            return zero if isinstance(zero, tuple) else (Hole("word", "the name of the shell", "$0"),)
        known = self.positionals()
        if known is None:
            outside = self.state.slots.get(POSITIONALS) is None
            return (Hole("words", f"`${name}` is not told by the line", f"${name}", outside=outside),)
        return known[number - 1] if number <= len(known) else None

    def _folder(self, name: str) -> Parts:
        """Where the line is, or was before its last `cd`."""
        folder = self.state.slots.get(FOLDER if name == "PWD" else FORMER_FOLDER)
        start = self.state.slots.get("PWD")
        text = folder.literal if isinstance(folder, Word) else "" if name == "PWD" else None
        if text is not None and text.startswith("/"):
            return (text,)
        if text is not None and isinstance(start, tuple) and all(isinstance(part, str) for part in start):
            return (f"{start[0]}/{text}",) if text and start else start
        if name == "PWD":
            return (Hole("word", "the folder the line runs in", "$PWD" if not text else f"$PWD/{text}"),)
        return (_outside(name),)

    # Expansion

    def parameter(self, fields: Fields, piece: Parameter) -> None:
        if not piece.name:
            self.one(piece.argument)
            self.left = True
            fields.hole(self._unclear(piece, "bash refuses this expansion"))
        elif piece.prefix == "!":
            self._indirect(fields, piece)
        elif piece.name in "@*" or self._whole_array(piece):
            self._list(fields, piece)
        elif not piece.operator and not piece.prefix and piece.index is None:
            self._put(fields, self.scalar(piece.name), piece.quoted)
        else:
            self._operated(fields, piece, self._selected(piece))

    def _put(self, fields: Fields, value: Parts | None, quoted: bool) -> None:
        for part in value or ():
            self.spend(len(part) >> 5 if isinstance(part, str) else 1)
        if self.shell == "zsh" and not quoted and any(_told_apart(part) for part in value or ()):
            value = (Hole("words", "bash splits this and looks for files, zsh does not", "$…"),)
        fields.value(value or (), quoted)

    def _whole_array(self, piece: Parameter) -> bool:
        index = piece.index
        return index is not None and len(index) == 1 and isinstance(index[0], Text) and index[0].text in "@*"

    def _selected(self, piece: Parameter) -> Parts | None:
        if piece.index is None:
            return self.scalar(piece.name)
        key = self.one(piece.index)
        value = self.state.slots.get(piece.name)
        if not (isinstance(value, Array) and value.keyed):
            self.evaluated(key)
        text = key[0] if len(key) == 1 else None
        if not isinstance(text, str) or value is None:
            return (self._unclear(piece, "the element is not told by the line"),)
        if isinstance(value, Array):
            return self._element(piece, value, text)
        if isinstance(value, tuple):
            return value if text == "0" else (self._unclear(piece, "the element is not told by the line"),)
        return None

    def _element(self, piece: Parameter, array: Array, text: str) -> Parts | None:
        if array.keyed:
            return array.items.get(text)
        number = re.fullmatch(r"-?[0-9]{1,9}", text.strip())
        if number is None:
            return (self._unclear(piece, "the element is not told by the line"),)
        place = int(number[0])
        if place >= 0:
            return array.items.get(str(place))
        places = sorted(int(key) for key in array.items)
        return array.items.get(str(places[-1] + 1 + place)) if places else None

    def _indirect(self, fields: Fields, piece: Parameter) -> None:
        """`${!x}`: the variable that `x` names; `${!x@}` and `${!x[@]}` are names and keys."""
        value = self.state.slots.get(piece.name)
        told = isinstance(value, Array) and not (value.keyed and len(value.items) > 1)
        if told and self._whole_array(piece) and not piece.operator and isinstance(value, Array):
            keys = list(value.items) if value.keyed else sorted(value.items, key=int)
            for place, key in enumerate(keys):
                if place:
                    fields.end()
                fields.value((key,), piece.quoted)
            return
        if piece.operator or piece.index is not None or piece.name in "@*#":
            self.one(piece.argument)
            fields.hole(self._unclear(piece, "it stands for names of variables"))
            return
        name = self.scalar(piece.name)
        text = name[0] if name is not None and len(name) == 1 else None
        if isinstance(text, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+", text):
            self._put(fields, self.scalar(text), piece.quoted)
        else:
            self.left = True  # bash refuses it where that is no variable
            fields.hole(self._unclear(piece, "nobody knows which variable it names"))

    def _list(self, fields: Fields, piece: Parameter) -> None:
        """`$@`, `$*`, `${x[@]}`."""
        star = piece.name == "*" or (piece.name not in "@" and isinstance(piece.index, tuple)
                                     and isinstance(piece.index[0], Text) and piece.index[0].text == "*")  # fmt: skip
        elements = self.elements(piece.name)
        if piece.prefix == "#":
            self._put(
                fields, (str(len(elements)),) if elements is not None else (_number(piece),), piece.quoted
            )
            return
        if elements is None:
            self.one(piece.argument)
            hole = self._unclear(
                piece, "the list is not told by the line", "word" if star and piece.quoted else "words"
            )
            fields.hole(hole)
            return
        if piece.operator[:1] == ":" and len(piece.operator) == 1:
            sliced = self._slice(piece, elements)
            if sliced is None:
                fields.hole(self._unclear(piece, "the part of the list is not told by the line"))
                return
            elements = sliced
        elif piece.operator:
            elements = self._each(fields, piece, elements)
            if elements is None:
                return
        self._put_list(fields, elements, star, piece.quoted)

    def _put_list(self, fields: Fields, elements: list[Parts], star: bool, quoted: bool) -> None:
        if star and quoted:
            separators = self.separators()
            joint = Hole("word", "`IFS` is not known", "$IFS") if separators is None else separators[:1]
            joined: list[str | Hole] = []
            for place, element in enumerate(elements):
                joined += [joint] * bool(place) + list(element)
            fields.value(glued(joined), True)
            return
        for place, element in enumerate(elements):
            if place:
                fields.end()
            self._put(fields, element, quoted)
        if quoted and not elements and fields.current == [] and fields.quotes < 2:
            fields.current = None  # `"$@"` without parameters is no word

    def _slice(self, piece: Parameter, elements: list[Parts]) -> list[Parts] | None:
        bounds = self._bounds(piece)
        if bounds is None:
            return None
        start, length = bounds
        if piece.name in "@*":
            zero = self.scalar("0") or ()
            elements = [zero, *elements]
        if start < 0:
            start += len(elements)
            if start < 0:
                return []
        if length is not None and length < 0:
            return None
        return elements[start : None if length is None else start + length]

    def _bounds(self, piece: Parameter) -> tuple[int, int | None] | None:
        text = self.one(piece.argument)
        self.evaluated(text)
        whole = text[0] if len(text) == 1 else None
        found = (
            re.fullmatch(r"\s*(-?[0-9]{1,9})\s*(?::\s*(-?[0-9]{1,9})\s*)?", whole)
            if isinstance(whole, str)
            else None
        )
        return (int(found[1]), int(found[2]) if found[2] else None) if found else None

    def _each(self, fields: Fields, piece: Parameter, elements: list[Parts]) -> list[Parts] | None:
        """An operator on every element; None where it took care of the fields itself."""
        if piece.operator.strip(":") in ("-", "=", "?", "+"):
            empty = not elements or (piece.operator[0] == ":" and elements == [()])
            if empty == (piece.operator.strip(":") == "+"):
                return elements if not empty else []
            if all(isinstance(part, str) for element in elements for part in element):
                self.fill(fields, piece.argument)
                return None
            self.one(piece.argument)
            fields.hole(self._unclear(piece, "whether the list is empty is not told by the line"))
            return None
        found = [self.transformed(piece, element) for element in elements]
        if any(element is None for element in found):
            fields.hole(self._unclear(piece, "what the operator makes of the list is not told by the line"))
            return None
        return [element for element in found if element is not None]

    def _unclear(self, piece: Parameter, why: str, kind: str = "") -> Hole:
        held = self.state.slots.get(POSITIONALS if piece.name in "@*" else piece.name)
        outside = held is None or (isinstance(held, tuple) and any(_is_outside(part) for part in held))
        return Hole(
            "words" if kind == "words" or not (piece.quoted or kind) else "word",
            f"`{piece.text}`: {why}",
            piece.text,
            outside=outside and piece.prefix != "!",
        )

    # Operators

    def _operated(self, fields: Fields, piece: Parameter, value: Parts | None) -> None:
        operator = piece.operator.strip(":") if piece.operator[1:] else piece.operator
        if piece.prefix == "#":
            known = value is None or all(isinstance(part, str) and part.isascii() for part in value)
            length = sum(len(part) for part in value or () if isinstance(part, str))
            self._put(fields, (str(length),) if known else (_number(piece),), piece.quoted)
        elif operator and operator in "-=?+":
            self._alternative(fields, piece, value, operator)
        elif not operator:
            self._put(fields, value, piece.quoted)
        else:
            changed = self.transformed(piece, value or ())
            if changed is None:
                fields.hole(
                    self._unclear(piece, "what the operator makes of it is not told by the line", "words")
                )
            else:
                self._put(fields, changed, piece.quoted)

    def _alternative(self, fields: Fields, piece: Parameter, value: Parts | None, operator: str) -> None:
        colon = piece.operator[0] == ":"
        has = value is not None and (any(isinstance(part, str) for part in value) or not (value or colon))
        if not has and value:
            self._perhaps(fields, piece, operator)
        elif has == (operator == "+"):
            before = fields.current
            self.fill(fields, piece.argument)
            if operator == "=":
                self.assign(piece.name, self.one(piece.argument))
            if piece.quoted and before is None:
                fields.add("", True)
        elif has:
            self._put(fields, value, piece.quoted)
        elif operator == "?":
            self.left = True
            fields.hole(self._unclear(piece, "bash ends here where it is empty"))
        elif piece.quoted:
            fields.add("", True)

    def _perhaps(self, fields: Fields, piece: Parameter, operator: str) -> None:
        """The value comes from outside: the other text may be taken or not."""
        self.state.branch()
        self.doubt += 1
        self.left = self.left or operator == "?"
        other = self.one(piece.argument)
        if operator == "=":
            self.assign(piece.name, other)
        self.doubt -= 1
        self.state.adopt([self.state.rewind(), {}])
        fields.hole(
            self._unclear(
                piece, "whether it is empty is not told by the line", "word" if piece.quoted else "words"
            )
        )

    def transformed(self, piece: Parameter, value: Parts) -> Parts | None:
        """A value after `#`, `%`, `/`, `^`, `,`, `@` or `:`; None where that cannot be told."""
        text = "".join(part for part in value if isinstance(part, str))
        whole = all(isinstance(part, str) for part in value)
        change = _CHANGES_BY_OPERATOR.get(piece.operator[0])
        if change is None or not whole:
            self.one(piece.argument)
            return None
        changed = change(self, piece, text)
        return None if changed is None else (changed,) if changed else ()

    def _removed(self, piece: Parameter, text: str) -> str | None:
        from hookline.shell.patterns import removed

        pattern = self._pattern(piece.argument)
        return None if pattern is None else removed(text, pattern, piece.operator)

    def _replaced(self, piece: Parameter, text: str) -> str | None:
        from hookline.shell.patterns import replaced

        before, after = _split_at_slash(piece.argument)
        pattern = self._pattern(before)
        replacement = self.one(after)
        plain = replacement[0] if replacement else ""
        if pattern is None or not isinstance(plain, str) or len(replacement) > 1 or "&" in plain:
            return None
        if before and isinstance(before[0], Text) and before[0].text[:1] in ("#", "%"):
            return None
        return replaced(text, pattern, piece.operator, plain)

    def _pattern(self, pieces: tuple[Piece, ...]) -> str | None:
        from hookline.shell.patterns import pattern_regex

        loose = self.loose(pieces)
        return None if loose is None else pattern_regex(loose)

    def _cased(self, piece: Parameter, text: str) -> str | None:
        if piece.argument:
            self.one(piece.argument)
            return None
        change = str.upper if piece.operator[0] == "^" else str.lower
        if not text.isascii():
            return None
        return change(text) if len(piece.operator) == 2 else change(text[:1]) + text[1:]

    def _quoted_form(self, piece: Parameter, text: str) -> str | None:
        if piece.operator == "@P" and ("$(" in text or "`" in text):
            self.unknown("`@P` runs the commands in a prompt", text)
        cases = {"@U": text.upper(), "@L": text.lower(), "@u": text[:1].upper() + text[1:]}
        return cases.get(piece.operator) if text.isascii() else None

    def _part(self, piece: Parameter, text: str) -> str | None:
        bounds = self._bounds(piece)
        if bounds is None:
            return None
        start, length = bounds
        if start < 0:
            start += len(text)
            if start < 0:
                return ""
        end = None if length is None else length if length < 0 else start + length
        return text[start:end]

    # Arithmetic

    def calculated(self, pieces: tuple[Piece, ...], text: str) -> Parts:
        """The value of an expression; what it assigns may be anything afterwards."""
        inner, before = self.one(pieces), self.redirected
        plain = "".join(part for part in inner if isinstance(part, str))
        self.redirected = True  # an expression that bash refuses ends the command
        self.evaluated(inner)
        if re.compile(_CHANGES).search(plain):
            for name in re.compile(_IDENTIFIER).findall(plain):
                self.assign(name, (Hole("word", f"`{name}` is calculated", f"${name}"),))
        elif inner and plain == inner[0]:
            found = re.compile(_SUM).fullmatch(plain)
            if found is not None:
                self.redirected = before
                return (str(_sum(found)),)
        return (Hole("word", "it is calculated", text),)

    def evaluated(self, parts: Parts) -> None:
        """Bash calculates with a variable's text as code, and `a[$(…)]` in it runs commands."""
        plain = "".join(part for part in parts if isinstance(part, str))
        if _calls(plain):
            self.unknown("commands stand in what is calculated", plain)
        for name in re.compile(_IDENTIFIER).findall(plain):
            value = self.state.slots.get(name)
            if isinstance(value, tuple) and any(isinstance(part, str) and _calls(part) for part in value):
                self.unknown(f"`{name}` holds commands and is calculated with")


if TYPE_CHECKING:
    Change = Callable[[Parameters, Parameter, str], str | None]
_CHANGES_BY_OPERATOR: dict[str, Change] = {
    "#": Parameters._removed, "%": Parameters._removed, "/": Parameters._replaced, "^": Parameters._cased,
    ",": Parameters._cased, "@": Parameters._quoted_form, ":": Parameters._part,
}  # fmt: skip


def _calls(text: str) -> bool:
    return "$(" in text or "`" in text


def _told_apart(part: str | Hole) -> bool:
    return isinstance(part, str) and any(letter in " \t\n*?[" for letter in part)


def _outside(name: str) -> Hole:
    return Hole("words", f"`${name}` is set outside of the line", f"${name}", outside=True)


def _is_outside(part: object) -> bool:
    return isinstance(part, Hole) and part.outside


def _number(piece: Parameter) -> Hole:
    return Hole("word", f"`{piece.text}` is a number that the line does not tell", piece.text)


def _split_at_slash(pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The pattern and the replacement of `${x/pattern/replacement}`."""
    for place, piece in enumerate(pieces):
        if isinstance(piece, Text) and not piece.quoted and "/" in piece.text:
            before, _, after = piece.text.partition("/")
            return (*pieces[:place], Text(before)), (Text(after), *pieces[place + 1 :])
    return pieces, ()


def _sum(found: re.Match[str]) -> int:
    first = int(found[1].replace(" ", "").replace("\t", ""), 10)
    second = int(found[3] or 0)
    return {"+": first + second, "-": first - second, "*": first * second}.get(found[2] or "+", first)
