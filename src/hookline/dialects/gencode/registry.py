"""GenCode's hooks in code: load settings, add and remove hooks by event, and read what they came to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from hookline.dialects.base import Source, SourceText
from hookline.dialects.gencode import DIALECT
from hookline.dialects.gencode.config import kind_named
from hookline.model.errors import ConfigError, UsageError
from hookline.model.hooks import HookSpec, Inline, Matcher
from hookline.model.record import Record, replace
from hookline.model.results import HookResult, Status, Verdict
from hookline.model.typing import Any


class HookReport(Record):
    """One hook's result in GenCode's words; `duration_ms` is None for a hook that did not run.

    `error` is the time-out, else what the hook wrote to standard error, else how it ended; `message` is
    the first line worth showing.
    """

    success: bool
    output: str = ""
    error: str = ""
    blocked: bool = False
    exit_code: int | None = None
    duration_ms: float | None = None
    message: str = ""

    @classmethod
    def of(cls, result: HookResult) -> HookReport:
        raw = result.raw
        if raw is None:
            return cls(False, error=result.why)
        output, said = raw.stdout.strip(), raw.stderr.strip()
        error = _error(result) if raw.failed else ""
        blocked = result.outcome.verdict >= Verdict.DENY or bool(result.outcome.reprompt)
        first = (said or output).split("\n", 1)[0]
        code = 1 if raw.exit_code is None and raw.failed else raw.exit_code
        return cls(not raw.failed, output, error, blocked, code, raw.timings.total * 1000, first)


class HookRegistry:
    """Hooks by native event, in order; `Engine(registry.specs())` runs them."""

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self._specs: list[HookSpec] = []
        self._count = 0
        if settings is not None:
            self.load_from_settings(settings)

    def load_from_settings(self, settings: Mapping[str, Any]) -> None:
        """Adds the hooks of a `settings.json` as a mapping. ConfigError for the first fault in it."""
        self._specs += self._read(settings)

    def add_hook(self, event: str, hook: Mapping[str, Any] | HookSpec) -> HookSpec:
        """Adds a group or a flat hook, whose `matcher` may be a compiled pattern, or a callable as `callback`.

        ConfigError says what is wrong with it.
        """
        if isinstance(hook, HookSpec):
            self._specs.append(hook)
            return hook
        given, pattern = dict(hook), hook.get("matcher")
        callback = given.pop("callback", None)
        if isinstance(pattern, re.Pattern):
            del given["matcher"]
        if callback is not None:
            given.update(type="command", command="callback")
        added = self._read({"hooks": {event: [given]}})
        if isinstance(pattern, re.Pattern):
            added = [replace(spec, matcher=Matcher("regex", pattern.pattern)) for spec in added]
        if callback is not None:
            added = [replace(spec, action=Inline(callback)) for spec in added]
        self._specs += added
        return added[-1]

    def remove_hook(self, event: str, index: int) -> HookSpec:
        """Takes out the hook at `index` (from 0) among those of the event. UsageError when there is none."""
        hooks = self.get_hooks(event)
        if not 0 <= index < len(hooks):
            raise UsageError(f"`{event}` has {len(hooks)} hooks, so there is none at {index}")
        self._specs = [spec for spec in self._specs if spec is not hooks[index]]
        return hooks[index]

    def get_hooks(self, event: str) -> tuple[HookSpec, ...]:
        return tuple(spec for spec in self._specs if spec.native_event == event)

    def has_hooks(self, event: str) -> bool:
        """Whether the event has any hook at all, whatever the matchers say."""
        return any(spec.native_event == event for spec in self._specs)

    def specs(self) -> tuple[HookSpec, ...]:
        return tuple(self._specs)

    def _read(self, settings: Mapping[str, Any]) -> list[HookSpec]:
        self._count += 1
        for event in settings.get("hooks", ()):
            if kind_named(event) is None:
                raise ConfigError(f"there is no event `{event}`")
        source = Source("", "session", "json", "code", "native")
        loaded = DIALECT.parse(SourceText(source, "text", json.dumps(settings), shown="code"))
        for problem in loaded.problems:
            if problem.severity == "error":
                raise ConfigError(f"{problem.path}: {problem.message}", problem.hint or None)
        return [replace(spec, id=f"{spec.id}-code-{self._count}") for spec in loaded.specs]


def all_succeeded(reports: Iterable[HookReport]) -> bool:
    """True for none at all, too."""
    return all(report.success for report in reports)


def total_duration_ms(reports: Iterable[HookReport]) -> float:
    """Hooks that did not run count as 0."""
    return sum(report.duration_ms or 0.0 for report in reports)


def _error(result: HookResult) -> str:
    raw = result.raw
    if result.status is Status.timed_out:
        return f"timed out after {result.spec.timeout_s * 1000:.0f}ms"
    if raw is None or raw.launch_error:
        return raw.launch_error if raw else result.why
    return raw.stderr.strip() or (f"signal {raw.signal}" if raw.signal else f"exit {raw.exit_code}")
