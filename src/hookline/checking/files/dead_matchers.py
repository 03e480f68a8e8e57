"""Matchers that fit nothing, or something else than they seem to: names, lists, patterns."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.checking.entries import Entry
from hookline.dialects import OWN, is_agent
from hookline.dialects.matching import mismatch
from hookline.dialects.matching.matchers import is_mcp, listed_names, tools_of_all
from hookline.dialects.matching.permission_rules import parse_rule, tool_fits
from hookline.dialects.spelling import nearest, quoted
from hookline.dialects.tools import CANONICAL, native_for
from hookline.model.errors import Problem
from hookline.model.hooks import Matcher
from hookline.model.record import replace
from hookline.system.patterns.late import late

_TWO_RULES = late(r"\)\s*(?:\|\|?|&&?|,|;|\bor\b|\band\b)?\s*\w+\(")
_EMPTY_CHOICE = late(r"(?<!\\)\|\||^\||(?<!\\)\|$|\(\||(?<!\\)\|\)")
_SERVER = late(r"\^?\(?mcp_{1,2}([a-zA-Z0-9-]+)(?:_|$)", needs=("mcp_",))
_ALL_OF_IT = late(r"(mcp__(?:(?!__)[\w-])*?)_*\*?|(mcp__[\w-]+)\*", needs=("mcp_",))
_LIST = late(r"\^?\(?([\w*-]+(?:\|[\w*-]+)*)\)?\$?")
_PLAIN = late(r"\^?\(?(\w+(?:\|\w+)*)\)?\$?")
_TOOL = "x" * 8  # stands for the name of any tool
_NOW = {"MultiEdit": "Edit", "LS": "Glob"}  # what gone tools do by another one


def dead_matchers(entry: Entry) -> Iterator[Problem]:
    """What is wrong with the matcher of one hook, and with its condition beside it."""
    yield from _closed_lists(entry)
    yield from _empty_choices(entry)
    yield from _events_as_matchers(entry)
    yield from _command_matchers(entry)
    yield from _foreign_names(entry)
    yield from _other_agents_names(entry)
    yield from _gone_tools(entry)
    yield from _lacking_tools(entry)
    yield from _comma_lists(entry)
    yield from _joined_conditions(entry)
    yield from _conflicting_condition(entry)
    yield from _bare_servers(entry)
    yield from _servers_of_others(entry)
    yield from _folders_for_names(entry)


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
    if any(map(is_mcp, names)):
        return  # a server may be called anything
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


def _lacking_tools(entry: Entry) -> Iterator[Problem]:
    """Tools beside the agent's own that it has not, in a file that no other agent reads."""
    names, lacks = names_in(entry.spec.matcher), entry.traps.lacks
    missing = [name for name in dict.fromkeys(names) if name in lacks]
    if (
        missing in ([], ["NotebookEdit"])  # which stands beside `Edit` by habit
        or len(missing) == len(names)
        or entry.rule is None
        or entry.rule.subject != "tool_name"
        or entry.also_read_by
        or f".{entry.speaker.name}" not in entry.file.source
    ):
        return
    words = f"{entry.speaker.title} has no tool called {quoted(missing)}: no call comes by that name"
    told = _at_matcher(entry, "dead-name", words, "files are read by commands there, which come as `Bash`")
    yield replace(told, severity="notice")


def _at_matcher(entry: Entry, code: str, message: str, hint: str) -> Problem:
    node = entry.group.get("matcher") if entry.group else None
    if node is None:
        return entry.problem(code, message, hint)
    return entry.file.problem(node, code, message, hint)


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


def _bare_servers(entry: Entry) -> Iterator[Problem]:
    """`mcp__SERVER` and its like where they stand for no tool of it: `mcp__SERVER__`, `mcp__SERVER__*`."""
    matcher, speaker = entry.spec.matcher, entry.speaker
    if matcher is None or entry.rule is None or entry.rule.subject != "tool_name":
        return
    listed = _LIST.fullmatch(matcher.text)
    names = listed_names(matcher) or (tuple(listed[1].split("|")) if listed else ())
    dead = {}
    for name in names:
        called = _tool_meant(name)
        native = speaker.tools.native(called)[0]
        begin = native.partition(_TOOL)[0]
        if not begin or (not called.startswith(begin) and _SERVER.match(matcher.text)):
            continue  # no such name, or one that is told as another agent's
        if mismatch(matcher, (native, called), "tool_name") is not None:
            dead[name] = begin
    if not dead:
        return
    first = next(iter(dead.values()))
    star = matcher.kind == "glob" or speaker.profile.matching.form == "prefix"
    words = f"no tool is called {quoted(dead)}, and here that is no pattern for the tools of a server"
    code = "dead-matcher" if len(dead) == len(names) else "dead-name"
    if speaker.name == OWN:
        yield entry.problem(code, words, f'write `tool_glob = "{first}*"`')
    else:
        yield _at_matcher(entry, code, words, f"write `{first}{'*' if star else '.*'}`")


def _tool_meant(name: str) -> str:
    """A tool that `mcp__SERVER`, `mcp__SERVER__` or `mcp__SERVER__x*` should fit; empty for other names."""
    found = _ALL_OF_IT.fullmatch(name)
    begin = found and (found[2] or f"{found[1].rstrip('_')}__")
    return f"{begin}{f'{_TOOL}__' * (begin == 'mcp__')}{_TOOL}" if begin else ""


def _servers_of_others(entry: Entry) -> Iterator[Problem]:
    """The tools of an MCP server, spelled as another agent does."""
    matcher, tools = entry.spec.matcher, entry.speaker.tools
    found = _SERVER.match(matcher.text) if matcher and is_agent(entry.speaker.name) else None
    if matcher is None or found is None or entry.rule is None or entry.rule.subject != "tool_name":
        return
    native = tools.native(f"mcp__{found[1]}__{_TOOL}")[0]
    if (
        native.startswith(found[0].lstrip("^("))
        or mismatch(matcher, [native, *tools.known()], "tool_name") is None
    ):
        return
    spelled = native.replace(_TOOL, "…")
    words = f"{entry.speaker.title} spells the tools of a server `{spelled}`: the matcher never fits"
    yield _at_matcher(entry, "dead-matcher", words, f"begin with `{native.partition(_TOOL)[0]}`")


def _folders_for_names(entry: Entry) -> Iterator[Problem]:
    """A path where the matcher is tested on a file's name alone."""
    matcher = entry.spec.matcher
    if matcher is None or "/" not in matcher.text or entry.traps.names_only != entry.spec.kind:
        return
    paths = [text for text in matcher.text.split("|") if "/" in text]
    words = f"the matcher is tested on a file's name alone, which never holds `{paths[0]}`"
    code = "dead-matcher" if len(paths) == len(matcher.text.split("|")) else "dead-name"
    yield _at_matcher(entry, code, words, f"write `{paths[0].rpartition('/')[2]}`")


def renamed_problems(entry: Entry) -> Iterator[Problem]:
    """Names of other agents' tools in a matcher that leaves out what this agent calls them: `Write` for `Create`."""
    names, known = names_in(entry.spec.matcher), set(entry.speaker.tools.known())
    if entry.rule is None or entry.rule.subject != "tool_name" or not is_agent(entry.speaker.name):
        return
    known.update(getattr(entry.speaker, "known_tools", lambda _: ())(entry.spec.native_event))
    own_names = {native for _, native in entry.speaker.tools.names} or known
    for name in names if known.intersection(names) else ():
        own = "" if name in known or is_mcp(name) else native_for(name, own_names, tools_of_all)
        if own and own not in names and not _fits(entry, own):
            words = f"{entry.speaker.title} calls `{name}` by the name `{own}`, which the matcher leaves out"
            node = entry.group.get("matcher") if entry.group else None
            told = ("dead-name", words, f"write `{own}` beside it")
            yield entry.file.problem(node, *told) if node else entry.problem(*told)


def _fits(entry: Entry, name: str) -> bool:
    """Whether a pattern that is not tied to its ends fits that too: `shell` and `run_shell_command`."""
    matcher = entry.spec.matcher
    return matcher is not None and mismatch(matcher, name, "tool_name") is None


def names_in(matcher: Matcher | None) -> tuple[str, ...]:
    """The names that a matcher lists, also where it is a pattern of nothing but names."""
    found = _PLAIN.fullmatch(matcher.text) if matcher else None
    return tuple(found[1].split("|")) if found else listed_names(matcher)
