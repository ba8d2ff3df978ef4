"""Measures the search and the whole method on questions with known answers; see retrieval.py and folder.py."""
