"""What stands in `[[ … ]]` where bash wants an operator: such a script is over at that line, or never says yes."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.system.patterns.late import late

_TOKEN = late(
    r"\s+|(?P<join>&&|\|\|)|(?P<bracket>[()])"
    r"|(?P<word>(?:\"(?:\\.|[^\"\\])*\"|'[^']*'|`[^`]*`|\$\((?:[^()]|\([^()]*\))*\)|\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\\.|[^\s\"'`()&|\\$]|\$|\|(?!\|)|&(?!&))+)"
)
_QUOTED = late(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|\\.|\$#|\$\{#")
_LONGEST = 2000
_OPERATORS = frozenset({
    "==", "=", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
})  # fmt: skip
_OF_ONE = late(r"-[a-zA-Z]")


def broken_test(text: str) -> str:
    """The fault of the first test that bash cannot read, with its line; empty where there is none."""
    for number, line in enumerate(text.splitlines(), 1):
        wrong = next(filter(None, map(_wrong_word, _tests_of(line[:_LONGEST]))), "")
        if wrong:
            words = f"`{wrong}` stands in `[[` where an operator should"
            return f"line {number}: {words}" if "\n" in text.strip() else words
    return ""


def _tests_of(line: str) -> Iterator[str]:
    """What stands between `[[` and `]]` on a line, outside of quotes and comments."""
    at = line.find("[[ ")
    while at >= 0 and (end := line.find(" ]]", at)) >= 0:
        before = _QUOTED.sub("", line[:at])
        if not set(before) & set("'\"#"):
            yield line[at + 3 : end]
        at = line.find("[[ ", end)


def _wrong_word(inside: str) -> str:
    """The word behind a first one that is no operator; what follows `=~` has rules of its own."""
    before: list[str] = []  # the words since the last `&&`, `||` or bracket
    for token in _tokens(inside):
        if token in ("&&", "||", "(", ")"):
            if token == "(" and before and before[-1] != "!":
                return ""  # a pattern
            before = []
            continue
        if before == ["!"]:
            before = []
        if len(before) == 1 and not _OF_ONE.fullmatch(before[0]) and token not in _OPERATORS:
            return token if token.startswith(("`", "'", '"', "$")) else ""
        before.append(token)
        if "=~" in before:
            return ""
    return ""


def _tokens(inside: str) -> Iterator[str]:
    at = 0
    while found := _TOKEN.match(inside, at):
        at = found.end()
        if found[0].strip():
            yield found[0]
