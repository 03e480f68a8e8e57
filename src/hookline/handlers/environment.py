"""The environment a hook's process starts with."""

from __future__ import annotations

import time

from hookline.handlers.base import Around
from hookline.model.hooks import HandlerInput, HookSpec
from hookline.model.typing import Mapping
from hookline.system.repository.git_location import LOCATION

# GIT_CONFIG_COUNT stays: it names no repository, and containers declare their `safe.directory` by it.
GIT_LOCATION = LOCATION - {"GIT_CONFIG_COUNT"}

# A shell sources these files before the hook's first word, so they could silence a guard or print into
# its answer.
SHELL_START = frozenset({"BASH_ENV", "ENV"})
NOT_INHERITED = SHELL_START | GIT_LOCATION

# All that a hook sees of the outside under HOOKLINE_ENV=clean, with LC_* and XDG_* and what is declared.
SAFE = frozenset(
    {
        "COLORTERM", "COLUMNS", "HOME", "HOSTNAME", "LANG", "LANGUAGE", "LINES", "LOGNAME", "NO_COLOR",
        "PATH", "PWD", "SHELL", "SYSTEMROOT", "TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER",
        "HOOKLINE_DEPTH", "HOOKLINE_ENV", "HOOKLINE_RUN_ID",
    }
)  # fmt: skip
SAFE_PREFIXES = ("LC_", "XDG_")

DEPTH = "HOOKLINE_DEPTH"


def child_environment(
    spec: HookSpec, given: HandlerInput, around: Around, files: Mapping[str, str]
) -> dict[str, str]:
    """The complete environment of one hook; `files` maps the variables that name value files.

    From weakest to strongest: what we were started with (narrowed when asked for), our own variables, the
    dialect's, the hook's own. What nobody declares and only git or a shell set is left out.
    """
    env = _narrowed(around.env, spec, given) if is_clean(spec, around) else dict(around.env)
    for name in (SHELL_START if given.keep_git_env else NOT_INHERITED).intersection(env):
        if not _is_declared(name, spec, given):
            del env[name]
    for name in given.unset:  # the stale value of an outer hook
        env.pop(name, None)
    env.setdefault("PYTHONUTF8", "1")
    env.update(_ours(spec, around))
    env.update(given.env)
    env.update(spec.env)
    env.update(files)
    return env


def next_depth(env: Mapping[str, str]) -> str:
    """How many hooks deep a child of ours is, counted from 1, so that hooks within hooks can be ended."""
    depth = env.get(DEPTH, "")
    return str(int(depth[:9]) + 1 if depth.isascii() and depth.isdigit() else 1)


def is_clean(spec: HookSpec, around: Around) -> bool:
    """Whether the hook sees only a safe part of the environment: its own setting, else HOOKLINE_ENV."""
    wanted = spec.means.env or around.env.get("HOOKLINE_ENV", "")
    return bool(wanted == "clean")


def _is_declared(name: str, spec: HookSpec, given: HandlerInput) -> bool:
    return name in spec.env or name in given.env or name in spec.means.pass_env


def _narrowed(env: Mapping[str, str], spec: HookSpec, given: HandlerInput) -> dict[str, str]:
    return {
        name: value
        for name, value in env.items()
        if name in SAFE or name.startswith(SAFE_PREFIXES) or _is_declared(name, spec, given)
    }


def _ours(spec: HookSpec, around: Around) -> dict[str, str]:
    ours = {DEPTH: next_depth(around.env), "HOOKLINE_HOOK_ID": spec.id}
    if around.timeout_s is not None:
        ours["HOOKLINE_DEADLINE"] = str(int((time.time() + around.timeout_s) * 1000))
    return ours
