"""What a shell does otherwise than its script reads: the status of another command, a pattern that is plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.commands.assigned import assigned, takes_in
from hookline.checking.commands.variables import never_set, reads_input
from hookline.checking.fields.always_sent import finds_what_is_sent
from hookline.checking.fields.field_rules import FED
from hookline.checking.guards.lost_words import PERL, bare_bar, plainer
from hookline.checking.lines import HookLine
from hookline.checking.scripts.other_system import of_another_system
from hookline.checking.steps.here_documents import here_documents
from hookline.checking.steps.languages import is_shell
from hookline.model.errors import Problem
from hookline.system import files
from hookline.system.patterns.late import late

_PIPED = r"(?m)^[ \t]*(?:local\s+)?(?P<name>\w+)=\"?\$\([^\n]*\|\s*"
_NEXT = r"\"?[ \t]*\n(?:[ \t]*\n)*[ \t]*"
_CUT = r"[ \t]*\|\s*(?:tail|head|tee|cat|sed|sort|tr)\b(?:[^|\n;&]|>&)*"
_OF_PATTERNS = r"\.\*|\.\+|\\s|\\b|\(\w[^()\"'\n]*\|[^()\"'\n]*\)|\[[^\]\n]+\]|\w\|\w"
_ANSWER = r"\{\s*\\?\"(?:\w*[dD]ecision|hookSpecificOutput|continue|permission|systemMessage|cancel)\\?\""
# where a name stands for a number: behind a test, counted with, in JSON without quotes
_AS_NUMBER = (
    r"(?:\[\[?|\btest)[ \t][^\n]*\$\{?(?P=name)\b|\(\([^\n]*\b(?P=name)\b|--argjson \w+ \"?\$\{?(?P=name)\b"
    r"|\"[ \t]*:[ \t]*\$\{?(?P=name)\b|\bprintf\b[^\n]*%d[^\n]*\$\{?(?P=name)\b"
)
_NEVER_SEEN = "a failure before it is never seen"
# a pattern, the code, what is wrong (`{name}` stands for a name in it), and what to write
_ROWS: tuple[tuple[re.Pattern[str], str, str, str], ...] = (
    (
        late(r"\bjq\b[^|\n]*?(?P<name>\.\w+ ?// ?true\b)(?=[\s\S]*=\s*\"?(?:true|false)\b)", needs=("jq",)),
        "unsent-value",
        "has `{name}`, which is `true` where the field is `false`: that value never comes out",
        "write `if .field == null then true else .field end`",
    ),
    (
        late(
            rf"(?m)^(?!.*(?:\$\(|`|\|(?!\|)))(?P<line>[^\n]*(?P<name>2>&1\s+1?>\s*/dev/null)[^\n]*)$(?=[\s\S]*{_ANSWER})"
        ),
        "wrong-answer",
        "has `{name}`, which sends what is told on standard error to the output, where an answer is to stand alone",
        "write `>/dev/null 2>&1`",
    ),
    (
        late(
            r"(?m)^[ \t]*(\w+)=\"?\$\(cat\)\"?[ \t]*$[\s\S]*?\"\$\{?\1\}?\"\s*\|\s*(?:e?grep|rg)\b"
            r"[^\n]*?(?P<name>=(?: |\\s|\[\[:space:\]\])?[*?+]?\[(?:'\\?\"|\\?\"'|'\"'\"'\"|\\?\"\\?')\])"
        ),
        "dead-pattern",
        'looks for `{name}` in JSON, where a double quote of a text stands as `\\"`: only single ones are found',
        "take the text out with `jq -r` first",
    ),
    (
        late(r"(?P<name>2>&1\s+1?>&2)"),
        "unread-output",
        "has `{name}`, which sends all to standard output: the second follows where the first went",
        "write `>&2`",
    ),
    (
        late(
            r"(?m)^[^\n]*?(?:\bif\s+!\s+(?P<name>mapfile|readarray)\b|\b(?P<other>mapfile|readarray)\b(?=[^\n]*\)\s*\|\|))"
            r"[^\n]*<\s+<\(",
            needs=("mapfile", "readarray"),
        ),
        "lost-exit",
        "asks how `{name}` ended, which is always well: that of the program in `<(…)` is never seen",
        "keep the output first, `kept=$(…) || …`",
    ),
    (
        late(
            r"(?m)^[ \t]*(?:local\s+)?(?P<name>\w+)=\"?\$\([^\n|]*\|[^\n]*\)"
            rf"{_NEXT}[^\n]*\$\{{?PIPESTATUS\b",
            needs=("PIPESTATUS",),
        ),
        "lost-exit",
        f"asks `PIPESTATUS` behind `{{name}}=$(… | …)`, where it has the end of the pipe alone: {_NEVER_SEEN}",
        "ask `$?`, with `set -o pipefail` at the top",
    ),
    (
        late(
            rf"{_PIPED}(?:tail|head|tee|cat|sed|sort|tr)\b[^|\n]*\){_NEXT}"
            r"(?:\w+=\"?\$\?|(?:el)?if\s+(?:\[+|test|\(\()\s*\"?\$\?|\[+\s*\"?\$\?)"
        ),
        "lost-exit",
        f"asks `$?` behind `{{name}}=$(… | …)`, which is that of the end of the pipe: {_NEVER_SEEN}",
        "write `set -o pipefail` at the top",
    ),
    (
        late(
            r"(?m)^[ \t]*(?!(?:if|elif|while|for|echo|printf)\b|#)(?P<name>[^\n=|#]{3,120}?)[ \t]*\|\s*"
            r"(?:tail|head|tee|cat|sed|sort|tr)\b"
            r"[^|\n]*\n(?:[ \t]*\n)*[ \t]*(?:\w+=\"?\$\?|(?:el)?if\s+(?:\[+|test|\(\()\s*\"?\$\?)"
        ),
        "lost-exit",
        f"asks `$?` behind `{{name}} | …`, which is that of the end of the pipe: {_NEVER_SEEN}",
        "write `set -o pipefail` at the top",
    ),
    (
        late(
            rf"(?m)^[ \t]*(?:el)?if\s+(?:!\s+)?(?!\[|echo\b|printf\b)(?P<name>[^\n|;#]{{3,120}}?){_CUT}"
            r"(?:;[ \t]*|\n[ \t]*)then\b"
            rf"|^[ \t]*(?!(?:if|elif|while|for|echo|printf)\b|#)(?P<run>[^\n=|#]{{3,120}}?){_CUT}"
            r"\|\|\s*(?:\{|(?:exit|return)\s|(?:echo|printf)\s+[\"']\W*\w)"
        ),
        "lost-exit",
        f"asks how `{{name}} | …` ended, which is how the end of the pipe did: {_NEVER_SEEN}",
        "write `set -o pipefail` at the top",
    ),
    (
        late(
            r"(?m)^[ \t]*(?![ \t]|if\b|while\b|#)[^\n]*(?P<name>\|\|[ \t]*(?:true|:))[ \t]*\)?\"?[ \t]*\n"
            r"(?:[ \t]*\n)*[ \t]*(?:\w+=\"?\$\?|(?:el)?if\s+(?:\[+|test|\(\()\s*\"?\$\?)",
            needs=("$?",),
        ),
        "lost-exit",
        "asks `$?` behind `{name}`, which is 0 in any case: a failure is never seen",
        "write `code=0; … || code=$?`",
    ),
    (
        late(
            r"(?P<name>\w+)=\"?\$\((?:[^\n()]*\|)?\s*grep\s+[^\n()|\"']*(?:-\w*c|--count)"
            r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\n()|\"'])*\|\|\s*echo\s+[\"']?[^\s\"')]{1,8}[\"']?\s*\)"
            rf"(?=[\s\S]*?(?:{_AS_NUMBER}))",
            needs=("grep",),
        ),
        "dead-pattern",
        "has `{name}=$(grep -c … || echo …)`: where nothing is found both print, which is no number",
        "write `|| true`: `grep -c` prints its 0 itself",
    ),
    (
        late(
            r"(?m)(?<!\[)\[\s+\"?\$\{?(?P<name>\w+)[^\s\]\"]*\"?\s+(?:==?|!=)\s+"
            r"(?:\*[\w./-]+\*?|[\w./-]+\*|\"[^\"\n$*]+\"\*|\*\"[^\"\n$*]+\"\*?)\s+\](?!\])"
        ),
        "dead-pattern",
        "compares `${name}` with a pattern in `[ … ]`, which knows none: it is never met",
        "write `[[ … ]]`, or `case`",
    ),
    (
        late(r"(?m)\[\[?\s+(?:!\s+)?-[defrsx]\s+[\"'](?P<name>[\w./-]*\*[\w./*-]*)[\"']\s+\]"),
        "dead-pattern",
        "asks for a file that is called `{name}`: in quotes a `*` is a letter, so it is never there",
        "write it without quotes, in `compgen -G` or a loop",
    ),
    (
        late(r"(?m)\[\[\s+(?:!\s+)?-[defrsx]\s+(?P<name>(?:\"[^\"\n]*\"|[^\s\"'\]])*\*[^\s\]\n]*)\s+\]\]"),
        "dead-pattern",
        "asks for `{name}` in `[[ … ]]`, where a `*` is a letter, so it is never there",
        "write it in `compgen -G` or a loop",
    ),
    (
        late(
            r"(?m)\bcase\s+\S+\s+in\b(?:(?!\besac\b|=\()[\s\S]){0,800}?(?:^|;;|\bin|\|)[ \t]*\(?(?P<quote>[\"'])"
            r"(?P<name>[\w./-]*\*[\w./*-]*)(?P=quote)[ \t]*(?=[)|])",
            needs=("case",),
        ),
        "dead-pattern",
        "has `{name}` in quotes as a branch of `case`, which makes it a plain text: it is never met",
        "take the quotes away from the `*`",
    ),
    (
        late(
            r"\[\[\s[^\n\[\]]*?\$\{?\w+\}?\"?\s+[!=]?=\s+(?P<quote>[\"'])(?P<name>\*[\w./-]+\*?|[\w./-]+\*)(?P=quote)"
            r"\s*(?:\]\]|&&|\|\|)",
            needs=("[[",),
        ),
        "dead-pattern",
        "compares with `{name}` in quotes, which makes it a plain text: it is never met",
        "take the quotes away from the `*`",
    ),
    (
        late(r"\bgrep\s+[^\n|;]*?(?P<name>\$'\\(?:x00|0{1,3}|u0000)')"),
        "always-denies",
        "has `grep` look for `{name}`, which is an empty word to the shell: it fits every text",
        "write `grep -P '\\x00'`",
    ),
    (
        late(
            rf"=~\s+(?P<quote>[\"'])(?P<name>[^\"'\n]*(?:{_OF_PATTERNS})[^\"'\n]*)(?P=quote)\s*(?:\]\]|&&|\|\|)"
        ),
        "dead-pattern",
        "has `{name}` in quotes behind `=~`, which makes it a plain text: it is never met",
        "take the quotes away, or keep the pattern in a variable",
    ),
)
_EXTENDED = late(r"\b(?:egrep|grep\s+(?:-\S+\s+)*(?:-\w*[EP]\w*|--(?:extended|perl)-regexp))\s+(?:-\S+\s+)*")
_QUOTED = late(r"\"((?:[^\"\\\n]|\\.)*)\"|'([^'\n]*)'")
_OR_A_PIPE = late(r"\w\.\*\|(?:\.\*| ?(?:ba|z|da)?sh\b)")
_NOT_AT_THE_END = late(r"(?<!\\)\\\$(?=[\w.(\\[])")  # of `\\\$` a shell leaves the letter, `\$`
_BRACKET = late(r"\[\^?\]?(?:\[:\w+:\]|[^\]])+\]")
_NAMED = late(r"(?:(?:^|\s)(\w+)=|\bfor\s+(\w+)\s+in\s+(?:\"[^\"]*\"\s+|'[^']*'\s+)*)$")
_CALLED_FILE = late(
    r"(?im)^[ \t]*(?:local\s+)?(?P<name>\w*(?:file|path)\w*)=\"?\$\((?:cat|<\s*/dev/stdin)\)\"?[ \t]*$"
)
_LIST = late(r"(?m)^[ \t]*(?:local\s+|declare\s+-\w+\s+|readonly\s+)?(\w+)=\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_WORD = late(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_OF_A_PATTERN = late(r"\\[.sbwd+]|\.\*|\[\^?\w-\w|\(\?")
_HANDED_TO_GREP = late(
    r"(?m)^[ \t]*(?:function\s+)?(\w+)\s*\(\)\s*\{[^}]{0,2000}?\bgrep\s+(?:-[A-OQ-Za-z]+\s+)+(?:--\s+)?\"\$\{?[1-9]"
)
_READ = late(rf"{FED}(?:jq|python3?|node)\b")
_FRAGILE = late(
    r"(?m)^[ \t]*(?:local\s+)?(?P<name>\w+)=\"?\$\((?P<line>[^\n]*\|\s*(?:e?grep|rg)\b[^\n|]*)\)\"?[ \t]*$"
)
_SET_E = late(r"(?m)^[ \t]*set\s+-(?:\w*e\w*|\w+\s+-e)\b|^#!\S*sh\s+-\w*e")
_TRAPS_ERRORS = late(
    r"(?m)^[ \t]*trap\s+(?P<q>[\"'])[^\"'\n]*\bexit\b[^\"'\n]*(?P=q)\s+(?:[A-Z]+\s+){0,6}ERR\b",
    needs=("trap",),
)
_ASKED = late(
    r"(?m)^[ \t]*+(?!(?:el)?if\b|(?:while|until|for|case|local|export|readonly|declare|set|fi|done|esac|then|else|do)\b"
    r"|(?:return|exit|echo|true)\b|[!#{}()]|\w+\)|;;|\w+\(\))(?P<run>(?:[^\n|&;]|>&)*[^\n|&;\\{ \t])[ \t]*\n"
    r"[ \t]*(?:(?:el)?if\s+(?:\[+|test|\(\()\s*\"?\$\?|\w+=\"?\$\?)"
)
_DENIES = late(r"\bexit 2\b|permissionDecision|\"decision\"")


_COUNTS_UP = late(
    r"(?m)(?:^|&&|;|\b(?:then|do)\b)[ \t]*"
    r"(?P<told>\(\([ \t]*(?P<name>\w+)\+\+[ \t]*\)\)|let [\"']?(?P<other>\w+)\+\+[\"']?)[ \t]*(?:;|$)",
    needs=("++",),
)
_OPENS = late(r"(?m)^(?:function\s+)?(\w+)\s*\(\)\s*\{")
_ANSWERS_IN = late(_ANSWER)


def shell_traps(line: HookLine) -> Iterator[Problem]:
    """The first trap of each kind in the shell scripts of a hook."""
    for shown, _, text in line.texts[1:]:
        if not is_shell(shown, line.scripts[shown]):
            continue
        for pattern, code, words, hint in _ROWS:
            found = pattern.search(text)
            handed_on = hint.startswith("write `set -o pipefail`") and "pipefail" in text
            if found and not handed_on:
                told = words.replace("{name}", next(filter(None, found.groupdict().values())))
                yield line.entry.at_line(code, f"`{shown}` {told}", hint)
        yield from _of_extended(line, shown, text)
        yield from _whole_input(line, shown, text)
        yield from _of_lists(line, shown, text)
        yield from of_another_system(line, shown, text)
        yield from _unread_input(line, shown, text)
        yield from _ends_early(line, shown, text)
        yield from _asked_too_late(line, shown, text)
        yield from _counted_up(line, shown, text)
        yield from _unfilled(line, shown, text)


def _of_extended(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """Letters of a command that are signs to `grep -E`: the bar of a pipe, and a dollar that is no end of a line."""
    listed, faults = "", dict[str, str]()
    for row in text.splitlines() if _EXTENDED.search(text) else ():
        if begun := re.search(r"(\w+)=\($", row):
            looped = re.search(rf"\bfor\s+(\w+)\s+in\s+\"?\$\{{{begun[1]}\[", text)
            listed = looped[1] if looped else ""
        elif row.startswith(")"):
            listed = ""
        for found in _QUOTED.finditer(row):
            pattern, before = found[1] or found[2] or "", row[: found.start()]
            named = _NAMED.search(before)
            name = listed or (named and (named[1] or named[2]))
            later = name and re.search(rf"{_EXTENDED.pattern}\"?\$\{{?{name}\b", text)
            # a plain `grep`, and whatever else a script says, takes both for letters
            if not (later or re.search(rf"{_EXTENDED.pattern}$", before)):
                continue
            if _OR_A_PIPE.search(pattern) and not bare_bar(text):  # which says by what words it is met
                words = "which is the one or the other: `|` means a pipe only as `\\|`"
                faults.setdefault("write `\\|`", f"has `{pattern:.60}`, {words}")
            if found[1] and _NOT_AT_THE_END.search(_BRACKET.sub("[]", pattern)):
                words = "in double quotes, so `grep` takes the `$` for the end of a line: it is never met"
                faults.setdefault("write it in single quotes", f"has `{pattern:.60}` {words}")
    for hint, words in faults.items():
        yield line.entry.at_line("dead-pattern", f"`{shown}` {words}", hint)


def _whole_input(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """All that a script is given, taken for the name of a file."""
    found = _CALLED_FILE.search(text) if line.entry.rule and line.entry.rule.subject else None
    if found and not re.search(rf"\$\{{?{found['name']}\}}?\"?\s*\||<<<\s*\"?\$\{{?{found['name']}\b", text):
        words = f"`{shown}` takes all of its input for `{found['name']}`, and {line.entry.speaker.title} sends JSON"
        yield line.entry.at_line(
            "unsent-value", words, f"take the part that is meant: `{found['name']}=$(jq -r …)`"
        )


def _of_lists(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """A pattern in a list, or given to a function, that is compared as plain text, or that `grep` does not know."""
    for found in _LIST.finditer(text):
        looped = re.search(rf"\bfor\s+(\w+)\s+in\s+\"?\$\{{{found[1]}\[[@*]\]", text)
        item = rf"\$\{{?{looped[1]}\b" if looped else r"(?!)"
        # in small letters it may have another name
        again = re.search(rf"\b(\w+)=\"?\$\([^\n]*{item}", text)
        item = rf"(?:{item}|\$\{{?{again[1]}\b)" if again else item
        words = ["".join(each) for each in _WORD.findall(found[2])]
        as_text = re.search(rf"==?\s*\*?\"?\*?\"{item}\}}?\"", text) and not re.search(
            rf"=~[^\n]*{item}", text
        )
        if as_text and not re.search(rf"\bgrep\b(?!\s+-\w*F)[^\n]*{item}", text):
            wrong = next(filter(_OF_A_PATTERN.search, words), "")
            if wrong:
                told = f"`{shown}` compares `{wrong}` as plain text, with its signs of a pattern: it is never met"
                yield line.entry.at_line("dead-pattern", told, "compare by `=~`, or write the text alone")
        elif re.search(rf"\be?grep\s+(?!-\w*[PF])(?:-\w*[^PF\s]\w*\s+)*[^\n]*\"{item}", text):
            yield from _unknown_to_grep(line, shown, words)
    for name in _HANDED_TO_GREP.findall(text):
        yield from _unknown_to_grep(
            line, shown, re.findall(rf"(?m)^[ \t]*{name}\s[^\n]*?'([^'\n]*)'[ \t]*$", text)
        )


def _unknown_to_grep(line: HookLine, shown: str, words: list[str]) -> Iterator[Problem]:
    found = next(filter(None, map(PERL.search, words)), None)
    if found:
        told = f"`{shown}` has `grep` look for `{found[0]}`, which only `grep -P` knows"
        yield line.entry.at_line("dead-pattern", told, plainer(found[0]))


def _unread_input(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """A variable that is read as the call, and that nobody filled."""
    for found in _READ.finditer(text):
        name = found["name"]
        if (
            not assigned(name, text)
            and name not in files.environment()
            and not takes_in(line.written.get(shown, text))
            and (
                reads_input(text) or name not in never_set(text, line.entry, in_plugin=bool(line.plugin_root))
            )
        ):
            words = f"`{shown}` reads the call out of `${name}`, which nobody sets"
            yield line.entry.at_line("unset-variable", words, f"write `{name}=$(cat)` before it")
            return


def ended_by(text: str, at: int) -> str:
    """What ends a script where a command at a place fails; empty where nothing does."""
    if _SET_E.search(text) and "set +e" not in text:
        return "set -e"
    trapped = _TRAPS_ERRORS.search(text, 0, at)
    opened = [*_OPENS.finditer(text, 0, at)]
    inside = opened and text.find("\n}", opened[-1].end()) > at
    return "trap … ERR" if trapped and not inside else ""


def _asked_too_late(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """`$?` behind a command, under `set -e`: where the command fails, the script is over before it asks."""
    found = _ASKED.search(text)
    if found and (by := ended_by(text, found.start())):
        told = f"{' '.join(found['run'].split()):.40}".strip()
        words = f"`{shown}` asks `$?` behind `{told}`, and `{by}` ends it there where that fails"
        yield line.entry.at_line("lost-exit", words, "write `… || code=$?`, or `if …; then`")


def _counted_up(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """`((n++))` of what is 0, under `set -e`: what it says of itself is a failure, and the script is over."""
    for found in _COUNTS_UP.finditer(text):
        by = ended_by(text, found.start())
        name = found["name"] or found["other"]
        begins = re.search(rf"(?m)^[ \t]*(?:local |declare -i )?{name}=[\"']?0\b", text)
        opened = [*_OPENS.finditer(text, 0, found.start())]
        closed = text.find("\n}", opened[-1].end()) if opened else -1
        inside = opened[-1][1] if closed > found.start() else ""
        asked = rf"(?m)(?:\bif|\bwhile|!|&&|\|\|)\s*{inside}\b|^[ \t]*{inside}\b[^\n]*(?:&&|\|\|)|\$\(\s*{inside}\b"
        if by and begins and not (inside and re.search(asked, text)):
            words = f"`{shown}` has `{found['told']}` under `{by}`: where it counts up from 0, that ends it"
            yield line.entry.at_line("lost-exit", words, f"write `{name}=$(({name} + 1))`")
            return


def _unfilled(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """A variable in an answer that stands behind `<<'END'`, where nothing is filled in."""
    for found in here_documents(text):
        if not found.quoted or found.cat < 0 or {">", "|"} & {*found.between, *found.tail}:
            continue
        names = re.findall(r"\$\{?([A-Za-z_]\w*)", found.text) if _ANSWERS_IN.search(found.text) else []
        if name := next((each for each in names if assigned(each, text)), ""):
            words = f"`{shown}` answers with `${name}` as it stands: behind `<<'{found.word}'` nothing is filled in"
            yield line.entry.at_line(
                "wrong-answer", words, f"build it with `jq -n --arg {name.lower()} \"${name}\" '{{…}}'`"
            )
            return


def _ends_early(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """A guard under `set -e` that is over where `grep` finds nothing, before it has looked for the rest."""
    if not line.entry.guards or not _SET_E.search(text):
        return
    for found in _FRAGILE.finditer(text):
        if "||" in found["line"] or finds_what_is_sent(line, found["line"]):
            continue
        if _DENIES.search(text, found.end()):
            name = found["name"]
            words = f"`{shown}` is over with 1 where `{name}=$(… | grep …)` finds nothing: `set -e` ends it"
            yield line.entry.at_line("lost-exit", words, "write `|| true` behind `grep`")
            return
