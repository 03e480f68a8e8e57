"""`hookline config` on real files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.issue_project import Project

COMMIT = {"type": "git-commit", "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"}
PUSH = {"type": "git-push", "remote": "origin"}
CUSTOM = '{\r\n\t// mine\r\n\t"x": [1,2,  3], "hooks": {\r\n\t\t"Stop": [],\r\n\t},\r\n}'


def local(project: Project) -> Path:
    return project.workspace / ".autoagent" / "config.json"


def hooks(project: Project) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(local(project).read_text())["hooks"]["PostExecutionEnd"]
    return found


def test_auto_commit_writes_the_documented_entry(project: Project) -> None:
    """The message, a success line, two blanks of indentation."""
    done = project("config", "set-auto-commit", "true")
    assert (done.returncode, done.stdout) == (0, "✓ Added git-commit hook to PostExecutionEnd\n")
    assert local(project).read_text() == (
        "{\n"
        '  "hooks": {\n'
        '    "PostExecutionEnd": [\n'
        "      {\n"
        '        "type": "git-commit",\n'
        '        "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"\n'
        "      }\n"
        "    ]\n"
        "  }\n"
        "}\n"
    )
    done = project("config", "set-auto-commit", "false")
    assert (done.returncode, done.stdout) == (0, "✓ Removed git-commit hook from PostExecutionEnd\n")
    assert local(project).read_text() == "{}\n"


def test_a_second_time_changes_nothing(project: Project) -> None:
    """One entry; the file is not even written."""
    project("config", "set-auto-commit", "true")
    before = local(project).stat()
    done = project("config", "set-auto-commit", "TRUE")
    assert (done.returncode, "already" in done.stdout) == (0, True)
    assert local(project).stat().st_mtime_ns == before.st_mtime_ns
    assert hooks(project) == [COMMIT]


def test_off_removes_every_entry_of_the_event_and_keeps_the_others(project: Project) -> None:
    """Order and the other events stay."""
    other = {"type": "command", "command": "true"}
    given = {
        "PostExecutionEnd": [COMMIT, other, {"type": "git-commit", "noVerify": True}, PUSH],
        "Stop": [other],
    }
    project.write(".autoagent/config.json", json.dumps({"hooks": given}))
    project("config", "set-auto-commit", "false")
    assert json.loads(local(project).read_text()) == {
        "hooks": {"PostExecutionEnd": [other, PUSH], "Stop": [other]}
    }


@pytest.mark.parametrize("order", [("commit", "push"), ("push", "commit")])
def test_commit_comes_before_push(project: Project, order: tuple[str, str]) -> None:
    """Whichever was switched on first."""
    for name in order:
        done = project("config", f"set-auto-{name}", "true")
        assert done.stdout == f"✓ Added git-{name} hook to PostExecutionEnd\n"
    assert hooks(project) == [COMMIT, PUSH]


@pytest.mark.parametrize("value", ["maybe", "1", "", "yes"])
@pytest.mark.parametrize("command", ["set-auto-commit", "set-auto-push", "set-git-no-verify"])
def test_a_value_that_is_neither_true_nor_false_is_refused(
    project: Project, command: str, value: str
) -> None:
    """And the file stays as it is."""
    before = project.write(".autoagent/config.json", CUSTOM).read_text()
    done = project("config", command, value)
    assert done.returncode == 64
    assert "expected true or false" in done.stderr
    assert local(project).read_text() == before


def test_global_edits_the_file_of_the_home_folder(project: Project) -> None:
    assert project("config", "set-auto-push", "true", "--global").returncode == 0
    assert not local(project).exists()
    content = json.loads((project.home / ".autoagent/config.json").read_text())
    assert content == {"hooks": {"PostExecutionEnd": [PUSH]}}


def test_an_edit_and_its_opposite_leave_every_byte(project: Project) -> None:
    """Comments, tabs, line ends, unknown keys; nothing is copied in from defaults or the other file."""
    local(project).parent.mkdir()
    local(project).write_bytes(CUSTOM.encode())
    (project.home / ".autoagent").mkdir()
    (project.home / ".autoagent/config.json").write_text('{"retryAttempts": 9}')
    assert project("config", "set-auto-commit", "true").returncode == 0
    changed = local(project).read_bytes().decode()
    assert changed.startswith('{\r\n\t// mine\r\n\t"x": [1,2,  3], "hooks": {\r\n\t\t"Stop": [],')
    assert "retryAttempts" not in changed
    assert project("config", "set-auto-commit", "false").returncode == 0
    assert local(project).read_bytes().decode() == CUSTOM


@pytest.mark.parametrize("text", ["{", "[1]", '{"hooks": 5}', '{"hooks": {"PostExecutionEnd": {}}}'])
def test_a_broken_file_is_never_overwritten(project: Project, text: str) -> None:
    """Every writing command fails and names the file."""
    project.write(".autoagent/config.json", text)
    for command in (("set-auto-commit", "true"), ("set-auto-push", "true"), ("set-git-no-verify", "true")):
        done = project("config", *command)
        assert (done.returncode, done.stderr.count(".autoagent/config.json")) == (1, 1), done.stderr
    assert local(project).read_text() == text


def test_a_file_with_comments_is_read_alike_for_its_settings_and_its_hooks(project: Project) -> None:
    hooks = '{"Stop": [{"type": "command", "command": "true"},]}'
    content = f'{{ // mine\n  "maxTokens": 7, /* and */\n  "hooks": {hooks},\n}}'
    project.write(".autoagent/config.json", content)
    assert project("config", "get", "maxTokens").stdout == "7\n"
    assert [hook["line"] for hook in json.loads(project("list", "--json").stdout)] == [3]
    assert project("check", "--json").stdout == "[]\n"


def test_a_run_goes_on_without_a_broken_file_only_when_told(project: Project) -> None:
    """It may hold guards; both ways the file is named."""
    project.write(".autoagent/config.json", "{")
    project.create("One")
    refused = project("issues", "run", "--model", project.script())
    assert (refused.returncode, ".autoagent/config.json" in refused.stderr) == (1, True)
    done = project("issues", "run", "--untrusted", "skip", "--model", project.script())
    assert (done.returncode, ".autoagent/config.json" in done.stderr) == (0, True), done.stderr


def test_the_old_switches_are_ignored_with_a_hint(project: Project) -> None:
    project.write(".autoagent/config.json", '{"gitAutoCommit": true}')
    project.create("One")
    done = project("issues", "run", "--model", project.script())
    assert done.returncode == 0
    assert done.stderr.count("hookline config set-auto-commit true") == 1
    refused = project("config", "set", "gitAutoPush", "true")
    assert (refused.returncode, "set-auto-push true" in refused.stderr) == (64, True)


def test_no_verify_and_remote_are_set_in_every_matching_entry(project: Project) -> None:
    """In all events; the count is told, and a hint when there is none."""
    done = project("config", "set-git-no-verify", "true")
    assert (done.returncode, "set-auto-commit true" in done.stdout) == (0, True)
    given = {"PostExecutionEnd": [COMMIT, PUSH], "PostExecutionStart": [{"type": "git-commit"}]}
    project.write(".autoagent/config.json", json.dumps({"hooks": given}, indent=2))
    done = project("config", "set-git-no-verify", "true")
    assert done.stdout == "✓ Set noVerify to true in 2 git-commit hooks\n"
    done = project("config", "set-push-remote", "upstream")
    assert done.stdout == "✓ Set remote to upstream in 1 git-push hook\n"
    assert json.loads(local(project).read_text())["hooks"] == {
        "PostExecutionEnd": [{**COMMIT, "noVerify": True}, {**PUSH, "remote": "upstream"}],
        "PostExecutionStart": [{"type": "git-commit", "noVerify": True}],
    }
    assert project("config", "set-push-remote", "--", "-x").returncode == 64


def test_settings_come_from_defaults_files_and_environment(project: Project) -> None:
    """Defaults < global < local < environment; the source is told."""
    project("config", "set", "retryAttempts", "5", "--global")
    project("config", "set", "failoverDelay", "7", "--global")
    assert project("config", "set", "failoverDelay", "8").stdout == "✓ Set failoverDelay to 8\n"
    assert project("config", "set", "failoverDelay", "8").stdout == "· failoverDelay is already 8\n"
    done = project("config", "get", "--json", "--show-source", environment={"AUTOAGENT_LOG_LEVEL": "warn"})
    shown = json.loads(done.stdout)
    assert {key: (entry["value"], entry["source"]) for key, entry in shown.items() if key in (
        "retryAttempts", "failoverDelay", "logLevel", "providers", "hooks",
    )} == {
        "retryAttempts": (5, "global"), "failoverDelay": (8, "local"), "logLevel": ("warn", "environment"),
        "providers": (["claude", "gemini"], "default"), "hooks": ({}, "default"),
    }  # fmt: skip
    assert project("config", "get", "failoverDelay", "--show-source").stdout == "8  (local)\n"
    assert project("config", "get", "failoverDelay", "--global").stdout == "7\n"


def test_hooks_are_shown_as_json(project: Project) -> None:
    project("config", "set-auto-commit", "true")
    assert json.loads(project("config", "get", "hooks").stdout) == {"PostExecutionEnd": [COMMIT]}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("retryAttempts", "0", "a whole number from 1"),
        ("retryAttempts", "many", "a whole number"),
        ("logLevel", "loud", "debug, info, warn or error"),
        ("retryAttempt", "3", "did you mean `retryAttempts`"),
        ("hooks", "{}", "edit the file"),
    ],
)
def test_a_wrong_setting_is_refused(project: Project, key: str, value: str, words: str) -> None:
    done = project("config", "set", key, value)
    assert (done.returncode, words in done.stderr) == (64, True), done.stderr
    assert not local(project).exists()


def test_the_first_local_hooks_are_said_to_hide_the_global_ones(project: Project) -> None:
    project("config", "set-auto-push", "true", "--global")
    done = project("config", "set-auto-commit", "true")
    assert "now hide those of ~/.autoagent/config.json" in done.stderr
    assert project("config", "set-auto-commit", "false").returncode == 0
    assert local(project).read_text() == "{}\n"


def test_who_switches_a_built_in_on_by_hand_need_not_review_it(project: Project) -> None:
    """Nor after changing it by hand; what somebody else put into the file still waits."""
    nothing = {"HOOKLINE_TRUST": ""}
    project.write("a.txt", "x")
    project.create("One", "Two", "Three")
    for command in (("set-auto-commit", "true"), ("set-git-no-verify", "true")):
        done = project("config", *command, environment=nothing)
        assert (done.returncode, done.stderr) == (0, "")
    done = project("issues", "run", "1", "--model", project.script(), environment=nothing)
    assert (done.returncode, "trust" in done.stderr) == (0, False), done.stderr
    assert project.git("log", "--format=%s").splitlines() == ["Complete issue #1: One"]
    content = json.loads(local(project).read_text())
    content["hooks"]["PostExecutionEnd"].append({"type": "git-push", "remote": "evil"})
    local(project).write_text(json.dumps(content))
    done = project("config", "set-push-remote", "worse", environment=nothing)
    assert (done.returncode, "`hookline trust`" in done.stderr) == (0, True)
    done = project("issues", "run", "2", "--model", project.script(), environment=nothing)
    assert "1 hook will not run until you `hookline trust` them" in done.stderr
    assert project.git("rev-list", "--count", "HEAD") == "2"


def test_faults_in_hooks_are_named_once_and_the_other_hooks_run(project: Project) -> None:
    """At the start of a run, with their place in the file."""
    project.write("a.txt", "x")
    entry = {"type": "command", "command": 'cat >/dev/null; echo >> "$HOME/ran"'}
    given = {
        "preexecutionstart": [entry], "PreExecutionStart": [entry, 5, {"type": "shell"}, {"type": "command"}],
        "PreExecutionEnd": {"type": "command"}, "PostExecutionEnd": [{**entry, "timeout": "5000"}],
    }  # fmt: skip
    project.write(".autoagent/config.json", json.dumps({"hooks": given}, indent=1))
    (project.home / ".autoagent").mkdir()
    (project.home / ".autoagent/config.json").write_text(json.dumps({"hooks": {"Stop": [entry]}}))
    project.create("One")
    done = project("issues", "run", "--untrusted", "skip", "--model", project.script())
    assert done.returncode == 0, done.stderr
    assert (project.home / "ran").read_text() == "\n\n"
    for words in ("preexecutionstart", "hooks.PreExecutionStart[1]", "hooks.PreExecutionStart[2].type",
                  "hooks.PreExecutionStart[3]", "hooks.PreExecutionEnd:", "hooks.PostExecutionEnd[0].timeout",
                  "hidden by `hooks` in .autoagent/config.json"):  # fmt: skip
        told = (
            line
            for line in done.stderr.splitlines()
            if re.match(r"(error|warning|notice): .*config.json:", line)
        )
        assert sum(words in line for line in told) == 1, (
            words, done.stderr,
        )  # fmt: skip
