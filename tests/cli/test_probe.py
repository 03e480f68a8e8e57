"""`hookline probe`: guards of every kind attacked, what got through told, and nothing of a command run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

SCRIPT = """#!/bin/sh
grep -q 'wipe --all' && { echo no >&2; exit 2; }
exit 0
"""
RULE = '[[hooks]]\nname = "no wiping"\nevent = "PreToolUse"\nshell = "wipe --all"\ndeny = "no"\n'


def probed(program: Program, *arguments: str, code: int = 1) -> list[dict[str, Any]]:
    done = program("probe", "--json", *arguments)
    assert done.returncode == code, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def claude_script(program: Program, line: str = '"$CLAUDE_PROJECT_DIR"/guard.sh') -> None:
    program.write("guard.sh", SCRIPT, 0o755)
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": line}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [hook]}}))


def test_a_script_that_looks_for_text_is_told_what_passes_it(program: Program) -> None:
    claude_script(program)
    (found,) = probed(
        program, "--command", "wipe --all", "--class", "quotes", "--class", "lists", "--max", "0"
    )
    assert found["how"] == "script"
    assert found["aims"] == ["wipe --all"]
    assert found["classes"]["lists"]["through"] == 0
    assert found["classes"]["quotes"]["denied"] < found["classes"]["quotes"]["through"]
    assert found["passed"][0] == found["classes"]["quotes"]["shortest"]
    assert found["through"] == len(found["passed"])


def test_the_probed_command_never_runs(program: Program, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    claude_script(program, f'"$CLAUDE_PROJECT_DIR"/guard.sh; : {trace}.guard')
    probed(program, "--command", f"touch {trace}", "--max", "30", code=0)
    program.write("guard.sh", f"#!/bin/sh\ngrep -q 'touch {trace}' && exit 2\nexit 0\n", 0o755)
    claude = {"matcher": "Bash", "hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/guard.sh"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [claude]}}))
    (found,) = probed(program, "--command", f"touch {trace}", "--max", "60")
    assert found["denied"] > 0 and found["through"] > 0
    assert not trace.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grep -q 'terraform destroy' && exit 1", "status 1 for `terraform destroy`, which stops nothing"),
        ("sleep 100", "still running at its time limit when it was asked about `ls -la`"),
    ],
)
def test_a_script_that_cannot_stop_anything_is_told_why(program: Program, text: str, said: str) -> None:
    claude_script(program)
    program.write("guard.sh", f"#!/bin/sh\n{text}\nexit 0\n", 0o755)
    settings = json.loads((program.workspace / ".claude/settings.json").read_text())
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 1
    program.write(".claude/settings.json", json.dumps(settings))
    (found,) = probed(program, code=0)
    assert said in found["note"] and not found["passed"]


def test_a_list_of_what_is_allowed_is_passed_behind_what_it_allows(program: Program) -> None:
    claude_script(program)
    allows = 'case $(cat) in *\'"command":"ls\'* | *\'"command": "ls\'*) exit 0;; esac; exit 2'
    program.write("guard.sh", f"#!/bin/sh\n{allows}\n", 0o755)
    (found,) = probed(program, "--command", "wipe --all", "--class", "lists", "--max", "0")
    assert found["passed"] == ["ls && wipe --all"]


def test_the_rule_for_several_commands_means_no_others_of_their_programs(program: Program) -> None:
    claude_script(program)
    program.write("guard.sh", "#!/bin/sh\ngrep -qE 'sudo|chmod 777 file' && exit 2\nexit 0\n", 0o755)
    (found,) = probed(program, "--class", "quotes")
    assert found["would_hold"]["rule"] == 'shell = ["sudo", "chmod 777"]'


def test_a_permission_rule_of_an_agent_is_attacked_by_its_own_meaning(program: Program) -> None:
    program.write(
        ".claude/settings.json", '{"permissions": {"deny": ["Bash(wipe --all:*)", "Read(./secret)"]}}'
    )
    wiping, reading = probed(program, "--class", "path", "--class", "plain")
    assert (wiping["how"], wiping["source"]) == ("permission rule", ".claude/settings.json")
    assert wiping["classes"]["plain"]["denied"] == 1
    assert wiping["classes"]["path"]["through"] > 0
    assert reading["passed"][0] == "cat secret"


def test_an_untrusted_guard_is_named_and_not_run(program: Program, tmp_path: Path) -> None:
    program.write("guard.sh", f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 2\n", 0o755)
    claude = {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [claude]}}))
    program.environment["HOOKLINE_TRUST"] = ""
    (found,) = probed(program, code=0)
    assert found["note"] == "is untrusted and does not run"
    assert not (tmp_path / "ran").exists()


def test_a_guard_that_stops_everything_is_no_guard_to_attack(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\ntool = "Bash"\ndeny = "nothing at all"\n'
    )
    (found,) = probed(program, "--command", "wipe", code=0)
    assert (found["note"], found["aims"]) == ("stops every command", [])


def test_a_guard_about_other_tools_is_not_attacked_with_commands(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PreToolUse"\ntool = "mcp__*"\ndoes = "discard"\ndeny = "no"\n'
        '[[hooks]]\nevent = "PreToolUse"\ndoes = "discard"\nexcept = [{ does = "run" }]\nask = "no"\n'
        'examples.met = [{ tool = "mcp__github__delete_repository", input = { owner = "o", repo = "r" } }]\n',
    )
    found = probed(program, "--max", "20", code=0)
    assert [each["note"] for each in found] == ["is about other tools, not about commands"] * 2


def test_without_a_guard_it_says_so(program: Program) -> None:
    done = program("probe")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no rule here denies or asks" in done.stderr


@pytest.mark.parametrize("arguments", [("--max", "-1"), ("--class", "nonsense"), ("--max", "x")])
def test_wrong_usage_is_told(program: Program, arguments: tuple[str, str]) -> None:
    assert program("probe", *arguments).returncode == 64


def test_a_guard_nobody_has_is_wrong_usage(program: Program) -> None:
    done = program("probe", "nobody")
    assert done.returncode == 64
    assert "no hook `nobody`" in done.stderr


def test_a_guard_is_named_as_everywhere_else(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml", RULE + '[[hooks]]\nname = "hello"\nevent = "SessionStart"\ncontext = "hi"\n'
    )
    whole = probed(program, "--class", "plain", code=0)
    assert len(whole) == 1
    assert probed(program, whole[0]["id"][:-3], "--class", "plain", code=0) == whole
    other = program("probe", "hello")
    assert other.returncode == 1 and "`hello` stops no commands" in other.stderr


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Edit(./locked/**)", 'write = "locked/**"'),
        ("Read(notes.txt)", 'read = "**/notes.txt"'),
        ("Bash(wipe all:*)", 'shell = "wipe all"'),
    ],
)
def test_the_rule_that_would_have_held_means_no_more_and_no_less_than_the_guard(
    program: Program, rule: str, said: str
) -> None:
    program.write(".claude/settings.json", json.dumps({"permissions": {"ask": [rule]}}))
    (found,) = probed(program, "--class", "quotes", "--class", "path")
    assert found["would_hold"]["rule"] == said
    assert f'    {said}\n    ask = "as `{rule}`"\n' in program("probe", "--class", "quotes").stdout


def test_the_same_seed_gives_the_same_shots(program: Program) -> None:
    program.write(".claude/settings.json", '{"permissions": {"ask": ["Bash(wipe:*)"]}}')
    first = probed(program, "--max", "40", "--seed", "7")
    assert first == probed(program, "--max", "40", "--seed", "7")
    assert first != probed(program, "--max", "40", "--seed", "8")
    assert first[0]["denied"] + first[0]["asked"] + first[0]["through"] == 40


def test_a_workflow_is_told_where(program: Program) -> None:
    program.write(".claude/settings.json", '{"permissions": {"deny": ["Bash(wipe:*)"]}}')
    done = program("probe", "--class", "quotes", "--output-format", "github")
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=.claude/settings.json,title=hookline probe::Bash(wipe:*): ")


def test_people_see_a_table_by_class(program: Program) -> None:
    program.write(".claude/settings.json", '{"permissions": {"deny": ["Bash(wipe all)"]}}')
    done = program("probe", "--class", "blanks", "--class", "plain", "--command", "wipe all")
    assert "  blanks" in done.stdout and "through" in done.stdout
    assert "wipe⇥all" in done.stdout
    assert done.stderr.startswith("1 guard, ")
