"""The order in which the hooks of a file run."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.dialects.hookline.rules import RULES
from hookline.dialects.reading.nodes import Node
from hookline.dialects.reading.reader import Reader
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec, Unusable
from hookline.model.record import replace


def in_order(specs: list[HookSpec], root: Reader) -> list[HookSpec]:
    """By `order`, then as written, each behind those it needs; a hook in a circle cannot run, nor one that needs it."""
    waiting = sorted(specs, key=lambda spec: int(spec.options.get("order", 0)))
    if not any(map(_needs, waiting)):
        return waiting
    nodes = {item.line: item for item in _items(root)}
    placed: list[HookSpec] = []
    known = {spec.name for spec in specs if spec.name}
    broken: set[str] = set()
    while waiting:
        open_names = {spec.name for spec in waiting if spec.name}
        ready = next((spec for spec in waiting if not open_names & set(_needs(spec))), None)
        chosen = ready or next(spec for spec in waiting if spec.name in _behind(spec, waiting))
        why = ""
        if ready is None:
            circle = ", ".join(f"`{spec.name}`" for spec in waiting if _in_circle(chosen, spec, waiting))
            why = f"`needs` goes in a circle: {circle}"
        elif missing := [name for name in _needs(chosen) if name not in known]:
            why = f"`needs` names no hook of this file: `{missing[0]}`"
        elif lost := [name for name in _needs(chosen) if name in broken]:
            why = f"it needs `{lost[0]}`, which cannot run"
        waiting.remove(chosen)
        if why:
            chosen = _unusable(chosen, root, nodes, why)
        if isinstance(chosen.action, Unusable):
            broken.add(chosen.name)
        placed.append(chosen)
    return placed


def _in_circle(one: HookSpec, other: HookSpec, waiting: list[HookSpec]) -> bool:
    return other.name in _behind(one, waiting) and one.name in _behind(other, waiting)


def _behind(spec: HookSpec, waiting: list[HookSpec]) -> set[str]:
    """The names of all that a hook needs, and of what these need."""
    found: set[str] = set()
    ahead = [*_needs(spec)]
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead.extend(need for each in waiting if each.name == name for need in _needs(each))
    return found


def _items(root: Reader) -> list[Node]:
    hooks = root.node.get("hooks")
    return hooks.items if hooks is not None else []


def _needs(spec: HookSpec) -> tuple[str, ...]:
    return spec.conduct.needs


def _unusable(spec: HookSpec, root: Reader, nodes: Mapping[int, Node], why: str) -> HookSpec:
    node = nodes[spec.line]
    guarded = root.reader(node)
    guarded.guard = spec.kind is not EventKind.NoSuchEvent and RULES[spec.kind].guards
    guarded.report(node.members.get("needs", node), "bad-needs", why)
    return replace(spec, action=Unusable(why))
