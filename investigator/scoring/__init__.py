"""Computes costs from tokens and probabilities from features; combines a model's points with those of the search."""
