"""The method. Start reading at `state.py` (chooses the next step) and `loop.py` (runs it)."""
