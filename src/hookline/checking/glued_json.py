"""Answers in JSON that a shell glues together: a quote in what is filled in breaks them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.system.patterns.late import late

_ECHO = late(r"(?:echo|printf)\s++(?:-\w++\s++){0,9}+\"\s*+\{[^\n]{0,800}\\\"[^\n\"$]*+\$\{?(\w+)")
# a text in single quotes that is left for a moment: `'{"reason": "'"$why"'"}'`
_SPLICED = late(
    r"(?:echo|printf)\s+(?:-\w+\s+)*'\{[^'\n]*:\s*\"[^'\"\n]*'\"(?P<what>\$[^\n]{1,80}?)\"'[^'\n]*\""
)
_RISKY = late(
    r"(?:^|_)(?:cmd|command|input|prompt|file|path|file_path|msg|message|reason|output|content|text|summary|error|failure|detail|log|diff)s?$",
    re.IGNORECASE,
)
# what is kept in a file, or handed to another program, is no answer
_ELSEWHERE = late(r"(?:[^\n\"\\]|\\.){0,800}+\"\s*+(?:1?>>?\s*+(?!&|/dev/stdout\b)|\|\s*+(?!cat\b|jq\b))")
_MADE_BY_JQ = late(r"\$\(.*\bjq\b.*(?:-R|@json|tojson)")
_NUMBER = late(
    r"\d+\s*$|\$\(\(|\$\(\s*(?:\w+\s[^\n|]{0,200}\|\s*)?(?:e?grep\s+(?:-\w+\s+)*-\w*c|wc\s+-|date\s+\+%s)|\$\{\w+:-\d+\}"
)
_TEXT = late(r"\"([^\"`\\]*)\"(?=[\s;&|)]|$)")
_FILLED_IN = late(r"\$\{?(\w+)(?::-\d+)?\}?")
_DEEPEST = 4
_KEY = (
    r"\{\{?\s*\\?\"(?:decision|reason|permissionDecision|hookSpecificOutput|continue|systemMessage|additionalContext"
    r"|permission)\\?\"\s*:"
)
_INSIDE = r"(?:(?!(?P=q)).)"
_QUOTE = rf"(?P<q>\"\"\"|'''|')[^\n]{{0,40}}?{_KEY}{_INSIDE}{{0,300}}?\"[^\"{{}}\n]{{0,80}}"
# a text with such a key, and what is filled in between quotes of it: `{cmd}`, `%s`, `{}`, `${cmd}`
_BY_HAND = tuple(
    late(form, re.DOTALL)
    for form in (
        rf"\bf{_QUOTE}(?<!\{{)\{{(?!\{{)(?P<name>[^{{}}\n]{{1,60}})\}}",
        rf"{_QUOTE}%s{_INSIDE}{{0,200}}(?P=q)\s*%\s*\(?\s*(?P<name>\w+)",
        rf"{_QUOTE}\{{\}}{_INSIDE}{{0,200}}(?P=q)\s*\.format\(\s*(?P<name>\w+)",
        rf"(?P<q>`)\s*{_KEY}{_INSIDE}{{0,300}}?\"[^\"`]{{0,80}}\$\{{(?P<name>(?!JSON)[^{{}}`\n]{{1,60}})\}}",
    )
)
_DOCUMENT = late(r"\bcat\b[^\n]*<<-?\s*(\w+)[^\n>|]*\n\s*(\{[\s\S]*?)^\s*\1\s*$", re.MULTILINE, needs=("<<",))
_ANSWERS = late(r"decision|hookSpecificOutput|permission|continue|systemMessage|additionalContext")
_IN_QUOTES = late(r":\s*\"[^\"\n]{0,200}?\$\{?(\w+)")
_OF_THE_CALL = (
    r"(?<![\w$])%s=\"?\$\([^\n]*\.(?:tool_input\.)?(?:command|file_path|prompt|content|new_string|message)\b"
)


def glued_json(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """The first variable of unknown content between the quotes of an answer."""
    for found in _ECHO.finditer(text):
        name = found[1]
        if _RISKY.search(name) and not _ELSEWHERE.match(text, found.end()) and not _is_plain(name, text):
            yield _of_shell(name, where)
            return
    for spliced in _SPLICED.finditer(text):
        name = next(filter(_RISKY.search, re.findall(r"\$\{?(\w+)", spliced["what"])), "")
        if name and "jq" not in spliced["what"] and not _is_plain(name, text):
            yield _of_shell(name, where)
            return
    for document in _DOCUMENT.finditer(text):
        for name in _IN_QUOTES.findall(document[2]):
            risky = _RISKY.search(name) or re.search(_OF_THE_CALL % re.escape(name), text)
            if risky and not _is_plain(name, text) and _ANSWERS.search(document[2]):
                yield _of_shell(name, where)
                return
    for form in _BY_HAND if "{" in text else ():
        if by_hand := form.search(text):
            name = by_hand["name"].strip()
            made = "JSON.stringify" if by_hand["q"] == "`" else "json.dumps"
            words = f"{where} puts `{name:.40}` between the quotes of JSON: a quote in it breaks the answer"
            yield "glued-json", words, f"print `{made}({{…}})`"
            return


def _of_shell(name: str, where: str) -> tuple[str, str, str]:
    words = f"{where} puts `${name}` between the quotes of JSON: a quote in it breaks the answer"
    return "glued-json", words, f"build it with `jq -n --arg {name.lower()} \"${name}\" '{{…}}'`"


def _is_plain(name: str, text: str, inside: tuple[str, ...] = ()) -> bool:
    """Whether every value it is given is plain text, a number, JSON made by a program, or put together of those."""
    if name in inside:
        return True  # what is added to itself: the other parts count
    values = re.findall(rf"(?<![\w$]){re.escape(name)}=([^\n]*)", text)
    further = (*inside, name)
    return (
        bool(values)
        and len(inside) < _DEEPEST
        and all(_is_plain_value(each, text, further) for each in values)
    )


def _is_plain_value(value: str, text: str, inside: tuple[str, ...]) -> bool:
    if re.match(r"'[^']*'|\w+\s*$", value) or _MADE_BY_JQ.match(value) or _NUMBER.match(value):
        return True
    quoted = _TEXT.match(value)
    if quoted is None or "$(" in quoted[1]:
        return False
    return all(_is_plain(name, text, inside) for name in _FILLED_IN.findall(quoted[1]))
