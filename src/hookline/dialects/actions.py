"""What an entry runs, by its rows: those whose field is `action.NAME` are read and written here.

Each `NAME` is a field of the action; a command has `line`, `args` (of the program that `line` is then), `argv` (a
program and its arguments, before which no line counts) and `shell`.
"""

from __future__ import annotations

from hookline.dialects.keys import SHELLS, Key, Keys, read_value
from hookline.dialects.reading.reader import Reader
from hookline.model.hooks import (
    Action,
    Answer,
    Command,
    GitCommit,
    GitPush,
    HookSpec,
    McpTool,
    PromptCheck,
    Webhook,
)
from hookline.model.typing import Any, Callable, Iterable, Mapping


def read_action(
    reader: Reader, keys: Keys, kind: str, shell: tuple[str, ...] = ("sh", "-c")
) -> Action | None:
    """What an entry of this kind runs; None once the reason has been reported. `shell` runs lines that name none."""
    said: dict[str, Any] = {}
    for name, key in keys.acting(kind):
        if name == "line" and said.get("argv"):
            continue
        if reader.has(key.name):
            value = read_value(reader, key)
            if value is not None:
                said.setdefault(name, value)
        elif key.required:
            reader.get(key.name, required=True)
        elif key.default is not None:
            said.setdefault(name, key.default if key.means is True else key.means[key.default])
    return None if reader.broken else _MADE[kind](said, shell)


def action_said(
    spec: HookSpec, keys: Iterable[Key], shell: tuple[str, ...] = ("sh", "-c")
) -> Mapping[str, Any]:
    """What a hook runs by the names its rows have for it; a shell that runs such lines anyway is left out."""
    action = spec.action
    if not isinstance(action, Command):
        return {name: getattr(action, name) for name in action._fields}
    if not action.argv:
        known = action.shell if action.shell in SHELLS.values() else SHELLS["bash"]
        return {"line": action.line, "shell": None if action.shell == shell else known}
    names = {key.runs for key in keys}
    if "argv" in names:
        return {"argv": action.argv}
    if "args" in names:
        return {"line": action.argv[0], "args": list(action.argv[1:])}
    from shlex import join

    return {"line": join(action.argv)}


def handler_type(spec: HookSpec) -> str:
    """What kind of hook it is, in Claude Code's words where it has one."""
    match spec.action:
        case Webhook():
            return "http"
        case McpTool():
            return "mcp_tool"
        case PromptCheck():
            return "agent" if spec.action.agent else "prompt"
        case GitCommit() | GitPush():
            return spec.handler
        case Answer():
            return spec.action.verdict
    return "command"


def _command(said: Mapping[str, Any], shell: tuple[str, ...]) -> Command:
    if said.get("argv"):
        return Command(argv=said["argv"])
    if "args" in said:
        return Command(argv=(said["line"], *said["args"]))
    return Command(said["line"], shell=said.get("shell", shell))


_MADE: Mapping[str, Callable[[dict[str, Any], tuple[str, ...]], Action]] = {
    "command": _command,
    "http": lambda said, shell: Webhook(**said),
    "mcp_tool": lambda said, shell: McpTool(**said),
    "prompt": lambda said, shell: PromptCheck(**said),
    "agent": lambda said, shell: PromptCheck(**said, agent=True, continue_on_block=True),
    "git-commit": lambda said, shell: GitCommit(**said),
    "git-push": lambda said, shell: GitPush(**said),
}
