"""What each dialect can say and do, as far as a conversion into it or out of it needs to know."""

from __future__ import annotations

import json
import re
from shlex import quote

from hookline.dialects import dialect
from hookline.dialects.json_output import snake_case
from hookline.model.events import EventKind
from hookline.model.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookline.dialects.base import Dialect, EventRule
    from hookline.model.hooks import Answer, HookSpec

_ALL = frozenset({"command", "argv", "webhook", "prompt", "agent", "mcp_tool"})


class Abilities(Record):
    """`handlers` it has (`argv`: a program without a shell). `shell` runs its lines; `shell_key`: an entry
    may name bash. `closes`: the key by which a guard's own failure blocks: on_failure, blocking, always,
    exit, or empty. `options` are the reader's own defaults of an entry.
    """

    handlers: frozenset[str]
    shell: tuple[str, ...] = ("sh", "-c")
    shell_key: bool = False
    condition: bool = False
    background: bool = False
    once: bool = False
    env: bool = False
    status: bool = False
    whole_seconds: bool = False
    longest_s: float = 86400.0
    closes: str = ""
    options: Mapping[str, Any] = {}


_BASH = ("bash", "-c")
ABILITIES: Mapping[str, Abilities] = {
    "claude": Abilities(
        _ALL, shell_key=True, condition=True, background=True, status=True, closes="on_failure",
    ),
    "gencode": Abilities(
        _ALL, _BASH, True, condition=True, background=True, once=True, status=True, longest_s=600.0,
        closes="blocking", options={"shell_fallback": ("sh", "-c"), "rewake": False},
    ),
    "codex": Abilities(frozenset({"command", "mcp_tool"}), _BASH, background=True, status=True),
    "gemini": Abilities(frozenset({"command"}), _BASH, env=True),
    "cursor": Abilities(frozenset({"command", "prompt"}), closes="on_failure", options={"loop_limit": 5}),
    "copilot": Abilities(frozenset({"command", "argv", "webhook"}), _BASH, env=True, closes="exit"),
    "autoagent": Abilities(frozenset({"command", "git-commit", "git-push"}), ("/bin/sh", "-c")),
    "cocode": Abilities(
        frozenset({"command", "webhook"}), once=True, whole_seconds=True, closes="exit",
        options={"on_timeout": "continue"},
    ),
    "iteratr": Abilities(frozenset({"command"}), whole_seconds=True, options={"pipe_output": True}),
    "discobot": Abilities(frozenset({"command"}), closes="always"),
    "hookline": Abilities(_ALL | {"git-commit", "git-push", "answer"}, closes="on_failure"),
}  # fmt: skip

# In whose words a script may answer; every dialect understands its own.
_UNDERSTANDS: Mapping[str, frozenset[str]] = {
    "claude": frozenset({"gencode", "codex"}),
    "gencode": frozenset({"claude", "codex"}),
    "codex": frozenset({"claude", "gencode"}),
    "cursor": frozenset({"claude", "gencode", "codex"}),
}
_PROJECT_VARIABLES: Mapping[str, frozenset[str]] = {
    "CLAUDE_PROJECT_DIR": frozenset({"claude", "gencode", "gemini", "cursor"}),
    "GEMINI_PROJECT_DIR": frozenset({"gemini"}),
    "CURSOR_PROJECT_DIR": frozenset({"cursor"}),
    "CLAUDE_PLUGIN_ROOT": frozenset({"claude", "codex", "cursor", "copilot"}),
}
_OWN_PREFIXES: Mapping[str, str] = {
    "ITERATR_": "iteratr", "DISCOBOT_": "discobot", "HOOK_": "hookline", "GEMINI_": "gemini",
}  # fmt: skip
ANY_EXIT, EXIT, TIME_OUT, LAUNCH = "exit 1", "exit 3 and more", "time-out", "not starting"
_EVERY = frozenset({ANY_EXIT, EXIT, TIME_OUT, LAUNCH})
_ENDS: Mapping[str, frozenset[str]] = {
    "discobot": _EVERY,
    "cocode": frozenset({ANY_EXIT, EXIT, LAUNCH}),
    "gemini": frozenset({EXIT, LAUNCH}),
    "copilot": frozenset({ANY_EXIT, EXIT, LAUNCH}),
    "hookline": _EVERY,
}


def closed_causes(spec: HookSpec, name: str) -> frozenset[str]:
    """The ways of failing by which a guard of that dialect still keeps the action from happening."""
    if name == "copilot" and spec.kind is not EventKind.PreToolUse:
        return frozenset()
    speaks = str(spec.options.get("speaks", "")).partition(":")[0]
    if name == "hookline" and speaks:
        found = closed_causes(spec, speaks)
    elif (name == "gencode" and spec.blocking) or spec.on_failure in ("block", "ask"):
        found = _EVERY
    else:
        found = _ENDS.get(name, frozenset())
    if spec.on_failure == "allow":
        return frozenset()
    if name == "cocode" and spec.options.get("on_timeout") == "reject":
        return found | {TIME_OUT}
    return found


def understood(spec: HookSpec, source: str, target: str) -> bool:
    """Whether the target gives the script what it reads and takes its answers."""
    return source in _UNDERSTANDS.get(target, frozenset())


def denial_words(source: str, other: str) -> str:
    """What still denies, for the report."""
    if source == "discobot":
        return f"how {other} treats its exit code decides"
    return f"what it prints as JSON is not understood by {other}; exit 2 with a text on stderr is"


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
_PRODUCTS: Mapping[EventKind, tuple[str, ...]] = {
    EventKind.PermissionRequest: ("updatedPermissions",),
    EventKind.PermissionDenied: ("retry",),
    EventKind.SessionStart: ("watchPaths", "initialUserMessage"),
    EventKind.CwdChanged: ("watchPaths",),
    EventKind.FileChanged: ("watchPaths",),
}


def lost_answers(rule: EventRule, listening: EventRule) -> tuple[str, ...]:
    """The parts of an answer to `rule` that `listening` has none of, as a person would write them."""
    missing = rule.effects - listening.effects
    found = [words for effect, words in _ANSWER_PARTS.items() if effect in missing]
    return (*found, *(f"`{key}`" for key in _lost_products(rule, listening)))


def _lost_products(rule: EventRule, listening: EventRule) -> Sequence[str]:
    keys: tuple[str, ...] = getattr(rule, "products", ()) or _PRODUCTS.get(rule.kind, ())
    if "product" not in rule.effects:
        return ()
    if "product" not in listening.effects:
        return keys
    # A listener that names no keys of its own takes what it is given.
    heard = {snake_case(key) for key in getattr(listening, "products", ())}
    return [key for key in keys if heard and snake_case(key) not in heard]


def foreign_variables(source: str, target: str, line: str) -> tuple[str, ...]:
    """Variables in a command that the source sets and the target does not."""
    found = dict.fromkeys(re.findall(r"\$\{?([A-Z][A-Z0-9_]*)", line))
    return tuple(name for name in found if _is_set(name, source) and not _is_set(name, target))


def _is_set(name: str, dialect: str) -> bool:
    if name in _PROJECT_VARIABLES:
        return dialect in _PROJECT_VARIABLES[name]
    if dialect == "cocode" and name in ("HOOK_EVENT", "HOOK_TOOL_NAME", "ARGUMENTS"):
        return True
    return any(name.startswith(prefix) and dialect == owner for prefix, owner in _OWN_PREFIXES.items())


def answer_line(action: Answer, target: str, rule: EventRule, listener: Dialect) -> tuple[str, str]:
    """A shell line that gives a fixed answer in the target's words, and what is different; "" if none can."""
    verdict, text = action.verdict, action.text
    deny = f"echo {quote(text)} >&2; exit 2"
    if verdict in ("deny", "halt"):
        words = f"{listener.title} only denies; it does not end the turn" if verdict == "halt" else ""
        return deny, words
    found = _ANSWERS.get((target, verdict))
    if found is not None and (
        verdict in rule.effects or (verdict == "message" and "message" in rule.effects)
    ):
        return f"printf '%s' {quote(json.dumps(found(rule.native, text), ensure_ascii=False))}", ""
    if verdict == "ask" and "deny" in rule.effects:
        return deny, f"{listener.title} cannot ask there; it denies"
    return "", f"{listener.title} has no way to `{verdict}` there; it was left out"


def _claude_decision(verdict: str) -> Any:
    return lambda native, text: {
        "hookSpecificOutput": {
            "hookEventName": native, "permissionDecision": verdict, "permissionDecisionReason": text,
        }
    }  # fmt: skip


def _claude_context(native: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": native, "additionalContext": text}}


def _message(native: str, text: str) -> dict[str, Any]:
    return {"systemMessage": text}


_ANSWERS: Mapping[tuple[str, str], Any] = {
    **{(name, verdict): _claude_decision(verdict) for name in ("claude", "gencode") for verdict in ("ask", "allow")},
    **{(name, "context"): _claude_context for name in ("claude", "gencode", "codex", "gemini")},
    **{(name, "message"): _message for name in ("claude", "gencode", "codex", "gemini")},
    ("gemini", "ask"): lambda native, text: {"decision": "ask", "systemMessage": text},
    ("gemini", "allow"): lambda native, text: {"decision": "allow", "reason": text},
    ("cursor", "allow"): lambda native, text: {"permission": "allow"},
    **{
        ("copilot", verdict): lambda native, text, verdict=verdict: {
            "permissionDecision": verdict, "permissionDecisionReason": text,
        }
        for verdict in ("ask", "allow")
    },
    ("copilot", "context"): lambda native, text: {"additionalContext": text},
}  # fmt: skip


_SETTING_WORDS: Mapping[str, str] = {
    "parallel": "how many of its hooks run side by side",
    "max_hooks": "how many of its hooks run side by side",
    "claude_hooks": "what becomes of Claude Code's hooks beside its own",
    "ignore": "the files that no file hook wants to know of",
    "allowedHttpHookUrls": "the addresses its web hooks may call",
    "httpHookAllowedEnvVars": "the variables its web hooks may use",
}
# Their effect is on the hooks themselves: one that is switched off is told of by itself.
_ON_HOOKS = frozenset({
    "disableAllHooks", "allowManagedHooksOnly", "allow_managed_hooks_only", "hooks", "enabled", "disabled",
    "emptied", "pluginsOnly", "enabledPlugins", "version",
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
        replace(spec, options={**spec.options, "group": source})
        if kinds.count(spec.kind) > 1
        and rules[spec.kind].order == "parallel"
        and not spec.options.get("sequential")
        else spec
        for spec in specs
    ]
