"""Agents that took over Claude Code's hooks: a file of data each, by `columns`; `dialect` speaks for all of them.

Those with a folder of their own add a class for what no column says.
"""

from hookline.dialects.family.dialect import FamilyDialect as FamilyDialect
