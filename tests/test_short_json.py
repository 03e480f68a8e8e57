"""Our JSON without `json` says what `json` says."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.waiting import DEADLINE_S

from hookline.model.short_json import json_or, read_json, write_json, write_lines

texts = st.text(st.characters(codec=None), max_size=8)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=12)


@given(values)
def test_values_are_written_as_json_writes_them(value: object) -> None:
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert write_json(value) == compact
    in_order = json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert write_json(value, ascii_only=True, sort_keys=True) == in_order
    for indent in ("\t", "  "):
        assert write_lines(value, indent) == json.dumps(value, ensure_ascii=False, indent=indent)


NO_JSON = ("{broken", '"open', '"\\x"', '["\t"]', "", '{"a": "b')
TOLD = """
import sys
from hookline.dialects.reading.json_text import parse_json
from hookline.model.short_json import read_json
def told(read, *given):
    try:
        read(*given)
    except Exception as error:
        return repr(str(error))
for text in TEXTS:
    for read in ((read_json, text), (parse_json, text, "f.json")):
        for name in ALONE * [name for name in sys.modules if name.partition(".")[0] == "json"]:
            del sys.modules[name]
        print(told(*read))
"""


def test_what_is_no_json_is_told_where_json_is_not_loaded() -> None:
    """The C code takes its errors from `json`, and has none before that is loaded."""
    shown = []
    for alone in (0, 1):
        code = f"import sys; sys.path[:0] = {sys.path!r}; import json; ALONE = {alone}; TEXTS = {NO_JSON!r}\n{TOLD}"
        done = subprocess.run(
            [sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=DEADLINE_S
        )
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout.splitlines())
    assert shown[0] == shown[1]
    assert len(shown[0]) == 2 * len(NO_JSON) and "None" not in shown[0]
    assert "f.json:1:1: this string has no closing" in shown[0][3]


@given(values, st.sampled_from([None, 1, "\t"]))
def test_what_json_wrote_is_read(value: object, indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent)
    assert read_json(f" {text}\r\n") == read_json(text.encode()) == value
    assert read_json(text.encode("utf-16")) == value


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", "[1,]", "1 2", "nul", '"\\u12"', '"\n"', "{'a': 1}", "\ufeff1", b"\xff", b"[1", "1e", "-"],
)
def test_faults_are_told_in_the_words_of_json(text: str | bytes) -> None:
    with pytest.raises(ValueError) as theirs:
        json.loads(text)
    with pytest.raises(type(theirs.value)) as ours:
        read_json(text)
    assert str(ours.value) == str(theirs.value)


def test_what_json_does_not_have_is_refused_or_replaced() -> None:
    assert write_json({"a": {1}}, default=sorted) == '{"a":[1]}'
    assert math.isnan(read_json("[NaN]")[0]) and write_json([math.nan]) == "[NaN]"
    with pytest.raises(ValueError):
        write_json([math.inf], allow_nan=False)
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        write_json([{1}])
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="Circular"):
        write_json(circle)


@pytest.mark.parametrize("text", [*NO_JSON, "[" * 100_000, b"\xff", "[1] 2"])
def test_what_is_no_json_is_the_other_thing(text: str | bytes) -> None:
    assert json_or(text) is None
    assert json_or(text, text) is text


@given(values)
def test_what_may_be_anything_is_read_as_json_in_whole_letters(value: object) -> None:
    found = json_or(json.dumps(value))
    json.dumps(found, ensure_ascii=False).encode()  # no half of a letter is left
    if not any(0xD800 <= ord(letter) < 0xE000 for letter in json.dumps(value, ensure_ascii=False)):
        assert found == value
