"""What real agents show with hookline in front of them: tries it with the programs in a folder, and keeps it.

    python tools/five.py --installed FOLDER [--agents claude,gemini] [--write]

Two turns of each agent, or a few, against a scripted model, in a network namespace that has nothing but loopback; see
`tests/real_agents/five.py`. Prints what was seen as JSON, and exits 1 where it is not what the dialect says; `--write`
keeps it in `contracts.json`, from which the page of the docs is made.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.real_agents import driving  # noqa: E402

from hookline.dialects import dialect  # noqa: E402
from hookline.dialects.bridged import AgentDialect  # noqa: E402

NAMES = ("guard", "rewrite", "context", "stop", "uninstall")
HEADS = ("agent", "tried", "guard", "rewrite", "context", "go on", "uninstall")


def main() -> int:
    """Exits 1 when an agent does another thing than its rows say."""
    from tools import contracts

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--installed", required=True, help="a folder with the programs")
    parser.add_argument("--agents", default=",".join(driving.COMMANDS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found: dict[str, dict[str, str]] = {}
    for agent in options.agents.split(","):
        program = Path(options.installed) / driving.PROGRAMS.get(agent, agent)
        if not program.exists():
            print(f"{agent}: not in {options.installed}", file=sys.stderr)
            continue
        found[agent] = tried(agent, program)
        print(agent, json.dumps(found[agent]), file=sys.stderr, flush=True)
    print(json.dumps(found, indent=2))
    if options.write:
        record = json.loads(contracts.RECORD.read_text())
        record["shown"] = dict(sorted({**record.get("shown", {}), **found}.items()))
        contracts.RECORD.write_text(json.dumps(record, indent=1) + "\n")
        contracts.PAGE.write_text(contracts.page_of(record))
    return 1 if any(shown["differs"] for shown in found.values()) else 0


def tried(agent: str, program: Path) -> dict[str, str]:
    """The five as they were seen, with version and day; `differs` names those that are not as the rows say."""
    from tests.program import Program
    from tests.real_agents import five, turns

    from tools.contracts import version_of

    seen: dict[str, str] = {}
    for part in (five.guarded, five.changed):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            home, workspace = Path(folder) / "home", Path(folder) / "work"
            home.mkdir()
            subprocess.run(["git", "init", "-q", str(workspace)], check=True)
            try:
                seen.update(part(Program(home, workspace), agent, str(program), Path(folder) / "task"))
            except turns.Unended:
                print(f"{agent}: a turn did not end", file=sys.stderr)
    wanted = five.expected(agent)
    differs = ", ".join(name for name in wanted if name in seen and seen[name] != wanted[name])
    return {
        "version": version_of(program),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        **seen,
        "differs": differs,
    }


def table(record: Mapping[str, Any]) -> str:
    """What was seen, a row for each agent; empty where a turn did not end."""
    rows = [
        [f"{_title(agent)} {shown['version']}", shown["date"], *(shown.get(name, "") for name in NAMES)]
        for agent, shown in record.get("shown", {}).items()
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in (list(HEADS), ["---"] * len(HEADS), *rows))


def _title(agent: str) -> str:
    found = dialect(agent)
    assert isinstance(found, AgentDialect)
    return found.title


if __name__ == "__main__":
    sys.exit(main())
