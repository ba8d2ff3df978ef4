"""The forms of module prompts: control tokens, prefixes, and templates for today's chat models."""
