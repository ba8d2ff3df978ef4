"""Computes points, which are probabilities from features or combine those of a model and of the search, and token
prices.
"""
