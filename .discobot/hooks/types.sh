#!/bin/sh
#---
# name: types
# type: file
# pattern: "src/**/*.py"
# timeout: 300
#---
PATH="$PWD/.venv/bin:$PATH"
mypy
