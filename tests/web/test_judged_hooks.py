"""File hooks that a model judges (`engine: ai`), through real turns."""

from __future__ import annotations

import json

from tests.web.serving import Serving, write

STYLE = """---
name: Style
type: file
engine: ai
pattern: "*.py"
{more}---
No bare except; it costs $5.
"""


def verdict(ok: bool, reason: str = "", **more: object) -> dict[str, object]:
    return {"text": json.dumps({"ok": ok, "reason": reason}), **more}


def test_a_model_judges_the_change_and_its_reason_goes_back_to_the_agent(serving: Serving) -> None:
    """A.4: not executable, its text is the instruction; it sees the difference and may read files."""
    serving.program.write(".discobot/hooks/style.md", STYLE.format(more=""))
    serving.start(
        write("a.py", "try: x()\nexcept: pass\n"),
        {"text": "Written."},
        {
            "tool_calls": [{"name": "Read", "input": {"file_path": "a.py"}}],
            "expect": "No bare except; it costs $5.",
        },
        verdict(False, "a.py has a bare except", expect="except: pass"),
        write("a.py", "x()\n", expect='[Discobot Hook Failed] "Style" (pattern: *.py)'),
        {"text": "Mended."},
        verdict(True, expect="+x()"),
    )
    serving.say("write a.py")
    serving.until(lambda: serving.texts("assistant") == ["Written.", "Mended."], "the mending")
    serving.until(lambda: not serving.status["pendingHooks"], "the pass")
    told = serving.texts("user")[1]
    assert "Files: a.py\nExit code: 1\n\nOutput:\na.py has a bare except\n" in told
    assert "+except: pass" in json.dumps(serving.record[2])
    entry = serving.status["hooks"]["style-md"]
    assert (entry["runCount"], entry["failCount"], entry["lastResult"]) == (2, 1, "success")


def test_an_answer_that_is_no_verdict_is_a_failure(serving: Serving) -> None:
    """A.4: anything unparsable counts as failure with notification."""
    serving.program.write(".discobot/hooks/style.md", STYLE.format(more=""))
    serving.start(write("a.py", "x\n"), {"text": "one"}, {"text": "Looks fine to me!"}, {"text": "What?"})
    serving.say("go")
    serving.until(lambda: len(serving.texts("user")) == 2, "the re-prompt")
    assert "Looks fine to me!" in serving.texts("user")[1]


def test_a_silent_judge_tells_only_the_user(serving: Serving) -> None:
    """`notify_llm: false`."""
    serving.program.write(".discobot/hooks/style.md", STYLE.format(more="notify_llm: false\n"))
    serving.start(write("a.py", "x\n"), {"text": "one"}, verdict(False, "no"))
    serving.say("go")
    serving.until(lambda: serving.status["hooks"].get("style-md", {}).get("failCount"), "the failure")
    serving.idle()
    assert (serving.texts("assistant"), serving.status["pendingHooks"]) == (["one"], ["style-md"])
