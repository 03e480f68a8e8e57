"""What `hookline check` says of the scripts in `branches.txt`, each of which serves several events, or agents: of a
branch it speaks where the entry's own arguments, or its event, lead there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.test_check_lost_words import BEGINS, BY, FOLDERS
from tests.cli.test_check_scripts import Hook, codes
from tests.program import Program


def test_a_branch_speaks_for_the_entries_that_lead_to_it(program: Program) -> None:
    wanted, hooks = {}, list[Hook]()
    rows = Path(__file__).with_name("branches.txt").read_text(encoding="utf-8")
    for number, row in enumerate(re.split(r"(?m)^=== ", rows)[1:]):
        head, *lines = row.splitlines(keepends=True)
        language, title = head.strip().split(" ", 1)
        text = "".join(each for each in lines if not each.startswith("@ "))
        begins = "" if text.startswith("param(") else BEGINS[language]
        program.write(f"s{number}.{language}", begins + text, 0o755)
        for entry in (each.split(maxsplit=5) for each in lines if each.startswith("@ ")):
            told, agent, event, matcher, *given = entry[1:]
            line = f"{BY.get(language, '')}{FOLDERS.get(agent, '.')}/s{number}.{language} {' '.join(given)}"
            tools = {"matcher": matcher} if matcher != "-" else {}
            hooks.append((agent, event, {"command": line.strip(), **tools}))
            wanted[f"{language}, {title}: {' '.join(entry[2:]).strip()}"] = told
    found = zip(wanted.items(), map(set, codes(program, hooks)), strict=True)
    wrong = {title: each for (title, told), each in found if each != {told} - {"sound"}}
    assert wrong == {}
