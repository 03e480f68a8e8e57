"""The programs we put inside agents ask the resident themselves, and start a process where it has no answer."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.test_plugins import CLAUDE, FILES, NODE, before, named, run
from tests.hosts.test_resident_silence import SAID
from tests.program import Program
from tests.resident_process import Resident

from hookline.hosts.resident.frames import decode_request, encode_reply, size_of, taken
from hookline.system import files
from hookline.system.local_socket import listen

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
CALLS = {
    "opencode": before("bash", command="ls"),
    "pi": ["tool_call", {"toolName": "bash", "toolCallId": "c1", "input": {"command": "ls"}}],
    "amp": ["tool.call", {"tool": "Bash", "toolUseID": "c1", "input": {"command": "ls"}}],
}


PATIENT = {"TAKE_MS": 60_000}  # a resident that a busy machine makes late is waited for


def installed(program: Program, agent: str, launcher: str, **constants: Any) -> None:
    """Our program in that agent, with another launcher; `constants` are others of its own."""
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": CLAUDE["PreToolUse"]}}))
    assert (done := program("install", agent)).returncode == 0, done.stderr
    file = program.workspace / (".amp/plugins/hookline.ts" if agent == "amp" else FILES[agent])
    text = file.read_text()
    for name, value in {"LAUNCHER": [launcher], **constants}.items():
        text, found = re.subn(rf"(?m)^const {name} = .*$", f"const {name} = {json.dumps(value)};", text)
        assert found == 1, name
    program.write(FILES[agent], text)


def noting(program: Program, folder: Path) -> tuple[str, Path]:
    """A launcher that notes its arguments and denies, and where it notes them."""
    launcher, notes = folder / "launcher", folder / "notes"
    launcher.write_text(f'#!/bin/sh\ncat > /dev/null\necho "$*" >> {notes}\necho by a process >&2\nexit 2\n')
    launcher.chmod(0o755)
    return str(launcher), notes


def whole_request(connection: socket.socket) -> bytes:
    frame = b""
    while len(frame) < 16 or len(frame) < size_of(frame):
        frame += connection.recv(1 << 20)
    return frame


@pytest.mark.parametrize("agent", CALLS)
def test_a_program_inside_an_agent_asks_the_resident_without_a_process(
    agent: str, resident: Resident
) -> None:
    installed(resident.program, agent, "/nowhere/hookline", **PATIENT)
    resident.start()
    results, _ = run(resident.program, agent, agent, *[CALLS[agent]] * 2)
    assert len(results) == 2 and all("no shell today" in json.dumps(each) for each in results)
    assert (resident.status() or {})["calls"] == 2


def test_the_resident_is_told_what_a_process_would_see(resident: Resident, tmp_path: Path) -> None:
    """The folder by its own path, every variable, and nothing lost of large or foreign words."""
    link = tmp_path / "link"
    link.symlink_to(resident.program.workspace)
    text = "ä\u2028" * 200_000
    program = Program(resident.program.home, link)
    installed(program, "opencode", "/nowhere/hookline", **PATIENT)
    files.ensure_dir(str(resident.folder), 0o700)
    with listen(str(resident.folder)) as listener, ThreadPoolExecutor(1) as pool:
        listener.setblocking(True)
        call = before("bash", command=text)
        results = pool.submit(run, program, "opencode", "opencode", call, COLOUR="röt=\n")
        connection = listener.accept()[0]
        frame = whole_request(connection)
        answer = {
            "hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": text + "!"}}
        }
        connection.sendall(taken(60) + encode_reply(0, json.dumps(answer, ensure_ascii=False)))
        connection.close()
        (found,), _ = results.result()
    request = decode_request(frame)
    assert (request.agent, request.event) == ("opencode", "tool.execute.before")
    assert request.cwd == str(resident.program.workspace)
    sent: Mapping[str, Any] = json.loads(request.payload)
    assert sent["tool_input"] == {"command": text} and found["args"] == {"command": text + "!"}
    assert request.environment["COLOUR"] == "röt=\n"
    assert request.environment["HOME"] == str(resident.program.home)


@pytest.mark.parametrize("agent", CALLS)
def test_the_next_call_goes_over_a_connection_that_was_made_before_it(
    agent: str, resident: Resident, tmp_path: Path
) -> None:
    """One that is there already takes what is written at once; one that is closed meanwhile loses no guard."""
    launcher, _ = noting(resident.program, tmp_path)
    installed(resident.program, agent, launcher)
    files.ensure_dir(str(resident.folder), 0o700)
    denial = taken(60) + encode_reply(2, "", ["by the resident"])
    with listen(str(resident.folder)) as listener, ThreadPoolExecutor(1) as pool:
        listener.settimeout(30)
        told = pool.submit(run, resident.program, agent, agent, *[CALLS[agent]] * 3)
        for _ in range(2):
            with listener.accept()[0] as connection:
                assert decode_request(whole_request(connection)).agent == agent
                connection.sendall(denial)
        listener.accept()[0].close()
        listener.close()
        (one, two, three), _ = told.result()
    assert "by the resident" in json.dumps(one) and "by the resident" in json.dumps(two)
    assert "by a process" in json.dumps(three)


def test_a_process_is_asked_whatever_listens_there_says(resident: Resident, tmp_path: Path) -> None:
    launcher, notes = noting(resident.program, tmp_path)
    installed(resident.program, "opencode", launcher)
    files.ensure_dir(str(resident.folder), 0o700)
    with listen(str(resident.folder)) as listener, ThreadPoolExecutor(1) as pool:
        listener.setblocking(True)
        calls = [before("bash", command="ls")] * len(SAID)
        told = pool.submit(run, resident.program, "opencode", "opencode", *calls)
        for content in SAID.values():
            connection = listener.accept()[0]
            with contextlib.suppress(OSError):
                connection.sendall(content)
            connection.close()
        results, _ = told.result()
    assert results == [{"threw": "by a process"}] * len(SAID)
    starts = notes.read_text().splitlines()
    assert len(starts) == len(SAID)
    assert all(re.fullmatch(r"bridge opencode --event \S+ --waited \d+", start) for start in starts), starts


def test_a_process_is_asked_where_the_resident_says_nothing_in_time(
    resident: Resident, tmp_path: Path
) -> None:
    """Neither that it works on the call, nor, once it said so, an answer."""
    launcher, notes = noting(resident.program, tmp_path)
    installed(resident.program, "opencode", launcher)
    files.ensure_dir(str(resident.folder), 0o700)
    with listen(str(resident.folder)) as listener, ThreadPoolExecutor(1) as pool:
        listener.setblocking(True)
        told = pool.submit(run, resident.program, "opencode", "opencode", *[before("bash", command="ls")] * 2)
        silent, slow = listener.accept()[0], listener.accept()[0]
        slow.sendall(taken(0.2))
        results, _ = told.result()
        silent.close()
        slow.close()
    assert results == [{"threw": "by a process"}] * 2
    waited = [int(start.split()[-1]) for start in notes.read_text().splitlines()]
    assert waited[0] >= 1000 and waited[1] >= 200


@pytest.mark.parametrize("why", ["open to others", "another version", "no package", "nobody listens"])
def test_a_resident_that_is_not_this_users_own_is_not_asked(
    resident: Resident, tmp_path: Path, why: str
) -> None:
    launcher, notes = noting(resident.program, tmp_path)
    other = tmp_path / "__init__.py"
    other.write_text('__version__ = "0.0.9"\n')
    constants = {
        "another version": {"PACKAGE": str(other)},
        "no package": {"PACKAGE": "/nowhere/__init__.py"},
    }
    installed(resident.program, "opencode", launcher, **constants.get(why, {}))
    if why != "nobody listens":
        resident.start()
    if why == "open to others":
        resident.folder.chmod(0o755)
    results, calls = run(resident.program, "opencode", "opencode", before("bash", command="ls"))
    assert results == [{"threw": "by a process"}] and not named(calls, "toast")
    (start,) = notes.read_text().splitlines()
    assert ("--waited" in start) is (why == "another version")
    files.ensure_dir(str(resident.folder), 0o700)
    resident.folder.chmod(0o700)
