"""The workspace: SQLite databases, and for large folders a Chroma index that can always be rebuilt."""
