"""`hookline config`: AutoAgent's settings and git built-ins, edited so that the rest of the file stays."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from typing import Any

from hookline.cli import common
from hookline.cli.actions import Action, run_action
from hookline.cli.render import table
from hookline.dialects.reading.nodes import UnreadableConfig
from hookline.dialects.spelling import suggestion
from hookline.engine.opening import Opened, open_engine
from hookline.hosts.issues import config_edits
from hookline.hosts.issues.config_edits import COMMIT, PUSH, Edited, has_hooks, with_field, with_setting
from hookline.hosts.issues.settings import (
    DIALECT,
    OLD_SWITCHES,
    SETTINGS,
    config_path,
    parsed,
    read_config,
    read_settings,
)
from hookline.model.errors import ConfigError, StateError, UsageError
from hookline.model.hooks import GitCommit, GitPush, HookSpec
from hookline.system import files
from hookline.system.locks import file_lock

Change = Callable[[str], Edited]


# -- reading --------------------------------------------------------------------------------------------


def _get(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("key", nargs="?", help=f"one of {', '.join(SETTINGS)}, or hooks")
    parser.add_argument("--show-source", action="store_true", help="default, global, local or environment")
    parser.add_argument("--json", action="store_true", help="as an object, strings quoted")
    options = _options(parser, arguments)
    values, sources = _effective(options)
    if options.key is None:
        _show_all(options, values, sources)
        return 0
    if options.key not in values:
        raise _no_key(options.key)
    value = values[options.key]
    if options.json:
        shown = {"value": value, "source": sources[options.key]} if options.show_source else value
        sys.stdout.write(_json(shown) + "\n")
        return 0
    source = f"  ({sources[options.key]})" if options.show_source else ""
    sys.stdout.write((value if isinstance(value, str) else _json(value)) + source + "\n")
    return 0


def _show_all(options: Namespace, values: Mapping[str, Any], sources: Mapping[str, str]) -> None:
    if options.json:
        both = {key: {"value": values[key], "source": sources[key]} for key in values}
        sys.stdout.write(_json(both if options.show_source else dict(values)) + "\n")
    elif options.show_source:
        rows = [(key, sources[key], _json(value, compact=True)) for key, value in values.items()]
        sys.stdout.write(table(("setting", "source", "value"), rows))
    else:
        sys.stdout.write(_json(dict(values)) + "\n")


def _effective(options: Namespace) -> tuple[dict[str, Any], dict[str, str]]:
    """Every setting and the hooks; with --global those of the user's file over the defaults."""
    home = files.home()
    workspace = home if options.is_global else common.place_of(options.workspace)
    settings = read_settings(workspace, home, {} if options.is_global else files.environment())
    for problem in settings.problems:
        common.warn(problem)
    values = {key: list(v) if isinstance(v, tuple) else v for key, v in settings.values.items()}
    sources = dict(settings.sources)
    if options.is_global:
        sources = {key: "global" if source == "local" else source for key, source in sources.items()}
    scopes = (("global", home),) if options.is_global else (("local", workspace), ("global", home))
    values["hooks"], sources["hooks"] = {}, "default"
    for scope, folder in scopes:
        hooks = _hooks_of(config_path(folder))
        if hooks is not None:
            values["hooks"], sources["hooks"] = hooks, scope
            break
    return values, sources


def _hooks_of(path: str) -> Any:
    try:
        return read_config(path).get("hooks")
    except ConfigError:
        return None  # told already, with the settings


# -- writing --------------------------------------------------------------------------------------------


def _set(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("key", help=f"one of {', '.join(SETTINGS)}")
    parser.add_argument("value", help="a text, a number, true or false, or names with commas between them")
    options = _options(parser, arguments)
    if options.key in OLD_SWITCHES:
        command = f"hookline config {OLD_SWITCHES[options.key]} {options.value}"
        raise UsageError(f"`{options.key}` was removed: hooks do this now", f"run `{command}`")
    if options.key == "hooks":
        raise UsageError(
            "`hooks` is not set as one value", "edit the file, or use `set-auto-commit` and its kin"
        )
    if options.key not in SETTINGS:
        raise _no_key(options.key)
    try:
        value = parsed(options.key, options.value)
    except ConfigError as error:
        raise UsageError(error.message) from error
    return _changed(options, lambda text: with_setting(text, options.key, value))


def _switch(name: str, summary: str, change: Callable[[str, bool], Edited]) -> Action:
    def command(parser: ArgumentParser, arguments: list[str]) -> int:
        parser.add_argument("value", metavar="true|false", type=str.lower)
        options = _options(parser, arguments)
        if options.value not in ("true", "false"):
            raise UsageError(f"config {name}: expected true or false, found `{options.value}`")
        return _changed(options, lambda text: change(text, options.value == "true"))

    return Action(summary, f"hookline config {name} true", command, "true|false")


def _set_push_remote(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("remote", help="a remote's name, or its address")
    options = _options(parser, arguments)
    remote = options.remote.strip()
    if not remote or remote.startswith("-") or any(letter.isspace() for letter in remote):
        raise UsageError(f"config set-push-remote: `{options.remote}` is no remote", "see `git remote`")
    return _changed(options, lambda text: _rewritten(text, PUSH, "remote", remote))


def _rewritten(text: str, kind: str, field: str, value: object) -> Edited:
    edited = with_field(text, kind, field, value)
    if edited.changed:
        return edited
    command = "set-auto-commit" if kind == COMMIT else "set-auto-push"
    return Edited(text, f"No {kind} hooks to change; add one with `hookline config {command} true`")


def _changed(options: Namespace, change: Change) -> int:
    """Reads, edits and replaces the file under its lock; a text that did not change is not written."""
    folder = files.home() if options.is_global else common.place_of(options.workspace)
    path = config_path(folder)
    trust = BuiltInTrust(options)
    with file_lock(path):
        text = _text(path)
        try:
            edited = change(text)
        except UnreadableConfig as error:
            fault = error.problem
            hint = fault.hint or "correct it by hand first"
            raise ConfigError(f"`{path}` line {fault.line}: {fault.message}", hint) from error
        except ConfigError as error:
            raise ConfigError(f"`{path}`: {error.message}", error.hint) from error
        if edited.text != text:
            files.write_atomic(path, edited.text)
    common.print_line(f"{'✓' if edited.changed else '·'} {edited.words}")
    if edited.changed:
        _hint_at_hidden(options, text, edited.text)
        trust.follow()
    return 0


class BuiltInTrust:
    """Who switches a git built-in on by hand trusts it: nobody has to review their own command.

    Only built-ins, and only kinds of which none was waiting for a review before.
    """

    def __init__(self, options: Namespace) -> None:
        self._workspace = None if options.is_global else common.place_of(options.workspace)
        self._before = {type(spec.action) for spec in self._waiting()[1]}

    def follow(self) -> None:
        """Accepts the built-ins that wait since the edit; the others are named with the way to accept them."""
        opened, waiting = self._waiting()
        fresh = [spec for spec in waiting if type(spec.action) not in self._before]
        if opened is not None and fresh:
            try:
                opened.store.accept(fresh, common.user_name())
            except StateError as error:
                common.warn(f"`hookline trust` has to accept it: {error.message}")
        if len(fresh) < len(waiting):
            common.warn("git hooks that came with the workspace do not run until you `hookline trust` them")

    def _waiting(self) -> tuple[Opened | None, list[HookSpec]]:
        if self._workspace is None:
            return None, []
        opened = open_engine(self._workspace, dialects=(DIALECT,), history=False)
        own = (spec for spec in opened.hooks.specs if isinstance(spec.action, GitCommit | GitPush))
        return opened, [spec for spec in own if opened.trust.state(spec) in ("untrusted", "modified")]


def _text(path: str) -> str:
    found = files.read_text(path)
    if found.state not in ("text", "empty", "missing"):
        raise ConfigError(f"`{path}` is {found.state}", found.reason or None)
    return found.text


def _hint_at_hidden(options: Namespace, before: str, after: str) -> None:
    """A first `hooks` object of a workspace hides the user's own: not to be found out by surprise."""
    if options.is_global or has_hooks(before) or not has_hooks(after):
        return
    if _hooks_of(config_path(files.home())):
        common.say(
            "notice: the hooks of this file now hide those of ~/.autoagent/config.json\n"
            '  hint: add `"hooksMerge": "append"` to run both'
        )


def _options(parser: ArgumentParser, arguments: list[str]) -> Namespace:
    parser.add_argument(
        "-g", "--global", dest="is_global", action="store_true", help="the file of your home folder"
    )
    return parser.parse_args(arguments)


def _no_key(key: str) -> UsageError:
    hint = suggestion(key, [*SETTINGS, "hooks"], f"there are {', '.join(SETTINGS)}, hooks")
    return UsageError(f"config: no setting `{key}`", hint)


def _json(value: object, compact: bool = False) -> str:
    lines = isinstance(value, dict) and value and not compact
    return json.dumps(value, indent=2 if lines else None, ensure_ascii=False)


ACTIONS = {
    "get": Action(
        "one setting, or all, as they take effect",
        "hookline config get providers --show-source",
        _get,
        "[KEY]",
    ),
    "set": Action("change a setting", "hookline config set retryAttempts 5", _set, "KEY VALUE"),
    "set-auto-commit": _switch(
        "set-auto-commit", "commit after each issue that was completed", config_edits.with_commit
    ),
    "set-auto-push": _switch("set-auto-push", "push after each commit", config_edits.with_push),
    "set-git-no-verify": _switch(
        "set-git-no-verify",
        "whether the commits skip git's own hooks",
        lambda text, wanted: _rewritten(text, COMMIT, "noVerify", wanted),
    ),
    "set-push-remote": Action(
        "where the pushes go", "hookline config set-push-remote upstream", _set_push_remote, "NAME"
    ),
}


def run(arguments: list[str]) -> int:
    """Finds the action and runs it."""
    more = "The file is .autoagent/config.json here; with --global in your home folder."
    return run_action("config", ACTIONS, arguments, more)
