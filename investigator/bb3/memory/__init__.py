"""Stores the memories of the speakers across restarts, compares and selects them, and puts them into words."""
