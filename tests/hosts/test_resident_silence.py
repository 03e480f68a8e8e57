"""Whatever the resident does or leaves undone, a client never ends without an opinion while a guard stands."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.program import Program
from tests.resident_process import CLIENT, Resident, changed, guard
from tests.streams import through_hasty_pipes
from tests.waiting import DEADLINE_S, written

from hookline.hosts.resident.frames import REFUSED, REPLY, encode_reply, taken
from hookline.system import files
from hookline.system.local_socket import listen

ANSWER = encode_reply(0, "an answer that is cut")
SAID = {
    "nothing, and hangs up": b"",
    "no": REFUSED,
    "no words of ours": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "that it works on it, and hangs up": taken(60),
    "an answer cut in its head": taken(60) + ANSWER[:7],
    "an answer cut in its text": taken(60) + ANSWER[:-3],
    "an answer larger than all memory": taken(60) + REPLY.pack(b"A", 0, 2**32 - 1, 2**32 - 1),
    "what is no answer": taken(60) + REPLY.pack(b"B", 0, 2, 0) + b"{}",
}


@pytest.fixture(params=["script", "program"])
def client(request: pytest.FixtureRequest, resident: Resident) -> Resident:
    """A user's resident, asked by the script, and by the small program."""
    if request.param == "program":
        resident.client = [str(request.getfixturevalue("small_client"))]
        resident.hasty = [str(request.getfixturevalue("hasty_client"))]
    return resident


def test_a_guard_is_asked_whatever_listens_there_says(client: Resident) -> None:
    guard(client.program)
    files.ensure_dir(str(client.folder), 0o700)
    with listen(str(client.folder)) as listener, ThreadPoolExecutor(1) as pool:
        listener.setblocking(True)
        for number, (said, content) in enumerate(SAID.items()):
            call = pool.submit(client.call, f"t{number}")
            connection = listener.accept()[0]
            with contextlib.suppress(OSError):
                connection.sendall(content)
            connection.close()
            done = call.result()
            assert (done.returncode, "deny" in done.stdout) == (0, True), (said, done)


def test_streams_that_do_not_wait_lose_nothing(client: Resident) -> None:
    """An input that is not there yet was taken for none, which no guard can judge."""
    words = "x" * 60_000
    client.program.write(
        ".hookline/hooks.toml", f'[[hooks]]\nevent = "PreToolUse"\nshell = "rm"\ndeny = "{words}"\n'
    )
    client.start()
    call = client.payload(tool_input={"command": "true; " * 60_000 + "rm -rf build"})
    variables = {**client.program.environment, "PATH": os.environ["PATH"]}

    def start(**streams: int) -> subprocess.Popen[bytes]:
        words = [*client.client, "claude", "--event", "PreToolUse"]
        return subprocess.Popen(words, env=variables, cwd=client.program.workspace, **streams)

    code, written = through_hasty_pipes(start, call.encode())
    assert code == 0 and json.loads(written)["hookSpecificOutput"]["permissionDecision"] in ("deny", "ask")


def test_a_late_answer_is_no_other_calls_answer(client: Resident) -> None:
    """The first call is given up before its answer comes, the second is under way then and has its own."""
    guard(client.program)
    files.ensure_dir(str(client.folder), 0o700)
    with (
        listen(str(client.folder)) as listener,
        ThreadPoolExecutor(2) as pool,
        contextlib.ExitStack() as open_,
    ):
        listener.setblocking(True)
        given_up = pool.submit(client.call, "t1")
        first = open_.enter_context(listener.accept()[0])
        first.sendall(taken(0))
        assert "deny" in given_up.result().stdout
        waiting = pool.submit(client.call, "t2")
        second = open_.enter_context(listener.accept()[0])
        with contextlib.suppress(OSError):  # nobody reads it any more
            first.sendall(encode_reply(2, "of the first"))
        own = encode_reply(0, "of the second")
        second.sendall(taken(60) + own[:9])
        second.sendall(own[9:])
        served = waiting.result()
    assert (served.returncode, served.stdout, served.stderr) == (0, "of the second", "")


def claude_waits(program: Program, seconds: int) -> None:
    """Our own entry in Claude Code's settings, which says how long it waits for us."""
    entry = {"type": "command", "command": "hookline bridge claude --event PreToolUse", "timeout": seconds}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))


def test_a_call_that_is_taken_and_never_answered_is_asked_about(client: Resident) -> None:
    """The resident stands still in the middle of it, until the agent's time is nearly over."""
    guard(client.program, "echo $$ > pid; sleep 60; exit 2")
    client.client = client.hasty
    claude_waits(client.program, 4)
    pid = client.start()["pid"]
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(client.call)
        written(client.program.workspace / "pid")
        os.kill(pid, signal.SIGSTOP)
        try:
            done = call.result()
        finally:
            os.kill(pid, signal.SIGCONT)
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "ask", done
    runs = json.loads(client.program("history", "--json").stdout)
    assert [run["verdict"] for run in runs] == ["ask"] and runs[0]["degraded"]


def test_what_the_agent_has_waited_already_counts(resident: Resident) -> None:
    """A call done anew has not the whole time once more: the agent would be gone before the answer."""
    guard(resident.program)
    claude_waits(resident.program, 200)  # more than Claude Code gives a hook by itself
    decisions = []
    for number, waited in enumerate(("0", "150000", "199900")):
        done = resident.program(
            "bridge",
            "claude",
            "--event",
            "PreToolUse",
            "--waited",
            waited,
            stdin=resident.payload(f"t{number}"),
        )
        decisions.append(json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"])
    assert decisions == ["deny", "deny", "ask"]
    assert resident.program("bridge", "claude", "--event", "Stop", "--waited", "long").returncode == 64


def test_a_denial_holds_where_nobody_reads_the_answer(client: Resident) -> None:
    guard(client.program)
    client.start()

    def call(call_id: str, **streams: int) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*client.client, "claude", "--event", "PreToolUse"], input=client.payload(call_id).encode(),
            timeout=DEADLINE_S, env=client.program.environment, cwd=client.program.workspace, check=False,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
        )  # fmt: skip

    reader, closed = os.pipe()
    os.close(reader)
    try:
        unread = call("t1", stdout=closed)
        unheard = call("t2", stderr=closed)
    finally:
        os.close(closed)
    assert (unread.returncode, b"no" in unread.stderr) == (2, True)
    assert (unheard.returncode, b"deny" in unheard.stdout) == (0, True)


def test_a_resident_that_can_write_nothing_lets_no_guard_out(client: Resident) -> None:
    """As on a full disk; what cannot be kept takes no answer with it."""
    guard(client.program)
    pid = client.start()["pid"]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, 0))
    assert all("deny" in client.call(f"t{number}").stdout for number in range(2))
    assert (client.status() or {})["calls"] == 2


def test_a_resident_whose_folder_is_gone_is_not_missed(client: Resident) -> None:
    guard(client.program)
    client.start()
    client.folder.rename(client.folder.with_name("away"))
    try:
        assert "deny" in client.call().stdout
    finally:
        client.folder.with_name("away").rename(client.folder)


def test_a_workspace_is_found_from_the_folder_of_the_call(client: Resident) -> None:
    """The resident's own folder has nothing to say about it, be it a relative name or none."""
    program = client.program
    commit_hook = "#!/bin/sh\n#---\n# name: Tidy\n# type: pre-commit\n#---\nexit 1\n"
    program.write(".discobot/hooks/tidy.sh", commit_hook, 0o755)
    guard(program)
    program.write("deep/er/file", "")
    client.start()

    def call(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [*client.client, *words], input=client.payload(call_id=""), capture_output=True, text=True,
            timeout=DEADLINE_S, env=program.environment, cwd=program.workspace / "deep" / "er", check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    code, said = call("claude", "--event", "PreToolUse", "--workspace", "../..")
    assert (code, "deny" in said) == (0, True), said
    for more in ((), ("--workspace", "../..")):
        code, said = call("discobot", "--event", "pre-commit", *more)
        assert (code, "forbids the commit" in said) == (2, True), said


def test_an_agent_that_never_closes_our_input_is_answered(client: Resident, tmp_path: Path) -> None:
    guard(client.program)
    if client.hasty[-1] == str(CLIENT):
        client.hasty[-1] = str(changed(tmp_path / "hasty", "SILENT_S", 1))
    ours, theirs = os.pipe()
    os.write(theirs, client.payload().encode())
    with open(ours) as given, open(theirs, "w"):
        done = subprocess.run(
            [*client.hasty, "claude", "--event", "PreToolUse"], stdin=given, capture_output=True, text=True,
            timeout=DEADLINE_S, env=client.program.environment, cwd=client.program.workspace, check=False,
        )  # fmt: skip
    assert (done.returncode, "deny" in done.stdout) == (0, True), done


def test_a_client_without_its_hookline_says_so(small_client: Path, tmp_path: Path) -> None:
    alone = tmp_path / "hookline-bridge"
    alone.write_bytes(small_client.read_bytes())
    alone.chmod(0o755)
    done = subprocess.run(
        [alone, "claude", "--event", "PreToolUse"], input="{}", capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "no hook was asked" in done.stderr
