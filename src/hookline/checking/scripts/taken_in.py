"""What a script takes in of the files beside it: the functions that it calls, where it names their file."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from hookline.checking.commands.beside import started_by
from hookline.checking.comments import without_comments
from hookline.checking.steps.brace_steps import without_texts
from hookline.checking.steps.here_documents import here_documents
from hookline.checking.steps.languages import is_python, is_shell, python_tree
from hookline.model.record import Record
from hookline.system import files
from hookline.system.patterns.late import late

_LONGEST = 64 * 1024
_DEEPEST = 2  # what those take in themselves
_SOURCED = late(
    r"(?m)^[ \t]*(?:\.|source)[ \t]+(?P<word>(?:\$\([^)\n]{0,200}+\)|\"[^\"\n]*+\"|[^\s;&|])++)"
    r"(?:[ \t;&|#][^\n]*)?$",
    needs=(".", "source"),
)
# `. "$PSScriptRoot\lib.ps1"`, `. (Join-Path $folder 'lib.ps1')`
_DOTTED = late(
    r"(?im)^[ \t]*\.[ \t]+(?:[\"']?\$\{?\w+\}?[\\/](?P<a>[\w.\\/-]+\.ps1)[\"']?|\(?Join-Path[ \t]+\(?\$\w+\)?[ \t]+"
    r"[\"'](?P<b>[\w.\\/-]+\.ps1)[\"']\)?)[ \t]*\r?$",
    needs=(".ps1",),
)
# `. $common`, which was made of a folder and a name before
_BY_NAME = late(r"(?im)^[ \t]*\.[ \t]+\"?\$(?P<name>\w+)\"?[ \t]*\r?$")
_BEHIND_FOLDER = late(r"[)}\"]|\$\w+")
_IMPORTED = late(
    r"(?m)^(?P<margin>[ \t]*)(?:from[ \t]+(?P<of>\.*[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n#;]+)"
    r"|import[ \t]+(?P<whole>\w+)(?:[ \t]+as[ \t]+(?P<called>\w+))?)[ \t]*(?:#[^\n]*)?$",
    needs=("import",),
)
_REQUIRED = late(
    r"(?m)^[ \t]*(?:(?:const|let|var)[ \t]+(?P<names>\{[^}]*\}|\w+)[ \t]*=[ \t]*require\([\"'](?P<of>\.{1,2}/[^\"'\n]+)"
    r"[\"']\)|(?:import|export)[ \t]+(?P<named>\{[^}]*\}|\w+|\*(?:[ \t]+as[ \t]+\w+)?)[ \t]+from[ \t]+"
    r"[\"'](?P<from>\.{1,2}/[^\"'\n]+)[\"']);?[ \t]*$",
    needs=("require", "from"),
)
_FUNCTIONS = {
    "ps1": late(r"(?im)^function[ \t]+(?P<a>[\w-]+)"),
    "sh": late(r"(?m)^(?:function[ \t]+(?P<a>[\w-]+)|(?P<b>[\w-]+)[ \t]*\(\))"),
    "py": late(r"(?m)^(?:@[^\n]*\n){0,8}(?:async[ \t]+)?(?:def|class)[ \t]+(?P<a>\w+)"),
    "js": late(
        r"(?m)^(?:export[ \t]+(?:default[ \t]+)?)?(?:(?:async[ \t]+)?function\*?[ \t]+(?P<a>\w+)"
        r"|(?:const|let|var)[ \t]+(?P<b>\w+)[ \t]*=[ \t]*(?:async[ \t]*)?"
        r"(?:function\b|\([^)\n]*\)[^\n]*=>|\w+[ \t]*=>))"
    ),
}
_ENDS = {
    "ps1": late(r"(?m)^\}"),
    "sh": late(r"(?m)^\}"),
    "py": late(r"(?m)^[^\s#)\]}\"']"),
    "js": late(r"(?m)^[})]"),
}
_ENDS_OF_VALUE = late(r"(?m)^[\])}]")
_OF_FUNCTION = late(r"(?m)^(?:module\.)?exports\.(\w+)[ \t]*=[ \t]*((?:async[ \t]*)?)function\b\*?")
_OF_ARROW = late(r"(?m)^(?:module\.)?exports\.(\w+)[ \t]*=[ \t]*")
_HANDED_OUT = late(
    r"(?m)^(?:export[ \t]+(?:default[ \t]+)?(?=async\b|function\b|const\b|let\b|class\b)|#!.*$)"
)
_OUT_OF_PLACE = late(r"(?m)^(?:from __future__ import [^\n]*|if __name__ == [\s\S]*)$")
_BESIDE = ("", "lib", "utils", "common", "shared", "..", "../lib", "../utils")
_WORD = late(r"[\w-]+")
_FILLED = late(r"\$\{([^{}]{1,200})\}", needs=("${",))  # in a text of JavaScript
# what a function can say for its script: that it ends, an answer, plain words, what the script was told, and JSON
_TELLS = late(
    r"\bexit\b|\bSystemExit\b|\bstdin\b|\breadFileSync\(\s*(?:0|[\"']/dev/stdin)|\$\((?:cat|jq)\b|\bread -|"
    r"[Dd]ecision\b|\bhookSpecificOutput\b|\bsystemMessage\b|\badditional_?[cC]ontext\b|\bfollowup_message\b|\"continue\\?\""
    r"|\bjq\b[^\n]*\"\.?\$|\bconsole\.(?:log|error|warn|info)\(|\bstderr\.write\("
    r"|(?m:^[ \t]*print\()|\bWrite-(?:Output|Host)\b|\[Console\]::"
    r"|\b(?:echo|printf)\b[^\n]*>[ \t]*(?:&[ \t]*2\b|/dev/stderr)|\breturn[ (]+2[ \t]*,"
    r"|\bJSON\.parse\(|\bjson\.loads\(|\bConvertFrom-Json\b"
)
_DENIES = late(r"[\"'](?:deny|block)\\?[\"']|(?<![$-])\bexit[ (]+2\b|\breturn[ (]+2\b")
# a function that looks for something in what it is given, as a guard does, and a value that such a one names
_JUDGES = late(
    r"\.(?:test|match|includes|startsWith|some)\(|\bre\.(?:search|match|fullmatch)\(|\bgrep[ \t]+-\w*q|=~"
    r"|[\"'] in \w*(?:cmd|command)\w*\b"
)
_VALUES = {
    "ps1": late(r"(?im)^\$(?:script:)?(?P<name>\w+)[ \t]*=[^\n]*"),
    "sh": late(r"(?m)^(?:readonly[ \t]+|declare[ \t]+-\w+[ \t]+)?(?P<name>[A-Za-z_]\w*)=[^\n]*"),
    "py": late(r"(?m)^(?P<name>[A-Za-z_]\w*)(?:[ \t]*:[^=\n]*)?[ \t]*=(?!=)[^\n]*"),
    "js": late(
        r"(?m)^(?:const|let|var)[ \t]+(?P<name>\w+)\b[^=\n]*=(?![>=])(?![^\n]*(?:=>|\bfunction\b))[^\n]*"
    ),
}
_PUTS = late(r"(?m)^[ \t]+(\w+)(?:\[[\"'][^\"'\n]{1,40}[\"']\]|\.\w+)[ \t]*=(?!=)")
_GIVES_BACK = late(r"\breturn[ \t]+(\w+)[ \t]*;?[ \t]*(?:\n|\Z)")
_KEEPS = late(r">>|\bopen\(|\bappendFile|\bwriteFile")  # in a file, which nobody answers with


class _Taken(Record):
    """What is taken in, where: the file, the span of the statement, what stands before it, and names by the new one.

    `owner`: the name that what it has is called by: `lib` of `lib.block()`.
    """

    path: str
    start: int
    end: int
    margin: str = ""
    owner: str = ""
    renamed: tuple[tuple[str, str], ...] = ()


def with_taken_in(
    shown: str, text: str, path: str, folders: Mapping[str, str], above: tuple[str, ...] = (),
    asked: frozenset[str] = frozenset(),
) -> str:  # fmt: skip
    """A script with the functions of its own files that it calls.

    `above` are the files that take it in, and `asked` the names that they have, of which it may hand things on.
    """
    kind, found = _all_taken(shown, text, path, folders)
    above = (*above, os.path.realpath(path))
    for taken in sorted(found, key=lambda each: -each.start):
        kept = files.read_text(taken.path, _LONGEST) if os.path.realpath(taken.path) not in above else None
        if kept is None or kept.state != "text" or "\0" in kept.text or len(text) > 4 * _LONGEST:
            continue
        before, behind = text[: taken.start], text[taken.end :]
        named = None  # where all it has is called by the name of the whole
        if taken.owner:
            owner = re.escape(taken.owner)
            apart = re.search(rf"\}}\s*=\s*{owner}\b(?!\.)", behind)
            named = None if apart else frozenset(re.findall(rf"\b{owner}\.(\w+)", behind))
            behind = re.sub(rf"\b{owner}\.(?=[A-Za-z_])", "", behind)
        for name, new in taken.renamed:
            behind = re.sub(rf"\b{re.escape(new)}\b", name, behind)
        inner = kept.text.removeprefix("\ufeff")
        names = names_in(kind, f"{before}{taken.margin}{'pass' * (kind == 'py')}{behind}")
        names = (names if named is None else named) | asked
        if len(above) <= _DEEPEST:
            inner = with_taken_in(taken.path, inner, taken.path, folders, above, names)
        needed = _needed(kind, inner, names, taken.margin)
        whole = before + needed + behind
        if needed.strip() and (kind != "py" or python_tree(whole) is not None):
            text = whole
    return text


def _all_taken(shown: str, text: str, path: str, folders: Mapping[str, str]) -> tuple[str, list[_Taken]]:
    if is_python(shown, text):
        return "py", list(_imported(text, path))
    if is_shell(shown, text):
        return "sh", list(_sourced(text, path, folders))
    if shown.endswith(".ps1"):
        return "ps1", [*_dotted(text, path), *_dotted_by_name(text, path, folders.get("PWD", ""))]
    if shown.endswith((".js", ".mjs", ".cjs", ".ts", ".mts")) or "node" in text.partition("\n")[0]:
        return "js", list(_required(text, path))
    return "", []


def _sourced(text: str, path: str, folders: Mapping[str, str]) -> Iterator[_Taken]:
    known = {
        each.start(): os.path.join(folder, each["file"]) for each, folder in started_by(text, path, folders)
    }
    for found in _SOURCED.finditer(text):
        pieces = _BEHIND_FOLDER.split(found["word"].strip("\"'"))
        tail = pieces[-1].strip("/\"'")
        places = (os.path.join(each, tail) for each in (os.path.dirname(path), folders.get("PWD", "")))
        if there := next(filter(os.path.isfile, (known.get(found.start(), ""), *places)), ""):
            yield _Taken(there, found.start(), found.end())


def _dotted(text: str, path: str) -> Iterator[_Taken]:
    for found in _DOTTED.finditer(text):
        there = os.path.join(os.path.dirname(path), (found["a"] or found["b"]).replace("\\", "/"))
        if os.path.isfile(there):
            yield _Taken(there, found.start(), found.end())


def _dotted_by_name(text: str, path: str, root: str) -> Iterator[_Taken]:
    for found in _BY_NAME.finditer(text):
        made = re.findall(
            rf"(?im)^[ \t]*\${found['name']}[ \t]*=[^\n]*?[\"'](?:\$\w+[\\/])?([\w.\\/-]+\.ps1)[\"']", text
        )
        files_of = (each.replace("\\", "/") for each in made)
        places = (os.path.join(each, name) for name in files_of for each in (os.path.dirname(path), root))
        if there := next(filter(os.path.isfile, places), ""):
            yield _Taken(there, found.start(), found.end())


def _imported(text: str, path: str) -> Iterator[_Taken]:
    for found in _IMPORTED.finditer(text):
        module = found["whole"] or found["of"]
        dots = len(module) - len(module.lstrip("."))
        parts = module[dots:].split(".")
        own = os.path.normpath(os.path.join(os.path.dirname(path), *[".."] * max(dots - 1, 0)))
        for folder in _BESIDE if "sys.path" in text else _BESIDE[:1]:
            base = os.path.join(own, folder, *parts)
            if there := next(filter(os.path.isfile, (f"{base}.py", os.path.join(base, "__init__.py"))), ""):
                names = tuple(re.findall(r"(\w+)[ \t]+as[ \t]+(\w+)", found["names"] or ""))
                owner = (found["called"] or found["whole"]) if found["whole"] else ""
                yield _Taken(there, found.start(), found.end(), found["margin"], owner, names)
                break


def _required(text: str, path: str) -> Iterator[_Taken]:
    for found in _REQUIRED.finditer(text):
        base = os.path.normpath(os.path.join(os.path.dirname(path), found["of"] or found["from"]))
        stem = re.sub(r"\.js$", "", base)  # of TypeScript, too
        ends = ("", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts")
        places = (f"{each}{end}" for each in (base, stem) for end in ends)
        names = found["names"] or found["named"]
        if there := next(filter(os.path.isfile, places), ""):
            renamed = tuple(re.findall(r"(\w+)[ \t]*(?::|\bas\b)[ \t]*(\w+)", names)) if "{" in names else ()
            owner = "" if "{" in names or names == "*" else names.split()[-1]
            yield _Taken(there, found.start(), found.end(), "", owner, renamed)


@lru_cache(maxsize=256)
def names_in(kind: str, text: str) -> frozenset[str]:
    """The names that code has: none of its comments, and in Python and JavaScript none of its texts."""
    tree = python_tree(text) if kind == "py" else None
    if tree is not None:
        nodes = [*ast.walk(tree)]
        found = [each.id for each in nodes if isinstance(each, ast.Name)]
        found += [each.attr for each in nodes if isinstance(each, ast.Attribute)]
        found += [each.name for each in nodes if isinstance(each, ast.alias)]
        return frozenset(found)
    if kind == "js":
        filled = " ".join(_FILLED.findall(text))
        return frozenset(_WORD.findall(f"{without_texts(text, kind)} {filled}"))
    return frozenset(_WORD.findall(without_comments(text, f".{kind}")))


def _needed(kind: str, text: str, asking: frozenset[str], margin: str) -> str:
    """Of a file what stands before its functions, and those of them that are called, also by one another."""
    if kind == "js":
        text = _OF_ARROW.sub(r"const \1 = ", _OF_FUNCTION.sub(r"\2function \1", text))
    text = _OUT_OF_PLACE.sub("", _HANDED_OUT.sub("", text))
    functions, first = {}, len(text)
    for found in _FUNCTIONS[kind].finditer(text):
        first = min(first, found.start())
        name = next(filter(None, found.groups()))
        functions[name] = text[found.start() : _end_of(kind, text, found)]
    called, open_names = list[str](), asking
    while reached := [name for name in functions if name in open_names and name not in called]:
        called += reached
        open_names = frozenset().union(*(names_in(kind, functions[name]) for name in reached))
    telling = [functions[name] for name in _telling(kind, functions, called)]
    named = frozenset().union(*(names_in(kind, each) for each in telling))
    needed = (text[:first], *_values(kind, text, first, named), *telling)
    joined = "\n".join(each.strip("\n") for each in needed)
    if kind == "py" and not joined.strip():
        joined = "pass"
    return re.sub(r"(?m)^(?=.)", margin, joined) if margin else joined


def _values(kind: str, text: str, behind: int, names: frozenset[str]) -> Iterator[str]:
    """The values that stand between functions and are named by those that are kept."""
    inside = [(each.mark, each.end) for each in here_documents(text)] if kind == "sh" else []
    for found in _VALUES[kind].finditer(text, behind):
        if found["name"] in names and not any(start < found.start() < end for start, end in inside):
            opens = found[0].rstrip().endswith(("[", "(", "{", ","))
            ends = _ENDS_OF_VALUE.search(text, found.end()) if opens else None
            value = text[
                found.start() : text.find("\n", ends.start()) % (len(text) + 1) if ends else found.end()
            ]
            going_on = value.rstrip().endswith(("=", "+", "|", "\\")) or (opens and not ends)
            if not going_on and not any(value.count(each) % 2 for each in "\"'`"):
                yield value


def _telling(kind: str, functions: Mapping[str, str], called: list[str]) -> Iterator[str]:
    """Those that say something for the script, or call one that does; records that others keep are none of it."""
    bare = {name: text for name, text in functions.items() if name in called}
    tells = {
        name
        for name, text in bare.items()
        if (_TELLS.search(text) or _adds(text)) and not _KEEPS.search(text)
    }
    while more := {
        name
        for name, text in bare.items()
        if name not in tells and not tells.isdisjoint(names_in(kind, text))
    }:
        tells |= more
    if any(_DENIES.search(bare[name]) for name in tells):
        tells |= {name for name, text in bare.items() if _JUDGES.search(text) and not _KEEPS.search(text)}
    return (name for name in functions if name in tells)


def _adds(text: str) -> bool:
    """Whether a function gives back what it is given with something put into it, as one that evens out payloads."""
    given = {*_WORD.findall(text.partition("\n")[0])}
    return not given.isdisjoint(
        {each[1] for each in _PUTS.finditer(text)}.intersection(_GIVES_BACK.findall(text))
    )


def _end_of(kind: str, text: str, found: re.Match[str]) -> int:
    line_end = text.find("\n", found.end())
    if line_end < 0:
        return len(text)
    if kind != "py" and text[found.end() : line_end].rstrip(" ;\t").endswith("}"):
        return line_end
    end = _ENDS[kind].search(text, line_end + 1)
    if end is None:
        return len(text)
    return end.start() if kind == "py" else text.find("\n", end.start()) % (len(text) + 1)
