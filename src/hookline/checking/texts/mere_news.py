"""That a check found nothing, said on standard output at an event where nobody reads that."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.checking.answers.heard import acts, how_to_tell, outcome_of
from hookline.checking.answers.script_rules import ANSWERS
from hookline.checking.lines import HookLine
from hookline.checking.steps.steps_of import steps_of
from hookline.checking.texts.branch_words import SAYS_MORE
from hookline.checking.texts.plain_output import is_heard, is_told, read_where, reader_of
from hookline.checking.texts.spoken import spoken_in
from hookline.checking.texts.wants import OF_ITSELF
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

# what was made of a file ("formatted") loses nothing unread
_WELL = late(
    r"(?i:\b(?:ok|pass(?:ed|es)?|validated|verified|(?:is|are|all) (?:valid|clean|good)"
    r"|no (?:issues|errors|problems|violations)|looks good)\b)"
)


def mere_news(line: HookLine) -> Iterator[Problem]:
    """The first such words, of a hook that could tell the model in another way; no more than a note."""
    entry = line.entry
    effects = entry.rule.effects if entry.rule else ()
    aside = entry.spec.background or entry.spec.conduct.rewake or is_heard(line)
    if "context" not in effects or aside or not is_agent(entry.speaker.name):
        return
    outcome = outcome_of(entry, "some words")
    if acts(outcome) or is_told(line, outcome):
        return
    for shown, where, text in line.heard_texts[1:]:
        steps = steps_of(shown, line.scripts[shown])
        if steps is None or ANSWERS.search(text) or SAYS_MORE.search(text):
            continue
        for each in spoken_in(shown, line.scripts[shown]):
            words = " ".join((each.told or each.words).split())
            idle = OF_ITSELF.search(words) or steps.ends(each.at)
            if not each.on_stderr and _WELL.search(words) and not idle:
                told = f"{where} says `{words:.50}` on standard output: {reader_of(line)} reads that {read_where(line)}"
                yield entry.at_line("unread-output", told, how_to_tell(entry), severity="notice")
                return
