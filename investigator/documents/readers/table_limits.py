"""Limits on the recorded tables and cells of a document; the text of the rest is kept."""

MOST_TABLES = 2_000
MOST_CELLS = 60_000
