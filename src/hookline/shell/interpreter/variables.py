"""The builtins that give a variable its value: `unset`, `mapfile`, `printf`, `getopts`, `let`; `input` has `read`."""

from __future__ import annotations

import re

from hookline.shell.grammar.pieces import Text
from hookline.shell.grammar.tree import Simple
from hookline.shell.interpreter.input import input_of, not_told, put_list
from hookline.shell.interpreter.options import is_name, line_of, options_of
from hookline.shell.interpreter.outputs import formatted
from hookline.shell.reading import (
    MOST_CHOICES,
    NAMED,
    NOWHERE,
    UNSET,
    Code,
    Command,
    Hole,
    Parts,
    Word,
    glued,
    of_list,
)
from hookline.shell.values.arrays import Array
from hookline.shell.values.calculating import calculated
from hookline.shell.values.running import Running
from hookline.shell.values.state import INPUT, READONLY, SPRUNG, export_key, function_key, is_number, odd_key
from hookline.shell.values.streams import Stream

OF_MAPFILE = "dnOsuCc"


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
            if reader.state.slots.get(odd_key(text)) in (READONLY, SPRUNG):
                reader.state.forget([text])  # it is kept, if it is readonly on this way, or set anew
                continue
            if (
                reader.state.slots.get(text) is None
                and reader.state.slots.get(function_key(text)) is not None
            ):
                reader.state.put(function_key(text), None)
                reader.state.put(export_key(function_key(text)), None)
            shown = (
                Hole("words", "another may be seen where one that is set for a command goes", f"${text}"),
            )
            reader.state.put(text, shown if text in reader.temporary else UNSET)
            reader.state.put(odd_key(text), None)
        else:
            reader.state.put(function_key(text), None)
            reader.state.put(export_key(function_key(text)), None)


def _unset_element(reader: Running, name: str, key: str) -> None:
    held = reader.state.slots.get(name)
    if reader.state.slots.get(odd_key(name)) == READONLY:
        reader.state.forget([name])
    elif not isinstance(held, Array):
        reader.state.put(name, Array({}, told=False))  # there may have been none
    else:
        told = held.told and (key.isidentifier() if held.keyed else is_number(key))
        items = {each: value for each, value in held.items.items() if each != key} if told else {}
        reader.state.put(name, Array(items, held.keyed, told))


def mapfile(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:], OF_MAPFILE)
    names = [word.literal or "" for word in found[2]] if found is not None else []
    if found is None or "C" in found[1]:
        code = found[1]["C"] if found else NOWHERE
        added = ' "', Hole("word", "a line's number"), '" "', Hole("word", "a line's text"), '"'
        code = Word(glued([*code.parts, *added]), code.start, code.end)
        reader.follow(Code(code, "mapfile -C", language="bash", same_shell=True), command)
    stream = input_of(reader, found[1].get("u") if found is not None else None)
    lines = stream.lines(whole=True) if stream is not None else None
    name = names[0] if names and is_name(names[0]) else "MAPFILE"
    if lines is not None and found is not None and found[0] <= {"t", "u"} and "t" in found[0]:
        items = {str(place): _ended((line,)) for place, line in enumerate(lines)}
        put_list(reader, name, Array(items))
    elif stream is not None and _is_parted(stream, found) and (names_of_files := stream.listed()):
        reader.state.put(name, Array({}, told=False, patterns=names_of_files))
    else:
        lists = stream is not None and all(isinstance(part, Hole) and of_list(part) for part in stream.parts)
        put_list(
            reader, name, not_told(Hole("words", NAMED if lists else INPUT, outside=stream is None), name)
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
            calculated(reader, (Text(word.literal, True),), word.literal)
