"""Manifests that kubectl is given by a pipe, or from the folder that the line went to, as the files that they are."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join, normpath

from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.table import Deed
from hookline.shell.reading import Argv, Command, Inner, Word


def manifests(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`kustomize build overlays/prod | kubectl apply -f -` is `kubectl apply -f overlays/prod`."""
    if command.via and command.via[-1].how == _FOUND:
        return
    read = command.stdin.holes[0].text if command.stdin is not None and command.stdin.holes else ""
    folder = command.cwd.literal or ""
    for path in (word.literal or "" for name in ("-f", "-k") for word in given.values(name)):
        if path == "-" and read.startswith("< "):
            told = normpath(join(folder, read[2:]))
        elif path != "-" and folder and path and "://" not in path:
            told = normpath(join(folder, path))
        else:
            continue
        glued = (f"-f{path}", f"-k{path}", f"--filename={path}", f"--kustomize={path}")
        behind = (
            Word((f"--filename={told}",)) if word.literal in glued
            else Word((told,)) if word.literal == path
            else word
            for word in command.words
        )  # fmt: skip
        yield Argv(tuple(behind), _FOUND)


_FOUND = "the manifests that it is given"
