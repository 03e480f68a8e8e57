"""Sessions of the turn host among all others."""

from __future__ import annotations

import json

from tests.web.serving import Serving


def test_conversations_of_the_server_are_listed_as_its_own(serving: Serving) -> None:
    """Each with its first prompt; they can be shown and gone on with, also after the server's end."""
    serving.start({"text": "one"}, {"text": "two"})
    serving.say("look   at\nthis")
    serving.idle()
    serving.say("and " + "x" * 60, "/default/sessions/other/chat")
    serving.idle("/default/sessions/other/chat")
    serving.stop()
    listed = json.loads(serving.program("sessions", "list", "--json").stdout)
    assert [(each["id"], each["args"], each["status"], each["title"]) for each in listed] == [
        ("other", ["serve"], "kept", "and " + "x" * 60), ("default", ["serve"], "kept", "look at this"),
    ]  # fmt: skip
    rows = serving.program("sessions", "list").stdout.splitlines()[2:]
    assert [row.split()[:3] for row in rows] == [["other", "serve", "kept"], ["default", "serve", "kept"]]
    assert f"and {'x' * 35}…" in rows[0] and "look at this" in rows[1]
    assert "title            look at this" in serving.program("sessions", "show", "default").stdout
