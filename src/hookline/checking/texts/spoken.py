"""What a script says in plain words of its own, and on which stream: shell, Python, JavaScript and PowerShell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.steps.here_documents import HereDocument, here_documents, without
from hookline.checking.steps.languages import is_python, is_shell
from hookline.checking.steps.python_steps import steps_of_python
from hookline.checking.steps.templates import without_inner
from hookline.checking.texts.python_words import words_of_python
from hookline.checking.texts.wants import TO_MEND
from hookline.checking.texts.words_said import APART, Spoken, joined
from hookline.system.patterns.late import late

_QUOTED = r"(?:\"(?P<double>(?:\\.|[^\"\\])*)\"|'(?P<single>[^']*)')"
_SHELL = (
    r"(?m)(?P<before>^|[;&|{()]|\b(?:then|do|else)\b)[ \t]*(?P<first>1?>[ \t]*&[ \t]*2[ \t]+)?(?P<by>echo|printf%s)"
    r"\s+(?P<early>(?:1?>[ \t]*&[ \t]*2|>[ \t]*/dev/stderr)\s+)?(?:-\w+\s+)*(?:[\"'](?:%%s|\\n)+[\"']\s+)?"
    rf"{_QUOTED.replace('%', '%%')}(?P<behind>[^\n;&|]*(?:&\d[^\n;&|]*)?)(?=(?P<next>\|(?!\|)|&&|\|\||;|\}}|$)?)"
)
_TO_ERRORS = late(r">\s*&\s*2|>\s*/dev/stderr")
_RUN_BY_PYTHON = late(
    r"(?m)(?:^|[;&|{]|\b(?:then|do|else)\b)[ \t]*python3?(?:[ \t]+-u)?"
    r"(?:[ \t]+-[ \t](?:[^$()|\n]|\$(?!\())*|[ \t]+-?[ \t]*)$",
    needs=("python",),
)
_ELSEWHERE = late(r"(?<![0-9&])1?>>?\s*(?!&|/dev/stdout)|\|(?!\|)")
# a group, a loop or the whole script whose output goes on somewhere
_SENT_ON = late(
    r"(?m)^(?P<margin>[ \t]*)(?:\}|\)|done|fi|esac)\s*(?:>|\d>|&>|\|(?!\|))|^[ \t]*exec\s+(?:\d?>|&>)"
)
# the same in one row
_GROUP_SENT = late(
    r"(?:\{[ \t](?:[^{}\n]|\$\{[^{}\n]*\})*;[ \t]*\}|(?<![$<>\w])\((?!\()(?:[^()\n]|\$\([^()\n]*\))*\))"
    r"(?=[ \t]*(?:1?>|&>|\|(?!\|)))(?![ \t]*1?>[ \t]*/dev/stdout)",
    needs=("{", "("),
)
_SUBSTITUTED = late(r"\$\(\s*(\w+)", needs=("$(",))
_SENT_AWAY = late(r"(?<![^\n;&|])([^\n;&|]*)(?:\|(?!\|)|(?<![0-9&])>>?\s*(?!&))", needs=("|", ">"))
_IN_QUOTES = late(r"(?<=[\s=(])(?:\"(?:\\.|[^\"\\\n`$]|\$(?!\())*\"|'[^'\n]*')(?=[\s;)]|$)", needs=('"', "'"))
_NAMES = late(r"\w+")
_ALL_TO_ERRORS = late(r"\bexec\s+1?>\s*(?:&\s*2|/dev/stderr)\s*(?:[;#]|$)", re.MULTILINE)
_COMMENT = late(r"(?m)^[ \t]*#[^\n]*", needs=("#",))
_FUNCTION = late(r"(?m)^([ \t]*)(?:function\s+)?(\w+)\s*\(\)", needs=("()",))
# a function that prints what it is given, and no more
_SHELL_HELPER = late(
    r"(?m)^[ \t]*(?:function\s+)?(\w+)\s*\(\)\s*\{\s*(?:local\s+\w+=\S+\s+)?"
    r"((?:echo|printf)\b[^\n;]*\$\{?(?:[*@]|(?:1|msg|message)\b)[^\n;]*)(?:;\s*|\s*\n\s*)"
    r"(?:(?!\s*(?:exit|return)\b)[^\n{}]*\n\s*){0,3}?\}"
)
_SHELL_GIVEN = late(rf"(?m)(?:^|[;&|{{]|\b(?:local|then|do|else)\b)[ \t]*(\w+)\+?=\(?[ \t]*{_QUOTED}")
_SHELL_LOOP = late(r"\bfor\s+(\w+)\s+in\s+\"?\$\{?(\w+)")
_SHELL_NAME = late(r"\$\{?(\w+)(?:\[[@*]\])?\}?")
_CALL = r"(?P<call>console\.(?:log|info|error|warn)|process\.std(?:out|err)\.write%s)\(\s*"
_LITERAL = r"(?P<quote>[\"'`])(?P<words>(?:\\.|(?!(?P=quote))[\s\S])*)(?P=quote)"
_SCRIPT_HELPER = late(
    r"(?:function\s+(?P<name>\w+)\s*\(\s*(?P<given>\w+)[^)\n]*\)[^{\n]*\{|(?:const|let)\s+(?P<named>\w+)\s*=\s*\(?\s*(?P<taken>\w+)[^=\n]*=>\s*\{?)"
    rf"\s*{_CALL % ''}(?!JSON\.stringify\()[^\n;]*\b(?:(?P=given)|(?P=taken))\b[^\n;]*;?\s*(?:\}}|\n)"
)
_SCRIPT_GIVEN = late(rf"\b(?P<name>\w+)(?:\.push\(|\s*\+?=(?!=))\s*{_LITERAL}")
_SCRIPT_LOOP = late(
    r"\bfor\s*\(\s*(?:const|let|var)\s+(?P<one>\w+)\s+of\s+(?P<all>\w+)\s*\)"
    r"|\b(?P<list>\w+)\.forEach\(\s*\(?\s*(?P<each>\w+)\b"
)
_JOINED_ON = late(rf"\s*\+\s*(?:{_LITERAL}|[\w.]{{1,60}}(?:\([^()\n]{{0,80}}\))?)")
_SCRIPT_FILLED, _FILLED_IN = late(r"\$\{(\w+)(?:\.(?:map|join|slice)\([^{}]*)?\}"), late(r"\$\{[^{}]*\}")
_POWERSHELL = late(
    r"(?im)(?:^|[{;])\s*(?P<call>Write-(?:Output|Host|Warning|Error)|\[Console\]::(?:Error\.)?Write(?:Line)?\()\s*"
    r"(?:(?P<quote>[\"'])(?P<words>(?:(?!(?P=quote)).)*)(?P=quote)|\(?\$(?P<name>\w+)\b(?![.\[]))[^\n|]*$"
)
_POWERSHELL_GIVEN = late(
    r"(?im)(?:^|[{;])[ \t]*\$(?P<name>\w+)\s*\+?=\s*(?:@\(\s*)?"
    r"(?:@(?P<here>[\"'])[ \t]*\n(?P<text>[^@]{0,2000})\n(?P=here)@"
    r"|(?P<quote>[\"'])(?P<words>(?:(?!(?P=quote)).)*)(?P=quote))"
)
_RUNS = late(r"\bexec(?:File)?Sync\(")
_JAVASCRIPT_ENDS = (".js", ".mjs", ".cjs", ".ts", ".mts")


def spoken_in(shown: str, text: str) -> Iterator[Spoken]:
    """What a script says, also by a function or a variable of its own; nothing of one whose parts send their output
    on as a whole. JSON is no such words."""
    if shown.endswith(_JAVASCRIPT_ENDS):
        said = _in_javascript(text)
    elif shown.endswith(".ps1"):
        said = _in_powershell(text)
    elif is_python(shown, text):
        said = words_of_python(text)
    elif is_shell(shown, text) or "fish" in text.partition("\n")[0]:
        said = _in_shell(*_without_sent(without_taken(text)))
    else:
        return
    for each in said:  # an answer that is printed where nobody looks for one is no answer
        if not each.words.lstrip().startswith(("[{", "%s") if each.on_stderr else ("{", "[{", "%s")):
            yield each


def without_taken(text: str) -> str:
    """A script without the functions whose output is kept, sent away or read by another; all else stays in place."""
    text = text.replace("\\\n", "  ")
    calls = _COMMENT.sub("", text)
    bare = _IN_QUOTES.sub('""', calls)
    sent = (words for each in _SENT_AWAY.findall(bare) for words in _NAMES.findall(each))
    taken = {*_SUBSTITUTED.findall(calls), *sent}
    for found in reversed(list(_FUNCTION.finditer(text))):
        if found[2] in taken:
            ends = re.compile(rf"[^\n]*\}}[ \t]*$|[\s\S]*?^{found[1]}\}}", re.MULTILINE).match(
                text, found.end()
            )
            end = ends.end() if ends else len(text)
            text = text[: found.start()] + re.sub(r"[^\n]", " ", text[found.start() : end]) + text[end:]
    return text


def _without_sent(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A script without what is sent on as a whole, and where it goes to standard error; nothing of one where it is
    not clear where that begins."""
    to_errors = []
    for all_of_it in _ALL_TO_ERRORS.finditer(text):
        to_errors.append((all_of_it.end(), len(text)))
        text = text[: all_of_it.start()] + re.sub(r"[^\n]", " ", all_of_it[0]) + text[all_of_it.end() :]
    for group in _GROUP_SENT.finditer(text):
        if _TO_ERRORS.match(text[group.end() :].lstrip(" \t1")):
            to_errors.append(group.span())
        else:
            text = text[: group.start()] + re.sub(r"[^\n]", " ", group[0]) + text[group.end() :]
    for found in reversed(list(_SENT_ON.finditer(text))):
        opens = rf"(?m)^{found['margin']}(?=\S)(?:[^\n]*(?:\b(?:do|then|in)|[{{(])[ \t]*$|[{{(][ \t]+[^\n{{}}()]*$)"
        opened = [*re.finditer(opens, text[: found.start()])] if found["margin"] is not None else []
        if not opened:
            return "", []
        start = opened[-1].start()
        if _TO_ERRORS.match(text, found.end() - 1):
            to_errors.append((start, found.start()))
            continue
        text = text[:start] + re.sub(r"[^\n]", " ", text[start : found.start()]) + text[found.start() :]
    return text, to_errors


def is_sent_on(text: str) -> bool:
    """Whether the output of a part of a script, or of all of it, goes on somewhere as a whole."""
    return any(look.search(text) for look in (_ALL_TO_ERRORS, _GROUP_SENT, _SENT_ON))


# -- shell --------------------------------------------------------------------------------------------


def _in_shell(text: str, to_errors: list[tuple[int, int]]) -> Iterator[Spoken]:
    documents = list(here_documents(text))
    for each in documents:
        yield from _of_program(each, text)
    printed = [each for each in documents if each.cat >= 0]
    for each in printed:
        sent = each.between + each.tail
        if "$(" not in text[each.start : each.cat] and not _ELSEWHERE.search(_TO_ERRORS.sub("", sent)):
            yield Spoken(each.text, bool(_TO_ERRORS.search(sent)), each.cat, each.end)
    bare = without(text, [(each.start, each.end) for each in printed])
    helpers = {
        each[1]: (bool(_TO_ERRORS.search(each[2])), each[2].partition("$")[0].partition('"')[2])
        for each in _SHELL_HELPER.finditer(bare)
        if not _ELSEWHERE.search(_TO_ERRORS.sub("", each[2]))
    }
    given = joined((each[1], _of_quotes(each)) for each in _SHELL_GIVEN.finditer(bare))
    parts = dict(_SHELL_LOOP.findall(bare))
    given.update((each, given[of]) for each, of in parts.items() if of in given)
    inside = [each.span() for each in _SHELL_HELPER.finditer(bare) if each[1] in helpers]
    for found in re.finditer(_SHELL % "".join(f"|{name}" for name in helpers), bare):
        if any(start < found.start("by") < end for start, end in inside):
            continue  # what it is given is said where it is called
        if found["by"] == "printf" and found["behind"].lstrip().startswith(","):
            continue  # of a program of awk
        behind = found["behind"] + (found["next"] or "")
        before = bare[bare.rfind("\n", 0, found.start() + 1) + 1 : found.end("before")]
        # in what began on an earlier line as well
        captured = "$(" in before or (behind.lstrip().startswith(")") and "(" not in before)
        if not captured and not _ELSEWHERE.search(_TO_ERRORS.sub("", behind)):
            on_stderr, begins = helpers.get(found["by"], (False, ""))
            told = begins + _of_quotes(found)
            names = [name for name in _SHELL_NAME.findall(told) if name in given]
            kept = " ".join(given[name] for name in names)
            lists = (parts[name] for name in names if name in parts)
            own = re.search(r"\w", _SHELL_NAME.sub("", told)) or not kept
            words = f"{told} {kept}".replace(APART, " ") if own else kept
            on_stderr = on_stderr or any(start < found.start("by") < end for start, end in to_errors)
            on_stderr = on_stderr or bool(found["first"] or found["early"] or _TO_ERRORS.search(behind))
            told = told if own else ""
            yield Spoken(words, on_stderr, found.start("by"), found.end(), told, (*names, *lists))


def _of_program(document: HereDocument, text: str) -> Iterator[Spoken]:
    """What a program of Python in a here-document says that ends well in any case."""
    sent = _TO_ERRORS.sub("", document.tail)
    if not _RUN_BY_PYTHON.search(text, document.start, document.mark) or _ELSEWHERE.search(sent):
        return
    steps = steps_of_python(document.text)
    if steps is not None and not steps.all_codes():
        all_of_it = sent != document.tail
        for each in words_of_python(document.text):
            yield Spoken(each.words, each.on_stderr or all_of_it, document.mark, document.end)


def _of_quotes(found: re.Match[str]) -> str:
    return found["double"] if found["double"] is not None else found["single"] or ""


# -- JavaScript and PowerShell ------------------------------------------------------------------------


def _in_javascript(text: str) -> Iterator[Spoken]:
    text = without_inner(text)
    helpers = {each["name"] or each["named"]: each["call"] for each in _SCRIPT_HELPER.finditer(text)}
    given = joined((each["name"], each["words"]) for each in _SCRIPT_GIVEN.finditer(text))
    loops = (each.groupdict() for each in _SCRIPT_LOOP.finditer(text))
    parts = {each["one"] or each["each"]: each["all"] or each["list"] for each in loops}
    given.update((one, given[every]) for one, every in parts.items() if every in given)
    filled_in = {name: _SCRIPT_FILLED.findall(words) for name, words in given.items() if "${" in words}
    for name, names in filled_in.items():
        given[name] = APART.join([given[name], *(given[each] for each in names if each in given)])
    calls = _CALL % "".join(rf"|\b{name}" for name in helpers)
    kept = "|".join(map(re.escape, given)) or r"(?!)"
    for found in re.finditer(rf"{calls}(?:{_LITERAL}|(?P<name>{kept})\b(?=[.),]))", text):
        if not _is_of_an_error(text, found.start()) or TO_MEND.search(found["words"] or ""):
            call = helpers.get(found["call"], found["call"])
            on_stderr = any(each in call for each in ("error", "warn", "stderr"))
            words = (
                f"{found['words']}{_joined_on(text, found.end())}"
                if found["name"] is None
                else given[found["name"]]
            )
            filled = _SCRIPT_FILLED.findall(found["words"] or "") if found["quote"] == "`" else ()
            names = [name for name in (*filled, found["name"]) if name in given]
            names += [parts[name] for name in names if name in parts]
            kept = " ".join(given[name] for name in filled if name in given)
            own = re.search(r"\w", _FILLED_IN.sub("", words)) or not kept
            told = f"{words} {kept}" if own and kept else words if own else kept
            words = words if own and kept else ""
            yield Spoken(told, on_stderr, found.start(), found.end(), words, tuple(names))
    for found in re.finditer(rf"{calls}\[(?P<parts>[^\]]{{0,4000}})\]\.join\(", text):
        if not _is_of_an_error(text, found.start()):
            call = helpers.get(found["call"], found["call"])
            on_stderr = any(each in call for each in ("error", "warn", "stderr"))
            words = "\n".join(each["words"] for each in re.finditer(_LITERAL, found["parts"]))
            yield Spoken(words, on_stderr, found.start(), found.end())


def _joined_on(text: str, at: int) -> str:
    """The texts that a `+` joins to what stands before a place."""
    words = ""
    while more := _JOINED_ON.match(text, at):
        words, at = words + (more["words"] or ""), more.end()
    return words


def _is_of_an_error(text: str, at: int) -> bool:
    """Whether it is said where something failed; the failure of a program that was run is a result like others."""
    caught = text.rfind("catch", max(0, at - 120), at)
    closed = caught >= 0 and text.count("}", caught, at) >= max(text.count("{", caught, at), 1)
    return caught >= 0 and not closed and not _RUNS.search(text, max(0, text.rfind("try", 0, caught)), caught)


def _in_powershell(text: str) -> Iterator[Spoken]:
    given = joined(
        (each["name"].lower(), each["words"] or each["text"] or "")
        for each in _POWERSHELL_GIVEN.finditer(text)
    )
    for found in _POWERSHELL.finditer(text):
        name = (found["name"] or "").lower()
        unknown = f"${found['name']}" if found["call"].lower() == "write-host" else ""
        words = given.get(name, unknown) if found["words"] is None else found["words"]
        if words and not _is_of_an_error(text, found.start()):
            yield Spoken(words, "error" in found["call"].lower(), found.start("call"), found.end())
