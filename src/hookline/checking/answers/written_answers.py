"""Answers as they stand in a script: objects of JSON, Python, JavaScript or jq, and whether they are printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from hookline.checking.answers.powershell_objects import (
    ESCAPED,
    GIVEN,
    JSON,
    OPENS,
    is_printed,
    with_signs_of_json,
)
from hookline.checking.answers.taken_code import is_recorded, is_taken
from hookline.dialects.refusals import REFUSES
from hookline.model.record import Record
from hookline.model.typing import Any
from hookline.system.patterns.late import late


class Written(Record):
    """One object in a text, from `at` to `end`. `value` has `UNKNOWN` where the text has no fixed value."""

    value: dict[str, Any]
    at: int
    end: int
    printed: bool


UNKNOWN = object()
ITS_EVENT = "the event of the hook"  # where its name is filled in
_SHORT = frozenset(
    {"decision", "permission", "permissionDecision", "cancel", "systemMessage", "additionalContext"}
)
_DECIDING = frozenset(key for key, words in REFUSES.items() if "deny" in words)
_NO = frozenset({"block", "deny"})
_DECIDES = ("allow", "approve", "ask", "block", "deny")
_MOST = 20  # objects looked at in one text
_LONGEST = 2000
_NEAR = 400  # a key of an answer stands this near to where its object opens
_ANSWERS = late(
    r"\b(?:\w*[dD]ecision|permission|verdict|behavior|action|ok|reject|Reject|continue|shouldContinue|proceed|cancel|block(?:ed)?"
    r"|den(?:y|ied)|allow(?:ed)?|approved?|hookSpecificOutput|systemMessage|\w*[cC]ontext(?:Injection)?|updatedInput|updated_input"
    r"|\w*[rR]eason|feedback|\w*[mM]essage|\w*[pP]rompt|instructions|modified\w+|contextModification|output|result|error)\b"
)
_KEY = r"\\?[\"']?(\w+)\\?[\"']?"
_OPENS = late(rf"\{{\s*{_KEY}\s*[:,}}]", needs=("{",))
_STRINGIFIES = late(r"\bstringify\(\s*\Z")
_MEMBER = late(rf"\s*{_KEY}\s*(:|(?=[,}}]))")
_STRING = late(r"""(\\?["'`])((?:(?!\1)(?:\\.|[^\\\n]))*)\1""")
_PLAIN = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "$true": True,
    "$false": False,
}  # fmt: skip
_PLAIN_WORD = late(r"\$?\w+")
# one of two words, by a condition: of JavaScript, Python and PowerShell
_CHOSEN = late(
    r"(?:[^,{}\[\]\n\"']{1,200}\?\s*)?[\"'](\w+)[\"']\s*(?::\s*|if\b[^,{}\[\]\n]{1,200}\belse\s+)[\"'](\w+)[\"']"
    r"|if\s*\([^(){}\n]{1,200}\)\s*\{\s*[\"'](\w+)[\"']\s*\}\s*else\s*\{\s*[\"'](\w+)[\"']\s*\}"
)
_CLOSES = late(r"\s*\}")
_DELIMITER = late(r"\s*([,}\]])")
_FORMAT = r"(?:\s+(?:'%s(?:\\n)?'|\"%s(?:\\n)?\"|%s))?"
_AS_JSON = r"(?:json\.dumps\(\s*|JSON\.stringify\(\s*|f?[\"'`]{1,3})"
_PRINTS = late(
    rf"(?:(?<![$\w(`-])(?:echo|printf)(?:\s+-\w+)*{_FORMAT}\s+[\"']\s*"
    rf"|\bprint\(\s*{_AS_JSON}\s*|(?:console\.log|stdout\.write)\(\s*{_AS_JSON}\s*"
    r"|\bWrite-(?:Output|Host)\s+[\"']\s*"
    r"|(?<![$\w(`-])jq\s+-\w*n\w*\s[^|;&\n]*'\s*|\bcat\s*<<-?\s*[\"']?\w+[\"']?\s*\n\s*)$"
)
# the program of a `jq` whose output nobody takes: what stands in it is printed
_JQ_PRINTS = late(
    r"(?:^|[\n;&|{]|\bthen|\bdo)[ \t]*jq(?:\s+-[\w-]+)*\s+'(?:[^'\n]*(?:\bthen|\belse|\|))?\s*$"
)
_SAYS_JSON = (
    r"(?:\bprint\(\s*json\.dumps|\b(?:console\.log|stdout\.write)\(\s*(?:`\$\{)?JSON\.stringify|\bstdout\.write\(\s*json\.dumps"
    r"|\bjson\.dump|\bwriteSync\(\s*1\s*,\s*JSON\.stringify)\(\s*"
)
_TO_ERRORS = (
    r"[^\n]{0,80}(?:stderr|file\s*=)"
    r"|\s*,(?!\s*(?:sys\.stdout|ensure_ascii|default|null|separators|indent|sort_keys))"
)
_JSON_TO_ERRORS = (
    r"(?:\b(?:json\.dump|print\(\s*json\.dumps)\(\s*{0}\b[^\n]{{0,80}}stderr"
    r"|(?:console\.error|stderr\.write)\(\s*(?:JSON\.stringify|json\.dumps)\(\s*{0}\b)"
)
_HELD = late(r"(?<![\w.])(\w+)\s*(?::[ \t]*[\w\[\], .]{1,40})?=\s*$")
_HANDED = late(r"(?<![\w.])(\w+)\(\s*$")
_TO_OUTPUT = late(r"\s*,\s*(?:fp\s*=\s*)?sys\.stdout\b")
_CALL_ENDS = late(r"\s*(?:,\s*)?\)")
_TAKEN = late(r"\$\([^)\n]*$|`[^`\n]*$")
_INSIDE = late(r"\$\((?:[^()]|\([^()]*\))*\)")
_ELSEWHERE = late(r"[^\n;]*?(?:\||>|stderr)")
_SAYS_TEXT = late(
    r"(?:echo|printf)\s+(?:-\w+\s+)?(?:\"(?!\s*[{\[$])[^\"`|>&;]+\"|'[^'{\[|>&;]+'|[^\s\"'{\[$`|>&;-][^\"'{\[$`|>&;]*)\s*"
    r"|(?:print|console\.log)\(\s*[\"'][^\"'{\[]+[\"']\s*(?:,(?!.*\bfile\s*=).*)?\);?\s*"
    r"|print\(\s*f(?:\"[^\"{\[][^\"]*\"|'[^'{\[][^']*')\s*\)\s*"
    r"|Write-(?:Host|Output)\s+(?:\"[^\"{\[$`]+\"|'[^'{\[]+')(?:\s+-\w+\s+\w+)*\s*"
)
# An object that a language prints in its own spelling, or a shell with the quotes of Python: by what stands before it.
_OWN_SPELLING = (
    (r"(?<![\w.])(?:print\(\s*(?:str\(\s*)?|sys\.stdout\.write\(\s*str\(\s*)%s", "`print(json.dumps(…))`"),
    (r"console\.log\(\s*%s", "`console.log(JSON.stringify(…))`"),
)
_SHELL_PRINTS = late(rf"(?<![$\w(`-])(?:echo|printf)(?:\s+-\w+)*{_FORMAT}\s+\"\s*$")
_QUOTES_LOST = late(rf"(?:echo|printf)(?:[ \t]+-\w+)*{_FORMAT}[ \t]+\"\{{\"", needs=('"{"',))
_SINGLE_QUOTED_KEY = late(r"\{\s*'")
_TO_STDERR = late(r"[^\n]*?(?:>\s*&\s*2|>\s*/dev/stderr|file\s*=\s*sys\.stderr)")
_STDERR_BEFORE = late(
    r"(?:console\.error|stderr\.write)\([^\n;]*$|>\s*&\s*2[^\n]*<<[^\n]*\n\s*$|<<[^\n]*>\s*&\s*2[^\n]*\n\s*$"
)
_CODE_OPENS = late(r"\s-[ce]\s+([\"'])[^\"'\n]*$", needs=("-c", "-e"))
_HERE_DOCUMENT = late(r"<<-?\s*[\"']?(\w+)")
_OPENS_FUNCTION = late(r"(?m)^(?:function\s+)?(\w+)\s*\(\)\s*\{")
_DEEPEST = 6
# of a file, or right below a `def` or a `class`
_DOCSTRING = late(
    r"(?:\A(?>(?:#[^\n]*\n|\s)*)|:[ \t]*\n[ \t]*)[rR]?\"\"\"[\s\S]*?\"\"\"[ \t]*$",
    re.MULTILINE,
    needs=('"""',),
)


def written_answers(text: str) -> Iterator[Written]:
    """The outermost objects of a text, at most twenty that may be answers; what does not end like one is left out."""
    end = 0
    if "ConvertTo-Json" in text or GIVEN.search(text):
        yield from _of_powershell(text)
        if not JSON.search(text):
            return
    if '`"' in text:  # JSON in a text of PowerShell
        text = ESCAPED.sub(lambda found: ' "' if found[1] else '" ' if found[2] else "  ", text)
    told = [each.span() for each in _DOCSTRING.finditer(text)] if '"""' in text else []
    opened = (
        found
        for found in _OPENS.finditer(text)
        if not _fills_in(found)
        and _ANSWERS.search(text, found.start(), found.start() + _NEAR)
        and not any(start < found.start() < stop for start, stop in told)
    )
    for found in islice(opened, _MOST):
        if found.start() < end:
            continue
        value, after = _object(text[: found.start() + _LONGEST], found.start())
        if isinstance(value, dict) and value and not is_recorded(text, found.start()):
            end = after
            yield Written(value, found.start(), after, _is_printed(text, found.start(), after))


def _of_powershell(text: str) -> Iterator[Written]:
    """`@{ decision = "block" } | ConvertTo-Json`: read as JSON whose signs stand at the same places."""
    plain, end = with_signs_of_json(text), 0
    for found in islice(OPENS.finditer(text), _MOST):
        value, after = _object(plain[: found.start() + _LONGEST], found.end() - 1)
        if found.start() >= end and isinstance(value, dict) and value:
            end = after
            yield Written(value, found.start(), after, is_printed(text, found.start(), after))


def _fills_in(found: re.Match[str]) -> bool:
    """Whether it is `{20,}`, or `{name}` as a text that is filled in has it and no answer of JavaScript by one name."""
    alone = found[0].endswith("}") and found[1] not in _SHORT
    written = alone and _STRINGIFIES.search(found.string, max(0, found.start() - 20), found.start())
    return found[1].isdigit() or (alone and not written)


def misprinted(text: str, written: Written) -> str:
    """How to print an object that comes out as something else than JSON; empty where it is JSON."""
    before = text[max(0, written.at - 300) : written.at]
    held = _HELD.search(before)
    named = held[1] if held and not _is_given_again(text, held[1], written.end) else ""
    for prints, right in _OWN_SPELLING:
        if re.search(f"{prints % ''}$", before) or (
            named and re.search(prints % rf"{named}\s*\)", text[written.end :])
        ):
            return right
    if _QUOTES_LOST.search(text, max(0, written.at - 40), written.at + 2):
        return "it between `'`, or a `\\` before each quote inside"
    quoted = _SHELL_PRINTS.search(before) and _SINGLE_QUOTED_KEY.match(text, written.at)
    return "it with `\"` around its keys and words, the whole in `'`" if quoted else ""


def on_stderr(text: str, written: Written) -> bool:
    """Whether an object is printed on standard error."""
    before = text[max(0, written.at - 300) : written.at]
    held, handed = _HELD.search(before), _HANDED.search(before)
    if held:
        return bool(re.compile(_JSON_TO_ERRORS.format(re.escape(held[1]))).search(text, written.end))
    if handed and (given := _body_of(text, handed[1])):
        return bool(re.search(_JSON_TO_ERRORS.format(given[0]), given[1]))
    return bool(_TO_STDERR.match(text, written.end) or _STDERR_BEFORE.search(before))


def spoken_first(text: str) -> tuple[int, str] | None:
    """Where a text prints plain words whatever happens, and the statement that does; None where it does not."""
    at, inside = 0, ""  # of a here-document, or of code in quotes, by what ends it
    for line in text.splitlines(keepends=True):
        if inside:
            ends = line.strip() == inside or (inside in "\"'" and line.lstrip().startswith(inside))
            inside = "" if ends else inside
        elif _SAYS_TEXT.fullmatch(line):
            return at, line.strip()
        elif opened := _HERE_DOCUMENT.search(line) or _CODE_OPENS.search(line):
            inside = opened[1]
        at += len(line)
    return None


def called_at(text: str, at: int) -> int:
    """Where the function is called last in which a place stands; -1 where it stands in none."""
    opened = [*_OPENS_FUNCTION.finditer(text, 0, at)]
    closed = text.find("\n}", opened[-1].end()) if opened else -1
    calls = (
        re.finditer(rf"(?m)(?:^|[;&|{{]|\bthen|\belse)[ \t]*{opened[-1][1]}\b", text) if closed > at else ()
    )
    return max((each.start() for each in calls), default=-1)


def never_made(text: str, written: Written) -> bool:
    """Whether an answer stands in a function of a shell that is never called with an argument which it has in it."""
    opened = [*_OPENS_FUNCTION.finditer(text, 0, written.at)]
    closed = text.find("\n}", opened[-1].end()) if opened else -1
    if closed < written.at:
        return False
    body = text[opened[-1].end() : closed]
    names = re.findall(r"\$\{?(\w+)", text[written.at : written.end])
    given = [found for name in names if (found := re.search(rf"(?<![\w$]){name}=\"?\$\{{?([2-9])", body))]
    calls = re.findall(rf"(?m)(?:^|[;&|{{]|\bthen|\belse)[ \t]*{opened[-1][1]}\b(?!\s*\()([^\n;&|]*)", text)
    most = max((len(re.findall(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S+", each)) for each in calls), default=9)
    return any(int(each[1]) > most for each in given)


def filled_in(value: Any) -> Iterator[dict[str, Any]]:
    """The object with each unknown part as a text, as true, and left out: one of them is near to what is said."""
    for stand_in in ("x", True):
        yield _with(value, stand_in)
    yield _with(value, UNKNOWN)


def read_as(value: Any) -> Iterator[dict[str, Any]]:
    """The object with each decision in it that is unknown as a word that decides, and as anything else."""
    for word in _DECIDES:
        if (decided := _decided(value, word)) != value:
            yield from filled_in(decided)
    yield from filled_in(value)


def _decided(value: Any, word: str) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        key: word if each is UNKNOWN and key in _DECIDING else _decided(each, word)
        for key, each in value.items()
    }


def _with(value: Any, stand_in: object) -> Any:
    if isinstance(value, dict):
        inner = {
            key: ITS_EVENT if key == "hookEventName" and each is UNKNOWN else _with(each, stand_in)
            for key, each in value.items()
        }
        return {key: each for key, each in inner.items() if each is not UNKNOWN}
    if isinstance(value, list):
        return [found for each in value if (found := _with(each, stand_in)) is not UNKNOWN]
    return stand_in if value is UNKNOWN else value


def _is_printed(text: str, start: int, end: int) -> bool:
    if is_taken(text, start):
        return False
    before = text[max(0, start - 300) : start].replace("\\\n", "  ")
    printed = _PRINTS.search(before) or (_JQ_PRINTS.search(before) and not _TAKEN.search(before))
    if printed:
        rest = text[end:].replace("\\\n", "  ").partition("\n")[0]
        return not _ELSEWHERE.match(_INSIDE.sub("", rest))
    held, handed = _HELD.search(before), _HANDED.search(before)
    if before.endswith("json.dump("):
        return bool(_TO_OUTPUT.match(text, end))
    if held:
        return _prints(text, held[1], end)
    return bool(handed and _CALL_ENDS.match(text, end) and _says_what_it_is_given(text, handed[1]))


def _prints(text: str, name: str, at: int) -> bool:
    """Whether what is held under a name is printed as JSON behind a place, before it is given another value."""
    said = re.compile(rf"{_SAYS_JSON}{re.escape(name)}\b(?!\s*[.\[(])(?!{_TO_ERRORS})").search(text, at)
    again = _is_given_again(text, name, at)
    return said is not None and (again is None or said.start() < again.start())


def _is_given_again(text: str, name: str, at: int) -> re.Match[str] | None:
    return re.compile(rf"\b{re.escape(name)}\s*(?::[^=\n]{{1,40}})?=(?!=)").search(text, at)


def _says_what_it_is_given(text: str, name: str) -> bool:
    """Whether a function of this name prints its one argument as JSON: `emit({…})`."""
    found = _body_of(text, name)
    return bool(found and re.search(rf"{_SAYS_JSON}{found[0]}\b(?!\s*[.\[(])(?!{_TO_ERRORS})", found[1]))


def _body_of(text: str, name: str) -> tuple[str, str] | None:
    """The first argument of a function of this name, and how its body begins."""
    opens = re.search(
        rf"(?:\bfunction\s+{name}\s*|\bdef\s+{name}|\b(?:const|let|var)\s+{name}\s*=\s*(?:async\s*)?(?:function\s*)?)"
        r"\(?\s*(\w+)[^()\n]{0,60}\)?[^\n]{0,40}(?:=>|[{:])", text,
    )  # fmt: skip
    return (opens[1], text[opens.end() : opens.end() + 200]) if opens else None


def _object(text: str, at: int, depth: int = 0) -> tuple[Any, int]:
    """The object that opens there, and where it ends; UNKNOWN where something else stands in it."""
    found: dict[str, Any] = {}
    at += 1
    while member := _MEMBER.match(text, at):
        # `{decision}` of JavaScript has no colon
        found[member[1]], at = _value(text, member.end(), depth) if member[2] else (UNKNOWN, member.end())
        ends = _DELIMITER.match(text, at)
        if ends is None or ends[1] == "]":
            return UNKNOWN, at
        at = ends.end()
        if ends[1] == "}":
            return found, at
    closes = _CLOSES.match(text, at)  # behind a comma at the end
    return (found, closes.end()) if closes and found else (UNKNOWN, at)


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    while text[at : at + 1].isspace():
        at += 1
    value, end = UNKNOWN, at
    if text[at : at + 1] == "{" and depth < _DEEPEST:
        value, end = _object(text, at, depth + 1)
    elif (string := _STRING.match(text, at)) and not _CHOSEN.match(text, at):
        value, end = _text(string), string.end()
    elif (chosen := _CHOSEN.match(text, at)) and (refuses := _NO.intersection(chosen.groups())):
        value, end = min(refuses), chosen.end()
    elif word := _PLAIN_WORD.match(text, at):
        value, end = _PLAIN.get(word[0], UNKNOWN), word.end()
    if value is not UNKNOWN and _DELIMITER.match(text, end):
        return value, end
    return UNKNOWN, _skipped(text, at)


def _text(found: re.Match[str]) -> Any:
    """The text of a literal; UNKNOWN where something is filled in."""
    quote, inside = found[1], found[2]
    if ("$" in inside and quote != "'") or ("{" in inside and quote == "`") or inside == "%s":
        return UNKNOWN
    return inside.replace('\\"', '"')


def _skipped(text: str, at: int) -> int:
    """Behind an expression: where a comma or a bracket ends it."""
    depth = 0
    while at < len(text):
        if string := _STRING.match(text, at):
            at = string.end()
            continue
        letter = text[at]
        if depth == 0 and letter in ",}]":
            return at
        depth += (letter in "([{") - (letter in ")]}")
        at += 1
    return at


def without(text: str, answers: Sequence[Written]) -> str:
    """A text without what these answers say, which others hear."""
    for each in sorted(answers, key=lambda each: -each.at):
        text = text[: each.at] + text[each.end :]
    return text
