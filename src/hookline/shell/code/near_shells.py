"""What fish, nu, elvish and csh say otherwise than bash, said as that does."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookline.system.patterns.late import late

_PIECES = late(r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^;\n'\"\\])+|[;\n]", re.DOTALL)
_LISTS = late(r"\[([^\[\]]*)\]")
_SET = late(r"set\s+(?:(--?\w+)\s+)*(\w+)(?:\[[\d.]+\])?\s+(\S.*)", re.DOTALL)
_ALIAS = late(r"alias\s+(?:-s\s+|--save\s+)?(\w+)[\s=]\s*(['\"]?)(.+)\2", re.DOTALL)
_LOOPS = {"for": ("do", "done"), "while": ("do", "done"), "if": ("then", "fi")}
MOST_LETTERS = 20_000  # of code; what is longer is read as it stands


def in_bash(shell: str, text: str) -> str:
    """Code of such a shell as bash has it; of any other as it is."""
    said = _SHELLS.get(shell)
    return said(text) if said is not None and len(text) <= MOST_LETTERS else text


def _fish(text: str) -> str:
    """Statement by statement: `set d /usr; for x in $d; rm $x; end`."""
    found: list[str] = []
    ends: list[str] = []
    names: set[str] = set()
    for piece in _PIECES.findall(re.sub(r"(?<![$\w\\])\(", "$(", text)):
        if piece in ";\n":
            continue
        piece = re.sub(r"^(?:(?:and|or|not|!)\s+)+", "", piece.strip())
        if "argv" not in names:
            piece = _parameters(piece, "} " in ends)
        word, _, rest = piece.partition(" ")
        if word in ("for", "while", "if"):
            begins, end = _LOOPS[word]
            found += [piece, begins]
            ends.append(end)
        elif word == "else":
            found += ["elif" + rest[2:], "then"] if rest.startswith("if ") else ["else"]
        elif word in ("begin", "switch"):
            found += ["{", rest if word == "begin" else ":"]
            ends.append("}")
        elif word == "function":
            found.append(f"{rest.split()[0] if rest else '_'}() {{")
            ends.append("} ")
        elif word == "end":
            found.append(f"{ends.pop().strip() if ends else '}'} {rest}")
        elif named := _ALIAS.fullmatch(piece):
            found.append(f"{named[1]}() {{ {named[3]} $*; }}")
        elif assigned := _SET.fullmatch(piece):
            names.add(assigned[2])
            found.append(f"{assigned[2]}=({assigned[3]})")
        elif word != "case":
            piece = re.sub(r"\|\s*source(?:\s+-)?$", "| bash", piece)
            found.append(re.sub(r"^read\s+-[lgxUn]+\s", "read ", piece))
    return _of_lists("\n".join(found), names)


def _parameters(piece: str, of_function: bool) -> str:
    """Those of a function, or of the code, whose first bash has as `$0`."""
    piece = re.sub(r"\$argv\[(\d+)\]", lambda found: f"${{{int(found[1]) - (not of_function)}}}", piece)
    return re.sub(r"\$argv\b(?!\[)", "$*" if of_function else "$0 $*", piece)


def _of_lists(text: str, names: set[str]) -> str:
    """With lists in the place of their names, and elements counted from 0."""

    def element(found: re.Match[str]) -> str:
        if found[1] not in names:
            return found[0]
        return f'"${{{found[1]}[{int(found[2]) - 1 if found[2] else "@"}]}}"'

    return re.sub(r"\$(\w+)(?:\[(\d+)\])?", element, text)


def _nu(text: str) -> str:
    names: set[str] = set()

    def assigned(found: re.Match[str]) -> str:
        listed = _LISTS.fullmatch(found[2].strip())
        names.add(found[1])
        return f"{found[1]}=({listed[1] if listed else found[2]})"

    text = re.sub(r"(?<![$\w\\])\((?!\))", "$(", re.sub(r"(^|[;|{(\n]\s*)\^(?=\w)", r"\1", text))
    text = re.sub(r"\b(?:let|mut|const|var)\s+(\w+)\s*=\s*([^;\n|]+)", assigned, text)
    text = re.sub(r"\$\(\$env\.(\w+)\)", r"$\1", text)
    text = re.sub(r"\$env\.(\w+)", r"$\1", re.sub(r"\$env\.(\w+)\s*=\s*", r"\1=", text))
    text = re.sub(
        r"(?:\b(?:ls|glob)\s+(?P<place>[^\s|]+)|(?P<list>\[[^\[\]]*\]))\s*\|\s*(?:par-)?each\s*\{\s*\|\s*(?P<name>\w+)\s*\|"
        r"(?P<body>[^{}]*)\}",
        _each,
        text,
    )
    text = re.sub(
        r"\bfor\s+\$?(?P<name>\w+)\s+(?:in\s+)?(?P<list>\[[^\[\]]*\]|\$\w+|\$\([^()]*\))\s*\{(?P<body>[^{}]*)\}",
        _each,
        text,
    )
    text = re.sub(
        r"\bif\s+[^{};\n]{1,300}\{([^{}]*)\}(?:\s*else\s*\{([^{}]*)\})?", r"{ \1; }; { :; \2; }", text
    )
    text = re.sub(r"\btry\s*\{([^{}]*)\}(?:\s*catch\s*\{[^{}]*\})?", r"{ \1; }", text)
    text = re.sub(r"\b(?:def|fn)\s+(\w+)\s*\[[^\[\]]*\]\s*\{([^{}]*)\}", r"\1() { \2; }", text)
    return _of_lists(re.sub(r"(\$\w+)\.(?:name|path)\b", r"\1", text), names)


def _each(found: re.Match[str]) -> str:
    parts = found.groupdict()
    words = (parts["list"] or "").strip("[]")
    if place := parts.get("place"):
        words = place if "*" in place else f"{place.rstrip('/')}/*"
    return f"for {parts['name']} in {words}; do {parts['body']}; done"


def _elvish(text: str) -> str:
    return re.sub(r"\be:(?=\w)", "", _nu(re.sub(r"\bset\s+(\w+)\s*=\s*", r"var \1 = ", text)))


def _csh(text: str) -> str:
    text = re.sub(r"\bset\s+(\w+)\s*=\s*", r"\1=", text)
    text = re.sub(r"\bsetenv\s+(\w+)\s+([^;\n]*)", r"export \1=\2", text)
    text = re.sub(r"\balias\s+(\w+)\s+(?!\s*=)([^;\n'\"]+)", r"\1() { \2 $*; }", text)
    text = re.sub(r"\bif\s*\(([^()]*)\)\s*(?!then\b)", "", text)
    text = re.sub(r"\bforeach\s+(\w+)\s*\(([^()]*)\)", r"for \1 in \2; do", text)
    return re.sub(r"(?m)(^|;)\s*end\s*$", r"\1 done", text)


_SHELLS: dict[str, Callable[[str], str]] = {
    "fish": _fish, "nu": _nu, "elvish": _elvish, "csh": _csh, "tcsh": _csh,
    "xonsh": lambda text: re.sub(r"(?m)(^|;)\s*\$(\w+)\s*=\s*", r"\1 \2=", text),
}  # fmt: skip
