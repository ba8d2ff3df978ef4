"""Text embeddings and cross-encoders."""
