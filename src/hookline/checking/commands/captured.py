"""Scripts that start others, take what those print, and answer for themselves."""

from __future__ import annotations

from hookline.system.patterns.late import late

_TAKES = late(
    r"\bcapture_output\s*=\s*True|\bstdout\s*=\s*(?:subprocess\.)?PIPE\b|\bcheck_output\("
    r"|\b(?:execFileSync|execSync|spawnSync)\((?![^\n]*inherit)"
    r"|\b(?:stdout|output|out)\b[\w, )]{0,40}=\s*(?:await )?[\w.]*(?i:run|exec|call|spawn|start)\w*\("
    r"|(?m:^[ \t]*\w+=\"?\$\((?=[^\n]*\$\{?[1-9@]))"
)
_ANSWERS = late(
    r"\bjson\.dumps?\(|\bJSON\.stringify\(|\bjq\s+-\w*n", needs=("json.dump", "JSON.stringify", "jq")
)
# what is printed as it is: a variable, or a field of one
_HANDS_ON = late(
    r"(?:\bprint|\bstdout\.write|\bconsole\.log)\(\s*(?!json\.|JSON\.)(?![^\n]*stderr)[A-Za-z_][\w.]*+(?![(\"'])"
    r"|(?m:^[ \t]*(?:echo|printf)\b[^\n|]*\"\$\{?[A-Za-z_]\w*\}?\"[^\n|]*$)"
)


def keeps_output(text: str) -> bool:
    """Whether what another script prints is taken, and nothing but an answer is printed."""
    return bool(_TAKES.search(text) and _ANSWERS.search(text)) and not _HANDS_ON.search(text)
