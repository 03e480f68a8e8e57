"""Our entries go into any config and come out again without a trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.dialects.test_editing import blanks, documents, plain

from hookline.dialects import agent_names, dialect
from hookline.dialects.editing.installing import install, installed, uninstall, wanted_events
from hookline.dialects.spelling import folded
from hookline.model.errors import ConfigError
from hookline.model.events import EventKind

AGENTS = sorted(
    name
    for name in agent_names()
    if dialect(name).profile.read_as[0] in ("json", "jsonc")
    and dialect(name).profile.can.handlers
    and not dialect(name).profile.style.event_key  # its `hooks` is no object of events
)
LAUNCHER = "'/opt/my tools/python' -I -m hookline"
agents = st.sampled_from(AGENTS)
foreign = st.sampled_from(
    ["", '"a.sh"', '{"matcher": "Bash", "hooks": [{"type": "command", "command": "x" }]}', '{"command":"y"}']
)


def agent(name: str) -> Any:
    return dialect(name)


@st.composite
def configs(draw: st.DrawFn, name: str) -> str:
    """An agent's config: odd spacing, comments, foreign hooks, or none at all."""
    kind = draw(st.sampled_from(["blank", "any", "hooks", "hooks", "hooks"]))
    if kind == "blank":
        return draw(st.sampled_from(["", "\n", "  \r\n", "\ufeff", "\ufeff\n"]))
    if kind == "any":
        return draw(documents())
    blank = lambda: draw(blanks)  # noqa: E731
    natives = draw(
        st.lists(st.sampled_from([row.native for row in agent(name).rows]), max_size=3, unique=True)
    )
    lists = []
    for native in natives:
        items = [blank() + item + blank() for item in draw(st.lists(foreign, max_size=3)) if item]
        trailing = "," + blank() if items and draw(st.booleans()) else blank() if not items else ""
        lists.append(f'{blank()}"{native}"{blank()}:{blank()}[{",".join(items)}{trailing}]{blank()}')
    inner = ",".join(lists) or blank()
    version = '"version":1,' if draw(st.booleans()) else ""
    hooks = f'"hooks":{blank()}{{{inner}}}{blank()}'
    return f'{blank()}{{{blank()}{version}"env"{blank()}: {{}},{blank()}{hooks}}}{blank()}'


@settings(max_examples=30)
@given(agents, st.data(), st.sets(st.sampled_from(list(EventKind)), max_size=3))
def test_uninstalling_gives_back_every_byte(name: str, data: st.DataObject, kinds: set[EventKind]) -> None:
    text = data.draw(configs(name))
    if "hooks" in plain_or_empty(text) and not isinstance(plain_or_empty(text)["hooks"], dict):
        return
    once = install(agent(name), text, LAUNCHER, kinds)
    assert once != text
    assert {entry.native for entry in installed(agent(name), once)} == set(wanted_events(agent(name), kinds))
    assert install(agent(name), once, LAUNCHER, kinds) == once
    assert uninstall(agent(name), once) == (text, 0)


def plain_or_empty(text: str) -> Any:
    return plain(text.removeprefix("\ufeff")) if text.strip(" \t\r\n\ufeff") else {}


def events_of(name: str, config: Any) -> Any:
    """The object that the events stand in."""
    style = agent(name).profile.style
    if style.wrapped and isinstance(config.get("hooks"), dict):
        return config["hooks"]
    return config.get(style.top, {}) if style.top else config


@settings(max_examples=30)
@given(agents, st.data())
def test_foreign_entries_stay_as_they_are(name: str, data: st.DataObject) -> None:
    text = data.draw(configs(name))
    if not isinstance(plain_or_empty(text).get("hooks", {}), dict):
        return
    before = events_of(name, plain_or_empty(text))
    after = events_of(name, plain_or_empty(install(agent(name), text, LAUNCHER, ())))
    for native, items in before.items():
        assert after[native][: len(items)] == items if isinstance(items, list) else after[native] == items


@settings(max_examples=8)
@given(agents, st.sets(st.sampled_from(list(EventKind))), st.sets(st.sampled_from(list(EventKind))))
def test_installing_again_after_a_move_brings_entries_up_to_date(
    name: str, first: set[EventKind], second: set[EventKind]
) -> None:
    text = '{\r\n\t"hooks": {"Stop": [ ]} // mine\r\n}'
    moved = install(
        agent(name), install(agent(name), text, "/old/python -m hookline", first), LAUNCHER, second
    )
    entries = installed(agent(name), moved)
    assert {folded(entry.native) for entry in entries} == set(map(folded, wanted_events(agent(name), second)))
    assert all(entry.command.startswith(LAUNCHER) for entry in entries)
    assert uninstall(agent(name), moved) == (text, 0)


@pytest.mark.parametrize("name", AGENTS)
def test_a_missing_file_goes_again_with_the_folders_made_for_it(name: str) -> None:
    text = install(agent(name), None, LAUNCHER, (), folders=2)
    assert uninstall(agent(name), text) == (None, 2)


@pytest.mark.parametrize("name", AGENTS)
def test_what_came_later_stays_when_ours_goes(name: str) -> None:
    text = install(agent(name), None, LAUNCHER, ())
    native = agent(name).rows[0].native
    value = json.loads(text)
    events_of(name, value)[native].append(
        {"hooks": [{"type": "command", "command": "mine"}], "command": "mine"}
    )
    left, _ = uninstall(agent(name), json.dumps(value, indent=2))
    assert left is not None
    kept = json.loads(left)
    assert [key for key in events_of(name, kept) if key != "version"] == [native]
    assert len(events_of(name, kept)[native]) == 1
    assert ("version" in kept) == agent(name).profile.style.version


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("text", ["[]", '"x"', "{", "{'a': 1}", '{"hooks": []}', '{"hooks": {"%s": {}}}'])
def test_what_is_no_config_is_refused(name: str, text: str) -> None:
    native = agent(name).rows[0].native
    if not agent(name).profile.style.top:  # there the events stand where `hooks` stands elsewhere
        text = text.replace('{"hooks": {"%s": {}}}', '{"%s": {}}').replace('"hooks": []', f'"{native}": 1')
    text = text.replace('"hooks"', f'"{agent(name).profile.style.top or "hooks"}"')
    with pytest.raises(ConfigError):
        install(agent(name), text.replace("%s", native), LAUNCHER, ())


@pytest.mark.parametrize("name", AGENTS)
def test_our_entries_are_sound_for_the_agents_own_reader(name: str) -> None:
    from hookline.dialects.base import Source, SourceText

    text = install(agent(name), None, LAUNCHER, set(EventKind))
    form, label = agent(name).profile.read_as
    source = Source("/w/f.json", "project", form, "f.json", label)
    loaded = agent(name).parse(SourceText(source, "text", text, path="/w/f.json", shown="f.json"))
    assert loaded.problems == ()
    assert [spec.native_event for spec in loaded.specs] == list(wanted_events(agent(name), set(EventKind)))
    for spec in loaded.specs:
        assert spec.command.startswith(f"{LAUNCHER} bridge {name} --event {spec.native_event} # hookline")
        limit = agent(name).profile.style.limits.get(spec.kind, agent(name).rule(spec).timeout_s)
        assert spec.timeout_s == limit


def test_events_at_which_silence_does_something_need_a_hook_of_their_own() -> None:
    claude = agent("claude")
    assert "WorktreeCreate" not in wanted_events(claude, ())
    assert "WorktreeCreate" in wanted_events(claude, {EventKind.WorktreeCreate})
    assert {"PreToolUse", "Stop", "UserPromptSubmit", "SessionEnd"} < set(wanted_events(claude, ()))


def test_an_event_cursor_reports_twice_is_installed_once() -> None:
    found = wanted_events(agent("cursor"), set(EventKind))
    assert "preToolUse" in found
    assert "beforeShellExecution" not in found


@pytest.mark.parametrize("name", AGENTS)
def test_our_entries_ask_for_time_enough_for_the_hooks_of_others(name: str) -> None:
    """Where an agent gives hooks a few seconds by itself, a slow guard of somebody else would be given up."""
    style = agent(name).profile.style
    if not style.timeout_key:
        return
    native = agent(name).row_of(EventKind.PreToolUse).native
    found = _objects(json.loads(install(agent(name), "", "/usr/bin/hookline", ())))
    ours = [each for each in found if f"--event {native} " in str(each.get(style.command_key))]
    assert ours and min(each[style.timeout_key] for each in ours) >= 20 * style.unit


def _objects(value: Any) -> list[dict[str, Any]]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [
        *([value] if isinstance(value, dict) else []),
        *(each for part in inner for each in _objects(part)),
    ]
