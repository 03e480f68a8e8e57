"""Hostile hooks as executable scripts: each does one thing that has broken a hook host in the field.

| Name | What it does | What the runner must make of it |
|---|---|---|
| sleep-forever | sleeps for an hour | time-out, ended by TERM |
| ignore-term | ignores TERM, its children too | time-out, ended by KILL after the grace |
| sigstop-self | stops itself | time-out, continued and ended |
| bg-child-stdout | leaves a child holding stdout | exit 0 within exit + 0.5 s, output intact, child ended |
| bg-child-stderr-only | leaves a child holding only stderr | the same |
| bg-child-fd3 | leaves a child holding stdout as fd 3 | the same |
| setsid-escapee | leaves a child in a session of its own, all pipes closed | exit 0, child found and ended |
| daemon-escapee | forks twice with setsid between, as daemons do | exit 0, child found and ended |
| env-escapee | the same with a cleared environment | exit 0, child found and ended |
| nohup-escapee | leaves a child that ignores HUP, in a session of its own | exit 0, child found and ended |
| clean-daemon | a daemon that has cleared its environment and closed everything | exit 0, child found and ended |
| fork-many | leaves 40 children | exit 0, all ended |
| never-reads-stdin | exits without reading | exit 0, `stdin_unread`, no error |
| closes-stdin | closes stdin, then writes | exit 0, `stdin_unread`, no error |
| write-before-read | writes 1 MiB, then reads stdin | exit 0, no deadlock, echoes the byte count on stderr |
| endless-output | writes for ever | time-out, bounded memory, true size |
| binary-output | all 256 byte values | exit 0, decoded with replacement, `invalid_utf8` |
| half-utf8 | the two halves of one character in two writes | exit 0, one whole character |
| huge-reply | a JSON reply with a reason of 300 kB | exit 0, head and tail with a mark between |
| noexec | no execute bit | not launched, 126 |
| noshebang | a shell script without `#!` | not launched, 126 |
| empty | an empty file | not launched, 126 |
| bom | a byte order mark before `#!` | not launched, 126 |
| crlf | Windows line ends | not launched, 127 |
| missing-interpreter | `#!` names nothing | not launched, 127 |
| exit2-usage | exit 2 with a usage message, as a broken tool does | exit 2 |
| exit1-guard | denies by exit 1 with a reason on stderr | exit 1 |
| kills-parent-group | sends TERM to its own process group | signal 15; we live |
| closes-all-fds | closes all descriptors and goes on for a moment | exit 0, no output |
| deletes-itself | removes its own file | exit 0 |
| two-json-docs | two JSON documents on stdout | exit 0, both in the output |
| banner-then-json | a profile's banner, then JSON | exit 0, both in the output |
| deny-after-sleep | denies after half a second | exit 2 |
| allow-always | an explicit allow | exit 0 |
| wrong-event-reply | a reply that names another event | exit 0 |
| changes-cwd | changes folder and prints it | exit 0; ours unchanged |
"""

from __future__ import annotations

from pathlib import Path

ALLOW = """echo '{"hookSpecificOutput": {"hookEventName": "%s", "permissionDecision": "allow"}}'"""

SHELL = {
    "sleep-forever": "exec sleep 3600",
    "ignore-term": "trap '' TERM\necho ready\nsleep 3600\nsleep 3600",
    "sigstop-self": "kill -STOP $$\necho continued",
    "bg-child-stdout": "sleep 3600 2>/dev/null &\necho $!",
    "bg-child-stderr-only": "sleep 3600 >/dev/null &\necho $!",
    "bg-child-fd3": "exec 3>&1\nsleep 3600 >/dev/null 2>&1 &\necho $!",
    "setsid-escapee": "setsid sleep 3600 </dev/null >/dev/null 2>&1 &\necho $!",
    "env-escapee": "env -i setsid sleep 3600 </dev/null >/dev/null 2>&1 &\necho $!",
    "nohup-escapee": "nohup setsid env -i sleep 3600 </dev/null >/dev/null 2>&1 &\necho $!",
    "fork-many": "for n in 1 2 3 4 5 6 7 8 9 10; do for m in 1 2 3 4; do sleep 3600 & done; done\necho many",
    "never-reads-stdin": "echo not interested",
    "closes-stdin": "exec <&-\necho closed",
    "write-before-read": "head -c 1048576 /dev/zero\nwc -c >&2",
    "endless-output": "exec yes",
    "exit2-usage": "echo 'usage: lint [-h] FILE' >&2\nexit 2",
    "exit1-guard": "echo 'secrets are not for commits' >&2\nexit 1",
    "kills-parent-group": "kill -TERM 0\nsleep 3600",
    "closes-all-fds": "exec <&- >&- 2>&-\nexit 0",
    "deletes-itself": 'rm -- "$0"\necho gone',
    "two-json-docs": """echo '{"decision": "allow"}'\necho '{"decision": "deny"}'""",
    "banner-then-json": """echo 'Welcome to node v20!'\necho '{"decision": "deny", "reason": "no"}'""",
    "deny-after-sleep": "sleep 0.5\necho 'too late to be wrong' >&2\nexit 2",
    "allow-always": ALLOW % "PreToolUse",
    "wrong-event-reply": ALLOW % "Stop",
    "changes-cwd": "cd /\npwd",
}

PYTHON = {
    "daemon-escapee": (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        print(os.getpid(), flush=True)\n"
        "        [os.close(fd) for fd in (0, 1, 2)]\n"
        "        time.sleep(3600)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    ),
    "clean-daemon": (
        "import os\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        print(os.getpid(), flush=True)\n"
        "        os.chdir('/')\n"
        "        os.umask(0)\n"
        "        os.closerange(0, 1024)\n"
        "        os.execve('/bin/sleep', ['sleep', '3600'], {})\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    ),
    "binary-output": "import sys\nsys.stdout.buffer.write(bytes(range(256)))\n",
    "half-utf8": (
        "import os, time\nfirst, second = 'ß'.encode()[:1], 'ß'.encode()[1:]\n"
        "os.write(1, first)\ntime.sleep(0.05)\nos.write(1, second)\n"
    ),
    "huge-reply": "import json\nprint(json.dumps({'decision': 'deny', 'reason': 'x' * 300_000}))\n",
}

RAW = {
    "noexec": b"#!/bin/sh\nexit 0\n",
    "noshebang": b"echo hello\n",
    "empty": b"",
    "bom": b"\xef\xbb\xbf#!/bin/sh\nexit 0\n",
    "crlf": b"#!/bin/sh\r\nexit 0\r\n",
    "missing-interpreter": b"#!/no/such/interpreter -x\nexit 0\n",
}


def zoo(folder: Path, python: str = "/usr/bin/env python3") -> dict[str, Path]:
    """Write every hook into `folder` and return the paths by name; all executable but `noexec`."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: f"#!/bin/sh\n{body}\n".encode() for name, body in SHELL.items()}
    files |= {name: f"#!{python}\n{body}".encode() for name, body in PYTHON.items()}
    files |= RAW
    paths = {name: folder / name for name in files}
    for name, path in paths.items():
        path.write_bytes(files[name])
        path.chmod(0o644 if name == "noexec" else 0o755)
    return paths
