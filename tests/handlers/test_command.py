"""Command hooks: what they are given, how they run, and what is told of them."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.handlers.builders import around_in, hook
from tests.limits import spoken
from tests.waiting import DEADLINE_S

from hookline.handlers.command import run_command
from hookline.handlers.environment import GIT_LOCATION
from hookline.model.hooks import Command, HandlerInput, Means, parted
from hookline.model.results import RawResult
from hookline.system.loops import loop as loops

Run = Callable[..., RawResult]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
HOSTILE = 'x\'; touch PWNED; echo "$(touch PWNED2)" `touch PWNED3` $& \\'


def test_a_shell_line_runs_in_the_given_folder_and_is_reported_whole(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "deep er"
    folder.mkdir()
    before = time.time()
    raw = run("pwd; echo err >&2; exit 3", HandlerInput(cwd=str(folder)))
    assert (raw.exit_code, raw.signal, raw.status_code) == (3, None, 3)
    assert (raw.stdout, raw.stderr) == (f"{folder}\n", "err\n")
    assert raw.command == "pwd; echo err >&2; exit 3"
    assert before <= raw.started_at <= time.time()
    assert raw.timings.run > 0
    assert raw.notes == ()
    assert (raw.timed_out, raw.cancelled, raw.launch_error, raw.truncated) == (False, False, "", False)


def test_arguments_run_without_any_shell(run: Run) -> None:
    raw = run((sys.executable, "-c", "import sys; print(sys.argv[1:])", "$(id)", "a b", "*"))
    assert raw.stdout == "['$(id)', 'a b', '*']\n"


def test_placeholders_in_arguments_are_replaced_once_and_never_read_by_a_shell(run: Run) -> None:
    variables = {"ROOT": "/a b/${KEPT}", "LIST": ("1", "2")}
    given = HandlerInput(placeholders="vars", variables=variables, known=frozenset({"GONE"}))
    show = "import sys; print(sys.argv[1:])"
    raw = run((sys.executable, "-c", show, "${ROOT}/x", "${LIST}", "[${GONE}]", "${OTHER}", "$ROOT"), given)
    assert raw.stdout == "['/a b/${KEPT}/x', '1 2', '[]', '${OTHER}', '$ROOT']\n"


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_hostile_value_reaches_the_command_as_plain_text(run: Run, tmp_path: Path, quote: str) -> None:
    given = HandlerInput(placeholders="braces", variables={"title": HOSTILE})
    raw = run("printf %s " + quote + "{{title}}" + quote, given)
    assert (raw.stdout, raw.exit_code) == (HOSTILE, 0)
    assert not list(tmp_path.glob("PWNED*"))


def test_names_a_dialect_knows_become_empty_and_others_stay(run: Run) -> None:
    given = HandlerInput(placeholders="braces", variables={"a": "1"}, known=frozenset({"b"}))
    assert run("echo '[{{a}}][{{b}}][{{c}}]'", given).stdout == "[1][][{{c}}]\n"


def test_the_payload_arrives_on_stdin_as_one_json_line_then_end_of_file(run: Run) -> None:
    """Non-ASCII text is kept as it is."""
    payload = {"tool_name": "Bash", "tool_input": {"command": "echo 'ä€😀' \\n"}}
    raw = run("cat", HandlerInput(payload=payload, stdin=True))
    assert json.loads(raw.stdout) == payload
    assert "ä€😀" in raw.stdout
    assert raw.stdout.count("\n") == 1


def test_what_json_cannot_hold_is_written_so_that_json_can(run: Run) -> None:
    payload = {"a": float("nan"), "b": [float("inf")], "c": "\ud83d", "d": Path("/x"), "e": {1: b"\xff"}}
    raw = run("cat", HandlerInput(payload=payload, stdin=True))
    assert raw.stdout == '{"a":null,"b":[null],"c":"\\ud83d","d":"/x","e":{"1":"\ufffd"}}\n'


def test_a_payload_that_contains_itself_is_a_launch_error(run: Run) -> None:
    payload: dict[str, Any] = {}
    payload["self"] = payload
    raw = run("cat", HandlerInput(payload=payload, stdin=True))
    assert raw.launch_error == "the event's payload contains itself, so it has no JSON form"
    assert raw.failed


def test_a_hook_without_payload_reads_end_of_file_at_once(run: Run) -> None:
    assert run("cat; echo end").stdout == "end\n"


def test_a_hook_that_never_reads_a_large_payload_is_no_failure(run: Run) -> None:
    raw = run("exec true", HandlerInput(payload={"output": "x" * (2 << 20)}, stdin=True))
    assert (raw.exit_code, raw.launch_error) == (0, "")
    assert raw.notes == ("the hook did not read all of its input",)


@pytest.mark.parametrize("command", ["", "  \n\t", ("",), (" ",)])
def test_an_empty_command_is_a_launch_error_in_words(run: Run, command: Any) -> None:
    raw = run(command)
    assert raw.launch_error.startswith("the hook's command is empty; ")
    assert raw.exit_code is None


def test_a_folder_that_is_gone_gives_way_to_the_workspace(run: Run, tmp_path: Path) -> None:
    """Agents start hooks there too; where the hook itself names the folder, it is a launch error."""
    gone = HandlerInput(cwd=str(tmp_path / "gone"))
    raw = run("pwd", gone)
    assert raw.stdout.strip() == str(tmp_path)
    assert raw.notes == (f"`{tmp_path}/gone` is no folder, so it was started in the workspace",)
    raw = run("pwd", gone, means=Means(cwd="gone"))
    assert raw.launch_error == f"the working folder `{tmp_path}/gone` does not exist"


def test_the_environment_is_inherited_and_the_hook_is_told_its_own(run: Run) -> None:
    before = int(time.time() * 1000)
    given = HandlerInput(env={"HOOK_EVENT": "PreToolUse", "MINE": "dialect"})
    raw = run("env", given, {"OUTSIDE": "1", "HOOKLINE_DEPTH": "2"})
    seen = dict(line.split("=", 1) for line in raw.stdout.splitlines())
    assert seen["OUTSIDE"] == "1"
    assert (seen["HOOK_EVENT"], seen["MINE"]) == ("PreToolUse", "dialect")
    assert (seen["HOOKLINE_DEPTH"], seen["HOOKLINE_HOOK_ID"]) == ("3", "gencode:PreToolUse:1")
    assert seen["PYTHONUTF8"] == "1"
    assert before + 59_000 <= int(seen["HOOKLINE_DEADLINE"]) <= int(time.time() * 1000) + 60_000


def test_a_hooks_own_variables_win_over_its_dialects_and_those_over_the_outside(tmp_path: Path) -> None:
    given = HandlerInput(env={"A": "dialect", "B": "dialect"})
    outer = {"A": "outer", "B": "outer", "C": "outer"}
    action = Command(line='echo "$A $B $C"')
    spec = hook(action, env={"B": "hook"})
    raw = asyncio.run(run_command(action, spec, given, around_in(tmp_path, outer)))
    assert raw.stdout == "dialect hook outer\n"


def test_a_stale_variable_of_an_outer_hook_is_removed(run: Run) -> None:
    raw = run(
        'echo "[${HOOK_TOOL_NAME-none}]"', HandlerInput(unset=("HOOK_TOOL_NAME",)), {"HOOK_TOOL_NAME": "x"}
    )
    assert raw.stdout == "[none]\n"


def test_git_location_variables_never_reach_a_hook(run: Run) -> None:
    listed = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True
    )
    names = (set(listed.stdout.split()) | GIT_LOCATION) - {"GIT_CONFIG_COUNT"}
    raw = run("env", env=dict.fromkeys(names, "/outer"))
    assert [line for line in raw.stdout.splitlines() if line.startswith("GIT_")] == []


def test_git_location_variables_reach_a_hook_that_keeps_them(run: Run) -> None:
    """Pre-commit hooks, as githooks(5) promises."""
    given = HandlerInput(keep_git_env=True)
    assert run('echo "$GIT_INDEX_FILE"', given, {"GIT_INDEX_FILE": "/i"}).stdout == "/i\n"


def test_the_dialects_unset_wins_over_a_kept_git_variable(run: Run) -> None:
    given = HandlerInput(keep_git_env=True, unset=("GIT_DIR",))
    assert run('echo "[$GIT_DIR]"', given, {"GIT_DIR": "/d"}).stdout == "[]\n"


def test_a_file_that_shells_source_first_is_not_sourced(run: Run, tmp_path: Path) -> None:
    start = tmp_path / "start"
    start.write_text("echo polluted\n")
    raw = run("echo clean", env={"BASH_ENV": str(start), "ENV": str(start)}, shell=("bash", "-c"))
    assert raw.stdout == "clean\n"


@pytest.mark.parametrize("where", ["environment", "hook"])
def test_a_clean_environment_holds_only_safe_and_declared_names(run: Run, where: str) -> None:
    outside = {"AWS_SECRET_ACCESS_KEY": "canary", "HOOKLINE_TOKEN": "canary", "LC_ALL": "C", "WANTED": "w"}
    options: dict[str, Any] = {"pass_env": ("WANTED",)}
    if where == "environment":
        outside["HOOKLINE_ENV"] = "clean"
    else:
        options["env"] = "clean"
    raw = run("env", HandlerInput(env={"HOOK_EVENT": "x"}), outside, **parted(options))
    names = {line.split("=", 1)[0] for line in raw.stdout.splitlines()}
    assert "canary" not in raw.stdout
    assert {"PATH", "HOME", "LC_ALL", "WANTED", "HOOK_EVENT", "HOOKLINE_DEPTH"} <= names


def test_a_hundred_thousand_paths_arrive_by_file_private_and_whole(run: Run, tmp_path: Path) -> None:
    paths = (*(f"src/päckage {n}/{'x' * 20}\n.go" for n in range(100_000)), "last\udcff")
    given = HandlerInput(lists={"FILES_LIST": paths})
    count = (
        "import os; p = open(os.environ['FILES_LIST'], 'rb').read().split(bytes(1)); print(len(p), p[-2:])"
    )
    raw = run((sys.executable, "-c", count), given)
    assert raw.stdout == "100002 [b'last\\xff', b'']\n"
    (written,) = (tmp_path / "run").iterdir()
    assert written.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700


def test_a_list_is_read_whole_by_xargs_and_by_a_shell_loop(run: Run) -> None:
    given = HandlerInput(lists={"L": ("a b", "c")})
    loop = 'while IFS= read -r -d "" f; do printf "<%s>" "$f"; done < "$L"'
    raw = run(f'xargs -0 printf "[%s]" < "$L"; {loop}', given, shell=("bash", "-c"))
    assert raw.stdout == "[a b][c]<a b><c>"


def test_a_long_text_arrives_by_file(run: Run) -> None:
    text = "é" * 200_000
    raw = run('wc -c < "$ERROR_FILE"', HandlerInput(texts={"ERROR_FILE": text}))
    assert raw.stdout.strip() == "400000"


def test_a_value_too_long_for_the_system_is_cut_and_told(run: Run) -> None:
    given = HandlerInput(
        placeholders="braces", variables={"error": "x" * 200_000}, env={"BIG": "y" * 200_000}
    )
    raw = run("printf %s '{{error}}' | wc -c; printf %s \"$BIG\" | wc -c", given)
    assert raw.exit_code == 0
    assert [int(n) < 131_072 for n in raw.stdout.split()] == [True, True]
    assert any("`error`" in note for note in raw.notes)
    assert any("`BIG`" in note for note in raw.notes)


def test_lists_without_a_folder_to_write_them_in_are_a_launch_error(run: Run) -> None:
    raw = run("true", HandlerInput(lists={"L": ("a",)}), around={"run_dir": ""})
    assert raw.launch_error == "there is no folder for the files that carry the hook's long values"


def test_a_placeholder_where_no_value_is_safe_stays_and_is_told(run: Run, tmp_path: Path) -> None:
    given = HandlerInput(placeholders="braces", variables={"title": "$(touch PWNED)"})
    raw = run("sh -c 'echo {{title}}'", given)
    assert raw.stdout == "{{title}}\n"
    assert raw.notes and "{{title}}" in raw.notes[0]
    assert not (tmp_path / "PWNED").exists()


def test_a_missing_shell_is_replaced_by_the_fallback_and_told(run: Run) -> None:
    raw = run("echo $0", shell=("no-such-shell", "-c"), means=Means(shell_fallback=("sh", "-c")))
    assert raw.stdout == "sh\n"
    assert raw.notes[0].startswith("`no-such-shell` is not in PATH")
    assert raw.notes[0].endswith("; run by `sh` instead")


def test_a_missing_shell_without_a_fallback_is_a_launch_error(run: Run) -> None:
    raw = run("echo", shell=("no-such-shell", "-c"))
    assert raw.launch_error.startswith("`no-such-shell` is not in PATH; searched ")
    assert raw.status_code == 127


def test_a_script_that_cannot_be_executed_says_so(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "check.sh"
    script.write_text("#!/bin/sh\nexit 0\n")
    assert run((str(script),)).launch_error == (
        f"`{script}` is not executable; run `chmod +x` on it or name an interpreter"
    )


def test_a_hook_out_of_time_is_ended_with_all_it_started(run: Run, tmp_path: Path, limit_once: Any) -> None:
    limit_once(spoken)
    raw = run("echo early; touch spoken; sleep 3600 & sleep 3600", around={"timeout_s": 3.0}, grace_s=0.2)
    assert (raw.timed_out, raw.status_code, raw.stdout) == (True, 124, "early\n")
    assert raw.survivors == 0


def test_a_cancelled_hook_leaves_no_process(tmp_path: Path) -> None:
    action = Command(line="echo $$ > pid.new; mv pid.new pid; sleep 60")

    async def cancel_once_started() -> None:
        task = asyncio.create_task(
            run_command(action, hook(action, grace_s=0.2), HandlerInput(), around_in(tmp_path))
        )
        async with asyncio.timeout(DEADLINE_S):
            while not (tmp_path / "pid").exists():  # noqa: ASYNC110 - a file has no event
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_once_started())
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_output_beyond_the_limit_is_marked_and_kept_whole_in_a_file(run: Run, tmp_path: Path) -> None:
    given = HandlerInput(output_limit=1000)
    raw = run("seq 1 20000", given, around={"output_path": str(tmp_path / "out.log")})
    assert raw.truncated and len(raw.stdout) < 1100
    assert raw.stdout.startswith("1\n2\n") and raw.stdout.endswith("19999\n20000\n")
    assert raw.output_path == str(tmp_path / "out.log")
    assert (tmp_path / "out.log").stat().st_size == 108_894


def test_output_that_is_not_utf8_is_readable_and_told(run: Run) -> None:
    raw = run(r"printf 'a\377b'")
    assert raw.stdout == "a\ufffdb"
    assert raw.notes == ("the output was not all UTF-8; the broken bytes are shown as `\ufffd`",)


def test_output_is_heard_live_and_streams_merge_when_asked(run: Run) -> None:
    heard: list[tuple[str, bytes]] = []
    raw = run(
        "echo out; echo err >&2",
        HandlerInput(merge_output=True),
        around={"on_output": lambda stream, chunk: heard.append((stream, chunk))},
    )
    assert raw.stdout == "out\nerr\n"
    assert b"".join(chunk for _, chunk in heard) == b"out\nerr\n"


@as_root
def test_root_runs_a_hook_as_another_user_with_that_users_home(run: Run) -> None:
    other = pwd.getpwnam("nobody")
    given = HandlerInput(user="nobody", cwd="/")
    raw = run('id -u; id -g; id -G; echo "$HOME $USER $LOGNAME"', given)
    uid, gid, groups, env = raw.stdout.splitlines()
    assert (int(uid), int(gid)) == (other.pw_uid, other.pw_gid)
    assert set(map(int, groups.split())) == set(os.getgrouplist("nobody", other.pw_gid))
    assert env == f"{other.pw_dir} nobody nobody"


@as_root
def test_a_user_who_does_not_exist_is_a_clear_launch_error_never_root(run: Run, tmp_path: Path) -> None:
    """Contract: `run_as: user` without that user fails with a clear message."""
    raw = run("touch ran", HandlerInput(user="no-such-user"))
    assert raw.launch_error.startswith(
        "the user `no-such-user`, as whom the hook shall run, does not exist; "
    )
    assert not (tmp_path / "ran").exists()


def test_without_root_a_hook_for_root_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 65534)
    raw = run("true", HandlerInput(user="root"))
    assert raw.launch_error.startswith("the hook wants to run as root, but this process runs as `nobody`")


def test_without_root_a_hook_for_another_user_runs_as_us_with_a_note(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 65534)
    raw = run("echo ran", HandlerInput(user="discobot"))
    assert (raw.stdout, raw.notes) == ("ran\n", ("ran as `nobody`: only root can run it as `discobot`",))


def test_a_hook_runs_on_the_poll_loop_too(tmp_path: Path) -> None:
    action = Command(line="echo hi")
    raw = loops.run(run_command(action, hook(action), HandlerInput(), around_in(tmp_path)))
    assert raw.stdout == "hi\n"


def test_a_commit_elsewhere_by_a_hook_leaves_the_outer_index_of_a_linked_worktree_alone(
    run: Run, tmp_path: Path
) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    outer, linked = tmp_path / "outer", tmp_path / "linked"
    clean = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}

    def call(*words: str, cwd: Path) -> str:
        done = subprocess.run([*git, *words], cwd=cwd, env=clean, capture_output=True, text=True, check=True)
        return done.stdout

    outer.mkdir()
    call("init", cwd=outer)
    call("commit", "--allow-empty", "-m", "first", cwd=outer)
    call("worktree", "add", str(linked), cwd=outer)
    (linked / "staged").write_text("x")
    call("add", "staged", cwd=linked)
    git_dir = call("rev-parse", "--absolute-git-dir", cwd=linked).strip()
    before = (Path(git_dir) / "index").read_bytes()
    elsewhere = (
        "mkdir inner && cd inner && git init -q && echo y > other && git add other && "
        "git -c user.name=h -c user.email=h@h commit -qm inner && git log --format=%s"
    )
    outer_git = {"GIT_DIR": git_dir, "GIT_INDEX_FILE": f"{git_dir}/index", "GIT_WORK_TREE": str(linked)}
    raw = run(elsewhere, HandlerInput(cwd=str(tmp_path)), outer_git)
    assert (raw.exit_code, raw.stdout) == (0, "inner\n")
    assert (Path(git_dir) / "index").read_bytes() == before
    assert call("log", "--format=%s", cwd=linked) == "first\n"
