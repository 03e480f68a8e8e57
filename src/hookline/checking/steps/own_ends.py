"""Functions of a script that do nothing but end it with the code they are given: `finish(2)` is `process.exit(2)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.steps.languages import is_python, is_shell
from hookline.model.record import Record
from hookline.system.patterns.late import late

_LONGEST = 1500


class _Form(Record):
    """How a language writes such a function, and an end.

    `opens` has its name, and where it has one its parameter; `ends` is an end with it, `prints` what says something.
    `call`: a call with a number, `exit`: what stands for it, `nothing`: what stands for the end within.
    """

    opens: re.Pattern[str]
    closes: str
    ends: str
    prints: re.Pattern[str]
    call: str
    exit: str
    nothing: str


_CODE = "{code}"
_SCRIPT = _Form(
    late(
        r"(?m)^(?P<margin>[ \t]*)(?:function\s+(?P<name>\w+)\s*\(\s*(?P<code>\w+)[^()\n]{0,200}\)[^\n{]{0,60}\{"
        r"|(?:const|let|var)\s+(?P<named>\w+)\s*=\s*\(?\s*(?P<given>\w+)[^()\n=]{0,60}(?:=[^()\n=]{0,60})?\)?[^\n=]{0,60}=>)"
    ),
    r"\n{margin}\}}|;[ \t]*(?:\}}[ \t;]*)?\n",
    r"\bprocess\.exit\(\s*{code}\s*\)|\bprocess\.exitCode\s*=\s*{code}\b",
    late(r"\bconsole\.|\bstderr\b"),
    r"(?<![\w.$])(?<!function ){name}\(\s*(\d)\s*\)",
    "process.exit({0})",
    "void ({code})",
)
_PYTHON = _Form(
    late(r"(?m)^(?P<margin>[ \t]*)def\s+(?P<name>\w+)\s*\(\s*(?P<code>\w+)[^()\n]{0,200}\)[^\n:]{0,60}:"),
    r"\n(?!{margin}[ \t]|[ \t]*\n)",
    r"\b(?:sys\.exit|os\._exit|SystemExit)\(\s*{code}\s*\)",
    late(r"\bprint\(|\bstderr\.write|\blog"),
    r"(?<![\w.])(?<!def ){name}\(\s*(\d)\s*\)",
    "sys.exit({0})",
    "int({code})",
)
_SHELL = _Form(
    late(r"(?m)^(?P<margin>[ \t]*)(?:function\s+)?(?P<name>\w+)\s*\(\)\s*\{(?:\s*local\s+(?P<code>\w+)=\"?\$\{?1\b)?"),
    r"\n{margin}\}}|\}}[ \t]*\n",
    r"\bexit[ \t]+\"?\$\{{?{code}\b(?::-\d)?\}}?\"?",
    late(r"\b(?:echo|printf|cat|jq|log\w*)\b"),
    r"(?m)(?<![^\n;&|{{ \t]){name}[ \t]+\"?(\d)\"?(?=[ \t]*(?:$|[;&|}}#]))",
    "exit {0}",
    ":",
)  # fmt: skip


def with_own_ends(shown: str, text: str) -> str:
    """The text with the end itself where such a function is called with a number."""
    form = _SHELL if is_shell(shown, text) else _PYTHON if is_python(shown, text) else _SCRIPT
    for name, code in dict(_ending(form, text)).items():
        text = re.sub(form.call.format(name=name), lambda found: form.exit.format(found[1]), text)
        if len(re.findall(rf"(?<![\w.$]){name}\b", text)) == 1:  # where it is written, and called no more
            text = re.sub(form.ends.format(code=code), form.nothing.format(code=code), text, count=1)
    return text


def _ending(form: _Form, text: str) -> Iterator[tuple[str, str]]:
    """The functions that end the script with what they are given and say nothing, each with its parameter."""
    for found in form.opens.finditer(text):
        groups = found.groupdict()
        name, code = groups["name"] or groups.get("named"), groups["code"] or groups.get("given") or "1"
        closes = re.compile(form.closes.format(margin=groups["margin"])).search(text, found.end())
        body = text[found.end() : min(closes.end() if closes else len(text), found.end() + _LONGEST)]
        if name and re.search(form.ends.format(code=code), body) and not form.prints.search(body):
            yield name, code
