"""Turn life into events and decisions into life."""
