"""Code that a command runs: by a shell of its own, or by the one that is there."""

from __future__ import annotations

from hookline.model.record import replace
from hookline.model.typing import TYPE_CHECKING
from hookline.shell.reading import Code, Command, Hole, Script, Word
from hookline.shell.values.state import (
    FOLDER,
    FORMER_FOLDER,
    PERHAPS,
    POSITIONALS,
    ZERO,
    State,
    export_key,
    is_list,
)
from hookline.shell.values.state import joined as either

if TYPE_CHECKING:
    from hookline.shell.values.running import Running

SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "busybox sh"})


def _parameters(arguments: tuple[Word, ...], zero: bool) -> object:
    if not arguments:
        return ()
    from hookline.shell.values.arrays import arguments as known_of
    from hookline.shell.values.arrays import shifted

    known = known_of(arguments)
    return shifted(known, 1) if zero else known


def run_code(reader: Running, inner: Code, command: Command) -> None:
    if inner.language not in SHELLS:
        why = f"`{inner.how}` runs code that is not a shell's"
        reader.opaque[Hole("words", why, inner.language)] = None
        return
    text = reader.with_stand_ins(inner.text.parts, inner.how, command)
    if text is None:
        unseen(reader, inner)
        return
    word = inner.text if inner.text.end else Word((), command.start, command.end)
    if inner.assignments:
        command = replace(command, assignments=command.assignments + inner.assignments)
    if inner.same_shell:
        reader.code(text, word)
        return
    run_apart(reader, inner.language, inner.arguments, command, text, word, zero=True)


def run_apart(
    reader: Running,
    language: str,
    arguments: tuple[Word, ...],
    command: Command,
    text: str,
    word: Word,
    zero: bool,
) -> None:
    """Runs in a shell that knows only what is exported to it, and what is set for the command alone."""
    state, shell, held = reader.state, reader.shell, reader.locals
    reader.state = _child(reader, arguments, zero)
    slots = state.slots
    for name, value in command.assignments:
        perhaps = slots.get(export_key(name)) == PERHAPS and slots.get(name) == value.parts
        if name != "IFS" and not perhaps:  # a shell sets its own
            reader.state.slots[name] = value.parts
            reader.exported(name)
    reader.shell = "bash" if language == "bash" else "zsh" if language == "zsh" else "sh"
    reader.locals = []
    for key in reader.state.slots if reader.shell == "sh" else ():
        if key.endswith("()"):  # which dash does not know
            reader.state.slots[key] = either(key, [reader.state.slots[key], None])
    reader.own_shell(lambda: _started(reader, command, text, word), by_lines="\n" in text.strip())
    reader.state, reader.shell, reader.locals = state, shell, held


def _started(reader: Running, command: Command, text: str, word: Word) -> None:
    """Runs the code of a shell, with what its own options set: `bash -O nullglob -c …`."""
    texts = [each.literal or "" for each in command.words]
    shell = bool(texts) and texts.pop(0).rpartition("/")[2] in SHELLS
    while shell and texts and texts[0][:1] in ("-", "+") and texts[0] not in ("--", "-c"):
        from hookline.shell.interpreter.options import named_option, set_option

        given = texts.pop(0)
        for letter in given[1:] if given[1:2] != "-" else "":
            name = texts.pop(0) if letter in "oO" and texts else None
            known = named_option(name, letter) if name is not None else letter if letter in "BCefku" else ""
            set_option(reader, given[0], known)
    _begun(reader, command)
    reader.code(text, word)


def _begun(reader: Running, command: Command) -> None:
    """Reads what the line itself wrote to the file that bash runs before all else."""
    begins = reader.state.slots.get("BASH_ENV") if reader.files and reader.shell == "bash" else None
    if isinstance(begins, tuple) and begins:
        from hookline.shell.values.redirecting import file_name

        if file_name(reader, Word(begins)) in reader.files:
            reader.follow(Script(Word(begins), "BASH_ENV", (), "bash", same_shell=True), command)


def _child(reader: Running, arguments: tuple[Word, ...], zero: bool) -> State:
    child = State()
    slots = reader.state.slots
    for name in reader.exports:
        if slots.get(export_key(name)) and name in slots and not is_list(slots[name]):
            sure = slots[export_key(name)] != PERHAPS
            child.slots[name] = slots[name] if sure else either(name, [slots[name], None])
            child.slots[export_key(name)] = True
    for key in (FOLDER, FORMER_FOLDER, *reader.inherited):
        if key in slots:
            child.slots[key] = slots[key]
    if zero and arguments and arguments[0].single:
        child.slots[ZERO] = arguments[0].parts
    known = _parameters(arguments, zero)
    if known is not None:
        child.slots[POSITIONALS] = known
    return child


def unseen(reader: Running, inner: Code | Script) -> None:
    """Who runs code in this shell that nobody has seen may have set all that is set."""
    if inner.same_shell:
        reader.state.set_outside(reader.inherited)
