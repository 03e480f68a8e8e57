"""Plain lines, which are read without the reader: as the reader has them."""

from __future__ import annotations

from itertools import product

import pytest

from hookline.shell.interpreter import decoding, listings, naming, outputs
from hookline.shell.interpreter.plainly import plainly
from hookline.shell.interpreter.printing import _TELLERS
from hookline.shell.interpreter.reader import Reader
from hookline.shell.programs.inner import inner_of

FIRST = (
    "ls", "ls src", "echo 'a b'", "echo -n x", "cat a", "cat", "git log --oneline", "git ls-files '*.py'",
    "grep -rl x src", "find . -name a", "rm -f a", "mkdir -p a", "seq 3", "yes", "env A=1 ls", "sudo make",
    "which git", "mktemp", "npm test", "kubectl completion bash", "./ls", "cd a",
)  # fmt: skip
BEHIND = (
    " | head -3", " | grep x | sort", " | xargs", " | sudo cat", " | timeout 5 sh", " 2>&1", " >/dev/null 2>&1",
    " 2>/dev/null", " &> log", " >> log 2>&1 | cat", " 2>&1 >log | cat", " >&2 | wc -l", " > /dev/stderr | cat",
    " > a && cat a", " > a; cat a | head", " > package.json && npm test", " > a | npm test", " || true",
    " && cd a && ls | head", " | cd a | pwd", "; ls\nls 1>x", " >/dev/fd/2 | cat", " > a > b",
)  # fmt: skip


@pytest.mark.parametrize("before", ["", "cd x && ", "false || ", "ls | "])
def test_it_says_what_the_reader_says(before: str) -> None:
    read = 0
    for first, behind in product(FIRST, BEHIND):
        line = f"{before}{first}{behind}"
        found = plainly(line, "bash", {}, None, inner_of)
        read += found is not None
        assert found is None or found == Reader("bash", {}, None, inner_of).read(line), line
    assert read >= 250


WORDS = (
    '"$X"', "$X", "$HOME/a", '"${HOME}"/*', "$NONE", '"$NONE"', '"a $TWO b"', "$TWO", '$PWD"$OLDPWD"', "$?",
    '"$RANDOM"',
    "A=$X", "A=", "--a=\"b $X\"", "~", "~/a", "~bob/a", "HEAD~1", "x:~/a", "*.py", "a*b$X?", "$STAR", "''", '"b"c\'d\'',
    "1>a", "2>&1", "[ab]", "a[0-9]b*", "x#y", "#x", "a!b", "!= !a", "$X[a]", "'[a]'", '"$" $ ^a$', "]a[", "f[o]o",
    "- -n $NONE", "git push", "-c 'rm -rf /' $X",
)  # fmt: skip
BEFORE = ("", "A=1 ", 'A="$X" B=$TWO ', "PATH=$HOME/bin:$PATH ", "PAGER='sh -c x' ", "GIT_DIR=a* ")
PROGRAMS = (
    "ls", "echo", "cd", "rm -rf", "git", "git push", "sudo", "env B=$X", "timeout 5 cat", "make -C", "xargs rm",
    "mktemp", "docker run -v", "cd a && pwd", "cd $X; ls", "cat a | grep", "find . -name",
)  # fmt: skip
KNOWN = {
    "HOME": "/home/me",
    "PWD": "/home/me/w",
    "NONE": "",
    "TWO": "c d",
    "STAR": "*.c",
    "~bob": "/home/bob",
    "@": "",
}


@pytest.mark.parametrize("known", [{}, KNOWN], ids=["unknown", "known"])
@pytest.mark.parametrize("behind", ["", " > b", " 2>&1 | sort", ' && cd "$HOME" && ls $PWD'])
def test_it_says_of_variables_tildes_and_patterns_what_the_reader_says(
    behind: str, known: dict[str, str]
) -> None:
    read = 0
    for before, program, word in product(BEFORE, PROGRAMS, WORDS):
        line = f"{before}{program} {word}{behind}"
        found = plainly(line, "bash", known, None, inner_of)
        read += found is not None
        assert found is None or found == Reader("bash", known, None, inner_of).read(line), line
    assert read >= 1500


WITHIN = (
    "$(date)", '"$(date)"', '"a $(git rev-parse HEAD) b"', "$(cat a | head -3)", "$(echo a b)", "$(echo '*.py')",
    "$(cd x && ls)", '"$(printf %s "$TWO")"', "$(X=1; echo $X)", "$(ls 2>/dev/null || true)", "$(sudo ls $TWO)",
    "\"$(cat <<'E'\nfix: a\n\nb $X\nE\n)\"", '"$(cat <<E\na\nE\n)"', "$(mktemp)/a", '"$(pwd)/x"', "A=$(date)",
    '"a \\"b\\" \\x"', "\\;", "{}", "'é ✓'", "'a\nb'", "\\\n  -x", "$(seq 3)$(basename a/b)",
)  # fmt: skip
AROUND = (
    "", "X=$(date); ", "X=1\n", "[ -f a ] && ", '[ -z "$X" ] || ', "test ! -d a || ", "export A=b && ",
    'export A="$TWO" B; ', "export PAGER='sh -c x'\n", "printf 'a\\n' | ", "cat > f <<'E'\nls $X\nE\n",
    "cat <<-E | sort\n\ta\n\tE\n", "dd of=q <<E\nls\nE\n",
)  # fmt: skip


@pytest.mark.parametrize("behind", ["", " | sort > b", ' && echo "$X $A"'])
@pytest.mark.parametrize("known", [{}, KNOWN], ids=["unknown", "known"])
def test_it_says_of_substitutions_and_here_documents_what_the_reader_says(
    behind: str, known: dict[str, str]
) -> None:
    read = 0
    for before, program, word in product(
        AROUND, ("echo", "git commit -m", "rm -rf", "timeout 5 cat"), WITHIN
    ):
        line = f"{before}{program} {word}{behind}"
        found = plainly(line, "bash", known, None, inner_of)
        read += found is not None
        assert found is None or found == Reader("bash", known, None, inner_of).read(line), line
    assert read >= 850


@pytest.mark.parametrize(
    "line",
    ['ls "$@"', "ls ${X[1]}", "ls ${!X}", 'ls "`a`"', "export A={b,c}", "A+=1 ls", "A=~/x ls", "$X a", "PS1=a",
     "a[1]=x", "ls a[1]=b", "echo a[b c]=x", "export a[1]=x", "ls a!(b)", "export A=1 A=2", "export -n A",
     "cd $X | ls", "ls $X" * 1000, "ls ${X:-'a'}", "ls ${X:-{}", "ls ${X:?a}; ls ${#X:-a}", "ls $((1/0))",
     "ls $((a['x']))", "ls $(((1)); ls)", "cat <<E\n`ls`\nE", "cat <<E\n${X:-@(a)}$(ls)\nE", "cat <<< a",
     "cat 2<<E\na\nE", "cat > a <<E; sh a\nls\nE", "[ -v a ]", "ls $(cd a)", "echo a | dd of=b; cat b | sh",
     "echo a > b; x=$(cat b)", "echo a > b; xargs -a b rm", "ls > b; cat < b", "read -a x", "A=1 read x",
     "local x=1", "f() { local x+=1; }; f", "f() { declare x=1; }; f", "time cd a", "! time ls", "ls |& cat",
     "sh a & ls > a", "(sh a &); ls > a; sh a", "ls ${X:=a} > ${Y:=b}", "command ls", "x=$(command -v ls)",
     "[[ a < b ]]", "[[ a =~ (b) ]]"],
)  # fmt: skip
def test_more_than_that_is_left_to_the_reader(line: str) -> None:
    assert plainly(line, "bash", {"IFS": ":", "CDPATH": "/"}, None, inner_of) is None


@pytest.mark.parametrize("line", ["ls | cat", "ls > a", "ls $X", "A=1 ls"])
def test_what_zsh_may_do_otherwise_is_left_to_the_reader(line: str) -> None:
    assert plainly(line, "zsh", {}, None, inner_of) is None


SCRIPTS = {
    "a.sh": "#!/bin/bash\nset -euo pipefail\ncd src\nX=$(git rev-parse HEAD)\necho $X | tee\nnpm test > log\n",
    "b.sh": "#!/bin/sh\nset -x\nexport A=1\n[ -f a ] && rm -rf $A\nmake 2>&1 | head &> log\n",
    "c": "ls &> a\ngit push -f\n",
    "d.py": "#!/usr/bin/env python3\nimport os\nos.remove('x')\nos.system('git push')\n",
    "e.js": "require('fs').unlinkSync('a')\n",
    "f.sh": "for f in a b; do rm $f; done\n",
}
STARTED = (
    "bash -c 'ls -la'", "bash -c 'cd a && rm $0 $X' x y", "sh -c 'cat a &> b'", "sh -c 'A=1; echo \"$A\" | cat'",
    "bash -euxo pipefail -c 'X=$(ls); echo $X'", "bash -f -c 'ls *.py'", "zsh -c 'ls'", "sudo sh -c 'rm -rf a'",
    "A=$X B=1 bash -c 'echo $A'", "env A=1 sh -c 'ls $A'", "bash a.sh", "./a.sh x", "./b.sh", "sh b.sh", "./c",
    "bash none.sh", "./d.py", "python3 d.py", "node e.js", "./f.sh", "bash f.sh", "timeout 5 ./a.sh", "echo ls | bash",
    "ls | sh", "./c | tee b", "./none.sh | tee none.sh", "./d.py | cat > x",
    "python3 -c 'print(1)'", "node -e 'f()'", "set -e; X=$(ls)", "set -eu\nX=$(ls $Y); echo $X", "set +e; ls",
    "set -a; A=1", "set x y", "sh <<E\nls\nE", "eval ls", ". ./c", "$(ls) a", "timeout 5 $X", "export A=$X; ./a.sh",
)  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "sh", "dash"])
@pytest.mark.parametrize("known", [{}, KNOWN], ids=["unknown", "known"])
def test_it_says_of_code_and_scripts_what_the_reader_says(known: dict[str, str], shell: str) -> None:
    read = 0
    for first, behind in product(
        STARTED, ("", " > a", " | head -1", "; cd a && ls $X", " && echo $(ls | cat)", " || ./c")
    ):
        line = f"{first}{behind}"
        found = plainly(line, shell, known, SCRIPTS.get, inner_of)
        read += found is not None
        assert found is None or found == Reader(shell, known, SCRIPTS.get, inner_of).read(line), line
    assert read >= 130


OPERATED = (
    "${X:-a}", '"${X:-a}"', "${X-}", "a{b,$X}c", "{1..3}", "{a,b}{c,d} {e", "x{}/{a}", "{,-}f", '"${X:-$TWO}"',
    "${TWO:+b c}", "${NONE:=x y}", '"${NONE:-~/a}"', "${X:?no}", "${#X}", "${#TWO}", "${TWO%d}", '"${TWO%%*d}"',
    "${TWO#c}", '"${HOME##*/}"', "${HOME%/*}/a", '"${TWO/c/x}"', "${TWO//$X/x}", "${TWO^^}", "${TWO,}",
    "${TWO:1}", '"${TWO:0:1}"', "${X:2}", "${1:-a}", '"${1:-${2:-$X}}"', "${X:-$(ls)}", "${X:-*.c}",
    '"${TWO%$X}"', "$((1 + 2))", '"$((X+1))"', "$((X * (2 - $TWO)))", "$((i++))", "$((i=2))$i", '"a$((7/2))"',
    "$(($(seq 3)+1))", "$((1,2))", "$!", "${X:-a;b}", '"${X:-a & b}"', "A=${X:-a}", "--x=${TWO#c}", "$((0x1f))",
    "${NONE}${X:+-f}", "{Z..a}{p,q}",
)  # fmt: skip
SAID = (
    "echo %s", "rm -rf %s", "X=%s; ls $X", "export A=%s && ls $A", "git commit -m %s && ls $i $NONE",
    "cat <<E\na %s b\nE", "cat > f <<E\n$HOME \\$X %s\\\nb $ c $5.00 \\x\nE", "sh <<E\nls %s\nE",
    "git commit -F - <<-E\n\t%s\n\tE", "for f in %s; do rm $f; done", "ls %s > %s", "if [ -n %s ]; then ls; fi",
    "ls | xargs rm %s", "cd %s && ls", "case %s in a) ls;; *) pwd;; esac", "bash -c 'ls %s'",
    "[[ -n %s ]] && ls", "f() { ls %s; }; f a 'b c' d",
)  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "sh"])
@pytest.mark.parametrize("known", [{}, KNOWN], ids=["unknown", "known"])
def test_it_says_of_operators_sums_and_documents_what_the_reader_says(
    known: dict[str, str], shell: str
) -> None:
    read = 0
    for form, word in product(SAID, OPERATED):
        line = form.replace("%s", word)
        found = plainly(line, shell, known, None, inner_of)
        read += found is not None
        assert found is None or found == Reader(shell, known, None, inner_of).read(line), line
    assert read >= 550


COMPOUND = (
    "if %s; then %s; fi", "if ! %s; then exit 1; fi; %s",
    "if %s; then cd a; %s; elif %s; then X=1; else X=2; fi; echo $X | cat",
    "for f in a 'b c' *.py $X; do rm \"$f\"; %s; done", "for f in $(%s); do echo $f; done | sort",
    "for i in 1 2; do %s; done > x", "for f in a b\ndo\n  if %s; then continue; fi\n  X=$f\ndone\nrm $X\n",
    "for i in 1 2; do %s || break; cd a; done; %s", "for d in a b; do (cd $d && %s) || exit; done; %s",
    "while %s; do %s; done", "until %s; do X=$X.a; done; ls $X", "while true; do %s; sleep 1; done",
    "case $X in a|b) %s;; *) %s;; esac", "case \"$X\" in (a) cd b;& 'c') X=1;;& esac; %s $X",
    "{ %s; %s; } 2>&1 | cat", "( %s; X=1; cd a ); echo $X", "(cd a && %s) > b", "[ -f a ] && { X=1; %s; }; echo $X",
    "%s || { echo no >&2; exit 1; }; %s", "! %s && %s", "%s < f | cat", "%s > \"$X/a b\" 2>> $X",
    "{ cat; %s; } < f > g", "set -e; for f in a; do X=$(%s); done; echo $X", "x=$(if %s; then echo a; fi); rm $x",
    "f() { %s; }; f", "select x in a; do %s; done", "for f; do %s; done", "for f in a{b,c}; do %s; done",
    "while read x; do %s; done < f", "for ((;;)); do %s; done", "[[ -f a ]] && %s",
    "if true; then export A=b; fi; bash -c 'rm $A'; %s", "for f in a b; do A=$f; export A; done; %s",
)  # fmt: skip
PARTS = (
    "ls",
    "rm -rf $X",
    "cd x",
    "X=b",
    "echo $X",
    "make > x",
    "cat x",
    "false",
    "bash -c 'ls'",
    "./a.sh",
    "exit 1",
    "ls | head",
)


@pytest.mark.parametrize("shell", ["bash", "sh"])
@pytest.mark.parametrize("known", [{}, KNOWN], ids=["unknown", "known"])
def test_it_says_of_branches_and_loops_what_the_reader_says(known: dict[str, str], shell: str) -> None:
    read = 0
    for form, first, second in product(COMPOUND, PARTS, ("ls", "echo $X | cat", "cd y && rm a")):
        line = form.replace("%s", first, 1).replace("%s", second)
        found = plainly(line, shell, known, SCRIPTS.get, inner_of)
        read += found is not None
        assert found is None or found == Reader(shell, known, SCRIPTS.get, inner_of).read(line), line
    assert read >= 700


RARER = (
    "while read -r f; do %s; done < a", "%s | while read f; do rm $f; done",
    "ls *.c | while IFS= read -r f; do rm \"$f\"; done",
    "while IFS=: read -r x y; do ls $x; %s $y; done <<E\na:b c\n:d\nE",
    "cat a | while read -r x y; do %s $x; done; ls $x",
    "printf 'a b\\nc\\n' | while read x; do if %s; then break; fi; ls $x; done", "read x; %s $x",
    "read -r x y < a; ls $x", "find . -name x | while read f; do cd $f; %s; done",
    "echo a b | { read x y; ls $y $x; }", "until read x; do %s; done", "f() { %s; }; f",
    "f() { ls \"$1\" $2; %s; }; f a; f 'b c' d | cat", "function f { cd a; %s; }; f && ls", "f() { %s; }; ls",
    "f() { local x=$1 y; rm $x$y; x=2; %s; }; x=1; f a; ls $x", "f() { return 1; %s; }; f; ls",
    "X=1; f() { X=2; %s; }; f; ls $X", "f() { g; }; g() { %s; }; f", "f() { f; %s; }; f",
    "f() { X=$1; }; A=1 f b > c; ls $X", "f() (cd a; %s); f; pwd", "f() { cat; }; %s | f",
    "f() { for i in a b; do %s || return; done; }; f; ls $i",
    "if true; then f() { ls; }; else f() { pwd; }; fi; f; %s", "x=$(f() { %s; }; f); rm $x",
    "f() { exit; }; f; %s", "[[ -f a && -d b ]] && %s", "if [[ $X == a* || ! -e \"$TWO\" ]]; then %s; fi",
    "[[ $X -gt 3 ]] || { %s; }; [[ -n a ]]", "((i++)); %s $i", "if ((X > 1)); then %s; fi",
    "for ((i=0; i<3; i++)); do %s; rm $i; done", "i=$((i+1)); %s $i", "%s & wait", "%s &", "(%s) & ls",
    "cd a && %s & sleep 1; ls", "{ %s; } > log 2>&1 & echo $!", "x=$(%s & echo b); rm $x", "%s & %s & wait; ls",
    "for f in a b; do %s $f & done; wait", "./a.sh & ls", "cat a | ./c & %s", "f() { %s & }; f; ls", "time %s",
    "time ls | cat; %s", "x=$(time ls 2>&1); %s", "command -v git && %s", "command -v git > /dev/null || %s",
    "%s | xargs rm", "find . | xargs -I{} sh -c 'rm {}'", "cmake -B build && %s", "cd; %s",
    "cd - && %s; pwd", "cd $X && %s", "cd $(git rev-parse --show-toplevel) && %s", "ls > x; X=$(%s); rm $X",
    "%s > x; cat y | sh", "cp a b; %s | cat", "tee a < b > c; X=$(%s)", "cp a b; X=$(cat c); %s",
    "cat > a <<E\nx\nE\nX=$(git log); %s; cat a",
)  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "sh"])
@pytest.mark.parametrize("known", [{}, KNOWN], ids=["unknown", "known"])
def test_it_says_of_functions_tests_and_what_runs_aside_what_the_reader_says(
    known: dict[str, str], shell: str
) -> None:
    read = 0
    for form, part in product(RARER, (*PARTS, "find . -name a")):
        line = form.replace("%s", part)
        found = plainly(line, shell, known, SCRIPTS.get, inner_of)
        read += found is not None
        assert found is None or found == Reader(shell, known, SCRIPTS.get, inner_of).read(line), line
    assert read >= 540


def test_who_tells_what_a_program_prints_has_a_way_for_it() -> None:
    tellers = (decoding, listings, naming, outputs)
    ways = {each.__name__.rpartition(".")[2]: each.WAYS.keys() for each in tellers}
    assert {name: {each for each, by in _TELLERS.items() if by == name} for name in ways} == ways
