"""Programs that run what a workspace says without being told a file: what no fingerprint of a hook can cover."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Sequence

from hookline.model.hooks import Command, HookSpec
from hookline.model.record import replace
from hookline.shell import read_commands
from hookline.shell.reading import Word, below

_SCRIPTS = "the scripts and packages of the workspace (`package.json`, `node_modules`)"
_PROJECT = "the workspace's project and what it names"
_BUILD = "the workspace's build files"
_MODULES = "modules found from the workspace"
_AWAY = ("HOME", "TMP", "XDG", "mktemp")
_GIT = ("commit", "merge", "rebase", "am", "push", "pull", "checkout", "switch", "cherry-pick", "worktree")
_RUNS = {
    "the workspace's `Makefile`": "make gmake",
    "the workspace's `justfile`": "just",
    "the workspace's `Taskfile`": "task",
    "the workspace's `Rakefile`": "rake",
    "the workspace's `Gemfile` and what it names": "bundle rspec",
    _SCRIPTS: "npm pnpm yarn bun bunx npx eslint prettier jest vitest tsx ts-node nx turbo lerna gulp grunt mocha ava "
    "playwright cypress webpack vite rollup husky lint-staged deno",
    "the workspace's tests and `conftest.py`": "pytest py.test",
    "the workspace's `tox.ini`": "tox",
    "the workspace's `noxfile.py`": "nox",
    "the workspace's `.pre-commit-config.yaml`": "pre-commit lefthook",
    "the workspace's crates and build scripts": "cargo",
    "the workspace's packages": "go",
    "the workspace's `pom.xml`": "mvn",
    "the workspace's `CMakeLists.txt`": "cmake ctest",
    "the workspace's `build.ninja`": "ninja",
    "the workspace's `Dockerfile` or compose file": "docker docker-compose podman podman-compose",
    _PROJECT: "uv uvx poetry pdm hatch pipenv rye poe invoke inv fab composer phpunit mix dotnet swift flutter dart "
    "direnv mise devbox nix terraform tofu pulumi ansible-playbook",
    _BUILD: "gradle ant sbt lein bazel buck2 pants meson scons zig stack cabal dune",
    "the hooks of the repository": "git",
    _MODULES: "python python3 perl ruby",
    "files of the workspace that it finds": "find",
}
RUNNERS = {name: words for words, names in _RUNS.items() for name in names.split()}
_BETWEEN = str.maketrans(dict.fromkeys("'\"`;|&<>(){}=,", " "))
_ONLY_WITH = {
    "git": _GIT, "python": ("-m",), "python3": ("-m",), "perl": ("-I",), "ruby": ("-I", "-r."),
    "go": ("run", "test", "generate", "tool"), "uv": ("run",), "uvx": ("--from",), "deno": ("task",),
    "docker": ("build", "compose", "buildx"), "podman": ("build", "compose"),
    "poetry": ("run",), "pdm": ("run",), "pipenv": ("run",), "rye": ("run",), "bundle": ("exec",),
    "dotnet": ("run", "test", "build"), "direnv": ("exec",), "mise": ("run", "exec", "x"),
    "nix": ("run", "build", "develop", "shell"),
}  # fmt: skip
_EXECUTES = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_STARTERS = frozenset(
    ("sh", "bash", "dash", "zsh", "ksh", "node", "perl", "python", "python3", "ruby", "env")
)
# folders from which programs load code, by the variable that names them
_LOADED_FROM = frozenset((
    "PYTHONPATH", "PYTHONHOME", "NODE_PATH", "PERL5LIB", "RUBYLIB", "LUA_PATH", "LUA_CPATH", "CLASSPATH",
    "LD_LIBRARY_PATH", "GIT_EXEC_PATH",
))  # fmt: skip


def uncovered(spec: HookSpec) -> tuple[str, ...]:
    """What else the hook runs of the workspace, in words: `` `npm test` runs the scripts … ``."""
    action = spec.action
    if not isinstance(action, Command):
        return ()
    lines = [action.line] if action.line else []
    if action.argv:
        lines.append(_quoted(action.argv))
    lines += [f"{name}={_quoted((value,))} :" for name, value in spec.env.items() if name in _LOADED_FROM]
    if not any(map(_mentions, lines)):
        return ()
    return tuple(dict.fromkeys(words for line in lines for words in _of_line(line)))


def rewritten(spec: HookSpec, paths: Iterable[str]) -> Iterator[str]:
    """Those of the files its trust covers that the hook's own line writes: after its first run they are others."""
    action, known = spec.action, tuple(paths)
    if not known or not isinstance(action, Command):
        return
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
    words = map(os.path.basename, line.translate(_BETWEEN).split())
    return any(word in RUNNERS or word in _LOADED_FROM for word in words)


def _of_line(line: str) -> Iterator[str]:
    for command in read_commands(line).commands:
        words = [word.literal or "" for word in command.words]
        name = os.path.basename(words[0]) if words else ""
        if name in RUNNERS and _is_meant(name, words[1:]):
            shown = " ".join(words[:3]).strip()
            yield f"`{shown}` runs {RUNNERS[name]}"
        set_here = [*command.assignments, *filter(None, map(_assigned, command.words))]
        for variable, value in set_here:
            if variable in _LOADED_FROM and _is_near(variable, value):
                yield f"`{variable}={value.prefix or value.holes[0].text}` loads code of the workspace"


def _is_meant(name: str, words: Sequence[str]) -> bool:
    """Whether the program runs what the workspace says when called so; `-m` may stand in `-Im`, `-I` in `-I.`."""
    if name == "find":  # `-exec {} \;`, `-exec sh {} \;`; another program only looks into them
        starts = [words[at + 1 : at + 3] for at, word in enumerate(words) if word in _EXECUTES]
        return any(each[:1] == ["{}"] or (each[1:] == ["{}"] and each[0] in _STARTERS) for each in starts)
    wanted = _ONLY_WITH.get(name)
    if wanted is None:
        return True
    clusters = tuple(each for each in wanted if each.startswith("-") and not each.startswith("--"))
    return any(
        word in wanted
        or word.startswith(clusters)
        or ("-m" in clusters and word.startswith("-") and word.endswith("m") and word[1:].isalpha())
        for word in words
    )


def _assigned(word: Word) -> tuple[str, Word] | None:
    """What `export` or `env` is told to set, by a word `NAME=value`."""
    name, equals, first = word.prefix.partition("=")
    return (name, replace(word, parts=(first, *word.parts[1:]))) if equals else None


def _is_near(variable: str, value: Word) -> bool:
    """Whether one of the folders may be of the workspace: it is relative, or begins with a folder not known."""
    unknown = {f"${variable}", f"${{{variable}}}"}
    text = "".join(
        part
        if isinstance(part, str)
        else "/"
        if part.text in unknown or _is_away(replace(value, parts=(part,)))
        else "."
        for part in value.parts
    )
    return any(folder and not folder.startswith("/") for folder in text.split(":"))


def _quoted(argv: tuple[str, ...]) -> str:
    from shlex import join

    return join(argv)
