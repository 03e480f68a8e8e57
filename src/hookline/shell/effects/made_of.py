"""Which programs run what lies in the project without naming it: what is built, tested, or was compiled before."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hookline.shell.programs.arguments import Arguments
from hookline.system.patterns.late import late

_JVM = r"\.(?:java|kts?|scala|groovy|class|jar)"
_SCRIPTS = r"\.[cm]?[jt]sx?|package\.json"
# By program, the files of which it takes those that lie there.
_SOURCES: dict[str, str] = {
    "make": r"makefile|\.mk", "ninja": r"\.ninja", "cmake": r"cmakelists\.txt|\.cmake", "just": "justfile",
    "task": r"taskfile\.ya?ml", "rake": r"rakefile|\.rb|\.rake", "bundle": r"\.rb|gemfile", "rails": r"\.rb",
    "rspec": r"\.rb", "ant": r"build\.xml", "mvn": rf"pom\.xml|{_JVM}", "gradle": rf"\.gradle|{_JVM}", "java": _JVM,
    "kotlin": _JVM, "scala": _JVM, "groovy": _JVM, "sbt": rf"\.sbt|{_JVM}", "mono": r"\.(?:cs|fs|vb|exe|dll)",
    "dotnet": r"\.(?:cs|fs|vb|csx|csproj|fsproj|props|targets|dll)", "cargo": r"\.rs|cargo\.toml",
    "go": r"\.go|go\.mod", "swift": r"\.swift", "zig": r"\.zig", "mix": r"\.exs?", "npm": _SCRIPTS,
    "yarn": _SCRIPTS, "pnpm": _SCRIPTS, "bun": _SCRIPTS, "deno": rf"{_SCRIPTS}|deno\.jsonc?", "jest": _SCRIPTS,
    "vitest": _SCRIPTS, "webpack": _SCRIPTS, "vite": _SCRIPTS, "gulp": _SCRIPTS, "grunt": _SCRIPTS,
    "pytest": r"\.py|pytest\.ini", "tox": r"\.py|tox\.ini", "nox": r"\.py",
    "pip": r"setup\.py|setup\.cfg|pyproject\.toml", "uv": r"\.py|pyproject\.toml", "scons": "sconstruct",
    "docker": r"compose\.ya?ml", "podman": r"compose\.ya?ml", "vagrant": "vagrantfile", "stack": r"\.hs",
    "cabal": r"\.hs",
}  # fmt: skip
# Sub-commands that run none of it.
_STILL = frozenset((
    "install", "add", "ci", "i", "fmt", "format", "clean", "--version", "version", "init", "new", "publish", "pull",
    "push", "login", "search", "list", "outdated", "audit", "info", "why", "env", "help", "ps", "logs", "images",
    "config", "view", "ls", "down", "stop",
))  # fmt: skip
_INSTALLS = frozenset(("install", "add", "ci", "i"))
_SOURCE = late(r"\.(?:c|cc|cpp|cxx|m|cs|vb|fs|rs|go|zig|nim|cr|d|hs|ml|pas|f90|swift|java|kt|s|asm)$")


def is_of_project(given: Arguments) -> bool:
    """Whether a program surely installs, builds or tests what lies in a project."""
    if not given.path or given.path[0] not in _SOURCES or given.has("-n") or given.has("--version"):
        return False
    verb = given.path[1] if len(given.path) > 1 else given.operands[0].literal if given.operands else ""
    return verb not in _STILL or verb in _INSTALLS


def is_made_of(given: Arguments, scripts: Iterable[str], files: Iterable[str]) -> bool:
    """Whether a program builds or runs what lies there, and one of these files may be a part of it; or is called
    after one, as what compilers make is.
    """
    made = {_SOURCE.sub("", name) for name in files if _SOURCE.search(name)}
    if made and any(name.removesuffix(".exe") in made for name in scripts):
        return True
    asked = _SOURCES.get(given.path[0]) if given.path else None
    verb = given.path[1] if len(given.path) > 1 else given.operands[0].literal if given.operands else ""
    installs = given.path[:1] in (("pip",), ("uv",)) and any(word.literal == "." for word in given.operands)
    if asked is None or (verb in _STILL and not installs):
        return False
    fits = re.compile(rf"(?:^|/|[\w.-])(?:{asked})$", re.IGNORECASE)
    return any(fits.search(name) for name in files)
