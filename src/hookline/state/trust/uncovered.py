"""Programs that run what a workspace says without being told a file: what no fingerprint of a hook can cover."""

from __future__ import annotations

import os.path

from hookline.model.hooks import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.model.hooks import HookSpec
    from hookline.shell.reading import Word

_SCRIPTS = "the scripts and packages of the workspace (`package.json`, `node_modules`)"
_AWAY = ("HOME", "TMP", "XDG", "mktemp")
_GIT = ("commit", "merge", "rebase", "am", "push", "pull", "checkout", "switch", "cherry-pick", "worktree")
RUNNERS = {
    "make": "the workspace's `Makefile`", "gmake": "the workspace's `Makefile`",
    "just": "the workspace's `justfile`", "task": "the workspace's `Taskfile`",
    "rake": "the workspace's `Rakefile`", "bundle": "the workspace's `Gemfile` and what it names",
    "npm": _SCRIPTS, "pnpm": _SCRIPTS, "yarn": _SCRIPTS, "bun": _SCRIPTS, "bunx": _SCRIPTS, "npx": _SCRIPTS,
    "eslint": _SCRIPTS, "prettier": _SCRIPTS, "jest": _SCRIPTS, "vitest": _SCRIPTS, "tsx": _SCRIPTS,
    "pytest": "the workspace's tests and `conftest.py`", "tox": "the workspace's `tox.ini`",
    "nox": "the workspace's `noxfile.py`", "pre-commit": "the workspace's `.pre-commit-config.yaml`",
    "cargo": "the workspace's crates and build scripts", "go": "the workspace's packages",
    "gradle": "the workspace's build files", "mvn": "the workspace's `pom.xml`",
    "cmake": "the workspace's `CMakeLists.txt`", "ninja": "the workspace's `build.ninja`",
    "docker": "the workspace's `Dockerfile` or compose file", "uv": "the workspace's project and what it names",
    "poetry": "the workspace's project and what it names", "git": "the hooks of the repository",
    "python": "modules found from the workspace", "python3": "modules found from the workspace",
}  # fmt: skip
_BETWEEN = str.maketrans(dict.fromkeys("'\"`;|&<>(){}=,", " "))
_ONLY_WITH = {
    "git": _GIT, "python": ("-m",), "python3": ("-m",), "go": ("run", "test", "generate", "tool"),
    "uv": ("run",), "docker": ("build", "compose", "buildx"),
    "poetry": ("run",), "bundle": ("exec",),
}  # fmt: skip


def uncovered(spec: HookSpec) -> tuple[str, ...]:
    """What else the hook runs of the workspace, in words: `` `npm test` runs the scripts … ``."""
    action = spec.action
    if not isinstance(action, Command):
        return ()
    lines = [action.line] if action.line else []
    if action.argv:
        lines.append(_quoted(action.argv))
    if not any(map(_mentions, lines)):
        return ()
    return tuple(dict.fromkeys(words for line in lines for words in _of_line(line)))


def rewritten(spec: HookSpec, paths: Iterable[str]) -> Iterator[str]:
    """Those of the files its trust covers that the hook's own line writes: after its first run they are others."""
    action, known = spec.action, tuple(paths)
    if not known or not isinstance(action, Command):
        return
    from hookline.shell import read_commands
    from hookline.shell.effects.acts import below
    from hookline.shell.effects.commands import deeds_of

    effects = [
        each
        for deeds in deeds_of(read_commands(action.line or _quoted(action.argv)))
        for each in deeds.effects
    ]
    words = [
        below(each.cwd, each.target) for each in effects if each.name == "write" and each.target is not None
    ]
    # a folder that only the shell knows (`"$CLAUDE_PROJECT_DIR"/seen`) is taken for that of the file
    ends = [
        "".join(part for part in word.parts if isinstance(part, str)) for word in words if not _is_away(word)
    ]
    written = [os.path.normpath("/" + end.lstrip("/")) for end in ends if end]
    yield from (path for path in known if any(f"/{path}".endswith(end) for end in written))


def _is_away(word: Word) -> bool:
    """Whether a path begins with a folder that is none of the workspace's."""
    first = word.parts[0] if word.parts else ""
    return first.startswith("~") if isinstance(first, str) else any(name in first.text for name in _AWAY)


def _mentions(line: str) -> bool:
    """Whether a word of the line is one of the programs; cheap, and no answer for certain."""
    return any(os.path.basename(word) in RUNNERS for word in line.translate(_BETWEEN).split())


def _of_line(line: str) -> Iterator[str]:
    from hookline.shell import read_commands

    for command in read_commands(line).commands:
        words = [word.literal or "" for word in command.words]
        name = os.path.basename(words[0]) if words else ""
        wanted = _ONLY_WITH.get(name)
        if name in RUNNERS and (wanted is None or not set(wanted).isdisjoint(words)):
            shown = " ".join(words[:3]).strip()
            yield f"`{shown}` runs {RUNNERS[name]}"


def _quoted(argv: tuple[str, ...]) -> str:
    from shlex import join

    return join(argv)
