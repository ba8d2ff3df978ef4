"""Points: chances from features, the points of models beside those of the search, prices of tokens."""
