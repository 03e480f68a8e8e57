"""What each dialect can say and do, as far as a conversion into it or out of it needs to know."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from hookline.dialects import OWN, dialect
from hookline.dialects.base import Dialect, EventRule
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.converting.matchers import Translated
from hookline.dialects.json_output import snake_case
from hookline.dialects.profile import EVERY_FAILURE, SCRIPTS, TIME_OUT, Abilities
from hookline.model.events import Event, EventKind, event_from_payload
from hookline.model.hooks import Answer, Command, HookSpec, said_of, saying
from hookline.model.record import replace
from hookline.model.results import Decision, RawResult, Verdict
from hookline.model.typing import Any


def closed_causes(spec: HookSpec, name: str) -> frozenset[str]:
    """The ways of failing by which a guard of that dialect still keeps the action from happening."""
    profile = dialect(name).profile
    if profile.words.closed_at and spec.kind not in profile.words.closed_at:
        return frozenset()
    speaks = spec.origin.speaks.partition(":")[0]
    if name == OWN and speaks:
        found = closed_causes(spec, speaks)
    elif (profile.can.closes == "blocking" and spec.blocking) or spec.on_failure in ("block", "ask"):
        found = EVERY_FAILURE
    else:
        found = profile.words.fails_closed
    if spec.on_failure == "allow":
        return frozenset()
    slow = profile.can.slow
    return found | {TIME_OUT} if slow and slow.items() <= said_of(spec).items() else found


def understood(spec: HookSpec, source: str, target: str) -> bool:
    """Whether the target gives the script what it reads and takes its answers."""
    return dialect(source).profile.words.speaks in dialect(target).profile.words.hears


def denial_words(source: str, other: str) -> str:
    """What still denies, for the report."""
    usual = "what it prints as JSON is not understood by {other}; exit 2 with a text on stderr is"
    return (dialect(source).profile.words.denial or usual).format(other=other)


# What an answer is made of, in the words of those who understand one another: Claude Code's.
_ANSWER_PARTS: Mapping[str, str] = {
    "allow": "decision `allow`",
    "ask": "decision `ask`",
    "defer": "decision `defer`",
    "deny": "denial",
    "rewrite": "`updatedInput`",
    "context": "`additionalContext`",
    "continue": "`continue: false`",
    "reprompt": "`reason` for the model to go on with",
}
_PRODUCTS = {EventKind.PermissionRequest: ("updatedPermissions",)}  # in its decision, and so no key by itself


def lost_answers(rule: EventRule, listening: EventRule) -> tuple[str, ...]:
    """The parts of an answer to `rule` that `listening` has none of, as a person would write them."""
    missing = rule.effects - listening.effects
    found = [words for effect, words in _ANSWER_PARTS.items() if effect in missing]
    return (*found, *(f"`{key}`" for key in _lost_products(rule, listening)))


def _lost_products(rule: EventRule, listening: EventRule) -> Sequence[str]:
    keys = rule.products or _PRODUCTS.get(rule.kind, ())
    if "product" not in rule.effects:
        return ()
    if "product" not in listening.effects:
        return keys
    # A listener that names no keys of its own takes what it is given.
    heard = {snake_case(key) for key in listening.products}
    return [key for key in keys if heard and snake_case(key) not in heard]


def foreign_variables(source: str, target: str, line: str) -> tuple[str, ...]:
    """Variables in a command that the source sets and the target does not."""
    found = dict.fromkeys(re.findall(r"\$\{?([A-Za-z]\w*)", line))
    own = set(re.findall(r"\b(\w+)=|\bfor (\w+) in\b|\bread (?:-r )?(\w+)", line))
    made = {name for names in own for name in names}
    return tuple(
        name for name in found if name not in made and _is_set(name, source) and not _is_set(name, target)
    )


def _is_set(name: str, by: str) -> bool:
    known = dialect(by).profile.words.variables
    return any(name == each or (each.endswith("_") and name.startswith(each)) for each in known)


def answer_line(action: Answer, rule: EventRule, listener: Dialect) -> tuple[str, str]:
    """A shell line that gives a fixed answer in the target's words, and what is different; "" if none can."""
    verdict, text = action.verdict, action.text
    if verdict in ("deny", "halt"):
        words = f"{listener.title} only denies; it does not end the turn" if verdict == "halt" else ""
        return _denial(text, rule, listener, words)
    found = listener.profile.words.answers.get(verdict)
    if found is not None and (
        verdict in rule.effects or (verdict == "message" and "message" in rule.effects)
    ):
        return f"printf '%s' {quote(json.dumps(found(rule.native, text), ensure_ascii=False))}", ""
    if verdict == "ask" and "deny" in rule.effects:
        return _denial(text, rule, listener, f"{listener.title} cannot ask there; it denies")
    return "", f"{listener.title} has no way to `{verdict}` there; it was left out"


def _denial(text: str, rule: EventRule, listener: Dialect, words: str) -> tuple[str, str]:
    """A line that denies: by exit 2, or where the agent makes nothing of that, as it is told so itself."""
    if _acts(RawResult(exit_code=2, stderr=text), rule, listener):
        return f"echo {quote(text)} >&2; exit 2", words
    if isinstance(listener, AgentDialect):
        decision = Decision(rule.kind, Verdict.DENY, text)
        printed = listener.respond(moment_of(rule.kind), decision).stdout
        if printed and _acts(RawResult(exit_code=0, stdout=printed, answer=printed), rule, listener):
            return f"printf '%s' {quote(printed.strip())}", words
    return "", f"{listener.title} has no way to `deny` there; it was left out"


def _acts(raw: RawResult, rule: EventRule, listener: Dialect) -> bool:
    """Whether the agent makes anything of such an end at this event."""
    if "deny" not in rule.effects:
        return True
    spec = HookSpec("x", listener.name, rule.kind, rule.native, Command("x"), timeout_s=1)
    outcome = listener.read_output(moment_of(rule.kind), spec, raw)
    return bool(outcome.verdict != Verdict.NONE or outcome.reprompt or outcome.contexts)


def moment_of(kind: EventKind, tool: str = "Bash") -> Event:
    """An event to ask a dialect about."""
    given = {"tool_name": tool, "tool_input": {"command": "ls"}, "prompt": "x"}
    return event_from_payload(kind, given, session_id="s", cwd="/", workspace="/", at=0.0)


REFUSALS = ("deny", "halt", "ask")  # of fixed answers: without one something passes that was stopped


def allows_more(spec: HookSpec, found: Translated, can: Abilities) -> bool:
    """Whether a fixed `allow` would be without its condition there, and so allow what nobody meant."""
    if not isinstance(spec.action, Answer) or spec.action.verdict != "allow":
        return False
    keys = {*spec.rule.predicates} | ({"rule"} if isinstance(spec.condition, str) else set())
    lost = keys - {"shell", "write", "read", "rule"} if can.condition and len(keys) == 1 else keys
    return bool(lost) or (bool(found.lost) and not found.narrower)


_SETTING_WORDS: Mapping[str, str] = {
    "parallel": "how many of its hooks run side by side",
    "max_hooks": "how many of its hooks run side by side",
    "claude_hooks": "what becomes of Claude Code's hooks beside its own",
    "hooksMerge": "whether the user's own hooks run as well",
    "ignore": "the files that no file hook wants to know of",
    "allowedHttpHookUrls": "the addresses its web hooks may call",
    "httpHookAllowedEnvVars": "the variables its web hooks may use",
}
# Their effect is on the hooks themselves: one that is switched off is told of by itself.
_ON_HOOKS = frozenset({
    "disableAllHooks", "allowManagedHooksOnly", "allow_managed_hooks_only", "hooks", "enabled", "disabled",
    "emptied", "has_hooks", "pluginsOnly", "enabledPlugins", "version", "runs_itself",
})  # fmt: skip


def lost_settings(settings: Mapping[str, Any], source: str) -> Iterator[tuple[str, str]]:
    """What a file says of all its hooks together, of which no conversion writes anything."""
    for key, value in settings.items():
        name, _, event = key.partition(":")
        if name == "budget":
            yield (
                "budget",
                f"`[budget]` of `{event}` ({value:g} s) cannot be said there; each hook has its own limit",
            )
        elif name not in _ON_HOOKS and value not in (None, "", (), False):
            words = _SETTING_WORDS.get(name, "what it says of all its hooks")
            yield name, f"`{name}` of the {source} file was left out: {words}"


def side_by_side(specs: Sequence[HookSpec], source: str) -> list[HookSpec]:
    """Hooks of ours in one `group` wherever the dialect they talk runs an event's hooks side by side."""
    kinds = [spec.kind for spec in specs]
    rules = dialect(source).rules
    return [
        replace(spec, conduct=replace(spec.conduct, group=source))
        if kinds.count(spec.kind) > 1
        and rules[spec.kind].order == "parallel"
        and not spec.options.get("sequential")
        else spec
        for spec in specs
    ]


def as_ours(spec: HookSpec, source: str) -> HookSpec:
    """A hook of ours that talks its old dialect: nothing is lost."""
    options = {key: value for key, value in said_of(spec).items() if value not in ("", (), None)}
    if isinstance(spec.condition, str):
        options["condition"] = spec.condition
    if spec.blocking is not None:
        options["blocking"] = spec.blocking
    native = f"{source}:{spec.native_event}"
    action = spec.action
    if dialect(source).profile.read_as[0] == SCRIPTS:
        action = Command(argv=(f"./{spec.source}",))
    ours = replace(spec, dialect=OWN, native_event=native, action=action, condition=None, blocking=None)
    return saying(ours, {**options, "speaks": native})
