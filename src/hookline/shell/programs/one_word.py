"""Which values nobody knows are at least one word, and no option, or the variables of a file."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.shell.plain import NAME, letters_end
from hookline.shell.programs.table import Row
from hookline.shell.reading import Hole, Word
from hookline.system.patterns.late import late

# What prints one plain word, which is no option.
_PRINT_ONE = (
    "id", "whoami", "nproc", "date", "uname", "hostname", "arch", "pwd", "mktemp", "git rev-parse", "git describe",
    "git branch --show-current", "brew --prefix",
)  # fmt: skip
_MORE = frozenset("|;&<>()`$")
_FINDS_PROGRAM = late(
    r"[$`(]+\s*(?:(?:which|command -v|type -P)\s+[\w.+-]+\s*(?:2>\s*/dev/null\s*)?)"
    r"(?:\|\|\s*(?:which|command -v|type -P)\s+[\w.+-]+\s*(?:2>\s*/dev/null\s*)?)*[)`]$",
    0,
    ("which", "command", "type"),
)
# Names as clusters and containers have them, of which none is an option or a rule's word.
_NAMES = late(
    r"[$`(]+(?:(?:kubectl|oc)\s+(?:-\S+\s+\S+\s+)?get\s(?!\s*secret)[^;&|<>`$]*\s-o[= ]?(?:name|jsonpath=)"
    r"|docker\s+ps\s[^;&|<>`$]*-\w*q)[^;&|<>`$]*(?:\|\s*(?:head|tail|cut|grep|sort)\b[^;&|<>`$()]*)*[)`]$",
    0,
    ("get", "docker"),
)
# What makes a name of a path, of a file's field or text, or of a variable, and nothing that says which.
_MAKES_NAME = late(
    r"(?:[$`(]+(?:(?:base|dir)name\s|[jy]q\s|node -p\s|git (?:rev-parse|describe|log -1|tag|branch|rev-list)\b"
    r"|cat [\w./-]+\s*(?=[|)`])|(?:echo|printf '%s')\s+\"?\$\{?\w+\}?\"?\s*(?=\|))"
    r"(?:(?!\$\()[^;&|<>`]|\|\s*(?:tr|sed|cut|head|tail|sort|awk|sha\d+sum|md5sum)\b)*[)`]|\$\(\([^()]*\)\))$",
    0,
    (")", "`"),
)
# Behind the last `_` of a variable's name: what is one thing.
_THINGS = frozenset((
    "name", "id", "uid", "gid", "branch", "tag", "ref", "sha", "commit", "rev", "revision", "version", "remote",
    "host", "hostname", "port", "user", "username", "group", "region", "location", "zone", "namespace", "cluster",
    "bucket", "project", "repo", "repository", "org", "owner", "account", "subscription", "profile", "context",
    "service", "container", "pod", "pr", "issue", "app", "application", "svc", "function", "queue", "topic", "table",
    "db", "database", "url", "uri", "endpoint", "address", "addr", "ip", "domain", "chart", "stack", "node",
    "instance", "vm", "volume", "snapshot", "secret", "token", "jwt", "role", "policy", "team", "email", "date",
    "digest", "hash", "arn", "release", "proj", "job", "dir", "directory", "folder", "path", "file", "workspace",
    "env", "environment", "arch", "platform", "image", "package", "pkg", "key", "number", "timestamp", "task",
    "target", "goal", "base", "head", "tool", "module", "test", "suite", "step", "title", "label", "theme", "locale",
    "lang", "language", "format", "level", "type", "kind", "size", "count", "num", "index", "src", "source", "dst",
    "dest", "destination", "out", "output", "input", "root", "home", "prefix", "suffix", "ext", "build", "config",
    "cfg", "conf", "spec", "dataset", "model", "script", "ctx", "artifact", "asset", "archive", "tarball", "zip",
    "bundle", "binary", "bin", "wheel", "installer", "manifest", "fixture", "sample", "object", "dep", "requirement",
    "plugin", "component", "feature", "dependencie", "librarie", "directorie", "repositorie",
))  # fmt: skip
_OF_BRACES = late(  # a default, or less of it
    r"\$\{?[A-Za-z0-9_]+(?:(?::?-[\w./][\w./:@-]*|[#%]{1,2}[\w./:@*-]+|/[\w./:@-]*|,,|\^\^)\})?\}?$"
)

# A variable's name, and those by which options or several words are meant (`$MAKEFLAGS`, `$EXTRA_ARGS`).
_VARIABLE = late(r"\$(?:\w+|\{\w+(?:[#%]{1,2}[\w./:@*-]+|,,|\^\^)?\})$")
_SEVERAL = late(
    r"(?i:opts?|options?|flags?|args?|argv|arguments?|params?|parameters?|extras?|switch(?:es)?|force)(?=[_}#%^,]|$)"
)

# `$(grep -v '^#' .env | xargs)`, and nothing by which it would be shown.
_OF_FILE = late(
    r"\$\(\s*(?:cat|e?grep|sed|cut)\s(?:(?!/dev/)[^;&|<>`$()])*\.env[\w.-]*[\"']?\s*"
    r"(?:\|\s*(?:xargs|tr|e?grep|sed|cut)\b(?:(?!/dev/)[^;&|<>`$()])*)*\)$",
    0,
    (".env",),
)


_SHUT = late(r"[+-]?[0-7]*[0145]$|[ugoa]*[+=-][rxX]+$")


def is_alike(word: Word, before: Sequence[Word], behind: str, row: Row | None) -> bool:
    """Whether variables from outside are taken for what they would be in quotes, as no name says that one holds several
    words: within a word (`/tmp/$X`), behind one that is told (`git fetch origin $B`), as the first of two
    (`aws s3 cp $F s3://b`), as a program (`npx $T`), where no option of the runner's own follows, which would be that
    if the variable is nothing.
    """
    alone = all(isinstance(part, Hole) for part in word.parts) and all(
        each.literal is None for each in before
    )
    runs = row is not None and "command" in row.does and "posix" in row.flags
    runs = runs and row is not None and behind.partition("=")[0] not in row.options
    pair = row is not None and row.path[-1] in ("cp", "mv") and behind[:1] not in ("", "-")
    return (runs or pair or not alone) and all(hole.kind != "words" or _is_plain(hole) for hole in word.holes)


def may_be_option(hole: Hole, word: Word, before: Sequence[Word], of_mode: bool = False) -> bool:
    """A quoted variable is taken for a value, and so is what goes on as a path or an address does, or what stands
    behind a mode of files that opens nothing.
    """
    if of_mode and before and _SHUT.match(before[0].literal or ""):
        return False
    if any(isinstance(part, str) and ("/" in part or ":" in part) for part in word.parts):
        return False
    if is_one_word(hole):
        return False
    if any(each.prefix[:1] == "-" for each in hole.choices):
        return True
    if hole.kind != "word":
        return hole.kind == "words" and not are_things(hole)
    return hole.text.startswith("$(") and all(other.literal is None for other in before)


def _is_plain(hole: Hole) -> bool:
    named = hole.outside and not hole.choices and _VARIABLE.match(hole.text)
    return bool(named) and not _SEVERAL.search(hole.text)


def is_variables(word: Word) -> bool:
    """Whether a word becomes the variables that a file of the project sets, as `. .env` reads them."""
    return len(word.parts) == 1 and any(_OF_FILE.match(hole.text) for hole in word.holes)


def makes_name(hole: Hole) -> bool:
    """Whether nothing in the line says which name it is: `$(basename "$P")`, `$(jq -r .name x.json)`."""
    return bool(_MAKES_NAME.match(hole.text)) and ".env" not in hole.text


def is_one_word(hole: Hole) -> bool:
    """Whether a plain word is all that comes of it: the name says so of a variable from outside (`$PR_BRANCH`)."""
    named = hole.outside and (not hole.choices or hole.text[:2] == "${") and _is_one_thing(hole.text)
    return bool(
        named or hole.text == "$!" or _prints_one(hole.text) or _NAMES.match(hole.text) or finds_program(hole)
    )


def finds_program(hole: Hole) -> bool:
    """Whether it is the path of a program that is called by its name: `$(which gcc-12)`."""
    return bool(_FINDS_PROGRAM.match(hole.text))


def _prints_one(text: str) -> bool:
    line = text.lstrip("$`(")
    if line == text or text[-1:] not in (")", "`") or not _MORE.isdisjoint(line[:-1]):
        return False
    behind = [line[len(name) :] for name in _PRINT_ONE if line.startswith(name)]
    return any(not (each[0].isalnum() or each[0] == "_") for each in behind)


def are_things(hole: Hole) -> bool:
    """Whether a variable is called after several things, of which none is an option: `$FILES`, `${TEST_DIRS}`."""
    name = hole.text[1:].strip("{}").lower()
    told = hole.outside and not hole.choices and hole.text[:1] == "$" and name.isidentifier()
    return told and name[-1:] == "s" and name.rpartition("_")[2][:-1] in _THINGS


def _is_one_thing(text: str) -> bool:
    begins = 2 if text[:2] == "${" else 1
    name = text[begins : letters_end(text, begins, NAME)]
    *before, last = name.split("_")
    named = text[:1] == "$" and last.lower() in _THINGS and "" not in before
    return named and (text[1:] == name or bool(_OF_BRACES.match(text)))
