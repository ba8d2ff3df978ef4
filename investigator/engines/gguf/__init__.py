"""Models in GGUF files, as engines."""
