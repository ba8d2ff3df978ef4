"""How well the search and the whole method do where the answers are known: retrieval.py and folder.py do the work."""
