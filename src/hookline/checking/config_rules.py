"""Mistakes that a config file shows by itself: times, matchers, keys, and events in the wrong place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.entries import ConfigFile, Entry
from hookline.checking.time_rules import time_problems, time_problems_of
from hookline.dialects import OWN, is_agent
from hookline.dialects.keys import CLAUDE_KEYS
from hookline.dialects.matching import mismatch
from hookline.dialects.matching.matchers import is_mcp, listed_names, tools_of_all
from hookline.dialects.matching.permission_rules import parse_rule, tool_fits
from hookline.dialects.reading.nodes import Node
from hookline.dialects.spelling import nearest
from hookline.dialects.tools import CANONICAL, native_for
from hookline.model.errors import Problem
from hookline.model.events import EventKind, find_kind
from hookline.model.hooks import Answer, Matcher, PromptCheck, Webhook
from hookline.system.patterns.late import late

_WHEN = frozenset({"trigger", "when", "event", "events", "on", "hook"})
_WHAT = frozenset({"action", "then", "command", "run", "script", "bash", "prompt"})
_GROUP_KEYS = ("matcher", "hooks", "sequential")
_MEANT_MATCHER = frozenset({  # what people write for it
    "tool", "tools", "toolname", "toolnames", "pattern", "match", "filter", "regex", "paths", "files", "glob",
})  # fmt: skip
_TWO_RULES = late(r"\)\s*(?:\|\|?|&&?|,|;|\bor\b|\band\b)?\s*\w+\(")
_EMPTY_CHOICE = late(r"(?<!\\)\|\||^\||(?<!\\)\|$|\(\||(?<!\\)\|\)")
_SERVER = late(r"\^?\(?mcp_{1,2}([a-zA-Z0-9-]+)_")
_VARIABLE = late(r"\$\{?([A-Za-z_]\w*)")
_NOTIFIERS = late(r"^\s*(afplay|paplay|aplay|notify-send|terminal-notifier|osascript|say|tput|curl|ntfy)\b")

_OTHER_ANSWER = late(
    r"\{\s*\\?[\"']?(decision|permissionDecision|continue|approved?|allow|block|result|status)\\?[\"']?\s*:"
    r"|(?:respond|reply|answer|return|output)\w*(?: only)? with:? ?['\"`]?"
    r"(PROCEED|APPROVED?|ALLOW|BLOCK|DENY|YES|NO|PASS|FAIL)\b"
)


def file_problems(file: ConfigFile) -> Iterator[Problem]:
    """What is wrong with the file as a whole."""
    yield from _misplaced_events(file)
    yield from _without_hooks(file)
    yield from _switched_off(file)
    yield from time_problems(file)


_FLAT_KEYS = frozenset(key.name for key in CLAUDE_KEYS if key.handlers)
_NOW = {"MultiEdit": "Edit", "LS": "Glob"}  # what gone tools do by another one


def entry_problems(entry: Entry) -> Iterator[Problem]:
    """What is wrong with one hook, by its keys alone."""
    yield from _closed_lists(entry)
    yield from _empty_choices(entry)
    yield from _events_as_matchers(entry)
    yield from _command_matchers(entry)
    yield from _foreign_names(entry)
    yield from _other_agents_names(entry)
    yield from _gone_tools(entry)
    yield from _misspelt_keys(entry)
    yield from _ineffective_keys(entry)
    yield from _comma_lists(entry)
    yield from _joined_conditions(entry)
    yield from _conflicting_condition(entry)
    yield from _servers_of_others(entry)
    yield from _folders_for_names(entry)
    yield from _empty_headers(entry)
    yield from time_problems_of(entry)
    yield from _powerless_answers(entry)
    yield from _misled_judges(entry)


# -- the file -----------------------------------------------------------------------------------------


def _misplaced_events(file: ConfigFile) -> Iterator[Problem]:
    root = file.root
    if root is None or not is_agent(file.speaker.name) or file.speaker.profile.style.top != "hooks":
        return
    for name, node in root.members.items():
        if (
            node.kind == "array"
            and _is_event(file, name)
            and any(item.kind == "object" for item in node.items)
        ):
            words = f"the event `{name}` stands outside of `hooks`, where nothing reads it"
            yield file.problem(root, "events-at-top", words, 'put it into `"hooks": {…}`', key=name)
        elif (
            name != "hooks"
            and nearest(name, ("hooks",))
            and any(_is_event(file, each) for each in node.members)
        ):
            words = f"`{name}` means nothing here, so none of the hooks in it runs"
            yield file.problem(root, "misspelt-key", words, "did you mean `hooks`?", key=name)


def _without_hooks(file: ConfigFile) -> Iterator[Problem]:
    """One hook as it is written elsewhere, alone in a file of the folder that the agent takes its hooks from."""
    root, folder = file.root, os.path.basename(os.path.dirname(file.path))
    if root is None or folder != "hooks" or file.entries or "hooks" in root.members:
        return
    if not _WHEN.isdisjoint(root.members) and not _WHAT.isdisjoint(root.members):
        words = f"{file.speaker.title} looks for `hooks` here, and there is none: nothing of this file runs"
        hint = f"write it as `hookline docs {file.speaker.name}` shows"
        yield file.problem(root, "missing-key", words, hint, severity="error")


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


def _is_event(file: ConfigFile, name: str) -> bool:
    return file.speaker.kind_of(name) is not None or find_kind(name) is not None


# -- the matcher --------------------------------------------------------------------------------------


def _closed_lists(entry: Entry) -> Iterator[Problem]:
    """Matchers of events whose values are all known."""
    values = entry.traps.values.get(entry.spec.kind)
    matcher = entry.spec.matcher
    if not values or matcher is None or matcher.kind == "never" or entry.rule is None:
        return
    if mismatch(matcher, values, entry.rule.subject) is not None:
        words = f"`{matcher.text}` is no {entry.rule.subject} of `{entry.spec.native_event}`, so the hook never runs"
        yield _at_matcher(entry, "dead-matcher", words, _list_hint(entry, matcher, values))
        return
    dead = [name for name in listed_names(matcher) if name not in values]
    if dead:
        shown = ", ".join(f"`{name}`" for name in dead)
        yield _at_matcher(entry, "dead-name", f"there is no {entry.rule.subject} {shown}", _known(values))


def _empty_choices(entry: Entry) -> Iterator[Problem]:
    """A pattern with nothing on one side of a `|`, as people write `||`: that side fits whatever comes."""
    matcher = entry.spec.matcher
    if matcher is None or matcher.kind != "regex" or not _EMPTY_CHOICE.search(matcher.text):
        return
    if mismatch(matcher, ("",), "value") is None:
        words = f"`{matcher.text}` has an empty choice, which fits everything: the hook runs at every"
        hint = (
            "write one `|` between names"
            if "=" not in matcher.text
            else "a matcher holds names alone: `Edit|Write`"
        )
        yield _at_matcher(entry, "matcher-ignored", f"{words} `{entry.spec.native_event}`", hint)


def _events_as_matchers(entry: Entry) -> Iterator[Problem]:
    """The name of an event where the matcher is tested on something that is never called so."""
    matcher, rule = entry.spec.matcher, entry.rule
    if (
        matcher is None
        or rule is None
        or rule.subject in ("", "tool_name")
        or entry.traps.values.get(rule.kind)
    ):
        return
    if entry.speaker.kind_of(matcher.text) is None:
        return
    words = f"the matcher is tested on the {rule.subject} of `{rule.native}`, which is not called `{matcher.text}`"
    yield _at_matcher(entry, "dead-matcher", words, "leave the matcher out")


def _list_hint(entry: Entry, matcher: Matcher, values: tuple[str, ...]) -> str:
    if matcher.kind == "exact" and set(matcher.text) & set("|.*^$([,"):
        return f"{entry.speaker.title} takes one exact word here: leave the matcher out, or write a group for each word"
    meant = nearest(matcher.text, values)
    return f"did you mean `{meant}`?" if meant else _known(values)


def _known(values: tuple[str, ...]) -> str:
    return "there are " + ", ".join(f"`{value}`" for value in values)


def _command_matchers(entry: Entry) -> Iterator[Problem]:
    """A tool's name where the matcher is tested on a command line."""
    matcher = entry.spec.matcher
    if entry.rule is None or entry.rule.subject != "command" or matcher is None:
        return
    if matcher.text in (*CANONICAL, *entry.speaker.tools.known()):
        words = f"at `{entry.spec.native_event}` the matcher is tested on the command, not on a tool's name"
        yield _at_matcher(entry, "dead-matcher", words, "leave it out, or write a pattern for commands")


def _foreign_names(entry: Entry) -> Iterator[Problem]:
    """Tools in other letters than those every agent's calls have for hooks of our own: `tool = "bash"`, `"Bsh"`."""
    matcher = entry.spec.matcher
    if entry.speaker.name != OWN or ":" in entry.spec.native_event or not matcher or matcher.kind != "names":
        return
    key = "tool" if entry.node is not None and "tool" in entry.node.members else "match"
    names = listed_names(matcher) if entry.rule and entry.rule.subject == "tool_name" else ()
    for name in names:
        rule = parse_rule(name) if "(" in name else None
        if rule is not None:
            words = f"`{name}` is a permission rule, and compared with a tool's name, which it never is"
            code = "dead-matcher" if len(names) == 1 else "dead-name"
            yield entry.problem(code, words, f'write `rule = "{name}"`', key=key)
        elif name not in CANONICAL and not is_mcp(name) and (tool := nearest(name, CANONICAL)):
            words = f"no agent's tool is called `{name}` here: names are the same for all agents"
            yield entry.problem("dead-name", words, f"did you mean `{tool}`?", key=key)


def _other_agents_names(entry: Entry) -> Iterator[Problem]:
    """A matcher of nothing but names that only other agents have; beside its own they are there on purpose."""
    names = listed_names(entry.spec.matcher)
    if entry.rule is None or entry.rule.subject != "tool_name" or ":" in entry.spec.native_event:
        return
    known = {*entry.speaker.tools.known(), *CANONICAL}
    meant = [
        native_for(name, known, tools_of_all)
        for name in names
        if name not in known and not nearest(name, CANONICAL)  # those are told as misspelt
    ]
    if names and len(meant) == len(names) and all(meant):
        shown = ", ".join(f"`{name}`" for name in names)
        wanted = ", ".join(f"`{name}`" for name in dict.fromkeys(meant))
        yield _at_matcher(entry, "dead-matcher", f"no tool is called {shown} here", f"did you mean {wanted}?")


def _gone_tools(entry: Entry) -> Iterator[Problem]:
    """A matcher of nothing but tools that the agent had once."""
    names = listed_names(entry.spec.matcher)
    if names and entry.traps.gone.issuperset(names):
        shown = ", ".join(f"`{name}`" for name in names)
        words = f"{entry.speaker.title} has no {shown} any more, so the hook never runs"
        yield _at_matcher(entry, "dead-matcher", words, f"write `{_NOW.get(names[0], 'Read')}`")


def _at_matcher(entry: Entry, code: str, message: str, hint: str) -> Problem:
    node = entry.group.get("matcher") if entry.group else None
    if node is None:
        return entry.problem(code, message, hint)
    return entry.file.problem(node, code, message, hint)


# -- keys ---------------------------------------------------------------------------------------------


def _misspelt_keys(entry: Entry) -> Iterator[Problem]:
    """Keys that nobody reads and without which the hook is another one."""
    group, node = entry.group, entry.node
    if group is None or node is None:
        return
    if group is not node and entry is next((e for e in entry.file.entries if e.group is group), None):
        for key in group.members:
            meant = _group_key_meant(key) if key not in _GROUP_KEYS else None
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
            if key not in _FLAT_KEYS | own and nearest(key, ("matcher",)):
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


def _conflicting_condition(entry: Entry) -> Iterator[Problem]:
    """`if` is about one tool, the matcher about others."""
    condition, matcher = entry.spec.condition, entry.spec.matcher
    if not isinstance(condition, str) or matcher is None or entry.rule is None or entry.node is None:
        return
    rule = parse_rule(condition)
    if rule is None or entry.rule.subject != "tool_name":
        return
    tools = [tool for tool in (*CANONICAL, rule.tool) if tool_fits(rule, tool)]
    if tools and mismatch(matcher, tools, "tool_name") is not None:
        words = f"`if` is about `{rule.tool}`, and the matcher `{matcher.text}` leaves that out: the hook never runs"
        yield entry.problem("dead-condition", words, f"write `{rule.tool}` as the matcher", key="if")


def _comma_lists(entry: Entry) -> Iterator[Problem]:
    """Tools with commas between, where a comma is a letter of a pattern."""
    matcher = entry.spec.matcher
    if matcher is None or "," not in matcher.text or entry.rule is None or entry.rule.subject != "tool_name":
        return
    known = {*entry.speaker.tools.known(), *CANONICAL}
    names = [name.strip() for name in matcher.text.split(",")]
    if known.issuperset(names) and mismatch(matcher, sorted(known), "tool_name") is not None:
        words = f"no tool is called `{matcher.text}`: a comma makes no list here"
        yield _at_matcher(entry, "dead-matcher", words, f"write `{'|'.join(names)}`")


def _joined_conditions(entry: Entry) -> Iterator[Problem]:
    """`if` holds one permission rule; two of them are read as one that no call fits."""
    condition = entry.spec.condition
    if isinstance(condition, str) and _TWO_RULES.search(condition):
        words = f"`if` takes one rule, and `{condition}` is read as one: no call fits it"
        yield entry.problem("dead-condition", words, "write a hook for each rule", key="if")


def _servers_of_others(entry: Entry) -> Iterator[Problem]:
    """The tools of an MCP server, spelled as another agent does."""
    matcher, tools = entry.spec.matcher, entry.speaker.tools
    found = _SERVER.match(matcher.text) if matcher and is_agent(entry.speaker.name) else None
    if matcher is None or found is None or entry.rule is None or entry.rule.subject != "tool_name":
        return
    native = tools.native(f"mcp__{found[1]}__{'x' * 8}")[0]
    if (
        native.startswith(found[0].lstrip("^("))
        or mismatch(matcher, [native, *tools.known()], "tool_name") is None
    ):
        return
    spelled = native.replace("x" * 8, "…")
    words = f"{entry.speaker.title} spells the tools of a server `{spelled}`: the matcher never fits"
    yield _at_matcher(entry, "dead-matcher", words, f"begin with `{native.partition('x' * 8)[0]}`")


def _folders_for_names(entry: Entry) -> Iterator[Problem]:
    """A path where the matcher is tested on a file's name alone."""
    matcher = entry.spec.matcher
    if matcher is None or "/" not in matcher.text or entry.traps.names_only != entry.spec.kind:
        return
    paths = [text for text in matcher.text.split("|") if "/" in text]
    words = f"the matcher is tested on a file's name alone, which never holds `{paths[0]}`"
    code = "dead-matcher" if len(paths) == len(matcher.text.split("|")) else "dead-name"
    yield _at_matcher(entry, code, words, f"write `{paths[0].rpartition('/')[2]}`")


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
