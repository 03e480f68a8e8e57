"""`hookline bridge` as real agents call it: a real process, their payloads, answers in their words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.dialects.agent_cases import captured
from tests.program import Program
from tests.waiting import DEADLINE_S

from hookline.hosts.bridge import answer_now
from hookline.hosts.bridge.call import Call, speaker_of
from hookline.state.history import History
from hookline.state.paths import Paths
from hookline.state.trust.store import TrustStore
from hookline.system.clock import monotonic

GEMINI_GUARD = 'echo \'{"decision":"deny","reason":"no shell today"}\''
CALLS = {
    "claude": ("PreToolUse", {"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
    "codex": ("PreToolUse", {"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
    "gemini": ("BeforeTool", {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}),
    "cursor": ("preToolUse", {"hook_event_name": "preToolUse", "tool_name": "Shell"}),
    "copilot": ("preToolUse", {"toolName": "bash", "toolArgs": '{"command": "ls"}'}),
}


class Agent:
    """Calls the bridge as one agent does."""

    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self.name = name

    def __call__(self, native: str, **payload: Any) -> subprocess.CompletedProcess[str]:
        place = str(self.program.workspace)
        given = {"session_id": "s1", "cwd": place, "hook_event_name": native, **payload}
        return self.program("bridge", self.name, "--event", native, stdin=json.dumps(given))

    def answer(self, native: str, **payload: Any) -> Any:
        """The decoded answer, None for silence; the exit code is always 0."""
        done = self(native, **payload)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout else None

    def tool(self, call_id: str, native: str = "PreToolUse", **more: Any) -> Any:
        return self.answer(
            native, tool_name="Bash", tool_input={"command": "ls"}, tool_use_id=call_id, **more
        )


def hook(program: Program, config: str, event: str, command: str, **entry: Any) -> None:
    """One more hook in a config of Claude Code's shape."""
    path = program.workspace / config
    found = json.loads(path.read_text()) if path.exists() else {"hooks": {}}
    group = {"hooks": [{"type": "command", "command": command, **entry}]}
    found["hooks"].setdefault(event, []).append(group)
    program.write(config, json.dumps(found))


def recorded(program: Program) -> list[dict[str, Any]]:
    with History(Paths.from_environment({}, str(program.home)).history_file) as history:
        return history.runs()


def test_a_denial_that_has_no_json_is_told_by_exit_2(program: Program) -> None:
    """Claude Code documents no `decision` at a task's end, only exit 2 and `continue: false`."""
    program.write(
        ".hookline/hooks.toml",
        'version = 1\n[[hooks]]\nevent = "TaskCompleted"\nrun = "echo no >&2; exit 2"\n',
    )
    done = Agent(program, "claude")("TaskCompleted", task_id="1", task_subject="t")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "no\n")


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("claude", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                           "permissionDecisionReason": "no shell today"}}),
        ("codex", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                          "permissionDecisionReason": "no shell today"}}),
        ("cursor", {"permission": "deny", "user_message": "no shell today", "agent_message": "no shell today"}),
        ("copilot", {"permissionDecision": "deny", "permissionDecisionReason": "no shell today"}),
    ],
)  # fmt: skip
def test_a_guard_of_one_agent_holds_in_front_of_the_others(
    program: Program, agent: str, expected: object
) -> None:
    hook(program, ".gemini/settings.json", "BeforeTool", GEMINI_GUARD)
    native, payload = CALLS[agent]
    given = {"tool_input": {"command": "ls"}, **payload}
    assert Agent(program, agent).answer(native, **given) == expected


def test_a_guard_with_exit_2_is_a_denial_in_json_for_gemini(program: Program) -> None:
    """Exit 2 never reaches the agent: the answer is JSON and the exit code 0."""
    hook(program, ".claude/settings.json", "PreToolUse", "echo not here >&2; exit 2")
    answer = Agent(program, "gemini").answer("BeforeTool", **CALLS["gemini"][1], tool_input={"command": "ls"})
    assert answer == {"decision": "deny", "reason": "not here"}


@pytest.mark.parametrize("agent", list(CALLS))
def test_no_opinion_is_silence(program: Program, agent: str) -> None:
    """A bare approval is never sent; an allowing hook of another dialect is no approval for Codex."""
    hook(program, ".gen/settings.json", "PreToolUse", "true")
    native, payload = CALLS[agent]
    done = Agent(program, agent)(native, tool_input={"command": "ls"}, **payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_agents_own_hooks_are_left_to_the_agent(program: Program) -> None:
    hook(program, ".claude/settings.json", "PreToolUse", "touch ran; exit 2")
    assert Agent(program, "claude").tool("t1") is None
    assert not (program.workspace / "ran").exists()
    assert Agent(program, "codex").tool("t1") is not None


def test_our_own_entry_in_another_agents_config_is_no_hook(program: Program) -> None:
    """Otherwise every installed bridge would run all hooks once more."""
    hook(program, ".gemini/settings.json", "BeforeTool", "/usr/bin/hookline bridge gemini --event BeforeTool")
    payload = {"session_id": "s1", "tool_name": "Bash", "tool_input": {}}
    done = program("explain", "PreToolUse", "--json", stdin=json.dumps(payload))
    (found,) = json.loads(done.stdout)["hooks"]
    assert (found["status"], "hookline itself" in found["why"]) == ("disabled", True)


def test_ask_in_front_of_an_agent_that_cannot_ask_is_a_denial_and_is_recorded(program: Program) -> None:
    answer = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'
    hook(program, ".claude/settings.json", "PreToolUse", f"echo '{answer}'")
    given = Agent(program, "codex").tool("t1")
    assert given["hookSpecificOutput"]["permissionDecision"] == "deny"
    (run,) = recorded(program)
    assert run["verdict"] == "deny" and "sent as `deny`" in run["degraded"][0]


@pytest.mark.parametrize("payload", [b"{broken", b"[1]", b"\xff\xfe\x00", b"42"])
def test_our_own_trouble_is_no_opinion_said_and_recorded(program: Program, payload: bytes) -> None:
    done = program("bridge", "gemini", "--event", "BeforeTool", stdin=payload)
    assert (done.returncode, done.stdout) == (0, "")
    assert "answered without any hook's opinion" in done.stderr
    (run,) = recorded(program)
    assert run["degraded"] and run["event"] == "PreToolUse"


def test_our_own_trouble_is_a_denial_in_a_strict_workspace(program: Program) -> None:
    TrustStore(Paths.from_environment({}, str(program.home)), str(program.workspace)).set_strict(True, "me")
    done = program("bridge", "gemini", "--event", "BeforeTool", stdin="{broken")
    assert (done.returncode, json.loads(done.stdout)["decision"]) == (0, "deny")


@pytest.mark.parametrize("native", ["BeforeTool", "Nope"])
def test_an_event_the_agent_does_not_have_is_no_opinion(program: Program, native: str) -> None:
    done = program("bridge", "claude", "--event", native, stdin="{}")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"no event `{native}`" in done.stderr
    assert "defect" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [["nobody", "--event", "Stop"], ["claude"], [], ["claude", "--evnt", "x"]]
)
def test_wrong_usage_is_told_apart_from_a_call(program: Program, arguments: list[str]) -> None:
    assert program("bridge", *arguments).returncode == 64


def test_untrusted_hooks_do_not_run_and_are_named(program: Program) -> None:
    hook(program, ".gen/settings.json", "PreToolUse", "touch ran; exit 2")
    given = {"session_id": "s", "cwd": str(program.workspace), "tool_name": "Bash", "tool_input": {}}
    done = program(
        "bridge",
        "codex",
        "--event",
        "PreToolUse",
        stdin=json.dumps(given),
        environment={"HOOKLINE_TRUST": ""},
    )
    assert (done.returncode, list(json.loads(done.stdout))) == (0, ["systemMessage"])
    assert "hookline trust" in done.stderr and "hookline trust" in done.stdout
    assert not (program.workspace / "ran").exists()


def test_a_denial_holds_when_nothing_can_be_kept(program: Program, tmp_path: Path) -> None:
    """A full disk, a state folder that cannot be made: said, and no reason to let anything through."""
    hook(program, ".gen/settings.json", "PreToolUse", "echo no >&2; exit 2")
    (tmp_path / "file").write_text("")
    given = {"session_id": "s", "cwd": str(program.workspace), "tool_name": "Bash", "tool_use_id": "t1"}
    done = program(
        "bridge", "codex", "--event", "PreToolUse", stdin=json.dumps(given),
        environment={"XDG_STATE_HOME": str(tmp_path / "file" / "state")},
    )  # fmt: skip
    assert (done.returncode, "deny" in done.stdout, "cannot" in done.stderr) == (0, True, True), done.stderr


def test_a_context_that_cannot_be_kept_takes_nothing_else_with_it(program: Program, tmp_path: Path) -> None:
    said = {"permissionDecision": "ask", "permissionDecisionReason": "sure?", "additionalContext": "text"}
    answer = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}})
    hook(program, ".claude/settings.json", "PreToolUse", f"echo '{answer}'")
    (tmp_path / "file").write_text("")
    given = {"session_id": "s", "cwd": str(program.workspace), **CALLS["gemini"][1], "tool_input": {}}
    done = program(
        "bridge", "gemini", "--event", "BeforeTool", stdin=json.dumps(given),
        environment={"XDG_STATE_HOME": str(tmp_path / "file" / "state")},
    )  # fmt: skip
    assert json.loads(done.stdout)["decision"] == "ask", done.stderr


# -- the same report twice ---------------------------------------------------------------------------


def test_a_call_reported_twice_is_judged_once_and_answered_alike(program: Program) -> None:
    hook(program, ".gen/settings.json", "PreToolUse", "echo x >> count; echo why >&2; exit 2")
    agent = Agent(program, "codex")
    first = agent.tool("t1")
    assert (first, agent.tool("t1")) == (agent.tool("t1"), first)
    assert agent.tool("t2") == first
    assert (program.workspace / "count").read_text() == "x\nx\n"


@pytest.mark.parametrize("agent", ["claude", "codex", "kimi"])
def test_an_id_that_comes_again_with_something_else_is_another_call(program: Program, agent: str) -> None:
    """Some models choose the ids themselves: the answer to a harmless call must not let another through."""
    hook(program, ".gen/settings.json", "PreToolUse", "grep -q danger && { echo no >&2; exit 2; }; exit 0")

    def ask(command: str) -> tuple[int, str]:
        payload = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "0",
                   "tool_call_id": "0", "tool_input": {"command": command}, "cwd": str(program.workspace)}  # fmt: skip
        done = program("bridge", agent, "--event", "PreToolUse", stdin=json.dumps(payload))
        return done.returncode, done.stdout

    harmless = ask("ls")
    assert ask("danger") != harmless
    assert (ask("ls"), ask("ls -a")) == (harmless, harmless)
    assert [run["asked"]["summary"] for run in recorded(program)] == ["ls -a", "danger", "ls"]


def test_a_call_reported_twice_at_once_is_judged_once(program: Program) -> None:
    hook(program, ".gen/settings.json", "PreToolUse", "echo x >> count; sleep 0.3; echo why >&2; exit 2")
    agent = Agent(program, "codex")
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(agent.tool, ["t1"] * 3))
    assert answers[0] is not None and answers.count(answers[0]) == 3
    assert (program.workspace / "count").read_text() == "x\n"


# -- the agent's deadline ----------------------------------------------------------------------------


def test_the_answer_comes_before_the_agents_own_limit(program: Program) -> None:
    """The limit is that of our entry in the agent's config; what let the call through is recorded."""
    hook(
        program, ".claude/settings.json", "PreToolUse", "hookline bridge claude --event PreToolUse", timeout=4
    )
    hook(program, ".gen/settings.json", "PreToolUse", "trap '' TERM; sleep 3600; exit 2")
    assert "timed out" in Agent(program, "claude").tool("t1")["systemMessage"]
    (run,) = recorded(program)
    assert run["degraded"]
    assert [found["status"] for found in run["hooks"]] == ["timed_out"]


def test_an_agent_that_never_closes_stdin_still_gets_an_answer(program: Program) -> None:
    """SessionEnd has 1.5 s in Claude Code; our own waiting ends before that."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hookline", "bridge", "claude", "--event", "SessionEnd"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=program.environment, cwd=program.workspace,
    )  # fmt: skip
    try:
        assert process.wait(timeout=DEADLINE_S) == 0
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.read() == b""
        told = process.stderr.read()
        assert (b"time limit" in told, b"defect" in told) == (True, False)  # a slow machine is none of ours
    finally:
        process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()


# -- stops ---------------------------------------------------------------------------------------------


def test_a_stop_is_blocked_at_most_eight_times_where_the_agent_has_no_limit(program: Program) -> None:
    """Codex goes on for as long as a hook says so; the user's next prompt starts the count anew."""
    hook(program, ".claude/settings.json", "Stop", "cat > stop.json; echo again >&2; exit 2")
    agent = Agent(program, "codex")
    answers = [agent.answer("Stop", turn_id="1", stop_hook_active=True) for _ in range(9)]
    assert answers[:8] == [{"decision": "block", "reason": "again"}] * 8
    assert "decision" not in answers[8] and "goes through" in answers[8]["systemMessage"]
    assert agent.answer("UserPromptSubmit", prompt="next") is None
    assert agent.answer("Stop", turn_id="2", stop_hook_active=False)["decision"] == "block"


def test_an_instruction_of_a_hook_is_no_prompt_of_the_user(program: Program) -> None:
    """Gemini CLI reports what it was told to do as one more prompt; seen with 0.61, which never ended."""
    hook(program, ".claude/settings.json", "Stop", "echo go on >&2; exit 2")
    agent = Agent(program, "gemini")
    assert agent.answer("BeforeAgent", prompt="begin") is None
    answers = []
    for _ in range(9):
        answers.append(agent.answer("AfterAgent", prompt="begin", prompt_response="x"))
        assert agent.answer("BeforeAgent", prompt="go on") is None
    assert [answer.get("decision") for answer in answers] == ["deny"] * 8 + [None]
    assert agent.answer("BeforeAgent", prompt="go on") is None  # now it is the user who says so
    assert agent.answer("AfterAgent", prompt="go on", prompt_response="x")["decision"] == "deny"


def test_an_agent_with_a_limit_of_its_own_keeps_it(program: Program) -> None:
    hook(program, ".gen/settings.json", "Stop", "echo again >&2; exit 2")
    agent = Agent(program, "claude")
    answers = [agent.answer("Stop", stop_hook_active=True) for _ in range(9)]
    assert answers[8] == answers[0] is not None


# -- hooks of other kinds of host ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "native"), [("claude", "Stop"), ("gemini", "AfterAgent"), ("cursor", "stop")]
)
def test_discobots_file_hooks_hold_at_the_end_of_an_agents_turn(
    program: Program, agent: str, native: str
) -> None:
    """A changed file, a failing check, and the agent is told to go on until it passes."""
    check = (
        "#!/bin/sh\n#---\n# name: no tabs\n# type: file\n# pattern: '*.txt'\n#---\n! grep -q bad note.txt\n"
    )
    program.write(".discobot/hooks/check.sh", check, 0o755)
    session = Agent(program, agent)
    ids = {"conversation_id": "s1"} if agent == "cursor" else {}
    program.write("note.txt", "bad")
    told = session(native, **ids, prompt_response="done", last_assistant_message="done")
    assert (told.returncode, "no tabs" in told.stdout) == (0, True), told.stderr
    program.write("note.txt", "good")
    assert session.answer(native, **ids) is None


def test_an_agent_is_not_told_what_one_beside_it_in_the_same_checkout_broke(program: Program) -> None:
    check = (
        "#!/bin/sh\n#---\n# name: no tabs\n# type: file\n# pattern: '*.txt'\n#---\n"
        'for f in $DISCOBOT_CHANGED_FILES; do grep -q bad "$f" && exit 1; done; exit 0\n'
    )
    program.write(".discobot/hooks/check.sh", check, 0o755)
    agent = Agent(program, "claude")

    def turn(session: str, name: str, text: str) -> str:
        agent("UserPromptSubmit", session_id=session, prompt="go")
        program.write(name, text)
        return agent("Stop", session_id=session, stop_hook_active=False).stdout

    for session in ("one", "two"):
        assert "no tabs" not in turn(session, f"{session}.txt", "good")
    assert "no tabs" in turn("two", "two.txt", "bad")
    told = turn("one", "one.txt", "good again")
    assert "no tabs" not in told
    assert "another session was asked about `two.txt` (two)" in told
    assert "no tabs" in turn("one", "one.txt", "bad")


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (
            ".discobot/hooks/check.sh",
            "#!/bin/sh\n#---\n# name: check\n# type: file\n# pattern: '*.txt'\n# baseline: true\n#---\n{}\n",
        ),
        (
            ".hookline/hooks.toml",
            "[[hooks]]\nname = 'check'\nevent = 'FilesChanged'\nfiles = '*.txt'\nrun = '{}'\n"
            "options = {{ baseline = true }}\n",
        ),
    ],
)
def test_an_agent_is_not_told_to_mend_what_failed_before_it_began(
    program: Program, place: str, text: str
) -> None:
    program.write(place, text.format("grep -Hn bad *.txt && exit 2; exit 0"), 0o755)
    program.write("old.txt", "bad")
    agent = Agent(program, "claude")

    def turn(name: str, content: str) -> str:
        agent("UserPromptSubmit", prompt="go")
        program.write(name, content)
        return agent("Stop", stop_hook_active=False).stdout

    told = turn("new.txt", "good")
    assert "fails as it did before this session began" in told and '"decision"' not in told
    assert '"decision": "block"' in turn("new.txt", "bad").replace('":"', '": "')


def test_iteratrs_piped_output_reaches_the_agent(program: Program) -> None:
    """Before a prompt at once, after a turn with the next prompt."""
    program.write(
        ".iteratr.hooks.yml",
        "version: 1\nhooks:\n"
        "  pre_iteration: [{command: 'echo round {{iteration}}', pipe_output: true}]\n"
        "  post_iteration: [{command: 'echo after {{iteration}}', pipe_output: true}]\n",
    )
    agent = Agent(program, "claude")
    texts = []
    for _ in range(2):
        answer = agent.answer("UserPromptSubmit", prompt="go")
        texts.append(answer["hookSpecificOutput"]["additionalContext"].split("\n"))
        assert agent.answer("Stop", stop_hook_active=False) is None
    assert texts == [["round 1", ""], ["after 1", "", "round 2", ""]]


def test_a_text_the_agent_cannot_take_now_comes_with_its_next_event_that_does(program: Program) -> None:
    """Gemini CLI ignores context before a tool, but takes it after one."""
    answer = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind the gap"}}'
    hook(program, ".claude/settings.json", "PreToolUse", f"echo '{answer}'")
    agent = Agent(program, "gemini")
    call = {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}
    assert agent.answer("BeforeTool", **call) is None
    after = agent.answer("AfterTool", **call, tool_response={"llmContent": "x"})
    assert after["hookSpecificOutput"]["additionalContext"] == "mind the gap"
    assert agent.answer("AfterTool", **call, tool_response={"llmContent": "x"}) is None


def test_a_background_hook_keeps_nobody_waiting_and_is_heard_later(program: Program) -> None:
    """A.10: what it says to the user and what it says to the model come with the agent's next event."""
    said = '{"systemMessage": "m", "hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"late"}}'
    command = f"cat > given; while ! test -e go; do sleep 0.05; done; echo '{said}'"
    hook(program, ".claude/settings.json", "PreToolUse", command, **{"async": True})
    agent = Agent(program, "codex")
    assert agent.tool("t1") is None  # while the hook waits
    program.write("go", "")
    waiting = Path(Paths.from_environment({}, str(program.home)).waiting)
    end = time.monotonic() + DEADLINE_S
    while not list(waiting.glob("*")) and time.monotonic() < end:
        time.sleep(0.02)
    after = agent.tool("t1", "PostToolUse", tool_response="x")
    assert after["hookSpecificOutput"]["additionalContext"] == "late\nm"  # A.10: both reach the model
    assert json.loads((program.workspace / "given").read_text())["tool_use_id"] == "t1"
    statuses = [(run["event"], [found["status"] for found in run["hooks"]]) for run in recorded(program)]
    assert ("PreToolUse", ["ran"]) in statuses


def ended_in_the_background(program: Program) -> None:
    waiting = Path(Paths.from_environment({}, str(program.home)).waiting)
    end = time.monotonic() + DEADLINE_S
    while not list(waiting.glob("*")) and time.monotonic() < end:
        time.sleep(0.02)


@pytest.mark.parametrize("later", ["Stop", "PostToolUse"])
def test_a_background_hook_that_wakes_keeps_the_agent_from_stopping(program: Program, later: str) -> None:
    """An agent that listens hears of it at once, one that would stop goes on; each text once."""
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PreToolUse"\nwake = true\nrun = "echo the build broke >&2; exit 2"\n',
    )
    agent = Agent(program, "claude")
    assert agent.tool("t1") is None
    ended_in_the_background(program)
    if later == "Stop":
        stopped = agent.answer("Stop", stop_hook_active=False)
        assert (stopped["decision"], "the build broke" in stopped["reason"]) == ("block", True)
    else:
        after = agent.tool("t1", "PostToolUse", tool_response="x")
        assert "the build broke" in after["hookSpecificOutput"]["additionalContext"]
    assert agent.answer("Stop", stop_hook_active=False) is None


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_every_recorded_payload_of_a_real_agent_is_answered(tmp_path: Path, agent: str) -> None:
    """The payloads are those that Claude Code, Codex and Gemini CLI sent to a recording hook."""
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    said: list[str] = []
    for native, payload in captured(agent):
        text = json.dumps(payload).encode()
        call = Call(agent, native, text, environment, str(tmp_path), str(tmp_path), monotonic())
        response, _ = answer_now(call, said.append, lambda limit: None)
        expected = 1 if native == "WorktreeCreate" else 0  # whoever answers that must name a path
        assert (native, response.stdout, response.exit_code) == (native, "", expected)
    assert said == []


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    ["session_id", "cwd", "tool_name", "tool_input", "tool_use_id", "toolName", "toolArgs", "timestamp", "prompt",
     "hook_event_name", "workspace_roots", "conversation_id", "tool_response", "stop_hook_active", "loop_count",
     "status", "error", "mcp_context", "transcript_path", "edits"]
)  # fmt: skip


@pytest.mark.parametrize("agent", list(CALLS))
@settings(max_examples=60)
@given(payload=st.dictionaries(FIELDS, JSON_VALUES, max_size=8), data=st.data())
def test_no_payload_makes_the_bridge_decide_or_fail(agent: str, payload: dict[str, Any], data: Any) -> None:
    """Whatever an agent's next version sends: no opinion, exit code 0, and a line that says why."""
    native = data.draw(st.sampled_from([row.native for row in speaker_of(agent).rows]))
    home = tempfile.mkdtemp()
    try:
        call = Call(agent, native, json.dumps(payload).encode(), {"HOME": home}, home, home, monotonic())
        response, settle = answer_now(call, lambda text: None, lambda limit: None)
        assert response.stdout == "" and response.exit_code in (0, 1)
        assert response.exit_code == 0 or native == "WorktreeCreate" or "WorktreeCreate" in payload.values()
        settle()
    finally:
        shutil.rmtree(home)


def test_text_that_is_no_unicode_passes_through_hook_and_answer(program: Program) -> None:
    """A lone surrogate in a payload, bytes that are no UTF-8 in a reason: replaced, never a crash."""
    hook(program, ".gen/settings.json", "PreToolUse", "cat > given; printf 'bad \\377 byte' >&2; exit 2")
    place = json.dumps(str(program.workspace))
    text = (
        f'{{"session_id": "s", "cwd": {place}, "tool_name": "Bash", "tool_use_id": "\\ud800",'
        ' "tool_input": {"command": "a\\u0000b \\ud800"}}'
    )
    done = program("bridge", "codex", "--event", "PreToolUse", stdin=text, environment={"LC_ALL": "C"})
    assert (done.returncode, done.stderr) == (0, "")
    reason = json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]
    assert reason.startswith("bad ") and reason.endswith(" byte")
    assert json.loads((program.workspace / "given").read_text())["tool_input"]["command"].startswith("a\0b ")


def test_a_hook_of_our_own_keeps_a_teammate_working(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml", '[[hooks]]\nevent = "TeammateIdle"\nrun = "echo not yet >&2; exit 2"\n'
    )
    payload = {"session_id": "s", "cwd": str(program.workspace), "hook_event_name": "TeammateIdle"}
    done = program(
        "bridge", "claude", "--event", "TeammateIdle", stdin=json.dumps({**payload, "teammate_name": "a"})
    )
    assert (done.returncode, done.stderr) == (2, "not yet\n")
