"""The words of a shell script, and what its variables hold, as `shell_reads` goes through them."""

from __future__ import annotations

from collections.abc import Sequence as Several

from hookline.checking.inputs.reads import Ways
from hookline.model.typing import Any
from hookline.shell.grammar.pieces import Parameter, Text
from hookline.shell.reading import Word
from hookline.system.patterns.late import late

_CALLED_AFTER = late(r"(?i:(?:\w+_)?(?P<program>python|node|jq)3?(?:_(?:bin|cmd|exe|path))?)")


class Names:
    """What variables hold; those of a function stand in front of the script's. `said`: its arguments, and variables,
    that are plain words. `words`: all of its arguments, as they are written where it is called."""

    def __init__(
        self,
        held: dict[str, Ways],
        outer: Names | None = None,
        said: dict[str, str] | None = None,
        words: Several[Any] | None = None,
    ) -> None:
        self.held, self.outer = held, outer
        self.words: Several[Any] | None = words if words is not None else outer.words if outer else None
        self.said: dict[str, str] = said if said is not None else outer.said if outer else {}

    def get(self, name: str) -> Ways:
        if name in self.held:
            return self.held[name]
        return self.outer.get(name) if self.outer else None

    def every(self) -> dict[str, Ways]:
        return {**(self.outer.every() if self.outer else {}), **self.held}

    def home(self, name: str, local: bool) -> Names:
        found = self
        while not local and name not in found.held and found.outer is not None:
            found = found.outer
        return found


def spread(words: Several[Any], names: Names) -> list[Any]:
    """Words with those that stand for `"$@"`."""
    found: list[Any] = []
    for each in words:
        found += names.words if names.words is not None and variable_of(each) in ("@", "*") else [each]
    return found


def variable_of(word: Any) -> str:
    """The variable that a word is and nothing else."""
    pieces = [each for each in getattr(word, "pieces", ()) if not isinstance(each, Text) or each.text]
    return pieces[0].name if len(pieces) == 1 and isinstance(pieces[0], Parameter) else ""


def is_format(word: Any) -> bool:
    text = plain_text(word)
    return text is not None and (text.startswith(("-", "%")) or not text.strip("\\n"))


def plain_text(word: Any) -> str | None:
    if isinstance(word, Word):
        return word.literal
    pieces = getattr(word, "pieces", (None,))
    return (
        "".join(getattr(each, "text", "") for each in pieces)
        if all(isinstance(each, Text) for each in pieces)
        else None
    )


def source_of(pieces: Several[Any]) -> str:
    """A program as it is written, its variables by their names."""
    return "".join(getattr(each, "text", "") for each in pieces)


def named_by(word: Any) -> str:
    """The program that a path with a variable ends in, or that a variable is called after: `"$PYTHON_BIN"`, `"$JQ"`."""
    pieces = getattr(word, "pieces", ())
    tail = getattr(pieces[-1], "text", "") if pieces else ""
    called = _CALLED_AFTER.fullmatch(variable_of(word) or "")
    return called["program"].lower() if called else tail if "/" in tail else ""
