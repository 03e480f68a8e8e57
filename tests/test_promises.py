"""What the first page promises, word by word, and the tests without which it would be only said."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROMISES = {
    "two commands do everything": "test_do.py",  # and .ci/run calls both in a new home
    "The demo needs no network": "cli/test_demo.py::test_the_demo_plays_a_turn_in_which_every_dialect_has_its_say",
    "however it is spelled": "shell/test_attacks.py::test_no_hidden_command_passes_and_no_plain_one_is_stopped",
    "nothing of a workspace runs before you have reviewed it": "state/test_trust.py::"
    "test_a_hook_nobody_accepted_does_not_run_and_says_which_command_would_change_that",
    "by which way it was seen": "cli/test_described_calls.py::test_what_a_rule_answers_is_known_beforehand",
    "every hook found, in every dialect, with its file and line": "cli/test_listing.py::"
    "test_each_hook_is_one_object_with_the_agreed_fields",
    "every problem of every config file at once": "cli/test_listing.py::test_a_broken_entry_silences_itself_alone",
    "finds what keeps hooks from running on this machine": "cli/test_doctor.py",
    "what gets past your guards": "cli/test_probe.py",
    "translates hooks from any dialect to any and says what is lost": "dialects/test_converted_guards.py",
    "proves by canary calls": "cli/test_attest.py",
    "shows every decision": "web/test_records_page.py",
    "get the same hooks in a line or two": "integrations",
    "Every known hook is accounted for in every decision": "state/test_rendering.py::"
    "test_a_decision_tells_which_hook_ran_from_where_with_what_result_and_how_long",
    "It cannot hang": "engine/test_zoo.py::test_a_hostile_hook_is_survived_by_the_rules_of_its_dialect",
    "The time limit is ours": "system/test_process.py::test_a_time_out_ends_the_hook_by_term_then_kill",
    "daemons that have left their session": "system/test_descendants.py::"
    "test_an_escape_among_twenty_hooks_is_ended_and_the_others_keep_theirs",
    "Guards guard": "engine/test_lost_guards.py::"
    "test_a_guard_that_could_not_judge_is_named_and_blocks_where_that_is_strict",
    "are never read as an answer": "dialects/test_exit_matrix.py::test_how_a_hook_ends_and_what_it_prints",
    "`deny` beats `ask` beats `allow`": "engine/test_inline_dispatch.py::"
    "test_the_strictest_verdict_wins_whatever_the_order_of_the_others",
    "whatever the hooks' speeds": "engine/test_concurrency.py::"
    "test_the_order_of_completion_never_changes_the_decision",
    "Values never become shell text": "handlers/test_templates.py::test_no_value_ever_changes_the_command",
    "Nothing of an untrusted workspace runs": "state/test_trust.py::"
    "test_a_hook_nobody_accepted_does_not_run_and_says_which_command_would_change_that",
    "not even through git": "system/test_git.py::test_looking_runs_nothing_of_a_hostile_repository",
    "Trust covers the script's bytes": "state/test_trust.py::"
    "test_any_byte_or_mode_change_of_a_script_makes_its_hook_modified",
}


def first_page() -> str:
    return " ".join((ROOT / "README.md").read_text().split())


def test_what_is_kept_here_is_promised_there() -> None:
    assert [words for words in PROMISES if words not in first_page()] == []


def test_every_promise_in_bold_is_kept_here() -> None:
    section = first_page().partition("## What is promised")[2].partition("## ")[0]
    bold = [words.strip(" .") for words in re.findall(r"\*\*(.+?)\*\*", section)]
    assert len(bold) >= 5
    assert [words for words in bold if words not in PROMISES] == []


@pytest.mark.parametrize("place", sorted(set(PROMISES.values())))
def test_the_test_of_a_promise_is_there(place: str) -> None:
    name, _, function = place.partition("::")
    path = ROOT / "tests" / name
    assert path.exists()
    if function:
        defined = {
            node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)
        }
        assert function in defined
