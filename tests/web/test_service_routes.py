"""Services of a workspace over real HTTP: real processes, started, followed and stopped."""

from __future__ import annotations

import signal

import pytest
from tests.waiting import wait_until_gone
from tests.web.serving import Serving


def service(serving: Serving, name: str, *fields: str, body: str = "sleep 60", mode: int = 0o755) -> None:
    front = "\n".join(f"# {field}" for field in fields)
    text = f"#!/bin/sh\n#---\n{front}\n#---\n{body}\n"
    serving.program.write(f".discobot/services/{name}", text, mode)


def test_services_are_listed_by_order_with_their_state(serving: Serving) -> None:
    """A.3.3: ids as of hooks; front matter alone is a passive service."""
    service(serving, "web.sh", "name: Web", "order: 2", "http: 3000", "path: /app")
    serving.program.write(".discobot/services/db", "---\nname: Database\norder: 1\n---\n")
    service(serving, "off.sh", "name: Off", mode=0o644)
    serving.start({"text": "one"}, options=("--no-token",))
    found = serving.get("/services")["services"]
    assert [(each["id"], each["name"], each["passive"], each["status"]) for each in found] == [
        ("db", "Database", True, "stopped"), ("web", "Web", False, "stopped"),
    ]  # fmt: skip
    assert (found[1]["http"], found[1]["urlPath"]) == (3000, "/app")


def test_a_service_runs_until_it_is_stopped_with_all_its_processes(serving: Serving) -> None:
    """A.3.1: 202, 409 while it runs, 400 and 404; its output as events, then `[DONE]`."""
    service(serving, "web.sh", "name: Web", body="echo up; echo $$ > pid.ran; sleep 60 & wait")
    serving.program.write(".discobot/services/db", "---\nname: Database\n---\n")
    serving.start({"text": "one"}, options=("--no-token",))
    assert serving.ask("POST", "/services/web/stop").json == {"error": "service_not_running"}
    begun = serving.ask("POST", "/services/web/start")
    assert (begun.status, begun.json["status"]) == (202, "starting")
    assert serving.ask("POST", "/services/web/start").status == 409
    assert serving.ask("POST", "/services/db/start").json == {"error": "service_is_passive"}
    assert serving.ask("POST", "/services/none/start").status == 404
    events = serving.stream("/services/web/output")
    first = next(events)[2]
    assert (first["type"], first["data"]) == ("stdout", "up\n")
    assert serving.get("/services")["services"][1]["status"] == "running"
    pid = serving.root / "pid.ran"
    serving.until(lambda: pid.exists() and pid.read_text().strip(), "the pid")
    assert serving.ask("POST", "/services/web/stop").status == 200
    rest = [data for _, _, data in events]
    assert (rest[-2]["type"], rest[-1]) == ("exit", "[DONE]")
    wait_until_gone(int(pid.read_text()))
    kept = serving.program.home / ".config/discobot/services/output/web.out"
    assert kept.read_text() == "up\n"


@pytest.mark.parametrize(
    ("signalled", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_services_end_with_the_server(serving: Serving, signalled: int, code: int) -> None:
    """HUP comes when the terminal is closed."""
    service(serving, "web.sh", "name: Web", body="echo $$ > pid.ran; sleep 60")
    serving.start({"text": "one"}, options=("--no-token",))
    serving.ask("POST", "/services/web/start")
    pid = serving.root / "pid.ran"
    number = int(serving.until(lambda: pid.exists() and pid.read_text().strip(), "the start"))
    assert serving.stop(signalled) == code
    wait_until_gone(number)
