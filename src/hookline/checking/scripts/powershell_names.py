"""Variables of the environment that a script of PowerShell asks for as its own, which are empty there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_USED = late(r"(?<![`\w])\$(?:\{([A-Z][A-Z_]+)\}|([A-Z][A-Z_]+)\b(?!:))", needs=("$",))
_QUOTED = late(r"'[^'\n]*'", needs=("'",))


def powershell_names(line: HookLine) -> Iterator[Problem]:
    """The first such variable of each script."""
    for shown, where, text in line.texts[1:]:
        used = _USED.findall(_QUOTED.sub("''", text)) if shown.endswith(".ps1") else ()
        for name in dict.fromkeys(one or two for one, two in used):
            own = re.search(rf"\$\{{?{name}\}}?\s*=(?!=)|\bparam\s*\([^)]*\${name}\b", text)
            if name in line.folders and name != "HOME" and not own:
                words = f"{where} reads `${{{name}}}`, which PowerShell takes for a variable of its own: it is empty"
                yield line.entry.at_line("unset-variable", words, f"write `$env:{name}`")
                break
