"""What expressions of a script of Python are, as far as its arguments and its event decide that."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import product

from hookline.checking.runs.known import SCRIPT, Known, TooLongError
from hookline.model.record import replace
from hookline.model.typing import Any

_DEEPEST = 24
_MOST = 40_000  # expressions looked at in one script
_SEVERAL = 12  # values that one expression may have
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OF_TEXTS = frozenset(
    {"lower", "upper", "strip", "casefold", "replace", "removeprefix", "startswith", "endswith"}
)
_CHANGES = frozenset(
    {"pop", "remove", "insert", "append", "extend", "clear", "update", "setdefault", "popleft"}
)
_TAKES_NONE = ("store_true", "store_false", "store_const", "count", "help", "version")

Values = frozenset[Any] | None  # all that an expression may be; None where that is not known
Scope = ast.FunctionDef | ast.AsyncFunctionDef | None


class Reading:
    def __init__(self, tree: ast.Module, known: Known) -> None:
        self.tree, self.known = tree, known
        self.left = _MOST
        self.given: dict[tuple[Scope, str], list[ast.expr | None]] = {}
        self.functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        self.calls: dict[str, list[tuple[ast.Call, Scope]]] = {}
        self.named: dict[str, int] = {}
        self.options: dict[str, ast.Call] = {}
        self.above: dict[Scope, Scope] = {}
        self.asked: set[tuple[int, Scope]] = set()
        self.told = 0  # how often it came to what is known of the run
        self.collect(tree, None)

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLongError

    # -- what stands where -----------------------------------------------------------------------------

    def collect(self, node: ast.AST, scope: Scope) -> None:
        for each in ast.iter_child_nodes(node):
            self.spend()
            match each:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.give(target, value, scope)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self.give(target, value, scope)
                case ast.NamedExpr(target=target, value=value):
                    self.give(target, value, scope)
                case ast.AugAssign(target=target) | ast.For(target=target) | ast.comprehension(target=target):
                    self.give(target, None, scope)
                case ast.withitem(optional_vars=ast.expr() as target):
                    self.give(target, None, scope)
                case ast.Global(names=names) | ast.Nonlocal(names=names):
                    for name in names:
                        self.given.setdefault((scope, name), []).append(None)
                        self.given.setdefault((None, name), []).append(None)
                case ast.ExceptHandler(name=str() as name) | ast.alias(asname=str() as name):
                    self.given.setdefault((scope, name), []).append(None)
                case ast.Call(func=ast.Attribute(value=ast.Name() as whole, attr=how)) if how in _CHANGES:
                    self.give(whole, None, scope)
                case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="argv"), attr=how)) if (
                    how in _CHANGES
                ):
                    self.known = replace(self.known, words=None)
                case ast.Call(func=ast.Name(id=name)):
                    self.calls.setdefault(name, []).append((each, scope))
                case ast.Call(func=ast.Attribute(attr="add_argument" | "add_subparsers" as how), args=args):
                    self.option(each, args, how)
                case ast.Name(id=name, ctx=ast.Load()):
                    self.named[name] = self.named.get(name, 0) + 1
            inner = each if isinstance(each, FUNCTIONS) else scope
            if isinstance(each, FUNCTIONS):
                self.functions.setdefault(each.name, []).append(each)
                self.above[each] = scope
            self.collect(each, inner)

    def give(self, target: ast.expr, value: ast.expr | None, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            self.given.setdefault((scope, target.id), []).append(value)
        elif isinstance(target, ast.Tuple | ast.List | ast.Starred):
            for part in ast.walk(target):
                if isinstance(part, ast.Name):
                    self.given.setdefault((scope, part.id), []).append(None)
        elif isinstance(target, ast.Subscript):  # a part of it is another one now
            self.give(target.value, None, scope)

    def option(self, call: ast.Call, args: list[ast.expr], how: str) -> None:
        named = [
            each.value for each in args if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        dest = _keyword(call, "dest")
        long = next((each for each in named if each.startswith("--")), named[0] if named else "")
        name = dest.value if isinstance(dest, ast.Constant) else long.lstrip("-").replace("-", "_")
        if isinstance(name, str) and name:
            self.options[name] = call if name not in self.options else ast.Call(ast.Name("?"), [], [])

    # -- what an expression is -------------------------------------------------------------------------

    def value(self, node: ast.expr | None, scope: Scope, depth: int = 0) -> Values:
        if node is None or depth > _DEEPEST:
            return None
        self.spend()
        found = self._value(node, scope, depth + 1)
        return found if found is None or (len(found) <= _SEVERAL and SCRIPT not in found) else None

    def _value(self, node: ast.expr, scope: Scope, depth: int) -> Values:
        match node:
            case ast.Constant(value=value):
                return frozenset({value})
            case ast.Name(id=name):
                return self.of_name(name, scope, depth)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return _apply(lambda *each: each, [self.value(part, scope, depth) for part in parts])
            case ast.Attribute(value=ast.Name(id="sys"), attr="argv"):
                self.told += 1
                return None if self.known.words is None else frozenset({(SCRIPT, *self.known.words)})
            case ast.Attribute(value=ast.Name() as whole, attr=name) if name in self.options:
                return self.of_option(name, depth) if self.is_parsed(whole, scope, depth) else None
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                return None
            case ast.Subscript(value=of, slice=ast.Slice(lower=lower, upper=None, step=None)):
                first = self.value(lower, scope, depth) if lower else frozenset({0})
                return _apply(lambda whole, at: whole[at:], [self.value(of, scope, depth), first])
            case ast.Subscript(value=of, slice=ast.Constant(value=str() as key)) if key in self.known.sent:
                return self.event(key, of, scope)
            case ast.Subscript(value=of, slice=at):
                return _apply(
                    lambda whole, at: whole[at], [self.value(of, scope, depth), self.value(at, scope, depth)]
                )
            case ast.IfExp(test=test, body=one, orelse=other):
                held = self.holds(test, scope, depth)
                if held is not None:
                    return self.value(one if held else other, scope, depth)
                return _either(self.value(one, scope, depth), self.value(other, scope, depth))
            case ast.BoolOp(op=op, values=values):
                return self.first_of(values, isinstance(op, ast.Or), scope, depth)
            case ast.Call():
                return self.of_call(node, scope, depth)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                held = self.holds(node, scope, depth)
                return None if held is None else frozenset({held})
        return None

    def first_of(self, parts: list[ast.expr], is_or: bool, scope: Scope, depth: int) -> Values:
        """What `a or b`, or `a and b`, comes to."""
        found: frozenset[Any] = frozenset()
        for part in parts:
            own = self.value(part, scope, depth)
            if own is None:
                return None
            kept = frozenset(each for each in own if bool(each) is is_or)
            found |= kept
            if kept == own:
                return found
            last = own - kept
        return found | last

    def of_name(self, name: str, scope: Scope, depth: int) -> Values:
        while scope is not None:
            if (scope, name) in self.given:
                return self.of_assigned(scope, name, depth)
            if name in (places := _parameters(scope)):
                return self.of_parameter(scope, name, places.index(name), depth)
            scope = self.above[scope]
        return self.of_assigned(None, name, depth) if (None, name) in self.given else None

    def of_assigned(self, scope: Scope, name: str, depth: int) -> Values:
        of_call = scope is not None and name in _parameters(scope)
        found: Values = frozenset() if not of_call else None
        for each in self.given[scope, name]:
            found = _either(found, self.value(each, scope, depth))
        return found

    def of_parameter(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str, at: int, depth: int
    ) -> Values:
        """What a function is given there by all of its calls, where nothing else has it by its name."""
        calls = self.calls.get(function.name, [])
        if (id(function), None) in self.asked or len(self.functions[function.name]) > 1 or not calls:
            return None
        if self.named.get(function.name, 0) > len(calls):
            return None
        self.asked.add((id(function), None))
        try:
            found: Values = frozenset()
            for call, scope in calls:
                plain = not any(isinstance(each, ast.Starred) for each in call.args[: at + 1])
                given = call.args[at] if at < len(call.args) and plain else _keyword(call, name)
                given = given or (_default(function, name) if plain else None)
                found = _either(found, self.value(given, scope, depth))
            return found
        finally:
            self.asked.discard((id(function), None))

    def of_call(self, node: ast.Call, scope: Scope, depth: int) -> Values:
        match node:
            case ast.Call(
                func=ast.Attribute(value=of, attr="get"), args=[ast.Constant(value=str() as key), *_]
            ):
                return self.event(key, of, scope) if key in self.known.sent else None
            case ast.Call(func=ast.Name(id="str"), args=[inner]):
                return _apply(str, [self.value(inner, scope, depth)])
            case ast.Call(func=ast.Name(id="len"), args=[inner]):
                return _apply(len, [self.value(inner, scope, depth)])
            case ast.Call(func=ast.Attribute(value=of, attr=how), args=args, keywords=[]) if how in _OF_TEXTS:
                parts = [self.value(each, scope, depth) for each in (of, *args)]
                return _apply(lambda text, *more: getattr(text, how)(*more), parts)
            case ast.Call(func=ast.Name(id=name)) if len(self.functions.get(name, ())) == 1:
                return self.returned(self.functions[name][0], depth)
        return None

    def returned(self, function: ast.FunctionDef | ast.AsyncFunctionDef, depth: int) -> Values:
        if (id(function), function) in self.asked or not isinstance(function.body[-1], ast.Return):
            return None
        self.asked.add((id(function), function))
        try:
            found: Values = frozenset()
            for each in own_nodes(function):
                if isinstance(each, ast.Yield | ast.YieldFrom):
                    return None
                if isinstance(each, ast.Return):
                    found = _either(found, self.value(each.value, function, depth))
            return found
        finally:
            self.asked.discard((id(function), function))

    def event(self, key: str, of: ast.expr, scope: Scope) -> Values:
        """A field of the input; unknown where it may be one of what the script writes down itself."""
        given = self.given.get((scope, of.id), ()) if isinstance(of, ast.Name) else ()
        if any(isinstance(each, ast.Dict) and each.keys for each in (of, *given)):
            return None
        self.told += 1
        return frozenset({self.known.sent[key]})

    # -- arguments by name -----------------------------------------------------------------------------

    def is_parsed(self, whole: ast.Name, scope: Scope, depth: int) -> bool:
        """Whether a variable is what `argparse` made of the arguments."""
        places = (scope, None) if (scope, whole.id) in self.given or scope is None else (None,)
        if scope is not None and (scope, whole.id) not in self.given and whole.id in _parameters(scope):
            given = [each.args for each, _ in self.calls.get(scope.name, ())]
            return bool(given) and all(len(each) == 1 and isinstance(each[0], ast.Name) for each in given)
        for place in places:
            for each in self.given.get((place, whole.id), ()):
                of = each.func if isinstance(each, ast.Call) else None
                return isinstance(of, ast.Attribute) and of.attr == "parse_args"
        return False

    def of_option(self, name: str, depth: int) -> Values:
        words, call = self.known.words, self.options[name]
        self.told += 1
        if words is None or not (isinstance(call.func, ast.Attribute)):
            return None
        flags = [str(each.value) for each in call.args if isinstance(each, ast.Constant)]
        action = _keyword(call, "action")
        takes = not (isinstance(action, ast.Constant) and action.value in _TAKES_NONE)
        if not flags or not flags[0].startswith("-"):
            return self.of_place(name, call)
        if action is not None and takes:
            return None
        for at, word in enumerate(words):
            flag, joined, rest = word.partition("=")
            if flag in flags:
                if not takes:
                    return (
                        frozenset({action is not None and action.value == "store_true"})
                        if isinstance(action, ast.Constant)
                        else None
                    )
                value = rest if joined else words[at + 1] if at + 1 < len(words) else None
                return frozenset({value}) if value is not None and _keyword(call, "nargs") is None else None
        if not takes and isinstance(action, ast.Constant) and action.value in ("store_true", "store_false"):
            return frozenset({action.value == "store_false"})
        default = _keyword(call, "default")
        return frozenset({None}) if default is None else self.value(default, None)

    def of_place(self, name: str, call: ast.Call) -> Values:
        """A value that is told by its place alone: the first of those that belong to no option."""
        plain, takes = [], set[str]()
        for each in self.options.values():
            flags = [str(arg.value) for arg in each.args if isinstance(arg, ast.Constant)]
            action = _keyword(each, "action")
            if not (isinstance(action, ast.Constant) and action.value in _TAKES_NONE):
                takes.update(flag for flag in flags if flag.startswith("-"))
            plain += [each] if not (flags and flags[0].startswith("-")) else []
        words, at = list[str](), 0
        for word in self.known.words or ():
            words += [word] if at == 0 and not word.startswith("-") else []
            at = 1 if word in takes else 0
        place = plain.index(call)
        if place > 0 and any(_keyword(each, "nargs") for each in plain):
            return None
        if place < len(words):
            return frozenset({words[place]})
        default = _keyword(call, "default")
        return self.value(default, None) if default is not None else None

    # -- what is decided -------------------------------------------------------------------------------

    def holds(self, test: ast.expr, scope: Scope, depth: int = 0) -> bool | None:
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                held = self.holds(inner, scope, depth)
                return None if held is None else not held
            case ast.BoolOp(op=op, values=values):
                wanted = isinstance(op, ast.Or)
                all_held = [self.holds(each, scope, depth) for each in values]
                return wanted if wanted in all_held else None if None in all_held else not wanted
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                looks_in = isinstance(op, ast.In | ast.NotIn)
                other = self.table(right, scope) if looks_in else right
                parts = [self.value(left, scope, depth), self.value(other, scope, depth)]
                return _one(_apply(_COMPARES.get(type(op), _fails), parts))
        return _one(_apply(bool, [self.value(test, scope, depth)]))

    def table(self, node: ast.expr, scope: Scope) -> ast.expr:
        """The words of a table that something is looked up in; anything else is itself."""
        given: list[ast.expr | None] = [node]
        if isinstance(node, ast.Name):
            given = self.given.get((scope, node.id), self.given.get((None, node.id), []))
        keys = given[0].keys if len(given) == 1 and isinstance(given[0], ast.Dict) else [None]
        words = [each for each in keys if each is not None]
        return ast.Tuple(words) if len(words) == len(keys) else node


_COMPARES = {
    ast.Eq: lambda one, two: one == two, ast.NotEq: lambda one, two: one != two,
    ast.Is: lambda one, two: one is two if one is None or two is None else one == two,
    ast.IsNot: lambda one, two: one is not two if one is None or two is None else one != two,
    ast.In: lambda one, two: one in two, ast.NotIn: lambda one, two: one not in two,
    ast.Gt: lambda one, two: one > two, ast.GtE: lambda one, two: one >= two,
    ast.Lt: lambda one, two: one < two, ast.LtE: lambda one, two: one <= two,
}  # fmt: skip


def _fails(*_: Any) -> bool:
    raise TypeError


def _apply(make: Any, parts: Sequence[Values]) -> Values:
    """What comes of all the values that the parts may have; None where one is not known, or it fails."""
    known = [each for each in parts if each is not None]
    if len(known) < len(parts):
        return None
    found = set()
    try:
        for number, chosen in enumerate(product(*known)):
            if number > _SEVERAL:
                return None
            found.add(make(*chosen))
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        return None
    return frozenset(found)


def _either(one: Values, other: Values) -> Values:
    return None if one is None or other is None else one | other


def _one(values: Values) -> bool | None:
    return next(iter(values)) if values is not None and len(values) == 1 else None


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def _default(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> ast.expr | None:
    plain = [*function.args.posonlyargs, *function.args.args]
    behind = zip(reversed(plain), reversed(function.args.defaults), strict=False)
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    return next((value for each, value in (*behind, *named) if each.arg == name), None)


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((each.value for each in call.keywords if each.arg == name), None)


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions within."""
    left = list(ast.iter_child_nodes(function))
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            left += ast.iter_child_nodes(node)
