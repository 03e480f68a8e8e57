"""What an image runs while it is built, and what a compose file gives its containers of the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.code.pieces import Reads, argv, code
from hookline.shell.reading import CONTAINED, Inner
from hookline.system.patterns.late import late

_RUN = late(
    r"(?im)^[ \t]*RUN[ \t]+(?:--\S+[ \t]+)*(?:<<-?['\"]?(\w+)['\"]?[^\n]*\n(.*?)^[ \t]*\1$|(.*))", re.DOTALL
)
_KEY = late(r"[ \t]*(?:-[ \t]+)?[\"']?(\w+)[\"']?[ \t]*:[ \t]*(.*)")
_ITEM = late(r"[ \t]*-[ \t]+(.*)")
_GIVEN = {"privileged": "--privileged={}", "pid": "--pid={}", "ipc": "--ipc={}", "userns_mode": "--userns={}"}
_LISTED = {
    "volumes": "-v={}",
    "cap_add": "--cap-add={}",
    "devices": "--device={}",
    "security_opt": "--security-opt={}",
}


def of_dockerfile(text: str, how: str) -> Iterator[Inner]:
    """Each `RUN`, which has files of its own."""
    for found in _RUN.finditer(re.sub(r"\\[ \t]*\n(?:[ \t]*#[^\n]*\n)*", " ", text)):
        line = found[2] or (found[3] or "").partition("\n")[0].strip()
        if line.startswith("["):
            yield argv(f"{how} {CONTAINED}", *re.findall(r'"((?:\\.|[^"\\])*)"', line))
        else:
            yield code(line, f"{how} {CONTAINED}")


def of_compose(text: str, how: str) -> Iterator[Inner]:
    """Each setting that a container is started with, as `docker run` has it."""
    listed = ""
    for line in _unfolded(text):
        key, item = _KEY.fullmatch(line), _ITEM.fullmatch(line)
        name, value = (key[1], key[2]) if key is not None else ("", "")
        shown = _GIVEN.get(name, "") if value else ""
        if listed == "-v={}" and name == "source":
            yield _started(how, f"-v={_plain(value)}:/source")
        elif shown and _plain(value) != "false":
            yield _started(how, shown.format(_plain(value)).removesuffix("=true"))
        elif listed and item is not None:
            yield _started(how, listed.format(_plain(item[1])))
        elif name in _LISTED or name not in ("type", "target", "read_only", "bind", "source"):
            listed = _LISTED.get(name, "")
            for each in value.strip(" []").split(",") if listed and value.startswith("[") else ():
                yield _started(how, listed.format(_plain(each)))


def _unfolded(text: str) -> Iterator[str]:
    """Lines of YAML, and what stands in braces (`x: {privileged: true}`) as lines of its own."""
    for line in text.splitlines():
        yield from re.split(r"[{}]|,(?![^\[\]]*+\])", line) if re.search(r":\s*+\{", line) else (line,)


def _started(how: str, option: str) -> Inner:
    return argv(how, "docker", "run", option, "service")


def _plain(value: str) -> str:
    return re.sub(r"[ \t]+#.*", "", value).strip(" \t\"'")


READERS: dict[str, Reads] = {"dockerfile": of_dockerfile, "compose": of_compose}
