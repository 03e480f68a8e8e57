"""What readers of code make: commands and lines of plain text, and strings without their escapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hookline.model.record import replace
from hookline.shell.reading import Argv, Code, Hole, Inner, Parts, Script, Word, glued
from hookline.system.patterns.late import late

Reads = Callable[[str, str], Iterator[Inner]]  # of a text, and of how it came to be run
OF_CODE = "${of_code}"  # what stands for a value of the code in a string of its own


def opaque(how: str) -> Argv:
    """Says that nobody can see what runs there."""
    return argv(how, "python:opaque")


def argv(how: str, *words: str) -> Argv:
    """A command of plain words."""
    return Argv(tuple(Word((word,)) for word in words), how)


def lost(how: str) -> Code:
    """Says that it runs as a command what nobody can follow."""
    return Code(Word((Hole("words", f"`{how}` runs what it makes up itself"),)), how)


def code(text: str, how: str) -> Code:
    """A line for a shell."""
    return lost(how) if text.lstrip().startswith(OF_CODE) else Code(Word((text,)), how)


def each_way(text: Word) -> list[Word]:
    """Code with the first of the values that each of its parts may have, with the second of each, and so on."""
    most = max(len(hole.choices) for hole in text.holes if hole.only)
    return [
        Word(glued(given for part in text.parts for given in _valued(part, at)), text.start, text.end)
        for at in range(most)
    ]


def _valued(part: str | Hole, at: int) -> Parts:
    """One of the values of a part that has several, the last where there are fewer."""
    if isinstance(part, str) or not (part.only and part.choices):
        return (part,)
    return tuple(
        replace(each, choices=(), only=False) if isinstance(each, Hole) else each
        for each in part.choices[min(at, len(part.choices) - 1)].parts
    )


def unescaped(text: str) -> str:
    """A string's text with its escapes resolved, as most languages have them."""
    if "\\" not in text:
        return text
    return re.sub(
        r"\\(x\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)",
        _escape,
        text,
        flags=re.DOTALL,
    )


def _escape(found: re.Match[str]) -> str:
    word = found[1]
    if word[0] in "xu" and len(word) > 1:
        number = int(word[1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else word
    if word[0] in "01234567":
        return chr(int(word, 8))
    return {"n": "\n", "t": "\t", "r": "\r", "\n": ""}.get(word, word)


def joined(words: Sequence[Word]) -> Word:
    """Words as one text, with blanks between."""
    parts = [part for place, word in enumerate(words) for part in ((" ",) if place else ()) + word.parts]
    return Word(glued(parts), words[0].start if words else 0, words[-1].end if words else 0)


def quoted(word: Word) -> Word:
    """The word as code; what is not known of it stays as it is."""
    parts = [part if isinstance(part, Hole) else _as_quoted(part) for part in word.parts or ("",)]
    return Word(tuple(parts), word.start, word.end)


def _as_quoted(text: str) -> str:
    return text if re.fullmatch(r"[\w./:@%+=,-]+", text) else "'" + text.replace("'", "'\\''") + "'"


def split_words(word: Word, marks: str = "") -> tuple[Word, ...]:
    """A value's words, as a program that splits it at blanks, and at these marks, would have them."""
    if word.literal is None:
        return (word,)
    texts = re.split(rf"[\s{re.escape(marks)}]+", word.literal)
    return tuple(Word((text.strip("'\""),), word.start, word.end) for text in texts if text)


def split_quoted(word: Word) -> tuple[Word, ...]:
    """The words of a text with quotes."""
    try:
        import shlex

        return tuple(Word((text,), word.start, word.end) for text in shlex.split(word.literal or ""))
    except ValueError:
        return (word,)


_NO_TEXT = (
    r"(?:[CMS]-.+|\^.|F\d+|Up|Down|Left|Right|Home|End|Escape|BSpace|BTab|DC|IC|NPage|PPage|PageUp|PageDown)"
)
_KEYS = {"Space": " ", "Tab": " ", "Enter": "\n", "KPEnter": "\n", "C-m": "\n", "C-j": "\n"}


def typed(words: Sequence[Word]) -> Word:
    """What tmux types: names of keys are those keys, and other words follow each other without blanks."""
    parts = [part for word in words for part in ((_key(word.literal),) if word.literal else word.parts)]
    return Word(glued(parts), words[0].start if words else 0, words[-1].end if words else 0)


def _key(text: str) -> str:
    return _KEYS.get(text) or ("\n" if re.fullmatch(_NO_TEXT, text) else text.replace("\\n", "\n"))


def entry_point(value: Word) -> tuple[Word, ...]:
    """A program, a line with its arguments, or a list of them as JSON: `["sh", "-c", "x"]`."""
    text = value.literal or ""
    if text.startswith("["):
        import json

        try:
            return tuple(Word((str(each),), value.start, value.end) for each in json.loads(text))
        except (ValueError, RecursionError):
            return (value,)
    return split_quoted(value) if " " in text else (value,)


# What clients of databases and clouds take away, by the names of their calls.
_CLEARS = late(
    r"\.(?:flush(?:all|db|All|Db)|(?:delete|drop)(?:Database|Index|Collection)|clear(?:Objects|Index)|clear_objects|delete_(?:index|collection)|drop_(?:database|collection)|delete_(?:bucket|objects?|table|stack"
    r"|db_\w+|function|cluster|volume|snapshot|user|role|queue|topic|secret|repository|hosted_zone|log_group"
    r"|instances?)|terminate_instances|schedule_key_deletion)\s*\(|\.(?:delete(?:Bucket|Objects|Table|Stack|DB\w{1,40}|HostedZone|LogGroup)|delete_(?:repo|namespace|namespaced_\w{1,40}|container)|terminateInstances|pruneVolumes)\s*\(|\b(?:Delete(?:Bucket|Objects?|Table|Stack|DB\w{1,40}"
    r"|Function|Cluster|Volume|Snapshot|User|Role|Queue|Topic|Secret|Repository)|TerminateInstances)Command\s*\("
    r"|\.(?:destroy|delete)_all\b|\.objects(?:\.\w{1,40}\([^()]*\)){1,5}\.delete\(\)|\.delete(?:Many|_many)\(\s*(?:\{\s*\})?\s*\)|\.update(?:Many|_many)\(\s*\{\s*\}\s*,"
    r"|\.(?:drop_all|drop_table|dropTable|dropAllTables)\s*\(|\b[A-Z]\w{0,40}::(?:query\(\)->)?(?:truncate|delete|forceDelete)\(\)",
    0,
    (
        "flush",
        "elete",
        ".update",
        "drop",
        "clear",
        "terminate",
        "prune",
        "schedule_",
        "Terminate",
        "destroy",
        "truncate",
    ),
)
_CLEARS_BY = (
    ("boto3", r"\.delete\s*\(\s*\)"),
    ("stripe", r"\.(?:delete|del)\s*\("),
    ("google.cloud", r"\.delete\s*\("),
    ("azure.", r"\.(?:begin_)?delete\w*\s*\("),
    ("lasticsearch", r"\.indices\.delete\s*\("),
    ("Github(", r"\.delete\s*\(\s*\)"),
    (
        "ctokit",
        r"\.repos\.delete\w*\s*\(|\.deleteRef\s*\(|\.request\(\s*['\"`]DELETE\b|\.delete(?:Package|Repo|Release)\w*\s*\(",
    ),
    ("docker", r"\bvolumes?\b[^;]{0,200}\.(?:remove|prune)\s*\("),
)
_FORCES = late(r"\.push\(\s*['\"][^()]{0,100},\s*[\[{][^\]()]{0,60}['\"](?:--force|-f)['\"]", 0, (".push(",))
_FORKS = late(
    r"\bfork\s*+(?:\(\s*+\)\s*+)?(?:while\b|for\s+\w+\s+in\s+i(?:ter\(int|tertools\.))"
    r"|\b(?:while|until|loop)\b[^;\n]{0,40}[:{)\s]\s*+(?:\w+\.)?(?:pcntl_)?fork\b",
    0,
    ("fork",),
)


# What AppleScript has the Finder, or System Events, do: `delete every item of folder "x" of home`.
_OF_FINDER = (
    r"\(?\s*(?:(?:POSIX\s+file|alias|(?:disk\s+)?(?:file|folder|item)s?|every|all|of|the|contents|document)\s+){1,5}"
    r"\"([^\"]+)\"(\s+of\s+home)?"
)
_FINDER = late(
    rf"\b(?P<verb>delete|move|duplicate)\s+{_OF_FINDER}(?:\)?\s+to\s+{_OF_FINDER})?",
    needs=("delete", "move", "duplicate"),
)
# `delete every item of home`, which AppleScript has the Finder do; and a process of Rust's.
_FINDER_ALL = late(
    r"\bdelete\s+(?:every|all|the|entire|items?|files?|folders?|contents|of|\s){1,12}\b(home|desktop|startup)\b",
    0,
    ("delete",),
)
_STARTED = late(
    r"\bCommand::new\(\s*\"[^\"\n]+\"\s*\)(?:\s*\.args?\((?:\[[^\]()]*\]|&?\[?[^()]*)\))*",
    0,
    ("Command::new",),
)


# All variables at once, but not handed on to a program (`env=os.environ`), and what tells a host.
_PRINTS = late(r"\b(?:print|puts|console\.\w+|pprint|echo|p)\b")
_HANDED_ON = late(
    r"\benv\s*[=:]\s*(?:dict\(|\{\s*(?:\*\*|\.\.\.))?\s*(?:os\.environ|process\.env)",
    0,
    ("environ", "process.env"),
)
_ALL_VARIABLES = late(
    r"(?<!in )\bos\.environ\b(?!\s*\[|\.(?:get|setdefault|pop|update)\b)|(?<![=\s]\s)"
    r"\bprocess\.env\b(?!\s*(?:\?\.|[.\[]))"
    r"|\bin os\.environ\.(?:items|copy|values)\b"
    r"|\bENV\.(?:to_h|to_a|inspect|map|each|collect)\b|%ENV\b|\bgetenv\(\s*\)|\bos\.Environ\(\)|\bDeno\.env\.toObject",
    0,
    ("environ", "process.env", "ENV", "getenv", "Environ", "Deno"),
)
_TELLS = late(
    r"\b(?:requests|httpx|axios|client|session)\.(?:post|put|patch|get|request)\b|\burlopen\b|\bfetch\s*\(|\bNet::HTTP\b|\bLWP\b"
    r"|\bhttps?\.(?:request|get)\b|\bhttp\.Post|\bcurl_|['\"]https?://|\bsendall\b|\bTCPSocket\b|\bfsockopen\b"
)


_KEY = late(
    r"(?:\b(?:os\.environ(?:\.get)?|(?:os\.)?getenv|process\.env|ENV(?:\.fetch)?|Deno\.env\.get|Bun\.env)[(\[.]\s*|\$ENV\{|\$_ENV\[)"
    r"['\"]?([A-Z][A-Z0-9_]*_(?:TOKEN|KEY|SECRET|PASSWORD|PAT|URL))\b",
    0,
    ("environ", "getenv", "process.env", "ENV", "Deno", "Bun"),
)
_PRINTS_SECRET = late(
    r"\b(?:print|pprint|puts|echo|console\.\w+)\b[^\n;]{0,300}\b(?:get_password|get_secret_value|access_secret_version"
    r"|read_secret_version|GetSecretValueCommand|getSecretValue|accessSecretVersion)\s*\(",
    0,
    ("ecret", "get_password"),
)
# Files that code loads, which are read where the line writes them.
_LOADS = late(
    r"(?:\b(?:require(?:_relative|_once)?|include(?:_once)?|load(?:file|string)?|dofile|do|import|from|run_path)\b\s*\(?"
    r"|\bexec\(\s*open\()\s*['\"`]([\w@./-]{1,200})['\"`]",
    0,
    ("require", "include", "load", "import", "from", "run_path", "exec(", "do"),
)
_HOST = late(r"\bhttps?://[^\s'\"`/?#(){}$<>,;\\]+")


def of_any_language(text: str, how: str) -> Iterator[Inner]:
    """What code does whatever language it is in: it empties what a service holds, or starts itself without end."""
    if _CLEARS.search(text) or any(module in text and re.search(call, text) for module, call in _CLEARS_BY):
        yield argv(how, "python:clears")
    if _FORCES.search(text):
        yield argv(how, "git", "push", "--force")
    for found in _FINDER.finditer(text):
        paths = [f"~/{found[at]}" if found[at + 1] else found[at] for at in (2, 4) if found[at]]
        words = {"delete": ("rm", "-rf"), "move": ("mv",), "duplicate": ("cp", "-r")}[found["verb"]]
        yield argv(how, *words, *paths)
    for found in _FINDER_ALL.finditer(text):
        yield argv(how, "rm", "-rf", {"home": "~", "startup": "/"}.get(found[1], f"~/{found[1].title()}"))
    for found in _STARTED.finditer(text):
        yield argv(how, *re.findall(r"\"([^\"]*)\"", found[0]))
    for path in dict.fromkeys(_LOADS.findall(text)):
        if "." in path or "/" in path or "_relative" in text:
            names = (path,) if "." in path.rpartition("/")[2] else (f"{path}.*", f"{path}/index.*")
            for name in names:
                language = "python-file" if name.endswith(".py") else "script-file"
                yield Script(Word((name,)), f"{how} ({name})", language=language)
    if _PRINTS_SECRET.search(text):
        yield argv(how, "keyring", "get")
    if _FORKS.search(text):
        yield lost(how)
    keys = [
        Word((Hole("word", "a variable of outside", f"${name}", outside=True),))
        for name in _KEY.findall(text)
    ]
    hosts = set(_HOST.findall(text)) if keys and _TELLS.search(text) else ()
    if len(hosts) == 1:  # of several, nobody knows which one is told
        yield Argv((Word(("python:tells",)), Word((hosts.pop(),)), *keys), how)
    if _ALL_VARIABLES.search(_HANDED_ON.sub("", text)):
        if _TELLS.search(text):
            yield argv(how, "python:discloses")
        if _PRINTS.search(text):
            yield argv(how, "printenv")
            yield from (argv(how, "python:read", ".env") for _ in range("dotenv" in text))
