"""Check that the engines work, which they are, and what is sent where: `diagnose`, and the command `doctor`."""
