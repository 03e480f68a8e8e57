"""One hook on its way from one dialect to another: its event, matcher, action, condition and limits, each said there or
told as lost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from shlex import join, quote

from hookline.dialects import OWN, dialect
from hookline.dialects.base import Dialect, EventRule
from hookline.dialects.converting.actions import as_line, chosen_events, matcher_of_tools, placeholders_of
from hookline.dialects.converting.compared import changed_ends, listed, reach_of
from hookline.dialects.converting.details import Loss, lost_details, read_back
from hookline.dialects.converting.matchers import Translated, never_fits, translated
from hookline.dialects.converting.rules import (
    REFUSALS,
    allows_more,
    answer_line,
    as_ours,
    closed_causes,
    denial_words,
    foreign_variables,
    lost_answers,
    understood,
)
from hookline.dialects.profile import SCRIPTS, TIME_OUT, Abilities
from hookline.model.events import EventKind
from hookline.model.hooks import Action, Answer, Command, HookSpec, Matcher, Unusable, parted, said_of, saying
from hookline.model.record import replace


class OneHook:
    """One hook on its way; every step may add a loss."""

    def __init__(self, spec: HookSpec, source: str, target: str, losses: list[Loss]) -> None:
        self.spec = spec
        self.source = source
        self.target = target
        self.losses = losses
        self.speaker: Dialect = dialect(source)
        self.listener: Dialect = dialect(target)
        self.can: Abilities = self.listener.profile.can

    def converted(self) -> list[HookSpec]:
        spec = self.spec
        if isinstance(spec.action, Unusable) or spec.kind is EventKind.NoSuchEvent:
            self.lose("broken", f"it cannot run ({spec.command}) and was left out")
            return []
        self.rule: EventRule = self.speaker.rule(spec)
        if not spec.enabled and self.target != OWN:
            self.lose("disabled", "it is switched off and was left out")
            return []
        if self.source == self.target:
            return [spec]
        if self.target == OWN and spec.matcher is not None and spec.matcher.kind == "never":
            self.lose("matcher", never_fits(spec.matcher))
            return []
        if self.target == OWN:
            return [as_ours(spec, self.source)]
        if self._is_theirs:
            return self._unwrapped()
        return self._translated()

    def lose(self, what: str, message: str, weakens: bool = False, *, floods: bool = False) -> None:
        spec = self.spec
        name = spec.name or spec.id
        loss = Loss(name, spec.source, spec.line, spec.native_event, what, message, weakens, floods)
        if loss not in self.losses:
            self.losses.append(loss)

    @property
    def _is_theirs(self) -> bool:
        """Whether it is a hook of ours that talks the target's dialect anyway."""
        return self.source == OWN and self.spec.origin.speaks.startswith(f"{self.target}:")

    @property
    def guards(self) -> bool:
        return self.rule.guards and not self.spec.background

    def tell_details(self, made: Sequence[HookSpec], earlier: Sequence[HookSpec]) -> None:
        """Whatever the hook says that its written form does not say again, and that nobody spoke of yet."""
        arrived = read_back(self.target, made[0]) if made else None
        if arrived is None:
            return
        told = {loss.what for loss in self.losses if self._is_mine(loss)}
        for what, message, weakens in lost_details(self.spec, made[0], arrived):
            if what not in told:
                self.lose(what, message, weakens)
        if self.source != self.target != OWN and not self._is_theirs:
            self._tell_reach(made)
            self._tell_ends(arrived)
        self._tell_failure_word(arrived)
        if self.listener.rule(made[0]).order == "parallel" and self._may_be_rewritten(earlier):
            words = (
                f"{self.listener.title} gives every hook the call as it came, not as the one before left it"
            )
            self.lose("order", words, self.guards)

    def _is_mine(self, loss: Loss) -> bool:
        spec = self.spec
        return (loss.source, loss.line, loss.event) == (spec.source, spec.line, spec.native_event)

    def _tell_failure_word(self, arrived: HookSpec) -> None:
        """`on_failure` that became another word; that it now lets things through is told by the failure."""
        spec = self.spec
        wanted = spec.on_failure or ("" if spec.blocking is None else str(spec.blocking))
        if not wanted or (arrived.on_failure, arrived.blocking) == (spec.on_failure, spec.blocking):
            return
        before, after = closed_causes(spec, self.source), closed_causes(arrived, self.target)
        if wanted in ("block", "True") and before <= after:
            return
        if wanted == "allow" and not after:
            return
        key = "on_failure" if spec.on_failure else "blocking"
        self.lose(key, f"`{key}: {wanted.lower()}` cannot be said there")

    def _may_be_rewritten(self, earlier: Sequence[HookSpec]) -> bool:
        """Whether a hook before it may change the call that it judges; its `group` gets the call as it does."""
        if self.rule.order != "pipeline" or "rewrite" not in self.rule.effects:
            return False
        before = [spec for spec in earlier if spec.kind is self.spec.kind]
        group = self.spec.conduct.group
        while group and before and before[-1].conduct.group == group:
            before.pop()
        return any(
            isinstance(spec.action, Command) and self.speaker.profile.words.hear(spec) for spec in before
        )

    def _unwrapped(self) -> list[HookSpec]:
        options = said_of(self.spec)
        said = str(options.pop("speaks")).partition(":")[2]
        native = self.listener.written(said)
        if native != said and self.spec.matcher is not None:
            words = f"`{self.spec.matcher.text}` was written for `{said}`, and is read in another way there"
            self.lose("matcher", words, True)
        if options.pop("predicates", None):
            self.lose("condition", "its predicates cannot be said there; it runs always")
        condition, blocking = options.pop("condition", None), options.pop("blocking", None)
        spec = replace(
            self.spec, dialect=self.target, native_event=native, condition=condition, blocking=blocking
        )
        return [saying(spec, options)]

    def _translated(self) -> list[HookSpec]:
        if not self.can.handlers:
            words = f"{self.listener.title} has no config of hooks; `hookline install {self.target}` runs it there"
            self.lose("event", words, self.guards)
            return []
        native = self.listener.native_of(self.spec.kind)
        if native is None:
            words = f"{self.listener.title} has no event for `{self.spec.kind.value}`; it was left out"
            self.lose("event", words, self.guards)
            return []
        listening = self.listener.rules[self.spec.kind]
        if (told := self.listener.kind_of(native)) not in (self.spec.kind, None):
            self.lose(
                "event", f"`{native}` of {self.listener.title} is also every {told}; it runs then as well"
            )
        found, natives = self._matched(native, listening)
        if self.can.pattern and self.spec.kind is EventKind.FilesChanged:
            found = Translated((self._pattern(),))
        if allows_more(self.spec, found, self.can):
            self.lose("handler", "`allow` would hold for more there, without its condition; it was left out")
            return []
        action = self._action(listening) if found.matchers and natives else None
        if found.lost and (action is not None or not found.matchers):
            floods = self._floods() and found.matchers == (None,)
            self.lose("matcher", found.lost, found.narrower and self.guards, floods=floods)
        if action is None:
            return []
        if self.guards and not listening.guards:
            self.lose("event", f"`{native}` of {self.listener.title} can deny nothing", True)
        self._tell_protocol()
        made = [
            self._spec(native, action, matcher, condition)
            for native in natives
            for matcher in found.matchers
            for condition in self._conditions()
        ]
        return made

    def _matched(self, native: str, listening: EventRule) -> tuple[Translated, tuple[str, ...]]:
        """The matchers in the target's words, and the events they stand at."""
        matcher, subject = self.spec.matcher, self.rule.subject
        tools = self.speaker.tools_about(self.spec.native_event)
        if tools and (matcher is None or subject != "tool_name"):
            if matcher is not None:
                self.lose("matcher", f"the matcher `{matcher.text}` cannot be said there; it runs always")
            matcher, subject = matcher_of_tools(tools), "tool_name"
        if not self.listener.tools_about(native) or (matcher and matcher.kind == "never"):
            same = bool(listening.subject) and listening.subject == subject
            return translated(matcher, self.source, self.target, subject, same), (native,)
        chosen = chosen_events(matcher, self.source, self.target, self.spec.kind)
        if chosen.untold:
            self.lose("event", chosen.untold, self.guards)
        if chosen.wider:
            self.lose("matcher", chosen.wider)
        return Translated((None,)), chosen.natives

    # -- the parts ---------------------------------------------------------------------------------------

    def _pattern(self) -> Matcher:
        """Of a file hook that must say which files it is about."""
        matcher = self.spec.matcher
        if matcher is not None and matcher.kind == "glob":
            return matcher
        globs = self.spec.rule.predicates.get("files", ())
        if len(globs) > 1:
            return Matcher("glob", "{" + ",".join(globs) + "}")
        return Matcher("glob", globs[0] if globs else "**/*")

    def _action(self, listening: EventRule) -> Action | None:
        spec, action = self.spec, self.spec.action
        if isinstance(action, Answer):
            line, words = answer_line(action, listening, self.listener)
            if words:
                self.lose("handler", words, self.guards and not line and action.verdict in REFUSALS)
            return Command(line, shell=self.can.shell) if line else None
        if isinstance(action, Command):
            return self._command(action)
        if spec.handler not in self.can.handlers:
            words = f"{self.listener.title} has no `{spec.handler}` hooks; it was left out"
            self.lose("handler", words, self.guards)
            return None
        return action

    def _command(self, action: Command) -> Command:
        """The command with what the target has no key for written into its line."""

        spec = self.spec
        if self.speaker.profile.read_as[0] == SCRIPTS:
            action = Command(argv=(f"./{spec.source}",))
        self._tell_variables(action)
        env = (
            ""
            if self.can.env
            else "".join(f"export {key}={quote(value)}; " for key, value in spec.env.items())
        )
        if action.argv:
            filled, still = (each.profile.traps.filled for each in (self.speaker, self.listener))
            names = placeholders_of(action.argv, filled)
            if "argv" in self.can.handlers and not env and names <= still:
                return action
            return Command(f"{env}{as_line(action.argv, names)}", shell=self.can.shell)
        line = action.line
        if action.shell[0].rpartition("/")[2] == "bash" and self.can.shell[0] != "bash":
            if self.can.shell_key:
                return Command(f"{env}{line}", shell=action.shell)
            line = f"bash -c {quote(line)}"
        elif action.shell[0] not in ("sh", "/bin/sh", "bash"):
            line = join((*action.shell, line))
        return Command(f"{env}{line}", shell=self.can.shell)

    def _tell_variables(self, action: Command) -> None:
        line = action.line or " ".join(action.argv)
        if self.speaker.placeholder_style == "braces" and "{{" in line:
            self.lose("placeholder", "`{{…}}` in its command is not filled in there", self.guards)
        for name in foreign_variables(self.source, self.target, line):
            self.lose("variable", f"`{name}` is not set there", self.guards)

    def _tell_protocol(self) -> None:
        """What its script prints may mean nothing there."""
        if not isinstance(self.spec.action, Command):
            return
        title, other = self.speaker.title, self.listener.title
        if understood(self.spec, self.source, self.target):
            if missing := lost_answers(self.rule, self.listener.rules[self.spec.kind]):
                keys = ", no ".join(missing)
                self.lose(
                    "answer", f"{other} has no {keys} in a hook's output there; what it says so is lost"
                )
            return
        words = (
            f"its script is given {other}'s input in place of {title}'s; {denial_words(self.source, other)}"
        )
        self.lose("protocol", words, self.guards and not self.speaker.profile.words.exit_only)

    def _tell_reach(self, made: Sequence[HookSpec]) -> None:
        """The tools at which it does not run any more, or now runs too; that its matcher was lost was told."""
        arrived = [there for each in made if (there := read_back(self.target, each)) is not None]
        reach = reach_of(self.spec, arrived)
        told = {loss.what: loss.weakens for loss in self.losses if self._is_mine(loss)}
        if reach.missed and not (told.get("matcher") or told.get("event")):
            self.lose("matcher", f"there it does not run at {listed(reach.missed)}", self.guards)
        if reach.added and not {"matcher", "event"} & told.keys():
            self.lose("matcher", f"there it runs at {listed(reach.added)} too")

    def _tell_ends(self, made: HookSpec) -> None:
        """A guard that stopped things by breaking must still do so; what now stops something besides is told."""
        if isinstance(self.spec.action, Answer):
            return
        left_open = closed_causes(self.spec, self.source) - closed_causes(made, self.target)
        changed = list(changed_ends(self.spec, made)) if isinstance(self.spec.action, Command) else []
        open_ends = [*sorted(left_open), *(words for words, stops in changed if not stops)]
        if open_ends and self.guards:
            words = f"there it lets things through when it ends by: {', '.join(open_ends)}"
            self.lose("failure", words, True)
        if more := [words for words, stops in changed if stops and not made.background]:
            self.lose("strictness", f"there it also stops things when it ends by: {', '.join(more)}")

    def _conditions(self) -> tuple[str | None, ...]:
        spec = self.spec
        texts: tuple[str | None, ...] = (spec.condition,) if isinstance(spec.condition, str) else (None,)
        predicates = dict(spec.rule.predicates) if self.source == OWN else {}
        if self.can.pattern and spec.kind is EventKind.FilesChanged:
            predicates.pop("files", None)
        if predicates and self.can.condition:
            for key, tool in (("shell", "Bash"), ("write", "Edit"), ("read", "Read"), ("rule", "")):
                if key in predicates and texts == (None,):
                    wanted = predicates.pop(key)
                    if key != "rule":
                        words = (
                            f"`{key}` compares words as they are written there; other ways to the same pass"
                        )
                        self.lose("condition", words, self.guards)
                    texts = tuple(text if not tool else f"{tool}({_said(text, key)})" for text in wanted)
        if predicates:
            words = ", ".join(f"`{key}`" for key in predicates)
            self.lose(
                "condition", f"{words} cannot be said there; {self._too_often()}", floods=self._floods()
            )
        if texts != (None,) and not self.can.condition:
            words = f"`if: {texts[0]}` cannot be said there; {self._too_often()}"
            self.lose("condition", words, floods=self._floods())
            return (None,)
        return texts

    def _floods(self) -> bool:
        """Whether it says no by itself, so that without its condition it does so to every call."""
        action = self.spec.action
        return isinstance(action, Answer) and action.verdict in ("deny", "halt")

    def _too_often(self) -> str:
        """What comes of a hook whose condition is gone."""
        action = self.spec.action
        if not isinstance(action, Answer):
            return "it runs whether it fits or not"
        narrow = " that its matcher fits" if self.spec.matcher is not None else ""
        return f"it says `{action.verdict}` at every {self.spec.kind.value}{narrow}"

    def _spec(self, native: str, action: Action, matcher: Matcher | None, condition: str | None) -> HookSpec:
        spec, can = self.spec, self.can
        background = spec.background and can.background
        if spec.background and not can.background:
            self.lose("background", f"{self.listener.title} waits for it")
        if spec.once and not can.once:
            self.lose("once", f"{self.listener.title} runs it every time, not once")
        wants_closed = (
            bool(closed_causes(spec, self.source)) and self.guards and not isinstance(spec.action, Answer)
        )
        return HookSpec(
            spec.id, self.target, self.listener.kind_of(native) or spec.kind, native, action,
            name=spec.name, source=spec.source, path=spec.path, line=spec.line, matcher=matcher,
            condition=condition, timeout_s=self._timeout(), background=background, once=spec.once and can.once,
            blocking=True if wants_closed and can.closes == "blocking" else None,
            on_failure="block" if wants_closed and can.closes == "on_failure" else "",
            status_message=spec.status_message if can.status else "", description=spec.description,
            env=spec.env if can.env else {}, **parted(self._options(wants_closed)),
        )  # fmt: skip

    def _options(self, wants_closed: bool) -> dict[str, object]:
        options: dict[str, object] = dict(self.can.options)
        if self.spec.conduct.rewake and self.can.rewake:
            options["rewake"] = True
        if wants_closed and TIME_OUT in closed_causes(self.spec, self.source):
            options.update(self.can.slow)
        return options

    def _timeout(self) -> float:
        seconds = self.spec.timeout_s
        if self.can.whole_seconds and seconds != int(seconds):
            self.lose(
                "timeout",
                f"{seconds:g} s became {math.ceil(seconds)} s; only whole seconds can be said there",
            )
            seconds = float(math.ceil(seconds))
        if seconds > self.can.longest_s:
            self.lose("timeout", f"{seconds:g} s became {self.can.longest_s:g} s, the longest there is")
            seconds = self.can.longest_s
        return seconds


def _said(text: str, key: str) -> str:
    if key == "shell":
        return text if text.endswith("*") else f"{text} *"  # further words may stand there
    return text if "/" not in text or text.startswith(("/", "~")) else f"/{text}"
