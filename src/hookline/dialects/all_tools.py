"""What the agents call their tools, of all agents at once.

A matcher may name another agent's tool. To tell so from their own tables would load every dialect at every call. A test
compares it with these: `HOOKLINE_WRITE_DOCS=1 python3 do.py test tests/dialects/test_every_agent.py -k all_tools`.
"""

from __future__ import annotations

from hookline.dialects.tools import Tools

_NAMES = """
Bash:run_shell_command Read:read_file Read:read_many_files Write:write_file Edit:replace Glob:glob
Grep:grep_search LS:list_directory WebFetch:web_fetch WebSearch:google_web_search TodoWrite:write_todos
Agent:invoke_agent AskUserQuestion:ask_user EnterPlanMode:enter_plan_mode ExitPlanMode:exit_plan_mode
Skill:activate_skill Bash:Bash Edit:apply_patch Write:apply_patch Agent:spawn_agent TodoWrite:update_plan
Bash:Shell Read:Read Write:Write Edit:Write Grep:Grep Delete:Delete Agent:Task Bash:bash Bash:powershell
Read:view Write:create Edit:edit Edit:str_replace_editor Grep:grep Grep:rg WebSearch:web_search
TodoWrite:update_todo Agent:task Agent:agent TodoWrite:todo_write Skill:skill
AskUserQuestion:ask_user_question NotebookEdit:notebook_edit Monitor:monitor Bash:terminal Read:file_editor
Write:file_editor Edit:file_editor TodoWrite:task_tracker Bash:developer__shell Write:developer__write
Edit:developer__edit LS:developer__tree Write:write MultiEdit:multiedit LS:ls WebFetch:fetch TodoWrite:todos
Bash:Execute Write:Create Edit:Edit MultiEdit:MultiEdit Edit:ApplyPatch LS:LS Glob:Glob WebFetch:FetchUrl
WebSearch:WebSearch TodoWrite:TodoWrite Bash:launch-process Write:save-file Edit:str-replace-editor
Delete:remove-files Bash:exec Read:read Bash:run_in_terminal Write:create_file Edit:replace_string_in_file
LS:list_dir Glob:file_search WebFetch:fetch_webpage Agent:runSubagent TodoWrite:manage_todo_list LS:list
WebFetch:webfetch WebSearch:websearch TodoWrite:todowrite Task:task AskUserQuestion:question
PowerShell:powershell Glob:find Bash:shell_command Edit:edit_file WebFetch:read_web_page Task:Task
Edit:patch Grep:search_files WebFetch:web_extract Agent:delegate_task TodoWrite:todo Skill:skill_view
AskUserQuestion:clarify Bash:file_system.bash Bash:process.start Read:file_system.read_file
Write:file_system.write_file Edit:search_replace Edit:file_system.search_replace Task:agents.spawn
Skill:skill.read Bash:execute_bash Bash:shell Read:read_files Read:fs_read Write:fs_write Write:fsWrite
Edit:str_replace Edit:fs_append Delete:delete_file TodoWrite:todo_list Agent:invoke_sub_agent Agent:subagent
Agent:use_subagent Agent:delegate AskUserQuestion:user_input Bash:use_aws Bash:aws knowledge:knowledge
introspect:introspect thinking:thinking report_issue:report_issue code:code Bash:execute_command
Bash:run_commands Write:write_to_file Edit:replace_in_file LS:list_files Grep:search_codebase
WebFetch:fetch_web_content Agent:new_task AskUserQuestion:ask_followup_question AskUserQuestion:ask_question
Bash:run_command Read:view_file Edit:replace_file_content Edit:multi_replace_file_content Glob:find_by_name
Grep:codebase_search WebFetch:read_url_content WebSearch:search_web Agent:invoke_subagent
"""
ALL_TOOLS = Tools(
    names=tuple((pair[0], pair[2]) for pair in (word.partition(":") for word in _NAMES.split()))
)
