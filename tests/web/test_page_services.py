"""Services on the page, in a real browser."""

from __future__ import annotations

from tests.web.browser import Browser
from tests.web.services import WebService
from tests.web.serving import Serving

ROW = "#services li[data-service=web]"


def test_a_service_is_started_opened_and_stopped_from_the_page(serving: Serving, page: Browser) -> None:
    """A.3.3; the link leads to the service's own origin, also where a token is wanted."""
    web = WebService(serving, "<p>service page</p>", path="/page")
    serving.program.write(".discobot/services/db", "---\nname: <b>Database</b>\n---\n")
    serving.start({"text": "one"}, options=("--token", "secret"))
    page.open(f"http://127.0.0.1:{serving.port}/?token=secret")
    page.shows(ROW, "stopped")
    assert page.see(f"document.querySelector('{ROW} a')") is None
    assert "<b>Database</b> run by others" in " ".join(page.text("#services").split())
    page.click(f"{ROW} button")
    page.shows(ROW, "Stop")
    assert page.see("document.activeElement.getAttribute('aria-label')") == "Stop Web"
    link = page.see(f"document.querySelector('{ROW} a').href")
    assert link == f"http://127.0.0.1:{serving.port}/services/web/http/page"
    page.click(f"{ROW} button")
    page.until(f"document.querySelector('{ROW} button').textContent === 'Start'")
    page.shows(ROW, "stopped")
    page.click(f"{ROW} button")
    page.shows(ROW, "Stop")
    page.open(link)
    page.shows("p", "service page")
    assert page.see("location.origin") == f"http://web.localhost:{serving.port}"
    web.held.close()


def test_without_services_there_is_no_panel(serving: Serving, page: Browser) -> None:
    serving.start({"text": "one"}, options=("--no-token",))
    page.open(f"http://127.0.0.1:{serving.port}/")
    page.until("document.querySelector('#connection').dataset.state === 'live'")
    assert page.see("document.querySelector('#services-panel').hidden") is True
    assert page.errors == []
