"""The workspace: one SQLite database, and for large folders a Chroma index that can always be rebuilt."""
