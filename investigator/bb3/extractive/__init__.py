"""The chat modules for the built-in engine, which work by rules and measures, without a language model."""
