"""What a hook says beside its event, matcher and handler: what of it arrives is read off the written config.

Nothing here trusts what a writer meant to write: the hook is written alone, read back, and compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from hookline.dialects import OWN, dialect
from hookline.dialects.base import Source, SourceText
from hookline.dialects.profile import SCRIPTS
from hookline.model.hooks import Command, HookSpec, Unusable, said_of
from hookline.model.record import Record, fields_of, replace
from hookline.model.typing import Any


class Loss(Record):
    """One difference. `what` is stable: event, handler, matcher, condition, failure, protocol, timeout, …

    It `weakens` when something the source would have stopped might get through in the target. It `floods` when what is
    written there says no to every call, which nobody can have meant.
    """

    hook: str
    source: str
    line: int
    event: str
    what: str
    message: str
    weakens: bool = False
    floods: bool = False


# What a reader notes by itself: nobody wrote it, or another part of the conversion speaks of it.
_NOTES = frozenset({
    "adopted", "aliases", "attempts", "bridge", "blocking", "condition", "disabled_why", "http_timeout_s", "plugin",
    "plugin_data", "plugin_root", "predicates", "sequential", "shell_fallback", "speaks", "stand_in", "thread",
    "json_from", "pass_context", "parse_result", "on_timeout", "examples", "programs", "tools",
})  # fmt: skip
_DEFAULTS: Mapping[str, Any] = {"loop_limit": 5, "notify_llm": True, "git_env": True, "run_as": "user"}
_WORDS: Mapping[str, str] = {
    "name": "its name cannot be said there",
    "description": "its description cannot be said there",
    "status_message": "its status text cannot be said there",
    "grace": "its `grace` cannot be said there; the time between asking it to end and killing it is another",
    "once": "it runs every time there, not once",
    "background": "it is waited for there",
    "timeout": "its time limit cannot be said there as it was",
    "unsure": "`unsure` cannot be said there",
    "opaque": "`opaque` cannot be said there",
    "needs": "`needs` cannot be said there; it runs even when a hook it needs has failed",
    "order": "`order` cannot be said there; the hooks of an event run side by side",
    "group": "`group` cannot be said there; its hooks run one after another",
    "output": "`output` cannot be said there; where its plain text goes is that dialect's own rule",
    "env": "`environment` cannot be said there; it gets the whole environment",
    "pass_env": "`pass_env` cannot be said there; it gets the whole environment",
    "rewake": "its exit 2 wakes nobody there; what it says is lost or comes later",
    "agent": "it was for one subagent; there it runs for every agent",
    "notify_llm": "`notify_llm` cannot be said there; the model hears of its failure",
    "baseline": "`baseline` cannot be said there; the agent is asked to mend what failed before it began, too",
    "run_as": "`run_as` cannot be said there; it runs as whoever runs the agent",
    "contextLimit": "`additionalContextLimit` cannot be said there",
    "asks_sequence": "`sequential` cannot be said there; the hooks of the event run side by side",
}
_HANDLER_WORDS: Mapping[str, str] = {
    "method": "its request is not sent as `{value}` there",
    "allowed_env": "which variables its headers may use cannot be said there as it was",
    "headers": "its headers cannot be said there",
    "model": "its `model` cannot be said there; the agent's own is asked",
    "continue_on_block": "what a no does to the turn is that dialect's own rule there",
}
_AUTHORISING = frozenset({"method", "allowed_env", "headers"})  # without them a request may be refused


def read_back(name: str, spec: HookSpec) -> HookSpec | None:
    """The hook as that dialect reads what it writes of it; None when it reads none."""
    alone = replace(spec, conduct=replace(spec.conduct, needs=()))
    form, label = dialect(name).profile.read_as
    written = dialect(name).profile.write([alone])
    text = _only_file(written) if form == SCRIPTS else written
    source = Source("/converted", "project", form, "converted", label)
    path = "/converted/hook" if form == SCRIPTS else source.path
    given = SourceText(source, "text", text, path=path, shown=path, mode=0o755)
    found = dialect(name).parse(given).specs
    return found[0] if found else None


def _only_file(script: str) -> str:
    """What a script that makes one file puts into it."""
    mark = re.search(r"<<'(\w+)'\n", script)
    assert mark is not None
    return script[mark.end() :].partition(f"\n{mark[1]}\n")[0] + "\n"


def lost_details(spec: HookSpec, made: HookSpec, arrived: HookSpec) -> Iterator[tuple[str, str, bool]]:
    """What `spec` says and `arrived` does not, `made` having been written for it: each detail's name, what to tell, and
    whether a guard is weaker for it."""
    guards = dialect(spec.dialect).rule(spec).guards
    if isinstance(arrived.action, Unusable):
        yield "handler", f"what was written for it cannot run there: {arrived.action.why}", guards
        return
    for name, (said, of) in _FIELDS.items():
        if (
            said(spec)
            and of(arrived) != of(spec)
            and not (name == "env" and isinstance(made.action, Command))
        ):
            yield name, _told(name), False
    yield from _lost_options(spec, made, arrived)
    if type(arrived.action) is type(spec.action) and not isinstance(spec.action, Command):
        before, after = fields_of(spec.action), fields_of(arrived.action)
        for name, value in before.items():
            if after[name] != value and (value or after[name]):
                words = _HANDLER_WORDS.get(name, "its `{name}` cannot be said there").format(
                    name=name, value=value
                )
                yield name, words, guards and name in _AUTHORISING


def _lost_options(spec: HookSpec, made: HookSpec, arrived: HookSpec) -> Iterator[tuple[str, str, bool]]:
    order = dialect(made.dialect).rule(made).order
    said, there = said_of(spec), said_of(arrived)
    for name, value in said.items():
        if name in _NOTES or not _is_said(name, value) or _same(there.get(name), value):
            continue
        if name == "needs" and made.dialect == OWN:
            continue
        if name == "order" and order != "parallel" and dialect(made.dialect).profile.read_as[0] != SCRIPTS:
            continue  # they are written in the order they run in
        if name == "group" and order == "parallel":
            continue
        yield name, _told(name), name == "needs"
    left_out = dialect(spec.dialect).profile.can.options.keys() - said.keys()
    if "loop_limit" in left_out & there.keys():
        yield "loop_limit", "that it may go on without end cannot be said there", False


def _is_said(name: str, value: Any) -> bool:
    return bool(value != _DEFAULTS[name] if name in _DEFAULTS else value)


def _same(one: Any, other: Any) -> bool:
    return (list(one) if isinstance(one, tuple) else one) == (
        list(other) if isinstance(other, tuple) else other
    )


def _told(name: str) -> str:
    return _WORDS.get(name, f"`{name}` cannot be said there")


def _is_named(spec: HookSpec) -> bool:
    """Whether somebody gave it a name: readers make some up, by number or from the command."""
    made_up = (spec.command, spec.native_event, spec.id)
    return bool(spec.name) and spec.name not in made_up and not re.fullmatch(r"\w+ \d+", spec.name)


_FIELDS: Mapping[str, tuple[Callable[[HookSpec], bool], Callable[[HookSpec], Any]]] = {
    "name": (_is_named, lambda spec: spec.name),
    "description": (lambda spec: bool(spec.description), lambda spec: spec.description),
    "status_message": (lambda spec: bool(spec.status_message), lambda spec: spec.status_message),
    "grace": (lambda spec: spec.dialect == OWN and spec.grace_s != 2.0, lambda spec: spec.grace_s),
    "env": (lambda spec: bool(spec.env), lambda spec: dict(spec.env)),
    "once": (lambda spec: spec.once, lambda spec: spec.once),
    "background": (lambda spec: spec.background, lambda spec: spec.background),
    "timeout": (lambda spec: True, lambda spec: spec.timeout_s),
}
