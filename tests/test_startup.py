"""Start-up is paid at every tool call: what a one-shot command imports, told by module names."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S

from hookline.state import redaction

NEVER = frozenset(
    ["asyncio", "dataclasses", "typing", "inspect", "logging", "subprocess", "sqlite3", "argparse", "pathlib",
     "importlib.util", "contextlib", "yaml", "tomlkit", "httpx2", "starlette", "rich", "traceback", "ast",
     "shutil", "hashlib", "threading"]
)  # fmt: skip
SCRIPT = """
import sys
from hookline.cli.main import main
code = main(sys.argv[1:])
sys.stderr.write("\\nMODULES " + " ".join(sys.modules))
sys.exit(code)
"""
CONFIG = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": f"Tool{n}" if n else "Bash",
                "hooks": [{"type": "command", "command": "hooks/check.sh all"}],
            }
            for n in range(20)
        ]
    }
}


def imported(program: Program, *arguments: str, code: int | None = 0) -> set[str]:
    """The modules in the process after a command line; `code` is the exit status it must have, if any."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{SCRIPT}", *arguments],
        cwd=program.workspace, env=program.environment, input='{"tool_name": "Bash"}', capture_output=True,
        text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    assert code in (done.returncode, None), done.stderr
    assert "MODULES " in done.stderr
    return set(done.stderr.rpartition("MODULES ")[2].split())


def test_the_version_costs_next_to_nothing(program: Program) -> None:
    found = imported(program, "--version")
    assert found & (NEVER | {"re", "json", "enum"}) == set()
    assert len([name for name in found if name.startswith("hookline")]) <= 8


@pytest.mark.parametrize("trust", ["workspace", ""])
@pytest.mark.parametrize("command", ["fire", "explain"])
def test_one_event_at_twenty_hooks_imports_nothing_heavy(program: Program, command: str, trust: str) -> None:
    program.write(".gen/settings.json", json.dumps(CONFIG))
    program("trust", "--yes", environment={"HOOKLINE_TRUST": ""})
    program.environment["HOOKLINE_TRUST"] = trust
    program.write("hooks/check.sh", "#!/bin/sh\n", 0o755)
    found = imported(program, command, "PreToolUse", "--json")
    assert found & (NEVER | {"re", "json", "enum"}) == set()
    assert {
        "hookline.dialects.claude",
        "hookline.dialects.iteratr",
        "hookline.handlers.http.webhook",
    } & found == set()


@pytest.mark.parametrize(
    "command", [("fire", "PreToolUse", "--json"), ("bridge", "claude", "--event", "PreToolUse")]
)
def test_a_script_of_the_project_is_run_without_patterns_and_json(
    program: Program, command: tuple[str, ...]
) -> None:
    hook = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/check.sh all'}
    groups = [
        {"matcher": each, "hooks": [hook]} for each in ("Bash|Edit", "Bash|run_shell_command", "NewTool")
    ]
    given = {"hooks": {"PreToolUse": groups}}
    program.write(".claude/settings.json", json.dumps(given))
    program.write("check.sh", "#!/bin/sh\necho 'not here' >&2\nexit 2\n", 0o755)
    program.environment["HOOKLINE_TRUST"] = (
        "workspace"  # reviewed ones are run from a copy, which takes patterns
    )
    found = imported(program, *command, code=0 if command[0] == "bridge" else 2)
    assert found & (NEVER | {"re", "json", "enum", "fnmatch", "hookline.dialects.cursor"}) == set()


@pytest.mark.parametrize(
    ("agent", "event", "path"),
    [
        ("codex", "PreToolUse", ".codex/hooks.json"),
        ("cursor", "preToolUse", ".cursor/hooks.json"),
        ("copilot", "preToolUse", ".github/hooks/guard.json"),
        ("gemini", "BeforeTool", ".gemini/settings.json"),
        ("qwen", "PreToolUse", ".qwen/settings.json"),
    ],
)
def test_matchers_of_nothing_but_words_take_no_patterns(
    program: Program, agent: str, event: str, path: str
) -> None:
    matchers = ("Bash|run_shell_command", "mcp__server8__.*", "NoSuchTool")
    hooks: list[dict[str, object]] = [{"type": "command", "command": "true", "bash": "true"}]
    flat = agent in ("cursor", "copilot")
    entries = [{"matcher": each, **(hooks[0] if flat else {"hooks": hooks})} for each in matchers]
    program.write(path, json.dumps({"version": 1, "hooks": {event: entries}}))
    program.environment["HOOKLINE_TRUST"] = "workspace"
    found = imported(program, "bridge", agent, "--event", event, code=None)
    heavy = {"re", "json", "enum", "hookline.system.patterns.expressions"}
    assert found & (NEVER | heavy) == set()


@pytest.mark.parametrize("failing", [False, True])
def test_a_commit_imports_one_dialect_and_nothing_heavy(program: Program, failing: bool) -> None:
    """Paid at every commit: neither the dialects nor the hosts of others, nor what only they need."""
    program.write(".gen/settings.json", json.dumps(CONFIG))
    script = "#!/bin/sh\n#---\n# name: Ran\n# type: pre-commit\n#---\necho ran\n"
    program.write(".discobot/hooks/ran.sh", script + "exit 3\n" * failing, 0o755)
    program("trust", "--yes", environment={"HOOKLINE_TRUST": ""})
    program.environment["HOOKLINE_TRUST"] = ""
    arguments = ("bridge", "discobot", "--event", "pre-commit", "--workspace", str(program.workspace))
    found = imported(program, *arguments, code=2 * failing)
    assert found & (NEVER | {"re", "json", "enum"}) == set()
    dialects = {name.split(".")[2] for name in found if name.startswith("hookline.dialects.")}
    assert dialects & {"claude", "gencode", "hookline", "iteratr", "matching", "reading"} == set()
    hosts = {name for name in found if name.startswith("hookline.hosts.")}
    assert hosts == {"hookline.hosts.precommit"}


def test_other_languages_are_read_only_where_they_are_used(program: Program) -> None:
    program.write(".iteratr.hooks.yml", "hooks:\n  session_start:\n    - command: echo hi\n")
    found = imported(program, "fire", "SessionStart", "--json")
    assert "yaml" in found and "asyncio" not in found and "tomllib" not in found


@pytest.mark.parametrize(("event", "severity"), [("beforeSubmitPrompt", "error"), ("AfterLunch", "warning")])
def test_an_event_that_an_agent_does_not_know_loads_no_other_agent(
    program: Program, event: str, severity: str
) -> None:
    program.write(".claude/settings.json", json.dumps({"hooks": {event: []}}))
    found = imported(program, "list")
    assert {"hookline.dialects.cursor", "hookline.dialects.gemini"} & found == set()
    (problem,) = json.loads(program("check", "--json").stdout)
    assert (problem["code"], problem["severity"]) == ("unknown-event", severity)


@pytest.mark.parametrize("command", ["list", "check", "doctor", "history", "stats"])
def test_what_only_looks_at_hooks_waits_for_no_network_code(program: Program, command: str) -> None:
    """A pattern over a command line has `check` ask what rule is meant by it, as `probe` does."""
    program.write(".gen/settings.json", json.dumps(CONFIG))
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PreToolUse"\nmatch = { tool_input.command = "git push" }\ndeny = "no"\n',
    )
    found = imported(program, command, code=None)
    assert {"asyncio", "httpx2", "starlette", "hookline.agents.llm"} & found == set()
    assert f"hookline.cli.hooks.{command}" in found or command not in ("check", "doctor")
    assert {"dataclasses", "importlib.resources"} & found == set()
    assert "shutil" not in found or command in ("check", "doctor")  # it loads compressors
    if command in ("history", "stats"):
        assert {
            "hookline.engine",
            "hookline.cli.history.export",
            "typing",
            "datetime",
            "hashlib",
        } & found == set()
    if command == "check":
        assert {"hookline.checking.fixing", "hookline.installing.agents"} & found == set()


def test_a_check_of_one_agents_file_loads_no_other_agent(program: Program) -> None:
    """Misplaced files of others are looked for where something is called nearly as theirs."""
    program.write(".gen/settings.json", json.dumps(CONFIG))
    found = imported(program, "check", code=None)
    assert {
        "hookline.dialects.cursor",
        "hookline.dialects.family.kiro",
        "hookline.installing.packs",
    } & found == set()


def test_no_id_of_a_run_or_a_session_loads_the_patterns_of_secrets() -> None:
    """Letters and digits that are drawn by lot hold any two of them often."""
    words = [word for needs, _ in redaction.SHAPES for word in needs]
    assert [word for word in words if word.isalnum() and len(word) < 3] == []
