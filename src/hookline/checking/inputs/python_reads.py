"""What a script of Python takes out of the JSON it is given."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping

from hookline.checking.inputs.python_nodes import (
    FUNCTIONS,
    Function,
    bare,
    is_plain,
    keys,
    objects,
    of_keys,
    own,
    parameters,
)
from hookline.checking.inputs.reads import (
    CONSTANT,
    EACH,
    MOST,
    RAW,
    Read,
    Way,
    Ways,
    as_text,
    asked_for,
    either,
    parsed,
    reads,
    stepped,
)
from hookline.checking.steps.languages import python_tree

_LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# what leaves a value what it was, but for its letters or its kind
_SAME = frozenset({
    "strip", "rstrip", "lstrip", "lower", "upper", "casefold", "decode", "encode", "replace", "removeprefix",
    "removesuffix",
})  # fmt: skip
_CONVERTS = frozenset({"str", "int", "float", "bool", "dict", "cast", "typing.cast"})
_READS_ALL = frozenset({
    "sys.stdin.read", "sys.stdin.buffer.read", "sys.stdin.readline", "input", "sys.stdin", "sys.stdin.buffer",
})  # fmt: skip


def python_reads(
    text: str, fed: Ways = RAW, given: Mapping[str, Ways] | None = None
) -> tuple[tuple[Read, ...], Ways]:
    """Each value taken from the input, and beside them the one that is printed, if it is one. `fed` comes on standard
    input; `given` are variables of the environment and of a shell around it, and arguments (`argv[1]`), by what
    they hold."""
    tree = python_tree(text)
    if tree is None:
        return (), None
    try:
        reader = _Reader(tree, fed, given or {})
        found, printed = tuple(reader.all()), reader.printed()
    except (RecursionError, _TooManyError):
        return (), None
    if printed and not reader.asked.isdisjoint(printed):
        printed = None
    own = [*reads(printed)]
    return tuple(each for each in found if each not in own), printed


class _TooManyError(Exception):
    pass


class _Scope:
    """The names of the module or of a function, each with what is put into it; None for what cannot be followed."""

    def __init__(self, node: ast.Module | Function, outer: _Scope | None) -> None:
        self.node, self.outer = node, outer
        self.names: dict[str, list[ast.expr | None]] = {}
        self.known: dict[str, Ways] = {}
        self.keys = keys(node) if isinstance(node, FUNCTIONS) else ()  # what it is told to take by name

    def of(self, name: str) -> _Scope | None:
        scope: _Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope


class _Reader:
    def __init__(self, tree: ast.Module, fed: Ways, given: Mapping[str, Ways]) -> None:
        self.fed, self.given, self.left = fed, given, MOST * 10
        self.functions: dict[str, list[_Scope]] = {}
        self.calls: dict[str, list[tuple[ast.Call, _Scope]]] = {}
        self.asked: set[Way] = set()
        self.objects = {*objects(tree)}
        self.choices: set[ast.AST] = set()  # by which something else is taken where a field is missing
        self.scopes: list[_Scope] = []
        self.open: set[tuple[int, str]] = set()
        self.met = 0  # how often a name was asked for that is open
        self.said: dict[tuple[int, str], str] = {}  # names of fields that a call hands over
        self._collect(_Scope(tree, None), tree)

    def _collect(self, scope: _Scope, tree: ast.Module | Function) -> None:
        self.scopes.append(scope)
        if isinstance(tree, FUNCTIONS):
            every = tree.args
            for each in (*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg):
                if each is not None:
                    scope.names[each.arg] = []
        inner = []
        for node in own(tree):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    inner.append(node)
                    scope.names.setdefault(node.name, []).append(None)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._put(scope, target, value)
                case (
                    ast.AnnAssign(target=target, value=ast.expr() as value)
                    | ast.NamedExpr(target=target, value=value)
                ):
                    self._put(scope, target, value)
                case ast.AugAssign(target=target):
                    self._put(scope, target, None)
                case (
                    ast.For(target=target, iter=over)
                    | ast.AsyncFor(target=target, iter=over)
                    | ast.comprehension(target=target, iter=over)
                ):
                    self._put(scope, target, ast.Starred(over))
                case ast.withitem(optional_vars=ast.expr() as target, context_expr=opened):
                    self._put(scope, target, opened)
                case ast.ExceptHandler(name=str(name)):
                    scope.names.setdefault(name, []).append(None)
                case ast.Call(func=ast.Name(id=name)):
                    self.calls.setdefault(name, []).append((node, scope))
        for function in inner:
            below = _Scope(function, scope)
            self.functions.setdefault(function.name, []).append(below)
            self._collect(below, function)

    def _put(self, scope: _Scope, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            scope.names.setdefault(target.id, []).append(value)
            return
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            for part, given in zip(target.elts, value.elts, strict=True):
                self._put(scope, part, given)
            return
        for each in ast.walk(target):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                scope.names.setdefault(each.id, []).append(None)

    # -- what an expression may be -------------------------------------------------------------------------

    def value(self, node: ast.expr | None, scope: _Scope) -> Ways:
        self.left -= 1
        if self.left < 0:
            raise _TooManyError
        match node:
            case ast.Constant(value=str(text)):
                name = text.strip().removeprefix("$").strip("{}")
                return self.given.get(name, CONSTANT) if "$" in text else CONSTANT
            case ast.Constant() | ast.Dict(keys=[]) | ast.List(elts=[]) | ast.Tuple(elts=[]):
                return CONSTANT
            case ast.Name(id=name):
                return self.named(name, scope)
            case ast.BoolOp(op=ast.Or(), values=values):
                return either(self.value(each, scope) for each in values)
            case ast.IfExp(body=body, orelse=otherwise):
                return either((self.value(body, scope), self.value(otherwise, scope)))
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.value(value, scope)
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name))):
                if ast.unparse(value) == "os.environ":
                    return self.given.get(name)
                return stepped(self.value(value, scope), name)
            case ast.Subscript(value=value, slice=ast.Constant(value=int(number))):
                if ast.unparse(value) == "sys.argv":
                    return self.given.get(f"argv[{number}]")
                return stepped(self.value(value, scope), EACH)
            case ast.Starred(value=value):  # what a loop goes through
                return stepped(self.value(value, scope), EACH)
            case ast.Subscript(value=value, slice=ast.Slice()):
                return self.value(value, scope)
            case ast.Subscript(value=value, slice=ast.Name() as key) if self.field(key, scope):
                return stepped(self.value(value, scope), self.field(key, scope))
            case ast.Attribute():
                return self.fed if ast.unparse(node) in _READS_ALL else None
            case ast.Call():
                return self.called(node, scope)
        return None

    def called(self, node: ast.Call, scope: _Scope) -> Ways:
        name, args = ast.unparse(node.func) if is_plain(node.func) else "", node.args
        if name in _READS_ALL:
            return self.fed
        if name in ("json.load", "json.loads", "loads", "load", "orjson.loads") and args:
            return parsed(self.value(args[0], scope))
        if name in ("os.environ.get", "os.getenv") and args and isinstance(args[0], ast.Constant):
            return self.given.get(str(args[0].value))
        if name in ("open", "Path", "pathlib.Path") and args:
            return as_text(self.value(args[0], scope))
        if name in _CONVERTS and args:
            return self.value(args[-1], scope)
        match node.func:
            case ast.Attribute(value=value, attr="get") if args and self.field(args[0], scope):
                found = stepped(self.value(value, scope), self.field(args[0], scope))
                return either((found, self.value(args[1], scope))) if args[1:] and found else found
            case ast.Attribute(value=value, attr="read" | "read_text" | "readline"):
                return self.value(value, scope)
            case ast.Attribute(value=value, attr=attr) if attr in _SAME:
                return self.value(value, scope)
            case ast.Name(id=called) if len(self.functions.get(called, ())) == 1:
                function = self.functions[called][0]
                return self.picked(function, node, scope) if function.keys else self.returned(function)
        return None

    def field(self, key: ast.expr, scope: _Scope) -> str:
        """The name of a field, as it stands there or as a call hands it over."""
        if isinstance(key, ast.Name) and (home := scope.of(key.id)) is not None:
            return self.said.get((id(home), key.id), "")
        return str(key.value) if isinstance(key, ast.Constant) else ""

    def picked(self, function: _Scope, call: ast.Call, scope: _Scope) -> Ways:
        """What a function gives back that takes the field it is told: looked at for this call alone."""
        names = parameters(function.node) if isinstance(function.node, FUNCTIONS) else []
        given = {
            **dict(zip(names, call.args, strict=False)),
            **{str(each.arg): each.value for each in call.keywords},
        }
        told = {name: self.field(given[name], scope) if name in given else "" for name in function.keys}
        if not all(told.values()):
            return None
        kept, said = function.known, self.said
        function.known = {
            name: self.value(given[name], scope) if name in given else CONSTANT for name in names
        }
        self.said = {**said, **{(id(function), name): text for name, text in told.items()}}
        found = self.returned(function)
        function.known, self.said = kept, said
        return found

    def named(self, name: str, scope: _Scope) -> Ways:
        home = scope.of(name)
        if home is None or (id(home), name) in self.open:
            self.met += home is not None
            return CONSTANT if home else None
        if name not in home.known:
            before = self.met
            self.open.add((id(home), name))
            found = either(self.put(each, name, home) for each in home.names[name])
            if isinstance(home.node, FUNCTIONS) and name in parameters(home.node):
                found = either((found, self.handed(home.node, name)))
            self.open.discard((id(home), name))
            if self.open and self.met > before:
                return found  # as far as it goes from within another name
            home.known[name] = found
        return home.known[name]

    def put(self, value: ast.expr | None, name: str, home: _Scope) -> Ways:
        """What is put into a variable; what it was, in other letters, is nothing new."""
        found = self.value(value, home) if value else None
        if found is None and value is not None:
            called = value.func if isinstance(value, ast.Call) else None
            if (
                isinstance(called, ast.Name)
                and called.id not in self.functions
                and not hasattr(builtins, called.id)
            ):
                return None  # which may have put anything in
            used = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
            return CONSTANT if name in used else None
        return found

    def handed(self, function: Function, name: str) -> Ways:
        """What the calls of a function hand over under a name."""
        calls = self.calls.get(function.name, [])
        if not calls or len(self.functions[function.name]) > 1:
            return None
        names = parameters(function)
        found = []
        for call, scope in calls:
            by_name = [each.value for each in call.keywords if each.arg == name]
            at = names.index(name)
            given = by_name or call.args[at : at + 1]
            found.append(self.value(given[0], scope) if given else CONSTANT)
        return either(found)

    def returned(self, function: _Scope) -> Ways:
        key = (id(function), "return")
        if key in self.open:
            return CONSTANT
        self.open.add(key)
        found = either(
            self.value(each.value, function) if each.value else CONSTANT
            for each in own(function.node)
            if isinstance(each, ast.Return)
        )
        self.open.discard(key)
        return found

    # -- what is read --------------------------------------------------------------------------------------

    def all(self) -> Iterator[Read]:
        found: list[Read] = []
        for scope in self.scopes:
            for node in own(scope.node, statements=True):
                found += self.of_statement(node, scope)
        yield from (each for each in dict.fromkeys(found) if not asked_for(each.ways, self.asked))

    def of_statement(self, node: ast.AST, scope: _Scope) -> Iterator[Read]:
        if node in self.choices:
            return
        if isinstance(node, ast.If):
            self.ask_first(node, scope)
        match node:
            case ast.If(test=test, orelse=otherwise) if any(self.takes(each, scope) for each in otherwise):
                self.choices.update(bare(test))
            case ast.Try(body=body, handlers=handlers) if any(of_keys(each.type) for each in handlers):
                self.choices.update(
                    each for part in body for each in ast.walk(part) if isinstance(each, ast.Subscript)
                )
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                kept = self.named(name, scope)
                own = self.value(value, scope)
                if own:  # of an object what is taken out of it counts
                    yield from reads(
                        kept if not isinstance(value, ast.Name) and name not in self.objects else None
                    )
                else:
                    yield from self.within(value, scope)
            case ast.expr():
                yield from self.within(node, scope)

    def takes(self, node: ast.AST, scope: _Scope) -> bool:
        """Whether anything is taken from the input there."""
        parts = [node.test, *node.body] if isinstance(node, ast.If) else [node]
        return any([*reads(each)] for each in self.taken(parts, scope))

    def taken(self, parts: Iterable[ast.AST], scope: _Scope) -> Iterator[Ways]:
        for part in parts:
            for each in ast.walk(part):
                if isinstance(each, ast.Call | ast.Subscript):
                    yield self.value(each, scope)

    def ask_first(self, node: ast.If, scope: _Scope) -> None:
        """A field that is taken where it is found to be there, `if d.get("x"): … d["x"]`, may be another's as well."""
        tested = [way for each in bare(node.test) for way in self.value(each, scope) or () if way]
        if tested:
            taken = [way for ways in self.taken(node.body, scope) for way in ways or ()]
            self.asked.update(each for each in tested if asked_for(taken, (each,)))

    def within(self, node: ast.AST, scope: _Scope) -> Iterator[Read]:
        if node in self.choices:
            return
        if isinstance(node, ast.Compare):
            self.ask(node, scope)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            self.asked.update(
                self.value(node, scope) or ()
            )  # what a script adds to its input it may read as well
        elif isinstance(node, ast.expr) and not isinstance(node, ast.Name):
            found = self.value(node, scope)
            if found:
                yield from reads(found)
                return
            if found is None and (
                (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)) or isinstance(node, ast.IfExp)
            ):
                return  # something else may stand in its place
            if (
                found is None
                and isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "get"
                and node.args[1:]
            ):
                return
        if isinstance(node, ast.Lambda):
            return
        for each in ast.iter_child_nodes(node):
            yield from self.within(each, scope)

    def printed(self) -> Ways:
        said = [call for call, _ in self.calls.get("print", ())]
        if any(len(call.args) != 1 for call in said):
            return None
        return either(self.value(call.args[0], scope) for call, scope in self.calls.get("print", ()))

    def ask(self, node: ast.Compare, scope: _Scope) -> None:
        """A field that a script asks for, whether it is there, may be another's."""
        if isinstance(node.left, ast.Constant) and isinstance(node.ops[0], ast.In | ast.NotIn):
            self.asked.update(stepped(self.value(node.comparators[0], scope), str(node.left.value)) or ())
