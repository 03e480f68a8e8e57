"""The page in a real browser, against a real server, real hooks and a scripted model."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.web import browser as chromium
from tests.web.browser import Browser
from tests.web.serving import Serving, lasting_port, write

pytestmark = [
    pytest.mark.skipif(chromium.PROGRAM is None, reason="chromium is not installed"),
]
PICTURES = Path(__file__).parents[2] / "test-output/page"
WIDE, PHONE = (1280, 900), (390, 844)
CHECK = 'grep -n "TODO" $DISCOBOT_CHANGED_FILES /dev/null && exit 1; echo clean'
DOCSTRINGS = ("name: No to-dos", "type: file", "pattern: '*.py'")
FAILS_THEN_PASSES = (
    write("greet.py", "# TODO greet\n"),
    {"text": "Written."},
    write("greet.py", "print('hello')\n", expect="Hook Failed"),
    {"text": "Mended."},
)
# The agent works until somebody has seen what there is to see
WAITS = {"tool_calls": [{"name": "Bash", "input": {"command": "until test -e go.ran; do sleep 0.05; done"}}]}


def visit(page: Browser, serving: Serving, query: str = "", **options: Any) -> None:
    """Opens the page and waits until it is live and knows its hooks."""
    given = f"{'&' if serving.token else '?'}{query}" if query else ""
    page.open(serving.address + given, **options)
    page.until("document.getElementById('connection').dataset.state === 'live'")
    page.until("document.getElementById('hook-count').innerText !== ''")


def send(page: Browser, words: str) -> None:
    page.click("#prompt")
    page.type(words)
    page.press("Enter")


def verdict(page: Browser, state: str) -> str:
    """Waits for the state at the top of the page; its words."""
    page.until(f"document.getElementById('verdict').dataset.state === {json.dumps(state)}")
    return page.text("#verdict-line")


def test_a_stranger_sees_which_hook_fails_on_what_and_why_and_then_that_it_passes(
    serving: Serving, page: Browser
) -> None:
    """A turn, its failed file hook, the re-prompt and the mending, live on the page."""
    serving.hook("todo.sh", *DOCSTRINGS, body=CHECK)
    serving.hook("other.sh", "name: Spelling", "type: file", "pattern: '*.md'")
    failing, told, mending, done = FAILS_THEN_PASSES
    serving.start(failing, told, {**WAITS, "expect": mending["expect"]}, {**mending, "expect": ""}, done)
    visit(page, serving)
    assert verdict(page, "unknown") == "– 2 hooks known, none has run yet"
    send(page, "write greet.py")
    assert verdict(page, "failed") == "✗ 1 hook fails: No to-dos"
    page.shows("#failures", "greet.py:1:# TODO greet")
    page.shows("#failures", "The agent was told to fix it (attempt 1 of 3).")
    assert page.text("#failures .failure-head").split("\n")[0].startswith("No to-dos · exit 1")
    assert page.text("#failures .files") == "greet.py"
    page.shows(".card", "Hook failed: No to-dos")
    page.shows(".card .said", "greet.py:1:# TODO greet")
    page.shows("li[data-hook=todo]", "failed, runs again")
    page.picture(PICTURES / "failed.png")
    (serving.root / "go.ran").touch()
    assert verdict(page, "passed") == "✓ Nothing fails: 1 hook passed"
    page.shows(".card .badge", "passes now")
    page.until("[...document.querySelectorAll('.message .text')].map(p => p.innerText).at(-1) === 'Mended.'")
    assert page.text("#hook-count") == "1 of 2 passed"
    page.until("document.querySelectorAll('.turn').length === 2")
    page.until("document.querySelector('.turn .tail.passed')")
    pictured = page.see("[...document.querySelectorAll('.turn svg.picture')].map(svg => svg.ariaLabel)")
    assert "No to-dos failed" in pictured[1] and "nothing failed" in pictured[0]
    page.picture(PICTURES / "passed.png")
    assert page.errors == []


def test_an_answer_streams_in_and_a_guard_is_named_at_the_call_it_stopped(
    serving: Serving, page: Browser
) -> None:
    guard = "grep -q 'rm -rf' && { echo 'no forced deletes' >&2; exit 2; } || exit 0"
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": guard}]}]}
    serving.program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    command = {"name": "Bash", "input": {"command": "rm -rf build"}}
    serving.start({"text": "I clear it.", "tool_calls": [command]}, WAITS, {"text": "Refused."})
    visit(page, serving)
    send(page, "clear the build folder")
    page.shows("#activity", "The agent works")
    page.until("document.querySelector('.tool')?.dataset.state === 'stopped'")
    page.shows(".tool .state", "stopped by")
    (serving.root / "go.ran").touch()
    page.shows("#messages", "Refused.")
    page.shows(".tool", "no forced deletes")
    page.until("document.querySelector('.bar.stopped')")
    page.until("document.getElementById('announcer').textContent === 'Agent: Refused.'")
    page.until("document.getElementById('activity').innerText === ''")
    assert page.see("document.querySelectorAll('.message').length") == 2
    visit(page, serving)
    page.until("document.querySelector('.tool')?.dataset.state === 'stopped'")


def test_hooks_that_ran_side_by_side_are_drawn_and_told_so(serving: Serving, page: Browser) -> None:
    """Two hooks of one event, each waiting until the other has begun."""
    meet = "touch {0}.ran; for n in $(seq 3000); do test -e {1}.ran && exit 0; sleep 0.02; done; exit 1"
    hooks = [{"type": "command", "command": meet.format(*names)} for names in ("ab", "ba")]
    settings = {"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": hooks}]}}
    serving.program.write(".claude/settings.json", json.dumps(settings))
    serving.start(write("a.py", "1"), {"text": "ok"})
    visit(page, serving)
    send(page, "go")
    page.until("document.querySelectorAll('.turn .tail.passed').length === 2")
    page.click("#timeline summary")
    rows = page.see(
        "[...document.querySelectorAll('.turn tbody tr')].map(r => [...r.children].map(c => c.innerText))"
    )
    listed = json.loads(serving.program("list", "--json").stdout)
    names = [f"claude PreToolUse Write {hook['id'].rpartition(':')[2]}" for hook in listed]
    assert [(row[0], row[5]) for row in rows] == [(names[0], names[1]), (names[1], names[0])]
    bars = page.see(
        "[...document.querySelectorAll('.bar.passed')].map(b => [+b.getAttribute('x'), +b.getAttribute('width')])"
    )
    (x, wide), (other, other_wide) = bars
    assert x < other + other_wide and other < x + wide


def test_a_hooks_output_never_becomes_markup(serving: Serving, page: Browser) -> None:
    """Names, files and output of a hostile hook stay text, on the page and in the viewer."""
    bad = "<img src=x onerror=window.owned=1><script>window.owned=1</script>"
    body = f"printf '%s\\n' '{bad}' '\033[31mred\033[0m'; exit 1"
    serving.hook("bad.sh", f"name: '{bad}'", "type: file", "pattern: '*'", "notify_llm: false", body=body)
    serving.start(write(f"<b onclick=x>{os.getpid()}.txt", "x"), {"text": bad})
    visit(page, serving)
    send(page, bad)
    verdict(page, "failed")
    page.shows("#failures pre", bad)
    page.shows("#failures", "The agent is not told about this hook.")
    page.shows("#messages", bad)
    page.click("#failures button")
    page.shows("#viewer-output", bad)
    assert page.text("#viewer-output").rstrip().endswith("red")
    page.until("document.querySelector('.turn .tail.failed')")
    made = (
        "document.querySelectorAll('#messages img, #messages script, #failures img, #viewer img, .side img')"
    )
    assert page.see(f"{made}.length") == 0
    assert page.see("window.owned ?? null") is None
    assert page.see("document.querySelectorAll('script').length") == 1
    assert page.errors == []


def test_the_viewer_is_worked_by_keyboard_alone(serving: Serving, page: Browser) -> None:
    """Opened with Enter, searched, closed with Escape; the focus is back where it was."""
    lines = "; ".join(f"echo line {n} of it" for n in range(1, 31))
    serving.hook("long.sh", "name: Long", "type: file", "pattern: '*.py'", "notify_llm: false", body=lines)
    serving.start(write("a.py", "1"), {"text": "ok"})
    visit(page, serving)
    send(page, "go")
    verdict(page, "passed")
    for _ in range(40):
        page.press("Tab")
        if page.focused == "Output Long":
            break
    assert page.focused == "Output Long"
    page.press("Enter")
    page.until("document.getElementById('viewer').open && document.querySelectorAll('.line').length === 30")
    assert page.focused == "Output with line numbers"
    numbers = page.see("[...document.querySelectorAll('.line .number')].map(each => each.dataset.number)")
    assert numbers == [str(n) for n in range(1, 31)]
    page.press("Tab", shift=True)
    while page.focused != "viewer-search":
        page.press("Tab", shift=True)
    page.type("LINE 2")
    page.shows("#viewer-matches", "1 of 11")
    page.press("Enter")
    page.shows("#viewer-matches", "2 of 11")
    assert page.see("document.querySelector('mark.current').parentElement.textContent") == "line 20 of it"
    page.press("Enter", shift=True)
    page.press("Enter", shift=True)
    page.shows("#viewer-matches", "11 of 11")
    page.picture(PICTURES / "viewer.png")
    page.press("Escape")
    page.until("!document.getElementById('viewer').open")
    assert page.focused == "Output Long"


def test_a_hook_is_paused_resumed_and_run_again_from_the_page(serving: Serving, page: Browser) -> None:
    serving.hook("todo.sh", *DOCSTRINGS, "notify_llm: false", body="test -e ok || { echo no ok; exit 1; }")
    serving.start(write("a.py", "1"), {"text": "ok"})
    visit(page, serving)
    page.click("#pause-all")
    page.shows("#pause-all", "Resume all")
    assert verdict(page, "paused").startswith("‖ All hooks are paused")
    assert serving.status["executionPaused"] is True
    send(page, "go")
    page.shows("#messages", "ok")
    serving.idle()
    assert serving.status["pendingHooks"] == ["todo"]
    page.click("#pause-all")
    verdict(page, "failed")
    page.shows("#failures pre", "no ok")
    (serving.root / "ok").write_text("")
    page.click("li[data-hook=todo] button[aria-label='Run again No to-dos']")
    verdict(page, "passed")
    page.until("!document.querySelector('li[data-hook=todo] [aria-busy]')")
    page.click("li[data-hook=todo] button[aria-label='Pause No to-dos']")
    page.until("document.querySelector('li[data-hook=todo]').dataset.state === 'paused'")
    assert serving.status["hooks"]["todo"]["executionPaused"] is True
    page.click("li[data-hook=todo] button[aria-label='Run again No to-dos']")
    page.shows("#hook-problem", "paused")


def test_the_page_comes_back_by_itself_when_the_server_does(serving: Serving, page: Browser) -> None:
    """The conversation goes on, shown once, and what the hooks are owed is still there."""
    serving.hook("todo.sh", *DOCSTRINGS, "notify_llm: false", body=CHECK)
    place = ("--port", lasting_port())
    serving.start(write("a.py", "TODO"), {"text": "first"}, options=("--no-token", *place))
    visit(page, serving)
    send(page, "go")
    verdict(page, "failed")
    serving.idle()
    serving.stop(9)
    page.until("document.getElementById('connection').dataset.state === 'lost'")
    serving.start({"text": "second life"}, options=("--no-token", *place))
    page.until("document.getElementById('connection').dataset.state === 'live'")
    assert page.text("#verdict-line") == "✗ 1 hook fails: No to-dos"
    send(page, "hello again")
    page.shows("#messages", "second life")
    serving.idle()
    shown = "[...document.querySelectorAll('.message.you .text')].map(each => each.innerText)"
    assert page.see(shown) == serving.texts("user") == ["go", "hello again"]


def test_a_page_left_open_says_that_a_new_server_wants_its_token(serving: Serving, page: Browser) -> None:
    place = ("--port", port := lasting_port())
    serving.start({"text": "one"}, options=place)
    visit(page, serving)
    serving.stop(9)
    serving.start({"text": "two"}, options=place)
    page.shows("#connection", "the server wants its token")
    page.open(f"http://127.0.0.1:{port}/")
    page.shows("main", "open http://…/?token=…")
    page.click("#token")
    page.type(serving.token)
    page.press("Enter")
    page.until("document.getElementById('connection')?.dataset.state === 'live'")
    assert serving.token not in page.see("location.href")


def test_a_second_message_is_refused_while_the_agent_works_and_stop_ends_it(
    serving: Serving, page: Browser
) -> None:
    """The words stay in the field."""
    serving.start({"text": "late", "delay": 60}, {"text": "next"})
    visit(page, serving)
    send(page, "first")
    page.shows("#activity", "The agent works")
    send(page, "second")
    page.shows("#send-problem", "still works on the last message")
    assert page.see("document.getElementById('prompt').value") == "second"
    page.click("#stop")
    page.until("document.getElementById('activity').innerText === ''")
    page.click("#send")
    page.shows("#messages", "next")
    assert page.see("document.getElementById('send-problem').hidden") is True


def test_a_page_opened_late_shows_the_same_as_one_that_was_there(serving: Serving, page: Browser) -> None:
    serving.hook("todo.sh", *DOCSTRINGS, body=CHECK)
    serving.start(*FAILS_THEN_PASSES)
    visit(page, serving)
    send(page, "write greet.py")
    verdict(page, "passed")
    page.until("document.getElementById('activity').innerText === ''")
    page.shows(".card .badge", "passes now")
    live = page.see("[...document.querySelectorAll('#messages article')].map(each => each.textContent)")
    visit(page, serving)
    page.shows(".card .badge", "passes now")
    assert live == page.see(
        "[...document.querySelectorAll('#messages article')].map(each => each.textContent)"
    )


def test_a_hook_that_may_not_run_is_named_with_what_to_do(serving: Serving, page: Browser) -> None:
    serving.hook("todo.sh", *DOCSTRINGS, body=CHECK)
    serving.start({"text": "ok"}, HOOKLINE_TRUST="")
    visit(page, serving)
    words = verdict(page, "paused")
    assert words == "! Not trusted, so not run: No to-dos."
    assert page.text("#verdict-next") == "Review here, or with hookline trust."
    assert "does not run" in page.text("li[data-hook=todo]")


def test_after_three_attempts_the_page_says_that_it_is_up_to_the_user(
    serving: Serving, page: Browser
) -> None:
    """Three cards, and who is to act now."""
    serving.hook("todo.sh", *DOCSTRINGS, body="echo never good; exit 1")
    serving.start(*[turn for n in range(4) for turn in (write("a.py", str(n)), {"text": f"try {n}"})])
    visit(page, serving)
    send(page, "go")
    page.shows("#failures", "The agent was told three times; now it is up to you.")
    page.shows("#messages", "still failed after 3 attempts")
    assert page.see("document.querySelectorAll('.card').length") == 3
    page.click("#timeline summary")
    page.shows("#timeline table", "No to-dos")
    assert page.focused == "1 run in words"


def test_plan_only_changes_nothing(serving: Serving, page: Browser) -> None:
    serving.start(write("a.py", "1"), {"text": "planned"})
    visit(page, serving)
    page.click("#plan")
    send(page, "go")
    page.shows("#messages", "planned")
    assert not (serving.root / "a.py").exists()


def test_a_very_long_output_is_shown_from_its_end_and_searched(serving: Serving, page: Browser) -> None:
    """The viewer has the last 200 KiB; the download all of it."""
    body = "seq -f 'line %.0f is here' 1 20000; exit 1"
    serving.hook("long.sh", "name: Long", "type: file", "pattern: '*.py'", "notify_llm: false", body=body)
    serving.start(write("a.py", "1"), {"text": "ok"})
    visit(page, serving)
    send(page, "go")
    verdict(page, "failed")
    page.shows("#failures pre", "line 20000 is here")
    page.click("#failures button")
    page.shows("#viewer-facts", "download the log for all")
    page.click("#viewer-search")
    page.type("line 19999 ")
    page.shows("#viewer-matches", "1 of 1")
    link = page.see("document.getElementById('viewer-download').getAttribute('href')")
    assert serving.ask("GET", link).content.startswith(b"line 1 is here\n")


def test_another_session_has_its_own_conversation(serving: Serving, page: Browser) -> None:
    serving.start({"text": "to the other"})
    visit(page, serving, "session=other")
    send(page, "hello")
    page.shows("#messages", "to the other")
    assert serving.texts("user", "/default/sessions/other/chat") == ["hello"]
    assert serving.texts("user") == []


def test_a_token_opens_the_page_once_and_a_cookie_keeps_it_open(serving: Serving, page: Browser) -> None:
    serving.start({"text": "ok"}, options=("--token", "s3cret"))
    page.open(f"http://127.0.0.1:{serving.port}/?token=s3cret")
    page.until("document.getElementById('connection').dataset.state === 'live'")
    assert "s3cret" not in page.see("location.href + document.cookie")
    send(page, "hello")
    page.shows("#messages", "ok")


ROLES = {"banner", "main", "complementary", "region", "log", "form", "heading", "textbox", "status"}
CONTRAST = """(() => {
  const light = (c) => { const v = c.map(x => (x /= 255) <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const numbers = (c) => c.match(/[\\d.]+/g).map(Number);
  const back = (e) => { for (; e; e = e.parentElement) {
    const c = numbers(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c.slice(0, 3); }
    return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (!e.checkVisibility() || e.closest('.hidden, .skip, noscript')) continue;
    const svg = e instanceof SVGElement;
    if (svg && e.tagName !== 'text') continue;
    const ink = numbers(getComputedStyle(e)[svg ? 'fill' : 'color']).slice(0, 3);
    const [a, b] = [light(ink), light(back(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.push(`${e.tagName} ${e.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return bad; })()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_readable_on_any_screen_and_by_a_screen_reader(
    serving: Serving, page: Browser, scheme: str
) -> None:
    """Landmarks and names for all there is, contrast of 4.5, and no sideways scrolling at 390 pixels."""
    serving.hook("todo.sh", *DOCSTRINGS, body=CHECK)
    serving.hook("other.sh", "name: Spelling", "type: file", "pattern: '*.md'")
    long = "src/" + "a_very_long_folder_name/" * 6 + "greet.py"
    turns = [
        write(long, "# TODO greet\n"),
        {"text": "Written. " * 30},
        {"text": "I think about it.", "delay": 60},
    ]
    serving.start(*turns)
    visit(page, serving, width=WIDE[0], height=WIDE[1], scheme=scheme)
    send(page, "write greet.py")
    verdict(page, "failed")
    page.shows("#failures", "The agent was told")
    page.until("document.querySelector('.turn .tail.failed')")
    page.picture(PICTURES / f"wide-{scheme}.png")
    tree = page.tree()
    assert {node["role"] for node in tree} >= ROLES
    assert page.violations() == []
    assert page.see(CONTRAST) == []
    page.size(*PHONE)
    page.until("innerWidth === 390")
    page.until("document.querySelector('.turn svg').getBoundingClientRect().right <= 390")
    assert page.see("document.documentElement.scrollWidth") == 390
    page.see("scrollTo(0, 0)")
    page.picture(PICTURES / f"phone-{scheme}.png")
    page.click("#failures button")
    page.until("document.querySelectorAll('.line').length === 1")
    box = page.see(
        "(({left, right}) => [left, right])(document.getElementById('viewer').getBoundingClientRect())"
    )
    assert box[0] >= 0 and box[1] <= 390
    page.picture(PICTURES / f"phone-viewer-{scheme}.png")
    assert page.errors == []


def test_a_run_is_stopped_from_the_page(serving: Serving, page: Browser) -> None:
    serving.hook("slow.sh", "name: Slow one", "type: file", "pattern: '*.py'", body="sleep 300")
    serving.start(write("a.py", "1"), {"text": "Written."})
    visit(page, serving)
    send(page, "write it")
    page.click("li[data-hook=slow] button[aria-label='Stop Slow one']")
    page.until("document.querySelector('li[data-hook=slow]').dataset.state === 'pending'")
    page.until(
        "!document.querySelector('li[data-hook=slow] button[aria-label=\"Run again Slow one\"]').hidden"
    )
    serving.idle()
    assert page.errors == []


def test_everything_comes_from_the_server_itself_and_by_its_stream(serving: Serving, page: Browser) -> None:
    """Works offline, and asks for nothing while nothing happens: no timer of the page asks the server."""
    serving.hook("todo.sh", *DOCSTRINGS, body=CHECK)
    serving.start(*FAILS_THEN_PASSES)
    visit(page, serving)
    send(page, "write greet.py")
    verdict(page, "passed")
    assert {address.split("/")[2] for address in page.requests} == {f"127.0.0.1:{serving.port}"}
    for folder, _, names in os.walk(Path(chromium.__file__).parents[2] / "src/hookline/web/static"):
        for name in names:
            text = (Path(folder) / name).read_text()
            assert "innerHTML" not in text and "insertAdjacentHTML" not in text and "eval(" not in text
    policy = serving.ask("GET", "/", Accept="text/html").headers["content-security-policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy

    def is_quiet() -> bool:
        asked = len(page.requests)
        page.see("new Promise(done => setTimeout(done, 2500))")
        return len(page.requests) == asked

    assert any(is_quiet() for _ in range(5))
