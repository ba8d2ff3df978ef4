"""The `diagnose` function and the `doctor` command, which check that the engines work, identify them, and show what is
sent where.
"""
