"""What agents' settings files say about permissions, read for the tool loop."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hookline.engine.opening import Opened
from hookline.hosts.tool_loop.permissions import Permissions
from hookline.state.trust.store import trusts_workspace
from hookline.system import files

FOLDERS = (".claude", ".mycode", ".gen")
MANAGED = ("/etc/claude-code/managed-settings.json", "/usr/share/gencode/managed-settings.json")


def read_permissions(opened: Opened, mode: str, warn: Callable[[str], None] | None = None) -> Permissions:
    """The rules of the user's, the workspace's and the machine's settings files, together.

    `deny` and `ask` count wherever they stand. `allow` in the workspace's own files counts only where
    `HOOKLINE_TRUST=workspace` is set: a project cannot give itself permissions. `warn` hears of files that
    cannot be read, whose rules are lost.
    """

    found: dict[str, list[str]] = {"allow": [], "ask": [], "deny": []}
    trusted = trusts_workspace(opened.engine.environment)
    for path in _sources(opened):
        own = path.startswith(os.path.join(opened.workspace, ""))
        rules = _permissions_in(path, warn)
        for key in found:
            if key != "allow" or trusted or not own:
                found[key] += [text for text in rules.get(key) or () if isinstance(text, str)]
    return Permissions.from_settings(found, mode)


def rules_in_files(opened: Opened) -> Iterator[tuple[str, str, str]]:
    """Every rule that denies or asks: the file as people know it, `deny` or `ask`, and its text."""
    for path in _sources(opened):
        rules = _permissions_in(path, None)
        start = os.path.join(opened.workspace, "")
        for verdict in ("deny", "ask"):
            for text in rules.get(verdict) or ():
                if isinstance(text, str):
                    yield path.removeprefix(start), verdict, text


def _sources(opened: Opened) -> Iterator[str]:
    home = opened.engine.environment.get("HOME") or files.home()
    for folder in FOLDERS:
        yield os.path.join(home, folder, "settings.json")
    for name in ("settings.json", "settings.local.json"):
        for folder in FOLDERS:
            yield os.path.join(opened.workspace, folder, name)
    yield from MANAGED


def _permissions_in(path: str, warn: Callable[[str], None] | None) -> Mapping[str, Any]:

    found = files.read_text(path)
    if found.state in ("missing", "empty"):
        return {}
    try:
        content = json.loads(found.text)
    except ValueError as error:
        if warn is not None:
            warn(f"{path}: its permission rules do not count: {found.reason or f'not JSON: {error}'}")
        return {}
    rules = content.get("permissions") if isinstance(content, dict) else None
    return rules if isinstance(rules, dict) else {}
