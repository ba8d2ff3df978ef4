"""The method: start reading at `investigator.py`."""
