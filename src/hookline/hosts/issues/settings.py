"""AutoAgent's settings: `config.json` of the user and of the workspace, the environment, the defaults."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hookline.dialects.reading import COMMENT_KEYS, COMMENT_MARKS
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import UnreadableConfig, to_plain
from hookline.dialects.spelling import nearest
from hookline.model.errors import ConfigError
from hookline.model.record import Record
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
            programs |= _programs(content, problems)
        elif content.get("programs"):
            problems.append(
                f"`programs` in {TAIL} of the workspace is ignored: only your own file names programs"
            )
    _take_environment(values, sources, problems, environment)
    return Settings(values, sources, tuple(problems), programs)


def parsed(name: str, text: str) -> Any:
    """A value as typed on a command line or set in the environment. Raises ConfigError."""
    setting = SETTINGS[name]
    return _READERS[setting.kind](name, text.strip(), setting)


def _content(path: str, problems: list[str]) -> Mapping[str, Any]:
    try:
        return read_config(path)
    except ConfigError as error:
        problems.append(f"{error.message}; going on without it")
        return {}


def _take(
    values: dict[str, Any], sources: dict[str, str], problems: list[str], name: str, value: Any, scope: str
) -> None:
    setting = SETTINGS.get(name)
    if setting is None:
        if name in OLD_SWITCHES and value is not False:
            problems.append(
                f"`{name}` ({scope}) has no effect any more: run `hookline config {OLD_SWITCHES[name]} true`"
            )
        elif name not in OLD_SWITCHES and name not in BESIDE and not _is_comment(name):
            problems.append(f"`{name}` ({scope}) is no setting and has no effect: {_meant(name)}")
        return
    if not _FITS[setting.kind](value, setting):
        problems.append(f"`{name}` ({scope}): expected {_words(setting)}, found {value!r}")
        return
    values[name] = tuple(value) if setting.kind == "names" else value
    sources[name] = scope


def _is_comment(name: str) -> bool:
    return name in COMMENT_KEYS or name.startswith(COMMENT_MARKS)


def _meant(name: str) -> str:
    found = nearest(name, (*SETTINGS, *BESIDE))
    return f"did you mean `{found}`?" if found else "`hookline config get` lists the settings"


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


def _programs(content: Mapping[str, Any], problems: list[str]) -> dict[str, Mapping[str, Any]]:
    given = content.get("programs", {})
    if not isinstance(given, dict):
        problems.append("`programs`: expected an object of names")
        return {}
    found = {}
    for name, entry in given.items():
        faults = list(_program_faults(f"programs.{name}", entry))
        problems += faults
        if not faults:
            found[name] = entry
    return found


def _program_faults(where: str, entry: object) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield f"`{where}`: expected an object, found {entry!r}"
        return
    if not entry.get("command"):
        yield f"`{where}.command`: expected a list of words"
    for key, value in entry.items():
        if key in OF_PROGRAMS:
            if not _fits_program(OF_PROGRAMS[key], value):
                yield f"`{where}.{key}`: expected {OF_PROGRAMS[key]}, found {value!r}"
        elif not _is_comment(key):
            guess = nearest(key, OF_PROGRAMS)
            hint = f"did you mean `{guess}`?" if guess else f"known: {', '.join(OF_PROGRAMS)}"
            yield f"`{where}.{key}` means nothing here: {hint}"


def _fits_program(wanted: str, value: object) -> bool:
    if wanted == "a list of words":
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    return isinstance(value, str) if wanted == "a text" else value in ("text", "stream-json")


def _words(setting: Setting) -> str:
    kinds = {
        "names": "a list of names",
        "number": f"a whole number from {setting.least}",
        "level": "debug, info, warn or error",
        "text": "a text",
        "flag": "true or false",
    }
    return kinds[setting.kind]


def _read_names(name: str, text: str, setting: Setting) -> tuple[str, ...]:

    if text.startswith("["):
        try:
            found = json.loads(text)
        except ValueError:
            raise _unfit(name, text, setting) from None
        if not _FITS["names"](found, setting):
            raise _unfit(name, text, setting)
        return tuple(found)
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _read_number(name: str, text: str, setting: Setting) -> int:
    if not text.isdecimal() or not text.isascii() or int(text) < setting.least:
        raise _unfit(name, text, setting)
    return int(text)


def _read_level(name: str, text: str, setting: Setting) -> str:
    if text.lower() not in LOG_LEVELS:
        raise _unfit(name, text, setting)
    return text.lower()


def _read_flag(name: str, text: str, setting: Setting) -> bool:
    if text.lower() not in TRUE_WORDS:
        raise _unfit(name, text, setting)
    return TRUE_WORDS[text.lower()]


def _unfit(name: str, text: str, setting: Setting) -> ConfigError:
    return ConfigError(f"`{name}`: expected {_words(setting)}, found {text!r}")


_READERS: Mapping[str, Callable[[str, str, Setting], Any]] = {
    "names": _read_names,
    "number": _read_number,
    "level": _read_level,
    "text": lambda name, text, setting: text,
    "flag": _read_flag,
}
_FITS: Mapping[str, Callable[[Any, Setting], bool]] = {
    "names": lambda value, _: (
        isinstance(value, list) and all(isinstance(word, str) and word for word in value)
    ),
    "number": lambda value, setting: (
        isinstance(value, int) and not isinstance(value, bool) and value >= setting.least
    ),
    "level": lambda value, _: value in LOG_LEVELS,
    "text": lambda value, _: isinstance(value, str),
    "flag": lambda value, _: isinstance(value, bool),
}
