"""The main job on a throw-away project: a turn with real tools, real hooks of every dialect, a scripted model."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import resources
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from hookline.agents.base import Model, OnEvent
from hookline.engine.filehooks import FileHooks
from hookline.engine.opening import Opened
from hookline.hosts.demo.copy import copy_workspace
from hookline.hosts.tool_loop.host import ToolLoop, TurnResult
from hookline.hosts.tool_loop.sessions import Rounds
from hookline.model.errors import HooklineError
from hookline.model.events import EventKind, IssueRun, Iteration, RunEnd
from hookline.model.record import Record, replace
from hookline.model.results import HookFinished, HookStarted
from hookline.system import files
from hookline.system.processes.process import ProcessRequest, run_process
from hookline.system.removal import remove_tree
from hookline.system.repository.git import without_location

if TYPE_CHECKING:
    from hookline.engine.fire import Listener

SESSION = "demo"
VALIDATIONS = 3
_INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "PYTHONPATH")
_AUTHOR = ("-c", "user.name=hookline demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false")


class Project(Record):
    """A throw-away project: `root` holds its `workspace` (a git repository) and, if it has one, its home."""

    root: str
    workspace: str
    environment: Mapping[str, str]
    files: tuple[str, ...] = ()


class Heard:
    """A listener that keeps every end of a hook and passes all news on."""

    def __init__(self, listener: Listener) -> None:
        self.runs: list[HookFinished] = []
        self._listener = listener

    def __call__(self, news: HookStarted | HookFinished) -> None:
        if isinstance(news, HookFinished):
            self.runs.append(news)
        self._listener(news)


class Demo:
    """Plays one issue of one iteration: every event of a run happens at its real place."""

    def __init__(self, opened: Opened, model: Model, on_event: OnEvent) -> None:
        self.loop = ToolLoop(
            opened.engine, model, workspace=opened.workspace, session_id=SESSION, on_event=on_event
        )
        self.rounds = Rounds(self.loop, FileHooks(opened.engine, opened.paths))
        self._issue = IssueRun(1, "Greet people", "issues/1.md", "plans/1.md", "scripted")

    async def play(self, prompt: str, report_prompt: str) -> TurnResult:
        """From SessionStart to SessionEnd; the result of the issue's last turn."""
        await self.loop.start()
        await self.loop.fire(EventKind.PreExecutionStart, self._issue)
        before = await self.loop.fire(EventKind.PreIteration, Iteration(1))
        result = await self.rounds.submit(prompt, first=before.contexts)
        result = await self._validated(result)
        piped = await self.loop.fire(EventKind.PostIteration, Iteration(1))
        if piped.contexts and result.ok:
            result = await self.rounds.submit(report_prompt, first=piped.contexts)
        done = int(result.ok)
        await self.loop.fire(EventKind.RunStop, RunEnd(issues_completed=done, issues_total=1))
        await self.loop.end()
        return result

    async def _validated(self, result: TurnResult) -> TurnResult:
        """Asks the validations; a block leaves the issue open, and the reason is the next instruction."""
        for _ in range(VALIDATIONS):
            ended = replace(self._issue, success=result.ok, output=result.text)
            decision = await self.loop.fire(EventKind.PreExecutionEnd, ended)
            if not decision.blocked:
                break
            reason = f"The issue is not done: {decision.reason}"
            result = await self.rounds.submit(reason, origin="hook")
            if not result.ok:
                break
        else:
            result = replace(result, status="failed", reason=f"{VALIDATIONS} validations failed")
        await self.loop.fire(EventKind.PostExecutionEnd, replace(ended, success=result.ok))
        return result


@cache
def scenery() -> Mapping[str, Any]:
    """`demo.toml`: the files of the demo's own project and home, its prompts, and what the model says."""
    return tomllib.loads(resources.files("hookline.hosts.demo").joinpath("demo.toml").read_text("utf-8"))


@contextmanager
def throw_away() -> Iterator[str]:
    """A folder that stays to be looked at after a play, and goes when the play is not played to its end."""
    root = mkdtemp(prefix="hookline-demo-")
    try:
        yield root
    except BaseException:
        remove_tree(root)
        raise


async def lay_out(root: str) -> Project:
    """The demo's own project: a git repository with hooks in five dialects, and a home of its own."""
    home, workspace = os.path.join(root, "home"), os.path.join(root, "greeter")
    environment = _environment(home)
    _write(home, scenery()["home"])
    _write(workspace, scenery()["workspace"])
    await commit_all(workspace, environment)
    _write(workspace, scenery()["left_over"])
    return Project(root, workspace, environment)


async def lay_out_copy(root: str, original: Opened) -> Project:
    """A copy of a workspace as a git repository of its own, without remotes: nothing can be pushed."""
    workspace = os.path.join(root, os.path.basename(original.workspace) or "copy")
    files.ensure_dir(workspace)
    environment = without_location(original.engine.environment)
    copied = await copy_workspace(original, workspace)
    await commit_all(workspace, environment)
    return Project(root, workspace, environment, copied)


async def commit_all(workspace: str, environment: Mapping[str, str]) -> None:
    """Makes the folder a git repository with everything committed; no hook of git's runs."""
    await _git(workspace, environment, "init", "--quiet", "--template=")
    await _git(workspace, environment, "add", "--all")
    await _git(
        workspace, environment, *_AUTHOR, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", "Start"
    )


def _environment(home: str) -> Mapping[str, str]:
    """Only what programs need to be found; this machine's own configuration stays out of the play."""
    outer = files.environment()
    kept = {name: outer[name] for name in _INHERITED if name in outer}
    beside = os.path.dirname(sys.executable)
    if os.path.exists(os.path.join(beside, "python3")):
        kept["PATH"] = os.pathsep.join((beside, kept.get("PATH", os.defpath)))
    return {
        **kept,
        "HOME": home,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOOKLINE_TRUST": "workspace",
    }


def _write(folder: str, contents: Mapping[str, Any]) -> None:
    for name, text in contents.items():
        path = os.path.join(folder, name)
        files.ensure_dir(os.path.dirname(path))
        files.write_atomic(path, text, mode=0o755 if text.startswith("#!") else 0o644)


async def _git(workspace: str, environment: Mapping[str, str], *arguments: str) -> None:
    without_hooks = ("-c", "core.hooksPath=/dev/null")
    request = ProcessRequest(("git", *without_hooks, *arguments), workspace, environment, timeout_s=60)
    result = await run_process(request)
    if result.status_code != 0:
        why = result.launch_error or result.stderr.text.strip() or f"exit code {result.status_code}"
        raise HooklineError(f"`git {arguments[0]}` failed: {why}", "the demo needs git on PATH")
