"""The builtins that change what the rest of a line means: `cd`, `set`, `export`, `read`, `eval`, …"""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.outputs import formatted, printed
from hookline.shell.reading import NOWHERE, Argv, Code, Hole, Script, Word
from hookline.shell.redirecting import file_name, resolved
from hookline.shell.state import (
    FORMER_FOLDER,
    OPTIONS,
    POSITIONALS,
    STACK,
    UNSET,
    Array,
    alias_key,
    descriptor_key,
    export_key,
    function_key,
    is_number,
    lost_list,
    odd_key,
)
from hookline.shell.streams import Stream
from hookline.shell.syntax import Assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.shell.reading import Command
    from hookline.shell.running import Running
    from hookline.shell.state import Parts
    from hookline.shell.syntax import Simple

_ASSIGNED = r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?(\+?)=(.*)"


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def _options(
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


def _cd(reader: Running, command: Command, node: Simple) -> None:
    found = _options(command.words[1:])
    names = found[2] if found is not None else list(command.words[1:])
    text = names[0].literal if len(names) == 1 else None
    if not names:
        home = reader.scalar("HOME") or ()
        target = Word(
            home
            if home and all(isinstance(p, str) for p in home)
            else (Hole("word", "the home folder", "~"),)
        )
    elif text == "-":
        former = reader.state.slots.get(FORMER_FOLDER)
        target = former if isinstance(former, Word) else Word((Hole("word", "the folder before", "$OLDPWD"),))
    elif len(names) > 1 or not names[0].single:
        target = Word(
            (Hole("word", "the folder is not told by the line", "".join(_shown(each) for each in names)),)
        )
    elif text == "":
        return
    else:
        target = resolved(reader.folder(), names[0])
    reader.enter(target)


def _shown(word: Word) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in word.parts)


def _pushd(reader: Running, command: Command, node: Simple) -> None:
    stack = reader.state.slots.get(STACK)
    held = stack if isinstance(stack, tuple) else ()
    names = [word for word in command.words[1:] if word.literal != "-n"]
    odd = len(names) != 1 or not names[0].single or (names[0].literal or "x")[0] in "+-" or stack is UNSET
    reader.state.put(STACK, UNSET if odd else (*held, reader.folder()))
    if odd:
        reader.enter(Word((Hole("word", "`pushd` goes somewhere", "$PWD"),)))
    else:
        reader.enter(resolved(reader.folder(), names[0]))


def _popd(reader: Running, command: Command, node: Simple) -> None:
    stack = reader.state.slots.get(STACK)
    if isinstance(stack, tuple) and stack and len(command.words) == 1:
        reader.state.put(STACK, stack[:-1])
        reader.enter(stack[-1])
    else:
        reader.enter(Word((Hole("word", "`popd` goes somewhere", "$PWD"),)))


def _set(reader: Running, command: Command, node: Simple) -> None:
    words = list(command.words[1:])
    while words:
        text = words[0].literal
        if text is None and not words[0].single:
            reader.state.put(POSITIONALS, lost_list(words))
            return
        if text in ("--", "-"):
            _positionals(reader, words[1:])
            return
        if text is None or text[:1] not in ("-", "+") or len(text) < 2:
            _positionals(reader, words)
            return
        del words[0]
        if text[1:] == "o" and words:
            _option(reader, text[0], {"noglob": "f", "errexit": "e"}.get(words.pop(0).literal or "", ""))
        for letter in text[1:].replace("n", ""):
            _option(reader, text[0], letter)


def _option(reader: Running, sign: str, letter: str) -> None:
    held = reader.state.slots.get(OPTIONS)
    text = held if isinstance(held, str) else ""
    if letter in ("f", "n"):
        reader.state.put(OPTIONS, (text + letter if sign == "-" else text.replace(letter, "")) or None)
    elif letter == "e" and sign == "-":
        reader.redirected = True  # from here on a failure may end what would have been printed


def _shopt(reader: Running, command: Command, node: Simple) -> None:
    texts = [word.literal for word in command.words[1:]]
    if texts[:1] in (["-s"], ["-u"]) and {"nullglob", "failglob", None} & set(texts[1:]):
        _option(reader, "-" if texts[0] == "-s" else "+", "n")


def _positionals(reader: Running, words: list[Word]) -> None:
    single = all(word.single for word in words)
    reader.state.put(POSITIONALS, tuple(word.parts for word in words) if single else lost_list(words))


def _shift(reader: Running, command: Command, node: Simple) -> None:
    known = reader.positionals()
    text = command.words[1].literal if len(command.words) == 2 else "1" if len(command.words) == 1 else None
    if known is None or text is None or not is_number(text):
        reader.state.put(POSITIONALS, reader.state.slots.get(POSITIONALS) and UNSET)
    elif int(text) <= len(known):
        reader.state.put(POSITIONALS, tuple(known[int(text) :]))


def _alias(reader: Running, command: Command, node: Simple) -> None:
    for word in command.words[1:]:
        name, equals, _ = word.prefix.partition("=")
        if equals:
            text = word.literal
            if text is None:
                reader.unknown(f"the alias `{name}` is not told by the line", _shown(word))
            reader.state.put(alias_key(name), (text[len(name) + 1 :],) if text is not None else None)


def _unalias(reader: Running, command: Command, node: Simple) -> None:
    for word in command.words[1:]:
        if word.literal == "-a":
            for key in [key for key in reader.state.slots if key.startswith("alias ")]:
                reader.state.put(key, None)
        elif word.literal is not None:
            reader.state.put(alias_key(word.literal), None)


def _declare(reader: Running, command: Command, node: Simple) -> None:
    name = command.words[0].literal
    if name == "local" and not reader.locals and reader.shell != "zsh":
        return  # refused outside of a function; zsh alone takes it for `typeset`
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
        elif "f" not in letters or name == "export":
            _declared(reader, name or "", letters, word, arrays)


def _declared(
    reader: Running, builtin: str, letters: set[str], word: Word, arrays: dict[str, Assignment]
) -> None:
    found = re.fullmatch(_ASSIGNED, word.prefix, re.DOTALL) if "=" in word.prefix else None
    variable = found[1] if found else word.literal
    if variable is None or not _is_name(variable):
        if word.literal is None or "$(" in word.literal or "`" in word.literal:
            reader.unknown(f"`{builtin}` declares something that the line does not tell", _shown(word))
        return
    local = reader.locals and (builtin in ("local", "declare", "typeset")) and "g" not in letters
    if local:
        reader.locals[-1].setdefault(variable, reader.state.slots.get(variable))
        if found is None:
            reader.state.put(variable, UNSET)
    if "i" in letters:
        reader.evaluated((*((found[3],) if found else ()), *word.parts[1:]))
    if letters & set("inulc"):
        reader.state.put(odd_key(variable), True)
        reader.assign(variable, ())
    if "x" in letters:
        reader.exports[variable] = None
        reader.state.put(export_key(variable), None if builtin == "export" and "n" in letters else True)
    if variable in arrays:
        if "A" in letters:
            reader.state.put(variable, Array({}, keyed=True))
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
            reader.state.put(variable, Array({"0": value}, "A" in letters))
        else:
            reader.assign(variable, value)
    elif "A" in letters:
        reader.state.put(variable, Array({}, keyed=True))
    if builtin == "readonly" or "r" in letters:
        reader.state.put(odd_key(variable), True)  # it takes no other value from now on


def _unset(reader: Running, command: Command, node: Simple) -> None:
    found = _options(command.words[1:])
    if found is None:
        return
    for word in found[2]:
        text = word.literal
        if text is None or not _is_name(text):
            name = (word.prefix.partition("[")[0]) or None
            if text is None or "$(" in text or "`" in text or name is None:
                reader.unknown("`unset` names something that the line does not tell", _shown(word))
            elif _is_name(name):
                reader.assign(name, (Hole("words", "an array that lost an element", f"${name}"),))
            continue
        if "f" not in found[0]:
            if (
                reader.state.slots.get(text) is None
                and reader.state.slots.get(function_key(text)) is not None
            ):
                reader.state.put(function_key(text), None)
            reader.state.put(text, UNSET)
            reader.state.put(odd_key(text), None)
        else:
            reader.state.put(function_key(text), None)


def _read(reader: Running, command: Command, node: Simple) -> None:
    found = _options(command.words[1:], "adinNptu")
    stream = _input_of(reader, found[1].get("u") if found is not None else None)
    names = [word.literal or "" for word in found[2]] if found is not None else []
    hole = Hole("words", "input that is not told by the line", outside=stream is None)
    strange = (
        found is None or bool(found[0] - {"r", "s", "p", "e", "t", "u", "a"}) or not all(map(_is_name, names))
    )
    line = stream.line(reader.doubt) if stream is not None else hole
    text = "" if line is None else line
    if strange or isinstance(text, Hole) or (found is not None and "r" not in found[0] and "\\" in text):
        if stream is not None:
            stream.lose()
        array = found[1].get("a") if found is not None else None
        for name in [*names, *([array.literal or ""] if array else []), "REPLY"]:
            if _is_name(name):
                far = stream is not None and len(names) == 1 and stream.begins.startswith(("/", "~", ".."))
                starts = (stream.begins,) if stream is not None and far else ()
                reader.state.put(name, (*starts, replace(hole, text=f"${name}")))
        if strange and not all(map(_is_name, names)):
            reader.unknown("`read` names something that the line does not tell")
        return
    if found is not None and "a" in found[1]:
        _read_array(reader, found[1]["a"], text, found[0])
        return
    if not names:
        reader.assign("REPLY", (text,) if text else ())
        return
    for name, value in zip(names, _shared(text, len(names), reader.separators()), strict=True):
        parts = (hole,) if value is None else (value,) if value else ()
        reader.assign(name, parts)


def _read_array(reader: Running, word: Word, text: str, letters: set[str]) -> None:
    name = word.literal or ""
    if not _is_name(name):
        reader.unknown("`read -a` names something that the line does not tell", _shown(word))
        return
    from hookline.shell.fields import Fields

    fields = Fields(reader.separators())
    fields.value((text,), False)
    items = {str(place): each.parts for place, each in enumerate(fields.words(0, 0, False))}
    reader.state.put(name, Array(items))


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
    blanks = "".join(letter for letter in separators if letter in " \t\n")
    hard = "".join(letter for letter in separators if letter not in " \t\n")
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


def _mapfile(reader: Running, command: Command, node: Simple) -> None:
    found = _options(command.words[1:], "dnOsuCc")
    names = [word.literal or "" for word in found[2]] if found is not None else []
    if found is None or "C" in found[1]:
        reader.follow(
            Code(found[1]["C"] if found else NOWHERE, "mapfile -C", language="bash", same_shell=True), command
        )
    stream = _input_of(reader, found[1].get("u") if found is not None else None)
    lines = stream.lines() if stream is not None else None
    name = names[0] if names and _is_name(names[0]) else "MAPFILE"
    if lines is not None and found is not None and found[0] <= {"t", "u"} and "t" in found[0]:
        items: dict[str, Parts] = {str(place): (line,) if line else () for place, line in enumerate(lines)}
        reader.state.put(name, Array(items))
    else:
        hole = Hole("words", "lines of input", f"${name}", outside=stream is None)
        reader.state.put(name, (hole,))
    if stream is not None:
        stream.parts = ()


def _printf(reader: Running, command: Command, node: Simple) -> None:
    words = command.words
    if len(words) < 4 or words[1].literal != "-v":
        if len(words) > 1 and (words[1].literal is None or words[1].literal.startswith("-v")):
            reader.unknown("`printf` may set a variable that the line does not tell", _shown(words[1]))
        reader.printing(command)
        return
    name = words[2].literal
    if name is None or not _is_name(name):
        if name is None or "$" in name or "`" in name:
            reader.unknown("`printf -v` sets a variable that the line does not tell", _shown(words[2]))
        elif _is_name(name.partition("[")[0]):
            reader.assign(name.partition("[")[0], (Hole("words", "an array", f"${name}"),))
        return
    text = formatted(words[3:])
    reader.assign(name, text if text is not None else (Hole("words", "what `printf` makes", f"${name}"),))


def _getopts(reader: Running, command: Command, node: Simple) -> None:
    for word in command.words[2:3]:
        if word.literal is not None and _is_name(word.literal):
            reader.assign(word.literal, (Hole("words", "an option of the parameters", f"${word.literal}"),))


def _let(reader: Running, command: Command, node: Simple) -> None:
    from hookline.shell.syntax import Text

    for word in command.words[1:]:
        if word.literal is None:
            reader.unknown("`let` calculates what the line does not tell", _shown(word))
        else:
            if "$(" in word.literal or "`" in word.literal:
                reader.unknown("`let` calculates with commands", word.literal)
            reader.calculated((Text(word.literal, True),), word.literal)


def _leave(reader: Running, command: Command, node: Simple) -> None:
    reader.left = True


def _eval(reader: Running, command: Command, node: Simple) -> None:
    parts: list[str | Hole] = []
    words = command.words[1:]
    if words[:1] and words[0].literal == "--":
        words = words[1:]
    for place, word in enumerate(words):
        parts += [" "] * bool(place) + list(word.parts)
    if words:
        from hookline.shell.fields import glued

        text = Word(glued(parts), words[0].start, words[-1].end)
        reader.follow(Code(text, "eval", language="bash", same_shell=True), command)


def _source(reader: Running, command: Command, node: Simple) -> None:
    words = command.words[1:]
    if words[:1] and words[0].literal == "--":
        words = words[1:]
    if words:
        name = command.words[0].literal or "source"
        reader.follow(Script(words[0], name, words[1:], "bash", same_shell=True), command)


def _make_pipe(reader: Running, command: Command, node: Simple) -> None:
    """What is sent through a named pipe is not known where it is read."""
    for word in command.words[1:]:
        if not word.prefix.startswith("-"):
            reader.write(file_name(reader, word), (Hole("words", "what goes through a named pipe"),), False)


def _trap(reader: Running, command: Command, node: Simple) -> None:
    words = command.words[1:]
    if words[:1] and words[0].literal == "--":
        words = words[1:]
    if len(words) > 1 and words[0].literal not in ("", "-", "-l", "-p"):
        reader.doubt += 1
        reader.state.branch()
        reader.follow(Code(words[0], "trap", language="bash", same_shell=True), command)
        reader.state.adopt([reader.state.rewind(), {}])
        reader.doubt -= 1


def _command(reader: Running, command: Command, node: Simple) -> None:
    words = command.words[1:]
    if (words[:1] and (words[0].literal or "") in ("-v", "-V", "-pv", "-pV", "-vp")) or not words:
        reader.prints(printed(reader, command))
        return
    while words and words[0].literal in ("-p", "--"):
        words = words[1:]
    if words:
        reader.run_words(words, "command", command, node)


def _builtin(reader: Running, command: Command, node: Simple) -> None:
    words = command.words[1:]
    if words[:1] and words[0].literal == "--":
        words = words[1:]
    if words:
        reader.run_words(words, "builtin", command, node)


def _exec(reader: Running, command: Command, node: Simple) -> None:
    found = _options(command.words[1:], "a")
    words = tuple(found[2]) if found is not None else command.words[1:]
    if words:
        reader.follow(Argv(words, "exec"), command)
        reader.left = True
    elif node.redirects:
        reader.redirected = True
        reader.keeps = True


def _hash(reader: Running, command: Command, node: Simple) -> None:
    found = _options(command.words[1:], "p")
    if found is not None and "p" in found[1]:
        for word in found[2]:
            target = found[1]["p"].literal
            if word.literal is not None and target is not None:
                reader.state.put(alias_key(word.literal), (target,))
            else:
                reader.unknown("`hash -p` names a program that the line does not tell")


def _compgen(reader: Running, command: Command, node: Simple) -> None:
    found = _options(command.words[1:], "oAGWFCXPS")
    for letter, word in (found[1] if found is not None else {}).items():
        if letter in "CW":
            reader.follow(Code(word, "compgen", language="bash"), command)
        elif letter == "F" and found is not None:
            reader.run_words((word, *found[2]), "compgen -F", command, node)


def _test(reader: Running, command: Command, node: Simple) -> None:
    for before, word in zip(command.words, command.words[1:], strict=False):
        if before.literal in ("-v", "-R") and word.literal and ("$(" in word.literal or "`" in word.literal):
            reader.unknown("the test looks at a variable whose index holds commands", word.literal)


if TYPE_CHECKING:
    Builtin = Callable[[Running, Command, Simple], None]
BUILTINS: dict[str, Builtin] = {
    "cd": _cd, "chdir": _cd, "pushd": _pushd, "popd": _popd, "set": _set, "shopt": _shopt, "shift": _shift,
    "alias": _alias, "unalias": _unalias, "export": _declare, "declare": _declare, "typeset": _declare,
    "local": _declare, "readonly": _declare, "unset": _unset, "read": _read, "mapfile": _mapfile, "readarray": _mapfile,
    "printf": _printf, "getopts": _getopts, "let": _let, "break": _leave, "continue": _leave, "return": _leave,
    "exit": _leave, "logout": _leave, "eval": _eval, "source": _source, ".": _source, "trap": _trap,
    "command": _command, "builtin": _builtin, "exec": _exec, "hash": _hash, "compgen": _compgen, "test": _test,
    "[": _test, "mkfifo": _make_pipe, "mknod": _make_pipe,
}  # fmt: skip
