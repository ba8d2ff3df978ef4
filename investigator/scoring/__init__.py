"""Computes costs from tokens, probabilities from features, and points that combine a model's point with that of the
search.
"""
