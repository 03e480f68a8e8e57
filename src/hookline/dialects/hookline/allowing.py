"""Whether a rule is about all that a call does: who allows `git status` has not allowed `git status; rm -rf /`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hookline.dialects.hookline.calls import Call
from hookline.dialects.hookline.hits import Hit
from hookline.dialects.hookline.tool_acts import is_listed
from hookline.dialects.tools import SHELLS, TOOL_EFFECTS, is_patch
from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.model.typing import Any
from hookline.shell import read_commands
from hookline.shell.effects.acts import Deeds
from hookline.shell.effects.commands import deeds_of
from hookline.shell.reading import Word

_SETS = re.compile(
    r"(?:^|[;&|\n({`]|\b(?:then|do|else|env|export|declare)\b)\s*([A-Za-z_]\w*)\+?=|"
    r"\b(?:for|select)\s+([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*):?="
)
_PRINTERS = frozenset(("echo", "printf", "pwd", "ls", "seq", "true", ":", "cd"))  # they have no effects
_FILES = frozenset(("read", "write", "delete"))
# What a command runs is one more of the line.
_OF_FILES = frozenset((
    "read", "write", "write-name", "within", "backup", "delete", "find", "command", "more", "names",
))  # fmt: skip


def other_tool(spec: HookSpec, event: Event) -> str | None:
    """Why a hook that allows is not for a call of this tool, in words.

    What a tool that nobody lists does beside its `path` is not known, and a shell's line is no file.
    """
    name = event.get("tool_name")
    if not isinstance(name, str):
        return None
    by_files = "files" in spec.rule.predicates
    if by_files and name in SHELLS:
        return f"`files` allows no line of `{name}`"
    named = "rule" in spec.rule.predicates or (
        spec.matcher is not None and bool(spec.matcher.text.strip("*. "))
    )
    tools = spec.rule.tools or {}
    given = event.get("tool_input")
    if isinstance(given, dict) and len(given) == 1 and all(map(is_patch, given.values())):
        return None
    rows = {**TOOL_EFFECTS.get(name, {}), **tools.get(name, {})}
    if named or (not _FILES.isdisjoint(rows) if by_files else is_listed(name, tools)):
        return None
    return f"an `allow` is for a tool like `{name}` only where `tool` names it"


def left_over(call: Call, hits: Sequence[Hit], asked: Mapping[str, Any]) -> str:
    """What a call does beside what a rule is about, in words; empty for nothing.

    A variable that the line sets may be `PATH`; a script that the rule is about may do what it does.
    """
    if not_read := (*call.unknowns, *call.code_words):
        return not_read[0]
    texts = " ".join((*asked.get("shell", ()), *asked.get("shell_exact", ())))
    before = [name for at in call.distinct for name, _ in call.deeds[at].command.assignments]
    for name in (*filter(None, (each for found in _SETS.findall(call.line) for each in found)), *before):
        if f"{name}=" not in texts:
            return f"`{name}=`"
    certain = [hit for hit in hits if hit.certain]
    if call.opaque and all(hit.effect is not None for hit in certain):
        return call.opaque[0]
    for at in call.distinct:
        deeds = call.deeds[at]
        meant = {hit.effect for hit in certain if hit.at == at}
        if deeds.given.path == ("printf",) and not _only_prints(deeds.command.words[1:]):
            return "`printf -v`, which sets a variable"
        if not meant and call.is_shell and not _is_covered(at, call, certain):
            return f"`{' '.join(deeds.given.path) or call.line[deeds.command.start : deeds.command.end]}`"
        if meant and (more := _further(deeds, meant, "read" not in asked and "connect" not in asked)):
            return more
        if (
            None in meant
            and any(each.name == "tamper" and each.certain for each in deeds.effects)
            and not _tampers(asked)
        ):
            return "what goes around guards"
        if meant and None not in meant and not _is_known(deeds, meant):
            return f"`{' '.join(deeds.given.path)}`, which may do more"
    return ""


def _tampers(asked: Mapping[str, Any]) -> bool:
    """Whether the words of the rule themselves go around guards: who allows `git commit` has not allowed `-n`."""
    texts = (*asked.get("shell", ()), *asked.get("shell_exact", ()))
    return any(
        effect.name == "tamper"
        for each in deeds_of(read_commands("\n".join(texts)))
        for effect in each.effects
    )


def _only_prints(words: Sequence[Word]) -> bool:
    return not words or (words[0].single and bool(words[0].prefix) and not words[0].prefix.startswith("-v"))


def _is_covered(at: int, call: Call, hits: Sequence[Hit]) -> bool:
    """Whether a command stands in a script that a command of the rule runs, or is another reading of such a command."""
    command = call.deeds[at].command
    meant = [call.deeds[hit.at].command for hit in hits if hit.effect is None]
    if not command.via:
        return any(not each.via and (each.start, each.end) == (command.start, command.end) for each in meant)
    step = next((step for step in command.via if step.end), None)
    if step is None or not step.how.startswith("script "):
        return False
    return any(not each.via and each.start <= step.start < each.end for each in meant)


def _further(deeds: Deeds, meant: set[int | None], reads: bool) -> str:
    """The first effect that is not meant: of a whole command only what it writes by `>` is none of its own.

    `reads`: it may read what it likes, as who copies to an allowed place does.
    """
    targets = [each.target for each in deeds.command.redirections]
    for place, effect in enumerate(deeds.effects):
        own = None in meant and not (effect.name == "write" and effect.target in targets)
        if place not in meant and not own and not (reads and effect.name == "read"):
            return f"`{effect.name}` of `{effect.target.literal if effect.target else ''}`"
    return ""


def _is_known(deeds: Deeds, meant: set[int | None]) -> bool:
    """Whether a command does nothing but what it does to files; who is only the output of an allowed `>` may."""
    row = deeds.given.row
    if not deeds.command.words or row is None or "more" in deeds.marks:
        return not deeds.command.words
    outputs = [each.target for each in deeds.command.redirections]
    if any(place is not None and deeds.effects[place].target not in outputs for place in meant):
        return True
    names = {deed.name for deed in row.deeds if deed.targets[:1] not in (("awk",), ("sed",))}
    return names <= _OF_FILES if row.deeds else deeds.given.path[0] in _PRINTERS
