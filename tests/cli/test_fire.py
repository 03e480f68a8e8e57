"""`hookline fire` and `hookline explain`, as a script would call them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from tests.cli.test_past import on_terminal
from tests.program import Program
from tests.waiting import DEADLINE_S

STOP = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo done"}]}]}}


def test_each_hook_is_told_of_once(program: Program) -> None:
    program.write(".gen/settings.json", json.dumps(STOP))
    done = program("fire", "Stop")
    assert (done.stderr, done.stdout.count("gencode:Stop:")) == ("", 1)
    assert "\033[" not in done.stdout and done.stdout.startswith("Stop: none\n")
    shown = "\n".join(on_terminal(program, 100, "fire", "Stop"))
    assert shown.count("gencode:Stop:") == 1


def test_json_is_alone_on_stdout_and_nothing_is_said(program: Program) -> None:
    program.write(".gen/settings.json", json.dumps(STOP))
    done = program("fire", "Stop", "--json")
    assert (json.loads(done.stdout)["hooks"][0]["status"], done.stderr) == ("ran", "")


def test_files_changed_without_files_takes_what_differs_from_the_last_commit(program: Program) -> None:
    hook = "#!/bin/sh\n#---\n# type: file\n# pattern: '**/*.go'\n#---\necho $DISCOBOT_CHANGED_FILES; exit 1\n"
    program.write(".discobot/hooks/fmt.sh", hook, 0o755)
    program.write("src/a.go", "package a\n")
    found = json.loads(program("fire", "FilesChanged", "--json").stdout)
    assert found["hooks"][0]["stdout"] == "src/a.go\n"
    assert "1/3" in found["reprompt"]
    given = json.loads(program("fire", "FilesChanged", "--json", stdin='{"files": ["b.py"]}').stdout)
    assert given["hooks"][0]["status"] == "not_matched"


@pytest.mark.parametrize("event", ["PreToolUse", "gemini:BeforeTool"])
def test_an_event_may_be_named_by_its_native_name(program: Program, event: str) -> None:
    """The matcher is gemini's, so the tool is known by both names."""
    config = {
        "hooks": {
            "BeforeTool": [
                {"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "true"}]}
            ]
        }
    }
    program.write(".gemini/settings.json", json.dumps(config))
    name = "run_shell_command" if ":" in event else "Bash"
    found = json.loads(program("explain", event, "--json", stdin=json.dumps({"tool_name": name})).stdout)
    assert [hook["status"] for hook in found["hooks"]] == ["would_run"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (["PreToolUs"], "", "did you mean `PreToolUse`?"),
        (["NoSuch"], "", "hint: name an event"),
        (["iteratr:on_eror"], "", "did you mean `iteratr:on_error`?"),
        (["nobody:Stop"], "", "dialects: discobot"),
        (["Stop"], '{"a":' * 100_000, "not JSON: nested too deep"),
        (["Stop"], "[1]", "expected a JSON object, found [1]"),
        (["Stop"], "{", "not JSON"),
        (["Stop"], '{"stop_hook_active": "yes"}', "`stop_hook_active`: expected true or false"),
        (["Stop", "--sesion", "x"], "", "unknown option `--sesion`"),
        (["Stop", "--input", "/nowhere"], "", "is missing"),
        ([], "", "expected an event or a tool"),
    ],
)
def test_wrong_usage_is_64_with_a_hint(
    program: Program, arguments: list[str], stdin: str, words: str
) -> None:
    done = program("fire", *arguments, stdin=stdin)
    assert (done.returncode, words in done.stderr, done.stdout) == (64, True, "")


def test_a_field_of_the_payload_that_is_misspelt_is_told_of(program: Program) -> None:
    given = {"toolName": "Bash", "input": {"command": "git push"}, "permission_mode": "plan", "turn": 3}
    said = program("fire", "PreToolUse", "--json", stdin=json.dumps(given)).stderr.splitlines()
    assert said == [
        "warning: `toolName` is no field of PreToolUse and no hook sees it; did you mean `tool_name`?",
        "warning: `input` is no field of PreToolUse and no hook sees it; did you mean `tool_input`?",
    ]


def test_a_program_and_its_arguments_are_shown_as_one_line(program: Program) -> None:
    given = {"tool_name": "run_program", "tool_input": {"command": "git", "args": ["push", "-f"]}}
    assert "asked: run_program git push -f\n" in program("fire", "PreToolUse", stdin=json.dumps(given)).stdout


@pytest.mark.parametrize(
    ("event", "tool", "given"),
    [
        ("cursor:beforeMCPExecution", "run_command", '{"command": "git push"}'),
        ("crush:PreToolUse", "bash", '{"command": "git push"}'),
        ("droid:PreToolUse", "ApplyPatch", "*** Begin Patch\n*** Delete File: .env\n*** End Patch"),
    ],
)
def test_arguments_in_a_text_are_read_as_that_agent_means_them(
    program: Program, event: str, tool: str, given: str
) -> None:
    asked = '[[hooks]]\nevent = "PreToolUse"\n{} = {}\ndeny = "no"\n'.format
    rules = asked("shell", '"git push"') + asked("delete", '".env"')
    program.write(".hookline/hooks.toml", rules)
    call = json.dumps({"tool_name": tool, "tool_input": given, "mcp_server_name": "sh"})
    assert program("fire", event, stdin=call).returncode == 2
    done = program("fire", "PreToolUse", stdin=call)
    assert done.returncode == 64 and "`tool_input`: expected an object" in done.stderr


def test_explain_runs_nothing(program: Program) -> None:
    config = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}}
    program.write(".gen/settings.json", json.dumps(config))
    done = program("explain", "Stop")
    assert (done.returncode, "would run" in done.stdout) == (0, True)
    assert not (program.workspace / "ran").exists()


def test_the_shape_of_the_object_is_the_agreed_one(program: Program) -> None:
    program.write(".gen/settings.json", json.dumps(STOP))
    hook_keys = [
        "id", "name", "dialect", "event", "source", "line", "handler", "matcher", "status", "why", "exit_code",
        "signal", "duration_ms", "stdout", "stderr", "truncated", "verdict", "reason",
    ]  # fmt: skip
    keys = [
        "schema", "event", "session_id", "verdict", "reason", "updated_input", "context", "messages",
        "reprompt", "degraded", "duration_ms", "hooks",
    ]  # fmt: skip
    schema = {"required": keys, "properties": {"hooks": {"items": {"required": hook_keys}}}}
    for command in ("fire", "explain"):
        jsonschema.validate(json.loads(program(command, "Stop", "--json").stdout), schema)


def test_an_empty_folder_without_git_has_no_hooks(program: Program) -> None:
    empty = program.workspace.parent / "empty"
    empty.mkdir()
    done = program("fire", "Stop", "--workspace", str(empty))
    assert (done.returncode, "no hooks are configured" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    "dialect", ["discobot", "iteratr", "autoagent", "gencode", "cocode", "claude", "gemini", "codex"]
)
def test_every_dialect_has_a_schema(program: Program, dialect: str) -> None:
    schema = json.loads(program("schema", dialect).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)


def test_output_cut_off_by_its_reader_is_no_failure(program: Program) -> None:
    program.write(".gen/settings.json", json.dumps(STOP))
    done = subprocess.run(
        ["sh", "-c", f"'{program_path()}' -m hookline list --json | head -c 1"],
        cwd=program.workspace, env=program.environment, capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[", "")


def program_path() -> str:
    import sys

    return sys.executable


def test_output_is_kept_in_a_file_only_when_some_of_it_is_left_out(program: Program) -> None:
    hooks = [{"type": "command", "command": line} for line in ("echo small", "seq 50000")]
    program.write(".gen/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": hooks}]}}))
    small, large = json.loads(program("fire", "Stop", "--json").stdout)["hooks"]
    assert (small["truncated"], "output_path" in small) == (False, False)
    assert (large["truncated"], Path(large["output_path"]).read_text().splitlines()[-1]) == (True, "50000")
    kept = list((program.home / ".local/state/hookline/outputs").rglob("*.txt"))
    assert [str(path) for path in kept] == [large["output_path"]]


def test_a_guard_holds_where_nothing_can_be_kept(program: Program) -> None:
    """The state folder cannot be made, as in a read-only home; that is told, and no reason not to run."""
    config = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}
    program.write(".gen/settings.json", json.dumps(config))
    nowhere = {"XDG_STATE_HOME": str(program.write("file", "") / "state"), "HOOKLINE_TRUST": "workspace"}
    call = json.dumps({"session_id": "s", "cwd": str(program.workspace), "tool_name": "run_shell_command"})
    fired = program("fire", "PreToolUse", stdin='{"tool_name": "Bash"}', environment=nowhere)
    answered = program("bridge", "gemini", "--event", "BeforeTool", stdin=call, environment=nowhere)
    assert (fired.returncode, json.loads(answered.stdout)["decision"]) == (2, "deny")
    assert "cannot make the folder" in fired.stderr and "cannot make the folder" in answered.stderr


def test_what_a_hook_left_running_is_ended_and_named_wherever_its_run_is_shown(program: Program) -> None:
    hooks = [{"type": "command", "command": line} for line in ("sleep 90 & echo started", "echo plain")]
    program.write(".gen/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": hooks}]}}))
    left = "ended 1 process that the hook had left running"
    leaving, plain = json.loads(program("fire", "Stop", "--json").stdout)["hooks"]
    assert (leaving["notes"], "notes" in plain) == ([left], False)
    kept = json.loads(program("show", "last", "--json").stdout)["hooks"][0]
    assert kept["notes"] == [left]
    for shown in (program("fire", "Stop").stdout, program("show", "last").stdout):
        assert shown.count(left) == 1


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
@pytest.mark.parametrize("end", ["echo started", "echo started; sleep 90"], ids=["left running", "too slow"])
def test_a_process_that_takes_its_time_to_die_is_not_told_as_a_stranger(program: Program, end: str) -> None:
    """Memory is given back before the output is closed: for a while a dying process still holds it open."""
    large = """python3 -c 'import time; x = b"x" * (200 << 20); open("ready", "w"); time.sleep(90)'"""
    line = f"{large} & until test -e ready; do sleep 0.02; done; {end}"
    for limit_ms in (1_500, 15_000):  # as long as this machine needs to fill so much memory
        hooks = [{"type": "command", "command": line, "timeout": limit_ms}]
        program.write(".gen/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": hooks}]}}))
        (hook,) = json.loads(program("fire", "Stop", "--json").stdout)["hooks"]
        if hook["stdout"]:
            break
    assert hook["stdout"] == "started\n"
    assert "could not be found" not in str(hook.get("notes"))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
def test_a_process_that_hides_and_holds_the_output_open_is_told(program: Program) -> None:
    program.write(
        "hidden.py",
        "import os, resource, time\n"
        "resource.prlimit(0, 10, (0, resource.prlimit(0, 10)[1]))\n"
        "open('hidden.pid', 'w').write(str(os.getpid()))\n"
        "time.sleep(90)\n",
    )
    line = "setsid env -i $(command -v python3) hidden.py & until test -s hidden.pid; do sleep 0.02; done; echo ok"
    program.write(
        ".gen/settings.json",
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}}),
    )
    try:
        (hook,) = json.loads(program("fire", "Stop", "--json").stdout)["hooks"]
        assert (hook["stdout"], hook["notes"]) == (
            "ok\n",
            ["something that could not be found still holds the output open"],
        )
    finally:
        os.kill(int((program.workspace / "hidden.pid").read_text()), signal.SIGKILL)


def test_a_guard_holds_where_the_note_of_a_run_can_neither_be_left_nor_taken_back(program: Program) -> None:
    """As in a home that became read-only: the verdict is the last word, for agents that go by the exit code too."""
    config = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}
    program.write(".gen/settings.json", json.dumps(config))
    state = program.home / ".local/state/hookline"
    state.mkdir(parents=True)
    (state / "running").symlink_to("running")
    call = json.dumps({"session_id": "s", "cwd": str(program.workspace), "tool_name": "Bash"})
    trusted = {"HOOKLINE_TRUST": "workspace"}
    fired = program("fire", "PreToolUse", stdin='{"tool_name": "Bash"}', environment=trusted)
    answered = program("bridge", "claude", "--event", "PreToolUse", stdin=call, environment=trusted)
    assert (fired.returncode, fired.stderr) == (2, "")
    assert (answered.returncode, answered.stderr) == (0, "")
    assert json.loads(answered.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_explain_knows_that_a_hook_which_runs_once_did(program: Program) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nonce = true\nrun = "true"\n')

    def status(command: str, session: str) -> str:
        call = json.dumps({"tool_name": "Bash", "session_id": session})
        return str(
            json.loads(program(command, "PreToolUse", "--json", stdin=call).stdout)["hooks"][0]["status"]
        )

    asked = (
        ("explain", "s"),
        ("explain", "s"),
        ("fire", "s"),
        ("explain", "s"),
        ("explain", "t"),
        ("fire", "s"),
    )
    assert [status(*each) for each in asked] == [
        "would_run", "would_run", "ran", "disabled", "would_run", "disabled",
    ]  # fmt: skip


def test_no_hook_of_a_circle_runs_nor_one_behind_it(program: Program) -> None:
    needs = {"behind": ["x"], "x": ["y"], "y": ["z"], "z": ["x"], "free": []}
    program.write(
        ".hookline/hooks.toml",
        "".join(
            f'[[hooks]]\nname = "{name}"\nevent = "Stop"\nrun = "true"\nneeds = {json.dumps(wanted)}\n'
            for name, wanted in needs.items()
        ),
    )
    hooks = json.loads(program("fire", "Stop", "--json").stdout)["hooks"]
    assert [hook["status"] for hook in hooks] == ["invalid"] * 4 + ["ran"]
    assert "`needs` goes in a circle: `x`, `y`, `z`" in program("check").stdout


def test_hooks_of_claude_files_come_before_gencodes_own_which_win(program: Program) -> None:
    """For all dialects and for GenCode alone: `.gen` stands above `.claude`."""
    for folder in (".gen", ".claude"):
        said = {"hookEventName": "PreToolUse", "updatedInput": {"command": f"echo {folder}"}}
        line = f"echo '{json.dumps({'hookSpecificOutput': said})}'"
        hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}
        program.write(f"{folder}/settings.json", json.dumps({"hooks": hooks}))
    for only in ((), ("--dialect", "gencode")):
        found = json.loads(program("fire", "Bash", "ls", "--json", *only).stdout)
        assert [hook["source"].partition("/")[0] for hook in found["hooks"]] == [".claude", ".gen"]
        assert found["updated_input"] == {"command": "echo .gen"}


def test_a_large_payload_arrives_whole_from_a_file_too(program: Program) -> None:
    hooks = {"PostToolUse": [{"hooks": [{"type": "command", "command": "wc -c"}]}]}
    program.write(".gen/settings.json", json.dumps({"hooks": hooks}))
    call = json.dumps({"tool_name": "Write", "tool_input": {"content": "x" * (16 << 20)}})
    program.write("call.json", call)
    counts = []
    for words, stdin in ((("--input", "call.json"), ""), ((), call)):
        found = json.loads(program("fire", "PostToolUse", "--json", *words, stdin=stdin).stdout)
        counts.append(int(found["hooks"][0]["stdout"]))
    assert counts[0] == counts[1] > 16 << 20


def test_of_an_output_without_end_is_kept_what_is_soon_looked_through(program: Program) -> None:
    hooks = {"PostToolUse": [{"hooks": [{"type": "command", "command": "yes", "timeout": 1}]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    (hook,) = json.loads(program("fire", "PostToolUse", "--json").stdout)["hooks"]
    assert hook["status"] == "timed_out" and "the file with the full output was cut too" in hook["notes"]
    kept = Path(hook["output_path"]).read_bytes()
    assert 4 << 20 < len(kept) < 5 << 20 and kept.startswith(b"y\ny\n") and kept.endswith(b"\n")


def test_a_hook_that_starts_its_own_agent_ends_after_one_round_and_says_which_guard_is_left_out(
    program: Program,
) -> None:
    again = f"echo x >> rounds; {sys.executable} -P -m hookline fire PreToolUse --json >> inner"
    rule = {"matcher": "Bash", "hooks": [{"type": "command", "command": again}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [rule]}}))
    done = program(
        "fire", "PreToolUse", "--json", stdin='{"tool_name": "Bash", "tool_input": {"command": "ls"}}'
    )
    assert (done.returncode, (program.workspace / "rounds").read_text()) == (0, "x\nx\n")
    last = json.JSONDecoder().raw_decode((program.workspace / "inner").read_text())[0]
    assert [hook["status"] for hook in last["hooks"]] == ["disabled"]
    assert "HOOKLINE_DEPTH=2" in last["hooks"][0]["why"] and "was not asked" in last["degraded"][0]


def test_of_many_guards_that_are_off_some_are_named_and_all_counted(program: Program) -> None:
    wrong = [{"matcher": "Bash", "command": f"x{number}"} for number in range(50)]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": wrong}}))
    done = program("fire", "PreToolUse", "Bash", "ls", "--dialect", "claude")
    assert (done.returncode, done.stderr.count("error: ")) == (1, 20)
    assert "and 30 more such guards; `hookline check` names each" in done.stderr
    assert len(json.loads(program("fire", "PreToolUse", "Bash", "ls", "--json").stdout)["degraded"]) >= 50


def test_why_says_by_which_signal_a_hook_ended(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml", '[[hooks]]\nevent = "Stop"\nrun = "kill -KILL $$"\non_failure = "allow"\n'
    )
    (hook,) = json.loads(program("fire", "Stop", "--json", stdin="{}").stdout)["hooks"]
    assert (hook["signal"], hook["why"]) == (9, "killed by signal 9")
