"""What a rule makes of a call: met, not met, or what its `unsure` and `opaque` say where that cannot be told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.dialects.hookline.commands import found_in
from hookline.dialects.hookline.rules import RULES, allows
from hookline.model.events import Event
from hookline.model.hooks import Answer, HookSpec
from hookline.model.results import Fit

Derivation = tuple[Mapping[str, Any], ...]

# What a fixed answer becomes where the rule does not say: it asks, allows nothing, and tells what it has to tell.
_WAYS = {"deny": "ask", "halt": "ask", "ask": "ask", "allow": "allow", "context": "run", "message": "run"}


def command_fit(spec: HookSpec, event: Event) -> Fit:
    """Whether what the call does meets the rule's predicates."""
    rule = spec.rule
    finding = found_in(rule.predicates, event, rule.programs or "", rule.tools, allows(spec))
    if finding.doubt:
        key = "unknown" if finding.blind and spec.rule.unknown else "unsure"
        way = spec.rule.unknown if key == "unknown" else _way(spec)
        return _unsure(spec, way, finding.doubt, finding.derivation, key)
    if not finding.unmet:
        return Fit(derivation=finding.derivation)
    if not finding.opaque:
        return Fit(finding.unmet)
    way = spec.rule.opaque or "allow"
    if way == "allow":
        return Fit(f"{finding.unmet}; nobody sees into {finding.opaque}")
    return _unsure(spec, way, f"nobody sees into {finding.opaque}", (), "opaque")


def _way(spec: HookSpec) -> str:
    return spec.rule.unsure or (_WAYS[spec.action.verdict] if isinstance(spec.action, Answer) else "run")


def _unsure(spec: HookSpec, way: str, why: str, derivation: Derivation, key: str) -> Fit:
    if way == "allow":
        return Fit(f'{why}; `{key} = "allow"`')
    if way == "run":
        return Fit(doubt=why, derivation=derivation)
    if way == "ask" and "ask" not in RULES[spec.kind].effects:
        way = "deny"
    words = f"`{spec.name or spec.id}` may be meant"
    if isinstance(spec.action, Answer):
        words = f"perhaps: {spec.action.text}"  # the rule's text is no fact here
    return Fit(doubt=why, instead=Answer(way, f"{words} ({why})"), derivation=derivation)
