"""What a patch writes is read from it, or it is opaque; names that nobody knows raise no alarm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.dialects.agent_cases import answer
from tests.dialects.test_guards_by_effect import rule, verdicts
from tests.program import Program

from hookline.hosts.bridge.call import speaker_of

PATCH = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+b\n"
REMOVES = "--- a/src/old.py\t2026-01-01\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
MOVES = "diff --git a/docs/a b/docs/b\nsimilarity index 100%\nrename from docs/a\nrename to src/b\n"


def test_a_patch_writes_the_files_it_names(program: Program) -> None:
    for name, text in (
        ("in.diff", PATCH.format("src/app.py")), ("out.diff", PATCH.format("docs/app.md")),
        ("gone.diff", REMOVES), ("moved.diff", MOVES),
    ):  # fmt: skip
        program.write(name, text)
    denied = [
        "patch -p1 < in.diff", "patch -p1 -i in.diff", "cat in.diff | patch -p1", "git apply in.diff",
        "git apply out.diff in.diff", "git apply < in.diff", "git am in.diff", "git apply moved.diff",
        f"git apply <<'E'\n{PATCH.format('src/app.py')}E", f"patch -p1 <<'E'\n{PATCH.format('src/x')}E",
        "cp in.diff x.diff; git apply in.diff",
    ]  # fmt: skip
    passed = [
        "patch -p1 < out.diff", "git apply out.diff", "git apply --stat in.diff", "patch --dry-run -p1 < in.diff",
        f"git apply <<'E'\n{PATCH.format('docs/x')}E",
    ]  # fmt: skip
    opaque = ["git apply other.diff", "patch -p1 < other.diff", "curl -s https://x.example/p | git apply",
              "tar xf x.tar", "unzip x.zip"]  # fmt: skip
    found = verdicts(program, rule('write = "src/**"'), [*denied, *passed, *opaque])
    assert found == dict.fromkeys(denied, "deny") | dict.fromkeys([*passed, *opaque], "none")
    asked = verdicts(program, rule('write = "src/**"\nopaque = "ask"'), [*denied, *passed, *opaque])
    assert asked == dict.fromkeys(denied, "deny") | dict.fromkeys(passed, "none") | dict.fromkeys(
        opaque, "ask"
    )
    below = [
        "git apply --directory=src out.diff",
        "git apply --directory=. in.diff",
        "git am --directory=./ in.diff",
    ]
    assert list(verdicts(program, rule('write = "src/**"'), below).values()) == ["ask", "deny", "deny"]
    removed = verdicts(program, rule('delete = "src/**"'), ["patch -p1 < gone.diff", "git apply in.diff"])
    assert list(removed.values()) == ["deny", "none"]


NAMES = 'use = ["git", "files", "secrets", "self"]\n'


SILENT = [
    'rm -f "logs/$name"', "cat config/$f", "find build -type f | xargs rm", "git checkout $LAST_TAG",
    'for f in ./nupkg/*.nupkg; do unzip -p "$f"; done', "git checkout $(git describe --tags)",
    "git ls-files | grep json | xargs cat", "cp a.txt \"backup/$day\"",
]  # fmt: skip
ASKED = [
    "rm -rf .git/$x", "rm -rf ./$x", "find . -type f | xargs rm", "f=.git; rm -rf sub/$f", "rm -rf $d/.git",
    'cat "$dir/.env"', "cat config/.e$x", 'for f in conf/.e*; do cat "$f"; done', "git checkout $TAG .",
    "git checkout $OPTIONS", 'git checkout "$TAG" -- src', "ls -a | grep env | xargs cat",
    "ls -a | grep -i env | xargs -I{} cat {}", "find . | grep env | xargs cat",
    'for f in $(ls -a | grep env); do cat "$f"; done', 'for f in .git sub; do rm -rf "x/$f"; done',
]  # fmt: skip


def test_names_of_which_nothing_is_known_raise_no_alarm_and_others_do(program: Program) -> None:
    found = verdicts(program, NAMES, [*SILENT, *ASKED, "rclone cat remote:site/.env"])
    told = dict.fromkeys(SILENT, "none") | dict.fromkeys(ASKED, "ask")
    assert found == told | {"rclone cat remote:site/.env": "deny"}


# -- tools for patches, which every agent hands over in an argument of its own ------------------------------

EDIT = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** Update File: .env\n@@\n-a\n+b\n*** End Patch"
HANDED = [
    ("codex", "apply_patch", {"command": EDIT}), ("codex", "apply_patch", {"input": EDIT}),
    ("copilot", "apply_patch", EDIT), ("copilot", "apply_patch", {"input": EDIT, "explanation": "x"}),
    ("droid", "ApplyPatch", {"input": EDIT}), ("augment", "apply_patch", {"patch": EDIT}),
    ("openhands", "apply_patch", {"patch": EDIT}), ("cursor", "ApplyPatch", {"patch": EDIT}),
    ("vscode", "apply_patch", {"input": EDIT, "explanation": "x"}),
]  # fmt: skip
NAMES_OF_FIELDS = {
    "copilot": ("toolName", "toolArgs"), "openhands": ("tool_name", "tool_input"),
}  # fmt: skip


def patched(program: Program, name: str, tool: str, given: object) -> Any:
    speaker = speaker_of(name)
    native = next(row.native for row in speaker.rows if row.kind == "PreToolUse")
    tool_key, input_key = NAMES_OF_FIELDS.get(name, ("tool_name", "tool_input"))
    sent = {"cwd": str(program.workspace), "session_id": "s", tool_key: tool, input_key: given}
    return program("bridge", name, "--event", native, stdin=json.dumps(sent))


@pytest.mark.parametrize(("name", "tool", "given"), HANDED)
def test_a_guard_sees_every_file_of_a_patch_whatever_the_agent_calls_it(
    program: Program, name: str, tool: str, given: object
) -> None:
    by_effect = rule('write = ".env"')
    script = 'grep -q \'"file_path": *"a.txt"\' && { echo by script >&2; exit 2; }; exit 0'
    hook = {"matcher": "Edit", "hooks": [{"type": "command", "command": script}]}
    for path, text, why in (
        (".hookline/hooks.toml", f"version = 1\n{by_effect}", "no"),
        (".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [hook]}}), "by script"),
    ):
        program.write(path, text)
        program("trust", "--yes")
        done = patched(program, name, tool, given)
        assert why in done.stdout + done.stderr and "could not judge" not in done.stderr, path
        (program.workspace / path).unlink()


@pytest.mark.parametrize(
    ("name", "given", "key"),
    [
        ("copilot", EDIT, ""), ("copilot", {"input": EDIT}, "input"), ("codex", {"command": EDIT}, "command"),
        ("cursor", {"patch": EDIT}, "patch"),
    ],
)  # fmt: skip
def test_a_changed_patch_goes_back_where_it_came_from(name: str, given: Any, key: str) -> None:
    speaker = speaker_of(name)
    native = next(row.native for row in speaker.rows if row.kind == "PreToolUse")
    tool_key, input_key = NAMES_OF_FIELDS.get(name, ("tool_name", "tool_input"))
    event = speaker.read_event(native, {"cwd": "/w", tool_key: "apply_patch", input_key: given})
    assert (event.tool_name, event.tool_input["file_path"]) == ("Edit", "a.txt")
    changed = {**event.tool_input, "command": EDIT.replace("+b", "+c")}
    said = json.dumps(answer(speaker, event, updated_input=changed))
    there = json.loads(said)
    found = [value for value in _all_values(there) if value == EDIT.replace("+b", "+c")]
    assert len(found) == 1 and (not key or f'"{key}": "*** Begin' in said)
    assert key or there == {"modifiedArgs": EDIT.replace("+b", "+c")}


def test_a_changed_call_goes_back_in_the_fields_in_which_it_was_sent() -> None:
    for name, field in (("cursor", "path"), ("cursor", "target_file"), ("copilot", "filePath")):
        speaker = speaker_of(name)
        native = next(row.native for row in speaker.rows if row.kind == "PreToolUse")
        tool_key, input_key = NAMES_OF_FIELDS.get(name, ("tool_name", "tool_input"))
        tool = speaker.tools.native("Read")[0]
        event = speaker.read_event(native, {"cwd": "/w", tool_key: tool, input_key: {field: "a"}})
        said = answer(speaker, event, updated_input={**event.tool_input, "file_path": "b"})
        assert {field: "b"} in said.values(), said


def _all_values(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(each for part in inner for each in _all_values(part))]
