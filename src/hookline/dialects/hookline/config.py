"""`.hookline/hooks.toml`: our own format, flat `[[hooks]]` tables that can say what any dialect can."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hookline.dialects import dialect, is_known
from hookline.dialects.base import Loaded, Places, Source, SourceText
from hookline.dialects.hookline.actions import ACTIONS, HANDLERS, KINDS, read_run
from hookline.dialects.hookline.order import in_order
from hookline.dialects.hookline.predicates import read_predicates
from hookline.dialects.hookline.rules import PREDICATES, RULES, SETTINGS_OF_RULES
from hookline.dialects.keys import Key, Keys, read_span, read_values
from hookline.dialects.reading.documents import read_source
from hookline.dialects.reading.nodes import to_plain
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import nearest, suggestion
from hookline.dialects.tools import TOOL_EVENTS
from hookline.model.errors import Problem
from hookline.model.events import EventKind, find_kind
from hookline.model.hooks import (
    PART_OF,
    HookSpec,
    Matcher,
    Unusable,
    parted,
)
from hookline.model.record import replace
from hookline.model.typing import Any

MANAGED = "/etc/hookline/hooks.toml"
DEFAULT_TIMEOUT_S = 60.0
MATCHERS: Mapping[str, str] = {
    "": "names", "_exact": "exact", "_prefix": "prefix", "_glob": "glob", "_regex": "regex",
    "_fullregex": "fullregex",
}  # fmt: skip
MATCHER_KEYS = tuple(f"{word}{ending}" for word in ("tool", "match") for ending in MATCHERS)
VERSION = 1
PARTS = ("version", "hooks", "programs", "tools", "budget", "judge", "managed_only")
PACK_PARTS = ("use", "level", "off", "packs")
HOLDERS = ("hooks", "use", "packs")
# What a hook may say beside its event, its conditions and what it runs.
ROWS = Keys((
    Key("name", "text", "name"), Key("description", "text", "description"),
    Key("timeout", "span", "timeout_s", "60s without it"), Key("grace", "span", "grace_s", default="2s"),
    Key("enabled", "tristate", "enabled", default=True),
    Key("on_failure", "block|allow|ask", "on_failure", "what a broken hook means"),
    Key("wake", "flag", "conduct.rewake", "in the background; its exit 2 wakes the agent", with_it="background"),
    Key("background", "flag", "background"), Key("once", "flag", "once", "once a session"),
    Key("env", "map", "env"), Key("status", "text", "status_message", "shown while the hook runs"),
    Key("environment", "inherit|clean", "means.env", "`inherit` without it"),
    Key("order", "number", "options.order", "lower ones run first; 0 without it"),
    Key("needs", "names", "conduct.needs", "names of hooks that must have succeeded before"),
    Key("group", "text", "conduct.group", "neighbours of one group run side by side"),
    Key("output", "reply|context|message|ignore", "options.output", "where plain text goes"),
    Key("pass_env", "names", "means.pass_env"),
    Key("instead", "line", words="what to do in its place; said behind a fixed answer"),
    Key("options", "object", words="settings of the dialect the hook talks"),
))  # fmt: skip
SETTINGS = ("event", *(row.name for row in ROWS))
# What `options` may say beside what only the dialect that the hook talks reads. The rest of the parts of a hook is no
# setting: a file that could write it would say of its hook that it is reviewed.
OPTIONS = Keys((
    Key("plugin", "text", "origin.plugin"), Key("plugin_root", "text", "origin.plugin_root"),
    Key("plugin_data", "text", "origin.plugin_data"), Key("agent", "text", "origin.agent"),
    Key("aliases", "texts", "origin.aliases"), Key("flat", "tristate", "origin.flat"),
    Key("attempts", "whole", "conduct.attempts"), Key("phase", "text", "conduct.phase"),
    Key("continue_on_failure", "tristate", "conduct.continue_on_failure"),
    Key("notify_llm", "tristate", "conduct.notify_llm"), Key("rewake", "tristate", "conduct.rewake"),
    Key("thread", "tristate", "conduct.thread"), Key("cwd", "text", "means.cwd"),
    Key("shell_fallback", "texts", "means.shell_fallback"), Key("http_timeout_s", "seconds", "means.http_timeout_s"),
    Key("allow_hosts", "names", "means.allow_hosts"), Key("run_as", "text", "means.run_as"),
    Key("baseline", "tristate", "conduct.baseline"),
))  # fmt: skip


def hookline_sources(places: Places) -> list[Source]:
    """Lowest precedence first; the hooks of all files run."""
    return [
        places.source("user", "{config}/hookline/hooks.toml", "toml"),
        places.source("project", "{ws}/.hookline/hooks.toml", "toml"),
        places.source("managed", MANAGED, "toml"),
    ]


def parse_hookline(given: SourceText) -> Loaded:
    """The hooks of one file in the order they run in; a broken one stays, visibly unusable."""

    def read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        return _rules(root, given, (*PARTS, *PACK_PARTS)), {
            **_budgets(root),
            **_judge(root, given),
            **_managed_only(root, given),
            **_use(root),
        }

    return read_source(given, read)


def _rules(root: Reader, given: SourceText, keys: Sequence[str]) -> tuple[HookSpec, ...]:
    root.unknown_keys(keys, severity="error", holders=HOLDERS)
    unknown = _is_of_unknown_version(root)
    specs = tuple(in_order(list(_specs(root, given)), root))
    return _without_allows(specs) if unknown else specs


def _is_of_unknown_version(root: Reader) -> bool:
    """Whether the rules may mean something else than they are read as, which is told as of a guard that is off."""
    found = root.members.get("version")
    if found is None or (found.kind, found.value) == ("integer", VERSION):
        return False
    unknown = found.kind == "integer"
    words = f"a file of another version; this hookline reads it as one of version {VERSION}"
    if unknown:
        words += ", so its rules may mean something else, and its `allow` counts for nothing"
    (root.whole() if unknown else root).report(
        found,
        "other-version",
        words,
        f"say `version = {VERSION}`",
        severity="error" if unknown else "warning",
    )
    return unknown


def _without_allows(specs: Iterable[HookSpec]) -> tuple[HookSpec, ...]:
    """The rules that stop something stay as they are read; what is allowed by one that may mean less is not."""
    why = "it is of a version that this hookline does not know"
    return tuple(
        replace(spec, action=Unusable(why)) if getattr(spec.action, "verdict", "") == "allow" else spec
        for spec in specs
    )


def parse_pack(given: SourceText) -> Loaded:
    """The hooks of a pack: a file like any other, with a `[pack]` table, at the level its user wants."""
    from hookline.dialects.hookline.packs import at_level, named

    def read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        specs = _rules(root, given, ("version", "hooks", "programs", "tools", "pack"))
        about = root.object("pack")
        settings = {} if about is None else {"about": about.string("about") or ""}
        return tuple(named(spec, name) for spec in specs), settings

    name = given.source.label.partition(" ")[0]
    if given.state in ("missing", "empty"):
        why = f"the pack `{name}` is not here, so none of its rules runs"
        hint = f"`hookline packs update {name}` fetches it"
        missing = Problem(given.shown, 0, 0, "", "no-pack", why, hint, guard=True)
        return Loaded(given.source, given.state, problems=(missing,))
    return at_level(read_source(given, read))


def _use(root: Reader) -> dict[str, Any]:
    if not any(map(root.has, PACK_PARTS)):
        return {}
    from hookline.dialects.hookline.packs import read_use

    return read_use(root)


def _managed_only(root: Reader, given: SourceText) -> dict[str, Any]:
    """`managed_only`: the administrator's word that no other hooks run on this machine."""
    wanted = root.boolean("managed_only")
    if wanted is None:
        return {}
    if given.source.scope != "managed":
        words = "only the machine's file can say that other hooks do not run"
        root.report_key("managed_only", "not-managed", words, "remove it", severity="error")
        return {}
    return {"managed_only": wanted}


def _judge(root: Reader, given: SourceText) -> dict[str, Any]:
    if not root.has("judge"):
        return {}
    from hookline.dialects.hookline.judge import judge_settings

    return judge_settings(root, given.source.scope)


def _budgets(root: Reader) -> dict[str, Any]:
    """`[budget]`: how long all hooks of an event together may take."""
    table = root.object("budget")
    found: dict[str, Any] = {}
    for name in table.keys if table is not None else ():
        assert table is not None
        if find_kind(name) is None:
            table.report_key(name, "unknown-event", f"there is no event `{name}`", _meant(name))
            continue
        seconds = read_span(table, name)
        if seconds is not None:
            found[f"budget:{name}"] = seconds
    return found


def _specs(root: Reader, given: SourceText) -> Iterator[HookSpec]:
    counts: dict[str, int] = {}
    rows = _rows(root)
    for entry in root.whole().objects("hooks", wanted="`[[hooks]]` tables"):
        if not entry.valid:
            continue
        # without an event it may be a guard at any
        natives = entry.whole().string_list(
            "event", required=True, single=True, wanted="an event's name", blank=False
        )
        for native in natives or ("",):
            counts[native] = counts.get(native, 0) + 1
            yield _spec(entry, native, counts[native], given, rows)


def _rows(root: Reader) -> dict[str, Any]:
    """`[[programs]]` and `[[tools]]`: rows of the user's own, for the rules of this file."""
    if not root.has("programs") and not root.has("tools"):
        return {}
    from hookline.dialects.hookline.own_rows import program_rows, tool_rows

    return {"programs": program_rows(root), "tools": tool_rows(root)}


def _spec(entry: Reader, native: str, number: int, given: SourceText, rows: Mapping[str, Any]) -> HookSpec:
    kind = _kind_of(native)
    known = kind or _kind_of(nearest(native.rpartition(":")[2], [each.value for each in RULES]) or "")
    entry.guard = bool(known and RULES[known].guards)
    if kind is None and native:
        node = entry.members["event"]
        (entry if known else entry.whole()).report(
            node, "unknown-event", f"there is no event `{native}`; this hook never runs", _meant(native)
        )
    action = read_run(entry)
    matcher = _matcher(entry, kind)
    predicates = read_predicates(entry, kind, rows, given)
    said = read_values(entry, ROWS)
    options = {**_options(entry, native, predicates), **(rows if predicates else {})}
    options.update({key.partition(".")[2]: said.pop(key) for key in tuple(said) if "." in key})
    entry.unknown_keys(known_keys(entry.keys), severity="error")
    if kind is None:
        action = Unusable(f"there is no event `{native}`" if native else "`event` is missing")
    elif action is None or entry.broken:
        action = Unusable(entry.fault)
    return HookSpec(
        f"hookline:{native}:{number}", "hookline", kind or EventKind.NoSuchEvent, native, action,
        matcher=matcher, **given.at(entry.node.line), **parted(options), **{"timeout_s": DEFAULT_TIMEOUT_S, **said},
    )  # fmt: skip


def known_keys(given: Sequence[str]) -> frozenset[str]:
    """The keys that mean something beside those given: further ones belong to their handler."""
    kinds = {KINDS[handler] for handler in HANDLERS if handler in given}
    further = [row.name for row in ACTIONS if kinds & row.handlers]
    return frozenset((*SETTINGS, *MATCHER_KEYS, *PREDICATES, *HANDLERS, *further))


def _kind_of(native: str) -> EventKind | None:
    """The kind of a canonical event name, or of `dialect:native`, whose hooks talk that dialect."""
    found = find_kind(native)
    if found is not None or ":" not in native:
        return None if found is EventKind.NoSuchEvent else found
    name, _, word = native.partition(":")
    if not is_known(name) or name == "hookline":
        return None
    return dialect(name).kind_of(word)


def _meant(native: str) -> str:
    otherwise = "see `hookline schema hookline` for all events"
    return suggestion(native.rpartition(":")[2], [kind.value for kind in RULES], otherwise)


def _matcher(entry: Reader, kind: EventKind | None) -> Matcher | None:
    given = [key for key in MATCHER_KEYS if entry.has(key)]
    if len(given) > 1:
        words = " and ".join(f"`{key}`" for key in given)
        entry.report(entry.members[given[1]], "bad-value", f"expected one matcher, found {words}")
    if not given:
        return None
    key = given[0]
    texts = entry.string_list(key, single=True, wanted="a text or a list of texts", blank=False) or ()
    word, _, ending = key.partition("_")
    style = MATCHERS[f"_{ending}" if ending else ""]
    if kind is not None and not RULES[kind].subject:
        entry.report_key(key, "matcher-ignored", f"`{kind.value}` has nothing to match", severity="error")
    elif word == "tool" and kind is not None and kind not in TOOL_EVENTS:
        entry.report_key(key, "dead-matcher", f"`{kind.value}` is about no tool", "write `match` instead")
    if len(texts) > 1 and style != "names":
        entry.report(entry.members[key], "bad-value", "expected one text; only names make a list")
    if not texts:
        return None
    if style in ("regex", "fullregex"):
        _report_pattern(entry, key, texts[0])
    if style == "names" and any("*" in text for text in texts) and not any("(" in text for text in texts):
        return _by_pattern(texts)
    return Matcher(style, "|".join(texts))


def _by_pattern(texts: tuple[str, ...]) -> Matcher:
    """`mcp__github__*` among names: no tool has a `*` in its name."""
    names = [name.strip() for text in texts for name in text.replace(",", "|").split("|") if name.strip()]
    if len(names) == 1:
        return Matcher("glob", names[0])
    return Matcher("fullregex", "|".join(re.escape(name).replace(r"\*", ".*") for name in names))


def _report_pattern(entry: Reader, key: str, text: str) -> None:
    from hookline.system.patterns import pattern_fault

    if problem := pattern_fault(text):
        entry.report(entry.members[key], "bad-value", f"no regular expression: {problem}")


def _options(entry: Reader, native: str, predicates: Mapping[str, Any]) -> dict[str, Any]:
    table = entry.object("options")
    found: dict[str, Any] = {}
    if table is not None:
        found = _settings(table)
        entry.broken |= table.broken
    if ":" in native:
        found["speaks"] = native
    if predicates:
        found["predicates"] = {
            key: value for key, value in predicates.items() if key not in SETTINGS_OF_RULES
        }
        found.update({key: predicates[key] for key in SETTINGS_OF_RULES if key in predicates})
    return found


def _settings(table: Reader) -> dict[str, Any]:
    """The settings of the dialect a hook talks: those that others read as well by their rows."""
    found = {key.partition(".")[2]: value for key, value in read_values(table, OPTIONS).items()}
    known = {row.name for row in OPTIONS}
    for name, node in table.members.items():
        if name in known:
            continue
        if name in PART_OF:
            words = f"`{name}` is no setting: hookline itself notes it of a hook"
            table.report_key(name, "unknown-key", words, "remove it", severity="error")
        else:
            found[name] = to_plain(node)
    return found
