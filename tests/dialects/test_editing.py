"""JSON edits keep every other byte, and what was put in comes out without a trace."""

from __future__ import annotations

import json
from typing import Any

import json5
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.dialects.editing.json_edits import insert_item, remove_item, remove_items, remove_key, set_value
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import to_plain
from hookline.model.errors import ConfigError

blanks = st.sampled_from(
    ["", "", " ", "\n", "\r\n  ", "\t", "/* c */", " // c\n", "\n // d */ x\r\n", "\n    "]
)
plain_blanks = st.sampled_from(["", "", " ", "\n", "\r\n  ", "\t", "\n    "])
keys = st.text('ab é."', max_size=2)


@st.composite
def documents(draw: st.DrawFn, comments: bool = True) -> str:
    """A JSON object in odd spacing; with comments and trailing commas when allowed."""
    blank = blanks if comments else plain_blanks

    def value(depth: int) -> str:
        kind = draw(st.sampled_from(["scalar", "list", "object"] if depth else ["scalar"]))
        if kind == "scalar":
            return draw(st.sampled_from(["1", "-2.5e3", "true", "null", '"x\\"]}"', '"// no"', '""']))
        return container(depth - 1, kind == "object")

    def container(depth: int, is_object: bool) -> str:
        count = draw(st.integers(0, 3))
        names = draw(st.lists(keys, min_size=count, max_size=count, unique=True))
        parts = []
        for name in names:
            lead = f"{json.dumps(name)}{draw(blank)}:{draw(blank)}" if is_object else ""
            parts.append(draw(blank) + lead + value(depth) + draw(blank))
        trailing = "," + draw(blank) if comments and parts and draw(st.booleans()) else ""
        inner = ",".join(parts) + trailing if parts else draw(blank)
        return "{" + inner + "}" if is_object else "[" + inner + "]"

    return draw(st.sampled_from(["", "\ufeff"])) + draw(blank) + container(2, True) + draw(blank)


def plain(text: str) -> Any:
    return to_plain(parse_json(text, "f", comments=True))


def paths(value: Any, kind: type, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [at] if isinstance(value, kind) else []
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        found += paths(child, kind, (*at, key))
    return found


def at_path(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


added = st.sampled_from([1, "n", {"command": "x y", "n": [1, {}]}, [], {}, ["a", "b"]])


@given(documents(), added, st.data())
def test_removing_an_inserted_item_restores_every_byte(text: str, value: Any, data: st.DataObject) -> None:
    lists = paths(plain(text), list)
    if not lists:
        return
    path = data.draw(st.sampled_from(lists))
    count = len(at_path(plain(text), path))
    index = data.draw(st.none() | st.integers(0, count))
    edit = insert_item(text, path, value, index)
    expected = plain(text)
    at_path(expected, path).insert(count if index is None else index, value)
    assert plain(edit.text) == expected
    assert json5.loads(edit.text.removeprefix("\ufeff")) == expected
    assert remove_item(edit.text, path, count if index is None else index, edit.created) == text


@given(documents(), added, st.data())
def test_removing_a_new_member_restores_every_byte(text: str, value: Any, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(paths(plain(text), dict)))
    new = data.draw(st.lists(st.sampled_from(["new", "b.c", "é\n"]), min_size=1, max_size=3))
    edit = set_value(text, (*path, *new), value)
    expected = plain(text)
    holder = at_path(expected, path)
    for key in new[:-1]:
        holder = holder.setdefault(key, {})
    holder[new[-1]] = value
    assert plain(edit.text) == expected
    assert list(at_path(plain(edit.text), path)) == list(at_path(expected, path))
    assert remove_key(edit.text, (*path, *new), edit.created) == text


@given(documents(), added, added, st.data())
def test_a_made_list_with_its_parents_goes_with_its_last_item(
    text: str, value: Any, second: Any, data: st.DataObject
) -> None:
    path = (*data.draw(st.sampled_from(paths(plain(text), dict))), "hooks", "PreToolUse")
    first = insert_item(text, path, value)
    both = insert_item(first.text, path, second)
    assert at_path(plain(both.text), path) == [value, second]
    assert (first.created, both.created) == ((path[:-1], path), ())
    left = remove_item(both.text, path, 0, first.created)
    assert at_path(plain(left), path) == [second]
    assert remove_item(remove_item(both.text, path, 1, first.created), path, 0, first.created) == text
    assert plain(remove_item(left, path, 0, first.created)) == plain(text)


@given(documents(comments=False), added)
def test_strict_json_stays_strict_json(text: str, value: Any) -> None:
    edit = insert_item(text, ("hooks", "Stop"), value)
    assert to_plain(parse_json(edit.text, "f"))["hooks"]["Stop"] == [value]


@given(documents(), added, st.data())
def test_replacing_a_value_touches_no_other_byte(text: str, value: Any, data: st.DataObject) -> None:
    members = [path for path in paths(plain(text), object) if path and isinstance(path[-1], str)]
    if not members:
        return
    path = data.draw(st.sampled_from(members))
    edit = set_value(text, path, value)
    assert at_path(plain(edit.text), path) == value
    common = 0
    while common < min(len(text), len(edit.text)) and text[common] == edit.text[common]:
        common += 1
    old = at_path(plain(text), path)
    if old == value:
        assert not edit.changed
    else:
        assert (edit.changed, edit.before) == (True, text)
        assert plain(set_value(edit.text, path, old).text) == plain(text)


SETTINGS = """{
    // model first
    "model": "opus", /* kept */
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": []} // mine
        ]
    }
}
"""


def test_an_insertion_follows_the_style_around_it() -> None:
    hook = {"matcher": "*", "hooks": [{"type": "command"}]}
    assert (
        insert_item(SETTINGS, ("hooks", "PreToolUse"), hook).text
        == """{
    // model first
    "model": "opus", /* kept */
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": []}, // mine
            {
                "matcher": "*",
                "hooks": [
                    {
                        "type": "command"
                    }
                ]
            }
        ]
    }
}
"""
    )


def test_compact_texts_stay_compact() -> None:
    assert insert_item('{"a":[1,2],"h":{}}', ("h", "x"), {"k": 1}).text == ('{"a":[1,2],"h":{"x":[{"k":1}]}}')
    assert insert_item('{"a": [1, 2]}', ("a",), 3).text == '{"a": [1, 2, 3]}'


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "  \r\n"])
def test_a_blank_file_gets_a_document_and_loses_it_again(text: str) -> None:
    edit = insert_item(text, ("hooks", "Stop"), "x")
    assert plain(edit.text) == {"hooks": {"Stop": ["x"]}}
    assert edit.created == ((), ("hooks",), ("hooks", "Stop"))
    assert remove_item(edit.text, ("hooks", "Stop"), 0, edit.created) == text


def test_an_empty_document_is_written_in_lines() -> None:
    assert set_value("{}", ("a", "b"), [1]).text == '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'
    assert set_value('{\r\n\t"x": 1\r\n}', ("a",), {"b": 1}).text == (
        '{\r\n\t"x": 1,\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}'
    )


def test_items_are_removed_by_what_they_hold_whoever_moved_them() -> None:
    edit = insert_item(SETTINGS, ("hooks", "Stop"), {"command": "hookline bridge claude"})
    moved = edit.text.replace('"Stop": [', '"Stop": [\n            "theirs", // keep')
    left = remove_items(moved, ("hooks", "Stop"), lambda item: "hookline" in str(item), edit.created)
    assert plain(left)["hooks"]["Stop"] == ["theirs"]
    assert "// keep" in left
    assert remove_items(left, ("hooks", "Stop"), lambda item: item == "theirs").count('"Stop"') == 1
    assert remove_items(SETTINGS, ("hooks", "Gone"), lambda _: True) == SETTINGS


def test_what_is_not_there_is_removed_without_change() -> None:
    assert remove_key(SETTINGS, ("nope", "x")) == SETTINGS
    assert remove_item(SETTINGS, ("hooks", "PreToolUse"), 7) == SETTINGS


@pytest.mark.parametrize("text", ["[]", "null", '"x"', "// c\n[]"])
def test_a_file_that_holds_no_object_is_refused_and_kept(text: str) -> None:
    with pytest.raises(ConfigError, match="something else than an object"):
        set_value(text, ("a",), 1)


def test_parents_of_another_kind_and_broken_texts_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"`hooks` is not an object"):
        insert_item('{"hooks": "off"}', ("hooks", "Stop"), 1)
    with pytest.raises(ConfigError, match=r"`hooks.Stop` is not a list"):
        insert_item('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1)
    with pytest.raises(ConfigError, match="expected a key"):
        set_value('{"a": 1, b}', ("a",), 1)


def test_of_a_key_given_twice_the_one_that_counts_is_edited() -> None:
    assert set_value('{"a": 1, "a": 2}', ("a",), 3).text == '{"a": 1, "a": 3}'
