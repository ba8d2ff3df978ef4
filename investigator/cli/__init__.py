"""The command line: one file for each command; words into settings, one call, the result shown."""
