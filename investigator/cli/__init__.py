"""The command line: one file per command, which parses options, makes one call and shows the result."""
