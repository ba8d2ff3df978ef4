"""Stores the memories of the speakers across restarts, compares them, and selects and words them for a module."""
