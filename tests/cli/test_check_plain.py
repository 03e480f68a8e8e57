"""Lines of plain words, which most rules of `check` pass over: that they would find nothing there."""

from __future__ import annotations

import json
import random
from pathlib import Path

from hookline import load_hooks, places_for
from hookline.checking.of_texts import OF_TEXTS
from hookline.checking.plain_lines import LOOKING, is_plain
from hookline.checking.texts.plain_output import unread_output
from hookline.checking.workspace import lines_of
from hookline.cli.hooks.check import Options, read_options
from hookline.shell.programs.table import programs

FILES = {
    ".claude/settings.json": ("PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit"),
    ".codex/hooks.json": ("PreToolUse", "PostToolUse", "SessionStart"),
}
BEHIND = (
    "", "1", "2", ".", "deny", "block run", "--write ./x", "-r /usr/bin/x", "tool prompt", "if x", "exit 2", "-c x",
)  # fmt: skip


def test_no_rule_about_texts_finds_anything_in_a_line_of_plain_words(tmp_path: Path) -> None:
    chosen = random.Random(0)
    first = [
        *sorted(LOOKING),
        *chosen.sample(sorted(programs("").names()), 150),
        "exit",
        "esac",
        "echo",
        "./x",
    ]
    lines = [f"{name} {chosen.choice(BEHIND)}".rstrip() for name in first]
    plain = [line for line in lines if is_plain(line)]
    assert len(plain) > 60 and len(lines) - len(plain) > 80
    (tmp_path / ".git").mkdir()
    for name, events in FILES.items():
        groups = [{"hooks": [{"type": "command", "command": line} for line in plain]}]
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps({"hooks": dict.fromkeys(events, groups)}))
    home = str(tmp_path / "home")
    read = list(lines_of(load_hooks(places_for(str(tmp_path), {"HOME": home})), home))
    assert len(read) >= len(plain) * 7 and all(line.is_plain for line in read)
    for line in read:
        assert [each.message for look in (*OF_TEXTS, unread_output) for each in look(line)] == []


def test_check_without_words_is_check_by_its_defaults() -> None:
    assert read_options([]) == Options()
