"""Scripts that do nothing but speak, on standard error, which is not handed on there: what they say is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.answers.heard import acts, how_to_tell, outcome_of
from hookline.checking.answers.script_rules import ANSWERS
from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_python, is_shell
from hookline.checking.steps.shell_nodes import all_nodes, program_of, said
from hookline.checking.steps.steps_of import steps_of
from hookline.checking.texts.only_printing import DOES, only_prints
from hookline.checking.texts.plain_output import is_heard, read_where
from hookline.checking.texts.spoken import spoken_in, without_taken
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Function
from hookline.system.patterns.late import late

TO_ERRORS = late(r"(?<![0-9])1?>\s*(?:&\s*2\b|/dev/stderr\b)", needs=(">",))
_JOINED = late(r"2>\s*&\s*1|&>\s*&?1", needs=(">",))
_STDOUT = late(
    r"sys\.stdout|process\.stdout|console\.(?:log|info|table)|\bprint\((?![^\n]*file\s*=\s*sys\.stderr)"
)
# what a script may be for beside its words: files, the network, and programs but `git`
_ACTS = late(
    r"\bopen\([^)\n]*[\"'][wax]|write_text|writeFile|appendFile|\bmkdir|makedirs|\bunlink|\bremove\(|\brename|\bcopy"
    r"|\bfetch\(|requests\.|urlopen|https?\.|\.connect\(|os\.system|environ\[[^\]\n]*\]\s*=|\bspawn|\bPopen"
    r"|(?:\bsubprocess\.\w+|\bexec(?:File)?Sync)\(\s*(?!\[?\s*[\"'`]git\b)"
)
_SAYS = late(r"\bconsole\.(?:error|warn)\(|\bstderr\.write\(|\bfile\s*=\s*sys\.stderr\b")
_CATCHES = late(r"\bcatch\b|\bexcept\b")
_SILENT = frozenset({
    "exit", "set", "cd", "local", "export", "readonly", "declare", "shift", "return", "true", ":", "test", "[", "read",
    "continue", "break", "source", ".", "shopt", "unset", "mapfile", "trap",
})  # fmt: skip


def told_to_nobody(line: HookLine) -> Iterator[Problem]:
    """Of a script that does nothing but look and speak, that it speaks on the stream which is not handed on."""
    entry, heard = line.entry, is_heard(line)
    effects = entry.rule.effects if entry.rule else ()
    if not is_agent(entry.speaker.name) or entry.spec.conduct.rewake or "context" not in effects:
        return
    outcome = outcome_of(entry, "some words", stderr=True)
    if acts(outcome) or outcome.messages or _JOINED.search(line.text):
        return
    for shown, _, bare in line.heard_texts[1:]:
        text = line.scripts[shown]
        if not ANSWERS.search(bare) and (_shell(text) if is_shell(shown, text) else _code(shown, text, bare)):
            lost = "where the model sees none of it" if heard else f"and nobody reads that {read_where(line)}"
            words = f"`{shown}` says all it has to say on standard error, {lost}"
            hint = how_to_tell(entry)
            yield entry.at_line("unread-output", words, "print it on standard output" if heard else hint)
            return


def _shell(text: str) -> bool:
    spoken = TO_ERRORS.sub("", text)
    if spoken == text or DOES.search(spoken):
        return False
    tree, unclear = parse(without_taken(text))
    other, _ = parse(without_taken(spoken))
    own = {
        node.name for node in all_nodes(tree) if isinstance(node, Function)
    }  # whose words are looked at by themselves
    silent = all(program_of(node)[0] in _SILENT | own for node in said(tree))
    return unclear is None and silent and only_prints(other)


def _code(shown: str, text: str, bare: str) -> bool:
    if not (is_python(shown, text) or re.search(r"\.[mc]?[jt]s$", shown)):
        return False
    spoken = list(spoken_in(shown, text))
    silent = not any(look.search(bare) for look in (_STDOUT, _ACTS))
    several = len(spoken) > 1 or (spoken and not _CATCHES.search(bare) and len(_SAYS.findall(bare)) > 1)
    if not (silent and several and all(each.on_stderr for each in spoken)):
        return False
    steps = steps_of(shown, text)
    return steps is not None and not any(steps.ends(each.at) for each in spoken)
