"""Models in folders, run with the transformers library."""
