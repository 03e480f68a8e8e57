"""What `hookline check` finds inside of the scripts that hooks are, and that they start."""

from __future__ import annotations

import json
from typing import Any

from tests.program import Program

PLACES = {
    "claude": ".claude/settings.json", "gemini": ".gemini/settings.json", "cursor": ".cursor/hooks.json",
    "qwen": ".qwen/settings.json", "windsurf": ".windsurf/hooks.json", "codex": ".codex/hooks.json",
    "copilot": ".github/hooks/a.json", "droid": ".factory/settings.json",
}  # fmt: skip
FLAT = ("cursor", "windsurf", "copilot")
Hook = tuple[str, str, dict[str, Any]]  # the agent, its event, and the entry; `matcher` belongs to the group


def codes(program: Program, hooks: list[Hook]) -> list[list[str]]:
    """The codes for each hook; all of an agent stand in its one file, each on a line of its own."""
    configs: dict[str, dict[str, list[str]]] = {}
    for number, (agent, event, hook) in enumerate(hooks):
        entry = {"type": "command", **hook, "statusMessage": f"hook-{number}"}
        matcher = {"matcher": entry.pop("matcher")} if "matcher" in entry and agent not in FLAT else {}
        whole = entry if agent in FLAT else {**matcher, "hooks": [entry]}
        configs.setdefault(agent, {}).setdefault(event, []).append(json.dumps(whole))
    lines = {}
    for agent, events in configs.items():
        lists = [f'"{event}": [\n' + ",\n".join(entries) + "]" for event, entries in events.items()]
        text = '{"version": 1, "hooks": {' + ",\n".join(lists) + "}}"
        program.write(PLACES[agent], text)
        lines[PLACES[agent]] = text.splitlines()
    found: list[list[str]] = [[] for _ in hooks]
    for each in json.loads(program("check", "--json").stdout):
        told = lines[each["source"]][each["line"] - 1]
        for number in range(len(hooks)):
            if f'"hook-{number}"' in told and each["code"] not in (
                "fragile-rule",
                "unknown-key",
                "ignored-key",
            ):
                found[number].append(each["code"])
    return found


def script(program: Program, name: str, text: str) -> dict[str, Any]:
    program.write(name, text, 0o755)
    return {"command": f'"$CLAUDE_PROJECT_DIR"/{name}'}


def test_a_field_that_the_event_does_not_carry_is_told(program: Program) -> None:
    reader = "const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
    program.write("case.js", f"{reader}if (input.toolName === 'Bash') process.exit(2);\n")
    missing: list[Hook] = [
        ("claude", "SubagentStop", {"command": "jq -r .tool_name >> log"}),
        ("claude", "Notification", {"command": "jq -r '.reason' | xargs notify-send"}),
        ("gemini", "BeforeAgent", {"command": "jq -r '.tool_response' >> log"}),
        ("claude", "PostToolUse", {"command": "jq -r '.tool_input.path' | xargs black", "matcher": "Write"}),
        ("cursor", "beforeShellExecution", {"command": "jq -r .toolArgs | grep -q x && echo '{}'"}),
        ("gemini", "AfterTool", {"command": "jq -r '.tool_output' >> log"}),
        ("claude", "PreToolUse", {"command": 'node "$CLAUDE_PROJECT_DIR"/case.js'}),
        ("windsurf", "pre_write_code", {"command": "jq -r .tool_input | grep -q x && exit 2"}),
        (
            "cursor",
            "beforeSubmitPrompt",
            {"command": r"""jq -r '"\(.tool_input.command): \(.tool_input.description // "none")"' >> log"""},
        ),
        (
            "cursor",
            "beforeSubmitPrompt",
            {"command": r"""jq -r '"\(.prompt) \(.tool_input // "none")"' >> log"""},
        ),
    ]
    carried: list[Hook] = [
        ("claude", "Stop", {"command": "jq -r '.prompt // .last_assistant_message' >> log"}),
        ("claude", "SessionEnd", {"command": "jq -r '.reason' >> log"}),
        (
            "cursor",
            "beforeSubmitPrompt",
            {"command": r"""jq -r '"\(.prompt) \(.attachments // "none")"' >> log"""},
        ),
        ("claude", "PreToolUse", {"command": "jq -r '.tool_input.path' >> log", "matcher": "Grep"}),
        ("claude", "PostToolUse", {"command": "jq -r '.tool_input.file_path' >> log", "matcher": "Write"}),
        (
            "claude",
            "Stop",
            {"command": 'cat > in; python3 -c \'import json; json.load(open("in"))["prompt"]\''},
        ),
        ("cursor", "beforeShellExecution", {"command": "jq -r .command | grep -q x && echo '{}'"}),
        ("windsurf", "pre_run_command", {"command": "jq -r .tool_info.command_line | grep -q x && exit 2"}),
    ]
    found = codes(program, [*missing, *carried])
    assert found[: len(missing)] == [["unsent-field"]] * len(missing)
    assert found[len(missing) :] == [[]] * len(carried)


def test_an_exit_code_in_a_shell_of_its_own_is_lost(program: Program) -> None:
    loop = '#!/bin/bash\njq -r .tool_input.command | while read -r line; do\n  [ -n "$line" ] && exit 2\ndone'
    inner = "#!/bin/sh\n(\n  cat >/dev/null\n  if test -e frozen; then echo no >&2; exit 2; fi\n)"
    hooks: list[Hook] = [
        ("claude", "PreToolUse", script(program, "lost.sh", f"{loop}\nexit 0\n")),
        ("claude", "PreToolUse", script(program, "inner.sh", f"{inner}\necho checked >> log\n")),
        ("claude", "PreToolUse", script(program, "last.sh", f"{loop}\n")),
        ("claude", "PreToolUse", script(program, "handed.sh", f"{loop} || exit $?\nexit 0\n")),
        (
            "claude",
            "PreToolUse",
            script(program, "strict.sh", loop.replace("\n", "\nset -e\n", 1) + "\nexit 0\n"),
        ),
        ("claude", "PostToolUse", script(program, "after.sh", f"{loop}\nexit 0\n")),
    ]
    assert codes(program, hooks) == [["lost-exit"], ["lost-exit"], [], [], [], []]


def test_a_code_that_main_returns_and_nobody_ends_with_is_lost(program: Program) -> None:
    body = "#!/usr/bin/env python3\nimport json, sys\n\ndef main(argv=None):\n"
    body += "    if json.load(sys.stdin):\n        return 2\n\n"
    hooks: list[Hook] = [
        (
            "claude",
            "PreToolUse",
            script(program, "bare.py", f"{body}if __name__ == '__main__':\n    main()\n"),
        ),
        (
            "claude",
            "PreToolUse",
            script(program, "kept.py", f"{body}if __name__ == '__main__':\n    sys.exit(main())\n"),
        ),
        ("claude", "PreToolUse", script(program, "raised.py", f"{body}raise SystemExit(main())\n")),
    ]
    assert codes(program, hooks) == [["lost-exit"], [], []]


def test_a_script_that_reads_its_input_twice_is_told(program: Program) -> None:
    ends = 'if [ "$a" = "$b" ]; then echo no >&2; exit 2; fi\n'
    texts = [
        f"a=$(jq -r .tool_name)\nb=$(jq -r .tool_input.command)\n{ends}",
        f'cat > /tmp/payload\nb="$(cat)"\n{ends}',
        f'input=$(cat)\na=$(jq -r .tool_name <<<"$input")\nb=$(echo "$input" | jq -r .cwd)\n{ends}',
        f"cat > payload\na=$(jq -r .tool_name payload)\nb=$(jq -r .cwd < payload)\n{ends}",
        f"a=$(jq -r .tool_name in.json)\nb=$(jq -r .cwd)\n{ends}",
        f"a=$(jq -n --arg x 1 '$x')\nb=$(jq -r .cwd)\n{ends}",
    ]
    hooks: list[Hook] = [
        ("claude", "PreToolUse", script(program, f"case-{number}.sh", f"#!/bin/bash\n{text}"))
        for number, text in enumerate(texts)
    ]
    assert codes(program, hooks) == [["no-input"], ["no-input"], [], [], [], []]


def test_an_answer_that_is_no_json_or_goes_to_standard_error_is_told(program: Program) -> None:
    deny = "{'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'permissionDecision': 'deny'}}"
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {"command": "echo \"{'decision': 'block', 'reason': 'no'}\""}),
        ("claude", "PreToolUse", script(program, "repr.py", f"#!/usr/bin/env python3\nprint({deny})\n")),
        ("claude", "PreToolUse", script(program, "log.js", f"#!/usr/bin/env node\nconsole.log({deny});\n")),
        ("claude", "PreToolUse", {"command": 'echo \'{"decision": "block", "reason": "no"}\' >&2'}),
        (
            "claude",
            "PreToolUse",
            script(program, "ok.py", f"#!/usr/bin/env python3\nimport json\nprint(json.dumps({deny}))\n"),
        ),
        ("claude", "PreToolUse", {"command": 'echo \'{"decision": "block", "reason": "no"}\''}),
        ("gemini", "BeforeTool", {"command": 'echo \'{"decision": "deny", "reason": "no"}\' >&2'}),
    ]
    hooks.insert(4, ("cursor", "beforeSubmitPrompt", {"command": 'echo \'{"permission": "deny"}\''}))
    assert codes(program, hooks) == [["wrong-answer"]] * 5 + [[]] * 3


def test_a_denial_that_says_nothing_is_told_where_words_are_needed(program: Program) -> None:
    silent = "jq -r .tool_input.command | grep -q sudo && exit 2; exit 0"
    hooks: list[Hook] = [
        ("qwen", "PreToolUse", {"command": silent}),
        ("qwen", "PreToolUse", {"command": silent.replace("exit 2", "{ echo no >&2; exit 2; }")}),
        ("claude", "PreToolUse", {"command": silent}),
    ]
    assert codes(program, hooks) == [["silent-exit"], [], []]


def test_words_behind_env_are_one_program_to_linux(program: Program) -> None:
    body = "\nimport json, sys\njson.load(sys.stdin)\n"
    hooks: list[Hook] = [
        ("claude", "Stop", script(program, "kept.py", f"#!/usr/bin/env python3 -u{body}")),
        ("claude", "Stop", script(program, "split.py", f"#!/usr/bin/env -S python3 -u{body}")),
        ("claude", "Stop", script(program, "plain.py", f"#!/usr/bin/env python3{body}")),
    ]
    assert codes(program, hooks) == [["missing-interpreter"], [], []]


def test_executables_that_are_hooks_themselves_are_read(program: Program) -> None:
    head, fields = "#!/bin/bash\n", "#---\n# name: x\n# type: {}\n#---\n"
    cline, discobot = ".clinerules/hooks/", ".discobot/hooks/"
    texts = {
        f"{cline}PreToolUse": "case $(cat) in *sudo*) echo no >&2; exit 2;; esac\n",
        f"{cline}UserPromptSubmit": 'cat >/dev/null; echo \'{"cancel": "true", "errorMessage": "no"}\'\n',
        f"{cline}TaskStart": "cat >/dev/null; echo '{\"shouldContinue\": false}'\n",
        f"{cline}PostToolUse": "jq -r .tool_input.command >> log\n",
        f"{discobot}lint.sh": fields.format('file\n# pattern: "*.py"') + "ruff check $CHANGED_FILES\n",
        f"{discobot}staged.sh": fields.format("pre-commit") + "ruff check $DISCOBOT_STAGED_FILES\n",
        f"{discobot}start.sh": fields.format('session\n# pattern: "*.py"') + "files=(); echo $FILES_SEEN\n",
    }
    for name, text in texts.items():
        program.write(name, head + text, 0o755)
    found = json.loads(program("check", "--json").stdout)
    assert {each["source"]: each["code"] for each in found} == {
        f"{cline}PreToolUse": "weak-answer",
        f"{cline}UserPromptSubmit": "wrong-answer",
        f"{cline}TaskStart": "wrong-answer",
        f"{cline}PostToolUse": "unsent-field",
        f"{discobot}lint.sh": "unset-variable",
        f"{discobot}start.sh": "ignored-key",
    }
    assert any("DISCOBOT_CHANGED_FILES" in each["hint"] for each in found)


def test_a_script_that_is_empty_or_that_nobody_can_start_is_an_error(program: Program) -> None:
    program.write("empty.sh", "", 0o755)
    program.write("blank.py", "\n \n", 0o755)
    program.write("plain.py", "import sys\nsys.exit(2)\n", 0o755)
    program.write("plain.sh", "exit 2\n", 0o755)
    later = "#!/bin/sh\nset -e\ninput=$(cat)\n# grep -q 'rm -rf' <<< \"$input\" && exit 2\n"
    program.write("block.sh", f"{later}exit 0\n", 0o755)
    program.write("later.sh", f"{later}\n", 0o755)
    program.write("block.py", '#!/usr/bin/env python3\n"""Later."""\nimport sys\nsys.exit(0)\n', 0o755)
    program.write("notes.sh", f"{later}date >> notes\nexit 0\n", 0o755)
    for run, event, expected in (
        ('"./empty.sh"', "PreToolUse", ("error", "empty-script")),
        ('"python3 blank.py"', "PreToolUse", ("error", "empty-script")),
        ('"bash empty.sh"', "SessionStart", ("warning", "empty-script")),
        ('"./block.sh"', "PreToolUse", ("warning", "empty-script")),
        ('"./block.py"', "PreToolUse", ("warning", "empty-script")),
        ('"./later.sh"', "PreToolUse", ("notice", "empty-script")),
        ('"./block.sh"', "PostToolUse", ("notice", "empty-script")),
        ('"./notes.sh"', "PreToolUse", None),
        ('["./plain.sh"]', "PreToolUse", ("error", "no-shebang")),
        ('"./plain.py"', "PreToolUse", ("error", "no-shebang")),
        ('"./plain.sh"', "PreToolUse", None),  # a shell takes it for its own
        ('"python3 plain.py"', "PreToolUse", None),
    ):
        program.write(".hookline/hooks.toml", f'[[hooks]]\nevent = "{event}"\nrun = {run}\n')
        done = program("check")
        told = [line for line in done.stdout.splitlines() if line.startswith(("error", "warning", "notice"))]
        if expected is None:
            assert (done.returncode, told) == (0, [])
        else:
            (line,) = told
            assert line.startswith(expected[0]) and line.endswith(f"[{expected[1]}]")
            assert done.returncode == (expected[0] == "error")


def test_a_guard_that_says_no_by_code_1_alone_is_told_without_a_word_of_it(program: Program) -> None:
    weak = [
        "exit 1",
        "grep -q 'rm -rf' && exit 1; exit 0",
        "if jq -r .tool_input.command | grep -qE 'force|reset'; then exit 1; fi",
        "C=$(jq -r .tool_input.command); if [[ $C =~ shred ]]; then { true; exit 1; }; fi",
        'C=$(jq -r .tool_input.command); case "$C" in ls) ;; *sudo*|*doas*) exit 1;; esac',
        "f() { grep -q .env && { true; exit 1; }; }; f",
        "C=$(cat); case \"$C\" in *'git status'*) exit 0;; esac; exit 1",
    ]
    fine = [
        "grep -q 'rm -rf' && exit 2; exit 0",
        'C=$(cat) || exit 1; [ -n "$C" ] || exit 1; test -z "$X" && exit 1; true',
        "if ! command -v jq > /dev/null; then exit 1; fi",
        'case "$1" in -h|--help) exit 1;; *) true;; esac',
        "for p in a b; do [ -x $p ] && exec $p; done; exit 1",
        "if grep -q x; then exit 1; elif grep -q y; then exit 2; fi",
    ]
    hooks: list[Hook] = [("claude", "PreToolUse", {"command": line}) for line in (*weak, *fine)]
    hooks += [("claude", "SessionStart", {"command": weak[1]})]
    found = ["weak-exit" in told for told in codes(program, hooks)]
    assert found == [True] * len(weak) + [False] * (len(fine) + 1)


def test_a_field_in_nearly_its_letters_is_told(program: Program) -> None:
    hooks: list[Hook] = [
        (
            "claude",
            "PostToolUse",
            {"command": "jq -r '.tools_input.file_path' | xargs black", "matcher": "Edit"},
        ),
        (
            "gemini",
            "BeforeTool",
            script(program, "a.sh", "#!/bin/sh\njq -r .tool_nam | grep -q shell >> log\n"),
        ),
        ("claude", "UserPromptSubmit", {"command": "jq -r '.promt' >> log"}),
        ("claude", "PostToolUse", {"command": "jq -r '.tools // .tool_input' >> log", "matcher": "Edit"}),
        ("claude", "Stop", {"command": "jq -r .session_id >> log"}),
    ]
    told = [[code for code in each if code == "unsent-field"] for each in codes(program, hooks)]
    assert told == [["unsent-field"]] * 3 + [[]] * 2


def test_a_path_on_a_disk_of_ones_own_is_told(program: Program) -> None:
    hooks: list[Hook] = [
        ("claude", "Stop", {"command": 'bash "/Volumes/My Disk/kit/a.sh"'}),
        ("claude", "Stop", {"command": "bash ./volumes/a.sh; echo x >> /dev/null"}),
    ]
    told = [[code for code in each if code == "personal-path"] for each in codes(program, hooks)]
    assert told == [["personal-path"], []]


def test_each_pipe_in_a_shell_has_an_input_of_its_own(program: Program) -> None:
    take = 'printf "%s" "$IN" | python3 -c "import json,sys; print(json.load(sys.stdin).get(\'cwd\'))"'
    shell = f'#!/bin/bash\nIN=$(cat)\nA=$({take})\nB=$({take})\n[ "$A" = "$B" ] || exit 2\n'
    python = "#!/usr/bin/env python3\nimport json, sys\n"
    python += "a = json.load(sys.stdin)\nb = json.load(sys.stdin)\nsys.exit(2)\n"
    hooks: list[Hook] = [
        ("claude", "PreToolUse", script(program, "piped.sh", shell)),
        ("claude", "PreToolUse", script(program, "twice.py", python)),
    ]
    assert [["no-input"] if "no-input" in each else [] for each in codes(program, hooks)] == [
        [],
        ["no-input"],
    ]


def test_a_script_that_only_prints_where_nobody_reads_is_told(program: Program) -> None:
    remind = (
        'F=$(jq -r .tool_input.file_path)\nif [ -f notes.md ]; then\n  echo "read notes.md before $F"\nfi\n'
    )
    look = 'cd "$(git rev-parse --show-toplevel)" || exit 0\nnpx tsc --noEmit 2>&1 || true\necho checked\n'
    hooks: list[Hook] = [
        ("claude", "PreToolUse", script(program, "a.sh", f"#!/bin/bash\n{remind}exit 0\n")),
        ("claude", "PostToolUse", script(program, "b.sh", f"#!/bin/sh\n{look}")),
        ("claude", "PostToolUse", script(program, "h.sh", f"#!/bin/sh\n{look}npx prettier --write .\n")),
        ("claude", "SessionStart", script(program, "c.sh", "#!/bin/sh\necho 'read notes.md'\n")),
        ("claude", "PostToolUse", script(program, "d.sh", "#!/bin/sh\nnpx prettier --write .\necho done\n")),
        ("claude", "PostToolUse", script(program, "e.sh", "#!/bin/sh\necho done >> log\necho noted\n")),
        (
            "claude",
            "Stop",
            script(program, "f.sh", "#!/bin/sh\ngit diff --quiet || { echo dirty >&2; exit 2; }\necho\n"),
        ),
        ("claude", "PostToolUse", script(program, "g.sh", "#!/bin/sh\nsay 'done'\necho done\n")),
    ]
    found = [[code for code in each if code == "unread-output"] for each in codes(program, hooks)]
    assert found == [["unread-output"]] * 3 + [[]] * 5


def test_a_script_at_its_place_is_read_and_no_other_of_its_name(program: Program) -> None:
    program.write("tools/guard.sh", "#!/bin/bash\ncat > /dev/null\ntouch seen\n", 0o755)
    program.write(
        ".github/hooks/tools/guard.sh", "#!/bin/bash\ncat > /dev/null\necho 'Blocked.'\nexit 1\n", 0o755
    )
    hooks: list[Hook] = [("copilot", "sessionEnd", {"bash": "tools/guard.sh"})]
    assert codes(program, hooks) == [[]]
