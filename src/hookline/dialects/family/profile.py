"""An agent of the family beside its hooks, made from its columns."""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterator, Sequence
from shlex import join

from hookline.dialects.answering import say
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, File, handler_types
from hookline.dialects.family.words import command_of
from hookline.dialects.keys import UNITS, write_keys
from hookline.dialects.profile import CLAUDE_CODE, Abilities, ConfigFiles, Matching, Profile, Style, Words
from hookline.dialects.profile.forms import Entry, JsonForm, entry_of, hook_tables
from hookline.dialects.profile.traps import Traps
from hookline.model.hooks import Command, HookSpec
from hookline.system.files import read_text

HANDLERS = {
    "command": "command", "http": "webhook", "prompt": "prompt", "agent": "agent", "mcp_tool": "mcp_tool",
}  # fmt: skip
PLUGINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")
FORMS = {
    "list_or_regex": "names",
    "names": "regex",
    "regex": "regex",
    "fullregex": "fullregex",
    "exact_or_full": "fullregex",
    "full_or_exact": "fullregex",
    "tool_regex": "regex",
    "strict_list": "names",
    "glob": "regex",
}


def profile_of(dialect: FamilyDialect) -> Profile:
    """The profile of one agent."""
    agent = dialect.agent
    ours = next((file for file in agent.files if file.ours), File("project", ""))
    if agent.plugin or agent.scripts:
        return _plugin(dialect)
    form = JsonForm(
        lambda spec, form: _entry(agent, spec, form),
        grouped=not agent.flat,
        shell=agent.shell,
        version=agent.version,
        top=ours.top,
        flat_events=agent.flat_events,
    )

    def write(specs: Sequence[HookSpec]) -> str:
        text = _listed(agent, specs) if agent.event_key else form(specs)
        return _as_yaml(text) if agent.format == "yaml" else text

    return Profile(
        write,
        (agent.format, ours.top),
        _abilities(agent),
        _words(dialect),
        Matching(FORMS.get(agent.matching, "")),
        agent.program,
        _files(agent),
        _style(agent, ours),
        (*agent.needs, *_doubts(dialect)),
        agent.switches,
        traps=Traps(
            needs_reason=agent.needs_words,
            needs=agent.needs_beside,
            sent=agent.sends,
            documented=agent.documents,
            promises=agent.promises,
            starts_beside=agent.runs_beside,
        ),
        plugin=ours.top,
    )


def _as_yaml(text: str) -> str:
    from hookline.dialects.profile.yaml_form import yaml_text

    return yaml_text(json.loads(text))


def _plugin(dialect: FamilyDialect) -> Profile:
    """The profile of an agent without config: nothing can be written but our own program."""
    agent = dialect.agent
    parts = ("resident.js", "common.js", agent.plugin)
    vain = agent.plugin and os.path.join(PLUGINS, agent.plugin.replace(".js", ".toml"))

    def program() -> str:
        return "\n".join(read_text(os.path.join(PLUGINS, part)).text for part in parts)

    mark = "#" if agent.scripts else "//"
    words = f"{mark} {agent.title} has no file of hooks; `hookline install {agent.name}` runs those of all others\n"
    return Profile(
        lambda specs: words,
        can=Abilities(frozenset()),
        program=agent.program,
        files=_files(agent),
        style=Style(program=program, never=agent.never, scripts=agent.scripts),
        needs=(*agent.needs, *_doubts(dialect)),
        traps=Traps(dead_code=vain, needs=agent.needs_beside, sent=agent.sends, documented=agent.documents),
    )  # fmt: skip


def _listed(agent: Agent, specs: Sequence[HookSpec]) -> str:
    """One list `hooks`, each with its event."""
    tables = []
    for number, spec in enumerate(specs, 1):
        action = spec.action
        table: Entry = {agent.event_key: spec.native_event}
        assert isinstance(action, Command)
        if spec.matcher is not None:
            pattern = agent.matching == "glob" and spec.matcher.kind != "glob"
            table[agent.matcher_key] = f"re:{spec.matcher.text}" if pattern else spec.matcher.text
        if any(key.field == "name" and key.required for key in agent.keys):
            table["name"] = f"{spec.native_event}-{number}"
        runs: Entry = {"command": action.line or join(action.argv)}
        table.update({agent.action_key: {"type": "command", **runs}} if agent.action_key else runs)
        tables.append({**table, **write_keys(spec, agent.keys, "command")})
    if agent.format == "toml":
        return hook_tables(tables)
    whole = {**({"version": agent.version} if agent.version else {}), "hooks": tables}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _entry(agent: Agent, spec: HookSpec, form: JsonForm) -> Entry:
    entry = entry_of(agent.keys)(spec, form)
    if agent.flat and spec.matcher is not None:
        entry[agent.matcher_key] = spec.matcher.text
    if agent.words and isinstance(spec.action, Command):
        entry.pop("args", None)
        entry.pop("shell", None)
        entry["command"] = command_of(spec.action)
    return (
        entry
        if any(key.name == "type" for key in agent.keys)
        else {k: v for k, v in entry.items() if k != "type"}
    )


def _abilities(agent: Agent) -> Abilities:
    fields = {key.field for key in agent.keys if key.is_for("command")}
    names = {key.name for key in agent.keys if key.type != "ignored"}
    failure = next((key for key in agent.keys if key.field == "on_failure"), None)
    handlers = {HANDLERS[name] for name in handler_types(agent) if name in HANDLERS}
    return Abilities(
        frozenset(handlers | ({"argv"} if names & {"args", "argv"} else set())),
        agent.shell,
        shell_key="shell" in names,
        condition="condition" in fields,
        background="background" in fields,
        once="once" in fields,
        env="env" in fields,
        status="status_message" in fields,
        longest_s=max((agent.limits.get(row.kind, (0.0, 86400.0))[1] for row in agent.rows), default=86400.0),
        closes="on_failure" if failure is not None and "block" in f"{failure.type} {failure.means}" else "",
    )


def _words(dialect: FamilyDialect) -> Words:
    agent = dialect.agent
    like_claude = not agent.payload and "hookSpecificOutput.permissionDecision" in {
        row.key for row in agent.says
    }

    def shape(effect: str) -> object:
        def made(native: str, text: str) -> Entry:
            answer: Entry = {}
            row = dialect.row(native)
            if row is not None:
                say(agent.says, row, effect, text, answer)
            if "hookSpecificOutput" in answer:
                answer["hookSpecificOutput"]["hookEventName"] = native
            return answer

        return made

    effects = {row.effect for row in agent.says} & {"ask", "allow", "context", "message"}
    return Words(
        hears=frozenset({CLAUDE_CODE}) if like_claude else frozenset(),
        variables=frozenset((*agent.environment, *_plain_fields(agent))),
        answers={effect: shape(effect) for effect in sorted(effects)},  # type: ignore[misc]
    )


def _plain_fields(agent: Agent) -> Iterator[str]:
    """The fields of a payload that are variables too."""
    if agent.payload_in_environment:
        yield from ("session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name")
        for row in agent.rows:
            yield from (name.rstrip("?") for name in row.fields)


def _files(agent: Agent) -> ConfigFiles | None:
    inner = "/PreToolUse" if agent.scripts else ""
    found = {file.scope: file.path + inner for file in agent.files if file.ours}
    if not found:
        return None
    home = found.get("user", "").replace("{config}", "{home}/.config").removeprefix("{home}/")
    folder, name = os.path.split(home)
    return ConfigFiles(
        found.get("project", "").removeprefix("{ws}/"),
        found.get("local", "").removeprefix("{ws}/"),
        folder,
        name,
        agent.moved[0],
    )


def _style(agent: Agent, ours: File) -> Style:
    key = next((key for key in agent.keys if key.type in UNITS), None)
    named = any(key.name == "name" for key in agent.keys)
    typed = any(key.name == "type" for key in agent.keys)
    return Style(
        grouped=not agent.flat and not agent.event_key,
        timeout_key=key.name if key else "",
        unit=1000 if key and key.type == "milliseconds" else 1,
        more={
            **({"type": "command"} if agent.flat and typed else {}),
            **({"name": "hookline-{event}" if agent.event_key else "hookline"} if named else {}),
        },
        limits={
            **({row.kind: 60.0 for row in agent.rows} if agent.timeout_s < 10 else {}),
            **{kind: most for kind, (_, most) in agent.limits.items()},
        },
        event_key=agent.event_key,
        action_key=agent.action_key,
        never=agent.never,
        wrapped=agent.wrapped,
        one_spelling=agent.any_case or "duplicate-key" in agent.drops,
        flat_events=agent.flat_events,
        version=agent.version,
        top=ours.top,
    )


def _doubts(dialect: FamilyDialect) -> tuple[str, ...]:
    return (f"try it before you rely on it: of {dialect.title}, {dialect.doubt}",) if dialect.doubt else ()
