"""Loops: what is left behind by a body that runs once for each word, or any number of times."""

from __future__ import annotations

from hookline.model.record import replace
from hookline.model.typing import TYPE_CHECKING, Callable, Iterable
from hookline.shell.grammar.branches import For, If, Subshell, While
from hookline.shell.grammar.tree import Chain, Pipeline, Sequence, Simple
from hookline.shell.reading import NAMED, Hole, Parts, Word, is_lost, of_list
from hookline.shell.values.fields import Fields, listed
from hookline.shell.values.state import INPUT, READONLY, joined, odd_key

if TYPE_CHECKING:
    from hookline.shell.grammar.syntax import Node
    from hookline.shell.interpreter.branching import Way
    from hookline.shell.values.running import Running

ENDLESS = "a loop without end starts more each time, and waits for none of it"
_TAKES_NO_TIME = frozenset((":", "true", "false", "[", "test", "echo", "printf", "disown", "let", "export"))
LONGEST_LIST = 500  # words of a loop that are each looked at
MOST_NUMBERS = 50  # of a loop, the rest of which are like these
_NEVER = (Chain, Pipeline, If, Subshell, While, For)  # as a condition they may end a loop
MOST_FOUND = 5  # words of a loop that may be all that a variable is


def _while(reader: Running, node: While) -> None:
    name, parting = "", ""
    if "read" in map(_name_of, [each for each, _ in node.condition.items]):
        from hookline.shell.interpreter.input import first_name, read_of, takes_lines

        words = read_of(node.condition)
        lines = reader.stdin.lines() if words and takes_lines(words) and reader.stdin is not None else None
        if words is not None and lines is not None and len(lines) <= LONGEST_LIST and not node.until:
            _lines(reader, node, lines)
            return
        if words is not None:
            name, parting = first_name(words, reader.separators)
    listed = reader.stdin.listed() if name and reader.stdin is not None else []
    if any(isinstance(part, str) and not set(parting).isdisjoint(part) for line in listed for part in line):
        listed = []
    if _is_endless(node.condition, node.until) and only_starts(node.body):
        reader.unknown(ENDLESS)

    def once() -> None:
        reader.run(node.condition)
        for value in listed:
            reader.assign(name, value)  # as a loop over the same list has it
            reader.run(node.body)
        if not listed:
            reader.run(node.body)

    repeat(reader, node, once)


def _lines(reader: Running, node: While, lines: list[str]) -> None:
    """`while read …` over text that is known."""
    before, reader.left = reader.left, False
    reader.doubt += before
    reader.state.branch()
    for _ in lines:
        if reader.stdin is not None and reader.stdin.ended():
            break  # the body has read the rest
        reader.run(node.condition)
        reader.run(node.body)
        if reader.left:  # it may have stopped, or gone on early
            reader.state.forget(list(reader.state.journals[-1]))
    broken = reader.left or (reader.stdin is not None and reader.stdin.lines() is None)
    reader.run(node.condition)
    beyond = reader.beyond
    if broken:
        reader.state.forget(list(reader.state.commit()))
        repeat(reader, node, lambda: (reader.run(node.condition), reader.run(node.body)))
    else:
        reader.state.commit()
    reader.doubt -= before
    reader.beyond = beyond
    _behind_loop(reader, before)


def repeat(reader: Running, node: Node, once: Callable[[], object]) -> None:
    """Runs through a body that runs any number of times: what it changes may be anything at its start."""
    left = reader.left
    known = reader.loop_changes.setdefault(id(node), {})
    outputs = [each for each in (reader.out, reader.errors) if each is not None]
    printed = [each.count for each in outputs]
    for _ in range(4):
        mark, unknowns, opaque = len(reader.commands), dict(reader.unknowns), dict(reader.opaque)
        stream, files = reader.stdin.parts if reader.stdin is not None else None, dict(reader.files)
        reader.state.branch()
        reader.state.repeated(known)
        reader.doubt += 1
        reader.left = False
        once()
        reader.doubt -= 1
        more = reader.state.more(known, reader.state.rewind())
        if reader.stdin is not None and stream is not None and reader.stdin.parts != stream:
            reader.stdin.lose()
        if not more and all(len(each) > 1 or reader.files[name] is each for name, each in files.items()):
            break
        known |= more
        del reader.commands[mark:]
        reader.unknowns, reader.opaque = unknowns, opaque
    else:
        reader.unknown("a loop changes too much to follow")
    for output, count in zip(outputs, printed, strict=True):
        if output.count > count:
            output.add((Hole("words", "a loop prints it any number of times"),), reader.doubt, False)
    reader.state.repeated(known)
    _behind_loop(reader, left)


def _behind_loop(reader: Running, left: bool) -> None:
    """What follows may not run either where `break 2` or `return` stood in the loop."""
    reader.left = left or reader.beyond > 0
    reader.beyond = max(0, reader.beyond - 1)


def _for(reader: Running, node: For) -> None:
    words = _listed(reader, node)
    fixed = reader.state.slots.get(odd_key(node.name)) == READONLY  # then the body does not run
    whole = (
        words is not None
        and len(words) <= LONGEST_LIST
        and len(_without_numbers(words)) == len(words)
        and all(word.single for word in words)
        and not fixed
        and (node.words is not None or words)  # what a script is given is not in the line
    )
    if words is None or not whole or node.select:
        _any(reader, node, words)
        return
    left, reader.left = reader.left, False
    reader.doubt += left
    reader.state.branch()
    kept = True
    for word in words:
        reader.assign(node.name, word.parts)
        value = reader.state.slots.get(node.name)
        reader.run(node.body)
        kept = kept and reader.state.slots.get(node.name) == value
        if reader.left:  # it may have stopped, or gone on early
            reader.state.forget(list(reader.state.journals[-1]))
    broken = reader.left
    if broken:
        reader.state.forget(list(reader.state.commit()))
        if kept:  # it stopped at one of them
            reader.state.put(node.name, joined(node.name, [word.parts for word in words]))
    else:
        reader.state.commit()
    reader.doubt -= left
    _behind_loop(reader, left)


def _listed(reader: Running, node: For) -> list[Word] | None:
    if node.words is not None:
        return [word for raw in node.words for word in reader.words(raw)]
    known = reader.parameters()
    return None if known is None else [Word(parts) for parts in known]


def _any(reader: Running, node: For, words: list[Word] | None) -> None:
    """A loop over words that are not all known."""
    only = words[0] if words is not None and len(words) == 1 else None
    holes = [hole for word in words or () for hole in word.holes]
    literal = any(word.literal is not None for word in words or ())
    outside = not literal and not any(map(is_lost, holes))
    why, text = f"`{node.name}` is one of several words", f"${node.name}"
    if only is not None and len(only.parts) == len(holes) == 1:
        why = holes[0].why
        text = holes[0].text if " grep " in holes[0].text else text  # it tells what the word may be
    elif any(hole.why == INPUT for hole in holes):
        why = INPUT
    if holes and not literal and all(map(of_list, holes)):
        why = NAMED
    plain = tuple(word for word in words or () if word.literal)
    plain = (*plain, *(choice for hole in holes for choice in _of_choices(hole)))
    values: list[Parts] = [(Hole("words", why, text, outside=outside, choices=plain[:MOST_FOUND]),)]
    found = [tuple(_one_name(part) for part in word.parts) for word in words or () if _is_found(word)]
    if only is not None and all(isinstance(part, str) or part.kind != "words" for part in only.parts):
        values = [only.parts]
    elif words and len(found) == len(words):
        values = found
    else:
        values += [word.parts for word in _without_numbers(plain[MOST_FOUND:], MOST_FOUND)] + found

    if node.select:  # what is typed may choose none of them
        choices = tuple(Word(value) for value in (*(word.parts for word in words or ()), ()))
        told = words is not None and len(words) < MOST_FOUND and all(word.single for word in words)
        values = [(Hole("words", why, text, outside=outside, choices=choices[-MOST_FOUND:], only=told),)]

    def once() -> None:
        if node.select and reader.stdin is not None:
            reader.stdin.lose()
        if node.select:
            reader.assign("REPLY", (Hole("words", INPUT, "$REPLY", outside=reader.stdin is None),))
        for value in values:
            reader.assign(node.name, value)
            reader.run(node.body)

    repeat(reader, node, once)


def _without_numbers(words: Iterable[Word], most: int = MOST_NUMBERS) -> list[Word]:
    """The words of a loop, without numbers that so many others stand for: `{1..500}`."""
    numbers = 0
    kept: list[Word] = []
    for word in words:
        numbers += (word.literal or "").isdigit()
        if numbers <= most or not (word.literal or "").isdigit():
            kept.append(word)
    return kept


def _of_choices(hole: Hole) -> list[Word]:
    """The words that each of its values is, which may be several."""
    if hole.kind == "word":
        return list(hole.choices)
    fields = Fields(" \t\n")
    for choice in hole.choices:
        fields.value(choice.parts, False)
        fields.end()
    return fields.words(0, 0)


def _is_found(word: Word) -> bool:
    """Whether a word stands for all files of a name that are found somewhere: `$(find ~ -name .netrc)`, `*.js`."""
    return bool(listed(word.parts))


def _one_name(part: str | Hole) -> str | Hole:
    return replace(part, kind="word") if isinstance(part, Hole) and part.kind != "glob" else part


def _is_endless(condition: Sequence, until: bool) -> bool:
    """Whether a loop's condition says that it never ends: `while true`, `while ((1))`, `until false`."""
    last = condition.items[-1][0] if len(condition.items) == 1 else None
    if isinstance(last, Simple):
        texts = [_text_of(word) for word in last.words]
        if texts[:1] != ["["]:
            return len(texts) == 1 and texts[0].rpartition("/")[2] in (("false",) if until else ("true", ":"))
    elif last is None or isinstance(last, _NEVER):
        return False
    else:
        from hookline.shell.grammar.syntax import Calculation, Test

        if isinstance(last, Calculation):
            text = "".join(piece.text for piece in last.pieces).strip()
            return text.isdigit() and (int(text) == 0) == until
        texts = [_text_of(word) for word in last.words] if isinstance(last, Test) else []
    return not until and len([text for text in texts if text.strip("[]")]) == 1


def _text_of(word: object) -> str:
    text = getattr(word, "literal", None) or getattr(word, "plain", None)
    pieces = getattr(word, "pieces", ())
    return text or ("".join(getattr(piece, "text", "") for piece in pieces) if len(pieces) == 1 else "")


def only_starts(body: Sequence) -> bool:
    """Whether something is left running each time, and nothing takes its time or waits for it."""
    starts = [at for at, (node, background) in enumerate(body.items) if background or _starts_aside(node)]
    rest = [(at, node) for at, (node, background) in enumerate(body.items) if not background]
    return bool(starts) and all(
        _takes_no_time(node)
        or (_name_of(node) == "wait" and (at < starts[-1] or not body.items[starts[-1]][1]))
        for at, node in rest
    )


def _starts_aside(node: Node) -> bool:
    """`(work &)`, for which no `wait` of the loop waits."""
    return isinstance(node, Subshell) and only_starts(node.body)


def _takes_no_time(node: Node) -> bool:
    """Also what never happens, and a shell of its own, which has nothing to wait for."""
    if isinstance(node, If):
        return all(_is_endless(condition, True) for condition, _ in node.branches) and node.otherwise is None
    if isinstance(node, Subshell):
        names = {
            "wait" if _takes_no_time(each) else _name_of(each) for each, later in node.body.items if not later
        }
        return names <= {"wait"}
    return _name_of(node) in _TAKES_NO_TIME


def _name_of(node: Node) -> str:
    first = node.words[0] if isinstance(node, Simple) and node.words else None
    return first.literal or "?" if isinstance(first, Word) else "?"


WAYS: dict[type, Way] = {While: _while, For: _for}
