"""A program that is started without its shell sees what it would have seen with it; nothing else is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.handlers.shell.direct import _CHANGING, without_shell

SHOW = f"""#!{sys.executable} -IS
import json, os, sys
print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]))
"""
SHELLS = [shell for shell in ("sh", "bash") if shutil.which(shell)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program, by several names, beside what a shell has other words for."""
    work = tmp_path / "work"
    for each in ("a b", "bin", "other/node", "other/python3"):
        (work / each).mkdir(parents=True)
    for name in ("show", "a b/show", "bin/show", "bin/python3", "bin/node"):
        (work / name).write_text(SHOW)
        (work / name).chmod(0o755)
    (work / "bare").write_text("echo run as a script\n")
    (work / "other/perl").write_text("no program\n")
    (work / "other/jq").write_text("echo run as a script\n")
    (work / "other/jq").chmod(0o755)
    (work / "bin/perl").symlink_to("show")
    (work / "bin/jq").symlink_to("show")
    (work / "lost").write_text("#!/not/there\n")
    (work / "empty").write_text("")
    (work / "windows").write_bytes(b"#!/bin/sh\r\ntrue\r\n")
    for name in ("bare", "lost", "empty", "windows"):
        (work / name).chmod(0o755)
    (work / "closed").write_text(SHOW)
    (work / "link").symlink_to("show")
    return work


ENVIRONMENTS = [
    {},
    {"PATH": "/usr/bin", "A": "1", "PWD": "$WORK", "SHLVL": "3", "OLDPWD": "/", "_": "x"},
    {"PWD": "/not/there", "OLDPWD": "/not/there", "SHLVL": "998"},
    {"PWD": ".", "SHLVL": "0", "ROOM": "$WORK", "ODD": "a  *"},
]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    "line",
    [
        "./show", "  ./show  a   b ", '"$ROOM"/show --x=1 %d a,b @c', '"$ROOM/show" "$ODD" "x  y"', "$ROOM/show a",
        '"${ROOM}/a b/show" "" a:b', "./link +e", './show "a"b"$ODD"', "$WORK/show",
    ],
)  # fmt: skip
def test_it_sees_what_the_shell_would_hand_on(
    folder: Path, shell: str, environment: dict[str, str], line: str
) -> None:
    env = {name: value.replace("$WORK", str(folder)) for name, value in environment.items()}
    line = line.replace("$WORK", str(folder))
    if "$ROOM" in line or "${ROOM" in line:
        env = {"ROOM": str(folder), "ODD": "a  *", **env}
    env.setdefault("ODD", "")
    argv = (shell, "-c", line)
    found = without_shell((argv[0], *argv[1:]), str(folder), env)
    assert found is not None
    by_shell = subprocess.run(
        [str(shutil.which(shell)), "-c", line], cwd=folder, env=env, capture_output=True, text=True
    )
    directly = subprocess.run(found[0], cwd=folder, env=found[1], capture_output=True, text=True)
    assert json.loads(directly.stdout) == json.loads(by_shell.stdout)


@pytest.mark.parametrize("path", ["$WORK/bin", "/not/there:$WORK/other:$WORK/bin:/usr/bin"])
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("line", ["python3 hooks/x.py --a 1", 'node "$ROOM"', "perl"])
def test_an_interpreter_is_found_where_the_shell_would_find_it(
    folder: Path, shell: str, line: str, path: str
) -> None:
    """Past folders of its name, and files that nobody may execute."""
    env = {"PATH": path.replace("$WORK", str(folder)), "ROOM": "a  b"}
    found = without_shell((shell, "-c", line), str(folder), {**env, "PATH": f"{env['PATH']}:/bin:/usr/bin"})
    assert found is not None and found[0][0] == line.split()[0]
    by_shell = subprocess.run(
        [str(shutil.which(shell)), "-c", line],
        cwd=folder,
        env={**env, "PATH": found[1]["PATH"]},
        capture_output=True,
    )
    directly = subprocess.run(found[0], cwd=folder, env=found[1], capture_output=True)
    assert json.loads(directly.stdout) == json.loads(by_shell.stdout)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("python3 x", "bin:/usr/bin"), ("python3 x", ":/usr/bin"), ("python3 x", "$WORK/bin/:/usr/bin"),
        ("python3 x", "~/bin:/usr/bin"), ("show", "$WORK/bin"), ("jq .", "$WORK/other:$WORK/bin"),
        ("lua5.9 x", "$WORK/bin:/usr/bin:/bin"),
    ],
)  # fmt: skip
def test_an_interpreter_that_only_the_shell_finds_is_left_to_it(
    folder: Path, shell: str, line: str, path: str
) -> None:
    env = {"PATH": f"{path.replace('$WORK', str(folder))}:/usr/bin:/bin"}
    assert without_shell((shell, "-c", line), str(folder), env) is None


# PWD and the like may be of the program that started us: a shell sets them anew.
FALSE = {"ODD": "a  *", "A": "1", "PWD": "/usr", "OLDPWD": "/", "SHLVL": "1"}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    "line",
    [
        "show", "true", "exit 2", "./show | cat", "./show; ./show", "./show > x", "./show $UNSET", '"$UNSET"/show',
        "./show *", "./show ~", "A=1 ./show", "./show 'a'", "./show a\\ b", "./show `x`", "./show $(x)", "./show &",
        "./show\n./show", "./show #x", "./show {a,b}", "./show $ODD", "./bare", "./lost", "./empty", "./closed",
        "./missing", "./show !", "./show \"`x`\"", '"$(x)"/show', "", "./a", "~/show", "./show ${A:-x}", './show "a',
        "A=./show", "./show\ta", "./windows", '"$PWD"/show', "./show ${OLDPWD}", '"$A$SHLVL/show"', "./show $HOSTNAME",
    ],
)  # fmt: skip
def test_all_else_is_the_shells(folder: Path, shell: str, line: str) -> None:
    assert without_shell((shell, "-c", line), str(folder), FALSE) is None


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    "name",
    [*sorted(_CHANGING), "BASH", "BASH_ENV", "BASHOPTS", "BASH_FUNC_./show%%", "npm-x", "a.b", "1A", "é", ""],
)
def test_a_variable_that_a_shell_takes_otherwise_leaves_it_the_line(
    folder: Path, shell: str, name: str
) -> None:
    assert without_shell((shell, "-c", "./show"), str(folder), {}) is not None
    assert without_shell((shell, "-c", "./show"), str(folder), {name: "x"}) is None


@pytest.mark.parametrize("level", ["", "nonsense", "-1", "007", "999", "1000", "5000", " 1", "1_0", "\u0661"])
def test_a_level_that_bash_warns_of_or_starts_anew_is_left_to_it(folder: Path, level: str) -> None:
    env = {"SHLVL": level}
    assert without_shell(("bash", "-c", "./show"), str(folder), env) is None


@pytest.mark.parametrize("shell", SHELLS)
def test_every_variable_that_it_hands_on_is_what_the_shell_hands_on(folder: Path, shell: str) -> None:
    """Names that a shell uses itself, as its manual lists them, and some that it does not."""
    names = [
        "CDPATH", "CHILD_MAX", "COLUMNS", "COMP_CWORD", "COMP_LINE", "COMPREPLY",
        "COPROC", "EMACS", "EXECIGNORE", "FCEDIT", "FIGNORE", "FUNCNEST", "GLOBIGNORE", "HISTFILE", "HOSTFILE",
        "HOSTNAME", "HOSTTYPE", "IGNOREEOF", "INPUTRC", "INSIDE_EMACS", "LANG", "LC_ALL", "LINES", "MACHTYPE", "MAIL",
        "MAILCHECK", "MAILPATH", "MAPFILE", "OPTARG", "OSTYPE", "PIPESTATUS", "PROMPT_COMMAND", "PROMPT_DIRTRIM", "PS0",
        "PS3", "READLINE_LINE", "REPLY", "TIMEFORMAT", "TMOUT", "TMPDIR", "ATTY", "EXINIT", "FPATH", "_X1",
    ]  # fmt: skip
    env = {"PATH": os.defpath, **dict.fromkeys(names, "12")}
    found = without_shell((shell, "-c", "./show"), str(folder), env)
    assert found is not None
    by_shell = subprocess.run(
        [str(shutil.which(shell)), "-c", "./show"], cwd=folder, env=env, capture_output=True
    )
    directly = subprocess.run(found[0], cwd=folder, env=found[1], capture_output=True)
    assert json.loads(directly.stdout) == json.loads(by_shell.stdout)


def test_another_shell_and_other_words_are_left_alone(folder: Path) -> None:
    for argv in (("zsh", "-c", "./show"), ("bash", "-lc", "./show"), ("sh", "./show"), ("./show",)):
        assert without_shell(argv, str(folder), {}) is None


def test_an_sh_that_is_bash_is_taken_for_one(folder: Path) -> None:
    (folder / "sh").symlink_to(str(shutil.which("bash")))
    env = {"PATH": str(folder), "SHLVL": "3"}
    found = without_shell(("sh", "-c", "./show a"), str(folder), env)
    assert found is not None
    by_shell = subprocess.run(
        [str(folder / "sh"), "-c", "./show a"], cwd=folder, env=env, capture_output=True, text=True
    )
    directly = subprocess.run(found[0], cwd=folder, env=found[1], capture_output=True, text=True)
    assert json.loads(directly.stdout) == json.loads(by_shell.stdout)
