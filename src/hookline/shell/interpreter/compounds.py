"""Compound commands: what a loop, an `if` or a `case` leaves behind when nobody knows which way it went."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hookline.model.record import replace
from hookline.shell.grammar.syntax import (
    ArithmeticFor,
    Calculation,
    Case,
    For,
    Function,
    Group,
    If,
    Node,
    Subshell,
    Test,
    Text,
    While,
)
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.shell.interpreter.lists import Lists
from hookline.shell.interpreter.variables import first_name, read_of, takes_lines
from hookline.shell.reading import NAMED, OF_COMPOUND, Hole, Parts, Redirection, Step, Word, is_lost, of_list
from hookline.shell.values.fields import Fields, listed
from hookline.shell.values.running import Running
from hookline.shell.values.state import INPUT, READONLY, function_key, joined, odd_key
from hookline.shell.values.streams import Stream

_COMPARES = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"))
ENDLESS = "a loop without end starts more each time, and waits for none of it"
_TAKES_NO_TIME = frozenset((":", "true", "false", "[", "test", "echo", "printf", "disown", "let", "export"))
LONGEST_LIST = 500  # words of a loop that are each looked at
MOST_NUMBERS = 50  # of a loop, the rest of which are like these
MOST_FOUND = 5  # words of a loop that may be all that a variable is


class Compounds(Running):
    """The part of the reader that runs through compound commands."""

    def _compound(self, node: Compound) -> bool | None:
        simple = Simple((), (), (), node.redirects[0].target.start, node.redirects[-1].target.end)

        def run(found: tuple[Redirection, ...]) -> bool | None:
            if any(each.target is not None for each in found):
                via, self.via = self.via, (*self.via, Step(OF_COMPOUND))
                self.emit(simple, [], (), found)
                self.via = via
            return self.node(node.body)

        return self.within(node.redirects, run)

    def _subshell(self, node: Subshell) -> bool | None:
        self.state.branch()
        stdin = self.stdin
        if node.coproc:
            self.stdin = Stream((Hole("words", "what the line sends to `coproc`"),), self.doubt)
        status = self.own_shell(lambda: self.run(node.body))
        self.stdin = stdin
        self.state.rewind()
        return status

    def _if(self, node: If) -> bool | None:
        self._branches(node.branches, node.otherwise)
        return None

    def _branches(self, branches: tuple[tuple[Sequence, Sequence], ...], otherwise: Sequence | None) -> None:
        condition, body = branches[0]
        self.run(condition)
        self.doubt += 1
        self.state.branch()
        self.run(body)
        taken = self.state.rewind()
        self.state.branch()
        if branches[1:]:
            self._branches(branches[1:], otherwise)
        elif otherwise is not None:
            self.run(otherwise)
        self.doubt -= 1
        self.state.adopt([taken, self.state.rewind()])

    def _while(self, node: While) -> bool | None:
        words = read_of(node.condition)
        lines = self.stdin.lines() if words and takes_lines(words) and self.stdin is not None else None
        if words is not None and lines is not None and len(lines) <= LONGEST_LIST and not node.until:
            return self._lines(node, lines)
        name, parting = first_name(words, self.separators) if words is not None else ("", "")
        listed = self.stdin.listed() if name and self.stdin is not None else []
        if any(
            isinstance(part, str) and not set(parting).isdisjoint(part) for line in listed for part in line
        ):
            listed = []
        if _is_endless(node.condition, node.until) and _only_starts(node.body):
            self.unknown(ENDLESS)

        def once() -> None:
            self.run(node.condition)
            for value in listed:
                self.assign(name, value)  # as a loop over the same list has it
                self.run(node.body)
            if not listed:
                self.run(node.body)

        self.repeat(node, once)
        return None

    def _lines(self, node: While, lines: list[str]) -> bool | None:
        """`while read …` over text that is known."""
        before, self.left = self.left, False
        self.doubt += before
        self.state.branch()
        for _ in lines:
            if self.stdin is not None and self.stdin.ended():
                break  # the body has read the rest
            self.run(node.condition)
            self.run(node.body)
            if self.left:  # it may have stopped, or gone on early
                self.state.forget(list(self.state.journals[-1]))
        broken = self.left or (self.stdin is not None and self.stdin.lines() is None)
        self.run(node.condition)
        beyond = self.beyond
        if broken:
            self.state.forget(list(self.state.commit()))
            self.repeat(node, lambda: (self.run(node.condition), self.run(node.body)))
        else:
            self.state.commit()
        self.doubt -= before
        self.beyond = beyond
        self._behind_loop(before)
        return None

    def repeat(self, node: Node, once: Callable[[], object]) -> None:
        """Runs through a body that runs any number of times: what it changes may be anything at its start."""
        left = self.left
        known = self.loop_changes.setdefault(id(node), {})
        outputs = [each for each in (self.out, self.errors) if each is not None]
        printed = [each.count for each in outputs]
        for _ in range(4):
            mark, unknowns, opaque = len(self.commands), dict(self.unknowns), dict(self.opaque)
            stream, files = self.stdin.parts if self.stdin is not None else None, dict(self.files)
            self.state.branch()
            self.state.repeated(known)
            self.doubt += 1
            self.left = False
            once()
            self.doubt -= 1
            more = self.state.more(known, self.state.rewind())
            if self.stdin is not None and stream is not None and self.stdin.parts != stream:
                self.stdin.lose()
            if not more and all(len(each) > 1 or self.files[name] is each for name, each in files.items()):
                break
            known |= more
            del self.commands[mark:]
            self.unknowns, self.opaque = unknowns, opaque
        else:
            self.unknown("a loop changes too much to follow")
        for output, count in zip(outputs, printed, strict=True):
            if output.count > count:
                output.add((Hole("words", "a loop prints it any number of times"),), self.doubt, False)
        self.state.repeated(known)
        self._behind_loop(left)

    def _behind_loop(self, left: bool) -> None:
        """What follows may not run either where `break 2` or `return` stood in the loop."""
        self.left = left or self.beyond > 0
        self.beyond = max(0, self.beyond - 1)

    def _for(self, node: For) -> bool | None:
        words = self._listed(node)
        fixed = self.state.slots.get(odd_key(node.name)) == READONLY  # then the body does not run
        whole = (
            words is not None
            and len(words) <= LONGEST_LIST
            and len(_without_numbers(words)) == len(words)
            and all(word.single for word in words)
            and not fixed
            and (node.words is not None or words)  # what a script is given is not in the line
        )
        if words is None or not whole or node.select:
            self._any(node, words)
            return None
        left, self.left = self.left, False
        self.doubt += left
        self.state.branch()
        kept = True
        for word in words:
            self.assign(node.name, word.parts)
            value = self.state.slots.get(node.name)
            self.run(node.body)
            kept = kept and self.state.slots.get(node.name) == value
            if self.left:  # it may have stopped, or gone on early
                self.state.forget(list(self.state.journals[-1]))
        broken = self.left
        if broken:
            self.state.forget(list(self.state.commit()))
            if kept:  # it stopped at one of them
                self.state.put(node.name, joined(node.name, [word.parts for word in words]))
        else:
            self.state.commit()
        self.doubt -= left
        self._behind_loop(left)
        return None

    def _listed(self, node: For) -> list[Word] | None:
        if node.words is not None:
            return [word for raw in node.words for word in self.words(raw)]
        known = self.parameters()
        return None if known is None else [Word(parts) for parts in known]

    def _any(self, node: For, words: list[Word] | None) -> None:
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
            values += [word.parts for word in _without_numbers(plain[MOST_FOUND:])] + found

        if node.select:  # what is typed may choose none of them
            choices = tuple(Word(value) for value in (*(word.parts for word in words or ()), ()))
            told = words is not None and len(words) < MOST_FOUND and all(word.single for word in words)
            values = [(Hole("words", why, text, outside=outside, choices=choices[-MOST_FOUND:], only=told),)]

        def once() -> None:
            if node.select and self.stdin is not None:
                self.stdin.lose()
            if node.select:
                self.assign("REPLY", (Hole("words", INPUT, "$REPLY", outside=self.stdin is None),))
            for value in values:
                self.assign(node.name, value)
                self.run(node.body)

        self.repeat(node, once)

    def _arithmetic_for(self, node: ArithmeticFor) -> bool | None:
        self.calculated(node.heads, "((…))")
        heads = "".join(piece.text for piece in node.heads).split(";")
        if len(heads) == 3 and not heads[1].strip() and _only_starts(node.body):
            self.unknown(ENDLESS)

        def once() -> None:
            self.calculated(node.heads, "((…))")
            self.run(node.body)

        self.repeat(node, once)
        return None

    def _case(self, node: Case) -> bool | None:
        self.one(node.subject.pieces or ())
        ways: list[dict[str, object]] = []
        falls = whole = False
        for clause in node.clauses:
            for pattern in clause.patterns:
                self.one(pattern.pieces)
                whole = whole or pattern.pieces == (Text("*", False),)
            self.state.branch()
            if falls:
                self.state.adopt([ways[-1], {}])
            self.doubt += 1
            self.run(clause.body)
            self.doubt -= 1
            ways.append(self.state.rewind())
            falls = clause.terminator != ";;"
        self.state.adopt(ways if whole else [*ways, {}])
        return None

    def _function(self, node: Function) -> bool | None:
        self.functions[id(node)] = node
        self.state.put(function_key(node.name), (node,))
        if self.option("a"):
            self.exported(function_key(node.name))
        return True

    def _test(self, node: Test) -> bool | None:
        self.differs("dash", "`[[` is known to bash and not to dash")
        texts = [(self.one(word.pieces), word.plain) for word in node.words]
        if any(plain in _COMPARES for _, plain in texts):
            for parts, _ in texts:
                self.evaluated(parts)
            self.complained()  # where one is no number
        return None

    def _calculation(self, node: Calculation) -> bool | None:
        self.differs("dash", "`((` is known to bash and not to dash")
        self.calculated(node.pieces, "((…))")
        return None


def _without_numbers(words: Iterable[Word]) -> list[Word]:
    """The words of a loop, without numbers that many others stand for: `{1..500}`."""
    numbers = 0
    kept: list[Word] = []
    for word in words:
        numbers += (word.literal or "").isdigit()
        if numbers <= MOST_NUMBERS or not (word.literal or "").isdigit():
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


Way = Callable[[Any, Any], bool | None]
WAYS: dict[type, Way] = {
    Compound: Compounds._compound, Group: lambda reader, node: reader.run(node.body),
    Subshell: Compounds._subshell, If: Compounds._if,
    While: Compounds._while, For: Compounds._for, ArithmeticFor: Compounds._arithmetic_for, Case: Compounds._case,
    Chain: Lists.chain, Pipeline: Lists.pipeline, Function: Compounds._function,
    Test: Compounds._test, Calculation: Compounds._calculation,
}  # fmt: skip


def _is_endless(condition: Sequence, until: bool) -> bool:
    """Whether a loop's condition says that it never ends: `while true`, `while ((1))`, `until false`."""
    last = condition.items[-1][0] if len(condition.items) == 1 else None
    if isinstance(last, Calculation):
        text = "".join(piece.text for piece in last.pieces).strip()
        return text.isdigit() and (int(text) == 0) == until
    words: tuple[object, ...] = last.words if isinstance(last, Simple | Test) else ()
    texts = [_text_of(word) for word in words]
    if isinstance(last, Test) or texts[:1] == ["["]:
        return not until and len([text for text in texts if text.strip("[]")]) == 1
    return len(texts) == 1 and texts[0].rpartition("/")[2] in (("false",) if until else ("true", ":"))


def _text_of(word: object) -> str:
    text = getattr(word, "literal", None) or getattr(word, "plain", None)
    pieces = getattr(word, "pieces", ())
    return text or ("".join(getattr(piece, "text", "") for piece in pieces) if len(pieces) == 1 else "")


def _only_starts(body: Sequence) -> bool:
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
    return isinstance(node, Subshell) and _only_starts(node.body)


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
