"""What the words of `shell = "…"` mean: a rule stops what its writer had in mind, spelled as people spell it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.program import Program

from hookline import make_event
from hookline.engine import Engine
from hookline.engine.opening import open_engine

# A rule, what it stops, and what passes.
RULES: Mapping[str, tuple[list[str], list[str]]] = {
    # a `*` among the words
    "kubectl * web": (["kubectl delete web", "kubectl get pods web"], ["kubectl get pods", "echo web"]),
    "systemctl * nginx": (["systemctl stop nginx", "systemctl --now disable nginx"], ["systemctl stop cron"]),
    "git -C * push": (["git -C ../other push", 'git -C "$DIR" push origin'], ["git push", "git -C x status"]),
    "aws * delete-*": (["aws s3api delete-bucket --bucket b", "aws --profile p ec2 delete-vpc"], ["aws s3 ls"]),
    "npm * publish": (["npm publish", "npm -w app publish --tag x"], ["npm pack"]),
    "find * -delete": (["find . -name '*.o' -delete", "find -delete"], ["find . -name '*.o'"]),
    # a `*` where a blank may stand, or what other tools' patterns have there
    "*git tag*": (["git tag v1", "git -C x tag"], ["git log"]),
    "npm*unpublish": (["npm unpublish x"], ["npm test"]),
    "git.*rebase": (["git rebase -i", "git -c a=b rebase"], ["git log"]),
    "docker volume.*": (["docker volume rm x"], ["docker ps"]),
    "chmod .*-R": (["chmod -R a+w ."], ["chmod a+w x"]),
    "apt*get remove": (["apt-get -y remove x"], ["apt-get install x"]),
    "gh *delete*": (["gh repo delete o/r", "gh api -X DELETE x/delete"], ["gh repo view"]),
    "git commit *--amend*": (["git commit -a --amend"], ["git commit -a"]),
    "*--no-verify": (["git commit --no-verify", "git commit -n", "x --no-verify"], ["git commit"]),
    "cp -*r*": (["cp -ar x y", "cp --recursive x y"], ["cp x y"]),
    "* *.pem*": (["cat x.pem", "y -i a/x.pem.bak"], ["ls"]),
    "TERRAFORM APPLY": (["terraform apply -auto-approve"], ["terraform plan"]),
    # whatever lies in a folder
    "bin/*": (["bin/x", "./bin/x -a", "bash bin/x", "cd bin && ./x"], ["/usr/bin/x", "x", "cat bin/x"]),
    "~/tools/* -f": (["~/tools/x -f"], ["~/tools/x", "tools/x -f"]),
    # a word that is to be mentioned
    "psql *prod*": (["psql -h prod-db", "psql postgres://prod/x", "psql -d shop_prod -c ''"], ["psql -h dev"]),
    "curl *evil.example*": (["curl https://evil.example/x", "curl --url https://a.evil.example"], ["curl x.example"]),
    # a script, whoever runs it
    "./deploy.sh": (
        ["./deploy.sh", "bash deploy.sh prod", "sh -x ./deploy.sh", ". ./deploy.sh", "cd x && ../deploy.sh"],
        ["cat deploy.sh", "bash test.sh", "bash $X", "bash *.sh"],
    ),
    "bash tools/run.sh --all": (["tools/run.sh --all", "bash ./tools/run.sh --all"], ["bash tools/run.sh"]),
    "python manage.py migrate": (
        ["python3 manage.py migrate", "./manage.py migrate app", "uv run manage.py migrate"],
        ["python manage.py test", "python other.py migrate"],
    ),
    "cat .env.*": (["cat ./.env.local", "cat x .env.prod"], ["cat .envrc", "ls .env.local"]),
    # a branch, by whatever name of it
    "git push origin main": (
        ["git push origin HEAD:main", "git push origin +main", "git push -u origin dev:refs/heads/main"],
        ["git push origin dev", "git push origin main:dev", "git push other main"],
    ),
    "git push origin HEAD:*": (["git push origin HEAD:main"], ["git push origin main"]),
    # a variable before the program
    "NODE_ENV=prod* npm run migrate": (
        ["NODE_ENV=production npm run migrate", "env NODE_ENV=prod npm run migrate"],
        ["npm run migrate", "NODE_ENV=test npm run migrate", "NODE_ENV=production npm test"],
    ),
    # one program by two names
    "docker compose down": (["docker-compose -f x.yml down"], ["docker-compose up", "docker down"]),
    "docker-compose rm -v": (["docker compose rm -sv", "docker-compose rm -fv"], ["docker compose rm"]),
    # a star at the end
    "docker create --name=web*": (["docker create --name web1 x", "docker create --name=web x"], ["docker create x"]),
    "npm run deploy:*": (["npm run deploy:prod", "npm run -s deploy"], ["npm run deployment"]),
}  # fmt: skip


def engine_of(folder: Path, rules: str) -> Engine:
    (folder / ".hookline").mkdir(exist_ok=True)
    (folder / ".hookline/hooks.toml").write_text(rules)
    return open_engine(str(folder), environment={"HOOKLINE_TRUST": "workspace"}, history=False).engine


def table(rest: str) -> str:
    return f'[[hooks]]\nevent = "PreToolUse"\n{rest}\n'


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("rules")
    settings = 'unsure = "allow"\nunknown = "allow"\ncontext = "met"'
    tables = [table(f"name = {json.dumps(each)}\nshell = {json.dumps(each)}\n{settings}") for each in RULES]
    return engine_of(folder, "\n".join(tables))


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_stops_what_it_reads_as(engine: Engine, rule: str) -> None:
    def is_met(line: str) -> bool:
        decision = engine.fire_now(make_event("PreToolUse", tool_name="Bash", tool_input={"command": line}))
        return rule in [each.spec.name for each in decision.results if each.outcome.contexts]

    stopped, passed = RULES[rule]
    assert [line for line in stopped if not is_met(line)] == []
    assert [line for line in passed if is_met(line)] == []


def test_an_exception_lets_off_only_what_it_says(tmp_path: Path) -> None:
    """What widens a rule must not widen what is let off: neither values of options nor scripts of another folder."""
    exceptions = ["curl *localhost*", "bash ok.sh"]
    rule = f'shell = ["curl", "bash", "ok.sh"]\ndeny = "no"\nexcept = {{ shell = {json.dumps(exceptions)} }}'
    engine = engine_of(tmp_path, table(rule))
    lines = {
        "curl localhost:1": "none",
        "bash ok.sh": "none",
        "curl -o localhost.txt x.example": "deny",
        "/tmp/ok.sh": "deny",
    }
    for line, word in lines.items():
        event = make_event("PreToolUse", tool_name="Bash", tool_input={"command": line})
        assert engine.fire_now(event).verdict.word == word, line


@pytest.mark.parametrize(
    ("exception", "beside"),
    [
        ("git checkout a.py", "b.py"), ("git branch -D old", "main"), ("git tag -d v1", "v2"),
        ("git restore a.py", "b.py"), ("git stash push a.py", "b.py"), ("git add a.py", ".env"), ("git reset a", "b"),
        ("git push origin dev", "main"), ("cat README.md", ".env"), ("tail -f a.log", ".env"), ("grep x a", ".env"),
        ("tee a", ".env"), ("kubectl delete pod x", "y"), ("docker rm web", "db"), ("helm uninstall a", "b"),
        ("systemctl enable a", "b"), ("chmod 600 a", "b"), ("touch a", "b"),
    ],
)  # fmt: skip
def test_an_exception_with_an_operand_lets_off_no_other(tmp_path: Path, exception: str, beside: str) -> None:
    program = " ".join(
        exception.split()[:2] if exception.split()[0] in ("git", "kubectl") else exception.split()[:1]
    )
    rule = f'shell = "{program}"\ndeny = "no"\nexcept = {{ shell = "{exception}" }}'
    engine = engine_of(tmp_path, table(rule))
    for line, word in ((exception, "none"), (f"{exception} {beside}", "deny"), (f"{exception} $X", "ask")):
        event = make_event("PreToolUse", tool_name="Bash", tool_input={"command": line})
        found = engine.fire_now(event).verdict.word
        assert found == word or (word == "ask" and found == "deny"), line


def test_an_exception_that_names_a_kind_lets_off_all_of_it(tmp_path: Path) -> None:
    exceptions = '["kubectl delete pod", "chmod 600", "cp *.example *"]'
    rule = f'shell = ["kubectl delete", "chmod", "cp"]\ndeny = "no"\nexcept = {{ shell = {exceptions} }}'
    engine = engine_of(tmp_path, table(rule))
    lines = {
        "kubectl delete pod x y": "none",
        "kubectl delete ns x": "deny",
        "chmod 600 a b": "none",
        "chmod 777 a": "deny",
        "cp a.example .env": "none",
        "cp a.example b .env": "deny",
    }
    for line, word in lines.items():
        event = make_event("PreToolUse", tool_name="Bash", tool_input={"command": line})
        assert engine.fire_now(event).verdict.word == word, line


ALLOWED: Mapping[str, tuple[list[str], list[str]]] = {
    'shell = "git status"': (
        ["git status", "git status -s 2>/dev/null", "(git status)", "git status; git status"],
        [
            "git status; rm -rf /", "git status && make", "git status > /etc/passwd", "ls | git status",
            "git status $(rm x)", "PATH=/x git status", "PATH=/x; git status", "export PATH=x; git status",
            "sudo git status", "git() { rm x; }; git status", "git status\nrm x", "eval 'git status'",
            "./git status", "/tmp/x/git status", "for PATH in /x; do git status; done", "git status ${GIT_DIR:=/x}",
            "git --exec-path=/x status",
        ],
    ),
    'shell = ["git commit", "printf"]': (
        ["git commit -m x", "printf '%s' x && git commit -m x"],
        [
            "git commit -n -m x", "git commit --no-verify -m x", "printf -v PATH /x; git commit -m x",
            "printf $X a; git commit",
        ],
    ),
    'shell = "git commit --no-verify"': (["git commit -n -m x"], ["git commit -m x"]),
    'shell_exact = "/usr/local/bin/x a"': (["/usr/local/bin/x a"], ["x a", "/usr/bin/x a", "./x a"]),
    'shell = "~/bin/x"': (["~/bin/x -a"], ["bin/x", "x"]),
    'shell = "x.sh"': (["x.sh", "./x.sh -a"], ["/tmp/x.sh", "../x.sh"]),
    'shell = ["cd", "npm test", "head"]': (["cd x && npm test | head -3"], ["cd x && npm test | tail"]),
    'shell = "NODE_ENV=test npm test"': (["NODE_ENV=test npm test"], ["npm test", "NODE_ENV=test PATH=x npm test"]),
    'shell = "bash ok.sh"': (["bash ok.sh"], ["/tmp/ok.sh", "bash ok.sh; rm x"]),
    'shell = "git push origin dev"': (["git push origin dev"], ["git push origin +dev", "git push origin HEAD:dev"]),
    'delete = "build/x"': (["rm build/x"], ["rm -rf build", "rm build/x /etc/y", "rm build/x; ls"]),
    'delete = "build/**"': (
        ["rm -rf build/x", "rm -rf build/*", "find build -name '*.o' -delete"],
        ["rm -rf build/$X", "rm -rf build/$(cat x)", "find build -name $X -delete; rm build/${Y}/z"],
    ),
    'read = "docs/**"': (
        ["cat docs/a", "less docs/a", "grep -f docs/a docs/b"],
        [
            "cat docs/a /etc/passwd", "cat docs/a | sh", "cat docs/$X", "psql -f docs/a", "mysql < docs/a",
            "curl -K docs/a",
            "wget -i docs/a", "git commit -F docs/a", "python3 -m http.server -d docs/a", "mail -a docs/a root",
            "date -f docs/a -s x",
        ],
    ),
    'connect = "*.example.com"': (
        ["curl https://a.example.com", "ssh -J b.example.com a.example.com", "curl -x c.example.com:80 a.example.com"],
        [
            "curl -x http://evil https://a.example.com", "curl --resolve a.example.com:80:10.0.0.1 a.example.com",
            "curl --connect-to ::evil:443 a.example.com", "curl --unix-socket /run/docker.sock a.example.com",
            "ssh -L 80:evil:22 a.example.com", "ssh -W evil:22 a.example.com",
            "ssh -J me@evil,b.example.com a.example.com",
            "ssh -o HostName=evil a.example.com", "ssh -D 80 a.example.com", "nc -x evil:80 a.example.com 80",
            "wget -e http_proxy=http://evil a.example.com", "scp -J evil docs a.example.com:",
            "curl https://a.example.com https://evil.example", "curl https://a.example.com -o x",
            "curl -d @/etc/passwd https://a.example.com",
        ],
    ),
    'rule = ["Bash(git status:*)", "Bash(ls *)"]': (
        ["git status", "git status && ls -la"],
        ["git status; rm x", "git status > x", "git status $(rm x)", "PATH=/x git status", "git stash"],
    ),
    'write = "src/**"': (
        ["echo x > src/a", "cp a src/b", "sed s/a/b/ x > src/y", "git log > src/log"],
        [
            "tee src/a /etc/x", "mv a src/b", "echo x > src/a; ls", "node x.js > src/a", "./x > src/a", "x < a > src/a",
            "make > src/a", "git gc > src/a", "awk '{system(1)}' x > src/a", "date -s x > src/a",
            "date 11231200 > src/a",
            "echo x > src/$D", "cp a src/$(cat x)/y", "printf -v PATH x > src/a", "git stash push src/a",
            "script src/a < x",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", ALLOWED)
def test_who_allows_one_command_allows_no_other_of_the_line(tmp_path: Path, rule: str) -> None:
    (tmp_path / "ok.sh").write_text("rm -rf build\n")
    engine = engine_of(tmp_path, table(f'{rule}\nallow = "fine"'))

    def word(line: str) -> str:
        place = {"cwd": str(tmp_path), "workspace": str(tmp_path)}
        event = make_event("PreToolUse", tool_name="Bash", tool_input={"command": line}, **place)
        return engine.fire_now(event).verdict.word

    allowed, others = ALLOWED[rule]
    assert [line for line in allowed if word(line) != "allow"] == []
    assert [line for line in others if word(line) != "none"] == []


def test_who_allows_what_a_link_leads_to_has_not_allowed_to_change_the_link(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a").write_text("")
    (tmp_path / "link").symlink_to("src/a")
    (tmp_path / "src/out").symlink_to("..")
    engine = engine_of(
        tmp_path,
        table('write = "src/**"\nallow = "fine"'),
    )

    def word(line: str) -> str:
        place = {"cwd": str(tmp_path), "workspace": str(tmp_path)}
        event = make_event("PreToolUse", tool_name="Bash", tool_input={"command": line}, **place)
        return engine.fire_now(event).verdict.word

    lines = (
        "echo x > src/a",
        "cp src/a src/b",
        "echo x > link",
        "cp src/a link",
        "echo x > src/out/y",
        "cp src/a src/out",
    )
    assert [word(line) for line in lines] == ["allow", "allow", "none", "none", "none", "none"]


def test_an_example_of_an_allow_is_taken_as_the_rule_is(tmp_path: Path) -> None:
    (tmp_path / ".hookline").mkdir()
    examples = 'examples = { met = ["git status"], unmet = ["git status; ls"] }'
    rule = f'[[hooks]]\nevent = "PreToolUse"\nshell = "git status"\nallow = "fine"\n{examples}\n'
    (tmp_path / ".hookline/hooks.toml").write_text(rule)
    opened = open_engine(str(tmp_path), environment={"HOOKLINE_TRUST": "workspace"}, history=False)
    assert [str(problem) for problem in opened.hooks.problems] == []


@pytest.mark.parametrize("rule", ['rule = "Edit(src/**)"', 'files = "src/**"'])
def test_an_allow_by_files_is_for_every_file_and_for_what_it_really_is(tmp_path: Path, rule: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/link").symlink_to("/etc")
    engine = engine_of(tmp_path, table(f'{rule}\nallow = "fine"'))
    places = {"cwd": str(tmp_path), "workspace": str(tmp_path)}
    words = {
        "src/a": "allow",
        "src/../b": "none",
        "other/a": "none",
        "src/link/passwd": "none",
        "src/\0": "none",
    }
    for path, word in words.items():
        event = make_event("PreToolUse", tool_name="Edit", tool_input={"file_path": path}, **places)
        assert engine.fire_now(event).verdict.word == word, path


@pytest.mark.parametrize(
    ("rule", "tool", "given", "word"),
    [
        ('files = "src/**"', "Read", {"file_path": "src/a"}, "allow"),
        ('files = "src/**"', "Bash", {"command": "rm -rf /", "file_path": "src/a"}, "none"),
        ('tool = "Bash"\nfiles = "src/**"', "Bash", {"command": "rm -rf /", "file_path": "src/a"}, "none"),
        ('files = "src/**"', "WebFetch", {"url": "https://x.example", "path": "src/a"}, "none"),
        ('files = "src/**"', "mcp__x__y", {"path": "src/a"}, "none"),
        ('tool = "*"\nfiles = "src/**"', "mcp__x__y", {"path": "src/a"}, "none"),
        ('tool = "mcp__x__*"\nfiles = "src/**"', "mcp__x__y", {"path": "src/a"}, "allow"),
        ('write = "src/**"', "mcp__x__write_file", {"path": "src/a"}, "none"),
        ('tool = "mcp__x__write_file"\nwrite = "src/**"', "mcp__x__write_file", {"path": "src/a"}, "allow"),
        ('shell = "ls"', "mcp__x__run_command", {"command": "ls", "then": "rm -rf /"}, "none"),
    ],
)
def test_what_an_unknown_tool_does_beside_its_path_is_allowed_by_nobody(
    tmp_path: Path, rule: str, tool: str, given: Mapping[str, str], word: str
) -> None:
    engine = engine_of(tmp_path, table(f'{rule}\nallow = "fine"'))
    places = {"cwd": str(tmp_path), "workspace": str(tmp_path)}
    assert (
        engine.fire_now(make_event("PreToolUse", tool_name=tool, tool_input=given, **places)).verdict.word
        == word
    )


def test_a_patch_is_allowed_only_where_every_file_is(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, table('write = "src/**"\nallow = "fine"'))
    added = "*** Begin Patch\n*** Add File: src/a\n+x\n{}*** End Patch\n"
    for more, word in {
        "": "allow",
        "*** Add File: other/b\n+x\n": "none",
        "*** Delete File: src/c\n": "none",
    }.items():
        given = {"patch": added.format(more)}
        event = make_event("PreToolUse", tool_name="apply_patch", tool_input=given, cwd=str(tmp_path))
        assert engine.fire_now(event).verdict.word == word, more


DEAD = {
    'shell = "^git push"': "not as a regular expression",
    'shell = "git (push|pull)"': "not as a regular expression",
    'shell = ".*git push.*"': "not as a regular expression",
    "shell = 'git\\s+push'": "not as a regular expression",
    'shell = "git push|git pull"': "more than one command",
    'shell = "cat x | sh"': "more than one command",
    'shell = "git {push,pull}"': "has braces",
    'shell = "!git push"': "there is no `!`",
    'shell = "echo x > y"': "has a redirection",
    'connect = "https://evil.example"': 'write `"evil.example"`',
    'connect = "evil.example:8080"': 'write `"evil.example"`',
    'connect = "10.0.0.0/8"': "is a network",
    'write = "{src,lib}/**"': "has braces",
    'write = "$HOME/.ssh/**"': "begins with a variable",
    'read = "!src/**"': "there is no `!`",
    'delete = "../**"': "leads out of the project",
}


def test_a_text_that_nothing_can_be_is_no_guard_that_looks_on(program: Program) -> None:
    tables = [
        f'[[hooks]]\nname = "{n}"\nevent = "PreToolUse"\n{each}\ndeny = "no"\n' for n, each in enumerate(DEAD)
    ]
    program.write(".hookline/hooks.toml", "\n".join(tables))
    checked, fired = program("check"), program("fire", "PreToolUse", "--json", stdin='{"tool_name": "Bash"}')
    assert (checked.returncode, f"{len(DEAD)} errors" in checked.stdout + checked.stderr) == (1, True)
    assert [words for words in DEAD.values() if words not in checked.stdout + checked.stderr] == []
    assert [row["status"] for row in json.loads(fired.stdout)["hooks"]] == ["invalid"] * len(DEAD)
    assert fired.stderr.count("cannot run") >= len(DEAD)


def test_what_reads_as_something_else_is_told(program: Program) -> None:
    rules = ['shell = "*DROP*"', 'where = { "command" = "*rm*" }', 'where = { "tool_inputs.url" = "x*" }']
    program.write(".hookline/hooks.toml", "\n".join(table(f'{rule}\ndeny = "no"') for rule in rules))
    done = program("check")
    told = [
        'for a word anywhere write `"* *DROP*"`',
        "did you mean `tool_input.command`?",
        "did you mean `tool_input`?",
    ]
    assert done.returncode == 0
    assert [words for words in told if words not in done.stdout + done.stderr] == []


def test_texts_beside_a_dead_one_go_on_and_odd_ones_are_let_be(program: Program) -> None:
    living = [
        "git push",
        "mysql -e 'a|b'",
        "dd of=/dev/*",
        "rm -rf $HOME",
        "docker ps --format={{.X}}",
        "kill %1",
    ]
    rule = f'shell = {json.dumps([*living, "a|b"])}\nread = ["//etc/**", "~/x"]\nconnect = ["fd00:ec2::254", "10.*"]'
    program.write(".hookline/hooks.toml", f'[[hooks]]\nevent = "PreToolUse"\n{rule}\ndeny = "no"\n')
    done = program("check")
    assert (done.returncode, "0 errors, 1 warning" in done.stdout + done.stderr) == (0, True), (
        done.stdout + done.stderr
    )


@pytest.mark.parametrize(
    ("tool", "met", "unmet"),
    [
        ("mcp__github__*", "mcp__github__push", "mcp__git__push"),
        ("*", "Bash", ""),
        ("Write, mcp__a_*", "mcp__a_b", "mcp__b"),
    ],
)
def test_a_star_in_a_tools_name_is_a_pattern(program: Program, tool: str, met: str, unmet: str) -> None:
    program.write(".hookline/hooks.toml", f'[[hooks]]\nevent = "PreToolUse"\ntool = "{tool}"\ndeny = "no"\n')
    for name, word in ((met, "deny"), (unmet, "none")):
        if name:
            done = program(
                "fire", "PreToolUse", "--json", stdin=json.dumps({"tool_name": name, "tool_input": {}})
            )
            assert json.loads(done.stdout)["verdict"] == word, name
