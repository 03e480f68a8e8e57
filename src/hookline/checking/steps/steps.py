"""Where a script goes from a place on, and the codes it ends with for what it did there."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping

from hookline.checking.steps.step import NOTHING, THROWN, UNKNOWN, Body, Look, Step, TooLongError, all_steps
from hookline.system.patterns.late import late

_MOST = 50_000  # statements looked at in one script; how it ends is unknown behind that
_OF_INPUT = late(r"\bjq\b|json|stdin|tool_input|toolArgs|\.get\(|argv|\binput\b|\$\{?[1@*]", re.IGNORECASE)
_CODE = late(r"[\"'(\s]*(\d*)[\"')\s]*")
# what a condition may ask more than once, with another answer
_MAY_CHANGE = late(r"\$\(|`|\$\{?[\d#@*?!]|(?<!\w)-[a-mo-yA-Z]\s|\w\(")
_NEUTRAL = late(r"(?i:\$?(?:none|null|undefined|void 0)?)")


class Steps:
    """A script's statements. `given`: for each variable the texts it is set to, and the names in each.

    `by_last`: as in a shell, the code of the last statement is the script's. `strict`: a failure ends it.
    `trapped`: something else may say by which code it ends.
    """

    def __init__(
        self, body: Body, given: Mapping[str, list[Look]], by_last: bool = False, strict: bool = False,
        trapped: bool = False,
    ) -> None:  # fmt: skip
        self.body, self.given = body, given
        self.by_last, self.strict, self.trapped = by_last, strict, trapped
        self.functions: dict[str, Step] = {}
        self.callers: dict[str, list[int]] = {}
        self._left = _MOST
        self._closures: dict[str, frozenset[str]] = {}
        self._sets: dict[int, frozenset[str]] = {}
        self._telling: dict[int, list[int]] = {}
        for step in all_steps(body):
            if step.kind == "function":
                self.functions[step.what] = step
            for name in step.calls:
                self.callers.setdefault(name, []).append(step.start)

    def ends(self, at: int) -> frozenset[str]:
        """The codes but 0 that come of what was done at a place: in the branch it stands in, in any case, or where
        what that branch found or set is looked at once more."""
        walk, way = _Walk(self), self.path(at)
        try:
            walk.leave(way)
        except (TooLongError, RecursionError):
            return frozenset(UNKNOWN)
        return frozenset(walk.codes - {"0"}) or (frozenset(UNKNOWN) if self.trapped or not way else NOTHING)

    def sure(self, at: int) -> tuple[frozenset[str], list[Body]]:
        """The codes but 0 that what was done at a place is followed by whatever else is so, and the parts of the
        script from there to these ends, with what stands before it in its branch."""
        walk = _Walk(self, sure=True)
        try:
            walk.leave(self.path(at))
        except (TooLongError, RecursionError):
            return NOTHING, []
        return frozenset(each for each in walk.codes if each.isdigit() and each != "0"), walk.way

    def spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooLongError

    def all_codes(self) -> frozenset[str]:
        """The codes but 0 that are named anywhere but where an error is handled; those of values are unknown."""
        walk = _Walk(self)
        found = set()
        for step in all_steps(self.body, handlers=False):
            if step.kind in ("exit", "code", "return") and not step.calls:
                code = walk.meaning(step.look)
                found.add(code if code.isdigit() or step.kind != "return" else "0")
        return frozenset(found - {"0"})

    def looks(self, at: int) -> Iterator[Look]:
        """The conditions a place stands behind."""
        for step, number in self._within(at):
            if number is not None and step.looks:
                yield step.looks[number]

    def path(self, at: int) -> list[tuple[Body, int, int | None]]:
        """The statements around a place, the outermost first: the list each stands in, where, and which of its
        bodies has the place."""
        found, body = [], self.body
        while body:
            index = bisect_right(body, at, key=_start) - 1
            index = bisect_left(body, body[index].start, key=_start)  # of those on one line the first
            if index < 0 or not body[index].start <= at <= body[index].end:
                break
            bodies = body[index].bodies
            inner = (n for n, each in enumerate(bodies) if each and each[0].start <= at <= each[-1].end)
            number = next(inner, None)
            found.append((body, index, number))
            body = bodies[number] if number is not None else ()
        return found

    def _within(self, at: int) -> Iterator[tuple[Step, int | None]]:
        return ((body[index], number) for body, index, number in self.path(at))

    def set_in(self, body: Body) -> frozenset[str]:
        """The variables that are set in a list of statements, also by a function they call."""
        if (known := self._sets.get(id(body))) is None:
            self._sets[id(body)] = NOTHING  # of a function that calls itself
            found: set[str] = set()
            for step in body:
                found |= self.set_by(step)
            known = self._sets[id(body)] = frozenset(found)
        return known

    def set_by(self, step: Step) -> frozenset[str]:
        called = [self.functions[name].bodies[0] for name in step.calls if name in self.functions]
        own = step.bodies if step.kind != "function" else ()
        return step.sets.union(*map(self.set_in, (*own, *called)))

    def telling(self, body: Body, start: int = 0) -> Iterator[Step]:
        """What of a list of statements may end the script, from a place in it on."""
        if (known := self._telling.get(id(body))) is None:
            known = self._telling[id(body)] = [at for at, step in enumerate(body) if self._tells(step)]
        for at in known[bisect_left(known, start) :]:
            yield body[at]

    def _tells(self, step: Step) -> bool:
        ends = step.kind in ("exit", "code", "return", "out")
        inner = step.kind not in ("function", "handler") and any(
            True for body in step.bodies for _ in self.telling(body)
        )
        return ends or inner or not self.functions.keys().isdisjoint(step.calls)

    def closure(self, names: Iterable[str]) -> frozenset[str]:
        """Variables, and those they were made of."""
        found: set[str] = set()
        for name in names:
            if name not in self._closures:
                met, left = {name}, [name]
                while left:
                    self.spend()
                    of = {each for look in self.given.get(left.pop(), ()) for each in look.names} - met
                    met |= of
                    left += of
                self._closures[name] = frozenset(met)
            found |= self._closures[name]
        return frozenset(found)

    def fixed(self, name: str) -> str:
        """The one number that a variable stands for."""
        values = {each.text.strip("\"' ;") for each in self.given.get(name, ())}
        return values.pop() if len(values) == 1 and all(map(str.isdigit, values)) else ""

    def is_past(self, step: Step) -> bool:
        """Whether who comes behind the first branch of an `if` never comes into it later: it ends the script, and
        what it asks stays as it was set before."""
        look, ends = step.looks[0], step.bodies[0][-1:]
        fixed = look.names and all(map(str.isidentifier, look.names)) and not _MAY_CHANGE.search(look.text)
        return bool(fixed and ends and ends[0].kind == "exit") and not any(
            _sets_later(self.body, name, step.start) for name in look.names
        )

    def of_input(self, name: str) -> bool:
        """Whether it is a part of what the script was sent."""
        values = self.given.get(name, ())
        return not values or (len(values) == 1 and bool(_OF_INPUT.search(values[0].text)))


class _Walk:
    """One way through a script. `free`: the branch it began in is left, so that only a look at what is known of that
    branch leads to an end that comes of it. `sure`: nothing but what follows in any case does. `way`: where it went.
    """

    def __init__(self, steps: Steps, sure: bool = False) -> None:
        self.steps, self.sure = steps, sure
        self.way: list[Body] = []
        self.codes: set[str] = set()
        self.returned: set[str] = set()
        self.free, self.counts = sure, True
        self.sets: set[str] = set()
        self.looked: list[Look] = []
        self.met: set[str] = set()  # functions that it came out of, and those it went into
        self.passing: set[int] = set()  # returns of what a function that it came out of returned
        self.entered: set[tuple[str, bool, bool]] = set()
        self.passed: list[str] = []  # codes of ends that say nothing of the branch
        self.past: set[int] = (
            set()
        )  # branches that end the script and were not taken, by where their `if` stands

    def leave(self, path: list[tuple[Body, int, int | None]], again: bool = True) -> None:
        """Goes on from the innermost statement, with it or behind it, and out of everything it stands in."""
        how = ""
        for number, (body, index, inner) in enumerate(reversed(path)):
            step = body[index]
            if number == 0 or not (how or step.kind == "function"):
                self.way += filter(None, [body[index + 1 :] if number else body])
                if number == 1 and len(path[-1][0]) == 1:  # as behind `… ||`
                    self.way += [(each,) for each in body[:index] if not each.bodies]
            self.past |= {
                each.start for each in body[:index] if each.kind == "if" and self.steps.is_past(each)
            }
            if number == 0:
                how = self.run(body, index if again else index + 1)
                continue
            if how == "exit":
                return
            if step.kind == "function":
                self.go_back(step)
                return
            if inner is not None and step.kind in ("if", "loop", "handler"):
                behind = path[len(path) - number][1] + 1
                if self.free and step.kind == "loop":  # what it sets anew each time is not of a branch in it
                    self.sets.update(*map(self.steps.set_by, step.bodies[inner][behind:]))
                else:
                    self.sets |= self.steps.set_in(step.bodies[inner])
                self.looked += [step.looks[inner]] if step.looks else []
                self.free = self.free or step.kind != "loop"
            if step.kind == "loop" and inner is not None:
                how = "" if how == "out" else how
                if self.free:  # for what comes next in it
                    kept, self.looked = self.looked, []
                    self.run(step.bodies[inner])
                    self.looked = kept
            how = how or self.run(body, index + 1)

    def go_back(self, function: Step) -> None:
        """Goes on wherever a function is called, by what it returns."""
        returned, self.returned = self.returned or {""}, set()
        if function.what in self.met:
            return
        self.met.add(function.what)
        kept = self.free, set(self.sets), list(self.looked)
        for start in self.steps.callers.get(function.what, ()):
            self.steps.spend()
            path = self.steps.path(start)
            while path and function.what not in path[-1][0][path[-1][1]].calls:
                path.pop()
            if path:
                self.free, self.sets, self.looked = kept[0], set(kept[1]), list(kept[2])
                self.called_at(path, function.what, returned)

    def called_at(self, path: list[tuple[Body, int, int | None]], name: str, returned: set[str]) -> None:
        body, index, _ = path[-1]
        step, behind = body[index], body[index + 1 : index + 2]
        asked = bool(behind) and UNKNOWN in (
            behind[0].look.names | set().union(*(e.names for e in behind[0].looks))
        )
        last = self.steps.by_last and len(path) == 1 and not behind
        bare = step.kind == "" and step.bare
        whole = re.fullmatch(
            rf"[\s(]*(?:await\s+|asyncio\.run\(\s*|int\(\s*)*{re.escape(name)}\s*\(.*",
            step.look.text,
            re.DOTALL,
        )
        if (step.kind == "exit" and whole and " if " not in step.look.text) or (
            bare and self.steps.by_last and (last or (asked and behind[0].kind == "exit"))
        ):
            self.codes |= {self.value(each) for each in returned}
            return
        if step.kind == "return" and whole:
            self.returned = returned
            self.passing.add(step.start)
            self.leave_behind(path)
            return
        told = not all(_NEUTRAL.fullmatch(each) or each == "0" for each in returned)
        if bare and self.steps.by_last and told and self.steps.strict:
            self.codes |= {self.value(each) for each in returned}
        if not bare or (asked and told):
            if self.sure:
                return
            self.free = False  # whatever follows may be about it
        self.leave_behind(path)

    def leave_behind(self, path: list[tuple[Body, int, int | None]]) -> None:
        body, index, _ = path[-1]
        self.leave([*path[:-1], (body, index, None)], again=body[index].kind != "")

    def value(self, returned: str) -> str:
        return "0" if _NEUTRAL.fullmatch(returned) else returned if returned.isdigit() else UNKNOWN

    def run(self, body: Body, start: int = 0) -> str:
        """What one statement after the other does: how they are left, empty where they go on to their end."""
        for step in self.steps.telling(body, start):
            self.steps.spend()
            for name in step.calls if step.kind in ("", "if") else ():
                seen = (name, self.free, self.counts)
                if name in self.steps.functions and seen not in self.entered:
                    self.entered.add(seen)
                    kept, self.returned = self.returned, set()
                    how = self.run(self.steps.functions[name].bodies[0])
                    self.returned = kept
                    if how == "exit":
                        return how
            how = self.one(step)
            if how:
                return how
        return ""

    def one(self, step: Step) -> str:
        match step.kind:
            case "exit" | "code":
                self.count(step.look)
                return "exit" if step.kind == "exit" else ""
            case "return":
                if self.counts and step.start not in self.passing:
                    self.returned.add(self.meaning(step.look))
                return "return"
            case "out":
                return "out"
            case "group":
                return self.run(step.bodies[0])
            case "loop":
                self.within(step.look if not step.looks else step.looks[0], step.bodies[0])
            case "if":
                before = len(self.passed)
                branches = [*zip(step.looks, step.bodies, strict=True)][step.start in self.past :]
                ends = [self.within(look, each) for look, each in branches]
                if step.whole and all(ends):
                    if set(ends) == {"exit"} and "0" not in self.passed[before:]:
                        self.codes |= set(self.passed[before:])
                    return ends[0]
        return ""

    def within(self, look: Look, body: Body) -> str:
        """A branch: what ends there counts where its condition is about the branch that was left."""
        free, counts = self.free, self.counts
        if free:
            self.counts = self.is_about(look)
            self.free = not self.counts
        how = self.run(body)
        self.free, self.counts = free, counts
        return how

    def count(self, look: Look) -> None:
        code = self.meaning(look)
        if code == UNKNOWN and self.free and not self.is_about(look):
            return
        if self.counts:
            self.codes.add(code)
        else:
            self.passed.append(code)

    def meaning(self, look: Look) -> str:
        """The code that an expression stands for."""
        if look.text in THROWN:
            return look.text
        known = _CODE.fullmatch(look.text)
        if known or _NEUTRAL.fullmatch(look.text):
            return known[1] or "0" if known else "0"
        return (
            next(filter(None, map(self.steps.fixed, look.names)), UNKNOWN)
            if len(look.names) == 1
            else UNKNOWN
        )

    def is_about(self, look: Look) -> bool:
        """Whether a condition looks at what the branch set, or at what led there."""
        if self.sure:
            return False
        known = self.steps.closure(look.names)
        if not (self.sets.isdisjoint(known) and self.sets.isdisjoint(look.letters)):
            return True
        for each in self.looked:
            shared = each.names & look.names
            apart = each.letters and look.letters and not _alike(each.letters, look.letters)
            if shared and not (apart and all(len(self.steps.given.get(name, ())) < 2 for name in shared)):
                return True
            of = (each.names & known) | (self.steps.closure(each.names) & look.names)
            if any(not self.steps.of_input(name) for name in of - shared):
                return True
        return False


def _sets_later(body: Body, name: str, at: int) -> bool:
    """Whether a variable is set behind a place, or where that may be done again: in a loop, in a function."""
    return any(
        name in each.sets and (each.start > at or again)
        for again, steps in (
            (False, body),
            *(
                (True, inner)
                for each in all_steps(body)
                if each.kind in ("function", "loop")
                for inner in each.bodies
            ),
        )
        for each in all_steps(steps)
    )


def _alike(some: frozenset[str], others: frozenset[str]) -> bool:
    return any(one in two or two in one for one in some for two in others)


def _start(step: Step) -> int:
    return step.start
