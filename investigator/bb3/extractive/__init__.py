"""The chat modules for the built-in engine: they use rules and measures, and no language model."""
