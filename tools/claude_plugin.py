"""Writes `packaging/claude-plugin/`: a Claude Code plugin whose only work is to let Claude Code call hookline.

python tools/claude_plugin.py            writes the files anew, from the events that `hookline install claude` installs
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hookline import __version__
from hookline.dialects import dialect
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.installing import install

ROOT = Path(__file__).parents[1]
PLUGIN = "packaging/claude-plugin"
ABOUT = {
    "name": "hookline",
    "version": __version__,
    "description": "Every hook of every dialect in front of Claude Code; needs `hookline` on PATH",
    "license": "Apache-2.0",
}


def contents() -> dict[str, str]:
    """Path to text of every file."""
    claude = dialect("claude")
    assert isinstance(claude, AgentDialect)
    hooks = install(claude, None, "hookline", (), 0)
    market = {
        "name": "hookline",
        "owner": {"name": "hookline contributors"},
        "plugins": [{"name": "hookline", "source": f"./{PLUGIN}", "description": ABOUT["description"]}],
    }
    return {
        f"{PLUGIN}/.claude-plugin/plugin.json": json.dumps(ABOUT, indent=2) + "\n",
        f"{PLUGIN}/hooks/hooks.json": hooks,
        ".claude-plugin/marketplace.json": json.dumps(market, indent=2) + "\n",
    }


def main() -> int:
    for name, text in contents().items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
