"""Checks that the engines work, identifies them, and shows what is sent where: the function `diagnose` and the command
`doctor`.
"""
