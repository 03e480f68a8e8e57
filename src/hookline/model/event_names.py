"""The canonical event names for type checkers, so that a misspelt one is found before it runs."""

from __future__ import annotations

from typing import Literal

EventName = Literal[
    "SessionStart", "SessionEnd", "Setup", "InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion",
    "UserMessage", "MessageDisplay", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
    "PermissionRequest", "PermissionDenied", "Notification", "Stop", "StopFailure", "Interrupt",
    "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "PreCompact",
    "PostCompact", "PreModelSwitch", "PostModelSwitch", "ConfigChange", "CwdChanged", "DirectoryAdded",
    "FileChanged", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "StatusLine",
    "FileSuggestion", "FilesChanged", "PreCommit", "PostCommit", "PreIteration", "PostIteration",
    "IterationError", "PreExecutionStart", "PostExecutionStart", "PreExecutionEnd", "PostExecutionEnd",
    "RunStop", "PreModelRequest", "PostModelResponse", "PreToolSelection",
]  # fmt: skip
