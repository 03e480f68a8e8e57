"""The builtins that give a variable its value: `unset`, `read`, `mapfile`, `printf`, `getopts`, `let`."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookline.model.record import replace
from hookline.shell.grammar.pieces import Assignment, Raw, Text
from hookline.shell.grammar.tree import Sequence, Simple
from hookline.shell.interpreter.outputs import formatted
from hookline.shell.reading import (
    FOUND,
    MOST_CHOICES,
    NAMED,
    NOWHERE,
    Code,
    Command,
    Hole,
    Parts,
    Word,
    glued,
    of_list,
)
from hookline.shell.values.arrays import UNSET, Array
from hookline.shell.values.fields import Fields, blanks_of
from hookline.shell.values.running import Running
from hookline.shell.values.state import INPUT, READONLY, descriptor_key, function_key, is_number, odd_key
from hookline.shell.values.streams import Stream

OF_READ = "adinNptu"  # options of `read` that take a value
OF_MAPFILE = "dnOsuCc"


def line_of(word: Word) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in word.parts)


def is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def options_of(
    words: tuple[Word, ...], values: str = ""
) -> tuple[set[str], dict[str, Word], list[Word]] | None:
    """Letters, options with their values, and operands; None where a hole may be an option."""
    letters: set[str] = set()
    given: dict[str, Word] = {}
    rest = list(words)
    while rest:
        text = rest[0].literal
        if text is None:
            return None if not rest[0].prefix or rest[0].prefix[0] == "-" else (letters, given, rest)
        if text == "--":
            return letters, given, rest[1:]
        if len(text) < 2 or text[0] != "-":
            return letters, given, rest
        del rest[0]
        for place, letter in enumerate(text[1:], 1):
            letters.add(letter)
            if letter in values:
                if text[place + 1 :]:
                    given[letter] = Word((text[place + 1 :],))
                elif rest:
                    given[letter] = rest.pop(0)
                break
    return letters, given, rest


def unset(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:])
    if found is None or "n" in found[0]:  # it may be a function, or a reference, that goes
        names = [word.literal or "" for word in command.words[1:]]
        reader.state.forget([key for name in names if is_name(name) for key in (name, function_key(name))])
        return
    for word in found[2]:
        text = word.literal
        if text is None or not is_name(text):
            name = (word.prefix.partition("[")[0]) or None
            if text is None or "$(" in text or "`" in text or name is None:
                reader.unknown("`unset` names something that the line does not tell", line_of(word))
            elif is_name(name):
                _unset_element(reader, name, text[len(name) + 1 : -1])
            continue
        if "f" not in found[0]:
            if reader.state.slots.get(odd_key(text)) == READONLY:
                reader.state.forget([text])  # it is kept, if it is readonly on this way
                continue
            if (
                reader.state.slots.get(text) is None
                and reader.state.slots.get(function_key(text)) is not None
            ):
                reader.state.put(function_key(text), None)
            shown = (
                Hole("words", "another may be seen where one that is set for a command goes", f"${text}"),
            )
            reader.state.put(text, shown if text in reader.temporary else UNSET)
            reader.state.put(odd_key(text), None)
        else:
            reader.state.put(function_key(text), None)


def _unset_element(reader: Running, name: str, key: str) -> None:
    held = reader.state.slots.get(name)
    if reader.state.slots.get(odd_key(name)) == READONLY:
        reader.state.forget([name])
    elif not isinstance(held, Array):
        reader.assign(name, (Hole("words", "an array that lost an element", f"${name}"),))
    else:
        told = held.told and (key.isidentifier() if held.keyed else is_number(key))
        items = {each: value for each, value in held.items.items() if each != key} if told else {}
        reader.state.put(name, Array(items, held.keyed, told))


def read_line(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:], OF_READ)
    if found is not None and not found[0] <= {"r", "p"}:
        reader.differs("dash", "`read` has other options in dash")
    stream = _input_of(reader, found[1].get("u") if found is not None else None)
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
            _put_list(reader, array.literal or "", _not_told(hole, array.literal or ""))
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
    _put_list(reader, name, Array(items, told=told))


def _not_told(hole: Hole, name: str) -> Array:
    return Array({}, told=False, patterns=[(replace(hole, text=f"${name}"),)])


def _put_list(reader: Running, name: str, array: Array) -> None:
    held = reader.state.slots.get(name)
    if not (isinstance(held, Array) and held.keyed):  # which bash makes no list of
        odd = reader.state.slots.get(odd_key(name))
        reader.state.put(name, Array({}, told=False) if odd else array)


def _input_of(reader: Running, number: Word | None) -> Stream | None:
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


def mapfile(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:], OF_MAPFILE)
    names = [word.literal or "" for word in found[2]] if found is not None else []
    if found is None or "C" in found[1]:
        code = found[1]["C"] if found else NOWHERE
        added = ' "', Hole("word", "a line's number"), '" "', Hole("word", "a line's text"), '"'
        code = Word(glued([*code.parts, *added]), code.start, code.end)
        reader.follow(Code(code, "mapfile -C", language="bash", same_shell=True), command)
    stream = _input_of(reader, found[1].get("u") if found is not None else None)
    lines = stream.lines(whole=True) if stream is not None else None
    name = names[0] if names and is_name(names[0]) else "MAPFILE"
    if lines is not None and found is not None and found[0] <= {"t", "u"} and "t" in found[0]:
        items = {str(place): _ended((line,)) for place, line in enumerate(lines)}
        _put_list(reader, name, Array(items))
    elif stream is not None and _is_parted(stream, found) and (names_of_files := stream.listed()):
        reader.state.put(name, Array({}, told=False, patterns=names_of_files))
    else:
        lists = stream is not None and all(isinstance(part, Hole) and of_list(part) for part in stream.parts)
        _put_list(
            reader, name, _not_told(Hole("words", NAMED if lists else INPUT, outside=stream is None), name)
        )
    if stream is not None and (found is None or "n" in found[0]):
        stream.lose()
    elif stream is not None:
        stream.parts = ()


def _is_parted(stream: Stream, found: tuple[set[str], dict[str, Word], list[Word]] | None) -> bool:
    """Whether `mapfile` parts its input where names end there."""
    mark = found[1].get("d") if found is not None else None
    another = "\0" if mark is None else "\n" if mark.literal == "" else ""
    return bool(another) and not any(isinstance(part, str) and another in part for part in stream.parts)


def printf(reader: Running, command: Command, node: Simple) -> None:
    words = command.words
    if len(words) < 4 or words[1].literal != "-v":
        if len(words) > 1 and _may_name_variable(words[1]):
            reader.unknown("`printf` may set a variable that the line does not tell", line_of(words[1]))
        reader.printing(command)
        return
    reader.differs("dash", "`printf -v` is known to bash and not to dash")
    text, name = formatted(words[3:]), words[2].literal
    value = _ended(text) if text is not None else (Hole("words", "what `printf` makes", f"${name}"),)
    if name is not None and is_name(name):
        reader.assign(name, value)
    elif name is None or "$" in name or "`" in name:
        reader.unknown("`printf -v` sets a variable that the line does not tell", line_of(words[2]))
    elif (found := re.fullmatch(r"(\w+)\[(.*)\]", name, re.DOTALL)) and is_name(found[1]):
        reader.put_element(found[1], found[2] if found[2].isalnum() else None, value)


def _ended(parts: Parts) -> Parts:
    """Up to a NUL, which ends a variable's value."""
    for place, part in enumerate(parts):
        if isinstance(part, str) and "\0" in part:
            return glued([*parts[:place], part.partition("\0")[0]])
    return glued(parts)


def _may_name_variable(word: Word) -> bool:
    """Whether `printf` may take the word for `-v` or `-vNAME`; a format in quotes is taken for a format."""
    if word.literal is not None or not isinstance(word.parts[0], Hole):
        return word.prefix.startswith("-v") or (word.prefix == "-" and word.literal is None)
    texts = "".join(part for part in word.parts if isinstance(part, str))
    return not (word.single and word.parts[0].outside) and re.fullmatch(r"\w*(\[.*)?", texts) is not None


def getopts(reader: Running, command: Command, node: Simple) -> None:
    for word in command.words[2:4]:  # a `--` may stand before
        if word.literal is not None and is_name(word.literal):
            reader.assign(word.literal, (Hole("words", "an option of the parameters", f"${word.literal}"),))
    given = command.words[4 if command.words[1:2] and command.words[1].literal == "--" else 3 :]
    known = [word.parts for word in given] or reader.parameters()
    texts = [parts[0] for parts in known or () if len(parts) == 1 and isinstance(parts[0], str)]
    told = known is not None and len(texts) == len(known)
    values = [*texts, *(text[at:] for text in texts if text[:1] == "-" for at in range(2, len(text)))]
    choices = tuple(Word((value,)) for value in dict.fromkeys(values)) if told else ()
    few = choices if len(choices) <= MOST_CHOICES else ()
    hole = Hole("words", "a value of the parameters", "$OPTARG", outside=known is None, choices=few)
    reader.assign("OPTARG", (hole,))


def let(reader: Running, command: Command, node: Simple) -> None:
    for word in command.words[1:]:
        if word.literal is None:
            reader.unknown("`let` calculates what the line does not tell", line_of(word))
        else:
            if "$(" in word.literal or "`" in word.literal:
                reader.unknown("`let` calculates with commands", word.literal)
            reader.calculated((Text(word.literal, True),), word.literal)


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
