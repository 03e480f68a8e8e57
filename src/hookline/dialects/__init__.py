"""Read each agent's hook config and payloads; write its hook inputs and responses.

A dialect is a folder with a `DIALECT`; adding one is a folder and a row in `MODULES`. Folders are
imported only when their config exists, because start-up is paid at every tool call.
"""

from __future__ import annotations

import os

from hookline.system.files import ABSENT
from hookline.system.modules import attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.dialects.base import Dialect, Places

# Order is the order hooks are listed and combined in. `{ws}` workspace, `{home}` home, `{config}` XDG.
MODULES: dict[str, tuple[str, ...]] = {
    "discobot": ("{ws}/.discobot/hooks",),
    "iteratr": ("{ws}/.iteratr.hooks.yml",),
    "autoagent": ("{ws}/.autoagent/config.json", "{home}/.autoagent/config.json"),
    "gencode": (
        "{ws}/.gen", "{ws}/.mycode", "{ws}/.claude", "{home}/.gen", "{home}/.mycode", "{home}/.claude",
        "$GEN_CONFIG", "/usr/share/gencode",
    ),
    "cocode": ("{config}/cocode/hooks.toml", "{ws}/.cocode/hooks.toml"),
    "claude": (
        "{ws}/.claude", "{home}/.claude", "$CLAUDE_CONFIG_DIR", "/etc/claude-code",
    ),
    "gemini": ("{ws}/.gemini", "{home}/.gemini", "/etc/gemini-cli"),
    "codex": ("{ws}/.codex", "{home}/.codex", "$CODEX_HOME", "/etc/codex"),
    "cursor": ("{ws}/.cursor", "{home}/.cursor", "/etc/cursor"),
    "copilot": (
        "{ws}/.github/hooks", "{ws}/.github/copilot", "{home}/.copilot", "$COPILOT_HOME",
        "/etc/github-copilot",
    ),
    "hookline": ("{ws}/.hookline/hooks.toml", "{config}/hookline/hooks.toml", "/etc/hookline/hooks.toml"),
}  # fmt: skip
DIALECT_NAMES = tuple(MODULES)


def dialect(name: str) -> Dialect:
    """The dialect of that name. Raises KeyError for an unknown one."""
    if name not in MODULES:
        raise KeyError(name)
    found: Dialect = attribute(f"hookline.dialects.{name}", "DIALECT")
    return found


def present(places: Places) -> tuple[str, ...]:
    """Names of the dialects that have anything at all at one of their places."""
    return tuple(name for name in DIALECT_NAMES if any(map(_may_be_there, _paths(name, places))))


def _may_be_there(path: str) -> bool:
    """Also when nobody may look: whoever reads it then says so."""
    try:
        os.lstat(path)
    except (OSError, ValueError) as error:
        return getattr(error, "errno", None) not in ABSENT
    return True


def places_to_look(places: Places) -> tuple[str, ...]:
    """Every place where the config of any dialect would be, whether there is something or not."""
    return tuple(path for name in DIALECT_NAMES for path in _paths(name, places))


def _paths(name: str, places: Places) -> Iterable[str]:
    for pattern in MODULES[name]:
        if pattern.startswith("$"):
            for value in filter(None, places.variables.get(pattern[1:], "").split(":")):
                yield places.home + value[1:] if value[:2] == "~/" else value
        else:
            yield pattern.format(ws=places.workspace, home=places.home, config=places.config_home)
