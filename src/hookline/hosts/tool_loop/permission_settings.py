"""What agents' settings files say about permissions, read for the tool loop."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from hookline.dialects.spelling import nearest
from hookline.engine.opening import Opened
from hookline.hosts.tool_loop.permissions import Permissions
from hookline.model.errors import Warn, unheard
from hookline.state.trust.store import trusts_workspace
from hookline.system import files

FOLDERS = (".claude", ".mycode", ".gen")
MANAGED = ("/etc/claude-code/managed-settings.json", "/usr/share/gencode/managed-settings.json")
KEYS = ("allow", "ask", "deny")
OTHER_KEYS = ("additionalDirectories", "defaultMode", "disableBypassPermissionsMode")


def read_permissions(opened: Opened, mode: str, warn: Warn = unheard) -> Permissions:
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
                found[key] += rules.get(key, ())
    return Permissions.from_settings(found, mode)


def rules_in_files(opened: Opened) -> Iterator[tuple[str, str, str]]:
    """Every rule that denies or asks: the file as people know it, `deny` or `ask`, and its text."""
    for path in _sources(opened):
        rules = _permissions_in(path, unheard)
        start = os.path.join(opened.workspace, "")
        for verdict in ("deny", "ask"):
            for text in rules.get(verdict, ()):
                yield path.removeprefix(start), verdict, text


def _sources(opened: Opened) -> Iterator[str]:
    home = files.home(opened.engine.environment)
    for folder in FOLDERS:
        yield os.path.join(home, folder, "settings.json")
    for name in ("settings.json", "settings.local.json"):
        for folder in FOLDERS:
            yield os.path.join(opened.workspace, folder, name)
    yield from MANAGED


def _permissions_in(path: str, warn: Warn) -> Mapping[str, list[str]]:
    found = files.read_text(path)
    if found.state in ("missing", "empty"):
        return {}
    try:
        content = json.loads(found.text)
    except (ValueError, RecursionError) as error:
        warn(f"{path}: its permission rules do not count: {found.reason or f'not JSON: {error}'}")
        return {}
    if not isinstance(content, dict):
        _tell(warn, path, f"expected an object, found {type(content).__name__}")
        return {}
    rules = content.get("permissions", {})
    if not isinstance(rules, dict):
        _tell(warn, path, f"`permissions`: expected an object, found {rules!r}")
        return {}
    for key in rules:
        meant = None if key in KEYS or key in OTHER_KEYS else nearest(key, KEYS)
        if meant is not None:
            _tell(warn, path, f"`permissions.{key}` means nothing here: did you mean `{meant}`?")
    return {key: _texts(rules[key], f"permissions.{key}", path, warn) for key in KEYS if key in rules}


def _texts(given: object, where: str, path: str, warn: Warn) -> list[str]:
    """The rules of a list; what is none is told, since a rule that is lost may have been a denial."""
    if not isinstance(given, list):
        _tell(warn, path, f"`{where}`: expected a list of rules, found {given!r}")
        return []
    for number, rule in enumerate(given):
        if not isinstance(rule, str):
            _tell(warn, path, f"`{where}[{number}]`: expected a rule as text, found {rule!r}")
    return [rule for rule in given if isinstance(rule, str)]


def _tell(warn: Warn, path: str, fault: str) -> None:
    warn(f"{path}: these permission rules do not count: {fault}")
