"""What the commands of a line are said to do to files, against what they do in bash, each in a folder of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.waiting import DEADLINE_S

from hookline import make_event
from hookline.dialects.hookline.calls import Call, call_of
from hookline.shell.effects.paths import fits

FILES = {
    "a.txt": "foo\nbar\n", "b.txt": "one\ntwo\n", "src/c.py": "x = 1\n", "src/d.txt": "foo\n", "lib/deep/e.js": "y\n",
    "keep/f.md": "z\n", "names": "b.txt\nsrc/d.txt\n", "run.sh": "echo hi > out/made\n", "out/.here": "",
}  # fmt: skip
# Only programs that every machine has; those that unpack into the project's own folder are no writes of one file.
LINES = """
awk '{print > ("out/" NR)}' a.txt
awk '{print $1 > FILENAME ".old"}' src/d.txt
awk '{printf "%s", $1 >> f}' f=out/f a.txt
cp a.txt b.txt out
cp -t out src/d.txt
cp src/* out
cp */*.txt out
cp -r lib out
cp -a src/. out
cp -r lib out/new
cp --parents src/d.txt out
cp a.txt "$(echo out)"/q
for f in *.txt; do cp "$f" out/; done
while read -r f; do cp "$f" out; done < names
xargs -I{} cp {} out < names
xargs -a names rm
find . -name '*.md' -exec cp {} out/ \\;
find src -type f | xargs sed -i s/foo/x/
find lib -name e.js -delete
mv a.txt out
mv src/*.txt out
mv lib out/moved
mv src/d.txt out/x && rm out/x
for f in src/*.txt; do mv "$f" "$f.old"; done
ln -s ../src/d.txt out/l; echo hi > out/l
ln -s src/d.txt; echo hi > d.txt
ln -s src l; rm l/d.txt
ln -st out ../a.txt; echo x > out/a.txt
ln a.txt out/hard
install -D a.txt out/i/j
install -t out a.txt src/d.txt
sed -i s/foo/bar/ a.txt src/d.txt
sed -i.bak s/foo/bar/ a.txt
sed --in-place=.orig s/foo/bar/ src/d.txt
sed 's/foo/bar/w out/w' a.txt
awk '{print > "out/w"}' a.txt
awk 1 a.txt > out/w
gzip a.txt
gzip -k src/d.txt
gzip -c b.txt > a.txt.gz && rm a.txt && gunzip a.txt.gz
gzip -c a.txt > out/z
split -l 1 a.txt out/part-
split -l 1 a.txt
csplit -s -f out/cs a.txt 2
sort -o b.txt a.txt
uniq a.txt b.txt
shuf -o out/s a.txt
shuf -e 1 2 -o out/s
tee out/t b.txt < a.txt
dd if=a.txt of=out/dd status=none
truncate -s 0 a.txt src/d.txt
tar cf out/x.tar src
tar cf - src | tar xf - -C out
tar cf x.tar src; tar xf x.tar -C out
tar cf out/x.tar --remove-files a.txt
python3 -m zipfile -c out/z.zip a.txt
python3 -m zipfile -c z.zip a.txt; python3 -m zipfile -e z.zip out
python3 -m json.tool --json-lines /dev/null out/j
python3 -c "open('out/p', 'w')"
python3 -c "import shutil; shutil.move('a.txt', 'out/a')"
git init -q . && git add -A && git archive -o out/x.tar "$(git write-tree)"
git init -q . && git add -A && git rm -qrf src
git init -q . && git add -A && git mv a.txt out/
git init -q . && git add -A && git checkout-index -a --prefix=out/
git init -q . && git add -A && git diff --no-index a.txt b.txt --output=out/d
git init -q x && git clone -q ./x out/cl && echo y > out/cl/f
: > a.txt; > out/n; echo x >| b.txt; echo y >> src/d.txt; ls &> out/all
exec 3> out/fd; echo hi >&3
echo a > out/1 && cat out/1 > out/2
w() { echo "$1" > "$2"; }; w a out/fn
x=(a.txt src/d.txt); rm "${x[@]}"
f=b; rm "$f.txt" "${f/b/src/d}.txt"
cd src && rm d.txt && cd .. && rm a.txt
(cd src && echo x > ../out/up); rm b.txt
mkdir -p out/x/y && touch out/x/y/z && rmdir out/x/y 2>/dev/null
rm -rf -- src lib/deep
rm ./src/../a.txt "$PWD"/b.txt
sh run.sh; ./run.sh; . ./run.sh
eval "rm a.txt"; bash -c 'rm b.txt'; echo 'rm src/d.txt' | sh
sh -c 'cp "$1" "$2"' _ a.txt out/sh
""".strip().splitlines()


def made(folder: Path) -> None:
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "run.sh").chmod(0o755)


def files_of(folder: Path) -> Mapping[str, object]:
    found: dict[str, object] = {}
    for top, folders, names in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        for path in (Path(top, name) for name in (*names, *folders)):
            if path.is_dir() and not path.is_symlink():
                continue
            found[str(path.relative_to(folder))] = path.readlink() if path.is_symlink() else path.read_bytes()
    return found


def called(line: str, folder: Path) -> Call:
    place = {"cwd": str(folder), "workspace": str(folder)}
    call = call_of(make_event("PreToolUse", tool_name="Bash", tool_input={"command": line}, **place))
    assert call is not None
    return call


def missed(line: str, untouched: Path, after: Mapping[str, object]) -> list[tuple[str, str]]:
    """Files that a line changed or removed while it seems not even to be unsure about that."""
    before, call = files_of(untouched), called(line, untouched)
    if call.unknowns or call.opaque:
        return []
    found = []
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            name = "write" if path in after else "delete"
            effects = (effect for deeds in call.deeds for effect in deeds.effects if effect.name == name)
            if not any(fits(path if "/" in path else f"./{path}", effect, call.where) for effect in effects):
                found.append((name, path))
    return found


def test_what_a_line_does_to_files_is_seen(tmp_path: Path) -> None:
    """Each line runs in a folder of its own, all of them in one shell after the other."""
    script = []
    for number, line in enumerate(LINES):
        made(tmp_path / str(number))
        (tmp_path / f"{number}.sh").write_text(line)
        script.append(f"(cd {number} && bash ../{number}.sh < /dev/null > /dev/null 2>&1)")
    made(tmp_path / "untouched")
    home = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }
    subprocess.run(["bash", "-c", "\n".join(script)], cwd=tmp_path, env=home, check=False, timeout=DEADLINE_S)

    untouched = files_of(tmp_path / "untouched")
    after = {line: files_of(tmp_path / str(number)) for number, line in enumerate(LINES)}
    assert [
        line for line in LINES if after[line] == untouched
    ] == []  # a line that does nothing shows nothing
    found = {line: missed(line, tmp_path / "untouched", after[line]) for line in LINES}
    assert {line: files for line, files in found.items() if files} == {}


def test_files_that_the_code_of_databases_names_are_seen(tmp_path: Path) -> None:
    """No server is asked and no database is needed: only what the line says."""
    made(tmp_path)
    lines = {
        "sqlite3 x.db '.output out/n' 'select 1'": ("write", "out/n"),
        "sqlite3 x.db <<< '.backup main out/x.db'": ("write", "out/x.db"),
        "sqlite3 x.db \"select writefile('src/c.py', 1)\"": ("write", "src/c.py"),
        "sqlite3 x.db \"select readfile('a.txt')\"": ("read", "a.txt"),
        "psql <<'E'\nselect 1;\n\\o out/q\nE": ("write", "out/q"),
        "psql -c \"\\copy t to 'out/t.csv' csv\"": ("write", "out/t.csv"),
        "mysql -e \"select x into outfile 'out/y'\"": ("write", "out/y"),
        "duckdb -c \"select * from read_text('a.txt')\"": ("read", "a.txt"),
        "curl -T a.txt file://$PWD/out/n": ("write", "out/n"),
    }
    for line, (name, path) in lines.items():
        call = called(line, tmp_path)
        effects = [each for deeds in call.deeds for each in deeds.effects if each.name == name]
        met = [fits(f"./{path}", each, call.where) for each in effects]
        assert max(met, default=0) == 2, line
    quiet = called("psql -c \"select 'copy to ', output from t where source = 1\"", tmp_path)
    assert [each for deeds in quiet.deeds for each in deeds.effects] == []
