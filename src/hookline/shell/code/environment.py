"""Variables of the line that code looks up (`$ENV{X}`, `process.env.X`), the home folder, and paths that it joins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from hookline.model.record import replace
from hookline.shell.code.pieces import unescaped
from hookline.shell.reading import Inner, Script, Word
from hookline.system.patterns.late import late

_NAME = r"(?P<{0}>[A-Za-z_]\w*)"
_BETWEEN = r"['\"]\s*,\s*['\"]"
_QUOTED = r"\s*[\"']" + _NAME + r"[\"']\s*"
# A place in a string, which the value takes as it is.
_WITHIN = late(
    r"\$\{process\.env\." + _NAME.format("script") + r"\}|#\{ENV\[" + _QUOTED.format("ruby") + r"\]\}",
    needs=("process.env", "#{ENV"),
)
# A value of its own, which takes the place of a string.
_ALONE = late(
    r"\$ENV\{\s*[\"']?" + _NAME.format("perl") + r"[\"']?\s*\}"
    r"|\b(?:process|Bun|Deno)\.env\." + _NAME.format("member") + r"\b(?!\s*[(\[.])"
    r"|(?:\b(?:process\.env|ENV|os\.environ|ENVIRON)|\$_(?:ENV|SERVER))\[" + _QUOTED.format("index") + r"\]"
    r"|\b(?:os\.)?getenvb?\(" + _QUOTED.format("call") + r"(?:,[^()]*)?\)"
    r"|\b(?:os\.environ\.get|ENV\.fetch|Deno\.env\.get)\(" + _QUOTED.format("get") + r"(?:,[^()]*)?\)"
)

# The home folder, joined to the string behind it or standing in one.
_HOME = (
    r"(?:process\.env(?:\.HOME|\[['\"]HOME['\"]\])|(?:require\(['\"](?:node:)?os['\"]\)|os)\.homedir\(\)"
    r"|(?:Deno|Bun)\.env(?:\.get\(['\"]HOME['\"]\)|\.HOME)|os\.getenv\(['\"]HOME['\"]\)"
    r"|\$ENV\{['\"]?HOME['\"]?\}|\bhomedir\(\)|Sys\.getenv\(['\"]HOME['\"]\)|ENV\[['\"]HOME['\"]\]|Dir\.home|getenv\(['\"]HOME['\"]\)|\$_SERVER\[['\"]HOME['\"]\])"
)
_HERE = (
    r"(?:(?:process|Deno|Bun)\.cwd\(\)|process\.env(?:\.PWD|\[['\"]PWD['\"]\])|\bDir\.(?:pwd|getwd)\b(?:\(\))?|ENV\[['\"]PWD['\"]\]"
    r"|\$ENV\{['\"]?PWD['\"]?\}|(?<![\w.>])(?:get)?cwd\(\)|(?<![\w.>$@%&'\"])getcwd\b(?!\s*\()"
    r"|(?:require\(['\"](?:node:)?path['\"]\)|\bpath)\.resolve\(\))"
)
_NEEDS_HERE = ("cwd", "PWD", "Dir.", ".resolve()")
_NEEDS_HOME = ("HOME", "homedir", "Dir.home")
_BEHIND = r"\s*([+.,])\s*(['\"`])(/?)"
_END = r"(?=\s*(?:[,)\];\n]|$))"
_HOME_BEFORE, _HERE_BEFORE = (
    late(_HOME + _BEHIND, needs=_NEEDS_HOME),
    late(_HERE + _BEHIND, needs=_NEEDS_HERE),
)
_HOME_ALONE, _HERE_ALONE = late(_HOME + _END, needs=_NEEDS_HOME), late(_HERE + _END, needs=_NEEDS_HERE)
_HOME_IN = late(
    r"\$\{process\.env\.HOME\}|\$\{os\.homedir\(\)\}|#\{(?:ENV\[['\"]HOME['\"]\]|Dir\.home)\}|\$ENV\{HOME\}",
    needs=_NEEDS_HOME,
)
_HERE_IN = late(
    r"\$\{process\.(?:env\.PWD|cwd\(\))\}|#\{(?:ENV\[['\"]PWD['\"]\]|Dir\.(?:pwd|getwd))\}|\$ENV\{PWD\}",
    needs=_NEEDS_HERE,
)
_BEFORE_HERE = late(r"(['\"`])\s*[+.]\s*(?:" + _HERE + r"|getcwd\(\))" + _END, needs=_NEEDS_HERE)
_PLACES = (("~", _HOME_BEFORE, _HOME_ALONE, _HOME_IN), (".", _HERE_BEFORE, _HERE_ALONE, _HERE_IN))
# `path.join("a", "b")`
_JOINS = late(
    r"(?:(?:require\(['\"](?:node:)?path['\"]\)|\bpath(?:\.posix)?|\bPath|\bFile|\bfilepath)\.(?:join|resolve|Join)"
    r"|\bjoinpath|\bfile\.path)\(\s*(?P<parts>['\"][^'\"\\]*['\"](?:\s*,\s*['\"][^'\"\\]*['\"])*)\s*\)",
    needs=("path", "Path", "File"),
)


def _with_place(place: str, found: re.Match[str]) -> str:
    """What begins the text behind it."""
    return f"{found[2]}{place}{'/' * (found[1] == ',' and not found[3])}{found[3]}"


def with_places(text: str) -> str:
    """The code with `~` and `.` for what gives the home folder and the one it runs in, and with one text for a path
    that it joins of several."""
    text = _BEFORE_HERE.sub(lambda found: f".{found[1]}", text)
    for place, before, alone, within in _PLACES:
        text = before.sub(partial(_with_place, place), text)
        text = within.sub(place, alone.sub(f"'{place}'", text))
    return _JOINS.sub(lambda found: f"'{'/'.join(re.split(_BETWEEN, found['parts'][1:-1]))}'", text)


# The arguments of a script, and the number that its language gives the first.
_ARGUMENTS = {
    "python": (r"\bsys\.argv", 1), "javascript": (r"\b(?:process|Bun)\.argv", 1), "perl": (r"\$ARGV", 0),
    "ruby": (r"\bARGV", 0), "php": (r"\$(?:argv|_SERVER\[['\"]argv['\"]\])", 1), "lua": (r"\barg", 1),
}  # fmt: skip
_ALL = {
    "python": r"\bsys\.argv\[1:\]",
    "perl": r"@ARGV\b",
    "ruby": r"\bARGV\b",
    "javascript": r"\bprocess\.argv\.slice\(1\)",
}
_WHOLE = {
    "python": r"\bsys\.argv\b(?!\s*\[)",
    "javascript": r"\b(?:process|Bun)\.argv\b(?!\s*\[)",
    "php": r"\$argv\b(?!\s*\[)",
}
_SHIFTED = {
    "perl": r"\bshift\b(?:\s*\(?\s*@ARGV\s*\)?)?(?=\s*(?:[;,)]|\|\||//))",
    "ruby": r"\bARGV\.(?:shift|first)\b",
}
_POPPED = r"\bpop\b(?:\s*\(?\s*@ARGV\s*\)?)?(?=\s*(?:[;,)]|\|\||//))"


def with_arguments(text: str, language: str, arguments: Sequence[str | None], is_file: bool = False) -> str:
    """The code with the arguments that it is started with in their place; those that are not known stay out."""
    if language not in _ARGUMENTS or not arguments:
        return text
    named = ["file"] if is_file and language == "javascript" else []  # which stands before its arguments
    given = [None if each is None or re.search(r"[\"'\\\n`$#@]", each) else each for each in arguments]
    pattern, first = _ARGUMENTS[language]

    def one(found: re.Match[str]) -> str:
        at = int(found[2]) - first - len(named)
        value = given[at] if 0 <= at < len(given) else None
        if value is None:
            return found[0]
        if found[1]:
            return value  # `#{ARGV[0]}`, `{$argv[1]}`
        return value if language in ("perl", "php") and _in_string(text[: found.start()]) else f'"{value}"'

    within = r"((?:#|\$)?\{)?" if language in ("ruby", "php", "javascript") else "((?!))?"
    text = re.sub(rf"{within}{pattern}\[(\d{{1,3}})\](?(1)\}})", one, text)
    if None in given:
        return text
    listed = ", ".join(f'"{each}"' for each in given)
    opened, closed = "()" if language == "perl" else "[]"
    text = re.sub(_SHIFTED.get(language, "(?!)"), f'"{given[0]}"', text)
    if language == "perl":
        text = re.sub(_POPPED, f'"{given[-1]}"', text)
    every = _ALL.get(language, "(?!)").replace("1", str(1 + len(named)))
    text = re.sub(every, f"{opened}{listed}{closed}", text)
    before = "".join(f'"{each}", ' for each in (language, *named))
    return re.sub(_WHOLE.get(language, "(?!)"), f"[{before}{listed}]", text)


def of_script(text: Word, language: str, arguments: Sequence[Word]) -> Word:
    """A file's code with the arguments that it is started with."""
    if not arguments or "arg" not in (text.literal or "").lower():
        return text
    return Word(
        (with_arguments(text.literal or "", language, [word.literal for word in arguments], is_file=True),)
    )


def with_environment(text: str, variables: Mapping[str, str]) -> str:
    """The code with the values of these variables; one with quotes or backslashes in it is left where it stands."""

    def within(found: re.Match[str]) -> str:
        return _value(found) or found[0]

    def alone(found: re.Match[str]) -> str:
        value = _value(found)
        if value is None:
            return found[0]
        inside = found["perl"] is not None and _in_string(text[: found.start()])
        return value if inside else f'"{value}"'

    def _value(found: re.Match[str]) -> str | None:
        value = variables.get(found[found.lastgroup or 0])
        return None if value is None or re.search(r"[\"'\\\n`$#@]", value) else value

    text = _WITHIN.sub(within, text)
    return _ALONE.sub(alone, text)


def _in_string(before: str) -> bool:
    """Whether a double quote is open there, as in `"rm $ENV{X}"`."""
    return len(re.findall(r'(?<!\\)"', before)) % 2 == 1 or before.count("`") % 2 == 1


# What code sets for the programs that it starts: one variable, or a table of several.
_TEXT = r"\s*(?P<{0}>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`)"
_SET = late(
    r"(?:\b(?:process|Bun|Deno)\.env\.(?P<member>\w++)\s*"
    r"|(?:\bprocess\.env|\bENV|\$_?ENV)[\[{]\s*['\"]?(?P<index>\w++)['\"]?\s*[\]}]\s*)"
    r"(?:\|\||\?\?|//)?=(?![=~>])" + _TEXT.format("is") + r"|\b(?:[sS]etenv|Deno\.env\.set|ENV\.store)\("
    r"\s*['\"](?P<call>\w++)['\"]\s*," + _TEXT.format("given") + r"|\bputenv\(\s*(?P<put>['\"]\w++=[^'\"\n]*['\"])",
    re.DOTALL, ("env", "ENV"),
)  # fmt: skip
_TABLES = late(
    r"\{(?P<spread>[^{}]{0,400}\.\.\.\s*process\.env\b[^{}]{0,400})\}|\benv\s*[:=]\s*\{(?P<named>[^{}]*)\}"
    r"|\bprocess\.env\s*,\s*\{(?P<assigned>[^{}]*)\}|\bENV\.(?:update|merge!)\s*\(?(?P<more>[^()\n;]*)"
    r"|\b(?:system|spawn|exec|popen|capture\w*)\s*\(?\s*\{(?P<first>[^{}]*)\}\s*,",
    0, ("env", "ENV", "system", "spawn", "exec", "popen", "capture"),
)  # fmt: skip
_PAIR = late(r"['\"]?\b(?P<name>[A-Za-z_]\w*+)['\"]?\s*(?::(?!:)|=>)" + _TEXT.format("is"), re.DOTALL)


def set_by(text: str) -> tuple[tuple[str, Word], ...]:
    """The variables that code sets, or hands to a program, with their values."""
    found: dict[str, str] = {}
    for each in _SET.finditer(text):
        if each["put"]:
            name, _, value = each["put"][1:-1].partition("=")
        else:
            name = each["member"] or each["index"] or each["call"]
            value = (each["is"] or each["given"])[1:-1]
        found[name] = value
    for table in _TABLES.finditer(text):
        found |= {pair["name"]: pair["is"][1:-1] for pair in _PAIR.finditer(table[table.lastindex or 0])}
    return tuple((name, Word((unescaped(value),))) for name, value in found.items())


def with_variables(started: Iterator[Inner], text: str) -> Iterator[Inner]:
    """What code starts, with the variables that it sets."""
    variables = set_by(text)
    for each in started:
        yield (
            each
            if not variables or isinstance(each, Script) or each.assignments
            else replace(each, assignments=variables)
        )
