"""Scripts that a command runs, with what the line wrote to them or what stands on disk."""

from __future__ import annotations

from hookline.model.record import replace
from hookline.model.typing import TYPE_CHECKING
from hookline.shell.interpreter.shells import SHELLS, run_apart, unseen
from hookline.shell.programs.table import SYSTEM_FOLDERS
from hookline.shell.reading import (
    TASKS,
    Command,
    Hole,
    Parts,
    Script,
    Word,
    descriptor_of,
    is_lost,
    resolved,
    shown,
)
from hookline.shell.values.fields import is_written_at_once
from hookline.shell.values.redirecting import MOST_TEXTS, content_of, file_name, written_as
from hookline.shell.values.state import POSITIONALS

if TYPE_CHECKING:
    from hookline.shell.values.running import Running
    from hookline.shell.values.state import Changes

LONGEST_SCRIPT = 65_536


def _language(text: Parts, name: str) -> str:
    """That of a script which is started by its path: what its `#!` says, a shell's without one."""
    if name.lower().endswith((".bat", ".cmd", ".ps1")):
        return "powershell" if name.lower().endswith(".ps1") else "cmd"
    if not text or not isinstance(text[0], str) or not text[0].startswith("#!"):
        return "sh"
    words = [word.rpartition("/")[2] for word in text[0][2:].partition("\n")[0].split()]
    names = [word for word in words if not word.startswith("-") and "=" not in word and word != "env"]
    name = names[0].rstrip("0123456789.") if names else "sh"
    return "javascript" if name in ("node", "nodejs", "deno", "bun") else name


def run_script(reader: Running, inner: Script, command: Command) -> None:
    if inner.language in TASKS:
        names = written_as(file_name(reader, inner.path), reader.files)
        if "*" in inner.path.prefix:
            for each in names:
                run_script(reader, replace(inner, path=Word((each,))), command)
            return
        if not names:
            return
    texts, perhaps_none = _script_texts(reader, inner)
    if reader.stdin is not None and inner.same_shell and descriptor_of(inner.path) == "0":
        reader.stdin.empty(reader.doubt)  # `. /dev/stdin`
    name = file_name(reader, inner.path) or ""
    if reader.besides and name:
        reader.run_beside.add(name)
    if name in reader.racing and not all(map(is_written_at_once, texts)):
        reader.unknown("a script may run before all of it is written", name)
    if not texts and descriptor_of(inner.path):
        reader.unknown("it runs what an open file holds", shown(inner.path))
        return
    if not texts and inner.instead is not None:
        reader.unknowns[inner.instead] = None
        return
    if not texts:
        name = inner.path.literal or "…"
        why = f"`{inner.how}` runs the script `{name}`, which is not to be seen"
        reader.opaque[Hole("words", why, name)] = None
        unseen(reader, inner)
        return
    if len(texts) > MOST_TEXTS:
        reader.unknown("a script may hold one of many texts", name)
    place = Word((), command.start, command.end)
    perhaps = len(texts) > 1 or perhaps_none
    ways: list[Changes] = [{}] if perhaps_none else []
    for text in texts:
        language = inner.language or _language(text, name)
        if language not in SHELLS:
            from hookline.shell.code.environment import of_script
            from hookline.shell.code.languages import commands_of_code

            if descriptor_of(inner.path) and any(map(is_lost, Word(tuple(text)).holes)):
                reader.unknown("it runs what an open file holds", shown(inner.path))
            read = of_script(Word(tuple(text)), language, inner.arguments)
            for found in commands_of_code(read, language, inner.how, len(reader.line)):
                reader.follow(found, command)
            continue
        code = reader.with_stand_ins(text, inner.how, command)
        if code is None:
            unseen(reader, inner)
            continue
        reader.doubt += perhaps
        if inner.same_shell:
            before = reader.state.slots.get(POSITIONALS)
            reader.state.branch()
            sourced(reader, code, inner.arguments, command)
            if inner.arguments:
                reader.state.put(POSITIONALS, before)
            ways.append(reader.state.rewind())
        else:
            run_apart(reader, language, inner.arguments, command, code, place, zero=False)
        reader.doubt -= perhaps
    if inner.same_shell and ways:
        reader.state.adopt(ways)


def sourced(reader: Running, code: str, arguments: tuple[Word, ...], command: Command) -> None:
    """Runs a file in this shell; `return` ends only the file."""
    left, beyond = reader.left, reader.beyond
    if arguments:
        from hookline.shell.values.arrays import arguments as arguments_of

        reader.state.put(POSITIONALS, arguments_of(arguments))
    reader.state.branch()
    reader.left = False
    reader.code(code, Word((), command.start, command.end))
    if reader.left:
        reader.state.forget(list(reader.state.commit()))
    else:
        reader.state.commit()
    reader.left, reader.beyond = left, beyond


def _script_texts(reader: Running, inner: Script) -> tuple[list[Parts], bool]:
    """What the script may hold, by what the line wrote or by what stands on disk; whether there may be none."""
    known = reader.files.get(file_name(reader, inner.path) or "")
    contents = known if known is not None else [content_of(reader, inner.path)]
    each = [_opened(reader, content, inner.path, known is not None) for content in contents]
    return [text for texts in each for text in texts], not all(each)


def _opened(reader: Running, content: Parts, path: Word, written: bool) -> list[Parts]:
    only = content[0] if len(content) == 1 else None
    if not isinstance(only, Hole) or (only.text[:2] != "< " and (only.text or written)):
        return [content]
    source = only.text[2:]
    if source != path.literal and source.rpartition("/")[0] in SYSTEM_FOLDERS:
        return [(f'{source} "$@"',)]  # a program that was copied
    given = Word((source,)) if source else path
    written = written and file_name(reader, given) != file_name(reader, path)  # else what is there already
    full = resolved(reader.folder(), given).literal
    text = reader.open_script(full) if reader.open_script is not None and full else None
    if text is None or "\0" in text[:200]:
        return [content] if written else []
    return [(text[:LONGEST_SCRIPT],)]
