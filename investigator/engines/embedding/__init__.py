"""Vectors of texts, and cross-encoders."""
