"""The looks at lines that are more than plain words, and at scripts; for all others none of their modules is loaded."""

from __future__ import annotations

from hookline.checking.argument_rules import argument_problems
from hookline.checking.exit_rules import exit_problems
from hookline.checking.fragile_rules import fragile_problems
from hookline.checking.late_guards import early_formatters
from hookline.checking.line_targets import target_problems
from hookline.checking.lost_words import lost_word_problems
from hookline.checking.script_rules import script_problems
from hookline.checking.stolen_input import stolen_input_problems
from hookline.checking.syntax_rules import syntax_problems
from hookline.checking.unheard_text import unheard_text
from hookline.checking.unread_answers import unread_answers

OF_TEXTS = (
    syntax_problems, script_problems, unread_answers, argument_problems, exit_problems, lost_word_problems,
    stolen_input_problems, fragile_problems, unheard_text, target_problems,
    early_formatters,
)  # fmt: skip
