"""The commands `investigator prompts ...`."""
