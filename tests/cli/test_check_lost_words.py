"""What `hookline check` says of the scripts in `lost_words.txt`, whose words arrive somewhere, or nowhere, and of those
in `scripts.txt` and `reads.txt`, each of which is sound, or has one mistake."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.test_check_scripts import Hook, codes
from tests.program import Program

LOST = {
    "unread-output",
    "plain-output",
    "wrong-answer",
    "weak-answer",
    "weak-exit",
    "silent-exit",
    "lost-exit",
}
BEGINS = {
    "sh": "#!/usr/bin/env bash\n",
    "dash": "#!/bin/sh\n",
    "fish": "#!/usr/bin/env fish\n",
    "py": "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n",
    "js": "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n",
    "ts": "import { readFileSync } from 'fs';\nconst d: any = JSON.parse(readFileSync(0, 'utf8'));\n",
    "rb": "require 'json'\nd = JSON.parse($stdin.read)\n",
    "ps1": "$d = [Console]::In.ReadToEnd() | ConvertFrom-Json\n",
}
BY = {"py": "python3 ", "js": "node ", "ts": "bun run ", "rb": "ruby ", "ps1": "pwsh -File "}
FOLDERS = {
    "claude": '"$CLAUDE_PROJECT_DIR"', "gemini": '"$GEMINI_PROJECT_DIR"', "droid": '"$FACTORY_PROJECT_DIR"',
    "codex": '"$(git rev-parse --show-toplevel)"',
}  # fmt: skip


def found_in(program: Program, name: str) -> dict[str, tuple[str, set[str]]]:
    """For each row of a file what is wanted of it, and the codes that are found."""
    wanted, hooks = {}, list[Hook]()
    rows = Path(__file__).with_name(name).read_text(encoding="utf-8")
    for number, row in enumerate(re.split(r"(?m)^=== ", rows)[1:]):
        head, _, text = row.partition("\n")
        told, agent, event, matcher, language, title = head.split(" ", 5)
        program.write(f"s{number}.{language}", BEGINS[language] + text, 0o755)
        line = f"{BY.get(language, '')}{FOLDERS.get(agent, '.')}/s{number}.{language}"
        hooks.append((agent, event, {"command": line, **({"matcher": matcher} if matcher != "-" else {})}))
        wanted[f"{agent}, {language}: {title}"] = told
    found = map(set, codes(program, hooks))
    return {title: (told, each) for (title, told), each in zip(wanted.items(), found, strict=True)}


def test_words_that_arrive_nowhere_are_told_and_no_others(program: Program) -> None:
    found = found_in(program, "lost_words.txt")
    assert {title: not LOST.isdisjoint(each) for title, (_, each) in found.items()} == {
        title: told == "told" for title, (told, _) in found.items()
    }


@pytest.mark.parametrize("rows", ["scripts.txt", "reads.txt"])
def test_the_mistake_of_a_script_is_told_and_nothing_of_a_sound_one(program: Program, rows: str) -> None:
    found = found_in(program, rows)
    wrong = {title: each for title, each in found.items() if each[0] not in (each[1] or {"sound"})}
    assert wrong == {}


def test_hints_name_what_the_event_of_that_agent_reads(program: Program) -> None:
    wrong = {
        ("cursor", "afterFileEdit", 'echo \'{"userMessage": "lint fails"}\''): "nothing is read there",
        ("cursor", "afterShellExecution", "echo 'Warning: commit this first'"): "nothing is read there",
        ("cursor", "postToolUse", "echo 'Warning: commit this first'"): "answer in JSON",
        (
            "cursor",
            "beforeShellExecution",
            'echo \'{"permission": "deny", "userMessage": "no"}\'',
        ): "write `user_message`",
        ("cursor", "stop", 'echo \'{"followup_message": "go on"}\''): "`loop_count` is above 0",
        ("claude", "Stop", 'echo \'{"decision": "block", "reason": "go on"}\''): "`stop_hook_active` is true",
        (
            "codex",
            "PreToolUse",
            'printf \'{"decision": "block", "reason": "%s", "stopReason": "%s"}\' "$WHY" "$WHY"',
        ): "`stopReason` means nothing",
        (
            "claude",
            "PermissionRequest",
            'printf \'{"hookSpecificOutput": {"hookEventName": "PermissionRequest", '
            '"decision": {"behavior": "%s", "message": "%s", "interrupt": "no"}}}\' "$SAID" "$WHY"',
        ): "expected true or false, found 'no'",
        ("copilot", "sessionEnd", "echo 'Warning: the push failed'"): "nothing is read there",
    }
    hooks: list[Hook] = []
    for number, (agent, event, text) in enumerate(wrong):
        program.write(f"h{number}.sh", f"#!/bin/bash\ncat >/dev/null\n{text}\ntouch done\n", 0o755)
        hooks.append((agent, event, {"command": f"{FOLDERS.get(agent, '.')}/h{number}.sh"}))
    codes(program, hooks)
    found = json.loads(program("check", "--json").stdout)
    for number, hint in enumerate(wrong.values()):
        told = [each["hint"] for each in found if f"h{number}.sh" in each["message"]]
        assert any(hint in each for each in told), (hint, told)
