"""Handlers as a person meets them: through `hookline fire` in a real workspace."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookline.system.repository.git_location import LOCATION

if TYPE_CHECKING:
    from tests.handlers.servers import Server
    from tests.program import Program

CANARY = "canary-b81e44"
CALL = '{"tool_name": "Bash", "tool_input": {"command": "ls"}}'
HOSTILE = 'x\'; touch PWNED; echo "$(id)"'


def webhook(program: Program, url: str, more: str = "") -> None:
    folder = program.home / ".config" / "cocode"
    folder.mkdir(parents=True)
    (folder / "hooks.toml").write_text(
        f'[[hooks]]\nevent = "PreToolUse"\nname = "web"\n{more}\n[hooks.webhook]\nurl = "{url}"\n'
        'headers = { Authorization = "Bearer ${HOOK_API_KEY}" }\n'
    )


def issue_hooks(program: Program, event: str, *entries: dict[str, Any]) -> None:
    program.write(".autoagent/config.json", json.dumps({"hooks": {event: entries}}))


def fired(program: Program, event: str, stdin: str, **environment: str) -> dict[str, Any]:
    done = program("fire", event, "--json", stdin=stdin, environment=environment)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def variables(program: Program, **environment: str) -> dict[str, str]:
    """What a command hook sees as its environment."""
    issue_hooks(program, "PreExecutionStart", {"type": "command", "command": "env > seen"})
    fired(program, "PreExecutionStart", "{}", **environment)
    lines = (program.workspace / "seen").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_a_secret_of_a_webhook_is_in_no_output_and_in_no_file(server: Server, program: Program) -> None:
    """Though the server sends it back."""
    server.body = json.dumps({"Reject": {"reason": f"you sent Bearer {CANARY}"}}).encode()
    webhook(program, server.url)
    done = program("fire", "PreToolUse", "--json", stdin=CALL, environment={"HOOK_API_KEY": CANARY})
    assert server.seen[0]["headers"]["Authorization"] == f"Bearer {CANARY}"
    assert CANARY not in json.dumps(json.loads(server.seen[0]["body"]))
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (2, "you sent ***")
    assert CANARY not in done.stdout + done.stderr
    kept = [path for top in (program.home, program.workspace) for path in top.rglob("*") if path.is_file()]
    assert [path for path in kept if CANARY.encode() in path.read_bytes()] == []


def test_a_webhook_without_its_secret_is_not_sent_and_rejects(server: Server, program: Program) -> None:
    webhook(program, server.url)
    found = fired(program, "PreToolUse", CALL)
    assert (found["verdict"], server.seen) == ("deny", [])
    assert found["reason"].startswith(
        "Webhook error: the header `Authorization` needs the variable `HOOK_API_KEY`"
    )
    assert found["hooks"][0]["status"] == "launch_failed"


def test_a_webhook_out_of_the_hooks_own_time_lets_the_call_go_on_and_says_so(
    server: Server, program: Program
) -> None:
    server.silent = threading.Event()
    webhook(program, server.url, "timeout_sec = 1")
    found = fired(program, "PreToolUse", CALL, HOOK_API_KEY=CANARY)
    assert (found["verdict"], found["hooks"][0]["status"]) == ("none", "timed_out")
    assert len(found["degraded"]) == 1


def test_a_webhook_into_the_network_is_refused(program: Program) -> None:
    webhook(program, "http://169.254.169.254/latest")
    found = fired(program, "PreToolUse", CALL, HOOK_API_KEY=CANARY)
    assert found["verdict"] == "deny"
    assert found["reason"].startswith("Webhook error: `169.254.169.254` is a link-local address")


def test_a_hostile_title_is_committed_verbatim(program: Program) -> None:
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
    identity["GIT_COMMITTER_EMAIL"] = "a@b"
    entry = {"type": "git-commit", "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"}
    issue_hooks(program, "PostExecutionEnd", entry)
    payload = {"issue_number": 7, "issue_title": HOSTILE, "success": True}
    found = fired(program, "PostExecutionEnd", json.dumps(payload), **identity)
    log = subprocess.check_output(["git", "log", "--format=%h %B"], cwd=program.workspace, text=True)
    short, _, message = log.strip().partition(" ")
    assert message == f"Complete issue #7: {HOSTILE}"
    assert found["messages"] == [f"committed {short}"]
    assert not (program.workspace / "PWNED").exists()


def test_a_command_hook_sees_its_surroundings_but_no_outer_git(program: Program) -> None:
    outer = dict.fromkeys(LOCATION - {"GIT_CONFIG_COUNT", "GIT_CEILING_DIRECTORIES"}, str(program.home))
    seen = variables(program, OUTSIDE="1", HOOKLINE_DEPTH="1", **outer)
    assert [name for name in seen if name in LOCATION] == []
    assert (seen["OUTSIDE"], seen["HOOKLINE_DEPTH"]) == ("1", "2")
    assert re.fullmatch("autoagent:PreExecutionStart:[0-9a-f]{6}", seen["HOOKLINE_HOOK_ID"])
    assert int(seen["HOOKLINE_DEADLINE"]) > 0


def test_a_clean_environment_hides_what_is_not_needed(program: Program) -> None:
    seen = variables(program, HOOKLINE_ENV="clean", AWS_SECRET_ACCESS_KEY=CANARY)
    assert CANARY not in seen.values()
    assert seen["HOME"] == str(program.home)


def test_a_hostile_value_in_a_command_runs_nothing(program: Program) -> None:
    command = "printf '%s' '{{issueTitle}}' > title"
    issue_hooks(program, "PreExecutionStart", {"type": "command", "command": command})
    fired(program, "PreExecutionStart", json.dumps({"issue_title": HOSTILE}))
    assert (program.workspace / "title").read_text() == HOSTILE
    assert not Path(program.workspace / "PWNED").exists()


def test_a_hook_that_sets_itself_off_ends_after_two_rounds(program: Program) -> None:
    again = f'echo round >> rounds; "{sys.executable}" -m hookline fire PreExecutionStart < /dev/null'
    issue_hooks(program, "PreExecutionStart", {"type": "command", "command": again})
    program("fire", "PreExecutionStart")
    assert (program.workspace / "rounds").read_text() == "round\nround\n"


def test_a_hundred_thousand_changed_files_reach_a_hook(program: Program) -> None:
    """E2BIG."""
    program.write(
        ".discobot/hooks/count.sh",
        "#!/bin/sh\n#---\n# name: count\n# type: file\n# pattern: '**'\n#---\n"
        'tr -dc "\\0" < "$DISCOBOT_CHANGED_FILES_LIST" | wc -c > "$HOME/count"\n',
        0o755,
    )
    files = [f"dir/a file {n} {'x' * 30}" for n in range(100_000)]
    found = fired(program, "FilesChanged", json.dumps({"files": files}))
    assert [hook["status"] for hook in found["hooks"]] == ["ran"]
    assert (program.home / "count").read_text().strip() == "100000"
