"""The chat modules of the built-in engine, which use rules and similarities instead of a language model."""
