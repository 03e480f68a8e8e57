"""The page says what is so: of hooks as they are on disk, of every guard, of how and whether a hook ran."""

from __future__ import annotations

import json
import re

import pytest
from tests.web import browser as chromium
from tests.web.browser import Browser
from tests.web.serving import Serving, write
from tests.web.test_page import CHECK, DOCSTRINGS, PHONE, PICTURES, send, verdict, visit

pytestmark = [
    pytest.mark.skipif(chromium.PROGRAM is None, reason="chromium is not installed"),
]
GUARD = "grep -q 'rm -rf' && { echo 'no forced deletes' >&2; exit 2; } || exit 0"
UNTRUSTING = {"HOOKLINE_TRUST": ""}


def guards(serving: Serving, *hooks: tuple[str, str]) -> None:
    """PreToolUse hooks of Claude Code's settings: (matcher, command) each."""
    rows = [{"matcher": matcher, "hooks": [{"type": "command", "command": line}]} for matcher, line in hooks]
    serving.program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": rows}}))


def trust(serving: Serving) -> None:
    assert serving.program("trust", "--yes", environment=UNTRUSTING).returncode == 0


def test_an_open_list_of_guards_stays_open_while_their_file_is_written(
    serving: Serving, page: Browser
) -> None:
    guards(serving, ("Bash", GUARD))
    serving.start({"text": "ok"})
    visit(page, serving)
    page.click("#guards summary")
    page.shows("#guards li", "on Bash")
    serving.program.write(".claude/settings.json", "")
    page.until("!document.querySelector('#guards li')", "the list is gone")
    guards(serving, ("Edit", GUARD))
    page.shows("#guards li", "on Edit")


def test_a_trusted_hook_that_was_changed_does_not_run_and_says_so_at_once(
    serving: Serving, page: Browser
) -> None:
    """Live, without a reload; also after a turn in which it should have run, and until it is accepted."""
    serving.hook("fmt.sh", "name: Fmt", "type: file", "pattern: '*.py'", body="exit 0")
    trust(serving)
    serving.start(write("a.py", "1"), {"text": "done"}, **UNTRUSTING)
    visit(page, serving)
    assert verdict(page, "unknown") == "– 1 hook known, none has run yet"
    serving.hook("fmt.sh", "name: Fmt", "type: file", "pattern: '*.py'", body="exit 1")
    assert verdict(page, "paused") == "! Not trusted, so not run: Fmt."
    page.shows("li[data-hook=fmt] .state", "changed since it was trusted, does not run")
    send(page, "go")
    page.shows("#messages", "done")
    serving.idle()
    for _ in range(2):
        page.until("document.getElementById('activity').innerText === ''")
        assert verdict(page, "paused") == "! Not trusted, so not run: Fmt."
        page.until("document.querySelector('.turn')")
        visit(page, serving)
    assert serving.get("/hooks/state")["hooks"][0]["trust"] == "modified"
    trust(serving)
    page.shows("li[data-hook=fmt] .state", "runs after your next message")
    assert verdict(page, "pending") == "○ Runs after your next message: Fmt"


def test_guards_of_every_agent_that_do_not_run_are_named_at_the_top(serving: Serving, page: Browser) -> None:
    guards(serving, ("Bash", GUARD), ("Write", "exit 0"))
    serving.program.write(".gen/settings.json", "{ broken")
    command = {"name": "Bash", "input": {"command": "rm -rf build"}}
    skip = ("--untrusted", "skip")
    serving.start({"text": "", "tool_calls": [command]}, {"text": "done"}, options=skip, **UNTRUSTING)
    visit(page, serving)
    words = verdict(page, "failed")
    assert "Not trusted, so not run: claude PreToolUse Bash, claude PreToolUse Write." in words
    assert "Broken, so never run: .gen/settings.json" in words
    page.shows("#guards", "claude · PreToolUse 2 hooks, 2 need you")
    page.shows("#hook-count", "3 hooks")
    send(page, "clear it")
    page.shows("#messages", "done")
    trust(serving)
    serving.program.write(".gen/settings.json", "{}")
    assert verdict(page, "unknown") == "– 2 hooks of claude; none of them fails"


def test_the_panel_counts_what_the_guards_denied(serving: Serving, page: Browser) -> None:
    guards(serving, ("Bash", GUARD))
    command = {"name": "Bash", "input": {"command": "# tidy\nrm -rf build"}}
    look = {"name": "Bash", "input": {"command": "ls"}}
    serving.start(
        *[{"text": "", "tool_calls": [command]}] * 2, {"text": "ok"},
        {"text": "", "tool_calls": [look, look]}, {"text": "seen"},
    )  # fmt: skip
    visit(page, serving)
    send(page, "clear it")
    page.shows(".tool .subject", "# tidy⏎rm -rf build")
    page.shows(".tool .state", "stopped by claude PreToolUse Bash")
    page.shows("#guards summary", "claude · PreToolUse 1 hook, denied 2×")
    page.click("#guards summary")
    page.shows("#guards li", "guard")
    page.shows("#guards li", "on Bash · .claude/settings.json:1 · 2 runs · denied 2×")
    assert page.see("document.querySelector('#guards a').getAttribute('href')").startswith(
        "/records#/hooks/claude"
    )
    guards(serving, ("Bash", "echo no config >&2; exit 1"))
    page.shows("#guards li", "has not run")
    send(page, "look")
    words = "✗ Failed when last asked: claude PreToolUse Bash."
    assert verdict(page, "failed") == words, "a guard that fails lets pass what it should judge"
    page.shows("#guards li", "no config")
    page.shows(".note[data-times='2']", "failed with exit 1 (only exit 2 blocks): no config")
    assert page.see("document.title") == "✗ claude PreToolUse Bash – hookline"


def test_the_output_of_a_hook_that_runs_is_followed(serving: Serving, page: Browser) -> None:
    """Line by line, with a clock; the panel's row has one too."""
    wait = "until test -e {}; do sleep 0.05; done"
    body = f"echo first line; {wait.format('two')}; echo second line; {wait.format('end')}"
    serving.hook("slow.sh", "name: Slow", "type: file", "pattern: '*.py'", body=body)
    serving.start(write("a.py", "1"), {"text": "ok"})
    visit(page, serving)
    send(page, "go")
    page.until("document.querySelector('li[data-hook=slow]').dataset.state === 'running'")
    page.until("/^running for \\d/.test(document.querySelector('li[data-hook=slow] .state').innerText)")
    page.click("li[data-hook=slow] button")
    page.shows("#viewer-output", "first line")
    page.until("/^runs now, for /.test(document.getElementById('viewer-facts').innerText)")
    clock = page.text("#viewer-facts")
    page.until(f"document.getElementById('viewer-facts').innerText !== {json.dumps(clock)}")
    assert "second line" not in page.text("#viewer-output")
    (serving.root / "two").write_text("")
    page.shows("#viewer-output", "second line")
    (serving.root / "end").write_text("")
    page.shows("#viewer-facts", "last run: success · exit code 0")
    asked = len(page.requests)
    page.see("new Promise(done => setTimeout(done, 1500))")
    assert [each for each in page.requests[asked:] if each.endswith("/output")] == []


def test_a_failure_that_is_only_told_again_is_not_shown_as_a_run(serving: Serving, page: Browser) -> None:
    """One run, three cards, of which two say that nothing was run; and when it will run again."""
    serving.hook("todo.sh", *DOCSTRINGS, body="echo never good; exit 1")
    serving.hook("z.sh", "name: Behind", "type: file", "pattern: '*.py'")
    serving.start(write("a.py", "1"), {"text": "one"}, {"text": "two"}, {"text": "three"}, {"text": "four"})
    visit(page, serving)
    send(page, "go")
    page.shows("#failures", "The agent was told three times; now it is up to you.")
    page.until("document.getElementById('activity').innerText === ''")
    page.shows("li[data-hook=todo] .state", "failed; runs after your next message")
    page.shows("li[data-hook=todo]", "1 run, 1 failed")
    page.shows("li[data-hook=z] .state", "waits behind No to-dos, which failed")
    cards = page.see("[...document.querySelectorAll('.card')].map(card => card.innerText)")
    assert ["not run again" in card for card in cards] == [False, True, True]
    assert "Told again: No to-dos" in cards[1] and "Hook failed" not in cards[1]
    page.until("document.querySelectorAll('.turn').length === 4")
    page.shows("#timeline", "No hook ran: nothing had changed, so the agent was told the same again.")
    assert "to mend what No to-dos found" in page.text("#timeline")
    (serving.root / ".discobot/hooks/todo.sh").unlink()
    page.shows("li[data-hook=todo] .state", "no longer there")
    assert page.text("#verdict-line") == "○ Runs after your next message: Behind"
    assert page.text("#failures") == ""


def test_after_a_stop_what_is_owed_waits_for_the_next_message(serving: Serving, page: Browser) -> None:
    serving.hook("slow.sh", "name: Slow", "type: file", "pattern: '*.py'", body="sleep 60")
    serving.start(write("a.py", "1"), {"text": "ok"})
    visit(page, serving)
    send(page, "go")
    page.until("document.querySelector('li[data-hook=slow]').dataset.state === 'running'")
    page.click("#stop")
    assert verdict(page, "pending") == "○ Runs after your next message: Slow"


def test_a_time_out_and_a_failed_start_are_no_exit_codes(serving: Serving, page: Browser) -> None:
    serving.hook(
        "late.sh",
        "name: Late",
        "type: file",
        "pattern: '*.py'",
        "timeout: 200ms",
        "notify_llm: false",
        body="sleep 60",
    )
    serving.start(write("a.py", "1"), {"text": "ok"}, write("b.md", "1"), {"text": "ok"})
    visit(page, serving)
    send(page, "go")
    verdict(page, "failed")
    page.shows("#failures", "Late · timed out")
    page.shows("li[data-hook=late]", "timed out")
    page.until("document.querySelector('.turn table')")
    page.click("#timeline summary")
    page.shows("#timeline table", "timed out")
    shown = page.text("#verdict") + page.text(
        ".columns"
    )  # above them stands the port, which may be any number
    assert not re.search("124(?! ms)", shown)
    (serving.root / ".discobot/hooks/late.sh").unlink()
    front = "# name: Lost\n# type: file\n# pattern: '*.md'\n# notify_llm: false"
    text = f"#!/no/such/program\n#---\n{front}\n#---\n"
    serving.program.write(".discobot/hooks/lost.sh", text, 0o755)
    send(page, "again")
    page.shows("#failures", "Lost · could not start")
    assert "127" not in page.text("#failures")
    visit(page, serving)
    page.shows("#failures", "Lost · could not start")


def test_one_long_word_does_not_break_a_phone(serving: Serving, page: Browser) -> None:
    long = "a_hook_with_a_name_that_never_ends_" * 8
    serving.hook(
        "long.sh", f"name: {long}", "type: file", "pattern: '*.py'", "notify_llm: false", body="exit 1"
    )
    guards(serving, (long, GUARD))
    serving.start(write("a.py", "1"), {"text": long})
    visit(page, serving, width=PHONE[0], height=PHONE[1])
    send(page, long)
    verdict(page, "failed")
    page.until("document.querySelector('.turn .tail.failed')")
    assert page.see("document.documentElement.scrollWidth") == 390
    page.click("#guards summary")
    assert page.see("document.documentElement.scrollWidth") == 390
    page.picture(PICTURES / "phone-long.png")


def test_two_hundred_hooks_have_a_filter_and_the_failed_one_first(serving: Serving, page: Browser) -> None:
    for number in range(200):
        serving.hook(f"h{number:03}.sh", f"name: Hook {number}", "type: file", f"pattern: 'f{number}.py'")
    serving.hook(
        "z-bad.sh", "name: Bad one", "type: file", "pattern: '*.md'", "notify_llm: false", body="exit 1"
    )
    serving.start(write("a.md", "1"), {"text": "ok"})
    visit(page, serving)
    page.shows("#hook-count", "0 of 201 passed")
    send(page, "go")
    verdict(page, "failed")
    page.until("document.querySelector('#hooks li').dataset.hook === 'z-bad'")
    page.click("#hook-filter")
    page.type("hook 117")
    page.shows("#hook-found", "1 of 201")
    assert page.see("document.querySelectorAll('#hooks li').length") == 1


def test_line_numbers_are_those_of_the_whole_output(serving: Serving, page: Browser) -> None:
    body = "seq -f 'line %.0f is here' 1 20000; echo; echo error at the end; exit 1"
    serving.hook("long.sh", "name: Long", "type: file", "pattern: '*.py'", "notify_llm: false", body=body)
    serving.start(write("a.py", "1"), {"text": "ok"})
    visit(page, serving)
    send(page, "go")
    verdict(page, "failed")
    page.click("#failures button")
    page.shows("#viewer-facts", "download the log for all")
    first = page.see(
        "(line => [line.querySelector('.number').dataset.number, line.textContent])(document.querySelector('.line'))"
    )
    assert first[1] == f"line {first[0]} is here"
    page.until(
        "(box => box.scrollTop + box.clientHeight >= box.scrollHeight - 60)(document.getElementById('viewer-output'))"
    )
    page.click("#viewer-error")
    page.click("#viewer-wrap")
    page.until("document.getElementById('viewer-output').classList.contains('unwrapped')")


ANSWER = """# Done

I changed **two** files, see [the docs](https://example.com/a_b):

- `a.py` has *one* thing
- b_c_d stays

```python
x = 1 * 2 * 3
<script>window.owned = 1</script>
```

1. first
2. second <img src=x onerror=window.owned=1> [bad](javascript:window.owned=1)
"""


def test_answers_are_read_as_markdown_and_never_as_markup(serving: Serving, page: Browser) -> None:
    serving.start({"text": ANSWER})
    visit(page, serving)
    send(page, "what did you do? **not bold**")
    page.shows(".markdown h4", "Done")
    for _ in range(2):
        assert page.text(".markdown strong") == "two"
        assert page.text(".markdown em") == "one"
        assert page.text(".markdown pre code") == "x = 1 * 2 * 3\n<script>window.owned = 1</script>"
        shapes = page.see("[...document.querySelectorAll('.markdown > *')].map(each => each.tagName)")
        assert shapes == ["H4", "P", "UL", "PRE", "OL"]
        link = page.see("[...document.querySelectorAll('.markdown a')].map(a => [a.href, a.rel])")
        assert link == [["https://example.com/a_b", "noopener noreferrer"]]
        assert "b_c_d" in page.text(".markdown ul") and "[bad](javascript:" in page.text(".markdown ol")
        assert page.text(".message.you .text") == "what did you do? **not bold**"
        assert page.see("window.owned ?? null") is None
        visit(page, serving)
        page.shows(".markdown h4", "Done")
    assert page.errors == []


def test_letters_that_turn_the_reading_direction_are_seen(serving: Serving, page: Browser) -> None:
    serving.hook(
        "x.sh",
        "name: 'safe\u202eexe.hs'",
        "type: file",
        "pattern: '*'",
        "notify_llm: false",
        body="printf 'a\\342\\200\\256b'; exit 1",
    )
    serving.start(write("a\u2066b.py", "1"), {"text": "say\u202etxt"})
    visit(page, serving)
    send(page, "go")
    assert verdict(page, "failed") == "✗ 1 hook fails: safe⟨U+202E⟩exe.hs"
    page.shows("#failures .said", "a⟨U+202E⟩b")
    page.shows("#failures .files", "a⟨U+2066⟩b.py")
    page.shows("#messages", "say⟨U+202E⟩txt")
    page.click("#failures button")
    page.shows("#viewer-output", "a⟨U+202E⟩b")
    assert not page.see("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent)")


def test_why_a_turn_failed_stays_after_a_reload(serving: Serving, page: Browser) -> None:
    serving.start({"error": "the model is overloaded"}, {"text": "fine"})
    visit(page, serving)
    send(page, "go")
    for _ in range(2):
        page.shows("#messages .problem", "overloaded")
        assert "✗ The last turn failed" in verdict(page, "failed") and "overloaded" in page.text(
            "#verdict-line"
        )
        visit(page, serving)
    page.shows("#timeline", "overloaded")


def test_a_pause_says_who_did_it_and_a_draft_survives_a_reload(serving: Serving, page: Browser) -> None:
    serving.hook("todo.sh", *DOCSTRINGS, body=CHECK)
    serving.start({"text": "one"})
    serving.ask("PATCH", "/hooks/execution", {"paused": True})
    visit(page, serving)
    assert (
        verdict(page, "paused")
        == "‖ All hooks are paused by a program, over HTTP; what changes meanwhile is owed to them."
    )
    page.shows("li[data-hook=todo] .state", "paused by a program, over HTTP")
    page.click("#pause-all")
    page.shows("#pause-all", "Pause all")
    page.click("#pause-all")
    page.until(
        "/paused by the page (just now|[0-9]+ (s|min) ago)/.test("
        "document.querySelector('li[data-hook=todo] .state').innerText)"
    )
    page.click("#prompt")
    page.type("not sent yet")
    visit(page, serving)
    assert page.see("document.getElementById('prompt').value") == "not sent yet"


def test_the_first_page_has_a_hook_to_begin_with(serving: Serving, page: Browser) -> None:
    serving.start({"text": "one"})
    visit(page, serving)
    assert verdict(page, "unknown").startswith("No hooks here yet")
    page.click("#verdict-next summary")
    text = page.text("#verdict-next pre")
    serving.program.write(".discobot/hooks/todo.sh", text + "\n", 0o755)
    page.shows("li[data-hook=todo]", "No to-dos")
    assert verdict(page, "unknown") == "– 1 hook known, none has run yet"
