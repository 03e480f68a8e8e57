"""Guards that are over before they have looked, or look with a pattern that fits nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.commands.assigned import assigned
from hookline.checking.exits.lost_exits import PASSED_ON
from hookline.checking.guards.everyday import hushed
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_shell
from hookline.dialects.spelling import edits
from hookline.model.errors import Problem
from hookline.system.patterns.expressions import Pattern, PatternError, compile_pattern
from hookline.system.patterns.late import late

_READS = late(r"(?m)^(?:\w[^#\n]*)?(?:sys\.stdin\.read\(\)|json\.load\(sys\.stdin\))")
_GREP = late(r"\b(?:e?grep)\s+(?:-\w+\s+)*(?:'([^'\n]*)'|\"([^\"\n]*)\")", needs=("grep",))
PERL = late(r"\(\?[=!<]|\\d|\\x[0-9a-fA-F]{2}")
_GREP_FOR = late(
    r"\be?grep\s+(?P<options>(?:-[\w-]+\s+)*)(?:\"\$\{?(?P<name>\w+)\}?\"|[\"'](?P<pattern>--[^\"'\n]*[^\w\"'\n-][^\"'\n]*)[\"'])",
    needs=("grep",),
)
_EXTENDED = late(
    r"\b(?:egrep|grep\s+(?:-\w+\s+)*-\w*E\w*)\s+(?:-\w+\s+)*(?:\"\$\{?(?P<name>\w+)\}?\"|'(?P<single>[^'\n]*)'|\"(?P<double>(?:[^\"\\\n]|\\.)*)\")(?=[\s;|&)]|$)",
    needs=("grep",),
)
# parts of an extended pattern: a sign as a letter, signs in square brackets, a round bracket
_OF_EXTENDED = late(r"\\.|\[\^?\]?(?:\[[:.=]\w+[:.=]\]|[^\]\n])*\]|[()\[]")
_NO_OPTION = late(
    r"--(?!(?:count|quiet|silent|invert|text|help|version|color|include|exclude|line|word|ignore)\b)\w[\w-]+"
)
_ENDS_OPTIONS = late(r"(?:^|\s)(?:--|-\w*e|--regexp)\s")
# a name that begins with a dot, where nothing but a boundary of words stands before it
_BEFORE_A_DOT = late(
    r"[\"'/(|](\\{1,2}b\\{1,2}\.(env|git|ssh|aws|npmrc|netrc|gnupg|claude|codex|cursor|github|husky|kube|docker)\b)",
    needs=("b\\",),
)
# a pipe in a pattern, what takes it for one, and what compares it letter by letter
_BARE_BAR = late(
    r"[\"'/]((?:curl|wget)\b[^\"'\n|()\[\]\\/]*(?:\\s[*+]?)?[^\"'\n|()\[\]\\/]*\|((?:\\s[*+]?|\s)*(?:ba|z)?sh)\b)[\"'/]",
    needs=("curl", "wget"),
)
_AS_PATTERN = late(
    r"=~\s*\"?\$|\b(?:egrep|grep\s+(?:-\w+\s+)*-\w*[EP])|\bre\.(?:search|match|compile|findall)|\bRegExp\(|\.test\("
)
_AS_LETTERS = late(
    r"==\s*\*\"?\$|\bfgrep\b|\bgrep\s+(?:-\w+\s+)*-\w*F|\bin (?:cmd|command)\b|\.includes\(|re\.escape"
)
# a fork bomb, whose brackets are no letters to a pattern
_BOMB = late(
    r"(?P<quote>[\"'/])(?P<pattern>(?:(?!(?P=quote))[^\n\\]|\\.){0,200}?:\(\)(?:(?!(?P=quote))[^\n\\]|\\.){0,200})(?P=quote)"
    r"|=~[ \t]+(?P<bare>[^\s\"']{0,200}?:\(\)[^\s\"']{0,200})",
    needs=(":()",),
)
_BOMBS = (":(){ :|:& };:", ":(){:|:&};:", ":() { :|:& };:", ":(){ :|: & };:")
_OF_PATTERN = late(
    r"\b(?:egrep|grep\s+(?:-\w+\s+)*-\w*[EP]\w*|rg)\b|=~|\bre\.\w+\(|RegExp\(|-c?i?match\b|\br$"
)
_LOWERED = late(
    r"(?m)\b(?P<name>\w+)\s*=(?!=)[^\n]{0,300}(?:(?P<small>\.lower\(\)|\.toLowerCase\(\)"
    r"|\btr\b[^\n]{0,60}?(?:upper:|A-Z)[^\n]{0,60}?(?:lower:|a-z)|\$\{\w+,,\})"
    r"|\.upper\(\)|\.toUpperCase\(\)|\btr\b[^\n]{0,60}?(?:lower:|a-z)[^\n]{0,60}?(?:upper:|A-Z)|\$\{\w+\^\^\})",
    needs=("ower", "pper", "tr", ",,}", "^^}"),
)
_CAPITAL = late(r"(?<!\\)[A-Z](?![?*{])")
_SMALL = late(r"(?<!\\)[a-z](?![?*{])")
_NO_LETTERS = late(r"\\[a-zA-Z]|\[[^\]]*\]|\(\?<?P?<\w+>")
# what one language has and another has not
_OF_LANGUAGES = (
    (
        (".js", ".mjs", ".cjs", ".ts", ".mts"),
        late(r"(?:\bRegExp\(\s*[\"'`]|[=(,:\[]\s*/)(\(\?[imsx]+\))"),
        "dead-pattern",
        "which is no pattern to JavaScript: it throws",
        "write the letters behind it: `/…/i`, `new RegExp('…', 'i')`",
    ),
    (
        (".py",),
        late(r"(\.(?:starts|ends)with\(\s*\[)", needs=("with(",)),
        "dead-pattern",
        "and that takes no list: it fails there",
        "write a tuple: `(…)`",
    ),
    (
        (".ps1",),
        late(r"(?im)=[ \t]*(\(if[ \t]*\([^\n]{1,60}?\)[ \t]*\{)"),
        "bad-syntax",
        "and PowerShell takes the `if` in brackets for a program: it fails there",
        "write `$(if …)`",
    ),
)
_AS_TEXT = late(
    r"-like\s+(?:'(?P<text>[^'\n]*)'|\"\$\{?(?P<name>\w+)\}?\*?\")|\.starts[wW]ith\(\s*(?P<begins>\w+)\s*\)",
    needs=("-like", ".starts"),
)
_ELEMENT = late(r"\"((?:\\.|[^\"\\\n])*)\"|'([^'\n]*)'")
_LOOPED = r"\bfor(?:each)?\s*\(?\s*(?:const\s+|let\s+)?\$?%s\s+(?:in|of)\s+\"?\$?\{?(\w+)"
_SPLIT = r"\bIFS=[\"']?(?P<by>[^\s\"'])[\"']?\s+read\s+-\w*a\w*\s+%s\s+<<<\s*\"?\$\{?(?P<of>\w+)"
_PIPED = late(r"\$(\w+)\s*\|\s*(?:Where-Object|ForEach-Object|\?|%)\s*\{")
_LIST_ENDS = late(r"(?m)^[ \t]*[)\]]")
_ESCAPED = late(
    r"(?:\[regex\]::Escape|re\.escape|escapeRegExp?)\(\s*\$?(\w+)\s*\)", re.IGNORECASE, needs=("escape",)
)
_FUNCTION = late(r"(?ms)^(\w+)\s*\(\)\s*\{(.{0,4000}?)(?:\n\}|[;}]\s*\}\s*$|\}\s*$)")
_GIVEN = late(r"(?m)(?:^|[\s;(&|])(?:local\s+|export\s+|readonly\s+)?(\w{5,})=")
_NAMES = late(r"(?<!\\)\$(?:\{(?!\w+:?-))?(?!TMPDIR\b)([A-Za-z_]\w{4,})\b(?!\}?\()")


def lost_word_problems(line: HookLine) -> Iterator[Problem]:
    """What keeps the words of a guard from being said, in the line and in its scripts."""
    if not line.text:
        return
    for shown, where, text in line.texts:
        script = line.scripts.get(shown, "")
        found = [*_of_patterns(text, where)]
        for ends, pattern, code, words, hint in _OF_LANGUAGES:
            if shown.endswith(ends) and (at := pattern.search(text)):
                found.append((code, f"{where} has `{at[1]}`, {words}", hint))
        if line.entry.guards and shown:
            shells = is_shell(shown, script) or shown.endswith(".ps1")  # of which each pipe has its own
            python = () if shells else _of_python(text, where)
            found += [*python, *_of_node(text, where), *_of_functions(text, where)]
            if "dev" in text and "command" in text.lower() and (device := hushed(text)):
                words = (
                    f"{where} looks for `{device:.40}`, which fits every command that writes to `/dev/null`"
                )
                found.append(("always-denies", words, "name the devices: `/dev/(sd|nvme|disk)`"))
        if shown and script.startswith("#!") and "sh" in script.split("\n", 1)[0]:
            found += _misspelt(text, where)
        for code, words, hint in found:
            yield line.entry.at_line(code, words, hint)


def _of_patterns(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    yield from _escaped_twice(text, where)
    yield from _taken_for_an_option(text, where)
    yield from _no_pattern(text, where)
    yield from _left_open(text, where)
    yield from _of_other_letters(text, where)
    if found := bare_bar(text):
        words = f"{where} looks for `{found[1]}`, whose bare `|` parts two patterns: every line with `{found[2]}` fits"
        yield "always-denies", words, "write `\\|` for the bar itself"
    yield from _empty_group(text, where)
    if found := _BEFORE_A_DOT.search(text):
        words = f"{where} looks for `{found[1]}`: the `\\b` wants a letter before the dot, and so misses `.{found[2]}`"
        yield "dead-pattern", words, "take the first `\\b` away"
    for found in _GREP.finditer(text):
        options = text[found.start() : found.start(1) if found[1] is not None else found.start(2)]
        perl = PERL.search(found[1] or found[2] or "")
        if perl and not re.search(r"-\w*[PF]", options):
            words = f"{where} has `grep` look for `{perl[0]}`, which only `grep -P` knows"
            yield "dead-pattern", words, plainer(perl[0])
            return


def _empty_group(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """A pattern for a fork bomb that fits none, as its `()` stands for nothing."""
    for found in _BOMB.finditer(text):
        pattern, row = (
            found["pattern"] or found["bare"],
            text[text.rfind("\n", 0, found.start()) + 1 : found.start()],
        )
        listed = not row.strip() and _matched(text, found.start())
        of_row = found["bare"] or _OF_PATTERN.search(row) or (found["quote"] == "/" and "grep" not in row)
        if not (listed or of_row):
            continue
        read, meant = (_compiled(each) for each in (pattern, pattern.replace(":()", r":\(\)")))
        fitted = [each for each in _BOMBS if meant.search(each)] if read and meant else []
        if read and fitted and not any(map(read.search, fitted)):
            part = pattern[pattern.index(":()") :]
            words = f"{where} looks for `{part:.20}`, where `()` is an empty group: no fork bomb fits that"
            yield "dead-pattern", words, "write `\\(\\)`"
            return


def _matched(text: str, at: int) -> bool:
    """Whether the elements of the list that a place stands in are extended patterns."""
    lists = re.findall(r"(?m)(\w+)\s*=\s*@?[\[(]\s*$", text[:at])
    over = re.search(
        rf"\bfor(?:each)?\s*\(?\s*(?:const\s+|let\s+)?\$?(\w+)\s+(?:in|of)\s+\"?\$?\{{?{lists[-1]}\b"
        if lists
        else r"(?!)",
        text,
    )
    return over is not None and bool(
        re.search(
            rf"grep\s+(?:-\w+\s+)*-\w*[EP]\w*\s+(?:-\w+\s+)*\"?\$\{{?{over[1]}\b|=~\s*\"?\$\{{?{over[1]}\b"
            rf"|\bre\.\w+\(\s*{over[1]}\b|RegExp\(\s*{over[1]}\b",
            text,
        )
    )


def _compiled(pattern: str) -> Pattern | None:
    try:
        return compile_pattern(pattern)
    except PatternError:
        return None


def plainer(sign: str) -> str:
    """What to write for a sign that only some `grep` know."""
    letter = chr(int(sign[2:], 16)) if sign.startswith("\\x") else ""
    if letter.isprintable() and letter not in ("", "`"):
        return f"write `grep -P`, or `{letter}` itself"
    return "write `grep -P`, or `[0-9]` for a digit" if sign == "\\d" else "write `grep -P`"


def bare_bar(text: str) -> re.Match[str] | None:
    """A pattern for a download that a shell runs, whose bar parts it in two."""
    return _BARE_BAR.search(text) if _AS_PATTERN.search(text) and not _AS_LETTERS.search(text) else None


def _listed(name: str, text: str, at: int = 0) -> list[str]:
    """What stands in the list that a loop, or a pipe of PowerShell, goes through under this name: the first, or the
    last before a place."""
    loops = [*re.finditer(_LOOPED % re.escape(name), text)]
    before = [each for each in loops if each.start() < at]
    over = _PIPED.search(text) if name == "_" else next(iter(before[-1:] or loops[:1]), None)
    opens = re.search(rf"(?m)^[^\n=]*?(?<![\w.]){over[1]}\s*(?::[^=\n]+)?=\s*@?[\[(]", text) if over else None
    split = re.search(_SPLIT % over[1], text) if over and not opens else None
    if split and (given := re.search(rf"(?m)^[ \t]*{split['of']}=([\"'])([^\n]*)\1", text)):
        return given[2].split(split["by"])
    first, _, further = text[opens.end() :].partition("\n") if opens else ("", "", "")
    inside = first if first.strip() else _LIST_ENDS.split(further)[0]
    return ["".join(each) for each in _ELEMENT.findall(inside)]


def _taken_for_an_option(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Patterns of `grep` that begin with a dash."""
    for found in _GREP_FOR.finditer(text):
        name = found["name"]
        for pattern in _listed(name, text, found.start()) if name else [found["pattern"]]:
            if (
                pattern.startswith("-")
                and (re.search(r"[^\w-]", pattern) or (name and _NO_OPTION.fullmatch(pattern)))
                and not _ENDS_OPTIONS.search(found["options"])
            ):
                words = f"{where} has `grep` look for `{pattern:.40}`, which it takes for an option: it finds nothing"
                yield "dead-pattern", words, "write `-e` before the pattern"
                return


def _left_open(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Patterns of `grep -E` with a bracket that nothing closes, which it refuses to look for."""
    for found in _EXTENDED.finditer(text):
        name = found["name"]
        for pattern in (
            _listed(name, text, found.start()) if name else [found["single"] or found["double"] or ""]
        ):
            if "\\\\" in pattern or re.search(r"\$[\w{(]|`", pattern):
                continue  # a shell makes another one of it
            signs = _OF_EXTENDED.findall(pattern)
            if signs.count("(") > signs.count(")") or "[" in signs:
                words = f"{where} has `grep -E` look for `{pattern:.40}`, whose bracket stays open: it finds nothing"
                yield "dead-pattern", words, "write `\\(` for the sign itself"
                return


def _no_pattern(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Patterns that begin with `^` where that is a letter: `-like "^src*"`, `startswith(each)`."""
    for found in _AS_TEXT.finditer(text):
        name = found["name"] or found["begins"]
        told = [found["text"]] if found["text"] is not None else _listed(name, text)
        if wrong := next((each for each in told if each.startswith("^")), ""):
            how = "`-like`, which knows no `^`" if "like" in found[0] else "as plain text"
            words = f"{where} compares with `{wrong:.40}` {how}: it fits nothing"
            yield "dead-pattern", words, "take the `^` away, or match it as a pattern"
            return


def _of_other_letters(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Patterns with a capital letter, for a text that was put into small ones, and the other way round."""
    for lowered in _LOWERED.finditer(text):
        name = lowered["name"]
        wrong, kind = (_CAPITAL, "small") if lowered["small"] else (_SMALL, "capital")
        given = re.findall(
            rf"(?<![\w.])(?:{name}\s*=(?!=)|def \w+\([^)\n]*\b{name}\b|function\s*\w*\([^)\n]*\b{name}\b)",
            text,
        )
        uses = (
            rf"\bre\.(?:search|match|findall)\(\s*(?:r?[\"'](?P<a>[^\"'\n]+)[\"']|(?P<list>\w+))\s*,\s*{name}\s*\)"
            rf"|[\"'](?P<b>[^\"'\n]+)[\"']\s+in\s+{name}\b"
            rf"|/(?P<c>[^/\n]+)/[gmsuvy]*\.test\(\s*{name}\s*\)|\b{name}\.(?:includes|startsWith)\(\s*[\"'](?P<d>[^\"'\n]+)[\"']"
            rf"|\"\$\{{?{name}\}}?\"\s*\|\s*e?grep\s+(?:-[a-hj-zA-Z]+\s+)*(?:'(?P<e>[^'\n]+)'|\"(?P<f>[^\"$\n]+)\")"
        )
        for found in re.finditer(uses, text[lowered.end() :]) if len(given) == 1 else ():
            told = [each for key, each in found.groupdict().items() if each and key != "list"]
            for part in re.split(r"[|()]", "|".join(told or _listed(found["list"], text))):
                if wrong.search("" if "(?i" in found[0] else _NO_LETTERS.sub(" ", part)):
                    words = f"{where} looks for `{part:.40}` in `{name}`, which is put into {kind} letters: never met"
                    yield "dead-pattern", words, f"write the pattern in {kind} letters"
                    return


def _escaped_twice(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Patterns of a list whose signs are taken for letters, as each is escaped before it is looked for."""
    for name in _ESCAPED.findall(text):
        looped = re.search(rf"\bfor(?:each)?\s*\(?\s*\$?{name}\s+in\s+\$?(\w+)", text)
        listed = re.search(rf"\b{looped[1]}\s*=\s*@?[\[(]([^\])]*)", text) if looped else None
        if listed and (sign := re.search(r"\\[.sbdw+*/-]", listed[1])):
            words = f"{where} has `{sign[0]}` in a list and escapes it again, so it looks for that very text"
            yield "dead-pattern", words, "write the words as they are, or compare without escaping"
            return


def _of_python(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    if "import" in text and len(_READS.findall(text)) > 1:
        words = f"{where} reads standard input a second time, when it is empty"
        yield "no-input", words, "read it once: `data = json.load(sys.stdin)`"


def _of_node(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """`process.exit` at the end of a script that waits for its input."""
    waits = re.search(r"stdin\.on\(\s*['\"]end['\"]", text)
    if waits and "await " not in text and re.search(r"(?m)^process\.exit\(", text[waits.end() :]):
        words = f"{where} ends before its input has come: nothing is ever looked at"
        yield "lost-exit", words, "take the last `process.exit` away"


def _of_functions(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """`exit 2` in a function that is only ever called in `$(…)`, which is a shell of its own."""
    for found in () if PASSED_ON.search(text) else _FUNCTION.finditer(text):
        name = re.escape(found[1])
        rest = text[: found.start()] + text[found.end() :]
        taken = re.search(rf"\$\(\s*{name}\b", rest)
        if (
            "exit 2" in found[2]
            and taken
            and not re.search(rf"(?m)(?:^|[;&|{{]|then|do)[ \t]*{name}\b", rest)
        ):
            words = f"{where} ends with 2 in `$({found[1]})`, which is a shell of its own, and goes on"
            yield "lost-exit", words, f"call it as `{found[1]}`, or hand its code on with `|| exit $?`"


# what a shell fills in nothing of; what stands in double quotes is kept
_SINGLE_QUOTED = late(r"(\"(?:[^\"\\]|\\.)*\"|\\.)|'[^']*'", re.DOTALL)


def _misspelt(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """A variable that nobody sets, one letter away from one that the script sets."""
    given = set(_GIVEN.findall(text))
    for name in dict.fromkeys(_NAMES.findall(_SINGLE_QUOTED.sub(lambda found: found[1] or "''", text))):
        meant = next((each for each in sorted(given) if edits(name, each, 1) == 1), "")
        if (
            meant
            and not assigned(name, text)
            and name.strip("_") != meant.strip("_")
            and {name, meant} != {meant, f"{meant}S"}
            and f"{name}S" != meant
        ):
            words = f"{where} reads `${name}`, which nobody sets"
            yield "unset-variable", words, f"did you mean `${meant}`?"
            return
