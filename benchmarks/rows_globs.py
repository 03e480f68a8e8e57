"""Row 9: 20 file patterns on 10,000 paths, ours against wcmatch and node's picomatch.

python -m benchmarks.rows_globs [FOLDER OF THE picomatch PACKAGE]
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PATTERNS = [
    "*.js", "**/*.ts", "src/**/*.{ts,tsx}", "docs/**", "**/*.md", "package.json", "**/go.mod",
    "*.{json,yaml}", "lib/*/index.js", "**/test/**/*.py", "**/*_test.go", "a?c.txt", "[a-f]*.rs",
    "src/**/[x-z]*.css", "**/Makefile", "vendor/**/*.go", "**/*.d.ts", "web/**/*.{css,scss}", "bin/*",
    "**/__init__.py",
]  # fmt: skip
PROGRAM = """
const pm = require(process.argv[1]);
const {patterns, paths} = JSON.parse(require('fs').readFileSync(0));
const fits = patterns.map(p => pm(p, {dot: true}));
let best = 1e9, count = 0;
for (let round = 0; round < 7; round++) {
  const start = process.hrtime.bigint();
  count = paths.filter(p => fits.some(f => f(p))).length;
  best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
}
console.log(JSON.stringify({milliseconds: best, count}));
"""


def sample_paths(count: int = 10_000) -> list[str]:
    folders = ["src", "lib/core", "docs/guide", "web/app/views", "vendor/x/y", "test/unit", "bin", "a/b/c/d"]
    endings = ["ts", "tsx", "js", "py", "md", "go", "rs", "css", "json", "txt", "d.ts", "lock"]
    return [f"{folders[n % 8]}/m{n % 97}/file{n}.{endings[n % 12]}" for n in range(count)]


def best_of(rounds: int, work: Callable[[], int]) -> tuple[float, int]:
    """The least milliseconds of some rounds, and what `work` returned."""
    best, found = float("inf"), 0
    for _ in range(rounds):
        start = time.perf_counter()
        found = work()
        best = min(best, (time.perf_counter() - start) * 1000)
    return best, found


def glob_row(picomatch: str | None = None) -> dict[str, float | int | str]:
    """Milliseconds of each engine for the same work, and how many paths each found."""
    from wcmatch import glob as wcmatch

    from hookline.system.patterns.globs import match_files

    paths = sample_paths()
    flags = wcmatch.GLOBSTAR | wcmatch.BRACE | wcmatch.DOTGLOB
    ours, found = best_of(7, lambda: len(match_files(PATTERNS, paths, dot=True)))
    theirs, wcmatch_found = best_of(3, lambda: len(wcmatch.globfilter(paths, PATTERNS, flags=flags)))
    row: dict[str, float | int | str] = {
        "ours_ms": ours, "found": found, "wcmatch_ms": theirs, "wcmatch_found": wcmatch_found,
        "ours_to_wcmatch": ours / theirs,
    }  # fmt: skip
    node = shutil.which("node")
    if not node or not picomatch or not Path(picomatch).is_dir():
        return {**row, "picomatch": "not here: compare with the ratio to wcmatch"}
    given = json.dumps({"patterns": PATTERNS, "paths": paths})
    done = subprocess.run(
        [node, "-e", PROGRAM, picomatch], input=given, capture_output=True, text=True, check=True
    )
    answer = json.loads(done.stdout)
    return {
        **row, "picomatch_ms": answer["milliseconds"], "picomatch_found": answer["count"],
        "ours_to_picomatch": ours / answer["milliseconds"],
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(glob_row(sys.argv[1] if len(sys.argv) > 1 else None), indent=2))
