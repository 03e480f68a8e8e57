"""What people write less, for random lines: builtins with settings, and operators on lists."""

from __future__ import annotations

from random import Random

NAMES = ("a", "b", "c", "x", "y")


class Rarer:
    """Parts of random lines; whole commands and words are made by who goes on from here."""

    random: Random

    def command(self, depth: int) -> str:
        raise NotImplementedError

    def commands(self, depth: int) -> str:
        raise NotImplementedError

    def simple(self, depth: int) -> str:
        raise NotImplementedError

    def word(self, depth: int) -> str:
        raise NotImplementedError

    def pick(self, *ways: object) -> str:
        chosen = self.random.choice(ways)
        return chosen() if callable(chosen) else str(chosen)

    def chance(self, one_in: int) -> bool:
        return self.random.randrange(one_in) == 0

    def name(self) -> str:
        return self.random.choice(NAMES)

    def quoted(self, text: str) -> str:
        if "'" not in text and not self.chance(3):
            return f"'{text}'"
        if self.chance(2):
            letters = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
            return f"$'{letters}'"
        return '"' + "".join("\\" + letter if letter in '"\\$`' else letter for letter in text) + '"'

    def settled(self, depth: int) -> str:
        """Builtins that are seen less."""
        words = " ".join(self.word(depth - 1) for _ in range(self.random.randrange(4)))
        word, name, other = self.word(depth - 1), self.name(), self.name()
        code = self.quoted(self.simple(0))
        return self.pick(
            f"unset '{name}[1]'",
            f"{name}+=({words})",
            f'{name}=("${{{name}[@]}}" {word})',
            f'{name}=("${{{other}[@]}}")',
            f'set -- "$@" {word}',
            f"${name} eval {words}",
            f"${name} set -- {words}",
            f"${name} export {other}={word}",
            f"$zz eval {code}",
            f"declare -n {name}={other}",
            f"declare {self.random.choice(('-u', '-l', '-g', '-x', '+x', '-r', '-ax'))} {name}={word}",
            f"export -n {name}",
            f"[[ {word} =~ (p)(.*) ]]",
            f"[[ ${name} =~ ^.p ]] && ok $BASH_REMATCH",
            f"read -a {name} <<< {word}",
            f"IFS=, read -ra {name} <<< {word}",
            f"read {name} {other} <<< {word}",
            f"read -d: {name} <<< {word}",
            f"read {name} < z",
            f"alias k={code}",
            f"shopt -s expand_aliases\nalias k={code}\nk {word}",
            f"shopt -s expand_aliases\nalias k='ok ' l={code}\nk l {word}",
            f"trap {code} {self.random.choice(('ERR', 'DEBUG', 'RETURN'))}",
            "set -u",
            "set -o pipefail",
            "set +B",
            "set -C",
            lambda: f"f() {{ {self.commands(0)}; }}; export -f f; bash -c {self.quoted('f ' + word)}",
            lambda: f"coproc {{ {self.commands(0)}; }}",
            f"coproc ok {word}",
            f"echo {code} > >(bash); wait",
            f"{{ echo {code} >&2; }} |& bash",
            lambda: f"{{ {self.commands(0)}; }} |& {self.random.choice(('bash', 'cat', 'ok'))}",
            lambda: f"select {name} in {words} p; do {self.command(0)}; break; done <<< 1",
            f"set -- -a -b {word}; while getopts ab: {name}; do ok ${name} $OPTARG; done",
            f"while getopts ab: {name} {words}; do ok ${name} $OPTARG; done",
            "shopt -s extglob",
            "shopt -s nocasematch",
            "shopt -s lastpipe",
            "shopt -s xpg_echo",
            "shopt -s localvar_inherit",
            "local -",
            f"command -v {word}",
            f"type {word}",
            f"exec 3<<< {word}; read {name} <&3",
            f"exec 3<<< {code}; bash <&3",
            f"exec > z; echo {code}",
            f"exec 3> z; echo {code} >&3",
            f"xargs ok {word} <<< {word}",
            f"env {name}={word} ok ${name}",
            f"bash -c 'ok $0 \"$@\"' {words}",
            f"ok ${{{name}:?}}",
            f"((x=1,{name}=2))",
            f"((++{name}))",
            f"case {word} in 'p') ok;; \"q r\") ok1;; *) ok2 {word};; esac",
            lambda: f'for {name} in "${{{other}[@]}}"; do {self.command(0)}; done',
            lambda: f'for {name} in "${{!{other}[@]}}"; do ok ${name}; {self.command(0)}; done',
            f'declare -A b; b[k]={word}; b["q r"]={word}; ok "${{b[k]}}" "${{!b[@]}}"',
            f"mapfile -t -C ok -c 1 {name} <<< {word}",
            f"mapfile -t {name} < z",
            f"declare -a {name}='({word})'",
            f"printf -v '{name}[1]' %s {word}",
            f"echo {code} > z",
            f"echo {code} >> z; bash z",
            f"echo {code} >& z; bash z",
        )

    def of_lists(self, name: str) -> tuple[str, ...]:
        """What operators make of lists, and what a shell knows of itself."""
        operator = self.random.choice(
            ("/p/s", "#p", "%q", ":1:2", ":1", ": -1", "^^", ",", "@Q", "/#/k", "@L")
        )
        list_ = self.random.choice((f"{name}[@]", f"{name}[*]", "@", "*"))
        itself = self.random.choice(
            ("$#", "$-", "$!", "$LINENO", "$_", "${BASH_REMATCH[1]}", '"${FUNCNAME[@]}"')
        )
        return (
            f'"${{{list_}{operator}}}"',
            f"${{{list_}{operator}}}",
            f'"${{!{name}[@]}}"',
            f'"${{!{name}[*]}}"',
            f"${{{name}[-1]}}",
            f'"${{{name}[$((0))]}}"',
            f"${{{name}{operator}}}",
            f'"${{{name}@U}}"',
            f"${{{name}@E}}",
            f"$(({name}++))",
            f"$(({name}+=2, 1))",
            itself,
        )
