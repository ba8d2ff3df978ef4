"""Text without markup: prose, source code, CSV, JSON."""
