"""Random shell lines of every construction, from a seed."""

from __future__ import annotations

from random import Random

from tests.shell.rarest_lines import PROGRAMS, Rarest

TEXTS = (
    "p",
    "q r",
    "s",
    "",
    "git",
    "-f",
    "--all",
    "t=u",
    "é",
    "v*w",
    "{k,l}",
    "m;n",
    "$x",
    "`",
    "\\",
    "#o",
    "~",
    "!",
)
DUPLICATING = ("2>&1", "2>&1", "2>&1", ">&2", ">&2", ">&2", ">&-", "3>&1", ">&3", "2>&3")
SIMPLE = ("p", "q", "-f", "--all", "t=u", "0", "1", "word", "é", "a.b", "%s")
ODD = (
    "'",
    '"',
    "\\",
    "$",
    "`",
    "(",
    ")",
    "{",
    "}",
    ";",
    "&",
    "|",
    "<",
    ">",
    "\n",
    " ",
    "*",
    "?",
    "[",
    "]",
    "#",
    "=",
    "!",
    "$(",
    "${",
    "((",
    "))",
    "<<",
    "&&",
    "||",
    ";;",
    "do",
    "x",
    "~",
    ",",
    "..",
    "\t",
    "$'",
    '$"',
    "<(",
    "@",
    ":-",
    "\r",
)


def random_line(random: Random) -> str:
    """A line that bash mostly accepts; one in six is then spoiled in a place or two."""
    line = _Lines(random).commands(2 + random.randrange(2))
    if random.randrange(6) == 0 and "/" not in line:
        for _ in range(1 + random.randrange(2)):
            at = random.randrange(len(line) + 1)
            line = line[:at] + random.choice(ODD) * random.randrange(2) + line[at + random.randrange(3) :]
    return line.replace("/", "") if "//" in line else line


class _Lines(Rarest):
    def __init__(self, random: Random) -> None:
        self.random = random
        self.functions: list[str] = []
        self.inside = False  # code within quotes

    # Lists

    def commands(self, depth: int) -> str:
        count = 1 + self.random.randrange(3)
        text = ""
        for place in range(count):
            text += self.command(depth)
            if place < count - 1:
                text += self.random.choice(
                    ("; ", ";", "\n", " && ", " || ", " & ", "\n\n", " # c\n", "&&\n", " ;\t")
                )
        return text

    def command(self, depth: int) -> str:
        if depth <= 0 or self.chance(3):
            return self.simple(depth)
        if self.chance(5):
            return self.row("commands", depth)
        return self.pick(
            lambda: self.simple(depth),
            lambda: self.simple(depth),
            lambda: self.assigning(depth),
            lambda: self.assigning(depth),
            lambda: self.stateful(depth),
            lambda: self.stateful(depth),
            lambda: f"{{ {self.commands(depth - 1)}; }}",
            lambda: f"( {self.commands(depth - 1)} )",
            lambda: f"({self.commands(depth - 1)})",
            lambda: f"if {self.commands(depth - 1)}; then {self.commands(depth - 1)}; fi",
            lambda: self.choosing(depth),
            lambda: self.loop(depth),
            lambda: self.loop(depth),
            lambda: self.case(depth),
            lambda: self.function(depth),
            lambda: f"{self.command(depth - 1)} | {self.command(depth - 1)}",
            lambda: f"! {self.command(depth - 1)}",
            lambda: f"{{ {self.commands(depth - 1)}\n}} {self.redirect(depth)}",
            lambda: self.document(depth),
            lambda: f"[[ {self.word(depth)} == {self.random.choice(SIMPLE)} && -n {self.word(depth)} ]]",
            lambda: f"(( {self.name()} = {self.random.randrange(9)} ))",
            lambda: self.fed(depth),
            lambda: self.fed(depth),
            lambda: f"time {self.command(depth - 1)}",
        )

    def loop(self, depth: int) -> str:
        body = self.commands(depth - 1)
        if self.chance(4):
            body += self.random.choice(
                ("; break", " && break", "; continue", " || continue", "; ok && break")
            )
        words = " ".join(self.word(depth - 1) for _ in range(self.random.randrange(4)))
        name = self.name()
        return self.pick(
            f"for {name} in {words}; do {body}; done",
            f"for {name} in {words}\ndo {body}\ndone",
            f"for {name}; do {body}; done",
            f"while no {words}; do {body}; done",
            f"until ok {words}; do {body}; done",
            f"while {body}; do break; done",
            f"while read -r {name}; do {body}; done <<< {self.word(depth - 1)}",
            f"for (( {name}=0; {name}<2; {name}++ )); do {body}; done",
            f"printf '%s\\n' {words} | while read {name} b; do {body}; done",
        )

    def choosing(self, depth: int) -> str:
        first = f"if {self.command(0)}\nthen {self.commands(depth - 1)}"
        return f"{first}\nelif ({self.command(0)}) then {self.command(depth - 1)}; else {self.command(depth)}; fi"

    def case(self, depth: int) -> str:
        clauses = "".join(self.clause(depth) for _ in range(1 + self.random.randrange(2)))
        return f"case {self.word(depth - 1)} in{clauses} esac"

    def clause(self, depth: int) -> str:
        pattern = self.random.choice(("p", "q|s", "*", "${x}", "[a-z]", "p*"))
        end = self.random.choice((";;", ";;", ";&", ";;&"))
        return f" {'(' * self.chance(3)}{pattern}) {self.commands(depth - 1)}{end}"

    def function(self, depth: int) -> str:
        name = self.random.choice(("f", "g", "h"))
        body = self.commands(depth - 1)
        if self.chance(4):
            body += self.random.choice(("; return", " && return", f"; local {self.name()}=z"))
        if self.chance(4):
            body = f"local {self.name()}={self.word(depth - 1)}; {body}"
        self.functions.append(name)
        start = self.random.choice((f"{name}() {{ ", f"function {name} {{ ", f"{name} ()\n{{\n"))
        return f"{start}{body}; }}" + self.random.choice(
            ("", f"; {name} {self.word(depth - 1)} {self.word(depth - 1)}")
        )

    # Simple commands

    def simple(self, depth: int) -> str:
        words = [self.program(depth)]
        words += [self.word(depth) for _ in range(self.random.randrange(4))]
        if self.chance(6):
            words.insert(self.random.randrange(len(words) + 1), self.redirect(depth))
        if self.chance(8):
            words.insert(0, f"{self.name()}={self.word(depth)}")
        return self.random.choice((" ", " ", "  ", " \\\n")).join(words)

    def program(self, depth: int) -> str:
        if self.functions and self.chance(4):
            return self.random.choice(self.functions)
        if self.chance(12):
            return self.word(depth)
        name = self.random.choice(PROGRAMS)
        return self.pick(
            name,
            name,
            name,
            name,
            f"'{name}'",
            f'"{name}"',
            f"\\{name}",
            f"{name[0]}''{name[1:]}",
            f"command {name}",
            f"$'{name}'",
        )

    def assigning(self, depth: int) -> str:
        return " ".join(
            self.pick(
                lambda: f"{self.name()}={self.word(depth)}",
                lambda: f"{self.name()}={self.word(depth)}",
                lambda: f"{self.name()}+={self.word(depth)}",
                lambda: (
                    f"{self.name()}=({' '.join(self.word(depth - 1) for _ in range(self.random.randrange(4)))})"
                ),
                lambda: f"{self.name()}[{self.random.randrange(3)}]={self.word(depth)}",
            )
            for _ in range(1 + self.random.randrange(2))
        )

    def stateful(self, depth: int) -> str:
        words = " ".join(self.word(depth - 1) for _ in range(self.random.randrange(4)))
        word, name = self.word(depth - 1), self.name()
        return self.pick(
            f"set -- {words}",
            f"set -- {words}",
            "shift",
            "shift 2",
            f"export {name}={word}",
            f"declare {name}={word}",
            f"unset {name}",
            f"declare -a {name}=({words})",
            f"IFS=: ; {name}={word}",
            f"IFS=, read -r a b <<< {word}",
            f"read -r {name} <<< {word}",
            f"printf -v {name} '%s-' {words}",
            f"printf -v {name} %s {word}",
            f"eval {words}",
            f"eval ok {words}",
            lambda: f"eval {self.quoted(self.commands(0))}",
            lambda: f"bash -c {self.quoted(self.commands(0))} {words}",
            lambda: f"trap {self.quoted(self.commands(0))} EXIT",
            "set -f",
            "set +f",
            f"readonly c={word}",
            f"export {name}",
            lambda: f"bash <<< {self.quoted(self.simple(0))}",
            f"let {name}=1+1",
            f"declare -i {name}={word}",
            "unset IFS",
            "IFS=' '",
            "exit",
            "set -e",
            f"mapfile -t {name} <<< {word}",
            f"exec {words}",
            f"builtin eval ok {words}",
            f"local {name}=1",
            "return",
            "shopt -s nullglob",
            f"declare -A b=([p]={word} [q]=2)",
            f": ${{{name}:={word}}}",
            lambda: self.settled(depth),
            lambda: self.settled(depth),
            lambda: self.settled(depth),
        )

    def fed(self, depth: int) -> str:
        """Something that runs what it reads."""
        code = self.simple(0)
        return self.pick(
            lambda: f"echo {self.quoted(code)} | bash",
            lambda: f"bash <<'E'\n{code}\nE\n{self.simple(0)}",
            lambda: f"bash <(echo {self.quoted(code)})",
            lambda: f"source <(printf '%s\\n' {self.quoted(code)})",
            lambda: f"cat <<'E' | bash\n{code}\nE\n{self.simple(0)}",
            lambda: f"printf %s {self.quoted(code)} > z; bash z; . ./z".replace("./", ""),
            lambda: f'{self.name()}=$(echo {self.quoted(code)}); eval "$a"',
            lambda: f"{{ echo ok; echo {self.quoted(code)}; }} | bash",
            lambda: f"eval \"$(printf '%s ' {self.quoted(code)})\"",
            lambda: f"tr x y <<< {self.quoted(code)} | bash",
        )

    def document(self, depth: int) -> str:
        body = "\n".join(self.word(depth - 1).replace("E", "e") for _ in range(self.random.randrange(3)))
        mark = self.random.choice(("E", "'E'", '"E"', "\\E", "E"))
        dash = self.random.choice(("", "-"))
        tail = self.random.choice(("", " | bash", " | ok", f" && {self.simple(0)}", f"; {self.simple(0)}"))
        first = self.random.choice(("ok", "cat", "bash", f"{self.name()}=$(cat)"))
        return f"{first} <<{dash}{mark}{tail}\n{body}\n{'	' if dash else ''}E\n{self.simple(0)}"

    def redirect(self, depth: int) -> str:
        if self.chance(2):
            return self.random.choice(DUPLICATING) if self.chance(2) else "<<< " + self.word(depth - 1)
        target = self.random.choice(("o1", "o2", '"o3"', "$x", "z", "/dev/stderr", ">(cat)"))
        return (
            self.random.choice((">", ">>", "2>", "&>", "<", ">|", "2>>"))
            + self.random.choice(("", " "))
            + target
        )

    # Words

    def word(self, depth: int) -> str:
        return "".join(
            self.piece(depth) for _ in range(1 + (self.random.randrange(3) if self.chance(3) else 0))
        )

    def piece(self, depth: int) -> str:
        if self.chance(8):
            return self.row("words of commands" if depth > 0 and self.chance(2) else "words", depth)
        name, text = self.name(), self.random.choice(TEXTS)
        ways: list[object] = [
            self.random.choice(SIMPLE),
            self.random.choice(SIMPLE),
            self.random.choice(SIMPLE),
            f"${name}",
            f"${name}",
            f'"${name}"',
            f"${{{name}}}",
            lambda: self.quoted(text),
            lambda: self.quoted(text),
            f"'{text}'",
            '""',
            "\\ ",
            "\\$",
            "\\\n",
            "\\*",
            "$1",
            '"$@"',
            "$*",
            '"$*"',
            "$#",
            "$?",
            f"${{#{name}}}",
            "{p,q}",
            "{1..3}",
            "{c..a}",
            "{p,}",
            "{p",
            "p}",
            "{}",
            "{,}",
            "{p,{q,s}t}",
            "{01..3}",
            "*",
            "p?",
            "[pq]",
            "~",
            "a=~",
            "$'a\\tb'",
            "$'\\x41\\u00e9\\101'",
            '$"p"',
            "!",
            "#",
            "a#b",
            "=",
            "[",
            "]",
            f'"${{{name}[@]}}"',
            f"${{{name}[1]}}",
            f"${{!{name}}}",
            f"${{{name}:1}}",
            f"${{{name}:0:1}}",
            f"${{{name}^^}}",
            f"${{{name},}}",
            "$((1+2))",
            f"$(({name}+1))",
            f"$(({name}=4))",
            "$$"[:1],
            "${IFS}",
            "$IFS",
            f'"${{#{name}[@]}}"',
            f'"${{{name}[*]}}"',
            '"${@:2}"',
            *(self.of_lists(name) if self.chance(2) else ()),
        ]
        if depth > 0:
            ways += [
                lambda: f"$({self.commands(depth - 1)})",
                lambda: f'"$({self.commands(depth - 1)})"',
                lambda: f"$(echo {self.word(depth - 1)})",
                lambda: f"$(printf '%s ' {self.word(depth - 1)})",
                lambda: f'"$(echo {self.word(depth - 1)}; echo {self.word(depth - 1)})"',
                lambda: self.backticks(self.simple(0)),
                lambda: f"<({self.simple(depth - 1)})",
                lambda: f'"{self.piece(depth - 1)}"' if self.chance(2) else "s",
                lambda: (
                    f"${{{name}{self.random.choice((':-', '-', ':+', '+', ':=', '='))}{self.word(depth - 1)}}}"
                ),
                lambda: (
                    f'"${{{name}{self.random.choice((":-", "-", ":+", "+"))}{self.random.choice(SIMPLE)}}}"'
                ),
                lambda: self.changed(name),
                lambda: f"$(cat <<'E'\n{text}\nE\n)",
                "$(<z)",
                "<(<z)",
                lambda: f"$(cat <<E\n{text}\nE )",
                lambda: f"$(printf %b {self.word(depth - 1)})",
                lambda: f"$(printf '%q ' {self.word(depth - 1)})",
                lambda: f"$(echo {self.random.choice(('-e', '-n', '-en', '-E'))} {self.word(depth - 1)})",
                lambda: f"$({{ {self.commands(0)}; }} 2>&1)",
                lambda: f"$(base64 -d <<< {self.random.choice(('b2sgcA==', 'cCBx'))})",
            ]
        return self.pick(*ways)

    def changed(self, name: str) -> str:
        operator = self.random.choice(("#", "##", "%", "%%", "/", "//"))
        pattern = self.random.choice(("p", "*", "p*", "?", "q", "* "))
        return f"${{{name}{operator}{pattern}{self.random.choice(('', '/s'))}}}"

    def backticks(self, code: str) -> str:
        return "`" + "".join("\\" + letter if letter in "\\`$" else letter for letter in code) + "`"
