"""Read each agent's hook config and payloads; write its hook inputs and responses.

A dialect is a module with a `DIALECT`: a folder, or for agents that copied Claude Code one file of data in
`family`, whose `DIALECT` is an `Agent`. Adding one is that and a row in `REGISTRY`, or a package of its own with an
entry point in the group `hookline.dialects`. Modules are imported only when their config exists: start-up is paid at
every tool call.
"""

from __future__ import annotations

import os

from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Iterable, Iterator
from hookline.system.files import ABSENT
from hookline.system.modules import attribute, entry_points

if TYPE_CHECKING:
    from hookline.dialects.base import Dialect, Places
    from hookline.dialects.bridged import AgentDialect

GROUP = "hookline.dialects"
OWN = "hookline"  # the dialect of our own file, in which any other can be said
# An entry of ours, in group `start` what starts hookline (the program, the small client, or a Python with
# `-m hookline`), and nothing beside it: what an agent's file adds to such a line runs unseen behind our name.
_WORD = r"""(?:[\w.@%+,:/-]+|'[^']*'|"(?:\$\w+|\$\{\w+\}|[^"$`\\])*")"""
_PROGRAM = (
    r"""(?:(?:(?:~|\$HOME)?/(?:[\w.@%+,:-]+/)*)?{0}|"(?:(?:\$HOME)?/(?:[^"$`\\/]+/)*)?{0}\""""
    r"""|'(?:/(?:(?:[^'/]|'"'"')+/)*)?{0}')"""
)
_MUTED = r"(?:[ \t]*(?:[12&]?>>?[ \t]*/dev/null|[12]?>&[12]|(?:\|\||;)[ \t]*(?:true|:|exit[ \t]+[0-9])|&))"
OWN_ENTRY = (
    r"""\s*(?:exec[ \t]+)?(?P<start>(?:uvx[ \t]+|pipx[ \t]+run[ \t]+)?"""
    rf"""(?:{_PROGRAM.format(r"python[0-9.]*")}(?:[ \t]+-[IPEsSBu]+)*[ \t]+-m[ \t]+hookline(?=[ \t]+bridge[ \t])"""
    rf"""|{_PROGRAM.format("hookline")}(?=[ \t]+bridge[ \t])|{_PROGRAM.format("hookline-bridge")}))"""
    r"""[ \t]+(?:bridge[ \t]+)?(?P<agent>[a-z][a-z0-9-]*)[ \t]+--event[ =](?P<event>[\w.:-]+)"""
    rf"""(?:[ \t]+--(?:workspace|waited)[ =]{_WORD})*{_MUTED}*"""
    r"""(?:[ \t]+#(?:[ \t]*hookline(?:[ \t]+made:(?P<made>[a-z]+))?[ \t]*$|[^\r\n]*))?\s*\Z"""
)
FAMILY = "hookline.dialects.family"
PLUGIN_HOSTS = f"{FAMILY}.plugin_hosts"


class Row(Record):
    """What is known of a dialect before its module is read.

    `places`: where its config is; `{ws}` workspace, `{home}` home, `{config}` XDG, `$NAME` a variable.
    `agent`: it can call us as its hook. `room`: where its module is when that is not a folder of its name, or in which
    module it stands under its name (`:PI`).
    `lender`: the agent whose files it reads beside its own. `git`: git calls us in its name at a commit.
    """

    places: tuple[str, ...]
    agent: bool = False
    lender: str = ""
    git: bool = False
    room: str = "hookline.dialects"


# Order is the order hooks are listed and combined in.
REGISTRY: dict[str, Row] = {
    "discobot": Row(("{ws}/.discobot/hooks",), git=True),
    "iteratr": Row(("{ws}/.iteratr.hooks.yml",)),
    "autoagent": Row(("{ws}/.autoagent/config.json", "{home}/.autoagent/config.json")),
    "gencode": Row((
        "{ws}/.gen", "{ws}/.mycode", "{ws}/.claude", "{home}/.gen", "{home}/.mycode", "{home}/.claude",
        "$GEN_CONFIG", "/usr/share/gencode", "/Library/Application Support/GenCode",
    ), lender="claude"),
    "cocode": Row(("{config}/cocode/hooks.toml", "{ws}/.cocode/hooks.toml")),
    "claude": Row(("{ws}/.claude", "{home}/.claude", "$CLAUDE_CONFIG_DIR", "/etc/claude-code"), agent=True),
    "gemini": Row(("{ws}/.gemini", "{home}/.gemini", "/etc/gemini-cli"), agent=True),
    "codex": Row(("{ws}/.codex", "{home}/.codex", "$CODEX_HOME", "/etc/codex"), agent=True),
    "cursor": Row(("{ws}/.cursor", "{home}/.cursor", "/etc/cursor"), agent=True),
    "copilot": Row(
        ("{ws}/.github/hooks", "{ws}/.github/copilot", "{home}/.copilot", "$COPILOT_HOME", "/etc/github-copilot"),
        agent=True,
    ),
    "qwen": Row(("{ws}/.qwen", "{home}/.qwen", "/etc/qwen-code"), agent=True, room=FAMILY),
    "openhands": Row(("{ws}/.openhands", "{home}/.openhands"), agent=True, room=FAMILY),
    "goose": Row(("{ws}/.agents/plugins", "{home}/.agents/plugins"), agent=True, room=FAMILY),
    "deepagents": Row(("{ws}/.deepagents", "{home}/.deepagents"), agent=True, room=FAMILY),
    "crush": Row(("{ws}/crush.json", "{ws}/.crush.json", "{config}/crush"), agent=True, room=FAMILY),
    "droid": Row(("{ws}/.factory", "{home}/.factory"), agent=True, room=FAMILY),
    "qoder": Row(("{ws}/.qoder", "{home}/.qoder"), agent=True, room=FAMILY),
    "augment": Row(("{ws}/.augment", "{home}/.augment", "/etc/augment"), agent=True, room=FAMILY),
    "grok": Row(("{ws}/.grok/hooks", "{home}/.grok/hooks"), agent=True, room=FAMILY),
    "devin": Row(("{ws}/.devin", "{config}/devin"), agent=True, room=FAMILY),
    "vscode": Row(("{ws}/.github/hooks/hookline-vscode.json",), agent=True, room=FAMILY),
    "abacus": Row(("{ws}/.abacusai", "{home}/.abacusai"), agent=True, room=FAMILY),
    "cortex": Row(("{ws}/.cortex", "{ws}/.snowflake/cortex", "{home}/.snowflake/cortex"), agent=True, room=FAMILY),
    "reasonix": Row(("{ws}/.reasonix", "{home}/.reasonix"), agent=True, room=FAMILY),
    "tabnine": Row(("{ws}/.tabnine/agent", "{home}/.tabnine/agent"), agent=True, room=FAMILY),
    "opencode": Row(
        ("{ws}/.opencode/plugin", "{ws}/.opencode/plugins", "{config}/opencode/plugin", "{config}/opencode/plugins",
         "{home}/.opencode/plugin", "{home}/.opencode/plugins"),
        agent=True, room=f"{PLUGIN_HOSTS}:OPENCODE",
    ),
    "kilo": Row(
        ("{ws}/.kilo/plugin", "{ws}/.kilo/plugins", "{config}/kilo/plugin", "{config}/kilo/plugins"),
        agent=True, room=f"{PLUGIN_HOSTS}:KILO",
    ),
    "pi": Row(("{ws}/.pi/extensions", "{home}/.pi/agent/extensions"), agent=True, room=f"{PLUGIN_HOSTS}:PI"),
    "omp": Row(("{ws}/.omp/extensions", "{home}/.omp/agent/extensions"), agent=True, room=f"{PLUGIN_HOSTS}:OMP"),
    "amp": Row(("{ws}/.amp/plugins", "{config}/amp/plugins"), agent=True, room=FAMILY),
    "kimi": Row(("{home}/.kimi-code/config.toml",), agent=True, room=FAMILY),
    "hermes": Row(("{home}/.hermes/config.yaml", "$HERMES_HOME"), agent=True, room=FAMILY),
    "vibe": Row(("{ws}/.vibe/hooks.toml", "{home}/.vibe/hooks.toml"), agent=True, room=FAMILY),
    "junie": Row(("{home}/.junie/config.json",), agent=True, room=FAMILY),
    "kiro": Row(
        ("{ws}/.kiro/hooks", "{home}/.kiro/hooks", "{ws}/.kiro/agents", "{home}/.kiro/agents",
         "{ws}/.amazonq/cli-agents", "{home}/.aws/amazonq/cli-agents"),
        agent=True, room=FAMILY,
    ),
    "cline": Row(
        ("{ws}/.clinerules/hooks", "{ws}/.cline/hooks", "{home}/Documents/Cline/Hooks", "{home}/.cline/hooks"),
        agent=True, room=FAMILY,
    ),
    "windsurf": Row(
        ("{ws}/.windsurf/hooks.json", "{home}/.codeium/windsurf/hooks.json", "/etc/windsurf/hooks.json"),
        agent=True, room=FAMILY,
    ),
    "antigravity": Row(
        ("{ws}/.agents/hooks.json", "{home}/.gemini/config/hooks.json"), agent=True, room=FAMILY,
    ),
    "hookline": Row(
        ("{ws}/.hookline/hooks.toml", "{config}/hookline/hooks.toml", "/etc/hookline/hooks.toml")
    ),
}  # fmt: skip
_added: dict[str, str] | None = None  # dialects of other packages: `module:attribute` by name
_loaded: dict[str, tuple[Row | None, Dialect]] = {}  # every rule of every event asks for its dialect


def names() -> tuple[str, ...]:
    """Every dialect there is, in the order hooks are listed and combined in; ours last."""
    added = _others()
    ours = tuple(REGISTRY)
    return (*ours[:-1], *added, ours[-1]) if added else ours


def agent_names() -> tuple[str, ...]:
    """The dialects of agents that can call us as their hook."""
    return tuple(name for name in names() if name not in REGISTRY or REGISTRY[name].agent)


def is_known(name: str) -> bool:
    """Whether there is a dialect of that name; other packages are asked only when it is none of ours."""
    return name in REGISTRY or name in _others()


def is_agent(name: str) -> bool:
    """Whether it is an agent that can call us as its hook."""
    return REGISTRY[name].agent if name in REGISTRY else name in _others()


def git_names() -> tuple[str, ...]:
    """The dialects in whose name git calls us at a commit."""
    return tuple(name for name, row in REGISTRY.items() if row.git)


def lender_of(name: str) -> str:
    """The dialect whose files this one reads beside its own; empty where there is none."""
    return REGISTRY[name].lender if name in REGISTRY else ""


def dialect(name: str) -> Dialect:
    """The dialect of that name. Raises KeyError for an unknown one."""
    row = REGISTRY.get(name)
    kept = _loaded.get(name)
    if kept is not None and kept[0] is row:
        return kept[1]
    where = _others()[name] if row is None else row.room if ":" in row.room else f"{row.room}.{name}"
    module, _, value = where.partition(":")
    given = attribute(module, value or "DIALECT")
    is_whole = isinstance(given, attribute("hookline.dialects.base", "Dialect"))
    found: Dialect = given if is_whole else attribute(FAMILY, "FamilyDialect")(given)
    _loaded[name] = (row, found)
    return found


def agent_dialect(name: str) -> AgentDialect:
    """The dialect of one of `agent_names`."""
    found: AgentDialect = dialect(name)  # type: ignore[assignment]  # those are of that class
    return found


def readable(wanted: Iterable[str], profiles: bool = False) -> Iterator[Dialect]:
    """Those dialects (`profiles`: and their profiles) whose own code can be read.

    What is wrong with another one is told where its config is read, and takes no command from the rest.
    """
    for name in wanted:
        try:
            found = dialect(name)
            if profiles:
                found.profile  # noqa: B018
        except Exception:
            continue
        yield found


def present(places: Places) -> tuple[str, ...]:
    """Names of the dialects that have anything at all at one of their places."""
    return tuple(name for name in names() if any(map(_may_be_there, places_of(name, places))))


def places_to_look(places: Places) -> tuple[str, ...]:
    """Every place where the config of any dialect would be, whether there is something or not."""
    return tuple(path for name in names() for path in places_of(name, places))


def places_of(name: str, places: Places) -> Iterable[str]:
    """Every place where the config of a dialect would be; told without loading it."""
    for pattern in REGISTRY[name].places if name in REGISTRY else dialect(name).places:
        if pattern.startswith("$"):
            for value in filter(None, places.variables.get(pattern[1:], "").split(":")):
                yield places.home + value[1:] if value[:2] == "~/" else value
        else:
            yield pattern.format(ws=places.workspace, home=places.home, config=places.config_home)


def _others() -> dict[str, str]:
    """Dialects of installed packages, looked up once; a name of ours stays ours."""
    global _added
    if _added is None:
        _added = {name: where for name, where in entry_points(GROUP).items() if name not in REGISTRY}
    return _added


def _may_be_there(path: str) -> bool:
    """Also when nobody may look, or a link leads its folder to nothing: whoever reads it then says so."""
    try:
        os.lstat(path)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) not in ABSENT:
            return True
        folder = os.path.dirname(path)
        return os.path.islink(folder) and not os.path.exists(folder)
    return True
