"""Code in which variables of the line stand: read with a name of its own in the place of each."""

from __future__ import annotations

from hookline.model.record import replace
from hookline.shell.reading import Argv, Code, Hole, Inner, Word, glued
from hookline.system.patterns.late import late

_MARK = "\ua66e"  # a letter that nobody writes, so what is made of it is a name to every language
_NAME = late(rf"{_MARK}(\d+){_MARK}")


def named(text: Word) -> tuple[str, tuple[Hole, ...]]:
    """The code with names for what is not known of it, and what they stand for."""
    holes: list[Hole] = []
    parts: list[str] = []
    for part in text.parts:
        if isinstance(part, str):
            parts.append(part.replace(_MARK, ""))
        else:
            parts.append(f"{_MARK}{len(holes)}{_MARK}")
            holes.append(part)
    return "".join(parts), tuple(holes)


def with_holes(inner: Inner, holes: tuple[Hole, ...]) -> Inner:
    """What the code runs, and again with what is not known of it in the place of the names."""

    def told(word: Word) -> Word:
        parts: list[str | Hole] = []
        for part in word.parts:
            pieces: list[str] = _NAME.split(part) if isinstance(part, str) else []
            parts += [holes[int(each)] if at % 2 else each for at, each in enumerate(pieces)] or [part]
        return Word(glued(parts), word.start, word.end)

    def perhaps(word: Word | None) -> Word | None:
        return None if word is None else told(word)

    if isinstance(inner, Argv | Code):
        inner = replace(
            inner,
            cwd=perhaps(inner.cwd),
            stdin=perhaps(inner.stdin),
            assignments=tuple((name, told(value)) for name, value in inner.assignments),
        )
        if isinstance(inner, Argv):
            return replace(inner, words=tuple(map(told, inner.words)))
        return replace(inner, text=told(inner.text), arguments=tuple(map(told, inner.arguments)))
    return replace(inner, path=told(inner.path), arguments=tuple(map(told, inner.arguments)))
