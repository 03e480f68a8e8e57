"""Guards by effect see tools that no table names, and the argument a tool reads among those a model makes up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.dialects.test_guards_by_effect import rule, verdicts
from tests.program import Program

PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** Add File: .env\n+x\n*** End Patch\n"
ASKED = (
    'write = ".env"',
    'delete = "keys/**"',
    'shell = "git push --force"',
    'connect = "evil.example"',
    'read = "*.key"',
)
RULES = "version = 1\n" + "".join(map(rule, ASKED))


def call(name: str, /, **given: Any) -> dict[str, Any]:
    return {"tool_name": name, "tool_input": given}


STOPPED = [
    call("mcp__serena__create_text_file", relative_path=".env", content="x"),
    call("mcp__serena__replace_regex", relative_path=".env", regex="a", repl="b"),
    call("mcp__fs__writeFiles", files=[{"path": "a"}, {"path": ".env", "content": "x"}]),
    call("mcp__fs__write_file", path=".env"),
    call("mcp__docker__run_container", image="a", command="sh -c 'git push -f'"),
    call("mcp__git__git_command", args=["push", "-f"]),
    call("mcp__git__run", command="push --force"),
    call("mcp__git__push", branch="main", options=["--force"]),
    call("mcp__telegram__send_document", chat_id=1, document="id.key"),
    call("mcp__s3__put_object", bucket="b", source_file="./id.key"),
    call("propose_code", TargetFile=".env", CodeEdit="x"),
    call("unified_exec", input=["git push -f"]),
    call("mcp__desktop__interact_with_process", pid=3, input="git push -f"),
    call("mcp__fetch__fetch", url="file://id.key"),
    call("WebFetch", url="file://id.key", prompt="sum up"),
    call("mcp__fs__file_operation", operation="append", path=".env"),
    call("mcp__desktop__insert_lines", uri="file:.env", targetFile="./.env"),
    call("mcp__fs__move_file", source="x", destination=".env"),
    call("apply_diff", path=".env", diff="x"),
    call("str_replace_editor", command="insert", path=".env", insert_line=1),
    call("web_fetch", prompt="sum up https://evil.example/x for me"),
    call("fetch_webpage", urls=["https://good.example", "https://evil.example/x"]),
    call("mcp__fs__rename", old_path="keys/a", new_path="b"),
    call("mcp__fs__delete_files", paths=["a", "keys/b"]),
    call("mcp__fs__copy_file", source="x", destination=".env"),
    call("multiedit", filePath=".env", edits=[]),
    call("patch", patchText=PATCH),
    call("apply_patch", input=PATCH),
    call("developer__text_editor", command="write", path=".env", file_text="x"),
    call("Bash", command=["bash", "-lc", "git push -f"]),
    call("exec_command", cmd="rm a", workdir="keys"),
    call("run_shell_command", command="cp x .", directory="keys/../.env"),
    call("shell", command=["git", "pull"], env={"GIT_SSH_COMMAND": "git push --force #"}),
    call("Bash", command="git pull", env=["CI=1", "GIT_SSH_COMMAND=git push --force #"]),
    call("Bash", command="git pull", env=[{"name": "GIT_SSH_COMMAND", "value": "git push --force #"}]),
    call("exec_command", cmd="git pull", environment="CI=1\nGIT_SSH_COMMAND=git push --force #"),
    call("mcp__terminal__run_command", command="rm -rf *", cwd="keys"),
    call("Bash", command="rm a", cwd="./keys"),
    call("Bash", command=["ls", ["git", "push", "-f"]]),
    call("Bash", command=["bash", ["-lc", "git push -f"]]),
    call("Bash", command=[["ls"], ["git push -f"]]),
    call("Bash", command=["git", ["push", ["-f"]]]),
    call("Bash", command=[{"program": "git", "args": ["push", "-f"]}]),
    call("Bash", command=["ls", {"note": "x", "line": "git push -f"}]),
    call("Bash", cmd=["ls", ["git", "push", "-f"]]),
    call("Bash", command="git", args=[["push", "-f"]]),
    call("run_commands", commands=[["ls"], ["git", "push", "-f"]]),
    call("Bash ", command="git push -f"),
    call("Bash", cmd="git push -f"),
    call("Bash", command=None, cmd="git push -f"),
    call("Bash", command={"text": "git push -f"}),
    call("Bash", command="git", args=["push", "-f"]),
    call("Bash", command="git", args="push -f"),
    call("Bash", command="git", arguments=["push", "-f"]),
    call("launch_process", cmd="git", argv=["push", "-f"]),
    call("Bash", args=["git", "push", "-f"]),
    call("Bash", commands=["ls", "git push -f"]),
    call("Bash", input={"Command": "git push -f"}),
    call("Bash", request={"body": {"line": "git push -f"}}),
    call("PowerShell", script="git push -f"),
    call("Monitor", cmd="git push -f"),
    call("mcp__shell__run", cmd=["sh", "-c", "git push -f"]),
    call("mcp__git__execute", command="git", args=["push", "--force", "origin"]),
    call("mcp__git__execute", program="git", args=["push", "--force", "origin"]),
    call("launch", executable="git", arguments=["push", "-f"]),
    call("mcp__jupyter__execute_cell", source="import os; os.system('git push -f')"),
    call("mcp__git__execute", cmd="git push", args=["--force", "origin"]),
    call("mcp__x__run_in_shell", script="git push -f"),
    call("mcp__ide__replace_text_in_file", pathInProject=".env", oldText="a", newText="b"),
    call("mcp__term__execute_commands", commands=["ls", "git push -f"]),
    call("write_bash", sessionId="1", input="git push -f\n"),
    call(
        "batch",
        tool_calls=[
            {"tool": "read", "parameters": {}},
            {"tool": "bash", "parameters": {"command": "git push -f"}},
        ],
    ),
    call("batch", tool_calls=[{"tool": "write", "parameters": {"filePath": ".env", "content": "x"}}]),
    call(
        "multi_tool_use.parallel",
        tool_uses=[{"recipient_name": "functions.Bash", "parameters": {"command": "git push -f"}}],
    ),
    call(
        "mcp__x__batch",
        calls=[{"name": "batch", "input": {"calls": [{"name": "sh", "args": {"cmd": "git push -f"}}]}}],
    ),
    call("write_powershell", sessionId="1", input="git push -f\n"),
    call("send_command_input", CommandId="1", Input="git push -f\n"),
    call("Grep", pattern="A", path=".", glob="*.key"),
    call("Grep", pattern="A", glob=["*.py", "**/web.key"]),
    call("Grep", pattern="A", includePattern="web.key"),
    call("mcp__browser__navigate", url="https://evil.example/x"),
    call("Monitor", command="git push -f", description="watch the push"),
    call("mcp__tasks__create_and_run_task", task={"label": "x", "type": "shell", "command": "git push -f"}),
    call("write-process", terminal_id=1, input_text="git push -f\n"),
    call("process", action="write", data="git push -f\n"),
    call("computercontroller__automation_script", language="shell", script="git push -f"),
    call("mcp__e2b__run_code", language="bash", code="git push -f"),
    call("mcp__e2b__execute_code", code="import os\nos.system('git push -f')"),
    call("python", code="import os; os.system('git push -f')"),
    call("mcp__ide__executeCode", code="open('.env', 'w').write('x')"),
    call("mcp__sandbox__run_javascript", code="require('child_process').execSync('git push -f')"),
    call("download", url="https://good.example/x", file_path=".env"),
    call("mcp__net__download_file", url="https://evil.example/x", path="a"),
    call("Delete", paths=["a", "keys/b"]),
    call("repl", command="git push -f"),
    call("newest_tool", cmd="cd x && git push -f"),
    call("Bash", command=["git push -f", "ls"]),
    call("Write", filename=".env", content="x"),
    call("Edit", target={"path": ".env"}, new_string="x"),
    call("mcp__web__webfetch", url="https://evil.example/x"),
    call("mcp__web__http_request", method="POST", endpoint="https://EVIL.example/x"),
    call("mcp__hooks__webhook", target={"url": "https://evil.example/x"}),
    call("mcp__serena__delete_lines", relative_path=".env", start_line=1, end_line=2),
    call("mcp__fs__copy", **{"from": "a", "to": ".env"}),
    call("mcp__browser__take_screenshot", filename=".env"),
    call("mcp__zip__unzip", archive="a.zip", destination=".env"),
    call("apply_patch", patch="--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-x\n+y\n"),
    call("mcp__x__apply_patch", diff="--- a/keys/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"),
    call("apply_patch", command=["apply_patch", PATCH]),
    call("Write", file_path="file://./.env", content="x"),
    call("mcp__mail__send_email", to="a@b.example", attachments=["a.txt", "web.key"]),
    call("mcp__drive__upload", localPath="web.key"),
    call("mcp__browser__file_upload", paths=["web.key"]),
    call("read_many_files", include=["web.key"]),
    call("ReadMcpResourceTool", server="fs", uri="file:///srv/web.key"),
    call("mcp__tmux__send-keys", pane="1", keys="git push -f\n"),
    call("mcp__git__git_push", repo_path=".", force=True),
    call("mcp__my-git__push", remote="origin", branch="main", force=True),
    call("git_push", remote="origin", force=True),
    call(
        "Write", file_path=".env", content="x", command="*** Begin Patch\n*** Update File: a\n*** End Patch"
    ),
]
SILENT = [
    call("exec_command", cmd="rm a", workdir="docs"),
    call("exec_command", cmd="git pull", workdir="keys", env={"CI": "1"}),
    call("Bash", command="git pull", env=["CI=1", "=x", 5, {"name": "A"}, {}]),
    call("Bash", command=["git", ["status"]]),
    call("Bash", command=["echo", "git push -f"]),
    call("Bash", command=["git", "commit", ["-m", "git push -f"]]),
    call("Bash", command=[{"program": "git", "args": ["push", "origin", "dev"]}]),
    call("str_replace_editor", command="view", path=".env"),
    call("web_fetch", prompt="what is evil.example, says https://good.example?"),
    call("mcp__serena__find_symbol", relative_path=".env", name="x"),
    call("mcp__fs__read_file", path=".env"),
    call("mcp__fs__copy_file", source="keys/a", destination="b"),
    call("mcp__tracker__create_issue", title="delete keys/a", body="git push --force writes .env"),
    call("mcp__tracker__update_page", content="# .env\n*** Begin Patch\n*** Add File: .env\n"),
    call("mcp__browser__navigate", url="https://good.example/.env"),
    call("mcp__db__execute_query", query="select 1", text="git push -f"),
    call("mcp__lint__review_code", language="bash", code="git push -f"),
    call("mcp__fmt__run_format", language="python", code="import os; os.system('git push -f')"),
    call("mcp__nlp__process_text", text="git push -f"),
    call("mcp__report__run_report", template={"title": "git push -f"}),
    call("mcp__e2b__run_code", language="cobol", code="git push -f"),
    call("mcp__net__download_file", url="https://good.example/.env", path="a"),
    call("Write", file_path="notes.md", content=PATCH),
    call("mcp__npm__run", cmd="echo git", args=["push --force"]),
    call("mcp__editor__edit_text", command="replace git push -f", path="a"),
    call("mcp__shell__explain", cmd="git push -f"),
    call("mcp__runner__start", command="web"),
    call("Bash", command=["git", "commit", "-m", "git push -f"]),
    call("Grep", pattern=".env"),
    call("Grep", pattern="A", glob="!**/*.key"),
    call(
        "batch",
        tool_calls=[
            {"tool": "read", "parameters": {"filePath": ".env"}},
            {"tool": "bash", "parameters": {"command": "ls"}},
        ],
    ),
    call("mcp__tracker__create_issues", issues=[{"name": "bash", "body": "git push -f"}]),
    call("TodoWrite", todos=[{"name": "bash", "input": {"command": "git push -f"}}]),
    call("Grep", pattern="A", glob="**/*"),
    call("Grep", pattern="*.key", path="src", glob="*.ts"),
    call("send_command_status", CommandId="1", Input="git push -f"),
    call("mcp__redis__send_command", input_format="git push -f"),
    call("mcp__git__git_push", repo_path=".", remote="origin", force=False),
    call("mcp__git__git_commit", message="push --force"),
    call("mcp__selenium__send_keys", by="id", value="x", text="git push -f"),
    call("mcp__browser__take_screenshot", filename="out.png"),
    call("mcp__fs__delete_lines", path="keys/b", start_line=1, end_line=2),
    call("mcp__mail__send_email", to="web.key", subject="web.key", body="git push -f"),
    call("mcp__tracker__create_issue", diff="--- a/x\n+++ b/x\n"),
    call("apply_patch", patch="--- a/a\n+++ b/a\n@@ -1 +1 @@\n-.env\n+web.key\n"),
    call("ReadMcpResourceTool", server="db", uri="postgres://db/web.key"),
    call("TodoWrite", todos=[{"content": "write .env", "path": ".env"}]),
]


def test_a_tool_that_no_table_names_is_told_by_its_words(program: Program) -> None:
    found = verdicts(program, RULES, [*STOPPED, *SILENT])
    assert {line: word for line, word in found.items() if word != "deny"} == {
        str(line): "none" for line in SILENT
    }


DONE = ["discard", "publish", "elevate", "kill", "tamper"]
AT_SERVICES = [
    call("mcp__github__delete_repository", owner="o", repo="r"),
    call("mcp__supabase__execute_sql", query="DROP TABLE people"),
    call("mcp__pg__query", sql="update people set admin = true"),
    call("mcp__mongodb__drop-collection", collection="people"),
    call("mcp__redis__flushall"),
    call("mcp__k8s__resources_delete", kind="Pod", name="web"),
    call("mcp__github__push_files", repo="r", branch="main", files=[{"path": "a", "content": "b"}]),
    call("mcp__github__create_or_update_file", repo="r", branch="refs/heads/master", path="a", content="b"),
    call("mcp__aws__call_aws", cli_command="aws ec2 terminate-instances --instance-ids i-1"),
    call("mcp__supabase__apply_migration", name="x", query="drop table people"),
    call("mcp__git__git_reset", mode="hard", commit="HEAD~1"),
    call("mcp__git__git_branch", D=True, name="x"),
    call("mcp__git__git_clean", force=True),
    call("mcp__stripe__delete_customer", id="c"),
    call("mcp__k8s__delete_pods", names=["a"]),
    call("mcp__k8s__kubectl", args=["delete", "ns", "prod"]),
    call("mcp__helm__uninstall", release="api"),
    call("mcp__terraform__destroy", dir="infra"),
    call("mcp__docker__docker_system_prune", all=True),
    call("mcp__mongodb__delete_many", collection="people", filter={}),
    call("mcp__github__create_release", repo="r", tag_name="v1"),
    call("mcp__npm__publish_package", name="x"),
    call("mcp__github__update_repository", owner="a", repo="b", private=False),
    call("mcp__gitlab__edit_project", id=3, visibility="public"),
    call("mcp__github__create_gist", public=True, files={"a": "b"}),
    call("mcp__vercel__deploy_to_production", project="x"),
    call("mcp__git__git_checkout", files=["."]),
    call("mcp__npm__publish", package="x"),
    call("mcp__docker__push_image", repository="acme/x"),
    call("mcp__redis__execute", command="FLUSHALL"),
    call("mcp__terraform__execute_command", command="destroy", args=["-auto-approve"]),
    call("use_aws", service_name="s3api", operation_name="DeleteBucket", parameters={"bucket": "x"}),
    call("mcp__neon__run_sql_transaction", sqlStatements=["DELETE FROM users"]),
    call("mcp__github__update_ref", repo="b", ref="heads/main", force=True),
    call("mcp__github__transfer_repository", repo="b", new_owner="x"),
    call("mcp__github__add_collaborator", repo="b", username="x"),
    call("mcp__shell__execute", script="git reset --hard"),
    call("mcp__metrics__delete_monitor", monitor_id=3),
    call("mcp__search__deleteIndex", index="logs"),
    call("mcp__neon__reset_from_parent", branchIdOrName="main"),
    call("mcp__es__api_request", method="DELETE", path="/logs"),
    call("mcp__azure__storage", command="storage_account_delete", parameters={"account": "a"}),
    call("mcp__hub__multi", tools=[{"tool_slug": "JIRA_DELETE_PROJECT", "arguments": {}}]),
    call("mcp__convex__run", functionName="users:deleteAll", args="{}"),
    call("mcp__mongodb__delete-many", collection="people"),
    call("mcp__mongodb__update-many", collection="people", filter={}, update={"a": 1}),
    call("mcp__mongodb__aggregate", collection="people", pipeline=[{"$match": {}}, {"$out": "people"}]),
    call("mcp__neon__run_sql", params={"sql": "DELETE FROM people"}),
    call("mcp__neo4j__write_cypher", query="MATCH (n) DETACH DELETE n"),
    call("mcp__wiki__update_page", id="p", archived=True),
    call("mcp__argo__sync_application", name="api", prune=True),
    call("mcp__terraform__ExecuteTerraformCommand", command="destroy"),
    call("mcp__db__find_and_delete", collection="people"),
    call("mcp__ci__trigger_build", jobFullName="deploy-production"),
    call("mcp__github__run_workflow", workflow_id="release.yml", ref="main"),
    call("mcp__gitlab__push_files", project_id="7", branch="main", files=[]),
    call("mcp__k8s__resources_create_or_update", resource="kind: Pod"),
    call("mcp__cms__publish_entry", id="e"),
    call("mcp__drive__share_file", id="f", role="reader", type="anyone"),
    call("mcp__iam__attach_role_policy", role="r", policy_arn="a"),
    call("mcp__gitlab__create_deploy_key", key="ssh-ed25519 A", can_push=True),
    call("mcp__atlas__create-access-list", cidrBlocks=["0.0.0.0/0"]),
    call("mcp__db__create_user", name="x", roles=["dbOwner"]),
    call("mcp__gitlab__unprotect_branch", branch="main"),
    call("mcp__paas__ps_scale", app="a", dyno="web=0"),
    call("mcp__k8s__resources_scale", kind="Deployment", name="a", scale=0),
    call("mcp__rds__stop_db_cluster", id="c"),
    call("mcp__desk__set_config_value", key="blockedCommands", value=[]),
    call("mcp__esx__power_off_vm", vm="a"),
    call("mcp__nomad__stop_job", job="a"),
    call("mcp__ecs__update_service", service="a", desiredCount=0),
    call("mcp__paas__set_maintenance_mode", enabled=True),
    call("mcp__crm__unlink_records", ids=[1]),
    call("mcp__site__run_drush", command="sql:drop -y"),
    call("mcp__ansible__run_playbook", playbook="deploy.yml"),
    call("mcp__etl__run_operation", macro="drop_schema"),
    call("mcp__dns__change_record_set", zone="z"),
    call("mcp__fs__write_file", path=".vscode/settings.json", content='{"chat.tools.autoApprove": true}'),
    call("Edit", file_path=".vscode/settings.json", new_string='"chat.tools.autoApprove": true'),
]
HARMLESS = [
    call("mcp__metrics__list_deleted_monitors"),
    call("mcp__mail__get_delete_policy", id="p"),
    call("mcp__es__api_request", method="GET", path="/logs"),
    call("mcp__es__api_request", method="DELETE", url="http://localhost:9200/logs"),
    call("mcp__netlify__deploys-reader", selectSchema={"operation": "get-deploy"}),
    call("mcp__mongodb__update-many", collection="people", filter={"id": 3}, update={"a": 1}),
    call("mcp__mongodb__aggregate", collection="people", pipeline=[{"$match": {}}]),
    call("mcp__wiki__delete_comment", id="c"),
    call("mcp__figma__delete_node", id="1:2"),
    call("mcp__chrome__browser_drop", ref="e1"),
    call("mcp__desk__force_terminate", pid=3),
    call("mcp__android__uninstall_app", package="a"),
    call("mcp__ci__trigger_build", jobFullName="unit-tests"),
    call("mcp__github__run_workflow", workflow_id="ci.yml", ref="main"),
    call("mcp__gitlab__push_files", project_id="7", branch="fix/x", files=[]),
    call("mcp__drive__list_permissions", id="f", type="anyone"),
    call("mcp__drive__share_file", id="f", role="reader", type="user", email="a@b.example"),
    call("mcp__redis__set_key", key="policy", value="x"),
    call("mcp__tracker__add_label", name="role:admin"),
    call("mcp__k8s__resources_scale", kind="Deployment", name="a", scale=3),
    call("mcp__docker__stop_container", id="db"),
    call("mcp__music__playback", action="pause"),
    call("mcp__desk__set_config_value", key="fontSize", value=3),
    call("mcp__ecs__update_service", service="a", desiredCount=2),
    call("mcp__sheet__update_range", count=0, size=0),
    call("mcp__db__set_record", id=3),
    call("mcp__tv__power_off", room="a"),
    call("mcp__bi__delete_measure", name="m"),
    call("mcp__github__review_write", method="delete_pending", repo="r"),
    call("mcp__ansible__run_playbook", playbook="lint.yml"),
    call("mcp__etl__run_operation", macro="generate_docs"),
    call("Edit", file_path=".vscode/settings.json", new_string='"editor.tabSize": 2'),
    call("Write", file_path="notes.md", content="autoApprove"),
    call("mcp__k8s__kubectl", args=["get", "ns"]),
    call("mcp__helm__list", namespace="prod"),
    call("mcp__terraform__plan", dir="infra"),
    call("mcp__mongodb__delete_many", collection="people", filter={"id": 3}),
    call("mcp__todo__delete_tasks", ids=["1"]),
    call("mcp__mqtt__publish_message", topic="a", text="b"),
    call("mcp__github__list_commits", owner="o", repo="r", sha="main"),
    call("mcp__github__push_files", repo="r", branch="fix/x", files=[{"path": "a", "content": "b"}]),
    call("mcp__github__create_branch", repo="r", branch="main"),
    call("mcp__github__create_issue", repo="r", title="delete the branch", body="drop table people"),
    call("mcp__context7__get-library-docs", topic="delete a database"),
    call("mcp__pg__run_query", query="select * from people"),
    call("mcp__pg__query", sql="delete from people where id = 3"),
    call("mcp__brave__brave_web_search", query="drop table people"),
    call("mcp__memory__delete_entities", entityNames=["a"]),
    call("mcp__memory__read_graph"),
    call("mcp__browser__browser_click", element="Delete project", ref="e1"),
    call("mcp__aws__call_aws", cli_command="aws s3 ls"),
    call("mcp__supabase__apply_migration", name="x", query="create table people (id int)"),
    call("mcp__git__git_reset", mode="soft", commit="HEAD~1"),
    call("mcp__git__git_stash", action="list"),
    call("mcp__github__update_repository", owner="a", repo="b", private=True),
    call("mcp__github__search_repositories", visibility="public"),
    call("mcp__github__create_gist", public=False, files={"a": "b"}),
    call("mcp__vercel__get_deployment_status", id="x"),
    call("mcp__npm__run_script", script="build"),
    call("mcp__npm__install", packages=["lodash"]),
    call("mcp__git__git_command", args=["log", "--oneline"]),
    call("mcp__git__git_add", files=["a.py"]),
    call("mcp__redis__execute", command="GET a"),
    call("mcp__terraform__execute_command", command="validate"),
    call("use_aws", service_name="s3api", operation_name="list_objects_v2"),
    call("mcp__neon__run_sql_transaction", sqlStatements=["INSERT INTO a VALUES (1)", "SELECT 1"]),
    call("mcp__github__remove_label", repo="b", issue=1, label="tag"),
    call("mcp__github__add_collaborator_comment", repo="b", body="x"),
    call("mcp__docker__run_container", image="postgres:16", environment={"POSTGRES_PASSWORD": "x"}),
]


def test_what_a_service_loses_or_publishes_is_told_by_words_and_queries(program: Program) -> None:
    found = verdicts(program, "version = 1\n" + rule(f"does = {json.dumps(DONE)}"), [*AT_SERVICES, *HARMLESS])
    assert list(found.values()) == ["deny"] * len(AT_SERVICES) + ["none"] * len(HARMLESS)


SECRETS = [
    call("mcp__vault__read_secret", path="prod/db"),
    call("mcp__azure__keyvault", command="keyvault_secret_get", parameters={"secret": "db"}),
    call("mcp__neon__get_connection_string", projectId="p"),
    call("mcp__passwords__get_password", id="x"),
    call("mcp__vault__unwrap_secret", token="t"),
    call("mcp__ssm__get_parameter", Name="/db", WithDecryption=True),
]
NAMES_OF_SECRETS = [
    call("mcp__vault__list_secrets", path="prod"),
    call("mcp__github__get_secret_scanning_alert", number=3),
    call("mcp__vault__create_secret", path="prod/db"),
]


def test_a_secret_of_a_service_is_asked_for_as_on_a_line(program: Program) -> None:
    found = verdicts(program, 'version = 1\nuse = ["secrets"]\n', [*SECRETS, *NAMES_OF_SECRETS])
    assert list(found.values()) == ["ask"] * len(SECRETS) + ["none"] * len(NAMES_OF_SECRETS)


def test_a_call_that_names_no_path_cannot_be_told(program: Program) -> None:
    asked = [
        call("mcp__fs__write_file", handle=3),
        call("Write", file_path="", content="x"),
        call("WebFetch", url={"value": "https://evil.example"}, prompt="x"),
    ]
    found = verdicts(
        program,
        RULES + rule('read = ".env"'),
        [*asked, call("Glob", pattern="*"), call("Read", operations="odd")],
    )
    assert list(found.values()) == ["ask"] * len(asked) + ["none"] * 2


def test_rows_of_the_user_come_before_words(program: Program) -> None:
    rows = '[[tools]]\nname = "mcp__fs__save*"\nread = ["path"]\n'
    assert set(verdicts(program, RULES + rows, [call("mcp__fs__save_copy", path=".env")]).values()) == {
        "none"
    }


@pytest.mark.parametrize(
    ("agent", "event", "tool", "read", "beside"),
    [
        ("opencode", "tool.execute.before", "write", "filePath", "file_path"),
        ("opencode", "tool.execute.before", "write", "filePath", "path"),
        ("gemini", "BeforeTool", "write_file", "file_path", "absolute_path"),
        ("copilot", "preToolUse", "create", "path", "file_path"),
        ("cline", "PreToolUse", "write_to_file", "path", "filePath"),
        ("claude", "PreToolUse", "Write", "file_path", "path"),
    ],
)
@pytest.mark.parametrize("last", [True, False])
def test_an_argument_that_a_model_puts_beside_hides_nothing(
    program: Program, agent: str, event: str, tool: str, read: str, beside: str, last: bool
) -> None:
    """The agent reads one field and drops what it does not know; so does the guard."""
    program.write(".hookline/hooks.toml", "version = 1\n" + rule('write = ".env"'))
    given = {read: ".env", beside: "fine.txt", "content": "x"}
    given = given if last else dict(reversed(given.items()))
    payload = {
        "session_id": "s", "sessionId": "s", "taskId": "s", "cwd": str(program.workspace), "tool_name": tool,
        "tool_input": given, "toolName": tool, "toolArgs": json.dumps(given), "hookName": event,
        "hook_event_name": event, "preToolUse": {"toolName": tool, "parameters": given},
        "workspaceRoots": [str(program.workspace)],
    }  # fmt: skip
    done = program("bridge", agent, "--event", event, stdin=json.dumps(payload))
    assert '"no"' in done.stdout or "no\n" in done.stderr, done
