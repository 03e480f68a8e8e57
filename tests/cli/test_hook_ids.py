"""A hook's id says what it is: it stays when others come and go, and is another when the hook becomes another."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program, stem

CLAUDE = ".claude/settings.json"
TOML = ".hookline/hooks.toml"


def entry(command: str, matcher: str = "Bash", **more: Any) -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}


def claude(program: Program, *entries: dict[str, Any], event: str = "PreToolUse") -> list[str]:
    """Writes the hooks of one event; returns their ids."""
    program.write(CLAUDE, json.dumps({"hooks": {event: list(entries)}}))
    return ids(program)


def ids(program: Program) -> list[str]:
    return [hook["id"] for hook in json.loads(program("list", "--json").stdout)]


def states(program: Program) -> list[bool]:
    return [hook["enabled"] for hook in json.loads(program("list", "--json").stdout)]


def test_an_id_stays_when_other_hooks_are_added_removed_or_moved_around_it(program: Program) -> None:
    one, two, three = entry("echo 1"), entry("echo 2", "Write"), entry("echo 3", "Edit|Write")
    before = dict(zip("123", claude(program, one, two, three), strict=True))
    assert len(set(before.values())) == 3 and stem(before["1"]) == "claude:PreToolUse"
    assert claude(program, entry("echo 0"), three, one)[1:] == [before["3"], before["1"]]
    assert claude(program, two) == [before["2"]]
    own = program.home / CLAUDE
    own.parent.mkdir()
    own.write_text(json.dumps({"hooks": {"PreToolUse": [one, two]}}))
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [two]}}))
    program.write(CLAUDE, "\n" + json.dumps({"permissions": {}, "hooks": {"PreToolUse": [two]}}, indent=4))
    assert ids(program).count(before["2"]) == 1 and before["1"] not in ids(program)


@pytest.mark.parametrize(
    "other",
    [
        entry("echo 2"),
        entry("echo 1", "Write"),
        entry("echo 1", timeout=5),
        entry("echo 1", **{"if": "Bash(git *)"}),
    ],
)
def test_a_changed_definition_is_another_hook(program: Program, other: dict[str, Any]) -> None:
    assert set(claude(program, entry("echo 1"))).isdisjoint(claude(program, other))


def test_a_name_is_part_of_it_and_so_is_the_event(program: Program) -> None:
    text = '[[hooks]]\nname = "one"\nevent = "Stop"\nrun = "true"\n'
    found = []
    for changed in (text, text.replace("one", "two"), text.replace("Stop", "SessionEnd"), text):
        program.write(TOML, changed)
        found += ids(program)
    assert (len(set(found)), found[0]) == (3, found[3])


def test_a_made_up_name_is_no_part_of_it(program: Program) -> None:
    """cocode calls a hook without a name by its place."""
    one, two = (
        f'[[hooks]]\nevent = "Stop"\n[hooks.shell]\ncommand = "{word}"\n' for word in ("true", "false")
    )
    program.write(".cocode/hooks.toml", one)
    (alone,) = ids(program)
    program.write(".cocode/hooks.toml", two + one)
    assert ids(program)[1] == alone


def test_a_broken_entry_keeps_its_id_when_it_moves(program: Program) -> None:
    broken = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true", "timeout": "soon"}]}

    def found() -> list[str]:
        hooks = json.loads(program("explain", "PreToolUse", "--json").stdout)["hooks"]
        return [hook["id"] for hook in hooks if hook["status"] == "invalid"]

    claude(program, broken)
    alone = found()
    claude(program, entry("echo"), broken)
    assert len(alone) == 1 and found() == alone


def test_twins_are_told_apart_and_switched_off_one_by_one(program: Program) -> None:
    one, two = claude(program, entry("echo 1"), entry("echo 1"))
    assert two == f"{one}-2"
    program("disable", two)
    assert states(program) == [True, False]
    assert claude(program, entry("echo 0"), entry("echo 1"), entry("echo 1"))[1:] == [one, two]
    assert states(program) == [True, True, False]
    program("enable", two)
    program("disable", one)
    assert states(program) == [True, False, True]


def test_a_hook_is_named_by_enough_of_its_id_or_by_its_name(program: Program) -> None:
    program.write(
        TOML, '[[hooks]]\nname = "no push"\nevent = "PreToolUse"\nshell = "git push*"\ndeny = "no"\n'
    )
    claude(program, entry("echo 1"))
    named = dict(zip(("claude", "own"), ids(program), strict=True))
    for text in (named["claude"][:-2], named["claude"][-6:], named["claude"][-6:-3], "claude:"):
        done = program("disable", text)
        assert (done.returncode, named["claude"] in done.stderr) == (0, True), text
    assert named["own"] in program("disable", "no push").stderr
    assert states(program) == [False, False]
    vague = program("disable", "")
    assert vague.returncode == 64


def test_what_fits_several_hooks_is_refused_and_they_are_listed(program: Program) -> None:
    one, two = claude(program, entry("echo 1"), entry("echo 2"))
    done = program("disable", "claude:Pre")
    assert (done.returncode, "fits 2 hooks" in done.stderr) == (64, True)
    assert one in done.stderr and two in done.stderr
    assert states(program) == [True, True]


def test_a_place_names_no_hook(program: Program) -> None:
    claude(program, *(entry(f"echo {number}") for number in range(20)))
    done = program("disable", "claude:PreToolUse:1")
    assert (done.returncode, all(states(program))) == (64, True)


def test_switched_off_follows_the_hook_and_not_its_place(program: Program) -> None:
    first, _ = claude(program, entry("echo A"), entry("echo B"))
    program("disable", first)
    claude(program, entry("echo B"), entry("echo A"))
    assert states(program) == [True, False]
    claude(program, entry("guard --new"), entry("echo B"))
    assert states(program) == [True, True]


def test_a_named_hook_that_is_off_stays_off_when_it_is_edited(program: Program) -> None:
    text = '[[hooks]]\nname = "slow"\nevent = "Stop"\nrun = "make test"\n'
    program.write(TOML, text)
    program("disable", "slow")
    program.write(TOML, text.replace("make test", "make check"))
    assert states(program) == [False]
    assert program("enable", "slow").returncode == 0 and states(program) == [True]


def test_a_hook_whose_definition_changed_is_reviewed_as_changed(program: Program) -> None:
    program.environment["HOOKLINE_TRUST"] = ""
    claude(program, entry("echo A"))
    program("trust", "--yes")
    claude(program, entry("echo B"))
    assert [hook["trust"] for hook in json.loads(program("list", "--json").stdout)] == ["modified"]
    assert "changed: claude:PreToolUse:" in program("trust").stdout


def test_decisions_kept_under_a_place_still_hold(program: Program) -> None:
    """A store of hookline 0.1, which counted hooks."""
    program.environment["HOOKLINE_TRUST"] = ""
    first, second = claude(program, entry("echo A"), entry("echo B"))
    program("trust", "--yes")
    program("disable", second)
    store = program.home / ".config/hookline/trust.json"
    text = store.read_text().replace(first, "claude:PreToolUse:1").replace(second, "claude:PreToolUse:2")
    content = json.loads(text)
    for repository in content["repositories"].values():
        for decision in repository["sources"][CLAUDE].values():
            del decision["place"]
        for choice in repository["disabled"].values():
            del choice["name"]
    store.write_text(json.dumps(content))

    def trust() -> list[str]:
        return [hook["trust"] for hook in json.loads(program("list", "--json").stdout)]

    assert (trust(), states(program)) == (["trusted", "trusted"], [True, False])
    claude(program, entry("echo changed"), entry("echo B"))
    assert trust() == ["modified", "trusted"]
    assert program("enable", second).returncode == 0 and states(program) == [True, True]


def test_case_files_name_hooks_by_place_by_name_and_by_the_beginning_of_an_id(program: Program) -> None:
    _, second = claude(program, entry("echo 1"), entry("echo 2", "Write"))
    for name, wanted in (
        ("claude:PreToolUse:2", 0),
        (second, 0),
        (second[:-1], 0),
        ("claude:PreToolUse:1", 1),
    ):
        case = {"event": "PreToolUse", "payload": {"tool_name": "Bash", "tool_input": {"command": "ls"}}}
        case["expect"] = {"hooks": {name: "not_matched"}}
        program.write("a.hooktest.json", json.dumps({"cases": [case]}))
        assert program("test").returncode == wanted, name


def test_the_history_of_a_hook_is_found_by_the_beginning_of_its_id(program: Program) -> None:
    (known,) = claude(program, entry("echo 1"))
    program("fire", "PreToolUse", stdin='{"tool_name": "Bash"}')
    for text in (known, known[:-1], known[-6:-1]):
        assert len(json.loads(program("history", "--json", "--hook", text).stdout)) == 1
    assert json.loads(program("history", "--json", "--hook", "claude:PreToolUse:1").stdout) == []
