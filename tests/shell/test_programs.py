"""The table of programs: what each takes, and what it runs of the words it is given."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest
from tools.programs import FILE, made

from hookline import read_commands
from hookline.shell.effects.commands import deeds_of
from hookline.shell.programs import rows, table
from hookline.shell.programs.arguments import arguments_of, given_to
from hookline.shell.programs.conditions import NO, holds
from hookline.shell.programs.deeds_about import deeds_about
from hookline.shell.programs.inner import inner_of
from hookline.shell.programs.rows import RowError, parse_row
from hookline.shell.programs.table import as_written, programs
from hookline.shell.reading import Argv, Code, Command, Script, Word
from hookline.system.modules import text_beside


def words(line: str) -> tuple[Word, ...]:
    return tuple(Word((word,)) for word in shlex.split(line))


def runs(line: str, stdin: str | None = None) -> list[str]:
    """What a command runs, as text."""
    given = None if stdin is None else Word((stdin,))
    return [shown(each) for each in inner_of(Command(words(line), stdin=given))]


def shown(inner: Argv | Code | Script) -> str:
    if isinstance(inner, Argv):
        return " ".join(text_of(word) for word in inner.words) + " …" * inner.adds_words
    return text_of(inner.text if isinstance(inner, Code) else inner.path)


def text_of(word: Word) -> str:
    return "".join(part if isinstance(part, str) else "?" for part in word.parts)


def test_every_row_of_the_table_can_be_read() -> None:
    names = set()
    for line in text_beside(table.__name__, "programs.txt").splitlines():
        if line.startswith("["):
            for path, _ in rows._paths(line.strip("[]")):
                assert path[0][0] == "+" or programs().row(path) is not None
                names.add(path[0])
    assert len(names) >= 120


def test_the_file_that_is_read_at_every_call_says_the_same() -> None:
    """Run `python tools/programs.py` to write it anew."""
    assert FILE.read_text() == made()
    known, written = programs(), as_written()
    for name in dict.fromkeys(written.names()):
        assert (known.usual(name), known.added(name)) == (written.usual(name), written.added(name))
        for path in written.paths(name) if name[0] != "+" else ():
            row, other = known.row(path), written.row(path)
            assert row == other and row is not None and other is not None
            assert [*row.options] == [*other.options]  # of two that a beginning fits, the first is meant


@pytest.mark.parametrize("words", [("git push",), ("nobody",), ("",), ("~",), ('"',), ("é", "x")])
def test_what_has_no_row_is_found_in_none(words: tuple[str, ...]) -> None:
    for known in (programs(), as_written()):
        assert known.row(words) is None
        assert (known.usual(words[0]), known.added(words[0])) == (words[0], None)


@pytest.mark.parametrize("line", ["options o=", "flags wild", "explode *", "write * if", "options --long -"])
def test_a_row_with_a_mistake_says_so(line: str) -> None:
    with pytest.raises(RowError):
        parse_row(("x",), line)


@pytest.mark.parametrize(
    "line",
    [
        "env A=1 git push", "env -i -u B C=1 git push", "sudo -u root -- git push", "doas git push",
        "nohup git push", "nice -n 5 git push", "ionice -c2 -n 0 git push", "timeout -k 5 9 git push",
        "stdbuf -oL git push", "setsid -f git push", "flock -n /x git push", "strace -f -o out git push",
        "unshare -r git push", "chroot / git push", "systemd-run --user --unit=x git push", "time -p git push",
        "direnv exec . git push", "mise exec -- git push", "poetry run git push", "uv run --with x git push",
        "npx -y git push", "bundle exec git push", "docker run --rm -v a:b image git push",
        "docker exec -it c git push", "kubectl exec -n n pod -- git push", "busybox git push",
        "caffeinate -i git push", "taskset -c 0 git push", "git bisect run git push", "git send-pack",
        "xvfb-run -a git push", "docker compose run --rm web git push", "git -c alias.x=push x",
    ],
)  # fmt: skip
def test_programs_that_take_a_command(line: str) -> None:
    assert runs(line)[-1] == "git push"


@pytest.mark.parametrize(
    "line",
    [
        "sh -c 'git push' a", "bash -lc 'git push'", "env -S 'git push'", "su -c 'git push' root",
        "watch -n 1 git push", "ssh -p 22 host git push", "script -qc 'git push' out", "git -c alias.x='!git push' x",
        "git -c core.pager='git push' log", "git rebase -x 'git push' main", "git submodule foreach 'git push'",
        "git filter-branch --tree-filter 'git push'", "tmux new-session -d 'git push'", "rsync -ae 'git push' a b:c",
        "ssh -voProxyCommand='git push' host", "tar cf a --checkpoint-action=exec='git push' b",
        "find . -maxdepth 0 -exec sh -c 'git push' ';'", "parallel 'git push' ::: a", "flock x -c 'git push'",
        """python3 -c 'import os; os.system("git push")'""",
        """python -c 'import subprocess as s; s.run("git push", shell=True)'""",
        """python -c 'import subprocess; subprocess.run(["git", "push"])'""",
        """python -c 'exec("import os; os.popen(\\"git push\\")")'""",
        """node -e 'require("child_process").execSync("git push")'""", "perl -e 'system(\"git push\")'",
        "ruby -e '`git push`'", "awk 'BEGIN { system(\"git push\") }'", "sed '1e git push' f", "vim -c ':!git push' f",
        "psql -c '\\! git push'",
    ],
)  # fmt: skip
def test_programs_that_take_code(line: str) -> None:
    found = " | ".join(runs(line))
    assert "git push" in found, found


@pytest.mark.parametrize("line", ["sh", "bash -s", "sudo bash", "ssh host", "python3 -", "crontab -"])
def test_programs_that_read_code(line: str) -> None:
    code = (
        "0 5 * * * git push"
        if "crontab" in line
        else "import os\nos.system('git push')"
        if "py" in line
        else "git push"
    )
    inner = inner_of(Command(words(line), stdin=Word((code,))))
    if line == "sudo bash":
        assert isinstance(inner[0], Argv) and inner[0].stdin == Word((code,))
    else:
        assert shown(inner[0]) == "git push"


def test_words_that_are_handed_on() -> None:
    assert runs("xargs git") == ["git …"]
    assert runs("xargs git", stdin="push --force\n") == ["git push --force"]
    assert runs("xargs -I{} git push {}", stdin="a\nb\n") == ["git push a", "git push b"]
    assert runs("find src -name '*.sh' -exec rm {} +") == ["rm src/?.sh"]
    assert runs("fd -e py -x rm") == ["rm ./?.py"]


@pytest.mark.parametrize(
    "line",
    [
        "echo git push",
        "grep -rn 'git push' .",
        "awk '{print $1}' git",
        "sed s/git/push/ f",
        "cat git",
        "git log push",
    ],
)
def test_programs_that_run_nothing_of_their_words(line: str) -> None:
    assert runs(line) == []


def test_options_are_taken_apart_as_the_program_does() -> None:
    given = arguments_of(words("/usr/bin/git -C x push --forc -o v origin"), programs())
    assert (given.path, [word.literal for word in given.operands]) == (("git", "push"), ["origin"])
    given = arguments_of(words("tar xzfC a b"), programs())
    assert [text_of(value) for name in ("-f", "-C") for value in given.values(name)] == ["a", "b"]
    given = arguments_of(words("python3.12 -c code -x"), programs())
    assert (given.path, given.has("-x")) == (("python",), False)
    given = arguments_of(words("chmod -x file"), programs())
    assert [word.literal for word in given.operands] == ["-x", "file"]


@pytest.mark.parametrize(
    ("line", "operands"),
    [
        ("ping -q -f -c 3 a.example", "a.example"), ("traceroute -I -F -q 2 a.example", "a.example"),
        ("mtr -w -b -t -c 5 a.example", "a.example"), ("mtr -F hosts", ""), ("nmap -F -f -p 22 a.example", "a.example"),
        ("arping -f -q -I eth0 10.0.0.7", "10.0.0.7"), ("fping -q -s -c 2 a.example", "a.example"),
        ("dig -m -p 53 a.example", "a.example"), ("host -s -t mx a.example", "a.example"),
        ("socat -x -v TCP:a.example:1 -", "TCP:a.example:1 -"), ("ftp -p a.example", "a.example"),
        ("yt-dlp -i -f best http://a.example", "http://a.example"), ("w3m -s http://a.example", "http://a.example"),
        ("axel -x -n 4 http://a.example", "http://a.example"), ("git fetch -u http://a.example", "http://a.example"),
        ("git ls-remote -b http://a.example", "http://a.example"), ("git clone -s /a b", "/a b"),
        ("git clone -b c -o d /a", "/a"), ("mailx -F a@b.example", "a@b.example"), ("killall -g node", "node"),
        ("jq --arg a b .c d.json", ".c d.json"), ("bwrap --bind a b --dev c d", "d"), ("e2image -r a b", "a b"),
        ("lpr -h a", "a"), ("diff3 -X a b c", "a b c"), ("sdiff -W a b", "a b"), ("svn -R revert a", "a"),
    ],
)  # fmt: skip
def test_an_option_takes_the_words_that_it_takes_for_the_program_that_is_called(
    line: str, operands: str
) -> None:
    given = arguments_of(words(line), programs())
    assert " ".join(text_of(word) for word in given.operands) == operands


def test_every_row_is_reached_by_the_words_of_its_head() -> None:
    known = programs()
    for path, usual in table_heads():
        given = arguments_of(words(" ".join(path)), known)
        assert given.row is not None, path
        assert (given.row.path, known.row(path)) == (usual, given.row), path


def test_no_program_has_two_rows() -> None:
    heads = [path for path, _ in table_heads()]
    assert sorted(path for path in set(heads) if heads.count(path) > 1) == []


def test_every_condition_of_a_row_can_be_met() -> None:
    known = programs()
    unreached = set()
    for path, _ in (*table_heads(), *table_heads(added=True)):
        added = path[0][0] == "+"
        path = (path[0].removeprefix("+"), *path[1:])
        row = known.added(path[0]) if added else known.row(path)
        for deed in row.deeds if row is not None else ():
            for texts in meeting(row, deed):
                words = (*_called(path, deed), *texts)
                command = Command(tuple(Word((text,)) for text in words), stdin=Word(("y\n",)))
                given = given_to(command, known)
                own = given if given.row is row else given.of_program() if len(path) == 1 else None
                if own is None or holds(deed, own) == NO or deed not in deeds_about(row, own):
                    unreached.add(f"{' '.join((*path, *texts))}: {deed.name}")
    assert sorted(unreached) == []


def table_heads(added: bool = False) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Every head of the table, or those `[+NAME]` that only add to what stands of a program."""
    lines = text_beside(table.__name__, "programs.txt").splitlines()
    found = [each for line in lines if line.startswith("[") for each in rows._paths(line.strip("[]"))]
    return [each for each in found if (each[0][0][0] == "+") == added]


def meeting(row: table.Row, deed: table.Deed) -> Iterator[list[str]]:
    """For each word of a deed's conditions, the words behind a program that should meet it."""
    wanted = [group for must, group in deed.conditions if must]
    for place, group in enumerate(wanted):
        for word in group:
            options: list[str] = []
            operands: dict[int, str] = {}
            for each in (*(other[0] for other in wanted[:place]), word, *(g[0] for g in wanted[place + 1 :])):
                _add(each, row, options, operands)
            yield [*options, *(operands.get(at, "x") for at in range(1, max(operands, default=0) + 1))]


def _called(path: tuple[str, ...], deed: table.Deed) -> tuple[str, ...]:
    """The program that a row is about; of the row for all others one that its conditions name."""
    names = [
        word[1:].partition(",")[0]
        for must, group in deed.conditions
        if must
        for word in group
        if word[0] == "@"
    ]
    return (names[0].replace("*", "x"),) if names else path


def _add(condition: str, row: table.Row, options: list[str], operands: dict[int, str]) -> None:
    pieces = re.split(r"\[(.)\]", condition)  # `[*]` is that letter itself
    pieces[::2] = [piece.replace("*", "x").replace("?", "a") for piece in pieces[::2]]
    text = "".join(pieces)
    number, joined, rest = text.partition("=")
    if condition == "0" or condition[0] == "@":
        return
    if condition[0] == "~":
        operands[max(operands, default=0) + 1] = f"{condition[1:].partition(',')[0]}-x"
        return
    if number.isdigit() and joined:
        operands[int(number)] = rest
    elif text[:-1].isdigit() and text[-1] == "!":
        operands.setdefault(int(text[:-1]), "x")
    elif text[0] == "-" and len(text) > 1 and "raw" not in row.flags:
        known = row.options.get(number)
        options.append(number if known is not None and known.takes == "=" else text)
        options += [rest or "x"] if known is not None and known.takes == "=" else []
    else:
        operands[max(operands, default=0) + 1] = text


def _sub_commands() -> Iterator[tuple[str, ...]]:
    """Every sub-command that has a row, and every word that a row asks for as the first behind its program."""
    known = as_written()
    for name in dict.fromkeys(known.names()):
        for path in known.paths(name):
            row = known.row(path)
            if name.endswith("=") or name == "*" or row is None or "raw" in row.flags:
                continue
            if len(path) > 1:
                yield path
            asked = [word for deed in row.deeds for sure, words in deed.conditions if sure for word in words]
            yield from ((*path, word[2:]) for word in asked if re.fullmatch(r"1=[a-z]+", word))


def _acts(words: tuple[str, ...]) -> set[str]:
    """What a command does that has a name."""
    reading = read_commands(shlex.join(words))
    return {effect.name for each in deeds_of(reading) for effect in each.effects} & set(table.EFFECTS[5:])


@pytest.mark.parametrize("option", ["--of-nobody", "-Z"])
def test_no_program_loses_its_sub_command_behind_an_option_that_its_row_does_not_have(option: str) -> None:
    lost = []
    paths = {
        path for path in _sub_commands() if path[0] not in ("gosu", "su-exec", "setuidgid")
    }  # without options
    for path in sorted(paths):
        if _acts((*path, "x")) - _acts((path[0], option, "value", *path[1:], "x")):
            lost.append(path)
    assert len(paths) > 900
    assert lost == []


def test_a_word_behind_an_option_is_a_value_only_where_a_sub_command_follows() -> None:
    known = arguments_of(words("kubectl --of-nobody q delete ns x"), programs())
    assert (known.path, text_of(known.operands[0])) == (("kubectl", "delete"), "ns")
    assert arguments_of(words("kubectl --of-nobody delete x"), programs()).path == ("kubectl", "delete")
    assert arguments_of(words("kubectl -A get delete"), programs()).path == ("kubectl", "get")
    assert arguments_of(words("docker --of-nobody=q run push"), programs()).path == ("docker", "run")
