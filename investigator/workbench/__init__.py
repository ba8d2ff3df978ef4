"""The workbench for prompt templates. The `prompts` commands show, check, copy, render and try templates."""
