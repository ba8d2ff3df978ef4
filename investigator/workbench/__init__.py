"""The workbench for prompt templates. The `prompts` commands show, copy, render and try templates."""
