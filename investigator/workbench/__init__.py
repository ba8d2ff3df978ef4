"""The bench for prompt templates: show, check, copy, render and try them with the commands `prompts`."""
