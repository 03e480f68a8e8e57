"""What a script says of its work on standard output at an event where nobody reads that."""

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
from hookline.model.events import EventKind
from hookline.system.patterns.late import late

_LETTERS = late(r"[^\W\d_]{2}")
_FEWEST_WORDS = 3  # one word that it is done is no more than that
_AT_THE_END = (EventKind.Stop, EventKind.SubagentStop)
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
    aside = aside or entry.spec.kind in entry.traps.json_only  # where plain words are a fault of their own
    if not {"context", "reprompt"} & {*effects} or aside or not is_agent(entry.speaker.name):
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
            at_the_end = entry.spec.kind in _AT_THE_END and len(words.split()) >= _FEWEST_WORDS
            said = _LETTERS if at_the_end else _WELL
            idle = OF_ITSELF.search(words) or steps.ends(each.at)
            if not each.on_stderr and said.search(words) and not idle:
                told = f"{where} says `{words:.50}` on standard output: {reader_of(line)} reads that {read_where(line)}"
                yield entry.at_line("unread-output", told, how_to_tell(entry), severity="notice")
                return
