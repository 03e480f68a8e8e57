"""Rules as people write them, and what they are asked about in a day: nothing that has nothing to do with them."""

from __future__ import annotations

from tests.dialects.test_guards_by_effect import rule, verdicts
from tests.program import Program

RULES = "\n".join(
    rule(predicates)
    for predicates in (
        'shell = "git push*"', 'touches = "guards"', 'write = ["deploy/**", "*.lock"]',
        'delete = ["deploy/**", "*.db"]',
        'read = [".env", "~/.ssh/**"]', 'connect = "*.prod.example"', 'does = ["publish", "discard", "elevate"]',
        'write = "**"\noutside = "workspace"', 'shell = ["npm publish", "rm -rf", "terraform apply"]',
    )
)  # fmt: skip


def test_a_variable_among_the_words_of_code_is_none_of_the_code(program: Program) -> None:
    found = verdicts(
        program,
        RULES,
        [
            'sh -c "cd $AREA && cargo check"',
            'bash -lc "go test ./$PKG -run ${NAME:-Test}"',
            'ssh build "tail -n 9 /srv/log/$UNIT.log"',
            "cat <<E | bash\nnpm run $TASK\nE",
            "find specs -name '*.rb' | xargs -I{} sh -c 'wc -l {} >> sizes'",
            'bash -c "make -C $(git rev-parse --show-toplevel) check"',
        ],
    )
    assert {line: word for line, word in found.items() if word != "none"} == {}


def test_a_variable_that_is_the_code_or_begins_a_command_of_it_is_asked_about(program: Program) -> None:
    found = verdicts(
        program,
        RULES,
        [
            'sh -c "$STEP"', 'bash -c "cd x && $STEP --fast"', 'sh -c "timeout 9 $STEP"', 'eval "$STEP; ls"',
            'bash -c "git $STEP"', 'sh -c "echo $(curl -s x.example)"', "cat l | xargs -I{} sh -c '{}; ls'",
        ],
    )  # fmt: skip
    assert {line: word for line, word in found.items() if word != "ask"} == {}


def test_an_allow_trusts_no_variable_in_code(program: Program) -> None:
    allowing = rule('shell = ["ssh build", "ls"]', 'allow = "fine"')
    found = verdicts(program, allowing, ["ssh build 'ls x'", 'ssh build "ls $AREA"'])
    assert list(found.values()) == ["allow", "none"]


def test_the_variables_of_a_file_are_no_command(program: Program) -> None:
    found = verdicts(
        program,
        rule('shell = "git push"') + rule('does = "tamper"'),
        [
            "env $(cat .env | xargs) npm start", "export $(grep -v '^#' .env.dev | xargs) && npm test",
            "env $(cat list | xargs) npm start", "export $(cat .env | tee /dev/tty)", "env $(cat .env) $STEP git push",
        ],
    )  # fmt: skip
    assert list(found.values()) == ["none", "none", "ask", "ask", "ask"]


def test_what_a_line_builds_and_then_runs_is_as_opaque_as_what_make_builds(program: Program) -> None:
    lines = [
        "cc -o out/t t.c && out/t",
        "go build -o bin/s ./cmd && ./bin/s -v",
        "esbuild a.ts --outfile=a.js && node a.js",
    ]
    assert set(verdicts(program, RULES, lines).values()) == {"none"}
    asking = rule('shell = "git push"\nopaque = "ask"')
    assert set(verdicts(program, asking, lines).values()) == {"ask"}


def test_pipes_with_a_name_and_files_of_a_container_are_no_files_here(program: Program) -> None:
    found = verdicts(
        program,
        RULES,
        [
            "diff <(sort a) <(sort b)", "make 2>&1 | tee >(grep -c warning)",
            "docker exec web sh -c 'echo 1 > /etc/app.ini'",
            "diff <(sort ~/.ssh/known) b", "tee >(cat > /etc/app.ini)", "docker exec web ls > /etc/app.ini",
        ],
    )  # fmt: skip
    assert list(found.values()) == ["none"] * 3 + ["deny"] * 3


def test_who_asks_a_service_publishes_nothing(program: Program) -> None:
    found = verdicts(
        program,
        RULES,
        [
            "kubectl rollout status deploy/web", "kubectl rollout history deploy/web",
            "gh api graphql -f query='{ viewer { id } }'",
            "gh api graphql -f query='query($n: Int!) { x }' -F n=1",
            "kubectl rollout restart deploy/web", "gh api graphql -f query='mutation { x }'",
            "gh api repos/o/r/labels -f name=x",
        ],
    )  # fmt: skip
    assert list(found.values()) == ["none"] * 4 + ["deny"] * 3


def test_names_that_a_program_lists_are_those_of_the_folder_and_the_ending_that_it_was_told(
    program: Program,
) -> None:
    found = verdicts(
        program,
        rule('write = "deploy/**"') + rule('read = "deploy/*.env"') + rule('delete = ["deploy/**", "*.db"]'),
        [
            "rg -l old lib | xargs sed -i s/old/new/", "sed -i s/old/new/ $(grep -rl old lib)",
            "while read -r f; do sed -i s/a/b/ \"$f\"; done < <(git grep -l old -- lib)",
            "ls logs/*.log | tail -n +5 | xargs rm", "git ls-files '*.md' | head | xargs cat",
            "rg -l old deploy | xargs sed -i s/old/new/", "git ls-files '*.db' | sort | xargs rm",
            "grep -rl old deploy | while read -r f; do rm \"$f\"; done", "fd -e env . deploy | xargs cat",
        ],
    )  # fmt: skip
    assert list(found.values()) == ["none"] * 5 + ["deny"] * 3 + ["ask"]
