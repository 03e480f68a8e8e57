"""The documentation as a site: it builds without a warning, and says all that the program can do."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from hookline.checking.codes import known_codes
from hookline.cli.commands import COMMANDS
from hookline.cli.hooks.schema import schema_of
from hookline.dialects import names
from hookline.model.events import EventKind

ROOT = Path(__file__).parent.parent


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found.update(value for name, value in attrs if name == "href" and value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "out"
    command = [sys.executable, "-m", "tools.site", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def words(site: Path) -> str:
    """What the pages say, without markup."""
    pages = (page.read_text() for page in site.rglob("*.html"))
    return html.unescape(re.sub(r"<[^>]+>", "", "\n".join(pages)))


@pytest.mark.timeout(600)
def test_every_page_is_reachable_from_the_first(site: Path) -> None:
    seen: set[Path] = set()
    waiting = [site / "index.html"]
    while waiting:
        page = waiting.pop()
        if page in seen or not page.is_file():
            continue
        seen.add(page)
        links = Links()
        links.feed(page.read_text())
        for link in links.found:
            if not re.match(r"[a-z]+:", link):
                target = (page.parent / link.partition("#")[0]).resolve()
                waiting.append(target / "index.html" if target.is_dir() else target)
    pages = {page for page in site.rglob("*.html") if page.name != "404.html"}
    assert pages - seen == set()


@pytest.mark.timeout(600)
def test_every_command_event_and_code_is_on_it(words: str) -> None:
    commands = [name for name in COMMANDS if f"hookline {name}" not in words]
    events = [kind.value for kind in EventKind if kind != EventKind.NoSuchEvent and kind.value not in words]
    codes = [name for name in known_codes() if name not in words]
    assert (commands, events, codes) == ([], [], [])


@pytest.mark.timeout(600)
def test_every_key_of_every_config_is_on_it(words: str) -> None:
    missing = {name: sorted(key for key in keys(schema_of(name)) if key not in words) for name in names()}
    assert {name: found for name, found in missing.items() if found} == {}


@pytest.mark.timeout(600)
def test_the_schemas_stand_at_their_addresses(site: Path) -> None:
    for name in names():
        found = json.loads((site / "schemas/1" / f"{name}.json").read_text())
        assert found["$id"].endswith(f"/schemas/1/{name}.json")


def keys(schema: Any) -> set[str]:
    """The names of all properties, at any depth."""
    found: set[str] = set()
    if isinstance(schema, dict):
        properties = schema.get("properties")
        found.update(properties if isinstance(properties, dict) else ())
        for value in schema.values():
            found |= keys(value)
    elif isinstance(schema, list):
        for value in schema:
            found |= keys(value)
    return found
