"""The method: start reading at `state.py` (which step comes next) and `loop.py` (which performs it)."""
