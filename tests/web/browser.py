"""A real headless Chromium, driven over a pipe by its own protocol; nothing but the standard library."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import axe_core_python
import pytest
from tests.waiting import DEADLINE_S

AXE = Path(axe_core_python.__file__).parent / "axe.min.js"
PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# A row that `content-visibility` has never drawn, or has scrolled away, has no text: until the next frame not one has.
READ_WHOLE = """(() => {
    const sheets = [...document.adoptedStyleSheets];
    const whole = new CSSStyleSheet();
    whole.replaceSync("* { content-visibility: visible !important }");
    document.adoptedStyleSheets = [...sheets, whole];
    try { return %s; } finally { document.adoptedStyleSheets = sheets; }
})()"""
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--disable-default-apps", "--disable-extensions", "--hide-scrollbars", "--mute-audio",
    "--remote-debugging-pipe",
)  # fmt: skip


class PageError(AssertionError):
    """The page, or the browser, said no."""


class Browser:
    """One browser with one page. `errors` collects what the page's console and policy complain about."""

    def __init__(self, folder: Path) -> None:
        assert PROGRAM is not None
        # It makes sockets there, for which the folder of the tests has too long a name, and being killed leaves them
        self._sockets = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def place() -> None:
            # Chromium reads its orders on descriptor 3 and answers on 4.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        with (folder / "chromium.err").open("w") as said:
            self._process = subprocess.Popen(
                [PROGRAM, *FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                preexec_fn=place,
                pass_fds=(3, 4),
                start_new_session=True,
                env={
                    **os.environ,
                    "HOME": str(folder),
                    "XDG_CONFIG_HOME": str(folder),
                    "TMPDIR": self._sockets.name,
                },
            )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0

    def begin(self) -> None:
        """As if it had just been started: it has no tab, cookie, cache or complaint of before."""
        self._session = ""
        self._tabs: set[str] = set()
        self._context = str(self._order("Target.createBrowserContext")["browserContextId"])
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.tab("about:blank")
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.order(f"{domain}.enable")

    def leave(self) -> None:
        """Closes all tabs, and with them their connections."""
        self._session = ""
        self._order("Target.disposeBrowserContext", browserContextId=self._context)

    @property
    def is_gone(self) -> bool:
        return self._process.poll() is not None

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._sockets.cleanup()

    def tab(self, address: str) -> str:
        """Opens a further tab in front of the others; all that follows is about it, until `front`."""
        self._session = ""
        target = self._order("Target.createTarget", url=address, browserContextId=self._context)["targetId"]
        self._session = str(self._order("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        self._tabs.add(self._session)
        return self._session

    def front(self, tab: str) -> None:
        self._session = tab
        self.order("Page.bringToFront")

    # -- the page ---------------------------------------------------------------------------------------

    def open(self, address: str, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        self.size(width, height)
        self.scheme(scheme)
        self.order("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def size(self, width: int, height: int) -> None:
        self.order(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=width < 500,
        )  # fmt: skip

    def scheme(self, name: str) -> None:
        """light or dark."""
        features = [
            {"name": "prefers-color-scheme", "value": name},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.order("Emulation.setEmulatedMedia", features=features)

    def see(self, expression: str) -> Any:
        """The JSON value of a JavaScript expression; promises are waited for."""
        answer = self.order(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise PageError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def until(self, expression: str, what: str = "") -> Any:
        """The first true value of the expression."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            with contextlib.suppress(PageError):
                found = self.see(expression)
                if found not in (None, False, 0, ""):
                    return found
            time.sleep(0.02)
        text = self.see("document.body.innerText")
        raise PageError(f"{what or expression} did not come true\n{self.errors}\n{text}")

    def text(self, selector: str) -> str:
        """What a reader sees of an element, once it is drawn."""
        found = self.see(READ_WHOLE % f"document.querySelector({json.dumps(selector)})?.innerText ?? null")
        if found is None:
            raise PageError(f"no {selector}")
        return str(found)

    def shows(self, selector: str, words: str) -> None:
        """Waits until the element's text has the words."""
        self.until(f"document.querySelector({json.dumps(selector)})?.innerText.includes({json.dumps(words)})")

    def click(self, selector: str) -> None:
        """A real click in the middle of the element; again when the page moved under it."""
        self.until(f"document.querySelector({json.dumps(selector)})")
        # The page may draw the element anew between two orders, so the document listens, not the element
        self.see(
            f"""window.clicked = false; document.addEventListener("click", function heard(event) {{
            if (!event.target.closest({json.dumps(selector)})) return;
            window.clicked = true; document.removeEventListener("click", heard, true); }}, true)"""
        )
        self._click(selector)
        while not self.see("window.clicked"):
            self._click(selector)

    def _click(self, selector: str) -> None:
        place = self.until(
            f"""(() => {{ const each = document.querySelector({json.dumps(selector)});
            if (!each) return null; each.scrollIntoView({{block: "center"}});
            const box = each.getBoundingClientRect();
            return box.width ? [box.x + box.width / 2, box.y + box.height / 2] : null; }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.order(
                "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1
            )

    def type(self, text: str) -> None:
        self.order("Input.insertText", text=text)

    def press(self, key: str, *, shift: bool = False) -> None:
        code = {"Enter": 13, "Tab": 9, "Escape": 27, " ": 32}[key]
        text = {"Enter": "\r", " ": " "}.get(key)
        fields: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 * shift}
        fields["code"] = "Space" if key == " " else key
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.order("Input.dispatchKeyEvent", **down, **fields)
        self.order("Input.dispatchKeyEvent", type="keyUp", **fields)

    @property
    def focused(self) -> str:
        """The name of the element that has the focus."""
        name = (
            "(a => a.getAttribute('aria-label') || a.id || a.innerText || a.tagName)(document.activeElement)"
        )
        return str(self.see(READ_WHOLE % name))

    def picture(self, path: Path) -> None:
        """What stands there now, for whoever set `HOOKLINE_PICTURES` to look at; no test does."""
        if "HOOKLINE_PICTURES" not in os.environ:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.order("Page.captureScreenshot", format="png")["data"]))

    def tree(self) -> list[dict[str, Any]]:
        """The accessibility tree as (role, name) rows."""
        nodes = self.order("Accessibility.getFullAXTree")["nodes"]
        return [
            {"role": node["role"]["value"], "name": node.get("name", {}).get("value", "")}
            for node in nodes
            if not node.get("ignored") and "role" in node
        ]

    def violations(self, *rules: str) -> list[str]:
        """What axe finds wrong for people who see, hear or point otherwise, by these rules or all: rule, and where."""
        if not self.see("typeof axe === 'object'"):
            self.see(AXE.read_text() + "; true")
        asked = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
        found = self.see(f"axe.run(document, {json.dumps(asked)}).then(all => all.violations)")
        return [
            f"{rule['id']} {node['target']} {node['failureSummary']}"
            for rule in found
            for node in rule["nodes"]
        ]

    # -- the protocol ------------------------------------------------------------------------------------

    def order(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._order(method, **parameters)

    def _order(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        wanted = self._number
        order: dict[str, Any] = {"id": wanted, "method": method, "params": parameters}
        if self._session:
            order["sessionId"] = self._session
        os.write(self._out, json.dumps(order).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == wanted:
                if "error" in message:
                    raise PageError(f"{method}: {message['error']}")
                answer: dict[str, Any] = message["result"]
                return answer
            self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        if message.get("sessionId") not in self._tabs:
            return
        given = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(given["exceptionDetails"])[:800])
            case "Log.entryAdded" if given["entry"]["level"] == "error":
                self.errors.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")
            case "Network.requestWillBeSent":
                self.requests.append(given["request"]["url"])

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + DEADLINE_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            part = os.read(self._in, 1 << 20) if ready else b""
            if not part:
                raise PageError("the browser is gone" if ready else "the browser does not answer")
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Browser]]:
    """Gives the browser of these tests; another one where that has crashed."""
    started: list[Browser] = []

    def given() -> Browser:
        if not started or started[-1].is_gone:
            started.append(Browser(tmp_path_factory.mktemp("browser")))
        return started[-1]

    yield given
    for each in started:
        each.close()


@pytest.fixture
def page(chromium: Callable[[], Browser]) -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("chromium is not installed")
    opened = chromium()
    opened.begin()
    yield opened
    opened.leave()
