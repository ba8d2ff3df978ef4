"""Memories of the speakers: stored over restarts, compared, selected and worded."""
