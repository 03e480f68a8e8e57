"""Scripts that compare the whole path of a file with the beginning of a relative one: that fits no call at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_READ = late(
    r"(?<![\w$])(\w+)=\"?\$\([^\n]{0,120}?\.(?:tool_input\.)?(?:file_path|filePath|path)\b[^\n]{0,120}\)"  # by jq
    r"|(?<![\w.])(\w{1,40})\s{0,4}(?::\s*str\s*)?=\s{0,4}[\w.]{0,40}(?:tool_?input|data|args|input)\w{0,20}(?:\.get\(\s*|\[\s*)"
    r"[\"'](?:file_path|path)[\"']"
)
_CWD = late(r"(?m)^[ \t]*(\w+)=\"?\$\([^\n]*\.cwd\b[^\n]*\)", needs=(".cwd",))
# a path of Python that is a `Path` for a while, and what would make it relative
_AGAIN = late(
    r"(?m)^[ \t]*(\w+)[ \t]*=[ \t]*(?:str\()?(?:(?:pathlib\.)?Path\()?(\w+)\)?(?:\.as_posix\(\))?\)?[ \t]*$"
)
_CUT = late(r"\brelpath\b|\brelative_to\b|\bremoveprefix\b|\bls-files\b|\bis_absolute\b|\bisabs\b|\[len\(")
_NAME = r"\.?[A-Za-z_][\w.-]*"
_AT_ONCE = late(
    rf"(?:[\"']file_path[\"'](?:,\s*[\"']{{2}})?\s*[\])]\.startswith|\.file_path\??\.startsWith)\(\s*[\"']({_NAME}/[^\"']*)[\"']"
)
_PIPED = late(
    rf"\.file_path\b[^|\n]{{0,30}}\|\s*(?:e?grep)\s+(?:-\w+\s+)*[\"']\^\(?({_NAME}/?)", needs=("file_path",)
)
_ARRAY = late(r"(?m)^[ \t]*(?:local\s+|declare -a\s+)?(\w+)=\(([^()]*)\)")
_ELEMENT = late(r"\"([^\"\n]*)\"|'([^'\n]*)'|(?<![\w\"'$])([^\s\"'()#]+)")
# the path is made relative, or cut, before it is compared
_MADE_SHORT = (
    r"\$\{%s(?:#|%%|/)"
    r"|\b(?:basename|realpath|readlink|relpath|relative_to|relative|git\s+ls-files|sed|cut|awk|Path|resolve)\b"
)


def path_problems(line: HookLine) -> Iterator[Problem]:
    """Patterns at the beginning of a path, where only whole paths come, and the session's folder for the project's."""
    yield from _as_if_it_stayed(line)
    if not line.entry.traps.whole_paths or line.entry.rule is None:
        return
    for _, where, text in line.texts:
        wrong = next(_anchored(text), "")
        if wrong:
            title = line.entry.speaker.title
            words = f"{where} looks for `{wrong}` at the beginning of a path, and {title} sends whole paths"
            yield line.entry.at_line(
                "dead-pattern",
                words,
                "look for it behind a `/`, as in `*/src/*`, or cut the project's folder off",
            )


def _as_if_it_stayed(line: HookLine) -> Iterator[Problem]:
    """Paths of the project that are built on the folder of the session, which moves with `cd`."""
    root = line.entry.traps.root
    if not line.entry.traps.moves or not root:
        return
    for _, where, text in line.texts[1:]:
        if root in text or "--show-toplevel" in text:
            continue
        for name in _CWD.findall(text):
            if re.search(rf"\b{name}=\"?(?:\$\(dirname\b|\$\{{{name}%/\*)", text):
                continue  # it goes up from there
            for path in re.findall(rf"\"\$\{{?{name}\}}?/([\w.-][\w./-]*)", text):
                if os.path.exists(os.path.join(line.workspace, path)):
                    words = f"{where} looks for `{path}` where the session stands, and that moves with `cd`"
                    yield line.entry.at_line("relative-script", words, f'write `"${root}/{path}"`')
                    return


def _anchored(text: str) -> Iterator[str]:
    at_once = (*_AT_ONCE.findall(text), *_PIPED.findall(text))
    yield from (each for each in at_once if not _has_whole_form(each, text))
    for found in _READ.finditer(text):
        name = found[1] or found[2]
        if found[2] and not _CUT.search(text):
            yield from _by_other_names(name, text)
        again = len(re.findall(rf"(?<![\w$.]){name}\s*=(?!=)", text))
        if again > 1 or re.search(_MADE_SHORT % name, text):
            continue
        yield from _in_shell(name, text) if found[1] else _in_python(name, text)


def _in_shell(name: str, text: str) -> Iterator[str]:
    value = rf"\"?\$\{{?{name}\}}?\"?"
    patterns = re.findall(rf"\[\[ [^\n]*?{value} =~ \"?\^({_NAME}/?)", text)
    patterns += re.findall(rf"\[\[? [^\n]*?{value} ==? \"?({_NAME}/[^\s\"]*)\"?[^\n]*\]", text)
    patterns += re.findall(rf"echo {value} \| grep (?:-\w+ )*[\"']\^\(?({_NAME}/?)", text)
    for clauses in re.findall(rf"\bcase {value} in\s(.*?)\besac\b", text, re.DOTALL):
        patterns += re.findall(rf"(?m)(?:^|;;|\|)[ \t]*\(?({_NAME}/[^\s\"'()|]*)(?=[|)])", clauses)
    yield from (each for each in patterns if not _has_whole_form(each, text))
    listed = re.search(rf"echo {value} \| grep (?:-\w+ )*\"\^\$\{{?(\w+)", text)
    for array in _ARRAY.finditer(text) if listed else ():
        if re.search(rf"\bfor {listed[1]} in \"?\$\{{{array[1]}\[", text) if listed else None:
            elements = ["".join(each) for each in _ELEMENT.findall(array[2])]
            yield from (each for each in elements if re.match(_NAME, each))


def _by_other_names(name: str, text: str) -> Iterator[str]:
    names = [name]
    for found in _AGAIN.finditer(text):
        once = len(re.findall(rf"(?<![\w$.]){found[1]}\s*=(?!=)", text)) == 1
        if found[2] in names and found[1] not in names and once:
            names.append(found[1])
            yield from _in_python(found[1], text)


def _in_python(name: str, text: str) -> Iterator[str]:
    found = re.findall(rf"\b{name}\.startswith\(\s*[\"']({_NAME}/[^\"']*)[\"']", text)
    found += re.findall(rf"\bre\.match\(\s*r?[\"']\^?({_NAME}/[^\"']*)[\"'],\s*{name}\b", text)
    yield from (each for each in found if not _has_whole_form(each, text))


def _has_whole_form(pattern: str, text: str) -> bool:
    """Whether the same is looked for inside of a path as well."""
    return bool(re.search(rf"(?:[/*|]|(?<!\^)\(){re.escape(pattern.partition('/')[0])}\b", text))
