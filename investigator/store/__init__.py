"""The workspace: one SQLite database, and a Chroma index that can always be built again from it."""
