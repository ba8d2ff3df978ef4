"""The chat modules without a language model: rules and measures that the extractive engine is given."""
