"""Calls modules with prompts in three formats: control tokens, prefixes, and templates for today's chat models."""
