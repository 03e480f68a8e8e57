"""Python code, read as a tree: the processes it starts, the files it touches, the hosts it talks to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hookline.shell.code.pieces import code, of_any_language, opaque
from hookline.shell.code.python_calls import (
    AS_COMMANDS,
    BLIND,
    LISTS,
    MAKES_TEMPORARY,
    METHODS,
    OPENS,
    PLAIN,
    SHELLS,
    STARTS,
    WEB,
)
from hookline.shell.code.python_syntax import parsed
from hookline.shell.code.python_values import (
    ANY_NAME,
    TEMPORARY,
    Path,
    as_word,
    comes_from_elsewhere,
    decoded,
    in_order,
    joined,
    listed,
)
from hookline.shell.reading import Argv, Code, Hole, Inner, Word

NESTING = 20
_GIT_PYTHON = re.compile(r"\.git\.\w+$")


def commands_of_python(text: str, how: str) -> Iterator[Inner]:
    """What Python code does, as commands; `python:opaque` where it cannot be seen."""
    yield from of_any_language(text, how)
    yield from _Reader(how).read(text)


class _Reader:
    """One walk over a tree; names keep the last plain value they were given."""

    def __init__(self, how: str, depth: int = 0) -> None:
        self._how = how
        self._depth = depth
        self._names: dict[str, object] = {}
        self._modules: dict[str, str] = {}
        self._opaque = False

    def read(self, text: str) -> Iterator[Inner]:
        tree, odd = parsed(text)
        if odd:
            self._opaque = True
            for line in odd:
                if line.lstrip().startswith("!"):  # of IPython
                    yield code(line.lstrip()[1:], self._how)
            from hookline.shell.code.script_code import commands_of_script

            yield from commands_of_script("\n".join(odd), self._how)
        try:
            yield from self._commands(tree)
        except RecursionError:
            self._opaque = True
        if self._opaque:
            yield opaque(self._how)

    def _commands(self, tree: ast.AST) -> Iterator[Inner]:
        for node in in_order(tree):
            match node:
                case ast.Import():
                    for alias in node.names:
                        self._import(alias.name, alias.asname or alias.name.partition(".")[0], alias.asname)
                case ast.ImportFrom():
                    self._opaque |= (node.module or "").partition(".")[0] not in PLAIN
                    for alias in node.names:
                        self._modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                        if alias.name == "*":
                            self._import_all(f"{node.module}.")
                case ast.comprehension(target=ast.Name(id=name)):
                    self._names[name] = self._one_of(node.iter)
                case ast.comprehension(target=ast.Tuple(elts=[ast.Name(id=root), *_, ast.Name(id=names)])):
                    self._names |= {root: joined([self._one_of(node.iter)]), names: [ANY_NAME]}
                case ast.Assign(targets=[ast.Name(id=name)]):
                    self._bind(name, node.value)
                case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name(id=name)])], value=ast.Call() as made):
                    self._names[name] = self._value(ast.Subscript(made, ast.Constant(1)))
                case ast.withitem(optional_vars=ast.Name(id=name)):
                    self._bind(name, node.context_expr)
                case ast.Call():
                    yield from self._call(node)
        called = {self._name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        if not called.isdisjoint(("os.dup2", "pty.spawn")) and any(
            name.endswith((".connect", ".create_connection")) for name in called
        ):
            yield self._argv("ncat", "-e", words=[Word(("sh",))])

    def _import(self, module: str, name: str, renamed: str | None) -> None:
        self._opaque |= module.partition(".")[0] not in PLAIN
        self._modules[name] = module if renamed else name

    def _import_all(self, module: str) -> None:
        for name in (*SHELLS, *STARTS, *AS_COMMANDS, *OPENS):
            if name.startswith(module):
                self._modules[name.removeprefix(module)] = name

    def _one_of(self, node: ast.expr) -> object:
        """What a loop's variable is: a file of a folder, an element of a list of one."""
        value = self._value(node)
        if isinstance(value, list):
            return value[0] if len(value) == 1 else None
        name = self._name(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in LISTS:
            place = self._value(node.args[0]) if node.args else "."
            return listed(name, place)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            held = self._value(node.func.value)
            if isinstance(held, Path) and node.func.attr in ("iterdir", "glob", "rglob"):
                wanted = self._value(node.args[0]) if node.args else None
                last = listed("glob", wanted) if isinstance(wanted, str) else None
                below = [None, "/"] if node.func.attr == "rglob" and last is not None else []
                return Path(joined([held, "/", *below, last]))
        return None

    def _bind(self, name: str, value: ast.expr) -> None:
        called = self._name(value) if isinstance(value, ast.Attribute | ast.Name | ast.Call) else ""
        if called:
            self._modules[name] = called
        else:
            self._names[name] = self._value(value)

    def _call(self, node: ast.Call) -> Iterator[Inner]:
        name = self._name(node.func)
        if name in SHELLS and node.args:
            yield Code(self._word(node.args[0]), self._how)
        elif name in STARTS and node.args:
            yield from self._start(node)
        elif name.startswith(("os.exec", "os.spawn", "os.posix_spawn")) and node.args:
            yield from self._exec(name, node)
        elif name in OPENS and node.args:
            yield self._open(self._word(node.args[0]), node.args[1:], node)
        elif name == "dotenv.dotenv_values" and not node.args:
            yield self._argv("python:read", words=[Word((".env",))])
        elif name in AS_COMMANDS and (node.args or node.keywords):
            yield self._argv(*AS_COMMANDS[name], words=[self._word(each) for each in self._given(node)])
        elif name.endswith(".exec_command") and node.args:  # of an SSH client
            yield Code(self._word(node.args[0]), self._how)
        elif name.startswith(WEB) and name.endswith(".delete") and node.args:
            yield self._argv("curl", "-X", "DELETE", words=[self._word(node.args[0])])
        elif name.startswith(WEB) and node.args:
            yield self._argv(
                "python:connect", words=[self._word(node.args[-1 if name.endswith(".request") else 0])]
            )
        elif (
            name.endswith(".connect")
            and node.args
            and isinstance(node.args[0], ast.Tuple)
            and node.args[0].elts
        ):
            yield self._argv("python:connect", words=[self._word(node.args[0].elts[0])])
        elif name.startswith(("sh.", "plumbum.cmd.")) or _GIT_PYTHON.search(name):
            yield self._named_program(name, node)
        elif name.endswith(".push") and any(k.arg in ("force", "mirror") for k in node.keywords):
            yield self._argv("git", "push", "--force", words=[self._word(each) for each in node.args])
        elif name.rpartition(".")[2] in ("map", "starmap", "imap") and len(node.args) > 1:
            yield from self._each(node.args[0], self._one_of(node.args[1]))
        elif name in ("eval", "exec") and node.args:
            yield from self._nested(node)
        elif name.endswith((".extractall", ".unpack_archive")):
            unpacked = self._given(node)[name.endswith("e") :]
            yield self._argv("tar", "-xf", "archive", "-C", words=[self._word(each) for each in unpacked[:1]])
        elif name.endswith((".execute", ".executescript")) and node.args:
            yield self._argv("psql", "-c", words=[self._word(node.args[0])])
        elif isinstance(node.func, ast.Attribute):
            yield from self._method(node, node.func)
        else:
            self._opaque |= name in BLIND and not (name == "getattr" or self._name(node))

    def _each(self, function: ast.expr, element: object) -> Iterator[Inner]:
        """`map(os.remove, glob.glob("*"))`."""
        name = self._name(function)
        if name in AS_COMMANDS:
            yield self._argv(*AS_COMMANDS[name], words=[as_word(element)])
        elif name in SHELLS:
            yield Code(as_word(element), self._how)
        elif name.startswith("pathlib.Path.") and name.rpartition(".")[2] in METHODS:
            yield self._argv(*METHODS[name.rpartition(".")[2]], words=[as_word(element)])

    def _named_program(self, name: str, node: ast.Call) -> Argv:
        """`sh.git.push("-f")`, and `repo.git.push("-f")` of GitPython."""
        words = name.removeprefix("plumbum.cmd.").split(".")
        words = words[words.index("git") :] if "git" in words else words[1:] if words[0] == "sh" else words
        return self._argv(
            words[0],
            *(word.replace("_", "-") for word in words[1:]),
            words=[self._word(each) for each in node.args],
        )

    def _given(self, node: ast.Call) -> list[ast.expr]:
        named = [k.value for k in node.keywords if k.arg in ("path", "src", "dst", "url", "filename")]
        return [*node.args[:2], *named]

    def _nested(self, node: ast.Call) -> Iterator[Inner]:
        given = node.args[0]
        if isinstance(given, ast.Call) and self._name(given.func) == "compile" and given.args:
            given = given.args[0]
        text = self._word(given).literal
        if text is None or self._depth >= NESTING:
            self._opaque = True
            if comes_from_elsewhere(given):
                yield Code(Word((Hole("words", "it is fetched or decoded as the line runs"),)), self._how)
            return
        inner = _Reader(self._how, self._depth + 1)
        inner._modules, inner._names = {**self._modules}, {**self._names}
        yield from inner.read(text.strip())

    def _start(self, node: ast.Call) -> Iterator[Inner]:
        first = node.args[0]
        shell = any(
            k.arg == "shell" and not (isinstance(k.value, ast.Constant) and not k.value.value)
            for k in node.keywords
        )
        words = self._words(first)
        if words is None and len(node.args) > 1 and self._name(node.func).endswith("_exec"):
            words = [self._word(each) for each in node.args]
        folder = next((self._word(k.value) for k in node.keywords if k.arg == "cwd"), None)
        if words and not shell:
            yield Argv(tuple(words), self._how, folder)
        elif words and shell:
            yield Code(words[0], self._how, cwd=folder)
        else:
            word = self._word(first)
            split = word.literal is not None and not shell and " " not in word.literal
            yield Argv((word,), self._how, folder) if split else Code(word, self._how, cwd=folder)

    def _exec(self, name: str, node: ast.Call) -> Iterator[Inner]:
        given = node.args[1:] if name.startswith("os.spawn") else node.args
        if not given:
            return
        listed = self._words(given[1]) if len(given) > 1 else None
        words = listed if listed else [self._word(each) for each in given[1:]]
        yield Argv((self._word(given[0]), *words[1:]), self._how)

    def _open(self, path: Word, further: list[ast.expr], node: ast.Call) -> Inner:
        mode = next((k.value for k in node.keywords if k.arg == "mode"), further[0] if further else None)
        text = self._word(mode).literal if mode is not None else "r"
        writes = text is None or any(letter in text for letter in "wax+")
        return self._argv("python:write" if writes else "python:read", words=[path])

    def _method(self, node: ast.Call, func: ast.Attribute) -> Iterator[Inner]:
        held = self._value(func.value)
        if not isinstance(held, Path):
            return
        if func.attr == "open":
            yield self._open(held.word, list(node.args), node)
        elif func.attr in METHODS:
            more = [self._word(each) for each in node.args[:1]] if func.attr in ("rename", "replace") else []
            yield self._argv(*METHODS[func.attr], words=[held.word, *more])

    def _argv(self, *names: str, words: list[Word]) -> Argv:
        return Argv((*(Word((name,)) for name in names), *words), self._how)

    # -- values -------------------------------------------------------------------------------------------------

    def _name(self, node: ast.expr) -> str:
        """The dotted name of what is called, imports resolved: `o.remove` of `import os as o` is `os.remove`."""
        match node:
            case ast.Name(id=name):
                return self._modules.get(name, name)
            case ast.Attribute(value=value, attr=attr):
                base = self._name(value)
                return f"{base}.{attr}" if base else f".{attr}"
            case ast.Call(func=func, args=[first, *rest]):
                called = self._name(func)
                if called in ("__import__", "importlib.import_module"):
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
        match node:
            case ast.Constant(value=str() | bytes() | int()):
                return node.value.decode("latin-1") if isinstance(node.value, bytes) else str(node.value)
            case ast.Name(id=name):
                return self._names.get(name)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [self._value(each) for each in elements]
            case ast.JoinedStr(values=values):
                return joined([self._value(each) for each in values])
            case ast.FormattedValue(value=value):
                return self._value(value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._sum(self._value(left), self._value(right))
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return Path(joined([self._value(left), "/", self._value(right)]))
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value="HOME")):
                return "~"
            case ast.Attribute(value=value, attr="parent" | "absolute" | "resolve" | "path"):
                return self._value(value)
            case ast.Subscript(value=ast.Call(func=func, args=[], keywords=[])) if (
                self._name(func) == "tempfile.mkstemp"
            ):
                return TEMPORARY
            case ast.Attribute(value=value, attr="name") if self._value(value) == TEMPORARY:
                return TEMPORARY
            case ast.Call():
                return self._result(node)
        return None

    def _sum(self, left: object, right: object) -> object:
        if isinstance(left, list) and isinstance(right, list):
            return [*left, *right]
        return joined([left, right])

    def _result(self, node: ast.Call) -> object:
        name = self._name(node.func)
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
        if name in MAKES_TEMPORARY:
            return TEMPORARY if not node.args and not any(k.arg == "dir" for k in node.keywords) else None
        if name in ("pathlib.Path.home",):
            return Path(Word(("~",)))
        if name in ("os.getenv", "os.environ.get"):
            return "~" if given[:1] == ["HOME"] else None
        if name == "bytes.fromhex" and given and isinstance(given[0], str):
            return decoded(bytes.fromhex, given[0])
        if name in ("base64.b64decode", "base64.urlsafe_b64decode") and given and isinstance(given[0], str):
            import base64

            return decoded(base64.b64decode, given[0])
        if isinstance(node.func, ast.Attribute):
            return self._of_method(node.func, given)
        return None

    def _of_method(self, func: ast.Attribute, given: list[object]) -> object:
        held = self._value(func.value)
        if isinstance(held, Path) and func.attr in ("expanduser", "resolve", "absolute"):
            return held
        if isinstance(held, Path) and func.attr == "joinpath":
            return Path(joined([piece for value in (held, *given) for piece in ("/", value)][1:]))
        if isinstance(held, str) and func.attr in ("decode", "encode", "strip", "lower"):
            return held
        if isinstance(held, str) and func.attr == "split":
            mark = given[0] if given and isinstance(given[0], str) and given[0] else None
            return list(held.split(mark))
        if isinstance(held, str) and func.attr == "join" and given and isinstance(given[0], list):
            return joined([piece for value in given[0] for piece in (held, value)][1:])
        return None
