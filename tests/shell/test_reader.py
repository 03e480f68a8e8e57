"""What a line runs: every command of it, with its words as a program would receive them."""

from __future__ import annotations

import random
import re

import pytest
from benchmarks.guards.corpora import written
from tests.shell.programs import inner_of

from hookline import shell
from hookline.shell import read_commands
from hookline.shell.effects.commands import deeds_of
from hookline.shell.grammar import lists, parsing
from hookline.shell.interpreter.builtins import BUILTINS
from hookline.shell.plain import is_plain
from hookline.shell.programs import arguments
from hookline.shell.reading import BUILTIN_NAMES, Hole, Reading, Word


def read(line: str, **given: object) -> Reading:
    return read_commands(line, inner_of=inner_of, **given)  # type: ignore[arg-type]  # as the tests write them


def shown(word: Word) -> str:
    return "".join(part if isinstance(part, str) else f"<{part.kind} {part.text}>" for part in word.parts)


def run_by(line: str) -> list[str]:
    """Its commands as text, without those that only prepare others."""
    return [" ".join(map(shown, command.words)) for command in read(line).commands if command.words]


PUSHES = [
    "git push", "git  'pu'\"sh\"", "g\\it pu\\\nsh", ">/dev/null git push", "a=1 git push", "git push;", "!  git push",
    "time -p git push", "(git push)", "{ git push; }", "git push &", "git push | cat", "if git push; then :; fi",
    "while git push; do break; done", "for i in 1; do git push; done", "case x in (x) git push;; esac",
    "coproc git push", "f() { git push; }", "f() { git \"$@\"; }; f push", "$'git' $'p\\x75sh'", "{git,push}",
    "git pu{s..s}h", "g=git; $g push", "g='git push'; $g", "git${IFS}push", "$(echo git) push", "`echo git` push",
    "$(printf 'pu%s' sh | cat | sed q; true); git push", "x=(git push); \"${x[@]}\"", "set -- git push; \"$@\"",
    "unset x; git ${x+never}push", "unset x; ${x:-git} push", "x=xgit; ${x#x} push", "x=GIT; ${x,,} push",
    "x=hsup; git $(rev <<< $x)", "eval git push", "eval 'git' 'push'", "command git push", "exec git push",
    "env A=1 git push", "sh -c 'git push'", "sh -c '$0 $1' git push", "bash -c \"git push\"", "echo git push | sh",
    "sh <<< 'git push'", "sh <<E\ngit push\nE", "cat <<'E' | sh\ngit push\nE", "echo Z2l0IHB1c2g= | base64 -d | sh",
    "bash <(echo git push)", "source <(echo git push)", ". /dev/stdin <<< 'git push'", "trap 'git push' EXIT",
    "alias gp='git push'; gp", "echo 'git push' > x; sh x", "tee x <<< 'git push'; . ./x", "read a <<< push; git $a",
    "echo git push | while read -r a b; do $a $b; done", "for a in git; do $a push; done", "IFS=:; x=git:push; $x",
    "cd /tmp && git push", "a || git push", "[[ -n $(git push) ]]", "((x=$(git push)))", "echo ${x:-$(git push)}",
    "cat <<E\n$(git push)\nE", "echo \"$(git push)\"", "echo \"`git push`\"", "diff <(git push) x", "x=$(git push)",
    "x=y git push # no", "git push # \"", "a=(git); a+=(push); ${a[*]}", "x=git y=push; eval '$x $y'", "xargs git push",
    "select x in a; do git push; done", "until git push; do :; done", "for ((;;)); do git push; done",
    "bash -c $'git\\x20push'", "x=git; y=x; ${!y} push", "local x=git 2>/dev/null; x=git; \\$x; $x push",
    "printf -v x git; $x push", "declare x=git; $x push", "export X='git push'; sh -c '$X'",
    "tr x i <<< gxt | { read a; $a push; }", "x='git push' sh -c '$x'",
    "x=git y=push sh -c 'eval \"$x $y\"'",
]  # fmt: skip


@pytest.mark.parametrize("line", PUSHES)
def test_a_push_is_found_however_it_is_spelled(line: str) -> None:
    found = run_by(line)
    assert any(each in ("git push", "git push <words >") for each in found), found


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("ls $HOME", ["ls <words $HOME>"]),
        ('ls "$HOME"', ["ls <word $HOME>"]),
        ("rm *.py 'a b'/x?", ["rm <glob *.py> a b/x<glob ?>"]),
        ("rm '*.py' \\*", ["rm *.py *"]),
        ("ls ~ ~/x '~' a~", ["ls <word ~> <word ~>/x ~ a~"]),
        ('echo "$@" $1', ["echo <words $@> <words $1>"]),
        ("echo $? $$", ["echo <word $?> <word $$>"]),
        ("x=a; f && x=b; echo $x", ["f", "echo <words $x>"]),
        ("if a; then x=1; else x=2; fi; echo $x", ["a", "echo <words $x>"]),
        ("if a; then x=1; else x=1; fi; echo $x", ["a", "echo 1"]),
        ("x=1; (x=2); echo $x", ["echo 1"]),
        ("x=1 echo $x", ["echo <words $x>"]),
        ("x=1; local x=2; echo $x", ["local x=2", "echo 1"]),
        ("f() { local x=2; echo $x; }; f", ["local x=2", "echo 2"]),
        ("for x in 1 2; do echo $x; done", ["echo 1", "echo 2"]),
        ("while a; do x=$x.; b $x; done", ["a", "b <words $x>."]),
        ("echo $(date)", ["date", "echo <words $(date)>"]),
        ("echo {1..3} {a,b}c x{} {x}", ["echo 1 2 3 ac bc x{} {x}"]),
        ("git push $OPTS", ["git push <words $OPTS>"]),
        ("a '' \"\" $(:)", ["a  ", ":"][::-1]),
        ("echo a#b #c\nd", ["echo a#b", "d"]),
        ("cat <<-E\n\tx\n\tE\na", ["cat", "a"]),
    ],
)
def test_words_become_what_a_program_receives(line: str, wanted: list[str]) -> None:
    assert run_by(line) == wanted


def test_the_reader_knows_the_builtins_by_name_before_it_loads_them() -> None:
    assert BUILTINS.keys() == BUILTIN_NAMES


def test_every_command_knows_the_way_to_it_and_its_columns() -> None:
    line = "env A=1 sh -c 'cd x && git push --force'"
    found = read(line).commands[-1]
    assert line[found.start : found.end] == "git push --force"
    assert [(step.how, line[step.start : step.end]) for step in found.via] == [
        ("env", "env"),
        ("sh -c", "sh"),
    ]
    assert (found.argv, found.cwd, found.certain) == (("git", "push", "--force"), Word(("x",), 18, 19), False)


@pytest.mark.parametrize(
    "line", ['eval "$x"', 'sh -c "$x"', "curl x | sh", ". <(curl x)", "'", "a; (b", "echo $("]
)
def test_what_cannot_be_read_is_told(line: str) -> None:
    assert read(line).unknowns


def test_a_script_at_hand_is_read_and_another_is_opaque() -> None:
    opened = read("cd a; sh x.sh 1; ./y", open_script={"a/x.sh": "git push $1"}.get)
    assert [command.argv for command in opened.commands][2] == ("git", "push", "1")
    assert read("sh x.sh").opaque == (
        Hole("words", "`sh` runs the script `x.sh`, which is not to be seen", "x.sh"),
    )


@pytest.mark.parametrize(
    ("line", "most"),
    [("git commit -m x; " * 2_000, 1), ("".join(f"git add {n}; " for n in range(300)), 300)],
)
def test_each_command_is_taken_apart_once_and_equal_ones_together(
    line: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    split = arguments._Splitter.split
    monkeypatch.setattr(
        arguments._Splitter, "split", lambda self, words: calls.append(1) or split(self, words)
    )
    deeds = deeds_of(read_commands(line))
    assert len(calls) <= most
    assert {each.given.path for each in deeds} in ({("git", "commit")}, {("git", "add")})
    assert [each.command.start for each in deeds] == [found.start() for found in re.finditer("git", line)]


OFTEN_PLAIN = """
git push -f a-b x=1 -x=y ./x.sh /tmp 2 12 @ ^x a:b cd .. tee cp env sudo bash then fi time ! { } export
"""


def test_plain_commands_are_read_the_same_where_they_are_taken_in_one_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(3)
    words = OFTEN_PLAIN.split()
    blanks = (" ", " ", "  ", "\t", "\\\n")
    between = (
        *blanks,
        " && ",
        "&&",
        " || ",
        "|",
        ";",
        "\n",
        " &",
        " > ",
        " &> ",
        " >&",
        "2>&1",
        " #",
        " <",
        ")",
        "(",
    )
    lines = [line.text for name in ("stop", "harmless") for line in written(name)]
    for _ in range(1500):
        count = chance.randint(1, 8)
        lines.append("".join(chance.choice(words) + chance.choice(between) for _ in range(count)))
    at_once = [read_commands(line) for line in lines]
    plain = sum(map(is_plain, lines))
    monkeypatch.setattr(lists, "plain_end", lambda text, begins: -1)
    for module in (shell, parsing):
        monkeypatch.setattr(module, "is_plain", lambda text: False)
    for line, found in zip(lines, at_once, strict=True):
        assert found == read_commands(line), line
    assert plain > 150
