"""Imports point one way, and only `system` touches processes, files and the environment."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hookline.dialects import REGISTRY

SOURCE = Path(__file__).parent.parent / "src" / "hookline"
LAYER = {
    "model": 1, "system": 2, "shell": 3, "dialects": 4, "handlers": 4, "state": 4, "agents": 4,
    "engine": 5, "installing": 6, "checking": 6, "hosts": 6, "integrations": 7, "web": 7, "cli": 8,
}  # fmt: skip
FORBIDDEN = {"os.environ", "os.getenv", "os.system", "os.popen", "os.fork", "os.execve"}
LAST_NAMES = {name.rpartition(".")[2] for name in FORBIDDEN}
SIBLINGS = {"dialects", "handlers", "state", "agents"}
# Where a dialect may be named beside its own folder, and why. `hookline` is left out: the program is called so too.
NAMED = {
    # the hosts that came with a dialect, and what they keep under its name
    "discobot": ("hosts/turns/", "hosts/precommit.py", "hosts/entrypoint.py"),
    "iteratr": ("hosts/iterations/", "state/eventlog_nats.py"),
    "autoagent": ("hosts/issues/",),
    # programs that host can start; GenCode reads Claude Code's own files; its SDK; a user's folder of that name
    "claude": (
        "agents/cli_process.py", "hosts/issues/settings.py", "dialects/gencode/config.py",
        "integrations/claude_agent_sdk.py",
    ),
    "gemini": ("agents/cli_process.py", "hosts/issues/settings.py"),
    "vscode": ("checking/commands/line_rules.py",),
}  # fmt: skip
# Packs are written in hookline's own format.
OWN_FORMAT = ("installing/packs.py", "hosts/probing/guards.py", "cli/hooks/packs.py")


class Read(NamedTuple):
    """What these tests ask of a module, which is taken apart once."""

    imports: set[str]
    dialects: set[str]
    bound: list[str]
    shared: list[int]


@cache
def read(path: Path) -> Read:
    tree = ast.parse(path.read_text())
    found = Read(set(), set(), [name for node in tree.body for name in bound_by(node)], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("hookline."):
            if node.module.count(".") == 1:
                found.imports.update(f"{node.module}.{alias.name}" for alias in node.names)
            found.imports.add(node.module)
        elif isinstance(node, ast.Import):
            found.imports.update(alias.name for alias in node.names if alias.name.startswith("hookline."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.dialects.update({node.value} & set(REGISTRY))
        elif isinstance(node, ast.ClassDef):
            found.shared.extend(shared_by(node))
    return found


def top_names(tree: ast.Module) -> set[str]:
    """What a module binds at its top, under conditions too, but not inside functions and classes."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.alias):
                found.add(node.asname or node.name.partition(".")[0])
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            else:
                waiting.append(node)
    return found


# The rooms of `shell`, each with those that it may look into.
_BASE = {"reading", "plain", "grammar", "values"}
SHELL = {
    "reading": set(), "plain": {"reading"}, "grammar": {"reading", "plain"}, "values": {"reading", "grammar"},
    "code": _BASE, "programs": {*_BASE, "code"}, "interpreter": {*_BASE, "code", "programs"},
    "effects": {*_BASE, "code", "programs"},
}  # fmt: skip


def package(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


@cache
def modules() -> dict[str, set[str]]:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = "hookline." + ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = read(path).imports
    return found


def test_the_rooms_of_the_reader_stand_one_upon_the_other() -> None:
    for module, wanted in modules().items():
        place, _, name = module.removeprefix("hookline.").partition(".")
        if place == "shell" and name:
            room = name.partition(".")[0]
            others = {it.split(".")[2] for it in wanted if it.startswith("hookline.shell.")} - {room}
            assert others <= SHELL[room], module


def test_no_module_imports_upward_or_sideways() -> None:
    wrong = []
    for name, targets in modules().items():
        own = package(name)
        if own not in LAYER:
            continue
        for target in targets:
            other = package(target)
            if other not in LAYER or other == own:
                continue
            sideways = own in SIBLINGS and other in SIBLINGS
            if LAYER[other] > LAYER[own] or sideways:
                wrong.append(f"{name} imports {target}")
    assert wrong == []


def rooms_of(place: str) -> set[str]:
    """The dialects whose own file this is."""
    words = place.removesuffix(".py").split("/")
    module = ".".join(("hookline", *words))
    rows = {name for name, row in REGISTRY.items() if row.room == f"{module}:{name.upper()}"}
    return rows | (set(words[1:]) & set(REGISTRY) if words[0] == "dialects" else set())


def names_in(path: Path) -> set[str]:
    """The dialects that a module imports, or has the name of in a text of its own."""
    imported = {
        word
        for target in read(path).imports
        if target.startswith("hookline.dialects.")
        for word in target.split(".")[2:4]
    }
    return (imported & set(REGISTRY)) | (read(path).dialects - {"hookline"})


def test_what_only_a_hooks_own_dialect_reads_is_read_by_no_other() -> None:
    """Whatever others read of a hook has a field, in `HookSpec` or in one of its parts."""
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in ("dialects", "model")
        and ".options" in (text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr == "options"
        and ast.unparse(node.value).rpartition(".")[2] in ("spec", "hook", "s", "step", "made", "by")
    ]  # fmt: skip
    assert wrong == []


def test_no_dialect_is_named_outside_its_own_folder() -> None:
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        allowed = {name for name, places in NAMED.items() if place.startswith(places)}
        allowed |= {"hookline"} if place in OWN_FORMAT else set()
        if place != "dialects/__init__.py":
            wrong += [f"{place}: {name}" for name in sorted(names_in(path) - rooms_of(place) - allowed)]
    assert wrong == []


def test_every_place_where_a_dialect_may_be_named_names_it() -> None:
    rows = [(name, place) for name, places in NAMED.items() for place in places]
    rows += [("hookline", place) for place in OWN_FORMAT]
    for name, place in rows:
        found = [SOURCE / place] if place.endswith(".py") else sorted((SOURCE / place).rglob("*.py"))
        assert any(name in names_in(path) for path in found), f"{place} does not name {name}"


def test_a_folder_does_not_name_a_value_as_one_of_its_modules() -> None:
    """Importing `folder.rules` puts a module over whatever the folder's own module calls `rules`."""
    wrong = []
    for path in sorted(SOURCE.rglob("__init__.py")):
        modules_in_it = {each.stem for each in path.parent.iterdir()}
        for name in sorted(top_names(ast.parse(path.read_text())) & modules_in_it):
            wrong.append(f"{path.relative_to(SOURCE)}: {name}")
    assert wrong == []


def test_no_module_calls_two_things_alike() -> None:
    """The second would be meant everywhere, in the code above it too."""
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        named = read(path).bound
        wrong += [f"{path.relative_to(SOURCE)}: {name}" for name in set(named) if named.count(name) > 1]
    assert wrong == []


def bound_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return [target.id for target in targets if isinstance(target, ast.Name)]


def test_no_import_cycle() -> None:
    graph = modules()
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"cycle: {' -> '.join((*trail, name))}"
        if name in done or name not in graph:
            return
        for target in graph[name]:
            if target != name:
                visit(target, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def test_only_system_touches_processes_files_and_the_environment() -> None:
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        text = path.read_text()
        if place.parts[0] == "system" or not any(
            word in text for word in ("subprocess", "open(", *FORBIDDEN)
        ):
            continue
        for node in ast.walk(ast.parse(text)):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            if "subprocess" in names:
                wrong.append(f"{place}:{node.lineno}: imports subprocess")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
                wrong.append(f"{place}:{node.lineno}: calls open()")
            if isinstance(node, ast.Attribute) and node.attr in LAST_NAMES and ast.unparse(node) in FORBIDDEN:
                wrong.append(f"{place}:{node.lineno}: {ast.unparse(node)}")
    assert wrong == []


def test_the_map_names_rooms_that_are_there_and_every_package() -> None:
    """Each row of the map gives paths: the first is whole, those behind it may be neighbours of it."""
    text = (SOURCE.parent.parent / "docs" / "architecture.md").read_text()
    rows = [re.findall(r"`([\w/]+(?:\.py|/))`", line) for line in text.splitlines() if line.startswith("| ")]
    files = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*") if "__pycache__" not in path.parts}
    folders = {f"{name}/" for name in files if (SOURCE / name).is_dir()}
    gone = [
        name for row in rows for name in row
        if not any(each == name or each.endswith(f"/{name}") for each in files | folders)
    ]  # fmt: skip
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert (gone, sorted(name for name in packages if f"`{name}`" not in text)) == ([], [])


MAP = (SOURCE.parent.parent / "docs" / "architecture.md").read_text()


def test_the_map_names_every_package() -> None:
    packages = [path.parent.relative_to(SOURCE) for path in sorted(SOURCE.rglob("__init__.py"))]
    assert [str(place) for place in packages[1:] if not re.search(rf"\b{place.name}\b", MAP)] == []


def test_whatever_file_the_map_names_is_there() -> None:
    files = [str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")]
    named = re.findall(r"`((?!tests/)[\w/]+\.py)\b", MAP)
    assert [name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []


def test_no_class_shares_a_list_or_table_that_its_objects_could_change() -> None:
    """The linter's own rule does not know annotations that come from `hookline.model.typing`."""
    shared = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line in read(path).shared
    ]
    assert shared == []


def shared_by(made: ast.ClassDef) -> list[int]:
    unchanged = ("Mapping", "Sequence", "ClassVar", "Final")
    displays = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
    return [
        line.lineno
        for line in made.body
        if isinstance(line, ast.Assign | ast.AnnAssign) and isinstance(line.value, displays)
        if isinstance(line, ast.Assign) or not ast.unparse(line.annotation).startswith(unchanged)
    ]
