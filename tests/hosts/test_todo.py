"""TODO.md edits keep every other byte, whatever the file looks like."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hookline.hosts.issues.files import slug_of, todo_entries, with_done, with_entry

OTHER = st.sampled_from(
    ["", "  ", "# Title", "## Pending Issues", "## Completed Issues", "- [ ] other", "- [x] done", "```", "text\t ",
     "- [ ] **[Issue #2]** Two - `issues/2-two.md`", "  - nested", "> - [ ] **[Issue #1]** quoted"]
)  # fmt: skip
ENTRY = "- [ ] **[Issue #1]** One - `issues/1-one.md`"


@given(st.lists(OTHER), st.lists(OTHER), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_checking_a_box_changes_one_line_and_loses_none(
    before: list[str], after: list[str], line_break: str, ends: bool
) -> None:
    text = line_break.join([*before, ENTRY, *after]) + (line_break if ends else "")
    done = with_done(text, 1)
    if done is None:
        assert all(entry.number != 1 for entry in todo_entries(text))
        return
    checked = ENTRY.replace("[ ]", "[x]")
    left = [line for line in done.split(line_break) if line]
    assert sorted(left) == sorted(line for line in (*before, checked, *after) if line)
    nested = {line for line in after if line.startswith(" ")}
    others = [line for line in left if line != checked and line not in nested]
    assert others == [line for line in (*before, *after) if line and line not in nested]


@given(st.lists(OTHER), st.sampled_from(["\n", "\r\n"]))
def test_an_entry_is_added_once_and_nothing_else_changes(lines: list[str], line_break: str) -> None:
    text = line_break.join(lines)
    added = with_entry(text, 1, "One", "issues/1-one.md")
    left = added.replace(ENTRY, "", 1).splitlines()
    headings = ("## Pending Issues", *(() if text else ("# To-Do", "## Completed Issues")))
    before = [line for line in lines if line]
    assert ENTRY in added
    assert [line for line in left if line and line not in headings] == [
        line for line in before if line not in headings
    ]


@given(st.text())
def test_a_slug_is_a_safe_file_name(title: str) -> None:
    slug = slug_of(title)
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert slug == slug.strip("-")
    assert "--" not in slug
    assert len(slug) <= 80


def test_slugs_follow_the_documented_rule() -> None:
    """Lower case, blanks to `-`, others dropped, dots to `-`, collapsed and trimmed."""
    assert slug_of("  Add v2.0  of THE API! ") == "add-v2-0-of-the-api"
