"""Settings that git is given for one call, by options and by variables, and those that a line makes: what they do."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.shell.code.pieces import joined
from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.conditions import without
from hookline.shell.programs.table import Deed
from hookline.shell.reading import Argv, Code, Command, Hole, Inner, Word

Setting = tuple[Word, Word]  # name and value

# Settings whose value is a command, and ends of such names.
_COMMANDS = frozenset((
    "core.pager", "core.editor", "core.sshcommand", "core.askpass", "core.fsmonitor", "core.gitproxy",
    "core.alternaterefscommand", "sequence.editor", "diff.external", "gpg.program", "uploadpack.packobjectshook",
    "imap.tunnel", "interactive.difffilter", "sendemail.sendmailcmd", "sendemail.tocmd",
    "sendemail.cccmd",
))  # fmt: skip
_COMMAND_ENDS = (
    ".textconv", ".command", ".driver", ".clean", ".smudge", ".process", ".cmd", ".helper", ".program",
    ".receivepack", ".uploadpack",
)  # fmt: skip
# Which hooks run, and which further settings are read.
_WAYS_AROUND = ("core.hookspath", "core.fsmonitor", "core.attributesfile", "include.path", "init.templatedir")
_ADDRESSES = (".insteadof", ".pushinsteadof")
_SWITCHES = frozenset(("", "true", "false", "yes", "no", "on", "off", "0", "1"))
_OFF = frozenset(("false", "no", "off", "0"))
_MAKE = frozenset(("-c", "--config"))
_VERBS = ("set", "unset", "get", "list", "edit", "remove-section", "rename-section")


def settings_of(command: Command, given: Arguments) -> Iterator[Setting]:
    """The settings of one call, by whichever way they are made."""
    variables = dict(command.assignments)
    made = (option.value for option in given.options if _MAKE.issuperset(option.names))
    for word in filter(None, made):  # `git switch -c x` makes none
        name, equals, _ = word.prefix.partition("=")
        whole = equals or word.literal is not None
        yield (
            Word((name,) if whole else (name, *word.parts[bool(name) :])),
            without(word, len(name) + 1) if equals else Word(("true",)),
        )
    for word in given.values("--config-env"):
        name, _, variable = (word.literal or "").partition("=")
        unknown = Word((Hole("words", f"the value of `{variable}` is not told by the line"),))
        yield Word((name,)), variables.get(variable, unknown)


def made_by_config(given: Arguments) -> Setting | None:
    """The setting that `git config` makes or takes away; None where it shows some."""
    words = given.operands
    verb = words[0].literal if words else None
    if verb in ("get", "list") or any(map(given.has, ("--get", "--get-all", "--get-regexp", "-l"))):
        return None
    if verb in _VERBS:
        words = words[1:]
    elif len(words) < 2 and not any(map(given.has, ("--unset", "--unset-all", "--remove-section", "-e"))):
        return None
    return (words[0], words[1] if len(words) > 1 else Word(("",))) if words else None


def is_command(name: str) -> bool:
    """Whether the value of a setting of git's (in small letters) is a command."""
    return name in _COMMANDS or name.startswith("pager.") or name.endswith(_COMMAND_ENDS)


def goes_around(name: Word, value: Word) -> bool | None:
    """Whether a setting changes which hooks run or which settings count; None where a hole decides it."""
    text = name.prefix.lower()
    if name.literal is None:
        return None if any(each.startswith(text) for each in _WAYS_AROUND) else False
    if text == "core.fsmonitor" and (value.literal or "?").lower() in _SWITCHES:
        return False
    return text in _WAYS_AROUND or (text.startswith("includeif.") and text.endswith(".path"))


def address_of(name: Word, value: Word) -> Word | None:
    """Where git connects to because of a setting: `url.<here>.insteadOf`, `remote.x.url`, `http.proxy`."""
    text = name.literal or ""
    low = text.lower()
    if low.startswith("url.") and low.endswith(_ADDRESSES):
        return Word((text[4 : text.rindex(".")],), value.start, value.end)
    if low.startswith("remote.") and low.endswith((".url", ".pushurl", ".proxy")):
        return value
    return value if low.startswith(("http.", "https.")) and low.endswith(".proxy") else None


def inner_of_settings(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`git -c alias.x=… x`, `git -c core.pager=…`, `git -c remote.x.mirror=true push`."""
    for name, value in settings_of(command, given):
        low = (name.literal or "").lower()
        if low.startswith("alias."):
            yield from alias(command, value, given, low)
        elif is_command(low):
            yield Code(without(value, 1) if value.prefix.startswith("!") else value, f"git -c {low}")
        elif low == "gc.pruneexpire" and given.path[1:2] == ("gc",):
            when = value.literal.lower() if value.literal else "now"
            yield Argv((Word(("git",)), Word(("gc",)), Word((f"--prune={when}",))), "git gc")
        elif given.path[1:2] == ("push",):
            yield from _push(name, value, f"git -c {low}", sure=True)
    for word in given.operands:
        if word.prefix.startswith("ext::"):
            text = (word.literal or word.prefix)[5:].replace("% ", "\\ ")
            yield Code(Word((text,), word.start, word.end), "git -c core.sshcommand")


def inner_of_config(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """What a setting that stays makes of a later, plain call."""
    made = made_by_config(given)
    if made is None:
        return
    name, value = made
    low = (name.literal or "").lower()
    if low.startswith("alias.") and value.prefix.startswith("!"):
        yield Code(without(value, 1), f"git {low}")
    elif low.startswith("alias.") and value.literal:
        words = (Word((each,), value.start, value.end) for each in value.literal.split())
        yield Argv((_perhaps_git(value), *words), f"git {low}")
    else:
        yield from _push(name, value, "git config", sure=False)


def inner_of_remote(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`git remote add --mirror=push x y` makes every push to it one that mirrors."""
    if any((value.literal or "push") == "push" for value in given.values("--mirror")):
        yield Argv((_perhaps_git(given.operands[0]), Word(("push",)), Word(("--mirror",))), how)


def _push(name: Word, value: Word, how: str, sure: bool) -> Iterator[Inner]:
    """The push with options that a plain one becomes by a setting."""
    text = name.literal
    program = Word(("git",), name.start, name.end) if sure else _perhaps_git(name)
    if text is None:
        if "remote.".startswith(name.prefix.lower()[:7]):
            unknown = Hole("words", "a setting that the line does not tell")
            yield Argv((program, Word(("push",)), Word((unknown,))), how)
        return
    first, _, rest = text.partition(".")
    remote, _, last = rest.rpartition(".")
    if first.lower() != "remote" or not remote:
        return
    words = (program, Word(("push",)), Word((remote,)))
    if last.lower() == "push":
        yield Argv((*words, value), how)
    elif last.lower() == "mirror" and (value.literal or "").lower() not in _OFF:
        told = value.literal is not None
        yield Argv((*words, Word(("--mirror",) if told else value.parts)), how)


def _perhaps_git(place: Word) -> Word:
    return Word(("git", Hole("word", "a later call does so")), place.start, place.end)


def alias(command: Command, value: Word, given: Arguments, name: str) -> Iterator[Inner]:
    """What `git x` runs where `name` is `alias.x` and has this value."""
    called = given.path[1] if len(given.path) > 1 else ""
    if called.lower() != name.removeprefix("alias."):
        return
    behind = _behind(command, called)
    if value.prefix.startswith("!"):
        yield Code(joined((without(value, 1), *behind)), f"git {name}")
    elif value.literal is None:
        yield Code(value, f"git {name}")
    else:
        settings = (word for each in given.values("-c") for word in (Word(("-c",)), each)
                    if not each.prefix.lower().startswith(f"{name}="))  # fmt: skip
        words = (Word((each,)) for each in value.literal.split())
        yield Argv((Word(("git",)), *settings, *words, *behind), f"git {name}")


def _behind(command: Command, called: str) -> tuple[Word, ...]:
    """The words behind a sub-command."""
    texts = [word.literal for word in command.words]
    return command.words[texts.index(called, 1) + 1 :] if called in texts[1:] else ()
