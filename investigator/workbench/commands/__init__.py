"""The `investigator prompts ...` commands."""
