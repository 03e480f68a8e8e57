"""The page of one agent of the family, made from its columns; people write its end, `What to know`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hookline.dialects.answering import Says, say
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, event
from hookline.dialects.keys import UNITS
from hookline.dialects.tools import CANONICAL
from hookline.model.hooks import Command, HookSpec

EFFECTS = {
    "deny": "deny", "ask": "ask", "defer": "defer", "allow": "allow", "rewrite": "change the input",
    "context": "text for the model", "reprompt": "make it go on", "continue": "end the turn",
    "message": "text for the user",
}  # fmt: skip
MATCHING = {
    "list_or_regex": "A list of exact names where only letters, digits, `_`, `-`, blanks, `,` and `|` are used, else a "
    "regular expression that may fit anywhere.",
    "regex": "A regular expression that may fit anywhere.",
    "tool_regex": "For tools a regular expression that may fit anywhere in its own name; elsewhere the exact text.",
    "fullregex": "A regular expression that must fit the whole name.",
    "names": "A name of the tool (another agent's too) or a list of names; else a regular expression that may fit "
    "anywhere in the tool's own name.",
    "exact_or_full": "An exact name; with `/…/` around it, or with any of `|.*+?[]()^$\\`, a regular expression that "
    "must fit the whole name.",
    "glob": "Names with `*` and `?`; after `re:` a regular expression.",
    "full_or_exact": "A regular expression that must fit the whole name; what is none is an exact name.",
    "none": "The agent ignores matchers.",
}  # fmt: skip
DOUBTS = {
    "high": "read in its program, or seen by running it",
    "medium": "from its documentation alone; try a guard before you rely on it",
    "low": "**uncertain**, from others' notes; try a guard before you rely on it",
}  # fmt: skip


OWN_WORDS = "## What to know\n"  # from there on a page is written by hand


def with_own_words(made: str, page: str) -> str:
    """What is made of a page, and the end of it that people wrote."""
    _, heading, words = page.partition(OWN_WORDS)
    return f"{made}\n{heading}{words}" if heading else made


def page_of(dialect: FamilyDialect) -> str:
    """The page as Markdown, but for what people wrote at its end."""
    agent = dialect.agent
    if agent.plugin:
        return _program_page(dialect)
    if agent.scripts:
        return _script_page(dialect)
    parts = [
        f"# {agent.title}",
        *_beginning(dialect),
        f"What stands here is {DOUBTS[agent.knows]}: {agent.sources}.",
        "## Where hooks are read from",
        *_places(agent),
        "## Options",
        _table(("key", "for", "default", "meaning"), _keys(agent)),
        "## Matchers",
        MATCHING[agent.matching]
        + ("" if agent.star else " `*` alone is a broken pattern there; leave it out."),
        "## Events",
        _table(("event", "here", "matcher", "a hook of it can"), _events(dialect)),
        "## What comes of it",
        *_outcomes(agent),
        *(_other_files(dialect.beside) if dialect.beside is not None else ()),
        *_tools(dialect),
    ]
    return "\n\n".join(parts) + "\n"


def _other_files(beside: FamilyDialect) -> Iterator[str]:
    """What another kind of its files may say."""
    agent = beside.agent
    yield "## In an agent's file"
    yield _table(("key", "for", "default", "meaning"), _keys(agent))
    yield _table(("event", "here", "matcher", "a hook of it can"), _events(beside))


def _program_page(dialect: FamilyDialect) -> str:
    """The page of an agent whose hooks are programs inside of it, of which ours is one."""
    agent, files = dialect.agent, dialect.profile.files
    assert files is not None
    parts = [
        f"# {agent.title}",
        f"The hooks of {agent.title} are programs that it loads, not entries in a file. hookline is one of them: it "
        "asks the hooks of every other dialect, and does in there what they say.",
        f"```console\n$ hookline install {agent.name}\n$ hookline uninstall {agent.name}\n```",
        f"This writes `{files.project}`, with `--scope user` `~/{files.folder}/{files.user}`, and takes it out again. "
        "A file of that name that hookline did not write is left alone. Other programs there are named by "
        "`hookline list`, and run as before.",
        f"What stands here is {DOUBTS[agent.knows]}: {agent.sources}.",
        "## When hookline cannot be asked",
        f"{agent.title} has no time limit for such programs. Ours has one: after {agent.timeout_s:g} s, ten more for "
        "hookline itself, or when hookline does not start, a call is denied where config with hooks may be (in the "
        "folder, around it, or the user's), with a reason that says so. Where there is none, it goes on, and that is "
        "said once.",
        "## Events",
        _table(("event", "here", "matcher", "a hook of it can"), _events(dialect)),
        *_tools(dialect),
    ]
    return "\n\n".join(parts) + "\n"


def _script_page(dialect: FamilyDialect) -> str:
    """The page of an agent whose hooks are executables, each named after its event."""
    agent, files = dialect.agent, dialect.profile.files
    assert files is not None
    line = denial_line(agent, dialect.row_of(event("PreToolUse").kind), "no rm -rf here")
    parts = [
        f"# {agent.title}",
        f"The hooks of {agent.title} are executables, each named after its event. Put this into `{files.project}`, and "
        "make it executable:",
        f"```sh\n#!/bin/sh\nif grep -q 'rm -rf'; then {line}; fi\n```",
        "The hook keeps the agent from running `rm -rf`. hookline reads, lists, checks and runs such files.",
        f"```console\n$ hookline install {agent.name}\n$ hookline uninstall {agent.name}\n```",
        f"This puts an executable for each event into that folder, with `--scope user` into `~/{files.folder}`, and "
        "takes them out again. There can be one for each event: where a file of such a name is not hookline's, nothing "
        "is written.",
        f"What stands here is {DOUBTS[agent.knows]}: {agent.sources}.",
        "## Where hooks are read from",
        *_places(agent),
        "## Events",
        _table(("event", "here", "matcher", "a hook of it can"), _events(dialect)),
        "## What comes of it",
        *_outcomes(agent),
        *_tools(dialect),
    ]
    return "\n\n".join(parts) + "\n"


def _beginning(dialect: FamilyDialect) -> Iterator[str]:
    row = dialect.row_of(event("PreToolUse").kind)
    line = f"if grep -q 'rm -rf'; then {denial_line(dialect.agent, row, 'no rm -rf here')}; fi"
    shell = dialect.profile.can.shell
    spec = HookSpec("", dialect.name, row.kind, row.native, Command(line, shell=shell), timeout_s=10.0)
    files = dialect.profile.files
    text = dialect.profile.write([spec])
    language = dialect.agent.format.removesuffix("c")
    shown = text if language in ("toml", "yaml") else json.dumps(json.loads(text), indent=2) + "\n"
    place = files.project or f"~/{files.folder}/{files.user}" if files else dialect.agent.files[0].path
    yield f"Put this into `{place}`:"
    yield f"```{language}\n{shown}```"
    yield "The hook keeps the agent from running `rm -rf`. Try it without an agent:"
    tool = f'{{"tool_name": "{dialect.tools.native("Bash")[0]}", "tool_input": {{"command": "rm -rf /"}}}}'
    call = f"hookline fire {dialect.name}:{row.native} --json"
    yield f"```console\n$ {call} <<< '{tool.replace(dialect.tools.native('Bash')[0], 'Bash')}'\n```"
    if files:
        scope = "" if files.project else " --scope user"
        yield f"`hookline install {dialect.name}{scope}` puts hookline in front of it."


def denial_line(agent: Agent, row: AgentRule, why: str) -> str:
    """A shell line by which a hook of that agent denies."""
    if agent.exits.get(2) == "deny":
        return f"echo '{why}' >&2; exit 2"
    answer: dict[str, Any] = {}
    say(agent.says, row, "deny", why, answer)
    return f"echo '{json.dumps(answer)}'"


def _places(agent: Agent) -> Iterator[str]:
    kept = {"{ws}/": "", "{home}": "~", "{config}": "~/.config"}
    shown = []
    for file in agent.files:
        path = file.path
        for pattern, text in kept.items():
            path = path.replace(pattern, text)
        shown.append(f"- `{path}` ({file.scope})")
    yield "\n".join(shown)
    if agent.levels == "first":
        yield "Only the first of them that is there counts."
    if agent.drops:
        unknown = ", or a key it does not know," if "unknown-key" in agent.drops else ""
        yield f"One wrong entry{unknown} makes {agent.title} drop the whole file."


def _keys(agent: Agent) -> Iterator[tuple[str, ...]]:
    for key in agent.keys:
        unit = f"**{UNITS[key.type]}**" if key.type in UNITS else ""
        choice = " or ".join(f"`{word}`" for word in key.type.split("|")) if "|" in key.type else ""
        words = "; ".join(filter(None, (unit, choice, key.words)))
        others = ", ".join(f"`{kind}`: `{limit:g} s`" for kind, limit in agent.type_limits.items())
        usual = f"`{agent.timeout_s:g} s`{f' ({others})' if others else ''}"
        default = usual if unit else "required" if key.required else ""
        yield f"`{key.name}`", ", ".join(sorted(key.handlers)) or "all", default, words


def _events(dialect: FamilyDialect) -> Iterator[tuple[str, ...]]:
    others = dialect.beside.rows if dialect.beside is not None else ()
    for row in dialect.rows:
        if row in others:
            continue
        able = ", ".join(words for effect, words in EFFECTS.items() if effect in row.effects)
        yield f"`{row.native}`", f"`{row.kind.value}`", row.subject or "none", able or "look on"


def _outcomes(agent: Agent) -> Iterator[str]:
    lines = [f"- exit {code}: {_exit_words(agent, effect)}" for code, effect in agent.exits.items()]
    where = {"zero": "with exit 0", "any": "unless an exit code above decides", "always": "at any exit code"}
    lines += [f"- JSON on stdout counts {where[agent.json_counts]}"] if agent.says else []
    lines.append("- any other failure, a time-out, a signal: the user is told, the action goes on")
    yield "\n".join(lines)
    says = [(EFFECTS[row.effect], f"`{row.key}`", _said(row), _reasons(row)) for row in agent.says]
    if says:
        yield _table(("to", "key", "value", "reason"), says)


def _reasons(row: Says) -> str:
    return " or ".join(f"`{key}`" for key in row.words.split("|") if key)


def _said(row: Says) -> str:
    found = "the text or value itself" if row.value is None else f"`{json.dumps(row.value)}`"
    return found + (f" (with `{row.beside[0]}`: `{row.beside[1]}`)" if row.beside[0] else "")


def _exit_words(agent: Agent, effect: str) -> str:
    words = "denies" if effect == "deny" else "denies and ends the turn"
    return words + (
        ", with the text on stderr" if not agent.needs_words else ", if there is a text on stderr"
    )


def _tools(dialect: FamilyDialect) -> Iterator[str]:
    names: dict[str, list[str]] = {}
    for canonical, native in dialect.tools.names:
        if canonical != native or canonical in CANONICAL:
            names.setdefault(canonical, []).append(native)
    if not names:
        return
    yield "## Tools"
    rows = [
        (f"`{canonical}`", ", ".join(f"`{each}`" for each in natives),
         ", ".join(f"`{field}` is `{own}`" for field, own in dialect.tools.fields.get(canonical, {}).items()))
        for canonical, natives in names.items()
    ]  # fmt: skip
    yield _table(("here", dialect.title, "arguments"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
