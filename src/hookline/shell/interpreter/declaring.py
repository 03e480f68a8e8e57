"""The builtins that say what a variable is: `declare`, `typeset`, `local`, `export`, `readonly`."""

from __future__ import annotations

import re

from hookline.shell.grammar.syntax import Assignment, Simple
from hookline.shell.interpreter.variables import is_name, line_of
from hookline.shell.programs.one_word import is_variables
from hookline.shell.reading import Code, Command, Hole, Word
from hookline.shell.values.running import Running
from hookline.shell.values.state import READONLY, UNSET, Array, export_key, function_key, odd_key

_LETTERS = {"export": "fnp", "readonly": "aAfp"}
_ASSIGNED = r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?(\+?)=(.*)"


def declare(reader: Running, command: Command, node: Simple) -> None:
    name = command.words[0].literal
    if name == "local" and not reader.locals and reader.shell != "zsh":
        return  # refused outside of a function; zsh alone takes it for `typeset`
    if _is_odd(name or "", command.words[1:]):  # bash refuses all of it, another shell may not
        reader.state.branch()
        reader.doubt += 1
        _declare_all(reader, command, node, name or "")
        reader.doubt -= 1
        reader.state.adopt([reader.state.rewind(), {}])
    else:
        _declare_all(reader, command, node, name or "")


def _is_odd(name: str, words: tuple[Word, ...]) -> bool:
    """Whether an option stands in front that bash does not have."""
    known = _LETTERS.get(name, "aAcfFgiIlnprtux")
    for word in words:
        text = word.literal
        if text is None or len(text) < 2 or text[0] not in "-+" or text == "--":
            return False
        if not set(text[1:]) <= set(known):
            return True
    return False


def _declare_all(reader: Running, command: Command, node: Simple, name: str) -> None:
    letters: set[str] = {"x"} if name == "export" else set()
    arrays = {
        raw.name: raw for raw in node.words if isinstance(raw, Assignment)
        and (raw.elements is not None or raw.index is not None)
    }  # fmt: skip
    for word in command.words[1:]:
        text = word.prefix
        if text[:1] in ("-", "+") and word.literal is not None:
            letters |= set(text[1:]) if text[0] == "-" else {"+"}
            if name != "export" and "x" in text[1:] and text[0] == "+":
                letters.discard("x")
                letters.add("+x")
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
        reader.exports[key] = None
        reader.state.put(export_key(key), ("x" in letters and "n" not in letters) or None)


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
        if odd and not is_variables(word):
            reader.unknown(f"`{builtin}` declares something that the line does not tell", line_of(word))
        return
    local = reader.locals and (builtin in ("local", "declare", "typeset")) and "g" not in letters
    if local and variable not in reader.locals[-1]:
        for key in (variable, export_key(variable)):
            reader.locals[-1][key] = reader.state.slots.get(key)
        reader.state.put(variable, _local_value(reader, variable))
    if "i" in letters:
        reader.evaluated((*((found[3],) if found else ()), *word.parts[1:]))
    if "n" in letters and builtin != "export":
        reader.unknown(f"`{variable}` stands for another variable")
    unexports = "+x" in letters or (builtin == "export" and "n" in letters)
    if letters & set("iulc" if unexports else "inulc"):
        reader.state.put(odd_key(variable), True)
        reader.assign(variable, ())
    if unexports:
        reader.state.put(export_key(variable), None)
    elif "x" in letters:
        reader.exports[variable] = None
        reader.state.put(export_key(variable), True)
    if variable in arrays:
        if "A" in letters:
            _key(reader, variable)
        reader.put(arrays[variable])
    elif found is not None:
        value = (*((found[3],) if found[3] else ()), *word.parts[1:])
        before = reader.scalar(variable) or () if found[2] else ()
        joined = Word(before).literal
        if found[2] and joined is not None and found[3]:
            value = (joined + found[3], *word.parts[1:])
        elif found[2]:
            value = (*before, *value)
        if letters & set("aA"):
            told = not isinstance(value[0], str) or value[0][:1] != "(" if value else True
            told = told and not reader.state.slots.get(odd_key(variable))
            items = {"0": value} if told else {}  # bash reads `(…)` in the value as a list's words
            reader.state.put(variable, Array(items, "A" in letters, told))
        else:
            reader.assign(variable, value)
    elif "A" in letters:
        _key(reader, variable)
    if builtin == "readonly" or "r" in letters:
        reader.state.put(odd_key(variable), READONLY)


def _local_value(reader: Running, variable: str) -> object:
    """What a local variable has before anything is assigned to it."""
    if not reader.option("L") and reader.shell not in ("sh", "dash"):
        return UNSET
    return (Hole("words", "it may have the value of one outside of the function", f"${variable}"),)


def _key(reader: Running, variable: str) -> None:
    """`declare -A` of a variable, which keeps its value; a list stays one."""
    held = reader.state.slots.get(variable)
    if not isinstance(held, Array):
        items = {"0": held} if isinstance(held, tuple) else {}
        reader.state.put(variable, Array(items, keyed=True))
