"""What the names and expressions of Python code stand for."""

from __future__ import annotations

import _ast as ast
import re
from collections.abc import Mapping

from hookline.shell.code.python_calls import AS_COMMANDS, LISTS, MAKES_TEMPORARY, OPENS, SHELLS, STARTS
from hookline.shell.code.python_values import (
    LONGEST_VALUE,
    TEMPORARY,
    Choices,
    Function,
    Known,
    Path,
    Started,
    as_word,
    bounded,
    decoded,
    joined,
    listed,
    loaded,
    sliced,
    table_of,
    text_of_method,
)
from hookline.shell.reading import Word
from hookline.system.patterns.late import late

MOST_LOOKS = 30_000  # at expressions, as each may ask for those in it more than once
_FORMATTED = late(r"%(?:\((\w+)\))?[-#0 +]*\d*(?:\.\d+)?[sdrif]|%%", 0, ("%",))
_BRACES = late(r"\{(\w*)(?:![rsa])?(?::[^{}]*)?\}", 0, ("{",))


class Names:
    """The values of names in one walk. Members go by their name alone, whatever object they are of."""

    def __init__(self) -> None:
        self._names: dict[str, object] = {}
        self._modules: dict[str, str] = {}
        self._members: dict[str, object] = {}
        self._makers: dict[str, str] = {}  # by which call a name got its value
        self._environment: dict[str, object] = {}  # what the code itself sets of it
        self._functions: Mapping[str, Function] = {}
        self._results: dict[ast.AST, object] = {}
        self._returned: list[object] = []
        self._looks = 0
        self._choices = Choices(0)
        self._doubtful: frozenset[ast.AST] = frozenset()

    # -- what gets a value ----------------------------------------------------------------------------------------

    def _assigned(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        if node.value is None:
            return
        if isinstance(node, ast.AugAssign):
            held, more = self._value(node.target), self._value(node.value)
            if isinstance(held, list) and isinstance(more, list):
                self._assign(node.target, bounded(held + more))
            elif isinstance(held, dict) and isinstance(more, dict):
                held |= more
            else:
                self._assign(node.target, joined([held, more]))
            return
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and node not in self._doubtful:
                self._bind(target.id, node.value)
                continue
            value = self._value(node.value)
            before = self._names.get(target.id) if isinstance(target, ast.Name) else None
            self._assign(target, value if before is None else self._choices.one_of(node, [before, value]))

    def _bind(self, name: str, given: ast.expr) -> None:
        value = self._value(given)
        called = self._name(given) if isinstance(given, ast.Attribute | ast.Name | ast.Call) else ""
        self._names[name] = value
        self._makers[name] = self._name(given.func) if isinstance(given, ast.Call) else ""
        if value is None and called:
            self._modules[name] = called
        else:
            self._modules.pop(name, None)

    def _assign(self, target: ast.expr, value: object) -> None:
        match target:
            case ast.Name(id=name):
                self._names[name] = value
            case ast.Attribute(attr=attr):
                self._members[attr] = value
            case ast.Subscript(value=held, slice=index):
                table, key = self._value(held), self._value(index)
                if isinstance(table, dict) and isinstance(key, str):
                    table[key] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                values = value if isinstance(value, list) else []
                for at, each in enumerate(targets):
                    if isinstance(each, ast.Starred):
                        self._assign(each.value, values[at : len(values) - len(targets) + at + 1])
                        values = values[len(values) - len(targets) :] if len(values) >= len(targets) else []
                    else:
                        self._assign(each, values[at] if at < len(values) else None)

    def _changed(self, held: list[object] | dict[str, object], method: str, node: ast.Call) -> None:
        """`words.append("x")`, `options.update(a="x")`."""
        given = [self._value(each) for each in node.args]
        if isinstance(held, dict):
            if method == "update":
                for each in given:
                    held |= table_of(each)
                held |= {k.arg: self._value(k.value) for k in node.keywords if k.arg}
            elif method == "setdefault" and len(given) > 1:
                held.setdefault(str(given[0]), given[1])
        elif method == "append":
            held.extend(given)
        elif method == "insert":
            held[:0] = given[1:]
        elif method == "extend":
            more = given[0] if given and isinstance(given[0], list) else [None]
            held.extend(more if len(held) + len(more) <= LONGEST_VALUE else [None])

    def _made(self, node: ast.Call) -> None:
        """`SimpleNamespace(a="x")`, and what a class of the code is made with."""
        self._members |= {k.arg: self._value(k.value) for k in node.keywords if k.arg}

    def _called(self, function: ast.expr) -> Function | None:
        match function:
            case ast.Lambda():
                return function
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self._functions.get(name)
        return None

    def _parameters(self, function: Function, node: ast.Call, given: tuple[object, ...]) -> dict[str, object]:
        """The arguments of a call by the names that the function has for them."""
        named = function.args
        names = [each.arg for each in (*named.posonlyargs, *named.args)]
        defaults = dict(zip(reversed(names), map(self._value, reversed(named.defaults)), strict=False))
        defaults |= {
            each.arg: self._value(value)
            for each, value in zip(named.kwonlyargs, named.kw_defaults, strict=True)
            if value is not None
        }
        values = [*given, *self._elements(node.args)]
        names = names[1:] if names[:1] in (["self"], ["cls"]) else names
        found = dict.fromkeys(names) | defaults | dict(zip(names, values, strict=False))
        if named.vararg is not None:
            found[named.vararg.arg] = values[len(names) :]
        return found | {k.arg: self._value(k.value) for k in node.keywords if k.arg}

    # -- what a name, or an expression, is --------------------------------------------------------------------------

    def _one_of(self, node: ast.expr) -> object:
        """What a loop's variable is: a file of a folder, an element of a list."""
        value = self._value(node)
        if isinstance(value, list | dict):
            return self._choices.one_of(node, list(value))
        name = self._name(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in LISTS:
            place = self._value(node.args[0]) if node.args else "."
            return listed(name, place)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            held = self._value(node.func.value)
            if isinstance(held, Path) and node.func.attr in ("iterdir", "glob", "rglob"):
                wanted = self._value(node.args[0]) if node.args else "*"
                last = listed("glob", wanted) if isinstance(wanted, str) else None
                below = [None, "/"] if node.func.attr == "rglob" and last is not None else []
                return Path(joined([held, "/", *below, last]))
        return None

    def _name(self, node: ast.expr) -> str:
        """The dotted name of what is called, imports resolved: `o.remove` of `import os as o` is `os.remove`."""
        match node:
            case ast.Name(id=name) | ast.NamedExpr(target=ast.Name(id=name)):
                held = self._names.get(name)
                return held.name if isinstance(held, Known) else self._modules.get(name, name)
            case ast.Subscript(value=ast.Attribute(value=value, attr="__dict__"), slice=index):
                return f"{self._name(value)}.{self._word(index).literal or '?'}"
            case ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[value]), slice=index):
                return f"{self._name(value)}.{self._word(index).literal or '?'}"
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="sys"), attr="modules"), slice=index):
                return self._word(index).literal or ""
            case ast.Subscript():
                held = self._value(node)
                return held.name if isinstance(held, Known) else ""
            case ast.Call(func=ast.Attribute(value=value, attr="__getattribute__"), args=[first]):
                return f"{self._name(value)}.{self._word(first).literal or '?'}"
            case ast.Attribute(value=value, attr=attr):
                base = self._name(value)
                return f"{base}.{attr}" if base else f".{attr}"
            case ast.Call(func=func, args=[first, *rest]):
                called = self._name(func)
                if called.endswith("__import__") or called == "importlib.import_module":
                    return self._word(first).literal or ""
                if called == "getattr" and rest:
                    return f"{self._name(first)}.{self._word(rest[0]).literal or '?'}"
        return ""

    def _words(self, node: ast.expr) -> list[Word] | None:
        value = self._value(node)
        if isinstance(value, list):
            return [as_word(each) for each in value]
        if isinstance(node, ast.Call) and self._name(node.func) == "shlex.split" and node.args:
            text = self._word(node.args[0]).literal
            return None if text is None else [Word((each,)) for each in text.split()]
        return None

    def _word(self, node: ast.expr) -> Word:
        return as_word(self._value(node))

    def _value(self, node: ast.expr) -> object:
        """A text, a list, a path; None where it cannot be told."""
        self._looks += 1
        if self._looks > MOST_LOOKS:
            return None
        match node:
            case ast.Constant(value=str() | bytes() | int()):
                return node.value.decode("latin-1") if isinstance(node.value, bytes) else str(node.value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
                return str(-number)
            case ast.Name(id="tmp_path" | "tmpdir" as name) if self._names.get(name) is None:
                return Path(TEMPORARY)  # which pytest makes
            case ast.Name(id=name):
                return self._names[name] if name in self._names else self._known(node)
            case ast.NamedExpr(target=target, value=value):
                self._assign(target, self._value(value))
                return self._value(target)
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return self._elements(elements)
            case ast.Dict(keys=keys, values=values):
                table: dict[str, object] = {}
                for key, value in zip(keys, values, strict=True):
                    given = self._value(value)
                    table |= {str(self._value(key)): given} if key else table_of(given)
                return table
            case ast.ListComp(elt=made, generators=[each]) | ast.GeneratorExp(elt=made, generators=[each]):
                return self._of_each(made, each)
            case ast.IfExp(body=left, orelse=right) | ast.BoolOp(op=ast.Or(), values=[left, right]):
                return self._either(node, [self._value(left), self._value(right)])
            case ast.JoinedStr(values=values):
                return joined([self._value(each) for each in values])
            case ast.FormattedValue(value=value):
                return self._value(value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._sum(self._value(left), self._value(right))
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return table_of(self._value(left)) | table_of(self._value(right)) or None
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return Path(joined([self._value(left), "/", self._value(right)]))
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return self._formatted(_FORMATTED, self._value(left), self._value(right))
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value="HOME")):
                return "~"
            case ast.Attribute(value=value, attr="parent" | "absolute" | "resolve" | "path"):
                return self._value(value)
            case ast.Subscript(value=value, slice=index):
                return sliced(self._value(value), index, self._value(index))
            case ast.Attribute(value=value, attr="name") if self._value(value) == TEMPORARY:
                return TEMPORARY
            case ast.Attribute(attr="executable") if self._name(node) == "sys.executable":
                return "python3"
            case ast.Attribute(attr="sep") if self._name(node) == "os.sep":
                return "/"
            case ast.Attribute(attr=attr):
                return self._members[attr] if attr in self._members else self._known(node)
            case ast.Call():
                return self._result(node)
        return None

    def _known(self, node: ast.expr) -> object:
        name = self._name(node)
        if name == "os.environ":
            return self._environment
        tables = (SHELLS, STARTS, AS_COMMANDS, OPENS)
        return Known(name) if any(name in table for table in tables) else None

    def _elements(self, nodes: list[ast.expr]) -> list[object]:
        found: list[object] = []
        for node in nodes[:LONGEST_VALUE]:
            value = self._value(node.value if isinstance(node, ast.Starred) else node)
            spread = isinstance(node, ast.Starred) and isinstance(value, list)
            found += value if spread and isinstance(value, list) and len(found) < LONGEST_VALUE else [value]
        return found

    def _of_each(self, made: ast.expr, loop: ast.comprehension) -> object:
        """The list that a comprehension makes, whatever its conditions leave out."""
        values = self._value(loop.iter)
        if not isinstance(values, list):
            return None
        names = self._names
        found = []
        for each in values:
            self._names = {**names}
            self._assign(loop.target, each)
            found.append(self._value(made))
        self._names = names
        return found

    def _either(self, node: ast.expr, values: list[object]) -> object:
        """One of those that are known."""
        return self._choices.one_of(node, [each for each in values if each is not None])

    def _formatted(self, places: re.Pattern[str], text: object, given: object) -> object:
        """`"%s" % x` and `"{}".format(x)`."""
        if not isinstance(text, str):
            return None
        values = given if isinstance(given, list) else [given]
        parts: list[object] = []
        end = number = 0
        for found in places.finditer(text):
            parts.append(text[end : found.start()])
            end, name = found.end(), found[found.lastindex or 0]
            if found[0] == "%%":
                parts.append("%")
            elif found.lastindex and name and not name.isdigit():
                parts.append(given.get(name) if isinstance(given, dict) else None)
            else:
                at = int(name) if found.lastindex and name else number
                parts.append(values[at] if at < len(values) else None)
                number += 1
        return joined([*parts, text[end:]])

    def _sum(self, left: object, right: object) -> object:
        if isinstance(left, list) and isinstance(right, list):
            return bounded([*left, *right])
        return joined([left, right])

    def _result(self, node: ast.Call) -> object:
        name = self._name(node.func)
        if node in self._results:
            return self._results[node]
        given = [self._value(each) for each in node.args]
        if name in ("os.path.join", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"):
            word = joined([piece for value in given for piece in ("/", value)][1:] or ["."])
            return Path(word) if name.startswith("pathlib") else word
        if name in (
            "os.path.expanduser",
            "os.path.abspath",
            "os.path.realpath",
            "os.fspath",
            "str",
            "os.path.normpath",
        ):
            return given[0] if given else None
        if name in STARTS:
            return Started(node)
        if name == "tempfile.mkstemp":
            return [None, None if node.args or node.keywords else TEMPORARY]
        if name in MAKES_TEMPORARY:
            return TEMPORARY if not node.args and not any(k.arg == "dir" for k in node.keywords) else None
        if name in ("pathlib.Path.home",):
            return Path(Word(("~",)))
        if name in ("os.getenv", "os.environ.get"):
            held = self._environment.get(str(given[0])) if given else None
            return held or ("~" if given[:1] == ["HOME"] else given[1] if len(given) > 1 else None)
        if name in ("list", "tuple", "set", "sorted", "reversed") and given:
            return list(given[0]) if isinstance(given[0], list | dict) else None
        if name == "dict":
            return {**table_of(given and given[0])} | {
                k.arg: self._value(k.value) for k in node.keywords if k.arg
            }
        if name == "enumerate" and given and isinstance(given[0], list):
            return [[str(at), each] for at, each in enumerate(given[0])]
        if name == "zip":
            lists = [each for each in given if isinstance(each, list)]
            return [list(each) for each in zip(*lists, strict=False)] if len(lists) == len(given) else None
        if name == "json.loads" and given and isinstance(given[0], str):
            return loaded(given[0])
        if name == "bytes.fromhex" and given and isinstance(given[0], str):
            return decoded(bytes.fromhex, given[0])
        if name in ("base64.b64decode", "base64.urlsafe_b64decode") and given and isinstance(given[0], str):
            import base64

            return decoded(base64.b64decode, given[0])
        if isinstance(node.func, ast.Attribute):
            return self._of_method(node, node.func, given)
        return None

    def _of_method(self, node: ast.Call, func: ast.Attribute, given: list[object]) -> object:
        held = self._value(func.value)
        if isinstance(held, dict):
            pairs: list[object] = [[key, value] for key, value in held.items()]
            of_keys = held.get(str(given[0]), given[1] if len(given) > 1 else None) if given else None
            known = {"items": pairs, "values": list(held.values()), "keys": list(held), "get": of_keys}
            return {**held} if func.attr == "copy" else known.get(func.attr)
        if isinstance(held, str) and func.attr == "format":
            named = {k.arg: self._value(k.value) for k in node.keywords if k.arg}
            return self._formatted(_BRACES, held, named or given)
        if isinstance(held, Path) and func.attr in ("expanduser", "resolve", "absolute"):
            return held
        if isinstance(held, Path) and func.attr == "joinpath":
            return Path(joined([piece for value in (held, *given) for piece in ("/", value)][1:]))
        if isinstance(held, Path) and func.attr == "with_name" and given:
            return Path(joined([*(held.word.literal or "").rpartition("/")[:2], given[0]]))
        if isinstance(held, str) and func.attr == "join" and given and isinstance(given[0], list):
            return joined([piece for value in given[0] for piece in (held, value)][1:])
        return text_of_method(held, func.attr, given) if isinstance(held, str) else None
