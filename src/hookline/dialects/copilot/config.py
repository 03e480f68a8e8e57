"""What Copilot's files say that no column can: how lines are spelled, what may be posted to, and its switch."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, Source
from hookline.dialects.bridged.rules import Sharing
from hookline.dialects.copilot.rules import EVENTS_LIKE_CLAUDE
from hookline.dialects.matching.matchers import CLAUDE_EXACT, Compiled, names_or_regex, regex
from hookline.dialects.reading.json_hooks import Entry, tell_apart
from hookline.dialects.reading.nodes import Node
from hookline.dialects.reading.reader import Reader
from hookline.model.hooks import Action, Command, Unusable, Webhook, switched_off
from hookline.model.typing import Sequence

_LOCAL = tuple(f"http://{host}{end}" for host in ("localhost", "127.0.0.1", "[::1]") for end in ":/?")
_RUN = ("bash", "command", "powershell", "exec", "url", "prompt")
_LINES = ("bash", "command", "powershell", "linux", "osx", "windows")
HTTPS_ONLY = frozenset({"preToolUse", "PreToolUse", "permissionRequest", "PermissionRequest"})


def is_settings(source: Source) -> bool:
    """A settings file has hooks beside other things, and needs no version."""
    folder, name = os.path.split(source.path)
    return name in ("settings.json", "settings.local.json") and os.path.basename(folder) != "hooks"


def combine(given: Sequence[Loaded]) -> list[Loaded]:
    """In a settings file the switch is for all hooks, in a hooks file for that file's own."""
    off = [entry for entry in given if entry.settings.get("disableAllHooks")]
    everywhere = any(is_settings(entry.source) for entry in off)

    def placed(entry: Loaded) -> Loaded:
        if entry.source.scope == "managed" or not (everywhere or entry in off):
            return entry
        return entry.changed(lambda spec: switched_off(spec, "`disableAllHooks` is set"))

    return [placed(entry) for entry in given]


def tell_lost_lists(root: Reader, other: Sharing) -> None:
    """Tells of lists that are one event to another agent, which runs what is in the last of them alone."""
    node = root.get("hooks")
    names: dict[str, list[str]] = {}
    for native, listed in node.members.items() if node is not None else ():
        if listed.items and (called := other.called(native)):
            names.setdefault(called, []).append(native)
    for called, (*lost, last) in names.items():
        lines = [_lines_in(node.members[each]) for each in (*lost, last)] if node is not None else []
        if node is None or not lines[-1] or not any(each - lines[-1] for each in lines):
            continue
        told = " and ".join(f"`{each}`" for each in (*lost, last))
        words = f"{told} are one event to {other.title}, which runs the hooks of `{last}` alone"
        hint = f"for both, write all of them under `{called}`"
        root.reader(node).report_key(lost[0], "one-agent", words, hint, severity="notice")


def _lines_in(node: Node) -> set[str]:
    return {str(each.value) for each in node.walk() if each.key in _LINES and each.kind == "string"}


def compiled(native: str, text: str | None) -> Compiled:
    """The whole value by a pattern; where the event is Claude Code's, by its rules."""
    return names_or_regex(text, CLAUDE_EXACT) if native in EVENTS_LIKE_CLAUDE else regex(text, anchored=True)


def action_of(entry: Entry) -> tuple[Action | None, str]:
    """What an entry runs, None once the reason has been reported; and why another agent alone runs it."""
    reader, alone = entry.reader, entry.apart
    lines = [key for key in entry.other.lines if reader.has(key)]
    if lines and not any(map(reader.has, _RUN)):
        line = reader.string(lines[0], blank=False)
        action: Action | None = Command(line, shell=("bash", "-c")) if line else None
        alone = (
            alone
            or f"`bash` is missing, so GitHub Copilot runs nothing of it; {entry.other.title} runs its `{lines[0]}`"
        )
        hint = f'for both, write `"bash": "…"` beside `{lines[0]}`'
        if not entry.apart and action is not None:
            tell_apart(entry, reader.node, alone, hint)
    else:
        action = _action(reader, entry.native)
    if action is None or not alone:
        return action, ""
    return (action, alone) if entry.theirs else (Unusable(alone), "")


def _action(reader: Reader, native: str) -> Action | None:
    kind = reader.choice("type", ("command", "http", "prompt")) or (
        "http" if reader.has("url") else "command"
    )
    if reader.broken:
        return None
    if kind == "http":
        return _webhook(reader, native)
    if kind == "prompt":
        reader.report(
            reader.node, "wrong-handler", "prompts are typed into Copilot's own session; not run here"
        )
        return None
    program = reader.string("exec")
    if program:
        return Command(argv=(program, *(reader.string_list("args") or ())))
    for key in ("bash", "command"):
        if line := reader.string(key, blank=False):
            return Command(line, shell=("bash", "-c"))
    if reader.has("powershell"):
        line = reader.string("powershell", blank=False)
        return Command(line, shell=("pwsh", "-NoProfile", "-Command")) if line else None
    if not reader.broken:
        reader.report(reader.node, "missing-key", "`bash` is missing", 'write `"bash": "…"`')
    return None


def _webhook(reader: Reader, native: str) -> Action | None:
    url = reader.string("url", required=True, blank=False, wanted="a URL")
    headers = reader.string_map("headers") or {}
    allowed = reader.string_list("allowedEnvVars") or ()
    if url is None:
        return None
    if not url.startswith("https://") and (native in HTTPS_ONLY or not f"{url}/".startswith(_LOCAL)):
        wanted = "https://" if native in HTTPS_ONLY else "https://, or http:// to this machine"
        reader.report(reader.members["url"], "bad-value", f"expected {wanted}, found `{url}`")
        return None
    return Webhook(url, "POST", headers, allowed)
