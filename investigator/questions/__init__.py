"""Analyses a question: its parts, what binds them, and whether a text meets that. Pure; by rules and word lists."""
