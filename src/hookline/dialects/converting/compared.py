"""What written hooks do, asked of both dialects and not believed: at which tools they run, what their ends mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hookline.dialects import dialect
from hookline.dialects.base import subject_of
from hookline.dialects.converting.matchers import canonical_names
from hookline.dialects.converting.rules import closed_causes, moment_of
from hookline.dialects.matching import mismatch
from hookline.dialects.profile import ANY_EXIT, EXIT
from hookline.dialects.tools import CANONICAL, is_about
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.results import RawResult, Verdict

DENIAL, PLAIN = "exit 2", "exit 0 with a text on stdout"
_ENDS = {
    DENIAL: RawResult(exit_code=2, stderr="no"),
    ANY_EXIT: RawResult(exit_code=1, stderr="no"),
    EXIT: RawResult(exit_code=3, stderr="no"),
    PLAIN: RawResult(exit_code=0, stdout="said"),
}
_OTHERS = ("mcp__server__tool", "mcp__other__thing", "Unheard")
_SHOWN = 6


class Reach(Record):
    """The tools, in our words, at which a hook ran and does not any more, and those at which it runs besides."""

    missed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def reach_of(spec: HookSpec, made: Sequence[HookSpec]) -> Reach:
    """How the tools of the hook differ from those of what was written for it."""
    source, target = spec.dialect, made[0].dialect
    if "tool_name" not in (dialect(source).rule(spec).subject, dialect(target).rule(made[0]).subject):
        return Reach()
    missed, added = [], []
    for tool in _tools_to_ask(spec, source, target):
        before, after = _runs_at(spec, tool), any(_runs_at(each, tool) for each in made)
        if before and not after and _has(target, tool):
            missed.append(tool)
        elif after and not before and _has(target, tool):
            added.append(tool)
    return Reach(tuple(missed), tuple(added))


def listed(words: Sequence[str]) -> str:
    """The first of them, for a sentence."""
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(f"`{word}`" for word in words[:_SHOWN]) + more


def _tools_to_ask(spec: HookSpec, source: str, target: str) -> Iterable[str]:
    named = re.findall(r"\w+", spec.matcher.text) if spec.matcher else []
    ours = [canonical for name in (source, target) for canonical, _ in dialect(name).tools.names]
    meant = [each for word in named for each in canonical_names(_whole(word), source)]
    return dict.fromkeys((*CANONICAL, *ours, *(each for each in meant if each.startswith("mcp__")), *_OTHERS))


def _whole(word: str) -> str:
    """The beginning of a name of a server's tool as a whole name."""
    if not word.startswith("mcp__"):
        return word
    server, _, tool = word[5:].partition("__")
    return f"mcp__{server.strip('_') or 'server'}__{tool or 'tool'}"


def _runs_at(spec: HookSpec, tool: str) -> bool:
    speaker = dialect(spec.dialect)
    about = speaker.tools_about(spec.native_event)
    if about and not is_about(tool, about):
        return False
    rule = speaker.rule(spec)
    if spec.matcher is None or rule.subject != "tool_name":
        return True
    return mismatch(spec.matcher, subject_of(speaker, rule, moment_of(spec.kind, tool)), rule.subject) is None


def _has(target: str, tool: str) -> bool:
    """Whether the agent may have such a tool at all; of one that is told of nowhere, nobody knows."""
    names = dialect(target).tools.names
    return not names or tool.startswith("mcp__") or any(tool == canonical for canonical, _ in names)


def changed_ends(spec: HookSpec, made: HookSpec) -> Iterator[tuple[str, bool]]:
    """The ends by which only one of the two stops something, and whether that is the written one."""
    for words, raw in _ENDS.items():
        before, after = (_stops(each, words, raw) for each in (spec, made))
        if before != after and (after or words == DENIAL):
            yield words, after


def _stops(spec: HookSpec, words: str, raw: RawResult) -> bool:
    speaker = dialect(spec.dialect)
    if words in closed_causes(spec, spec.dialect):
        return speaker.rule(spec).guards
    outcome = speaker.read_output(moment_of(spec.kind), spec, raw)
    return outcome.verdict >= Verdict.DENY or bool(outcome.reprompt)
