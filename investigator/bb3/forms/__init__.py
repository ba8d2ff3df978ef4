"""The forms in which a module is asked: control tokens, prefixes, and templates for today's chat models."""
