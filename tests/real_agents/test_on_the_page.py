"""A real agent's turn on the page, while it runs."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.real_agents import turns
from tests.real_agents.test_real_agents import installed
from tests.web.browser import PROGRAM, Browser, chromium, page
from tests.web.serving import Serving, serving
from tests.web.test_records_page import go, open_page

__all__ = ["chromium", "page", "serving"]
pytestmark = [
    pytest.mark.real_agent,
    pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed"),
]
PICTURE = Path(__file__).parents[2] / "test-output/records/real-agent.png"
RULES = """\
[[hooks]]
name = "no-marks"
event = "PreToolUse"
write = "ran"
deny = "leave no marks"

[[hooks]]
name = "until-seen"
event = "Stop"
run = "until test -e seen; do sleep 0.1; done"
"""


@pytest.fixture
def claude() -> str:
    """Asked for before a browser is started."""
    return installed("claude")


def test_a_turn_of_claude_code_is_on_the_page_while_it_runs(
    claude: str, serving: Serving, page: Browser, tmp_path: Path
) -> None:
    """The turn cannot end before the page was looked at: its Stop hook waits for that."""
    serving.program.write(".hookline/hooks.toml", RULES)
    assert serving.program("install", "claude").returncode == 0
    open_page(page, serving, view="decisions")
    turn = threading.Thread(target=turns.turn, args=(serving.program, "claude", claude, tmp_path))
    turn.start()
    page.until("[...document.querySelectorAll('.runs li')].some(row => row.innerText.includes('denied'))")
    assert turn.is_alive()
    page.click(".runs li[data-verdict=deny] a.run")
    page.shows("#view", "leave no marks")
    page.until("document.querySelector('pre.asked mark')")
    page.picture(PICTURE)
    (serving.root / "seen").touch()
    turn.join()
    go(page, "decisions")
    page.until("[...document.querySelectorAll('.runs li')].some(row => row.innerText.includes('Stop'))")
    assert not (serving.root / "ran").exists()
    assert page.errors == []
