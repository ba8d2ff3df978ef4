"""Points (chances from features, points of models and search made into one) and prices of tokens."""
