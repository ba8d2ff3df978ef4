"""Analyses a question: its parts, their constraints, and how a text meets them. Pure; by rules and word lists."""
