"""Scripts that a line writes before it runs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookline.shell.effects.acts import Deeds
from hookline.shell.programs.arguments import Taken
from hookline.shell.reading import Step, Word, below

EVALUATORS = frozenset(("eval", "source", "."))
EVALUATED = frozenset((name,) for name in EVALUATORS)
# The reader follows what these write, or what a file holds stays as it is.
_FOLLOWED = frozenset(
    (name,) for name in ("tee", "cp", "mv", "chmod", "chown", "chgrp", "touch", "setfacl", "git", "install")
)
# What they make is as opaque as what `make` makes: the sources are not looked at.
COMPILERS = frozenset(
    (*((name,) for name in (
        "gcc", "g++", "gfortran", "clang", "clang++", "rustc", "tcc", "nvcc", "ld", "gdc", "ghc", "nim", "swiftc",
        "kotlinc", "esbuild", "rollup", "webpack", "ocamlfind", "ocamlopt", "fpc", "dmd", "ldc2", "nasm", "as",
    )),
    ("go", "build"), ("tinygo", "build"), ("zig", "build-exe"), ("zig", "cc"), ("crystal", "build"), ("bun", "build"),
    ("deno", "compile"), ("dart", "compile"), ("cargo", "build"), ("npm", "pack")),
)  # fmt: skip


def runs_files(taken: Sequence[Taken]) -> bool:
    """Whether one of them runs a script, or the tasks of a file."""
    return any(True for each in taken for kind in ("script", "tasks") for _ in scripts_of(each, kind))


_NONE: frozenset[str] = frozenset()
LINKED = "linked"  # the mark of a command that goes through a link which the line has made


def remade(found: Sequence[Deeds], cwd: str) -> Iterator[str]:
    """Why nobody can tell what some commands run: an earlier one makes the file, in a way that is not followed."""
    written: set[str] = set()
    any_written: set[str] = set()
    coded: dict[Step, set[str]] = {}  # by code, of which nobody tells what comes first
    for each in found:
        if each.given.path == ("python:write",) and each.command.via:
            coded.setdefault(each.command.via[0], set()).update(_names(each, "write", cwd))
    for each in found:
        beside = coded.get(each.command.via[0], _NONE) if coded and each.command.via else _NONE
        names = [*scripts_of(each), *scripts_of(each, "tasks")]
        for name in dict.fromkeys(names):
            if (place := _within(name, cwd)) in written or place in beside:
                yield f"`{' '.join(each.given.path)}` runs what the line writes to `{name}`"
        if names and LINKED in each.marks and not any_written.isdisjoint(_names(each, "read", cwd)):
            yield f"`{' '.join(each.given.path)}` runs what the line writes, by a link"
        any_written.update(_names(each, "write", cwd))
        if LINKED in each.marks:  # the reader follows no links
            written.update(_names(each, "write", cwd))
        elif each.given.path[:1] not in _FOLLOWED and each.given.path not in COMPILERS:
            followed = [redirection.target for redirection in each.command.redirections]
            written.update(_names(each, "write", cwd, followed))


def _names(deeds: Deeds, effect: str, cwd: str, but: Sequence[Word | None] = ()) -> Iterator[str]:
    """The files that a command writes or reads, in one spelling."""
    for each in deeds.effects:
        if each.name == effect and each.target is not None and each.target not in but:
            yield _within(path_name(below(each.cwd, each.target)), cwd)


def _within(name: str, cwd: str) -> str:
    return name.removeprefix(f"{cwd}/")


def scripts_of(deeds: Taken, kind: str = "script") -> Iterator[str]:
    """Files that a command runs."""
    cwd = deeds.command.cwd
    for deed in deeds.given.row.deeds if deeds.given.row is not None else ():
        if deed.name != kind:
            continue
        from hookline.shell.programs.conditions import holds, targets

        if holds(deed, deeds.given):
            yield from (path_name(below(cwd, word)) for word in targets(deed, deeds.given))
    if deeds.given.path[:1] in EVALUATED:
        yield from (path_name(below(cwd, word)) for word in deeds.given.operands[:1])
    name = deeds.command.words[0].prefix if deeds.command.words else ""
    if "/" in name or name.lower().endswith((".exe", ".bat", ".cmd")):  # Windows looks in the folder itself
        yield path_name(below(cwd, deeds.command.words[0]))


def path_name(word: Word) -> str:
    """A path in one spelling, for comparing."""
    text = "".join(part if isinstance(part, str) else part.text or "?" for part in word.parts)
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and parts and parts[-1] not in ("", ".."):
            parts.pop()
        elif part not in ("", ".") or (part == "" and not parts):
            parts.append(part)
    return "/".join(parts)
