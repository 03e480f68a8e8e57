"""Whatever a user wrote, reading it yields hooks and problems and never raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.dialects import dialect
from hookline.dialects.base import Source, SourceText

KEYS = [
    "hooks",
    "type",
    "command",
    "matcher",
    "timeout",
    "blocking",
    "once",
    "if",
    "name",
    "url",
    "headers",
    "prompt",
    "model",
    "args",
    "shell",
    "async",
    "hooksMerge",
    "parallel",
    "maxHooks",
    "claudeHooks",
    "PreToolUse",
    "Stop",
    "PreExecutionStart",
    "PostExecutionEnd",
    "Nope",
    "message",
    "stage",
    "jsonFrom",
    "remote",
    "branch",
    "noVerify",
    "onFailure",
    "gitAutoCommit",
    "description",
]
WORDS = ("command", "git-commit", "git-push", "prompt", "http", "x", "", "[a", "*", "Bash", "last-line", "sh")
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(WORDS),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)
entries = st.dictionaries(st.sampled_from(KEYS), values, max_size=6)
documents = st.dictionaries(
    st.sampled_from(KEYS),
    st.one_of(values, st.dictionaries(st.sampled_from(KEYS), st.lists(entries, max_size=3), max_size=3)),
    max_size=3,
)


def parse(name: str, text: str, label: str = "native") -> Any:
    source = Source("/w/file", "project", "json", "file", label)
    speaker = dialect(name)
    loaded = speaker.parse(SourceText(source, "text", text, path="/w/file", shown="file"))
    return speaker.combine([loaded, loaded])


@pytest.mark.parametrize("name", ["autoagent", "gencode"])
@given(document=documents)
@settings(max_examples=150)
def test_any_json_can_be_read(name: str, document: dict[str, Any]) -> None:
    for label in ("native", "claude"):
        for loaded in parse(name, json.dumps(document), label):
            usable = [spec for spec in loaded.specs if spec.handler != "unusable"]
            assert len(usable) == len(loaded.specs) or loaded.problems


TOML_VALUES = ("5", '"x"', "true", "[]", "{}", "1.5", "1979-05-27", '""', '"PreToolUse"', "[1, {a = 2}]")
TOML_KEYS = [
    "event",
    "name",
    "tool_matcher",
    "once",
    "timeout_sec",
    "on_timeout",
    "shell",
    "webhook",
    "matcher",
]


@given(
    tables=st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(TOML_KEYS), st.sampled_from(TOML_VALUES), max_size=5),
            st.sampled_from(("", '[hooks.shell]\ncommand = "x"\n', "[hooks.webhook]\nmethod = 5\n", "[x]\n")),
        ),
        max_size=4,
    )
)
@settings(max_examples=150)
def test_any_toml_can_be_read(tables: list[tuple[dict[str, str], str]]) -> None:
    text = "".join(
        "[[hooks]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) + tail
        for keys, tail in tables
    )
    for loaded in parse("cocode", text):
        usable = [spec for spec in loaded.specs if spec.handler != "unusable"]
        assert len(usable) == len(loaded.specs) or loaded.problems


@pytest.mark.parametrize("name", ["autoagent", "gencode", "cocode"])
@given(text=st.text(max_size=60))
@settings(max_examples=60)
def test_any_text_can_be_read(name: str, text: str) -> None:
    parse(name, text)
