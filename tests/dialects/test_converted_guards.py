"""Guards as people write them, converted and fired: whatever they answer otherwise there was told.

The whole matrix runs with HOOKLINE_WHOLE_MATRIX=1; otherwise each guard meets a few of the agents in turn.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import grouped

from hookline.cli.hooks import convert
from hookline.dialects import OWN, dialect, names
from hookline.dialects.base import Source, SourceText
from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.services import Services
from hookline.model.events import EventKind, event_from_payload
from hookline.model.hooks import Action, Command
from hookline.model.record import replace
from hookline.model.results import Decision

SCRIPTS = {
    "grep.sh": "#!/bin/bash\nif grep -q 'rm -rf'; then\n  echo 'no rm -rf' >&2\n  exit 2\nfi\nexit 0\n",
    "jq.sh": "#!/bin/sh\nc=$(jq -r '.tool_input.command')\ncase $c in *'rm -rf'*) echo no >&2; exit 2;; esac\n",
    "named.sh": """#!/bin/bash
in=$(cat)
[ "$(jq -r .tool_name <<<"$in")" = "Bash" ] || exit 0
[[ "$(jq -r .tool_input.command <<<"$in")" == *"rm -rf"* ]] && { echo no >&2; exit 2; }
exit 0
""",
    "deny.py": """import json, sys
if "rm -rf" in json.dumps(json.load(sys.stdin)):
    said = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}))
""",
    "ask.py": """import json, sys
if "rm -rf" in sys.stdin.read():
    said = {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}))
""",
    "env.py": """import json, sys
if json.load(sys.stdin).get("tool_input", {}).get("file_path", "").endswith(".env"):
    print("not .env", file=sys.stderr)
    sys.exit(2)
""",
    "block.js": """let d = '';
process.stdin.on('data', c => d += c).on('end', () => {
  const call = JSON.parse(d);
  if ((call.tool_input.command || '').includes('rm -rf')) {
    console.log(JSON.stringify({decision: 'block', reason: 'no'}));
  }
});
""",
    "stop.sh": """#!/bin/sh
[ "$(jq -r '.stop_hook_active')" = true ] && exit 0
echo 'run the tests' >&2
exit 2
""",
}  # fmt: skip
ROOT = '"$CLAUDE_PROJECT_DIR"/guards/'
BAD, GOOD = "rm -rf build", "ls -l"
SHELL = (
    {"tool_name": "Bash", "tool_input": {"command": BAD}},
    {"tool_name": "Bash", "tool_input": {"command": GOOD}},
)
EDIT = (
    {"tool_name": "Edit", "tool_input": {"file_path": "/w/.env", "old_string": "a", "new_string": "b"}},
    {"tool_name": "Edit", "tool_input": {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}},
)
MCP = (
    {"tool_name": "mcp__github__delete", "tool_input": {"repo": "x"}},
    {"tool_name": "mcp__other__list", "tool_input": {"repo": "x"}},
)
PROMPT = ({"prompt": "my password is x"}, {"prompt": "hello"})
STOP = ({"stop_hook_active": False}, {"stop_hook_active": True})


def flat(event: str, key: str, command: str, **more: Any) -> str:
    return json.dumps({"version": 1, "hooks": {event: [{"type": "command", key: command, **more}]}})


def answering(when: str, **said: Any) -> str:
    """A line that prints this as JSON when the words are in its input."""
    return f"grep -q '{when}' && printf '%s' '{json.dumps(said)}'; exit 0"


def deciding(**said: Any) -> str:
    return answering("rm -rf", hookSpecificOutput={"hookEventName": "PreToolUse", **said})


def failing(when: str, code: int = 1, **said: Any) -> str:
    """The same, by a hook that ends with a code."""
    return answering(when, **said).replace("; exit 0", f" && exit {code}; exit 0")


NO = "grep -q 'rm -rf' && { echo no >&2; exit 2; }; exit 0"
ALOUD = "grep -q 'rm -rf' && echo no && exit 2; exit 0"
LAST = "grep -q 'rm -rf' && exit 1; exit 0"
SECRET = "grep -q password && { echo 'no secrets' >&2; exit 2; }; exit 0"
NEVER = "echo no >&2; exit 2"
CURSOR = 'grep -q \'rm -rf\' && printf \'{"permission": "deny"}\' || printf \'{"permission": "allow"}\''
REST = 'grep -q \'active": *true\' || printf \'{"decision": "block", "reason": "test it"}\''
COPILOT = answering("rm -rf", permissionDecision="deny", permissionDecisionReason="no")
ANSWERS = re.compile(r"^(deny|ask) = ", re.MULTILINE)
OURS = '[[hooks]]\nevent = "PreToolUse"\n'
TRUE = {"command": "true"}
DENY = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
OVER = {"continue": False, "stopReason": "no"}
Pre, Post, Prompt, Stop, SubagentStop, Request = (
    EventKind.PreToolUse,
    EventKind.PostToolUse,
    EventKind.UserPromptSubmit,
    EventKind.Stop,
    EventKind.SubagentStop,
    EventKind.PermissionRequest,
)
Guard = tuple[str, str, EventKind, tuple[dict[str, Any], dict[str, Any]]]
GUARDS: dict[str, Guard] = {
    "grep in the line": ("claude", grouped("PreToolUse", NO, "Bash"), Pre, SHELL),
    "grep in a script": ("claude", grouped("PreToolUse", ROOT + "grep.sh", "Bash"), Pre, SHELL),
    "jq": ("claude", grouped("PreToolUse", f"bash {ROOT}jq.sh", "Bash"), Pre, SHELL),
    "by the tool's name": ("claude", grouped("PreToolUse", ROOT + "named.sh"), Pre, SHELL),
    "python denies in JSON": ("claude", grouped("PreToolUse", f"python3 {ROOT}deny.py", "Bash"), Pre, SHELL),
    "python asks": ("claude", grouped("PreToolUse", f"python3 {ROOT}ask.py", "Bash"), Pre, SHELL),
    "python for files": ("claude", grouped("PreToolUse", f"python3 {ROOT}env.py", "Edit|Write"), Pre, EDIT),
    "files by a regex": ("claude", grouped("PreToolUse", f"python3 {ROOT}env.py", "^(Edit|Write)$"), Pre, EDIT),
    "node blocks in JSON": ("claude", grouped("PreToolUse", f"node {ROOT}block.js", "Bash"), Pre, SHELL),
    "every tool by a star": ("claude", grouped("PreToolUse", NO, "*"), Pre, SHELL),
    "every tool by nothing": ("claude", grouped("PreToolUse", NO, ""), Pre, SHELL),
    "tools of a server": ("claude", grouped("PreToolUse", NEVER, "mcp__github__.*"), Pre, MCP),
    "a list with a server": ("claude", grouped("PreToolUse", NEVER, "mcp__github__delete|Bash"), Pre, MCP),
    "a condition": ("claude", grouped("PreToolUse", NEVER, "Bash", **{"if": "Bash(rm *)"}), Pre, SHELL),
    "allows": ("claude", grouped("PreToolUse", deciding(permissionDecision="allow"), "Bash"), Pre, SHELL),
    "rewrites": (
        "claude", grouped("PreToolUse", deciding(permissionDecision="allow", updatedInput=TRUE), "Bash"), Pre, SHELL,
    ),
    "adds context": ("claude", grouped("PreToolUse", deciding(additionalContext="careful"), "Bash"), Pre, SHELL),
    "says it on stdout": ("claude", grouped("PreToolUse", ALOUD, "Bash"), Pre, SHELL),
    "ends the turn": (
        "claude", grouped("PreToolUse", answering("rm -rf", **{"continue": False, "stopReason": "no"})), Pre, SHELL,
    ),
    "in the background": ("claude", grouped("PreToolUse", NO, "Bash", **{"async": True}), Pre, SHELL),
    "blocks when it fails": ("claude", grouped("PreToolUse", NO, "Bash", onFailure="block"), Pre, SHELL),
    "after an edit": ("claude", grouped("PostToolUse", "echo 'mend it' >&2; exit 2", "Edit|Write"), Post, EDIT),
    "a prompt by its code": ("claude", grouped("UserPromptSubmit", SECRET), Prompt, PROMPT),
    "a prompt in JSON": (
        "claude", grouped("UserPromptSubmit", answering("password", decision="block", reason="no")), Prompt, PROMPT,
    ),
    "words for the prompt": ("claude", grouped("UserPromptSubmit", "echo 'today is Monday'"), Prompt, PROMPT),
    "a stop gate": ("claude", grouped("Stop", ROOT + "stop.sh"), Stop, STOP),
    "a stop gate in JSON": ("claude", grouped("Stop", REST), Stop, STOP),
    "denies in JSON and fails": (
        "claude", grouped("PreToolUse", failing("rm -rf", hookSpecificOutput={"hookEventName": "PreToolUse", **DENY})),
        Pre, SHELL,
    ),
    "of GenCode, blocks in JSON and fails": (
        "gencode", grouped("PreToolUse", failing("rm -rf", decision="block", reason="no"), "Bash"), Pre, SHELL,
    ),
    "ends the turn at a prompt and fails": (
        "claude", grouped("UserPromptSubmit", failing("password", **OVER)), Prompt, PROMPT,
    ),
    "ends the turn at its stop and fails": ("claude", grouped("Stop", failing("false", 3, **OVER)), Stop, STOP),
    "denies a prompt as if it were a call": (
        "claude",
        grouped("UserPromptSubmit", answering("password", hookSpecificOutput={
            "hookEventName": "UserPromptSubmit", **DENY,
        })),
        Prompt, PROMPT,
    ),
    "denies a request and fails": (
        "claude",
        grouped("PermissionRequest", failing("rm -rf", 2, hookSpecificOutput={
            "hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "no"},
        })),
        Request, SHELL,
    ),
    "denies a request, says why and fails": (
        "claude",
        grouped("PermissionRequest", failing("rm -rf", decision="block").replace("exit 1", "echo no >&2; exit 2")),
        Request, SHELL,
    ),
    "of Codex, asks in vain": ("codex", grouped("PreToolUse", deciding(permissionDecision="ask")), Pre, SHELL),
    "of Codex, words behind a subagent": (
        "codex",
        grouped("SubagentStop", answering("false", hookSpecificOutput={
            "hookEventName": "SubagentStop", "additionalContext": "careful",
        })),
        SubagentStop, STOP,
    ),
    "of Codex": ("codex", grouped("PreToolUse", NO, "^Bash$", timeout=30), Pre, SHELL),
    "of Codex in JSON": (
        "codex", grouped("PreToolUse", deciding(permissionDecision="deny", permissionDecisionReason="no")), Pre, SHELL,
    ),
    "of Codex, in any letters": ("codex", grouped("PreToolUse", NO, "(?i)BASH"), Pre, SHELL),
    "of OpenHands, in any letters": ("openhands", grouped("PreToolUse", NO, "/(?i)TERMINAL/"), Pre, SHELL),
    "of Gemini": ("gemini", grouped("BeforeTool", NO, "run_shell_command", timeout=5000), Pre, SHELL),
    "of Gemini in JSON": (
        "gemini", grouped("BeforeTool", answering("rm -rf", decision="deny", reason="no")), Pre, SHELL,
    ),
    "of Qwen Code": ("qwen", grouped("PreToolUse", NO, "run_shell_command"), Pre, SHELL),
    "of Cursor": ("cursor", flat("beforeShellExecution", "command", CURSOR), Pre, SHELL),
    "of Cursor, closed": ("cursor", flat("preToolUse", "command", NO, matcher="Shell", failClosed=True), Pre, SHELL),
    "of Copilot": ("copilot", flat("preToolUse", "bash", COPILOT), Pre, SHELL),
    "of Copilot by its code": ("copilot", flat("preToolUse", "bash", LAST), Pre, SHELL),
    "of GenCode": ("gencode", grouped("PreToolUse", NO, "Bash", blocking=True), Pre, SHELL),
    "of cocode": (
        "cocode",
        '[[hooks]]\nevent = "PreToolUse"\ntool_matcher = "Bash"\n[hooks.shell]\npass_context = true\n'
        f"command = {json.dumps(LAST)}\n",
        Pre, SHELL,
    ),
    "of Abacus, a condition": (
        "abacus", grouped("PreToolUse", NEVER, "Bash", **{"if": "Bash(rm *)"}), Pre, SHELL,
    ),
    "ours, a question about files": (OWN, OURS + 'write = "**/.env"\nask = "sure?"\n', Pre, EDIT),
    "all but one": ("claude", grouped("PreToolUse", NEVER, "^(?!Bash).*$"), Pre, EDIT),
    "ours, a rule": (OWN, OURS + 'shell = "rm -rf"\ndeny = "no"\n', Pre, SHELL),
    "ours, a question": (OWN, OURS + 'shell = "rm"\nask = "sure?"\n', Pre, SHELL),
    "ours, a line": (OWN, OURS + f'tool = "Bash"\nrun = {json.dumps(NO)}\n', Pre, SHELL),
}  # fmt: skip
TARGETS = [
    name
    for name in names()
    if dialect(name).profile.can.handlers and dialect(name).profile.read_as[0] != "scripts"
]
FAILURES = ("exit 1", "echo oops >&2; exit 127", "kill -9 $$")
MOMENTS = ("fits", "fits not", *FAILURES)
STEP = 1 if os.environ.get("HOOKLINE_WHOLE_MATRIX") else 14


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace with the scripts."""
    folder = tmp_path_factory.mktemp("guards")
    for name, text in SCRIPTS.items():
        path = folder / "guards" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    kept = os.environ.copy()
    os.environ.update(HOME=str(folder), XDG_CONFIG_HOME=str(folder), XDG_STATE_HOME=str(folder))
    yield folder
    os.environ.clear()
    os.environ.update(kept)


def hooks_of(name: str, text: str, place: Path) -> HookSet:
    form, label = dialect(name).profile.read_as
    path = str(place / f"config.{form}")
    source = Source(path, "project", form, "config", label)
    loaded = dialect(name).parse(SourceText(source, "text", text, path=path, shown="config"))
    return HookSet(specs=loaded.specs, loaded=(loaded,), workspace=str(place))


def answers(name: str, text: str, guard: Guard, place: Path) -> list[Decision]:
    """To what it is there for, to something else, and to the first again when it fails in one way or another.

    A rule of ours has no program that could fail.
    """
    hooks = hooks_of(name, text, place)
    moments = [(hooks, guard[3][0]), (hooks, guard[3][1])]
    for line in () if ANSWERS.search(guard[1]) else FAILURES:
        specs = [replace(spec, action=broken(spec.action, line)) for spec in hooks.specs]
        moments.append((replace(hooks, specs=tuple(specs)), guard[3][0]))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    services = Services(workspace=str(place), environment={"HOME": str(place), "PATH": path})
    known = {"session_id": "s", "cwd": str(place), "workspace": str(place), "at": 1.0}
    return [
        Engine(which, services).fire_now(event_from_payload(guard[2], given, **known))
        for which, given in moments
    ]


def broken(action: Action, line: str) -> Action:
    return Command(line, shell=action.shell) if isinstance(action, Command) else action


def converted(guard: Guard, target: str, place: Path) -> tuple[str, dict[str, Any]]:
    source, text = guard[:2]
    file = place / f"given.{dialect(source).profile.read_as[0].removesuffix('c')}"
    file.write_text(text)
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        code = convert.run([source, target, str(file), "--json", "--workspace", str(place)])
    report = json.loads(told.getvalue())
    floods = any(loss["floods"] for loss in report["losses"])
    assert code == int(report["weakens"] or floods), told.getvalue()
    return out.getvalue(), report


def differences(before: list[Decision], after: list[Decision]) -> Iterator[tuple[str, bool]]:
    """What is not as it was, and whether it lets more through."""
    for moment, was, now in zip(MOMENTS, before, after, strict=len(before) == len(MOMENTS)):
        if was.blocked != now.blocked or was.may_run != now.may_run:
            yield f"{moment}: {was.verdict.word} became {now.verdict.word}", now.verdict < was.verdict
        elif was.updated_input != now.updated_input:
            yield f"{moment}: {was.updated_input} became {now.updated_input}", was.updated_input is not None
        elif bool(was.contexts) and not now.contexts:
            yield f"{moment}: its words are lost", False


@pytest.mark.parametrize("name", GUARDS)
def test_a_converted_guard_answers_as_before_or_it_was_told(name: str, place: Path) -> None:
    guard = GUARDS[name]
    judges = dialect(guard[0]).rules[guard[2]].guards
    before = answers(*guard[:2], guard, place)
    untold = []
    for number, target in enumerate(TARGETS):
        if target == guard[0] or (number + list(GUARDS).index(name)) % STEP:
            continue
        text, report = converted(guard, target, place)
        for words, weaker in differences(before, answers(target, text, guard, place)):
            if not (report["weakens"] if weaker and judges else report["losses"]):
                untold.append((target, words, report["losses"]))
    assert not untold
