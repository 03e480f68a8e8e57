"""`hookline trust request`: an installer asks for its hooks, a person answers, and asking grants nothing."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from tests.cli.test_trust_command import guarded, hook_id, status, typed
from tests.program import Program
from tests.waiting import DEADLINE_S

from hookline.state.paths import Paths
from hookline.state.trust.requests import MOST_HOOKS, MOST_OPEN, TrustRequests

__all__ = ["guarded"]
FILE = ".gen/settings.json"
ASK = ("trust", "request", FILE, "--by", "acme 1.2", "--why", "checks commands")


def waiting(program: Program) -> Any:
    return json.loads(program("trust", "requests", "--json").stdout)


def test_asking_is_recorded_with_who_what_and_the_content_and_trusts_nothing(guarded: Program) -> None:
    done = guarded(*ASK, "--json")
    assert (done.returncode, "hookline trust" in done.stderr) == (0, True)
    (item,) = json.loads(guarded("trust", "--json").stdout)
    (request,) = waiting(guarded)
    assert request == json.loads(done.stdout)
    assert (request["source"], request["by"], request["why"]) == (FILE, "acme 1.2", "checks commands")
    assert request["hooks"] == [
        {"id": hook_id(guarded), "state": "asked", "fingerprint": item["fingerprint"]}
    ]
    assert request["until"] - request["at"] == 7 * 86400
    assert [each["id"] for each in item["requests"]] == [request["id"]]
    assert status(guarded) == "untrusted"
    assert json.loads(guarded("trust", "--log", "--json").stdout) == []


def test_the_review_shows_who_asked_beside_the_whole_definition(guarded: Program) -> None:
    guarded(*ASK)
    done = guarded("trust")
    assert "calls itself “acme 1.2”" in done.stdout and "“checks commands”" in done.stdout
    assert "runs: sh guard.sh" in done.stdout and "+echo checked" in done.stdout


def test_who_does_not_give_a_name_is_named_by_its_program(guarded: Program) -> None:
    guarded("trust", "request", FILE)
    (request,) = waiting(guarded)
    assert request["by"] and request["by"] in (*request["programs"], "an unnamed program")


def test_accepting_answers_the_request(guarded: Program) -> None:
    guarded(*ASK)
    assert guarded("trust", "--yes").returncode == 0
    assert (status(guarded), waiting(guarded)) == ("ran", [])
    again = guarded(*ASK, "--json")
    assert (again.returncode, "trusted already" in again.stderr) == (0, True)
    assert json.loads(again.stdout)["hooks"] == [
        {"id": hook_id(guarded), "state": "trusted", "fingerprint": None}
    ]
    assert waiting(guarded) == []


def test_accepting_by_hash_answers_it_too(guarded: Program) -> None:
    request = json.loads(guarded(*ASK, "--json").stdout)
    guarded("trust", "--trust-hash", request["hooks"][0]["fingerprint"])
    assert (status(guarded), waiting(guarded)) == ("ran", [])


def test_what_was_refused_cannot_be_asked_for_again_until_it_changes(guarded: Program) -> None:
    request = json.loads(guarded(*ASK, "--json").stdout)
    assert guarded("trust", "refuse", request["id"]).returncode == 0
    assert waiting(guarded) == []
    again = guarded(*ASK, "--json")
    assert (again.returncode, json.loads(again.stdout)["hooks"][0]["state"]) == (1, "refused")
    assert waiting(guarded) == []
    guarded.write("guard.sh", "echo new\n")
    assert guarded(*ASK).returncode == 0
    assert len(waiting(guarded)) == 1
    assert status(guarded) == "untrusted"


@pytest.mark.parametrize(
    ("keys", "after", "left"), [("r\n", "untrusted", 0), ("n\n", "untrusted", 1), ("y\n", "ran", 0)]
)
def test_on_a_terminal_a_person_accepts_refuses_or_leaves_it(
    guarded: Program, keys: str, after: str, left: int
) -> None:
    guarded(*ASK)
    shown, _ = typed(guarded, keys)
    assert "calls itself “acme 1.2”" in shown and "[r]efuse" in shown
    assert (status(guarded), len(waiting(guarded))) == (after, left)


def test_a_hook_that_changed_after_it_was_asked_for_is_marked(guarded: Program) -> None:
    guarded(*ASK)
    guarded.write("guard.sh", "echo other\n")
    assert "changed since it was asked for" in guarded("trust").stdout
    guarded("trust", "--yes")
    assert waiting(guarded) == []


def test_the_words_of_an_asker_do_not_steer_the_terminal(guarded: Program) -> None:
    evil = "acme\x1b[2J\u202e\nnew: trusted"
    guarded("trust", "request", FILE, "--by", evil, "--why", evil)
    for done in (guarded("trust"), guarded("trust", "requests"), guarded("trust", "requests", "--json")):
        assert not {"\x1b", "\u202e"} & set(done.stdout + done.stderr)
        assert "\nnew: trusted" not in done.stdout


def test_the_same_asker_asking_again_replaces_its_request(guarded: Program) -> None:
    guarded(*ASK)
    guarded(*ASK[:-1], "another reason")
    assert [each["why"] for each in waiting(guarded)] == ["another reason"]


def test_requests_cannot_flood_the_list(guarded: Program) -> None:
    requests = TrustRequests(
        Paths.from_environment(guarded.environment, str(guarded.home)), str(guarded.workspace)
    )
    for number in range(MOST_OPEN):
        requests.ask(FILE, f"asker {number}", "", (), {hook_id(guarded): "sha256:" + "0" * 64})
    done = guarded(*ASK)
    assert (done.returncode, f"{MOST_OPEN} requests wait already" in done.stderr) == (1, True)
    assert len(waiting(guarded)) == MOST_OPEN


def test_a_file_with_more_hooks_than_anybody_reviews_is_refused(guarded: Program) -> None:
    entry = '{"hooks": [{"type": "command", "command": "true %d"}]}'
    entries = ",".join(entry % number for number in range(MOST_HOOKS + 1))
    guarded.write(FILE, f'{{"hooks": {{"PreToolUse": [{entries}]}}}}')
    done = guarded(*ASK)
    assert (done.returncode, f"at most {MOST_HOOKS} hooks" in done.stderr) == (1, True)


def test_a_request_runs_out_after_a_week(guarded: Program) -> None:
    guarded(*ASK)
    file = guarded.home / ".local/state/hookline/trust-requests.json"
    assert file.stat().st_mode & 0o777 == 0o600
    content = json.loads(file.read_text())
    content["requests"][0]["until"] -= 7 * 86400
    file.write_text(json.dumps(content))
    assert waiting(guarded) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": 1, "requests": [1, {"until": "x"}]}'])
def test_a_broken_file_of_requests_is_as_good_as_none(guarded: Program, content: str) -> None:
    file = guarded.home / ".local/state/hookline/trust-requests.json"
    file.parent.mkdir(parents=True)
    file.write_text(content)
    assert waiting(guarded) == []
    assert guarded(*ASK).returncode == 0
    assert len(waiting(guarded)) == 1


def test_a_request_of_another_repository_is_not_shown_here(guarded: Program) -> None:
    guarded(*ASK)
    other = guarded.home / "other"
    other.mkdir()
    assert json.loads(guarded("trust", "requests", "--json", cwd=other).stdout) == []


def test_askers_at_the_same_time_are_all_kept(guarded: Program) -> None:
    asking = [
        guarded.start("trust", "request", FILE, "--by", f"asker {number}", stderr=subprocess.DEVNULL)
        for number in range(4)
    ]
    assert [process.wait(DEADLINE_S) for process in asking] == [0] * 4
    assert sorted(each["by"] for each in waiting(guarded)) == [f"asker {number}" for number in range(4)]


def test_asking_for_a_file_without_hooks_says_so(guarded: Program) -> None:
    done = guarded("trust", "request", "README.md")
    assert (done.returncode, "no hook comes from `README.md`" in done.stderr) == (1, True)
    unknown = guarded("trust", "refuse", "nothing")
    assert (unknown.returncode, "hookline trust requests" in unknown.stderr) == (64, True)
    assert guarded("trust", "ask").returncode == 64


def test_asking_runs_nothing_of_the_workspace(guarded: Program) -> None:
    guarded.write("guard.sh", "touch ran\n")
    guarded.write(".git/config", '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ran; false"\n')
    guarded(*ASK)
    assert not (guarded.workspace / "ran").exists()
