"""Python code, read as a tree: the processes it starts, the files it touches, the hosts it talks to."""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from hookline.model.record import replace
from hookline.shell.code.notebooks import commands_of_cell, lines_of_shells
from hookline.shell.code.pieces import Reads, lost, of_any_language, opaque
from hookline.shell.code.python_calls import (
    AS_COMMANDS,
    BLIND,
    METHODS,
    OPENS,
    PLAIN,
    READ_UNNAMED,
    SHELLS,
    STARTS,
)
from hookline.shell.code.python_hosts import to_hosts
from hookline.shell.code.python_names import Names
from hookline.shell.code.python_syntax import parsed, walk
from hookline.shell.code.python_values import (
    ANY_NAME,
    Choices,
    Function,
    Known,
    Path,
    Started,
    as_word,
    comes_from_elsewhere,
    fields_of,
    functions_of,
    imports,
    in_branches,
    in_order,
    joined,
)
from hookline.shell.reading import NOWHERE, Argv, Code, Hole, Inner, Script, Word, below
from hookline.system.patterns.late import late

NESTING, MOST_CALLS = 20, 200
# A database that is gone with the process, and what says that there is another one.
_MEMORY = r"['\"](?:sqlite(?:\+\w+)?:(?:///?)?(?::memory:)?|:memory:)['\"]"
_IN_MEMORY = late(_MEMORY, 0, ("sqlite", ":memory:"))
_KEPT = late(rf"(?i)\battach\b|\w+://\w|\.(?:db|sqlite3?)\b|(?:connect|engine)\(\s*+(?!\)|{_MEMORY})")
_OF_DATABASES = PLAIN | {"sqlalchemy", "pytest"}
_GIT_PYTHON = late(r"\.git\.\w+$", 0, (".git.",))


def commands_of_python(text: str, how: str) -> Iterator[Inner]:
    """What Python code does, as commands; `python:opaque` where it cannot be seen."""
    yield from of_any_language(text, how)
    yield from _Reader(how).read(text)


class _Reader(Names):
    """Walks over a tree, one for each value that its names may have; a function is walked where it is called."""

    def __init__(self, how: str, depth: int = 0) -> None:
        super().__init__()
        self._how = how
        self._depth = depth
        self._opaque = False
        self._calls = 0
        self._in_memory = False
        self._classes: set[str] = set()
        self._shared: set[str] = set()
        self._folder: Word | None = None
        self._paths: list[Word] = []
        self._inside: list[Function] = []
        self._skipped: frozenset[ast.AST] = frozenset()

    def read(self, text: str) -> Iterator[Inner]:
        if text.lstrip().startswith("%") and (cell := commands_of_cell(text, self._how)) is not None:
            yield from cell
            return
        tree, odd = parsed(text)
        if _IN_MEMORY.search(text) and not _KEPT.search(text):
            self._in_memory = imports(tree) <= _OF_DATABASES
        if odd:
            self._opaque = True
            yield from lines_of_shells(odd, self._how)
            from hookline.shell.code.script_code import commands_of_script

            yield from commands_of_script("\n".join(odd), self._how)
        try:
            yield from self._walks(tree)
        except RecursionError:
            self._opaque = True
        if self._opaque:
            yield opaque(self._how)

    def _walks(self, tree: ast.AST) -> Iterator[Inner]:
        nodes = list(walk(tree))
        self._choices = Choices(len(nodes))
        self._functions, self._skipped = functions_of(nodes)
        self._doubtful = in_branches(nodes)
        names, modules = {**self._names}, {**self._modules}
        self._classes = {"types.SimpleNamespace", "argparse.Namespace"}
        self._classes |= {node.name for node in nodes if isinstance(node, ast.ClassDef)}
        seen: dict[Inner, None] = {}
        while self._choices.turn < self._choices.turns:
            self._names, self._modules, self._calls = {**names}, {**modules}, 0
            self._environment, self._paths = {}, [NOWHERE]
            self._members = {name: self._value(value) for name, value in fields_of(nodes)}
            for each in self._commands(tree):
                each = self._placed(each)
                if each not in seen:
                    seen[each] = None
                    yield each
            self._choices.turn += 1
            self._folder = None
        called = {self._name(node.func) for node in nodes if isinstance(node, ast.Call)}
        if not called.isdisjoint(("os.dup2", "pty.spawn")) and any(
            name.endswith((".connect", ".create_connection")) for name in called
        ):
            yield self._argv("ncat", "-e", words=[Word(("sh",))])
        if "psutil.process_iter" in called and any(name.endswith((".kill", ".terminate")) for name in called):
            yield self._argv("pkill", words=[as_word(None)])

    def _placed(self, each: Inner) -> Inner:
        """The same in the folder into which the code has changed, with the variables that it has set."""
        if not isinstance(each, Script) and self._environment and not each.assignments:
            each = replace(each, assignments=self._set(self._environment))
        return each if self._folder is None or each.cwd is not None else replace(each, cwd=self._folder)

    def _set(self, variables: object) -> tuple[tuple[str, Word], ...]:
        """Variables of a process, as far as they are told."""
        table = variables if isinstance(variables, dict) else {}
        return tuple(
            (name, as_word(value)) for name, value in table.items() if isinstance(value, str | Word | Path)
        )

    def _commands(self, tree: ast.AST) -> Iterator[Inner]:
        for node in in_order(tree, self._skipped):
            match node:
                case ast.Import():
                    for alias in node.names:
                        self._import(alias.name, alias.asname or alias.name.partition(".")[0], alias.asname)
                        yield from self._module(alias.name)
                case ast.ImportFrom():
                    for alias in node.names:
                        yield from self._module(f"{node.module}.{alias.name}")
                    self._opaque |= (node.module or "").partition(".")[0] not in PLAIN
                    for alias in node.names:
                        self._modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                        if alias.name == "*":
                            self._import_all(f"{node.module}.")
                case ast.comprehension(
                    target=ast.Tuple(elts=[ast.Name(id=root), *_, ast.Name(id=names)])
                ) if isinstance(node.iter, ast.Call) and self._name(node.iter.func) == "os.walk":
                    self._names |= {root: joined([self._one_of(node.iter)]), names: [ANY_NAME]}
                case ast.comprehension():
                    self._assign(node.target, self._one_of(node.iter))
                case ast.Assign() | ast.AnnAssign() | ast.AugAssign() if node.value is not None:
                    self._assigned(node)
                case ast.withitem(optional_vars=ast.Name(id=name)):
                    self._bind(name, node.context_expr)
                case ast.NamedExpr():
                    self._value(node)
                case ast.Global(names=names) | ast.Nonlocal(names=names):
                    self._shared.update(names)
                case ast.Return() | ast.Yield() if node.value is not None and self._inside:
                    self._returned.append(self._value(node.value))
                case ast.Subscript() if (name := self._name(node.value)).startswith("plumbum.cmd."):
                    given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                    yield self._named_program(name, ast.Call(node.value, given, []))
                case ast.Call():
                    if self._name(node.func) in self._classes:
                        self._made(node)
                    yield from self._call(node)
                    yield from self._enter(self._called(node.func), node)

    def _enter(self, function: Function | None, node: ast.Call, *given: object) -> Iterator[Inner]:
        """What a function of the code itself does with these arguments."""
        if function is None or function in self._inside:
            return
        self._calls += 1
        if self._calls > MOST_CALLS or len(self._inside) > NESTING:
            yield Code(Word((Hole("words", "calls of calls"),)), self._how)
            return
        names, returned = self._names, self._returned
        self._names, self._returned = {**names, **self._parameters(function, node, given)}, []
        self._inside.append(function)
        body = [function.body] if isinstance(function, ast.Lambda) else function.body
        for each in body:
            yield from self._commands(each)
        if isinstance(function, ast.Lambda):
            self._returned.append(self._value(function.body))
        if any(isinstance(each, ast.Yield) for part in body for each in walk(part)):
            self._results[node] = self._returned
        else:
            self._results[node] = self._choices.one_of(node, self._returned)
        self._inside.pop()
        shared = {name: value for name, value in self._names.items() if name in self._shared}
        self._names, self._returned = {**names, **shared}, returned

    def _import(self, module: str, name: str, renamed: str | None) -> None:
        self._opaque |= module.partition(".")[0] not in PLAIN
        self._modules[name] = module if renamed else name

    def _module(self, name: str) -> Iterator[Script]:
        """A module of its own, which is read where the line writes it."""
        path = name.replace(".", "/")
        for folder in self._paths if path.partition("/")[0] not in PLAIN else ():
            for file in (f"{path.rpartition('/')[0]}.py", f"{path}.py", f"{path}/__init__.py"):
                yield Script(below(folder, Word((file,))), f"{self._how} ({file})", language="python-file")

    def _import_all(self, module: str) -> None:
        for name in (*SHELLS, *STARTS, *AS_COMMANDS, *OPENS):
            if name.startswith(module):
                self._modules[name.removeprefix(module)] = name

    def _call(self, node: ast.Call) -> Iterator[Inner]:
        name = self._name(node.func)
        if name in STARTS and not node.args:  # `run(args=[…])`, `run(**a)`
            if any(k.arg is None for k in node.keywords):
                yield lost(self._how)
            node = ast.Call(node.func, [k.value for k in node.keywords if k.arg == "args"], node.keywords)
        if name == "os.chdir" and node.args:
            self._folder = self._word(node.args[0])
        elif name in ("sys.path.insert", "sys.path.append", "site.addsitedir") and node.args:
            self._paths.append(self._word(node.args[-1]))
        elif name == "os.putenv" and len(node.args) > 1:
            self._environment[self._word(node.args[0]).prefix] = self._value(node.args[1])
        elif name in SHELLS and node.args:
            yield Code(self._word(node.args[0]), self._how)
        elif name in STARTS and node.args:
            yield from self._start(node)
        elif name.startswith(("os.exec", "os.spawn", "os.posix_spawn")) and node.args:
            yield from self._exec(name, node)
        elif name in OPENS and node.args:
            yield self._open(self._word(node.args[0]), node.args[1:], node)
        elif name.endswith((".write", ".add")) and node.args and self._packs(node.func):
            yield self._argv("python:read", words=[self._word(node.args[0])])
        elif name == "shutil.make_archive" and len(node.args) > 2:
            yield self._argv("python:read", words=[self._word(node.args[2])])
        elif name in READ_UNNAMED and not node.args:
            yield self._argv("python:read", words=[Word((READ_UNNAMED[name],))])
        elif (
            name in ("os.kill", "os.killpg") and node.args and self._word(node.args[0]).literal in ("-1", "1")
        ):
            yield self._argv("kill", "-9", words=[self._word(node.args[0])])
        elif name in AS_COMMANDS and (node.args or node.keywords):
            known = AS_COMMANDS[name] if all(k.arg != "inplace" for k in node.keywords) else ("python:write",)
            yield self._argv(*known, words=[self._word(each) for each in self._given(node)])
        elif node.args and name.rpartition(".")[2] in self._shell_methods():
            yield Code(self._word(node.args[0]), self._how)
        elif node.args and (told := list(to_hosts(name, node, self._value))):
            for each in told:
                yield Argv(tuple(as_word(word) for word in each), self._how)
        elif name.startswith(("sh.", "plumbum.cmd.")) or _GIT_PYTHON.search(name):
            yield self._named_program(name, node)
        elif name.endswith(".push") and any(k.arg in ("force", "mirror") for k in node.keywords):
            yield self._argv("git", "push", "--force", words=[self._word(each) for each in node.args])
        elif name.rpartition(".")[2] in ("map", "starmap", "imap") and len(node.args) > 1:
            yield from self._each(node, self._one_of(node.args[1]))
        elif node.args and (name in ("eval", "exec") or name.endswith(".runsource")):
            yield from self._nested(node)
        elif name.endswith((".extractall", ".unpack_archive")):
            unpacked = self._given(node)[name.endswith("e") :]
            yield self._argv("tar", "-xf", "archive", "-C", words=[self._word(each) for each in unpacked[:1]])
        elif name.endswith((".execute", ".executescript")) and node.args and not self._in_memory:
            asked = node.args[0]
            if isinstance(asked, ast.Call) and asked.args:
                asked = asked.args[0]  # `text("…")`
            yield self._argv("psql", "-c", words=[self._word(asked)])
        elif (handed := self._handed_on(node)) is not None:
            yield from self._call(handed)
            yield from self._enter(self._called(handed.func), handed)
        elif isinstance(node.func, ast.Attribute):
            yield from self._method(node, node.func)
        else:
            self._opaque |= name in BLIND and not (name == "getattr" or self._name(node))

    def _packs(self, method: ast.expr) -> bool:
        """Whether it is one of an archive, into which it puts a file."""
        held = method.value if isinstance(method, ast.Attribute) else method
        made = self._makers.get(held.id) if isinstance(held, ast.Name) else None
        made = self._name(held.func) if isinstance(held, ast.Call) else made
        return made in ("zipfile.ZipFile", "tarfile.open", "tarfile.TarFile")

    def _shell_methods(self) -> tuple[str, ...]:
        """Methods that take a line for a shell: of an SSH client, of the C library, of packages for other hosts."""
        remote = any(name.startswith(("fabric", "invoke")) for name in self._modules.values())
        return ("exec_command", "system", *(("run", "sudo", "local") if remote else ()))

    def _handed_on(self, node: ast.Call) -> ast.Call | None:
        """The call that another one makes: `submit(f, x)`, `partial(f, x)`, `Thread(target=f, args=(x,))`."""
        named = {k.arg: k.value for k in node.keywords}
        given = [*node.args, *(named[key] for key in ("target", "func") if key in named)]
        for at, each in enumerate(given):
            if isinstance(self._value(each), Known) or (
                isinstance(each, ast.Name | ast.Attribute) and self._called(each) is not None
            ):
                more = named.get("args", ast.Tuple([]))
                return ast.Call(each, [*given[at + 1 :], *getattr(more, "elts", [])], [])
        return None

    def _each(self, node: ast.Call, element: object) -> Iterator[Inner]:
        """`map(os.remove, glob.glob("*"))`."""
        name = self._name(node.args[0])
        yield from self._enter(self._called(node.args[0]), ast.Call(node.args[0], [], []), element)
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

    def _start(self, node: ast.Call, stdin: Word | None = None) -> Iterator[Inner]:
        first = node.args[0]
        shell = any(
            k.arg == "shell" and not (isinstance(k.value, ast.Constant) and not k.value.value)
            for k in node.keywords
        )
        words = self._words(first)
        if words is None and len(node.args) > 1 and self._name(node.func).endswith("_exec"):
            words = [self._word(each) for each in node.args]
        folder = next((self._word(k.value) for k in node.keywords if k.arg == "cwd"), None)
        stdin = next((self._word(k.value) for k in node.keywords if k.arg == "input"), stdin)
        variables = next((self._set(self._value(k.value)) for k in node.keywords if k.arg == "env"), ())
        word = words[0] if words else self._word(first)
        split = not words and word.literal is not None and " " not in word.literal
        handed_in = (
            isinstance(first, ast.Name) and first.id not in self._names
        )  # a parameter, `$1` as it were
        if (words or split or (handed_in and word.literal is None)) and not shell:
            yield Argv(tuple(words or (word,)), self._how, folder, stdin=stdin, assignments=variables)
        else:
            yield Code(word, self._how, cwd=folder, stdin=stdin, assignments=variables)

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
        process = self._value(func.value.value) if isinstance(func.value, ast.Attribute) else None
        if isinstance(held, Started) and func.attr == "communicate" and node.args:
            yield from self._start(held.call, self._word(node.args[0]))
        elif isinstance(process, Started) and func.attr in ("write", "writelines") and node.args:
            yield from self._start(process.call, self._word(node.args[0]))
        if isinstance(held, list | dict):
            self._changed(held, func.attr, node)
        if not isinstance(held, Path):
            return
        if func.attr == "open":
            yield self._open(held.word, list(node.args), node)
        elif func.attr in METHODS:
            more = [self._word(each) for each in node.args[:1]] if func.attr in ("rename", "replace") else []
            yield self._argv(*METHODS[func.attr], words=[held.word, *more])

    def _argv(self, *names: str, words: list[Word]) -> Argv:
        return Argv((*(Word((name,)) for name in names), *words), self._how)


READERS: dict[str, Reads] = {"python": commands_of_python}
