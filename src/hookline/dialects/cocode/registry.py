"""cocode's hooks in code: definitions, a registry to hand to an `Engine`, and the context callbacks get."""

from __future__ import annotations

from collections.abc import Callable

from hookline.dialects.base import Source, SourceText
from hookline.dialects.cocode import DIALECT
from hookline.dialects.cocode.config import DEFAULT_TIMEOUT_S, HTTP_TIMEOUT_S, tool_matcher
from hookline.dialects.cocode.results import Continue, HookContext, HookResult, ModifyInput, Reject
from hookline.model.errors import ConfigError
from hookline.model.hooks import Command, HookSpec, Inline, Webhook, parted
from hookline.model.record import Record
from hookline.model.results import Decision, Verdict
from hookline.model.typing import Any
from hookline.system import files

__all__ = [
    "Continue", "HookContext", "HookDefinition", "HookRegistry", "HookResult", "ModifyInput", "Reject",
    "load_hooks_from_config", "result_of",
]  # fmt: skip

SKIPPED = ("handler-count",)


def carry_on(context: HookContext) -> HookResult:
    """The handler of a definition that names none: no objection."""
    return Continue()


class HookDefinition(Record):
    """One hook: an event by its native name, what to run, and when.

    `handler` is a `Command`, a `Webhook`, or a callable (sync or async) from `HookContext` to `HookResult`.
    `timeout_s` in seconds. `pass_context` and `parse_result` are for commands.
    """

    event: str = "PreToolUse"
    handler: Command | Webhook | Callable[[HookContext], Any] = carry_on
    once: bool = False
    timeout_s: float = float(DEFAULT_TIMEOUT_S)
    name: str | None = None
    tool_matcher: str | None = None
    pass_context: bool = False
    parse_result: bool = False
    on_timeout: str = "continue"


class HookRegistry:
    """Hooks in the order of their registration; the same one registered twice runs twice.

    `Engine(registry.specs())` runs them. Once-hooks run once per session by the engine's own account;
    `cleanup_once_hooks` takes those out that a decision told to `note` has run, and no others.
    """

    def __init__(self) -> None:
        self._specs: list[HookSpec] = []
        self._executed: set[str] = set()
        self._count = 0

    def register(self, hook: HookDefinition | HookSpec) -> HookSpec:
        """Adds a hook. ConfigError for an event cocode does not know."""
        self._count += 1
        spec = hook if isinstance(hook, HookSpec) else _spec(hook, self._count)
        self._specs.append(spec)
        return spec

    def specs(self, event: str | None = None) -> tuple[HookSpec, ...]:
        """The hooks, of one native event or all."""
        return tuple(spec for spec in self._specs if event is None or spec.native_event == event)

    def note(self, decision: Decision) -> None:
        """Remembers which hooks a decision ran, late and failed ones included."""
        self._executed |= {result.spec.id for result in decision.ran}

    def cleanup_once_hooks(self) -> tuple[HookSpec, ...]:
        """Takes out the once-hooks that have run; returns them."""
        spent = tuple(spec for spec in self._specs if spec.once and spec.id in self._executed)
        self._specs = [spec for spec in self._specs if spec not in spent]
        return spent


def result_of(decision: Decision) -> HookResult:
    """A decision in cocode's words."""
    if decision.verdict >= Verdict.DENY:
        return Reject(decision.reason)
    if decision.updated_input is None:
        return Continue()
    changed = decision.updated_input
    return ModifyInput(changed["prompt"] if set(changed) == {"prompt"} else dict(changed))


def load_hooks_from_config(path: str) -> HookRegistry:
    """The hooks of one file; all or nothing, but for entries with both or neither handler, which are skipped.

    ConfigError, with line and column, when the file is missing, malformed, or holds an unknown event or a
    value of the wrong type. Hosts read the same file through the engine, where one fault costs one hook.
    """
    found = files.read_text(path)
    if found.state not in ("text", "empty"):
        raise ConfigError(f"`{path}`: {found.reason}")
    source = Source(path, "user", "toml", path)
    loaded = DIALECT.parse(SourceText(source, found.state, found.text, path=path, shown=path))
    faults = [each for each in loaded.problems if each.severity == "error" and each.code not in SKIPPED]
    if faults:
        raise ConfigError(str(faults[0]).removeprefix("error: ").split("\n")[0], faults[0].hint or None)
    registry = HookRegistry()
    for spec in loaded.specs:
        if spec.handler != "unusable":
            registry.register(spec)
    return registry


def _spec(hook: HookDefinition, number: int) -> HookSpec:
    kind = DIALECT.kind_of(hook.event)
    if kind is None:
        known = ", ".join(rule.native for rule in DIALECT.rules.values())
        raise ConfigError(f"there is no event `{hook.event}`", f"known events: {known}")
    handler = hook.handler
    action = handler if isinstance(handler, Command | Webhook) else Inline(handler, takes_context=True)
    options: dict[str, Any] = {"on_timeout": hook.on_timeout}
    if isinstance(action, Webhook):
        options["http_timeout_s"] = HTTP_TIMEOUT_S
    elif isinstance(action, Inline):
        options["thread"] = True  # the only way to keep to the time limit of a callback that blocks
    else:
        options |= {"pass_context": hook.pass_context, "parse_result": hook.parse_result}
    return HookSpec(
        f"cocode:{hook.event}:code-{number}",
        "cocode",
        kind,
        hook.event,
        action,
        name=hook.name or f"{hook.event} {number}",
        source="code",
        scope="session",
        matcher=None if hook.tool_matcher is None else tool_matcher(hook.tool_matcher),
        timeout_s=hook.timeout_s,
        once=hook.once,
        **parted(options),
    )
