"""The chat modules without a language model: rules and measures for the built-in engine."""
