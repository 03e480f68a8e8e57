"""The names of a script in braces: where each is given a value, and to which function it belongs."""

from __future__ import annotations

from hookline.checking.steps.brace_steps import closing, without_texts
from hookline.system.patterns.late import late

_NAME = late(r"[A-Za-z_$][\w$]*+")
_BOUND = late(
    r"(?:\b(?:const|let|var)\s++(?P<kept>[A-Za-z_$][\w$]*+)(?:\s*+:\s*+[^=\n;]{1,120}?)?|(?<![\w$.])(?P<name>[A-Za-z_$][\w$]*+))"
    r"\s*+(?P<how>\?\?=|\|\|=|\+=|=(?![=>]))"
)
_TAKEN = late(
    r"\b(?:const|let|var)\s*+\{(?P<names>[^{}]{1,400}(?:\{\s*\}[^{}]{0,400}){0,4})\}\s*+(?::\s*+[\w$<>, ]{1,80})?=(?!=)"
)
_PART = late(r"(?:^|,)\s*+[\"']?(?P<name>[A-Za-z_$][\w$]*+)[\"']?\s*+(?::\s*+(?P<as>[A-Za-z_$][\w$]*+))?")
_FUNCTION = late(
    r"\bfunction\s*+\*?\s*+(?P<name>[\w$]*+)\s*+\((?P<given>[^()]{0,300})\)|\bdef\s++(?P<method>\w++)\s*+(?:\((?P<taken>[^()]{0,200})\))?"
)
_ARROW = late(
    r"(?:\b(?:const|let|var)\s++(?P<name>[\w$]++)\s*+(?::[^=\n]{1,100})?=\s*+)?(?:async\s*+)?"
    r"(?:\((?P<given>[^()]{0,300})\)(?:\s*+:\s*+[\w$<>\[\] |.]{1,60})?|(?<![\w$.])(?P<one>[A-Za-z_$][\w$]*+))\s*+=>"
)
# what a promise of a function comes to: `readInput().then((raw) => …)`
_PROMISED = late(
    r"(?<![\w$.])(?P<of>[\w$]++)\(\s*+\)\s*+\.then\(\s*+(?:async\s*+)?(?:function\s*+)?\(?\s*+(?P<name>[\w$]++)\s*+"
    r"(?::[^()=\n]{1,40})?(?:\)\s*+(?:=>|\{)|=>)",
    needs=(".then(",),
)
_LOOPED = late(
    r"\bfor\s*+(?:await\s*+)?\(\s*+(?:const|let|var)\s++(?P<name>[\w$]++)\s++(?:of|in)\s|\|(?P<block>\w++)(?:,\s*+(?P<second>\w++))?\||\bcatch\s*+\(\s*+(?P<error>\w++)"
)
_BODY_ENDS = late(r"\n\}|\nend\b|\Z")
_OPENS = late(r"\s*+(?::[^{}()\n]{1,80})?\{")
_PART_ENDS = late(r"[(\[{)\]},;]|\n\s*+")
_CARRIES_ON = late(r"[.?:&|+*/%=<>-]")
ANY = -2  # a name that is one and the same wherever it stands


class Names:
    def __init__(self, text: str) -> None:
        self.text = text
        self.bound: dict[str, list[tuple[int, str]]] = {}  # where what is put into a name stands, and how
        self.taken: dict[
            str, list[tuple[int, str]]
        ] = {}  # names that are taken out of an object: which, and where
        self.declared: dict[str, list[int]] = {}  # where names are declared
        self.strange: set[str] = set()
        self.handed: dict[str, list[tuple[str, int]]] = {}  # arguments of functions
        self.bodies: dict[str, list[int]] = {}
        self.given_to: dict[str, list[str]] = {}
        self.spans: list[tuple[int, int]] = []  # the bodies of functions in braces
        self.told: dict[int, dict[str, tuple[str, int]]] = {}  # their arguments, by where a body begins
        self.mask = without_texts(text, "js")
        self.closes = closing(self.mask)
        self._homes: dict[str, set[int]] = {}
        self._collect()

    def home(self, name: str, use: int) -> int:
        """Where the function begins whose own a name is at a place, of several; of one name all of it."""
        if len(self.homes(name)) < 2:
            return ANY
        start = self.owner(name, use)
        return start if start in self.homes(name) and self.told.get(start, {}).get(name, "x")[0] else ANY

    def homes(self, name: str) -> set[int]:
        """Where the functions begin that have a name of their own; -1 for the script itself."""
        if name not in self._homes:
            given = {span for span, names in self.told.items() if name in names}
            self._homes[name] = given | {self.around(at)[0] for at in self.declared.get(name, ())}
        return self._homes[name]

    def owner(self, name: str, at: int) -> int:
        """Where the function begins that has the name which stands at a place."""
        return next((start for start in self.around(at) if start in self.homes(name)), -1)

    def around(self, at: int) -> list[int]:
        """Where the functions begin that a place is in, the inner ones first."""
        return [*sorted((start for start, end in self.spans if start < at < end), reverse=True), -1]

    def is_at(self, name: str, at: int, span: int) -> bool:
        return span in (ANY, self.owner(name, at))

    def body(self, function: str) -> tuple[int, int]:
        """From where to where the body of a function goes, as it is written."""
        start = self.bodies[function][0]
        end = next((at for each in self.bodies.values() for at in each if at > start), len(self.text))
        found = _BODY_ENDS.search(self.text, start)
        return start, found.start() if found else end

    def _collect(self) -> None:
        for found in _TAKEN.finditer(self.text):
            for part in _PART.finditer(found["names"]):
                self.taken.setdefault(part["as"] or part["name"], []).append((found.end(), part["name"]))
                self.declared.setdefault(part["as"] or part["name"], []).append(found.end())
        for found in _BOUND.finditer(self.text):
            self.bound.setdefault(found["kept"] or found["name"], []).append((found.end(), found["how"]))
            if found["kept"]:
                self.declared.setdefault(found["kept"], []).append(found.end())
        for found in _FUNCTION.finditer(self.text):
            name = found["name"] or found["method"] or ""
            self.bodies.setdefault(name, []).append(found.end())
            self._arguments(name, found["given"] or found["taken"] or "", self._span(found.end()))
        for found in _ARROW.finditer(self.text):
            if found["name"]:
                self.bodies.setdefault(found["name"], []).append(found.end())
            span = self._span(found.end())
            self._arguments(found["name"] or "", found["given"] or found["one"] or "", span)
        for found in _PROMISED.finditer(self.text):
            given = self.handed.setdefault(found["name"], [])
            if ("", 0) in given:
                given.remove(("", 0))
            given.append((f"{found['of']}(", 0))
        for found in _LOOPED.finditer(self.text):
            self.strange.update(filter(None, found.groups()))

    def _span(self, at: int) -> int:
        """Where the body of a function begins, whose head ends at a place: in braces, or behind an arrow."""
        found = _OPENS.match(self.text, at)
        start = found.end() - 1 if found else at
        end = self.closes.get(start) if found else self._expression(at)
        self.spans.append((start, end if end is not None else start))
        return start

    def _expression(self, at: int) -> int:
        """Where an expression ends that begins at a place."""
        at += len(self.text[at:]) - len(self.text[at:].lstrip())
        for found in _PART_ENDS.finditer(self.mask, at):
            if found.start() < at:
                continue
            sign = found[0][0]
            if sign in "([{":
                at = self.closes.get(found.start(), len(self.text)) + 1
            elif sign != "\n" or not _CARRIES_ON.match(self.mask, found.end()):
                return found.start()
        return len(self.text)

    def _arguments(self, function: str, given: str, span: int) -> None:
        for at, each in enumerate(given.split(",")):
            named = _NAME.match(each.strip())
            if named:
                self.handed.setdefault(named[0], []).append((function, at))
                self.told.setdefault(span, {})[named[0]] = (function, at)
            self.given_to.setdefault(function, []).append(named[0] if named else "")
