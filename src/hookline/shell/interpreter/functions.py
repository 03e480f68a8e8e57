"""Functions of a line: kept where they stand, and run through with what holds, or is set, where they are called."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Callable
from hookline.shell.reading import UNSET, Hole, Step, Word
from hookline.shell.values.state import READONLY, SPRUNG, export_key, function_key, joined, odd_key

if TYPE_CHECKING:
    from hookline.shell.grammar.syntax import Function, Node
    from hookline.shell.values.running import Running

DEEPEST_CALLS = 12


def temporarily(
    reader: Running, assignments: tuple[tuple[str, Word], ...], run: Callable[[], object]
) -> None:
    """With variables that are set for one function or builtin; what that sets itreader may stay."""
    slots = reader.state.slots
    assignments = tuple(each for each in assignments if slots.get(odd_key(each[0])) != READONLY)
    before = {name: slots.get(name) for name, _ in assignments}
    journal = reader.state.journals[-1] if reader.state.journals else {}
    changed = set(journal)
    for name, value in assignments:
        trap = slots.get(odd_key(name)) == SPRUNG
        reader.state.put(name, value.parts if not trap else joined(name, [value.parts, slots.get(name)]))
    given = {name: slots.get(name) for name in before}
    reader.temporary += before
    run()
    del reader.temporary[len(reader.temporary) - len(before) :]
    for name, held in before.items():
        now = slots.get(name)
        reader.state.put(name, held if now is given[name] else joined(name, [held, now]))
        if now is given[name] and name not in changed:
            journal.pop(name, None)  # it is what it was, wherever the branch ends


def define(reader: Running, node: Function) -> bool:
    reader.functions[id(node)] = node
    reader.state.put(function_key(node.name), (node,))
    if reader.option("a"):
        reader.exported(function_key(node.name))
    return True


def run_uncalled(reader: Running) -> None:
    """Those that nothing has called by the end of the line."""
    while reader.functions:
        function = reader.functions.pop(next(iter(reader.functions)))
        reader.doubt += 1
        reader.state.branch()
        reader.state.put("@", None)
        via, reader.via = reader.via, (Step(f"function {function.name}", function.start, function.end),)
        reader.node(function.body)
        reader.via = via
        reader.state.rewind()
        reader.doubt -= 1


def call_function(reader: Running, functions: tuple[object, ...], words: list[Word]) -> None:
    """Runs what the name stands for, or may stand for."""
    from hookline.shell.grammar.syntax import Function
    from hookline.shell.values.arrays import arguments

    positionals = arguments(words[1:])
    for function in functions:
        if isinstance(function, Function):
            reader.functions.pop(id(function), None)
            step = Step(f"function {function.name}", words[0].start, words[0].end)
            _call(reader, function.body, positionals, step, perhaps=len(functions) > 1)
        elif function is not None:
            reader.unknown("a function may be another one by then", words[0].literal or "")


def _call(reader: Running, body: Node, positionals: object, step: Step, perhaps: bool = False) -> None:
    """Runs through a function's body, with its own parameters and locals."""
    if reader.calls >= DEEPEST_CALLS:
        reader.unknown(f"`{step.how}` calls itself too often to follow")
        return
    reader.calls += 1
    via, left, beyond = reader.via, reader.left, reader.beyond
    reader.via, reader.left = (*via, step), False
    reader.doubt += perhaps + left
    reader.locals.append({})
    before = reader.state.slots.get("@")
    reader.state.branch()
    reader.state.put("@", positionals)
    reader.node(body)
    _leave(reader, perhaps)
    reader.state.put("@", before)
    for name, held in reader.locals.pop().items():
        reader.state.put(name, held)
    reader.doubt -= perhaps + left
    reader.via, reader.left, reader.beyond = via, left, beyond
    reader.calls -= 1


def _leave(reader: Running, perhaps: bool) -> None:
    """Ends a branch whose end may not have been reached."""
    if perhaps:
        reader.state.adopt([reader.state.rewind(), {}])
    elif reader.left:
        reader.state.forget(list(reader.state.commit()))
    else:
        reader.state.commit()


def make_local(reader: Running, variable: str) -> None:
    """Keeps what a variable was outside of the function that runs, if it is not local already."""
    if variable not in reader.locals[-1]:
        for key in (variable, export_key(variable)):
            reader.locals[-1][key] = reader.state.slots.get(key)
        reader.state.put(variable, _local_value(reader, variable))


def _local_value(reader: Running, variable: str) -> object:
    """What a local variable has before anything is assigned to it."""
    if not reader.option("L") and reader.shell not in ("sh", "dash"):
        return UNSET
    return (Hole("words", "it may have the value of one outside of the function", f"${variable}"),)
