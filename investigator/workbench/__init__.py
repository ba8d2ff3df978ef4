"""The bench for prompt templates: look at them, check, copy, render and try them; the commands `prompts`."""
