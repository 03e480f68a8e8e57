"""What agents that call us have in common: their dialect, rows, payloads, flat config, and answers that fit."""

from hookline.dialects.bridged.dialect import AgentDialect as AgentDialect
