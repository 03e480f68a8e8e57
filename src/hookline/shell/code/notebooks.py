"""What IPython takes beside Python: `!` and `%` before a line for a shell, and whole cells of other languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hookline.shell.code.pieces import argv, code
from hookline.shell.reading import Inner, Word
from hookline.system.patterns.late import late

_SHELLS = frozenset(("!", "bash", "sh", "shell", "sx", "system", "zsh"))
_LANGUAGES = {
    "javascript": "node",
    "js": "node",
    "node": "node",
    "perl": "perl",
    "ruby": "ruby",
    "sql": "sql",
}
_LINE = late(
    r"^\s*+(?:[\w, ]{1,60}=\s*+)?(?:!!?|%(?:sx|sh|system)\s|%(?=(?:cp|mv|rm|rmdir)\s))(.+)", needs=("!", "%")
)


def commands_of_cell(text: str, how: str) -> list[Inner] | None:
    """A cell that its first line gives to another program or language; None for one of Python."""
    first, _, rest = text.strip().partition("\n")
    name, *arguments = first.lstrip("%").split() or [""]
    if name == "script" and arguments:
        name = arguments[0].rpartition("/")[2]
    if not first.startswith("%%"):  # `%sql DROP TABLE x`
        rest = f"{first.partition(' ')[2]}\n{rest}"
    if name in _SHELLS:
        return [code(rest, how)]
    if name in ("writefile", "file") and arguments:
        return [argv(how, "tee", arguments[-1])]
    if name in _LANGUAGES:
        from hookline.shell.code.languages import commands_of_code

        return list(commands_of_code(Word((rest,)), _LANGUAGES[name], how))
    return None


def lines_of_shells(lines: Iterable[str], how: str) -> Iterator[Inner]:
    """What lines that are not Python give to a shell."""
    for line in lines:
        if found := _LINE.match(line):
            yield code(found[1], how)
