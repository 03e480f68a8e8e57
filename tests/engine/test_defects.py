"""A defect of one dialect, in whatever part of it, takes no command away from the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

from hookline.dialects import dialect, names
from hookline.engine.loading import places_for
from hookline.model.events import EventKind
from hookline.model.hooks import Command, HookSpec

KEPT = ("claude", "hookline")
PARTS = (
    "sources", "parse", "combine", "schema", "drops_for", "kind_of", "rule", "row", "skip_reason", "fit_of",
    "subject_values", "hook_input", "read_output", "read_event", "respond", "fit", "tools_about",
)  # fmt: skip
CALL = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"}
COMMANDS = (
    "list --json", "check", "doctor", "explain Bash ls", "fire PreToolUse --json", "bridge claude --event PreToolUse",
    "convert claude hookline", "schema claude", "install claude --dry-run",
)  # fmt: skip
# Runs each command in a process forked for it, after a part of every dialect but those has been broken.
SCRIPT = """
import json, os, sys
from hookline.cli.main import main
from hookline.dialects import dialect, names

kept, part, commands, call = json.load(sys.stdin)

def broken(*_, **__):
    raise RuntimeError("broken on purpose")

for name in names():
    found = dialect(name)
    if name not in kept:
        found.__dict__[part] = broken
told = []
for line in commands:
    files = [open(stream + ".txt", "w+") for stream in ("given", "out", "err")]
    files[0].write(call)
    files[0].flush()
    files[0].seek(0)
    child = os.fork()
    if not child:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        code = 70
        try:
            code = main(line.split())
        except SystemExit as end:
            code = end.code or 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    told.append([line, code, open("out.txt").read(), open("err.txt").read()])
print(json.dumps(told))
"""


@pytest.fixture
def everybody(program: Program) -> Program:
    """A workspace in which every dialect that has a config there denies shell calls, by a hook of its own."""
    places = places_for(str(program.workspace), {"HOME": str(program.home)})
    for name in names():
        found = dialect(name)
        rule = next(
            (row for row in (*found.rows, *found.rules.values()) if row.kind is EventKind.PreToolUse), None
        )
        inside = [each for each in found.sources(places) if each.path.startswith(places.workspace + "/")]
        if rule is None or not inside or not found.profile.can.handlers or inside[-1].format == "scripts":
            continue
        action = Command(f"echo by {name} >&2; exit 2", shell=found.profile.can.shell)
        path = Path(inside[-1].path)
        if not path.exists():
            text = found.profile.write([HookSpec(f"{name}:1", name, rule.kind, rule.native, action)])
            program.write(str(path.relative_to(places.workspace)), text)
    return program


def played(program: Program, part: str) -> dict[str, tuple[int, str, str]]:
    """The exit code, stdout and stderr of each command, where that part of all other dialects is broken."""
    given = json.dumps([KEPT, part, COMMANDS, json.dumps(CALL)])
    done = program.python("-c", SCRIPT, stdin=given)
    assert done.returncode == 0, done.stderr
    return {line: (code, out, err) for line, code, out, err in json.loads(done.stdout)}


def test_without_a_defect_every_dialect_denies(everybody: Program) -> None:
    found = json.loads(played(everybody, "nothing")["fire PreToolUse --json"][1])
    denying = {row["dialect"] for row in found["hooks"] if row["verdict"] == "deny"}
    assert {*KEPT, "gencode", "gemini", "copilot", "cursor", "qwen", "droid", "kiro", "windsurf"} <= denying


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_fails_in_all_other_dialects_takes_no_command_away(everybody: Program, part: str) -> None:
    found = played(everybody, part)
    for line, (code, _, err) in found.items():
        assert code in (0, 1, 2) and "Traceback" not in err, (line, code, err)
    assert {row["dialect"] for row in json.loads(found["list --json"][1])} >= set(KEPT)
    fired: dict[str, Any] = json.loads(found["fire PreToolUse --json"][1])
    verdicts = {row["dialect"]: row["verdict"] for row in fired["hooks"]}
    assert (fired["verdict"], [verdicts[name] for name in KEPT]) == ("deny", ["deny", "deny"])
    assert "deny" in found["bridge claude --event PreToolUse"][1]
    assert "by claude" in found["convert claude hookline"][1]
    assert "PreToolUse" in found["schema claude"][1]
    assert ".claude/settings.json" in "".join(found["install claude --dry-run"][1:])
    assert all(name in found["explain Bash ls"][1] for name in KEPT)
