"""The investigation method. Start with `state.py`, which chooses the next step, and `loop.py`, which runs it."""
