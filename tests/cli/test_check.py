"""`hookline check`: what people get wrong in their hooks, and what their agent makes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

FLAT = {"type": "command", "command": "true"}


def settings(program: Program, path: str = ".claude/settings.json", **hooks: Any) -> None:
    program.write(path, json.dumps({"hooks": hooks}))


def problems(program: Program, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(program("check", "--json", *arguments).stdout)
    return found


def codes(program: Program) -> list[str]:
    return [problem["code"] for problem in problems(program)]


@pytest.mark.parametrize(
    "other", [{}, {"PostToolUse": [{"hooks": [FLAT]}]}], ids=["alone", "beside a good one"]
)
def test_a_hook_without_the_list_around_it_is_an_error_in_claudes_file(
    program: Program, other: dict[str, Any]
) -> None:
    settings(program, Stop=[{"type": "command", "command": "echo flat"}], **other)
    done = program("check")
    assert done.returncode == 1
    assert "hooks.Stop[0]: a group needs a list `hooks`" in done.stdout
    assert "only GenCode reads" in done.stdout
    count = f"its {1 + len(other)} hook" + "s" * len(other)
    assert f"Claude Code drops this whole file: {count};" in done.stdout


def test_one_flat_hook_silences_no_other_fault_of_its_line(program: Program) -> None:
    wrong = {
        "Stop": [FLAT],
        "PreToolUse": {"matcher": "Bash"},
        "PostToolUse": [{"matcher": "Edit"}],
        "hooks": {},
    }
    settings(program, **wrong)
    assert codes(program) == ["flat-entry", "wrong-type", "missing-key", "unknown-event", "file-dropped"]


def test_gencodes_own_file_may_have_it(program: Program) -> None:
    settings(program, ".gen/settings.json", Stop=[FLAT])
    assert program("check").returncode == 0


@pytest.mark.parametrize("command", [("check",), ("list",), ("explain", "Stop")])
def test_what_the_agent_drops_with_a_wrong_entry_is_said(program: Program, command: tuple[str, ...]) -> None:
    hooks = {"Stop": [{"hooks": [FLAT, FLAT, {"type": "comand"}]}]}
    program.write(
        ".claude/settings.json", json.dumps({"permissions": {"deny": ["Bash(rm *)"]}, "hooks": hooks})
    )
    done = program(*command)
    words = "Claude Code drops this whole file: its 3 hooks and its permission rules"
    assert words in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "hooks"),
    [
        (".claude/settings.json", {"PreTooluse": [{"hooks": [FLAT]}]}),
        (".codex/hooks.json", {"Stop": [{"matcher": "x"}]}),
        (".gemini/settings.json", {"AfterAgent": [{"hooks": [{"type": "comand"}]}]}),
    ],
)
def test_what_the_agent_itself_only_leaves_out_is_not_called_dropped(
    program: Program, path: str, hooks: dict[str, Any]
) -> None:
    settings(program, path, **hooks)
    assert "file-dropped" not in codes(program)


@pytest.mark.parametrize(
    ("path", "event", "time"),
    [
        (".claude/settings.json", "Stop", 1e9),
        (".codex/hooks.json", "Stop", 0),
        (".claude/settings.json", "Stop", 150000),
    ],
)
def test_a_time_that_the_agent_takes_leaves_the_hook_running(
    program: Program, path: str, event: str, time: float
) -> None:
    settings(program, path, **{event: [{"hooks": [{"type": "command", "command": "true", "timeout": time}]}]})
    done = program("fire", event, "--json")
    assert [hook["status"] for hook in json.loads(done.stdout)["hooks"]] == ["ran"]


def test_gemini_takes_an_event_that_is_one_group(program: Program) -> None:
    settings(
        program,
        ".gemini/settings.json",
        BeforeTool={"hooks": [{"type": "command", "command": "echo; exit 2"}]},
    )
    assert codes(program) == ["not-a-list"]
    call = '{"tool_name": "Bash", "tool_input": {"command": "ls"}}'
    assert (
        json.loads(program("fire", "PreToolUse", "--json", stdin=call).stdout)["hooks"][0]["status"] == "ran"
    )


# -- severities, formats, codes -------------------------------------------------------------------------


def test_a_hook_that_never_runs_is_an_error_and_strict_counts_warnings(program: Program) -> None:
    settings(program, PreToolUse=[{"matcher": "Bsh", "hooks": [FLAT]}])
    assert program("check").returncode == 1
    settings(program, Stop=[{"matcher": "x", "hooks": [FLAT]}])
    assert (program("check").returncode, program("check", "--strict").returncode) == (0, 1)


def test_text_has_the_code_the_line_and_a_mark_at_the_place(program: Program) -> None:
    program.write(".claude/settings.json", '{"hooks": {\n  "Stop": [7]}}')
    lines = program("check").stdout.splitlines()
    assert lines[:3] == [
        "error: .claude/settings.json:2:12: hooks.Stop[0]: expected an object, found 7 [wrong-type]",
        '    2 |   "Stop": [7]}}',
        "                   ^",
    ]


def test_a_long_line_is_cut_around_the_place(program: Program) -> None:
    program.write(".claude/settings.json", '{"x": "' + "a" * 5000 + '", "hooks": {"Stop": [7]}}')
    lines = program("check").stdout.splitlines()
    assert all(len(line) < 150 for line in lines)
    assert lines[1][lines[2].index("^")] == "7"


def test_only_the_files_that_are_named_are_told(program: Program) -> None:
    settings(program, Stop=7)
    settings(program, ".gemini/settings.json", AfterAgent=7)
    assert {p["source"] for p in problems(program)} == {".claude/settings.json", ".gemini/settings.json"}
    assert {p["source"] for p in problems(program, ".gemini/settings.json")} == {".gemini/settings.json"}


def test_of_very_many_problems_the_most_serious_are_shown_and_the_others_counted(program: Program) -> None:
    groups = [{"hooks": [{**FLAT, "command": f"true {n}", f"timeot{n}": 3}]} for n in range(300)]
    settings(program, PreToolUse=[*groups, {"hooks": [{**FLAT, "timeout": "soon"}]}])
    found = problems(program)
    errors = [problem["severity"] for problem in found].count("error")
    done = program("check")
    lines = done.stdout.splitlines()
    shown = [line.partition(": ")[0] for line in lines if line.startswith(("error: ", "warning: "))]
    assert (len(shown), shown.count("error"), done.returncode) == (200, errors, 1)
    assert "hooks.PreToolUse[300]" in done.stdout, "the last one of the file is an error"
    assert f"and {len(found) - 200} warnings more, the least serious; " in done.stdout


def test_github_gets_workflow_commands_whose_values_cannot_leave_their_place(program: Program) -> None:
    settings(program, PreToolUse=[{"matcher": "a::b,c=%\n::error::x", "hooks": [FLAT]}])
    done = program("check", "--output-format", "github")
    (line,) = done.stdout.splitlines()
    assert line.startswith("::warning file=.claude/settings.json,line=1,col=39,title=dead-name::")
    assert "%25" in line and done.returncode == 0


def test_sarif_has_a_rule_for_every_result(program: Program) -> None:
    settings(program, PreToolUse=[{"matcher": "Bsh", "hooks": [FLAT, {"type": "comand"}]}])
    run = json.loads(program("check", "--output-format", "sarif").stdout)["runs"][0]
    rules = {row["id"]: row["shortDescription"]["text"] for row in run["tool"]["driver"]["rules"]}
    assert rules["dead-matcher"] == "The matcher never fits"
    assert {result["ruleId"] for result in run["results"]} == set(rules)
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": ".claude/settings.json"}


def test_rule_explains_a_code_and_knows_the_nearest(program: Program) -> None:
    done = program("rule", "dead-matcher")
    assert done.returncode == 0 and "example:" in done.stdout and "fix: " in done.stdout
    assert "dead-matcher  " in program("rule").stdout
    wrong = program("rule", "dead-macher")
    assert (wrong.returncode, "did you mean `dead-matcher`?" in wrong.stderr) == (64, True)


@pytest.mark.parametrize("command", [("check",), ("list",), ("doctor",), ("explain", "PreToolUse")])
def test_a_line_feed_in_the_config_writes_no_line(program: Program, command: tuple[str, ...]) -> None:
    forged = "x\nerror: forged"
    program.write(
        ".claude/settings.json",
        json.dumps(
            {
                "hooks": {
                    forged: [],
                    "PreToolUse": [{"matcher": forged, "hooks": [{**FLAT, "command": forged}]}],
                }
            }
        ),
    )
    done = program(*command)
    assert not [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error: forged")]
