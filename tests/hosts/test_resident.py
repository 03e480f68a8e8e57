"""The resident process and its clients, as real processes: same answers, nobody else's, never in the way."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.resident_process import Resident, guard
from tests.waiting import DEADLINE_S, until, written

from hookline.hosts.resident.frames import HEAD, REPLY, Request, encode_request
from hookline.installing.githooks import script
from hookline.system import files
from hookline.system.local_socket import connect, listen
from hookline.system.locks import file_lock


def test_the_resident_answers_as_the_command_does(resident: Resident) -> None:
    guard(resident.program)
    alone = resident.call("t1")
    assert json.loads(alone.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    resident.start()
    helped = resident.call("t2")
    assert (helped.stdout, helped.stderr, helped.returncode) == (alone.stdout, "", 0)
    assert (resident.status() or {})["calls"] == 1
    found = resident.program("history", "--json")
    assert [run["verdict"] for run in json.loads(found.stdout)] == ["deny", "deny"], found.stderr


def test_a_changed_config_counts_at_the_next_call(resident: Resident) -> None:
    """Every call goes by what is on disk then, as without a resident."""
    guard(resident.program)
    resident.start()
    assert "deny" in resident.call("t1").stdout
    guard(resident.program, "true")
    assert resident.call("t2").stdout == ""
    resident.program.write(".gen/settings.json", "{}")
    assert resident.call("t3").stdout == ""
    guard(resident.program)
    assert "deny" in resident.call("t4").stdout
    assert (resident.status() or {})["calls"] == 4


def test_a_hook_has_the_callers_environment(resident: Resident) -> None:
    guard(resident.program, "echo $COLOUR >> colours")
    resident.start()
    for number, colour in enumerate(("red", "blue")):
        resident.program.environment["COLOUR"] = colour
        resident.call(f"t{number}")
    assert (resident.program.workspace / "colours").read_text() == "red\nblue\n"


def test_a_rule_knows_the_callers_home_and_the_folders_that_its_variables_name(resident: Resident) -> None:
    """The resident was started with others, and serves callers that each have their own."""
    resident.program.write(
        ".hookline/hooks.toml",
        "version = 1\n"
        '[[hooks]]\nname = "guards"\nevent = "PreToolUse"\ntouches = "guards"\ndeny = "a guard"\n'
        '[[hooks]]\nname = "notes"\nevent = "PreToolUse"\nwrite = "~/notes/**"\ndeny = "a note"\n',
    )
    folder = resident.program.workspace.parent / "elsewhere"
    folder.mkdir()

    def decided(path: Path) -> bool:
        called = resident.call(
            f"t{path.name}", tool_name="Write", tool_input={"file_path": str(path), "content": "{}"}
        )
        return "deny" in called.stdout

    resident.start()
    assert not decided(folder / "settings.json")
    resident.program.environment["CLAUDE_CONFIG_DIR"] = str(folder)
    assert decided(folder / "settings.json")
    del resident.program.environment["CLAUDE_CONFIG_DIR"]
    assert not decided(folder / "settings.json")
    assert (resident.status() or {})["calls"] == 3
    assert not decided(folder / "notes" / "a.md")
    resident.program.environment |= {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    assert decided(folder / "notes" / "a.md")


def test_untrusted_hooks_stay_untrusted(resident: Resident) -> None:
    guard(resident.program)
    resident.start()
    assert "deny" in resident.call("t1").stdout
    resident.program.environment["HOOKLINE_TRUST"] = ""
    done = resident.call("t2")
    assert "permissionDecision" not in done.stdout and "hookline trust" in done.stderr
    assert "was not asked" in json.loads(done.stdout)["systemMessage"]


def test_many_calls_at_once_are_all_answered(resident: Resident) -> None:
    guard(resident.program, "sleep 0.2; echo no >&2; exit 2")
    resident.start()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(resident.call, [f"t{number}" for number in range(8)]))
    assert all("deny" in answer.stdout for answer in answers)


def test_only_this_user_can_reach_it(resident: Resident) -> None:
    resident.start()
    assert resident.folder.stat().st_mode & 0o777 == 0o700
    assert (resident.folder / "socket").stat().st_mode & 0o777 == 0o600
    resident.folder.chmod(0o755)
    assert connect(str(resident.folder), 1.0) is None
    resident.folder.chmod(0o700)


def test_nonsense_on_the_socket_is_no_trouble(resident: Resident) -> None:
    resident.start()
    for nonsense in (b"GET / HTTP/1.1\r\n\r\n", HEAD.pack(b"HKL1", 9, 2**31, 2**31), b"HK"):
        connection = connect(str(resident.folder), DEADLINE_S)
        assert connection is not None
        with connection:
            connection.sendall(nonsense)
            connection.shutdown(socket.SHUT_WR)
            try:
                assert connection.recv(1) == b""
            except ConnectionResetError:
                pass  # it had not read everything, which is as good
    assert resident.status() is not None


def test_the_copy_of_a_reviewed_script_is_gone_soon_after_its_answer(
    resident: Resident, tmp_path: Path
) -> None:
    places = tmp_path / "temporary"
    places.mkdir()
    resident.program.environment["TMPDIR"] = str(places)
    resident.program.environment.pop("HOOKLINE_TRUST", None)
    script = f"#!/bin/sh\nls {places}/hookline-*/* >&2\nexit 2\n"
    resident.program.write(".gen/check.sh", script, 0o755)
    guard(resident.program, "sh .gen/check.sh")
    assert resident.program("trust", "--yes").returncode == 0
    resident.start()
    for number in (1, 2):
        assert "check.sh" in resident.call(f"t{number}").stdout
        assert until(lambda: not list(places.glob("hookline-*")))
    assert (resident.status() or {})["calls"] == 2


def test_another_version_is_refused_and_ends_the_resident(resident: Resident) -> None:
    resident.start()
    connection = connect(str(resident.folder), DEADLINE_S)
    assert connection is not None
    with connection:
        connection.sendall(encode_request(Request("99.0", "claude", "PreToolUse")))
        assert connection.recv(5)[:1] == b"N"
    until(lambda: not (resident.folder / "socket").exists())


def test_a_second_start_finds_the_first(resident: Resident) -> None:
    assert resident.start()["pid"] == resident.start()["pid"]


def test_a_start_right_after_a_stop_brings_a_new_one(resident: Resident) -> None:
    guard(resident.program)
    old = resident.start()["pid"]
    resident.program("resident", "stop")
    new = resident.start()["pid"]
    assert (new != old, (resident.status() or {})["pid"]) == (True, new)
    assert "deny" in resident.call("t1").stdout
    assert (resident.status() or {})["calls"] == 1


def test_it_ends_when_nobody_calls_and_comes_back_when_wanted(resident: Resident) -> None:
    guard(resident.program)
    resident.start("--idle", "2")
    until(lambda: not (resident.folder / "socket").exists())
    assert "deny" in resident.call("t1").stdout  # done without it
    until(lambda: (resident.folder / "socket").exists())
    assert "deny" in resident.call("t2").stdout


def test_after_stop_it_does_not_come_back(resident: Resident) -> None:
    guard(resident.program)
    resident.start()
    resident.program("resident", "stop")
    until(lambda: not (resident.folder / "socket").exists())
    assert "deny" in resident.call("t1").stdout
    assert resident.status() is None


def test_a_stop_also_holds_for_one_that_is_about_to_begin(resident: Resident) -> None:
    """A call has started it, and it waits for its turn."""
    guard(resident.program)
    os.kill(resident.start()["pid"], signal.SIGKILL)
    with file_lock(str(resident.folder / "socket")):
        assert "deny" in resident.call("t1").stdout
        until(lambda: beginning(resident), "its start")
        resident.program("resident", "stop")
    until(lambda: not beginning(resident), "its end")


def beginning(resident: Resident) -> list[str]:
    """Processes that serve, or are about to, for this test's user."""
    home = f"\0HOME={resident.program.home}\0".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (
                b"\0serve\0" in (process / "cmdline").read_bytes()
                and home in (process / "environ").read_bytes()
            ):
                found.append(process.name)
    return found


def test_a_killed_resident_leaves_nobody_without_an_answer(resident: Resident) -> None:
    guard(resident.program)
    os.kill(resident.start()["pid"], signal.SIGKILL)
    assert "deny" in resident.call("t1").stdout
    until(resident.status)  # the one that was started for it: it has to be there to be stopped


def test_a_killed_resident_comes_back_with_the_next_call(resident: Resident) -> None:
    """Its socket stays behind, and nobody listens there."""
    guard(resident.program)
    old = resident.start()["pid"]
    os.kill(old, signal.SIGKILL)
    assert "deny" in resident.call("t1").stdout
    until(lambda: (resident.status() or {"pid": old})["pid"] != old)


def test_a_stopped_resident_keeps_no_call_waiting(resident: Resident) -> None:
    """It says within a second that it works on a call; else the caller does it itself, and nobody does it again."""
    guard(resident.program)
    pid = resident.start()["pid"]
    patient, resident.client = resident.client, resident.hasty
    os.kill(pid, signal.SIGSTOP)
    try:
        assert "deny" in resident.call("t1").stdout
    finally:
        os.kill(pid, signal.SIGCONT)
    resident.client = patient
    assert "deny" in resident.call("t2").stdout
    assert (resident.status() or {})["calls"] == 1


def test_file_hooks_are_left_to_a_process_of_their_own(resident: Resident) -> None:
    """They look at the whole workspace, which would keep other calls waiting."""
    check = "#!/bin/sh\n#---\n# name: never\n# type: file\n# pattern: '*'\n#---\nexit 1\n"
    resident.program.write(".discobot/hooks/check.sh", check, 0o755)
    resident.program.write("note.txt", "x")
    resident.start()
    given = {"session_id": "s1", "cwd": str(resident.program.workspace), "hook_event_name": "Stop"}
    done = subprocess.run(
        [*resident.client, "claude", "--event", "Stop"], input=json.dumps(given), capture_output=True,
        text=True, timeout=DEADLINE_S, env=resident.program.environment, cwd=resident.program.workspace, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout)["decision"] == "block"


def test_a_request_is_what_the_frames_say(resident: Resident) -> None:
    resident.start()
    connection = connect(str(resident.folder), DEADLINE_S)
    assert connection is not None
    with connection, connection.makefile("rwb") as stream:
        stream.write(encode_request(Request("any", "@status")))
        stream.flush()
        word, code, out, err = REPLY.unpack(stream.read(REPLY.size))
        assert (word, code, err, json.loads(stream.read(out))["version"]) == (b"A", 0, 0, "0.1.0")


def test_the_small_client_does_the_same(resident: Resident, c_client: Path) -> None:
    guard(resident.program)
    resident.client = [str(c_client)]
    alone = resident.call("t1")
    resident.start()
    resident.program.environment.update({f"VARIABLE_{number}": "x" * 1000 for number in range(200)})
    helped = resident.call("t2", transcript="x" * 16 * 1024 * 1024)
    assert "deny" in alone.stdout and helped.stdout == alone.stdout
    assert (resident.status() or {})["calls"] == 1
    resident.client = [str(c_client), "bridge"]
    assert resident.call("t3").stdout == alone.stdout


def test_the_mark_of_an_entry_may_come_as_words_where_no_shell_runs_it(
    resident: Resident, c_client: Path
) -> None:
    """An agent that splits the line by itself hands over what a shell takes for a comment."""
    program = resident.program
    guard(program)
    resident.start()
    words = ["claude", "--event", "PreToolUse", "#", "hookline", "made:ehdf"]
    for command in ([str(c_client)], [str(c_client), "bridge"], [sys.executable, "-m", "hookline", "bridge"]):
        done = subprocess.run(
            [*command, *words], input=resident.payload("t1"), capture_output=True, text=True,
            env=program.environment, cwd=program.workspace, timeout=DEADLINE_S,
        )  # fmt: skip
        assert "deny" in done.stdout, done.stderr
    assert (resident.status() or {})["calls"] == 2


COMMIT_HOOK = "#!/bin/sh\n#---\n# name: Tidy\n# type: pre-commit\n#---\n"


def test_a_commit_is_answered_as_without_it_and_never_by_what_was(
    resident: Resident, c_client: Path, tmp_path: Path
) -> None:
    program = resident.program
    program.environment.update(
        {f"GIT_{who}_{what}": "x@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    )
    program.environment["HOOKLINE_TRUST"] = ""
    command = f'{c_client} bridge discobot --event pre-commit --workspace "$PWD"'
    program.write(".git/hooks/pre-commit", script(command), 0o755)
    passing = COMMIT_HOOK + 'echo "$MINE $DISCOBOT_CHANGED_FILES"; echo "$GIT_INDEX_FILE" > index; exit 0\n'
    program.write(".discobot/hooks/tidy.sh", passing, 0o755)
    assert program("trust", "--yes").returncode == 0

    def commit(content: str, **more: str) -> tuple[int, str]:
        program.write("file", content)
        found = [
            subprocess.run(
                ["git", *words], cwd=program.workspace, env={**program.environment, **more},
                capture_output=True, text=True, check=False,
            )
            for words in (("add", "file"), ("commit", "-qam", "x"))
        ]  # fmt: skip
        return found[1].returncode, found[1].stderr

    alone = commit("1")
    index = (program.workspace / "index").read_text()
    resident.start()
    assert (commit("2"), (program.workspace / "index").read_text()) == (alone, index)
    assert (resident.status() or {})["calls"] == 1
    denying = COMMIT_HOOK + 'echo "no, $MINE"; exit 1\n'
    program.write(".discobot/hooks/tidy.sh", denying, 0o755)
    code, said = commit("3", MINE="me")
    assert code == 0 and "`Tidy` did not run" in said
    assert program("trust", "--yes").returncode == 0
    helped = commit("4", MINE="me")
    assert helped[0] == 1 and "no, me\n" in helped[1] and "forbids the commit" in helped[1]
    assert (
        commit("5", MINE="me", GIT_CONFIG_NOSYSTEM="1") == helped
    )  # git's settings are others there: refused, and done alone
    assert (resident.status() or {})["calls"] == 4
    program("resident", "stop")
    assert commit("6", MINE="me") == helped
    assert len(json.loads(program("history", "--json").stdout)) == 6


def test_a_commit_that_is_given_up_leaves_no_hook_behind(resident: Resident, c_client: Path) -> None:
    program = resident.program
    program.write(".discobot/hooks/slow.sh", COMMIT_HOOK + "echo $$ > pid\nexec sleep 300\n", 0o755)
    resident.start()
    client = subprocess.Popen(
        [c_client, "bridge", "discobot", "--event", "pre-commit", "--workspace", str(program.workspace)],
        stdin=subprocess.DEVNULL, env=program.environment, cwd=program.workspace,
    )  # fmt: skip
    pid = int(written(program.workspace / "pid"))
    client.kill()
    client.wait()
    until(lambda: not Path(f"/proc/{pid}").exists(), "the hook's end")
    assert (resident.status() or {})["calls"] == 1


def test_the_small_client_hands_big_calls_over_when_nobody_takes_them(
    resident: Resident, c_client: Path
) -> None:
    guard(resident.program, "test $(wc -c) -gt 5000000 && echo no >&2 && exit 2")
    resident.client = [str(c_client)]
    assert "deny" in resident.call("t1", transcript="x" * 5_000_000).stdout


def test_the_small_client_survives_a_resident_that_hangs_up(resident: Resident, c_client: Path) -> None:
    """Whoever listens there and goes away in the middle of a call leaves the guard to the client."""
    guard(resident.program)
    resident.client = [str(c_client)]
    files.ensure_dir(str(resident.folder), 0o700)
    with listen(str(resident.folder)) as listener, ThreadPoolExecutor(1) as pool:
        listener.setblocking(True)
        call = pool.submit(resident.call, "t1", transcript="x" * 5_000_000)
        listener.accept()[0].close()
        assert "deny" in call.result().stdout
