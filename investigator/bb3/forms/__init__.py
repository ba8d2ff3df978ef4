"""The forms of module prompts, which are control tokens, prefixes, and templates for today's chat models."""
