"""Finds documents first, then the passages inside them."""
