"""The workbench for prompt templates: the `prompts` commands show, check, copy, render and try them."""
