"""`read`, and what a loop that reads goes through."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.model.typing import TYPE_CHECKING, Callable
from hookline.shell.grammar.pieces import Assignment, Raw, Text
from hookline.shell.grammar.tree import Sequence, Simple
from hookline.shell.interpreter.options import is_name, line_of, options_of
from hookline.shell.reading import FOUND, Command, Hole, Word, glued
from hookline.shell.values.arrays import Array
from hookline.shell.values.fields import Fields, blanks_of
from hookline.shell.values.state import INPUT, READONLY, descriptor_key, is_number, odd_key
from hookline.shell.values.streams import Stream

if TYPE_CHECKING:
    from hookline.shell.values.running import Running

OF_READ = "adinNptu"  # options of `read` that take a value


def read_line(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:], OF_READ)
    if found is not None and not found[0] <= {"r", "p"}:
        reader.differs("dash", "`read` has other options in dash")
    stream = input_of(reader, found[1].get("u") if found is not None else None)
    names = [word.literal or "" for word in (found[2] if found is not None else command.words[1:])]
    names = names if found is not None else list(filter(is_name, names))
    hole = Hole("words", INPUT, outside=stream is None)
    numbers = [found[1][letter].literal or "" for letter in "tu" if letter in found[1]] if found else []
    strange = (
        found is None
        or bool(found[0] - {"r", "s", "p", "e", "t", "u", "a"})
        or not all(map(is_name, names))
        or not all(map(is_number, numbers))
    )
    by_lines = found is not None and found[0] <= set("rsptuaed") and all(map(is_number, numbers))
    by_lines = by_lines and found is not None and _ends_lines(found[1])
    if strange and stream is not None:
        stream.lose(torn=not by_lines)
    line = stream.line(reader.doubt) if stream is not None else hole
    text = "" if line is None else line
    raw = found is not None and "r" in found[0]
    if strange or isinstance(text, Hole) or (not raw and "\\" in text):
        begins = ends = ""
        if stream is not None and isinstance(text, Hole) and by_lines:
            stream.lose()
            begins, ends = _told_of(stream, raw, reader.separators())
            far = begins.startswith(("/", "~", ".."))
            if stream.names_files and not far:
                begins = begins[: begins.rfind("/") + 1].removeprefix("./")  # a folder of the project
                hole = replace(hole, why=stream.names_files)
            begins = begins if far or hole.why == FOUND else ""
            ends = ends if stream.names_files else ""
        if stream is not None:
            stream.lose()
        array = found[1].get("a") if found is not None else None
        if len(names) != 1:
            begins = ends = ""
        for name in [*names, "REPLY"]:
            if is_name(name):
                whole = (begins, replace(hole, text=f"${name}"), ends)
                reader.state.put(name, glued(whole))
        if array is not None and is_name(array.literal or ""):
            put_list(reader, array.literal or "", not_told(hole, array.literal or ""))
        if strange and not all(map(is_name, names)):
            reader.unknown("`read` names something that the line does not tell")
        return
    if found is not None and "a" in found[1]:
        _read_array(reader, found[1]["a"], text)
        return
    if not names:
        reader.assign("REPLY", (text,) if text else ())
        return
    refused = False  # by one that is readonly, behind which bash sets none
    for name, value in zip(names, _shared(text, len(names), reader.separators()), strict=True):
        parts = (hole,) if value is None or refused else (value,) if value else ()
        refused = refused or reader.state.slots.get(odd_key(name)) == READONLY
        reader.assign(name, parts)


def _told_of(stream: Stream, raw: bool, separators: str | None) -> tuple[str, str]:
    """How a value begins and ends that is one of the lines, as `read` parts them and takes backslashes away."""
    if separators is None:
        return "", ""
    blanks, hard = blanks_of(separators)
    parting = hard if raw else f"{hard}\\"
    begins = next(
        (stream.begins[:at] for at, letter in enumerate(stream.begins) if letter in parting), stream.begins
    )
    ends = stream.ends if set(parting).isdisjoint(stream.ends) else ""
    return begins.rstrip(blanks), ends.rstrip(blanks)


def _read_array(reader: Running, word: Word, text: str) -> None:
    name = word.literal or ""
    if not is_name(name):
        reader.unknown("`read -a` names something that the line does not tell", line_of(word))
        return
    fields = Fields(reader.separators())
    fields.value((text,), False)
    words = fields.words(0, 0, False)
    told = all(word.single for word in words)
    items = {str(place): each.parts for place, each in enumerate(words)} if told else {}
    put_list(reader, name, Array(items, told=told))


def not_told(hole: Hole, name: str) -> Array:
    return Array({}, told=False, patterns=[(replace(hole, text=f"${name}"),)])


def put_list(reader: Running, name: str, array: Array) -> None:
    held = reader.state.slots.get(name)
    if not (isinstance(held, Array) and held.keyed):  # which bash makes no list of
        odd = reader.state.slots.get(odd_key(name))
        reader.state.put(name, Array({}, told=False) if odd else array)


def input_of(reader: Running, number: Word | None) -> Stream | None:
    """What `read` reads: standard input, or the descriptor that `-u` names."""
    if number is None or number.literal == "0":
        return reader.stdin
    lost = Stream((Hole("words", "input from another descriptor"),), reader.doubt)
    text = number.literal or ""
    kept = reader.state.slots.get(descriptor_key(int(text[:9]))) if text.isdigit() else None
    return kept if isinstance(kept, Stream) else lost


def _shared(text: str, count: int, separators: str | None) -> list[str | None]:
    """A line's words for the names of `read`; the last gets all that is left."""
    if separators is None:
        return [None] * count
    blanks, hard = blanks_of(separators)
    rest = text.strip(blanks) if blanks else text
    values: list[str | None] = []
    cut = None
    if separators:
        soft = f"[{re.escape(blanks)}]*" if blanks else ""
        cut = re.compile(
            "|".join(
                filter(
                    None,
                    [
                        f"{soft}[{re.escape(hard)}]{soft}" if hard else "",
                        f"[{re.escape(blanks)}]+" if blanks else "",
                    ],
                )
            )
        )
    while len(values) < count - 1:
        found = cut.search(rest) if cut is not None else None
        values.append(rest[: found.start()] if found else rest)
        rest = rest[found.end() :] if found else ""
    if hard and cut is not None and (found := cut.search(rest)):
        return [*values, None if found.end() == len(rest) else rest]
    return [*values, rest]


# Loops over what is read


def read_of(condition: Sequence) -> Simple | None:
    """The `read` of standard input that a loop's condition is, if it is one."""
    items = condition.items
    only = items[0][0] if len(items) == 1 and not items[0][1] else None
    if not isinstance(only, Simple) or not only.words or only.redirects:
        return None
    first, found = only.words[0], options_of(_words_of(only), OF_READ)
    is_read = isinstance(first, Word) and first.literal == "read"
    source = found[1].get("u") if found is not None else None
    return only if is_read and (source is None or source.literal == "0") else None


def takes_lines(node: Simple) -> bool:
    """Whether `read` takes a whole line each time."""
    found = options_of(_words_of(node), OF_READ)
    return found is not None and found[0] <= set("rsepitua")


def first_name(node: Simple, separators: Callable[[], str | None]) -> tuple[str, str]:
    """The variable that `read` gives lines to, or what they begin with, and the letters that end it there.

    Empty where it reads otherwise.
    """
    found = options_of(_words_of(node), OF_READ)
    if found is None or not found[0] <= set("rsedutpi") or not _ends_lines(found[1]):
        return "", ""
    first, *more = [each.literal for each in found[2]] or [None]
    if first is None or not is_name(first) or first in more:  # `read b b`: the last one counts
        return "", ""
    given = [each.value for each in node.assignments if each.name == "IFS"]
    plain = all(isinstance(piece, Text) for value in given for piece in value.pieces)
    parting = "".join(getattr(piece, "text", "") for piece in given[-1].pieces) if given else separators()
    if parting is None or not plain:
        return "", ""
    return first, parting if more else blanks_of(parting)[1]


def _ends_lines(given: dict[str, Word]) -> bool:
    """Whether `read` stops at the end of a line, or at a NUL, which no name has."""
    return "d" not in given or given["d"].literal in ("", "\n")


def _words_of(node: Simple) -> tuple[Word, ...]:
    given = [word for word in node.words[1:] if not isinstance(word, Assignment)]
    return tuple(word if isinstance(word, Word) else Word((_as_written(word),)) for word in given)


def _as_written(word: Raw) -> str | Hole:
    return Hole("words", "it is not read yet") if word.plain is None else word.plain
