"""The five things a real agent must show with hookline in front of it, each of them by what its model was asked and
what is on disk afterwards: a guard of another agent stops its call, a rewrite arrives, a word for the model arrives, it
goes on when a Stop hook says so, and uninstalling gives every byte back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.program import Program
from tests.real_agents import driving
from tests.real_agents.turns import turn

from hookline.dialects import dialect
from hookline.dialects.family import FamilyDialect
from hookline.model.events import EventKind as K

NAMES = ("guard", "rewrite", "context", "stop", "uninstall")
NO, CHANGED, WORD, MORE = "no shell today", "another file", "the word is ZZWORD", "ZZMORE to do"
GEMINIS = (".gemini/settings.json", "BeforeTool", "run_shell_command")
CLAUDES = (".claude/settings.json", "PreToolUse", "Bash")
# Those that read Claude Code's file themselves are guarded by Gemini CLI's.
GUARDS = {"claude": GEMINIS, "codex": GEMINIS, "copilot": GEMINIS}
USERS = frozenset({"hermes", "pi"})  # whose project files need an answer at a terminal, or do not exist
ENDS_AT_A_DENIAL = frozenset({"cline"})
STOPS_ONLY_AFTER_AN_EDIT = frozenset({"hermes"})  # and the turn here makes its file by a shell


def guarded(program: Program, agent: str, path: str, folder: Path) -> dict[str, str]:
    """A guard written for another agent, and what became of the call."""
    driving.prepare(agent, program.home, program.workspace)
    config, event, tool = GUARDS.get(agent, CLAUDES)
    hook = {"type": "command", "command": f"echo {NO} >&2; exit 2"}
    program.write(config, json.dumps({"hooks": {event: [{"matcher": tool, "hooks": [hook]}]}}))
    put_in(program, agent)
    told = NO in json.dumps(turn(program, agent, path, folder))
    if (program.workspace / "ran").exists():
        return {"guard": "the call runs"}
    runs = json.loads(program("history", "--json").stdout)
    if not any(run["event"] == "PreToolUse" and run["verdict"] == "deny" for run in runs):
        return {"guard": "the call was never judged"}
    return {"guard": "stops the call" if told else "stops the call, without a word to the model"}


def changed(program: Program, agent: str, path: str, folder: Path) -> dict[str, str]:
    """The other four, in one turn where a call that is denied does not end it."""
    driving.prepare(agent, program.home, program.workspace)
    before = contents(program)
    rules = {"rewrite": _rewrite(agent), "context": _context(agent), "stop": _stop()}
    together = agent not in ENDS_AT_A_DENIAL
    found: dict[str, str] = {}
    for names in [tuple(rules)] if together else [(each,) for each in rules]:
        program.write(".hookline/hooks.toml", "\n".join(rules[each] for each in names))
        put_in(program, agent)
        asked = json.dumps(turn(program, agent, path, folder))
        found.update({name: _seen(name, asked, program.workspace) for name in names})
    return {**found, "uninstall": _taken_out(program, agent, before)}


def expected(agent: str) -> dict[str, str]:
    """What the dialect's rows say of the five, for the agent as it is driven here."""
    told = "stops the call, without a word to the model" if agent in ENDS_AT_A_DENIAL else "stops the call"
    rewrites = "rewrite" in effects_of(agent, K.PreToolUse)
    goes_on = "reprompt" in effects_of(agent, K.Stop) and agent not in STOPS_ONLY_AFTER_AN_EDIT
    return {
        "guard": told,
        "rewrite": "arrives" if rewrites else "not taken there: the call is denied",
        "context": "arrives" if _context_event(agent) else "not taken there",
        "stop": "goes on" if goes_on else "not taken there",
        "uninstall": "every byte",
    }


def effects_of(agent: str, kind: K) -> frozenset[str]:
    """What hooks of that event can do there, of all rows."""
    found = dialect(agent)
    withheld = found.agent.withheld if isinstance(found, FamilyDialect) else frozenset()
    return frozenset().union(*(row.effects for row in found.rows if row.kind is kind)) - withheld


def put_in(program: Program, agent: str) -> None:
    done = program("install", agent, "--scope", scope(agent))
    assert done.returncode == 0, done.stderr


def scope(agent: str) -> str:
    return "user" if agent in USERS else "project"


def contents(program: Program) -> Mapping[Path, bytes]:
    """Every file, but what hookline keeps of what ran, and of its rules."""
    files = (path for folder in (program.workspace, program.home) for path in folder.rglob("*"))
    kept = {".git", "state", "hookline", ".hookline"}
    return {path: path.read_bytes() for path in files if path.is_file() and not kept & set(path.parts)}


def _taken_out(program: Program, agent: str, before: Mapping[Path, bytes]) -> str:
    """Of the files that an installation touches. What the agent itself wrote beside our entries stays."""
    during = contents(program)
    done = program("uninstall", agent, "--scope", scope(agent))
    assert done.returncode == 0, done.stderr
    left = contents(program)
    touched = [path for path in before.keys() | during.keys() if during.get(path) != left.get(path)]
    assert touched, "nothing was installed"
    own = [path for path in touched if _is_own(left.get(path, b""), before.get(path))]
    wrong = [str(path) for path in touched if left.get(path) != before.get(path) and path not in own]
    return f"left: {wrong}" if wrong else "every byte"


def _is_own(left: bytes, before: bytes | None) -> bool:
    """Qwen Code writes the version of its settings into a file that we made."""
    return before is None and left.split()[:-2] == [b"{", b'"$version":']


def _rewrite(agent: str) -> str:
    """For agents that do not take one, the denial's reason is the hook's name."""
    answer = json.dumps({"input": {"command": "touch other"}})
    return _hook(CHANGED, "PreToolUse", f"tool = \"Bash\"\nrun = '''echo '{answer}' '''")


def _context(agent: str) -> str:
    return _hook("a word", _context_event(agent) or "UserPromptSubmit", f'context = "{WORD}"')


def _context_event(agent: str) -> str:
    """Where a hook's words reach its model in one run without a terminal."""
    kinds = (K.UserPromptSubmit, K.PreToolUse, K.PostToolUse)
    kinds = kinds[1:] if agent in ENDS_AT_A_DENIAL else kinds
    return next((kind.value for kind in kinds if "context" in effects_of(agent, kind)), "")


def _stop() -> str:
    line = f"test -e once && exit 0; touch once; echo {MORE} >&2; exit 2"
    return _hook("once more", "Stop", f"run = '''{line}'''")


def _hook(name: str, event: str, rest: str) -> str:
    return f'[[hooks]]\nname = "{name}"\nevent = "{event}"\n{rest}\n'


def _seen(name: str, asked: str, workspace: Path) -> str:
    if name == "context":
        return "arrives" if WORD in asked else "not taken there"
    if name == "stop":
        return "goes on" if MORE in asked else "not taken there"
    if (workspace / "ran").exists():
        return "the call runs as it was"
    return "arrives" if (workspace / "other").exists() else "not taken there: the call is denied"
