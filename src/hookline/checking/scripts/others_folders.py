"""Scripts that take their folder, or their leave to begin, from a variable which other agents set, and none of those
that start them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.commands.assigned import assigned
from hookline.checking.commands.variables import (
    given_to,
    is_set,
    reads_input,
    told_to_hooks,
    variables_of_agents,
)
from hookline.checking.entries import Entry
from hookline.checking.fields.never_sent import started_too
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_python, is_shell
from hookline.dialects import agent_names, is_agent
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_ENDS = "_PROJECT_DIR"
_DEFAULTS = late(r"\$\{\w+:?[-=+?](?:[^{}]|\$\{[^{}]*\})*\}", needs=("${",))
_ENDS_UNSET = late(r"(?m)^[ \t]*set[ \t]+(?:-\w*u|-o[ \t]+nounset|[^\n#]{0,40}[ \t]-\w*u\b)", needs=("set",))
# a shell that ends well, as the first thing it does, where a variable has no value, or not the one it waits for
_VALUE = r"\"?\$\{?([A-Z]\w+)(?::?-)?\}?\"?"
_ENDS_WITHOUT = late(
    rf"(?m)^(?:if[ \t]+)?\[\[?[ \t]+(?:-z[ \t]+{_VALUE}|{_VALUE}[ \t]+!=[ \t]+[\"']?\w+[\"']?)[ \t]+\]\]?"
    r"[ \t]*(?:&&|;?\s*then\b)\s*(?:\{\s*)?(?:echo\b[^\n;]*[\n;]\s*)?exit(?:[ \t]+0)?[ \t]*(?:[;}#]|$)"
    rf"|^\[\[?[ \t]+(?:-n[ \t]+{_VALUE}|{_VALUE}[ \t]+==?[ \t]+[\"']?\w+[\"']?)[ \t]+\]\]?"
    r"[ \t]*\|\|[ \t]*(?:\{[ \t]*)?exit(?:[ \t]+0)?[ \t]*(?:[;}#]|$)",
    needs=("exit",),
)
_TAKES_IN = late(r"(?m)^[ \t]*(?:\.|source)[ \t]", needs=(".", "source"))


def others_switches(line: HookLine) -> Iterator[Problem]:
    """Scripts that end at once where an agent did not start them which never does."""
    entry = line.entry
    if not is_agent(entry.speaker.name) or entry.speaker.doubt:
        return
    for shown, where, text in line.texts[1:]:
        for found in _ENDS_WITHOUT.finditer(text) if is_shell(shown, line.scripts[shown]) else ():
            name = next(filter(None, found.groups()))
            theirs = name in told_to_hooks() and name.partition("_")[0].lower().removesuffix("code")
            given = assigned(name, text) or _TAKES_IN.search(text, 0, found.start())
            if theirs in agent_names() and not given and not _comes(name, line, shown):
                words = f"{where} ends at once without `{name}`, which {entry.speaker.title} never sets"
                yield entry.at_line("unset-variable", words, "leave the test out, or the hook")
                return


def others_folders(line: HookLine) -> Iterator[Problem]:
    """One for each script, where the folder is what a path of it begins with."""
    entry = line.entry
    if not is_agent(entry.speaker.name) or entry.speaker.doubt:
        return
    whole = "\n".join(text for _, _, text in line.texts)
    for shown, where, text in line.texts[1:] if _ENDS in whole else ():
        names = sorted(set(re.findall(rf"\b[A-Z]+{_ENDS}\b", text)) & variables_of_agents())
        if any(_sets(name, entry, line) for name in names):
            continue  # it knows several agents
        for name in names:
            if _depends(name, shown, text) and not assigned(name, whole) and not _comes(name, line, shown):
                words = f"{where} takes its folder from `{name}`, which {entry.speaker.title} never sets"
                yield entry.at_line("unset-variable", words, _instead(line))
                break


def _comes(name: str, line: HookLine, shown: str) -> bool:
    """Whether one of the agents that start the script sets it."""
    return any(_sets(name, each, line) for each in (line.entry, *started_too(line, shown)))


def _sets(name: str, entry: Entry, line: HookLine) -> bool:
    known = is_agent(entry.speaker.name) and not entry.speaker.doubt
    return not known or is_set(name, given_to(entry), entry, bool(line.plugin_root))


def _instead(line: HookLine) -> str:
    sets = {*line.entry.speaker.profile.words.variables, *line.entry.traps.sets}
    own = next((each for each in sorted(sets) if each.endswith(_ENDS)), "")
    return f"it sets `{own}`" if own else "begin at what `git rev-parse --show-toplevel` prints"


def _depends(name: str, shown: str, text: str) -> bool:
    """Whether the script goes astray without a value, and does not ask first whether there is one."""
    if is_shell(shown, text):
        return reads_input(text) and _in_shell(name, text)
    if is_python(shown, text):
        told = re.search(rf"KeyError|[\"']{name}[\"']\s+(?:not\s+)?in\s+os\.environ", text)
        return not told and bool(re.search(rf"os\.environ\[\s*[\"']{name}[\"']\s*\](?!\s*=[^=])", text))
    use = rf"process\.env\.{name}\b"
    asks = rf"{use}\s*(?:\?|\|\||&&|[=!]==?)|[!(]\s*{use}\s*\)|if\s*\(\s*{use}"
    joins = rf"(?:join|resolve)\(\s*{use}\s*,|\$\{{{use}\}}/"
    return not re.search(asks, text) and bool(re.search(joins, text))


def _in_shell(name: str, text: str) -> bool:
    if _is_tested(name, text):
        return False
    bare = _DEFAULTS.sub("x", text)
    use = rf"(?<!\\)\$\{{?{name}\b\}}?"
    kept = [found[1] for found in re.finditer(rf"(?m)(?:^|[;\s])(\w+)=\"?{use}\"?[ \t]*(?:$|[;&#])", bare)]
    once = (each for each in kept if len(re.findall(rf"(?<![\w$]){each}=", bare)) == 1)
    names = "|".join((name, *(each for each in once if not _is_tested(each, text))))
    begins = rf"(?<!\\)\$\{{?(?:{names})\b\}}?\"?/|\bcd[ \t]+{use}(?![\w\"/])"
    ends = _ENDS_UNSET.search(bare) and re.search(use, bare)
    return bool(ends or re.search(begins, bare))


def _is_tested(name: str, text: str) -> bool:
    """Whether a shell asks if the variable has a value, or says what stands in for it."""
    asks = rf"(?:-[nzvd]|\[\[?)\s+\"?\$?\{{?{name}\b(?!\}}?\"?/)"
    return bool(re.search(rf"{asks}|\$\{{{name}:?[-=+?]|\$\{{?{name}\}}?\"?\s+[!=]?=", text))
