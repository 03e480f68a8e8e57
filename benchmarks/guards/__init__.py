"""What guards do with many lines: those to stop, in many spellings, and harmless ones."""
