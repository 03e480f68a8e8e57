"""Mistakes that a config file shows by itself: times, keys, and events in the wrong place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.entries import ConfigFile, Entry
from hookline.checking.files.dead_matchers import dead_matchers
from hookline.checking.files.time_rules import time_problems, time_problems_of
from hookline.dialects import is_agent
from hookline.dialects.keys import CLAUDE_KEYS
from hookline.dialects.reading.nodes import Node
from hookline.dialects.spelling import nearest
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import Answer, PromptCheck, Webhook
from hookline.system.patterns.late import late

_WHEN = frozenset({"trigger", "when", "event", "events", "on", "hook"})
_WHAT = frozenset({"action", "actions", "then", "command", "run", "script", "bash", "prompt"})
_OF_A_FILE = frozenset({"version", "$schema", "description", "disableAllHooks"})  # which may stand alone
_GROUP_KEYS = ("matcher", "hooks", "sequential")
_COMMENTS = ("_", "/", "#", "$")  # what keys of people who have something to say begin with
_MEANT_MATCHER = frozenset({  # what people write for it
    "tool", "tools", "toolname", "toolnames", "pattern", "match", "filter", "regex", "paths", "files", "glob",
})  # fmt: skip
_VARIABLE = late(r"\$\{?([A-Za-z_]\w*)")
_NOTIFIERS = late(r"^\s*(afplay|paplay|aplay|notify-send|terminal-notifier|osascript|say|tput|curl|ntfy)\b")

_OTHER_ANSWER = late(
    r"\{\s*\\?[\"']?(decision|permissionDecision|continue|approved?|allow|block|result|status)\\?[\"']?\s*:"
    r"|(?:respond|reply|answer|return|output)\w*(?: only)? with:? ?['\"`]?"
    r"(PROCEED|APPROVED?|ALLOW|BLOCK|DENY|YES|NO|PASS|FAIL)\b"
)


def file_problems(file: ConfigFile) -> Iterator[Problem]:
    """What is wrong with the file as a whole."""
    yield from without_hooks(file)
    yield from _switched_off(file)
    yield from time_problems(file)


_FLAT_KEYS = frozenset(key.name for key in CLAUDE_KEYS if key.handlers)


def entry_problems(entry: Entry) -> Iterator[Problem]:
    """What is wrong with one hook, by its keys alone."""
    yield from dead_matchers(entry)
    yield from _misspelt_keys(entry)
    yield from _ineffective_keys(entry)
    yield from _empty_headers(entry)
    yield from time_problems_of(entry)
    yield from _powerless_answers(entry)
    yield from _misled_judges(entry)


# -- the file -----------------------------------------------------------------------------------------


def without_hooks(file: ConfigFile) -> Iterator[Problem]:
    """One hook as it is written elsewhere, alone in a file of the folder that the agent takes its hooks from."""
    root, here = file.root, os.path.basename(os.path.dirname(file.path)) == "hooks"
    told = any(problem.code == "events-at-top" for problem in file.loaded.problems)
    if root is None or told or not here or not file.path.endswith(".json"):
        return
    if file.entries or "hooks" in root.members:
        return
    named = os.path.basename(file.path) == "hooks.json" and root.members.keys() - _OF_A_FILE
    if named or (not _WHEN.isdisjoint(root.members) and not _WHAT.isdisjoint(root.members)):
        words = f"{file.speaker.title} looks for `hooks` here, and there is none: nothing of this file runs"
        hint = f"write it as `hookline docs {file.speaker.name}` shows"
        first = next((key for key in root.members if key in _WHEN), next(iter(root.members)))
        yield file.problem(root, "missing-key", words, hint, key=first, severity="error")


def _switched_off(file: ConfigFile) -> Iterator[Problem]:
    """A switch that is about all hooks of a shared file: whoever reads the hooks does not see it."""
    if file.root is None or file.loaded.source.scope not in ("project", "local"):
        return
    own = [entry.spec for entry in file.entries if not entry.spec.origin.bridge]
    off = {"" if spec.enabled else spec.origin.disabled_why or "`enabled` is false" for spec in own}
    if all(spec.kind is EventKind.NoSuchEvent for spec in own):
        return  # each of them is told of by itself
    if len(off) == 1 and "" not in off:
        words = f"no hook of this file runs: {off.pop()}"
        yield file.problem(file.root, "switched-off", words, severity="notice")


# -- keys ---------------------------------------------------------------------------------------------


def _misspelt_keys(entry: Entry) -> Iterator[Problem]:
    """Keys that nobody reads and without which the hook is another one."""
    group, node = entry.group, entry.node
    if group is None or node is None:
        return
    if group is not node and entry is next((e for e in entry.file.entries if e.group is group), None):
        for key in group.members:
            meant = (
                _group_key_meant(key) if key not in _GROUP_KEYS and not key.startswith(_COMMENTS) else None
            )
            if meant and meant not in group.members:
                words = f"`{key}` means nothing here, so the hook runs at every `{entry.spec.native_event}`"
                yield entry.file.problem(group, "misspelt-key", words, f"did you mean `{meant}`?", key=key)
    misplaced = group is not node and "matcher" in node.members and "matcher" not in group.members
    if misplaced and entry.rule is not None and entry.rule.subject:
        words = f"nobody reads a matcher in a hook, so it runs at every `{entry.spec.native_event}`"
        yield entry.file.problem(node, "misspelt-key", words, "move it up, beside `hooks`", key="matcher")
    if group is node and entry.spec.matcher is None and "matcher" not in node.members:
        own = {each.name for each in getattr(getattr(entry.speaker, "entries", None), "keys", ())}
        for key in node.members:
            if key not in _FLAT_KEYS | own and not key.startswith(_COMMENTS) and nearest(key, ("matcher",)):
                words = f"`{key}` means nothing here, so the hook runs at every `{entry.spec.native_event}`"
                yield entry.file.problem(node, "misspelt-key", words, "did you mean `matcher`?", key=key)


def _group_key_meant(key: str) -> str | None:
    return "matcher" if key.lower().replace("_", "") in _MEANT_MATCHER else nearest(key, _GROUP_KEYS)


def _ineffective_keys(entry: Entry) -> Iterator[Problem]:
    node = entry.node
    if node is None or not is_agent(entry.speaker.name):
        return
    if _is_true(node, "once") and not entry.spec.once:
        words = "`once` only counts in a skill; the hook runs every time"
        yield entry.file.problem(node, "ineffective-key", words, "take it out", key="once")
    decides = entry.spec.native_event == "PermissionRequest" and not _NOTIFIERS.match(entry.line)
    if entry.spec.background and _is_true(node, "async") and decides:
        words = "nobody waits for an `async` hook, so it cannot answer a permission request"
        yield entry.file.problem(node, "ineffective-key", words, "take `async` out", key="async")


def _is_true(node: Node, key: str) -> bool:
    value = node.get(key)
    return value is not None and value.kind == "boolean" and bool(value.value)


def _empty_headers(entry: Entry) -> Iterator[Problem]:
    """Variables in headers that the hook may not read."""
    action = entry.spec.action
    if not isinstance(action, Webhook) or action.allowed_env is None:
        return
    used = [name for text in action.headers.values() for name in _VARIABLE.findall(text)]
    for name in dict.fromkeys(used):
        if name not in action.allowed_env:
            words = f"`{name}` is not among `allowedEnvVars`, so nothing stands for it in the header"
            hint = f'add `"allowedEnvVars": ["{name}"]`'
            yield entry.problem("unset-variable", words, hint, key="headers")


def _misled_judges(entry: Entry) -> Iterator[Problem]:
    """Prompts that tell the model to answer by a key, or a word, that the agent does not look for."""
    action, key = entry.spec.action, entry.traps.judged_by
    if not key or not isinstance(action, PromptCheck):
        return
    found = _OTHER_ANSWER.search(action.prompt)
    if found and not re.search(rf"\b{key}\b[\"'\\]*\s*[:=]", action.prompt):
        words = f"the prompt asks for `{found[1] or found[2]}`, and {entry.speaker.title} reads `{key}` of the answer"
        hint = f'ask for `{{"{key}": true}}`, or `{{"{key}": false, "reason": "…"}}`'
        yield entry.problem("wrong-answer", words, hint, key="prompt")


def _powerless_answers(entry: Entry) -> Iterator[Problem]:
    """Fixed answers that refuse something at an event where nothing can be refused any more."""
    action, rule = entry.spec.action, entry.rule
    if not isinstance(action, Answer) or rule is None or action.verdict not in ("deny", "ask", "halt"):
        return
    if not rule.effects.isdisjoint({"deny", "reprompt", *(["continue"] if action.verdict == "halt" else [])}):
        return
    key, told = ("context", "the model") if "context" in rule.effects else ("message", "the user")
    words = (
        f"`{action.verdict}` stops nothing at `{entry.spec.native_event}`: its text is only told to {told}"
    )
    hint = f"guard an event before it happens, such as `PreToolUse`, or write `{key}`"
    yield entry.problem("weak-answer", words, hint, key=action.verdict)
