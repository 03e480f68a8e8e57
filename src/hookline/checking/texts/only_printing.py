"""Shell scripts that do nothing but look and print, at events where nobody reads what they print."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.answers.heard import acts, how_to_tell, outcome_of
from hookline.checking.answers.script_rules import ANSWERS, closes, weak_exit
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_python, is_shell
from hookline.checking.steps.shell_nodes import all_nodes, program_of, said
from hookline.checking.texts.plain_output import (
    is_heard,
    is_told,
    looks,
    read_where,
    reader_of,
    unread_output,
)  # fmt: skip
from hookline.checking.texts.spoken import spoken_in, without_taken
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Function
from hookline.shell.grammar.tree import Sequence, Simple
from hookline.system.patterns.late import late

LOOKS = frozenset({
    "echo", "printf", "cat", "jq", "grep", "egrep", "rg", "sed", "awk", "head", "tail", "wc", "tr", "cut", "sort",
    "uniq",
    "basename", "dirname", "date", "cd", "pwd", "set", "source", ".", "local", "export", "readonly", "declare", "shift",
    "return", "exit", "true", ":", "test", "[", "continue", "break", "read", "find", "ls", "command", "type", "which",
    "stat",
    "realpath", "shopt", "unset", "mapfile", "readarray", "diff",
})  # fmt: skip
_GIT = frozenset(
    {"status", "diff", "log", "rev-parse", "branch", "show", "rev-list", "ls-files", "symbolic-ref", "-C"}
)
DOES = late(
    r"(?<![0-9&<=-])>>?\s*(?!&|/dev/(?:null|stderr|fd))[\w\"'$~/.{]|\btee\b|\bsed\s+(?:-\w+\s+)*-i|-delete\b|-exec\b|--fix\b|--write\b"
    r"|(?<![-\w])format\b"
    r"|\{\s*\\?\"|['\"]\{\}|\bexit\s+(?!0)"
    r"|\$\([^()]*\b(?:mktemp|curl|node|npm|python3?(?!\s+-c\s+[\"']import (?:sys, ?json|json, ?sys)))\b",
    needs=(">", "tee", "sed", "-delete", "-exec", "--fix", "--write", "format", "{", "exit", "$("),
)
_TESTS = late(r"\[\[.{0,500}?\]\]|\(\(.{0,500}?\)\)", needs=("[[", "(("))
_CHECKS = frozenset(
    {"prettier", "biome", "ruff", "stylelint", "markdownlint"}
)  # which the options above would let mend
# what a script of Python may be for beside its words, and the modules that nothing but words come of
_WORKS = late(
    r"\bopen\((?![^,()\n]{0,99}(?:,\s*(?:[\"']r[tb]?[\"']|encoding=)[^()\n]{0,40})?\))|\bos\.(?!environ\b(?!\[[^\]\n]*\]\s*=)|path\b|getcwd\b)"
    r"|(?m:exit\w*[ (]+(?!0?[ \t]*(?:[);#]|$)))|\breturn [12]\b|\braise\b|\bexec\(|\beval\(|__import__|\\x1b|\\a"
)
_MODULES = late(r"(?m)^[ \t]*(?:import[ \t]+(\w[^\n#;]*)|from[ \t]+([\w.]+)[ \t]+import)")
_OF_WORDS = frozenset({"json", "sys", "re", "os", "datetime", "time", "typing", "__future__"})
_SAYS = _CHECKS | {"echo", "printf"}


def only_printing(line: HookLine) -> Iterator[Problem]:
    """Reminders and reports that reach nobody; what a hook does beside its words is its purpose then."""
    entry = line.entry
    if entry.rule is None or not is_agent(entry.speaker.name) or is_heard(line) or entry.spec.conduct.rewake:
        return
    outcome = outcome_of(entry, "some words")
    if acts(outcome) or is_told(line, outcome):
        return
    unheard = outcome_of(entry, "some words", stderr=True)
    for shown, where, bare in line.heard_texts:
        text = line.scripts.get(shown, bare)
        aside = (acts(unheard) or unheard.messages) and any(each.on_stderr for each in spoken_in(shown, text))
        if shown and not aside and only_speaks(shown, text, bare):
            yield entry.at_line("unread-output", _unread(line, where), how_to_tell(entry))
            return
        if not shown and (line.entry.argv or closes(line) or any(unread_output(line))):
            continue
        if (shown and not is_shell(shown, text)) or ANSWERS.search(bare) or DOES.search(_TESTS.sub("", bare)):
            continue
        if entry.guards and any(weak_exit(line, bare, shown)):
            continue  # it means to say no
        tree, unclear = parse(without_taken(text))
        reads = entry.rule.effects or entry.spec.kind is EventKind.PostCompact  # as people take it for
        worth = _looks(tree) if shown and not reads else shown or not _looks(tree)
        if unclear is None and worth and only_prints(tree):
            yield entry.at_line("unread-output", _unread(line, where), how_to_tell(entry))
            return


def _unread(line: HookLine, where: str) -> str:
    return f"{where} does nothing but print, and {reader_of(line)} reads plain output {read_where(line)}"


def only_speaks(shown: str, text: str, bare: str) -> bool:
    """Whether a script of Python does nothing but take its input apart and print words."""
    if not is_python(shown, text) or ANSWERS.search(bare) or _WORKS.search(bare):
        return False
    modules = {name for found in _MODULES.finditer(bare) for name in re.findall(r"\w+", found[1] or found[2])}
    return modules <= _OF_WORDS and any(each.words.strip() for each in spoken_in(shown, text))


def only_prints(tree: Sequence) -> bool:
    """Whether nothing comes of a script but its words."""
    functions = {node.name for node in all_nodes(tree) if isinstance(node, Function)}
    commands = [node for node in all_nodes(tree) if isinstance(node, Simple) and node.words]
    printed = [program_of(node) for node in said(tree)]
    printed += [
        ["echo"] for node in said(tree) if any(each.document for each in node.redirects)
    ]  # `cat <<EOF`
    says = any(
        words[0] in _SAYS or _is_file(words) or (words[0] not in LOOKS | {"git"} and looks(words))
        for words in printed
    )
    return says and all(_harmless(node, functions) for node in commands)


def _is_file(words: list[str]) -> bool:
    """Whether the content of a file is printed; where `|` is a plain word, that is told."""
    return words[0] == "cat" and "|" not in words and any(not each.startswith("-") for each in words[1:])


def _looks(tree: Sequence) -> bool:
    """Whether something is tested, whose code the person who sits there sees."""
    run = [program_of(node) for node in all_nodes(tree) if isinstance(node, Simple) and node.words]
    return any(words[0] in _CHECKS or (words[0] not in LOOKS and looks(words)) for words in run)


def _harmless(node: Simple, functions: set[str]) -> bool:
    words = program_of(node)
    if words[0] == "git":
        return len(words) > 1 and words[1] in _GIT
    name = words[0]
    return name in LOOKS or name in functions or name in _CHECKS or looks(words)
