"""Measures the search (`retrieval.py`) and the whole method (`folder.py`) on questions with known answers."""
