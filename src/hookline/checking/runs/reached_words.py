"""What of a script of a shell, JavaScript or PowerShell does not run for one hook: its arguments and event decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from hookline.checking.runs.expression_values import Expressions, split, up_to_close
from hookline.checking.runs.known import Known
from hookline.checking.runs.of_run import lacks
from hookline.checking.runs.word_values import Values
from hookline.checking.steps.step import Body, Look, Step, all_steps
from hookline.checking.steps.steps import Steps
from hookline.system.patterns.late import late

_ENDS = ("exit", "return")
_SETS = ("", "local", "export", "readonly", "declare", "typeset", "read", "mapfile", "readarray")
_SIGNS = {"sh": ("||", "&&"), "js": ("||", "&&"), "ps1": (" -or ", " -and ")}
_TEST = late(
    r"(?P<left>\"[^\"]*\"|'[^']*'|\S+)\s+(?P<op>==?|!=|-eq|-ne|-lt|-le|-gt|-ge)\s+(?P<right>\"[^\"]*\"|'[^']*'|[^\s\"']+)"
)
_ASKED = late(r"(?P<how>-[nz])\s+(?P<of>\"[^\"]*\"|\S+)")
_BRACKETS = late(r"^(?:\[\[?|test)\s+|\s+\]\]?$")
_COMPARED = {
    "js": late(r"(?P<left>[^=!<>]{1,200}?)\s*(?P<op>===?|!==?)\s*(?P<right>[^=!<>]{1,200})"),
    "ps1": late(r"(?P<left>.{1,200}?)\s+-[ci]?(?P<op>eq|ne)\s+(?P<right>.{1,200})", re.IGNORECASE),
}
_AMONG = {
    "js": late(r"\[(?P<list>[^\[\]]{1,300})\]\.includes\(\s*(?P<of>[^()]{1,100})\)"),
    "ps1": late(r"(?P<of>\S{1,100})\s+-(?P<no>not)?in\s+@?\(?(?P<list>[^()]{1,300})\)?", re.IGNORECASE),
}
_HAS = late(r"(?P<of>[\w.$()]{1,60})\.includes\(\s*(?P<word>[\"'][^\"'\n]*[\"'])\s*\)")
_ARM = late(r"\bcase\b([^\n]{1,200}?):(?=\s*(?:case\b|default\b|$))")
_TABLE = late(
    r"\b(?:const|let|var)\s+(?P<name>\w+)\s*(?::[^=\n]{1,80})?=\s*\{(?P<rows>[^{}()]{1,2000})\}", needs=("{",)
)
_ROW = late(r"(?<![\w.$])[\"']?(?P<key>[\w.-]+)[\"']?\s*:\s*(?P<what>[A-Za-z_$][\w$]*)(?=\s*(?:,|\Z|\n|\}))")


Span = tuple[int, int, str]  # from where to where, and what stands for it


def spans_of(body: Iterable[Step], kind: str) -> Iterator[Span]:
    """What there is to blank of statements; of a shell's the simple ones, as nobody knows where the others end.

    What those set stays set, since a condition that stays may read it.
    """
    body = tuple(body)
    if kind != "sh":
        yield from ((each.start, each.end, "") for each in body)
        return
    for each in all_steps(body):
        if not each.bodies and each.start < each.end:
            sets = sorted(filter(str.isidentifier, each.sets)) if each.program in _SETS else ()
            yield each.start, each.end, " ".join(f"{name}=''" for name in sets) or ":"


def dead_in_words(text: str, kind: str, steps: Steps, known: Known) -> Iterator[Span]:
    """What a script has that does not run."""
    return Dead(text, kind, steps, known).all_dead()


class Dead(Expressions):
    def all_dead(self) -> Iterator[Span]:
        left = [self.steps.body]
        yield from self.dead_rows() if self.kind == "js" else ()
        while left:
            body = left.pop()
            for at, step in enumerate(body):
                passed, _ = self.choice(step)
                for number, inner in enumerate(step.bodies):
                    if number not in passed:
                        left.append(inner)
                    else:
                        yield from spans_of(inner, self.kind)
                if self.ends(step):
                    behind = self.behind(step)
                    rest = [
                        each for each in body[at + 1 :] if each.kind != "function" and each.start >= behind
                    ]
                    yield from spans_of(rest, self.kind)
                    break

    def dead_rows(self) -> Iterator[Span]:
        """What a table of functions has under other words than the one that is looked up in it."""
        for table in _TABLE.finditer(self.text):
            name = table["name"]
            used = [*re.finditer(rf"(?<![\w.$]){name}\b(?!\s*(?::[^=\n]{{1,60}})?=[^=])", self.text)]
            keys = [
                re.compile(r"(?:\?\.)?\[([^\[\]\n]{1,80})\]").match(self.text, each.end()) for each in used
            ]
            before, wanted = self.told, set[object]()
            for key in keys:
                values = self.value(key[1], key.start()) if key else None
                if values is None:
                    break
                wanted |= values
            else:
                rows = _ROW.finditer(self.text, table.start("rows"), table.end("rows"))
                known = self.told > before
                yield from ((*each.span("what"), "") for each in rows if known and each["key"] not in wanted)

    def ends(self, step: Step) -> bool:
        """Whether nothing behind a choice runs, by what is known of the run, or behind the call of a function that
        ends the script in any case."""
        if step.kind == "" and step.bare:
            return any(self.always_exits(name) for name in step.calls if self.begins_with(step, name))
        passed, met = self.choice(step)
        kept = [each for number, each in enumerate(step.bodies) if number not in passed]
        sure = met or (bool(passed) and step.whole)
        return sure and all(any(each.kind in _ENDS or self.ends(each) for each in body) for body in kept)

    def begins_with(self, step: Step, name: str) -> bool:
        """Whether a statement is the call of a function."""
        behind = r"(?=[ \t]|$|;)(?![^\n]*(?<!\|)\|(?!\|))" if self.kind == "sh" else r"\s*\("
        called = re.compile(rf"(?:await\s+)?{re.escape(name)}{behind}", re.MULTILINE)
        return bool(called.match(self.text, step.start))

    def behind(self, step: Step) -> int:
        """Where a statement ends, with all that stands in the brackets of a call."""
        opens = self.text.find("(", step.start) if self.kind == "js" and step.kind == "" else -1
        if opens < 0:
            return step.end
        return opens + 1 + len(up_to_close(self.text[opens + 1 :]))

    def always_exits(self, name: str) -> bool:
        function = self.steps.functions.get(name)
        last = function.bodies[0][-1] if function is not None and function.bodies[0] else None
        while last is not None and last.kind == "group" and last.bodies[0]:
            last = last.bodies[0][-1]
        return last is not None and last.kind == "exit" and last.look.text != "throw"

    def choice(self, step: Step) -> tuple[frozenset[int], bool]:
        """The bodies of a choice that are not taken, and whether one of the others surely is."""
        found, met = set[int](), False
        goes_on = self.kind == "js" and not all(map(_is_left, step.bodies[:-1]))
        if step.kind != "if" or (step.look.text and goes_on):
            return frozenset(), False
        for number in range(len(step.bodies)):
            held = False if met else self.held(step, number)
            found |= {number} if held is False else set()
            met = met or held is True
        return frozenset(found), met

    def held(self, step: Step, number: int) -> bool | None:
        """Whether the condition before a body holds, by what is known of the run."""
        look, before = step.looks[number], self.told
        subject = step.look.text
        if subject:
            held = self.fits(subject, look, step.start)
        elif number and step.whole and number == len(step.bodies) - 1:
            return None  # `else`
        else:
            held = self.holds(look.text, step.start)
        return held if self.told > before else None

    # -- `case`, `switch` ------------------------------------------------------------------------------

    def fits(self, subject: str, look: Look, at: int) -> bool | None:
        values = self.value(subject, at)
        if values is None:
            return None
        if self.kind == "sh":
            fitting = {
                each for each in values if any(fnmatchcase(each, word) for word in _patterns(look.text))
            }
            return True if fitting == values else None if fitting else False
        told = [look.text] if self.kind == "ps1" else _ARM.findall(look.text)
        if any(each.strip().lower() in ("", "default") for each in told) or "default:" in look.text:
            return None
        wanted = [self.value(each, at) for each in told]
        if None in wanted:
            return None
        one = frozenset(self.folded(value) for each in wanted for value in each or ())
        two = frozenset(map(self.folded, values))
        return True if two <= one else None if one & two else False

    def folded(self, value: object) -> object:
        return value.lower() if self.kind == "ps1" and isinstance(value, str) else value

    # -- conditions ------------------------------------------------------------------------------------

    def holds(self, text: str, at: int) -> bool | None:
        text = text.strip()
        either, both = _SIGNS[self.kind]
        for sign, wanted in ((either, True), (both, False)):
            parts = list(split(text, sign))
            if len(parts) > 1:
                if text.startswith("! "):
                    return None
                each_held = [self.holds(each, at) for each in parts]
                return wanted if wanted in each_held else None if None in each_held else not wanted
        if self.kind == "sh":
            return self.holds_test(text, at)
        if lacks(text, self.known):
            self.told += 1
            return False
        text = text[1:-1].strip() if re.fullmatch(r"\([^()]*\)", text) else text
        if compared := _COMPARED[self.kind].fullmatch(text):
            left, right = self.value(compared["left"], at), self.value(compared["right"], at)
            return self.compared(left, right, compared["op"].lower() in ("!=", "!==", "ne"))
        if among := _AMONG[self.kind].fullmatch(text):
            words = frozenset(map(self.folded, re.findall(r"[\"']([^\"']*)[\"']", among["list"])))
            values = self.value(among["of"], at)
            held = _alike(self.folded(each) in words for each in values or ())
            return held if held is None or not among.groupdict().get("no") else not held
        if has := _HAS.fullmatch(text):
            values = self.value(has["of"], at)
            return _alike(has["word"][1:-1] in each for each in values or () if isinstance(each, tuple))
        if text.startswith("!"):
            held = self.holds(text[1:], at)
            return None if held is None else not held
        return _alike(map(bool, self.value(text, at) or ()))

    def compared(self, left: Values, right: Values, otherwise: bool) -> bool | None:
        if left is None or right is None:
            return None
        left, right = (frozenset(map(self.folded, each)) for each in (left, right))
        if left.isdisjoint(right):
            return otherwise
        return not otherwise if left == right and len(left) == 1 else None

    def holds_test(self, text: str, at: int) -> bool | None:
        otherwise = text.startswith("! ")
        text = text[2:].strip() if otherwise else text
        text = _BRACKETS.sub("", _BRACKETS.sub("", text)).strip()
        if text.startswith("! "):
            otherwise, text = not otherwise, text[2:].strip()
        held = None
        if asked := _ASKED.fullmatch(text):
            found = _alike(map(bool, self.value(asked["of"], at) or ()))
            held = None if found is None else found is (asked["how"] == "-n")
        elif test := _TEST.fullmatch(text):
            left, right = self.value(test["left"], at), self.value(test["right"], at)
            if test["op"] in ("=", "==", "!="):
                held = self.compared(left, right, test["op"] == "!=")
            else:
                held = _counted(left, right, test["op"])
        return held if held is None or not otherwise else not held


def _is_left(body: Body) -> bool:
    """Whether an arm of a `switch` does not run on into the next."""
    if not body:
        return False
    last = body[-1]
    return last.kind in (*_ENDS, "out") or (
        last.kind == "group" and bool(last.bodies[0]) and _is_left(last.bodies[0])
    )


def _alike(held: Iterable[bool]) -> bool | None:
    """What is so for all values; None where it is so for some, or no value is known."""
    found = set(held)
    return found.pop() if len(found) == 1 else None


def _counted(left: Values, right: Values, sign: str) -> bool | None:
    if left is None or right is None or len(left) != 1 or len(right) != 1:
        return None
    one, two = next(iter(left)), next(iter(right))
    if not (str(one).isdigit() and str(two).isdigit()):
        return None
    one, two = int(one), int(two)
    signs = {"-eq": one == two, "-ne": one != two, "-lt": one < two, "-le": one <= two, "-gt": one > two}
    return signs.get(sign, one >= two)


def _patterns(text: str) -> list[str]:
    """The patterns of a clause as `fnmatch` has them, without the quotes around them."""
    return [each.strip("\"'") for each in text.split()]
