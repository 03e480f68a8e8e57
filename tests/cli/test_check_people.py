"""What `hookline check` says of hooks as people write them, each mistake beside its like that is right."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

GUARD = """#!/bin/bash
input=$(cat)
cmd=$(echo "$input" | jq -r '.command // empty')
echo "$cmd" | grep -Eq 'git +push' && { echo '{"permission": "deny", "user_message": "no"}'; exit 0; }
case "$(echo "$input" | jq -r '.file_path // .tool_input.file_path')" in
  *.pem) echo '{"permission": "deny", "user_message": "no"}' ;;
esac
"""


def told(program: Program) -> list[tuple[str, str]]:
    """The paths and codes of what is found."""
    return [(each["path"], each["code"]) for each in json.loads(program("check", "--json").stdout)]


def test_a_guard_of_several_events_is_fragile_only_where_commands_come_to_it(program: Program) -> None:
    program.write(".cursor/hooks/guard.sh", GUARD, 0o755)
    line = {"command": ".cursor/hooks/guard.sh"}
    events = {
        "beforeReadFile": [line],
        "preToolUse": [{**line, "matcher": "Write|Grep"}, {**line, "matcher": "Write|Shell"}],
        "beforeShellExecution": [line],
    }
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": events}))
    fragile = [path for path, code in told(program) if code == "fragile-rule"]
    assert fragile == ["hooks.preToolUse[1].command", "hooks.beforeShellExecution[0].command"]


def test_a_folder_in_a_powershell_text_is_no_script(program: Program) -> None:
    line = "Add-Content -Path ('log/days/' + (Get-Date -Format 'yyyy') + '.log') -Value 'end'"
    entry = {"type": "command", "powershell": line, "bash": "date"}
    program.write(".github/hooks/hooks.json", json.dumps({"version": 1, "hooks": {"sessionEnd": [entry]}}))
    assert told(program) == []
    program.write(
        ".github/hooks/hooks.json",
        json.dumps({"version": 1, "hooks": {"sessionEnd": [{**entry, "powershell": "./log/days.ps1"}]}}),
    )
    assert [code for _, code in told(program)] == ["missing-script"]


def test_words_for_two_agents_at_once_are_read_by_both(program: Program) -> None:
    text = (
        "const raw = require('fs').readFileSync(0, 'utf8');\nconst input = JSON.parse(raw);\nconst why = 'no';\n"
        "if (input.tool_input.command.includes('mkfs')) {\n  process.stdout.write(JSON.stringify({\n"
        "    permissionDecision: 'deny', permissionDecisionReason: why, additionalContext: why,\n"
        "    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny',\n"
        "      permissionDecisionReason: why, additionalContext: why },\n  }));\n}\n"
    )
    found = []
    for guard in (text, text.replace("Reason: why, additionalContext: why }", "Reason: why }")):
        program.write("guard.js", guard)
        entry = {"type": "command", "command": "node guard.js"}
        program.write(
            ".github/hooks/hooks.json", json.dumps({"version": 1, "hooks": {"PreToolUse": [entry]}})
        )
        found.append([code for _, code in told(program) if code != "fragile-rule"])
    assert found == [[], ["one-agent"]]


READS = "import json, subprocess, sys\nf = json.load(sys.stdin)['tool_input']['file_path']\n"
FAILS = "try:\n    subprocess.run(['python3', 'validate_rows.py', f], check=True, capture_output=True, text=True)\n"
BUN = "const input = JSON.parse(await Bun.stdin.text())\nif (input.status === 'completed')\n  Bun.spawnSync(%s)\n"
GATE = '#!/bin/bash\ncheck() {\n  make -C "$1" format%s && make -C "$1" tests%s || return 1\n}\ncheck web || exit 2\n'

# agent, event, name, text, and whether it is told that nobody reads what is said
UNREAD = {
    "a warning that lets the call through": (
        "claude", "PreToolUse", "a.sh",
        "#!/bin/bash\nif jq -r .tool_input.file_path | grep -q schema; then\n"
        "  echo 'schema change: verify this is meant' >&2\n  exit 0\nfi\n", True,
    ),
    "what it verifies itself": (
        "claude", "PreToolUse", "b.sh", "#!/bin/bash\nmake rows >/dev/null 2>&1\necho 'verified the rows' >&2\n", False,
    ),
    "a report of a checker of one's own": (
        "claude", "PostToolUse", "c.py",
        f"{READS}{FAILS}except subprocess.CalledProcessError as e:\n"
        f"    print(e.stderr or e.stdout, file=sys.stderr)\n", True,
    ),
    "such a report, and the code that hands it on": (
        "claude", "PostToolUse", "d.py",
        f"{READS}{FAILS}except subprocess.CalledProcessError as e:\n    print(e.stderr, file=sys.stderr)\n"
        f"    sys.exit(2)\n",
        False,
    ),
    "a script of nothing but words": (
        "claude", "SubagentStop", "e.py",
        "import json, sys\nd = json.load(sys.stdin)\nprint(f\"done: {d.get('agent_type')}\", file=sys.stderr)\n"
        "sys.exit(0)\n", True,
    ),
    "words beside a log": (
        "claude", "SubagentStop", "f.py",
        "import json, sys\nd = json.load(sys.stdin)\nopen('log', 'a').write(d['agent_type'])\n"
        "print('logged', file=sys.stderr)\n",
        False,
    ),
    "words beside another module": (
        "claude", "SubagentStop", "g.py",
        "import json, sys\nfrom team import note\nnote(json.load(sys.stdin))\nprint('noted', file=sys.stderr)\n", False,
    ),
    "words that the model reads": (
        "claude", "SessionStart", "h.py", "import sys\nsys.stdin.read()\nprint('the branch is main')\n", False,
    ),
    "a check of Bun whose report is left": (
        "cursor", "stop", "i.ts", BUN % "['bun', 'run', 'lint'], { stdio: ['inherit', 'inherit', 'inherit'] }", True,
    ),
    "a check of Bun whose report is kept": (
        "cursor", "stop", "j.ts", BUN % "['bun', 'run', 'lint'], { stdout: 'pipe' }", False,
    ),
    "a formatter of Bun": (
        "cursor", "stop", "k.ts",
        BUN % "['biome', 'format', '--write', '.'], { stdio: ['inherit', 'inherit', 'inherit'] }", False,
    ),
    "a function that fails by what its tests print": ("claude", "PostToolUse", "l.sh", GATE % ("", ""), True),
    "such a function that prints it elsewhere": ("claude", "PostToolUse", "m.sh", GATE % (" >&2", " >&2"), False),
}  # fmt: skip


def test_what_is_said_where_nobody_reads_it_is_told(program: Program) -> None:
    hooks: list[Hook] = [
        (agent, event, script(program, name, text) if name.endswith(".sh") else run(program, name, text))
        for agent, event, name, text, _ in UNREAD.values()
    ]
    found = dict(zip(UNREAD, codes(program, hooks), strict=True))
    assert {about for about, told in found.items() if "unread-output" in told} == {
        about for about, case in UNREAD.items() if case[4]
    }


def run(program: Program, name: str, text: str) -> dict[str, str]:
    program.write(name, text)
    by = "python3" if name.endswith(".py") else "bun"
    return {"command": f'{by} "$CLAUDE_PROJECT_DIR"/{name}' if by == "python3" else f"{by} {name}"}


@pytest.mark.parametrize(
    ("event", "line", "wanted"),
    [
        ("PostToolUse", "bun run lint", ["unread-output"]),
        ("Stop", "npx tsc --noEmit", ["unread-output"]),
        ("PostToolUse", "bun run lint:rows", []),
        ("PostToolUse", "npx tsc --noEmit >&2 || exit 2", []),
        ("PostToolUse", "npm run build", []),
        ("PostToolUse", "cargo test", []),
        ("PreToolUse", "bun run lint", []),
    ],
)
def test_a_line_that_ends_by_what_a_check_finds(
    program: Program, event: str, line: str, wanted: list[str]
) -> None:
    program.write(
        "package.json", json.dumps({"scripts": {"lint": "biome check .", "lint:rows": "eslint --fix rows"}})
    )
    assert codes(program, [("claude", event, {"command": line})]) == [wanted]


JUDGES = "#!/bin/bash\nf=$(jq -r '.tool_input.file_path // empty')\n"
LATE = {
    "a guard of paths": (
        f'{JUDGES}if [[ "$f" == *"/generated/"* ]]; then\n  echo "Blocked: $f is generated" >&2\n  exit 2\nfi\n', True,
    ),
    "one that looks into the file": (
        f'{JUDGES}if grep -q eval "$f"; then\n  echo "Blocked: eval in $f" >&2\n  exit 2\nfi\n', False,
    ),
    "one that runs a check": (
        f'{JUDGES}if ! ruff check "$f" >&2; then\n  echo "Blocked: mend $f" >&2\n  exit 2\nfi\n', False,
    ),
    "one that says what to do now": (
        f'{JUDGES}if [[ "$f" == *.proto ]]; then\n  echo "run make proto now" >&2\n  exit 2\nfi\n', False,
    ),
}  # fmt: skip


def test_a_guard_that_blocks_a_call_when_it_has_been_made(program: Program) -> None:
    hooks: list[Hook] = []
    for number, (text, _) in enumerate(LATE.values()):
        entry = {**script(program, f"{number}.sh", text), "matcher": "Write"}
        hooks += [("claude", "PostToolUse", entry)]
    found = dict(zip(LATE, codes(program, hooks), strict=True))
    assert {about for about, told in found.items() if "weak-answer" in told} == {"a guard of paths"}
    hooks.append(
        ("claude", "PreToolUse", {**script(program, "0.sh", LATE["a guard of paths"][0]), "matcher": "Edit"})
    )
    assert not any("weak-answer" in each for each in codes(program, hooks))


def test_a_guard_has_more_time_than_what_it_runs(program: Program) -> None:
    text = (
        "import json, subprocess, sys\nc = json.load(sys.stdin)['tool_input']['command']\n"
        "done = subprocess.run(['./judge', c], capture_output=True, text=True, timeout=90)\n"
        "if done.returncode:\n    print(done.stderr, file=sys.stderr)\n    sys.exit(2)\n"
    )
    program.write("slow.py", text)
    program.write("slow.sh", "#!/bin/bash\ntimeout 20 ./judge >&2 || exit 2\n", 0o755)
    python, shell = 'python3 "$CLAUDE_PROJECT_DIR"/slow.py', '"$CLAUDE_PROJECT_DIR"/slow.sh'
    cases = [(python, 60, True), (python, 100, False), (shell, 10, True), (shell, 30, False)]
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {"command": line, "timeout": seconds, "matcher": "Bash"})
        for line, seconds, _ in cases
    ]
    assert ["implausible-time" in each for each in codes(program, hooks)] == [case[2] for case in cases]
    modes = [(f"{python} {mode}", 10, False) for mode in ("begin", "judge")]  # which of them takes long?
    hooks = [
        ("claude", "PreToolUse", {"command": line, "timeout": seconds, "matcher": "Bash"})
        for line, seconds, _ in modes
    ]
    assert not any("implausible-time" in each for each in codes(program, hooks))


def test_paths_are_whole_and_the_folder_of_the_session_moves(program: Program) -> None:
    program.write("apps/web/package.json", "{}")
    reads = (
        "import json, sys\nfrom pathlib import Path\ndata = json.load(sys.stdin)['tool_input']\n"
        "path = data.get('file_path')\n"
        "f = Path(path)\nname = f.as_posix()\nif name.startswith('rows/'):\n    sys.exit(2)\n"
    )
    program.write("a.py", reads)
    program.write("b.py", reads.replace("f = Path(path)", "f = Path(path).relative_to(Path.cwd())"))
    program.write("c.py", reads.replace("name.startswith('rows/')", "'/rows/' in name"))
    python: list[Hook] = [
        ("claude", "PreToolUse", {"command": f'python3 "$CLAUDE_PROJECT_DIR"/{name}.py', "matcher": "Write"})
        for name in "abc"
    ]
    assert ["dead-pattern" in each for each in codes(program, python)] == [True, False, False]
    cwd = '#!/bin/bash\ninput=$(cat)\ncwd=$(jq -r .cwd <<<"$input")\n'
    shell: list[Hook] = [
        ("claude", "PostToolUse", script(program, "d.sh", f'{cwd}root="$cwd/apps/web"\ncd "$root" && make rows\n')),
        ("claude", "PostToolUse", script(program, "e.sh", f'{cwd}root="$cwd/apps/other"\ncd "$root" && make rows\n')),
        ("claude", "PostToolUse", script(program, "f.sh", f'{cwd}cd "$cwd" && make rows\n')),
        (
            "claude", "PostToolUse",
            script(program, "g.sh", f'{cwd}cwd="${{CLAUDE_PROJECT_DIR:-$cwd}}"\ncd "$cwd/apps/web" && make rows\n'),
        ),
        (
            "claude", "PostToolUse",
            script(
                program, "h.sh",
                f'{cwd}while [[ ! -d "$cwd/apps/web" && "$cwd" != / ]]; do cwd=$(dirname "$cwd"); done\nmake rows\n',
            ),
        ),
    ]  # fmt: skip
    assert ["relative-script" in each for each in codes(program, shell)] == [True, False, False, False, False]


def test_a_first_line_that_is_the_second_and_a_default_that_is_all_there_is(program: Program) -> None:
    sounds = '#!/bin/bash\non=$(jq -r \'.sound // true\' settings)\n[ "$on" != "true" ] && exit 0\nplay end\n'
    hooks: list[Hook] = [
        ("claude", "PostToolUse", script(program, "a.sh", "\n#!/bin/bash\nset -o pipefail\nmake rows\n")),
        ("claude", "PostToolUse", script(program, "b.sh", "#!/bin/bash\n\nset -o pipefail\nmake rows\n")),
        ("claude", "PostToolUse", script(program, "c.sh", sounds)),
        ("claude", "PostToolUse", script(program, "d.sh", sounds.replace("// true", "// false"))),
        (
            "claude",
            "PostToolUse",
            script(
                program,
                "e.sh",
                sounds.replace(".sound // true", "if .sound == null then true else .sound end"),
            ),
        ),
    ]
    assert codes(program, hooks) == [["no-shebang"], [], ["unsent-value"], [], []]


def test_a_guard_of_secrets_that_one_tool_goes_around(program: Program) -> None:
    text = f'{JUDGES}if echo "$f" | grep -qE "\\.env($|\\.)"; then\n  echo "no: $f" >&2\n  exit 2\nfi\n'
    other = f'{JUDGES}if [[ "$f" == *.md ]]; then\n  echo "no: $f" >&2\n  exit 2\nfi\n'
    found = []
    for matcher, guard in (("Write", text), ("Write|Edit", text), ("Write", other)):
        program.write("guard.sh", guard, 0o755)
        entry = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/guard.sh'}
        hooks = {"PreToolUse": [{"matcher": matcher, "hooks": [entry]}]}
        program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
        found.append([code for _, code in told(program)])
    assert found == [["fragile-rule"], [], []]


def test_what_would_bring_skipped_checks_back_is_to_be_read(program: Program) -> None:
    skips = "#!/bin/bash\nif [ -n \"$(git status --porcelain)\" ]; then\n  echo '%s' >&2\n  exit 0\nfi\n"
    skips += "make rows >&2 || exit 2\n"
    hooks: list[Hook] = [
        (
            "claude",
            "PostToolUse",
            script(program, "a.sh", skips % "Skipping rows: files are open (commit to re-enable)"),
        ),
        ("claude", "PostToolUse", script(program, "b.sh", skips % "Skipping rows: files are open")),
    ]
    assert ["unread-output" in each for each in codes(program, hooks)] == [True, False]
