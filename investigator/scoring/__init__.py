"""Computes the cost of tokens, probabilities from features, and points that combine a model's with the search's."""
