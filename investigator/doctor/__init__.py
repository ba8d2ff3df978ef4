"""Check that the engines work, who they are, and what is sent where: `diagnose`, and the command `doctor`."""
