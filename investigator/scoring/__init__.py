"""Points (probabilities from features, model and search points combined) and token prices."""
