"""The watcher of agents' contracts: its page is made from what was recorded, and a change is named."""

from __future__ import annotations

import copy
import json
from pathlib import Path

from tests.real_agents.five import expected
from tools.contracts import (
    CELLS,
    EVENTS,
    PACKAGES,
    PAGE,
    RECORD,
    UNENDED,
    UNSETTLED,
    changes_of,
    config,
    known_of,
    line,
    outcome,
    page_of,
    settled,
)

from hookline.dialects import dialect


def test_the_page_is_made_from_the_record() -> None:
    assert PAGE.read_text() == page_of(json.loads(RECORD.read_text()))


def test_every_recorded_cell_is_one_that_is_tried() -> None:
    names = {f"{when} {code} {said}" for when, code, said in CELLS}
    for agent, found in json.loads(RECORD.read_text())["agents"].items():
        assert agent in PACKAGES and set(found["cells"]) == names
        assert set(EVENTS[agent].values()) <= {row.native for row in dialect(agent).rows}


def test_a_cell_that_is_another_way_is_named_with_both_versions() -> None:
    before = json.loads(RECORD.read_text())
    after = copy.deepcopy(before)
    assert changes_of(before, after) == []
    after["agents"]["gemini"] = {"version": "99", "cells": {"tool 2 text": "tool runs"}}
    was = before["agents"]["gemini"]
    (change,) = changes_of(before, after)
    assert change == {
        "agent": "gemini",
        "cell": "tool 2 text",
        "from": f"{was['version']}: {was['cells']['tool 2 text']}",
        "to": "99: tool runs",
    }
    assert changes_of({"agents": {}}, after) == []  # a new agent is no change


def test_a_turn_that_did_not_end_is_named_and_leaves_what_was_known() -> None:
    before = json.loads(RECORD.read_text())
    after = copy.deepcopy(before)
    after["agents"]["qwen"]["cells"]["tool 0 text"] = UNENDED
    after["agents"]["new"] = {"version": "1", "cells": {"tool 0 text": UNENDED}}
    (change,) = changes_of(before, after)
    assert (change["agent"], change["to"].partition(": ")[2]) == ("qwen", UNENDED)
    known = known_of(before, after)["agents"]
    assert known.pop("new")["cells"] == {"tool 0 text": UNENDED}
    assert known == before["agents"]


def test_a_cell_has_changed_when_it_is_so_twice() -> None:
    """Late once is no change; twice another way is one, and a third way is neither."""
    old = {"a": "tool runs", "b": "tool runs", "c": "denied", "d": "denied", "new": "denied"}
    seen = {**old, "b": "denied", "c": "tool runs", "d": UNENDED, "newer": "goes on"}
    second = {"b": "denied", "c": "denied", "d": "tool runs"}
    tried: list[str] = []

    def again(name: str) -> str:
        tried.append(name)
        return second[name]

    found = settled(seen, old, again)
    assert tried == ["b", "c", "d"]
    assert found == {**seen, "b": "denied", "c": "denied", "d": UNSETTLED}
    before, after = ({"agents": {"x": {"version": "1", "cells": cells}}} for cells in (old, found))
    assert [change["cell"] for change in changes_of(before, after)] == ["b", "d"]
    assert known_of(before, after)["agents"]["x"]["cells"]["d"] == "denied"


def test_what_is_told_of_a_turn_is_what_happened(tmp_path: Path) -> None:
    asked = [{"body": {"messages": "ZZWORD"}}]
    assert (outcome(None, tmp_path, "tool"), outcome([], tmp_path, "tool")) == (
        "did not end",
        "hook did not run",
    )
    (tmp_path / "fired").touch()
    assert outcome(asked, tmp_path, "tool") == "denied, text to the model"
    assert outcome([], tmp_path, "prompt") == "prompt dropped"
    assert outcome([{}], tmp_path, "stop") == "stops"
    (tmp_path / "ran").touch()
    assert outcome([{}], tmp_path, "tool") == "tool runs"


def test_the_hook_of_a_cell_is_one_of_that_agents_own() -> None:
    for agent in PACKAGES:
        written = json.dumps(config(agent, "tool", line(agent, "tool", 0, "denial")))
        assert EVENTS[agent]["tool"] in written and "ZZWORD" in written


def test_what_was_shown_in_front_of_an_agent_is_what_its_rows_say() -> None:
    """`differs` is made where it was tried; here the record is held against the rows as they are now."""
    for agent, shown in json.loads(RECORD.read_text())["shown"].items():
        wanted = expected(agent)
        assert not shown["differs"]
        assert {name: shown[name] for name in wanted if name in shown} == {
            name: wanted[name] for name in wanted if name in shown
        }
