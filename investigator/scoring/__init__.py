"""Computes costs from tokens, probabilities from features, and points that combine those of a model and the search."""
