"""Computes costs from tokens, probabilities from features, and the point that a model's and the search's points yield."""
