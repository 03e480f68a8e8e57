"""The OpenAPI document: complete, and true under fuzzing."""

from __future__ import annotations

import subprocess
import sys

from tests.web.serving import Serving

from hookline.web.app import ROUTES
from hookline.web.openapi import document


def test_every_route_is_described() -> None:
    described = {(path, method) for path, item in document(False)["paths"].items() for method in item}
    served = {
        (route.path.replace(":path}", "}"), method.lower())
        for route in ROUTES
        for method in (route.methods or ())
        if method != "HEAD" and not route.path.startswith("/static")
    }
    assert described == served


def test_the_server_keeps_to_its_description(serving: Serving) -> None:
    """Any input: no server error, no status, media type or body that is not described.

    The session routes are the chat routes again, and a stream has no end.
    """
    serving.hook("go.sh", body="true")
    serving.start({"text": "one"})
    done = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{serving.port}/openapi.json",
            "--exclude-path-regex", "/stream$|/sessions/", "--max-examples", "5", "--seed", "1",
            "--phases", "examples,coverage,fuzzing", "--request-timeout", "60", "--no-color",
            "--header", f"Authorization: Bearer {serving.token}",
        ],
        capture_output=True,
        text=True,
        cwd=serving.program.home,
        env={**serving.program.environment, "SCHEMATHESIS_HOOKS": ""},
        timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "500" not in serving.talk
