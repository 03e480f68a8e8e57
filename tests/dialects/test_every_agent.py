"""What holds for every agent in the registry, and for one that a package of somebody else adds in one file."""

from __future__ import annotations

import contextlib
import json
import os
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.program import Program
from tools.agent_pages import denial_line, page_of, with_own_words

import hookline.dialects
from hookline.dialects import FAMILY, REGISTRY, agent_names, all_names, dialect, names, present
from hookline.dialects.base import Places, Source, SourceText
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.converting.whole import convert
from hookline.dialects.family import FamilyDialect
from hookline.dialects.matching.matchers import tools_of_all
from hookline.dialects.profile import ConfigFiles
from hookline.dialects.tools import native_for
from hookline.engine.loading import places_for
from hookline.hosts.bridge.call import speaker_of
from hookline.model.errors import PayloadError
from hookline.model.events import BODIES, Event, EventKind, Plain, ToolCall
from hookline.model.hooks import Command, HookSpec

DOCS = Path(__file__).parent.parent.parent / "docs" / "dialects"
WITH_CONFIG = [name for name in agent_names() if dialect(name).profile.style.program is None]
PLUGGED = [name for name in agent_names() if name not in WITH_CONFIG]
ONE_FILE = [name for name, row in REGISTRY.items() if row.room.startswith(FAMILY)]
ENTRY_POINTS = "[console_scripts]\nx = y:z\n\n[hookline.dialects]\npelican = pelican_hooks\n"
MADE_UP = '''
"""An agent nobody has, in one file."""
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, File, event
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind

DIALECT = FamilyDialect(Agent(
    name="pelican", title="Pelican", program="pelican", sources="made up", knows="low",
    places=("{ws}/.pelican",),
    files=(File("project", "{ws}/.pelican/hooks.json", ours=True),),
    rows=(
        event("before_tool", "deny ask rewrite context", EventKind.PreToolUse),
        event("on_prompt", "deny context", EventKind.UserPromptSubmit),
        event("done", "deny reprompt", EventKind.Stop),
    ),
    tools=Tools(names=(("Bash", "peck"), ("Write", "lay")), fields={"Write": {"file_path": "nest"}}),
    payload={"hook_event_name": "happening", "prompt": "call"},
    project_variable="PELICAN_DIR", environment={"PELICAN_DIR": "{project}"},
))
'''


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "Bash": ("Bash", {"command": "ls"}), "Read": ("Read", {"file_path": "/w/a"}),
    "Edit": ("Edit", {"file_path": "/w/a", "old_string": "x", "new_string": "y"}),
    "Write": ("Write", {"file_path": "/w/a", "content": "x"}), "mcp__*": ("mcp__git__log", {"n": 1}),
}  # fmt: skip
OURS = 'version = 1\n[[hooks]]\nevent = "PreToolUse"\nrun = "echo not here >&2; exit 2"\n'


@pytest.fixture
def pelican(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    """A program beside which a package with one more agent is installed."""
    folder = tmp_path / "site-packages"
    info = folder / "pelican_hooks-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nx = y:z\n\n[hookline.dialects]\npelican = pelican_hooks\n"
    )
    (folder / "pelican_hooks.py").write_text(MADE_UP)
    program.environment["PYTHONPATH"] += os.pathsep + str(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(hookline.dialects, "_added", None)
    yield program
    monkeypatch.setattr(hookline.dialects, "_added", None)


def files_of(name: str) -> ConfigFiles:
    files = speaker_of(name).profile.files
    assert files is not None
    return files


def project_file(name: str) -> str:
    return files_of(name).project


def scope(name: str) -> str:
    """Where it has its config: an agent may have none in projects."""
    return "project" if project_file(name) else "user"


def shown_file(name: str) -> str:
    files = files_of(name)
    return files.project or f"~/{files.folder}/{files.user}"


def config_place(program: Program, name: str) -> Path:
    files = files_of(name)
    return program.workspace / files.project if files.project else program.home / files.folder / files.user


def decoded(name: str, text: str) -> Any:
    readers = {"toml": tomllib.loads, "yaml": yaml.safe_load}
    return readers.get(speaker_of(name).profile.read_as[0], json.loads)(text)


def write_config_of(program: Program, name: str, newline: str = "\n") -> bytes:
    place = config_place(program, name)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(config_of(name).replace("\n", newline).encode())
    return place.read_bytes()


def guard(name: str) -> HookSpec:
    """A hook of that agent that keeps every shell command from running."""
    row = speaker_of(name).row_of(EventKind.PreToolUse)
    speaker, words = speaker_of(name), "echo no shell today >&2; exit 2"
    if isinstance(speaker, FamilyDialect):
        words = denial_line(speaker.agent, row, "no shell today")
    action = Command(f"cat >/dev/null; {words}", shell=speaker.profile.can.shell)
    return HookSpec("", name, row.kind, row.native, action, timeout_s=10.0)


def config_of(name: str) -> str:
    return speaker_of(name).profile.write([guard(name)])


def shell_call(program: Program) -> str:
    call = {
        "session_id": "s",
        "cwd": str(program.workspace),
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    return json.dumps(call)


# -- the conformance, for one agent ------------------------------------------------------------------------


def its_hooks_are_listed_checked_explained_and_run(program: Program, name: str) -> None:
    write_config_of(program, name)
    (listed,) = [each for each in json.loads(program("list", "--json").stdout) if each["dialect"] == name]
    assert (listed["event"], listed["enabled"], listed["source"]) == ("PreToolUse", True, shown_file(name))
    checked = json.loads(program("check", "--dialect", name, "--json").stdout)
    assert [each for each in checked if each["severity"] == "error"] == []
    explained = json.loads(program("explain", "PreToolUse", "--json", stdin=shell_call(program)).stdout)
    assert [hook["status"] for hook in explained["hooks"] if hook["dialect"] == name] == ["would_run"]
    fired = program("fire", "PreToolUse", "--dialect", name, "--json", stdin=shell_call(program))
    assert (fired.returncode, json.loads(fired.stdout)["verdict"]) == (2, "deny"), fired.stderr


def it_is_installed_found_and_taken_out_without_a_trace(program: Program, name: str) -> None:
    before, place = write_config_of(program, name, "\r\n"), config_place(program, name)
    assert (done := program("install", name, "--scope", scope(name))).returncode == 0, done.stderr
    listed = [each for each in json.loads(program("list", "--json").stdout) if each["dialect"] == name]
    ours = [each for each in listed if "--event" in each["command"]]
    assert ours and not any(each["enabled"] for each in ours) and len(listed) == len(ours) + 1
    doctor = program("doctor")
    assert speaker_of(name).title in doctor.stdout + doctor.stderr
    assert bool(speaker_of(name).doubt) == ("note: of " in program("list").stderr)
    assert (done := program("uninstall", name, "--scope", scope(name))).returncode == 0, done.stderr
    assert place.read_bytes() == before


def a_guard_of_another_agent_stops_it(program: Program, name: str) -> None:
    program.write(
        ".hookline/hooks.toml",
        'version = 1\n[[hooks]]\nevent = "PreToolUse"\nrun = "echo not here >&2; exit 2"\n',
    )
    speaker = speaker_of(name)
    row = speaker.row_of(EventKind.PreToolUse)
    event = Event(
        row.kind,
        "s",
        str(program.workspace),
        ToolCall("Bash", {"command": "ls"}, "t1"),
        str(program.workspace),
    )
    payload = dict(speaker.hook_input(event, HookSpec("h", name, row.kind, row.native, Command("x"))).payload)
    done = program("bridge", name, "--event", row.native, stdin=json.dumps(payload))
    assert "not here" in done.stdout + done.stderr
    assert done.returncode == (2 if not done.stdout else 0)


def every_event_comes_back_as_it_was(name: str) -> None:
    speaker = speaker_of(name)
    for row in speaker.rows:
        sent = example(speaker, row)
        payload = speaker.hook_input(sent, HookSpec("h", name, row.kind, row.native, Command("x"))).payload
        found = speaker.read_event(row.native, json.loads(json.dumps(payload)))
        if speaker.kind_of(row.native) is not row.kind and found.kind is speaker.kind_of(row.native):
            continue  # one native event for several of ours, told apart by what it says
        assert found.kind is row.kind, row.native
        told = f'"{sent.cwd}"' in json.dumps(payload)  # some agents never say where they are
        assert (found.session_id, found.cwd) == (sent.session_id, sent.cwd if told else ""), row.native
        for field in ("tool_name", "tool_input", "prompt"):
            if sent.get(field) is not None and field in {each.removesuffix("?") for each in row.fields}:
                assert found.get(field) == sent.get(field), (row.native, field)


def example(speaker: AgentDialect, row: AgentRule) -> Event:
    values: dict[str, Any] = {"prompt": "do it"} if row.kind is EventKind.UserPromptSubmit else {}
    tools = speaker.tools_about(row.native)
    body = (
        ToolCall(*CALLS[tools[0] if tools else "Bash"], "t")
        if row.subject == "tool_name" or tools
        else BODIES.get(row.kind, Plain)(**values)
    )
    return Event(row.kind, "s", "/w", body, "/w")


def it_converts_to_all_and_from_all(program: Program, name: str) -> None:
    hook = guard(name)
    for other in names():
        for spec, target in ((hook, other), *([(guard(other), name)] if other in WITH_CONFIG else [])):
            done = convert([spec], spec.dialect, target)
            assert done.specs or done.losses, (spec.dialect, target)
            assert done.weakens or any(dialect(target).rule(made).guards for made in done.specs)
    write_config_of(program, name)
    ours = program("convert", name, "hookline", str(config_place(program, name)))
    program.write(".hookline/hooks.toml", ours.stdout)
    back = program("convert", "hookline", name, ".hookline/hooks.toml")
    assert (ours.returncode, back.returncode) == (0, 0), ours.stderr + back.stderr
    assert decoded(name, back.stdout) == decoded(name, config_of(name))


def its_schema_knows_what_it_writes(program: Program, name: str) -> None:
    import jsonschema

    schema = json.loads(program("schema", name).stdout)
    jsonschema.Draft202012Validator(schema).validate(decoded(name, config_of(name)))


def its_program_is_listed_and_taken_out_without_a_trace(program: Program, name: str) -> None:
    assert (done := program("install", name)).returncode == 0, done.stderr
    place = program.workspace / project_file(name)
    first = place.read_bytes()
    program("install", name)
    assert place.read_bytes() == first
    listed = json.loads(program("list", "--json").stdout)
    rows = [row.native for row in speaker_of(name).rows]
    assert [hook["native_event"] for hook in listed] == rows and not any(hook["enabled"] for hook in listed)
    assert json.loads(program("check", "--dialect", name, "--json").stdout) == []
    doctor = program("doctor")
    assert f"{speaker_of(name).title}: {project_file(name)} calls hookline" in doctor.stdout + doctor.stderr
    assert (done := program("uninstall", name)).returncode == 0, done.stderr
    assert not (program.workspace / project_file(name).partition("/")[0]).exists()
    place.parent.mkdir(parents=True)
    place.write_bytes(b"export const theirs = 1;\r\n")
    assert (program("install", name).returncode, program("uninstall", name).returncode) == (1, 0)
    assert place.read_bytes() == b"export const theirs = 1;\r\n"


def what_cannot_be_written_there_is_told(program: Program, name: str) -> None:
    hook = guard("claude")
    done = convert([hook], "claude", name)
    assert (done.specs, done.weakens) == ((), True)
    assert f"hookline install {name}" in done.losses[0].message
    assert "programs" in json.loads(program("schema", name).stdout)["title"]


CONFORMANCE = [
    its_hooks_are_listed_checked_explained_and_run,
    it_is_installed_found_and_taken_out_without_a_trace,
    a_guard_of_another_agent_stops_it,
    it_converts_to_all_and_from_all,
    its_schema_knows_what_it_writes,
]


@pytest.mark.parametrize("holds", CONFORMANCE, ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", WITH_CONFIG)
def test_of_every_agent(program: Program, name: str, holds: Any) -> None:
    holds(program, name)


PROGRAMS = [
    its_program_is_listed_and_taken_out_without_a_trace,
    a_guard_of_another_agent_stops_it,
    what_cannot_be_written_there_is_told,
]


@pytest.mark.parametrize("holds", PROGRAMS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", PLUGGED)
def test_of_every_agent_whose_hooks_are_programs(program: Program, name: str, holds: Any) -> None:
    holds(program, name)


@pytest.mark.parametrize("name", agent_names())
def test_of_every_agent_every_event_comes_back_as_it_was(name: str) -> None:
    every_event_comes_back_as_it_was(name)


@pytest.mark.parametrize("name", agent_names())
def test_no_field_nested_without_end_stops_an_agents_reader(name: str) -> None:
    speaker = speaker_of(name)
    for row in speaker.rows:
        spec = HookSpec("h", name, row.kind, row.native, Command("x"))
        payload = speaker.hook_input(example(speaker, row), spec).payload
        for path in list(_leaves(payload)):
            changed = json.loads(json.dumps(payload))
            holder = reduce(getitem, path[:-1], changed)
            holder[path[-1]] = "[" * 100_000
            with contextlib.suppress(PayloadError):
                assert isinstance(speaker.read_event(row.native, changed), Event), (row.native, path)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where anything stands in a payload: the objects themselves, and what is in them."""
    found = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in found:
        yield (*path, key)
        yield from _leaves(each, (*path, key))


@pytest.mark.parametrize("holds", CONFORMANCE, ids=lambda each: each.__name__)
def test_of_an_agent_that_a_package_adds(pelican: Program, holds: Any) -> None:
    assert agent_names()[-1] == "pelican"
    assert names()[-2:] == ("pelican", "hookline")
    holds(pelican, "pelican")
    every_event_comes_back_as_it_was("pelican")


def test_an_added_agent_is_offered_where_agents_are_named(pelican: Program) -> None:
    assert "pelican" in pelican("bridge", "--help").stdout
    assert "pelican" in pelican("install", "--help").stdout
    assert "pelican" in pelican("schema", "nobody").stderr
    assert "# Pelican" in page_of(speaker_of("pelican"))  # type: ignore[arg-type]


def test_without_its_package_the_agent_is_gone(program: Program) -> None:
    program.write(".pelican/hooks.json", "{}")
    assert program("install", "pelican").returncode == 64
    assert "no dialect `pelican`" in program("schema", "pelican").stderr


# -- the registry ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", agent_names())
def test_every_file_of_an_agent_is_at_a_place_of_its_row(name: str, tmp_path: Path) -> None:
    """Nothing is read of a dialect that seems to have no config."""
    places = places_for(str(tmp_path / "ws"), {"HOME": str(tmp_path / "home")})
    files = speaker_of(name).profile.files
    assert files is not None
    user = [tmp_path / "home" / files.folder / files.user] if files.user else []
    for path in (*([tmp_path / "ws" / files.project] if files.project else []), *user):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        assert name in present(places), path
        path.unlink()
    for source in speaker_of(name).sources(places):
        assert any(source.path.startswith(place) for place in _rooms(name, places)), source.path


def _rooms(name: str, places: Places) -> list[str]:
    return [
        each.format(ws=places.workspace, home=places.home, config=places.config_home)
        for each in REGISTRY[name].places
        if not each.startswith("$")
    ]


def test_taking_an_agent_out_and_putting_it_back_leaves_the_others_as_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = names()
    left = {name: row for name, row in REGISTRY.items() if name != "gemini"}
    monkeypatch.setattr(hookline.dialects, "REGISTRY", left)
    assert names() == tuple(name for name in before if name != "gemini")
    for name in agent_names():
        if name in PLUGGED:
            continue
        text = config_of(name)
        form, label = speaker_of(name).profile.read_as
        source = Source("/w/f", "project", form, "f", label)
        assert (
            len(speaker_of(name).parse(SourceText(source, "text", text, path="/w/f", shown="f")).specs) == 1
        )
        every_event_comes_back_as_it_was(name)
    monkeypatch.undo()
    assert names() == before


TAKEN_OUT = "import hookline.dialects as it\ndel it.REGISTRY['gemini']\n"


def test_an_agent_taken_out_of_the_registry_is_nobody_and_put_back_is_itself(program: Program) -> None:
    """One row is all that stands outside its folder: no command knows it without, and none is worse for it."""
    program.write(project_file("gemini"), config_of("gemini"))
    program.write(project_file("codex"), config_of("codex"))
    program.write("site/sitecustomize.py", TAKEN_OUT)
    without = {"PYTHONPATH": f"{program.workspace / 'site'}{os.pathsep}{program.environment['PYTHONPATH']}"}
    for environment, there in ((without, False), ({}, True), (without, False)):
        listed = json.loads(program("list", "--json", environment=environment).stdout)
        assert [each["dialect"] for each in listed] == (["gemini", "codex"] if there else ["codex"])
        assert program("check", environment=environment).returncode == 0
        assert program("doctor", environment=environment).returncode == 0
        told = program("install", "gemini", "--dry-run", environment=environment)
        assert told.returncode == (0 if there else 64), told.stderr
        schema = program("schema", "gemini", environment=environment)
        assert (schema.returncode == 0) == there
        converted = program("convert", "codex", "hookline", environment=environment)
        assert converted.returncode == 0 and "codex" in converted.stdout
        fired = program("fire", "PreToolUse", "--json", stdin=shell_call(program), environment=environment)
        assert len(json.loads(fired.stdout)["hooks"]) == (2 if there else 1)


@pytest.mark.parametrize("name", agent_names())
def test_every_agent_has_a_page(name: str) -> None:
    assert (DOCS / f"{name}.md").exists()


@pytest.mark.parametrize("name", ONE_FILE)
def test_the_page_of_an_agent_of_the_family_is_made_from_its_columns(name: str) -> None:
    found = dialect(name)
    assert isinstance(found, FamilyDialect)
    page = DOCS / f"{name}.md"
    wanted = with_own_words(page_of(found), page.read_text())
    if os.environ.get("HOOKLINE_WRITE_DOCS"):
        page.write_text(wanted)
    assert page.read_text() == wanted


def write_names(kind: str, words: Iterable[str]) -> None:
    text = textwrap.fill(" ".join(words), 108, break_on_hyphens=False)
    Path(all_names.__file__).with_name(f"{kind}.txt").write_text(f"{text}\n")


def test_all_tools_are_those_of_the_agents() -> None:
    """The same answers as from the tables of all dialects, without loading them."""
    every = [dialect(name).tools for name in REGISTRY]
    pairs = tuple(dict.fromkeys(pair for tools in every for pair in tools.names))
    if os.environ.get("HOOKLINE_WRITE_DOCS"):
        write_names("all_tools", map(":".join, pairs))
    assert pairs == all_names.ALL_TOOLS.names
    known = {name for tools in every for name in tools.known()}
    assert known == {name for tools in tools_of_all() for name in tools.known()}
    for tools in every:
        for name in known:
            assert native_for(name, tools.known(), lambda: every) == native_for(
                name, tools.known(), tools_of_all
            )


def test_all_events_are_those_of_the_agents() -> None:
    every = [dialect(name) for name in REGISTRY]
    told = (
        name
        for each in every
        for name in (*(row.native for row in getattr(each, "rows", ()) or each.rules.values()), *each.aliases)
        if each.kind_of(name)
    )
    found = dict.fromkeys(told)
    if os.environ.get("HOOKLINE_WRITE_DOCS"):
        write_names("all_events", found)
    assert found.keys() == all_names.ALL_EVENTS


@pytest.mark.parametrize("name", agent_names())
def test_the_page_on_installing_names_every_file(name: str) -> None:
    files = speaker_of(name).profile.files
    assert files is not None
    row = f"| `{name}` | `{files.project}` |" if files.project else f"| `{name}` | |"
    line = next(
        line for line in (DOCS.parent / "install.md").read_text().splitlines() if line.startswith(row)
    )
    assert (f"`{files.local}`" in line) == bool(files.local)
    assert (f"`~/{files.folder}/{files.user}`" in line) == bool(files.user)
