"""`hookline check --fix`, `check FILE`, plugins that are written here, and files nobody reads."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from tests.program import Program

CLAUDE = ".claude/settings.json"


def codes(program: Program, *arguments: str) -> list[str]:
    return [problem["code"] for problem in json.loads(program("check", "--json", *arguments).stdout)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{"hooks": {"Stop": [ {"type": "command",  "command": "true"} ]}}',
            '{"hooks": {"Stop": [ {"hooks": [{"type": "command",  "command": "true"}]} ]}}',
        ),
        (
            '{"hooks": {"PreToolUse": [{"matcher": "Bash", "command": "true"}]}}',
            '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "true", "type": "command"}]}]}}',
        ),
        (
            '{\r\n  "hooks": {\r\n    "PreTooluse": [],\r\n    "Stop": [],\r\n  }\r\n}\r\n',
            '{\r\n  "hooks": {\r\n    "PreToolUse": [],\r\n    "Stop": []\r\n  }\r\n}\r\n',
        ),
        (
            '\ufeff{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 30000}]}]}}',
            '\ufeff{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 30}]}]}}',
        ),
        (
            '{"hooks": {"PreToolUse": [{"matchers": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}',
            '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}',
        ),
        (
            '{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n',
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n',
        ),
        (
            '{"hooks": {"Stop": [{"hooks": [{ "url": "http://127.0.0.1/x" }]}]}}',
            '{"hooks": {"Stop": [{"hooks": [{"type": "http",  "url": "http://127.0.0.1/x" }]}]}}',
        ),
        (
            '{\n  "hooks": [\n    {\n      "event": "PreToolUse",\n      "matcher": "Bash",\n      "command": "true"\n'
            '    },\n    {"on": "Stop", "action": {"type": "command", "command": "ls"}},\n'
            '    {"on": "Stop", "hooks": [{"type": "command", "command": "pwd"}]}\n  ]\n}\n',
            '{\n  "hooks": {"PreToolUse": [\n    {"matcher": "Bash", "hooks": [{\n'
            '      "command": "true",\n      "type": "command"\n    }]}], "Stop": [\n\n'
            '{"hooks": [{"type": "command", "command": "ls"}]}, \n'
            '{"hooks": [{"type": "command", "command": "pwd"}]}]\n  }\n}\n',
        ),
        (
            '{"hooks": [{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}]}',
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
        ),
        (
            '{"hooks": {"Stop": "true", "PreCompact": ["ls"], "SessionEnd": [[{"command": "pwd"}]]}}',
            '{"hooks": {"Stop": [{"hooks": [{"command": "true", "type": "command"}]}],'
            ' "PreCompact": [{"hooks": [{"command": "ls", "type": "command"}]}],'
            ' "SessionEnd": [{"hooks": [{"command": "pwd", "type": "command"}]}]}}',
        ),
        (
            '{\n  "tools": {\n    "core": ["ls"],\n'
            '    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\n'
            '    "sandbox": true\n  },\n  "x": 1\n}\n',
            '{\n  "tools": {\n    "core": ["ls"],\n    "sandbox": true\n  },\n'
            '  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\n  "x": 1\n}\n',
        ),
        (
            '{"tools": {"a": 1, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}}',
            '{"tools": {"a": 1}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
        ),
        (
            '{"tools": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}}',
            '{"tools": {}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
        ),
    ],
    ids=[
        "flat",
        "flat with matcher",
        "event and comma",
        "unit",
        "key",
        "events at top",
        "no type",
        "list for events",
        "events in a list",
        "lines for lists",
        "hooks in the middle of another object",
        "hooks at its end",
        "hooks alone in it",
    ],
)
def test_what_is_mechanical_is_mended_and_every_other_byte_stays(
    program: Program, before: str, after: str
) -> None:
    path = program.write(CLAUDE, "")
    path.write_bytes(before.encode())
    only_shown = program("check", "--diff")
    assert path.read_bytes().decode() == before
    assert "+++ b/.claude/settings.json" in only_shown.stderr
    done = program("check", "--fix")
    assert (done.returncode, path.read_bytes().decode()) == (0, after), done.stdout + done.stderr
    (kept, *_) = sorted((program.home / ".local/state/hookline/backups").iterdir())
    assert kept.read_bytes().decode() == before


@pytest.mark.parametrize(
    "text",
    [
        '{"hooks": {"PreToolUse": [], "PreTooluse": []}}',  # it is there already
        '{"hooks": {"stopp": {"command": "true"}}}',  # the agent would drop the file for what is in it
        '{"hooks": {"preToolUse": [{"type": "command", "bash": "true"}]}}',
    ],
)
def test_an_event_keeps_its_wrong_name_where_the_right_one_does_harm(program: Program, text: str) -> None:
    path = program.write(CLAUDE, text)
    assert program("check", "--fix").returncode == 1
    assert path.read_text() == text


@pytest.mark.parametrize(
    "hooks",
    [
        '[{"command": "true"}]',  # at no event
        '[{"event": "Nosuch", "command": "true"}]',
        '[{"event": "Stop"}, {"event": "Stop", "command": "true"}]',  # one runs nothing
        '[{"on": "Stop", "command": "a"}, {"on": "PreCompact", "command": "b"}, {"on": "Stop", "command": "c"}]',
        '[{"event": "Stop", "action": {"command": "a"}, "enabled": false}]',  # it would be on
        '[{"event": "PreToolUse", "tools": ["Bash"], "action": {"command": "a"}}]',  # and this at every tool
        '[{"event": "Stop", "command": "a", "actions": [{"command": "b"}]}]',
        '[{"name": "Stop", "type": "PreToolUse", "command": "a"}]',
        '["true"]',
        "[]",
    ],
)
def test_a_list_of_hooks_stays_where_it_is_not_plain_what_was_meant(program: Program, hooks: str) -> None:
    text = f'{{"hooks": {hooks}}}'
    path = program.write(CLAUDE, text)
    assert program("check", "--fix").returncode == 1
    assert path.read_text() == text


def test_a_file_of_many_faults_is_mended_in_the_end(program: Program) -> None:
    path = program.write(CLAUDE, json.dumps({"hooks": [{"event": "Stop", "command": "true"}] * 450}))
    done = program("check", "--fix")
    assert done.returncode == 0, done.stdout[:2000] + done.stderr[-2000:]
    assert len(json.loads(path.read_text())["hooks"]["Stop"]) == 450


def test_what_is_wrong_with_hooks_in_a_list_is_told_at_its_place(program: Program) -> None:
    program.write(
        ".github/hooks/x.json",
        '{"version": 1, "hooks": [\n{"event": "postToolUse",\n"script": "./gone.sh"},\n'
        '{"event": "preToolUse", "bash": "./away.sh"}]}',
    )
    program.write(
        CLAUDE,
        '{"hooks": [\n{\n"event": "PreToolUse",\n"matcher": "bash",\n"command": "true",\n"timeout": 15000\n}]}',
    )
    found = json.loads(program("check", "--json").stdout)
    places = {(each["source"], each["line"], each["code"]) for each in found}
    assert places == {
        (CLAUDE, 1, "wrong-type"), (CLAUDE, 4, "dead-matcher"), (CLAUDE, 6, "implausible-time"),
        (".github/hooks/x.json", 1, "wrong-type"), (".github/hooks/x.json", 3, "missing-program"),
        (".github/hooks/x.json", 4, "missing-program"),
    }  # fmt: skip


@pytest.mark.parametrize("more", [("", ""), ('"a": 1,\n', ""), ("", ',\n"b": 1'), ('"a": 1,\n', ',\n"b": 1')])
def test_hooks_in_another_object_are_looked_at_where_they_stand(
    program: Program, more: tuple[str, str]
) -> None:
    run = '{"type": "command", "command": "./gone.sh"}'
    hooks = f'"hooks": {{"BeforeTool": [\n{{"matcher": "NoTool", "hooks": [\n{run}]}}]}}'
    text = f'{{"tools": {{\n{more[0]}{hooks}{more[1]}}}}}'
    program.write(".gemini/settings.json", text)
    found = json.loads(program("check", "--json").stdout)
    first = 2 + bool(more[0])
    assert {(each["line"], each["code"]) for each in found} == {
        (first, "events-at-top"), (first + 1, "dead-name"), (first + 2, "missing-program"),
    }  # fmt: skip


def test_scripts_get_their_execute_bit_and_unix_line_ends(program: Program) -> None:
    script = program.write("guard.sh", "#!/bin/sh\r\ncat >/dev/null\r\n", 0o644)
    line = '"$CLAUDE_PROJECT_DIR"/guard.sh'
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}
    program.write(CLAUDE, json.dumps({"hooks": hooks}))
    assert program("check").returncode == 1
    assert program("check", "--fix").returncode == 0
    assert script.read_bytes() == b"#!/bin/sh\ncat >/dev/null\n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o755


def test_a_file_anywhere_is_checked_by_its_place_or_its_looks(program: Program, tmp_path: Path) -> None:
    other = tmp_path / "other/.cursor/hooks.json"
    other.parent.mkdir(parents=True)
    other.write_text('{"version": 1, "hooks": {"beforeShelExecution": []}}')
    assert codes(program, str(other)) == ["unknown-event"]
    loose = tmp_path / "loose.json"
    loose.write_text(
        '{"hooks": {"PreToolUse": [{"matcher": "bash", "hooks": [{"type": "command", "command": "true"}]}]}}'
    )
    assert codes(program, str(loose)) == ["dead-matcher"]
    loose.write_text('{"hooks": {"x": []}}')
    assert program("check", str(loose)).returncode == 64
    assert codes(program, str(loose), "--dialect", "gemini") == ["unknown-event"]
    assert program("check", str(tmp_path / "nosuch.json")).returncode == 64


def test_the_skills_of_a_plugin_are_checked_and_its_agents_are_not(program: Program) -> None:
    """Claude Code runs hooks out of the front matter of a plugin's skills, and of no agent that comes with it."""
    program.write(".claude-plugin/plugin.json", '{"name": "mine"}')
    inner = "      hooks:\n        - {type: command, command: ls}\n"
    hooks = f"hooks:\n  PostToolUse:\n    - matcher: {{tool_name: Edit}}\n{inner}"
    program.write("skills/tidy/SKILL.md", f"---\nname: tidy\n{hooks}---\n# Tidy\n")
    program.write("agents/helper.md", f"---\nname: helper\n{hooks}---\n# Helper\n")
    found = json.loads(program("check", "--json").stdout)
    assert {(each["source"], each["line"], each["code"]) for each in found} == {
        ("skills/tidy/SKILL.md", 5, "wrong-type"), ("skills/tidy/SKILL.md", 5, "file-dropped"),
    }  # fmt: skip


def test_a_plugin_is_checked_where_it_is_written(program: Program) -> None:
    program.write(".claude-plugin/plugin.json", '{"name": "mine"}')
    lines = [
        'bash "${CLAUDE_PLUGIN_ROOT}/nosuch.sh"',
        "${CLAUDE_PLUGIN_ROOT}/plain.sh",
        "bash scripts/plain.sh",
    ]
    program.write("plain.sh", "#!/bin/sh\ncat >/dev/null\n", 0o644)
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": line} for line in lines]}]}
    program.write("hooks/hooks.json", json.dumps({"hooks": hooks}))
    assert sorted(codes(program)) == ["missing-script", "not-executable", "relative-script", "unquoted-path"]
    assert "3 hooks" in program("check").stderr


def test_hooks_in_the_manifest_and_those_it_names_belong_to_the_plugin(program: Program) -> None:
    broken = {"hooks": {"PreTooluse": []}}
    program.write(".claude-plugin/plugin.json", json.dumps({"name": "mine", **broken}))
    assert codes(program) == ["unknown-event"]
    program.write(".claude-plugin/plugin.json", '{"name": "mine", "hooks": "./config/extra.json"}')
    program.write(
        "config/extra.json",
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "comand"}]}], "PreTooluse": []}}),
    )
    assert "unknown-event" in codes(program)


def test_a_file_of_hooks_that_nobody_reads_is_an_error(program: Program) -> None:
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    program.write(".claude/hooks.json", json.dumps(hooks))
    done = program("check")
    assert done.returncode == 1 and "move its hooks to `.claude/settings.json`" in done.stdout
    (program.workspace / ".claude/hooks.json").unlink()
    program.write(".claude/hooks.json", '{"mine": 1}')
    assert codes(program) == []


def test_what_is_wrong_in_a_file_that_nobody_reads_is_told_too(program: Program) -> None:
    """It stays wrong where the file is moved to; a file of another shape may be for something else."""
    slow = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh", "timeout": 45000}
    wrong = {"hooks": {"Stop": [{"hooks": [slow]}]}}
    program.write(".claude-plugin/plugin.json", '{"name": "mine"}')
    program.write(".claude-plugin/hooks/hooks.json", json.dumps(wrong))
    program.write("x.sh", "#!/bin/sh\necho done\n", 0o755)
    assert codes(program) == ["unread-file", "implausible-time", "unquoted-path", "unread-output"]
    program.write(".claude-plugin/hooks/hooks.json", "{}")
    program.write(
        ".claude/hooks.json", json.dumps({"hooks": {"Stop": [{"hooks": [{**slow, "command": "true"}]}]}})
    )
    assert codes(program) == ["unread-file", "implausible-time"]
    program.write(".claude/hooks.json", json.dumps({"hooks": {"Stop": [{**slow, "name": "mine"}]}}))
    assert codes(program) == ["unread-file"]


def test_a_plugin_is_looked_for_where_its_marketplace_offers_it(program: Program) -> None:
    hook = {"type": "command", "command": 'node "${CLAUDE_PLUGIN_ROOT}/run.js"'}
    content = json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}})
    market = {"name": "m", "plugins": [{"name": "mine", "source": "./.claude-plugin"}]}
    program.write(".claude-plugin/marketplace.json", json.dumps(market))
    program.write(
        ".claude-plugin/plugin.json", json.dumps({"name": "mine", "hooks": json.loads(content)["hooks"]})
    )
    program.write(".claude-plugin/hooks/hooks.json", content)
    program.write(".claude-plugin/run.js", "process.exit(0)\n")
    done = program("check")
    assert done.stdout == ""
    (program.workspace / ".claude-plugin/run.js").unlink()
    assert "`.claude-plugin/run.js` does not exist" in program("check").stdout
    market["plugins"] = [{"name": "mine", "source": "./tools/for/mine"}]
    program.write(".claude-plugin/marketplace.json", json.dumps(market))
    program.write("tools/for/mine/hooks/hooks.json", content)
    assert "tools/for/mine/hooks/hooks.json:1:" in program("check").stdout


@pytest.mark.parametrize(
    "path", [".hookline/hooks.yml", ".hookline/hooks.json", ".hookline/hook.toml", ".hookline.toml"]
)
def test_a_file_that_is_nearly_our_own_is_an_error(program: Program, path: str) -> None:
    program.write(path, "hooks: []\n")
    done = program("check")
    assert (done.returncode, f"error: {path}:1:1: nothing reads this file" in done.stdout) == (1, True)
    assert "move its hooks to `.hookline/hooks.toml`" in done.stdout


def test_an_agent_that_is_not_known_is_named(program: Program) -> None:
    program.write(".zcode/hooks.json", '{"hooks": {"PreToolUse": []}}')
    done = program("check")
    assert (done.returncode, "hooks of ZCode" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("path", "broken"),
    [
        (".claude/settings.json", '{"hooks": {"PreToolUse": [{"matcher": "Bash", "command": LINE}]}}'),
        (".claude/settings.json", '{"hooks": {"PreTolUse": [{"hooks": [{"type": "command", "command": LINE}]}]}}'),
        (".claude/settings.json", '{"hooks": {"PreToolUse": [{"hooks": [{"command": LINE}]}]}}'),
        (".cursor/hooks.json", '{"version": 1, "hooks": {"preToolUze": [{"command": LINE}]}}'),
        ("hooks/hooks.json", '{"hooks": {"preToolUse": [{"type": "command", "command": LINE}]}}'),
        (".cursor/hooks.json", '{"version": 1, "hooks": {"preToolUse": [{"script": LINE, "name": "guard"}]}}'),
        (".cursor/hooks.json", '{"version": 1, "hooks": {"pre-tool-use": [{"cmd": LINE}]}}'),
        (".claude/settings.json", '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": LINE}]}]}}'),
    ],
)  # fmt: skip
def test_the_scripts_of_hooks_that_are_dropped_are_looked_at_as_they_will_be_once_mended(
    program: Program, path: str, broken: str
) -> None:
    program.write(".claude-plugin/plugin.json", '{"name": "p"}')
    root = "CLAUDE_PLUGIN_ROOT" if path == "hooks/hooks.json" else "CLAUDE_PROJECT_DIR"
    line = f'node "${{{root}}}/gone.js"; jq -r .toolArgs | grep -q sudo && exit 1'
    program.write(path, broken.replace("LINE", json.dumps(line)))

    def found(*options: str) -> list[str]:
        told = [each["code"] for each in json.loads(program("check", "--json", *options).stdout)]
        return [each for each in told if each in ("missing-script", "unsent-field", "weak-exit")]

    before = found()
    assert sorted(before) == sorted(found("--fix")) and "missing-script" in before and len(before) > 1
    assert len(before) == len({*before})
