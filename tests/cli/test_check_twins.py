"""Scripts with a fault beside their right twins, in four languages: the one is told and the other left alone."""

from __future__ import annotations

import textwrap

from tests.cli.test_check_scripts import Hook, codes
from tests.program import Program

HEADS = {
    "sh": "#!/usr/bin/env bash\n",
    "py": "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n",
    "js": "#!/usr/bin/env node\nconst d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n",
    "ps1": "$d = [Console]::In.ReadToEnd() | ConvertFrom-Json\n",
}
BY = {"sh": "", "py": "python3 ", "js": "node ", "ps1": "pwsh -File "}
ROOTS = {
    "claude": '"$CLAUDE_PROJECT_DIR"/',
    "gemini": '"$GEMINI_PROJECT_DIR"/',
    "codex": '"$(git rev-parse --show-toplevel)"/',
}
BLOCK = r"""
    c=$(jq -r .tool_input.command)
    block() { echo "{\"decision\": \"block\", \"reason\": \"$1\"}"; exit 0; }
"""
Case = tuple[str, str, str, str, str]  # agent, event, matcher, language, script

WRONG: dict[str, list[Case]] = {
    "bad-syntax": [
        ("claude", "PostToolUse", "Edit", "ps1", """
            $said = @{ team = (if ($env:TEAM) { $env:TEAM } else { 'all' }); file = $d.tool_input.file_path }
            Add-Content log ($said | ConvertTo-Json)
        """),
    ],
    "glued-json": [
        ("claude", "PreToolUse", "Bash", "js", """
            const c = d.tool_input.command;
            if (/mkfs/.test(c)) process.stdout.write('{"decision": "block", "reason": "no: ' + c + '"}');
        """),
        ("claude", "PreToolUse", "Bash", "py", """
            cmd = d["tool_input"]["command"]
            if "mkfs" in cmd:
                print('{"decision": "block", "reason": "no: ' + cmd + '"}')
        """),
        ("claude", "PreToolUse", "Bash", "ps1", """
            $c = $d.tool_input.command
            if ($c -match 'mkfs') { Write-Output "{`"decision`":`"block`",`"reason`":`"no: $c`"}" }
        """),
        ("claude", "PreToolUse", "Bash", "sh", BLOCK + 'case "$c" in *mkfs*) block "no $c here" ;; esac\n'),
        ("claude", "PostToolUse", "Edit", "sh", """
            f=$(jq -r .tool_input.file_path)
            python3 -c "import json; print(json.dumps({'systemMessage': 'changed ${f}, look at it'}))"
        """),
    ],
    "wrong-answer": [
        ("claude", "PreToolUse", "Bash", "sh", """
            block() {
              printf '{"decision": "block", "reason": "%s"}\\n' "$1"
              exit 0
            }
            if ! bun run test 2>&1; then block "tests fail"; fi
        """),
        ("gemini", "BeforeAgent", "", "sh", 'echo "{\\"context\\": \\"look at the plan\\"}"\n'),
        ("claude", "Stop", "", "sh", """
            [ "$(jq -r .stop_hook_active)" = true ] && exit 0
            kept=$(git diff | jq -Rs .)
            echo "{\\"decision\\": \\"block\\", \\"reason\\": \\"still there: $kept\\"}"
        """),
        ("claude", "Stop", "", "sh", """
            [ "$(jq -r .stop_hook_active)" = true ] && exit 0
            if ! npx vitest run; then
              echo '{"decision": "block", "reason": "tests fail"}'
            fi
        """),
        ("claude", "PostToolUse", "Edit", "js", """
            process.stderr.write(JSON.stringify({
              hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'look' } }));
        """),
        ("claude", "PreToolUse", "Bash", "sh", """
            case "$(jq -r .tool_input.command)" in *sudo*) echo '{"decision": "block", "reason": "no",}' ;; esac
        """),
        ("claude", "PreToolUse", "Bash", "py", """
            if "sudo" in d["tool_input"]["command"]:
                out = {"decision": "block", "reason": "no"}
                print(str(out))
        """),
        ("cursor", "beforeShellExecution", "", "sh", """
            case "$(jq -r .command)" in *sudo*) echo '{"permission": "deny", "reason": "no"}' ;; esac
        """),
        ("cursor", "beforeShellExecution", "", "py", """
            if "sudo" in d["command"]:
                print(json.dumps({"permission": "deny", "message": "no", "seen": d["command"]}))
        """),
        ("gemini", "BeforeTool", "run_shell_command", "py", """
            if "sudo" in d["tool_input"]["command"]:
                print(json.dumps({"decision": "deny", "message": "no"}))
        """),
    ],
    "unread-output": [
        ("codex", "PreCompact", "", "sh", 'echo "Before that: ensure the plan is up to date."\n'),
        ("claude", "PreToolUse", "Bash", "sh", r"""
            emit() {
              printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"%s"}}' "$1"
              exit 2
            }
            case "$(jq -r .tool_input.command)" in *sudo*) emit ask ;; *mkfs*) emit deny ;; esac
        """),
        ("claude", "PostToolUse", "Edit", "sh", """
            if [ ! -f spec.md ]; then
              echo "Please write a spec first." >&2
              exit 0
            fi
            if grep -q TODO spec.md; then echo "the spec is not done" >&2; exit 2; fi
        """),
        ("claude", "Stop", "", "sh", "ruff check src | tail -5\ngraphify update .\nexit 0\n"),
        ("claude", "Stop", "", "sh", 'run() { echo ">> $*"; "$@"; exit $?; }\nrun pnpm test\n'),
        ("claude", "Stop", "", "py", """
            print("\\n⚠ The notes lost something.\\nPut each missing claim back.", file=sys.stderr)
        """),
        ("claude", "PostToolUse", "Edit", "js", """
            const { ESLint } = require('eslint');
            const output = new ESLint({ fix: true }).lintFiles([d.tool_input.file_path]);
            if (output) console.log(output);
            process.exit(output ? 1 : 0);
        """),
        ("claude", "PostToolUse", "Edit", "sh", """
            {
              echo "The spec is not there yet."
              echo "Please write it."
            } >&2
            exit 0
        """),
        ("cursor", "afterFileEdit", "", "sh", """
            told=$(ruff check "$(jq -r .file_path)")
            printf '{"additional_context": %s}' "$(printf '%s' "$told" | jq -Rs .)"
        """),
        ("claude", "PostToolUse", "Edit", "sh", "npm run build 2>&1\nexit $?\n"),
        ("claude", "PostToolUse", "Edit", "sh", "npx tsc --noEmit || exit 2\n"),
        ("claude", "PostToolUse", "Edit", "js", """
            const { execSync } = require('child_process');
            try { execSync('npx tsc --noEmit', { stdio: 'inherit' }); } catch { process.exit(2); }
        """),
        ("claude", "PostToolUse", "Edit", "py", """
            import subprocess
            if subprocess.run(["uv", "run", "mypy", "src"]).returncode: sys.exit(2)
        """),
        ("claude", "PostToolUse", "Edit", "js", """
            const ts = require('typescript');
            const found = ts.getPreEmitDiagnostics(ts.createProgram({}));
            if (found.length > 0) ts.sys.write(ts.formatDiagnostics(found, {}));
            process.exit(found.length ? 2 : 0);
        """),
        ("claude", "PostToolUse", "Edit", "ps1", "npx tsc --noEmit\nif ($LASTEXITCODE -ne 0) { exit 2 }\n"),
        ("claude", "PostToolUse", "Edit", "sh", "set -eu\n./scripts/lint.sh\n"),
        ("cursor", "stop", "", "sh", 'if [ -f STOP ]; then echo "The flag is set. Halting."; exit 1; fi\n'),
        ("claude", "PreToolUse", "Bash", "sh", """
            git diff --name-only | while read -r f; do
              echo "$f"
            done > /tmp/seen
            if [ -s /tmp/seen ]; then echo "commit blocked"; exit 2; fi
        """),
        ("claude", "PostToolUse", "Edit", "sh", """
            told=""
            [ -f README.md ] || told="${told}the README is missing. "
            [ -f CHANGELOG.md ] && told="${told}Please look at the changelog. "
            [ -n "$told" ] && echo "$told" >&2
            exit 0
        """),
        ("claude", "Stop", "", "sh", """
            [ "$(jq -r .stop_hook_active)" = true ] && exit 0
            mvn test -q 2>&1

            if [ $? -ne 0 ]; then
              echo "tests fail" >&2
              exit 2
            fi
        """),
        ("claude", "PostToolUse", "Edit", "sh", """
            f=$(jq -r .tool_input.file_path) || exit 0
            cd "$CLAUDE_PROJECT_DIR" || exit 1
            case "$f" in *.sh) command -v shellcheck >/dev/null && shellcheck "$f" ;; esac
        """),
        ("claude", "PostToolUse", "Edit", "sh", "bunx biome check --write . 2>&1\nexit 0\n"),
        ("claude", "PostToolUse", "Edit", "sh", """
            if ! npx tsc --noEmit; then
              echo "type errors, please look at them"
              exit 1
            fi
        """),
        ("claude", "PostToolUse", "Edit", "js", """
            const { execSync } = require('child_process');
            try { execSync('npx eslint src'); } catch (e) { console.log('found problems, fix them'); }
        """),
        ("claude", "PostToolUse", "Edit", "ps1", """
            npx eslint $d.tool_input.file_path
            if ($LASTEXITCODE -ne 0) { Write-Host "Lint problems, please fix them" }
        """),
        ("claude", "PreToolUse", "Bash", "sh", """
            case "$(jq -r .tool_input.command)" in
              *deploy*)
                echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                      "permissionDecisionReason": "sure?"}}'
                exit 2 ;;
            esac
        """),
    ],
    "cut-value": [
        ("claude", "PreToolUse", "Bash", "sh", r"""
            c=$(cat | grep -o '"command":"[^"]*' | cut -d'"' -f4)
            case "$c" in *sudo*) echo no >&2; exit 2 ;; esac
        """),
        ("claude", "PreToolUse", "Bash", "sh", r"""
            c=$(sed -n 's/.*"command"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p')
            case "$c" in *sudo*) echo no >&2; exit 2 ;; esac
        """),
    ],
    "weak-exit": [
        ("claude", "PreToolUse", "Bash", "sh", """
            told=$(pnpm lint 2>&1) && exit 0
            code=$?
            echo "$told" | head -20
            exit $code
        """),
        ("claude", "PreToolUse", "Bash", "sh", """
            seen=""
            jq -r .tool_input.command | grep -q .env && seen="$seen BLOCKED: .env"
            if [ -n "$seen" ]; then
              echo "$seen"
              echo "Take the file out."
              exit 1
            fi
        """),
        ("claude", "PreToolUse", "Bash", "sh", """
            failed=0
            for word in sudo mkfs; do
              if jq -r .tool_input.command | grep -q "$word"; then echo "BLOCKED: $word" >&2; failed=1; fi
            done
            exit $failed
        """),
        ("claude", "PostToolUse", "Write", "sh", """
            bad=0
            if grep -q AKIA "$(jq -r .tool_input.file_path)"; then
              echo "BLOCKED: a key" >&2
              bad=1
            fi
            exit "$bad"
        """),
        ("claude", "PreToolUse", "Bash", "sh", """
            c=$(jq -r .tool_input.command)
            case "$c" in *.env*) echo "BLOCKED: no secrets" >&2; exit 1 ;; esac
            case "$c" in *sudo*) echo "no sudo" >&2; exit 2 ;; esac
        """),
    ],
    "personal-path": [
        ("claude", "SessionStart", "", "sh", 'exec "/Users/jane/here/adapter.sh" start\n'),
        ("claude", "SessionStart", "", "sh", 'log="/Users/jane/notes/log.txt"\ndate >> "$log"\n'),
    ],
    "unset-variable": [
        ("claude", "SubagentStop", "", "sh", """
            name=$(echo "$TOOL_INPUT" | grep -oP '(?<="agent":")[^"]+')
            cat >> log <<EOF
            $name
            EOF
        """),
        ("claude", "PreToolUse", "", "sh", """
            kept="${CLAUDE_TOOL_INPUT:-}"
            for word in "(cat|less) .env" "sudo"; do
              if echo "$kept" | grep -qE "$word"; then echo no >&2; exit 2; fi
            done
        """),
        ("claude", "PostToolUse", "", "sh", """
            given=$(cat)
            [ "${CLAUDE_TOOL_NAME:-}" = Edit ] && jq -r .session_id <<<"$given" >> log
            exit 0
        """),
        ("claude", "PostToolUse", "Edit", "js", """
            const f = process.env.CLAUDE_FILE_PATH || '';
            if (f) require('child_process').execSync(`npx prettier --write ${f}`);
        """),
    ],
    "unset-default": [
        ("cursor", "afterFileEdit", "", "sh", """
            log="${CURSOR_PROJECT_ROOT:-.}/edits.log"
            jq -r .file_path >> "$log"
        """),
        ("claude", "PostToolUse", "Edit", "sh", """
            root=${CLAUDE_WORKSPACE_ROOT:-"$(pwd)"}
            jq -r .tool_input.file_path >> "$root/edits.log"
        """),
        ("codex", "PostToolUse", "", "sh", """
            jq -r .session_id >> "${CODEX_TOOL_NAME:-any tool}.log"
        """),
        ("claude", "PostToolUse", "Edit", "py", """
            import os
            with open("log", "a") as log:
                log.write(os.environ.get("CLAUDE_HOOK_EVENT", "none") + d["session_id"])
        """),
        ("claude", "PostToolUse", "Edit", "js", """
            const root = process.env.CLAUDE_PROJECT_ROOT || process.cwd();
            require('fs').appendFileSync(root + '/log', d.session_id);
        """),
    ],
    "unsent-field": [
        ("claude", "PostToolUseFailure", "Bash", "sh", """
            case "$(jq -r .tool_output.stderr)" in *denied*) echo '{"systemMessage": "no right to that"}' ;; esac
        """),
        ("claude", "PostToolUseFailure", "Bash", "py", """
            if "denied" in d.get("tool_response", {}).get("stderr", ""):
                print(json.dumps({"systemMessage": "no right to that"}))
        """),
        ("claude", "PreToolUse", "Edit", "py", """
            if "AKIA" in d.get("new_string", ""):
                print("a secret", file=sys.stderr)
                sys.exit(2)
        """),
        ("claude", "PostToolUse", "Write", "sh", """
            file=$(cat | grep -o '"path":"[^"]*"' | sed 's/.*:"//;s/"//')
            [ -n "$file" ] && npx prettier --write "$file" >/dev/null
        """),
        ("claude", "PostToolUse", "Edit", "sh", """
            file=$(python3 -c "import json, sys; print(json.load(sys.stdin).get('path', ''))")
            [ -n "$file" ] && npx prettier --write "$file" >/dev/null
        """),
        ("claude", "PreToolUse", "Bash", "js", """
            const { tool, input } = d;
            if (input.command.includes('sudo')) { console.error('no'); process.exit(2); }
        """),
        ("claude", "PreToolUse", "Edit|Write", "py", """
            if "AKIA" in d["tool_input"].get("content", ""):
                print("a secret", file=sys.stderr)
                sys.exit(2)
        """),
        ("claude", "UserPromptSubmit", "", "sh", """
            case "$(jq -r '.message // empty')" in *password*) echo no >&2; exit 2 ;; esac
        """),
    ],
    "unsent-value": [
        ("cursor", "afterFileEdit", "", "sh", """
            file=$(cat)
            case "$file" in *.ts) npx prettier --write "$file" >/dev/null ;; esac
        """),
        ("claude", "PreToolUse", "", "ps1", """
            if ($d.tool_name -eq 'Shell') { [Console]::Error.WriteLine('no'); exit 2 }
        """),
    ],
    "unquoted-path": [
        ("claude", "PostToolUse", "Edit", "sh", """
            f=$(jq -r .tool_input.file_path)
            npx prettier --write $f >/dev/null
        """),
        ("claude", "SessionStart", "", "sh", "cd $CLAUDE_PROJECT_DIR\nls docs\n"),
        ("claude", "PostToolUse", "Edit", "sh", """
            root="$CLAUDE_PROJECT_DIR/app"
            kept=$(cd $root && git status) || exit 0
            echo "$kept" >> "$root/log"
        """),
    ],
    "dead-pattern": [
        ("claude", "PreToolUse", "Bash", "py", r"""
            import re
            flat = " ".join(d["tool_input"]["command"].lower().split())
            places = [
                r"/srv",
                r"\$TMPDIR",
            ]
            for place in places:
                if re.search(place, flat):
                    sys.exit("no")
        """),
        ("claude", "PreToolUse", "Bash", "js", """
            const line = d.tool_input.command.toLowerCase();
            if (/drop table|TRUNCATE/.test(line)) { console.error('no'); process.exit(2); }
        """),
        ("claude", "PreToolUse", "Bash", "sh", """
            line=$(jq -r .tool_input.command | tr '[:upper:]' '[:lower:]')
            if echo "$line" | grep -qE 'mkfs|WIPEFS'; then echo no >&2; exit 2; fi
        """),
        ("claude", "PreToolUse", "Bash", "js", r"""
            if (/(\b\.npmrc|id_rsa)/.test(d.tool_input.command)) { console.error('no'); process.exit(2); }
        """),
        ("claude", "PreToolUse", "Edit", "sh", """
            GIVEN=$(cat)
            if echo "$GIVEN" | grep -qiE "token *=[[:space:]]*['\\"][a-z0-9]{9}"; then echo no >&2; exit 2; fi
            if echo "$GIVEN" | grep -qiE "pin= *['\\"][0-9]{4}"; then echo no >&2; exit 2; fi
        """),
        ("claude", "PreToolUse", "Bash", "js", """
            const words = [new RegExp('(?i)mkfs')];
            if (words.some((each) => each.test(d.tool_input.command))) { console.error('no'); process.exit(2); }
        """),
        ("claude", "PreToolUse", "Bash", "sh", """
            words=(
              "AKIA[0-9A-Z]{16}"
              "-----BEGIN .* KEY-----"
            )
            given=$(jq -r .tool_input.command)
            for word in "${words[@]}"; do
              if echo "$given" | grep -qE "$word"; then echo no >&2; exit 2; fi
            done
        """),
        ("claude", "PreToolUse", "Edit", "ps1", """
            $folders = @(
                '^vendor/',
                '^build/'
            )
            $name = $d.tool_input.file_path
            if ($folders | Where-Object { $name -like "$_*" }) { [Console]::Error.WriteLine('no'); exit 2 }
        """),
        ("claude", "PreToolUse", "Bash", "py", """
            words = ["^sudo", "^mkfs"]
            for word in words:
                if d["tool_input"]["command"].startswith(word):
                    print("no", file=sys.stderr)
                    sys.exit(2)
        """),
    ],
}  # fmt: skip
RIGHT: list[Case] = [
    ("claude", "SessionStart", "", "sh", """
        TMP_DIR=$(mktemp -d "${TMPDIR:-/tmp}/notes.XXXX")
        REPO_NAME=${REPONAME-notes}
        git clone -q "$REPO_NAME" "$TMP_DIR" && rm -rf "$TMP_DIR"
    """),
    ("claude", "PreToolUse", "Bash", "sh", """
        given=$(jq -r --arg first "line" '
          .tool_input as $tool_input | $tool_input[$first] // $tool_input.command // $tool_input.cmd')
        case "$given" in *mkfs*) echo "no" >&2; exit 2 ;; esac
    """),
    ("claude", "PostToolUse", "Edit", "sh", """
        jq -r .tool_input.file_path >> changed
        command -v ruff >/dev/null || { echo "ruff fehlt, Warnung wird übersprungen" >&2; exit 0; }
        touch checked
    """),
    ("claude", "PostToolUse", "Edit", "ps1", """
        $team = if ($env:TEAM) { $env:TEAM } else { 'all' }
        Add-Content log (@{ team = $team; all = $(if ($team) { 1 } else { 0 }) } | ConvertTo-Json)
    """),
    ("claude", "PreToolUse", "Bash", "js", """
        const words = [new RegExp('(?:mkfs|wipefs)', 'i'), /(?i:dd) if=/];
        if (words.some((each) => each.test(d.tool_input.command))) { console.error('no'); process.exit(2); }
    """),
    ("claude", "PreToolUse", "Bash", "py", r"""
        import re
        flat = " ".join(d["tool_input"]["command"].lower().split())
        if re.search(r"\bmkfs\S*|[A-Z]?wipefs", flat) or re.search(r"TRUNCATE", flat, re.I) or "Y" in d["cwd"]:
            sys.exit(2 if print("no", file=sys.stderr) is None else 0)
    """),
    ("claude", "PreToolUse", "Bash", "js", r"""
        let line = d.tool_input.command.toLowerCase();
        line = d.tool_input.command;
        if (/TRUNCATE|\b\.py\b|x\b\.env/.test(line)) { console.error('no'); process.exit(2); }
    """),
    ("claude", "PreToolUse", "Bash", "sh", """
        line=$(jq -r .tool_input.command | tr '[:upper:]' '[:lower:]')
        if echo "$line" | grep -qiE 'mkfs|WIPEFS'; then echo no >&2; exit 2; fi
    """),
    ("claude", "PreToolUse", "Edit", "sh", """
        GIVEN=$(jq -r '.tool_input.content // .tool_input.new_string')
        if echo "$GIVEN" | grep -qiE "token *=[[:space:]]*['\\"][a-z0-9]{9}"; then echo no >&2; exit 2; fi
    """),
    ("claude", "Notification", "", "sh", """
        wanted=$(python3 -c "
        import json
        print(json.load(open('wanted.json'))['sound'])
        " 2>/dev/null || echo "please")
        touch "$wanted"
    """),
    ("claude", "PreCompact", "", "sh", 'echo "Before that: ensure the plan is up to date."\n'),
    ("claude", "PostToolUseFailure", "Bash", "sh", """
        case "$(jq -r .error)" in *denied*) echo '{"systemMessage": "no right to that"}' ;; esac
    """),
    # what a function prints that another one hands on, and a code that ends no more than the function
    ("claude", "PostToolUse", "Edit", "sh", """
        # main sends what report says: report > file
        report() {
          {
            echo "Please review this report."
          }
        }
        facts() { [ -e .git ] || exit 2; report | sort; }
        main() {
          cat >/dev/null
          report "$(facts)" \\
            > report.md
        }
        ( main ) || true
    """),
    ("claude", "PostToolUse", "Bash", "sh", """
        input=$(cat)
        usage=$(cat usage.json)
        [ "$(printf '%s' "$input" | jq -r .tool_name)" = Bash ] || exit 0
        printf '%s' "$usage" | jq -r '.output // 0' > used
    """),
    ("claude", "PreToolUse", "Bash", "sh", r"""
        emit() {
          printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"%s"}}' "$1"
          exit 0
        }
        case "$(jq -r .tool_input.command)" in *sudo*) emit ask ;; esac
    """),
    ("claude", "PostToolUse", "Edit", "sh", "npx tsc --noEmit >&2 || exit 2\n"),
    ("claude", "PostToolUse", "Edit", "js", """
        const { execSync } = require('child_process');
        try { execSync('npx tsc --noEmit', { stdio: ['ignore', 2, 2] }); } catch { process.exit(2); }
    """),
    ("claude", "PostToolUse", "Edit", "js", """
        const { execSync } = require('child_process');
        try { execSync('npx tsc --noEmit', { stdio: 'inherit' }); }
        catch (e) { console.error('tsc fails: run it and mend what it says'); process.exit(2); }
    """),
    ("claude", "PostToolUse", "Edit", "py", """
        import subprocess
        run = subprocess.run(["uv", "run", "mypy", "src"], stdout=sys.stderr)
        if run.returncode: sys.exit(2)
    """),
    ("claude", "PreToolUse", "Edit", "sh", r"""
        f=$(cat | grep -o '"file_path":"[^"]*"' | cut -d'"' -f4)
        case "$f" in *.lock) echo no >&2; exit 2 ;; esac
    """),
    ("cursor", "afterFileEdit", "", "sh", """
        log="${CURSOR_PROJECT_DIR:-.}/edits.log"
        jq -r .file_path >> "$log"
    """),
    ("claude", "PostToolUse", "Edit", "sh", """
        CLAUDE_TOOL_NAME=$(jq -r .tool_name)
        root=${CLAUDE_PROJECT_ROOT:-$CLAUDE_PROJECT_DIR}
        echo "${CLAUDE_TOOL_NAME:-unknown} ${CI:-no} ${EDITOR:-vi}" >> "$root/${CLAUDE_NOTES:-notes.md}"
        date >> "${CLAUDE_PROJECT_DIR:-$PWD}/${CLAUDE_PROJECT_NAME:-here}.log"
    """),
    ("codex", "PostToolUse", "", "sh", """
        jq -r .session_id >> "${CODEX_PROJECT_DIR:-$PWD}/${CLAUDE_TOOL_NAME:-any}.log"
    """),
    ("claude", "PostToolUse", "Edit", "py", """
        import os
        root = os.environ.get("CLAUDE_PROJECT_DIR", os.getcwd())
        with open(os.environ.get("CLAUDE_PROJECT_ROOT", root) + "/log", "a") as log:
            log.write(os.getenv("CLAUDE_PROJECT_NAME", "here") + d["session_id"])
    """),
    ("claude", "PostToolUse", "Edit", "js", """
        const root = process.env.CLAUDE_PROJECT_ROOT || process.env.CLAUDE_PROJECT_DIR;
        require('fs').appendFileSync(root + '/log', d.session_id);
    """),
    ("claude", "PostToolUse", "Edit", "sh", """
        if [ ! -f spec.md ]; then
          echo "Please write a spec first." >&2
          exit 2
        fi
        exit 0
    """),
    ("claude", "PreToolUse", "Bash", "py", """
        ALLOW, BLOCK = 0, 2
        DENY = 2  # and the reason on standard error


        def main() -> int:
            if "sudo" in d["tool_input"]["command"]:
                print("BLOCKED: please ask before you do", file=sys.stderr)
                return DENY
            return 0


        sys.exit(main())
    """),
    ("claude", "PreToolUse", "Bash", "sh", """
        given=$(cat)
        said=$(GIVEN="$given" python3 <<'EOF'
        import json, os
        print(json.loads(os.environ["GIVEN"])["tool_input"]["command"])
        EOF
        )
        set -- "$said"
        case "$1" in *sudo*) echo "BLOCKED: sudo" >&2; exit 2 ;; esac
    """),
    ("claude", "PostToolUse", "Edit", "sh", """
        {
          echo "The spec is not there yet."
          echo "Please write it."
        } >&2
        exit 2
    """),
    ("claude", "PreToolUse", "Bash", "sh", """
        failed=0
        jq -r .tool_input.command | grep -q sudo && { echo "BLOCKED: sudo" >&2; failed=2; }
        exit $failed
    """),
    ("claude", "PostToolUse", "Edit", "sh", "npm run build >&2 || exit 2\n"),
    ("claude", "PostToolUse", "Edit", "sh", "./scripts/lint.sh >&2 || exit 2\n"),
    ("claude", "PreToolUse", "Bash", "sh", """
        words=("-----BEGIN .* KEY-----" "AKIA[0-9A-Z]{16}")
        given=$(jq -r .tool_input.command)
        for word in "${words[@]}"; do
          if echo "$given" | grep -qE -e "$word"; then echo no >&2; exit 2; fi
        done
    """),
    ("claude", "PreToolUse", "Edit", "ps1", """
        $folders = @('*/vendor/', '*/build/')
        $name = $d.tool_input.file_path
        if ($folders | Where-Object { $name -like "$_*" }) { [Console]::Error.WriteLine('no'); exit 2 }
    """),
    ("claude", "Stop", "", "sh", """
        [ "$(jq -r .stop_hook_active)" = true ] && exit 0
        kept=$(git diff | jq -Rs .)
        echo "{\\"decision\\": \\"block\\", \\"reason\\": $kept}"
    """),
    ("claude", "PreToolUse", "Bash", "sh", """
        block() {
          printf '{"decision": "block", "reason": "%s"}\\n' "$1"
          exit 0
        }
        if ! bun run test >&2; then block "tests fail"; fi
    """),
    ("claude", "PostToolUse", "Write", "sh", """
        file=$(cat | grep -o '"file_path":"[^"]*"' | sed 's/.*:"//;s/"//')
        [ -n "$file" ] && npx prettier --write "$file" >/dev/null
        exit 0
    """),
    ("claude", "PostToolUse", "Edit", "sh", "bunx biome check --write . 2>/dev/null || true\nexit 0\n"),
    ("claude", "Stop", "", "sh", """
        [ "$(jq -r .stop_hook_active)" = true ] && exit 0
        if ! npx vitest run >&2; then
          echo '{"decision": "block", "reason": "tests fail"}'
        fi
    """),
    ("claude", "PreToolUse", "Bash", "sh", """
        log="${CLAUDE_PROJECT_DIR:-}/log"
        command=$(cat)
        jq -r .tool_input.command <<<"$command" >> "$log"
    """),
    ("claude", "PreToolUse", "Bash", "sh", BLOCK + 'case "$c" in *mkfs*) block "no mkfs here" ;; esac\n'),
    ("claude", "PreToolUse", "Bash", "js", """
        const c = d.tool_input.command;
        if (/mkfs/.test(c)) process.stdout.write('{"decision": "block", "reason": ' + JSON.stringify(c) + '}');
    """),
    ("claude", "PreToolUse", "Bash", "js", """
        const { tool_name, tool_input } = d;
        if (tool_input.command.includes('sudo')) { console.error('no'); process.exit(2); }
    """),
    ("claude", "PreToolUse", "Bash", "ps1", """
        if ($d.tool_name -eq 'bash') { [Console]::Error.WriteLine('no'); exit 2 }
    """),
    ("claude", "PreToolUse", "Edit|Write", "py", """
        i = d["tool_input"]
        if "AKIA" in (i.get("content") or i.get("new_string") or ""):
            print("a secret", file=sys.stderr)
            sys.exit(2)
    """),
    ("claude", "PreToolUse", "Bash", "sh", """
        c=$(jq -r .tool_input.command | wc -c)
        (( c > 900 )) && printf '{"decision": "block", "reason": "%s letters"}' "$c"
        exit 0
    """),
    ("claude", "PreToolUse", "Bash", "py", """
        if "sudo" in d["tool_input"]["command"]:
            out = {"decision": "block", "reason": "no"}
            out = json.dumps(out)
            print(out)
    """),
    ("claude", "PostToolUse", "Edit", "js", """
        try { JSON.parse('{'); } catch (e) { console.log('cannot read it, please fix the file'); }
    """),
    ("claude", "PostToolUse", "Edit", "sh", """
        f=$(jq -r .tool_input.file_path)
        root=$CLAUDE_PROJECT_DIR
        name=${f##*/}
        words="--check --write"
        [[ $f == *.ts ]] && npx prettier $words "$root/$name" >/dev/null
        case $f in *.py) black "$f" ;; esac
        exit 0
    """),
]  # fmt: skip


def hooks_of(program: Program, cases: list[Case]) -> list[Hook]:
    hooks: list[Hook] = []
    for number, (agent, event, matcher, language, script) in enumerate(cases):
        name = f"s{number}.{language}"
        program.write(name, HEADS[language] + textwrap.dedent(script), 0o755)
        root = ROOTS.get(agent, "./")
        more = {"matcher": matcher} if matcher else {}
        hooks.append((agent, event, {"command": f"{BY[language]}{root}{name}", **more}))
    return hooks


def test_a_script_with_a_fault_is_told_and_its_right_twin_is_not(program: Program) -> None:
    wanted = [(code, case) for code, cases in WRONG.items() for case in cases]
    found = codes(program, hooks_of(program, [*(case for _, case in wanted), *RIGHT]))
    missed = [case for (code, case), told in zip(wanted, found, strict=False) if code not in told]
    assert missed == []
    assert found[len(wanted) :] == [[] for _ in RIGHT]


def test_a_value_up_to_the_first_quote_is_told_in_every_language(program: Program) -> None:
    def guard(name: str, text: str) -> Hook:
        program.write(name, text)
        by = "node " if name.endswith("js") else "python3 "
        return ("claude", "PreToolUse", {"command": f'{by}"$CLAUDE_PROJECT_DIR"/{name}', "matcher": "Bash"})

    js = r"""const sent = require('fs').readFileSync(0, 'utf8');
const c = sent.match(/"command"\s*:\s*"(PART)"/)?.[1] ?? '';
if (/mkfs/.test(c)) { console.error('no'); process.exit(2); }
"""
    py = r"""import re, sys
m = re.search(r'"command"\s*:\s*"(PART)"', sys.stdin.read())
if m and "mkfs" in m[1]:
    print("no", file=sys.stderr)
    sys.exit(2)
"""
    hooks = [
        guard(f"{number}.{language}", text.replace("PART", part))
        for number, part in enumerate(('[^"]*', r'(?:[^"\\]|\\.)*'))
        for language, text in (("js", js), ("py", py))
    ]
    assert codes(program, hooks) == [["cut-value"], ["cut-value"], [], []]
