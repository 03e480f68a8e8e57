"""Config texts become nodes with places, and every fault in them is told at once."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hookline.dialects.durations import implausible, seconds_from, seconds_from_text
from hookline.dialects.reading.documents import parsed, read_document
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import Node, UnreadableConfig, to_plain
from hookline.dialects.reading.reader import Reader
from hookline.dialects.reading.toml_text import parse_toml
from hookline.dialects.reading.yaml_text import parse_yaml
from hookline.dialects.spelling import nearest
from hookline.model.errors import Problem

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)


def places(node: Node) -> dict[str, tuple[int, int]]:
    return {each.path: (each.line, each.column) for each in node.walk()}


def fault(language: Any, text: str) -> Problem:
    with pytest.raises(UnreadableConfig) as caught:
        parsed(language, text, "f")
    return caught.value.problem


@given(values, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_json_means_what_the_standard_library_says(value: object, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert repr(to_plain(parse_json(text, "f"))) == repr(json.loads(text))
    assert repr(to_plain(parse_json(text, "f", comments=True))) == repr(json.loads(text))


@given(st.text(alphabet='{}[]",:\\ \n01-.eEtrufalsn/*', max_size=12))
def test_json_accepts_and_refuses_the_same_texts_as_the_standard_library(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        assert fault("json", text).code == "bad-json"
    else:
        if repr(expected).count("inf"):
            return
        assert repr(to_plain(parse_json(text, "f"))) == repr(expected)


words = st.text(st.characters(categories=("L",)), min_size=1, max_size=6).filter(
    lambda word: word.lower() not in {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
)
yaml_scalars = st.booleans() | st.integers() | words | st.none()
yaml_values = st.recursive(
    yaml_scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)
)


@given(st.dictionaries(words, yaml_values, min_size=1, max_size=4), st.booleans())
def test_yaml_means_what_pyyaml_says_where_1_1_and_1_2_agree(value: object, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    assert to_plain(parse_yaml(text, "f")) == yaml.safe_load(text)


toml_scalars = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=("Cs", "Cc")))
    | st.datetimes()
    | st.dates()
)
toml_values = st.recursive(
    toml_scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)
)


@given(st.dictionaries(st.text(max_size=5), toml_values, max_size=4))
def test_toml_means_what_tomllib_says_and_every_value_has_its_own_place(value: dict[str, Any]) -> None:
    import tomlkit

    text = tomlkit.dumps(value)
    node = parse_toml(text, "f")
    assert to_plain(node) == tomllib.loads(text)
    offsets = [each.offset for each in node.walk() if each.kind not in ("object", "array")]
    assert len(offsets) == len(set(offsets))


def test_json_places_count_characters_after_a_byte_order_mark() -> None:
    text = '\ufeff{\r\n  "h\\u00e9": [1, {"é": "ü", "b c": null}],\n "z": -1.5e3}'
    node = parse_json(text, "f")
    assert places(node) == {
        "": (1, 1),
        "hé": (2, 14),
        "hé[0]": (2, 15),
        "hé[1]": (2, 18),
        "hé[1].é": (2, 24),
        'hé[1]["b c"]': (2, 36),
        "z": (3, 7),
    }
    assert node.key_place("z") == (3, 2)
    assert node.members["hé"].items[1].key_place("b c") == (2, 29)


def test_yaml_places_survive_anchors_merges_and_wide_characters() -> None:
    text = "base: &b {x: 1}\n# 𝒳\nä:\n  <<: *b\n  y: '𝒳'\n  z: [*b, 2]\n"
    node = parse_yaml(text, "f")
    assert to_plain(node) == {"base": {"x": 1}, "ä": {"y": "𝒳", "z": [{"x": 1}, 2], "x": 1}}
    assert places(node) == {
        "": (1, 1),
        "base": (1, 7),
        "base.x": (1, 14),
        "ä": (4, 3),
        "ä.x": (1, 14),
        "ä.y": (5, 6),
        "ä.z": (6, 6),
        "ä.z[0]": (1, 7),
        "ä.z[0].x": (1, 14),
        "ä.z[1]": (6, 11),
    }


def test_toml_places_cover_tables_arrays_dotted_keys_and_long_strings() -> None:
    text = '''# top
title = """a
= [b]""" # x
"q.r".s = 1
[a.b]
k = [ 1, # ]
  {x = 'y', z.w = """}"""} ]
[[h]]
t = 1979-05-27 07:32:00
[[h]]
  [h.sub]
  "\\u00e9" = true
[[h]]
'''
    node = parse_toml(text, "f")
    assert to_plain(node) == tomllib.loads(text)
    assert places(node) == {
        "": (1, 1),
        "title": (2, 9),
        '["q.r"]': (4, 1),
        '["q.r"].s': (4, 11),
        "a": (5, 1),
        "a.b": (5, 1),
        "a.b.k": (6, 5),
        "a.b.k[0]": (6, 7),
        "a.b.k[1]": (7, 3),
        "a.b.k[1].x": (7, 8),
        "a.b.k[1].z": (7, 13),
        "a.b.k[1].z.w": (7, 19),
        "h": (8, 1),
        "h[0]": (8, 1),
        "h[0].t": (9, 5),
        "h[1]": (10, 1),
        "h[1].sub": (11, 3),
        "h[1].sub.é": (12, 14),
        "h[2]": (13, 1),
    }
    assert node.members["a"].members["b"].key_place("k") == (6, 1)


def test_yaml_words_and_clock_times_stay_strings() -> None:
    text = "on: off\nyes: no\nt: 12:30:45\nd: 2026-01-01\nn: 010\no: 0o17\nx: 0x1F\nf: 1e3\ne:\ns: !!str 5\n"
    assert to_plain(parse_yaml(text, "f")) == {
        "on": "off", "yes": "no", "t": "12:30:45", "d": "2026-01-01", "n": 10, "o": 15, "x": 31,
        "f": 1000.0, "e": None, "s": "5",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "\ufeff"])
def test_a_yaml_text_without_content_is_an_object_without_keys(text: str) -> None:
    assert to_plain(parse_yaml(text, "f")) == {}


SYNTAX = [
    ("json", "", (1, 1), "expected a value, found the end of the file", ""),
    ("json", '{"a": 1,\n}', (2, 1), "expected a key after `,`, found `}`", "remove the comma before `}`"),
    ("json", "[1,\n ]", (2, 2), "expected a value after `,`, found `]`", "remove the comma before `]`"),
    ("json", '{"a": 1\n "b": 2}', (2, 2), "expected `,` or `}`, found `\"`",
     "put a comma after the value before it"),
    ("json", "{a: 1}", (1, 2), "expected a key in double quotes, found `a`", 'write `"a"`'),
    ("json", "{'a': 1}", (1, 2), "expected a key in double quotes, found `'`",
     'write strings in double quotes: `"…"`'),
    ("json", '{"a" 1}', (1, 6), "expected `:` after the key, found `1`", ""),
    ("json", '{"a": NaN}', (1, 7), "expected a value, found `NaN`", "JSON has no `NaN`: write a number"),
    ("json", '{"a": -Infinity}', (1, 7), "expected a value, found `-Infinity`",
     "JSON has no `-Infinity`: write a number"),
    ("json", "[True]", (1, 2), "expected a value, found `True`", "write `true`"),
    ("json", "[01]", (1, 2), "expected a value, found `01`", ""),
    ("json", "[1e999]", (1, 2), "`1e999` is beyond the range of a number", ""),
    ("json", '["a\nb"]', (1, 4), "a string may not hold a raw line break or control character",
     "write `\\n` for a line break, `\\t` for a tab"),
    ("json", '["a\\x"]', (1, 4), "this escape is not one of JSON's", "write `\\\\` for a backslash"),
    ("json", '["a', (1, 2), 'this string has no closing `"`', ""),
    ("json", "{} x", (1, 4), "expected the end of the file, found `x`",
     "one value makes up the file: remove what follows it"),
    ("json", "[1] // c", (1, 5), "expected the end of the file, found `//`",
     "this file is plain JSON: remove the comment"),
    ("json", '{"a": /* c */ 1}', (1, 7), "expected a value, found `/*`",
     "this file is plain JSON: remove the comment"),
    ("jsonc", "[1,,]", (1, 4), "expected a value, found `,`", ""),
    ("jsonc", "[1 /* ]", (1, 4), "this comment has no closing `*/`", ""),
    ("jsonc", "[1 /* a */ /* ]", (1, 12), "this comment has no closing `*/`", ""),
    ("yaml", "a: [\n", (2, 1), "did not find expected node content (while parsing a flow node)", ""),
    ("yaml", "a:\n\t- b", (2, 1), "found character that cannot start any token (while scanning for the"
     " next token)", "indent with blanks: YAML allows no tabs there"),
    ("yaml", "x: !foo 1", (1, 4), "the tag `!foo` is not supported", ""),
    ("yaml", "a: 1\n---\nb: 2", (2, 1), "expected one document, found a second one after `---`", ""),
    ("yaml", "? [a]\n: b", (1, 3), "expected a word as key, found a list, an object or an alias", ""),
    ("yaml", "a: &a [*a]", (1, 8), "`*a` stands inside of what it names", ""),
    ("yaml", "a: *b", (1, 4), "the anchor `&b` is not defined before this", ""),
    ("yaml", "a: !!int x", (1, 4), "`x` is not a value of the tag `int`", ""),
    ("toml", "a = \n", (1, 5), "invalid value", ""),
    ("toml", "a = 1\na = 2\n", (2, 6), "cannot overwrite a value", ""),
    ("toml", 'a = "x', (1, 7), "unterminated string", ""),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "place", "message", "hint"), SYNTAX)
def test_a_syntax_fault_says_where_what_was_found_and_what_to_do(
    language: Any, text: str, place: tuple[int, int], message: str, hint: str
) -> None:
    assert fault(language, text) == Problem("f", *place, "", f"bad-{language[:4]}", message, hint)


def test_comments_and_trailing_commas_are_for_the_dialects_that_have_them() -> None:
    text = '// c\n{ /* x */ "a": [1, // y\n ], "b": {"c": "//", },\n}\n// end'
    assert to_plain(parse_json(text, "f", comments=True)) == {"a": [1], "b": {"c": "//"}}


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_hostile_nesting_is_refused_not_followed(opening: str) -> None:
    assert fault("json", opening * 50_000).message == "nested deeper than 100 levels"
    assert fault("yaml", opening.replace(":", ": ") * 50_000).message == "nested deeper than 100 levels"
    assert fault("yaml", "- " * 50_000).message == "nested deeper than 100 levels"
    assert fault("toml", "a = " + "[" * 50_000).message == "nested too deeply"


def test_anchors_that_multiply_are_refused_in_time() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert fault("yaml", "\n".join(lines)).message == (
        "more than 200000 values once its anchors are expanded"
    )


FAULTY = """{
  "hookz": 1,
  "count": 2.5,
  "hooks": [
    {"comand": "a", "timeout": 5},
    {"command": 7, "timeout": "5s", "once": "yes"},
    "ls",
    {"command": "ok", "timeout": 5000, "tags": ["a", 1, null], "env": {"A": "x", "B": 2}},
    {"command": " ", "timeout": -1, "tags": "a", "env": [], "once": 1},
    {"command": null, "timeout": 0, "mode": "syncc", "retries": -9},
    {"command": "a", "command": "b", "timeout": true, "mode": "x", "retries": "3"},
    {"command": ["a"], "timeout": {"s": 1}, "mode": 1, "retries": 1.5, "tags": {"a": 1}},
    {"command": {"x": 1}, "timeout": "5000", "once": null, "env": "A=1", "retries": -1},
    {"command": "c", "timeout": 9000000, "when": "pre_tool_use", "extra": []}
  ]
}
"""
EXPECTED = [
    (2, 3, "hookz", "unknown-key", "`hookz` means nothing here", "warning"),
    (3, 12, "count", "wrong-type", "expected a whole number, found 2.5", "error"),
    (5, 5, "hooks[0].command", "missing-key", "`command` is missing", "error"),
    (5, 6, "hooks[0].comand", "unknown-key", "`comand` means nothing here", "warning"),
    (5, 32, "hooks[0].timeout", "implausible-time", "5 milliseconds is too short for any hook", "warning"),
    (6, 17, "hooks[1].command", "wrong-type", "expected a command line, found 7", "error"),
    (6, 31, "hooks[1].timeout", "wrong-type", 'expected milliseconds, found "5s"', "error"),
    (6, 45, "hooks[1].once", "wrong-type", 'expected true or false, found "yes"', "error"),
    (7, 5, "hooks[2]", "wrong-type", 'expected an object, found "ls"', "error"),
    (8, 54, "hooks[3].tags[1]", "wrong-type", "expected a string, found 1", "error"),
    (8, 57, "hooks[3].tags[2]", "wrong-type", "expected a string, found null", "error"),
    (8, 87, "hooks[3].env.B", "wrong-type", "expected a string, found 2", "error"),
    (9, 17, "hooks[4].command", "empty-value", "expected a command line, found an empty one", "error"),
    (9, 33, "hooks[4].timeout", "bad-value", "expected milliseconds, more than 0, found -1", "error"),
    (9, 45, "hooks[4].tags", "wrong-type", 'expected a list of strings, found "a"', "error"),
    (9, 57, "hooks[4].env", "wrong-type", "expected an object of strings, found a list", "error"),
    (9, 69, "hooks[4].once", "wrong-type", "expected true or false, found 1", "error"),
    (10, 17, "hooks[5].command", "missing-key", "`command` is null", "error"),
    (10, 34, "hooks[5].timeout", "bad-value", "expected milliseconds, more than 0, found 0", "error"),
    (10, 45, "hooks[5].mode", "bad-value", 'expected `sync` or `async`, found "syncc"', "error"),
    (10, 65, "hooks[5].retries", "bad-value", "expected a whole number of at least 0, found -9", "error"),
    (11, 22, "hooks[6].command", "duplicate-key", "`command` is given more than once; the last one counts",
     "warning"),
    (11, 49, "hooks[6].timeout", "wrong-type", "expected milliseconds, found true", "error"),
    (11, 63, "hooks[6].mode", "bad-value", 'expected `sync` or `async`, found "x"', "error"),
    (11, 79, "hooks[6].retries", "wrong-type", 'expected a whole number, found "3"', "error"),
    (12, 17, "hooks[7].command", "wrong-type", "expected a command line, found a list", "error"),
    (12, 35, "hooks[7].timeout", "wrong-type", "expected milliseconds, found an object", "error"),
    (12, 53, "hooks[7].mode", "wrong-type", "expected a string, found 1", "error"),
    (12, 67, "hooks[7].retries", "wrong-type", "expected a whole number, found 1.5", "error"),
    (12, 80, "hooks[7].tags", "wrong-type", "expected a list of strings, found an object", "error"),
    (13, 17, "hooks[8].command", "wrong-type", "expected a command line, found an object", "error"),
    (13, 38, "hooks[8].timeout", "wrong-type", 'expected milliseconds, found "5000"', "error"),
    (13, 67, "hooks[8].env", "wrong-type", 'expected an object of strings, found "A=1"', "error"),
    (13, 85, "hooks[8].retries", "bad-value", "expected a whole number of at least 0, found -1", "error"),
    (14, 33, "hooks[9].timeout", "implausible-time", "9000000 milliseconds is 2 hours", "warning"),
    (14, 50, "hooks[9].when", "bad-value", 'expected `PreToolUse`, found "pre_tool_use"', "error"),
    (14, 66, "hooks[9].extra", "unknown-key", "`extra` means nothing here", "warning"),
]  # fmt: skip
KEYS = {"command", "timeout", "once", "tags", "env", "mode", "retries", "when"}


def read_faulty(reader: Reader) -> list[str]:
    """The commands of the entries that are sound."""
    reader.unknown_keys({"hooks", "count"})
    reader.integer("count")
    sound = []
    for hook in reader.objects("hooks"):
        command = hook.string("command", required=True, wanted="a command line", blank=False)
        hook.unknown_keys(KEYS)
        hook.duration("timeout", "ms")
        hook.boolean("once")
        hook.string_list("tags")
        hook.string_map("env")
        hook.choice("mode", ("sync", "async"))
        hook.integer("retries", minimum=0)
        hook.choice("when", ("PreToolUse",))
        if command and not hook.broken:
            sound.append(command)
    return sound


def test_all_seeded_faults_are_told_at_once_with_their_exact_places() -> None:
    problems: list[Problem] = []
    reader = read_document("json", FAULTY, "f", problems)
    assert reader is not None
    assert read_faulty(reader) == []
    told = sorted((p.line, p.column, p.path, p.code, p.message, p.severity) for p in problems)
    assert told == EXPECTED
    assert len(told) >= 30


def test_hints_say_what_to_write() -> None:
    problems: list[Problem] = []
    reader = read_document("json", FAULTY, "f", problems)
    assert reader is not None
    read_faulty(reader)
    assert {problem.path: problem.hint for problem in problems if problem.hint} == {
        "hooks[0].comand": "did you mean `command`?",
        "hooks[0].command": "is `comand` meant to be `command`?",
        "hooks[0].timeout": "if seconds were meant, write `5000`",
        "hooks[1].command": 'write `"7"`',
        "hooks[1].timeout": "write `5000`",
        "hooks[1].once": "write `true`",
        "hooks[3].tags[1]": 'write `"1"`',
        "hooks[3].env.B": 'write `"2"`',
        "hooks[4].tags": 'write `["a"]`',
        "hooks[5].mode": "did you mean `sync`?",
        "hooks[6].command": "remove one",
        "hooks[6].retries": "write `3` without quotes",
        "hooks[7].mode": 'write `"1"`',
        "hooks[7].tags": "put it in a list: `[…]`",
        "hooks[8].timeout": "write `5000` without quotes",
        "hooks[9].timeout": "the unit here is milliseconds",
        "hooks[9].when": "did you mean `PreToolUse`?",
        "hookz": "`hooks` is there already: join them",
    }


def test_one_wrong_entry_leaves_its_siblings() -> None:
    problems: list[Problem] = []
    entries = '{"command": "a"}, {"command": 1}, null, {"command": "c", "timeout": "x"}, {"command": "d"}'
    text = f'{{"hooks": [{entries}]}}'
    reader = read_document("json", text, "f", problems)
    assert reader is not None
    assert read_faulty(reader) == ["a", "d"]
    assert [problem.path for problem in problems] == ["hooks[2]", "hooks[1].command", "hooks[3].timeout"]


def test_the_same_faults_have_places_in_yaml_and_toml() -> None:
    problems: list[Problem] = []
    for language, text in (
        ("yaml", "hooks:\n  - comand: a\n    timeout: 5s\n  - ls\n"),
        ("toml", "[[hooks]]\ncomand = 'a'\ntimeout = '5s'\n[[hooks]]\ntimeout = 1979-05-27\ncommand = 'x'\n"),
    ):
        reader = read_document(language, text, language, problems)  # type: ignore[arg-type]  # two of four
        assert reader is not None
        read_faulty(reader)
    assert [(p.source, p.line, p.column, p.path, p.code) for p in problems] == [
        ("yaml", 4, 5, "hooks[1]", "wrong-type"),
        ("yaml", 2, 5, "hooks[0].command", "missing-key"),
        ("yaml", 2, 5, "hooks[0].comand", "unknown-key"),
        ("yaml", 3, 14, "hooks[0].timeout", "wrong-type"),
        ("toml", 1, 1, "hooks[0].command", "missing-key"),
        ("toml", 2, 1, "hooks[0].comand", "unknown-key"),
        ("toml", 3, 11, "hooks[0].timeout", "wrong-type"),
        ("toml", 5, 11, "hooks[1].timeout", "wrong-type"),
    ]


@pytest.mark.parametrize("text", ["[]", "null", "3", '"x"'])
def test_a_document_that_is_not_an_object_is_refused(text: str) -> None:
    problems: list[Problem] = []
    assert read_document("json", text, "f", problems) is None
    assert [problem.message.partition(",")[0] for problem in problems] == [
        "expected an object at the top of the file"
    ]


def test_readers_return_sound_values() -> None:
    text = (
        '{"s": "x", "b": false, "i": 5.0, "n": 1.5, "d": 2, "z": 0, "c": "a",'
        ' "l": ["a"], "m": {"k": "v"}, "one": "a", "o": {"s": "y"}, "no": null}'
    )
    problems: list[Problem] = []
    reader = Reader(parse_json(text, "f"), "f", problems)
    inner = reader.object("o")
    assert inner is not None
    assert (
        reader.string("s"), reader.boolean("b"), reader.integer("i"),
        reader.duration("d", "s"), reader.duration("z", "s", zero=True),
        reader.choice("c", ("a",)), reader.string_list("l"), reader.string_map("m"),
        reader.string_list("one", single=True), inner.string("s"), reader.string("no"), reader.string("gone"),
        [each.string("s") for each in reader.objects("o", single=True)], reader.broken, problems,
    ) == (
        "x", False, 5, 2.0, 0.0, "a", ("a",), {"k": "v"}, ("a",), "y", None, None, ["y"], False, [],
    )  # fmt: skip


def test_problems_of_a_guard_are_marked_so() -> None:
    problems: list[Problem] = []
    Reader(parse_json('{"a": 1}', "f"), "f", problems, guard=True).string("a")
    assert [problem.guard for problem in problems] == [True]


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("pre_tool_use", ["PostToolUse", "PreToolUse"], "PreToolUse"),
        ("PreToolUes", ["PostToolUse", "PreToolUse"], "PreToolUse"),
        ("PostCompact", ["preCompact", "stop"], None),
        ("BeforeTool", ["AfterTool"], None),
        ("comand", ["command", "comment"], "command"),
        ("beforeShellExec", ["beforeShellExecution", "beforeReadFile"], "beforeShellExecution"),
        ("xyz", ["command", "timeout"], None),
        ("a", [], None),
        ("", ["a"], "a"),
    ],
)
def test_the_nearest_name_is_proposed(word: str, known: list[str], expected: str | None) -> None:
    assert nearest(word, known) == expected


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (5000, "ms", 5.0), (5, "s", 5.0), (0, "s", 0.0), (-1, "s", None), (True, "s", None), ("2s", "ms", None),
        (700, "ms", 0.7), (None, "s", None), (float("nan"), "s", None), (float("inf"), "s", None), (10**400, "s", None),
    ],
)  # fmt: skip
def test_times_are_read_in_the_unit_of_their_dialect(
    value: object, unit: Any, expected: float | None
) -> None:
    assert seconds_from(value, unit) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2s", 2.0), ("500ms", 0.5), ("1100ms", 1.1), ("1.5m", 90.0), ("1h", 3600.0), ("5", None), ("", None)],
)
def test_a_time_may_say_its_unit(text: str, expected: float | None) -> None:
    assert seconds_from_text(text) == expected


@pytest.mark.parametrize(
    ("seconds", "unit", "expected"),
    [
        (5000.0, "s", ("5000 seconds is 83 minutes", "if milliseconds were meant, write `5`")),
        (0.03, "ms", None),
        (0.005, "ms", ("5 milliseconds is too short for any hook", "if seconds were meant, write `5000`")),
        (3600.0, "s", None),
        (86400.0, "ms", ("86400000 milliseconds is 24 hours", "the unit here is milliseconds")),
        (0.0, "s", None),
    ],
)  # fmt: skip
def test_a_time_in_the_wrong_unit_is_doubted(
    seconds: float, unit: Any, expected: tuple[str, str] | None
) -> None:
    assert implausible(seconds, unit) == expected


def test_reading_json_imports_no_other_language() -> None:
    code = "import sys, hookline.dialects.reading.documents; print(*sys.modules)"
    env = {"PYTHONPATH": ":".join(sys.path)}
    shown = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=env)
    assert shown.returncode == 0
    assert {"yaml", "tomllib", "typing", "difflib", "dataclasses"} & set(shown.stdout.split()) == set()
