"""The looks at lines that are more than plain words, and at scripts; for all others none of their modules is loaded."""

from __future__ import annotations

from hookline.checking.answers.decision_words import decision_problems
from hookline.checking.answers.script_rules import script_problems
from hookline.checking.answers.unread_answers import unread_answers
from hookline.checking.commands.line_targets import target_problems
from hookline.checking.exits.exit_rules import exit_problems
from hookline.checking.fields.argument_rules import argument_problems
from hookline.checking.guards.fragile_rules import fragile_problems
from hookline.checking.guards.late_guards import early_formatters
from hookline.checking.guards.lost_words import lost_word_problems
from hookline.checking.scripts.stolen_input import stolen_input_problems
from hookline.checking.scripts.syntax_rules import syntax_problems
from hookline.checking.texts.unheard_text import unheard_text

OF_TEXTS = (
    syntax_problems, script_problems, unread_answers, argument_problems, exit_problems, lost_word_problems,
    stolen_input_problems, fragile_problems, unheard_text, target_problems,
    early_formatters, decision_problems,
)  # fmt: skip
