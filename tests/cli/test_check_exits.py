"""What `hookline check` finds in the ends of guards, and in plugins that never get to deny."""

from __future__ import annotations

import json

import pytest
from tests.program import Program


def codes_at(program: Program) -> dict[str, list[str]]:
    """The codes by where they stand: the part of a path that ends in the hook's number, or the file."""
    found: dict[str, list[str]] = {}
    for each in json.loads(program("check", "--json").stdout):
        if each["severity"] != "notice":
            found.setdefault(each["path"].rpartition(".")[0] or each["source"], []).append(each["code"])
    return found


def claude(*commands: str, event: str = "PreToolUse") -> str:
    return json.dumps(
        {"hooks": {event: [{"hooks": [{"type": "command", "command": each} for each in commands]}]}}
    )


def test_a_guard_that_says_no_by_code_1_or_0_is_an_error(program: Program) -> None:
    program.write("g.py", "import sys\nif 'prod' in sys.stdin.read():\n    sys.exit('Refused: production')\n")
    program.write(
        "g.mjs",
        "import { readFileSync } from 'node:fs';\nconst input = JSON.parse(readFileSync(0, 'utf8'));\n"
        "if (input.tool_input.file_path.includes('migrations/')) {\n"
        "  console.error('Migrations are immutable');\n  process.exit(1);\n}\n",
    )
    program.write("b.sh", "#!/bin/sh\nif grep -q secret; then echo 'BLOCKED: a secret'; fi\n")
    weak = [
        'python3 "$CLAUDE_PROJECT_DIR"/g.py',
        'node "$CLAUDE_PROJECT_DIR"/g.mjs',
        'sh "$CLAUDE_PROJECT_DIR"/b.sh',
        "! jq -r .tool_input.command | grep -q 'drop table'",
        "jq -e '.tool_input.command | test(\"sudo\") | not' > /dev/null",
    ]
    program.write(".claude/settings.json", claude(*weak))
    found = codes_at(program)
    assert found == {f"hooks.PreToolUse[0].hooks[{n}]": ["weak-exit"] for n in range(len(weak))}
    program.write("g.py", "import sys\nif not sys.stdin.readable():\n    sys.exit('usage: g.py FILE')\n")
    program.write("b.sh", "#!/bin/sh\njq --version >&2 || { echo 'jq is needed' >&2; exit 1; }\n")
    sound = [weak[0], weak[2], "grep -q sudo && { echo 'BLOCKED: sudo' >&2; exit 2; }; exit 0"]
    program.write(".claude/settings.json", claude(*sound))
    assert codes_at(program) == {}


def test_a_guard_that_ends_with_1_without_a_word_is_an_error_in_any_language(program: Program) -> None:
    begin = "import json, re, sys\nline = json.load(sys.stdin)['tool_input']['command']\n"
    node = "const c = JSON.parse(require('fs').readFileSync(0, 'utf8')).tool_input.command;\n"
    weak = {
        "a.py": f"{begin}if 'drop table' in line:\n    sys.exit(1)\n",
        "b.py": f"{begin}sys.exit(1 if re.search('sudo', line) else 0)\n",
        "c.py": f"{begin}def look():\n    if line.startswith('dd '):\n        return 1\n    return 0\n"
        "sys.exit(look())\n",
        "d.js": f"{node}if (c.includes('mkfs')) process.exit(1);\n",
        "e.js": f"{node}process.exit(/shutdown/.test(c) ? 1 : 0);\n",
    }
    sound = {
        "f.py": f"{begin}if 'sudo' in line:\n    sys.exit(2)\nif 'x' in line:\n    sys.exit(1)\n",
        "g.py": "import json, sys\ntry:\n    d = json.load(sys.stdin)\nexcept ValueError as e:\n"
        "    if 'x' in str(e):\n        sys.exit(1)\n",
        "h.py": f"{begin}if '--once' in sys.argv:\n    sys.exit(1)\nif not line:\n    sys.exit(1)\n",
        "j.js": "if (full) {\n  console.error(`we couldn't save: ${why}`);\n  process.exitCode = 1;\n}\n",
        "i.js": f"{node}if (process.argv.includes('-h')) process.exit(1);\nif (!c.includes('x')) process.exit(1);\n",
    }
    for name, text in (weak | sound).items():
        program.write(name, text)
    start = [f'{"node" if n.endswith("js") else "python3"} "$CLAUDE_PROJECT_DIR"/{n}' for n in weak | sound]
    program.write(".claude/settings.json", claude(*start))
    assert codes_at(program) == {f"hooks.PreToolUse[0].hooks[{n}]": ["weak-exit"] for n in range(len(weak))}


def test_a_guard_that_ends_with_1_where_all_is_well_is_an_error_where_that_denies(program: Program) -> None:
    lines = [
        f"jq -r .toolArgs | grep -q 'rm -rf' && echo '{DENIAL}'",
        f"jq -r .toolArgs | grep -q 'rm -rf' && echo '{DENIAL}'; exit 0",
        f"if jq -r .toolArgs | grep -q rm; then echo '{DENIAL}'; fi",
    ]
    hooks = {"preToolUse": [{"type": "command", "bash": each} for each in lines]}
    program.write(".github/hooks/h.json", json.dumps({"version": 1, "hooks": hooks}))
    assert codes_at(program) == {"hooks.preToolUse[0]": ["always-denies"]}
    hooks = {"postToolUse": hooks["preToolUse"][:1]}
    program.write(".github/hooks/h.json", json.dumps({"version": 1, "hooks": hooks}))
    assert "always-denies" not in str(codes_at(program))


def test_answers_that_jq_makes_and_words_before_them_are_looked_at(program: Program) -> None:
    program.write(
        "say.py",
        "import json, sys\nd = json.load(sys.stdin)\nprint('called with', d['tool_name'])\n"
        "if 'sudo' in str(d):\n    print(json.dumps({'decision': 'block', 'reason': 'no'}))\n",
    )
    lost = [
        'python3 "$CLAUDE_PROJECT_DIR"/say.py',
        'jq -c \'if .tool_input.command | test("rm") then {ok: false, reason: "no"} else empty end\'',
    ]
    kept = ['jq -c \'select(.tool_input.command | test("rm")) | {decision: "block", reason: "no"}\'']
    program.write(".claude/settings.json", claude(*lost, *kept))
    assert codes_at(program) == {f"hooks.PreToolUse[0].hooks[{n}]": ["wrong-answer"] for n in range(2)}


OPEN, PI_FILE = ".opencode/plugin/g.ts", ".pi/extensions/g.ts"
DENIAL = json.dumps({"permissionDecision": "deny", "permissionDecisionReason": "no"})
BEFORE = "export const G = async () => ({{ 'tool.execute.before': async (input, output) => {{ {0} }} }})\n"
PI = "export default (pi) => {{ pi.on('{0}', async (event) => {{ {1} }}) }}\n"


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        (OPEN, BEFORE.format("if (input.args.command) throw new Error('no')"), "unsent-field"),
        (OPEN, BEFORE.format("if (output.args.command) return { deny: true }"), "wrong-answer"),
        (
            OPEN,
            "/** what tool.execute.before is for */\nexport const G = async () => {\n  return {\n"
            "    'tool.execute.before': async (input, output) => { output.args.cwd = '.' },\n"
            "    'tool.execute.after': async (input) => { return { seen: true } },\n  }\n}\n",
            "",
        ),
        (OPEN, BEFORE.format("if (input.tool === 'Edit') throw new Error('no')"), "dead-name"),
        (OPEN, "export const G = async () => ({ 'PreToolUse': async () => {} })", "unknown-event"),
        (OPEN, "export const G = async () => ({ 'session.idle': async () => {} })", "unknown-event"),
        (OPEN, "export const G = async () => ({ event: async ({ event }) => { log['session.idle'] = event } })", ""),
        (OPEN, "export const NAME = 'x'\n" + BEFORE.format("throw new Error('no')"), "wrong-type"),
        (
            OPEN,
            "export const G = async () => ({ 'tool.execute.after': async (i) => { "
            "if (/x/.test(i.args.command)) throw 1 } })",
            "weak-answer",
        ),
        (OPEN, BEFORE.format("if (input.tool === 'bash') throw new Error('no')"), ""),
        (OPEN, "export default { id: 'g', server: async () => ({ event: async () => {} }) }", ""),
        (PI_FILE, PI.format("before_tool", "return { block: true }"), "unknown-event"),
        (PI_FILE, PI.format("tool_call", "if (event.toolName == 'Bash') return { block: true }"), "dead-name"),
        (PI_FILE, PI.format("tool_call", "return { deny: true, reason: 'no' }"), "wrong-answer"),
        (PI_FILE, PI.format("tool_call", "return { block: true, reason: 'no' }"), ""),
    ],
)  # fmt: skip
def test_a_plugin_that_never_gets_to_deny_is_an_error(
    program: Program, path: str, text: str, code: str
) -> None:
    program.write(path, text)
    assert [each["code"] for each in json.loads(program("check", "--json").stdout)] == (
        [code] if code else []
    )


def test_goose_tells_a_plugins_hooks_where_the_plugin_is(program: Program) -> None:
    folder = ".agents/plugins/guard"
    program.write(f"{folder}/g.sh", "#!/bin/sh\necho no >&2\nexit 2\n")
    program.write(f"{folder}/hooks/hooks.json", claude('sh "${PLUGIN_ROOT}/g.sh"'))
    assert program("check", "--strict").returncode == 0
    done = program(
        "fire", "goose:PreToolUse", "--json", stdin='{"tool_name": "Bash", "tool_input": {"command": "ls"}}'
    )
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (2, "no")


ALLOWS = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}


def specific(given: str) -> str:
    return json.dumps({"hookSpecificOutput": {**ALLOWS, "updatedInput": json.loads(given)}})


def test_answers_that_are_read_and_keep_no_call_from_running_are_told(program: Program) -> None:
    stops = json.dumps({"continue": False, "stopReason": "no"})
    whole = json.dumps({"file_path": "a", "content": "b"})
    for matcher, answer, found in (
        ("Bash", stops, ["weak-answer"]),
        ("Bash", json.dumps({"decision": "block", "reason": "no", "continue": False}), []),
        ("Write", specific('{"content": "b"}'), ["wrong-answer"]),
        ("Write", specific(whole), []),
        ("Bash", specific('{"command": "b"}'), []),
    ):
        hooks = [
            {
                "matcher": matcher,
                "hooks": [{"type": "command", "command": f"cat >/dev/null; echo '{answer}'"}],
            }
        ]
        program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": hooks}}))
        told = [code for codes in codes_at(program).values() for code in codes if code != "blanket-allow"]
        assert told == found, answer
    program.write(".claude/settings.json", "{}")
    asks = json.dumps({"permission": "ask", "user_message": "sure?"})
    for event, found in (("preToolUse", ["weak-answer"]), ("beforeShellExecution", [])):
        hook = {"command": f"cat >/dev/null; echo '{asks}'"}
        program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {event: [hook]}}))
        assert [code for codes in codes_at(program).values() for code in codes] == found


def test_an_error_of_cline_without_its_cancel_and_a_slow_end_of_a_session_are_told(program: Program) -> None:
    script = "#!/bin/bash\nif grep -q rm; then jq -nc '{%serrorMessage: \"no\"}'; fi\n"
    for cancel, found in (("", {"wrong-answer"}), ("cancel: true, ", set())):
        program.write(".clinerules/hooks/PreToolUse", script % cancel).chmod(0o755)
        assert {code for codes in codes_at(program).values() for code in codes} == found
    for path, timeout, found in ((".claude/settings.json", None, True), (".claude/settings.json", 60, False)):
        entry = {"type": "command", "command": "npm run report", **({"timeout": timeout} if timeout else {})}
        program.write(path, json.dumps({"hooks": {"SessionEnd": [{"hooks": [entry]}]}}))
        assert ("implausible-time" in str(codes_at(program))) is found


def test_text_for_the_model_where_it_gets_none_and_a_block_without_its_reason_are_told(
    program: Program,
) -> None:
    told = json.dumps({"hookSpecificOutput": {"additionalContext": "careful"}})
    for event, found in (("BeforeTool", ["unread-output"]), ("AfterTool", [])):
        entry = {"type": "command", "command": f"cat >/dev/null; echo '{told}'"}
        program.write(".gemini/settings.json", json.dumps({"hooks": {event: [{"hooks": [entry]}]}}))
        assert [code for codes in codes_at(program).values() for code in codes] == found
    program.write(".gemini/settings.json", "{}")
    for answer, found in (({"decision": "block"}, True), ({"decision": "block", "reason": "x"}, False)):
        entry = {"type": "command", "command": f"cat >/dev/null; echo '{json.dumps(answer)}'"}
        program.write(".factory/hooks.json", json.dumps({"Stop": [{"hooks": [entry]}]}))
        assert ("wrong-answer" in str(codes_at(program))) is found
