"""The hooks of a workspace as they stand on disk now: what each is, whether it runs, and why not."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from hookline.checking.workspace import problems_of
from hookline.dialects import dialect, places_to_look
from hookline.engine.failures import guards, never_fits
from hookline.engine.hookruns import HOOK_TYPES
from hookline.engine.hookset import HookSet
from hookline.engine.loading import OURSELVES, load_hooks, no_such_event, places_for
from hookline.engine.opening import Opened
from hookline.engine.when_words import condition_words
from hookline.model.errors import PERMISSIONS, WHOLE_FILE, Problem
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec, Matcher, Unusable
from hookline.state.trust.hook_trust import HookTrust
from hookline.system.workspace.freshness import Freshness


class Standing:
    """What stands on disk at one moment; nothing of it runs, and no running engine changes by it."""

    def __init__(self, opened: Opened) -> None:
        since_ns, environment = time.time_ns(), opened.engine.environment
        places = places_for(opened.workspace, environment)
        self._home = places.home
        self.hooks: HookSet = load_hooks(places)
        self.trust = HookTrust(opened.store, self.hooks.specs)
        files = {path for spec in self.hooks.specs for path in (spec.path, *_files(spec, opened)) if path}
        paths = sorted({*self.hooks.looked_at, *places_to_look(places), *files, opened.paths.trust_file})
        self._freshness = Freshness(paths, (), since_ns)

    def is_so(self) -> bool:
        """Whether nothing that it was read from has changed since."""
        return self._freshness.is_fresh(time.time_ns())

    def rows(self) -> list[dict[str, Any]]:
        """Every hook, in config order, and every entry too broken to be one; none that is hookline's own call."""
        return [*(self.row(spec) for spec in self.hooks.specs if not _is_ourselves(spec)), *self._broken()]

    @cached_property
    def errors(self) -> tuple[Problem, ...]:
        """What `check` calls an error, without what a row says already."""
        broken = [spec for spec in self.hooks.specs if self.state_of(spec)[0] == "broken"]
        found = problems_of(self.hooks, self._home)
        told = (*self.hooks.silenced_guards, *(each for each in found if _is_told(each, broken)))
        return tuple(each for each in found if each.severity == "error" and each not in told)

    def waiting(self) -> list[HookSpec]:
        """The hooks that only a person's word keeps from running."""
        return [spec for spec in self.hooks.specs if self.state_of(spec)[0] == "waits"]

    def row(self, spec: HookSpec) -> dict[str, Any]:
        state, why = self.state_of(spec)
        return {
            "hookId": spec.id,
            "hookName": spec.name or spec.id,
            "type": HOOK_TYPES.get(spec.kind, ""),
            "dialect": spec.dialect,
            "event": spec.native_event if spec.kind is EventKind.NoSuchEvent else spec.kind.value,
            "nativeEvent": spec.native_event,
            "matcher": spec.matcher.text if spec.matcher else "",
            "matcherWords": matcher_words(spec.matcher, spec.kind is EventKind.FilesChanged),
            "condition": ", ".join(condition_words(spec)),
            "handler": spec.handler,
            "command": spec.command,
            "source": spec.source,
            "line": spec.line,
            "scope": spec.scope,
            "timeoutS": spec.timeout_s,
            "onFailure": spec.on_failure,
            "description": spec.description,
            "guard": guards(spec),
            "state": state,
            "why": why,
            "trust": self.trust.shown_state(spec),
        }

    def state_of(self, spec: HookSpec) -> tuple[str, str]:
        """on, off, waits (for trust) or broken; and why, in words."""
        if spec.kind is EventKind.NoSuchEvent and not spec.enabled:
            return "off", spec.origin.disabled_why
        if spec.kind is EventKind.NoSuchEvent and spec.native_event not in ("", "?"):
            return "broken", no_such_event(dialect(spec.dialect), spec.native_event)
        if isinstance(spec.action, Unusable):
            return "broken", spec.action.why
        off = self.trust.disabled_by(spec)
        if off is not None:
            return "off", off
        if not spec.enabled:
            return "off", spec.origin.disabled_why or "switched off in its file"
        if why := never_fits(spec):
            return "broken", why
        trust = self.trust.shown_state(spec)
        if trust in ("untrusted", "modified") and self.trust.state(spec) != "trusted":
            return "waits", self.trust.why(spec)
        return "on", self.trust.why(spec)

    def _broken(self) -> Iterable[dict[str, Any]]:
        """Entries that silence something and have no hook that stands for them."""
        for number, problem in enumerate(self.hooks.silenced_guards):
            if problem.lost or not _is_told(problem, self.hooks.specs):
                yield _broken_row(number, problem)


def _files(spec: HookSpec, opened: Opened) -> tuple[str, ...]:
    return tuple(os.path.join(opened.workspace, name) for name in spec.files)


def _is_ourselves(spec: HookSpec) -> bool:
    """An agent's entry by which it calls us, unless the agent has switched it off."""
    return bool(spec.origin.bridge) and spec.origin.disabled_why == OURSELVES


def _is_told(problem: Problem, specs: Iterable[HookSpec]) -> bool:
    """Whether a hook stands for it: the one on its line, or those below the name of an event there is not."""
    here = [spec for spec in specs if spec.source == problem.source]
    nameless = [spec for spec in here if spec.kind is EventKind.NoSuchEvent]
    if problem.code == "unknown-event":
        return any(problem.path.endswith(f".{spec.native_event}") for spec in nameless)
    if problem.code == "dead-matcher":
        return any(map(never_fits, here))
    unusable = [spec for spec in here if isinstance(spec.action, Unusable) and spec not in nameless]
    return any(spec.line == problem.line for spec in unusable)


def _broken_row(number: int, problem: Problem) -> dict[str, Any]:
    native = "" if problem.lost in (WHOLE_FILE, PERMISSIONS) else problem.lost
    return {
        "hookId": f"broken:{problem.where}:{number}", "hookName": problem.where, "type": "", "dialect": "",
        "event": native, "nativeEvent": native, "matcher": "", "matcherWords": "", "condition": "",
        "handler": "", "command": "", "source": problem.source, "line": problem.line, "scope": "", "timeoutS": 0,
        "onFailure": "", "description": problem.hint, "guard": True, "state": "broken",
        "why": problem.said, "trust": "",
    }  # fmt: skip


def matcher_words(matcher: Matcher | None, is_file: bool = False) -> str:
    """What a matcher lets through, in words."""
    what = "files" if is_file else "what is named"
    if matcher is None or matcher.text in ("", "*"):
        return "everything"
    match matcher.kind:
        case "exact":
            return matcher.text
        case "names":
            return " or ".join(name.strip() for name in matcher.text.replace(",", "|").split("|"))
        case "prefix":
            return f"{what} beginning with {matcher.text}"
        case "glob":
            return f"{what} like {matcher.text}"
        case "regex":
            return f"{what} in which the expression {matcher.text} is found"
        case "fullregex":
            return f"{what} that the expression {matcher.text} fits as a whole"
    return "nothing: it cannot be read as a matcher"
