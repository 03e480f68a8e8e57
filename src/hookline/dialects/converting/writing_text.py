"""Hooks as TOML, YAML or scripts: what `parse` of their dialect reads back as the same hooks."""

from __future__ import annotations

import json
import re

from hookline.dialects.converting.writing import number
from hookline.model.events import find_kind
from hookline.model.hooks import Answer, Command, GitCommit, GitPush, McpTool, PromptCheck, Webhook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.model.hooks import HookSpec

_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Options of our own format that have a key of their own.
OWN_OPTIONS = ("speaks", "predicates", "order", "needs", "group", "output", "rewake", "pass_env", "env")


def toml_value(value: Any) -> str:
    """A value in TOML: tables and lists on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    items = ", ".join(
        f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items() if item is not None
    )
    return f"{{ {items} }}" if items else "{}"


def toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else toml_value(key)


def _tables(tables: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(
        "[[hooks]]\n" + "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in table.items())
        for table in tables
    )


def write_cocode(specs: Sequence[HookSpec]) -> str:
    """A `hooks.toml` of cocode."""
    return _tables([_cocode(spec) for spec in specs])


def _cocode(spec: HookSpec) -> dict[str, Any]:
    table: dict[str, Any] = {"event": spec.native_event}
    if spec.name and not re.fullmatch(rf"{spec.native_event} \d+", spec.name):  # the name it has without one
        table["name"] = spec.name
    if spec.matcher is not None:
        table["tool_matcher"] = spec.matcher.text
    if spec.once:
        table["once"] = True
    table["timeout_sec"] = max(1, round(spec.timeout_s))
    if spec.options.get("on_timeout") == "reject":
        table["on_timeout"] = "reject"
    action = spec.action
    if isinstance(action, Webhook):
        hook: dict[str, Any] = {"url": action.url, "method": action.method.capitalize()}
        table["webhook"] = {**hook, **({"headers": dict(action.headers)} if action.headers else {})}
        return table
    flags = {key: True for key in ("pass_context", "parse_result") if spec.options.get(key)}
    table["shell"] = {"command": spec.command, **flags}
    return table


def write_hookline(specs: Sequence[HookSpec]) -> str:
    """A `.hookline/hooks.toml`."""
    return "version = 1\n\n" + _tables([_hookline(spec) for spec in specs])


def _hookline(spec: HookSpec) -> dict[str, Any]:
    from hookline.dialects.hookline.config import MATCHERS
    from hookline.dialects.hookline.rules import TOOL_KINDS

    table: dict[str, Any] = {"name": spec.name} if spec.name else {}
    table["event"] = spec.native_event
    if spec.description:
        table["description"] = spec.description
    if spec.matcher is not None:
        ending = next(end for end, kind in MATCHERS.items() if kind == spec.matcher.kind)
        word = "tool" if find_kind(spec.kind.value) in TOOL_KINDS else "match"
        table[f"{word}{ending}"] = spec.matcher.text
    table.update(spec.options.get("predicates", {}))
    table.update(_hookline_action(spec))
    table["timeout"] = _time(spec.timeout_s)
    if spec.grace_s != 2.0:
        table["grace"] = _time(spec.grace_s)
    given = {
        "enabled": None if spec.enabled else False, "on_failure": spec.on_failure,
        "wake": bool(spec.options.get("rewake")), "once": spec.once, "env": dict(spec.env),
        "background": spec.background and not spec.options.get("rewake"), "status": spec.status_message,
        "environment": spec.options.get("env"),
        **{key: spec.options.get(key) for key in ("order", "needs", "group", "output", "pass_env")},
        "options": {key: value for key, value in spec.options.items() if key not in OWN_OPTIONS},
    }  # fmt: skip
    table.update({key: value for key, value in given.items() if value or value == 0 or key == "enabled"})
    return {
        key: value
        for key, value in table.items()
        if value is not None and (value is not False or key == "enabled")
    }


def _hookline_action(spec: HookSpec) -> dict[str, Any]:
    action = spec.action
    match action:
        case Command():
            if action.argv:
                return {"run": list(action.argv)}
            shell = {} if action.shell == ("sh", "-c") else {"shell_program": _shell(action.shell)}
            return {"run": action.line, **shell}
        case Webhook():
            found: dict[str, Any] = {"post": action.url}
            found.update({"method": action.method} if action.method != "POST" else {})
            found.update({"headers": dict(action.headers)} if action.headers else {})
            return {**found, **({"allowed_env": list(action.allowed_env)} if action.allowed_env else {})}
        case PromptCheck():
            found = {"prompt": action.prompt, "model": action.model or None, "agent": action.agent or None}
            return {**found, "continue_on_block": action.continue_on_block or None}
        case McpTool():
            return {"mcp": f"{action.server}/{action.tool}", "input": dict(action.input) or None}
        case GitCommit():
            return {"commit": action.message, "stage": action.stage, "no_verify": action.no_verify or None}
        case GitPush():
            return {"push": action.remote, "branch": action.branch, "no_verify": action.no_verify or None}
        case Answer():
            return {action.verdict: action.text}
    raise TypeError(f"no TOML for {spec.handler}")


def _shell(shell: tuple[str, ...]) -> str | list[str]:
    return shell[0] if shell == (shell[0], "-c") else list(shell)


def _time(seconds: float) -> str:
    return f"{number(seconds)}s" if seconds >= 1 else f"{number(seconds * 1000)}ms"


def write_iteratr(specs: Sequence[HookSpec]) -> str:
    """A `.iteratr.hooks.yml`."""
    import yaml

    hooks: dict[str, list[dict[str, Any]]] = {}
    for spec in specs:
        entry: dict[str, Any] = {"command": spec.command, "timeout": max(1, round(spec.timeout_s))}
        piped = bool(spec.options.get("pipe_output"))
        if piped or spec.native_event == "pre_iteration":
            entry["pipe_output"] = piped
        hooks.setdefault(spec.native_event, []).append(entry)
    text: str = yaml.safe_dump(
        {"version": 2, "hooks": hooks}, sort_keys=False, allow_unicode=True, width=1000
    )
    return text


def write_discobot(specs: Sequence[HookSpec]) -> str:
    """A shell script that makes the files of `.discobot/hooks`, one per hook; run it in the workspace."""
    lines = ["#!/bin/sh", "# Makes the hooks below; nothing that is there already is replaced.", "set -e"]
    lines.append("mkdir -p .discobot/hooks")
    for name, text in discobot_files(specs).items():
        mark = "END_OF_HOOK"
        while mark in text:
            mark += "_"
        path = f".discobot/hooks/{name}"
        lines += [f"test ! -e {path} || {{ echo '{path} is there already' >&2; exit 1; }}"]
        lines += [f"cat > {path} <<'{mark}'", text.rstrip("\n"), mark, f"chmod +x {path}"]
    return "\n".join(lines) + "\n"


def discobot_files(specs: Sequence[HookSpec]) -> dict[str, str]:
    """The scripts by their file names."""
    found: dict[str, str] = {}
    for spec in specs:
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", spec.name or spec.native_event).strip("-.") or "hook"
        name, count = stem, 1
        while name in found:
            count += 1
            name = f"{stem}-{count}"
        found[name] = _discobot(spec)
    return found


def _discobot(spec: HookSpec) -> str:
    options = spec.options
    fields = {
        "name": spec.name, "type": spec.native_event, "description": spec.description,
        "pattern": spec.matcher.text if spec.matcher is not None else "",
        "timeout": f"{number(spec.timeout_s)}",
        "blocking": "" if spec.blocking is None else str(spec.blocking).lower(),
        "run_as": "root" if options.get("run_as") == "root" else "",
        "notify_llm": "false" if options.get("notify_llm") is False else "",
        "git_env": "false" if options.get("git_env") is False else "",
        "ignore": ", ".join(options.get("ignore", ())), "phase": str(options.get("phase") or ""),
        "on_failure": "continue" if options.get("continue_on_failure") else "",
    }  # fmt: skip
    shell = spec.action.shell if isinstance(spec.action, Command) and spec.action.shell else ("sh", "-c")
    head = "#!/bin/sh\n" if shell[0] in ("sh", "/bin/sh") else f"#!/usr/bin/env {shell[0]}\n"
    rows = "".join(f"# {key}: {_front(value)}\n" for key, value in fields.items() if value)
    return f"{head}#---\n{rows}#---\n{_body(spec)}\n"


def _front(value: str) -> str:
    """One line; quoted where a bare value would read as something else (quotes know no escapes there)."""
    line = " ".join(value.split())
    return f'"{line}"' if re.search(r"[:#\[\]{}*&!|>%@`,]", line) and '"' not in line else line


def _body(spec: HookSpec) -> str:
    from shlex import join

    action = spec.action
    if isinstance(action, Command) and action.argv:
        return join(action.argv)
    return action.line if isinstance(action, Command) else spec.command
