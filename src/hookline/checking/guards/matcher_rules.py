"""Tools that a matcher keeps away from the script it starts, and those it lets come in vain."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.commands.alike import alike, is_for_this_alone
from hookline.checking.entries import Entry
from hookline.checking.fields.comparisons import branches
from hookline.checking.fields.field_rules import kept_as, steps_into
from hookline.checking.guards.blanket_allow import DENIES
from hookline.checking.guards.everyday import looked_for
from hookline.checking.lines import HookLine
from hookline.dialects.matching import mismatch
from hookline.dialects.matching.matchers import listed_names
from hookline.dialects.matching.permission_rules import parse_rule, rule_mismatch
from hookline.dialects.tools import CANONICAL
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.system.patterns.late import late

_OF_EDITS = ("edits", "newString", "new_str", "old_string", "new_source")
# what a script does with one tool alone it leaves undone with another on purpose
_OF_WRITE_ALONE = late(r"(?:==|-eq|=)\s*[\"']Write[\"']|^[ \t]*\"?Write\"?\)", re.MULTILINE, needs=("Write",))
_OF_ONE_TOOL = late(
    r"(?m)(?:==|-eq|=)\s*[\"'](?:Read|Edit|Write)[\"']|^[ \t]*\"?(?:Read|Edit|Write)\"?(?:\|\"?\w+\"?)*\)"
)
_KEEPS_SECRETS = late(
    r"\.env\b[\s\S]*\b(?:exit[ (]+2\b|deny\b)|\b(?:exit[ (]+2\b|deny\b)[\s\S]*\.env\b", needs=(".env",)
)
# an object in one piece, or each thing in it
_WHOLE = (
    r"\b(?:json\.dumps|str|repr|JSON\.stringify|String)\(\s*%(object)s%(default)s\s*[,)]"
    r"|\bfor\s*\(?[^\n]{1,60}?\s(?:in|of)\s+%(object)s\s*[:)\]}]"
    r"|%(object)s%(default)s\)?\.(?:items|values)\(\)|\bObject\.(?:values|entries)\(\s*%(object)s%(default)s\s*\)"
    r"|\bf[\"'][^\"'\n]{0,200}\{%(object)s[!:}]"
    r"|\.tool_input(?:\s*//\s*\{\})?(?:\[\]|\s*\)?\s*\|\s*(?:tostring|tojson|@json|@text|to_entries|map_values|\.\[\]|\.\.))"
)
_OBJECT = (
    r"(?:\w+(?:\??\.get\(\s*[\"']tool_input[\"'](?:,\s*[^()\n]{0,9})?\)|\[[\"']tool_input[\"']\]|\??\.tool_input)"
    r"|\b(?:%s))"
)
_BY_ENDING = late(
    r"\bends[wW]ith\(|\bextname\(|\bsplitext\(|\.suffix\b|##\*\.|\*\.\w{1,5}[\s)|\"']|\\\.(?:\w{1,5}|\([?:\w|]{1,60}\))\)?\$"
)
_DEFAULT = r"(?:\s*(?:or|\|\||\?\?)\s*\{\})?"


def matcher_problems(line: HookLine, text: str, shown: str, where: str) -> Iterator[Problem]:
    """The first branch of a script that no call reaches, and a tool whose file it never looks at."""
    for kept_out in _kept_out(line, text, shown)[:1]:
        words = f"{where} compares `tool_name` with {kept_out}, which its matcher does not let through"
        yield line.entry.at_line("unsent-value", words, "add it to the matcher, or take the test away")
    if shown and (kept := _kept_commands(line, text, shown)):
        listed = " or ".join(f"`{each}`" for each in kept)
        by = "`if`" if line.entry.spec.condition else "matcher"
        words = f"{where} looks for {listed}, which its {by} does not let through"
        yield line.entry.at_line(
            "unsent-value", words, f"take the {by} out, or let it fit those commands too"
        )
    names, words_there = listed_names(line.entry.spec.matcher), frozenset(re.findall(r"\w+", text))
    read = steps_into("tool_input", text) if line.entry.spec.kind is EventKind.PreToolUse else ()
    for tool, wanted, wrong in (
        ("NotebookEdit", "notebook_path", {"file_path"} if len(names) > 1 else set()),
        ("Edit", "new_string", {"content"}.intersection(read)),
    ):
        of_others = tool == "NotebookEdit" and (
            (line.entry.spec.kind is EventKind.PostToolUse and _ends(text))
            or ("NotebookEdit" not in words_there and bool(_OF_ONE_TOOL.search(text)))
        )
        told = wanted in words_there or (
            tool == "Edit" and bool(words_there.intersection(_OF_EDITS) or _OF_WRITE_ALONE.search(text))
        )
        if (
            wrong
            and {"tool_input", *wrong} <= words_there
            and not (told or of_others)
            and tool in names
            and not _takes_all(text)
        ):
            words = (
                f"{where} reads no `{wanted}`, which is what a call of `{tool}` has: it sees none of those"
            )
            hint = f"read `{wanted}` too, or take the tool off the matcher"
            yield line.entry.at_line("unsent-field", words, hint)
    left_out = "Write" in names and not {"Edit", "MultiEdit"}.intersection(names)
    of_secrets = shown and "file_path" in words_there and not words_there & {"content", "new_string"}
    if (
        left_out
        and of_secrets
        and line.entry.guards
        and _KEEPS_SECRETS.search(text)
        and is_for_this_alone(line, shown)
    ):
        words = (
            f"{where} keeps files with secrets from `Write` and not from `Edit`, which its matcher leaves out"
        )
        yield line.entry.at_line(
            "fragile-rule",
            words,
            "let the matcher be `Write|Edit`, and the script look at both",
            severity="notice",
        )


def _ends(text: str) -> bool:
    """Whether a script is for files whose names end in some way, and notebooks are none of them."""
    return bool(_BY_ENDING.search(text)) and "ipynb" not in text


def _takes_all(text: str) -> bool:
    """Whether a script takes what a call has as one text, or goes through all of it: no part has to be named then."""
    names = "|".join(dict.fromkeys(("tool_input", *sorted(kept_as("tool_input", text)))))
    return bool(re.search(_WHOLE % {"object": _OBJECT % names, "default": _DEFAULT}, text))


def _kept_commands(line: HookLine, text: str, shown: str) -> tuple[str, ...]:
    """Everyday commands that a guard's script looks for, and that no hook of the file which starts it lets come."""
    entry, guards = line.entry, [each for each in alike(line, shown) if each.guards]
    asked = [each for each in guards if each.spec.condition or (each.rule and each.rule.subject == "command")]
    if not asked or asked[0].spec is not entry.spec or not DENIES.search(text):
        return ()
    sought = looked_for(text)
    return tuple(each for each in sought if not any(_lets(other, each) for other in guards))[:3]


def _lets(entry: Entry, command: str) -> bool:
    """Whether a call with this command may come to a hook."""
    matcher, condition, rule = entry.spec.matcher, entry.spec.condition, entry.rule
    subject = rule.subject if rule else ""
    value = command if subject == "command" else entry.speaker.tools.native("Bash")
    if matcher is not None and mismatch(matcher, value, subject) is not None:
        return False
    if condition is None:
        return True
    parsed = parse_rule(condition) if isinstance(condition, str) else None
    return parsed is None or rule_mismatch(parsed, "Bash", {"command": command}, "/", "/") is None


def _kept_out(line: HookLine, text: str, shown: str) -> list[str]:
    """The tools that a script has a branch for, and that none of its hooks lets come, branch by branch."""
    entry = line.entry
    if entry.rule is None or entry.rule.subject != "tool_name" or not shown:
        return []
    matchers = [listed_names(each.spec.matcher) for each in (entry, *alike(line, shown))]
    let = {entry.speaker.tools.canonical(each) for names in matchers for each in names}
    known = {*CANONICAL, *(native for _, native in entry.speaker.tools.names)}
    if not all(matchers):
        return []
    return [
        ", ".join(f"`{each}`" for each in branch)
        for branch in ([each for each in every if each not in entry.traps.gone] for every in branches(text))
        if branch and known >= {*branch} and not let & {*map(entry.speaker.tools.canonical, branch)}
    ]
