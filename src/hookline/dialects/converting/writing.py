"""Hooks as the JSON config of one dialect: what `parse` reads back as the same hooks.

Written are the hooks of the dialect itself, nothing is translated here. Keys that say what holds anyway are
left out, but for time limits, whose defaults differ most.
"""

from __future__ import annotations

import json

from hookline.dialects.reading.json_hooks import SHELLS
from hookline.model.hooks import Command, GitCommit, GitPush, McpTool, PromptCheck, Webhook
from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.model.hooks import HookSpec

    Entry = dict[str, Any]


class JsonForm(Record):
    """How one dialect writes its JSON: `unit` is how many of its time units make a second.

    `shell` runs lines that name none; `version` is written at the top when not 0.
    """

    handler: Callable[[HookSpec, JsonForm], Entry]
    grouped: bool
    unit: int
    shell: tuple[str, ...] = ("sh", "-c")
    version: int = 0


def write_json(name: str, specs: Sequence[HookSpec]) -> str:
    """A whole config file with these hooks, in their order."""
    form = FORMS[name]
    events: dict[str, list[Entry]] = {}
    for spec in specs:
        handler = form.handler(spec, form)
        listed = events.setdefault(spec.native_event, [])
        if not form.grouped:
            listed.append(handler)
            continue
        group: Entry = {} if spec.matcher is None else {"matcher": spec.matcher.text}
        if spec.options.get("asks_sequence"):
            group["sequential"] = True
        if listed and {key: value for key, value in listed[-1].items() if key != "hooks"} == group:
            listed[-1]["hooks"].append(handler)
        else:
            listed.append({**group, "hooks": [handler]})
    top = {"version": form.version, "hooks": events} if form.version else {"hooks": events}
    return json.dumps(top, indent=2, ensure_ascii=False) + "\n"


def number(value: float) -> int | float:
    """As people write it: without `.0`."""
    value = round(value, 6)
    return int(value) if value == int(value) else value


def _claude(spec: HookSpec, form: JsonForm) -> Entry:
    entry: Entry = {**_action(spec, form)}
    if isinstance(spec.condition, str):
        entry["if"] = spec.condition
    entry["timeout"] = number(spec.timeout_s * form.unit)
    if spec.status_message:
        entry["statusMessage"] = spec.status_message
    if spec.once:
        entry["once"] = True
    if spec.options.get("rewake"):
        entry["asyncRewake"] = True
    elif spec.background:
        entry["async"] = True
    if spec.on_failure:
        entry["onFailure"] = "continue" if spec.on_failure == "allow" else spec.on_failure
    return entry


def _gencode(spec: HookSpec, form: JsonForm) -> Entry:
    entry = _claude(spec, form)
    if spec.blocking is not None:
        entry["blocking"] = spec.blocking
    return {**entry, **({"name": spec.name} if spec.name else {})}


def _codex(spec: HookSpec, form: JsonForm) -> Entry:
    entry = _claude(spec, form)
    if "contextLimit" in spec.options:
        entry["additionalContextLimit"] = spec.options["contextLimit"]
    return entry


def _gemini(spec: HookSpec, form: JsonForm) -> Entry:
    entry: Entry = {**_action(spec, form), "timeout": number(spec.timeout_s * form.unit)}
    named = {"name": spec.name, "description": spec.description, "env": dict(spec.env)}
    return {**entry, **{key: value for key, value in named.items() if value}}


def _cursor(spec: HookSpec, form: JsonForm) -> Entry:
    entry: Entry = {**_action(spec, form), "timeout": number(spec.timeout_s)}
    if spec.matcher is not None:
        entry["matcher"] = spec.matcher.text
    if "loop_limit" not in spec.options:
        entry["loop_limit"] = None
    elif spec.options["loop_limit"] != 5:
        entry["loop_limit"] = spec.options["loop_limit"]
    if spec.on_failure == "block":
        entry["failClosed"] = True
    return entry


def _copilot(spec: HookSpec, form: JsonForm) -> Entry:
    action = spec.action
    entry: Entry
    if isinstance(action, Webhook):
        entry = _action(spec, form)
    elif isinstance(action, Command) and action.argv:
        entry = {"type": "command", "exec": action.argv[0], "args": list(action.argv[1:])}
    else:
        line = action.line if isinstance(action, Command) else ""
        key = "powershell" if isinstance(action, Command) and action.shell[0] == "pwsh" else "bash"
        entry = {"type": "command", key: line}
    if spec.matcher is not None:
        entry["matcher"] = spec.matcher.text
    if spec.options.get("cwd"):
        entry["cwd"] = spec.options["cwd"]
    if spec.env:
        entry["env"] = dict(spec.env)
    return {**entry, "timeoutSec": number(spec.timeout_s)}


def _autoagent(spec: HookSpec, form: JsonForm) -> Entry:
    action = spec.action
    entry: Entry
    if isinstance(action, GitCommit):
        entry = {"type": "git-commit", "message": action.message, "stage": action.stage}
        entry.update({"noVerify": True} if action.no_verify else {})
    elif isinstance(action, GitPush):
        entry = {"type": "git-push", "remote": action.remote, "branch": action.branch}
        entry.update({"noVerify": True} if action.no_verify else {})
    else:
        entry = {"type": "command", "command": spec.command}
        if spec.options.get("json_from", "output") != "output":
            entry["jsonFrom"] = spec.options["json_from"]
    entry["timeout"] = number(spec.timeout_s * form.unit)
    if spec.blocking is not None:
        entry["blocking"] = spec.blocking
    return {**entry, **({"name": spec.name} if spec.name else {})}


def _action(spec: HookSpec, form: JsonForm) -> Entry:
    action = spec.action
    match action:
        case Command():
            return _command(action, form)
        case Webhook():
            entry: Entry = {"type": "http", "url": action.url}
            entry.update({"headers": dict(action.headers)} if action.headers else {})
            allowed = list(action.allowed_env or ())
            return {**entry, **({"allowedEnvVars": allowed} if allowed else {})}
        case McpTool():
            entry = {"type": "mcp_tool", "server": action.server, "tool": action.tool}
            return {**entry, **({"input": dict(action.input)} if action.input else {})}
        case PromptCheck():
            entry = {"type": "agent" if action.agent else "prompt", "prompt": action.prompt}
            entry.update({"model": action.model} if action.model else {})
            carries_on = action.continue_on_block and not action.agent
            return {**entry, **({"continueOnBlock": True} if carries_on else {})}
    raise TypeError(f"no JSON for {spec.handler}")


def _command(action: Command, form: JsonForm) -> Entry:
    if action.argv:
        return {"type": "command", "command": action.argv[0], "args": list(action.argv[1:])}
    entry: Entry = {"type": "command", "command": action.line}
    if action.shell != form.shell:
        entry["shell"] = next((name for name, shell in SHELLS.items() if shell == action.shell), "bash")
    return entry


FORMS: Mapping[str, JsonForm] = {
    "claude": JsonForm(_claude, True, 1),
    "gencode": JsonForm(_gencode, True, 1000, ("bash", "-c")),
    "codex": JsonForm(_codex, True, 1, ("bash", "-c")),
    "gemini": JsonForm(_gemini, True, 1000, ("bash", "-c")),
    "cursor": JsonForm(_cursor, False, 1, version=1),
    "copilot": JsonForm(_copilot, False, 1, ("bash", "-c"), version=1),
    "autoagent": JsonForm(_autoagent, False, 1000),
}
