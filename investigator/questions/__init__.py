"""Analyses a question: its parts, their constraints, and whether a text meets them. Pure; by rules and word lists."""
