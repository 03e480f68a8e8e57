"""Answers in JSON that a shell glues together: a quote in what is filled in breaks them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hookline.checking.answers.kept_output import is_kept
from hookline.checking.lines import HookLine
from hookline.checking.steps.steps_of import steps_of
from hookline.system.patterns.late import late

# a text in single quotes that is left for a moment: `'{"reason": "'"$why"'"}'`
_SPLICED = late(
    r"(?:echo|printf)\s+(?:-\w+\s+)*'\{[^'\n]*:\s*\"[^'\"\n]*'\"(?P<what>\$[^\n]{1,80}?)\"'[^'\n]*\"",
    needs=("'\"$",),
)
_RISKY = late(
    r"(?:^|_)(?:cmd|command|input|prompt|file|path|file_path|msg|message|reason|output|content|text|summary|error|failure|detail|log|diff)s?$",
    re.IGNORECASE,
)
_OF_A_NUMBER = late(r"(?:^|_)(?i:count|total|num|number|percent|pct)$|(?<=[a-z])(?:Count|Total|Num)$")
_PATTERNS = late(r"[\w ./-]+")  # of a `case`, without a sign that stands for others
# fields that are made by the agent, of letters, digits and dashes
_PLAIN_FIELD = late(
    r"\"?\$\([^\n]{0,200}?[.\"](?:session_id|sessionId|conversation_id|generation_id|tool_use_id|hook_event_name|tool_name|timestamp|trigger"
    r"|permission_mode|loop_count)\b(?![^\n]*\.(?:tool_input|command|prompt|message)\b)"
)
# a field that is a number, and what stands in where it is not there
_NUMBER_FIELD = late(
    r"\$\([^\n|]{0,80}\|?\s*jq\s+(?:-\w+\s+)*['\"]?\.(?:\w+\.){0,3}\w*(?:percent|percentage|count|_ms|_tokens|_size|seconds|loop_count)"
    r"(?:\s*//\s*\\?\"?[\w-]*\\?\"?)?['\"]?\s*\)"
    r"|\$\(\s*gh\s[^\n|]{0,200}(?:--jq|-q)\s+['\"]?\.(?:\[\d\]\.)?number['\"]?(?:\s[^\n|]{0,40})?(?:\|\|\s*(?:true|echo\s+[\"']*))?\s*\)",
    needs=("jq", "gh"),
)
_MADE_BY_JQ = late(r"\$\(.*\bjq\b.*(?:-R|@json|tojson)")
# what is cut out of JSON as it stands there, up to the next quote, may stand between quotes again
_STILL_WRITTEN = late(
    r"\"?\$\((?![^\n]*\b(?:jq|python3?|node)\b)[^\n]*\b(?:grep\s+-\w*o|sed)\b[^\n]*\"\w*(?:path|_id|_name)\\?\"[^\n]*\[\^\\?\"\]"
)
_PUTS_INTO_QUOTES = late(r"\bjq\s+(?:-\w+\s+)*-\w*R\w*\s|json\.dumps\(|JSON\.stringify\(")
_TAKES_OFF = late(
    r"\bsed\b|\btr\s+-d|\[1:-1\]|slice\(1|\bcut\b|-\w*r\w*\b[^|]*@json|strip\(|(?:^|\s)-\w*Rr|(?:^|\s)-\w*rR"
)
# what such programs print has neither quotes nor line breaks
_PLAIN_WORDS = late(
    r"\"?\$\(\s*(?:date|mktemp|uuidgen|wc|basename|dirname|pwd|whoami|hostname|uname|id|nproc|printf"
    r"|git (?:rev-parse|branch|symbolic-ref|config))\b"
)
# an object that is printed: by what, in which quotes, and what stands behind it on the line
_PRINTED = late(
    r"\b(?:(?P<fills>printf)\s+(?:--\s+)?|echo\s+(?P<breaks>-\w*e\w*\s+)?(?:-\w+\s+)*|(?P<call>print|console\.log|stdout\.write)\(\s*)"
    r"(?P<q>['\"])(?P<form>\s*\{(?:(?!(?P=q))[^\\]|\\.){1,2000})(?P=q)(?P<given>(?:[^\n\\]|\\[\s\S])*)"
)
# a text of a program in the code of a line, which a shell fills in
_SOURCE = late(
    r"\b(?:python3?|node)\s+(?:-\w+\s+)*-[ce]\s+\"(?P<code>(?:[^\"\\$]|\\[\s\S]|\$(?!\()|\$\([^()]{0,200}\)){0,2000})\"",
    needs=("python", "node"),
)
_STRING = late(r"\"((?:[^\"\\]|\\.)*)\"")
_LINE_BREAK = late(r"(?<!\\)(?:\\\\)*\\n")
_SENT_AWAY = late(r"(?<![0-9&])>>?\s*(?!&1|/dev/stdout)|\|(?!\|)")
_NUMBER = late(
    r"\d+\s*$|\"?\$\([^\n]*\bgrep\s+-\w*o\w*\s+[\"']\[0-9\][+*]?[\"'][^\n|]*\)|\$\(\(|\$\(\s*(?:\w+\s[^\n|]{0,200}\|\s*)?(?:e?grep\s+(?:-\w+\s+)*-\w*c|wc\s+-|date\s+\+%s|mktemp\b|uuidgen\b)|\$\{\w+:-\d+\}"
)
_TEXT = late(r"\"((?:[^\"`\\]|\\n)*)\"(?=[\s;&|)]|$)")
_PLAIN_LIST = late(
    r"\((?>(?:\s|#[^\n]*+|\"(?>(?:[^\"`$\\]|\$(?![\w{(]))*)\"|'[^'\"\\]*+'|[^\s\"'`$\\()#]++)*)\)",
    needs=("(",),
)
# a part of what a pattern fits, and the groups of one that neither quotes nor line breaks fit
_MATCHED = r"(?<![\w$])%s=\"?\$\{BASH_REMATCH\[1\]"
_MATCHES = late(r"=~\s+(?P<pattern>[^\n]*?)\s+\]\]", needs=("=~",))
_PLAIN_GROUP = late(r"[^(]*\((?:(?:[\w|/ -]|\\\.|\[(?!\^)[\w./-]+\])[*+?]?)+\)")
# a text with line breaks, written out between the quotes of an answer
_WRITTEN_OUT = late(
    r"\becho\s+\"\{[^\n]*?:\s*\\\"[^\"\n]*\$\(\s*(?:echo\s+-\w*e\w*|printf\s+['\"]?%b\S*)\s+\"\$\{?(?P<name>\w+)",
    needs=("echo",),
)
_FILLED_IN = late(r"\$\{?(\w+)(?::-\d+)?\}?")
# what a pattern takes out of a text, and signs of a pattern that fit neither quotes nor line breaks
_TAKEN_OUT = late(
    r"\s*+grep\s++-\w*o\w*+\s++(?P<q>['\"])(?P<pattern>[^'\"\n]{1,200})(?P=q)\s*+", needs=("grep",)
)
_PLAIN_PATTERN = late(r"(?:[\w ,:/@=-]|\\[dwbKB.+?*/-]|\[(?!\^)[\w:. /+@-]+\]|\{\d+,?\d*\}|[+*?()|^$])+")
_ONE_LINE = late(r"\s*+(?:head|tail)\s++-(?:n\s*+)?1\s*+")
# quotes and line breaks that a shell writes as JSON has them
_ESCAPES = late(r"\bsed\b[^|]*s([/|,#])\\?\"\1\\+\"\1g", needs=("sed",))
_JOINS = late(r"\b(?:awk|tr)\b")
_DEEPEST = 4
_MADE = late(
    r"(?ms)^[ \t]*(?:function\s+)?(?P<name>\w+)\s*\(\)\s*\{(?P<body>[^\n]*\}[ \t]*$|.{0,1500}?^[ \t]*\})"
)
_OBJECT = late(r"\{\s*(?:\\?\"|\n|%)")
_KEYS = "(?:decision|reason|permissionDecision|hookSpecificOutput|continue|systemMessage|additionalContext|permission)"
_KEY = rf"\{{\{{?\s*\\?\"{_KEYS}\\?\"\s*:"
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
        # a text that is left for a value: `'{"reason": "' + cmd + '"}'`
        rf"(?P<q>['\"])\s*{_KEY}(?:\\.|{_INSIDE}){{0,300}}?\"[^\"'\n]{{0,80}}(?P=q)\s*\+\s*"
        r"(?P<name>(?!JSON|json)\$?[A-Za-z_][\w.]*(?:\[[^\]\n]{1,30}\])*)(?=\s*\+)",
        # PowerShell: quotes behind a backtick, or a text of several lines
        rf"(?P<q>\")\{{[^\n]{{0,40}}?`\"{_KEYS}`\"\s*(?=:)[^\n]{{0,300}}?:\s*`\"[^`\n]{{0,80}}\$\(?\{{?(?P<name>[A-Za-z_]\w*)",
        rf"(?P<q>@\")\s*\n\s*{_KEY}[^@]{{0,500}}?:\s*\"[^\"\n]{{0,80}}\$\(?\{{?(?P<name>[A-Za-z_]\w*)",
    )
)
_DOCUMENT = late(
    r"\bcat\b(?:[^\n>]|>&1|>\s*/dev/stdout){0,200}?<<-?[ \t]*+(\w++)[^\n>|]*+\n\s*+(\{[\s\S]{0,1500}?)"
    r"^[ \t]*+\1[ \t]*+$",
    re.MULTILINE,
    needs=("<<",),
)
_ANSWERS = late(r"decision|hookSpecificOutput|permission|continue|systemMessage|additionalContext")
_IN_QUOTES = late(r":\s*\"((?:[^\"\n\\]|\\.)*)\"")
# a number to whoever compares or counts with it
_COUNTED = (
    r"(?m)(?:\[\[?|\btest )[^\n\]]*\"?\$\{?%(name)s(?:\[@\])?\}?\"? -(?:ge|gt|le|lt|eq|ne) "
    r"|-(?:ge|gt|le|lt|eq|ne) \"?\$\{?%(name)s\b"
    r"|\(\([^\n)]*(?<![\w.])\$?%(name)s\b[^\n]*\)\)"
)
# what is put into quotes, or has its quotes written out, before it is filled in
_ESCAPED_BEFORE = (
    r"(?<![\w.])%s[ \t]*=[^\n]*(?:[rR]eplace[^\n]*\\\"|ConvertTo-Json|json\.dumps\(|JSON\.stringify\()"
)
_OF_THE_CALL = (
    r"(?<![\w$])%s=\"?\$\([^\n]*\.(?:tool_input\.)?(?:command|file_path|prompt|content|new_string|message)\b"
)


def glued_json(line: HookLine, shown: str, text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """The first line break in a text of an answer, and the first variable of unknown content between its quotes."""
    for found in _PRINTED.finditer(text) if "{" in text else ():
        strings = _strings(found) if _ANSWERS.search(found["form"]) else []
        if strings and _is_no_json(found):
            words = f"{where} prints an answer that is no JSON, as it stands there"
            yield "wrong-answer", words, "`jq . <<< '…'` names the place"
            return
        breaks = any(map(_LINE_BREAK.search, strings)) and (
            found["fills"] or found["breaks"] or found["call"]
        )
        written = _WRITTEN_OUT.match(text, found.start())
        by_sh = not (found["fills"] or found["call"]) and _run_by_sh(line, shown)
        if breaks or _is_written_out(found, written, strings, text, by_sh):
            words = f"{where} prints a line break inside of a text of its answer, which is no JSON then"
            words += ": `echo` of `sh` makes one of `\\n`" if by_sh and not (breaks or written) else ""
            hint = "build it with `jq -n` or `json.dumps`"
            yield "wrong-answer", words, hint if by_sh else f"write `\\\\n`, or {hint}"
            return
        if any("%s" in each for each in strings) and re.search(r"\bjq\s+-\w*R|@json", found["given"]):
            words = f"{where} puts what `jq` has put into quotes between quotes again, which is no JSON"
            yield "wrong-answer", words, "take the quotes around `%s` away"
            return
    for found in _SOURCE.finditer(text):
        inside = re.findall(r"'[^'\n]*?(?<!\\)\$\(?\{?(?:[^'$\n]*\$)?(\w+)", found["code"])
        if name := next((each for each in inside if _holds_anything(each, text)), ""):
            words = (
                f"{where} puts `${name}` into the source of a program: a quote or a `\\` in it breaks that"
            )
            yield "glued-json", words, "hand it over as an argument, `sys.argv[1]`, or in the environment"
            return
    filled = list(_filled_in(text))
    if twice := next((each for each, _ in filled if _is_json_text(each, text)), ""):
        words = f"{where} puts `${twice}`, which has quotes already, between quotes again: that is no JSON"
        yield "wrong-answer", words, "take the quotes around it away, or build all of it with `jq -n`"
        return
    name = next(
        (each for each, at in filled if _holds_anything(each, text, at) and not _is_known(each, at, text)), ""
    )
    if name:
        words = f"{where} puts `${name}` between the quotes of JSON: a quote or a line break in it breaks the answer"
        yield "glued-json", words, f"build it with `jq -n --arg {name.lower()} \"${name}\" '{{…}}'`"
        return
    for form in _BY_HAND if "{" in text else ():
        if by_hand := form.search(text):
            name = by_hand["name"].strip()
            if re.search(_ESCAPED_BEFORE % re.escape(name), text) or _OF_A_NUMBER.search(name):
                continue
            words = f"{where} puts `{name:.40}` between the quotes of JSON: a quote in it breaks the answer"
            made = "JSON.stringify({…})" if by_hand["q"] == "`" else "json.dumps({…})"
            yield (
                "glued-json",
                words,
                f"print `{'@{ … } | ConvertTo-Json' if shown.endswith('.ps1') else made}`",
            )
            return


def _is_no_json(printed: re.Match[str]) -> bool:
    """Whether a text in which nothing is filled in ends with its bracket, and is no JSON all the same."""
    form = printed["form"].strip()
    if printed["q"] == '"' and not printed["call"]:
        form = form.replace('\\"', '"')
        form = "" if set(form) & {"$", "`"} else form
    if printed["fills"] or printed["breaks"] or "\\" in form or not form.endswith("}"):
        return False
    try:
        json.loads(form)
    except ValueError:
        return not printed["given"].lstrip().startswith(("'", '"', "%", ".", "+"))
    return False


def _run_by_sh(line: HookLine, shown: str) -> bool:
    """Whether a shell runs it whose `echo` takes `\\n` for a line break."""
    by = next((each.by for each in line.started if each.shown == shown), "")
    first = line.scripts.get(shown, "").partition("\n")[0]
    return (by or first.rpartition("/")[2] if shown else line.shell).strip() in ("sh", "dash", "env sh")


def _is_written_out(
    printed: re.Match[str], written: re.Match[str] | None, strings: list[str], text: str, by_sh: bool
) -> bool:
    """Whether `echo -e`, or one that does the same by itself, makes a line break of a `\\n`."""
    told = [each.replace("\\\\", "\\") if printed["q"] == '"' else each for each in strings if by_sh]
    named = [name for each in told if printed["q"] == '"' for name in _FILLED_IN.findall(each)]
    named += [written["name"]] if written else []
    return any(map(_LINE_BREAK.search, told)) or any(
        re.search(rf"(?<![\w$]){name}\+?=(?!\"?\$\()[^\n]*\\n", text) for name in named
    )


def _strings(printed: re.Match[str]) -> list[str]:
    """The texts of an object that is printed, as it is read; none where it goes elsewhere."""
    if _SENT_AWAY.search(re.sub(r"\([^()]*\)", "", printed["given"])):
        return []
    return _STRING.findall(printed["form"].replace('\\"', '"') if printed["q"] == '"' else printed["form"])


def _filled_in(text: str) -> Iterator[tuple[str, int]]:
    """The variables of a shell that stand between the quotes of an answer, and where that is."""
    for found in _PRINTED.finditer(text) if "{" in text else ():
        strings = [] if found["call"] or is_kept(text, found.start()) else _strings(found)
        named = [each for part in strings for each in _FILLED_IN.findall(part)] if found["q"] == '"' else []
        given = _FILLED_IN.findall(found["given"]) if any("%s" in each for each in strings) else []
        yield from ((each, found.start()) for each in (*named, *given))
    yield from ((each["name"], each.start()) for each in _WRITTEN_OUT.finditer(text))
    for spliced in _SPLICED.finditer(text):
        if "jq" not in spliced["what"]:
            yield from ((each, spliced.start()) for each in re.findall(r"\$\{?(\w+)", spliced["what"]))
    for document in _DOCUMENT.finditer(text):
        if _ANSWERS.search(document[2]):
            named = _FILLED_IN.findall(" ".join(_IN_QUOTES.findall(document[2])))
            yield from ((each, document.start()) for each in named)


def _is_known(name: str, at: int, text: str) -> bool:
    """Whether a place is reached with nothing but words that the script compares the variable with."""
    steps = steps_of(".sh", text)
    for look in steps.looks(at) if steps else ():
        if name in look.names and not look.text.startswith("!"):
            compared = re.findall(rf"\$\{{?{name}\}}?\"?\s+==?\s+[\"']?[\w./-]+[\"']?(?=[\s;\]])", look.text)
            if _PATTERNS.fullmatch(look.text) or look.text.count("||") < len(compared):
                return True
    return False


def _is_json_text(name: str, text: str) -> bool:
    """Whether a program has put what a variable holds into quotes, and nobody took them off."""
    values = re.findall(rf"(?<![\w$]){name}=([^\n]*)", text)
    return bool(values) and all(
        _PUTS_INTO_QUOTES.search(each) and not _TAKES_OFF.search(each) for each in values
    )


def _holds_anything(name: str, text: str, at: int | None = None) -> bool:
    """Whether a variable may hold a quote or a line break: by its name, by what it is filled from, or by a list."""
    over = [*re.finditer(rf"\bfor {name} in \"?\$\{{?(\w+)", text)]
    looped = next(
        (each for each in reversed(over) if at is not None and each.start() < at), next(iter(over), None)
    )
    listed = (
        re.search(rf"(?m)^[ \t]*{looped[1]}=(?:\(([^)]*(?:\)[^\n)]+)*)\)|(.*))", text) if looped else None
    )
    if _OF_A_NUMBER.search(name):
        return False
    if listed and re.search(r"\\.|[\"'][^\"'\s]*[\"'][^\"'\s]*[\"']", listed[1] or listed[2] or ""):
        return True
    if re.search(rf"(?<![\w$]){name}=\"?\$\((?:[^\n]*\n){{0,8}}?[^\n]*json\.dumps\([^\n]*\)\[1:-1\]", text):
        return False
    if matched := re.search(_MATCHED % name, text):
        fitted = [*_MATCHES.finditer(text, 0, matched.start())]
        return bool(fitted) and not _PLAIN_GROUP.match(fitted[-1]["pattern"])
    rows = re.findall(rf"(?<![\w$]){name}=((?:[^\n]*(?:\\|\|)[ \t]*\n){{0,9}}[^\n]*)", text)
    values = [re.sub(r"\\?[ \t]*\n", " ", each).lstrip('"') for each in rows]
    filled = [each for each in values if each.startswith("$(")]
    if (values and values[-1].startswith("$((")) or _is_counted(name, values, text):
        return False  # what it held before is counted with
    left = [each for each in filled if not (_is_escaped(each, text) or _STILL_WRITTEN.match(each))]
    left = [each for each in left if not _is_of_plain_pattern(each)]
    if filled and all(_NUMBER_FIELD.fullmatch(each.strip('"')) for each in left):
        return False
    unknown = any(
        not (_PLAIN_WORDS.match(each) or _PLAIN_FIELD.match(each)) and not _MADE_BY_JQ.match(each)
        for each in left
    )
    risky = _RISKY.search(name) or unknown or re.search(_OF_THE_CALL % name, text)
    given = [*re.finditer(rf"(?<![\w$]){name}=\"?\$\{{?([1-9])", text)] if not name.isdigit() else []
    if name.isdigit():
        return _is_handed(f"${name}", name, text)
    if given:
        return any(_is_handed(each[0].replace("{", ""), each[1], text) for each in given)
    return bool(risky) and not _is_plain(name, text)


def _is_escaped(value: str, text: str) -> bool:
    """Whether a shell writes quotes and line breaks in it as JSON has them: there, or in a function of its own."""
    called = re.match(r"\$\(\s*(\w+)", value)
    made = (found["body"] for found in _MADE.finditer(text) if called and found["name"] == called[1])
    return any(
        (_ESCAPES.search(each) and _JOINS.search(each))
        or (each is not value and _PUTS_INTO_QUOTES.search(each))
        for each in (value, *made)
    )


def _is_of_plain_pattern(value: str) -> bool:
    """Whether it is the one line that a pattern fits, which has neither a quote nor a line break."""
    *before, last = value.rstrip('" ').removeprefix("$(").removesuffix(")").split("|")
    while before and before[-1].split()[:1] in (["sort"], ["uniq"]):
        del before[-1]
    taken = _TAKEN_OUT.fullmatch(before[-1]) if before and _ONE_LINE.fullmatch(last) else None
    return taken is not None and bool(_PLAIN_PATTERN.fullmatch(taken["pattern"]))


def _is_counted(name: str, values: list[str], text: str) -> bool:
    """Whether the script takes it for a number, or another one that the same function of its own has filled."""
    makers = [found[1] for each in values if (found := re.match(r"\$\(\s*(\w+)\b", each))]
    same = {
        other
        for made in makers
        if f"{made}()" in text
        for other in re.findall(rf"(\w+)=\"?\$\(\s*{made}\b", text)
    }
    return any(re.search(_COUNTED % {"name": each}, text) for each in (name, *same))


def _is_handed(use: str, number: str, text: str) -> bool:
    """Whether a function that uses its argument so is called with one that may hold anything."""
    for made in _MADE.finditer(text):
        if use not in made["body"].replace("{", "") or not _OBJECT.search(made["body"]):
            continue
        before = r"(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"';&|]+))" * (int(number) - 1)
        for call in re.finditer(rf"(?m)(?<![\w$-]){made['name']}{before}\s+\"([^\"\n]*)\"", text):
            names = _FILLED_IN.findall(call[1])
            if "$(" in call[1] or any(not each.isdigit() and _holds_anything(each, text) for each in names):
                return True
    return False


def _is_plain(name: str, text: str, inside: tuple[str, ...] = ()) -> bool:
    """Whether it is counted with, or every value it is given is plain text, a number, JSON made by a program, or put
    together of those."""
    if name in inside:
        return True  # what is added to itself: the other parts count
    values = re.findall(rf"(?<![\w$]){re.escape(name)}=(?=([^\n]*))", text)  # a line may give it several
    if not values or len(inside) >= _DEEPEST:
        return not values and _is_of_plain_list(name, text)
    further = (*inside, name)
    return _is_counted(name, [each.lstrip('"') for each in values], text) or all(
        _is_plain_value(each, text, further) for each in values
    )


def _is_of_plain_list(name: str, text: str) -> bool:
    """Whether a loop takes it from a list of texts that stand there, without quotes in them."""
    over = re.search(rf"\bfor {name} in \"?\$\{{(\w+)\[", text)
    lists = [*re.finditer(rf"(?<![\w$]){over[1]}\+?=", text)] if over else []
    return bool(lists) and all(_PLAIN_LIST.match(text, each.end()) for each in lists)


def _is_plain_value(value: str, text: str, inside: tuple[str, ...]) -> bool:
    plain = re.match(r"'[^']*'|\w+\s*$", value) or _MADE_BY_JQ.match(value) or _NUMBER.match(value)
    if plain or _is_of_plain_pattern(value.lstrip('"')):
        return True
    quoted = _TEXT.match(value)
    if quoted is None or "$(" in quoted[1]:
        return False
    return all(_is_plain(name, text, inside) for name in _FILLED_IN.findall(quoted[1]))
