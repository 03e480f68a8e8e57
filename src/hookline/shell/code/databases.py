"""What statements of databases do, and what is sent to a server that obeys it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.code.pieces import Reads, argv, code
from hookline.shell.reading import Inner, Script, Word
from hookline.system.patterns.late import late

_SQL_SHELL = late(
    r"(?m)^[^\S\n]*+(?:\\!|(?:\.sh(?:el?l?)?|\.sy(?:st?e?m?)?|shell|system|platform\s+shell)\s|!"
    r"|(?:\.(?:out(?:put)?|once|log)|\\[owg])\s*['\"]?\|)\s*(.+)$"
)
_SQL_PROGRAM = late(r"\b(?:FROM|TO)\s+PROGRAM\s+'((?:[^']|'')*)'", re.IGNORECASE)
_SQL_DROPS = late(
    r"\bdrop\s+(?:database|schema|table|keyspace|index|view|role|user|collection|owned|column|tablespace|warehouse"
    r"|materialized\s+view|sequence|partition|measurement|series|bucket|retention\s+policy|stream|topic|graph)\b"
    r"|\bremove\s+(?:table|database|namespace)\b|\bfor\s+\w+\s+in\s+\w+\s+remove\b|\b(?:detach\s+delete|match\s*\([^)]*\)\s*delete)\b|\btruncate\s+(?:table\s+)?\w"
    r"|\balter\s+table\s+[\w.\"`]+\s+(?:delete\b|drop\s+(?:partition|part)\b)|\bdelete\s+from\s+[\w.\"`\[\]]+\s*(?:;|$|\"|where\s+(?:true|\(?1\s*=\s*1\)?)\s*(?:;|$|\"))|\bupdate\s+[\w.\"`\[\]]+\s+set\b(?![^;]*\bwhere\b)|\.drop(?:Database)?\(|\.(?:run|admin)Command\(\s*\{\s*[\"']?drop|\.(?:deleteMany|remove)\(\s*\{\s*\}\s*[,)]|\.updateMany\(\s*\{\s*\}\s*,|\.dropUser\(|\._drop(?:Database)?\(|\bflush(?:all|db)\b|(?m:^)[^\S\n]*+\.restore\s|(?:^|;)\s*+(?:drop|truncate)(?:_all)?\s+'",
    re.IGNORECASE,
)
_SQL_FILE = late(
    r"^[^\S\n]*+(?:(?P<to>\.(?:output|once|log|save|backup|clone)|\\[ow]|tee)|\.(?:read|import|restore)|\\ir?|source|\\copy\s[^;\n]{0,200}?\sfrom)"
    r"\s++(?:-\S++\s++)*(?:main\s++)?['\"]?(?P<path>[^\s'\"|;]++)",
    re.MULTILINE,
)
_SQL_SOURCED = late(r"^[^\S\n]*+(?:\.read|\\ir?|source)\s++['\"]?([^\s'\"|;]++)", re.MULTILINE)
_SQL_NAMED = late(
    r"\b(?:(?P<to>writefile\(|into\s+(?:out|dump)file\b|copy\b[^;]{0,300}?\bto\b)"
    r"|readfile\(|load_file\(|\bfile\(|infile\b|pg_read_file\(|read_\w+\(|copy\b[^;]{0,300}?\bfrom\b)\s*'(?P<path>[^']+)'",
    re.IGNORECASE,
)
_SQL_VALUES = late(
    r"(?i)(?:\b(?:like|ilike)|=|<>|~\*?)\s*'[^']*'|\b(?:values|in)\s*\([^()]*\)"
    r"|\bselect\b[^';()]{0,200}'[^']*'(?!\s*\|\|)"
)
_SQL_OF_TESTS = late(r"(?i)\bdrop\s+database\s+(?:if\s+exists\s+)?[\"`]?(?:test|test_\w+|\w+_test)\b")
_SQL_RUNS_TEXT = late(
    r"(?i)\\gexec|\b(?:prepare|exec(?:ute)?|sp_executesql)\b"
)  # so that no text is a mere value
# Where one may begin in what is sent: a line, or a field that is called so (`query=…`, `"statement": "…"`).
_STATEMENT = late(
    r"(?im)(?:^|[?&\"',{]\s*+(?:query|q|sql|statement|stmt)[\"']?\s*+[=:]\s*+[\"']?|^(?:query|q|sql|statement|stmt)=)"
    r"[^\S\n]*+(?=(\S.{0,400}))(?!(?:query|q|sql|statement|stmt)=)"
)
_VERB = late(r"(?i)(?:drop|truncate|delete|update|match|for|remove)\b")
_ORDER = late(
    r"(?i)flush_?(?:all|db)\b|(?:disable|shutdown|del)\s+(?:server|frontend|sessions?|backend)\b|DELETE\s+/\S"
    r"|config\s+set\s+dir\b|debug\s+segfault\b|shutdown(?:\s+(?:no)?save)?\s*$"
)


def commands_of_sql(text: str, how: str) -> Iterator[Inner]:
    """Files and programs that statements, and commands of a client, name, and whether they take data away."""
    for found in _SQL_SHELL.finditer(text):
        yield code(found[1], how)
    for found in re.finditer(r"^\s*(?:python|script)\s+(.+)", text, re.DOTALL):  # of gdb and lldb
        from hookline.shell.code.python_code import commands_of_python

        yield from commands_of_python(found[1], how)
    for found in re.finditer(
        r"\b(?:call|print|p)\s[^;\n]{0,40}?\bsystem\s*\(\s*\"([^\"]*)\"", text
    ):  # of gdb
        yield code(found[1], how)
    for found in re.finditer(r"(?<![.\w])run(?:(?:NonMongo)?Program)?\(([^()]*)\)", text):  # of mongo
        yield argv(how, *re.findall(r"[\"']([^\"']*)[\"']", found[1]))
    for found in _SQL_PROGRAM.finditer(text):
        yield code(found[1].replace("''", "'"), how)
    for found in (*_SQL_FILE.finditer(text), *_SQL_NAMED.finditer(text)):
        yield argv(how, "python:write" if found["to"] else "python:read", found["path"])
    for found in _SQL_SOURCED.finditer(text):
        yield Script(Word((found[1],)), f"{how} ({found[1]})", language="sql-file")
    if _drops(text):
        yield argv(how, "python:discard")


def _drops(text: str) -> bool:
    text = _SQL_OF_TESTS.sub("", re.sub(r"/\*[^*]*+\*/", " ", text))
    return _SQL_DROPS.search(text if _SQL_RUNS_TEXT.search(text) else _SQL_VALUES.sub("", text)) is not None


def sent_to_databases(text: str, how: str) -> Iterator[Inner]:
    """What `nc`, `curl -d` and their like send to a server that obeys: a statement, or an order that is a line."""
    if "%" in text or "+" in text:
        from urllib.parse import unquote_plus

        text = unquote_plus(text)
    for found in _STATEMENT.finditer(text):
        if _ORDER.match(found[1]) or (_VERB.match(found[1]) and _drops(found[1])):
            yield argv(how, "python:discard")
            return


READERS: dict[str, Reads] = {
    "sql": commands_of_sql,
    "sql-file": commands_of_sql,
    "orders": sent_to_databases,
}
