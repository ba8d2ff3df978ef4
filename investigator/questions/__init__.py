"""Analyses a question: its parts, their constraints, and the texts that meet them. Pure; by rules and word lists."""
