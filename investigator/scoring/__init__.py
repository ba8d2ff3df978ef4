"""Computes costs from tokens and probabilities from features, and combines the points of a model and of the search."""
