"""`hookline docs`: the documentation, in the terminal."""

from __future__ import annotations

import os
import sys

from hookline.cli import common
from hookline.cli.render import table
from hookline.dialects.spelling import suggestion
from hookline.model.errors import HooklineError, UsageError
from hookline.system import files


def run(arguments: list[str]) -> int:
    """Prints a page, or what pages there are."""
    parser = common.parser("docs", "The documentation, in the terminal.", "hookline docs trust")
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="a page (default: list them)")
    options = parser.parse_args(arguments)
    pages = topics()
    if options.topic is None:
        rows = [(name, _title(files.read_text(path).text)) for name, path in sorted(pages.items())]
        sys.stdout.write(table(("topic", "is about"), rows))
        return 0
    if options.topic not in pages:
        hint = suggestion(options.topic, pages, "`hookline docs` lists the pages", before="hookline docs ")
        raise UsageError(f"docs: no page `{options.topic}`", hint)
    _print(files.read_text(pages[options.topic]).text)
    return 0


def _print(text: str) -> None:
    """As it stands, or laid out where somebody looks on and `rich` is installed."""
    if sys.stdout.isatty() and files.environment().get("TERM") != "dumb":
        try:
            from rich.console import Console
            from rich.markdown import Markdown
        except ImportError:
            pass
        else:
            Console().print(Markdown(text))
            return
    sys.stdout.write(text)


def _title(text: str) -> str:
    return next((line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ")), "")


def topics() -> dict[str, str]:
    """Topic to file: of an installed hookline, or beside its sources. `dialects/claude` is `claude`."""
    if (folder := common.beside("docs", "cli.md")) is None:
        raise HooklineError(
            "the documentation is not part of this installation", "read it on the project's site"
        )
    found = {}
    for room in ("", "dialects", "how-to"):
        place = os.path.join(folder, room)
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
            if name.endswith(".md"):
                topic = name.removesuffix(".md")
                found[topic if topic not in found else f"{room}/{topic}"] = os.path.join(place, name)
    return found
