"""`cd`, `pushd` and `popd`: where the rest of the line runs."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.interpreter.options import line_of, options_of
from hookline.shell.reading import UNSET, Command, Hole, Word, resolved
from hookline.shell.values.state import STACK, one_of_folders

if TYPE_CHECKING:
    from hookline.shell.grammar.tree import Simple
    from hookline.shell.values.running import Running


def cd(reader: Running, command: Command, node: Simple) -> None:
    found = options_of(command.words[1:])
    names = found[2] if found is not None else list(command.words[1:])
    text = names[0].literal if len(names) == 1 else None
    if not names:
        home = reader.scalar("HOME") or ()
        target = Word(
            home
            if home and all(isinstance(p, str) for p in home)
            else (Hole("word", "the home folder", "~"),)
        )
    elif text == "-":
        target = reader.state.former_folder()
    elif len(names) > 1 or not resolved(reader.folder(), names[0]).single:
        target = Word(
            (Hole("word", "the folder is not told by the line", "".join(line_of(each) for each in names)),)
        )
    else:
        target = resolved(reader.folder(), names[0])
        searched = Word(reader.scalar("CDPATH") or ()).literal or ""
        if searched and names[0].prefix[:1] not in ("/", ".", ""):
            found_in = [resolved(Word((each,)), names[0]) for each in searched.split(":") if each]
            target = one_of_folders([*found_in, target])
            reader.prints((Hole("words", "`cd` tells what it found by `CDPATH`"),))
    reader.enter(target)


def pushd(reader: Running, command: Command, node: Simple) -> None:
    stack = reader.state.slots.get(STACK)
    held = stack if isinstance(stack, tuple) else ()
    names = [word for word in command.words[1:] if word.literal != "-n"]
    odd = len(names) != 1 or not names[0].single or (names[0].literal or "x")[0] in "+-" or stack is UNSET
    reader.state.put(STACK, UNSET if odd else (*held, reader.folder()))
    if odd:
        reader.enter(Word((Hole("word", "`pushd` goes somewhere", "$PWD"),)))
    else:
        reader.enter(resolved(reader.folder(), names[0]))


def popd(reader: Running, command: Command, node: Simple) -> None:
    stack = reader.state.slots.get(STACK)
    if isinstance(stack, tuple) and stack and len(command.words) == 1:
        reader.state.put(STACK, stack[:-1])
        reader.enter(stack[-1])
    else:
        reader.enter(Word((Hole("word", "`popd` goes somewhere", "$PWD"),)))
