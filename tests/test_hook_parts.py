"""What a hook says in its parts, by name."""

from __future__ import annotations

from collections import Counter

from hookline.model.events import EventKind
from hookline.model.hooks import (
    Command,
    Conduct,
    HookSpec,
    Means,
    Origin,
    Rule,
    noted,
    parted,
    said_of,
    saying,
    switched_off,
)

SPEC = HookSpec("a:Stop:1", "a", EventKind.Stop, "Stop", Command("true"))


def test_no_two_parts_have_a_field_of_the_same_name() -> None:
    names = Counter(name for part in (Origin, Conduct, Means, Rule) for name in part._fields)
    assert [name for name, count in names.items() if count > 1] == []


def test_what_is_said_by_name_comes_back_from_the_part_that_has_it() -> None:
    said = {
        "plugin": "p", "aliases": (), "rewake": False, "phase": "", "attempts": 3, "cwd": "", "run_as": "root",
        "predicates": {"shell": ("ls",)}, "programs": "", "loop_limit": None,
    }  # fmt: skip
    spec = saying(SPEC, said)
    assert said_of(spec) == said
    assert spec.options == {"loop_limit": None} and spec.conduct == Conduct(
        attempts=3, phase="", rewake=False
    )
    assert saying(spec, {}) == SPEC == HookSpec(*(getattr(SPEC, name) for name in SPEC._fields))


def test_a_hook_that_says_nothing_has_parts_that_say_nothing() -> None:
    assert (said_of(SPEC), parted({})) == ({}, {"options": {}})


def test_a_note_leaves_the_others_as_they_are() -> None:
    spec = switched_off(noted(saying(SPEC, {"plugin": "p", "rewake": True}), bridge="claude"), "so")
    assert spec.origin == Origin(bridge="claude", disabled_why="so", plugin="p")
    assert (spec.enabled, spec.conduct.rewake) == (False, True)
