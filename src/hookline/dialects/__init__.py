"""Read each agent's hook config and payloads; write its hook inputs and responses."""
