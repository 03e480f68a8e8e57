"""What is paid at every tool call and every commit: the modules that may be imported there, for every agent.

`hot_path.txt` is the list. Outside of it ordinary Python is written: imports at the top, `json`, `enum`, `typing`.
A module that must be paid at every call is added to the list; any other is imported where it is needed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.program import Program
from tests.test_startup import NEVER, imported

from hookline.dialects import is_agent

LISTED = frozenset((Path(__file__).parent / "hot_path.txt").read_text().split())
BRIDGED = ("claude", "codex", "copilot", "cursor", "gemini", "qwen")
# Brought along by `enum` under `re`, by `tomllib`, and where a file hook is owed after the turn
BRIDGE_MAY = frozenset(("contextlib", "typing", "hashlib"))
# Outside of the list: where an import waits all the same until it is needed, and what it waits for.
LATE = {
    "hookline.agents": "the library of a provider, YAML where a script is in it",
    "hookline.checking.codes": "TOML, where there is a fault",
    "hookline.checking.guards.fragile_rules": "what is known of commands, where a guard looks for one in a text",
    "hookline.checking.files.rule_words": "what is known of commands, where a rule is about one",
    "hookline.cli.access": "a package that need not be there",
    "hookline.cli.docs": "a package that need not be there",
    "hookline.cli.flags": "reading an address, which few commands take",
    "hookline.cli.history": "packages that need not be there, the network, and what only a part of its options ask for",
    "hookline.cli.hooks.check": "asyncio and the agents' clients, where a hook asks a model; editors of files",
    "hookline.cli.session": "packages that need not be there",
    "hookline.dialects": "what few hooks or calls of an agent have, at a call of it",
    "hookline.shell": "each line is read by those parts that it needs, at a guard's call",
    "hookline.state.eventlog_nats": "a package that need not be there",
    "hookline.state.trust.uncovered": "reading the line of a hook that is not trusted yet",
    "hookline.system.local_socket": "a caller that has the socket already",
    "hookline.system.workspace.watching": "a package that need not be there",
}
COMMAND = {"type": "command", "command": "echo $HOME"}
EVENTS = ("PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "Stop")
CONFIGS = {
    ".claude/settings.json": {"hooks": {event: [{"matcher": "", "hooks": [COMMAND]}] for event in EVENTS}},
    ".codex/hooks.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [COMMAND]}]}},
    ".gemini/settings.json": {"hooks": {"BeforeTool": [{"matcher": ".*", "hooks": [COMMAND]}]}},
    ".qwen/settings.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [COMMAND]}]}},
    ".cursor/hooks.json": {"version": 1, "hooks": {"preToolUse": [{"command": "true"}]}},
    ".github/hooks/guard.json": {
        "version": 1,
        "hooks": {"preToolUse": [{"type": "command", "bash": "true"}]},
    },
    ".gen/settings.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [COMMAND]}]}},
    ".autoagent/config.json": {"hooks": {"PreExecutionStart": [COMMAND]}},
}


@pytest.fixture
def workspace(program: Program) -> Iterator[Program]:
    """A workspace with a hook of every agent that can be bridged, and of our own."""
    for path, content in CONFIGS.items():
        program.write(path, json.dumps(content))
    program.write(".hookline/hooks.toml", 'version = 1\n[[hooks]]\nevent = "PreToolUse"\nrun = "true"\n')
    program.write(
        ".discobot/hooks/file.sh", "#!/bin/sh\n#---\n# type: file\n# pattern: '*.py'\n#---\ntrue\n", 0o755
    )
    yield program


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("agent", BRIDGED)
def test_a_bridged_call_imports_only_what_is_listed(workspace: Program, agent: str, event: str) -> None:
    assert is_agent(agent)
    found = imported(workspace, "bridge", agent, "--event", event, code=None)
    assert ours(found) - LISTED == set()
    assert found & (NEVER - BRIDGE_MAY) == set()


@pytest.mark.parametrize("event", [*EVENTS, "PreExecutionStart"])
@pytest.mark.parametrize("command", ["fire", "explain"])
def test_one_event_imports_only_what_is_listed(workspace: Program, command: str, event: str) -> None:
    assert ours(imported(workspace, command, event, "--json", code=None)) - LISTED == set()


def test_a_commit_imports_only_what_is_listed(workspace: Program) -> None:
    arguments = ("bridge", "discobot", "--event", "pre-commit", "--workspace", str(workspace.workspace))
    assert ours(imported(workspace, *arguments, code=None)) - LISTED == set()


@pytest.mark.parametrize("line", ["ls -la", "git push -f"])
def test_a_plain_first_line_is_read_without_the_interpreter(program: Program, line: str) -> None:
    rule = '[[hooks]]\nevent = "PreToolUse"\nshell = "git push*"\ndeny = "x"\n'
    program.write(".hookline/hooks.toml", rule)
    found = {
        name for name in imported(program, "explain", "Bash", line, code=None) if "hookline.shell." in name
    }
    assert {name.split(".")[2] for name in found} == {"reading", "plain", "programs", "effects"}
    assert len(found) <= 13


@pytest.mark.parametrize(
    "line",
    ["cd x && ls", "ls src | head -3", "make > log 2>&1 || true", "git log 2>/dev/null | tail -1",
     'cd "$HOME/x" && ls *.py', "CI=1 npm test", 'echo "$?: $USER" > log', 'echo "$(date)"',
     "cat > a <<'E'\nb\nE", "[ -f a ] && ls", "X=1; export Y=$X; echo $Y",
     "bash -c 'cd a && ls'", "set -e; make | tee log", "./a.sh", "node b.js",
     "if [ -f a ]; then ls; fi", 'for f in *.py; do echo "$f" > b; done', "(cd a && ls) < b || exit 1",
     "case $X in a) ls;; *) { ls; pwd; };; esac", "while true; do ls; done",
     'ls | while IFS= read -r f; do echo "$f"; done', "f() { local x=$1; ls $x; }; f a", "[[ -f a && -n $X ]] && ls",
     "echo $((X + 1))", 'echo "${X:-a}" ${Y%.py} ${#X}', "npm start > log 2>&1 & sleep 3; kill $!", "time make",
     "cat > a <<E\n$X ${Y:-$(date)}\nE", "find . | xargs -I{} wc -l {}", "command -v git >/dev/null || exit 1",
     "cd $(git rev-parse --show-toplevel) && cmake -B build", "ls > a; X=$(git log); echo $X"],
)  # fmt: skip
def test_lists_pipes_variables_substitutions_here_documents_and_scripts_are_read_without_the_reader(
    program: Program, line: str
) -> None:
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nshell = "rm *"\ndeny = "x"\n')
    program.write("a.sh", "#!/bin/bash\nset -euo pipefail\ncd a\nX=$(git log)\nnpm test > log\n")
    found = imported(program, "explain", "Bash", line, code=None)
    assert "hookline.shell.interpreter.plainly" in found
    assert found & {"hookline.shell.interpreter.reader", "hookline.shell.grammar.quoting"} == set()


def test_the_list_names_modules_that_exist() -> None:
    assert set() == LISTED - set(modules())


def test_modules_that_are_not_listed_import_what_they_need_at_their_top() -> None:
    hiding = {name: late_imports(path) for name, path in modules().items() if name not in LISTED}
    assert [name for name, lines in hiding.items() if lines and not reasons(name)] == []
    assert [
        reason for reason in LATE if not any(reason in reasons(name) for name in hiding if hiding[name])
    ] == []


def test_modules_that_are_not_listed_take_no_trick_for_their_types() -> None:
    made = [name for name, path in modules().items() if "\nTYPE_CHECKING = False\n" in path.read_text()]
    assert set(made) - LISTED <= {"hookline", "hookline.model.typing"}


def modules() -> dict[str, Path]:
    source = Path(__file__).parent.parent / "src"
    return {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(source.rglob("*.py"))
    }


def late_imports(path: Path) -> list[int]:
    """The lines of imports within functions."""
    text = path.read_text()
    if re.search(r"^(?!import|from).*\bimport\b", text, re.MULTILINE) is None:
        return []  # and nothing to take apart
    functions = (
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [
        node.lineno
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def reasons(name: str) -> set[str]:
    return {prefix for prefix in LATE if f"{name}.".startswith(f"{prefix}.")}


def ours(found: set[str]) -> set[str]:
    return {name for name in found if name.startswith("hookline")}
