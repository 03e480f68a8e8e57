"""What the commands of a line do: paths they read, write and delete, hosts they talk to, and effects with a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hookline.shell.effects.acts import Deeds, Effect, rows_of, taken_apart
from hookline.shell.effects.flows import with_flows
from hookline.shell.effects.outputs import backups, emptied, into, is_no_file, names_host, outputs_of, within
from hookline.shell.effects.places import SECRET_NAMES, is_secret, only_looks
from hookline.shell.effects.secrets import LOADERS, connects, loaded, names_alone
from hookline.shell.programs.arguments import Arguments, Taken
from hookline.shell.programs.conditions import (
    MAYBE,
    NO,
    YES,
    asks_for_help,
    holds,
    targets,
    without,
)
from hookline.shell.programs.deeds_about import deeds_about
from hookline.shell.programs.finding import found_words
from hookline.shell.programs.git_settings import (
    address_of,
    goes_around,
    is_command,
    made_by_config,
    settings_of,
)
from hookline.shell.programs.table import EFFECTS, Deed, Programs, Row
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import NOWHERE, Command, Hole, Reading, Redirection, Word, below, joined
from hookline.system.patterns.late import late

_BETWEEN = late(r"\[[^]]*\]|[^:,+*]+")
_SEARCHED = (
    r"^[`$(\s]+(?:ls|find|fd|git ls-files|echo|printf)\b.*\bgrep\s+(?:-[a-uw-zA-Z]+\s+)*"
    r"[\"']?\^?\\?(\.?[\w.-]+?)[$\"'\s)`]"
)
# What says where git's settings, an agent's, and ours are
_HOMES = frozenset(
    (
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_DIR",
        "PLUGINS",
    )
)
_PLAIN_ALIAS = (
    r"^(?:add|blame|branch|checkout|cherry-pick|commit|describe|diff|fetch|grep|log|merge|pull|remote|shortlog|show|stash"
    r"|status|switch|worktree)(?![^'\"]*(?:\s-[A-Za-z]*[cnfD]|--(?:no-v|force|hard|ext-diff|open|exec|upload)))"
)
_EXPORTS = frozenset((name,) for name in ("export", "declare", "typeset", "readonly", "setenv"))


def deeds_of(reading: Reading, more: str = "") -> tuple[Deeds, ...]:
    """What each command of a line does; `more` are a user's own rows."""
    return done_by(taken_apart(reading, more), reading.line, more)


def done_by(taken: Sequence[Taken], line: str, more: str = "") -> tuple[Deeds, ...]:
    """What commands of a line do, by themselves and one with another."""
    programs = shipped(more)
    found: list[Deeds] = []
    for at, each in enumerate(taken):
        if each.like == at:
            found.append(_deeds(each, programs))
        else:
            same = found[each.like]
            found.append(Deeds(each.command, same.given, each.like, same.effects, same.marks))
    if any(each.given.path in LOADERS for each in found):
        found = loaded(found)
    if len(found) > 1 or any("sends" in each.marks or connects(each) for each in found):
        found = with_flows(found, line)
    if "utoApprove" in line or "folderOpen" in line:
        from hookline.shell.effects.loosened import loosened

        found = loosened(found, line)
    return tuple(found)


def _deeds(taken: Taken, programs: Programs) -> Deeds:
    command, given = taken.command, taken.given
    effects = [effect for each in command.redirections for effect in _redirected(each, command)]
    effects += [Effect("delete", word, cwd=command.cwd) for word in emptied(command, given)]
    if names := [*dict(command.assignments), *_exported(given)]:
        rows = (programs.row((f"{name}=",)) for name in names)
        effects += [Effect(deed.name) for row in rows if row for deed in row.deeds if deed.name in EFFECTS]
    marks: set[str] = set()
    told = rows_of(given, programs)
    cwd = _folder(command, given, told)
    of_program = given.of_program() if len(told) > (given.row is not None) else given
    for row in told if not asks_for_help(given) else ():
        own = given if row is given.row else of_program
        for deed in deeds_about(row, own):
            sure = min(holds(deed, own), MAYBE) if given.guessed else holds(deed, own)
            if sure != NO:
                effects += _effects(deed, own, command, cwd, sure == YES)
                marks |= {deed.name} if deed.name not in EFFECTS else set()
    if "names" in marks:
        effects = names_alone(effects)
    effects += outputs_of(command.words, given, cwd)
    return Deeds(command, given, taken.like, tuple(effects), frozenset(marks))


def _exported(given: Arguments) -> Iterator[str]:
    """The variables that `export A=1` and its like set."""
    words = given.operands if given.path[:1] in _EXPORTS else ()
    yield from (word.prefix.partition("=")[0] for word in words if "=" in word.prefix)


def _folder(command: Command, given: Arguments, rows: Sequence[Row]) -> Word:
    """Where the program works, after an option of its own that says so (`git -C x`)."""
    for row in rows:
        for deed in row.deeds if "cwd" in row.does else ():
            if deed.name == "cwd":
                for word in targets(deed, given):
                    return below(command.cwd, word)
    return command.cwd


def _redirected(each: Redirection, command: Command) -> Iterator[Effect]:
    word, cwd = each.target, command.cwd
    if word is None or is_no_file(word):
        return
    if word.prefix.startswith(("/dev/tcp/", "/dev/udp/")):
        yield Effect("connect", Word((word.prefix[9:].partition("/")[0],), word.start, word.end), cwd=cwd)
        yield from () if only_looks(command) else (Effect("write", word, cwd=cwd),)
        return
    if each.operator.endswith("&") and (word.literal or "").rstrip("-").isdigit():
        return
    names = _DONE_BY.get(each.operator, ("write",) if ">" in each.operator else ())
    for name in names:
        yield Effect(name, word, cwd=cwd)
        yield from (Effect(name, other, False, cwd=cwd) for other in _other_words(word))


_DONE_BY = {"<": ("read",), "<>": ("write", "read")}


def _effects(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    special = _SPECIAL.get(deed.name)
    if special is not None:
        yield from special(deed, given, command, cwd, sure)
        return
    if deed.name not in EFFECTS:
        return
    words = list(_all_targets(deed, given, command))
    if deed.name == "connect" and deed.targets:
        hosts = (_host(word, given) for word in words)
        yield from (Effect("connect", host, sure, cwd=cwd) for host in hosts if host is not None)
    elif words:
        # where neither the deed nor its target is told, nothing speaks for it
        path = deed.name in ("read", "write", "delete")
        told = [word for word in words if (sure or not path or _is_told(word)) and not is_no_file(word)]
        yield from (Effect(deed.name, word, sure, cwd=cwd) for word in told)
        for word in told if deed.name == "read" else ():
            yield from (Effect("read", Word((name,)), False, cwd=cwd) for name in _filtered(word))
        for word in words if path else ():
            yield from (Effect(deed.name, other, False, cwd=cwd) for other in _other_words(word))
            yield from (Effect(deed.name, word, False, cwd=other) for other in _other_words(cwd))
    elif not deed.targets or deed.name not in ("read", "write", "delete"):
        yield Effect(deed.name, None, sure, cwd=cwd)


def _other_words(word: Word) -> Iterator[Word]:
    """What a word may be that begins with a hole: with the default of a variable, or one of several values of it."""
    first = word.parts[0] if word.parts else ""
    if isinstance(first, str):
        return
    yield from (joined((*choice.parts, *word.parts[1:]), word) for choice in first.choices)


def _filtered(word: Word) -> Iterator[str]:
    """The file of secrets whose name is what a list of names is searched for: `cat $(ls -a | grep env)`."""
    for hole in word.holes if word.parts and not isinstance(word.parts[0], str) else ():
        found = re.search(_SEARCHED, hole.text) if "grep" in hole.text else None
        if found is not None and len(found[1]) > 2:
            text = found[1].lower()
            yield from (name for name in SECRET_NAMES if text in name and text.strip(".") != "json")


def _is_told(word: Word) -> bool:
    """Whether a word says where it leads: text alone, patterns of names, or the beginning of a path."""
    if word.prefix != "" or all(hole.kind == "glob" for hole in word.holes):
        return True
    first, *rest = word.parts
    behind = "".join(part if isinstance(part, str) else part.text for part in rest)
    return bool(behind) and isinstance(first, Hole) and first.outside and not behind.strip("/.*")  # `$DIR/`


def _all_targets(deed: Deed, given: Arguments, command: Command) -> Iterator[Word]:
    for name in deed.targets:
        if name == "into":
            yield from into(given)
        elif name == "start":
            yield from found_words(command.words[1:], _place_of("-delete", command.words[1:]))
        elif name == "urls":
            yield from given.operands[:1] if not _is_method(given) else given.operands[1:2]
        elif name == "hosts":
            yield from (word for word in given.operands if names_host(word))
        elif name == "paths":
            yield from given.operands if given.dashes is None else given.operands[given.dashes :]
        elif name.startswith("in-"):
            folders = given.values(name[2:]) or (NOWHERE,)
            yield from (below(folder, word) for folder in folders for word in given.operands)
        elif name == "behind":  # `HEAD:src/a.py`
            yield from (without(w, w.prefix.index(":") + 1) for w in given.operands if ":" in w.prefix)
        elif name == "file-urls":
            values = (option.value for option in given.options if option.value is not None)
            for word in (*given.operands, *values):
                if word.prefix.startswith(("file://", "fileb://")):
                    yield without(word, word.prefix.index("/") + 2)
        elif name[0] == "-" and name[-1] == ":":
            yield from (host for word in given.values(name[:-1]) for host in _hosts_in(word))
        elif name == "at":
            yield from (without(w, w.prefix.index("@") + 1) for w in given.operands if "@" in w.prefix[:40])
    yield from targets(deed, given)


def _place_of(option: str, words: Sequence[Word]) -> int | None:
    return next((at for at, word in enumerate(words) if word.literal == option), None)


def _is_method(given: Arguments) -> bool:
    first = (given.operands[0].literal or "") if given.operands else ""
    return first.isalpha() and (first.isupper() or first in ("delete", "patch", "post", "put"))


def _hosts_in(word: Word) -> Iterator[Word]:
    """The hosts between the colons and commas of `8080:db:5432`, without ports."""
    if word.literal is None:
        yield Word(word.holes[:1], word.start, word.end)
        return
    for text in _BETWEEN.findall(word.literal):
        if not text.isdigit() and "/" not in text:
            yield Word((text,), word.start, word.end)


def _host(word: Word, given: Arguments) -> Word | None:
    """The host of an address; None for words that name none, such as a remote of git's."""
    if word.holes and all(hole.kind == "glob" for hole in word.holes):  # as no file is called so
        text = "".join(part if isinstance(part, str) else part.text for part in word.parts)
        word = Word((text,), word.start, word.end)
    text = word.prefix
    if word.literal is None and not text:
        return word if given.path[0] != "git" else None
    rest = text.partition("://")[2] if "://" in text else text
    if given.path[0] == "git" and "://" not in text and ":" not in text:
        return None
    host = rest.partition("/")[0].rpartition("@")[2]
    host = host[1:].partition("]")[0] if host.startswith("[") else _dotted(host.partition(":")[0].lower())
    if not rest and text.endswith("://") and word.literal is None:
        return without(word, len(text))  # `https://$HOST/x`
    if not host or host.startswith(("-", ".")) or (text.startswith("/") and "://" not in text):
        return None
    whole = word.literal is not None or len(host) < len(rest)
    return Word((host.lower(), *(() if whole else word.parts[1:])), word.start, word.end)


# An address of which a part is no plain number of one byte: `0xA9FEA9FE`, `2852039166`, `0251.0376.43518`.
_NUMBERS = late(
    r"(?=.*(?:x|\b0\d|\d{4}))(?!\d{1,5}$)(?:0x[0-9a-f]{1,8}|0[0-7]{0,11}|[1-9]\d{0,9})(?:\.(?:0x[0-9a-f]{1,8}|0[0-7]{0,11}|[1-9]\d{0,9})){0,3}"
)


def _dotted(host: str) -> str:
    """A host as it is, and an address of four bytes as everybody writes it."""
    if not host[:1].isdigit() or not _NUMBERS.fullmatch(host):
        return host
    bases = [16 if "x" in each else 8 if each[0] == "0" else 10 for each in host.split(".")]
    *first, last = map(int, host.split("."), bases)
    value = last + sum(each << 8 * (3 - at) for at, each in enumerate(first))
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _spread(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    for word in targets(deed, given):
        yield Effect("write", word, sure, True, cwd)


def _within(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    words = within(deed, given, list(_all_targets(deed, given, command)))
    yield from (Effect("write", word, sure, True, cwd) for word in words)


def _write_name(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    """`curl -O` and `wget` call a file as the address ends."""
    folder = next(iter((*given.values("--output-dir"), *given.values("-P"))), NOWHERE)
    for word in targets(deed, given):
        name = (word.literal or "").partition("?")[0].partition("://")[2] or (word.literal or "")
        name = name.rpartition("/")[2].rpartition(":")[2]
        if name:
            yield Effect("write", below(folder, Word((name,), word.start, word.end)), sure, cwd=cwd)


def _patch(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    """`apply_patch <<E`: the files of the patch's headers."""
    words = (*given.operands, *((command.stdin,) if command.stdin is not None else ()))
    for word in words:
        for line in (word.literal or "").splitlines():
            verb, _, path = line.removeprefix("*** ").partition(": ")
            if (
                line.startswith("*** ")
                and path
                and verb in ("Add File", "Update File", "Delete File", "Move to")
            ):
                name = "delete" if verb == "Delete File" else "write"
                yield Effect(name, Word((path.strip(),), word.start, word.end), sure, cwd=cwd)


def _git_settings(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    """Settings for one call of git's."""
    for name, value in settings_of(command, given):
        around = goes_around(name, value)
        if around is not False:
            yield Effect("tamper", name, sure and bool(around), cwd=cwd)
        address = address_of(name, value)
        host = _host(address, given) if address is not None else None
        if host is not None:
            yield Effect("connect", host, sure, cwd=cwd)


def _git_setting(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    """`git config` with a value; without one it shows the setting."""
    made = made_by_config(given)
    if made is None:
        return
    name, value = made
    low = (name.literal or "").lower()
    around = goes_around(name, value)
    if around or not low:
        yield Effect("tamper", name, sure and bool(around), cwd=cwd)
        return
    removes = any(map(given.has, ("--unset", "--unset-all", "--remove-section")))
    short = low.startswith("alias.") and re.search(_PLAIN_ALIAS, value.literal or "")
    plain = short or value.literal in ("true", "false", ":", "cat", "less")
    if not removes and not plain and (low.startswith(("alias.", "filter.")) or is_command(low)):
        yield Effect("persist", name, sure, cwd=cwd)


def _elsewhere(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    """`HOME=/tmp/x git commit`: the hooks of another home run, and what is trusted there."""
    if not _HOMES.isdisjoint(name for name, _ in command.assignments):
        yield Effect("tamper", None, sure, cwd=cwd)


def _loads(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    """A file read for its variables alone, which other programs get."""
    yield from (Effect("loads", word, sure, cwd=cwd) for word in targets(deed, given))


def _secret(deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool) -> Iterator[Effect]:
    yield Effect("read", Word(("~/.secret/keychain",)), sure, cwd=cwd)


def _secret_operands(
    deed: Deed, given: Arguments, command: Command, cwd: Word, sure: bool
) -> Iterator[Effect]:
    """A program of which nothing is known looks at the files that it is given; a key that an option names, it may only
    use, but nobody has a use for the passwords of a machine.
    """
    for at, word in enumerate(command.words[1:]):
        before, text = command.words[at], word.prefix
        option = before.prefix.startswith("-") and "=" not in before.prefix and before.literal != "--"
        if option and "etc/" not in text:
            continue
        file = (
            without(word, 7 if text.startswith("file://") else 1)
            if text.startswith(("@", "file://"))
            else word
        )
        if re.search(r"[./~]", file.prefix) and not text.startswith("-") and is_secret(below(cwd, file)):
            yield Effect("read", file, False, cwd=cwd)


_SPECIAL: dict[str, Callable[[Deed, Arguments, Command, Word, bool], Iterator[Effect]]] = {
    "spread": _spread,
    "within": _within,
    "backup": backups,
    "write-name": _write_name,
    "patch": _patch,
    "gitconfig": _git_settings,
    "gitconfig-set": _git_setting,
    "elsewhere": _elsewhere,
    "secret": _secret,
    "loads": _loads,
    "secret-operands": _secret_operands,
}
