"""The builtins that say what a variable is: `declare`, `typeset`, `local`, `export`, `readonly`."""

from __future__ import annotations

import re

from hookline.shell.grammar.pieces import Assignment
from hookline.shell.grammar.tree import Simple
from hookline.shell.interpreter.functions import make_local
from hookline.shell.interpreter.options import is_name, line_of
from hookline.shell.programs.one_word import is_variables
from hookline.shell.reading import NAMED, Code, Command, Hole, Parts, Word, glued
from hookline.shell.values.arrays import Array
from hookline.shell.values.calculating import evaluated
from hookline.shell.values.expanding import expands_braces
from hookline.shell.values.running import Running
from hookline.shell.values.state import (
    PERHAPS,
    READONLY,
    export_key,
    function_key,
    is_joined,
    is_number,
    odd_key,
)

_ASSIGNED = r"([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]]*)\])?(\+?)=(.*)"


def declare(reader: Running, command: Command, node: Simple) -> None:
    name = command.words[0].literal or ""
    if name == "local" and not reader.locals and reader.shell != "zsh":
        return  # refused outside of a function; zsh alone takes it for `typeset`
    letters: set[str] = {"x"} if name == "export" else set()
    arrays = {
        raw.name: raw for raw in node.words if isinstance(raw, Assignment)
        and (raw.elements is not None or (raw.index is not None and not expands_braces(raw.whole.pieces)))
    }  # fmt: skip
    options = True
    for word in command.words[1:]:
        text = word.prefix
        options = options and text[:1] in ("-", "+") and text not in ("-", "+", "--")
        if options and word.literal is not None:
            letters |= set(text[1:]) if text[0] == "-" else {"+"}
            if name != "export" and "x" in text[1:] and text[0] == "+":
                letters.discard("x")
                letters.add("+x")
        elif "p" in letters and name not in ("export", "readonly"):
            return  # they are shown
        elif "f" in letters:
            _exports_function(reader, letters, word)
        else:
            _declared(reader, name, letters, _first_of(word), arrays)
            if letters & set("aA") and word.prefix.partition("=")[0] not in arrays:
                _listed(reader, command, word)


def _first_of(word: Word) -> Word:
    """What is left of a word that may be split: `declare "x=a"$y`."""
    first = next((at for at, part in enumerate(word.parts) if not Word((part,)).single), len(word.parts))
    return Word(word.parts[: first + 1], word.start, word.end)


def _exports_function(reader: Running, letters: set[str], word: Word) -> None:
    """`export -f f`, `declare -fx f`: shells that are started know the function."""
    if word.literal is not None and letters & {"x", "n"}:
        key = function_key(word.literal)
        there = reader.state.slots.get(key)  # what is none yet is not exported
        known = there if isinstance(there, tuple) and "x" in letters and "n" not in letters else ()
        reader.exports[key] = None
        reader.state.put(export_key(key), (PERHAPS if None in known else True) if known else None)


def _listed(reader: Running, command: Command, word: Word) -> None:
    """`declare -a x='($(rm y))'`: bash reads the text as a list, whose words it expands."""
    name, equals, text = word.prefix.partition("=")
    if equals and text[:1] == "(" and is_name(name):
        reader.follow(Code(word, "declare -a", language="bash", same_shell=True), command)


def _declared(
    reader: Running, builtin: str, letters: set[str], word: Word, arrays: dict[str, Assignment]
) -> None:
    found = re.fullmatch(_ASSIGNED, word.prefix, re.DOTALL) if "=" in word.prefix else None
    variable = found[1] if found else word.literal
    if variable is None or not is_name(variable):
        odd = word.literal is None or "$(" in word.literal or "`" in word.literal
        of_file = any(
            hole.why == NAMED for hole in word.holes[:1]
        )  # `while read k v; do export "$k=$v"`, as `.` does
        if odd and not of_file and not is_variables(word):
            reader.unknown(f"`{builtin}` declares something that the line does not tell", line_of(word))
        return
    element = found is not None and found[2] is not None
    if found is not None and found[2]:
        evaluated(reader, (found[2],))
    if element and builtin in ("export", "readonly"):
        return  # refused
    local = reader.locals and (builtin in ("local", "declare", "typeset")) and "g" not in letters
    if "g" in letters and any(variable in held for held in reader.locals):
        reader.unknown(f"`{variable}` is local here, and is not what `{builtin} -g` means")
    if local and reader.state.slots.get(odd_key(variable)) == READONLY:
        reader.state.forget([variable])  # bash refuses to make it local
        return
    if local and variable not in reader.locals[-1]:
        make_local(reader, variable)
    elif local and (element or letters & set("aA")) and _is_text(reader.state.slots.get(variable)):
        reader.state.put(variable, Array({}, "A" in letters))  # a local text is lost where it becomes a list
    if "i" in letters:
        evaluated(reader, (*((found[4],) if found else ()), *word.parts[1:]))
    if "n" in letters and builtin != "export":
        reader.unknown(f"`{variable}` stands for another variable")
    unexports = "+x" in letters or (builtin == "export" and "n" in letters)
    if letters & set("iulc" if unexports else "inulc"):
        reader.state.put(odd_key(variable), True)
        held = reader.state.slots.get(variable)
        if isinstance(held, Array):
            reader.state.put(variable, Array({}, held.keyed, told=False))
        else:
            reader.assign(variable, ())
    if unexports:
        reader.state.put(export_key(variable), None)
    elif "x" in letters:
        reader.exports[variable] = None
        reader.state.put(export_key(variable), True)
    if element and "r" in letters:  # it is readonly before anything is assigned
        _listed_from_here(reader, variable, "A" in letters)
    elif variable in arrays:
        if "A" in letters:
            _listed_from_here(reader, variable, True)
        reader.put(arrays[variable])
    elif found is not None:
        _, index, appends, text = found.groups()
        before = reader.scalar(variable) or () if appends else ()
        value = glued((*before, text, *word.parts[1:]))
        if index is not None or letters & set("aA"):
            _one_put(reader, variable, "A" in letters, index, value, told=not appends)
        else:
            reader.assign(variable, value)
    elif letters & set("aA"):
        _listed_from_here(reader, variable, "A" in letters)
    if builtin == "readonly" or "r" in letters:
        reader.state.put(odd_key(variable), READONLY)
    if variable in reader.temporary and (not local or found is None):  # bash may set the one outside as well
        reader.state.put(variable, (Hole("words", "it is set for one command", f"${variable}"),))


def _is_text(held: object) -> bool:
    return not isinstance(held, Array) and not (isinstance(held, tuple) and is_joined(held))


def _one_put(
    reader: Running, variable: str, keyed: bool, index: str | None, value: Parts, told: bool
) -> None:
    """`declare -a x=y`, `declare "x[1]=y"`: the one value of a list that is given."""
    _listed_from_here(reader, variable, keyed)
    held = reader.state.slots.get(variable)
    assert isinstance(held, Array)
    is_list = bool(value) and isinstance(value[0], str) and value[0][:1] == "("  # bash reads its words
    told = told and held.told and not (is_list or reader.state.slots.get(odd_key(variable)))
    told = told and (keyed or not held.keyed) and (index is None or (is_number(index) and not held.keyed))
    items = {**held.items, index or "0": value} if told else {}
    reader.state.put(variable, Array(items, held.keyed, told))


def _listed_from_here(reader: Running, variable: str, keyed: bool) -> None:
    """`declare -a` or `-A` of a variable, which keeps its value; a list stays one."""
    held = reader.state.slots.get(variable)
    if not isinstance(held, Array):
        items = {"0": held} if isinstance(held, tuple) else {}
        told = held is not None and not (isinstance(held, tuple) and is_joined(held))
        reader.state.put(variable, Array(items, keyed, told))
