"""Checks that the engines work, identifies them, and shows what is sent where: `diagnose`, and the command `doctor`."""
