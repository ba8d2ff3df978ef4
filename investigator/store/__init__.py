"""The workspace: one SQLite database, and a Chroma index of large folders that can always be built again."""
