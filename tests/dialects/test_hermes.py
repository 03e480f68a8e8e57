"""Hermes Agent: lists in the user's YAML, commands without a shell, answers that its versions read differently."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from tests.dialects.agent_cases import ended
from tests.program import Program

from hookline.dialects.editing.installing import install, installed, uninstall
from hookline.dialects.family.words import command_of, line_of, read_words
from hookline.hosts.bridge.call import speaker_of
from hookline.model.events import Event, EventKind, Prompt, ToolCall, TurnEnd
from hookline.model.hooks import Command, HookSpec
from hookline.model.results import Decision, Verdict

CONFIG = ".hermes/config.yaml"
LAUNCHER = "/opt/hookline-bridge"
# As 0.19.0 sent it, driven against a scripted model.
CALL = {
    "hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": {"command": "touch ran"},
    "session_id": "20261122_1", "cwd": "/w",
    "extra": {"task_id": "20261122_1", "tool_call_id": "call_1", "turn_id": "t", "api_request_id": "a",
              "middleware_trace": [], "telemetry_schema_version": "hermes.observer.v1"},
}  # fmt: skip


def config(program: Program, text: str) -> None:
    place = program.home / CONFIG
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def fired(program: Program, tool: str, given: Mapping[str, Any]) -> Any:
    call = json.dumps(
        {"session_id": "s", "cwd": str(program.workspace), "tool_name": tool, "tool_input": given}
    )
    return json.loads(program("fire", "PreToolUse", "--dialect", "hermes", "--json", stdin=call).stdout)


# -- its file --------------------------------------------------------------------------------------------------

OWN = """\
model: {default: m}
hooks:
  # the guard of the house
  pre_tool_call:   # keep
    - matcher: terminal
      command: ~/.hermes/agent-hooks/guard.sh
      timeout: 5

  post_tool_call: []  # none yet
  pre_llm_call:
other: |
  text
"""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff",
        "# only words\n",
        "a: 1",
        "a: 'x\n  y'\n\n\n# the end",
        "a: 1\r\nb:\r\n  - c\r\n",
        "a: 1\r\nb:\r\n  - c",
        "hooks: {}\n",
        "x: 1\nhooks:   {}  # words\ny: 2\n",
        "hooks: ~\nz: |\n  a\n",
        "hooks:\n",
        "hooks: []\n",
        OWN,
        OWN.replace("\n", "\r\n"),
        "hooks:\n  pre_tool_call:\n  - command: a\n    timeout: 3\n",
        "  a: 1\n  hooks:\n    pre_llm_call:\n",
    ],
)
def test_its_file_gets_every_byte_back_after_a_move_of_hookline(text: str) -> None:
    before = yaml.safe_load(text.removeprefix("\ufeff")) or {}
    old = install(speaker_of("hermes"), text, "'/old place/hookline-bridge'", ())
    moved = install(speaker_of("hermes"), old, LAUNCHER, ())
    entries = installed(speaker_of("hermes"), moved)
    assert {entry.native for entry in entries} >= {"pre_tool_call", "pre_llm_call", "pre_verify"}
    assert all(entry.command.startswith(LAUNCHER) for entry in entries)
    written = yaml.safe_load(moved.removeprefix("\ufeff"))
    kept = (before.get("hooks") or {}) if isinstance(before.get("hooks"), dict) else {}
    for native, listed in written["hooks"].items():
        command = {"command": f"{LAUNCHER} bridge hermes --event {native}", "timeout": 300}
        assert listed == [command, *(kept.get(native) or [])]
    assert {key: value for key, value in written.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    assert install(speaker_of("hermes"), moved, LAUNCHER, ()) == moved
    assert uninstall(speaker_of("hermes"), moved) == (text, 0)


def test_a_file_that_was_made_goes_with_its_folders() -> None:
    assert uninstall(speaker_of("hermes"), install(speaker_of("hermes"), None, LAUNCHER, (), 2)) == (None, 2)


def test_entries_that_hermes_wrote_anew_are_found_and_taken_out() -> None:
    """It keeps no comments, sorts keys, and folds long lines."""
    theirs = {"command": "x.sh", "timeout": 5}
    text = install(
        speaker_of("hermes"),
        yaml.safe_dump({"a": 1, "hooks": {"pre_tool_call": [theirs]}}),
        "/long" * 20 + "/hookline",
        (),
    )
    left, _ = uninstall(speaker_of("hermes"), yaml.safe_dump(yaml.safe_load(text)))
    assert yaml.safe_load(left or "") == {"a": 1, "hooks": {"pre_tool_call": [theirs]}}


def test_what_was_added_below_our_keys_stays() -> None:
    text = install(speaker_of("hermes"), "a: 1\n", LAUNCHER, ())
    more = text.replace("  pre_verify: # hookline\n", "  pre_verify: # hookline\n    - command: mine.sh\n")
    left, _ = uninstall(speaker_of("hermes"), more)
    assert left == "a: 1\nhooks:\n  pre_verify:\n    - command: mine.sh\n"


@pytest.mark.parametrize(
    "text",
    [
        "- a\n",
        "{}",
        "hooks: 3\n",
        "hooks:\n- a\n",
        "hooks:\n  pre_tool_call: x.sh\n",
        "hooks: {pre_tool_call: []}\n",
        "---\na: 1\n...\n",
        "a: |\n  t",
        "hooks: &h\n  pre_tool_call:\n    - command: x\nother: *h\n",
        "a: [\n",
    ],
)
def test_a_file_in_which_an_entry_would_mean_something_else_is_left_alone(
    program: Program, text: str
) -> None:
    config(program, text)
    done = program("install", "hermes", "--scope", "user")
    assert (done.returncode, (program.home / CONFIG).read_text()) == (1, text)
    assert CONFIG in done.stderr


# -- how a hook is started and read ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("~/.hermes/agent-hooks/x.sh --all", "~/.hermes/agent-hooks/x.sh --all"),
        ("~/my\\ hooks/x.sh", "~/'my hooks/x.sh'"),
        ("a.sh | tee log", "a.sh '|' tee log"),
        ("a.sh $HOME;rm x", "a.sh '$HOME;rm' x"),
        ("a.sh ~/b", "a.sh '~/b'"),
        ("'a b.sh' \"c d\"", "'a b.sh' 'c d'"),
    ],
)
def test_a_command_is_words_and_no_shell_line(command: str, line: str) -> None:
    assert line_of(command) == line


@pytest.mark.parametrize(
    ("action", "command"),
    [
        (Command("./check.sh --all"), "./check.sh --all"),
        (Command("python3 check.py"), "python3 check.py"),
        (Command("exit 2"), "sh -c 'exit 2'"),
        (Command("A=1 ./x.sh"), "sh -c 'A=1 ./x.sh'"),
        (Command("./a.sh | ./b.sh", shell=("bash", "-c")), "bash -c './a.sh | ./b.sh'"),
        (Command(argv=("a b", "$c")), "'a b' '$c'"),
    ],
)
def test_what_needs_a_shell_is_written_with_its_own(action: Command, command: str) -> None:
    assert command_of(action) == command
    assert action.argv or read_words(command) == action


def test_hooks_run_as_words_with_whole_patterns(program: Program) -> None:
    """`|` reaches the program as a word; a pattern that is none is a name; `*` fits nothing there."""
    program.write(
        "say.sh",
        '#!/bin/sh\ncat >/dev/null\necho "{\\"decision\\": \\"block\\", \\"reason\\": \\"$*\\"}"\n',
        0o755,
    )
    say = str(program.workspace / "say.sh")
    hooks = [
        {"matcher": "term.*", "command": f"{say} no | no"},
        {"matcher": "write", "command": f"{say} only a part of a name"},
        {"matcher": "patch(", "command": f"{say} no pattern"},
        {"matcher": "*", "command": f"{say} star"},
    ]
    config(program, yaml.safe_dump({"hooks": {"pre_tool_call": hooks, "outbound": [{"url": "x"}]}}))
    assert fired(program, "Bash", {"command": "ls"})["reason"] == "no | no"
    assert fired(program, "Write", {"file_path": "a", "content": ""})["verdict"] == "none"
    assert fired(program, "Edit", {"file_path": "a", "old_string": "", "new_string": ""})["verdict"] == "none"


def test_what_is_wrong_in_its_file_is_named(program: Program) -> None:
    config(program, """\
hooks:
  pre_tool_cal:
    - command: x.sh
  transform_tool_result:
    - command: x.sh
  pre_tool_call:
    - command: "x.sh 'open"
    - matcher: terminal
    - command: x.sh
      fail_closed: 'yes'
  pre_llm_call:
    - command: x.sh
      matcher: terminal
""")  # fmt: skip
    problems = json.loads(program("check", "--dialect", "hermes", "--json").stdout)
    found = {(each["line"], each["code"]) for each in problems}
    assert {(2, "unknown-event"), (4, "agent-alone"), (7, "bad-value"), (8, "missing-key"), (10, "wrong-type"),
            (13, "matcher-ignored")} <= found  # fmt: skip


BLOCK, CANON = '{"decision": "block", "reason": "no"}', '{"action": "block", "message": "no"}'


def spec(native: str, **more: Any) -> HookSpec:
    row = speaker_of("hermes").row(native)
    assert row is not None
    return HookSpec("h", "hermes", row.kind, native, Command("x"), **more)


def happened(kind: EventKind) -> Event:
    bodies = {
        EventKind.PreToolUse: ToolCall("Bash", {"command": "ls", "timeout": 3}, "t"),
        EventKind.PostToolUse: ToolCall("Bash", {"command": "ls"}, "t"),
        EventKind.UserPromptSubmit: Prompt("do it"),
        EventKind.Stop: TurnEnd(),
    }
    return Event(kind, "s", "/w", bodies[kind], "/w")


@pytest.mark.parametrize(
    ("native", "code", "stdout", "stderr", "verdict", "text"),
    [
        ("pre_tool_call", 0, BLOCK, "", "deny", "no"),
        ("pre_tool_call", 0, CANON, "", "deny", "no"),
        ("pre_tool_call", 0, '{"action": "block", "reason": "other key"}', "", "deny", "other key"),
        ("pre_tool_call", 0, '{"decision": "block"}', "", "deny", "Blocked by shell hook."),
        ("pre_tool_call", 1, BLOCK, "", "deny", "no"),
        ("pre_tool_call", 2, "", "because", "deny", "because"),
        ("pre_tool_call", 2, BLOCK, "because", "deny", "no"),
        ("pre_tool_call", 2, "", "", "deny", "Blocked by shell hook."),
        ("pre_tool_call", 1, "", "because", "none", ""),
        ("pre_tool_call", 0, '{"action": "approve", "message": "sure?"}', "", "ask", "sure?"),
        ("pre_tool_call", 0, '{"decision": "approve"}', "", "none", ""),
        ("pre_tool_call", 0, '{"decision": "deny", "reason": "no"}', "", "none", ""),
        ("pre_tool_call", 0, "block", "", "none", ""),
        ("pre_llm_call", 2, "", "because", "none", ""),
        ("pre_llm_call", 0, BLOCK, "", "none", ""),
        ("post_tool_call", 2, "", "because", "none", ""),
        ("pre_verify", 0, '{"action": "continue", "message": "test first"}', "", "go on", "test first"),
        ("pre_verify", 0, '{"decision": "block", "reason": "test first"}', "", "go on", "test first"),
        ("pre_verify", 0, '{"action": "continue"}', "", "none", ""),
        ("pre_verify", 2, "", "test first", "none", ""),
    ],
)  # fmt: skip
def test_what_a_hook_says_by_its_exit_and_its_output(
    native: str, code: int, stdout: str, stderr: str, verdict: str, text: str
) -> None:
    hook = spec(native)
    found = speaker_of("hermes").read_output(happened(hook.kind), hook, ended(code, stdout, stderr))
    said = "go on" if found.reprompt else found.verdict.word
    assert (said, found.reprompt or found.reason) == (verdict, text)


def test_a_text_for_the_model_and_a_changed_input() -> None:
    prompt, call = spec("pre_llm_call"), spec("pre_tool_call")
    told = speaker_of("hermes").read_output(happened(prompt.kind), prompt, ended(2, '{"context": "tea"}'))
    assert told.contexts == ("tea",)
    answers = ('{"action": "modify", "args": {"command": "ls -l"}}',
               '{"decision": "modify", "tool_input": {"command": "ls -l"}}')  # fmt: skip
    for answer in answers:
        changed = speaker_of("hermes").read_output(happened(call.kind), call, ended(0, answer))
        assert changed.updated_input == {"command": "ls -l", "timeout": 3}
    ignored = speaker_of("hermes").read_output(
        happened(call.kind), call, ended(0, '{"args": {"command": "rm"}}')
    )
    assert ignored.updated_input is None


@pytest.mark.parametrize(
    ("does", "verdict"),
    [
        ("echo oops", "deny"), ("echo oops; exit 1", "deny"), ("exit 1", "none"), ("echo '{}'", "none"),
        ("sleep 30", "deny"), ("true", "none"),
    ],
)  # fmt: skip
def test_fail_closed_is_about_starting_waiting_and_nonsense(
    program: Program, does: str, verdict: str
) -> None:
    entry = {"command": f"sh -c {json.dumps(does)}", "fail_closed": True, "timeout": 1}
    config(program, yaml.safe_dump({"hooks": {"pre_tool_call": [entry]}}))
    assert fired(program, "Bash", {"command": "ls"})["verdict"] == verdict
    entry.pop("fail_closed")
    config(program, yaml.safe_dump({"hooks": {"pre_tool_call": [entry]}}))
    assert fired(program, "Bash", {"command": "ls"})["verdict"] == "none"


def test_one_that_does_not_start_denies_where_it_says_so(program: Program) -> None:
    config(
        program, yaml.safe_dump({"hooks": {"pre_tool_call": [{"command": "/not/there", "failClosed": True}]}})
    )
    assert fired(program, "Bash", {"command": "ls"})["verdict"] == "deny"


# -- in front of it --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decided", "said"),
    [
        ({"verdict": Verdict.DENY, "reason": "no"}, {"action": "block", "message": "no"}),
        ({"verdict": Verdict.ASK, "reason": "sure?"}, {"action": "block", "message": "sure?"}),
        ({"verdict": Verdict.HALT, "reason": "no"}, {"action": "block", "message": "no"}),
        ({"updated_input": {"command": "ls"}, "reason": "safer"}, {"action": "block", "message": "safer"}),
        ({"verdict": Verdict.ALLOW}, None),
        ({}, None),
    ],
)
def test_a_call_is_answered_so_that_no_version_lets_it_through(decided: Any, said: Any) -> None:
    event = speaker_of("hermes").read_event("pre_tool_call", CALL)
    found = speaker_of("hermes").respond(event, Decision(event.kind, **decided))
    assert (found.exit_code, found.stderr) == (0, "")
    assert (json.loads(found.stdout) if found.stdout else None) == said


def reported(native: str, **extra: Any) -> Event:
    return speaker_of("hermes").read_event(
        native, {**CALL, "hook_event_name": native, "extra": {**CALL["extra"], **extra}}
    )  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("native", "extra", "kind", "fields"),
    [
        ("post_tool_call", {"status": "ok", "result": '{"output": "hi", "exit_code": 0}'}, EventKind.PostToolUse,
         {"tool_response": "hi"}),
        ("post_tool_call", {"status": "error", "error_message": "boom"}, EventKind.PostToolUseFailure,
         {"error": "boom"}),
        ("post_tool_call", {"status": "blocked", "error_message": "no"}, EventKind.PermissionDenied, {"reason": "no"}),
        ("pre_llm_call", {"user_message": "do it"}, EventKind.UserPromptSubmit, {"prompt": "do it"}),
        ("pre_llm_call", {"user_message": [{"type": "text", "text": "see"}, {"type": "text", "text": "this"}]},
         EventKind.UserPromptSubmit, {"prompt": "see\nthis"}),
        ("pre_approval_request", {"description": "rm -rf"}, EventKind.Notification, {"message": "rm -rf"}),
        ("on_session_end", {"completed": True}, EventKind.Stop, {}),
        ("on_session_end", {"completed": False, "interrupted": True}, EventKind.Interrupt, {}),
        ("on_session_end", {"completed": False, "turn_exit_reason": "budget"}, EventKind.StopFailure,
         {"error": "budget"}),
        ("subagent_stop", {"child_role": "leaf"}, EventKind.SubagentStop, {"agent_type": "leaf"}),
    ],
)  # fmt: skip
def test_what_it_reports_in_an_object_of_extras(
    native: str, extra: Any, kind: EventKind, fields: Any
) -> None:
    event = reported(native, **extra)
    assert event.kind is kind
    assert {name: event.get(name) for name in fields} == fields
    assert (event.session_id, event.cwd) == ("20261122_1", "/w")
    assert not speaker_of("hermes").is_noise(event)


def test_the_end_of_a_turn_that_is_told_again_at_its_exit_is_none() -> None:
    assert speaker_of("hermes").is_noise(reported("on_session_end"))


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: .env\n+S=1\n*** End Patch\n"


def test_a_patch_of_several_files_is_seen_whole_by_guards_of_others(program: Program) -> None:
    rule = 'version = 1\n[[hooks]]\nevent = "PreToolUse"\nwrite = ".env"\ndeny = "no secrets"\n'
    program.write(".hookline/hooks.toml", rule)
    sent = {
        "tool_name": "patch",
        "tool_input": {"mode": "patch", "patch": PATCH},
        "cwd": str(program.workspace),
    }
    done = program("bridge", "hermes", "--event", "pre_tool_call", stdin=json.dumps({**CALL, **sent}))
    assert json.loads(done.stdout) == {"action": "block", "message": "no secrets"}


def test_a_hook_of_its_own_is_given_the_patch_as_it_was_sent() -> None:
    sent = {"mode": "patch", "patch": PATCH}
    event = speaker_of("hermes").read_event(
        "pre_tool_call", {**CALL, "tool_name": "patch", "tool_input": sent}
    )
    assert (event.tool_name, speaker_of("hermes").tool_words(event)) == ("Edit", ("patch",))
    given = speaker_of("hermes").hook_input(event, spec("pre_tool_call")).payload
    assert given == {**CALL, "tool_name": "patch", "tool_input": sent}
