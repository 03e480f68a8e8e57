"""AutoAgent's settings: `config.json` of the user and of the workspace, the environment, the defaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from hookline.dialects.base import Loaded
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import Node, UnreadableConfig, to_plain
from hookline.dialects.reading.reader import COMMENT_KEYS, COMMENT_MARKS
from hookline.dialects.spelling import suggestion
from hookline.model.errors import ConfigError, Problem
from hookline.model.record import Record
from hookline.model.short_json import as_written, json_or
from hookline.model.typing import Any
from hookline.system.files import read_text

DIALECT = "autoagent"
TAIL = os.path.join(".autoagent", "config.json")
LOG_LEVELS = ("debug", "info", "warn", "error")
TRUE_WORDS = {"true": True, "false": False}


class Setting(Record):
    """One setting: `kind` is what its value must be, `variable` the environment's name for it."""

    kind: str
    default: Any
    words: str
    variable: str = ""
    least: int = 0

    @property
    def wanted(self) -> str:
        return KINDS[self.kind].words.format(least=self.least)

    def fits(self, value: object) -> bool:
        return KINDS[self.kind].fits(value) and (self.kind != "number" or value >= self.least)  # type: ignore[operator]  # a number


class Kind(Record):
    """What a value may be: in words, as it stands in a file, and read from what was typed (None: it is none)."""

    words: str
    fits: Callable[[Any], bool]
    read: Callable[[str], Any]


SETTINGS: Mapping[str, Setting] = {
    "providers": Setting(
        "names", ("claude", "gemini"), "who works on issues, in this order", "AUTOAGENT_PROVIDER"
    ),
    "failoverDelay": Setting(
        "number", 5000, "milliseconds before the next provider", "AUTOAGENT_FAILOVER_DELAY"
    ),
    "retryAttempts": Setting(
        "number", 3, "tries at one provider that fails", "AUTOAGENT_RETRY_ATTEMPTS", least=1
    ),
    "maxTokens": Setting("number", 100000, "tokens of one answer", "AUTOAGENT_MAX_TOKENS", least=1),
    "rateLimitCooldown": Setting(
        "number", 3600000, "milliseconds a limited provider rests", "AUTOAGENT_RATE_LIMIT_COOLDOWN"
    ),
    "logLevel": Setting("level", "info", "debug, info, warn or error", "AUTOAGENT_LOG_LEVEL"),
    "customInstructions": Setting("text", "", "added to every instruction", "AUTOAGENT_CUSTOM_INSTRUCTIONS"),
    "additionalDirectories": Setting("names", (), "folders a provider may also read"),
    "includeCoAuthoredBy": Setting(
        "flag", True, "whether agents sign commits as co-authors", "AUTOAGENT_INCLUDE_CO_AUTHORED_BY"
    ),
    "providerTimeout": Setting("number", 3600000, "milliseconds one turn of a provider may take", least=1),
}
OLD_SWITCHES = {"gitAutoCommit": "set-auto-commit", "gitAutoPush": "set-auto-push"}
BESIDE = ("hooks", "hooksMerge", "programs")  # keys of the file that are no settings
OF_PROGRAMS: Mapping[str, str] = {
    "command": "a list of words",
    "format": "`text` or `stream-json`",
    "version": "a list of words",
    "versionWord": "a text",
    "models": "a list of words",
    "resume": "a list of words",
    "directoryFlag": "a text",
}


class Settings(Record):
    """Effective values by name, where each comes from, and what was wrong on the way.

    `sources`: default, global, local or environment. `programs` are providers of the user's own:
    name to `{"command": […], "format": …}`.
    """

    values: Mapping[str, Any]
    sources: Mapping[str, str]
    problems: tuple[str, ...] = ()
    programs: Mapping[str, Mapping[str, Any]] = {}

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


class Fault(Record):
    """A key of the file that is no setting, or whose value is none; `code` is that of `hookline check`."""

    keys: tuple[str, ...]
    code: str
    words: str
    hint: str = ""

    @property
    def path(self) -> str:
        return ".".join(self.keys)

    def told(self, scope: str = "") -> str:
        place = f"`{self.path}`" + (f" ({scope})" if scope else "")
        words = f"{place}{':' if self.code == 'wrong-type' else ''} {self.words}"
        return f"{words}: {self.hint}" if self.hint else words


def config_path(folder: str) -> str:
    """Where `folder` (a workspace, or the home folder) keeps its config."""
    return os.path.join(folder, TAIL)


def read_config(path: str) -> dict[str, Any]:
    """The content of a config file; empty when there is none. Raises ConfigError naming the path."""
    found = read_text(path)
    if found.state in ("missing", "empty"):
        return {}
    if found.state != "text":
        raise ConfigError(f"`{path}` is {found.state}", found.reason or None)
    try:
        content = to_plain(parse_json(found.text, path, comments=True))
    except UnreadableConfig as error:
        fault = error.problem
        words = f"`{path}` line {fault.line}: {fault.message}"
        raise ConfigError(words, fault.hint or "correct it by hand first") from error
    if not isinstance(content, dict):
        raise ConfigError(f"`{path}` holds something else than an object", "correct it by hand first")
    return content


def read_settings(workspace: str, home: str, environment: Mapping[str, str]) -> Settings:
    """Defaults, then the user's file, the workspace's, the environment; broken parts are told and skipped.

    Programs come from the user's own file only, unless `HOOKLINE_TRUST=workspace`: a workspace does not
    choose what is started.
    """
    values: dict[str, Any] = {name: setting.default for name, setting in SETTINGS.items()}
    sources = dict.fromkeys(values, "default")
    problems: list[str] = []
    programs: dict[str, Mapping[str, Any]] = {}
    for scope, folder in (("global", home), ("local", workspace)):
        content = _content(config_path(folder), problems)
        for name, value in content.items():
            _take(values, sources, problems, name, value, scope)
        if scope == "global" or environment.get("HOOKLINE_TRUST") == "workspace":
            found, faults = _programs(content)
            programs |= found
            problems += (fault.told() for fault in faults)
        elif content.get("programs"):
            problems.append(
                f"`programs` in {TAIL} of the workspace is ignored: only your own file names programs"
            )
    _take_environment(values, sources, problems, environment)
    return Settings(values, sources, tuple(problems), programs)


def parsed(name: str, text: str) -> Any:
    """A value as typed on a command line or set in the environment. Raises ConfigError."""
    setting, given = SETTINGS[name], text.strip()
    value = KINDS[setting.kind].read(given)
    if not setting.fits(value):
        raise ConfigError(f"`{name}`: expected {setting.wanted}, found {as_written(given)}")
    return tuple(value) if setting.kind == "names" else value


def _content(path: str, problems: list[str]) -> Mapping[str, Any]:
    try:
        return read_config(path)
    except ConfigError as error:
        problems.append(f"{error.message}; its settings do not count")
        return {}


def _take(
    values: dict[str, Any], sources: dict[str, str], problems: list[str], name: str, value: Any, scope: str
) -> None:
    fault = _fault(name, value)
    if fault is not None:
        problems.append(fault.told(scope))
    elif name in SETTINGS:
        values[name] = tuple(value) if SETTINGS[name].kind == "names" else value
        sources[name] = scope


def _fault(name: str, value: Any) -> Fault | None:
    setting = SETTINGS.get(name)
    if setting is not None:
        if setting.fits(value):
            return None
        return Fault((name,), "wrong-type", f"expected {setting.wanted}, found {as_written(value)}")
    if name in OLD_SWITCHES:
        hint = f"run `hookline config {OLD_SWITCHES[name]} true`"
        return None if value is False else Fault((name,), "old-key", "has no effect any more", hint)
    if name in BESIDE or _is_comment(name):
        return None
    return Fault((name,), "unknown-key", "is no setting and has no effect", _meant(name))


def setting_problems(loaded: Iterable[Loaded], home: str, trusted: bool = False) -> Iterator[Problem]:
    """A warning for each fault of the settings in the config files among `loaded`, with its place.

    `trusted`: a workspace's file may name programs, as the user's own does.
    """
    for each in loaded:
        path = each.source.path
        found = read_text(path) if path.endswith(os.sep + TAIL) and each.state == "text" else None
        if found is None or found.state != "text":
            continue
        try:
            root = parse_json(found.text, path, comments=True)
        except UnreadableConfig:
            continue  # told by the reader of the hooks
        content = to_plain(root)
        if isinstance(content, dict):
            own = trusted or path == config_path(home)
            yield from (_placed(fault, root, each.source.shown) for fault in _file_faults(content, own))


def _file_faults(content: Mapping[str, Any], own: bool) -> Iterator[Fault]:
    faults = (_fault(name, value) for name, value in content.items() if name not in OLD_SWITCHES)
    yield from filter(None, faults)  # of old switches the reader of the hooks tells
    if own:
        yield from _programs(content)[1]
    elif content.get("programs"):
        yield Fault(
            ("programs",), "ineffective-key", "is ignored in a workspace", "only your own file names programs"
        )


def _placed(fault: Fault, root: Node, shown: str) -> Problem:
    *parents, key = fault.keys
    node = root
    for parent in parents:
        node = node.members[parent]
    line, column = node.key_place(key)
    return Problem(shown, line, column, fault.path, fault.code, fault.words, fault.hint, "warning")


def _is_comment(name: str) -> bool:
    return name in COMMENT_KEYS or name.startswith(COMMENT_MARKS)


def _meant(name: str) -> str:
    return suggestion(name, (*SETTINGS, *BESIDE), "`hookline config get` lists the settings")


def _take_environment(
    values: dict[str, Any], sources: dict[str, str], problems: list[str], environment: Mapping[str, str]
) -> None:
    for name, setting in SETTINGS.items():
        text = environment.get(setting.variable, "") if setting.variable else ""
        if not text.strip():
            continue
        try:
            values[name] = parsed(name, text)
        except ConfigError as error:
            problems.append(f"{setting.variable}: {error.message.partition(': ')[2]}")
            continue
        sources[name] = "environment"
    if (
        environment.get("AUTOAGENT_VERBOSE", "").lower() in ("1", "true")
        and sources["logLevel"] != "environment"
    ):
        values["logLevel"], sources["logLevel"] = "debug", "environment"


def _programs(content: Mapping[str, Any]) -> tuple[dict[str, Mapping[str, Any]], list[Fault]]:
    """Those that can be used, and what is wrong with the others."""
    given = content.get("programs", {})
    if not isinstance(given, dict):
        return {}, [Fault(("programs",), "wrong-type", "expected an object of names")]
    faults = {name: list(_program_faults(("programs", name), entry)) for name, entry in given.items()}
    return {name: given[name] for name in given if not faults[name]}, [*chain(*faults.values())]


def _program_faults(where: tuple[str, ...], entry: object) -> Iterator[Fault]:
    if not isinstance(entry, dict):
        yield Fault(where, "wrong-type", f"expected an object, found {as_written(entry)}")
        return
    if not entry.get("command"):
        yield Fault((*where, "command"), "wrong-type", "expected a list of words")
    for key, value in entry.items():
        if key in OF_PROGRAMS:
            if not _fits_program(OF_PROGRAMS[key], value):
                yield Fault(
                    (*where, key), "wrong-type", f"expected {OF_PROGRAMS[key]}, found {as_written(value)}"
                )
        elif not _is_comment(key):
            hint = suggestion(key, OF_PROGRAMS, f"known: {', '.join(OF_PROGRAMS)}")
            yield Fault((*where, key), "unknown-key", "means nothing here", hint)


def _fits_program(wanted: str, value: object) -> bool:
    if wanted == "a list of words":
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    return isinstance(value, str) if wanted == "a text" else value in ("text", "stream-json")


def _names_in(text: str) -> Any:
    return (
        json_or(text)
        if text.startswith("[")
        else [name for word in text.split(",") if (name := word.strip())]
    )


KINDS: Mapping[str, Kind] = {
    "names": Kind(
        "a list of names",
        lambda value: isinstance(value, list) and all(isinstance(word, str) and word for word in value),
        _names_in,
    ),
    "number": Kind(
        "a whole number from {least}",
        lambda value: isinstance(value, int) and not isinstance(value, bool),
        lambda text: int(text) if text.isdecimal() and text.isascii() and len(text) < 19 else None,
    ),
    "level": Kind("debug, info, warn or error", lambda value: value in LOG_LEVELS, str.lower),
    "text": Kind("a text", lambda value: isinstance(value, str), str),
    "flag": Kind(
        "true or false", lambda value: isinstance(value, bool), lambda text: TRUE_WORDS.get(text.lower())
    ),
}
