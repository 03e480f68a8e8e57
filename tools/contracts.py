"""What the newest agents do with what a hook of theirs says: installs them, tries it, tells what changed.

    python tools/contracts.py [--installed FOLDER] [--agents claude,gemini] [--write]

Each cell is one turn of a real agent against a scripted model, with one hook: an event, an exit code, an output. It
runs in a network namespace that has nothing but loopback, in a fresh home, with a dummy key and telemetry off. A cell
that is another way than it was is tried a second time, and told as a change when it is so again.
Prints as JSON what was found and what differs from `contracts.json`; `--write` keeps it there and in the docs' page.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.real_agents.driving import LOOPBACK, isolated, task_of  # noqa: E402

from tools.five import table as five_table  # noqa: E402

RECORD = ROOT / "tools" / "contracts.json"
PAGE = ROOT / "docs" / "agents.md"
PACKAGES = {
    "claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "copilot": "@github/copilot",
    "gemini": "@google/gemini-cli", "qwen": "@qwen-code/qwen-code",
}  # fmt: skip
TITLES = {
    "claude": "Claude Code", "codex": "Codex", "copilot": "Copilot CLI", "gemini": "Gemini CLI", "qwen": "Qwen Code",
}  # fmt: skip
FILES = {
    "claude": ".claude/settings.json", "codex": ".codex/hooks.json", "copilot": ".github/hooks/cell.json",
    "gemini": ".gemini/settings.json", "qwen": ".qwen/settings.json",
}  # fmt: skip
CLAUDE = {"tool": "PreToolUse", "prompt": "UserPromptSubmit", "stop": "Stop"}
EVENTS = {
    **dict.fromkeys(("claude", "codex", "qwen"), CLAUDE),
    "copilot": {"tool": "preToolUse", "prompt": "userPromptSubmitted", "stop": "agentStop"},
    "gemini": {"tool": "BeforeTool", "prompt": "BeforeAgent", "stop": "AfterAgent"},
}
WORD = "ZZWORD"
UNENDED, UNSETTLED = "did not end", "not settled"
NO_NEWS = (UNENDED, UNSETTLED)
CELLS = (
    ("tool", 0, "nothing"), ("tool", 0, "text"), ("tool", 0, "denial"), ("tool", 1, "text"), ("tool", 2, "nothing"),
    ("tool", 2, "text"), ("tool", 127, "text"), ("prompt", 0, "text"), ("prompt", 2, "text"), ("stop", 2, "text"),
)  # fmt: skip
WHEN = {"tool": "before a tool", "prompt": "at the prompt", "stop": "at the end of a turn"}
SAID = {"nothing": "nothing", "text": "a text on both streams", "denial": "a denial in JSON"}


def main() -> int:
    """Exits 1 when something changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--installed", help="a folder with the programs, instead of installing the newest")
    parser.add_argument("--agents", default=",".join(PACKAGES))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    before = json.loads(RECORD.read_text()) if RECORD.exists() else {"agents": {}}
    found = dict(before["agents"])
    with tempfile.TemporaryDirectory() as folder:
        for agent in options.agents.split(","):
            program = Path(options.installed) / agent if options.installed else installed(agent, Path(folder))
            if program is None or not program.exists():
                print(f"{agent}: cannot be installed here", file=sys.stderr)
                continue
            cells = dict(cells_of(agent, program))
            old = before["agents"].get(agent, {}).get("cells", {})
            cells = settled(cells, old, functools.partial(again, agent, program))
            found[agent] = {"version": version_of(program), "cells": cells}
            print(f"{agent} {found[agent]['version']}: {len(found[agent]['cells'])} cells", file=sys.stderr)
    record = {**before, "date": f"{datetime.now(UTC):%Y-%m-%d}", "agents": dict(sorted(found.items()))}
    changes = changes_of(before, record)
    print(json.dumps({**record, "changes": changes}, indent=2))
    if options.write:
        known = known_of(before, record)
        RECORD.write_text(json.dumps(known, indent=1) + "\n")
        PAGE.write_text(page_of(known))
    return 1 if changes else 0


def installed(agent: str, folder: Path) -> Path | None:
    """The newest version from the registry, in a folder of its own; None where that fails."""
    place = folder / agent
    place.mkdir()
    command = [
        "npm",
        "install",
        "--no-fund",
        "--no-audit",
        "--prefix",
        str(place),
        f"{PACKAGES[agent]}@latest",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    program = place / "node_modules/.bin" / agent
    return program if done.returncode == 0 and program.exists() else None


def version_of(program: Path) -> str:
    """What the program itself says, in a home of its own."""
    with tempfile.TemporaryDirectory() as home:
        variables = {"HOME": home, "PATH": os.environ["PATH"]}
        command = [*(isolated() or ()), str(program), "--version"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=120, env=variables
        )
    found = re.search(r"\d+\.\d+\.\d+", done.stdout)
    return found[0] if found else "unknown"


def cells_of(agent: str, program: Path) -> Iterator[tuple[str, str]]:
    for when, code, said in CELLS:
        yield f"{when} {code} {said}", cell(agent, program, when, code, said)


def settled(
    found: Mapping[str, str], old: Mapping[str, str], try_again: Callable[[str], str]
) -> dict[str, str]:
    """The cells, each that is another way than before tried again: it is that way only if it is so twice.

    A machine with other work makes an agent late, and a late one does what it does when its hook is late.
    """
    cells = dict(found)
    for name, now in found.items():
        if old.get(name, now) != now:
            second = try_again(name)
            cells[name] = now if second == now else old[name] if second == old[name] else UNSETTLED
    return cells


def again(agent: str, program: Path, name: str) -> str:
    when, code, said = name.split()
    found = cell(agent, program, when, int(code), said)
    print(f"{agent}: `{name}` was another way, tried again: {found}", file=sys.stderr)
    return found


def cell(agent: str, program: Path, when: str, code: int, said: str) -> str:
    """What became of one turn, in words."""
    words = isolated()
    if words is None:
        raise SystemExit("there are no network namespaces here")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        home, workspace = root / "home", root / "work"
        home.mkdir()
        workspace.mkdir()
        subprocess.run(["git", "init", "-q", str(workspace)], check=True)
        place = workspace / FILES[agent]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(config(agent, when, line(agent, when, code, said))))
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        task = task_of(agent, str(program), home, workspace, environment)
        (root / "task.json").write_text(json.dumps(task))
        command = [*words, sys.executable, str(LOOPBACK), str(root / "task.json")]
        subprocess.run(command, capture_output=True, check=False, timeout=280)
        asked = root / "requests.json"
        return outcome(json.loads(asked.read_text()) if asked.exists() else None, workspace, when)


def line(agent: str, when: str, code: int, said: str) -> str:
    """The hook: it notes that it ran, and objects once."""
    denial: dict[str, Any] = {"decision": "block", "reason": WORD}
    if agent == "gemini":
        denial = {"decision": "deny", "reason": WORD}
    elif when == "tool":
        answer = {"permissionDecision": "deny", "permissionDecisionReason": WORD}
        denial = (
            answer
            if agent == "copilot"
            else {"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}}
        )
    says = {
        "nothing": "",
        "text": f"echo {WORD}; echo {WORD} >&2;",
        "denial": f"echo '{json.dumps(denial)}';",
    }[said]
    return f"cat > /dev/null; test -e fired && exit 0; touch fired; {says} exit {code}"


def config(agent: str, when: str, command: str) -> Mapping[str, Any]:
    if agent == "copilot":
        return {"version": 1, "hooks": {EVENTS[agent][when]: [{"type": "command", "bash": command}]}}
    return {"hooks": {EVENTS[agent][when]: [{"hooks": [{"type": "command", "command": command}]}]}}


def outcome(requests: list[Any] | None, workspace: Path, when: str) -> str:
    """`requests` is what the model was asked, None when the agent did not end."""
    if requests is None:
        return UNENDED
    if not (workspace / "fired").exists():
        return "hook did not run"
    told = ", text to the model" if WORD in json.dumps(requests) else ""
    if when == "tool":
        return ("tool runs" if (workspace / "ran").exists() else "denied") + told
    if when == "prompt":
        return ("goes on" if requests else "prompt dropped") + told
    return ("goes on" if told else "stops") + told


def changes_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, str]]:
    """The cells that are another way now, with both versions; agents that are new are none."""
    return [
        {
            "agent": agent,
            "cell": name,
            "from": f"{old['version']}: {old['cells'][name]}",
            "to": f"{new['version']}: {now}",
        }
        for agent, new in after["agents"].items()
        if (old := before["agents"].get(agent))
        for name, now in new["cells"].items()
        if name in old["cells"] and old["cells"][name] != now
    ]


def known_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept: a turn that did not end, or ended each time in another way, says nothing of the agent."""
    agents = {}
    for agent, found in after["agents"].items():
        old = before["agents"].get(agent, {}).get("cells", {})
        cells = {name: old.get(name, now) if now in NO_NEWS else now for name, now in found["cells"].items()}
        agents[agent] = {**found, "cells": cells}
    return {**after, "agents": agents}


def page_of(record: Mapping[str, Any]) -> str:
    """The page of the docs: a table of all cells, a column for each agent."""
    agents = record["agents"]
    head = [
        "event",
        "exit",
        "the hook prints",
        *(f"{TITLES[name]} {agents[name]['version']}" for name in agents),
    ]
    rows = [
        [
            WHEN[when],
            str(code),
            SAID[said],
            *(agents[name]["cells"].get(f"{when} {code} {said}", "") for name in agents),
        ]
        for when, code, said in CELLS
    ]
    table = "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))
    return f"""# What agents do with a hook's answer

One hook of the agent's own, one turn of the real program against a scripted model, each cell tried on {record["date"]}.
`denied` means that the tool did not run; `text to the model` that the hook's words were in a later request.

{table}

## With hookline in front

One turn of the real program after `hookline install`, on the day that stands beside it. *guard*: a rule that was
written for another agent stops the call. *rewrite*: a hook changes the call's input. *context*: a hook's words reach
the model. *go on*: a `Stop` hook objects, and the agent goes on. *uninstall*: what it leaves of the files as they were.

{five_table(record)}

`python tools/five.py --installed FOLDER` tries these again with the programs there. OpenCode and Kilo run as a
server, as they do behind their terminal: alone, their `run` ends before a `Stop` hook is heard. Left out are those
that begin nothing without their maker's server (Amp, Auggie and Qoder, tried with a dummy key), and those of which npm
and PyPI have no program that starts: the packages of Crush and Goose load theirs from elsewhere. An empty cell is a
turn that did not end in time.

`python tools/contracts.py` installs the newest versions, tries each cell again, and prints what changed. Agents that
have no package in a registry, or that do not start without an account, are not in the table; their pages say how sure
their facts are.
"""


if __name__ == "__main__":
    sys.exit(main())
