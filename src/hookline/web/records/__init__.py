"""What the page shows of a workspace whoever runs the agent: its hooks, its trust, and what was decided."""
