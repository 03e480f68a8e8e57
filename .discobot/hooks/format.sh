#!/bin/sh
#---
# name: formatted and linted
# type: file
# pattern: "**/*.py"
# timeout: 120
#---
# Only what changed, with the tools of the checkout when it has some.
PATH="$PWD/.venv/bin:$PATH"
ruff format --check $DISCOBOT_CHANGED_FILES && ruff check $DISCOBOT_CHANGED_FILES
