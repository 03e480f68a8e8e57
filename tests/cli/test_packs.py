"""`hookline packs`: packs of others through a real repository: fetched on request, locked, reviewed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.program import Program

PACK = """
[pack]
about = "rules of our team"

[[hooks]]
name = "no-wiping"
event = "PreToolUse"
shell = "wipe*"
deny = "wiping is for people"
instead = "tidy up"
"""
MORE = PACK + '\n[[hooks]]\nname = "no-wasting"\nevent = "PreToolUse"\nshell = "waste*"\nask = "wasteful"\n'
CASES = """cases:
  - event: PreToolUse
    payload: {tool_name: Bash, tool_input: {command: wipe all}}
    expect: {verdict: deny, reason: "*instead: tidy up*"}
"""


class Team:
    """A repository of rules that somebody else keeps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.commit(PACK)

    def git(self, *words: str) -> str:
        names = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(
            ["git", *names, *words], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, pack: str) -> str:
        (self.folder / "pack.toml").write_text(pack)
        (self.folder / "team.hooktest.yml").write_text(CASES)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "rules")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path / "team")


def verdict(program: Program, command: str) -> str:
    given = json.dumps({"tool_name": "Bash", "tool_input": {"command": command}})
    return str(json.loads(program("fire", "PreToolUse", "--json", stdin=given).stdout)["verdict"])


def test_a_pack_is_fetched_locked_and_taken_in(program: Program, team: Team) -> None:
    done = program("packs", "add", str(team.folder), "--rev", "main")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("+ team/no-wiping: deny: wiping is for people; instead: tidy up")
    assert verdict(program, "wipe all") == "deny"
    assert verdict(program, "ls") == "none"
    lock = json.loads((program.workspace / ".hookline/packs.lock").read_text())["packs"]["team"]
    assert lock["commit"] == team.git("rev-parse", "HEAD")
    assert lock["content"].startswith("sha256:")
    assert program("packs", "verify").stdout == "team: as locked\n"


def test_its_hooks_wait_for_a_review_and_a_change_asks_again(program: Program, team: Team) -> None:
    program.environment["HOOKLINE_TRUST"] = ""
    program("packs", "add", str(team.folder))
    assert verdict(program, "wipe all") == "none"
    program("trust", "--yes")
    assert verdict(program, "wipe all") == "deny"
    file = program.workspace / ".hookline/packs/team/pack.toml"
    file.write_text(file.read_text().replace("wiping is for people", "go on"))
    assert verdict(program, "wipe all") == "none"
    done = program("packs", "verify")
    assert (done.returncode, done.stdout) == (1, "team: changed\n")
    for command in ("check", "doctor"):
        told = [
            each for each in json.loads(program(command, "--json").stdout) if each["code"] == "changed-pack"
        ]
        assert ["the pack `team` is changed since it was locked" in each["message"] for each in told] == [
            True
        ]
    program("packs", "update")
    assert "changed-pack" not in program("check").stdout + program("doctor").stdout


def test_an_update_shows_what_became_of_the_rules(program: Program, team: Team) -> None:
    program("packs", "add", str(team.folder), "--rev", "main")
    team.commit(MORE.replace("wiping is for people", "never wipe"))
    dry = program("packs", "update", "--dry-run")
    assert verdict(program, "waste it") == "none"
    done = program("packs", "update")
    assert dry.stdout == done.stdout
    assert "+ team/no-wasting: ask: wasteful" in done.stdout
    assert "~ team/no-wiping\n  - deny: wiping is for people" in done.stdout
    assert verdict(program, "waste it") == "ask"
    assert "the same rules" in program("packs", "update").stderr


def test_its_own_cases_run_with_ours(program: Program, team: Team) -> None:
    program("packs", "add", str(team.folder))
    done = program("test")
    assert (done.returncode, done.stderr) == (0, "1 case, 0 failed\n")


def test_nothing_of_the_repository_runs_and_links_are_left_out(
    program: Program, team: Team, tmp_path: Path
) -> None:
    hooks = team.folder / ".git" / "hooks"
    for name in ("post-checkout", "reference-transaction", "post-merge", "pre-receive", "post-upload-pack"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (hooks / name).chmod(0o755)
    team.git("config", "filter.evil.smudge", f"touch {tmp_path}/ran")
    team.git("config", "uploadpack.packObjectsHook", f"touch {tmp_path}/ran")
    (team.folder / ".gitattributes").write_text("* filter=evil\n")
    (team.folder / "link").symlink_to("/etc/passwd")
    team.commit(PACK)
    (tmp_path / "ran").unlink(missing_ok=True)  # its owner's own commit may run its hooks
    assert program("packs", "add", str(team.folder), "--rev", "main").returncode == 0
    assert not (tmp_path / "ran").exists()
    kept = {path.name for path in (program.workspace / ".hookline/packs/team").iterdir()}
    assert kept == {"pack.toml", "team.hooktest.yml"}


def test_a_folder_without_a_repository_will_do(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "Guards"
    folder.mkdir()
    (folder / "pack.toml").write_text(PACK)
    assert program("packs", "add", str(folder)).returncode == 0
    assert "guards/no-wiping" in program("list").stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[[hooks]]\nevent = "PreToolUse"\nshel = "x"\ndeny = "y"\n', "`shel` means nothing here"),
        ("[[hooks]\n", "pack.toml"),
    ],
)
def test_a_broken_pack_changes_nothing(program: Program, team: Team, content: str, words: str) -> None:
    team.commit(content)
    done = program("packs", "add", str(team.folder), "--rev", "main")
    assert done.returncode == 1
    assert words in done.stderr
    assert not (program.workspace / ".hookline").exists()


def test_a_file_that_cannot_be_read_is_told_as_what_it_is_and_left_alone(
    program: Program, team: Team
) -> None:
    hooks, lock = (program.workspace / ".hookline" / name for name in ("hooks.toml", "packs.lock"))
    hooks.parent.mkdir()
    hooks.write_bytes(b"# caf\xe9\n")
    assert "`.hookline/hooks.toml` is not UTF-8" in program("packs", "add", str(team.folder)).stderr
    assert (hooks.read_bytes(), [*hooks.parent.iterdir()]) == (b"# caf\xe9\n", [hooks])
    hooks.unlink()
    assert program("packs", "add", str(team.folder)).returncode == 0
    lock.unlink()
    os.mkfifo(lock)
    for command in ("update", "verify"):
        assert "`.hookline/packs.lock` is a named pipe, not a file" in program("packs", command).stderr
    (told,) = json.loads(program("check", "--json").stdout)
    assert (told["code"], told["message"]) == (
        "unreadable",
        "`.hookline/packs.lock` is a named pipe, not a file",
    )
    lock.unlink()  # as the hint says
    assert (program("packs", "update").returncode, program("packs", "verify").returncode) == (0, 0)


@pytest.mark.parametrize("source", ["ext::sh -c 'touch ran'", "--upload-pack=touch ran", "/nowhere/at/all"])
def test_an_address_is_no_way_to_run_something(program: Program, source: str) -> None:
    done = program("packs", "add", "--name", "x", "--", source)
    assert done.returncode == 1, done.stderr
    assert not (program.workspace / "ran").exists()
    assert not (program.workspace / ".hookline").exists()


def test_a_pack_that_comes_with_hookline_is_not_fetched(program: Program, team: Team) -> None:
    for word, pack in (("git", "git"), ("secret", "secrets")):
        done = program("packs", "add", word)
        assert (done.returncode, f'use = ["{pack}"]' in done.stderr) == (1, True), done.stderr
    assert not (program.workspace / ".hookline").exists()
    team.folder.rename(program.workspace / "git")  # a folder of that name is one
    assert program("packs", "add", "git", "--name", "ours").returncode == 0


def test_a_pack_has_a_level_and_rules_that_are_off(program: Program, team: Team) -> None:
    team.commit(MORE)
    program("packs", "add", str(team.folder), "--rev", "main")
    config = program.workspace / ".hookline/hooks.toml"
    before = config.read_text()
    config.write_text(before + 'level = "strict"\n')
    assert (verdict(program, "wipe all"), verdict(program, "waste it")) == ("deny", "deny")
    config.write_text(before + 'off = ["no-wiping"]\n')
    assert (verdict(program, "wipe all"), verdict(program, "waste it")) == ("none", "ask")
    config.write_text(before + 'level = "advisory"\n')
    given = '{"tool_name": "Bash", "tool_input": {"command": "wipe all"}}'
    told = json.loads(program("fire", "PreToolUse", "--json", stdin=given).stdout)
    assert (told["verdict"], told["context"]) == ("none", ["wiping is for people; instead: tidy up"])


def test_a_pack_that_is_not_there_is_a_problem_of_check(program: Program) -> None:
    program.write(".hookline/hooks.toml", '[[packs]]\ngit = "https://x.example/team.git"\n')
    done = program("check")
    assert done.returncode == 1
    assert "`hookline packs update team`" in done.stdout + done.stderr


def test_without_an_action_all_are_listed(program: Program) -> None:
    assert program("packs").stdout == program("packs", "list").stdout != ""


def test_a_wrong_name_is_told_with_the_right_one(program: Program) -> None:
    program.write(".hookline/hooks.toml", 'use = ["secret"]\n')
    done = program("check")
    assert done.returncode == 1
    assert "there is no pack `secret`" in done.stdout
