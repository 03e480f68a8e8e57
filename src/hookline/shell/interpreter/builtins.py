"""The builtins that change what the rest of a line means: `cd`, `set`, `export`, `read`, `eval`, …"""

from __future__ import annotations

import re
from collections.abc import Callable

from hookline.shell.grammar.tree import Simple
from hookline.shell.interpreter.declaring import declare
from hookline.shell.interpreter.folders import cd, popd, pushd
from hookline.shell.interpreter.input import OF_READ, read_line
from hookline.shell.interpreter.of_itself import told
from hookline.shell.interpreter.options import line_of, named_option, options_of, set_option, set_options
from hookline.shell.interpreter.printing import printed
from hookline.shell.interpreter.variables import OF_MAPFILE, getopts, let, mapfile, printf, unset
from hookline.shell.reading import Argv, Code, Command, Hole, Script, Word, behind_nothing, glued
from hookline.shell.values.arrays import Arguments, Array, arguments, one_of, shifted
from hookline.shell.values.redirecting import file_name
from hookline.shell.values.running import Running
from hookline.shell.values.state import (
    POSITIONALS,
    alias_key,
    function_key,
    is_number,
)


def _set(reader: Running, command: Command, node: Simple) -> None:
    words = list(command.words[1:])
    while words:
        text = words[0].literal
        if text is None and words[0].prefix[:1] in ("-", "+"):
            _positionals(reader, words[1:], perhaps=True)
            return
        if text in ("--", "-"):
            if text == "--" or words[1:]:
                _positionals(reader, words[1:])
            return
        if text is None or text[:1] not in ("-", "+"):
            _positionals(reader, words, perhaps=text is None and _may_be_option(words[0]))
            return
        del words[0]
        if text[0] == "-" and "n" in text[1:]:
            reader.quits()  # nothing of what follows is run
        if not set_options(reader, text, words):
            return


def _shopt(reader: Running, command: Command, node: Simple) -> None:
    letters, _, names = options_of(command.words[1:]) or ({"s"}, {}, list(command.words[1:]))
    if letters & {"s", "u"}:
        for name in names:
            known = named_option(name.literal, "o" if "o" in letters else "O")
            set_option(reader, "-" if "s" in letters else "+", known)


def _positionals(reader: Running, words: list[Word], perhaps: bool = False) -> None:
    """`perhaps`: where an option before them is refused, they stay what they were."""
    known = arguments(words)
    if perhaps and isinstance(known, tuple | Array):
        known = one_of([reader.state.slots.get(POSITIONALS), known])
    reader.state.put(POSITIONALS, known)


def _may_be_option(word: Word) -> bool:
    """Whether a word that is not told may begin with a sign: no pattern does, nor a count or a home folder."""
    text = word.holes[0].text
    return word.prefix == "" and re.match(r"`|\$(?![#?$!0]|\{#)", text) is not None


def _shift(reader: Running, command: Command, node: Simple) -> None:
    known: Arguments = reader.state.slots.get(POSITIONALS)  # type: ignore[assignment]
    text = command.words[1].literal if len(command.words) == 2 else "1" if len(command.words) == 1 else None
    count = int(text) if text is not None and is_number(text) else None
    reader.state.put(POSITIONALS, shifted(known, count))


def _alias(reader: Running, command: Command, node: Simple) -> None:
    """What it stood for before it may still be meant, where bash has read that already: in a function, behind `;`."""
    for word in command.words[1:]:
        name, equals, _ = word.prefix.partition("=")
        if equals:
            text = word.literal
            if text is None:
                reader.unknown(f"the alias `{name}` is not told by the line", line_of(word))
            held = reader.state.slots.get(alias_key(name))
            kept = [each for each in held if each is not None] if isinstance(held, tuple) else []
            if len(kept) > MOST_ALIASES:
                reader.unknown(f"`{name}` stands for too much")
            elif text is not None:
                reader.state.put(alias_key(name), tuple(dict.fromkeys((text[len(name) + 1 :], *kept))))


MOST_ALIASES = 8  # that one name stood for


def _leave(reader: Running, command: Command, node: Simple) -> None:
    reader.quits(command)


def _operands(reader: Running, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Without the `--` that may stand first; that nobody can say whether it is one is not known."""
    if words[:1] and words[0].literal is None and words[0].prefix in ("-", "--"):
        reader.unknown("a variable may make the first word `--`", line_of(words[0]))
    return words[1:] if words[:1] and words[0].literal == "--" else words


def _eval(reader: Running, command: Command, node: Simple) -> None:
    parts: list[str | Hole] = []
    words = command.words[1:]
    if words[:1] and words[0].literal == "--":
        reader.differs("dash", "`eval` takes `--` for a command in dash")
        words = words[1:]
    for place, word in enumerate(words):
        parts += [" "] * bool(place) + list(word.parts)
    if words:
        text = Word(glued(parts), words[0].start, words[-1].end)
        reader.follow(Code(text, "eval", language="bash", same_shell=True), command)


def _source(reader: Running, command: Command, node: Simple) -> None:
    words = _operands(reader, command.words[1:])
    if words[1:]:
        reader.differs("dash", "`.` gives no words to a file in dash")
    if words:
        name = command.words[0].literal or "source"
        reader.follow(Script(words[0], name, words[1:], "bash", same_shell=True), command)


def _wait(reader: Running, command: Command, node: Simple) -> None:
    """Behind it nothing runs in the background any more, where it surely waits for all of that."""
    if not (command.words[1:] or reader.state.journals or reader.doubt):
        reader.racing &= reader.astray
        reader.run_beside.clear()


def _make_pipe(reader: Running, command: Command, node: Simple) -> None:
    """What is sent through a named pipe is not known where it is read."""
    for word in command.words[1:]:
        if not word.prefix.startswith("-"):
            reader.write(file_name(reader, word), (Hole("words", "what goes through a named pipe"),), False)


def _trap(reader: Running, command: Command, node: Simple) -> None:
    words = _operands(reader, command.words[1:])
    if len(words) > 1 and words[0].literal not in ("", "-", "-l", "-p"):
        code = Code(words[0], "trap", language="bash", same_shell=True)
        reader.trapped(code, command, tuple(word.literal for word in words[1:]))


def _command(reader: Running, command: Command, node: Simple) -> None:
    words = command.words[1:]
    if (words[:1] and (words[0].literal or "") in ("-v", "-V", "-pv", "-pV", "-vp")) or not words:
        reader.prints(printed(reader, command))
        return
    while words and words[0].literal == "-p":
        words = words[1:]
    words = _operands(reader, words)
    if words:
        reader.run_words(words, "command", command, node)


def _builtin(reader: Running, command: Command, node: Simple) -> None:
    words = _operands(reader, command.words[1:])
    if words:
        reader.run_words(words, "builtin", command, node)


def _exec(reader: Running, command: Command, node: Simple) -> None:
    words = list(command.words[1:])
    while words and re.match(r"-.", words[0].prefix):
        option = words.pop(0)
        if option.literal == "--":
            break
        named = words[:1] if re.fullmatch("-[^a]*a", option.literal or "") else [option]
        if option.literal is None or not all(word.single for word in named):
            reader.unknown("`exec -a` may be given several names, or none", "".join(map(line_of, named)))
        del words[: named[:1] != [option]]
    if words:
        reader.follow(Argv(tuple(words), "exec"), command)
        reader.left = reader.ended = True
    elif node.redirects:
        reader.redirected = True
        reader.keeps = True


def _enable(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:], "f")
    if found is None or found[0] & set("fd") or any(word.literal is None for word in found[2]):
        reader.unknown("`enable` makes a builtin of something else, or the other way round")
    elif "n" in found[0]:
        for word in found[2]:  # a program of that name, if there is one, which works in another way
            reader.state.put(function_key(word.prefix), ("a program",))


def _hash(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:], "p")
    if found is not None and "p" in found[1]:
        for word in found[2]:
            target = found[1]["p"].literal
            if word.literal is not None and target is not None:
                reader.state.put(alias_key(word.literal), (target,))
            else:
                reader.unknown("`hash -p` names a program that the line does not tell")


def _compgen(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:], "oAGWFCXPS")
    for letter, word in (found[1] if found is not None else {}).items():
        if letter in "CW":
            reader.follow(Code(word, "compgen", language="bash"), command)
        elif letter == "F" and found is not None:
            reader.run_words((word, *found[2]), "compgen -F", command, node)


def _from_history(reader: Running, command: Command, node: Simple) -> None:
    """`fc -s`, `fc -e -`: an earlier command, or one that `history -s` put there, runs again."""
    found = options_of(command.words[1:], "e")
    if found is None or "l" not in found[0]:
        reader.unknown("`fc` runs a command of the history again")


def _test(reader: Running, command: Command, node: Simple) -> None:
    for before, word in zip(command.words, command.words[1:], strict=False):
        if before.literal in ("-v", "-R") and word.literal and ("$(" in word.literal or "`" in word.literal):
            reader.unknown("the test looks at a variable whose index holds commands", word.literal)


Builtin = Callable[[Running, Command, Simple], None]
_OF_DECLARE = "aAcfFgiIlnprtux"
# The options that bash knows, and which of them take a value.
_LETTERS = {
    "cd": ("LPe@", ""), "set": ("abefhkmnoptuvxBCEHPT", "o"), "shopt": ("psuqo", ""), "alias": ("p", ""),
    "export": ("aAfnp", ""), "readonly": ("aAfp", ""), "declare": (_OF_DECLARE, ""),
    "typeset": (_OF_DECLARE, ""), "local": (_OF_DECLARE, ""), "unset": ("fnv", ""), "read": ("adeEinNprstu", OF_READ),
    "mapfile": ("dnOstuCc", OF_MAPFILE), "readarray": ("dnOstuCc", OF_MAPFILE), "printf": ("v", "v"), "eval": ("", ""),
    "source": ("", ""), ".": ("", ""), "trap": ("lpP", ""), "command": ("pvV", ""), "builtin": ("", ""),
    "exec": ("cla", "a"), "hash": ("dlprt", "p"), "enable": ("adnpsf", "f"), "getopts": ("", ""),
}  # fmt: skip


def is_refused(name: str, words: tuple[Word, ...]) -> bool:
    """Whether an option stands in front that bash does not have: then it does nothing at all."""
    known, values = _LETTERS.get(name, (None, ""))
    if known is None or not words or words[0].prefix[:1] not in ("-", "+"):
        return False
    signs = ("-", "+") if name in ("set", "declare", "typeset", "local") else ("-",)
    at = 0
    while at < len(words):
        text = words[at].literal or ""
        if len(text) < 2 or text[0] not in signs or text == "--":
            return False
        letters = re.match(f"[^{values}]*[{values}]?" if values and name != "set" else "(?s).*", text[1:])
        assert letters is not None
        if not set(letters[0]) <= set(known):
            return True
        at += 1 + (values != "" and letters[0][-1:] in tuple(values) and letters.end() == len(text) - 1)
    return False


def carry_out(reader: Running, name: str, command: Command, node: Simple) -> bool:
    """Runs a builtin; false where bash refuses it, which another shell, or another version, may not."""
    if name in ("exec", "command", "builtin") and command.words[1:] and command.words[1].literal is None:
        rest = behind_nothing(command.words[1:])
        if rest and rest[0].prefix[:1] == "-":  # `exec $x -- git push`
            _perhaps(reader, lambda: reader.run_words((command.words[0], *rest), name, command, node))
    if not is_refused(name, command.words[1:]):
        BUILTINS[name](reader, command, node)
        if reader.out is not None and (printed_of_itself := told(reader, name, command)):
            reader.prints(printed_of_itself)
        return True
    _perhaps(reader, lambda: BUILTINS[name](reader, command, node))
    return False


def _perhaps(reader: Running, act: Callable[[], None]) -> None:
    reader.state.branch()
    reader.doubt += 1
    act()
    reader.doubt -= 1
    reader.state.adopt([reader.state.rewind(), {}])


BUILTINS: dict[str, Builtin] = {
    "cd": cd, "chdir": cd, "pushd": pushd, "popd": popd, "set": _set, "shopt": _shopt, "shift": _shift,
    "alias": _alias, "export": declare, "declare": declare, "typeset": declare,
    "local": declare, "readonly": declare, "unset": unset, "read": read_line, "mapfile": mapfile, "readarray": mapfile,
    "printf": printf, "getopts": getopts, "let": let, "break": _leave, "continue": _leave, "return": _leave,
    "exit": _leave, "logout": _leave, "eval": _eval, "source": _source, ".": _source, "trap": _trap,
    "command": _command, "builtin": _builtin, "exec": _exec, "hash": _hash, "enable": _enable, "compgen": _compgen,
    "test": _test, "[": _test, "fc": _from_history, "wait": _wait, "mkfifo": _make_pipe, "mknod": _make_pipe,
}  # fmt: skip
