"""The workbench for prompt templates: the commands `prompts` show, check, copy, render and try them."""
