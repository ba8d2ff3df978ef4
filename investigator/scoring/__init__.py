"""Computes prices of tokens, and points: probabilities from features, or a model's point combined with the search's."""
