"""Code in a here-document that reads standard input: the document itself is its standard input, not the call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_OPENED = late(
    r"(?m)(?<![\w./-])(?P<by>python3?|node|(?:ba|z|da)?sh)(?P<words>(?:[ \t]{1,9}(?!<)[^\s<|;&()]{1,200}){0,8})[ \t]*"
    r"(?:2>\S+[ \t]*)?<<-?[ \t]*[\"']?(?P<end>\w+)[\"']?(?P<behind>[^\n]*)\n",
    needs=("<<",),
)
_GIVEN_BEHIND = late(r"[ \t]+[^\s|&;<>()\d]")
_READS = {
    "python": late(r"\bsys\.stdin\b|(?<![\w.])input\(\s*\)|open\(\s*(?:0|[\"']/dev/stdin)"),
    "node": late(r"process\.stdin\b|readFileSync\(\s*(?:0|[\"']/dev/stdin)"),
    "sh": late(r"\$\(\s*cat\s*\)|\$\(\s*<\s*/dev/stdin|(?m:^[ \t]*(?:IFS=\S*\s+)?read\s+-\w*r)"),
}
# the text of a variable that the input is not in
_PIPED = late(
    r"\b(?:echo|printf)\b[^\n|]*\$(?!\{?(?i:\w*(?:input|payload|event|json|call|data|stdin|raw|hook))\b)[^\n|]*\|[^\n|]*\Z"
)
_FROM_THERE = late(r"(?:^|\s)-(?:\s|$)|(?:^|\s)-s\b")

_OF_ARGUMENT = late(
    r"JSON\.parse\(\s*process\.argv\[2\]|json\.loads\(\s*sys\.argv\[1\]"
    r"|(?:echo|printf\s+\S+)\s+\"\$\{?1\}?\"\s*\|\s*jq\b|<<<\s*\"\$\{?1\}?\""
    r"|(?m:^(\w+)=\"?\$\{?1(?::-[^}\n]*)?\}?\"?[ \t]*$)(?s:.{0,600}?)"
    r"(?:\"\$\{?\1\}?\"\s*\|\s*jq\b|<<<\s*\"?\$\{?\1\b)"
)
# a value of the call's JSON up to the next quote: `"command":"[^"]*`
_UP_TO_A_QUOTE = late(
    r"\\?\"(?P<name>command|content|new_string|new_str|old_string|prompt|text|message)\\?\""
    r"(?:\\s|\[\[:space:\]\]|[*+:\s]){1,9}\\?\"(?:\\K|\\?\()?\[\^\\?\"\]",
    needs=('"',),
)
# what stands between quotes in a whole line, by its number
_BY_PLACE = late(
    r"(?m)^(?:(?![ \t]*#|\b(?:e?grep|rg|sed|jq|tr|fold|python3?|node)\b|\.json\b)[^\n])*?"
    r"(?:\bawk\s+-F\s*(?:'\"'|\\?\"\\\"\\?\")\s+'/\"?(?P<name>tool_name|file_path|command|prompt|cwd|content)\"?/"
    r"\s*\{\s*print\s+\$\d|\bgrep\s+['\"]\\?\"?(?P<other>tool_name|file_path|command|prompt|cwd|content)\\?\"?['\"]"
    r"\s*\|\s*(?:head\s+-n?\s*1\s*\|\s*)?(?:cut\s+-d\s*(?:'\"'|\\\")\s+-f\s*\d|awk\s+-F\s*'\"'\s+'\{\s*print\s+\$\d))",
    needs=("awk", "cut"),
)
_READS_JSON = late(
    r"\bjq\s|\bjson\.loads?\b|JSON\.parse|ConvertFrom-Json", needs=("jq", "json.load", "JSON", "ConvertFrom")
)
_BODY = late(r"(?ms)^[ \t]*(?:function\s+)?\w+\s*\(\)\s*\{(?:[^\n]*\}[ \t]*$|.{0,4000}?^[ \t]*\})")
_OF_INPUT = late(
    r"stdin|readFileSync\(\s*0|fd/0|\binput\(\)|\$\(\s*cat\s*\)|\bread\s+-\w*r(?![^\n]*<<<)|(?m:^[ \t]*cat\b)"
)


def stolen_input_problems(line: HookLine) -> Iterator[Problem]:
    """Where a hook's code looks for the call in the text of the code itself, or among arguments it is not given."""
    if is_agent(line.entry.speaker.name):
        yield from _from_arguments(line)
    for _, where, text in line.texts:
        cut = _cut_short(text) if line.entry.guards else None
        if cut:
            words = (
                f"{where} takes `{cut['name']}` out of JSON by a pattern that ends at the first quote within"
            )
            hint = f"let `jq -r .{cut['name']}`, or another reader of JSON, take it out"
            yield line.entry.at_line("cut-value", words, hint)
            break
    for _, where, text in line.texts if is_agent(line.entry.speaker.name) else ():
        if taken := _BY_PLACE.search(text):
            name = taken["name"] or taken["other"]
            words = (
                f"{where} takes `{name}` out of JSON by its place in a line, and all of the call is one line"
            )
            yield line.entry.at_line(
                "cut-value", words, f"let `jq` take it out: `jq -r '.. | .{name}? // empty'`"
            )
            break
    for _, where, text in line.texts[1:]:
        if found := next(_without_arguments(text), None):
            words = (
                f"{where} gives `{found}` its code by `<<` and no argument, and the code reads the first one"
            )
            yield line.entry.at_line("no-input", words, f'write it behind the dash: `{found} - "$value" <<…`')
            break
    for _, where, text in line.texts:
        stolen = next(_stolen(text), None)
        if stolen:
            by, piped = stolen
            lost = "what is piped into it" if piped else "the call"
            words = (
                f"{where} gives `{by}` its code by `<<`, which is then all its standard input: {lost} is lost"
            )
            hint = "read the call before, `input=$(cat)`, and hand it over in a variable, or give the code by `-c`"
            hint = "hand it over in a variable, or give the code by `-c`" if piped else hint
            yield line.entry.at_line("no-input", words, hint)
            return


def _cut_short(text: str) -> re.Match[str] | None:
    """A value that is cut out up to a quote, where no reader of JSON is asked before that came to nothing."""
    found, reader = _UP_TO_A_QUOTE.search(text), _READS_JSON.search(text)
    if found is None or reader is None:
        return found
    row = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    given = re.match(r"[ \t]*(?:local[ \t]+)?(\w+)=", row)
    tried = rf"-z[ \t]+\"?\$\{{?{given[1]}\b" if given else r"(?!)"
    return found if re.search(tried, text[found.end() : max(found.end(), reader.start())]) else None


def _from_arguments(line: HookLine) -> Iterator[Problem]:
    """Scripts that take the JSON of a call from their first argument alone, on a line that ends with their name."""
    for shown, _, text in line.texts[1:]:
        if takes_arguments(line, shown, text):
            words = f"`{shown}` takes the call from its first argument, and {line.entry.speaker.title} passes none"
            yield line.entry.at_line("no-input", words, "the call is JSON on standard input")


def takes_arguments(line: HookLine, shown: str, text: str) -> bool:
    """Whether a script looks for the JSON of a call among its arguments alone, on a line that ends with its name."""
    own = _BODY.sub("", text)  # in a function it is that one's argument
    alone = line.text.rstrip().rstrip("\"'").endswith(shown.rpartition("/")[2])
    return bool(alone and _OF_ARGUMENT.search(own) and not _OF_INPUT.search(text))


def _without_arguments(text: str) -> Iterator[str]:
    """Python in a here-document that looks at arguments, behind a name without any."""
    for found in _OPENED.finditer(text):
        closed = re.search(rf"(?m)^[ \t]*{found['end']}\b", text[found.end() :])
        inside = text[found.end() : found.end() + closed.start()] if closed else ""
        if (
            found["by"].startswith("python")
            and found["words"].split() in ([], ["-"])
            and not _GIVEN_BEHIND.match(found["behind"])
            and "sys.argv[1]" in inside
        ):
            yield found["by"]


def _stolen(text: str) -> Iterator[tuple[str, bool]]:
    """What runs such code, and whether something else is piped into it."""
    for found in _OPENED.finditer(text):
        language = "sh" if found["by"].endswith("sh") else found["by"].rstrip("3")
        words = found["words"].split()
        own_file = any(not word.startswith("-") for word in words) and not _FROM_THERE.search(found["words"])
        closed = re.search(rf"(?m)^[ \t]*{found['end']}\b", text[found.end() :])
        if own_file or closed is None or "-c" in words:
            continue
        if _READS[language].search(text, found.end(), found.end() + closed.start()):
            yield found["by"], bool(_PIPED.search(text, max(0, found.start() - 200), found.start()))
