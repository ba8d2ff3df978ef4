"""Points (chances from features, points of models and search made into one), second opinions, prices of tokens."""
