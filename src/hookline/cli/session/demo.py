"""`hookline demo`: the main job, live, on a throw-away project."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from shlex import quote
from shutil import which
from typing import Any

from hookline.agents.scripted import ScriptedModel, script_from
from hookline.cli import common
from hookline.cli.live import LiveLines, label_of, reason_words
from hookline.cli.render import (
    counted,
    duration,
    laid_out,
    mark_of,
    one_line,
    painted,
    table_rows,
    wants_colour,
    width_of,
)
from hookline.engine.opening import Opened, open_engine
from hookline.hosts.demo.copy import PROMPT, REPORT_PROMPT, CopiedTrust, script_for
from hookline.hosts.demo.project import Demo, Heard, Project, lay_out, lay_out_copy, scenery, throw_away
from hookline.hosts.tool_loop.host import TurnResult
from hookline.model.record import replace
from hookline.model.results import HookFinished, HookResult, Status
from hookline.system import files
from hookline.system.clock import monotonic
from hookline.system.loops.loop import run_asyncio

EXAMPLE = "hookline demo"


def run(arguments: list[str]) -> int:
    """Plays the demo; exits 0 when its issue was solved."""
    options = _options(arguments)
    return run_asyncio(_demo(options))


def _options(arguments: list[str]) -> Namespace:
    summary = (
        "A real agent turn on a throw-away git repository: a scripted model, real tools, and hooks in five "
        "dialects as real processes. Needs no network, no key and no server."
    )
    parser = common.parser("demo", summary, EXAMPLE)
    parser.add_argument(
        "--here", action="store_true", help="play on a copy of this project, with the hooks found in it"
    )
    return parser.parse_args(arguments)


async def _demo(options: Namespace) -> int:
    with throw_away() as root:
        return await (_on_a_copy(options, root) if options.here else _on_its_own(root))


async def _on_its_own(root: str) -> int:
    stage = Stage()
    project, play = await lay_out(root), scenery()
    heard = Heard(stage.hook)
    opened = open_engine(project.workspace, environment=project.environment, listener=heard, warn=common.warn)
    result = await _play(stage, opened, heard, play["script"], (play["prompt"], play["report_prompt"]))
    stage.say(_where_to_look(project))
    return 0 if result.ok else 1


async def _on_a_copy(options: Namespace, root: str) -> int:
    stage = Stage()
    original = open_engine(common.workspace_of(options.workspace), history=False)
    common.name_untrusted(original)
    project = await lay_out_copy(root, original)
    heard = Heard(stage.hook)
    opened = open_engine(project.workspace, environment=project.environment, listener=heard, warn=common.warn)
    opened = replace(opened, paths=replace(opened.paths, home=project.root))  # no state in the user's home
    opened.engine.provide(trust=CopiedTrust(original))
    opened.engine.replace_hooks(opened.hooks)
    script = script_for(project.files, project.workspace)
    await _play(stage, opened, heard, script, (PROMPT, REPORT_PROMPT))
    stage.say(_where_to_look_here(project, original.workspace))
    return 0


async def _play(
    stage: Stage, opened: Opened, heard: Heard, script: Mapping[str, Any], prompts: tuple[str, str]
) -> TurnResult:
    started = monotonic()
    stage.open(opened)
    ticking = asyncio.create_task(stage.keep_ticking())
    model = ScriptedModel(script_from(script, "demo"))
    result = await Demo(opened, model, stage.event).play(*prompts)
    ticking.cancel()
    stage.close(heard.runs, result, monotonic() - started)
    return result


class Stage:
    """Shows the play as it happens: what is said, what is done, and each hook as it starts and ends."""

    def __init__(self) -> None:
        self._colour = wants_colour(sys.stdout)
        self._lines = LiveLines(sys.stdout, indent=" " * 9)
        self.hook = self._lines

    def open(self, opened: Opened) -> None:
        """Says where it plays."""
        dialects = list(dict.fromkeys(spec.dialect for spec in opened.hooks.specs))
        count = len(opened.hooks.specs)
        spoken = f"{counted(len(dialects), 'dialect')} ({', '.join(dialects)})"
        known = f"{counted(count, 'hook')} in {spoken}" if count else "no hooks"
        self.say(f"{laid_out(f'a git repository with {known}:')}\n  {opened.workspace}\n")

    async def keep_ticking(self) -> None:
        """Moves the running hook's time on until cancelled."""
        await self._lines.keep_ticking()

    def event(self, fields: Mapping[str, Any]) -> None:
        """One object of the event stream."""
        kind = fields["type"]
        if kind == "message" and fields["role"] in _ROLES:
            label, colour = _ROLES[fields["role"]]
            self._line(label, fields["text"], colour)
        elif kind == "tool.asked":
            self._line(fields["name"], _shown_input(fields["input"]), "34")
        elif kind == "tool.finished" and fields["content"].strip():
            self.say(painted(laid_out(" " * 9 + one_line(fields["content"], 120)), "2", self._colour))

    def close(self, runs: Sequence[HookFinished], result: TurnResult, took_s: float) -> None:
        """The table of what ran, and how it ended."""
        self.say(f"\nwhat ran\n{self._table(runs)}" if runs else "\nno hook had anything to do")
        end = "the issue is solved" if result.ok else f"the issue is still open: {result.reason}"
        self.say(f"{counted(len(runs), 'hook run')} in {duration(took_s)}; {end}.")

    def say(self, text: str) -> None:
        self._lines.settle()
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def _line(self, label: str, text: str, colour: str) -> None:
        self.say(laid_out(f"{painted(f'{label:<9}', colour, self._colour)}{one_line(text, 150)}"))

    def _table(self, runs: Sequence[HookFinished]) -> str:
        """A row for each run; below it the reason when it stopped something or failed.

        On a narrow terminal the place it came from is below it too.
        """
        narrow = width_of(sys.stdout) < WIDE
        head = ("", "hook", "event", "took", "verdict") if narrow else _HEAD
        rows = [_row(news) for news in runs]
        texts = table_rows(head, [[*row[:3], *row[4:]] if narrow else row for row in rows])
        shown = list(texts[: -len(rows)])
        for line, row, news in zip(texts[-len(rows) :], rows, runs, strict=True):
            words = reason_words(news.result) if mark_of(news.result) != "✓" else ""
            below = " — ".join(filter(None, (row[3] if narrow else "", words)))
            shown += [line, *([painted(laid_out(f"   {below}"), "2", self._colour)] if below else ())]
        return "\n".join(shown) + "\n"


WIDE = 112
_HEAD = ("", "hook", "event", "from", "took", "verdict")
_ROLES = {
    "user": ("prompt", "1"),
    "assistant": ("model", "1"),
    "notice": ("notice", "33"),
    "error": ("error", "31"),
}


def _row(news: HookFinished) -> Sequence[str]:
    result = news.result
    spec, raw = result.spec, result.raw
    return (
        mark_of(result),
        label_of(spec, 36),
        f"{spec.dialect}:{spec.native_event}",
        spec.where,
        duration(raw.timings.total) if raw is not None else "",
        _verdict(result),
    )


def _verdict(result: HookResult) -> str:
    """What the hook's end came to, in a word."""
    if result.status != Status.ran:
        return result.status.value.replace("_", " ")
    if result.outcome.verdict:
        return result.outcome.verdict.word
    if result.outcome.reprompt:
        return "re-prompt"
    if result.failed:
        return "failed"
    return "context" if result.outcome.contexts else "ok"


def _shown_input(given: Mapping[str, Any]) -> str:
    return str(given.get("command") or given.get("file_path") or given.get("pattern") or "")


def _where_to_look(project: Project) -> str:
    home, own = quote(project.environment["HOME"]), quote(os.path.dirname(sys.executable))
    path = "" if which("hookline", path=files.environment().get("PATH")) else f" PATH={own}:$PATH"
    return f"""
where to look next:
  cd {quote(project.workspace)}
  export HOME={home} HOOKLINE_TRUST=workspace{path}
  hookline history          every decision of this run, and why
  hookline list             the hooks, where they come from, when they run
  hookline explain Bash 'rm -rf build'
in your own project:
  hookline list             what is there already, in any agent's dialect
  hookline demo --here      this play on a copy of it
The folder {project.root} is yours to delete."""


def _where_to_look_here(project: Project, original: str) -> str:
    return f"""
This was a copy of {original}; nothing there was touched.
  hookline list             all hooks, also those that had nothing to do here
  hookline explain EVENT    why a hook would or would not run
  hookline check            what is wrong with their configuration
  hookline trust            review hooks that did not run because nobody has yet
The copy {project.root} is yours to delete."""
