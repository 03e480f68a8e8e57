"""`GET /records/decisions/{run}/output`: all that a hook printed, where the decision keeps only its ends."""

from __future__ import annotations

import json
import sqlite3

import pytest
from tests.web import browser as chromium
from tests.web.browser import Browser
from tests.web.serving import Serving

LONG = "seq -f 'line %.0f' 1 300000; echo key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789; exit 1"


def begin(serving: Serving, command: str) -> str:
    """A decision of one hook that printed this, and the page on it; its path."""
    entry = {"hooks": [{"type": "command", "command": command}]}
    serving.program.write(".gen/settings.json", json.dumps({"hooks": {"Stop": [entry]}}))
    serving.program("fire", "Stop")
    serving.launch("page", "--port", "0")
    return "/records/decisions/" + str(serving.get("/records/decisions")["decisions"][0]["run"])


def test_what_was_left_out_of_a_long_output_is_had_whole_and_without_secrets(serving: Serving) -> None:
    path = begin(serving, LONG)
    found = serving.get(path)
    (hook,) = found["hooks"]
    assert hook["truncated"] and found["kept"] == [hook["id"]]
    reply = serving.ask("GET", f"{path}/output?hook={hook['id']}")
    assert (reply.status, reply.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert reply.headers["content-disposition"].startswith("attachment")
    lines = reply.content.decode().splitlines()
    assert [line for line in lines if line.startswith("line ")] == [f"line {n}" for n in range(1, 300_001)]
    assert "sk-ant" not in reply.content.decode()
    assert serving.ask("GET", f"{path}/output?hook=another").status == 404
    assert serving.ask("GET", f"{path}/output").status == 404
    assert serving.ask("GET", f"/records/decisions/none/output?hook={hook['id']}").status == 404


def test_a_file_that_is_no_kept_output_is_not_given_away(serving: Serving) -> None:
    path = begin(serving, "seq 1 100000; exit 1")
    secret = serving.program.write("secret.txt", "mine")
    (hook,) = serving.get(path)["hooks"]
    database = serving.program.home / ".local/state/hookline/history.db"
    with sqlite3.connect(database) as connection:
        text = connection.execute("SELECT object FROM runs").fetchone()[0]
        foreign = text.replace(json.dumps(hook["output_path"]), json.dumps(str(secret)))
        assert foreign != text
        connection.execute("UPDATE runs SET object = ?", (foreign,))
    connection.close()
    assert serving.get(path)["hooks"][0]["output_path"] == str(secret)
    assert serving.get(path)["kept"] == []
    assert serving.ask("GET", f"{path}/output?hook={hook['id']}").status == 404


@pytest.mark.skipif(chromium.PROGRAM is None, reason="chromium is not installed")
def test_the_page_leads_to_the_whole_output(serving: Serving, page: Browser) -> None:
    path = begin(serving, LONG)
    page.open(f"{serving.address}#/decisions/{path.rpartition('/')[2]}")
    page.shows(".streams", "The middle is left out here; all of it is in /")
    link = page.see("document.querySelector('.streams a[download]').getAttribute('href')")
    assert serving.ask("GET", str(link)).content.count(b"\n") > 300_000
    assert page.errors == []
