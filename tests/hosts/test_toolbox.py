"""The tools: what they take, where they reach, and that nothing gets past the hooks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.limits import spoken

from hookline.agents.scripted import ScriptedModel, script_from
from hookline.engine import Engine
from hookline.engine.services import Services
from hookline.hosts.tool_loop.host import ToolLoop
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.tool_loop.tools import ToolContext, ToolOutput, tool
from hookline.model.errors import UsageError
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec, Inline

INPUTS: Mapping[str, dict[str, object]] = {
    "Bash": {"command": "true"},
    "Read": {"file_path": "a.txt"},
    "Write": {"file_path": "b.txt", "content": "b"},
    "Edit": {"file_path": "a.txt", "old_string": "one", "new_string": "1"},
    "Glob": {"pattern": "*.txt"},
    "Grep": {"pattern": "o"},
    "Agent": {"prompt": "x"},
    "Own": {"n": 1},
}


def use(workspace: Path, name: str, given: Mapping[str, Any]) -> ToolOutput:
    box = Toolbox.standard()
    problem = box.problem(name, given)
    assert problem is None, problem
    context = ToolContext(str(workspace), str(workspace), environment={"PATH": "/usr/bin:/bin"})
    return asyncio.run(box.call(name, given, context))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    inside = tmp_path / "work"
    inside.mkdir()
    (inside / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "secret.txt").write_text("secret one\n")
    (inside / "link.txt").symlink_to("../secret.txt")
    (inside / "out").symlink_to("..")
    return inside


@pytest.mark.parametrize(
    "path", ["../secret.txt", "link.txt", "out/secret.txt", "a/../../secret.txt", "{}/secret.txt"]
)
@pytest.mark.parametrize("name", ["Read", "Write", "Edit"])
def test_no_path_leads_out_of_the_workspace(workspace: Path, name: str, path: str) -> None:
    """By its text, by a link to a file, by a link to a folder, and absolute."""
    given = {**INPUTS[name], "file_path": path.format(workspace.parent)}
    output = use(workspace, name, given)
    assert output.is_error and "outside the workspace" in output.content
    assert (workspace.parent / "secret.txt").read_text() == "secret one\n"


@pytest.mark.parametrize("name", ["Read", "Write", "Edit"])
def test_a_path_that_no_system_takes_is_told_in_words(workspace: Path, name: str) -> None:
    output = use(workspace, name, {**INPUTS[name], "file_path": "a.txt\0.go"})
    assert output.is_error and "holds a NUL character" in output.content and "Error" not in output.content


def test_searching_does_not_follow_links_out(workspace: Path) -> None:
    assert use(workspace, "Grep", {"pattern": "one"}).content == "a.txt:1:one"
    assert "secret" not in use(workspace, "Glob", {"pattern": "**"}).content


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("Bash", {}, "Bash needs `command`"),
        ("Bash", {"command": 1}, "`command` of Bash must be string, found int"),
        ("Bash", {"command": "ls", "cmd": "x"}, "Bash has no input `cmd`"),
        ("Bash", {"command": "ls", "timeout": "5"}, "must be integer, found str"),
        ("Nope", {}, "no tool 'Nope'"),
        ("Read", [], "must be an object, found list"),
    ],
)
def test_an_input_is_checked_before_anything_runs(name: str, given: object, words: str) -> None:
    assert words in (Toolbox.standard().problem(name, given) or "")


def test_a_pattern_that_is_none_is_the_models_problem(workspace: Path) -> None:
    output = use(workspace, "Grep", {"pattern": "("})
    assert output.is_error and "not a regular expression" in output.content


def test_a_command_that_takes_too_long_is_stopped(workspace: Path, limit_once: Any) -> None:
    limit_once(spoken)
    output = use(workspace, "Bash", {"command": "echo begun; touch spoken; sleep 3600", "timeout": 3000})
    assert output.is_error and output.content == "begun\ntimed out after 3 s and was stopped"


def test_a_flood_of_output_is_cut(workspace: Path) -> None:
    output = use(workspace, "Bash", {"command": "head -c 3000000 /dev/zero | tr '\\0' x"})
    assert len(output.content) < 40_000


def hook(kind: EventKind, seen: list[tuple[str, str]]) -> HookSpec:
    def note(event: Event) -> None:
        seen.append((kind.value, str(event.get("tool_name"))))

    return HookSpec(f"hookline:{kind.value}:1", "hookline", kind, kind.value, Inline(note))


def test_every_tool_there_is_passes_the_hooks(workspace: Path) -> None:
    """Each registered tool, own ones too, has its event before and its event after."""

    async def own(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        return ToolOutput(str(given["n"]))

    seen: list[tuple[str, str]] = []
    engine = Engine(
        [hook(EventKind.PreToolUse, seen), hook(EventKind.PostToolUse, seen)], Services(environment={})
    )
    box = Toolbox.standard().plus(tool("Own", "Mine.", own, {"n": {"type": "integer"}}, ("n",)))
    turns = []
    for name, given in INPUTS.items():
        turns.append({"tool_calls": [{"name": name, "input": given}]})
        turns += [{"text": "sub"}] if name == "Agent" else []
    model = ScriptedModel(script_from({"turns": turns}))
    loop = ToolLoop(engine, model, workspace=str(workspace), toolbox=box)
    assert set(loop.toolbox.names) == set(INPUTS)
    result = asyncio.run(loop.submit("go"))
    assert result.ok
    assert seen == [(kind, name) for name in INPUTS for kind in ("PreToolUse", "PostToolUse")]


def test_a_tool_that_raises_is_an_error_for_the_model_only(workspace: Path) -> None:
    async def broken(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        raise RuntimeError("no idea")

    box = Toolbox.standard().plus(tool("Broken", "Fails.", broken, {}))
    calls = [{"name": "Broken", "input": {}}, {"name": "Bash", "input": {"command": "echo fine"}}]
    model = ScriptedModel(script_from({"turns": [{"tool_calls": calls}, {"text": "ok", "expect": "fine"}]}))
    loop = ToolLoop(
        Engine(services=Services(environment={"PATH": "/usr/bin:/bin"})),
        model,
        workspace=str(workspace),
        toolbox=box,
    )
    assert asyncio.run(loop.submit("go")).status == "completed"
    assert loop.messages[2]["content"][0]["content"] == "Broken failed: RuntimeError: no idea"


def test_hooks_added_by_a_hook_count_from_the_next_event_on(workspace: Path) -> None:
    """The event under way keeps the hooks it began with."""
    seen: list[tuple[str, str]] = []
    engine = Engine(services=Services(environment={"PATH": "/usr/bin:/bin"}))

    def adds(event: Event) -> None:
        seen.append(("first", str(event.get("tool_use_id"))))
        if len(seen) == 1:
            engine.add(hook(EventKind.PreToolUse, seen))

    engine.add(HookSpec("hookline:adds", "hookline", EventKind.PreToolUse, "PreToolUse", Inline(adds)))
    turns = [{"tool_calls": [{"name": "Bash", "input": {"command": "true"}}]}] * 2
    loop = ToolLoop(engine, ScriptedModel(script_from({"turns": turns})), workspace=str(workspace))
    assert asyncio.run(loop.submit("go")).ok
    assert seen == [("first", "toolu_01_1"), ("first", "toolu_02_1"), ("PreToolUse", "Bash")]


async def _says(value: object) -> Any:
    return value


def _raises(error: BaseException) -> Any:
    raise error


async def _raises_later(error: BaseException) -> Any:
    await asyncio.sleep(0)
    raise error


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (lambda given, _: str(threading.current_thread() is threading.main_thread()), "False"),
        (lambda given, _: _says("a text"), "a text"),
        (lambda given, _: ToolOutput("an output"), "an output"),
        (lambda given, _: None, "Own failed: TypeError: expected a text or a ToolOutput, found None"),
        (lambda given, _: _says(ToolOutput(7)), "Own failed: TypeError: expected a text"),  # type: ignore[arg-type]
        (lambda given, _: _raises(SystemExit(3)), "Own failed: SystemExit: 3"),
        (lambda given, _: _raises_later(SystemExit(3)), "Own failed: SystemExit: 3"),
        (lambda given, _: _raises_later(asyncio.CancelledError("mine")), "Own failed: CancelledError: mine"),
        (lambda: "", "Own failed: TypeError"),
    ],
)  # fmt: skip
def test_a_tool_of_ones_own_answers_or_fails_and_the_turn_goes_on(
    tmp_path: Path, run: Any, words: str
) -> None:
    turns = [{"tool_calls": [{"name": "Own", "input": {"n": 1}}]}, {"text": "on", "expect": words}]
    own = tool("Own", "", run, {"n": {"type": ["integer", "null"]}}, ("n",))
    loop = ToolLoop(
        Engine(), ScriptedModel(script_from({"turns": turns})), workspace=str(tmp_path), toolbox=Toolbox([own])
    )  # fmt: skip
    result = asyncio.run(loop.submit("go"))
    assert (result.status, result.text) == ("completed", "on")


@pytest.mark.parametrize(
    ("name", "run", "required", "words"),
    [("a b", _says, (), "a b"), ("", _says, (), "a name"), ("Own", 3, (), "a function"), ("Own", _says, ("m",), "`m`")],
)  # fmt: skip
def test_a_tool_that_no_model_could_call_is_refused(
    name: str, run: Any, required: tuple[str, ...], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        tool(name, "", run, {"n": {"type": "integer"}}, required)
