"""How many tables and cells of a document are recorded; the words of the rest stay in its text."""

MOST_TABLES = 2_000
MOST_CELLS = 60_000
