"""Asks modules with prompts of three forms: control tokens, prefixes, and templates for today's chat models."""
