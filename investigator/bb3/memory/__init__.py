"""Stores the memories of the speakers across restarts, compares them, and selects and formats them for a module."""
