"""Sessions of `hookline run`: kept as JSON lines, gone on with, and never from another project."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.cli.loop_bench import call, gencode, requests, results, run, stream
from tests.program import Program
from tests.waiting import until


def transcripts(program: Program) -> list[Path]:
    return sorted((program.home / ".local/state/hookline/transcripts").glob("*.jsonl"))


def test_a_session_is_kept_message_by_message(program: Program) -> None:
    run(program, [call("Bash", command="echo hi"), {"text": "done"}], "--session", "mine", prompt="look")
    (file,) = transcripts(program)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert (file.name, lines[0]["type"], lines[0]["id"]) == ("mine.jsonl", "session", "mine")
    assert [line["message"]["role"] for line in lines[1:]] == ["user", "assistant", "user", "assistant"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_session_can_be_resumed_by_the_beginning_of_its_id(program: Program) -> None:
    first = run(program, [{"text": "one"}], "--json", prompt="first")
    known = stream(first, "session.started")[0]["session_id"]
    second = run(program, [{"text": "two"}], "--json", "--resume", known[:8], prompt="second")
    begun = stream(second, "session.started")[0]
    assert (begun["session_id"], begun["source"]) == (known, "resume")
    assert [m["content"][0]["text"] for m in requests(program)[-1]] == ["first", "one", "second"]
    assert len(transcripts(program)) == 1


def test_an_interrupted_tool_call_does_not_spoil_a_session(program: Program) -> None:
    """A model takes no conversation with open calls: a result is put in place."""
    folder = program.home / ".local/state/hookline/transcripts"
    folder.mkdir(parents=True)
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "x"}}
    lines = [
        {"type": "session", "id": "torn", "at": "", "workspace": str(program.workspace), "model": "m"},
        {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "first"}]}},
        {"type": "message", "message": {"role": "assistant", "content": [use]}},
    ]
    (folder / "torn.jsonl").write_text("\n".join(map(json.dumps, lines)) + '\n{"type": "mess')
    done = run(program, [{"text": "ok"}], "--continue")
    assert done.returncode == 0
    messages = requests(program)[-1]
    assert messages[2]["content"][0]["tool_use_id"] == "t1"
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "user"]


def test_a_session_of_another_project_is_not_gone_on_with(program: Program, tmp_path: Path) -> None:
    run(program, [{"text": "one"}], "--session", "mine")
    other = tmp_path / "other"
    other.mkdir()
    script = program.workspace / ".git/turns.yml"
    done = program("run", "go", "--model", f"scripted:{script}", "--workspace", str(other), "-r", "mine")
    assert done.returncode == 64
    assert f"session `mine` belongs to {program.workspace}" in done.stderr
    none = program("run", "go", "--model", f"scripted:{script}", "--workspace", str(other), "-c")
    assert none.returncode == 64
    assert "no earlier session" in none.stderr


def test_what_a_project_allows_itself_does_not_count(program: Program) -> None:
    """Deny rules count wherever they stand; allow rules of the workspace only where it is trusted."""
    rules = {"permissions": {"allow": ["Bash(touch:*)"], "deny": ["Bash(rm:*)"]}}
    program.write(".claude/settings.json", json.dumps(rules))
    turns = [call("Bash", command="touch ran"), call("Bash", command="rm -f ran")]
    mode = ("--permission-mode", "default")
    run(program, turns, *mode, environment={"HOOKLINE_TRUST": ""})
    assert not (program.workspace / "ran").exists()
    run(program, turns, *mode)
    assert (program.workspace / "ran").exists()


def test_settings_that_cannot_be_read_are_named(program: Program) -> None:
    program.write(".claude/settings.json", '{"permissions": {"deny": ["Bash"]')
    done = run(program, [{"text": "ok"}], "--untrusted", "skip")
    assert "its permission rules do not count" in done.stderr


def test_what_the_project_tells_its_agents_is_in_the_system_prompt(program: Program) -> None:
    """InstructionsLoaded; a link to the same file counts once."""
    program.write("AGENTS.md", "Be kind.")
    (program.workspace / "CLAUDE.md").symlink_to("AGENTS.md")
    run(program, [{"text": "ok"}])
    line = json.loads((program.workspace / ".git/record").read_text())
    assert line["system"].count("Be kind.") == 1
    assert "AGENTS.md of this project says:" in line["system"]


def test_an_agent_cannot_get_rid_of_a_guard_by_editing_it(program: Program) -> None:
    """From then on its calls are refused, until a person has looked."""
    guard = [{"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "sh guard.sh"}]}]
    gencode(program, PreToolUse=guard)
    program.write("guard.sh", "grep -q 'rm ' && exit 2; exit 0\n")
    outside = {"HOOKLINE_TRUST": ""}
    assert program("trust", "--yes", environment=outside).returncode == 0
    turns = [call("Write", file_path="guard.sh", content="exit 0\n"), call("Bash", command="rm -f guard.sh")]
    done = run(program, turns, environment=outside)
    assert "was changed during this session" in results(program)[0]["content"]
    assert "Bash is not run: the guard" in done.stderr
    assert (program.workspace / "guard.sh").exists()


def aged(program: Program, days: float) -> None:
    for file in transcripts(program):
        then = file.stat().st_mtime - days * 86_400
        os.utime(file, (then, then))


def pruned(program: Program, *options: str) -> list[str]:
    found: list[str] = json.loads(program("sessions", "prune", "--json", *options).stdout)
    return sorted(found)


def test_prune_removes_conversations_nobody_added_to_for_long(program: Program) -> None:
    """By default those of 30 days; `--keep` leaves the newest, `--workspace` those of others."""
    for name in ("one", "two"):
        run(program, [{"text": "done"}], "--session", name)
    assert pruned(program) == []
    aged(program, 31)
    run(program, [{"text": "done"}], "--session", "three")
    assert pruned(program, "--keep", "3") == []
    assert pruned(program, "--workspace", str(program.home)) == []
    assert pruned(program) == ["one", "two"]
    assert [file.name for file in transcripts(program)] == ["three.jsonl"]
    assert pruned(program, "--older-than", "0") == ["three"]
    assert json.loads(program("sessions", "list", "--json").stdout) == []
    assert list(transcripts(program)) == []


def test_a_new_session_never_goes_into_the_conversation_of_another(program: Program) -> None:
    run(program, [{"text": "one"}], "--session", "mine")
    kept = [file.read_bytes() for file in transcripts(program)]
    again = program("run", "look", "--model", "scripted:turns.yml", "--session", "mine")
    assert (again.returncode, again.stdout) == (64, "")
    assert "there is a session `mine` already" in again.stderr and "--resume mine" in again.stderr
    assert [file.read_bytes() for file in transcripts(program)] == kept


@pytest.mark.parametrize("prompt", ["", " \n"])
def test_a_prompt_without_a_word_is_none(program: Program, prompt: str) -> None:
    done = program("run", prompt, "--model", "scripted:turns.yml")
    assert (done.returncode, "no prompt" in done.stderr) == (64, True)


@pytest.mark.parametrize("resumed", [False, True])
def test_prune_never_removes_a_conversation_in_use(program: Program, resumed: bool) -> None:
    """Asked for from within the session itself, however old the file looks."""
    if resumed:
        run(program, [{"text": "done"}], "--session", "mine")
    command = (
        "touch -d 2020-01-01 ~/.local/state/hookline/transcripts/mine.jsonl; "
        f"{sys.executable} -m hookline sessions prune --json"
    )
    options = ("--resume", "mine") if resumed else ("--session", "mine")
    run(program, [call("Bash", command=command), {"text": "done"}], *options)
    assert results(program)[-1]["content"].strip() == "[]"
    assert [file.name for file in transcripts(program)] == ["mine.jsonl"]


def test_a_session_that_another_process_has_in_use_is_not_written_into(program: Program) -> None:
    """Two conversations in one file would be none; what was killed holds up nobody."""
    run(program, [{"text": "one"}], "--session", "mine")
    slow = program.write("slow.json", json.dumps({"turns": [{"text": "late", "delay": 1000}]}))
    before = transcripts(program)[0].read_text()
    with program.start("run", "--continue", "slow", "--model", f"scripted:{slow}") as other:
        until(lambda: "slow" in transcripts(program)[0].read_text())
        asked = transcripts(program)[0].read_text()
        for wish in (("--continue",), ("--resume", "mine")):
            done = run(program, [{"text": "two"}], *wish)
            assert done.returncode == 64 and f"in use by process {other.pid}" in done.stderr, done
        assert run(program, [{"text": "two"}], "--session", "new").returncode == 0
        other.kill()
    assert transcripts(program)[0].read_text() == asked != before
    assert run(program, [{"text": "two"}], "--resume", "mine").returncode == 0
