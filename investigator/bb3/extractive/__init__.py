"""The chat modules without a language model: rules and measures that the built-in engine is given."""
