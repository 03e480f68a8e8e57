"""Whether a rule is about all that a call does: who allows `git status` has not allowed `git status; rm -rf /`."""

from __future__ import annotations

import re

from hookline.dialects.hookline.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.dialects.hookline.calls import Call
    from hookline.shell.effects.acts import Deeds

_SETS = re.compile(r"(?:^|[;&|\n({`]|\b(?:then|do|else|env|export|declare)\b)\s*([A-Za-z_]\w*)\+?=")


def left_over(call: Call, hits: Sequence[Hit], asked: Mapping[str, Any]) -> str:
    """What a call does beside what a rule is about, in words; empty for nothing.

    A variable that the line sets may be `PATH`; a script that the rule is about may do what it does.
    """
    if call.unknowns:
        return call.unknowns[0]
    texts = " ".join((*asked.get("shell", ()), *asked.get("shell_exact", ())))
    before = [name for at in call.distinct for name, _ in call.deeds[at].command.assignments]
    for name in (*_SETS.findall(call.line), *before):
        if f"{name}=" not in texts:
            return f"`{name}=`"
    certain = [hit for hit in hits if hit.certain]
    for at in call.distinct:
        deeds = call.deeds[at]
        meant = {hit.effect for hit in certain if hit.at == at}
        if not meant and call.is_shell and not _is_covered(at, call, certain):
            return f"`{' '.join(deeds.given.path) or call.line[deeds.command.start : deeds.command.end]}`"
        if meant and (more := _further(deeds, meant, "read" not in asked)):
            return more
    return ""


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
