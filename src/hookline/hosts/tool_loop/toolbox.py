"""The tools an agent has in a workspace: Bash, Read, Write, Edit, Glob, Grep; all inside its root."""

from __future__ import annotations

import os
import re
from asyncio import CancelledError, current_task, sleep
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from hookline.agents.base import ToolSchema
from hookline.hosts.tool_loop.tools import Tool, ToolContext, ToolOutput, input_problem, perform, tool
from hookline.model.errors import HooklineError
from hookline.system import files
from hookline.system.patterns.expressions import Pattern, compile_pattern
from hookline.system.patterns.globs import match_workspace_glob
from hookline.system.processes.process import ProcessRequest, run_process

OUTPUT_LIMIT = 30_000
READ_LIMIT = 2_000
BASH_TIMEOUT_MS = 120_000
HIT_LIMIT = 1_000
LINE_LIMIT = 20_000
BREATH = 100
_SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__"})


class OutsideWorkspace(HooklineError):
    """A path that leaves the workspace, by its text or through a symbolic link."""


class Toolbox:
    """The tools of one loop; `add` brings own ones in. Every call goes through `call`."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self.add(*tools)

    @classmethod
    def standard(cls) -> Toolbox:
        """The file and shell tools."""
        return cls(standard_tools())

    def add(self, *tools: Tool) -> None:
        self._tools.update({entry.name: entry for entry in tools})

    def plus(self, *tools: Tool) -> Toolbox:
        """Another box with these tools added."""
        return Toolbox((*self._tools.values(), *tools))

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def schemas(self) -> tuple[ToolSchema, ...]:
        return tuple(entry.schema for entry in self._tools.values())

    def problem(self, name: str, given: object) -> str | None:
        """Why a call cannot be made, in words for the model; None when it can."""
        found = self._tools.get(name)
        if found is None:
            return f"no tool {name!r}; there are {', '.join(self._tools)}"
        return input_problem(found.schema, given)

    async def call(self, name: str, given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        """Runs a checked call. What the tool raises becomes an error result; cancellation passes."""
        try:
            return await perform(self._tools[name], given, context)
        except HooklineError as error:
            return ToolOutput(error.message, is_error=True)
        except OSError as error:
            return ToolOutput(f"{error.strerror or error}: {error.filename or name}", is_error=True)
        except BaseException as error:  # a tool of somebody else's must not take the other calls down with it
            task = current_task()
            wanted = isinstance(error, CancelledError) and task is not None and task.cancelling()
            if wanted or isinstance(error, KeyboardInterrupt):
                raise
            return ToolOutput(f"{name} failed: {type(error).__name__}: {error}", is_error=True)


@cache
def standard_tools() -> tuple[Tool, ...]:
    text = {"type": "string"}
    number = {"type": "integer"}
    flag = {"type": "boolean"}
    path = ("file_path",)
    return (
        tool(
            "Bash", "Runs a shell command in the workspace.", _bash,
            {"command": text, "timeout": number, "description": text}, ("command",),
        ),
        tool(
            "Read", "Reads a text file, with line numbers.", _read,
            {"file_path": text, "offset": number, "limit": number}, path, read_only=True, path_keys=path,
        ),
        tool(
            "Write", "Writes a whole file.", _write,
            {"file_path": text, "content": text}, ("file_path", "content"), edits=True, path_keys=path,
        ),
        tool(
            "Edit", "Replaces one text in a file.", _edit,
            {"file_path": text, "old_string": text, "new_string": text, "replace_all": flag},
            ("file_path", "old_string", "new_string"), edits=True, path_keys=path,
        ),
        tool(
            "Glob", "Lists files by a pattern such as `src/**/*.py`.", _glob,
            {"pattern": text, "path": text}, ("pattern",), read_only=True, path_keys=("path",),
        ),
        tool(
            "Grep", "Searches files for a regular expression.", _grep,
            {"pattern": text, "path": text, "glob": text}, ("pattern",), read_only=True, path_keys=("path",),
        ),
    )  # fmt: skip


def inside(path: str, context: ToolContext) -> str:
    """The absolute path of a tool's path input. Raises OutsideWorkspace, also through symbolic links."""
    if "\0" in path:
        raise OutsideWorkspace(f"{path!r} holds a NUL character, which no path can")
    absolute = os.path.normpath(os.path.join(context.cwd, path))
    root = os.path.realpath(context.workspace)
    real = os.path.realpath(absolute)
    if real == root:
        return root
    for candidate in (os.path.join(os.path.realpath(os.path.dirname(absolute)), ""), os.path.join(real, "")):
        if not candidate.startswith(os.path.join(root, "")):
            raise OutsideWorkspace(f"{path} is outside the workspace {context.workspace}")
    return real


async def _bash(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    limit = (given.get("timeout") or BASH_TIMEOUT_MS) / 1000
    result = await run_process(
        ProcessRequest(
            ("bash", "-c", given["command"]),
            context.cwd,
            context.environment,
            timeout_s=limit,
            head_limit=OUTPUT_LIMIT // 2,
            tail_limit=OUTPUT_LIMIT // 2,
        )
    )
    response = {
        "stdout": result.stdout.text,
        "stderr": result.stderr.text,
        "interrupted": result.cancelled,
        "exit_code": result.status_code,
    }
    if result.launch_error:
        return ToolOutput(result.launch_error, True, response)
    parts = [result.stdout.text.rstrip("\n"), result.stderr.text.rstrip("\n")]
    if result.timed_out:
        parts.append(f"timed out after {limit:g} s and was stopped")
    elif result.status_code != 0:
        parts.insert(0, f"exit code {result.status_code}")
    content = "\n".join(part for part in parts if part)
    return ToolOutput(content, result.status_code != 0, response)


async def _read(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    path = inside(given["file_path"], context)
    lines = _text_of(path).splitlines()
    start = max(1, given.get("offset") or 1)
    chosen = lines[start - 1 : start - 1 + (given.get("limit") or READ_LIMIT)]
    content = "\n".join(f"{start + n:6d}\t{line[:2000]}" for n, line in enumerate(chosen))
    file = {
        "filePath": path,
        "content": "\n".join(chosen),
        "numLines": len(chosen),
        "startLine": start,
        "totalLines": len(lines),
    }
    return ToolOutput(content or "(the file is empty)", response={"type": "text", "file": file})


async def _write(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    path = inside(given["file_path"], context)
    before = files.read_text(path)
    files.ensure_dir(os.path.dirname(path))
    files.write_atomic(path, given["content"])
    kind = "create" if before.state == "missing" else "update"
    words = "wrote" if kind == "create" else "replaced"
    response = {"type": kind, "filePath": path, "content": given["content"]}
    return ToolOutput(f"{words} {_named(path, context)}", response=response)


async def _edit(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    path = inside(given["file_path"], context)
    old, new, every = given["old_string"], given["new_string"], bool(given.get("replace_all"))
    text = _text_of(path)
    count = text.count(old) if old else 0
    if count == 0:
        return ToolOutput(f"`old_string` does not occur in {given['file_path']}", is_error=True)
    if count > 1 and not every:
        words = (
            f"`old_string` occurs {count} times in {given['file_path']}; give more of it, or `replace_all`"
        )
        return ToolOutput(words, is_error=True)
    files.write_atomic(path, text.replace(old, new))
    response = {"filePath": path, "oldString": old, "newString": new, "replaceAll": every}
    return ToolOutput(f"edited {_named(path, context)}", response=response)


async def _glob(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    base = inside(given.get("path") or ".", context)
    wanted = match_workspace_glob(given["pattern"])
    found = [path for path in _walk(base) if wanted.matches(os.path.relpath(path, base))]
    names = [_named(path, context) for path in found]
    return ToolOutput(_capped("\n".join(names)) or "no file matches", response={"filenames": names})


async def _grep(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
    try:
        pattern = compile_pattern(given["pattern"])
    except (ValueError, re.error) as error:
        return ToolOutput(f"not a regular expression: {error}", is_error=True)
    base = inside(given.get("path") or ".", context)
    wanted = match_workspace_glob(given["glob"]) if given.get("glob") else None
    hits: list[str] = []
    for count, path in enumerate(_walk(base) if os.path.isdir(base) else [base], 1):
        if count % BREATH == 0:
            await sleep(0)  # so that an interrupt is heard in a large workspace
        name = _named(path, context)
        if wanted is None or wanted.matches(name):
            hits += _hits(pattern, path, name, context)
        if len(hits) > HIT_LIMIT:
            break
    return ToolOutput(_capped("\n".join(hits)) or "no match", response={"content": hits[:HIT_LIMIT]})


def _hits(pattern: Pattern, path: str, name: str, context: ToolContext) -> Iterator[str]:
    found = files.read_text(path)
    if not os.path.join(found.real_path, "").startswith(
        os.path.join(os.path.realpath(context.workspace), "")
    ):
        return  # a link that leads out
    for number, line in enumerate(found.text.splitlines(), 1):
        if pattern.search(line[:LINE_LIMIT]):
            yield f"{name}:{number}:{line[:500]}"


def _named(path: str, context: ToolContext) -> str:
    return os.path.relpath(path, os.path.realpath(context.workspace))


def _text_of(path: str) -> str:
    found = files.read_text(path)
    if found.state in ("text", "empty"):
        return found.text
    raise HooklineError(f"{path} is {found.state}{': ' + found.reason if found.reason else ''}")


def _walk(base: str) -> Iterator[str]:
    for folder, names, entries in os.walk(base):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        yield from (os.path.join(folder, entry) for entry in sorted(entries))


def _capped(text: str) -> str:
    if len(text) <= OUTPUT_LIMIT:
        return text
    return f"{text[:OUTPUT_LIMIT]}\n[... {len(text) - OUTPUT_LIMIT} more characters]"
