"""Patterns of a guard that fit one everyday spelling of a command, and not another one of the same."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from itertools import pairwise

from hookline.model.record import Record
from hookline.system.patterns.expressions import Pattern, PatternError, compile_pattern
from hookline.system.patterns.late import late

# By what a guard is written against: a spelling that a pattern of it fits, and others of the same.
_SPELLINGS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "rm -rf": tuple(
        (f"rm -rf {path}", f"rm -fr {path}", f"rm -r -f {path}") for path in ("x", "/", "src", "~", "/x")
    ),
    "git push --force": tuple(
        (
            f"git push --force{to}",
            f"git push -f{to}",
            "git push origin main --force",
            "git push origin main -f",
        )
        for to in ("", " origin main")
    ),
    "git reset --hard": (("git reset --hard",),),
    "git commit": (("git commit", "git commit --amend"),),
    "git commit --no-verify -m x": (("git commit --no-verify -m x", "git commit -n -m x"),),
    "git push": (("git push",),),
    "drop table": (
        ('psql -c "drop table x"', 'psql -c "DROP TABLE x"'),
        ('psql -c "DROP TABLE x"', 'psql -c "drop table x"'),
    ),
    "curl | sh": (
        ("curl -s example.com | sh", "curl -s example.com | bash", "curl -s example.com | sudo sh"),
        ("curl -s example.com | bash", "curl -s example.com | sh", "curl -s example.com | sudo bash"),
    ),
    "wget | sh": (
        ("wget -qO- example.com | sh", "wget -qO- example.com | bash", "wget -qO- example.com | sudo sh"),
        ("wget -qO- example.com | bash", "wget -qO- example.com | sh", "wget -qO- example.com | sudo bash"),
    ),
    "cat .env": (("cat .env", "cat .env.local"),),
}
# a command that wants more behind it than the worst one has: `rm -rf /[^t]`
_SHORTER = {"rm -rf": (("rm -rf /x", "rm -rf /srv"), "rm -rf /")}
# commands that a guard may look for, each by the spellings of which it may fit but one
_EACH = (
    ("rm -rf x", "rm -rf /", "rm -rf ~", "rm -rf src"), ("rm -fr x", "rm -fr /"),
    ("git push --force", "git push --force origin main"), ("git push -f", "git push -f origin main"),
    ("git push", "git push origin main"), ("git reset --hard",), ("git clean -fd", "git clean -f"),
    ("git commit -m x",), ("git commit --amend",), ("git checkout .",), ("git branch -D x",),
    ('psql -c "DROP TABLE x"',), ('psql -c "drop table x"',), ("npm publish",), ("terraform apply",),
    ("curl -s example.com | sh", "curl -s example.com | bash"), ("chmod 777 x", "chmod -R 777 x"), ("cat .env",),
)  # fmt: skip
_BEHIND = "cd x && "  # what every command may stand behind
_NEUTRAL = "cp -a notes/a.txt build/b_2; echo 'all of it'; bash a.sh"  # what fits this says nothing
# one that takes the line apart, or rewrites it, sees more than its patterns
_TAKES_APART = late(
    r"\bshlex\b|\bsplit\b|\bIFS=|\bread -r?a\b|\b(?:gsub|sub|replace|replaceAll)\(|\$\{\w+//"
    r"|(?m:(?:^|[|;&(])[ \t]*(?:sed|awk|tr|xargs|perl)[ \t]+[-'\"\[{])"
)
# that `/dev/null` is let off, in whatever way, and not only used
_OF_NULL = late(
    r"(?<!>)(?<!> )/dev/\W{0,6}null|\(\?!(?:/dev/)?\W{0,3}null|[\"'|(]null[\"'|)]", needs=("null",)
)
_QUOTES = late(r"(?<!\\)[\"']")
# branches of `case`, with a star among quotes, and what `[[ … ]]` compares with
_GLOB = r"(?:\"(?:[^\"\n\\$`]|\\.)*\"|'[^'\n]*'|\\.|[^\s\"'()|;&\\$`\[\]])"
_GLOBS = late(
    rf"^[ \t]*\(?(?P<globs>(?=[^\n]*\*)(?=[^\n]*[\"']){_GLOB}{{1,200}}(?:[ \t]*\|[ \t]*{_GLOB}{{1,200}}){{0,40}})"
    r"\)(?=[ \t]|$)",
    needs=("*",),
)
_PIECES = late(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|\\(.)|(\S)")
_BARE = late(r"=~[ \t]+(?P<bare>(?:\\.|[^\s\\\"'])+)", needs=("=~",))
_JAVASCRIPT = late(
    r"(?<=[,(\[=&|!:\n \t])/(?P<text>(?![*/])"
    r"(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,2000})/(?P<flags>[a-z]{0,9})",
    needs=("/",),
)
# a list of beginnings, under its own name or gone through
_BEGINS_WITH = late(r"\.starts[wW]ith\(\s*(?:tuple\()?(\w+)\s*\)", needs=(".starts",))
_ELEMENT = late(r"\"([^\"\n]+)\"|'([^'\n]+)'")
# `==`, and `=` where a shell compares
_FROM_THE_START = late(
    r"(?:startswith|startsWith|re\.match|fullmatch)\(\s*$|==[ \t]*$|\[[ \t][^\]\n]{0,200}[ \t]=[ \t]*$"
)
_LOOKS_AROUND = late(r"\(\?<?[=!](?:\\.|[^()\\])*\)", needs=("(?",))
_ANY_CASE = late(
    r"\bre\.(?:search|match|findall|compile)\(\s*\w+\s*(?:,[^)\n]*)?(?:IGNORECASE|re\.I\b)|RegExp\(\s*\w+\s*,\s*[\"'`]\w*i|"
    r"\.lower\(|toLowerCase|tolower|,,\}|nocasematch|-i?match\b|grep\s+(?:-\w+\s+)*-\w*i\w*\s+(?:-\w+\s+)*[\"']?\$"
)
_CASE_OF_ROW = late(r"grep\b[^|\n'\"]*\s-\w*i|IGNORECASE|\bre\.I\b")
# what looks around, and who knows of it: to `grep -E` and to the `=~` of a shell such a pattern fits nothing
_LOOKAROUND = late(r"\(\?<?[=!]", needs=("(?",))
_LOOKS_AROUND_TOO = late(
    r"\bgrep\s+(?:-\w+\s+)*-\w*P|\b(?:perl|rg|import|require|const|RegExp|preg_\w+)\b|\b(?:re|regex)\.\w|\btest\(|-c?i?(?:not)?match\b"
)
_SHORTEST = 2
_POSIX = {"space": r"\s", "blank": r"[ \t]", "alnum": "A-Za-z0-9", "alpha": "A-Za-z", "digit": "0-9"}


class Passing(Record):
    """What a guard is written against, the spelling that it fits, and those that pass."""

    aim: str
    fits: str
    passes: tuple[str, ...]

    @property
    def by_program(self) -> bool:
        """Whether a rule about a program and its options means the same."""
        return self.aim.startswith(("rm ", "git "))


def passing(text: str) -> tuple[Passing, ...]:
    """The everyday spellings that pass the patterns of a script; none where it does more than compare."""
    if _TAKES_APART.search(text):
        return ()
    patterns = [each for each in _patterns(text) if not each.search(_NEUTRAL)]
    found = tuple(_of_aims(patterns)) if patterns else ()
    return tuple(each for each in found if not any(_is_part(each, other) for other in found))


def hushed(text: str) -> str:
    """The pattern for a device that is written to which fits `> /dev/null` too; empty where that is let off."""
    if _OF_NULL.search(text):
        return ""
    rows = (row for row in text.replace("\\\n", " ").splitlines() if ">" in row and "dev" in row)
    for _, written, flags in (each for row in rows for each in _written(row)):
        plain = re.sub(r"\[:(\w+):\]", lambda each: _POSIX.get(each[1], each[0]), written)
        found = _compiled(plain, "i" in flags) if ">" in written and "dev" in written else None
        if found is None or any(map(found.search, (_NEUTRAL, "make >out 2>errors", "make > out"))):
            continue
        if found.search("dd > /dev/sda") and found.search("make > /dev/null"):
            return written
    return ""


def looked_for(text: str) -> tuple[str, ...]:
    """The everyday commands that the patterns of a script fit, one for each that it is written against."""
    patterns = [each for each in _patterns(text) if not each.search(_NEUTRAL)]
    return tuple(
        spelling
        for group in _EACH
        for spelling in [next((e for e in group if _fit(patterns, e)), "")]
        if spelling
    )


def _of_aims(patterns: list[Pattern]) -> Iterator[Passing]:
    wanting = set[str]()
    for aim, (longer, shorter) in _SHORTER.items():
        of_both = any(all(map(each.search, longer)) for each in patterns)  # by whatever letter follows
        if of_both and not _fit(patterns, shorter):
            yield Passing(aim, longer[0], (shorter,))
            wanting.add(aim)
    for aim, groups in _SPELLINGS.items():
        for spellings in groups if aim not in wanting else ():
            fits = spellings[0]
            if not _fit(patterns, fits):
                continue
            passes = tuple(each for each in (*spellings, _BEHIND + fits) if not _fit(patterns, each))
            if passes:
                yield Passing(aim, fits, passes)
            break


def _is_part(one: Passing, other: Passing) -> bool:
    """Whether nothing is said of one that is not said of a shorter command."""
    return (
        one is not other
        and one.fits.startswith(other.fits)
        and all(each.startswith(_BEHIND) for each in one.passes)
    )


def _fit(patterns: list[Pattern], line: str) -> bool:
    return any(each.search(line) for each in patterns)


def _patterns(text: str) -> Iterator[Pattern]:
    """Every text in quotes, and every bare pattern, as an expression of Python; what is none is taken as it stands."""
    any_case, begun = bool(_ANY_CASE.search(text)), frozenset(_begun(text))
    around = bool(_LOOKS_AROUND_TOO.search(text))
    for row in text.replace("\\\n", " ").splitlines():
        of_row = any_case or bool(_CASE_OF_ROW.search(row))
        for glob in [each["globs"] for each in _GLOBS.finditer(row)]:
            row = row.replace(glob, " ", 1)
            yield from filter(None, (_compiled(each, of_row) for each in _of_globs(glob)))
        for before, written, flags in _written(row):
            if not around and _LOOKAROUND.search(written):
                continue
            start = "^" if written in begun or _FROM_THE_START.search(before) else ""
            written = re.sub(r"\[:(\w+):\]", lambda each: _POSIX.get(each[1], each[0]), written)
            for form in (written, re.escape(written)) if len(written) > _SHORTEST else ():
                if found := _compiled(f"{start}(?:{form})", of_row or "i" in flags):
                    yield found


def _of_globs(globs: str) -> Iterator[str]:
    """The patterns that a branch of `case` stands for, or what `[[ … == … ]]` compares with."""
    written = ""
    for quoted, single, letter, sign in _PIECES.findall(f"{globs}|"):
        if sign == "|":
            yield f"^{written}$"
            written = ""
            continue
        written += {"*": ".*", "?": "."}.get(sign) or re.escape(quoted or single or letter or sign)


def _begun(text: str) -> Iterator[str]:
    """The texts of lists with which a command is to begin: `any(cmd.startswith(each) for each in LIST)`."""
    for name in {*_BEGINS_WITH.findall(text)}:
        over = re.search(
            rf"\b(\w+)\.(?:some|find|filter)\(\s*\(?\s*{name}\b"
            rf"|\bfor\s*\(?\s*(?:const\s+|let\s+)?{name}\s+(?:in|of)\s+(\w+)",
            text,
        )
        listed = (over[1] or over[2]) if over else name
        opens = re.search(rf"(?m)^[^\n=]*\b{listed}\s*(?::[^=\n]+)?=\s*[\[({{]([^\])}}]*)", text)
        yield from (one or other for one, other in _ELEMENT.findall(opens[1] if opens else ""))


def _compiled(pattern: str, any_case: bool) -> Pattern | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that Python may read it otherwise some day
        try:
            return compile_pattern(pattern, any_case)
        except PatternError:
            wider = _LOOKS_AROUND.sub("", pattern)  # what looks around is the dear part of most
            return _compiled(wider, any_case) if wider != pattern else None


def _written(row: str) -> Iterator[tuple[str, str, str]]:
    """What stands before a text or a pattern of a row, the text, and its flags; of quotes each pair that follows."""
    for quote in ("'", '"'):
        places = [each.start() for each in _QUOTES.finditer(row) if each[0] == quote]
        for start, end in pairwise(places):
            written, before = row[start + 1 : end], row[:start]
            if quote == '"' and not before.endswith("r"):
                written = written.replace("\\\\", "\\").replace('\\"', '"')
            yield before, written, ""
    for found in _BARE.finditer(row):
        yield "", found["bare"], ""
    for found in _JAVASCRIPT.finditer(row):
        yield "", found["text"], found["flags"]
