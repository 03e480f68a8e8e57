"""The nouns: frozen data that travels through the engine."""
