"""Where Claude Code's hooks come from, and what its files may say."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, Places, Source, SourceText
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.rules import ALL_TYPES, AgentRule
from hookline.dialects.claude.rules import RULES
from hookline.dialects.keys import CLAUDE_KEYS, Key, Keys, read_keys, read_values
from hookline.dialects.matching.matchers import CLAUDE_EXACT, STRICT_EXACT, names_or_regex, report_matcher
from hookline.dialects.reading.documents import read_source
from hookline.dialects.reading.json_hooks import (
    Entry,
    hooks_of,
    make_spec,
    read_handler,
    report_permissions,
    specs_of_events,
)
from hookline.dialects.reading.reader import Reader
from hookline.dialects.tools import CANONICAL
from hookline.model.errors import WHOLE_FILE, Problem
from hookline.model.events import EventKind
from hookline.model.hooks import Action, HookSpec, Webhook, noted, switched_off
from hookline.model.record import replace
from hookline.model.short_json import read_json
from hookline.model.typing import Any, Iterator, Mapping, Sequence
from hookline.system.files import is_file, list_dir, read_text

MANAGED = "/etc/claude-code"
TYPE_TIMEOUTS = {"prompt": 30.0, "agent": 60.0}
SESSION_END_LIMIT_S = 60.0
FILE = Keys(
    (
        Key("disableAllHooks", "tristate", "disableAllHooks"),
        Key("allowManagedHooksOnly", "tristate", "allowManagedHooksOnly", "managed settings only"),
        Key("allowedHttpHookUrls", "texts", "allowedHttpHookUrls"),
        Key("httpHookAllowedEnvVars", "texts", "httpHookAllowedEnvVars"),
    )
)


def sources(places: Places) -> list[Source]:
    """Lowest precedence first; hook lists of all levels add up."""
    user = places.variables.get("CLAUDE_CONFIG_DIR") or os.path.join(places.home, ".claude")
    project = os.path.join(places.workspace, ".claude")
    levels = (
        (user, "settings.json", "user", places.tilde(os.path.join(user, "settings.json"))),
        (project, "settings.json", "project", ".claude/settings.json"),
        (project, "settings.local.json", "local", ".claude/settings.local.json"),
    )
    found = [
        Source(os.path.join(folder, name), scope, "json", shown, "settings")
        for folder, name, scope, shown in levels
    ]
    found += _plugins(user, places)
    found += _front_matter(user, places.tilde(user), "user")
    found += _front_matter(project, ".claude", "project")
    found += _managed()
    return found


def parse(dialect: AgentDialect, given: SourceText) -> Loaded:
    """The hooks of one settings file, plugin file, skill or agent.

    One wrong entry makes Claude Code itself drop the whole file without a word (observed); here it is
    reported and its siblings load.
    """
    if given.state == "text" and given.source.label in ("skill", "agent"):
        lost = _lost_front_matter(given)
        given = replace(given, text=_front_matter_of(given.text))
        if not given.text:
            return Loaded(given.source, given.state, problems=lost)

    def read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        found = specs_of_events(dialect, given, hooks_of(root, dialect), _spec)
        return tuple(_placed(spec, given, root) for spec in found), _settings(root, given)

    return read_source(given, read)


def combine(given: Sequence[Loaded]) -> list[Loaded]:
    """Switches whole levels off, and web hooks whose address is not allowed; nothing disappears."""
    return [entry.changed(lambda spec: _permitted(spec, given)) for entry in given]


def schema(dialect: AgentDialect) -> dict[str, Any]:
    """The JSON Schema of the `hooks` part of a settings file."""
    from hookline.dialects.schemas import events_schema, group_schema, handler_schema, key_schema

    found = events_schema(
        "Claude Code settings: hooks",
        (row.native for row in dialect.rows),
        group_schema(handler_schema(CLAUDE_KEYS)),
        **{key.name: key_schema(key) for key in FILE},
    )
    for row in dialect.rows:
        found["properties"]["hooks"]["properties"][row.native]["description"] = _described(row)
    return found


# -- sources ------------------------------------------------------------------------------------------


def _managed() -> Iterator[Source]:
    path = os.path.join(MANAGED, "managed-settings.json")
    yield Source(path, "managed", "json", path, "settings")
    for name in _names(os.path.join(MANAGED, "managed-settings.d"), ".json"):
        path = os.path.join(MANAGED, "managed-settings.d", name)
        yield Source(path, "managed", "json", path, "settings")


def _plugins(user: str, places: Places) -> Iterator[Source]:
    """Installed plugins, as the list Claude Code keeps of them says (third-party knowledge of that list)."""
    for name, root in _installed(os.path.join(user, "plugins", "installed_plugins.json")):
        path = os.path.join(root, "hooks", "hooks.json")
        yield Source(path, "plugin", "json", places.tilde(path), f"plugin:{name}")


def _installed(path: str) -> list[tuple[str, str]]:
    found = read_text(path)
    if found.state != "text":
        return []
    try:
        plugins = read_json(found.text)["plugins"]
        return [
            (str(name), str(copy["installPath"]))
            for name, copies in plugins.items()
            for copy in (copies if isinstance(copies, list) else [copies])
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []


def _front_matter(base: str, shown: str, scope: str) -> Iterator[Source]:
    for folder in _names(os.path.join(base, "skills"), ""):
        path = os.path.join(base, "skills", folder, "SKILL.md")
        if is_file(path):
            yield Source(path, scope, "yaml", f"{shown}/skills/{folder}/SKILL.md", "skill")
    for name in _names(os.path.join(base, "agents"), ".md"):
        yield Source(os.path.join(base, "agents", name), scope, "yaml", f"{shown}/agents/{name}", "agent")


def _names(folder: str, ending: str) -> list[str]:
    return sorted(entry.name for entry in list_dir(folder).entries if entry.name.endswith(ending))


def _front_matter_of(text: str) -> str:
    """`name` and `hooks` of the YAML between the first two `---` lines, on their lines; empty without hooks.

    The rest stays unread: Claude Code takes descriptions that are no YAML (`Use it when: …`), and writes such itself.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].strip() != "---":
        return ""
    kept, key = [""], ""
    for line in lines[1:]:
        if line.strip() == "---":
            return "\n".join(kept) if any(line.lstrip().startswith("hooks") for line in kept) else ""
        key = line.partition(":")[0].rstrip() if line[:1].isalpha() else key
        kept.append(line if key in ("name", "hooks") else "")
    return ""


def _lost_front_matter(given: SourceText) -> tuple[Problem, ...]:
    """What keeps front matter with hooks from being read as such, if anything does."""
    lines = given.text.removeprefix("\ufeff").splitlines()
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if not lines or lines[first].strip() != "---":
        return ()
    end = next((at for at in range(first + 1, len(lines)) if lines[at].strip() == "---"), len(lines))
    if not any(line.startswith("hooks:") for line in lines[first + 1 : end]):
        return ()
    if end == len(lines):
        words, hint = "the front matter opened with `---` is never closed", "close it with a line `---`"
    elif first:
        words, hint = "front matter counts on the first line alone", "take out what stands before it"
    else:
        return ()
    told = f"{words}: nothing of its hooks runs"
    shown, code = given.source.shown, "unclosed-front-matter"
    return (Problem(shown, first + 1, 1, "", code, told, hint, guard=True, lost=WHOLE_FILE),)


# -- one file -----------------------------------------------------------------------------------------


def _settings(root: Reader, given: SourceText) -> dict[str, Any]:
    if given.source.label != "settings":
        return {}
    found = read_values(root, FILE)
    if root.has("permissions"):
        found["permissionRules"] = True
    report_permissions(root)
    only = root.get("strictPluginOnlyCustomization")
    if only is not None:
        listed = only.kind == "array" and any(item.value == "hooks" for item in only.items)
        found["pluginsOnly"] = listed or (only.kind == "boolean" and bool(only.value))
    plugins = root.get("enabledPlugins")
    if plugins is not None and plugins.kind == "object":
        found["enabledPlugins"] = {name: node.value is not False for name, node in plugins.members.items()}
    return found


def _spec(dialect: AgentDialect, given: SourceText, entry: Entry, number: int) -> HookSpec:
    reader = entry.reader
    action = read_handler(reader, CLAUDE_KEYS, tuple(sorted(ALL_TYPES)))
    kind = reader.string("type") or "command"
    values = read_keys(reader, CLAUDE_KEYS, kind)
    if entry.kind is EventKind.NoSuchEvent:
        return make_spec(entry, given, dialect.name, number, action, values, timeout_s=600.0)
    rule = RULES[entry.kind]
    exact = STRICT_EXACT if entry.kind in (EventKind.FileChanged, EventKind.StopFailure) else CLAUDE_EXACT
    compiled = names_or_regex(entry.matcher, exact)
    report_matcher(entry.group, rule, compiled, CANONICAL)
    if "condition" in values:
        from hookline.dialects.matching.permission_rules import report_condition

        report_condition(reader, entry.kind, entry.native, values["condition"])
    action = _allowed_type(reader, rule, kind, action)
    values["timeout_s"] = _timeout_s(rule, kind, values.get("timeout_s"))
    if values.get("background"):
        values.pop("on_failure", None)
    if given.source.label != "skill":
        values.pop("once", None)
    return make_spec(
        entry, given, dialect.name, number, action, values, timeout_s=rule.timeout_s, matcher=compiled.matcher
    )


def _timeout_s(rule: AgentRule, kind: str, given: float | None) -> float:
    if given is None:
        return min(rule.timeout_s, TYPE_TIMEOUTS.get(kind, rule.timeout_s))
    return min(given, SESSION_END_LIMIT_S) if rule.kind is EventKind.SessionEnd else given


def _allowed_type(reader: Reader, rule: AgentRule, kind: str, action: Action | None) -> Action | None:
    if action is None or kind in rule.handlers:
        return action
    node = reader.members["type"]
    allowed = " or ".join(f"`{name}`" for name in sorted(rule.handlers))
    reader.report(node, "wrong-handler", f"`{rule.native}` takes {allowed}, found `{kind}`; it never runs")
    return None


def _placed(spec: HookSpec, given: SourceText, root: Reader) -> HookSpec:
    """What the kind of file adds: a plugin's folder, a skill's or an agent's moment."""
    label = given.source.label
    if label.startswith("plugin:"):
        folder = os.path.dirname(os.path.dirname(given.source.path))
        return noted(spec, plugin=label[7:], plugin_root=folder)
    if label == "skill":
        return switched_off(spec, "a skill's hooks run from the moment Claude Code itself invokes the skill")
    if label == "agent":
        name = root.string("name") or os.path.basename(given.source.path).removesuffix(".md")
        kind = EventKind.SubagentStop if spec.kind is EventKind.Stop else spec.kind
        return replace(noted(spec, agent=name), kind=kind, native_event=kind.value)
    return spec


# -- switches -----------------------------------------------------------------------------------------


def _permitted(spec: HookSpec, given: Sequence[Loaded]) -> HookSpec:
    why = _forbidden(spec, given)
    return switched_off(spec, why) if why else _with_allowed_env(spec, given)


def _forbidden(spec: HookSpec, given: Sequence[Loaded]) -> str:
    managed = [entry for entry in given if entry.source.scope == "managed"]
    if spec.scope == "managed":
        return "`disableAllHooks` in the managed settings" if _last(managed, "disableAllHooks") else ""
    if _last(given, "disableAllHooks"):
        place = next(entry.source for entry in reversed(given) if "disableAllHooks" in entry.settings)
        return f"`disableAllHooks` is set{'' if place.path == spec.path else f' in `{place.shown}`'}"
    if _last(managed, "allowManagedHooksOnly"):
        return "the managed settings allow only managed hooks"
    if _last(managed, "pluginsOnly") and spec.scope != "plugin":
        return "the managed settings allow only hooks of plugins"
    plugin = spec.origin.plugin
    enabled: Mapping[str, bool] = _merged(given, "enabledPlugins")
    if plugin and not enabled.get(plugin, False):
        return f"the plugin `{plugin}` is not enabled"
    return _forbidden_address(spec, given)


def _forbidden_address(spec: HookSpec, given: Sequence[Loaded]) -> str:
    allowed = _last(given, "allowedHttpHookUrls")
    if allowed is None or not isinstance(spec.action, Webhook):
        return ""
    from hookline.dialects.matching.permission_rules import wildcard_fits

    if any(wildcard_fits(pattern, spec.action.url) for pattern in allowed):
        return ""
    return f"`allowedHttpHookUrls` does not allow {spec.action.url}"


def _with_allowed_env(spec: HookSpec, given: Sequence[Loaded]) -> HookSpec:
    allowed = _last(given, "httpHookAllowedEnvVars")
    if allowed is None or not isinstance(spec.action, Webhook):
        return spec
    kept = tuple(name for name in spec.action.allowed_env or () if name in allowed)
    return replace(spec, action=replace(spec.action, allowed_env=kept))


def _last(given: Sequence[Loaded], key: str) -> Any:
    """The value of the highest level that has one."""
    for entry in reversed(given):
        if key in entry.settings:
            return entry.settings[key]
    return None


def _merged(given: Sequence[Loaded], key: str) -> dict[str, bool]:
    return {name: value for entry in given for name, value in (entry.settings.get(key) or {}).items()}


def _described(row: AgentRule) -> str:
    subject = f"matcher: {row.subject}" if row.subject else "no matcher"
    return f"{subject}; default time limit {row.timeout_s:g} s"
