"""What people get wrong in their hooks, beside what they get right: how much of it `check` and `doctor` find.

One file for each agent, one entry a line; a finding counts for the entry on whose line it is.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

CLAUDE, GEMINI, CODEX = ".claude/settings.json", ".gemini/settings.json", ".codex/hooks.json"
CURSOR, COPILOT = ".cursor/hooks.json", ".github/hooks/guard.json"
GUARD = "#!/bin/sh\ngrep -q forbidden && { echo no >&2; exit 2; }\nexit 0\n"
FILES = {
    "tools/guard.sh": (GUARD, 0o755),
    "tools/off.sh": (GUARD, 0o644),
    "tools/windows.sh": (GUARD.replace("\n", "\r\n"), 0o755),
    "tools/bare.sh": ("exit 0\n", 0o755),
    "tools/soft.sh": ('#!/bin/bash\nif grep -q "rm -rf"; then\n  echo "BLOCKED: no" >&2\n  exit 1\nfi\n', 0o755),
    "tools/soft.py": (
        "#!/usr/bin/env python3\nimport sys\nif 'x' in sys.stdin.read():\n"
        "    print('BLOCKED')\n    sys.exit(1)\n", 0o755,
    ),
    "tools/bare.py": ("import sys\nsys.exit(0)\n", 0o755),
    "tools/both.sh": (
        '#!/bin/sh\n[ -n "${GEMINI_PROJECT_DIR:-}" ] && cd "$GEMINI_PROJECT_DIR"\ngit status\n', 0o755,
    ),
    "tools/other.sh": ("#!/bin/sh\njq -r .toolArgs.command | grep -q rm && { echo no >&2; exit 2; }\n", 0o755),
    "bin/npx": ("#!/bin/sh\nexit 0\n", 0o755),
    "bin/uvx": ("#!/bin/sh\nexit 0\n", 0o755),
    ".claude/agents/helper.md": ("---\nname: helper\ndescription: Call it when: the work is done\n---\n", 0o644),
    "tools/fine.py": ("#!/usr/bin/env python3\nimport sys\nsys.exit(2 if 'x' in sys.stdin.read() else 0)\n", 0o755),
}  # fmt: skip

PROJECT = '"$CLAUDE_PROJECT_DIR"'
Entry = tuple[str, dict[str, Any]]  # event, and the entry; `matcher` goes to its group


def run(event: str, command: str, **more: Any) -> Entry:
    return event, {"command": command, **more}


WRONG: dict[str, list[Entry]] = {
    CLAUDE: [
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", timeout=3000),
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", timeout=30000),
        run("PostToolUse", f"{PROJECT}/tools/guard.sh", timeout=2000),
        run("PostToolUse", "ruff check --fix $CLAUDE_FILE_PATHS", matcher="Edit"),
        run("PostToolUse", "prettier --write ${CLAUDE_TOOL_INPUT}", matcher="Write"),
        run("PostToolUse", 'pwsh -c "Write-Output $env:TOOL_INPUT"'),
        run("PreToolUse", "node", args=["${LINT_ROOT:-node_modules/x}/hook.js"]),
        run("PreToolUse", "sh", args=["./tools/guard.sh", "&&", "true"]),
        run("PostToolUse", 'f=$(cat); [[ "$f" =~ py$ ]] && ruff check .'),
        run("PreToolUse", "source ./env.sh && true"),
        run("Stop", "echo please run the tests"),
        run("SessionEnd", "echo goodbye"),
        run("Notification", "echo look here"),
        run("PreToolUse", f"{PROJECT}/tools/soft.sh", matcher="Bash"),
        run("PreToolUse", f"python3 {PROJECT}/tools/soft.py", matcher="Bash"),
        run("PreToolUse", f"{PROJECT}/tools/off.sh"),
        run("PreToolUse", f"{PROJECT}/tools/windows.sh"),
        run("PreToolUse", f"{PROJECT}/tools/gone.sh"),
        run("PreToolUse", f"bash {PROJECT}/tools/missing.sh || true"),
        run("PreToolUse", "~/.claude/hooks/lost.sh"),
        run("PreToolUse", 'bash "$(git rev-parse --show-toplevel)/tools/nowhere.sh"'),
        run("PreToolUse", "cd tools && ./absent.sh"),
        run("PreToolUse", "bash -c './tools/void.sh'"),
        run("PreToolUse", "bash tools/guard.sh"),
        run("PreToolUse", "python3 .claude/hooks/../../tools/fine.py"),
        run("PreToolUse", "./tools/guard.sh"),
        run("PreToolUse", "$CLAUDE_PROJECT_DIR/tools/guard.sh"),
        run("PostToolUse", "node ${CLAUDE_PROJECT_DIR}/tools/fine.py"),
        run("PreToolUse", "/Users/maria/work/guard.sh"),
        run("PostToolUse", "python3 C:\\Users\\maria\\fmt.py"),
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", matcher="Bash(git commit*)"),
        run("SessionStart", "true", matcher="start"),
        run("PreCompact", "true", matcher="Auto"),
        run("Notification", "notify-me", matcher="idle"),
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", matcher="mcp__github"),
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", matcher="Edit", **{"if": "Bash(git *)"}),
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", once=True),
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", failClosed=True),
        run("PreToolUse", "jq -e '.command | test(\"rm -rf\")' && exit 2 || exit 0", matcher="Bash"),
        run("PreToolUse", f"{PROJECT}/tools/other.sh"),
        run("UserPromptSubmit", "jq -r .user_prompt | grep -q secret && exit 2"),
        run("PostToolUse", "echo $STDIN_JSON | jq -r .tool_input.file_path"),
        run("PreToolUse", f"{PROJECT}/tools/bare.py"),
        run("PreTooluse", "true"),
    ],
    GEMINI: [
        run("SessionStart", "true", matcher=".*"),
        run("SessionStart", "true", matcher="startup|resume"),
        run("BeforeTool", "true", timeout=10),
        run("BeforeTool", "true", timeout=15),
        run("AfterTool", "true", timeout=60),
        run("AfterTool", "prettier --write $GEMINI_FILE_PATH"),
        run("BeforeTol", "true"),
        run("BeforeTool", "$GEMINI_PROJECT_DIR/tools/gone.sh"),
    ],
    CODEX: [
        run("PreToolUse", "true", timeout=5000),
        run("PostToolUse", 'ls "${CODEX_PLUGIN_ROOT}"'),
        run("Stop", "echo done"),
        run("PreToolUse", "./tools/off.sh"),
    ],
    CURSOR: [
        run("beforeShellExecution", "true", timeout=3000),
        run("afterFileEdit", "prettier --write ${file}"),
        run("beforeShellExecution", "./tools/off.sh"),
        run("beforeShellExecution", "./tools/gone.sh"),
        run("beforeShellExecution", "jq -r .tool_input.command | grep -q rm && exit 2"),
        run("beforeShelExecution", "true"),
    ],
    COPILOT: [
        run("preToolUse", "cat ${workspaceFolder}/x"),
        run("preToolUse", "./tools/gone.sh"),
        run("preToolUse", "true", timeoutSec=30000),
        run("preToolUse", "jq -r .tool_input.command | grep -q rm && exit 2"),
        run("preToolUs", "true"),
    ],
}  # fmt: skip
RIGHT: dict[str, list[Entry]] = {
    CLAUDE: [
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", matcher="Bash", timeout=600),
        run("PreToolUse", f"{PROJECT}/tools/guard.sh", matcher="Bash|PowerShell"),
        run("PreToolUse", f"bash {PROJECT}/tools/guard.sh", matcher="Edit|Write|MultiEdit", statusMessage="guard"),
        run("PreToolUse", f"python3 {PROJECT}/tools/fine.py", matcher="*"),
        run("PreToolUse", f"cd {PROJECT} && ./tools/guard.sh", matcher=""),
        run("PreToolUse", 'bash "$(git rev-parse --show-toplevel)/tools/guard.sh"', matcher="mcp__github__.*"),
        run("PreToolUse", f"[ -x {PROJECT}/tools/guard.sh ] && exec {PROJECT}/tools/guard.sh", matcher="Bash"),
        run("PreToolUse", "bash -c '[[ -f x ]] && exit 2; exit 0'", matcher="Bash", **{"if": "Bash(git push:*)"}),
        run("PostToolUse", "f=$(python3 -c 'print(1)'); test -n \"$f\"", matcher="Edit|Write"),
        run("PostToolUse", f"A=1 sh {PROJECT}/tools/guard.sh 2>/dev/null || true", timeout=120),
        run("PostToolUse", "cat > /dev/null; exit 0", matcher="Write|Edit"),
        run("SessionStart", "git status --short", matcher="startup|resume"),
        run("SessionStart", "echo read the guide first", matcher="compact"),
        run("UserPromptSubmit", "date"),
        run("Stop", "git diff --quiet"),
        run("Stop", 'printf \'{"systemMessage": "done"}\''),
        run("SessionEnd", "true"),
        run("SubagentStop", "true"),
        run("PreCompact", "echo keep the plan", matcher="auto"),
        run("Notification", "true", matcher="idle_prompt"),
        run("PermissionRequest", "true", matcher="Bash"),
        run("PostToolUseFailure", "true", matcher="Bash", timeout=5),
        run("PreToolUse", f"{PROJECT}/tools/bare.sh"),
        run("PreToolUse", f"{PROJECT}/tools/both.sh"),
        run("PreToolUse", "npx -y @scope/guard@1.2 --strict"),
        run("PreToolUse", "uvx some-guard"),
        run("PreToolUse", "jq -e '.tool_input.command // .command | test(\"rm\")' && exit 2 || exit 0", matcher="Bash"),
        run("PreToolUse", "python3 -c \"import json, sys; d = json.load(sys.stdin); print(d['cwd'])\""),
        run("Stop", "true", asyncRewake=True, rewakeMessage="look at this", rewakeSummary="found"),
    ],
    GEMINI: [
        run("SessionStart", "true", matcher="startup"),
        run("SessionStart", "true"),
        run("BeforeTool", "true", matcher="run_shell_command|write_file", timeout=5000, name="guard"),
        run("BeforeTool", "$GEMINI_PROJECT_DIR/tools/guard.sh", matcher="write_.*"),
        run("AfterTool", "true", matcher="replace", timeout=60000),
        run("BeforeAgent", "true"),
        run("AfterAgent", "true"),
    ],
    CODEX: [
        run("PreToolUse", "python3 -c pass", matcher="Bash", timeout=30),
        run("PreToolUse", "true", matcher="apply_patch|Edit|Write"),
        run("PostToolUse", "true", matcher="^Bash$"),
        run("SessionStart", "git log -1", matcher="startup|resume"),
        run("UserPromptSubmit", "true"),
        run("Stop", "true"),
    ],
    CURSOR: [
        run("beforeShellExecution", "./tools/guard.sh", timeout=30, failClosed=True),
        run("beforeShellExecution", "sh tools/guard.sh"),
        run("afterFileEdit", "true"),
        run("stop", "true", loop_limit=3),
        run("beforeShellExecution", "jq -r .command | grep -q rm && exit 2"),
        run("beforeSubmitPrompt", "true"),
        run("sessionStart", "true"),
    ],
    COPILOT: [
        run("preToolUse", "./tools/guard.sh", timeoutSec=30),
        run("postToolUse", "true", cwd="tools"),
        run("sessionStart", "true"),
        run("agentStop", "true"),
        run("preToolUse", "jq -r .toolArgs.command | grep -q rm && exit 2"),
    ],
}  # fmt: skip


def text_of(path: str, entries: list[Entry]) -> str:
    """The config with one entry a line, the first on line 2."""
    rows = []
    for event, entry in entries:
        entry = dict(entry)
        if path == COPILOT:
            entry["bash"] = entry.pop("command")
        handler: dict[str, Any] = {"type": "command", **entry}
        if path in (CLAUDE, GEMINI, CODEX):
            matcher = {"matcher": handler.pop("matcher")} if "matcher" in handler else {}
            handler = {**matcher, "hooks": [handler]}
        rows.append((event, handler))
    head = "" if path in (CLAUDE, GEMINI, CODEX) else '"version": 1, '
    # an event comes once, so equal events stand together
    events = list(dict.fromkeys(event for event, _ in rows))
    groups = [
        f'"{event}": [\n' + ",\n".join(json.dumps(row) for name, row in rows if name == event) + "]"
        for event in events
    ]
    return f'{{{head}"hooks": {{"// a note": "why", "_by": "us",\n' + ",\n".join(groups) + "}}\n"


def lines_of(path: str, entries: list[Entry], text: str) -> dict[int, str]:
    """The command of each entry, by its line."""
    found: dict[int, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if '"command": ' in line or '"bash": ' in line:
            found[number] = line
    assert len(found) == len(entries), path
    return found


def told(
    program: Program, configs: dict[str, list[Entry]]
) -> tuple[set[tuple[str, int]], dict[tuple[str, int], str]]:
    """The places where something was found, and all places with what stands there."""
    for path, (text, mode) in FILES.items():
        program.write(path, text, mode)
    program.environment["PATH"] += f":{program.workspace}/bin"
    places: dict[tuple[str, int], str] = {}
    for path, entries in configs.items():
        text = text_of(path, entries)
        program.write(path, text)
        places.update(((path, line), row) for line, row in lines_of(path, entries, text).items())
    found = set()
    for problem in json.loads(program("check", "--json").stdout):
        found.add((problem["source"], problem["line"]))
    for finding in json.loads(program("doctor", "--json").stdout):
        source, _, line = finding["subject"].partition(" ")[0].rpartition(":")
        if line.isdigit() and finding["severity"] != "note":
            found.add((source, int(line)))
    return found, places


@pytest.mark.parametrize("wrong", [True, False])
def test_what_is_broken_is_found_and_what_is_sound_is_left_alone(program: Program, wrong: bool) -> None:
    found, places = told(program, WRONG if wrong else RIGHT)
    if wrong:
        # of an event that does not exist the fault is at its name, the line before
        heads = {(path, line + 1) for path, line in found if (path, line) not in places}
        missed = [row for place, row in places.items() if place not in found | heads]
        assert len(missed) <= 0.03 * len(places), missed
    else:
        alarms = [(places.get(place, ""), place) for place in found]
        assert len(alarms) <= 0.02 * len(places), alarms
