"""Files that a program writes, so that the line no longer tells what they hold: `sed -i`, `dd of=x`, `ln -sf a x`."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.programs.arguments import Arguments, arguments_of
from hookline.shell.programs.conditions import NO, YES, holds, targets
from hookline.shell.programs.table import programs
from hookline.shell.reading import Command, Hole, Parts, Script, Word, below, shown
from hookline.shell.values.redirecting import content_of, file_name
from hookline.shell.values.state import shut_key

if TYPE_CHECKING:
    from hookline.shell.values.running import Running

_KEEP = frozenset(
    ("tee", "chmod", "chown", "chgrp", "touch", "setfacl", "mkdir", "chattr")
)  # or are followed elsewhere
_SHUT = frozenset((name,) for name in ("chmod", "chown", "chgrp", "setfacl", "chattr"))
_WRITABLE = r"[ugoa]*\+[rwxXst]+|0*[2367][0-7]{2}"  # a mode with which the owner may write
_COPY = frozenset(("cp", "mv", "install"))
_SPARE = frozenset(("-n", "-u", "-i", "--exchange", "-C", "-d"))  # with which what is there may stay


def rewritten(reader: Running, command: Command) -> None:
    """Notes what a program may have written to: files that the line wrote, or one that gets what the line tells."""
    given = arguments_of(command.words, programs())
    if given.row is None or not given.path or given.path[0] in _KEEP:
        if given.path[:1] in _SHUT and not (
            given.operands and re.fullmatch(_WRITABLE, given.operands[0].literal or "")
        ):
            for name in {name: None for word in given.operands for name in _files(reader, word, False)}:
                reader.state.put(shut_key(name), True)
        return
    content = Word((Hole("words", f"what `{given.path[0]}` writes there"),))
    fed = command.stdin is not None and command.stdin.literal is not None
    for deed in given.row.deeds:
        met = holds(deed, given) if deed.name in ("write", "discard") else NO
        if met == NO:
            continue
        reader.doubt += met != YES
        if "into" in deed.targets and given.operands:
            _copied(reader, given, content)
        else:
            for name in {name: None for word in targets(deed, given) for name in _files(reader, word, fed)}:
                reader.write(name, content.parts, False)
        reader.doubt -= met != YES
    gone: Parts = (Hole("words", f"what is left of a file that `{given.path[0]}` takes away"),)
    for deed in given.row.deeds:
        if deed.name == "delete" and holds(deed, given) == YES:
            for name in {name for word in targets(deed, given) for name in _named(reader, word)}:
                reader.write(name, gone, False)


def run_by_path(reader: Running, command: Command) -> None:
    """Perhaps a file of the line of that name, where the line says itself where programs are looked for."""
    name = command.words[0].literal
    if "PATH" not in reader.state.slots and all(each != "PATH" for each, _ in command.assignments):
        return
    found = [each for each in reader.files if each.rpartition("/")[2] == name]
    if found and reader.folder().parts:  # seen from there, the files are called otherwise
        reader.unknown("`PATH` may lead to a program that the line wrote", name or "")
        return
    reader.doubt += 1
    for each in found:
        reader.follow(Script(Word((each,)), name or "", command.words[1:], ""), command)
    reader.doubt -= 1


def _named(reader: Running, word: Word) -> list[str]:
    """The files of the line that a word surely means; what may be any one is taken to be another."""
    name = file_name(reader, word)
    if name is not None:
        return [each for each in reader.files if each == name or each.startswith(f"{name}/")]
    pattern = shown(word)
    return [each for each in reader.files if fnmatchcase(each, pattern)]


def _files(reader: Running, word: Word, fed: bool) -> list[str]:
    """The files that a word may mean: the one of that name, those in such a folder, any where no name is told."""
    name = file_name(reader, word)
    found = [each for each in reader.files if name is None or each == name or each.startswith(f"{name}/")]
    return found or [name] * (fed and name is not None) if name is not None else found


def _copied(reader: Running, given: Arguments, content: Word) -> None:
    """`cp a b`: to a place, or in it by their own names where it is a folder."""
    folders = given.values("-t")
    *sources, place = *given.operands, *folders[:1]
    spares = any(not _SPARE.isdisjoint(option.names) for option in given.options)
    reader.doubt += spares
    if single := not folders and len(sources) == 1:
        followed = content_of(reader, sources[0]) if given.path[0] in _COPY else content.parts
        reader.write(file_name(reader, place), followed, False)
    reader.doubt += single
    for source in sources:
        known = given.path[0] in _COPY and file_name(reader, source) in reader.files
        last = (source.literal or "").rstrip("/").rpartition("/")[2]
        for name in _files(reader, below(place, Word((last,))) if last else place, known):
            reader.write(name, content_of(reader, source) if known else content.parts, False)
    reader.doubt -= spares + single
