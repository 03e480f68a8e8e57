"""The looks at hooks that start a script which is here; for all others none of their modules is loaded."""

from __future__ import annotations

from hookline.checking.commands.in_turn import in_turn_problems
from hookline.checking.exits.ended_before import ended_before
from hookline.checking.exits.lost_exits import lost_exit_problems
from hookline.checking.exits.script_flow import flow_problems
from hookline.checking.guards.late_guards import inner_times, late_guards
from hookline.checking.guards.name_patterns import name_patterns
from hookline.checking.inputs.cut_input import cut_input
from hookline.checking.scripts.ended_reports import ended_reports
from hookline.checking.scripts.functions_fed import functions_fed
from hookline.checking.scripts.order_rules import order_problems
from hookline.checking.scripts.others_folders import others_folders, others_switches
from hookline.checking.scripts.path_rules import path_problems
from hookline.checking.scripts.powershell_names import powershell_names
from hookline.checking.scripts.powershell_traps import powershell_traps
from hookline.checking.scripts.shell_traps import shell_traps
from hookline.checking.scripts.unquoted import unquoted_problems
from hookline.checking.scripts.unset_programs import unset_programs

OF_SCRIPTS = (
    in_turn_problems, lost_exit_problems, flow_problems, path_problems, shell_traps, order_problems,
    unquoted_problems, late_guards, inner_times, ended_before, powershell_names,
    others_folders, others_switches, cut_input, name_patterns, functions_fed, powershell_traps,
    ended_reports,
    unset_programs,
)  # fmt: skip
