"""The fields at the top of a Discobot script, read line by line, and the ids of the scripts.

Not YAML: `pattern: *.go`, `pattern: {a,b}.go` and `name: Lint: strict` are ordinary here.
"""

from __future__ import annotations

from hookline.model.record import Record
from hookline.model.typing import Iterable, Literal, Mapping

DELIMITERS = ("---", "#---", "//---")
FALSE_WORDS = frozenset({"false", "no", "off", "n", "0"})

_SCRIPT_ENDINGS = frozenset({"sh", "bash", "zsh", "py", "js", "ts", "rb", "pl", "php"})
_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_QUOTED = r"""(["'])(.*?)\1\s*(?:#.*)?\Z"""
_BYTE_ORDER_MARK = "\ufeff"


class FrontMatter(Record):
    """What stands between the two delimiters. Lines and columns count from 1; 0 means nowhere.

    `state`: "none" (no delimiter on the first line, or on the one after `#!`), "unclosed" (no closing line
    of the same style; the fields up to the first line that cannot be one are kept, for messages only), or
    "found". `line`: of the opening delimiter; `body_line`: the first line after the closing one.
    `reason`: in words, why it is not "found". A later field of the same name wins.
    """

    state: Literal["none", "unclosed", "found"] = "none"
    delimiter: str = ""
    line: int = 0
    fields: Mapping[str, str] = {}
    lines: Mapping[str, int] = {}
    columns: Mapping[str, int] = {}
    body_line: int = 1
    byte_order_mark: bool = False
    reason: str = ""


def parse_frontmatter(text: str) -> FrontMatter:
    """The front matter of a script or a passive service file; never fails.

    A byte order mark and Windows line ends are read over, though a system that is to run the file will stumble over
    both; the mark is reported.
    """
    marked = text.startswith(_BYTE_ORDER_MARK)
    rows = text.removeprefix(_BYTE_ORDER_MARK).split("\n")
    start = 1 if rows[0].startswith("#!") else 0
    opening = rows[start].strip() if start < len(rows) else ""
    if opening not in DELIMITERS:
        reason = "no front matter on the first line after `#!`"
        return FrontMatter(byte_order_mark=marked, reason=reason)
    end = next((i for i in range(start + 1, len(rows)) if rows[i].strip() == opening), 0)
    fields, lines, columns = _fields(
        rows, start + 1, end or _plausible_end(rows, start + 1, opening), opening
    )
    reason = "" if end else _unclosed(rows[start + 1 :], opening)
    return FrontMatter(
        "found" if end else "unclosed", opening, start + 1, fields, lines, columns,
        end + 2 if end else 0, marked, reason,
    )  # fmt: skip


def hook_id(file_name: str) -> str:
    """The id of a script: its name without ending, in `[a-z0-9_-]`; a short hash when nothing is left."""
    stem, dot, ending = file_name.rpartition(".")
    if not dot or ending.lower() not in _SCRIPT_ENDINGS:
        stem = file_name
    text = _id_letters(stem.replace(".", "-")).strip("-")
    return text or _hashed(file_name)


def unique_ids(file_names: Iterable[str]) -> list[str]:
    """An id for each name, in the given order; a repeated one gets its file's ending, such as `lint-py`.

    Stable: it depends on the names alone. Ids that another file has by right are never taken.
    """
    names = list(file_names)
    reserved = set(map(hook_id, names))
    taken: set[str] = set()
    ids = []
    for name in names:
        found = hook_id(name)
        if found in taken:
            found = _free(found, name, taken | reserved)
        taken.add(found)
        ids.append(found)
    return ids


def is_true(value: str) -> bool:
    """The truth of a field such as `notify_llm`: all but YAML's words for false count as true."""
    return value.strip().lower() not in FALSE_WORDS


def _fields(
    rows: list[str], start: int, end: int, delimiter: str
) -> tuple[dict[str, str], dict[str, int], dict[str, int]]:
    """Fields, their lines and their columns, of the rows from `start` to before `end`."""
    prefix = delimiter.removesuffix("---")
    fields: dict[str, str] = {}
    lines: dict[str, int] = {}
    columns: dict[str, int] = {}
    for index in range(start, end):
        row = rows[index].strip()
        row = row.removeprefix(prefix).strip() if prefix else row
        key, colon, value = (part.strip() for part in row.partition(":"))
        if colon and key and not row.startswith("#"):
            fields[key] = _value(value)
            lines[key] = index + 1
            columns[key] = rows[index].find(key) + 1
    return fields, lines, columns


def _plausible_end(rows: list[str], start: int, delimiter: str) -> int:
    """Where unclosed front matter must have ended: the script below it holds no fields."""
    prefix = delimiter.removesuffix("---")
    for index in range(start, len(rows)):
        row = rows[index].strip()
        if not row or not row.startswith(prefix) or row in DELIMITERS:
            return index
    return len(rows)


def _value(text: str) -> str:
    if not text.startswith(('"', "'")):
        return text
    import re

    quoted = re.match(_QUOTED, text)
    return quoted[2] if quoted else text


def _unclosed(rows: list[str], delimiter: str) -> str:
    other = next((row.strip() for row in rows if row.strip() in DELIMITERS), "")
    if other:
        return f"the front matter opened with `{delimiter}` is closed with `{other}`"
    return f"the front matter opened with `{delimiter}` is never closed"


def _free(found: str, name: str, taken: set[str]) -> str:
    ending = _id_letters(name.rpartition(".")[2]) if "." in name else ""
    candidates = (f"{found}-{ending}", f"{found}-{_hashed(name).removeprefix('hook-')}")
    free = [candidate for candidate in candidates[not ending :] if candidate not in taken]
    count = 2
    while not free:
        free = [f"{found}-{count}"] if f"{found}-{count}" not in taken else []
        count += 1
    return free[0]


def _id_letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter in _ID_LETTERS)


def _hashed(name: str) -> str:
    from zlib import crc32

    return f"hook-{crc32(name.encode('utf-8', 'surrogatepass')):08x}"
