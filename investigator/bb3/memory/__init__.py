"""Memories of the speakers: kept over restarts, compared, chosen and worded."""
