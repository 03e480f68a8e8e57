"""Reads one file of `.discobot/hooks/`: a hook, or the reason why it is none."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, SourceText
from hookline.dialects.discobot.fields import FIELDS, NAMES, TYPES
from hookline.dialects.discobot.frontmatter import FALSE_WORDS, hook_id, is_true, parse_frontmatter
from hookline.dialects.durations import seconds_from_text
from hookline.dialects.keys import Key
from hookline.dialects.spelling import nearest
from hookline.model.errors import Problem, make_executable, unix_line_ends
from hookline.model.hooks import (
    Command,
    HookSpec,
    Matcher,
    PromptCheck,
    Unusable,
    placed,
    saying,
    switched_off,
)
from hookline.model.record import replace
from hookline.model.typing import Any, Iterable

IGNORE_FILE = "ignore"
SESSION_ATTEMPTS = 10
_HEAD = 2000  # letters in which the fields of a script stand
_BOOLEANS = FALSE_WORDS | {"true", "yes", "on", "y", "1", ""}


def read_script(given: SourceText) -> Loaded:
    """The hook in one file, or what keeps it from being one. Never raises for what is in the file."""
    return _Script(given).loaded()


# Faults that keep a file from being a hook at all; it is listed all the same, with the reason.
_LOSING = frozenset(
    ("unreadable", "unknown-engine", "unclosed-front-matter", "missing-type", "unknown-type", "byte-order-mark",
     "link-outside-workspace", "missing-pattern", "no-front-matter")
)  # fmt: skip


class _Script:
    """One file being read; collects the problems on the way."""

    def __init__(self, given: SourceText) -> None:
        self.given = given
        self.name = os.path.basename(given.path)
        self.front = parse_frontmatter(given.text)
        self.problems: list[Problem] = []

    def loaded(self) -> Loaded:
        given = self.given
        if self.name == IGNORE_FILE and not given.text.startswith("#!"):
            return Loaded(given.source, given.state, settings={"ignore": _ignore_lines(given.text)})
        specs: tuple[HookSpec, ...] = ()
        if given.state != "text":
            self._check_unread()
        elif self._is_hook():
            self._check_spelling()
            specs = (self._spec(),)
        elif why := self._what_it_lacks():
            bare = saying(replace(self._spec(), action=Unusable(why)), {})
            broken = self._guards and given.mode & 0o111  # without the bit it is off on purpose
            specs = (bare if broken else switched_off(bare, why),)
        return Loaded(given.source, given.state, specs=specs, problems=tuple(self.problems))

    def _check_unread(self) -> None:
        given = self.given
        if given.state == "missing":
            # a file that vanished since the folder was listed is simply no hook any more
            if given.link_target:
                self._warn("dangling-link", f"links to `{given.link_target}`, which does not exist")
        elif given.state == "empty":
            if given.mode & 0o111:
                self._warn("not-a-hook", "is empty", "write a script that starts with `#!`")
        elif given.state in ("unreadable", "undecodable"):
            self._fault("unreadable", f"cannot be read: {given.reason or given.state}", guard=True)

    # -- is it a hook at all ---------------------------------------------------------------------

    def _is_hook(self) -> bool:
        tests = (self._has_engine, self._is_script, self._has_fields, self._has_type, self._can_start)
        return all(test() for test in tests) and self._has_pattern()

    def _what_it_lacks(self) -> str:
        """Why a file that says it is a hook is none that can start; such a one is listed, as switched off."""
        complete = self._type in TYPES and (self._type != "file" or "pattern" in self.front.fields)
        if self.front.state != "found" or self._is_judged or not complete:
            return ""
        if self.front.fields.get("engine", "script") != "script":
            return ""
        executable = bool(self.given.mode & 0o111)
        if executable and not self.given.text.startswith(("#!", "\ufeff")):
            return "does not start with `#!`; put the interpreter on the first line"
        return (
            ""
            if executable or self.given.text[:2] != "#!"
            else f"is not executable; {make_executable(self.given.shown)}"
        )

    @property
    def _type(self) -> str:
        return self.front.fields.get("type", "")

    @property
    def _guards(self) -> bool:
        """Whether it blocks commits, or may have been meant to: where no type is read, the text may say one."""
        if self._type in TYPES:
            return self._type == "pre-commit"
        if self._type:
            return nearest(self._type, TYPES) in (None, "pre-commit")
        rows = (row.strip("#/- \t\r").replace(" ", "") for row in self.given.text[:_HEAD].split("\n"))
        return self.front.state != "none" or "type:pre-commit" in rows

    @property
    def _is_judged(self) -> bool:
        """True for a Markdown file whose text a model judges by; it is nothing to execute."""
        return self.front.fields.get("engine") == "ai" and self._type in TYPES

    def _has_engine(self) -> bool:
        engine = self.front.fields.get("engine", "script")
        if engine == "script" or self._is_judged:
            return True
        self._fault(
            "unknown-engine",
            f"expected `script` or `ai`, found `{engine}`; the hook does not run",
            key="engine",
            guard=self._guards,
        )
        return False

    def _is_script(self) -> bool:
        if self._is_judged:
            return self._has_instructions()
        shebang = self.given.text.removeprefix("\ufeff").startswith("#!")
        if not self.given.mode & 0o111:
            if shebang or self.front.state != "none":
                # taking the bit away is how people switch a hook off, so no guard is missed here
                hint = make_executable(self.given.shown)
                self._warn("not-executable", "is not executable and does not run", hint)
            return False
        if not shebang:
            hint = "put the interpreter on the first line"
            severity = "error" if self._what_it_lacks() or self._guards else "warning"
            words = "is executable but does not start with `#!`"
            self._report(severity, "no-shebang", words, hint, "", self._guards)
        return shebang

    def _has_instructions(self) -> bool:
        if not self._instructions:
            words = "has no text for the model to judge by"
            self._fault("no-instructions", words, key="engine", guard=self._guards)
        return bool(self._instructions)

    @property
    def _instructions(self) -> str:
        return "\n".join(self.given.text.split("\n")[max(0, self.front.body_line - 1) :]).strip()

    @property
    def _action(self) -> Command | PromptCheck:
        if self._is_judged:
            # a dollar sign of the instructions is no place for the payload, which goes below them
            return PromptCheck(self._instructions.replace("$", "\\$"), agent=True)
        return Command(argv=(self.given.path,))

    def _has_fields(self) -> bool:
        state, delimiter = self.front.state, self.front.delimiter
        if state == "none":
            hint = "open it with `#---`, `//---` or `---`, without a blank line before it"
            severity = "error" if self._guards else "warning"
            self._report(severity, "no-front-matter", self.front.reason, hint, "", self._guards)
        elif state == "unclosed":
            hint = f"close it with a line `{delimiter}`"
            self._fault(
                "unclosed-front-matter", self.front.reason, hint, key="front matter", guard=self._guards
            )
        return state == "found"

    def _has_type(self) -> bool:
        if self._type in TYPES:
            return True
        wanted = "`session`, `file` or `pre-commit`"
        if not self._type:
            self._fault(
                "missing-type", "`type` is missing", f"write {wanted}", key="type", guard=self._guards
            )
            return False
        meant = nearest(self._type, TYPES)
        hint = f"did you mean `{meant}`?" if meant else ""
        message = f"expected {wanted}, found `{self._type}`"
        self._fault("unknown-type", message, hint, key="type", guard=self._guards)
        return False

    def _can_start(self) -> bool:
        given = self.given
        if self.front.byte_order_mark:
            message = "starts with a byte order mark, so the system cannot run it"
            self._fault("byte-order-mark", message, "save it as UTF-8 without one", guard=self._guards)
            return False
        if given.link_target and not _inside(given.link_target, _workspace(given)):
            message = f"links to `{given.link_target}`, outside the workspace"
            hint = "copy the script into `.discobot/hooks`"
            self._fault("link-outside-workspace", message, hint, guard=self._guards)
            return False
        if given.text.partition("\n")[0].endswith("\r"):
            message = "has Windows line ends; the system looks for an interpreter named `…\\r`"
            self._fault("crlf", message, unix_line_ends(given.shown))
        return True

    def _has_pattern(self) -> bool:
        if self._type != "file":
            return True
        from hookline.system.patterns.globs import glob_problem

        pattern = self.front.fields.get("pattern", "")
        if not pattern:
            hint = 'write, for example, `pattern: "*.go"`'
            self._fault("missing-pattern", "a file hook needs a `pattern`", hint, key="pattern")
            return False
        fault = glob_problem(pattern)
        if fault:
            self._fault("bad-pattern", f"`{pattern}` fits no file: {fault}", key="pattern")
        elif " #" in pattern:
            words = f"`{pattern}` is all pattern: a comment may only stand behind a closing quote"
            self._fault("bad-pattern", words, "put the pattern in quotes", key="pattern")
        return True

    # -- its fields --------------------------------------------------------------------------------

    def _check_spelling(self) -> None:
        fields = self.front.fields
        for key, value in fields.items():
            if value[:1] in ('"', "'") and value.count(value[:1]) % 2:
                words = f"`{value}` begins with a quote that nothing ends, and counts as it stands"
                self._warn("bad-value", words, f"end it with {value[:1]}, or leave it out", key=key)
            meant = None if key in NAMES else nearest(key, [name for name in NAMES if name not in fields])
            if meant:
                self._warn("unknown-key", f"`{key}` means nothing here", f"did you mean `{meant}`?", key=key)
        for field in FIELDS:
            if field.name in fields and field.handlers and self._type not in field.handlers:
                words = f"`{field.name}` means nothing to a hook of type `{self._type}`"
                self._warn(
                    "ignored-key", words, f"it is for `{'`, `'.join(sorted(field.handlers))}`", key=field.name
                )

    def _spec(self) -> HookSpec:
        given, fields = self.given, self.front.fields
        kind, _ = TYPES[self._type]
        return HookSpec(
            hook_id(self.name), "discobot", kind, self._type, self._action,
            matcher=Matcher("glob", fields["pattern"]) if self._type == "file" else None,
            enabled=given.source.label != "off", files=_trusted_files(given),
            **given.at(1), **placed({**self._said(), **self._further()}),
        )  # fmt: skip

    def _said(self) -> dict[str, Any]:
        """What the fields of its type say, given or not."""
        found: dict[str, Any] = {}
        for key in FIELDS:
            if not key.field or key.type == "matcher" or not key.is_for(self._type):
                continue
            value = self._value(key)
            found[key.field] = found[key.field] + value if key.field in found else value
        return found

    def _value(self, key: Key) -> Any:
        match key.type:
            case "text":
                return self.front.fields.get(key.name) or (self.name if key.name == "name" else "")
            case "time":
                return self._timeout(TYPES[self._type][1])
            case "tristate":
                return self._boolean(key.name, True)
            case "flag":
                return self._boolean(key.name, False)
            case "globs":
                return self._globs(key.name)
        return self._choice(key)

    def _further(self) -> dict[str, Any]:
        """What follows from the fields, and from where the file stands."""
        name = self.front.fields.get("name", "")
        found: dict[str, Any] = {"origin.aliases": (hook_id("-".join(name.split())),) if name else ()}
        if self.given.source.label == "off":
            found["origin.disabled_why"] = "DISCOBOT_HOOKS_ENABLED is set to something other than `true`"
        if self._type == "session":
            found["background"] = not self._boolean("blocking", True)
            # who says that the start waits for a hook wants it to succeed
            found["conduct.attempts"] = SESSION_ATTEMPTS if self._boolean("blocking", False) else 1
        return found

    def _timeout(self, default: float) -> float:
        given = self.front.fields.get("timeout", "")
        if not given:
            return default
        seconds = seconds_from_text(f"{given}s" if given[-1].isdigit() else given)
        if seconds:
            return seconds
        wanted = "expected seconds, or a time such as `2s` or `500ms`"
        self._warn("bad-value", f"{wanted}, found `{given}`; {default:g} s are used", key="timeout")
        return default

    def _boolean(self, key: str, default: bool) -> bool:
        given = self.front.fields.get(key)
        if given is None:
            return default
        if given.lower() not in _BOOLEANS:
            message = f"expected true or false, found `{given}`, which counts as true"
            self._warn("bad-value", message, key=key)
        return is_true(given)

    def _choice(self, key: Key) -> Any:
        """What the word stands for; of a wrong one, and of none, what holds without it."""
        given, words = self.front.fields.get(key.name), key.choices
        if given is not None and given not in words and (given or key.default):
            wanted = " or ".join(f"`{word}`" for word in words)
            held = f"; `{key.default}` holds" if key.default else ""
            code = "unknown-user" if key.name == "run_as" else "bad-value"
            self._warn(code, f"expected {wanted}, found `{given}`{held}", key=key.name)
        word = given if given in words else key.default or ""
        return word if key.means is True else key.means[word]

    def _globs(self, key: str) -> tuple[str, ...]:
        """Globs separated by commas, bare, quoted or in brackets, or one on each `- ` line below the key."""
        text = self.front.fields.get(key, "").strip()
        if not text:
            return self._listed_below(key)
        if text.startswith("[") and text.endswith("]") and any(sign in text for sign in ",\"'"):
            text = text[1:-1]
        if "{" not in text:
            return _unquoted(filter(None, text.split(",")))
        import re

        # a comma inside braces is the glob's own
        return _unquoted(re.findall(r"(?:\{[^{}]*\}|[^,])+", text))

    def _listed_below(self, key: str) -> tuple[str, ...]:
        rows = self.given.text.split("\n")[self.front.lines[key] :] if key in self.front.lines else []
        prefix = self.front.delimiter.removesuffix("---")
        items = []
        for row in rows:
            item = row.strip().removeprefix(prefix).strip()
            if not item.startswith("- "):
                break
            items.append(item[2:])
        return _unquoted(items)

    # -- problems ------------------------------------------------------------------------------------

    def _warn(self, code: str, message: str, hint: str = "", *, key: str = "") -> None:
        self._report("warning", code, message, hint, key, False)

    def _fault(self, code: str, message: str, hint: str = "", *, key: str = "", guard: bool = False) -> None:
        self._report("error", code, message, hint, key, guard)

    def _report(self, severity: str, code: str, message: str, hint: str, key: str, guard: bool) -> None:
        """A fault of the field `key`, or where it is missing of the front matter; else of the whole file."""
        line = self.front.lines.get(key, self.front.line) if key else 0
        column = self.front.columns.get(key, 1 if line else 0)
        shown = self.given.shown
        losing = code in _LOSING or (code == "no-shebang" and not self._what_it_lacks())
        lost = (self._type or "?") if losing and severity == "error" else ""
        self.problems.append(Problem(shown, line, column, key, code, message, hint, severity, guard, lost))


def _unquoted(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for part in (each.strip().strip("\"'") for each in parts) if part)


def _ignore_lines(text: str) -> tuple[str, ...]:
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def _workspace(given: SourceText) -> str:
    return os.path.dirname(os.path.dirname(given.source.path))


def _inside(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def _trusted_files(given: SourceText) -> tuple[str, ...]:
    """The script, and what it links to: changing either changes what runs."""
    workspace = _workspace(given)
    found = [os.path.relpath(given.path, workspace)]
    if given.link_target:
        found.append(os.path.relpath(os.path.realpath(given.link_target), os.path.realpath(workspace)))
    return tuple(dict.fromkeys(found))
