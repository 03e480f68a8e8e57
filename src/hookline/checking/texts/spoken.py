"""What a script says in plain words of its own, and on which stream: shell, Python, JavaScript and PowerShell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from hookline.checking.steps.here_documents import HereDocument, here_documents, without
from hookline.checking.steps.languages import is_python, is_shell, python_tree
from hookline.checking.steps.python_steps import steps_of_python
from hookline.model.record import Record
from hookline.system.patterns.late import late

_QUOTED = r"(?:\"(?P<double>(?:\\.|[^\"\\])*)\"|'(?P<single>[^']*)')"
_SHELL = (
    r"(?m)(?P<before>^|[;&|{()]|\b(?:then|do|else)\b)[ \t]*(?P<first>1?>[ \t]*&[ \t]*2[ \t]+)?(?P<by>echo|printf%s)"
    r"\s+(?P<early>(?:1?>[ \t]*&[ \t]*2|>[ \t]*/dev/stderr)\s+)?(?:-\w+\s+)*(?:[\"'](?:%%s|\\n)+[\"']\s+)?"
    rf"{_QUOTED.replace('%', '%%')}(?P<behind>[^\n;&|]*(?:&\d[^\n;&|]*)?)(?=(?P<next>\|(?!\|)|&&|\|\||;|\}}|$)?)"
)
_TO_ERRORS = late(r">\s*&\s*2|>\s*/dev/stderr")
_RUN_BY_PYTHON = late(
    r"(?m)(?:^|[;&|{]|\b(?:then|do|else)\b)[ \t]*python3?(?:[ \t]+-u)?"
    r"(?:[ \t]+-[ \t](?:[^$()|\n]|\$(?!\())*|[ \t]+-?[ \t]*)$",
    needs=("python",),
)
_ELSEWHERE = late(r"(?<![0-9&])1?>>?\s*(?!&|/dev/stdout)|\|(?!\|)")
# a group, a loop or the whole script whose output goes on somewhere
_SENT_ON = late(
    r"(?m)^(?P<margin>[ \t]*)(?:\}|\)|done|fi|esac)\s*(?:>|\d>|&>|\|(?!\|))|^[ \t]*exec\s+(?:\d?>|&>)"
)
# the same in one row
_GROUP_SENT = late(
    r"(?:\{[ \t](?:[^{}\n]|\$\{[^{}\n]*\})*;[ \t]*\}|(?<![$<>\w])\((?!\()(?:[^()\n]|\$\([^()\n]*\))*\))"
    r"(?=[ \t]*(?:1?>|&>|\|(?!\|)))(?![ \t]*1?>[ \t]*/dev/stdout)",
    needs=("{", "("),
)
_SUBSTITUTED = late(r"\$\(\s*(\w+)", needs=("$(",))
_SENT_AWAY = late(r"(?<![^\n;&|])([^\n;&|]*)(?:\|(?!\|)|(?<![0-9&])>>?\s*(?!&))", needs=("|", ">"))
_IN_QUOTES = late(r"(?<=[\s=(])(?:\"(?:\\.|[^\"\\\n`$]|\$(?!\())*\"|'[^'\n]*')(?=[\s;)]|$)", needs=('"', "'"))
_NAMES = late(r"\w+")
_ALL_TO_ERRORS = late(r"\bexec\s+1?>\s*(?:&\s*2|/dev/stderr)\s*(?:[;#]|$)", re.MULTILINE)
_COMMENT = late(r"(?m)^[ \t]*#[^\n]*", needs=("#",))
_FUNCTION = late(r"(?m)^([ \t]*)(?:function\s+)?(\w+)\s*\(\)", needs=("()",))
# a function that prints what it is given, and no more
_SHELL_HELPER = late(
    r"(?m)^[ \t]*(?:function\s+)?(\w+)\s*\(\)\s*\{\s*(?:local\s+\w+=\S+\s+)?"
    r"((?:echo|printf)\b[^\n;]*\$\{?(?:[*@]|(?:1|msg|message)\b)[^\n;]*)(?:;\s*|\s*\n\s*)"
    r"(?:(?!\s*(?:exit|return)\b)[^\n{}]*\n\s*){0,3}?\}"
)
_SHELL_GIVEN = late(rf"(?m)(?:^|[;&|{{]|\b(?:local|then|do|else)\b)[ \t]*(\w+)\+?=\(?[ \t]*{_QUOTED}")
_SHELL_LOOP = late(r"\bfor\s+(\w+)\s+in\s+\"?\$\{?(\w+)")
_SHELL_NAME = late(r"\$\{?(\w+)(?:\[[@*]\])?\}?")
_CALL = r"(?P<call>console\.(?:log|info|error|warn)|process\.std(?:out|err)\.write%s)\(\s*"
_LITERAL = r"(?P<quote>[\"'`])(?P<words>(?:\\.|(?!(?P=quote))[\s\S])*)(?P=quote)"
_SCRIPT_HELPER = late(
    r"(?:function\s+(?P<name>\w+)\s*\(\s*(?P<given>\w+)[^)\n]*\)[^{\n]*\{|(?:const|let)\s+(?P<named>\w+)\s*=\s*\(?\s*(?P<taken>\w+)[^=\n]*=>\s*\{?)"
    rf"\s*{_CALL % ''}(?!JSON\.stringify\()[^\n;]*\b(?:(?P=given)|(?P=taken))\b[^\n;]*;?\s*(?:\}}|\n)"
)
_SCRIPT_GIVEN = late(rf"\b(?P<name>\w+)(?:\.push\(|\s*\+?=(?!=))\s*{_LITERAL}")
_SCRIPT_LOOP = late(
    r"\bfor\s*\(\s*(?:const|let|var)\s+(?P<one>\w+)\s+of\s+(?P<all>\w+)\s*\)"
    r"|\b(?P<list>\w+)\.forEach\(\s*\(?\s*(?P<each>\w+)\b"
)
_JOINED_ON = late(rf"\s*\+\s*(?:{_LITERAL}|[\w.]{{1,60}}(?:\([^()\n]{{0,80}}\))?)")
_SCRIPT_FILLED, _FILLED_IN = late(r"\$\{(\w+)(?:\.(?:map|join|slice)\([^{}]*)?\}"), late(r"\$\{[^{}]*\}")
_POWERSHELL = late(
    r"(?im)(?:^|[{;])\s*(?P<call>Write-(?:Output|Host|Warning|Error)|\[Console\]::(?:Error\.)?Write(?:Line)?\()\s*"
    r"(?:(?P<quote>[\"'])(?P<words>(?:(?!(?P=quote)).)*)(?P=quote)|\(?\$(?P<name>\w+)\b(?![.\[]))[^\n|]*$"
)
_POWERSHELL_GIVEN = late(
    r"(?im)(?:^|[{;])[ \t]*\$(?P<name>\w+)\s*\+?=\s*(?:@\(\s*)?"
    r"(?:@(?P<here>[\"'])[ \t]*\n(?P<text>[^@]{0,2000})\n(?P=here)@"
    r"|(?P<quote>[\"'])(?P<words>(?:(?!(?P=quote)).)*)(?P=quote))"
)
_RUNS = late(r"\bexec(?:File)?Sync\(")
_LOGS_ELSEWHERE = late(r"\bfilename\s*=|\bhandlers\b|Handler\b|\b(?:dict|file)Config\b|\blogging\.disable\b")
APART = "\f"  # what one name is given at several places
_JAVASCRIPT_ENDS = (".js", ".mjs", ".cjs", ".ts", ".mts")


class Spoken(Record):
    """Words that are printed as they stand, what is filled in left out, on standard output or on standard error.

    `at`: where the statement stands that prints them, and `end`: where it ends. `told`: the words without what its
    variables are given.
    """

    words: str
    on_stderr: bool
    at: int
    end: int
    told: str = ""


def spoken_in(shown: str, text: str) -> Iterator[Spoken]:
    """What a script says, also by a function or a variable of its own; nothing of one whose parts send their output
    on as a whole. JSON is no such words."""
    if shown.endswith(_JAVASCRIPT_ENDS):
        said = _in_javascript(text)
    elif shown.endswith(".ps1"):
        said = _in_powershell(text)
    elif is_python(shown, text):
        said = _in_python(text)
    elif is_shell(shown, text) or "fish" in text.partition("\n")[0]:
        said = _in_shell(*_without_sent(without_taken(text)))
    else:
        return
    for each in said:  # an answer that is printed where nobody looks for one is no answer
        if not each.words.lstrip().startswith(("[{", "%s") if each.on_stderr else ("{", "[{", "%s")):
            yield each


def without_taken(text: str) -> str:
    """A script without the functions whose output is kept, sent away or read by another; all else stays in place."""
    text = text.replace("\\\n", "  ")
    calls = _COMMENT.sub("", text)
    bare = _IN_QUOTES.sub('""', calls)
    sent = (words for each in _SENT_AWAY.findall(bare) for words in _NAMES.findall(each))
    taken = {*_SUBSTITUTED.findall(calls), *sent}
    for found in reversed(list(_FUNCTION.finditer(text))):
        if found[2] in taken:
            ends = re.compile(rf"[^\n]*\}}[ \t]*$|[\s\S]*?^{found[1]}\}}", re.MULTILINE).match(
                text, found.end()
            )
            end = ends.end() if ends else len(text)
            text = text[: found.start()] + re.sub(r"[^\n]", " ", text[found.start() : end]) + text[end:]
    return text


def _without_sent(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A script without what is sent on as a whole, and where it goes to standard error; nothing of one where it is
    not clear where that begins."""
    to_errors = []
    for all_of_it in _ALL_TO_ERRORS.finditer(text):
        to_errors.append((all_of_it.end(), len(text)))
        text = text[: all_of_it.start()] + re.sub(r"[^\n]", " ", all_of_it[0]) + text[all_of_it.end() :]
    for group in _GROUP_SENT.finditer(text):
        if _TO_ERRORS.match(text[group.end() :].lstrip(" \t1")):
            to_errors.append(group.span())
        else:
            text = text[: group.start()] + re.sub(r"[^\n]", " ", group[0]) + text[group.end() :]
    for found in reversed(list(_SENT_ON.finditer(text))):
        opens = rf"(?m)^{found['margin']}(?=\S)(?:[^\n]*(?:\b(?:do|then|in)|[{{(])[ \t]*$|[{{(][ \t]+[^\n{{}}()]*$)"
        opened = [*re.finditer(opens, text[: found.start()])] if found["margin"] is not None else []
        if not opened:
            return "", []
        start = opened[-1].start()
        if _TO_ERRORS.match(text, found.end() - 1):
            to_errors.append((start, found.start()))
            continue
        text = text[:start] + re.sub(r"[^\n]", " ", text[start : found.start()]) + text[found.start() :]
    return text, to_errors


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """All texts that a name is given, one after the other."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name] = f"{found[name]}{APART}{value}" if name in found else value
    return found


# -- shell --------------------------------------------------------------------------------------------


def _in_shell(text: str, to_errors: list[tuple[int, int]]) -> Iterator[Spoken]:
    documents = list(here_documents(text))
    for each in documents:
        yield from _of_program(each, text)
    printed = [each for each in documents if each.cat >= 0]
    for each in printed:
        sent = each.between + each.tail
        if "$(" not in text[each.start : each.cat] and not _ELSEWHERE.search(_TO_ERRORS.sub("", sent)):
            yield Spoken(each.text, bool(_TO_ERRORS.search(sent)), each.cat, each.end)
    bare = without(text, [(each.start, each.end) for each in printed])
    helpers = {
        each[1]: (bool(_TO_ERRORS.search(each[2])), each[2].partition("$")[0].partition('"')[2])
        for each in _SHELL_HELPER.finditer(bare)
        if not _ELSEWHERE.search(_TO_ERRORS.sub("", each[2]))
    }
    given = _joined((each[1], _of_quotes(each)) for each in _SHELL_GIVEN.finditer(bare))
    given.update((each, given[of]) for each, of in _SHELL_LOOP.findall(bare) if of in given)
    inside = [each.span() for each in _SHELL_HELPER.finditer(bare) if each[1] in helpers]
    for found in re.finditer(_SHELL % "".join(f"|{name}" for name in helpers), bare):
        if any(start < found.start("by") < end for start, end in inside):
            continue  # what it is given is said where it is called
        behind = found["behind"] + (found["next"] or "")
        before = bare[bare.rfind("\n", 0, found.start() + 1) + 1 : found.end("before")]
        # in what began on an earlier line as well
        captured = "$(" in before or (behind.lstrip().startswith(")") and "(" not in before)
        if not captured and not _ELSEWHERE.search(_TO_ERRORS.sub("", behind)):
            on_stderr, begins = helpers.get(found["by"], (False, ""))
            told = begins + _of_quotes(found)
            kept = " ".join(given[name] for name in _SHELL_NAME.findall(told) if name in given)
            own = re.search(r"\w", _SHELL_NAME.sub("", told)) or not kept
            words = f"{told} {kept}".replace(APART, " ") if own else kept
            on_stderr = on_stderr or any(start < found.start("by") < end for start, end in to_errors)
            on_stderr = on_stderr or bool(found["first"] or found["early"] or _TO_ERRORS.search(behind))
            yield Spoken(words, on_stderr, found.start("by"), found.end(), told if own else "")


def _of_program(document: HereDocument, text: str) -> Iterator[Spoken]:
    """What a program of Python in a here-document says that ends well in any case."""
    sent = _TO_ERRORS.sub("", document.tail)
    if not _RUN_BY_PYTHON.search(text, document.start, document.mark) or _ELSEWHERE.search(sent):
        return
    steps = steps_of_python(document.text)
    if steps is not None and not steps.all_codes():
        all_of_it = sent != document.tail
        for each in _in_python(document.text):
            yield Spoken(each.words, each.on_stderr or all_of_it, document.mark, document.end)


def _of_quotes(found: re.Match[str]) -> str:
    return found["double"] if found["double"] is not None else found["single"] or ""


# -- JavaScript and PowerShell ------------------------------------------------------------------------


def _in_javascript(text: str) -> Iterator[Spoken]:
    helpers = {each["name"] or each["named"]: each["call"] for each in _SCRIPT_HELPER.finditer(text)}
    given = _joined((each["name"], each["words"]) for each in _SCRIPT_GIVEN.finditer(text))
    loops = (each.groupdict() for each in _SCRIPT_LOOP.finditer(text))
    of_loops = ((each["one"] or each["each"], each["all"] or each["list"]) for each in loops)
    given.update((one, given[every]) for one, every in of_loops if every in given)
    calls = _CALL % "".join(rf"|\b{name}" for name in helpers)
    kept = "|".join(map(re.escape, given)) or r"(?!)"
    for found in re.finditer(rf"{calls}(?:{_LITERAL}|(?P<name>{kept})\b(?=[.),]))", text):
        if not _is_of_an_error(text, found.start()):
            call = helpers.get(found["call"], found["call"])
            on_stderr = any(each in call for each in ("error", "warn", "stderr"))
            words = (
                f"{found['words']}{_joined_on(text, found.end())}"
                if found["name"] is None
                else given[found["name"]]
            )
            filled = _SCRIPT_FILLED.findall(found["words"] or "") if found["quote"] == "`" else ()
            kept = " ".join(given[name] for name in filled if name in given)
            own = re.search(r"\w", _FILLED_IN.sub("", words)) or not kept
            told = f"{words} {kept}" if own and kept else words if own else kept
            yield Spoken(told, on_stderr, found.start(), found.end(), words if own and kept else "")
    for found in re.finditer(rf"{calls}\[(?P<parts>[^\]]{{0,4000}})\]\.join\(", text):
        if not _is_of_an_error(text, found.start()):
            call = helpers.get(found["call"], found["call"])
            on_stderr = any(each in call for each in ("error", "warn", "stderr"))
            words = "\n".join(each["words"] for each in re.finditer(_LITERAL, found["parts"]))
            yield Spoken(words, on_stderr, found.start(), found.end())


def _joined_on(text: str, at: int) -> str:
    """The texts that a `+` joins to what stands before a place."""
    words = ""
    while more := _JOINED_ON.match(text, at):
        words, at = words + (more["words"] or ""), more.end()
    return words


def _is_of_an_error(text: str, at: int) -> bool:
    """Whether it is said where something failed; the failure of a program that was run is a result like others."""
    caught = text.rfind("catch", max(0, at - 120), at)
    closed = caught >= 0 and text.count("}", caught, at) >= max(text.count("{", caught, at), 1)
    return caught >= 0 and not closed and not _RUNS.search(text, max(0, text.rfind("try", 0, caught)), caught)


def _in_powershell(text: str) -> Iterator[Spoken]:
    given = _joined(
        (each["name"].lower(), each["words"] or each["text"] or "")
        for each in _POWERSHELL_GIVEN.finditer(text)
    )
    for found in _POWERSHELL.finditer(text):
        name = (found["name"] or "").lower()
        unknown = f"${found['name']}" if found["call"].lower() == "write-host" else ""
        words = given.get(name, unknown) if found["words"] is None else found["words"]
        if words and not _is_of_an_error(text, found.start()):
            yield Spoken(words, "error" in found["call"].lower(), found.start("call"), found.end())


# -- Python -------------------------------------------------------------------------------------------


def _in_python(text: str) -> Iterator[Spoken]:
    tree = python_tree(text)
    if tree is None:
        return
    starts = [0]
    for row in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    given = _joined(_given(tree))
    given.update(
        (each.target.id, given[each.iter.id])
        for each in ast.walk(tree)
        if isinstance(each, ast.For) and isinstance(each.target, ast.Name)
        and isinstance(each.iter, ast.Name) and each.iter.id in given
    )  # fmt: skip
    helpers = {
        node.name: told
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and (told := _hands_on(node)) is not None
    }
    helpers.update(dict.fromkeys(_loggers(tree, text), "sys.stdout" not in text))
    yield from _of_python(tree, starts, given, helpers)


def _loggers(tree: ast.Module, text: str) -> Iterator[str]:
    """What `logging` says things with, unless a file of its own is named for them; only what it shows by itself."""
    if "logging" not in text or _LOGS_ELSEWHERE.search(text):
        return
    names = ["logging"]
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names += [node.targets[0].id] * ast.unparse(node.value).startswith("logging.getLogger(")
    yield from (f"{name}.{how}" for name in names for how in ("warning", "error", "critical"))


def _given(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What is put into a variable, or into a list."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name), *_], value=value):
                yield name, _literal(value, {})
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                yield name, _literal(value, {})
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend"), args=[first, *_]
            ):
                yield name, _literal(first, {})


def _hands_on(node: ast.FunctionDef) -> bool | None:
    """Whether a function prints its first argument on standard error; None if it does not print it, or ends all."""
    first = node.args.args[0].arg if node.args.args else ""
    inside = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    if not first or any("exit" in ast.unparse(each.func) for each in inside):
        return None
    printing = (
        each
        for each in inside
        if _stream(each) is not None
        and "json.dumps(" not in ast.unparse(each)
        and any(
            isinstance(part, ast.Name) and part.id == first for given in each.args for part in ast.walk(given)
        )
    )
    found = next(printing, None)
    return None if found is None else _stream(found)


def _stream(call: ast.Call) -> bool | None:
    """Whether a call prints on standard error; None where it prints nothing."""
    name = ast.unparse(call.func)
    given = next((each.value for each in call.keywords if each.arg == "file"), None)
    if not call.args or (name == "print" and given is not None and "sys.std" not in ast.unparse(given)):
        return None
    if name == "print":
        return given is not None and ast.unparse(given) == "sys.stderr"
    return "stderr" in name if name in ("sys.stderr.write", "sys.stdout.write") else None


def _of_python(
    node: ast.AST, starts: list[int], given: Mapping[str, str], helpers: Mapping[str, bool]
) -> Iterator[Spoken]:
    if isinstance(node, ast.ExceptHandler):
        return  # what fails is told to nobody on purpose
    if isinstance(node, ast.Call) and node.args:
        on_stderr = helpers.get(ast.unparse(node.func))
        on_stderr = _stream(node) if on_stderr is None else on_stderr
        if on_stderr is not None:
            told = " ".join(_literal(each, given) for each in node.args)
            told = told.replace("%s", "") if isinstance(node.func, ast.Attribute) else told
            yield Spoken(told, on_stderr, starts[node.lineno - 1], starts[node.end_lineno or 0])
    for each in ast.iter_child_nodes(node):
        yield from _of_python(each, starts, given, helpers)


def _literal(node: ast.expr, given: Mapping[str, str]) -> str:
    """The fixed parts of a text, also of a list, and of a name that is given some."""
    match node:
        case ast.Name(id=name):
            return given.get(name, "")
        case ast.JoinedStr(values=values):
            return "".join(_literal(each, given) for each in values).replace(APART, " ")
        case ast.FormattedValue(value=value):
            return _literal(value, given) if isinstance(value, ast.Name) else ""
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return " ".join(_literal(each, given) for each in parts)
        case ast.BinOp(left=left, right=right):
            return (_literal(left, given) + _literal(right, given)).replace(APART, " ")
        case ast.Call(func=ast.Attribute(value=ast.Constant() as text, attr=how), args=args):
            return _literal(args[0], given) if how == "join" and args else _literal(text, given)
        case ast.Constant(value=str() as text):
            return text
    return ""
