"""Values reach a hook's command as data, byte for byte, in every place a placeholder can stand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline.handlers.base import Expanded
from hookline.handlers.shell.templates import Template, expand, text_value

SHELLS = [name for name in ("sh", "dash", "bash") if shutil.which(name)]
HOSTILE = [
    "Don't break login",
    "x'; touch canary; echo '",
    '"; touch canary; "',
    "$(touch canary)",
    "`touch canary`",
    "-rf",
    "~",
    "*",
    "a  b",
    "line\nbreak",
    "back\\slash\\",
    "!history",
    "${HOME}",
    "{{iteration}}",
    "x && touch canary #",
    "a[$(touch canary)]",
    "$&$$",
    "ends with newline\n",
    "naïve 日本 🎉",
]


def braces(**variables: str | tuple[str, ...]) -> Template:
    return Template("braces", variables)


def dollar(**variables: str) -> Template:
    return Template("dollar", variables)


def run(expanded: Expanded, shell: str, cwd: Path, **env: str) -> bytes:
    """What `shell -c` prints for the expanded line."""
    done = subprocess.run(
        [shell, "-c", expanded.command],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), **expanded.env, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    return done.stdout


def words(command: str, template: Template, shell: str, cwd: Path) -> list[str]:
    """The arguments a command gets where `command` says ARGS."""
    out = run(expand(command.replace("ARGS", r"printf '%s\0'"), template), shell, cwd)
    assert not (cwd / "canary").exists()
    return out.decode().split("\0")[:-1]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_is_one_word_of_data_in_every_quote_context(value: str, shell: str, tmp_path: Path) -> None:
    plain = "ARGS {{v}} \"{{v}}\" '{{v}}' a{{v}}b \"a{{v}}b\" 'a{{v}}b'"
    line = plain + " \"$(printf '%s.' {{v}})\" \"$(printf '%s.' '{{v}}')\""
    around = f"a{value}b"
    expected = [value, value, value, around, around, around, value + ".", value + "."]
    assert words(line, braces(v=value, iteration="3"), shell, tmp_path) == expected


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("value", HOSTILE)
def test_dollar_names_are_data_in_every_quote_context(value: str, shell: str, tmp_path: Path) -> None:
    """Unquoted, double-quoted and single-quoted, also as `${NAME}`."""
    line = "ARGS $FILE_PATH \"$FILE_PATH\" 'File modified: $FILE_PATH' x${FILE_PATH}y '${FILE_PATH}'"
    expected = [value, value, f"File modified: {value}", f"x{value}y", value]
    assert words(line, dollar(FILE_PATH=value), shell, tmp_path) == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_the_line_people_are_shown_does_the_same_as_the_line_that_runs(shell: str, tmp_path: Path) -> None:
    line = "ARGS {{v}} \"<{{v}}>\" '<{{v}}>'"
    for value in HOSTILE:
        expanded = expand(line.replace("ARGS", r"printf '%s\0'"), braces(v=value))
        shown = run(Expanded(expanded.shown, {}, ""), shell, tmp_path)
        assert shown == run(expanded, shell, tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_autoagent_log_line_survives_an_apostrophe_in_the_title(shell: str, tmp_path: Path) -> None:
    """The plain form is a syntax error with exit status 2, which would block the run."""
    (tmp_path / ".autoagent").mkdir()
    line = "echo 'About to start issue {{issueNumber}}: {{issueTitle}}' >> ~/.autoagent/execution.log"
    template = braces(issueNumber="7", issueTitle="Don't break `login` $(touch canary)")
    assert run(expand(line, template), shell, tmp_path) == b""
    logged = (tmp_path / ".autoagent/execution.log").read_text()
    assert logged == "About to start issue 7: Don't break `login` $(touch canary)\n"
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_gets_the_task_id_as_one_argument_and_nothing_for_an_empty_one(
    shell: str, tmp_path: Path
) -> None:
    script = tmp_path / "validate.sh"
    script.write_text('#!/bin/sh\necho "$#:$1"\n')
    script.chmod(0o755)
    line = "./validate.sh {{task_id}}"
    assert (
        run(expand(line, braces(task_id="TAS-1; touch canary")), shell, tmp_path)
        == b"1:TAS-1; touch canary\n"
    )
    known = Template("braces", {}, missing="empty", known=("task_id",))
    assert run(expand(line, known), shell, tmp_path) == b"0:\n"
    assert not (tmp_path / "canary").exists()


def test_a_plain_line_is_shown_as_if_the_text_had_been_inserted() -> None:
    template = Template(
        "braces", {"session": "demo", "iteration": "3", "task": "Fix the bug"}, "empty", ("error",)
    )
    shown = expand("echo {{session}}/{{iteration}} '{{task}}' [{{error}}] {{error}}", template).shown
    assert shown == "echo demo/3 'Fix the bug' [] "


def test_references_are_quoted_to_fit_their_place() -> None:
    expanded = expand("a {{x}} \"{{x}}\" '{{x}}' {{y}}", braces(x="1 2", y=""))
    assert expanded.command == ('a "${HOOKLINE_V0}" "${HOOKLINE_V0}" \'\'"${HOOKLINE_V0}"\'\' ${HOOKLINE_V1}')
    assert expanded.env == {"HOOKLINE_V0": "1 2", "HOOKLINE_V1": ""}
    assert expanded.problems == ()


@pytest.mark.parametrize(
    "text", ["{{foo}}", "{{ session }}", "{{a.b}}", "{{}}", "{{session}", "{session}", "\\{{session}}"]
)
def test_what_is_not_a_known_placeholder_stays_as_written(text: str) -> None:
    line = f"echo {text}"
    assert expand(line, braces(session="demo")) == Expanded(line, {}, line)


def test_a_known_name_without_value_is_empty_for_iteratr_and_untouched_for_autoagent() -> None:
    assert expand("echo '{{error}}'", Template("braces", {}, "empty", ("error",))).shown == "echo ''"
    assert expand("echo '{{error}}'", Template("braces", {}, "keep", ("error",))).shown == "echo '{{error}}'"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_value_that_looks_like_a_placeholder_is_not_expanded_again(shell: str, tmp_path: Path) -> None:
    template = braces(task="use {{session}}", session="demo")
    assert words("ARGS {{task}} {{session}} {{session}}", template, shell, tmp_path) == [
        "use {{session}}",
        "demo",
        "demo",
    ]


@pytest.mark.parametrize(
    "text", ["$FILE_PATH_OLD", "$HOME", "$1", "${FILE_PATH%.ts}", "${HOME}", "\\$FILE_PATH", "$$FILE_PATH"]
)
def test_other_variables_are_left_to_the_shell(text: str) -> None:
    line = f'echo {text} "{text}"'
    expanded = expand(line, dollar(FILE_PATH="a.ts"))
    assert (expanded.command, expanded.problems) == (line, ())


def test_a_dollar_name_without_value_is_left_for_the_shell() -> None:
    template = Template("dollar", {"TOOL_NAME": "Bash"}, known=("FILE_PATH",))
    assert expand("lint $FILE_PATH", template).command == "lint $FILE_PATH"


@pytest.mark.parametrize("shell", SHELLS)
def test_npm_gets_a_path_with_spaces_as_one_argument(shell: str, tmp_path: Path) -> None:
    """`npm run lint:fix $FILE_PATH`."""
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\nprintf '%s|' \"$@\"\n")
    npm.chmod(0o755)
    expanded = expand("npm run lint:fix $FILE_PATH", dollar(FILE_PATH="src/my file's $(id).ts"))
    assert run(expanded, shell, tmp_path, PATH=f"{tmp_path}:{os.environ['PATH']}") == (
        b"run|lint:fix|src/my file's $(id).ts|"
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_each_item_of_a_list_stays_one_word(shell: str, tmp_path: Path) -> None:
    """`{{filesModified}}` with names that hold blanks, quotes and globs."""
    files = ("my file.ts", "it's.ts", "*", "", "-n")
    template = braces(files=files)
    assert words("ARGS {{files}} end", template, shell, tmp_path) == [*files, "end"]
    assert words('ARGS "{{files}}"', template, shell, tmp_path) == [" ".join(files)]
    assert words("X={{files}}; ARGS \"$X\" 'x{{files}}y'", template, shell, tmp_path) == [
        " ".join(files),
        f"x{' '.join(files)}y",
    ]
    assert words("ARGS {{files}} end", braces(files=()), shell, tmp_path) == ["end"]


def test_a_list_in_an_assignment_never_becomes_a_command(tmp_path: Path) -> None:
    """`X="a" "touch"` would run the second item."""
    template = braces(files=("a", "touch", "canary"))
    for shell in SHELLS:
        assert run(expand("X={{files}}", template), shell, tmp_path) == b""
        run(expand("echo hi > {{files}}", template), shell, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a touch canary"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("echo `basename {{v}}`", "inside backticks"),
        ('echo "`basename {{v}}`"', "inside backticks"),
        ("cat <<EOF\n{{v}}\nEOF", "here-document"),
        ("cat <<'EOF'\n'{{v}}'\nEOF", "here-document with a quoted"),
        ("cat <<-EOF\n\t{{v}}\n\tEOF\n", "here-document"),
        ("cat <<{{v}}\nx\n{{v}}", "delimiter of a here-document"),
        ("echo $'a {{v}}'", "inside `$'...'`"),
        ("echo a # {{v}}", "in a comment"),
        ("echo ${X:-{{v}}}", "inside `${...}`"),
        ("echo ${{v}}", "inside `${...}`"),
        ("echo $(( {{v}} + 1 ))", "in arithmetic"),
        ("[[ {{v}} -eq 1 ]]", "in arithmetic"),
        ("sh -c 'echo {{v}}'", "in code for another shell"),
        ('bash -o pipefail -c "echo {{v}}"', "in code for another shell"),
        ("eval {{v}}", "in code for another shell"),
        ("python3 -c 'print(\"{{v}}\")'", "in code for another program"),
        ("echo 'it {{v}}", "a quote is never closed"),
        ("echo $'\\'' {{v}}", "shells disagree"),
        ("echo \"${X:-'{{v}}'}\"", "shells disagree"),
    ],
)
def test_a_place_without_a_safe_form_keeps_the_text_and_is_named(line: str, reason: str) -> None:
    expanded = expand(line, braces(v="$(touch canary)"))
    assert (expanded.command, expanded.env) == (line, {})
    assert reason in expanded.problems[0]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_placeholder_after_an_awkward_construct_is_still_read_right(shell: str, tmp_path: Path) -> None:
    value = "a'b\" $(touch canary)"
    before = [
        "cat <<EOF >/dev/null\nit's `echo 1` $(echo ')')\nEOF\n",
        "cat <<'E O' >/dev/null\nit's\nE O\n",
        "# it's a \" comment\n",
        "case x in (y) ;; x) : ;; esac; ",
        'X=$(case x in x) printf "it\'s" ;; esac); ',
        'X="$(echo "a)b" \')\' \\) # )\n)"; ',
        "X=$(( (1 + 2) * 3 )); ",
        'X=${X:-"a}b"}; ',
        'X=`echo "\'"`; ',
        "echo \\' \\\" >/dev/null; ",
        "( : ) ; { :; } ; if true; then :; fi; ",
        "f() { printf x >/dev/null; }; f; ",
        ": a#b; ",
        ": ${#HOME} $# $$ ; ",
        ": \\\n; ",
    ]
    for text in before:
        assert (
            words(text + "ARGS {{v}} '{{v}}' \"{{v}}\"", braces(v=value), shell, tmp_path) == [value] * 3
        ), text


@pytest.mark.parametrize("shell", SHELLS)
def test_a_backslash_before_a_double_quoted_placeholder_stays_a_backslash(shell: str, tmp_path: Path) -> None:
    assert words('ARGS "\\{{v}}" "\\\\{{v}}"', braces(v="$(touch canary)"), shell, tmp_path) == [
        "\\$(touch canary)",
        "\\$(touch canary)",
    ]


@pytest.mark.parametrize("shell", SHELLS)
def test_whole_numbers_may_enter_arithmetic(shell: str, tmp_path: Path) -> None:
    assert words("ARGS $(( {{iteration}} + 1 ))", braces(iteration="41"), shell, tmp_path) == ["42"]


@pytest.mark.parametrize("shell", SHELLS)
def test_dollar_names_in_code_for_another_shell_are_expanded_by_that_shell(
    shell: str, tmp_path: Path
) -> None:
    """Pasted by the outer shell they would run."""
    value = "a'b$(touch canary)`touch canary`;touch canary"
    template = dollar(FILE_PATH=value)
    double = 'sh -c "printf \'%s\\0\' \\"$FILE_PATH\\""'
    single = 'sh -c \'printf "%s\\0" "$FILE_PATH"\''
    line = f"{double}; {single}; cat <<E\n$FILE_PATH\nE"
    assert words(line, template, shell, tmp_path) == [value, value]
    assert words("eval 'printf \"%s\\0\"' '\"$FILE_PATH\"'", template, shell, tmp_path) == [value]


@pytest.mark.parametrize("shell", SHELLS)
def test_words_after_the_program_of_sh_c_are_arguments(shell: str, tmp_path: Path) -> None:
    line = 'sh -c \'printf "%s\\0" "$1"\' _ {{v}}'
    assert words(line, braces(v="$(touch canary)"), shell, tmp_path) == ["$(touch canary)"]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_long_value_is_cut_and_named_and_the_command_still_starts(shell: str, tmp_path: Path) -> None:
    """A longer variable would be refused by the system."""
    expanded = expand('printf %s "{{error}}" | wc -c', braces(error="é" * 200_000))
    assert int(run(expanded, shell, tmp_path)) == 120 * 1024
    assert expanded.problems == ("`error`: only the first 120 KiB of a longer value are passed",)


def test_a_list_of_many_items_is_cut_and_named() -> None:
    expanded = expand("echo {{files}}", braces(files=tuple(str(n) for n in range(5000))))
    assert expanded.problems == ("`files`: only the first 2000 of 5000 items are passed",)
    assert len(expanded.command) < 120_000


@pytest.mark.parametrize("shell", SHELLS)
def test_nuls_go_and_lone_surrogates_do_no_harm(shell: str, tmp_path: Path) -> None:
    assert words("ARGS {{v}}", braces(v="a\0b\ud800c"), shell, tmp_path) == ["ab\ufffdc"]
    undecodable = os.fsdecode(b"caf\xe9")
    out = run(expand("printf %s {{v}}", braces(v=undecodable)), shell, tmp_path)
    assert out == b"caf\xe9"


def test_json_values_keep_zero_false_and_the_empty_text() -> None:
    values = [0, False, "", None, 1.5, ["a b", 2], {"a": [1]}]
    assert [text_value(value) for value in values] == ["0", "false", "", "", "1.5", ("a b", "2"), '{"a":[1]}']


def test_a_long_command_is_read_in_linear_time() -> None:
    line = "echo " + '"$(x \'{{v}}\' "${y}")" \\` (( ${{ <<' * 20_000
    started = time.process_time()
    expand(line, braces(v="x"))
    expand("$(" * 50_000 + "{{v}}", braces(v="x"))
    expand("echo " + "{{v}} " * 20_000, braces(v="x"))
    assert time.process_time() - started < 60


PLACES = st.sampled_from(
    [
        ("{}", 1),
        ('"{}"', 1),
        ("'{}'", 1),
        ('"$(printf %s "{}")"', 1),
        ("\"$(printf %s '{}')\"", 1),
        ('"$(printf %s {})"', 1),
        ('"$(printf %s "$(printf %s \'{}\')")"', 1),
    ]
)
LITERALS = st.sampled_from(
    ["", "a", "\\'", "'it\"s'", '"it\'s"', "\\\\", "${HOME}", "'#'", "\\ ", "'{'", '"`echo 1`"']
)
PIECES = ["'", '"', "$(touch canary)", "`touch canary`", ";touch canary;", "\n", "\\", "${", "}}"]
VALUES = st.one_of(
    st.sampled_from(HOSTILE),
    st.text("'\"$`\\(){}[]<>|&;!*?~#-= \n\tab/", min_size=1, max_size=12),
    st.lists(st.sampled_from(PIECES), min_size=1).map("".join),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(st.tuples(LITERALS, PLACES, LITERALS), min_size=1, max_size=4),
    value=VALUES,
    shell=st.sampled_from(SHELLS),
)
def test_no_value_ever_changes_the_command(
    parts: list[tuple[str, tuple[str, int], str]], value: str, shell: str, tmp_path: Path
) -> None:
    """The words of a line with any value are the words with a marker, the marker replaced."""
    line = "ARGS " + " ".join(before + place.format("{{v}}") + after for before, (place, _), after in parts)
    # a command substitution drops its trailing newlines; that is the shell, not the value
    value = value.rstrip("\n") or "\n\\"
    expected = [word.replace("MARK", value) for word in words(line, braces(v="MARK"), shell, tmp_path)]
    assert words(line, braces(v=value), shell, tmp_path) == expected


def test_the_module_is_cheap_to_import() -> None:
    code = "import sys, hookline.handlers.shell.templates; print({'dataclasses', 'json'} & set(sys.modules))"
    env = {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=True, env=env)
    assert done.stdout == b"set()\n"
