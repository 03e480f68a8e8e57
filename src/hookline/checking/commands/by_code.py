"""Scripts that code in a line starts, by a path it puts together of a folder's variable and names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from hookline.checking.lines import Started
from hookline.system.patterns.late import late

_QUOTE = r"\\?[\"'`]"
_STARTED = late(
    r"\b(?P<by>runpy\.run_path|exec\(\s*open|require|import)\(\s*"
    r"(?:(?:os\.)?path|require\(\s*['\"](?:node:)?path['\"]\s*\))\.(?:join|resolve)\(\s*"
    rf"(?:os\.environ\[\s*{_QUOTE}(?P<python>\w+){_QUOTE}\s*\]|os\.(?:environ\.get|getenv)\(\s*{_QUOTE}(?P<got>\w+){_QUOTE}[^()]*\)"
    rf"|process\.env\.(?P<node>\w+))\s*(?P<names>(?:,\s*{_QUOTE}[\w./-]+{_QUOTE}\s*)+)\)",
    needs=("run_path", "exec(", "require(", "import("),
)
_NAME = late(r"[\w./-]+")


def by_code(text: str, folders: Mapping[str, str]) -> Iterator[Started]:
    """The files that `runpy.run_path`, `exec(open(…))`, `require` and `import` are given."""
    for found in _STARTED.finditer(text):
        folder = folders.get(found["python"] or found["got"] or found["node"])
        names = _NAME.findall(found["names"])
        if folder:
            path, by = os.path.join(folder, *names), "node" if found["node"] else "python3"
            yield Started(path, "/".join(names), os.path.relpath(path, folder), True, False, True, by)
