"""Measures the search and the whole method on questions with known answers; retrieval.py and folder.py do the work."""
