"""Discobot's front matter is read as its users write it, with places and reasons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.dialects.discobot.frontmatter import (
    FrontMatter,
    hook_id,
    is_true,
    parse_frontmatter,
    unique_ids,
)


@pytest.mark.parametrize(
    ("delimiter", "prefix"), [("---", ""), ("#---", "# "), ("#---", "#"), ("//---", "// ")]
)
def test_three_styles_are_read(delimiter: str, prefix: str) -> None:
    text = f"#!/bin/sh\n{delimiter}\n{prefix}name: Go fmt\n{prefix}type: file\n{delimiter}\necho\n"
    at = len(prefix) + 1
    assert parse_frontmatter(text) == FrontMatter(
        "found", delimiter, 2, {"name": "Go fmt", "type": "file"}, {"name": 3, "type": 4},
        {"name": at, "type": at}, 6,
    )  # fmt: skip


def test_without_a_shebang_it_stands_on_the_first_line() -> None:
    found = parse_frontmatter("---\nname: db\n---\n")
    assert (found.state, found.line, found.body_line) == ("found", 1, 4)


@pytest.mark.parametrize(
    "text", ["", "#!/bin/sh", "#!/bin/sh\n\n#---\n# name: x\n#---\n", "x\n---\n---\n", "#!/bin/sh\n----\n"]
)
def test_anywhere_else_it_is_no_front_matter(text: str) -> None:
    """A blank line in between means none."""
    found = parse_frontmatter(text)
    assert (found.state, found.fields) == ("none", {})
    assert found.reason == "no front matter on the first line after `#!`"


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("# type: file\necho a: b\n", "the front matter opened with `#---` is never closed"),
        ("# type: file\n---\n", "the front matter opened with `#---` is closed with `---`"),
        ("# type: file\n//---\n", "the front matter opened with `#---` is closed with `//---`"),
    ],
)
def test_without_a_closing_line_of_the_same_style_it_is_refused(rest: str, reason: str) -> None:
    found = parse_frontmatter("#!/bin/sh\n#---\n" + rest)
    assert (found.state, found.line, found.body_line, found.reason) == ("unclosed", 2, 0, reason)
    assert found.fields == {"type": "file"}, "the script below holds no fields"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("pattern: *.go", "*.go"),
        ("pattern: **/*.{ts,tsx}", "**/*.{ts,tsx}"),
        ("pattern: {a,b}.go", "{a,b}.go"),
        ("pattern: Lint: strict", "Lint: strict"),
        ('pattern: "*.go"  # comment', "*.go"),
        ("pattern: '*.go'", "*.go"),
        ("pattern: *.go # kept", "*.go # kept"),
        ('pattern: "a', '"a'),
        ('pattern: "a" b', '"a" b'),
        ("pattern:", ""),
        ("pattern:x", "x"),
        ("  pattern :  x\t", "x"),
        ('pattern: "it\'s"', "it's"),
    ],
)
def test_values_are_taken_as_they_are_written(line: str, value: str) -> None:
    assert parse_frontmatter(f"---\n{line}\n---\n").fields == {"pattern": value}


def test_lines_that_are_no_fields_are_passed_over() -> None:
    found = parse_frontmatter(
        "#!/bin/sh\n#---\n# # name: no\n#\n# words only\n# : no key\n# colour: red\n#---\n"
    )
    assert found.fields == {"colour": "red"}


def test_a_byte_order_mark_and_windows_line_ends_are_read_over() -> None:
    found = parse_frontmatter("\ufeff#!/bin/sh\r\n#---\r\n# name: x\r\n#---\r\n")
    assert (found.state, found.fields) == ("found", {"name": "x"})
    assert found.byte_order_mark
    plain = parse_frontmatter("#!/bin/sh\n#---\n# name: x\n#---\n")
    assert not plain.byte_order_mark


@given(st.text("#-/\n: abc\"'\r\ufeff!", max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    found = parse_frontmatter(text)
    assert set(found.fields) == set(found.lines) == set(found.columns)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("go-fmt.sh", "go-fmt"),
        ("foo.bar.sh", "foo-bar"),
        ("MyService.sh", "myservice"),
        ("my_service.sh", "my_service"),
        ("my@service!.sh", "myservice"),
        ("test (1).sh", "test1"),
        ("service..sh", "service"),
        ("lint", "lint"),
        ("lint.go", "lint-go"),
        ("a.py.sh", "a-py"),
        ("-x-.zsh", "x"),
    ],
)
def test_ids_come_from_file_names(name: str, expected: str) -> None:
    assert hook_id(name) == expected


def test_a_name_of_which_nothing_is_left_gets_a_stable_hash() -> None:
    assert hook_id("проверка.sh") == "hook-" + hook_id("проверка.sh").removeprefix("hook-")
    assert len(hook_id("проверка.sh")) == len("hook-") + 8
    assert hook_id("проверка.sh") != hook_id("другая.sh")


def test_files_with_one_id_are_told_apart_by_their_ending() -> None:
    """A later file never takes the id another one has by right."""
    assert unique_ids(["lint.js", "lint.py", "lint.sh"]) == ["lint", "lint-py", "lint-sh"]
    assert unique_ids(["lint-py.sh", "lint.js", "lint.py"])[:2] == ["lint-py", "lint"]
    names = ["lint-py.sh", "lint.js", "lint.py", "LINT.py", "l.i.n.t", "lint", "l@int"]
    ids = unique_ids(names)
    assert len(set(ids)) == len(names)
    assert unique_ids(names) == ids


@pytest.mark.parametrize("word", ["false", "False", "FALSE", "no", "No", "off", "OFF", "n", "0", " false "])
def test_every_yaml_word_for_false_is_false(word: str) -> None:
    assert not is_true(word)


@pytest.mark.parametrize("word", ["true", "yes", "on", "1", "", "maybe"])
def test_anything_else_is_true(word: str) -> None:
    assert is_true(word)
