"""Regular expressions over texts of others take time that grows as the text does, also where it is made for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from time import process_time

import pytest

from hookline.checking import comments, lines
from hookline.checking.answers import decision_words, glued_json, script_rules, written_answers
from hookline.checking.commands import beside, line_rules, program_rules, unset_names, variables
from hookline.checking.exits import exit_rules, script_flow, stop_loops, wordless_exits
from hookline.checking.fields import base_fields, field_rules
from hookline.checking.files import git_hooks
from hookline.checking.guards import (
    beginnings,
    blanket_allow,
    everyday,
    fragile_rules,
    lost_words,
    name_patterns,
)
from hookline.checking.inputs import brace_names, brace_reads, cut_input, jq_reads, powershell_reads
from hookline.checking.runs import expression_values, reached_words, word_values
from hookline.checking.scripts import (
    functions_fed,
    others_folders,
    path_rules,
    powershell_traps,
    shell_traps,
    stolen_input,
    syntax_rules,
    taken_in,
)
from hookline.checking.steps import brace_steps, own_ends, shell_steps, steps
from hookline.checking.steps.here_documents import here_documents
from hookline.checking.texts import branch_words, only_printing, plain_output, spoken, wants, written_code
from hookline.dialects import plain_text, service_names
from hookline.dialects.editing import json_layout
from hookline.model import short_json
from hookline.shell.code import (
    cmd_lines,
    notebooks,
    powershell_objects,
    powershell_words,
    script_calls,
    script_code,
)
from hookline.shell.effects import flows

SMALL = 2_000  # letters; quadratic time is 256 times as long for 16 times as many

ATTACKS = [
    (branch_words._FOR_THE_AGENT, "# so the agent ", ""),
    (everyday._LOOKS_AROUND_TOO, "grep -a ", ""),
    (exit_rules._STRICT, "#!sh -", ""),
    (exit_rules._NOT_STRICT, "set ", ""),
    (steps._MAY_CHANGE, "-", ""),
    (wants.TO_MEND, "to recover ", ""),
    (service_names._CALLS, "a", ""),
    (service_names._CALLS, "a ", ""),
    (script_calls._MOVES, "chdir('a", ""),
    (script_code._KILLS_ALL, "kill a", ""),
    (flows._PASSED, "a", ""),
    (flows._PASSED, "a)", ""),
    (flows._PASSED, "| (a", ""),
    (flows._PASSED, "|  ", ""),
    (script_code._PERL_FILES, "@ARGV = ('a'", ""),
    (powershell_objects._NEW, "ProcessStartInfo ", ""),
    (powershell_objects._PROGRAM, "FileName=", ""),
    (powershell_objects._STEP, ".AddCommand( ", ""),
    (powershell_objects._CREATED, ".Create( ", ""),
    (powershell_objects._LIST, "$a = ", ""),
    (powershell_objects._INDEXED, "$a[1", ""),
    (notebooks._LINE, "a, ", ""),
    (powershell_objects._GIVEN, "Arguments =", ""),
    (powershell_words._LIST, "@( ", ""),
    (powershell_words._SHOWN, "$( $a.b", ""),
    (re.compile(cmd_lines._IF), '&if exist "', ""),
    (re.compile(cmd_lines._IF), "\n ", ""),
    (re.compile(cmd_lines._IF), "if a==", ""),
    (brace_names._BOUND, "const a: b", ""),
    (brace_names._BOUND, "a ", ""),
    (brace_names._TAKEN, "const {a", ""),
    (brace_names._TAKEN, "const {", ""),
    (brace_names._FUNCTION, "function a(", ""),
    (brace_names._FUNCTION, "def a", ""),
    (brace_names._ARROW, "const a: b", ""),
    (brace_names._ARROW, "(a", ""),
    (brace_names._ARROW, "async ", ""),
    (brace_names._LOOPED, "for(const a ", ""),
    (brace_names._LOOPED, "|a", ""),
    (brace_reads._ASKED, '"a" in ', ""),
    (brace_reads._TOLD, "'a", ""),
    (lines.STARTS_ANOTHER, "bash -a ", ""),
    (lines.STARTS_ANOTHER, "bash $a/", "2>"),
    (brace_reads._TESTED, "if (a.b", ""),
    (brace_reads._TESTED, "typeof a", ".b"),
    (brace_reads._INSTEAD, "if (!a", ""),
    (brace_reads._INSTEAD, "if (a === 'b') ", ""),
    (brace_names._OPENS, ": a", ""),
    (glued_json._TAKEN_OUT, "grep -o ", ""),
    (glued_json._TAKEN_OUT, "grep -o 'a'", ""),
    (glued_json._PLAIN_PATTERN, "[a]{1}", "'"),
    (lost_words._EXTENDED, "grep -E ", ""),
    (lost_words._EXTENDED, 'grep -E "a', ""),
    (lost_words._OF_EXTENDED, "[[:a:]", ""),
    (beginnings._OF_CASE, "a*", ""),
    (beginnings._FORMS[0], "=~ ^a ", ""),
    (beginnings._FORMS[1], "/^a", ""),
    (beginnings._FORMS[2], "re.match('^a", ""),
    (everyday._JAVASCRIPT, "[a]", "= /"),
    (name_patterns._CODE, "[a]", "= /"),
    (name_patterns._CODE, " /a", ""),
    (name_patterns._TEXT, "'a\\b", ""),
    (name_patterns._NAME, "a=Path(", ""),
    (name_patterns._NAME, "a ", ""),
    (decision_words._TAKEN, "permission: a.", ""),
    (comments._BLOCKS["js"], "/* a *", ""),
    (comments._BLOCKS[".ps1"], "<# a #", ""),
    (stop_loops._SENTENCE, '"Aa a a ', ""),
    (git_hooks._TELLS, "core.hooksPath ", ""),
    (blanket_allow._ELSE_ALLOWED, "?a:", ""),
    (blanket_allow._DECIDED, "let decision=", ""),
    (brace_steps._QUOTED["js"], "\n/a", ""),
    (brace_steps._QUOTED["js"], "\n \t", ""),
    (jq_reads._TOKEN, '"', ""),
    (jq_reads._IN_TEXT, "\\(", ""),
    (powershell_reads._PUT, "$a ", ""),
    (powershell_reads._USE, "$a.b", ""),
    (powershell_reads._USE, "$a", ""),
    (powershell_reads._PARAMETERS, "param(", ""),
    (powershell_reads._STDIN, "Get-Content ", ""),
    (cut_input._IN_SHELL, "a", ""),
    (cut_input._IN_SHELL, "a=$(cat | head -c 9 ", ""),
    (cut_input._IN_PYTHON, "json.loads(a ", ""),
    (cut_input._IN_PYTHON, "a = ", ""),
    (cut_input._IN_SCRIPT, "JSON.parse(a", ""),
    (cut_input._IN_SCRIPT, "JSON.parse(a.b()", ""),
    (functions_fed._NAMED, "function ", ""),
    (functions_fed._NAMED, " a ", ""),
    (powershell_traps._TRUTH, "$a=$b -or $", ""),
    (powershell_traps._TRUTH, "$a=$b -or $c ", ""),
    (powershell_traps._CALLS, "& (", ""),
    (powershell_traps._CALLS, '& "a', ""),
    (written_answers._CHOSEN, "a", ""),
    (written_answers._CHOSEN, '"a" if ', ""),
    (written_answers._CHOSEN, "if (a", ""),
    (program_rules._OUT, "# a", ""),
    (program_rules._OUT, "# if ", ""),
    (stop_loops._MOVED, "mv -a ", ""),
    (stop_loops._MOVED, "sed -i ", ""),
    (own_ends._SCRIPT.opens, "const a = (b ", ""),
    (own_ends._SCRIPT.opens, "function a(b", ""),
    (own_ends._PYTHON.opens, "def a(b", ""),
    (own_ends._SHELL.opens, " a", ""),
    (own_ends._SHELL.opens, "a() {\n", ""),
    (field_rules._JQ, " jq --x", ""),
    (field_rules._JQ, "jq -", ""),
    (fragile_rules._DENIES, "Permission", ""),
    (fragile_rules._BLANK, "\\", ""),
    (fragile_rules._NOTHING, "\\", ""),
    (fragile_rules._SEVERAL, "[", ""),
    (fragile_rules._SEVERAL, "[;", ""),
    (fragile_rules._SAID, " \n", ""),
    (only_printing._TESTS, "((", ""),
    (unset_names._SOURCES, "\n", ""),
    (spoken._GROUP_SENT, "{ ${a}", ""),
    (spoken._GROUP_SENT, "{ a;", ""),
    (spoken._GROUP_SENT, "( $(a)", ""),
    (spoken._SCRIPT_LOOP, "for (const a of ", ""),
    (spoken._SCRIPT_LOOP, "a.forEach(", ""),
    (spoken._SENT_AWAY, "a b ", ""),
    (spoken._SENT_AWAY, "a > b ", ""),
    (spoken._SENT_ON, "\n", ""),
    (unset_names._OF_A_CALL, "\n", ""),
    (unset_names._FUNCTION, "\n", ""),
    (variables._IS_CODE, "\n", ""),
    (line_rules._BASH_TEXT[0][0], "${a/", ""),
    (script_rules._REFUSES, "Write-", ""),
    (script_rules._REFUSES, "echo a ", ""),
    (glued_json._PRINTED, 'echo "{\\"', ""),
    (glued_json._PRINTED, "echo -a ", ""),
    (glued_json._PRINTED, "print('{", ""),
    (glued_json._SOURCE, 'python -c "', ""),
    (glued_json._DOCUMENT, "cat <<a\n{", ""),
    (glued_json._DOCUMENT, "cat ", ""),
    (glued_json._DOCUMENT, "a\n", "cat <<b\n{"),
    (beside._GIVEN, "a=", ""),
    (beside._GIVEN, "a=$(cd ", ""),
    (beside._AGAIN, "a=", ""),
    (beside._STARTS, "python ", ""),
    (beside._STARTS, "sh -a ", ""),
    (syntax_rules._TOKEN, "$(", ""),
    (stolen_input._OPENED, "sh -a ", ""),
    (stolen_input._OPENED, "python ", ""),
    (blanket_allow._ALLOWING, "allow", ""),
    (blanket_allow._DECIDING, "output", ""),
    (path_rules._READ, "a=", ""),
    (path_rules._READ, "a=$(.path ", ""),
    (plain_output._ENDS_WELL, "| head ", ""),
    (syntax_rules._NEWER, "a", "type "),
    (syntax_rules._HOLLOW, "#\n", "then "),
    (written_code._AS_WRITTEN, "\\a", 'node -e "'),
    (syntax_rules._HOLLOW, ") {", ""),
    (syntax_rules._HOLLOW, "; \t", "else"),
    (syntax_rules._NEWER, "\n", ""),
    (base_fields._JQ_FUNCTION, "\n", ""),
    (base_fields._LOOKED_FOR, "'c' ", "a(b,["),
    (base_fields._LOOKED_FOR, " ", "a(b,['c'"),
    (lost_words._LOWERED, "a=", "tr "),
    (branch_words._MORE, "{ ", ""),
    (brace_steps._QUOTED["js"], "/*a", ""),
    (brace_steps._QUOTED["js"], "=/[a", ""),
    (brace_steps._QUOTED["js"], "`a\\", ""),
    (brace_steps._QUOTED["ps1"], "<#a", ""),
    (brace_steps._QUOTED["ps1"], '@"\n', ""),
    (brace_steps._FUNCTION, "const a:", ""),
    (brace_steps._FUNCTION, "const a=(", ""),
    (brace_steps._FUNCTION, "a(", ""),
    (brace_steps._FUNCTION, "\n a(", ""),
    (brace_steps._SETS["js"], "a.b[c]", ""),
    (brace_steps._SETS["js"], "a ", ""),
    (brace_steps._SETS["ps1"], "$a.b", ""),
    (brace_steps._GIVEN, "a: b ", ""),
    (brace_steps._LETTERS, "'aa", ""),
    (shell_steps._FUNCTION, "a ", ""),
    (shell_steps._FUNCTION, "function ", ""),
    (shell_steps._TRAP, "trap 'a", ""),
    (shell_steps._TRAP, "trap a\n", ""),
    (shell_steps._COUNTED, "a ", ""),
    (shell_steps._STRICT, "set ", ""),
    (shell_steps._STRICT, "#! -a", ""),
    (taken_in._SOURCED, "$()", ". "),
    (taken_in._SOURCED, '"a"', ". "),
    (taken_in._SOURCED, "$(", ". "),
    (taken_in._SOURCED, '"', ". "),
    (taken_in._FUNCTIONS["py"], "@a\n", ""),
    (taken_in._REQUIRED, "import {", ""),
    (program_rules._DOCUMENTED, "/* ", ""),
    (spoken._ALL_TO_ERRORS, "  ", ""),
    (spoken._ALL_TO_ERRORS, "exec ", ""),
    (wordless_exits._CALLED_A_NO, "exit 1 ", ""),
    (wordless_exits._CALLED_A_NO, "exit 1 = a", ""),
    (wordless_exits._ONE, "a", ""),
    (others_folders._ENDS_WITHOUT, 'if [ -z "$A" ]', ""),
    (others_folders._ENDS_WITHOUT, '[ "$A" = a ] ', ""),
    (others_folders._ENDS_WITHOUT, '[ -z "$A" ] && echo ', ""),
    (wordless_exits._CHOSEN, "1 if ", ""),
    (wordless_exits._FINDS["shell"], "| jq ", ""),
    (wordless_exits._FINDS["shell"], "|grep", ""),
    (wordless_exits._OTHERWISE, "|| ", ""),
    (wordless_exits._TEXTS, "'a", ""),
    (branch_words._TO_A_FILE, "exec ", ""),
    (script_flow._CALLS, "a(", ""),
    (script_flow._PIPED_LOOP, "a | while read x\n", ""),
    (script_flow._PIPED_LOOP, "a | while read ", ""),
    (script_flow._PIPED_LOOP, "a | ", ""),
    (script_flow._PIPED_LOOP, "\n", "a | while read x\n"),
    (script_flow._ENDS_WELL_ANYHOW, "trap 'exit 0 ", ""),
    (script_flow._ENDS_WELL_ANYHOW, "trap 'exit 0' A ", ""),
    (script_flow._ASSIGNED, "; ", ""),
    (script_flow._ASSIGNED, "then a", ""),
    (script_flow._CALLS, "a(()", ""),
    (branch_words._TO_A_FILE, "exec a ", ""),
    (word_values._OPTION, "-a", ""),
    (word_values._OPTION, "-a |", ""),
    (word_values._OPTION, "\n", ""),
    (word_values._GIVEN, " a", ""),
    (word_values._BY_JQ, "$(echo $a | jq -r ", ""),
    (expression_values._ARROWS, "(a", ""),
    (expression_values._ARROWS, "function a(", ""),
    (expression_values._PARAM, "param(", ""),
    (expression_values._PARAM, "param(()", ""),
    (expression_values._OF_PARAM, "$a ", ""),
    (reached_words._TABLE, "let a = {", ""),
    (reached_words._TABLE, "let a:", ""),
    (reached_words._ROW, "a", ""),
    (reached_words._ROW, "a: b ", ""),
    (reached_words._ARM, "case a:", ""),
    (branch_words._TO_A_FILE, "exec\t", ""),
    *(
        (row, pump, "mapfile\n")
        for row, *_ in shell_traps._ROWS
        for pump in ('"a', "\n", "a ", "[[ a", "a=$(b|")
    ),
    (re.compile(short_json._LEFT_OUT), "\n[... 1", ""),
    (re.compile(plain_text._TERMINAL, re.DOTALL), "\x1b]a", ""),
    (json_layout._BRACKET, "/*a", ""),
    (lost_words._FUNCTION, "f() {\n", "f() {\n" * 1000),
    (stolen_input._BODY, "f() {\n", "f() {\n" * 1000),
    (shell_traps._HANDED_TO_GREP, "f() {\n", "f() {\n" * 1000),
]


@pytest.mark.parametrize(("pattern", "pump", "before"), ATTACKS)
def test_a_pattern_takes_time_that_grows_as_its_text(
    pattern: re.Pattern[str], pump: str, before: str
) -> None:
    assert_steady(pattern.finditer, pump, before)


@pytest.mark.parametrize(
    "pump", ["cat <<A\n", "cat <<A\nA\n", "cat ", "<<A ", "cat <<'A' | a\n", "\n", "A\n"]
)
@pytest.mark.parametrize("before", ["", "cat <<A\n"])
def test_here_documents_are_found_in_time_that_grows_as_their_script(pump: str, before: str) -> None:
    assert_steady(here_documents, pump, before)


def assert_steady(find: Callable[[str], Iterable[object]], pump: str, before: str) -> None:
    def taken(letters: int) -> float:
        text = before + pump * (letters // len(pump)) + "!"
        started = process_time()
        for _ in find(text):
            pass
        return process_time() - started

    small = max(min(taken(SMALL) for _ in range(3)), 0.0005)
    assert taken(16 * SMALL) < 64 * small or taken(16 * SMALL) < 64 * small
