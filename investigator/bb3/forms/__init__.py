"""Asks modules with prompts in three forms: control tokens, prefixes, and templates for today's chat models."""
