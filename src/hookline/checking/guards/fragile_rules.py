"""Guards that compare the text of a command: what passes them, and the rule that would hold."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from hookline.checking.entries import ConfigFile, Entry
from hookline.checking.guards.beginnings import told_by_beginning
from hookline.checking.guards.blanket_allow import ALLOWS
from hookline.checking.guards.everyday import passing
from hookline.checking.lines import HookLine
from hookline.checking.steps.here_documents import here_documents, without
from hookline.checking.steps.languages import by_ending, is_shell
from hookline.checking.steps.steps_of import steps_of
from hookline.dialects.matching import mismatch
from hookline.dialects.matching.permission_rules import parse_rule, rule_mismatch
from hookline.dialects.reading.nodes import to_plain
from hookline.dialects.tools import CANONICAL
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import Answer
from hookline.model.typing import Any
from hookline.system.modules import attribute
from hookline.system.patterns.late import late

_READS_COMMAND = late(
    r"tool_input|toolInput|toolArgs|\bcommand\b|\bcmd\b|\bCOMMAND\b|\bCMD\b",
    needs=("tool_input", "toolInput", "toolArgs", "command", "cmd", "COMMAND", "CMD"),
)
_DENIES = late(
    r"\bdeny\b|\"cancel\"\s*:\s*true|\b(?:exit|return)[ (]+2\b|[\"']block[\"']|exit_?code\s*=\s*2"
    r"|[Pp]ermission\w{0,40}+\\?[\"']?\s*:\s*\\?[\"'](?:deny|ask)"
)
_ANSWERS_NO = late(r"(?:[Pp]ermission\w{0,40}+|decision)\\?[\"']?\s*:\s*\\?[\"'](?:deny|ask|block)\b")
_COMPARES = late(
    r"\b[ef]?grep\b|=~|==\s*[\"']?\*|\bcase\b|\b(?:test|contains|startswith|match|search|compile|includes|indexOf|startsWith)\("
    r"|\bin\s+(?:\w*(?:cmd|command|lower)\w*\b|\w+\[|\w+\.get\()|-(?:i?match|i?like)\b"
)
# a line that only says something: a command in it is no pattern
_SAID = late(
    r"(?m)^[ \t]*(?:echo|printf|print|console\.\w+|Write-\w+|(?:sys|process)\.std\w+\.write)\b"
    r"(?![^\n]*\|\s*\w*grep)[^\n]*$"
)
# what a shell does itself when it ends, and in code a sentence: words in quotes that go on for longer than a command
_AT_ITS_END = late(
    r"(?m)(?:^|[;&{])[ \t]*trap[ \t]+(?:--[ \t]+)?(?:'[^']*'|\"(?:[^\"\\\n]|\\.)*\")", needs=("trap",)
)
_SENTENCE = late(
    r"(?<![rR])([\"'`])(?=[\w ,;:'-]{12})(?:[\w$<{][\w',;:.{}()<>$/-]*[ ]){5}[^\"'`\n|^\\]{1,400}\1"
)
_REFUSAL = late(
    r"([\"'`])(?:Blocked|BLOCKED|Refus(?:ed|ing)|Denied|DENIED|Never|Forbidden)\b[^\"'`\n|\\]{8,300}\1",
    needs=("Blocked", "BLOCKED", "Refus", "Denied", "DENIED", "Never", "Forbidden"),
)
_ITS_OWN = late(  # a statement that is given something of the script's: `rm -rf "$work"`
    r"(?m)(?:^|[;&{]|\b(?:then|do|else)\b)[ \t]*(?!e?grep\b|case\b|if\b|for\b)"
    r"[a-z][\w-]*(?:[ \t]+-?[\w-]+){1,3}[ \t]+\"?\$\w[^\n;&|]*"
)
# a function of the shell; one that says what it is given, and compares nothing, is given sentences
_FUNCTION = late(r"(?m)^[ \t]*(?:function[ \t]+)?(\w+)[ \t]*\(\)[ \t]*\{")
_SAYS, _TESTS = late(r"\b(?:echo|printf|cat|jq)\b"), late(r"\b[ef]?grep\b|=~|\bcase\b|\[\[?[ \t]")
_LONGEST_FUNCTION = 600
# a branch in which nothing but something said was: no refusal comes of what it looks for
_ONLY_SAID = late(
    r"(?m)^[ \t]*(?:\}[ \t]*else[ \t]+)?if[ \t]*\((?:[^\n{}]*\n){0,2}[^\n{}]*\{\s*\}"
    r"|^[ \t]*(?:el)?if\b[^\n]*(?:;|\n)[ \t]*then\s*(?=(?:fi|elif|else)\b)"
)
# a program that cuts the command into its words knows it in quotes as well; what it names beside a key is a name
_CUTS = late(r"\bshlex\.(?:split|shlex)\(|\bfrom shlex import\b", needs=("shlex",))
_NAMED = late(r"(?:[\"']\w+[\"']\s*(?:\)\s*)?:|\breturn|\w\s*=)\s*f?(?:\"[^\"\n]*\"|'[^'\n]*')(?=\s*[,;}\n])")
# an end in the row of its words
_ENDS_BESIDE = late(r";[ \t]*(?:sys\.|process\.)?exit[ (]+2\b", needs=("exit",))
# what a guard lets come is no rule of it: a list by that name
_LISTED = r"(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|(?:#|//)[^\n]*+|[^\"'\%s])*+\%s"
_LETS_COME = late(
    r"(?mi)^[ \t]*(?:(?:export|const|let|readonly|local|declare -\w+)[ \t]+)*\$?"
    r"\w*(?:(?<!un)(?<!non)(?<!not_)safe|(?<!dis)(?<!not_)(?<!never_)allowed|allow_?list|whitelist|permitted)\w*"
    r"[ \t]*(?::[ \t]*[\w\[\], .]{1,40})?=[ \t]*(?:new Set\(|(?:frozen)?set\()?@?"
    rf"(?:\[{_LISTED % tuple(']]')}|\((?!\(){_LISTED % tuple('))')}|\{{{_LISTED % tuple('}}')})"
)
# what tells of code of other languages than a shell
_NOTES = late(r"(?m)^[ \t]*[rRfF]?(\"\"\"|\'\'\')[\s\S]*?\1[ \t]*$|^[ \t]*/\*[\s\S]*?\*/")
# What stands for a blank in patterns, and what stands for nothing.
_BLANK = late(r"\[\[:(?:space|blank):\]\][+*]?|(?<!\\)\\++s[+*]?|\\ |\.\*| +")
_OPTIONAL = late(r"\((?:\?:)?-[^()\n]{1,40}\)[?*]")
_NOTHING = late(r"(?<!\\)\\++b|[\\^$()?+]")
# JSON that a shell searches as it came, and what takes a text out of it
_WHOLE = late(
    r"(?m)(?:^[ \t]*(?P<name>\w+)=\"?\$\(cat\)\"?[ \t]*$[\s\S]*?\"\$\{?(?P=name)\}?\"|(?:^|;|if )[ \t]*cat)[ \t]*\|"
    r"[ \t]*e?grep (?:-\w+ )*[\"'](?P<sought>[a-z][\w-]*(?: |\\s[+*]?|\[\[:space:\]\][+*]?)-?\w[^\"'\n]*)[\"']",
    needs=("grep",),
)
_TAKEN_OUT = late(r"\bjq\b|\bpython|\bnode\b|\bsed\b|\bawk\b|\btool_input\b|\bcommand\\?[\"']|hookline get")
# the command under a name, a look at how it begins, and what knows of several commands in a line
_COMMAND_IN = late(
    r"(?m)^[ \t]*(\w+)=\"?\$\([^\n]*tool_input\.command\b|^[ \t]*(?:const |let )?(\w+) = [^\n]*\bcommand\b"
)
_BEGINS_SO = late(
    r"\[\[ +\"?\$\{?(?P<name>\w+)\}?\"? +==? +(?!\*)[^\]\n]*\*\"? +\]\]"
    r"|\$\{?(?P<piped>\w+)\}?\"? *(?:\| *)e?grep +(?:-\w+ +)*[\"']\^(?![^\"'\n]*\$[\"'])"
    r"|\b(?P<code>\w+)\.(?:startswith|startsWith)\("
)
_SEVERAL = late(
    r"\bshlex\b|split\(|\btr[ \t]+[\"']|\bread -r?a\b|\[[^\]\n;&|]{0,200}+[;&|][^\]\n]{0,200}+\]|\*\\?[\"'](?:;|&&|\|)"
)
_OTHERWISE = late(r"(?m)^[ \t]*(?:fi|else|elif|esac)\b|\}[ \t]*else\b")
_OF_NO_CALL = (EventKind.UserPromptSubmit, EventKind.Stop, EventKind.SubagentStop, EventKind.PreCompact)
_BRANCH = 400  # letters of one
MOST_NAMED = 5  # rules in one notice
_OF_CALLS = (EventKind.PreToolUse, EventKind.PermissionRequest, EventKind.PermissionDenied)
_SHORTEST = 5  # letters of a command by which a text is recognised


def permission_problems(file: ConfigFile) -> Iterator[Problem]:
    """Rules of an agent's own settings that name a command by its text."""
    permissions = file.root.get("permissions") if file.root else None
    unread = list(_unread_permissions(file))
    yield from unread
    lost = {each.path for each in unread}
    for key in ("deny", "ask"):
        listed = permissions.get(key) if permissions else None
        nodes = listed.items if listed is not None and listed.kind == "array" else ()
        found = [
            (node, _command_of(node.value))
            for node in nodes
            if isinstance(node.value, str) and node.path not in lost
        ]
        found = [(node, aim) for node, aim in found if aim]
        if found:
            first, aim = found[0]
            rules = [f"`{node.value}`" for node, _ in found]
            more = f" and {len(rules) - MOST_NAMED} more" if len(rules) > MOST_NAMED else ""
            verb = "compares" if len(rules) == 1 else "compare"
            named = ", ".join(rules[:MOST_NAMED]) + more
            words = f"{named} {verb} the text of a command; `{_in_shell(aim)}` is another text"
            yield file.problem(first, "fragile-rule", words, _instead(aim, key), severity="notice")


def _unread_permissions(file: ConfigFile) -> Iterator[Problem]:
    """Rules that nobody reads, or that meet nothing."""
    root = file.root
    if root is None or root.kind != "object" or file.speaker.profile.style.top != "hooks":
        return
    told = {(each.path, each.message) for each in file.loaded.problems}
    lost_rules = attribute("hookline.dialects.matching.lost_rules", "lost_rules")
    for lost in lost_rules(to_plain(root), (*CANONICAL, *file.speaker.tools.known())):
        node = lost.node_in(root)
        key = str(lost.path[-1]) if lost.at_key else ""
        if node is None:
            continue
        found = file.problem(node, lost.code, lost.told, lost.hint, key=key, severity=lost.severity)
        if (found.path, found.message) not in told:
            yield found


def fragile_problems(line: HookLine) -> Iterator[Problem]:
    """A hook that looks for a command in the text of a call, with its own words or in a script."""
    if not line.entry.guards or not _gets_commands(line.entry):
        return
    answer = line.entry.spec.action
    if isinstance(answer, Answer):
        if answer.verdict in ("deny", "ask"):
            yield from _of_predicates(line, answer.verdict)
        return
    for shown, where, text in line.texts:
        if _allows_by_beginning(line, shown, text):
            words = f"{where} answers `allow` by how a line begins: what stands behind `&&` or `;` in it is allowed too"
            hint = "answer nothing where more than one command stands there"
            yield line.entry.at_line("fragile-rule", words, hint)
            return
        if is_shell(shown, text) and (sought := _sought_in_all(text)):
            words = f"{where} looks for `{sought}` in the whole input: what a description or a path says counts as well"
            hint = "take the command out first: `hookline get tool_input.command`, or `jq -r`"
            yield line.entry.at_line("fragile-rule", words, hint, severity="notice")
            return
        in_shell = is_shell(shown, text)
        compared = _compared(text if in_shell else _NOTES.sub("", text), in_shell)
        aim = _aim_in(compared)
        if found := passing(compared):
            pairs = [f"`{each.fits}` and not {_listed(each.passes)}" for each in found]
            words = f"{where} looks for {'; '.join(pairs)}"
            by_program = next((each.aim for each in found if each.by_program), "")
            hint = _instead(by_program, "deny") if by_program else "`hookline probe` tries further spellings"
            yield line.entry.at_line("fragile-rule", words, hint, severity="notice")
            return
        if aim:
            words = (
                f"{where} looks for `{aim}` in the text of the command; `{_in_quotes(aim)}` is another text"
            )
            yield line.entry.at_line("fragile-rule", words, _instead(aim, "deny"), severity="notice")
            return


def _sought_in_all(text: str) -> str:
    """The command that a guard looks for in the JSON that it is given, as it came."""
    said = _SAID.sub("", text)
    found = _WHOLE.search(said) if _DENIES.search(said) and not _TAKEN_OUT.search(said) else None
    return found["sought"] if found else ""


def _allows_by_beginning(line: HookLine, shown: str, text: str) -> bool:
    rule = line.entry.rule
    if rule is None or "ask" not in rule.effects or _SEVERAL.search(text):
        return False
    names = {name for found in _COMMAND_IN.findall(text) for name in found if name}
    for found in _BEGINS_SO.finditer(text):
        then = _OTHERWISE.split(text[found.end() : found.end() + _BRANCH])[0]
        if (found["name"] or found["piped"] or found["code"]) in names and ALLOWS.search(then):
            return True
    steps = steps_of(by_ending(shown, line.scripts[shown]), text) if shown and names else None
    places = [each.start() for each in ALLOWS.finditer(text)]
    return steps is not None and told_by_beginning(steps, names, places)


def _gets_commands(entry: Entry) -> bool:
    """Whether calls of a shell come to the hook at all."""
    if entry.spec.kind in _OF_NO_CALL:
        return False
    about = getattr(entry.speaker, "tools_about", lambda _: ())(entry.spec.native_event)
    matcher = entry.spec.matcher if entry.rule and entry.rule.subject == "tool_name" else None
    shells = ("Bash", "PowerShell", *entry.speaker.tools.native("Bash"))
    return (
        entry.spec.kind in _OF_CALLS
        and (not about or "Bash" in about)
        and (matcher is None or mismatch(matcher, shells, "tool_name") is None)
    )


def _of_predicates(line: HookLine, verdict: str) -> Iterator[Problem]:
    """Rules of our own format that use an agent's rule, or a glob over the command, where a predicate knows more."""
    from hookline.hosts.probing.aims import plain_command
    from hookline.hosts.probing.candidates import pattern_of

    asked: Mapping[str, Any] = line.entry.spec.rule.predicates
    globs = [text for path, text in asked.get("where", {}).items() if path == "tool_input.command"]
    found = {text: plain_command(text.lstrip("*")) for text in globs}
    found |= {
        rule: aim for rule in asked.get("rule", ()) if (aim := _command_of(rule)) and _passes(rule, aim)
    }
    for shown, aim in found.items():
        if pattern_of(aim):
            other = _in_quotes(aim) if shown in globs else _in_shell(aim)
            words = f"`{shown}` compares the text of a command; `{other}` passes it"
            yield line.entry.problem("fragile-rule", words, _instead(aim, verdict), severity="notice")


def _command_of(rule: str) -> str:
    """The command that a permission rule of a shell is about; empty where it is about all, or none that we know."""
    if not rule.strip().startswith("Bash("):
        return ""
    from hookline.hosts.probing.aims import aims_of_rule
    from hookline.hosts.probing.candidates import pattern_of

    return next((aim for aim in aims_of_rule(rule) if pattern_of(aim)), "")


def _passes(rule: str, aim: str) -> bool:
    parsed = parse_rule(rule)
    given = {"command": _in_shell(aim)}
    return parsed is not None and rule_mismatch(parsed, "Bash", given, "/", "/") is not None


def _in_shell(aim: str) -> str:
    return f"sh -c {shlex.quote(aim)}"


def _in_quotes(aim: str) -> str:
    first, _, rest = aim.partition(" ")
    return f'"{first}" {rest}'.rstrip()


def _instead(aim: str, verdict: str) -> str:
    from hookline.hosts.probing.aims import known_aims
    from hookline.hosts.probing.candidates import candidates

    predicate = known_aims().get(aim) or next(candidates((aim,)))
    rule = f'`{predicate}` with `{verdict} = "…"`'
    return f"in `.hookline/hooks.toml`: {rule}; `hookline probe` tries it in all spellings"


def _listed(spellings: tuple[str, ...]) -> str:
    return " or ".join(f"`{each}`" for each in spellings)


def _compared(text: str, in_shell: bool) -> str:
    """A guard's text without what it only says, or lets come; empty where it compares no call's text with anything."""
    if not _READS_COMMAND.search(text):
        return ""
    denied = _ANSWERS_NO.search(text) or _ENDS_BESIDE.search(text)
    if in_shell:
        text = _without_sentences(text)
    said = _SAID.sub(lambda row: row[0] if _DENIES.search(row[0]) else "", text)
    text = _SAID.sub("", _ONLY_SAID.sub("", said))
    denies = denied or _DENIES.search(text)
    text = _LETS_COME.sub("", _without_own(text) if in_shell else _SENTENCE.sub("", _REFUSAL.sub("", text)))
    text = _NAMED.sub("", text) if _CUTS.search(text) and not in_shell else text
    return text if denies and _READS_COMMAND.search(text) and _COMPARES.search(text) else ""


def _without_sentences(text: str) -> str:
    """A script of a shell without what it gives to functions of its own that only say it: `block "rm -rf is …"`."""
    for name, body in [
        (each[1], text[each.end() :].partition("\n}")[0]) for each in _FUNCTION.finditer(text)
    ]:
        if len(body) < _LONGEST_FUNCTION and _SAYS.search(body) and not _TESTS.search(body):
            text = re.sub(
                rf"(?m)((?:^|[;&|]|\bthen|\belse|\bdo)[ \t]*){name}[ \t]+[\"'][^\n]*$", r"\1:", text
            )
    return text


def _without_own(text: str) -> str:
    """A script of a shell without the documents that it prints, and what it does itself."""
    text = _ITS_OWN.sub("", _AT_ITS_END.sub("", text))
    printed = (each for each in here_documents(text) if each.cat >= 0)
    return without(
        text, [(each.start, each.end) for each in printed if "$(" not in text[each.start : each.cat]]
    )


def _aim_in(text: str) -> str:
    """The longest well-known command that a guard compares a call's text with."""
    if not text:
        return ""
    from hookline.hosts.probing.aims import known_aims
    from hookline.hosts.probing.candidates import pattern_of

    plain = _NOTHING.sub("", _BLANK.sub(" ", _OPTIONAL.sub("", text)))
    known = dict.fromkeys(
        map(pattern_of, known_aims())
    )  # in their order: of two as long the first is told, each time
    found = [
        each for each in known
        if len(each) >= _SHORTEST and re.search(rf"(?<![\w-]){re.escape(each)}(?!\w)(?!(?>(?:\|\w+)*) *-)", plain)
    ]  # fmt: skip
    return max(found, key=len, default="")
