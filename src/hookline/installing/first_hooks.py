"""A first `.hookline/hooks.toml` for a repository: guards everybody wants, and hooks for the tools found in it."""

from __future__ import annotations

import json
import os.path
import tomllib
from collections.abc import Iterator, Mapping

from hookline.model.record import Record
from hookline.system import files

FILE = ".hookline/hooks.toml"

_HEAD = """\
# Hooks of this project, for every coding agent. `hookline check` reads this file, `hookline list` shows what it
# means, `hookline explain PreToolUse` says what would run and why, `hookline schema hookline` lists every key.
# No hook of this file runs before `hookline trust` has been answered; packs come with hookline and need no review.

version = 1

# -- guards: ready rules, `hookline packs list` shows them all, `hookline probe` attacks them ------------------

use = ["git", "files", "secrets", "self"]
level = "balanced"   # advisory: tells the model; strict: denies where balanced asks
# off = ["git/branch-delete"]

# A rule of your own looks like this:
#
# [[hooks]]
# name = "no deploy"
# event = "PreToolUse"
# shell = "make deploy"
# deny = "a person deploys"
"""
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

    `line` is a shell line; `$HOOK_FILE` is the file. `checks`: its failure goes back to the agent.
    """

    name: str
    why: str
    line: str
    write: tuple[str, ...] = ()
    checks: bool = False
    timeout: str = "30s"


def first_hooks(workspace: str) -> tuple[str, tuple[Tool, ...]]:
    """The text of a first file, and the tools it uses."""
    tools = tuple(_tools(workspace))
    body = _FOUND + "".join(_hook(tool) for tool in tools) if tools else _NOTHING
    return _HEAD + body, tools


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
    for read in (_python, _node, _go, _rust, _make):
        yield from read(workspace)


def _python(workspace: str) -> Iterator[Tool]:
    table = _toml(os.path.join(workspace, "pyproject.toml"))
    tool = table.get("tool", {})
    tool = tool if isinstance(tool, dict) else {}

    def has(name: str) -> bool:
        return os.path.exists(os.path.join(workspace, name))

    if "ruff" in tool or has("ruff.toml") or has(".ruff.toml"):
        yield Tool("ruff format", "ruff is configured", 'ruff format -- "$HOOK_FILE"', ("*.py",))
        yield Tool("ruff check", "ruff is configured", 'ruff check -- "$HOOK_FILE"', ("*.py",), checks=True)
    elif "black" in tool:
        yield Tool("black", "black is configured", 'black -q -- "$HOOK_FILE"', ("*.py",))
    if "mypy" in tool or has("mypy.ini"):
        yield Tool("mypy", "mypy is configured", "mypy", checks=True, timeout="5m")
    if "pytest" in tool or has("pytest.ini") or has("conftest.py") or has("tests/conftest.py"):
        yield Tool("pytest", "pytest is configured", "python -m pytest -q -x", checks=True, timeout="10m")


def _node(workspace: str) -> Iterator[Tool]:
    package = _package(workspace)
    known = {**_table(package, "dependencies"), **_table(package, "devDependencies")}
    scripts = _table(package, "scripts")
    if "prettier" in known:
        yield Tool(
            "prettier",
            "prettier is a dependency",
            'npx --no-install prettier --write --ignore-unknown -- "$HOOK_FILE"',
            ("*.js", "*.jsx", "*.ts", "*.tsx", "*.css", "*.json", "*.md"),
        )
    if "eslint" in known:
        yield Tool(
            "eslint",
            "eslint is a dependency",
            'npx --no-install eslint -- "$HOOK_FILE"',
            ("*.js", "*.jsx", "*.ts", "*.tsx"),
            checks=True,
        )
    if "typescript" in known and os.path.exists(os.path.join(workspace, "tsconfig.json")):
        yield Tool(
            "tsc", "there is a tsconfig.json", "npx --no-install tsc --noEmit", checks=True, timeout="5m"
        )
    if "test" in scripts and "no test specified" not in str(scripts["test"]):
        line = f"{_runner(workspace)} test"
        yield Tool("npm test", "package.json has a test script", line, checks=True, timeout="10m")


def _package(workspace: str) -> Mapping[str, object]:
    """What package.json says; empty where there is none, or none that can be read."""

    found = files.read_text(os.path.join(workspace, "package.json"))
    try:
        package = json.loads(found.text) if found.state == "text" else {}
    except (ValueError, RecursionError):
        return {}
    return package if isinstance(package, dict) else {}


_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun run"}


def _runner(workspace: str) -> str:
    """The program that runs scripts here, told by its lock file."""
    found = (name for lock, name in _LOCKS.items() if os.path.exists(os.path.join(workspace, lock)))
    return next(found, "npm")


def _go(workspace: str) -> Iterator[Tool]:
    if os.path.exists(os.path.join(workspace, "go.mod")):
        yield Tool("gofmt", "there is a go.mod", 'gofmt -w "$HOOK_FILE"', ("*.go",))
        yield Tool("go vet", "there is a go.mod", "go vet ./...", checks=True, timeout="5m")
        yield Tool("go test", "there is a go.mod", "go test ./...", checks=True, timeout="10m")


def _rust(workspace: str) -> Iterator[Tool]:
    if os.path.exists(os.path.join(workspace, "Cargo.toml")):
        yield Tool("rustfmt", "there is a Cargo.toml", 'rustfmt -- "$HOOK_FILE"', ("*.rs",))
        yield Tool(
            "cargo clippy",
            "there is a Cargo.toml",
            "cargo clippy -q -- -D warnings",
            checks=True,
            timeout="10m",
        )
        yield Tool("cargo test", "there is a Cargo.toml", "cargo test -q", checks=True, timeout="10m")


def _make(workspace: str) -> Iterator[Tool]:
    text = files.read_text(os.path.join(workspace, "Makefile")).text
    targets = {
        line.split(":")[0].strip()
        for line in text.splitlines()
        if ":" in line and not line.startswith(("\t", " ", "#"))
    }
    for name in ("lint", "test", "check"):
        if name in targets:
            yield Tool(
                f"make {name}",
                f"the Makefile has a target {name}",
                f"make {name}",
                checks=True,
                timeout="10m",
            )


def _toml(path: str) -> Mapping[str, object]:

    found = files.read_text(path)
    try:
        return tomllib.loads(found.text) if found.state == "text" else {}
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(package: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = package.get(key)
    return found if isinstance(found, dict) else {}
