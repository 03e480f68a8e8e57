"""Random lines in real bash: what it starts is among what the reader saw, wherever the reader is sure."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from tests.shell.families import FAMILIES
from tests.shell.lines import random_line
from tests.shell.real_bash import disagreement, recorder, started

from hookline.shell import read_commands

PARTS, LINES = 20, 250


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize("part", range(PARTS))
def test_bash_starts_what_the_reader_saw(part: int, tmp_path: Path) -> None:
    random = Random(9_000_000 + part)
    lines = [random_line(random) for _ in range(LINES)]
    ran = sure = 0
    wrong = []
    for line, recorded in zip(lines, started(lines, tmp_path, seconds=75), strict=True):
        reading = read_commands(line)
        ran += bool(recorded)
        sure += bool(recorded) and not (reading.unknowns or reading.opaque)
        if difference := disagreement(reading, recorded):
            wrong.append((line, difference))
    assert wrong == []
    assert ran > LINES / 2  # else the lines are too odd to say anything
    assert sure > ran * 0.75  # one who is never sure is never wrong


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_some_lines_of_each_family_are_read_as_bash_runs_them(tmp_path: Path) -> None:
    """All of them are run by `python -m tools.shell_fuzz --families`."""
    lines = [
        line
        for family in FAMILIES.values()
        for line in Random(len(family)).sample(family, min(len(family), 40))
    ]
    recordings = started(lines, tmp_path, seconds=75, loaded=recorder(tmp_path))
    readings = [read_commands(line) for line in lines]
    sure = [not reading.unknowns for reading, recorded in zip(readings, recordings, strict=True) if recorded]
    wrong = zip(lines, map(disagreement, readings, recordings), strict=True)
    assert [(line, why) for line, why in wrong if why] == []
    assert len(sure) > len(lines) * 0.8
    assert sum(sure) > len(sure) * 0.85


ONCE_READ_WRONGLY = [
    "if (git push) then no1 a; fi; { (no1 b) }",
    "while (! no1) do git push; break; done; if [[ x ]] && ((1)) then (no1) else (no2) fi",
    "case x in x) (no1) esac; f() { (no2 $1) }; if { f a; } then git push; fi",
    "x=$(if { no1; } then no2; fi); if ! (no1) then git; elif (no2) then git push; fi",
    "g=git; local g=curl; $g push",
    "g=git; local g; $g push",
    "g=git; local g+=x || $g push",
    "local -x g=git && curl; no ${g-none}",
    "g=git; f() { local g=curl; $g push; }; f; $g push",
    "g=git; f() { eval 'local g=curl'; sh -c 'local g=rm'; $g push; }; f",
    "for b in --all a=~ c:d=~; do no1 ${b%?/s}; done",
    'a=git; a_2=curl; no1 $a\\\n_2 "$a\\\n\\\n_2" $a\\\n-2',
    "x=([5]=git [1]=y push); no1 ${x[1]} ${x[2]} ${x[@]}; x+=(k); no1 ${x[6]}",
    "!\\\n git push",
    "if\\\n git push; then\\\n\\\n no1; fi; {\\\n no2\\\n; }",
    "!\\\nx git",
    "x=([7]=git y); x[010]=z; no1 ${x[7]} ${x[8]}",
    'no1 """$@" \'\'"$@" "$@" "$@"\'\'; git "${@:5}"',
    "x=1; trap 'no1 $x \"$@\"' EXIT; f() { x=2; set -- p; }; f q; x=git; set -- push",
    "f() { local x=p; trap 'no1 $x $1' EXIT; exit; }; (f git); echo $(trap 'git $x' EXIT; x=push)",
    "x=1; trap 'no1 $x' ERR; x=git; no; set -e; trap 'no2 $x' EXIT; x=curl; no; x=rm",
    "trap 'git push; exit 4' EXIT; trap 'exit 3' INT; exit",
    'c[1]=p; c=git; no1 "${c[*]}"; c[x]=push; c=curl; no2 "${c[@]}" $c ${c[7]}',
    'c=(git push); f() { local c=curl; no1 "${c[@]}"; }; f; g() { local c+=x; no2 $c; local c; no $c; }; g',
    "no1 {..{git,push}} {a..{p,q}b}{x,y} {..{1..3}} {a..{b}} {..,{..}}",
    'y=(); ${y:="$*"} git push; no1 ${y:="p q"}; ok ${z[1]:=git} && no2 "${z[@]}"',
    'for a in # in git; do\ndo no\ndone; for b in p a#b # c\ndo no1 $b; done; $b=; ok "$a"x $b',
    "{ no; x=p; } < nofile && h() { ok; }; h git $x; x='a b'; { x=c; } > $x && x=d; no1 git $x",
    'y=([x]y [1]); no1 "${y[@]}" git; b[ 1 ]=3; no2 b[ 1 ]',
    "for a in p; do (( x = 2 )); done; x[1]=p; no1 ${#x[@]} git",
    "x='p q'; no1 $x{a,b}$ $x{}$ {$x,git}$",
    'declare -A b=([p]= [q]=2); no1 "${b[*]}"; git ${b[@]} push',
    "cat <<E\nx\n\\\nE\nno1; bash <<-E\n\tno2 g\\\nit\n\tp\\\nE\n\\\nE\nno git",
    "o\\\n= git push; c\\\n[1\\\n]+=x no1",
    "readonly }&&\nf() { n; }; f; export a-b || no1 git; declare x=git && no $x",
    "no1 {q},} p{a},b} x{},a} {a},b,c}d {a..},b} {x}{1..3},4} {{a},b} {a,{q},} {a,b}{},c}",
    'x=abc; no1 "$(echo p ${x:2:-2})" "${x:1:-2}" ${x:3:-0}; no2 "${x:3:-1}"',
    "{ echo b=* ok; echo no 'p'* q; } | bash",
    'while\ng() { no1 "$@" p; }; g a; do break; done; g b; until h() { no2; }; do h; done; h',
    "no1 ~\\\n0 a\\\nb {a\\\n,b} b[\\]=] b[a\\]c]x x[\\\n1]=2",
    "while shopt -s nullglob; do break; done; no1 p? git {q,p}$`no2`; if no; then set -f; fi; no1 p?",
    "readonly c=1; readonly c=2 && no1() { no2; }; no1; readonly b={p,q} && no() { no2; }; no",
    'ok $((y=4)); x=$(echo no1); "$x" p',
    "f() { return; g() { no1 $#; }; }; f; g() { no2 $#; }; g a",
    "git $(base64 -d<<<$'c\\rCBx') $(printf '\\u70\\U000071'); no1 $(base64 -d<<<$'b2sg\\ncA==')",
    "x=(`no1`) ok; c=([1]=$(no2) <(git)) ok p; y[$(push)]=2 ok",
    "no1 $'p\\x{67' $'\\x{}q'; no2 $'\\x{g}' $'\\x{69}t'",
    "no1 \"$(printf 'p\\%sq' git)\" $(printf 'p\\%')",
    "no1 $(echo -e 'p\\7q\\?\\0147\\x{4') $(printf %b 'p\\147\\?\\00q'); printf -v x 'git\\0push'; $x",
    "x=$(printf '\\xc3\\xa9'; echo p); no1 $x $(echo -e '\\xc3\\xa9\\ud801')",
    "no1 2\\\n>k p 1\\\n1\\\n>k; git {y}\\\n>k push",
    'if<(git) p; no1 "$(while<(ok) p q|no2)"',
    'f() { no1 $1; }; f "$(( git ) ; (ok) )"',
    "no1 \"$(cat <<E\np $(git # \\\nno\n) $(echo 'q\\\nr')\nE\n)\"",
    'no1 "$(cat <<E\np\nE)" q; no2 $(git <<-A && ok <<E\n\tp\n\tA\nq\nE) <(ok <<E\nE )',
    "no1 $(cat <<E\np\\\nE) q\nE\n) git",
    'unset x; no1 p${x/*/git} "${x^}" ${x%$(no)} ${x:1}; x=; no2 p${x/*/git}',
    'b=p; declare -A b=([x]=$b [y]=${b[0]}); no1 "${b[x]}" "${b[y]}"; declare -A b; no2 ${b[x]}',
    "y=(git push); declare -A y; no1 ${y[1]}; declare -A x; for x in git; do $x push; done; no2 ${x[0]}",
    'no1 "$(echo "${c[]}"p)" "$(echo ${#x:-}q)"; c=(p q); no2 "$(echo "${c[1 2]}"r)"',
    "no1 $(for a in p; do exit; done; echo q) $(f() { exit; }; f; echo r) $(for a in p; do exec ok; done; echo s)",
    "(exit 1) && f() { no1; }; f; (readonly x; x=2; ok) && g() { no2; }; g; (ok ${!c}; ok) && h() { no; }; h",
    "readonly c; for c in a; do b=q; done; no1 git $b; { c=2 || no2; }",
    "if no; then exit; fi; while read -r b; do ok && break; done <<< git; no1 $b",
    "no1 $(cd no 2>&1) $(cd no |& cat) $({ (( 1/0 )); cd no; } 2>&1) $(cd no 2>&1 >k) $(exec 2>&1; cd no)",
    "shopt -s nullglob; f() { no1 $1{p $1 git; }; f 'p?'",
    'bash <<\'E\'\nno1 {,}"""$@"\nno2 {a,}\'\'"$@"\nE',
    "x=; no && x=ok; $x'' git; $y command no1; \"$@\"command no2 $x; exec$y ok p",
    "$y eval 'no1 git'; command $y eval no2; $y . <(echo ok p); $x $y trap 'git push' EXIT",
    "a=git; $y cd /p; $y export a=no1; $a push",
    "no1 \"$(cat <<''\np\n) git\n\n)\"; no2",
    'x=p; no1 "${x+$\'q r\'}" ${x:+$\'s\\tt\'} "$(ok "${x+$\'git\'}k")" "${x+$"p q"}" "${x%$\'p\'}"',
    "x=p; cat <<E | bash\nno1 \"${x+$'q\\tr'}\"\nE",
    "IFS=:; x=('' p '' ''); no1 ${x[*]} git p${x[@]}q; set -- '' no; no2 $* $@; IFS=; no $*",
    'x=(\'\' p \'\' q); y=${x[*]} b=${x[@]}; no1 "$y" "$b"; IFS=,; y=${x[*]} b=${x[@]}; no2 "$y" "$b"',
    'c=(p q); ((c[1]=3)); no1 "${c[@]}"; let "c[0]++"; no2 ${c[0]}',
    "shopt -s nullglob; x=[p$$; no1 $x] git",
    'x=(p q); no1 "${x[@]/#/git}" k; set -- "${x[@]:$i}"; no2 "$2" "${@^^[p]}"; y=("${x[@]@Q}"); ok "${y[1]}"',
    "x=(p q git); unset 'x[0]' 'x[1]'; no1 \"${x[@]}\" k$x; declare -A y=([a]=b [c]=d); unset 'y[a]'; no2 \"${y[@]}\"",
    'echo git > k; x=$(<k); $x p; no1 <(< k) $(cat <(<k)) "$(0<k)" "$(<k <k)" "$(x=1 <k)"',
    "readonly x=git y=(p q); unset x 'y[1]'; no1 $x \"${y[@]}\"",
    "x=$'p\\nq*'; no1 \"$(ok ${x//$'\\n'/ })\" \"${x//$'\\n'/$'\\n'> }\" \"$(ok \"${x%$'*'}\")\"",
    'no1 "$(echo ${?,}p)" $(echo "${#^^}q") $(echo ${!@Q}r)',
    "{ echo no1 git >&2; } |& bash; (printf 'no2 %s\n' p 1>&2) 2>&1 | bash; $({ { echo no; } >&2; } 2>&1) q",
    "{ { echo no1 p >&2; } | cat; } 2>&1 | bash; f() { x=$(echo no2 >&2); }; f 2>&1 | bash",
    "{ echo no1 git > /dev/stderr; } &> k; bash k; { echo no2 >&2; } >& k; bash k; $(echo no 2>/dev/stdout >&2) p",
    "{ " + "echo ok; " * 230 + "echo no1 git; } | bash",
    'declare -A b=([k]=p [l]=q); no1 "${!b[@]}" git; no2 "${!b[*]}"; x=(p q); no "${!x[*]}" k "${!x[@]}"',
    "f() { local -x x=git; bash -c 'no1 $x'; }; f; x=p; bash -c 'no2 \"$x\"'",
    "declare -x y=q; declare +x y; bash -c 'no1 \"$y\"'; export y; y=git; export -n y; bash -c 'no2 \"$y\"'; no $y",
    "mapfile -C 'no1 git' -c 1 x <<< p; no2",
    "declare -a x='(no1 git)'; \"${x[@]}\"; declare -A y='([a]=$(git p))'",
    "shopt -s expand_aliases\nalias s='no1 ' g='git ' x='p;no2'\ns g x q; s k g; s \\g",
    "shopt -s expand_aliases\nalias g-p='no1 git' a-b='no2 '\ng-p p; a-b g-p q",
    "shopt -s expand_aliases\nalias g=no1\nf() { g p; }\nalias g=no2\nf; g q\nunalias g\nf",
    "shopt -s nocasematch xpg_echo localvar_inherit; x=PQ; no1 ${x/q/git} $(echo 'p\\tq'); f() { local x; no2 $x; }; f",
    "set +B; no1 {git,p}; set -B; no2 {git,p}; set -o noclobber; echo no1 q > k; echo no2 > k; bash k",
    "no1 $( { >$c; } 2>&1); no2 $( { : </none/x; } 2>&1); no3 $( { >/none/x; } |& cat); no4 $( (>$c) 2>&1)",
    "no1 $( { [[ 1 -eq 1x ]]; } 2>&1); no2 $( if >$c; then :; fi 2>&1); no3 $( { eval '>$c'; } 2>&1)",
    "git $( { time :; } 2>&1)",
    "x=' a b '; no1 $x$!; no2 $!$x; no3 $x$!x; no4 $x\"$!\"; git $(base64 -d<<<b2sg)${!}",
    'x=abc; no1 "${x[@]: -1}" "${x[*]:1}" ${x[@]:0:2}; no2 "${x[@]: -5}"; y=(abc); git "${y[@]: -1}"',
    "x=; eval $x t=u s+=v no2; x=; eval no3 $! a=b",
    'no1 "$(echo "${!c[]}"p)"git; no2',
    "no1 $(echo ${!x[ ]}p)git; ok",
    "g=git; declare -e g=p; $g push; export -q g=curl; no1 $g; f() { local -Z g=rm; no2 $g; }; f; readonly -z g=x",
    "typeset -xr g=git; $g push; declare +r h=no1; $h; declare -c k=no2; no3; export -fn x=y; no4 $x",
    "f() { no1 $1 $y; }; export -f f; y=p bash -c 'f a'; export -nf f; bash -c 'f b'; declare -fx f; bash -c 'f c'",
    'no1 "$(echo ${@:#2}p)"git; no2 "$(echo ${1:1/0}p)"git; x=$no; no3 "$(echo ${x:q+}p)"git',
    'no1 $(echo -e$1)p; no2 $(echo -$1 p); no3 "$(echo -nE$x y)"',
    "> p1; > 'p*'; x='\\'; no1 $x* p$x*; y='p\\1'; no2 $y $y* \"$y\"*; no3 $(cat<<''\n\\\n\n)p*",
    "set -a; x=p; f() { no1 $x; }; set +a; y=q; bash -c 'no2 $x $y; f'; x=git bash -c 'bash -c \"no3 \\$x\"'",
    'no1 "$({ cat<<E\nu\nE\n} >|>(cat))p"; x=$(echo git > >(cat)); no2 $x; no3 "$(echo a > >(cat > k))"',
    "time -p -- git push; time -- no1 p; ! time -p no2",
    "echo 'p \"q s\" t\\ u' | xargs no1; printf 'p q\\ns\\n' | xargs -L1 git; printf '%s\\n' p q s | xargs -n2 no2 k",
    "printf 'p,,q,' | xargs -d, no1; printf ' p q \\n s' | xargs -I{} no2 x{}y; printf 'p \"q\\n' | xargs git",
    "printf '%s\\n' {1..25} | xargs -n1 no1; printf '%s\\n' {1..25} | xargs -I{} no2 {}",
    "printf 'p\\0\\0q' | xargs -0 git",
    "bash /dev/stdin p q <<< 'no1 $1 $#'; env -S 'no2 p' -f \"\" 'q s'; env -S'git' A=1",
    "> k; find k -exec no1 {} \\;; > j; find . -type f -exec no2 {} +; for x in $(find . -name k); do git $x; done",
    "declare -ai x=(1+1 2); no1 ${x[0]}; x[3]=2*2; no2 ${x[3]}; declare -au y=(p); git ${y[0]}",
    "no1 $(set -- $(('1')) p; echo $#) k; IFS=' ,'; x='p ,'; y=', q'; no2 a${x#p}b $x$y ${x#p}$y; git $y",
    "for x in p q; do for y in s t; do no1 $x $y; break 2; done; done; git $x $y; no2",
    "f() { for x in p; do return; done; y=q; }; y=git; f; no1 $y",
    "for x in p q; do while :; do continue 2; done; y=s; done; no1 $y",
    'declare "x=p"$(echo q; echo s)k; no1 "$x"; declare "y=p"$(printf %b "q s\\c" x)"#"; no2 "$y"',
    'no1 "$((\\))&))"; no2 "$(printf %5s é)" $(printf %-3s\\| é)',
    "no && export x; x=git; bash -c 'no1 \"$x\"'; [[ p ]] && export y; y=p; bash -c 'no2 $y'",
    "declare -A b; b[$\"p\"]=git; b[$'q']=push; no1 \"${!b[@]}\" ${b['p']} ${b[$'q']}",
    "echo git '$\"' | xargs env; echo 'no1 p\"' | xargs; no2",
    "readarray -t x < <(printf 'p\\nq'); no1 \"${x[1]}\"; declare -A y=([a]=b); read -a y <<< 'p q'; no2 \"${y[@]}\"",
    'set -- git push; set -; no1 "$@"; set -euo pipefail; no2 "$*"; set -uo noglob -- k; git $1',
    "{ set -- p; } < -; no1 \"$@\"; readonly x; x=p eval 'no2$x'; readonly y; read y x <<< 'p q'; git $x",
    'echo q | xargs -I* no1 {} x{}; x=..; read -N 3 y <<< "$x"\'p q\'; no2 "$y"',
    'set -u; no1 $(echo $x}); shopt -so nounset; y=$(echo $x}); no2 "$y"',
    "declare -A b; no1 b[$\"p\"]= b['q']=1; declare b[\"p\"]=git; no2 ${b[p]}; c=(p q); export c; bash -c 'git $c'",
    "IFS=2; (exit 121); no1 $? $((y-12)); IFS=-; set -- p q; no2 $((y-3)) $(($#-4)) $#; unset IFS; git $?",
    "x=p; shopt -s lastpipe; echo git | read x; no1 $x; echo q s | { read x y; set -- $y; }; no2 $x $1; echo | exit",
    "x=$((y+1)); echo no1 | bash; cd . || exit; echo no2 p > k; bash k; source <(echo git q); bash -c 'no2 p' > j",
    "for x in p q; do echo no1 $x > k; [ $x = p ] && break; done; bash k; for x in p q; do no; done; git",
    "echo '[[ p ]] && no1 ${x-p}; function f { no2 $1; }; f {p,q}' > k; bash k git; bash -e k; (bash) < k; git",
    "printf '%s\\n' '' p? | while read x b; do no1 {p,q}$x* y; done; printf '%s\\n' *.c '' | xargs no2",
    "$(for x in p q; do echo no1 $x; [ p ] && break; done); for x in p q; do [ p ] && break; y=$x; done; no2 $y",
    'x=pQ; y=(aB Cd); no1 ${x~} ${x~~} "${y[@]~}" ${y[*]~~}; set -- q R; no2 "${@~}" ${1~~} ${x~p} p${z~~}',
    "shopt -s expand_aliases\nalias g='no1 p' h=no2\nunalias g; g x; unalias -a; h y",
    "shopt -s expand_aliases\nalias k=no\nk; eval 'unalias k'; k z",
    "shopt -s expand_aliases\nalias g=no1\nalias g=no2; g x\ng y; if ok; then\nunalias g\ng z\nfi",
    'x=a/b-c; no1 ${x///} "${x////-}" ${x/////-/q} ${x////-/}; git ${x///-} ${x/\\//p} ${x//-//}',
    "x='a[1]'; a=(p 'q r'); no1 \"${!x}\" ${!x}; x='a[@]'; git \"${!x}\"",
    "a=(p 'q r'); x='a[*]'; no2 \"${!x}\"; x=@; set -- k l; no1 \"${!x}\"",
    'f() { local n="$1[@]"; no1 "${!n}"; }; a=(git \'push x\'); f a; f b',
    'cd /usr/./bin/..; no1 "$PWD"; cd \'\'; cd -; no2 $PWD; cd /tmp/../usr/; no "$PWD"',
    "env -S 'no1 p' $$'\\x41' \"$$;\"'a b'; no2 \"$(declare -A b; b[$x]=1; echo p)\" \"$(a[-1]=1; echo q)\"",
    "no1 ${y-$(ok p}){p,q}{s,t} git${x:+`ok }`{p,q}{s,t} u}; no2 {k,l}${y-${z-'}'{p,q}}{s,t}",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_lines_that_were_once_read_wrongly_are_read_as_bash_runs_them(tmp_path: Path) -> None:
    recordings = started(ONCE_READ_WRONGLY, tmp_path, seconds=75)
    for line, recorded in zip(ONCE_READ_WRONGLY, recordings, strict=True):
        reading = read_commands(line)
        assert recorded, line
        assert not reading.unknowns, line
        assert disagreement(reading, recorded) == "", line


ALIKE = [
    "x='p q'; ok $x \"$x\" {1..2} '' $'\\n' \"$(no1 a; cat <<< b)\" && no || ok2 $?; p '  '",
    "env a=1 ok {p,q}; env no1; printf '%s\\n' p 'q s' | xargs -n1 ok; echo p | xargs -I{} sh -c 'no1 {} $0' q",
    "> p1; > p2; find . -name 'p1' -exec ok {} +; find . -name p1 | while read -r x; do ok2 $x; done; cat p1 - < p2",
    "bash -c 'ok \"$@\"' p q; echo 'no1 s' > z; . ./z; bash z; sh < z; for x in p q; do ok $x && break; done",
    "(ok1 a) | no1; command -p ok b; ok() { no2 $1; }; ok c; unset -f ok; ok d; x=$(echo git; no1 || echo p); $x",
    "trap 'ok $x' EXIT; x=p; f() { local x=q; no1 $x; }; f; while no2; do :; done; x=git; [ -e z ] || ok2",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_bash_that_records_by_itself_starts_the_same(tmp_path: Path) -> None:
    """It is what `tools/shell_fuzz.py` goes on with; only without it, what `exec` starts is not seen."""
    loaded = recorder(tmp_path)
    if loaded is None:
        pytest.skip("there is no compiler")
    *seen, last = started([*ALIKE, "exec no1 p"], tmp_path / "a", loaded=loaded)
    assert [sorted(each) for each in seen] == [sorted(each) for each in started(ALIKE, tmp_path / "b")]
    assert all(len(each) > 1 for each in seen)
    assert last == [["no1", "p"]]


READ_IN_ANOTHER_WAY = [  # by bash than it is written: the reader must not be sure
    "no1 $(ok <<E\nh\nE\ngit; push p)",
    "git $(coproc no1 p) x",
    "x=$(y=$(coproc >f no1))",
    "no1 $(ok <<E | git; push p\nh\nE\n)",
    "no1 $(ok <<E &\nh\nE\n(git; push p))",
    "((git <<'E'\nno\nE\n) )",
    'no1 "$$(git)"; no2 "a$${x}"',
    "y=([ ]}); no1 git $y",
    "b[ x ]y git; no1",
    "no1 $((case t in *) git push;;esac )\nok2)",
    "c=()e git push",
    "x=(<(git))p no1",
    'no1 "${@@}" git; ok',
    "no1 git <(); ok",
    "no1 $(>x ! no2; >x time no p)",
    "eval no1 {1..$?}",
    "eval a$?=p no1",
    "eval '\\'\n((8))",
    ">o3; $(no || echo \\*) <<< b",
    "no1 y[<<]=",
    'no1 "$(o"${#[]}";echo 0)"',
    "x=a; no2; eval no1 '$x'$?",
    'no1 "${y[@]@}" git',
    'no1 "$(echo "${@:}"k)"',
    "declare -A b=([p]=p [q]=x[q]=2); no1 git",
    "{ g() { g() { no$#; }; g $; }; }; for (( y=0; y<2; y++ )); do g a b; done",
    "no1 \"$(echo $(( $'p q' git) ))\"",
    "no1 $(cat <<A <<E\np\nA)\nq\nE\n) git; no2",
    "no1 $(cat <<E\np\n\\\nE) git",
    "no1 &\\\n>k git",
    "no1 ${\\\nx}; git",
    "x=p; no1 \"$(ok ${x+$'p q'})\" git",
    "tr ? y <<< '\\git' | bash",
    "tr x\\\\ y <<< 'no1 \\p' | bash",
    "x=p; no1 \"${x+$'p\\\\q'}\" git",
    "eval $'no1\\\n'\ntime git",
    "eval 'no1 \"${<(}\"'\ntime git",
    'eval "no1 \\\\$x;git"',
    'eval no1 "$(echo ~; echo "${#x}")"',
    "exec > k; echo no1 git; bash k",
    "{ echo no1 p & echo no2; } | bash",
    "x=$({ { echo p >&2; } | echo no1; } 2>&1); eval $x",
    "x=$(until [[ -e k ]]; do echo -n no; [[ -e j ]] && > k; > j; done); $x git",
    "{ { echo no1 git >&3; } > k; } 3>&1 | bash",
    "{ echo no1 git >&2; } {v}>&1 2>&$v | bash",
    "set -k; no1 x=p git",
    "no1 \"$(ok <<E\np\nE)\"'\\\nq'; no2",
    "no1 $(ok <<E\nE) \\\np",
    "no1 $(time case $? in q|s) \nesac) p",
    'no1 "`echo "a{b,c}"`"',
    "((no1 $'\\x1'); (git))",
    "enable -n echo; no1 $(echo git)",
    "eval 'f() no1'; f",
    "f() { local -n x=y; x=git; }; y=p; f; no1 $y",
    'x=$(cat <<A\n$(echo $(cat <<E\np\nE )) q\nA\n); no1 "$x"',
    "shopt -s expand_aliases\nalias s='git #'\ns `\n$(no1)`",
    'no1; IFS=(, :); x=p,q; no2 $x "$*"',
    "IFS[3]=q; x=pqr; no1 $x; IFS=q; no2 $x",
    'no1; read -a IFS <<< "p q"; no2 "$@" ${#x}',
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_what_bash_reads_in_another_way_than_it_stands_there_is_not_told(tmp_path: Path) -> None:
    for line, recorded in zip(READ_IN_ANOTHER_WAY, started(READ_IN_ANOTHER_WAY, tmp_path), strict=True):
        assert recorded, line
        assert read_commands(line).unknowns, line


def test_here_documents_in_substitutions_that_end_there_stay_told() -> None:
    for line in (
        "git commit -m \"$(cat <<'E'\na\nE\n)\"; git push",
        'x=$(cd p; cat <<E\na\nE\n); git "$x"',
        "x=$(cat <<E\na\nE\necho b\necho c; echo d\n)",
        "x=$(cat <<E | while read l; do echo $l; done\na\nE\n)",
    ):
        assert not read_commands(line).unknowns, line


def test_braces_of_which_bash_makes_something_else_are_holes() -> None:
    for line in (
        "no1 {$,}t",
        "no1 {\r1..3} x",
        "no1 {1..+3}",
        "no1 x{Z..a}",
        "eval no1 ~$?",
        "no1 ~:x",
        "no1 ~=~",
    ):
        reading = read_commands(line)
        assert not reading.unknowns, line
        assert reading.commands[-1].words[1].holes, line


def test_what_a_file_holds_is_not_told_while_another_may_still_write_it() -> None:
    for line in (
        'echo p | tee z & git "$(cat z)"',
        "{ echo p | tee z | ok; } & git $(<z)",
        "echo p > z; { echo q | tee z; } | git $(cat z)",
        "echo p > z; echo q > z & read x < z; git $x",
        "tee z <<< p & mapfile -t x < z; git ${x[0]}",
        "coproc { echo p > z; }; git $(cat z)",
        "echo p > z; ok <(echo q > z); git $(cat z)",
        "echo p > z; ok > >(cat > z); git $(cat z)",
        "(echo p > z & ); wait; git $(cat z)",
        "{ echo p > z & } | ok; git $(cat z)",
        "f() { tee z <<< p; }; f & git $(cat z)",
    ):
        assert read_commands(line).commands[-1].words[1].holes, line
    for line in ("{ echo q; ok $(cat z); } | echo p > z", "echo q > z; ok $(cat z) | tee z <<< p"):
        seen = [command for command in read_commands(line).commands if command.words[0].literal == "ok"]
        assert any(word.holes for command in seen for word in command.words), line
    for line in (
        "echo p > z & wait; git $(cat z)",
        "echo p | tee z | ok; git $(cat z)",
        "{ echo p > z; } | ok; git $(cat z)",
        "ok & echo p > z; git $(cat z)",
    ):
        assert ("git", "p") in [command.argv for command in read_commands(line).commands], line
