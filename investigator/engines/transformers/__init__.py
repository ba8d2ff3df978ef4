"""Models of transformers, as engines."""
