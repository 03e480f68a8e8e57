"""A first `.hookline/hooks.toml` for a repository: guards everybody wants, and hooks for the tools found in it."""

from __future__ import annotations

import os.path
import tomllib
from collections.abc import Iterator, Mapping

from hookline.model.record import Record, replace
from hookline.model.short_json import json_or
from hookline.system import files
from hookline.system.modules import text_beside

FILE = ".hookline/hooks.toml"

_FOUND = f"\n# -- tools found in this repository {'-' * 75}\n"
_NOTHING = """
# No formatter, linter or test runner was recognised. A hook that runs one looks like this:
#
# [[hooks]]
# name = "format"
# event = "PostToolUse"
# write = "*.py"
# run = 'ruff format -- "$HOOK_FILE"'
# timeout = "30s"
"""


class Tool(Record):
    """A hook for a tool: on each written file (`write`), or at the end of a turn without it.

    `line` is a shell line; `$HOOK_FILE` is the file. `found`: signs of the tool, of which one is enough: a file, or
    what a file of the project says (`_signs`); of several words all must be there. `checks`: its failure goes back to
    the agent.
    """

    name: str
    why: str
    line: str
    found: tuple[str, ...]
    write: tuple[str, ...] = ()
    checks: bool = False
    timeout: str = "30s"


_RUFF = ("tool:ruff", "ruff.toml", ".ruff.toml")
_PYTEST = ("tool:pytest", "pytest.ini", "conftest.py", "tests/conftest.py")
_SCRIPTS = ("*.js", "*.jsx", "*.ts", "*.tsx")
_TOOLS = (
    Tool("ruff format", "ruff is configured", 'ruff format -- "$HOOK_FILE"', _RUFF, ("*.py",)),
    Tool("ruff check", "ruff is configured", 'ruff check -- "$HOOK_FILE"', _RUFF, ("*.py",), True),
    Tool("black", "black is configured", 'black -q -- "$HOOK_FILE"', ("tool:black",), ("*.py",)),
    Tool("mypy", "mypy is configured", "mypy", ("tool:mypy", "mypy.ini"), (), True, "5m"),
    Tool("pytest", "pytest is configured", "python -m pytest -q -x", _PYTEST, (), True, "10m"),
    Tool(
        "prettier", "prettier is a dependency", 'npx --no-install prettier --write --ignore-unknown -- "$HOOK_FILE"',
        ("needs:prettier",), (*_SCRIPTS, "*.css", "*.json", "*.md"),
    ),
    Tool(
        "eslint", "eslint is a dependency", 'npx --no-install eslint -- "$HOOK_FILE"', ("needs:eslint",),
        _SCRIPTS, True,
    ),
    Tool(
        "tsc", "there is a tsconfig.json", "npx --no-install tsc --noEmit", ("needs:typescript tsconfig.json",),
        (), True, "5m",
    ),
    Tool("npm test", "package.json has a test script", "{runner} test", ("script:test",), (), True, "10m"),
    Tool("gofmt", "there is a go.mod", 'gofmt -w "$HOOK_FILE"', ("go.mod",), ("*.go",)),
    Tool("go vet", "there is a go.mod", "go vet ./...", ("go.mod",), (), True, "5m"),
    Tool("go test", "there is a go.mod", "go test ./...", ("go.mod",), (), True, "10m"),
    Tool("rustfmt", "there is a Cargo.toml", 'rustfmt -- "$HOOK_FILE"', ("Cargo.toml",), ("*.rs",)),
    Tool("cargo clippy", "there is a Cargo.toml", "cargo clippy -q -- -D warnings", ("Cargo.toml",), (), True, "10m"),
    Tool("cargo test", "there is a Cargo.toml", "cargo test -q", ("Cargo.toml",), (), True, "10m"),
    *(
        Tool(f"make {name}", f"the Makefile has a target {name}", f"make {name}", (f"make:{name}",), (), True, "10m")
        for name in ("lint", "test", "check")
    ),
)  # fmt: skip
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun run"}


def first_hooks(workspace: str) -> tuple[str, tuple[Tool, ...]]:
    """The text of a first file, and the tools it uses."""
    tools = tuple(_tools(workspace))
    body = _FOUND + "".join(_hook(tool) for tool in tools) if tools else _NOTHING
    return text_beside(__name__, "first_hooks.toml") + body, tools


def _hook(tool: Tool) -> str:
    line = f"{tool.line} >&2 || exit 2" if tool.checks else tool.line
    event = "PostToolUse" if tool.write else "Stop"
    rows = [f"# {tool.why}", "[[hooks]]", f'name = "{tool.name}"', f'event = "{event}"']
    if tool.write:
        rows.append("write = [" + ", ".join(f'"{glob}"' for glob in tool.write) + "]")
    rows += [f"run = '{line}'", f'timeout = "{tool.timeout}"']
    if not tool.write:
        rows.append('on_failure = "allow"  # a missing tool never keeps the agent from stopping')
    return "\n" + "\n".join(rows) + "\n"


def _tools(workspace: str) -> Iterator[Tool]:
    signs = frozenset(_signs(workspace))

    def is_there(sign: str) -> bool:
        return sign in signs if ":" in sign else os.path.exists(os.path.join(workspace, sign))

    for tool in _TOOLS:
        # where both are configured, ruff formats
        replaced = tool.name == "black" and any(map(is_there, _RUFF))
        if not replaced and any(all(map(is_there, each.split())) for each in tool.found):
            yield replace(tool, line=tool.line.replace("{runner}", _runner(workspace)))


def _signs(workspace: str) -> Iterator[str]:
    """What files of the project say: tools of Python, dependencies and scripts of Node, targets of make."""
    yield from (f"tool:{name}" for name in _table(_toml(os.path.join(workspace, "pyproject.toml")), "tool"))
    package = _package(workspace)
    needed = (*_table(package, "dependencies"), *_table(package, "devDependencies"))
    yield from (f"needs:{name}" for name in needed)
    scripts = _table(package, "scripts").items()
    yield from (f"script:{name}" for name, line in scripts if "no test specified" not in str(line))
    for line in files.read_text(os.path.join(workspace, "Makefile")).text.splitlines():
        if ":" in line and not line.startswith(("\t", " ", "#")):
            yield f"make:{line.split(':')[0].strip()}"


def _package(workspace: str) -> Mapping[str, object]:
    """What package.json says; empty where there is none, or none that can be read."""
    package = json_or(files.read_text(os.path.join(workspace, "package.json")).text)
    return package if isinstance(package, dict) else {}


def _runner(workspace: str) -> str:
    """The program that runs scripts here, told by its lock file."""
    found = (name for lock, name in _LOCKS.items() if os.path.exists(os.path.join(workspace, lock)))
    return next(found, "npm")


def _toml(path: str) -> Mapping[str, object]:

    found = files.read_text(path)
    try:
        return tomllib.loads(found.text) if found.state == "text" else {}
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(package: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = package.get(key)
    return found if isinstance(found, dict) else {}
