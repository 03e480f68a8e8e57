#!/bin/sh
#---
# name: layers
# type: pre-commit
# timeout: 120
#---
PATH="$PWD/.venv/bin:$PATH"
pytest -q tests/test_layers.py
