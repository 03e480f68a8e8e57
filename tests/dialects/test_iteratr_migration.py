"""Version 1 configs of iteratr, made to mean the same in version 2."""

from __future__ import annotations

import pytest
import yaml

from hookline.dialects.iteratr.profile import Migration, migrated

BEFORE = """\
hooks:
  pre_iteration:
    - command: "golangci-lint run ./..."  # lint
      timeout: 30
    - command: git status
  post_iteration:
    - command: go test ./...
"""
HEAD = "hooks:\n  pre_iteration:\n    - timeout: 5\n"
AFTER = """\
hooks:
  pre_iteration:
    - command: "golangci-lint run ./..."  # lint
      timeout: 30
      pipe_output: true
    - command: git status
      pipe_output: true
  post_iteration:
    - command: go test ./...
"""


def test_the_documented_migration() -> None:
    """Only pre_iteration was piped before; comments and order stay."""
    assert migrated(BEFORE) == Migration(AFTER, (3, 5))
    assert migrated(AFTER) == Migration(AFTER)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("hooks: {pre_iteration: [{command: x}]}", "hooks: {pre_iteration: [{command: x, pipe_output: true}]}"),
        (
            "hooks:\r\n  pre_iteration:\r\n  - command: x # c\r\n",
            "hooks:\r\n  pre_iteration:\r\n  - command: x # c\r\n    pipe_output: true\r\n",
        ),
        (
            HEAD + "      command: |\n        a\n        b\n\n# end\n",
            HEAD + "      pipe_output: true\n      command: |\n        a\n        b\n\n# end\n",
        ),
        (
            "hooks:\n  pre_iteration:\n    - command: x",
            "hooks:\n  pre_iteration:\n    - command: x\n      pipe_output: true",
        ),
        ("hooks:\n  pre_iteration:\n    - command: x\n      pipe_output: no\n", None),
        ("hooks:\n  pre_iteration:\n    -\n    - timeout: 3\n", None),
        ("# nothing\n", None),
        ("hooks:\n", None),
    ],
)  # fmt: skip
def test_the_key_is_added_in_the_files_own_form(before: str, after: str | None) -> None:
    assert migrated(before).text == (before if after is None else after)
    assert (migrated(before).added != ()) == (after is not None)
    yaml.safe_load(migrated(before).text)


def test_a_hook_that_other_lists_share_is_left_to_its_author() -> None:
    text = "hooks:\n  post_iteration:\n    - &a\n      command: x\n  pre_iteration:\n    - *a\n"
    assert migrated(text) == Migration(text, (), (3,))
