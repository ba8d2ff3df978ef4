"""Points (probabilities from features; model points combined with search points) and token prices."""
